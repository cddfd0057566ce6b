/* The public builder: values, memory and control flow. */
#include "foundation/ir/build.h"
#include "foundation/ir/place.h"
#include "foundation/base/floats.h"

static const kg_value no_value = {0, 0};

static kg_value value(const kg_builder *b, kgi_val x) { return (kg_value){x.i, kgi_build_owner(b)}; }

/* ---- leaves ---- */

static bool int_fits(kg_type type, int64_t value) {
  unsigned width = type == KG_BOOL ? 1 : kgi_type_bits(type);
  bool is_signed = kgi_type_kind_of(type) == KGI_SINT;
  if (is_signed) return width >= 64 || (value >= -(INT64_C(1) << (width - 1)) && value < INT64_C(1) << (width - 1));
  return value >= 0 && (width >= 64 || value < INT64_C(1) << width);
}

kg_value kg_build_int(kg_builder *b, kg_type type, int64_t value_of_it) {
  KGI_OWN_FLOATS;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_type(b, __func__, type)) return no_value;
  if (!kgi_is_float(type) && !int_fits(type, value_of_it))
    return KGI_MISUSE(b, literal_range, KGI_NUM(value_of_it), kg_type_name(type)), no_value;
  return value(b, kgi_int(&b->b, type, value_of_it));
}

kg_value kg_build_float(kg_builder *b, kg_type type, double value_of_it) {
  KGI_OWN_FLOATS;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_type(b, __func__, type)) return no_value;
  if (!kgi_is_float(type))
    return KGI_MISUSE(b, build_argument, __func__, kg_type_name(type), "type of floats", "KG_F16, KG_F32 or KG_F64"), no_value;
  return value(b, kgi_float(&b->b, type, value_of_it));
}

kg_value kg_build_literal(kg_builder *b, kg_type type, uint64_t bits) {
  if (!kgi_build_in_program(b, __func__) || !kgi_build_type(b, __func__, type) || !kgi_build_bits(b, type, bits)) return no_value;
  return value(b, kgi_literal_of(&b->b, type, bits));
}

kg_value kg_build_param_value(kg_builder *b, kg_param param) {
  if (!kgi_build_in_program(b, __func__)) return no_value;
  uint32_t count = b->b.p->scope.param_count;
  if (!kgi_build_handle(b, __func__, "param", param.index, param.owner, b->program, count)) return no_value;
  return value(b, kgi_param_value(&b->b, param.index));
}

kg_value kg_build_constant_value(kg_builder *b, kg_constant constant) {
  if (!kgi_build_in_program(b, __func__)) return no_value;
  uint32_t count = b->b.p->scope.spec_count;
  if (!kgi_build_handle(b, __func__, "constant", constant.index, constant.owner, b->program, count)) return no_value;
  return value(b, kgi_spec_value(&b->b, constant.index));
}

kg_value kg_build_id(kg_builder *b, kg_id id, unsigned component) {
  if (!kgi_build_in_program(b, __func__)) return no_value;
  if ((unsigned)id >= KGI_ID_COUNT) return KGI_MISUSE(b, build_argument, __func__, KGI_NUM(id), "kg_id", "KG_ID_GLOBAL_ID, or another"), no_value;
  if (component >= kgi_id_rows[id].components)
    return KGI_MISUSE(b, build_argument, __func__, KGI_NUM(component), "component of that id", "0, and up to 2 where it has three"), no_value;
  return value(b, kgi_id_value(&b->b, (kgi_id)id, component));
}

kg_value kg_build_len(kg_builder *b, kg_object object) {
  kgi_obj o;
  return kgi_build_in_program(b, __func__) && kgi_build_object(b, __func__, object, &o) ? value(b, kgi_len_value(&b->b, o)) : no_value;
}

kg_value kg_build_extent(kg_builder *b, kg_object object, unsigned dimension) {
  kgi_obj o;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_object(b, __func__, object, &o)) return no_value;
  const kgi_object *array = &b->b.p->scope.object[o.i];
  if (dimension >= array->rank)
    return KGI_MISUSE(b, no_dimension, kgi_string(b->b.m, array->name), KGI_NUM(array->rank), KGI_NUM(dimension)), no_value;
  return value(b, kgi_extent_value(&b->b, o, dimension));
}

/* ---- operations ---- */

static kg_value apply(kg_builder *b, const char *call, kg_op op, const kg_value *args, unsigned count) {
  kgi_val x[4];
  if (!kgi_build_in_program(b, call)) return no_value;
  if ((unsigned)op >= KGI_OP_COUNT) return KGI_MISUSE(b, build_argument, call, KGI_NUM(op), "kg_op", "KG_OP_ADD, or another"), no_value;
  if (op == KG_OP_CONVERT || op == KG_OP_BITCAST)
    return KGI_MISUSE(b, build_place, call, "does not say to which type", "kg_build_convert or kg_build_bitcast"), no_value;
  if (count > 4)
    return KGI_MISUSE(b, operand_count, kgi_op_rows[op].name, KGI_NUM(kgi_op_rows[op].arity), KGI_NUM(count)), no_value;
  if (count && !args) return KGI_MISUSE(b, build_missing, call, "array of operands", "one"), no_value;
  for (unsigned i = 0; i < count; i++)
    if (!kgi_build_take(b, call, args[i], &x[i])) return no_value;
  return value(b, kgi_apply(&b->b, (kgi_op)op, x, count));
}

kg_value kg_build_op(kg_builder *b, kg_op op, const kg_value *args, unsigned count) { return apply(b, __func__, op, args, count); }
kg_value kg_build_op1(kg_builder *b, kg_op op, kg_value x) { return apply(b, __func__, op, &x, 1); }
kg_value kg_build_op2(kg_builder *b, kg_op op, kg_value x, kg_value y) { return apply(b, __func__, op, (kg_value[]){x, y}, 2); }
kg_value kg_build_op3(kg_builder *b, kg_op op, kg_value x, kg_value y, kg_value z) {
  return apply(b, __func__, op, (kg_value[]){x, y, z}, 3);
}
kg_value kg_build_op4(kg_builder *b, kg_op op, kg_value x, kg_value y, kg_value z, kg_value w) {
  return apply(b, __func__, op, (kg_value[]){x, y, z, w}, 4);
}

static bool can_cast(kg_builder *b, const char *call, kg_type type, kg_value x, kgi_val *out) {
  return kgi_build_in_program(b, call) && kgi_build_type(b, call, type) && kgi_build_take(b, call, x, out);
}

kg_value kg_build_convert(kg_builder *b, kg_type type, kg_value x) {
  kgi_val v;
  return can_cast(b, __func__, type, x, &v) ? value(b, kgi_convert(&b->b, type, v)) : no_value;
}

kg_value kg_build_bitcast(kg_builder *b, kg_type type, kg_value x) {
  kgi_val v;
  return can_cast(b, __func__, type, x, &v) ? value(b, kgi_bitcast(&b->b, type, v)) : no_value;
}

kg_value kg_build_name(kg_builder *b, kg_value x, const char *name) {
  kgi_val v;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_name(b, __func__, name) || !kgi_build_take(b, __func__, x, &v)) return no_value;
  return value(b, kgi_name(&b->b, v, name));
}

/* ---- memory ---- */

static bool access(kg_builder *b, const char *call, kg_object object, kg_value index, kgi_obj *o, kgi_val *at) {
  return kgi_build_in_program(b, call) && kgi_build_object(b, call, object, o) && kgi_build_take_any(b, call, index, at);
}

kg_value kg_build_place(kg_builder *b, kg_object object, const kg_value *indices, unsigned count) {
  kgi_obj o;
  kgi_val index[KGI_MAX_RANK];
  if (!kgi_build_in_program(b, __func__) || !kgi_build_object(b, __func__, object, &o)) return no_value;
  const kgi_object *array = &b->b.p->scope.object[o.i];
  if (!array->rank || count != array->rank)
    return KGI_MISUSE(b, index_count, kgi_string(b->b.m, array->name), KGI_NUM(array->rank), KGI_NUM(count), "pass one for each"), no_value;
  if (!indices) return KGI_MISUSE(b, build_missing, __func__, "array of indices", "one"), no_value;
  for (unsigned k = 0; k < count; k++)
    if (!kgi_build_take(b, __func__, indices[k], &index[k])) return no_value;
  return value(b, kgi_place(&b->b, o, index, count));
}

kg_value kg_build_load(kg_builder *b, kg_object object, kg_value index) {
  kgi_obj o;
  kgi_val at;
  return access(b, __func__, object, index, &o, &at) ? value(b, kgi_load(&b->b, o, at)) : no_value;
}

void kg_build_store(kg_builder *b, kg_object object, kg_value index, kg_value x) {
  kgi_obj o;
  kgi_val at, v;
  if (access(b, __func__, object, index, &o, &at) && kgi_build_take(b, __func__, x, &v)) kgi_store(&b->b, o, at, v);
}

/* The operands that are given are the first, and as many as it takes. */
static bool operands(kg_builder *b, const char *call, const char *name, unsigned takes, kg_value x, kg_value y, kgi_val out[2]) {
  unsigned given = (x.index != 0) + (y.index != 0);
  if (given != takes || (y.index && !x.index)) return KGI_MISUSE(b, operand_count, name, KGI_NUM(takes), KGI_NUM(given));
  return kgi_build_take_any(b, call, x, &out[0]) && kgi_build_take_any(b, call, y, &out[1]);
}

kg_value kg_build_atomic(kg_builder *b, kg_atomic op, kg_object object, kg_value index, kg_value operand, kg_value with) {
  kgi_obj o;
  kgi_val at, x[2];
  if (!access(b, __func__, object, index, &o, &at)) return no_value;
  if ((unsigned)op >= KGI_ATOMIC_COUNT)
    return KGI_MISUSE(b, build_argument, __func__, KGI_NUM(op), "kg_atomic", "KG_ATOMIC_ADD, or another"), no_value;
  const kgi_atomic_row *row = &kgi_atomic_rows[op];
  if (!operands(b, __func__, row->name, row->operands, operand, with, x)) return no_value;
  kgi_val before = kgi_atomic_op(&b->b, (kgi_atomic)op, o, at, x[0], x[1]);
  return row->result ? value(b, before) : no_value;
}

kg_value kg_build_subgroup(kg_builder *b, kg_subgroup op, kg_value x, kg_value y) {
  kgi_val v[2];
  if (!kgi_build_in_program(b, __func__)) return no_value;
  if ((unsigned)op >= KGI_SUBGROUP_COUNT)
    return KGI_MISUSE(b, build_argument, __func__, KGI_NUM(op), "kg_subgroup", "KG_SUBGROUP_ADD, or another"), no_value;
  const kgi_subgroup_row *row = &kgi_subgroup_rows[op];
  return operands(b, __func__, row->name, row->operands, x, y, v) ? value(b, kgi_subgroup_op(&b->b, (kgi_subgroup)op, v[0], v[1])) : no_value;
}

void kg_build_barrier(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_barrier_here(&b->b);
}

void kg_build_memory_barrier(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_memory_barrier_here(&b->b);
}

void kg_build_assert(kg_builder *b, kg_value condition, const char *message) {
  kgi_val v;
  if (kgi_build_in_program(b, __func__) && kgi_build_take(b, __func__, condition, &v)) kgi_assert(&b->b, v, message ? message : "");
}

/* ---- control flow ---- */

/* Whether the cursor is in the first block of an instruction of that kind, whose second is still to come. */
static bool in_first(const kg_builder *b, kgi_kind kind) {
  const kgi_inst *owner = &b->b.p->inst[b->b.p->block[b->b.at.block].owner];
  return owner->kind == kind && owner->arg[1] == b->b.at.block && !owner->arg[2];
}

void kg_build_if(kg_builder *b, kg_value condition) {
  kgi_val v;
  if (kgi_build_in_program(b, __func__) && kgi_build_take(b, __func__, condition, &v)) kgi_if_begin(&b->b, v);
}

void kg_build_else(kg_builder *b) {
  if (!kgi_build_in_program(b, __func__)) return;
  if (in_first(b, KGI_if)) kgi_else(&b->b);
  else KGI_MISUSE(b, build_place, __func__, "stands in no if", "it between kg_build_if and its kg_build_end, once");
}

kg_value kg_build_for(kg_builder *b, const char *index, kg_value from, kg_value to, kg_value step, bool reversed) {
  kgi_val x, y, s;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_take(b, __func__, from, &x) || !kgi_build_take(b, __func__, to, &y)) return no_value;
  if (!kgi_build_take_any(b, __func__, step, &s)) return no_value;
  return value(b, kgi_for_begin(&b->b, index ? index : "", x, y, s, reversed));
}

void kg_build_while(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_while_begin(&b->b);
}

void kg_build_while_body(kg_builder *b, kg_value condition, kg_length limit) {
  kgi_val v;
  kgi_dim most;
  if (!kgi_build_in_program(b, __func__) || !kgi_build_take(b, __func__, condition, &v)) return;
  if (!kgi_build_length_any(b, __func__, limit, &most)) return;
  if (in_first(b, KGI_while)) kgi_while_body(&b->b, v, most);
  else KGI_MISUSE(b, build_place, __func__, "stands behind no kg_build_while", "it behind kg_build_while and the condition, once");
}

void kg_build_region(kg_builder *b, const char *name) {
  if (kgi_build_in_program(b, __func__) && kgi_build_name(b, __func__, name)) kgi_region_begin(&b->b, name);
}

void kg_build_checkpoint(kg_builder *b, const char *name) {
  if (!kgi_build_in_program(b, __func__) || (name && *name && !kgi_build_name(b, __func__, name))) return;
  kgi_checkpoint_begin(&b->b, name ? name : "");
}

void kg_build_end(kg_builder *b) {
  if (!kgi_build_in_program(b, __func__)) return;
  if (b->b.at.block == KGI_BODY) KGI_MISUSE(b, build_place, __func__, "closes nothing", "it once for each if, for, while, region and checkpoint");
  else if (in_first(b, KGI_while)) KGI_MISUSE(b, build_place, __func__, "closes a while without a body", "kg_build_while_body first");
  else kgi_end(&b->b);
}

void kg_build_break(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_break_here(&b->b);
}

void kg_build_continue(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_continue_here(&b->b);
}

void kg_build_return(kg_builder *b) {
  if (kgi_build_in_program(b, __func__)) kgi_return_here(&b->b);
}
