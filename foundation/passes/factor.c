/* What a loop hands on from trip to trip, multiplied on the way by several factors, is multiplied once, by what is made of them:
 *
 *     h = g p, k = g q, g = h r - k        becomes        g = g (p r - q)
 *
 * Adjoints of states are such, and only loops of the reverse are given: what the kernel itself multiplies stays as it is. The factors of a trip do not wait for the trip before, so that what does wait is one product. They are
 * multiplied by the strong-zero product as well: a factor of 0 still wins over an infinite one. Rounding differs, and so does what is too
 * large or too small for a float on the way, and of an infinite state what was infinity less infinity may be infinite. */
#include "foundation/base/limits.h"
#include "foundation/passes/passes.h"

enum { ONE = UINT32_MAX }; /* the factor of the value itself */

typedef struct factoring {
  kgi_builder *b;
  kgi_program *p;
  uint32_t count;   /* instructions at the beginning */
  uint32_t *uses;
  uint32_t *factor; /* of values that are multiples of the base: what by, or ONE; 0: it is none */
  uint32_t *member, members; /* the base, and multiples of it, in order */
  uint32_t inside, products; /* uses of members by members, strong-zero products among these */
} factoring;

static void begin(factoring *f, uint32_t base) {
  for (uint32_t n = 0; n < f->members; n++) f->factor[f->member[n]] = 0;
  f->members = f->inside = f->products = 0;
  f->member[f->members++] = base;
  f->factor[base] = ONE;
}

static bool is_in(const factoring *f, uint32_t value) { return value < f->count && f->factor[value]; }

static bool is_zero(const factoring *f, uint32_t value) {
  return f->p->inst[value].kind == KGI_literal && !kgi_literal_bits(&f->p->inst[value]);
}

/* ---- what the factors are ---- */

static uint32_t known(factoring *f, uint32_t value, kg_type type) {
  return f->factor[value] == ONE ? kgi_float(f->b, type, 1).i : f->factor[value];
}

static uint32_t times(factoring *f, kgi_op op, uint32_t value, uint32_t by) {
  if (f->factor[value] == ONE) return by;
  return kgi_op2(f->b, op, (kgi_val){f->factor[value]}, (kgi_val){by}).i;
}

/* Of `i`, whose operands are members where `in` says so; 0: it is no multiple. What is made stands in front of it. */
static uint32_t factor_of(factoring *f, uint32_t i, const bool *in) {
  const kgi_inst x = f->p->inst[i];
  kg_type type = (kg_type)x.type;
  uint32_t first, second;
  f->b->at = kgi_before(f->p, i);
  switch (x.op) {
  case KGI_OP_mulz: return in[0] && !in[1] ? times(f, KGI_OP_mulz, x.arg[0], x.arg[1]) : 0;
  case KGI_OP_mul: return in[0] != in[1] ? times(f, KGI_OP_mul, x.arg[in[1]], x.arg[in[0]]) : 0;
  case KGI_OP_neg: return kgi_op1(f->b, KGI_OP_neg, (kgi_val){known(f, x.arg[0], type)}).i;
  case KGI_OP_add: case KGI_OP_sub:
    if (x.op == KGI_OP_add && is_zero(f, x.arg[in[0]])) return f->factor[x.arg[in[1]]]; /* what a shadow began with */
    if (!in[0] || !in[1]) return 0;
    first = known(f, x.arg[0], type), second = known(f, x.arg[1], type);
    return kgi_op2(f->b, (kgi_op)x.op, (kgi_val){first}, (kgi_val){second}).i;
  case KGI_OP_select:
    if (in[0] || !in[1] || !in[2]) return 0; /* a 0 that is chosen would become infinity times 0 */
    first = known(f, x.arg[1], type), second = known(f, x.arg[2], type);
    return kgi_op3(f->b, KGI_OP_select, (kgi_val){x.arg[0]}, (kgi_val){first}, (kgi_val){second}).i;
  default: return 0;
  }
}

/* ---- what becomes of them ---- */

/* `user` takes a multiple of the base at once. Only where nobody else takes it or what lies between, or nothing would be saved. */
static void close(factoring *f, uint32_t value, uint32_t user) {
  uint32_t base = f->member[0], uses = 0;
  if (!is_in(f, value) || f->products < 2 || f->uses[value] != 1) return;
  for (uint32_t n = 0; n < f->members; n++) uses += f->uses[f->member[n]];
  if (uses != f->inside + 1) return;
  f->b->at = kgi_before(f->p, user);
  uint32_t product = kgi_op2(f->b, KGI_OP_mulz, (kgi_val){base}, (kgi_val){f->factor[value]}).i;
  kgi_span operands = kgi_operands(&f->p->inst[user]);
  for (unsigned n = 0; n < operands.count; n++)
    if (f->p->inst[user].arg[operands.first + n] == value) f->p->inst[user].arg[operands.first + n] = product;
}

/* False: it is made of members, and neither a multiple of the base nor one with something added to it, which then is the next base. */
static bool visit(factoring *f, uint32_t i) {
  const kgi_inst x = f->p->inst[i];
  kgi_span operands = kgi_operands(&x);
  bool in[4] = {false};
  unsigned count = 0;
  for (unsigned n = 0; n < operands.count; n++) count += in[n] = is_in(f, x.arg[operands.first + n]);
  if (!count) return true;
  uint32_t factor = x.kind == KGI_op && i < f->count ? factor_of(f, i, in) : 0;
  if (factor) {
    f->factor[i] = factor, f->member[f->members++] = i;
    f->inside += count, f->products += x.op == KGI_OP_mulz;
    return true;
  }
  if (x.kind != KGI_op || (x.op != KGI_OP_add && x.op != KGI_OP_sub) || i >= f->count) return false;
  close(f, x.arg[in[1]], i);
  begin(f, i);
  return true;
}

/* The load in front of the store, in its block; 0: there is none near. */
static uint32_t load_of(const kgi_program *p, uint32_t store) {
  uint32_t i = p->inst[store].prev, found = 0;
  for (uint32_t n = 0; i && n < KGI_LIMIT(factor_values); n++, i = p->inst[i].prev)
    if (p->inst[i].kind == KGI_load && p->inst[i].arg[0] == p->inst[store].arg[0]) found = i;
  return found;
}

static void visit_store(factoring *f, uint32_t store) {
  uint32_t load = load_of(f->p, store), value = f->p->inst[store].arg[2];
  if (!load || load >= f->count) return;
  begin(f, load);
  for (uint32_t i = f->p->inst[load].next; i && i != store; i = f->p->inst[i].next)
    if (!visit(f, i)) return;
  close(f, value, store);
}

static bool is_state(const kgi_program *p, const kgi_inst *store) {
  const kgi_object *o = &p->scope.object[store->arg[0]];
  return store->kind == KGI_store && o->space == KGI_VAR && o->scalar && kgi_is_float(o->type);
}

static void visit_loop(factoring *f, uint32_t loop) {
  if (!f->p->inst[loop].block || f->p->inst[loop].kind != KGI_for) return;
  KGI_EACH(f->p, f->p->inst[loop].arg[3], i)
    if (is_state(f->p, &f->p->inst[i])) visit_store(f, i);
}

kg_status kgi_factor(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch) {
  factoring f = {.b = b, .p = q, .count = q->inst_count};
  f.uses = kgi_arena_alloc(scratch, f.count, sizeof *f.uses);
  f.factor = kgi_arena_alloc(scratch, f.count, sizeof *f.factor);
  f.member = kgi_arena_alloc(scratch, f.count, sizeof *f.member);
  if (!f.uses || !f.factor || !f.member) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, f.uses);
  b->simplify = true;
  for (uint32_t k = 0; k < count; k++) visit_loop(&f, loops[k]);
  b->simplify = false;
  return kgi_builder_status(b);
}
