/* One module's programs and order of work in another. */
#ifndef KGI_APPEND_H
#define KGI_APPEND_H
#include "foundation/ir/builder.h"

typedef struct kgi_appending {
  kgi_builder *b;        /* in the scope of its module */
  const kg_module *from;
  uint32_t base;         /* of the module's programs, what precedes the first of `from`: kgi_append_programs fills it in */
  const char *prefix;    /* of the programs' names; NULL: none */
  kgi_pos pos;           /* where all of it stands then; 0: where it stood */
  /* An entry for each of `from`: the object that stands for it; the slice of that (`slice` NULL: none is one); the dim for a param. */
  const uint32_t *object;
  const kgi_slice *slice;
  const uint32_t *param;
  uint32_t *item;        /* by item of `from`; kgi_append_items fills it in */
} kgi_appending;

/* Its programs, at the end. False: no memory. */
bool kgi_append_programs(kgi_appending *append);
/* What it promises of a param that all its runs pass on as it is, between numbers, their programs promise from here on: so the promise is
 * held to wherever they run. Behind kgi_append_programs. */
void kgi_append_ranges(const kgi_appending *append);
/* Its order of work: the first of a list of items that stands nowhere yet. 0: there is none, or it failed. */
uint32_t kgi_append_items(kgi_appending *append, kgi_arena *scratch);
/* Both, the items at the end of the module's. False: no memory. */
bool kgi_append_module(kgi_appending *append, kgi_arena *scratch);
kgi_dim kgi_append_dim(const kgi_appending *append, kgi_dim dim); /* a length of `from`, without indices of repeats, in the builder's scope */

/* module.c: prefix, base and end as one name that no object, param or program of the module has, with a suffix if need be. */
const char *kgi_module_free_name(kg_module *m, const char *prefix, const char *base, const char *end);
#endif
