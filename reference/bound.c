/* Values and control: what each instruction makes of intervals, and what is no longer known where they do not decide a branch. */
#include "reference/bound.h"

/* ---- making ---- */

static void find_uses(const kgi_program *p, uint8_t *used) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_span values = kgi_operands(&p->inst[i]);
    for (unsigned k = 0; p->inst[i].block && k < values.count; k++) used[p->inst[i].arg[values.first + k]] = 1;
  }
}

/* Invocations of a workgroup come to one atomic in any order, and to several in more ways than an order of invocations shows, as those of
 * several workgroups do. So what it finds is told where it is the only one of its object, which a workgroup has for itself, and in no loop
 * in which an invocation may be ahead of others. */
static bool is_lone(const kgi_program *p, uint32_t atomic) {
  if (p->scope.object[p->inst[atomic].arg[0]].space != KGI_SHARED) return false;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (i != atomic && p->inst[i].block && p->inst[i].kind == KGI_atomic && p->inst[i].arg[0] == p->inst[atomic].arg[0]) return false;
  for (uint32_t in = p->block[p->inst[atomic].block].owner; in; in = p->block[p->inst[in].block].owner) {
    bool waits = false;
    if (!kgi_is_loop(&p->inst[in])) continue;
    KGI_EACH_INSIDE(p, kgi_body_of(&p->inst[in]), i) waits |= p->inst[i].kind == KGI_barrier;
    if (!waits) return false;
  }
  return true;
}

static void find_told(const kgi_program *p, uint8_t *told) {
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && p->inst[i].kind == KGI_atomic) told[i] = is_lone(p, i);
}

/* Registers as the values' own: of both classes, one behind the other. */
static bool make_values(kgi_machine *m, kgi_bound *b, kgi_arena *arena) {
  const kgi_plan *plan = m->plan;
  const kgi_program *p = plan->program;
  size_t count;
  if (!kgi_size_mul((size_t)plan->narrow + plan->wide, m->lanes, &count)) return false;
  double *low = kgi_arena_alloc(arena, count, sizeof *low), *high = kgi_arena_alloc(arena, count, sizeof *high);
  b->told = kgi_arena_alloc(arena, p->inst_count, 1);
  b->low = kgi_arena_alloc(arena, p->inst_count, sizeof *b->low);
  b->high = kgi_arena_alloc(arena, p->inst_count, sizeof *b->high);
  b->used = kgi_arena_alloc(arena, p->inst_count, 1);
  b->until = kgi_arena_alloc(arena, m->lanes, sizeof *b->until);
  if (arena->failed) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    if (!m->slot[i]) continue;
    size_t reg = plan->reg[i] + (kgi_slot_size(kgi_type_at(p, i)) == 8 ? plan->narrow : 0);
    b->low[i] = low + reg * m->lanes, b->high[i] = high + reg * m->lanes;
    memset(b->low[i], 0, m->lanes * sizeof **b->low), memset(b->high[i], 0, m->lanes * sizeof **b->high);
  }
  find_uses(p, b->used);
  if (b->in_order) find_told(p, b->told);
  return true;
}

bool kgi_bound_make(kgi_machine *m, const kg_reference_params *params, kgi_arena *arena) {
  const kgi_scope *s = &m->plan->program->scope;
  kgi_bound *b = kgi_arena_alloc(arena, 1, sizeof *b);
  bool atomics = kgi_has_atomics(m->plan->module);
  if (!b) return false;
  b->rules = (kgi_rules){.real = params->bounds == KG_BOUNDS_REAL, .flush = params->flush_subnormals, .math = params->math};
  b->in_order = params->in_order;
  if (!make_values(m, b, arena)) return false;
  m->bound = b;
  for (uint32_t i = 1; i < s->object_count; i++) {
    if (s->object[i].space == KGI_BUFFER) continue;
    m->memory[i].cells = kgi_cells_make(&m->memory[i], NULL, NULL, atomics, arena);
    if (!m->memory[i].cells) return false;
    kgi_cells_unknown(m->memory[i].cells, m->memory[i].total);
  }
  return true;
}

static double float_at(kg_type type, const void *slots, uint32_t lane) {
  return type == KG_F64 ? ((const double *)slots)[lane] : (double)((const float *)slots)[lane];
}

/* A literal may be the rounding of what was meant: ln 2 in a partial, 1 / 1.5 folded. In real arithmetic it is then anything within half
 * a unit in the last place. Powers of two are meant as they stand, and whole numbers so small that few roundings are whole by chance:
 * large floats all are. */
static kgi_interval meant(const kgi_rules *rules, kg_type type, double value) {
  int digits = type == KG_F64 ? 53 : type == KG_F32 ? 24 : 11, exponent;
  double fraction = frexp(value, &exponent);
  bool whole = value == rint(value) && fabs(value) <= ldexp(1, digits / 2);
  if (!rules->real || !isfinite(value) || fabs(fraction) == 0.5 || whole) return kgi_point(value);
  double half = ldexp(0.5, exponent - digits);
  return (kgi_interval){nextafter(value - half, (double)-INFINITY), nextafter(value + half, (double)INFINITY)};
}

void kgi_bound_leaf(kgi_machine *m, uint32_t i) {
  kg_type type = kgi_type_at(m->plan->program, i);
  bool literal = m->plan->program->inst[i].kind == KGI_literal;
  for (uint32_t l = 0; kgi_is_float(type) && l < m->lanes; l++) {
    double value = float_at(type, m->slot[i], l);
    kgi_interval x = literal ? meant(&m->bound->rules, type, value) : kgi_point(value);
    kgi_bound_set(m->bound, i, l, kgi_settled(&m->bound->rules, type, x));
  }
}

void kgi_bound_begin_group(kgi_machine *m) {
  const kgi_scope *s = &m->plan->program->scope;
  for (uint32_t l = 0; l < m->lanes; l++) m->bound->until[l] = KGI_SURE;
  m->bound->doubtful = 0;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].space == KGI_SHARED) kgi_cells_unknown(m->memory[i].cells, m->memory[i].total);
}

void kgi_undecided(kgi_machine *m, uint32_t inst, uint64_t count) {
  kgi_pos pos = m->plan->program->inst_pos[inst];
  if (count && !m->report->undecided)
    m->report->undecided_line = kgi_pos_line(pos), m->report->undecided_column = kgi_pos_column(pos);
  m->report->undecided += count;
}

/* ---- integers as numbers ---- */

static kgi_interval range_of_type(kg_type type) {
  switch (type) {
  case KG_BOOL: return (kgi_interval){0, 1};
  case KG_I32: return (kgi_interval){-0x1p31, 0x1p31};
  case KG_U32: return (kgi_interval){0, 0x1p32};
  case KG_I64: return (kgi_interval){-0x1p63, 0x1p63};
  case KG_U64: return (kgi_interval){0, 0x1p64};
  case KG_NONE: case KG_F16: case KG_F32: case KG_F64: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
  return kgi_anything();
}

static kgi_interval integer_at(kg_type type, const void *slots, uint32_t lane) {
  switch (type) {
  case KG_I32: return kgi_point(((const int32_t *)slots)[lane]);
  case KG_BOOL: case KG_U32: return kgi_point(((const uint32_t *)slots)[lane]);
  case KG_I64: { /* the halves are exact, their sum is enclosed */
    int64_t v = ((const int64_t *)slots)[lane];
    return kgi_enclose_add((double)(v >> 32) * 0x1p32, (double)(v & 0xFFFFFFFF));
  }
  case KG_U64: {
    uint64_t v = ((const uint64_t *)slots)[lane];
    return kgi_enclose_add((double)(v >> 32) * 0x1p32, (double)(v & 0xFFFFFFFF));
  }
  case KG_NONE: case KG_F16: case KG_F32: case KG_F64: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
  return kgi_anything();
}

kgi_interval kgi_bound_number(const kgi_machine *m, uint32_t value, uint32_t lane) {
  kg_type type = kgi_type_at(m->plan->program, value);
  if (kgi_is_float(type)) return kgi_bound_of(m->bound, value, lane);
  return kgi_bound_sure(m->bound, value, lane) ? integer_at(type, m->slot[value], lane) : range_of_type(type);
}

/* ---- operations ---- */

typedef struct site {
  kgi_machine *m;
  const kgi_inst *x;
  uint32_t inst, lane;
  kg_type operand, result; /* of the leading operand */
  unsigned arity;
} site;

static bool sure(const site *s, unsigned k) { return kgi_bound_sure(s->m->bound, s->x->arg[k], s->lane); }
static uint32_t word(const site *s, unsigned k) { return ((const uint32_t *)s->m->slot[s->x->arg[k]])[s->lane]; }

static bool all_sure(const site *s) {
  for (unsigned k = 0; k < s->arity; k++)
    if (!sure(s, k)) return false;
  return true;
}

static bool same_slots(const site *s, unsigned a, unsigned b) {
  size_t size = kgi_slot_size(s->result);
  const char *x = s->m->slot[s->x->arg[a]], *y = s->m->slot[s->x->arg[b]];
  return memcmp(x + s->lane * size, y + s->lane * size, size) == 0;
}

static kgi_interval selected(const site *s) {
  kgi_interval yes = kgi_bound_of(s->m->bound, s->x->arg[1], s->lane), no = kgi_bound_of(s->m->bound, s->x->arg[2], s->lane);
  if (sure(s, 0)) return word(s, 0) ? yes : no;
  if (kgi_is_float(s->result)) return kgi_hull(yes, no);
  return kgi_bound_mark(sure(s, 1) && sure(s, 2) && same_slots(s, 1, 2));
}

/* A bool that decides by itself. */
static bool settles(const site *s, unsigned k, uint32_t value) {
  return s->operand == KG_BOOL && sure(s, k) && word(s, k) == value;
}

static bool integers_sure(const site *s) {
  if (all_sure(s)) return true;
  if (s->x->op == KGI_OP_and) return settles(s, 0, 0) || settles(s, 1, 0);
  return s->x->op == KGI_OP_or && (settles(s, 0, 1) || settles(s, 1, 1));
}

static uint64_t bits_of(kg_type type, double x) {
  float f = (float)x;
  uint64_t wide = 0;
  if (type == KG_F64) memcpy(&wide, &x, sizeof x);
  else if (type == KG_F16) wide = kgi_half_encode(f);
  else memcpy(&wide, &f, sizeof f);
  return wide;
}

/* Integers made of floats are monotone in each: they are sure where both ends of all give the same. */
static bool same_at_ends(const site *s, const kgi_interval *x) {
  uint64_t low[4] = {0}, high[4] = {0}, a = 0, b = 1;
  for (unsigned k = 0; k < s->arity; k++) {
    if (kgi_is_anything(x[k])) return false;
    low[k] = bits_of(s->operand, x[k].low), high[k] = bits_of(s->operand, x[k].high);
  }
  kgi_op op = (kgi_op)s->x->op;
  return kgi_eval(op, s->operand, s->result, low, &a) && kgi_eval(op, s->operand, s->result, high, &b) && a == b;
}

/* Bits say which zero it is; an interval does not. */
static bool bits_sure(const site *s, const kgi_interval *x) {
  for (unsigned k = 0; k < s->arity; k++)
    if (kgi_within(x[k], 0) || (s->x->op == KGI_OP_bitcast && !kgi_is_point(x[k]))) return false;
  return same_at_ends(s, x);
}

static bool from_floats_sure(const site *s) {
  const kgi_rules *r = &s->m->bound->rules;
  kgi_interval x[4];
  kgi_op op = (kgi_op)s->x->op;
  for (unsigned k = 0; k < s->arity; k++) x[k] = kgi_bound_of(s->m->bound, s->x->arg[k], s->lane);
  if (s->result == KG_BOOL) return kgi_interval_test(r, op, s->operand, x) >= 0;
  if (op == KGI_OP_bitcast || op == KGI_OP_pack_half_2x16) return bits_sure(s, x);
  for (unsigned k = 0; k < s->arity; k++) x[k] = kgi_flushed(r, s->operand, x[k]);
  return same_at_ends(s, x);
}

/* A field over its scale: what the reference has says which field. */
static kgi_interval unpacked(const site *s) {
  kgi_op op = (kgi_op)s->x->op;
  double y = float_at(s->result, s->m->slot[s->inst], s->lane), scale = 0;
  if (!all_sure(s)) return kgi_anything();
  if (op == KGI_OP_unpack_unorm_2x16) scale = 65535;
  if (op == KGI_OP_unpack_snorm_2x16) scale = 32767;
  if (op == KGI_OP_unpack_unorm_4x8) scale = 255;
  if (op == KGI_OP_unpack_snorm_4x8) scale = 127;
  if (scale == 0) return kgi_settled(&s->m->bound->rules, s->result, kgi_point(y)); /* bits of a float */
  kgi_interval x[2] = {kgi_point(rint(y * scale)), kgi_point(scale)};
  kgi_interval q = kgi_interval_op(&s->m->bound->rules, KGI_OP_div, KG_F32, KG_F32, x);
  return q.low < -1 ? (kgi_interval){-1, q.high} : q;
}

static kgi_interval to_float(const site *s) {
  kgi_op op = (kgi_op)s->x->op;
  kgi_interval x[4];
  if (op == KGI_OP_bitcast && kgi_is_float(s->operand)) return kgi_bound_of(s->m->bound, s->x->arg[0], s->lane);
  if (op == KGI_OP_bitcast || kgi_op_rows[op].rule == KGI_RULE_UNPACK) return unpacked(s);
  for (unsigned k = 0; k < s->arity; k++) x[k] = kgi_bound_number(s->m, s->x->arg[k], s->lane);
  return kgi_interval_op(&s->m->bound->rules, op, s->operand, s->result, x);
}

static kgi_interval evaluate(const site *s) {
  if (s->x->op == KGI_OP_select) return selected(s);
  if (kgi_is_float(s->result)) return to_float(s);
  return kgi_bound_mark(kgi_is_float(s->operand) ? from_floats_sure(s) : integers_sure(s));
}

void kgi_bound_op(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_program *p = m->plan->program;
  const kgi_inst *x = &p->inst[i];
  site s = {.m = m, .x = x, .inst = i, .result = (kg_type)x->type, .arity = kgi_op_rows[x->op].arity};
  s.operand = kgi_type_at(p, x->arg[x->op == KGI_OP_select]);
  for (s.lane = mask->first; s.lane < mask->end; s.lane++)
    if (mask->lane[s.lane]) kgi_bound_set(m->bound, i, s.lane, evaluate(&s));
}

/* ---- control ---- */

static uint32_t depth_of(const kgi_program *p, uint32_t inst) {
  uint32_t depth = 1;
  for (uint32_t at = inst; p->block[p->inst[at].block].owner; depth++) at = p->block[p->inst[at].block].owner;
  return depth;
}

static uint32_t loop_around(const kgi_program *p, uint32_t inst) {
  uint32_t at = p->block[p->inst[inst].block].owner;
  while (at && !kgi_is_loop(&p->inst[at])) at = p->block[p->inst[at].block].owner;
  return at;
}

enum { LEAVES_LOOP = 1, LEAVES_PROGRAM = 2 };

/* Whether what stands in the block may leave the loop around it, or the program. */
static unsigned ways_out(const kgi_program *p, kgi_blk block) {
  unsigned ways = 0;
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    kgi_span blocks = kgi_owned_blocks(x);
    if (kgi_ends(x)) ways |= x->kind == KGI_return ? LEAVES_PROGRAM : LEAVES_LOOP;
    for (unsigned k = 0; k < blocks.count; k++) {
      unsigned inner = ways_out(p, x->arg[blocks.first + k]);
      ways |= kgi_is_loop(x) ? inner & LEAVES_PROGRAM : inner;
    }
  }
  return ways;
}

/* How deep the statement lies at whose end an undecided one is over. */
static uint32_t over_at(const kgi_program *p, uint32_t inst) {
  const kgi_inst *x = &p->inst[inst];
  kgi_span blocks = kgi_owned_blocks(x);
  unsigned ways = 0;
  for (unsigned k = 0; k < blocks.count; k++) ways |= ways_out(p, x->arg[blocks.first + k]);
  if (ways & LEAVES_PROGRAM) return 0;
  uint32_t loop = !kgi_is_loop(x) && (ways & LEAVES_LOOP) ? loop_around(p, inst) : 0;
  return depth_of(p, loop ? loop : inst);
}

typedef struct spoiler { kgi_machine *m; uint32_t lane; bool vars; } spoiler;

static void spoil_block(const spoiler *s, kgi_blk block) {
  const kgi_program *p = s->m->plan->program;
  KGI_EACH_INSIDE(p, block, i) {
    uint32_t object = kgi_object_of(&p->inst[i]);
    if (kgi_writes(&p->inst[i]) && (s->vars || p->scope.object[object].space != KGI_VAR)) kgi_bound_spoil(s->m, object, s->lane);
  }
}

static void spoil(const spoiler *s, uint32_t inst) {
  const kgi_inst *x = &s->m->plan->program->inst[inst];
  kgi_span blocks = kgi_owned_blocks(x);
  if (!inst) spoil_block(s, KGI_BODY);
  for (unsigned k = 0; inst && k < blocks.count; k++) spoil_block(s, x->arg[blocks.first + k]);
}

void kgi_bound_decide(kgi_machine *m, uint32_t i, const uint32_t *values, unsigned count, const kgi_mask *mask) {
  kgi_bound *b = m->bound;
  uint64_t undecided = 0;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    bool known = true;
    for (unsigned k = 0; k < count; k++) known &= kgi_bound_sure(b, values[k], l);
    if (known || !mask->lane[l]) continue;
    uint32_t until = over_at(m->plan->program, i);
    undecided++;
    b->doubtful += !kgi_bound_doubts(b, l);
    if (until < b->until[l]) b->until[l] = until;
    /* what others see may change at once: another lane's part of it may come first */
    spoil(&(spoiler){.m = m, .lane = l}, i);
  }
  kgi_undecided(m, i, undecided);
}

void kgi_bound_end(kgi_machine *m, uint32_t i) {
  kgi_bound *b = m->bound;
  if (!b->doubtful) return;
  uint32_t depth = i ? depth_of(m->plan->program, i) : 0;
  for (uint32_t l = 0; l < m->lanes; l++) {
    if (!kgi_bound_doubts(b, l)) continue;
    spoil(&(spoiler){.m = m, .lane = l, .vars = true}, i);
    if (b->until[l] < depth) continue;
    b->until[l] = KGI_SURE;
    b->doubtful--;
  }
}

void kgi_bound_check(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  uint32_t condition = m->plan->program->inst[i].arg[0];
  uint64_t undecided = 0;
  for (uint32_t l = mask->first; l < mask->end; l++) undecided += mask->lane[l] && !kgi_bound_sure(m->bound, condition, l);
  kgi_undecided(m, i, undecided);
}

/* Counted upward, the index of a trip that is executed does not depend on how many there are. */
void kgi_bound_index(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  for (uint32_t l = mask->first; l < mask->end; l++) {
    bool known = kgi_bound_sure(m->bound, x->arg[0], l) && kgi_bound_sure(m->bound, x->arg[2], l);
    if (x->flags & KGI_REVERSED) known = known && kgi_bound_sure(m->bound, x->arg[1], l);
    kgi_bound_set(m->bound, i, l, kgi_bound_mark(known));
  }
}
