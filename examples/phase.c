/* Recovers a picture from what a camera without a lens saw of it: patterns of light, of which only the brightness is known.
 *
 *     phase [--device NAME] [--masks N] [--steps N] [--noise SIGMA] [--least DECIBELS] [--kernels FOLDER] [--out FOLDER]
 *
 * phase/patterns.kg says which patterns a picture makes, by Fourier transforms in two dimensions; phase/recover.kg takes steps of Adam
 * along its gradient, all on the device. This program looks in every tenth of the steps, prints the loss and how close the picture is,
 * writes phase-truth.png, phase-seen.png (the first pattern) and phase-after.png, and exits with 1 if the picture did not get close.
 *
 *     cc phase.c picture.c $(pkg-config --cflags --libs kgrad libpng) -o recover && ./recover --kernels . */
#include "picture.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIDE = 128, PIXELS = SIDE * SIDE, LOOKS = 10, MOST_TEXTS = 16 }; /* the kernels state the side */

/* `noise`: the deviation of that of what is seen, which is about 0.5. `least`: decibels that count as success. */
typedef struct options { const char *device, *kernels, *out; uint32_t masks, steps; double noise, least; } options;

/* Pictures of all masks lie one above the other. */
typedef struct job {
  options o;
  picture truth, shown, mask, seen;
  kg_sink sink;
  kg_context *context;
  kg_device *device;
  char *text[MOST_TEXTS]; /* what modules were made from; all from malloc, as without an allocator the library's are */
  uint32_t texts;
  kg_module *patterns, *recover;
  kg_executable *steps;
} job;

static void say(void *user, const kg_diag *d) {
  (void)user;
  if (d->line) fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
  fprintf(stderr, "%s: %s [%s]\n", d->severity == KG_ERROR ? "error" : "note", d->message, d->id);
  if (*d->fix) fprintf(stderr, "  fix: %s\n", d->fix);
}

/* ---- kernels ---- */

static bool read_file(const char *path, char **text, size_t *size) {
  enum { MOST = 1 << 16 };
  FILE *f = fopen(path, "rb");
  *text = f ? malloc(MOST) : NULL;
  *size = *text ? fread(*text, 1, MOST, f) : 0;
  if (f) fclose(f);
  return *text;
}

/* The loader: what `use` names is a primitive, the gradient of a file, or a file. */
static bool bring(void *user, const char *path, const char **text, size_t *size) {
  job *j = user;
  kg_loader files = {bring, j};
  char *made = NULL;
  if (kg_primitive_load(NULL, path, &j->sink, &made, size) != KG_OK && kg_grad_load(NULL, path, &files, &j->sink, &made, size) != KG_OK &&
      !read_file(path, &made, size))
    return false;
  if (j->texts == MOST_TEXTS) return free(made), false;
  *text = j->text[j->texts++] = made;
  return true;
}

static kg_module *load(job *j, const char *name) {
  char path[4096];
  const char *text;
  size_t size;
  kg_module *m = NULL;
  snprintf(path, sizeof path, "%s/phase/%s", j->o.kernels, name);
  if (!bring(j, path, &text, &size))
    return fprintf(stderr, "error: cannot open %s\n  fix: run this in the source folder, or pass --kernels\n", path), NULL;
  return kg_module_parse_with(NULL, path, text, size, &(kg_loader){bring, j}, &j->sink, &m) == KG_OK ? m : NULL;
}

/* ---- what is seen ---- */

static bool paint(job *j) {
  uint32_t all = SIDE * j->o.masks;
  if (!picture_new(&j->truth, SIDE, SIDE) || !picture_new(&j->shown, SIDE, SIDE) || !picture_new(&j->mask, SIDE, all) ||
      !picture_new(&j->seen, SIDE, all))
    return false;
  picture_paint(&j->truth);
  picture_noise(&j->mask, 1, 1); /* turns that are spread so wide are spread evenly */
  for (size_t i = 0; i < (size_t)SIDE * all; i++) j->mask.at[i] -= floorf(j->mask.at[i]);
  return true;
}

/* The device makes the patterns of the true picture; what is seen has noise. */
static bool look(job *j) {
  size_t all = (size_t)PIXELS * j->o.masks;
  const kg_binding bindings[] = {{"masks", &j->o.masks, 1}, {"x", j->truth.at, PIXELS}, {"mask", j->mask.at, all},
                                 {"shown", j->seen.at, all}};
  if (kg_run_bound(j->device, j->patterns, bindings, 4, NULL, &j->sink, NULL) != KG_OK) return false;
  picture_noise(&j->seen, j->o.noise, 2);
  return true;
}

/* ---- pictures and figures ---- */

static bool write(const job *j, const picture *p, const char *name) {
  char path[4096];
  mkdir(j->o.out, 0777); /* where it cannot be made, the picture says so */
  snprintf(path, sizeof path, "%s/phase-%s.png", j->o.out, name);
  if (picture_write_png(p, path)) return printf("%s\n", path) > 0;
  fprintf(stderr, "error: cannot write %s\n", path);
  return false;
}

/* `loss` is that with which the last step began. */
static void report(const job *j, uint32_t step, float loss) {
  printf("%6u  %12.7f  %8.2f dB\n", step, loss, picture_psnr(&j->shown, &j->truth));
  fflush(stdout);
}

/* ---- the loop ---- */

/* It starts from grey. */
static bool compile(job *j) {
  size_t all = (size_t)PIXELS * j->o.masks;
  uint32_t steps = j->o.steps / LOOKS;
  const kg_binding bindings[] = {{"masks", &j->o.masks, 1}, {"steps", &steps, 1}, {"x", j->shown.at, PIXELS}, {"mask", j->mask.at, all},
                                 {"seen", j->seen.at, all}};
  for (size_t i = 0; i < PIXELS; i++) j->shown.at[i] = 0.5f;
  return kg_executable_new_bound(j->device, j->recover, bindings, 5, NULL, &j->sink, &j->steps) == KG_OK;
}

static bool take(const job *j, const char *name, float *to, size_t count) {
  return kg_buffer_read(kg_executable_find(j->steps, name), 0, to, count * sizeof *to, &j->sink) == KG_OK;
}

static bool descend(job *j) {
  uint32_t steps = j->o.steps / LOOKS;
  float *curve = calloc(steps, sizeof *curve);
  bool fine = curve;
  printf("%6s  %12s  %11s\n", "step", "loss", "closeness");
  for (uint32_t k = 0; fine && k < LOOKS; k++) {
    fine = kg_execute(j->steps, &j->sink) == KG_OK && take(j, "curve", curve, steps);
    if (fine && k == 0) report(j, 0, curve[0]);
    fine = fine && take(j, "x", j->shown.at, PIXELS);
    if (fine) report(j, (k + 1) * steps, curve[steps - 1]);
  }
  free(curve);
  return fine;
}

static bool run(job *j) {
  if (kg_context_new(NULL, NULL, &j->sink, &j->context) != KG_OK) return false;
  if (kg_device_open(j->context, j->o.device, &j->sink, &j->device) != KG_OK) return false;
  printf("Recovering a %u x %u picture from %u patterns, on %s.\n", SIDE, SIDE, j->o.masks, kg_device_describe(j->device).name);
  if (!(j->patterns = load(j, "patterns.kg")) || !(j->recover = load(j, "recover.kg")) || !paint(j) || !look(j)) return false;
  if (!write(j, &j->truth, "truth") || !write(j, &(picture){SIDE, SIDE, j->seen.at}, "seen")) return false;
  if (!compile(j) || !descend(j) || !write(j, &j->shown, "after")) return false;
  double close = picture_psnr(&j->shown, &j->truth);
  printf("The picture came as close as %.2f dB.\n", close);
  if (!(close >= j->o.least)) return fprintf(stderr, "error: that is less than %.1f dB\n", j->o.least), false;
  return true;
}

static void release(job *j) {
  kg_executable_free(j->steps);
  kg_module_free(j->patterns);
  kg_module_free(j->recover);
  for (uint32_t i = 0; i < j->texts; i++) free(j->text[i]);
  kg_device_free(j->device);
  kg_context_free(j->context);
  picture *all[] = {&j->truth, &j->shown, &j->mask, &j->seen};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) picture_free(all[i]);
}

static bool parse(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) return false;
    if (!strcmp(name, "--device")) o->device = value;
    else if (!strcmp(name, "--kernels")) o->kernels = value;
    else if (!strcmp(name, "--out")) o->out = value;
    else if (!strcmp(name, "--masks")) o->masks = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--steps")) o->steps = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(name, "--noise")) o->noise = strtod(value, NULL);
    else if (!strcmp(name, "--least")) o->least = strtod(value, NULL);
    else return false;
  }
  return o->masks >= 1 && o->masks <= 16 && o->steps >= LOOKS;
}

int main(int argc, char **argv) {
  job j = {.o = {.kernels = "examples", .out = "out", .masks = 3, .steps = 100, .noise = 0.02, .least = 30}, .sink = {say, NULL}};
  if (!parse(argc, argv, &j.o)) {
    fprintf(stderr, "usage: phase [--device NAME] [--masks 1..16] [--steps N] [--noise SIGMA] [--least DECIBELS]\n"
                    "             [--kernels FOLDER] [--out FOLDER]\n");
    return 2;
  }
  bool fine = run(&j);
  release(&j);
  return fine ? 0 : 1;
}
