/* Elements of a host's arrays, whatever their type: as bits, and as numbers. kgrad/foundation.h says what each does; these leave
 * the floating-point environment as it is, for loops. */
#ifndef KGI_VALUE_H
#define KGI_VALUE_H
#include <kgrad/foundation.h>

double kgi_value_number(kg_type type, uint64_t bits);
uint64_t kgi_value_of_number(kg_type type, double number);

/* Fills `count` elements with values of [lo, hi), the same for the same seed and name on every machine. False: there is none. */
bool kgi_value_random(uint64_t seed, const char *name, double lo, double hi, kg_type type, uint64_t count, void *array);

/* Of values that were drawn in [-1, 1) or a range: each row in order; each block of n by n, drawn in [-1, 1), symmetric and definite. */
void kgi_draw_ascending(kg_type type, uint64_t row, uint64_t count, void *array);
void kgi_draw_definite(kg_type type, uint64_t n, uint64_t count, void *array);
#endif
