/* Single operations, with what keeps their operands in their domains. */
#include "fuzz/gen.h"

#include <math.h>

/* Functions of one float: where they are evaluated, and what comes out. The domains stay away from where a derivative computed
 * in the program's own precision loses its digits. */
enum { SMOOTH, JUMPS, FUNCTION };
typedef struct unary { kgi_op op; uint8_t kind; double from, to, lo, hi; } unary;
static const unary unaries[] = {
  {KGI_OP_neg, SMOOTH, -9, 9, -9, 9}, {KGI_OP_abs, SMOOTH, -9, 9, 0, 9}, {KGI_OP_sqrt, SMOOTH, 0.1, 4, 0.3, 2},
  {KGI_OP_stop_gradient, SMOOTH, -9, 9, -9, 9}, {KGI_OP_fract, JUMPS, -9, 9, 0, 1}, {KGI_OP_sign, JUMPS, -9, 9, -1, 1},
  {KGI_OP_floor, JUMPS, -9, 9, -9, 9}, {KGI_OP_ceil, JUMPS, -9, 9, -9, 9}, {KGI_OP_trunc, JUMPS, -9, 9, -9, 9},
  {KGI_OP_round, JUMPS, -9, 9, -9, 9},
  {KGI_OP_sin, FUNCTION, -3, 3, -1, 1}, {KGI_OP_cos, FUNCTION, -3, 3, -1, 1}, {KGI_OP_exp, FUNCTION, -2, 1, 0.13, 2.75},
  {KGI_OP_tanh, FUNCTION, -1.5, 1.5, -0.91, 0.91}, {KGI_OP_log, FUNCTION, 0.1, 4, -2.32, 1.4},
  {KGI_OP_rsqrt, FUNCTION, 0.1, 4, 0.49, 3.2},
  {KGI_OP_exp2, FUNCTION, -2, 1.5, 0.24, 2.85}, {KGI_OP_expm1, FUNCTION, -1.5, 1, -0.8, 1.75},
  {KGI_OP_log2, FUNCTION, 0.25, 4, -2.01, 2.01},
  {KGI_OP_log1p, FUNCTION, -0.8, 3, -1.62, 1.4}, {KGI_OP_tan, FUNCTION, -1.2, 1.2, -2.6, 2.6},
  {KGI_OP_sinc, FUNCTION, -3, 3, 0.04, 1},
  {KGI_OP_asin, FUNCTION, -0.9, 0.9, -1.13, 1.13},
  {KGI_OP_acos, FUNCTION, -0.9, 0.9, 0.44, 2.72}, {KGI_OP_atan, FUNCTION, -3, 3, -1.26, 1.26},
  {KGI_OP_sinh, FUNCTION, -1.5, 1.5, -2.2, 2.2},
  {KGI_OP_cosh, FUNCTION, -1.5, 1.5, 1, 2.4}, {KGI_OP_asinh, FUNCTION, -3, 3, -1.85, 1.85},
  {KGI_OP_acosh, FUNCTION, 1.2, 4, 0.6, 2.1},
  {KGI_OP_atanh, FUNCTION, -0.8, 0.8, -1.11, 1.11}, {KGI_OP_erf, FUNCTION, -1.5, 1.5, -1, 1},
  {KGI_OP_erfc, FUNCTION, -1.5, 1.5, 0, 2},
};
enum { UNARIES = sizeof unaries / sizeof *unaries };

/* Devices have no functions of f64. */
static bool functions(const kgi_gen *g) {
  return kgi_has(g, KGI_FUZZ_FUNCTIONS) && (g->real != KG_F64 || kgi_has(g, KGI_FUZZ_WIDE));
}

/* What jumps belongs to programs whose floats are exact everywhere. */
static bool allowed(const kgi_gen *g, unsigned kind) {
  return kind == SMOOTH || (kind == JUMPS && kgi_has(g, KGI_FUZZ_FLOAT_BRANCH)) || (kind == FUNCTION && functions(g));
}

static kgi_gval apply_unary(kgi_gen *g) {
  unsigned at = kgi_choose(g, UNARIES);
  while (!allowed(g, unaries[at].kind)) at = (at + 7) % UNARIES;
  const unary *u = &unaries[at];
  kgi_gval x = kgi_gfit(g, kgi_greal(g), u->from, u->to);
  if (u->op == KGI_OP_neg) return kgi_gop(g, u->op, &x, 1, -x.hi, -x.lo);
  if (u->op == KGI_OP_stop_gradient) return kgi_gop(g, u->op, &x, 1, x.lo, x.hi);
  return kgi_gop(g, u->op, &x, 1, u->lo, u->hi);
}

static double smallest(const double *x, unsigned n) {
  double y = x[0];
  for (unsigned i = 1; i < n; i++) y = fmin(y, x[i]);
  return y;
}

static double largest(const double *x, unsigned n) {
  double y = x[0];
  for (unsigned i = 1; i < n; i++) y = fmax(y, x[i]);
  return y;
}

static kgi_gval product(kgi_gen *g, kgi_op op, const kgi_gval *x) {
  double p[] = {x[0].lo * x[1].lo, x[0].lo * x[1].hi, x[0].hi * x[1].lo, x[0].hi * x[1].hi};
  return kgi_gop(g, op, x, 2, smallest(p, 4), largest(p, 4));
}

static kgi_gval quotient(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y) {
  kgi_gval pair[2] = {x, kgi_gfit(g, y, 0.5, 3)};
  double most = fmax(fabs(x.lo), fabs(x.hi));
  return op == KGI_OP_div ? kgi_gop(g, op, pair, 2, -2 * most, 2 * most) : kgi_gop(g, op, pair, 2, -3, 3);
}

static kgi_gval apply_binary(kgi_gen *g) {
  static const kgi_op ops[] = {KGI_OP_mul, KGI_OP_add, KGI_OP_sub, KGI_OP_max, KGI_OP_min, KGI_OP_div, KGI_OP_abs_diff,
                               KGI_OP_mulz, KGI_OP_rem, KGI_OP_mod, KGI_OP_ldexp, KGI_OP_pow, KGI_OP_atan2, KGI_OP_hypot};
  kgi_op op = ops[kgi_choose(g, functions(g) ? 14 : 11)];
  if ((op == KGI_OP_rem || op == KGI_OP_mod) && !allowed(g, JUMPS)) op = KGI_OP_mul;
  kgi_gval x[2] = {kgi_greal(g), {{0}, 0, 0, 0, 0}};
  x[1] = op == KGI_OP_ldexp ? kgi_gliteral(g, KG_I32, kgi_choose(g, 4) - 2.0) : kgi_greal(g);
  double span = x[0].hi - x[0].lo + x[1].hi - x[1].lo;
  switch ((int)op) {
  case KGI_OP_mul: case KGI_OP_mulz: return product(g, op, x);
  case KGI_OP_add: return kgi_gop(g, op, x, 2, x[0].lo + x[1].lo, x[0].hi + x[1].hi);
  case KGI_OP_sub: return kgi_gop(g, op, x, 2, x[0].lo - x[1].hi, x[0].hi - x[1].lo);
  case KGI_OP_max: return kgi_gop(g, op, x, 2, fmax(x[0].lo, x[1].lo), fmax(x[0].hi, x[1].hi));
  case KGI_OP_min: return kgi_gop(g, op, x, 2, fmin(x[0].lo, x[1].lo), fmin(x[0].hi, x[1].hi));
  case KGI_OP_abs_diff: return kgi_gop(g, op, x, 2, 0, fmax(span, fmax(fabs(x[0].hi - x[1].lo), fabs(x[1].hi - x[0].lo))));
  case KGI_OP_ldexp: return kgi_gop(g, op, x, 2, fmin(x[0].lo / 4, 2 * x[0].lo), fmax(x[0].hi / 4, 2 * x[0].hi));
  case KGI_OP_pow:
    x[0] = kgi_gfit(g, x[0], 0.5, 2.5), x[1] = kgi_gfit(g, x[1], -2, 2);
    return kgi_gop(g, op, x, 2, 0.1, 6.3);
  case KGI_OP_atan2: x[1] = kgi_gfit(g, x[1], 0.3, 2); return kgi_gop(g, op, x, 2, -1.6, 1.6);
  case KGI_OP_hypot: x[0] = kgi_gfit(g, x[0], -3, 3), x[1] = kgi_gfit(g, x[1], 0.3, 2); return kgi_gop(g, op, x, 2, 0.29, 3.7);
  default: return quotient(g, op, x[0], x[1]);
  }
}

/* Devices may round twice. */
static kgi_gval apply_fma(kgi_gen *g) {
  if (!kgi_has(g, KGI_FUZZ_FUNCTIONS)) return apply_binary(g);
  kgi_gval x[3];
  for (unsigned k = 0; k < 3; k++) x[k] = kgi_greal(g);
  double p[] = {x[0].lo * x[1].lo, x[0].lo * x[1].hi, x[0].hi * x[1].lo, x[0].hi * x[1].hi};
  return kgi_gop(g, KGI_OP_fma, x, 3, smallest(p, 4) + x[2].lo, largest(p, 4) + x[2].hi);
}

/* The same in both modes, as the derivative of a function is. */
static kgi_gval apply_stated(kgi_gen *g) {
  kgi_gval x[4];
  for (unsigned k = 0; k < 2; k++) x[k] = kgi_greal(g);
  if (kgi_chance(g, 2)) x[0] = kgi_gop(g, KGI_OP_stop_gradient, x, 1, x[0].lo, x[0].hi);
  x[2] = x[3] = kgi_gfit(g, kgi_greal(g), -2, 2);
  return kgi_gop(g, KGI_OP_with_partial, x, 4, x[0].lo, x[0].hi);
}

static kgi_gval apply_select(kgi_gen *g) {
  kgi_gval x[3] = {kgi_gbool(g, false)};
  for (unsigned k = 1; k < 3; k++) x[k] = kgi_greal(g);
  return kgi_gop(g, KGI_OP_select, x, 3, fmin(x[1].lo, x[2].lo), fmax(x[1].hi, x[2].hi));
}

static kgi_gval apply_clamp(kgi_gen *g) {
  kgi_gval x[3] = {kgi_greal(g)};
  for (unsigned k = 1; k < 3; k++) x[k] = kgi_gliteral(g, g->real, k == 1 ? -0.5 : 0.75);
  if (kgi_chance(g, 2)) x[1] = kgi_greal(g);
  if (kgi_chance(g, 2)) x[2] = kgi_greal(g);
  double lo[] = {x[0].lo, x[1].lo, x[2].lo}, hi[] = {x[0].hi, x[1].hi, x[2].hi};
  return kgi_gop(g, KGI_OP_clamp, x, 3, smallest(lo, 3), largest(hi, 3));
}

static kgi_gval from_int(kgi_gen *g) {
  kgi_gval x = kgi_gint(g, false);
  kgi_gval pair[2] = {x, kgi_gliteral(g, x.type, 7)};
  if (x.lo < -64 || x.hi > 64) x = kgi_gop(g, KGI_OP_and, pair, 2, 0, 7);
  return kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2);
}

/* Through another float type and back. */
static kgi_gval round_trip(kgi_gen *g) {
  static const kg_type types[] = {KG_F64, KG_F16, KG_F32};
  kg_type other = types[kgi_choose(g, 3)];
  kgi_gval x = kgi_gconvert(g, other, kgi_greal(g));
  kgi_gval pair[2] = {x, x};
  double most = fmax(fabs(x.lo), fabs(x.hi));
  if (kgi_chance(g, 2)) x = kgi_gop(g, KGI_OP_mul, pair, 2, 0, most * most);
  return kgi_gconvert(g, g->real, x);
}

/* A function evaluated where it is infinite or NaN, and kept out by a select; or not evaluated there, by a branch. */
static kgi_gval edge(kgi_gen *g) {
  static const kgi_op ops[] = {KGI_OP_sqrt, KGI_OP_div, KGI_OP_log, KGI_OP_rsqrt};
  kgi_op op = ops[kgi_choose(g, functions(g) ? 4 : 2)];
  kgi_gval x = kgi_gfit(g, kgi_greal(g), -2, 2), zero = kgi_gliteral(g, g->real, 0), one = kgi_gliteral(g, g->real, 1);
  kgi_gval pair[2] = {x, kgi_gliteral(g, g->real, op == KGI_OP_sqrt || op == KGI_OP_div ? 0 : 0.125)};
  kgi_gval c = kgi_gop(g, KGI_OP_gt, pair, 2, 0, 1), arms[3] = {c, x, zero};
  kgi_gval part[2] = {one, x};
  unsigned mark = g->values;
  arms[1] = op == KGI_OP_div ? kgi_gop(g, op, part, 2, -64, 64) : kgi_gop(g, op, &x, 1, -64, 64);
  g->values = mark;
  if (op == KGI_OP_div) {
    kgi_gval cap[2] = {arms[1], kgi_gliteral(g, g->real, 4)};
    arms[1] = kgi_gop(g, KGI_OP_min, cap, 2, -64, 4);
    g->values = mark;
  }
  return kgi_gop(g, KGI_OP_select, arms, 3, -4, 4);
}

static kgi_gval load(kgi_gen *g) {
  kgi_gval x;
  return kgi_gload(g, &x) ? x : kgi_greal(g);
}

void kgi_glet_real(kgi_gen *g) {
  kgi_gval x;
  switch (kgi_choose(g, 16)) {
  default: x = apply_binary(g); break;
  case 7: case 8: case 9: case 10: x = apply_unary(g); break;
  case 11: x = kgi_chance(g, 2) ? apply_fma(g) : apply_stated(g); break;
  case 12: x = kgi_chance(g, 2) ? apply_clamp(g) : apply_select(g); break;
  case 13: x = from_int(g); break;
  case 14: x = kgi_has(g, KGI_FUZZ_TYPES) ? round_trip(g) : apply_select(g); break;
  case 15: x = kgi_has(g, KGI_FUZZ_EDGES) ? edge(g) : load(g); break;
  }
  if (x.lo < -8 || x.hi > 8) kgi_gfit(g, x, -2, 2);
}

/* ---- rows that take every type ---- */

/* A bool, or a number small enough for every type. */
static kgi_gval small(kgi_gen *g, kg_type type) {
  kgi_gval x = kgi_gof(g, type);
  if (!kgi_is_int(type) || (x.lo >= 0 && x.hi <= 7)) return x;
  kgi_gval pair[2] = {x, kgi_gliteral(g, type, 7)};
  return kgi_gop(g, KGI_OP_and, pair, 2, 0, 7);
}

static kg_type any_type(kgi_gen *g) { return (kg_type)(KG_BOOL + kgi_choose(g, KG_F64 - KG_BOOL + 1)); }

static void convert_any(kgi_gen *g) {
  kgi_gval x = small(g, any_type(g));
  kg_type to = any_type(g);
  kgi_gpush(g, kgi_convert(&g->b, to, x.v), kgi_type_kind_of(to) == KGI_UINT ? 0 : fmin(x.lo, 0), fmax(x.hi, 1), x.uniform);
}

void kgi_glet_any(kgi_gen *g) {
  static const kgi_op ops[] = {KGI_OP_select, KGI_OP_stop_gradient, KGI_OP_eq, KGI_OP_ne, KGI_OP_convert, KGI_OP_convert};
  kgi_op op = ops[kgi_choose(g, 6)];
  if (op == KGI_OP_convert) {
    convert_any(g);
    return;
  }
  kg_type type = any_type(g);
  kgi_gval x[3];
  for (unsigned k = 0; k < 3; k++) x[k] = kgi_gof(g, type);
  double lo = x[0].lo, hi = x[0].hi;
  if ((op == KGI_OP_eq || op == KGI_OP_ne) && kgi_is_float(type) && !kgi_has(g, KGI_FUZZ_FLOAT_BRANCH)) return;
  if (op == KGI_OP_eq || op == KGI_OP_ne) lo = 0, hi = 1;
  if (op == KGI_OP_select) x[0] = kgi_gbool(g, false), lo = fmin(x[1].lo, x[2].lo), hi = fmax(x[1].hi, x[2].hi);
  kgi_gop(g, op, x, kgi_op_rows[op].arity, lo, hi);
}

/* ---- integers ---- */

/* Bounds that hold without wrapping, or those of the type. */
static kgi_gval bounded(kgi_gen *g, kgi_op op, const kgi_gval *x, unsigned count, double lo, double hi) {
  double least, most;
  kgi_gwild(x[0].type, &least, &most);
  bool fits = lo >= least && hi < most;
  return kgi_gop(g, op, x, count, fits ? lo : least, fits ? hi : most);
}

static void tame_int(kgi_gen *g) {
  static const kgi_op ops[] = {KGI_OP_add, KGI_OP_mul, KGI_OP_rem, KGI_OP_div, KGI_OP_min, KGI_OP_max, KGI_OP_and, KGI_OP_sub};
  kgi_op op = ops[kgi_choose(g, 8)];
  kgi_gval x[2] = {kgi_gint(g, false), {{0}, 0, 0, 0, 0}};
  if (!kgi_gpick(g, x[0].type, false, &x[1]) || kgi_chance(g, 2)) x[1] = kgi_gliteral(g, x[0].type, 1 + kgi_choose(g, 5));
  double p[] = {x[0].lo * x[1].lo, x[0].lo * x[1].hi, x[0].hi * x[1].lo, x[0].hi * x[1].hi};
  bool natural = x[0].lo >= 0 && x[1].lo >= 0, one = x[1].lo >= 1;
  double least, most;
  kgi_gwild(x[0].type, &least, &most);
  switch ((int)op) {
  case KGI_OP_add: bounded(g, op, x, 2, x[0].lo + x[1].lo, x[0].hi + x[1].hi); return;
  case KGI_OP_sub: bounded(g, op, x, 2, x[0].lo - x[1].hi, x[0].hi - x[1].lo); return;
  case KGI_OP_mul: bounded(g, op, x, 2, smallest(p, 4), largest(p, 4)); return;
  case KGI_OP_min: kgi_gop(g, op, x, 2, fmin(x[0].lo, x[1].lo), fmin(x[0].hi, x[1].hi)); return;
  case KGI_OP_max: kgi_gop(g, op, x, 2, fmax(x[0].lo, x[1].lo), fmax(x[0].hi, x[1].hi)); return;
  case KGI_OP_and: kgi_gop(g, op, x, 2, natural ? 0 : least, natural ? fmin(x[0].hi, x[1].hi) : most); return;
  default: break;
  }
  if (natural && one) kgi_gop(g, op, x, 2, 0, op == KGI_OP_rem ? fmin(x[0].hi, x[1].hi - 1) : x[0].hi);
  else kgi_gop(g, op, x, 2, least, most);
}

static bool takes_integers(kgi_op op) {
  unsigned rule = kgi_op_rows[op].rule;
  return rule == KGI_RULE_NUM || rule == KGI_RULE_INT || rule == KGI_RULE_LOGIC || rule == KGI_RULE_BITS || rule == KGI_RULE_SAME ||
         rule == KGI_RULE_CMP || rule == KGI_RULE_PLACE;
}

static kgi_gval int_of(kgi_gen *g, kg_type type) {
  kgi_gval x;
  if (kgi_gpick(g, type, false, &x) && kgi_choose(g, 4)) return x;
  if (kgi_choose(g, 2)) return kgi_gconvert(g, type, kgi_gint(g, false));
  static const double some[] = {0, 1, 7, 31, 255, 65535, 2147483647.0, 33};
  return kgi_gliteral(g, type, some[kgi_choose(g, 8)]);
}

/* Any row of the table, on any integers. */
static void wild_int(kgi_gen *g) {
  static const kg_type types[] = {KG_U32, KG_I32, KG_I64, KG_U64};
  unsigned at = kgi_choose(g, KGI_OP_COUNT);
  while (!takes_integers((kgi_op)at)) at = (at + 1) % KGI_OP_COUNT;
  kgi_op op = (kgi_op)at;
  kg_type type = types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 4 : 2)];
  kgi_gval x[4];
  for (unsigned k = 0; k < 4; k++) x[k] = int_of(g, type);
  if (kgi_op_rows[op].rule == KGI_RULE_BITS)
    for (unsigned i = op == KGI_OP_bit_insert ? 2 : 1; i < 4; i++) x[i] = int_of(g, KG_U32);
  bool place = kgi_op_rows[op].rule == KGI_RULE_PLACE; /* in a few short rows, or behind one that is none */
  if (place) x[1] = kgi_gliteral(g, KG_U32, kgi_chance(g, 8) ? 4294967295.0 : kgi_choose(g, 8));
  if (place) x[2] = kgi_gliteral(g, KG_U32, 1 + kgi_choose(g, 9));
  double lo, hi;
  kgi_gwild(place ? KG_U32 : type, &lo, &hi);
  kgi_gval y = kgi_gop(g, op, x, kgi_op_rows[op].arity, lo, hi);
  if (y.type == KG_BOOL || y.type == KG_U32 || kgi_type_bits(type) == 32) return;
  kgi_gwild(KG_U32, &lo, &hi);
  kgi_gpush(g, kgi_convert(&g->b, KG_U32, y.v), lo, hi, y.uniform);
}

static void from_real(kgi_gen *g) {
  kgi_gval x = kgi_greal(g), pair[2] = {x, kgi_gliteral(g, g->real, 4)};
  x = kgi_gop(g, KGI_OP_mul, pair, 2, 4 * fmin(x.lo, 0), 4 * fmax(x.hi, 0));
  kgi_gconvert(g, KG_I32, x);
}

void kgi_glet_int(kgi_gen *g) {
  kgi_gval x;
  unsigned kind = kgi_choose(g, 8);
  if (kind >= 6 && kgi_has(g, KGI_FUZZ_INT)) wild_int(g);
  else if (kind == 5 && kgi_has(g, KGI_FUZZ_FLOAT_BRANCH)) from_real(g);
  else if (kind == 4 && kgi_gload_int(g, &x)) return;
  else tame_int(g);
}

/* ---- bits of floats ---- */

static kgi_gval word(kgi_gen *g, kgi_op op, const kgi_gval *x, unsigned count) { return kgi_gop(g, op, x, count, 0, 0x1p32); }

static void unpack(kgi_gen *g, kgi_op op, kgi_gval packed, double lo, double hi) {
  kgi_gval x[2] = {packed, kgi_gliteral(g, KG_U32, kgi_choose(g, 5))};
  kgi_gconvert(g, g->real, kgi_gop(g, op, x, 2, lo, hi));
}

/* The bits of a number as one of another kind. Where that is a float, they are first made those of one in [1, 2). */
static void reinterpret(kgi_gen *g) {
  static const kg_type types[2][3] = {{KG_U32, KG_I32, KG_F32}, {KG_U64, KG_I64, KG_F64}};
  const kg_type *row = types[kgi_has(g, KGI_FUZZ_TYPES) && kgi_chance(g, 2)];
  kg_type from = row[kgi_choose(g, 3)], to = row[kgi_choose(g, 3)];
  if (kgi_has(g, KGI_FUZZ_TYPES) && kgi_chance(g, 12)) from = to = KG_F16;
  kgi_gval x = kgi_gof(g, from);
  double lo = x.lo, hi = x.hi;
  if (kgi_is_float(to) && kgi_is_int(from)) {
    bool wide = kgi_type_bits(from) == 64;
    kgi_val mantissa = kgi_int(&g->b, from, wide ? INT64_C(0xFFFFFFFFFFFFF) : 0x7FFFFF);
    kgi_val one = kgi_int(&g->b, from, wide ? INT64_C(0x3FF0000000000000) : 0x3F800000);
    x.v = kgi_op2(&g->b, KGI_OP_or, kgi_op2(&g->b, KGI_OP_and, x.v, mantissa), one);
    lo = 1, hi = 2;
  } else if (kgi_is_int(to)) {
    kgi_gwild(to, &lo, &hi);
  }
  kgi_gpush(g, kgi_bitcast(&g->b, to, x.v), lo, hi, x.uniform);
}

void kgi_glet_bits(kgi_gen *g) {
  kgi_gval x[4], bits;
  for (unsigned i = 0; i < 4; i++) x[i] = kgi_gconvert(g, KG_F32, kgi_greal(g));
  kgi_gval any = {kgi_gconvert(g, KG_U32, kgi_gint(g, false)).v, KG_U32, false, 0, 0x1p32};
  switch (kgi_choose(g, 8)) {
  case 6: case 7: reinterpret(g); return;
  case 0: /* there and back */
    bits = kgi_gpush(g, kgi_bitcast(&g->b, KG_U32, x[0].v), 0, 0x1p32, false);
    kgi_gconvert(g, g->real, kgi_gpush(g, kgi_bitcast(&g->b, KG_F32, bits.v), x[0].lo, x[0].hi, false));
    return;
  case 1: unpack(g, KGI_OP_unpack_half_2x16, word(g, KGI_OP_pack_half_2x16, x, 2), -9, 9); return;
  case 2: unpack(g, KGI_OP_unpack_unorm_2x16, kgi_chance(g, 2) ? any : word(g, KGI_OP_pack_unorm_2x16, x, 2), 0, 1); return;
  case 3: unpack(g, KGI_OP_unpack_snorm_2x16, kgi_chance(g, 2) ? any : word(g, KGI_OP_pack_snorm_2x16, x, 2), -1, 1); return;
  case 4: unpack(g, KGI_OP_unpack_unorm_4x8, kgi_chance(g, 2) ? any : word(g, KGI_OP_pack_unorm_4x8, x, 4), 0, 1); return;
  default: unpack(g, KGI_OP_unpack_snorm_4x8, kgi_chance(g, 2) ? any : word(g, KGI_OP_pack_snorm_4x8, x, 4), -1, 1); return;
  }
}
