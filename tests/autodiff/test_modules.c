/* Modules of several runs, against duals; and what their results must look like. */
#include "tests/autodiff/autodiff_case.h"

/* Of tests/kernels; each says there what it shows. */
static const char *const modules[] = {
  "module_through_temp", "module_one_program_thrice", "module_linear_in_place", "module_nested_repeats",
  "module_loss_cleared_first", "module_run_without_gradient", "module_shared_refilled", "module_overwritten_variable",
  "module_grid_of_the_run", "module_tiles",
  "module_slices_moving", "module_slices_packed", "module_slices_overwritten", "module_slices_of_one_run", "module_slices_read_again",
  "module_slices_taped", "module_slices_taped_moving", "module_slices_copied_first",
};

START_TEST(holds) {
  char *text = kgt_kernel(modules[_i]);
  adt_holds(text);
  free(text);
} END_TEST

/* One adjoint serves three runs of one program that ask the same of it; the last run has another, which stores to all of its shadow first. */
START_TEST(equal_adjoints_are_shared) {
  const char *text = "module m { buffer a : f32[4] read_write buffer b : f32[4] read_write\n"
                     "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write y[global_id.x] = 2.0 * x[global_id.x] }\n"
                     "run p(x = a, y = b) run p(x = b, y = a) run p(x = a, y = b) run p(x = b, y = a) }";
  adt_case c = {.seed = 1};
  ck_assert_int_eq(adt_differentiate(&c, text), KG_OK);
  char *printed = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, c.adjoint, NULL, &printed, &size), KG_OK);
  int programs = 0;
  for (const char *at = printed; (at = strstr(at, "  program ")); at++) programs++;
  ck_assert_msg(programs == 3, "%d programs in %s", programs, printed);
  kg_bytes_free(NULL, printed, size + 1);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, modules), KGT(equal_adjoints_are_shared)};
  return kgt_run("autodiff/modules", tests, KGT_COUNT(tests));
}
