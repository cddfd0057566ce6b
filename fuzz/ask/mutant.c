#include "fuzz/ask/mutant.h"

#include "fuzz/ask/ask.h"

#include <stdlib.h>

/* ---- which of those that can be drawn ---- */

enum { DRAWS = 8, KNOWN = 512 };

/* So that a question takes little time: adjoints take many times as much. */
enum { MOST_STEPS = 150000, MOST_INSTRUCTIONS = 1500 };

static bool is_harmless(kgi_case *c) {
  kgi_ask f = {.given = c, .data = c->seed};
  return kgi_ask_harm(&f) != KGI_HARMFUL && f.steps <= MOST_STEPS;
}

/* Every question about a seed asks for its program: what was found is kept. */
static struct { const kgi_corpus *corpus; uint64_t seed; uint32_t draw; bool known; } found[KNOWN];

bool kgi_ask_mutant(const kgi_corpus *corpus, uint64_t seed, kgi_case *out) {
  uint32_t draw = found[seed % KNOWN].known && found[seed % KNOWN].seed == seed && found[seed % KNOWN].corpus == corpus ? found[seed % KNOWN].draw : 0;
  for (bool known = draw != 0; draw <= DRAWS; draw++) {
    kg_module *m = draw == DRAWS ? NULL : kgi_mutant(corpus, seed, draw);
    *out = (kgi_case){.module = m, .seed = seed};
    bool fine = m && (known || is_harmless(out));
    known = false;
    if (!fine) kg_module_free(m), out->module = NULL;
    if (!fine && draw < DRAWS) continue;
    found[seed % KNOWN].corpus = corpus, found[seed % KNOWN].seed = seed, found[seed % KNOWN].draw = draw, found[seed % KNOWN].known = true;
    return fine;
  }
  return false;
}

bool kgi_corpus_take(kgi_corpus *corpus, const kg_module *m) {
  static const uint32_t sizes[] = {8, 16, 4, 32, 2, 64, 1, 3};
  for (uint32_t k = 1; k < m->program_count; k++)
    if (m->program[k]->inst_count > MOST_INSTRUCTIONS) return false;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (!kgi_corpus_add(corpus, m, sizes[i])) return false;
    kgi_case c = {.module = corpus->module[corpus->count - 1], .seed = 1};
    if (is_harmless(&c)) return true;
    kgi_corpus_drop_last(corpus);
  }
  return false;
}

/* ---- what it holds ---- */

static bool takes_or_gives(const kgi_program *p, const kgi_inst *x, bool (*is)(unsigned type)) {
  kgi_span span = kgi_operands(x);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (is(p->inst[x->arg[k]].type)) return true;
  return is(x->type);
}

static bool is_wide(unsigned type) { return type == KG_F64; }
static bool is_unusual(unsigned type) { return type != KG_NONE && type != KG_BOOL && type != KG_I32 && type != KG_U32 && type != KG_F32; }

/* Subgroups of rows, and those of which some lanes may be missing, are the device's own affair. */
static uint32_t features_of(const kgi_program *p, const kgi_inst *x) {
  uint32_t found = 0;
  bool of_lanes = x->kind == KGI_subgroup || (x->kind == KGI_id && kgi_is_of_subgroups((kgi_id)x->op));
  if (of_lanes) found |= KGI_FUZZ_SUBGROUP | KGI_FUZZ_DIVERGED;
  if (takes_or_gives(p, x, is_wide) && x->kind == KGI_op && !(kgi_op_rows[x->op].flags & KGI_EXACT)) found |= KGI_FUZZ_WIDE;
  if (x->kind == KGI_atomic && (p->scope.object[x->arg[0]].type == KG_F16 || p->scope.object[x->arg[0]].type == KG_F64)) found |= KGI_FUZZ_WIDE;
  if (takes_or_gives(p, x, is_unusual)) found |= KGI_FUZZ_TYPES;
  return found;
}

uint32_t kgi_ask_features(const kg_module *m) {
  uint32_t found = KGI_FUZZ_FLOAT_BRANCH | KGI_FUZZ_FUNCTIONS;
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    for (uint32_t o = 1; o < p->scope.object_count; o++)
      found |= (is_unusual(p->scope.object[o].type) ? KGI_FUZZ_TYPES : 0) | (p->scope.object[o].view ? KGI_FUZZ_VIEWS : 0);
    for (uint32_t i = 1; i < p->inst_count; i++) found |= features_of(p, &p->inst[i]);
  }
  return found;
}

static bool is_ordered(const kgi_inst *x, const uint32_t *uses, uint32_t i) {
  if (x->kind != KGI_atomic) return false;
  bool any_order = x->op == KGI_ATOMIC_add || x->op == KGI_ATOMIC_min || x->op == KGI_ATOMIC_max || x->op == KGI_ATOMIC_and ||
                   x->op == KGI_ATOMIC_or || x->op == KGI_ATOMIC_xor;
  return !any_order || uses[i];
}

bool kgi_depends_on_order(const kg_module *m) {
  bool ordered = false;
  for (uint32_t k = 1; k < m->program_count && !ordered; k++) {
    const kgi_program *p = m->program[k];
    uint32_t *uses = calloc(p->inst_count, sizeof *uses);
    if (uses) kgi_count_uses(p, KGI_BODY, uses);
    KGI_EACH_INSIDE(p, KGI_BODY, i) ordered |= !uses || is_ordered(&p->inst[i], uses, i);
    free(uses);
  }
  return ordered;
}
