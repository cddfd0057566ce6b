/* The gradients that kgrad makes against adjoints that a person wrote (bench/NAME_adjoint.kg), on the same device in the same run: of
 * examples, of primitives, and of kernels beside this file. Both sides compute the primal too. Of those whose gradient has to keep what
 * loops and runs overwrite, the ratio to the primal is shown besides. */
#include "bench/device.h"
#include "foundation/base/random.h"

#include <kgrad/autodiff.h>
#include <kgrad/primitives.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum source { EXAMPLE, PRIMITIVE, KERNEL } source; /* examples/NAME.kg, `kgrad prim NAME`, bench/NAME.kg */

static const struct contest {
  const char *name;    /* of the primal */
  source source;
  const char *written; /* against bench/WRITTEN_adjoint.kg */
  double workgroup;    /* of a primitive: what that has */
  bench_setting settings[3];
  size_t count;
  bool keeps; /* what is overwritten */
} contests[] = {
    {"saxpy", EXAMPLE, "saxpy", 0, {{"n", 4000000}}, 1, false},
    {"mix", EXAMPLE, "mix", 0, {{"n", 1 << 20}}, 1, false},
    {"softmax", EXAMPLE, "softmax", 0, {{"n_rows", 512}, {"n_cols", 2048}}, 2, false},
    {"layernorm", EXAMPLE, "layernorm", 0, {{"n_rows", 1024}, {"n_cols", 2048}}, 2, false},
    {"rmsnorm", KERNEL, "rmsnorm", 0, {{"n_rows", 512}, {"n_cols", 2048}}, 2, false},
    {"softmax", PRIMITIVE, "softmax", 64, {{"n_rows", 512}, {"n_cols", 2048}}, 2, false},
    {"layer_norm", PRIMITIVE, "layernorm", 32, {{"n_rows", 1024}, {"n_cols", 2048}}, 2, false},
    {"logistic", KERNEL, "logistic", 0, {{"n", 1 << 16}}, 1, true},
    {"fisher", KERNEL, "fisher", 0, {{"n", 1 << 15}, {"steps", 32}}, 2, true},
    {"brusselator", KERNEL, "brusselator", 0, {{"n", 128}, {"steps", 32}}, 2, true},
    {"lstm", KERNEL, "lstm", 0, {{"batch", 16}, {"steps", 16}, {"width", 32}}, 3, true},
    {"softmax_online", KERNEL, "softmax_online", 0, {{"n_rows", 2048}, {"n_cols", 256}}, 2, true},
    {"group_norm", KERNEL, "group_norm", 0, {{"batch", 16}, {"groups", 8}, {"pixels", 1024}}, 3, true},
    {"nbody", KERNEL, "nbody", 0, {{"n", 512}}, 1, true},
    {"lattice_boltzmann", KERNEL, "lattice_boltzmann", 0, {{"w", 64}, {"h", 64}, {"steps", 16}}, 3, true},
};
enum { CONTESTS = sizeof contests / sizeof *contests, ROUNDS = 31, ROUNDS_OF_KEEPERS = 15, ID_SIZE = 64 };
enum { WRITTEN, MADE, PRIMAL, SIDES };

typedef struct side { kg_module *module; kg_executable *executable; bool on_host; } side;

/* A device that is this machine's processor is timed by what its threads used: that does not change with what else runs here. */
static double execute(void *user) {
  side *s = user;
  double start = bench_cpu();
  if (kg_execute(s->executable, &bench_sink) != KG_OK) return -1;
  return s->on_host ? bench_cpu() - start : kg_executable_seconds(s->executable);
}

static bool computes_on_host(const bench_device *d) { return strstr(d->info.name, "llvmpipe") || strstr(d->info.name, "SwiftShader"); }

static kg_buffer *buffer(const side *s, const char *name) {
  uint32_t at = kg_module_find_buffer(s->module, name);
  return at == UINT32_MAX ? NULL : kg_executable_buffer(s->executable, at);
}

/* The same numbers in [-1, 1) for all sides; what a side does not have is left out. */
static bool fill(side *sides, const char *name, uint32_t seed) {
  for (int k = 0; k < SIDES && sides[k].executable; k++) {
    kg_buffer *b = buffer(&sides[k], name);
    size_t count = b ? (size_t)kg_buffer_size(b) / sizeof(float) : 0;
    float *x = malloc((count + 1) * sizeof *x);
    uint64_t state = seed;
    if (!x) return false;
    for (size_t i = 0; i < count; i++) x[i] = (float)kgi_random_between(&state, -1, 1);
    kg_status status = count ? kg_buffer_write(b, 0, x, count * sizeof *x, NULL) : KG_OK;
    free(x);
    if (status != KG_OK) return false;
  }
  return true;
}

/* Both gradients, to a few units of the largest entry. */
static bool agree(const side *sides) {
  kg_buffer *b[2] = {buffer(&sides[0], "grad_x"), buffer(&sides[1], "grad_x")};
  if (!b[0] || !b[1] || kg_buffer_size(b[0]) != kg_buffer_size(b[1])) return false;
  size_t bytes = (size_t)kg_buffer_size(b[0]), count = bytes / sizeof(float);
  float *x = malloc(bytes), *y = malloc(bytes);
  double worst = 0, largest = 0;
  bool read = x && y && kg_buffer_read(b[0], 0, x, bytes, NULL) == KG_OK && kg_buffer_read(b[1], 0, y, bytes, NULL) == KG_OK;
  for (size_t i = 0; read && i < count; i++) {
    double d = fabs((double)x[i] - y[i]);
    if (!(d <= worst) && !isnan(worst)) worst = d; /* a NaN stays */
    largest = fmax(largest, fabs((double)y[i]));
  }
  free(x), free(y);
  return read && largest > 0 && worst <= 1e-4 * largest;
}

static kg_module *primal_of(const struct contest *c) {
  char name[64];
  kg_module *built = NULL;
  kg_primitive_arg workgroup = {"workgroup", c->workgroup};
  if (c->source == PRIMITIVE) {
    kg_primitive_build(NULL, c->name, &workgroup, 1, &bench_sink, &built);
    return built;
  }
  snprintf(name, sizeof name, "%s/%s.kg", c->source == EXAMPLE ? "examples" : "bench", c->name);
  return bench_load(name);
}

static bool fill_all(side *sides) {
  static const char *const names[] = {"x", "y", "grad_y", "scale", "shift", "c", "w", "u", "bias"};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!fill(sides, names[i], i + 1)) return false;
  return true;
}

/* Both gradients are the same. A made one may use its cotangent up, so this is the first execution. */
static bool start_alike(const struct contest *c, side *sides) {
  if (execute(&sides[WRITTEN]) < 0 || execute(&sides[MADE]) < 0) return false;
  if (agree(sides)) return true;
  printf("%s: the two gradients differ\n", c->name);
  return false;
}

static void keep_id(void *user, const kg_diag *d) {
  if (d->severity == KG_ERROR) snprintf(user, ID_SIZE, "%s", d->id);
}

/* The modules of the sides; `refusal` becomes the diagnostic with which a gradient was refused. */
static bool load(const struct contest *c, side *sides, char *refusal) {
  char name[64];
  snprintf(name, sizeof name, "bench/%s_adjoint.kg", c->written);
  sides[WRITTEN].module = bench_load(name);
  sides[PRIMAL].module = primal_of(c);
  if (!sides[WRITTEN].module || !sides[PRIMAL].module) return false;
  kg_grad_params params = {.of = (const char *[]){"y"}, .of_count = 1, .wrt = (const char *[]){"x"}, .wrt_count = 1};
  return kg_grad(sides[PRIMAL].module, &params, &(kg_sink){keep_id, refusal}, &sides[MADE].module) == KG_OK;
}

static bool ready(const bench_device *d, const struct contest *c, side *sides) {
  for (int k = 0; k < SIDES; k++) {
    sides[k].executable = bench_ready(d, sides[k].module, c->settings, c->count);
    if (!sides[k].executable) return false;
    sides[k].on_host = computes_on_host(d);
  }
  return fill_all(sides) && start_alike(c, sides) && fill_all(sides);
}

static bool print_rows(const struct contest *c, side *sides, bool failed) {
  char subject[64];
  snprintf(subject, sizeof subject, "%s%s", c->source == PRIMITIVE ? "primitive " : "", c->name);
  bench_pair pair = {.failed = true};
  if (!failed) pair = bench_compare(execute, &sides[WRITTEN], execute, &sides[MADE], c->keeps ? ROUNDS_OF_KEEPERS : ROUNDS);
  bool fine = bench_row("adjoint", subject, &pair, 1.1);
  if (failed || !c->keeps) return fine;
  pair = bench_compare(execute, &sides[PRIMAL], execute, &sides[MADE], ROUNDS_OF_KEEPERS);
  return bench_row(" over primal", subject, &pair, 0) && fine;
}

static bool meet(const bench_device *d, const struct contest *c) {
  side sides[SIDES] = {{0}};
  char refusal[ID_SIZE] = "";
  bool loaded = load(c, sides, refusal), fine = c->keeps && *refusal;
  if (fine) printf("%-14s %-22s refused: %s\n", "adjoint", c->name, refusal);
  else fine = print_rows(c, sides, !loaded || !ready(d, c, sides));
  for (int k = 0; k < SIDES; k++) {
    kg_executable_free(sides[k].executable);
    kg_module_free(sides[k].module);
  }
  return fine;
}

bool bench_adjoint_has(const char *name) {
  for (size_t k = 0; k < CONTESTS; k++)
    if (!strcmp(contests[k].name, name)) return true;
  return false;
}

void bench_adjoint_names(FILE *to) {
  for (size_t k = 0; k < CONTESTS; k++) fprintf(to, " %s", contests[k].name);
}

int bench_adjoint(void) {
  int missed = 0;
  bench_device d = bench_device_open();
  if (d.device) {
    printf("\n%s\n%-14s %-22s %7s %7s  %-8s %11s %11s\n", d.info.name, "made/written", "kernel", "ratio", "median", "bar", "written", "made");
    for (size_t k = 0; k < CONTESTS; k++)
      if (bench_asked(contests[k].name)) missed += !meet(&d, &contests[k]);
  }
  bench_device_close(&d);
  return missed;
}
