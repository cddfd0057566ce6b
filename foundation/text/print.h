/* The printer's state, shared by its files: print.c (declarations, modules), print_names.c, print_plan.c (what prints inside what),
 * print_expr.c, print_body.c (statements). */
#ifndef KGI_PRINT_H
#define KGI_PRINT_H
#include "foundation/text/lex.h"
#include "foundation/ir/program.h"

/* A name in use somewhere in the program, so that no two visible things share one. */
typedef struct kgi_used_name {
  const char *text;
  uint32_t visible; /* 0: free to be used again */
  uint32_t next;    /* the suffix to try next when it is taken */
} kgi_used_name;

/* How an instruction appears. */
enum {
  KGI_PLAN_INLINE = 1,    /* inside the expression that uses it */
  KGI_PLAN_COMPOUND = 2,  /* a store that prints as x += e; its load and operation are inline */
  KGI_PLAN_DECLARES = 4,  /* a store that prints with the var directly before it, as var x = e */
};

typedef struct kgi_printer {
  const kg_module *m;
  kg_allocator alloc;
  kgi_arena scratch;
  char *out; size_t size, cap;
  bool failed;
  unsigned indent;
  kgi_used_name *used; uint32_t used_count, used_cap;
  kgi_set used_set;
  uint32_t *open; uint32_t open_count, open_cap; /* a stack of names, innermost scope last */
  /* the scope being printed */
  const kgi_scope *scope;
  const char **object, **param, **spec;
  /* the program being printed */
  const kgi_program *p;
  const char **value; /* of each instruction: its name; NULL: none yet */
  uint32_t *uses;
  uint8_t *plan;
  unsigned room; /* values that may still stand inside the statement being planned */
  /* modules */
  const char **item; /* names of repeats' indices */
  const char **program_name;
  const char ***program_object, ***program_param; /* of each program */
} kgi_printer;

void kgi_put(kgi_printer *t, const char *text);
void kgi_putf(kgi_printer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kgi_put_line(kgi_printer *t); /* ends the line and indents the next */
void kgi_put_string(kgi_printer *t, const char *text); /* quoted */

/* print_names.c */
/* A legal name like `wanted` (or `fallback`, where that is empty) that nothing visible has; visible from here on. */
const char *kgi_claim_name(kgi_printer *t, const char *wanted, const char *fallback);
/* `base` and the next number. */
const char *kgi_claim_numbered(kgi_printer *t, const char *base);
void kgi_release_names(kgi_printer *t, uint32_t mark); /* mark: open_count at the start of the scope */
bool kgi_legal_name(const char *text);
const char *kgi_label(kgi_printer *t, const char *text); /* a legal name, not unique */

/* print_plan.c */
void kgi_plan_block(kgi_printer *t, kgi_blk block);
/* A while's condition block; whether it prints as one expression. */
bool kgi_plan_condition(kgi_printer *t, kgi_blk block, uint32_t condition);

/* print_expr.c */
/* The value, given that its context makes literals of type `want`; NONE: nothing gives them a type. */
void kgi_print_value(kgi_printer *t, uint32_t value, kg_type want, unsigned level);
void kgi_print_definition(kgi_printer *t, uint32_t value, kg_type want); /* its expression even where it has a name */
/* Whether its text leaves the type of its literals to the context, and the type they take where that gives none. */
bool kgi_is_open(const kgi_printer *t, uint32_t value);
kg_type kgi_open_default(const kgi_printer *t, uint32_t value);
void kgi_print_place(kgi_printer *t, uint32_t object, uint32_t index);
void kgi_print_bounds(kgi_printer *t, const uint32_t bounds[3], bool reversed); /* of a for */
const char *kgi_compound_text(unsigned op); /* "+=", or NULL */
void kgi_print_dim(kgi_printer *t, const kgi_scope *scope, kgi_dim dim, unsigned level);
/* What stands in the brackets of a declaration. */
void kgi_print_extents(kgi_printer *t, const kgi_scope *scope, const kgi_object *object);
void kgi_print_dims(kgi_printer *t, const kgi_scope *scope, const kgi_dim dims[3]);

/* print_body.c */
void kgi_print_block(kgi_printer *t, kgi_blk block);
#endif
