/* K-FAC: a workgroup inverts one damped block.
 *
 * One square array in shared memory holds everything: L below the diagonal, 1 / L[j, j] on it, and the rest of L^-1, transposed,
 * above it. Rows, columns and elements are spread over the lanes, so that the loops of one lane take about n^3 / (2 T)
 * iterations in each phase. */
#include "primitives/idioms.h"

#include <math.h>

typedef struct block {
  kgi_lanes lanes;
  kgi_size n;
  kgi_val own; /* the workgroup's block in a and inverse */
  kgi_obj s;    /* the square array */
  kgi_obj bad;  /* 0, or 1 + the failed pivot; the same in every lane */
} block;

static kgi_val at(kgi_builder *b, const block *k, kgi_val row, kgi_val column) { return kgi_cell(b, k->s, row, column); }

static kgi_val get(kgi_builder *b, const block *k, kgi_val row, kgi_val column) { return kgi_load(b, k->s, at(b, k, row, column)); }

static kgi_val range(kgi_builder *b, const char *name, kgi_val from, kgi_val to) {
  return kgi_for_begin(b, name, from, to, (kgi_val){0}, false);
}

/* sum op= s[i, l] s[j, l] */
static void accumulate(kgi_builder *b, const block *k, kgi_obj sum, kgi_op op, kgi_val i, kgi_val j, kgi_val l) {
  kgi_val old = kgi_get(b, sum);
  kgi_val x = get(b, k, i, l);
  kgi_val y = get(b, k, j, l);
  kgi_set_scalar(b, sum, kgi_op2(b, op, old, kgi_mul(b, x, y)));
}

/* Loops over all elements, spread over the lanes: their row and column. */
typedef struct element { kgi_val row, column; } element;
static element each_element(kgi_builder *b, const block *k) {
  kgi_val e = kgi_for_lanes(b, &k->lanes, "e", kgi_mul(b, k->n.value, k->n.value));
  kgi_val row = kgi_name(b, kgi_div(b, e, k->n.value), "row");
  return (element){row, kgi_name(b, kgi_rem(b, e, k->n.value), "column")};
}

static void load_damped(kgi_builder *b, const block *k, kgi_obj a, kgi_val damping) {
  element e = each_element(b, k);
  kgi_val place = at(b, k, e.row, e.column);
  kgi_val own = kgi_load(b, a, kgi_cell_of(b, a, k->own, e.row, e.column));
  kgi_val zero = kgi_f32(b, 0), extra = kgi_op3(b, KGI_OP_select, kgi_op2(b, KGI_OP_eq, e.row, e.column), damping, zero);
  kgi_store(b, k->s, place, kgi_add(b, own, extra));
  kgi_end(b);
  kgi_barrier_here(b);
}

/* The column j of L, not yet divided by its pivot: s[i, j] -= sum over l < j of L[i, l] L[j, l], for i >= j. */
static void reduce_column(kgi_builder *b, const block *k, kgi_val j) {
  kgi_val i = kgi_for_lanes(b, &k->lanes, "i", k->n.value);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_ge, i, j));
  kgi_obj sum = kgi_var_of(b, "sum", get(b, k, i, j));
  kgi_val l = range(b, "l", kgi_u32(b, 0), j);
  accumulate(b, k, sum, KGI_OP_sub, i, j, l);
  kgi_end(b);
  kgi_val place = at(b, k, i, j);
  kgi_store(b, k->s, place, kgi_get(b, sum));
  kgi_end(b);
  kgi_end(b);
}

/* Takes note of the first pivot that is not positive and finite. Every lane reads the same one, so control flow stays uniform. */
static void check_pivot(kgi_builder *b, const block *k, kgi_val pivot, kgi_val j) {
  kgi_val none = kgi_u32(b, 0), first = kgi_op2(b, KGI_OP_eq, kgi_get(b, k->bad), none);
  kgi_val positive = kgi_op2(b, KGI_OP_gt, pivot, kgi_f32(b, 0));
  kgi_val fine = kgi_both(b, positive, kgi_less(b, pivot, kgi_f32(b, INFINITY)));
  kgi_if_begin(b, kgi_both(b, first, kgi_op1(b, KGI_OP_not, fine)));
  kgi_set_scalar(b, k->bad, kgi_add(b, j, kgi_u32(b, 1)));
  kgi_end(b);
}

/* L, with the reciprocals of its diagonal. The lane that divides row i of column j is the one that reduced it; the pivot itself is
 * replaced when all have read it. */
static void factor(kgi_builder *b, const block *k) {
  kgi_val j = range(b, "j", kgi_u32(b, 0), k->n.value);
  reduce_column(b, k, j);
  kgi_barrier_here(b);
  kgi_val pivot = kgi_name(b, get(b, k, j, j), "pivot");
  check_pivot(b, k, pivot, j);
  kgi_val root = kgi_op1(b, KGI_OP_sqrt, pivot), scale = kgi_name(b, kgi_div(b, kgi_f32(b, 1), root), "scale");
  kgi_val i = kgi_for_lanes(b, &k->lanes, "i", k->n.value);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_gt, i, j));
  kgi_val place = at(b, k, i, j);
  kgi_store(b, k->s, place, kgi_mul(b, kgi_load(b, k->s, place), scale));
  kgi_end(b);
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, k->lanes.lane, kgi_u32(b, 0)));
  kgi_store(b, k->s, at(b, k, j, j), scale);
  kgi_end(b);
  kgi_end(b);
  kgi_barrier_here(b);
}

/* Column j of M = L^-1, from the top: M[i, j] = -(sum over j <= l < i of L[i, l] M[l, j]) / L[i, i], kept as s[j, i]. A lane needs
 * nothing of the others' columns. */
static void invert_factor(kgi_builder *b, const block *k) {
  kgi_val j = kgi_for_lanes(b, &k->lanes, "j", k->n.value);
  kgi_val i = range(b, "i", kgi_add(b, j, kgi_u32(b, 1)), k->n.value);
  kgi_obj sum = kgi_var_of(b, "sum", kgi_f32(b, 0));
  kgi_val l = range(b, "l", j, i);
  accumulate(b, k, sum, KGI_OP_add, i, j, l);
  kgi_end(b);
  kgi_val place = at(b, k, j, i);
  kgi_val minus = kgi_op1(b, KGI_OP_neg, kgi_get(b, sum));
  kgi_store(b, k->s, place, kgi_mul(b, minus, get(b, k, i, i)));
  kgi_end(b);
  kgi_end(b);
  kgi_barrier_here(b);
}

/* inverse[i, j] = sum over l >= max(i, j) of M[l, i] M[l, j]; symmetric to the last bit, for products commute. */
static void store_product(kgi_builder *b, const block *k, kgi_obj inverse) {
  element e = each_element(b, k);
  kgi_obj sum = kgi_var_of(b, "sum", kgi_f32(b, 0));
  kgi_val l = range(b, "l", kgi_op2(b, KGI_OP_max, e.row, e.column), k->n.value);
  accumulate(b, k, sum, KGI_OP_add, e.row, e.column, l);
  kgi_end(b);
  kgi_val place = kgi_cell_of(b, inverse, k->own, e.row, e.column);
  kgi_val none = kgi_u32(b, 0), fine = kgi_op2(b, KGI_OP_eq, kgi_get(b, k->bad), none);
  kgi_val zero = kgi_f32(b, 0);
  kgi_store(b, inverse, place, kgi_op3(b, KGI_OP_select, fine, kgi_get(b, sum), zero));
  kgi_end(b);
}

void kgi_primitive_kfac_inverse(kgi_builder *b, const kgi_primitive_args *args) {
  block k = {0};
  kgi_begin_program(b, "kfac_inverse");
  k.lanes.count = kgi_size_const(b, "T", kgi_arg_u32(args, "workgroup"));
  k.n = kgi_size_const(b, "N", kgi_arg_u32(args, "n"));
  kgi_size blocks = kgi_size_param(b, "n_blocks", kgi_arg_u32(args, "blocks"));
  kgi_val damping = kgi_real_param(b, "damping", kgi_arg(args, "damping"));
  kgi_set_workgroup(b, k.lanes.count.dim, (kgi_dim){0});
  kgi_set_grid(b, false, blocks.dim, (kgi_dim){0});
  kgi_obj a = kgi_matrices(b, "a", KG_READ, blocks.dim, k.n.dim, k.n.dim);
  kgi_obj inverse = kgi_matrices(b, "inverse", KG_WRITE, blocks.dim, k.n.dim, k.n.dim);
  kgi_obj status = kgi_buffer(b, "status", KG_U32, KG_WRITE, blocks.dim);
  k.s = kgi_matrix(b, "s", 0, k.n.dim, k.n.dim);
  k.lanes.lane = kgi_id_value(b, KGI_ID_local_id, 0);
  k.own = kgi_id_value(b, KGI_ID_workgroup_id, 0);
  k.bad = kgi_var_of(b, "bad", kgi_u32(b, 0));

  load_damped(b, &k, a, damping);
  factor(b, &k);
  invert_factor(b, &k);
  store_product(b, &k, inverse);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, k.lanes.lane, kgi_u32(b, 0)));
  kgi_store(b, status, k.own, kgi_get(b, k.bad));
  kgi_end(b);
}
