/* Numbers as text and back, in the C locale whatever the caller's is. */
#ifndef KGI_NUMBER_H
#define KGI_NUMBER_H
#include "foundation/ir/program.h"

/* Decimal digits with an optional point and exponent, as the nearest double (infinite where it overflows). False: more digits than any
 * number needs. */
bool kgi_read_double(const char *text, size_t length, double *out);

enum { KGI_NUMBER_TEXT = 40 };
/* The shortest text that reads back as the same bits. */
const char *kgi_number_text(kg_type type, uint64_t bits, char out[KGI_NUMBER_TEXT]);
/* As %.<digits>g; at most 17 digits. */
const char *kgi_double_text(double x, unsigned digits, char out[KGI_NUMBER_TEXT]);
#endif
