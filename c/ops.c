#include "c/ops.h"

#include <string.h>

/* ---- types ---- */

/* `name` is how functions of the type are called, `carried` how those of what carries it; `natural` is the type with its sign. */
typedef struct type_row { const char *lanes, *one, *name, *carried, *natural_lanes, *natural_one; } type_row;
static const type_row types[KGI_TYPE_COUNT] = {
  [KG_BOOL] = {"kg_mask", "bool", "bool", "bool", "", ""},
  [KG_I32] = {"kg_u32v", "uint32_t", "i32", "u32", "(kg_i32v)", "(int32_t)"},
  [KG_U32] = {"kg_u32v", "uint32_t", "u32", "u32", "", ""},
  [KG_I64] = {"kg_u64v", "uint64_t", "i64", "u64", "(kg_i64v)", "(int64_t)"},
  [KG_U64] = {"kg_u64v", "uint64_t", "u64", "u64", "", ""},
  [KG_F16] = {"kg_f32v", "float", "f16", "f32", "", ""},
  [KG_F32] = {"kg_f32v", "float", "f32", "f32", "", ""},
  [KG_F64] = {"kg_f64v", "double", "f64", "f64", "", ""},
};

const char *kgi_c_type(unsigned type, bool lanes) { return lanes ? types[type].lanes : types[type].one; }

/* ---- the forms ---- */

/* How an operation is written, by the kind of its leading operand; NULL: there is no such operation, or none of its own.
 *
 *   $a $b $c $d   operands
 *   $A $B         the same with their sign, where the type has one
 *   $t            the type's name, of f16 that of f32
 *   $u            the name of what carries it
 *   $h            the type's name
 *   @             kg_ or kg_one_, as it is over lanes or not
 *   [x|y]         x over lanes, y else
 *
 * ROUNDS: what the form gives for f16 is a float, to be rounded. ACROSS: there is no form of floats but over lanes. `wide` stands
 * in for the others over lanes of 64 bits: a comparison of vectors gives a mask as wide as they are. */
enum { ROUNDS = 1, ACROSS = 2 };
typedef struct form { const char *bools, *ints, *floats; unsigned flags; const char *wide; } form;

#define NUMBERS(text, flag) {.ints = text, .floats = text, .flags = flag}
#define FLOATS(text, flag) {.floats = text, .flags = flag}
#define INTS(text) {.ints = text}
#define COMPARISON(text, over_wide) {.ints = text, .floats = text, .wide = over_wide}

static const form forms[KGI_OP_COUNT] = {
  [KGI_OP_add] = NUMBERS("$a + $b", ROUNDS),
  [KGI_OP_sub] = NUMBERS("$a - $b", ROUNDS),
  [KGI_OP_mul] = NUMBERS("$a * $b", ROUNDS),
  [KGI_OP_div] = {.ints = "@div_$t($a, $b)", .floats = "$a / $b", .flags = ROUNDS},
  [KGI_OP_rem] = {.ints = "@rem_$t($a, $b)", .floats = "kg_rem_$t($a, $b)", .flags = ROUNDS | ACROSS},
  [KGI_OP_mod] = {.ints = "@mod_$t($a, $b)", .floats = "kg_mod_$t($a, $b)", .flags = ROUNDS | ACROSS},
  [KGI_OP_neg] = {.ints = "[-|0 - ]$a", .floats = "-$a"},
  [KGI_OP_abs] = NUMBERS("@abs_$t($a)", 0),
  [KGI_OP_abs_diff] = NUMBERS("@abs_diff_$t($a, $b)", ROUNDS),
  [KGI_OP_min] = NUMBERS("@min_$t($a, $b)", 0),
  [KGI_OP_max] = NUMBERS("@max_$t($a, $b)", 0),
  [KGI_OP_clamp] = NUMBERS("@min_$t(@max_$t($a, $b), $c)", 0),
  [KGI_OP_fma] = FLOATS("@fma_$h($a, $b, $c)", 0),
  [KGI_OP_mulz] = FLOATS("@mulz_$t($a, $b)", ROUNDS),
  [KGI_OP_mul_high] = INTS("@mul_high_$t($a, $b)"),
  [KGI_OP_saturating_add] = INTS("@saturating_add_$t($a, $b)"),
  [KGI_OP_saturating_sub] = INTS("@saturating_sub_$t($a, $b)"),
  [KGI_OP_sign] = NUMBERS("@sign_$t($a)", 0),

  [KGI_OP_floor] = FLOATS("@floor_$t($a)", 0),
  [KGI_OP_ceil] = FLOATS("@ceil_$t($a)", 0),
  [KGI_OP_trunc] = FLOATS("@trunc_$t($a)", 0),
  [KGI_OP_round] = FLOATS("@round_$t($a)", 0),
  [KGI_OP_fract] = FLOATS("$a - @floor_$t($a)", ROUNDS),
  [KGI_OP_sqrt] = FLOATS("@sqrt_$t($a)", ROUNDS),
  [KGI_OP_rsqrt] = FLOATS("1.0f / @sqrt_$t($a)", ROUNDS),

#define FUN1(name, ...) [KGI_OP_##name] = FLOATS("kg_" #name "_$t($a)", ROUNDS | ACROSS),
#define FUN2(name, ...) [KGI_OP_##name] = FLOATS("kg_" #name "_$t($a, $b)", ROUNDS | ACROSS),
#include "foundation/ir/ops.def"

  [KGI_OP_ldexp] = FLOATS("@ldexp_$h($a, $b)", 0),
  [KGI_OP_is_nan] = {.floats = "$a != $a", .wide = "~kg_eq_f64($a, $a)"},
  [KGI_OP_is_inf] = FLOATS("@is_inf_$t($a)", 0),

  [KGI_OP_and] = {.bools = "$a & $b", .ints = "$a & $b"},
  [KGI_OP_or] = {.bools = "$a | $b", .ints = "$a | $b"},
  [KGI_OP_xor] = {.bools = "$a ^ $b", .ints = "$a ^ $b"},
  [KGI_OP_not] = {.bools = "[~|!]$a", .ints = "~$a"},
  [KGI_OP_shl] = INTS("@shl_$u($a, $b)"),
  [KGI_OP_shr] = INTS("@shr_$t($a, $b)"),
  [KGI_OP_rotl] = INTS("@rotl_$u($a, $b)"),
  [KGI_OP_rotr] = INTS("@rotr_$u($a, $b)"),
  [KGI_OP_popcount] = INTS("@popcount_$u($a)"),
  [KGI_OP_clz] = INTS("@clz_$u($a)"),
  [KGI_OP_ctz] = INTS("@ctz_$u($a)"),
  [KGI_OP_reverse_bits] = INTS("@reverse_bits_$u($a)"),
  [KGI_OP_bit_extract] = INTS("@bit_extract_$t($a, $b, $c)"),
  [KGI_OP_bit_insert] = INTS("@bit_insert_$u($a, $b, $c, $d)"),

  [KGI_OP_eq] = {"[~($a ^ $b)|$a == $b]", "$a == $b", "$a == $b", 0, "kg_eq_$u($a, $b)"},
  [KGI_OP_ne] = {"$a ^ $b", "$a != $b", "$a != $b", 0, "~kg_eq_$u($a, $b)"},
  [KGI_OP_lt] = COMPARISON("$A < $B", "kg_lt_$t($a, $b)"),
  [KGI_OP_le] = COMPARISON("$A <= $B", "kg_le_$t($a, $b)"),
  [KGI_OP_gt] = COMPARISON("$A > $B", "kg_lt_$t($b, $a)"),
  [KGI_OP_ge] = COMPARISON("$A >= $B", "kg_le_$t($b, $a)"),
  [KGI_OP_select] = {.bools = "[kg_select_mask($a, $b, $c)|$a ? $b : $c]", .ints = "[kg_select_$u($a, $b, $c)|$a ? $b : $c]",
                     .floats = "[kg_select_$u($a, $b, $c)|$a ? $b : $c]"},

  [KGI_OP_pack_half_2x16] = FLOATS("@pack_half_2x16($a, $b)", 0),
  [KGI_OP_pack_unorm_2x16] = FLOATS("@pack_unorm_2x16($a, $b)", 0),
  [KGI_OP_pack_snorm_2x16] = FLOATS("@pack_snorm_2x16($a, $b)", 0),
  [KGI_OP_pack_unorm_4x8] = FLOATS("@pack_unorm_4x8($a, $b, $c, $d)", 0),
  [KGI_OP_pack_snorm_4x8] = FLOATS("@pack_snorm_4x8($a, $b, $c, $d)", 0),
  [KGI_OP_unpack_half_2x16] = INTS("@unpack_half_2x16($a, $b)"),
  [KGI_OP_unpack_unorm_2x16] = INTS("@unpack_unorm_2x16($a, $b)"),
  [KGI_OP_unpack_snorm_2x16] = INTS("@unpack_snorm_2x16($a, $b)"),
  [KGI_OP_unpack_unorm_4x8] = INTS("@unpack_unorm_4x8($a, $b)"),
  [KGI_OP_unpack_snorm_4x8] = INTS("@unpack_snorm_4x8($a, $b)"),

  [KGI_OP_stop_gradient] = {.bools = "$a", .ints = "$a", .floats = "$a"},
  [KGI_OP_with_partial] = FLOATS("$a", 0),
  [KGI_OP_flat_index] = INTS("@flat_index_$t($a, $b, $c)"),
};

/* ---- a form, filled in ---- */

typedef struct writer {
  kgi_c_text *text;
  const char *const *a;
  const type_row *type;
  bool lanes, half;
  size_t held;
  char at[256]; /* what is to be put yet: a form is a few characters at a time */
} writer;

static void flush(writer *w) {
  kgi_c_put(w->text, "%.*s", (int)w->held, w->at);
  w->held = 0;
}

static void put(writer *w, const char *string) {
  for (; *string; string++) {
    if (w->held == sizeof w->at) flush(w);
    w->at[w->held++] = *string;
  }
}

/* What stands for `$` and a letter. */
static void put_part(writer *w, char letter) {
  if (letter == 't' || letter == 'h') put(w, letter == 't' && w->half ? "f32" : w->type->name);
  else if (letter == 'u') put(w, w->type->carried);
  else if (letter >= 'a') put(w, w->a[letter - 'a']);
  else put(w, w->lanes ? w->type->natural_lanes : w->type->natural_one), put(w, w->a[letter - 'A']);
}

static void fill(writer *w, const char *form) {
  enum { OUTSIDE, OVER_LANES, OF_ONE } part = OUTSIDE;
  for (; *form; form++) {
    char c = *form;
    if (c == '[') part = OVER_LANES;
    else if (c == '|' && part == OVER_LANES) part = OF_ONE;
    else if (c == ']') part = OUTSIDE;
    else if (part == (w->lanes ? OF_ONE : OVER_LANES)) continue;
    else if (c == '$') put_part(w, *++form);
    else put(w, c == '@' ? (w->lanes ? "kg_" : "kg_one_") : (const char[]){c, 0});
  }
}

static bool is_wide(unsigned type, bool lanes) { return lanes && kgi_type_bits(type) == 64; }

static void write_form(kgi_c_text *text, const char *form, unsigned flags, unsigned operand, const char *const *a, bool lanes) {
  writer w = {.text = text, .a = a, .type = &types[operand], .lanes = lanes, .half = operand == KG_F16};
  bool rounds = flags & ROUNDS && w.half;
  if (rounds) put(&w, lanes ? "kg_round_f16(" : "kg_one_round_f16(");
  fill(&w, form);
  if (rounds) put(&w, ")");
  flush(&w);
}

/* ---- conversions ---- */

static const char *called(bool lanes) { return lanes ? "kg_" : "kg_one_"; }

/* By way of what carries the two. An integer that float rounds is past what f16 can be, so it rounds to f16 but once. */
static void convert(kgi_c_text *text, unsigned from, unsigned to, const char *const *a, bool lanes) {
  const type_row *f = &types[from], *t = &types[to];
  bool narrows = !kgi_is_float(from) && kgi_type_bits(from) == 64 && kgi_is_int(to), rounds = to == KG_F16 && from != KG_BOOL;
  const char *source = narrows || from == KG_F16 ? f->carried : f->name, *target = kgi_is_float(from) ? t->name : t->carried;
  if (to == from || !strcmp(f->carried, t->carried)) {
    write_form(text, "$a", to == KG_F16 && from != KG_F16 ? ROUNDS : 0, to, a, lanes);
    return;
  }
  if (to == KG_BOOL) {
    write_form(text, is_wide(from, lanes) ? "~kg_eq_$u($a, kg_splat_$u(0))" : "$a != 0", 0, from, a, lanes);
    return;
  }
  if (rounds && from != KG_F64) kgi_c_put(text, "%sround_f16(", called(lanes));
  kgi_c_put(text, "%s%s_to_%s(%s)", called(lanes), source, target, a[0]);
  if (rounds && from != KG_F64) kgi_c_put(text, ")");
}

static void cast_bits(kgi_c_text *text, unsigned from, unsigned to, const char *const *a, bool lanes) {
  const char *source = types[from].carried, *target = types[to].carried;
  if (!strcmp(source, target)) kgi_c_put(text, "%s", a[0]);
  else if (lanes) kgi_c_put(text, "(%s)%s", types[to].lanes, a[0]);
  else kgi_c_put(text, "kg_one_%s_as_%s(%s)", source, target, a[0]);
}

/* ---- what others see ---- */

bool kgi_c_op(kgi_c_text *text, kgi_op op, unsigned operand, unsigned result, const char *const *a, bool lanes) {
  const form *row = &forms[op];
  const char *form = operand == KG_BOOL ? row->bools : kgi_is_float(operand) ? row->floats : row->ints;
  if (form && row->wide && is_wide(operand, lanes)) form = row->wide;
  if (op == KGI_OP_convert) return convert(text, operand, result, a, lanes), true;
  if (op == KGI_OP_bitcast) return cast_bits(text, operand, result, a, lanes), true;
  if (!form || (!lanes && row->flags & ACROSS && kgi_is_float(operand))) return false;
  write_form(text, form, row->flags, operand, a, lanes);
  return true;
}
