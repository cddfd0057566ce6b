/* Modules as data: copies, and what is put together from parts. */
#include "tests/support/kgtest.h"

#include "foundation/ir/equal.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

static const char text[] = "module steps {\n"
                           "param n : u32 = 4\n"
                           "buffer a : f32[n + 1] read_write\n"
                           "buffer d : f64[] read_write\n"
                           "buffer one : f32 read_write\n"
                           "program first { workgroup 8 param n : u32 buffer a : f32[n] read_write\n"
                           "if global_id.x < n { a[global_id.x] = a[global_id.x] + 1.0 } }\n"
                           "program second { workgroup 8 buffer a : f32[] read_write a[local_id.x] = 2.0 }\n"
                           "run first(a = a, n = n) invocations n\n"
                           "repeat i in 0 .. 3 {\n"
                           "run second(a = a) grid 1\n"
                           "repeat k in 0 .. n reversed { run first(a = a, n = k) invocations n }\n"
                           "}\n"
                           "run second(a = a) grid 1\n"
                           "}\n";

static kg_module *read_steps(void) {
  kg_module *m = NULL;
  kg_status status = kg_module_parse(NULL, "steps.kg", text, strlen(text), NULL, &m);
  ck_assert_int_eq(status, KG_OK);
  return m;
}

static bool same(const kg_module *a, const kg_module *b) {
  bool equal = false;
  ck_assert_int_eq(kgi_module_equal(a, b, &equal, NULL), KG_OK);
  return equal;
}

START_TEST(a_copy_outlives_its_original) {
  kg_module *m = read_steps(), *other = read_steps(), *copy = kgi_module_copy(NULL, m);
  ck_assert_ptr_nonnull(copy);
  kg_module_free(m);
  ck_assert(same(copy, other));
  copy->program[1]->workgroup[0] = (kgi_dim){0};
  ck_assert(!same(copy, other));
  kg_module_free(copy), kg_module_free(other);
}
END_TEST

START_TEST(free_names_avoid_all_that_has_one) {
  kg_module *m = read_steps();
  ck_assert_str_eq(kgi_module_free_name(m, "", "b", ""), "b");
  ck_assert_str_eq(kgi_module_free_name(m, "", "a", ""), "a_1");
  ck_assert_str_eq(kgi_module_free_name(m, "", "n", ""), "n_1");
  ck_assert_str_eq(kgi_module_free_name(m, "fir", "s", "t"), "first_1");
  kg_module_free(m);
}
END_TEST

START_TEST(a_program_that_nothing_runs_leaves) {
  kg_module *m = read_steps();
  uint32_t first = kgi_find_program(m, "first"), second = kgi_find_program(m, "second");
  ck_assert(kgi_is_run(m, first) && kgi_is_run(m, second));
  m->first_item = m->item[m->item[m->first_item].next].next; /* the last run alone */
  ck_assert(!kgi_is_run(m, first) && kgi_is_run(m, second));
  kgi_drop_program(m, first);
  ck_assert_uint_eq(kgi_find_program(m, "first"), 0);
  ck_assert_uint_eq(m->item[m->first_item].program, kgi_find_program(m, "second"));
  kg_module_free(m);
}
END_TEST

START_TEST(repeats_turn_round_at_every_depth) {
  kg_module *m = read_steps(), *out = kgi_module_copy(NULL, m);
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  kgi_builder b;
  kgi_builder_init(&b, out, NULL);
  uint32_t *made = kgi_reversed_repeats(&b, m, &scratch), count, inner_count;
  ck_assert_ptr_nonnull(made);
  uint32_t *list = kgi_list_items(m, m->first_item, &scratch, &count);
  ck_assert_uint_eq(count, 3);
  ck_assert_uint_eq(list[0], m->first_item);
  uint32_t *inner = kgi_list_items(m, m->item[list[1]].first, &scratch, &inner_count);
  ck_assert_uint_eq(inner_count, 2);
  ck_assert(made[list[1]] && out->item[made[list[1]]].reversed && !out->item[made[list[1]]].first);
  ck_assert(made[inner[1]] && !out->item[made[inner[1]]].reversed);
  ck_assert(!made[list[0]] && !made[inner[0]]);
  ck_assert(same(m, out)); /* none of them is in the list */
  kgi_arena_free(&scratch);
  kg_module_free(m), kg_module_free(out);
}
END_TEST

START_TEST(buffers_are_zeroed_by_one_program_a_type) {
  kg_module *m = read_steps();
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  uint32_t before = m->program_count;
  kgi_zeroing programs = {.zero = {{0}}};
  for (uint32_t o = 1; o < m->scope.object_count; o++) kgi_item_append(&b, 0, kgi_zero_run(&b, &programs, o));
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  ck_assert_uint_eq(m->program_count, before + 2);
  ck_assert_uint_ne(kgi_find_program(m, "zero_f32"), 0);
  ck_assert_uint_ne(kgi_find_program(m, "zero_f64"), 0);
  kgi_diags diags = {.sink = NULL};
  ck_assert_int_eq(kgi_validate(m, &diags), KG_OK);
  kg_module_free(m);
}
END_TEST

/* Four at a time, of one type each; the grid is that of the longest. */
START_TEST(buffers_are_zeroed_together) {
  const char *text = "module m { buffer a : f32[600] write buffer b : f64[3] write buffer c : f32[5] write buffer d : f32 write\n"
                     "buffer e : f32[1] write buffer f : f32[7] write buffer g : f32[300] write\n"
                     "program p { workgroup 1 grid 1 buffer a : f32[600] write a[0] = 1.0 } run p }";
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "m.kg", text, strlen(text), NULL, &m), KG_OK);
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_zeroing programs = {.zero = {{0}}};
  m->first_item = 0;
  for (uint32_t o = 1; o < m->scope.object_count; o++) kgi_zero_soon(&b, &programs, o);
  kgi_zero_now(&b, &programs), kgi_zero_now(&b, &programs);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  const char *const names[] = {"zero_4_f32", "zero_2_f32", "zero_f64"};
  const unsigned groups[] = {3, 2, 1};
  uint32_t i = m->first_item;
  for (unsigned k = 0; k < 3; k++, i = m->item[i].next) {
    ck_assert_str_eq(kgi_string(m, m->program[m->item[i].program]->name), names[k]);
    ck_assert_int_eq(m->scope.dim[m->item[i].grid[0].i].imm, groups[k]);
  }
  ck_assert_uint_eq(i, 0);
  kgi_diags diags = {.sink = NULL};
  ck_assert_int_eq(kgi_validate(m, &diags), KG_OK);
  kg_module_free(m);
}
END_TEST

START_TEST(a_scope_is_declared_again) {
  kg_module *m = read_steps(), *out = kgi_module_new(NULL, NULL);
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  kgi_builder b;
  kgi_builder_init(&b, out, NULL);
  ck_assert(kgi_copy_scope(&b, m, &scratch));
  ck_assert_uint_eq(out->scope.object_count, m->scope.object_count);
  for (uint32_t o = 1; o < m->scope.object_count; o++) {
    ck_assert_str_eq(kgi_string(out, out->scope.object[o].name), kgi_string(m, m->scope.object[o].name));
    ck_assert_int_eq(out->scope.object[o].length.i != 0, m->scope.object[o].length.i != 0);
  }
  ck_assert_uint_eq(out->scope.param_count, m->scope.param_count);
  ck_assert_uint_eq(out->scope.param[1].bits, 4);
  kgi_arena_free(&scratch);
  kg_module_free(m), kg_module_free(out);
}
END_TEST

static kg_status copy_with(const kg_allocator *alloc, void *user) {
  kg_module *copy = kgi_module_copy(alloc, user);
  if (!copy) return KG_NO_MEMORY;
  kg_module_free(copy);
  return KG_OK;
}

START_TEST(shortage_of_memory_is_told) {
  kg_module *m = read_steps();
  ck_assert_uint_gt(kgt_fail_each_allocation(copy_with, m), 0);
  kg_module_free(m);
}
END_TEST

/* Of `steps` the last run alone: it binds a, whose length asks for n; d and one are not used, nor is the other program. */
START_TEST(a_part_has_what_its_items_use) {
  kg_module *m = read_steps();
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  uint32_t last = m->first_item, object[4] = {0};
  while (m->item[last].next) last = m->item[last].next;
  kg_module *part = kgi_module_part(NULL, m, last, &scratch, object);
  ck_assert_ptr_nonnull(part);
  ck_assert_int_eq(kgi_validate(part, &(kgi_diags){0}), KG_OK);
  ck_assert_uint_eq(kg_module_buffer_count(part), 1);
  ck_assert_str_eq(kg_module_buffer(part, 0).name, "a");
  ck_assert_uint_eq(kg_module_param_count(part), 1);
  ck_assert_uint_eq(part->program_count, 2);
  ck_assert_uint_eq(object[1], 1);
  ck_assert_uint_eq(object[2] + object[3], 0);
  kg_module_free(part), kg_module_free(m);
  kgi_arena_free(&scratch);
}
END_TEST

/* From the first item on it is the whole, but for buffers that nothing binds; one that is asked for stays. */
START_TEST(a_part_may_be_the_whole) {
  kg_module *m = read_steps();
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  uint32_t object[4] = {0, 0, 1, 1};
  kg_module *part = kgi_module_part(NULL, m, m->first_item, &scratch, object);
  ck_assert(part && same(part, m));
  kg_module_free(part), kg_module_free(m);
  kgi_arena_free(&scratch);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(a_part_has_what_its_items_use), KGT(a_part_may_be_the_whole),
                            KGT(a_copy_outlives_its_original), KGT(free_names_avoid_all_that_has_one),
                            KGT(a_program_that_nothing_runs_leaves), KGT(repeats_turn_round_at_every_depth),
                            KGT(buffers_are_zeroed_by_one_program_a_type), KGT(buffers_are_zeroed_together), KGT(a_scope_is_declared_again),
                            KGT(shortage_of_memory_is_told)};
  return kgt_run("modules/edit", tests, KGT_COUNT(tests));
}
