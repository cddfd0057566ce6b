/* Single values of the language's types: as bits, as text, as numbers. */
#ifndef TOOLS_VALUE_H
#define TOOLS_VALUE_H
#include <kgrad/foundation.h>

/* "3", "-0x10", "1.5e3", "inf", "true": the type's bits, zero-extended. False: not a value of the type, or out of its range. */
bool tool_value_parse(kg_type type, const char *text, uint64_t *bits);

/* As kgrad/foundation.h says. */
static inline uint64_t tool_value_load(kg_type type, const void *array, uint64_t index) { return kg_value_load(type, array, index); }
static inline void tool_value_store(kg_type type, void *array, uint64_t index, uint64_t bits) {
  kg_value_store(type, array, index, bits);
}
static inline double tool_value_number(kg_type type, uint64_t bits) { return kg_value_number(type, bits); }
static inline uint64_t tool_value_of_number(kg_type type, double number) { return kg_value_of_number(type, number); }
static inline bool tool_type_is_float(kg_type type) { return kg_type_is_float(type); }

typedef struct tool_value_text {
  char text[32];
} tool_value_text;
/* The shortest text that tells the value from its neighbours. */
const char *tool_value_format(kg_type type, uint64_t bits, tool_value_text *out);
#endif
