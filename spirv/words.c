#include "spirv/words.h"
#include "foundation/ir/bits.h"
#include "foundation/base/set.h"

#include <kgrad/spirv.h>
#include <string.h>

/* What can be needed, with the extension that a capability has in SPIR-V 1.3, and the feature of a device that stands for it. */
static const struct capability {
  SpvCapability capability;
  const char *extension;
  uint32_t feature;
} capabilities[] = {
  {SpvCapabilityInt64, NULL, KG_FEATURE_INT64},
  {SpvCapabilityFloat64, NULL, KG_FEATURE_FLOAT64},
  {SpvCapabilityFloat16, NULL, KG_FEATURE_FLOAT16},
  {SpvCapabilityStorageBuffer8BitAccess, "SPV_KHR_8bit_storage", KG_FEATURE_STORAGE8},
  {SpvCapabilityStorageBuffer16BitAccess, NULL, KG_FEATURE_STORAGE16},
  {SpvCapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add", 0},
  {SpvCapabilityInt64Atomics, NULL, KG_FEATURE_ATOMIC_I64},
  {SpvCapabilitySignedZeroInfNanPreserve, "SPV_KHR_float_controls", KG_FEATURE_SIGNED_ZERO_INF_NAN},
  {SpvCapabilityGroupNonUniform, NULL, KG_FEATURE_SUBGROUP_BASIC},
  {SpvCapabilityGroupNonUniformVote, NULL, KG_FEATURE_SUBGROUP_VOTE},
  {SpvCapabilityGroupNonUniformArithmetic, NULL, KG_FEATURE_SUBGROUP_ARITHMETIC},
  {SpvCapabilityGroupNonUniformBallot, NULL, KG_FEATURE_SUBGROUP_BALLOT},
  {SpvCapabilityGroupNonUniformShuffle, NULL, KG_FEATURE_SUBGROUP_SHUFFLE},
  {SpvCapabilityGroupNonUniformShuffleRelative, NULL, KG_FEATURE_SUBGROUP_RELATIVE},
};
enum { CAPABILITIES = sizeof capabilities / sizeof *capabilities, GENERATOR = 0, HEADER_WORDS = 5 };

void kgi_spv_init(kgi_spv *s, kgi_arena *arena) {
  *s = (kgi_spv){.arena = arena, .next_id = 1, .unique_count = 1};
  s->glsl = kgi_spv_id(s);
  kgi_arena_grow(arena, &s->unique, 0, &s->unique_cap, sizeof *s->unique); /* entry 0 is none */
}

/* Room for `more` words; false once the arena has failed. */
static bool reserve(kgi_spv *s, kgi_words *w, uint32_t more) {
  if (s->arena->failed) return false;
  if (more <= w->cap - w->count) return true;
  uint64_t wanted = w->cap ? (uint64_t)w->cap * 2 : 64;
  while (wanted < (uint64_t)w->count + more) wanted *= 2;
  uint32_t *grown = wanted > UINT32_MAX / 2 ? NULL : kgi_arena_alloc(s->arena, (size_t)wanted, sizeof *grown);
  if (!grown) return s->arena->failed = true, false;
  if (w->count) memcpy(grown, w->at, w->count * sizeof *grown);
  w->at = grown;
  w->cap = (uint32_t)wanted;
  return true;
}

void kgi_words_push(kgi_spv *s, kgi_words *w, const uint32_t *words, uint32_t count) {
  if (!reserve(s, w, count)) return;
  if (count) memcpy(w->at + w->count, words, count * sizeof *words);
  w->count += count;
}

static void head(kgi_spv *s, kgi_words *w, SpvOp op, uint32_t length) {
  if (length > 0xFFFF) s->arena->failed = true; /* callers keep far below it */
  kgi_words_push(s, w, KGI_WORDS(length << 16 | (uint32_t)op));
}

void kgi_spv_into(kgi_spv *s, kgi_words *w, SpvOp op, const uint32_t *words, uint32_t count) {
  head(s, w, op, count + 1);
  kgi_words_push(s, w, words, count);
}

void kgi_spv_text(kgi_spv *s, kgi_words *w, SpvOp op, const uint32_t *before, uint32_t count, const char *text,
                  const uint32_t *after, uint32_t after_count) {
  size_t length = strlen(text);
  if (length > 0x10000) length = 0x10000; /* longer than an instruction may be */
  uint32_t words = (uint32_t)(length / 4 + 1);
  head(s, w, op, 1 + count + words + after_count);
  kgi_words_push(s, w, before, count);
  for (uint32_t i = 0; i < words; i++) {
    uint32_t word = 0;
    for (size_t k = 0; k < 4 && i * 4 + k < length; k++) word |= (uint32_t)(unsigned char)text[i * 4 + k] << (8 * k);
    kgi_words_push(s, w, &word, 1);
  }
  kgi_words_push(s, w, after, after_count);
}

/* Results lead with their type, but for types themselves. */
static uint32_t result(kgi_spv *s, kgi_words *w, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count) {
  uint32_t id = kgi_spv_id(s);
  head(s, w, op, count + (type ? 3 : 2));
  if (type) kgi_words_push(s, w, &type, 1);
  kgi_words_push(s, w, &id, 1);
  kgi_words_push(s, w, words, count);
  return id;
}

static bool is_float_arithmetic(SpvOp op) { return op == SpvOpFAdd || op == SpvOpFSub || op == SpvOpFMul || op == SpvOpFDiv; }

uint32_t kgi_spv_value(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count) {
  uint32_t id = result(s, s->code, op, type, words, count);
  if (is_float_arithmetic(op)) KGI_DECORATE(s, id, SpvDecorationNoContraction);
  return id;
}

uint32_t kgi_spv_global(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count) {
  return result(s, &s->globals, op, type, words, count);
}

uint32_t kgi_spv_glsl(kgi_spv *s, enum GLSLstd450 function, uint32_t type, const uint32_t *args, uint32_t count) {
  uint32_t words[8] = {s->glsl, (uint32_t)function};
  for (uint32_t i = 0; i < count && i < 6; i++) words[2 + i] = args[i];
  return kgi_spv_value(s, SpvOpExtInst, type, words, count + 2);
}

/* ---- what is made once ---- */

static uint64_t rehash(const void *owner, uint32_t index) {
  const kgi_spv *s = owner;
  return kgi_hash(s->keys.at + s->unique[index].key, s->unique[index].length * sizeof(uint32_t));
}

typedef struct query { const kgi_spv *s; const uint32_t *key; uint32_t length; } query;

static bool same(const void *context, uint32_t index) {
  const query *q = context;
  const kgi_unique *u = &q->s->unique[index];
  return u->length == q->length && !memcmp(q->s->keys.at + u->key, q->key, q->length * sizeof *q->key);
}

enum { LONGEST_KEY = 24 };

uint32_t kgi_spv_unique(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count) {
  uint32_t key[LONGEST_KEY] = {(uint32_t)op, type};
  if (count > LONGEST_KEY - 2) return kgi_spv_global(s, op, type, words, count);
  if (count) memcpy(key + 2, words, count * sizeof *words);
  query q = {s, key, count + 2};
  uint32_t found = kgi_set_find(&s->uniques, kgi_hash(key, q.length * sizeof *key), same, &q);
  if (found) return s->unique[found].id;
  uint32_t id = kgi_spv_global(s, op, type, words, count);
  if (!kgi_arena_grow(s->arena, &s->unique, s->unique_count, &s->unique_cap, sizeof *s->unique)) return id;
  s->unique[s->unique_count] = (kgi_unique){s->keys.count, q.length, id};
  kgi_words_push(s, &s->keys, key, q.length);
  if (!s->arena->failed) kgi_set_add(s->arena, &s->uniques, s->unique_count++, rehash, s);
  return id;
}

void kgi_spv_need(kgi_spv *s, SpvCapability capability) {
  for (unsigned i = 0; i < CAPABILITIES; i++) {
    if (capabilities[i].capability != capability) continue;
    s->capabilities |= UINT64_C(1) << i;
    s->features |= capabilities[i].feature;
  }
}

/* ---- types and constants ---- */

uint32_t kgi_spv_void(kgi_spv *s) { return kgi_spv_unique(s, SpvOpTypeVoid, 0, NULL, 0); }

uint32_t kgi_spv_type(kgi_spv *s, unsigned type) {
  unsigned bits = kgi_type_bits(type);
  switch (kgi_type_kind_of(type)) {
  case KGI_BOOL: return kgi_spv_unique(s, SpvOpTypeBool, 0, NULL, 0);
  case KGI_FLOAT:
    if (type == KG_BF16) return kgi_spv_type(s, KG_U16);
    if (bits == 64) kgi_spv_need(s, SpvCapabilityFloat64);
    if (bits == 16) kgi_spv_need(s, SpvCapabilityFloat16);
    return kgi_spv_unique(s, SpvOpTypeFloat, 0, KGI_WORDS(bits));
  case KGI_SINT: case KGI_UINT:
    if (bits == 64) kgi_spv_need(s, SpvCapabilityInt64);
    if (bits == 16) kgi_spv_need(s, SpvCapabilityStorageBuffer16BitAccess);
    if (bits == 8) kgi_spv_need(s, SpvCapabilityStorageBuffer8BitAccess);
    return kgi_spv_unique(s, SpvOpTypeInt, 0, KGI_WORDS(bits, kgi_type_kind_of(type) == KGI_SINT));
  case KGI_TYPE_NONE: break;
  }
  return kgi_spv_void(s);
}

uint32_t kgi_spv_pointer(kgi_spv *s, SpvStorageClass class, uint32_t type) {
  return kgi_spv_unique(s, SpvOpTypePointer, 0, KGI_WORDS((uint32_t)class, type));
}

uint32_t kgi_spv_vector(kgi_spv *s, unsigned type, unsigned count) {
  uint32_t element = kgi_spv_type(s, type);
  return kgi_spv_unique(s, SpvOpTypeVector, 0, KGI_WORDS(element, count));
}

static bool is_finite(unsigned type, uint64_t bits) {
  double value = kgi_is_float(type) ? kgi_bits_to_double((kg_type)type, bits) : 0;
  return value - value == 0;
}

static uint32_t cast_literal(kgi_spv *s, unsigned type, uint64_t bits) {
  uint64_t word = kgi_float_bits(KG_F32, kgi_bits_to_double((kg_type)type, bits));
  uint32_t number = kgi_spv_u32(s, (uint32_t)(type == KG_F32 ? bits : word)), single = kgi_spv_type(s, KG_F32);
  uint32_t narrow = KGI_VALUE(s, SpvOpBitcast, single, number);
  if (type == KG_F32) return narrow;
  uint32_t wide = kgi_spv_type(s, type);
  return KGI_VALUE(s, SpvOpFConvert, wide, narrow);
}

uint32_t kgi_spv_const(kgi_spv *s, unsigned type, uint64_t bits) {
  if (s->finite_literals && !is_finite(type, bits)) return cast_literal(s, type, bits);
  uint32_t id = kgi_spv_type(s, type);
  if (type == KG_BOOL) return kgi_spv_unique(s, bits ? SpvOpConstantTrue : SpvOpConstantFalse, id, NULL, 0);
  if (kgi_type_bits(type) == 64) return kgi_spv_unique(s, SpvOpConstant, id, KGI_WORDS((uint32_t)bits, (uint32_t)(bits >> 32)));
  return kgi_spv_unique(s, SpvOpConstant, id, KGI_WORDS((uint32_t)bits));
}

uint32_t kgi_spv_float(kgi_spv *s, unsigned type, double value) { return kgi_spv_const(s, type, kgi_float_bits((kg_type)type, value)); }

/* ---- control flow ---- */

void kgi_spv_label(kgi_spv *s, uint32_t id) {
  KGI_STMT(s, SpvOpLabel, id);
  s->label = id;
}

void kgi_spv_branch(kgi_spv *s, uint32_t target) {
  if (s->label) KGI_STMT(s, SpvOpBranch, target);
  s->label = 0;
}

void kgi_spv_branch_if(kgi_spv *s, uint32_t condition, uint32_t yes, uint32_t no) {
  KGI_STMT(s, SpvOpBranchConditional, condition, yes, no);
  s->label = 0;
}

void kgi_spv_close(kgi_spv *s, SpvOp op) {
  if (s->label) kgi_spv_into(s, s->code, op, NULL, 0);
  s->label = 0;
}

/* ---- the end ---- */

uint32_t kgi_spv_if(kgi_spv *s, uint32_t condition) {
  uint32_t yes = kgi_spv_id(s), merge = kgi_spv_id(s);
  KGI_STMT(s, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
  kgi_spv_branch_if(s, condition, yes, merge);
  kgi_spv_label(s, yes);
  return merge;
}

void kgi_spv_endif(kgi_spv *s, uint32_t merge) {
  kgi_spv_branch(s, merge);
  kgi_spv_label(s, merge);
}

static void preamble(kgi_spv *s, kgi_words *w) {
  kgi_spv_into(s, w, SpvOpCapability, KGI_WORDS(SpvCapabilityShader));
  for (unsigned i = 0; i < CAPABILITIES; i++)
    if (s->capabilities >> i & 1) kgi_spv_into(s, w, SpvOpCapability, KGI_WORDS((uint32_t)capabilities[i].capability));
  for (unsigned i = 0; i < CAPABILITIES; i++)
    if (s->capabilities >> i & 1 && capabilities[i].extension)
      kgi_spv_text(s, w, SpvOpExtension, NULL, 0, capabilities[i].extension, NULL, 0);
  kgi_spv_text(s, w, SpvOpExtInstImport, &s->glsl, 1, "GLSL.std.450", NULL, 0);
  kgi_spv_into(s, w, SpvOpMemoryModel, KGI_WORDS(SpvAddressingModelLogical, SpvMemoryModelGLSL450));
}

kg_status kgi_spv_finish(kgi_spv *s, const kg_allocator *alloc, uint32_t **words, size_t *count) {
  kgi_words front = {0};
  const uint32_t header[HEADER_WORDS] = {SpvMagicNumber, 0x00010300, GENERATOR, s->next_id, 0};
  kgi_words_push(s, &front, header, HEADER_WORDS);
  preamble(s, &front);
  if (s->arena->failed) return KG_NO_MEMORY;
  const kgi_words *sections[] = {&front, &s->entries, &s->modes, &s->debug, &s->decorations, &s->globals, &s->functions};
  size_t total = 0, at = 0;
  for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++) total += sections[i]->count;
  uint32_t *all = kgi_alloc(alloc, total * sizeof *all);
  if (!all) return KG_NO_MEMORY;
  for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++) {
    if (sections[i]->count) memcpy(all + at, sections[i]->at, sections[i]->count * sizeof *all);
    at += sections[i]->count;
  }
  *words = all, *count = total;
  return KG_OK;
}
