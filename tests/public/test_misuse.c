/* Indices past the end, and numbers that are no enumerator: each is refused with a reason, and nothing is read or written for it. */
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <stdio.h>
#include <string.h>

static const char TEXT[] = "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read in 0.0 .. 1.0\n"
                           "buffer y : f32[n] write let i = global_id.x if i < n { y[i] = x[i] * x[i] } }";
enum { BUFFERS = 2 };

typedef struct heard { char id[32]; int count; } heard;

static void hear(void *user, const kg_diag *d) {
  heard *h = user;
  h->count++;
  snprintf(h->id, sizeof h->id, "%s", d->id);
}

typedef struct scene {
  heard heard;
  kg_sink sink;
  kg_module *m;
  uint64_t param, length[BUFFERS];
  bool param_given, length_given[BUFFERS];
  kg_host host;
} scene;

static void begin(scene *s) {
  *s = (scene){.heard = {.count = 0}};
  s->sink = (kg_sink){.emit = hear, .user = &s->heard};
  ck_assert_int_eq(kg_module_parse(NULL, "t.kg", TEXT, strlen(TEXT), &s->sink, &s->m), KG_OK);
  s->host = (kg_host){.param = &s->param, .param_given = &s->param_given, .length = s->length, .length_given = s->length_given};
  ck_assert_int_eq(kg_module_resolve(s->m, &s->host, &s->sink), KG_OK);
  ck_assert_int_eq(s->heard.count, 0);
}

static void refused(const scene *s, kg_status status, const char *id) {
  ck_assert_int_eq(status, KG_INVALID);
  ck_assert_int_eq(s->heard.count, 1);
  ck_assert_str_eq(s->heard.id, id);
}

typedef kg_status attempt(scene *s);
static double lo = 7, hi = 7;
static float array[16];
static kg_status extents(scene *s) { return kg_module_buffer_extents(s->m, &s->host, BUFFERS, &s->sink, (uint64_t[KG_MAX_RANK]){0}); }
static kg_status range(scene *s) { return kg_module_buffer_range(s->m, &s->host, UINT32_MAX, &s->sink, &lo, &hi); }
static kg_status no_range(scene *s) { return kg_module_buffer_range(s->m, &s->host, 1, &s->sink, &lo, &hi); }
static kg_status values(scene *s) { return kg_module_random(s->m, &s->host, 9, 5, &s->sink, array); }

static kg_status spirv_math(scene *s) {
  uint32_t *words;
  size_t count;
  return kg_spirv_emit(NULL, s->m, &(kg_spirv_params){.math = (kg_math)9}, &s->sink, &words, &count);
}

static kg_status described_math(scene *s) {
  char *text;
  size_t size;
  return kg_spirv_describe(NULL, s->m, &(kg_spirv_params){.math = (kg_math)-1}, &s->sink, &text, &size);
}

static kg_status c_math(scene *s) {
  char *text;
  size_t size;
  return kg_c_emit(NULL, s->m, &(kg_c_params){.math = (kg_math)9}, &s->sink, &text, &size);
}

static kg_status verified_mode(scene *s) {
  kg_verdict *verdict;
  return kg_verify(s->m, &(kg_verify_params){.mode = (kg_verify_mode)8}, &s->sink, &verdict);
}

static kg_status verified_math(scene *s) {
  kg_verdict *verdict;
  return kg_verify(s->m, &(kg_verify_params){.math = (kg_math)3}, &s->sink, &verdict);
}

static kg_status run_math(scene *s) {
  kg_context *context;
  kg_device *device;
  kg_executable *e;
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.only = "reference"}, &s->sink, &context), KG_OK);
  ck_assert_int_eq(kg_device_open(context, "reference", &s->sink, &device), KG_OK);
  kg_status status = kg_executable_new(device, s->m, &s->host, &(kg_executable_params){.math = (kg_math)7}, &s->sink, &e);
  kg_device_free(device);
  kg_context_free(context);
  return status;
}

static kg_status placed_layout(scene *s) {
  kg_module *made;
  kg_grad_map *map;
  ck_assert_int_eq(kg_grad_mapped(s->m, NULL, &s->sink, &made, &map), KG_OK);
  kg_status status = kg_grad_place(s->m, map, &(kg_place_params){.layout = (kg_layout)9}, &s->sink, &made, 1);
  kg_grad_map_free(map);
  kg_module_free(made);
  return status;
}

static kg_status no_outputs(scene *s) {
  kg_module *made;
  return kg_grad(s->m, &(kg_grad_params){.of_count = 1}, &s->sink, &made);
}

static kg_status no_inputs(scene *s) {
  kg_module *made;
  return kg_hvp(s->m, &(kg_jvp_params){.wrt_count = 1}, &s->sink, &made);
}

static kg_status verified_no_inputs(scene *s) {
  kg_verdict *verdict;
  return kg_verify(s->m, &(kg_verify_params){.wrt_count = 1}, &s->sink, &verdict);
}

static const struct { const char *name; attempt *make; const char *id; } attempts[] = {
  {"extents", extents, "no-such-buffer"}, {"range", range, "no-such-buffer"}, {"no range", no_range, "bind-range"},
  {"random", values, "no-such-buffer"}, {"spirv math", spirv_math, "build-argument"}, {"described math", described_math, "build-argument"},
  {"c math", c_math, "build-argument"}, {"verify mode", verified_mode, "build-argument"}, {"verify math", verified_math, "build-argument"},
  {"run math", run_math, "build-argument"}, {"no outputs", no_outputs, "build-missing"}, {"no inputs", no_inputs, "build-missing"},
  {"verify without inputs", verified_no_inputs, "build-missing"}, {"layout", placed_layout, "build-argument"}};

START_TEST(refuses) {
  scene s;
  begin(&s);
  refused(&s, attempts[_i].make(&s), attempts[_i].id);
  ck_assert(lo == 7 && hi == 7 && array[0] == 0);
  kg_module_free(s.m);
} END_TEST

START_TEST(leaves_extents) {
  scene s;
  begin(&s);
  kg_module_take_extents(s.m, &s.host, BUFFERS, (uint64_t[]){3});
  ck_assert_uint_eq(s.param, 6);
  kg_module_free(s.m);
} END_TEST

/* Past the end of what a gradient's map tells, all is 0. */
START_TEST(past_the_map) {
  scene s;
  kg_module *made;
  kg_grad_map *map;
  begin(&s);
  ck_assert_int_eq(kg_grad_mapped(s.m, NULL, &s.sink, &made, &map), KG_OK);
  const size_t past[] = {99, SIZE_MAX};
  for (unsigned k = 0; k < KGT_COUNT(past); k++) {
    ck_assert_ptr_null(kg_grad_map_entry(map, past[k]).name);
    ck_assert_ptr_null(kg_grad_map_value(map, past[k]).place);
    ck_assert_uint_eq(kg_grad_map_tape(map, past[k]).bytes, 0);
    ck_assert_uint_eq(kg_grad_map_checkpoint(map, past[k]).without, 0);
    ck_assert_ptr_null(kg_grad_map_run(map, past[k]).program);
    (void)kg_grad_map_share(map, past[k]);
    (void)kg_grad_map_segments(map, past[k]);
  }
  kg_grad_map_free(map);
  kg_module_free(made);
  kg_module_free(s.m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(refuses, attempts, name), KGT(leaves_extents), KGT(past_the_map)};
  return kgt_run("public/misuse", tests, KGT_COUNT(tests));
}
