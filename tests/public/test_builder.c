/* The public builder makes what the parser makes of the same text. */
#include "tests/public/builder.h"

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
  p.idx = kg_build_buffer(b, "idx", KG_U16, KG_READ, kgt_no_length);
  kg_build_range(b, p.idx, zero, n);
  p.y = kg_build_buffer(b, "y", KG_F32, KG_READ_WRITE, kg_build_length_of(b, p.x));
  kg_build_draw(b, p.y, KG_DRAW_POSITIVE);
  p.total = kg_build_scalar(b, "total", KG_F32, KG_READ_WRITE);
  p.u = kg_build_buffer(b, "u", KG_F32, KG_READ, kg_build_length_op(b, KG_LENGTH_MAX, n, kg_build_length(b, 2)));
  kg_build_view(b, p.u, 0, 7, 4, 8);
  p.part = kg_build_shared(b, "part", KG_F32, t);
  p.seen = kg_build_shared(b, "seen", KG_U32, kgt_no_length);
  return p;
}

static void loops(kg_builder *b, const parts *p, kg_value i, kg_object acc) {
  kg_value from = kg_build_int(b, KG_I32, 0), to = kg_build_int(b, KG_I32, 8);
  kg_value k = kg_build_for(b, "k", from, to, kg_build_int(b, KG_I32, 2), true);
  kg_value old = kg_build_load(b, acc, kgt_no_value);
  kg_build_store(b, acc, kgt_no_value, kg_build_op2(b, KG_OP_ADD, old, kg_build_load(b, p->part, k)));
  kg_build_end(b);
  kg_value now = kg_build_load(b, acc, kgt_no_value);
  kg_build_if(b, kg_build_op2(b, KG_OP_GT, now, kgt_f32(b, 1)));
  kg_build_store(b, p->y, i, kg_build_load(b, acc, kgt_no_value));
  kg_build_else(b);
  now = kg_build_load(b, acc, kgt_no_value);
  kg_build_store(b, p->y, i, kg_build_op1(b, KG_OP_NEG, now));
  kg_build_end(b);
}

static void count(kg_builder *b, const parts *p, kg_value i) {
  kg_object j = kg_build_var(b, "j", KG_U32, kgt_no_length);
  kg_build_store(b, j, kgt_no_value, kgt_u32(b, 0));
  kg_build_while(b);
  kg_value now = kg_build_load(b, j, kgt_no_value);
  kg_build_while_body(b, kg_build_op2(b, KG_OP_LT, now, kgt_u32(b, 3)), kg_build_length(b, 10));
  now = kg_build_load(b, j, kgt_no_value);
  kg_build_store(b, j, kgt_no_value, kg_build_op2(b, KG_OP_ADD, now, kgt_u32(b, 1)));
  now = kg_build_load(b, j, kgt_no_value);
  kg_build_if(b, kg_build_op2(b, KG_OP_EQ, now, kgt_u32(b, 2)));
  kg_build_continue(b);
  kg_build_end(b);
  kg_build_if(b, kg_build_op2(b, KG_OP_GT, i, kg_build_constant_value(b, p->t)));
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
  kg_value old = kg_build_atomic(b, KG_ATOMIC_ADD, p->total, kgt_no_value, kg_build_load(b, acc, kgt_no_value), kgt_no_value);
  kg_build_name(b, old, "old");
  kg_build_assert(b, kg_build_op2(b, KG_OP_LT, old, kgt_f32(b, 5)), "far");
  kg_build_end(b);
  checkpoints(b, m);
  kg_build_atomic(b, KG_ATOMIC_MAX, p->seen, kgt_no_value, kg_build_len(b, p->idx), kgt_no_value);
  kg_value s = kg_build_subgroup(b, KG_SUBGROUP_ADD, kg_build_convert(b, KG_F32, kg_build_load(b, p->idx, i)), kgt_no_value);
  kg_build_name(b, s, "s");
  kg_build_store(b, m, kg_build_int(b, KG_I32, 1), kg_build_bitcast(b, KG_I32, kg_build_load(b, p->u, i)));
  kg_value grown = kg_build_op1(b, KG_OP_EXP, kg_build_load(b, acc, kgt_no_value));
  kg_value first = kg_build_subgroup(b, KG_SUBGROUP_ELECT, kgt_no_value, kgt_no_value);
  kg_value one = kgt_f32(b, 1), two = kgt_f32(b, 2);
  kg_value args[] = {s, grown, kg_build_op3(b, KG_OP_SELECT, first, one, two)};
  kg_build_store(b, p->y, i, kg_build_op(b, KG_OP_FMA, args, 3));
  kg_build_memory_barrier(b);
  kg_build_return(b);
}

START_TEST(all_of_a_program) {
  kg_builder *b = kgt_begin();
  kg_build_program(b, "everything");
  parts p = declare(b);
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_value v = kg_build_load(b, p.x, i);
  kg_value lane = kg_build_id(b, KG_ID_LOCAL_ID, 0);
  kg_build_store(b, p.part, lane, kg_build_op2(b, KG_OP_MUL, v, kg_build_param_value(b, p.rate)));
  kg_build_barrier(b);
  kg_object acc = kg_build_var(b, "acc", KG_F32, kgt_no_length);
  kg_build_store(b, acc, kgt_no_value, kg_build_literal(b, KG_F32, 0));
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

START_TEST(a_module) {
  kg_builder *b = kgt_begin();
  kg_build_module(b, "descent");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_build_param_default(b, n, 16);
  kg_length size = kg_build_length_param(b, n), two = kg_build_length(b, 2);
  kg_object a = kg_build_buffer(b, "a", KG_F32, KG_READ_WRITE, size), t = kg_build_buffer(b, "t", KG_F32, KG_TEMP, size);
  kgt_step s = kgt_build_step(b);
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
  kg_builder *b = kgt_begin();
  kg_build_module(b, "taped");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_build_param_default(b, n, 16);
  kg_length size = kg_build_length_param(b, n), four = kg_build_length(b, 4), zero = kg_build_length(b, 0), three = kg_build_length(b, 3);
  kg_build_buffer(b, "a", KG_F32, KG_READ, size);
  kg_object t = kg_build_buffer(b, "t", KG_F32, KG_READ_WRITE, kg_build_length_op(b, KG_LENGTH_MUL, size, four));
  kgt_step s = kgt_build_step(b);
  kg_item k = kg_build_repeat(b, "k", zero, three, kgt_no_length, false);
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

START_TEST(a_stated_adjoint) {
  kg_builder *b = kgt_begin();
  kgt_sides s = kgt_build_square(b);
  kg_build_adjoint(b, s.forward, s.back);
  kg_build_run(b, s.forward);
  same_as(b, square);
} END_TEST

/* As a function of the language that states a pullback and another pushforward. */
START_TEST(a_stated_derivative) {
  kg_builder *b = kgt_begin();
  kg_build_program(b, "held");
  kg_length four = kg_build_length(b, 4);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ_WRITE, four);
  kg_build_workgroup(b, 0, four);
  kg_build_grid(b, 0, kg_build_length(b, 1));
  kg_value i = kg_build_id(b, KG_ID_LOCAL_ID, 0), v = kg_build_load(b, x, i), three = kgt_f32(b, 3), two = kgt_f32(b, 2);
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
  kg_builder *b = kgt_begin();
  kg_build_program(b, "plane");
  kg_constant constant = kg_build_constant(b, "T", KG_U32, 4);
  kg_param rows = kg_build_param(b, "rows", KG_U32), cols = kg_build_param(b, "cols", KG_U32);
  kg_length size[2] = {kg_build_length_param(b, rows), kg_build_length_param(b, cols)}, t_size[2], m_size[3];
  t_size[0] = t_size[1] = kg_build_length_constant(b, constant);
  for (int k = 0; k < 3; k++) m_size[k] = kg_build_length(b, 2 + k);
  for (unsigned k = 0; k < 2; k++) kg_build_workgroup(b, k, t_size[0]), kg_build_invocations(b, k, size[1 - k]);
  kg_object a = kg_build_buffer(b, "a", KG_F32, KG_READ, kgt_no_length), y = kg_build_buffer(b, "y", KG_F32, KG_READ_WRITE, kgt_no_length);
  kg_object t = kg_build_shared(b, "t", KG_F32, kgt_no_length), m = kg_build_var(b, "m", KG_F32, kgt_no_length);
  kg_build_extents(b, a, size, 2), kg_build_extents(b, y, size, 2), kg_build_extents(b, t, t_size, 2), kg_build_extents(b, m, m_size, 3);
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 1), j = kg_build_id(b, KG_ID_GLOBAL_ID, 0), literal[4];
  kg_value v = kg_build_id(b, KG_ID_LOCAL_ID, 1), u = kg_build_id(b, KG_ID_LOCAL_ID, 0);
  for (int k = 0; k < 4; k++) literal[k] = kg_build_int(b, KG_I32, k);
  kg_value to = place(b, t, v, u);
  kg_build_store(b, t, to, kg_build_load(b, a, place(b, a, i, j)));
  kg_build_barrier(b);
  to = kg_build_place(b, m, &literal[1], 3);
  kg_build_store(b, m, to, kg_build_load(b, t, place(b, t, literal[0], literal[1])));
  kg_build_if(b, kg_build_op2(b, KG_OP_LT, i, kg_build_extent(b, y, 0)));
  to = place(b, y, i, j);
  kg_build_atomic(b, KG_ATOMIC_ADD, y, to, kg_build_load(b, m, kg_build_place(b, m, &literal[1], 3)), kgt_no_value);
  kg_build_end(b);
  kg_build_program_end(b);
  same_as(b, plane);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(all_of_a_program), KGT(a_module), KGT(slices), KGT(a_stated_adjoint), KGT(a_stated_derivative),
                            KGT(several_dimensions)};
  return kgt_run("public/builder", tests, KGT_COUNT(tests));
}
