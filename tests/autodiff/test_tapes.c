/* Values that are kept for the reverse: in a var, an array, or on a tape; by loops whose trips are literals, params, of another loop, of
 * data, or none; and histories in memory. Held against duals. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 6 param k : u32 = 3\n" \
             "buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[n] read_write buffer idx : u32[n] read in 0 .. n\n" \
             "let i = global_id.x\n"

#define REPEATED "module m { param n : u32 = 7 buffer x : f32[n] read_write\n" \
                 "program step { workgroup 4 param n : u32 param k : u32 buffer x : f32[n] read_write let i = global_id.x\n" \
                 "if i < n { var t = x[i] for j in 0 .. k { t = sin(t) * 1.2 } x[i] = t * x[i] } }\n"

static const char *const kernels[] = {
  HEAD "var t = x[i] t = sin(t) t = t * t y[i] = exp(t) }",
  HEAD "var t = x[i] for j in 0 .. 7 { t = sin(t) * x[j % n] } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. k { t = sin(t) * x[j % n] } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. n { for l in 0 .. j { t = sin(t) + x[l] * 0.1 } } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. idx[i] { t = sin(t) + x[j] * t } y[i] = t }",
  HEAD "var t = x[i] * x[i] + 1.0 var c = 0.0 while t < 9.0 { c = 0.1"
       " while c < t { c = c * 2.0 + x[i] * x[i] + 0.2 } t = t + c * 0.5 } y[i] = t * c }",
  HEAD "var t = x[i] for j in k .. k { t = sin(t) } while t > 99.0 { t = t * t } y[i] = t * t }",
  HEAD "var b = false var t = x[i] for j in 0 .. k { if b { t = t * 1.5 } else { t = sin(t) } b = t > 0.2 * f32(j) } y[i] = t * t }",
  HEAD "var t = f16(x[i]) for j in 0 .. k { t = t * f16(0.5) + t * t } y[i] = f32(t) }",
  HEAD "var a = u64(1) var t = x[i] for j in 0 .. k { t = sin(t) * f32(a) a = a * u64(3) + u64(idx[j]) } y[i] = t }",
  HEAD "var t = f64(x[i]) for j in 0 .. k { t = t * t + f64(0.25) } y[i] = f32(t) }",
  HEAD "if i == 0 { for j in 1 .. n { s[j] = s[j] * sin(s[j - 1]) } } }",
  HEAD "if i == 0 { for j in 1 .. n { let r = n - 1 - j s[r] = s[r] * s[r + 1] } for j in 0 .. n { s[j] = s[j] * s[j] } } }",
  HEAD "var at = 0 var g = i while f32(at) < 4.0 && x[g] < 1.0 { at = at + 1 g = idx[g] } y[i] = x[g] * x[g] * f32(at + 1) }",
  HEAD "let d = idx[i] % 2 + 1 if i == 0 { for j in 2 .. n { s[j] = sin(s[j - d]) * s[j] } } }",
  /* rounds of repeats: nested, reversed, with a grid that the run gives and a workgroup that does not divide it */
  REPEATED "repeat a in 0 .. 2 { repeat b in 0 .. 3 reversed { run step(k = 3) invocations n } } }",
  REPEATED "repeat a in 1 .. 6 step 2 { run step(k = 2) grid 3 } run step(k = 1) grid 2 }",
};

START_TEST(holds) { adt_holds(kernels[_i]); }
END_TEST

/* Trips that literals bound: an array has an element for each, and there is no tape and there are no strips. */
#define BOUND(ranges) HEAD "let d = idx[i] var t = x[i] " ranges " y[i] = t }"
#define STEP "{ t = sin(t) * 1.1 + x[(i + u32(j)) % n] * 0.1 }"

#define ALIKE(loops) BOUND("var h : f32[5] for j in 0 .. 5 { h[j] = t * x[j] } " loops " for j in 0 .. 5 { h[j] = t t = t + h[4] * 0.1 }")

typedef struct bounded { const char *text; unsigned elements; } bounded; /* 0: on a tape */
static const bounded few[] = {
  {BOUND("for l in 0 .. 4 { for j in l + 1 .. 4 " STEP " }"), 12},
  {BOUND("for l in 0 .. 4 { for j in l + 1 .. 4 reversed " STEP " }"), 12},
  {BOUND("for l in u32(0) .. 4 { for j in l + 1 .. 8 step 3 " STEP " }"), 12},
  {BOUND("for l in 0 .. 4 { for j in 0 .. l " STEP " }"), 12},
  {BOUND("for l in 0 .. 4 { for j in l .. l + 3 " STEP " }"), 12},
  {BOUND("for l in 0 .. 4 { for j in 3 - l .. 3 " STEP " }"), 12},
  {BOUND("for j in -3 .. 4 " STEP), 7},
  {BOUND("for j in 0 .. d & 3 " STEP), 3},
  {BOUND("for j in 0 .. min(k, 5) " STEP), 5}, /* k is 3 here, but not in any run */
  {BOUND("for j in 0 .. min(d - 4, 5) " STEP), 5}, /* where d is less than 4, that wraps, and there are 5 trips */
  {BOUND("for j in k .. min(n, k + 2) " STEP), 2},
  {BOUND("for j in (d + 1) * 4 + n .. (d + 2) * 4 + n " STEP), 4}, /* what both ends share cancels */
  {BOUND("for j in d * 12 + i .. (d + 1) * 12 + i step 3 " STEP), 4},
  {BOUND("for j in 0 .. min(n, d + 3) - d " STEP), 3},
  {BOUND("let c = i32(i) for j in c + -2 .. c + 3 " STEP), 5},
  {BOUND("let c = i32(i) for j in max(c - 2, 0) .. min(c + 3, i32(n)) " STEP), 5},
  {BOUND("for j in max(i, 2) - 2 .. min(i + 3, n) " STEP), 5}, /* windows, clamped as unsigned numbers are */
  {BOUND("for j in i - min(i, 2) .. min(i + 2, n - 1) + 1 " STEP), 5},
  {BOUND("for j in select(i < 2, 0, i - 2) .. select(i + 3 < n, i + 3, n) " STEP), 5},
  {BOUND("for j in select(i >= 2, i - 2, 0) .. select(n <= i + 3, n, i + 3) " STEP), 5},
  {BOUND("var j = select(i < 2, 0, i - 2) let e = min(i + 2, n - 1) while j <= e " "{ t = sin(t) * 1.1 + x[j] * 0.1 j += 1 }"), 5},
  {BOUND("var v = t for l in 0 .. 7 { var a = 0.0 for j in 0 .. n { a += sin(v * x[j]) } v += a } t = v"), 7}, /* v, and not in each j */
  {ALIKE("for l in 0 .. 7 { for j in 0 .. 5 { t += x[l % n] * h[j] * h[j] } }"), 5}, /* the outer loop has no part in it */
  {ALIKE("for l in 0 .. 7 { for j in 0 .. 5 { t += x[l % n] * h[(j + d) % 5] * h[(j + d) % 5] } }"), 5},
  {ALIKE("for l in 0 .. 3 { for j in 0 .. 5 { for q in 0 .. 2 { t += x[l] * sin(x[j] * h[j]) * x[q] } } }"), 5},
  {ALIKE("for l in 0 .. 3 { for j in l .. l + 5 { t += x[l] * h[j % 5] * h[j % 5] } }"), 15}, /* each trip begins at another one */
  {ALIKE("for l in 0 .. 3 { for j in 0 .. 4 step l + 1 { t += x[l] * h[j] * h[j] } }"), 12},
  {ALIKE("for l in 0 .. 3 { for j in 0 .. 5 { t += x[l] * h[idx[j] % 5] * h[idx[j] % 5] } }"), 5},
  {ALIKE("for l in 0 .. 3 { for j in 0 .. 5 { t += x[l] * h[idx[l] % 5] * h[idx[l] % 5] } }"), 3}, /* ... and here the inner one */
  {ALIKE("for l in 0 .. 3 { for j in 0 .. 5 { t += x[l] * h[j] * h[j] h[j] = t } }"), 15}, /* a trip changes it */
  {BOUND("for j in 0 .. d % 4 { if t > 1.2 { break } t = sin(t) * 1.1 }"), 3},
  {BOUND("if d > 0 { for j in 0 .. ((d & 7) - 1) / 2 + 1 " STEP " }"), 4},
  {BOUND("for j in 0 .. select(d > 0, ((d & 7) - 1 >> 1) + 1, 0) " STEP), 4},
  {BOUND("let z = i32(d & 7) - 2 if z > 0 { for j in 0 .. u32(z - 1) / 2 + 1 " STEP " }"), 3},
  {BOUND("for j in 0 .. min(((d & 7) - 4) / 2 + 1, 6) " STEP), 6}, /* where that wraps, there are 6 */
  {BOUND("for j in 0 .. ((d & 3) - 2 >> 31) + 1 " STEP), 3}, /* ... and here 2, or 3 for all that is known */
  {BOUND("for j in u64(d & 1) .. u64(6) " STEP), 6},
  {BOUND("for l in 0 .. d & 7 { for j in 0 .. 9 - (d & 1) " STEP " }"), 63},
  {BOUND("for j in 0 .. min(d - 4, k) " STEP), 0},
  {BOUND("for j in 1 .. k " STEP), 0},
  {BOUND("for j in i32(4 - i) - 2 .. 3 " STEP), 0}, /* begins below 0 in some lanes: how far, the grid knows */
  {BOUND("for j in i32(d - k) - 2 .. 3 " STEP), 0},
};

START_TEST(keeps_few_in_arrays) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, few[_i].text, NULL);
  ck_assert_msg(!few[_i].elements == (kg_grad_map_tape_count(c.map) > 0), "%s", few[_i].text);
  for (size_t v = 0; few[_i].elements && v < kg_grad_map_value_count(c.map); v++) {
    kg_grad_value value = kg_grad_map_value(c.map, v);
    if (!strcmp(value.place, "array")) ck_assert_msg(value.bytes == 4 * few[_i].elements, "%s: %s", few[_i].text, value.elements);
  }
  adt_free(&c);
  adt_holds(few[_i].text);
}
END_TEST

/* Numbers and flags that say themselves in each trip, and states that the program stores: nothing is kept, of however many trips. */
#define STORED(body) "program p { workgroup 4 grid invocations n param n : u32 = 6 param k : u32 = 40 buffer x : f32[n] read" \
                     " buffer y : f32[k * n] write buffer z : f32[k, n] write let i = global_id.x if i < n { " body " } }"
#define SAYS(front, body) HEAD "var t = x[i] " front " for j in 0 .. k { t += " body " } y[i] = t }"
static const char *const none[] = {
  SAYS("var b = false", "1.0 b = false if i > j { b = true } if b { t += sin(x[j]) }"),
  SAYS("var b = false", "1.0 b = i > j if b { for l in 0 .. k { b = l > i if b { t += sin(x[j]) } } }"),
  SAYS("var v = u32(32)", "sin(x[v % n]) * x[i] v = v >> 1"), SAYS("var v = i32(i) - 3", "sin(x[u32(v) % n]) * x[i] v >>= 2"),
  SAYS("var v = i + 1", "sin(x[v % n]) * x[i] v *= 2"), SAYS("var v = idx[i] * 99", "sin(x[v % n]) * x[i] v /= 4"),
  SAYS("var v = i", "sin(x[v % n]) * x[i] v = (v + 5) & 3"), SAYS("var v = local_id.x", "sin(x[v % n]) * x[i] v = (v + 3) % 5"),
  SAYS("var v = i32(local_id.x)", "sin(x[v]) * x[i] v = (v + 3) % 4"), SAYS("var v = i", "sin(x[v % n]) * x[i] v = (v - 1) % 8"),
  SAYS("var h : f32[4]", "1.0 for l in 0 .. 4 { h[l] = sin(x[l] * f32(j)) t += h[l] * h[l] }"),
  SAYS("var h : f32[4] for l in 0 .. 4 { h[l] = x[l] } for l in 1 .. 4 { for m in 0 .. l { h[l] -= x[l + m] * h[m] } }", "h[3]"),
  STORED("var h = x[i] for t in 0 .. k { h = sin(h) * 1.5 + x[i] y[t * n + i] = h }"),
  STORED("var h = x[i] for t in 0 .. k { h = sin(h) * 1.5 + x[i] z[k - 1 - t, i] = h }"),
  STORED("var a = 0.0 var b = x[i] for t in 0 .. k { let v = sin(a) * b + cos(x[i] * a) b = a a = v z[t, i] = v }"),
  STORED("var a = 0.5 var b = x[i] for t in 0 .. k { a = a * 0.5 + sin(b) b = cos(b) + a * x[i] y[t * n + i] = a z[t, i] = b }"),
};

START_TEST(keeps_none) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, none[_i], NULL);
  ck_assert_msg(!kg_grad_map_tape_count(c.map), "%s", none[_i]);
  for (size_t v = 0; v < kg_grad_map_value_count(c.map); v++)
    ck_assert_msg(strcmp(kg_grad_map_value(c.map, v).place, "array"), "%s: %s", none[_i], kg_grad_map_value(c.map, v).elements);
  adt_free(&c);
  adt_holds(none[_i]);
}
END_TEST

/* Reverse over reverse: the trips of strips are quotients of differences, and their tapes are no longer than those of the first. */
#define STRIPS(range) "program p { workgroup 4 grid 1 param k : u32 = 90 buffer x : f32[4] read buffer c : u32[4] read in 0 .. 9 buffer y :" \
                      " f32[4] write let i = local_id.x var t = x[i] for j in " range " { t = sin(t) * 1.1 } y[i] = t }"
static const char *const twice[] = {
  STRIPS("c[i] .. 80"), STRIPS("3 - i32(c[i]) .. 60 + i32(i) step 3 reversed"), STRIPS("c[i] .. k"),
  STRIPS("0 .. (c[i] * 20 + 2) / 3"), STRIPS("-4 .. 60 + i32(c[i])"), STRIPS("-4 .. 60 + i32(c[i]) reversed"),
};

START_TEST(keeps_few_twice) {
  adt_case once = {.seed = 3}, c = {.seed = 3};
  char *text = NULL;
  size_t size = 0;
  adt_prepare(&once, twice[_i], NULL);
  ck_assert_int_eq(kg_module_print(NULL, once.adjoint, NULL, &text, &size), KG_OK);
  adt_prepare(&c, text, NULL);
  for (size_t t = 0; t < kg_grad_map_tape_count(c.map); t++) ck_assert_uint_le(kg_grad_map_tape(c.map, t).bytes, 4 * 4 * 90);
  adt_verify(&c);
  adt_free(&once), adt_free(&c);
  free(text);
}
END_TEST

/* A trip loads all of an array and then overwrites it: a copy at its beginning is kept, and not what each load gives. */
#define CELL(state) "program p { const S = 8 workgroup 4 grid 1 param k : u32 = 30 buffer x : f32[S, 4] read" \
                                   " buffer w : f32[S, S] read buffer y : f32[S, 4] write let i = local_id.x " state \
                                   " for s in 0 .. S { h[s] = x[s, i] } for t in 0 .. k { var g : f32[S]" \
                                   " for s in 0 .. S { var z = 0.0 for p in 0 .. S { z += w[s, p] * sin(h[p]) } g[s] = tanh(z) }" \
                                   " for s in 0 .. S { h[s] = g[s] } } for s in 0 .. S { y[s, i] = h[s] } }"
/* A run before another, whose reverse runs all of the branch again. */
#define GUARDED_CELL "module m { param k : u32 = 30 buffer x : f32[8, 4] read buffer w : f32[8, 8] read buffer y : f32[8, 4] temp" \
  " buffer o : f32[8, 4] write program p { workgroup 4 grid 1 param k : u32 buffer x : f32[8, 4] read buffer w : f32[8, 8] read" \
  " buffer y : f32[8, 4] write let i = global_id.x if i < 4 { var h : f32[17]" \
  " for s in 0 .. 8 { h[s] = x[s, i] } for t in 0 .. k { var g : f32[8]" \
  " for s in 0 .. 8 { var z = 0.0 for p in 0 .. 8 { z += w[s, p] * sin(h[p]) } g[s] = tanh(z) }" \
  " for s in 0 .. 8 { h[s] = g[s] } } for s in 0 .. 8 { y[s, i] = h[s] } } }" \
  " program q { workgroup 4 grid 1 buffer y : f32[8, 4] read buffer o : f32[8, 4] write" \
  " for s in 0 .. 8 { o[s, local_id.x] = sin(y[s, local_id.x]) } } run p(k = k) run q }"
typedef struct copied { const char *text; uint64_t most; } copied; /* bytes */
static const copied copies[] = {
  {CELL("var h : f32[S]"), 4 * 4 * 8 * 30}, /* in strips, even fewer */
  {CELL("var h : f32[17]"), 4 * 4 * 25 * 30}, /* the state is too long for strips */
  {GUARDED_CELL, 4 * 4 * 25 * 30},
};

START_TEST(keeps_copies) {
  adt_case c = {.seed = 4};
  uint64_t bytes = 0;
  adt_prepare(&c, copies[_i].text, NULL);
  for (size_t t = 0; t < kg_grad_map_tape_count(c.map); t++) bytes += kg_grad_map_tape(c.map, t).bytes;
  ck_assert_uint_le(bytes, copies[_i].most);
  adt_verify(&c);
  adt_free(&c);
}
END_TEST

/* A run whose adjoint is a program of its own, before another that overwrites what it has loaded: of each the words that an invocation
 * keeps. It has four invocations. */
#define SUMS(body) "module m { param k : u32 = 3 buffer x : f32[8, 4] read_write buffer e : u32[2, 4] read_write in 0 .. 4\n" \
  "buffer y : f32[8, 4] write buffer z : f32[4] read_write\n" \
  "program p { workgroup 4 grid 1 param k : u32 buffer x : f32[8, 4] read buffer e : u32[2, 4] read buffer y : f32[8, 4] write\n" \
  "let i = local_id.x " body " }\n" \
  "program q { workgroup 4 grid 1 buffer x : f32[8, 4] read_write buffer e : u32[2, 4] read_write buffer z : f32[4] read_write\n" \
  "let i = local_id.x z[i] = x[0, i] * z[i] for k in 0 .. 8 { x[k, i] = 0.5 } e[0, i] = 1 e[1, i] = 2 }\n" \
  "run p(k = k) run q }"
#define FOUR "x[0, i] + x[1, i] + x[2, i] + x[3, i]"
typedef struct summed { const char *text; unsigned words; } summed;
static const summed sums[] = {
  {SUMS("let s = " FOUR " y[0, i] = s * s"), 1},
  {SUMS("let s = " FOUR " y[0, i] = s"), 0},
  {SUMS("let s = " FOUR " y[0, i] = s * s y[1, i] = x[1, i] * x[1, i]"), 2},
  {SUMS("let s = " FOUR " let d = x[0, i] - x[1, i] y[0, i] = s * s y[1, i] = d * d y[2, i] = s * d"), 2},
  {SUMS("y[0, i] = x[0, i] * x[1, i] + x[2, i] * x[3, i]"), 4},
  {SUMS("let v = sin(x[0, i]) let w = cos(v) y[0, i] = w * v"), 1}, /* no word is spared: x itself, as ever */
  {SUMS("y[0, i] = exp(x[0, i])"), 0},                 /* y holds it */
  {SUMS("if i < 3 { let s = " FOUR " if s > 0.0 { y[0, i] = s * s } else { y[0, i] = sin(s) } } else { y[0, i] = x[0, i] * x[1, i] }"), 3},
  {SUMS("let s = " FOUR " var t = 0.0 for j in 0 .. k { t += sin(s * f32(j)) } y[0, i] = t"), 1},
  {SUMS("var t = 0.0 for j in 0 .. k { t += sin(x[0, i] * f32(j)) * sin(x[1, i] + f32(j)) } y[0, i] = t"), 2}, /* not in each trip */
  {SUMS("let s = f64(x[0, i]) + f64(x[1, i]) y[0, i] = f32(s * s)"), 2}, /* it has the words of both */
  {SUMS("let s = f64(x[0, i]) + f64(x[1, i]) + f64(x[2, i]) y[0, i] = f32(s * s)"), 2},
  {SUMS("let c = " FOUR " > 0.0 y[0, i] = select(c, 2.0, 3.0) * x[4, i]"), 1},
  {SUMS("let at = (e[0, i] + e[1, i]) % 4 y[0, i] = sin(x[at, i])"), 2},
  {SUMS("let s = " FOUR " if i == 0 { return } y[0, i] = s * s"), 1},
};

START_TEST(keeps_sums) {
  adt_case c = {.seed = 4};
  uint64_t bytes = 0;
  adt_prepare(&c, sums[_i].text, NULL);
  for (size_t t = 0; t < kg_grad_map_tape_count(c.map); t++) bytes += kg_grad_map_tape(c.map, t).bytes;
  ck_assert_uint_eq(bytes, 4 * 4 * sums[_i].words);
  adt_verify(&c);
  adt_free(&c);
}
END_TEST

/* A bound that is too low: by data past what was stated of them, by signed factors that are both negative, or by a quotient of what wraps.
 * Then the run fails at an assert of the forward sweep, and leaves no gradient that is wrong. `c` holds 9 here. */
#define TOO_LOW(range) "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer c : u32[1] read in 2 .. 8 buffer y : f32[1] write\n" \
                       "var t = x[0] for j in " range " { t = sin(t) * 1.1 } y[0] = t }"
static const char *const too_low[] = {TOO_LOW("0 .. c[0]"), TOO_LOW("0 .. c[0] * 60"), TOO_LOW("0 .. -3 * (2 - i32(c[0]))"),
                                      TOO_LOW("0 .. (8 - c[0]) / 8388608")};

static void fails_at_an_assert(adt_case *c) {
  kg_reference_report report;
  adt_copy(&c->result, &c->before);
  kg_status status = kg_reference_run(&(kg_reference_params){.module = c->result.module, .buffers = c->result.array,
                                                              .lengths = c->result.length, .param_bits = c->result.param}, &report);
  ck_assert_int_eq(status, KG_FAILED);
  ck_assert_int_eq(report.fault, KG_FAULT_ASSERT);
}

START_TEST(says_that_a_bound_is_too_low) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, too_low[_i], NULL);
  adt_set(&c.before, "c", 0, 9);
  fails_at_an_assert(&c);
  adt_free(&c);
}
END_TEST

/* x grows to 400 in as many trips: past those that are assumed the run fails, and no gradient is wrong. With a limit it is right. */
#define COUNTS(limit) "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer y : f32[1] write\n" \
                      "var t = x[0] var j = 0 while f32(j) < x[0] " limit " { t = t + 0.001 * t * t / (1.0 + t) j = j + 1 } y[0] = t }"

static void prepare_counts(adt_case *c, const char *text) {
  adt_prepare(c, text, NULL);
  adt_set(&c->before, "x", 0, 400);
}

START_TEST(past_what_is_assumed) {
  adt_case c = {.seed = 3};
  prepare_counts(&c, COUNTS(""));
  fails_at_an_assert(&c);
  adt_free(&c);
}
END_TEST

START_TEST(within_a_limit) {
  adt_case c = {.seed = 3};
  prepare_counts(&c, COUNTS("limit 500"));
  adt_verify(&c);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, kernels), KGT_TIMES(keeps_few_in_arrays, KGT_COUNT(few)),
                            KGT_TEXTS(keeps_none, none), KGT_TIMES(keeps_few_twice, KGT_COUNT(twice)), KGT_TIMES(keeps_copies, KGT_COUNT(copies)),
                            KGT_TIMES(keeps_sums, KGT_COUNT(sums)),
                            KGT_TIMES(says_that_a_bound_is_too_low, KGT_COUNT(too_low)), KGT(past_what_is_assumed), KGT(within_a_limit)};
  return kgt_run("autodiff/tapes", tests, KGT_COUNT(tests));
}
