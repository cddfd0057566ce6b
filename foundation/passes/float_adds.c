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
 * max(bitcast_f32(old), v) is atomic_max(t[i], v), and likewise min. Compilers that join products and sums write
 * fma(v, w, bitcast_f32(old)), which is atomic_add(t[i], v * w) but for the rounding of the product. */
#include "foundation/passes/passes.h"

typedef struct reading {
  const kgi_program *p;
  uint32_t loop, exchange;
  uint32_t *same; /* by instruction of the body: the first that has its value */
  uint32_t *held; /* by object: what a var holds, where the reading is; 0: nobody looked */
  bool *stored;   /* by object: the loop does */
  bool left;      /* `if seen == expected { break }` stands in it */
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

static bool is_exit(const reading *r, uint32_t branch) {
  const kgi_inst *inst = &r->p->inst[branch];
  uint32_t only = r->p->block[inst->arg[1]].first;
  return !inst->arg[2] && only && r->p->inst[only].kind == KGI_break && says(r, inst->arg[0], KGI_OP_eq);
}

/* True: nothing but what such a loop is made of. */
static bool read_one(reading *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  bool touches = kgi_touches(inst) || inst->kind == KGI_var, var = touches && is_scalar_var(r->p, inst->arg[0]);
  uint32_t *held = touches ? &r->held[inst->arg[0]] : NULL;
  if (inst->kind == KGI_op || (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_load)) return true;
  if (inst->kind == KGI_if) return !r->left && (r->left = is_exit(r, i));
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

/* Right before the loop, in its block. */
static bool is_set(const reading *r, uint32_t object, bool to) {
  for (uint32_t i = r->p->inst[r->loop].prev; i; i = r->p->inst[i].prev) {
    const kgi_inst *inst = &r->p->inst[i];
    if (kgi_kind_rows[inst->kind].blocks.count) return false;
    if (inst->kind != KGI_store || inst->arg[0] != object) continue;
    const kgi_inst *value = &r->p->inst[inst->arg[2]];
    return value->kind == KGI_literal && (kgi_literal_bits(value) != 0) == to;
  }
  return false;
}

/* The loop goes on until the exchange took place, and has one trip at least. */
static bool goes_on_until_then(const reading *r) {
  const kgi_inst *loop = &r->p->inst[r->loop], *condition = &r->p->inst[loop->arg[0]];
  if (condition->kind == KGI_literal) return kgi_literal_bits(condition) && r->left;
  if (r->left) return false;
  bool negated = condition->kind == KGI_op && condition->op == KGI_OP_not;
  const kgi_inst *flag = negated ? &r->p->inst[condition->arg[0]] : condition;
  if (flag->kind != KGI_load || !is_scalar_var(r->p, flag->arg[0]) || !is_set(r, flag->arg[0], !negated)) return false;
  return says(r, r->held[flag->arg[0]], negated ? KGI_OP_eq : KGI_OP_ne);
}

static bool is_inside(const kgi_program *p, uint32_t loop, uint32_t i) {
  while (i && i != loop) i = p->block[p->inst[i].block].owner;
  return i != 0;
}

/* What each trip computes alike, from values and from buffers that nobody writes, may as well stand in front. */
static bool is_fixed(const kgi_program *p, uint32_t loop, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  const kgi_object *o = &p->scope.object[inst->arg[0]];
  bool loads = inst->kind == KGI_load && o->space == KGI_BUFFER && o->mode == KG_READ && !o->view;
  if (!loads && inst->kind != KGI_op) return false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (is_inside(p, loop, inst->arg[k])) return false;
  return true;
}

static void raise_fixed(kgi_program *p, uint32_t loop) {
  for (uint32_t i = p->block[p->inst[loop].arg[2]].first, next; i; i = next) {
    next = p->inst[i].next;
    if (is_fixed(p, loop, i)) kgi_move(p, i, kgi_before(p, loop));
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

/* Zeros: it is nothing of the kind. */
static kgi_float_add term(const reading *r) {
  const kgi_inst *bits = op_of(r, r->p->inst[r->exchange].arg[3], KGI_OP_bitcast);
  const kgi_inst *of = bits ? &r->p->inst[same(r, bits->arg[0])] : NULL;
  if (!of || of->kind != KGI_op || !kgi_is_float(of->type)) return (kgi_float_add){0};
  switch ((unsigned)of->op) {
  case KGI_OP_add: return (kgi_float_add){.op = KGI_ATOMIC_add, .term = beside_old(r, of)};
  case KGI_OP_max: return (kgi_float_add){.op = KGI_ATOMIC_max, .term = beside_old(r, of)};
  case KGI_OP_min: return (kgi_float_add){.op = KGI_ATOMIC_min, .term = beside_old(r, of)};
  case KGI_OP_fma: return fused(r, of);
  default: return (kgi_float_add){0};
  }
}

static kgi_float_add find_term(reading *r) {
  const kgi_float_add none = {0};
  const kgi_inst *loop = &r->p->inst[r->loop];
  if (loop->arg[3] || !read_block(r, loop->arg[1]) || r->exchange || !read_block(r, loop->arg[2]) || !r->exchange) return none;
  if (is_inside(r->p, r->loop, r->p->inst[r->exchange].arg[1]) || !goes_on_until_then(r) || !leaves_nothing(r)) return none;
  return term(r);
}

bool kgi_find_float_adds(kgi_program *p, kgi_float_add *added, kgi_arena *scratch) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    bool exchanges = p->inst[i].kind == KGI_atomic && p->inst[i].op == KGI_ATOMIC_compare_exchange;
    uint32_t loop = p->block[p->inst[i].block].owner;
    if (!exchanges || !loop || p->inst[loop].kind != KGI_while) continue;
    raise_fixed(p, loop);
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
