/* Gradients by what a buffer holds behind a run ("h after k"), judged by kg_verify: of random modules, beside all other gradients, often
 * added to what is there. */
#include "fuzz/ask/parts.h"

#include <kgrad/verify.h>

#include <stdio.h>
#include <string.h>

/* A float buffer that some run binds and may write, behind the first run of that one's program; false: there is none. The run of a lone
 * program has no name. */
static bool choose_point(const kg_module *m, uint64_t seed, char name[400]) {
  uint32_t found = 0;
  for (uint32_t i = 1; i < m->item_count && !m->lone; i++) {
    const kgi_item *item = &m->item[i];
    uint32_t end = item->kind == KGI_ITEM_RUN ? kgi_buffer_end(&m->program[item->program]->scope) : 0;
    for (uint32_t o = 1; o < end; o++) {
      const kgi_object *bound = &m->scope.object[m->bind[item->binding + o - 1]];
      if (!kgi_is_float(bound->type) || bound->mode == KG_READ || seed % ++found) continue;
      snprintf(name, 400, "%.150s after %.150s:1", kgi_string(m, bound->name), kgi_string(m, m->program[item->program]->name));
    }
  }
  return found;
}

static size_t choose_all(const kg_module *m, const char *point, const char **names) {
  size_t count = 0;
  names[count++] = point;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    bool input = info.mode == KG_READ || info.mode == KG_READ_WRITE;
    if (input && kgi_is_float(info.type)) names[count++] = info.name;
  }
  return count;
}

/* Of one output alone much of the module is off the path. NULL: of all. */
static const char *choose_output(const kg_module *m, uint64_t seed) {
  const char *name = NULL;
  for (uint32_t i = 0, found = 0; i < kg_module_buffer_count(m) && seed % 2; i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    bool output = info.mode == KG_WRITE || info.mode == KG_READ_WRITE;
    if (output && kgi_is_float(info.type) && seed / 2 % ++found == 0) name = info.name;
  }
  return name;
}

/* kg_verify chooses lengths that the host decides, and a program may state what holds of the usual ones alone. */
static bool has_other_lengths(const kg_module *m) {
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (!m->scope.object[i + 1].scalar && !m->scope.object[i + 1].length.i) return true;
  return false;
}

static kgi_answer judge(kgi_ask *f, const kg_module *m, const char *point) {
  const char *names[MOST_BUFFERS + 1], *output = choose_output(m, f->data);
  kg_sink sink = {kgi_ask_hear, f};
  kg_verify_params params = {.wrt = names, .seed = f->data, .accumulate = f->data % 3 != 0, .deterministic = f->data % 8 == 5,
                             .entries = 16, .directions = 1, .step_limit = 50000000};
  kg_verdict *verdict = NULL;
  if (output) params.of = &output, params.of_count = 1;
  params.wrt_count = choose_all(m, point, names);
  kg_status status = kg_verify(m, &params, &sink, &verdict);
  if (status == KG_REFUSED || (status == KG_INVALID && !strncmp(f->id, "grad-", 5))) return KGI_REFUSED;
  if (status != KG_OK && !strcmp(f->id, "assert-failed") && has_other_lengths(m)) return KGI_VACUOUS;
  if (status != KG_OK) return kgi_ask_fail(f, "kg_verify gives status %d: %s", (int)status, f->id);
  kg_verdict_info info = kg_verdict_summary(verdict);
  kgi_answer result = info.outcome == KG_OUTCOME_PASSED ? KGI_HOLDS : KGI_VACUOUS;
  if (info.outcome == KG_OUTCOME_FAILED || info.outcome == KG_OUTCOME_NONE) result = kgi_ask_fail(f, "%s: %.900s", point, info.reason);
  kg_verdict_free(verdict);
  return result;
}

kgi_answer kgi_ask_points(kgi_ask *f) {
  char point[400];
  kg_module *m = kgi_ask_gradient_program(f);
  kgi_answer verdict = !m ? KGI_FAILS : choose_point(m, f->data, point) ? judge(f, m, point) : KGI_VACUOUS;
  kg_module_free(m);
  return verdict;
}
