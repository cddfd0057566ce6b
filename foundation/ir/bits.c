#include "foundation/ir/bits.h"
#include "foundation/ir/eval.h"

#include <math.h>
#include <string.h>

/* Round to nearest even from 53 bits to 11: scale so that the unit in the last place becomes 1, and let rint round. */
static uint64_t half_bits(double value) {
  uint64_t sign = signbit(value) ? 0x8000 : 0;
  double a = fabs(value);
  int exponent;
  if (isnan(value)) return 0x7E00;
  if (a >= 65520.0) return sign | 0x7C00;
  if (a < 0x1p-14) return sign | (uint64_t)rint(a * 0x1p24); /* a carry out of the subnormals is the smallest normal */
  double fraction = frexp(a, &exponent);                     /* [0.5, 1) */
  uint64_t significand = (uint64_t)rint(fraction * 0x1p11);  /* [1024, 2048] */
  return sign | (((uint64_t)(exponent + 14) << 10) + (significand - 1024));
}

uint64_t kgi_float_bits(kg_type type, double value) {
  uint64_t wide;
  uint32_t narrow;
  float f = (float)value;
  if (type == KG_F16) return half_bits(value);
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
  if (type == KG_F32) return memcpy(&single, &narrow, sizeof single), (double)single;
  return memcpy(&wide, &bits, sizeof wide), wide;
}

bool kgi_bits_less(kg_type type, uint64_t a, uint64_t b) {
  if (kgi_is_float(type)) return kgi_bits_to_double(type, a) < kgi_bits_to_double(type, b);
  if (kgi_type_kind_of(type) == KGI_SINT) return kgi_bits_to_int(type, a) < kgi_bits_to_int(type, b);
  return a < b;
}
