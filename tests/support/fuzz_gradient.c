/* Reverse mode against duals, and a gradient in two modules. */
#include "tests/support/fuzz_parts.h"

#include "tools/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static bool inputs(kg_buffer_info info) {
  return tool_type_is_float(info.type) && (info.mode == KG_READ || info.mode == KG_READ_WRITE);
}

static bool accumulates(const kgt_fuzz *f) { return f->data % 8 == 3 || f->data % 8 == 1; }

/* What is changed in place, and nothing else: no other gradient then needs a run of its own before, so that what the program
 * declares is what the caller sees. */
static size_t choose_in_place(const kgt_gradient *g, const char **names) {
  size_t count = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal) && g->f->data % 8 == 6; i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    if (tool_type_is_float(info.type) && info.mode == KG_READ_WRITE) names[count++] = info.name;
  }
  return count;
}

/* Everything that can be asked for, or now and then a part of it. */
size_t kgt_choose_names(const kgt_gradient *g, bool of, const char **names) {
  size_t count = choose_in_place(g, names);
  if (count) return count;
  uint64_t seed = g->f->data, some = seed % 4 == (of ? 1 : 2) || seed % 16 == 7;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    bool fits = of ? tool_type_is_float(info.type) && (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) : inputs(info);
    if (fits && (!some || (seed >> (4 + i + 3 * of)) % 2)) names[count++] = info.name;
  }
  if (!of && kg_module_find_param(g->primal, "scale") != UINT32_MAX) names[count++] = "scale";
  return count;
}

/* What it declares, and what shadow it says is whose. */
static bool declares(kgt_gradient *g, const kg_grad_params *asked) {
  kg_grad_entry *shadow = kgi_shadows_of(g->map, NULL);
  kgi_gradient gradient = {.module = g->primal, .asked = asked, .adjoint = g->adjoint, .shadow = shadow};
  gradient.shadows = kg_grad_map_count(g->map);
  if (shadow) kgi_contract_check(&gradient, &g->contract);
  free(shadow);
  return shadow;
}

typedef struct asked { const char *wrt[MOST_BUFFERS + 1], *of[MOST_BUFFERS]; } asked;

static kg_grad_params ask(const kgt_gradient *g, asked *names) {
  kg_grad_params params = {.wrt = names->wrt, .of = names->of, .accumulate = accumulates(g->f),
                           .deterministic = g->f->data % 32 == 5};
  params.wrt_count = kgt_choose_names(g, false, names->wrt);
  params.of_count = kgt_choose_names(g, true, names->of);
  return params;
}

/* KG_OK, or a refusal. */
static kg_status differentiate(kgt_gradient *g) {
  asked names;
  kg_sink sink = {kgt_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_mapped(g->primal, &params, &sink, &g->adjoint, &g->map);
  return status == KG_OK && !declares(g, &params) ? KG_NO_MEMORY : status;
}

/* With `accumulate` a gradient that is no cotangent too is added to what was there. */
static bool start_from(kgt_gradient *g, uint32_t shadow) {
  if (!accumulates(g->f)) return true;
  kg_type type = kg_module_buffer(g->adjoint, shadow).type;
  if (!(g->start[shadow] = calloc((size_t)g->result.length[shadow] + 1, sizeof(double)))) return false;
  for (uint64_t x = 0; x < g->result.length[shadow]; x++) {
    double value = kgi_fuzz_data(g->adjoint, shadow, 0, 0, g->f->data + 5, x);
    tool_value_store(type, g->result.array[shadow], x, tool_value_of_number(type, value));
    g->start[shadow][x] = kgt_element(&g->result, shadow, x);
  }
  return true;
}

/* What the gradient says it only writes it does not get: some numbers of this size. */
void kgt_forget_written(kgt_gradient *g, uint32_t shadow) {
  if (kg_module_buffer(g->adjoint, shadow).mode == KG_WRITE)
    memset(g->result.array[shadow], 0x41, kgt_bytes_of(&g->result, shadow));
}

static bool prepare(kgt_gradient *g) {
  uint64_t seed = g->f->data;
  if (!kgt_make_data(&g->before, g->primal, seed) || !kgt_make_data(&g->after, g->primal, seed)) return false;
  if (!kgt_make_data(&g->result, g->adjoint, seed)) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    uint32_t k = kg_module_find_buffer(g->adjoint, kg_module_buffer(g->primal, i).name);
    if (k != UINT32_MAX) memcpy(g->result.array[k], g->before.array[i], kgt_bytes_of(&g->before, i));
  }
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->primal, e.name), k = kg_module_find_buffer(g->adjoint, e.shadow);
    kg_type type = kg_module_buffer(g->adjoint, k).type;
    if (!e.of && !start_from(g, k)) return false;
    if (!e.of) continue;
    if (!(g->cotangent[i] = calloc((size_t)g->before.length[i] + 1, sizeof(double)))) return false;
    for (uint64_t x = 0; x < g->before.length[i]; x++) {
      double c = kgi_fuzz_data(g->primal, i, 0, 0, seed * 2 + 77 + i % 2, x);
      tool_value_store(type, g->result.array[k], x, tool_value_of_number(type, c));
      g->cotangent[i][x] = kgt_element(&g->result, k, x);
    }
    kgt_forget_written(g, k);
  }
  return true;
}

/* The gradient by one input element, from a tangent of every output: judged as `kgrad verify` does. */
static kgt_verdict compare(kgt_gradient *g, kg_grad_entry e, uint64_t first, uint64_t t, double *const *tangent,
                           double *const *magnitude) {
  uint32_t shadow = kg_module_find_buffer(g->adjoint, e.shadow);
  kgi_claim c = {.gradient = kgt_element(&g->result, shadow, first + t), .low = g->low[shadow][first + t],
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
  if (j.verdict != KG_OUTCOME_FAILED) return KGT_HOLDS;
  return kgt_fail(g->f, "%s[%u] is %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)(first + t),
              c.gradient, c.low, c.high, c.dual + c.start, c.magnitude);
}

/* What rounding may make of the gradients, and what they would be without. */
bool kgt_bound(kgt_gradient *g) {
  kgt_data d;
  kg_sink sink = {kgt_hear, g->f};
  bool room = kgt_make_data(&d, g->adjoint, g->f->data);
  for (uint32_t i = 0; room && i < kg_module_buffer_count(g->adjoint); i++)
    memcpy(d.array[i], g->result.array[i], kgt_bytes_of(&d, i));
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
  kgt_free_data(&d);
  return status == KG_OK || (kgt_fail(g->f, "the intervals fail with status %d", (int)status), false);
}

static kgt_verdict columns(kgt_gradient *g, kg_grad_entry e, uint64_t first, uint64_t count) {
  double *tangent[MOST_BUFFERS] = {0}, *magnitude[MOST_BUFFERS] = {0}, param[TANGENTS * MOST_PARAMS] = {0};
  uint32_t buffers = kg_module_buffer_count(g->primal), of = e.is_param ? UINT32_MAX : kg_module_find_buffer(g->primal, e.name);
  kg_sink sink = {kgt_hear, g->f};
  kg_reference_report report = {0};
  kgt_data d;
  bool room = kgt_make_data(&d, g->primal, g->f->data);
  for (uint32_t i = 0; i < buffers && room; i++) {
    if (!tool_type_is_float(kg_module_buffer(g->primal, i).type)) continue;
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
  kgt_verdict verdict = status == KG_OK ? KGT_HOLDS : kgt_fail(g->f, "the duals fail with status %d", (int)status);
  for (uint64_t t = 0; t < count && verdict == KGT_HOLDS; t++) verdict = compare(g, e, first, t, tangent, magnitude);
  for (uint32_t i = 0; i < buffers; i++) free(tangent[i]), free(magnitude[i]);
  kgt_free_data(&d);
  return verdict;
}

static kgt_verdict entries(kgt_gradient *g) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    if (!e.wrt) continue;
    uint64_t length = e.is_param ? 1 : g->before.length[kg_module_find_buffer(g->primal, e.name)];
    for (uint64_t first = 0; first < length; first += TANGENTS) {
      kgt_verdict verdict = columns(g, e, first, length - first < TANGENTS ? length - first : TANGENTS);
      if (verdict != KGT_HOLDS) return verdict;
    }
  }
  if (kgi_tally_is_lost(&g->tally)) return kgt_fail(g->f, "every gradient is zero, and not every dual");
  return g->tally.nonzero && kgi_tally_passes(&g->tally) ? KGT_HOLDS : KGT_VACUOUS;
}

kg_module *kgt_gradient_program(kgt_fuzz *f) {
  if (f->data % 8) f->features &= ~(uint32_t)KGI_FUZZ_JUMPS; /* mostly refused */
  return kgt_program_of(f);
}

static kgt_verdict begin(kgt_gradient *g, kgt_fuzz *f, kg_module *primal) {
  *g = (kgt_gradient){.f = f, .primal = primal};
  if (!g->primal) return KGT_FAILS;
  kg_status status = differentiate(g);
  if (status == KG_REFUSED) return KGT_REFUSED;
  if (status == KG_INVALID && !strncmp(f->id, "grad-", 5)) return KGT_REFUSED;
  if (status != KG_OK) return kgt_fail(f, "kg_grad gives status %d", (int)status);
  if (*g->contract.fault) return kgt_fail(f, "declared wrongly: %s", g->contract.fault);
  if (!kgt_is_sound(f, g->adjoint, "the adjoint")) return KGT_FAILS;
  return prepare(g) ? KGT_HOLDS : kgt_fail(f, "there is no kgt_data for it");
}

kgt_verdict kgt_begin_gradient(kgt_gradient *g, kgt_fuzz *f) { return begin(g, f, kgt_gradient_program(f)); }

void kgt_end_gradient(kgt_gradient *g) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(g->cotangent[i]), free(g->start[i]), free(g->low[i]), free(g->high[i]);
  kgt_free_data(&g->before);
  kgt_free_data(&g->after);
  kgt_free_data(&g->result);
  kg_grad_map_free(g->map);
  kg_module_free(g->primal);
  kg_module_free(g->adjoint);
}

/* Slices that are the same only by what params are: the host refuses the gradient (doc/derivatives.md). */
static bool is_told_late(const kgt_fuzz *f) { return !strcmp(f->id, "bind-overlap"); }

kgt_verdict kgt_gradient_holds(kgt_fuzz *f, kg_module *primal) {
  kgt_gradient g;
  kgt_verdict verdict = begin(&g, f, primal);
  if (verdict == KGT_HOLDS) {
    verdict = KGT_FAILS;
    if (!kgt_bound(&g)) return kgt_end_gradient(&g), is_told_late(f) ? KGT_REFUSED : KGT_FAILS;
    if (kgt_run_watched(f, &g.after, "the program") && kgt_run_watched(f, &g.result, "the adjoint"))
      verdict = kgt_same_outputs(f, &g.after, &g.result, "the adjoint");
    if (verdict == KGT_HOLDS) verdict = entries(&g);
  }
  kgt_end_gradient(&g);
  return verdict;
}

kgt_verdict kgt_fuzz_gradient(kgt_fuzz *f) { return kgt_gradient_holds(f, kgt_gradient_program(f)); }

/* ---- checkpoints ---- */

/* The contents of what both have, by name; `read`: only of what `to` does not write. Tapes have the length that each module needs. */
static void take(kgt_data *to, const kgt_data *from, bool read) {
  for (uint32_t i = 0; i < kg_module_buffer_count(to->module); i++) {
    uint32_t k = kg_module_find_buffer(from->module, kg_module_buffer(to->module, i).name);
    bool same = k != UINT32_MAX && kg_module_buffer(from->module, k).mode != KG_TEMP;
    if (same && !(read && kgt_is_output(to, i))) memcpy(to->array[i], from->array[k], kgt_bytes_of(to, i));
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
static void forget_cotangents(kgt_gradient *g, kgt_gradient *plain) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->adjoint, e.shadow), k = kg_module_find_buffer(plain->adjoint, e.shadow);
    if (!e.wrt && i != UINT32_MAX && k != UINT32_MAX) memcpy(plain->result.array[k], g->result.array[i], kgt_bytes_of(&g->result, i));
  }
}

/* Of the gradients, and of what the program computes. */
static kgt_verdict same_without(kgt_gradient *g, kgt_gradient *plain) {
  asked names;
  kg_sink sink = {kgt_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_grad_map_free(plain->map), plain->map = NULL;
  kg_module_free(plain->adjoint), plain->adjoint = NULL;
  kgt_free_data(&plain->result);
  plain->result = (kgt_data){0};
  if (!forget_checkpoints(plain->primal)) return KGT_VACUOUS;
  kg_status status = kg_grad_mapped(plain->primal, &params, &sink, &plain->adjoint, &plain->map);
  if (status == KG_REFUSED) return kgt_fail(g->f, "refused without its checkpoints, but not with them");
  if (status != KG_OK) return kgt_fail(g->f, "kg_grad gives status %d", (int)status);
  if (!kgt_make_data(&plain->result, plain->adjoint, g->f->data)) return kgt_fail(g->f, "there is no kgt_data for it");
  take(&plain->result, &g->result, false);
  bool ran = kgt_run_watched(g->f, &plain->result, "the adjoint without checkpoints") && kgt_run_watched(g->f, &g->result, "the adjoint");
  forget_cotangents(g, plain);
  return ran ? kgt_same_outputs(g->f, &g->result, &plain->result, "the adjoint without checkpoints") : KGT_FAILS;
}

kgt_verdict kgt_fuzz_checkpoints(kgt_fuzz *f) {
  kgt_gradient g, plain;
  kgt_verdict verdict = kgt_begin_gradient(&g, f), other = kgt_begin_gradient(&plain, f);
  if (verdict == KGT_HOLDS) verdict = other == KGT_HOLDS ? same_without(&g, &plain) : kgt_fail(f, "the same twice gives two verdicts");
  kgt_end_gradient(&g), kgt_end_gradient(&plain);
  return verdict;
}

/* ---- two modules ---- */

static kgt_verdict split(kgt_gradient *g, kg_module **forward, kg_module **adjoint) {
  asked names;
  kg_sink sink = {kgt_hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_split(g->primal, &params, &sink, forward, adjoint, NULL);
  if (status == KG_REFUSED) return KGT_REFUSED;
  if (status != KG_OK) return kgt_fail(g->f, "kg_grad_split gives status %d", (int)status);
  if (!kgt_is_sound(g->f, *forward, "the forward module")) return KGT_FAILS;
  return kgt_is_sound(g->f, *adjoint, "the adjoint module") ? KGT_HOLDS : KGT_FAILS;
}

static kgt_verdict same_in_two(kgt_gradient *g, kgt_data *first, kgt_data *second) {
  kgt_fuzz *f = g->f;
  take(first, &g->result, false), take(second, &g->result, false);
  if (!kgt_run_watched(f, first, "the forward module")) return KGT_FAILS;
  take(second, first, true);
  if (!kgt_run_watched(f, second, "the adjoint module") || !kgt_run_watched(f, &g->after, "the program")) return KGT_FAILS;
  if (!kgt_run_watched(f, &g->result, "the one module")) return KGT_FAILS;
  kgt_verdict verdict = kgt_same_outputs(f, &g->after, first, "the forward module");
  return verdict == KGT_HOLDS ? kgt_same_outputs(f, second, &g->result, "the one module") : verdict;
}

kgt_verdict kgt_fuzz_split(kgt_fuzz *f) {
  kgt_gradient g;
  kg_module *forward = NULL, *adjoint = NULL;
  kgt_data first = {0}, second = {0};
  kgt_verdict verdict = kgt_begin_gradient(&g, f);
  if (verdict == KGT_HOLDS) verdict = split(&g, &forward, &adjoint);
  if (verdict == KGT_HOLDS && (!kgt_make_data(&first, forward, f->data) || !kgt_make_data(&second, adjoint, f->data)))
    verdict = kgt_fail(f, "there is no kgt_data for it");
  if (verdict == KGT_HOLDS) verdict = same_in_two(&g, &first, &second);
  kgt_free_data(&first), kgt_free_data(&second);
  kg_module_free(forward), kg_module_free(adjoint);
  kgt_end_gradient(&g);
  return verdict;
}
