/* Differentiates a program given as text, runs the result on the reference, and compares every entry of the gradient with
 * dual numbers, which know nothing of the derivatives in ops.def. */
#ifndef TESTS_AUTODIFF_CASE_H
#define TESTS_AUTODIFF_CASE_H
#include "tests/support/kgtest.h"
#include "verify/contract.h"
#include "verify/judge.h"
#include "tools/value.h"
#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ADT_OPEN
#define ADT_OPEN 5 /* elements of a buffer whose length the host decides */
#endif
enum { ADT_BUFFERS = 128, ADT_PARAMS = 32, ADT_TANGENTS = 16 };

typedef struct adt_data {
  const kg_module *module;
  uint64_t param[ADT_PARAMS], length[ADT_BUFFERS];
  void *array[ADT_BUFFERS];
} adt_data;

typedef struct adt_case {
  kg_grad_params params;
  kg_module *primal, *adjoint;
  kg_grad_map *map;
  adt_data before, after, result; /* the primal's buffers before and after a plain run; the adjoint's */
  char diag[64], message[512];
  unsigned line;
  uint64_t seed;
  const char *label; /* said where a comparison fails; may be NULL */
  bool may_vanish;   /* a gradient that is zero everywhere will do: random kernels */
  /* how entries are judged: as `kgrad verify` does */
  kgi_scale scale;
  kgi_tally tally;
  double *low[ADT_BUFFERS], *high[ADT_BUFFERS]; /* by the adjoint's buffer, of the gradients */
  double *start[ADT_BUFFERS];                   /* the same: what they are added to */
} adt_case;

static inline void adt_note(void *user, const kg_diag *diag) {
  adt_case *c = user;
  if (c->diag[0]) return;
  snprintf(c->diag, sizeof c->diag, "%s", diag->id);
  snprintf(c->message, sizeof c->message, "%u:%u %s", diag->line, diag->column, diag->message);
  c->line = diag->line;
}

/* Parses and differentiates. NULL names end a list; an empty list asks for all. */
static inline kg_status adt_differentiate(adt_case *c, const char *text) {
  kg_sink sink = {adt_note, c};
  c->diag[0] = 0;
  kg_status status = kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &c->primal);
  ck_assert_msg(status == KG_OK, "does not parse: %s", c->message);
  return kg_grad_mapped(c->primal, &c->params, &sink, &c->adjoint, &c->map);
}

static inline void adt_free_data(adt_data *d) {
  for (uint32_t i = 0; d->module && i < kg_module_buffer_count(d->module); i++) free(d->array[i]);
}

static inline void adt_free(adt_case *c) {
  adt_free_data(&c->before);
  adt_free_data(&c->after);
  adt_free_data(&c->result);
  kg_module_free(c->primal);
  kg_module_free(c->adjoint);
  kg_grad_map_free(c->map);
  memset(c, 0, sizeof *c);
}

/* The text is refused with this diagnostic, at this line of it. */
static inline void adt_refused(const char *text, const char *of, const char *wrt, const char *id, unsigned line) {
  adt_case c = {.seed = 1};
  if (of) c.params.of = &of, c.params.of_count = 1;
  if (wrt) c.params.wrt = &wrt, c.params.wrt_count = 1;
  kg_status status = adt_differentiate(&c, text);
  ck_assert_msg(status == KG_REFUSED || status == KG_INVALID, "not refused: status %d", (int)status);
  ck_assert_msg(!strcmp(c.diag, id), "refused as %s (%s), not %s", c.diag, c.message, id);
  ck_assert_ptr_null(c.adjoint);
  ck_assert_uint_eq(c.line, line);
  adt_free(&c);
}

/* ---- data ---- */

static inline void adt_allocate(adt_data *d, const kg_module *m, const uint64_t *param, const adt_data *like) {
  kg_host host = {.param = d->param, .length = d->length, .param_given = (bool[ADT_PARAMS]){0}, .length_given = (bool[ADT_BUFFERS]){0}};
  ck_assert_uint_le(kg_module_buffer_count(m), ADT_BUFFERS);
  ck_assert_uint_le(kg_module_param_count(m), ADT_PARAMS);
  d->module = m;
  for (uint32_t q = 0; param && q < kg_module_param_count(m); q++) d->param[q] = param[q], host.param_given[q] = true;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    if (!kg_module_buffer(m, i).host_length) continue;
    uint32_t k = like ? kg_module_find_buffer(like->module, kg_module_buffer(m, i).name) : UINT32_MAX;
    d->length[i] = k == UINT32_MAX ? ADT_OPEN : like->length[k];
    host.length_given[i] = true;
  }
  ck_assert_int_eq(kg_module_resolve(m, &host, NULL), KG_OK);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    size_t size = (size_t)d->length[i] * kg_type_size(kg_module_buffer(m, i).type);
    d->array[i] = malloc(size ? size : 1);
    memset(d->array[i], 0xFF, size); /* NaN: what is not written shows */
  }
}

static inline void adt_fill(adt_data *d, uint32_t i, uint64_t *seed) {
  kg_buffer_info info = kg_module_buffer(d->module, i);
  kg_host host = {.param = d->param, .length = d->length};
  double lo = tool_type_is_float(info.type) ? -1.5 : 0, hi = tool_type_is_float(info.type) ? 1.5 : 1;
  if (info.ranged) ck_assert_int_eq(kg_module_buffer_range(d->module, &host, i, NULL, &lo, &hi), KG_OK);
  for (uint64_t k = 0; k < d->length[i]; k++) {
    double x = kgi_random_between(seed, lo, hi);
    tool_value_store(info.type, d->array[i], k, tool_value_of_number(info.type, tool_type_is_float(info.type) ? x : floor(x)));
  }
}

static inline double adt_get(const adt_data *d, const char *name, uint64_t k) {
  uint32_t i = kg_module_find_buffer(d->module, name);
  ck_assert_msg(i != UINT32_MAX, "no buffer %s", name);
  ck_assert_uint_lt(k, d->length[i]);
  kg_type type = kg_module_buffer(d->module, i).type;
  return tool_value_number(type, tool_value_load(type, d->array[i], k));
}

static inline void adt_set(adt_data *d, const char *name, uint64_t k, double value) {
  uint32_t i = kg_module_find_buffer(d->module, name);
  ck_assert_msg(i != UINT32_MAX, "no buffer %s", name);
  kg_type type = kg_module_buffer(d->module, i).type;
  tool_value_store(type, d->array[i], k, tool_value_of_number(type, value));
}

static inline void adt_copy(adt_data *to, const adt_data *from) {
  for (uint32_t i = 0; i < kg_module_buffer_count(to->module); i++) {
    uint32_t k = kg_module_find_buffer(from->module, kg_module_buffer(to->module, i).name);
    if (k != UINT32_MAX) memcpy(to->array[i], from->array[k], (size_t)to->length[i] * kg_type_size(kg_module_buffer(to->module, i).type));
  }
}

static inline void adt_first(void *user, const kg_diag *diag) {
  char *text = user;
  if (!*text) snprintf(text, 400, "%u:%u %s", diag->line, diag->column, diag->message);
}

/* With an eye on races, within workgroups and across them, and on reads of what was not written. */
static inline void adt_run(adt_data *d) {
  kg_reference_report report;
  char text[400] = "";
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module, .buffers = d->array, .lengths = d->length,
                                                              .param_bits = d->param, .sink = &(kg_sink){adt_first, text},
                                                              .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED}, &report);
  ck_assert_msg(status == KG_OK, "status %d: %s", (int)status, text);
}

/* Shadows are declared as the module and what was asked call for: who goes by what the adjoint says of itself shares its mistakes. */
static inline void adt_check_declarations(adt_case *c) {
  kgi_contract contract;
  kg_grad_entry *shadow = kgi_shadows_of(c->map, NULL);
  kgi_gradient g = {.module = c->primal, .asked = &c->params, .adjoint = c->adjoint, .shadow = shadow};
  g.shadows = kg_grad_map_count(c->map);
  kgi_contract_check(&g, &contract);
  kg_host own = {.param = c->before.param, .length = c->before.length}, adjoint = {.param = c->result.param, .length = c->result.length};
  if (!contract.broken) kgi_contract_check_hosts(&g, &own, &adjoint, &contract);
  ck_assert_msg(!*contract.fault, "declared wrongly: %s\n%s", contract.fault, c->label ? c->label : "");
  free(shadow);
}

/* Differentiates, makes room, fills inputs and cotangents with random numbers. The test may set what it wants to be otherwise. */
static inline void adt_prepare(adt_case *c, const char *text, const uint64_t *param) {
  kg_status status = adt_differentiate(c, text);
  ck_assert_msg(status == KG_OK, "refused: %s: %s", c->diag, c->message);
  if (!c->seed) c->seed = 1;
  adt_allocate(&c->before, c->primal, param, NULL);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->primal); i++)
    if (kg_module_buffer(c->primal, i).mode == KG_READ || kg_module_buffer(c->primal, i).mode == KG_READ_WRITE)
      adt_fill(&c->before, i, &c->seed);
  adt_allocate(&c->result, c->adjoint, param, &c->before);
  adt_check_declarations(c);
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    if (e.of || c->params.accumulate) adt_fill(&c->result, kg_module_find_buffer(c->adjoint, e.shadow), &c->seed);
  }
  adt_allocate(&c->after, c->primal, param, &c->before);
}

/* What the entry's shadow held on entry. */
typedef struct adt_cotangents { double *of[ADT_BUFFERS]; } adt_cotangents;

static inline adt_cotangents adt_take_cotangents(const adt_case *c) {
  adt_cotangents out = {{0}};
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    if (!e.of) continue;
    uint32_t i = kg_module_find_buffer(c->primal, e.name);
    out.of[i] = calloc((size_t)c->before.length[i] + 1, sizeof(double));
    for (uint64_t n = 0; n < c->before.length[i]; n++) out.of[i][n] = adt_get(&c->result, e.shadow, n);
  }
  return out;
}

/* With `accumulate`, of gradients that are no cotangents. */
static inline void adt_take_start(adt_case *c) {
  for (size_t k = 0; c->params.accumulate && k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    uint32_t i = kg_module_find_buffer(c->adjoint, e.shadow);
    if (e.of) continue;
    c->start[i] = calloc((size_t)c->result.length[i] + 1, sizeof(double));
    for (uint64_t n = 0; n < c->result.length[i]; n++) c->start[i][n] = adt_get(&c->result, e.shadow, n);
  }
}

/* What rounding may make of the gradients, and what they would be without. */
static inline void adt_bound(adt_case *c) {
  adt_data run = {0};
  adt_allocate(&run, c->adjoint, c->before.param, &c->before);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->adjoint); i++)
    memcpy(run.array[i], c->result.array[i], (size_t)run.length[i] * kg_type_size(kg_module_buffer(c->adjoint, i).type));
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    uint32_t i = kg_module_find_buffer(c->adjoint, e.shadow);
    kgi_scale_roughen(&c->scale, kg_module_buffer(c->adjoint, i).type);
    if (!e.wrt) continue;
    c->low[i] = calloc((size_t)run.length[i] + 1, sizeof(double));
    c->high[i] = calloc((size_t)run.length[i] + 1, sizeof(double));
  }
  kg_status status = kg_reference_run(&(kg_reference_params){.module = c->adjoint, .buffers = run.array, .lengths = run.length,
                                                             .param_bits = run.param, .bounds = KG_BOUNDS_REAL,
                                                             .flush_subnormals = true, .low = c->low, .high = c->high}, NULL);
  ck_assert_msg(status == KG_OK, "intervals: status %d", (int)status);
  c->scale.bounded = true;
  adt_free_data(&run);
}

/* One entry of the gradient by a dual run. */
static inline void adt_compare(adt_case *c, kg_grad_entry e, uint64_t first, uint64_t count, double *const *tangents,
                               double *const *magnitudes, const adt_cotangents *cotangents) {
  uint32_t shadow = kg_module_find_buffer(c->adjoint, e.shadow);
  kgi_scale_gradient(&c->scale, kg_module_buffer(c->adjoint, shadow).type);
  for (uint64_t t = 0; t < count; t++) {
    kgi_claim claim = {.gradient = adt_get(&c->result, e.shadow, first + t), .low = c->low[shadow][first + t],
                        .high = c->high[shadow][first + t], .unrounded = (double)NAN};
    if (c->start[shadow]) claim.start = c->start[shadow][first + t];
    for (uint32_t i = 0; i < kg_module_buffer_count(c->primal); i++)
      for (uint64_t n = 0; cotangents->of[i] && n < c->before.length[i]; n++) {
        double tangent = tangents[i][t * c->before.length[i] + n], g = cotangents->of[i][n];
        if (g == 0) continue;
        claim.dual += g * tangent;
        claim.magnitude += fabs(g) * magnitudes[i][t * c->before.length[i] + n];
      }
    kgi_judgement j = kgi_judge(&c->scale, &claim);
    kgi_tally_add(&c->tally, j);
    ck_assert_msg(j.verdict != KG_OUTCOME_FAILED, "%s[%llu] = %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g\n%s", e.shadow,
                  (unsigned long long)(first + t), claim.gradient, claim.low, claim.high, claim.dual + claim.start, claim.magnitude,
                  c->label ? c->label : "");
  }
}

static inline void adt_check_entry(adt_case *c, kg_grad_entry e, const adt_cotangents *cotangents) {
  uint32_t buffers = kg_module_buffer_count(c->primal), params = kg_module_param_count(c->primal);
  uint32_t i = e.is_param ? UINT32_MAX : kg_module_find_buffer(c->primal, e.name);
  uint64_t length = e.is_param ? 1 : c->before.length[i];
  for (uint64_t first = 0; first < length; first += ADT_TANGENTS) {
    double *tangents[ADT_BUFFERS] = {0}, *magnitudes[ADT_BUFFERS] = {0}, param_tangents[ADT_TANGENTS * 8] = {0};
    uint64_t count = length - first < ADT_TANGENTS ? length - first : ADT_TANGENTS;
    adt_data run = {0};
    adt_allocate(&run, c->primal, c->before.param, &c->before);
    adt_copy(&run, &c->before);
    for (uint32_t b = 0; b < buffers; b++) {
      if (!tool_type_is_float(kg_module_buffer(c->primal, b).type)) continue;
      tangents[b] = calloc((size_t)(count * run.length[b]) + 1, sizeof(double));
      magnitudes[b] = calloc((size_t)(count * run.length[b]) + 1, sizeof(double));
      for (uint64_t t = 0; b == i && t < count; t++) tangents[b][t * run.length[b] + first + t] = 1;
    }
    if (e.is_param) param_tangents[kg_module_find_param(c->primal, e.name)] = 1;
    kg_reference_report report;
    kg_status status = kg_reference_run(
        &(kg_reference_params){.module = c->primal, .buffers = run.array, .lengths = run.length, .param_bits = run.param,
                               .tangent_count = (uint32_t)count, .tangents = tangents, .magnitudes = magnitudes,
                               .param_tangents = params ? param_tangents : NULL}, &report);
    ck_assert_msg(status == KG_OK, "duals: status %d, fault %d at %u", (int)status, (int)report.fault, report.fault_line);
    c->scale.depth = 1 + sqrt((double)report.lane_instructions);
    adt_compare(c, e, first, count, tangents, magnitudes, cotangents);
    for (uint32_t b = 0; b < buffers; b++) free(tangents[b]), free(magnitudes[b]);
    adt_free_data(&run);
  }
}

/* Runs what was prepared: gradients against duals, outputs against the plain module's. */
static inline void adt_verify(adt_case *c) {
  adt_copy(&c->after, &c->before);
  adt_copy(&c->result, &c->before);
  adt_cotangents cotangents = adt_take_cotangents(c);
  adt_take_start(c);
  adt_bound(c);
  adt_run(&c->after);
  adt_run(&c->result);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->primal); i++) {
    kg_buffer_info info = kg_module_buffer(c->primal, i);
    uint32_t k = kg_module_find_buffer(c->adjoint, info.name);
    if (info.mode == KG_TEMP) continue;
    ck_assert_msg(!memcmp(c->after.array[i], c->result.array[k], (size_t)c->after.length[i] * kg_type_size(info.type)),
                  "the adjoint changes what %s holds", info.name);
  }
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    if (e.wrt) adt_check_entry(c, e, &cotangents);
  }
  ck_assert_msg(c->tally.nonzero > 0 || c->may_vanish, "vacuous: the gradient is zero everywhere");
  ck_assert_msg(kgi_tally_passes(&c->tally), "of %u entries %u are inconclusive\n%s", (unsigned)c->tally.checked,
                (unsigned)c->tally.inconclusive, c->label ? c->label : "");
  for (int i = 0; i < ADT_BUFFERS; i++) free(c->low[i]), free(c->high[i]), free(c->start[i]);
  for (int i = 0; i < ADT_BUFFERS; i++) free(cotangents.of[i]);
}

/* All of it with random data, overwritten and added up. */
static inline void adt_holds(const char *text) {
  for (int accumulate = 0; accumulate < 2; accumulate++) {
    adt_case c = {.seed = 7, .params.accumulate = accumulate};
    adt_prepare(&c, text, NULL);
    adt_verify(&c);
    adt_free(&c);
  }
}
#endif
