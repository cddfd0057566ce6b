/* The runtime of emitted C (c/runtime.h): narrow floats, conversions, packs. */

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
KG_FN kg_f32v kg_f64_to_f32(kg_f64v a) { kg_f32v y = {0}; KG_EACH((float)a[l]); return y; }

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
