/* Fits a picture by Gaussian splats: blurry spots laid over each other, whose places, shapes, shades and covers Adam learns.
 *
 *     splats [--device NAME] [--size N] [--splats N] [--steps N] [--least DECIBELS] [--kernels FOLDER] [--out FOLDER]
 *
 * splats.kg paints them and says how far that is from the picture; kg_grad makes the kernels of its gradient; adam.kg takes a step.
 * Everything stays on the device. The program prints the loss and the signal-to-noise ratio as they change, writes
 * splats-truth.png, splats-before.png and splats-after.png, and exits with 1 if the picture did not get close.
 *
 *     cc splats.c picture.c $(pkg-config --cflags --libs kgrad libpng) -o splats && ./splats --kernels . */
#include "picture.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 7, MOST_BUFFERS = 32, MOST_PARAMS = 8 }; /* x, y, three of the shape, shade, cover: each from 0 to 1 */
static const float RATE = 0.01F; /* of Adam */

/* `least`: decibels gained that count as success. */
typedef struct options { const char *device, *kernels, *out; uint32_t size, splats, steps; double least; } options;

typedef struct job {
  options o;
  picture truth, shown;
  float *u;
  kg_sink sink;
  kg_context *context;
  kg_device *device;
  kg_module *loss, *gradient, *step;
  kg_buffer *u_d, *seen_d, *shown_d, *loss_d, *grad_u_d, *grad_loss_d, *m_d, *v_d, *steps_d;
  kg_executable *descend, *update;
} job;

static void say(void *user, const kg_diag *d) {
  (void)user;
  if (d->line) fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
  fprintf(stderr, "%s: %s [%s]\n", d->severity == KG_ERROR ? "error" : "note", d->message, d->id);
  if (*d->fix) fprintf(stderr, "  fix: %s\n", d->fix);
}

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

/* Spots of one grey, on a grid that is as wide as it is high. */
static void scatter(job *j) {
  uint32_t n = j->o.splats, across = (uint32_t)ceil(sqrt(n));
  double width = 0.5 / across;
  for (uint32_t g = 0; g < n; g++) {
    float *at = j->u + g;
    at[0] = ((float)(g % across) + 0.5f) / (float)across, at[n] = ((float)(g / across) + 0.5f) / (float)across;
    at[2 * n] = at[4 * n] = (float)fmin(fmax((width - 0.01) / 0.2, 0), 1); /* splats.kg has the scale */
    at[3 * n] = 0.5f;
    at[5 * n] = at[6 * n] = 0.6f;
  }
}

static bool paint(job *j) {
  uint32_t size = j->o.size;
  if (!picture_new(&j->truth, size, size) || !picture_new(&j->shown, size, size)) return false;
  j->u = calloc((size_t)ROWS * j->o.splats, sizeof *j->u);
  if (!j->u) return false;
  picture_paint(&j->truth);
  scatter(j);
  return true;
}

/* Filled from `from`, or with zeros. */
static bool buffer(const job *j, size_t count, const float *from, kg_buffer **out) {
  if (kg_buffer_new(j->device, count * sizeof(float), &j->sink, out) != KG_OK) return false;
  return !from || kg_buffer_write(*out, 0, from, count * sizeof(float), &j->sink) == KG_OK;
}

static bool make_buffers(job *j) {
  size_t pixels = (size_t)j->o.size * j->o.size, n = (size_t)ROWS * j->o.splats;
  return buffer(j, n, j->u, &j->u_d) && buffer(j, pixels, j->truth.at, &j->seen_d) && buffer(j, pixels, NULL, &j->shown_d) &&
         buffer(j, 1, NULL, &j->loss_d) && buffer(j, n, NULL, &j->grad_u_d) && buffer(j, 1, NULL, &j->grad_loss_d) &&
         buffer(j, n, NULL, &j->m_d) && buffer(j, n, NULL, &j->v_d) && buffer(j, 1, NULL, &j->steps_d);
}

static uint64_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

typedef struct binding { const char *name; kg_buffer *buffer; } binding;

/* Makes a module ready, with each buffer that `bindings` names shared, and the params w, h, n and rate set where it has them. */
static kg_executable *ready(const job *j, const kg_module *m, uint64_t n, const binding *bindings) {
  uint64_t param[MOST_PARAMS] = {0}, length[MOST_BUFFERS] = {0}, size = j->o.size;
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_buffer *buffers[MOST_BUFFERS] = {0};
  const struct { const char *name; uint64_t value; } params[] = {{"w", size}, {"h", size}, {"n", n}, {"rate", bits_of(RATE)}};
  kg_executable *made = NULL;
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    uint32_t at = kg_module_find_param(m, params[i].name);
    if (at < MOST_PARAMS) param[at] = params[i].value, param_given[at] = true;
  }
  for (; bindings->name; bindings++) {
    uint32_t at = kg_module_find_buffer(m, bindings->name);
    if (at < MOST_BUFFERS) buffers[at] = bindings->buffer;
  }
  kg_host host = {param, param_given, length, length_given};
  if (kg_module_resolve(m, &host, &j->sink) != KG_OK) return NULL;
  if (kg_executable_new(j->device, m, &host, &(kg_executable_params){.buffers = buffers}, &j->sink, &made) != KG_OK) return NULL;
  return made;
}

static bool compile(job *j) {
  const char *of = "loss", *wrt = "u";
  j->loss = load(j, "splats.kg"), j->step = load(j, "adam.kg");
  if (!j->loss || !j->step) return false;
  kg_grad_params want = {.of = &of, .of_count = 1, .wrt = &wrt, .wrt_count = 1};
  if (kg_grad(j->loss, &want, &j->sink, &j->gradient) != KG_OK) return false;
  j->descend = ready(j, j->gradient, j->o.splats, (binding[]){{"u", j->u_d}, {"seen", j->seen_d}, {"shown", j->shown_d},
                     {"loss", j->loss_d}, {"grad_u", j->grad_u_d}, {"grad_loss", j->grad_loss_d}, {NULL, NULL}});
  j->update = ready(j, j->step, (uint64_t)ROWS * j->o.splats, (binding[]){{"x", j->u_d}, {"g", j->grad_u_d}, {"m", j->m_d},
                    {"v", j->v_d}, {"steps", j->steps_d}, {NULL, NULL}});
  return j->descend && j->update;
}

static bool write(const job *j, const picture *p, const char *name) {
  char path[4096];
  mkdir(j->o.out, 0777); /* where it cannot be made, the picture says so */
  snprintf(path, sizeof path, "%s/splats-%s.png", j->o.out, name);
  if (picture_write_png(p, path)) return printf("%s\n", path) > 0;
  fprintf(stderr, "error: cannot write %s\n", path);
  return false;
}

static bool report(job *j, uint32_t step) {
  float loss;
  size_t bytes = (size_t)j->o.size * j->o.size * sizeof(float);
  if (kg_buffer_read(j->loss_d, 0, &loss, sizeof loss, &j->sink) != KG_OK) return false;
  if (kg_buffer_read(j->shown_d, 0, j->shown.at, bytes, &j->sink) != KG_OK) return false;
  printf("%6u  %12.5f  %8.2f dB\n", step, loss, picture_psnr(&j->shown, &j->truth));
  fflush(stdout);
  return true;
}

/* How close the first picture was goes to `first`. */
static bool descend(job *j, double *first) {
  const float one = 1;
  uint32_t often = j->o.steps / 10 ? j->o.steps / 10 : 1;
  printf("%6s  %12s  %11s\n", "step", "loss", "closeness");
  for (uint32_t step = 0;; step++) {
    /* The cotangent of the loss is used up by each run. */
    if (kg_buffer_write(j->grad_loss_d, 0, &one, sizeof one, &j->sink) != KG_OK) return false;
    if (kg_execute(j->descend, &j->sink) != KG_OK) return false;
    bool last = step == j->o.steps;
    if ((last || step % often == 0) && !report(j, step)) return false;
    if (step == 0 && !write(j, &j->shown, "before")) return false;
    if (step == 0) *first = picture_psnr(&j->shown, &j->truth);
    if (last) return true;
    if (kg_execute(j->update, &j->sink) != KG_OK) return false;
  }
}

static bool run(job *j) {
  double first = 0;
  if (kg_context_new(NULL, NULL, &j->sink, &j->context) != KG_OK) return false;
  if (kg_device_open(j->context, j->o.device, &j->sink, &j->device) != KG_OK) return false;
  printf("Fitting a %u x %u picture by %u splats, on %s.\n", j->o.size, j->o.size, j->o.splats, kg_device_describe(j->device).name);
  if (!paint(j) || !make_buffers(j) || !compile(j) || !write(j, &j->truth, "truth")) return false;
  if (!descend(j, &first) || !write(j, &j->shown, "after")) return false;
  double gain = picture_psnr(&j->shown, &j->truth) - first;
  printf("The picture came %.2f dB closer.\n", gain);
  if (!(gain >= j->o.least)) return fprintf(stderr, "error: that is less than %.1f dB\n", j->o.least), false;
  return true;
}

static void release(job *j) {
  kg_buffer *buffers[] = {j->u_d, j->seen_d, j->shown_d, j->loss_d, j->grad_u_d, j->grad_loss_d, j->m_d, j->v_d, j->steps_d};
  kg_executable_free(j->descend);
  kg_executable_free(j->update);
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) kg_buffer_free(buffers[i]);
  kg_module_free(j->gradient);
  kg_module_free(j->loss);
  kg_module_free(j->step);
  kg_device_free(j->device);
  kg_context_free(j->context);
  picture_free(&j->truth);
  picture_free(&j->shown);
  free(j->u);
}

static bool parse(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) return false;
    if (!strcmp(name, "--device")) o->device = value;
    else if (!strcmp(name, "--kernels")) o->kernels = value;
    else if (!strcmp(name, "--out")) o->out = value;
    else if (!strcmp(name, "--size")) o->size = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--splats")) o->splats = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--steps")) o->steps = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--least")) o->least = strtod(value, NULL);
    else return false;
  }
  return o->size >= 16 && o->size <= 2048 && o->splats >= 1 && o->splats <= 65536;
}

int main(int argc, char **argv) {
  job j = {.o = {.kernels = "examples", .out = "out", .size = 96, .splats = 400, .steps = 200, .least = 6}, .sink = {say, NULL}};
  if (!parse(argc, argv, &j.o)) {
    fprintf(stderr, "usage: splats [--device NAME] [--size 16..2048] [--splats 1..65536] [--steps N] [--least DECIBELS]\n"
                    "              [--kernels FOLDER] [--out FOLDER]\n");
    return 2;
  }
  bool fine = run(&j);
  release(&j);
  return fine ? 0 : 1;
}
