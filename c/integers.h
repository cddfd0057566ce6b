/* The runtime of emitted C (c/runtime.h): integers, and indices made of them. They wrap, x / 0 is all ones and x % 0 is x, and
 * MIN / -1 is MIN. */

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
