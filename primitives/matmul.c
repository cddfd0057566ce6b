#include "primitives/idioms.h"

typedef struct product {
  kgi_size tile, m, n, k;
  kgi_obj a, b, c, tile_a, tile_b;
  kgi_val lx, ly, col, row;
  bool transpose_a, transpose_b;
} product;

static product declare(kgi_builder *b, const kgi_primitive_args *args) {
  product p = {.transpose_a = kgi_arg_u32(args, "transpose_a"), .transpose_b = kgi_arg_u32(args, "transpose_b")};
  kgi_begin_program(b, "matmul");
  p.tile = kgi_size_const(b, "T", kgi_arg_u32(args, "tile"));
  p.m = kgi_size_param(b, "m", kgi_arg_u32(args, "m"));
  p.n = kgi_size_param(b, "n", kgi_arg_u32(args, "n"));
  p.k = kgi_size_param(b, "k", kgi_arg_u32(args, "k"));
  kgi_set_workgroup(b, p.tile.dim, p.tile.dim);
  kgi_set_grid(b, true, p.n.dim, p.m.dim);
  p.a = p.transpose_a ? kgi_matrix(b, "a", KG_READ, p.k.dim, p.m.dim) : kgi_matrix(b, "a", KG_READ, p.m.dim, p.k.dim);
  p.b = p.transpose_b ? kgi_matrix(b, "b", KG_READ, p.n.dim, p.k.dim) : kgi_matrix(b, "b", KG_READ, p.k.dim, p.n.dim);
  p.c = kgi_matrix(b, "c", KG_WRITE, p.m.dim, p.n.dim);
  p.tile_a = kgi_matrix(b, "tile_a", 0, p.tile.dim, p.tile.dim);
  p.tile_b = kgi_matrix(b, "tile_b", 0, p.tile.dim, p.tile.dim);
  p.lx = kgi_id_value(b, KGI_ID_local_id, 0);
  p.ly = kgi_id_value(b, KGI_ID_local_id, 1);
  p.col = kgi_id_value(b, KGI_ID_global_id, 0);
  p.row = kgi_id_value(b, KGI_ID_global_id, 1);
  return p;
}

/* This invocation's share of a tile: element (row, column) of a matrix of rows by columns, zero past the edge. Neighbours in x read
 * neighbours in memory, so what is stored transposed is read across and stored down. */
static void fill(kgi_builder *b, const product *p, kgi_obj tile, kgi_obj from, bool transposed, kgi_val first_row, kgi_val rows,
                 kgi_val first_column, kgi_val columns) {
  kgi_val down = transposed ? p->lx : p->ly, across = transposed ? p->ly : p->lx;
  kgi_val row = kgi_name(b, kgi_add(b, first_row, down), "row");
  kgi_val column = kgi_name(b, kgi_add(b, first_column, across), "column");
  kgi_val to = kgi_cell(b, tile, down, across);
  kgi_store(b, tile, to, kgi_f32(b, 0));
  kgi_if_begin(b, kgi_inside(b, row, rows, column, columns));
  to = kgi_cell(b, tile, down, across);
  kgi_val cell = transposed ? kgi_cell(b, from, column, row) : kgi_cell(b, from, row, column);
  kgi_store(b, tile, to, kgi_load(b, from, cell));
  kgi_end(b);
}

static void multiply_tiles(kgi_builder *b, const product *p, kgi_obj sum) {
  kgi_val l = kgi_for_begin(b, "l", kgi_u32(b, 0), p->tile.value, (kgi_val){0}, false);
  kgi_val old = kgi_get(b, sum);
  kgi_val x = kgi_load(b, p->tile_a, kgi_cell(b, p->tile_a, p->ly, l));
  kgi_val y = kgi_load(b, p->tile_b, kgi_cell(b, p->tile_b, l, p->lx));
  kgi_set_scalar(b, sum, kgi_add(b, old, kgi_mul(b, x, y)));
  kgi_end(b);
}

void kgi_primitive_matmul(kgi_builder *b, const kgi_primitive_args *args) {
  product p = declare(b, args);
  kgi_val top = kgi_name(b, kgi_mul(b, kgi_id_value(b, KGI_ID_workgroup_id, 1), p.tile.value), "top");
  kgi_val left = kgi_name(b, kgi_mul(b, kgi_id_value(b, KGI_ID_workgroup_id, 0), p.tile.value), "left");
  kgi_obj sum = kgi_var_of(b, "sum", kgi_f32(b, 0));

  kgi_val first = kgi_for_begin(b, "first", kgi_u32(b, 0), p.k.value, p.tile.value, false);
  fill(b, &p, p.tile_a, p.a, p.transpose_a, top, p.m.value, first, p.k.value);
  fill(b, &p, p.tile_b, p.b, p.transpose_b, first, p.k.value, left, p.n.value);
  kgi_barrier_here(b);
  multiply_tiles(b, &p, sum);
  kgi_barrier_here(b);
  kgi_end(b);

  kgi_if_begin(b, kgi_inside(b, p.row, p.m.value, p.col, p.n.value));
  kgi_val cell = kgi_cell(b, p.c, p.row, p.col);
  kgi_store(b, p.c, cell, kgi_get(b, sum));
  kgi_end(b);
}
