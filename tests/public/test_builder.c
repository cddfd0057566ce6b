/* The public builder: what it makes is what the parser makes of the same text, and no misuse of it goes further than a diagnostic. */
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <string.h>

static const kg_value none = {0, 0};
static const kg_length no_length = {0, 0};

/* The ids of all diagnostics. */
static char said[4096];

static void hear(void *user, const kg_diag *diag) {
  (void)user;
  kgt_sink.emit(kgt_sink.user, diag);
  if (strlen(said) + strlen(diag->id) + 2 < sizeof said) strcat(strcat(said, diag->id), " ");
}

static const kg_sink sink = {hear, NULL};

static kg_builder *begin(void) {
  kg_builder *b = NULL;
  ck_assert_int_eq(kg_builder_new(NULL, "built", &sink, &b), KG_OK);
  return b;
}

static kg_value u32(kg_builder *b, int64_t value) { return kg_build_int(b, KG_U32, value); }
static kg_value f32(kg_builder *b, double value) { return kg_build_float(b, KG_F32, value); }
static kg_value op2(kg_builder *b, kg_op op, kg_value x, kg_value y) { return kg_build_op2(b, op, x, y); }

/* ---- the same as the parser's ---- */

static void same_as(kg_builder *b, const char *text) {
  kg_module *built = NULL, *parsed = kgt_parse(text);
  char *one = NULL, *two = NULL;
  size_t m, n;
  kg_digest x, y;
  kg_status status = kg_builder_finish(b, &built);
  ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  ck_assert_int_eq(kg_module_print(NULL, built, NULL, &one, &m), KG_OK);
  ck_assert_int_eq(kg_module_print(NULL, parsed, NULL, &two, &n), KG_OK);
  kgt_same_text(one, two);
  ck_assert_int_eq(kg_module_digest(built, NULL, &x), KG_OK);
  ck_assert_int_eq(kg_module_digest(parsed, NULL, &y), KG_OK);
  ck_assert_mem_eq(&x, &y, sizeof x);
  kg_bytes_free(NULL, one, m + 1);
  kg_bytes_free(NULL, two, n + 1);
  kg_module_free(built);
  kg_module_free(parsed);
}

static const char everything[] =
  "program everything {\n"
  "  const T : u32 = 8\n  workgroup T, 2\n  grid invocations n, 4\n"
  "  param n : u32 = 100 in 1 .. 1000\n  param rate : f32\n"
  "  buffer x : f32[n * 4 + 1] read in 0.0 .. 1.0\n  buffer idx : u16[] read in 0 .. n\n"
  "  buffer y : f32[len(x)] read_write drawn positive\n  buffer total : f32 read_write\n"
  "  buffer u : f32[max(n, 2)] read view(set 0, binding 7, offset 4, stride 8)\n"
  "  shared part : f32[T]\n  shared seen : u32\n"
  "  let i = global_id.x\n"
  "  part[local_id.x] = x[i] * rate\n  barrier\n"
  "  var acc : f32\n  acc = 0.0\n"
  "  for k in 0 .. 8 step 2 reversed { acc = acc + part[k] }\n"
  "  if acc > 1.0 { y[i] = acc } else { y[i] = -acc }\n"
  "  var m : i32[4]\n  var j : u32\n  j = 0\n"
  "  while j < 3 limit 10 { j = j + 1  if j == 2 { continue }  if i > T { break } }\n"
  "  region tail { let old = atomic_add(total, acc)  assert old < 5.0 \"far\" }\n"
  "  region checkpoint part { m[0] = 1 }\n"
  "  region checkpoint { m[2] = 2 }\n"
  "  atomic_max(seen, len(idx))\n"
  "  let s = subgroup_add(f32(idx[i]))\n"
  "  m[1] = bitcast_i32(u[i])\n"
  "  y[i] = fma(s, exp(acc), select(subgroup_elect(), 1.0, 2.0))\n"
  "  memory_barrier\n  return\n}\n";

typedef struct parts { kg_object x, idx, y, total, u, part, seen; kg_param n, rate; kg_constant t; } parts;

static parts declare(kg_builder *b) {
  parts p;
  p.t = kg_build_constant(b, "T", KG_U32, kg_value_of_number(KG_U32, 8));
  p.n = kg_build_param(b, "n", KG_U32);
  p.rate = kg_build_param(b, "rate", KG_F32);
  kg_length n = kg_build_length_param(b, p.n), t = kg_build_length_constant(b, p.t), zero = kg_build_length(b, 0);
  kg_length one = kg_build_length(b, 1), four = kg_build_length(b, 4);
  kg_length times = kg_build_length_op(b, KG_LENGTH_MUL, n, four);
  kg_build_param_default(b, p.n, 100);
  kg_build_param_range(b, p.n, one, kg_build_length(b, 1000));
  kg_build_workgroup(b, 0, t);
  kg_build_workgroup(b, 1, kg_build_length(b, 2));
  kg_build_invocations(b, 0, n);
  kg_build_invocations(b, 1, four);
  p.x = kg_build_buffer(b, "x", KG_F32, KG_READ, kg_build_length_op(b, KG_LENGTH_ADD, times, one));
  kg_length low = kg_build_length_float(b, 0);
  kg_build_range(b, p.x, low, kg_build_length_float(b, 1));
  p.idx = kg_build_buffer(b, "idx", KG_U16, KG_READ, no_length);
  kg_build_range(b, p.idx, zero, n);
  p.y = kg_build_buffer(b, "y", KG_F32, KG_READ_WRITE, kg_build_length_of(b, p.x));
  kg_build_draw(b, p.y, KG_DRAW_POSITIVE);
  p.total = kg_build_scalar(b, "total", KG_F32, KG_READ_WRITE);
  p.u = kg_build_buffer(b, "u", KG_F32, KG_READ, kg_build_length_op(b, KG_LENGTH_MAX, n, kg_build_length(b, 2)));
  kg_build_view(b, p.u, 0, 7, 4, 8);
  p.part = kg_build_shared(b, "part", KG_F32, t);
  p.seen = kg_build_shared(b, "seen", KG_U32, no_length);
  return p;
}

static void loops(kg_builder *b, const parts *p, kg_value i, kg_object acc) {
  kg_value from = kg_build_int(b, KG_I32, 0), to = kg_build_int(b, KG_I32, 8);
  kg_value k = kg_build_for(b, "k", from, to, kg_build_int(b, KG_I32, 2), true);
  kg_value old = kg_build_load(b, acc, none);
  kg_build_store(b, acc, none, op2(b, KG_OP_ADD, old, kg_build_load(b, p->part, k)));
  kg_build_end(b);
  kg_value now = kg_build_load(b, acc, none);
  kg_build_if(b, op2(b, KG_OP_GT, now, f32(b, 1)));
  kg_build_store(b, p->y, i, kg_build_load(b, acc, none));
  kg_build_else(b);
  now = kg_build_load(b, acc, none);
  kg_build_store(b, p->y, i, kg_build_op1(b, KG_OP_NEG, now));
  kg_build_end(b);
}

static void count(kg_builder *b, const parts *p, kg_value i) {
  kg_object j = kg_build_var(b, "j", KG_U32, no_length);
  kg_build_store(b, j, none, u32(b, 0));
  kg_build_while(b);
  kg_value now = kg_build_load(b, j, none);
  kg_build_while_body(b, op2(b, KG_OP_LT, now, u32(b, 3)), kg_build_length(b, 10));
  now = kg_build_load(b, j, none);
  kg_build_store(b, j, none, op2(b, KG_OP_ADD, now, u32(b, 1)));
  now = kg_build_load(b, j, none);
  kg_build_if(b, op2(b, KG_OP_EQ, now, u32(b, 2)));
  kg_build_continue(b);
  kg_build_end(b);
  kg_build_if(b, op2(b, KG_OP_GT, i, kg_build_constant_value(b, p->t)));
  kg_build_break(b);
  kg_build_end(b);
  kg_build_end(b);
}

static void checkpoints(kg_builder *b, kg_object m) {
  kg_build_checkpoint(b, "part");
  kg_build_store(b, m, kg_build_int(b, KG_I32, 0), kg_build_int(b, KG_I32, 1));
  kg_build_end(b);
  kg_build_checkpoint(b, NULL);
  kg_build_store(b, m, kg_build_int(b, KG_I32, 2), kg_build_int(b, KG_I32, 2));
  kg_build_end(b);
}

static void finish_up(kg_builder *b, const parts *p, kg_value i, kg_object acc, kg_object m) {
  kg_build_region(b, "tail");
  kg_value old = kg_build_atomic(b, KG_ATOMIC_ADD, p->total, none, kg_build_load(b, acc, none), none);
  kg_build_name(b, old, "old");
  kg_build_assert(b, op2(b, KG_OP_LT, old, f32(b, 5)), "far");
  kg_build_end(b);
  checkpoints(b, m);
  kg_build_atomic(b, KG_ATOMIC_MAX, p->seen, none, kg_build_len(b, p->idx), none);
  kg_value s = kg_build_subgroup(b, KG_SUBGROUP_ADD, kg_build_convert(b, KG_F32, kg_build_load(b, p->idx, i)), none);
  kg_build_name(b, s, "s");
  kg_build_store(b, m, kg_build_int(b, KG_I32, 1), kg_build_bitcast(b, KG_I32, kg_build_load(b, p->u, i)));
  kg_value grown = kg_build_op1(b, KG_OP_EXP, kg_build_load(b, acc, none));
  kg_value first = kg_build_subgroup(b, KG_SUBGROUP_ELECT, none, none);
  kg_value one = f32(b, 1), two = f32(b, 2);
  kg_value args[] = {s, grown, kg_build_op3(b, KG_OP_SELECT, first, one, two)};
  kg_build_store(b, p->y, i, kg_build_op(b, KG_OP_FMA, args, 3));
  kg_build_memory_barrier(b);
  kg_build_return(b);
}

START_TEST(all_of_a_program) {
  kg_builder *b = begin();
  kg_build_program(b, "everything");
  parts p = declare(b);
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_value v = kg_build_load(b, p.x, i);
  kg_value lane = kg_build_id(b, KG_ID_LOCAL_ID, 0);
  kg_build_store(b, p.part, lane, op2(b, KG_OP_MUL, v, kg_build_param_value(b, p.rate)));
  kg_build_barrier(b);
  kg_object acc = kg_build_var(b, "acc", KG_F32, no_length);
  kg_build_store(b, acc, none, kg_build_literal(b, KG_F32, 0));
  loops(b, &p, i, acc);
  kg_object m = kg_build_var(b, "m", KG_I32, kg_build_length(b, 4));
  count(b, &p, i);
  finish_up(b, &p, i, acc, m);
  kg_build_program_end(b);
  ck_assert_int_eq(kg_builder_status(b), KG_OK);
  same_as(b, everything);
} END_TEST

static const char descent[] =
  "module descent {\n  param n : u32 = 16\n  buffer a : f32[n] read_write\n  buffer t : f32[n] temp\n"
  "  program step {\n    workgroup 4\n    param n : u32\n    param k : u32\n    param rate : f32\n    buffer a : f32[n] read\n    buffer y : f32[n] write\n"
  "    let i = global_id.x\n    y[i] = a[i] * rate + f32(k)\n  }\n"
  "  repeat k in 0 .. 6 step 2 reversed {\n"
  "    run step(y = t, rate = 0.5) invocations n\n    run step(a = t, y = a, k = k / 2 + 1, rate = 2.0) grid 1, 2\n  }\n"
  "  run step(y = t, k = 7, rate = 1.0) invocations n\n}\n";

typedef struct step { kg_program program; kg_object a, y; kg_param k, rate; } step;

static step build_step(kg_builder *b) {
  step s;
  s.program = kg_build_program(b, "step");
  kg_param n = kg_build_param(b, "n", KG_U32);
  s.k = kg_build_param(b, "k", KG_U32);
  s.rate = kg_build_param(b, "rate", KG_F32);
  kg_length size = kg_build_length_param(b, n);
  s.a = kg_build_buffer(b, "a", KG_F32, KG_READ, size);
  s.y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_build_workgroup(b, 0, kg_build_length(b, 4));
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_value x = kg_build_load(b, s.a, i);
  kg_value scaled = op2(b, KG_OP_MUL, x, kg_build_param_value(b, s.rate));
  kg_value k = kg_build_param_value(b, s.k);
  kg_build_store(b, s.y, i, op2(b, KG_OP_ADD, scaled, kg_build_convert(b, KG_F32, k)));
  kg_build_program_end(b);
  return s;
}

START_TEST(a_module) {
  kg_builder *b = begin();
  kg_build_module(b, "descent");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_build_param_default(b, n, 16);
  kg_length size = kg_build_length_param(b, n), two = kg_build_length(b, 2);
  kg_object a = kg_build_buffer(b, "a", KG_F32, KG_READ_WRITE, size), t = kg_build_buffer(b, "t", KG_F32, KG_TEMP, size);
  step s = build_step(b);
  kg_length zero = kg_build_length(b, 0), six = kg_build_length(b, 6);
  kg_item k = kg_build_repeat(b, "k", zero, six, two, true);
  kg_item run = kg_build_run(b, s.program);
  kg_build_bind(b, run, s.y, t);
  kg_build_pass(b, run, s.rate, kg_build_length_float(b, 0.5));
  kg_build_run_invocations(b, run, 0, size);
  run = kg_build_run(b, s.program);
  kg_build_bind(b, run, s.a, t);
  kg_build_bind(b, run, s.y, a);
  kg_length half = kg_build_length_op(b, KG_LENGTH_DIV, kg_build_length_index(b, k), two);
  kg_build_pass(b, run, s.k, kg_build_length_op(b, KG_LENGTH_ADD, half, kg_build_length(b, 1)));
  kg_build_pass(b, run, s.rate, kg_build_length_float(b, 2));
  kg_build_run_grid(b, run, 0, kg_build_length(b, 1));
  kg_build_run_grid(b, run, 1, two);
  kg_build_repeat_end(b);
  run = kg_build_run(b, s.program);
  kg_build_bind(b, run, s.y, t);
  kg_build_pass(b, run, s.k, kg_build_length(b, 7));
  kg_build_pass(b, run, s.rate, kg_build_length_float(b, 1));
  kg_build_run_invocations(b, run, 0, size);
  same_as(b, descent);
} END_TEST

static const char taped[] =
  "module taped {\n  param n : u32 = 16\n  buffer a : f32[n] read\n  buffer t : f32[n * 4] read_write\n"
  "  program step {\n    workgroup 4\n    param n : u32\n    param k : u32\n    param rate : f32\n    buffer a : f32[n] read\n    buffer y : f32[n] write\n"
  "    let i = global_id.x\n    y[i] = a[i] * rate + f32(k)\n  }\n"
  "  repeat k in 0 .. 3 {\n    run step(a = t[k * n .. n + k * n], y = t[n + k * n .. 4 * n], rate = 1.0) grid 1\n  }\n}\n";

START_TEST(slices) {
  kg_builder *b = begin();
  kg_build_module(b, "taped");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_build_param_default(b, n, 16);
  kg_length size = kg_build_length_param(b, n), four = kg_build_length(b, 4), zero = kg_build_length(b, 0), three = kg_build_length(b, 3);
  kg_build_buffer(b, "a", KG_F32, KG_READ, size);
  kg_object t = kg_build_buffer(b, "t", KG_F32, KG_READ_WRITE, kg_build_length_op(b, KG_LENGTH_MUL, size, four));
  step s = build_step(b);
  kg_item k = kg_build_repeat(b, "k", zero, three, no_length, false);
  kg_item run = kg_build_run(b, s.program);
  kg_length from = kg_build_length_op(b, KG_LENGTH_MUL, kg_build_length_index(b, k), size);
  kg_length to = kg_build_length_op(b, KG_LENGTH_ADD, size, from);
  kg_build_bind_slice(b, run, s.a, t, from, to);
  kg_build_bind_slice(b, run, s.y, t, from, from);
  kg_build_bind(b, run, s.y, t); /* the last counts */
  kg_build_bind_slice(b, run, s.y, t, to, kg_build_length_op(b, KG_LENGTH_MUL, four, size));
  kg_build_pass(b, run, s.rate, kg_build_length_float(b, 1));
  kg_build_run_grid(b, run, 0, kg_build_length(b, 1));
  kg_build_repeat_end(b);
  same_as(b, taped);
} END_TEST

static const char square[] =
  "module square {\n  param n : u32 = 16\n  param c : f32 = 0.5\n  buffer x : f32[n] read\n  buffer y : f32[n] write\n"
  "  program square adjoint square_back {\n    workgroup 4\n    grid invocations n\n    param n : u32\n    param c : f32\n"
  "    buffer x : f32[n] read\n    buffer y : f32[n] write\n    y[global_id.x] = c * x[global_id.x] * x[global_id.x]\n  }\n"
  "  program square_back {\n    workgroup 1\n    grid 1\n    param n : u32\n    param c : f32\n    buffer x : f32[n] read\n"
  "    buffer grad_x : f32[n] read_write\n    buffer grad_y : f32[n] read_write\n    buffer grad_c : f32[1] read_write\n"
  "    for i in 0 .. n {\n      let v = x[i]\n      let g = grad_y[i]\n      grad_y[i] = 0.0\n"
  "      grad_x[i] = grad_x[i] + 2.0 * c * v * g\n      grad_c[0] = grad_c[0] + v * v * g\n    }\n  }\n"
  "  run square\n}\n";

typedef struct sides { kg_program forward, back; } sides;

static kg_program build_square(kg_builder *b) {
  kg_program program = kg_build_program(b, "square");
  kg_length size = kg_build_length_param(b, kg_build_param(b, "n", KG_U32));
  kg_value c = kg_build_param_value(b, kg_build_param(b, "c", KG_F32)), i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, size), y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_build_workgroup(b, 0, kg_build_length(b, 4));
  kg_build_invocations(b, 0, size);
  kg_value scaled = op2(b, KG_OP_MUL, c, kg_build_load(b, x, i));
  kg_build_store(b, y, i, op2(b, KG_OP_MUL, scaled, kg_build_load(b, x, i)));
  kg_build_program_end(b);
  return program;
}

static kg_value product(kg_builder *b, kg_value x, kg_value y, kg_value z) { return op2(b, KG_OP_MUL, op2(b, KG_OP_MUL, x, y), z); }

static void add_to(kg_builder *b, kg_object shadow, kg_value i, kg_value before, kg_value more) {
  kg_build_store(b, shadow, i, op2(b, KG_OP_ADD, before, more));
}

static kg_program build_square_back(kg_builder *b) {
  kg_program program = kg_build_program(b, "square_back");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_length size = kg_build_length_param(b, n), one = kg_build_length(b, 1);
  kg_value c = kg_build_param_value(b, kg_build_param(b, "c", KG_F32)), zero = u32(b, 0);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, size), grad_x = kg_build_buffer(b, "grad_x", KG_F32, KG_READ_WRITE, size);
  kg_object grad_y = kg_build_buffer(b, "grad_y", KG_F32, KG_READ_WRITE, size);
  kg_object grad_c = kg_build_buffer(b, "grad_c", KG_F32, KG_READ_WRITE, one);
  kg_build_workgroup(b, 0, one);
  kg_build_grid(b, 0, one);
  kg_value i = kg_build_for(b, "i", zero, kg_build_param_value(b, n), none, false);
  kg_value v = kg_build_name(b, kg_build_load(b, x, i), "v"), g = kg_build_name(b, kg_build_load(b, grad_y, i), "g");
  kg_build_store(b, grad_y, i, f32(b, 0));
  kg_value before = kg_build_load(b, grad_x, i), twice = op2(b, KG_OP_MUL, f32(b, 2), c), first = kg_build_int(b, KG_I32, 0);
  add_to(b, grad_x, i, before, product(b, twice, v, g));
  before = kg_build_load(b, grad_c, first);
  add_to(b, grad_c, first, before, product(b, v, v, g));
  kg_build_end(b);
  kg_build_program_end(b);
  return program;
}

/* The module's scope, and both programs. */
static sides build_square_module(kg_builder *b) {
  kg_build_module(b, "square");
  kg_param n = kg_build_param(b, "n", KG_U32), c = kg_build_param(b, "c", KG_F32);
  kg_build_param_default(b, n, 16);
  kg_build_param_default(b, c, kg_value_of_number(KG_F32, 0.5));
  kg_length size = kg_build_length_param(b, n);
  kg_build_buffer(b, "x", KG_F32, KG_READ, size);
  kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_program forward = build_square(b);
  return (sides){forward, build_square_back(b)};
}

START_TEST(a_stated_adjoint) {
  kg_builder *b = begin();
  sides s = build_square_module(b);
  kg_build_adjoint(b, s.forward, s.back);
  kg_build_run(b, s.forward);
  same_as(b, square);
} END_TEST

/* As a function of the language that states a pullback and another pushforward. */
START_TEST(a_stated_derivative) {
  kg_builder *b = begin();
  kg_build_program(b, "held");
  kg_length four = kg_build_length(b, 4);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ_WRITE, four);
  kg_build_workgroup(b, 0, four);
  kg_build_grid(b, 0, kg_build_length(b, 1));
  kg_value i = kg_build_id(b, KG_ID_LOCAL_ID, 0), v = kg_build_load(b, x, i), three = f32(b, 3), two = f32(b, 2);
  kg_value cut = kg_build_op1(b, KG_OP_STOP_GRADIENT, kg_build_op1(b, KG_OP_ROUND, v));
  kg_build_store(b, x, i, kg_build_op4(b, KG_OP_WITH_PARTIAL, cut, v, three, two));
  kg_build_program_end(b);
  same_as(b, "program held { workgroup 4 grid 1 buffer x : f32[4] read_write\n"
             "fn held(a : f32) -> f32 = round(a) pullback(g) = 3.0 * g pushforward(t) = 2.0 * t\n x[local_id.x] = held(x[local_id.x]) }");
} END_TEST

static const char plane[] =
  "program plane {\n  const T : u32 = 4\n  workgroup T, T\n  grid invocations cols, rows\n  param rows : u32\n  param cols : u32\n"
  "  buffer a : f32[rows, cols] read\n  buffer y : f32[rows, cols] read_write\n  shared t : f32[T, T]\n"
  "  let i = global_id.y\n  let j = global_id.x\n  var m : f32[2, 3, 4]\n"
  "  t[local_id.y, local_id.x] = a[i, j]\n  barrier\n  m[1, 2, 3] = t[0, 1]\n"
  "  if i < len(y, 0) { atomic_add(y[i, j], m[1, 2, 3]) }\n}\n";

static kg_value place(kg_builder *b, kg_object object, kg_value i, kg_value j) {
  return kg_build_place(b, object, (kg_value[]){i, j}, 2);
}

START_TEST(several_dimensions) {
  kg_builder *b = begin();
  kg_build_program(b, "plane");
  kg_constant constant = kg_build_constant(b, "T", KG_U32, 4);
  kg_param rows = kg_build_param(b, "rows", KG_U32), cols = kg_build_param(b, "cols", KG_U32);
  kg_length size[2] = {kg_build_length_param(b, rows), kg_build_length_param(b, cols)}, t_size[2], m_size[3];
  t_size[0] = t_size[1] = kg_build_length_constant(b, constant);
  for (int k = 0; k < 3; k++) m_size[k] = kg_build_length(b, 2 + k);
  for (unsigned k = 0; k < 2; k++) kg_build_workgroup(b, k, t_size[0]), kg_build_invocations(b, k, size[1 - k]);
  kg_object a = kg_build_buffer(b, "a", KG_F32, KG_READ, no_length), y = kg_build_buffer(b, "y", KG_F32, KG_READ_WRITE, no_length);
  kg_object t = kg_build_shared(b, "t", KG_F32, no_length), m = kg_build_var(b, "m", KG_F32, no_length);
  kg_build_extents(b, a, size, 2), kg_build_extents(b, y, size, 2), kg_build_extents(b, t, t_size, 2), kg_build_extents(b, m, m_size, 3);
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 1), j = kg_build_id(b, KG_ID_GLOBAL_ID, 0), literal[4];
  kg_value v = kg_build_id(b, KG_ID_LOCAL_ID, 1), u = kg_build_id(b, KG_ID_LOCAL_ID, 0);
  for (int k = 0; k < 4; k++) literal[k] = kg_build_int(b, KG_I32, k);
  kg_value to = place(b, t, v, u);
  kg_build_store(b, t, to, kg_build_load(b, a, place(b, a, i, j)));
  kg_build_barrier(b);
  to = kg_build_place(b, m, &literal[1], 3);
  kg_build_store(b, m, to, kg_build_load(b, t, place(b, t, literal[0], literal[1])));
  kg_build_if(b, op2(b, KG_OP_LT, i, kg_build_extent(b, y, 0)));
  to = place(b, y, i, j);
  kg_build_atomic(b, KG_ATOMIC_ADD, y, to, kg_build_load(b, m, kg_build_place(b, m, &literal[1], 3)), none);
  kg_build_end(b);
  kg_build_program_end(b);
  same_as(b, plane);
} END_TEST

/* ---- misuse ---- */

/* What is at hand in a program that is right so far; `other` is another builder with the same in it. */
typedef struct scene {
  kg_builder *b, *other;
  kg_program program;
  kg_param n;
  kg_constant t;
  kg_length size;
  kg_object x, y, part, scalar;
  kg_value i, v, theirs;
  kg_object their_x;
} scene;

static void set(scene *s, kg_builder *b) {
  s->b = b;
  s->program = kg_build_program(b, "p");
  s->n = kg_build_param(b, "n", KG_U32);
  s->t = kg_build_constant(b, "T", KG_U32, 4);
  s->size = kg_build_length_param(b, s->n);
  s->x = kg_build_buffer(b, "x", KG_F32, KG_READ, s->size);
  s->y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, s->size);
  s->part = kg_build_shared(b, "part", KG_F32, kg_build_length(b, 4));
  s->scalar = kg_build_var(b, "s", KG_F32, no_length);
  kg_build_workgroup(b, 0, kg_build_length_constant(b, s->t));
  kg_build_invocations(b, 0, s->size);
  s->i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  s->v = kg_build_load(b, s->x, s->i);
}

static void foreign_operand(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, s->theirs); }
static void foreign_object(scene *s) { kg_build_load(s->b, s->their_x, s->i); }
static void invented_value(scene *s) { kg_build_op1(s->b, KG_OP_EXP, (kg_value){4000000000u, s->v.owner}); }
static void other_program(scene *s) { kg_build_program_end(s->b), kg_build_store(s->b, s->y, s->i, s->v); }
static void no_operand(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, none); }
static void no_operands(scene *s) { kg_build_op(s->b, KG_OP_ADD, NULL, 2); }
static void five_operands(scene *s) { kg_build_op(s->b, KG_OP_ADD, (kg_value[]){s->v, s->v, s->v, s->v, s->v}, 5); }
static void one_operand(scene *s) { kg_build_op1(s->b, KG_OP_ADD, s->v); }
static void wrong_type(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, s->i); }
static void wrong_store(scene *s) { kg_build_store(s->b, s->y, s->i, s->i); }
static void no_such_op(scene *s) { kg_build_op1(s->b, (kg_op)4000, s->v); }
static void negative_op(scene *s) { kg_build_op1(s->b, (kg_op)-1, s->v); }
static void op_without_type(scene *s) { kg_build_op1(s->b, KG_OP_CONVERT, s->v); }
static void no_such_type(scene *s) { kg_build_convert(s->b, (kg_type)77, s->v); }
static void storage_type(scene *s) { kg_build_convert(s->b, KG_I8, s->v); }
static void bitcast_size(scene *s) { kg_build_bitcast(s->b, KG_F64, s->v); }
static void no_such_id(scene *s) { kg_build_id(s->b, (kg_id)99, 0); }
static void no_such_component(scene *s) { kg_build_id(s->b, KG_ID_LOCAL_INDEX, 1); }
static void literal_too_large(scene *s) { kg_build_int(s->b, KG_I32, INT64_C(1) << 31); }
static void literal_negative(scene *s) { kg_build_int(s->b, KG_U64, -1); }
static void literal_bits(scene *s) { kg_build_literal(s->b, KG_F16, 0x10000); }
static void literal_storage(scene *s) { kg_build_int(s->b, KG_U8, 3); }
static void float_of_ints(scene *s) { kg_build_float(s->b, KG_I32, 1); }
static void index_of_scalar(scene *s) { kg_build_load(s->b, s->scalar, s->i); }
static void missing_index(scene *s) { kg_build_load(s->b, s->x, none); }
static void float_index(scene *s) { kg_build_load(s->b, s->x, s->v); }
static void load_from_write(scene *s) { kg_build_load(s->b, s->y, s->i); }
static void store_to_read(scene *s) { kg_build_store(s->b, s->x, s->i, s->v); }
static void atomic_on_var(scene *s) { kg_build_atomic(s->b, KG_ATOMIC_ADD, s->scalar, none, s->v, none); }
static void atomic_operands(scene *s) { kg_build_atomic(s->b, KG_ATOMIC_ADD, s->part, s->i, s->v, s->v); }
static void no_such_atomic(scene *s) { kg_build_atomic(s->b, (kg_atomic)50, s->part, s->i, s->v, none); }
static void subgroup_operands(scene *s) { kg_build_subgroup(s->b, KG_SUBGROUP_SHUFFLE, s->v, none); }
static void no_such_subgroup(scene *s) { kg_build_subgroup(s->b, (kg_subgroup)50, s->v, none); }
static void if_of_float(scene *s) { kg_build_if(s->b, s->v); }
static void else_alone(scene *s) { kg_build_else(s->b); }
static kg_value fine(scene *s) { return kg_build_int(s->b, KG_BOOL, 1); }
static void two_elses(scene *s) { kg_build_if(s->b, fine(s)), kg_build_else(s->b), kg_build_else(s->b); }
static void else_of_for(scene *s) { kg_build_for(s->b, "k", s->i, s->i, none, false), kg_build_else(s->b); }
static void end_alone(scene *s) { kg_build_end(s->b); }
static void end_too_often(scene *s) { kg_build_if(s->b, fine(s)), kg_build_end(s->b), kg_build_end(s->b); }
static void body_alone(scene *s) { kg_build_while_body(s->b, fine(s), no_length); }
static void end_of_condition(scene *s) { kg_build_while(s->b), kg_build_end(s->b); }
static void never_ended(scene *s) { kg_build_if(s->b, fine(s)); }
static void never_ended_by_hand(scene *s) { kg_build_if(s->b, fine(s)), kg_build_program_end(s->b); }
static void break_outside(scene *s) { kg_build_break(s->b); }
static void unreachable(scene *s) { kg_build_return(s->b), kg_build_store(s->b, s->y, s->i, s->v); }
static void out_of_scope(scene *s) {
  kg_build_if(s->b, fine(s));
  kg_value inner = kg_build_op1(s->b, KG_OP_EXP, s->v);
  kg_build_end(s->b);
  kg_build_store(s->b, s->y, s->i, inner);
}
static void var_out_of_scope(scene *s) {
  kg_build_if(s->b, fine(s));
  kg_object inner = kg_build_var(s->b, "inner", KG_F32, no_length);
  kg_build_end(s->b);
  kg_build_store(s->b, inner, none, s->v);
}
static void no_name(scene *s) { kg_build_buffer(s->b, NULL, KG_F32, KG_READ, s->size); }
static void empty_name(scene *s) { kg_build_param(s->b, "", KG_F32); }
static void no_name_of_value(scene *s) { kg_build_name(s->b, s->v, NULL); }
static void same_name(scene *s) { kg_build_param(s->b, "x", KG_F32); }
static void late_buffer(scene *s) { kg_build_buffer(s->b, "z", KG_F32, KG_READ, s->size); }
static void no_such_mode(scene *s) { kg_build_buffer(s->b, "z", KG_F32, (kg_mode)9, s->size); }
static void temp_buffer(scene *s) { s->b = begin(), kg_build_program(s->b, "q"), kg_build_workgroup(s->b, 0, kg_build_length(s->b, 4)),
                                    kg_build_buffer(s->b, "z", KG_F32, KG_TEMP, kg_build_length(s->b, 4)); }
static void range_of_shared(scene *s) { kg_build_range(s->b, s->part, s->size, s->size); }
static void draw_of_shared(scene *s) { kg_build_draw(s->b, s->part, KG_DRAW_ASCENDING); }
static void no_such_draw(scene *s) { kg_build_draw(s->b, s->x, (kg_draw)9); }
static void view_of_var(scene *s) { kg_build_view(s->b, s->scalar, 0, 0, 0, 4); }
static void storage_param(scene *s) { kg_build_param(s->b, "small", KG_U8); }
static void default_bits(scene *s) { kg_build_param_default(s->b, s->n, UINT64_C(1) << 32); }
static void length_of_local(scene *s) { kg_build_length_of(s->b, s->part); }
static void no_such_length_op(scene *s) { kg_build_length_op(s->b, (kg_length_op)70, s->size, s->size); }
static void shared_of_param(scene *s) { kg_build_shared(s->b, "late", KG_F32, s->size); }
static void axis_three(scene *s) { kg_build_workgroup(s->b, 3, s->size); }
static void axis_twice(scene *s) { kg_build_workgroup(s->b, 0, kg_build_length(s->b, 4)); }
static void mixed_grid(scene *s) { kg_build_grid(s->b, 1, s->size); }
static kg_object matrix(scene *s) {
  kg_object m = kg_build_var(s->b, "m", KG_F32, no_length);
  kg_build_extents(s->b, m, (kg_length[]){kg_build_length(s->b, 2), kg_build_length(s->b, 2)}, 2);
  return m;
}
static void one_extent(scene *s) { kg_build_extents(s->b, s->scalar, &s->size, 1); }
static void five_extents(scene *s) { kg_build_extents(s->b, s->scalar, (kg_length[5]){{0, 0}}, 5); }
static void no_extents(scene *s) { kg_build_extents(s->b, s->scalar, NULL, 2); }
static void zero_extent(scene *s) { kg_build_extents(s->b, s->scalar, (kg_length[2]){s->size, {0, 0}}, 2); }
static void extents_twice(scene *s) { kg_build_extents(s->b, s->part, (kg_length[2]){s->size, s->size}, 2); }
static void one_index(scene *s) { kg_build_place(s->b, matrix(s), &s->i, 1); }
static void index_of_one(scene *s) { kg_build_place(s->b, s->part, (kg_value[]){s->i, s->i}, 2); }
static void no_indices(scene *s) { kg_build_place(s->b, matrix(s), NULL, 2); }
static void float_indices(scene *s) { kg_build_place(s->b, matrix(s), (kg_value[]){s->i, s->v}, 2); }
static void no_such_dimension(scene *s) { kg_build_extent(s->b, matrix(s), 2); }
static void program_in_program(scene *s) { kg_build_program(s->b, "q"); }
static void second_program(scene *s) { kg_build_program_end(s->b), kg_build_program(s->b, "q"); }
static void late_module(scene *s) { kg_build_module(s->b, "m"); }
static void run_without_module(scene *s) { kg_build_program_end(s->b), kg_build_run(s->b, s->program); }
static void declared_outside(scene *s) { kg_build_program_end(s->b), kg_build_param(s->b, "q", KG_U32); }
static void nothing_built(scene *s) { s->b = begin(); }
static void no_workgroup(scene *s) { s->b = begin(), kg_build_program(s->b, "q"); }
static void deep(scene *s) {
  for (int k = 0; k < 100; k++) kg_build_region(s->b, "r");
}
static void condition_stores(scene *s) {
  kg_build_while(s->b);
  kg_build_store(s->b, s->y, s->i, s->v);
  kg_build_while_body(s->b, fine(s), no_length);
  kg_build_end(s->b);
}

typedef struct module_scene { kg_param n; kg_object a; step s; kg_length size; kg_item run; } module_scene;

static module_scene a_module_in(scene *s) {
  module_scene m;
  s->b = begin();
  kg_build_module(s->b, "m");
  m.n = kg_build_param(s->b, "n", KG_U32);
  m.size = kg_build_length_param(s->b, m.n);
  m.a = kg_build_buffer(s->b, "a", KG_F32, KG_READ_WRITE, m.size);
  m.s = build_step(s->b);
  m.run = kg_build_run(s->b, m.s.program);
  return m;
}
static void unbound(scene *s) { a_module_in(s); }
static void bound_twice(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind(s->b, m.run, m.s.y, m.a);
  kg_build_pass(s->b, m.run, m.s.k, m.size);
  kg_build_pass(s->b, m.run, m.s.rate, kg_build_length_float(s->b, 1));
  kg_build_run_grid(s->b, m.run, 0, m.size);
}
static void sliced_without_end(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind_slice(s->b, m.run, m.s.y, m.a, m.size, no_length);
}
static void sliced_backwards(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind_slice(s->b, m.run, m.a, m.s.y, m.size, m.size);
}
static void bound_backwards(scene *s) { module_scene m = a_module_in(s); kg_build_bind(s->b, m.run, m.a, m.s.y); }
static void passed_length_of_program(scene *s) { module_scene m = a_module_in(s); kg_build_pass(s->b, m.run, m.s.k, s->size); }
static void index_outside(scene *s) {
  module_scene m = a_module_in(s);
  kg_item k = kg_build_repeat(s->b, "k", m.size, m.size, no_length, false);
  kg_build_repeat_end(s->b);
  kg_build_length_index(s->b, k);
}
static void adjoint_twice(scene *s) {
  sides x = (s->b = begin(), build_square_module(s->b));
  kg_build_adjoint(s->b, x.forward, x.back), kg_build_adjoint(s->b, x.forward, x.back);
}
static void adjoint_of_itself(scene *s) {
  sides x = (s->b = begin(), build_square_module(s->b));
  kg_build_adjoint(s->b, x.forward, x.forward);
}
static void adjoint_of_none(scene *s) { module_scene m = a_module_in(s); kg_build_adjoint(s->b, m.s.program, (kg_program){0, 0}); }
static void adjoint_of_another(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_adjoint(s->b, m.s.program, (kg_program){1, 0});
}
static void adjoint_inside(scene *s) {
  sides x = (s->b = begin(), build_square_module(s->b));
  kg_build_program(s->b, "q"), kg_build_adjoint(s->b, x.forward, x.back);
}
static void grid_of_repeat(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_run_grid(s->b, kg_build_repeat(s->b, "k", m.size, m.size, no_length, false), 0, m.size);
}
static void open_repeat(scene *s) { module_scene m = a_module_in(s); kg_build_repeat(s->b, "k", m.size, m.size, no_length, false); }
static void repeat_end_alone(scene *s) { a_module_in(s), kg_build_repeat_end(s->b); }
static void no_bounds(scene *s) { a_module_in(s), kg_build_repeat(s->b, "k", no_length, no_length, no_length, false); }
static void no_such_program(scene *s) { a_module_in(s), kg_build_run(s->b, (kg_program){9, s->x.owner}); }
static void deep_repeats(scene *s) {
  module_scene m = a_module_in(s);
  for (int k = 0; k < 100; k++) kg_build_repeat(s->b, "k", m.size, m.size, no_length, false);
}
static void constant_of_module(scene *s) { s->b = begin(), kg_build_module(s->b, "m"), kg_build_constant(s->b, "T", KG_U32, 1); }
static void program_open_at_end(scene *s) { s->b = begin(), kg_build_module(s->b, "m"), kg_build_program(s->b, "q"); }

/* `later`: the builder finds nothing wrong until kg_builder_finish; `ended`: the program is ended before. */
static const struct { void (*misuse)(scene *s); const char *id; bool later, ended; } misuses[] = {
  {foreign_operand, "build-foreign", false, false}, {foreign_object, "build-foreign", false, false}, {invented_value, "build-foreign", false, false},
  {other_program, "build-place", false, false}, {no_operand, "build-missing", false, false}, {no_operands, "build-missing", false, false},
  {five_operands, "operand-count", false, false}, {one_operand, "operand-count", false, false}, {wrong_type, "type-mismatch", false, false},
  {wrong_store, "type-mismatch", false, false}, {no_such_op, "build-argument", false, false}, {negative_op, "build-argument", false, false},
  {op_without_type, "build-place", false, false}, {no_such_type, "build-argument", false, false}, {storage_type, "no-such-conversion", false, false},
  {bitcast_size, "no-such-conversion", false, false}, {no_such_id, "build-argument", false, false}, {no_such_component, "build-argument", false, false},
  {literal_too_large, "literal-range", false, false}, {literal_negative, "literal-range", false, false}, {literal_bits, "literal-range", false, false},
  {literal_storage, "storage-type", false, false}, {float_of_ints, "build-argument", false, false}, {index_of_scalar, "index-of-scalar", false, false},
  {missing_index, "missing-index", false, false}, {float_index, "index-type", false, false}, {load_from_write, "load-from-write", true, true},
  {store_to_read, "store-to-read", true, true}, {atomic_on_var, "atomic-object", false, false}, {atomic_operands, "operand-count", false, false},
  {no_such_atomic, "build-argument", false, false}, {subgroup_operands, "operand-count", false, false}, {no_such_subgroup, "build-argument", false, false},
  {if_of_float, "type-mismatch", false, false}, {else_alone, "build-place", false, false}, {two_elses, "build-place", false, false},
  {else_of_for, "build-place", false, false}, {end_alone, "build-place", false, false}, {end_too_often, "build-place", false, false},
  {body_alone, "build-place", false, false}, {end_of_condition, "build-place", false, false}, {never_ended, "build-open", true, false},
  {never_ended_by_hand, "build-open", false, false}, {break_outside, "outside-loop", true, true}, {unreachable, "unreachable", true, true},
  {out_of_scope, "value-scope", true, true}, {var_out_of_scope, "var-scope", true, true}, {no_name, "build-missing", false, false},
  {empty_name, "build-missing", false, false}, {no_name_of_value, "build-missing", false, false}, {same_name, "duplicate-name", true, true},
  {late_buffer, "buffer-order", false, false}, {no_such_mode, "build-argument", false, false}, {temp_buffer, "temp-in-program", true, true},
  {range_of_shared, "build-argument", false, false}, {draw_of_shared, "build-argument", false, false}, {no_such_draw, "build-argument", false, false},
  {view_of_var, "build-argument", false, false}, {storage_param, "storage-type", false, false},
  {default_bits, "literal-range", false, false}, {length_of_local, "build-argument", false, false}, {no_such_length_op, "build-argument", false, false},
  {shared_of_param, "length-constant", true, true}, {axis_three, "build-argument", false, false}, {axis_twice, "stated-twice", false, false},
  {mixed_grid, "build-place", false, false}, {one_extent, "build-argument", false, false}, {five_extents, "too-many-dims", false, false},
  {no_extents, "build-missing", false, false}, {zero_extent, "build-missing", false, false}, {extents_twice, "stated-twice", false, false},
  {one_index, "index-count", false, false}, {index_of_one, "index-count", false, false}, {no_indices, "build-missing", false, false},
  {float_indices, "index-type", false, false}, {no_such_dimension, "no-dimension", false, false}, {program_in_program, "build-open", false, false}, {second_program, "build-place", false, false},
  {late_module, "build-place", false, false}, {run_without_module, "build-place", false, false}, {declared_outside, "build-place", false, false},
  {nothing_built, "build-missing", true, false}, {no_workgroup, "no-workgroup", true, true}, {deep, "too-large", false, false},
  {condition_stores, "malformed", true, true}, {unbound, "unbound-buffer", true, false}, {bound_twice, "bind-twice", true, false},
  {sliced_without_end, "build-missing", false, false}, {sliced_backwards, "build-foreign", false, false},
  {bound_backwards, "build-foreign", false, false}, {passed_length_of_program, "build-foreign", false, false}, {index_outside, "build-place", false, false},
  {adjoint_twice, "stated-twice", false, false}, {adjoint_of_itself, "adjoint-form", true, false},
  {adjoint_of_none, "build-missing", false, false}, {adjoint_of_another, "build-foreign", false, false}, {adjoint_inside, "build-open", false, false},
  {grid_of_repeat, "build-argument", false, false}, {open_repeat, "build-open", true, false}, {repeat_end_alone, "build-place", false, false},
  {no_bounds, "build-missing", false, false}, {no_such_program, "build-foreign", false, false}, {deep_repeats, "too-large", false, false},
  {constant_of_module, "build-place", false, false}, {program_open_at_end, "build-open", true, false},
};

START_TEST(misuse) {
  scene s = {0}, theirs = {0};
  kg_module *m = (kg_module *)&s;
  set(&theirs, begin()), set(&s, begin());
  kg_builder *first = s.b;
  s.theirs = theirs.v, s.their_x = theirs.x;
  ck_assert_int_eq(kg_builder_status(s.b), KG_OK);
  kgt_last.count = 0;
  misuses[_i].misuse(&s);
  if (misuses[_i].later) {
    ck_assert_msg(kg_builder_status(s.b) == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
    if (misuses[_i].ended) kg_build_program_end(s.b);
  } else {
    ck_assert_int_eq(kg_builder_status(s.b), KG_INVALID);
    ck_assert_str_eq(kgt_last.id, misuses[_i].id);
    ck_assert_int_eq(kgt_last.count, 1);
    set(&s, s.b); /* what follows does nothing, and says nothing */
    ck_assert_int_eq(kgt_last.count, 1);
  }
  ck_assert_int_eq(kg_builder_finish(s.b, &m), KG_INVALID);
  ck_assert_ptr_eq(m, &s);
  ck_assert_msg(strncmp(said, misuses[_i].id, strlen(misuses[_i].id)) == 0, "%s", said);
  if (s.b != first) kg_builder_free(first);
  kg_builder_free(theirs.b);
} END_TEST

START_TEST(no_builder) {
  scene s = {0};
  kg_module *m = NULL;
  kg_build_module(NULL, "m");
  kg_build_position(NULL, 1, 1);
  set(&s, NULL);
  for (size_t k = 0; k < KGT_COUNT(misuses); k++)
    if (misuses[k].misuse != deep) {
      s.b = NULL;
      misuses[k].misuse(&s);
      kg_builder_free(s.b);
    }
  ck_assert_int_eq(kg_builder_status(NULL), KG_NO_MEMORY);
  ck_assert_int_eq(kg_builder_finish(NULL, &m), KG_NO_MEMORY);
  ck_assert_ptr_null(m);
} END_TEST

/* ---- anything at all ---- */

enum { POOL = 64 };

/* Handles that calls returned, of either builder, and zeros; few are wrong, for the first that is ends it. */
typedef struct pool {
  uint64_t state;
  kg_builder *b;
  kg_value value[POOL];
  kg_object object[POOL];
  kg_length length[POOL];
  kg_param param[POOL];
  kg_constant constant[POOL];
  kg_item item[POOL];
  kg_program program[POOL];
  uint32_t values, objects, lengths, params, constants, items, programs;
} pool;

static uint32_t draw(pool *p, uint32_t below) {
  p->state = p->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(p->state >> 33) % below;
}

#define KEEP(p, kind, x) ((p)->kind[(p)->kind##s++ % POOL] = (x))
/* Mostly one of the latest. */
#define DRAW(p, kind) ((p)->kind[(draw(p, 16) ? (p)->kind##s + POOL - 1 - draw(p, 4) : draw(p, POOL)) % POOL])

static kg_type any_type(pool *p) { return draw(p, 50) ? (kg_type)(1 + draw(p, 8)) : (kg_type)(draw(p, 20) - 2); }

static const char *any_name(pool *p) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i j", "for", "", NULL};
  return names[draw(p, draw(p, 8) ? 8 : 12)];
}

static void any_declaration(pool *p) {
  kg_builder *b = p->b;
  kg_type type = any_type(p);
  kg_length length = DRAW(p, length), other = DRAW(p, length);
  const char *name = any_name(p);
  kg_param param = DRAW(p, param);
  kg_object object = DRAW(p, object);
  uint32_t set = draw(p, 2), offset = 4 * draw(p, 2);
  switch (draw(p, 16)) {
  case 0: KEEP(p, program, kg_build_program(b, name)); break;
  case 1: kg_build_program_end(b); break;
  case 2: KEEP(p, constant, kg_build_constant(b, name, type, draw(p, 3))); break;
  case 3: KEEP(p, param, kg_build_param(b, name, type)); break;
  case 4: kg_build_param_default(b, param, draw(p, 3)); break;
  case 5: kg_build_param_range(b, param, length, other); break;
  case 6: KEEP(p, object, kg_build_buffer(b, name, type, (kg_mode)(1 + draw(p, 4)), length)); break;
  case 7: kg_build_range(b, object, length, other); break;
  case 8: kg_build_view(b, object, 0, set, offset, 4 * draw(p, 3)); break;
  case 9: KEEP(p, object, kg_build_shared(b, name, type, length)); break;
  case 10: KEEP(p, object, kg_build_var(b, name, type, length)); break;
  case 11: kg_build_workgroup(b, draw(p, 3), length); break;
  case 12: kg_build_grid(b, draw(p, 3), length); break;
  case 13: kg_build_invocations(b, draw(p, 4), length); break;
  case 14: KEEP(p, object, kg_build_scalar(b, name, type, KG_READ_WRITE)); break;
  default: KEEP(p, length, kg_build_length_constant(b, DRAW(p, constant))); break;
  }
}

static void any_length(pool *p) {
  kg_builder *b = p->b;
  kg_length x = DRAW(p, length), y = DRAW(p, length);
  switch (draw(p, 6)) {
  case 0: KEEP(p, length, kg_build_length_param(b, DRAW(p, param))); break;
  case 1: KEEP(p, length, kg_build_length_of(b, DRAW(p, object))); break;
  case 2: KEEP(p, length, kg_build_length_index(b, DRAW(p, item))); break;
  case 3: KEEP(p, length, kg_build_length_op(b, (kg_length_op)draw(p, 8), x, y)); break;
  default: KEEP(p, length, kg_build_length(b, (int64_t)draw(p, 9) - 1)); break;
  }
}

static void any_value(pool *p) {
  kg_builder *b = p->b;
  kg_value x = DRAW(p, value), y = DRAW(p, value), z = DRAW(p, value), w = DRAW(p, value);
  kg_object object = DRAW(p, object);
  kg_type type = any_type(p);
  uint32_t few = draw(p, 2);
  switch (draw(p, 14)) {
  case 0: KEEP(p, value, kg_build_int(b, type, draw(p, 3))); break;
  case 1: KEEP(p, value, kg_build_float(b, KG_F32, draw(p, 3))); break;
  case 2: KEEP(p, value, kg_build_param_value(b, DRAW(p, param))); break;
  case 3: KEEP(p, value, kg_build_constant_value(b, DRAW(p, constant))); break;
  case 4: KEEP(p, value, kg_build_id(b, (kg_id)draw(p, 9), few)); break;
  case 5: KEEP(p, value, kg_build_len(b, object)); break;
  case 6: KEEP(p, value, kg_build_op1(b, (kg_op)draw(p, 99), x)); break;
  case 7: KEEP(p, value, kg_build_op2(b, (kg_op)draw(p, 99), x, y)); break;
  case 8: KEEP(p, value, kg_build_op4(b, KG_OP_BIT_INSERT, x, y, z, w)); break;
  case 9: KEEP(p, value, kg_build_convert(b, type, x)); break;
  case 10: KEEP(p, value, kg_build_bitcast(b, type, x)); break;
  case 11: KEEP(p, value, kg_build_load(b, object, x)); break;
  case 12: KEEP(p, value, kg_build_atomic(b, (kg_atomic)draw(p, 11), object, x, y, few ? z : none)); break;
  default: KEEP(p, value, kg_build_subgroup(b, (kg_subgroup)draw(p, 32), x, few ? y : none)); break;
  }
}

static void any_statement(pool *p) {
  kg_builder *b = p->b;
  kg_value x = DRAW(p, value), y = DRAW(p, value), z = draw(p, 2) ? DRAW(p, value) : none;
  const char *name = any_name(p);
  switch (draw(p, 16)) {
  case 0: kg_build_if(b, x); break;
  case 1: kg_build_else(b); break;
  case 2: KEEP(p, value, kg_build_for(b, name, x, y, z, draw(p, 2))); break;
  case 3: kg_build_while(b); break;
  case 4: kg_build_while_body(b, x, draw(p, 2) ? DRAW(p, length) : no_length); break;
  case 5: kg_build_region(b, name); break;
  case 6: kg_build_end(b); break;
  case 7: kg_build_break(b); break;
  case 8: kg_build_return(b); break;
  case 9: kg_build_barrier(b); break;
  case 10: kg_build_assert(b, x, name); break;
  case 11: kg_build_name(b, x, name); break;
  case 12: kg_build_continue(b); break;
  case 13: kg_build_checkpoint(b, draw(p, 2) ? name : NULL); break;
  default: kg_build_store(b, DRAW(p, object), x, y); break;
  }
}

static void any_work(pool *p) {
  kg_builder *b = p->b;
  kg_length x = DRAW(p, length), y = DRAW(p, length);
  kg_item item = DRAW(p, item);
  kg_object from = DRAW(p, object);
  kg_program program = DRAW(p, program);
  const char *name = any_name(p);
  switch (draw(p, 10)) {
  case 0: kg_build_module(b, name); break;
  case 8: kg_build_adjoint(b, program, DRAW(p, program)); break;
  case 7: kg_build_bind_slice(b, item, from, DRAW(p, object), x, y); break;
  case 1: KEEP(p, item, kg_build_run(b, program)); break;
  case 2: kg_build_bind(b, item, from, DRAW(p, object)); break;
  case 3: kg_build_pass(b, item, DRAW(p, param), x); break;
  case 4: kg_build_run_grid(b, item, draw(p, 3), x); break;
  case 5: kg_build_run_invocations(b, item, draw(p, 3), x); break;
  case 6: KEEP(p, item, kg_build_repeat(b, name, x, y, no_length, draw(p, 2))); break;
  default: kg_build_repeat_end(b); break;
  }
}

/* A start that is right, so that what follows gets somewhere. */
static void start(pool *p) {
  p->b = begin();
  if (draw(p, 2)) kg_build_module(p->b, "m");
  KEEP(p, program, kg_build_program(p->b, "p"));
  for (int k = 0; k < 4; k++) KEEP(p, length, kg_build_length(p->b, 4));
  kg_build_workgroup(p->b, 0, kg_build_length(p->b, 4));
  KEEP(p, object, kg_build_buffer(p->b, "x", KG_F32, KG_READ_WRITE, kg_build_length(p->b, 8)));
  for (int k = 0; k < 4; k++) KEEP(p, value, kg_build_int(p->b, KG_U32, 0));
}

START_TEST(any_calls) {
  static pool p;
  uint32_t built = 0;
  p.state = (uint64_t)_i + 1;
  for (int round = 0; round < 1500; round++) {
    kg_module *m = NULL;
    said[0] = 0;
    start(&p);
    for (uint32_t k = draw(&p, 30); k-- > 0 && kg_builder_status(p.b) == KG_OK;) {
      static void (*const calls[])(pool *p) = {any_declaration, any_length, any_value, any_value, any_statement, any_work};
      calls[draw(&p, 5 + (draw(&p, 8) == 0))](&p);
    }
    if (draw(&p, 2)) kg_build_program_end(p.b);
    kg_status status = kg_builder_finish(p.b, &m);
    ck_assert((status == KG_OK) == (m != NULL));
    ck_assert_msg(status == KG_OK || (status == KG_INVALID && said[0]), "%s without a word", kg_status_name(status));
    built += status == KG_OK;
    kg_module_free(m);
  }
  ck_assert_uint_gt(built, 0);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(all_of_a_program), KGT(a_module), KGT(slices), KGT(a_stated_adjoint), KGT(a_stated_derivative),
                            KGT(several_dimensions), KGT_TABLE(misuse, misuses, id), KGT(no_builder), KGT_TIMES(any_calls, 4)};
  return kgt_run("public/builder", tests, KGT_COUNT(tests));
}
