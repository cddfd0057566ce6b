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

static bool may_begin_so(const tool_bytes *bytes, const char *begins) {
  size_t size = strlen(begins);
  return !memcmp(bytes->data, begins, bytes->size < size ? bytes->size : size);
}

/* Reads one byte past the limit at the most, to know that there is one; and no further where it does not begin so. */
static const char *read_stream(FILE *in, size_t limit, size_t first, const char *begins, tool_bytes *bytes) {
  size_t capacity = 0;
  while (bytes->size <= limit) {
    if (bytes->size == capacity && !grow(bytes, &capacity, limit, first)) return strerror(ENOMEM);
    size_t n = fread(bytes->data + bytes->size, 1, capacity - bytes->size, in);
    bytes->size += n;
    if (n == 0 || !may_begin_so(bytes, begins)) break;
  }
  if (ferror(in)) return strerror(errno ? errno : EIO);
  bytes->data[bytes->size] = 0;
  return NULL;
}

bool tool_read_file(const char *path, size_t limit, tool_bytes *out, const kg_sink *sink) {
  return tool_read_file_of(path, limit, "", out, sink);
}

bool tool_read_file_of(const char *path, size_t limit, const char *begins, tool_bytes *out, const kg_sink *sink) {
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
    problem = read_stream(in, limit, S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 1 << 16, begins, &bytes);
  if (in && !standard) fclose(in);
  if (problem)
    TOOL_EMIT(sink, cannot_read, path, problem);
  else if (bytes.size > limit)
    TOOL_EMIT(sink, file_too_large, path, TOOL_NUM(limit));
  if (problem || bytes.size > limit) return free(bytes.data), false;
  *out = bytes;
  return true;
}
