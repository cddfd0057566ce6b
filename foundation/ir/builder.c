#include "foundation/ir/builder.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/fold.h"
#include "foundation/ir/place.h"
#include "foundation/ir/slices.h"
#include "foundation/base/set.h"

#include <string.h>

void kgi_builder_init(kgi_builder *b, kg_module *module, kgi_diags *diags) {
  *b = (kgi_builder){.m = module, .diags = diags, .status = module ? KG_OK : KG_NO_MEMORY};
}

void kgi_fail(kgi_builder *b, kg_status status) {
  if (b->status == KG_OK) b->status = status;
}

static bool failed(kgi_builder *b) {
  if (b->status == KG_OK && b->m->arena.failed) kgi_fail(b, KG_NO_MEMORY);
  return b->status != KG_OK;
}

kg_status kgi_builder_status(kgi_builder *b) {
  if (failed(b) && b->status == KG_NO_MEMORY) KGI_DIAG(b->diags, no_memory, 0, "");
  return b->status;
}

kgi_scope *kgi_builder_scope(kgi_builder *b) { return b->p ? &b->p->scope : &b->m->scope; }

/* ---- instructions and their links ---- */

static bool reserve(kgi_builder *b) {
  kgi_program *p = b->p;
  if (failed(b)) return false;
  if (p->inst_count >= KGI_MAX_INSTRUCTIONS) {
    KGI_DIAG(b->diags, too_large, b->pos, "the number of instructions", KGI_NUM(KGI_MAX_INSTRUCTIONS));
    kgi_fail(b, KG_INVALID);
    return false;
  }
  kgi_arena *arena = &b->m->arena;
  return (kgi_arena_grow(arena, &p->inst, p->inst_count, &p->inst_cap, sizeof *p->inst) &&
          kgi_arena_grow(arena, &p->inst_pos, p->inst_count, &p->inst_pos_cap, sizeof *p->inst_pos) &&
          kgi_arena_grow(arena, &p->inst_name, p->inst_count, &p->inst_name_cap, sizeof *p->inst_name)) ||
         !failed(b);
}

void kgi_reserve_instructions(kgi_builder *b, uint32_t count) {
  kgi_program *p = b->p;
  kgi_arena *arena = &b->m->arena;
  if (failed(b)) return;
  kgi_arena_reserve(arena, &p->inst, p->inst_count, &p->inst_cap, count, sizeof *p->inst);
  kgi_arena_reserve(arena, &p->inst_pos, p->inst_count, &p->inst_pos_cap, count, sizeof *p->inst_pos);
  kgi_arena_reserve(arena, &p->inst_name, p->inst_count, &p->inst_name_cap, count, sizeof *p->inst_name);
}

static uint32_t append(kgi_builder *b, kgi_inst inst) {
  if (!reserve(b)) return 0;
  kgi_program *p = b->p;
  uint32_t index = p->inst_count++;
  p->inst[index] = inst;
  p->inst_pos[index] = b->pos;
  p->inst_name[index] = (kgi_str){0};
  return index;
}

static void link_at(kgi_program *p, uint32_t index, kgi_cursor at) {
  kgi_inst *inst = &p->inst[index];
  kgi_block *block = &p->block[at.block];
  inst->block = at.block;
  inst->prev = at.after;
  inst->next = at.after ? p->inst[at.after].next : block->first;
  if (inst->prev) p->inst[inst->prev].next = index; else block->first = index;
  if (inst->next) p->inst[inst->next].prev = index; else block->last = index;
}

uint32_t kgi_append(kgi_builder *b, kgi_inst inst) {
  uint32_t index = append(b, inst);
  if (!index) return 0;
  link_at(b->p, index, b->at);
  b->at.after = index;
  return index;
}

static kgi_val emit_value(kgi_builder *b, kgi_inst inst) { return (kgi_val){kgi_append(b, inst)}; }

void kgi_remove(kgi_program *p, uint32_t index) {
  kgi_inst *inst = &p->inst[index];
  kgi_block *block = &p->block[inst->block];
  if (inst->prev) p->inst[inst->prev].next = inst->next; else block->first = inst->next;
  if (inst->next) p->inst[inst->next].prev = inst->prev; else block->last = inst->prev;
  inst->next = inst->prev = inst->block = 0;
}

void kgi_move(kgi_program *p, uint32_t index, kgi_cursor to) {
  if (to.after == index) return;
  kgi_remove(p, index);
  link_at(p, index, to);
}

kgi_cursor kgi_at_start(kgi_blk block) { return (kgi_cursor){block, 0}; }
kgi_cursor kgi_at_end(const kgi_program *p, kgi_blk block) { return (kgi_cursor){block, p->block[block].last}; }
kgi_cursor kgi_before(const kgi_program *p, uint32_t inst) { return (kgi_cursor){p->inst[inst].block, p->inst[inst].prev}; }
kgi_cursor kgi_behind(const kgi_program *p, uint32_t inst) { return (kgi_cursor){p->inst[inst].block, inst}; }

static bool is_in(const kgi_program *p, kgi_blk block, uint32_t statement) {
  while (block > KGI_BODY && p->block[block].owner != statement) block = p->inst[p->block[block].owner].block;
  return block > KGI_BODY;
}

void kgi_raise(kgi_program *p, uint32_t value, uint32_t statement) {
  const kgi_inst x = p->inst[value];
  if (kgi_is_leaf(x.kind) || !is_in(p, x.block, statement)) return;
  kgi_span operands = kgi_operands(&x);
  for (unsigned k = 0; k < operands.count; k++) kgi_raise(p, x.arg[operands.first + k], statement);
  kgi_move(p, value, kgi_before(p, statement));
}

kg_type kgi_type_of(const kgi_program *p, kgi_val x) { return (kg_type)p->inst[x.i].type; }

unsigned kgi_depth_of(const kgi_program *p, kgi_blk block) {
  unsigned depth = 0;
  for (; block > KGI_BODY; block = p->inst[p->block[block].owner].block) depth++;
  return depth;
}

kgi_blk kgi_block_new(kgi_builder *b, uint32_t owner) {
  if (failed(b)) return 0;
  kgi_program *p = b->p;
  if (kgi_depth_of(p, p->inst[owner].block) >= KGI_MAX_DEPTH) {
    KGI_DIAG(b->diags, too_large, b->pos, "the nesting of blocks", KGI_NUM(KGI_MAX_DEPTH));
    kgi_fail(b, KG_INVALID);
    return 0;
  }
  if (!kgi_arena_grow(&b->m->arena, &p->block, p->block_count, &p->block_cap, sizeof *p->block)) return 0;
  p->block[p->block_count] = (kgi_block){.owner = owner};
  return p->block_count++;
}

/* ---- declarations ---- */

kgi_program *kgi_begin_program(kgi_builder *b, const char *name) {
  if (failed(b)) return NULL;
  b->p = kgi_module_add_program(b->m);
  if (failed(b) || !b->p) return kgi_fail(b, KG_NO_MEMORY), NULL;
  b->p->name = kgi_intern_z(b->m, name);
  b->p->pos = b->pos;
  b->at = kgi_at_start(KGI_BODY);
  return b->p;
}

void kgi_end_program(kgi_builder *b) { b->p = NULL; }

void kgi_resume_program(kgi_builder *b, kgi_program *program) {
  b->p = program;
  b->at = kgi_at_end(program, KGI_BODY);
}

kgi_obj kgi_object_add(kgi_builder *b, const kgi_object *object) {
  if (failed(b)) return (kgi_obj){0};
  kgi_scope *s = kgi_builder_scope(b);
  const char *name = kgi_string(b->m, object->name);
  if (object->space == KGI_BUFFER && object->type == KG_BOOL) {
    KGI_DIAG(b->diags, bool_buffer, object->pos, name);
    return kgi_fail(b, KG_INVALID), (kgi_obj){0};
  }
  if (object->space == KGI_BUFFER && s->object_count > 1 && s->object[s->object_count - 1].space != KGI_BUFFER) {
    KGI_DIAG(b->diags, buffer_order, object->pos, name);
    return kgi_fail(b, KG_INVALID), (kgi_obj){0};
  }
  if (!kgi_arena_grow(&b->m->arena, &s->object, s->object_count, &s->object_cap, sizeof *s->object)) return (kgi_obj){0};
  s->object[s->object_count] = *object;
  return (kgi_obj){s->object_count++};
}

static kgi_obj declare(kgi_builder *b, kgi_space space, const char *name, kg_type type, kg_mode mode, kgi_dim length) {
  if (failed(b)) return (kgi_obj){0};
  return kgi_object_add(b, &(kgi_object){.name = kgi_intern_z(b->m, name), .pos = b->pos, .space = (uint8_t)space,
                                         .type = (uint8_t)type, .mode = (uint8_t)mode, .length = length});
}

kgi_obj kgi_buffer(kgi_builder *b, const char *name, kg_type type, kg_mode mode, kgi_dim length) {
  return declare(b, KGI_BUFFER, name, type, mode, length);
}

kgi_obj kgi_shared(kgi_builder *b, const char *name, kg_type type, kgi_dim length) {
  return declare(b, KGI_SHARED, name, type, 0, length);
}

void kgi_set_extents(kgi_builder *b, kgi_object *o, const kgi_dim *extent, unsigned rank) {
  o->rank = (uint8_t)rank;
  o->length = extent[0];
  for (unsigned k = 0; k < rank; k++) o->extent[k] = extent[k];
  for (unsigned k = 1; k < rank; k++) o->length = kgi_len_op(b, KGI_DIM_MUL, o->length, extent[k]);
}

uint32_t kgi_param_add(kgi_builder *b, const kgi_param *param) {
  if (failed(b)) return 0;
  kgi_scope *s = kgi_builder_scope(b);
  if (!kgi_arena_grow(&b->m->arena, &s->param, s->param_count, &s->param_cap, sizeof *s->param)) return 0;
  s->param[s->param_count] = *param;
  s->param[s->param_count].bits = kgi_canonical_bits((kg_type)param->type, param->bits);
  return s->param_count++;
}

uint32_t kgi_spec_add(kgi_builder *b, const kgi_spec *spec) {
  if (failed(b)) return 0;
  kgi_scope *s = kgi_builder_scope(b);
  if (!kgi_arena_grow(&b->m->arena, &s->spec, s->spec_count, &s->spec_cap, sizeof *s->spec)) return 0;
  s->spec[s->spec_count] = *spec;
  s->spec[s->spec_count].bits = kgi_canonical_bits((kg_type)spec->type, spec->bits);
  return s->spec_count++;
}

kgi_dim kgi_len_int(kgi_builder *b, int64_t value) {
  return failed(b) ? (kgi_dim){0} : kgi_dim_int(&b->m->arena, kgi_builder_scope(b), value);
}

kgi_dim kgi_len_float(kgi_builder *b, double value) {
  return failed(b) ? (kgi_dim){0} : kgi_dim_float(&b->m->arena, kgi_builder_scope(b), value);
}

static kgi_dim len_leaf(kgi_builder *b, kgi_dim_op op, uint32_t index) {
  return failed(b) ? (kgi_dim){0} : kgi_dim_leaf(&b->m->arena, kgi_builder_scope(b), op, index);
}

kgi_dim kgi_len_param(kgi_builder *b, uint32_t param) { return len_leaf(b, KGI_DIM_PARAM, param); }
kgi_dim kgi_len_spec(kgi_builder *b, uint32_t spec) { return len_leaf(b, KGI_DIM_SPEC, spec); }
kgi_dim kgi_len_of(kgi_builder *b, kgi_obj buffer) { return len_leaf(b, KGI_DIM_LEN, buffer.i); }

kgi_dim kgi_len_op(kgi_builder *b, kgi_dim_op op, kgi_dim x, kgi_dim y) {
  return failed(b) ? (kgi_dim){0} : kgi_dim_binary(&b->m->arena, kgi_builder_scope(b), op, x, y);
}

/* ---- leaves ---- */

static uint64_t leaf_hash(const kgi_inst *inst) {
  uint32_t key[4] = {(uint32_t)inst->kind << 16 | (uint32_t)inst->op << 8 | inst->type, inst->arg[0], inst->arg[1], 0};
  return kgi_hash(key, sizeof key);
}

static uint64_t rehash_leaf(const void *owner, uint32_t index) { return leaf_hash(&((const kgi_program *)owner)->inst[index]); }

typedef struct query { const kgi_program *p; kgi_inst inst; } query;

static bool same_leaf(const void *context, uint32_t index) {
  const query *q = context;
  const kgi_inst *x = &q->p->inst[index], *y = &q->inst;
  return x->kind == y->kind && x->op == y->op && x->type == y->type && x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1];
}

static kgi_val leaf(kgi_builder *b, kgi_inst inst) {
  if (failed(b)) return (kgi_val){0};
  query q = {b->p, inst};
  uint32_t found = kgi_set_find(&b->p->leaves, leaf_hash(&inst), same_leaf, &q);
  if (found) return (kgi_val){found};
  uint32_t index = append(b, inst);
  if (!index || !kgi_set_add(&b->m->arena, &b->p->leaves, index, rehash_leaf, b->p)) return (kgi_val){0};
  return (kgi_val){index};
}

bool kgi_list_leaves(kgi_builder *b) {
  kgi_program *p = b->p;
  p->leaves = (kgi_set){0};
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (kgi_is_leaf(p->inst[i].kind) && !kgi_set_add(&b->m->arena, &p->leaves, i, rehash_leaf, p)) return false;
  return true;
}

/* One NaN per type, so that equal programs have equal digests. */
uint64_t kgi_canonical_bits(kg_type type, uint64_t bits) {
  unsigned width = type == KG_BOOL ? 1 : kgi_type_bits(type);
  if (width < 64) bits &= (UINT64_C(1) << width) - 1;
  if (type == KG_F32 && (bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC00000;
  if (type == KG_F16 && (bits & 0x7FFF) > 0x7C00) return 0x7E00;
  if (type == KG_F64 && (bits & INT64_MAX) > UINT64_C(0x7FF0000000000000)) return UINT64_C(0x7FF8000000000000);
  return bits;
}

kgi_val kgi_literal_of(kgi_builder *b, kg_type type, uint64_t bits) {
  if (!failed(b) && !kgi_type_computes(type)) {
    KGI_DIAG(b->diags, storage_type, b->pos, kg_type_name(type), kg_type_name(kgi_type_value(type)));
    kgi_fail(b, KG_INVALID);
  }
  bits = kgi_canonical_bits(type, bits);
  return leaf(b, (kgi_inst){.kind = KGI_literal, .type = (uint8_t)type, .arg = {(uint32_t)bits, (uint32_t)(bits >> 32)}});
}

kgi_val kgi_int(kgi_builder *b, kg_type type, int64_t value) {
  if (kgi_is_float(type)) return kgi_float(b, type, (double)value);
  return kgi_literal_of(b, type, type == KG_BOOL ? value != 0 : (uint64_t)value);
}

kgi_val kgi_float(kgi_builder *b, kg_type type, double value) { return kgi_literal_of(b, type, kgi_float_bits(type, value)); }
kgi_val kgi_bool(kgi_builder *b, bool value) { return kgi_literal_of(b, KG_BOOL, value); }
kgi_val kgi_i32(kgi_builder *b, int32_t value) { return kgi_literal_of(b, KG_I32, (uint32_t)value); }
kgi_val kgi_u32(kgi_builder *b, uint32_t value) { return kgi_literal_of(b, KG_U32, value); }
kgi_val kgi_f32(kgi_builder *b, float value) { return kgi_float(b, KG_F32, value); }

kgi_val kgi_param_value(kgi_builder *b, uint32_t param) {
  if (failed(b)) return (kgi_val){0};
  return leaf(b, (kgi_inst){.kind = KGI_param, .type = b->p->scope.param[param].type, .arg = {param}});
}

kgi_val kgi_spec_value(kgi_builder *b, uint32_t spec) {
  if (failed(b)) return (kgi_val){0};
  return leaf(b, (kgi_inst){.kind = KGI_spec, .type = b->p->scope.spec[spec].type, .arg = {spec}});
}

kgi_val kgi_id_value(kgi_builder *b, kgi_id id, unsigned component) {
  return leaf(b, (kgi_inst){.kind = KGI_id, .op = (uint8_t)id, .type = KG_U32, .arg = {component}});
}

kgi_val kgi_len_leaf(kgi_builder *b, kgi_obj object, uint32_t which) {
  return leaf(b, (kgi_inst){.kind = KGI_len, .type = KG_U32, .arg = {object.i, which}});
}

kgi_val kgi_len_value(kgi_builder *b, kgi_obj object) { return kgi_len_leaf(b, object, 0); }

kgi_val kgi_name(kgi_builder *b, kgi_val x, const char *name) {
  if (!failed(b) && x.i && !kgi_is_leaf(b->p->inst[x.i].kind)) b->p->inst_name[x.i] = kgi_intern_z(b->m, name);
  return x;
}

/* ---- operations ---- */

static kgi_val refuse(kgi_builder *b) { return kgi_fail(b, KG_INVALID), (kgi_val){0}; }

static kgi_val operation(kgi_builder *b, kgi_op op, const kgi_val *args, unsigned count, kg_type stated) {
  if (failed(b)) return (kgi_val){0};
  const kgi_op_row *row = &kgi_op_rows[op];
  kg_type types[4] = {0};
  if (count != row->arity) {
    KGI_DIAG(b->diags, operand_count, b->pos, row->name, KGI_NUM(row->arity), KGI_NUM(count));
    return refuse(b);
  }
  kgi_inst inst = {.kind = KGI_op, .op = (uint8_t)op};
  for (unsigned i = 0; i < count; i++) types[i] = kgi_type_of(b->p, args[i]), inst.arg[i] = args[i].i;
  kg_type type = kgi_rule_check((kgi_rule)row->rule, row->name, count, types, stated, b->diags, b->pos);
  if (type == KG_NONE) return refuse(b);
  inst.type = (uint8_t)type;
  if (b->simplify) {
    kgi_val simpler = kgi_fold(b, &inst);
    if (simpler.i || failed(b)) return simpler;
  }
  return emit_value(b, inst);
}

kgi_val kgi_apply(kgi_builder *b, kgi_op op, const kgi_val *args, unsigned count) { return operation(b, op, args, count, KG_NONE); }
kgi_val kgi_op1(kgi_builder *b, kgi_op op, kgi_val x) { return operation(b, op, &x, 1, KG_NONE); }
kgi_val kgi_op2(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y) { return operation(b, op, (kgi_val[]){x, y}, 2, KG_NONE); }
kgi_val kgi_op3(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y, kgi_val z) {
  return operation(b, op, (kgi_val[]){x, y, z}, 3, KG_NONE);
}
kgi_val kgi_op4(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y, kgi_val z, kgi_val w) {
  return operation(b, op, (kgi_val[]){x, y, z, w}, 4, KG_NONE);
}

kgi_val kgi_convert(kgi_builder *b, kg_type type, kgi_val x) {
  if (!failed(b) && kgi_type_of(b->p, x) == type) return x;
  return operation(b, KGI_OP_convert, &x, 1, type);
}

kgi_val kgi_bitcast(kgi_builder *b, kg_type type, kgi_val x) { return operation(b, KGI_OP_bitcast, &x, 1, type); }

/* ---- memory ---- */

kgi_obj kgi_var(kgi_builder *b, const char *name, kg_type type, kgi_dim length) {
  if (failed(b)) return (kgi_obj){0};
  return kgi_var_add(b, &(kgi_object){.name = kgi_intern_z(b->m, name), .pos = b->pos, .space = KGI_VAR, .type = (uint8_t)type,
                                      .length = length, .scalar = length.i == 0});
}

kgi_obj kgi_var_add(kgi_builder *b, const kgi_object *var) {
  kgi_obj object = kgi_object_add(b, var);
  if (object.i) kgi_append(b, (kgi_inst){.kind = KGI_var, .arg = {object.i}});
  return object;
}

/* The type of an access's value, or KG_NONE where the access is malformed. */
static kg_type access(kgi_builder *b, kgi_obj object, kgi_val index) {
  const kgi_object *o = &b->p->scope.object[object.i];
  const char *name = kgi_string(b->m, o->name);
  if (!object.i) return kgi_fail(b, KG_INVALID), KG_NONE;
  if (o->scalar == (index.i != 0)) {
    if (o->scalar) KGI_DIAG(b->diags, index_of_scalar, b->pos, name);
    else KGI_DIAG(b->diags, missing_index, b->pos, name);
    return kgi_fail(b, KG_INVALID), KG_NONE;
  }
  kg_type type = kgi_type_of(b->p, index);
  if (index.i && !kgi_is_int(type)) {
    KGI_DIAG(b->diags, index_type, b->pos, kg_type_name(type));
    return kgi_fail(b, KG_INVALID), KG_NONE;
  }
  return kgi_type_value(o->type);
}

static bool expect(kgi_builder *b, kg_type want, kgi_val got) {
  kg_type type = kgi_type_of(b->p, got);
  if (type == want) return true;
  KGI_DIAG(b->diags, type_mismatch, b->pos, kg_type_name(want), kg_type_name(type));
  kgi_fail(b, KG_INVALID);
  return false;
}

kgi_val kgi_load(kgi_builder *b, kgi_obj object, kgi_val index) {
  kg_type type = failed(b) ? KG_NONE : access(b, object, index);
  if (type == KG_NONE) return (kgi_val){0};
  return emit_value(b, (kgi_inst){.kind = KGI_load, .type = (uint8_t)type, .arg = {object.i, index.i}});
}

void kgi_store(kgi_builder *b, kgi_obj object, kgi_val index, kgi_val value) {
  kg_type type = failed(b) ? KG_NONE : access(b, object, index);
  if (type == KG_NONE || !expect(b, type, value)) return;
  kgi_append(b, (kgi_inst){.kind = KGI_store, .arg = {object.i, index.i, value.i}});
}

kgi_val kgi_atomic_op(kgi_builder *b, kgi_atomic op, kgi_obj object, kgi_val index, kgi_val operand, kgi_val with) {
  const kgi_atomic_row *row = &kgi_atomic_rows[op];
  kg_type type = failed(b) ? KG_NONE : access(b, object, index);
  if (type == KG_NONE) return (kgi_val){0};
  const kgi_object *o = &b->p->scope.object[object.i];
  if (o->space == KGI_VAR || type != o->type) {
    KGI_DIAG(b->diags, atomic_object, b->pos, kgi_string(b->m, o->name));
    return refuse(b);
  }
  if (!kgi_rule_check((kgi_rule)row->rule, row->name, 1, &type, KG_NONE, b->diags, b->pos)) return refuse(b);
  if (row->operands > 0 && !expect(b, type, operand)) return (kgi_val){0};
  if (row->operands > 1 && !expect(b, type, with)) return (kgi_val){0};
  return emit_value(b, (kgi_inst){.kind = KGI_atomic, .op = (uint8_t)op, .type = row->result ? (uint8_t)type : KG_NONE,
                                  .arg = {object.i, index.i, operand.i, with.i}});
}

kgi_val kgi_subgroup_op(kgi_builder *b, kgi_subgroup op, kgi_val x, kgi_val y) {
  if (failed(b)) return (kgi_val){0};
  const kgi_subgroup_row *row = &kgi_subgroup_rows[op];
  kg_type types[2] = {kgi_type_of(b->p, x), kgi_type_of(b->p, y)};
  kg_type type = kgi_rule_check((kgi_rule)row->rule, row->name, row->operands, types, KG_NONE, b->diags, b->pos);
  if (type == KG_NONE) return refuse(b);
  return emit_value(b, (kgi_inst){.kind = KGI_subgroup, .op = (uint8_t)op, .type = (uint8_t)type, .arg = {x.i, y.i}});
}

void kgi_barrier_here(kgi_builder *b) { kgi_append(b, (kgi_inst){.kind = KGI_barrier}); }
void kgi_memory_barrier_here(kgi_builder *b) { kgi_append(b, (kgi_inst){.kind = KGI_memory_barrier}); }

void kgi_assert(kgi_builder *b, kgi_val condition, const char *message) {
  if (failed(b) || !expect(b, KG_BOOL, condition)) return;
  kgi_append(b, (kgi_inst){.kind = KGI_check, .arg = {condition.i, kgi_intern_z(b->m, message).i}});
}

/* ---- control ---- */

/* Gives `owner` a block in arg[slot] and puts the cursor there. */
static void open_block(kgi_builder *b, uint32_t owner, unsigned slot) {
  if (!owner) return;
  kgi_blk block = kgi_block_new(b, owner);
  if (!block) return;
  b->p->inst[owner].arg[slot] = block;
  b->at = kgi_at_start(block);
}

void kgi_if_begin(kgi_builder *b, kgi_val condition) {
  if (failed(b) || !expect(b, KG_BOOL, condition)) return;
  open_block(b, kgi_append(b, (kgi_inst){.kind = KGI_if, .arg = {condition.i}}), 1);
}

void kgi_else(kgi_builder *b) {
  if (!failed(b)) open_block(b, b->p->block[b->at.block].owner, 2);
}

kgi_val kgi_for_begin(kgi_builder *b, const char *index, kgi_val from, kgi_val to, kgi_val step, bool reversed) {
  if (failed(b)) return (kgi_val){0};
  kg_type type = kgi_type_of(b->p, from);
  if (!kgi_is_int(type)) {
    KGI_DIAG(b->diags, index_type, b->pos, kg_type_name(type));
    return refuse(b);
  }
  if (!step.i) step = kgi_int(b, type, 1);
  if (!expect(b, type, to) || !expect(b, type, step)) return (kgi_val){0};
  uint32_t loop = kgi_append(b, (kgi_inst){.kind = KGI_for, .type = (uint8_t)type, .flags = reversed ? KGI_REVERSED : 0,
                                         .arg = {from.i, to.i, step.i}});
  kgi_name(b, (kgi_val){loop}, index);
  open_block(b, loop, 3);
  return (kgi_val){loop};
}

void kgi_while_begin(kgi_builder *b) {
  if (!failed(b)) open_block(b, kgi_append(b, (kgi_inst){.kind = KGI_while}), 1);
}

void kgi_while_body(kgi_builder *b, kgi_val condition, kgi_dim limit) {
  if (failed(b) || !expect(b, KG_BOOL, condition)) return;
  uint32_t loop = b->p->block[b->at.block].owner;
  b->p->inst[loop].arg[0] = condition.i;
  b->p->inst[loop].arg[3] = limit.i;
  open_block(b, loop, 2);
}

void kgi_region_begin(kgi_builder *b, const char *name) {
  if (!failed(b)) open_block(b, kgi_append(b, (kgi_inst){.kind = KGI_region, .arg = {0, kgi_intern_z(b->m, name).i}}), 0);
}

void kgi_checkpoint_begin(kgi_builder *b, const char *name) {
  if (!failed(b)) open_block(b, kgi_append(b, (kgi_inst){.kind = KGI_checkpoint, .arg = {0, kgi_intern_z(b->m, name).i}}), 0);
}

void kgi_end(kgi_builder *b) {
  if (failed(b)) return;
  uint32_t owner = b->p->block[b->at.block].owner;
  if (owner) b->at = kgi_behind(b->p, owner);
}

void kgi_break_here(kgi_builder *b) { kgi_append(b, (kgi_inst){.kind = KGI_break}); }
void kgi_continue_here(kgi_builder *b) { kgi_append(b, (kgi_inst){.kind = KGI_continue}); }
void kgi_return_here(kgi_builder *b) { kgi_append(b, (kgi_inst){.kind = KGI_return}); }

/* ---- a module's order of work ---- */

static uint32_t add_item(kgi_builder *b, kgi_item item) {
  if (failed(b)) return 0;
  kg_module *m = b->m;
  if (!kgi_arena_grow(&m->arena, &m->item, m->item_count, &m->item_cap, sizeof *m->item)) return 0;
  item.pos = b->pos;
  m->item[m->item_count] = item;
  return m->item_count++;
}

uint32_t kgi_run_begin(kgi_builder *b, uint32_t program) {
  uint32_t item = add_item(b, (kgi_item){.kind = KGI_ITEM_RUN, .program = program, .binding = b->m->bind_count});
  if (!item) return 0;
  for (uint32_t i = 0, n = kgi_run_entries(b->m->program[program]); i < n; i++) {
    if (!kgi_arena_grow(&b->m->arena, &b->m->bind, b->m->bind_count, &b->m->bind_cap, sizeof *b->m->bind)) return 0;
    b->m->bind[b->m->bind_count++] = 0;
  }
  return item;
}

void kgi_run_bind_buffer(kgi_builder *b, uint32_t item, uint32_t program_object, uint32_t module_object) {
  kgi_run_bind_slice(b, item, program_object, module_object, (kgi_slice){{0}, {0}});
}

void kgi_run_bind_slice(kgi_builder *b, uint32_t item, uint32_t program_object, uint32_t module_object, kgi_slice slice) {
  if (failed(b)) return;
  const kgi_item *run = &b->m->item[item];
  const kgi_scope *s = &b->m->program[run->program]->scope;
  uint32_t *bind = b->m->bind + run->binding, *pairs = bind + kgi_buffer_end(s) - 1 + s->param_count - 1;
  bind[program_object - 1] = module_object;
  pairs[2 * (program_object - 1)] = slice.from.i, pairs[2 * (program_object - 1) + 1] = slice.to.i;
}

void kgi_run_bind_param(kgi_builder *b, uint32_t item, uint32_t program_param, kgi_dim value) {
  if (failed(b)) return;
  const kgi_item *run = &b->m->item[item];
  b->m->bind[run->binding + kgi_buffer_end(&b->m->program[run->program]->scope) - 1 + program_param - 1] = value.i;
}

uint32_t kgi_repeat_begin(kgi_builder *b, const char *index, kgi_dim from, kgi_dim to, kgi_dim step, bool reversed) {
  if (failed(b)) return 0;
  return add_item(b, (kgi_item){.kind = KGI_ITEM_REPEAT, .name = kgi_intern_z(b->m, index), .from = from, .to = to, .step = step,
                                .reversed = reversed});
}

void kgi_item_append(kgi_builder *b, uint32_t parent, uint32_t item) {
  if (failed(b) || !item) return;
  uint32_t *slot = parent ? &b->m->item[parent].first : &b->m->first_item;
  if (*slot && b->last_item && b->filled == parent) slot = &b->m->item[b->last_item].next;
  while (*slot) slot = &b->m->item[*slot].next;
  *slot = item;
  b->filled = parent, b->last_item = item;
}
