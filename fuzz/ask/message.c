#include "fuzz/ask/message.h"

#include <stdlib.h>
#include <string.h>

void kgi_message_free(kgi_message *b) {
  free(b->at);
  *b = (kgi_message){0};
}

void kgi_put_bytes(kgi_message *b, const void *from, size_t size) {
  if (size > b->cap - b->size && !b->failed) {
    size_t cap = 2 * b->cap + size + 256;
    uint8_t *grown = realloc(b->at, cap);
    if (grown) b->at = grown, b->cap = cap;
    else b->failed = true;
  }
  if (b->failed) return;
  if (size) memcpy(b->at + b->size, from, size);
  b->size += size;
}

void kgi_put_number(kgi_message *b, uint64_t number) { kgi_put_bytes(b, &number, sizeof number); }
void kgi_put_block(kgi_message *b, const void *from, size_t size) { kgi_put_number(b, size), kgi_put_bytes(b, from, size); }
void kgi_put_text(kgi_message *b, const char *text) { kgi_put_block(b, text ? text : "", text ? strlen(text) + 1 : 1); }

uint64_t kgi_get_number(kgi_reading *r) {
  uint64_t value = 0;
  if ((size_t)(r->end - r->at) < sizeof value) return r->failed = true, 0;
  memcpy(&value, r->at, sizeof value);
  r->at += sizeof value;
  return value;
}

const uint8_t *kgi_get_block(kgi_reading *r, size_t *size) {
  uint64_t wanted = kgi_get_number(r);
  const uint8_t *at = r->at;
  *size = 0;
  if (r->failed || wanted > (uint64_t)(r->end - r->at)) return r->failed = true, NULL;
  r->at += wanted;
  *size = (size_t)wanted;
  return at;
}

const char *kgi_get_text(kgi_reading *r) {
  size_t size;
  const char *at = (const char *)kgi_get_block(r, &size);
  if (!at || !size || at[size - 1]) return r->failed = true, "";
  return at;
}
