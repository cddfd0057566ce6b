/* Reverse mode against duals, and a gradient in two modules. */
#include "fuzz/ask/parts.h"

#include "foundation/host/value.h"
#include "foundation/ir/copy.h"
#include "foundation/passes/clean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool inputs(kg_buffer_info info) {
  return kg_type_is_float(info.type) && (info.mode == KG_READ || info.mode == KG_READ_WRITE);
}

/* Whether a case says which gradient it is about. */
static bool is_said(const kgi_ask *f) { return f->given && f->given->of_count + f->given->wrt_count; }

static bool accumulates(const kgi_ask *f) { return is_said(f) ? f->given->accumulate : f->data % 8 == 3 || f->data % 8 == 1; }
static bool is_deterministic(const kgi_ask *f) { return is_said(f) ? f->given->deterministic : f->data % 32 == 5; }

/* What is changed in place, and nothing else: no other gradient then needs a run of its own before, so that what the program
 * declares is what the caller sees. */
static size_t choose_in_place(const kgi_asked_gradient *g, const char **names) {
  size_t count = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal) && g->f->data % 8 == 6; i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    if (kg_type_is_float(info.type) && info.mode == KG_READ_WRITE) names[count++] = info.name;
  }
  return count;
}

/* Those that the module still has. */
static size_t said(const kgi_asked_gradient *g, bool of, const char **names) {
  const kgi_case *c = g->f->given;
  size_t count = 0;
  for (uint32_t i = 0; i < (of ? c->of_count : c->wrt_count); i++) {
    const char *name = of ? c->of[i] : c->wrt[i];
    bool there = kg_module_find_buffer(g->primal, name) != UINT32_MAX || kg_module_find_param(g->primal, name) != UINT32_MAX;
    if (there && count < MOST_BUFFERS) names[count++] = name;
  }
  return count;
}

/* Everything that can be asked for, or now and then a part of it. */
size_t kgi_ask_choose_names(const kgi_asked_gradient *g, bool of, const char **names) {
  if (is_said(g->f)) return said(g, of, names);
  size_t count = choose_in_place(g, names);
  if (count) return count;
  uint64_t seed = g->f->data, some = seed % 4 == (of ? 1 : 2) || seed % 16 == 7;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    bool fits = of ? kg_type_is_float(info.type) && (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) : inputs(info);
    if (fits && (!some || (seed >> (4 + i + 3 * of)) % 2)) names[count++] = info.name;
  }
  if (!of && kg_module_find_param(g->primal, "scale") != UINT32_MAX) names[count++] = "scale";
  return count;
}

/* What it declares, and what shadow it says is whose. */
static bool declares(kgi_asked_gradient *g, const kg_grad_params *asked) {
  kg_grad_entry *shadow = kgi_shadows_of(g->map, NULL);
  kgi_gradient gradient = {.module = g->primal, .asked = asked, .adjoint = g->adjoint, .shadow = shadow};
  gradient.shadows = kg_grad_map_count(g->map);
  if (shadow) kgi_contract_check(&gradient, &g->contract);
  free(shadow);
  return shadow;
}

typedef struct asked { const char *wrt[MOST_BUFFERS + 1], *of[MOST_BUFFERS]; } asked;

static kg_grad_params ask(const kgi_asked_gradient *g, asked *names) {
  kg_grad_params params = {.wrt = names->wrt, .of = names->of, .accumulate = accumulates(g->f),
                           .deterministic = is_deterministic(g->f)};
  params.wrt_count = kgi_ask_choose_names(g, false, names->wrt);
  params.of_count = kgi_ask_choose_names(g, true, names->of);
  return params;
}

/* KG_OK, or a refusal. */
static kg_status differentiate(kgi_asked_gradient *g) {
  asked names;
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_mapped(g->primal, &params, &sink, &g->adjoint, &g->map);
  return status == KG_OK && !declares(g, &params) ? KG_NO_MEMORY : status;
}

/* With `accumulate` a gradient that is no cotangent too is added to what was there. */
static bool start_from(kgi_asked_gradient *g, uint32_t shadow) {
  if (!accumulates(g->f)) return true;
  kg_type type = kg_module_buffer(g->adjoint, shadow).type;
  if (!(g->start[shadow] = calloc((size_t)g->result.length[shadow] + 1, sizeof(double)))) return false;
  for (uint64_t x = 0; x < g->result.length[shadow]; x++) {
    uint64_t drawn = kgi_value_of_number(type, kgi_fuzz_data(g->adjoint, shadow, 0, 0, g->f->data + 5, x));
    kg_value_store(type, g->result.array[shadow], x, kgi_ask_given(g->f, kg_module_buffer(g->adjoint, shadow).name, type, x, drawn));
    g->start[shadow][x] = kgi_ask_element(&g->result, shadow, x);
  }
  return true;
}

/* What the gradient says it only writes it does not get: some numbers of this size. */
void kgi_ask_forget_written(kgi_asked_gradient *g, uint32_t shadow) {
  if (kg_module_buffer(g->adjoint, shadow).mode == KG_WRITE)
    memset(g->result.array[shadow], 0x41, kgi_ask_bytes(&g->result, shadow));
}

bool kgi_ask_keep_asked(kgi_asked_gradient *g) {
  asked names;
  kgi_case *c = g->f->kept;
  if (!c) return true;
  kg_grad_params params = ask(g, &names);
  c->accumulate = params.accumulate, c->deterministic = params.deterministic;
  bool fine = kgi_ask_keep(g->f, &g->before) && kgi_case_ask(c, params.of, params.of_count, params.wrt, params.wrt_count);
  for (size_t n = 0; fine && n < kg_grad_map_count(g->map); n++) {
    const char *shadow = kg_grad_map_entry(g->map, n).shadow;
    uint32_t k = kg_module_find_buffer(g->adjoint, shadow);
    kg_buffer_info info = kg_module_buffer(g->adjoint, k);
    if (info.mode != KG_WRITE) fine = kgi_case_set(c, shadow, info.type, g->result.length[k], g->result.array[k]);
  }
  return fine;
}

static bool prepare(kgi_asked_gradient *g) {
  uint64_t seed = g->f->data;
  if (!kgi_ask_make_data(&g->before, g->primal, g->f) || !kgi_ask_make_data(&g->after, g->primal, g->f)) return false;
  if (!kgi_ask_make_data(&g->result, g->adjoint, g->f)) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    uint32_t k = kg_module_find_buffer(g->adjoint, kg_module_buffer(g->primal, i).name);
    if (k != UINT32_MAX) memcpy(g->result.array[k], g->before.array[i], kgi_ask_bytes(&g->before, i));
  }
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->primal, e.name), k = kg_module_find_buffer(g->adjoint, e.shadow);
    kg_type type = kg_module_buffer(g->adjoint, k).type;
    if (!e.of && !start_from(g, k)) return false;
    if (!e.of) continue;
    if (!(g->cotangent[i] = calloc((size_t)g->before.length[i] + 1, sizeof(double)))) return false;
    for (uint64_t x = 0; x < g->before.length[i]; x++) {
      uint64_t drawn = kgi_value_of_number(type, kgi_fuzz_data(g->primal, i, 0, 0, seed * 2 + 77, x));
      kg_value_store(type, g->result.array[k], x, kgi_ask_given(g->f, e.shadow, type, x, drawn));
      g->cotangent[i][x] = kgi_ask_element(&g->result, k, x);
    }
    kgi_ask_forget_written(g, k);
  }
  return kgi_ask_keep_asked(g);
}

/* To the judge that says nothing, for the gradient's numbers may have become too large on the way. Those of generated programs do not. */
static bool is_none(const kgi_asked_gradient *g, const kgi_claim *c) {
  return kgi_ask_is_generated(g->f) && isnan(c->gradient) && isfinite(c->dual) && isfinite(c->magnitude);
}

/* The gradient by one input element, from a tangent of every output: judged as `kgrad verify` does. */
static kgi_answer compare(kgi_asked_gradient *g, kg_grad_entry e, uint64_t first, uint64_t t, double *const *tangent,
                           double *const *magnitude) {
  uint32_t shadow = kg_module_find_buffer(g->adjoint, e.shadow);
  kgi_claim c = {.gradient = kgi_ask_element(&g->result, shadow, first + t), .low = g->low[shadow][first + t],
                  .high = g->high[shadow][first + t], .unrounded = (double)NAN};
  if (g->start[shadow]) c.start = g->start[shadow][first + t];
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++)
    for (uint64_t x = 0, n = g->before.length[i]; g->cotangent[i] && x < n; x++) {
      if (g->cotangent[i][x] == 0) continue;
      c.dual += g->cotangent[i][x] * tangent[i][t * n + x];
      c.magnitude += fabs(g->cotangent[i][x]) * magnitude[i][t * n + x];
    }
  kgi_scale_gradient(&g->scale, kg_module_buffer(g->adjoint, shadow).type);
  kgi_judgement j = kgi_judge(&g->scale, &c);
  kgi_tally_add(&g->tally, j);
  if (is_none(g, &c))
    return kgi_ask_fail(g->f, "%s[%u] is no number, but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)(first + t), c.dual + c.start,
                        c.magnitude);
  if (j.verdict != KG_OUTCOME_FAILED) return KGI_HOLDS;
  return kgi_ask_fail(g->f, "%s[%u] is %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)(first + t),
              c.gradient, c.low, c.high, c.dual + c.start, c.magnitude);
}

/* What rounding may make of the gradients, and what they would be without. */
bool kgi_ask_bound(kgi_asked_gradient *g) {
  kgi_ask_data d;
  kg_sink sink = {kgi_ask_hear, g->f};
  bool room = kgi_ask_make_data(&d, g->adjoint, g->f);
  for (uint32_t i = 0; room && i < kg_module_buffer_count(g->adjoint); i++)
    memcpy(d.array[i], g->result.array[i], kgi_ask_bytes(&d, i));
  for (size_t n = 0; room && n < kg_grad_map_count(g->map); n++) {
    uint32_t i = kg_module_find_buffer(g->adjoint, kg_grad_map_entry(g->map, n).shadow);
    kgi_scale_roughen(&g->scale, kg_module_buffer(g->adjoint, i).type);
    g->low[i] = calloc((size_t)d.length[i] + 1, sizeof(double));
    g->high[i] = calloc((size_t)d.length[i] + 1, sizeof(double));
    room = g->low[i] && g->high[i];
  }
  kg_status status = !room ? KG_NO_MEMORY : kg_reference_run(
    &(kg_reference_params){.module = g->adjoint, .buffers = d.array, .lengths = d.length, .param_bits = d.param,
                           .bounds = KG_BOUNDS_REAL, .flush_subnormals = true, .low = g->low, .high = g->high, .sink = &sink}, NULL);
  kgi_scale_kernel(&g->scale, g->primal);
  g->scale.bounded = true;
  kgi_ask_free_data(&d);
  return status == KG_OK || (kgi_ask_fail(g->f, "the intervals fail with status %d", (int)status), false);
}

static kgi_answer columns(kgi_asked_gradient *g, kg_grad_entry e, uint64_t first, uint64_t count) {
  double *tangent[MOST_BUFFERS] = {0}, *magnitude[MOST_BUFFERS] = {0}, param[TANGENTS * MOST_PARAMS] = {0};
  uint32_t buffers = kg_module_buffer_count(g->primal), of = e.is_param ? UINT32_MAX : kg_module_find_buffer(g->primal, e.name);
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_reference_report report = {0};
  kgi_ask_data d;
  bool room = kgi_ask_make_data(&d, g->primal, g->f);
  for (uint32_t i = 0; i < buffers && room; i++) {
    if (!kg_type_is_float(kg_module_buffer(g->primal, i).type)) continue;
    tangent[i] = calloc((size_t)(count * d.length[i]) + 1, sizeof(double));
    magnitude[i] = calloc((size_t)(count * d.length[i]) + 1, sizeof(double));
    room = tangent[i] && magnitude[i];
    for (uint64_t t = 0; room && i == of && t < count; t++) tangent[i][t * d.length[i] + first + t] = 1;
  }
  if (e.is_param) param[kg_module_find_param(g->primal, e.name)] = 1;
  kg_status status = !room ? KG_NO_MEMORY : kg_reference_run(
    &(kg_reference_params){.module = g->primal, .buffers = d.array, .lengths = d.length, .param_bits = d.param, .sink = &sink,
                           .tangent_count = (uint32_t)count, .tangents = tangent, .magnitudes = magnitude,
                           .param_tangents = param}, &report);
  g->scale.depth = 1 + sqrt((double)report.lane_instructions);
  kgi_answer verdict = status == KG_OK ? KGI_HOLDS : kgi_ask_fail(g->f, "the duals fail with status %d", (int)status);
  for (uint64_t t = 0; t < count && verdict == KGI_HOLDS; t++) verdict = compare(g, e, first, t, tangent, magnitude);
  for (uint32_t i = 0; i < buffers; i++) free(tangent[i]), free(magnitude[i]);
  kgi_ask_free_data(&d);
  return verdict;
}

static kgi_answer entries(kgi_asked_gradient *g) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    if (!e.wrt) continue;
    uint64_t length = e.is_param ? 1 : g->before.length[kg_module_find_buffer(g->primal, e.name)];
    for (uint64_t first = 0; first < length; first += TANGENTS) {
      kgi_answer verdict = columns(g, e, first, length - first < TANGENTS ? length - first : TANGENTS);
      if (verdict != KGI_HOLDS) return verdict;
    }
  }
  if (kgi_tally_is_lost(&g->tally)) return kgi_ask_fail(g->f, "every gradient is zero, and not every dual");
  return g->tally.nonzero && kgi_tally_passes(&g->tally) ? KGI_HOLDS : KGI_VACUOUS;
}

kg_module *kgi_ask_gradient_program(kgi_ask *f) {
  if (f->data % 8) f->features &= ~(uint32_t)KGI_FUZZ_JUMPS; /* mostly refused */
  return kgi_ask_program(f);
}

/* A program may state one partial for reverse mode and another for tangents. A change of either one is no fault of kgrad's. */
static bool states_two_partials(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) {
      const kgi_inst *inst = &m->program[k]->inst[i];
      if (inst->kind == KGI_op && inst->op == KGI_OP_with_partial && inst->arg[2] != inst->arg[3]) return true;
    }
  return false;
}

static kgi_answer begin(kgi_asked_gradient *g, kgi_ask *f, kg_module *primal) {
  *g = (kgi_asked_gradient){.f = f, .primal = primal};
  if (!g->primal) return KGI_FAILS;
  if (!kgi_ask_is_generated(f) && states_two_partials(g->primal)) return KGI_VACUOUS;
  kg_status status = differentiate(g);
  if (status == KG_REFUSED) return KGI_REFUSED;
  if (status == KG_INVALID && !strncmp(f->id, "grad-", 5)) return KGI_REFUSED;
  if (status != KG_OK) return kgi_ask_fail(f, "kg_grad gives status %d", (int)status);
  if (*g->contract.fault) return kgi_ask_fail(f, "declared wrongly: %s", g->contract.fault);
  if (!kgi_ask_is_sound(f, g->adjoint, "the adjoint")) return KGI_FAILS;
  return prepare(g) ? KGI_HOLDS : kgi_ask_fail(f, "there is no data for it");
}

kgi_answer kgi_ask_begin_gradient(kgi_asked_gradient *g, kgi_ask *f) { return begin(g, f, kgi_ask_gradient_program(f)); }

void kgi_ask_end_gradient(kgi_asked_gradient *g) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(g->cotangent[i]), free(g->start[i]), free(g->low[i]), free(g->high[i]);
  kgi_ask_free_data(&g->before);
  kgi_ask_free_data(&g->after);
  kgi_ask_free_data(&g->result);
  kg_grad_map_free(g->map);
  kg_module_free(g->primal);
  kg_module_free(g->adjoint);
}

/* Slices that are the same only by what params are: the host refuses the gradient (doc/derivatives.md). And views of the same bytes with
 * other types, which a shader may have: the reference refuses to follow tangents and bounds there. */
bool kgi_ask_is_told_late(const kgi_ask *f) { return !strcmp(f->id, "bind-overlap") || !strcmp(f->id, "mixed-views"); }

/* Lists of what is added where are walked by every invocation: that takes long, and need not end in the steps that a question has. */
static bool takes_too_long(const kgi_ask *f) { return is_deterministic(f) && !strcmp(f->id, "step-limit"); }

kgi_answer kgi_ask_gradient_holds(kgi_ask *f, kg_module *primal) {
  kgi_asked_gradient g;
  kgi_answer verdict = begin(&g, f, primal);
  if (verdict == KGI_HOLDS) {
    verdict = KGI_FAILS;
    if (kgi_ask_bound(&g) && kgi_ask_run_watched(f, &g.after, "the program") && kgi_ask_run_watched(f, &g.result, "the adjoint"))
      verdict = kgi_ask_same_outputs(f, &g.after, &g.result, "the adjoint");
    if (verdict == KGI_HOLDS) verdict = entries(&g);
  }
  kgi_ask_end_gradient(&g);
  if (verdict == KGI_FAILS && kgi_ask_is_told_late(f)) return KGI_REFUSED;
  return verdict == KGI_FAILS && takes_too_long(f) ? KGI_VACUOUS : verdict;
}

kgi_answer kgi_ask_gradient(kgi_ask *f) { return kgi_ask_gradient_holds(f, kgi_ask_gradient_program(f)); }

/* ---- checkpoints ---- */

/* The contents of what both have, by name; `read`: only of what `to` does not write. Tapes have the length that each module needs. */
static void take(kgi_ask_data *to, const kgi_ask_data *from, bool read) {
  for (uint32_t i = 0; i < kg_module_buffer_count(to->module); i++) {
    uint32_t k = kg_module_find_buffer(from->module, kg_module_buffer(to->module, i).name);
    bool same = k != UINT32_MAX && kg_module_buffer(from->module, k).mode != KG_TEMP;
    if (same && !(read && kgi_ask_is_output(to, i))) memcpy(to->array[i], from->array[k], kgi_ask_bytes(to, i));
  }
}

/* Makes plain regions of them; how many there were. */
static unsigned forget_checkpoints(kg_module *m) {
  unsigned count = 0;
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) {
      kgi_inst *inst = &m->program[k]->inst[i];
      if (inst->kind == KGI_checkpoint) inst->kind = KGI_region, count++;
    }
  return count;
}

/* Whether a cotangent is used up goes by what else the program does with the output; that is no gradient. */
static void forget_cotangents(kgi_asked_gradient *g, kgi_asked_gradient *plain) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->adjoint, e.shadow), k = kg_module_find_buffer(plain->adjoint, e.shadow);
    if (!e.wrt && i != UINT32_MAX && k != UINT32_MAX) memcpy(plain->result.array[k], g->result.array[i], kgi_ask_bytes(&g->result, i));
  }
}

/* How much is left of it cleaned; regions stay. 0: no memory. */
static uint64_t statements_left(const kg_module *m) {
  uint64_t count = 0;
  kg_module *copy = kgi_module_copy(NULL, m);
  for (uint32_t k = 1; copy && k < copy->program_count; k++) {
    if (kgi_clean(copy, copy->program[k]) != KG_OK) break;
    KGI_EACH_INSIDE(copy->program[k], KGI_BODY, i) count++;
  }
  kg_module_free(copy);
  return count;
}

/* Where contributions are added up in another order (doc/derivatives.md) each gradient may be what rounding can make of the other. `bounded`
 * has the intervals of what `g` computed. */
static void forget_rounding(const kgi_asked_gradient *bounded, const kgi_asked_gradient *g, kgi_ask_data *other) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->adjoint, e.shadow), k = kg_module_find_buffer(other->module, e.shadow);
    size_t size = kg_type_size(kg_module_buffer(g->adjoint, i).type);
    for (uint64_t x = 0; e.wrt && k != UINT32_MAX && x < g->result.length[i]; x++) {
      double value = kgi_ask_element(other, k, x);
      if (value >= bounded->low[i][x] && value <= bounded->high[i][x])
        memcpy((char *)other->array[k] + x * size, (char *)g->result.array[i] + x * size, size);
    }
  }
}

/* Of the gradients, and of what the program computes. Cleaning may make one value of two, inside and behind what was a checkpoint. */
static kgi_answer same_without(kgi_asked_gradient *g, kgi_asked_gradient *plain) {
  asked names;
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kgi_ask_free_data(&plain->result);
  plain->result = (kgi_ask_data){0};
  kg_grad_map_free(plain->map), plain->map = NULL;
  kg_module_free(plain->adjoint), plain->adjoint = NULL;
  if (!forget_checkpoints(plain->primal)) return KGI_VACUOUS;
  bool may_round = statements_left(g->primal) != statements_left(plain->primal);
  kg_status status = kg_grad_mapped(plain->primal, &params, &sink, &plain->adjoint, &plain->map);
  if (status == KG_REFUSED) return kgi_ask_fail(g->f, "refused without its checkpoints, but not with them");
  if (status != KG_OK) return kgi_ask_fail(g->f, "kg_grad gives status %d", (int)status);
  if (!kgi_ask_make_data(&plain->result, plain->adjoint, g->f)) return kgi_ask_fail(g->f, "there is no data for it");
  take(&plain->result, &g->result, false);
  if (may_round && !kgi_ask_bound(g)) return KGI_FAILS;
  bool ran = kgi_ask_run_watched(g->f, &plain->result, "the adjoint without checkpoints") &&
    kgi_ask_run_watched(g->f, &g->result, "the adjoint");
  forget_cotangents(g, plain);
  if (ran && may_round) forget_rounding(g, g, &plain->result);
  return ran ? kgi_ask_same_outputs(g->f, &g->result, &plain->result, "the adjoint without checkpoints") : KGI_FAILS;
}

kgi_answer kgi_ask_checkpoints(kgi_ask *f) {
  kgi_asked_gradient g, plain;
  kgi_answer verdict = kgi_ask_begin_gradient(&g, f), other = kgi_ask_begin_gradient(&plain, f);
  if (verdict == KGI_HOLDS) verdict = other == KGI_HOLDS ? same_without(&g, &plain) : kgi_ask_fail(f, "the same twice gives two verdicts");
  kgi_ask_end_gradient(&g), kgi_ask_end_gradient(&plain);
  return verdict;
}

/* ---- two modules ---- */

static kgi_answer split(kgi_asked_gradient *g, kg_module **forward, kg_module **adjoint) {
  asked names;
  kg_sink sink = {kgi_ask_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_split(g->primal, &params, &sink, forward, adjoint, NULL);
  if (status == KG_REFUSED) return KGI_REFUSED;
  if (status != KG_OK) return kgi_ask_fail(g->f, "kg_grad_split gives status %d", (int)status);
  if (!kgi_ask_is_sound(g->f, *forward, "the forward module")) return KGI_FAILS;
  return kgi_ask_is_sound(g->f, *adjoint, "the adjoint module") ? KGI_HOLDS : KGI_FAILS;
}

/* Copies of arrays, and who collects for whom, may be other ones in two modules. */
static kgi_answer same_but_for_rounding(kgi_asked_gradient *g, kgi_ask_data *second) {
  kgi_asked_gradient again; /* the cotangents of this one are used up */
  bool bounded = kgi_ask_begin_gradient(&again, g->f) == KGI_HOLDS && kgi_ask_bound(&again);
  if (bounded) forget_rounding(&again, g, second);
  kgi_ask_end_gradient(&again);
  return kgi_ask_same_outputs(g->f, second, &g->result, "the one module");
}

static kgi_answer same_in_two(kgi_asked_gradient *g, kgi_ask_data *first, kgi_ask_data *second) {
  kgi_ask *f = g->f;
  take(first, &g->result, false), take(second, &g->result, false);
  if (!kgi_ask_run_watched(f, first, "the forward module")) return KGI_FAILS;
  take(second, first, true);
  if (!kgi_ask_run_watched(f, second, "the adjoint module") || !kgi_ask_run_watched(f, &g->after, "the program")) return KGI_FAILS;
  if (!kgi_ask_run_watched(f, &g->result, "the one module")) return KGI_FAILS;
  kgi_answer verdict = kgi_ask_same_outputs(f, &g->after, first, "the forward module");
  if (verdict != KGI_HOLDS) return verdict;
  verdict = kgi_ask_same_outputs(f, second, &g->result, "the one module");
  return verdict == KGI_FAILS ? same_but_for_rounding(g, second) : verdict;
}

kgi_answer kgi_ask_split(kgi_ask *f) {
  kgi_asked_gradient g;
  kg_module *forward = NULL, *adjoint = NULL;
  kgi_ask_data first = {0}, second = {0};
  kgi_answer verdict = kgi_ask_begin_gradient(&g, f);
  if (verdict == KGI_HOLDS) verdict = split(&g, &forward, &adjoint);
  if (verdict == KGI_HOLDS && (!kgi_ask_make_data(&first, forward, f) || !kgi_ask_make_data(&second, adjoint, f)))
    verdict = kgi_ask_fail(f, "there is no data for it");
  if (verdict == KGI_HOLDS) verdict = same_in_two(&g, &first, &second);
  kgi_ask_free_data(&first), kgi_ask_free_data(&second);
  kg_module_free(forward), kg_module_free(adjoint);
  kgi_ask_end_gradient(&g);
  return verdict;
}
