/* Files that the command reads. */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H
#include <kgrad/foundation.h>

/* A whole file, "-" for standard input. One byte more than the size is there, and is 0. */
typedef struct tool_bytes {
  char *data;
  size_t size;
} tool_bytes;

/* False: a diagnostic was sent. Free with free(bytes->data). */
bool tool_read_file(const char *path, size_t limit, tool_bytes *out, const kg_sink *sink);

/* Likewise, but of what does not begin so, as its format must, only the beginning is there: a device may have no end. */
bool tool_read_file_of(const char *path, size_t limit, const char *begins, tool_bytes *out, const kg_sink *sink);
#endif
