/* Modules as C with a function for hosts: compiled by $CC, loaded and called, against the reference on the same data. More flags:
 * $KG_TEST_C_FLAGS. */
#include "foundation/ir/views.h"
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a call through arrays, made of what doc/c.md says of the arguments ---- */

typedef int call(void *const *buffers, const uint64_t *lengths, const uint64_t *params);

static const char *type_of(kg_type type) {
  static const char *const names[] = {
    [KG_BOOL] = "bool",     [KG_I32] = "int32_t", [KG_U32] = "uint32_t", [KG_I64] = "int64_t", [KG_U64] = "uint64_t",
    [KG_F16] = "uint16_t",  [KG_F32] = "float",   [KG_F64] = "double",
  };
  return names[type];
}

static void put_call(FILE *out, const kg_module *m, const char *function) {
  const char *comma = "";
  kgi_arena arena;
  kgi_blocks blocks;
  kgi_arena_init(&arena, NULL);
  ck_assert(kgi_blocks_find(&blocks, &arena, &m->scope));
  fprintf(out, "int call(void *const *buffers, const uint64_t *lengths, const uint64_t *params);\n"
               "int call(void *const *buffers, const uint64_t *lengths, const uint64_t *params) {\n"
               "  (void)buffers, (void)lengths, (void)params;\n  return %s(", function);
  for (uint32_t i = 0; i < kg_module_param_count(m); i++, comma = ", ")
    fprintf(out, "%s*(const %s *)&params[%u]", comma, type_of(kg_module_param(m, i).type), i);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info b = kg_module_buffer(m, i);
    if (b.mode != KG_TEMP && blocks.of[i + 1] == i + 1) fprintf(out, "%sbuffers[%u]", comma, i), comma = ", ";
    if (b.host_length) fprintf(out, "%s(uint32_t)lengths[%u]", comma, i), comma = ", ";
  }
  fprintf(out, ");\n}\n");
  kgi_arena_free(&arena);
}

static void put(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  fclose(file);
}

enum { LANES = 8 }; /* and a subgroup has as many */

/* With threads where the compiler has them; else with traps in place of what C leaves undefined. */
static call *build(const kg_module *m, const char *function, bool threads) {
  const char *cc = getenv("CC"), *flags = getenv("KG_TEST_C_FLAGS"), *folder = kgt_temp_dir();
  char path[512], command[2048], *text = NULL;
  size_t size = 0;
  kg_status status = kg_c_emit(NULL, m, NULL, &kgt_sink, &text, &size);
  ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  snprintf(path, sizeof path, "%s/made.c", folder);
  put(path, text, size);
  kg_bytes_free(NULL, text, size + 1);
  ck_assert_int_eq(kg_c_header(NULL, m, NULL, &kgt_sink, &text, &size), KG_OK);
  snprintf(path, sizeof path, "%s/made.h", folder);
  put(path, text, size);
  kg_bytes_free(NULL, text, size + 1);
  snprintf(path, sizeof path, "%s/call.c", folder);
  FILE *out = fopen(path, "w");
  ck_assert_ptr_nonnull(out);
  /* behind what else a host includes */
  fprintf(out, "#define _GNU_SOURCE\n#include <complex.h>\n#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n#include <inttypes.h>\n"
               "#include <limits.h>\n#include <math.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
               "#include <unistd.h>\n#include \"made.h\"\n");
  put_call(out, m, function);
  fclose(out);
  for (unsigned k = threads ? 0 : 1, built = 0; !built; k++) {
    static const char *const ways[] = {"-fopenmp", "-fsanitize=undefined -fsanitize-undefined-trap-on-error"};
    ck_assert_uint_lt(k, 2);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=c11 -Wall -Wextra -Werror -Wno-psabi -O1 -fno-strict-aliasing -DKG_LANES=%d %s %s -shared -fPIC "
             "-o made.so made.c call.c -lm",
             folder, cc && *cc ? cc : "cc", LANES, ways[k], flags ? flags : "");
    built = system(command) == 0;
  }
  snprintf(path, sizeof path, "%s/made.so", folder);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  call *found = NULL;
  *(void **)&found = dlsym(library, "call");
  ck_assert(found != NULL);
  return found;
}

/* ---- data ---- */

enum { MOST = 200 };
typedef struct data { uint64_t param[MOST], length[MOST]; void *array[MOST]; } data;

static void make_data(const kg_module *m, data *d) {
  bool given[MOST] = {false}, sized[MOST] = {false};
  kg_host host = {d->param, given, d->length, sized};
  ck_assert_uint_le(kg_module_buffer_count(m), MOST);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).host_length) d->length[i] = 37, sized[i] = true;
  ck_assert_msg(kg_module_resolve(m, &host, &kgt_sink) == KG_OK, "%s", kgt_last.message);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info b = kg_module_buffer(m, i);
    if (b.mode == KG_TEMP) continue;
    d->array[i] = calloc((size_t)d->length[i] + 1, kg_type_size(b.type));
    ck_assert_ptr_nonnull(d->array[i]);
    if (b.mode != KG_WRITE) ck_assert_int_eq(kg_module_random(m, &host, i, 7, &kgt_sink, d->array[i]), KG_OK);
  }
}

static void free_data(data *d) {
  for (unsigned i = 0; i < MOST; i++) free(d->array[i]);
}

/* Views of one binding share its bytes: packed elements go there, and come back. */
static int call_it(call *function, const kg_module *m, data *d) {
  kgi_arena arena;
  kgi_blocks blocks;
  void *memory[MOST] = {0};
  uint64_t most = 0, reach;
  const kgi_object *objects = &m->scope.object[1];
  kgi_arena_init(&arena, NULL);
  ck_assert(kgi_blocks_find(&blocks, &arena, &m->scope));
  uint32_t count = kg_module_buffer_count(m);
  for (uint32_t i = 0; i < count; i++)
    if (objects[i].view && kgi_view_reach(&objects[i], d->length[i], &reach) && reach > most) most = reach;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = blocks.of[i + 1] - 1;
    if (!objects[i].view) memory[i] = d->array[i];
    else if (first == i) memory[i] = calloc(1, (size_t)most + 1);
    if (objects[i].view) kgi_view_put(&objects[i], d->length[i], memory[first], d->array[i]);
  }
  int result = function(memory, d->length, d->param);
  for (uint32_t i = 0; i < count; i++)
    if (objects[i].view && d->array[i]) kgi_view_take(&objects[i], d->length[i], memory[blocks.of[i + 1] - 1], d->array[i]);
  for (uint32_t i = 0; i < count; i++)
    if (objects[i].view) free(memory[i]);
  kgi_arena_free(&arena);
  return result;
}

/* ---- against the reference ---- */

/* Whether each bit is settled: operations of floats that round by themselves, in one order. */
static bool is_exact(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    for (uint32_t i = 1; i < m->program[k]->inst_count; i++) {
      const kgi_inst *inst = &m->program[k]->inst[i];
      if (inst->kind == KGI_op && !(kgi_op_rows[inst->op].flags & KGI_EXACT)) return false;
      if (inst->kind == KGI_subgroup || (inst->kind == KGI_atomic && kgi_is_float(inst->type))) return false;
      if (inst->kind == KGI_atomic && kgi_is_float(m->program[k]->scope.object[inst->arg[0]].type)) return false;
    }
  return true;
}

/* Otherwise within 1e-5 of the largest number around, 1e-3 of half floats, or of 1: functions differ by an ulp or two, sums by
 * their order. */
static void compare(const kg_module *m, uint32_t i, const void *got, const void *expected, uint64_t length, bool exact) {
  kg_buffer_info b = kg_module_buffer(m, i);
  double largest = 1, allowed = b.type == KG_F16 || b.type == KG_BF16 ? 1e-3 : 1e-5;
  for (uint64_t k = 0; k < length && kg_type_is_float(b.type); k++) {
    double x = fabs(kg_value_number(b.type, kg_value_load(b.type, expected, k)));
    if (isfinite(x) && x > largest) largest = x;
  }
  for (uint64_t k = 0; k < length; k++) {
    uint64_t x = kg_value_load(b.type, got, k), y = kg_value_load(b.type, expected, k);
    double s = kg_value_number(b.type, x), t = kg_value_number(b.type, y);
    bool same = x == y || (kg_type_is_float(b.type) && ((isnan(s) && isnan(t)) || (!exact && fabs(s - t) <= allowed * largest)));
    ck_assert_msg(same, "%s[%llu]: %.9g, but %.9g on the reference", b.name, (unsigned long long)k, s, t);
  }
}

static void judge(const kg_module *m, const char *function) {
  data ours = {0}, theirs = {0};
  make_data(m, &ours);
  make_data(m, &theirs);
  kg_reference_params params = {.module = m, .sink = &kgt_sink, .buffers = theirs.array, .lengths = theirs.length,
                                .param_bits = theirs.param, .subgroup_size = LANES};
  kg_status status = kg_reference_run(&params, NULL);
  ck_assert_msg(status == KG_OK, "%s", kgt_last.message);
  ck_assert_int_eq(call_it(build(m, function, true), m, &ours), 0);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (ours.array[i]) compare(m, i, ours.array[i], theirs.array[i], ours.length[i], is_exact(m));
  free_data(&ours);
  free_data(&theirs);
}

/* ---- files ---- */

typedef struct row { const char *name, *function; enum { AS_IT_IS, GRADIENT, TANGENT } what; } row;
static const row rows[] = {
#ifdef KG_TEST_ROWS
#include KG_TEST_ROWS
#else
  {"examples/saxpy.kg", "run_saxpy_grad", GRADIENT},
  {"examples/softmax.kg", "run_softmax_grad", GRADIENT},
  {"examples/matmul_tiled.kg", "run_matmul_tiled_grad", GRADIENT},
  {"examples/layernorm.kg", "run_layernorm_grad", GRADIENT},
  {"examples/gather.kg", "run_gather_grad", GRADIENT},
  {"examples/particles.kg", "run_particles_grad", GRADIENT},
  {"examples/adam.kg", "run_adam", AS_IT_IS},
  {"tests/kernels/views.kg", "run_views", AS_IT_IS},
  {"tests/kernels/halves.kg", "run_p_grad", GRADIENT},
  {"tests/kernels/module_nested_repeats.kg", "run_m_grad", GRADIENT},
  {"tests/kernels/module_slices_taped.kg", "run_taped_grad", GRADIENT},
  {"tests/kernels/module_slices_packed.kg", "run_layers", AS_IT_IS},
  {"tests/kernels/module_through_temp.kg", "run_m_grad", GRADIENT},
  {"tests/kernels/stencil_with_border.kg", "run_p_jvp", TANGENT},
  {"tests/kernels/tree_of_33.kg", "run_p_grad", GRADIENT},
  {"tests/kernels/tree_down.kg", "run_p_grad", GRADIENT},
  {"tests/kernels/odd_offsets.kg", "run_p_grad", GRADIENT},
  {"tests/kernels/rows_turned.kg", "run_p_grad", GRADIENT},
  {"tests/kernels/rows_divided.kg", "run_p_grad", GRADIENT},
#endif
};

START_TEST(file) {
  const row *r = &rows[_i];
  size_t size;
  char *text = kgt_read_source(r->name, &size);
  kg_module *made = NULL, *m = kgt_parse(text);
  if (r->what == GRADIENT) ck_assert_msg(kg_grad(m, NULL, &kgt_sink, &made) == KG_OK, "%s", kgt_last.message);
  if (r->what == TANGENT) ck_assert_msg(kg_jvp(m, NULL, &kgt_sink, &made) == KG_OK, "%s", kgt_last.message);
  judge(made ? made : m, r->function);
  kg_module_free(made);
  kg_module_free(m);
  free(text);
}
END_TEST

/* A subgroup has as many invocations as KG_LANES. */
START_TEST(subgroups) {
  kg_module *m = kgt_parse("program p {\n  workgroup 4, 4, 2\n  grid 3\n  buffer x : f32[96] read\n  buffer y : f32[96] write\n"
                           "  buffer n : u32[96] write\n  let i = workgroup_id.x * 32 + local_index\n  let v = x[i]\n"
                           "  y[i] = subgroup_inclusive_add(v) + subgroup_shuffle_xor(v, 3) * subgroup_max(v) - subgroup_broadcast(v, 5)\n"
                           "  n[i] = subgroup_ballot(v > 0, 0) + subgroup_size * 1000 + subgroup_lane\n}\n");
  judge(m, "run_p");
  kg_module_free(m);
}
END_TEST

/* ---- what ends a call ---- */

typedef struct end { const char *name; int result; uint64_t n; const char *text; } end;
#define MODULE(lengths, work) \
  "module m {\n  param n : i64\n  buffer x : f32[] read\n  buffer y : f32[100] read_write\n" lengths \
  "  program copy {\n    workgroup 1\n    grid 1\n    param k : u32\n    buffer a : f32[] read\n    buffer b : f32[k] write\n" \
  "    for i in 0 .. k { b[i] = a[i] + 1.0 }\n  }\n" work "}\n"
#define PROGRAM(body) "program p {\n  workgroup 64\n  grid 3\n  param n : i64\n  buffer y : i64[2] write\n" body "}\n"
#define ASSERTS PROGRAM("  assert n < 6 \"small\"\n  if global_id.x == 0 { y[0] = n }\n")
#define LIMITED PROGRAM("  var k : i64 = 0\n  while k < n limit 10 { k += 1 }\n  if global_id.x == 0 { y[0] = k }\n")
/* The same where trips are taken by all chunks together. */
#define LIMITED_TOGETHER \
  PROGRAM("  shared s : i64[64]\n  var k : i64 = 0\n  while k < n limit 10 {\n    k += 1\n    s[local_id.x] = k\n    barrier\n  }\n" \
          "  if global_id.x == 0 { y[0] = s[63] }\n")
static const end ends[] = {
  {"fine", 0, 5, MODULE("", "  run copy(a = x, b = y, k = n)\n")},
  {"param_negative", -2, (uint64_t)-1, MODULE("", "  run copy(a = x, b = y, k = n)\n")},
  {"param_too_large", -2, UINT64_C(1) << 32, MODULE("", "  run copy(a = x, b = y, k = n)\n")},
  {"bound_too_short", -3, 101, MODULE("", "  run copy(a = x, b = y, k = n)\n")},
  {"length_negative", -2, 3, MODULE("  buffer t : f32[n - 4] temp\n", "")},
  {"length_fine", 0, 4, MODULE("  buffer t : f32[n - 4] temp\n", "")},
  {"length_too_large", -2, UINT64_C(1) << 32, MODULE("  buffer t : f32[n] temp\n", "")},
  {"length_overflows", -2, INT64_MAX, MODULE("  buffer t : f32[(n + 1) / 2 - n] temp\n", "")},
  {"product_overflows", -2, INT64_MAX, MODULE("  buffer t : f32[n * n % 5] temp\n", "")},
  {"difference_overflows", -2, (uint64_t)INT64_MIN, MODULE("  buffer t : f32[max(n - 1, 3)] temp\n", "")},
  {"division_by_zero", -2, 0, MODULE("  buffer t : f32[7 / n] temp\n", "")},
  {"remainder_by_zero", -2, 0, MODULE("  buffer t : f32[7 % n] temp\n", "")},
  {"division_overflows", -2, (uint64_t)INT64_MIN, MODULE("  buffer t : f32[max(n / (n / n * -1), 3)] temp\n", "")},
  {"division_rounds_down", 0, (uint64_t)-1, MODULE("  buffer t : f32[n / 4 + 1] temp\n", "")},
  {"extents_negative", -2, (uint64_t)-3, MODULE("  buffer t : f32[n, n] temp\n", "")},
  {"slice_fine", 0, 20, MODULE("", "  run copy(a = y[0 .. n], b = y[n .. 2 * n], k = n)\n")},
  {"slice_past_the_end", -4, 51, MODULE("", "  run copy(a = y[0 .. n], b = y[n .. 2 * n], k = n)\n")},
  {"slice_before_the_start", -4, (uint64_t)-1, MODULE("", "  run copy(a = x, b = y[n .. 5], k = 1)\n")},
  {"slice_backwards", -4, 7, MODULE("", "  run copy(a = x, b = y[n .. 5], k = 1)\n")},
  {"slices_meet", -4, 10, MODULE("", "  run copy(a = y[0 .. n], b = y[n - 1 .. 2 * n], k = n)\n")},
  {"slices_touch_empty", 0, 0, MODULE("", "  run copy(a = y[n .. n], b = y[0 .. 2], k = 1)\n")},
  {"step", -2, 0, MODULE("", "  repeat k in 0 .. 3 step n { run copy(a = x, b = y, k = 1) }\n")},
  {"reversed_with_step", 0, 3, MODULE("", "  repeat k in 0 .. 10 step n reversed { run copy(a = x, b = y[k .. k + 1], k = 1) }\n")},
  {"trip_out_of_buffer", -4, 2, MODULE("", "  repeat k in 0 .. 102 step n { run copy(a = x, b = y[k .. k + 1], k = 1) }\n")},
  {"grid_fine", 0, 3, MODULE("", "  run copy(a = x, b = y, k = 1) grid n\n")},
  {"grid_empty", 0, 0, MODULE("", "  run copy(a = x, b = y, k = 1) grid n\n")},
  {"grid_negative", -2, (uint64_t)-5, MODULE("", "  run copy(a = x, b = y, k = 1) grid n\n")},
  {"grid_too_large", -2, 65537, MODULE("", "  run copy(a = x, b = y, k = 1) grid n, n\n")},
  {"no_memory", -1, UINT64_C(0xFFFFFFFF), MODULE("  buffer t : f32[n] temp view(set 0, binding 7, offset 0, stride 2147483648)\n", "")},
  {"assert_holds", 0, 5, ASSERTS},
  {"assert_fails", 1, 6, ASSERTS},
  {"limit_holds", 0, 10, LIMITED},
  {"limit_passed", 2, 11, LIMITED},
  {"limit_together_holds", 0, 10, LIMITED_TOGETHER},
  {"limit_together_passed", 2, 11, LIMITED_TOGETHER},
};

START_TEST(ending) {
  const end *e = &ends[_i];
  float x[128] = {0}, y[128] = {0};
  kg_module *m = kgt_parse(e->text);
  bool lone = kg_module_buffer_count(m) == 1;
  void *const buffers[] = {lone ? y : x, y, NULL, NULL};
  const uint64_t lengths[] = {128, 0, 0, 0};
  call *function = build(m, lone ? "run_p" : "run_m", false);
  ck_assert_int_eq(function(buffers, lengths, &e->n), e->result);
  kg_module_free(m);
}
END_TEST

/* ---- names ---- */

/* Names that C, C++ or the file itself give a meaning, that would leave their place, and that become alike. */
static const char *const hostile[] = {
  "int", "class", "uint32_t", "kg_h", "kg_n", "KG_LANES", "__FILE__", "NULL", "free", "*/ syntax /*", "a b", "a-b", "a_b",
  "a_b_1", "\\", "a\nb",
  "\"", "%s%n", "9", "INT64_MAX", "\xff\xfe", "?\?/", "x, float", "run_int", "bool", "a_b_length",
  "restrict", "_Bool", "__x", "main", "args", "chunks", "EOF", "errno", "linux", "I", "M_PI", "EINVAL", "SIGINT", "LONG_MAX", "FLT_MIN",
  "BYTE_ORDER", "\xcf\x80", "\xc3\xa9", "stdin", "FP_NAN", "PRIu64", "SEEK_SET", "CHAR_BIT", "EXIT_FAILURE", "signgam", "x\ty",
};

START_TEST(hostile_names) {
  kg_builder *b = NULL;
  kg_module *m = NULL;
  ck_assert_int_eq(kg_builder_new(NULL, "*/ #error", &kgt_sink, &b), KG_OK);
  kg_build_program(b, "int */ main(void) /*\n");
  kg_param p[KGT_COUNT(hostile)];
  kg_object y[KGT_COUNT(hostile)];
  for (size_t i = 0; i < KGT_COUNT(hostile); i += 2) p[i] = kg_build_param(b, hostile[i], KG_U32);
  for (size_t i = 1; i < KGT_COUNT(hostile); i += 2)
    y[i] = kg_build_buffer(b, hostile[i], KG_U32, KG_READ_WRITE, kg_build_length_param(b, p[i - 1]));
  kg_build_workgroup(b, 0, kg_build_length(b, 1));
  kg_build_grid(b, 0, kg_build_length(b, 1));
  for (size_t i = 1; i < KGT_COUNT(hostile); i += 2)
    kg_build_store(b, y[i], kg_build_int(b, KG_U32, 0), kg_build_param_value(b, p[i - 1]));
  kg_build_program_end(b);
  ck_assert_msg(kg_builder_finish(b, &m) == KG_OK, "%s", kgt_last.message);
  call *function = build(m, "run_int____main_void_____", false);
  uint32_t memory[KGT_COUNT(hostile) / 2][64] = {{0}};
  void *buffers[KGT_COUNT(hostile) / 2];
  uint64_t params[KGT_COUNT(hostile) / 2];
  for (uint32_t i = 0; i < KGT_COUNT(hostile) / 2; i++) params[i] = 10 + i, buffers[i] = memory[i];
  ck_assert_int_eq(function(buffers, NULL, params), 0);
  for (uint32_t i = 0; i < KGT_COUNT(hostile) / 2; i++) ck_assert_uint_eq(memory[i][0], 10 + i);
  kg_module_free(m);
}
END_TEST

/* ---- memory that runs out ---- */

static kg_status emit(const kg_allocator *alloc, void *user) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_c_emit(alloc, user, NULL, &kgt_sink, &text, &size);
  if (status == KG_OK) kg_bytes_free(alloc, text, size + 1);
  return status;
}

static kg_status head(const kg_allocator *alloc, void *user) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_c_header(alloc, user, NULL, &kgt_sink, &text, &size);
  if (status == KG_OK) kg_bytes_free(alloc, text, size + 1);
  return status;
}

START_TEST(allocation_fails) {
  kg_module *m = kgt_parse(MODULE("  buffer t : f32[n] temp\n", "  repeat k in 0 .. n { run copy(a = x, b = t, k = n) }\n"));
  ck_assert_uint_gt(kgt_fail_each_allocation(emit, m), 1);
  ck_assert_uint_gt(kgt_fail_each_allocation(head, m), 1);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(file, rows, name), KGT(subgroups), KGT_TABLE(ending, ends, name), KGT(hostile_names),
                            KGT(allocation_fails)};
  return kgt_run("c/host", tests, KGT_COUNT(tests));
}
