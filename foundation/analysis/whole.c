/* Backwards from where bits become a float. A value is made before it is used, so that one round is enough but for what loops carry in
 * memory; where the rounds are not enough, nothing is marked. */
#include "foundation/analysis/whole.h"
#include "foundation/base/limits.h"

enum { MOST_BEFORE = 4 };

typedef struct whole_finder {
  const kgi_program *p;
  bool *value;  /* by instruction: an integer whose steps are those of a float's bits */
  bool *object; /* likewise, what it holds */
  bool *from;   /* by object: an integer that is made of such a number is stored to it */
  uint32_t *order, count; /* instructions, as they are run */
  bool changed;
} whole_finder;

static bool is_integer(const kgi_program *p, uint32_t value) { return value && kgi_is_int(p->inst[value].type); }

static void mark(whole_finder *w, uint32_t value) {
  if (!is_integer(w->p, value) || w->value[value]) return;
  w->value[value] = w->changed = true;
}

/* A literal of such an exponent, whose steps are whole numbers or more, rounds: bitcast_f32(u32(v) | 0x4b000000) - 2^23 is floor(v). */
static bool is_rounding(uint32_t bits) { return bits >= 150u << 23 && bits < 255u << 23; }

static uint32_t literal(const kgi_program *p, uint32_t value) {
  const kgi_inst *inst = &p->inst[value];
  return inst->kind == KGI_literal && kgi_type_bits((kg_type)inst->type) == 32 ? (uint32_t)kgi_literal_bits(inst) : 0;
}

/* A negative number that is added takes octaves away, and is none. */
static bool rounds(const kgi_program *p, const kgi_inst *inst) {
  uint32_t first = literal(p, inst->arg[0]), second = literal(p, inst->arg[1]);
  if (inst->op == KGI_OP_sub) return is_rounding(0 - second);
  if (inst->op == KGI_OP_add) return is_rounding(first) || is_rounding(second);
  return is_rounding(first & INT32_MAX) || is_rounding(second & INT32_MAX);
}

static unsigned point_of(const kgi_inst *inst) { return kgi_type_bits((kg_type)inst->type) == 64 ? 52 : 23; }

/* By less than all of a mantissa, or by what is not known; by more it is an exponent. */
static bool within_mantissa(const kgi_program *p, const kgi_inst *inst) {
  const kgi_inst *by = &p->inst[inst->arg[1]];
  return by->kind != KGI_literal || kgi_literal_bits(by) < point_of(inst);
}

/* As hashes do: a number, or what is made of it, and its own bits elsewhere. */
static bool mixes(const kgi_program *p, const kgi_inst *inst) {
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *x = &p->inst[inst->arg[k]];
    bool moved = x->op == KGI_OP_shr || x->op == KGI_OP_rotl || x->op == KGI_OP_rotr || (x->op == KGI_OP_shl && within_mantissa(p, x));
    if (x->kind == KGI_op && moved && p->inst[inst->arg[1 - k]].kind != KGI_literal) return true;
  }
  return false;
}

/* Of what the host gives alone. */
static bool is_given(const kgi_program *p, uint32_t value, unsigned depth) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind == KGI_param || x->kind == KGI_spec) return true;
  if (x->kind != KGI_op || !depth) return false;
  for (unsigned k = 0; k < kgi_op_rows[x->op].arity; k++)
    if (p->inst[x->arg[k]].kind != KGI_literal && !is_given(p, x->arg[k], depth - 1)) return false;
  return true;
}

/* By a factor that leaves neighbours near each other; hashes have large ones, or numbers that vary. */
static bool scales(const kgi_program *p, const kgi_inst *inst) {
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *by = &p->inst[inst->arg[k]];
    if (is_given(p, inst->arg[k], MOST_BEFORE)) return true;
    if (by->kind != KGI_literal) continue;
    uint64_t bits = kgi_literal_bits(by), most = (uint64_t)1 << (point_of(inst) - 1);
    int64_t value = kgi_type_bits((kg_type)by->type) == 64 ? (int64_t)bits : (int32_t)(uint32_t)bits;
    if (value < (int64_t)most && value > -(int64_t)most) return true;
  }
  return false;
}

/* How many of its operands are numbers whose steps are steps of the result, however long; 0: it is made of other things. */
static unsigned keeps_steps(const kgi_program *p, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  switch ((int)inst->op) {
  case KGI_OP_xor: return mixes(p, inst) || rounds(p, inst) ? 0 : 2;
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_or: return rounds(p, inst) ? 0 : 2;
  case KGI_OP_mul: return scales(p, inst) ? 2 : 0;
  case KGI_OP_shl: case KGI_OP_shr: return within_mantissa(p, inst);
  case KGI_OP_bit_extract: return within_mantissa(p, inst); /* from there on */
  case KGI_OP_div: case KGI_OP_rem: case KGI_OP_mod: case KGI_OP_rotl: case KGI_OP_rotr: case KGI_OP_reverse_bits: return 1;
  case KGI_OP_bit_insert: return 2;
  case KGI_OP_bitcast: case KGI_OP_convert: case KGI_OP_and: case KGI_OP_not: case KGI_OP_select: case KGI_OP_min: case KGI_OP_max:
  case KGI_OP_clamp: case KGI_OP_saturating_add: case KGI_OP_saturating_sub: case KGI_OP_neg: case KGI_OP_abs: case KGI_OP_abs_diff:
    return kgi_op_rows[inst->op].arity;
  default: return 0;
  }
}

/* Narrower numbers become the upper half of a double's bits. */
static bool carries(const kgi_program *p, uint32_t operand) {
  return is_integer(p, operand) && kgi_type_bits((kg_type)p->inst[operand].type) >= 32;
}

/* A half's bits are followed to be refused. */
static bool becomes_float(const kgi_program *p, const kgi_inst *x) {
  bool casts = x->op == KGI_OP_bitcast && kgi_is_float(x->type) && is_integer(p, x->arg[0]);
  return x->kind == KGI_op && (casts || x->op == KGI_OP_unpack_half_2x16);
}

static void of_op(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  unsigned count = becomes_float(w->p, inst) ? 1 : w->value[i] ? keeps_steps(w->p, i) : 0;
  for (unsigned k = 0; k < count; k++)
    if (carries(w->p, inst->arg[k])) mark(w, inst->arg[k]);
}

static void of_memory(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  uint32_t object = inst->arg[0];
  if (w->value[i] && !w->object[object]) w->object[object] = w->changed = true;
  bool stores = (inst->kind == KGI_store || inst->kind == KGI_atomic) && w->object[object];
  if (stores) mark(w, inst->arg[2]);
  if (stores && inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_compare_exchange) mark(w, inst->arg[3]);
}

static bool makes_whole(const whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  return inst->kind == KGI_op && inst->op == KGI_OP_convert && w->value[i] && kgi_is_float(w->p->inst[inst->arg[0]].type);
}

/* What rounds a float hands on no step. */
static bool is_rounded(const kgi_inst *x) {
  return x->kind == KGI_op && (x->op == KGI_OP_round || x->op == KGI_OP_floor || x->op == KGI_OP_ceil || x->op == KGI_OP_trunc);
}

/* Marks what is rounded on the way to `value`, and the way from there; false: nothing is. */
static bool mark_rounded(const whole_finder *w, uint32_t value, uint8_t *whole, unsigned depth) {
  const kgi_inst *x = &w->p->inst[value];
  bool found = is_rounded(x), goes_on = x->kind == KGI_op && (x->op == KGI_OP_add || x->op == KGI_OP_sub || x->op == KGI_OP_min ||
                                                             x->op == KGI_OP_max || x->op == KGI_OP_clamp || x->op == KGI_OP_fma);
  for (unsigned k = 0; goes_on && depth && k < kgi_op_rows[x->op].arity; k++) found |= mark_rounded(w, x->arg[k], whole, depth - 1);
  if (found) whole[value] |= KGI_WHOLE_LOST;
  return found;
}

static void mark_conversion(const whole_finder *w, uint32_t i, uint8_t *whole) {
  if (!makes_whole(w, i)) return;
  uint32_t from = w->p->inst[i].arg[0];
  bool plain = w->p->inst[from].type == KG_F32 && kgi_type_bits((kg_type)w->p->inst[i].type) == 32;
  whole[i] |= plain && !mark_rounded(w, from, whole, MOST_BEFORE) ? KGI_WHOLE : KGI_WHOLE | KGI_WHOLE_LOST;
}

/* Whether the integer is made of one. */
static bool is_of_whole(const whole_finder *w, const uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool any = whole[i] || (inst->kind == KGI_load && w->from[inst->arg[0]]);
  unsigned count = inst->kind == KGI_op ? keeps_steps(w->p, i) : 0;
  for (unsigned k = 0; k < count; k++) any |= whole[inst->arg[k]] && is_integer(w->p, inst->arg[k]);
  return any;
}

static void spread(whole_finder *w, uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool stores = inst->kind == KGI_store || inst->kind == KGI_atomic;
  if (stores && whole[inst->arg[2]] && !w->from[inst->arg[0]]) w->from[inst->arg[0]] = w->changed = true;
  if (!is_integer(w->p, i) || whole[i] & KGI_OF_WHOLE || !is_of_whole(w, whole, i)) return;
  whole[i] |= KGI_OF_WHOLE;
  w->changed = true;
}

/* ---- backwards ---- */

static bool makes_floats(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (becomes_float(p, &p->inst[i])) return true;
  return false;
}

static bool converts(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_op && x->op == KGI_OP_convert && kgi_is_int(x->type) && kgi_is_float(p->inst[x->arg[0]].type)) return true;
  }
  return false;
}

static bool begin(whole_finder *w, const kgi_program *p, const bool *taken, kgi_arena *scratch) {
  *w = (whole_finder){.p = p};
  w->value = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->value);
  w->object = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->object);
  w->from = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->from);
  w->order = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->order);
  if (scratch->failed) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) w->order[w->count++] = i;
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope) && taken; o++) w->object[o] = taken[o];
  return true;
}

/* False: that takes too long. */
static bool go_back(whole_finder *w) {
  w->changed = true;
  for (unsigned round = 0; w->changed; round++) {
    w->changed = false;
    if (round == KGI_LIMIT(bit_rounds)) return false;
    for (uint32_t k = w->count; k--;) {
      const kgi_inst *inst = &w->p->inst[w->order[k]];
      if (inst->kind == KGI_op) of_op(w, w->order[k]);
      else if (inst->kind == KGI_subgroup && w->value[w->order[k]]) mark(w, inst->arg[0]);
      else if (kgi_touches(inst)) of_memory(w, w->order[k]);
    }
  }
  return true;
}

/* ---- of modules ---- */

/* Of the run: what its program takes for bits is taken so wherever else it is bound. */
static bool take_from_run(const kg_module *m, const kgi_item *run, bool *taken, bool *changed, kgi_arena *scratch) {
  const kgi_program *p = m->program[run->program];
  const uint32_t *bind = m->bind + run->binding;
  uint32_t end = kgi_buffer_end(&p->scope);
  bool *own = kgi_arena_alloc(scratch, end, sizeof *own), any = makes_floats(p);
  if (!own) return false;
  for (uint32_t o = 1; o < end; o++) any |= own[o] = taken[bind[o - 1]] && kgi_is_int(p->scope.object[o].type);
  whole_finder w;
  if (!any) return true;
  if (!begin(&w, p, own, scratch)) return false;
  if (!go_back(&w)) return true;
  for (uint32_t o = 1; o < end; o++)
    if (w.object[o] && !taken[bind[o - 1]]) taken[bind[o - 1]] = *changed = true;
  return true;
}

static bool stores_integers(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i];
    const kgi_object *o = kgi_writes(x) ? &p->scope.object[kgi_object_of(x)] : NULL;
    if (o && o->space == KGI_BUFFER && kgi_is_int(o->type)) return true;
  }
  return false;
}

bool kgi_find_taken(const kg_module *m, const kgi_program *p, bool *taken, kgi_arena *scratch) {
  if (m->item_count == 1 || !converts(p) || !stores_integers(p)) return true;
  bool *of_module = kgi_arena_alloc(scratch, m->scope.object_count, sizeof *of_module), changed = true;
  if (!of_module) return false;
  for (unsigned round = 0; changed && round < KGI_LIMIT(bit_rounds); round++) {
    changed = false;
    for (uint32_t i = 1; i < m->item_count; i++)
      if (m->item[i].kind == KGI_ITEM_RUN && !take_from_run(m, &m->item[i], of_module, &changed, scratch)) return false;
  }
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *run = &m->item[i];
    if (run->kind != KGI_ITEM_RUN || m->program[run->program]->name.i != p->name.i) continue;
    for (uint32_t o = 1; o < kgi_buffer_end(&p->scope); o++) taken[o] |= of_module[m->bind[run->binding + o - 1]];
  }
  return true;
}

bool kgi_find_whole(const kgi_program *p, const bool *taken, uint8_t *whole, kgi_arena *scratch) {
  whole_finder w;
  if (!converts(p) || (!taken && !makes_floats(p))) return true;
  if (!begin(&w, p, taken, scratch)) return false;
  if (!go_back(&w)) return true;
  for (uint32_t k = 0; k < w.count; k++) mark_conversion(&w, w.order[k], whole);
  w.changed = true;
  for (unsigned round = 0; w.changed && round < KGI_LIMIT(bit_rounds); round++) {
    w.changed = false;
    for (uint32_t k = 0; k < w.count; k++) spread(&w, whole, w.order[k]);
  }
  return true;
}
