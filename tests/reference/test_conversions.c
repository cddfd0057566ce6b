/* Conversions between all types, those of memory included, and packs: each against MPFR's rounding, or against the definition in whole
 * numbers. Two roundings in a row would show: next to ties of f16, f32 and bf16, and in their subnormals. */
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"

enum { RANDOM = 6000, FORMATS = KGT_COUNT(kgt_formats) };
static const kgt_format bf16 = {KG_BF16, 8, -132, 128, 16, 0x7FC0};
static uint64_t state = 1;
static uint64_t draw(void) { return kgi_random(&state); }

static uint64_t convert(kg_type from, kg_type to, uint64_t bits) {
  uint64_t y = 0;
  ck_assert(kgi_eval(KGI_OP_convert, from, to, &bits, &y));
  return y;
}

/* What the exact value rounds to. */
static uint64_t rounded(const kgt_format *f, mpfr_t exact) {
  mpfr_t y;
  mpfr_init2(y, f->precision);
  kgt_narrow(f);
  uint64_t bits = kgt_bits(f, y, mpfr_set(y, exact, MPFR_RNDN));
  kgt_widen();
  mpfr_clear(y);
  return bits;
}

/* ---- to floats ---- */

/* A number of 64 bits next to a tie of so many bits, or any. */
static uint64_t whole(const kgt_format *f, unsigned i) {
  unsigned shift = (unsigned)(draw() % (63 - (unsigned)f->precision));
  uint64_t tie = (draw() >> (64 - f->precision) | UINT64_C(1) << (f->precision - 1)) << 1 | 1; /* one bit too many */
  if (i % 2) return draw() >> (i % 64);
  return (tie << shift) + draw() % 3 - 1;
}

static void check_whole(const kgt_format *f, kg_type from, uint64_t a, mpfr_t exact) {
  if (from == KG_U64 || from == KG_U32) mpfr_set_uj(exact, a, MPFR_RNDN);
  else mpfr_set_sj(exact, from == KG_I32 ? (int32_t)a : (int64_t)a, MPFR_RNDN);
  uint64_t got = convert(from, f->type, a), want = rounded(f, exact);
  ck_assert_msg(got == want, "%s(%#llx of %s) = %#llx, not %#llx", kg_type_name(f->type), (unsigned long long)a, kg_type_name(from),
                (unsigned long long)got, (unsigned long long)want);
}

START_TEST(integers_to_floats) {
  const kgt_format *f = &kgt_formats[_i];
  static const uint64_t ends[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, UINT64_MAX,
                                  0xFFFFFF7FFFFFFFFF, 0xFFFFFF8000000000, 0xFFFFFFFFFFFFFBFF, 0xFFFFFFFFFFFFFC00, 65519, 65520};
  mpfr_t exact;
  mpfr_init2(exact, 64);
  for (unsigned i = 0; i < 14 + RANDOM; i++)
    for (int from = KG_I32; from <= KG_U64; from++) {
      uint64_t a = i < 14 ? ends[i] : whole(f, i) * (i % 3 ? 1 : UINT64_MAX);
      check_whole(f, (kg_type)from, from <= KG_U32 ? a & 0xFFFFFFFF : a, exact);
    }
  ck_assert(convert(KG_BOOL, f->type, 0) == 0);
  mpfr_set_ui(exact, 1, MPFR_RNDN);
  ck_assert(convert(KG_BOOL, f->type, 1) == rounded(f, exact));
  mpfr_clear(exact);
}
END_TEST

/* A float of one format next to a tie of another, or any; ties of subnormals too. */
static uint64_t beside_tie(const kgt_format *from, const kgt_format *to, unsigned i) {
  if (i % 3 == 0 || from->precision <= to->precision) return draw() >> (64 - from->bits);
  int exponent = (int)to->emin - 2 + (int)(draw() % (unsigned)(to->emax - to->emin + 3));
  double tie = ldexp(1 + 2 * floor(kgi_random_between(&state, 0, ldexp(1, (int)to->precision - 1 - (int)(draw() % 11 % to->precision)))), 0);
  mpfr_t x;
  mpfr_init2(x, from->precision);
  mpfr_set_d(x, tie, MPFR_RNDN);
  mpfr_set_exp(x, exponent);
  uint64_t bits = rounded(from, x) + draw() % 3 - 1;
  mpfr_clear(x);
  return (bits & (kgt_sign(from) * 2 - 1)) | (draw() % 2 ? kgt_sign(from) : 0);
}

START_TEST(floats_to_floats) {
  const kgt_format *f = &kgt_formats[_i / FORMATS], *from = &kgt_formats[_i % FORMATS];
  mpfr_t exact;
  mpfr_init2(exact, 53);
  for (unsigned i = 0; i < 3 * RANDOM; i++) {
    uint64_t a = beside_tie(from, f, i), got = convert(from->type, f->type, a), want;
    mpfr_set_d(exact, kgt_number(from, a), MPFR_RNDN);
    want = rounded(f, exact);
    ck_assert_msg(got == want, "%s(%a) = %#llx, not %#llx", kg_type_name(f->type), kgt_number(from, a), (unsigned long long)got,
                  (unsigned long long)want);
  }
  mpfr_clear(exact);
}
END_TEST

START_TEST(brain_floats) {
  mpfr_t exact;
  mpfr_init2(exact, 24);
  for (unsigned i = 0; i < 3 * RANDOM; i++) {
    uint32_t a = (uint32_t)beside_tie(&kgt_formats[1], &bf16, i);
    float x;
    memcpy(&x, &a, sizeof x);
    mpfr_set_d(exact, kgt_number(&kgt_formats[1], a), MPFR_RNDN);
    ck_assert_msg(kgi_bf16_encode(x) == rounded(&bf16, exact), "bf16(%#x) = %#x", a, kgi_bf16_encode(x));
  }
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    double x = kgt_number(&bf16, bits), y = (double)kgi_bf16_decode((uint16_t)bits);
    ck_assert(isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y));
  }
  mpfr_clear(exact);
}
END_TEST

START_TEST(every_half) {
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    double x = kgt_number(&kgt_formats[0], bits), y = (double)kgi_half_decode((uint16_t)bits);
    ck_assert(isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y));
    ck_assert_uint_eq(kgi_half_encode(kgi_half_decode((uint16_t)bits)), isnan(x) ? 0x7E00 : bits);
  }
}
END_TEST

/* ---- to integers: toward zero, saturating, NaN to 0 ---- */

static uint64_t saturated(kg_type to, double x) {
  bool is_signed = to == KG_I32 || to == KG_I64, narrow = to == KG_I32 || to == KG_U32;
  __int128 top = (__int128)1 << (narrow ? 32 : 64), least = is_signed ? -(top / 2) : 0, most = is_signed ? top / 2 - 1 : top - 1;
  __int128 y = isnan(x) ? 0 : fabs(x) < 0x1p100 ? (__int128)x : x < 0 ? least : most;
  y = y < least ? least : y > most ? most : y;
  return narrow ? (uint32_t)y : (uint64_t)y;
}

START_TEST(floats_to_integers) {
  const kgt_format *f = &kgt_formats[_i];
  static const double ends[] = {1, 0.5, 2147483647.5, 2147483648.0, 2147483649.0, 4294967295.5, 4294967296.0, 9223372036854774784.0,
                                9223372036854775808.0, 18446744073709549568.0, 18446744073709551616.0};
  for (unsigned i = 0; i < RANDOM; i++)
    for (int to = KG_I32; to <= KG_U64; to++) {
      double x = ends[i % 11] * (i % 2 ? -1 : 1);
      uint64_t wide, a = draw() >> (64 - f->bits);
      memcpy(&wide, &x, sizeof wide);
      if (i < 500) a = (convert(KG_F64, f->type, wide) + draw() % 5 - 2) & (kgt_sign(f) * 2 - 1);
      uint64_t got = convert(f->type, (kg_type)to, a), want = saturated((kg_type)to, kgt_number(f, a));
      ck_assert_msg(got == want, "%s(%a) = %#llx, not %#llx", kg_type_name((kg_type)to), kgt_number(f, a), (unsigned long long)got,
                    (unsigned long long)want);
      ck_assert_uint_eq(convert(f->type, KG_BOOL, a), kgt_number(f, a) != 0); /* NaN is not 0 */
    }
}
END_TEST

/* ---- packs ---- */

typedef struct pack { kgi_op pack, unpack; unsigned fields; double low, scale; } pack;
static const pack packs[] = {
  {KGI_OP_pack_unorm_2x16, KGI_OP_unpack_unorm_2x16, 2, 0, 65535}, {KGI_OP_pack_snorm_2x16, KGI_OP_unpack_snorm_2x16, 2, -1, 32767},
  {KGI_OP_pack_unorm_4x8, KGI_OP_unpack_unorm_4x8, 4, 0, 255},     {KGI_OP_pack_snorm_4x8, KGI_OP_unpack_snorm_4x8, 4, -1, 127},
};

/* round(clamp(x) scale), ties to even, in MPFR; NaN gives 0. */
static uint32_t field_of(const pack *p, double x) {
  mpfr_t y;
  mpfr_init2(y, 100);
  mpfr_set_d(y, isnan(x) ? 0 : x < p->low ? p->low : x > 1 ? 1 : x, MPFR_RNDN);
  mpfr_mul_d(y, y, p->scale, MPFR_RNDN);
  mpfr_rint_roundeven(y, y, MPFR_RNDN);
  uint32_t field = (uint32_t)mpfr_get_si(y, MPFR_RNDN) & (p->fields == 2 ? 0xFFFF : 0xFF);
  mpfr_clear(y);
  return field;
}

static uint64_t norm(const pack *p, unsigned i) {
  uint64_t wide;
  double tie = (floor(kgi_random_between(&state, p->low, 1) * p->scale) + 0.5) / p->scale, x = i % 4 ? tie : kgi_random_between(&state, -1.5, 1.5);
  if (i % 7 == 0) return draw() >> 32;
  memcpy(&wide, &x, sizeof wide);
  return convert(KG_F64, KG_F32, wide);
}

START_TEST(packed_norms) {
  const pack *p = &packs[_i];
  for (unsigned i = 0; i < RANDOM; i++) {
    uint64_t args[4], word = 0;
    uint32_t want = 0;
    for (unsigned k = 0; k < p->fields; k++) {
      args[k] = norm(p, i + k);
      want |= field_of(p, kgt_number(&kgt_formats[1], args[k])) << (32 / p->fields * k);
    }
    ck_assert(kgi_eval(p->pack, KG_F32, KG_U32, args, &word));
    ck_assert_msg(word == want, "%s(%#llx, %#llx, ...) = %#llx, not %#x", kgi_op_rows[p->pack].name, (unsigned long long)args[0],
                  (unsigned long long)args[1], (unsigned long long)word, want);
  }
}
END_TEST

/* Every field: divided by the scale, rounded once, and not below -1. */
START_TEST(unpacked_norms) {
  const pack *p = &packs[_i];
  unsigned width = 32 / p->fields;
  mpfr_t y;
  mpfr_init2(y, 24);
  for (uint32_t field = 0; field < UINT32_C(1) << width; field++) {
    uint32_t k = field % 9, word = field << (width * (k % p->fields));
    long number = p->low < 0 && field >> (width - 1) ? (long)field - (1l << width) : (long)field;
    uint64_t got, want;
    mpfr_set_si(y, number, MPFR_RNDN);
    kgt_narrow(&kgt_formats[1]);
    want = kgt_bits(&kgt_formats[1], y, mpfr_div_d(y, y, p->scale, MPFR_RNDN));
    kgt_widen();
    if ((double)number < -p->scale) want = 0xBF800000;
    ck_assert(kgi_eval(p->unpack, KG_U32, KG_F32, (uint64_t[]){word, k, 0, 0}, &got));
    ck_assert_msg(got == want, "%s(%#x, %u) = %#llx, not %#llx", kgi_op_rows[p->unpack].name, word, k, (unsigned long long)got,
                  (unsigned long long)want);
  }
  mpfr_clear(y);
}
END_TEST

START_TEST(packed_halves) {
  mpfr_t exact;
  mpfr_init2(exact, 24);
  for (unsigned i = 0; i < RANDOM; i++) {
    uint64_t args[4] = {beside_tie(&kgt_formats[1], &kgt_formats[0], i), beside_tie(&kgt_formats[1], &kgt_formats[0], i + 1), 0, 0};
    uint64_t word = 0, half[2], back;
    for (unsigned k = 0; k < 2; k++) {
      mpfr_set_d(exact, kgt_number(&kgt_formats[1], args[k]), MPFR_RNDN);
      half[k] = rounded(&kgt_formats[0], exact);
    }
    ck_assert(kgi_eval(KGI_OP_pack_half_2x16, KG_F32, KG_U32, args, &word));
    ck_assert_uint_eq(word, half[0] | half[1] << 16);
    for (uint64_t k = 0; k < 4; k++) {
      ck_assert(kgi_eval(KGI_OP_unpack_half_2x16, KG_U32, KG_F32, (uint64_t[]){word, k, 0, 0}, &back));
      double want = kgt_number(&kgt_formats[0], half[k % 2]), got = kgt_number(&kgt_formats[1], back);
      ck_assert(isnan(want) ? back == 0x7FC00000 : want == got && !signbit(want) == !signbit(got));
    }
  }
  mpfr_clear(exact);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(integers_to_floats, FORMATS), KGT_TIMES(floats_to_floats, FORMATS * FORMATS), KGT(brain_floats), KGT(every_half),
    KGT_TIMES(floats_to_integers, FORMATS), KGT_TIMES(packed_norms, KGT_COUNT(packs)), KGT_TIMES(unpacked_norms, KGT_COUNT(packs)), KGT(packed_halves),
  };
  return kgt_run("reference/conversions", tests, KGT_COUNT(tests));
}
