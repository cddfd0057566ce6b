/* A function is computed in fixed point (foundation/base/fixed.h), within 2^-150 of what it is: truncation adds some hundreds of units of
 * 2^-256, constants that are multiplied by up to 2^40 make 2^-216 of it, and quotients by numbers of at least 2^-20 make 2^-170. If
 * everything within 2^-150 rounds to one double, that is the nearest. Left open are results next to a tie, tiny or huge ones, and
 * arguments that are. */
#include "foundation/ir/certain.h"
#include "foundation/base/fixed.h"

#include <string.h>

enum { ERROR = 150 };
/* A result: v 2^scale, or nothing; `zero`: exactly a zero of v's sign. */
typedef struct result { kgi_fixed v; int scale; bool known, zero; } result;
typedef kgi_fixed fixed;

#define ADD kgi_fixed_add
#define SUB kgi_fixed_sub
#define MUL kgi_fixed_mul
#define DIV kgi_fixed_div
static fixed one(void) { return kgi_fixed_int(1); }
static fixed half(fixed a) { return kgi_fixed_shift(a, -1); }
static result known(fixed v, int scale) { return (result){v, scale, true, false}; }
static result unknown(void) { return (result){.known = false}; }

/* ---- series ---- */

/* z + z^3/3 + z^5/5 + ..., or with signs that change: the inverse hyperbolic tangent, or the inverse tangent, of small numbers */
static fixed inverse_series(fixed z, bool changes) {
  fixed sum = z, power = z, square = MUL(z, z);
  for (uint64_t n = 3; !kgi_fixed_is_zero(power); n += 2) {
    power = MUL(power, square);
    if (changes) power = kgi_fixed_neg(power);
    sum = ADD(sum, kgi_fixed_div_small(power, n));
  }
  return sum;
}

/* The terms r^n / n! of one parity, or all; their signs change or do not. */
static fixed power_series(fixed first, uint64_t n, unsigned step, fixed r, bool changes) {
  fixed sum = first, term = first;
  while (!kgi_fixed_is_zero(term)) {
    for (unsigned k = 0; k < step; k++) term = kgi_fixed_div_small(MUL(term, r), ++n);
    if (changes) term = kgi_fixed_neg(term);
    sum = ADD(sum, term);
  }
  return sum;
}

static fixed ln2(void) { return kgi_fixed_shift(inverse_series(kgi_fixed_div_small(one(), 3), false), 1); }

/* 4 (4 atan(1/5) - atan(1/239)) */
static fixed pi(void) {
  fixed a = inverse_series(kgi_fixed_div_small(one(), 5), true), b = inverse_series(kgi_fixed_div_small(one(), 239), true);
  fixed quarter = SUB(kgi_fixed_shift(a, 2), b);
  return kgi_fixed_shift(quarter, 2);
}

/* e^x = 2^k e^r; the first factor is the scale. */
static result exponential(fixed x) {
  fixed log = ln2();
  int64_t k = kgi_fixed_round(DIV(x, log));
  fixed r = SUB(x, MUL(kgi_fixed_int(k), log));
  return known(power_series(one(), 0, 1, r, false), (int)k);
}

/* v = m 2^e with m from 3/4 to 3/2: e ln 2 + 2 artanh((m - 1) / (m + 1)) */
static fixed mantissa_log(fixed v, int *e) {
  *e = kgi_fixed_top(v) - KGI_FIXED_POINT;
  fixed m = kgi_fixed_shift(v, -*e), bound = kgi_fixed_div_small(kgi_fixed_int(3), 2);
  if (kgi_fixed_compare(m, bound) >= 0) m = half(m), ++*e;
  fixed below = SUB(m, one()), above = ADD(m, one());
  return kgi_fixed_shift(inverse_series(DIV(below, above), false), 1);
}

static fixed logarithm(fixed v, int scale) {
  int e;
  fixed m = mantissa_log(v, &e);
  return ADD(MUL(kgi_fixed_int(e + scale), ln2()), m);
}

/* The angle is halved until the series is short. */
static fixed inverse_tangent(fixed v) {
  enum { HALVINGS = 3 };
  bool minus = v.minus, over = false;
  v.minus = false;
  if (kgi_fixed_compare(v, one()) > 0) over = true, v = DIV(one(), v);
  for (unsigned k = 0; k < HALVINGS; k++) {
    fixed root = kgi_fixed_sqrt(ADD(one(), MUL(v, v)));
    v = DIV(v, ADD(one(), root));
  }
  fixed angle = kgi_fixed_shift(inverse_series(v, true), HALVINGS);
  if (over) angle = SUB(half(pi()), angle);
  angle.minus = minus;
  return angle;
}

/* ---- functions ---- */

static bool is_moderate(fixed v) { return kgi_fixed_top(v) < KGI_FIXED_POINT + 30; }

static result turn(kgi_op op, fixed x) {
  fixed right = half(pi());
  if (kgi_fixed_top(x) >= KGI_FIXED_POINT + 40) return unknown();
  int64_t k = kgi_fixed_round(DIV(x, right));
  fixed r = SUB(x, MUL(kgi_fixed_int(k), right)), s = power_series(r, 1, 2, r, true), c = power_series(one(), 0, 2, r, true);
  bool odd = k & 1, back = k & 2;
  fixed sine = odd ? c : s, cosine = odd ? kgi_fixed_neg(s) : c;
  if (op == KGI_OP_sin) return known(back ? kgi_fixed_neg(sine) : sine, 0);
  if (op == KGI_OP_cos) return known(back ? kgi_fixed_neg(cosine) : cosine, 0);
  if (kgi_fixed_top(cosine) < KGI_FIXED_POINT - 16) return unknown();
  return known(DIV(sine, cosine), 0);
}

/* Within 2^-62 of 1 where x is small. */
static result sine_over(fixed x) {
  if (kgi_fixed_top(x) < KGI_FIXED_POINT - 30) return known(one(), 0);
  result sine = turn(KGI_OP_sin, x);
  return sine.known ? known(DIV(sine.v, x), 0) : sine;
}

/* (e^|x| -+ e^-|x|) / 2, e^x - 1, and the quotients */
static result hyperbolic(kgi_op op, fixed x) {
  bool minus = x.minus;
  x.minus = false;
  result e = exponential(op == KGI_OP_tanh ? kgi_fixed_neg(kgi_fixed_shift(x, 1)) : x);
  if (op == KGI_OP_tanh) {
    fixed t = kgi_fixed_shift(e.v, e.scale), y = DIV(SUB(one(), t), ADD(one(), t));
    return y.minus = minus, known(y, 0);
  }
  fixed inverse = kgi_fixed_shift(DIV(one(), e.v), -2 * e.scale);
  fixed y = half(op == KGI_OP_cosh ? ADD(e.v, inverse) : SUB(e.v, inverse));
  if (op == KGI_OP_sinh) y.minus = minus;
  return known(y, e.scale);
}

static result less_one(fixed x) {
  result e = exponential(x);
  if (e.scale < 0) return known(SUB(kgi_fixed_shift(e.v, e.scale), one()), 0);
  return known(SUB(e.v, kgi_fixed_shift(one(), -e.scale)), e.scale);
}

static result inverse_hyperbolic(kgi_op op, fixed x) {
  bool minus = x.minus;
  x.minus = false;
  fixed square = MUL(x, x), above = ADD(one(), x), below = SUB(one(), x), y;
  if (!is_moderate(x) || (op == KGI_OP_acosh && (minus || kgi_fixed_compare(x, one()) < 0))) return unknown();
  if (op == KGI_OP_atanh && kgi_fixed_compare(x, one()) >= 0) return unknown();
  if (op == KGI_OP_atanh) y = half(logarithm(DIV(above, below), 0));
  else y = logarithm(ADD(x, kgi_fixed_sqrt(op == KGI_OP_asinh ? ADD(square, one()) : SUB(square, one()))), 0);
  if (op != KGI_OP_acosh) y.minus = minus;
  return known(y, 0);
}

/* asin x = 2 atan(x / (1 + root(1 - x^2))), acos x = 2 atan(root((1 - x) / (1 + x))), where 1 + x is not 0 */
static result inverse_circular(kgi_op op, fixed x) {
  if (op == KGI_OP_atan) return known(inverse_tangent(x), 0);
  if (kgi_fixed_compare(x, one()) > 0) return unknown();
  fixed below = SUB(one(), x), above = ADD(one(), x), root;
  if (op == KGI_OP_acos && kgi_fixed_is_zero(above)) return known(pi(), 0);
  if (op == KGI_OP_acos) return known(kgi_fixed_shift(inverse_tangent(kgi_fixed_sqrt(DIV(below, above))), 1), 0);
  root = kgi_fixed_sqrt(MUL(below, above));
  return known(kgi_fixed_shift(inverse_tangent(DIV(x, ADD(one(), root))), 1), 0);
}

/* 2 / root(pi) times x - x^3/3 + x^5/(2! 5) - x^7/(3! 7) ...; terms reach e^(x^2), which has 52 bits. From 6 on, erf x is so near to 1
 * that it rounds to 1: erfc 6 is below 2^-55. */
static result error_function(kgi_op op, fixed x) {
  if (kgi_fixed_compare(x, kgi_fixed_int(6)) >= 0) {
    if (op == KGI_OP_erf) return known(kgi_fixed_int(x.minus ? -1 : 1), 0);
    return x.minus ? known(kgi_fixed_int(2), 0) : unknown();
  }
  fixed sum = x, power = x, square = kgi_fixed_neg(MUL(x, x));
  for (uint64_t n = 1; !kgi_fixed_is_zero(power); n++) {
    power = kgi_fixed_div_small(MUL(power, square), n);
    sum = ADD(sum, kgi_fixed_div_small(power, 2 * n + 1));
  }
  fixed y = DIV(kgi_fixed_shift(sum, 1), kgi_fixed_sqrt(pi()));
  return known(op == KGI_OP_erf ? y : SUB(one(), y), 0);
}

/* ---- doubles ---- */

typedef struct number { bool minus, zero, finite; uint64_t m; int e; } number; /* m 2^e, m of 53 bits */

static number take_apart(uint64_t bits) {
  int exponent = (int)(bits >> 52 & 2047);
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  return (number){bits >> 63, !(bits << 1), exponent < 2047, exponent ? fraction | UINT64_C(1) << 52 : fraction,
                  (exponent ? exponent : 1) - 1075};
}

static bool is_one(number x) { return x.m == UINT64_C(1) << 52 && x.e == -52; }

static bool fixed_of(number x, fixed *out) {
  if (!kgi_fixed_of(x.m, x.e, out)) return false;
  return out->minus = x.minus, true;
}

/* The nearest double to |v| 2^scale, if it is a normal number; 0: it is not. */
static uint64_t round_to_double(fixed v, int scale) {
  int top = kgi_fixed_top(v), exponent = top - KGI_FIXED_POINT + scale;
  if (top < 54 || exponent < -1022 || exponent > 1022) return 0;
  fixed kept = kgi_fixed_shift(v, 52 - top), back = kgi_fixed_shift(kept, top - 52);
  uint64_t m = kept.w[0];
  fixed rest = kgi_fixed_shift(SUB(v, back), 1), unit = kgi_fixed_shift((fixed){.w = {1}}, top - 52);
  int side = kgi_fixed_compare(rest, unit);
  if (side > 0 || (side == 0 && m & 1)) m++;
  return ((uint64_t)(exponent + 1022) << 52) + m; /* the leading bit, and a carry, add to the exponent */
}

static bool decide(result r, uint64_t *out) {
  if (!r.known) return false;
  uint64_t sign = (uint64_t)r.v.minus << 63;
  if (r.zero) return *out = sign, true;
  fixed error = kgi_fixed_shift(one(), -ERROR);
  r.v.minus = false;
  if (kgi_fixed_compare(r.v, error) <= 0) return false;
  uint64_t low = round_to_double(SUB(r.v, error), r.scale), high = round_to_double(ADD(r.v, error), r.scale);
  return *out = sign | low, low && low == high;
}

/* ---- operations ---- */

/* Where the result is exactly a zero: of the argument's sign at 0, positive at 1. */
static bool is_zero_at(kgi_op op, number x) {
  bool at_zero = op == KGI_OP_sin || op == KGI_OP_tan || op == KGI_OP_asin || op == KGI_OP_atan || op == KGI_OP_sinh ||
                 op == KGI_OP_tanh || op == KGI_OP_asinh || op == KGI_OP_atanh || op == KGI_OP_expm1 || op == KGI_OP_log1p ||
                 op == KGI_OP_erf;
  bool at_one = op == KGI_OP_log || op == KGI_OP_log2 || op == KGI_OP_acos || op == KGI_OP_acosh;
  return (at_zero && x.zero) || (at_one && is_one(x) && !x.minus);
}

static result logarithm_of(kgi_op op, number x) {
  int shift = 63 - __builtin_clzll(x.m | 1), e;
  fixed m, y;
  if (x.minus || x.zero || !kgi_fixed_of(x.m, -shift, &m)) return unknown();
  if (op == KGI_OP_log) return known(logarithm(m, x.e + shift), 0);
  y = mantissa_log(m, &e);
  return known(ADD(kgi_fixed_int(e + x.e + shift), DIV(y, ln2())), 0);
}

/* x = m 4^k with m from 1 to 4 */
static result inverse_root(number x) {
  int shift = 63 - __builtin_clzll(x.m | 1), e = x.e + shift, odd = e & 1;
  fixed m;
  if (x.minus || x.zero || !kgi_fixed_of(x.m, odd - shift, &m)) return unknown();
  return known(DIV(one(), kgi_fixed_sqrt(m)), -((e - odd) / 2));
}

static result exponential_of(kgi_op op, fixed x) {
  if (kgi_fixed_top(x) >= KGI_FIXED_POINT + 11) return unknown();
  if (op == KGI_OP_expm1) return less_one(x);
  if (op == KGI_OP_exp) return exponential(x);
  int64_t k = kgi_fixed_round(x);
  fixed rest = SUB(x, kgi_fixed_int(k));
  result y = exponential(MUL(rest, ln2()));
  return known(y.v, y.scale + (int)k);
}

/* e^(b log a); a negative base under a whole exponent alone */
static result power(number a, number b) {
  fixed exponent;
  if (b.zero) return known(one(), 0);
  if (a.zero || !fixed_of(b, &exponent) || kgi_fixed_top(exponent) >= KGI_FIXED_POINT + 40) return unknown();
  bool minus = a.minus;
  int low = __builtin_ctzll(b.m) + b.e; /* the place of the last bit: 0 where it is odd */
  if (minus && low < 0) return unknown();
  a.minus = false;
  result log = is_one(a) ? known(kgi_fixed_int(0), 0) : logarithm_of(KGI_OP_log, a);
  fixed product = MUL(log.v, exponent);
  if (!log.known || kgi_fixed_top(product) >= KGI_FIXED_POINT + 10) return unknown();
  result y = exponential(product);
  return y.v.minus = minus && low == 0, y;
}

/* Quotients from 2^-60 to 2^60; a circle's quarters where one operand is 0. */
static result angle(number a, number b) {
  fixed y, x;
  bool minus = a.minus;
  if (a.zero && b.zero) return unknown();
  if (a.zero && !b.minus) return (result){{{0}, minus}, 0, true, true};
  if (a.zero || b.zero) {
    y = a.zero ? pi() : half(pi());
  } else {
    int shift = a.e - b.e;
    if (shift > 60 || shift < -60 || !kgi_fixed_of(a.m, shift - 52, &y) || !kgi_fixed_of(b.m, -52, &x)) return unknown();
    if (kgi_fixed_top(x) < KGI_FIXED_POINT || kgi_fixed_top(y) >= KGI_FIXED_POINT + 60) return unknown();
    y = inverse_tangent(DIV(y, x));
    if (b.minus) y = SUB(pi(), y);
  }
  return y.minus = minus, known(y, 0);
}

/* A function that is missing does not compile. Of what is none, nothing is known. */
static result function(kgi_op op, number a) {
  fixed x;
  if (is_zero_at(op, a)) return (result){{{0}, a.zero && a.minus}, 0, true, true};
  if (op == KGI_OP_log || op == KGI_OP_log2) return logarithm_of(op, a);
  if (op == KGI_OP_rsqrt) return inverse_root(a);
  if (!fixed_of(a, &x)) return unknown();
  switch ((kgi_function1)op) {
  case KGI_FUN_log: case KGI_FUN_log2: break; /* above */
  case KGI_FUN_exp: case KGI_FUN_exp2: case KGI_FUN_expm1: return exponential_of(op, x);
  case KGI_FUN_log1p:
    x = ADD(x, one());
    return x.minus || kgi_fixed_is_zero(x) ? unknown() : known(logarithm(x, 0), 0);
  case KGI_FUN_sin: case KGI_FUN_cos: case KGI_FUN_tan: return turn(op, x);
  case KGI_FUN_sinc: return sine_over(x);
  case KGI_FUN_asin: case KGI_FUN_acos: case KGI_FUN_atan: return inverse_circular(op, x);
  case KGI_FUN_sinh: case KGI_FUN_cosh: return kgi_fixed_top(x) < KGI_FIXED_POINT + 9 ? hyperbolic(op, x) : unknown();
  case KGI_FUN_tanh: return kgi_fixed_top(x) < KGI_FIXED_POINT + 6 ? hyperbolic(op, x) : unknown();
  case KGI_FUN_asinh: case KGI_FUN_acosh: case KGI_FUN_atanh: return inverse_hyperbolic(op, x);
  case KGI_FUN_erf: case KGI_FUN_erfc: return error_function(op, x);
  }
  return unknown();
}

static int top_of(number x) { return x.e + 63 - __builtin_clzll(x.m | 1); }

/* Squares of 53 bits are exact while magnitudes differ by 2^60; past that the larger is nearest. */
static result distance(number a, number b) {
  fixed x, y = {0};
  if (a.zero && b.zero) return (result){{{0}, false}, 0, true, true};
  if (a.zero || (!b.zero && top_of(a) < top_of(b))) return distance(b, a);
  int scale = top_of(a);
  if (!kgi_fixed_of(a.m, a.e - scale, &x)) return unknown();
  if (b.zero || scale - top_of(b) > 60) return known(x, scale);
  if (!kgi_fixed_of(b.m, b.e - scale, &y)) return unknown();
  fixed square = MUL(x, x), other = MUL(y, y);
  return known(kgi_fixed_sqrt(ADD(square, other)), scale);
}

static result function_of_two(kgi_function2 f, number a, number b) {
  switch (f) {
  case KGI_FUN_pow: return power(a, b);
  case KGI_FUN_atan2: return angle(a, b);
  case KGI_FUN_hypot: return distance(a, b);
  }
  return unknown();
}

bool kgi_certain(kgi_op op, const uint64_t *args, uint64_t *out) {
  bool two = kgi_op_rows[op].arity == 2;
  number a = take_apart(args[0]), b = take_apart(args[two]);
  if (!a.finite || !b.finite) return false;
  return decide(two ? function_of_two((kgi_function2)op, a, b) : function(op, a), out);
}
