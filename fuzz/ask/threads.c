/* One thread against several, bit for bit, and against workgroups that are run one by one: random programs and their adjoints,
 * with tangents. */
#include "fuzz/ask/parts.h"
#include "reference/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TANGENT_COUNT = 2, THREADS = 3 };

typedef struct world {
  kgi_ask_data d;
  double *tangent[MOST_BUFFERS], *magnitude[MOST_BUFFERS];
  kg_status status;
  kg_reference_report report;
} world;

/* The same seed, the same data. */
static bool open_world(world *w, kgi_ask *f, const kg_module *m) {
  memset(w, 0, sizeof *w);
  if (!kgi_ask_make_data(&w->d, m, f)) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    w->tangent[i] = calloc((size_t)w->d.length[i] + 1, TANGENT_COUNT * sizeof(double));
    w->magnitude[i] = calloc((size_t)w->d.length[i] + 1, TANGENT_COUNT * sizeof(double));
    if (!w->tangent[i] || !w->magnitude[i]) return false;
    for (uint64_t k = 0; kg_type_is_float(info.type) && k < TANGENT_COUNT * w->d.length[i]; k++)
      w->tangent[i][k] = kgi_fuzz_data(m, i, -1, 1, f->data + 3, k);
  }
  return true;
}

static void close_world(world *w) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(w->tangent[i]), free(w->magnitude[i]);
  kgi_ask_free_data(&w->d);
}

static void run(world *w, uint32_t threads, uint32_t tangents, uint32_t checks) {
  kg_reference_params params = {.module = w->d.module, .buffers = w->d.array, .lengths = w->d.length, .param_bits = w->d.param,
                                .step_limit = 50000000, .threads = threads, .checks = checks, .tangent_count = tangents,
                                .tangents = w->tangent, .magnitudes = w->magnitude};
  w->status = kgi_reference_run(&params, 0, &w->report);
}

static kgi_answer differs(kgi_ask *f, const char *which, const char *what, const char *of) {
  return kgi_ask_fail(f, "%s: %s %s differs from that on one thread", which, what, of);
}

static kgi_answer same(kgi_ask *f, const world *a, const world *b, uint32_t tangents, const char *which) {
  if (a->status != b->status) return differs(f, which, "the", "status");
  if (memcmp(&a->report, &b->report, sizeof a->report) != 0) return differs(f, which, "the", "report");
  if (a->status != KG_OK) return KGI_VACUOUS;
  for (uint32_t i = 0; i < kg_module_buffer_count(a->d.module); i++) {
    kg_buffer_info info = kg_module_buffer(a->d.module, i);
    size_t shadows = (size_t)a->d.length[i] * tangents * sizeof(double);
    if (memcmp(a->d.array[i], b->d.array[i], kgi_ask_bytes(&a->d, i)) != 0) return differs(f, which, "the contents of", info.name);
    if (!kg_type_is_float(info.type)) continue;
    if (memcmp(a->tangent[i], b->tangent[i], shadows) != 0) return differs(f, which, "the tangent of", info.name);
    if (memcmp(a->magnitude[i], b->magnitude[i], shadows) != 0) return differs(f, which, "the magnitude of", info.name);
  }
  return KGI_HOLDS;
}

static kgi_answer compare(kgi_ask *f, const kg_module *m, uint32_t tangents, const char *which) {
  world alone, several = {0}, apart = {0};
  kgi_answer verdict = KGI_VACUOUS, second = KGI_VACUOUS;
  char name[64];
  if (open_world(&alone, f, m) && open_world(&several, f, m) && open_world(&apart, f, m)) {
    run(&alone, 1, tangents, 0);
    run(&several, THREADS, tangents, 0);
    run(&apart, 1, tangents, KG_CHECK_RACES); /* workgroup by workgroup */
    snprintf(name, sizeof name, "%s, on %d threads", which, THREADS);
    verdict = same(f, &alone, &several, tangents, name);
    snprintf(name, sizeof name, "%s, with checks", which);
    if (verdict != KGI_FAILS) second = same(f, &alone, &apart, tangents, name);
  }
  close_world(&alone), close_world(&several), close_world(&apart);
  return second == KGI_FAILS ? second : verdict;
}

/* Of everything by everything, where reverse mode does not refuse. */
static kg_module *adjoint_of(const kg_module *m) {
  const char *of[MOST_BUFFERS], *wrt[MOST_BUFFERS];
  kg_grad_params params = {.of = of, .wrt = wrt};
  kg_module *adjoint = NULL;
  for (uint32_t i = 0; i < kg_module_buffer_count(m) && i < MOST_BUFFERS; i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    if (!kg_type_is_float(info.type)) continue;
    if (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) of[params.of_count++] = info.name;
    if (info.mode == KG_READ || info.mode == KG_READ_WRITE) wrt[params.wrt_count++] = info.name;
  }
  return kg_grad(m, &params, NULL, &adjoint) == KG_OK ? adjoint : NULL;
}

kgi_answer kgi_ask_threads(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  if (!m) return KGI_FAILS;
  kgi_answer verdict = compare(f, m, 0, "the program"), second = KGI_HOLDS;
  if (verdict != KGI_FAILS) second = compare(f, m, TANGENT_COUNT, "the program with tangents");
  kg_module *adjoint = second != KGI_FAILS ? adjoint_of(m) : NULL;
  if (adjoint && compare(f, adjoint, 0, "the adjoint") == KGI_FAILS) second = KGI_FAILS;
  kg_module_free(adjoint);
  kg_module_free(m);
  return second == KGI_FAILS ? second : verdict;
}
