/* Forward mode against duals. */
#include "fuzz/ask/parts.h"

#include "foundation/host/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static kg_status take_tangents(kgi_asked_tangents *t) {
  const char *wrt[MOST_BUFFERS + 1], *of[MOST_BUFFERS];
  kgi_asked_gradient *g = &t->g;
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_jvp_params params = {.wrt = wrt, .of = of, .directions = t->directions};
  params.wrt_count = kgi_ask_choose_names(g, false, wrt);
  params.of_count = kgi_ask_choose_names(g, true, of);
  return kg_jvp_mapped(g->primal, &params, &sink, &g->adjoint, &g->map);
}

static bool make_duals(kgi_asked_tangents *t) {
  for (uint32_t i = 0; i < kg_module_buffer_count(t->g.primal); i++) {
    if (!kg_type_is_float(kg_module_buffer(t->g.primal, i).type)) continue;
    size_t count = (size_t)(t->directions * t->g.before.length[i]) + 1;
    t->g.cotangent[i] = calloc(count, sizeof(double)), t->magnitude[i] = calloc(count, sizeof(double));
    if (!t->g.cotangent[i] || !t->magnitude[i]) return false;
  }
  return true;
}

/* A direction for each input, and the same as the duals' seeds. */
static void seed_tangent(kgi_asked_tangents *t, kg_grad_entry e) {
  kgi_asked_gradient *g = &t->g;
  uint32_t k = kg_module_find_buffer(g->adjoint, e.shadow), params = kg_module_param_count(g->primal);
  kg_type type = kg_module_buffer(g->adjoint, k).type;
  kgi_ask_forget_written(g, k);
  for (uint64_t x = 0; e.wrt && x < g->result.length[k]; x++) {
    uint64_t drawn = kgi_value_of_number(type, kgi_fuzz_data(g->adjoint, k, 0, 0, g->f->data * 2 + 77, x));
    kg_value_store(type, g->result.array[k], x, kgi_ask_given(g->f, e.shadow, type, x, drawn));
    if (e.is_param) t->param[x * params + kg_module_find_param(g->primal, e.name)] = kgi_ask_element(&g->result, k, x);
    else g->cotangent[kg_module_find_buffer(g->primal, e.name)][x] = kgi_ask_element(&g->result, k, x);
  }
}

static bool prepare_tangents(kgi_asked_tangents *t) {
  kgi_asked_gradient *g = &t->g;
  if (!kgi_ask_make_data(&g->before, g->primal, g->f) || !kgi_ask_make_data(&g->after, g->primal, g->f)) return false;
  if (!kgi_ask_make_data(&g->result, g->adjoint, g->f)) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    uint32_t k = kg_module_find_buffer(g->adjoint, kg_module_buffer(g->primal, i).name);
    memcpy(g->result.array[k], g->before.array[i], kgi_ask_bytes(&g->before, i));
  }
  bool room = make_duals(t);
  for (size_t n = 0; room && n < kg_grad_map_count(g->map); n++) seed_tangent(t, kg_grad_map_entry(g->map, n));
  if (g->f->kept) g->f->kept->directions = t->directions;
  return room && kgi_ask_keep_asked(g);
}

/* Runs the program itself, too. */
static bool run_tangent_duals(kgi_asked_tangents *t) {
  kgi_asked_gradient *g = &t->g;
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_reference_report report = {0};
  kg_status status = kg_reference_run(
    &(kg_reference_params){.module = g->primal, .buffers = g->after.array, .lengths = g->after.length, .param_bits = g->after.param,
                           .sink = &sink, .tangent_count = t->directions, .tangents = g->cotangent, .magnitudes = t->magnitude,
                           .param_tangents = t->param}, &report);
  g->scale.depth = 1 + sqrt((double)report.lane_instructions);
  return status == KG_OK || (kgi_ask_fail(g->f, "the duals fail with status %d", (int)status), false);
}

/* An element that the program does not store is undefined, and so is its tangent. */
static bool is_stored(const kgi_ask_data *after, uint32_t i, uint64_t k) {
  size_t size = kg_type_size(kg_module_buffer(after->module, i).type);
  static const unsigned char untouched[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  return memcmp((const char *)after->array[i] + k * size, untouched, size) != 0;
}

static kgi_answer compare_tangent(kgi_asked_tangents *t, kg_grad_entry e) {
  kgi_asked_gradient *g = &t->g;
  uint32_t i = kg_module_find_buffer(g->primal, e.name), k = kg_module_find_buffer(g->adjoint, e.shadow);
  kgi_scale_gradient(&g->scale, kg_module_buffer(g->adjoint, k).type);
  for (uint64_t x = 0; x < g->result.length[k]; x++) {
    kgi_claim c = {.gradient = kgi_ask_element(&g->result, k, x), .low = g->low[k][x], .high = g->high[k][x],
                   .dual = g->cotangent[i][x], .magnitude = t->magnitude[i][x], .unrounded = (double)NAN};
    if (!is_stored(&g->after, i, x % g->before.length[i])) continue;
    kgi_judgement j = kgi_judge(&g->scale, &c);
    kgi_tally_add(&g->tally, j);
    if (j.verdict == KG_OUTCOME_FAILED)
      return kgi_ask_fail(g->f, "%s[%u] is %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)x,
                  c.gradient, c.low, c.high, c.dual, c.magnitude);
  }
  return KGI_HOLDS;
}

kgi_answer kgi_ask_begin_tangents(kgi_asked_tangents *t, kgi_ask *f) {
  kgi_asked_gradient *g = &t->g;
  *t = (kgi_asked_tangents){.g.f = f, .directions = f->given && f->given->directions ? f->given->directions : 1 + f->data % 3};
  g->primal = kgi_ask_program(f);
  if (!g->primal) return KGI_FAILS;
  kg_status status = take_tangents(t);
  if (status == KG_REFUSED || (status == KG_INVALID && !strncmp(f->id, "grad-", 5))) return KGI_REFUSED;
  if (status != KG_OK) return kgi_ask_fail(f, "kg_jvp gives status %d", (int)status);
  if (!kgi_ask_is_sound(f, g->adjoint, "the result")) return KGI_FAILS;
  return prepare_tangents(t) ? KGI_HOLDS : kgi_ask_fail(f, "there is no data for it");
}

void kgi_ask_end_tangents(kgi_asked_tangents *t) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(t->magnitude[i]);
  kgi_ask_end_gradient(&t->g);
}

kgi_answer kgi_ask_jvp(kgi_ask *f) {
  kgi_asked_tangents t;
  kgi_answer verdict = kgi_ask_begin_tangents(&t, f);
  if (verdict == KGI_HOLDS) {
    verdict = KGI_FAILS;
    if (kgi_ask_bound(&t.g) && run_tangent_duals(&t) && kgi_ask_run_watched(f, &t.g.result, "the result"))
      verdict = kgi_ask_same_outputs(f, &t.g.after, &t.g.result, "the result");
    for (size_t n = 0; verdict == KGI_HOLDS && n < kg_grad_map_count(t.g.map); n++) {
      kg_grad_entry e = kg_grad_map_entry(t.g.map, n);
      if (e.of) verdict = compare_tangent(&t, e);
    }
    if (verdict == KGI_HOLDS && (!t.g.tally.nonzero || !kgi_tally_passes(&t.g.tally))) verdict = KGI_VACUOUS;
  }
  kgi_ask_end_tangents(&t);
  return verdict == KGI_FAILS && kgi_ask_is_told_late(f) ? KGI_REFUSED : verdict;
}
