/* Rows that lanes share, rows that all lanes load, and arrays that trips hand on: from buffers that nothing else touches, in front of
 * everything else. Near every condition of the rules that these are for there are programs that do not meet it. */
#include "fuzz/gen.h"

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

static kgi_obj declare(kgi_gen *g, const char *base, kg_mode mode, kgi_dim length) {
  char name[24];
  kgi_object object = {.space = KGI_BUFFER, .type = KG_F32, .mode = (uint8_t)mode, .length = length};
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, base, name));
  return kgi_object_add(&g->b, &object);
}

static kgi_obj var(kgi_gen *g, const char *base, kgi_dim length) {
  char name[24];
  return kgi_var(&g->b, kgi_gname(g, base, name), KG_F32, length);
}

static kgi_val begin_loop(kgi_gen *g, const char *base, kgi_val from, kgi_val to, kgi_val step, bool back) {
  char name[24];
  return kgi_for_begin(&g->b, kgi_gname(g, base, name), from, to, step, back);
}

static kgi_val now(kgi_gen *g, kgi_obj v) { return kgi_load(&g->b, v, (kgi_val){0}); }
static void put(kgi_gen *g, kgi_obj v, kgi_val x) { kgi_store(&g->b, v, (kgi_val){0}, x); }

static void add_to(kgi_gen *g, kgi_obj v, kgi_val x) { put(g, v, kgi_op2(&g->b, KGI_OP_add, now(g, v), x)); }

static kgi_dim times_n(kgi_gen *g, uint32_t by) {
  kgi_dim n = kgi_len_param(&g->b, 1);
  return kgi_len_op(&g->b, KGI_DIM_MUL, n, kgi_len_int(&g->b, by));
}

/* ---- lanes of a row ---- */

enum { ROW_MOST = 9 };

/* kind: of a row. The grid has as many invocations as all rows have lanes. */
static void declare_rows(kgi_gen *g) {
  g->kind = (uint8_t)(1 + kgi_choose(g, ROW_MOST));
  g->from = declare(g, "rx", KG_READ, times_n(g, g->kind));
  g->by = declare(g, "rw", KG_READ, times_n(g, g->lanes));
  g->to = declare(g, "ry", KG_WRITE, times_n(g, g->lanes));
}

/* Some lanes have nothing to do; now and then others have not, either. */
static bool begin_idle(kgi_gen *g, kgi_val row, kgi_val lane, kgi_val end) {
  kgi_builder *b = &g->b;
  switch (kgi_choose(g, 6)) {
  case 0: case 1: kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, lane, end)); return true;
  case 2: kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, lane, kgi_u32(b, 1))); return true;
  case 3:
    if (kgi_choose(g, 2)) lane = row;
    kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, lane, kgi_param_value(b, 2)));
    return true;
  default: return false;
  }
}

static void lanes_of_row(kgi_gen *g, kgi_val i, kgi_obj sum) {
  kgi_builder *b = &g->b;
  uint32_t lanes = g->lanes, by = kgi_chance(g, 6) ? lanes + 1 : lanes, step = lanes;
  kgi_val row = word2(g, KGI_OP_div, i, lanes), lane = word2(g, KGI_OP_rem, i, by), end = kgi_u32(b, g->kind);
  if (kgi_chance(g, 6)) step = kgi_choose(g, 2) ? 2 * lanes : lanes + 1;
  bool idle = begin_idle(g, row, lane, end), back = kgi_chance(g, 6);
  kgi_val first = kgi_chance(g, 10) ? word2(g, KGI_OP_add, lane, 1) : lane, k = begin_loop(g, "k", first, end, kgi_u32(b, step), back);
  kgi_val at = kgi_op2(b, KGI_OP_add, word2(g, KGI_OP_mul, row, g->kind), k);
  kgi_val x = kgi_load(b, g->from, at);
  add_to(g, sum, kgi_op2(b, KGI_OP_mul, x, kgi_load(b, g->by, i)));
  kgi_end(b);
  if (idle) kgi_end(b);
}

bool kgi_gshape_rows(kgi_gen *g) {
  kgi_builder *b = &g->b;
  kgi_val i = kgi_id_value(b, KGI_ID_global_id, 0), n = kgi_param_value(b, 1);
  if (kgi_choose(g, 2)) kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, word2(g, KGI_OP_div, i, g->lanes), n));
  else kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, i, word2(g, KGI_OP_mul, n, g->lanes)));
  kgi_obj sum = var(g, "total", (kgi_dim){0});
  put(g, sum, kgi_f32(b, 0));
  lanes_of_row(g, i, sum);
  kgi_store(b, g->to, i, now(g, sum));
  kgi_end(b);
  kgi_gmade(g, SHAPE_rows_shared);
  return true;
}

/* ---- a row that all lanes load ---- */

enum { COMMON = 8 };

static void declare_common(kgi_gen *g) {
  kgi_dim n = kgi_len_param(&g->b, 1);
  g->from = declare(g, "cx", KG_READ, kgi_len_int(&g->b, COMMON));
  g->by = declare(g, "cw", KG_READ, n);
  g->to = declare(g, "cy", KG_WRITE, n);
}

/* A multiple of `by`, mostly. */
static kgi_val multiple(kgi_gen *g, kgi_val by, kgi_val k) {
  kgi_builder *b = &g->b;
  kgi_val x = kgi_load(b, g->from, k), term = kgi_op2(b, KGI_OP_mul, by, x), half = kgi_f32(b, 0.5f), next;
  switch (kgi_choose(g, 7)) {
  case 0: return kgi_op1(b, KGI_OP_neg, term);
  case 1: return kgi_op2(b, KGI_OP_mul, term, half);
  case 2: return kgi_op2(b, KGI_OP_add, term, term);
  case 3: case 4:
    next = kgi_load(b, g->from, word2(g, KGI_OP_xor, k, 1));
    next = kgi_op2(b, KGI_OP_mul, by, next);
    return kgi_op2(b, kgi_choose(g, 2) ? KGI_OP_sub : KGI_OP_add, term, next);
  case 5: return kgi_op2(b, KGI_OP_mul, term, kgi_op2(b, KGI_OP_mul, x, half));
  default: return term;
  }
}

/* Behind the sum, something that looks at it in the trip, or another factor in the next. */
static void look_on_the_way(kgi_gen *g, kgi_obj sum, kgi_obj by) {
  kgi_builder *b = &g->b;
  kgi_val half = kgi_f32(b, 0.5f), x = now(g, sum);
  switch (kgi_choose(g, 8)) {
  case 0: put(g, sum, kgi_op2(b, KGI_OP_mul, x, half)); return;
  case 1: put(g, by, kgi_op2(b, KGI_OP_mul, now(g, by), half)); return;
  case 2: put(g, by, kgi_op2(b, KGI_OP_min, x, kgi_f32(b, 1))); return;
  default: return;
  }
}

/* Now and then there is another sum, of multiples of the same. */
static void sum_of_multiples(kgi_gen *g, kgi_val own, kgi_obj sum, kgi_obj other) {
  kgi_builder *b = &g->b;
  kgi_obj by = var(g, "by", (kgi_dim){0});
  put(g, by, own);
  kgi_val to = kgi_chance(g, 4) ? kgi_param_value(b, 2) : kgi_u32(b, kgi_choose(g, 3) ? COMMON : 5), step = {0};
  if (kgi_chance(g, 6)) step = kgi_u32(b, 2);
  kgi_val first = kgi_u32(b, kgi_chance(g, 6)), k = begin_loop(g, "k", first, to, step, kgi_chance(g, 6));
  kgi_val x = multiple(g, now(g, by), k);
  kgi_op op = kgi_chance(g, 3) ? KGI_OP_sub : KGI_OP_add;
  put(g, sum, kgi_op2(b, op, now(g, sum), x));
  if (kgi_chance(g, 4)) add_to(g, other, multiple(g, now(g, by), k));
  look_on_the_way(g, sum, by);
  kgi_end(b);
}

bool kgi_gshape_common_row(kgi_gen *g) {
  kgi_builder *b = &g->b;
  kgi_val i = kgi_id_value(b, KGI_ID_global_id, 0), n = kgi_param_value(b, 1);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, i, n));
  kgi_obj sum = var(g, "total", (kgi_dim){0});
  kgi_val own = kgi_load(b, g->by, i);
  put(g, sum, kgi_f32(b, 0));
  kgi_obj other = var(g, "other", (kgi_dim){0});
  put(g, other, kgi_f32(b, 0.5f));
  sum_of_multiples(g, own, sum, other);
  if (kgi_chance(g, 3)) sum_of_multiples(g, kgi_op2(b, KGI_OP_min, now(g, sum), own), sum, other);
  kgi_val x = now(g, other), all = kgi_op2(b, KGI_OP_mul, now(g, sum), x);
  kgi_store(b, g->to, i, kgi_op2(b, KGI_OP_add, all, x));
  kgi_end(b);
  kgi_gmade(g, SHAPE_row_common);
  return true;
}

/* ---- arrays that a trip loads, and overwrites behind ---- */

enum { STATE = 3, STATE_TRIPS = 4 };

static void declare_states(kgi_gen *g) {
  kgi_dim n = kgi_len_param(&g->b, 1);
  g->from = declare(g, "hx", KG_READ, kgi_len_int(&g->b, STATE * STATE));
  g->by = declare(g, "hw", KG_READ, n);
  g->to = declare(g, "hy", KG_WRITE, n);
}

static kgi_val begin_state_loop(kgi_gen *g, const char *base, uint32_t to) {
  kgi_val first = kgi_u32(&g->b, 0);
  return begin_loop(g, base, first, kgi_u32(&g->b, to), (kgi_val){0}, false);
}

/* The sum over all of the state, of which each element is multiplied by a weight. */
static kgi_val product_with(kgi_gen *g, kgi_obj state, kgi_val j) {
  kgi_builder *b = &g->b;
  kgi_obj sum = var(g, "dot", (kgi_dim){0});
  put(g, sum, kgi_f32(b, 0));
  kgi_val k = begin_state_loop(g, "k", STATE), x = kgi_load(b, state, k);
  kgi_val at = kgi_op2(b, KGI_OP_add, word2(g, KGI_OP_mul, j, STATE), k), w = kgi_load(b, g->from, at);
  if (kgi_choose(g, 2)) x = kgi_op2(b, KGI_OP_mul, x, x);
  add_to(g, sum, kgi_op2(b, KGI_OP_mul, x, w));
  kgi_end(b);
  kgi_val part = kgi_f32(b, 0.25f), least = kgi_f32(b, -1.5f), most = kgi_f32(b, 1.5f);
  x = kgi_op2(b, KGI_OP_mul, now(g, sum), part);
  return kgi_op2(b, KGI_OP_min, kgi_op2(b, KGI_OP_max, x, least), most);
}

/* All of it, or a part; some invocations alone; in order, or turned round. */
static void overwrite(kgi_gen *g, kgi_obj state, kgi_obj next) {
  kgi_builder *b = &g->b;
  bool part = kgi_chance(g, 4), some = kgi_chance(g, 4), turned = kgi_chance(g, 4);
  kgi_val most = kgi_f32(b, 0.25f), zero = kgi_u32(b, 0);
  if (some) kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, kgi_load(b, state, zero), most));
  kgi_val j = begin_state_loop(g, "j", part ? STATE - 1 : STATE), to = turned ? kgi_op2(b, KGI_OP_sub, kgi_u32(b, STATE - 1), j) : j;
  kgi_store(b, state, to, kgi_load(b, next, j));
  kgi_end(b);
  if (some) kgi_end(b);
}

static void one_trip(kgi_gen *g, kgi_obj state, kgi_obj sum) {
  kgi_builder *b = &g->b;
  kgi_obj next = var(g, "next", kgi_len_int(b, STATE));
  bool at_once = kgi_chance(g, 5), behind = kgi_chance(g, 4), before = kgi_chance(g, 6);
  kgi_val half = kgi_f32(b, 0.5f);
  if (before) kgi_store(b, state, kgi_u32(b, kgi_choose(g, STATE)), half);
  kgi_val j = begin_state_loop(g, "j", STATE), x = product_with(g, state, j);
  kgi_store(b, at_once ? state : next, j, x);
  kgi_end(b);
  if (!at_once) overwrite(g, state, next);
  if (behind) {
    kgi_val some = kgi_load(b, state, kgi_u32(b, kgi_choose(g, STATE)));
    add_to(g, sum, kgi_op2(b, KGI_OP_mul, some, some));
  }
}

static void begin_state(kgi_gen *g, kgi_obj state, kgi_val own) {
  for (unsigned k = 0; k < STATE; k++) {
    kgi_val x = kgi_op2(&g->b, KGI_OP_mul, own, kgi_f32(&g->b, 0.5f * (float)(k + 1)));
    kgi_store(&g->b, state, kgi_u32(&g->b, k), x);
  }
}

bool kgi_gshape_states(kgi_gen *g) {
  kgi_builder *b = &g->b;
  kgi_val i = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, i, kgi_param_value(b, 1)));
  kgi_obj state = var(g, "state", kgi_len_int(b, STATE)), sum = var(g, "total", (kgi_dim){0});
  put(g, sum, kgi_f32(b, 0));
  begin_state(g, state, kgi_load(b, g->by, i));
  begin_state_loop(g, "t", STATE_TRIPS);
  one_trip(g, state, sum);
  kgi_end(b);
  for (unsigned k = 0; k < STATE; k++) add_to(g, sum, kgi_load(b, state, kgi_u32(b, k)));
  kgi_store(b, g->to, i, now(g, sum));
  kgi_end(b);
  kgi_gmade(g, SHAPE_state_array);
  return true;
}

/* ---- declarations ---- */

void kgi_gdeclare_rows(kgi_gen *g) {
  if (g->rare == RARE_rows) declare_rows(g);
  else if (g->rare == RARE_common) declare_common(g);
  else declare_states(g);
}
