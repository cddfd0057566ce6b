/* Lengths, params, grids and the order of runs; each refusal by the name of its diagnostic. */
#include "foundation/ir/builder.h"
#include "foundation/host/layout.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <string.h>

typedef struct fixture {
  kg_module *m;
  kgi_builder b;
  kgi_diags diags;
  kg_sink sink;
  kgi_arena arena;
  kgi_layout layout;
  char last[32];
  unsigned runs;
  uint64_t groups[16], length[16], param[16];
} fixture;

static void note(void *user, const kg_diag *diag) {
  fixture *f = user;
  snprintf(f->last, sizeof f->last, "%s", diag->id);
}

static void begin(fixture *f) {
  *f = (fixture){0};
  f->sink = (kg_sink){note, f};
  f->diags = (kgi_diags){.sink = &f->sink};
  f->m = kgi_module_new(NULL, "test");
  ck_assert_ptr_nonnull(f->m);
  kgi_builder_init(&f->b, f->m, &f->diags);
  kgi_arena_init(&f->arena, NULL);
}

static void end(fixture *f) {
  kgi_arena_free(&f->arena);
  kg_module_free(f->m);
}

static kg_status record(void *user, const kgi_run *run) {
  fixture *f = user;
  ck_assert_uint_lt(f->runs, 16);
  f->groups[f->runs] = run->groups[0];
  f->length[f->runs] = run->length[1];
  f->param[f->runs++] = run->param[1];
  return KG_OK;
}

static kg_status lay_out(fixture *f, const uint64_t *params, const uint64_t *lengths) {
  ck_assert_int_eq(kgi_builder_status(&f->b), KG_OK);
  kg_status status = kgi_layout_init(&f->layout, f->m, params, lengths, &f->arena, &f->diags);
  return status == KG_OK ? kgi_layout_each(&f->layout, record, f) : status;
}

static void expect(fixture *f, kg_status got, kg_status want, const char *id) {
  ck_assert_str_eq(f->last, id);
  ck_assert_int_eq(got, want);
  end(f);
}

static uint32_t param(fixture *f, const char *name, kg_type type, bool has_default, uint64_t bits) {
  return kgi_param_add(&f->b, &(kgi_param){.name = kgi_intern_z(f->m, name), .type = (uint8_t)type, .has_default = has_default,
                                           .bits = bits});
}

/* program p { workgroup 64; grid invocations n; param n : u32 = 100; buffer x : f32[n * 2] } */
static void lone(fixture *f, bool has_default, bool has_grid) {
  begin(f);
  kgi_program *p = kgi_begin_program(&f->b, "p");
  p->workgroup[0] = kgi_len_int(&f->b, 64);
  kgi_dim n = kgi_len_param(&f->b, param(f, "n", KG_U32, has_default, 100));
  kgi_buffer(&f->b, "x", KG_F32, KG_READ_WRITE, kgi_len_op(&f->b, KGI_DIM_MUL, n, kgi_len_int(&f->b, 2)));
  if (has_grid) p->grid[0] = n, p->grid_is_invocations = true;
  kgi_end_program(&f->b);
  kgi_module_finish_lone(f->m);
}

START_TEST(defaults_lengths_and_grid) {
  fixture f;
  lone(&f, true, true);
  ck_assert_int_eq(lay_out(&f, NULL, NULL), KG_OK);
  ck_assert_uint_eq(f.runs, 1);
  ck_assert_uint_eq(f.groups[0], 2); /* 100 invocations in workgroups of 64 */
  ck_assert_uint_eq(f.length[0], 200);
  ck_assert_uint_eq(kgi_layout_bytes(&f.layout, 1), 800);
  end(&f);
  lone(&f, true, true);
  ck_assert_int_eq(lay_out(&f, (uint64_t[]){0}, (uint64_t[]){0}), KG_OK);
  ck_assert_uint_eq(f.groups[0], 0);
  end(&f);
}
END_TEST

START_TEST(missing_param) {
  fixture f;
  lone(&f, false, true);
  expect(&f, lay_out(&f, NULL, NULL), KG_INVALID, "param-missing");
}
END_TEST

START_TEST(no_grid) {
  fixture f;
  lone(&f, true, false);
  expect(&f, lay_out(&f, NULL, NULL), KG_INVALID, "no-grid");
}
END_TEST

START_TEST(length_mismatch) {
  fixture f;
  lone(&f, true, true);
  expect(&f, lay_out(&f, NULL, (uint64_t[]){199}), KG_INVALID, "length-mismatch");
}
END_TEST

START_TEST(length_too_large) {
  fixture f;
  lone(&f, true, true);
  expect(&f, lay_out(&f, (uint64_t[]){0xFFFFFFFF}, NULL), KG_INVALID, "too-large");
}
END_TEST

START_TEST(host_length) {
  fixture f;
  for (int given = 0; given < 2; given++) {
    begin(&f);
    kgi_program *p = kgi_begin_program(&f.b, "p");
    kgi_obj x = kgi_buffer(&f.b, "x", KG_F32, KG_READ_WRITE, (kgi_dim){0});
    kgi_buffer(&f.b, "y", KG_F32, KG_WRITE, kgi_len_of(&f.b, x));
    param(&f, "n", KG_U32, true, 0);
    p->grid[0] = kgi_len_of(&f.b, x);
    kgi_end_program(&f.b);
    kgi_module_finish_lone(f.m);
    if (!given) {
      expect(&f, lay_out(&f, NULL, NULL), KG_INVALID, "length-open");
      continue;
    }
    ck_assert_int_eq(lay_out(&f, NULL, (uint64_t[]){7, KGI_LENGTH_UNKNOWN}), KG_OK);
    ck_assert_uint_eq(f.layout.length[2], 7);
    ck_assert_uint_eq(f.groups[0], 7);
    end(&f);
  }
}
END_TEST

/* Ranges: [lo, hi) of u32, of i32 with negative bounds, and of f32. */
static void ranged(fixture *f, kg_type type, bool floats) {
  begin(f);
  kgi_program *p = kgi_begin_program(&f->b, "p");
  kgi_buffer(&f->b, "x", KG_F32, KG_READ_WRITE, kgi_len_int(&f->b, 4));
  kgi_dim lo = floats ? kgi_len_float(&f->b, -0.5) : kgi_len_int(&f->b, type == KG_I32 ? -3 : 2);
  kgi_dim hi = floats ? kgi_len_float(&f->b, 1.5) : kgi_len_int(&f->b, 5);
  kgi_param_add(&f->b, &(kgi_param){.name = kgi_intern_z(f->m, "n"), .type = (uint8_t)type, .ranged = true, .lo = lo, .hi = hi});
  p->grid[0] = kgi_len_int(&f->b, 1);
  kgi_end_program(&f->b);
  kgi_module_finish_lone(f->m);
}

START_TEST(param_ranges) {
  static const struct { kg_type type; uint64_t bits; bool fine; } rows[] = {
    {KG_U32, 1, false}, {KG_U32, 2, true}, {KG_U32, 4, true}, {KG_U32, 5, false}, {KG_U32, 0xFFFFFFFE, false},
    {KG_I32, 0xFFFFFFFD, true}, {KG_I32, 0xFFFFFFFC, false}, {KG_I32, 0, true}, {KG_I32, 5, false},
    {KG_F32, 0x3F800000, true}, {KG_F32, 0x3FC00000, false}, {KG_F32, 0xBF000000, true}, {KG_F32, 0xBF800000, false},
    {KG_F32, 0x7FC00000, false}, {KG_F16, 0x3C00, true}, {KG_F16, 0x4000, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    ranged(&f, rows[i].type, kgi_is_float(rows[i].type));
    kg_status got = lay_out(&f, &rows[i].bits, NULL);
    expect(&f, got, rows[i].fine ? KG_OK : KG_INVALID, rows[i].fine ? "" : "param-range");
  }
}
END_TEST

/* module: buffer a : f32[n]; run or runs of p(x = a, k = ...), where p has a buffer x : f32[need] and a param k. */
typedef struct shape { int64_t need, workgroup, from, to, step; bool reversed, unbound, huge_param; } shape;

static void module(fixture *f, const shape *s) {
  begin(f);
  kgi_builder *b = &f->b;
  kgi_program *p = kgi_begin_program(b, "p");
  p->workgroup[0] = kgi_len_int(b, s->workgroup);
  kgi_buffer(b, "x", KG_F32, KG_READ_WRITE, kgi_len_int(b, s->need));
  param(f, "k", KG_I32, false, 0);
  kgi_end_program(b);
  kgi_buffer(b, "a", KG_F32, KG_READ_WRITE, kgi_len_param(b, param(f, "n", KG_U32, true, 10)));
  uint32_t loop = kgi_repeat_begin(b, "i", kgi_len_int(b, s->from), kgi_len_int(b, s->to), kgi_len_int(b, s->step), s->reversed);
  kgi_item_append(b, 0, loop);
  uint32_t run = kgi_run_begin(b, 1);
  if (!s->unbound) kgi_run_bind_buffer(b, run, 1, 1);
  kgi_dim index = kgi_dim_leaf(&f->m->arena, &f->m->scope, KGI_DIM_INDEX, loop);
  if (s->huge_param) index = kgi_len_int(b, INT64_C(1) << 40);
  kgi_run_bind_param(b, run, 1, index);
  f->m->item[run].grid[0] = kgi_len_int(b, 3);
  kgi_item_append(b, loop, run);
}

START_TEST(repeats_pass_their_index) {
  fixture f;
  module(&f, &(shape){.need = 10, .workgroup = 8, .from = -1, .to = 6, .step = 3});
  ck_assert_int_eq(lay_out(&f, NULL, NULL), KG_OK);
  ck_assert_uint_eq(f.runs, 3);
  ck_assert_uint_eq(f.param[0], 0xFFFFFFFF);
  ck_assert_uint_eq(f.param[1], 2);
  ck_assert_uint_eq(f.param[2], 5);
  ck_assert_uint_eq(f.groups[2], 3);
  end(&f);
  module(&f, &(shape){.need = 4, .workgroup = 8, .from = 0, .to = 3, .step = 2, .reversed = true});
  ck_assert_int_eq(lay_out(&f, NULL, NULL), KG_OK);
  ck_assert_uint_eq(f.runs, 2);
  ck_assert_uint_eq(f.param[0], 2);
  ck_assert_uint_eq(f.param[1], 0);
  ck_assert_uint_eq(f.length[0], 4); /* as declared, though what is bound is longer */
  end(&f);
}
END_TEST

START_TEST(refused_runs) {
  static const struct { shape s; const char *id; } rows[] = {
    {{.need = 11, .workgroup = 8, .to = 1, .step = 1}, "bound-too-short"},
    {{.need = 4, .workgroup = 8, .to = 1, .step = 1, .unbound = true}, "unbound-buffer"},
    {{.need = 4, .workgroup = 8, .to = 1, .step = 1, .huge_param = true}, "run-param"},
    {{.need = 4, .workgroup = 0, .to = 1, .step = 1}, "too-small"},
    {{.need = 4, .workgroup = 1 << 20, .to = 1, .step = 1}, "too-large"},
    {{.need = 4, .workgroup = 8, .to = 1, .step = -1}, "repeat-step"},
    {{.need = -1, .workgroup = 8, .to = 1, .step = 1}, "length-negative"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    module(&f, &rows[i].s);
    expect(&f, lay_out(&f, NULL, NULL), KG_INVALID, rows[i].id);
  }
}
END_TEST

/* Nothing to repeat: as many trips as fit 64 bits end at once. */
START_TEST(empty_repeats_end) {
  fixture f;
  begin(&f);
  kgi_builder *b = &f.b;
  uint32_t outer = kgi_repeat_begin(b, "i", kgi_len_int(b, INT64_MIN), kgi_len_int(b, INT64_MAX), (kgi_dim){0}, false);
  kgi_item_append(b, 0, outer);
  kgi_item_append(b, outer, kgi_repeat_begin(b, "k", kgi_len_int(b, 0), kgi_len_int(b, 5), (kgi_dim){0}, false));
  ck_assert_int_eq(lay_out(&f, NULL, NULL), KG_OK);
  ck_assert_uint_eq(f.runs, 0);
  end(&f);
}
END_TEST

/* A repeat that is too deep to look into is refused, not taken for one without work. */
START_TEST(deep_repeats_are_refused) {
  fixture f;
  module(&f, &(shape){.need = 4, .workgroup = 8, .to = 1, .step = 1});
  kgi_builder *b = &f.b;
  uint32_t inside = f.m->first_item;
  for (unsigned depth = 0; depth < 70; depth++) {
    uint32_t outer = kgi_repeat_begin(b, "i", kgi_len_int(b, 0), kgi_len_int(b, 1), (kgi_dim){0}, false);
    f.m->item[outer].first = inside;
    inside = f.m->first_item = outer;
  }
  expect(&f, lay_out(&f, NULL, NULL), KG_INVALID, "too-large");
}
END_TEST

START_TEST(trips_do_not_wrap) {
  ck_assert_uint_eq(kgi_trips(0, 10, 3), 4);
  ck_assert_uint_eq(kgi_trips(0, 9, 3), 3);
  ck_assert_uint_eq(kgi_trips(5, 5, 1), 0);
  ck_assert_uint_eq(kgi_trips(6, 5, 1), 0);
  ck_assert_uint_eq(kgi_trips(INT64_MIN, INT64_MAX, 1), UINT64_MAX);
  ck_assert_uint_eq(kgi_trips(INT64_MIN, INT64_MAX, INT64_MAX), 3);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(defaults_lengths_and_grid), KGT(missing_param), KGT(no_grid), KGT(length_mismatch), KGT(length_too_large),
    KGT(host_length), KGT(param_ranges), KGT(repeats_pass_their_index), KGT(refused_runs), KGT(empty_repeats_end),
    KGT(deep_repeats_are_refused), KGT(trips_do_not_wrap),
  };
  return kgt_run("reference/layout", tests, KGT_COUNT(tests));
}
