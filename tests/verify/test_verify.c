/* kg_verify as a program outside uses it: the public header alone. How entries are judged is tests/verify/test_judge.c's. */
#include "tests/support/kgtest.h"

#include <kgrad/kgrad.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* y[i] = a[i] * x[i]^2. */
#define BUFFERS "workgroup 8 grid invocations n param n : u32 = 20\n" \
                "buffer a : f32[n] read buffer x : f32[n] read buffer y : f32[n] write\n"
#define SQUARE "program p { " BUFFERS "let i = global_id.x if i < n { y[i] = a[i] * x[i] * x[i] } }"

/* The same, and what somebody made of its adjoint. */
#define ADJOINT(body) "program p_grad { " BUFFERS "buffer grad_y : f32[n] read buffer grad_a : f32[n] write\n" \
                      "buffer grad_x : f32[n] write let i = global_id.x if i < n { y[i] = a[i] * x[i] * x[i]\n" body " } }"
#define OF_A "grad_a[i] = grad_y[i] * x[i] * x[i]"
#define OF_X "grad_x[i] = 2.0 * grad_y[i] * a[i] * x[i]"
#define RIGHT OF_A " " OF_X

static kg_module *parse(const char *text) {
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", text, strlen(text), NULL, &m), KG_OK);
  return m;
}

static void keep_id(void *user, const kg_diag *diag) {
  if (diag->severity == KG_ERROR) snprintf(user, 40, "%s", diag->id);
}

/* There is a verdict. */
static kg_verdict *verdict_of(const kg_module *m, const kg_verify_params *params) {
  kg_verdict *verdict = NULL;
  char id[40] = "";
  kg_status status = kg_verify(m, params, &(kg_sink){keep_id, id}, &verdict);
  ck_assert_msg(status == KG_OK, "status %d: %s", (int)status, id);
  return verdict;
}

static void is_outcome(const char *text, const kg_verify_params *params, kg_outcome outcome, const char *reason) {
  kg_module *m = parse(text);
  kg_verdict *verdict = verdict_of(m, params);
  kg_module_free(m); /* the verdict refers to nothing of it */
  kg_verdict_info info = kg_verdict_summary(verdict);
  ck_assert_msg(info.outcome == outcome, "%s: %s", kg_outcome_name(info.outcome), info.reason);
  ck_assert_msg(strstr(info.reason, reason) && !*reason == !*info.reason, "the reason is: %s", info.reason);
  kg_verdict_free(verdict);
}

/* ---- verdicts ---- */

START_TEST(a_right_gradient) {
  kg_module *m = parse(SQUARE);
  kg_verdict *verdict = verdict_of(m, NULL);
  kg_module_free(m);
  kg_verdict_info info = kg_verdict_summary(verdict);
  ck_assert_int_eq(info.outcome, KG_OUTCOME_PASSED);
  ck_assert_str_eq(info.reason, "");
  ck_assert_ptr_null(info.declared_wrongly);
  ck_assert(info.bounded && info.module.watched && info.gradient.watched && !info.gradient.races);
  ck_assert_uint_eq(info.devices, 1);
  ck_assert_uint_eq(info.gradients, 2);
  ck_assert_uint_eq(info.directions, KG_VERIFY_DIRECTIONS);
  kg_verdict_device on = kg_verdict_on(verdict, 0);
  ck_assert_str_eq(on.name, "reference");
  ck_assert(on.ran && on.outcome == KG_OUTCOME_PASSED && !on.output_that_differs && !on.differs_in_a_second_run);
  ck_assert_uint_eq(on.along.checked, KG_VERIFY_DIRECTIONS);
  kg_verdict_gradient x = kg_verdict_of(verdict, 0, 1);
  ck_assert_str_eq(x.name, "x");
  ck_assert_str_eq(x.shadow, "grad_x");
  ck_assert_uint_eq(x.count, 20);
  ck_assert_uint_eq(x.checked, 20);
  ck_assert(x.outcome == KG_OUTCOME_PASSED && !x.failed && !x.inconclusive && !x.zero && x.depends && x.worst.ratio <= 1);
  for (size_t i = 0; i < 20; i++) {
    kg_verdict_entry e = kg_verdict_at(verdict, 0, 1, i);
    ck_assert_uint_eq(e.index, i);
    ck_assert(e.outcome == KG_OUTCOME_PASSED && e.low <= e.gradient && e.gradient <= e.high && e.error <= e.allowed);
  }
  ck_assert(kg_verdict_at(verdict, 0, 2, 3).magnitude > 0); /* the last direction */
  ck_assert_int_eq(kg_verdict_at(verdict, 0, 1, 20).outcome, KG_OUTCOME_NONE);
  ck_assert_int_eq(kg_verdict_at(verdict, 0, 3, 0).outcome, KG_OUTCOME_NONE);
  ck_assert_ptr_null(kg_verdict_of(verdict, 1, 0).name);
  ck_assert_ptr_null(kg_verdict_on(verdict, 1).name);
  kg_verdict_free(verdict);
  kg_verdict_free(NULL);
}
END_TEST

typedef struct outcome_case { const char *text; kg_outcome outcome; const char *reason; } outcome_case;
#define KERNEL(range, body) "program p { workgroup 32 grid invocations 60 buffer x : f32[60] read in " range "\n" \
                            "buffer y : f32[60] write let i = global_id.x if i < 60 { y[i] = " body " } }"
static const outcome_case outcome_cases[] = {
  {KERNEL("-1.0 .. 1.0", "tanh(x[i])"), KG_OUTCOME_PASSED, ""},
  {KERNEL("-1.0 .. 1.0", "floor(x[i])"), KG_OUTCOME_ZERO, "no output depends on any input here"},
  {KERNEL("1e21 .. 3e21", "atan(x[i]) * 1e38"), KG_OUTCOME_INCONCLUSIVE, "rounding accounts for"},
  {"program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write y[0] = x[global_id.x] }", KG_OUTCOME_FAILED,
   "the module itself has 7 races"},
};
START_TEST(outcomes) {
  const outcome_case *c = &outcome_cases[_i];
  is_outcome(c->text, NULL, c->outcome, c->reason);
}
END_TEST

/* Tangents of outputs, and of gradients; with the caller's data, in the order of the module's buffers. */
START_TEST(modes) {
  static const char *const shadows[][2] = {{"tan_y", NULL}, {"tan_grad_a", "tan_grad_x"}};
  float a[20], x[20];
  for (int i = 0; i < 20; i++) a[i] = 0.25f * (float)(i + 1), x[i] = (float)(i - 7);
  const void *data[] = {a, x, NULL};
  kg_module *m = parse(SQUARE);
  for (int i = 0; i < 2; i++) {
    kg_verdict *verdict = verdict_of(m, &(kg_verify_params){.mode = i ? KG_VERIFY_HVP : KG_VERIFY_FORWARD, .data = data});
    kg_verdict_info info = kg_verdict_summary(verdict);
    ck_assert_msg(info.outcome == KG_OUTCOME_PASSED, "%s", info.reason);
    ck_assert_uint_eq(info.gradients, i + 1);
    ck_assert_uint_eq(info.directions, 0);
    for (size_t k = 0; k < info.gradients; k++) {
      kg_verdict_gradient g = kg_verdict_of(verdict, 0, k);
      ck_assert_str_eq(g.shadow, shadows[i][k]);
      ck_assert(g.tangent && g.checked == 20);
    }
    kg_verdict_free(verdict);
  }
  kg_module_free(m);
} END_TEST

START_TEST(what_is_asked) {
  static const char *const x[] = {"x"};
  is_outcome(SQUARE, &(kg_verify_params){.accumulate = true, .deterministic = true, .seed = 3}, KG_OUTCOME_PASSED, "");
  is_outcome(SQUARE, &(kg_verify_params){.expect_zero = true}, KG_OUTCOME_FAILED, "a gradient that is zero was expected");
  is_outcome(KERNEL("0.0 .. 1.0", "floor(x[i])"), &(kg_verify_params){.expect_zero = true}, KG_OUTCOME_ZERO, "no output depends");
  kg_module *m = parse(SQUARE);
  kg_verify_params few = {.wrt = x, .wrt_count = 1, .entries = 3, .directions = 2, .differences = true};
  kg_verdict *verdict = verdict_of(m, &few);
  ck_assert_uint_eq(kg_verdict_summary(verdict).gradients, 1);
  ck_assert_uint_eq(kg_verdict_summary(verdict).directions, 2);
  ck_assert_str_eq(kg_verdict_of(verdict, 0, 0).name, "x");
  ck_assert_uint_eq(kg_verdict_of(verdict, 0, 0).checked, 3);
  kg_verdict_differences d = kg_verdict_by_differences(verdict, 0);
  ck_assert_uint_eq(d.agree + d.cannot_tell, 3);
  ck_assert_uint_eq(d.disagree + kg_verdict_by_differences(verdict, 1).agree, 0);
  kg_verdict_free(verdict);
  kg_module_free(m);
}
END_TEST

/* ---- adjoints that somebody else wrote ---- */

static const outcome_case adjoint_cases[] = {
  {ADJOINT(RIGHT), KG_OUTCOME_PASSED, ""},
  {ADJOINT(OF_A " grad_x[i] = grad_y[i] * a[i] * x[i]"), KG_OUTCOME_FAILED, "20 of 20 entries are wrong"},
  {ADJOINT(RIGHT " if i == 7 { grad_x[i] = -2.0 * grad_y[i] * a[i] * x[i] }"), KG_OUTCOME_FAILED, "grad_x[7] is "},
  {ADJOINT(OF_A " if i > 0 { " OF_X " }"), KG_OUTCOME_FAILED, "grad_x[0] is "},
  {ADJOINT("grad_a[i] = 0.0 " OF_X), KG_OUTCOME_FAILED, "grad_a is zero everywhere, the duals are not"},
  {ADJOINT(RIGHT " y[i] = 0.0"), KG_OUTCOME_FAILED, "leaves y otherwise than the module itself does, on reference"},
  {ADJOINT(RIGHT " grad_x[0] = 1.0"), KG_OUTCOME_FAILED, "the gradient's module has "},
  {"program p_grad { " BUFFERS "buffer grad_y : f32[n] read buffer grad_x : f32[n] write\n"
   "let i = global_id.x if i < n { y[i] = a[i] * x[i] * x[i] grad_x[i] = 2.0 * grad_y[i] * a[i] * x[i] } }", KG_OUTCOME_FAILED,
   "the gradient's declarations: there is no buffer grad_a, the shadow of a"},
};
START_TEST(adjoints) {
  const outcome_case *c = &adjoint_cases[_i];
  kg_module *adjoint = parse(c->text);
  is_outcome(SQUARE, &(kg_verify_params){.adjoint = adjoint}, c->outcome, c->reason);
  kg_module_free(adjoint);
}
END_TEST

/* What does not fit is not run. */
/* One entry of 5000, in each place in turn, that is off by a ten thousandth: no entry at random meets it, and along a direction it is lost
 * among the others. */
#define MANY "workgroup 8 grid invocations n param n : u32 = 5000 buffer x : f32[n] read buffer y : f32[n] "
#define CUBE "program p { " MANY "write let i = global_id.x if i < n { y[i] = x[i] * x[i] * x[i] } }"
static const char *const places[] = {"0", "1", "1777", "n / 2", "n - 3", "n - 1"};

START_TEST(one_wrong_entry_of_many) {
  char text[1000];
  snprintf(text, sizeof text, "program p_grad { " MANY "write buffer grad_y : f32[n] read buffer grad_x : f32[n] write\n"
           "let i = global_id.x if i < n { let v = x[i] y[i] = v * v * v var g = grad_y[i] * 3.0 * v * v\n"
           "if i == %s { g *= 1.0001 } grad_x[i] = g } }", places[_i]);
  kg_module *adjoint = parse(text);
  is_outcome(CUBE, &(kg_verify_params){.adjoint = adjoint, .entries = 16}, KG_OUTCOME_FAILED, "entries are wrong");
  kg_module_free(adjoint);
}
END_TEST

START_TEST(one_wrong_entry_of_a_stated_adjoint) {
  char text[1000];
  snprintf(text, sizeof text, "module m { param n : u32 = 5000 buffer x : f32[n] read buffer y : f32[n] write\n"
           "program p adjoint back { " MANY "write let i = global_id.x if i < n { y[i] = x[i] * x[i] * x[i] } }\n"
           "program back { " MANY "read buffer grad_y : f32[n] read buffer grad_x : f32[n] read_write\n"
           "let i = global_id.x if i < n { var g = grad_y[i] * 3.0 * x[i] * x[i] if i == %s { g *= 1.0001 } grad_x[i] += g } }\n"
           "run p }", places[_i]);
  is_outcome(text, &(kg_verify_params){.entries = 16}, KG_OUTCOME_FAILED, "entries are wrong");
}
END_TEST

START_TEST(an_adjoint_that_does_not_fit) {
  kg_module *m = parse(SQUARE), *adjoint = parse(adjoint_cases[7].text);
  kg_verdict *verdict = verdict_of(m, &(kg_verify_params){.adjoint = adjoint});
  kg_verdict_info info = kg_verdict_summary(verdict);
  ck_assert_str_eq(info.declared_wrongly, "there is no buffer grad_a, the shadow of a");
  ck_assert(!info.devices && !info.gradients && !info.directions && !kg_verdict_on(verdict, 0).name);
  kg_verdict_free(verdict);
  kg_module_free(adjoint);
  kg_module_free(m);
}
END_TEST

/* kg_grad's own, by its names: as if it were not given. */
START_TEST(the_map_of_an_adjoint) {
  kg_module *m = parse(SQUARE), *adjoint = NULL;
  kg_grad_map *map = NULL;
  ck_assert_int_eq(kg_grad_mapped(m, NULL, NULL, &adjoint, &map), KG_OK);
  is_outcome(SQUARE, &(kg_verify_params){.adjoint = adjoint, .map = map}, KG_OUTCOME_PASSED, "");
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  kg_module_free(m);
}
END_TEST

/* ---- what it runs with ---- */

/* x is 0 in one place, so that there nothing depends on it; `a` is drawn. */
START_TEST(data_of_the_callers) {
  float x[33];
  uint64_t param = 33, length[3] = {0};
  bool param_given = true, length_given[3] = {false};
  kg_host host = {.param = &param, .param_given = &param_given, .length = length, .length_given = length_given};
  const void *data[3] = {NULL, x, NULL};
  for (int i = 0; i < 33; i++) x[i] = (float)(i - 5);
  kg_module *m = parse(SQUARE);
  kg_verdict *verdict = verdict_of(m, &(kg_verify_params){.host = &host, .data = data});
  ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  ck_assert_uint_eq(kg_verdict_of(verdict, 0, 1).checked, 33);
  ck_assert(kg_verdict_at(verdict, 0, 1, 5).magnitude == 0 && kg_verdict_at(verdict, 0, 1, 6).magnitude > 0);
  ck_assert(x[5] == 0 && x[32] == 27 && !length_given[1] && !length[1]); /* nothing of it was changed */
  kg_verdict_free(verdict);
  kg_module_free(m);
}
END_TEST

#define OPEN "program p { workgroup 8 grid invocations len(y) buffer x : f32[] read buffer y : f32[] write\n" \
             "buffer z : f32[len(x)] read let i = global_id.x if i < len(y) { y[i] = x[i] * z[i] } }"
START_TEST(lengths_that_nobody_gives) {
  uint64_t length[3] = {0, 12, 0};
  bool length_given[3] = {false};
  kg_host host = {.length = length, .length_given = length_given};
  kg_module *m = parse(OPEN);
  ck_assert_int_eq(kg_verify_resolve(m, &host, NULL), KG_OK);
  ck_assert(length[0] == KG_VERIFY_OPEN_LENGTH && length[1] == KG_VERIFY_OPEN_LENGTH && length[2] == KG_VERIFY_OPEN_LENGTH);
  length[1] = 12, length_given[0] = length_given[2] = false;
  ck_assert_int_eq(kg_verify_resolve(m, &host, NULL), KG_OK);
  ck_assert(length[0] == 12 && length[1] == 12 && length[2] == 12);
  kg_module_free(m);
  is_outcome(OPEN, NULL, KG_OUTCOME_PASSED, "");
}
END_TEST

static void note(void *user, const char *what, uint64_t done, uint64_t of) {
  uint64_t *calls = user;
  ck_assert(*what && done <= of);
  calls[0]++;
  calls[1] = of - done;
}

/* The last thing that is said is that something is done. */
START_TEST(progress) {
  uint64_t calls[2] = {0};
  is_outcome(SQUARE, &(kg_verify_params){.progress = note, .progress_user = calls}, KG_OUTCOME_PASSED, "");
  ck_assert(calls[0] > 4 && calls[1] == 0);
}
END_TEST

/* ---- devices ---- */

START_TEST(devices) {
  kg_context *context = NULL;
  kg_device *device[2] = {NULL, NULL};
  const bool optional[2] = {false, true};
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.no_vulkan = true}, NULL, &context), KG_OK);
  ck_assert_int_eq(kg_device_open(context, "reference", NULL, &device[0]), KG_OK);
  kg_module *m = parse(SQUARE);
  kg_verdict *verdict = verdict_of(m, &(kg_verify_params){.devices = device, .device_count = 2, .optional = optional});
  ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  ck_assert_uint_eq(kg_verdict_summary(verdict).devices, 3);
  ck_assert_str_eq(kg_verdict_on(verdict, 1).name, "reference");
  ck_assert(kg_verdict_on(verdict, 1).outcome == KG_OUTCOME_PASSED && kg_verdict_of(verdict, 1, 1).checked == 20);
  ck_assert(!kg_verdict_on(verdict, 2).ran && kg_verdict_on(verdict, 2).outcome == KG_OUTCOME_NONE);
  kg_verdict_free(verdict);
  kg_module_free(m);
  is_outcome(SQUARE, &(kg_verify_params){.devices = device, .device_count = 2}, KG_OUTCOME_FAILED, "cannot run it");
  kg_device_free(device[0]);
  kg_context_free(context);
}
END_TEST

/* What subgroup operations mean depends on how many lanes a subgroup has: duals for one size are none for another. */
START_TEST(sizes_of_subgroups) {
  kg_context *context = NULL;
  kg_device *device[2];
  kg_verdict *verdict = NULL;
  const bool optional[2] = {true, true};
  char id[40] = "";
  ck_assert_int_eq(kg_context_new(NULL, NULL, NULL, &context), KG_OK);
  ck_assert_int_eq(kg_device_open(context, "llvmpipe", NULL, &device[0]), KG_OK);
  ck_assert_int_eq(kg_device_open(context, "reference", NULL, &device[1]), KG_OK);
  ck_assert_uint_ne(kg_device_describe(device[0]).subgroup_size, 32);
  kg_module *m = parse("program p { workgroup 40 grid 1 buffer x : f32[40] read buffer y : f32[40] write let i = global_id.x\n"
                       "y[i] = subgroup_inclusive_add(x[i] * x[i]) }");
  kg_verify_params params = {.devices = device, .device_count = 2, .optional = optional};
  ck_assert_int_eq(kg_verify(m, &params, &(kg_sink){keep_id, id}, &verdict), KG_OK);
  ck_assert_str_eq(id, "verify-lanes");
  ck_assert_int_eq(kg_verdict_on(verdict, 1).outcome, KG_OUTCOME_PASSED);
  ck_assert(!kg_verdict_on(verdict, 2).ran);
  kg_verdict_free(verdict);
  kg_module_free(m);
  /* which invocations share a subgroup is the device's own matter */
  m = parse("program p { workgroup 4, 5 grid 1 buffer x : f32[20] read buffer y : f32[20] write let i = local_index\n"
            "y[i] = subgroup_add(x[i] * x[i]) }");
  params.device_count = 1;
  ck_assert_int_eq(kg_verify(m, &params, &(kg_sink){keep_id, id}, &verdict), KG_OK);
  ck_assert_str_eq(id, "verify-rows");
  ck_assert(!kg_verdict_on(verdict, 1).ran);
  kg_verdict_free(verdict);
  kg_module_free(m);
  for (int k = 0; k < 2; k++) kg_device_free(device[k]);
  kg_context_free(context);
}
END_TEST

/* ---- no verdict ---- */

typedef struct refusal { const char *text; kg_verify_params params; kg_status status; const char *id; } refusal;
static const char *const nothing[] = {"nothing"}, *const input[] = {"x"}, *const size[] = {"n"};
static const float eight[8];
static const void *const arrays[3] = {eight, NULL, NULL};
static uint64_t huge = 4000000000, seven[3] = {0, 7, 0};
static bool given = true, not_given, x_given[3] = {false, true, false}, no_length[3];
static const kg_host large = {.param = &huge, .param_given = &given, .length = seven, .length_given = no_length},
                     short_x = {.param = &huge, .param_given = &not_given, .length = seven, .length_given = x_given};
static const refusal refusals[] = {
  {SQUARE, {.of = nothing, .of_count = 1}, KG_INVALID, "grad-no-such"},
  {SQUARE, {.of = input, .of_count = 1}, KG_INVALID, "grad-no-output"},
  {SQUARE, {.wrt = nothing, .wrt_count = 1}, KG_INVALID, "grad-no-such"},
  {SQUARE, {.wrt = size, .wrt_count = 1}, KG_INVALID, "grad-not-float"},
  {SQUARE, {.directions = KG_VERIFY_MOST_DIRECTIONS + 1}, KG_INVALID, "verify-count"},
  {SQUARE, {.entries = KG_VERIFY_MOST_ELEMENTS + UINT64_C(1)}, KG_INVALID, "verify-count"},
  {SQUARE, {.entries = UINT64_MAX}, KG_INVALID, "verify-count"},
  {SQUARE, {.host = &large}, KG_INVALID, "too-many-elements"},
  {"program p { workgroup 1 grid 1 param n : u32 = 8 buffer a : f32[8] read buffer x : f32[8] read\n"
   "buffer y : f32[1] write y[0] = x[0] }", {.host = &short_x}, KG_INVALID, "length-mismatch"},
  {"program p { workgroup 1 grid 1 buffer x : f32[] read buffer y : f32[1] write y[0] = x[0] }", {.data = arrays}, KG_INVALID,
   "length-open"},
  {"program p { workgroup 1 grid 1 param s : f32 buffer x : f32[1] read buffer y : f32[1] write y[0] = s * x[0] }", {.seed = 0},
   KG_INVALID, "param-missing"},
  {"program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write\n"
   "let bits = bitcast_u32(x[0]) y[global_id.x] = bitcast_f32(bits >> 1) * x[global_id.x] }", {.seed = 0}, KG_REFUSED, "grad-bits"},
  {"program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write\n"
   "assert false \"no\" y[global_id.x] = x[global_id.x] }", {.seed = 0}, KG_FAILED, "assert-failed"},
};
START_TEST(no_verdict) {
  const refusal *r = &refusals[_i];
  char id[40] = "";
  kg_verdict *verdict = NULL;
  kg_module *m = parse(r->text);
  kg_status status = kg_verify(m, &r->params, &(kg_sink){keep_id, id}, &verdict);
  ck_assert_str_eq(id, r->id);
  ck_assert_int_eq(status, r->status);
  ck_assert_ptr_null(verdict);
  kg_module_free(m);
}
END_TEST

/* Names are held against the module also where nobody differentiates it: a name of nothing would make a verdict on nothing. */
START_TEST(names_beside_an_adjoint) {
  char id[40] = "";
  kg_verdict *verdict = NULL;
  kg_module *m = parse(SQUARE), *adjoint = parse(ADJOINT(RIGHT));
  kg_verify_params params = {.adjoint = adjoint, .wrt = nothing, .wrt_count = 1};
  ck_assert_int_eq(kg_verify(m, &params, &(kg_sink){keep_id, id}, &verdict), KG_INVALID);
  ck_assert_str_eq(id, "grad-no-such");
  ck_assert_ptr_null(verdict);
  kg_module_free(adjoint);
  kg_module_free(m);
}
END_TEST

/* ---- memory ---- */

#define PAIR "workgroup 2 grid 1 buffer x : f32[2] read buffer y : f32[2] write\n"
#define SMALL "program p { " PAIR "let i = global_id.x y[i] = x[i] * x[i] }"
#define SMALL_ADJOINT "program p_grad { " PAIR "buffer grad_y : f32[2] read buffer grad_x : f32[2] write\n" \
                      "let i = global_id.x y[i] = x[i] * x[i] grad_x[i] = 2.0 * x[i] * grad_y[i] }"

static kg_status attempt(const kg_allocator *alloc, void *user) {
  kg_verify_params params = *(const kg_verify_params *)user;
  kg_verdict *verdict = NULL;
  kg_module *m = parse(SMALL);
  params.alloc = alloc, params.directions = 1;
  if (!params.entries) params.entries = 2;
  kg_status status = kg_verify(m, &params, NULL, &verdict);
  if (status == KG_OK) ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  kg_verdict_free(verdict);
  kg_module_free(m);
  return status;
}

START_TEST(memory) {
  kg_module *adjoint = parse(SMALL_ADJOINT);
  kg_verify_params all = {.differences = true, .deterministic = true}, given_adjoint = {.adjoint = adjoint};
  kg_verify_params few = {.adjoint = adjoint, .entries = 1}; /* kg_grad's gradient says which one */
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, &all), 50);
  unsigned alone = (unsigned)kgt_fail_each_allocation(attempt, &given_adjoint);
  ck_assert_uint_gt(alone, 20);
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, &few), alone);
  kg_verify_params forward = {.mode = KG_VERIFY_FORWARD}, second = {.mode = KG_VERIFY_HVP};
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, &forward), 20);
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, &second), 20);
  kg_module_free(adjoint);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(a_right_gradient), KGT_TABLE(outcomes, outcome_cases, text), KGT(modes), KGT(what_is_asked),
                            KGT_TABLE(adjoints, adjoint_cases, text), KGT_TEXTS(one_wrong_entry_of_many, places),
                            KGT_TEXTS(one_wrong_entry_of_a_stated_adjoint, places), KGT(an_adjoint_that_does_not_fit),
                            KGT(the_map_of_an_adjoint), KGT(data_of_the_callers), KGT(lengths_that_nobody_gives), KGT(progress),
                            KGT(devices), KGT(sizes_of_subgroups), KGT_TABLE(no_verdict, refusals, id), KGT(names_beside_an_adjoint), KGT(memory)};
  return kgt_run("verify/verify", tests, KGT_COUNT(tests));
}
