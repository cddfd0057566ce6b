/* What the library makes does not depend on the caller's locale and floating-point environment, and neither is another when it returns. */
#include "tests/support/kgtest.h"

#include <kgrad/kgrad.h>

#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that is written down of one kernel. */
typedef struct record { char *bytes; size_t size; } record;

static void add(record *r, const void *bytes, size_t size) {
  r->bytes = realloc(r->bytes, r->size + size + 1);
  ck_assert_ptr_nonnull(r->bytes);
  memcpy(r->bytes + r->size, bytes, size);
  r->size += size;
}

static void heard(void *user, const kg_diag *diag) { add(user, diag->message, strlen(diag->message)); }

static void add_forms(record *r, const kg_module *m) {
  const kg_sink sink = {heard, r};
  const kg_spirv_params params = {0};
  char *text = NULL;
  uint8_t *binary = NULL;
  uint32_t *words = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  add(r, text, size);
  kg_bytes_free(NULL, text, size + 1);
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &binary, &size), KG_OK);
  add(r, binary, size);
  kg_bytes_free(NULL, binary, size);
  if (kg_spirv_emit(NULL, m, &params, &sink, &words, &size) == KG_OK) {
    add(r, words, size * sizeof *words);
    kg_bytes_free(NULL, words, size * sizeof *words);
    ck_assert_int_eq(kg_spirv_describe(NULL, m, &params, &sink, &text, &size), KG_OK);
    add(r, text, size);
    kg_bytes_free(NULL, text, size + 1);
  }
}

/* Buffers of f32. */
static void add_run(record *r, const kg_module *m) {
  enum { LENGTH = 16, MOST = 8 };
  float data[MOST][LENGTH];
  void *buffers[MOST];
  uint64_t lengths[MOST];
  for (unsigned b = 0; b < MOST; b++) {
    for (unsigned i = 0; i < LENGTH; i++) data[b][i] = (float)((b + 1) * (i + 3)) / 64; /* exact */
    buffers[b] = data[b], lengths[b] = LENGTH;
  }
  ck_assert_uint_le(kg_module_buffer_count(m), MOST);
  const kg_sink sink = {heard, r};
  kg_reference_params params = {.module = m, .buffers = buffers, .lengths = lengths, .sink = &sink};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
  add(r, data, sizeof data);
}

static const char kernel[] =
  "program k {\n workgroup 4\n grid invocations 16\n param n : u32 = 16\n param rate : f32 = 1.5e-3\n param far : f64 = 2.5\n"
  " const S : f32 = 0.1\n buffer x : f32[16] read in 0.25 .. 1.75\n buffer y : f32[16] write\n let i = global_id.x\n"
  " y[i] = sin(x[i]) * rate + f32(far) * S + 1.0 / 3.0 + sqrt(f32(2.0)) * 16777217.0 * 1.1e-42 + f32(0.1) * f32(0.7)\n}\n";

/* Of its gradient, which passes, and of one that is off by the last digits, so that the reason has numbers. */
static const char adjoint[] =
  "program k_grad {\n workgroup 4\n grid invocations 16\n param n : u32 = 16\n param rate : f32 = 1.5e-3\n param far : f64 = 2.5\n"
  " buffer x : f32[16] read in 0.25 .. 1.75\n buffer y : f32[16] write\n buffer grad_y : f32[16] read\n"
  " buffer grad_x : f32[16] write\n let i = global_id.x\n y[i] = x[i]\n grad_x[i] = grad_y[i] * cos(x[i]) * rate * 1.001\n}\n";

static void add_verdict(record *r, const kg_module *m, const kg_module *of) {
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_verify(m, &(kg_verify_params){.adjoint = of, .seed = 1}, &(kg_sink){heard, r}, &verdict), KG_OK);
  kg_verdict_info info = kg_verdict_summary(verdict);
  ck_assert_int_eq(info.outcome, of ? KG_OUTCOME_FAILED : KG_OUTCOME_PASSED);
  add(r, info.reason, strlen(info.reason));
  for (size_t i = 0; i < kg_verdict_of(verdict, 0, 0).checked; i++) {
    kg_verdict_entry e = kg_verdict_at(verdict, 0, 0, i);
    const double numbers[] = {e.gradient, e.dual, e.magnitude, e.low, e.high, e.unrounded, e.error, e.allowed, e.ratio};
    add(r, numbers, sizeof numbers);
  }
  kg_verdict_free(verdict);
}

static record everything(void) {
  record r = {0};
  const kg_sink sink = {heard, &r};
  const kg_grad_params params = {0};
  kg_module *m = NULL, *gradient = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", kernel, strlen(kernel), &sink, &m), KG_OK);
  ck_assert_int_eq(kg_grad(m, &params, &sink, &gradient), KG_OK);
  add_forms(&r, m), add_forms(&r, gradient);
  add_run(&r, m), add_run(&r, gradient);
  kg_module_free(gradient);
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", adjoint, strlen(adjoint), &sink, &gradient), KG_OK);
  add_verdict(&r, m, NULL), add_verdict(&r, m, gradient);
  kg_module_free(m), kg_module_free(gradient);
  /* messages with numbers */
  ck_assert_int_ne(kg_module_parse(NULL, "k.kg", "program p { param h : f16 = 123456.5 }", 38, &sink, &m), KG_OK);
  const kg_primitive_arg wrong = {.name = "epsilon", .value = 2.5}, right = {.name = "epsilon", .value = 0.125};
  ck_assert_int_ne(kg_primitive_build(NULL, "layer_norm", &wrong, 1, &sink, &m), KG_OK);
  ck_assert_int_eq(kg_primitive_build(NULL, "layer_norm", &right, 1, &sink, &m), KG_OK);
  add_forms(&r, m);
  kg_module_free(m);
  return r;
}

static void same(const record *expected, const char *where) {
  record r = everything();
  for (size_t i = 0; i < r.size && i < expected->size; i++)
    if (r.bytes[i] != expected->bytes[i]) ck_abort_msg("%s: byte %zu differs, behind %.60s", where, i, r.bytes + (i < 60 ? 0 : i - 60));
  ck_assert_uint_eq(r.size, expected->size);
  free(r.bytes);
}

/* A locale of our own, because systems may have none but C: 1.234,5 is a number there. */
static void make_locale(void) {
  char path[512], command[2048];
  const char *dir = kgt_temp_dir();
  snprintf(path, sizeof path, "%s/ascii", dir);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs("<code_set_name> ASCII\n<comment_char> %\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 1\nCHARMAP\n", f);
  for (unsigned c = 0; c < 128; c++) fprintf(f, "<U%04X> /x%02x C\n", c, c);
  fputs("END CHARMAP\n", f);
  fclose(f);
  snprintf(path, sizeof path, "%s/comma", dir);
  f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs("LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\ngrouping 3;3\nEND LC_NUMERIC\n", f);
  fclose(f);
  snprintf(command, sizeof command, "localedef -c -f %s/ascii -i %s/comma %s/kg_comma >%s/said 2>&1", dir, dir, dir, dir);
  (void)!system(command); /* it complains of the categories that are not there; whether it worked is asked of the locale */
  setenv("LOCPATH", dir, 1);
}

static void remove_locale(void) {
  char command[512];
  snprintf(command, sizeof command, "rm -rf %s/*", kgt_temp_dir());
  (void)!system(command);
}

START_TEST(locales) {
  record expected = everything();
  make_locale();
  ck_assert_msg(setlocale(LC_ALL, "kg_comma") != NULL, "localedef made no locale");
  char text[16];
  snprintf(text, sizeof text, "%.1f", 1.5);
  ck_assert_str_eq(text, "1,5");
  same(&expected, "where a comma is the point");
  ck_assert_str_eq(localeconv()->decimal_point, ",");
  free(expected.bytes);
  remove_locale();
} END_TEST

static const struct { int mode; const char *name; } modes[] = {
  {FE_UPWARD, "upward"}, {FE_DOWNWARD, "downward"}, {FE_TOWARDZERO, "toward zero"}};

START_TEST(rounding) {
  record expected = everything();
  ck_assert_int_eq(fesetround(modes[_i].mode), 0);
  same(&expected, modes[_i].name);
  ck_assert_int_eq(fegetround(), modes[_i].mode);
  ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
  free(expected.bytes);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(locales), KGT_TABLE(rounding, modes, name)};
  return kgt_run("public/surroundings", tests, KGT_COUNT(tests));
}
