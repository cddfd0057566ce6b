/* kgi_expr: every expression in the table of operations builds, for the types that it is for. */
#include "foundation/text/expr.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <string.h>

typedef struct collected { char text[2048]; } collected;

static void collect(void *user, const kg_diag *d) {
  collected *c = user;
  size_t used = strlen(c->text);
  snprintf(c->text + used, sizeof c->text - used, "%u:%u: %s [%s] fix: %s\n", d->line, d->column, d->message, d->id, d->fix);
}

typedef struct bench { collected said; kg_sink sink; kgi_diags diags; kgi_builder b; kg_module *m; } bench;

static void open_bench(bench *x) {
  *x = (bench){0};
  x->sink = (kg_sink){collect, &x->said};
  x->diags.sink = &x->sink;
  x->m = kgi_module_new(NULL, "bench");
  kgi_builder_init(&x->b, x->m, &x->diags);
  kgi_begin_program(&x->b, "bench");
}

/* A value of the type that is no literal: an element of a buffer. */
static kgi_val some(bench *x, kg_type type) {
  char name[16];
  snprintf(name, sizeof name, "%s%u", kg_type_name(type), x->b.p->scope.object_count);
  if (type == KG_BOOL) return kgi_op2(&x->b, KGI_OP_lt, kgi_id_value(&x->b, KGI_ID_local_index, 0), kgi_u32(&x->b, 3));
  return kgi_load(&x->b, kgi_buffer(&x->b, name, type, KG_READ, kgi_len_int(&x->b, 4)), kgi_u32(&x->b, 1));
}

static kg_type operand_type(kgi_rule rule, unsigned i, kg_type type) {
  if (rule == KGI_RULE_SELECT && i == 0) return KG_BOOL;
  if (rule == KGI_RULE_LDEXP && i == 1) return KG_I32;
  return type;
}

static bool for_floats(const kgi_op_row *row) {
  kgi_rule r = (kgi_rule)row->rule;
  return r == KGI_RULE_NUM || r == KGI_RULE_FLT || r == KGI_RULE_LDEXP || r == KGI_RULE_FTEST || r == KGI_RULE_SAME ||
         r == KGI_RULE_CMP || r == KGI_RULE_SELECT || r == KGI_RULE_ANY;
}

/* Builds one partial of one operation; its value must have the type. */
static void build_partial(const kgi_op_row *row, unsigned which, kg_type type) {
  static const char *const names[] = {"a", "b", "c", "d", "y", "g"};
  const char *text = row->partial[which];
  kgi_val values[6] = {{0}}, out = {0};
  bench x;
  if (!text || !*text || !strcmp(text, "!") || !strcmp(text, "convert")) return;
  open_bench(&x);
  for (unsigned i = 0; i < row->arity; i++) values[i] = some(&x, operand_type((kgi_rule)row->rule, i, type));
  for (unsigned i = row->arity; i < 6; i++) values[i] = some(&x, type);
  kg_status status = kgi_expr(&x.b, text + (*text == '='), names, values, 6, type, &out);
  ck_assert_msg(status == KG_OK, "%s, partial %u for %s: %s\n%s", row->name, which, kg_type_name(type), text, x.said.text);
  ck_assert_msg(kgi_type_of(x.b.p, out) == type, "%s, partial %u for %s gives %s", row->name, which, kg_type_name(type),
                kg_type_name(kgi_type_of(x.b.p, out)));
  kg_module_free(x.m);
}

START_TEST(every_partial) {
  const kgi_op_row *row = &kgi_op_rows[_i];
  for (unsigned which = 0; which < row->arity; which++) {
    if (!for_floats(row)) {
      const char *text = row->partial[which];
      ck_assert_msg(!*text || !strcmp(text, "!") || !strcmp(text, "convert"), "%s: %s", row->name, text);
      continue;
    }
    build_partial(row, which, KG_F16);
    build_partial(row, which, KG_F32);
    build_partial(row, which, KG_F64);
  }
}
END_TEST

/* The lowerings that are expressions. */
START_TEST(every_lowering) {
  static const struct { const char *name, *text; } rows[] = {
#define CORE(...) NULL
#define GLSL(...) NULL
#define OWN(...) NULL
#define OWN_BY(...) NULL
#define FUNCTION NULL
#define EXPR(text) text
#define OP(name, number, arity, rule, flags, eval, spirv, ...) {#name, spirv},
#include "foundation/ir/ops.def"
  };
  static const char *const names[] = {"a", "b", "c", "d"};
  unsigned found = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!rows[i].text) continue;
    found++;
    for (kg_type type = KG_F16; type <= KG_F64; type++) {
      bench x;
      open_bench(&x);
      kgi_val values[4], out = {0};
      for (unsigned k = 0; k < 4; k++) values[k] = some(&x, type);
      ck_assert_msg(kgi_expr(&x.b, rows[i].text, names, values, 4, type, &out) == KG_OK, "%s: %s", rows[i].name, x.said.text);
      ck_assert_int_eq(kgi_type_of(x.b.p, out), type);
      kg_module_free(x.m);
    }
  }
  ck_assert_uint_ge(found, 3);
}
END_TEST

START_TEST(order_and_literals) {
  bench x;
  open_bench(&x);
  static const char *const names[] = {"a"};
  kgi_val a = some(&x, KG_F32), out = {0};
  ck_assert_int_eq(kgi_expr(&x.b, "(1 - a) * (1 + 2)", names, &a, 1, KG_F64, &out), KG_OK);
  const kgi_inst *product = &x.b.p->inst[out.i], *difference = &x.b.p->inst[product->arg[0]], *sum = &x.b.p->inst[product->arg[1]];
  ck_assert_int_eq(product->op, KGI_OP_mul);
  ck_assert_int_eq(difference->op, KGI_OP_sub);
  ck_assert_int_eq(sum->op, KGI_OP_add);
  ck_assert_int_eq(sum->type, KG_F32); /* through the nested literals, not the type asked for */
  ck_assert_uint_eq(product->prev, product->arg[1]);
  ck_assert_uint_eq(sum->prev, product->arg[0]);
  ck_assert_uint_eq(x.b.p->inst[difference->arg[0]].arg[0], 0x3F800000);
  ck_assert_int_eq(kgi_expr(&x.b, "0.5", NULL, NULL, 0, KG_F64, &out), KG_OK);
  ck_assert_int_eq(kgi_type_of(x.b.p, out), KG_F64);
  kg_module_free(x.m);
}
END_TEST

START_TEST(what_does_not_parse) {
  static const char *const texts[] = {"", "q", "1 +", "a b", "x[0]", "atomic_add(a, 1)", "len(a)", "a +* a", "(a",
                                      "max(a)", "\x01"};
  static const char *const names[] = {"a"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bench x;
    open_bench(&x);
    kgi_val a = some(&x, KG_F32), out = {77};
    ck_assert_int_eq(kgi_expr(&x.b, texts[i], names, &a, 1, KG_F32, &out), KG_INVALID);
    ck_assert_uint_eq(out.i, 77);
    ck_assert_str_ne(x.said.text, "");
    kg_module_free(x.m);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_OPS(every_partial), KGT(every_lowering), KGT(order_and_literals),
                            KGT(what_does_not_parse)};
  return kgt_run("foundation/expr", tests, KGT_COUNT(tests));
}
