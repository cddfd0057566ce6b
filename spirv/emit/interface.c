/* What a program shares with its host: buffers, params, lengths, ids, constants and the status buffer (doc/abi.md). */
#include "spirv/emit.h"

#include "foundation/ir/dim.h"

#include <stdio.h>

/* ---- buffers ---- */

typedef struct spaced { uint32_t offset, stride, row, every; } spaced; /* elements of a view; row 0: there are no rows */

/* A view's rows are arrays in the array. */
static uint32_t array_of(kgi_emit *e, unsigned type, spaced at) {
  kgi_spv *s = &e->s;
  uint32_t element = kgi_spv_type(s, type);
  if (at.row) {
    element = kgi_spv_global(s, SpvOpTypeArray, 0, KGI_WORDS(element, kgi_spv_u32(s, at.row)));
    KGI_DECORATE(s, element, SpvDecorationArrayStride, at.stride);
  }
  uint32_t array = kgi_spv_global(s, SpvOpTypeRuntimeArray, 0, KGI_WORDS(element));
  KGI_DECORATE(s, array, SpvDecorationArrayStride, at.row ? at.every : at.stride);
  return array;
}

static uint32_t struct_of(kgi_emit *e, unsigned type, spaced at, const char *what) {
  kgi_spv *s = &e->s;
  uint32_t array = array_of(e, type, at);
  uint32_t block = kgi_spv_global(s, SpvOpTypeStruct, 0, KGI_WORDS(array));
  KGI_DECORATE(s, block, SpvDecorationBlock);
  kgi_spv_into(s, &s->decorations, SpvOpMemberDecorate, KGI_WORDS(block, 0, SpvDecorationOffset, at.offset));
  kgi_emit_type_name(e, block, what, "buffer");
  kgi_emit_member_name(e, block, 0, "", "at");
  return block;
}

static uint32_t bound_variable(kgi_emit *e, SpvStorageClass class, uint32_t type, kgi_abi_place place) {
  kgi_spv *s = &e->s;
  uint32_t id = kgi_spv_global(s, SpvOpVariable, kgi_spv_pointer(s, class, type), KGI_WORDS((uint32_t)class));
  KGI_DECORATE(s, id, SpvDecorationDescriptorSet, place.set);
  KGI_DECORATE(s, id, SpvDecorationBinding, place.binding);
  return id;
}

static bool buffer_features(kgi_emit *e, const kgi_object *o) {
  const char *what = kg_type_name((kg_type)o->type);
  unsigned bits = kgi_type_bits(o->type);
  if (bits == 8) return kgi_emit_feature(e, KG_FEATURE_STORAGE8, what, o->pos);
  if (bits == 16) return kgi_emit_feature(e, KG_FEATURE_STORAGE16, what, o->pos);
  return true;
}

/* Buffers of one element type share theirs; with names each has its own, for in source a type's name is also the block's. What is
 * written shares none with what is not: NVIDIA's driver 580 takes NonWritable of one variable for all of its type, and a load may then
 * miss the store before it (doc/devices.md). */
static uint32_t plain_type(kgi_emit *e, unsigned type, bool written, const char *what) {
  uint32_t made = e->params->names ? 0 : e->buffer_type[written][type];
  if (!made) made = e->buffer_type[written][type] = struct_of(e, type, (spaced){.stride = kgi_type_bits(type) / 8}, what);
  return made;
}

/* A variable that stands for several views is named after its place. */
static const char *name_of(const kgi_emit *e, uint32_t index, char *place) {
  const kgi_object *o = &e->p->scope.object[index];
  snprintf(place, KGI_EMIT_NAME, "binding_%u_%u", (unsigned)o->set, (unsigned)o->binding);
  return e->flat[index] && e->a->blocks.aliased[index] ? place : kgi_string(e->m, o->name);
}

static uint32_t type_of(kgi_emit *e, uint32_t index) {
  const kgi_object *o = &e->p->scope.object[index];
  unsigned type = kgi_emit_memory_type(e, index);
  char place[KGI_EMIT_NAME];
  const char *what = name_of(e, index, place);
  bool written = e->a->blocks.written[index];
  if (e->flat[index]) return plain_type(e, KG_U32, written, what);
  return o->view ? struct_of(e, type, (spaced){o->offset, o->stride, o->row, o->every}, what) : plain_type(e, type, written, what);
}

/* A binding of words has one variable. Of other views of one binding, one may see what is stored through another: then neither is taken to be constant, or alone. */
static void declare_buffer(kgi_emit *e, uint32_t index) {
  const kgi_object *o = &e->p->scope.object[index];
  kgi_spv *s = &e->s;
  bool flat = e->flat[index];
  char place[KGI_EMIT_NAME];
  e->variable[index] = flat ? e->variable[e->a->blocks.of[index]] : 0;
  if (e->variable[index] || (!flat && !buffer_features(e, o))) return;
  if (kgi_type_bits(o->type) == 16 && !flat) kgi_spv_need(s, SpvCapabilityStorageBuffer16BitAccess);
  uint32_t id = bound_variable(e, SpvStorageClassStorageBuffer, type_of(e, index), e->a->place[index]);
  bool aliased = e->a->blocks.aliased[index], written = e->a->blocks.written[index];
  if (aliased && !flat) KGI_DECORATE(s, id, SpvDecorationAliased);
  if (!written) KGI_DECORATE(s, id, SpvDecorationNonWritable);
  if (e->coherent && written && (aliased || o->mode == KG_READ_WRITE)) KGI_DECORATE(s, id, SpvDecorationCoherent);
  kgi_emit_name(e, id, name_of(e, index, place));
  e->variable[index] = id;
}

/* ---- params and hidden lengths: one block ---- */

enum { MOST_MEMBERS = 1023 }; /* of a struct: less than SPIR-V's own limit, more than a uniform buffer's */

static unsigned block_type_of(unsigned type) { return type == KG_BOOL || type == KG_F16 ? KG_U32 : type; }

typedef struct member { uint32_t type, offset; const char *before, *name; } member;

static member param_member(const kgi_emit *e, uint32_t i) {
  const kgi_param *p = &e->p->scope.param[i];
  return (member){block_type_of(p->type), e->a->param_offset[i], "", kgi_string(e->m, p->name)};
}

static member hidden_member(const kgi_emit *e, const kgi_abi_hidden *h) {
  if (!h->object) return (member){KG_U32, h->offset, "most_trips", ""};
  const char *name = kgi_string(e->m, e->p->scope.object[h->object].name);
  return (member){KG_U32, h->offset, h->dimension ? "extent_" : "length_", name};
}

/* The params of one block, by their members; behind those of the own one, what is hidden. */
static member *list_members(kgi_emit *e, uint32_t block, uint32_t count) {
  member *list = kgi_arena_alloc(e->s.arena, count, sizeof *list);
  for (uint32_t i = 1; list && i < e->p->scope.param_count; i++)
    if (e->a->param_block[i] == block) list[e->a->param_member[i]] = param_member(e, i);
  for (uint32_t i = 0; list && block == KGI_BLOCK_OWN && i < e->a->hidden_count; i++)
    list[e->a->own_params + i] = hidden_member(e, &e->a->hidden[i]);
  return list;
}

static uint32_t block_struct(kgi_emit *e, uint32_t block, uint32_t count, const char *what) {
  kgi_spv *s = &e->s;
  member *list = list_members(e, block, count);
  uint32_t *types = kgi_arena_alloc(s->arena, count, sizeof *types);
  if (!list || !types) return 0;
  for (uint32_t i = 0; i < count; i++) types[i] = kgi_spv_type(s, list[i].type);
  uint32_t type = kgi_spv_global(s, SpvOpTypeStruct, 0, types, count);
  KGI_DECORATE(s, type, SpvDecorationBlock);
  for (uint32_t i = 0; i < count; i++) {
    kgi_spv_into(s, &s->decorations, SpvOpMemberDecorate, KGI_WORDS(type, i, SpvDecorationOffset, list[i].offset));
    kgi_emit_member_name(e, type, i, list[i].before, list[i].name);
  }
  kgi_emit_type_name(e, type, kgi_string(e->m, e->p->name), what);
  return type;
}

static uint32_t pushed_variable(kgi_emit *e, uint32_t type) {
  uint32_t pointer = kgi_spv_pointer(&e->s, SpvStorageClassPushConstant, type);
  return kgi_spv_global(&e->s, SpvOpVariable, pointer, KGI_WORDS(SpvStorageClassPushConstant));
}

static SpvStorageClass class_of(const kgi_emit *e, uint32_t block) {
  if (block == KGI_BLOCK_OWN)
    return e->a->params_binding != KGI_NO_BINDING ? SpvStorageClassUniform : SpvStorageClassPushConstant;
  const kgi_abi_block *b = &e->a->placed[block - 1];
  return b->pushed ? SpvStorageClassPushConstant : b->storage ? SpvStorageClassStorageBuffer : SpvStorageClassUniform;
}

static uint32_t block_variable(kgi_emit *e, uint32_t block, uint32_t members, kgi_abi_place place, const char *what) {
  uint32_t type = block_struct(e, block, members, what);
  SpvStorageClass class = class_of(e, block);
  uint32_t id = class == SpvStorageClassPushConstant ? pushed_variable(e, type) : bound_variable(e, class, type, place);
  if (class == SpvStorageClassStorageBuffer) KGI_DECORATE(&e->s, id, SpvDecorationAliased);
  kgi_emit_name(e, id, what);
  return id;
}

static void declare_block(kgi_emit *e) {
  uint32_t members = e->a->own_params + e->a->hidden_count;
  if (e->p->scope.param_count - 1 + e->a->hidden_count > MOST_MEMBERS) {
    KGI_DIAG(e->diags, too_large, e->p->pos, "the number of params", KGI_NUM(MOST_MEMBERS));
    return kgi_emit_refuse(e, KG_REFUSED);
  }
  for (uint32_t k = 0; k < e->a->placed_count; k++) {
    const kgi_abi_block *b = &e->a->placed[k];
    e->placed[k] = block_variable(e, 1 + k, b->members, b->place, b->pushed ? "pushed" : "uniforms");
  }
  if (members) e->block = block_variable(e, KGI_BLOCK_OWN, members, (kgi_abi_place){e->a->params_set, e->a->params_binding}, "params");
}

static uint32_t load_member(kgi_emit *e, unsigned type, uint32_t block, uint32_t member) {
  kgi_spv *s = &e->s;
  uint32_t element = kgi_spv_type(s, type), variable = block == KGI_BLOCK_OWN ? e->block : e->placed[block - 1];
  uint32_t at = kgi_spv_u32(s, member);
  uint32_t pointer = KGI_VALUE(s, SpvOpAccessChain, kgi_spv_pointer(s, class_of(e, block), element), variable, at);
  return KGI_VALUE(s, SpvOpLoad, element, pointer);
}

static uint32_t make_param(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  unsigned type = e->p->scope.param[index].type;
  kgi_words *code = kgi_emit_at_entry(e);
  uint32_t value = load_member(e, block_type_of(type), e->a->param_block[index], e->a->param_member[index]);
  if (type == KG_BOOL) {
    uint32_t zero = kgi_spv_u32(s, 0);
    value = KGI_VALUE(s, SpvOpINotEqual, kgi_spv_type(s, KG_BOOL), value, zero);
  }
  if (type == KG_F16) {
    uint32_t pair = KGI_GLSL(s, UnpackHalf2x16, kgi_spv_vector(s, KG_F32, 2), value);
    uint32_t wide = KGI_VALUE(s, SpvOpCompositeExtract, kgi_spv_type(s, KG_F32), pair, 0);
    value = KGI_VALUE(s, SpvOpFConvert, kgi_spv_type(s, KG_F16), wide);
  }
  kgi_emit_back(e, code);
  return value;
}

static uint32_t param(kgi_emit *e, uint32_t index) {
  if (!e->param[index]) e->param[index] = make_param(e, index);
  return e->param[index];
}

static uint32_t hidden(kgi_emit *e, uint32_t index) {
  if (e->hidden[index]) return e->hidden[index];
  kgi_words *code = kgi_emit_at_entry(e);
  e->hidden[index] = load_member(e, KG_U32, KGI_BLOCK_OWN, e->a->own_params + index);
  kgi_emit_back(e, code);
  return e->hidden[index];
}

static uint32_t emit_known(kgi_emit *e, kgi_abi_length length) {
  switch ((kgi_length_kind)length.kind) {
  case KGI_LENGTH_LITERAL: return kgi_spv_u32(&e->s, length.value);
  case KGI_LENGTH_PARAM: return param(e, length.value);
  case KGI_LENGTH_SPEC: return e->spec[length.value];
  case KGI_LENGTH_HIDDEN: return hidden(e, length.value);
  }
  return 0;
}

uint32_t kgi_emit_length(kgi_emit *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  if (o->space == KGI_BUFFER) return emit_known(e, e->a->length[object]);
  return o->scalar ? kgi_spv_u32(&e->s, 1) : kgi_emit_dim(e, o->length);
}

uint32_t kgi_emit_extent(kgi_emit *e, uint32_t object, unsigned k) {
  const kgi_object *o = &e->p->scope.object[object];
  if (o->space == KGI_BUFFER) return emit_known(e, kgi_abi_extent(e->a, &e->p->scope, o->extent[k]));
  return kgi_emit_dim(e, o->extent[k]);
}

uint32_t kgi_emit_limit(kgi_emit *e, kgi_dim dim) {
  kgi_abi_length limit = kgi_abi_limit(e->a, &e->p->scope, dim);
  return limit.kind == KGI_LENGTH_HIDDEN ? hidden(e, limit.value) : kgi_emit_dim(e, dim);
}

/* ---- constants ---- */

/* A literal that all blocks may use. */
static uint32_t at_entry(kgi_emit *e, unsigned type, uint64_t bits) {
  kgi_words *code = kgi_emit_at_entry(e);
  uint32_t value = kgi_spv_const(&e->s, type, bits);
  kgi_emit_back(e, code);
  return value;
}

static void declare_specs(kgi_emit *e) {
  kgi_spv *s = &e->s;
  for (uint32_t i = 1; i < e->p->scope.spec_count; i++) {
    const kgi_spec *c = &e->p->scope.spec[i];
    if (e->a->fixed[i]) {
      e->spec[i] = at_entry(e, c->type, c->bits);
      continue;
    }
    uint32_t type = kgi_spv_type(s, c->type);
    if (c->type == KG_BOOL) e->spec[i] = kgi_spv_global(s, c->bits ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse, type, NULL, 0);
    else
      e->spec[i] = kgi_spv_global(s, SpvOpSpecConstant, type, (uint32_t[]){(uint32_t)c->bits, (uint32_t)(c->bits >> 32)},
                                  kgi_type_bits(c->type) == 64 ? 2 : 1);
    KGI_DECORATE(s, e->spec[i], SpvDecorationSpecId, e->a->spec_id[i]);
    kgi_emit_name(e, e->spec[i], kgi_string(e->m, c->name));
  }
}

static uint32_t spec_op(kgi_emit *e, SpvOp op, unsigned type, uint32_t a, uint32_t b) {
  return kgi_spv_unique(&e->s, SpvOpSpecConstantOp, kgi_spv_type(&e->s, type), KGI_WORDS((uint32_t)op, a, b));
}

/* A constant that may be less than 0. */
static bool is_signed(const kgi_scope *scope, uint32_t dim) {
  const kgi_dim_node *n = &scope->dim[dim];
  return n->op == KGI_DIM_SPEC && scope->spec[n->a].type != KG_U32;
}

/* Sizes are u32 that the host has checked; only what depends on a constant is computed, by whoever specializes it. */
static uint32_t dim_of_specs(kgi_emit *e, kgi_dim dim) {
  kgi_spv *s = &e->s;
  const kgi_dim_node *n = &e->p->scope.dim[dim.i];
  if (n->op == KGI_DIM_SPEC) {
    unsigned type = e->p->scope.spec[n->a].type;
    if (type == KG_U32 || e->a->fixed[n->a]) return type == KG_U32 ? e->spec[n->a] : kgi_spv_u32(s, (uint32_t)e->p->scope.spec[n->a].bits);
    uint32_t zero = kgi_spv_u32(s, 0);
    return kgi_spv_unique(s, SpvOpSpecConstantOp, kgi_spv_type(s, KG_U32), KGI_WORDS(SpvOpIAdd, e->spec[n->a], zero));
  }
  uint32_t a = kgi_emit_dim(e, (kgi_dim){n->a}), b = kgi_emit_dim(e, (kgi_dim){n->b});
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_ADD: return spec_op(e, SpvOpIAdd, KG_U32, a, b);
  case KGI_DIM_SUB: return spec_op(e, SpvOpISub, KG_U32, a, b);
  case KGI_DIM_MUL: return spec_op(e, SpvOpIMul, KG_U32, a, b);
  case KGI_DIM_DIV: return spec_op(e, SpvOpUDiv, KG_U32, a, b);
  case KGI_DIM_MOD: return spec_op(e, SpvOpUMod, KG_U32, a, b);
  case KGI_DIM_MIN: case KGI_DIM_MAX: {
    bool below = is_signed(&e->p->scope, n->a) || is_signed(&e->p->scope, n->b);
    uint32_t less = spec_op(e, below ? SpvOpSLessThan : SpvOpULessThan, KG_BOOL, a, b);
    bool min = n->op == KGI_DIM_MIN;
    return kgi_spv_unique(s, SpvOpSpecConstantOp, kgi_spv_type(s, KG_U32), KGI_WORDS(SpvOpSelect, less, min ? a : b, min ? b : a));
  }
  case KGI_DIM_NONE: case KGI_DIM_INT: case KGI_DIM_FLOAT: case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN:
  case KGI_DIM_INDEX: break;
  }
  return kgi_spv_u32(s, 1);
}

/* Whether it depends on a constant that a host may specialize. */
static bool is_open(const kgi_emit *e, kgi_dim dim) {
  for (uint32_t i = 1; i < e->p->scope.spec_count; i++)
    if (!e->a->fixed[i] && kgi_dim_uses_spec(&e->p->scope, dim, i)) return true;
  return false;
}

uint32_t kgi_emit_dim(kgi_emit *e, kgi_dim dim) {
  const kgi_scope *scope = &e->p->scope;
  if (is_open(e, dim)) return dim_of_specs(e, dim);
  int64_t value = 0;
  kgi_dim_fault fault = dim.i ? kgi_dim_eval(scope, dim, &(kgi_dim_env){0}, &value) : KGI_DIM_OK;
  if (!dim.i) value = 1;
  if (fault != KGI_DIM_OK || value < 0 || value > UINT32_MAX) {
    KGI_DIAG(e->diags, spirv_size, e->p->pos, kgi_string(e->m, e->p->name));
    kgi_emit_refuse(e, KG_REFUSED);
  }
  return kgi_spv_u32(&e->s, (uint32_t)value);
}

/* ---- the workgroup, and ids ---- */

static uint32_t size_value(kgi_emit *e, unsigned k) {
  int64_t value = 1;
  kgi_dim dim = e->p->workgroup[k];
  if (dim.i && kgi_dim_eval(&e->p->scope, dim, &(kgi_dim_env){0}, &value) != KGI_DIM_OK) value = 0;
  if (value >= 1 && value <= INT32_MAX) return (uint32_t)value;
  KGI_DIAG(e->diags, spirv_size, e->p->pos, kgi_string(e->m, e->p->name));
  kgi_emit_refuse(e, KG_REFUSED);
  return 1;
}

static void declare_workgroup(kgi_emit *e) {
  kgi_spv *s = &e->s;
  bool specialized = false;
  for (unsigned k = 0; k < 3; k++) {
    e->workgroup[k] = kgi_emit_dim(e, e->p->workgroup[k]);
    specialized |= is_open(e, e->p->workgroup[k]);
  }
  if (!specialized) return;
  uint32_t size = kgi_spv_global(s, SpvOpSpecConstantComposite, kgi_spv_vector(s, KG_U32, 3), e->workgroup, 3);
  KGI_DECORATE(s, size, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
}

static SpvBuiltIn builtin_of(kgi_id id) {
  switch (id) {
  case KGI_ID_global_id: return SpvBuiltInGlobalInvocationId;
  case KGI_ID_local_id: return SpvBuiltInLocalInvocationId;
  case KGI_ID_workgroup_id: return SpvBuiltInWorkgroupId;
  case KGI_ID_num_workgroups: return SpvBuiltInNumWorkgroups;
  case KGI_ID_local_index: return SpvBuiltInLocalInvocationIndex;
  case KGI_ID_subgroup_lane: return SpvBuiltInSubgroupLocalInvocationId;
  case KGI_ID_subgroup_size: return SpvBuiltInSubgroupSize;
  case KGI_ID_subgroup_id: return SpvBuiltInSubgroupId;
  case KGI_ID_num_subgroups: return SpvBuiltInNumSubgroups;
  case KGI_ID_workgroup_size: case KGI_ID_COUNT: break;
  }
  return SpvBuiltInWorkgroupSize;
}

static uint32_t id_variable(kgi_emit *e, kgi_id id, uint32_t type) {
  kgi_spv *s = &e->s;
  e->id_used |= 1u << id;
  if (e->id_variable[id]) return e->id_variable[id];
  if (kgi_is_of_subgroups(id)) kgi_spv_need(s, SpvCapabilityGroupNonUniform);
  uint32_t variable = kgi_spv_global(s, SpvOpVariable, kgi_spv_pointer(s, SpvStorageClassInput, type), KGI_WORDS(SpvStorageClassInput));
  KGI_DECORATE(s, variable, SpvDecorationBuiltIn, (uint32_t)builtin_of(id));
  return e->id_variable[id] = variable;
}

static uint32_t id_component(kgi_emit *e, kgi_id id, uint32_t k) {
  kgi_spv *s = &e->s;
  if (id == KGI_ID_workgroup_size) return e->workgroup[k];
  if (e->id_value[id][k]) return e->id_value[id][k];
  if (kgi_is_of_subgroups(id)) kgi_emit_feature(e, KG_FEATURE_SUBGROUP_BASIC, kgi_id_rows[id].name, e->p->pos);
  bool vector = kgi_id_rows[id].components > 1;
  uint32_t type = vector ? kgi_spv_vector(s, KG_U32, 3) : kgi_spv_type(s, KG_U32);
  uint32_t variable = id_variable(e, id, type);
  kgi_words *code = kgi_emit_at_entry(e);
  uint32_t value = KGI_VALUE(s, SpvOpLoad, type, variable);
  if (vector) value = KGI_VALUE(s, SpvOpCompositeExtract, kgi_spv_type(s, KG_U32), value, k);
  kgi_emit_back(e, code);
  return e->id_value[id][k] = value;
}

uint32_t kgi_emit_leaf(kgi_emit *e, const kgi_inst *inst) {
  if (inst->kind == KGI_spec) return e->spec[inst->arg[0]];
  if (inst->kind == KGI_param) return param(e, inst->arg[0]);
  if (inst->kind == KGI_len && inst->arg[1]) return kgi_emit_extent(e, inst->arg[0], inst->arg[1] - 1);
  if (inst->kind == KGI_len) return kgi_emit_length(e, inst->arg[0]);
  if (inst->kind == KGI_id) return id_component(e, (kgi_id)inst->op, inst->arg[0]);
  return at_entry(e, inst->type, kgi_literal_bits(inst));
}

uint32_t kgi_emit_value(kgi_emit *e, uint32_t inst) {
  if (!e->value[inst] && kgi_is_leaf(e->p->inst[inst].kind)) e->value[inst] = kgi_emit_leaf(e, &e->p->inst[inst]);
  return e->value[inst];
}

/* ---- the status buffer ---- */

static void declare_status(kgi_emit *e) {
  if (e->a->status_binding == KGI_NO_BINDING) return;
  kgi_abi_place place = {e->a->status_set, e->a->status_binding};
  e->status_variable = bound_variable(e, SpvStorageClassStorageBuffer, plain_type(e, KG_U32, true, "status"), place);
  kgi_emit_name(e, e->status_variable, "status");
}

static uint32_t status_word(kgi_emit *e, uint32_t word) {
  kgi_spv *s = &e->s;
  uint32_t pointer = kgi_spv_pointer(s, SpvStorageClassStorageBuffer, kgi_spv_type(s, KG_U32));
  uint32_t member = kgi_spv_u32(s, 0), at = kgi_spv_u32(s, word);
  return KGI_VALUE(s, SpvOpAccessChain, pointer, e->status_variable, member, at);
}

void kgi_emit_failure(kgi_emit *e, uint32_t site) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32), device = kgi_spv_u32(s, SpvScopeDevice), relaxed = kgi_spv_u32(s, 0);
  uint32_t count = status_word(e, 2), one = kgi_spv_u32(s, 1);
  KGI_VALUE(s, SpvOpAtomicIAdd, u32, count, device, relaxed, one);
  uint32_t first = status_word(e, 0), number = kgi_spv_u32(s, site), zero = kgi_spv_u32(s, 0);
  uint32_t before = KGI_VALUE(s, SpvOpAtomicCompareExchange, u32, first, device, relaxed, relaxed, number, zero);
  uint32_t merge = kgi_spv_if(&e->s, KGI_VALUE(s, SpvOpIEqual, kgi_spv_type(s, KG_BOOL), before, zero));
  uint32_t place = status_word(e, 1), pos = kgi_spv_u32(s, e->abi.site[site].pos);
  KGI_STMT(s, SpvOpStore, place, pos);
  kgi_spv_endif(&e->s, merge);
}

/* ---- the whole ---- */

void kgi_emit_interface(kgi_emit *e) {
  declare_specs(e);
  declare_workgroup(e);
  for (uint32_t i = 1; i <= e->a->buffers; i++) declare_buffer(e, i);
  declare_block(e);
  declare_status(e);
}

void kgi_emit_entry_point(kgi_emit *e, uint32_t function) {
  kgi_spv *s = &e->s;
  uint32_t inputs[KGI_ID_COUNT], count = 0;
  for (unsigned id = 0; id < KGI_ID_COUNT; id++)
    if (e->id_used >> id & 1) inputs[count++] = e->id_variable[id];
  const uint32_t before[] = {SpvExecutionModelGLCompute, function};
  kgi_spv_text(s, &s->entries, SpvOpEntryPoint, before, 2, kgi_string(e->m, e->p->name), inputs, count);
  uint32_t x = size_value(e, 0), y = size_value(e, 1), z = size_value(e, 2);
  kgi_spv_into(s, &s->modes, SpvOpExecutionMode, KGI_WORDS(function, SpvExecutionModeLocalSize, x, y, z));
  if (kgi_emit_may(e, KG_FEATURE_SIGNED_ZERO_INF_NAN)) {
    kgi_spv_need(s, SpvCapabilitySignedZeroInfNanPreserve);
    kgi_spv_into(s, &s->modes, SpvOpExecutionMode, KGI_WORDS(function, SpvExecutionModeSignedZeroInfNanPreserve, 32));
  }
}
