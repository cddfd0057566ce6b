/* Registers are shared: no value may be overwritten while it is needed. Each program is followed symbolically, loops taken twice
 * and both arms of branches, with a note of whose value each register holds; at each use it must be the operand's. */
#include "foundation/ir/validate.h"
#include "reference/machine.h"
#include "tests/support/kgtest.h"
#include <kgrad/kgrad.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct holder { const kgi_plan *plan; uint32_t *owner[2]; unsigned uses; } holder;

static uint32_t *owner_of(const holder *h, uint32_t value) {
  return &h->owner[kgi_slot_size(kgi_type_at(h->plan->program, value)) == 8][h->plan->reg[value]];
}

static void check_use(holder *h, uint32_t value, uint32_t at) {
  if (!value || kgi_is_leaf(h->plan->program->inst[value].kind)) return;
  ck_assert_msg(*owner_of(h, value) == value, "instruction %u uses %u, whose register holds %u", at, value, *owner_of(h, value));
  h->uses++;
}

static void follow(holder *h, kgi_blk block) {
  const kgi_program *p = h->plan->program;
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    kgi_span values = kgi_operands(x), blocks = kgi_owned_blocks(x);
    bool loops = x->kind == KGI_for || x->kind == KGI_while;
    for (unsigned k = 0; k < values.count && x->kind != KGI_while; k++) check_use(h, x->arg[values.first + k], i);
    if (x->type != KG_NONE) *owner_of(h, i) = i;
    for (unsigned trip = 0; trip < (loops ? 2 : 1); trip++) {
      for (unsigned k = 0; k < blocks.count; k++) {
        follow(h, x->arg[blocks.first + k]);
        if (x->kind == KGI_while && k == 0) check_use(h, x->arg[0], i);
      }
      if (x->kind == KGI_for) check_use(h, i, i), check_use(h, x->arg[0], i), check_use(h, x->arg[2], i); /* read at each trip */
    }
  }
}

static unsigned check_program(const kg_module *m, const kgi_program *p) {
  kgi_arena arena;
  kgi_plan plan;
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_plan_make(&plan, m, p, &arena, NULL), KG_OK);
  holder h = {.plan = &plan};
  h.owner[0] = kgi_arena_alloc(&arena, plan.narrow + 1, sizeof(uint32_t));
  h.owner[1] = kgi_arena_alloc(&arena, plan.wide + 1, sizeof(uint32_t));
  follow(&h, KGI_BODY);
  for (uint32_t i = 1; i < p->inst_count; i++) /* leaves keep theirs for good */
    if (kgi_is_leaf(p->inst[i].kind)) ck_assert_uint_eq(*owner_of(&h, i), 0);
  kgi_arena_free(&arena);
  return h.uses;
}

static void check_module(const kg_module *m) {
  unsigned uses = 0;
  for (uint32_t i = 1; i < m->program_count; i++) uses += check_program(m, m->program[i]);
  ck_assert_uint_gt(uses, 0);
}

static void show(void *user, const kg_diag *diag) { fprintf(stderr, "%s:%u: %s\n", (char *)user, diag->line, diag->message); }

/* All examples, and those of their adjoints that there are. */
START_TEST(examples_and_adjoints) {
  const char *root = getenv("abs_srcdir");
  char folder[2048], path[4096];
  snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  unsigned primals = 0, adjoints = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    size_t size, length = strlen(e->d_name);
    if (length < 3 || strcmp(e->d_name + length - 3, ".kg") != 0) continue;
    snprintf(path, sizeof path, "examples/%s", e->d_name);
    char *text = kgt_read_source(path, &size);
    kg_sink sink = {show, path};
    kg_module *m = NULL, *adjoint = NULL;
    ck_assert_int_eq(kg_module_parse(NULL, path, text, size, &sink, &m), KG_OK);
    check_module(m);
    primals++;
    kg_grad_params grad = {0};
    if (kg_grad(m, &grad, NULL, &adjoint) == KG_OK) check_module(adjoint), adjoints++;
    kg_module_free(adjoint);
    kg_module_free(m);
    free(text);
  }
  closedir(dir);
  ck_assert_uint_ge(primals, 8);
  ck_assert_uint_ge(adjoints, 5);
}
END_TEST

/* Shapes that are hard on lives: regions that do not scope, conditions from outside, values used only deep inside. */
START_TEST(awkward_shapes) {
  static const char *const bodies[] = {
    "region a { let x = l * 2 region b { let y = x + l } let z = y * x } for i in 0 .. l { n += y for k in 0 .. i { n += x * z } }",
    "let c = l > 1 for k in 0 .. l { while c { n += 1 let z = n * l if z > 9 { break } } let w = n * k n += w }",
    "let a = l + 1 let b = a * 2 if b > l { let d = a * b n += d } else { let e = a - b n += e * b } n += a",
    "while { let t = n * 3 when t < l * 7 } limit 9 { let u = n + l n = u + 1 for i in 0 .. u { let v = i * u n += v } }",
    "for i in l .. l * 4 step l + 1 { let p = i * i for k in 0 .. p { let q = k + p n += q * i } n += p + i }",
    "let s = subgroup_add(l) let b = subgroup_any(s > 3) if b { let r = atomic_add(out[l], s) n += r * s }",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char text[512];
    kg_module *m = NULL;
    kg_sink sink = {show, "shape"};
    snprintf(text, sizeof text,
             "program p { workgroup 4 grid 1 buffer out : u32[4] read_write let l = local_id.x var n = l\n%s out[l] = n }",
             bodies[i]);
    ck_assert_int_eq(kg_module_parse(NULL, "shape", text, strlen(text), &sink, &m), KG_OK);
    check_module(m);
    kg_module_free(m);
  }
}
END_TEST

/* What stood in a block whose owner was removed has no register: there may be none of its class at all. */
START_TEST(removed_with_its_owner) {
  kg_module *m = NULL;
  const char *text = "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write\n"
                     "let v = x[local_id.x] if v > 2.0 { let wide = f64(v) y[local_id.x] = f32(wide * wide) } y[local_id.x] = v }";
  ck_assert_int_eq(kg_module_parse(NULL, "removed", text, strlen(text), NULL, &m), KG_OK);
  kgi_program *p = m->program[1];
  unsigned wide = 0;
  KGI_EACH(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_if) kgi_remove(p, i);
  kgi_arena arena;
  kgi_plan plan;
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_plan_make(&plan, m, p, &arena, NULL), KG_OK);
  ck_assert_uint_eq(plan.wide, 0);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    if (p->inst[i].type != KG_F64) continue;
    ck_assert_uint_eq(plan.reg[i], KGI_NO_REG);
    wide++;
  }
  ck_assert_uint_gt(wide, 0);
  kgi_arena_free(&arena);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(examples_and_adjoints), KGT(awkward_shapes), KGT(removed_with_its_owner)};
  return kgt_run("reference/plan", tests, KGT_COUNT(tests));
}
