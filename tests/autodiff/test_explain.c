/* What a gradient says of itself, held against what any right plan must say of the kernel. */
#include "tests/support/kgtest.h"

#include <kgrad/autodiff.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct told { kg_module *m, *forward, *adjoint; kg_grad_map *map; } told;

static told tell(const char *text, bool split) {
  told t = {.m = NULL};
  kg_status status = kg_module_parse(NULL, "f.kg", text, strlen(text), NULL, &t.m);
  ck_assert_int_eq(status, KG_OK);
  status = split ? kg_grad_split(t.m, NULL, NULL, &t.forward, &t.adjoint, &t.map) : kg_grad_mapped(t.m, NULL, NULL, &t.adjoint, &t.map);
  ck_assert_int_eq(status, KG_OK);
  return t;
}

static void forget(told *t) {
  kg_grad_map_free(t->map);
  kg_module_free(t->adjoint), kg_module_free(t->forward), kg_module_free(t->m);
}

/* How the value in that line is had that comes from the object: the last that says so; an empty `how`: none. */
static kg_grad_value value_of(const told *t, uint32_t line, const char *object) {
  kg_grad_value found = {.how = "", .place = ""};
  for (size_t i = 0; i < kg_grad_map_value_count(t->map); i++) {
    kg_grad_value v = kg_grad_map_value(t->map, i);
    if (v.line == line && !strcmp(v.object, object) && (!*found.how || !strcmp(v.how, "kept"))) found = v;
  }
  return found;
}

static kg_grad_share share_of(const told *t, const char *object) {
  for (size_t i = 0; i < kg_grad_map_share_count(t->map); i++)
    if (!strcmp(kg_grad_map_share(t->map, i).object, object)) return kg_grad_map_share(t->map, i);
  return (kg_grad_share){.how = "", .why = ""};
}

static uint64_t tape_bytes(const told *t) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < kg_grad_map_tape_count(t->map); i++) {
    kg_grad_tape tape = kg_grad_map_tape(t->map, i);
    ck_assert_uint_ne(kg_module_find_buffer(t->adjoint, tape.buffer), UINT32_MAX);
    ck_assert_uint_ne(tape.bytes, UINT64_MAX);
    bytes += tape.bytes;
  }
  return bytes;
}

static bool has_array(const told *t) {
  for (size_t i = 0; i < kg_grad_map_value_count(t->map); i++)
    if (!strcmp(kg_grad_map_value(t->map, i).place, "array")) return true;
  return false;
}

#define PROGRAM(name, rest) "program " name " {\n workgroup 8\n param n : u32 = 20\n param m : u32 = 5\n grid invocations n\n" rest "}\n"
#define X "buffer x : f32[n] read\n"
#define Y "buffer y : f32[n] write\n"

/* Nothing is needed but what is at hand, and each element is loaded once. */
START_TEST(straight_line_keeps_nothing) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n { y[i] = x[i] * x[i] }\n"), false);
  ck_assert_uint_eq(kg_grad_map_run_count(t.map), 1);
  kg_grad_run run = kg_grad_map_run(t.map, 0);
  ck_assert_str_eq(run.program, "f");
  ck_assert_str_eq(run.role, "combined");
  ck_assert_str_eq(run.active, "x, y");
  ck_assert_uint_eq(kg_grad_map_value_count(t.map), 0);
  ck_assert_uint_eq(kg_grad_map_tape_count(t.map), 0);
  ck_assert_str_eq(share_of(&t, "x").how, "stored");
  forget(&t);
}
END_TEST

/* v <- v sin(v) forgets v in each of m trips: what it was can be had from nothing else, but from v at the start of a strip of trips,
 * which are run again. 20 invocations are 24 lanes, and 5 trips one strip. */
START_TEST(what_a_loop_forgets_is_on_a_tape) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n {\nvar v = x[i]\nfor k in 0 .. m {\nv = sin(v) * v\n}\ny[i] = v\n}\n"), false);
  kg_grad_value v = value_of(&t, 12, "v");
  ck_assert_str_eq(v.how, "kept");
  ck_assert_str_eq(v.place, "array");
  ck_assert_int_eq(v.type, KG_F32);
  ck_assert_uint_eq(v.bytes, 16 * 4);
  ck_assert_uint_eq(v.at, 11);
  ck_assert_ptr_nonnull(strstr(v.why, "store in line 12"));
  v = value_of(&t, 11, "v");
  ck_assert_str_eq(v.place, "tape");
  ck_assert_str_eq(v.buffer, "tape_f");
  ck_assert_uint_eq(v.bytes, 24 * 4);
  ck_assert_ptr_nonnull(strstr(v.why, "every 16 trips"));
  ck_assert_ptr_nonnull(strstr(v.elements, "m"));
  ck_assert_uint_eq(tape_bytes(&t), 24 * 4);
  forget(&t);
}
END_TEST

/* A loop that steps over the whole grid: 20 elements by 3 workgroups of 4 are 2 trips of 12 lanes, not 20 trips; and 5
 * trips inside are one strip. */
START_TEST(steps_over_the_grid_are_few) {
  told t = tell("program f {\nworkgroup 4\ngrid 3\nparam n : u32 = 20\nparam m : u32 = 5\n" X Y
                "for i in global_id.x .. n step num_workgroups.x * workgroup_size.x {\n"
                "var v = x[i]\nfor k in 0 .. m {\nv = sin(v) * v\n}\ny[i] = v\n}\n}\n", false);
  ck_assert_str_eq(value_of(&t, 10, "v").place, "tape");
  ck_assert_uint_eq(tape_bytes(&t), 2 * 12 * 4);
  forget(&t);
}
END_TEST

/* 256 trips are 16 strips of 16: as many states, and as many values in a strip. Nothing is on a tape. */
START_TEST(many_trips_are_in_strips) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n {\nvar v = x[i]\nfor k in 0 .. 256 {\nv = sin(v) * v\n}\ny[i] = v\n}\n"), false);
  ck_assert_uint_eq(kg_grad_map_tape_count(t.map), 0);
  ck_assert_str_eq(value_of(&t, 11, "v").elements, "16");
  ck_assert_str_eq(value_of(&t, 12, "v").elements, "16");
  ck_assert_str_eq(share_of(&t, "x").how, "stored");
  forget(&t);
}
END_TEST

/* A state as large as what a trip keeps is kept in each trip: here 20 values, of which each trip changes one. */
START_TEST(a_large_state_is_not_kept) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n {\nvar v : f32[20]\nfor k in 0 .. 20 { v[k] = x[i] }\n"
                        "for k in 0 .. 100 {\nv[k % 20] = sin(v[k % 20])\n}\ny[i] = v[3]\n}\n"), false);
  ck_assert_str_eq(value_of(&t, 13, "v").elements, "100");
  forget(&t);
}
END_TEST

/* The same with trips that are a literal, and few: an array of each invocation's. */
START_TEST(few_trips_need_no_tape) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n {\nvar v = x[i]\nfor k in 0 .. 5 {\nv = sin(v) * v\n}\ny[i] = v\n}\n"), false);
  ck_assert_uint_eq(kg_grad_map_tape_count(t.map), 0);
  ck_assert(has_array(&t));
  kg_grad_value v = value_of(&t, 12, "v");
  ck_assert_str_eq(v.place, "array");
  ck_assert_str_eq(v.elements, "5");
  ck_assert_uint_eq(v.bytes, 20);
  forget(&t);
}
END_TEST

/* A sum needs none of its values. */
START_TEST(a_sum_needs_nothing) {
  told t = tell(PROGRAM("f", "buffer x : f32[n * m] read\n" Y
                        "let i = global_id.x\nif i < n {\nvar s = 0.0\nfor k in 0 .. m { s += x[i * m + k] }\ny[i] = s\n}\n"), false);
  ck_assert_uint_eq(kg_grad_map_value_count(t.map), 0);
  ck_assert_uint_eq(kg_grad_map_tape_count(t.map), 0);
  forget(&t);
}
END_TEST

/* p <- p x[k]: the partial by x is p as it was, which is forgotten; x itself is loaded again. */
START_TEST(a_cumulative_product_keeps_its_state) {
  told t = tell(PROGRAM("f", "buffer x : f32[n, m] read\nbuffer y : f32[n, m] write\n"
                        "let i = global_id.x\nif i < n {\nvar p = 1.0\nfor k in 0 .. m {\np = p * x[i, k]\ny[i, k] = p\n}\n}\n"), false);
  bool of_p = !strcmp(value_of(&t, 12, "p").how, "kept");
  ck_assert(of_p || tape_bytes(&t) == 0); /* or it is loaded from y, where it is still */
  ck_assert_str_ne(value_of(&t, 12, "x").how, "kept");
  ck_assert_str_eq(share_of(&t, "x").how, "stored");
  forget(&t);
}
END_TEST

/* What an atomic gives is not given again, so a run whose adjoint is another one has to keep it: a word for each of 24 lanes. */
START_TEST(what_an_atomic_gives_is_kept) {
  told t = tell(PROGRAM("f", "buffer next : u32[1] read_write\n" X Y
                        "if global_id.x < n {\nlet at = atomic_add(next[0], 1)\nif at < n { y[at] = x[global_id.x] * x[global_id.x] }\n}\n"), true);
  kg_grad_value v = value_of(&t, 10, "next");
  ck_assert_str_eq(kg_grad_map_run(t.map, 0).role, "taped");
  ck_assert_str_eq(v.name, "at");
  ck_assert_str_eq(v.place, "tape");
  ck_assert_ptr_nonnull(strstr(v.why, "atomic"));
  ck_assert_uint_eq(v.bytes, 24 * 4);
  forget(&t);
}
END_TEST

/* Each round overwrites what the one before needs: 4 rounds of 16 lanes. */
START_TEST(a_repeat_keeps_each_round) {
  told t = tell("module steps {\nparam n : u32 = 10\nparam m : u32 = 4\nbuffer a : f32[n] read_write\n"
                "program step {\nworkgroup 8\ngrid invocations n\nparam n : u32\nbuffer a : f32[n] read_write\n"
                "if global_id.x < n { a[global_id.x] = sin(a[global_id.x]) }\n}\n"
                "repeat k in 0 .. m { run step(a = a, n = n) }\n}\n", false);
  ck_assert_str_eq(kg_grad_map_run(t.map, 0).role, "taped");
  ck_assert_uint_eq(kg_grad_map_run(t.map, 0).line, 12);
  ck_assert_uint_eq(tape_bytes(&t), 4 * 16 * 4);
  ck_assert_str_eq(share_of(&t, "a").how, "own");
  forget(&t);
}
END_TEST

/* Every invocation loads all of the table: no index tells them apart; one element for all is summed first. */
START_TEST(what_many_load_is_added_to_atomically) {
  told t = tell(PROGRAM("f", "buffer index : u32[n] read in 0 .. 7\nbuffer table : f32[7] read\nbuffer scale : f32[1] read\n" Y
                        "let i = global_id.x\nif i < n {\ny[i] = table[index[i]] * scale[0]\n}\n"), false);
  kg_grad_share table = share_of(&t, "table");
  ck_assert_str_eq(table.how, "atomic");
  ck_assert_ptr_nonnull(strstr(table.why, "line 12"));
  ck_assert_str_eq(share_of(&t, "scale").how, "summed");
  forget(&t);
}
END_TEST

/* x[i] and x[i + 1]: each by itself is one invocation's, both together are not. */
START_TEST(accesses_that_meet_are_named) {
  told t = tell(PROGRAM("f", "buffer x : f32[n + 1] read\n" Y
                        "let i = global_id.x\nif i < n {\nlet here = x[i]\nlet next = x[i + 1]\ny[i] = here * next\n}\n"), false);
  kg_grad_share x = share_of(&t, "x");
  ck_assert_str_eq(x.how, "atomic");
  ck_assert_ptr_nonnull(strstr(x.why, "line 10"));
  ck_assert_ptr_nonnull(strstr(x.why, "line 11"));
  forget(&t);
}
END_TEST

/* h <- tanh of a sum over all of h: each lane keeps what its own element was, and none keeps all 8. 4 trips, 16 lanes. */
START_TEST(a_shared_state_is_kept_once) {
  told t = tell("program f {\nworkgroup 8\nparam m : u32 = 4\ngrid 2\nbuffer x : f32[16] read\nbuffer y : f32[16] write\nshared h : f32[8]\n"
                "h[local_id.x] = x[global_id.x]\nbarrier\nfor k in 0 .. m {\nvar t = 0.0\nfor j in 0 .. 8 { t += h[j] * h[7 - j] }\nbarrier\n"
                "h[local_id.x] = tanh(t)\nbarrier\n}\ny[global_id.x] = h[local_id.x]\n}\n", false);
  ck_assert_uint_eq(tape_bytes(&t), 4 * 16 * 4);
  forget(&t);
}
END_TEST

/* So it is with a row for each lane of a second axis, in either order, and flat. 3 trips, 24 lanes. */
START_TEST(a_shared_state_of_rows_is_kept_once) {
  static const char *const forms[][3] = {{"3, 4", "r, c", "r, j"}, {"4, 3", "c, r", "j, r"}, {"12", "local_index", "r * 4 + j"}};
  const char *const *form = forms[_i];
  char text[1024];
  snprintf(text, sizeof text, "program f {\nworkgroup 4, 3\nparam m : u32 = 3\ngrid 2\nbuffer x : f32[24] read\nbuffer y : f32[24] write\nshared h : f32[%s]\n"
           "let c = local_id.x let r = local_id.y let i = workgroup_id.x * 12 + local_index\nh[%s] = x[i]\nbarrier\n"
           "for k in 0 .. m {\nvar t = 0.0\nfor j in 0 .. 4 { t += h[%s] * x[j] }\nbarrier\nh[%s] = tanh(t)\nbarrier\n}\ny[i] = h[%s]\n}\n",
           form[0], form[1], form[2], form[1], form[1]);
  told t = tell(text, false);
  ck_assert_uint_eq(tape_bytes(&t), 3 * 24 * 4);
  forget(&t);
}
END_TEST

/* What shared memory held in a trip is gone in the next; its stores are run again. */
START_TEST(a_tile_is_filled_again) {
  told t = tell("program f {\nworkgroup 8\nparam n : u32 = 3\ngrid 2\nbuffer x : f32[n * 8] read\nbuffer y : f32[16] write\nshared s : f32[8]\n"
                "var t = 0.0\nfor k in 0 .. n {\ns[local_id.x] = x[k * 8 + local_id.x]\nbarrier\n"
                "t += s[local_id.x] * s[7 - local_id.x]\nbarrier\n}\ny[global_id.x] = t\n}\n", false);
  kg_grad_value s = value_of(&t, 7, "s");
  ck_assert_str_eq(s.how, "refilled");
  ck_assert_uint_eq(s.at, 9);
  ck_assert_uint_eq(kg_grad_map_tape_count(t.map), 0);
  forget(&t);
}
END_TEST

/* A run from which no output depends has nothing to do. */
START_TEST(a_run_without_a_gradient_says_so) {
  told t = tell("module two {\nparam n : u32 = 9\nbuffer x : f32[n] read\nbuffer y : f32[n] write\nbuffer c : u32[n] write\n"
                "program count {\nworkgroup 4\ngrid invocations n\nparam n : u32\nbuffer c : u32[n] write\n"
                "if global_id.x < n { c[global_id.x] = global_id.x }\n}\n"
                "program square {\nworkgroup 4\ngrid invocations n\nparam n : u32\nbuffer x : f32[n] read\nbuffer y : f32[n] write\n"
                "if global_id.x < n { y[global_id.x] = x[global_id.x] * x[global_id.x] }\n}\n"
                "run count(c = c, n = n)\nrun square(x = x, y = y, n = n)\n}\n", false);
  ck_assert_uint_eq(kg_grad_map_run_count(t.map), 2);
  ck_assert_str_eq(kg_grad_map_run(t.map, 0).role, "nothing");
  ck_assert_str_eq(kg_grad_map_run(t.map, 0).active, "");
  ck_assert_str_eq(kg_grad_map_run(t.map, 1).role, "combined");
  forget(&t);
}
END_TEST

/* A limit bounds the trips of a while, so that its states have a place; how many there were is kept too, or counted anew. */
START_TEST(a_while_keeps_as_many_as_its_limit) {
  told t = tell(PROGRAM("f", X Y "let i = global_id.x\nif i < n {\nvar v = 1.0\nwhile abs(v * v - x[i]) > 0.001 limit 50 {\n"
                        "v = 0.5 * (v + x[i] / v)\n}\ny[i] = v\n}\n"), false);
  kg_grad_value v = value_of(&t, 12, "v");
  ck_assert_str_eq(v.how, "kept");
  ck_assert_uint_eq(v.bytes, strcmp(v.place, "array") ? 50 * 24 * 4 : 50 * 4);
  forget(&t);
}
END_TEST

/* What atomic extremes leave in h is changed by the next round, so that there is a copy of h for each of three. */
START_TEST(ends) {
  told t = tell("module m { param n : u32 = 6 buffer x : f32[n] read buffer h : f32[4] read_write\n"
                "program top { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer h : f32[4] read_write\n"
                "let i = global_id.x if i < n { atomic_max(h[i % 4], x[i] * x[i]) } }\n"
                "program less { workgroup 4 grid 1 buffer h : f32[4] read_write let i = local_id.x h[i] = h[i] * 0.5 }\n"
                "repeat k in 0 .. 3 { run top(n = n, x = x, h = h) run less(h = h) } }", false);
  unsigned copies = 0;
  for (size_t i = 0; i < kg_grad_map_tape_count(t.map); i++) {
    kg_grad_tape tape = kg_grad_map_tape(t.map, i);
    if (strcmp(tape.copy_of, "h") != 0) continue;
    copies++;
    ck_assert_uint_eq(tape.bytes, 3 * 4 * 4);
    ck_assert_uint_ne(kg_module_find_buffer(t.adjoint, tape.buffer), UINT32_MAX);
  }
  ck_assert_uint_eq(copies, 1);
  forget(&t);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(ends), KGT(straight_line_keeps_nothing), KGT(what_a_loop_forgets_is_on_a_tape),
                            KGT(many_trips_are_in_strips), KGT(steps_over_the_grid_are_few), KGT(a_large_state_is_not_kept), KGT(a_shared_state_is_kept_once),
                            KGT_TIMES(a_shared_state_of_rows_is_kept_once, 3),
                            KGT(few_trips_need_no_tape), KGT(a_sum_needs_nothing),
                            KGT(a_cumulative_product_keeps_its_state), KGT(what_an_atomic_gives_is_kept),
                            KGT(a_repeat_keeps_each_round), KGT(what_many_load_is_added_to_atomically), KGT(accesses_that_meet_are_named),
                            KGT(a_tile_is_filled_again), KGT(a_run_without_a_gradient_says_so), KGT(a_while_keeps_as_many_as_its_limit)};
  return kgt_run("autodiff/explain", tests, KGT_COUNT(tests));
}
