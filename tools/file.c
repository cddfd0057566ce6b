#include "tools/file.h"

#include "tools/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool grow(tool_bytes *bytes, size_t *capacity, size_t limit, size_t first) {
  size_t wanted = *capacity ? *capacity * 2 : first;
  if (wanted > limit + 1) wanted = limit + 1;
  char *data = realloc(bytes->data, wanted + 1);
  if (!data) return false;
  bytes->data = data;
  *capacity = wanted;
  return true;
}

/* Reads one byte past the limit at the most, to know that there is one. */
static const char *read_stream(FILE *in, size_t limit, size_t first, tool_bytes *bytes) {
  size_t capacity = 0;
  while (bytes->size <= limit) {
    if (bytes->size == capacity && !grow(bytes, &capacity, limit, first)) return strerror(ENOMEM);
    size_t n = fread(bytes->data + bytes->size, 1, capacity - bytes->size, in);
    bytes->size += n;
    if (n == 0) break;
  }
  if (ferror(in)) return strerror(errno ? errno : EIO);
  bytes->data[bytes->size] = 0;
  return NULL;
}

bool tool_read_file(const char *path, size_t limit, tool_bytes *out, const kg_sink *sink) {
  tool_bytes bytes = {0};
  struct stat info;
  bool standard = strcmp(path, "-") == 0;
  const char *problem = NULL;
  FILE *in = standard ? stdin : fopen(path, "rb");
  if (!in)
    problem = strerror(errno);
  else if (fstat(fileno(in), &info) != 0)
    problem = strerror(errno);
  else if (S_ISDIR(info.st_mode))
    problem = strerror(EISDIR);
  else
    problem = read_stream(in, limit, S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 1 << 16, &bytes);
  if (in && !standard) fclose(in);
  if (problem)
    TOOL_EMIT(sink, cannot_read, path, problem);
  else if (bytes.size > limit)
    TOOL_EMIT(sink, file_too_large, path, TOOL_NUM(limit));
  if (problem || bytes.size > limit) return free(bytes.data), false;
  *out = bytes;
  return true;
}
