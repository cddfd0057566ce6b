/* fuzz/reduce: a failing case made small: runs, statements, values, sizes, inputs, until a person could have written it. */
/* Whatever is tried is a valid module; whether it fails as it did is asked of the caller, who also sees to it that it is free of races
 * and ends. */
#ifndef KGI_FUZZ_REDUCE_H
#define KGI_FUZZ_REDUCE_H
#include "fuzz/ask/case.h"

typedef struct kgi_reduce_params {
  bool (*fails)(void *user, const kgi_case *c); /* as the first one did */
  void (*progress)(void *user, const kgi_case *c, unsigned asked); /* may be NULL */
  void *user;
  double seconds;
} kgi_reduce_params;

/* In place; `c` fails before and after. How many were asked about. */
unsigned kgi_reduce(kgi_case *c, const kgi_reduce_params *params);

/* Statements as a person counts them: what has an effect, and what is used in more than one place. */
unsigned kgi_statements(const kg_module *m);
/* The kinds of statements and operations that a module has, each once, in order of their names. */
void kgi_shape_of(const kg_module *m, char *text, size_t size);
#endif
