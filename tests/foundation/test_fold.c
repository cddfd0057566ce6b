/* Folding: what an operation becomes as it is made, and what must stay as it is. */
#include "foundation/ir/bits.h"
#include "foundation/ir/eval.h"
#include "foundation/ir/fold.h"
#include "tests/support/kgtest.h"

#include <math.h>

typedef struct bench { kgi_builder b; kgi_val f, g, i, u, p, q, h; } bench;

static void start(bench *t) {
  kgi_builder *b = &t->b;
  kgi_builder_init(b, kgi_module_new(NULL, "t"), NULL);
  b->simplify = true;
  kgi_begin_program(b, "p");
  const struct { const char *name; kg_type type; kgi_val *to; } params[] = {
    {"f", KG_F32, &t->f}, {"g", KG_F32, &t->g}, {"i", KG_I32, &t->i}, {"u", KG_U32, &t->u}, {"p", KG_BOOL, &t->p},
    {"q", KG_BOOL, &t->q}, {"h", KG_F16, &t->h}};
  for (unsigned k = 0; k < sizeof params / sizeof *params; k++)
    *params[k].to = kgi_param_value(b, kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, params[k].name),
                                                                      .type = (uint8_t)params[k].type}));
}

static void finish(bench *t) {
  ck_assert_int_eq(kgi_builder_status(&t->b), KG_OK);
  kg_module_free(t->b.m);
}

#define SAME(x, y) ck_assert_uint_eq((x).i, (y).i)
#define OP(name, ...) kgi_apply(b, KGI_OP_##name, (kgi_val[]){__VA_ARGS__}, sizeof (kgi_val[]){__VA_ARGS__} / sizeof(kgi_val))
/* The operation of a value; sequenced after whatever made the value, since that may move the array. */
static kgi_op op_of(const kgi_builder *b, kgi_val x) {
  return b->p->inst[x.i].kind == KGI_op ? (kgi_op)b->p->inst[x.i].op : KGI_OP_COUNT;
}
#define BECOMES(other, x) ck_assert_uint_eq(op_of(b, x), KGI_OP_##other)
#define STAYS(name, ...) BECOMES(name, OP(name, __VA_ARGS__))

START_TEST(floats) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  kgi_val zero = kgi_f32(b, 0), minus = kgi_f32(b, -0.0f), one = kgi_f32(b, 1), less = kgi_f32(b, -1), inf = kgi_f32(b, INFINITY);
  SAME(OP(mul, t.f, one), t.f);
  SAME(OP(mul, one, t.f), t.f);
  SAME(OP(div, t.f, one), t.f);
  SAME(OP(sub, t.f, zero), t.f);
  SAME(OP(add, t.f, minus), t.f);
  SAME(OP(add, minus, t.f), t.f);
  STAYS(add, t.f, zero);   /* -0 + 0 is 0 */
  STAYS(sub, t.f, minus);  /* -0 - -0 is 0 */
  STAYS(sub, zero, t.f);   /* 0 - 0 is 0, not -0 */
  STAYS(mul, t.f, zero);   /* -1 * 0, inf * 0 */
  STAYS(sub, t.f, t.f);    /* inf - inf */
  STAYS(div, t.f, t.f);
  STAYS(eq, t.f, t.f);     /* NaN */
  STAYS(le, t.f, t.f);
  STAYS(max, t.f, kgi_f32(b, -INFINITY)); /* NaN gives -inf */
  BECOMES(neg, OP(mul, t.f, less));
  BECOMES(neg, OP(div, t.f, less));
  BECOMES(neg, OP(sub, minus, t.f));
  SAME(OP(neg, OP(neg, t.f)), t.f);
  SAME(OP(max, t.f, t.f), t.f);
  SAME(OP(lt, t.f, t.f), kgi_bool(b, false));
  BECOMES(sub, OP(add, t.f, OP(neg, t.g)));
  BECOMES(sub, OP(add, OP(neg, t.g), t.f));
  BECOMES(add, OP(sub, t.f, OP(neg, t.g)));
  kgi_val minus_g = OP(neg, t.g);
  BECOMES(mul, OP(mul, OP(neg, t.f), minus_g));
  /* A product of a zero has a sign; mulz has +0. */
  SAME(OP(mulz, zero, t.g), zero);
  SAME(OP(mulz, minus, t.g), zero);
  STAYS(mulz, t.g, one);
  STAYS(mulz, t.g, kgi_f32(b, 2));
  STAYS(mulz, t.g, less);
  STAYS(mulz, t.g, inf);
  STAYS(mulz, t.g, kgi_f32(b, NAN));
  STAYS(mulz, t.g, t.f);
  STAYS(mulz, kgi_f32(b, 3), t.g);
  finish(&t);
} END_TEST

START_TEST(integers) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  kgi_val zero = kgi_i32(b, 0), one = kgi_i32(b, 1), all = kgi_i32(b, -1), u0 = kgi_u32(b, 0), u1 = kgi_u32(b, 1);
  SAME(OP(add, t.i, zero), t.i);
  SAME(OP(add, zero, t.i), t.i);
  SAME(OP(mul, t.i, zero), zero);
  SAME(OP(mul, t.i, one), t.i);
  SAME(OP(sub, t.i, t.i), zero);
  BECOMES(neg, OP(sub, zero, t.i));
  BECOMES(neg, OP(mul, t.i, all));
  STAYS(mul, t.u, kgi_u32(b, UINT32_MAX));
  SAME(OP(div, t.u, u1), t.u);
  STAYS(div, t.i, all);    /* MIN / -1 is MIN by the table as well, but neg says no more */
  STAYS(div, t.i, zero);
  SAME(OP(rem, t.u, u1), u0);
  SAME(OP(and, t.i, zero), zero);
  SAME(OP(and, t.i, all), t.i);
  SAME(OP(or, t.i, all), all);
  SAME(OP(or, t.i, zero), t.i);
  SAME(OP(xor, t.i, t.i), zero);
  BECOMES(not, OP(xor, t.i, all));
  SAME(OP(shl, t.u, u0), t.u);
  SAME(OP(eq, t.i, t.i), kgi_bool(b, true));
  SAME(OP(ge, t.i, t.i), kgi_bool(b, true));
  SAME(OP(ge, t.u, u0), kgi_bool(b, true));
  SAME(OP(lt, t.u, u0), kgi_bool(b, false));
  SAME(OP(gt, u0, t.u), kgi_bool(b, false));
  STAYS(ge, t.i, zero);
  STAYS(lt, u0, t.u);
  kgi_val eight = kgi_u32(b, 8), quotient = OP(div, t.u, eight), product = OP(mul, eight, quotient);
  BECOMES(rem, OP(sub, t.u, product));
  kgi_val other = OP(mul, quotient, kgi_u32(b, 4)), of_signed = OP(mul, OP(div, t.i, kgi_i32(b, 8)), kgi_i32(b, 8));
  STAYS(sub, t.u, other);
  STAYS(sub, product, t.u);
  STAYS(sub, t.i, of_signed);
  finish(&t);
} END_TEST

/* high * 8 + low, where low is below 8 and nothing wraps. */
/* An invocation's number from its workgroup's: with the workgroup's own size along that axis, and no other. */
START_TEST(ids) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  b->p->workgroup[0] = kgi_len_int(b, 8), b->p->workgroup[1] = kgi_len_int(b, 4);
  kgi_val group = kgi_id_value(b, KGI_ID_workgroup_id, 0), lane = kgi_id_value(b, KGI_ID_local_id, 0);
  kgi_val row = kgi_id_value(b, KGI_ID_local_id, 1), size = kgi_id_value(b, KGI_ID_workgroup_size, 0);
  kgi_val begin = OP(mul, group, kgi_u32(b, 8)), stated = OP(mul, size, group), other = OP(mul, group, kgi_u32(b, 4));
  kgi_val global = kgi_id_value(b, KGI_ID_global_id, 0);
  SAME(OP(add, begin, lane), global);
  SAME(OP(add, lane, stated), global);
  BECOMES(add, OP(add, other, lane));
  BECOMES(add, OP(add, begin, row));
  BECOMES(add, OP(add, OP(mul, kgi_id_value(b, KGI_ID_workgroup_id, 1), kgi_u32(b, 8)), lane));
  BECOMES(add, OP(add, OP(mul, kgi_id_value(b, KGI_ID_workgroup_id, 1), kgi_u32(b, 4)), lane));
  finish(&t);
} END_TEST

START_TEST(digits) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  kgi_val eight = kgi_u32(b, 8), low = OP(rem, t.u, eight), wide = OP(rem, t.u, kgi_u32(b, 9)), few = OP(and, t.u, kgi_u32(b, 1023));
  kgi_val scaled = OP(mul, few, eight), sum = OP(add, scaled, low);
  SAME(OP(div, sum, eight), few);
  SAME(OP(rem, sum, eight), low);
  SAME(OP(mod, OP(add, low, OP(mul, eight, few)), eight), low);
  STAYS(div, sum, kgi_u32(b, 4));
  STAYS(rem, sum, kgi_u32(b, 16));
  sum = OP(add, scaled, wide);
  STAYS(div, sum, eight);
  STAYS(rem, sum, eight);
  sum = OP(add, OP(mul, t.u, eight), low); /* which wraps */
  STAYS(div, sum, eight);
  sum = OP(add, OP(mul, OP(rem, t.u, kgi_u32(b, 1 << 29)), eight), low); /* past what is signed */
  STAYS(div, sum, eight);
  sum = OP(add, OP(mul, OP(rem, t.i, kgi_i32(b, 16)), kgi_i32(b, 8)), kgi_i32(b, 3)); /* below 0 */
  STAYS(rem, sum, kgi_i32(b, 8));
  sum = OP(add, OP(mul, OP(and, t.i, kgi_i32(b, 15)), kgi_i32(b, 8)), kgi_i32(b, 3));
  SAME(OP(rem, sum, kgi_i32(b, 8)), kgi_i32(b, 3));
  finish(&t);
} END_TEST

START_TEST(logic) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  kgi_val yes = kgi_bool(b, true), no = kgi_bool(b, false);
  SAME(OP(and, t.p, yes), t.p);
  SAME(OP(and, no, t.p), no);
  SAME(OP(or, t.p, no), t.p);
  SAME(OP(or, t.p, yes), yes);
  SAME(OP(not, OP(not, t.p)), t.p);
  SAME(OP(eq, t.p, yes), t.p);
  SAME(OP(ne, t.p, no), t.p);
  BECOMES(not, OP(eq, t.p, no));
  BECOMES(not, OP(xor, t.p, yes));
  SAME(OP(select, t.p, t.f, t.f), t.f);
  SAME(OP(select, yes, t.f, t.g), t.f);
  SAME(OP(select, no, t.f, t.g), t.g);
  SAME(OP(select, t.p, yes, no), t.p);
  BECOMES(not, OP(select, t.p, no, yes));
  kgi_val swapped = OP(select, OP(not, t.p), t.f, t.g);
  SAME(((kgi_val){b->p->inst[swapped.i].arg[1]}), t.g);
  finish(&t);
} END_TEST

START_TEST(literals) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  SAME(OP(add, kgi_f32(b, 0.1f), kgi_f32(b, 0.2f)), kgi_f32(b, 0.1f + 0.2f));
  SAME(OP(div, kgi_f32(b, 1), kgi_f32(b, 0)), kgi_f32(b, INFINITY));
  SAME(OP(div, kgi_u32(b, 7), kgi_u32(b, 0)), kgi_u32(b, UINT32_MAX));
  SAME(OP(rem, kgi_u32(b, 7), kgi_u32(b, 0)), kgi_u32(b, 7));
  SAME(OP(div, kgi_i32(b, INT32_MIN), kgi_i32(b, -1)), kgi_i32(b, INT32_MIN));
  SAME(OP(shl, kgi_u32(b, 1), kgi_u32(b, 33)), kgi_u32(b, 2));
  SAME(OP(lt, kgi_i32(b, -1), kgi_i32(b, 1)), kgi_bool(b, true));
  SAME(OP(lt, kgi_u32(b, UINT32_MAX), kgi_u32(b, 1)), kgi_bool(b, false));
  SAME(OP(sqrt, kgi_f32(b, 2)), kgi_f32(b, sqrtf(2)));
  SAME(kgi_convert(b, KG_I32, kgi_f32(b, 3e9f)), kgi_i32(b, INT32_MAX));
  SAME(kgi_bitcast(b, KG_U32, kgi_f32(b, 1)), kgi_u32(b, 0x3F800000));
  SAME(OP(mul, kgi_float(b, KG_F16, 0.1), kgi_float(b, KG_F16, 3)), kgi_literal_of(b, KG_F16, 0x34CC)); /* 1228.5 units of 2^-12: a tie */
  STAYS(exp, kgi_f32(b, 1)); /* devices have it */
  SAME(OP(cos, kgi_float(b, KG_F64, -0.5)), kgi_float(b, KG_F64, 0x1.c1528065b7d5p-1));
  SAME(OP(pow, kgi_float(b, KG_F64, -3), kgi_float(b, KG_F64, 3)), kgi_float(b, KG_F64, -27));
  SAME(OP(sin, kgi_float(b, KG_F64, -0.0)), kgi_float(b, KG_F64, -0.0));
  STAYS(log, kgi_float(b, KG_F64, -1));
  STAYS(fma, kgi_f32(b, 1), kgi_f32(b, 2), kgi_f32(b, 3));
  finish(&t);
} END_TEST

START_TEST(conversions) {
  bench t;
  start(&t);
  kgi_builder *b = &t.b;
  SAME(kgi_convert(b, KG_I32, kgi_convert(b, KG_F64, t.i)), t.i);
  SAME(kgi_convert(b, KG_F16, kgi_convert(b, KG_F32, t.h)), t.h);
  SAME(kgi_convert(b, KG_U32, kgi_convert(b, KG_U64, t.u)), t.u);
  SAME(kgi_bitcast(b, KG_F32, kgi_bitcast(b, KG_U32, t.f)), t.f);
  kgi_val rounded = kgi_convert(b, KG_I32, kgi_convert(b, KG_F32, t.i)); /* 2^24 + 1 does not survive */
  ck_assert_uint_ne(rounded.i, t.i.i);
  kgi_val narrow = kgi_convert(b, KG_F32, kgi_convert(b, KG_F16, t.f));
  ck_assert_uint_ne(narrow.i, t.f.i);
  kgi_val direct = kgi_convert(b, KG_U64, kgi_convert(b, KG_I64, t.u));
  ck_assert_uint_eq(b->p->inst[direct.i].arg[0], t.u.i);
  finish(&t);
} END_TEST

/* ---- chains of conversions and bit casts, against what they compute ---- */

static const kg_type types[] = {KG_BOOL, KG_I32, KG_U32, KG_I64, KG_U64, KG_F16, KG_F32, KG_F64};
enum { TYPES = sizeof types / sizeof *types, STEPS = 3, MOST_EDGES = 200 };

/* Step s of a chain converts to types[s], or casts the bits to types[s - TYPES]. */
static kgi_op step_op(unsigned s) { return s < TYPES ? KGI_OP_convert : KGI_OP_bitcast; }
static kg_type step_type(unsigned s) { return types[s % TYPES]; }

static unsigned add_edge(uint64_t *out, unsigned count, uint64_t bits) {
  for (unsigned k = 0; k < count; k++)
    if (out[k] == bits) return count;
  ck_assert_uint_lt(count, MOST_EDGES);
  out[count] = bits;
  return count + 1;
}

/* Bounds of all types and their neighbours, as values of this type. */
static unsigned edges_of(kg_type type, uint64_t *out) {
  static const double floats[] = {0, 0.5, 1, 1.5, 2, 2049, 65504, 65519, 65520, 0x1p24, 0x1p24 + 1, 0x1p31, 0x1p32, 0x1p53, 0x1p63,
                                  0x1p64, 0x1p127, 0x1p128, 0x1p-14, 0x1p-24, 0x1p-25, 0x1p-149, 0x1p-1074, 1e300, INFINITY, NAN};
  unsigned count = 0;
  if (type == KG_BOOL) return out[0] = 0, out[1] = 1, 2;
  for (unsigned k = 0; kgi_is_float(type) && k < sizeof floats / sizeof *floats; k++)
    for (int side = -1; side <= 1; side++) {
      uint64_t bits = kgi_canonical_bits(type, kgi_float_bits(type, floats[k]) + (uint64_t)(int64_t)side);
      count = add_edge(out, count, bits);
      count = add_edge(out, count, kgi_canonical_bits(type, bits | UINT64_C(1) << (kgi_type_bits(type) - 1)));
    }
  for (unsigned shift = 0; kgi_is_int(type) && shift < kgi_type_bits(type); shift += shift < 8 || shift % 8 > 6 || shift % 8 < 1 ? 1 : 6)
    for (int side = -1; side <= 1; side++) {
      uint64_t bits = (UINT64_C(1) << shift) + (uint64_t)(int64_t)side;
      count = add_edge(out, count, kgi_canonical_bits(type, bits));
      count = add_edge(out, count, kgi_canonical_bits(type, 0 - bits));
    }
  return count;
}

static uint64_t evaluate(const kgi_program *p, uint32_t i, uint64_t argument) {
  const kgi_inst *inst = &p->inst[i];
  if (inst->kind == KGI_param) return argument;
  if (inst->kind == KGI_literal) return kgi_literal_bits(inst);
  ck_assert(inst->kind == KGI_op && kgi_op_rows[inst->op].arity == 1);
  uint64_t x = evaluate(p, inst->arg[0], argument), y = 0;
  ck_assert(kgi_eval((kgi_op)inst->op, (kg_type)p->inst[inst->arg[0]].type, (kg_type)inst->type, &x, &y));
  return y;
}

static kgi_val build(kgi_builder *b, kgi_val x, const unsigned *steps) {
  for (unsigned k = 0; k < STEPS; k++)
    x = step_op(steps[k]) == KGI_OP_convert ? kgi_convert(b, step_type(steps[k]), x) : kgi_bitcast(b, step_type(steps[k]), x);
  return x;
}

static bool exists(kg_type from, const unsigned *steps) {
  for (unsigned k = 0; k < STEPS; from = step_type(steps[k++]))
    if (step_op(steps[k]) == KGI_OP_bitcast && (from == step_type(steps[k]) || !kgi_lanes(KGI_OP_bitcast, from, step_type(steps[k])))) return false;
  return true;
}

/* As a literal, a NaN in between is the one that there is. Nothing is converted to the type that it has. */
static uint64_t plainly(kg_type from, const unsigned *steps, uint64_t bits, bool literals) {
  for (unsigned k = 0; k < STEPS; from = step_type(steps[k++])) {
    if (from == step_type(steps[k])) continue;
    ck_assert(kgi_eval(step_op(steps[k]), from, step_type(steps[k]), &bits, &bits));
    if (literals) bits = kgi_canonical_bits(step_type(steps[k]), bits);
  }
  return bits;
}

static void compare(kg_type from, const unsigned *steps, uint64_t bits, uint64_t got, bool literals) {
  uint64_t want = plainly(from, steps, bits, literals);
  kg_type to = step_type(steps[STEPS - 1]);
  ck_assert_msg(kgi_canonical_bits(to, got) == kgi_canonical_bits(to, want), "%s %s(%s %s(%s %s(%s %#llx))): %#llx, not %#llx", kgi_op_rows[step_op(steps[2])].name,
                kg_type_name(step_type(steps[2])), kgi_op_rows[step_op(steps[1])].name, kg_type_name(step_type(steps[1])),
                kgi_op_rows[step_op(steps[0])].name, kg_type_name(step_type(steps[0])), kg_type_name(from), (unsigned long long)bits,
                (unsigned long long)got, (unsigned long long)want);
}

/* A conversion to the type that a value has makes none, so that shorter chains are among these. */
START_TEST(chains) {
  enum { WAYS = 2 * TYPES };
  uint64_t edge[MOST_EDGES];
  kg_type from = types[_i];
  unsigned edges = edges_of(from, edge);
  kgi_builder b;
  kgi_builder_init(&b, kgi_module_new(NULL, "t"), NULL);
  b.simplify = true;
  kgi_begin_program(&b, "p");
  kgi_val x = kgi_param_value(&b, kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(b.m, "x"), .type = (uint8_t)from}));
  for (unsigned c = 0; c < WAYS * WAYS * WAYS; c++) {
    unsigned steps[STEPS] = {c % WAYS, c / WAYS % WAYS, c / WAYS / WAYS};
    if (!exists(from, steps)) continue;
    kgi_val folded = build(&b, x, steps);
    for (unsigned k = 0; k < edges; k++) {
      kgi_val literal = build(&b, kgi_literal_of(&b, from, edge[k]), steps);
      ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
      compare(from, steps, edge[k], evaluate(b.p, folded.i, edge[k]), false);
      compare(from, steps, edge[k], evaluate(b.p, literal.i, 0), true);
    }
  }
  kg_module_free(b.m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(floats), KGT(integers), KGT(ids), KGT(digits), KGT(logic), KGT(literals), KGT(conversions), KGT_TIMES(chains, KGT_COUNT(types))};
  return kgt_run("foundation/fold", tests, KGT_COUNT(tests));
}
