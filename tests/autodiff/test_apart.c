/* Slices of one buffer that runs load and store to, or rows of it, told apart or not: what no later run overwrites is loaded again, else it
 * is kept on a tape. The gradient is right either way; the tape says which it was. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "module m { param n : u32 = 5 param t : u32 = 3 param s : i32 = 5 " \
             "buffer h : f32[8 * n] read_write buffer g : f32[n] read_write\n" \
             "program step { workgroup 4 grid invocations len(x) buffer x : f32[] read buffer y : f32[] write\n" \
             "let i = global_id.x if i < len(x) { y[i] = sin(x[i]) + 0.3 * x[i] * x[i] } }\n" \
             "program both { workgroup 4 grid invocations len(x) buffer x : f32[] read buffer w : f32[] read " \
             "buffer y : f32[] write\n let i = global_id.x if i < len(x) { y[i] = sin(x[i]) * w[i] } }\n" \
             "program squared { workgroup 4 grid invocations len(x) buffer x : f32[] read_write\n" \
             "let i = global_id.x if i < len(x) { x[i] = x[i] * x[i] } }\n"
#define X(from, to) "x = h[" from " .. " to "]"
#define Y(from, to) "y = h[" from " .. " to "]"

/* Rows of x by the param t, and of a flat f. */
#define STEP(x, type, step) \
  "module m { param T : u32 = 6 param n : u32 = 5 buffer h : f32[" x "] read_write\n" \
  "program step { workgroup 4 param T : u32 param n : u32 param t : " type " buffer h : f32[" x "] read_write\n" \
  "let i = global_id.x if i < n { " step " } }\n"
#define ROWS(step, loop) STEP("T, n", "u32", step) \
  "program again { workgroup 4 param T : u32 param n : u32 param t : u32 buffer h : f32[T, n] read_write\n" \
  "let i = global_id.x if i < n { h[t, i] = h[t, i] * h[t, i] } }\n" \
  "program turned { workgroup 4 param T : u32 param n : u32 param t : u32 buffer h : f32[n, T] read_write\n" \
  "let i = global_id.x if i < T { h[t + 1, i] = h[t + 1, i] * h[t + 1, i] } }\n" loop " }"
#define FLAT(step, loop) STEP("T * n", "u32", step) loop " }"
#define RUN "run step(t = t) invocations n"

typedef struct row { const char *name, *text; size_t tapes; } row;
static const row rows[] = {
  {"a history",
   HEAD "repeat k in 0 .. t { run step(" X("k * n", "(k + 1) * n") ", " Y("(k + 1) * n", "(k + 2) * n") ") } }", 0},
  {"a history, downward",
   HEAD "repeat k in 0 .. t reversed { run step(" X("(k + 1) * n", "(k + 2) * n") ", " Y("k * n", "(k + 1) * n") ") } }", 0},
  {"a history, in steps",
   HEAD "repeat k in 1 .. 7 step 2 { run step(" X("k * n", "(k + 1) * n") ", " Y("(k + 1) * n", "(k + 2) * n") ") } }", 0},
  {"a history of two",
   HEAD "repeat k in 0 .. t { run both(" X("k * n", "(k + 1) * n") ", w = h[(k + 1) * n .. (k + 2) * n], "
   Y("(k + 2) * n", "(k + 3) * n") ") } }", 0},
  {"a history by two runs",
   HEAD "repeat k in 0 .. t { run step(" X("2 * k * n", "(2 * k + 1) * n") ", " Y("(2 * k + 1) * n", "(2 * k + 2) * n") ")\n"
   "run step(" X("(2 * k + 1) * n", "(2 * k + 2) * n") ", " Y("(2 * k + 2) * n", "(2 * k + 3) * n") ") } }", 0},
  {"slices that stay",
   HEAD "run step(" X("0", "n") ", " Y("n", "2 * n") ") run step(" X("n", "2 * n") ", " Y("2 * n", "3 * n") ") }", 0},
  {"a first step",
   HEAD "run step(" X("0", "n") ", " Y("n", "2 * n") ") repeat k in 0 .. t { run step(" X("(k + 1) * n", "(k + 2) * n") ", "
   Y("(k + 2) * n", "(k + 3) * n") ") } }", 0},
  /* what is overwritten after all, or may be */
  {"into what the round before has loaded",
   HEAD "repeat k in 0 .. t { run step(" X("(k + 1) * n", "(k + 2) * n") ", " Y("k * n", "(k + 1) * n") ") } }", 1},
  {"into what the round before has loaded, downward",
   HEAD "repeat k in 0 .. t reversed { run step(" X("k * n", "(k + 1) * n") ", " Y("(k + 1) * n", "(k + 2) * n") ") } }", 1},
  /* rounds from the second on store behind what the second run loads */
  {"into what another run has loaded",
   HEAD "repeat k in 0 .. t { run step(" X("0", "n") ", " Y("(k + 1) * n", "(k + 2) * n") ") run step("
   X("n", "2 * n") ", y = g) run step(x = g, " Y("0", "n") ") } }", 2},
  {"a ring",
   HEAD "repeat k in 0 .. t { run step(" X("k % 2 * n", "(k % 2 + 1) * n") ", "
   Y("(k + 1) % 2 * n", "((k + 1) % 2 + 1) * n") ") } }", 1},
  {"in place", HEAD "repeat k in 0 .. t { run squared(" X("k * n", "(k + 1) * n") ") } }", 1},
  {"in place, each once",
   HEAD "repeat k in 0 .. t { run step(" X("k * n", "(k + 1) * n") ", y = g) run squared(" X("k * n", "(k + 1) * n") ") } }", 2},
  {"overwritten in the end",
   HEAD "repeat k in 0 .. t { run step(" X("k * n", "(k + 1) * n") ", " Y("(k + 1) * n", "(k + 2) * n") ") }\n"
   "run step(x = g, " Y("n", "2 * n") ") }", 1},
  {"overwritten in the end, as a whole", HEAD "run step(" X("0", "n") ", " Y("n", "2 * n") ") run squared(x = h) }", 1},
  {"overwritten by halves",
   HEAD "run step(" X("0", "2 * n") ", " Y("2 * n", "4 * n") ") run step(x = g, " Y("n", "2 * n") ") }", 1},
  {"a stride too short",
   HEAD "repeat k in 0 .. t { run step(" X("k * n", "(k + 2) * n") ", " Y("(k + 3) * n", "(k + 5) * n") ") }\n"
   "repeat k in 0 .. t { run step(x = g, " Y("(k + 1) * n", "(k + 2) * n") ") } }", 1},
  {"an index that may be negative",
   HEAD "repeat k in 0 - 1 .. 2 { run step(" X("(k + 1) * n", "(k + 2) * n") ", " Y("(k + 2) * n", "(k + 3) * n") ") } }", 1},
  {"a size that may be negative",
   HEAD "repeat k in 0 .. t { run step(" X("k * s", "k * s + 5") ", " Y("k * s + 5", "k * s + 10") ") } }", 1},
  {"repeats in one another", HEAD "repeat j in 0 .. 2 { repeat k in 0 .. t { run step(" X("k * n", "(k + 1) * n") ", "
   Y("(k + 1) * n", "(k + 2) * n") ") } run squared(x = h[0 .. n]) } }", 2},
  /* rows */
  {"rows", ROWS("h[t + 1, i] = sin(h[t, i]) + h[t, (i + 1) % n]", "repeat t in 0 .. T - 1 { " RUN " }"), 0},
  {"rows, downward", ROWS("h[t - 1, i] = sin(h[t, i])", "repeat t in 1 .. T reversed { " RUN " }"), 0},
  {"rows, from the last", ROWS("h[t, i] = sin(h[t + 1, i])", "repeat k in 0 .. T - 1 { run step(t = T - 2 - k) invocations n }"), 0},
  {"two rows before", ROWS("h[t + 2, i] = sin(h[t, i]) * h[t + 1, i]", "repeat t in 0 .. T - 2 { " RUN " }"), 0},
  {"a signed row", STEP("T, n", "i32", "h[t + 1, i] = sin(h[t, i])") "repeat t in 0 .. T - 1 { " RUN " } }", 0},
  {"columns", ROWS("if i + 1 < T { h[i, t + 1] = sin(h[i, t]) }", "repeat t in 0 .. n - 1 { " RUN " }"), 0},
  {"another run before", ROWS("h[t + 1, i] = sin(h[t, i])", "repeat t in 0 .. T - 1 { run again(t = t) invocations n " RUN " }"), 1},
  {"flat rows", FLAT("h[(t + 1) * n + i] = sin(h[t * n + i])", "repeat t in 0 .. T - 1 { " RUN " }"), 0},
  {"flat rows, from the second", FLAT("h[t * n + i] = sin(h[(t - 1) * n + i])", "repeat t in 1 .. T { " RUN " }"), 0},
  {"flat rows, downward", FLAT("h[t * n + i] = sin(h[(t + 1) * n + i])", "repeat t in 0 .. T - 1 reversed { " RUN " }"), 0},
  {"rows ahead", ROWS("h[t + 1, i] = sin(h[t, i]) * h[t + 2, i]", "repeat t in 0 .. T - 2 { " RUN " }"), 1},
  {"rows by turns", ROWS("h[(t + 1) % 2, i] = sin(h[t % 2, i])", "repeat t in 0 .. T - 1 { " RUN " }"), 1},
  {"a row that stays", ROWS("h[t + 1, i] = sin(h[t, i]) * h[3, i]", "repeat t in 0 .. T - 1 { " RUN " }"), 1},
  {"rows again and again", ROWS("h[t + 1, i] = sin(h[t, i])", "repeat k in 0 .. 2 { repeat t in 0 .. T - 1 { " RUN " } }"), 1},
  {"rows once more", ROWS("h[t + 1, i] = sin(h[t, i])", "repeat t in 0 .. T - 1 { " RUN " } repeat t in 0 .. T - 1 { " RUN " }"), 1},
  {"another run behind", ROWS("h[t + 1, i] = sin(h[t, i])", "repeat t in 0 .. T - 1 { " RUN " run again(t = t) invocations n }"), 2},
  {"rows of another shape", ROWS("h[t + 1, i] = sin(h[t, i])", "repeat t in 0 .. n - 1 { " RUN " run turned(t = t) invocations T }"), 2},
  {"flat rows past the end", FLAT("h[(t + 1) * n + i] = sin(h[t * n + i])", "repeat t in 0 .. T + 2 { " RUN " }"), 1},
  {"flat rows that overlap", FLAT("if i + 1 < n { h[(t + 1) * (n - 1) + i] = sin(h[t * (n - 1) + i]) }", "repeat t in 0 .. T - 1 { " RUN " }"), 1},
};

START_TEST(modules) {
  const row *r = &rows[_i];
  adt_case c = {.seed = (uint64_t)_i + 5, .label = r->name};
  adt_prepare(&c, r->text, NULL);
  size_t tapes = kg_grad_map_tape_count(c.map);
  adt_verify(&c);
  ck_assert_msg(tapes == r->tapes, "%s: %zu tapes, expected %zu", r->name, tapes, r->tapes);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(modules, rows, name)};
  return kgt_run("autodiff/apart", tests, KGT_COUNT(tests));
}
