/* Random kernels that go through rows several times, at the same elements or others, with sums in between: what decides whether a
 * gradient is stored or added, in which order loops run and which of them become one. Memory that nobody writes is NaN. */
#include "tests/autodiff/autodiff_case.h"

#include <stdarg.h>

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

static char text[8192];
static size_t used;
static void put(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
}

/* Most passes are alike, so that they have something to do with one another. */
static const char *any_range(void) {
  static const char *const ranges[] = {"lane .. cols step T", "lane .. cols step T reversed", "u32(0) .. cols",
                                       "lane .. cols - 1 step T", "lane + 1 .. cols step T", "u32(0) .. cols reversed"};
  return ranges[any(3) ? any(2) : any(6)];
}

static const char *any_element(void) {
  static const char *const elements[] = {"base + j", "base + (cols - 1 - j)", "base + j + 1", "j", "base", "j * rows + row",
     "base + j / 2"};
  return elements[any(4) ? 0 : any(7)];
}

static const char *any_term(void) {
  static const char *const terms[] = {"x[%s]", "x[%s] * x[%s]", "sin(x[%s])", "exp(x[%s] * 0.1)", "x[%s] * w[j]", "x[%s] * total",
                                      "(x[%s] - total) * w[j]", "exp(x[%s] * 0.1) / (1.0 + total * total)"};
  static char term[128];
  const char *element = any_element();
  snprintf(term, sizeof term, terms[any(8)], element, element);
  return term;
}

static void reduction(void) {
  put("part[lane] = sum\nbarrier\nfor k in u32(0) .. 2 { let half = T >> (k + 1) if lane < half { part[lane] += part[lane + "
     "half] } barrier }\n");
  put("total = part[0] * 0.1\n");
  if (any(4)) put("barrier\n");
  else put("memory_barrier barrier\n");
}

/* An output of its own for each pass: no element is stored by two invocations. */
static void pass(unsigned output, bool all_lanes) {
  const char *range = any_range();
  bool apart = strstr(range, "lane") != NULL || !all_lanes; /* no two lanes in one trip */
  put("for j in %s {\n", range);
  for (unsigned n = 1 + any(2); n--;) switch (any(6)) {
    case 0: put("sum = sum * 0.5 + %s\n", any_term()); break;
    case 1: put("if x[%s] > 0.1 { sum -= %s }\n", any_element(), any_term()); break;
    case 2: put("sum += %s\n", any_term()); break;
    default:
      if (apart) put("y%u[base + j] = %s\n", output, any_term());
      else put("sum += %s\n", any_term());
  }
  put("}\n");
}

static const char *kernel(void) {
  unsigned passes = 1 + any(3), lanes = any(4) ? 4 : 1;
  bool alone = any(4) == 0; /* one invocation in all: whatever it adds to is its own */
  if (alone) lanes = 1;
  used = 0;
  put("program p {\nconst T = %u\nworkgroup %s\ngrid %s\n", lanes, alone ? "1" : "T", alone ? "1" : any(8) ? "rows" : "2");
  put("param rows : u32 = %u\nparam cols : u32 = %u\n", alone ? 1 : 2, 1 + any(6));
  const char *length = alone ? "cols" : "rows * cols";
  put("buffer x : f32[%s%s] read\nbuffer w : f32[cols] read\n", length, any(8) ? "" : " + 1");
  for (unsigned i = 0; i < passes; i++) put("buffer y%u : f32[%s] read_write\n", i, length);
  put("buffer s : f32[rows] write\nshared part : f32[T]\nlet lane = local_id.x\nlet row = workgroup_id.x\n");
  put(alone ? "let base = u32(0)\n" : "let base = row * cols\n");
  put("var sum = 0.0\nvar total = 0.5\n");
  for (unsigned i = 0; i < passes; i++) {
    pass(i, lanes > 1);
    if (any(3) == 0) put("sum = sum * 0.25\n");
    if (lanes == 4 && any(2)) reduction();
    if (any(3) == 0) put("sum = 0.0\n");
  }
  put("if lane == 0 { s[row] = sum + total }\n}\n");
  return text;
}

static unsigned seen[4]; /* stored, zeroed, with a reversed loop, without */

static void check(uint64_t seed) {
  adt_case c = {.seed = (uint32_t)seed + 1};
  static const char *const wrt[] = {"x", "w"};
  state = seed * 7919 + 13;
  c.params = (kg_grad_params){.wrt = wrt, .wrt_count = 1 + any(2), .accumulate = false};
  c.label = kernel();
  kg_status status = adt_differentiate(&c, text);
  if (status == KG_OK) {
    char *made = NULL;
    size_t size = 0;
    adt_free(&c);
    c = (adt_case){.seed = (uint32_t)seed + 1, .label = text, .may_vanish = true, .params = {.wrt = wrt, .wrt_count = 1 + any(2)}};
    adt_prepare(&c, text, NULL);
    ck_assert_int_eq(kg_module_print(NULL, c.adjoint, NULL, &made, &size), KG_OK);
    seen[strstr(made, "(a = grad_x)") != NULL]++;
    seen[strstr(made, "reversed") ? 2 : 3]++;
    free(made);
    adt_verify(&c);
  }
  ck_assert_msg(status == KG_OK || status == KG_REFUSED, "status %d: %s", (int)status, text);
  adt_free(&c);
}

START_TEST(kernels) {
  const char *more = getenv("KG_ROUNDS");
  uint64_t rounds = more ? strtoull(more, NULL, 10) : 150;
  for (uint64_t k = 0; k < rounds; k++) check((uint64_t)_i << 32 | k);
  for (int k = 0; k < 4; k++) ck_assert_msg(seen[k] > rounds / 40, "%u of kind %d", seen[k], k);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(kernels, 4)};
  return kgt_run("autodiff/passes", tests, KGT_COUNT(tests));
}
