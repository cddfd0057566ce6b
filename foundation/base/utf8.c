/* Text that may be anything: what of it is UTF-8, and how JSON writes it. */
#include <kgrad/foundation.h>

#include <stdio.h>
#include <string.h>

size_t kg_utf8_length(const char *text) {
  static const struct {
    unsigned char first, last, low, high;
    size_t size;
  } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
               {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
               {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  const unsigned char *p = (const unsigned char *)text;
  if (*p < 0x80) return 1;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (*p < forms[i].first || *p > forms[i].last || p[1] < forms[i].low || p[1] > forms[i].high) continue;
    for (size_t k = 2; k < forms[i].size; k++)
      if (p[k] < 0x80 || p[k] > 0xBF) return 0;
    return forms[i].size;
  }
  return 0;
}

/* Of a byte that JSON does not take as it is: the escape; "" for all others. */
static const char *escape_of(unsigned char c, char out[8]) {
  static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *at = strchr(named, c);
  if (at) snprintf(out, 8, "\\%c", letters[at - named]);
  else if (c < 0x20 || c == 0x7F) snprintf(out, 8, "\\u%04x", c);
  else out[0] = 0;
  return out;
}

void kg_json_string(const char *text, void (*write)(void *user, const char *text, size_t size), void *user) {
  write(user, "\"", 1);
  for (size_t size; *text; text += size ? size : 1) {
    char out[8];
    size = kg_utf8_length(text);
    const char *escape = size ? size == 1 ? escape_of((unsigned char)*text, out) : "" : "\\ufffd";
    if (*escape) write(user, escape, strlen(escape));
    else write(user, text, size);
  }
  write(user, "\"", 1);
}
