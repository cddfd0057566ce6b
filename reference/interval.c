#include "reference/interval.h"

#define UNSAID() {.kind = KGI_UNSAID}
#define ABSENT() {.kind = KGI_ABSENT}
#define SAME() {.kind = KGI_SAME}
#define CORRECT() {.kind = KGI_CORRECT}
#define ROUNDED() {.kind = KGI_ROUNDED}
#define ULP(n, m) {.kind = KGI_ULP, .ulp = n, .slope = m}
#define NEAR(n, d, l, h) {.kind = KGI_NEAR, .ulp = n, .absolute = d, .low = l, .high = h}
#define INHERITED(text) {.kind = KGI_INHERITED, .formula = text}
#define PRECISION(op, instruction, vulkan, vulkan16, domain, ours) [KGI_OP_##op] = {instruction, domain, vulkan, vulkan16, ours},
const kgi_precision_row kgi_precision_rows[KGI_OP_COUNT] = {
#include "reference/precision.def"
};

static const kgi_precision same = SAME(), rounded = ROUNDED();

/* ---- subnormals, infinities ---- */

kgi_interval kgi_settled(const kgi_rules *r, kg_type type, kgi_interval x) {
  bool infinite = x.low < -kgi_type_largest(type) || x.high > kgi_type_largest(type);
  if (infinite && type != KG_F32) return kgi_anything();
  return kgi_flushed(r, type, x);
}

/* ---- rounding ---- */

/* The least of x - n units over 0 <= low <= x <= high: at the lower end, or behind a power of two, where units grow. */
static double lowest(kg_type type, double low, double high, double n) {
  int exponent;
  double fraction = frexp(low, &exponent), y = low - n * kgi_unit(type, low);
  double power = low == 0 || isinf(low) ? low : ldexp(1, fraction == 0.5 ? exponent - 1 : exponent);
  double behind = power < high ? power - n * kgi_unit(type, power * (1 + 0x1p-40)) : y;
  return kgi_next_down(behind < y ? behind : y);
}

static double lower_end(kg_type type, kgi_interval x, double n) {
  if (isinf(x.low)) return x.low;
  return x.low >= 0 ? lowest(type, x.low, x.high, n) : kgi_next_down(x.low - n * kgi_unit(type, -x.low));
}

/* A number of the type not below (or, where the real result counts too, not above) the end. Past the largest finite number a
 * device may give that or infinity. */
static double snapped(const kgi_rules *r, kg_type type, double low) {
  double largest = kgi_type_largest(type);
  if (isinf(low)) return low;
  if (low > largest) return largest;
  if (low < -largest) return -(double)INFINITY;
  return r->real ? kgi_round_down(type, low) : kgi_round_up(type, low);
}

static kgi_interval mirrored(kgi_interval x) { return (kgi_interval){-x.high, -x.low}; }

/* A zero is given exactly: zeros are generated as IEEE-754 says. */
static kgi_interval by_units(const kgi_rules *r, kg_type type, kgi_interval x, double n) {
  if (x.low == 0 && x.high == 0) return x;
  return (kgi_interval){snapped(r, type, lower_end(type, x, n)), -snapped(r, type, lower_end(type, mirrored(x), n))};
}

static kgi_interval outward(kg_type type, kgi_interval x) {
  return (kgi_interval){kgi_round_down(type, x.low), kgi_round_up(type, x.high)};
}

/* Where sums may take products in, what is added was rounded either way, or not at all: it lies between its neighbours. */
static bool has_same_bits(const kgi_rules *r, kg_type type) { return type == KG_F32 && !r->real && r->math == KG_MATH_EXACT; }

kgi_interval kgi_rounded(const kgi_rules *r, kg_type type, const kgi_precision *p, kgi_interval x, double operand) {
  if (p->kind == KGI_CORRECT) return x;
  if (p->kind == KGI_SAME && has_same_bits(r, type))
    return (kgi_interval){kgi_round_near(type, x.low), kgi_round_near(type, x.high)};
  if (p->kind == KGI_SAME || p->kind == KGI_ROUNDED) return outward(type, x);
  if (p->kind == KGI_ULP) return by_units(r, type, x, p->ulp + p->slope * fabs(operand));
  return kgi_anything();
}

/* ---- arithmetic ---- */

/* A sum in f32 is rounded to nearest by way of double, which changes nothing: 53 digits are more than twice 24. */
static kgi_interval add(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  const double inf = (double)INFINITY;
  if ((a.high == inf && b.low == -inf) || (a.low == -inf && b.high == inf)) return kgi_anything();
  if (has_same_bits(r, type)) return kgi_rounded(r, type, &same, (kgi_interval){a.low + b.low, a.high + b.high}, 0);
  return outward(type, (kgi_interval){kgi_enclose_add(a.low, b.low).low, kgi_enclose_add(a.high, b.high).high});
}

static kgi_interval sub(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) { return add(r, type, a, mirrored(b)); }

static bool holds_infinity(kgi_interval x) { return isinf(x.low) || isinf(x.high); }

typedef kgi_interval enclose(double, double);

/* From the corners; 0 * inf counts as 0. */
static kgi_interval corners(enclose *f, kgi_interval a, kgi_interval b) {
  kgi_interval all = {(double)INFINITY, -(double)INFINITY};
  const double x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
  int count = kgi_is_point(a) && kgi_is_point(b) ? 1 : 4; /* of points all corners are one */
  for (int i = 0; i < count; i++) {
    kgi_interval one = f(x[i / 2], y[i % 2]);
    if (kgi_is_anything(one)) one = kgi_point(0);
    all = kgi_hull(all, one);
  }
  return all;
}

/* The product of what is not 0 times infinity. A product of two floats is exact in double. */
static kgi_interval product(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  return kgi_rounded(r, type, &same, corners(kgi_enclose_mul, a, b), 0);
}

static bool indefinite(kgi_interval a, kgi_interval b) {
  return (kgi_within(a, 0) && holds_infinity(b)) || (kgi_within(b, 0) && holds_infinity(a));
}

static kgi_interval mul(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  return indefinite(a, b) ? kgi_anything() : product(r, type, a, b);
}

/* 0 where a is 0, whatever b is. */
static kgi_interval strong_product(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  if (a.low == 0 && a.high == 0) return kgi_point(0);
  if (kgi_is_anything(a) || kgi_is_anything(b) || (kgi_within(b, 0) && holds_infinity(a))) return kgi_anything();
  kgi_interval p = product(r, type, a, b);
  return kgi_within(a, 0) ? kgi_hull(p, kgi_point(0)) : p;
}

/* Both rounded, in whichever direction, or the product not at all. */
static kgi_interval fused(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b, kgi_interval c) {
  const kgi_rules any = {.real = true, .flush = r->flush};
  if (indefinite(a, b)) return kgi_anything();
  kg_type middle = type == KG_F16 ? KG_F32 : type;
  kgi_interval p = kgi_flushed(r, middle, outward(middle, corners(kgi_enclose_mul, a, b)));
  return outward(type, kgi_flushed(r, middle, add(&any, middle, p, c)));
}

/* ---- division ---- */

static bool divides(kg_type type, kgi_interval b) {
  double least = type == KG_F16 ? 0x1p-14 : 0x1p-126, most = type == KG_F16 ? 0x1p14 : 0x1p126;
  kgi_interval size = b.high < 0 ? mirrored(b) : b;
  return size.low >= least && size.high <= most;
}

static kgi_interval divide(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  const double inf = (double)INFINITY;
  bool apart = !kgi_within(b, 0), zero = a.low == 0 && a.high == 0;
  if (apart && zero) return a;
  if (apart && kgi_is_point(b) && isinf(b.low) && !holds_infinity(a)) return kgi_point(0);
  if (b.low == 0 && b.high == 0 && !kgi_within(a, 0)) return (kgi_interval){-inf, inf}; /* by the sign of the zero */
  if (!divides(type, b)) return kgi_anything();
  return kgi_rounded(r, type, &kgi_precision_rows[KGI_OP_div].ours, corners(kgi_enclose_div, a, b), 0);
}

/* The greatest distance from sqrt(a) of 1 / rsqrt(a), each with its own error, as a part of sqrt(a). */
static double root_error_at(kg_type type, double a) {
  double x = sqrt(a), reciprocal = 1 / x, e = 2 * kgi_unit(type, reciprocal);
  double low = 1 / (reciprocal + e), high = 1 / (reciprocal - e);
  low -= 2.5 * kgi_unit(type, low), high += 2.5 * kgi_unit(type, high);
  return fmax(x - low, high - x) / x * (1 + 0x1p-40);
}

/* While units do not change it is convex, so that the ends decide. */
static double root_error(kg_type type, kgi_interval a) {
  double low = sqrt(a.low), high = sqrt(a.high);
  bool even = kgi_unit(type, low) == kgi_unit(type, high) && kgi_unit(type, 1 / low) == kgi_unit(type, 1 / high);
  if (!even || isinf(high)) return 4.5 * (type == KG_F16 ? 0x1p-10 : 0x1p-23) * (1 + 0x1p-6);
  return fmax(root_error_at(type, a.low), root_error_at(type, a.high)) * (1 + 0x1p-20);
}

static kgi_interval root(const kgi_rules *r, kg_type type, kgi_interval a) {
  if (a.low < 0) return kgi_anything();
  if (a.high == 0 || isinf(a.low)) return a;
  kgi_interval low = kgi_enclose_sqrt(a.low), high = kgi_enclose_sqrt(a.high);
  double part = a.low == 0 ? root_error(type, (kgi_interval){1, 2}) : root_error(type, a);
  double most = kgi_next_up(high.high * (1 + part)), least = kgi_next_down(low.low * (1 - part));
  return (kgi_interval){snapped(r, type, least), -snapped(r, type, -most)};
}

static kgi_interval reciprocal_root(const kgi_rules *r, kg_type type, kgi_interval a) {
  if (!(a.low > 0)) return kgi_anything();
  if (isinf(a.low)) return kgi_point(0);
  double low = 1 / sqrt(a.high), high = 1 / sqrt(a.low);
  kgi_interval x = {kgi_next_down(kgi_next_down(low)), kgi_next_up(kgi_next_up(high))};
  if (isinf(a.high)) x.low = 0;
  if (kgi_is_point(a) && fma(low * low, a.low, -1) == 0 && frexp(low, &(int){0}) == 0.5) x = kgi_point(low); /* a power of four */
  return kgi_rounded(r, type, &kgi_precision_rows[KGI_OP_rsqrt].ours, x, 0);
}

/* ---- remainders ---- */

/* In f64 the quotient is a float that a device may have wrong in its 23rd digit. */
static bool has_remainder(kg_type type, kgi_interval a, kgi_interval b) {
  if (holds_infinity(a) || kgi_within(b, 0)) return false;
  double size = fmax(-a.low, a.high), least = fmin(fabs(b.low), fabs(b.high)), most = fmax(fabs(b.low), fabs(b.high));
  return type != KG_F64 || (size < 0x1p900 && least > 0x1p-900 && most < 0x1p900 && size / least < 0x1p20);
}

/* Of a >= 0 by b > 0. While the quotient does not change, it falls as b grows. */
static kgi_interval remainder_up(kgi_interval a, kgi_interval b) {
  if (a.high < b.low) return a;
  double low = fmod(a.low, b.high), high = fmod(a.high, b.low);
  double least = rint((a.low - low) / b.high), most = rint((a.high - high) / b.low); /* whole, and told apart below 2^52 */
  if (kgi_is_point(b) ? a.high - a.low < b.low && low <= high : least == most && most < 0x1p50) return (kgi_interval){low, high};
  return (kgi_interval){0, fmin(a.high, b.high)};
}

static kgi_interval truncated(kgi_interval a, kgi_interval b) {
  kgi_interval size = b.high < 0 ? mirrored(b) : b;
  if (a.low >= 0) return remainder_up(a, size);
  if (a.high <= 0) return mirrored(remainder_up(mirrored(a), size));
  kgi_interval up = remainder_up((kgi_interval){0, a.high}, size), down = remainder_up((kgi_interval){0, -a.low}, size);
  return (kgi_interval){-down.high, up.high};
}

/* By b > 0. Where the remainder is negative, b is added, rounded. */
static kgi_interval floored_up(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  if (a.low >= 0) return remainder_up(a, b);
  kgi_interval rest = truncated(a, b);
  if (kgi_is_point(a) && kgi_is_point(rest) && rest.low == 0) return rest;
  if (a.high < 0 && rest.high < 0 && kgi_is_point(b)) return add(r, type, kgi_flushed(r, type, rest), kgi_flushed(r, type, b));
  return (kgi_interval){0, b.high};
}

static kgi_interval floored(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval b) {
  return b.low > 0 ? floored_up(r, type, a, b) : mirrored(floored_up(r, type, mirrored(a), mirrored(b)));
}

/* ---- pieces ---- */

static kgi_interval magnitude(kgi_interval x) {
  if (x.low >= 0 || kgi_is_anything(x)) return x;
  if (x.high <= 0) return mirrored(x);
  return (kgi_interval){0, fmax(-x.low, x.high)};
}

/* A NaN is ignored; only f32 is promised to know one. */
static kgi_interval least(kg_type type, kgi_interval a, kgi_interval b) {
  bool no_a = kgi_is_anything(a), no_b = kgi_is_anything(b);
  if ((no_a && no_b) || ((no_a || no_b) && type != KG_F32)) return kgi_anything();
  if (no_a || no_b) return (kgi_interval){-(double)INFINITY, no_a ? b.high : a.high};
  return (kgi_interval){fmin(a.low, b.low), fmin(a.high, b.high)};
}

static kgi_interval greatest(kg_type type, kgi_interval a, kgi_interval b) {
  return mirrored(least(type, mirrored(a), mirrored(b)));
}

static double sign_of(double x) { return (double)(x > 0) - (double)(x < 0); }

static kgi_interval fraction(const kgi_rules *r, kg_type type, kgi_interval x) {
  if (holds_infinity(x)) return kgi_anything();
  if (floor(x.low) != floor(x.high)) return (kgi_interval){0, 1};
  return sub(r, type, x, kgi_point(floor(x.low)));
}

/* By multiplications with powers of two: exact but for the last. */
static kgi_interval scaled(const kgi_rules *r, kg_type type, kgi_interval a, kgi_interval n) {
  double least_n = fmax(n.low, -5000), most_n = fmin(n.high, 5000);
  double low = ldexp(a.low, (int)(a.low < 0 ? most_n : least_n)), high = ldexp(a.high, (int)(a.high < 0 ? least_n : most_n));
  if (type == KG_F64 && fabs(low) < 0x1p-1022 && low != 0) low = kgi_next_down(low);
  if (type == KG_F64 && fabs(high) < 0x1p-1022 && high != 0) high = kgi_next_up(high);
  return kgi_rounded(r, type, &same, (kgi_interval){low, high}, 0);
}

/* What a function's own arithmetic cannot leave, however rough its divisions are. */
static kgi_interval kept(kgi_op op, kgi_interval x, kgi_interval y) {
  const double inf = (double)INFINITY;
  double low = -inf, high = inf;
  switch ((int)op) {
  case KGI_OP_exp: case KGI_OP_exp2: case KGI_OP_acos: case KGI_OP_hypot: low = 0; break;
  case KGI_OP_pow: low = x.low >= 0 && y.low > -inf ? 0 : -inf; break;
  case KGI_OP_sin: case KGI_OP_cos: case KGI_OP_tanh: case KGI_OP_erf: low = -1, high = 1; break;
  case KGI_OP_sinc: low = -0.21724, high = 1; break;
  case KGI_OP_erfc: high = 2; break; /* its last step is a division */
  default: break;
  }
  return (kgi_interval){fmax(y.low, low), fmin(y.high, high)};
}

/* Results that are exact on every device, because all on the way is. */
static bool is_exact(kgi_op op, kgi_interval x, kgi_interval y) {
  if (!kgi_is_point(x)) return false;
  if (op == KGI_OP_exp || op == KGI_OP_cos || op == KGI_OP_sinc || op == KGI_OP_erfc) return x.low == 0;
  if (op == KGI_OP_exp2) return x.low == trunc(x.low) && fabs(x.low) <= 126;
  return op == KGI_OP_log2 && frexp(x.low, &(int){0}) == 0.5 && y.low < 128 && x.low >= 0x1p-126;
}

/* ---- functions ---- */

/* Of a device's own function a zero is as far off as any other number. */
static kgi_interval about_units(const kgi_rules *r, kgi_interval y, double n) {
  if (y.low != 0 || y.high != 0) return by_units(r, KG_F32, y, n);
  return (kgi_interval){-n * kgi_unit(KG_F32, 0), n * kgi_unit(KG_F32, 0)};
}

static kgi_interval about(const kgi_rules *r, kgi_interval y, double absolute) {
  double low = kgi_next_down(y.low - absolute), high = kgi_next_up(y.high + absolute);
  return (kgi_interval){snapped(r, KG_F32, low), -snapped(r, KG_F32, -high)};
}

/* What Vulkan asks of logarithms in absolute terms is of operands between `low` and `high`, and in units of all others. */
static kgi_interval near_one(const kgi_rules *r, const kgi_precision *p, kgi_interval x, kgi_interval y) {
  if (!(x.low > 0)) return kgi_anything();
  kgi_interval inner = about(r, y, ldexp(1, -(int)p->absolute)), outer = about_units(r, y, p->ulp);
  if (x.low >= p->low && x.high <= p->high) return inner;
  return x.low > p->high || x.high < p->low ? outer : kgi_hull(inner, outer);
}

/* By atan2 of x and sqrt(1 - x * x): as far off to both sides as the formula may be to one. */
static kgi_interval by_angle(const kgi_rules *r, kgi_op op, kgi_interval x, kgi_interval y) {
  const kgi_rules any = {.real = true, .flush = r->flush};
  kgi_interval size = magnitude(x), rest = sub(&any, KG_F32, kgi_point(1), mul(&any, KG_F32, size, size)), all;
  kgi_interval side = rest.low > 0 ? divide(&any, KG_F32, kgi_point(1), reciprocal_root(&any, KG_F32, rest))
                                   : root(&any, KG_F32, (kgi_interval){0, fmax(rest.high, 0)});
  side.low = fmax(side.low, 0);
  if (!(op == KGI_OP_asin ? kgi_range_of_two(KGI_OP_atan2, x, side, &all) : kgi_range_of_two(KGI_OP_atan2, side, x, &all)))
    return kgi_anything();
  all = about_units(&any, all, kgi_precision_rows[KGI_OP_atan2].vulkan.ulp);
  return about(r, y, fmax(y.high - all.low, all.high - y.low));
}

/* That of a sine whose argument was brought to [-pi, pi] (spirv/emit/math.c), which moves it by less than 2^-13, but past 2^18 to
 * anywhere there. */
static kgi_interval of_turned(const kgi_rules *r, const kgi_precision *p, kgi_interval x, kgi_interval y) {
  bool known = x.low >= -0x1p18 && x.high <= 0x1p18;
  return about(r, known ? y : (kgi_interval){-1, 1}, ldexp(1, -(int)p->absolute) + 0x1p-13);
}

/* That of what is not so small that the emitted code has 0 there without asking the device. */
static kgi_interval exponential(const kgi_rules *r, kgi_op op, kgi_interval x) {
  const kgi_precision *p = &kgi_precision_rows[op].vulkan;
  double least = op == KGI_OP_exp ? -104 : -151;
  bool small = x.low < least;
  kgi_interval y;
  if (x.high < least) return kgi_point(0);
  if (isinf(x.high)) return kgi_anything();
  if (small) x.low = least;
  kgi_range_of(op, x, &y);
  y = about_units(r, y, p->ulp + p->slope * fmax(fabs(x.low), fabs(x.high)));
  return small ? kgi_hull(y, kgi_point(0)) : y;
}

/* A power of a number that may be known where it is emitted (spirv/emit/op.c): the device's exponential of the exponent times the base's
 * logarithm. That is rounded, and so is the product: both together move it by at most 3 parts of 2^24, which are 2.1 units of the result
 * for each unit of its size. */
static kgi_interval power(const kgi_rules *r, kgi_interval base, kgi_interval exponent, kgi_interval y) {
  const kgi_precision *p = &kgi_precision_rows[KGI_OP_exp2].vulkan;
  if (holds_infinity(exponent)) return kgi_anything();
  double most = fmax(fabs(exponent.low), fabs(exponent.high)) * fmax(fabs(log2(base.low)), fabs(log2(base.high)));
  kgi_interval z = about_units(r, y, p->ulp + (p->slope + 2.25) * most);
  return y.low < 0x1p-125 ? kgi_hull(z, kgi_point(0)) : z;
}

/* The device's own, of which Vulkan says nothing where an operand is infinite. */
static kgi_interval native(const kgi_rules *r, kgi_op op, kgi_interval x, kgi_interval y) {
  const kgi_precision *p = &kgi_precision_rows[op].vulkan;
  if (op == KGI_OP_exp || op == KGI_OP_exp2) return exponential(r, op, x);
  if (holds_infinity(x)) return kgi_anything();
  switch (p->kind) {
  case KGI_ULP: return about_units(r, y, p->ulp);
  case KGI_NEAR: return op == KGI_OP_sin || op == KGI_OP_cos ? of_turned(r, p, x, y) : near_one(r, p, x, y);
  case KGI_INHERITED: return op == KGI_OP_asin || op == KGI_OP_acos ? by_angle(r, op, x, y) : kgi_anything();
  case KGI_UNSAID: case KGI_ABSENT: case KGI_SAME: case KGI_CORRECT: case KGI_ROUNDED: break;
  }
  return kgi_anything();
}

/* It may be a literal, of which the interval has what may have been rounded to it. */
static bool may_be_known_base(kgi_interval x) {
  return kgi_is_exponential_base(x.low) && kgi_is_exponential_base(x.high) && x.high - x.low <= 0x1p-23 * x.high;
}

/* f16 computes in f32, and f64 on the reference alone, by the C library. What is small in between may become 0. */
static kgi_interval function(const kgi_rules *r, kgi_op op, kg_type type, const kgi_interval *x) {
  kgi_interval y;
  bool two = kgi_op_rows[op].arity == 2;
  if (two ? !kgi_range_of_two(op, x[0], x[1], &y) : !kgi_range_of(op, x[0], &y)) return kgi_anything();
  if (type == KG_F64) return y;
  bool exponential = op == KGI_OP_pow && may_be_known_base(x[0]) && kgi_is_native(KGI_OP_exp2, r->math);
  if (kgi_is_native(op, r->math)) y = native(r, op, x[0], y);
  else if (exponential) y = power(r, x[0], x[1], y);
  else if (is_exact(op, x[0], y)) y = kgi_point(kgi_round_near(KG_F32, (y.low + y.high) / 2));
  else y = kept(op, x[0], kgi_rounded(r, KG_F32, &kgi_precision_rows[op].ours, y, 0));
  bool tiny = r->flush && (y.low != 0 || y.high != 0) && y.low < 0x1p-100 && y.high > -0x1p-100;
  if (tiny) y = (kgi_interval){y.low - 0x1p-126, y.high + 0x1p-126};
  return type == KG_F16 ? outward(type, y) : y;
}

static kgi_interval plain(const kgi_rules *r, kgi_op op, kg_type t, kg_type result, const kgi_interval *x) {
  switch (op) {
  case KGI_OP_add: return add(r, t, x[0], x[1]);
  case KGI_OP_sub: return sub(r, t, x[0], x[1]);
  case KGI_OP_mul: return mul(r, t, x[0], x[1]);
  case KGI_OP_div: return divide(r, t, x[0], x[1]);
  case KGI_OP_rem: return has_remainder(t, x[0], x[1]) ? truncated(x[0], x[1]) : kgi_anything();
  case KGI_OP_mod: return has_remainder(t, x[0], x[1]) ? floored(r, t, x[0], x[1]) : kgi_anything();
  case KGI_OP_neg: return mirrored(x[0]);
  case KGI_OP_abs: return magnitude(x[0]);
  case KGI_OP_abs_diff: return magnitude(sub(r, t, x[0], x[1]));
  case KGI_OP_fma: return fused(r, t, x[0], x[1], x[2]);
  case KGI_OP_sign: return (kgi_interval){sign_of(x[0].low), sign_of(x[0].high)};
  case KGI_OP_floor: return (kgi_interval){floor(x[0].low), floor(x[0].high)};
  case KGI_OP_ceil: return (kgi_interval){ceil(x[0].low), ceil(x[0].high)};
  case KGI_OP_trunc: return (kgi_interval){trunc(x[0].low), trunc(x[0].high)};
  case KGI_OP_round: return (kgi_interval){rint(x[0].low), rint(x[0].high)};
  case KGI_OP_fract: return fraction(r, t, x[0]);
  case KGI_OP_sqrt: return root(r, t, x[0]);
  case KGI_OP_rsqrt: return reciprocal_root(r, t, x[0]);
#define FUN1(name, ...) case KGI_OP_##name:
#define FUN2(name, ...) case KGI_OP_##name:
#include "foundation/ir/ops.def"
    return function(r, op, t, x);
  case KGI_OP_ldexp: return scaled(r, t, x[0], x[1]);
  case KGI_OP_convert: return kgi_rounded(r, result, &rounded, x[0], 0);
  /* handled where a NaN, or a bit, may pass; or no float results */
  case KGI_OP_min: case KGI_OP_max: case KGI_OP_clamp: case KGI_OP_mulz: case KGI_OP_stop_gradient: case KGI_OP_with_partial: case KGI_OP_select:
  case KGI_OP_mul_high: case KGI_OP_saturating_add: case KGI_OP_saturating_sub: case KGI_OP_is_nan: case KGI_OP_is_inf:
  case KGI_OP_and: case KGI_OP_or: case KGI_OP_xor: case KGI_OP_not: case KGI_OP_shl: case KGI_OP_shr: case KGI_OP_rotl:
  case KGI_OP_rotr: case KGI_OP_popcount: case KGI_OP_clz: case KGI_OP_ctz: case KGI_OP_reverse_bits: case KGI_OP_bit_extract:
  case KGI_OP_bit_insert: case KGI_OP_flat_index: case KGI_OP_eq: case KGI_OP_ne: case KGI_OP_lt: case KGI_OP_le: case KGI_OP_gt: case KGI_OP_ge:
  case KGI_OP_bitcast: case KGI_OP_pack_half_2x16: case KGI_OP_pack_unorm_2x16: case KGI_OP_pack_snorm_2x16:
  case KGI_OP_pack_unorm_4x8: case KGI_OP_pack_snorm_4x8: case KGI_OP_unpack_half_2x16: case KGI_OP_unpack_unorm_2x16:
  case KGI_OP_unpack_snorm_2x16: case KGI_OP_unpack_unorm_4x8: case KGI_OP_unpack_snorm_4x8: case KGI_OP_COUNT:
    break;
  }
  return kgi_anything();
}

/* What is looked at in integers is not flushed. */
static bool by_bits(kgi_op op, kg_type type, unsigned k) {
  if (op == KGI_OP_rem || op == KGI_OP_mod) return type == KG_F32;
  return op == KGI_OP_ldexp && k == 1;
}

static bool is_infinite(kgi_interval x) { return kgi_is_point(x) && isinf(x.low); }

kgi_interval kgi_interval_op(const kgi_rules *r, kgi_op op, kg_type type, kg_type result, const kgi_interval *x) {
  kgi_interval a[4];
  unsigned arity = kgi_op_rows[op].arity;
  bool unknown = false;
  if (op == KGI_OP_stop_gradient || op == KGI_OP_with_partial) return x[0];
  for (unsigned k = 0; k < arity; k++) {
    a[k] = by_bits(op, type, k) ? x[k] : kgi_flushed(r, type, x[k]);
    unknown |= kgi_is_anything(a[k]);
  }
  kgi_interval y;
  if (op == KGI_OP_min) y = least(type, a[0], a[1]);
  else if (op == KGI_OP_max) y = greatest(type, a[0], a[1]);
  else if (op == KGI_OP_clamp) y = least(type, greatest(type, a[0], a[1]), a[2]);
  else if (op == KGI_OP_mulz) y = strong_product(r, type, a[0], a[1]);
  else if (op == KGI_OP_pow && ((a[0].low == 1 && a[0].high == 1) || (a[1].low == 0 && a[1].high == 0))) y = kgi_point(1);
  else if (op == KGI_OP_hypot && (is_infinite(a[0]) || is_infinite(a[1]))) y = kgi_point((double)INFINITY);
  else y = unknown ? kgi_anything() : plain(r, op, type, result, a);
  return kgi_settled(r, result, y);
}

/* ---- tests ---- */

static int decided(bool surely, bool maybe) { return surely ? 1 : maybe ? -1 : 0; }
static int inverse(int test) { return test < 0 ? test : !test; }

static int equal(kgi_interval a, kgi_interval b) {
  return decided(kgi_is_point(a) && kgi_is_point(b) && a.low == b.low, a.low <= b.high && b.low <= a.high);
}

int kgi_interval_test(const kgi_rules *r, kgi_op op, kg_type type, const kgi_interval *x) {
  kgi_interval a = kgi_flushed(r, type, x[0]), b = kgi_op_rows[op].arity == 2 ? kgi_flushed(r, type, x[1]) : a;
  if (kgi_is_anything(a) || kgi_is_anything(b)) return -1;
  switch ((int)op) {
  case KGI_OP_eq: return equal(a, b);
  case KGI_OP_ne: return inverse(equal(a, b));
  case KGI_OP_lt: return decided(a.high < b.low, a.low < b.high);
  case KGI_OP_le: return decided(a.high <= b.low, a.low <= b.high);
  case KGI_OP_gt: return decided(a.low > b.high, a.high > b.low);
  case KGI_OP_ge: return decided(a.low >= b.high, a.high >= b.low);
  case KGI_OP_is_nan: return 0;
  case KGI_OP_is_inf: return decided(kgi_is_point(a) && isinf(a.low), holds_infinity(a));
  case KGI_OP_convert: return inverse(equal(a, kgi_point(0)));
  default: return -1;
  }
}
