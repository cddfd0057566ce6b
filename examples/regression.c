/* Trains a small network by K-FAC and by Adam, side by side: every step runs on the device.
 *
 *     regression [--device NAME] [--steps N] [--kernels FOLDER] [--out FOLDER]
 *
 * regression.kg is the network and its loss; kg_grad makes the kernels of its gradient, and of the gradients by each sample's output that
 * K-FAC's factors are made of; the steps are the primitives kfac_step and adam. Adam takes `steps`, K-FAC a fifth. The program prints the
 * losses and how long the steps took, writes regression.png, and exits with 1 unless K-FAC reached Adam's lowest loss in fewer steps.
 *
 *     cc regression.c picture.c $(pkg-config --cflags --libs kgrad libpng) -o regression && ./regression --kernels . */
#include "picture.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BATCH = 256, INPUTS = 2, HIDDEN = 32, SIDE = INPUTS + 1, MOST_STEPS = 100000, MOST_BUFFERS = 32, MOST_PARAMS = 16, MOST_UPDATES = 3 };

typedef struct options { const char *device, *kernels, *out; uint32_t steps; } options;

/* Weights with what belongs to them, the executables of a step in their order, and what was seen: losses before each step. */
typedef struct method {
  const char *name;
  kg_buffer *w1, *w2, *grad_w1, *grad_w2, *loss, *grad_loss, *a;
  kg_executable *gradient, *update[MOST_UPDATES];
  uint32_t steps;
  float *losses;
  double *seconds; /* since the first step */
} method;

typedef struct job {
  options o;
  kg_sink sink;
  kg_context *context;
  kg_device *device;
  kg_module *network, *gradient, *sensitivity, *adam, *kfac;
  kg_buffer *x, *target, *ones, *g, *lambda;
  method by_adam, by_kfac;
} job;

static void say(void *user, const kg_diag *d) {
  (void)user;
  if (d->line) fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
  fprintf(stderr, "%s: %s [%s]\n", d->severity == KG_ERROR ? "error" : "note", d->message, d->id);
  if (*d->fix) fprintf(stderr, "  fix: %s\n", d->fix);
}

/* ---- what is learnt ---- */

static uint64_t state = 7;

/* In [-1, 1), the same everywhere. */
static float draw(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (float)(state >> 40) * 0x1p-23f - 1;
}

static bool buffer(const job *j, size_t count, const float *from, kg_buffer **out) {
  if (kg_buffer_new(j->device, count * sizeof(float), &j->sink, out) != KG_OK) return false;
  return !from || kg_buffer_write(*out, 0, from, count * sizeof(float), &j->sink) == KG_OK;
}

/* Points of a square, and a wave over it. */
static bool make_data(job *j) {
  float x[BATCH][INPUTS], target[BATCH], ones[BATCH], lambda = 1e-6f;
  for (int i = 0; i < BATCH; i++) {
    x[i][0] = draw(), x[i][1] = draw(), ones[i] = 1;
    target[i] = sinf(4 * x[i][0]) * cosf(3 * x[i][1]) + 0.5f * x[i][0] * x[i][1];
  }
  return buffer(j, BATCH * INPUTS, x[0], &j->x) && buffer(j, BATCH, target, &j->target) && buffer(j, BATCH, ones, &j->ones) &&
         buffer(j, BATCH * HIDDEN, NULL, &j->g) && buffer(j, 1, &lambda, &j->lambda);
}

/* Both methods begin at the same weights. */
static bool make_method(job *j, method *m, const char *name, uint32_t steps) {
  float w1[HIDDEN][SIDE], w2[HIDDEN + 1];
  state = 11;
  for (int i = 0; i < HIDDEN; i++) {
    for (int k = 0; k < SIDE; k++) w1[i][k] = 2 * draw();
    w2[i] = 0.3f * draw();
  }
  w2[HIDDEN] = 0;
  m->name = name, m->steps = steps;
  m->losses = calloc(steps + 1, sizeof *m->losses), m->seconds = calloc(steps + 1, sizeof *m->seconds);
  return m->losses && m->seconds && buffer(j, HIDDEN * SIDE, w1[0], &m->w1) && buffer(j, HIDDEN + 1, w2, &m->w2) &&
         buffer(j, HIDDEN * SIDE, NULL, &m->grad_w1) && buffer(j, HIDDEN + 1, NULL, &m->grad_w2) && buffer(j, 1, NULL, &m->loss) &&
         buffer(j, 1, NULL, &m->grad_loss) && buffer(j, BATCH * HIDDEN, NULL, &m->a);
}

/* ---- kernels ---- */

static kg_module *load(const job *j, const char *name) {
  static char text[1 << 16];
  char path[4096];
  kg_module *m = NULL;
  snprintf(path, sizeof path, "%s/%s", j->o.kernels, name);
  FILE *f = fopen(path, "rb");
  if (!f) return fprintf(stderr, "error: cannot open %s\n  fix: run this in the source folder, or pass --kernels\n", path), NULL;
  size_t size = fread(text, 1, sizeof text, f);
  fclose(f);
  return kg_module_parse(NULL, path, text, size, &j->sink, &m) == KG_OK ? m : NULL;
}

typedef struct binding { const char *name; kg_buffer *buffer; } binding;
typedef struct size { const char *name; uint64_t value; } size;

/* Makes a module ready, with each buffer that `bindings` names shared, and `sizes` as its params. Other buffers are its own, and begin
 * as 0. */
static bool ready(const job *j, const kg_module *m, const size *sizes, const binding *bindings, kg_executable **out) {
  uint64_t param[MOST_PARAMS] = {0}, length[MOST_BUFFERS] = {0};
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_buffer *buffers[MOST_BUFFERS] = {0};
  for (; sizes->name; sizes++) {
    uint32_t at = kg_module_find_param(m, sizes->name);
    if (at < MOST_PARAMS) param[at] = sizes->value, param_given[at] = true;
  }
  for (; bindings->name; bindings++) {
    uint32_t at = kg_module_find_buffer(m, bindings->name);
    if (at < MOST_BUFFERS) buffers[at] = bindings->buffer;
  }
  kg_host host = {param, param_given, length, length_given};
  if (kg_module_resolve(m, &host, &j->sink) != KG_OK) return false;
  return kg_executable_new(j->device, m, &host, &(kg_executable_params){.buffers = buffers}, &j->sink, out) == KG_OK;
}

/* Adam's rate is the best of 0.003, 0.01, 0.03 and 0.06. */
static bool make_modules(job *j) {
  const char *loss = "loss", *weights[] = {"w1", "w2"}, *y = "y", *sums = "s after first";
  kg_grad_params gradient = {.of = &loss, .of_count = 1, .wrt = weights, .wrt_count = 2};
  kg_grad_params sensitivity = {.of = &y, .of_count = 1, .wrt = &sums, .wrt_count = 1};
  const kg_primitive_arg adam[] = {{"learning_rate", 0.06}};
  const kg_primitive_arg kfac[] = {{"decay", 0.9}, {"learning_rate", 0.3}, {"momentum", 0.5}, {"clip", 0.001}};
  j->network = load(j, "regression.kg");
  if (!j->network || kg_grad(j->network, &gradient, &j->sink, &j->gradient) != KG_OK ||
      kg_grad(j->network, &sensitivity, &j->sink, &j->sensitivity) != KG_OK)
    return false;
  if (kg_primitive_build(NULL, "adam", adam, 1, &j->sink, &j->adam) != KG_OK ||
      kg_primitive_build(NULL, "kfac_step", kfac, 4, &j->sink, &j->kfac) != KG_OK)
    return false;
  const kg_module *all[] = {j->gradient, j->sensitivity, j->adam, j->kfac};
  return kg_device_compile(j->device, all, 4, &j->sink) == KG_OK;
}

static const size network_sizes[] = {{"batch", BATCH}, {"n_in", INPUTS}, {"hidden", HIDDEN}, {NULL, 0}};

static bool make_gradient(job *j, method *m) {
  const binding shared[] = {{"x", j->x}, {"target", j->target}, {"w1", m->w1}, {"w2", m->w2}, {"loss", m->loss}, {"a", m->a},
                            {"grad_loss", m->grad_loss}, {"grad_w1", m->grad_w1}, {"grad_w2", m->grad_w2}, {NULL, NULL}};
  return ready(j, j->gradient, network_sizes, shared, &m->gradient);
}

static bool make_adam(job *j, method *m) {
  const size first[] = {{"n", HIDDEN * SIDE}, {NULL, 0}}, second[] = {{"n", HIDDEN + 1}, {NULL, 0}};
  return make_gradient(j, m) &&
         ready(j, j->adam, first, (binding[]){{"g", m->grad_w1}, {"w", m->w1}, {NULL, NULL}}, &m->update[0]) &&
         ready(j, j->adam, second, (binding[]){{"g", m->grad_w2}, {"w", m->w2}, {NULL, NULL}}, &m->update[1]);
}

/* The network's output is one number, the mean of a normal distribution of deviation 1. So its Fisher matrix is E[J J^T], where J is the
 * gradient of that number: the cotangent of each sample's y is 1, and G of the second layer is 1. */
static bool make_kfac(job *j, method *m) {
  const size first[] = {{"batch", BATCH}, {"n_in", INPUTS}, {"n_out", HIDDEN}, {NULL, 0}};
  const size second[] = {{"batch", BATCH}, {"n_in", HIDDEN}, {"n_out", 1}, {NULL, 0}};
  const binding slopes[] = {{"x", j->x}, {"target", j->target}, {"w1", m->w1}, {"w2", m->w2}, {"grad_y", j->ones},
                            {"grad_s_after_first", j->g}, {NULL, NULL}};
  const binding of_first[] = {{"x", j->x}, {"g", j->g}, {"dw", m->grad_w1}, {"lambda", j->lambda}, {"w", m->w1}, {NULL, NULL}};
  const binding of_second[] = {{"x", m->a}, {"g", j->ones}, {"dw", m->grad_w2}, {"lambda", j->lambda}, {"w", m->w2}, {NULL, NULL}};
  return make_gradient(j, m) && ready(j, j->sensitivity, network_sizes, slopes, &m->update[0]) &&
         ready(j, j->kfac, first, of_first, &m->update[1]) && ready(j, j->kfac, second, of_second, &m->update[2]);
}

/* ---- descent ---- */

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool descend(const job *j, method *m) {
  const float one = 1;
  double begin = now();
  for (uint32_t step = 0; step <= m->steps; step++) {
    /* The cotangent of the loss is used up by each run. */
    if (kg_buffer_write(m->grad_loss, 0, &one, sizeof one, &j->sink) != KG_OK || kg_execute(m->gradient, &j->sink) != KG_OK) return false;
    if (kg_buffer_read(m->loss, 0, &m->losses[step], sizeof one, &j->sink) != KG_OK) return false;
    m->seconds[step] = now() - begin;
    for (int i = 0; i < MOST_UPDATES && m->update[i] && step < m->steps; i++)
      if (kg_execute(m->update[i], &j->sink) != KG_OK) return false;
  }
  return true;
}

static void tell(const method *m) {
  printf("%s:\n%8s  %12s  %8s\n", m->name, "step", "loss", "seconds");
  for (uint32_t i = 0; i <= 10; i++) {
    uint32_t step = (uint32_t)((uint64_t)m->steps * i / 10);
    printf("%8u  %12.3e  %8.2f\n", step, (double)m->losses[step], m->seconds[step]);
  }
}

/* ---- the plot ---- */

enum { WIDTH = 480, HEIGHT = 280, DECADES = 7 };

static void dot(picture *p, double x, double y, float shade, int radius) {
  for (int v = (int)y - radius; v <= (int)y + radius; v++)
    for (int u = (int)x - radius; u <= (int)x + radius; u++)
      if (u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT) p->at[v * WIDTH + u] = shade;
}

/* Steps from left to right, the loss downward from 1 in powers of ten. */
static void curve(picture *p, const method *m, uint32_t most, float shade) {
  double at = 0, before = 0;
  for (uint32_t step = 0; step <= m->steps; step++, before = at) {
    at = fmin(fmax(-log10((double)m->losses[step]), -0.2) / DECADES + 0.03, 0.99) * HEIGHT;
    double x = (double)step / most * (WIDTH - 1), low = fmin(at, step ? before : at), high = fmax(at, step ? before : at);
    for (double y = low; y <= high; y++) dot(p, x, y, shade, 1);
  }
}

static bool plot(const job *j) {
  char path[4096];
  picture p;
  if (!picture_new(&p, WIDTH, HEIGHT)) return false;
  for (int i = 0; i < WIDTH * HEIGHT; i++) p.at[i] = 1;
  for (int d = 0; d < DECADES; d++)
    for (int x = 0; x < WIDTH; x++) p.at[(int)((d / (double)DECADES + 0.03) * HEIGHT) * WIDTH + x] = 0.85f;
  uint32_t most = j->by_adam.steps;
  curve(&p, &j->by_adam, most, 0.55f);
  curve(&p, &j->by_kfac, most, 0);
  mkdir(j->o.out, 0777); /* where it cannot be made, the picture says so */
  snprintf(path, sizeof path, "%s/regression.png", j->o.out);
  bool fine = picture_write_png(&p, path);
  picture_free(&p);
  if (!fine) return fprintf(stderr, "error: cannot write %s\n", path), false;
  return printf("%s: K-FAC black, Adam grey; the loss in powers of ten over the steps\n", path) > 0;
}

/* ---- all of it ---- */

static bool judge(const job *j) {
  const method *a = &j->by_adam, *k = &j->by_kfac;
  uint32_t best = 0, step = 0;
  for (uint32_t i = 1; i <= a->steps; i++)
    if (a->losses[i] < a->losses[best]) best = i;
  double bar = (double)a->losses[best];
  while (step < k->steps && !((double)k->losses[step] <= bar)) step++;
  if (!((double)k->losses[step] <= bar)) return fprintf(stderr, "error: K-FAC did not reach Adam's lowest loss\n"), false;
  printf("Adam came to a loss of %.3e in %u steps and %.2f s; K-FAC was there after %u steps and %.2f s.\n", bar, best, a->seconds[best],
         step, k->seconds[step]);
  return step < best;
}

static bool run(job *j) {
  if (kg_context_new(NULL, NULL, &j->sink, &j->context) != KG_OK) return false;
  if (kg_device_open(j->context, j->o.device, &j->sink, &j->device) != KG_OK) return false;
  printf("Training %d weights on %d samples, on %s.\n", HIDDEN * SIDE + HIDDEN + 1, BATCH, kg_device_describe(j->device).name);
  if (!make_data(j) || !make_method(j, &j->by_adam, "Adam", j->o.steps)) return false;
  if (!make_method(j, &j->by_kfac, "K-FAC", j->o.steps / 5) || !make_modules(j)) return false;
  if (!make_adam(j, &j->by_adam) || !make_kfac(j, &j->by_kfac)) return false;
  if (!descend(j, &j->by_kfac) || !descend(j, &j->by_adam)) return false;
  tell(&j->by_adam), tell(&j->by_kfac);
  return plot(j) && judge(j);
}

static void release_method(method *m) {
  kg_buffer *buffers[] = {m->w1, m->w2, m->grad_w1, m->grad_w2, m->loss, m->grad_loss, m->a};
  kg_executable_free(m->gradient);
  for (int i = 0; i < MOST_UPDATES; i++) kg_executable_free(m->update[i]);
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) kg_buffer_free(buffers[i]);
  free(m->losses), free(m->seconds);
}

static void release(job *j) {
  kg_module *modules[] = {j->network, j->gradient, j->sensitivity, j->adam, j->kfac};
  kg_buffer *buffers[] = {j->x, j->target, j->ones, j->g, j->lambda};
  release_method(&j->by_adam), release_method(&j->by_kfac);
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) kg_buffer_free(buffers[i]);
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) kg_module_free(modules[i]);
  kg_device_free(j->device);
  kg_context_free(j->context);
}

static bool parse(int argc, char **argv, options *o) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    if (!strcmp(name, "--device")) o->device = value;
    else if (!strcmp(name, "--kernels")) o->kernels = value;
    else if (!strcmp(name, "--out")) o->out = value;
    else if (!strcmp(name, "--steps")) o->steps = (uint32_t)strtoul(value, NULL, 10);
    else return false;
  }
  return argc % 2 == 1 && o->steps >= 10 && o->steps <= MOST_STEPS;
}

int main(int argc, char **argv) {
  job j = {.o = {.kernels = "examples", .out = "out", .steps = 2000}, .sink = {say, NULL}};
  if (!parse(argc, argv, &j.o)) {
    fprintf(stderr, "usage: regression [--device NAME] [--steps 10..100000] [--kernels FOLDER] [--out FOLDER]\n");
    return 2;
  }
  bool fine = run(&j);
  release(&j);
  return fine ? 0 : 1;
}
