/* The statements of a program in their order, with their tangents. The tangents of values wait until a statement needs them, so that
 * what was written as one statement stays one: they stand behind the next store to what has a twin, and before whatever might change
 * what they load: a barrier, a branch, a loop, the end of a block. */
#include "autodiff/forward/jvp.h"
#include "foundation/ir/place.h"

static const kgi_inst *inst_of(const kgi_jvp *t, uint32_t i) { return &kgi_jvp_program(t)->inst[i]; }

/* ---- the primal ---- */

kgi_val kgi_jvp_value(kgi_jvp *t, uint32_t value) {
  const kgi_inst *inst = inst_of(t, value);
  if (!kgi_is_leaf(inst->kind) || t->map[value]) return (kgi_val){t->map[value]};
  kgi_val made = {0};
  if (inst->kind == KGI_literal) made = kgi_literal_of(t->b, (kg_type)inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_spec) made = kgi_spec_value(t->b, inst->arg[0]);
  if (inst->kind == KGI_param) made = kgi_param_value(t->b, inst->arg[0]);
  if (inst->kind == KGI_id) made = kgi_id_value(t->b, (kgi_id)inst->op, inst->arg[0]);
  if (inst->kind == KGI_len) made = kgi_len_leaf(t->b, t->out[inst->arg[0]], inst->arg[1]);
  t->map[value] = made.i;
  return made;
}

/* Instructions refer to objects, values and strings of the working program; here to those of the emitted one. */
static kgi_inst translated(kgi_jvp *t, uint32_t i) {
  kgi_inst inst = *inst_of(t, i);
  kgi_span span = kgi_operands(&inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst.arg[k]) inst.arg[k] = kgi_jvp_value(t, inst.arg[k]).i;
  if (kgi_touches(&inst)) inst.arg[0] = t->out[inst.arg[0]].i;
  if (inst.kind == KGI_check || kgi_is_region(&inst)) inst.arg[1] = kgi_intern_z(t->b->m, t->a->f.work->string[inst.arg[1]]).i;
  if (inst.kind == KGI_while) inst.arg[3] = t->dim_map[inst.arg[3]];
  kgi_span owned = kgi_owned_blocks(&inst);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) inst.arg[k] = 0;
  return inst;
}

static uint32_t emit(kgi_jvp *t, uint32_t i) {
  kgi_str name = kgi_jvp_program(t)->inst_name[i];
  uint32_t made = t->map[i] = kgi_append(t->b, translated(t, i));
  if (made && name.i) t->b->p->inst_name[made] = kgi_intern_z(t->b->m, kgi_jvp_string(t, name));
  return made;
}

/* ---- memory ---- */

static kgi_obj add_var(kgi_jvp *t, const kgi_object *like, kgi_str name, kg_type type) {
  kgi_object o = *like;
  o.name = name;
  o.type = (uint8_t)type;
  kgi_copy_extents(&o, like, t->dim_map);
  return kgi_var_add(t->b, &o);
}

static void declare_twin(kgi_jvp *t, uint32_t object, unsigned d) {
  const kgi_object *o = &kgi_jvp_program(t)->scope.object[object];
  if (!kgi_ad_active_object(t->a, object)) return;
  kgi_str name = kgi_names_free(&t->names, "tan_", kgi_jvp_string(t, o->name));
  t->twin[(size_t)object * t->directions + d] = add_var(t, o, name, kgi_ad_type(o->type));
}

/* Where a store follows, which gives the var its first value, the twin is declared behind that. */
static bool is_initialised(const kgi_jvp *t, uint32_t decl) {
  const kgi_inst *next = inst_of(t, inst_of(t, decl)->next);
  return next->kind == KGI_store && next->arg[0] == inst_of(t, decl)->arg[0];
}

static void declare_var(kgi_jvp *t, uint32_t i) {
  uint32_t object = inst_of(t, i)->arg[0];
  const kgi_object *o = &kgi_jvp_program(t)->scope.object[object];
  t->out[object] = add_var(t, o, kgi_intern_z(t->b->m, kgi_jvp_string(t, o->name)), (kg_type)o->type);
  for (unsigned d = 0; d < t->directions && !is_initialised(t, i); d++) declare_twin(t, object, d);
}

typedef struct place { kgi_obj object; kgi_val index; } place;

/* Of the element that the instruction touches, in direction d. A buffer with several directions is an array of two dimensions, so that
 * what is out of bounds in one does not lie in the next. */
static place twin_of(kgi_jvp *t, uint32_t i, unsigned d) {
  const kgi_inst *inst = inst_of(t, i);
  const kgi_obj *twins = &t->twin[(size_t)inst->arg[0] * t->directions];
  kgi_val index = inst->arg[1] ? kgi_jvp_value(t, inst->arg[1]) : (kgi_val){0};
  if (!kgi_jvp_is_buffer(t, inst->arg[0]) || t->apart[inst->arg[0]]) return (place){twins[d], index};
  if (t->directions == 1) return (place){twins[0], index};
  kgi_val digits[2] = {kgi_i32(t->b, (int32_t)d), index};
  return (place){twins[0], index.i ? kgi_place(t->b, twins[0], digits, 2) : digits[0]};
}

static kgi_val load(kgi_jvp *t, uint32_t i, unsigned d) {
  place at = twin_of(t, i, d);
  return kgi_load(t->b, at.object, at.index);
}

static void store(kgi_jvp *t, uint32_t i, unsigned d) {
  const kgi_inst *inst = inst_of(t, i);
  place at = twin_of(t, i, d);
  kgi_val x = kgi_jvp_get(t, inst->arg[2], d);
  bool reset = kgi_ad_is_reset(t->a, i);
  if (reset) x = kgi_float(t->b, kgi_ad_type(inst_of(t, inst->arg[2])->type), 0);
  if (reset) kgi_atomic_op(t->b, (kgi_atomic)inst->op, at.object, at.index, x, (kgi_val){0}); /* the condition of a while takes no store */
  else if (inst->kind == KGI_atomic) kgi_atomic_op(t->b, KGI_ATOMIC_add, at.object, at.index, x, (kgi_val){0});
  else kgi_store(t->b, at.object, at.index, x.i ? x : kgi_float(t->b, kgi_ad_type(inst_of(t, inst->arg[2])->type), 0));
}

/* A store that stands behind the declaration of its var. */
static bool is_first_store(const kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = inst_of(t, i);
  return inst->prev && inst->kind == KGI_store && inst_of(t, inst->prev)->kind == KGI_var && inst_of(t, inst->prev)->arg[0] == inst->arg[0];
}

static bool has_twin(const kgi_jvp *t, uint32_t i) {
  uint32_t object = inst_of(t, i)->arg[0];
  bool twin = kgi_jvp_is_buffer(t, object) ? t->twin[(size_t)object * t->directions].i : kgi_ad_active_object(t->a, object);
  return twin && kgi_jvp_is_stored(t->a, i);
}

/* ---- one statement ---- */

/* A tangent is named after its value, unless it is some other value besides. */
static void make_tangent(kgi_jvp *t, uint32_t i, unsigned d) {
  uint32_t first_new = t->b->p->inst_count;
  const char *name = kgi_jvp_string(t, kgi_jvp_program(t)->inst_name[i]);
  t->b->pos = kgi_jvp_program(t)->inst_pos[i];
  kgi_val x = inst_of(t, i)->kind == KGI_load ? load(t, i, d) : kgi_jvp_op(t, i, d);
  kgi_jvp_set(t, i, d, x);
  if (*name && x.i >= first_new && !t->b->p->inst_name[x.i].i) t->b->p->inst_name[x.i] = kgi_names_free(&t->names, "tan_", name);
}

/* Of all values that wait. Directions do not mix, so that each is done with before the next. */
static void make_waiting(kgi_jvp *t, unsigned d) {
  for (uint32_t k = 0; k < t->waiting_count && t->b->status == KG_OK; k++) make_tangent(t, t->waiting[k], d);
}

static void flush(kgi_jvp *t) {
  for (unsigned d = 0; d < t->directions; d++) make_waiting(t, d);
  t->waiting_count = 0;
}

static void walk_store(kgi_jvp *t, uint32_t i) {
  emit(t, i);
  for (unsigned d = 0; d < t->directions && has_twin(t, i); d++) {
    make_waiting(t, d);
    t->b->pos = kgi_jvp_program(t)->inst_pos[i];
    if (is_first_store(t, i)) declare_twin(t, inst_of(t, i)->arg[0], d);
    store(t, i, d);
  }
  if (has_twin(t, i)) t->waiting_count = 0;
}

static void walk_plain(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = inst_of(t, i);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: case KGI_load:
    emit(t, i);
    if (kgi_ad_active(t->a, i)) t->waiting[t->waiting_count++] = i;
    return;
  case KGI_store: case KGI_atomic: walk_store(t, i); return;
  case KGI_subgroup:
    flush(t);
    emit(t, i);
    if (kgi_ad_active(t->a, i)) kgi_jvp_lanes(t, i);
    return;
  case KGI_barrier: case KGI_memory_barrier: case KGI_break: case KGI_continue: case KGI_return:
    flush(t);
    emit(t, i);
    return;
  case KGI_var: declare_var(t, i); return;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_check: case KGI_if: case KGI_for:
  case KGI_while: case KGI_region: case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
  emit(t, i);
}

static void walk(kgi_jvp *t, kgi_blk block);

/* The condition of a while is a value of the block that computes it, so it is known only after that block. */
static void walk_while(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = inst_of(t, i);
  kgi_while_begin(t->b);
  walk(t, inst->arg[1]);
  kgi_while_body(t->b, kgi_jvp_value(t, inst->arg[0]), (kgi_dim){t->dim_map[inst->arg[3]]});
  walk(t, inst->arg[2]);
  kgi_end(t->b);
}

static void walk_owner(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = inst_of(t, i);
  kgi_span owned = kgi_owned_blocks(inst);
  uint32_t made = emit(t, i);
  for (unsigned k = owned.first; made && k < owned.first + (unsigned)owned.count; k++) {
    kgi_blk block = kgi_block_new(t->b, made);
    if (!block) return;
    t->b->p->inst[made].arg[k] = block;
    t->b->at = kgi_at_start(block);
    walk(t, inst->arg[k]);
  }
  if (made) t->b->at = kgi_behind(t->b->p, made);
}

/* Recursion is bounded by KGI_MAX_DEPTH. */
static void walk(kgi_jvp *t, kgi_blk block) {
  KGI_EACH(kgi_jvp_program(t), block, i) {
    const kgi_inst *inst = inst_of(t, i);
    bool owner = kgi_owned_blocks(inst).count;
    if (t->b->status != KG_OK) return;
    if (owner) flush(t);
    t->b->pos = kgi_jvp_program(t)->inst_pos[i];
    if (inst->kind == KGI_while) walk_while(t, i);
    else if (owner) walk_owner(t, i);
    else walk_plain(t, i);
  }
  flush(t);
}

/* The tangents of params are at hand everywhere. */
static void load_params(kgi_jvp *t) {
  for (uint32_t q = 1; q < kgi_jvp_program(t)->scope.param_count; q++) {
    uint32_t value = t->a->f.param_value[q];
    if (!value || !kgi_ad_active(t->a, value)) continue;
    t->b->pos = kgi_jvp_program(t)->scope.param[q].pos;
    for (unsigned d = 0; d < t->directions; d++)
      kgi_jvp_set(t, value, d, kgi_load(t->b, t->param_twin[q], kgi_i32(t->b, (int32_t)d)));
  }
}

void kgi_jvp_walk(kgi_jvp *t) {
  load_params(t);
  walk(t, KGI_BODY);
}
