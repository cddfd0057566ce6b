/* The columns of stmts.def, held against those who say the same of each kind by hand: the validator, which knows what every
 * argument is, and the lists in this file. */
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels[] = {"statements", "functions", "lanes", "nested", "operators", "order", "types", "views"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static kg_module *parse(const char *text, size_t size) {
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "t", text, size, NULL, &m) == KG_OK, "%s", text);
  return m;
}

static kg_module *kernel(const char *name) {
  char *text = kgt_kernel(name);
  kg_module *m = parse(text, strlen(text));
  free(text);
  return m;
}

/* ---- what each argument is ---- */

typedef struct heard { char id[32], text[256]; unsigned count; } heard;

static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  if (h->count++) return;
  snprintf(h->id, sizeof h->id, "%s", diag->id);
  snprintf(h->text, sizeof h->text, "%s", diag->message);
}

static heard complaint(const kg_module *m) {
  heard h = {.count = 0};
  kg_sink sink = {hear, &h};
  kgi_diags diags = {.sink = &sink, .file = "t"};
  kgi_validate(m, &diags);
  return h;
}

static bool within(kgi_span span, unsigned k) { return k >= span.first && k < (unsigned)span.first + span.count; }

/* The validator's complaint where argument k is an index past every table. */
static const char *column_says(const kgi_inst *x, unsigned k) {
  if (within(kgi_operands(x), k)) return "an operand that is no value";
  if (within(kgi_kind_rows[x->kind].blocks, k)) return "a block that is not its owner's alone";
  if (kgi_kind_rows[x->kind].object == k) return x->kind == KGI_var ? "a declaration of what is no var" : "an access to no object";
  if (kgi_is_leaf(x->kind)) return NULL;
  if ((x->kind == KGI_check || kgi_is_region(x)) && k == 1) return "an index past the strings";
  return x->kind == KGI_while && k == 3 ? "" : NULL; /* a limit, of which it says more */
}

static void spoil_each(kg_module *m, kgi_program *p, uint32_t i) {
  kgi_inst *x = &p->inst[i];
  for (unsigned k = 0; k < 4; k++) {
    uint32_t arg = x->arg[k];
    const char *says = column_says(x, k);
    if (k == 1 && kgi_touches(x) && !arg) continue; /* of a scalar, which has no index */
    x->arg[k] = 0x7fffffff;
    heard h = complaint(m);
    x->arg[k] = arg;
    if (!says) ck_assert_msg(!h.count || kgi_is_leaf(x->kind), "argument %u of %s: %s", k, kgi_kind_names[x->kind], h.text);
    else if (!kgi_is_leaf(x->kind))
      ck_assert_msg(h.count && strstr(h.text, says), "argument %u of %s: '%s', not '%s'", k, kgi_kind_names[x->kind], h.text, says);
    else ck_assert_msg(h.count, "argument %u of %s", k, kgi_kind_names[x->kind]);
  }
}

START_TEST(arguments) {
  bool met[KGI_KIND_COUNT] = {[KGI_none] = true};
  for (unsigned k = 0; k < KERNELS; k++) {
    kg_module *m = kernel(kernels[k]);
    ck_assert_uint_eq(complaint(m).count, 0);
    for (uint32_t i = 1; i < m->program[1]->inst_count; i++) {
      met[m->program[1]->inst[i].kind] = true;
      spoil_each(m, m->program[1], i);
    }
    kg_module_free(m);
  }
  for (unsigned kind = 0; kind < KGI_KIND_COUNT; kind++) ck_assert_msg(met[kind], "%s is not in the kernel", kgi_kind_names[kind]);
} END_TEST

/* ---- effects ---- */

static const struct { unsigned kind, effect; } effects[] = {
  {KGI_literal, KGI_LEAF}, {KGI_spec, KGI_LEAF}, {KGI_param, KGI_LEAF}, {KGI_id, KGI_LEAF}, {KGI_len, KGI_LEAF},
  {KGI_op, KGI_EXPRESSION | KGI_PURE | KGI_QUIET},
  {KGI_load, KGI_EXPRESSION | KGI_PURE | KGI_QUIET | KGI_READS},
  {KGI_store, KGI_QUIET | KGI_WRITES},
  {KGI_atomic, KGI_EXPRESSION | KGI_QUIET | KGI_READS | KGI_WRITES},
  {KGI_subgroup, KGI_EXPRESSION},
  {KGI_barrier, KGI_ORDERS}, {KGI_memory_barrier, KGI_ORDERS},
  {KGI_check, 0},
  {KGI_var, KGI_QUIET | KGI_DECLARES},
  {KGI_if, KGI_QUIET}, {KGI_for, KGI_QUIET | KGI_REPEATS}, {KGI_while, KGI_REPEATS}, {KGI_region, 0},
  {KGI_break, KGI_ENDS}, {KGI_continue, KGI_ENDS}, {KGI_return, KGI_ENDS}, {KGI_checkpoint, 0},
};

START_TEST(effect_of) {
  kgi_inst x = {.kind = (uint8_t)effects[_i].kind};
  for (unsigned bit = 1; bit <= KGI_QUIET; bit *= 2)
    ck_assert_msg(kgi_has_effect(&x, bit) == !!(effects[_i].effect & bit), "%s: effect %u", kgi_kind_names[x.kind], bit);
  ck_assert_int_eq(kgi_is_leaf(x.kind), x.kind >= KGI_literal && x.kind <= KGI_len);
} END_TEST

/* Every kind is among those above. */
START_TEST(all_effects) {
  ck_assert_uint_eq(sizeof effects / sizeof *effects, KGI_KIND_COUNT - 1);
  for (unsigned k = 0; k < KGI_KIND_COUNT - 1; k++) ck_assert_uint_eq(effects[k].kind, k + 1);
} END_TEST

static const char *const accesses[] = {
  "y = x[0]", "x[0] = 1", "atomic_add(x[0], 1)", "atomic_min(x[0], 1)", "atomic_max(x[0], 1)", "atomic_and(x[0], 1)",
  "atomic_or(x[0], 1)", "atomic_xor(x[0], 1)", "y = atomic_exchange(x[0], 1)", "y = atomic_compare_exchange(x[0], 1, 2)",
  "y = atomic_load(x[0])", "atomic_store(x[0], 1)",
};

/* A buffer that is only written cannot be read, and the other way round. */
START_TEST(reads_and_writes) {
  char text[256];
  heard h[2] = {{.count = 0}, {.count = 0}};
  const char *modes[] = {"write", "read", "read_write"};
  kg_module *m = NULL;
  for (unsigned k = 0; k < 3; k++) {
    kg_sink sink = {hear, &h[k % 2]};
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : u32[4] %s buffer y : u32 write %s }", modes[k], accesses[_i]);
    if (kg_module_parse(NULL, "t", text, strlen(text), k < 2 ? &sink : NULL, &m) == KG_OK && k < 2) kg_module_free(m), m = NULL;
  }
  ck_assert_msg(m != NULL, "%s", text);
  const kgi_program *p = m->program[1];
  const kgi_inst *x = NULL;
  KGI_EACH(p, KGI_BODY, i)
    if (kgi_object_of(&p->inst[i]) == 1) x = &p->inst[i];
  ck_assert_ptr_nonnull(x);
  ck_assert(kgi_touches(x));
  ck_assert_msg(kgi_reads(x) == (h[0].count && !strcmp(h[0].id, "load-from-write")), "%s", accesses[_i]);
  ck_assert_msg(kgi_writes(x) == (h[1].count && !strcmp(h[1].id, "store-to-read")), "%s", accesses[_i]);
  kg_module_free(m);
} END_TEST

/* What ends a block is that which nothing may stand behind. */
START_TEST(ends) {
  static const char *const statements[] = {"break", "continue", "return", "barrier", "memory_barrier", "y = 1", "assert true \"m\"",
                                           "var v : u32", "if 1 < 2 { return }", "for i in 0 .. 2 { break }", "region r { y = 1 }",
                                           "region checkpoint { y = 1 }"};
  for (unsigned k = 0; k < sizeof statements / sizeof *statements; k++) {
    char text[256];
    heard h = {.count = 0};
    kg_sink sink = {hear, &h};
    kg_module *m = NULL;
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer y : u32 write for j in 0 .. 4 { %s } }", statements[k]);
    m = parse(text, strlen(text));
    const kgi_program *p = m->program[1];
    const kgi_inst *loop = &p->inst[p->block[KGI_BODY].last], *last = &p->inst[p->block[kgi_body_of(loop)].last];
    bool end = kgi_ends(last);
    kg_module_free(m), m = NULL;
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer y : u32 write for j in 0 .. 4 { %s y = 2 } }", statements[k]);
    if (kg_module_parse(NULL, "t", text, strlen(text), &sink, &m) == KG_OK) kg_module_free(m);
    ck_assert_msg(end == (h.count && !strcmp(h.id, "unreachable")), "%s: %s", statements[k], h.text);
  }
} END_TEST

/* ---- the walk through all that is nested ---- */

/* Blocks stated by hand. */
static uint32_t follow(const kgi_program *p, kgi_blk block, kgi_blk root, uint32_t next) {
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    ck_assert_uint_eq(next, i);
    next = kgi_next_inside(p, root, i);
    if (x->kind == KGI_if || x->kind == KGI_while) next = follow(p, x->arg[1], root, next);
    if (x->kind == KGI_while || (x->kind == KGI_if && x->arg[2])) next = follow(p, x->arg[2], root, next);
    if (x->kind == KGI_for) next = follow(p, x->arg[3], root, next);
    if (x->kind == KGI_region || x->kind == KGI_checkpoint) next = follow(p, x->arg[0], root, next);
  }
  return next;
}

static void walk_each_block(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    for (kgi_blk block = KGI_BODY; block < p->block_count; block++)
      ck_assert_uint_eq(follow(p, block, block, p->block[block].first), 0);
  }
  ck_assert_uint_gt(m->program_count, 1);
}

START_TEST(walks) {
  kg_module *m = kernel(kernels[_i]);
  walk_each_block(m);
  kg_module_free(m);
} END_TEST

static const char *const shapes[] = {
  "", "y = 1", "if y > 0 { }", "if y > 0 { } else { }", "if y > 0 { } else { y = 1 } y = 2", "if y > 0 { y = 1 } else { }",
  "if y > 0 { if y > 1 { if y > 2 { y = 1 } } }", "for i in 0 .. 2 { } for i in 0 .. 2 { for j in 0 .. 2 { } }",
  "while { let a = y; when a < 2 } { }", "while true { break }", "region r { region s { } region t { y = 1 } }",
  "region checkpoint r { region checkpoint { } region t { y = 1 } }",
};

START_TEST(walks_where_blocks_are_empty) {
  char text[256];
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer y : u32 read_write %s }", shapes[_i]);
  kg_module *m = parse(text, strlen(text));
  walk_each_block(m);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(arguments), KGT_TIMES(effect_of, KGT_COUNT(effects)), KGT(all_effects),
                            KGT_TEXTS(reads_and_writes, accesses), KGT(ends), KGT_TEXTS(walks, kernels),
                            KGT_TEXTS(walks_where_blocks_are_empty, shapes)};
  return kgt_run("foundation/tables", tests, KGT_COUNT(tests));
}
