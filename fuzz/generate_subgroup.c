/* Subgroup operations. */
#include "fuzz/gen.h"

#include <math.h>

static bool adds_up(kgi_subgroup op) {
  return op == KGI_SUBGROUP_add || op == KGI_SUBGROUP_inclusive_add || op == KGI_SUBGROUP_exclusive_add;
}
static bool multiplies(kgi_subgroup op) {
  return op == KGI_SUBGROUP_mul || op == KGI_SUBGROUP_inclusive_mul || op == KGI_SUBGROUP_exclusive_mul;
}

/* Other types than those of 32 bits are for the reference alone, and so are sums of floats, which have no order. */
static kg_type operand_type(kgi_gen *g, kgi_subgroup op) {
  static const kg_type types[] = {KG_U32, KG_I32, KG_F32, KG_BOOL, KG_I64, KG_U64, KG_F16, KG_F64};
  bool all = kgi_has(g, KGI_FUZZ_DIVERGED);
  unsigned rule = kgi_subgroup_rows[op].rule;
  if (rule == KGI_RULE_VOTE || rule == KGI_RULE_BALLOT) return KG_BOOL;
  kg_type type = types[kgi_choose(g, all ? 8 : 4)];
  if (rule == KGI_RULE_NUM && type == KG_BOOL) return KG_U32;
  if (rule == KGI_RULE_LOGIC && kgi_is_float(type)) return type == KG_F64 || type == KG_F16 ? KG_I64 : KG_U32;
  if (!all && kgi_is_float(type) && (adds_up(op) || multiplies(op))) return KG_U32;
  return type;
}

/* What the first lane of an exclusive scan gets, and 0 from a lane that is not there, count too. */
static void push_result(kgi_gen *g, kgi_subgroup op, kgi_val v, kgi_gval x) {
  kg_type type = kgi_type_of(g->b.p, v);
  bool ends = op == KGI_SUBGROUP_exclusive_min || op == KGI_SUBGROUP_exclusive_max;
  double lo = 0, hi = 1;
  if (kgi_is_int(type)) kgi_gwild(type, &lo, &hi);
  if (kgi_is_float(type) && ends) {
    kgi_val least = kgi_float(&g->b, type, -2);
    v = kgi_op2(&g->b, KGI_OP_max, kgi_op2(&g->b, KGI_OP_min, v, kgi_float(&g->b, type, 2)), least);
    lo = -2, hi = 2;
  } else if (kgi_is_float(type)) {
    double times = adds_up(op) ? 128 : 1;
    lo = fmin(x.lo * times, multiplies(op) ? -1 : 0), hi = fmax(x.hi * times, multiplies(op) ? 1 : 0);
  }
  kgi_gpush(g, v, lo, hi, false);
}

void kgi_glet_subgroup(kgi_gen *g) {
  kgi_subgroup op = (kgi_subgroup)kgi_choose(g, KGI_SUBGROUP_COUNT);
  unsigned rule = kgi_subgroup_rows[op].rule;
  kgi_gval x = {{0}, KG_NONE, false, 0, 0}, y = x;
  if (!kgi_has(g, KGI_FUZZ_DIVERGED) && (!g->uniform || g->guarded || g->width)) return;
  if (rule != KGI_RULE_NONE) x = kgi_gof(g, operand_type(g, op));
  if (kgi_is_float(x.type) && adds_up(op)) x = kgi_gfit(g, x, -0.015, 0.015);
  if (kgi_is_float(x.type) && multiplies(op)) x = kgi_gfit(g, x, -1, 1);
  if (rule == KGI_RULE_BALLOT || rule == KGI_RULE_LANE) y = kgi_gliteral(g, KG_U32, kgi_choose(g, 4));
  if (op == KGI_SUBGROUP_shuffle && kgi_choose(g, 2)) y = kgi_gof(g, KG_U32);
  push_result(g, op, kgi_subgroup_op(&g->b, op, x.v, y.v), x);
}

static void look_around(kgi_gen *g) {
  static const kgi_subgroup moves[] = {KGI_SUBGROUP_shuffle_up, KGI_SUBGROUP_shuffle_down, KGI_SUBGROUP_shuffle_xor};
  bool ballot = kgi_choose(g, 2);
  kgi_gval x = ballot ? kgi_gbool(g, false) : kgi_gtame(g);
  kgi_val by = kgi_u32(&g->b, kgi_choose(g, 4));
  kgi_val y = kgi_subgroup_op(&g->b, ballot ? KGI_SUBGROUP_ballot : moves[kgi_choose(g, 3)], x.v, by);
  if (ballot) kgi_gcount_bits(g, (kgi_gval){y, KG_U32, false, 0, 0x1p32});
  else kgi_gpush(g, y, -2, 2, false);
  kgi_gmade(g, ballot ? SHAPE_lanes_word : SHAPE_lanes_moved);
}

/* Words of a ballot, or what another lane has, which may be none: all of it counts. */
bool kgi_gshape_of_lanes(kgi_gen *g) {
  if (!kgi_has(g, KGI_FUZZ_SUBGROUP) || !g->uniform || g->guarded || g->width) return false;
  look_around(g);
  for (unsigned n = 1; n < GEN_SEVERAL; n++) kgi_gcount_newest(g), look_around(g);
  return true;
}
