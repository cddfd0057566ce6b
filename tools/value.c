#include "tools/value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum family { BOOLEAN, SIGNED, UNSIGNED, FLOATING } family;

static family family_of(kg_type type) {
  switch (type) {
  case KG_I8: case KG_I16: case KG_I32: case KG_I64: return SIGNED;
  case KG_U8: case KG_U16: case KG_U32: case KG_U64: return UNSIGNED;
  case KG_F16: case KG_BF16: case KG_F32: case KG_F64: return FLOATING;
  case KG_NONE: case KG_BOOL: break;
  }
  return BOOLEAN;
}

bool tool_type_is_float(kg_type type) { return family_of(type) == FLOATING; }

static unsigned bits_of(kg_type type) { return 8 * (unsigned)kg_type_size(type); }

static uint64_t cut(kg_type type, uint64_t bits) {
  unsigned width = bits_of(type);
  return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static int64_t extend(kg_type type, uint64_t bits) {
  unsigned shift = 64 - bits_of(type);
  return (int64_t)(bits << shift) >> shift;
}

/* --- halves --- */

static double half_number(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
  double sign = bits >> 15 & 1 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

/* To the nearest, ties to even, in a format of 16 bits with so many of them for the mantissa. */
static uint64_t small_bits(double number, int mantissa) {
  int bias = (1 << (14 - mantissa)) - 1, exponent;
  uint64_t sign = signbit(number) ? 0x8000 : 0, infinity = (uint64_t)(2 * bias + 1) << mantissa;
  double size = fabs(number);
  if (isnan(number)) return infinity | UINT64_C(1) << (mantissa - 1);
  if (isinf(number) || size == 0) return sign | (size == 0 ? 0 : infinity);
  frexp(size, &exponent);
  int biased = exponent - 1 + bias;
  if (biased > 2 * bias) return sign | infinity;
  if (biased < 1) biased = 1;
  /* a carry out of the mantissa goes into the exponent, and from the last one to infinity, as it should */
  double scaled = nearbyint(ldexp(size, mantissa + bias - biased));
  return sign | (((uint64_t)(biased - 1) << mantissa) + (uint64_t)scaled);
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* --- numbers --- */

double tool_value_number(kg_type type, uint64_t bits) {
  double wide;
  switch (family_of(type)) {
  case BOOLEAN: return bits != 0;
  case SIGNED: return (double)extend(type, bits);
  case UNSIGNED: return (double)cut(type, bits);
  case FLOATING: break;
  }
  if (type == KG_F16) return half_number(bits);
  if (type == KG_BF16) return (double)bits_float((uint32_t)bits << 16);
  if (type == KG_F32) return (double)bits_float((uint32_t)bits);
  return memcpy(&wide, &bits, sizeof wide), wide;
}

uint64_t tool_value_of_number(kg_type type, double number) {
  uint64_t bits;
  switch (family_of(type)) {
  case BOOLEAN: return number != 0;
  case SIGNED: return cut(type, (uint64_t)(int64_t)number);
  case UNSIGNED: return cut(type, number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number);
  case FLOATING: break;
  }
  if (type == KG_F16) return small_bits(number, 10);
  if (type == KG_BF16) return small_bits(number, 7);
  if (type == KG_F32) return float_bits((float)number);
  return memcpy(&bits, &number, sizeof bits), bits;
}

/* --- text --- */

static bool parse_signed(kg_type type, const char *text, uint64_t *bits) {
  char *end;
  long long value = strtoll(text, &end, 0);
  if (errno || *end || extend(type, (uint64_t)value) != value) return false;
  *bits = cut(type, (uint64_t)value);
  return true;
}

static bool parse_unsigned(kg_type type, const char *text, uint64_t *bits) {
  char *end;
  if (strchr(text, '-')) return false; /* strtoull would wrap it */
  unsigned long long value = strtoull(text, &end, 0);
  if (errno || *end || cut(type, value) != value) return false;
  *bits = value;
  return true;
}

/* Through the type itself, so that rounding happens once. */
static bool parse_float(kg_type type, const char *text, uint64_t *bits) {
  char *end;
  double number = type == KG_F32 ? (double)strtof(text, &end) : strtod(text, &end);
  *bits = tool_value_of_number(type, number);
  /* an infinity must be asked for by name */
  return !*end && (!isinf(tool_value_number(type, *bits)) || strpbrk(text, "iI"));
}

bool tool_value_parse(kg_type type, const char *text, uint64_t *bits) {
  errno = 0;
  if (!*text || *text == ' ' || *text == '\t' || *text == '\n') return false;
  switch (family_of(type)) {
  case BOOLEAN: *bits = strcmp(text, "true") == 0; return *bits || strcmp(text, "false") == 0;
  case SIGNED: return parse_signed(type, text, bits);
  case UNSIGNED: return parse_unsigned(type, text, bits);
  case FLOATING: return parse_float(type, text, bits);
  }
  return false;
}

const char *tool_value_format(kg_type type, uint64_t bits, tool_value_text *out) {
  double number = tool_value_number(type, bits);
  switch (family_of(type)) {
  case BOOLEAN: return bits ? "true" : "false";
  case SIGNED: snprintf(out->text, sizeof out->text, "%" PRId64, extend(type, bits)); return out->text;
  case UNSIGNED: snprintf(out->text, sizeof out->text, "%" PRIu64, cut(type, bits)); return out->text;
  case FLOATING: break;
  }
  if (isnan(number)) return "nan"; /* whatever its sign, which means nothing */
  if (fabs(number) < 1e9 && number == floor(number)) return snprintf(out->text, sizeof out->text, "%.0f", number), out->text;
  for (int digits = 1; digits <= 17; digits++) {
    uint64_t back;
    snprintf(out->text, sizeof out->text, "%.*g", digits, number);
    if (tool_value_parse(type, out->text, &back) && back == bits) break;
  }
  return out->text;
}

/* --- arrays --- */

uint64_t tool_value_load(kg_type type, const void *array, uint64_t index) {
  size_t size = kg_type_size(type);
  const unsigned char *at = (const unsigned char *)array + index * size;
  uint8_t b1;
  uint16_t b2;
  uint32_t b4;
  uint64_t b8;
  switch (size) {
  case 1: return memcpy(&b1, at, size), b1;
  case 2: return memcpy(&b2, at, size), b2;
  case 4: return memcpy(&b4, at, size), b4;
  default: return memcpy(&b8, at, 8), b8;
  }
}

void tool_value_store(kg_type type, void *array, uint64_t index, uint64_t bits) {
  size_t size = kg_type_size(type);
  unsigned char *at = (unsigned char *)array + index * size;
  uint8_t b1 = (uint8_t)bits;
  uint16_t b2 = (uint16_t)bits;
  uint32_t b4 = (uint32_t)bits;
  switch (size) {
  case 1: memcpy(at, &b1, size); return;
  case 2: memcpy(at, &b2, size); return;
  case 4: memcpy(at, &b4, size); return;
  default: memcpy(at, &bits, 8); return;
  }
}
