#include "foundation/ir/bits.h"
#include "foundation/text/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double half_value(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31);
  double fraction = (double)(bits & 1023), sign = bits >> 15 & 1 ? -1 : 1;
  if (exponent == 0) return sign * ldexp(fraction, -24);
  if (exponent == 31) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
  return sign * ldexp(fraction + 1024, exponent - 25);
}

static double value_of(kg_type type, uint64_t bits) {
  if (type == KG_F16) return half_value(bits);
  if (type == KG_F64) {
    double d;
    return memcpy(&d, &bits, sizeof d), d;
  }
  uint32_t narrow = (uint32_t)bits;
  float f;
  return memcpy(&f, &narrow, sizeof f), (double)f;
}

/* The digits of a positive number, rounded to `count`, and the power of ten of the first. Whatever the locale puts between them is
 * passed over. */
static int digits_of(double x, unsigned count, char digits[24]) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", (int)count - 1, x);
  unsigned n = 0;
  const char *p = text;
  for (; *p && *p != 'e'; p++)
    if (*p >= '0' && *p <= '9' && n < count) digits[n++] = *p;
  digits[n] = 0;
  while (n > 1 && digits[n - 1] == '0') digits[--n] = 0;
  return *p ? atoi(p + 1) : 0;
}

static void layout(char *out, const char *digits, int exponent) {
  int n = (int)strlen(digits);
  if (exponent >= 0 && exponent < 16) {
    for (int i = 0; i <= exponent; i++) *out++ = i < n ? digits[i] : '0';
    snprintf(out, 24, ".%s", n > exponent + 1 ? digits + exponent + 1 : "0");
  } else if (exponent < 0 && exponent >= -4) {
    snprintf(out, 32, "0.%.*s%s", -exponent - 1, "000", digits);
  } else {
    snprintf(out, 32, "%c%s%se%d", digits[0], n > 1 ? "." : "", digits + 1, exponent);
  }
}

static void positive(kg_type type, double x, char *out) {
  unsigned most = type == KG_F64 ? 17 : 9;
  char digits[24];
  double back;
  for (unsigned count = 1; count <= most; count++) {
    int exponent = digits_of(x, count, digits);
    layout(out, digits, exponent);
    if (kgi_read_double(out, strlen(out), &back) && isfinite(back) && kgi_float_bits(type, back) == kgi_float_bits(type, x)) return;
  }
}

const char *kgi_number_text(kg_type type, uint64_t bits, char out[KGI_NUMBER_TEXT]) {
  if (type == KG_BOOL) return strcpy(out, bits ? "true" : "false");
  if (!kgi_is_float(type)) {
    unsigned width = kgi_type_bits(type);
    int64_t value = width ? (int64_t)(bits << (64 - width)) >> (64 - width) : 0;
    if (kgi_type_kind_of(type) == KGI_SINT) snprintf(out, KGI_NUMBER_TEXT, "%" PRId64, value);
    else snprintf(out, KGI_NUMBER_TEXT, "%" PRIu64, bits);
    return out;
  }
  double x = value_of(type, bits);
  if (isnan(x)) return strcpy(out, "nan");
  char *p = out;
  if (signbit(x)) *p++ = '-';
  if (isinf(x)) strcpy(p, "inf");
  else if (x == 0) strcpy(p, "0.0");
  else positive(type, fabs(x), p);
  return out;
}

const char *kgi_double_text(double x, unsigned digits, char out[KGI_NUMBER_TEXT]) {
  char text[64], *to = out;
  snprintf(text, sizeof text, "%.*g", (int)digits, x);
  if (!isfinite(x)) return strcpy(out, text);
  /* a locale's point may be any bytes, but none that numbers have */
  for (const char *p = text; *p;) {
    size_t own = strspn(p, "0123456789+-e"), point = strcspn(p + own, "0123456789+-e");
    memcpy(to, p, own);
    to += own, p += own + point;
    if (point) *to++ = '.';
  }
  *to = 0;
  return out;
}
