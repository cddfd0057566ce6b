#include "fuzz/mutate/parts.h"

#include "foundation/ir/bits.h"
#include "foundation/ir/copy.h"

#include <stdlib.h>

const kgi_mutation_row kgi_mutation_rows[] = {
#define MUTATION(id, weight, text) {#id, text, weight},
#include "fuzz/mutate/mutations.def"
  {NULL, NULL, 0},
};
static kgi_mutation *const functions[] = {
#define MUTATION(id, weight, text) kgi_mutate_##id,
#include "fuzz/mutate/mutations.def"
};

/* ---- the corpus ---- */

enum { LARGE = 64 };

static void give_defaults(kgi_scope *s, uint32_t size) {
  for (uint32_t q = 1; q < s->param_count; q++) {
    kgi_param *p = &s->param[q];
    bool large = kgi_is_int(p->type) && (kgi_bits_to_int((kg_type)p->type, p->bits) > LARGE);
    if (p->has_default && !large) continue;
    p->has_default = true;
    p->bits = kgi_is_float(p->type) ? kgi_float_bits((kg_type)p->type, 0.5) : p->type == KG_BOOL ? 1 : size;
  }
}

/* What a program states is true of it as it is: it says nothing of one that is changed. */
static void forget_adjoints(kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++) m->program[k]->adjoint = 0;
  kgi_drop_programs(m);
}

bool kgi_corpus_add(kgi_corpus *c, const kg_module *m, uint32_t size) {
  if (c->count == c->cap) {
    uint32_t cap = c->cap ? 2 * c->cap : 64;
    kg_module **grown = realloc(c->module, cap * sizeof(kg_module *));
    if (!grown) return false;
    c->module = grown, c->cap = cap;
  }
  kg_module *copy = kgi_module_copy(NULL, m);
  if (!copy) return false;
  forget_adjoints(copy);
  give_defaults(&copy->scope, size);
  for (uint32_t k = 1; copy->lone && k < copy->program_count; k++) give_defaults(&copy->program[k]->scope, size);
  c->module[c->count++] = copy;
  return true;
}

void kgi_corpus_drop_last(kgi_corpus *c) { kg_module_free(c->module[--c->count]); }

void kgi_corpus_free(kgi_corpus *c) {
  while (c->count) kgi_corpus_drop_last(c);
  free(c->module);
  *c = (kgi_corpus){0};
}

/* ---- changes ---- */

static unsigned draw_row(uint64_t *random) {
  unsigned sum = 0, row = 0;
  for (unsigned k = 0; kgi_mutation_rows[k].name; k++) sum += kgi_mutation_rows[k].weight;
  unsigned at = kgi_random_below(random, sum);
  while (at >= kgi_mutation_rows[row].weight) at -= kgi_mutation_rows[row++].weight;
  return row;
}

/* One more change, of one of its programs. */
static bool change(kg_module *m, uint64_t *random) {
  kgi_mutant_program p = {.random = *random};
  kgi_builder_init(&p.b, m, NULL);
  kgi_resume_program(&p.b, m->program[1 + kgi_random_below(&p.random, m->program_count - 1)]);
  p.list = kgi_list_instructions(p.b.p, &p.count);
  bool made = p.list && functions[draw_row(&p.random)](&p) && kgi_builder_status(&p.b) == KG_OK;
  free(p.list);
  *random = p.random;
  return made;
}

kg_module *kgi_mutant(const kgi_corpus *c, uint64_t seed, uint32_t draw) {
  uint64_t random = seed * 64 + draw;
  bool as_it_is = seed < c->count && !draw;
  kg_module *m = c->count ? kgi_module_copy(NULL, c->module[as_it_is ? seed : kgi_random_below(&random, c->count)]) : NULL;
  if (!m || as_it_is || m->program_count < 2) return m;
  unsigned wanted = 1 + kgi_random_below(&random, 4), made = 0;
  for (unsigned tries = 0; made < wanted && tries < 12; tries++) {
    kg_module *before = kgi_module_copy(NULL, m);
    bool fine = before && change(m, &random) && kgi_is_sound(&m);
    if (fine) made++;
    else kg_module_free(m), m = before, before = NULL;
    kg_module_free(before);
    if (!m) return NULL;
  }
  if (made) return m;
  kg_module_free(m);
  return NULL;
}
