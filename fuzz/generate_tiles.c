/* Shapes that the whole workgroup takes part in: shared memory and buffers by tiles, and the barriers between. Each begins with a
 * barrier where a loop brings it round again, so that it needs none at its end.
 *
 * Between two barriers, lanes either keep to an element of their own or only load. */
#include "fuzz/gen.h"

static kgi_gval op2(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y, double lo, double hi) {
  return kgi_gop(g, op, (kgi_gval[]){x, y}, 2, lo, hi);
}

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

static kgi_val lane(kgi_gen *g) {
  bool flat = !g->width && kgi_choose(g, 3) != 2;
  return flat ? kgi_id_value(&g->b, KGI_ID_local_id, 0) : kgi_id_value(&g->b, KGI_ID_local_index, 0);
}

/* ---- a tile ---- */

/* `own`: the lane's own element, from `base` on; `filled`: every element has contents. An element takes `pitch` places, of which
 * the first `components` are stored: several numbers, or one with room behind it. */
typedef struct tile { kgi_obj o; kgi_val lane, own, base; bool permuted, filled; unsigned pitch, components; } tile;

static void settle(kgi_gen *g) {
  if (g->loops) kgi_barrier_here(&g->b);
}

static kgi_val moved(kgi_gen *g, kgi_val at, uint32_t by) { return word2(g, KGI_OP_rem, word2(g, KGI_OP_add, at, by), g->group); }

static kgi_val turned(kgi_gen *g, kgi_val at) { return kgi_op2(&g->b, KGI_OP_sub, kgi_u32(&g->b, g->group - 1), at); }

static tile new_tile(kgi_gen *g, unsigned halves) {
  char name[24];
  kgi_dim length = g->spec ? kgi_len_spec(&g->b, g->spec) : kgi_len_int(&g->b, g->group);
  unsigned pitch = kgi_choose(g, 3) ? 1 : 2 + kgi_choose(g, 2);
  if (halves * pitch > 1) length = kgi_len_op(&g->b, KGI_DIM_MUL, length, kgi_len_int(&g->b, halves * pitch));
  tile t = {.o = kgi_shared(&g->b, kgi_gname(g, "tile", name), g->real, length), .pitch = pitch};
  t.components = 1 + kgi_choose(g, pitch);
  t.lane = lane(g);
  unsigned order = kgi_choose(g, 6);
  t.permuted = order > 3;
  t.own = order < 4 ? t.lane : order == 4 ? turned(g, t.lane) : moved(g, t.lane, 1);
  return t;
}

static kgi_val place(kgi_gen *g, const tile *t, kgi_val at, unsigned component) {
  if (t->base.i) at = kgi_op2(&g->b, KGI_OP_add, t->base, at);
  if (t->pitch > 1) at = word2(g, KGI_OP_mul, at, t->pitch);
  return component ? word2(g, KGI_OP_add, at, component) : at;
}

static kgi_gval load(kgi_gen *g, const tile *t, kgi_val at) {
  unsigned component = t->components > 1 ? kgi_choose(g, t->components) : 0;
  return kgi_gpush(g, kgi_load(&g->b, t->o, place(g, t, at, component)), -2, 2, false);
}

static void store(kgi_gen *g, const tile *t, kgi_val at, kgi_gval x) {
  x = kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2);
  for (unsigned k = 0; k < t->components; k++) {
    if (k) x = op2(g, KGI_OP_mul, x, kgi_gliteral(g, g->real, 0.5), -2, 2);
    kgi_store(&g->b, t->o, place(g, t, at, k), x.v);
  }
}

static void store_new(kgi_gen *g, const tile *t) { store(g, t, t->own, kgi_choose(g, 3) ? kgi_gtame(g) : kgi_gbent(g, kgi_gtame(g))); }

/* ---- filling it ---- */

static void fill_if(kgi_gen *g, const tile *t, bool both) {
  kgi_gstate s;
  kgi_gval c = kgi_gbool(g, false);
  for (unsigned side = 0; side < (both ? 2u : 1u); side++) {
    if (side) kgi_else(&g->b);
    else kgi_if_begin(&g->b, c.v);
    kgi_genter(g, &s);
    g->uniform = false;
    store_new(g, t);
    kgi_gexit(g, &s);
  }
  kgi_end(&g->b);
}

static void fill_halves(kgi_gen *g, const tile *t) {
  for (unsigned side = 0; side < 2; side++) {
    kgi_gstate s;
    kgi_if_begin(&g->b, word2(g, side ? KGI_OP_ge : KGI_OP_lt, t->lane, g->group / 2));
    kgi_genter(g, &s);
    g->uniform = false;
    store_new(g, t);
    kgi_gexit(g, &s);
    kgi_end(&g->b);
  }
}

/* Each lane its own element, which may be loaded first. */
static void fill(kgi_gen *g, tile *t) {
  unsigned kind = kgi_choose(g, t->filled ? 9 : 7);
  t->filled = true;
  if (t->permuted) kgi_gmade(g, SHAPE_tile_permuted);
  if (kind == 5) fill_if(g, t, true), kgi_gmade(g, SHAPE_tile_in_branches);
  else if (kind == 6) fill_halves(g, t), kgi_gmade(g, SHAPE_tile_by_halves);
  else if (kind == 7) fill_if(g, t, false), kgi_gmade(g, SHAPE_tile_in_part);
  else if (kind == 8) store(g, t, t->own, kgi_gbent(g, load(g, t, t->own))), kgi_gmade(g, SHAPE_tile_updated);
  else store_new(g, t);
}

/* ---- loading from it ---- */

static void load_several(kgi_gen *g, const tile *t, kgi_obj sum) {
  kgi_gstate s;
  unsigned count = g->group < 4 ? g->group : 4;
  kgi_val j = kgi_gfor(g, "j", kgi_u32(&g->b, count), 4);
  kgi_genter_loop(g, &s, false, count);
  kgi_val at = kgi_choose(g, 2) ? j : word2(g, KGI_OP_rem, kgi_op2(&g->b, KGI_OP_add, t->lane, j), g->group);
  kgi_gcount(g, sum, kgi_gbent(g, load(g, t, at)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

static void load_any(kgi_gen *g, const tile *t, kgi_obj sum) {
  unsigned kind = kgi_choose(g, 5);
  if (kind == 4 && g->trips * 4 <= GEN_TRIPS) load_several(g, t, sum);
  else if (kind == 3) kgi_gcount(g, sum, load(g, t, kgi_u32(&g->b, kgi_choose(g, g->group))));
  else kgi_gcount(g, sum, kgi_gbent(g, load(g, t, kind == 0 ? turned(g, t->lane) : moved(g, t->lane, kind))));
}

static void load_own(kgi_gen *g, const tile *t, kgi_obj sum) { kgi_gcount(g, sum, kgi_gbent(g, load(g, t, t->own))); }

/* ---- a loop that fills it anew ---- */

/* Why the loop needs no barrier at its end. */
typedef enum ending { LAST_BARRIER, ONE_TRIP, BARRIER_FIRST, OWN_LAST, ALTERNATING, ENDINGS } ending;

static void one_trip_of_tile(kgi_gen *g, tile *t, kgi_obj sum, ending end) {
  unsigned rounds = 1 + kgi_choose(g, 3);
  if (end == BARRIER_FIRST) kgi_barrier_here(&g->b);
  for (unsigned r = 1; r <= rounds; r++) {
    bool last = r == rounds;
    fill(g, t);
    if (kgi_chance(g, 4)) load_own(g, t, sum);
    kgi_barrier_here(&g->b);
    if (last && end == OWN_LAST) load_own(g, t, sum);
    else if (last || kgi_choose(g, 3)) load_any(g, t, sum);
    if (kgi_chance(g, 6)) kgi_gblock(g, 1);
    if (!last) kgi_barrier_here(&g->b);
  }
  if (end == LAST_BARRIER) kgi_barrier_here(&g->b);
  if (rounds > 1) kgi_gmade(g, SHAPE_tile_twice);
}

static void loop_of_tiles(kgi_gen *g, tile *t, kgi_obj sum, ending end) {
  kgi_gstate s;
  unsigned trips = end == ONE_TRIP ? 1 : 2 + kgi_choose(g, 2);
  kgi_val to = end != ONE_TRIP && g->m <= 3 && kgi_choose(g, 2) ? kgi_param_value(&g->b, 2) : kgi_u32(&g->b, trips);
  kgi_val k = kgi_gfor(g, "k", to, 6);
  kgi_genter_loop(g, &s, true, 3);
  g->whole_jumps = false; /* a jump would leave a barrier out */
  kgi_gpush(g, k, 0, 2, true);
  if (end == ALTERNATING) t->base = word2(g, KGI_OP_mul, word2(g, KGI_OP_and, k, 1), g->group);
  one_trip_of_tile(g, t, sum, end);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

static const kgi_gshape_id ending_shape[ENDINGS] = {[ONE_TRIP] = SHAPE_tile_one_trip, [BARRIER_FIRST] = SHAPE_tile_barrier_first,
                                                    [OWN_LAST] = SHAPE_tile_own_last, [ALTERNATING] = SHAPE_tile_alternating};

/* So that a trip may meet what was there before. */
static void fill_before(kgi_gen *g, tile *t, ending end) {
  store_new(g, t);
  if (end == ALTERNATING) t->base = kgi_u32(&g->b, g->group), store_new(g, t), t->base = (kgi_val){0};
  t->filled = true;
}

static bool tile_loop(kgi_gen *g) {
  ending end = (ending)kgi_choose(g, ENDINGS);
  if (g->trips * 3 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  tile t = new_tile(g, end == ALTERNATING ? 2 : 1);
  kgi_obj sum = kgi_gsum(g);
  if (g->loops) kgi_gmade(g, SHAPE_tile_nested);
  settle(g);
  if (kgi_choose(g, 4) == 1) fill_before(g, &t, end);
  loop_of_tiles(g, &t, sum, end);
  if (end != LAST_BARRIER) kgi_gmade(g, ending_shape[end]);
  if (end != ALTERNATING && kgi_chance(g, 3)) kgi_barrier_here(&g->b), load_any(g, &t, sum), kgi_gmade(g, SHAPE_tile_behind);
  kgi_gtotal(g, sum);
  return true;
}

/* ---- a tile that a trip fills for the next ---- */

/* Only the first trip stores to it before it is loaded. */
bool kgi_gshape_handed_on(kgi_gen *g) {
  char name[24];
  kgi_gstate s, first;
  unsigned trips = 2 + kgi_choose(g, 2);
  if (g->guarded || !g->uniform || !kgi_has(g, KGI_FUZZ_SHARED) || g->trips * 3 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  settle(g);
  kgi_val from = kgi_u32(&g->b, 0), to = kgi_u32(&g->b, trips);
  kgi_val k = kgi_for_begin(&g->b, kgi_gname(g, "k", name), from, to, (kgi_val){0}, false);
  kgi_genter_loop(g, &s, true, trips);
  g->whole_jumps = false;
  kgi_gpush(g, k, 0, trips - 1.0, true);
  kgi_if_begin(&g->b, word2(g, KGI_OP_eq, k, 0));
  kgi_genter(g, &first);
  store_new(g, &t);
  kgi_gexit(g, &first);
  kgi_end(&g->b);
  kgi_barrier_here(&g->b);
  load_any(g, &t, sum);
  kgi_barrier_here(&g->b);
  store(g, &t, t.own, kgi_choose(g, 2) ? kgi_gtotal(g, sum) : kgi_gbent(g, kgi_gtame(g)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_tile_handed_on);
  return true;
}

/* ---- a tile that is loaded in a branch ---- */

/* Two lanes load an element, one of them behind a barrier that begins a region, the other in the next trip, with none between. */
bool kgi_gshape_fenced(kgi_gen *g) {
  kgi_gstate s, inner;
  unsigned trips = 2 + kgi_choose(g, 2);
  if (g->guarded || !g->uniform || !kgi_has(g, KGI_FUZZ_SHARED) || g->trips * 3 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  settle(g);
  store_new(g, &t);
  kgi_barrier_here(&g->b);
  kgi_gfor(g, "k", kgi_u32(&g->b, trips), 4);
  kgi_genter_loop(g, &s, true, trips);
  g->whole_jumps = false;
  kgi_gcount(g, sum, kgi_gbent(g, load(g, &t, turned(g, t.lane))));
  if (kgi_choose(g, 2)) kgi_checkpoint_begin(&g->b, "");
  else kgi_region_begin(&g->b, "fenced");
  kgi_genter(g, &inner);
  kgi_barrier_here(&g->b);
  kgi_gcount(g, sum, kgi_gbent(g, load(g, &t, t.lane)));
  kgi_gexit(g, &inner);
  kgi_end(&g->b);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_tile_fenced);
  return true;
}

/* Atomics change it behind the branch: in another run it cannot be filled again. */
bool kgi_gshape_branched(kgi_gen *g) {
  kgi_gstate s;
  bool fits = !g->guarded && g->uniform && kgi_has(g, KGI_FUZZ_SHARED) && kgi_has(g, KGI_FUZZ_ATOMICS) && g->real == KG_F32;
  if (!fits || g->depth + 2 >= GEN_DEPTH) return false;
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  settle(g);
  store_new(g, &t);
  kgi_barrier_here(&g->b);
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  kgi_genter(g, &s);
  g->uniform = false;
  kgi_gcount(g, sum, kgi_gbent(g, load(g, &t, turned(g, t.lane))));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_barrier_here(&g->b);
  kgi_gval x = kgi_gfit(g, kgi_greal(g), -0.25, 0.25), y;
  kgi_atomic_op(&g->b, KGI_ATOMIC_add, t.o, place(g, &t, moved(g, t.lane, 1), 0), x.v, (kgi_val){0});
  kgi_barrier_here(&g->b);
  y = kgi_gpush(g, kgi_load(&g->b, t.o, place(g, &t, turned(g, t.lane), 0)), -3, 3, false);
  op2(g, KGI_OP_mul, kgi_gtotal(g, sum), y, -6, 6);
  kgi_gmade(g, SHAPE_tile_branched);
  return true;
}

/* ---- a loop that is left ---- */

/* A trip in which everyone comes to the barriers; or one of those whose loop is longer. */
static void one_trip_of_some(kgi_gen *g, tile *t, kgi_obj sum, kgi_val all_are_here) {
  kgi_gstate s;
  kgi_if_begin(&g->b, all_are_here);
  kgi_genter(g, &s);
  fill(g, t);
  kgi_barrier_here(&g->b);
  load_any(g, t, sum);
  kgi_barrier_here(&g->b);
  kgi_gexit(g, &s);
  kgi_else(&g->b);
  kgi_genter(g, &s);
  g->uniform = false;
  kgi_gcount(g, sum, kgi_gbent(g, kgi_gtotal(g, sum)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

/* Nobody comes to the barriers any more when the first leave: by their own last trip, or by a jump. */
static bool left_in_turn(kgi_gen *g) {
  kgi_builder *b = &g->b;
  char name[24];
  kgi_gstate s;
  unsigned together = 1 + kgi_choose(g, 2);
  if (g->trips * 16 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  bool jump = kgi_has(g, KGI_FUZZ_JUMPS) && kgi_choose(g, 2);
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  settle(g);
  kgi_val more = word2(g, KGI_OP_and, t.lane, 3), from = kgi_u32(b, 0), to = word2(g, KGI_OP_add, more, together);
  kgi_val k = kgi_for_begin(b, kgi_gname(g, "k", name), from, to, (kgi_val){0}, false);
  kgi_genter_loop(g, &s, false, together + 3);
  g->whole_jumps = g->jumps = false;
  one_trip_of_some(g, &t, sum, word2(g, KGI_OP_lt, k, together));
  if (jump) {
    kgi_val last = word2(g, KGI_OP_ge, k, together - 1), some = word2(g, KGI_OP_ge, t.lane, (g->group + 1) / 2);
    kgi_if_begin(b, kgi_op2(b, KGI_OP_and, last, some));
    kgi_break_here(b);
    kgi_end(b);
  }
  kgi_gexit(g, &s);
  kgi_end(b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_left_in_turn);
  return true;
}

/* ---- trees ---- */

static kgi_gval combined(kgi_gen *g, kgi_gval x, kgi_gval y, unsigned kind) {
  kgi_gval half = kgi_gliteral(g, g->real, 0.5);
  if (kind == 0) return op2(g, KGI_OP_max, x, y, -2, 2);
  if (kind == 1) return op2(g, KGI_OP_min, x, y, -2, 2);
  kgi_gval z = kind == 2 ? op2(g, KGI_OP_add, x, y, -4, 4) : op2(g, KGI_OP_mul, x, y, -4, 4);
  return op2(g, KGI_OP_mul, z, half, -2, 2);
}

/* The lower half takes the upper half in. */
static void level(kgi_gen *g, const tile *t, kgi_val half, unsigned kind) {
  kgi_builder *b = &g->b;
  kgi_gmark mark = kgi_gscope(g);
  kgi_val other = kgi_op2(b, KGI_OP_add, t->lane, half), below = kgi_op2(b, KGI_OP_lt, t->lane, half);
  if (g->group & (g->group - 1)) below = kgi_op2(b, KGI_OP_and, below, word2(g, KGI_OP_lt, other, g->group));
  kgi_if_begin(b, below);
  kgi_gval x = load(g, t, t->lane);
  store(g, t, t->lane, combined(g, x, load(g, t, other), kind));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_gleave(g, mark);
}

static void levels(kgi_gen *g, const tile *t, unsigned kind) {
  char name[24];
  unsigned count = 0;
  while (1u << count < g->group) count++;
  if (kgi_chance(g, 3)) {
    for (unsigned l = count; l-- > 0;) level(g, t, kgi_u32(&g->b, 1u << l), kind);
    if (count > 1) kgi_gmade(g, SHAPE_tree_unrolled);
    return;
  }
  kgi_val to = kgi_u32(&g->b, count), from = kgi_u32(&g->b, 0);
  kgi_val l = kgi_for_begin(&g->b, kgi_gname(g, "l", name), from, to, (kgi_val){0}, true);
  level(g, t, kgi_op2(&g->b, KGI_OP_shl, kgi_u32(&g->b, 1), l), kind);
  kgi_end(&g->b);
}

static void row(kgi_gen *g, const tile *t, kgi_obj sum) {
  unsigned kind = kgi_choose(g, 4);
  store_new(g, t);
  kgi_barrier_here(&g->b);
  levels(g, t, kind);
  kgi_gcount(g, sum, load(g, t, kgi_u32(&g->b, 0)));
  kgi_gmade(g, SHAPE_tree);
  if (kind == 0) kgi_gmade(g, SHAPE_tree_maximum);
}

static bool tree(kgi_gen *g) {
  kgi_gstate s;
  unsigned rows = 1 + kgi_choose(g, 3);
  if (g->group < 2 || g->trips * rows * 5 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  t.own = t.lane;
  settle(g);
  if (rows == 1) {
    row(g, &t, sum);
  } else {
    kgi_val k = kgi_gfor(g, "row", kgi_u32(&g->b, rows), 6);
    kgi_genter_loop(g, &s, true, rows);
    g->whole_jumps = false;
    kgi_gpush(g, k, 0, rows - 1.0, true);
    row(g, &t, sum);
    kgi_barrier_here(&g->b);
    kgi_gexit(g, &s);
    kgi_end(&g->b);
    kgi_gmade(g, SHAPE_tree_of_rows);
  }
  kgi_gtotal(g, sum);
  return true;
}

/* ---- what is never loaded ---- */

static kgi_val of_workgroup(kgi_gen *g, kgi_val at) {
  return kgi_op2(&g->b, KGI_OP_add, word2(g, KGI_OP_mul, kgi_id_value(&g->b, KGI_ID_workgroup_id, 0), g->group), at);
}

static void store_silent(kgi_gen *g, const kgi_gobject *o, kgi_val at) {
  kgi_gval x = kgi_gbent(g, kgi_gtame(g));
  x = kgi_gconvert(g, o->type, x);
  kgi_store(&g->b, o->o, at, x.v);
}

static void silent_in_loop(kgi_gen *g, const kgi_gobject *o) {
  kgi_gstate s;
  kgi_val k = kgi_gfor(g, "k", kgi_u32(&g->b, 3), 4);
  kgi_genter_loop(g, &s, true, 3);
  g->whole_jumps = false;
  kgi_gpush(g, k, 0, 2, true);
  kgi_val by = word2(g, KGI_OP_mul, k, (g->group + 1) / 2), at = kgi_op2(&g->b, KGI_OP_add, lane(g), by);
  store_silent(g, o, of_workgroup(g, word2(g, KGI_OP_rem, at, g->group)));
  kgi_barrier_here(&g->b);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_gmade(g, SHAPE_silent_loop);
}

/* The upper half of the workgroup reaches over. */
static void silent_over(kgi_gen *g, const kgi_gobject *o, bool atomic) {
  kgi_gstate s;
  kgi_val own = lane(g);
  store_silent(g, o, of_workgroup(g, own));
  kgi_barrier_here(&g->b);
  kgi_if_begin(&g->b, word2(g, KGI_OP_ge, own, (g->group + 1) / 2));
  kgi_genter(g, &s);
  g->uniform = false;
  kgi_val at = of_workgroup(g, word2(g, KGI_OP_sub, own, (g->group + 1) / 2));
  if (atomic) {
    kgi_gval x = kgi_gconvert(g, o->type, kgi_gfit(g, kgi_greal(g), -0.25, 0.25));
    kgi_atomic_op(&g->b, KGI_ATOMIC_add, o->o, at, x.v, (kgi_val){0});
  } else {
    store_silent(g, o, at);
  }
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_gmade(g, atomic ? SHAPE_silent_atomic : SHAPE_silent_overlap);
}

static bool silent(kgi_gen *g) {
  for (unsigned i = 0; i < g->objects; i++) {
    if (g->object[i].role != ROLE_SILENT) continue;
    kgi_gobject o = g->object[i];
    unsigned kind = kgi_choose(g, 3);
    if (o.touched || g->loops) kgi_barrier_here(&g->b);
    g->object[i].touched = true;
    if (kind == 1 && g->trips * 3 <= GEN_TRIPS) silent_in_loop(g, &o);
    else silent_over(g, &o, kind == 2 && o.mode == KG_READ_WRITE && kgi_has(g, KGI_FUZZ_ATOMICS));
    return true;
  }
  return false;
}

static bool silent_shared(kgi_gen *g) {
  tile t = new_tile(g, 1);
  settle(g);
  fill(g, &t);
  if (kgi_choose(g, 2)) {
    kgi_barrier_here(&g->b);
    t.own = moved(g, t.own, 1);
    store_new(g, &t);
  }
  kgi_gmade(g, SHAPE_silent_shared);
  return true;
}

/* ---- barriers on some paths ---- */

typedef enum path { BARE_THEN, BARE_ELSE, CONTENT_THEN, CONTENT_ELSE } path;

static void side(kgi_gen *g, kgi_obj sum, bool barrier, bool content) {
  kgi_gstate s;
  kgi_genter(g, &s);
  g->whole_jumps = false;
  if (content && kgi_choose(g, 2)) kgi_gcount(g, sum, kgi_gtame(g)), content = false;
  if (barrier) kgi_barrier_here(&g->b);
  if (content) kgi_gcount(g, sum, kgi_gbent(g, kgi_gtame(g)));
  kgi_gexit(g, &s);
}

/* Where the barrier was passed, the tile is loaded anywhere, else the lane's own. */
static bool barrier_on_path(kgi_gen *g) {
  kgi_builder *b = &g->b;
  path p = (path)kgi_choose(g, 4);
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  kgi_gval c = kgi_gbool(g, true);
  bool in_else = p == BARE_ELSE || p == CONTENT_ELSE, other = in_else || kgi_choose(g, 2);
  settle(g);
  store_new(g, &t);
  kgi_if_begin(b, c.v);
  side(g, sum, !in_else, p == CONTENT_THEN || (in_else && kgi_choose(g, 4)));
  if (other) kgi_else(b), side(g, sum, in_else, p == CONTENT_ELSE || !in_else);
  kgi_end(b);
  kgi_val any = kgi_choose(g, 2) ? turned(g, t.lane) : moved(g, t.own, 1);
  kgi_val at = in_else ? kgi_op3(b, KGI_OP_select, c.v, t.own, any) : kgi_op3(b, KGI_OP_select, c.v, any, t.own);
  kgi_gcount(g, sum, kgi_gbent(g, load(g, &t, at)));
  kgi_gtotal(g, sum);
  kgi_gmade(g, p == BARE_THEN ? SHAPE_barrier_alone : in_else ? SHAPE_barrier_else : SHAPE_barrier_content);
  if (p == CONTENT_ELSE) kgi_gmade(g, SHAPE_barrier_content);
  return true;
}

/* A barrier that is passed, in a loop or in a branch of its own. */
static void nested_barrier(kgi_gen *g) {
  if (kgi_choose(g, 2)) kgi_if_begin(&g->b, word2(g, KGI_OP_lt, kgi_param_value(&g->b, 4), 100));
  else kgi_gfor(g, "once", kgi_u32(&g->b, 1 + kgi_choose(g, 2)), 0);
  kgi_barrier_here(&g->b);
  kgi_end(&g->b);
}

/* The tile is loaded by others before the barrier, and stored behind it where it was loaded. */
static bool barrier_between(kgi_gen *g) {
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  settle(g);
  store_new(g, &t);
  nested_barrier(g);
  kgi_val to = kgi_choose(g, 2) ? t.own : moved(g, t.own, 1);
  kgi_gval x = load(g, &t, to);
  if (kgi_choose(g, 3)) load_any(g, &t, sum);
  nested_barrier(g);
  store(g, &t, to, kgi_gbent(g, x));
  if (kgi_choose(g, 2)) nested_barrier(g), load_any(g, &t, sum);
  else kgi_gcount(g, sum, load(g, &t, to));
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_barrier_between);
  kgi_gmade(g, SHAPE_barrier_loop);
  return true;
}

/* All of them, for a reason that never holds with the defaults; and a barrier behind it. */
static bool return_together(kgi_gen *g) {
  if (!kgi_has(g, KGI_FUZZ_JUMPS) || g->depth) return false;
  tile t = new_tile(g, 1);
  kgi_obj sum = kgi_gsum(g);
  store_new(g, &t);
  kgi_if_begin(&g->b, word2(g, KGI_OP_gt, kgi_param_value(&g->b, 4), 100));
  kgi_return_here(&g->b);
  kgi_end(&g->b);
  kgi_barrier_here(&g->b);
  load_any(g, &t, sum);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_return_together);
  return true;
}

/* ---- in place ---- */

/* A tile of a buffer is changed by what another lane's element was. */
static bool in_two_passes(kgi_gen *g) {
  const kgi_gobject *found = kgi_gfind(g, ROLE_TILE);
  if (!found || found->phase != PHASE_OWN || found->length.kind != GLEN_TILES || found->per != 1 || found->type != KG_F32) return false;
  tile t = {.o = found->o, .lane = lane(g), .pitch = 1, .components = 1};
  kgi_obj sum = kgi_gsum(g);
  t.own = of_workgroup(g, t.lane);
  kgi_barrier_here(&g->b);
  kgi_val other = of_workgroup(g, kgi_choose(g, 2) ? turned(g, t.lane) : moved(g, t.lane, 1));
  kgi_gval x = kgi_gconvert(g, g->real, kgi_gpush(g, kgi_load(&g->b, t.o, other), -2, 2, false));
  kgi_gcount(g, sum, x);
  kgi_barrier_here(&g->b);
  kgi_gval y = kgi_gconvert(g, KG_F32, kgi_gbent(g, kgi_gtotal(g, sum)));
  bool some = kgi_choose(g, 2);
  if (some) kgi_if_begin(&g->b, word2(g, KGI_OP_lt, t.lane, (g->group + 1) / 2));
  kgi_store(&g->b, t.o, t.own, y.v);
  if (some) kgi_end(&g->b);
  kgi_gmade(g, SHAPE_in_place_passes);
  return true;
}

bool kgi_gshape_of_object(kgi_gen *g) { return silent(g) || in_two_passes(g); }

bool kgi_gshape_of_workgroup(kgi_gen *g) {
  static bool (*const all[])(kgi_gen *) = {tile_loop, tile_loop, tree, silent_shared, barrier_on_path, barrier_between,
                                          return_together, tile_loop, barrier_on_path, tree, kgi_gshape_of_square, left_in_turn};
  return all[kgi_choose(g, sizeof all / sizeof *all)](g);
}
