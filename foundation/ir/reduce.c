#include "foundation/ir/reduce.h"

static kgi_val less(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_lt, x, y); }

/* 32 - clz(size - 1) */
static kgi_val log_of(kgi_builder *b, kgi_val size) {
  kgi_val one = kgi_u32(b, 1), zeros = kgi_op1(b, KGI_OP_clz, kgi_op2(b, KGI_OP_sub, size, one));
  return kgi_op2(b, KGI_OP_sub, kgi_u32(b, 32), zeros);
}

/* From the largest half down: of any size, the halves are the powers of two below it, and the last invocations find no partner. */
static void add_partners_of_any(kgi_builder *b, const kgi_tree *t, kgi_op op) {
  kgi_val end = log_of(b, t->size), start = kgi_u32(b, 0);
  kgi_val level = kgi_for_begin(b, t->level, start, end, (kgi_val){0}, true);
  kgi_val half = kgi_name(b, kgi_op2(b, KGI_OP_shl, kgi_u32(b, 1), level), t->half), other = kgi_op2(b, KGI_OP_add, t->lane, half);
  kgi_val exists = less(b, other, t->size);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_and, less(b, t->lane, half), exists));
  kgi_val theirs = kgi_load(b, t->shared, other);
  kgi_store(b, t->shared, t->lane, kgi_op2(b, op, kgi_load(b, t->shared, t->lane), theirs));
}

/* Of a power of two, they are its halves, and all have one. */
static void add_partners(kgi_builder *b, const kgi_tree *t, kgi_op op) {
  kgi_val level = kgi_for_begin(b, t->level, kgi_u32(b, 0), t->levels, (kgi_val){0}, false);
  kgi_val half = kgi_op2(b, KGI_OP_shr, t->size, kgi_op2(b, KGI_OP_add, level, kgi_u32(b, 1)));
  kgi_name(b, half, t->half);
  kgi_if_begin(b, less(b, t->lane, half));
  kgi_val own = kgi_load(b, t->shared, t->lane), theirs = kgi_load(b, t->shared, kgi_op2(b, KGI_OP_add, t->lane, half));
  kgi_store(b, t->shared, t->lane, kgi_op2(b, op, own, theirs));
}

void kgi_reduce_tree(kgi_builder *b, const kgi_tree *t, kgi_op op, kgi_val value) {
  kgi_store(b, t->shared, t->lane, value);
  kgi_barrier_here(b);
  if (t->levels.i) add_partners(b, t, op);
  else add_partners_of_any(b, t, op);
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_end(b);
}
