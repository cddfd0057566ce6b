/* Expressions of the language in tables: derivatives, lowerings. */
#ifndef KGI_EXPR_H
#define KGI_EXPR_H
#include "foundation/ir/builder.h"

/* Builds the expression `text` at the builder's cursor, with names[i] standing for values[i], as a value of `literal_type`:
 * literals to which no operand gives a type, alone or as arms of a select, take that type. Allocates nothing but instructions.
 * Text that does not parse is a fault of a table: it fails the builder with diagnostics. `out` may be NULL. */
kg_status kgi_expr(kgi_builder *b, const char *text, const char *const *names, const kgi_val *values, unsigned count,
                   kg_type literal_type, kgi_val *out);
#endif
