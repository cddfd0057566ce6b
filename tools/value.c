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

static unsigned bits_of(kg_type type) { return 8 * (unsigned)kg_type_size(type); }

static uint64_t cut(kg_type type, uint64_t bits) {
  unsigned width = bits_of(type);
  return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static int64_t extend(kg_type type, uint64_t bits) {
  unsigned shift = 64 - bits_of(type);
  return (int64_t)(bits << shift) >> shift;
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
