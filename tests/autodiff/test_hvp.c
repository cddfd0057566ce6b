/* Second order: Hessians times vectors against closed forms, against the same along unit vectors, and against reverse over reverse;
 * and forward against reverse mode. */
#include "tests/autodiff/jvp_case.h"

typedef struct set { const char *buffer; int count; double value[8]; } set;
#define SET (const set[])
#define END {NULL, 0, {0}}

typedef struct hvp { kg_module *primal, *product; kg_grad_map *map; adt_data data; adt_case note; } hvp;

static void hvp_make(hvp *h, const char *text, const kg_jvp_params *params) {
  kg_sink sink = {adt_note, &h->note};
  memset(h, 0, sizeof *h);
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &h->primal), KG_OK);
  kg_status status = kg_hvp_mapped(h->primal, params, &sink, &h->product, &h->map);
  ck_assert_msg(status == KG_OK, "refused: %s: %s\n%s", h->note.diag, h->note.message, text);
  adt_allocate(&h->data, h->product, NULL, NULL);
}

static void hvp_free(hvp *h) {
  adt_free_data(&h->data);
  kg_grad_map_free(h->map);
  kg_module_free(h->product);
  kg_module_free(h->primal);
}

static void put(adt_data *d, const set *values) {
  for (; values->buffer; values++)
    for (int i = 0; i < values->count; i++) adt_set(d, values->buffer, (uint64_t)i, values->value[i]);
}

/* Within `off` of what is wanted, in relation to it; 0: exactly. */
static void expect(const char *text, const set *values, const set *want, double off) {
  hvp h;
  hvp_make(&h, text, NULL);
  put(&h.data, values);
  adt_run(&h.data);
  for (; want->buffer; want++)
    for (int i = 0; i < want->count; i++) {
      double got = adt_get(&h.data, want->buffer, (uint64_t)i), right = want->value[i];
      ck_assert_msg(fabs(got - right) <= off * fabs(right), "%s[%d] = %.9g, not %.9g", want->buffer, i, got, right);
    }
  hvp_free(&h);
}

#define EACH(expression) "program p { workgroup 4 grid invocations n param n : u32 = 4 buffer x : f32[n] read buffer y : f32[n] write\n" \
                         "let i = global_id.x if i < n { let v = x[i] y[i] = " expression " } }"
#define SUM(type, size, expression) \
  "program p { workgroup 1 grid 1 buffer x : " type "[" size "] read buffer y : " type "[1] write var s : " type " s = 0.0\n" \
  expression " y[0] = s }"

/* f = sum of x^3 */
START_TEST(cube) {
  expect(EACH("v * v * v"), SET{{"x", 4, {1, 2, -3, 0}}, {"grad_y", 4, {1, 1, 1, 1}}, {"tan_x", 4, {1, -1, 0.5, 2}}, END},
         SET{{"grad_x", 4, {3, 12, 27, 0}}, {"tan_grad_x", 4, {6, -12, -9, 0}}, END}, 0);
} END_TEST

/* 100 (x1 - x0^2)^2 + (1 - x0)^2: H = [[1200 x0^2 - 400 x1 + 2, -400 x0], [-400 x0, 200]] */
START_TEST(rosenbrock) {
  double a = -1.2, b = 1, u = 0.7, v = -0.3;
  expect(SUM("f64", "2", "let d = x[1] - x[0] * x[0] let e = 1.0 - x[0] s = 100.0 * d * d + e * e"),
         SET{{"x", 2, {a, b}}, {"grad_y", 1, {1}}, {"tan_x", 2, {u, v}}, END},
         SET{{"grad_x", 2, {-400 * a * (b - a * a) - 2 * (1 - a), 200 * (b - a * a)}},
             {"tan_grad_x", 2, {(1200 * a * a - 400 * b + 2) * u - 400 * a * v, -400 * a * u + 200 * v}}, END}, 1e-12);
} END_TEST

/* x^T A x with a full matrix that is not symmetric: H v = (A + A^T) v. With respect to x alone; then A's part is d grad_A. */
START_TEST(quadratic_form) {
  static const char *const wrt[] = {"x"};
  const char *text = "program p { workgroup 1 grid 1 buffer x : f64[3] read buffer a : f64[3, 3] read buffer y : f64[1] write\n"
                     "var s : f64 s = 0.0 for i in 0 .. 3 { for j in 0 .. 3 { s += x[i] * a[i, j] * x[j] } } y[0] = s }";
  const double a[9] = {1, 2, 3, -4, 5, 6, 7, -8, 9}, v[3] = {1, -2, 0.5};
  hvp h;
  hvp_make(&h, text, &(kg_jvp_params){.wrt = wrt, .wrt_count = 1});
  for (uint64_t i = 0; i < 9; i++) adt_set(&h.data, "a", i, a[i]);
  put(&h.data, SET{{"x", 3, {3, 1, -2}}, {"grad_y", 1, {1}}, {"tan_x", 3, {v[0], v[1], v[2]}}, END});
  adt_run(&h.data);
  for (uint64_t i = 0; i < 3; i++) {
    double want = 0;
    for (uint64_t j = 0; j < 3; j++) want += (a[3 * i + j] + a[3 * j + i]) * v[j];
    ck_assert_msg(adt_get(&h.data, "tan_grad_x", i) == want, "%g, not %g", adt_get(&h.data, "tan_grad_x", i), want);
  }
  hvp_free(&h);
} END_TEST

/* L = log sum exp x - x[k]: H = diag(p) - p p^T, whatever k is. */
START_TEST(softmax_cross_entropy) {
  const double x[4] = {0.3, -1.1, 2.0, 0.7}, v[4] = {1, 0.5, -2, 0.25};
  double p[4], sum = 0, mean = 0;
  for (int i = 0; i < 4; i++) sum += exp(x[i]);
  for (int i = 0; i < 4; i++) p[i] = exp(x[i]) / sum, mean += p[i] * v[i];
  set want[] = {{"tan_grad_x", 4, {0}}, END};
  for (int i = 0; i < 4; i++) want[0].value[i] = p[i] * (v[i] - mean);
  expect(SUM("f64", "4", "var m = x[0] for i in 1 .. 4 { m = max(m, stop_gradient(x[i])) }\n"
                         "let top = stop_gradient(m) for i in 0 .. 4 { s += exp(x[i] - top) } s = log(s) + top - x[2]"),
         SET{{"x", 4, {x[0], x[1], x[2], x[3]}}, {"grad_y", 1, {1}}, {"tan_x", 4, {v[0], v[1], v[2], v[3]}}, END}, want, 1e-12);
} END_TEST

/* y = sin(a x) by x and by the param: second derivatives -a^2 sin, cos - a x sin, -x^2 sin. */
START_TEST(mixed) {
  static const char *const wrt[] = {"x", "a"};
  double x = 0.8, a = 1.5, u = 0.3, w = -2, s = sin(a * x), c = cos(a * x);
  hvp h;
  hvp_make(&h, "program p { workgroup 1 grid 1 param a : f64 = 1.5 buffer x : f64[1] read buffer y : f64[1] write y[0] = sin(a * x[0]) }",
           &(kg_jvp_params){.wrt = wrt, .wrt_count = 2, .directions = 2});
  put(&h.data, SET{{"x", 1, {x}}, {"grad_y", 1, {1}}, {"tan_x", 2, {u, 0}}, {"tan_a", 2, {w, 1}}, END});
  adt_run(&h.data);
  double want_x[2] = {-a * a * s * u + (c - a * x * s) * w, c - a * x * s}, want_a[2] = {(c - a * x * s) * u - x * x * s * w, -x * x * s};
  for (uint64_t d = 0; d < 2; d++) {
    ck_assert_double_eq_tol(adt_get(&h.data, "tan_grad_x", d), want_x[d], 1e-13);
    ck_assert_double_eq_tol(adt_get(&h.data, "tan_grad_a", d), want_a[d], 1e-13);
  }
  hvp_free(&h);
} END_TEST

/* ---- corners ---- */

typedef struct corner { const char *expression; double x, gradient, second; } corner;
static const corner corners[] = {
  /* the gradient's own factor is 0 there, and its derivative is not: a strong zero keeps that */
  {"0.5 * (sqrt(v) - 1.0) * (sqrt(v) - 1.0)", 1, 0, 0.25},
  {"select(v > 0.0, sqrt(v), 0.0)", 0, 0, 0},
  {"pow(v, 2.0)", 0, 0, 2},
  {"pow(v, 3.0)", 0, 0, 0},
  {"pow(v, 2.0)", -3, -6, 2},
  {"v * v", 0, 0, 2},
  {"v * v * v", 0, 0, 0},
  {"v * sin(v)", 0, 0, 2},
  /* half of each side, at first order; so 1/2 of 2v and 1/2 of 4v at v = 0, and of their slopes */
  {"max(v * v, 2.0 * v * v)", 0, 0, 3},
  {"min(v * v, 2.0 * v * v)", 0, 0, 3},
  {"max(v, 0.0) * max(v, 0.0)", 0, 0, 0.5},
  {"abs(v) * v", 0, 0, 0},
  {"abs(v) * v", -2, 4, -2},
  {"select(v > 1.0, log(v - 1.0), v * v)", 1, 2, 2},
  {"sqrt(v)", 4, 0.25, -0.03125},
  {"1.0 / v", 2, -0.25, 0.25},
  {"mulz(v, v)", 3, 6, 2},
  {"hypot(v, 0.0) * hypot(v, 0.0)", 4, 8, 2},
  {"stop_gradient(v) * v", 3, 3, 0},
};

START_TEST(corner_holds) {
  const corner *k = &corners[_i];
  char text[400];
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer y : f32[1] write let v = x[0] y[0] = %s }",
           k->expression);
  expect(text, SET{{"x", 1, {k->x}}, {"grad_y", 1, {1}}, {"tan_x", 1, {1}}, END},
         SET{{"grad_x", 1, {k->gradient}}, {"tan_grad_x", 1, {k->second}}, END}, 2e-7);
} END_TEST

/* ---- the gradient's own duals ---- */

static const char *const kernels[] = {
  "straight_line", "overwritten_variable", "if_nested", "inner_products", "conditions_in_loop", "norm_by_tree", "softmax_by_trees",
  "loss_by_atomics", "clamp_select_pow", "doubles_and_brain_floats", "stencil_with_border", "nonlinear_filter_in_shared",
  "histogram_in_shared", "matrix_product", "tile_refilled", "module_through_temp", "module_one_program_thrice",
  "module_loss_cleared_first", "module_tiles",
};

/* Duals of the gradient's module are second derivatives that share no rule with its tangents. Of what is no gradient no tangent is
 * asked for. */
START_TEST(kernels_hold) {
  char *text = kgt_kernel(kernels[_i]);
  adt_case first = {.seed = 3};
  kg_status status = adt_differentiate(&first, text);
  ck_assert_msg(status == KG_OK, "refused: %s", first.message);
  const char *of[ADT_BUFFERS], *wrt[ADT_BUFFERS];
  size_t outputs = 0, inputs = 0;
  for (size_t k = 0; k < kg_grad_map_count(first.map); k++) {
    kg_grad_entry e = kg_grad_map_entry(first.map, k);
    if (e.wrt && kg_module_buffer(first.adjoint, kg_module_find_buffer(first.adjoint, e.shadow)).mode != KG_READ) of[outputs++] = e.shadow;
    if (e.wrt) wrt[inputs++] = e.name;
  }
  char *printed = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, first.adjoint, NULL, &printed, &size), KG_OK);
  jvt_case c = {.params = {.of = of, .of_count = outputs, .wrt = wrt, .wrt_count = inputs, .directions = 2}, .label = kernels[_i],
                .may_vanish = true};
  jvt_prepare(&c, printed);
  jvt_verify(&c);
  jvt_free(&c);
  kg_bytes_free(NULL, printed, size + 1);
  adt_free(&first);
  free(text);
} END_TEST

/* ---- both modes ---- */

static double sum_of_products(const adt_data *a, const char *x, const adt_data *b, const char *y, double *magnitude) {
  uint64_t count = a->length[kg_module_find_buffer(a->module, x)];
  double sum = 0;
  for (uint64_t n = 0; n < count; n++) {
    double term = adt_get(a, x, n) * adt_get(b, y, n);
    if (!isfinite(term)) continue; /* an output that the kernel leaves undefined */
    sum += term, *magnitude += fabs(term);
  }
  return sum;
}

/* <w, J v> = <J' w, v> */
START_TEST(modes_agree) {
  char *text = kgt_kernel(kernels[_i]);
  adt_case reverse = {.seed = 11};
  jvt_case forward = {.random = 11};
  adt_prepare(&reverse, text, NULL);
  jvt_prepare(&forward, text);
  adt_copy(&reverse.result, &forward.before);
  double left = 0, right = 0, magnitude = 0;
  adt_data start = {0};
  adt_allocate(&start, reverse.adjoint, NULL, &reverse.before);
  adt_copy(&start, &reverse.result);
  adt_data given = {0};
  adt_allocate(&given, forward.tangent, NULL, &forward.before);
  adt_copy(&given, &forward.result);
  adt_run(&reverse.result);
  adt_run(&forward.result);
  for (size_t k = 0; k < kg_grad_map_count(reverse.map); k++) {
    kg_grad_entry e = kg_grad_map_entry(reverse.map, k), f = kg_grad_map_entry(forward.map, k);
    ck_assert_str_eq(e.name, f.name);
    if (e.of) left += sum_of_products(&start, e.shadow, &forward.result, f.shadow, &magnitude);
    if (e.wrt) right += sum_of_products(&reverse.result, e.shadow, &given, f.shadow, &magnitude);
  }
  ck_assert_msg(magnitude > 0 && fabs(left - right) <= 1e-4 * magnitude, "%s: %.9g and %.9g", kernels[_i], left, right);
  adt_free_data(&start), adt_free_data(&given);
  adt_free(&reverse), jvt_free(&forward), free(text);
} END_TEST

/* Reverse over reverse: the gradient by x of the sum of v * grad_x, with v as the cotangent of grad_x. Its name is the next free one. */
START_TEST(reverse_over_reverse) {
  static const char *const of[] = {"grad_x"}, *const wrt[] = {"x"};
  adt_case first = {.seed = 1};
  kg_module *second = NULL;
  kg_grad_map *map = NULL;
  ck_assert_int_eq(adt_differentiate(&first, EACH("v * v * v + sin(v)")), KG_OK);
  kg_grad_params params = {.of = of, .of_count = 1, .wrt = wrt, .wrt_count = 1};
  ck_assert_int_eq(kg_grad_mapped(first.adjoint, &params, NULL, &second, &map), KG_OK);
  ck_assert_str_eq(kg_grad_map_entry(map, 0).shadow, "grad_x_1");
  ck_assert_str_eq(kg_grad_map_entry(map, 1).shadow, "grad_grad_x");
  adt_data d = {0};
  adt_allocate(&d, second, NULL, NULL);
  put(&d, SET{{"x", 4, {1, 2, -3, 0}}, {"grad_y", 4, {1, 1, 1, 1}}, {"grad_grad_x", 4, {1, -1, 0.5, 2}}, END});
  adt_run(&d);
  const double x[4] = {1, 2, -3, 0}, v[4] = {1, -1, 0.5, 2};
  for (uint64_t i = 0; i < 4; i++) ck_assert_double_eq_tol(adt_get(&d, "grad_x_1", i), (6 * x[i] - sin(x[i])) * v[i], 1e-5);
  adt_free_data(&d);
  kg_grad_map_free(map), kg_module_free(second), adt_free(&first);
} END_TEST

/* The maximum of a round is x[p], then x[p]^2, so that y[i] = x[i] x[p]^3. What the adjoint keeps of each round's atomic has no derivative:
 * neither mode may ask for one. With S = sum of w x, the product of the Hessian of sum of w y with u has 3 w x[p]^2 u[p] everywhere, and
 * 6 x[p] S u[p] + 3 x[p]^2 sum of w u beside it at p. */
START_TEST(rounds_of_maxima) {
  static const char *const of[] = {"grad_x"}, *const wrt[] = {"x"};
  const char *text = "program p { workgroup 4 grid 1 param rounds : u32 = 2 buffer x : f32[4] read buffer y : f32[4] write shared m : f32\n"
                     "let l = local_id.x var v = x[l] for k in 0 .. rounds { if l == 0 { m = -1000.0 } barrier atomic_max(m, v) barrier\n"
                     "v = v * m barrier } y[l] = v }";
  const double x[4] = {1.5, 0.25, 2, -1}, w[4] = {1, -0.5, 0.75, 2}, u[4] = {0.5, 3, -1.25, 1};
  const unsigned p = 2;
  double s = 0, t = 0;
  for (int i = 0; i < 4; i++) s += w[i] * x[i], t += w[i] * u[i];
  set want[] = {{"tan_grad_x", 4, {0}}, END};
  for (unsigned i = 0; i < 4; i++)
    want[0].value[i] = 3 * w[i] * x[p] * x[p] * u[p] + (i == p ? 6 * x[p] * s * u[p] + 3 * x[p] * x[p] * t : 0);
  expect(text, SET{{"x", 4, {x[0], x[1], x[2], x[3]}}, {"grad_y", 4, {w[0], w[1], w[2], w[3]}}, {"tan_x", 4, {u[0], u[1], u[2], u[3]}}, END},
         want, 1e-6);
  adt_case first = {.seed = 1};
  kg_module *second = NULL;
  kg_sink sink = {adt_note, &first};
  ck_assert_int_eq(adt_differentiate(&first, text), KG_OK);
  kg_status status = kg_grad_mapped(first.adjoint, &(kg_grad_params){.of = of, .of_count = 1, .wrt = wrt, .wrt_count = 1}, &sink, &second, NULL);
  ck_assert_msg(status == KG_OK, "refused: %s: %s", first.diag, first.message);
  adt_data d = {0};
  adt_allocate(&d, second, NULL, NULL);
  put(&d, SET{{"x", 4, {x[0], x[1], x[2], x[3]}}, {"grad_y", 4, {w[0], w[1], w[2], w[3]}}, {"grad_grad_x", 4, {u[0], u[1], u[2], u[3]}}, END});
  adt_run(&d);
  for (uint64_t i = 0; i < 4; i++) ck_assert_double_eq_tol(adt_get(&d, "grad_x_1", i), want[0].value[i], 1e-4);
  adt_free_data(&d), kg_module_free(second), adt_free(&first);
} END_TEST

/* ---- names ---- */

START_TEST(map) {
  hvp h;
  static const char *const want[] = {"x grad_x", "y grad_y", "x tan_x", "grad_x tan_grad_x"};
  hvp_make(&h, EACH("v * v"), NULL);
  ck_assert_uint_eq(kg_grad_map_count(h.map), KGT_COUNT(want));
  for (size_t k = 0; k < KGT_COUNT(want); k++) {
    kg_grad_entry e = kg_grad_map_entry(h.map, k);
    char text[80];
    snprintf(text, sizeof text, "%s %s", e.name, e.shadow);
    ck_assert_str_eq(text, want[k]);
    ck_assert_int_eq(e.tangent, k >= 2);
  }
  hvp_free(&h);
} END_TEST

/* A linear kernel: the gradient depends on no input, and its tangent is 0. */
START_TEST(linear) {
  expect(EACH("3.0 * v"), SET{{"x", 4, {1, 2, -3, 0}}, {"grad_y", 4, {1, 1, 1, 1}}, {"tan_x", 4, {1, 1, 1, 1}}, END},
         SET{{"grad_x", 4, {3, 3, 3, 3}}, {"tan_grad_x", 4, {0, 0, 0, 0}}, END}, 0);
  /* in place, where the gradient is the cotangent itself */
  expect("program p { workgroup 4 grid 1 buffer x : f32[4] read_write x[local_id.x] = x[local_id.x] + 1.0 }",
         SET{{"x", 4, {1, 2, -3, 0}}, {"grad_x", 4, {1, 2, 3, 4}}, {"tan_x", 4, {1, 1, 1, 1}}, END},
         SET{{"grad_x", 4, {1, 2, 3, 4}}, {"tan_grad_x", 4, {0, 0, 0, 0}}, END}, 0);
} END_TEST

/* x = x^2 in place: the gradient is 2 x g, and its tangent along v is 2 v g. */
START_TEST(in_place) {
  expect("program p { workgroup 4 grid 1 buffer x : f32[4] read_write x[local_id.x] = x[local_id.x] * x[local_id.x] }",
         SET{{"x", 4, {1, 2, -3, 0}}, {"grad_x", 4, {1, 2, 3, 4}}, {"tan_x", 4, {1, 1, 2, 1}}, END},
         SET{{"grad_x", 4, {2, 8, -18, 0}}, {"tan_grad_x", 4, {2, 4, 12, 8}}, END}, 0);
} END_TEST

/* What lies behind a run has a gradient, and no direction in which to go from it. */
START_TEST(behind_a_run) {
  static const char text[] = "module m { buffer x : f32[4] read buffer h : f32[4] temp buffer y : f32[4] write\n"
    "program k { workgroup 4 grid 1 buffer x : f32[4] read buffer h : f32[4] write h[local_id.x] = x[local_id.x] * x[local_id.x] }\n"
    "program q { workgroup 4 grid 1 buffer h : f32[4] read buffer y : f32[4] write y[local_id.x] = h[local_id.x] * h[local_id.x] }\n"
    "run k(x = x, h = h) run q(h = h, y = y) }";
  static const char *const wrt[] = {"h after k"};
  for (int second = 0; second < 2; second++) {
    adt_case note = {.seed = 1};
    kg_sink sink = {adt_note, &note};
    kg_module *primal = NULL, *product = NULL;
    kg_jvp_params params = {.wrt = wrt, .wrt_count = 1};
    ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &primal), KG_OK);
    ck_assert_int_eq((second ? kg_hvp : kg_jvp)(primal, &params, &sink, &product), KG_INVALID);
    ck_assert_str_eq(note.diag, "jvp-after");
    ck_assert_ptr_null(product);
    kg_module_free(primal);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(cube), KGT(rosenbrock), KGT(quadratic_form), KGT(softmax_cross_entropy), KGT(mixed),
                            KGT_TABLE(corner_holds, corners, expression), KGT_TEXTS(kernels_hold, kernels), KGT_TEXTS(modes_agree, kernels),
                            KGT(reverse_over_reverse), KGT(rounds_of_maxima), KGT(map), KGT(linear), KGT(in_place), KGT(behind_a_run)};
  return kgt_run("autodiff/hvp", tests, KGT_COUNT(tests));
}
