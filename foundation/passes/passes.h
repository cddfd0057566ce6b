/* Passes beside cleaning (foundation/passes/clean.h), for programs that were made rather than written. All keep what a program computes,
 * up to the order of sums (order.c) and the rounding of products (factor.c, after.c). `q` must be valid, and stays so; `scratch` is the caller's. KG_OK, or KG_NO_MEMORY. */
#ifndef KGI_PASSES_H
#define KGI_PASSES_H
#include "foundation/ir/builder.h"

/* barriers.c: those that order nothing go. */
kg_status kgi_drop_barriers(const kg_module *m, kgi_program *q, kgi_arena *scratch);

/* order.c: of these loops, which an adjoint runs the other way round, those run forward whose trips may come in any order; they alone are
 * left in the list. */
kg_status kgi_straighten(kgi_program *q, uint32_t *loops, uint32_t *count, kgi_arena *scratch);

/* factor.c: what one of these loops hands on in a var, multiplied by several factors on the way, is multiplied once, by what is made of
 * them. `b` builds in `q`. */
kg_status kgi_factor(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch);

/* after.c: what one of these loops adds up of multiples of what stays in it is multiplied once, behind it. */
kg_status kgi_multiply_after(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch);

/* stagger.c: of these loops, whose trips may come in any order, lanes that would meet in shared memory begin at different trips. */
kg_status kgi_stagger(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch);

/* clean_loops.c: loads of buffers that nobody stores to move out of the loops in which their index stays, and values with them. A loop
 * without a trip then loads all the same, and so does a branch that is not taken. Where that may be out of bounds though the program
 * never is, because bounds or the condition speak of what the index is made of, the load stays. So it does where it may read what was never
 * written, if that is `watched`. */
kg_status kgi_hoist(const kg_module *m, kgi_program *q, bool watched, kgi_arena *scratch);

/* ahead.c: what each trip of a loop loads from one element, of floats that somebody stores elsewhere, is loaded once in front of it. */
kg_status kgi_load_ahead(kg_module *m, kgi_program *p, kgi_arena *scratch);

/* join_stores.c: what both arms of a branch store to one element is stored behind it. */
kg_status kgi_join_stores(kg_module *m, kgi_program *p, bool *changed);

/* count.c: endless loops over a counter become `for`. Of an `if` of which one arm leaves the block, the other stands behind it. */
kg_status kgi_count_loops(kg_module *m, kgi_program *p);

/* written.c: likewise, of loops as people write them, and without the liberties that are taken with what compilers wrote: the last step may
 * carry the counter past the end of its type, and then the loop goes on. */
kg_status kgi_count_written(kg_module *m, kgi_program *p, kgi_arena *scratch);

/* unbound.c: a test goes that leaves a loop when its trips are counted to 2^64 in two words. */
kg_status kgi_unbound_loops(kg_module *m, kgi_program *p);

/* clamp.c: minima and maxima of integers go whose result is always the same operand. */
kg_status kgi_drop_clamps(kg_module *m, kgi_program *p);

/* in_step.c: a var that each trip of a `for` moves by the same is said by the loop's index. */
kg_status kgi_count_in_step(kg_module *m, kgi_program *p);

/* own.c: a scalar var that each trip of a loop stores to first becomes one of the body. */
kg_status kgi_own_vars(kg_module *m, kgi_program *p, kgi_arena *scratch);

/* same.c: of scalar vars that hold the same wherever one of them is loaded, one is left; stores of what is there already go. */
kg_status kgi_join_vars(kg_module *m, kgi_program *p);

/* still.c: atomics that look at buffers which nothing changes become loads, and the buffers inputs. */
kg_status kgi_load_still(kgi_program *p, kgi_arena *scratch);

/* unset.c: what nothing stored to, and somebody copies, is 0. For programs of other languages, where that is one of the results allowed. */
kg_status kgi_set_unset(kg_module *m, kgi_program *p, kgi_arena *scratch);

/* handed.c: a var array that is filled from another one, and stands for it, is that one; stores of what an array holds already go. */
kg_status kgi_hand_on_arrays(kg_module *m, kgi_program *p);

/* near.c: vars are declared in the innermost block that holds what touches them, in front of the first that does. */
kg_status kgi_declare_near(kgi_program *p, kgi_arena *scratch);
/* Of these, arrays alone that so become new ones in each trip of a loop. */
kg_status kgi_begin_arrays_anew(kgi_program *p, kgi_arena *scratch);

/* lines.c: instructions in an order in which they print as expressions. For programs that are about to be shown: cleaning loads once what
 * this loads where it is looked at. */
kg_status kgi_write_lines(kg_module *m, kgi_program *p, kgi_arena *scratch);

/* negate.c: negations become opposite comparisons. */
void kgi_turn_negations(kgi_builder *b, kgi_program *p);
bool kgi_opposite(kgi_op comparison, kgi_op *out);         /* false: it is none */
bool kgi_are_opposite(const kgi_program *p, uint32_t a, uint32_t b); /* conditions of which one holds exactly where the other does not */
kgi_val kgi_negated(kgi_builder *b, uint32_t condition); /* of one condition, at the builder's cursor */

/* choose.c: an `if` that chooses among values that are there, or among conditions, becomes `select`, `&&`, `||`. */
kg_status kgi_choose_values(kg_module *m, kgi_program *p);

/* exits.c: an exit whose condition has two parts becomes two exits. */
kg_status kgi_leave_in_turn(kg_module *m, kgi_program *p);

/* leave.c: a `break` behind which nothing is done becomes a `return`. */
kg_status kgi_leave_early(kg_module *m, kgi_program *p);

/* floats.c: memory of integers that holds floats as their bits, and nothing else, becomes memory of floats. Loops that add to it by
 * exchanges become atomics. */
kg_status kgi_hold_floats(kg_module *m, kgi_program *p);

/* halves.c: words of two packed halves in shared memory become halves, and what is packed and taken out again is rounded. */
kg_status kgi_hold_halves(kg_module *m, kgi_program *p);

/* float_adds.c: which loops add a float to memory of integers by exchanges, or keep the larger or the smaller one. Of the exchange, by
 * instruction: term, or term * factor, is taken by that atomic, and stands in front of the loop; no term: it ends no such loop. `taken`: away, and not added; `asked`:
 * it is passed over where the term or the element is a NaN. False: no memory. */
typedef struct kgi_float_add { kgi_atomic op; uint32_t term, factor; bool taken, asked; } kgi_float_add;
bool kgi_find_float_adds(kgi_program *p, kgi_float_add *added, kgi_arena *scratch);

/* float_extremes.c: which atomic minima and maxima of words keep the one of the floats whose bits those are. Of such an atomic, by
 * instruction: it may be one of floats, but is passed over where the operand is -0, if `passes_zero`, and where the element's word is one from
 * `first` to `last`, if `passes_element`. Of those on one object all are, or none. False: no memory. */
typedef struct kgi_float_extreme {
  bool is_float, passes_zero, passes_element;
  uint32_t first, last;
  unsigned operands; /* the kinds of floats that the operand may be */
  bool larger;
} kgi_float_extreme;
bool kgi_find_float_extremes(kgi_program *p, kgi_float_extreme *out, kgi_arena *scratch);

/* climb.c: loops that touch vars alone and load what nobody stores to go behind an earlier loop over the same range that loads some of it too,
 * so that cleaning makes one loop of both. `climbed` is set where one does. */
kg_status kgi_climb(kgi_program *q, kgi_arena *scratch, bool *climbed);

/* sink.c: what one loop adds to an object's elements and another loop over the same range adds to again is added once, by the latter.
 * `wanted`: by object, those for which it is done; no two invocations may add to one element of it at once. `b` builds in `q`. */
kg_status kgi_sink(kgi_builder *b, kgi_program *q, const bool *wanted, kgi_arena *scratch);
#endif
