/* Changes of a module that is a copy: each leaves something that may not be valid, which kgi_try finds out. */
#ifndef KGI_FUZZ_EDITS_H
#define KGI_FUZZ_EDITS_H
#include "fuzz/edit/edit.h"
#include "fuzz/reduce/reduce.h"

typedef struct kgi_reducer {
  kgi_case *best;
  const kgi_reduce_params *params;
  double until;
  unsigned asked;
} kgi_reducer;

bool kgi_is_late(const kgi_reducer *r);
/* Begins a change of the best: a copy, of which `b` builds in that program (0: none). False: no memory. */
bool kgi_begin_edit(kgi_reducer *r, kgi_case *c, kgi_builder *b, uint32_t program);
/* Takes the copy in the place of the best if it is valid, another one, and fails too. Frees it otherwise. */
bool kgi_try(kgi_reducer *r, kgi_case *c);

/* declared.c */
bool kgi_object_is_used(const kg_module *m, uint32_t program, uint32_t object); /* by the program itself */
void kgi_drop_object(kg_module *m, uint32_t program, uint32_t object);
void kgi_drop_module_object(kg_module *m, uint32_t object);

/* inputs.c: arrays, shadows and what is asked for follow the names of buffers and params. */
typedef struct kgi_renaming { char from[200], to[200]; } kgi_renaming;
void kgi_rename_in_case(kgi_case *c, const kgi_renaming *all, uint32_t count);

/* ---- passes: whether anything became smaller ---- */
bool kgi_reduce_runs(kgi_reducer *r);
bool kgi_reduce_statements(kgi_reducer *r);
bool kgi_reduce_blocks(kgi_reducer *r);
bool kgi_reduce_values(kgi_reducer *r);
bool kgi_reduce_leaves(kgi_reducer *r);
bool kgi_reduce_declared(kgi_reducer *r);
bool kgi_reduce_sizes(kgi_reducer *r);
bool kgi_reduce_inputs(kgi_reducer *r);
bool kgi_reduce_cleaned(kgi_reducer *r);
bool kgi_reduce_style(kgi_reducer *r);
#endif
