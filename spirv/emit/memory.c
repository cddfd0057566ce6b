/* Memory: objects, loads, stores and atomics, with the bounds checks that cannot be proved away. */
#include "spirv/emit.h"

#include "foundation/ir/place.h"

static bool is_buffer(const kgi_object *o) { return o->space == KGI_BUFFER; }

static SpvStorageClass class_of(const kgi_object *o) {
  if (is_buffer(o)) return SpvStorageClassStorageBuffer;
  return o->space == KGI_SHARED ? SpvStorageClassWorkgroup : SpvStorageClassFunction;
}

/* How an element lies in memory: floats whose atomics are lowered to compare-and-swap lie as unsigned integers. In shared memory
 * and vars the narrow types take the room of the type that they compute in. */
unsigned kgi_emit_memory_type(const kgi_emit *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  unsigned type = is_buffer(o) ? o->type : kgi_type_value(o->type);
  if (!e->swapped[object]) return type;
  return kgi_type_bits(type) == 64 ? KG_U64 : KG_U32;
}

static bool is_native(const kgi_emit *e, const kgi_object *o, kgi_atomic op) {
  kg_feature feature = is_buffer(o) ? KG_FEATURE_ATOMIC_ADD_F32_BUFFER : KG_FEATURE_ATOMIC_ADD_F32_SHARED;
  return op == KGI_ATOMIC_add && o->type == KG_F32 && kgi_emit_may(e, feature);
}

void kgi_emit_find_swapped(kgi_emit *e) {
  for (uint32_t i = 1; i < e->p->scope.object_count; i++) {
    e->flat[i] = kgi_emit_is_flat(e, i);
    e->swapped[i] = e->flat[i] && kgi_emit_in_one_word(e, i) && e->p->scope.object[i].type != KG_U32;
  }
  for (uint32_t i = 1; i < e->p->inst_count; i++) {
    const kgi_inst *inst = &e->p->inst[i];
    if (inst->kind != KGI_atomic || !inst->block) continue;
    const kgi_object *o = &e->p->scope.object[inst->arg[0]];
    if (kgi_is_float(o->type) && !is_native(e, o, (kgi_atomic)inst->op)) e->swapped[inst->arg[0]] = true;
  }
}

void kgi_emit_object(kgi_emit *e, uint32_t object) {
  kgi_spv *s = &e->s;
  const kgi_object *o = &e->p->scope.object[object];
  uint32_t type = kgi_spv_type(s, kgi_emit_memory_type(e, object));
  if (!o->scalar) type = kgi_spv_unique(s, SpvOpTypeArray, 0, KGI_WORDS(type, kgi_emit_dim(e, o->length)));
  if (o->space == KGI_VAR) {
    e->variable[object] = kgi_emit_local(e, type);
  } else {
    uint32_t pointer = kgi_spv_pointer(s, SpvStorageClassWorkgroup, type);
    e->variable[object] = kgi_spv_global(s, SpvOpVariable, pointer, KGI_WORDS(SpvStorageClassWorkgroup));
  }
  kgi_emit_name(e, e->variable[object], kgi_string(e->m, o->name));
}

/* ---- bounds ---- */

static bool literal(const kgi_inst *inst, uint64_t *out) {
  if (inst->kind != KGI_literal || !kgi_is_int(inst->type)) return false;
  *out = (uint64_t)kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst));
  return true;
}

/* The object's length as a number, where it is one for good. */
static bool fixed_length(const kgi_emit *e, uint32_t object, uint64_t *out) {
  const kgi_object *o = &e->p->scope.object[object];
  int64_t value;
  if (o->scalar) return *out = 1, true;
  if (!o->length.i || kgi_dim_uses_spec(&e->p->scope, o->length, 0)) return false;
  if (kgi_dim_eval(&e->p->scope, o->length, &(kgi_dim_env){0}, &value) != KGI_DIM_OK || value < 0) return false;
  return *out = (uint64_t)value, true;
}

static bool is_length(const kgi_emit *e, const kgi_inst *bound, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  const kgi_dim_node *n = &e->p->scope.dim[o->length.i];
  if (bound->kind == KGI_len && bound->arg[1]) return false; /* of one dimension */
  if (bound->kind == KGI_len && bound->arg[0] == object) return true;
  if (bound->kind == KGI_len && o->length.i) return e->p->scope.object[bound->arg[0]].length.i == o->length.i;
  if (bound->type != KG_U32) return false;
  if (bound->kind == KGI_param) return n->op == KGI_DIM_PARAM && n->a == bound->arg[0];
  return bound->kind == KGI_spec && n->op == KGI_DIM_SPEC && n->a == bound->arg[0];
}

/* Whether a guard or a loop's bound says that the index is within the object. */
static bool proved(const kgi_emit *e, uint32_t object, uint32_t index) {
  uint64_t length = 0, bound;
  bool fixed = fixed_length(e, object, &length);
  if (literal(&e->p->inst[index], &bound)) return fixed && bound < length;
  for (uint32_t i = 0; i < e->fact_count; i++) {
    if (e->fact[i].value != index) continue;
    const kgi_inst *limit = &e->p->inst[e->fact[i].bound];
    if (is_length(e, limit, object)) return true;
    if (fixed && literal(limit, &bound) && bound <= length) return true;
  }
  return false;
}

/* The index as a u32, and whether it is in range: 0 where that is proved. Negative ones are huge as unsigned numbers. */
static uint32_t checked_index(kgi_emit *e, uint32_t object, uint32_t index, bool sure, uint32_t *inside) {
  kgi_spv *s = &e->s;
  kgi_digits place;
  unsigned type = e->p->inst[index].type;
  uint32_t value = kgi_emit_value(e, index), u32 = kgi_spv_type(s, KG_U32), boolean = kgi_spv_type(s, KG_BOOL);
  bool wide = kgi_type_bits(type) == 64;
  *inside = 0;
  if (kgi_place_read(e->p, object, index, &place)) return *inside = sure ? 0 : e->place[index].inside, e->place[index].index;
  sure |= proved(e, object, index);
  if (type == KG_I64) value = KGI_VALUE(s, SpvOpBitcast, kgi_spv_type(s, KG_U64), value);
  if (type == KG_I32) value = KGI_VALUE(s, SpvOpBitcast, u32, value);
  uint32_t length = sure ? 0 : kgi_emit_length(e, object);
  if (wide && !sure) length = KGI_VALUE(s, SpvOpUConvert, kgi_spv_type(s, KG_U64), length);
  if (!sure) *inside = KGI_VALUE(s, SpvOpULessThan, boolean, value, length);
  return wide ? KGI_VALUE(s, SpvOpUConvert, u32, value) : value;
}

static uint32_t element_of_row(kgi_emit *e, uint32_t object, uint32_t pointer, uint32_t index) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32), length = kgi_spv_u32(s, e->p->scope.object[object].row), member = kgi_spv_u32(s, 0);
  uint32_t row = KGI_VALUE(s, SpvOpUDiv, u32, index, length);
  uint32_t within = KGI_VALUE(s, SpvOpUMod, u32, index, length);
  return KGI_VALUE(s, SpvOpAccessChain, pointer, e->variable[object], member, row, within);
}

static uint32_t element(kgi_emit *e, uint32_t object, uint32_t index) {
  kgi_spv *s = &e->s;
  const kgi_object *o = &e->p->scope.object[object];
  if (e->flat[object]) return kgi_emit_flat_word(e, object, index);
  uint32_t pointer = kgi_spv_pointer(s, class_of(o), kgi_spv_type(s, kgi_emit_memory_type(e, object)));
  if (is_buffer(o) && o->row) return element_of_row(e, object, pointer, index);
  if (is_buffer(o)) return KGI_VALUE(s, SpvOpAccessChain, pointer, e->variable[object], kgi_spv_u32(s, 0), index);
  if (o->scalar) return e->variable[object];
  return KGI_VALUE(s, SpvOpAccessChain, pointer, e->variable[object], index);
}

/* The element's index, and whether it may be used (0: always). Where `clamp` is set it may be used in any case. */
static uint32_t access(kgi_emit *e, const kgi_inst *inst, bool clamp, uint32_t *inside) {
  kgi_spv *s = &e->s;
  uint32_t object = inst->arg[0], zero = kgi_spv_u32(s, 0);
  *inside = 0;
  if (!inst->arg[1]) return zero;
  bool sure = e->within && e->within[inst - e->p->inst];
  uint32_t index = checked_index(e, object, inst->arg[1], sure, inside);
  return clamp && *inside ? KGI_VALUE(s, SpvOpSelect, kgi_spv_type(s, KG_U32), *inside, index, zero) : index;
}

/* ---- elements to values and back ---- */

static uint32_t bf16_to_f32(kgi_emit *e, uint32_t half) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32);
  uint32_t wide = KGI_VALUE(s, SpvOpUConvert, u32, half);
  uint32_t bits = KGI_VALUE(s, SpvOpShiftLeftLogical, u32, wide, kgi_spv_u32(s, 16));
  return KGI_VALUE(s, SpvOpBitcast, kgi_spv_type(s, KG_F32), bits);
}

/* The upper half of the bits, rounded to nearest even; a NaN stays one. */
uint32_t kgi_emit_bf16_bits(kgi_emit *e, uint32_t value) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32), sixteen = kgi_spv_u32(s, 16);
  uint32_t bits = KGI_VALUE(s, SpvOpBitcast, u32, value);
  uint32_t high = KGI_VALUE(s, SpvOpShiftRightLogical, u32, bits, sixteen);
  uint32_t odd = KGI_VALUE(s, SpvOpBitwiseAnd, u32, high, kgi_spv_u32(s, 1));
  uint32_t up = KGI_VALUE(s, SpvOpIAdd, u32, KGI_VALUE(s, SpvOpIAdd, u32, bits, kgi_spv_u32(s, 0x7FFF)), odd);
  uint32_t rounded = KGI_VALUE(s, SpvOpShiftRightLogical, u32, up, sixteen);
  uint32_t magnitude = KGI_VALUE(s, SpvOpBitwiseAnd, u32, bits, kgi_spv_u32(s, 0x7FFFFFFF));
  uint32_t inf = kgi_spv_u32(s, 0x7F800000), nan = KGI_VALUE(s, SpvOpUGreaterThan, kgi_spv_type(s, KG_BOOL), magnitude, inf);
  uint32_t quiet = KGI_VALUE(s, SpvOpBitwiseOr, u32, high, kgi_spv_u32(s, 0x40));
  return KGI_VALUE(s, SpvOpSelect, u32, nan, quiet, rounded);
}

static uint32_t from_memory(kgi_emit *e, uint32_t object, uint32_t raw) {
  kgi_spv *s = &e->s;
  const kgi_object *o = &e->p->scope.object[object];
  unsigned type = o->type, value = kgi_type_value(type);
  if (e->swapped[object]) return KGI_VALUE(s, SpvOpBitcast, kgi_spv_type(s, value), raw);
  if (!is_buffer(o) || type == value) return raw;
  if (type == KG_BF16) return bf16_to_f32(e, raw);
  return KGI_VALUE(s, kgi_type_kind_of(type) == KGI_SINT ? SpvOpSConvert : SpvOpUConvert, kgi_spv_type(s, value), raw);
}

/* Outside of buffers narrow elements lie wide, and are cut to what the narrow type holds. */
static uint32_t narrowed(kgi_emit *e, unsigned type, uint32_t value) {
  kgi_spv *s = &e->s;
  uint32_t shift = kgi_spv_u32(s, 32 - kgi_type_bits(type)), t = kgi_spv_type(s, kgi_type_value(type));
  if (type == KG_BF16) {
    uint32_t u32 = kgi_spv_type(s, KG_U32);
    return KGI_VALUE(s, SpvOpBitcast, t, KGI_VALUE(s, SpvOpShiftLeftLogical, u32, kgi_emit_bf16_bits(e, value), shift));
  }
  uint32_t up = KGI_VALUE(s, SpvOpShiftLeftLogical, t, value, shift);
  return KGI_VALUE(s, kgi_type_kind_of(type) == KGI_SINT ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical, t, up, shift);
}

static uint32_t to_memory(kgi_emit *e, uint32_t object, uint32_t value) {
  kgi_spv *s = &e->s;
  const kgi_object *o = &e->p->scope.object[object];
  unsigned type = o->type;
  if (e->swapped[object]) return KGI_VALUE(s, SpvOpBitcast, kgi_spv_type(s, kgi_emit_memory_type(e, object)), value);
  if (type == kgi_type_value(type)) return value;
  if (!is_buffer(o)) return narrowed(e, type, value);
  if (type == KG_BF16) value = kgi_emit_bf16_bits(e, value);
  bool sign = kgi_type_kind_of(type) == KGI_SINT;
  return KGI_VALUE(s, sign ? SpvOpSConvert : SpvOpUConvert, kgi_spv_type(s, type), value);
}

/* ---- loads and stores ---- */

static bool by_flat(const kgi_emit *e, uint32_t object) { return e->flat[object] && !kgi_emit_in_one_word(e, object); }

static uint32_t load(kgi_emit *e, uint32_t object, uint32_t index) {
  if (by_flat(e, object)) return kgi_emit_flat_load(e, object, index);
  uint32_t pointer = element(e, object, index);
  return from_memory(e, object, KGI_VALUE(&e->s, SpvOpLoad, kgi_spv_type(&e->s, kgi_emit_memory_type(e, object)), pointer));
}

uint32_t kgi_emit_load(kgi_emit *e, const kgi_inst *inst) {
  kgi_spv *s = &e->s;
  uint32_t inside, index = access(e, inst, true, &inside), value = load(e, inst->arg[0], index);
  if (!inside) return value;
  uint32_t zero = kgi_spv_const(s, inst->type, 0);
  return KGI_VALUE(s, SpvOpSelect, kgi_spv_type(s, inst->type), inside, value, zero);
}

void kgi_emit_store(kgi_emit *e, const kgi_inst *inst) {
  kgi_spv *s = &e->s;
  uint32_t object = inst->arg[0], inside, index = access(e, inst, false, &inside);
  bool flat = by_flat(e, object);
  uint32_t at = inside || flat ? 0 : element(e, object, index), value = kgi_emit_value(e, inst->arg[2]);
  uint32_t merge = inside ? kgi_spv_if(&e->s, inside) : 0;
  if (inside && !flat) at = element(e, object, index);
  if (flat) kgi_emit_flat_store(e, object, index, value);
  else KGI_STMT(s, SpvOpStore, at, to_memory(e, object, value));
  if (inside) kgi_spv_endif(&e->s, merge);
}

/* ---- atomics: relaxed, of all invocations that can reach the object ---- */

typedef struct atomic { kgi_emit *e; const kgi_inst *inst; uint32_t index, pointer, scope, relaxed, memory, type; } atomic;

static SpvOp integer_atomic(kgi_atomic op, bool sign) {
  switch (op) {
  case KGI_ATOMIC_add: return SpvOpAtomicIAdd;
  case KGI_ATOMIC_min: return sign ? SpvOpAtomicSMin : SpvOpAtomicUMin;
  case KGI_ATOMIC_max: return sign ? SpvOpAtomicSMax : SpvOpAtomicUMax;
  case KGI_ATOMIC_and: return SpvOpAtomicAnd;
  case KGI_ATOMIC_or: return SpvOpAtomicOr;
  case KGI_ATOMIC_xor: return SpvOpAtomicXor;
  case KGI_ATOMIC_exchange: return SpvOpAtomicExchange;
  case KGI_ATOMIC_compare_exchange: case KGI_ATOMIC_load: case KGI_ATOMIC_store: case KGI_ATOMIC_COUNT: break;
  }
  return SpvOpNop;
}

/* What one compare-and-swap writes over `old`. */
static uint32_t updated(const atomic *a, uint32_t old) {
  kgi_spv *s = &a->e->s;
  uint32_t value = kgi_emit_value(a->e, a->inst->arg[2]), type = kgi_spv_type(s, a->inst->type);
  uint32_t before = KGI_VALUE(s, SpvOpBitcast, type, old), after = value;
  bool real = kgi_is_float(a->type);
  if (a->inst->op == KGI_ATOMIC_add) after = KGI_VALUE(s, SpvOpFAdd, type, before, value);
  if (a->inst->op == KGI_ATOMIC_min) after = real ? KGI_GLSL(s, NMin, type, before, value) : KGI_GLSL(s, SMin, type, before, value);
  if (a->inst->op == KGI_ATOMIC_max) after = real ? KGI_GLSL(s, NMax, type, before, value) : KGI_GLSL(s, SMax, type, before, value);
  return KGI_VALUE(s, SpvOpBitcast, a->memory, after);
}

/* Pointers are made in the block that uses them: SPIRV-Cross takes none from another into HLSL. What is expected, and in the end was seen, goes
 * around the loop in a variable: Naga takes no value there, and lavapipe (Mesa 22.3) goes on computing the values of a loop for
 * invocations that have left it, so that behind the loop those of its last trip are found. */
static uint32_t compare_and_swap(const atomic *a) {
  kgi_spv *s = &a->e->s;
  uint32_t header = kgi_spv_id(s), body = kgi_spv_id(s), next = kgi_spv_id(s), merge = kgi_spv_id(s);
  uint32_t expected = kgi_emit_local(a->e, a->memory), first = element(a->e, a->inst->arg[0], a->index);
  KGI_STMT(s, SpvOpStore, expected, KGI_VALUE(s, SpvOpAtomicLoad, a->memory, first, a->scope, a->relaxed));
  kgi_spv_branch(s, header);
  kgi_spv_label(s, header);
  KGI_STMT(s, SpvOpLoopMerge, merge, next, SpvLoopControlMaskNone);
  kgi_spv_branch(s, body);
  kgi_spv_label(s, body);
  uint32_t pointer = element(a->e, a->inst->arg[0], a->index);
  uint32_t old = KGI_VALUE(s, SpvOpLoad, a->memory, expected), wanted = updated(a, old);
  uint32_t seen = KGI_VALUE(s, SpvOpAtomicCompareExchange, a->memory, pointer, a->scope, a->relaxed, a->relaxed, wanted, old);
  kgi_spv_branch_if(s, KGI_VALUE(s, SpvOpIEqual, kgi_spv_type(s, KG_BOOL), seen, old), merge, next);
  kgi_spv_label(s, next);
  KGI_STMT(s, SpvOpStore, expected, seen);
  kgi_spv_branch(s, header);
  kgi_spv_label(s, merge);
  return KGI_VALUE(s, SpvOpLoad, a->memory, expected);
}

/* What words have no operation for. */
static bool by_swap(const kgi_emit *e, const kgi_inst *inst) {
  kgi_atomic op = (kgi_atomic)inst->op;
  bool sum = op == KGI_ATOMIC_add && kgi_is_float(e->p->scope.object[inst->arg[0]].type);
  return e->swapped[inst->arg[0]] && (sum || op == KGI_ATOMIC_min || op == KGI_ATOMIC_max);
}

static uint32_t exchange_where_equal(const atomic *a, uint32_t expected) {
  uint32_t wanted = kgi_emit_value(a->e, a->inst->arg[3]), object = a->inst->arg[0];
  if (a->e->swapped[object]) wanted = to_memory(a->e, object, wanted);
  return KGI_VALUE(&a->e->s, SpvOpAtomicCompareExchange, a->memory, a->pointer, a->scope, a->relaxed, a->relaxed, wanted, expected);
}

static uint32_t modify(const atomic *a, kgi_atomic op, uint32_t operand) {
  SpvOp code = kgi_is_float(a->type) ? SpvOpAtomicFAddEXT : integer_atomic(op, kgi_type_kind_of(a->type) == KGI_SINT);
  return KGI_VALUE(&a->e->s, code, a->memory, a->pointer, a->scope, a->relaxed, operand);
}

static uint32_t apply(const atomic *a) {
  kgi_spv *s = &a->e->s;
  kgi_atomic op = (kgi_atomic)a->inst->op;
  uint32_t object = a->inst->arg[0], operand = a->inst->arg[2] ? kgi_emit_value(a->e, a->inst->arg[2]) : 0;
  bool swapped = a->e->swapped[object];
  if (op == KGI_ATOMIC_load)
    return from_memory(a->e, object, KGI_VALUE(s, SpvOpAtomicLoad, a->memory, a->pointer, a->scope, a->relaxed));
  if (op == KGI_ATOMIC_store)
    return KGI_STMT(s, SpvOpAtomicStore, a->pointer, a->scope, a->relaxed, to_memory(a->e, object, operand)), 0;
  if (op == KGI_ATOMIC_exchange && swapped) {
    uint32_t bits = to_memory(a->e, object, operand);
    return from_memory(a->e, object, KGI_VALUE(s, SpvOpAtomicExchange, a->memory, a->pointer, a->scope, a->relaxed, bits));
  }
  if (by_swap(a->e, a->inst)) return from_memory(a->e, object, compare_and_swap(a));
  if (swapped) operand = to_memory(a->e, object, operand);
  uint32_t old = op == KGI_ATOMIC_compare_exchange ? exchange_where_equal(a, operand) : modify(a, op, operand);
  return swapped ? from_memory(a->e, object, old) : old;
}

/* What this object's atomics need of the device. */
static bool allowed(kgi_emit *e, uint32_t index) {
  const kgi_inst *inst = &e->p->inst[index];
  const kgi_object *o = &e->p->scope.object[inst->arg[0]];
  if (o->type == KG_F16) {
    KGI_DIAG(e->diags, spirv_atomic, e->p->inst_pos[index], kgi_string(e->m, o->name));
    return kgi_emit_refuse(e, KG_REFUSED), false;
  }
  if (kgi_type_bits(o->type) == 64 && e->flat[inst->arg[0]]) {
    KGI_DIAG(e->diags, spirv_flat_atomic, e->p->inst_pos[index], kgi_string(e->m, o->name));
    return kgi_emit_refuse(e, KG_REFUSED), false;
  }
  if (kgi_type_bits(o->type) == 64) {
    if (!kgi_emit_feature(e, KG_FEATURE_ATOMIC_I64, "a 64-bit atomic", e->p->inst_pos[index])) return false;
    kgi_spv_need(&e->s, SpvCapabilityInt64Atomics);
  }
  if (o->type == KG_F32 && !e->swapped[inst->arg[0]]) {
    kgi_spv_need(&e->s, SpvCapabilityAtomicFloat32AddEXT);
    e->s.features |= is_buffer(o) ? KG_FEATURE_ATOMIC_ADD_F32_BUFFER : KG_FEATURE_ATOMIC_ADD_F32_SHARED;
  }
  return true;
}

uint32_t kgi_emit_atomic(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  const kgi_inst *inst = &e->p->inst[index];
  if (!allowed(e, index)) return 0;
  const kgi_object *o = &e->p->scope.object[inst->arg[0]];
  uint32_t object = inst->arg[0], inside, place = access(e, inst, false, &inside);
  bool loop = by_swap(e, inst);
  uint32_t at = inside || loop ? 0 : element(e, object, place), before = s->label, result = 0;
  uint32_t merge = inside ? kgi_spv_if(&e->s, inside) : 0;
  atomic a = {.e = e, .inst = inst, .index = place, .type = o->type, .memory = kgi_spv_type(s, kgi_emit_memory_type(e, object))};
  a.pointer = inside && !loop ? element(e, object, place) : at;
  a.scope = kgi_spv_u32(s, is_buffer(o) ? SpvScopeDevice : SpvScopeWorkgroup);
  a.relaxed = kgi_spv_u32(s, 0);
  result = apply(&a);
  if (!inside) return result;
  uint32_t last = s->label;
  kgi_spv_endif(&e->s, merge);
  if (!inst->type) return 0;
  uint32_t zero = kgi_spv_const(s, inst->type, 0);
  return KGI_VALUE(s, SpvOpPhi, kgi_spv_type(s, inst->type), result, last, zero, before);
}
