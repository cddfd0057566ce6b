/* How a gradient is judged: the rule by itself, and whole verdicts, of right gradients and of wrong ones. */
#include "tests/kgtest.h"

#include "tools/canvas.h"
#include "tools/verify_report.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

#define ANY ((double)NAN)
#define INF ((double)INFINITY)

typedef struct judge_case { const char *what; tool_claim claim; bool bounded, forks; tool_verdict verdict; } judge_case;

/* Single precision, depth 8: 2 * 2^-24 * 8 = 2^-20 of the magnitude is allowed, 9.54e-7. */
static const judge_case judge_cases[] = {
  {"equal", {3, 3, 3, ANY, ANY}, false, false, TOOL_PASSED},
  {"within what is allowed", {1 + 9e-7, 1, 1, ANY, ANY}, false, false, TOOL_PASSED},
  {"past what is allowed", {1 + 1e-6, 1, 1, ANY, ANY}, false, false, TOOL_FAILED},
  {"magnitude counts, not the value", {9e-7, 0, 1, ANY, ANY}, false, false, TOOL_PASSED},
  {"nothing is allowed without contributions", {1e-20, 0, 0, ANY, ANY}, false, false, TOOL_FAILED},
  {"what underflows is allowed", {1e-37, 0, 0, ANY, ANY}, false, false, TOOL_PASSED},
  {"both in the interval", {1, 1 + 1e-8, 1, 1 - 1e-7, 1 + 1e-7}, true, false, TOOL_PASSED},
  {"the gradient is out of the interval", {1 + 5e-7, 1, 1, 1 - 1e-7, 1 + 1e-7}, true, false, TOOL_FAILED},
  {"the dual is out of the interval", {1, 1 + 5e-7, 1, 1 - 1e-7, 1 + 1e-7}, true, false, TOOL_FAILED},
  {"the dual may be off itself", {1, 1 + 1e-15, 1, 1, 1}, true, false, TOOL_PASSED},
  {"the interval accounts for the difference", {1.5, 1, 1, 0, 2}, true, false, TOOL_INCONCLUSIVE},
  {"a wide interval, and near", {1, 1, 1, -1e30, 1e30}, true, false, TOOL_PASSED},
  {"an interval without an end accounts for nothing", {1.5, 1, 1, 0, INF}, true, false, TOOL_FAILED},
  {"anything accounts for nothing", {1.5, 1, 1, ANY, ANY}, true, false, TOOL_FAILED},
  {"anything, and near", {1, 1, 1, ANY, ANY}, true, false, TOOL_PASSED},
  {"a device that may have gone another way", {1.5, 1, 1, ANY, ANY}, true, true, TOOL_INCONCLUSIVE},
  {"the same infinity", {INF, INF, INF, ANY, ANY}, false, false, TOOL_PASSED},
  {"the other infinity", {-INF, INF, INF, ANY, ANY}, false, false, TOOL_FAILED},
  {"finite where the dual is infinite", {7, INF, INF, ANY, ANY}, false, false, TOOL_FAILED},
  {"finite where the dual is no number", {7, ANY, 1, ANY, ANY}, false, false, TOOL_FAILED},
  {"no number where the dual is one", {ANY, 7, 7, ANY, ANY}, false, false, TOOL_FAILED},
  {"no number, and the dual neither", {ANY, ANY, 7, ANY, ANY}, false, false, TOOL_INCONCLUSIVE},
  {"infinite where the dual is not", {INF, 7, 7, ANY, ANY}, false, false, TOOL_FAILED},
  {"an overflow of single precision", {INF, 1e39, 1e39, ANY, ANY}, false, false, TOOL_INCONCLUSIVE},
  {"an overflow on the way", {ANY, 7, 1e39, ANY, ANY}, false, false, TOOL_INCONCLUSIVE},
  {"an overflow that the interval knows", {INF, 7, 7, 0, INF}, true, false, TOOL_INCONCLUSIVE},
};

START_TEST(rule) {
  const judge_case *c = &judge_cases[_i];
  tool_scale scale = {.depth = 8, .bounded = c->bounded, .forks = c->forks};
  tool_scale_roughen(&scale, KG_F32);
  tool_scale_gradient(&scale, KG_F32);
  tool_judgement j = tool_judge(&scale, &c->claim);
  ck_assert_msg(j.verdict == c->verdict, "%s: %d, not %d", c->what, (int)j.verdict, (int)c->verdict);
}
END_TEST

START_TEST(units) {
  tool_scale s = {0};
  tool_scale_roughen(&s, KG_F64);
  ck_assert(s.unit == 0x1p-53);
  tool_scale_roughen(&s, KG_F16);
  tool_scale_roughen(&s, KG_F32);
  ck_assert(s.unit == 0x1p-11); /* the roughest */
  tool_scale_roughen(&s, KG_BF16);
  ck_assert(s.unit == 0x1p-8);
  tool_scale_gradient(&s, KG_F64);
  ck_assert(s.largest == DBL_MAX && s.tiny == DBL_MIN);
}
END_TEST

/* The unit of a kernel over f32 that computes its result so. */
static double unit_of_kernel(const char *result) {
  char text[300];
  kg_module *m;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer h : f16[1] read buffer x : f32[1] read buffer y : f32[1] write\n"
                              "y[0] = %s }", result);
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  tool_scale s = {0};
  tool_scale_roughen(&s, KG_F32);
  tool_scale_kernel(&s, m);
  kg_module_free(m);
  return s.unit;
}

/* Halves that are loaded are as they are; those that are computed are rounded, and so are their partials. */
START_TEST(units_of_kernels) {
  ck_assert(unit_of_kernel("x[0] * x[0]") == 0x1p-24);
  ck_assert(unit_of_kernel("f32(h[0]) * x[0]") == 0x1p-24);
  ck_assert(unit_of_kernel("f32(sin(h[0]))") == 0x1p-11);
  ck_assert(unit_of_kernel("f32(f16(x[0]))") == 0x1p-11);
}
END_TEST

static tool_tally tally_of(unsigned passed, unsigned inconclusive, unsigned failed, double dual) {
  tool_tally t = {0};
  tool_claim c = {dual, dual, dual, ANY, ANY};
  for (unsigned k = 0; k < passed; k++) tool_tally_add(&t, &c, (tool_judgement){TOOL_PASSED, 0, 1, 0});
  for (unsigned k = 0; k < inconclusive; k++) tool_tally_add(&t, &c, (tool_judgement){TOOL_INCONCLUSIVE, 5, 1, 5});
  for (unsigned k = 0; k < failed; k++) tool_tally_add(&t, &c, (tool_judgement){TOOL_FAILED, 3, 1, 3});
  return t;
}

START_TEST(half_must_be_decided) {
  tool_tally even = tally_of(4, 4, 0, 1), less = tally_of(4, 5, 0, 1), wrong = tally_of(9, 2, 1, 1), zero = tally_of(9, 0, 0, 0);
  ck_assert(tool_tally_passes(&even));
  ck_assert(!tool_tally_passes(&less));
  ck_assert(!tool_tally_passes(&wrong));
  ck_assert_uint_eq(wrong.worst, 11); /* a wrong entry before an inconclusive one that is further off */
  ck_assert(tool_tally_is_vacuous(&zero) && !tool_tally_is_vacuous(&even));
}
END_TEST

/* ---- whole verdicts ---- */

static void ignore(void *user, const kg_diag *diag) { (void)user, (void)diag; }

typedef struct trial {
  tool_context ctx;
  kg_module *module, *adjoint;
  kg_grad_map *map;
  verify_params params;
  verify_oracle oracle;
  verify_device device;
  verify_outcome outcome;
} trial;

static void begin(trial *t, const char *text) {
  *t = (trial){.ctx.sink = {ignore, NULL}};
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &t->module), KG_OK);
  ck_assert_int_eq(kg_grad_mapped(t->module, NULL, NULL, &t->adjoint, &t->map), KG_OK);
  t->params = (verify_params){.module = t->module, .adjoint = t->adjoint, .map = t->map, .data.seed = 1, .differences = true};
  ck_assert_int_eq(verify_oracle_make(&t->ctx, &t->params, &t->oracle), TOOL_OK);
  ck_assert_int_eq(verify_device_make(&t->oracle, "reference", &t->device), TOOL_OK);
  t->outcome = (verify_outcome){.oracle = &t->oracle, .device = &t->device, .devices = 1};
}

static void end(trial *t) {
  verify_device_free(&t->oracle, &t->device);
  verify_oracle_free(&t->oracle);
  kg_grad_map_free(t->map);
  kg_module_free(t->adjoint);
  kg_module_free(t->module);
}

#define KERNEL(range, body) "program p { workgroup 32 grid invocations 60 buffer x : f32[60] read in " range " buffer y : f32[60] write\n" \
                            "let i = global_id.x if i < 60 { y[i] = " body " } }"

typedef struct verdict_case { const char *text, *word; } verdict_case;
static const verdict_case verdict_cases[] = {
  {KERNEL("-1.0 .. 1.0", "tanh(x[i])"), "passed"},
  {KERNEL("-4.0 .. 4.0", "tanh(x[i])"), "passed"},       /* flat in places */
  {KERNEL("5.0 .. 12.0", "tanh(x[i])"), "passed"},       /* flat everywhere */
  {KERNEL("0.0 .. 1.0", "f32(exp(f16(x[i]) - 15.0))"), "INCONCLUSIVE"}, /* partials that are results of few bits */
  {KERNEL("-1.0 .. 1.0", "floor(x[i])"), "FAILED"},      /* nothing to prove */
  {KERNEL("-1.0 .. 1.0", "x[i] + x[59 - i] * x[0]"), "passed"},
};

START_TEST(verdicts) {
  trial t;
  begin(&t, verdict_cases[_i].text);
  ck_assert_str_eq(verify_word(&t.outcome), verdict_cases[_i].word);
  ck_assert(t.oracle.scale.bounded);
  end(&t);
}
END_TEST

/* Single entries that are off by little: a wrong value in one place of many. */
START_TEST(one_wrong_entry) {
  trial t;
  begin(&t, KERNEL("-1.0 .. 1.0", "x[i] * x[i]"));
  uint32_t shadow = kg_module_find_buffer(t.adjoint, "grad_x");
  float *g = t.oracle.reference.array[shadow].data;
  g[17] *= 1.00001f;
  verify_device_free(&t.oracle, &t.device);
  ck_assert_int_eq(verify_device_make(&t.oracle, "reference", &t.device), TOOL_OK);
  ck_assert_str_eq(verify_word(&t.outcome), "FAILED");
  ck_assert_uint_eq(t.device.tally[0].failed, 1);
  ck_assert_uint_eq(t.oracle.input[0].point[t.device.tally[0].worst].index, 17);
  end(&t);
}
END_TEST

/* Kinks and jumps: differences agree where the function is smooth, and say so where they cannot tell. */
typedef struct difference_case { const char *text; bool disagrees; } difference_case;
static const difference_case difference_cases[] = {
  {KERNEL("-1.0 .. 1.0", "sin(3.0 * x[i]) * exp(x[i])"), false},
  {KERNEL("-1.0 .. 1.0", "abs(x[i]) + max(x[i], 0.25)"), false},
  {KERNEL("-1.0 .. 1.0", "select(x[i] > 0.1, x[i] + 1.0, x[i] * 2.0)"), false},
  {KERNEL("-1.0 .. 1.0", "x[i] * stop_gradient(x[i])"), true}, /* a convention that they do not know */
};

START_TEST(differences) {
  trial t;
  begin(&t, difference_cases[_i].text);
  unsigned count[4] = {0};
  for (size_t k = 0; k < t.oracle.input[0].points; k++) count[verify_opinion_of(&t.oracle.input[0].point[k])]++;
  if (difference_cases[_i].disagrees) ck_assert_uint_gt(count[VERIFY_DISAGREES], 50);
  else {
    ck_assert_uint_eq(count[VERIFY_DISAGREES], 0);
    ck_assert_uint_gt(count[VERIFY_AGREES], 50);
  }
  end(&t);
}
END_TEST

/* Large inputs: spread all over, the ends included, in order and each once. */
START_TEST(chosen_entries) {
  trial t = {.ctx.sink = {ignore, NULL}};
  const char *text = "program p { workgroup 64 grid invocations 5000 buffer x : f32[5000] read buffer y : f32[5000] write\n"
                     "let i = global_id.x if i < 5000 { y[i] = x[i] * x[i] } }";
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &t.module), KG_OK);
  ck_assert_int_eq(kg_grad_mapped(t.module, NULL, NULL, &t.adjoint, &t.map), KG_OK);
  t.params = (verify_params){.module = t.module, .adjoint = t.adjoint, .map = t.map, .data.seed = 3, .entries = 20, .directions = 40};
  ck_assert_int_eq(verify_oracle_make(&t.ctx, &t.params, &t.oracle), TOOL_OK);
  const verify_input *in = &t.oracle.input[0];
  ck_assert_uint_eq(t.oracle.directions, VERIFY_MAX_DIRECTIONS);
  ck_assert_uint_eq(in->points, 20);
  ck_assert_uint_eq(in->point[0].index, 0);
  ck_assert_uint_eq(in->point[19].index, 4999);
  for (size_t k = 1; k < 20; k++) {
    ck_assert_uint_gt(in->point[k].index, in->point[k - 1].index);
    ck_assert_uint_eq(in->point[k].index / 250, k);
  }
  end(&t);
}
END_TEST

/* ---- pictures ---- */

static float darkness(const tool_canvas *c, int x, int y) { return 1 - c->rgb[3 * (y * c->width + x)]; }

START_TEST(drawing) {
  tool_canvas c;
  const tool_colour black = {0, 0, 0};
  ck_assert(!tool_canvas_make(0, 5, &c));
  ck_assert(!tool_canvas_make(5, 100000, &c));
  ck_assert(tool_canvas_make(40, 20, &c));
  ck_assert(darkness(&c, 0, 0) == 0);
  tool_canvas_box(&c, -5, -5, 1, 1, black); /* cut at the edge */
  ck_assert(darkness(&c, 0, 0) == 1 && darkness(&c, 1, 1) == 1 && darkness(&c, 2, 1) == 0);
  tool_canvas_line(&c, 5, 10, 15, 10, black);
  ck_assert(darkness(&c, 5, 10) == 1 && darkness(&c, 15, 10) == 1 && darkness(&c, 16, 10) == 0 && darkness(&c, 10, 11) == 0);
  tool_canvas_dot(&c, 30, 10, 2, black);
  ck_assert(darkness(&c, 30, 10) == 1 && darkness(&c, 32, 10) > 0 && darkness(&c, 34, 10) == 0);
  tool_canvas_dot(&c, INF, ANY, 2, black);
  tool_canvas_line(&c, ANY, 0, INF, 3, black);
  tool_canvas_text(&c, 36, 0, 1, black, "l\x80"); /* past the edge, and a letter that there is not */
  ck_assert(darkness(&c, 38, 3) == 1); /* the stroke of an l */
  ck_assert_int_eq(tool_canvas_text_width(2, "abc"), 34);
  ck_assert_int_eq(tool_canvas_text_width(2, ""), 0);
  tool_canvas_free(&c);
}
END_TEST

/* A PNG of the size that its panels call for. */
START_TEST(plot) {
  trial t;
  begin(&t, KERNEL("-4.0 .. 4.0", "tanh(x[i])"));
  FILE *out = tmpfile();
  ck_assert_ptr_nonnull(out);
  ck_assert(verify_plot(out, &t.outcome));
  unsigned char head[24];
  rewind(out);
  ck_assert_uint_eq(fread(head, 1, sizeof head, out), sizeof head);
  ck_assert_int_eq(memcmp(head, "\x89PNG\r\n\x1a\n", 8), 0);
  ck_assert_uint_eq((unsigned)head[18] << 8 | head[19], 112 + 760 + 24);
  ck_assert_uint_eq((unsigned)head[22] << 8 | head[23], 96 + 40 + 220 + 52);
  fclose(out);
  end(&t);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(rule, KGT_COUNT(judge_cases)), KGT(units), KGT(units_of_kernels), KGT(half_must_be_decided),
                            KGT_TABLE(verdicts, KGT_COUNT(verdict_cases)), KGT(one_wrong_entry),
                            KGT_TABLE(differences, KGT_COUNT(difference_cases)), KGT(chosen_entries), KGT(drawing), KGT(plot)};
  return kgt_run("tools/verify", tests, KGT_COUNT(tests));
}
