/* --deterministic where many invocations contribute to an element: contributions are listed, and gathered in order. The gradients are those of
 * the duals and of closed forms, no float is added atomically, and what the run itself would look at is still refused. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 6 param a : f32 = 2.0\n" \
             "buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[n] read_write buffer idx : i32[n] read in -2 .. 9\n" \
             "buffer d : f64[n] read buffer e : f64[n] write buffer m : f32[3, n] read let i = global_id.x "

static const char *const listed[] = {
  HEAD "y[i] = x[idx[i]] * x[0] }",
  HEAD "y[i] = x[idx[i]] * x[i] }",                                     /* some of them each its own */
  HEAD "if i < n { if x[i] > 0.0 { y[i] = x[n - 1] * x[i] } else { y[i] = x[1] } } }",
  HEAD "var t = 0.0 for j in 0 .. n { for k in 0 .. 2 { t += x[j] * x[j + k] } } y[i] = t * x[i] }",
  HEAD "var t = 1.0 var j = u32(0) while t < 9.0 limit 20 { t = t * 1.5 + x[j] * x[j] j += 1 } y[i] = t }",
  HEAD "var t = 0.0 for j in 0 .. n { if x[j] > 1.0 { break } t = t + x[j] * x[j] } y[i] = t }",
  HEAD "e[i] = d[idx[i]] * d[2] y[i] = x[i] }",
  HEAD "y[i] = m[idx[i], i] * m[1, idx[i]] }",
  HEAD "y[i] = m[i64(idx[i]) + 3, 1] * m[0, 0] }",
  HEAD "s[i] = s[i] * x[3] + x[u32(4)] }",
  "program p { workgroup 4 grid 3 buffer x : f32[] read buffer y : f32[12] write let i = global_id.x y[i] = x[i / 5] * x[i % 5] }",
  "program p { workgroup 2, 2 grid 2, 2 buffer x : f32[4] read buffer y : f32[16] write let i = global_id.y * 4 + global_id.x\n"
  "y[i] = x[local_id.x] * x[workgroup_id.y] * x[2] }",
  "program p { workgroup 4 grid 2 buffer x : f32 read buffer y : f32[8] write let i = global_id.x y[i] = x * x + 1.0 }",
  /* no trips, and as many as another buffer says */
  "program p { workgroup 4 grid 2 param c : u32 = 0 buffer x : f32[4] read buffer y : f32[8] write let i = global_id.x\n"
  "var t = x[i % 3] for j in 0 .. c { t += x[j] } y[i] = t }",
  /* through two views of one buffer */
  "program p { workgroup 4 grid 2 buffer x : f32[4] read view(set 0, binding 0, offset 0, stride 8)\n"
  "buffer z : f32[8] read view(set 0, binding 0, offset 0, stride 4) buffer y : f32[8] write let i = global_id.x y[i] = x[i % 4] * z[i % 3] }",
  /* in rounds; slices; twice the same run; a run that goes on */
  "module m { param n : u32 = 5 buffer x : f32[n] read buffer h : f32[n] read_write buffer y : f32[n] write\n"
  "program step { workgroup 4 grid invocations n param n : u32 buffer x : f32[] read buffer h : f32[n] read_write let i = global_id.x\n"
  "if i < n { h[i] = h[i] * x[i / 2] + x[0] } }\n"
  "program last { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read buffer y : f32[n] write let i = global_id.x\n"
  "if i < n { y[i] = h[i] * h[n - 1] } }\n"
  "run step(n = n, x = x, h = h) repeat part in 0 .. 3 { run step(n = n, x = x[part .. n], h = h) } run last(n = n, h = h, y = y) }",
};

/* The text of a module; to be freed. */
static char *text_of(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  return text;
}

START_TEST(as_the_duals) {
  for (int accumulate = 0; accumulate < 2; accumulate++) {
    adt_case c = {.seed = 7, .params = {.accumulate = accumulate, .deterministic = true}, .label = listed[_i]};
    adt_prepare(&c, listed[_i], NULL);
    char *text = text_of(c.adjoint);
    ck_assert_msg(!strstr(text, "atomic_add"), "it adds atomically:\n%s", text);
    ck_assert_msg(strstr(text, "gather_"), "nothing is gathered:\n%s", text);
    free(text);
    adt_verify(&c);
    adt_free(&c);
  }
}
END_TEST

/* y[i] = a x[idx[i]] with idx = 4 4 -1 0 6 4: elements 4 and 0 get what comes, what lies outside is dropped. */
START_TEST(scattered) {
  static const double index[] = {4, 4, -1, 0, 6, 4}, want[] = {2 * 8, 0, 0, 0, 2 * (1 + 2 + 32), 0};
  const char *wrt[] = {"x", "a"}, *of = "y";
  adt_case c = {.params = {.deterministic = true, .wrt = wrt, .wrt_count = 2, .of = &of, .of_count = 1}};
  adt_prepare(&c, HEAD "y[i] = a * x[idx[i]] }", NULL);
  for (uint64_t i = 0; i < 6; i++) {
    adt_set(&c.before, "idx", i, index[i]), adt_set(&c.before, "x", i, (double)i + 1);
  }
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 6; i++) adt_set(&c.result, "grad_y", i, (double)(1 << i));
  adt_run(&c.result);
  for (uint64_t i = 0; i < 6; i++) ck_assert_double_eq(adt_get(&c.result, "grad_x", i), want[i]);
  ck_assert_double_eq(adt_get(&c.result, "grad_a", 0), 5 * (1 + 2 + 32) + 8);
  adt_free(&c);
}
END_TEST

/* 3e8 + 1 - 3e8 is 0 in f32, and 1 in the other order: the order is that of the invocations. */
START_TEST(in_order) {
  static const double cotangent[] = {3e8, 1, -3e8, 5, 1e9, 1};
  adt_case c = {.params.deterministic = true};
  adt_prepare(&c, "program p { workgroup 1 grid invocations n param n : u32 = 6 buffer x : f32[1] read buffer y : f32[n] write\n"
                  "var at = u32(0) if global_id.x >= n { at = 1 } y[global_id.x] = x[global_id.x * 0 + at] }", NULL);
  adt_set(&c.before, "x", 0, 1);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 6; i++) adt_set(&c.result, "grad_y", i, cotangent[i]);
  adt_run(&c.result);
  float sum = 0;
  for (int i = 0; i < 6; i++) sum += (float)cotangent[i];
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 0), (double)sum);
  adt_free(&c);
}
END_TEST

/* A list of more elements than one run takes. */
START_TEST(long_list) {
  adt_case c = {.params.deterministic = true};
  adt_prepare(&c, "program p { workgroup 64 grid invocations n param n : u32 = 700 buffer x : f32[3] read buffer y : f32[n] write\n"
                  "let i = global_id.x var t = 0.0 for j in 0 .. 100 { t += x[(i + u32(j)) % 3] } if i < n { y[i] = t } }", NULL);
  for (uint64_t i = 0; i < 3; i++) adt_set(&c.before, "x", i, 1);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 700; i++) adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  double sum = 0, at[3] = {0};
  for (int i = 0; i < 700; i++)
    for (int j = 0; j < 100; j++) at[(i + j) % 3]++;
  for (uint64_t i = 0; i < 3; i++) {
    sum += adt_get(&c.result, "grad_x", i);
    ck_assert_double_eq(adt_get(&c.result, "grad_x", i), at[i]);
  }
  ck_assert_double_eq(sum, 70000);
  adt_free(&c);
}
END_TEST

static const char *const looked_at[] = {
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer z : f32[n] read_write\n"
  "let i = global_id.x let t = z[i / 2] barrier z[i] = t }",
};

/* Shared memory, which is looked at behind each barrier: a copy for each invocation. */
#define GROUP "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer y : f32[8] read_write buffer idx : i32[8] read in -2 .. 6\n" \
              "shared t : f32[4] shared d : f64[4] shared s : f32 let i = global_id.x let l = local_id.x "

static const char *const spread[] = {
  GROUP "t[l] = x[i] barrier y[i] = t[u32(x[i]) % 4] * t[0] }",
  GROUP "t[l] = x[i] * x[i] barrier var v = 0.0 for j in 0 .. 3 { v += t[idx[i]] * t[j] } barrier t[3 - l] = v * x[i] barrier y[i] = t[idx[i]] * t[1] }",
  GROUP "t[l] = x[i] for j in 0 .. 3 { barrier let v = t[idx[i] + j] * t[2] barrier t[l] = v + x[i] } y[i] = t[l] }",
  GROUP "d[l] = f64(x[i]) barrier if x[i] > 0.0 { y[i] = f32(d[idx[i]]) * x[i] } }",
  GROUP "if l == 0 { s = x[i] } barrier y[i] = s * s * x[i] barrier if l == 2 { s = x[i] * s } barrier y[i] += s }",
  /* no barrier between: they are the invocation's own, though nothing shows it */
  GROUP "t[l] = x[i] let u = t[i64(l)] t[l] = u * u y[i] = t[i64(l)] * x[i] barrier y[i] += t[idx[i]] }",
  GROUP "t[l] = x[i] barrier atomic_add(t[idx[i]], x[i]) barrier y[i] = t[idx[i]] * t[l] }",
  /* the barrier at the end of a round is one of the slice already, and yet what y's loads added is gathered there */
  GROUP "t[l] = x[i % 4] barrier for k in u32(0) .. 2 reversed { let h = 1 << k if l < h { t[l] = max(t[l], t[l + h]) } barrier } y[i] = t[0] * x[i] }",
  "program p { workgroup 2, 2, 2 grid 2, 2 buffer x : f32[32] read buffer y : f32[32] write shared t : f32[2, 4]\n"
  "let i = (global_id.z * 4 + global_id.y) * 4 + global_id.x let l = local_index\n"
  "t[l / 4, l % 4] = x[i] barrier y[i] = t[local_id.x, local_id.y] * t[1, l % 4 / 2] * t[l, 0] }",
};

START_TEST(spread_over_lanes) {
  adt_case c = {.seed = 7, .params = {.deterministic = true}, .label = spread[_i]};
  adt_prepare(&c, spread[_i], NULL);
  adt_verify(&c);
  adt_free(&c);
}
END_TEST

/* As in_order, by way of shared memory: 3e8 + 1 + 5 - 3e8 is 0 in this order. */
START_TEST(lanes_in_order) {
  static const double cotangent[] = {3e8, 1, 5, -3e8};
  adt_case c = {.params.deterministic = true};
  adt_prepare(&c, "program p { workgroup 4 grid 1 buffer x : f32[1] read buffer y : f32[4] write shared t : f32[1]\n"
                  "if local_id.x == 2 { t[0] = x[0] } barrier y[local_id.x] = t[local_id.x * 0] }", NULL);
  adt_copy(&c.result, &c.before);
  float sum = 0;
  for (uint64_t i = 0; i < 4; i++) adt_set(&c.result, "grad_y", i, cotangent[i]), sum += (float)cotangent[i];
  adt_run(&c.result);
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 0), (double)sum);
  adt_free(&c);
}
END_TEST

START_TEST(refused) {
  adt_case c = {.params.deterministic = true};
  ck_assert_int_eq(adt_differentiate(&c, looked_at[_i]), KG_REFUSED);
  ck_assert_str_eq(c.diag, "grad-not-deterministic");
  adt_free(&c);
}
END_TEST

/* No list has an order for that: the one whose operand came first has all of it. */
START_TEST(extremes_are_refused) {
  adt_case c = {.params.deterministic = true};
  ck_assert_int_eq(adt_differentiate(&c, "module m { buffer x : f32[6] read buffer y : f32[1] read_write program ext { workgroup 4 grid 2\n"
    "buffer x : f32[6] read buffer y : f32[1] read_write let i = global_id.x if i < 6 { atomic_max(y[0], x[i]) } } run ext(x = x, y = y) }"), KG_REFUSED);
  ck_assert_str_eq(c.diag, "grad-extreme-order");
  adt_free(&c);
}
END_TEST

START_TEST(explained) {
  const char *of = "y";
  adt_case c = {.params = {.deterministic = true, .of = &of, .of_count = 1}};
  adt_prepare(&c, HEAD "y[i] = x[idx[i]] }", NULL);
  kg_grad_share share = kg_grad_map_share(c.map, 0);
  ck_assert_str_eq(share.how, "gathered");
  ck_assert_uint_eq(kg_grad_map_tape_count(c.map), 2);
  ck_assert_uint_eq(kg_grad_map_tape(c.map, 0).bytes, 32);
  ck_assert(kg_grad_map_tape(c.map, 0).list);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TEXTS(as_the_duals, listed), KGT(scattered), KGT(in_order), KGT(long_list), KGT_TEXTS(spread_over_lanes, spread), KGT(lanes_in_order), KGT_TEXTS(refused, looked_at), KGT(extremes_are_refused), KGT(explained),
  };
  return kgt_run("autodiff/listed", tests, KGT_COUNT(tests));
}
