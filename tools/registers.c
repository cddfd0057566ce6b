#include "tools/registers.h"

#include <string.h>

static bool begins(const char *at, const char *end, const char *word) {
  size_t n = strlen(word);
  return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

/* Behind `stop`, or where the text ends: in a module with a NUL. */
static const char *behind(const char *at, const char *end, const char *stop) {
  for (; at < end && *at; at++)
    if (begins(at, end, stop)) return at + strlen(stop);
  return at;
}

/* Behind blanks and comments. */
static const char *skip(const char *at, const char *end) {
  for (;;) {
    if (begins(at, end, "//")) at = behind(at + 2, end, "\n");
    else if (begins(at, end, "/*")) at = behind(at + 2, end, "*/");
    else if (at < end && *at && strchr(" \t\r\n", *at)) at++;
    else return at;
  }
}

static bool follows(const char **at, const char *end, const char *word) {
  *at = skip(*at, end);
  if (!begins(*at, end, word)) return false;
  *at += strlen(word);
  return true;
}

bool tool_states_bindings(const tool_bytes *spirv) {
  const char *end = spirv->data + spirv->size;
  for (const char *at = skip(spirv->data, end); at < end; at = skip(at + 1, end)) {
    const char *next = at;
    if (follows(&next, end, "vk") && follows(&next, end, "::") && follows(&next, end, "binding")) return true;
  }
  return false;
}
