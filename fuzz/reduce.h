/* Makes the bytes behind a failing program smaller, and the program with them: pieces are cut out, zeroed and lowered as long as it
 * goes on failing. */
#ifndef KGI_FUZZ_REDUCE_H
#define KGI_FUZZ_REDUCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `fails` is asked about at most `attempts` candidates. Returns the size that is left; the bytes are changed in place. */
size_t kgi_fuzz_reduce(uint8_t *bytes, size_t size, bool (*fails)(void *user, const uint8_t *bytes, size_t size), void *user,
                       unsigned attempts);
#endif
