/* foundation/lower: rows of ops.def that are made of other rows: functions of floats, as text in the language, and expressions. */
/* A row's own arithmetic: a program over params, which are the row's operands in order, and the value in it that the row gives.
 * Back ends expand it wherever the row occurs, or make a function of it.
 *
 * A program holds nothing but this:
 *
 *   operations  of scalars, with params, literals and other operations as operands. They may be functions again, which have
 *               programs of their own, but never the row itself over floats. Of functions, each operation is to be rounded by
 *               itself, whatever the caller's arithmetic may do.
 *   var         of scalars, at most KGI_LOWERED_VARS, each with a store behind it before any load; load and store of them
 *   if          without `else`, not nested. What a block stores is loaded behind it; its values are used in it alone.
 *
 * There is nothing to guard: a float that becomes an integer fits, or the result does not depend on that integer; shifts are by
 * less than the width; no integer is divided by 0. Where many lanes are computed together, that holds of those that run the
 * block. */
#ifndef KGI_LOWER_H
#define KGI_LOWER_H
#include "foundation/ir/program.h"

enum { KGI_LOWERED_VARS = 4 }; /* objects 1 to this */

typedef struct kgi_lowered {
  const kgi_program *program;
  uint32_t result; /* an instruction of it, or a leaf */
  uint32_t *room;  /* for whoever expands it: one for each instruction of the program */
  /* how it is kept */
  struct kgi_lowered *next; /* of the same row, for another type */
  unsigned type;
  kg_module *module; /* that it owns; NULL: `expressions` holds the program */
} kgi_lowered;

/* The programs that were asked for so far: each is made once. */
typedef struct kgi_lowering {
  kgi_arena arena;
  kgi_diags *diags;
  kg_module *expressions; /* NULL: none was needed yet */
  kgi_lowered *made[KGI_OP_COUNT];
  kg_status status; /* the first failure */
} kgi_lowering;

/* `diags` is kept. Free it in any case. */
void kgi_lowering_init(kgi_lowering *l, const kg_allocator *alloc, kgi_diags *diags);
void kgi_lowering_free(kgi_lowering *l);

/* That of a row whose operands are of `type`: of functions, rem and mod for f32, of EXPR rows for any that they take. NULL: there
 * is none, or the status says why. */
const kgi_lowered *kgi_lower(kgi_lowering *l, kgi_op op, unsigned type);
#endif
