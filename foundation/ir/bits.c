#include "foundation/ir/bits.h"
#include "foundation/ir/eval.h"

#include <math.h>
#include <string.h>

/* Rounds to nearest even, in a format of 16 bits with so many of them for the mantissa: scale so that the unit in the last place
 * becomes 1, and let rint round. */
static uint64_t small_bits(double value, int mantissa) {
  int bias = (1 << (14 - mantissa)) - 1, exponent;
  uint64_t sign = signbit(value) ? 0x8000 : 0, infinity = (uint64_t)(2 * bias + 1) << mantissa;
  double a = fabs(value);
  if (isnan(value)) return infinity | UINT64_C(1) << (mantissa - 1);
  if (isinf(value) || a == 0) return sign | (a == 0 ? 0 : infinity);
  frexp(a, &exponent);
  int biased = exponent - 1 + bias;
  if (biased > 2 * bias) return sign | infinity;
  if (biased < 1) biased = 1;
  /* a carry out of the mantissa goes into the exponent, and from the last one to infinity, as it should */
  double scaled = rint(ldexp(a, mantissa + bias - biased));
  return sign | (((uint64_t)(biased - 1) << mantissa) + (uint64_t)scaled);
}

uint64_t kgi_float_bits(kg_type type, double value) {
  uint64_t wide;
  uint32_t narrow;
  float f = (float)value;
  if (type == KG_F16) return small_bits(value, 10);
  if (type == KG_BF16) return small_bits(value, 7);
  if (type == KG_F32) return memcpy(&narrow, &f, sizeof narrow), narrow;
  if (type == KG_F64) return memcpy(&wide, &value, sizeof wide), wide;
  return 0;
}

int64_t kgi_bits_to_int(kg_type type, uint64_t bits) {
  unsigned width = kgi_type_bits(type);
  if (kgi_type_kind_of(type) != KGI_SINT || width == 0 || width == 64) return (int64_t)bits;
  return (int64_t)(bits << (64 - width)) >> (64 - width);
}

double kgi_bits_to_double(kg_type type, uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float single;
  double wide;
  if (type == KG_F16) return (double)kgi_half_decode((uint16_t)bits);
  if (type == KG_BF16) return (double)kgi_bf16_decode((uint16_t)bits);
  if (type == KG_F32) return memcpy(&single, &narrow, sizeof single), (double)single;
  return memcpy(&wide, &bits, sizeof wide), wide;
}

bool kgi_bits_less(kg_type type, uint64_t a, uint64_t b) {
  if (kgi_is_float(type)) return kgi_bits_to_double(type, a) < kgi_bits_to_double(type, b);
  if (kgi_type_kind_of(type) == KGI_SINT) return kgi_bits_to_int(type, a) < kgi_bits_to_int(type, b);
  return a < b;
}
