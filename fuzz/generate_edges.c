/* Shapes of values at the ends of what their types hold: the least and the greatest of integers, amounts past a width, floats that are
 * zero of either sign, far apart, or none, as they were loaded; and indices that a guard lets through. */
#include "fuzz/gen.h"

#include <math.h>

static kgi_gval op2(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y, double lo, double hi) {
  return kgi_gop(g, op, (kgi_gval[]){x, y}, 2, lo, hi);
}

static kgi_gval real(kgi_gen *g, double x) { return kgi_gliteral(g, g->real, x); }

static kgi_gval chosen(kgi_gen *g, kgi_gval c, double yes, double no) {
  kgi_gval x[3] = {c};
  x[1] = real(g, yes);
  x[2] = real(g, no);
  return kgi_gop(g, KGI_OP_select, x, 3, fmin(yes, no), fmax(yes, no));
}

/* ---- integers ---- */

void kgi_gcount_bits(kgi_gen *g, kgi_gval x) {
  kgi_gmark mark = kgi_gscope(g);
  for (unsigned by = kgi_type_bits(x.type) / 2; by >= 4; by /= 2) {
    kgi_gval high = op2(g, KGI_OP_shr, x, kgi_gliteral(g, x.type, by), 0, 0x1p64);
    x = op2(g, KGI_OP_xor, x, high, 0, 0x1p64);
  }
  x = op2(g, KGI_OP_and, x, kgi_gliteral(g, x.type, 15), 0, 15);
  x = kgi_gconvert(g, g->real, x);
  kgi_gval y = op2(g, KGI_OP_mul, x, real(g, 0.125), 0, 1.875);
  kgi_gleave(g, mark);
  kgi_gpush(g, y.v, 0, 1.875, y.uniform);
}

/* Near the end of a type or a width, by a bit that is not known here. */
static kgi_gval corner(kgi_gen *g, kg_type type) {
  static const int64_t some[] = {0, 1, -1, 2, -2, 3, -7, 31, 32, 33, 63, 64, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
  kgi_gval bit = kgi_gconvert(g, type, kgi_gbelow(g, 2, (kgi_val){0}));
  unsigned which = kgi_choose(g, sizeof some / sizeof *some);
  kgi_gval x = {kgi_int(&g->b, type, some[which]), type, true, 0, 0};
  return op2(g, KGI_OP_xor, x, bit, -0x1p63, 0x1p64); /* anything: none that is taken for an index */
}

static void integers(kgi_gen *g) {
  static const kg_type types[] = {KG_I32, KG_U32, KG_I64, KG_U64};
  static const kgi_op ops[] = {KGI_OP_mod, KGI_OP_rem, KGI_OP_div, KGI_OP_mul_high, KGI_OP_shl, KGI_OP_shr, KGI_OP_rotl, KGI_OP_abs_diff};
  kg_type type = types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 4 : 2)];
  kgi_gmark mark = kgi_gscope(g);
  kgi_gval x = corner(g, type), y = corner(g, type);
  if (kgi_chance(g, 3)) x = op2(g, KGI_OP_mul, x, y, 0, 0); /* a multiple */
  kgi_gval z = op2(g, ops[kgi_choose(g, sizeof ops / sizeof *ops)], x, y, 0, 0);
  kgi_gleave(g, mark);
  kgi_gcount_bits(g, z);
}

bool kgi_gshape_of_integers(kgi_gen *g) {
  if (!kgi_has(g, KGI_FUZZ_INT)) return false;
  for (unsigned n = 0; n < GEN_SEVERAL; n++) integers(g), kgi_gcount_newest(g);
  kgi_gmade(g, SHAPE_integer_ends);
  return true;
}

/* ---- floats ---- */

/* As it was loaded, whatever it is. */
static bool load_raw(kgi_gen *g, kgi_gval *out) {
  for (unsigned i = kgi_choose(g, 3), n = 0; n < g->objects; n++) {
    kgi_gobject o = g->object[(i + n) % g->objects];
    uint32_t length = o.role == ROLE_INPUT ? kgi_glength(g, o.length) : 0;
    if (!length || !kgi_is_float(o.type)) continue;
    kgi_val at = o.scalar ? (kgi_val){0} : kgi_gbelow(g, length, (kgi_val){0}).v;
    *out = kgi_gconvert(g, g->real, (kgi_gval){kgi_load(&g->b, o.o, at), kgi_type_value(o.type), false, -2, 2});
    return true;
  }
  return false;
}

/* What is no number, or lies outside, becomes the most that there is, which nothing else is. */
static kgi_gval tamed(kgi_gen *g, kgi_gval x, double most) {
  kgi_gval above = op2(g, KGI_OP_gt, x, real(g, -most), 0, 1), below = op2(g, KGI_OP_lt, x, real(g, most), 0, 1);
  kgi_gval inside = op2(g, KGI_OP_and, above, below, 0, 1);
  return kgi_gop(g, KGI_OP_select, (kgi_gval[]){inside, x, real(g, most)}, 3, -most, most);
}

/* Half of them are roots: what is below 0 has none. */
static kgi_gval compared(kgi_gen *g, kgi_gval x) {
  static const kgi_op ops[] = {KGI_OP_le, KGI_OP_ge, KGI_OP_eq, KGI_OP_lt, KGI_OP_ne};
  unsigned pick = kgi_choose(g, 10);
  if (pick >= 5) x = kgi_gop(g, KGI_OP_sqrt, &x, 1, 0, 2);
  return chosen(g, op2(g, ops[pick % 5], x, x, 0, 1), 1, -0.5);
}

/* What is left of a large number by a small one, as far apart as both may lie. Both are exact, so that what is left is known. */
static kgi_gval remainder_of(kgi_gen *g, kgi_gval x, kgi_gval y) {
  kgi_op op = kgi_choose(g, 2) ? KGI_OP_mod : KGI_OP_rem;
  bool far = g->real != KG_F16 && kgi_choose(g, 3);
  int up = far ? 126 : g->real == KG_F16 ? 6 : 60, down = far ? 121 : up;
  x = op2(g, KGI_OP_mul, x, real(g, ldexp(1, up)), 0, 0);
  kgi_gval z = op2(g, op, x, op2(g, KGI_OP_mul, y, real(g, ldexp(1, -down)), 0, 0), 0, 0);
  return tamed(g, op2(g, KGI_OP_mul, z, real(g, ldexp(1, down)), 0, 0), 4);
}

/* Zero is as likely as another, of the sign that x has; data decide, since a driver may know what a product by 0 is. */
static kgi_gval maybe_zero(kgi_gen *g, kgi_gval x) {
  kgi_gval bit = kgi_gconvert(g, g->real, kgi_gbelow(g, 2, (kgi_val){0}));
  return op2(g, KGI_OP_mul, x, bit, 0, 0);
}

static kgi_gval angle_of(kgi_gen *g, kgi_gval y, kgi_gval x) {
  y = maybe_zero(g, y), x = maybe_zero(g, x);
  return tamed(g, op2(g, KGI_OP_atan2, y, x, 0, 0), 4);
}

/* A large number, or what is none, as an integer. */
static kgi_gval as_integer(kgi_gen *g, kgi_gval x) {
  static const kg_type types[] = {KG_I32, KG_U32, KG_I64, KG_U64};
  if (kgi_choose(g, 2)) x = kgi_gop(g, KGI_OP_sqrt, &x, 1, 0, 0);
  if (kgi_choose(g, 2) && g->real != KG_F16) x = op2(g, KGI_OP_mul, x, real(g, 0x1p31), 0, 0);
  kg_type type = types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 4 : 2)];
  return (kgi_gval){kgi_convert(&g->b, type, x.v), type, false, 0, 0};
}

/* Nothing of it is differentiated. The kinds come in turn. */
static bool floats(kgi_gen *g, unsigned turn) {
  kgi_gval x, y;
  kgi_gmark mark = kgi_gscope(g);
  if (!load_raw(g, &x) || !load_raw(g, &y)) return false;
  x = kgi_gop(g, KGI_OP_stop_gradient, &x, 1, -2, 2), y = kgi_gop(g, KGI_OP_stop_gradient, &y, 1, -2, 2);
  bool angles = kgi_has(g, KGI_FUZZ_FUNCTIONS) && (g->real != KG_F64 || kgi_has(g, KGI_FUZZ_WIDE));
  unsigned kind = turn % (angles ? 4 : 3);
  kgi_gval z = kind == 0 ? compared(g, x) : kind == 1 ? remainder_of(g, x, y) : kind == 2 ? as_integer(g, x) : angle_of(g, x, y);
  kgi_gleave(g, mark);
  if (kgi_is_int(z.type)) kgi_gcount_bits(g, z);
  else kgi_gpush(g, z.v, -4, 4, false);
  kgi_gmade(g, kind == 0 ? SHAPE_float_itself : kind == 1 ? SHAPE_float_apart : kind == 2 ? SHAPE_float_word : SHAPE_float_angle);
  return true;
}

bool kgi_gshape_of_floats(kgi_gen *g) {
  unsigned first = kgi_choose(g, 4);
  if (!kgi_has(g, KGI_FUZZ_EDGES) || !floats(g, first)) return false;
  for (unsigned n = 1; n < GEN_SEVERAL; n++) kgi_gcount_newest(g), floats(g, first + n);
  return true;
}

/* Not below 0, or 0 whatever it is, which is no constant: it has the derivative of x. */
static kgi_gval not_negative(kgi_gen *g, kgi_gval x) {
  if (kgi_choose(g, 2)) return op2(g, KGI_OP_max, x, real(g, 0), 0, 2);
  return op2(g, KGI_OP_sub, x, kgi_gop(g, KGI_OP_stop_gradient, &x, 1, -2, 2), 0, 0);
}

/* 0 to the power of 0, 1 or 2, which data decide. */
bool kgi_gshape_of_powers(kgi_gen *g) {
  kgi_gval x, y;
  if (!kgi_has(g, KGI_FUZZ_FUNCTIONS) || (g->real == KG_F64 && !kgi_has(g, KGI_FUZZ_WIDE)) || !load_raw(g, &x)) return false;
  x = not_negative(g, x);
  kgi_gval power = kgi_gconvert(g, g->real, kgi_gbelow(g, 3, (kgi_val){0}));
  y = op2(g, KGI_OP_pow, x, power, 0, 4);
  kgi_gfit(g, y, -2, 2);
  kgi_gmade(g, SHAPE_power_of_zero);
  return true;
}

bool kgi_gshape_of_halves(kgi_gen *g) {
  kgi_gval x[3];
  if (!kgi_has(g, KGI_FUZZ_TYPES)) return false;
  for (unsigned k = 0; k < 3; k++) {
    if (!load_raw(g, &x[k])) return false;
    x[k] = kgi_gconvert(g, KG_F16, x[k]);
  }
  kgi_gconvert(g, g->real, kgi_gop(g, KGI_OP_fma, x, 3, -6, 6));
  kgi_gmade(g, SHAPE_half_fma);
  return true;
}

/* ---- indices ---- */

/* The longest of the inputs, by whose length a guard lets most through. */
static kgi_gval input_length(kgi_gen *g) {
  kgi_gval most = kgi_gliteral(g, KG_U32, 8);
  uint32_t longest = 0;
  for (unsigned i = 0; i < g->objects; i++) {
    const kgi_gobject *o = &g->object[i];
    if (o->role != ROLE_INPUT || o->scalar || kgi_glength(g, o->length) <= longest) continue;
    longest = kgi_glength(g, o->length);
    most = (kgi_gval){kgi_len_value(&g->b, o->o), KG_U32, true, 0, 64};
  }
  return most;
}

/* Each invocation has another, and the last of them lie beyond `count`. */
static kgi_val around(kgi_gen *g, uint32_t count) {
  kgi_val id = kgi_id_value(&g->b, KGI_ID_local_index, 0);
  id = kgi_op2(&g->b, KGI_OP_add, id, kgi_u32(&g->b, kgi_choose(g, count + 3)));
  return kgi_op2(&g->b, KGI_OP_rem, id, kgi_u32(&g->b, count + 3));
}

static void guarded(kgi_gen *g, kgi_obj few, uint32_t count, kgi_obj sum, bool either) {
  kgi_gval at = {around(g, count), KG_U32, false, 0, count + 2};
  kgi_gval bound = either ? kgi_gliteral(g, KG_U32, count) : input_length(g), c = op2(g, KGI_OP_lt, at, bound, 0, 1);
  if (either) c = op2(g, KGI_OP_or, c, kgi_gbool(g, false), 0, 1);
  kgi_gstate s;
  kgi_if_begin(&g->b, c.v);
  kgi_genter(g, &s);
  kgi_gcount(g, sum, kgi_gbent(g, kgi_gpush(g, kgi_load(&g->b, few, at.v), -2, 2, false)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

/* A few elements of the invocation's own, and indices that guards say little of: loads beyond them give 0. */
bool kgi_gshape_of_guards(kgi_gen *g) {
  char name[24];
  if (!kgi_has(g, KGI_FUZZ_BOUNDS)) return false;
  unsigned count = 2 + kgi_choose(g, 3);
  bool either = kgi_choose(g, 2);
  kgi_dim length = kgi_len_int(&g->b, count);
  kgi_obj few = kgi_var(&g->b, kgi_gname(g, "few", name), g->real, length);
  kgi_obj sum = kgi_gsum(g);
  for (unsigned k = 0; k < count; k++) {
    kgi_gval x = kgi_gtame(g);
    kgi_store(&g->b, few, kgi_u32(&g->b, k), x.v);
  }
  for (unsigned n = 0; n < GEN_SEVERAL; n++) guarded(g, few, count, sum, either);
  kgi_gtotal(g, sum);
  kgi_gmade(g, either ? SHAPE_guard_either : SHAPE_guard_other);
  return true;
}
