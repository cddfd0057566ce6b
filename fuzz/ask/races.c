/* Races by two opinions. */
#include "fuzz/ask/parts.h"
#include "foundation/ir/builder.h"
#include "fuzz/ask/watch_races.h"

#include <stdio.h>
#include <string.h>

static unsigned races_in_run(kgi_ask *f, const kgi_ask_data *d, uint32_t item) {
  char name[40];
  snprintf(name, sizeof name, "errors_%u", item);
  uint32_t i = kg_module_find_buffer(d->module, name);
  unsigned found = 0;
  if (i == UINT32_MAX) return 0;
  const kgi_program *p = d->module->program[d->module->item[item].program];
  uint64_t objects = d->length[i], end = kgi_buffer_end(&p->scope) - objects;
  for (uint64_t k = 1; k < objects; k++) {
    unsigned error = (unsigned)kgi_ask_element(d, i, k);
    const char *object = kgi_string(d->module, p->scope.object[k < end ? k : k + objects].name);
    const char *how = error & 2 ? "across workgroups" : "within a workgroup";
    if (error && !found) kgi_ask_fail(f, "a race for %s in %s, %s", object, kgi_string(d->module, p->name), how);
    found |= error;
  }
  return found;
}

/* What watches takes many times the work of what is watched: where that is too much, nothing is said. */
int kgi_races_of(kgi_ask *f, kg_module *m) {
  kgi_ask_data d = {0};
  kg_reference_report report = {0};
  int found = -1;
  if (!kgi_watch_races(m) || !kgi_ask_make_data(&d, m, f)) return -1;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (!strncmp(kg_module_buffer(m, i).name, "notes_", 6) || !strncmp(kg_module_buffer(m, i).name, "errors_", 7))
      memset(d.array[i], 0, kgi_ask_bytes(&d, i));
  if (kgi_ask_run_reported(f, &d, "the watched program", 0, &report)) {
    found = 0;
    for (uint32_t item = m->first_item; item; item = m->item[item].next) found |= (int)races_in_run(f, &d, item);
  } else if (report.fault == KG_FAULT_STEP_LIMIT) {
    f->what[0] = 0;
  }
  kgi_ask_free_data(&d);
  return found;
}

static kgi_answer without_races(kgi_ask *f, kg_module *m) {
  f->what[0] = 0;
  int found = kgi_races_of(f, m);
  return found > 0 || f->what[0] ? KGI_FAILS : found ? KGI_VACUOUS : KGI_HOLDS;
}

kgi_answer kgi_ask_races(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  kgi_answer verdict = m ? without_races(f, m) : KGI_FAILS;
  kg_module_free(m);
  return verdict;
}

/* Takes away one barrier, or makes one access go to the first element. */
static bool spoil(kg_module *m, uint64_t seed) {
  kgi_program *p = m->program[1 + seed % (m->program_count - 1)];
  uint32_t found = 0, fit = 0;
  seed = seed / 8 * UINT64_C(0x9E3779B97F4A7C15) >> 16;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    bool element = (x->kind == KGI_store || x->kind == KGI_load) && x->arg[1] && p->scope.object[x->arg[0]].space != KGI_VAR &&
                   p->inst[x->arg[1]].type == KG_U32;
    if (x->block && (x->kind == KGI_barrier || element) && seed % ++fit == 0) found = i;
  }
  if (!found) return false;
  if (p->inst[found].kind == KGI_barrier) {
    kgi_remove(p, found);
    return true;
  }
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  kgi_val zero = kgi_u32(&b, 0);
  p->inst[found].arg[1] = zero.i;
  return b.status == KG_OK;
}

/* -1: the run fails otherwise. */
static int races_by_reference(kgi_ask *f, kg_module *m) {
  kgi_ask_data d = {0};
  kg_reference_report report = {0};
  kg_status status = KG_INVALID;
  if (kgi_ask_make_data(&d, m, f))
    status = kg_reference_run(&(kg_reference_params){.module = m, .buffers = d.array, .lengths = d.length, .param_bits = d.param,
                                                     .step_limit = 50000000, .checks = KG_CHECK_RACES}, &report);
  kgi_ask_free_data(&d);
  return status == KG_OK ? 0 : status == KG_FAILED && report.races && !report.fault ? 1 : -1;
}

kgi_answer kgi_ask_detectors(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  kgi_answer verdict = KGI_VACUOUS;
  if (!m) return KGI_FAILS;
  if (spoil(m, f->data)) {
    int one = races_by_reference(f, m), two = one < 0 ? -1 : kgi_races_of(f, m);
    if (one >= 0 && two >= 0) {
      verdict = one ? KGI_HOLDS : KGI_VACUOUS;
      if (one != (two > 0)) verdict = kgi_ask_fail(f, "the reference finds %s, and the program itself %s", one ? "a race" : "none",
                                       two ? "one" : "none");
    }
  }
  kg_module_free(m);
  return verdict;
}

kgi_answer kgi_ask_adjoint_races(kgi_ask *f) {
  kgi_asked_gradient g;
  kgi_answer verdict = kgi_ask_begin_gradient(&g, f);
  kgi_ask_free_data(&g.result);
  if (verdict == KGI_HOLDS) verdict = without_races(f, g.adjoint);
  kgi_ask_end_gradient(&g);
  return verdict;
}
