/* kgi_lower: rows that are made of other rows. The programs hold what back ends are told to expect. What they compute, operation by
 * operation on the host, is what the C library computes in double, and needs none of the guards that back ends leave out. */
#include "foundation/lower/lower.h"
#include "foundation/ir/eval.h"
#include "tests/support/kgtest.h"

#include <math.h>
#include <stdlib.h>

static bool is_function(kgi_op op) { return op == KGI_OP_rem || op == KGI_OP_mod || (kgi_op_rows[op].flags & KGI_FUNCTION); }

/* ---- what they hold ---- */

typedef struct seen { const kgi_program *p; bool stored[KGI_LOWERED_VARS + 1]; unsigned depth; } seen;

static void check_inst(seen *s, const kgi_inst *inst, kgi_op row) {
  switch ((int)inst->kind) {
  case KGI_op: ck_assert(inst->op != row || kgi_is_int(inst->type)); break;
  case KGI_var: ck_assert(s->p->scope.object[inst->arg[0]].scalar && inst->arg[0] <= KGI_LOWERED_VARS); break;
  case KGI_load: ck_assert(s->stored[inst->arg[0]]); break;
  case KGI_store: s->stored[inst->arg[0]] |= s->depth == 0; break;
  case KGI_if: ck_assert(s->depth == 0 && !inst->arg[2]); break;
  default: ck_abort_msg("%s", kgi_kind_names[inst->kind]);
  }
}

static void check_block(seen *s, kgi_blk block, kgi_op row) {
  KGI_EACH(s->p, block, i) {
    const kgi_inst *inst = &s->p->inst[i];
    check_inst(s, inst, row);
    if (inst->kind != KGI_if) continue;
    s->depth++;
    check_block(s, inst->arg[1], row);
    s->depth--;
  }
}

static void check_row(kgi_lowering *l, kgi_op op, kg_type type) {
  const kgi_lowered *x = kgi_lower(l, op, type);
  ck_assert(x && x == kgi_lower(l, op, type) && l->status == KG_OK);
  ck_assert_uint_eq(x->program->scope.param_count, 1u + kgi_op_rows[op].arity);
  for (unsigned i = 1; i <= kgi_op_rows[op].arity; i++) ck_assert_uint_eq(x->program->scope.param[i].type, type);
  ck_assert_uint_eq(x->program->inst[x->result].type, type);
  seen s = {.p = x->program};
  check_block(&s, KGI_BODY, op);
}

START_TEST(what_programs_hold) {
  kgi_lowering l;
  kgi_lowering_init(&l, NULL, NULL);
  kgi_op op = (kgi_op)_i;
  if (is_function(op)) check_row(&l, op, KG_F32);
  ck_assert(op == KGI_OP_mulz || op == KGI_OP_clamp || op == KGI_OP_fract || !kgi_lower(&l, op, KG_F64));
  ck_assert(l.status == KG_OK);
  kgi_lowering_free(&l);
} END_TEST

START_TEST(expressions) {
  static const kg_type floats[] = {KG_F16, KG_F32, KG_F64};
  kgi_lowering l;
  kgi_lowering_init(&l, NULL, NULL);
  for (unsigned i = 0; i < KGT_COUNT(floats); i++) {
    check_row(&l, KGI_OP_mulz, floats[i]);
    check_row(&l, KGI_OP_fract, floats[i]);
    check_row(&l, KGI_OP_clamp, floats[i]);
  }
  check_row(&l, KGI_OP_clamp, KG_U64);
  kgi_lowering_free(&l);
} END_TEST

/* ---- what they compute ---- */

typedef struct host { kgi_lowering *l; uint32_t misfit; uint64_t var[KGI_LOWERED_VARS + 1]; } host; /* misfit: of a conversion */

static float as_float(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}
static uint64_t as_bits(float x) {
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  return word;
}

static uint64_t compute(kgi_lowering *l, kgi_op op, const uint64_t *x, uint32_t misfit);

static uint64_t operation(host *h, const kgi_lowered *row, const kgi_inst *inst, const uint64_t *value) {
  kgi_op op = (kgi_op)inst->op;
  uint64_t a[4] = {0}, y = 0;
  unsigned lead = row->program->inst[inst->arg[op == KGI_OP_select]].type;
  for (unsigned k = 0; k < kgi_op_rows[op].arity; k++) a[k] = value[inst->arg[k]];
  if (op == KGI_OP_shl || op == KGI_OP_shr) ck_assert(a[1] < 32);
  if (op == KGI_OP_rem && lead != KG_F32) ck_assert(a[1] != 0);
  if (op == KGI_OP_convert && lead == KG_F32 && !(fabsf(as_float(a[0])) < 0x1p31F)) return h->misfit;
  if (is_function(op) && lead == KG_F32) return compute(h->l, op, a, h->misfit);
  ck_assert(kgi_eval(op, (kg_type)lead, (kg_type)inst->type, a, &y));
  return y;
}

static void run_block(host *h, const kgi_lowered *row, kgi_blk block, uint64_t *value) {
  KGI_EACH(row->program, block, i) {
    const kgi_inst *inst = &row->program->inst[i];
    if (inst->kind == KGI_op) value[i] = operation(h, row, inst, value);
    if (inst->kind == KGI_load) value[i] = h->var[inst->arg[0]];
    if (inst->kind == KGI_store) h->var[inst->arg[0]] = value[inst->arg[2]];
    if (inst->kind == KGI_if && value[inst->arg[0]]) run_block(h, row, inst->arg[1], value);
  }
}

enum { MOST = 1024 };

static uint64_t compute(kgi_lowering *l, kgi_op op, const uint64_t *x, uint32_t misfit) {
  const kgi_lowered *row = kgi_lower(l, op, KG_F32);
  uint64_t value[MOST] = {0};
  host h = {.l = l, .misfit = misfit};
  ck_assert(row && row->program->inst_count <= MOST);
  for (uint32_t i = 1; i < row->program->inst_count; i++) {
    const kgi_inst *inst = &row->program->inst[i];
    if (inst->kind == KGI_literal) value[i] = kgi_literal_bits(inst);
    if (inst->kind == KGI_param) value[i] = x[inst->arg[0] - 1];
  }
  run_block(&h, row, KGI_BODY, value);
  return value[row->result];
}

static double sinc(double x) { return x == 0 ? 1 : sin(x) / x; }
static double floored(double a, double b) {
  double r = fmod(a, b);
  if (r == 0) return copysign(0, b);
  return (r < 0) == (b < 0) ? r : r + b;
}

typedef struct case_ { const char *name; kgi_op op; double (*one)(double), (*two)(double, double); } case_;
#define ONE(name) {#name, KGI_OP_##name, name, NULL}
#define TWO(name, function) {#name, KGI_OP_##name, NULL, function}
static const case_ cases[] = {
  ONE(exp), ONE(exp2), ONE(expm1), ONE(log), ONE(log2), ONE(log1p), ONE(sin), ONE(cos), ONE(tan), ONE(sinc), ONE(asin), ONE(acos),
  ONE(atan), ONE(sinh), ONE(cosh), ONE(tanh), ONE(asinh), ONE(acosh), ONE(atanh), ONE(erf), ONE(erfc), TWO(pow, pow),
  TWO(atan2, atan2), TWO(hypot, hypot), TWO(rem, fmod), TWO(mod, floored),
};

/* Half of them any float at all, half near 1. */
static float any(uint64_t *state) {
  uint64_t word = kgi_random(state);
  return word & 1 ? as_float(word >> 32) : (float)((int32_t)(word >> 32) * 0x1p-28);
}

/* How far the bounds of reference/precision.def let any of them be: units in the last place, and what is subnormal. */
static bool is_near(double exact, float y) {
  float want = (float)exact;
  if (isnan(want) || isinf(want) || isinf(y)) return isnan(want) ? isnan(y) : want == y || fabs(exact) > 0x1.ffffp127;
  return fabs(exact - y) <= 16 * 0x1p-23 * fabs(exact) + 16 * 0x1p-149;
}

START_TEST(what_they_compute) {
  static const float edges[] = {0, -0.0F, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149F, 0x1p-126F, 0x1.fffffep127F, 1024,
                                0x1.002p10F};
  enum { EDGES = sizeof edges / sizeof *edges, TRIES = 4000 };
  const case_ *c = &cases[_i];
  kgi_lowering l;
  uint64_t state = 7;
  kgi_lowering_init(&l, NULL, NULL);
  for (unsigned k = 0; k < TRIES; k++) {
    float a = k < EDGES * EDGES ? edges[k % EDGES] : any(&state), b = k < EDGES * EDGES ? edges[k / EDGES] : any(&state);
    uint64_t x[2] = {as_bits(a), as_bits(b)}, bits = compute(&l, c->op, x, 0), again = compute(&l, c->op, x, 0x7ABCDEF1);
    double exact = c->one ? c->one(a) : c->two(a, b);
    ck_assert_msg(is_near(exact, as_float(bits)), "%s(%a, %a) = %a, not %a", c->name, a, b, as_float(bits), exact);
    ck_assert_msg(bits == again || (isnan(as_float(bits)) && isnan(as_float(again))), "%s(%a, %a)", c->name, a, b);
  }
  kgi_lowering_free(&l);
} END_TEST

/* ---- memory ---- */

static void *limited(void *user, void *block, size_t old_size, size_t new_size) {
  unsigned *left = user;
  (void)old_size;
  if (!new_size) return free(block), NULL;
  if (!*left) return NULL;
  --*left;
  return realloc(block, new_size);
}

/* One failed allocation after the other, until there is none. */
START_TEST(no_memory) {
  static const kgi_op ops[] = {KGI_OP_sin, KGI_OP_mulz};
  bool done = false;
  for (unsigned n = 0; !done && n < 1000; n++) {
    unsigned left = n;
    kg_allocator alloc = {.user = &left, .resize = limited};
    kgi_lowering l;
    kgi_lowering_init(&l, &alloc, NULL);
    done = kgi_lower(&l, ops[_i], KG_F32) != NULL;
    ck_assert_int_eq(l.status, done ? KG_OK : KG_NO_MEMORY);
    ck_assert(done || !kgi_lower(&l, KGI_OP_exp, KG_F32));
    kgi_lowering_free(&l);
  }
  ck_assert(done);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_OPS(what_programs_hold), KGT(expressions), KGT_TABLE(what_they_compute, cases, name),
                            KGT_TIMES(no_memory, 2)};
  return kgt_run("foundation/lower", tests, KGT_COUNT(tests));
}
