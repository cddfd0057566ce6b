/* What emitted text calls: kg_NAME over lanes, kg_one_NAME over one value. A blank line ends a paragraph. Emitted text takes the
 * paragraphs whose names it uses, those whose names they use, and those that have no name. A name belongs to the paragraph in which
 * it occurs first, so no paragraph may name what stands below it, in comments neither. This comment is dropped. */

#include <stdbool.h>
#include <stdint.h>
#if defined __FAST_MATH__ || (defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16)
#error "this file needs the arithmetic of IEEE-754: no -ffast-math, no x87"
#endif
/* Products and sums are rounded each by itself, and functions set no errno. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off", "no-math-errno", "no-trapping-math")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"

/* How many invocations are computed together: a register of 32-bit values. */
#ifndef KG_LANES
#if defined __AVX512F__
#define KG_LANES 16
#elif defined __AVX2__
#define KG_LANES 8
#else
#define KG_LANES 4
#endif
#endif
#if defined KG_MOST_LANES && KG_LANES > KG_MOST_LANES
#undef KG_LANES
#define KG_LANES KG_MOST_LANES
#endif

#define KG_FN static inline __attribute__((always_inline, unused))

typedef uint32_t kg_u32v __attribute__((vector_size(4 * KG_LANES)));

typedef int32_t kg_i32v __attribute__((vector_size(4 * KG_LANES)));

typedef float kg_f32v __attribute__((vector_size(4 * KG_LANES)));

typedef uint64_t kg_u64v __attribute__((vector_size(8 * KG_LANES)));

typedef int64_t kg_i64v __attribute__((vector_size(8 * KG_LANES)));

typedef double kg_f64v __attribute__((vector_size(8 * KG_LANES)));

/* Of each lane 0 or all ones. */
typedef int32_t kg_mask __attribute__((vector_size(4 * KG_LANES)));

/* What lies in buffers: any bytes, aligned as one element. */
typedef uint8_t __attribute__((may_alias)) kg_mem_u8;

typedef int8_t __attribute__((may_alias)) kg_mem_i8;

typedef uint16_t __attribute__((may_alias)) kg_mem_u16;

typedef int16_t __attribute__((may_alias)) kg_mem_i16;

typedef uint32_t __attribute__((may_alias)) kg_mem_u32;

typedef uint64_t __attribute__((may_alias)) kg_mem_u64;

typedef float __attribute__((may_alias)) kg_mem_f32;

typedef double __attribute__((may_alias)) kg_mem_f64;

typedef uint32_t kg_mem_u32v __attribute__((vector_size(4 * KG_LANES), aligned(4), may_alias));

typedef float kg_mem_f32v __attribute__((vector_size(4 * KG_LANES), aligned(4), may_alias));

typedef uint64_t kg_mem_u64v __attribute__((vector_size(8 * KG_LANES), aligned(8), may_alias));

typedef double kg_mem_f64v __attribute__((vector_size(8 * KG_LANES), aligned(8), may_alias));

/* A loop over lanes, which compilers turn into vector instructions. */
#define KG_EACH(value) for (int l = 0; l < KG_LANES; l++) y[l] = value
#define KG_LIFT_1(name, R, one, A) KG_FN R name(A a) { R y; KG_EACH(one(a[l])); return y; }
#define KG_LIFT_2(name, R, one, A, B) KG_FN R name(A a, B b) { R y; KG_EACH(one(a[l], b[l])); return y; }
#define KG_LIFT_3(name, R, one, A, B, C) KG_FN R name(A a, B b, C c) { R y; KG_EACH(one(a[l], b[l], c[l])); return y; }
#define KG_LIFT_4(name, R, one, A, B, C, D) \
  KG_FN R name(A a, B b, C c, D d) { R y; KG_EACH(one(a[l], b[l], c[l], d[l])); return y; }

/* ---- bits of one float ---- */
KG_FN uint32_t kg_one_f32_as_u32(float a) { uint32_t y; __builtin_memcpy(&y, &a, sizeof y); return y; }

KG_FN float kg_one_u32_as_f32(uint32_t a) { float y; __builtin_memcpy(&y, &a, sizeof y); return y; }

KG_FN uint64_t kg_one_f64_as_u64(double a) { uint64_t y; __builtin_memcpy(&y, &a, sizeof y); return y; }

KG_FN double kg_one_u64_as_f64(uint64_t a) { double y; __builtin_memcpy(&y, &a, sizeof y); return y; }

/* ---- one value for all lanes, and the other way round ---- */
/* As a constant: one made in a loop has compilers look for what its elements have in common, at each of very many places. */
KG_FN kg_u32v kg_iota(void) {
  return (kg_u32v){
    0,
#if KG_LANES > 1
    1,
#endif
#if KG_LANES > 2
    2, 3,
#endif
#if KG_LANES > 4
    4, 5, 6, 7,
#endif
#if KG_LANES > 8
    8, 9, 10, 11, 12, 13, 14, 15,
#endif
  };
}

KG_FN kg_u32v kg_splat_u32(uint32_t a) { return (kg_u32v){0} + a; }

KG_FN kg_u64v kg_splat_u64(uint64_t a) { kg_u64v y; KG_EACH(a); return y; }

KG_FN kg_f32v kg_splat_f32(float a) { return (kg_f32v)((kg_u32v){0} + kg_one_f32_as_u32(a)); }

KG_FN kg_f64v kg_splat_f64(double a) { kg_f64v y; KG_EACH(a); return y; }

KG_FN kg_mask kg_mask_of(bool a) { return (kg_mask)(kg_splat_u32(0u - a)); }

/* GCC makes steps of the loop, where one instruction does. */
KG_FN bool kg_any(kg_mask a) {
#if defined __AVX512F__ && KG_LANES == 16 && !defined __clang__
  return __builtin_ia32_ptestmd512(a, a, 0xFFFF) != 0;
#elif defined __AVX__ && KG_LANES == 8 && !defined __clang__
  return __builtin_ia32_movmskps256((kg_f32v)a) != 0;
#elif defined __SSE__ && KG_LANES == 4 && !defined __clang__
  return __builtin_ia32_movmskps((kg_f32v)a) != 0;
#else
  int32_t y = 0;
  for (int l = 0; l < KG_LANES; l++) y |= a[l];
  return y != 0;
#endif
}

KG_FN bool kg_all(kg_mask a) { return !kg_any(~a); }

/* ---- choice ---- */
KG_FN kg_mask kg_select_mask(kg_mask m, kg_mask a, kg_mask b) { return (m & a) | (~m & b); }

KG_FN kg_u32v kg_select_u32(kg_mask m, kg_u32v a, kg_u32v b) { return ((kg_u32v)m & a) | (~(kg_u32v)m & b); }

KG_FN kg_f32v kg_select_f32(kg_mask m, kg_f32v a, kg_f32v b) {
  return (kg_f32v)(((kg_u32v)m & (kg_u32v)a) | (~(kg_u32v)m & (kg_u32v)b));
}

KG_FN kg_u64v kg_select_u64(kg_mask m, kg_u64v a, kg_u64v b) {
  kg_u64v y;
  KG_EACH((uint64_t)m[l]);
  return (y & a) | (~y & b);
}

KG_FN kg_f64v kg_select_f64(kg_mask m, kg_f64v a, kg_f64v b) { return (kg_f64v)kg_select_u64(m, (kg_u64v)a, (kg_u64v)b); }

/* ---- comparisons of 64-bit values, whose masks are of 32 bits ---- */
KG_FN kg_mask kg_eq_u64(kg_u64v a, kg_u64v b) { kg_mask y; KG_EACH(-(a[l] == b[l])); return y; }

KG_FN kg_mask kg_lt_u64(kg_u64v a, kg_u64v b) { kg_mask y; KG_EACH(-(a[l] < b[l])); return y; }

KG_FN kg_mask kg_le_u64(kg_u64v a, kg_u64v b) { kg_mask y; KG_EACH(-(a[l] <= b[l])); return y; }

KG_FN kg_mask kg_lt_i64(kg_u64v a, kg_u64v b) { kg_mask y; KG_EACH(-((int64_t)a[l] < (int64_t)b[l])); return y; }

KG_FN kg_mask kg_le_i64(kg_u64v a, kg_u64v b) { kg_mask y; KG_EACH(-((int64_t)a[l] <= (int64_t)b[l])); return y; }

KG_FN kg_mask kg_eq_f64(kg_f64v a, kg_f64v b) { kg_mask y; KG_EACH(-(a[l] == b[l])); return y; }

KG_FN kg_mask kg_lt_f64(kg_f64v a, kg_f64v b) { kg_mask y; KG_EACH(-(a[l] < b[l])); return y; }

KG_FN kg_mask kg_le_f64(kg_f64v a, kg_f64v b) { kg_mask y; KG_EACH(-(a[l] <= b[l])); return y; }

/* ---- integers: they wrap, x / 0 is all ones and x % 0 is x, MIN / -1 is MIN ---- */
KG_FN uint32_t kg_one_div_u32(uint32_t a, uint32_t b) { return b ? a / b : UINT32_MAX; }

KG_FN uint64_t kg_one_div_u64(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }

KG_FN uint32_t kg_one_div_i32(uint32_t a, uint32_t b) {
  return b + 1 < 2 ? (b ? 0 - a : UINT32_MAX) : (uint32_t)((int32_t)a / (int32_t)b);
}

KG_FN uint64_t kg_one_div_i64(uint64_t a, uint64_t b) {
  return b + 1 < 2 ? (b ? 0 - a : UINT64_MAX) : (uint64_t)((int64_t)a / (int64_t)b);
}

KG_FN uint32_t kg_one_rem_u32(uint32_t a, uint32_t b) { return b ? a % b : a; }

KG_FN uint64_t kg_one_rem_u64(uint64_t a, uint64_t b) { return b ? a % b : a; }

KG_FN uint32_t kg_one_rem_i32(uint32_t a, uint32_t b) { return a - kg_one_div_i32(a, b) * b; }

KG_FN uint64_t kg_one_rem_i64(uint64_t a, uint64_t b) { return a - kg_one_div_i64(a, b) * b; }

KG_FN uint32_t kg_one_mod_i32(uint32_t a, uint32_t b) {
  uint32_t r = kg_one_rem_i32(a, b);
  return r != 0 && (r ^ b) >> 31 ? r + b : r;
}

KG_FN uint64_t kg_one_mod_i64(uint64_t a, uint64_t b) {
  uint64_t r = kg_one_rem_i64(a, b);
  return r != 0 && (r ^ b) >> 63 ? r + b : r;
}

/* By way of double: a quotient that is no integer is at least 1 / b below the next one, and rounding errs by less than that. */
KG_FN kg_u32v kg_div_u32(kg_u32v a, kg_u32v b) {
  kg_u32v none = (kg_u32v)(b == 0), divisor = b - none, y;
  KG_EACH((uint32_t)((double)a[l] / (double)divisor[l]));
  return y | none;
}

KG_FN kg_u32v kg_div_i32(kg_u32v a, kg_u32v b) {
  kg_mask none = b == 0, minus = b == UINT32_MAX;
  kg_i32v dividend = (kg_i32v)a, divisor = (kg_i32v)kg_select_u32(none | minus, b * 0 + 1, b), y;
  KG_EACH((int32_t)((double)dividend[l] / (double)divisor[l]));
  return kg_select_u32(minus, -a, (kg_u32v)(y | none));
}

KG_FN kg_u32v kg_rem_u32(kg_u32v a, kg_u32v b) { return a - kg_div_u32(a, b) * b; }

KG_FN kg_u32v kg_rem_i32(kg_u32v a, kg_u32v b) { return a - kg_div_i32(a, b) * b; }

KG_FN kg_u32v kg_mod_i32(kg_u32v a, kg_u32v b) {
  kg_u32v r = kg_rem_i32(a, b);
  return r + (b & (kg_u32v)((r != 0) & ((kg_i32v)(r ^ b) >> 31)));
}

KG_LIFT_2(kg_div_u64, kg_u64v, kg_one_div_u64, kg_u64v, kg_u64v)

KG_LIFT_2(kg_div_i64, kg_u64v, kg_one_div_i64, kg_u64v, kg_u64v)

KG_LIFT_2(kg_rem_u64, kg_u64v, kg_one_rem_u64, kg_u64v, kg_u64v)

KG_LIFT_2(kg_rem_i64, kg_u64v, kg_one_rem_i64, kg_u64v, kg_u64v)

KG_LIFT_2(kg_mod_i64, kg_u64v, kg_one_mod_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_mod_u32(uint32_t a, uint32_t b) { return kg_one_rem_u32(a, b); }
KG_FN kg_u32v kg_mod_u32(kg_u32v a, kg_u32v b) { return kg_rem_u32(a, b); }

KG_FN uint64_t kg_one_mod_u64(uint64_t a, uint64_t b) { return kg_one_rem_u64(a, b); }
KG_FN kg_u64v kg_mod_u64(kg_u64v a, kg_u64v b) { return kg_rem_u64(a, b); }

KG_FN uint32_t kg_one_abs_u32(uint32_t a) { return a; }
KG_FN kg_u32v kg_abs_u32(kg_u32v a) { return a; }

KG_FN uint64_t kg_one_abs_u64(uint64_t a) { return a; }
KG_FN kg_u64v kg_abs_u64(kg_u64v a) { return a; }

KG_FN uint32_t kg_one_abs_i32(uint32_t a) { return a >> 31 ? 0 - a : a; }
KG_FN kg_u32v kg_abs_i32(kg_u32v a) { kg_u32v m = (kg_u32v)((kg_i32v)a >> 31); return (a ^ m) - m; }

KG_FN uint64_t kg_one_abs_i64(uint64_t a) { return a >> 63 ? 0 - a : a; }
KG_LIFT_1(kg_abs_i64, kg_u64v, kg_one_abs_i64, kg_u64v)

KG_FN uint32_t kg_one_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
KG_LIFT_2(kg_min_u32, kg_u32v, kg_one_min_u32, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
KG_LIFT_2(kg_max_u32, kg_u32v, kg_one_max_u32, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_min_i32(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
KG_LIFT_2(kg_min_i32, kg_u32v, kg_one_min_i32, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_max_i32(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
KG_LIFT_2(kg_max_i32, kg_u32v, kg_one_max_i32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
KG_LIFT_2(kg_min_u64, kg_u64v, kg_one_min_u64, kg_u64v, kg_u64v)

KG_FN uint64_t kg_one_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
KG_LIFT_2(kg_max_u64, kg_u64v, kg_one_max_u64, kg_u64v, kg_u64v)

KG_FN uint64_t kg_one_min_i64(uint64_t a, uint64_t b) { return (int64_t)a < (int64_t)b ? a : b; }
KG_LIFT_2(kg_min_i64, kg_u64v, kg_one_min_i64, kg_u64v, kg_u64v)

KG_FN uint64_t kg_one_max_i64(uint64_t a, uint64_t b) { return (int64_t)a > (int64_t)b ? a : b; }
KG_LIFT_2(kg_max_i64, kg_u64v, kg_one_max_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_abs_diff_u32(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
KG_LIFT_2(kg_abs_diff_u32, kg_u32v, kg_one_abs_diff_u32, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_abs_diff_i32(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a - b : b - a; }
KG_LIFT_2(kg_abs_diff_i32, kg_u32v, kg_one_abs_diff_i32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_abs_diff_u64(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }
KG_LIFT_2(kg_abs_diff_u64, kg_u64v, kg_one_abs_diff_u64, kg_u64v, kg_u64v)

KG_FN uint64_t kg_one_abs_diff_i64(uint64_t a, uint64_t b) { return (int64_t)a > (int64_t)b ? a - b : b - a; }
KG_LIFT_2(kg_abs_diff_i64, kg_u64v, kg_one_abs_diff_i64, kg_u64v, kg_u64v)

/* The upper half of the product. A negative operand counts 2^32 less than its bits do. */
KG_FN uint32_t kg_one_mul_high_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
KG_LIFT_2(kg_mul_high_u32, kg_u32v, kg_one_mul_high_u32, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_mul_high_i32(uint32_t a, uint32_t b) { return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32); }
KG_LIFT_2(kg_mul_high_i32, kg_u32v, kg_one_mul_high_i32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_mul_high_u64(uint64_t a, uint64_t b) {
  uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
  uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
  return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
}
KG_LIFT_2(kg_mul_high_u64, kg_u64v, kg_one_mul_high_u64, kg_u64v, kg_u64v)

KG_FN uint64_t kg_one_mul_high_i64(uint64_t a, uint64_t b) {
  return kg_one_mul_high_u64(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}
KG_LIFT_2(kg_mul_high_i64, kg_u64v, kg_one_mul_high_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_saturating_add_u32(uint32_t a, uint32_t b) { return a + b < a ? UINT32_MAX : a + b; }
KG_LIFT_2(kg_saturating_add_u32, kg_u32v, kg_one_saturating_add_u32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_saturating_add_u64(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
KG_LIFT_2(kg_saturating_add_u64, kg_u64v, kg_one_saturating_add_u64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_saturating_sub_u32(uint32_t a, uint32_t b) { return a < b ? 0 : a - b; }
KG_LIFT_2(kg_saturating_sub_u32, kg_u32v, kg_one_saturating_sub_u32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_saturating_sub_u64(uint64_t a, uint64_t b) { return a < b ? 0 : a - b; }
KG_LIFT_2(kg_saturating_sub_u64, kg_u64v, kg_one_saturating_sub_u64, kg_u64v, kg_u64v)

/* A sum overflows if its sign is that of neither operand; the limit on the side of a is MAX, and MIN if a is negative. */
KG_FN uint32_t kg_one_saturating_add_i32(uint32_t a, uint32_t b) {
  uint32_t y = a + b;
  return ((y ^ a) & (y ^ b)) >> 31 ? (a >> 31) + INT32_MAX : y;
}
KG_LIFT_2(kg_saturating_add_i32, kg_u32v, kg_one_saturating_add_i32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_saturating_add_i64(uint64_t a, uint64_t b) {
  uint64_t y = a + b;
  return ((y ^ a) & (y ^ b)) >> 63 ? (a >> 63) + INT64_MAX : y;
}
KG_LIFT_2(kg_saturating_add_i64, kg_u64v, kg_one_saturating_add_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_saturating_sub_i32(uint32_t a, uint32_t b) {
  uint32_t y = a - b;
  return ((a ^ b) & (y ^ a)) >> 31 ? (a >> 31) + INT32_MAX : y;
}
KG_LIFT_2(kg_saturating_sub_i32, kg_u32v, kg_one_saturating_sub_i32, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_saturating_sub_i64(uint64_t a, uint64_t b) {
  uint64_t y = a - b;
  return ((a ^ b) & (y ^ a)) >> 63 ? (a >> 63) + INT64_MAX : y;
}
KG_LIFT_2(kg_saturating_sub_i64, kg_u64v, kg_one_saturating_sub_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_sign_i32(uint32_t a) { return (uint32_t)((int32_t)a >> 31) | (a != 0); }
KG_FN kg_u32v kg_sign_i32(kg_u32v a) { return (kg_u32v)((kg_i32v)a >> 31) | ((kg_u32v)(a != 0) & 1); }

KG_FN uint64_t kg_one_sign_i64(uint64_t a) { return (uint64_t)((int64_t)a >> 63) | (a != 0); }
KG_LIFT_1(kg_sign_i64, kg_u64v, kg_one_sign_i64, kg_u64v)

KG_FN uint32_t kg_one_sign_u32(uint32_t a) { return a != 0; }
KG_FN kg_u32v kg_sign_u32(kg_u32v a) { return (kg_u32v)(a != 0) & 1; }

KG_FN uint64_t kg_one_sign_u64(uint64_t a) { return a != 0; }
KG_LIFT_1(kg_sign_u64, kg_u64v, kg_one_sign_u64, kg_u64v)

KG_FN uint32_t kg_one_shl_u32(uint32_t a, uint32_t b) { return a << (b & 31); }
KG_FN kg_u32v kg_shl_u32(kg_u32v a, kg_u32v b) { return a << (b & 31); }

KG_FN uint64_t kg_one_shl_u64(uint64_t a, uint64_t b) { return a << (b & 63); }
KG_LIFT_2(kg_shl_u64, kg_u64v, kg_one_shl_u64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_shr_u32(uint32_t a, uint32_t b) { return a >> (b & 31); }
KG_FN kg_u32v kg_shr_u32(kg_u32v a, kg_u32v b) { return a >> (b & 31); }

KG_FN uint64_t kg_one_shr_u64(uint64_t a, uint64_t b) { return a >> (b & 63); }
KG_LIFT_2(kg_shr_u64, kg_u64v, kg_one_shr_u64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_shr_i32(uint32_t a, uint32_t b) { return (uint32_t)((int32_t)a >> (b & 31)); }
KG_FN kg_u32v kg_shr_i32(kg_u32v a, kg_u32v b) { return (kg_u32v)((kg_i32v)a >> (kg_i32v)(b & 31)); }

KG_FN uint64_t kg_one_shr_i64(uint64_t a, uint64_t b) { return (uint64_t)((int64_t)a >> (b & 63)); }
KG_LIFT_2(kg_shr_i64, kg_u64v, kg_one_shr_i64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_rotl_u32(uint32_t a, uint32_t b) { return a << (b & 31) | a >> ((0 - b) & 31); }
KG_FN kg_u32v kg_rotl_u32(kg_u32v a, kg_u32v b) { return a << (b & 31) | a >> (-b & 31); }

KG_FN uint64_t kg_one_rotl_u64(uint64_t a, uint64_t b) { return a << (b & 63) | a >> ((0 - b) & 63); }
KG_LIFT_2(kg_rotl_u64, kg_u64v, kg_one_rotl_u64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_rotr_u32(uint32_t a, uint32_t b) { return a >> (b & 31) | a << ((0 - b) & 31); }
KG_FN kg_u32v kg_rotr_u32(kg_u32v a, kg_u32v b) { return a >> (b & 31) | a << (-b & 31); }

KG_FN uint64_t kg_one_rotr_u64(uint64_t a, uint64_t b) { return a >> (b & 63) | a << ((0 - b) & 63); }
KG_LIFT_2(kg_rotr_u64, kg_u64v, kg_one_rotr_u64, kg_u64v, kg_u64v)

KG_FN uint32_t kg_one_popcount_u32(uint32_t a) { return (uint32_t)__builtin_popcount(a); }
KG_LIFT_1(kg_popcount_u32, kg_u32v, kg_one_popcount_u32, kg_u32v)

KG_FN uint64_t kg_one_popcount_u64(uint64_t a) { return (uint64_t)__builtin_popcountll(a); }
KG_LIFT_1(kg_popcount_u64, kg_u64v, kg_one_popcount_u64, kg_u64v)

KG_FN uint32_t kg_one_clz_u32(uint32_t a) { return a ? (uint32_t)__builtin_clz(a) : 32; }
KG_LIFT_1(kg_clz_u32, kg_u32v, kg_one_clz_u32, kg_u32v)

KG_FN uint64_t kg_one_clz_u64(uint64_t a) { return a ? (uint64_t)__builtin_clzll(a) : 64; }
KG_LIFT_1(kg_clz_u64, kg_u64v, kg_one_clz_u64, kg_u64v)

KG_FN uint32_t kg_one_ctz_u32(uint32_t a) { return a ? (uint32_t)__builtin_ctz(a) : 32; }
KG_LIFT_1(kg_ctz_u32, kg_u32v, kg_one_ctz_u32, kg_u32v)

KG_FN uint64_t kg_one_ctz_u64(uint64_t a) { return a ? (uint64_t)__builtin_ctzll(a) : 64; }
KG_LIFT_1(kg_ctz_u64, kg_u64v, kg_one_ctz_u64, kg_u64v)

KG_FN uint64_t kg_one_reverse_bits_u64(uint64_t a) {
  a = __builtin_bswap64(a);
  a = (a >> 4 & 0x0F0F0F0F0F0F0F0F) | (a & 0x0F0F0F0F0F0F0F0F) << 4;
  a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
  return (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
}
KG_LIFT_1(kg_reverse_bits_u64, kg_u64v, kg_one_reverse_bits_u64, kg_u64v)

KG_FN uint32_t kg_one_reverse_bits_u32(uint32_t a) {
  a = __builtin_bswap32(a);
  a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  return (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
}
KG_LIFT_1(kg_reverse_bits_u32, kg_u32v, kg_one_reverse_bits_u32, kg_u32v)

/* The lowest bits, as many as a field of `count` bits from `offset` has that does not leave the word. */
KG_FN uint32_t kg_one_field_u32(uint32_t offset, uint32_t count) {
  uint32_t left = 32 - offset, bits = count < left ? count : left;
  return UINT32_MAX >> (-bits & 31) & (0u - (bits != 0));
}

KG_FN uint64_t kg_one_field_u64(uint32_t offset, uint32_t count) {
  uint32_t left = 64 - offset, bits = count < left ? count : left;
  return UINT64_MAX >> (-bits & 63) & (0 - (uint64_t)(bits != 0));
}

KG_FN uint32_t kg_one_bit_extract_u32(uint32_t a, uint32_t offset, uint32_t count) {
  return a >> (offset & 31) & kg_one_field_u32(offset & 31, count);
}
KG_LIFT_3(kg_bit_extract_u32, kg_u32v, kg_one_bit_extract_u32, kg_u32v, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_bit_extract_u64(uint64_t a, uint32_t offset, uint32_t count) {
  return a >> (offset & 63) & kg_one_field_u64(offset & 63, count);
}
KG_LIFT_3(kg_bit_extract_u64, kg_u64v, kg_one_bit_extract_u64, kg_u64v, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_bit_extract_i32(uint32_t a, uint32_t offset, uint32_t count) {
  uint32_t mask = kg_one_field_u32(offset & 31, count), field = a >> (offset & 31) & mask;
  return field | (field & ~(mask >> 1) ? ~mask : 0);
}
KG_LIFT_3(kg_bit_extract_i32, kg_u32v, kg_one_bit_extract_i32, kg_u32v, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_bit_extract_i64(uint64_t a, uint32_t offset, uint32_t count) {
  uint64_t mask = kg_one_field_u64(offset & 63, count), field = a >> (offset & 63) & mask;
  return field | (field & ~(mask >> 1) ? ~mask : 0);
}
KG_LIFT_3(kg_bit_extract_i64, kg_u64v, kg_one_bit_extract_i64, kg_u64v, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_bit_insert_u32(uint32_t a, uint32_t b, uint32_t offset, uint32_t count) {
  uint32_t mask = kg_one_field_u32(offset & 31, count);
  return (a & ~(mask << (offset & 31))) | (b & mask) << (offset & 31);
}
KG_LIFT_4(kg_bit_insert_u32, kg_u32v, kg_one_bit_insert_u32, kg_u32v, kg_u32v, kg_u32v, kg_u32v)

KG_FN uint64_t kg_one_bit_insert_u64(uint64_t a, uint64_t b, uint32_t offset, uint32_t count) {
  uint64_t mask = kg_one_field_u64(offset & 63, count);
  return (a & ~(mask << (offset & 63))) | (b & mask) << (offset & 63);
}
KG_LIFT_4(kg_bit_insert_u64, kg_u64v, kg_one_bit_insert_u64, kg_u64v, kg_u64v, kg_u32v, kg_u32v)

KG_FN uint32_t kg_one_flat_index_u32(uint32_t i, uint32_t row, uint32_t extent) {
  return i >= extent || row == UINT32_MAX ? UINT32_MAX : row * extent + i;
}
KG_FN kg_u32v kg_flat_index_u32(kg_u32v i, kg_u32v row, kg_u32v extent) {
  return (row * extent + i) | (kg_u32v)((i >= extent) | (row == UINT32_MAX));
}

KG_FN uint32_t kg_one_flat_index_i32(uint32_t i, uint32_t row, uint32_t extent) {
  return i >> 31 || i >= extent || row == UINT32_MAX ? UINT32_MAX : row * extent + i;
}
KG_FN kg_u32v kg_flat_index_i32(kg_u32v i, kg_u32v row, kg_u32v extent) {
  return (row * extent + i) | (kg_u32v)((i >= extent) | (row == UINT32_MAX) | ((kg_i32v)i >> 31));
}

KG_FN uint32_t kg_one_flat_index_u64(uint64_t i, uint32_t row, uint32_t extent) {
  return i >= extent || row == UINT32_MAX ? UINT32_MAX : row * extent + (uint32_t)i;
}
KG_FN kg_u32v kg_flat_index_u64(kg_u64v i, kg_u32v row, kg_u32v extent) {
  kg_u32v low, high;
  for (int l = 0; l < KG_LANES; l++) low[l] = (uint32_t)i[l], high[l] = (uint32_t)(i[l] >> 32);
  return kg_flat_index_u32(low, row, extent) | (kg_u32v)(high != 0);
}

/* Without its sign, a negative number is past any extent. */
KG_FN uint32_t kg_one_flat_index_i64(uint64_t i, uint32_t row, uint32_t extent) { return kg_one_flat_index_u64(i, row, extent); }
KG_FN kg_u32v kg_flat_index_i64(kg_u64v i, kg_u32v row, kg_u32v extent) { return kg_flat_index_u64(i, row, extent); }

/* ---- floats ---- */
KG_FN float kg_one_abs_f32(float a) { return __builtin_fabsf(a); }
KG_FN kg_f32v kg_abs_f32(kg_f32v a) { return (kg_f32v)((kg_u32v)a & 0x7FFFFFFF); }

KG_FN double kg_one_abs_f64(double a) { return __builtin_fabs(a); }
KG_FN kg_f64v kg_abs_f64(kg_f64v a) { return (kg_f64v)((kg_u64v)a & INT64_MAX); }

/* A NaN loses against a number, and -0 is less than +0. */
KG_FN float kg_one_min_f32(float a, float b) { return a < b || b != b || (a == b && __builtin_signbit(a)) ? a : b; }
KG_FN kg_f32v kg_min_f32(kg_f32v a, kg_f32v b) {
  return kg_select_f32((a < b) | (b != b) | ((a == b) & ((kg_i32v)a >> 31)), a, b);
}

KG_FN float kg_one_max_f32(float a, float b) { return a > b || b != b || (a == b && !__builtin_signbit(a)) ? a : b; }
KG_FN kg_f32v kg_max_f32(kg_f32v a, kg_f32v b) {
  return kg_select_f32((a > b) | (b != b) | ((a == b) & ~((kg_i32v)a >> 31)), a, b);
}

/* Of equal numbers the bits differ in their sign at most. */
KG_FN double kg_one_min_f64(double a, double b) {
  double less = a < b ? a : b, y = a == b ? kg_one_u64_as_f64(kg_one_f64_as_u64(a) | kg_one_f64_as_u64(b)) : less;
  return b != b ? a : y;
}
KG_LIFT_2(kg_min_f64, kg_f64v, kg_one_min_f64, kg_f64v, kg_f64v)

KG_FN double kg_one_max_f64(double a, double b) {
  double more = a > b ? a : b, y = a == b ? kg_one_u64_as_f64(kg_one_f64_as_u64(a) & kg_one_f64_as_u64(b)) : more;
  return b != b ? a : y;
}
KG_LIFT_2(kg_max_f64, kg_f64v, kg_one_max_f64, kg_f64v, kg_f64v)

/* Not the size of a - b: of 0 and -0 it is b - a, which is -0. */
KG_FN float kg_one_abs_diff_f32(float a, float b) { return a > b ? a - b : b - a; }
KG_FN kg_f32v kg_abs_diff_f32(kg_f32v a, kg_f32v b) { return kg_select_f32(a > b, a - b, b - a); }

KG_FN double kg_one_abs_diff_f64(double a, double b) { return a > b ? a - b : b - a; }
KG_LIFT_2(kg_abs_diff_f64, kg_f64v, kg_one_abs_diff_f64, kg_f64v, kg_f64v)

KG_FN float kg_one_mulz_f32(float a, float b) { return a == 0 ? 0 : a * b; }
KG_FN kg_f32v kg_mulz_f32(kg_f32v a, kg_f32v b) {
#if defined __AVX512F__ && KG_LANES == 16 && !defined __clang__
  const kg_f32v zero = {0};
  const uint16_t others = __builtin_ia32_cmpps512_mask(a, zero, 4, 0xFFFF, 4); /* not equal, or not ordered */
  return __builtin_ia32_mulps512_mask(a, b, zero, others, 4);
#else
  return (kg_f32v)((kg_u32v)(a * b) & (kg_u32v)(a != 0));
#endif
}

KG_FN double kg_one_mulz_f64(double a, double b) { return a == 0 ? 0 : a * b; }
KG_LIFT_2(kg_mulz_f64, kg_f64v, kg_one_mulz_f64, kg_f64v, kg_f64v)

KG_FN float kg_one_sign_f32(float a) { return a > 0 ? 1 : a < 0 ? -1 : a; }
KG_FN kg_f32v kg_sign_f32(kg_f32v a) {
  kg_u32v other = (kg_u32v)a & 0x80000000;
  return kg_select_f32((a > 0) | (a < 0), (kg_f32v)(other | 0x3F800000), a);
}

KG_FN double kg_one_sign_f64(double a) { return a > 0 ? 1 : a < 0 ? -1 : a; }
KG_LIFT_1(kg_sign_f64, kg_f64v, kg_one_sign_f64, kg_f64v)

KG_FN bool kg_one_is_inf_f32(float a) { return __builtin_fabsf(a) > 0x1.fffffep127f; }
KG_FN kg_mask kg_is_inf_f32(kg_f32v a) { return ((kg_u32v)a & 0x7FFFFFFF) == 0x7F800000; }

KG_FN bool kg_one_is_inf_f64(double a) { return __builtin_fabs(a) > 0x1.fffffffffffffp1023; }
KG_FN kg_mask kg_is_inf_f64(kg_f64v a) { kg_mask y; KG_EACH(-kg_one_is_inf_f64(a[l])); return y; }

/* Without instructions that round: at 2^23 the last place of a float is 1, so that a sum rounds. What is larger is an integer. */
KG_FN float kg_one_round_f32(float a) {
#if defined __SSE4_1__ || defined __aarch64__
  return __builtin_rintf(a);
#else
  float size = __builtin_fabsf(a);
  return size < 0x1p23f ? __builtin_copysignf((size + 0x1p23f) - 0x1p23f, a) : a;
#endif
}
KG_LIFT_1(kg_round_f32, kg_f32v, kg_one_round_f32, kg_f32v)

KG_FN float kg_one_floor_f32(float a) {
#if defined __SSE4_1__ || defined __aarch64__
  return __builtin_floorf(a);
#else
  float y = kg_one_round_f32(a);
  return y - (y > a ? 1.0f : 0.0f);
#endif
}
KG_LIFT_1(kg_floor_f32, kg_f32v, kg_one_floor_f32, kg_f32v)

KG_FN float kg_one_ceil_f32(float a) {
#if defined __SSE4_1__ || defined __aarch64__
  return __builtin_ceilf(a);
#else
  float y = kg_one_round_f32(a);
  return y < a ? __builtin_copysignf(y + 1, a) : y;
#endif
}
KG_LIFT_1(kg_ceil_f32, kg_f32v, kg_one_ceil_f32, kg_f32v)

KG_FN float kg_one_trunc_f32(float a) {
#if defined __SSE4_1__ || defined __aarch64__
  return __builtin_truncf(a);
#else
  return __builtin_copysignf(kg_one_floor_f32(__builtin_fabsf(a)), a);
#endif
}
KG_LIFT_1(kg_trunc_f32, kg_f32v, kg_one_trunc_f32, kg_f32v)

KG_FN double kg_one_round_f64(double a) { return __builtin_rint(a); }
KG_LIFT_1(kg_round_f64, kg_f64v, kg_one_round_f64, kg_f64v)

KG_FN double kg_one_floor_f64(double a) { return __builtin_floor(a); }
KG_LIFT_1(kg_floor_f64, kg_f64v, kg_one_floor_f64, kg_f64v)

KG_FN double kg_one_ceil_f64(double a) { return __builtin_ceil(a); }
KG_LIFT_1(kg_ceil_f64, kg_f64v, kg_one_ceil_f64, kg_f64v)

KG_FN double kg_one_trunc_f64(double a) { return __builtin_trunc(a); }
KG_LIFT_1(kg_trunc_f64, kg_f64v, kg_one_trunc_f64, kg_f64v)

KG_FN float kg_one_sqrt_f32(float a) { return __builtin_sqrtf(a); }
KG_LIFT_1(kg_sqrt_f32, kg_f32v, kg_one_sqrt_f32, kg_f32v)

KG_FN double kg_one_sqrt_f64(double a) { return __builtin_sqrt(a); }
KG_LIFT_1(kg_sqrt_f64, kg_f64v, kg_one_sqrt_f64, kg_f64v)

/* Rounded once. Without an instruction: the product is exact in double; of the sum, what rounding dropped goes into its last bit,
 * which the float is far from having. */
KG_FN float kg_one_fma_f32(float a, float b, float c) {
#if defined __FMA__ || defined __aarch64__
  return __builtin_fmaf(a, b, c);
#else
  double product = (double)a * b, sum = product + c, other = sum - product, rest = (product - (sum - other)) + (c - other);
  uint64_t bits = kg_one_f64_as_u64(sum), odd = ((rest > 0) | (rest < 0)) & ~bits & 1; /* 1: it was dropped, and is not there */
  return (float)kg_one_u64_as_f64(bits + odd * ((rest > 0) == (sum > 0) ? 1 : UINT64_MAX));
#endif
}
KG_LIFT_3(kg_fma_f32, kg_f32v, kg_one_fma_f32, kg_f32v, kg_f32v, kg_f32v)

KG_FN double kg_one_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
KG_LIFT_3(kg_fma_f64, kg_f64v, kg_one_fma_f64, kg_f64v, kg_f64v, kg_f64v)

/* Rounded once where there is an instruction for it, else each by itself. */
KG_FN float kg_one_mad_f32(float a, float b, float c) {
#if defined __FMA__ || defined __aarch64__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
KG_LIFT_3(kg_mad_f32, kg_f32v, kg_one_mad_f32, kg_f32v, kg_f32v, kg_f32v)

KG_FN double kg_one_mad_f64(double a, double b, double c) {
#if defined __FMA__ || defined __aarch64__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
KG_LIFT_3(kg_mad_f64, kg_f64v, kg_one_mad_f64, kg_f64v, kg_f64v, kg_f64v)

/* The product with a power of two is exact in double, but where it is far past what a float can be. */
KG_FN float kg_one_ldexp_f32(float a, uint32_t b) {
  int32_t n = (int32_t)b < -300 ? -300 : (int32_t)b > 300 ? 300 : (int32_t)b;
  return (float)(a * kg_one_u64_as_f64((uint64_t)(n + 1023) << 52));
}
KG_LIFT_2(kg_ldexp_f32, kg_f32v, kg_one_ldexp_f32, kg_f32v, kg_u32v)

KG_FN double kg_one_ldexp_f64(double a, uint32_t b) { return __builtin_ldexp(a, (int32_t)b); }
KG_LIFT_2(kg_ldexp_f64, kg_f64v, kg_one_ldexp_f64, kg_f64v, kg_u32v)

KG_FN double kg_one_rem_f64(double a, double b) { return __builtin_fmod(a, b); }
KG_LIFT_2(kg_rem_f64, kg_f64v, kg_one_rem_f64, kg_f64v, kg_f64v)

/* Floored: the result has the sign of the divisor, a zero as well. */
KG_FN double kg_one_mod_f64(double a, double b) {
  double r = __builtin_fmod(a, b);
  return r == 0 ? __builtin_copysign(r, b) : (r < 0) != (b < 0) ? r + b : r;
}
KG_LIFT_2(kg_mod_f64, kg_f64v, kg_one_mod_f64, kg_f64v, kg_f64v)

/* ---- functions of double: those of the C library ---- */
KG_LIFT_1(kg_exp_f64, kg_f64v, __builtin_exp, kg_f64v)

KG_LIFT_1(kg_exp2_f64, kg_f64v, __builtin_exp2, kg_f64v)

KG_LIFT_1(kg_expm1_f64, kg_f64v, __builtin_expm1, kg_f64v)

KG_LIFT_1(kg_log_f64, kg_f64v, __builtin_log, kg_f64v)

KG_LIFT_1(kg_log2_f64, kg_f64v, __builtin_log2, kg_f64v)

KG_LIFT_1(kg_log1p_f64, kg_f64v, __builtin_log1p, kg_f64v)

/* It tells NaNs apart that nobody else does. */
KG_FN double kg_one_pow_f64(double a, double b) {
  double nan = __builtin_nan("");
  return __builtin_pow(a != a ? nan : a, b != b ? nan : b);
}
KG_LIFT_2(kg_pow_f64, kg_f64v, kg_one_pow_f64, kg_f64v, kg_f64v)

KG_LIFT_1(kg_sin_f64, kg_f64v, __builtin_sin, kg_f64v)

KG_LIFT_1(kg_cos_f64, kg_f64v, __builtin_cos, kg_f64v)

KG_LIFT_1(kg_tan_f64, kg_f64v, __builtin_tan, kg_f64v)

KG_FN double kg_one_sinc_f64(double a) { return a == 0 ? 1 : __builtin_sin(a) / a; }
KG_LIFT_1(kg_sinc_f64, kg_f64v, kg_one_sinc_f64, kg_f64v)

KG_LIFT_1(kg_asin_f64, kg_f64v, __builtin_asin, kg_f64v)

KG_LIFT_1(kg_acos_f64, kg_f64v, __builtin_acos, kg_f64v)

KG_LIFT_1(kg_atan_f64, kg_f64v, __builtin_atan, kg_f64v)

KG_LIFT_2(kg_atan2_f64, kg_f64v, __builtin_atan2, kg_f64v, kg_f64v)

KG_LIFT_2(kg_hypot_f64, kg_f64v, __builtin_hypot, kg_f64v, kg_f64v)

KG_LIFT_1(kg_sinh_f64, kg_f64v, __builtin_sinh, kg_f64v)

KG_LIFT_1(kg_cosh_f64, kg_f64v, __builtin_cosh, kg_f64v)

KG_LIFT_1(kg_tanh_f64, kg_f64v, __builtin_tanh, kg_f64v)

KG_LIFT_1(kg_asinh_f64, kg_f64v, __builtin_asinh, kg_f64v)

KG_LIFT_1(kg_acosh_f64, kg_f64v, __builtin_acosh, kg_f64v)

KG_LIFT_1(kg_atanh_f64, kg_f64v, __builtin_atanh, kg_f64v)

KG_LIFT_1(kg_erf_f64, kg_f64v, __builtin_erf, kg_f64v)

KG_LIFT_1(kg_erfc_f64, kg_f64v, __builtin_erfc, kg_f64v)

/* ---- narrow floats ---- */
/* To nearest, ties to even. Above the subnormals half of the last place is added and the rest cut. Of subnormals the sum with 1/2
 * rounds, whose last place is theirs. */
KG_FN float kg_one_round_f16(float a) {
  uint32_t u = kg_one_f32_as_u32(a) & 0x7FFFFFFF, cut = (u + 0xFFF + (u >> 13 & 1)) & 0xFFFFE000;
  float size = __builtin_fabsf(a), y = size < 0x1p-14f ? (size + 0.5f) - 0.5f : kg_one_u32_as_f32(cut);
  return a != a ? a : __builtin_copysignf(y > 65504 ? __builtin_inff() : y, a);
}

KG_FN kg_f32v kg_round_f16(kg_f32v a) {
  kg_u32v sign = (kg_u32v)a & 0x80000000, u = (kg_u32v)a ^ sign, cut = (u + 0xFFF + (u >> 13 & 1)) & 0xFFFFE000;
  kg_u32v y = kg_select_u32((kg_i32v)u < 0x38800000, (kg_u32v)(((kg_f32v)u + 0.5f) - 0.5f), cut);
  kg_u32v past = u * 0 + 0x7F800000;
  y = kg_select_u32((kg_i32v)y > 0x477FE000, past, y);
  return (kg_f32v)(sign | kg_select_u32((kg_i32v)u > 0x7F800000, u, y));
}

KG_FN kg_u32v kg_encode_f16(kg_f32v a) {
  kg_u32v sign = (kg_u32v)a & 0x80000000, u = (kg_u32v)a ^ sign, cut = (u - 0x38000000 + 0xFFF + (u >> 13 & 1)) >> 13;
  kg_u32v y = kg_select_u32((kg_i32v)u < 0x38800000, (kg_u32v)((kg_f32v)u + 0.5f) - 0x3F000000, cut);
  kg_u32v past = u * 0 + 0x7C00, nan = u * 0 + 0x7E00;
  y = kg_select_u32((kg_i32v)u > 0x477FEFFF, past, y) | sign >> 16;
  return kg_select_u32((kg_i32v)u > 0x7F800000, nan, y);
}

KG_FN kg_f32v kg_decode_f16(kg_u32v bits) {
  kg_u32v u = (bits & 0x7FFF) << 13, small = (kg_u32v)((kg_f32v)(u + 0x38800000) - 0x1p-14f);
  kg_u32v y = kg_select_u32((kg_i32v)u < 0x800000, small, u + 0x38000000);
  return (kg_f32v)(kg_select_u32((kg_i32v)u > 0xF7FFFFF, u | 0x7F800000, y) | (bits & 0x8000) << 16);
}

KG_FN kg_u32v kg_encode_bf16(kg_f32v a) {
  kg_u32v u = (kg_u32v)a, nan = u * 0 + 0x7FC0;
  return kg_select_u32(a != a, nan, (u + 0x7FFF + (u >> 16 & 1)) >> 16);
}

KG_FN kg_f32v kg_decode_bf16(kg_u32v bits) { return (kg_f32v)(bits << 16); }

/* Of a double, rounded once. */
KG_FN float kg_one_f64_to_f16(double a) {
  double size = __builtin_fabs(a), y;
  uint64_t u = kg_one_f64_as_u64(size);
  y = kg_one_u64_as_f64((u + 0x1FFFFFFFFFF + (u >> 42 & 1)) & ~UINT64_C(0x3FFFFFFFFFF));
  y = size < 0x1p-14 ? (size + 0x1p28) - 0x1p28 : y;
  y = y > 65504 ? __builtin_inf() : y;
  return (float)(a != a ? a : __builtin_copysign(y, a));
}
KG_LIFT_1(kg_f64_to_f16, kg_f32v, kg_one_f64_to_f16, kg_f64v)

/* The exact sum fits a double wherever it can round to an f16 at all. */
KG_FN float kg_one_fma_f16(float a, float b, float c) { return kg_one_f64_to_f16((double)a * b + c); }
KG_LIFT_3(kg_fma_f16, kg_f32v, kg_one_fma_f16, kg_f32v, kg_f32v, kg_f32v)

/* The product with a power of two is exact in float, but where it is far past what an f16 can be. */
KG_FN float kg_one_ldexp_f16(float a, uint32_t b) {
  int32_t n = (int32_t)b < -60 ? -60 : (int32_t)b > 60 ? 60 : (int32_t)b;
  return kg_one_round_f16(a * kg_one_u32_as_f32((uint32_t)(n + 127) << 23));
}
KG_LIFT_2(kg_ldexp_f16, kg_f32v, kg_one_ldexp_f16, kg_f32v, kg_u32v)

/* ---- conversions ---- */
KG_FN uint32_t kg_one_bool_to_u32(bool a) { return a; }
KG_FN kg_u32v kg_bool_to_u32(kg_mask a) { return (kg_u32v)a & 1; }

KG_FN uint64_t kg_one_bool_to_u64(bool a) { return a; }
KG_FN kg_u64v kg_bool_to_u64(kg_mask a) { kg_u64v y; KG_EACH((uint64_t)(a[l] & 1)); return y; }

KG_FN float kg_one_bool_to_f32(bool a) { return a; }
KG_FN kg_f32v kg_bool_to_f32(kg_mask a) { return (kg_f32v)((kg_u32v)a & 0x3F800000); }

KG_FN double kg_one_bool_to_f64(bool a) { return a; }
KG_FN kg_f64v kg_bool_to_f64(kg_mask a) { kg_f64v y; KG_EACH((double)(a[l] & 1)); return y; }

KG_FN uint64_t kg_one_i32_to_u64(uint32_t a) { return (uint64_t)(int32_t)a; }
KG_LIFT_1(kg_i32_to_u64, kg_u64v, kg_one_i32_to_u64, kg_u32v)

KG_FN uint64_t kg_one_u32_to_u64(uint32_t a) { return a; }
KG_LIFT_1(kg_u32_to_u64, kg_u64v, kg_one_u32_to_u64, kg_u32v)

KG_FN uint32_t kg_one_u64_to_u32(uint64_t a) { return (uint32_t)a; }
KG_LIFT_1(kg_u64_to_u32, kg_u32v, kg_one_u64_to_u32, kg_u64v)

KG_FN float kg_one_i32_to_f32(uint32_t a) { return (float)(int32_t)a; }
KG_LIFT_1(kg_i32_to_f32, kg_f32v, kg_one_i32_to_f32, kg_u32v)

KG_FN float kg_one_u32_to_f32(uint32_t a) { return (float)a; }
KG_LIFT_1(kg_u32_to_f32, kg_f32v, kg_one_u32_to_f32, kg_u32v)

KG_FN double kg_one_i32_to_f64(uint32_t a) { return (int32_t)a; }
KG_LIFT_1(kg_i32_to_f64, kg_f64v, kg_one_i32_to_f64, kg_u32v)

KG_FN double kg_one_u32_to_f64(uint32_t a) { return a; }
KG_LIFT_1(kg_u32_to_f64, kg_f64v, kg_one_u32_to_f64, kg_u32v)

KG_FN float kg_one_i64_to_f32(uint64_t a) { return (float)(int64_t)a; }
KG_LIFT_1(kg_i64_to_f32, kg_f32v, kg_one_i64_to_f32, kg_u64v)

KG_FN float kg_one_u64_to_f32(uint64_t a) { return (float)a; }
KG_LIFT_1(kg_u64_to_f32, kg_f32v, kg_one_u64_to_f32, kg_u64v)

KG_FN double kg_one_i64_to_f64(uint64_t a) { return (double)(int64_t)a; }
KG_LIFT_1(kg_i64_to_f64, kg_f64v, kg_one_i64_to_f64, kg_u64v)

KG_FN double kg_one_u64_to_f64(uint64_t a) { return (double)a; }
KG_LIFT_1(kg_u64_to_f64, kg_f64v, kg_one_u64_to_f64, kg_u64v)

KG_FN double kg_one_f32_to_f64(float a) { return a; }
KG_LIFT_1(kg_f32_to_f64, kg_f64v, kg_one_f32_to_f64, kg_f32v)

KG_FN float kg_one_f64_to_f32(double a) { return (float)a; }
KG_LIFT_1(kg_f64_to_f32, kg_f32v, kg_one_f64_to_f32, kg_f64v)

/* Floats to integers saturate, and a NaN gives 0. */
KG_FN uint32_t kg_one_f64_to_i32(double a) {
  double number = a == a ? a : 0, low = number > -0x1p31 ? number : -0x1p31, inside = low < INT32_MAX ? low : INT32_MAX;
  return (uint32_t)(int32_t)inside;
}
KG_LIFT_1(kg_f64_to_i32, kg_u32v, kg_one_f64_to_i32, kg_f64v)

/* Without ?: and a conversion to uint32_t, on which GCC 12 fails in loops with AVX-512. At 2^52 the last bit of a double is 1. */
KG_FN uint32_t kg_one_f64_to_u32(double a) {
  uint64_t fits = (a > 0) & (a < 0x1p32), inside = kg_one_f64_as_u64(a) & (0 - fits);
#ifdef __AVX512F__
  uint32_t y = (uint32_t)kg_one_f64_as_u64(__builtin_floor(kg_one_u64_as_f64(inside)) + 0x1p52);
#else
  uint32_t y = (uint32_t)kg_one_u64_as_f64(inside);
#endif
  return y | (0u - (a >= 0x1p32));
}
KG_LIFT_1(kg_f64_to_u32, kg_u32v, kg_one_f64_to_u32, kg_f64v)

KG_FN uint64_t kg_one_f64_to_i64(double a) {
  double number = a == a ? a : 0, low = number > -0x1p63 ? number : -0x1p63, inside = low < 0x1p63 ? low : 0;
  return (uint64_t)(int64_t)inside | (low < 0x1p63 ? 0 : INT64_MAX);
}
KG_LIFT_1(kg_f64_to_i64, kg_u64v, kg_one_f64_to_i64, kg_f64v)

/* The upper half by way of signed numbers. */
KG_FN uint64_t kg_one_f64_to_u64(double a) {
  double low = a > 0 ? a : 0, half = low < 0x1p63 ? 0 : 0x1p63, inside = low < 0x1p64 ? low - half : 0;
  return ((uint64_t)(int64_t)inside + (low < 0x1p63 ? 0 : UINT64_C(1) << 63)) | (low < 0x1p64 ? 0 : UINT64_MAX);
}
KG_LIFT_1(kg_f64_to_u64, kg_u64v, kg_one_f64_to_u64, kg_f64v)

KG_FN uint32_t kg_one_f32_to_i32(float a) { return kg_one_f64_to_i32(a); }
KG_FN kg_u32v kg_f32_to_i32(kg_f32v a) {
  kg_mask over = a >= 0x1p31f, under = a < -0x1p31f;
  kg_f32v inside = (kg_f32v)((kg_u32v)a & (kg_u32v)(a == a) & ~(kg_u32v)(over | under));
  kg_u32v y = (kg_u32v)__builtin_convertvector(inside, kg_i32v);
  return y | ((kg_u32v)over & 0x7FFFFFFF) | ((kg_u32v)under & 0x80000000);
}

/* The upper half by way of signed numbers, which every machine has instructions for. */
KG_FN uint32_t kg_one_f32_to_u32(float a) { return kg_one_f64_to_u32(a); }
KG_FN kg_u32v kg_f32_to_u32(kg_f32v a) {
  kg_mask over = a >= 0x1p32f, upper = a >= 0x1p31f;
  kg_f32v inside = (kg_f32v)((kg_u32v)a & (kg_u32v)(a > 0) & ~(kg_u32v)over);
  kg_f32v half = (kg_f32v)((kg_u32v)(upper & ~over) & 0x4F000000);
  kg_u32v y = (kg_u32v)__builtin_convertvector(inside - half, kg_i32v);
  return (y + ((kg_u32v)upper & 0x80000000)) | (kg_u32v)over;
}

KG_FN uint64_t kg_one_f32_to_i64(float a) { return kg_one_f64_to_i64(a); }
KG_LIFT_1(kg_f32_to_i64, kg_u64v, kg_one_f32_to_i64, kg_f32v)

KG_FN uint64_t kg_one_f32_to_u64(float a) { return kg_one_f64_to_u64(a); }
KG_LIFT_1(kg_f32_to_u64, kg_u64v, kg_one_f32_to_u64, kg_f32v)

/* ---- packs: the first operand lies lowest ---- */
KG_FN uint32_t kg_one_norm(float a, float low, double scale, uint32_t mask) {
  double clamped = a > low ? (a < 1 ? (double)a : 1) : a != a ? 0 : (double)low;
  return (uint32_t)(int32_t)((clamped * scale + 0x1.8p52) - 0x1.8p52) & mask;
}

KG_FN kg_u32v kg_pack_half_2x16(kg_f32v a, kg_f32v b) { return kg_encode_f16(a) | kg_encode_f16(b) << 16; }

KG_FN uint32_t kg_one_pack_half_2x16(float a, float b) { return kg_pack_half_2x16(kg_splat_f32(a), kg_splat_f32(b))[0]; }

KG_FN uint32_t kg_one_pack_unorm_2x16(float a, float b) {
  return kg_one_norm(a, 0, 65535, 0xFFFF) | kg_one_norm(b, 0, 65535, 0xFFFF) << 16;
}
KG_LIFT_2(kg_pack_unorm_2x16, kg_u32v, kg_one_pack_unorm_2x16, kg_f32v, kg_f32v)

KG_FN uint32_t kg_one_pack_snorm_2x16(float a, float b) {
  return kg_one_norm(a, -1, 32767, 0xFFFF) | kg_one_norm(b, -1, 32767, 0xFFFF) << 16;
}
KG_LIFT_2(kg_pack_snorm_2x16, kg_u32v, kg_one_pack_snorm_2x16, kg_f32v, kg_f32v)

KG_FN uint32_t kg_one_pack_unorm_4x8(float a, float b, float c, float d) {
  return kg_one_norm(a, 0, 255, 255) | kg_one_norm(b, 0, 255, 255) << 8 | kg_one_norm(c, 0, 255, 255) << 16 |
         kg_one_norm(d, 0, 255, 255) << 24;
}
KG_LIFT_4(kg_pack_unorm_4x8, kg_u32v, kg_one_pack_unorm_4x8, kg_f32v, kg_f32v, kg_f32v, kg_f32v)

KG_FN uint32_t kg_one_pack_snorm_4x8(float a, float b, float c, float d) {
  return kg_one_norm(a, -1, 127, 255) | kg_one_norm(b, -1, 127, 255) << 8 | kg_one_norm(c, -1, 127, 255) << 16 |
         kg_one_norm(d, -1, 127, 255) << 24;
}
KG_LIFT_4(kg_pack_snorm_4x8, kg_u32v, kg_one_pack_snorm_4x8, kg_f32v, kg_f32v, kg_f32v, kg_f32v)

KG_FN kg_f32v kg_unpack_half_2x16(kg_u32v a, kg_u32v k) { return kg_decode_f16(a >> ((k & 1) << 4) & 0xFFFF); }

KG_FN float kg_one_unpack_half_2x16(uint32_t a, uint32_t k) { return kg_unpack_half_2x16(kg_splat_u32(a), kg_splat_u32(k))[0]; }

KG_FN float kg_one_unpack_unorm_2x16(uint32_t a, uint32_t k) { return (float)(int32_t)(a >> 16 * (k % 2) & 0xFFFF) / 65535; }
KG_LIFT_2(kg_unpack_unorm_2x16, kg_f32v, kg_one_unpack_unorm_2x16, kg_u32v, kg_u32v)

KG_FN float kg_one_unpack_snorm_2x16(uint32_t a, uint32_t k) {
  float y = (float)(int16_t)(a >> 16 * (k % 2) & 0xFFFF) / 32767;
  return y < -1 ? -1 : y;
}
KG_LIFT_2(kg_unpack_snorm_2x16, kg_f32v, kg_one_unpack_snorm_2x16, kg_u32v, kg_u32v)

KG_FN float kg_one_unpack_unorm_4x8(uint32_t a, uint32_t k) { return (float)(int32_t)(a >> 8 * (k % 4) & 0xFF) / 255; }
KG_LIFT_2(kg_unpack_unorm_4x8, kg_f32v, kg_one_unpack_unorm_4x8, kg_u32v, kg_u32v)

KG_FN float kg_one_unpack_snorm_4x8(uint32_t a, uint32_t k) {
  float y = (float)(int8_t)(a >> 8 * (k % 4) & 0xFF) / 127;
  return y < -1 ? -1 : y;
}
KG_LIFT_2(kg_unpack_snorm_4x8, kg_f32v, kg_one_unpack_snorm_4x8, kg_u32v, kg_u32v)
