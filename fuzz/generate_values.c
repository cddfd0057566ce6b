/* Values in scope: picking them, fitting them into a range, indices, conditions. */
#include "fuzz/gen.h"

#include <math.h>

unsigned kgi_choose(kgi_gen *g, unsigned count) {
  unsigned raw = 0;
  if (count < 2) return 0;
  if (g->at < g->end) raw = *g->at++;
  if (count > 256 && g->at < g->end) raw = raw << 8 | *g->at++;
  return count > 256 ? (unsigned)((uint64_t)raw * count >> 16) : raw * count >> 8;
}

bool kgi_chance(kgi_gen *g, unsigned of) { return kgi_choose(g, of) + 1 == of; }

kgi_gval kgi_gpush(kgi_gen *g, kgi_val v, double lo, double hi, bool uniform) {
  kgi_gval x = {v, g->b.status == KG_OK ? kgi_type_of(g->b.p, v) : KG_F32, uniform, lo, hi};
  if (g->values < GEN_VALUES) g->value[g->values++] = x;
  return x;
}

kgi_gval kgi_gliteral(kgi_gen *g, kg_type type, double x) {
  kgi_val v = kgi_is_float(type) ? kgi_float(&g->b, type, x) : kgi_int(&g->b, type, (int64_t)x);
  return (kgi_gval){v, type, true, x, x};
}

/* The newest are the likeliest, so that results are used. */
bool kgi_gpick(kgi_gen *g, kg_type type, bool uniform, kgi_gval *out) {
  unsigned skip = kgi_choose(g, 3) == 2 ? kgi_choose(g, 24) : kgi_choose(g, 4);
  bool found = false;
  for (unsigned i = g->values; i-- > 0;) {
    const kgi_gval *x = &g->value[i];
    if (x->type != type || (uniform && !x->uniform)) continue;
    *out = *x, found = true;
    if (skip-- == 0) break;
  }
  return found;
}

kgi_gval kgi_gop(kgi_gen *g, kgi_op op, const kgi_gval *x, unsigned count, double lo, double hi) {
  kgi_val v[4] = {{0}};
  bool uniform = true;
  for (unsigned i = 0; i < count; i++) v[i] = x[i].v, uniform &= x[i].uniform;
  kgi_gval y = kgi_gpush(g, kgi_apply(&g->b, op, v, count), lo, hi, uniform);
  char name[24];
  if (kgi_chance(g, 8)) kgi_name(&g->b, y.v, kgi_gname(g, "t", name));
  return y;
}

void kgi_gwild(kg_type type, double *lo, double *hi) {
  bool is_signed = type == KG_I32 || type == KG_I64;
  double half = ldexp(1, (int)kgi_type_bits(type) - 1);
  *lo = is_signed ? -half : 0, *hi = is_signed ? half : 2 * half;
}

kgi_gval kgi_gconvert(kgi_gen *g, kg_type type, kgi_gval x) {
  if (x.type == type) return x;
  double lo = x.lo, hi = x.hi, least, most;
  if (kgi_is_int(type)) {
    kgi_gwild(type, &least, &most);
    lo = floor(lo), hi = ceil(hi);
    if (lo < least || hi >= most) lo = least, hi = most;
  }
  return kgi_gpush(g, kgi_convert(&g->b, type, x.v), lo, hi, x.uniform);
}

/* Exact factors and terms, so that what was equal stays equal. */
kgi_gval kgi_gfit(kgi_gen *g, kgi_gval x, double lo, double hi) {
  if (x.lo >= lo && x.hi <= hi) return x;
  double centre = lo <= -hi * 0.99 && lo >= -hi * 1.01 ? 0 : ldexp(rint(ldexp(lo + hi, 4)), -5);
  double room = fmin(hi - centre, centre - lo), most = fmax(fabs(x.lo), fabs(x.hi));
  double factor = ldexp(1, (int)floor(log2(room * 0.999 / fmax(most, 1e-3))));
  if (factor < 1) {
    kgi_gval pair[2] = {x, kgi_gliteral(g, x.type, factor)};
    x = kgi_gop(g, KGI_OP_mul, pair, 2, x.lo * factor, x.hi * factor);
  }
  if (centre != 0) {
    kgi_gval pair[2] = {x, kgi_gliteral(g, x.type, centre)};
    x = kgi_gop(g, KGI_OP_add, pair, 2, x.lo + centre, x.hi + centre);
  }
  return x;
}

static kgi_gval real_literal(kgi_gen *g) {
  static const double some[] = {1, 0.5, -1, 2, 0.25, -0.75, 1.5, 0.3, -0.7, 0, 1.1, -1.25};
  return kgi_gliteral(g, g->real, some[kgi_choose(g, sizeof some / sizeof *some)]);
}

kgi_gval kgi_greal(kgi_gen *g) {
  kgi_gval x;
  unsigned kind = kgi_choose(g, 8);
  if (kind < 3 && kgi_gpick(g, g->real, false, &x)) return x;
  if (kind < 7 && kgi_gload(g, &x)) return kgi_gfit(g, x, -4, 4);
  if (kind == 7) return real_literal(g);
  return kgi_gpick(g, g->real, false, &x) ? x : real_literal(g);
}

kgi_gval kgi_gof(kgi_gen *g, kg_type type) {
  kgi_gval x;
  if (type == KG_BOOL) return kgi_gbool(g, false);
  if (kgi_gpick(g, type, false, &x) && kgi_choose(g, 4)) return kgi_is_float(type) ? kgi_gfit(g, x, -2, 2) : x;
  if (kgi_is_float(type)) return kgi_gconvert(g, type, kgi_gfit(g, kgi_greal(g), -2, 2));
  return kgi_gconvert(g, type, kgi_gint(g, false));
}

kgi_gval kgi_gint(kgi_gen *g, bool uniform) {
  kgi_gval x;
  kg_type type = kgi_choose(g, 3) == 2 ? KG_I32 : KG_U32;
  unsigned kind = kgi_choose(g, 6);
  if (kind == 5 && kgi_has(g, KGI_FUZZ_GATHER) && !uniform && kgi_gload_int(g, &x)) return x;
  if (kind > 0 && kgi_gpick(g, type, uniform, &x)) return x;
  return kgi_gliteral(g, type, kgi_choose(g, 6));
}

/* ---- indices ---- */

static kgi_gval below(kgi_gen *g, uint32_t count, kgi_val length, bool beyond) {
  kgi_gval x = kgi_gint(g, false);
  if ((x.lo >= 0 && x.hi < count) || beyond) return x;
  kgi_gval by = length.i && x.type == KG_U32 && kgi_chance(g, 2) ? (kgi_gval){length, KG_U32, true, count, count}
                                                                 : kgi_gliteral(g, x.type, count);
  kgi_gval pair[2] = {x, by};
  if (x.lo < 0 || kgi_choose(g, 3)) return kgi_gop(g, x.lo < 0 ? KGI_OP_mod : KGI_OP_rem, pair, 2, 0, count - 1.0);
  pair[1] = kgi_gliteral(g, x.type, count - 1.0);
  return kgi_gop(g, KGI_OP_min, pair, 2, fmin(x.lo, count - 1.0), count - 1.0);
}

kgi_gval kgi_gbelow(kgi_gen *g, uint32_t count, kgi_val length) { return below(g, count, length, false); }

kgi_gval kgi_gindex(kgi_gen *g, uint32_t count, kgi_val length) {
  return below(g, count, length, kgi_has(g, KGI_FUZZ_BOUNDS) && kgi_chance(g, 16));
}

/* ---- conditions ---- */

static kgi_gval compare(kgi_gen *g, kgi_gval x, kgi_gval y) {
  static const kgi_op ops[] = {KGI_OP_lt, KGI_OP_le, KGI_OP_gt, KGI_OP_ge, KGI_OP_eq, KGI_OP_ne};
  kgi_gval pair[2] = {x, y};
  return kgi_gop(g, ops[kgi_choose(g, 6)], pair, 2, 0, 1);
}

static kgi_gval odd(kgi_gen *g, bool uniform) {
  kgi_gval x = kgi_gint(g, uniform);
  kgi_gval pair[2] = {x, kgi_gliteral(g, x.type, 1 + kgi_choose(g, 3))};
  kgi_gval bit[2] = {kgi_gop(g, KGI_OP_and, pair, 2, 0, pair[1].hi)};
  bit[1] = kgi_gliteral(g, x.type, kgi_choose(g, 2));
  return kgi_gop(g, kgi_chance(g, 2) ? KGI_OP_ne : KGI_OP_eq, bit, 2, 0, 1);
}

static kgi_gval both(kgi_gen *g, bool uniform) {
  static const kgi_op ops[] = {KGI_OP_and, KGI_OP_or, KGI_OP_xor, KGI_OP_eq, KGI_OP_ne};
  kgi_gval x, y, pair[2];
  if (!kgi_gpick(g, KG_BOOL, uniform, &x)) x = odd(g, uniform);
  y = odd(g, uniform);
  pair[0] = x, pair[1] = y;
  if (kgi_chance(g, 3)) return kgi_gop(g, KGI_OP_not, pair, 1, 0, 1);
  return kgi_gop(g, ops[kgi_choose(g, 5)], pair, 2, 0, 1);
}

kgi_gval kgi_gbool(kgi_gen *g, bool uniform) {
  kgi_gval x;
  unsigned kind = kgi_choose(g, 8);
  if (kind == 7) return both(g, uniform);
  if (kind >= 5 && !uniform && kgi_has(g, KGI_FUZZ_FLOAT_BRANCH)) {
    x = kgi_greal(g);
    if (kgi_chance(g, 8)) return kgi_gop(g, kgi_chance(g, 2) ? KGI_OP_is_inf : KGI_OP_is_nan, &x, 1, 0, 1);
    return compare(g, x, kgi_greal(g));
  }
  if (kind >= 3) return odd(g, uniform);
  if (kind == 2 && kgi_gpick(g, KG_BOOL, uniform, &x)) return x;
  if (kind == 1 && !uniform && kgi_gload_bool(g, &x)) return x;
  x = kgi_gint(g, uniform);
  kgi_gval y;
  if (!kgi_gpick(g, x.type, uniform, &y) || kgi_chance(g, 3)) y = kgi_gliteral(g, x.type, kgi_choose(g, 6));
  return compare(g, x, y);
}
