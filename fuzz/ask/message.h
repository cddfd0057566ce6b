/* Bytes that grow at their end, and are read from their beginning: what processes of one program say to each other. */
#ifndef KGI_FUZZ_MESSAGE_H
#define KGI_FUZZ_MESSAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kgi_message { uint8_t *at; size_t size, cap; bool failed; } kgi_message;
void kgi_message_free(kgi_message *b);
void kgi_put_bytes(kgi_message *b, const void *from, size_t size);
void kgi_put_number(kgi_message *b, uint64_t number);
void kgi_put_block(kgi_message *b, const void *from, size_t size); /* its size goes in front */
void kgi_put_text(kgi_message *b, const char *text);               /* NULL as "" */

/* What is read past the end is 0, "" and NULL; then `failed` is set. */
typedef struct kgi_reading { const uint8_t *at, *end; bool failed; } kgi_reading;
uint64_t kgi_get_number(kgi_reading *r);
const uint8_t *kgi_get_block(kgi_reading *r, size_t *size);
const char *kgi_get_text(kgi_reading *r);
#endif
