#include "foundation/ir/number.h"
#include "foundation/ir/bits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text to numbers ---- */

enum { MAX_DIGITS = 800 };

/* Powers of ten that a double holds exactly. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct decimal { char digits[MAX_DIGITS + 16]; size_t count; int64_t exponent; } decimal;

/* Digits without leading zeros, and the power of ten they are multiplied by. */
static bool split_decimal(const char *text, size_t length, decimal *d) {
  bool point = false;
  size_t i = 0;
  d->count = 0, d->exponent = 0;
  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (point) d->exponent--;
    if (d->count == 0 && text[i] == '0') continue;
    if (d->count == MAX_DIGITS) return false;
    d->digits[d->count++] = text[i];
  }
  if (i == length) return true;
  bool minus = text[++i] == '-';
  int64_t exponent = 0;
  for (i += text[i] == '-' || text[i] == '+'; i < length; i++)
    if (exponent < 100000) exponent = exponent * 10 + (text[i] - '0');
  d->exponent += minus ? -exponent : exponent;
  return true;
}

/* Digits and exponent without a point read the same in every locale. */
static double convert_decimal(decimal *d) {
  if (d->count == 0) return 0;
  if (d->count <= 15 && d->exponent >= -22 && d->exponent <= 22) { /* both exact: one operation rounds once */
    double m = 0;
    for (size_t i = 0; i < d->count; i++) m = m * 10 + (d->digits[i] - '0');
    return d->exponent < 0 ? m / exact_powers[-d->exponent] : m * exact_powers[d->exponent];
  }
  snprintf(d->digits + d->count, 16, "e%" PRId64, d->exponent);
  return strtod(d->digits, NULL);
}

bool kgi_read_double(const char *text, size_t length, double *out) {
  decimal d;
  if (!split_decimal(text, length, &d)) return false;
  *out = convert_decimal(&d);
  return true;
}

/* ---- numbers to text ---- */

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
