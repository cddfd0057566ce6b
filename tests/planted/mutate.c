#include "tests/planted/mutate.h"

#include "foundation/ir/builder.h"
#include "foundation/ir/slices.h"
#include "foundation/ir/validate.h"

#include <string.h>

const char *const kgt_defect_text[] = {
  "",
#define DEFECT(name, text) text,
#include "tests/planted/defects.def"
};

/* ---- what stands there ---- */

static const kgi_inst *at(const kgi_program *p, uint32_t i) { return &p->inst[i]; }

static bool is_literal(const kgi_program *p, uint32_t i) { return at(p, i)->kind == KGI_literal; }

static bool is_zero(const kgi_program *p, uint32_t i) {
  uint64_t bits = kgi_literal_bits(at(p, i));
  return is_literal(p, i) && (bits == 0 || (at(p, i)->type == KG_F32 && bits == 0x80000000));
}

/* Another operation on the same operands; the operation itself: there is none. */
static kgi_op sibling(kgi_op op) {
  static const struct { kgi_op op, other; } rows[] = {
    {KGI_OP_add, KGI_OP_sub}, {KGI_OP_sub, KGI_OP_add}, {KGI_OP_mul, KGI_OP_add}, {KGI_OP_mulz, KGI_OP_add}, {KGI_OP_div, KGI_OP_mul},
    {KGI_OP_min, KGI_OP_max}, {KGI_OP_max, KGI_OP_min}, {KGI_OP_sin, KGI_OP_cos}, {KGI_OP_cos, KGI_OP_sin}, {KGI_OP_exp, KGI_OP_expm1},
    {KGI_OP_sqrt, KGI_OP_rsqrt}, {KGI_OP_rsqrt, KGI_OP_sqrt}, {KGI_OP_sinh, KGI_OP_cosh}, {KGI_OP_cosh, KGI_OP_sinh},
    {KGI_OP_tanh, KGI_OP_atan}, {KGI_OP_rem, KGI_OP_div}, {KGI_OP_pow, KGI_OP_mul}, {KGI_OP_log, KGI_OP_log1p},
    {KGI_OP_lt, KGI_OP_le}, {KGI_OP_le, KGI_OP_lt}, {KGI_OP_gt, KGI_OP_ge}, {KGI_OP_ge, KGI_OP_gt}, {KGI_OP_and, KGI_OP_or},
    {KGI_OP_or, KGI_OP_and}, {KGI_OP_shl, KGI_OP_shr}, {KGI_OP_shr, KGI_OP_shl},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].op == op) return rows[k].other;
  return op;
}

/* shadow[i] = shadow[i] + v, with nothing between. */
static uint32_t added(const kgi_program *p, const kgi_inst *store) {
  const kgi_inst *sum = at(p, store->arg[2]);
  if (store->kind != KGI_store || sum->kind != KGI_op || sum->op != KGI_OP_add) return 0;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *load = at(p, sum->arg[k]);
    if (load->kind == KGI_load && load->arg[0] == store->arg[0] && load->arg[1] == store->arg[1]) return sum->arg[1 - k];
  }
  return 0;
}

/* The load before a zeroing that takes what it clears. */
static uint32_t load_before(const kgi_program *p, uint32_t i) {
  const kgi_inst *store = at(p, i);
  for (uint32_t k = store->prev; k; k = at(p, k)->prev)
    if (at(p, k)->kind == KGI_load && at(p, k)->arg[0] == store->arg[0] && at(p, k)->arg[1] == store->arg[1]) return k;
  return 0;
}

/* Where the forward sweep puts what the reverse needs. */
static bool is_slot(const kg_module *m, const kgi_program *p, uint32_t object) {
  const char *name = kgi_string(m, p->scope.object[object].name);
  return !strncmp(name, "kept_", 5) || !strncmp(name, "tape", 4);
}

/* The load that gave what the only store to a slot puts there, if that is a load of other memory. */
static uint32_t kept_load(const kg_module *m, const kgi_program *p, uint32_t i) {
  uint32_t found = 0;
  if (at(p, i)->kind != KGI_load || !is_slot(m, p, at(p, i)->arg[0])) return 0;
  for (uint32_t k = 1; k < p->inst_count; k++) {
    if (!at(p, k)->block || at(p, k)->kind != KGI_store || at(p, k)->arg[0] != at(p, i)->arg[0]) continue;
    if (found) return 0;
    found = at(p, k)->arg[2];
  }
  return found && at(p, found)->kind == KGI_load && !is_slot(m, p, at(p, found)->arg[0]) ? found : 0;
}

/* The entries of a run: of buffers, then of params, then two of each buffer's slice. The n-th that is no literal. */
static uint32_t *entry_of(const kg_module *m, const kgi_item *x, uint32_t from, uint32_t count, uint32_t step) {
  for (uint32_t k = from; k < from + count; k += step) {
    uint32_t *entry = &m->bind[x->binding + k];
    if (*entry && m->scope.dim[*entry].op != KGI_DIM_INT && m->scope.dim[*entry].op != KGI_DIM_FLOAT) return entry;
  }
  return NULL;
}

static uint32_t buffers_of(const kg_module *m, const kgi_item *x) { return kgi_buffer_end(&m->program[x->program]->scope) - 1; }

/* Of a slice's begin, that of its end follows. */
static uint32_t *slice_of(const kg_module *m, const kgi_item *x) {
  uint32_t buffers = buffers_of(m, x), params = m->program[x->program]->scope.param_count - 1;
  return entry_of(m, x, buffers + params, 2 * buffers, 2);
}

static uint32_t *argument_of(const kg_module *m, const kgi_item *x) {
  return entry_of(m, x, buffers_of(m, x), m->program[x->program]->scope.param_count - 1, 1);
}

/* ---- which ways there are ---- */

static kgt_defect kind_of_op(const kgi_program *p, const kgi_inst *x, uint32_t variant) {
  bool floats = kgi_is_float(x->type), logic = x->type == KG_BOOL;
  unsigned arity = kgi_op_rows[x->op].arity;
  kgt_defect usual = floats ? KGT_DEFECT_partial : logic ? KGT_DEFECT_condition : KGT_DEFECT_index;
  switch (variant) {
  case 0: return floats ? KGT_DEFECT_sign : logic ? KGT_DEFECT_condition : KGT_NO_DEFECT;
  case 1: return at(p, x->arg[0])->type == x->type ? usual : KGT_NO_DEFECT;
  case 2: return arity > 1 && at(p, x->arg[1])->type == x->type ? usual : KGT_NO_DEFECT;
  case 3: return sibling((kgi_op)x->op) != x->op ? usual : KGT_NO_DEFECT;
  case 4: case 5: case 6:
    if (variant - 4 >= arity || !is_literal(p, x->arg[variant - 4]) || at(p, x->arg[variant - 4])->type == KG_BOOL) return KGT_NO_DEFECT;
    return floats ? KGT_DEFECT_constant : usual;
  default: return KGT_NO_DEFECT;
  }
}

static bool stores(const kgi_inst *x) { return x->block && (x->kind == KGI_store || x->kind == KGI_atomic); }

/* To a buffer of floats that is indexed: what is stored to in the adjoint alone is a shadow. */
static bool is_first_store(const kgi_program *p, uint32_t i) {
  const kgi_object *o = &p->scope.object[at(p, i)->arg[0]];
  if (o->space != KGI_BUFFER || !kgi_is_float(o->type) || !at(p, i)->arg[1]) return false;
  for (uint32_t k = 1; k < i; k++)
    if (stores(at(p, k)) && at(p, k)->arg[0] == at(p, i)->arg[0]) return false;
  return true;
}

/* The first such store of an `if` that has nothing to do otherwise. */
static uint32_t store_within(const kgi_program *p, uint32_t i) {
  if (at(p, i)->arg[2]) return 0;
  KGI_EACH(p, at(p, i)->arg[1], k) {
    const kgi_object *o = stores(at(p, k)) ? &p->scope.object[at(p, k)->arg[0]] : NULL;
    if (o && o->space == KGI_BUFFER && kgi_is_float(o->type) && at(p, k)->arg[1]) return k;
  }
  return 0;
}

static kgt_defect kind_of_lost(const kgi_program *p, uint32_t i, bool zeroing) {
  if (zeroing) return load_before(p, i) ? KGT_DEFECT_spent : KGT_DEFECT_zeroing;
  return p->scope.object[at(p, i)->arg[0]].space == KGI_SHARED ? KGT_DEFECT_refill : KGT_DEFECT_lost;
}

static kgt_defect kind_of_store(const kgi_program *p, uint32_t i, uint32_t variant) {
  const kgi_inst *x = at(p, i);
  bool floats = kgi_is_float(p->scope.object[x->arg[0]].type), zeroing = floats && is_zero(p, x->arg[2]);
  switch (variant) {
  case 0: return kind_of_lost(p, i, zeroing);
  case 1: return x->arg[1] ? KGT_DEFECT_element : KGT_NO_DEFECT;
  case 2: return floats && !zeroing ? KGT_DEFECT_sign : KGT_NO_DEFECT;
  case 3: return added(p, x) ? KGT_DEFECT_plain : KGT_NO_DEFECT;
  case 4: return zeroing && load_before(p, i) ? KGT_DEFECT_moved : KGT_NO_DEFECT;
  case 5: return is_first_store(p, i) ? KGT_DEFECT_cleared : KGT_NO_DEFECT;
  default: return KGT_NO_DEFECT;
  }
}

static kgt_defect kind_of_atomic(const kgi_program *p, uint32_t i, uint32_t variant) {
  const kgi_inst *x = at(p, i);
  bool floats = kgi_is_float(p->scope.object[x->arg[0]].type);
  if (x->op != KGI_ATOMIC_add) return KGT_NO_DEFECT;
  switch (variant) {
  case 0: return KGT_DEFECT_lost;
  case 1: return x->arg[1] ? KGT_DEFECT_element : KGT_NO_DEFECT;
  case 2: return floats ? KGT_DEFECT_sign : KGT_NO_DEFECT;
  case 3: return KGT_DEFECT_plain;
  case 4: return KGT_DEFECT_atomic;
  case 5: return is_first_store(p, i) ? KGT_DEFECT_cleared : KGT_NO_DEFECT;
  default: return KGT_NO_DEFECT;
  }
}

/* Another mode that the caller sees: of what the module shares with its host. */
static bool is_mode(const kg_module *m, uint32_t object, uint32_t mode) {
  unsigned own = m->scope.object[object].mode;
  return (mode == KG_READ || mode == KG_WRITE || mode == KG_READ_WRITE) && own != KG_TEMP && own != mode;
}

enum { OTHER_SLICE = 5, OTHER_ARGUMENT };

static kgt_defect kind_of_item(const kg_module *m, uint32_t i, uint32_t variant) {
  bool run = i < m->item_count && m->item[i].kind == KGI_ITEM_RUN && !m->lone;
  if (variant == OTHER_SLICE) return run && slice_of(m, &m->item[i]) ? KGT_DEFECT_slice : KGT_NO_DEFECT;
  if (variant == OTHER_ARGUMENT) return run && argument_of(m, &m->item[i]) ? KGT_DEFECT_argument : KGT_NO_DEFECT;
  if (variant) return i < m->scope.object_count && is_mode(m, i, variant) ? KGT_DEFECT_mode : KGT_NO_DEFECT;
  if (i >= m->item_count) return KGT_NO_DEFECT;
  const kgi_item *x = &m->item[i];
  return x->kind == KGI_ITEM_REPEAT ? KGT_DEFECT_direction : x->kind == KGI_ITEM_RUN && m->item_count > 2 ? KGT_DEFECT_run : KGT_NO_DEFECT;
}

kgt_defect kgt_mutation_kind(const kg_module *m, kgt_mutation w) {
  if (!w.program) return kind_of_item(m, w.inst, w.variant);
  const kgi_program *p = m->program[w.program];
  const kgi_inst *x = at(p, w.inst);
  if (!x->block) return KGT_NO_DEFECT;
  switch ((kgi_kind)x->kind) {
  case KGI_op: return kind_of_op(p, x, w.variant);
  case KGI_load:
    if (w.variant == 1) return kept_load(m, p, w.inst) ? KGT_DEFECT_again : KGT_NO_DEFECT;
    return w.variant == 0 && x->arg[1] ? KGT_DEFECT_element : KGT_NO_DEFECT;
  case KGI_store:
    if (w.variant == 6) return x->arg[1] && is_slot(m, p, x->arg[0]) ? KGT_DEFECT_slot : KGT_NO_DEFECT;
    return kind_of_store(p, w.inst, w.variant);
  case KGI_atomic: return kind_of_atomic(p, w.inst, w.variant);
  case KGI_barrier: return w.variant == 0 ? KGT_DEFECT_barrier : w.variant == 1 ? KGT_DEFECT_divergent : KGT_NO_DEFECT;
  case KGI_for: return w.variant == 0 ? KGT_DEFECT_direction : w.variant < 3 ? KGT_DEFECT_range : KGT_NO_DEFECT;
  case KGI_if:
    if (w.variant == 2) return store_within(p, w.inst) ? KGT_DEFECT_passed : KGT_NO_DEFECT;
    return w.variant < 2 ? KGT_DEFECT_condition : KGT_NO_DEFECT;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_subgroup:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_while: case KGI_region: case KGI_break: case KGI_continue:
  case KGI_return: case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
  return KGT_NO_DEFECT;
}

/* With another sign, doubled, left out: 0, and 1. */
kgt_defect kgt_stated_kind(const kg_module *m, kgt_mutation w) {
  const kgi_inst *x = at(m->program[w.program], w.inst);
  bool stated = x->block && x->kind == KGI_op && x->op == KGI_OP_with_partial;
  return stated && w.variant >= KGT_STATED && w.variant < KGT_STATED + KGT_STATED_WAYS ? KGT_DEFECT_stated : KGT_NO_DEFECT;
}

/* ---- planting ---- */

/* What used `from` uses `to`, but for `except` itself. */
static void redirect(kgi_program *p, uint32_t from, uint32_t to, uint32_t except) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_span s = kgi_operands(&p->inst[i]);
    for (unsigned k = s.first; i != except && k < (unsigned)s.first + s.count; k++)
      if (p->inst[i].arg[k] == from) p->inst[i].arg[k] = to;
  }
}

static kgi_val one_more(kgi_builder *b, uint32_t x) {
  return kgi_op2(b, KGI_OP_add, (kgi_val){x}, kgi_int(b, (kg_type)b->p->inst[x].type, 1));
}

/* Twice as much, and one where that is the same. */
static kgi_val another(kgi_builder *b, uint32_t literal) {
  const kgi_inst x = b->p->inst[literal];
  if (!kgi_is_float(x.type)) return kgi_literal_of(b, (kg_type)x.type, kgi_literal_bits(&x) + 1);
  if (is_zero(b->p, literal)) return kgi_float(b, (kg_type)x.type, 1);
  uint32_t low = (uint32_t)kgi_literal_bits(&x);
  uint64_t bits = kgi_literal_bits(&x);
  float narrow;
  double wide;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return kgi_float(b, (kg_type)x.type, 2 * (x.type == KG_F64 ? wide : (double)narrow));
}

static void plant_in_op(kgi_builder *b, uint32_t i, uint32_t variant) {
  kgi_program *p = b->p;
  const kgi_inst x = p->inst[i];
  b->at = kgi_behind(p, i);
  if (variant == 0) {
    uint32_t turned = kgi_op1(b, x.type == KG_BOOL ? KGI_OP_not : KGI_OP_neg, (kgi_val){i}).i;
    redirect(p, i, turned, turned);
  }
  if (variant == 1 || variant == 2) redirect(p, i, x.arg[variant - 1], 0);
  if (variant == 3) p->inst[i].op = (uint8_t)sibling((kgi_op)x.op);
  if (variant < 4) return;
  uint32_t changed = another(b, x.arg[variant - 4]).i;
  p->inst[i].arg[variant - 4] = changed;
}

/* object[global_id.x] = 0, where the cursor stands. */
static void clear(kgi_builder *b, kgi_obj object) {
  kgi_val index = kgi_id_value(b, KGI_ID_global_id, 0), zero = kgi_float(b, (kg_type)b->p->scope.object[object.i].type, 0);
  kgi_store(b, object, index, zero);
}

static void clear_on_entry(kgi_builder *b, uint32_t store) {
  b->at = kgi_at_start(KGI_BODY);
  clear(b, (kgi_obj){b->p->inst[store].arg[0]});
}

static void plant_in_store(kgi_builder *b, uint32_t i, uint32_t variant) {
  kgi_program *p = b->p;
  const kgi_inst x = p->inst[i];
  uint32_t changed = 0;
  b->at = kgi_before(p, i);
  if (variant == 0) kgi_remove(p, i);
  if (variant == 1) changed = one_more(b, x.arg[1]).i, p->inst[i].arg[1] = changed;
  if (variant == 2) changed = kgi_op1(b, KGI_OP_neg, (kgi_val){x.arg[2]}).i, p->inst[i].arg[2] = changed;
  if (variant == 3) p->inst[i].arg[2] = added(p, &x);
  if (variant == 4) kgi_move(p, i, kgi_before(p, load_before(p, i)));
  if (variant == 5) clear_on_entry(b, i);
  if (variant == 6) changed = kgi_int(b, (kg_type)p->inst[x.arg[1]].type, 0).i, p->inst[i].arg[1] = changed;
}

/* As if nothing had changed the memory since. */
static void read_again(kgi_program *p, uint32_t i, uint32_t load) {
  p->inst[i].arg[0] = p->inst[load].arg[0];
  p->inst[i].arg[1] = p->inst[load].arg[1];
}

static void plant_in_load(kgi_builder *b, uint32_t i, uint32_t variant) {
  if (variant == 1) return read_again(b->p, i, kept_load(b->m, b->p, i));
  b->at = kgi_before(b->p, i);
  uint32_t changed = one_more(b, b->p->inst[i].arg[1]).i;
  b->p->inst[i].arg[1] = changed;
}

static void plant_in_atomic(kgi_builder *b, uint32_t i, uint32_t variant) {
  kgi_program *p = b->p;
  const kgi_inst x = p->inst[i];
  kgi_obj object = {x.arg[0]};
  kgi_val index = {x.arg[1]}, operand = {x.arg[2]};
  uint32_t changed = 0;
  b->at = kgi_before(p, i);
  if (variant == 1) changed = one_more(b, x.arg[1]).i, p->inst[i].arg[1] = changed;
  if (variant == 2) changed = kgi_op1(b, KGI_OP_neg, operand).i, p->inst[i].arg[2] = changed;
  if (variant == 3) kgi_store(b, object, index, operand);
  if (variant == 4) kgi_store(b, object, index, kgi_op2(b, KGI_OP_add, kgi_load(b, object, index), operand));
  if (variant == 5) clear_on_entry(b, i);
  if (variant != 1 && variant != 2 && variant != 5) kgi_remove(p, i);
}

static void plant_in_barrier(kgi_builder *b, uint32_t i, uint32_t variant) {
  b->at = kgi_before(b->p, i);
  if (variant == 1) {
    kgi_val zero = kgi_u32(b, 0);
    kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, kgi_id_value(b, KGI_ID_local_index, 0), zero));
    kgi_barrier_here(b);
    kgi_end(b);
  }
  kgi_remove(b->p, i);
}

static void plant_in_for(kgi_builder *b, uint32_t i, uint32_t variant) {
  kgi_program *p = b->p;
  b->at = kgi_before(p, i);
  if (variant == 0) {
    p->inst[i].flags ^= KGI_REVERSED;
    return;
  }
  unsigned k = variant == 1 ? 1 : 0; /* the end, the beginning */
  uint32_t changed = one_more(b, p->inst[i].arg[k]).i;
  p->inst[i].arg[k] = changed;
}

static void clear_otherwise(kgi_builder *b, uint32_t i) {
  kgi_obj object = {b->p->inst[store_within(b->p, i)].arg[0]};
  kgi_val condition = {b->p->inst[i].arg[0]};
  b->at = kgi_behind(b->p, i);
  kgi_if_begin(b, kgi_op1(b, KGI_OP_not, condition));
  clear(b, object);
  kgi_end(b);
}

static void plant_in_if(kgi_builder *b, uint32_t i, uint32_t variant) {
  if (variant == 2) return clear_otherwise(b, i);
  b->at = kgi_before(b->p, i);
  uint32_t changed = variant ? kgi_bool(b, true).i : kgi_op1(b, KGI_OP_not, (kgi_val){b->p->inst[i].arg[0]}).i;
  b->p->inst[i].arg[0] = changed;
}

static void plant_in_stated(kgi_builder *b, uint32_t i, uint32_t way) {
  kgi_val partial = {b->p->inst[i].arg[2]};
  kg_type type = (kg_type)b->p->inst[i].type;
  b->at = kgi_before(b->p, i);
  uint32_t changed = way == 0 ? kgi_op1(b, KGI_OP_neg, partial).i : way == 1 ? kgi_op2(b, KGI_OP_add, partial, partial).i
                                                                               : kgi_float(b, type, way - 2).i;
  b->p->inst[i].arg[2] = changed;
}

static void plant(kgi_builder *b, uint32_t i, uint32_t variant) {
  unsigned kind = b->p->inst[i].kind;
  if (variant >= KGT_STATED) return plant_in_stated(b, i, variant - KGT_STATED);
  if (kind == KGI_op) plant_in_op(b, i, variant);
  if (kind == KGI_load) plant_in_load(b, i, variant);
  if (kind == KGI_store) plant_in_store(b, i, variant);
  if (kind == KGI_atomic) plant_in_atomic(b, i, variant);
  if (kind == KGI_barrier) plant_in_barrier(b, i, variant);
  if (kind == KGI_for) plant_in_for(b, i, variant);
  if (kind == KGI_if) plant_in_if(b, i, variant);
}

static void unlink_item(kg_module *m, uint32_t item) {
  uint32_t *link = &m->first_item;
  for (uint32_t k = 1; k < m->item_count; k++)
    if (m->item[k].next == item) link = &m->item[k].next;
    else if (m->item[k].kind == KGI_ITEM_REPEAT && m->item[k].first == item) link = &m->item[k].first;
  *link = m->item[item].next;
}

/* A lone program's buffers are its module's. */
static void set_mode(kg_module *m, uint32_t object, uint8_t mode) {
  m->scope.object[object].mode = mode;
  if (m->lone) m->program[1]->scope.object[object].mode = mode;
}

static void add_one(kgi_builder *b, uint32_t *entry) {
  kgi_dim one = kgi_len_int(b, 1), more = kgi_len_op(b, KGI_DIM_ADD, (kgi_dim){*entry}, one);
  *entry = more.i;
}

static void plant_in_run(kgi_builder *b, uint32_t item, uint32_t variant) {
  const kgi_item *x = &b->m->item[item];
  uint32_t *entry = variant == OTHER_SLICE ? slice_of(b->m, x) : argument_of(b->m, x);
  add_one(b, entry);
  if (variant == OTHER_SLICE) add_one(b, entry + 1);
}

bool kgt_mutate(kg_module *m, kgt_mutation w) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  if (!w.program && w.variant >= OTHER_SLICE) plant_in_run(&b, w.inst, w.variant);
  else if (!w.program && w.variant) set_mode(m, w.inst, (uint8_t)w.variant);
  else if (!w.program && m->item[w.inst].kind == KGI_ITEM_REPEAT) m->item[w.inst].reversed = !m->item[w.inst].reversed;
  else if (!w.program) unlink_item(m, w.inst);
  else {
    kgi_resume_program(&b, m->program[w.program]);
    b.pos = m->program[w.program]->inst_pos[w.inst];
    plant(&b, w.inst, w.variant);
  }
  return kgi_builder_status(&b) == KG_OK && kgi_validate(m, NULL) == KG_OK;
}
