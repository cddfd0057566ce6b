/* Integer operations on all pairs of edge values and on random ones, against arithmetic over mathematical integers in 128 bits; what packs, selects
 * and moves bits, against values worked out by hand. */
#include "foundation/ir/eval.h"
#include "tests/support/kgtest.h"

typedef __int128 big;

static const kg_type int_types[] = {KG_I32, KG_U32, KG_I64, KG_U64};

static unsigned width_of(kg_type type) { return type == KG_I32 || type == KG_U32 ? 32 : 64; }
static bool is_signed(kg_type type) { return type == KG_I32 || type == KG_I64; }
static big modulus(kg_type type) { return (big)1 << width_of(type); }
static big lowest(kg_type type) { return is_signed(type) ? -(modulus(type) / 2) : 0; }
static big highest(kg_type type) { return is_signed(type) ? modulus(type) / 2 - 1 : modulus(type) - 1; }

static big number(kg_type type, uint64_t bits) {
  big x = width_of(type) == 32 ? (big)(uint32_t)bits : (big)bits;
  return x > highest(type) ? x - modulus(type) : x;
}
static uint64_t wrap(kg_type type, big x) {
  big m = modulus(type), r = x % m;
  return (uint64_t)(r < 0 ? r + m : r);
}

static const uint64_t edges[] = {
  0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 65, 100, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF,
  0x12345678, 0xDEADBEEF, 0x100000000, 0x123456789ABCDEF0, 0x7FFFFFFFFFFFFFFE, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
  0x8000000000000001, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF,
};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t eval(kgi_op op, kg_type type, kg_type result, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t y = 0;
  ck_assert_msg(kgi_eval(op, type, result, (uint64_t[]){a, b, c, d}, &y), "%s does not take %s", kgi_op_rows[op].name,
                kg_type_name(type));
  return y;
}

static big floor_div(big a, big b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static big clamped(kg_type type, big x) { return x < lowest(type) ? lowest(type) : x > highest(type) ? highest(type) : x; }

/* What the design says of two operands, as mathematics; the caller wraps. False: not an operation of two integers. */
static bool expected(kgi_op op, kg_type type, uint64_t bits_a, uint64_t bits_b, big *y) {
  big a = number(type, bits_a), b = number(type, bits_b), pattern = (big)wrap(type, a), q;
  unsigned width = width_of(type), shift = (unsigned)(wrap(type, b) % width);
  switch ((int)op) {
  case KGI_OP_add: return *y = a + b, true;
  case KGI_OP_sub: return *y = a - b, true;
  case KGI_OP_mul: return *y = (big)((unsigned __int128)a * (unsigned __int128)b), true;
  case KGI_OP_div: return *y = b == 0 ? -1 : a / b, true;
  case KGI_OP_rem: return *y = b == 0 ? a : a - b * (a / b), true;
  case KGI_OP_mod: return *y = b == 0 ? a : a - b * floor_div(a, b), true;
  case KGI_OP_min: return *y = a < b ? a : b, true;
  case KGI_OP_max: return *y = a < b ? b : a, true;
  case KGI_OP_abs_diff: return *y = a < b ? b - a : a - b, true;
  case KGI_OP_mul_high:
    q = (big)((unsigned __int128)a * (unsigned __int128)b);
    if (is_signed(type) || width == 32) return *y = floor_div(q, modulus(type)), true;
    return *y = (big)((unsigned __int128)q >> 64), true;
  case KGI_OP_saturating_add: return *y = clamped(type, a + b), true;
  case KGI_OP_saturating_sub: return *y = clamped(type, a - b), true;
  case KGI_OP_and: return *y = a & b, true;
  case KGI_OP_or: return *y = a | b, true;
  case KGI_OP_xor: return *y = a ^ b, true;
  case KGI_OP_shl: return *y = pattern * ((big)1 << shift), true;
  case KGI_OP_shr: return *y = floor_div(a, (big)1 << shift), true;
  case KGI_OP_rotl: return *y = pattern * ((big)1 << shift) + (pattern >> (width - shift)), true;
  case KGI_OP_rotr: return *y = (pattern >> shift) + pattern % ((big)1 << shift) * ((big)1 << (width - shift)), true;
  default: return false;
  }
}

static unsigned try_pair(kg_type type, kgi_op op, uint64_t a, uint64_t b) {
  big want;
  a = wrap(type, (big)a), b = wrap(type, (big)b);
  if (!expected(op, type, a, b, &want)) return 0;
  uint64_t got = eval(op, type, type, a, b, 0, 0);
  ck_assert_msg(got == wrap(type, want), "%s %s(%#llx, %#llx) = %#llx", kg_type_name(type), kgi_op_rows[op].name,
                (unsigned long long)a, (unsigned long long)b, (unsigned long long)got);
  return 1;
}

/* Edges with edges, then bits of all lengths. */
START_TEST(pairs) {
  enum { RANDOM = 5000 };
  uint64_t state = 1;
  unsigned tried = 0;
  for (int op = 0; op < KGI_OP_COUNT; op++) {
    for (int i = 0; i < EDGES; i++)
      for (int k = 0; k < EDGES; k++) tried += try_pair(int_types[_i], (kgi_op)op, edges[i], edges[k]);
    for (unsigned i = 0; i < RANDOM; i++) {
      uint64_t x[2];
      for (unsigned k = 0; k < 2; k++) {
        state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
        x[k] = (uint64_t)((int64_t)(state * 0x2545F4914F6CDD1D) >> (k ? i % 64 : i / 64 % 64));
      }
      tried += try_pair(int_types[_i], (kgi_op)op, x[0], x[1]);
    }
  }
  ck_assert_uint_eq(tried, 19 * (EDGES * EDGES + RANDOM));
}
END_TEST

START_TEST(comparisons) {
  kg_type type = int_types[_i];
  for (int i = 0; i < EDGES; i++)
    for (int k = 0; k < EDGES; k++) {
      uint64_t a = wrap(type, (big)edges[i]), b = wrap(type, (big)edges[k]);
      big x = number(type, a), y = number(type, b);
      ck_assert_uint_eq(eval(KGI_OP_eq, type, KG_BOOL, a, b, 0, 0), x == y);
      ck_assert_uint_eq(eval(KGI_OP_ne, type, KG_BOOL, a, b, 0, 0), x != y);
      ck_assert_uint_eq(eval(KGI_OP_lt, type, KG_BOOL, a, b, 0, 0), x < y);
      ck_assert_uint_eq(eval(KGI_OP_le, type, KG_BOOL, a, b, 0, 0), x <= y);
      ck_assert_uint_eq(eval(KGI_OP_gt, type, KG_BOOL, a, b, 0, 0), x > y);
      ck_assert_uint_eq(eval(KGI_OP_ge, type, KG_BOOL, a, b, 0, 0), x >= y);
    }
}
END_TEST

static bool bit(uint64_t x, unsigned i) { return x >> i & 1; }

START_TEST(single_operands) {
  kg_type type = int_types[_i];
  unsigned width = width_of(type);
  for (int i = 0; i < EDGES; i++) {
    uint64_t a = wrap(type, (big)edges[i]), reversed = 0;
    big x = number(type, a);
    unsigned ones = 0, leading = 0, trailing = 0;
    for (unsigned k = 0; k < width; k++) ones += bit(a, k), reversed |= (uint64_t)bit(a, k) << (width - 1 - k);
    while (leading < width && !bit(a, width - 1 - leading)) leading++;
    while (trailing < width && !bit(a, trailing)) trailing++;
    ck_assert_uint_eq(eval(KGI_OP_neg, type, type, a, 0, 0, 0), wrap(type, -x));
    ck_assert_uint_eq(eval(KGI_OP_abs, type, type, a, 0, 0, 0), wrap(type, x < 0 ? -x : x));
    ck_assert_uint_eq(eval(KGI_OP_sign, type, type, a, 0, 0, 0), wrap(type, x < 0 ? -1 : x > 0));
    ck_assert_uint_eq(eval(KGI_OP_not, type, type, a, 0, 0, 0), wrap(type, -x - 1));
    ck_assert_uint_eq(eval(KGI_OP_popcount, type, type, a, 0, 0, 0), ones);
    ck_assert_uint_eq(eval(KGI_OP_clz, type, type, a, 0, 0, 0), leading);
    ck_assert_uint_eq(eval(KGI_OP_ctz, type, type, a, 0, 0, 0), trailing);
    ck_assert_uint_eq(eval(KGI_OP_reverse_bits, type, type, a, 0, 0, 0), reversed);
    ck_assert_uint_eq(eval(KGI_OP_stop_gradient, type, type, a, 0, 0, 0), a);
  }
}
END_TEST

static const uint32_t counts[] = {0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 0xFFFFFFFF};

/* Bit by bit, from the words of ops.def. */
START_TEST(bit_fields) {
  kg_type type = int_types[_i];
  unsigned width = width_of(type);
  for (int i = 0; i < EDGES; i++)
    for (unsigned o = 0; o < 11; o++)
      for (unsigned n = 0; n < 11; n++) {
        uint64_t a = wrap(type, (big)edges[i]), b = wrap(type, (big)edges[EDGES - 1 - i]), field = 0, inserted = a;
        unsigned offset = counts[o] % width, count = counts[n] < width - offset ? counts[n] : width - offset;
        for (unsigned k = 0; k < width; k++) {
          bool sign = is_signed(type) && count > 0 && bit(a, offset + count - 1);
          field |= (uint64_t)(k < count ? bit(a, offset + k) : sign) << k;
          if (k < count) inserted = (inserted & ~((uint64_t)1 << (offset + k))) | (uint64_t)bit(b, k) << (offset + k);
        }
        ck_assert_uint_eq(eval(KGI_OP_bit_extract, type, type, a, counts[o], counts[n], 0), field);
        ck_assert_uint_eq(eval(KGI_OP_bit_insert, type, type, a, b, counts[o], counts[n]), inserted);
      }
}
END_TEST

/* A place, or all ones: in mathematics, of every pair of edges and all extents that fit 32 bits. */
START_TEST(flat_indices) {
  static const kg_type types[] = {KG_I32, KG_U32, KG_I64, KG_U64};
  for (unsigned t = 0; t < 4; t++)
    for (unsigned i = 0; i < EDGES; i++)
      for (unsigned r = 0; r < EDGES; r++)
        for (unsigned e = 0; e < EDGES; e++) {
          uint32_t row = (uint32_t)edges[r], extent = (uint32_t)edges[e];
          uint64_t bits = kgi_type_bits(types[t]) == 32 ? (uint32_t)edges[i] : edges[i];
          big index = number(types[t], bits);
          bool inside = index >= 0 && index < (big)extent && row != UINT32_MAX;
          uint64_t want = inside ? wrap(KG_U32, (big)row * extent + index) : UINT32_MAX;
          ck_assert_uint_eq(eval(KGI_OP_flat_index, types[t], KG_U32, bits, row, extent, 0), want);
        }
} END_TEST

START_TEST(integer_conversions) {
  for (int from = 0; from < 4; from++)
    for (int to = 0; to < 4; to++)
      for (int i = 0; i < EDGES; i++) {
        uint64_t a = wrap(int_types[from], (big)edges[i]);
        ck_assert_uint_eq(eval(KGI_OP_convert, int_types[from], int_types[to], a, 0, 0, 0),
                          wrap(int_types[to], number(int_types[from], a)));
        ck_assert_uint_eq(eval(KGI_OP_convert, int_types[from], KG_BOOL, a, 0, 0, 0), a != 0);
        ck_assert_uint_eq(eval(KGI_OP_convert, KG_BOOL, int_types[to], 1, 0, 0, 0), 1);
      }
}
END_TEST

START_TEST(bools) {
  for (uint64_t a = 0; a < 2; a++)
    for (uint64_t b = 0; b < 2; b++) {
      ck_assert_uint_eq(eval(KGI_OP_and, KG_BOOL, KG_BOOL, a, b, 0, 0), a && b);
      ck_assert_uint_eq(eval(KGI_OP_or, KG_BOOL, KG_BOOL, a, b, 0, 0), a || b);
      ck_assert_uint_eq(eval(KGI_OP_xor, KG_BOOL, KG_BOOL, a, b, 0, 0), a != b);
      ck_assert_uint_eq(eval(KGI_OP_not, KG_BOOL, KG_BOOL, a, 0, 0, 0), !a);
      ck_assert_uint_eq(eval(KGI_OP_eq, KG_BOOL, KG_BOOL, a, b, 0, 0), a == b);
      ck_assert_uint_eq(eval(KGI_OP_select, KG_BOOL, KG_BOOL, 1, a, b, 0), a);
      ck_assert_uint_eq(eval(KGI_OP_select, KG_I64, KG_I64, 0, a, 77, 0), 77);
    }
}
END_TEST

/* Reached by hand: the formulas are GLSL's, round(clamp(x) * (2^n - 1)) and back. */
START_TEST(packs) {
  const uint64_t one = 0x3F800000, half = 0x3F000000, minus_two = 0xC0000000, nan = 0x7FC00000, third = 0x3EAAAAAB;
  ck_assert_uint_eq(eval(KGI_OP_pack_half_2x16, KG_F32, KG_U32, one, minus_two, 0, 0), 0xC0003C00);
  ck_assert_uint_eq(eval(KGI_OP_pack_half_2x16, KG_F32, KG_U32, nan, 0x7F7FFFFF, 0, 0), 0x7C007E00);
  ck_assert_uint_eq(eval(KGI_OP_pack_unorm_2x16, KG_F32, KG_U32, one, half, 0, 0), 0x8000FFFF); /* 32767.5 to even */
  ck_assert_uint_eq(eval(KGI_OP_pack_unorm_2x16, KG_F32, KG_U32, minus_two, nan, 0, 0), 0);
  ck_assert_uint_eq(eval(KGI_OP_pack_snorm_2x16, KG_F32, KG_U32, one, minus_two, 0, 0), 0x80017FFF);
  ck_assert_uint_eq(eval(KGI_OP_pack_unorm_4x8, KG_F32, KG_U32, one, half, third, 0), 0x005580FF); /* 127.5 to 128 */
  ck_assert_uint_eq(eval(KGI_OP_pack_snorm_4x8, KG_F32, KG_U32, one, minus_two, half, nan), 0x0040817F); /* 63.5 to 64 */
  ck_assert_uint_eq(eval(KGI_OP_unpack_half_2x16, KG_U32, KG_F32, 0xC0003C00, 0, 0, 0), one);
  ck_assert_uint_eq(eval(KGI_OP_unpack_half_2x16, KG_U32, KG_F32, 0xC0003C00, 3, 0, 0), minus_two);
  ck_assert_uint_eq(eval(KGI_OP_unpack_unorm_2x16, KG_U32, KG_F32, 0xFFFF0000, 1, 0, 0), one);
  ck_assert_uint_eq(eval(KGI_OP_unpack_snorm_2x16, KG_U32, KG_F32, 0x80008001, 0, 0, 0), 0xBF800000);
  ck_assert_uint_eq(eval(KGI_OP_unpack_snorm_2x16, KG_U32, KG_F32, 0x80008001, 1, 0, 0), 0xBF800000);
  ck_assert_uint_eq(eval(KGI_OP_unpack_unorm_4x8, KG_U32, KG_F32, 0x00550000, 2, 0, 0), third); /* 85 / 255 */
  ck_assert_uint_eq(eval(KGI_OP_unpack_snorm_4x8, KG_U32, KG_F32, 0x7F000000, 7, 0, 0), one);
}
END_TEST

START_TEST(bitcasts) {
  ck_assert_uint_eq(eval(KGI_OP_bitcast, KG_F32, KG_U32, 0x3F800000, 0, 0, 0), 0x3F800000);
  ck_assert_uint_eq(eval(KGI_OP_bitcast, KG_U32, KG_F32, 0xFFA00001, 0, 0, 0), 0xFFA00001); /* a NaN keeps its bits */
  ck_assert_uint_eq(eval(KGI_OP_bitcast, KG_I64, KG_F64, 0x123456789ABCDEF0, 0, 0, 0), 0x123456789ABCDEF0);
  ck_assert_uint_eq(eval(KGI_OP_bitcast, KG_F16, KG_F16, 0x8001, 0, 0, 0), 0x8001);
  uint64_t args[4] = {0}, y;
  ck_assert(!kgi_eval(KGI_OP_bitcast, KG_F32, KG_I64, args, &y));
  ck_assert(!kgi_eval(KGI_OP_bitcast, KG_BOOL, KG_BOOL, args, &y));
  ck_assert(!kgi_eval(KGI_OP_add, KG_BF16, KG_BF16, args, &y));
  ck_assert(!kgi_eval(KGI_OP_exp, KG_I32, KG_I32, args, &y));
}
END_TEST

/* Every row can be evaluated for every type that its rule takes, and for no other. */
START_TEST(every_row_has_its_functions) {
  for (int op = 0; op < KGI_OP_COUNT; op++)
    for (int t = KG_BOOL; t <= KG_F64; t++) {
      const kgi_op_row *row = &kgi_op_rows[op];
      kg_type types[4], result = (kg_type)t;
      for (unsigned i = 0; i < 4; i++) types[i] = kgi_operand_type((kgi_op)op, i, (kg_type)t);
      result = kgi_rule_check((kgi_rule)row->rule, row->name, row->arity, types, (kg_type)t, NULL, 0);
      bool found = kgi_lanes((kgi_op)op, (kg_type)t, result) != NULL;
      ck_assert_msg(found == (result != KG_NONE), "%s over %s", row->name, kg_type_name((kg_type)t));
    }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(pairs, KGT_COUNT(int_types)), KGT_TIMES(comparisons, KGT_COUNT(int_types)), KGT_TIMES(single_operands, KGT_COUNT(int_types)), KGT_TIMES(bit_fields, KGT_COUNT(int_types)),
    KGT(flat_indices), KGT(integer_conversions), KGT(bools), KGT(packs), KGT(bitcasts), KGT(every_row_has_its_functions),
  };
  return kgt_run("reference/eval_int", tests, KGT_COUNT(tests));
}
