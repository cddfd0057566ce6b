#include "foundation/ir/eval.h"
#include "foundation/ir/certain.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3")
#endif

/* ---- floats as results: one NaN, and f16 rounded to its 11 bits ---- */

/* Above the subnormals: add half of the last place, or a bit less where it is even, and cut. Below: at 2^28 a double's last
 * place is 2^-24, so addition rounds. */
float kgi_half_round(double value) {
  uint64_t u;
  double magnitude = fabs(value), rounded;
  memcpy(&u, &magnitude, sizeof u);
  u = (u + 0x1FFFFFFFFFF + (u >> 42 & 1)) & ~UINT64_C(0x3FFFFFFFFFF);
  memcpy(&rounded, &u, sizeof rounded);
  if (magnitude < 0x1p-14) rounded = (magnitude + 0x1p28) - 0x1p28;
  if (rounded > 65504) rounded = (double)INFINITY;
  return value != value ? NAN : (float)copysign(rounded, value);
}

uint16_t kgi_half_encode(float half) {
  uint32_t u;
  memcpy(&u, &half, sizeof u);
  uint32_t sign = u >> 16 & 0x8000, magnitude = u & 0x7FFFFFFF;
  if (half != half) return 0x7E00;
  if (magnitude == 0x7F800000) return (uint16_t)(sign | 0x7C00);
  if (fabsf(half) < 0x1p-14f) return (uint16_t)(sign | (uint32_t)(fabsf(half) * 0x1p24f));
  return (uint16_t)(sign | ((magnitude >> 13) - (112u << 10)));
}

float kgi_half_decode(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                                   : ldexpf((float)(exponent ? fraction + 1024 : fraction), (int)(exponent ? exponent : 1) - 25);
  return bits & 0x8000 && magnitude == magnitude ? -magnitude : magnitude;
}

static inline float keep_f16(double x) { return kgi_half_round(x); }
static inline float keep_f32(double x) {
  float y = (float)x;
  return y != y ? NAN : y;
}
static inline double keep_f64(double x) { return x != x ? (double)NAN : x; }

/* ---- functions of f64: correctly rounded, but where nobody knows for certain ---- */

/* The double nearest to what `y` stands for, which the C library has to within 2 units of a long double, if it is wider. */
static double nearest_f64(long double y, kgi_op op, double a, double b) {
  long double slack = fabsl(y) * 0x1p-62L;
  double low = (double)(y - slack), high = (double)(y + slack);
  if (LDBL_MANT_DIG >= 64 && low == high) return low;
  uint64_t args[4] = {0}, bits;
  memcpy(&args[0], &a, sizeof a), memcpy(&args[1], &b, sizeof b);
  if (!kgi_certain(op, args, &bits)) return (double)y;
  memcpy(&low, &bits, sizeof low);
  return low;
}

/* ---- functions of f32: correctly rounded, though the C library's are not ---- */

/* Whether every number within 2^-42 of y, in relation to it, rounds to one float: then a double function that errs by less (glibc's
 * by 2^-50 at most) gives the nearest float. One argument in some hundred thousand is left open. tests/reference/exhaustive.c shows that the
 * long double decides those rightly, all but two. */
static inline bool is_settled(double y) { return (float)(y * (1 - 0x1p-42)) == (float)(y * (1 + 0x1p-42)) || y != y; }
static inline double settle(long double y) { return (double)(float)y; }

/* The float nearest to a + b, where b is the smaller: if their rounded sum is a tie, what rounding dropped decides. */
static double settle_sum(long double a, long double b) {
  long double sum = a + b, rest = b - (sum - a);
  float y = (float)sum;
  long double other = 2 * sum - (long double)y; /* as far from the sum, on its other side */
  bool tie = (long double)y != sum && (long double)(float)other == other;
  return tie && rest != 0 && (rest > 0) == (other > (long double)y) ? (double)other : (double)y;
}

/* x - x^2/2 comes within 2^-66 of a tie at two arguments of few bits, which the long double does not tell from one. */
static double settle_log1p(float a) {
  long double x = (long double)a;
  if (!(fabsf(a) < 0x1p-12f)) return settle(log1pl(x));
  return settle_sum(x, x * x * (x * (1 / 3.0L - x * (1 / 4.0L - x * (1 / 5.0L - x / 6))) - 1 / 2.0L));
}

static inline double sinc(double x) { return x == 0 ? 1 : sin(x) / x; }
static inline long double sincl(long double x) { return x == 0 ? 1 : sinl(x) / x; }

/* The float nearest to the root of x^2 + y^2, by way of double: of the squares, which are exact, and their sum no bit is lost. What
 * lies next to a tie is compared with it squared. */
static double settle_hypot(double x, double y) {
  double a = x * x, b = y * y, sum = a + b, root = sqrt(sum), rest = a > b ? b - (sum - a) : a - (sum - b);
  if (isinf(x) || isinf(y)) return (double)INFINITY;
  if (is_settled(root)) return root;
  float near = (float)root, below = (double)near <= root ? near : nextafterf(near, 0);
  double low = (double)below, high = below < FLT_MAX ? (double)nextafterf(below, INFINITY) : 0x1p128, tie = (low + high) / 2;
  double over = (sum - tie * tie) + rest;
  return over > 0 ? high : over < 0 ? low : tie;
}

/* ---- floats to integers: saturating, NaN to 0 ---- */

#define SATURATE(name, type, lowest, highest, past) \
  static inline type saturate_##name(double x) { \
    if (!(x > (double)(lowest))) return x != x ? 0 : (lowest); \
    return x >= (past) ? (highest) : (type)x; \
  }
SATURATE(i32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
SATURATE(u32, uint32_t, 0, UINT32_MAX, 0x1p32)
SATURATE(i64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
SATURATE(u64, uint64_t, 0, UINT64_MAX, 0x1p64)

/* ---- packs: the first operand lies lowest ---- */

static inline uint32_t norm(float x, double low, double scale, uint32_t mask) {
  double clamped = x > low ? (x < 1 ? (double)x : 1) : x != x ? 0 : low;
  return (uint32_t)(int32_t)rint(clamped * scale) & mask;
}
static inline uint32_t kgi_pack_half_2x16(float a, float b) {
  return kgi_half_encode(kgi_half_round(a)) | (uint32_t)kgi_half_encode(kgi_half_round(b)) << 16;
}
static inline uint32_t kgi_pack_unorm_2x16(float a, float b) { return norm(a, 0, 65535, 0xFFFF) | norm(b, 0, 65535, 0xFFFF) << 16; }
static inline uint32_t kgi_pack_snorm_2x16(float a, float b) {
  return norm(a, -1, 32767, 0xFFFF) | norm(b, -1, 32767, 0xFFFF) << 16;
}
static inline uint32_t kgi_pack_unorm_4x8(float a, float b, float c, float d) {
  return norm(a, 0, 255, 255) | norm(b, 0, 255, 255) << 8 | norm(c, 0, 255, 255) << 16 | norm(d, 0, 255, 255) << 24;
}
static inline uint32_t kgi_pack_snorm_4x8(float a, float b, float c, float d) {
  return norm(a, -1, 127, 255) | norm(b, -1, 127, 255) << 8 | norm(c, -1, 127, 255) << 16 | norm(d, -1, 127, 255) << 24;
}

static inline uint16_t field16(uint32_t word, uint32_t k) { return (uint16_t)(word >> 16 * (k % 2)); }
static inline uint8_t field8(uint32_t word, uint32_t k) { return (uint8_t)(word >> 8 * (k % 4)); }
static inline float at_least_minus_one(float x) { return x < -1 ? -1 : x; }
static inline float kgi_unpack_half_2x16(uint32_t word, uint32_t k) { return kgi_half_decode(field16(word, k)); }
static inline float kgi_unpack_unorm_2x16(uint32_t word, uint32_t k) { return (float)field16(word, k) / 65535; }
static inline float kgi_unpack_snorm_2x16(uint32_t word, uint32_t k) {
  return at_least_minus_one((float)(int16_t)field16(word, k) / 32767);
}
static inline float kgi_unpack_unorm_4x8(uint32_t word, uint32_t k) { return (float)field8(word, k) / 255; }
static inline float kgi_unpack_snorm_4x8(uint32_t word, uint32_t k) {
  return at_least_minus_one((float)(int8_t)field8(word, k) / 127);
}

/* ---- the helpers F(f) of each type ---- */

#define PASTE(a, b) a##_##b
#define PASTED(a, b) PASTE(a, b)
#define F(f) PASTED(kgi_##f, SFX)
#define SUFFIXED(name) PASTED(name, SFX)

#define OPERANDS_1(A, B, C, D) const A *restrict pa = in[0];
#define OPERANDS_2(A, B, C, D) OPERANDS_1(A, B, C, D) const B *restrict pb = in[1];
#define OPERANDS_3(A, B, C, D) OPERANDS_2(A, B, C, D) const C *restrict pc = in[2];
#define OPERANDS_4(A, B, C, D) OPERANDS_3(A, B, C, D) const D *restrict pd = in[3];
#define LANE_1(A, B, C, D) const A a = pa[i];
#define LANE_2(A, B, C, D) LANE_1(A, B, C, D) const B b = pb[i];
#define LANE_3(A, B, C, D) LANE_2(A, B, C, D) const C c = pc[i];
#define LANE_4(A, B, C, D) LANE_3(A, B, C, D) const D d = pd[i];

#define SFX b1
#define T uint32_t
#define W uint32_t
#define KEEP(x) (x)
#define TO_INT(target, x) CAST_##target(x)
#define CAST_i32(x) (int32_t)(x)
#define CAST_u32(x) (uint32_t)(x)
#define CAST_i64(x) (int64_t)(x)
#define CAST_u64(x) (uint64_t)(x)
static inline uint32_t kgi_not_b1(uint32_t a) { return !a; }
#include "foundation/ir/eval_lanes.h"

#define SFX i32
#define T int32_t
#define W uint32_t
#define WIDTH 32
#define SIGNED 1
#define HIGH int64_t
#include "foundation/ir/eval_int.h"
#include "foundation/ir/eval_lanes.h"

#define SFX u32
#define T uint32_t
#define W uint32_t
#define WIDTH 32
#define SIGNED 0
#define HIGH uint64_t
#define IS_U32 1
#include "foundation/ir/eval_int.h"
#include "foundation/ir/eval_lanes.h"

#define SFX i64
#define T int64_t
#define W uint64_t
#define WIDTH 64
#define SIGNED 1
#define HIGH __int128
#include "foundation/ir/eval_int.h"
#include "foundation/ir/eval_lanes.h"

#define SFX u64
#define T uint64_t
#define W uint64_t
#define WIDTH 64
#define SIGNED 0
#define HIGH unsigned __int128
#include "foundation/ir/eval_int.h"
#include "foundation/ir/eval_lanes.h"

/* A product of two f16 and a sum with a third, where the sum can round to an f16 at all, fit a double exactly. */
static inline double kgi_fma_f16(float a, float b, float c) { return (double)a * b + c; }
static inline float kgi_fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
static inline double kgi_fma_f64(double a, double b, double c) { return fma(a, b, c); }

#define SFX f16
#define T float
#define KEEP(x) keep_f16((double)(x))
#include "foundation/ir/eval_float.h"
#include "foundation/ir/eval_lanes.h"

#define SFX f32
#define T float
#define KEEP(x) keep_f32((x))
#define IS_F32 1
#include "foundation/ir/eval_float.h"
#include "foundation/ir/eval_lanes.h"

#define SFX f64
#define T double
#define KEEP(x) keep_f64((x))
#define IS_F64 1
#include "foundation/ir/eval_float.h"
#include "foundation/ir/eval_lanes.h"

/* ---- what others see ---- */

static void copy_4(void *restrict out, const void *const *in, size_t count) { memcpy(out, in[0], count * 4); }
static void copy_8(void *restrict out, const void *const *in, size_t count) { memcpy(out, in[0], count * 8); }

typedef struct tables { const kgi_lanes_fn *lanes, *conversions; } tables;
static const tables by_type[] = {
  [KG_BOOL] = {lanes_b1, conversions_b1}, [KG_I32] = {lanes_i32, conversions_i32}, [KG_U32] = {lanes_u32, conversions_u32},
  [KG_I64] = {lanes_i64, conversions_i64},    [KG_U64] = {lanes_u64, conversions_u64}, [KG_F16] = {lanes_f16, conversions_f16},
  [KG_F32] = {lanes_f32, conversions_f32},    [KG_F64] = {lanes_f64, conversions_f64},
};

kgi_lanes_fn kgi_lanes(kgi_op op, kg_type operand, kg_type result) {
  if (!kgi_type_computes(operand) || op >= KGI_OP_COUNT) return NULL;
  if (op == KGI_OP_convert) return kgi_type_computes(result) ? by_type[operand].conversions[result] : NULL;
  if (op != KGI_OP_bitcast) return by_type[operand].lanes[op];
  bool fits = kgi_type_computes(result) && kgi_type_bits(operand) == kgi_type_bits(result) && operand != KG_BOOL;
  return fits ? (kgi_slot_size(operand) == 8 ? copy_8 : copy_4) : NULL;
}

kg_type kgi_operand_type(kgi_op op, unsigned i, kg_type leading) {
  const kgi_op_row *row = &kgi_op_rows[op];
  if (row->rule == KGI_RULE_SELECT && i == 0) return KG_BOOL;
  if (row->rule == KGI_RULE_LDEXP && i == 1) return KG_I32;
  if (row->rule == KGI_RULE_BITS && i + 2u >= row->arity) return KG_U32;
  if (row->rule == KGI_RULE_PLACE && i > 0) return KG_U32;
  return leading;
}

uint64_t kgi_slot_bits(kg_type type, const void *slot) {
  uint64_t wide;
  uint32_t narrow;
  float half;
  if (kgi_slot_size(type) == 8) return memcpy(&wide, slot, sizeof wide), wide;
  if (type == KG_F16) return memcpy(&half, slot, sizeof half), kgi_half_encode(half);
  return memcpy(&narrow, slot, sizeof narrow), narrow;
}

void kgi_slot_set(kg_type type, uint64_t bits, void *slot) {
  uint32_t narrow = type == KG_BOOL ? bits != 0 : (uint32_t)bits;
  float half = type == KG_F16 ? kgi_half_decode((uint16_t)bits) : 0;
  if (kgi_slot_size(type) == 8) memcpy(slot, &bits, sizeof bits);
  else if (type == KG_F16) memcpy(slot, &half, sizeof half);
  else memcpy(slot, &narrow, sizeof narrow);
}

bool kgi_eval(kgi_op op, kg_type operand, kg_type result, const uint64_t *args, uint64_t *out) {
  kgi_lanes_fn lanes = kgi_lanes(op, operand, result);
  uint64_t slot[4], y = 0;
  if (!lanes) return false;
  unsigned arity = kgi_op_rows[op].arity;
  for (unsigned i = 0; i < arity; i++) kgi_slot_set(kgi_operand_type(op, i, operand), args[i], &slot[i]);
  lanes(&y, (const void *const[]){&slot[0], &slot[1], &slot[2], &slot[3]}, 1);
  *out = kgi_slot_bits(result, &y);
  return true;
}
