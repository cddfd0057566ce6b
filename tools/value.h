/* Single values of the language's types: as bits, as text, as numbers. */
#ifndef TOOLS_VALUE_H
#define TOOLS_VALUE_H
#include <kgrad/foundation.h>

/* "3", "-0x10", "1.5e3", "inf", "true": the type's bits, zero-extended. False: not a value of the type, or out of its range. */
bool tool_value_parse(kg_type type, const char *text, uint64_t *bits);

/* An element of an array as bits, and back. */
uint64_t tool_value_load(kg_type type, const void *array, uint64_t index);
void tool_value_store(kg_type type, void *array, uint64_t index, uint64_t bits);

/* Integers beyond 53 bits are rounded. */
double tool_value_number(kg_type type, uint64_t bits);
/* The nearest value; integers must hold the number. */
uint64_t tool_value_of_number(kg_type type, double number);

typedef struct tool_value_text {
  char text[32];
} tool_value_text;
/* The shortest text that tells the value from its neighbours. */
const char *tool_value_format(kg_type type, uint64_t bits, tool_value_text *out);

bool tool_type_is_float(kg_type type);
#endif
