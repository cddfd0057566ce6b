/* Under a limit a gradient keeps less and runs rounds again: every kernel that comes with kgrad and has tapes, under the limits that it can
 * keep to, as one module and as two, bit for bit what it gives without. */
#include "tests/verify/forms_case.h"

/* Of all tapes, snapshots and copies, as the map has them. */
static uint64_t bytes_of_map(const kg_grad_map *map) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < kg_grad_map_tape_count(map); i++) bytes += kg_grad_map_tape(map, i).bytes;
  for (size_t i = 0; i < kg_grad_map_segments_count(map); i++) bytes += kg_grad_map_segments(map, i).bytes;
  return bytes;
}

/* The gradient, and the bytes that it keeps. False: it is refused, be it that the limit is too low. */
static bool take(const kg_module *m, const kg_grad_params *params, kg_module **gradient, uint64_t *bytes) {
  kg_grad_map *map = NULL;
  kg_status status = kg_grad_mapped(m, params, &kgt_sink, gradient, &map);
  ck_assert_msg(status == KG_OK || !params->tape_limit || !strcmp(kgt_last.id, "grad-tape-limit"), "%s", kgt_last.message);
  *bytes = status == KG_OK ? bytes_of_map(map) : 0;
  ck_assert_msg(!params->tape_limit || *bytes <= params->tape_limit, "%u bytes", (unsigned)*bytes);
  kg_grad_map_free(map);
  return status == KG_OK;
}

/* Names of what segments bring along are nobody else's. */
static void parses_again(const char *file, const kg_module *m) {
  kg_module *again = NULL;
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  ck_assert_msg(kg_module_parse(NULL, file, text, size, &kgt_sink, &again) == KG_OK, "%s: %s", file, kgt_last.message);
  kg_bytes_free(NULL, text, size + 1);
  kg_module_free(again);
}

typedef struct forms { kg_module *full, *limited, *forward, *adjoint; } forms;

static void free_limited(forms *f) {
  kg_module_free(f->limited), kg_module_free(f->forward), kg_module_free(f->adjoint);
  f->limited = f->forward = f->adjoint = NULL;
}

static bool same_forms(const kgt_device *d, const char *file, const forms *f) {
  loaded one = {0}, limited = {0}, forward = {0}, adjoint = {0};
  bool near = adds_atomically(f->full) || adds_atomically(f->limited); /* in another order, where strips are longer */
  load(&one, f->full, NULL), load(&limited, f->limited, NULL), load(&forward, f->forward, NULL);
  kg_status status = execute(d, &one);
  if (status == KG_OK) {
    ck_assert_msg(execute(d, &limited) == KG_OK, "%s: under a limit: %s", file, kgt_last.message);
    compare_all(file, &one, &limited, &limited, near);
    ck_assert_msg(execute(d, &forward) == KG_OK, "%s: forward: %s", file, kgt_last.message);
    load(&adjoint, f->adjoint, &forward);
    ck_assert_msg(execute(d, &adjoint) == KG_OK, "%s: adjoint: %s", file, kgt_last.message);
    compare_all(file, &one, &forward, &adjoint, near);
  }
  unload(&one), unload(&limited), unload(&forward), unload(&adjoint);
  return status == KG_OK;
}

/* By as little less as can be, again and again: in segments, then in groups of them. How many such limits it can keep to. */
static int same_below(const kgt_device *d, const char *file, const kg_module *m, kg_grad_params params, forms *f) {
  int levels = 0;
  uint64_t bytes;
  bool ran = take(m, &params, &f->full, &bytes);
  while (ran && bytes > 1) {
    params.tape_limit = bytes - 1;
    ran = take(m, &params, &f->limited, &bytes);
    if (ran) ck_assert_msg(kg_grad_split(m, &params, &kgt_sink, &f->forward, &f->adjoint, NULL) == KG_OK, "%s: %s", file, kgt_last.message);
    if (ran) parses_again(file, f->limited), ran = same_forms(d, file, f);
    levels += ran;
    free_limited(f);
  }
  return levels;
}

static int same_as_full(const kgt_device *d, const char *file, const char *text, const kg_grad_params *params) {
  kg_module *m = NULL;
  forms f = {0};
  int levels = 0;
  if (kg_module_parse(NULL, file, text, strlen(text), &kgt_sink, &m) == KG_OK) levels = same_below(d, file, m, *params, &f);
  kg_module_free(f.full);
  kg_module_free(m);
  return levels;
}

static bool same_under_limit(const kgt_device *d, const char *file) {
  size_t size;
  char *text = kgt_read_source(file, &size);
  int levels = same_as_full(d, file, text, &(kg_grad_params){0});
  free(text);
  return levels > 0;
}

static const char *const folders[] = {"tests/natural", "tests/kernels", "tests/gradients"};
static const int least[] = {10, 0, 0};

START_TEST(on_the_reference) { forms_all_on("reference", folders[_i], least[_i], same_under_limit); }
END_TEST
START_TEST(on_vulkan) { forms_all_on("vulkan", folders[_i], least[_i], same_under_limit); }
END_TEST

/* ---- how many rounds there are, and what lies around them ---- */

#define STEP \
  "program step { workgroup 4 grid invocations n param n : u32 param c : f32 = 0.75 buffer a : f32[n] read buffer x : f32[n] read_write\n" \
  "let i = global_id.x if i < n { x[i] = sin(x[i] * a[i] + c) + 0.25 * x[i] * x[i] } }\n"
#define PUT \
  "program put { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer x : f32[n] write\n" \
  "let i = global_id.x if i < n { x[i] = a[i] * a[i] } }\n"
/* What it adds to is read, and a neighbour's element too. */
#define PULL \
  "program pull { workgroup 4 grid invocations n param n : u32 param dt : f32 buffer x : f32[n] read buffer v : f32[n] read_write\n" \
  "let i = global_id.x if i < n { v[i] = v[i] - dt * sin(x[i]) * x[(i + 1) % n] } }\n"
#define ORBIT "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read buffer x : f32[n] read_write\n" STEP PUT

/* To and fro between x and a temporary; what `hop` stores to, and how often it runs, vary. */
#define HOP(guard, index) \
  "program hop { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer x : f32[n] write\n" \
  "let i = global_id.x if " guard " { x[" index "] = sin(1.5 * a[(i + 1) % n]) + 0.25 * a[i] * a[i] } }\n"
#define TO_AND_FRO(length, hop) \
  "module m { param n : u32 = 6 param t : u32 = 40 buffer x : f32[" length "] read_write buffer w : f32[" length "] temp\n" hop PUT \
  "run put(a = x, x = w, n = " length ") "

/* `levels`: 2 where segments in groups take less still. */
typedef struct shape { const char *name, *text; int levels; } shape;
static const shape shapes[] = {
  {"rounds", ORBIT "repeat k in 0 .. t { run step } }", 2},
  {"downward", ORBIT "repeat k in 3 .. t + 3 reversed { run step(c = 0.5) } }", 2},
  {"steps of three", ORBIT "repeat k in 2 .. 2 + 3 * t step 3 { run step } }", 2},
  {"steps that do not come out even", ORBIT "repeat k in 2 .. 3 * t step 3 { run step } }", 2},
  {"overwritten after", ORBIT "repeat k in 0 .. t { run step } run put }", 2},
  {"begun in the module", ORBIT "run put repeat k in 0 .. t { run step } run step }", 2},
  {"an input overwritten after", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read_write buffer x : f32[n] read_write\n"
   STEP PUT "repeat k in 0 .. t { run step } run put(a = x, x = a) }", 2},
  {"an input changed by the round", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read_write buffer x : f32[n] read_write\n"
   STEP PUT "repeat k in 0 .. t { repeat j in 0 .. 5 { run step } run put(a = x, x = a) } }", 2},
  {"a temporary", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read buffer x : f32[n] temp buffer y : f32[n] write\n"
   STEP PUT "run put(a = a, x = x) repeat k in 0 .. t { run step } run put(a = x, x = y) }", 2},
  {"filled in the round", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read_write buffer x : f32[n] temp\n"
   STEP PUT "repeat k in 0 .. t { run put run step(c = 0.1) run put(a = x, x = a) } }", 2},
  {"leapfrog", "module m { param n : u32 = 6 param t : u32 = 40 buffer q : f32[n] read_write buffer v : f32[n] read_write\n" PULL
   "repeat k in 0 .. t { run pull(dt = 0.1, x = q, v = v) run pull(dt = -0.1, x = v, v = q) } }", 2},
  {"names that are taken", ORBIT "repeat segment in 0 .. 2 { repeat group in 0 .. t { run step } run step(c = 0.25) } }", 2},
  {"within one another", ORBIT "repeat k in 0 .. 3 { repeat j in 0 .. t { run step } run step(c = 0.25) } }", 2},
  {"triangles", ORBIT "repeat k in 0 .. t { repeat j in k + 1 .. t { run step(c = 0.125) } } }", 2},
  {"few around many", ORBIT "repeat k in 0 .. 2 { repeat j in 0 .. t { run step } } }", 2},
  {"many around few", ORBIT "repeat k in 0 .. t { repeat j in 0 .. 2 { run step } } }", 2},
  {"slices", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[n] read buffer x : f32[4 * n] read_write\n" STEP
   "repeat k in 0 .. t { run step(x = x[k % 4 * n .. (k % 4 + 1) * n]) } }", 1}, /* a snapshot takes as much as three rounds' tape */
  {"an index in the run", "module m { param n : u32 = 6 param t : u32 = 40 buffer a : f32[t, n] read buffer x : f32[n] read_write\n"
   "program step { workgroup 4 grid invocations n param n : u32 param t : u32 param k : u32 buffer a : f32[t, n] read buffer x : f32[n] read_write\n"
   "let i = global_id.x if i < n { x[i] = tanh(x[i] * a[k, i]) + 0.5 * x[i] } }\n"
   "repeat k in 0 .. t { run step(k = k) } }", 2},
  {"whole numbers carried", "module m { param n : u32 = 6 param t : u32 = 40 buffer x : f32[n] read_write buffer w : u16[n] temp\n"
   "program clear { workgroup 4 grid invocations n param n : u32 buffer w : u16[n] write let i = global_id.x if i < n { w[i] = 0 } }\n"
   "program step { workgroup 4 grid invocations n param n : u32 buffer w : u16[n] read_write buffer x : f32[n] read_write\n"
   "let i = global_id.x if i < n { x[i] = sin(x[i]) * (1.0 + 0.25 * f32(w[i] % 5)) w[i] += 3 } }\n"
   "run clear repeat k in 0 .. t { run step } }", 2},
  {"of doubles", "module m { param n : u32 = 6 param t : u32 = 40 buffer x : f64[n] read_write\n"
   "program step { workgroup 4 grid invocations n param n : u32 buffer x : f64[n] read_write\n"
   "let i = global_id.x if i < n { x[i] = 1.25 * x[i] * (1.0 - x[i] * x[i] / 4.0) } }\n"
   "repeat k in 0 .. t { run step } }", 2},
};

/* `of`: what there are snapshots of: a round that begins with stores to all of a buffer needs none of it. */
typedef struct begun { const char *name, *text, *of; } begun;
static const begun begins[] = {
  {"all stored first", TO_AND_FRO("n", HOP("i < n", "i")) "repeat k in 0 .. t { run hop(a = x, x = w) run hop(a = w, x = x) } }", "x"},
  {"all stored first, behind a return", TO_AND_FRO("n", HOP("i >= n || i >= n { return } if true", "i"))
   "repeat k in 0 .. t { run hop(a = x, x = w) run hop(a = w, x = x) } }", "x"},
  {"all but one stored first", TO_AND_FRO("n", HOP("i < n - 1", "i + 1")) "repeat k in 0 .. t { run hop(a = x, x = w) run hop(a = w, x = x) } }", "x, w"},
  {"every other one stored first", TO_AND_FRO("n", HOP("i < n / 2", "2 * i")) "repeat k in 0 .. t { run hop(a = x, x = w) run hop(a = w, x = x) } }", "x, w"},
  {"one workgroup of it stored first", TO_AND_FRO("n", HOP("i < n", "i"))
   "repeat k in 0 .. t { run hop(a = x, x = w) grid 1 run hop(a = w, x = x) } }", "x, w"},
  {"longer than what is stored first", TO_AND_FRO("n + 2", HOP("i < n", "i"))
   "repeat k in 0 .. t { run hop(a = x, x = w) run hop(a = w, x = x, n = n + 2) } }", "x, w"},
  {"stored first, but for rounds without", TO_AND_FRO("n", HOP("i < n", "i"))
   "repeat k in 0 .. t { repeat j in 1 .. k % 2 + 1 { run hop(a = x, x = w) } run hop(a = w, x = x) } }", "x, w"},
  {"loaded before it is stored", TO_AND_FRO("n", HOP("i < n", "i")) "repeat k in 0 .. t { run hop(a = w, x = x) run hop(a = x, x = w) } }", "w"},
};

/* Those of the segments are chosen by the default of t; others have to be right too: none, one, about one and two segments, many. */
static const uint64_t rounds[] = {0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 40, 61};

static void shape_on(const char *which, const shape *s) {
  kgt_device d = kgt_open(which);
  bool device = strcmp(which, "reference") != 0;
  forms_param = "t";
  for (size_t k = 0; k < sizeof rounds / sizeof *rounds; k += device || KGT_EACH > 1 ? 6 : 1) {
    forms_value = rounds[k];
    int levels = same_as_full(&d, s->name, s->text, &(kg_grad_params){0});
    ck_assert_msg(levels >= s->levels, "%s: %d levels: %s", s->name, levels, kgt_last.message);
    if (k % 3 == 0) same_as_full(&d, s->name, s->text, &(kg_grad_params){.accumulate = true});
  }
  forms_param = NULL;
  kgt_close(&d);
}

static void begun_on(const char *which, const begun *s) { shape_on(which, &(shape){s->name, s->text, 2}); }

START_TEST(begun_on_the_reference) { begun_on("reference", &begins[_i]); }
END_TEST
START_TEST(begun_on_vulkan) { begun_on("vulkan", &begins[_i]); }
END_TEST

START_TEST(snapshots_of) {
  const begun *s = &begins[_i];
  kg_module *m = NULL, *gradient = NULL;
  kg_grad_map *map = NULL;
  ck_assert_msg(kg_module_parse(NULL, s->name, s->text, strlen(s->text), &kgt_sink, &m) == KG_OK, "%s", kgt_last.message);
  ck_assert_int_eq(kg_grad_mapped(m, NULL, &kgt_sink, &gradient, &map), KG_OK);
  kg_grad_params params = {.tape_limit = bytes_of_map(map) - 1};
  kg_grad_map_free(map), kg_module_free(gradient);
  ck_assert_int_eq(kg_grad_mapped(m, &params, &kgt_sink, &gradient, &map), KG_OK);
  ck_assert_uint_eq(kg_grad_map_segments_count(map), 1);
  ck_assert_str_eq(kg_grad_map_segments(map, 0).buffers, s->of);
  kg_grad_map_free(map), kg_module_free(gradient), kg_module_free(m);
}
END_TEST

START_TEST(shapes_on_the_reference) { shape_on("reference", &shapes[_i]); }
END_TEST
START_TEST(shapes_on_vulkan) { shape_on("vulkan", &shapes[_i]); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(on_the_reference, folders), KGT_TEXTS(on_vulkan, folders),
                            KGT_TABLE(shapes_on_the_reference, shapes, name), KGT_TABLE(shapes_on_vulkan, shapes, name),
                            KGT_TABLE(begun_on_the_reference, begins, name),
                            KGT_TABLE(begun_on_vulkan, begins, name), KGT_TABLE(snapshots_of, begins, name)};
  return kgt_run("verify/segments", tests, KGT_COUNT(tests));
}
