/* A program with all that it is asked about with: what a failure is kept as, saved, asked about again, and made smaller. */
#ifndef KGI_FUZZ_CASE_H
#define KGI_FUZZ_CASE_H
#include "foundation/ir/program.h"
#include "fuzz/ask/message.h"

#include <kgrad/foundation.h>

/* What a buffer of the program, a shadow of its gradient, or a param holds on entry; a param is an array of one. */
typedef struct kgi_case_array {
  char *name;
  kg_type type;
  uint64_t count;
  void *data;
} kgi_case_array;

typedef struct kgi_case {
  kg_module *module;
  kgi_case_array *array; uint32_t arrays, array_cap;
  /* Which gradient. Nothing named: as the seed says. */
  char **of, **wrt; uint32_t of_count, wrt_count;
  bool accumulate, deterministic;
  bool generated; /* by kgi_fuzz_generate, which makes no numbers that overflow, or small from there */
  uint32_t directions;
  uint64_t seed; /* of all that is not stated above */
} kgi_case;

void kgi_case_free(kgi_case *c); /* what it holds */
/* False: no memory. All take copies. */
bool kgi_case_take_module(kgi_case *c, const kg_module *m);
bool kgi_case_set(kgi_case *c, const char *name, kg_type type, uint64_t count, const void *data); /* in the place of one of that name */
bool kgi_case_ask(kgi_case *c, const char *const *of, size_t of_count, const char *const *wrt, size_t wrt_count);
bool kgi_case_copy(kgi_case *to, const kgi_case *from);
const kgi_case_array *kgi_case_find(const kgi_case *c, const char *name); /* NULL: it holds none of that name */

/* As bytes, for another process of this program, and back. False: no memory, or no such bytes. */
bool kgi_case_pack(const kgi_case *c, kgi_message *to);
bool kgi_case_unpack(kgi_case *c, kgi_reading *from);
#endif
