/* Tangents on a device: modules of forward mode and of second order on the device of the tests, against duals of the module that was
 * differentiated. Subgroups are the device's own there, so that what depends on their size is left to the reference. */
#include "tests/autodiff/jvp_case.h"
#include "tests/support/devices.h"

static const char *const kernels[] = {
  "straight_line", "overwritten_variable", "if_in_the_middle", "if_nested", "inner_products", "nest_with_local_sum",
  "conditions_in_loop", "reversed_with_step", "uniform_element", "row_of_a_workgroup", "norm_by_tree", "softmax_by_trees",
  "loss_by_atomics", "clamp_select_pow", "local_array", "stencil_with_border", "scratch_in_buffer", "linear_filter_in_shared",
  "nonlinear_filter_in_shared", "histogram_in_shared", "returns_in_branches", "stored_twice", "wide_indices", "search_with_break",
  "local_array_overlapping", "triangle_of_loops", "three_dimensions", "matrix_product", "computed_before_guard", "tile_refilled",
  "module_through_temp", "module_one_program_thrice", "module_linear_in_place", "module_nested_repeats", "module_loss_cleared_first",
  "module_run_without_gradient", "module_shared_refilled", "module_overwritten_variable", "module_grid_of_the_run", "module_tiles",
};
static const char *const examples[] = {"adam", "gather", "inplace", "layernorm", "matmul", "matmul_tiled", "mix", "particles", "saxpy",
                                       "softmax", "stencil"};

static void holds_on_device(char *text, uint32_t directions) {
  kgt_device d = kgt_open("vulkan");
  jvt_holds(text, directions, d.device);
  kgt_close(&d);
  free(text);
}

START_TEST(kernels_hold) { holds_on_device(kgt_kernel(kernels[_i]), 1 + (uint32_t)_i % 3); } END_TEST

START_TEST(examples_hold) {
  char path[100];
  snprintf(path, sizeof path, "examples/%s.kg", examples[_i]);
  holds_on_device(kgt_read_source(path, NULL), 2);
} END_TEST

/* The gradient of a kernel, as text, and what in it is to be differentiated again. */
START_TEST(second_order_holds) {
  static const char *const twice[] = {"softmax_by_trees", "norm_by_tree", "conditions_in_loop", "matrix_product",
                                      "nonlinear_filter_in_shared"};
  for (size_t i = 0; i < KGT_COUNT(twice); i++) {
    char *text = kgt_kernel(twice[i]), *printed = NULL;
    const char *of[ADT_BUFFERS], *wrt[ADT_BUFFERS];
    adt_case first = {.seed = 3};
    size_t size = 0, count = 0;
    ck_assert_int_eq(adt_differentiate(&first, text), KG_OK);
    for (size_t k = 0; k < kg_grad_map_count(first.map); k++) {
      kg_grad_entry e = kg_grad_map_entry(first.map, k);
      if (e.wrt) of[count] = e.shadow, wrt[count++] = e.name;
    }
    ck_assert_int_eq(kg_module_print(NULL, first.adjoint, NULL, &printed, &size), KG_OK);
    kgt_device d = kgt_open("vulkan");
    jvt_case c = {.params = {.of = of, .of_count = count, .wrt = wrt, .wrt_count = count}, .label = twice[i], .device = d.device,
                  .may_vanish = true};
    jvt_prepare(&c, printed);
    jvt_verify(&c);
    ck_assert_uint_gt(c.tally.nonzero, 0);
    jvt_free(&c);
    kgt_close(&d);
    kg_bytes_free(NULL, printed, size + 1);
    adt_free(&first);
    free(text);
  }
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(kernels_hold, kernels), KGT_TEXTS(examples_hold, examples), KGT(second_order_holds)};
  return kgt_run("verify/tangents", tests, KGT_COUNT(tests));
}
