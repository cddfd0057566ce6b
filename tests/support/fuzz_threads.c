/* One thread against several, bit for bit, and against workgroups that are run one by one: random programs and their adjoints,
 * with tangents. */
#include "reference/machine.h"
#include "tests/support/fuzz_property.h"
#include "tools/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, MOST_PARAMS = 8, TANGENTS = 2, HOST_LENGTH = 7, THREADS = 3 };

typedef struct world {
  const kg_module *module;
  uint64_t param[MOST_PARAMS], length[MOST];
  void *array[MOST];
  double *tangent[MOST], *magnitude[MOST];
  kg_status status;
  kg_reference_report report;
} world;

static size_t bytes_of(const world *w, uint32_t i) {
  return (size_t)w->length[i] * kg_type_size(kg_module_buffer(w->module, i).type);
}

static bool resolve(world *w) {
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST] = {0};
  kg_host host = {w->param, param_given, w->length, length_given};
  for (uint32_t i = 0; i < kg_module_buffer_count(w->module); i++)
    if (kg_module_buffer(w->module, i).host_length) w->length[i] = HOST_LENGTH, length_given[i] = true;
  return kg_module_resolve(w->module, &host, NULL) == KG_OK;
}

/* The same seed, the same data. */
static bool open_world(world *w, const kg_module *m, uint64_t seed) {
  memset(w, 0, sizeof *w);
  w->module = m;
  if (kg_module_buffer_count(m) > MOST || kg_module_param_count(m) > MOST_PARAMS || !resolve(w)) return false;
  kg_host host = {.param = w->param, .length = w->length};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    double lo = 0, hi = 0;
    if (info.ranged && kg_module_buffer_range(m, &host, i, NULL, &lo, &hi) != KG_OK) return false;
    w->array[i] = calloc(bytes_of(w, i) + 1, 1);
    w->tangent[i] = calloc((size_t)w->length[i] + 1, TANGENTS * sizeof(double));
    w->magnitude[i] = calloc((size_t)w->length[i] + 1, TANGENTS * sizeof(double));
    if (!w->array[i] || !w->tangent[i] || !w->magnitude[i]) return false;
    for (uint64_t k = 0; k < w->length[i]; k++)
      tool_value_store(info.type, w->array[i], k, tool_value_of_number(info.type, kgi_fuzz_data(m, i, lo, hi, seed, k)));
    for (uint64_t k = 0; tool_type_is_float(info.type) && k < TANGENTS * w->length[i]; k++)
      w->tangent[i][k] = kgi_fuzz_data(m, i, -1, 1, seed + 3, k);
  }
  return true;
}

static void close_world(world *w) {
  for (uint32_t i = 0; i < MOST; i++) free(w->array[i]), free(w->tangent[i]), free(w->magnitude[i]);
}

static void run(world *w, uint32_t threads, uint32_t tangents, uint32_t checks) {
  kg_reference_params params = {.module = w->module, .buffers = w->array, .lengths = w->length, .param_bits = w->param,
                                .step_limit = 50000000, .threads = threads, .checks = checks, .tangent_count = tangents,
                                .tangents = w->tangent, .magnitudes = w->magnitude};
  w->status = kgi_reference_run(&params, 0, &w->report);
}

static kgt_verdict differs(kgt_fuzz *f, const char *which, const char *what, const char *of) {
  snprintf(f->what, sizeof f->what, "%s: %s %s differs from that on one thread", which, what, of);
  return KGT_FAILS;
}

static kgt_verdict same(kgt_fuzz *f, const world *a, const world *b, uint32_t tangents, const char *which) {
  if (a->status != b->status) return differs(f, which, "the", "status");
  if (memcmp(&a->report, &b->report, sizeof a->report) != 0) return differs(f, which, "the", "report");
  if (a->status != KG_OK) return KGT_VACUOUS;
  for (uint32_t i = 0; i < kg_module_buffer_count(a->module); i++) {
    kg_buffer_info info = kg_module_buffer(a->module, i);
    size_t shadows = (size_t)a->length[i] * tangents * sizeof(double);
    if (memcmp(a->array[i], b->array[i], bytes_of(a, i)) != 0) return differs(f, which, "the contents of", info.name);
    if (!tool_type_is_float(info.type)) continue;
    if (memcmp(a->tangent[i], b->tangent[i], shadows) != 0) return differs(f, which, "the tangent of", info.name);
    if (memcmp(a->magnitude[i], b->magnitude[i], shadows) != 0) return differs(f, which, "the magnitude of", info.name);
  }
  return KGT_HOLDS;
}

static kgt_verdict compare(kgt_fuzz *f, const kg_module *m, uint32_t tangents, const char *which) {
  world alone, several = {0}, apart = {0};
  kgt_verdict verdict = KGT_VACUOUS, second = KGT_VACUOUS;
  char name[64];
  if (open_world(&alone, m, f->data) && open_world(&several, m, f->data) && open_world(&apart, m, f->data)) {
    run(&alone, 1, tangents, 0);
    run(&several, THREADS, tangents, 0);
    run(&apart, 1, tangents, KG_CHECK_RACES); /* workgroup by workgroup */
    snprintf(name, sizeof name, "%s, on %d threads", which, THREADS);
    verdict = same(f, &alone, &several, tangents, name);
    snprintf(name, sizeof name, "%s, with checks", which);
    if (verdict != KGT_FAILS) second = same(f, &alone, &apart, tangents, name);
  }
  close_world(&alone), close_world(&several), close_world(&apart);
  return second == KGT_FAILS ? second : verdict;
}

/* Of everything by everything, where reverse mode does not refuse. */
static kg_module *adjoint_of(const kg_module *m) {
  const char *of[MOST], *wrt[MOST];
  kg_grad_params params = {.of = of, .wrt = wrt};
  kg_module *adjoint = NULL;
  for (uint32_t i = 0; i < kg_module_buffer_count(m) && i < MOST; i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    if (!tool_type_is_float(info.type)) continue;
    if (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) of[params.of_count++] = info.name;
    if (info.mode == KG_READ || info.mode == KG_READ_WRITE) wrt[params.wrt_count++] = info.name;
  }
  return kg_grad(m, &params, NULL, &adjoint) == KG_OK ? adjoint : NULL;
}

kgt_verdict kgt_fuzz_threads(kgt_fuzz *f) {
  kg_module *m = NULL;
  kgi_diags diags = {NULL, "random.kg", 0};
  kgi_fuzz_params params = {.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements,
                            .shapes = &f->shapes};
  if (kgi_fuzz_generate(&params, &diags, &m) != KG_OK || !m) return KGT_FAILS;
  if (f->coverage) kgi_fuzz_cover(f->coverage, m, &f->shapes);
  kgt_verdict verdict = compare(f, m, 0, "the program"), second = KGT_HOLDS;
  if (verdict != KGT_FAILS) second = compare(f, m, TANGENTS, "the program with tangents");
  kg_module *adjoint = second != KGT_FAILS ? adjoint_of(m) : NULL;
  if (adjoint && compare(f, adjoint, 0, "the adjoint") == KGT_FAILS) second = KGT_FAILS;
  kg_module_free(adjoint);
  kg_module_free(m);
  return second == KGT_FAILS ? second : verdict;
}
