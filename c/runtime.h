/* What emitted text calls: kg_NAME over lanes, kg_one_NAME over one value. This is the first file of the runtime: types, lanes, choice.
 * The others follow in the order of `c_runtime` in c/sources.am. A blank line ends a paragraph. Emitted text takes the paragraphs whose
 * names it uses, those whose names they use, and those that have no name. A name belongs to the paragraph in which it occurs first, so
 * no paragraph may name what stands below it, in comments neither. The first paragraph of each file, like this one, is dropped. */

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

/* Where nothing is optimised, a call compiles in half the time that its function takes once more. */
#ifdef __OPTIMIZE__
#define KG_FN static inline __attribute__((always_inline, unused))
#else
#define KG_FN static __attribute__((unused))
#endif

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

/* A loop over lanes, which compilers turn into vector instructions. Where GCC does not see that it stores every lane, and warns, y begins
 * as zeros; elsewhere those would be stored in vain. */
#define KG_EACH(value) for (int l = 0; l < KG_LANES; l++) y[l] = value
#define KG_LIFT_1(name, R, one, A) KG_FN R name(A a) { R y; KG_EACH(one(a[l])); return y; }
#define KG_LIFT_2(name, R, one, A, B) KG_FN R name(A a, B b) { R y; KG_EACH(one(a[l], b[l])); return y; }
#define KG_LIFT_3(name, R, one, A, B, C) KG_FN R name(A a, B b, C c) { R y; KG_EACH(one(a[l], b[l], c[l])); return y; }
#define KG_LIFT_4(name, R, one, A, B, C, D) \
  KG_FN R name(A a, B b, C c, D d) { R y; KG_EACH(one(a[l], b[l], c[l], d[l])); return y; }

/* Lane after lane, each from a register: in a loop, GCC would keep them in memory, and loads from there wait for what the lanes before
 * store. Clang unrolls it unasked. */
#ifdef __clang__
#define KG_LANE_BY_LANE for (int l = 0; l < KG_LANES; l++)
#else
#define KG_LANE_BY_LANE _Pragma("GCC unroll 16") for (int l = 0; l < KG_LANES; l++)
#endif

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
