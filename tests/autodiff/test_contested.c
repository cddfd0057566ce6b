/* Atomics on elements that several invocations change, across workgroups: extremes of a lone program and of several runs, and stores and
 * exchanges of what no input reaches; and what shows that an element is one invocation's own. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 10 param a : f32 = 2.0\n" \
             "buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[3] read_write let i = global_id.x "

static const char *const hold[] = {
  HEAD "atomic_max(s[0], x[i]) }",
  HEAD "if i < n { atomic_min(s[i % 3], x[i] * x[i]) y[i] = x[i] } }",
  HEAD "for j in 0 .. 3 { atomic_max(s[j], x[i] * a) } }",
  /* barriers between do not matter where only the end counts */
  HEAD "atomic_max(s[0], x[i]) barrier atomic_max(s[0], x[i] * a) for j in 0 .. 2 { atomic_max(s[j], x[0]) barrier } }",
  HEAD "y[i] = x[i] * x[i] atomic_store(s[0], 1.0) }",
  HEAD "y[i] = x[i] if i % 2 == 1 { atomic_exchange(s[1], 3.0) atomic_store(s[2], 1.0) } }",
  HEAD "y[i] = x[i] for j in 0 .. i % 3 { atomic_exchange(s[j], stop_gradient(x[0])) } }",
  /* another view lies over it, which nobody touches */
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer s : f32[3] read_write view(set 0, binding 3, offset 4, stride 8)\n"
  "buffer t : f32[3] write view(set 0, binding 3, offset 4, stride 8) atomic_max(s[global_id.x % 3], x[global_id.x]) }",
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer s : f32[3] read_write view(set 0, binding 3, offset 4, stride 8)\n"
  "buffer t : f32[3] write view(set 0, binding 3, offset 4, stride 8) buffer y : f32[8] write let i = global_id.x\n"
  "y[i] = x[i] * x[i] atomic_exchange(s[i % 2], 3.0) }",
  /* under a condition that an atomic decides, behind a memory_barrier: an element of one's own */
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer z : f32[8] read_write buffer y : f32[8] read_write buffer done : u32[1] read_write\n"
  "let i = global_id.x z[i] = x[i] * x[i] memory_barrier if atomic_add(done[0], 1) % 2 < 2 { memory_barrier y[i] = z[i] * y[i] } }",
  /* two runs, instead of one whose last workgroup adds up what all have left */
  "module m { buffer x : f32[8] read buffer part : f32[2] temp buffer y : f32[1] write\n"
  "program sums { workgroup 4 grid 2 buffer x : f32[8] read buffer part : f32[2] write shared t : f32[4] let l = local_id.x\n"
  "t[l] = x[global_id.x] barrier if l == 0 { var all = 0.0 for k in 0 .. 4 { all += t[k] * t[k] } part[workgroup_id.x] = all } }\n"
  "program total { workgroup 1 grid 1 buffer part : f32[2] read buffer y : f32[1] write\n"
  "var sum = 0.0 for g in 0 .. 2 { sum += part[g] } y[0] = sqrt(sum) } run sums run total }",
  /* stored over, and then added to, behind a barrier */
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer y : f32[8] write shared t : f32[2] let l = local_id.x\n"
  "if l < 2 { t[l] = x[l] } barrier var u = t[l % 2] barrier atomic_store(t[0], 1.0) barrier\n"
  "u += t[0] * x[l] * t[1] barrier atomic_add(t[0], x[global_id.x]) barrier y[global_id.x] = u + t[0] * x[2] }",
};

/* Plain stores show that an element is the invocation's own, where its index does not: T may be anything. */
#define OWN "program p { const T = 4 workgroup T grid 2 buffer x : f32[8] read buffer y : f32[8] write buffer z : f32[8] read_write\n" \
            "buffer q : f32[8] write buffer r : f32[6] write let i = global_id.x let j = workgroup_id.x * 4 + local_id.x "

static const char *const owned[] = {
  OWN "z[j] = x[i] * z[j] let old = atomic_exchange(z[j], x[i] * x[i]) y[j] = old * z[j] }",
  OWN "if x[i] > 0.0 { for k in 0 .. 2 { let old = atomic_max(z[workgroup_id.x * 4 + local_id.x], x[i] * f32(k)) y[j] = old } } z[j] *= z[j] }",
  OWN "barrier atomic_store(z[j], x[i] * x[i]) barrier y[j] = z[j] z[j] = 3.0 * z[j] }",
  /* to the same element of another buffer */
  OWN "q[7 - j] = 1.0 let old = atomic_min(z[7 - j], x[i]) y[7 - j] = old * old }",
  OWN "y[j] = x[i] let a = atomic_exchange(z[j], 2.0 * x[i]) let b = atomic_max(z[j], x[i] * x[i]) q[j] = a * b }",
  /* a quotient bounds both the grid and the length; nobody uses what an atomic load gives */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer z : f32[(n + 3) / 4 * 8] read_write\n"
  "buffer y : f32[n] write let i = global_id.x let at = local_id.x * 2 + 1\n"
  "let old = atomic_exchange(z[workgroup_id.x * 8 + at], x[i] * x[i]) y[i] = old * x[i] }",
  "program p { workgroup 4 grid (n + 3) / 4 param n : u32 = 6 buffer x : f32[n] read buffer z : f32[(n + 3) / 4 * 4] read_write\n"
  "buffer y : f32[n] write let i = global_id.x let old = atomic_max(z[workgroup_id.x * 4 + local_id.x], x[i] * x[i]) y[i] = old * x[i] }",
  "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : f32[8] let l = local_id.x\n"
  "t[l] = x[l] t[l + 4] = x[l] barrier atomic_load(t[l + 4 * num_workgroups.x]) let a = atomic_exchange(t[l], x[l] * x[l])\n"
  "barrier y[l] = a * t[3 - l] }",
  /* a run binds more than is declared, which is what counts: beyond 4 elements nobody changes s, and below an element is one's own */
  "module m { buffer x : f32[8] read buffer s : f32[8] read_write buffer o : f32[8] write buffer q : f32[4] write\n"
  "program p { const T = 4 workgroup T grid 2 param n : u32 buffer x : f32[8] read buffer s : f32[n] read_write buffer y : f32[n] write\n"
  "buffer o : f32[8] write let i = workgroup_id.x * 4 + local_id.x let k = select(i < 4, 3 - i, 4 + i / 2)\n"
  "let old = atomic_max(s[k], x[i]) y[k] = 1.0 o[i] = x[i] + old * x[i] }\n"
  "run p(x = x, s = s, y = q, o = o, n = 4) }",
};

/* Something is missing of that: the store may not be made, is to another element, or beyond the end; another atomic has none; what is
 * only loaded may be another's too. */
static const char *const not_owned[] = {
  OWN "if x[i] > 9.0 { z[j] = 1.0 }\nlet old = atomic_exchange(z[j], x[i]) y[i] = old }",
  OWN "z[j] = 1.0\nlet old = atomic_exchange(z[j + 1], x[i]) q[j] = old }",
  OWN "r[min(j, 6)] = 1.0\nlet old = atomic_exchange(z[min(j, 6)], x[i]) q[j] = old }",
  OWN "q[j] = 1.0 let old = atomic_exchange(z[j], x[i])\natomic_exchange(z[j / 2], x[i]) y[j] = old }",
  OWN "let was = z[j]\nlet old = atomic_exchange(z[j], x[i] + was) q[i] = old }",
  OWN "q[j] = 1.0 for k in 0 .. 2 {\nlet old = atomic_exchange(z[j * u32(1 - k)], x[i]) y[j] = old } }",
};

START_TEST(own_by_stores) { adt_holds(owned[_i]); } END_TEST

START_TEST(not_own_by_stores) {
  adt_case c = {.seed = 1};
  ck_assert_int_eq(adt_differentiate(&c, not_owned[_i]), KG_REFUSED);
  ck_assert_msg(!strcmp(c.diag, "grad-atomic") || !strcmp(c.diag, "grad-atomic-result"), "%s", c.diag);
  adt_free(&c);
}
END_TEST

/* What an extreme leaves is changed by a later run, or by a later round: whole buffers and slices of them, in repeats one in another. */
#define RUNS "module m { param n : u32 = 6 buffer x : f32[n] read buffer h : f32[4] read_write buffer y : f32[2] write\n" \
             "program top { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[2] read_write param k : u32\n" \
             "let i = global_id.x if i < n { atomic_max(h[i % 2], x[i] * f32(k + 1)) } }\n" \
             "program less { workgroup 2 grid 1 buffer h : f32[] read_write let i = local_id.x h[i] = h[i] * 0.5 }\n" \
             "program out { workgroup 2 grid 1 buffer h : f32[4] read buffer y : f32[2] write let i = local_id.x y[i] = h[i] * h[i + 2] }\n"

static const char *const changed_later[] = {
  RUNS "run top(n = n, x = x, h = h[0 .. 2], k = 1) run less(h = h) run out(h = h, y = y) }",
  RUNS "repeat k in 0 .. 3 { run top(n = n, x = x, h = h[1 .. 3], k = k) } run out(h = h, y = y) }",
  RUNS "repeat j in 0 .. 2 { repeat k in j .. 3 { run less(h = h[2 .. 4]) run top(n = n, x = x, h = h[j .. j + 2], k = j) }\n"
       "run top(n = n, x = x, h = h[2 .. 4], k = 3 - j) } run out(h = h, y = y) run less(h = h) }",
  "module m { param n : u32 = 6 buffer x : f32[n] read buffer h : f64 temp buffer y : f64[1] read_write\n"
  "program zero { workgroup 1 grid 1 buffer h : f64 write h = 0.25 }\n"
  "program top { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f64 read_write\n"
  "let i = global_id.x if i < n { atomic_min(h, f64(x[i])) } }\n"
  "program out { workgroup 1 grid 1 buffer h : f64 read_write buffer y : f64[1] read_write\n"
  "y[0] = y[0] + h * h h = h + 0.5 }\n"
  "run zero(h = h) repeat k in 0 .. 2 reversed { run top(n = n, x = x, h = h) run out(h = h, y = y) } }",
  /* a copy of all that h holds, of which a part was written */
  "module m { param n : u32 = 6 buffer x : f32[n] read buffer h : f32[3 * n] temp buffer y : f32[n] read_write\n"
  "program fill { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[n] write\n"
  "let i = global_id.x if i < n { h[i] = x[i] } }\n"
  "program top { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[n] read_write\n"
  "let i = global_id.x if i < n { atomic_max(h[i % 2], x[i] * x[i]) } }\n"
  "program out { workgroup 4 grid invocations n param n : u32 buffer h : f32[n] read buffer y : f32[n] read_write\n"
  "let i = global_id.x if i < n { y[i] = sin(h[i]) * y[i] } } run fill run top run out run fill(x = y) run out }",
};

START_TEST(kept_for_later) { adt_holds(changed_later[_i]); } END_TEST

START_TEST(as_the_duals) { adt_holds(hold[_i]); } END_TEST

/* The largest of 0.5 and x = 1 .. 10, as s[0] holds it, is the last x: all of the cotangent goes there. Then s[0] itself is the largest. */
START_TEST(largest) {
  for (int first = 0; first < 2; first++) {
    adt_case c = {.seed = 3};
    adt_prepare(&c, HEAD "if i < n { atomic_max(s[0], x[i]) } }", NULL);
    for (uint64_t i = 0; i < 10; i++) adt_set(&c.before, "x", i, (double)(i * 7 % 10) + 1);
    adt_set(&c.before, "s", 0, first ? 20 : 0.5);
    adt_copy(&c.result, &c.before);
    for (uint64_t i = 0; i < 3; i++) adt_set(&c.result, "grad_s", i, 4 + (double)i);
    adt_run(&c.result);
    for (uint64_t i = 0; i < 10; i++) ck_assert_double_eq(adt_get(&c.result, "grad_x", i), !first && i * 7 % 10 == 9 ? 4 : 0);
    ck_assert_double_eq(adt_get(&c.result, "grad_s", 0), first ? 4 : 0);
    ck_assert_double_eq(adt_get(&c.result, "grad_s", 1), 5);
    ck_assert_double_eq(adt_get(&c.result, "s", 0), first ? 20 : 10);
    adt_free(&c);
  }
}
END_TEST

/* Overwritten by whoever: nothing comes back to what was there. s[2] is let alone. */
START_TEST(overwritten) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, HEAD "y[i] = x[i] atomic_exchange(s[i % 2], 3.0) }", NULL);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 3; i++) adt_set(&c.result, "grad_s", i, 4 + (double)i);
  for (uint64_t i = 0; i < 10; i++) adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  for (uint64_t i = 0; i < 3; i++) ck_assert_double_eq(adt_get(&c.result, "grad_s", i), i == 2 ? 6 : 0);
  adt_free(&c);
}
END_TEST

/* What the gradient is added to is no adjoint of the final contents, also where an atomic moves that. */
START_TEST(added_to) {
  static const char *const text[] = {
    "module m { buffer s : f32[1] read_write buffer y : f32[1] write\n"
    "program p { workgroup 4 grid 2 buffer s : f32[1] read_write atomic_max(s[0], 2.0) }\n"
    "program q { workgroup 1 grid 1 buffer s : f32[1] read buffer y : f32[1] write y[0] = s[0] * s[0] } run p(s = s) run q(s = s, y = y) }",
    "module m { buffer s : f32[1] read_write buffer y : f32[1] write\n"
    "program p { workgroup 4 grid 2 buffer s : f32[1] read_write atomic_store(s[0], 2.0) }\n"
    "program q { workgroup 1 grid 1 buffer s : f32[1] read buffer y : f32[1] write y[0] = s[0] * s[0] } run p(s = s) run q(s = s, y = y) }",
  };
  const char *wrt = "s", *of = "y";
  for (unsigned k = 0; k < 4; k++) {
    adt_case c = {.params = {.accumulate = true, .wrt = &wrt, .wrt_count = 1, .of = &of, .of_count = 1}};
    adt_prepare(&c, text[k / 2], NULL);
    adt_set(&c.before, "s", 0, k % 2 ? 5 : 1);
    adt_copy(&c.result, &c.before);
    adt_set(&c.result, "grad_s", 0, 100), adt_set(&c.result, "grad_y", 0, 3);
    adt_run(&c.result);
    ck_assert_double_eq(adt_get(&c.result, "grad_s", 0), k == 1 ? 130 : 100);
    adt_free(&c);
  }
}
END_TEST

/* y[i] = s[i] + x[i] has x's cotangent by way of s, and what the gradient of s is added to is no part of that. */
START_TEST(added_by) {
  static const char text[] = "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer s : f32[4] read_write buffer y : f32[4] write\n"
    "let i = global_id.x atomic_add(s[3 - i], x[3 - i]) barrier y[i] = s[i] }";
  const char *wrt[] = {"s", "x"}, *of = "y";
  adt_case c = {.params = {.accumulate = true, .wrt = wrt, .wrt_count = 2, .of = &of, .of_count = 1}};
  adt_prepare(&c, text, NULL);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 4; i++) {
    adt_set(&c.result, "grad_y", i, 3 + (double)i);
    adt_set(&c.result, "grad_s", i, 100), adt_set(&c.result, "grad_x", i, 1000);
  }
  adt_run(&c.result);
  for (uint64_t i = 0; i < 4; i++) {
    ck_assert_double_eq(adt_get(&c.result, "grad_s", i), 103 + (double)i);
    ck_assert_double_eq(adt_get(&c.result, "grad_x", i), 1003 + (double)i);
  }
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(as_the_duals, hold), KGT_TEXTS(own_by_stores, owned), KGT_TEXTS(not_own_by_stores, not_owned),
                            KGT_TEXTS(kept_for_later, changed_later), KGT(largest), KGT(overwritten), KGT(added_to), KGT(added_by)};
  return kgt_run("autodiff/contested", tests, KGT_COUNT(tests));
}
