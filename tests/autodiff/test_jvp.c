/* Tangents against dual numbers, element by element, along random directions. */
#include "foundation/ir/program.h"
#include "tests/autodiff/jvp_case.h"

/* Of tests/kernels, where each says what it shows: all that reverse mode is tested with, and what it refuses. */
static const char *const kernels[] = {
  "straight_line", "overwritten_variable", "if_in_the_middle", "if_nested", "inner_products", "nest_with_local_sum",
  "conditions_in_loop", "reversed_with_step", "uniform_element", "row_of_a_workgroup", "norm_by_tree", "softmax_by_trees",
  "loss_by_atomics", "clamp_select_pow", "halves", "doubles_and_brain_floats", "local_array", "stencil_with_border",
  "scratch_in_buffer", "linear_filter_in_shared", "nonlinear_filter_in_shared", "histogram_in_shared", "returns_in_branches",
  "stored_twice", "wide_indices", "search_with_break", "local_array_overlapping", "triangle_of_loops", "three_dimensions",
  "matrix_product", "computed_before_guard", "compaction", "tile_refilled", "nested",
  "module_through_temp", "module_one_program_thrice", "module_linear_in_place", "module_nested_repeats",
  "module_loss_cleared_first", "module_run_without_gradient", "module_shared_refilled", "module_overwritten_variable",
  "module_grid_of_the_run", "module_tiles",
};

START_TEST(kernels_hold) {
  char *text = kgt_kernel(kernels[_i / 2]);
  jvt_holds(text, _i % 2 ? 3 : 1, NULL);
  free(text);
} END_TEST

/* ---- what needs no tape ---- */

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n" \
             "let i = global_id.x\n"
#define ONE "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer s : f32[1] read_write\n"
#define VIEW "view(set 0, binding 7, offset 0, stride 4)"
#define SUBGROUP(expression) HEAD "y[i] = " expression " }"

#define SHARED "program p { workgroup 8 grid 3 buffer x : f32[24] read in 0.1 .. 0.9 buffer y : f32[24] write shared m : f32\n" \
               "let l = local_id.x var v = x[global_id.x] if l == 0 { m = -2.0 } barrier\n"

#define SEGMENTS "program p { workgroup 8 grid 3 buffer x : f32[24] read in 0.1 .. 0.9 buffer d : u32[24] read_write in 0 .. 4\n" \
                 "buffer y : f32[24] write shared m : f32[4] let l = local_id.x var v = x[global_id.x] if l < 4 { m[l] = -2.0 } barrier\n"
#define END_SEGMENTS " barrier y[global_id.x] = m[l % 4] * v }"

static const char *const texts[] = {
  /* extremes in shared memory: an operand that is NaN, one word as a maximum and a sum, rounds, a minimum that nobody sets */
  SHARED "for j in 0 .. 2 { atomic_max(m, sqrt(v - f32(j))) } barrier y[global_id.x] = m * v }",
  SHARED "atomic_max(m, v) barrier let most = m barrier if l == 0 { m = 0.0 } barrier\n"
         "let e = exp(v - most) atomic_add(m, e) barrier y[global_id.x] = e / m }",
  SHARED "for k in 0 .. 3 { if v > 0.3 { atomic_max(m, v * (1.0 + f32(k))) } barrier v = sin(v) + 0.5 * m barrier\n"
         "if l == 3 { m = m * 0.25 } barrier } y[global_id.x] = v }",
  SHARED "if l == 0 { m = 0.05 * v } barrier atomic_min(m, v) barrier y[global_id.x] = m * v }",
  /* in a region, and beside exits of a loop that lies inside of the phase */
  SHARED "region most { atomic_max(m, v) barrier y[global_id.x] = m * v } }",
  SHARED "region all { region one { if l != 3 { atomic_max(m, v) } } barrier v = v + m barrier if l == 0 { m = 0.9 } barrier\n"
         "region two { atomic_min(m, v * v) barrier } } y[global_id.x] = m * v }",
  SHARED "for j in u32(0) .. 3 { if x[l + j] < 0.4 { continue } atomic_max(m, x[l + j] * v) if j > l { break } } barrier\n"
         "y[global_id.x] = m * v }",
  /* at an index that is known in a branch or a loop alone */
  SEGMENTS "if v > 0.2 { let k = d[global_id.x] atomic_max(m[k], v) }" END_SEGMENTS,
  SEGMENTS "for j in u32(0) .. 3 { if x[l + j] > 0.2 { atomic_max(m[d[global_id.x]], x[l + j] * v) } }" END_SEGMENTS,
  SEGMENTS "if l > 0 { let k = d[global_id.x] if l % 2 == 1 { atomic_max(m[k], v) } else { atomic_max(m[3 - k], v * v) } }" END_SEGMENTS,
  SEGMENTS "var k = d[l] for j in u32(0) .. d[l] { let at = k / 2 atomic_max(m[at], x[l + j]) } k = u32(3)" END_SEGMENTS,
  HEAD "var t = x[i] var k = 0\nwhile t < 3.0 && k < 9 { t = t * 1.5 + x[i] k += 1 }\ny[i] = t }",
  HEAD "var t = 1.0\nfor j in 0 .. n { if x[j] > 1.0 { break } t = t * x[j] }\ny[i] = t }",
  HEAD "var t = 1.0\nfor j in 0 .. n { if x[j] > 0.5 { continue } t = t * x[j] }\ny[i] = t }",
  HEAD "y[i] = 0.0\nfor j in 0 .. n { if x[j] > 1.0 { y[i] = sin(x[i]) return } } y[i] = x[i] * x[i] }",
  HEAD "var t = x[i]\nfor j in 0 .. 5 { t = sin(t) + x[j] }\ny[i] = t }",
  HEAD "region first { var t = x[i] * x[i] } y[i] = t * x[0] }",
  /* the parts of an array that were stored before anything depended on an input */
  HEAD "var a : f32[4]\nfor j in 0 .. 4 { a[j] = f32(j) } a[1] = x[i]\nvar s = 0.0\nfor j in 0 .. 4 { s += a[j] * a[j] } y[i] = s }",
  /* a var that is given another value, and one without a value at first */
  HEAD "var t = x[i]\nvar u : f32\nif t > 0.0 { u = t * 2.0 } else { u = t * t }\nt = 3.0\ny[i] = t * u }",
  /* what lies out of bounds is 0 and has no tangent, in the last direction as in the first */
  HEAD "y[i] = x[i] + x[i + 1] * x[i - 1] + x[i + 3] }",
  SUBGROUP("subgroup_add(x[i] * x[i])"), SUBGROUP("subgroup_inclusive_add(sin(x[i]))"), SUBGROUP("subgroup_exclusive_add(x[i] * x[i])"),
  SUBGROUP("subgroup_broadcast(x[i] * x[i], u32(2))"), SUBGROUP("subgroup_broadcast_first(x[i] * x[i])"),
  SUBGROUP("subgroup_shuffle(x[i] * x[i], u32(3) - subgroup_lane)"), SUBGROUP("subgroup_shuffle_xor(x[i] * x[i], u32(1))"),
  SUBGROUP("subgroup_shuffle_down(x[i] * x[i], u32(1))"), SUBGROUP("subgroup_shuffle_up(x[i] * x[i], u32(1))"),
  SUBGROUP("subgroup_max(x[i] * x[i])"), SUBGROUP("subgroup_min(sin(x[i]))"),
  /* elements of a view that nothing stores to are bytes of its block, which no input moves */
  "program p { workgroup 1 grid 1 buffer x : f32[4] read view(set 0, binding 7, offset 0, stride 8)\n"
  "buffer y : f32[4] write view(set 0, binding 7, offset 4, stride 8) for k in 0 .. 4 { if x[k] > 0.0 { y[k] = x[k] * x[k] } } }",
  SUBGROUP("subgroup_mul(x[i] * x[i])"), SUBGROUP("subgroup_inclusive_mul(x[i])"), SUBGROUP("subgroup_exclusive_mul(x[i]) * x[i]"),
  SUBGROUP("subgroup_mul(select(subgroup_lane == u32(1), x[i] - stop_gradient(x[i]), x[i]))"),
  SUBGROUP("subgroup_inclusive_mul(select(subgroup_lane == 1, x[i] - stop_gradient(x[i]), x[i]))"),
  SUBGROUP("subgroup_inclusive_max(sin(x[i]))"), SUBGROUP("subgroup_inclusive_min(x[i] * x[i])"),
  SUBGROUP("select(subgroup_lane == u32(0), 0.0, subgroup_exclusive_max(floor(x[i]) * x[0]))"),
  /* stored over by several, of which each leaves the tangent 0 */
  "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer s : f32[1] read_write buffer y : f32[4] write let l = local_id.x\n"
  "if l == 0 { s[0] = x[0] * s[0] } barrier let t = s[0] * x[l] barrier atomic_store(s[0], 1.0) barrier y[l] = t + s[0] * x[l] }",
  /* atomics on elements of one's own */
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer z : f32[8] read_write buffer y : f32[8] write let i = global_id.x\n"
  "let a = atomic_exchange(z[7 - i], x[i] * x[i]) let b = atomic_max(z[7 - i], x[i]) y[i] = a * b }",
  HEAD "if i % 2 == 0 { y[i] = subgroup_inclusive_mul(x[i]) + subgroup_exclusive_min(x[i] * x[i]) * f32(subgroup_lane != 0) } }",
  /* a lane that takes no part */
  HEAD "if x[i] > 0.0 { y[i] = subgroup_add(x[i] * x[i]) } else { y[i] = subgroup_max(x[i]) } }",
};

START_TEST(texts_hold) {
  jvt_holds(texts[_i / 2], _i % 2 ? 2 : 1, NULL);
} END_TEST

/* ---- every row ---- */

/* Of three elements of x, by name or by sign, in a type. */
static void row_text(kgi_op op, const char *type, char *text, size_t size) {
  static const char *const infix[] = {[KGI_OP_add] = "+", [KGI_OP_sub] = "-", [KGI_OP_mul] = "*", [KGI_OP_div] = "/"};
  const kgi_op_row *row = &kgi_op_rows[op];
  char call[200];
  if (op <= KGI_OP_div) snprintf(call, sizeof call, "a %s b", infix[op]);
  else if (op == KGI_OP_neg) snprintf(call, sizeof call, "-a");
  else if (op == KGI_OP_select) snprintf(call, sizeof call, "select(a > b, b, c)");
  else if (op == KGI_OP_ldexp) snprintf(call, sizeof call, "ldexp(a, 3)");
  else if (op == KGI_OP_convert) snprintf(call, sizeof call, "%s(f64(a))", type);
  else if (op == KGI_OP_acosh) snprintf(call, sizeof call, "acosh(2.0 + a)");
  else if (op == KGI_OP_asin || op == KGI_OP_acos || op == KGI_OP_atanh) snprintf(call, sizeof call, "%s(a * 0.5)", row->name);
  else if (op == KGI_OP_with_partial) snprintf(call, sizeof call, "with_partial(a, b, a * b, c)");
  else snprintf(call, sizeof call, row->arity == 1 ? "%s(a)" : row->arity == 2 ? "%s(a, b)" : "%s(a, b, c)", row->name);
  snprintf(text, size, "program p { workgroup 4 grid invocations n param n : u32 = 30\n"
                       "buffer x : %s[n] read in %s .. 2 buffer y : %s[n] write\n"
                       "let i = global_id.x if i < n { let a = x[i] let b = x[n - 1 - i] let c = x[(i + 7) %% n]\ny[i] = a * 0.25 + %s } }",
           type, op == KGI_OP_sqrt || op == KGI_OP_rsqrt || (op >= KGI_OP_log && op <= KGI_OP_pow) ? "1" : "-1", type, call);
}

static bool is_of_floats(kgi_op op) {
  bool takes = false;
  for (unsigned k = 0; k < kgi_op_rows[op].arity; k++) {
    const char *text = kgi_op_rows[op].partial[k];
    takes |= *text && strcmp(text, "!") != 0;
  }
  kgi_rule rule = (kgi_rule)kgi_op_rows[op].rule;
  return takes && rule != KGI_RULE_FTEST && rule != KGI_RULE_SAME && rule != KGI_RULE_CMP;
}

START_TEST(rows_hold) {
  static const char *const types[] = {"f32", "f64", "f16"};
  char text[1000];
  ck_assert_uint_gt(kgi_op_rows[_i].arity, 0); /* a row without floats has no more to hold */
  for (unsigned k = 0; k < 3 && is_of_floats((kgi_op)_i); k++) {
    row_text((kgi_op)_i, types[k], text, sizeof text);
    jvt_holds(text, 1 + k, NULL);
  }
} END_TEST

/* ---- what is asked for ---- */

/* Params; an input that is written; an output that is read first and is no input; one that no input reaches. */
START_TEST(names) {
  static const char *const wrt[] = {"a", "x"}, *const of[] = {"y", "z"};
  const char *text = "program p { workgroup 4 grid invocations n param n : u32 = 6 param a : f32 = 2.0 buffer x : f32[n] read_write\n"
                     "buffer y : f32[n] read_write buffer z : f32[n] write buffer w : f32[n] read_write let i = global_id.x if i < n {\n"
                     "w[i] = w[i] * x[i] + a x[i] = x[i] * 3.0 y[i] = y[i] * a + w[i] z[i] = 1.0 } }";
  for (uint32_t directions = 1; directions < 4; directions++) {
    jvt_case c = {.params = {.of = of, .of_count = 2, .wrt = wrt, .wrt_count = 2, .directions = directions}, .label = text};
    jvt_prepare(&c, text);
    jvt_verify(&c);
    jvt_free(&c);
  }
} END_TEST

/* A run stores what depends on no input, where another stored what does; a program of its own, since it has a tangent to clear. */
START_TEST(cleared_by_another_run) {
  jvt_holds("module m { buffer x : f32[8] read buffer y : f32[8] write buffer t : f32[8] temp\n"
            "program fill { workgroup 4 grid 2 buffer t : f32[8] write t[global_id.x] = 2.0 }\n"
            "program some { workgroup 4 grid 1 buffer x : f32[8] read buffer t : f32[8] read_write\n"
            "t[2 * global_id.x] = t[2 * global_id.x] * x[global_id.x] }\n"
            "program use_it { workgroup 4 grid 2 buffer t : f32[8] read buffer x : f32[8] read buffer y : f32[8] write\n"
            "let i = global_id.x y[i] = t[i] * t[i] + x[i] }\n"
            "repeat k in 0 .. 3 { run fill(t = t) run some(x = x, t = t) run use_it(t = t, x = x, y = y) } }", 2, NULL);
} END_TEST

/* An infinite partial counts for nothing where the direction is 0, and where another arm was chosen. */
START_TEST(strong_zero) {
  typedef struct zero { const char *expression; double x, direction, tangent; } zero;
  static const zero zeros[] = {
    {"sqrt(v)", 0, 0, 0}, {"sqrt(v)", 0, 1, (double)INFINITY}, {"log(v)", 0, 0, 0}, {"1.0 / v", 0, 0, 0},
    {"select(v > 0.0, sqrt(v), v)", 0, 1, 1}, {"pow(v, 0.5)", 0, 0, 0}, {"sqrt(v - v)", 3, 1, 0}, {"pow(v, 2.0)", 0, 1, 0},
    {"max(v, 0.0)", 0, 1, 0.5}, {"abs(v)", 0, 1, 0}, {"max(max(max(v, v), v), v)", 1, 1, 1}, {"mulz(v, 1.0 / v)", 0, 1, (double)INFINITY},
  };
  for (size_t i = 0; i < KGT_COUNT(zeros); i++) {
    const zero *z = &zeros[i];
    char text[300];
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer y : f32[1] write let v = x[0] y[0] = %s }",
             z->expression);
    jvt_case c = {.label = text};
    jvt_prepare(&c, text);
    adt_set(&c.result, "x", 0, z->x), adt_set(&c.result, "tan_x", 0, z->direction);
    adt_run(&c.result);
    ck_assert_msg(adt_get(&c.result, "tan_y", 0) == z->tangent, "%s: %g", z->expression, adt_get(&c.result, "tan_y", 0));
    jvt_free(&c);
  }
} END_TEST

/* Of -0 and +0 a maximum is +0, whoever comes first, and a minimum -0: 1 / y is the sign. The tangent is that of who came first. */
START_TEST(zeros_of_extremes) {
  for (int least = 0; least < 2; least++)
    for (int first = 0; first < 2; first++) {
      jvt_case c = {.label = "of two zeros"};
      char text[400];
      snprintf(text, sizeof text, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[2] write shared m : f32\n"
                                  "if local_id.x == 0 { m = %s } barrier atomic_%s(m, x[local_id.x]) barrier\n"
                                  "if local_id.x == 0 { y[0] = 1.0 / m y[1] = m } }",
               least ? "1.0" : "-1.0", least ? "min" : "max");
      jvt_prepare(&c, text);
      for (uint64_t i = 0; i < 4; i++) {
        bool negative = (int)i == first;
        adt_set(&c.result, "x", i, i > 1 ? (least ? 2 : -2) : negative ? -0.0 : 0.0), adt_set(&c.result, "tan_x", i, 1 + (double)i);
      }
      adt_run(&c.result);
      ck_assert_msg(adt_get(&c.result, "y", 0) == (least ? -INFINITY : INFINITY), "another zero: %g", adt_get(&c.result, "y", 0));
      ck_assert_double_eq(adt_get(&c.result, "tan_y", 1), 1);
      jvt_free(&c);
    }
} END_TEST

/* ---- what is refused ---- */

typedef struct refusal { const char *id; unsigned line; const char *text; } refusal;
static const refusal refusals[] = {
  {"grad-bits", 3, HEAD "y[i] = bitcast_f32(bitcast_u32(x[i]) ^ 1) }"},
  {"jvp-subgroup", 3, ONE "var w = 0 while {\nlet o = atomic_add(s[0], subgroup_mul(x[local_id.x])) let c = w < 2 when c } { w += 1 } }"},
  {"jvp-atomic", 2, ONE "atomic_max(s[0], x[local_id.x]) }"},
  {"jvp-atomic", 2, ONE "atomic_store(s[0], x[local_id.x]) }"},
  {"jvp-atomic", 2, ONE "atomic_store(s[0], 1.0) atomic_add(s[0], x[local_id.x]) }"},
  {"jvp-atomic", 3, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : f32[1]\n"
   "let i = global_id.x if i == 0 { t[0] = 0.5 } barrier\nlet s = atomic_load(t[0]) atomic_add(t[0], x[i]) y[i] = s }"},
  {"jvp-atomic", 3, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : f32[1]\n"
   "let i = global_id.x if i == 0 { t[0] = 0.5 } barrier\natomic_store(t[0], 0.25) atomic_add(t[0], x[i]) barrier y[i] = t[0] }"},
  /* who leaves does not come to where the element is told */
  {"jvp-atomic", 4, SHARED "for k in 0 .. 3 { barrier\natomic_max(m, v) if k == 2 { break } barrier y[global_id.x] = m * v } }"},
  /* one invocation may have set several elements, or another than that of the last trip */
  {"jvp-atomic", 4, SEGMENTS "for j in u32(0) .. 4 {\natomic_max(m[j], x[l + j]) }" END_SEGMENTS},
  {"jvp-atomic", 4, SEGMENTS "for j in u32(0) .. 4 {\natomic_max(m[d[l + j]], x[l + j]) }" END_SEGMENTS},
  {"jvp-atomic", 4, SEGMENTS "var k = d[l] for j in 0 .. 4 {\natomic_max(m[k], v) k = (k + u32(1)) % 4 }" END_SEGMENTS},
  {"jvp-atomic", 4, SEGMENTS "for j in 0 .. 2 {\natomic_max(m[d[global_id.x]], v) d[global_id.x] = u32(j) }" END_SEGMENTS},
  {"grad-atomic-result", 2, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer s : f32[1] read_write buffer y : f32[4] write\n"
                            "y[local_id.x] = atomic_add(s[0], x[local_id.x]) }"},
  {"grad-view", 2, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write "
                   "buffer a : f32[8] write " VIEW " buffer b : u32[8] read " VIEW
                   "\na[local_id.x] = x[local_id.x] y[local_id.x] = bitcast_f32(b[local_id.x]) }"},
  {"grad-nothing", 1, "program p { workgroup 1 grid 1 buffer x : u32[1] read_write x[0] = x[0] + 1 }"},
};

START_TEST(refused) {
  const refusal *r = &refusals[_i];
  jvt_case c = {.random = 1};
  kg_status status = jvt_differentiate(&c, r->text);
  ck_assert_msg(status == KG_REFUSED || status == KG_INVALID, "not refused: status %d", (int)status);
  ck_assert_msg(!strcmp(c.note.diag, r->id), "refused as %s (%s)", c.note.diag, c.note.message);
  ck_assert_ptr_null(c.tangent);
  ck_assert_uint_eq(c.note.line, r->line);
  jvt_free(&c);
} END_TEST

/* What a run binds may be longer than its program declares, or a slice, and a scalar a buffer of several elements. */
static const char *const longer[] = {
  "module m { param n : u32 = 4 buffer x : f32[2 * n] read buffer y : f32[n] write\n"
  "program p { workgroup 4 grid 1 param k : u32 = 4 buffer x : f32[k] read buffer y : f32[k] write let i = global_id.x\n"
  "y[i] = x[i] * x[i] }\nrun p(x = x, y = y, k = n) }",
  "module m { param n : u32 = 4 buffer x : f32[3 * n] read_write buffer y : f32[n] write\n"
  "program p { workgroup 4 grid 1 buffer a : f32[] read buffer b : f32[3] read_write buffer c : f32 read buffer y : f32[] write\n"
  "let i = global_id.x if i < 3 { b[i] = b[i] * a[i] } y[i] = a[i + 1] * c }\n"
  "run p(a = x[0 .. n], b = x[n .. 2 * n], c = x[2 * n + 1 .. 2 * n + 2], y = y)\n"
  "run p(a = x[n .. 2 * n], b = x[0 .. n], c = x[2 * n .. 3 * n], y = y) }",
  "module m { buffer x : f32[] read buffer y : f32[4] write\n"
  "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer z : f32[2] read buffer y : f32[4] write let i = global_id.x\n"
  "y[i] = x[i] * x[i] + z[i] }\nrun p(x = x, z = x, y = y) }",
};

START_TEST(longer_than_declared) {
  jvt_holds(longer[_i / 3], 1 + (unsigned)_i % 3, NULL);
} END_TEST

/* Views that overlap: what is stored through one is loaded through another; an input lies over another, whole or in part; outputs
 * over one another; halves, whose tangents lie twice as far apart; slices of time, in a repeat; what is added to atomically. */
#define AT(offset, stride) " view(set 0, binding 7, offset " #offset ", stride " #stride ") "
static const char *const overlapping[] = {
  "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write buffer a : f32[8] write" AT(0, 4)
  "buffer b : f32[8] read" AT(0, 4) "let i = local_id.x a[7 - i] = x[i] * x[i] barrier y[i] = b[i] * x[i] }",
  "program p { workgroup 4 grid 1 buffer a : f32[8] read" AT(0, 4) "buffer b : f32[4] read" AT(8, 8)
  "buffer y : f32[4] write let i = local_id.x y[i] = a[i + 1] * b[i] + a[2 * i] }",
  "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer a : f32[8] read_write" AT(0, 4)
  "buffer b : f32[4] read_write" AT(4, 8) "buffer y : f32[4] write let i = local_id.x\n"
  "b[i] = b[i] * x[i] barrier y[i] = a[2 * i + 1] + a[2 * i] if i > 1 { b[i] = 3.0 } }",
  "program p { workgroup 4 grid 1 buffer x : f16[4] read buffer a : f16[4] write" AT(0, 2) "buffer b : f16[2] read_write" AT(2, 4)
  "let i = local_id.x a[i] = x[i] * x[i] barrier if i < 2 { b[i] = b[i] * x[0] } }",
  "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer a : f32[3] read_write" AT(4, 8) "buffer b : f32[6] write" AT(0, 4)
  "let i = global_id.x atomic_add(a[i % 3], x[i] * x[i]) }",
  "module m { param n : u32 = 5 buffer x : f32[n] read buffer a : f32[2 * n] read_write" AT(0, 4)
  "buffer b : f32[n] read_write" AT(4, 8)
  "program f { workgroup 4 grid 2 buffer x : f32[] read buffer b : f32[] read_write" AT(4, 8)
  "let i = global_id.x b[i] = b[i] * x[i] }\n"
  "program g { workgroup 4 grid 2 buffer a : f32[] read_write" AT(0, 4) "let i = global_id.x a[2 * i] = a[2 * i] + a[2 * i + 1] }\n"
  "run f(x = x, b = b) repeat k in 0 .. 3 { run g(a = a) run f(x = x, b = b) } }",
};

START_TEST(views_that_overlap) {
  jvt_holds(overlapping[_i / 3], 1 + (unsigned)_i % 3, NULL);
} END_TEST

/* What lies under a later input moves by that one's direction alone: b lies over the upper half of a. */
START_TEST(hidden_input) {
  jvt_case c = {.random = 1};
  jvt_prepare(&c, "program p { workgroup 4 grid 1 buffer a : f32[4] read" AT(0, 4) "buffer b : f32[2] read" AT(8, 4)
                  "buffer y : f32[4] write y[local_id.x] = a[local_id.x] * 2.0 }");
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 4; i++) adt_set(&c.result, "tan_a", i, 10 + (double)i);
  for (uint64_t i = 0; i < 2; i++) adt_set(&c.result, "tan_b", i, 100 + (double)i);
  adt_run(&c.result);
  const double want[] = {20, 22, 200, 202};
  for (uint64_t i = 0; i < 4; i++) ck_assert_double_eq(adt_get(&c.result, "tan_y", i), want[i]);
  jvt_free(&c);
} END_TEST

START_TEST(too_many_directions) {
  jvt_case c = {.params.directions = KG_JVP_MOST_DIRECTIONS + 1};
  ck_assert_int_eq(jvt_differentiate(&c, HEAD "y[i] = x[i] }"), KG_INVALID);
  ck_assert_str_eq(c.note.diag, "jvp-directions");
  jvt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {{.name = "kernels_hold", .test = kernels_hold, .count = 2 * KGT_COUNT(kernels), .per_row = 2, .label = kernels,
                             .stride = sizeof *kernels},
                            {.name = "texts_hold", .test = texts_hold, .count = 2 * KGT_COUNT(texts), .per_row = 2, .label = texts,
                             .stride = sizeof *texts},
                            KGT_OPS(rows_hold), KGT(names), KGT(cleared_by_another_run), KGT(strong_zero),
                            KGT(zeros_of_extremes), KGT_TABLE(refused, refusals, id),
                            KGT(too_many_directions), KGT(hidden_input),
                            {.name = "longer_than_declared", .test = longer_than_declared, .count = 3 * KGT_COUNT(longer),
                             .per_row = 3, .label = longer, .stride = sizeof *longer},
                            {.name = "views_that_overlap", .test = views_that_overlap, .count = 3 * KGT_COUNT(overlapping),
                             .per_row = 3, .label = overlapping, .stride = sizeof *overlapping}};
  return kgt_run("autodiff/jvp", tests, KGT_COUNT(tests));
}
