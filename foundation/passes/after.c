/* A sum of multiples of what stays is a multiple of a sum, and the loop is done with one product less in each trip:
 *
 *     for k in 0 .. n { s += mulz(g, x[k]) }        becomes        for k in 0 .. n { t += x[k] }    s += mulz(g, t)
 *
 * What is summed up then hangs on `g` no more, and climb.c may put the loop in front of where `g` is known. A multiple may be a negation, a
 * sum or a difference of multiples of the same, or a product with a literal. It must be the first factor of the strong-zero product that
 * stays: where it is 0, each of the products is, and so is the one. Rounding differs, and so does what is too large or too small for a float
 * on the way; of an infinite factor what was infinity less infinity may be infinite. A loop without a trip adds nothing, be `g` infinite or not.
 *
 * Only loops of the reverse are given, as to factor.c. In the loop nothing touches the var but the one addition to it. */
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"
#include "foundation/passes/passes.h"

typedef struct after {
  kgi_builder *b;
  kgi_program *p;
  uint32_t count; /* instructions at the beginning */
  uint32_t *uses;
  uint32_t loop;
} after;

/* `store` puts load(var) + term, or load(var) - term. */
typedef struct addition { uint32_t load, store, term; kgi_op op; } addition;

static bool is_literal(const after *a, uint32_t value) { return a->p->inst[value].kind == KGI_literal; }

/* What `value` is a multiple of; 0: of nothing that stays, or others take it too. `uses`: how often who asks takes it. */
static uint32_t base_of(const after *a, uint32_t value, uint32_t uses, unsigned depth) {
  const kgi_inst *x = &a->p->inst[value];
  if (!depth || value >= a->count || x->kind != KGI_op || a->uses[value] != uses || kgi_is_fixed(a->p, value, a->loop)) return 0;
  switch (x->op) {
  case KGI_OP_mulz: return kgi_is_fixed(a->p, x->arg[0], a->loop) && !kgi_is_fixed(a->p, x->arg[1], a->loop) ? x->arg[0] : 0;
  case KGI_OP_neg: return base_of(a, x->arg[0], 1, depth - 1);
  case KGI_OP_mul: return is_literal(a, x->arg[1]) ? base_of(a, x->arg[0], 1, depth - 1) : 0;
  case KGI_OP_add: case KGI_OP_sub: {
    if (x->arg[0] == x->arg[1]) return base_of(a, x->arg[0], 2, depth - 1);
    uint32_t base = base_of(a, x->arg[0], 1, depth - 1);
    return base && base_of(a, x->arg[1], 1, depth - 1) == base ? base : 0;
  }
  default: return 0;
  }
}

/* By what; made at the builder's cursor. */
static kgi_val factor_of(const after *a, uint32_t value) {
  const kgi_inst x = a->p->inst[value];
  if (x.op == KGI_OP_mulz) return (kgi_val){x.arg[1]};
  kgi_val first = factor_of(a, x.arg[0]);
  if (x.op == KGI_OP_neg) return kgi_op1(a->b, KGI_OP_neg, first);
  if (x.op == KGI_OP_mul) return kgi_op2(a->b, KGI_OP_mul, first, (kgi_val){x.arg[1]});
  return kgi_op2(a->b, (kgi_op)x.op, first, x.arg[0] == x.arg[1] ? first : factor_of(a, x.arg[1]));
}

/* The one load of the var in the loop, if nothing else touches it there than that and the store; else 0. */
static uint32_t only_load(const after *a, uint32_t store) {
  uint32_t var = a->p->inst[store].arg[0], load = 0;
  KGI_EACH_INSIDE(a->p, a->p->inst[a->loop].arg[3], i) {
    const kgi_inst *x = &a->p->inst[i];
    if ((!kgi_touches(x) && x->kind != KGI_var) || kgi_object_of(x) != var || i == store) continue;
    if (load || x->kind != KGI_load) return 0;
    load = i;
  }
  return load;
}

static bool is_sum(const after *a, uint32_t store) {
  const kgi_inst *s = &a->p->inst[store];
  if (s->kind != KGI_store || store >= a->count) return false;
  const kgi_object *o = &a->p->scope.object[s->arg[0]];
  const kgi_inst *sum = &a->p->inst[s->arg[2]];
  return o->space == KGI_VAR && o->scalar && kgi_is_float(o->type) && s->arg[2] < a->count && a->uses[s->arg[2]] == 1 &&
         sum->kind == KGI_op && (sum->op == KGI_OP_add || sum->op == KGI_OP_sub);
}

static bool find_addition(const after *a, uint32_t store, addition *out) {
  if (!is_sum(a, store)) return false;
  const kgi_inst *sum = &a->p->inst[a->p->inst[store].arg[2]];
  uint32_t load = only_load(a, store);
  if (!load || load >= a->count || a->uses[load] != 1) return false;
  bool first = sum->arg[0] == load;
  if (!first && (sum->op == KGI_OP_sub || sum->arg[1] != load)) return false;
  *out = (addition){load, store, sum->arg[first], (kgi_op)sum->op};
  return true;
}

static kgi_val has_trips(const after *a) {
  const kgi_inst *loop = &a->p->inst[a->loop];
  return kgi_op2(a->b, KGI_OP_lt, (kgi_val){loop->arg[0]}, (kgi_val){loop->arg[1]});
}

static void take_out(const after *a, const addition *s, uint32_t base) {
  kgi_builder *b = a->b;
  kgi_obj to = {a->p->inst[s->store].arg[0]};
  kg_type type = a->p->scope.object[to.i].type;
  b->pos = a->p->inst_pos[s->store];
  b->at = kgi_before(a->p, a->loop);
  kgi_obj sum = kgi_var(b, "sum", type, (kgi_dim){0});
  kgi_store(b, sum, (kgi_val){0}, kgi_float(b, type, 0));
  b->at = kgi_before(a->p, s->store);
  kgi_val more = factor_of(a, s->term);
  kgi_store(b, sum, (kgi_val){0}, kgi_op2(b, KGI_OP_add, kgi_load(b, sum, (kgi_val){0}), more));
  b->at = kgi_behind(a->p, a->loop);
  kgi_val before = kgi_load(b, to, (kgi_val){0});
  kgi_val product = kgi_op2(b, KGI_OP_mulz, (kgi_val){base}, kgi_load(b, sum, (kgi_val){0}));
  kgi_val any = has_trips(a), nothing = kgi_float(b, type, 0);
  product = kgi_op3(b, KGI_OP_select, any, product, nothing);
  kgi_store(b, to, (kgi_val){0}, kgi_op2(b, s->op, before, product));
  kgi_remove(a->p, s->store);
}

static void visit_loop(after *a, uint32_t loop) {
  addition s;
  a->loop = loop;
  if (!a->p->inst[loop].block || a->p->inst[loop].kind != KGI_for) return;
  for (uint32_t i = a->p->block[a->p->inst[loop].arg[3]].first, next; i; i = next) {
    next = a->p->inst[i].next;
    if (!find_addition(a, i, &s)) continue;
    uint32_t base = base_of(a, s.term, 1, KGI_LIMIT(after_depth));
    if (base) take_out(a, &s, base);
  }
}

/* What nobody takes takes nothing: cleaning comes later. */
static bool count_uses(after *a, kgi_arena *scratch) {
  uint32_t *order = kgi_arena_alloc(scratch, a->count, sizeof *order), n = 0;
  a->uses = kgi_arena_alloc(scratch, a->count, sizeof *a->uses);
  if (!a->uses || !order) return false;
  kgi_count_uses(a->p, KGI_BODY, a->uses);
  KGI_EACH_INSIDE(a->p, KGI_BODY, i) order[n++] = i;
  while (n--) {
    const kgi_inst *x = &a->p->inst[order[n]];
    if (!kgi_is_pure(x) || a->uses[order[n]]) continue;
    kgi_span operands = kgi_operands(x);
    for (unsigned k = 0; k < operands.count; k++) a->uses[x->arg[operands.first + k]]--;
  }
  return true;
}

kg_status kgi_multiply_after(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch) {
  after a = {.b = b, .p = q, .count = q->inst_count};
  if (!count_uses(&a, scratch)) return KG_NO_MEMORY;
  for (uint32_t k = 0; k < count; k++) visit_loop(&a, loops[k]);
  return kgi_builder_status(b);
}
