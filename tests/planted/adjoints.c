/* Adjoints of the examples and of the kernels in tests/gradients, with a defect each, judged as `kgrad verify` judges. */
#include "fuzz/ask/ask.h"
#include "tests/planted/mutate.h"
#include "tests/planted/planted.h"

#include "tools/data.h"
#include "verify/findings.h"
#include "verify/widen.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, FEW = 4 };

typedef struct results { kgi_data data; bool ran; } results;

typedef struct subject {
  const char *name;
  kg_module *module, *adjoint;
  kg_grad_map *map;
  kg_grad_params asked;
  kg_grad_entry *shadow;
  uint8_t *bytes, *kernel; /* the adjoint's, the kernel's */
  size_t size, kernel_size;
  bool stated;             /* defects are planted in what the kernel states of its derivative */
  kgi_gradient gradient;
  tool_data sizes; /* the params that the file is run with, and the lengths that follow */
  kg_verify_params params[SEEDS];
  kgi_oracle oracle[SEEDS];
  results plain[SEEDS], widened[SEEDS]; /* of the adjoint as it is */
  uint32_t places[KGT_DEFECT_COUNT], seen[KGT_DEFECT_COUNT]; /* where each kind can be planted, and how many of them were come by */
} subject;

/* ---- runs ---- */

static kg_module *decode_kernel(const subject *s) {
  kg_module *m = NULL;
  return kg_module_decode(NULL, s->name, s->kernel, s->kernel_size, NULL, &m) == KG_OK ? m : NULL;
}

static kg_module *decode(const subject *s) {
  kg_module *m = NULL;
  return kg_module_decode(NULL, s->name, s->bytes, s->size, NULL, &m) == KG_OK ? m : NULL;
}

/* With that seed's contents on entry, which the module has no say in. */
static results run(subject *s, const kg_module *m, unsigned seed) {
  results r = {0};
  const kgi_contract kept = s->oracle[seed].contract;
  s->oracle[seed].gradient.adjoint = m;
  bool fine = kgi_oracle_entry(&s->oracle[seed], &r.data) == KG_OK && !s->oracle[seed].contract.broken;
  s->oracle[seed].gradient.adjoint = s->adjoint;
  s->oracle[seed].contract = kept;
  if (!fine) return r;
  void *arrays[256] = {0};
  for (uint32_t b = 0; b < kg_module_buffer_count(m) && b < 256; b++) arrays[b] = r.data.array[b].data;
  kg_reference_params params = {.module = m, .buffers = arrays, .lengths = r.data.host.length, .param_bits = r.data.host.param,
                                .step_limit = s->params[0].step_limit};
  r.ran = kg_reference_run(&params, NULL) == KG_OK;
  return r;
}

/* What a cotangent becomes on the way is nobody's result. */
static bool is_result(const subject *s, const kgi_data *d, uint32_t buffer) {
  for (size_t k = 0; k < kg_grad_map_count(s->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(s->map, k);
    if (!e.wrt && !strcmp(e.shadow, kg_module_buffer(d->module, buffer).name)) return false;
  }
  return d->array[buffer].data;
}

static bool same_bits(const subject *s, const results *a, const results *b) {
  if (!a->ran || !b->ran) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(a->data.module); i++)
    if (is_result(s, &a->data, i) && memcmp(a->data.array[i].data, b->data.array[i].data, a->data.array[i].size)) return false;
  return true;
}

static double most(const kgi_data *d, uint32_t buffer) {
  double m = 0;
  for (uint64_t k = 0; k < d->array[buffer].count; k++) {
    double x = fabs(kgi_data_element(d, buffer, k));
    if (isfinite(x) && x > m) m = x;
  }
  return m;
}

/* In double precision: by no more than one rounding of single precision, so that there nobody could tell. */
static bool nearly_same(const subject *s, const results *a, const results *b) {
  if (!a->ran || !b->ran) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(a->data.module); i++) {
    bool counts = is_result(s, &a->data, i);
    double scale = counts ? most(&a->data, i) : 0;
    for (uint64_t k = 0; counts && k < a->data.array[i].count; k++) {
      double x = kgi_data_element(&a->data, i, k), y = kgi_data_element(&b->data, i, k);
      if (x != y && !(isnan(x) && isnan(y)) && !(fabs(x - y) <= 0x1p-24 * scale)) return false;
    }
  }
  return true;
}

static bool same_for_all_seeds(subject *s, const kg_module *mutant, const results *as_it_is,
                               bool (*same)(const subject *, const results *, const results *)) {
  bool all = true;
  for (unsigned k = 0; k < SEEDS && all; k++) {
    results r = run(s, mutant, k);
    all = same(s, &as_it_is[k], &r);
    kgi_data_free(&r.data);
  }
  return all;
}

/* ---- one defect ---- */

/* What `kgrad verify` would say of this adjoint. */
static planted_outcome verdict(subject *s, unsigned seed, const kg_module *adjoint) {
  kgi_oracle *o = &s->oracle[seed];
  kgi_judged d = {0};
  kgi_findings findings = {.oracle = o, .device = &d, .devices = 1};
  s->oracle[seed].gradient.adjoint = adjoint;
  planted_outcome found = PLANTED_MISSED;
  if (kgi_oracle_again(o) != KG_OK || o->of_gradient.failed) found = PLANTED_BY_FAILURE;
  else if (*o->contract.fault) found = PLANTED_BY_DECLARATION;
  else if (kgi_is_misused(&o->of_gradient)) found = PLANTED_BY_WATCH;
  else if (kgi_judged_make(o, NULL, &d) != KG_OK || !d.ran) found = PLANTED_BY_FAILURE;
  else if (!kgi_passes(&findings)) found = PLANTED_BY_VALUES;
  kgi_judged_free(&d);
  kgi_data_free(&o->reference); /* it names the adjoint */
  s->oracle[seed].gradient.adjoint = s->adjoint;
  return found;
}

/* A missing barrier, or a plain add, that leaves the bits as they are: the watch of fuzz/ask/watch_races.h must see no race either. */
static bool is_harmless(kgt_defect defect, kg_module *mutant) {
  kgi_ask f = {.data = 1};
  return (defect != KGT_DEFECT_barrier && defect != KGT_DEFECT_atomic) || kgi_races_of(&f, mutant) <= 0;
}

static planted_outcome without_effect(subject *s, kgt_defect defect, kg_module *mutant) {
  if (same_for_all_seeds(s, mutant, s->plain, same_bits)) return is_harmless(defect, mutant) ? PLANTED_SAME : PLANTED_MISSED;
  for (unsigned seed = 1; seed < SEEDS; seed++)
    if (verdict(s, seed, mutant) != PLANTED_MISSED) return PLANTED_BY_SEED;
  bool rounded = s->widened[0].ran && kgi_widen(mutant) && same_for_all_seeds(s, mutant, s->widened, nearly_same);
  return rounded ? PLANTED_ROUNDED : PLANTED_MISSED;
}

static void describe(const subject *s, kgt_mutation x, kgt_defect defect, planted_outcome found) {
  kg_module *m = s->stated ? decode_kernel(s) : decode(s);
  if (!x.program && x.variant) printf("the mode of %s: ", kg_module_buffer(s->adjoint, x.inst - 1).name);
  const kgi_program *p = m && x.program ? m->program[x.program] : NULL;
  const char *of = !p ? "an item" : p->inst[x.inst].kind == KGI_op ? kgi_op_rows[p->inst[x.inst].op].name
                                                                   : kgi_kind_names[p->inst[x.inst].kind];
  printf("%s: %s, %s: %s, in %s, instruction %u, way %u (line %u of the kernel)\n",
         found == PLANTED_MISSED ? "missed" : "rounds", s->name, kgt_defect_text[defect], of,
         p ? kgi_string(m, p->name) : "the order of runs", x.inst, x.variant, p ? kgi_pos_line(p->inst_pos[x.inst]) : 0);
  kg_module_free(m);
}

/* The gradient with the defect in it: planted there, or made of the kernel that has it. NULL: it could not be planted, ... */
static kg_module *mutant_of(const subject *s, kgt_mutation x, planted_outcome *why) {
  kg_module *m = s->stated ? decode_kernel(s) : decode(s), *gradient = NULL;
  bool planted = m && kgt_mutate(m, x);
  *why = PLANTED_NOT;
  if (planted && !s->stated) return m;
  if (planted && kg_grad(m, &s->asked, NULL, &gradient) != KG_OK) *why = PLANTED_BY_FAILURE; /* ... or the kernel has none then */
  kg_module_free(m);
  return gradient;
}

static void try(planted_table *t, subject *s, kgt_mutation x, kgt_defect defect) {
  planted_outcome found;
  kg_module *mutant = mutant_of(s, x, &found);
  if (mutant) {
    found = verdict(s, 0, mutant);
    if (found == PLANTED_MISSED) found = without_effect(s, defect, mutant);
  }
  if (found == PLANTED_MISSED || (t->verbose && found == PLANTED_ROUNDED)) describe(s, x, defect, found);
  planted_count(t, s->stated && defect != KGT_DEFECT_stated ? "in a stated adjoint, any of these" : kgt_defect_text[defect], found);
  kg_module_free(mutant);
}

/* ---- one kernel ---- */

static bool load(subject *s, const planted_file *file) {
  s->module = planted_read(file);
  if (file->wrt_count) s->asked.wrt = file->wrt, s->asked.wrt_count = file->wrt_count;
  kg_status status = s->module ? kg_grad_mapped(s->module, &s->asked, NULL, &s->adjoint, &s->map) : KG_INVALID;
  if (status == KG_OK) status = kg_module_encode(NULL, s->adjoint, NULL, &s->bytes, &s->size);
  if (status == KG_OK) status = kg_module_encode(NULL, s->module, NULL, &s->kernel, &s->kernel_size);
  kg_module_free(s->adjoint);
  s->adjoint = s->bytes ? decode(s) : NULL; /* so that instructions have the numbers that they have in every copy */
  s->shadow = status == KG_OK ? kgi_shadows_of(s->map, NULL) : NULL;
  return s->adjoint && s->shadow;
}

static void keep_results(subject *s) {
  kg_module *wide = decode(s);
  bool can = wide && kgi_widen(wide);
  for (unsigned k = 0; k < SEEDS; k++) {
    s->plain[k] = run(s, s->adjoint, k);
    if (can) s->widened[k] = run(s, wide, k);
  }
  /* the arrays outlive the module that they were made for */
  for (unsigned k = 0; k < SEEDS; k++) s->widened[k].data.module = s->adjoint;
  kg_module_free(wide);
}

static bool prepare(planted_table *t, subject *s, const planted_file *file) {
  s->name = file->name;
  if (!load(s, file)) return false;
  bool sound = true;
  s->gradient = (kgi_gradient){.module = s->module, .asked = &s->asked, .adjoint = s->adjoint, .shadow = s->shadow,
                                .shadows = kg_grad_map_count(s->map)};
  if (!tool_data_make(s->module, &(tool_data_params){.params = planted_params(file), .for_verify = true}, NULL, &s->sizes)) return false;
  for (unsigned k = 0; k < SEEDS; k++) {
    s->params[k] = (kg_verify_params){.host = &s->sizes.host, .seed = 1 + k};
    if (kgi_oracle_make(&s->params[k], &s->gradient, NULL, &s->oracle[k]) != KG_OK) return false;
    s->params[k].step_limit = 100 * s->oracle[k].operations + 100000;
    sound = sound && verdict(s, k, s->adjoint) == PLANTED_MISSED;
  }
  keep_results(s);
  t->sound++, t->invented += !sound;
  if (!sound) printf("invented: a defect in the gradient of %s\n", s->name);
  return sound;
}

static void release(subject *s) {
  for (unsigned k = 0; k < SEEDS; k++) kgi_data_free(&s->plain[k].data), kgi_data_free(&s->widened[k].data);
  for (unsigned k = 0; k < SEEDS; k++) kgi_oracle_free(&s->oracle[k]);
  tool_data_free(&s->sizes);
  kg_bytes_free(NULL, s->bytes, s->size);
  kg_bytes_free(NULL, s->kernel, s->kernel_size);
  free(s->shadow);
  kg_grad_map_free(s->map);
  kg_module_free(s->adjoint);
  kg_module_free(s->module);
}

/* A gradient that is added to differs from one that is overwritten in how it begins and in what each addition is. */
static bool is_of_interest(const subject *s, kgt_defect defect) {
  if (!s->asked.accumulate) return true;
  return defect == KGT_DEFECT_lost || defect == KGT_DEFECT_plain || defect == KGT_DEFECT_atomic || defect == KGT_DEFECT_zeroing ||
         defect == KGT_DEFECT_mode || defect == KGT_DEFECT_cleared || defect == KGT_DEFECT_passed;
}

/* Every place and way in turn, of one kind of defect as of another. */
typedef void visit_defect(planted_table *t, subject *s, kgt_mutation x, kgt_defect defect);

static void each_defect(planted_table *t, subject *s, visit_defect *visit) {
  const kg_module *m = s->adjoint;
  for (uint32_t k = 0; k < m->program_count; k++) {
    uint32_t outer = m->item_count > m->scope.object_count ? m->item_count : m->scope.object_count;
    uint32_t count = k ? m->program[k]->inst_count : outer;
    for (uint32_t i = 1; i < count; i++)
      for (uint32_t v = 0; v < KGT_VARIANTS; v++) {
        kgt_mutation x = {k, i, v};
        kgt_defect defect = kgt_mutation_kind(m, x);
        if (defect != KGT_NO_DEFECT && is_of_interest(s, defect)) visit(t, s, x, defect);
      }
  }
}

/* The same of what a kernel states: its functions, and the programs that are named as adjoints. */
static bool is_stated_adjoint(const kg_module *m, uint32_t program) {
  for (uint32_t k = 1; k < m->program_count; k++)
    if (m->program[k]->adjoint == program) return true;
  return false;
}

static void each_stated(planted_table *t, subject *s, visit_defect *visit) {
  kg_module *m = decode_kernel(s); /* so that instructions have the numbers that they have in every copy */
  for (uint32_t k = 1; m && k < m->program_count; k++)
    for (uint32_t i = 1; i < m->program[k]->inst_count; i++)
      for (uint32_t v = 0; v < KGT_STATED + KGT_STATED_WAYS; v++) {
        kgt_mutation x = {k, i, v};
        kgt_defect defect = kgt_stated_kind(m, x);
        if (v < KGT_VARIANTS && is_stated_adjoint(m, k)) defect = kgt_mutation_kind(m, x);
        if (defect != KGT_NO_DEFECT) visit(t, s, x, defect);
      }
  kg_module_free(m);
}

static void note(planted_table *t, subject *s, kgt_mutation x, kgt_defect defect) { (void)t, (void)x, s->places[defect]++; }

/* Of each kind all, or so many, spread evenly; under sanitizers one here and there. */
static void plant(planted_table *t, subject *s, kgt_mutation x, kgt_defect defect) {
  const kg_module *m = s->adjoint;
  uint32_t n = s->seen[defect]++, every = t->most ? (s->places[defect] + t->most - 1) / t->most : 1;
  if (!t->all) {
    bool rare = defect >= KGT_DEFECT_plain;
    every = rare ? 5 : defect == KGT_DEFECT_index || defect == KGT_DEFECT_partial ? 67 : 29;
    n += m->program[m->program_count - 1]->inst_count;
  }
  if (n % every == 0) try(t, s, x, defect);
}

static void plant_with(planted_table *t, const planted_file *file, bool accumulate) {
  subject s = {.asked.accumulate = accumulate};
  bool sound = prepare(t, &s, file);
  if (sound) each_defect(t, &s, note);
  if (sound) each_defect(t, &s, plant);
  s.stated = true;
  memset(s.places, 0, sizeof s.places), memset(s.seen, 0, sizeof s.seen);
  if (sound) each_stated(t, &s, note);
  if (sound) each_stated(t, &s, plant);
  release(&s);
}

static void plant_in_file(planted_table *t, const planted_file *file) {
  if (file->refused) return;
  plant_with(t, file, false);
  plant_with(t, file, true);
}

/* Kernels with counters of loops that are left, tapes with rounds, slices, tiles: long ones, with a few defects of each kind. */
static void plant_a_few(planted_table *t, const planted_file *file) {
  static const char *const names[] = {"two_counts", "return_in_loop", "parity_buffer", "delay_line", "rnn_module", "matmul_padded",
                                      "rows_by_slices"};
  uint32_t most = t->most;
  bool named = false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) named |= !strcmp(names[k], file->name);
  if (most) t->most = FEW;
  if (named) plant_with(t, file, false);
  t->most = most;
}

void planted_in_adjoints(planted_table *t) {
  planted_each(t, "examples", plant_in_file);
  planted_each(t, "tests/gradients", plant_in_file);
  planted_each(t, "tests/natural", plant_a_few);
}
