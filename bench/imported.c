/* The adjoints that kgrad makes of imported shaders (bench/shaders/NAME.comp) against backward shaders that a person wrote
 * (NAME_backward.comp). The written one is dispatched as glslang made it, by bare Vulkan. kgrad's is the adjoint alone, of the
 * split mode, by kgrad's driver, with the runs that zero gradients. The primal ran before both. The same numbers go in, and the
 * same must come out. */
#include "bench/bare.h"
#include "bench/device.h"
#include "bench/foreign.h"
#include "foundation/base/random.h"

#include <kgrad/autodiff.h>
#include <kgrad/spirv.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 8, MOST_PARAMS = 2, ROUNDS = 31 };

static const struct contest {
  const char *name;
  uint32_t grid[3];
  struct array { const char *name; size_t count; } array[MOST_ARRAYS]; /* all that either side has, as floats */
  const char *param[MOST_PARAMS];                                      /* push constants of both shaders, in order */
  const char *wrt[2];
  const char *binding[MOST_ARRAYS]; /* of the backward shader, in order */
} contests[] = {
    {"rms_norm", {512, 1, 1}, {{"x", 1 << 20}, {"weight", 2048}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_x", 1 << 20}},
     {"columns=2048", "eps=0.00001"}, {"x"}, {"x", "weight", "grad_y", "grad_x"}},
    {"layer_norm", {512, 1, 1},
     {{"x", 1 << 20}, {"weight", 2048}, {"bias", 2048}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_x", 1 << 20}},
     {"columns=2048", "eps=0.00001"}, {"x"}, {"x", "weight", "grad_y", "grad_x"}},
    {"soft_max", {512, 1, 1}, {{"x", 1 << 20}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_x", 1 << 20}},
     {"columns=2048", "scale=0.5"}, {"x"}, {"y", "grad_y", "grad_x"}},
    {"gelu", {1 << 14, 1, 1}, {{"x", 1 << 20}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_x", 1 << 20}},
     {"n=1048576"}, {"x"}, {"x", "grad_y", "grad_x"}},
    {"swiglu", {1 << 14, 1, 1},
     {{"a", 1 << 20}, {"b", 1 << 20}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_a", 1 << 20}, {"grad_b", 1 << 20}},
     {"n=1048576"}, {"a", "b"}, {"a", "b", "grad_y", "grad_a", "grad_b"}},
    {"rope", {64, 128, 1}, {{"x", 1 << 19}, {"y", 1 << 19}, {"grad_y", 1 << 19}, {"grad_x", 1 << 19}},
     {"pairs=2048", "base=10000.0"}, {"x"}, {"grad_y", "grad_x"}},
    {"tone_map", {1 << 12, 1, 1}, {{"x", 1 << 20}, {"y", 1 << 20}, {"grad_y", 1 << 20}, {"grad_x", 1 << 20}},
     {"n=262144", "exposure=0.75"}, {"x"}, {"x", "grad_y", "grad_x"}},
};
enum { CONTESTS = sizeof contests / sizeof *contests };

/* How much kgrad is told: what is known beforehand is what `kgrad grad --grid --param` takes. And its arithmetic: GLSL's functions are the
 * device's own, which `--math fast` takes as well. */
static const struct way { const char *name; bool known, accumulate; kg_math math; double bar; } ways[] = {
    {"known", true, false, KG_MATH_FAST, 1.1},
    {"known, exact", true, false, KG_MATH_EXACT, 0},
    {"known, added", true, true, KG_MATH_FAST, 0},
    {"nothing known", false, false, KG_MATH_FAST, 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct field {
  const struct contest *contest;
  const bench_device *device;
  bench_words shader;
  float *number[MOST_ARRAYS]; /* of each array of the contest: inputs, what the primal leaves, the cotangent */
  uint32_t pushed[MOST_PARAMS];
  bench_bare *written;
} field;

/* What one module is run with. */
typedef struct side { kg_module *module; kg_executable *executable; } side;

static size_t count_of(const char *const *names, size_t most) {
  size_t n = 0;
  while (n < most && names[n]) n++;
  return n;
}

static int array_of(const struct contest *c, const char *name) {
  for (int i = 0; i < MOST_ARRAYS && c->array[i].name; i++)
    if (!strcmp(c->array[i].name, name)) return i;
  return -1;
}

static bool is_gradient(const struct contest *c, int i) {
  for (int k = 0; k < 2 && c->wrt[k]; k++)
    if (!strncmp(c->array[i].name, "grad_", 5) && !strcmp(c->array[i].name + 5, c->wrt[k])) return true;
  return false;
}

/* A value as it is written in the table: with a point it is a float. */
static uint32_t bits_of(const char *param) {
  const char *value = strchr(param, '=') + 1;
  float real = strtof(value, NULL);
  uint32_t bits = (uint32_t)strtoul(value, NULL, 10);
  if (strchr(value, '.')) memcpy(&bits, &real, sizeof bits);
  return bits;
}

/* ---- kgrad's side ---- */

static kg_module *import(const field *f, bool known) {
  const struct contest *c = f->contest;
  kg_spirv_import_params params = {0};
  if (known) {
    memcpy(params.grid, c->grid, sizeof params.grid);
    params.facts.params = c->param, params.facts.param_count = count_of(c->param, MOST_PARAMS);
  }
  kg_module *m = NULL;
  kg_spirv_import(NULL, c->name, f->shader.word, f->shader.count * sizeof *f->shader.word, &params, &bench_sink, &m);
  return m;
}

/* The contest's arrays that the module has, its params, and the grid where that is one of them. */
static bool ready(const field *f, kg_math math, side *s) {
  enum { MOST = MOST_ARRAYS + MOST_PARAMS + 3 };
  static const char *const axis[] = {"groups_x", "groups_y", "groups_z"};
  const struct contest *c = f->contest;
  kg_binding binding[MOST];
  char name[MOST_PARAMS][32];
  size_t count = 0;
  for (int i = 0; i < MOST_ARRAYS && c->array[i].name; i++)
    if (kg_module_find_buffer(s->module, c->array[i].name) != UINT32_MAX)
      binding[count++] = (kg_binding){c->array[i].name, f->number[i], c->array[i].count};
  for (int i = 0; i < MOST_PARAMS && c->param[i]; i++) {
    snprintf(name[i], sizeof name[i], "%.*s", (int)strcspn(c->param[i], "="), c->param[i]);
    if (kg_module_find_param(s->module, name[i]) != UINT32_MAX) binding[count++] = (kg_binding){name[i], (void *)&f->pushed[i], 1};
  }
  for (int i = 0; i < 3; i++)
    if (kg_module_find_param(s->module, axis[i]) != UINT32_MAX) binding[count++] = (kg_binding){axis[i], (void *)&c->grid[i], 1};
  return kg_executable_new_bound(f->device->device, s->module, binding, count, &(kg_executable_params){.math = math}, &bench_sink, &s->executable) == KG_OK;
}

/* What the primal left goes to where the adjoint and the written shader find it: its own arrays, and tapes. */
static bool run_primal(field *f, const side *primal) {
  const struct contest *c = f->contest;
  if (kg_execute(primal->executable, &bench_sink) != KG_OK) return false;
  for (int i = 0; i < MOST_ARRAYS && c->array[i].name; i++) {
    kg_buffer *b = kg_executable_find(primal->executable, c->array[i].name);
    if (b && kg_buffer_read(b, 0, f->number[i], c->array[i].count * sizeof(float), &bench_sink) != KG_OK) return false;
  }
  return true;
}

static bool hand_tapes_on(const side *primal, const side *adjoint) {
  for (uint32_t i = 0; i < kg_module_buffer_count(adjoint->module); i++) {
    const char *name = kg_module_buffer(adjoint->module, i).name;
    kg_buffer *to = kg_executable_buffer(adjoint->executable, i), *from = kg_executable_find(primal->executable, name);
    if (!to || !from || strncmp(name, "tape_", 5)) continue;
    size_t bytes = (size_t)kg_buffer_size(from);
    void *held = malloc(bytes);
    bool fine = held && bytes == kg_buffer_size(to) && kg_buffer_read(from, 0, held, bytes, &bench_sink) == KG_OK &&
                kg_buffer_write(to, 0, held, bytes, &bench_sink) == KG_OK;
    free(held);
    if (!fine) return false;
  }
  return true;
}

static bool make(field *f, const struct way *way, side *primal, side *adjoint) {
  const struct contest *c = f->contest;
  kg_module *shader = import(f, way->known);
  kg_grad_params params = {.of = (const char *[]){"y"}, .of_count = 1, .wrt = c->wrt, .wrt_count = count_of(c->wrt, 2),
                           .accumulate = way->accumulate};
  bool fine = shader && kg_grad_split(shader, &params, &bench_sink, &primal->module, &adjoint->module, NULL) == KG_OK;
  kg_module_free(shader);
  return fine && ready(f, way->math, primal) && run_primal(f, primal) && ready(f, way->math, adjoint) && hand_tapes_on(primal, adjoint);
}

/* ---- the written side ---- */

static bool set_up_written(field *f) {
  const struct contest *c = f->contest;
  char name[64];
  size_t bytes[MOST_ARRAYS], n = count_of(c->binding, MOST_ARRAYS);
  snprintf(name, sizeof name, "%s_backward", c->name);
  bench_words shader = bench_foreign(name);
  for (size_t i = 0; i < n; i++) bytes[i] = c->array[array_of(c, c->binding[i])].count * sizeof(float);
  bench_bare_kernel kernel = {.words = shader.word, .word_count = shader.count, .entry = "main", .buffers = bytes,
                              .buffer_count = (uint32_t)n, .params = f->pushed,
                              .params_size = (uint32_t)(count_of(c->param, MOST_PARAMS) * sizeof *f->pushed)};
  memcpy(kernel.groups, c->grid, sizeof kernel.groups);
  if (shader.count) f->written = bench_bare_open(f->device->info.name, &kernel);
  free(shader.word);
  return f->written != NULL;
}

static void fill_written(const field *f) {
  const struct contest *c = f->contest;
  for (uint32_t i = 0; i < MOST_ARRAYS && c->binding[i]; i++) {
    int k = array_of(c, c->binding[i]);
    memcpy(bench_bare_memory(f->written, i), f->number[k], c->array[k].count * sizeof(float));
  }
}

/* ---- both ---- */

static double execute(void *user) {
  double start = bench_cpu();
  return kg_execute(((side *)user)->executable, &bench_sink) == KG_OK ? bench_cpu() - start : -1;
}

static double submit(void *user) {
  double start = bench_cpu();
  return bench_bare_run(user) == 0 ? bench_cpu() - start : -1;
}

/* A gradient that both made, to a few units of the largest entry. */
static bool agree_on(const field *f, const side *adjoint, uint32_t binding) {
  const struct array *a = &f->contest->array[array_of(f->contest, f->contest->binding[binding])];
  const float *theirs = bench_bare_memory(f->written, binding);
  float *ours = malloc(a->count * sizeof *ours);
  kg_buffer *b = kg_executable_find(adjoint->executable, a->name);
  bool read = ours && b && kg_buffer_read(b, 0, ours, a->count * sizeof *ours, &bench_sink) == KG_OK;
  double worst = 0, largest = 0;
  for (size_t i = 0; read && i < a->count; i++) {
    double d = fabs((double)ours[i] - theirs[i]);
    if (!(d <= worst) && !isnan(worst)) worst = d; /* a NaN stays */
    largest = fmax(largest, fabs((double)theirs[i]));
  }
  free(ours);
  return read && largest > 0 && worst <= 1e-4 * largest;
}

/* The first execution of both, for a made adjoint may use its cotangent up, or add to what it made. */
static bool start_alike(const field *f, side *adjoint) {
  fill_written(f);
  if (submit(f->written) < 0 || execute(adjoint) < 0) return false;
  for (uint32_t i = 0; i < MOST_ARRAYS && f->contest->binding[i]; i++)
    if (is_gradient(f->contest, array_of(f->contest, f->contest->binding[i])) && !agree_on(f, adjoint, i))
      return printf("%s: %s differs from the written one's\n", f->contest->name, f->contest->binding[i]), false;
  return true;
}

static bool meet(field *f, const struct way *way) {
  char subject[64];
  side primal = {0}, adjoint = {0};
  bench_pair pair = {.failed = true};
  if (make(f, way, &primal, &adjoint) && start_alike(f, &adjoint))
    pair = bench_compare(submit, f->written, execute, &adjoint, ROUNDS);
  snprintf(subject, sizeof subject, "%s", way->name);
  bool fine = bench_row(way == ways ? f->contest->name : "", subject, &pair, way->bar);
  kg_executable_free(adjoint.executable), kg_executable_free(primal.executable);
  kg_module_free(adjoint.module), kg_module_free(primal.module);
  return fine;
}

/* The inputs and the cotangent in [-1, 1), the gradients 0. */
static bool open_field(field *f) {
  const struct contest *c = f->contest;
  uint64_t state = 1;
  for (int i = 0; i < MOST_PARAMS && c->param[i]; i++) f->pushed[i] = bits_of(c->param[i]);
  for (int i = 0; i < MOST_ARRAYS && c->array[i].name; i++) {
    f->number[i] = calloc(c->array[i].count, sizeof(float));
    if (!f->number[i]) return false;
    for (size_t k = 0; !is_gradient(c, i) && k < c->array[i].count; k++) f->number[i][k] = (float)kgi_random_between(&state, -1, 1);
  }
  f->shader = bench_foreign(c->name);
  return f->shader.count && set_up_written(f);
}

static void close_field(field *f) {
  bench_bare_close(f->written);
  free(f->shader.word);
  for (int i = 0; i < MOST_ARRAYS; i++) free(f->number[i]);
}

int bench_imported(void) {
  if (!bench_foreign_can()) return printf("\nno glslangValidator: the rows of imported shaders are left out\n"), 0;
  int missed = 0;
  bench_device d = bench_device_open();
  if (d.device)
    printf("\n%-14s %-22s %7s %7s  %-8s %11s %11s\n", "made/written", "of imports", "ratio", "median", "bar", "written", "made");
  for (size_t k = 0; d.device && k < CONTESTS; k++) {
    field f = {.contest = &contests[k], .device = &d};
    bool fine = open_field(&f);
    if (!fine) printf("%s: the shaders could not be set up\n", contests[k].name), missed++;
    for (size_t w = 0; fine && w < WAYS; w++) missed += !meet(&f, &ways[w]);
    close_field(&f);
  }
  bench_device_close(&d);
  return missed;
}
