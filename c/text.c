#include "c/text.h"

#include <stdio.h>
#include <string.h>

static bool make_room(kgi_c_text *t, size_t more) {
  if (t->cap - t->size > more) return true;
  size_t cap = (t->cap + more + 1) * 2;
  char *at = kgi_arena_alloc(t->arena, cap, 1);
  if (!at) return false;
  if (t->size) memcpy(at, t->at, t->size);
  t->at = at, t->cap = cap;
  return true;
}

void kgi_c_put_list(kgi_c_text *t, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  if (length >= 0 && make_room(t, (size_t)length)) {
    vsnprintf(t->at + t->size, (size_t)length + 1, format, again);
    t->size += (size_t)length;
  }
  va_end(again);
}

void kgi_c_put(kgi_c_text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kgi_c_put_list(t, format, args);
  va_end(args);
}
