/* Instructions that are more than an operation on each scalar. */
#include "spirv/import/import.h"

#include <string.h>

static kgi_val op2(kgi_import *im, kgi_op op, kgi_val a, kgi_val b) {
  return kgi_im_fine(im) ? kgi_op2(&im->b, op, a, b) : (kgi_val){0};
}

/* An operand's leaves; how many there are. */
typedef struct leaves { kgi_val *at; uint32_t count, type; } leaves;

static leaves take(kgi_import *im, const kgi_im_inst *x, uint32_t k) {
  leaves l = {0};
  uint32_t id = kgi_im_arg(im, x, k);
  l.at = kgi_im_value(im, id);
  if (!l.at || !kgi_im_fine(im)) return (leaves){0};
  l.type = kgi_im_type_of(im, id), l.count = im->leaves[l.type];
  return l;
}

static leaves room(kgi_import *im, const kgi_im_inst *x) {
  leaves l = {.type = x->type, .count = x->type < im->bound ? im->leaves[x->type] : 0};
  if (!l.count) return kgi_im_refuse(im, x, "its result is no value that an import takes"), (leaves){0};
  l.at = kgi_im_room(im, l.count);
  return l.at ? l : (leaves){0};
}

static bool fits(kgi_import *im, const kgi_im_inst *x, bool fine) {
  return kgi_im_fine(im) && (fine || kgi_im_malformed(im, x->at, "operands that do not fit each other"));
}

static kgi_val dot(kgi_import *im, const kgi_val *a, uint32_t a_step, const kgi_val *b, uint32_t b_step, uint32_t count) {
  kgi_val sum = op2(im, KGI_OP_mul, a[0], b[0]);
  for (uint32_t i = 1; i < count && kgi_im_fine(im); i++) {
    kgi_val term = op2(im, KGI_OP_mul, a[(size_t)i * a_step], b[(size_t)i * b_step]);
    sum = op2(im, KGI_OP_add, sum, term);
  }
  return sum;
}

/* ---- linear algebra; a matrix's leaves are its columns, one behind another ---- */

static uint32_t rows_of(kgi_import *im, uint32_t matrix) { return im->leaves[kgi_im_component(im, matrix, 0)]; }

void kgi_im_own_times_scalar(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), s = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == out.count && s.count == 1)) return;
  for (uint32_t i = 0; i < out.count; i++) out.at[i] = op2(im, KGI_OP_mul, a.at[i], *s.at);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_dot(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == b.count && a.count && out.count == 1)) return;
  *out.at = dot(im, a.at, 1, b.at, 1, a.count);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_matrix_vector(kgi_import *im, const kgi_im_inst *x) {
  leaves m = take(im, x, 0), v = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, m.count == out.count * v.count && v.count)) return;
  for (uint32_t r = 0; r < out.count; r++) out.at[r] = dot(im, m.at + r, out.count, v.at, 1, v.count);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_vector_matrix(kgi_import *im, const kgi_im_inst *x) {
  leaves v = take(im, x, 0), m = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, m.count == out.count * v.count && v.count)) return;
  for (uint32_t c = 0; c < out.count; c++) out.at[c] = dot(im, v.at, 1, m.at + (size_t)c * v.count, 1, v.count);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_matrix_matrix(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!kgi_im_fine(im)) return;
  uint32_t rows = rows_of(im, a.type), inner = rows_of(im, b.type);
  if (!fits(im, x, rows && inner && a.count == rows * inner && out.count == b.count / inner * rows)) return;
  for (uint32_t i = 0; i < out.count; i++)
    out.at[i] = dot(im, a.at + i % rows, rows, b.at + (size_t)(i / rows) * inner, 1, inner);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_outer_product(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count && out.count == a.count * b.count)) return;
  for (uint32_t i = 0; i < out.count; i++) out.at[i] = op2(im, KGI_OP_mul, a.at[i % a.count], b.at[i / a.count]);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_transpose(kgi_import *im, const kgi_im_inst *x) {
  leaves m = take(im, x, 0), out = room(im, x);
  uint32_t rows = kgi_im_fine(im) ? rows_of(im, m.type) : 0;
  if (!fits(im, x, rows && m.count == out.count)) return;
  for (uint32_t i = 0; i < m.count; i++) out.at[(size_t)(i % rows) * (m.count / rows) + i / rows] = m.at[i];
  kgi_im_bind(im, x, out.at);
}

/* ---- integers of twice the width ---- */

static kgi_val as_unsigned(kgi_import *im, kgi_val v) {
  if (!kgi_im_fine(im)) return v;
  return kgi_convert(&im->b, kgi_type_bits(kgi_type_of(im->b.p, v)) == 64 ? KG_U64 : KG_U32, v);
}

void kgi_im_own_carry(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == b.count && out.count == 2 * a.count)) return;
  kgi_im_scalar s = kgi_im_scalar_of(im, a.type);
  if (s.bits < 32) return (void)kgi_im_refuse(im, x, "it is supported for 32 and 64 bits");
  for (uint32_t i = 0; i < a.count && kgi_im_fine(im); i++) {
    kgi_val u = as_unsigned(im, a.at[i]), v = as_unsigned(im, b.at[i]);
    kgi_val y = op2(im, x->op == SpvOpIAddCarry ? KGI_OP_add : KGI_OP_sub, u, v);
    kgi_val over = x->op == SpvOpIAddCarry ? op2(im, KGI_OP_lt, y, u) : op2(im, KGI_OP_lt, u, v);
    if (!kgi_im_fine(im)) return;
    out.at[i] = kgi_convert(&im->b, s.value, y);
    out.at[a.count + i] = kgi_convert(&im->b, s.value, over);
  }
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_extended(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == b.count && out.count == 2 * a.count)) return;
  kgi_im_scalar s = kgi_im_scalar_of(im, a.type);
  if (s.bits < 32) return (void)kgi_im_refuse(im, x, "it is supported for 32 and 64 bits");
  kg_type type = x->op == SpvOpUMulExtended ? s.bits == 64 ? KG_U64 : KG_U32 : s.bits == 64 ? KG_I64 : KG_I32;
  for (uint32_t i = 0; i < a.count && kgi_im_fine(im); i++) {
    kgi_val u = kgi_convert(&im->b, type, a.at[i]), v = kgi_convert(&im->b, type, b.at[i]);
    kgi_val low = op2(im, KGI_OP_mul, u, v), high = op2(im, KGI_OP_mul_high, u, v);
    if (!kgi_im_fine(im)) return;
    out.at[i] = kgi_convert(&im->b, s.value, low);
    out.at[a.count + i] = kgi_convert(&im->b, s.value, high);
  }
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_bit_field(kgi_import *im, const kgi_im_inst *x) {
  bool inserts = x->op == SpvOpBitFieldInsert, is_signed = x->op == SpvOpBitFieldSExtract;
  leaves a = take(im, x, 0), part = inserts ? take(im, x, 1) : a, offset = take(im, x, inserts ? 2 : 1);
  leaves count = take(im, x, inserts ? 3 : 2), out = room(im, x);
  if (!fits(im, x, a.count == out.count && part.count == a.count && offset.count == 1 && count.count == 1)) return;
  kgi_im_scalar s = kgi_im_scalar_of(im, x->type);
  if (s.bits < 32) return (void)kgi_im_refuse(im, x, "it is supported for 32 and 64 bits");
  kg_type type = inserts ? s.value : s.bits == 64 ? is_signed ? KG_I64 : KG_U64 : is_signed ? KG_I32 : KG_U32;
  kgi_val from = kgi_convert(&im->b, KG_U32, *offset.at), many = kgi_convert(&im->b, KG_U32, *count.at);
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++) {
    kgi_val base = kgi_convert(&im->b, type, a.at[i]);
    kgi_val bits = inserts ? kgi_convert(&im->b, type, part.at[i]) : base;
    kgi_val y = inserts ? kgi_op4(&im->b, KGI_OP_bit_insert, base, bits, from, many)
                        : kgi_op3(&im->b, KGI_OP_bit_extract, base, from, many);
    out.at[i] = kgi_convert(&im->b, s.value, y);
  }
  kgi_im_bind(im, x, out.at);
}

/* ---- logic ---- */

/* Neither is a comparison of the language: a NaN is neither less nor greater, and not equal. */
void kgi_im_own_float_equal(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == b.count && a.count == out.count)) return;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++) {
    kgi_val less = op2(im, KGI_OP_lt, a.at[i], b.at[i]), greater = op2(im, KGI_OP_gt, a.at[i], b.at[i]);
    kgi_val differ = op2(im, KGI_OP_or, less, greater);
    out.at[i] = x->op == SpvOpFOrdNotEqual || !kgi_im_fine(im) ? differ : kgi_op1(&im->b, KGI_OP_not, differ);
  }
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_any(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), out = room(im, x);
  if (!fits(im, x, a.count && out.count == 1)) return;
  *out.at = a.at[0];
  for (uint32_t i = 1; i < a.count; i++) *out.at = op2(im, x->op == SpvOpAny ? KGI_OP_or : KGI_OP_and, *out.at, a.at[i]);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_select(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_inst type = kgi_im_def(im, x->type);
  if (type.op == SpvOpTypePointer) return (void)kgi_im_refuse(im, x, "a choice among pointers is not supported");
  leaves c = take(im, x, 0), a = take(im, x, 1), b = take(im, x, 2), out = room(im, x);
  if (!fits(im, x, a.count == out.count && b.count == out.count && (c.count == 1 || c.count == out.count))) return;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++)
    out.at[i] = kgi_op3(&im->b, KGI_OP_select, c.at[c.count == 1 ? 0 : i], a.at[i], b.at[i]);
  kgi_im_bind(im, x, out.at);
}

/* ---- conversions ---- */

/* The sign by which the instruction reads its operand's bits. */
static kgi_val read_as(kgi_import *im, kgi_val v, kgi_im_scalar from, bool is_signed) {
  if (!kgi_is_int(from.value) || from.is_signed == is_signed || !kgi_im_fine(im)) return v;
  kg_type type = from.bits == 64 ? is_signed ? KG_I64 : KG_U64 : is_signed ? KG_I32 : KG_U32;
  from.is_signed = is_signed;
  return kgi_im_narrow(im, kgi_convert(&im->b, type, v), from);
}

/* OpConvertFToS gives numbers with a sign; its type may be one without, as where a compiler has integers of one kind alone. That of
 * OpConvertFToU must be without one. */
static kgi_val whole(kgi_import *im, kgi_val v, SpvOp op, kgi_im_scalar to) {
  return op == SpvOpConvertFToS ? kgi_convert(&im->b, to.bits == 64 ? KG_I64 : KG_I32, v) : v;
}

void kgi_im_own_convert(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), out = room(im, x);
  if (!fits(im, x, a.count == out.count)) return;
  kgi_im_scalar from = kgi_im_scalar_of(im, a.type), to = kgi_im_scalar_of(im, x->type);
  bool is_signed = x->op == SpvOpConvertSToF || x->op == SpvOpSConvert;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++) {
    kgi_val v = read_as(im, a.at[i], from, is_signed);
    if (kgi_im_fine(im)) v = whole(im, v, x->op, to);
    if (kgi_im_fine(im)) out.at[i] = kgi_im_narrow(im, kgi_convert(&im->b, to.value, v), to);
  }
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_quantize(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), out = room(im, x);
  if (!fits(im, x, a.count == out.count)) return;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++)
    out.at[i] = kgi_convert(&im->b, KG_F32, kgi_convert(&im->b, KG_F16, a.at[i]));
  kgi_im_bind(im, x, out.at);
}

/* Bits of a scalar as an unsigned integer of at least 32 bits, and back. */
static kgi_val to_bits(kgi_import *im, kgi_val v, kgi_im_scalar s) {
  if (!kgi_im_fine(im)) return v;
  if (s.value == KG_F16) {
    kgi_val wide = kgi_convert(&im->b, KG_F32, v);
    return kgi_op2(&im->b, KGI_OP_pack_half_2x16, wide, kgi_f32(&im->b, 0));
  }
  if (kgi_is_float(s.value)) return kgi_bitcast(&im->b, s.bits == 64 ? KG_U64 : KG_U32, v);
  return read_as(im, v, s, false);
}

static kgi_val from_bits(kgi_import *im, kgi_val v, kgi_im_scalar s) {
  if (!kgi_im_fine(im)) return v;
  if (s.value == KG_F16) return kgi_convert(&im->b, KG_F16, kgi_op2(&im->b, KGI_OP_unpack_half_2x16, v, kgi_u32(&im->b, 0)));
  return kgi_is_float(s.value) ? kgi_bitcast(&im->b, s.value, v) : kgi_im_narrow(im, kgi_convert(&im->b, s.value, v), s);
}

static kgi_val shifted(kgi_import *im, kgi_op op, kg_type type, kgi_val v, uint32_t bits) {
  if (!kgi_im_fine(im)) return v;
  v = kgi_convert(&im->b, type, v);
  return bits ? kgi_op2(&im->b, op, v, kgi_int(&im->b, type, bits)) : v;
}

/* Several narrow parts for each wide one, the lowest bits first. */
static kgi_val joined(kgi_import *im, const kgi_val *part, uint32_t parts, kgi_im_scalar from, kg_type type) {
  kgi_val all = {0};
  for (uint32_t i = 0; i < parts && kgi_im_fine(im); i++) {
    kgi_val piece = shifted(im, KGI_OP_shl, type, to_bits(im, part[i], from), i * from.bits);
    all = all.i ? op2(im, KGI_OP_or, all, piece) : piece;
  }
  return all;
}

static kgi_val piece_of(kgi_import *im, kgi_val whole, kg_type type, uint32_t k, kgi_im_scalar to) {
  kgi_val piece = shifted(im, KGI_OP_shr, type, whole, k * to.bits);
  if (!kgi_im_fine(im)) return piece;
  piece = kgi_convert(&im->b, KG_U32, piece);
  if (to.bits < 32) piece = op2(im, KGI_OP_and, piece, kgi_u32(&im->b, (1u << to.bits) - 1));
  return from_bits(im, piece, to);
}

static kgi_val cast(kgi_import *im, kgi_val v, kgi_im_scalar from, kgi_im_scalar to) {
  if (!kgi_im_fine(im) || from.value == to.value) return v;
  if (from.bits >= 32 && kgi_is_int(from.value) && kgi_is_int(to.value)) return kgi_convert(&im->b, to.value, v);
  if (from.bits >= 32) return kgi_bitcast(&im->b, to.value, v);
  return from_bits(im, to_bits(im, v, from), to);
}

void kgi_im_own_bitcast(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_im_def(im, x->type).op == SpvOpTypePointer) return kgi_im_own_address(im, x);
  leaves a = take(im, x, 0), out = room(im, x);
  if (!kgi_im_fine(im)) return;
  kgi_im_scalar from = kgi_im_scalar_of(im, a.type), to = kgi_im_scalar_of(im, x->type);
  if (!fits(im, x, from.bits > 1 && to.bits > 1 && a.count * from.bits == out.count * to.bits)) return;
  uint32_t wide = from.bits > to.bits ? from.bits : to.bits;
  kg_type type = wide == 64 ? KG_U64 : KG_U32;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++) {
    uint32_t ratio = wide / (from.bits > to.bits ? to.bits : from.bits);
    if (a.count == out.count) out.at[i] = cast(im, a.at[i], from, to);
    else if (from.bits < to.bits) out.at[i] = from_bits(im, joined(im, a.at + (size_t)i * ratio, ratio, from, type), to);
    else out.at[i] = piece_of(im, to_bits(im, a.at[i / ratio], from), type, i % ratio, to);
  }
  kgi_im_bind(im, x, out.at);
}

/* ---- parts ---- */

void kgi_im_own_construct(kgi_import *im, const kgi_im_inst *x) {
  leaves out = room(im, x);
  uint32_t used = 0;
  for (uint32_t k = 0; k < x->args && kgi_im_fine(im); k++) {
    leaves part = take(im, x, k);
    if (!fits(im, x, part.count <= out.count - used)) return;
    memcpy(out.at + used, part.at, part.count * sizeof *part.at);
    used += part.count;
  }
  if (kgi_im_fine(im) && !x->args && kgi_im_is_nothing(im, x->type)) out.at[used++] = kgi_u32(&im->b, 0);
  if (fits(im, x, used == out.count)) kgi_im_bind(im, x, out.at);
}

/* The leaf at which the part begins that literal indices lead to, and its type. */
static uint32_t part_at(kgi_import *im, const kgi_im_inst *x, uint32_t from, uint32_t *type) {
  uint32_t first = 0;
  for (uint32_t k = from; k < x->args && kgi_im_fine(im); k++) {
    first += kgi_im_first_leaf(im, *type, x->arg[k]);
    if (kgi_im_fine(im)) *type = kgi_im_component(im, *type, x->arg[k]);
  }
  return first;
}

void kgi_im_own_extract(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_im_is_array(im, kgi_im_type_of(im, kgi_im_arg(im, x, 0)))) return kgi_im_extract_from_array(im, x);
  leaves a = take(im, x, 0);
  if (!kgi_im_fine(im)) return;
  uint32_t type = a.type, first = part_at(im, x, 1, &type);
  if (fits(im, x, type == x->type && first + im->leaves[type] <= a.count)) kgi_im_bind(im, x, a.at + first);
}

void kgi_im_own_insert(kgi_import *im, const kgi_im_inst *x) {
  leaves part = take(im, x, 0), a = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count == out.count)) return;
  uint32_t type = a.type, first = part_at(im, x, 2, &type);
  if (!fits(im, x, type == part.type && first + part.count <= out.count)) return;
  memcpy(out.at, a.at, a.count * sizeof *a.at);
  memcpy(out.at + first, part.at, part.count * sizeof *part.at);
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_shuffle(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), b = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, x->args == out.count + 2)) return;
  for (uint32_t i = 0; i < out.count && kgi_im_fine(im); i++) {
    uint32_t k = x->arg[2 + i];
    if (k == UINT32_MAX) out.at[i] = kgi_literal_of(&im->b, kgi_im_scalar_of(im, x->type).value, 0);
    else if (fits(im, x, k < a.count + b.count)) out.at[i] = k < a.count ? a.at[k] : b.at[k - a.count];
  }
  kgi_im_bind(im, x, out.at);
}

static kgi_val is_index(kgi_import *im, kgi_val index, uint32_t k) {
  if (!kgi_im_fine(im)) return index;
  return kgi_op2(&im->b, KGI_OP_eq, index, kgi_int(&im->b, kgi_type_of(im->b.p, index), k));
}

void kgi_im_own_extract_dynamic(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), index = take(im, x, 1), out = room(im, x);
  if (!fits(im, x, a.count && index.count == 1 && out.count == 1)) return;
  kgi_val y = a.at[0];
  for (uint32_t k = 1; k < a.count && kgi_im_fine(im); k++) {
    kgi_val here = is_index(im, *index.at, k);
    if (kgi_im_fine(im)) y = kgi_op3(&im->b, KGI_OP_select, here, a.at[k], y);
  }
  *out.at = y;
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_insert_dynamic(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, 0), part = take(im, x, 1), index = take(im, x, 2), out = room(im, x);
  if (!fits(im, x, a.count == out.count && part.count == 1 && index.count == 1)) return;
  for (uint32_t k = 0; k < a.count && kgi_im_fine(im); k++) {
    kgi_val here = is_index(im, *index.at, k);
    if (kgi_im_fine(im)) out.at[k] = kgi_op3(&im->b, KGI_OP_select, here, *part.at, a.at[k]);
  }
  kgi_im_bind(im, x, out.at);
}

void kgi_im_own_copy(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_im_def(im, x->type).op == SpvOpTypePointer) {
    im->place[x->result] = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
    return;
  }
  leaves a = take(im, x, 0), out = room(im, x);
  if (fits(im, x, a.count == out.count)) kgi_im_bind(im, x, a.at);
}

/* ---- memory ---- */

void kgi_im_own_variable(kgi_import *im, const kgi_im_inst *x) {
  im->place[x->result] = im->held[x->result] = NULL;
  if (!kgi_im_declare_var(im, x->result)) return;
  const kgi_im_place *place = kgi_im_pointer(im, x->result);
  if (place && x->args < 2) return kgi_im_zero_copied(im, x, place);
  if (place && kgi_im_store_zeros(im, x, place)) return;
  leaves first = take(im, x, 1);
  if (place && fits(im, x, first.type == place->type)) kgi_im_store(im, place, first.at);
}

void kgi_im_own_load(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_place *place = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
  if (!place || !fits(im, x, place->type == x->type)) return;
  if (kgi_im_def(im, x->type).op == SpvOpTypePointer) return kgi_im_load_pointer(im, x, place);
  if (kgi_im_is_array(im, x->type)) kgi_im_load_array(im, x, place);
  else kgi_im_bind(im, x, kgi_im_load(im, place));
}

void kgi_im_own_store(kgi_import *im, const kgi_im_inst *x) {
  const kgi_im_place *place = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
  if (place && kgi_im_def(im, place->type).op == SpvOpTypePointer)
    return kgi_im_store_pointer(im, x, place, kgi_im_arg(im, x, 1));
  if (place && kgi_im_store_zeros(im, x, place)) return;
  if (place && kgi_im_is_array(im, place->type)) return kgi_im_store_array(im, x, place);
  leaves a = take(im, x, 1);
  if (!place || !fits(im, x, a.type == place->type)) return;
  kgi_im_store(im, place, a.at);
}

void kgi_im_own_copy_memory(kgi_import *im, const kgi_im_inst *x) {
  const kgi_im_place *to = kgi_im_pointer(im, kgi_im_arg(im, x, 0)), *from = kgi_im_pointer(im, kgi_im_arg(im, x, 1));
  if (!to || !from || !fits(im, x, to->type < im->bound && im->leaves[to->type] == im->leaves[from->type])) return;
  kgi_im_store(im, to, kgi_im_load(im, from));
}

void kgi_im_own_access_chain(kgi_import *im, const kgi_im_inst *x) { kgi_im_access_chain(im, x); }
void kgi_im_own_array_length(kgi_import *im, const kgi_im_inst *x) { kgi_im_array_length(im, x); }

/* A subgroup's barrier becomes the workgroup's, which orders more. Where not all of a workgroup come to it, the program is refused,
 * as any with such a barrier is. */
void kgi_im_own_barrier(kgi_import *im, const kgi_im_inst *x) {
  int64_t scope = 0;
  bool known = kgi_im_known(im, kgi_im_arg(im, x, 0), &scope);
  if (known && (scope == SpvScopeWorkgroup || scope == SpvScopeSubgroup)) kgi_barrier_here(&im->b);
  else kgi_im_refuse(im, x, "its scope is neither a workgroup nor a subgroup");
}

void kgi_im_own_memory_barrier(kgi_import *im, const kgi_im_inst *x) {
  (void)x;
  kgi_memory_barrier_here(&im->b);
}

void kgi_im_own_ballot(kgi_import *im, const kgi_im_inst *x) {
  leaves a = take(im, x, x->op == SpvOpSubgroupBallotKHR ? 0 : 1), out = room(im, x);
  if (!fits(im, x, a.count == 1 && out.count == 4)) return;
  for (uint32_t k = 0; k < 4 && kgi_im_fine(im); k++)
    out.at[k] = kgi_subgroup_op(&im->b, KGI_SUBGROUP_ballot, *a.at, kgi_u32(&im->b, k));
  kgi_im_bind(im, x, out.at);
}

/* ---- functions ---- */

void kgi_im_own_extended_instruction(kgi_import *im, const kgi_im_inst *x) {
  uint32_t set = kgi_im_arg(im, x, 0);
  kgi_im_inst import = kgi_im_def(im, set);
  if (!kgi_im_fine(im)) return;
  const char *name = import.op == SpvOpExtInstImport ? kgi_im_string(im, &import, 0) : "";
  if (!strcmp(name, "GLSL.std.450")) kgi_im_glsl(im, x);
  else if (strncmp(name, "NonSemantic.", 12)) kgi_im_refuse(im, x, "its set of instructions is not supported");
}

void kgi_im_own_call(kgi_import *im, const kgi_im_inst *x) { kgi_im_call(im, x); }
