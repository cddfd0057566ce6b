/* Memory of integers that holds floats as their bits, as compilers write it that have one type for all memory (Taichi, byte-address
 * buffers of HLSL), becomes memory of floats:
 *
 *   buffer x : u32[n] read                             buffer x : f32[n] read
 *   y[i] = bitcast_u32(2.0 * bitcast_f32(x[i]))        y[i] = 2.0 * x[i]
 *
 * if a float is all that anybody makes of what is loaded, and all that is stored are floats' bits and numbers; what one memory hands to
 * another has to be so in both. Somebody must say that they are floats: words that are only moved stay what they are. No bit changes,
 * for loads and stores keep them. Exchanges that add a float, or keep the larger or the smaller one (float_adds.c), become atomics, and so do
 * minima and maxima of words where these come in the order of the floats (float_extremes.c). */
#include "foundation/base/limits.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

typedef struct finding {
  kgi_program *p;
  kgi_float_add *added;
  kgi_float_extreme *extreme;
  uint32_t *exchange; /* by loop: what ends it, if it adds a float */
  bool *floats; /* by object: it may hold floats alone */
  bool *told;   /* by object: somebody makes a float of what it holds, or the other way round */
} finding;

static kg_type float_of(kg_type integer) {
  if (integer == KG_U32 || integer == KG_I32) return KG_F32;
  return integer == KG_U64 || integer == KG_I64 ? KG_F64 : KG_NONE;
}

/* The memory of integers from which it was loaded; 0: it is no such value. */
static uint32_t loaded_from(const finding *f, uint32_t value) {
  const kgi_inst *inst = &f->p->inst[value];
  bool loads = inst->kind == KGI_load || (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_load);
  return loads && float_of((kg_type)inst->type) != KG_NONE ? inst->arg[0] : 0;
}

static bool is_float_bits(const finding *f, uint32_t value) {
  const kgi_inst *inst = &f->p->inst[value];
  return inst->kind == KGI_op && inst->op == KGI_OP_bitcast && float_of((kg_type)inst->type) == f->p->inst[inst->arg[0]].type;
}

static bool makes_float(const finding *f, const kgi_inst *inst) {
  return inst->kind == KGI_op && inst->op == KGI_OP_bitcast && inst->type == float_of((kg_type)f->p->inst[inst->arg[0]].type);
}

/* In a loop that is to become one atomic. */
static bool goes(const finding *f, uint32_t i) {
  for (uint32_t loop = f->p->block[f->p->inst[i].block].owner; loop; loop = f->p->block[f->p->inst[loop].block].owner)
    if (f->exchange[loop] && f->floats[f->p->inst[f->exchange[loop]].arg[0]]) return true;
  return false;
}

static bool is_store(const kgi_inst *inst) {
  return inst->kind == KGI_store || (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_store);
}

/* Both or neither. */
static bool join(const finding *f, uint32_t a, uint32_t b) {
  bool floats = f->floats[a] && f->floats[b], told = f->told[a] || f->told[b];
  bool changed = f->floats[a] != floats || f->floats[b] != floats || f->told[a] != told || f->told[b] != told;
  f->floats[a] = f->floats[b] = floats, f->told[a] = f->told[b] = told;
  return changed;
}

static bool drop(const finding *f, uint32_t object) {
  bool changed = f->floats[object];
  return f->floats[object] = false, changed;
}

/* Of what is stored. */
static bool read_store(const finding *f, const kgi_inst *inst) {
  uint32_t value = inst->arg[2], from = loaded_from(f, value);
  if (from) return join(f, from, inst->arg[0]);
  if (is_float_bits(f, value)) return !f->told[inst->arg[0]] && (f->told[inst->arg[0]] = true);
  return f->p->inst[value].kind != KGI_literal && drop(f, inst->arg[0]);
}

/* True: something is known now that was not. */
static bool read_one(const finding *f, uint32_t i) {
  const kgi_inst *inst = &f->p->inst[i];
  bool changed = false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) {
    uint32_t from = loaded_from(f, inst->arg[k]);
    if (!from || (is_store(inst) && k == 2)) continue;
    if (!makes_float(f, inst)) changed |= drop(f, from);
    else if (!f->told[from]) changed = f->told[from] = true;
  }
  if (is_store(inst)) return read_store(f, inst) || changed;
  if (inst->kind != KGI_atomic || inst->op == KGI_ATOMIC_load) return changed;
  if (f->extreme[i].is_float) return (!f->told[inst->arg[0]] && (f->told[inst->arg[0]] = true)) || changed;
  return drop(f, inst->arg[0]) || changed;
}

/* A loop that adds says it as well, and stays where the memory is of integers after all. False: it takes too long. */
static bool find(const finding *f) {
  uint32_t rounds = 0;
  for (bool changed = true; changed && rounds < KGI_LIMIT(bit_rounds); rounds++) {
    changed = false;
    KGI_EACH_INSIDE(f->p, KGI_BODY, i) {
      uint32_t object = f->p->inst[i].arg[0];
      if (!goes(f, i)) changed |= read_one(f, i);
      else if (f->added[i].term && !f->told[object]) changed = f->told[object] = true;
    }
  }
  return rounds < KGI_LIMIT(bit_rounds);
}

/* ---- the memory of floats ---- */

static void load(const finding *f, kgi_builder *b, uint32_t *now, uint32_t i) {
  kg_type integer = (kg_type)f->p->inst[i].type;
  f->p->inst[i].type = (uint8_t)float_of(integer);
  b->at = kgi_behind(f->p, i), b->pos = f->p->inst_pos[i];
  now[i] = kgi_bitcast(b, integer, (kgi_val){i}).i;
}

static void store(const finding *f, kgi_builder *b, uint32_t i) {
  b->at = kgi_before(f->p, i), b->pos = f->p->inst_pos[i];
  const kgi_inst inst = f->p->inst[i];
  kgi_val value = kgi_bitcast(b, (kg_type)f->p->scope.object[inst.arg[0]].type, (kgi_val){inst.arg[2]});
  f->p->inst[i].arg[2] = value.i;
}

static kgi_val both_are_numbers(kgi_builder *b, kgi_val x, kgi_val y) {
  kgi_val no_x = kgi_op1(b, KGI_OP_is_nan, x), no_y = kgi_op1(b, KGI_OP_is_nan, y);
  no_x = kgi_op1(b, KGI_OP_not, no_x), no_y = kgi_op1(b, KGI_OP_not, no_y);
  return kgi_op2(b, KGI_OP_and, no_x, no_y);
}

static void add(const finding *f, kgi_builder *b, uint32_t exchange) {
  kgi_inst inst = f->p->inst[exchange];
  kgi_float_add sum = f->added[exchange];
  uint32_t loop = f->p->block[inst.block].owner;
  b->at = kgi_before(f->p, loop), b->pos = f->p->inst_pos[exchange];
  kgi_val term = {sum.term};
  if (sum.factor) term = kgi_op2(b, KGI_OP_mul, term, (kgi_val){sum.factor});
  if (sum.taken) term = kgi_op1(b, KGI_OP_neg, term);
  kgi_obj object = {inst.arg[0]};
  kgi_val index = {inst.arg[1]}, none = {0};
  if (sum.asked) kgi_if_begin(b, both_are_numbers(b, kgi_atomic_op(b, KGI_ATOMIC_load, object, index, none, none), term));
  kgi_atomic_op(b, sum.op, object, index, term, none);
  if (sum.asked) kgi_end(b);
  kgi_remove(f->p, loop);
}

/* Other words than these, of all. */
static kgi_val is_outside(kgi_builder *b, kgi_val word, uint32_t first, uint32_t last) {
  kgi_val from_first = kgi_op2(b, KGI_OP_sub, word, kgi_u32(b, first));
  return kgi_op2(b, KGI_OP_gt, from_first, kgi_u32(b, last - first));
}

/* An atomic that may be passed over stands under a condition. */
static void extreme(const finding *f, kgi_builder *b, uint32_t i) {
  const kgi_inst inst = f->p->inst[i];
  kgi_float_extreme x = f->extreme[i];
  kg_type type = (kg_type)f->p->scope.object[inst.arg[0]].type;
  kgi_val none = {0}, taken = none;
  b->at = kgi_before(f->p, i), b->pos = f->p->inst_pos[i];
  kgi_val operand = kgi_bitcast(b, type, (kgi_val){inst.arg[2]});
  f->p->inst[i].arg[2] = operand.i, f->p->inst[i].type = (uint8_t)type;
  if (x.passes_zero) {
    kgi_val word = kgi_bitcast(b, KG_U32, operand);
    taken = kgi_op2(b, KGI_OP_ne, word, kgi_u32(b, UINT32_C(1) << 31));
  }
  if (x.passes_element) {
    kgi_val held = kgi_atomic_op(b, KGI_ATOMIC_load, (kgi_obj){inst.arg[0]}, (kgi_val){inst.arg[1]}, none, none);
    held = kgi_bitcast(b, KG_U32, held);
    kgi_val moves = is_outside(b, held, x.first, x.last);
    taken = taken.i ? kgi_op2(b, KGI_OP_and, taken, moves) : moves;
  }
  if (!taken.i || b->status != KG_OK) return;
  kgi_if_begin(b, taken);
  kgi_move(f->p, i, b->at);
  kgi_end(b);
}

static void use(const finding *f, const uint32_t *now, uint32_t count, uint32_t i) {
  kgi_inst *inst = &f->p->inst[i];
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst->arg[k] < count && now[inst->arg[k]] && now[inst->arg[k]] != i) inst->arg[k] = now[inst->arg[k]];
}

static kg_status rewrite(const finding *f, kgi_builder *b, kgi_arena *scratch) {
  uint32_t count = f->p->inst_count, *now = kgi_arena_alloc(scratch, count, sizeof *now);
  if (!now) return KG_NO_MEMORY;
  for (uint32_t i = 1; i < count; i++)
    if (f->added[i].term && f->floats[f->p->inst[i].arg[0]]) add(f, b, i);
  for (uint32_t i = f->p->block[KGI_BODY].first, next; i; i = next) {
    const kgi_inst *inst = &f->p->inst[i];
    next = kgi_next_inside(f->p, KGI_BODY, i);
    if (i >= count || !kgi_touches(inst) || !f->floats[inst->arg[0]]) continue;
    if (loaded_from(f, i)) load(f, b, now, i);
    else if (is_store(inst)) store(f, b, i);
    else if (f->extreme[i].is_float) extreme(f, b, i);
  }
  KGI_EACH_INSIDE(f->p, KGI_BODY, i) use(f, now, count, i);
  return kgi_builder_status(b);
}

static bool may_hold(const kgi_object *o) {
  return !o->ranged && (o->space == KGI_VAR || o->space == KGI_SHARED || o->space == KGI_BUFFER) && float_of((kg_type)o->type) != KG_NONE;
}

/* True: there is such memory. */
static bool settle(const finding *f) {
  bool any = false;
  for (uint32_t o = 1; o < f->p->scope.object_count; o++) {
    kgi_object *object = &f->p->scope.object[o];
    f->floats[o] &= f->told[o];
    if (f->floats[o]) any = true, object->type = (uint8_t)float_of((kg_type)object->type);
  }
  return any;
}

static kg_status hold(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  finding f = {.p = p};
  f.added = kgi_arena_alloc(scratch, p->inst_count, sizeof *f.added);
  f.exchange = kgi_arena_alloc(scratch, p->inst_count, sizeof *f.exchange);
  f.floats = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *f.floats);
  f.told = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *f.told);
  f.extreme = kgi_arena_alloc(scratch, p->inst_count, sizeof *f.extreme);
  if (scratch->failed || !kgi_find_float_adds(p, f.added, scratch) || !kgi_find_float_extremes(p, f.extreme, scratch)) return KG_NO_MEMORY;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (f.added[i].term) f.exchange[p->block[p->inst[i].block].owner] = i;
  for (uint32_t o = 1; o < p->scope.object_count; o++) f.floats[o] = may_hold(&p->scope.object[o]);
  if (!find(&f) || !settle(&f)) return KG_OK;
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  kg_status status = rewrite(&f, &b, scratch);
  return status == KG_OK ? kgi_clean(m, p) : status;
}

kg_status kgi_hold_floats(kg_module *m, kgi_program *p) {
  kg_allocator alloc = m->arena.alloc;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &alloc);
  kg_status status = hold(m, p, &scratch);
  kgi_arena_free(&scratch);
  return status;
}
