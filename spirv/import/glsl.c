/* GLSL.std.450. */
#include "spirv/import/import.h"

enum { MOST = 3 };

/* The operands of one instruction, and where its result goes. */
typedef struct call {
  kgi_import *im;
  const kgi_im_inst *x; /* the first two operands are the set and the instruction */
  enum GLSLstd450 which;
  kgi_val *arg[MOST], *out;
  uint32_t leaves[MOST], types[MOST], count, outs;
  kgi_im_scalar scalar;
} call;

static kgi_val number(call *c, double value) { return kgi_float(&c->im->b, c->scalar.value, value); }
static kgi_val op1(call *c, kgi_op op, kgi_val a) { return kgi_im_fine(c->im) ? kgi_op1(&c->im->b, op, a) : a; }
static kgi_val op2(call *c, kgi_op op, kgi_val a, kgi_val b) { return kgi_im_fine(c->im) ? kgi_op2(&c->im->b, op, a, b) : a; }
static kgi_val op3(call *c, kgi_op op, kgi_val x, kgi_val y, kgi_val z) {
  return kgi_im_fine(c->im) ? kgi_op3(&c->im->b, op, x, y, z) : x;
}

static kgi_val dot(call *c, const kgi_val *a, const kgi_val *b, uint32_t count) {
  kgi_val sum = op2(c, KGI_OP_mul, a[0], b[0]);
  for (uint32_t i = 1; i < count; i++) {
    kgi_val term = op2(c, KGI_OP_mul, a[i], b[i]);
    sum = op2(c, KGI_OP_add, sum, term);
  }
  return sum;
}

/* ---- the rows that are code; `i` counts the result's leaves ---- */

typedef kgi_val code(call *c, uint32_t i);

static kgi_val code_radians(call *c, uint32_t i) { return op2(c, KGI_OP_mul, c->arg[0][i], number(c, 0.017453292519943295769)); }
static kgi_val code_degrees(call *c, uint32_t i) { return op2(c, KGI_OP_mul, c->arg[0][i], number(c, 57.295779513082320877)); }

static kgi_val code_mix(call *c, uint32_t i) {
  kgi_val t = c->arg[2][i], rest = op2(c, KGI_OP_sub, number(c, 1), t);
  kgi_val a = op2(c, KGI_OP_mul, c->arg[0][i], rest), b = op2(c, KGI_OP_mul, c->arg[1][i], t);
  return op2(c, KGI_OP_add, a, b);
}

static kgi_val code_step(call *c, uint32_t i) {
  kgi_val below = op2(c, KGI_OP_lt, c->arg[1][i], c->arg[0][i]), zero = number(c, 0);
  return op3(c, KGI_OP_select, below, zero, number(c, 1));
}

static kgi_val code_smooth_step(call *c, uint32_t i) {
  kgi_val over = op2(c, KGI_OP_sub, c->arg[2][i], c->arg[0][i]), width = op2(c, KGI_OP_sub, c->arg[1][i], c->arg[0][i]);
  kgi_val t = op2(c, KGI_OP_div, over, width), zero = number(c, 0);
  t = op3(c, KGI_OP_clamp, t, zero, number(c, 1));
  kgi_val twice = op2(c, KGI_OP_mul, number(c, 2), t), square = op2(c, KGI_OP_mul, t, t);
  twice = op2(c, KGI_OP_sub, number(c, 3), twice);
  return op2(c, KGI_OP_mul, square, twice);
}

static kgi_val code_ldexp(call *c, uint32_t i) {
  if (!kgi_im_fine(c->im)) return (kgi_val){0};
  return op2(c, KGI_OP_ldexp, c->arg[0][i], kgi_convert(&c->im->b, KG_I32, c->arg[1][i]));
}

static kgi_val code_length(call *c, uint32_t i) {
  (void)i;
  if (c->leaves[0] == 1) return op1(c, KGI_OP_abs, *c->arg[0]);
  return op1(c, KGI_OP_sqrt, dot(c, c->arg[0], c->arg[0], c->leaves[0]));
}

static kgi_val code_distance(call *c, uint32_t i) {
  (void)i;
  kgi_val *apart = kgi_im_room(c->im, c->leaves[0]);
  if (!apart || c->leaves[1] != c->leaves[0]) return (kgi_val){0};
  for (uint32_t k = 0; k < c->leaves[0]; k++) apart[k] = op2(c, KGI_OP_sub, c->arg[0][k], c->arg[1][k]);
  return c->leaves[0] == 1 ? op1(c, KGI_OP_abs, *apart) : op1(c, KGI_OP_sqrt, dot(c, apart, apart, c->leaves[0]));
}

static kgi_val code_normalize(call *c, uint32_t i) {
  kgi_val length = op1(c, KGI_OP_sqrt, dot(c, c->arg[0], c->arg[0], c->leaves[0]));
  return op2(c, KGI_OP_div, c->arg[0][i], length);
}

static kgi_val code_cross(call *c, uint32_t i) {
  if (c->leaves[0] != 3 || c->leaves[1] != 3) return (kgi_val){0};
  uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
  kgi_val a = op2(c, KGI_OP_mul, c->arg[0][j], c->arg[1][k]), b = op2(c, KGI_OP_mul, c->arg[0][k], c->arg[1][j]);
  return op2(c, KGI_OP_sub, a, b);
}

static kgi_val code_face_forward(call *c, uint32_t i) {
  kgi_val seen = dot(c, c->arg[2], c->arg[1], c->outs);
  seen = op2(c, KGI_OP_lt, seen, number(c, 0));
  return op3(c, KGI_OP_select, seen, c->arg[0][i], op1(c, KGI_OP_neg, c->arg[0][i]));
}

static kgi_val code_reflect(call *c, uint32_t i) {
  kgi_val along = dot(c, c->arg[1], c->arg[0], c->outs);
  along = op2(c, KGI_OP_mul, number(c, 2), along);
  along = op2(c, KGI_OP_mul, along, c->arg[1][i]);
  return op2(c, KGI_OP_sub, c->arg[0][i], along);
}

static kgi_val code_pack(call *c, uint32_t i) {
  static const struct { enum GLSLstd450 which; kgi_op op; uint32_t count; } rows[] = {
      {GLSLstd450PackSnorm4x8, KGI_OP_pack_snorm_4x8, 4}, {GLSLstd450PackUnorm4x8, KGI_OP_pack_unorm_4x8, 4},
      {GLSLstd450PackSnorm2x16, KGI_OP_pack_snorm_2x16, 2}, {GLSLstd450PackUnorm2x16, KGI_OP_pack_unorm_2x16, 2},
      {GLSLstd450PackHalf2x16, KGI_OP_pack_half_2x16, 2}};
  (void)i;
  for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].which == c->which && c->leaves[0] == rows[k].count && kgi_im_fine(c->im))
      return kgi_apply(&c->im->b, rows[k].op, c->arg[0], rows[k].count);
  return (kgi_val){0};
}

static kgi_val code_unpack(call *c, uint32_t i) {
  static const struct { enum GLSLstd450 which; kgi_op op; } rows[] = {
      {GLSLstd450UnpackSnorm4x8, KGI_OP_unpack_snorm_4x8}, {GLSLstd450UnpackUnorm4x8, KGI_OP_unpack_unorm_4x8},
      {GLSLstd450UnpackSnorm2x16, KGI_OP_unpack_snorm_2x16}, {GLSLstd450UnpackUnorm2x16, KGI_OP_unpack_unorm_2x16},
      {GLSLstd450UnpackHalf2x16, KGI_OP_unpack_half_2x16}};
  for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].which == c->which && c->leaves[0] == 1) return op2(c, rows[k].op, *c->arg[0], kgi_u32(&c->im->b, i));
  return (kgi_val){0};
}

/* The bit's place, and -1 where there is none. */
static kgi_val code_find_lsb(call *c, uint32_t i) {
  if (!kgi_im_fine(c->im) || c->scalar.bits != 32) return (kgi_val){0};
  kgi_builder *b = &c->im->b;
  kgi_val bits = kgi_convert(b, KG_U32, c->arg[0][i]);
  kgi_val none = kgi_op2(b, KGI_OP_eq, bits, kgi_u32(b, 0)), place = kgi_op1(b, KGI_OP_ctz, bits);
  place = kgi_op3(b, KGI_OP_select, none, kgi_u32(b, UINT32_MAX), place);
  return kgi_convert(b, c->scalar.value, place);
}

/* 31 - clz, which is -1 for 0; of a negative number the highest bit that is 0. */
static kgi_val code_find_msb(call *c, uint32_t i) {
  if (!kgi_im_fine(c->im) || c->scalar.bits != 32) return (kgi_val){0};
  kgi_builder *b = &c->im->b;
  kgi_val bits = kgi_convert(b, KG_U32, c->arg[0][i]);
  if (c->which == GLSLstd450FindSMsb) {
    kgi_val negative = kgi_convert(b, KG_I32, bits);
    negative = kgi_op2(b, KGI_OP_lt, negative, kgi_i32(b, 0));
    bits = kgi_op3(b, KGI_OP_select, negative, kgi_op1(b, KGI_OP_not, bits), bits);
  }
  bits = kgi_op1(b, KGI_OP_clz, bits);
  bits = kgi_op2(b, KGI_OP_sub, kgi_u32(b, 31), bits);
  return kgi_convert(b, c->scalar.value, bits);
}

/* k = 1 - eta^2 (1 - (n.i)^2); nothing is left of the ray where it is negative. */
static kgi_val code_refract(call *c, uint32_t i) {
  if (c->leaves[2] != 1 || c->leaves[0] != c->outs || c->leaves[1] != c->outs) return (kgi_val){0};
  kgi_val eta = *c->arg[2], along = dot(c, c->arg[1], c->arg[0], c->outs), square = op2(c, KGI_OP_mul, along, along);
  kgi_val across = op2(c, KGI_OP_sub, number(c, 1), square), twice = op2(c, KGI_OP_mul, eta, eta);
  twice = op2(c, KGI_OP_mul, twice, across);
  kgi_val k = op2(c, KGI_OP_sub, number(c, 1), twice), lost = op2(c, KGI_OP_lt, k, number(c, 0)), root = op1(c, KGI_OP_sqrt, k);
  kgi_val bent = op2(c, KGI_OP_mul, eta, along);
  bent = op2(c, KGI_OP_add, bent, root);
  bent = op2(c, KGI_OP_mul, bent, c->arg[1][i]);
  kgi_val ray = op2(c, KGI_OP_mul, eta, c->arg[0][i]);
  ray = op2(c, KGI_OP_sub, ray, bent);
  return op3(c, KGI_OP_select, lost, number(c, 0), ray);
}

/* ---- numbers in two parts ---- */

static kgi_val code_whole(call *c, uint32_t i) { return op1(c, KGI_OP_trunc, c->arg[0][i]); }
static kgi_val code_fraction(call *c, uint32_t i) { return op2(c, KGI_OP_sub, c->arg[0][i], code_whole(c, i)); }

static kgi_val bits_of(call *c, kg_type type, uint64_t bits) { return kgi_literal_of(&c->im->b, type, bits); }

/* The power of two that leaves a significand from 1/2 up to 1, as i32: from the bits of the exponent; of a subnormal number from
 * the first bit of its fraction; 0 of zero. It is constant but for jumps, so that its bits are no path of a derivative. */
static kgi_val code_exponent(call *c, uint32_t i) {
  if (!kgi_im_fine(c->im)) return (kgi_val){0};
  kgi_builder *b = &c->im->b;
  bool wide = c->scalar.bits == 64;
  kg_type type = wide ? KG_U64 : KG_U32;
  kgi_val x = c->scalar.bits == 16 ? kgi_convert(b, KG_F32, c->arg[0][i]) : c->arg[0][i];
  kgi_val size = kgi_bitcast(b, type, op1(c, KGI_OP_stop_gradient, x));
  size = op2(c, KGI_OP_and, size, bits_of(c, type, wide ? INT64_MAX : INT32_MAX));
  kgi_val biased = kgi_convert(b, KG_I32, op2(c, KGI_OP_shr, size, bits_of(c, type, wide ? 52 : 23)));
  kgi_val normal = op2(c, KGI_OP_sub, biased, kgi_i32(b, wide ? 1022 : 126));
  kgi_val before = kgi_convert(b, KG_I32, op1(c, KGI_OP_clz, size));
  kgi_val small = op2(c, KGI_OP_sub, kgi_i32(b, wide ? -1010 : -117), before);
  kgi_val is_small = op2(c, KGI_OP_eq, biased, kgi_i32(b, 0)), is_zero = op2(c, KGI_OP_eq, size, bits_of(c, type, 0));
  kgi_val y = op3(c, KGI_OP_select, is_small, small, normal);
  return op3(c, KGI_OP_select, is_zero, kgi_i32(b, 0), y);
}

/* By ldexp, and not by bits, so that it has a derivative. */
static kgi_val code_significand(call *c, uint32_t i) {
  return op2(c, KGI_OP_ldexp, c->arg[0][i], op1(c, KGI_OP_neg, code_exponent(c, i)));
}

/* ---- determinants, by minors of the first column ---- */

typedef struct minor { const kgi_val *at; uint32_t size, rows, columns; } minor; /* bits: those that are left */

static uint32_t nth(uint32_t bits, uint32_t n) {
  for (uint32_t k = 0; k < 4; k++)
    if (bits >> k & 1 && n-- == 0) return k;
  return 0;
}

static kgi_val determinant(call *c, minor m, uint32_t left) {
  uint32_t column = nth(m.columns, 0);
  if (!left) return number(c, 1);
  if (left == 1) return m.at[column * m.size + nth(m.rows, 0)];
  kgi_val sum = {0};
  for (uint32_t k = 0; k < left; k++) {
    uint32_t row = nth(m.rows, k);
    minor inner = {m.at, m.size, m.rows & ~(1u << row), m.columns & ~(1u << column)};
    kgi_val term = op2(c, KGI_OP_mul, m.at[column * m.size + row], determinant(c, inner, left - 1));
    sum = k ? op2(c, k % 2 ? KGI_OP_sub : KGI_OP_add, sum, term) : term;
  }
  return sum;
}

static bool is_square(call *c, minor *m) {
  uint32_t n = c->leaves[0] == 4 ? 2 : c->leaves[0] == 9 ? 3 : c->leaves[0] == 16 ? 4 : 0;
  *m = (minor){c->arg[0], n, (1u << n) - 1, (1u << n) - 1};
  return n && kgi_im_fine(c->im);
}

static kgi_val code_determinant(call *c, uint32_t i) {
  minor m;
  (void)i;
  return is_square(c, &m) ? determinant(c, m, m.size) : (kgi_val){0};
}

/* The adjugate by the determinant: at column j and row r the minor without column r and row j. */
static kgi_val code_inverse(call *c, uint32_t i) {
  minor m;
  if (!is_square(c, &m) || c->outs != c->leaves[0]) return (kgi_val){0};
  uint32_t j = i / m.size, r = i % m.size;
  kgi_val whole = determinant(c, m, m.size);
  kgi_val part = determinant(c, (minor){m.at, m.size, m.rows & ~(1u << j), m.columns & ~(1u << r)}, m.size - 1);
  if ((j + r) % 2) part = op1(c, KGI_OP_neg, part);
  return op2(c, KGI_OP_div, part, whole);
}

/* ---- the table ---- */

static bool take(call *c) {
  c->count = c->x->args - 2;
  if (c->count > MOST) return kgi_im_malformed(c->im, c->x->at, "a function with too many operands");
  for (uint32_t k = 0; k < c->count && kgi_im_fine(c->im); k++) {
    c->arg[k] = kgi_im_value(c->im, c->x->arg[2 + k]);
    if (!kgi_im_fine(c->im)) return false;
    c->types[k] = kgi_im_type_of(c->im, c->x->arg[2 + k]);
    c->leaves[k] = c->im->leaves[c->types[k]];
  }
  c->outs = c->im->leaves[c->x->type];
  c->out = kgi_im_room(c->im, c->outs);
  return c->out && kgi_im_fine(c->im);
}

/* What a row's code may ask for: as many operands as it has, none with fewer leaves than the result unless it takes all at once. */
static bool enough(const call *c, uint32_t operands, bool whole) {
  bool fine = c->count == operands;
  for (uint32_t k = 0; k < operands && fine; k++) fine = c->leaves[k] && (whole || c->leaves[k] == c->outs);
  return fine;
}

static void run(call *c, code *each, uint32_t operands, bool whole) {
  if (!take(c)) return;
  if (!enough(c, operands, whole)) return (void)kgi_im_malformed(c->im, c->x->at, "operands that do not fit the function");
  for (uint32_t i = 0; i < c->outs && kgi_im_fine(c->im); i++) c->out[i] = each(c, i);
  for (uint32_t i = 0; i < c->outs && kgi_im_fine(c->im); i++)
    if (!c->out[i].i) return (void)kgi_im_refuse(c->im, c->x, "operands of this type are not supported");
  kgi_im_bind(c->im, c->x, c->out);
}

/* The type of the second result. */
static uint32_t second_type(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to) {
  if (to) return to->type;
  kgi_im_inst type = kgi_im_def(im, x->type);
  return type.op == SpvOpTypeStruct ? kgi_im_arg(im, &type, 1) : 0;
}

/* Two results, of which the second goes through a pointer, or both are one struct. */
static void run_parts(kgi_import *im, const kgi_im_inst *x, code *first, code *second, bool pointer) {
  call c = {.im = im, .x = x, .count = 1};
  c.arg[0] = kgi_im_value(im, kgi_im_arg(im, x, 2));
  const kgi_im_place *to = pointer ? kgi_im_pointer(im, kgi_im_arg(im, x, 3)) : NULL;
  uint32_t type = kgi_im_fine(im) ? second_type(im, x, to) : 0;
  if (!kgi_im_fine(im)) return;
  c.types[0] = kgi_im_type_of(im, x->arg[2]), c.leaves[0] = im->leaves[c.types[0]];
  c.scalar = kgi_im_scalar_of(im, c.types[0]);
  uint32_t count = c.leaves[0], outs = im->leaves[x->type] + (pointer ? count : 0);
  bool fits = type < im->bound && im->leaves[type] == count && outs == 2 * count && kgi_is_float(c.scalar.value);
  kgi_im_scalar to_type = kgi_im_scalar_of(im, fits ? type : c.types[0]);
  if (!fits || to_type.value == KG_NONE) return (void)kgi_im_malformed(im, x->at, "operands that do not fit the function");
  kgi_val *out = kgi_im_room(im, 2 * count);
  for (uint32_t i = 0; i < count && out && kgi_im_fine(im); i++) {
    kgi_val part = second(&c, i);
    if (!kgi_im_fine(im)) return;
    out[count + i] = kgi_convert(&im->b, to_type.value, part);
    out[i] = first(&c, i);
  }
  if (to) kgi_im_store(im, to, out ? out + count : NULL);
  kgi_im_bind(im, x, out);
}

/* An instruction whose operands are those behind the set and the number. */
static kgi_im_inst without_set(const kgi_im_inst *x) {
  kgi_im_inst same = *x;
  same.arg += 2, same.args -= 2;
  return same;
}

void kgi_im_glsl(kgi_import *im, const kgi_im_inst *x) {
  if (x->args < 2 || !im->leaves[x->type]) return (void)kgi_im_refuse(im, x, "its result is no value that an import takes");
  kgi_im_inst same = without_set(x);
  call c = {.im = im, .x = x, .which = (enum GLSLstd450)x->arg[1], .scalar = kgi_im_scalar_of(im, x->type)};
  switch ((unsigned)c.which) {
#define VALUE(name, op, as) \
  case GLSLstd450##name: kgi_im_apply(im, x, x->arg + 2, x->args - 2, KGI_OP_##op, KGI_IM_##as, false); return;
#define SAME(name, code) case GLSLstd450##name: kgi_im_own_##code(im, &same); return;
#define PARTS(name, first, second, pointer) \
  case GLSLstd450##name: run_parts(im, x, code_##first, code_##second, pointer); return;
#define CODE(name, code, operands, whole) case GLSLstd450##name: run(&c, code_##code, operands, whole); return;
#include "spirv/import/glsl.def"
  default: kgi_im_refuse(im, x, "its function is not among those that an import takes"); return;
  }
}
