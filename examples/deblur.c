/* Recovers a picture from a blurred and noisy one, by gradient descent whose every step runs on the device.
 *
 *     deblur [--device NAME] [--size N] [--steps N] [--least DECIBELS] [--kernels FOLDER] [--out FOLDER]
 *
 * deblur.kg says how badly a picture explains what was seen; kg_grad makes the kernels of its gradient; adam.kg takes a step. The
 * answer is known, so the result can be judged: the program prints the loss and the signal-to-noise ratio as they change, writes
 * truth.png, before.png, after.png and difference.png, and exits with 1 if the picture did not get better.
 *
 *     cc deblur.c picture.c $(pkg-config --cflags --libs kgrad libpng) -o deblur && ./deblur --kernels . */
#include "picture.h"

#include <kgrad/kgrad.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TAPS = 13, MOST_BUFFERS = 32 };
static const double SIGMA = 1.5, NOISE = 0.01; /* pixels; of white */

/* `least`: decibels gained that count as success. */
typedef struct options { const char *device, *kernels, *out; uint32_t size, steps; double least; } options;

typedef struct job {
  options o;
  picture truth, seen, now;
  float weights[TAPS];
  kg_sink sink;
  kg_context *context;
  kg_device *device;
  kg_module *loss, *gradient, *step;
  kg_buffer *seen_d, *weights_d, *u_d, *loss_d, *grad_u_d, *grad_loss_d, *m_d, *v_d, *steps_d;
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

static bool paint(job *j) {
  uint32_t n = j->o.size;
  if (!picture_new(&j->truth, n, n) || !picture_new(&j->seen, n, n) || !picture_new(&j->now, n, n)) return false;
  picture_paint(&j->truth);
  gaussian(j->weights, TAPS, SIGMA);
  if (!picture_blur(&j->truth, &j->seen, j->weights, TAPS)) return false;
  picture_noise(&j->seen, NOISE, 1);
  memcpy(j->now.at, j->seen.at, (size_t)n * n * sizeof(float));
  return true;
}

static bool buffer(const job *j, size_t count, const float *from, kg_buffer **out) {
  if (kg_buffer_new(j->device, count * sizeof(float), &j->sink, out) != KG_OK) return false;
  return !from || kg_buffer_write(*out, 0, from, count * sizeof(float), &j->sink) == KG_OK;
}

static bool make_buffers(job *j) {
  size_t n = (size_t)j->o.size * j->o.size;
  return buffer(j, n, j->seen.at, &j->seen_d) && buffer(j, TAPS, j->weights, &j->weights_d) && buffer(j, n, j->now.at, &j->u_d) &&
         buffer(j, 1, NULL, &j->loss_d) && buffer(j, n, NULL, &j->grad_u_d) && buffer(j, 1, NULL, &j->grad_loss_d) &&
         buffer(j, n, NULL, &j->m_d) && buffer(j, n, NULL, &j->v_d) && buffer(j, 1, NULL, &j->steps_d);
}

typedef struct binding { const char *name; kg_buffer *buffer; } binding;

/* Makes a module ready, with each buffer that `bindings` names shared, and the params w, h, n and taps set where it has them. */
static kg_executable *ready(const job *j, const kg_module *m, const binding *bindings) {
  uint64_t param[8] = {0}, length[MOST_BUFFERS] = {0}, n = j->o.size;
  bool param_given[8] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_buffer *buffers[MOST_BUFFERS] = {0};
  const struct { const char *name; uint64_t value; } params[] = {{"w", n}, {"h", n}, {"n", n * n}, {"taps", TAPS}};
  kg_executable *made = NULL;
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    uint32_t at = kg_module_find_param(m, params[i].name);
    if (at != UINT32_MAX) param[at] = params[i].value, param_given[at] = true;
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
  j->loss = load(j, "deblur.kg"), j->step = load(j, "adam.kg");
  if (!j->loss || !j->step) return false;
  kg_grad_params want = {.of = &of, .of_count = 1, .wrt = &wrt, .wrt_count = 1};
  if (kg_grad(j->loss, &want, &j->sink, &j->gradient) != KG_OK) return false;
  j->descend = ready(j, j->gradient, (binding[]){{"u", j->u_d}, {"seen", j->seen_d}, {"weights", j->weights_d}, {"loss", j->loss_d},
                                                 {"grad_u", j->grad_u_d}, {"grad_loss", j->grad_loss_d}, {NULL, NULL}});
  j->update = ready(j, j->step, (binding[]){{"x", j->u_d}, {"g", j->grad_u_d}, {"m", j->m_d}, {"v", j->v_d},
                                            {"steps", j->steps_d}, {NULL, NULL}});
  return j->descend && j->update;
}

static bool report(job *j, uint32_t step) {
  float loss;
  size_t bytes = (size_t)j->o.size * j->o.size * sizeof(float);
  if (kg_buffer_read(j->loss_d, 0, &loss, sizeof loss, &j->sink) != KG_OK) return false;
  if (kg_buffer_read(j->u_d, 0, j->now.at, bytes, &j->sink) != KG_OK) return false;
  printf("%6u  %12.5f  %8.2f dB\n", step, loss, picture_psnr(&j->now, &j->truth));
  fflush(stdout);
  return true;
}

static bool descend(job *j) {
  const float one = 1;
  printf("%6s  %12s  %11s\n", "step", "loss", "closeness");
  for (uint32_t step = 0;; step++) {
    /* The cotangent of the loss is used up by each run. */
    if (kg_buffer_write(j->grad_loss_d, 0, &one, sizeof one, &j->sink) != KG_OK || kg_execute(j->descend, &j->sink) != KG_OK) return false;
    bool last = step == j->o.steps;
    if ((last || step % (j->o.steps / 10 ? j->o.steps / 10 : 1) == 0) && !report(j, step)) return false;
    if (last) return true;
    if (kg_execute(j->update, &j->sink) != KG_OK) return false;
  }
}

static bool write(const job *j, const picture *p, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.png", j->o.out, name);
  if (picture_write_png(p, path)) return printf("%s\n", path) > 0;
  fprintf(stderr, "error: cannot write %s\n", path);
  return false;
}

static bool write_all(const job *j) {
  picture difference;
  mkdir(j->o.out, 0777); /* where it cannot be made, the first picture says so */
  if (!picture_new(&difference, j->o.size, j->o.size)) return false;
  picture_difference(&j->now, &j->truth, 2, &difference);
  bool fine = write(j, &j->truth, "truth") && write(j, &j->seen, "before") && write(j, &j->now, "after") &&
              write(j, &difference, "difference");
  picture_free(&difference);
  return fine;
}

static bool run(job *j) {
  if (kg_context_new(NULL, NULL, &j->sink, &j->context) != KG_OK) return false;
  if (kg_device_open(j->context, j->o.device, &j->sink, &j->device) != KG_OK) return false;
  printf("Recovering a %u x %u picture from one blurred by %.1f pixels, on %s.\n", j->o.size, j->o.size, SIGMA,
         kg_device_describe(j->device).name);
  if (!paint(j) || !make_buffers(j) || !compile(j) || !descend(j) || !write_all(j)) return false;
  double gain = picture_psnr(&j->now, &j->truth) - picture_psnr(&j->seen, &j->truth);
  printf("The picture came %.2f dB closer to the truth.\n", gain);
  if (gain < j->o.least) fprintf(stderr, "error: that is less than %.1f dB\n", j->o.least);
  return gain >= j->o.least;
}

static void release(job *j) {
  kg_buffer *buffers[] = {j->seen_d, j->weights_d, j->u_d, j->loss_d, j->grad_u_d, j->grad_loss_d, j->m_d, j->v_d, j->steps_d};
  kg_executable_free(j->descend);
  kg_executable_free(j->update);
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) kg_buffer_free(buffers[i]);
  kg_module_free(j->gradient);
  kg_module_free(j->loss);
  kg_module_free(j->step);
  kg_device_free(j->device);
  kg_context_free(j->context);
  picture_free(&j->truth);
  picture_free(&j->seen);
  picture_free(&j->now);
}

static bool parse(int argc, char **argv, options *o) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    if (!strcmp(name, "--device")) o->device = value;
    else if (!strcmp(name, "--kernels")) o->kernels = value;
    else if (!strcmp(name, "--out")) o->out = value;
    else if (!strcmp(name, "--least")) o->least = strtod(value, NULL);
    else if (!strcmp(name, "--size")) o->size = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--steps")) o->steps = (uint32_t)strtoul(value, NULL, 10);
    else return false;
  }
  return argc % 2 == 1 && o->size >= 16 && o->size <= 2048 && o->steps <= 100000;
}

int main(int argc, char **argv) {
  job j = {.o = {.kernels = "examples", .out = "out", .size = 192, .steps = 200, .least = 2}, .sink = {say, NULL}};
  if (!parse(argc, argv, &j.o)) {
    fprintf(stderr, "usage: deblur [--device NAME] [--size 16..2048] [--steps N] [--least DECIBELS] [--kernels FOLDER] "
                    "[--out FOLDER]\n");
    return 2;
  }
  bool fine = run(&j);
  release(&j);
  return fine ? 0 : 1;
}
