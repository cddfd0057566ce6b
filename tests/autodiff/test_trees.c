/* Sums over a workgroup in shared memory: however they are written, what they add goes back in one step where that is the derivative, and
 * only there. Duals judge each, and the runs watch for races. */
#include "tests/autodiff/autodiff_case.h"

#define P(consts, group, shared, body) \
  "program p { " consts " workgroup " group " grid 3 param m : u32 = 4 buffer x : f32[96] read buffer w : f32[96] read\n" \
  "buffer y : f32[96] write shared t : f32[" shared "]\n" \
  "let l = local_id.x let at = workgroup_id.x * 8 + local_index\n" body " }"
#define EIGHT(body) P("", "8", "8", body)
#define HALVES "barrier for k in 0 .. 3 { let half = 8 >> (k + 1) if l < half { t[l] += t[l + half] } barrier }\n"
#define T_HALVES "barrier for k in 0 .. LOG_T { let half = T >> (k + 1) if l < half { t[l] += t[l + half] } barrier }\n"
#define TWO(type, body) P("", "8", "8] shared u : " type "[8", body)
#define BOTH(before, behind) \
  "barrier for k in 0 .. 3 { let half = 8 >> (k + 1) if l < half { " before " t[l] += t[l + half] " behind " } barrier }\n"
#define FILL "t[l] = sin(x[at])\n"
#define ALL_LOOK "y[at] = t[0] * w[at] * t[0]"

typedef struct shape { const char *name; int steps; const char *text; } shape; /* how many of its objects have sums that go back at once */
static const shape shapes[] = {
  /* however it is written */
  {"halves", 1, EIGHT(FILL HALVES ALL_LOOK)},
  {"halves of constants", 1, P("const T = 8 const LOG_T = 3", "T", "T", FILL T_HALVES ALL_LOOK)},
  {"one looks", 1, EIGHT(FILL HALVES "if l == 0 { y[workgroup_id.x] = t[0] * t[0] }")},
  {"some look, some often", 1, EIGHT(FILL HALVES "for j in 0 .. l { if j != 3 { y[at] = t[0] * w[j] + f32(j) } }")},
  {"neighbours first", 1, EIGHT(FILL "barrier for k in 0 .. 3 { let s = u32(1) << k if l % (2 * s) == 0 { t[l] += t[l + s] } barrier }\n" ALL_LOOK)},
  {"neighbours first, packed", 1, EIGHT(FILL "barrier for k in 0 .. 3 { let s = u32(1) << k let i = 2 * s * l if i < 8 { t[i] = t[i + s] + t[i] } barrier }\n"
    ALL_LOOK)},
  {"towards the end", 1, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[7 - l] += t[7 - l - h] } barrier }\n"
    "y[at] = t[7] * w[at] * t[7]")},
  {"with the barrier first", 1, EIGHT(FILL "for k in 0 .. 3 { barrier let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] } } barrier\n" ALL_LOOK)},
  {"levels down", 1, EIGHT(FILL "barrier for k in 0 .. 3 reversed { let h = u32(1) << k if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"of signed numbers", 1, EIGHT(FILL "barrier for k in 1 .. 4 { let h = 8 / (i32(1) << k) if i32(l) < h { t[i32(l)] += t[i32(l) + h] } barrier }\n"
    ALL_LOOK)},
  {"one adds up all", 1, EIGHT(FILL "barrier for k in 1 .. 8 { if l == 0 { t[0] += t[k] } barrier }\n" ALL_LOOK)},
  {"of any size", 1, P("", "6", "6", FILL "barrier for k in 0 .. 3 reversed { let h = u32(1) << k if l < h && l + h < 6 { t[l] += t[l + h] } barrier }\n"
    ALL_LOOK)},
  {"in both branches", 1, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if k == 1 { if l < h { t[l] += t[l + h] } }\n"
    "else { if l < h { t[l] += t[l + h] } } barrier }\n" ALL_LOOK)},
  {"of two dimensions", 1, P("", "4, 2", "8", "let i = local_index t[i] = sin(x[at])\n"
    "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if i < h { t[i] += t[i + h] } barrier }\n" ALL_LOOK)},
  {"of two dimensions, one looks", 1, P("", "4, 2", "8", "let i = local_index t[i] = sin(x[at])\n"
    "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if i < h { t[i] += t[i + h] } barrier }\n"
    "if i == 5 { y[workgroup_id.x] = t[0] * t[0] }")},
  {"turned round as it is filled", 1, EIGHT("t[7 - l] = sin(x[at])\n" HALVES ALL_LOOK)},
  {"twice, one after the other", 1, EIGHT(FILL HALVES "let a = t[0] barrier t[l] = a * x[at] * w[at]\n" HALVES ALL_LOOK)},
  {"twice, turned round in between", 1, EIGHT(FILL HALVES "let a = t[0] barrier t[7 - l] = a * x[at] * w[at]\n" HALVES ALL_LOOK)},
  {"turned round right behind the look", 1, EIGHT(FILL HALVES "y[at] = t[0] * t[0] barrier t[7 - l] = x[at] * w[at] barrier y[at + 24] = t[l]")},
  {"behind a maximum", 1, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] = max(t[l], t[l + h]) } barrier }\n"
    "let top = t[0] barrier t[l] = exp(x[at] - top)\n" HALVES "y[at] = exp(x[at] - top) / t[0]")},
  {"before a maximum", 1, EIGHT(FILL HALVES "let a = t[0] barrier t[l] = a * x[at]\n"
    "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] = max(t[l], t[l + h]) } barrier } y[at] = t[0] * x[at]")},
  {"in rows", 1, EIGHT("for r in 0 .. m { t[l] = sin(x[at + r * 24])\n" HALVES "y[at + r * 24] = t[0] * w[at] * t[0] barrier }")},
  {"two in one loop", 2, TWO("f32", FILL "u[l] = x[at] * x[at]\n" BOTH("", "u[l] += u[l + half]") "y[at] = t[0] * w[at] * u[0]")},
  {"two in one loop, the other way round", 2, TWO("f32", FILL "u[l] = x[at] * w[at]\n" BOTH("u[7 - l] += u[7 - l - half]", "")
   "if l == 0 { y[workgroup_id.x] = t[0] * u[7] }")},
  {"two in one loop, of constants", 2, P("const T = 8 const LOG_T = 3", "T", "T] shared u : f32[T", FILL "u[l] = t[l] * x[at]\n"
    "barrier for k in 0 .. LOG_T { let half = T >> (k + 1) if l < half { t[l] += t[l + half] u[l] += u[l + half] } barrier }\n"
    "y[at] = t[0] * w[at] * u[0]")},
  {"beside a count", 1, TWO("u32", FILL "u[l] = select(x[at] > 0.5, 1, 0)\n" BOTH("", "u[l] += u[l + half]") "y[at] = t[0] * w[at] / f32(u[0] + 1)")},
  {"two, of which one looks at the other", 0, TWO("f32", FILL "u[l] = x[at] * x[at]\n" BOTH("", "u[l] += t[l + half]")
   "y[at] = t[0] * w[at] * u[0]")},
  {"two, of which one is no sum of all", 0, TWO("f32", FILL "u[l] = x[at] * x[at]\n" BOTH("", "if k != 1 { u[l] += u[l + half] }")
   "y[at] = t[0] * w[at] * u[0]")},
  {"two, of which one is a maximum", 0, TWO("f32", FILL "u[l] = x[at] * x[at]\n" BOTH("", "u[l] = max(u[l], u[l + half])")
   "y[at] = t[0] * w[at] * u[0]")},
  {"under a branch", 1, EIGHT("if m > 2 { " FILL HALVES "y[at] = t[0] * x[at] }")},
  {"of doubles", 1, "program p { workgroup 8 grid 3 buffer x : f64[24] read buffer y : f64[24] write shared t : f64[8]\n"
    "let l = local_id.x let at = global_id.x t[l] = x[at] * x[at]\n" HALVES "y[at] = t[0] * x[at] }"},
  {"two objects", 2, "program p { workgroup 8 grid 3 buffer x : f32[24] read buffer y : f32[24] write shared t : f32[8] shared u : f32[8]\n"
    "let l = local_id.x let at = global_id.x t[l] = x[at] * x[at] u[l] = sin(x[at])\n"
    HALVES "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { u[l] += u[l + h] } barrier } y[at] = t[0] * x[at] / (3.0 + u[0]) }"},
  {"the first one looks at it before all do", 1, EIGHT(FILL HALVES "if l == 0 { y[at + 24] = t[0] * t[0] } barrier y[at] = t[0] * x[at]")},
  {"a load of the own element in between", 1, EIGHT(FILL "barrier let o = t[l] * t[l] let n = t[7 - l] barrier for k in 0 .. 3 { let half = 8 >> (k + 1)\n"
    "if l < half { t[l] += t[l + half] } barrier } y[at] = t[0] * o * n")},
  {"a neighbour looked at right before", 1, EIGHT(FILL "barrier let n = t[7 - l] * x[at] for k in 0 .. 3 { barrier let h = 8 >> (k + 1)\n"
    "if l < h { t[l] += t[l + h] } } barrier y[at] = t[0] * n")},
  {"of numbers with 64 bits", 1, EIGHT(FILL "barrier for k in u64(1) .. 8 { if l == 0 { t[0] += t[k] } barrier }\n" ALL_LOOK)},
  {"at the edge of 32 bits", 1, P("const A : i32 = 0", "8", "8", FILL "barrier for k in A - 2147483647 - 1 .. A - 2147483647 + 6 {\n"
    "if l == 0 { t[0] += t[k + 2147483647 + 2] } barrier }\n" ALL_LOOK)},
  {"in a checkpoint", 1, EIGHT("var s = 0.3 for r in 0 .. m { region checkpoint a { t[l] = sin(x[at + r * 24] * s)\n" HALVES
    "s = t[0] * s barrier } } y[at] = s")},
  {"left early behind it", 1, EIGHT("for r in 0 .. m { t[l] = sin(x[at + r * 24])\n" HALVES
    "let s = t[0] y[at + r * 24] = s * s barrier if s > 0.5 { break } } y[at + 72] = t[0] * x[at]")},
  /* what is no such sum, or cannot be told to be */
  {"a range that is empty without a sign", 0, P("const A : u64 = 0", "8", "8", FILL "barrier for k in A - 1 .. 8 {\n"
    "if l == 0 && k < 8 && k > 0 { t[0] += t[k] } barrier }\n" ALL_LOOK)},
  {"a step as long as numbers go", 0, P("const A : u64 = 0", "8", "8", FILL "barrier for k in A + 1 .. 8 step 9223372036854775807 {\n"
    "if l == 0 { t[0] += t[k] } barrier }\n" ALL_LOOK)},
  {"a condition on floats", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = u32(exp2(f32(2 - i32(k))))\n"
    "if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"a constant float", 0, P("const Z = 0.0", "8", "8", FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1)\n"
    "if l < h && 1.0 / Z > 0.0 { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"left before it is filled again", 0, EIGHT("for r in 0 .. m { t[l] = sin(x[at + r * 24])\n" HALVES
    "y[at + r * 24] = t[0] * t[0] barrier if r == m - 2 { break } t[l] = w[at] barrier y[at + r * 24] = t[7 - l] * x[at] barrier }\n"
    "y[at + 72] = t[l ^ 1] * t[0]")},
  {"some return before it is filled again", 0, EIGHT(FILL HALVES "y[at + 24] = t[0] * t[0] barrier if l >= 4 { return }\n"
    "t[l] = w[at] * x[at] y[at] = t[l + 4] * x[at] * t[l]")},
  {"in rows, looked at in the next and behind all", 0, EIGHT("var c = 0.5 t[l] = 0.25 barrier\n" "for r in 0 .. m { c += t[0] * w[r] barrier\n"
    "t[l] = sin(x[at + r * 24]) * c\n" HALVES "} y[at] = t[0] * w[at] + c")},
  {"another element is looked at", 0, EIGHT(FILL HALVES "y[at] = t[0] * w[at] * t[1]")},
  {"two roots", 0, EIGHT(FILL "barrier for k in 0 .. 2 { let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] } barrier } y[at] = t[0] * t[1] * w[at]")},
  {"half of it", 0, EIGHT(FILL "barrier for k in 0 .. 2 { let h = 4 >> (k + 1) if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"a level too few", 0, EIGHT(FILL "barrier for k in 0 .. 2 { let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"not a power of two", 0, P("", "6", "6", FILL "barrier for k in 0 .. 2 { let h = 6 >> (k + 1) if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"one counts twice", 0, P("", "6", "6", FILL "barrier for k in 0 .. 3 { let h = 6 >> (k + 1) if l < max(h, 1) { t[l] += t[l + max(h, 1)] } barrier }\n"
    ALL_LOOK)},
  {"itself", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] += t[l] } barrier }\n" ALL_LOOK)},
  {"products", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] *= t[l + h] } barrier }\n" ALL_LOOK)},
  {"differences", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] -= t[l + h] } barrier }\n" ALL_LOOK)},
  {"with a weight", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] += 0.5 * t[l + h] } barrier }\n" ALL_LOOK)},
  {"with something else", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] + x[at] } barrier }\n" ALL_LOOK)},
  {"and a use of the part", 0, EIGHT(FILL "var s = 0.0 barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { let o = t[l + h] s += o t[l] += o } barrier }\n"
    "y[at] = t[0] * s")},
  {"as many trips as a param says", 0, EIGHT(FILL "barrier for k in 0 .. min(m, 3) { let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"a condition on data", 0, EIGHT(FILL "barrier for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h && w[at] < 0.5 { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
  {"the root is stored to behind it", 0, EIGHT(FILL HALVES "if l == 0 { t[0] = t[0] * t[0] } barrier\n" ALL_LOOK)},
  {"filled again in part", 0, EIGHT(FILL HALVES "let a = t[0] barrier if l < 4 { t[l] = a * x[at] } barrier y[at] = t[l] * t[0]")},
  {"in rows, filled in part", 0, EIGHT("t[l] = 0.5 for r in 0 .. m { if l < 6 { t[l] = sin(x[at + r * 24]) }\n" HALVES
    "y[at + r * 24] = t[0] * w[at] * t[0] barrier }")},
  {"in rows, on top of the last", 0, EIGHT("t[l] = 0.5 for r in 0 .. m { t[l] += sin(x[at + r * 24])\n" HALVES
    "y[at + r * 24] = t[0] * w[at] * 0.01 barrier }")},
  {"filled once, summed in a branch", 0, EIGHT(FILL "barrier if m > 2 { for k in 0 .. 3 { let h = 8 >> (k + 1) if l < h { t[l] += t[l + h] } barrier } }\n" ALL_LOOK)},
  {"more elements than invocations", 0, P("", "8", "16", "t[l] = sin(x[at]) t[l + 8] = w[at]\n"
    "barrier for k in 0 .. 4 { let h = 16 >> (k + 1) if l < h { t[l] += t[l + h] } barrier }\n" ALL_LOOK)},
};

static int steps_of(const kg_grad_map *map) {
  int found = 0;
  for (size_t i = 0; i < kg_grad_map_share_count(map); i++) found += strstr(kg_grad_map_share(map, i).why, "in one step") != NULL;
  return found;
}

START_TEST(gradients) {
  const shape *r = &shapes[_i];
  for (int deterministic = 0; deterministic < 2; deterministic++) {
    adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name, .params.deterministic = deterministic};
    adt_prepare(&c, r->text, NULL);
    if (!deterministic) ck_assert_msg(steps_of(c.map) == r->steps, "%s: %d go back in one step", r->name, steps_of(c.map));
    adt_verify(&c);
    adt_free(&c);
  }
} END_TEST

/* ---- what would take too long to find out ---- */

enum { DEEP = 100000, LONG = 64 }; /* operations, characters of each */

/* Operations within one another, more than a stack has room for. */
START_TEST(deep) {
  char *text = malloc(2000 + (size_t)DEEP * LONG), *at = text;
  at += sprintf(at, "program p { workgroup 8 grid 3 buffer x : f32[24] read buffer y : f32[24] write shared t : f32[8]\n"
    "let l = local_id.x t[l] = x[global_id.x] barrier for k in 0 .. 3 { let h = 8 >> (k + 1) let a0 = l\n");
  for (int i = 1; i < DEEP; i++) at += sprintf(at, i % 2 ? "let a%d = a%d ^ k\n" : "let a%d = a%d * 3\n", i, i - 1);
  sprintf(at, "if l < h + min(a%d, 0) { t[l] += t[l + h] } barrier } y[global_id.x] = t[0] * t[0] }", DEEP - 1);
  adt_case c = {.seed = 1};
  ck_assert_int_eq(adt_differentiate(&c, text), KG_OK);
  ck_assert_int_eq(steps_of(c.map), 0);
  adt_free(&c);
  free(text);
} END_TEST

/* ---- constants that become others ---- */

static kg_module *parsed(const char *text) {
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &m), KG_OK);
  return m;
}

/* `text` with the first digit behind each `const T =` and `const LOG_T =` replaced. */
static kg_module *specialized(const kg_module *m, char t, char log) {
  char *text = NULL;
  size_t size;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  for (char *at = text; (at = strstr(at, "T = ")); at += 4)
    if (at[4] == '8' || at[4] == '3') at[4] = at[-1] == '_' ? log : t;
  kg_module *other = parsed(text);
  free(text);
  return other;
}

static const struct { const char *name; char t, log; } others[] = {{"fewer", '4', '2'}, {"no power of two", '6', '2'}, {"a level less", '8', '2'},
                                                                     {"none", '8', '0'}, {"one", '1', '1'}};
static const char *const looks[] = {ALL_LOOK, "if l == 0 { y[workgroup_id.x] = t[0] * t[0] }"};

/* The adjoint was made for others, and is right for these as well. */
START_TEST(other_constants) {
  for (int k = 0; k < 2; k++) {
    char text[1000];
    adt_case c = {.seed = (uint32_t)_i + 1, .label = others[_i].name, .may_vanish = others[_i].log == '0'};
    snprintf(text, sizeof text, "%s%s }", P("const T = 8 const LOG_T = 3", "T", "T", FILL T_HALVES), looks[k]);
    char *close = strstr(text, " }y"); /* of P, around what looks */
    if (!close) close = strstr(text, " }if");
    memmove(close, close + 2, strlen(close + 2) + 1);
    adt_case made = {.seed = 1};
    ck_assert_int_eq(adt_differentiate(&made, text), KG_OK);
    ck_assert_int_eq(steps_of(made.map), 1);
    kg_module *primal = specialized(made.primal, others[_i].t, others[_i].log), *adjoint = specialized(made.adjoint, others[_i].t, others[_i].log);
    char *shown = NULL;
    size_t size;
    ck_assert_int_eq(kg_module_print(NULL, primal, NULL, &shown, &size), KG_OK);
    adt_prepare(&c, shown, NULL);
    kg_module_free(c.adjoint);
    c.adjoint = adjoint, c.result.module = adjoint;
    adt_verify(&c);
    free(shown);
    kg_module_free(primal);
    adt_free(&c), adt_free(&made);
  }
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, shapes, name), KGT(deep), KGT_TABLE(other_constants, others, name)};
  return kgt_run("autodiff/trees", tests, KGT_COUNT(tests));
}
