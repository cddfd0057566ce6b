/* Elements in words of 32 bits: what the portable target makes of views, so that each binding has one variable, and of types that are
 * narrower. A view that has its binding for itself, and lies there as a plain buffer does, is one. */
#include "spirv/lower/gen.h"

static uint32_t size_of(const kgi_object *o) { return (uint32_t)kg_type_size((kg_type)o->type); }

static bool lies_plain(const kgi_emit *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  return !o->view || (!e->a->blocks.aliased[object] && !o->offset && !o->row && o->stride == size_of(o));
}

bool kgi_emit_is_flat(const kgi_emit *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  return e->params->portable && o->space == KGI_BUFFER && (!lies_plain(e, object) || size_of(o) < 4);
}

static uint32_t scaled(const gen *w, uint32_t index, uint32_t factor) {
  return factor == 1 ? index : mul(w, index, raw(w, factor));
}

/* Where the element lies, counted in `unit` bytes, which offset, stride and `every` are multiples of. */
static uint32_t place(const gen *w, const kgi_object *o, uint32_t index, uint32_t unit) {
  uint32_t stride = (o->view ? o->stride : size_of(o)) / unit, offset = o->view ? o->offset / unit : 0;
  if (o->row) {
    uint32_t length = raw(w, o->row), row = KGI_VALUE(w->s, SpvOpUDiv, w->t, index, length);
    uint32_t within = KGI_VALUE(w->s, SpvOpUMod, w->t, index, length), first = scaled(w, row, o->every / unit);
    index = add(w, first, scaled(w, within, stride));
  } else {
    index = scaled(w, index, stride);
  }
  return offset ? add(w, index, raw(w, offset)) : index;
}

static uint32_t word_at(const gen *w, uint32_t object, uint32_t word) {
  uint32_t pointer = kgi_spv_pointer(w->s, SpvStorageClassStorageBuffer, w->t), member = num(w, 0);
  return KGI_VALUE(w->s, SpvOpAccessChain, pointer, w->e->variable[object], member, word);
}

static uint32_t load_word(const gen *w, uint32_t object, uint32_t word) {
  return KGI_VALUE(w->s, SpvOpLoad, w->t, word_at(w, object, word));
}

uint32_t kgi_emit_flat_word(kgi_emit *e, uint32_t object, uint32_t index) {
  gen w = gen_of(e, KG_U32);
  return word_at(&w, object, place(&w, &e->p->scope.object[object], index, 4));
}

/* ---- two words ---- */

static uint32_t load_wide(const gen *w, uint32_t object, uint32_t index) {
  const kgi_object *o = &w->e->p->scope.object[object];
  gen g = gen_of(w->e, o->type);
  uint32_t first = place(w, o, index, 4), low = load_word(w, object, first), high = load_word(w, object, add(w, first, num(w, 1)));
  if (is_flt(&g)) {
    uint32_t pair = kgi_spv_vector(w->s, KG_U32, 2);
    return bits(&g, KGI_VALUE(w->s, SpvOpCompositeConstruct, pair, low, high));
  }
  gen u = gen_of(w->e, KG_U64);
  uint32_t whole = bor(&u, widened(&u, low), shl(&u, widened(&u, high), num(&u, 32)));
  return is_signed(&g) ? bits(&g, whole) : whole;
}

static void store_wide(const gen *w, uint32_t object, uint32_t index, uint32_t value) {
  const kgi_object *o = &w->e->p->scope.object[object];
  uint32_t low, high, first = place(w, o, index, 4);
  if (kgi_is_float(o->type)) {
    uint32_t pair = KGI_VALUE(w->s, SpvOpBitcast, kgi_spv_vector(w->s, KG_U32, 2), value);
    low = KGI_VALUE(w->s, SpvOpCompositeExtract, w->t, pair, 0);
    high = KGI_VALUE(w->s, SpvOpCompositeExtract, w->t, pair, 1);
  } else {
    gen u = gen_of(w->e, KG_U64);
    uint32_t whole = o->type == KG_I64 ? bits(&u, value) : value;
    low = widened(w, whole), high = widened(w, shr(&u, whole, num(&u, 32)));
  }
  KGI_STMT(w->s, SpvOpStore, word_at(w, object, first), low);
  KGI_STMT(w->s, SpvOpStore, word_at(w, object, add(w, first, num(w, 1))), high);
}

/* ---- a part of a word ---- */

/* The word, and the bit in it that the element begins at. */
static void find_part(const gen *w, uint32_t object, uint32_t index, uint32_t *word, uint32_t *bit) {
  const kgi_object *o = &w->e->p->scope.object[object];
  uint32_t size = size_of(o), at = place(w, o, index, size), in_word = 4 / size;
  *word = shr(w, at, num(w, size == 1 ? 2 : 1));
  *bit = mul(w, band(w, at, num(w, in_word - 1)), num(w, 8 * size));
}

static uint32_t half_value(const gen *w, uint32_t part) {
  gen half = gen_of(w->e, KG_F16);
  uint32_t pair = KGI_VALUE(w->s, SpvOpBitcast, kgi_spv_vector(w->s, KG_F16, 2), part);
  return KGI_VALUE(w->s, SpvOpCompositeExtract, half.t, pair, 0);
}

static uint32_t half_bits(const gen *w, uint32_t value) {
  gen half = gen_of(w->e, KG_F16);
  uint32_t zero = num(&half, 0), pair = kgi_spv_vector(w->s, KG_F16, 2);
  return bits(w, KGI_VALUE(w->s, SpvOpCompositeConstruct, pair, value, zero));
}

static uint32_t load_part(const gen *w, uint32_t object, uint32_t index) {
  unsigned type = w->e->p->scope.object[object].type, width = kgi_type_bits(type);
  uint32_t word, bit;
  find_part(w, object, index, &word, &bit);
  uint32_t all = load_word(w, object, word), rest = num(w, 32 - width);
  uint32_t top = shl(w, all, sub(w, rest, bit)); /* the element's bits are the highest */
  gen floats = gen_of(w->e, KG_F32), i = gen_of(w->e, KG_I32);
  if (type == KG_BF16) return bits(&floats, band(w, top, raw(w, 0xFFFF0000)));
  if (type == KG_F16) return half_value(w, shr(w, top, rest));
  return kgi_type_kind_of(type) == KGI_SINT ? sar(&i, bits(&i, top), rest) : shr(w, top, rest);
}

/* The rest of the word may be another invocation's at the same time. */
static void store_part(const gen *w, uint32_t object, uint32_t index, uint32_t value) {
  unsigned type = w->e->p->scope.object[object].type;
  uint32_t word, bit, mask = raw(w, (UINT64_C(1) << kgi_type_bits(type)) - 1);
  find_part(w, object, index, &word, &bit);
  if (type == KG_BF16) value = kgi_emit_bf16_bits(w->e, value);
  else if (type == KG_F16) value = half_bits(w, value);
  else if (kgi_type_kind_of(type) == KGI_SINT) value = bits(w, value);
  uint32_t kept = bnot(w, shl(w, mask, bit)), part = shl(w, band(w, value, mask), bit);
  uint32_t at = word_at(w, object, word), device = num(w, SpvScopeDevice), relaxed = num(w, 0);
  KGI_VALUE(w->s, SpvOpAtomicAnd, w->t, at, device, relaxed, kept);
  KGI_VALUE(w->s, SpvOpAtomicOr, w->t, at, device, relaxed, part);
}

/* ---- either ---- */

bool kgi_emit_in_one_word(const kgi_emit *e, uint32_t object) { return size_of(&e->p->scope.object[object]) == 4; }

uint32_t kgi_emit_flat_load(kgi_emit *e, uint32_t object, uint32_t index) {
  gen w = gen_of(e, KG_U32);
  return size_of(&e->p->scope.object[object]) == 8 ? load_wide(&w, object, index) : load_part(&w, object, index);
}

void kgi_emit_flat_store(kgi_emit *e, uint32_t object, uint32_t index, uint32_t value) {
  gen w = gen_of(e, KG_U32);
  if (size_of(&e->p->scope.object[object]) == 8) store_wide(&w, object, index, value);
  else store_part(&w, object, index, value);
}
