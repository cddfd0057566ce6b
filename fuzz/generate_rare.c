/* Shapes that few programs have. Which one a program gets, if any, comes from the end of the bytes, as views do: programs without it are
 * what they would be if there were no such shapes. */
#include "fuzz/gen.h"

static kgi_gval op2(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y, double lo, double hi) {
  return kgi_gop(g, op, (kgi_gval[]){x, y}, 2, lo, hi);
}

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

static kgi_val begin_loop(kgi_gen *g, kgi_gstate *s, unsigned trips) {
  kgi_val j = kgi_gfor(g, "j", kgi_u32(&g->b, trips), 4);
  kgi_genter_loop(g, s, false, trips);
  kgi_gpush(g, j, 0, trips - 1.0, false);
  return j;
}

static void end_loop(kgi_gen *g, const kgi_gstate *s) {
  kgi_gexit(g, s);
  kgi_end(&g->b);
}

/* ---- loops of one invocation ---- */

/* Of a size that grows from trip to trip, by a half at first, so that one extreme of several trips follows each of them. */
static kgi_gval growing(kgi_gen *g, kgi_gval x, kgi_val j) {
  kgi_gval trip = kgi_gconvert(g, g->real, (kgi_gval){j, KG_U32, false, 0, 2});
  trip = op2(g, KGI_OP_add, trip, kgi_gliteral(g, g->real, 1), 1, 3);
  trip = op2(g, KGI_OP_mul, trip, kgi_gliteral(g, g->real, 0.5), 0.5, 1.5);
  return kgi_gfit(g, op2(g, KGI_OP_mul, x, trip, -3, 3), -2, 2);
}

/* m = max(m, x) in each trip, and a branch that looks at m before, or changes it. */
static bool extreme_seen(kgi_gen *g) {
  kgi_gstate s, inner;
  if (g->trips * 3 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  kgi_obj m = kgi_gsum(g), sum = kgi_gsum(g);
  kgi_val j = begin_loop(g, &s, 3);
  kgi_gval x = growing(g, kgi_gbent(g, kgi_gtame(g)), j);
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  kgi_genter(g, &inner);
  if (kgi_choose(g, 2)) kgi_gcount(g, sum, kgi_gbent(g, kgi_gtotal(g, m)));
  else kgi_gcount(g, m, kgi_gtame(g));
  kgi_gexit(g, &inner);
  kgi_end(&g->b);
  kgi_gval now = kgi_gtotal(g, m);
  kgi_store(&g->b, m, (kgi_val){0}, op2(g, kgi_choose(g, 2) ? KGI_OP_max : KGI_OP_min, now, x, -2, 2).v);
  end_loop(g, &s);
  kgi_gcount(g, sum, kgi_gtotal(g, m));
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_extreme_seen);
  return true;
}

/* A trip that is given up within a branch, and a loop that is left. */
static bool left_both_ways(kgi_gen *g) {
  kgi_gstate s, outer, inner;
  if (!kgi_has(g, KGI_FUZZ_JUMPS) || g->trips * 4 > GEN_TRIPS || g->depth + 3 >= GEN_DEPTH) return false;
  kgi_obj sum = kgi_gsum(g);
  kgi_val j = begin_loop(g, &s, 4);
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  kgi_genter(g, &outer);
  kgi_if_begin(&g->b, word2(g, KGI_OP_lt, j, 1 + kgi_choose(g, 3)));
  kgi_genter(g, &inner);
  kgi_gcount(g, sum, kgi_gtame(g));
  kgi_continue_here(&g->b);
  kgi_gexit(g, &inner);
  kgi_end(&g->b);
  kgi_gcount(g, sum, kgi_gbent(g, kgi_gtotal(g, sum)));
  kgi_gexit(g, &outer);
  kgi_end(&g->b);
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  kgi_break_here(&g->b);
  kgi_end(&g->b);
  kgi_gcount(g, sum, kgi_gbent(g, kgi_gtotal(g, sum)));
  end_loop(g, &s);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_left_both_ways);
  return true;
}

/* ---- a buffer whose length the host decides ---- */

static void declare_open(kgi_gen *g) {
  char name[24];
  kgi_object object = {.space = KGI_BUFFER, .type = KG_F32, .mode = KG_READ};
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, "open", name));
  g->open = kgi_object_add(&g->b, &object);
}

static kgi_gval load_open(kgi_gen *g, kgi_val at) {
  return kgi_gconvert(g, g->real, kgi_gpush(g, kgi_load(&g->b, g->open, at), -2, 2, false));
}

/* Two elements side by side, and between them one of the two again, in a branch, by an index that is written otherwise. The bound is a
 * number: twice what lies below it wraps for no invocation. */
static bool open_between(kgi_gen *g) {
  kgi_gstate outer, inner;
  if (!g->guarded || !g->open.i) return false;
  kgi_obj sum = kgi_gsum(g);
  kgi_if_begin(&g->b, word2(g, KGI_OP_lt, g->own.v, g->n));
  kgi_genter(g, &outer);
  kgi_val first = word2(g, KGI_OP_mul, g->own.v, 2), again = kgi_op2(&g->b, KGI_OP_add, g->own.v, g->own.v);
  kgi_gcount(g, sum, kgi_gbent(g, load_open(g, first)));
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  kgi_genter(g, &inner);
  kgi_gcount(g, sum, kgi_gbent(g, load_open(g, kgi_choose(g, 3) ? again : word2(g, KGI_OP_add, again, 1))));
  kgi_gexit(g, &inner);
  kgi_end(&g->b);
  kgi_gcount(g, sum, kgi_gbent(g, load_open(g, word2(g, KGI_OP_add, first, 1))));
  kgi_gexit(g, &outer);
  kgi_end(&g->b);
  kgi_gtotal(g, sum);
  g->open = (kgi_obj){0};
  kgi_gmade(g, SHAPE_open_between);
  return true;
}

/* ---- which ---- */

/* Of those that have none of the older ones, half get one that has buffers of its own. */
void kgi_gpick_rare(kgi_gen *g) {
  bool may_have = g->focused && g->lone && !g->views.wanted && kgi_has(g, KGI_FUZZ_FLOW);
  static const kgi_grare own[] = {RARE_stencil, RARE_stencil, RARE_stencil, RARE_rows, RARE_common, RARE_states};
  unsigned pick = may_have ? kgi_gpick_last(g, 4) : 0;
  g->rare = RARE_none, g->lanes = 1;
  if (pick % 2) g->rare = (kgi_grare)(1 + kgi_gpick_last(g, RARE_guards));
  else if (pick && kgi_has(g, KGI_FUZZ_GATHER)) g->rare = own[kgi_gpick_last(g, sizeof own / sizeof *own)];
  if (g->rare == RARE_rows) g->lanes = 2u << kgi_gpick_last(g, 2);
  g->had_rare = g->rare != RARE_none;
  g->open = (kgi_obj){0};
}

/* A shape with buffers of its own must have them, as it has to store to one of them; of three dimensions there is none. */
void kgi_gdeclare_rare(kgi_gen *g) {
  if (g->rare >= RARE_stencil && g->width && (g->height || g->rare != RARE_stencil)) g->rare = RARE_none;
  if (g->rare == RARE_open) declare_open(g);
  else if (g->rare == RARE_stencil) kgi_gdeclare_stencil(g);
  else if (g->rare > RARE_stencil) kgi_gdeclare_rows(g);
}

void kgi_gshape_rare(kgi_gen *g) {
  static bool (*const make[RARES])(kgi_gen *) = {
    [RARE_handed_on] = kgi_gshape_handed_on,  [RARE_branched] = kgi_gshape_branched, [RARE_fenced] = kgi_gshape_fenced,
    [RARE_lanes] = kgi_gshape_of_lanes,     [RARE_extreme] = extreme_seen,
    [RARE_left] = left_both_ways,             [RARE_open] = open_between,            [RARE_integers] = kgi_gshape_of_integers,
    [RARE_floats] = kgi_gshape_of_floats,     [RARE_powers] = kgi_gshape_of_powers,  [RARE_halves] = kgi_gshape_of_halves,
    [RARE_guards] = kgi_gshape_of_guards,     [RARE_stencil] = kgi_gshape_stencil,   [RARE_rows] = kgi_gshape_rows,
    [RARE_common] = kgi_gshape_common_row,    [RARE_states] = kgi_gshape_states,
  };
  if (!g->rare || !make[g->rare](g)) return; /* another place may suit it */
  g->rare = RARE_none;
  kgi_gcount_newest(g);
}
