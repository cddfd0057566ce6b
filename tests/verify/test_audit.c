/* kg_audit as a program outside uses it: backward kernels with planted mistakes, right ones, and names that do not fit. */
#include "tests/support/kgtest.h"

#include <kgrad/kgrad.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kg_module *parse(const char *text) {
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "k.kg", text, strlen(text), NULL, &m) == KG_OK, "%s", text);
  return m;
}

static void keep_id(void *user, const kg_diag *diag) {
  if (diag->severity == KG_ERROR && !*(char *)user) snprintf(user, 40, "%s", diag->id);
}

enum { MOST_FILES = 2, MOST_NAMES = 6 };

/* A forward, its backward modules, and "name=means" or "file:name=means". */
typedef struct pairing {
  const char *forward, *backward[MOST_FILES], *map[MOST_NAMES];
  bool overwrite, combined;
} pairing;

static kg_pair_name name_of(const char *text, char out[80]) {
  snprintf(out, 80, "%s", text);
  char *sign = strchr(out, '='), *colon = strchr(out, ':');
  *sign = 0;
  kg_pair_name n = {.name = out, .means = sign + 1};
  if (colon) *colon = 0, n.file = out, n.name = colon + 1;
  return n;
}

static kg_status pair_up(const pairing *p, char id[40], kg_pair **out) {
  kg_module *forward = parse(p->forward), *backward[MOST_FILES];
  kg_pair_name map[MOST_NAMES];
  char names[MOST_NAMES][80];
  kg_pair_params params = {.backward = (const kg_module *const *)backward, .map = map, .overwrite = p->overwrite, .combined = p->combined};
  while (params.backward_count < MOST_FILES && p->backward[params.backward_count])
    backward[params.backward_count] = parse(p->backward[params.backward_count]), params.backward_count++;
  while (params.map_count < MOST_NAMES && p->map[params.map_count])
    map[params.map_count] = name_of(p->map[params.map_count], names[params.map_count]), params.map_count++;
  kg_status status = kg_pair_new(forward, &params, &(kg_sink){keep_id, id}, out);
  kg_module_free(forward); /* the pair refers to none of them */
  for (size_t k = 0; k < params.backward_count; k++) kg_module_free(backward[k]);
  return status;
}

static kg_verdict *audit(const pairing *p, const kg_verify_params *params) {
  kg_pair *pair = NULL;
  kg_verdict *verdict = NULL;
  char id[40] = "";
  kg_status status = pair_up(p, id, &pair);
  ck_assert_msg(status == KG_OK, "status %d: %s", (int)status, id);
  status = kg_audit(pair, params, &(kg_sink){keep_id, id}, &verdict);
  ck_assert_msg(status == KG_OK, "status %d: %s", (int)status, id);
  kg_pair_free(pair);
  return verdict;
}

/* ---- planted mistakes ---- */

/* y = a x^2, in rows of 5. */
#define SHAPE "workgroup 8 grid invocations r * c param r : u32 = 4 param c : u32 = 5\n"
#define FORWARD "program p { " SHAPE "buffer a : f32[r, c] read buffer x : f32[r, c] read buffer w : f32[r] read buffer y : f32[r, c] write\n" \
                "let i = global_id.x if i < r * c { y[i] = a[i] * x[i] * x[i] * w[i / c] } }"
#define BACKWARD(mode, body) "program b { " SHAPE "buffer a : f32[r, c] read buffer x : f32[r, c] read buffer w : f32[r] read\n" \
                             "buffer dy : f32[r, c] read buffer dx : f32[r, c] " mode "\n" \
                             "let i = global_id.x if i < r * c { " body " } }"
#define RIGHT "2.0 * dy[i] * a[i] * x[i] * w[i / c]"

typedef struct mistake { const char *backward; bool overwrite; const char *hint; } mistake;
static const mistake mistakes[] = {
  {BACKWARD("write", "dx[i] = -" RIGHT), false, "each entry has the other sign"},
  {BACKWARD("write", "dx[i] = 0.5 * " RIGHT), false, "each entry is 0.5 times what it must be"},
  {BACKWARD("write", "dx[i] = " RIGHT " / f32(c)"), false, "each entry is 0.2 times what it must be, as 1 / c is"},
  {BACKWARD("write", "dx[i] = 2.0 * dy[i] * x[i] * w[i / c]"), false, "each entry lacks the factor a[i]"},
  {BACKWARD("write", "dx[i] = 2.0 * a[i] * x[i] * w[i / c]"), false, "each entry lacks the factor grad_y[i]"},
  {BACKWARD("write", "dx[i] = 2.0 * dy[i] * a[i] * x[i]"), false, "each entry lacks the factor w[row]"},
  {BACKWARD("write", "dx[i] = " RIGHT " * a[i]"), false, "each entry has the factor a[i] too many"},
  {BACKWARD("write", "dx[i] = " RIGHT " * f32(1 + (i / c))"), false, "whole rows are off by a factor each"},
  {BACKWARD("write", "dx[i] = " RIGHT " * f32(1 + (i % c))"), false, "whole columns are off by a factor each"},
  {BACKWARD("write", "dx[(i + r * c - 1) % (r * c)] = " RIGHT), false, "each entry is what the next one must be"},
  {BACKWARD("write", "dx[(i % c) * r + i / c] = " RIGHT), false, "it is transposed"},
  {BACKWARD("write", "let j = (i + c) % (r * c) dx[i] = 2.0 * dy[j] * a[i] * x[i] * w[i / c]"), false, ""}, /* the wrong sample */
  {BACKWARD("write", "if i % 3 != 0 { dx[i] = " RIGHT " }"), false, "the wrong entries were never written"},
  {BACKWARD("read_write", "dx[i] += " RIGHT), true, "added to what stands there on entry, which nothing zeroes"},
  {BACKWARD("read_write", "if i % 4 == 0 { dx[i] += " RIGHT " } else { dx[i] = " RIGHT " }"), false, ""},
  {BACKWARD("write", "dx[i] = 0.0"), false, ""},
};

START_TEST(a_mistake) {
  const mistake *m = &mistakes[_i];
  pairing p = {.forward = FORWARD, .backward = {m->backward}, .map = {"dy=grad_y", "dx=grad_x"}, .overwrite = m->overwrite};
  kg_verdict *verdict = audit(&p, NULL);
  kg_verdict_info info = kg_verdict_summary(verdict);
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert_msg(info.outcome == KG_OUTCOME_FAILED, "%d: %s", _i, kg_outcome_name(info.outcome));
  ck_assert_msg(g.outcome == KG_OUTCOME_FAILED && g.failed, "%d", _i);
  ck_assert_msg(*m->hint ? strstr(g.hint, m->hint) != NULL : !*g.hint, "%d: the hint is: %s", _i, g.hint);
  kg_verdict_free(verdict);
}
END_TEST

/* What the mask leaves out has no gradient. */
START_TEST(a_mask) {
  static const char forward[] = "program p { workgroup 8 grid invocations 20 buffer x : f32[20] read buffer m : u32[20] read in 0 .. 2\n"
                                "buffer y : f32[20] write let i = global_id.x if i < 20 { y[i] = exp(x[i]) * f32(m[i]) } }";
  static const char backward[] = "program b { workgroup 8 grid invocations 20 buffer y : f32[20] read buffer x : f32[20] read\n"
                                 "buffer dy : f32[20] read buffer dx : f32[20] write\n"
                                 "let i = global_id.x if i < 20 { dx[i] = dy[i] * exp(x[i]) } }";
  pairing p = {.forward = forward, .backward = {backward}, .map = {"dy=grad_y", "dx=grad_x"}};
  kg_verdict *verdict = audit(&p, NULL);
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert_int_eq(g.outcome, KG_OUTCOME_FAILED);
  ck_assert_str_eq(g.hint, "each entry lacks the factor m[i]");
  kg_verdict_free(verdict);
}
END_TEST

/* relu and a maximum of two, at ties. What is no derivative from any side is just wrong there. */
START_TEST(a_kink) {
  static const char forward[] = "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write\n"
                                "let i = global_id.x y[i] = max(x[i], 0.0) }";
#define RELU(at_zero) "program b { workgroup 4 grid 1 buffer x : f32[4] read buffer dy : f32[4] read buffer dx : f32[4] write\n" \
                      "let i = global_id.x dx[i] = dy[i] * select(x[i] > 0.0, 1.0, select(x[i] < 0.0, 0.0, " at_zero ")) }"
  static const char *const backward[] = {RELU("0.0"), RELU("1.0"), RELU("0.25"), RELU("1.5"), RELU("-1.0")};
  const float x[] = {0, 1, -1, 2};
  const void *data[] = {x, NULL};
  for (int k = 0; k < 5; k++) {
    pairing p = {.forward = forward, .backward = {backward[k]}, .map = {"dy=grad_y", "dx=grad_x"}};
    kg_verdict *verdict = audit(&p, &(kg_verify_params){.data = data});
    kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
    ck_assert_uint_eq(g.failed, 1);
    ck_assert_msg((strstr(g.hint, "at a tie or a kink") != NULL) == (k < 3), "%d: %s", k, g.hint);
    kg_verdict_free(verdict);
  }
}
END_TEST

/* Where the inputs are zero, their zeros explain nothing. */
START_TEST(no_pattern_by_chance) {
  static const char forward[] = "program p { workgroup 8 grid invocations 20 buffer x : f32[20] read buffer y : f32[20] write\n"
                                "let i = global_id.x if i < 20 { y[i] = 3.0 * x[i] } }";
  static const char backward[] = "program b { workgroup 8 grid invocations 20 buffer dy : f32[20] read buffer dx : f32[20] write\n"
                                 "let i = global_id.x if i < 20 { dx[i] = 0.0 * dy[i] } }";
  const float x[20] = {0};
  const void *data[] = {x, NULL};
  pairing p = {.forward = forward, .backward = {backward}, .map = {"dy=grad_y", "dx=grad_x"}};
  kg_verdict *verdict = audit(&p, &(kg_verify_params){.data = data});
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert(g.outcome == KG_OUTCOME_FAILED && g.lost);
  ck_assert_str_eq(g.hint, "");
  kg_verdict_free(verdict);
}
END_TEST

/* ---- what is right ---- */

static void is_right(const pairing *p, const char *name, bool added) {
  kg_verdict *verdict = audit(p, NULL);
  kg_verdict_info info = kg_verdict_summary(verdict);
  ck_assert_msg(info.outcome == KG_OUTCOME_PASSED, "%s: %s", name, info.reason);
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert_msg(g.added == added && !g.unwritten && !*g.hint, "%s", name);
  kg_verdict_free(verdict);
}

/* What forward leaves is what the backward finds; what it stores to there stays its own; a gradient may be added to what stands there,
 * or stored; one buffer may be cotangent and gradient. */
#define IN_PLACE "program p { workgroup 8 grid invocations 20 buffer x : f32[20] read_write\n" \
                 "let i = global_id.x if i < 20 { x[i] = tanh(x[i]) } }"
#define SAVES "program p { workgroup 8 grid invocations 20 buffer x : f32[20] read buffer e : f32[20] write buffer y : f32[20] write\n" \
              "let i = global_id.x if i < 20 { let v = exp(x[i]) e[i] = v y[i] = v * v } }"
#define OF_20(buffers, body) "program b { workgroup 8 grid invocations 20 " buffers " let i = global_id.x if i < 20 { " body " } }"
static const pairing right[] = {
  {FORWARD, {BACKWARD("write", "dx[i] = " RIGHT)}, {"dy=grad_y", "dx=grad_x"}, false, false},
  {FORWARD, {BACKWARD("write", "dx[i] = " RIGHT)}, {"dy=grad_y", "dx=grad_x"}, true, false},
  {FORWARD, {BACKWARD("read_write", "dx[i] = " RIGHT)}, {"dy=grad_y", "dx=grad_x"}, false, false},
  {FORWARD, {BACKWARD("read_write", "dx[i] += " RIGHT)}, {"dy=grad_y", "dx=grad_x"}, false, false},
  {SAVES, {OF_20("buffer saved : f32[20] read buffer dy : f32[20] read buffer dx : f32[20] write",
                 "dx[i] = 2.0 * dy[i] * saved[i] * saved[i]")}, {"dy=grad_y", "dx=grad_x", "saved=e"}, false, false},
  {SAVES, {OF_20("buffer e : f32[20] read_write buffer grad_y : f32[20] read buffer grad_x : f32[20] write",
                 "e[i] = e[i] * e[i] grad_x[i] = 2.0 * grad_y[i] * e[i]")}, {NULL}, false, false},
  {IN_PLACE, {OF_20("buffer x : f32[20] read buffer g : f32[20] read_write", "g[i] *= 1.0 - x[i] * x[i]")}, {"g=grad_x"}, false, false},
  {IN_PLACE, {OF_20("buffer x : f32[20] read buffer dy : f32[20] read buffer dx : f32[20] write", "dx[i] = dy[i] * (1.0 - x[i] * x[i])")},
   {"dy=grad_x", "dx=grad_x"}, false, false},
  {IN_PLACE, {OF_20("buffer x : f32[20] read_write buffer g : f32[20] read_write", "x[i] = tanh(x[i]) g[i] *= 1.0 - x[i] * x[i]")},
   {"g=grad_x"}, false, true},
  /* what one leaves in a scratch, the next one finds; what it stores to a gradient it may read */
  {SAVES, {OF_20("buffer e : f32[20] read buffer t : f32[20] write", "t[i] = 2.0 * e[i] * e[i]"),
           OF_20("buffer t : f32[20] read buffer dy : f32[20] read buffer dx : f32[20] write", "dx[i] = dy[i] * t[i]")},
   {"dy=grad_y", "dx=grad_x"}, false, false},
  /* a param whose name and sign differ */
  {"program p { workgroup 8 grid invocations n param n : u32 = 20 param k : f32 = 1.5 buffer x : f32[n] read buffer y : f32[n] write\n"
   "let i = global_id.x if i < n { y[i] = k * x[i] } }",
   {"program b { workgroup 8 grid invocations count param count : i32 param k : f32 buffer dy : f32[count] read buffer dx : f32[count] write\n"
    "let i = global_id.x if i < u32(count) { dx[i] = k * dy[i] } }"}, {"dy=grad_y", "dx=grad_x", "count=n"}, false, false},
};

START_TEST(a_right_one) {
  char name[24];
  snprintf(name, sizeof name, "%d", _i);
  is_right(&right[_i], name, _i == 3);
}
END_TEST

/* Formulas that do not go through what the forward has rounded are right as well, whatever the data; one that is off by a millionth is
 * not. Closed forms: (v (1 - v))' = 1 - 2 v, (v^3)' = 3 v^2, and so on. */
typedef struct formula { const char *y, *gx; bool right; } formula;
static const formula formulas[] = {
  {"v * (1.0 - v)", "g * (1.0 - 2.0 * v)", true},
  {"v * v * v", "3.0 * v * v * g", true},
  {"((v + 2.0) * v + 3.0) * v", "((3.0 * v + 4.0) * v + 3.0) * g", true},
  {"(v + 1.0 - 1.0) * v", "2.0 * v * g", true}, /* the forward loses digits, the backward does not */
  {"sin(v) * cos(v)", "cos(2.0 * v) * g", true},
  {"exp(v) * exp(v)", "2.0 * exp(2.0 * v) * g", true},
  {"v / (1.0 + v * v)", "(1.0 - v * v) / ((1.0 + v * v) * (1.0 + v * v)) * g", true},
  {"v * (1.0 - v)", "-g * (1.0 - 2.0 * v)", false},
  /* rounded on purpose: without rounding, v - q would be 0 */
  {"(v - (v + 12582912.0 - 12582912.0)) * (v - (v + 12582912.0 - 12582912.0)) * v + (v + 12582912.0 - 12582912.0)", "g", false},
  {"(16777216.0 + f32(i) - 16777216.0) * v", "f32(i) * g", false}, /* odd numbers are lost */
  {"v * (1.0 - v)", "1.001 * g * (1.0 - 2.0 * v)", false},
  {"v * (1.0 - v)", "1.000001 * g * (1.0 - 2.0 * v)", false},
  {"v * (1.0 - v)", "g * (1.0 - v)", false},
  {"v * v * v", "3.0 * v * v * g * 1.000001", false},
  {"v * v * v", "2.0 * v * v * g", false},
  {"v * v * v", "3.0 * v * x[max(i, 1) - 1] * g", false},
  {"v * v * v", "3.0 * v * v * g + 0.000001", false},
  {"((v + 2.0) * v + 3.0) * v", "((3.0 * v + 4.0) * v + 3.000001) * g", false},
  {"((v + 2.0) * v + 3.0) * v", "(3.0 * v * v + 4.0 * v) * g", false},
};

START_TEST(a_formula) {
  const formula *f = &formulas[_i];
  char forward[600], backward[600];
  snprintf(forward, sizeof forward, "program p { workgroup 64 grid invocations 2000 buffer x : f32[2000] read buffer y : f32[2000] write\n"
           "let i = global_id.x if i < 2000 { let v = x[i] y[i] = %s } }", f->y);
  snprintf(backward, sizeof backward, "program b { workgroup 64 grid invocations 2000 buffer x : f32[2000] read buffer dy : f32[2000] read\n"
           "buffer dx : f32[2000] write let i = global_id.x if i < 2000 { let v = x[i] let g = dy[i] dx[i] = %s } }", f->gx);
  pairing p = {.forward = forward, .backward = {backward}, .map = {"dy=grad_y", "dx=grad_x"}};
  for (uint64_t seed = 1; seed <= 6; seed++) {
    kg_verdict *verdict = audit(&p, &(kg_verify_params){.seed = seed});
    kg_verdict_info info = kg_verdict_summary(verdict);
    ck_assert_msg(info.outcome == (f->right ? KG_OUTCOME_PASSED : KG_OUTCOME_FAILED), "%s by %s, seed %d: %s: %s", f->y, f->gx, (int)seed,
                  kg_outcome_name(info.outcome), info.reason);
    kg_verdict_free(verdict);
  }
}
END_TEST

/* No number is right nowhere, however it comes about. */
START_TEST(no_number) {
  static const char *const none[] = {"nan", "inf", "dy[i] * 1.0e30 * 1.0e30", "dy[i] * sqrt(-1.0 - x[i] * x[i])", "dy[i] / (x[i] - x[i]) * (x[i] - x[i])"};
  char backward[400];
  for (int k = 0; k < 5; k++) {
    snprintf(backward, sizeof backward, "program b { workgroup 8 grid invocations 20 buffer x : f32[20] read buffer dy : f32[20] read\n"
             "buffer dx : f32[20] write let i = global_id.x if i < 20 { dx[i] = %s } }", none[k]);
    pairing p = {.forward = SAVES, .backward = {backward}, .map = {"dy=grad_y", "dx=grad_x"}};
    kg_verdict *verdict = audit(&p, NULL);
    kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
    ck_assert_msg(g.outcome == KG_OUTCOME_FAILED && g.failed == 20, "%s: %s, %d", none[k], kg_outcome_name(g.outcome), (int)g.failed);
    kg_verdict_free(verdict);
  }
}
END_TEST

/* An entry says what stood in the input, and that nobody wrote it. */
START_TEST(an_entry) {
  float x[20], a[20], w[4];
  for (int i = 0; i < 20; i++) x[i] = (float)(i + 1), a[i] = 0.5f;
  for (int i = 0; i < 4; i++) w[i] = 1;
  const void *data[] = {a, x, w, NULL};
  pairing p = {.forward = FORWARD, .backward = {BACKWARD("write", "if i != 7 { dx[i] = " RIGHT " }")}, .map = {"dy=grad_y", "dx=grad_x"}};
  kg_verdict *verdict = audit(&p, &(kg_verify_params){.data = data});
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert_uint_eq(g.failed, 1);
  ck_assert_uint_eq(g.unwritten, 1);
  ck_assert_uint_eq(g.worst.index, 7);
  kg_verdict_entry e = kg_verdict_at(verdict, 0, 0, 7), other = kg_verdict_at(verdict, 0, 0, 8);
  ck_assert(e.unwritten && e.input == 8 && e.outcome == KG_OUTCOME_FAILED);
  ck_assert(!other.unwritten && other.input == 9 && other.outcome == KG_OUTCOME_PASSED);
  kg_verdict_free(verdict);
}
END_TEST

/* ---- names that do not fit ---- */

#define OPEN "program b { workgroup 8 grid invocations 20 buffer dy : f32[20] read buffer dx : f32[20] write "
#define SCALE "let i = global_id.x if i < 20 { dx[i] = dy[i] } }"
typedef struct hostile { pairing p; const char *id; } hostile;
static const hostile hostiles[] = {
  {{SAVES, {OPEN SCALE}, {"dy=grad_y", "dx=grad_x", "dz=grad_x"}, false, false}, "audit-no-name"},
  {{SAVES, {OPEN SCALE}, {"nobody:dy=grad_y", "dx=grad_x"}, false, false}, "audit-no-file"},
  {{SAVES, {OPEN SCALE}, {"dy=grad_y", "dx=grad_x", "dy=grad_e"}, false, false}, "audit-twice"},
  {{SAVES, {OPEN SCALE}, {"dy=grad_z", "dx=grad_x"}, false, false}, "audit-no-meaning"},
  {{SAVES, {OPEN "param n : u32 = 3 " SCALE}, {"dy=grad_y", "dx=grad_x", "n=m"}, false, false}, "audit-no-param"},
  {{SAVES, {"program b { workgroup 8 grid invocations 20 buffer dy : f64[20] read buffer dx : f32[20] write\n"
            "let i = global_id.x if i < 20 { dx[i] = f32(dy[i]) } }"}, {"dy=grad_y", "dx=grad_x"}, false, false}, "audit-type"},
  {{SAVES, {OPEN SCALE}, {"dy=grad_y", "dx=grad_y"}, false, false}, "audit-no-gradient"},
  {{SAVES, {OPEN SCALE}, {"dy=e", "dx=grad_y"}, false, false}, "audit-not-input"},
  {{SAVES, {OPEN SCALE}, {"dy=grad_x", "dx=y"}, false, false}, "audit-not-output"},
  {{SAVES, {OPEN SCALE}, {"dy=e", "dx=grad_x"}, false, false}, "audit-no-cotangent"},
  {{SAVES, {OPEN SCALE}, {"dy=grad_y"}, false, false}, "audit-no-gradient"},
  {{SAVES, {OPEN SCALE}, {"dx=grad_x"}, false, false}, "audit-no-cotangent"},
  {{SAVES, {OPEN "buffer mean : f32[20] read " SCALE}, {"dy=grad_y", "dx=grad_x"}, false, false}, "audit-unknown-contents"},
  {{SAVES, {"program b { workgroup 8 grid invocations 20 buffer dy : f32[20] read buffer dx : f32[20] write buffer s : f32[] write\n"
            "let i = global_id.x if i < 20 { dx[i] = dy[i] s[i] = dy[i] } }"}, {"dy=grad_y", "dx=grad_x"}, false, false}, "audit-open-length"},
  {{SAVES, {"program b { workgroup 8 grid invocations 20 buffer dy : f32[20] read view(set 0, binding 0, offset 0, stride 8) buffer dx : f32[20] write\n"
            "let i = global_id.x if i < 20 { dx[i] = dy[i] } }"}, {"dy=grad_y", "dx=grad_x"}, false, false}, "audit-view"},
};

START_TEST(names_that_do_not_fit) {
  kg_pair *pair = NULL;
  char id[40] = "";
  ck_assert_int_eq(pair_up(&hostiles[_i].p, id, &pair), KG_INVALID);
  ck_assert_str_eq(id, hostiles[_i].id);
  ck_assert_ptr_null(pair);
}
END_TEST

/* A size in a param, and arrays that are longer: what is behind it nobody writes, and why is said. */
START_TEST(an_open_length) {
  pairing p = {.forward = "program p { workgroup 64 grid 1 param n : u32 = 50 buffer x : f32[] read buffer y : f32[] write\n"
                          "let i = global_id.x if i < n { y[i] = x[i] * x[i] } }",
               .backward = {"program b { workgroup 64 grid 1 param n : u32 = 50 buffer x : f32[] read buffer dy : f32[] read\n"
                            "buffer dx : f32[] write let i = global_id.x if i < n { dx[i] = 2.0 * x[i] * dy[i] } }"},
               .map = {"dy=grad_y", "dx=grad_x"}};
  kg_host host = {.param = (uint64_t[]){50}, .param_given = (bool[]){true}, .length = (uint64_t[]){50, 50}, .length_given = (bool[]){true, true}};
  kg_verdict *open = audit(&p, NULL), *given = audit(&p, &(kg_verify_params){.host = &host});
  kg_verdict_gradient g = kg_verdict_of(open, 0, 0);
  ck_assert(g.outcome == KG_OUTCOME_FAILED && g.unwritten == 50);
  ck_assert_msg(strstr(g.hint, "x has 100 elements here") != NULL, "%s", g.hint);
  ck_assert_int_eq(kg_verdict_summary(given).outcome, KG_OUTCOME_PASSED);
  kg_verdict_free(open);
  kg_verdict_free(given);
}
END_TEST

/* Lengths are the forward's. A backward that declares fewer elements leaves the others alone, and more there are not. */
#define OF_LENGTH(n) "program b { workgroup 8 grid invocations " n " buffer dy : f32[" n "] read buffer dx : f32[" n "] write\n" \
                     "let i = global_id.x if i < " n " { dx[i] = 2.0 * dy[i] } }"
#define DOUBLES "program p { workgroup 8 grid invocations 20 buffer x : f32[20] read buffer y : f32[20] write\n" \
                "let i = global_id.x if i < 20 { y[i] = 2.0 * x[i] } }"
START_TEST(lengths_that_differ) {
  pairing fewer = {.forward = DOUBLES, .backward = {OF_LENGTH("12")}, .map = {"dy=grad_y", "dx=grad_x"}};
  kg_verdict *verdict = audit(&fewer, NULL);
  kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
  ck_assert_int_eq(g.outcome, KG_OUTCOME_FAILED);
  ck_assert_uint_eq(g.failed, 8);
  ck_assert_uint_eq(g.unwritten, 8);
  kg_verdict_free(verdict);
  pairing more = {.forward = DOUBLES, .backward = {OF_LENGTH("30")}, .map = {"dy=grad_y", "dx=grad_x"}};
  kg_pair *pair = NULL;
  char id[40] = "";
  ck_assert_int_eq(pair_up(&more, id, &pair), KG_OK);
  ck_assert_int_eq(kg_audit(pair, NULL, &(kg_sink){keep_id, id}, &verdict), KG_INVALID);
  ck_assert_str_eq(id, "bound-too-short");
  kg_pair_free(pair);
}
END_TEST

/* A grid of the file's own. */
START_TEST(a_param_of_its_own) {
  kg_module *forward = parse("program p { workgroup 4 grid g param g : u32 = 5 buffer x : f32[20] read buffer y : f32[20] write\n"
                             "let i = global_id.x y[i] = 3.0 * x[i] }");
  kg_module *backward = parse("program b { workgroup 2 grid g param g : u32 buffer dy : f32[20] read buffer dx : f32[20] write\n"
                              "let i = global_id.x dx[i] = 3.0 * dy[i] }");
  const kg_module *list[] = {backward};
  const kg_pair_name map[] = {{.name = "dy", .means = "grad_y"}, {.name = "dx", .means = "grad_x"}}, own[] = {{"b", "g", NULL}};
  for (int owned = 0; owned < 2; owned++) {
    kg_pair_params params = {.backward = list, .file = (const char *const[]){"b"}, .backward_count = 1, .map = map, .map_count = 2,
                             .own = own, .own_count = (size_t)owned};
    kg_pair *pair = NULL;
    kg_verdict *verdict = NULL;
    ck_assert_int_eq(kg_pair_new(forward, &params, NULL, &pair), KG_OK);
    ck_assert_uint_eq(kg_module_param_count(kg_pair_kernel(pair)), 1 + owned);
    ck_assert_int_eq(kg_module_find_param(kg_pair_kernel(pair), "b:g") != UINT32_MAX, owned);
    kg_host host = {.param = (uint64_t[]){5, 10}, .param_given = (bool[]){true, true}, .length = (uint64_t[]){0, 0},
                    .length_given = (bool[]){false, false}};
    ck_assert_int_eq(kg_audit(pair, &(kg_verify_params){.host = &host}, NULL, &verdict), KG_OK);
    kg_verdict_gradient g = kg_verdict_of(verdict, 0, 0);
    ck_assert_int_eq(g.outcome, owned ? KG_OUTCOME_PASSED : KG_OUTCOME_FAILED);
    ck_assert_uint_eq(g.unwritten, owned ? 0 : 10);
    kg_verdict_free(verdict);
    kg_pair_free(pair);
  }
  kg_module_free(forward);
  kg_module_free(backward);
}
END_TEST

/* ---- memory ---- */

static kg_status attempt(const kg_allocator *alloc, void *user) {
  kg_module *forward = parse(SAVES), *backward = parse(user);
  const kg_module *list[] = {backward};
  kg_pair *pair = NULL;
  kg_verdict *verdict = NULL;
  kg_pair_params params = {.backward = list, .backward_count = 1, .alloc = alloc};
  kg_status status = kg_pair_new(forward, &params, NULL, &pair);
  if (status == KG_OK) status = kg_audit(pair, &(kg_verify_params){.alloc = alloc, .entries = 2, .directions = 1}, NULL, &verdict);
  if (status == KG_OK) ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  kg_verdict_free(verdict);
  kg_pair_free(pair);
  kg_module_free(forward);
  kg_module_free(backward);
  return status;
}

START_TEST(memory) {
  static char backward[] = OF_20("buffer e : f32[20] read buffer grad_y : f32[20] read buffer grad_x : f32[20] read_write",
                                 "grad_x[i] += 2.0 * grad_y[i] * e[i] * e[i]");
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, backward), 50);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(a_mistake, mistakes, hint), KGT(a_mask), KGT(a_kink), KGT(no_pattern_by_chance), KGT_TABLE(a_right_one, right, forward), KGT_TABLE(a_formula, formulas, y),
                            KGT(no_number), KGT(an_entry),
                            KGT_TABLE(names_that_do_not_fit, hostiles, id), KGT(an_open_length), KGT(lengths_that_differ), KGT(a_param_of_its_own), KGT(memory)};
  return kgt_run("verify/audit", tests, KGT_COUNT(tests));
}
