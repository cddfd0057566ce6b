/* Loops that run in strips: no trips, one, as many as a strip has, and one more; by literals, constants, params and bounds of
 * other loops; over ranges of any kind; with states of every kind. Held against duals, and against the same loop where nothing is
 * cut into strips: both give the same bits. */
#include "foundation/base/limits.h"
#include "tests/autodiff/autodiff_case.h"

#define HEAD(k) "program p { workgroup 4 grid invocations n param n : u32 = 6 param k : u32 = " #k " const C = 70\n" \
                "buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[n] read_write buffer idx : u32[n] read in 0 .. n\n" \
                "let i = global_id.x\n"
#define GROWS(range) "var t = x[i] for j in " range " { t = sin(t) * 1.1 + x[u32(j) % n] * 0.1 } y[i] = t }"

static const char *const kernels[] = {
  HEAD(0) GROWS("0 .. k"), HEAD(1) GROWS("0 .. k"), HEAD(15) GROWS("0 .. k"), HEAD(16) GROWS("0 .. k"), HEAD(17) GROWS("0 .. k"),
  HEAD(33) GROWS("0 .. k"), HEAD(0) GROWS("0 .. 64"), HEAD(0) GROWS("0 .. 67"), HEAD(0) GROWS("0 .. C"), HEAD(0) GROWS("0"
         " .. 300"),
  /* other ranges, the other way round, in steps, as signed numbers, close to where integers wrap, and empty ones */
  HEAD(40) GROWS("3 .. k step 3"), HEAD(40) GROWS("3 .. k step 3 reversed"), HEAD(41) GROWS("k .. 2 * k reversed"),
  HEAD(40) GROWS("-7 .. i32(k) step 2"), HEAD(40) GROWS("-70 .. -i32(k)"), HEAD(3) GROWS("k .. 2"), HEAD(3) GROWS("i32(k)"
         " .. -70"),
  HEAD(40) GROWS("4294967195 + k / 100 .. 4294967295 step 7"), HEAD(40) GROWS("u32(4294967200) .. u32(4294967295) reversed"),
  HEAD(40) GROWS("i32(-2147483648) + i32(k) .. 2147483000 step 90000000"),
  /* the trips differ between invocations, or those of a loop around */
  HEAD(8) GROWS("0 .. idx[i] * k"), HEAD(8) GROWS("idx[i] .. k * (i + 1) step 2"),
  HEAD(20) "var t = x[i] for a in 0 .. n { for j in 0 .. a * k { t = sin(t) * 1.1 + x[j % n] * 0.1 } t = t * t } y[i] = t }",
  HEAD(20) "for a in 0 .. 3 { var t = x[(i + a) % n] for j in 0 .. k { t = sin(t) * 1.1 } s[i] = s[i] * t } y[i] = s[i] }",
  HEAD(20) "var t = x[i] for j in 0 .. k { for a in 0 .. 3 { t = sin(t) * 1.1 } var u = t for a in 0 .. 3 { u = u * u } t"
         " = t + u * 0.01 } y[i] = t }",
  /* two states change places; one is stored under a condition; one is only read behind the loop; one is made of integers */
  HEAD(37) "var a = x[i] var b = 1.0 - x[i] for j in 0 .. k { let c = a a = b * sin(c) b = c * 1.05 } y[i] = a + b }",
  HEAD(37) "var a = x[i] var b = 0.5 for j in 0 .. k { if j % 3 == 1 { b = b * a } a = sin(a) + 0.25 * b } y[i] = a * b }",
  HEAD(37) "var a = x[i] var last = 0.0 for j in 0 .. k { last = a * a a = sin(a) * 1.2 } y[i] = a * last }",
  HEAD(37) "var a = x[i] var seed = i for j in 0 .. k { seed = seed * 1664525 + 1013904223 a = sin(a) * (1.0 + f32(seed %"
         " 7) * 0.1) } y[i] = a }",
  HEAD(37) "var a = x[i] var odd = false for j in 0 .. k { if odd { a = sin(a) } else { a = a * 1.1 } odd = a > 0.3 } y[i] = a }",
  /* a state of several elements, at indices that are computed; stored in part; of several types */
  HEAD(40) "var v : f32[3] for a in 0 .. 3 { v[a] = x[(i + a) % n] } for j in 0 .. k { v[j % 3] = sin(v[(j + idx[i]) %"
         " 3]) * 1.1 + v[j % 3] * 0.3 } y[i] = v[0] + v[1] * v[2] }",
  HEAD(40) "var v : f32[4] for a in 0 .. 4 { v[a] = x[i] } for j in 0 .. k { v[1 + j % 2] = sin(v[j % 4]) * 1.1 } y[i] ="
         " v[0] + v[1] * v[2] + v[3] }",
  HEAD(40) "var a = f64(x[i]) var b = f16(x[i]) for j in 0 .. k { a = a * a + f64(0.25) b = b * f16(0.5) + b * b } y[i] ="
         " f32(a) + f32(b) }",
  /* the state is of use outside too: before, behind, in another loop, in a loop around, and it is set anew there */
  HEAD(20) "var t = x[i] t = t * t for j in 0 .. k { t = sin(t) * 1.1 } t = t * x[i] for j in 0 .. k { t = sin(t) * 1.2 }"
         " y[i] = t * t }",
  HEAD(20) "var t = x[i] let u = t * t if u < 4.0 { for j in 0 .. k { t = sin(t) * 1.1 } } else { t = t * u } y[i] = t * u }",
  HEAD(20) "var t = x[i] for a in 0 .. n { if a % 2 == 0 { for j in 0 .. k { t = sin(t) * 1.1 } } t = t * x[a] s[i] ="
         " s[i] + t * t } y[i] = t }",
  HEAD(20) "var t = x[i] for a in 0 .. 3 { t = x[(i + a) % n] for j in 0 .. k { t = sin(t) * 1.1 } s[i] = s[i] * t } }",
  /* memory is stored to in the loop, and loaded again, be it there or behind */
  HEAD(40) "var t = x[i] for j in 0 .. k { t = sin(t) * 1.1 s[i] = s[i] * t } y[i] = t }",
  HEAD(6) "var t = x[i] for j in 0 .. k * 6 { t = sin(t + s[i]) * 1.1 if j % 5 == 0 { s[i] = t * t } } y[i] = t * s[i] }",
  /* the index of a trip is of use itself, and so is what a break, or a while inside, leaves behind */
  HEAD(40) "var t = x[i] for j in 0 .. k { t = sin(t) * (1.0 + 0.01 * f32(j)) + x[j % n] } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { var c = 1.0 while c < 3.0 limit 9 { c = c * 1.5 + t * t * 0.1 } t = sin(t) * c"
         " * 0.4 } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { if t > 5.0 { continue } t = sin(t) * 1.1 + 0.2 } y[i] = t }",
  /* what a trip computes and the reverse would too (spared.c): a function whose result is its derivative; of another; under a
   * condition of the trip; more than a strip has room for; in a loop inside, which is not spared; from loads that are overwritten in a
   * trip, later, or never; as f64 and f16; at an index that a function decides; in the trips of a loop around */
  HEAD(40) "var t = x[i] for j in 0 .. k { t = exp(t * x[j % n] - 1.0) + 0.1 * t } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { t = t * exp(0.3 * exp(-t * t) - 0.2) + x[(i + j) % n] } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { if j % 3 != 1 { let e = exp(0.1 * t) if e > 0.9 { t = t * e - x[j % n] * e } } else { t"
         " = t * exp(-x[j % n]) } } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { let a = exp(-t * t) let b = exp(-a * t) let c = exp(-b * t) let d = exp(-c * a) t ="
         " t * (a + b) * 0.4 + tanh(t * c) * x[j % n] + d * exp(x[(j + 1) % n] * 0.2) * x[(j + 2) % n] * t } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { var u = t for a in 0 .. 3 { u = u * exp(-u * x[(a + j) % n]) } t = 0.7 * u + 0.2 *"
         " t * exp(-u) } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { let e = exp(-s[i] * t) s[i] = 0.5 * s[i] + 0.1 * e t = t * e + s[i] } y[i] = t }",
  HEAD(40) "var t = x[i] for j in 0 .. k { t = t * exp(-s[i]) + s[i] * 0.1 } s[i] = t y[i] = t * t }",
  HEAD(40) "var a = f64(x[i]) var b = f16(x[i]) for j in 0 .. k { a = f64(x[j % n]) * a * f64(0.5) + a b = b * f16(exp(f32(b) *"
         " -0.5)) + exp(b * f16(-0.25)) * b } y[i] = f32(a) + f32(b) }",
  HEAD(40) "var t = x[i] for j in 0 .. k { let e = exp(-t * t) t = t * e + x[u32(e * 5.0) % n] * x[j % n] * t * 0.3 } y[i] = t }",
  HEAD(40) "for a in 0 .. 3 { var t = x[(i + a) % n] for j in 0 .. k { t = 0.8 * t * exp(-0.1 * t * t) + 0.2 * x[(j + a) % n] }"
         " s[i] = 0.5 * s[i] + t } y[i] = s[i] }",
};

START_TEST(holds) { adt_holds(kernels[_i]); }
END_TEST

#ifdef KG_DEVELOPMENT
static bool is_shadow(const adt_case *c, const char *name) {
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++)
    if (!strcmp(kg_grad_map_entry(c->map, k).shadow, name)) return true;
  return false;
}

/* Limits that are lowered stay so for this process alone. */
START_TEST(keeps_its_bits) {
  adt_case with = {.seed = 5}, without = {.seed = 5};
  adt_prepare(&with, kernels[_i], NULL);
  kgi_limits[KGI_LIMIT_strip_state] = 0;
  adt_prepare(&without, kernels[_i], NULL);
  adt_copy(&with.result, &with.before), adt_copy(&without.result, &without.before);
  adt_run(&with.result), adt_run(&without.result);
  for (uint32_t i = 0; i < kg_module_buffer_count(with.adjoint); i++) {
    kg_buffer_info info = kg_module_buffer(with.adjoint, i);
    uint32_t k = kg_module_find_buffer(without.adjoint, info.name);
    if (!is_shadow(&with, info.name)) continue;
    ck_assert_uint_ne(k, UINT32_MAX);
    ck_assert_msg(!memcmp(with.result.array[i], without.result.array[k], (size_t)with.result.length[i] * kg_type_size(info.type)),
                  "%s differs: %s", info.name, kernels[_i]);
  }
  adt_free(&with), adt_free(&without);
}
END_TEST
#endif

/* A function that the reverse would compute a third time is kept from the second; a load is not. */
START_TEST(spares) {
  adt_case c = {.seed = 5};
  unsigned kept = 0;
  adt_prepare(&c, HEAD(40) "var t = x[i] for j in 0 .. k { t = t * exp(-t) + 0.5 * t * x[j % n] } y[i] = t }", NULL);
  for (size_t v = 0; v < kg_grad_map_value_count(c.map); v++) {
    kg_grad_value value = kg_grad_map_value(c.map, v);
    kept += !strcmp(value.name, "exp") && !strcmp(value.place, "array") && value.bytes == 64;
    ck_assert(strcmp(value.name, "x") || strcmp(value.place, "array"));
  }
  ck_assert_uint_eq(kept, 1);
  adt_free(&c);
}
END_TEST

/* v <- v / (1 + v/4), 1000 times, is x / (1 + 250 x), and its derivative 1 / (1 + 250 x)^2. A row of 8 lanes for each trip is 32000
 * bytes; strips of 256 trips, the longest, leave four rows. */
#define HYPERBOLA "program p { workgroup 4 grid invocations n param n : u32 = 6 param k : u32 = 1000\n" \
                  "buffer x : f32[n] read in 0.5 .. 2.0 buffer y : f32[n] write let i = global_id.x\n" \
                  "var v = x[i] for j in 0 .. k { v = v / (1.0 + 0.25 * v) } y[i] = v }"

START_TEST(keeps_to_a_limit) {
  static const uint64_t limits[] = {32000, 1000, 128};
  adt_case c = {.seed = 7, .params.tape_limit = limits[_i]};
  adt_prepare(&c, HYPERBOLA, NULL);
  double cotangent[6];
  for (unsigned i = 0; i < 6; i++) cotangent[i] = adt_get(&c.result, "grad_y", i);
  adt_copy(&c.result, &c.before);
  adt_run(&c.result);
  uint64_t bytes = 0;
  for (size_t t = 0; t < kg_grad_map_tape_count(c.map); t++) bytes += kg_grad_map_tape(c.map, t).bytes;
  ck_assert_uint_le(bytes, limits[_i]);
  for (unsigned i = 0; i < 6; i++) {
    double grown = 1 + 250 * adt_get(&c.before, "x", i), right = cotangent[i] / (grown * grown);
    ck_assert_double_eq_tol(adt_get(&c.result, "grad_x", i), right, 2e-4 * fabs(right));
  }
  adt_free(&c);
}
END_TEST

START_TEST(says_what_would_do) {
  adt_case c = {.params.tape_limit = 127};
  ck_assert_int_eq(adt_differentiate(&c, HYPERBOLA), KG_REFUSED);
  ck_assert_str_eq(c.diag, "grad-tape-limit");
  ck_assert_ptr_nonnull(strstr(c.message, "take 128 bytes"));
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, kernels), KGT_TIMES(keeps_to_a_limit, 3), KGT(spares), KGT(says_what_would_do),
#ifdef KG_DEVELOPMENT
                            KGT_TIMES(keeps_its_bits, KGT_COUNT(kernels)),
#endif
  };
  return kgt_run("autodiff/strips", tests, KGT_COUNT(tests));
}
