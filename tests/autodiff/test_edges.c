/* What doc/derivatives.md promises of zeros, infinities, NaN and ties; and that no allocation may fail unnoticed. */
#include "tests/autodiff/autodiff_case.h"

typedef struct edge { const char *expression; double x, gradient; } edge;

/* d expression / dx at x, with cotangent 1. NaN: not a number is expected. */
static const edge edges[] = {
  {"abs(v)", 0, 0}, {"abs(v)", -0.0, 0}, {"abs(v)", -2, -1},
  {"max(v, 1.0)", 1, 0.5}, {"max(v, 1.0)", 2, 1}, {"max(v, 1.0)", 0, 0}, {"min(1.0, v)", 1, 0.5},
  {"max(v, nan)", 3, 1}, {"max(nan, v)", 3, 1}, {"min(v, nan)", 3, 1},
  {"max(v, v)", 5, 1}, {"max(v, 0.0) + min(v, 0.0)", 0, 1},
  {"clamp(v, -1.0, 1.0)", 0.5, 1}, {"clamp(v, -1.0, 1.0)", 1, 0.5}, {"clamp(v, -1.0, 1.0)", -1, 0.5}, {"clamp(v, -1.0, 1.0)", 7, 0},
  {"floor(v)", 0.5, 0}, {"ceil(v)", 0.5, 0}, {"round(v)", 0.5, 0}, {"trunc(v)", 0.5, 0}, {"sign(v)", 0, 0}, {"fract(v)", 0.25, 1},
  {"pow(v, 2.0)", 0, 0}, {"pow(v, 2.0)", -3, -6}, {"pow(v, 0.0)", 0, 0}, {"pow(v, 1.0)", 0, 1}, {"pow(v, 0.5)", 0, INFINITY},
  {"pow(0.0, v)", 2, 0}, {"pow(2.0, v)", 0, 0.6931471805599453},
  {"sqrt(v)", 0, INFINITY}, {"sqrt(v)", 4, 0.25}, {"log(v)", 0, INFINITY}, {"1.0 / v", 2, -0.25},
  {"stop_gradient(v) * v", 3, 3}, {"f32(i32(v)) * v", 2.5, 2}, {"f32(u32(v))", 2.5, 0},
  {"select(v > 0.0, v, 0.0)", -1, 0}, {"select(v > 0.0, log(v), 0.0)", 0, 0}, {"select(v > 0.0, sqrt(v), v)", 0, 1},
  {"select(v < 1.0, v, nan * v)", 0, 1},
  {"v * 0.0", 3, 0}, {"v * inf", 1, INFINITY}, {"abs_diff(v, 2.0)", 2, 0}, {"abs_diff(v, 2.0)", 1, -1},
  {"rem(v, 3.0)", 7.5, 1}, {"mod(v, 3.0)", -1, 1}, {"ldexp(v, 3)", 1, 8}, {"fma(v, v, v)", 3, 7},
  {"exp(v)", -INFINITY, 0}, {"tanh(v)", 100, 0}, {"atan2(v, 1.0)", 0, 1}, {"atan2(0.0, v)", 2, 0},
  {"mulz(0.0, v)", 3, 0}, {"mulz(v, 3.0)", 0, 3},
  {"hypot(v, 0.0)", 0, 0}, {"hypot(0.0, v)", -0.0, 0}, {"hypot(v, v)", 0, 0},
  {"hypot(v, 0.0)", -2, -1}, {"hypot(4.0, v)", -3, -0.6},
  {"hypot(v, 2e38)", 2e38, 0.7071067811865475}, {"hypot(v, 1e-38)", -1e-38, -0.7071067811865475}, {"hypot(v, 1.0)", -INFINITY, -1},
  {"hypot(v, inf)", 1, 0}, {"hypot(v, 0.0)", NAN, NAN}, {"hypot(0.0, v)", NAN, NAN},
  {"sinc(v)", 0, 0}, {"sinc(v)", -0.0, 0},
  {"sinc(v)", 1e-20, -1e-20 / 3}, {"sinc(v)", 0.5, -0.16253703063606656},
};

/* The partial is not even looked at where the cotangent is zero. */
START_TEST(conventions) {
  const edge *e = &edges[_i];
  char text[400];
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer y : f32[1] write\n"
                              "let v = x[0] y[0] = %s }", e->expression);
  for (int cotangent = 0; cotangent < 2; cotangent++) {
    adt_case c = {.seed = 1};
    adt_prepare(&c, text, NULL);
    adt_copy(&c.result, &c.before);
    adt_set(&c.result, "x", 0, e->x);
    adt_set(&c.result, "grad_y", 0, cotangent);
    adt_run(&c.result);
    double got = adt_get(&c.result, "grad_x", 0), want = cotangent ? e->gradient : 0;
    bool near = got == want || fabs(got - want) <= 1e-6 * fabs(want) || (isnan(got) && isnan(want));
    ck_assert_msg(near, "%s at %g, cotangent %d: %.9g, not %.9g", e->expression, e->x, cotangent, got, want);
    adt_free(&c);
  }
}
END_TEST

/* d^2 expression / dx^2, by the adjoint of the adjoint; from series and formulas in 50 digits. */
static const edge second[] = {
  {"sinc(v)", 0, -1.0 / 3}, {"sinc(v)", -0.0, -1.0 / 3}, {"sinc(v)", 1e-20, -1.0 / 3}, {"sinc(v)", -0.5, -0.30870295466413973},
  {"sinc(v)", 0.9990234375, -0.23930651128013026}, {"sinc(v)", 1, -0.23913362692838293}, {"sinc(v)", 4.5, 0.21659354559412937},
  {"sinc(v)", -30, 0.032518418942301291},
  {"hypot(v, 0.0)", 0, 0}, {"hypot(v, v)", 0, 0}, {"hypot(v, 0.0)", 3, 0}, {"hypot(v, 0.0009765625)", 0, 1024},
  {"hypot(v, 0.0009765625)", 1, 9.5367295216582364e-7}, {"hypot(0.0009765625, v)", -3, 3.5321265363845177e-8},
  {"hypot(v, 0.0009765625)", 100, 9.5367431626982579e-13},
};

START_TEST(second_derivatives) {
  const edge *e = &second[_i];
  static const char *const of[] = {"grad_x"}, *const wrt[] = {"x"};
  char text[400], *adjoint;
  size_t size;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer y : f32[1] write\n"
                              "let v = x[0] y[0] = %s }", e->expression);
  adt_case first = {.seed = 1}, c = {.seed = 1, .params = {.of = of, .of_count = 1, .wrt = wrt, .wrt_count = 1}};
  adt_prepare(&first, text, NULL);
  ck_assert_int_eq(kg_module_print(NULL, first.adjoint, NULL, &adjoint, &size), KG_OK);
  adt_prepare(&c, adjoint, NULL);
  adt_copy(&c.result, &c.before);
  adt_set(&c.result, "x", 0, e->x), adt_set(&c.result, "grad_y", 0, 1), adt_set(&c.result, "grad_grad_x", 0, 1);
  adt_run(&c.result);
  double got = adt_get(&c.result, "grad_x_1", 0);
  bool near = fabs(got - e->gradient) <= 3e-6 * fabs(e->gradient);
  ck_assert_msg(near, "%s at %g: %.9g, not %.9g", e->expression, e->x, got, e->gradient);
  free(adjoint);
  adt_free(&first), adt_free(&c);
}
END_TEST

/* A branch that is not taken lets nothing through, whatever lies in it. */
START_TEST(branch_not_taken) {
  adt_case c = {.seed = 1};
  adt_prepare(&c, "program p { workgroup 2 grid 1 buffer x : f32[2] read buffer y : f32[2] write\n"
                  "let i = local_id.x let v = x[i] var t = v if v > 0.0 { t = log(v) / v } y[i] = t }", NULL);
  adt_copy(&c.result, &c.before);
  adt_set(&c.result, "x", 0, 0), adt_set(&c.result, "x", 1, NAN);
  adt_set(&c.result, "grad_y", 0, 5), adt_set(&c.result, "grad_y", 1, 7);
  adt_run(&c.result);
  ck_assert(adt_get(&c.result, "grad_x", 0) == 5);
  ck_assert(adt_get(&c.result, "grad_x", 1) == 7);
  adt_free(&c);
}
END_TEST

/* Out of bounds a load gives 0 and its adjoint goes nowhere; a store is dropped, and so is what would come back from it. */
START_TEST(out_of_bounds) {
  adt_case c = {.seed = 1};
  adt_prepare(&c, "program p { workgroup 4 grid 1 buffer x : f32[3] read buffer y : f32[3] write\n"
                  "let i = local_id.x y[i] = x[i] + 10.0 * x[i + 1] }", NULL);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 3; i++) adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  ck_assert(adt_get(&c.result, "grad_x", 0) == 1);
  ck_assert(adt_get(&c.result, "grad_x", 1) == 11);
  ck_assert(adt_get(&c.result, "grad_x", 2) == 11);
  adt_free(&c);
}
END_TEST

/* By way of a float, an integer saturates; straight, it would wrap. */
START_TEST(saturation) {
  static const int32_t a[4] = {-3, -1, 0, 2};
  static const uint32_t b[4] = {UINT32_MAX, 0x80000000, 0x7FFFFFFF, 5}, y[4] = {0, 0, 0, 2}, z[4] = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 5};
  adt_case c = {.seed = 1};
  adt_prepare(&c, "program p { workgroup 4 grid 1 buffer a : i32[4] read buffer b : u32[4] read buffer x : f32[4] read\n"
                  "buffer y : u32[4] write buffer z : i32[4] write buffer o : f32[4] write let i = local_id.x\n"
                  "y[i] = u32(f64(a[i])) z[i] = i32(f64(b[i])) o[i] = x[i] * f32(u32(f64(a[i]))) }", NULL);
  adt_copy(&c.result, &c.before);
  memcpy(c.result.array[kg_module_find_buffer(c.adjoint, "a")], a, sizeof a);
  memcpy(c.result.array[kg_module_find_buffer(c.adjoint, "b")], b, sizeof b);
  for (uint64_t i = 0; i < 4; i++) adt_set(&c.result, "grad_o", i, 1);
  adt_run(&c.result);
  ck_assert_mem_eq(c.result.array[kg_module_find_buffer(c.adjoint, "y")], y, sizeof y);
  ck_assert_mem_eq(c.result.array[kg_module_find_buffer(c.adjoint, "z")], z, sizeof z);
  for (uint64_t i = 0; i < 4; i++) ck_assert(adt_get(&c.result, "grad_x", i) == y[i]);
  adt_free(&c);
}
END_TEST

static kg_status differentiate(const kg_allocator *alloc, void *user) {
  kg_module *g = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_grad_mapped(user, &(kg_grad_params){.alloc = alloc}, NULL, &g, &map);
  kg_module_free(g);
  kg_grad_map_free(map);
  return status;
}

static const char *const examples[] = {"examples/softmax.kg", "examples/deblur.kg", "examples/gather.kg", "examples/inplace.kg"};

START_TEST(allocations) {
  size_t size = 0;
  kg_module *m = NULL;
  char *text = kgt_read_source(examples[_i], &size);
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", text, size, NULL, &m), KG_OK);
  ck_assert_uint_gt(kgt_fail_each_allocation(differentiate, m), 10);
  kg_module_free(m);
  free(text);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(conventions, edges, expression), KGT_TABLE(second_derivatives, second, expression),
                            KGT(branch_not_taken), KGT(out_of_bounds), KGT(saturation),
                            KGT_TEXTS(allocations, examples)};
  return kgt_run("autodiff/edges", tests, KGT_COUNT(tests));
}
