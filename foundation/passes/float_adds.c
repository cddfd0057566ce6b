/* Loops that add a float to memory of integers atomically, for want of such an atomic:
 *
 *   var old = atomic_load(t[i])
 *   while true {
 *     let seen = atomic_compare_exchange(t[i], old, bitcast_u32(bitcast_f32(old) + v))
 *     if seen == old { break }
 *     old = seen
 *   }
 *
 * Such a loop is left by an exchange that took place, and then the element holds v more than it did: so it is atomic_add(t[i], v),
 * whatever it compared before, if nothing else is done on the way and what it leaves in vars is not looked at. One that stores
 * max(bitcast_f32(old), v) is atomic_max(t[i], v), and likewise min; one that stores what is less by v adds -v. Compilers that join
 * products and sums write
 * fma(v, w, bitcast_f32(old)), which is atomic_add(t[i], v * w) but for the rounding of the product.
 *
 * A loop may ask first whether there is anything to do:
 *
 *   var old = t[i]
 *   while bitcast_f32(old) < v {
 *     let seen = atomic_compare_exchange(t[i], old, bitcast_u32(v))
 *     if seen == old { break }
 *     old = seen
 *   }
 *
 * It is left by an exchange that took place, of a smaller float for v, or when the element, as it was just seen, was no smaller. Both are what
 * atomic_max(t[i], v) does at that moment, if neither is a NaN: with one the loop does nothing, and the element is a NaN for good,
 * so that it may be asked before. Of two zeros it keeps the first, where the atomic may keep either. What `old` begins with has to be
 * the element, and nothing may have come between that could change it. */
#include "foundation/ir/views.h"
#include "foundation/passes/passes.h"

typedef struct reading {
  const kgi_program *p;
  uint32_t loop, exchange;
  uint32_t *same; /* by instruction of the body: the first that has its value */
  uint32_t *held; /* by object: what a var holds, where the reading is; 0: nobody looked */
  bool *stored;   /* by object: the loop does */
  bool left;      /* `if seen == expected { break }` stands in it */
  uint32_t asked; /* the value that `if value { break }` asks in front of the exchange; 0: nothing does */
} reading;

static bool is_scalar_var(const kgi_program *p, uint32_t object) {
  return p->scope.object[object].space == KGI_VAR && p->scope.object[object].scalar;
}

static uint32_t same(const reading *r, uint32_t value) { return r->same[value] ? r->same[value] : value; }

static const kgi_inst *op_of(const reading *r, uint32_t value, kgi_op op) {
  const kgi_inst *inst = &r->p->inst[same(r, value)];
  return inst->kind == KGI_op && inst->op == op ? inst : NULL;
}

/* Whether the value says, by that comparison, that the exchange took place. */
static bool says(const reading *r, uint32_t value, kgi_op op) {
  const kgi_inst *inst = op_of(r, value, op);
  if (!inst || !r->exchange) return false;
  uint32_t expected = same(r, r->p->inst[r->exchange].arg[2]), a = same(r, inst->arg[0]), b = same(r, inst->arg[1]);
  return (a == r->exchange && b == expected) || (b == r->exchange && a == expected);
}

/* Where the exchange took place, and one in front of it. */
static bool is_exit(reading *r, uint32_t branch) {
  const kgi_inst *inst = &r->p->inst[branch];
  uint32_t only = r->p->block[inst->arg[1]].first;
  if (inst->arg[2] || !only || r->p->inst[only].kind != KGI_break || r->left) return false;
  if (!r->exchange) return !r->asked && (r->asked = inst->arg[0]);
  return r->left = says(r, inst->arg[0], KGI_OP_eq);
}

/* True: nothing but what such a loop is made of. */
static bool read_one(reading *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  bool touches = kgi_touches(inst) || inst->kind == KGI_var, var = touches && is_scalar_var(r->p, inst->arg[0]);
  uint32_t *held = touches ? &r->held[inst->arg[0]] : NULL;
  if (inst->kind == KGI_op || (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_load)) return true;
  if (inst->kind == KGI_if) return is_exit(r, i);
  if (inst->kind == KGI_atomic) return !r->exchange && inst->op == KGI_ATOMIC_compare_exchange && (r->exchange = i);
  if (inst->kind == KGI_var && var) return *held = 0, true;
  if (inst->kind == KGI_load && !var) return true;
  if (!var) return false;
  if (inst->kind == KGI_load) return r->same[i] = *held ? *held : i, *held = r->same[i], true;
  if (inst->kind != KGI_store) return false;
  return r->stored[inst->arg[0]] = true, *held = same(r, inst->arg[2]), true;
}

static bool read_block(reading *r, kgi_blk block) {
  for (uint32_t i = r->p->block[block].first; i; i = r->p->inst[i].next)
    if (!read_one(r, i)) return false;
  return true;
}

/* What was stored to the var right before the loop, in its block; 0: that is not known. */
static uint32_t value_before(const reading *r, uint32_t object) {
  for (uint32_t i = r->p->inst[r->loop].prev; i; i = r->p->inst[i].prev) {
    const kgi_inst *inst = &r->p->inst[i];
    if (kgi_kind_rows[inst->kind].blocks.count) return 0;
    if (inst->kind == KGI_store && inst->arg[0] == object) return inst->arg[2];
  }
  return 0;
}

static bool is_set(const reading *r, uint32_t object, bool to) {
  const kgi_inst *value = &r->p->inst[value_before(r, object)];
  return value->kind == KGI_literal && (kgi_literal_bits(value) != 0) == to;
}

/* A flag, or what is not one, that has been false from the start on, or true, as long as no exchange took place. */
static bool is_flag(const reading *r, uint32_t value, bool starts) {
  const kgi_inst *inst = &r->p->inst[value];
  if (inst->kind == KGI_op && inst->op == KGI_OP_not) return is_flag(r, inst->arg[0], !starts);
  if (inst->kind != KGI_load || !is_scalar_var(r->p, inst->arg[0]) || !is_set(r, inst->arg[0], starts)) return false;
  if (same(r, value) != value) return false; /* the trip has stored to it */
  return says(r, r->held[inst->arg[0]], starts ? KGI_OP_ne : KGI_OP_eq);
}

/* The loop goes on until the exchange took place, and has one trip at least. */
static bool goes_on_until_then(const reading *r) {
  const kgi_inst *loop = &r->p->inst[r->loop], *condition = &r->p->inst[loop->arg[0]];
  if (condition->kind != KGI_literal) return !r->left && !r->asked && is_flag(r, loop->arg[0], true);
  if (!kgi_literal_bits(condition)) return false;
  return r->asked ? !r->left && is_flag(r, r->asked, false) : r->left;
}

static bool is_inside(const kgi_program *p, uint32_t loop, uint32_t i) {
  while (i && i != loop) i = p->block[p->inst[i].block].owner;
  return i != 0;
}

/* What each trip computes alike, from values and from buffers that nobody writes, may as well stand in front. */
static bool is_fixed(const kgi_program *p, const kgi_blocks *overlaps, uint32_t loop, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  const kgi_object *o = &p->scope.object[inst->arg[0]];
  bool loads = inst->kind == KGI_load && o->space == KGI_BUFFER && o->mode == KG_READ && !overlaps->written[inst->arg[0]];
  if (!loads && inst->kind != KGI_op) return false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (is_inside(p, loop, inst->arg[k])) return false;
  return true;
}

static void raise_fixed(kgi_program *p, const kgi_blocks *overlaps, uint32_t loop) {
  for (uint32_t i = p->block[p->inst[loop].arg[2]].first, next; i; i = next) {
    next = p->inst[i].next;
    if (is_fixed(p, overlaps, loop, i)) kgi_move(p, i, kgi_before(p, loop));
  }
}

/* What the loop stores is not loaded elsewhere. */
static bool leaves_nothing(const reading *r) {
  KGI_EACH_INSIDE(r->p, KGI_BODY, i) {
    const kgi_inst *inst = &r->p->inst[i];
    if (kgi_touches(inst) && inst->kind != KGI_store && r->stored[inst->arg[0]] && !is_inside(r->p, r->loop, i)) return false;
  }
  return true;
}

static bool is_old(const reading *r, uint32_t value) {
  const kgi_inst *old = op_of(r, value, KGI_OP_bitcast);
  return old && same(r, old->arg[0]) == same(r, r->p->inst[r->exchange].arg[2]);
}

/* The operand beside the old value; 0: it is of the loop, or there is none. */
static uint32_t beside_old(const reading *r, const kgi_inst *of) {
  for (unsigned k = 0; k < 2; k++)
    if (is_old(r, of->arg[k]) && !is_inside(r->p, r->loop, of->arg[1 - k])) return of->arg[1 - k];
  return 0;
}

static kgi_float_add fused(const reading *r, const kgi_inst *of) {
  bool adds = is_old(r, of->arg[2]) && !is_inside(r->p, r->loop, of->arg[0]) && !is_inside(r->p, r->loop, of->arg[1]);
  return adds ? (kgi_float_add){.op = KGI_ATOMIC_add, .term = of->arg[0], .factor = of->arg[1]} : (kgi_float_add){0};
}

static bool is_seen(const reading *r, uint32_t value) {
  const kgi_inst *bits = op_of(r, value, KGI_OP_bitcast);
  return bits && same(r, bits->arg[0]) == r->exchange;
}

/* What is added to what was seen, if that makes the sum, and `first` of a 0. */
static kgi_float_add beside_seen(const reading *r, const kgi_inst *sum, uint32_t first) {
  const kgi_inst *product = &r->p->inst[first];
  kgi_float_add none = {0}, add = {.op = KGI_ATOMIC_add, .term = first};
  if (sum->kind != KGI_op || !kgi_is_float(sum->type)) return none;
  for (unsigned k = 0; k < 2 && sum->op == KGI_OP_add; k++)
    if (is_seen(r, sum->arg[k]) && sum->arg[1 - k] == first) return add;
  bool opposite = product->kind == KGI_op && product->op == KGI_OP_neg && product->arg[0] == sum->arg[1];
  if (sum->op == KGI_OP_sub && is_seen(r, sum->arg[0]) && opposite) return add;
  bool fused = sum->op == KGI_OP_fma && is_seen(r, sum->arg[2]) && product->kind == KGI_op && product->op == KGI_OP_mul;
  bool alike = fused && ((product->arg[0] == sum->arg[0] && product->arg[1] == sum->arg[1]) ||
                         (product->arg[0] == sum->arg[1] && product->arg[1] == sum->arg[0]));
  return alike ? add : none;
}

/* Of a loop that tries a 0 first, and has the next word ready where it begins: v for 0, and what was seen and v from then on. */
static kgi_float_add carried_term(const reading *r) {
  const kgi_inst *inst = r->p->inst, *exchange = &inst[r->exchange], *expected = &inst[same(r, exchange->arg[2])], *next = &inst[same(r, exchange->arg[3])];
  bool vars = expected->kind == KGI_load && next->kind == KGI_load && is_scalar_var(r->p, expected->arg[0]) && is_scalar_var(r->p, next->arg[0]);
  if (!vars || same(r, r->held[expected->arg[0]]) != r->exchange || !is_set(r, expected->arg[0], false)) return (kgi_float_add){0};
  const kgi_inst *bits = op_of(r, r->held[next->arg[0]], KGI_OP_bitcast), *first = &inst[value_before(r, next->arg[0])];
  if (!bits || first->kind != KGI_op || first->op != KGI_OP_bitcast) return (kgi_float_add){0};
  return beside_seen(r, &inst[same(r, bits->arg[0])], first->arg[0]);
}

/* Zeros: it is nothing of the kind. */
static kgi_float_add term(const reading *r) {
  const kgi_inst *bits = op_of(r, r->p->inst[r->exchange].arg[3], KGI_OP_bitcast);
  const kgi_inst *of = bits ? &r->p->inst[same(r, bits->arg[0])] : NULL;
  if (!bits) return carried_term(r);
  if (of->kind != KGI_op || !kgi_is_float(of->type)) return (kgi_float_add){0};
  switch ((unsigned)of->op) {
  case KGI_OP_add: return (kgi_float_add){.op = KGI_ATOMIC_add, .term = beside_old(r, of)};
  case KGI_OP_sub: return (kgi_float_add){.op = KGI_ATOMIC_add, .term = is_old(r, of->arg[0]) ? beside_old(r, of) : 0, .taken = true};
  case KGI_OP_max: return (kgi_float_add){.op = KGI_ATOMIC_max, .term = beside_old(r, of)};
  case KGI_OP_min: return (kgi_float_add){.op = KGI_ATOMIC_min, .term = beside_old(r, of)};
  case KGI_OP_fma: return fused(r, of);
  default: return (kgi_float_add){0};
  }
}

/* ---- loops that ask first ---- */

static bool may_change(const kgi_program *p, const kgi_inst *inst) {
  bool writes = kgi_touches(inst) && kgi_writes(inst) && p->scope.object[inst->arg[0]].space != KGI_VAR;
  return writes || kgi_kind_rows[inst->kind].blocks.count || inst->kind == KGI_barrier || inst->kind == KGI_memory_barrier;
}

/* In front of the loop the var holds the element that is exchanged, as it was loaded. */
static bool begins_with_element(const reading *r, uint32_t var) {
  const kgi_inst *exchange = &r->p->inst[r->exchange];
  uint32_t element = 0, i = r->p->inst[r->loop].prev;
  for (; i && (!element || i != element); i = r->p->inst[i].prev) {
    const kgi_inst *inst = &r->p->inst[i];
    if (may_change(r->p, inst)) return false;
    if (!element && inst->kind == KGI_store && inst->arg[0] == var) element = inst->arg[2];
  }
  const kgi_inst *load = &r->p->inst[i];
  bool loads = load->kind == KGI_load || (load->kind == KGI_atomic && load->op == KGI_ATOMIC_load);
  return i && loads && load->arg[0] == exchange->arg[0] && load->arg[1] == exchange->arg[1];
}

/* The loop stores nothing to the var but what the exchange saw. */
static bool holds_what_was_seen(const reading *r, uint32_t var) {
  KGI_EACH_INSIDE(r->p, r->p->inst[r->loop].arg[2], i) {
    const kgi_inst *inst = &r->p->inst[i];
    if ((inst->kind == KGI_store || inst->kind == KGI_var) && inst->arg[0] == var && (inst->kind == KGI_var || same(r, inst->arg[2]) != r->exchange))
      return false;
  }
  return r->held[var] == r->exchange;
}

/* The comparison with which the loop goes on to an exchange; NULL: there is none. A NaN makes it false, which its opposite would not be. */
static const kgi_inst *comparison(const reading *r) {
  const kgi_inst *x = &r->p->inst[r->asked ? r->asked : r->p->inst[r->loop].arg[0]], *loop = &r->p->inst[r->p->inst[r->loop].arg[0]];
  bool goes_on = !r->asked;
  if (r->asked && (loop->kind != KGI_literal || !kgi_literal_bits(loop))) return NULL;
  for (; x->kind == KGI_op && x->op == KGI_OP_not; x = &r->p->inst[x->arg[0]]) goes_on = !goes_on;
  return goes_on && x->kind == KGI_op && kgi_is_float(r->p->inst[x->arg[0]].type) ? x : NULL;
}

static kgi_float_add kept_where_asked(const reading *r) {
  const kgi_float_add none = {0};
  const kgi_inst *asked = comparison(r), *bits = op_of(r, r->p->inst[r->exchange].arg[3], KGI_OP_bitcast);
  const kgi_inst *old = &r->p->inst[same(r, r->p->inst[r->exchange].arg[2])];
  if (!r->left || !bits || !asked) return none;
  bool less = asked->op == KGI_OP_lt || asked->op == KGI_OP_le, more = asked->op == KGI_OP_gt || asked->op == KGI_OP_ge;
  if (!less && !more) return none;
  uint32_t term = beside_old(r, asked);
  if (!term || same(r, bits->arg[0]) != term || !kgi_is_float(r->p->inst[term].type)) return none;
  if (old->kind != KGI_load || !is_scalar_var(r->p, old->arg[0])) return none;
  if (!holds_what_was_seen(r, old->arg[0]) || !begins_with_element(r, old->arg[0])) return none;
  bool larger = less == (asked->arg[1] == term);
  return (kgi_float_add){.op = larger ? KGI_ATOMIC_max : KGI_ATOMIC_min, .term = term, .asked = true};
}

static kgi_float_add find_term(reading *r) {
  const kgi_float_add none = {0};
  const kgi_inst *loop = &r->p->inst[r->loop];
  if (loop->arg[3] || !read_block(r, loop->arg[1]) || r->exchange || !read_block(r, loop->arg[2]) || !r->exchange) return none;
  if (is_inside(r->p, r->loop, r->p->inst[r->exchange].arg[1]) || !leaves_nothing(r)) return none;
  return goes_on_until_then(r) ? term(r) : kept_where_asked(r);
}

bool kgi_find_float_adds(kgi_program *p, kgi_float_add *added, kgi_arena *scratch) {
  kgi_blocks overlaps;
  if (!kgi_overlaps_find(&overlaps, scratch, &p->scope)) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    bool exchanges = p->inst[i].kind == KGI_atomic && p->inst[i].op == KGI_ATOMIC_compare_exchange;
    uint32_t loop = p->block[p->inst[i].block].owner;
    if (!exchanges || !loop || p->inst[loop].kind != KGI_while) continue;
    raise_fixed(p, &overlaps, loop);
    reading r = {.p = p, .loop = loop};
    r.same = kgi_arena_alloc(scratch, p->inst_count, sizeof *r.same);
    r.held = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *r.held);
    r.stored = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *r.stored);
    if (scratch->failed) return false;
    kgi_float_add sum = find_term(&r);
    if (r.exchange == i) added[i] = sum;
  }
  return true;
}
