/* The functions of the prelude: values and derivatives in the middle and in both tails, in every type that they take; random numbers
 * against the published answers. */
#include "tests/autodiff/autodiff_case.h"

typedef struct point { const char *expression; double x, value, gradient; } point;

/* By the definitions in 60 digits, gelu by the C library's erfc. The derivative is by v. */
static const point points[] = {
  {"relu(v)", -2, 0, 0}, {"relu(v)", 0, 0, 0.5}, {"relu(v)", 3, 3, 1},
  {"sigmoid(v)", -INFINITY, 0, 0}, {"sigmoid(v)", -100, 3.72007598e-44, 3.72007598e-44}, {"sigmoid(v)", -80, 1.80485139e-35, 1.80485139e-35},
  {"sigmoid(v)", -20, 2.06115362e-09, 2.06115361e-09}, {"sigmoid(v)", -1, 0.268941421, 0.196611933}, {"sigmoid(v)", 0, 0.5, 0.25},
  {"sigmoid(v)", 3, 0.952574127, 0.0451766597}, {"sigmoid(v)", 80, 1, 1.80485139e-35}, {"sigmoid(v)", INFINITY, 1, 0},
  {"silu(v)", -100, -3.72007598e-42, -3.68287522e-42}, {"silu(v)", -1, -0.268941421, 0.0723294881}, {"silu(v)", 0, 0, 0.5},
  {"silu(v)", 3, 2.85772238, 1.08810411}, {"silu(v)", 100, 100, 1},
  {"gelu(v)", -5, -1.43325786e-06, -7.146946e-06}, {"gelu(v)", -1, -0.158655254, -0.0833154706},
  {"gelu(v)", 0, 0, 0.5}, {"gelu(v)", 0.5, 0.345731231, 0.867495125}, {"gelu(v)", 3, 2.99595031, 1.01194565}, {"gelu(v)", 1e30, 1e30, 1},
  {"softplus(v)", -INFINITY, 0, 0}, {"softplus(v)", -80, 1.80485139e-35, 1.80485139e-35}, {"softplus(v)", -1, 0.313261688, 0.268941421},
  {"softplus(v)", 0, 0.693147181, 0.5}, {"softplus(v)", 3, 3.04858735, 0.952574127}, {"softplus(v)", 1e30, 1e30, 1},
  {"logaddexp(v, 1.0)", 1, 1.69314718, 0.5}, {"logaddexp(1.0, v)", 1, 1.69314718, 0.5}, {"logaddexp(v, 2.0)", 1, 2.31326169, 0.268941421},
  {"logaddexp(v, 4.0)", -3, 4.00091147, 0.000911051194}, {"logaddexp(90.0, v)", 100, 100.000045, 0.999954602},
  {"logaddexp(v, -500.0)", 500, 500, 1}, {"logaddexp(v, -1001.0)", -1000, -999.686738, 0.731058579},
  {"logaddexp(v, 3.0)", -INFINITY, 3, 0}, {"logaddexp(3.0, v)", -INFINITY, 3, 0},
  {"logaddexp(v, -inf)", 3, 3, 1}, {"logaddexp(v, -inf)", -INFINITY, -INFINITY, 0.5}, {"logaddexp(-inf, v)", -INFINITY, -INFINITY, 0.5},
  {"logaddexp(v, inf)", 3, INFINITY, 0}, {"logaddexp(v, inf)", INFINITY, INFINITY, 0.5}, {"logaddexp(v, v)", 2, 2.69314718, 1},
  {"mix(v, 7.0, 0.25)", 3, 4, 0.75}, {"mix(3.0, v, 1.0)", 7, 7, 1}, {"mix(3.0, 7.0, v)", 2, 11, 4},
  {"smoothstep(1.0, 3.0, v)", 0, 0, 0}, {"smoothstep(1.0, 3.0, v)", 1, 0, 0}, {"smoothstep(1.0, 3.0, v)", 2, 0.5, 0.75},
  {"smoothstep(1.0, 3.0, v)", 3, 1, 0}, {"smoothstep(v, 4.0, 2.0)", 0, 0.5, -0.1875},
  {"degrees(v)", 1, 57.2957795, 57.2957795}, {"radians(v)", 180, 3.14159265, 0.0174532925},
};

static bool is_near(double got, double want, double tolerance) {
  return got == want || fabs(got - want) <= tolerance * fabs(want);
}

/* In one type; numbers that it does not hold, or not to its precision, are left out. */
static void try_in(const point *e, const char *type, double tolerance, double smallest, double largest) {
  char text[400];
  adt_case c = {.seed = 1};
  double most = fmax(fabs(e->value), isinf(e->x) ? 0 : fabs(e->x)), least = fmin(e->value ? fabs(e->value) : 1, e->gradient ? fabs(e->gradient) : 1);
  if ((most > largest && !isinf(most)) || least < smallest) return;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : %s[1] read buffer y : %s[1] write let v = x[0] y[0] = %s }",
           type, type, e->expression);
  adt_prepare(&c, text, NULL);
  adt_copy(&c.result, &c.before);
  adt_set(&c.result, "x", 0, e->x);
  adt_set(&c.result, "grad_y", 0, 1);
  adt_run(&c.result);
  double value = adt_get(&c.result, "y", 0), gradient = adt_get(&c.result, "grad_x", 0);
  ck_assert_msg(is_near(value, e->value, tolerance), "%s of %s at %g: %.9g, not %.9g", e->expression, type, e->x, value, e->value);
  ck_assert_msg(is_near(gradient, e->gradient, tolerance), "derivative of %s of %s at %g: %.9g, not %.9g", e->expression, type, e->x,
                gradient, e->gradient);
  adt_free(&c);
}

START_TEST(values_and_derivatives) {
  try_in(&points[_i], "f64", 2e-8, 0, INFINITY);
  try_in(&points[_i], "f32", 2e-6, 1e-37, 3e38);
  try_in(&points[_i], "f16", 1e-2, 6e-3, 1000);
}
END_TEST

/* The answers that Salmon et al. publish with their code (Random123, kat_vectors): counter, key, the four words. */
static const uint32_t known[3][10] = {
  {0, 0, 0, 0, 0, 0, 0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8},
  {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD},
  {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1},
};

static void run_on_reference(const char *text, void **buffers, uint64_t *lengths) {
  kg_module *module = NULL;
  kg_reference_report report;
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &module), KG_OK);
  kg_reference_params params = {.module = module, .buffers = buffers, .lengths = lengths};
  ck_assert_int_eq(kg_reference_run(&params, &report), KG_OK);
  kg_module_free(module);
}

START_TEST(known_answers) {
  uint32_t in[6], words[4];
  memcpy(in, known[_i], sizeof in);
  run_on_reference("program p { workgroup 4 grid 1 buffer v : u32[6] read buffer w : u32[4] write let i = local_id.x\n"
                   "w[i] = philox(i, v[0], v[1], v[2], v[3], v[4], v[5]) }", (void *[]){in, words}, (uint64_t[]){6, 4});
  ck_assert_mem_eq(words, known[_i] + 6, sizeof words);
}
END_TEST

enum { DRAWS = 40000 };

/* A draw that is no part of the published answers is held against what it is said to be made of. */
START_TEST(random_numbers) {
  static uint32_t u[DRAWS], w[DRAWS];
  static float f[DRAWS], z[DRAWS];
  double sum = 0, squares = 0, normal = 0, normal_squares = 0, fourth = 0;
  run_on_reference("program p { workgroup 64 grid invocations 40000 buffer u : u32[40000] write buffer w : u32[40000] write\n"
                   "buffer f : f32[40000] write buffer z : f32[40000] write let i = global_id.x if i < 40000 {\n"
                   "u[i] = random_u32(7, i) w[i] = philox(0, i, 0, 0, 0, 7, 0) f[i] = random_uniform(7, i) z[i] = random_normal(7, i) } }",
                   (void *[]){u, w, f, z}, (uint64_t[]){DRAWS, DRAWS, DRAWS, DRAWS});
  for (int i = 0; i < DRAWS; i++) {
    ck_assert_uint_eq(u[i], w[i]);
    ck_assert(f[i] == (float)(u[i] >> 8) * 0x1p-24f && isfinite(z[i]) && fabsf(z[i]) < 5.8f);
    sum += f[i], squares += (double)f[i] * f[i];
    normal += z[i], normal_squares += (double)z[i] * z[i], fourth += pow(z[i], 4);
  }
  /* five standard deviations of each mean */
  double root = sqrt(DRAWS);
  ck_assert(fabs(sum / DRAWS - 0.5) < 5 * 0.2887 / root && fabs(squares / DRAWS - 1.0 / 3) < 5 * 0.2981 / root);
  ck_assert(fabs(normal / DRAWS) < 5 / root && fabs(normal_squares / DRAWS - 1) < 5 * 1.4142 / root);
  ck_assert(fabs(fourth / DRAWS - 3) < 5 * 9.798 / root);
}
END_TEST

/* The least and the largest logarithm: words of 0 and of all ones, which no counter in reach may give. */
START_TEST(normal_is_finite) {
  float z[4];
  run_on_reference("program p { workgroup 4 grid 1 buffer z : f32[4] write let i = local_id.x\n"
                   "let u = f32((select(i < 2, u32(0), 0xFFFFFFFF) >> 8) + 1) * 5.9604644775390625e-8\n"
                   "z[i] = sqrt(max(-2.0 * log(u), 0.0)) }", (void *[]){z}, (uint64_t[]){4});
  ck_assert(is_near(z[0], 5.7682, 1e-4) && z[3] == 0);
}
END_TEST

/* Each is called on its own, so that none rests on another having been read before. */
START_TEST(each_is_read) {
  kg_fn_info fn = kg_prelude_at((uint32_t)_i);
  char text[400], arguments[64] = "";
  bool real = strstr(fn.signature, "real") != NULL;
  size_t params = 0;
  for (const char *p = fn.signature; *p; p++) params += *p == ':';
  for (size_t i = 0; i < params; i++) strcat(arguments, real ? i ? ", 0.5" : "0.5" : i ? ", 1" : "1");
  ck_assert_msg(params && *fn.summary, "%s", fn.signature);
  kg_module *module = NULL;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer y : f32[1] write y[0] = f32(%s(%s)) }", fn.name, arguments);
  ck_assert_msg(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &module) == KG_OK, "%s", text);
  kg_module_free(module);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(values_and_derivatives, points, expression), KGT_TIMES(known_answers, KGT_COUNT(known)), KGT(random_numbers),
                            KGT(normal_is_finite), KGT_TIMES(each_is_read, (int)kg_prelude_count())};
  return kgt_run("autodiff/prelude", tests, KGT_COUNT(tests));
}
