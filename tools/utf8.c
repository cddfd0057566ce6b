#include "tools/utf8.h"

size_t tool_utf8_length(const unsigned char *p) {
  static const struct {
    unsigned char first, last, low, high;
    size_t size;
  } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
               {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
               {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  if (*p < 0x80) return 1;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (*p < forms[i].first || *p > forms[i].last || p[1] < forms[i].low || p[1] > forms[i].high) continue;
    for (size_t k = 2; k < forms[i].size; k++)
      if (p[k] < 0x80 || p[k] > 0xBF) return 0;
    return forms[i].size;
  }
  return 0;
}
