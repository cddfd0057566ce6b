/* The public builder: declarations, lengths, and the sizes of programs. */
#include "foundation/ir/build.h"
#include "foundation/base/floats.h"

static kgi_scope *scope_of(kg_builder *b) { return kgi_builder_scope(&b->b); }

/* ---- params and constants ---- */

static bool is_computing(kg_builder *b, const char *call, kg_type type) {
  if (!kgi_build_type(b, call, type)) return false;
  return kgi_type_computes(type) || KGI_MISUSE(b, storage_type, kg_type_name(type), kg_type_name(kgi_type_value(type)));
}

kg_constant kg_build_constant(kg_builder *b, const char *name, kg_type type, uint64_t bits) {
  kg_constant none = {0, 0};
  if (!kgi_build_in_program(b, __func__) || !kgi_build_name(b, __func__, name) || !is_computing(b, __func__, type)) return none;
  if (!kgi_build_bits(b, type, bits)) return none;
  kgi_str string = kgi_intern_z(b->b.m, name);
  uint32_t index = kgi_spec_add(&b->b, &(kgi_spec){.name = string, .pos = b->b.pos, .type = (uint8_t)type, .bits = bits});
  return (kg_constant){index, kgi_build_owner(b)};
}

kg_param kg_build_param(kg_builder *b, const char *name, kg_type type) {
  kg_param none = {0, 0};
  if (!kgi_build_in_scope(b, __func__) || !kgi_build_name(b, __func__, name) || !is_computing(b, __func__, type)) return none;
  kgi_str string = kgi_intern_z(b->b.m, name);
  uint32_t index = kgi_param_add(&b->b, &(kgi_param){.name = string, .pos = b->b.pos, .type = (uint8_t)type});
  return (kg_param){index, kgi_build_owner(b)};
}

static bool is_param(kg_builder *b, const char *call, kg_param param) {
  return kgi_build_in_scope(b, call) &&
         kgi_build_handle(b, call, "param", param.index, param.owner, b->program, scope_of(b)->param_count);
}

void kg_build_param_default(kg_builder *b, kg_param param, uint64_t bits) {
  if (!is_param(b, __func__, param)) return;
  kgi_param *p = &scope_of(b)->param[param.index];
  if (!kgi_build_bits(b, (kg_type)p->type, bits)) return;
  p->has_default = true;
  p->bits = kgi_canonical_bits((kg_type)p->type, bits);
}

void kg_build_param_range(kg_builder *b, kg_param param, kg_length lo, kg_length hi) {
  kgi_dim from, to;
  if (!is_param(b, __func__, param) || !kgi_build_length(b, __func__, lo, &from) || !kgi_build_length(b, __func__, hi, &to)) return;
  kgi_param *p = &scope_of(b)->param[param.index];
  p->ranged = true;
  p->lo = from, p->hi = to;
}

/* ---- memory ---- */

static kg_object add(kg_builder *b, const char *call, const char *name, const kgi_object *as) {
  kgi_object object = *as;
  if (!kgi_build_name(b, call, name) || !kgi_build_type(b, call, (kg_type)object.type)) return (kg_object){0, 0};
  object.name = kgi_intern_z(b->b.m, name);
  object.pos = b->b.pos;
  return (kg_object){kgi_object_add(&b->b, &object).i, kgi_build_owner(b)};
}

static kg_object buffer(kg_builder *b, const char *call, const char *name, kg_type type, kg_mode mode, kg_length length, bool scalar) {
  kg_object none = {0, 0};
  kgi_object object = {.space = KGI_BUFFER, .mode = (uint8_t)mode, .scalar = scalar};
  if (!kgi_build_in_scope(b, call) || !kgi_build_type(b, call, type)) return none;
  if ((unsigned)mode < KG_READ || (unsigned)mode > KG_TEMP)
    return KGI_MISUSE(b, build_argument, call, KGI_NUM(mode), "kg_mode", "KG_READ, KG_WRITE, KG_READ_WRITE or KG_TEMP"), none;
  if (!kgi_build_length_any(b, call, length, &object.length)) return none;
  object.type = (uint8_t)type;
  return add(b, call, name, &object);
}

kg_object kg_build_buffer(kg_builder *b, const char *name, kg_type type, kg_mode mode, kg_length length) {
  return buffer(b, __func__, name, type, mode, length, false);
}

kg_object kg_build_scalar(kg_builder *b, const char *name, kg_type type, kg_mode mode) {
  return buffer(b, __func__, name, type, mode, (kg_length){0, 0}, true);
}

static kgi_object *buffer_of(kg_builder *b, const char *call, kg_object buffer) {
  kgi_obj x;
  if (!kgi_build_in_scope(b, call) || !kgi_build_object(b, call, buffer, &x)) return NULL;
  kgi_object *o = &scope_of(b)->object[x.i];
  if (o->space == KGI_BUFFER) return o;
  return KGI_MISUSE(b, build_argument, call, kgi_string(b->b.m, o->name), "buffer", "what kg_build_buffer returned"), NULL;
}

void kg_build_range(kg_builder *b, kg_object buffer, kg_length lo, kg_length hi) {
  kgi_dim from, to;
  kgi_object *o = buffer_of(b, __func__, buffer);
  if (!o || !kgi_build_length(b, __func__, lo, &from) || !kgi_build_length(b, __func__, hi, &to)) return;
  o->ranged = true;
  o->lo = from, o->hi = to;
}

void kg_build_draw(kg_builder *b, kg_object buffer, kg_draw draw) {
  kgi_object *o = buffer_of(b, __func__, buffer);
  if (!o) return;
  if ((unsigned)draw < KG_DRAW_COUNT) o->draw = (uint8_t)draw;
  else KGI_MISUSE(b, build_argument, __func__, KGI_NUM(draw), "kg_draw", "one of its names");
}

void kg_build_view(kg_builder *b, kg_object buffer, uint32_t set, uint32_t binding, uint32_t offset, uint32_t stride) {
  kgi_object *o = buffer_of(b, __func__, buffer);
  if (!o) return;
  o->view = true;
  o->set = set, o->binding = binding, o->offset = offset, o->stride = stride;
}

static bool local(kg_builder *b, const char *call, kg_type type, kg_length length, kgi_space space, kgi_object *out) {
  *out = (kgi_object){.space = (uint8_t)space, .scalar = length.index == 0};
  if (!kgi_build_in_program(b, call) || !kgi_build_type(b, call, type)) return false;
  out->type = (uint8_t)type;
  return kgi_build_length_any(b, call, length, &out->length);
}

kg_object kg_build_shared(kg_builder *b, const char *name, kg_type type, kg_length length) {
  kgi_object object;
  return local(b, __func__, type, length, KGI_SHARED, &object) ? add(b, __func__, name, &object) : (kg_object){0, 0};
}

kg_object kg_build_var(kg_builder *b, const char *name, kg_type type, kg_length length) {
  kgi_object object;
  if (!local(b, __func__, type, length, KGI_VAR, &object) || !kgi_build_name(b, __func__, name)) return (kg_object){0, 0};
  return (kg_object){kgi_var(&b->b, name, type, object.length).i, kgi_build_owner(b)};
}

void kg_build_extents(kg_builder *b, kg_object object, const kg_length *extents, unsigned rank) {
  kgi_obj x;
  kgi_dim dims[KGI_MAX_RANK];
  if (!kgi_build_in_scope(b, __func__) || !kgi_build_object(b, __func__, object, &x)) return;
  if (rank > KGI_MAX_RANK) KGI_MISUSE(b, too_many_dims, KGI_NUM(KGI_MAX_RANK));
  else if (rank < 2) KGI_MISUSE(b, build_argument, __func__, KGI_NUM(rank), "number of several dimensions", "2, 3 or 4 extents");
  else if (!extents) KGI_MISUSE(b, build_missing, __func__, "array of extents", "one");
  for (unsigned k = 0; k < rank; k++)
    if (!kgi_build_goes_on(b) || !kgi_build_length(b, __func__, extents[k], &dims[k])) return;
  kgi_object *o = &scope_of(b)->object[x.i];
  if (o->length.i) KGI_MISUSE(b, stated_twice, kgi_string(b->b.m, o->name));
  o->scalar = false;
  kgi_set_extents(&b->b, o, dims, rank);
}

/* ---- lengths ---- */

static kg_length length(const kg_builder *b, kgi_dim dim) { return (kg_length){dim.i, kgi_build_owner(b)}; }
static const kg_length no_length = {0, 0};

kg_length kg_build_length(kg_builder *b, int64_t value) {
  return kgi_build_in_scope(b, __func__) ? length(b, kgi_len_int(&b->b, value)) : no_length;
}

kg_length kg_build_length_float(kg_builder *b, double value) {
  KGI_OWN_FLOATS;
  return kgi_build_in_scope(b, __func__) ? length(b, kgi_len_float(&b->b, value)) : no_length;
}

kg_length kg_build_length_param(kg_builder *b, kg_param param) {
  return is_param(b, __func__, param) ? length(b, kgi_len_param(&b->b, param.index)) : no_length;
}

kg_length kg_build_length_constant(kg_builder *b, kg_constant constant) {
  if (!kgi_build_in_program(b, __func__)) return no_length;
  if (!kgi_build_handle(b, __func__, "constant", constant.index, constant.owner, b->program, scope_of(b)->spec_count)) return no_length;
  return length(b, kgi_len_spec(&b->b, constant.index));
}

kg_length kg_build_length_of(kg_builder *b, kg_object buffer) {
  return buffer_of(b, __func__, buffer) ? length(b, kgi_len_of(&b->b, (kgi_obj){buffer.index})) : no_length;
}

kg_length kg_build_length_op(kg_builder *b, kg_length_op op, kg_length x, kg_length y) {
  static const kgi_dim_op ops[] = {
    [KG_LENGTH_ADD] = KGI_DIM_ADD, [KG_LENGTH_SUB] = KGI_DIM_SUB, [KG_LENGTH_MUL] = KGI_DIM_MUL, [KG_LENGTH_DIV] = KGI_DIM_DIV,
    [KG_LENGTH_MOD] = KGI_DIM_MOD, [KG_LENGTH_MIN] = KGI_DIM_MIN, [KG_LENGTH_MAX] = KGI_DIM_MAX};
  kgi_dim u, v;
  if (!kgi_build_in_scope(b, __func__)) return no_length;
  if ((unsigned)op > KG_LENGTH_MAX)
    return KGI_MISUSE(b, build_argument, __func__, KGI_NUM(op), "kg_length_op", "KG_LENGTH_ADD, or another"), no_length;
  if (!kgi_build_length(b, __func__, x, &u) || !kgi_build_length(b, __func__, y, &v)) return no_length;
  return length(b, kgi_len_op(&b->b, ops[op], u, v));
}

/* ---- sizes of programs ---- */

static void set_axis(kg_builder *b, const char *call, kgi_dim *slots, unsigned axis, kg_length size) {
  kgi_dim dim;
  if (!kgi_build_axis(b, call, axis) || !kgi_build_length(b, call, size, &dim)) return;
  if (slots[axis].i) KGI_MISUSE(b, stated_twice, call);
  slots[axis] = dim;
}

void kg_build_workgroup(kg_builder *b, unsigned axis, kg_length size) {
  if (kgi_build_in_program(b, __func__)) set_axis(b, __func__, b->b.p->workgroup, axis, size);
}

static void set_grid(kg_builder *b, const char *call, unsigned axis, kg_length size, bool invocations) {
  if (!kgi_build_in_program(b, call)) return;
  kgi_program *p = b->b.p;
  if (kgi_dim_is_set(p->grid) && p->grid_is_invocations != invocations) {
    KGI_MISUSE(b, build_place, call, "mixes workgroups and invocations", "the same for each axis");
    return;
  }
  p->grid_is_invocations = invocations;
  set_axis(b, call, p->grid, axis, size);
}

void kg_build_grid(kg_builder *b, unsigned axis, kg_length workgroups) { set_grid(b, __func__, axis, workgroups, false); }
void kg_build_invocations(kg_builder *b, unsigned axis, kg_length invocations) { set_grid(b, __func__, axis, invocations, true); }
