/* The gradient by what a buffer holds behind a run ("h after k"), held against closed forms, and judged by kg_verify. */
#include "tests/autodiff/autodiff_case.h"

/* h = x^2; then h = h^2 / 2 three times over; y = h^2 x. By h at a point, the rest of the way: with H the last h, 2 H x times the h of each
 * round behind it. */
#define MODULE "module m { param n : u32 = 5 buffer x : f32[n] read buffer h : f32[n] temp buffer y : f32[n] write\n" \
  "program square { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[n] write let i = global_id.x\n" \
  "if i < n { h[i] = x[i] * x[i] } }\n" \
  "program step { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read_write let i = global_id.x\n" \
  "if i < n { h[i] = h[i] * h[i] * 0.5 } }\n" \
  "program last { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[n] read buffer y : f32[n] write\n" \
  "let i = global_id.x if i < n { y[i] = h[i] * h[i] * x[i] } }\n" \
  "run square(n = n, x = x, h = h) "

#define ROUNDS MODULE "repeat k in 0 .. 3 { run step(n = n, h = h) } run last(n = n, x = x, h = h, y = y) }"
#define BACKWARDS MODULE "repeat k in 1 .. 8 step 3 reversed { run step(n = n, h = h) } run last(n = n, x = x, h = h, y = y) }"
#define NESTED MODULE "repeat j in 0 .. 3 { repeat k in 5 .. 6 { run step(n = n, h = h) } } run last(n = n, x = x, h = h, y = y) }"
#define APART MODULE "run step(n = n, h = h) run step(n = n, h = h) run step(n = n, h = h) run last(n = n, x = x, h = h, y = y) }"

typedef struct point { const char *wrt, *shadow, *text; int steps; } point; /* steps: that are left */
static const point points[] = {
  {"h after square", "grad_h_after_square", ROUNDS, 3}, {"h after step", "grad_h_after_step", ROUNDS, 0},
  {"h after step", "grad_h_after_step", BACKWARDS, 0},  {"h after step", "grad_h_after_step", NESTED, 0},
  {"h after step:1", "grad_h_after_step_1", APART, 2},  {"h after step:2", "grad_h_after_step_2", APART, 1},
  {"h after step:3", "grad_h_after_step_3", APART, 0},
};

static void take(adt_case *c, const point *p) {
  ck_assert_msg(adt_differentiate(c, p->text) == KG_OK, "%s: %s", c->diag, c->message);
  adt_allocate(&c->result, c->adjoint, NULL, NULL);
}

START_TEST(closed_forms) {
  const point *p = &points[_i];
  for (int accumulate = 0; accumulate < 2; accumulate++) {
    adt_case c = {.params = {.wrt = &p->wrt, .wrt_count = 1, .accumulate = accumulate}};
    take(&c, p);
    for (uint64_t i = 0; i < 5; i++) {
      adt_set(&c.result, "x", i, 1 + (double)i / 4), adt_set(&c.result, "grad_y", i, (double)i - 1.5);
      if (accumulate) adt_set(&c.result, p->shadow, i, 10);
    }
    adt_run(&c.result);
    for (uint64_t i = 0; i < 5; i++) {
      double x = 1 + (double)i / 4, h = x * x, d = 1;
      for (int k = 0; k < 3; k++) {
        if (k >= 3 - p->steps) d *= h;
        h = h * h / 2;
      }
      d *= 2 * h * x * ((double)i - 1.5);
      ck_assert_double_eq_tol(adt_get(&c.result, p->shadow, i), d + 10 * accumulate, 1e-5 * (fabs(d) + 10));
    }
    adt_free(&c);
  }
}
END_TEST

/* By the oracle: with other inputs, added to what was there, deterministic. */
START_TEST(judged) {
  const char *wrt[] = {points[_i].wrt, "x"};
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", points[_i].text, strlen(points[_i].text), NULL, &m), KG_OK);
  for (unsigned k = 0; k < 4; k++) {
    kg_verify_params params = {.wrt = wrt, .wrt_count = 1 + k % 2, .accumulate = k & 2, .deterministic = k & 2, .differences = true, .seed = k + 1};
    ck_assert_int_eq(kg_verify(m, &params, NULL, &verdict), KG_OK);
    ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
    kg_verdict_free(verdict);
  }
  kg_module_free(m);
}
END_TEST

/* h is read alone on the path, so that its own shadow is not moved anywhere; what it was accumulated to is not in the copy. Of a
 * temporary half of which is written, the other half is asked about too. */
START_TEST(parts) {
  static const char text[] = "module m { param n : u32 = 5 buffer h : f32[2 * n] read_write buffer t : f32[2 * n] temp\n"
    "buffer y : f32[n] write\n"
    "program look { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read\n"
    "let i = global_id.x if i < n { let v = h[i] } }\n"
    "program take { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read buffer y : f32[n] write\n"
    "let i = global_id.x if i < n { y[i] = sin(h[i]) } }\n"
    "run look run take(y = t[0 .. n]) run take(h = t[0 .. n]) }";
  const char *of = "y", *wrt[] = {"h", "h after look", "t after take:1", "h after look"}; /* said twice */
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  for (unsigned accumulate = 0; accumulate < 2; accumulate++) {
    kg_verify_params params = {.of = &of, .of_count = 1, .wrt = wrt, .wrt_count = 4, .accumulate = accumulate};
    ck_assert_int_eq(kg_verify(m, &params, NULL, &verdict), KG_OK);
    ck_assert_msg(kg_verdict_summary(verdict).outcome == KG_OUTCOME_PASSED, "%s", kg_verdict_summary(verdict).reason);
    kg_verdict_free(verdict);
  }
  kg_module_free(m);
}
END_TEST

/* What lies over one another, of views as behind any run. */
START_TEST(views) {
  static const char text[] = "module m { param n : u32 = 3\n"
    "buffer a : f32[2 * n] read_write view(set 0, binding 0, offset 0, stride 4)\n"
    "buffer b : f32[n] read_write view(set 0, binding 0, offset 4, stride 8)\n"
    "program all { workgroup 4 grid invocations 2 * n param n : u32\n"
    "buffer a : f32[2 * n] read_write view(set 0, binding 0, offset 0, stride 4)\n"
    "let i = global_id.x if i < 2 * n { a[i] = a[i] * 1.5 + sin(a[i]) } }\n"
    "program odd { workgroup 4 grid invocations n param n : u32\n"
    "buffer b : f32[n] read_write view(set 0, binding 0, offset 4, stride 8)\n"
    "let i = global_id.x if i < n { b[i] = b[i] * b[i] } }\n"
    "run all run odd repeat k in 0 .. 2 { run all } }";
  const char *wrt[] = {"a after odd", "b after odd", "b after all:1", "a after all:2", "a"};
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  for (unsigned accumulate = 0; accumulate < 2; accumulate++) {
    kg_verify_params params = {.wrt = wrt, .wrt_count = 5, .accumulate = accumulate};
    ck_assert_int_eq(kg_verify(m, &params, NULL, &verdict), KG_OK);
    ck_assert_msg(kg_verdict_summary(verdict).outcome == KG_OUTCOME_PASSED, "%s", kg_verdict_summary(verdict).reason);
    kg_verdict_free(verdict);
  }
  kg_module_free(m);
}
END_TEST

/* No output depends on it: 0, and not what was there. A repeat without a round: no such point. */
START_TEST(nothing_behind) {
  static const point rest[] = {
    {"h after last", "grad_h_after_last", ROUNDS, 0},
    {"h after step", "grad_h_after_step", MODULE "repeat k in 2 .. 2 { run step(n = n, h = h) } run last(n = n, x = x, h = h, y = y) }", 0},
  };
  for (unsigned k = 0; k < 2; k++) {
    adt_case c = {.params = {.wrt = &rest[k].wrt, .wrt_count = 1}};
    take(&c, &rest[k]);
    for (uint64_t i = 0; i < 5; i++) adt_set(&c.result, "x", i, 1), adt_set(&c.result, "grad_y", i, 1);
    adt_run(&c.result);
    for (uint64_t i = 0; i < 5; i++) ck_assert_double_eq(adt_get(&c.result, rest[k].shadow, i), 0);
    adt_free(&c);
  }
}
END_TEST

/* What the oracle adds to h behind the run is held to no range of h's; and names may be long. */
#define STEP "a_step_whose_name_is_longer_than_others_and_would_not_fit_into_a_line_of_eighty_characters_alone"
START_TEST(ranged) {
  static const char text[] = "module m { param n : u32 = 5 buffer h : f32[n] read_write in 0.1 .. 0.9\n"
    "program " STEP " { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read_write let i = global_id.x\n"
    "if i < n { h[i] = h[i] * (1.0 - h[i]) + 0.2 } } repeat k in 0 .. 2 { run " STEP "(n = n, h = h) } }";
  const char *wrt = "h after " STEP;
  kg_verify_params params = {.wrt = &wrt, .wrt_count = 1};
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_verify(m, &params, NULL, &verdict), KG_OK);
  ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  kg_verdict_free(verdict);
  kg_module_free(m);
}
END_TEST

/* The second of two modules has it. */
START_TEST(in_two_modules) {
  const point *p = &points[0];
  kg_grad_params params = {.wrt = &p->wrt, .wrt_count = 1};
  kg_module *m = NULL, *forward = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", p->text, strlen(p->text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_grad_split(m, &params, NULL, &forward, &adjoint, &map), KG_OK);
  ck_assert_uint_ne(kg_module_find_buffer(adjoint, p->shadow), UINT32_MAX);
  ck_assert_uint_eq(kg_module_find_buffer(forward, p->shadow), UINT32_MAX);
  bool named = false;
  for (size_t k = 0; k < kg_grad_map_count(map); k++) {
    kg_grad_entry e = kg_grad_map_entry(map, k);
    named |= !strcmp(e.name, p->wrt) && !strcmp(e.shadow, p->shadow) && e.wrt;
  }
  ck_assert(named);
  kg_grad_map_free(map);
  kg_module_free(m), kg_module_free(forward), kg_module_free(adjoint);
}
END_TEST

/* Forward mode has no direction there. */
START_TEST(not_forward) {
  const char *wrt = "h after square";
  kg_jvp_params params = {.wrt = &wrt, .wrt_count = 1};
  kg_module *m = NULL, *out = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", points[0].text, strlen(points[0].text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_jvp(m, &params, NULL, &out), KG_INVALID);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(closed_forms, points, text), KGT_TABLE(judged, points, text), KGT(parts), KGT(views),
    KGT(nothing_behind), KGT(ranged), KGT(in_two_modules), KGT(not_forward),
  };
  return kgt_run("autodiff/points", tests, KGT_COUNT(tests));
}
