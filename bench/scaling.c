/* Compile time: each stage on 10,000 and on 100,000 instructions. Linear work takes ten times as long; the bar leaves a fifth for
 * caches. */
#include "bench/bench.h"
#include "foundation/ir/validate.h"

#include <kgrad/autodiff.h>
#include <kgrad/spirv.h>

#include <stdio.h>

enum { SMALL = 10000, LARGE = 100000 };

typedef struct subject {
  kg_module *module;
  char *text;
  size_t text_size;
  uint8_t *bytes;
  size_t byte_count;
  unsigned repeat; /* the small one is timed several times over, so that both take about as long */
} subject;

typedef struct stage {
  const char *name;
  kg_status (*run)(const subject *s);
} stage;

static kg_status validate(const subject *s) { return kgi_validate(s->module, NULL); }

static kg_status print(const subject *s) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_module_print(NULL, s->module, NULL, &text, &size);
  if (status == KG_OK) kg_bytes_free(NULL, text, size + 1);
  return status;
}

static kg_status parse(const subject *s) {
  kg_module *m = NULL;
  kg_status status = kg_module_parse(NULL, "bench", s->text, s->text_size, NULL, &m);
  kg_module_free(m);
  return status;
}

static kg_status encode(const subject *s) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  kg_status status = kg_module_encode(NULL, s->module, NULL, &bytes, &size);
  if (status == KG_OK) kg_bytes_free(NULL, bytes, size);
  return status;
}

static kg_status decode(const subject *s) {
  kg_module *m = NULL;
  kg_status status = kg_module_decode(NULL, "bench", s->bytes, s->byte_count, NULL, &m);
  kg_module_free(m);
  return status;
}

static kg_status digest(const subject *s) { return kg_module_digest(s->module, NULL, &(kg_digest){{0}}); }

static kg_status differentiate(const subject *s) {
  kg_module *m = NULL;
  kg_status status = kg_grad(s->module, NULL, NULL, &m);
  kg_module_free(m);
  return status;
}

static kg_status emit(const subject *s, bool unvalidated) {
  uint32_t *words = NULL;
  size_t count = 0;
  kg_status status = kg_spirv_emit(NULL, s->module, &(kg_spirv_params){.unvalidated = unvalidated}, NULL, &words, &count);
  if (status == KG_OK) kg_bytes_free(NULL, words, count * sizeof *words);
  return status;
}

static kg_status emit_alone(const subject *s) { return emit(s, true); }

static const stage stages[] = {
    {"print", print},
    {"parse", parse},
    {"encode", encode},
    {"decode", decode},
    {"digest", digest},
    {"validate", validate},
    {"differentiate", differentiate},
    {"emit", emit_alone},
};

typedef struct timed { const stage *stage; const subject *subject; } timed;

static double time_stage(void *user) {
  const timed *t = user;
  double before = bench_cpu();
  for (unsigned k = 0; k < t->subject->repeat; k++)
    if (t->stage->run(t->subject) != KG_OK) return -1;
  return (bench_cpu() - before) / t->subject->repeat;
}

static bool prepare(subject *s, const bench_shape *shape, uint32_t count, unsigned repeat) {
  *s = (subject){.module = bench_build(shape, count), .repeat = repeat};
  return s->module && kg_module_print(NULL, s->module, NULL, &s->text, &s->text_size) == KG_OK &&
         kg_module_encode(NULL, s->module, NULL, &s->bytes, &s->byte_count) == KG_OK;
}

static void release(subject *s) {
  kg_module_free(s->module);
  if (s->text) kg_bytes_free(NULL, s->text, s->text_size + 1);
  if (s->bytes) kg_bytes_free(NULL, s->bytes, s->byte_count);
}

static int scale_shape(const bench_shape *shape) {
  int missed = 0;
  subject small = {0}, large = {0};
  if (prepare(&small, shape, SMALL, 10) && prepare(&large, shape, LARGE, 1)) {
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
      timed first = {&stages[k], &small}, second = {&stages[k], &large};
      bench_pair pair = bench_compare(time_stage, &first, time_stage, &second, BENCH_ROUNDS);
      missed += !bench_row(stages[k].name, shape->name, &pair, 12);
    }
  } else {
    printf("%s: could not be prepared\n", shape->name);
    missed = 1;
  }
  release(&small), release(&large);
  return missed;
}

int bench_scaling(void) {
  printf("%-14s %-22s %7s %7s  %-8s %11s %11s\n", "100,000/10,000", "shape", "ratio", "median", "bar", "10,000", "100,000");
  int missed = 0;
  for (size_t k = 0; k < bench_shape_count; k++) missed += scale_shape(&bench_shapes[k]);
  return missed;
}
