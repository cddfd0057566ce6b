/* Types: what a value of them consists of. */
#include "spirv/import/import.h"
#include "foundation/base/limits.h"

enum { MOST_NESTED = 24 };

static uint32_t known_length(kgi_import *im, uint32_t id) {
  int64_t length = 0;
  return kgi_im_known(im, id, &length) && length > 0 && length < INT32_MAX ? (uint32_t)length : 0;
}

static uint32_t of(const uint32_t *table, const kgi_import *im, uint32_t id) { return id < im->bound ? table[id] : 0; }

/* 0 where there are more than an import takes, or where a specialization constant says how many. */
static uint32_t product(uint32_t a, uint32_t b) {
  uint64_t both = (uint64_t)a * b;
  return both <= KGI_LIMIT(import_leaves) ? (uint32_t)both : 0;
}

/* A struct without members, which classes of methods alone become, is one number that nobody looks at. */
bool kgi_im_is_nothing(kgi_import *im, uint32_t type) {
  kgi_im_inst x = kgi_im_def(im, type);
  return x.op == SpvOpTypeStruct && !x.args;
}

static void measure_struct(kgi_import *im, const kgi_im_inst *x) {
  uint64_t leaves = !x->args, columns = !x->args;
  bool whole = true;
  for (uint32_t k = 0; k < x->args; k++) {
    uint32_t part = of(im->leaves, im, x->arg[k]);
    whole &= part != 0;
    leaves += part, columns += of(im->columns, im, x->arg[k]);
  }
  im->leaves[x->result] = whole && leaves <= KGI_LIMIT(import_leaves) ? (uint32_t)leaves : 0;
  im->columns[x->result] = columns <= KGI_LIMIT(import_columns) ? (uint32_t)columns : 0;
}

/* Types deeper than any that people write have no leaves and no columns, so that nobody descends into them. */
static bool is_deep(kgi_import *im, const kgi_im_inst *x) {
  uint8_t deepest = 0;
  uint32_t inner = x->op == SpvOpTypeStruct ? x->args : x->args != 0;
  for (uint32_t k = 0; k < inner; k++)
    if (x->arg[k] < im->bound && im->nesting[x->arg[k]] > deepest) deepest = im->nesting[x->arg[k]];
  return (im->nesting[x->result] = (uint8_t)(deepest + (deepest < MOST_NESTED))) >= MOST_NESTED;
}

/* In memory it is a number of 64 bits, whatever it leads to. */
bool kgi_im_is_address(kgi_import *im, const kgi_im_inst *type) {
  return type->op == SpvOpTypePointer && kgi_im_arg(im, type, 0) == SpvStorageClassPhysicalStorageBuffer;
}

static void measure_pointer(kgi_import *im, const kgi_im_inst *x) {
  bool forward = x->op == SpvOpTypeForwardPointer && kgi_im_arg(im, x, 1) == SpvStorageClassPhysicalStorageBuffer;
  uint32_t id = forward ? kgi_im_arg(im, x, 0) : kgi_im_is_address(im, x) ? x->result : 0;
  if (id && id < im->bound) im->leaves[id] = im->columns[id] = 1;
}

void kgi_im_measure_type(kgi_import *im, const kgi_im_inst *x) {
  uint32_t inner = x->args ? x->arg[0] : 0;
  if (x->op == SpvOpTypePointer || x->op == SpvOpTypeForwardPointer) return measure_pointer(im, x);
  if (!x->result || is_deep(im, x)) return;
  if (x->op == SpvOpTypeBool || x->op == SpvOpTypeInt || x->op == SpvOpTypeFloat) {
    im->leaves[x->result] = im->columns[x->result] = 1;
  } else if (x->op == SpvOpTypeVector || x->op == SpvOpTypeMatrix) {
    im->leaves[x->result] = product(of(im->leaves, im, inner), kgi_im_arg(im, x, 1));
    im->columns[x->result] = 1;
  } else if (x->op == SpvOpTypeArray) {
    im->leaves[x->result] = product(of(im->leaves, im, inner), known_length(im, kgi_im_arg(im, x, 1)));
    im->columns[x->result] = of(im->columns, im, inner);
  } else if (x->op == SpvOpTypeRuntimeArray) {
    im->columns[x->result] = of(im->columns, im, inner);
  } else if (x->op == SpvOpTypeStruct) {
    measure_struct(im, x);
  }
}

/* ---- scalars ---- */

static kgi_im_scalar scalar_int(uint32_t width, bool is_signed) {
  kgi_im_scalar s = {.bits = (uint8_t)width, .is_signed = is_signed};
  s.value = width == 64 ? is_signed ? KG_I64 : KG_U64 : is_signed ? KG_I32 : KG_U32;
  s.memory = width == 8 ? is_signed ? KG_I8 : KG_U8 : width == 16 ? is_signed ? KG_I16 : KG_U16 : s.value;
  return width == 8 || width == 16 || width == 32 || width == 64 ? s : (kgi_im_scalar){0};
}

kgi_im_scalar kgi_im_scalar_of(kgi_import *im, uint32_t type) {
  kgi_im_inst x = kgi_im_def(im, type);
  while (x.op == SpvOpTypeVector || x.op == SpvOpTypeMatrix || x.op == SpvOpTypeArray || x.op == SpvOpTypeRuntimeArray)
    x = kgi_im_def(im, kgi_im_arg(im, &x, 0));
  if (x.op == SpvOpTypeBool) return (kgi_im_scalar){KG_BOOL, KG_BOOL, 1, false};
  if (kgi_im_is_address(im, &x)) return scalar_int(64, false);
  if (x.op == SpvOpTypeStruct && !x.args) return scalar_int(8, false);
  uint32_t width = x.args ? x.arg[0] : 0;
  if (x.op == SpvOpTypeInt) return scalar_int(width, kgi_im_arg(im, &x, 1) != 0);
  if (x.op != SpvOpTypeFloat) return (kgi_im_scalar){0};
  kg_type type_of = x.args > 1 ? KG_NONE : width == 16 ? KG_F16 : width == 32 ? KG_F32 : width == 64 ? KG_F64 : KG_NONE;
  return type_of == KG_NONE ? (kgi_im_scalar){0} : (kgi_im_scalar){type_of, type_of, (uint8_t)width, false};
}

kgi_im_scalar kgi_im_scalar_in(kgi_import *im, const kgi_im_column *c) {
  kgi_im_scalar s = kgi_im_scalar_of(im, c->scalar);
  return c->turned && !im->first_walk ? scalar_int(s.bits, !s.is_signed) : s;
}

/* ---- parts ---- */

uint32_t kgi_im_component(kgi_import *im, uint32_t type, uint32_t k) {
  kgi_im_inst x = kgi_im_def(im, type);
  if (x.op == SpvOpTypeStruct) return kgi_im_arg(im, &x, k);
  if (x.op == SpvOpTypeVector || x.op == SpvOpTypeMatrix || x.op == SpvOpTypeArray || x.op == SpvOpTypeRuntimeArray)
    return kgi_im_arg(im, &x, 0);
  kgi_im_malformed(im, x.at, "a type without parts is taken apart");
  return 0;
}

uint32_t kgi_im_parts(kgi_import *im, uint32_t type) {
  kgi_im_inst x = kgi_im_def(im, type);
  if (x.op == SpvOpTypeStruct) return x.args;
  if (x.op == SpvOpTypeVector || x.op == SpvOpTypeMatrix) return kgi_im_arg(im, &x, 1);
  return x.op == SpvOpTypeArray ? known_length(im, kgi_im_arg(im, &x, 1)) : 0;
}

uint32_t kgi_im_first_leaf(kgi_import *im, uint32_t type, uint32_t k) {
  kgi_im_inst x = kgi_im_def(im, type);
  if (k >= kgi_im_parts(im, type)) return kgi_im_malformed(im, x.at, "an index past the parts of a type"), 0;
  if (x.op != SpvOpTypeStruct) return k * of(im->leaves, im, kgi_im_component(im, type, k));
  uint32_t first = 0;
  for (uint32_t i = 0; i < k; i++) first += of(im->leaves, im, kgi_im_arg(im, &x, i));
  return first;
}

uint32_t kgi_im_leaf_types(kgi_import *im, uint32_t type, uint32_t *out) {
  uint32_t count = 0, parts = kgi_im_fine(im) ? kgi_im_parts(im, type) : 0;
  if (!kgi_im_fine(im)) return 0;
  if (!parts) return *out = type, 1;
  for (uint32_t k = 0; k < parts && kgi_im_fine(im); k++) {
    uint32_t inner = kgi_im_component(im, type, k);
    if (of(im->leaves, im, inner)) count += kgi_im_leaf_types(im, inner, out + count);
  }
  return count;
}

uint32_t kgi_im_pointee(kgi_import *im, uint32_t pointer) {
  kgi_im_inst x = kgi_im_def(im, pointer);
  uint32_t type = x.op == SpvOpTypePointer ? kgi_im_arg(im, &x, 1) : 0;
  if (x.op != SpvOpTypePointer) kgi_im_malformed(im, x.at, "a pointer of no pointer type");
  return type < im->bound ? type : 0;
}
