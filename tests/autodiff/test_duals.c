/* Gradients against dual numbers, entry by entry, with random inputs and cotangents. */
#include "tests/autodiff/autodiff_case.h"

/* Of tests/kernels; each says there what it shows. */
static const char *const programs[] = {
  "straight_line", "overwritten_variable", "if_in_the_middle", "if_nested", "inner_products", "nest_with_local_sum",
  "conditions_in_loop", "reversed_with_step", "uniform_element", "row_of_a_workgroup", "norm_by_tree", "softmax_by_trees",
  "loss_by_atomics", "clamp_select_pow", "halves", "doubles_and_brain_floats", "local_array", "stencil_with_border",
  "scratch_in_buffer", "linear_filter_in_shared", "nonlinear_filter_in_shared", "histogram_in_shared", "returns_in_branches",
  "stored_twice", "wide_indices", "search_with_break", "local_array_overlapping", "triangle_of_loops", "three_dimensions", "loads_that_stay",
  "matrix_product", "computed_before_guard", "compaction", "tile_refilled",
};

START_TEST(holds) {
  char *text = kgt_kernel(programs[_i]);
  adt_holds(text);
  free(text);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, programs)};
  return kgt_run("autodiff/duals", tests, KGT_COUNT(tests));
}
