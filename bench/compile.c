/* A kernel of about 100 instructions through parse, differentiate and emit: under a millisecond. */
#include "bench/bench.h"

#include <kgrad/autodiff.h>
#include <kgrad/spirv.h>

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 201 };

typedef struct source { char *text; size_t size; bool validate; } source;

/* All of it, in seconds; negative on failure. */
static double compile(const source *s) {
  kg_module *m = NULL, *gradient = NULL;
  uint32_t *words = NULL;
  size_t count = 0;
  double start = bench_cpu();
  kg_status status = kg_module_parse(NULL, "bench", s->text, s->size, NULL, &m);
  if (status == KG_OK) status = kg_grad(m, NULL, NULL, &gradient);
  if (status == KG_OK) status = kg_spirv_emit(NULL, gradient, &(kg_spirv_params){.unvalidated = !s->validate}, NULL, &words, &count);
  double taken = bench_cpu() - start;
  if (words) kg_bytes_free(NULL, words, count * sizeof *words);
  kg_module_free(gradient), kg_module_free(m);
  return status == KG_OK ? taken : -1;
}

static double middle(const source *s) {
  double times[RUNS];
  for (int i = 0; i < RUNS; i++)
    if ((times[i] = compile(s)) < 0) return -1;
  return bench_median(times, RUNS);
}

int bench_compile(void) {
  int missed = 0;
  printf("\n%-14s %-22s %7s %7s\n", "compile", "100 instructions", "ms", "");
  for (size_t k = 0; k < bench_shape_count; k++) {
    kg_module *m = bench_build(&bench_shapes[k], 100);
    source s = {NULL, 0, false};
    double plain = -1, validated = -1;
    if (m && kg_module_print(NULL, m, NULL, &s.text, &s.size) == KG_OK) {
      plain = middle(&s);
      s.validate = true;
      validated = middle(&s);
    }
    missed += !bench_figure("compile", bench_shapes[k].name, plain * 1e3, 1, false, "ms, parse to SPIR-V of the gradient");
    printf("%-14s %-22s %7.4g          with SPIRV-Tools' validation\n", "", "", validated * 1e3);
    if (s.text) kg_bytes_free(NULL, s.text, s.size + 1);
    kg_module_free(m);
  }
  return missed;
}
