/* The runtime of emitted C (c/runtime.h): arithmetic of floats, and functions of double. */

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
#if defined __FMA__ || defined __aarch64__
#define KG_MAD(fused, a, b, c) fused(a, b, c)
#else
#define KG_MAD(fused, a, b, c) ((a) * (b) + (c))
#endif

KG_FN float kg_one_mad_f32(float a, float b, float c) { return KG_MAD(__builtin_fmaf, a, b, c); }
KG_LIFT_3(kg_mad_f32, kg_f32v, kg_one_mad_f32, kg_f32v, kg_f32v, kg_f32v)

KG_FN double kg_one_mad_f64(double a, double b, double c) { return KG_MAD(__builtin_fma, a, b, c); }
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
