#include "foundation/host/value.h"
#include "foundation/base/floats.h"
#include "foundation/base/random.h"
#include "foundation/ir/bits.h"

#include <math.h>
#include <string.h>

bool kg_type_is_float(kg_type type) { return kgi_is_float(type); }

/* ---- arrays ---- */

uint64_t kg_value_load(kg_type type, const void *array, uint64_t index) {
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

void kg_value_store(kg_type type, void *array, uint64_t index, uint64_t bits) {
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

/* ---- numbers ---- */

static uint64_t cut(kg_type type, uint64_t bits) {
  unsigned width = kgi_type_bits(type);
  return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

double kgi_value_number(kg_type type, uint64_t bits) {
  switch (kgi_type_kind_of(type)) {
  case KGI_SINT: return (double)kgi_bits_to_int(type, bits);
  case KGI_UINT: return (double)cut(type, bits);
  case KGI_FLOAT: return kgi_bits_to_double(type, bits);
  case KGI_TYPE_NONE: case KGI_BOOL: break;
  }
  return bits != 0;
}

uint64_t kgi_value_of_number(kg_type type, double number) {
  switch (kgi_type_kind_of(type)) {
  case KGI_SINT: return cut(type, (uint64_t)(int64_t)number);
  case KGI_UINT: return cut(type, number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number);
  case KGI_FLOAT: return kgi_float_bits(type, number);
  case KGI_TYPE_NONE: case KGI_BOOL: break;
  }
  return number != 0;
}

double kg_value_number(kg_type type, uint64_t bits) {
  KGI_OWN_FLOATS;
  return kgi_value_number(type, bits);
}

uint64_t kg_value_of_number(kg_type type, double number) {
  KGI_OWN_FLOATS;
  return kgi_value_of_number(type, number);
}

/* ---- reproducible data ---- */

/* FNV-1a, so that a buffer's data do not depend on what else there is. */
static uint64_t hash(const char *name) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
  return h;
}

static bool draw(kg_type type, double lo, double hi, uint64_t *state, uint64_t *bits) {
  /* rounding may step on a bound: then draw again */
  for (int attempt = 0; attempt < 100; attempt++) {
    double number = kgi_random_between(state, lo, hi);
    if (!kgi_is_float(type)) number = floor(number);
    *bits = kgi_value_of_number(type, number);
    number = kgi_value_number(type, *bits);
    if (number >= lo && number < hi) return true;
  }
  return false;
}

bool kgi_value_random(uint64_t seed, const char *name, double lo, double hi, kg_type type, uint64_t count, void *array) {
  uint64_t state = seed ^ hash(name), bits;
  for (uint64_t i = 0; i < count; i++) {
    if (!draw(type, lo, hi, &state, &bits)) return false;
    kg_value_store(type, array, i, bits);
  }
  return true;
}

/* What is drawn from a range without an end goes up to a number that one can read. */
static void bound_range(double *lo, double *hi) {
  if (isinf(*lo) && isinf(*hi)) *lo = -1, *hi = 1;
  if (isinf(*hi)) *hi = *lo + 2 * fmax(fabs(*lo), 1);
  if (isinf(*lo)) *lo = *hi - 2 * fmax(fabs(*hi), 1);
}

kg_status kg_module_random(const kg_module *m, const kg_host *host, uint32_t index, uint64_t seed, const kg_sink *sink,
                           void *array) {
  KGI_OWN_FLOATS;
  kg_buffer_info info = kg_module_buffer(m, index);
  if (index >= kg_module_buffer_count(m)) return kg_module_buffer_range(m, host, index, sink, NULL, NULL); /* says so */
  double lo = kgi_is_float(info.type) ? -1 : 0, hi = kgi_is_float(info.type) ? 1 : 100;
  uint64_t extent[KG_MAX_RANK], count = host->length[index];
  kg_status status = info.ranged ? kg_module_buffer_range(m, host, index, sink, &lo, &hi) : KG_OK;
  if (status == KG_OK && info.draw) status = kg_module_buffer_extents(m, host, index, sink, extent);
  if (status != KG_OK) return status;
  bound_range(&lo, &hi);
  if (info.draw == KG_DRAW_POSITIVE) lo = 0x1p-14; /* a normal number of every type */
  if (!kgi_value_random(seed, info.name, lo, hi, info.type, count, array)) {
    KGI_DIAG(&(kgi_diags){.sink = sink}, no_value_in_range, 0, info.name);
    return KG_INVALID;
  }
  if (info.draw == KG_DRAW_ASCENDING) kgi_draw_ascending(info.type, extent[info.rank - 1], count, array);
  if (info.draw == KG_DRAW_DEFINITE) kgi_draw_definite(info.type, extent[info.rank - 1], count, array);
  return KG_OK;
}
