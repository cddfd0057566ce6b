#include "bench/cpu/contest.h"

#include <kgrad/autodiff.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 }; /* buffers and params of a module */

const bench_contest bench_contests[] = {
    {"chain", "bench/cpu/chain.kg", bench_truth_chain, {"n"}, {1 << 20}, {1003}, -1, .array = {"x", "y", "grad_y", "grad_x"}},
    {"softmax", "examples/softmax.kg", bench_truth_softmax, {"n_rows", "n_cols"}, {4096, 1024}, {5, 83}, 1,
     .array = {"x", "y", "grad_y", "grad_x"}},
    {"layer_norm", "examples/layernorm.kg", bench_truth_layer_norm, {"n_rows", "n_cols"}, {4096, 1024}, {7, 75}, 0,
     .array = {"x", "scale", "shift", "y", "grad_y", "grad_x", "grad_scale", "grad_shift"}},
    {"rms_norm", "bench/rmsnorm.kg", bench_truth_rms_norm, {"n_rows", "n_cols"}, {4096, 1024}, {7, 75}, 0,
     .array = {"x", "scale", "y", "grad_y", "grad_x", "grad_scale"}},
    {"logistic_regression", "bench/cpu/logistic_regression.kg", bench_truth_logistic_regression, {"n_rows", "n_features"},
     {1 << 16, 64}, {301, 7}, 0, .array = {"x", "target", "w", "bias", "y", "grad_y", "grad_w", "grad_bias"}},
    {"lookup", "bench/cpu/lookup.kg", bench_truth_lookup, {"n_words", "width", "n_bags", "per_bag"}, {1 << 15, 64, 1 << 13, 16},
     {13, 9, 31, 5}, 3, .array = {"table", "word", "y", "grad_y", "grad_table"}},
    {"dot", "bench/cpu/dot.kg", bench_truth_dot, {"n"}, {1 << 22}, {1003}, 0, .array = {"a", "b", "y", "grad_y", "grad_a", "grad_b"}},
    {"gather", "bench/cpu/gather.kg", bench_truth_gather, {"n", "n_x"}, {1 << 20, 1 << 20}, {1003, 57}, -1,
     .array = {"x", "index", "y", "grad_y", "grad_x"}},
};
const size_t bench_contest_count = sizeof bench_contests / sizeof *bench_contests;

/* Their names and arrays are those of the primitives; softmax and layer_norm are as above. */
const bench_contest bench_primitive_contests[] = {
    {.name = "matmul", .truth = bench_truth_matmul, .param = {"m", "n", "k"}, .large = {512, 512, 512}, .odd = {70, 67, 33}, .summed = 1,
     .array = {"a", "b", "c", "grad_c", "grad_a", "grad_b"}, .in_blas = true},
    {.name = "softmax", .truth = bench_truth_softmax, .param = {"n_rows", "n_cols"}, .large = {4096, 1024}, .odd = {5, 83}, .summed = 1,
     .array = {"x", "y", "grad_y", "grad_x"}},
    {.name = "layer_norm", .truth = bench_truth_layer_norm, .param = {"n_rows", "n_cols"}, .large = {4096, 1024}, .odd = {7, 75},
     .summed = 0, .array = {"x", "scale", "shift", "y", "grad_y", "grad_x", "grad_scale", "grad_shift"}},
    {.name = "attention", .truth = bench_truth_attention, .param = {"n_heads", "n_queries", "n_keys"}, .large = {4, 512, 512},
     .odd = {2, 19, 37}, .summed = 2, .array = {"query", "key", "value", "y", "grad_y", "grad_query", "grad_key", "grad_value"},
     .arg = {{"dim", BENCH_HEAD_DIM}}, .too_much = "lavapipe ends the loops of an invocation after 65,535 iterations together"},
    {.name = "conv2d", .truth = bench_truth_conv2d, .param = {"batch", "in_channels", "out_channels", "height", "width"},
     .large = {4, 32, 32, 56, 56}, .odd = {2, 3, 5, 9, 7}, .summed = 3,
     .array = {"x", "w", "bias", "y", "grad_y", "grad_x", "grad_w", "grad_bias"}},
};
const size_t bench_primitive_contest_count = sizeof bench_primitive_contests / sizeof *bench_primitive_contests;

bool bench_contest_named(const bench_contest *contests, size_t count, const char *name) {
  for (size_t k = 0; k < count; k++)
    if (!strcmp(contests[k].name, name)) return true;
  return false;
}

void bench_contest_names(const bench_contest *contests, size_t count, FILE *to, const char *prefix) {
  for (size_t k = 0; k < count; k++) fprintf(to, " %s%s", prefix, contests[k].name);
}

/* ---- numbers ---- */

static kg_mode mode_of(const kg_module *m, const char *buffer) {
  return kg_module_buffer(m, kg_module_find_buffer(m, buffer)).mode;
}

static bench_role role_of(const kg_module *primal, const char *name) {
  if (strncmp(name, "grad_", 5)) return mode_of(primal, name) == KG_READ ? BENCH_GIVEN : BENCH_RESULT;
  return mode_of(primal, name + 5) == KG_READ ? BENCH_DERIVATIVE : BENCH_COTANGENT;
}

static bool computed(bench_role role) { return role == BENCH_RESULT || role == BENCH_DERIVATIVE; }

/* Of the outputs by those inputs of which the contest has gradients. */
static bool differentiate(bench_field *f) {
  const char *of[BENCH_CPU_ARRAYS], *wrt[BENCH_CPU_ARRAYS];
  kg_grad_params params = {.of = of, .wrt = wrt};
  for (int k = 0; k < BENCH_CPU_ARRAYS && f->contest->array[k]; k++) {
    f->array[k].role = role_of(f->module[BENCH_PRIMAL], f->contest->array[k]);
    if (f->array[k].role == BENCH_RESULT) of[params.of_count++] = f->contest->array[k];
    if (f->array[k].role == BENCH_DERIVATIVE) wrt[params.wrt_count++] = f->contest->array[k] + 5;
  }
  return kg_grad(f->module[BENCH_PRIMAL], &params, &bench_sink, &f->module[BENCH_GRADIENT]) == KG_OK;
}

/* Random numbers for what is given, room for what is to be computed. */
static bool fill(bench_field *f, const kg_host *host) {
  const kg_module *m = f->module[BENCH_GRADIENT];
  for (int k = 0; k < BENCH_CPU_ARRAYS && f->contest->array[k]; k++) {
    uint32_t at = kg_module_find_buffer(m, f->contest->array[k]);
    size_t count = f->array[k].count = (size_t)host->length[at];
    float *number = f->array[k].number = calloc(count, sizeof *number);
    if (!number) return false;
    if (!computed(f->array[k].role)) {
      if (kg_module_random(m, host, at, 1, &bench_sink, number) != KG_OK) return false;
    } else if (!(f->array[k].truth = calloc(count, sizeof(double)))) {
      return false;
    }
  }
  return true;
}

static bool set_up(bench_field *f) {
  uint64_t param[MOST] = {0}, length[MOST] = {0};
  bool param_given[MOST] = {false}, length_given[MOST] = {false};
  kg_host host = {param, param_given, length, length_given};
  const kg_module *m = f->module[BENCH_GRADIENT];
  if (kg_module_param_count(m) > MOST || kg_module_buffer_count(m) > MOST) return false;
  for (int i = 0; i < BENCH_CPU_SIZES && f->contest->param[i]; i++) {
    uint32_t at = kg_module_find_param(m, f->contest->param[i]);
    param[at] = f->size[i], param_given[at] = true;
  }
  return kg_module_resolve(m, &host, &bench_sink) == KG_OK && fill(f, &host);
}

static void numbers(const bench_field *f, void **number) {
  for (int k = 0; k < BENCH_CPU_ARRAYS; k++) number[k] = f->array[k].number;
}

static void find_truth(bench_field *f) {
  void *number[BENCH_CPU_ARRAYS];
  double *truth[BENCH_CPU_ARRAYS];
  numbers(f, number);
  for (int k = 0; k < BENCH_CPU_ARRAYS; k++) truth[k] = f->array[k].truth;
  f->contest->truth(f->size, number, truth);
}

static kg_module *load(const bench_contest *c) {
  kg_module *m = NULL;
  size_t count = 0;
  if (c->file) return bench_load(c->file);
  while (count < BENCH_CPU_ARGS && c->arg[count].name) count++;
  kg_primitive_build(NULL, c->name, c->arg, count, &bench_sink, &m);
  return m;
}

bool bench_field_open(bench_field *f, const bench_contest *c, bool odd) {
  *f = (bench_field){.contest = c};
  memcpy(f->size, odd ? c->odd : c->large, sizeof f->size);
  f->module[BENCH_PRIMAL] = load(c);
  bool fine = f->module[BENCH_PRIMAL] && differentiate(f) && set_up(f);
  if (fine) find_truth(f);
  else printf("%s: it could not be set up\n", c->name);
  return fine;
}

void bench_field_close(bench_field *f) {
  for (int k = 0; k < BENCH_CPU_ARRAYS; k++) free(f->array[k].number), free(f->array[k].truth);
  for (int s = 0; s < BENCH_SWEEPS; s++) kg_module_free(f->module[s]);
}

/* ---- players ---- */

const bench_hand_kernel *bench_hand_find(const bench_hand_kernel *const *tables, const char *name) {
  for (; *tables; tables++)
    for (const bench_hand_kernel *k = *tables; k->name; k++)
      if (!strcmp(k->name, name)) return k;
  return NULL;
}

/* Uploads all numbers, or those alone that the module changes though they are given: a cotangent may be used up. */
static bool upload(const bench_player *p, bool changed) {
  for (int k = 0; k < BENCH_CPU_ARRAYS && p->field->contest->array[k]; k++) {
    const char *name = p->field->contest->array[k];
    kg_buffer *b = kg_executable_find(p->executable, name);
    if (!b || (changed && (computed(p->field->array[k].role) || mode_of(p->field->module[p->sweep], name) == KG_READ))) continue;
    size_t bytes = p->field->array[k].count * sizeof(float);
    if (kg_buffer_write(b, 0, p->field->array[k].number, bytes, &bench_sink) != KG_OK) return false;
  }
  return true;
}

/* So that nobody's result passes for another's. */
static void forget(const bench_field *f) {
  for (int k = 0; k < BENCH_CPU_ARRAYS && f->contest->array[k]; k++)
    for (size_t i = 0; computed(f->array[k].role) && i < f->array[k].count; i++) ((float *)f->array[k].number)[i] = NAN;
}

static bool on_device(bench_player *p, const bench_device *d) {
  bench_setting settings[BENCH_CPU_SIZES];
  size_t count = 0;
  while (count < BENCH_CPU_SIZES && p->field->contest->param[count]) {
    settings[count] = (bench_setting){p->field->contest->param[count], p->field->size[count]};
    count++;
  }
  p->executable = bench_ready(d, p->field->module[p->sweep], settings, count);
  if (!p->executable) printf("%s: %s does not take it\n", p->field->contest->name, d->info.name);
  forget(p->field);
  return p->executable && upload(p, false);
}

bool bench_player_open(bench_player *p, const bench_field *f, bench_sweep sweep, const bench_hand_kernel *kernel,
                       const bench_device *d) {
  *p = (bench_player){.field = f, .sweep = sweep};
  if (kernel) p->hand = sweep == BENCH_PRIMAL ? kernel->primal : kernel->gradient;
  return kernel || on_device(p, d);
}

void bench_player_close(bench_player *p) { kg_executable_free(p->executable); }

bool bench_play(bench_player *p, bench_spent *spent) {
  void *number[BENCH_CPU_ARRAYS];
  bool fine = true;
  numbers(p->field, number);
  if (p->executable && !upload(p, true)) return false;
  bench_spent start = {bench_wall(), bench_cpu()};
  if (p->hand) p->hand(p->field->size, number);
  else fine = kg_execute(p->executable, &bench_sink) == KG_OK;
  *spent = (bench_spent){bench_wall() - start.wall, bench_cpu() - start.cpu};
  return fine;
}

/* ---- comparison ---- */

/* What a float result may be off by, beside the largest entry of its array. Functions: Vulkan lets exp err by 3 + 2 |x| units in
 * the last place, and tanh is made of such; 64 units are above what comes of it here. Sums: of n additions each errs by half a
 * unit of what is summed so far, in either direction, so together they err by about sqrt(n) / 2 units in whatever order. */
static double tolerance(const bench_field *f) {
  double length = f->contest->summed < 0 ? 0 : f->size[f->contest->summed];
  return 0x1p-24 * (64 + sqrt(length));
}

/* The numbers that the player computed for array k. */
static bool take(const bench_player *p, int k, float *to) {
  size_t bytes = p->field->array[k].count * sizeof *to;
  if (p->hand) return memcpy(to, p->field->array[k].number, bytes);
  kg_buffer *b = kg_executable_find(p->executable, p->field->contest->array[k]);
  return b && kg_buffer_read(b, 0, to, bytes, &bench_sink) == KG_OK;
}

static bool array_right(const bench_player *p, int k, const char *who) {
  const bench_field *f = p->field;
  double worst = 0, largest = 0;
  size_t wrong = 0;
  float *result = malloc(f->array[k].count * sizeof *result);
  bool taken = result && take(p, k, result);
  for (size_t i = 0; i < f->array[k].count; i++) largest = fmax(largest, fabs(f->array[k].truth[i]));
  for (size_t i = 0; taken && i < f->array[k].count; i++) {
    double off = fabs(result[i] - f->array[k].truth[i]) / largest;
    wrong += !(off <= tolerance(f)); /* NaN is wrong */
    worst = fmax(worst, off);
  }
  free(result);
  bool right = taken && largest > 0 && !wrong;
  if (!right)
    printf("%s by %s: %zu of %s are wrong, by up to %g of the largest; %g is allowed\n", f->contest->name, who, wrong,
           f->contest->array[k], worst, tolerance(f));
  return right;
}

bool bench_player_right(bench_player *p, const char *who) {
  const bench_field *f = p->field;
  bench_spent spent;
  if (p->hand) forget(f);
  if (!bench_play(p, &spent)) return printf("%s by %s failed\n", f->contest->name, who), false;
  bool right = true;
  for (int k = 0; k < BENCH_CPU_ARRAYS && f->contest->array[k]; k++)
    if (f->array[k].role == BENCH_RESULT || (p->sweep == BENCH_GRADIENT && f->array[k].role == BENCH_DERIVATIVE))
      right = array_right(p, k, who) && right;
  return right;
}
