/* Where others fail: each case with values worked out by hand. */
#include "tests/autodiff/autodiff_case.h"

typedef struct expectation { const char *buffer; int count; double value[8]; } expectation;

/* Inputs and cotangents in `set`, results in `want`; both end with a NULL name. Values are exact in f32. */
static void expect(const char *text, const expectation *set, const expectation *want) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, text, NULL);
  adt_copy(&c.result, &c.before);
  for (; set->buffer; set++)
    for (int i = 0; i < set->count; i++) adt_set(&c.result, set->buffer, (uint64_t)i, set->value[i]);
  adt_run(&c.result);
  for (; want->buffer; want++)
    for (int i = 0; i < want->count; i++)
      ck_assert_msg(adt_get(&c.result, want->buffer, (uint64_t)i) == want->value[i], "%s[%d] = %g, not %g", want->buffer, i,
                    adt_get(&c.result, want->buffer, (uint64_t)i), want->value[i]);
  adt_free(&c);
}
#define SET (const expectation[])
#define END {NULL, 0, {0}}

START_TEST(square) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 5\n"
         "buffer x : f32[n] read buffer y : f32[n] write\n"
         "let i = global_id.x if i < n { y[i] = x[i] * x[i] } }",
         SET{{"x", 5, {1, 2, -3, 0, 0.5}}, {"grad_y", 5, {1, 1, 2, 7, 4}}, END},
         SET{{"y", 5, {1, 4, 9, 0, 0.25}}, {"grad_x", 5, {2, 4, -12, 0, 4}}, END});
}
END_TEST

/* exp(0) and exp(-inf) are exact; the gradient of exp is its result. */
START_TEST(exponential) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 2\n"
         "buffer x : f32[n] read buffer y : f32[n] write\n"
         "let i = global_id.x if i < n { y[i] = exp(x[i]) } }",
         SET{{"x", 2, {0, -INFINITY}}, {"grad_y", 2, {3, 5}}, END}, SET{{"grad_x", 2, {3, 0}}, END});
}
END_TEST

/* An adjoint that is not moved and zeroed gives [16, 8, 4, 2]. */
START_TEST(sum_in_a_loop) {
  expect("program p { workgroup 1 grid 1 param n : u32 = 4\n"
         "buffer x : f32[n] read buffer y : f32[1] write\n"
         "var s = 0.0 for i in 0 .. n { s = s + x[i] } y[0] = s }",
         SET{{"x", 4, {1, 2, 3, 4}}, {"grad_y", 1, {1}}, END}, SET{{"y", 1, {10}}, {"grad_x", 4, {1, 1, 1, 1}}, END});
}
END_TEST

/* An adjoint of a loop-local that is not reset gives [12, 9, 6, 3]. */
START_TEST(loop_local_let) {
  expect("program p { workgroup 1 grid 1 param n : u32 = 4\n"
         "buffer x : f32[n] read buffer y : f32[1] write\n"
         "var s = 0.0 for i in 0 .. n { let t = x[i] * 3.0 var u = t s = s + u } y[0] = s }",
         SET{{"x", 4, {1, 2, 3, 4}}, {"grad_y", 1, {1}}, END}, SET{{"y", 1, {30}}, {"grad_x", 4, {3, 3, 3, 3}}, END});
}
END_TEST

/* d(out * x) by out is x and by x the old out: 2 * 3 = 6, and not 36. */
START_TEST(in_place_product) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 3\n"
         "buffer x : f32[n] read buffer out : f32[n] read_write\n"
         "let i = global_id.x if i < n { out[i] = out[i] * x[i] } }",
         SET{{"x", 3, {3, 5, 7}}, {"out", 3, {2, 4, 6}}, {"grad_out", 3, {2, 1, 1}}, END},
         SET{{"out", 3, {6, 20, 42}}, {"grad_out", 3, {6, 5, 7}}, {"grad_x", 3, {4, 4, 6}}, END});
}
END_TEST

START_TEST(ties) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 3\n"
         "buffer a : f32[n] read buffer b : f32[n] read buffer y : f32[n] write\n"
         "let i = global_id.x if i < n { y[i] = min(a[i], b[i]) } }",
         SET{{"a", 3, {1, 2, 3}}, {"b", 3, {1, 5, 0}}, {"grad_y", 3, {1, 1, 1}}, END},
         SET{{"grad_a", 3, {0.5, 1, 0}}, {"grad_b", 3, {0.5, 0, 1}}, END});
}
END_TEST

/* A sequential maximum of four equals halves at each step. */
START_TEST(four_equals) {
  expect("program p { workgroup 1 grid 1\n"
         "buffer x : f32[4] read buffer y : f32[1] write\n"
         "y[0] = max(max(max(x[0], x[1]), x[2]), x[3]) }",
         SET{{"x", 4, {2, 2, 2, 2}}, {"grad_y", 1, {1}}, END}, SET{{"grad_x", 4, {0.125, 0.125, 0.25, 0.5}}, END});
}
END_TEST

/* Contributions from several workgroups meet in one element; adding is not load, add, store. */
START_TEST(gather_across_workgroups) {
  adt_case c = {.seed = 5};
  adt_prepare(&c, "program p { workgroup 4 grid invocations n param n : u32 = 37\n"
                  "buffer table : f32[3] read buffer idx : u32[n] read in 0 .. 3 buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { y[i] = 2.0 * table[idx[i]] } }", NULL);
  adt_copy(&c.result, &c.before);
  double want[3] = {0};
  for (uint64_t i = 0; i < 37; i++) {
    adt_set(&c.result, "idx", i, (double)(i * i % 3));
    adt_set(&c.result, "grad_y", i, (double)i);
    want[i * i % 3] += 2 * (double)i;
  }
  adt_run(&c.result);
  for (uint64_t k = 0; k < 3; k++) ck_assert(adt_get(&c.result, "grad_table", k) == want[k]);
  adt_free(&c);
}
END_TEST

/* Neighbours load one element: plain adds would lose one of the two. */
START_TEST(neighbours) {
  expect("program p { workgroup 2 grid invocations n param n : u32 = 5\n"
         "buffer x : f32[n + 1] read buffer z : f32[n] write\n"
         "let i = global_id.x if i < n { z[i] = x[i] * x[i + 1] } }",
         SET{{"x", 6, {1, 2, 3, 4, 5, 6}}, {"grad_z", 5, {1, 1, 1, 1, 10}}, END},
         SET{{"z", 5, {2, 6, 12, 20, 30}}, {"grad_x", 6, {2, 4, 6, 8, 64, 50}}, END});
}
END_TEST

START_TEST(several_outputs_of_one_invocation) {
  expect("program p { workgroup 1 grid 1\n"
         "buffer x : f32[2] read buffer y : f32[2] write buffer z : f32[1] write\n"
         "let a = x[0] let b = x[1] y[0] = a * b y[1] = a - b z[0] = 4.0 * a }",
         SET{{"x", 2, {3, 5}}, {"grad_y", 2, {1, 10}}, {"grad_z", 1, {100}}, END},
         SET{{"y", 2, {15, -2}}, {"z", 1, {12}}, {"grad_x", 2, {415, -7}}, END});
}
END_TEST

/* What was read before it was overwritten. */
START_TEST(read_then_overwritten) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 3\n"
         "buffer x : f32[n] read_write buffer y : f32[n] write\n"
         "let i = global_id.x if i < n { let t = x[i] x[i] = 0.0 y[i] = t * t } }",
         SET{{"x", 3, {3, 4, 5}}, {"grad_x", 3, {100, 100, 100}}, {"grad_y", 3, {1, 2, 3}}, END},
         SET{{"x", 3, {0, 0, 0}}, {"y", 3, {9, 16, 25}}, {"grad_x", 3, {6, 16, 30}}, END});
}
END_TEST

START_TEST(early_return) {
  expect("program p { workgroup 4 grid invocations 8 param n : u32 = 6\n"
         "buffer x : f32[n] read buffer y : f32[n] write\n"
         "let idx = global_id.x if idx >= n { return } if x[idx] < 0.0 { y[idx] = 7.0 return } y[idx] = x[idx] * x[idx] }",
         SET{{"x", 6, {1, -2, 3, -4, 5, 6}}, {"grad_y", 6, {1, 1, 1, 1, 1, 1}}, END},
         SET{{"y", 6, {1, 7, 9, 7, 25, 36}}, {"grad_x", 6, {2, 0, 6, 0, 10, 12}}, END});
}
END_TEST

/* Nobody waits at a memory_barrier: the adjoint must not either, where only some pass one. */
START_TEST(memory_barrier_for_some) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 4\n"
         "buffer x : f32[n] read buffer y : f32[n] read_write\n"
         "let i = global_id.x y[i] = y[i] * x[i] if i > 1 { memory_barrier } y[i] = y[i] + 1.0 }",
         SET{{"x", 4, {2, 3, 4, 5}}, {"y", 4, {1, 2, 3, 4}}, {"grad_y", 4, {1, 1, 1, 1}}, END},
         SET{{"y", 4, {3, 7, 13, 21}}, {"grad_x", 4, {1, 2, 3, 4}}, {"grad_y", 4, {2, 3, 4, 5}}, END});
}
END_TEST

START_TEST(param_and_scalar_buffer) {
  expect("program p { workgroup 4 grid invocations n param n : u32 = 6\n"
         "buffer x : f32[n] read buffer s : f32 read buffer y : f32[n] write\n"
         "let i = global_id.x if i < n { y[i] = s * x[i] } }",
         SET{{"x", 6, {1, 2, 3, 4, 5, 6}}, {"s", 1, {2}}, {"grad_y", 6, {1, 1, 1, 1, 1, 2}}, END},
         SET{{"grad_x", 6, {2, 2, 2, 2, 2, 4}}, {"grad_s", 1, {27}}, END});
}
END_TEST

START_TEST(no_trips) {
  expect("program p { workgroup 1 grid 1 param n : u32 = 0\n"
         "buffer x : f32[4] read buffer y : f32[1] write\n"
         "var s = x[3] for i in 0 .. n { s = s + x[i] } y[0] = s }",
         SET{{"x", 4, {1, 2, 3, 4}}, {"grad_y", 1, {5}}, END}, SET{{"y", 1, {4}}, {"grad_x", 4, {0, 0, 0, 5}}, END});
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(square), KGT(exponential), KGT(sum_in_a_loop), KGT(loop_local_let), KGT(in_place_product), KGT(ties), KGT(four_equals),
    KGT(gather_across_workgroups), KGT(neighbours), KGT(several_outputs_of_one_invocation), KGT(read_then_overwritten),
    KGT(early_return), KGT(memory_barrier_for_some), KGT(param_and_scalar_buffer), KGT(no_trips),
  };
  return kgt_run("autodiff/seeds", tests, KGT_COUNT(tests));
}
