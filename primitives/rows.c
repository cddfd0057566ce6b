/* Primitives that give each row of a matrix to a workgroup. */
#include "primitives/idioms.h"

#include <math.h>

typedef struct rows {
  kgi_lanes lanes;
  kgi_size count, width;
  kgi_val row; /* the workgroup's */
} rows;

static rows begin(kgi_builder *b, const char *name, const kgi_primitive_args *args) {
  rows r = {0};
  kgi_begin_program(b, name);
  r.lanes = kgi_lanes_const(b, kgi_arg_u32(args, "workgroup"));
  r.count = kgi_size_param(b, "n_rows", kgi_arg_u32(args, "rows"));
  r.width = kgi_size_param(b, "n_cols", kgi_arg_u32(args, "cols"));
  kgi_set_grid(b, false, r.count.dim, (kgi_dim){0});
  return r;
}

/* Behind the buffers: shared memory, and the ids. */
static void begin_body(kgi_builder *b, rows *r) {
  kgi_lanes_shared(b, &r->lanes);
  r->row = kgi_id_value(b, KGI_ID_workgroup_id, 0);
}

static kgi_obj matrix(kgi_builder *b, const rows *r, const char *name, kg_mode mode) {
  return kgi_matrix(b, name, mode, r->count.dim, r->width.dim);
}

/* The row's element `j`. */
static kgi_val element(kgi_builder *b, const rows *r, kgi_obj x, kgi_val j) { return kgi_load(b, x, kgi_cell(b, x, r->row, j)); }

static kgi_val row_maximum(kgi_builder *b, const rows *r, kgi_obj x) {
  kgi_obj best = kgi_var_of(b, "best", kgi_f32(b, -INFINITY));
  kgi_val j = kgi_for_lanes(b, &r->lanes, "j", r->width.value);
  kgi_val old = kgi_get(b, best);
  kgi_val v = kgi_op1(b, KGI_OP_stop_gradient, element(b, r, x, j));
  kgi_set_scalar(b, best, kgi_op2(b, KGI_OP_max, old, v));
  kgi_end(b);
  kgi_val top = kgi_reduce(b, &r->lanes, KGI_OP_max, kgi_get(b, best));
  return kgi_name(b, kgi_op1(b, KGI_OP_stop_gradient, top), "top");
}

static kgi_val shifted_exp(kgi_builder *b, const rows *r, kgi_obj x, kgi_val j, kgi_val top) {
  return kgi_op1(b, KGI_OP_exp, kgi_sub(b, element(b, r, x, j), top));
}

void kgi_primitive_softmax(kgi_builder *b, const kgi_primitive_args *args) {
  rows r = begin(b, "softmax", args);
  kgi_obj x = matrix(b, &r, "x", KG_READ);
  kgi_obj y = matrix(b, &r, "y", KG_WRITE);
  begin_body(b, &r);
  kgi_val top = row_maximum(b, &r, x);

  kgi_obj sum = kgi_var_of(b, "sum", kgi_f32(b, 0));
  kgi_val j = kgi_for_lanes(b, &r.lanes, "j", r.width.value);
  kgi_val old = kgi_get(b, sum);
  kgi_set_scalar(b, sum, kgi_add(b, old, shifted_exp(b, &r, x, j, top)));
  kgi_end(b);
  kgi_val total = kgi_name(b, kgi_reduce(b, &r.lanes, KGI_OP_add, kgi_get(b, sum)), "total");

  j = kgi_for_lanes(b, &r.lanes, "j", r.width.value);
  kgi_val place = kgi_cell(b, y, r.row, j);
  kgi_store(b, y, place, kgi_div(b, shifted_exp(b, &r, x, j, top), total));
  kgi_end(b);
}

/* The sum over the row of x, or of its squared distance from `mean`, divided by the width. Two passes, for sums of squares of what
 * is not centred cancel. */
static kgi_val row_mean(kgi_builder *b, const rows *r, kgi_obj x, kgi_val width, const kgi_val *mean) {
  kgi_obj sum = kgi_var_of(b, mean ? "squares" : "sum", kgi_f32(b, 0));
  kgi_val j = kgi_for_lanes(b, &r->lanes, "j", r->width.value);
  kgi_val d = mean ? kgi_name(b, kgi_sub(b, element(b, r, x, j), *mean), "d") : (kgi_val){0};
  kgi_val old = kgi_get(b, sum);
  kgi_set_scalar(b, sum, kgi_add(b, old, mean ? kgi_mul(b, d, d) : element(b, r, x, j)));
  kgi_end(b);
  return kgi_div(b, kgi_reduce(b, &r->lanes, KGI_OP_add, kgi_get(b, sum)), width);
}

void kgi_primitive_layer_norm(kgi_builder *b, const kgi_primitive_args *args) {
  rows r = begin(b, "layer_norm", args);
  kgi_val epsilon = kgi_real_param(b, "epsilon", kgi_arg(args, "epsilon"));
  kgi_obj x = matrix(b, &r, "x", KG_READ);
  kgi_obj scale = kgi_buffer(b, "scale", KG_F32, KG_READ, r.width.dim);
  kgi_obj shift = kgi_buffer(b, "shift", KG_F32, KG_READ, r.width.dim);
  kgi_obj y = matrix(b, &r, "y", KG_WRITE);
  begin_body(b, &r);
  kgi_val width = kgi_name(b, kgi_convert(b, KG_F32, r.width.value), "width");
  kgi_val mean = kgi_name(b, row_mean(b, &r, x, width, NULL), "mean");
  kgi_val variance = row_mean(b, &r, x, width, &mean);
  kgi_val deviation = kgi_name(b, kgi_op1(b, KGI_OP_sqrt, kgi_add(b, variance, epsilon)), "deviation");

  kgi_val j = kgi_for_lanes(b, &r.lanes, "j", r.width.value);
  kgi_val place = kgi_cell(b, y, r.row, j);
  kgi_val normal = kgi_div(b, kgi_sub(b, element(b, &r, x, j), mean), deviation);
  kgi_val scaled = kgi_mul(b, normal, kgi_load(b, scale, j));
  kgi_store(b, y, place, kgi_add(b, scaled, kgi_load(b, shift, j)));
  kgi_end(b);
}
