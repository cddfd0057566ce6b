/* Buffers that are copied for an adjoint, because a later run overwrites what the run loads, more often than there are elements.
 * The gradient is right with copies and with tapes; the map says which it was. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "module m { param n : u32 = 5 param t : u32 = 3 buffer a : f32[n, n] read_write buffer b : f32[n, n] read_write " \
             "buffer c : f32[n, n] read_write buffer s : f32 read_write buffer h : f32[2 * n, n] read_write\n" \
             "program product { workgroup 4, 2 grid invocations n, n param n : u32 buffer a : f32[n, n] read buffer b : f32[n, n] read " \
             "buffer c : f32[n, n] write let j = global_id.x let i = global_id.y\n" \
             "if i < n && j < n { var t = 0.0 for k in 0 .. n { t += a[i, k] * b[k, j] } c[i, j] = t } }\n" \
             "program triangle { workgroup 4, 2 grid invocations n, n param n : u32 buffer a : f32[n, n] read buffer b : f32[n, n] read " \
             "buffer c : f32[n, n] write let j = global_id.x let i = global_id.y if i < n && j < n { var t = 0.0 for k in 0 .. n { " \
             "var e = 0.0 if k <= i { e = a[i, k] } t += e * b[k, j] } c[i, j] = t } }\n" \
             "program squash { workgroup 4 grid invocations len(x) buffer x : f32[] read_write " \
             "let i = global_id.x if i < len(x) { x[i] = sin(x[i]) } }\n" \
             "program scaled { workgroup 4 grid invocations len(x) buffer x : f32[] read_write buffer by : f32 read " \
             "let i = global_id.x if i < len(x) { x[i] = 0.5 * x[i] * by } }\n" \
             "program next { workgroup 1 grid 1 buffer by : f32 read_write by = by * by + 0.25 }\n" \
             "program smooth { workgroup 4 grid invocations n param n : u32 buffer a : f32[n, n] read_write " \
             "buffer s : f32[n] read let i = global_id.x if i < n { var t = 0.0 for k in 0 .. n { t += s[k] * s[(k + i) % n] } a[i, 0] = t * a[i, 1] } }\n"

/* A temporary of which only the first row is written and read. */
#define PART "module m { param n : u32 = 6 buffer e : f32[n] read buffer y : f32[n] read_write buffer w : f32[n, n] temp\n" \
             "program fill { workgroup 4 grid invocations n param n : u32 buffer e : f32[n] read buffer w : f32[n, n] write " \
             "let i = global_id.x if i < n { w[0, i] = e[i] } }\n" \
             "program cubes { workgroup 4 grid invocations n param n : u32 buffer w : f32[n, n] read " \
             "buffer y : f32[n] read_write " \
             "let i = global_id.x if i < n { var t = 0.0 for j in 0 .. n { for k in 0 .. n { " \
             "t += w[0, k] * w[0, (k * j + i) % n] * w[0, j] } } y[i] = sin(t) + y[i] } }\n"

typedef struct row { const char *name, *text; size_t copies; } row;
static const row rows[] = {
  {"both factors", HEAD "run product run squash(x = a) run squash(x = b) }", 2},
  {"one factor", HEAD "run product run squash(x = b) }", 1},
  {"by way of a var", HEAD "run triangle run squash(x = a) }", 1},
  {"none", HEAD "run product run squash(x = c) }", 0},
  {"of each round", HEAD "repeat k in 0 .. t { run product run squash(x = a) run squash(x = b) } }", 2},
  {"of each round, downward", HEAD "repeat k in 1 .. 2 * t step 2 reversed { run product run squash(x = a) } }", 1},
  {"of rounds in rounds",
   HEAD "repeat k in 0 .. 2 { repeat j in k .. t { run product run squash(x = a) } run squash(x = b) } }", 2},
  {"of no rounds", HEAD "repeat k in t .. t { run product run squash(x = a) } }", 1},
  {"ping-pong", HEAD "repeat k in 0 .. t { run product(a = a, b = b, c = c) run product(a = c, b = b, c = a) } }", 2},
  {"twice of one buffer", HEAD "run product run squash(x = a) run product run squash(x = a) run squash(x = b) }", 4},
  {"two of the run's, which are one of the module's", HEAD "run product(a = a, b = a, c = c) run squash(x = a) }", 1},
  {"a scalar", HEAD "run scaled(x = a, by = s) run next(by = s) run scaled(x = a, by = s) run squash(x = a) }", 1},
  {"a part of a buffer", HEAD "run product(a = h[0 .. n * n], b = b, c = c) run squash(x = h) }", 1},
  {"parts by turns", HEAD "repeat k in 0 .. t { run product(a = h[k % 2 * (n * n) .. (k % 2 + 1) * (n * n)], b = b,\n"
    "c = h[(k + 1) % 2 * (n * n) .. ((k + 1) % 2 + 1) * (n * n)]) } }", 1},
  {"a part that grows by the round", HEAD "repeat k in 1 .. t { run scaled(x = h[0 .. k * n], by = s) run next(by = s) } }", 1},
  {"of what is written in part", PART "run fill run cubes run fill(e = y) run cubes }", 1},
  {"of what is written in part, in rounds", PART "repeat k in 0 .. 3 { run fill run cubes run fill(e = y) run cubes } }", 2},
  {"what the run itself writes", HEAD "run smooth(n = n, a = a, s = b[0 .. n]) run squash(x = a) }", 0},
};

START_TEST(modules) {
  const row *r = &rows[_i];
  adt_case c = {.seed = (uint64_t)_i + 7, .label = r->name};
  adt_prepare(&c, r->text, NULL);
  size_t copies = 0;
  for (size_t k = 0; k < kg_grad_map_tape_count(c.map); k++) copies += *kg_grad_map_tape(c.map, k).copy_of != 0;
  adt_verify(&c);
  ck_assert_msg(copies == r->copies, "%s: %zu copies, expected %zu", r->name, copies, r->copies);
  adt_free(&c);
}
END_TEST

/* n * n values each, where tapes would hold n * n * n; and a limit between the two can be kept to. */
START_TEST(bytes) {
  adt_case c = {.seed = 3, .params = {.tape_limit = 400}};
  adt_prepare(&c, rows[0].text, NULL);
  for (size_t k = 0; k < kg_grad_map_tape_count(c.map); k++) {
    kg_grad_tape tape = kg_grad_map_tape(c.map, k);
    if (*tape.copy_of) ck_assert_uint_eq(tape.bytes, 5 * 5 * 4);
  }
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(modules, rows, name), KGT(bytes)};
  return kgt_run("autodiff/aside", tests, KGT_COUNT(tests));
}
