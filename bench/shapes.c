/* Large programs to measure compile time with, one for each way in which work may fail to be linear. */
#include "bench/bench.h"

static kgi_val none(void) { return (kgi_val){0}; }

static kgi_val op(kgi_builder *b, kgi_op o, kgi_val x, kgi_val y) { return kgi_op2(b, o, x, y); }
static kgi_val times(kgi_builder *b, kgi_val x, float by) { return op(b, KGI_OP_mul, x, kgi_f32(b, by)); }
static kgi_val add_to(kgi_builder *b, kgi_obj scalar, kgi_val y) { return op(b, KGI_OP_add, kgi_load(b, scalar, none()), y); }

typedef struct frame { kgi_obj x, y; kgi_val i; } frame;

/* x and y of n elements, a guard around what follows. Close it with kgi_end. */
static frame open_frame(kgi_builder *b, const char *name) {
  frame f = {0};
  kgi_begin_program(b, name);
  uint32_t n = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, "n"), .type = KG_U32, .has_default = true, .bits = 1000});
  kgi_dim length = kgi_len_param(b, n);
  if (b->status == KG_OK) b->p->workgroup[0] = kgi_len_int(b, 64), b->p->grid[0] = length, b->p->grid_is_invocations = true;
  f.x = kgi_buffer(b, "x", KG_F32, KG_READ, length);
  f.y = kgi_buffer(b, "y", KG_F32, KG_WRITE, length);
  f.i = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_if_begin(b, op(b, KGI_OP_lt, f.i, kgi_param_value(b, n)));
  return f;
}

static bool more(const kgi_builder *b, uint32_t count) { return b->status == KG_OK && b->p->inst_count < count; }

/* One block: a long chain in which each value is used twice, and so is a let. */
static void straight(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "straight");
  kgi_val u = kgi_load(b, f.x, f.i), v = op(b, KGI_OP_mul, u, u);
  for (uint32_t k = 0; more(b, count); k++) {
    kgi_val w = op(b, k % 2 ? KGI_OP_mul : KGI_OP_add, v, kgi_f32(b, (float)(k % 13) * 0.125f));
    w = k % 8 == 3 ? kgi_op1(b, KGI_OP_sin, w) : w;
    kgi_val next = op(b, KGI_OP_sub, w, u);
    u = v, v = next;
  }
  kgi_store(b, f.y, f.i, op(b, KGI_OP_add, u, v));
  kgi_end(b);
}

/* Many small loops with an if in each, over one var. */
static void loops(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "loops");
  kgi_obj sum = kgi_var(b, "sum", KG_F32, (kgi_dim){0});
  kgi_store(b, sum, none(), kgi_f32(b, 0));
  while (more(b, count)) {
    kgi_val end = kgi_u32(b, 3), k = kgi_for_begin(b, "k", kgi_u32(b, 0), end, none(), false);
    kgi_if_begin(b, op(b, KGI_OP_lt, k, f.i));
    kgi_val v = times(b, kgi_load(b, f.x, f.i), 0.5f);
    kgi_store(b, sum, none(), add_to(b, sum, v));
    kgi_else(b);
    kgi_store(b, sum, none(), times(b, kgi_load(b, sum, none()), 0.75f));
    kgi_end(b);
    kgi_end(b);
  }
  kgi_store(b, f.y, f.i, kgi_load(b, sum, none()));
  kgi_end(b);
}

/* Many vars, each of its own block. */
static void vars(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "vars");
  kgi_obj sum = kgi_var(b, "sum", KG_F32, (kgi_dim){0});
  kgi_store(b, sum, none(), kgi_load(b, f.x, f.i));
  for (uint32_t k = 0; more(b, count); k++) {
    kgi_if_begin(b, op(b, KGI_OP_lt, f.i, kgi_u32(b, k)));
    kgi_obj own = kgi_var(b, "own", KG_F32, (kgi_dim){0});
    kgi_store(b, own, none(), times(b, kgi_load(b, f.x, f.i), 0.25f));
    kgi_val one = kgi_f32(b, 1);
    kgi_store(b, own, none(), add_to(b, own, one));
    kgi_val more_of = kgi_load(b, own, none());
    kgi_store(b, sum, none(), add_to(b, sum, more_of));
    kgi_end(b);
  }
  kgi_store(b, f.y, f.i, kgi_load(b, sum, none()));
  kgi_end(b);
}

/* Wide expressions of values that are used once, so that they print nested. */
static kgi_val tree(kgi_builder *b, const frame *f, unsigned depth, uint32_t *leaf) {
  if (!depth) return (*leaf)++ % 2 ? kgi_f32(b, (float)(*leaf % 17)) : kgi_load(b, f->x, f->i);
  kgi_val left = tree(b, f, depth - 1, leaf);
  return op(b, depth % 2 ? KGI_OP_mul : KGI_OP_add, left, tree(b, f, depth - 1, leaf));
}

static void trees(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "trees");
  uint32_t leaf = 0;
  kgi_obj sum = kgi_var(b, "sum", KG_F32, (kgi_dim){0});
  kgi_store(b, sum, none(), kgi_f32(b, 0));
  while (more(b, count)) {
    kgi_val term = tree(b, &f, 5, &leaf);
    kgi_store(b, sum, none(), add_to(b, sum, term));
  }
  kgi_store(b, f.y, f.i, kgi_load(b, sum, none()));
  kgi_end(b);
}

/* Many barriers between accesses to shared memory, in uniform control flow. */
static void barriers(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "barriers");
  kgi_end(b);
  kgi_obj part = kgi_shared(b, "part", KG_F32, kgi_len_int(b, 64));
  kgi_val lane = kgi_id_value(b, KGI_ID_local_id, 0);
  kgi_store(b, part, lane, kgi_load(b, f.x, f.i));
  for (uint32_t k = 0; more(b, count); k++) {
    kgi_barrier_here(b);
    kgi_val other = kgi_load(b, part, kgi_u32(b, k % 64));
    kgi_barrier_here(b);
    kgi_val own = times(b, kgi_load(b, part, lane), 0.5f);
    kgi_store(b, part, lane, op(b, KGI_OP_add, own, other));
  }
  kgi_barrier_here(b);
  kgi_store(b, f.y, f.i, kgi_load(b, part, lane));
}

/* Many loops whose trips are not linear, so that each value is kept for the way back. */
static void kept(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "kept");
  kgi_obj state = kgi_var(b, "state", KG_F32, (kgi_dim){0});
  kgi_store(b, state, none(), kgi_load(b, f.x, f.i));
  while (more(b, count)) {
    kgi_val end = kgi_u32(b, 4);
    kgi_for_begin(b, "k", kgi_u32(b, 0), end, none(), false);
    kgi_val v = kgi_load(b, state, none());
    kgi_store(b, state, none(), op(b, KGI_OP_mul, kgi_op1(b, KGI_OP_sin, v), v));
    kgi_end(b);
  }
  kgi_store(b, f.y, f.i, kgi_load(b, state, none()));
  kgi_end(b);
}

/* Many stores to one buffer, read back. */
static void stores(kgi_builder *b, uint32_t count) {
  frame f = open_frame(b, "stores");
  if (b->status == KG_OK) b->p->scope.object[f.y.i].mode = KG_READ_WRITE;
  for (uint32_t k = 0; more(b, count); k++) {
    kgi_if_begin(b, op(b, KGI_OP_lt, f.i, kgi_u32(b, k)));
    kgi_val x = kgi_load(b, f.x, f.i);
    kgi_store(b, f.y, f.i, op(b, KGI_OP_mul, kgi_load(b, f.y, f.i), x));
    kgi_end(b);
  }
  kgi_end(b);
}

const bench_shape bench_shapes[] = {
    {"one block", straight}, {"loops and ifs", loops}, {"vars", vars},     {"expressions", trees},
    {"barriers", barriers},  {"kept values", kept},    {"stores", stores},
};
const size_t bench_shape_count = sizeof bench_shapes / sizeof *bench_shapes;

kg_module *bench_build(const bench_shape *shape, uint32_t count) {
  kg_module *m = kgi_module_new(NULL, shape->name);
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  if (m) shape->build(&b, count);
  if (kgi_builder_status(&b) == KG_OK) kgi_module_finish_lone(m);
  if (kgi_builder_status(&b) == KG_OK) return m;
  kg_module_free(m);
  return NULL;
}
