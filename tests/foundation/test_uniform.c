/* Uniformity: who shares each value that a kernel stores to y, and who runs each store together. */
#include "foundation/analysis/uniform.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <string.h>

enum { V = KGI_VARYING, W = KGI_SAME_IN_WORKGROUP, D = KGI_SAME_IN_DISPATCH };

/* What the first store to y stores, and where it stands; `why` is the kind of instruction that makes the value vary. */
typedef struct row { const char *name, *body; unsigned value, block, why; } row;

static const row rows[] = {
  {"a literal", "y[0] = 1", D, D, 0},
  {"a param", "y[0] = n + 1", D, D, 0},
  {"the workgroup", "y[0] = workgroup_id.x * n", W, D, KGI_id},
  {"the lane", "y[0] = n + local_id.x", V, D, KGI_id},
  {"a constant buffer", "y[0] = x[n]", D, D, 0},
  {"a constant buffer, by workgroup", "y[0] = x[workgroup_id.x]", W, D, KGI_id},
  {"a constant buffer, by lane", "y[0] = x[global_id.x]", V, D, KGI_id},
  {"shared memory", "s[local_id.x] = 1 barrier y[0] = s[0]", W, D, KGI_load},
  {"what the dispatch writes", "y[0] = z[0]", W, D, KGI_load},
  {"a view that is only read", "y[0] = v1[n]", D, D, 0},
  {"a view over what is written", "y[0] = v2[n]", W, D, KGI_load},
  {"a field beside one that is written", "y[0] = v4[n]", D, D, 0},
  {"an atomic", "y[0] = atomic_add(z[0], 1)", V, D, KGI_atomic},
  {"a subgroup operation", "y[0] = subgroup_add(n)", V, D, KGI_subgroup},
  {"a uniform branch", "if workgroup_id.x < n { y[0] = 1 }", D, W, 0},
  {"a branch of lanes", "if local_id.x < n { y[0] = 1 }", D, V, 0},
  {"the other side", "if local_id.x < n { } else { y[0] = 1 }", D, V, 0},
  {"a loop", "for i in 0 .. n { y[0] = i }", D, D, 0},
  {"a loop of lanes", "for i in local_id.x .. n { y[0] = 1 }", D, V, 0},
  {"its index", "for i in local_id.x .. n { y[0] = i }", V, V, KGI_id},
  {"a var", "var v = n v = v + 1 y[0] = v", D, D, 0},
  {"a var stored by lanes", "var v = n if local_id.x < n { v = 1 } y[0] = v", V, D, KGI_id},
  {"a var of varying values", "var v = n v = local_id.x y[0] = v", V, D, KGI_id},
  {"a var through a loop", "var a = n var b = n for i in 0 .. n { y[0] = a a = b b = x[global_id.x] }", V, D, KGI_id},
  {"a while on a var", "var v = n while v < 9 { y[0] = v v = v + 1 }", D, D, 0},
  {"a while on lanes", "var v = local_id.x while v < 9 { y[0] = 1 v = v + 1 }", D, V, 0},
  {"a while that becomes one of lanes", "var v = n while v < 9 { y[0] = v v = v + local_id.x }", V, V, KGI_id},
  {"left by lanes", "for i in 0 .. n { if local_id.x < i { break } y[0] = i }", D, V, 0},
  {"left together", "for i in 0 .. n { if workgroup_id.x < i { break } y[0] = i }", D, W, 0},
  {"continued by lanes", "var v = n for i in 0 .. n { if local_id.x < i { continue } v = i } y[0] = v", V, D, KGI_id},
  {"behind a return of lanes", "if local_id.x < n { return } y[0] = 1", D, V, 0},
  {"a region", "region r { y[0] = 1 }", D, D, 0},
};

START_TEST(stores) {
  const row *r = &rows[_i];
  char text[1024];
  kg_module *m = NULL;
  kgi_arena arena;
  kgi_uniformity u;
  snprintf(text, sizeof text,
           "program p { workgroup 64 grid n param n : u32 buffer x : u32[n] read buffer y : u32[n] write "
           "buffer z : u32[n] read_write buffer v1 : u32[n] read view(set 1, binding 0, offset 0, stride 8) "
           "buffer v2 : u32[n] read view(set 1, binding 1, offset 0, stride 8) "
           "buffer v3 : u32[n] write view(set 1, binding 1, offset 0, stride 12) "
           "buffer v4 : u32[n] read view(set 1, binding 2, offset 0, stride 8) "
           "buffer v5 : u32[n] write view(set 1, binding 2, offset 4, stride 8) shared s : u32[64] %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s", text);
  const kgi_program *p = m->program[1];
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_uniformity_of(&arena, p, &u), KG_OK);
  uint32_t y = kgi_find_object(m, &p->scope, "y"), store = 0;
  for (uint32_t i = p->inst_count - 1; i; i--)
    if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == y) store = i;
  uint32_t value = p->inst[store].arg[2];
  ck_assert_msg(u.value[value] == r->value, "%s: value %u", r->name, u.value[value]);
  ck_assert_msg(u.block[p->inst[store].block] == r->block, "%s: block %u", r->name, u.block[p->inst[store].block]);
  ck_assert_msg(p->inst[u.why[value]].kind == r->why, "%s: because of %s", r->name, kgi_kind_names[p->inst[u.why[value]].kind]);
  if (r->block == V) ck_assert_uint_ne(u.why_block[p->inst[store].block], 0);
  kgi_arena_free(&arena);
  kg_module_free(m);
} END_TEST

/* A chain of vars, each fed by the next: however long, what is read from the last is not called uniform. */
START_TEST(long_chain) {
  char text[8192] = "program p { workgroup 64 grid n param n : u32 buffer y : u32[n] write";
  kg_module *m = NULL;
  kgi_arena arena;
  kgi_uniformity u;
  for (unsigned i = 0; i < 40; i++) sprintf(text + strlen(text), " var v%u = n", i);
  strcat(text, " for i in 0 .. n { y[0] = v0");
  for (unsigned i = 0; i < 39; i++) sprintf(text + strlen(text), " v%u = v%u", i, i + 1);
  strcat(text, " v39 = local_id.x } }");
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  const kgi_program *p = m->program[1];
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_uniformity_of(&arena, p, &u), KG_OK);
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_load) ck_assert_uint_eq(u.value[i], V);
  kgi_arena_free(&arena);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(stores, rows, name), KGT(long_chain)};
  return kgt_run("foundation/uniform", tests, KGT_COUNT(tests));
}
