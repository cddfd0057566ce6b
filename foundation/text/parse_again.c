/* Reading a statement again. Instructions are made while text is read, but what a statement is to become may show later only: that
 * a chain of else-ifs is too long to nest, or which type the index of a loop has. Then what was made of the statement is dropped,
 * the decision noted under the place in the text, and the statement read once more. A place is decided once, so a text is read
 * at most as often as its statements nest. */
#include "foundation/text/parse.h"
#include "foundation/base/set.h"

#include <string.h>

typedef struct query { const kgi_parser *p; const char *at; } query;

static bool same_place(const void *context, uint32_t index) {
  const query *q = context;
  return q->p->decision[index].at == q->at;
}

static uint64_t hash_of(const char *at) { return kgi_hash(&at, sizeof at); }

const kgi_decision *kgi_decided(const kgi_parser *p, const char *at) {
  query q = {p, at};
  uint32_t found = kgi_set_find(&p->decisions, hash_of(at), same_place, &q);
  return found ? &p->decision[found] : NULL;
}

/* Nothing more is said until the statement begins again. */
void kgi_decide(kgi_parser *p, kgi_decision decision) {
  if (kgi_parser_failed(p)) return;
  if (!kgi_arena_grow(&p->scratch, &p->decision, p->decision_count, &p->decision_cap, sizeof *p->decision)) return;
  p->decision[p->decision_count] = decision;
  if (!kgi_set_add_hashed(&p->scratch, &p->decisions, p->decision_count, hash_of(decision.at))) return;
  p->decision_count++;
  p->again = decision.at;
  p->sink = p->diags->sink;
  p->diags->sink = NULL;
  kgi_fail(&p->b, KG_INVALID);
}

kgi_attempt kgi_attempt_begin(const kgi_parser *p) {
  const kgi_program *q = p->b.p;
  return (kgi_attempt){.lx = p->lx, .at = p->b.at, .insts = q->inst_count, .blocks = q->block_count, .symbols = p->symbol_count,
                       .objects = q->scope.object_count, .budget = p->reader.nodes.budget, .depth = p->reader.depth,
                       .errors = p->diags->errors};
}

/* Leaves that the set still lists past the end are blank, and so equal to none. */
static void drop(kgi_parser *p, const kgi_attempt *a) {
  kgi_program *q = p->b.p;
  kgi_block *block = &q->block[a->at.block];
  block->last = a->at.after;
  if (a->at.after) q->inst[a->at.after].next = 0;
  else block->first = 0;
  memset(q->inst + a->insts, 0, (q->inst_count - a->insts) * sizeof *q->inst);
  q->inst_count = a->insts, q->block_count = a->blocks, q->scope.object_count = a->objects;
  p->b.at = a->at;
  kgi_close_scope(p, a->symbols);
}

bool kgi_attempt_again(kgi_parser *p, const kgi_attempt *a) {
  if (!p->again || p->again != a->lx.token.text || p->scratch.failed || p->m->arena.failed) return false;
  p->again = NULL;
  p->diags->sink = p->sink;
  p->diags->errors = a->errors;
  p->b.status = KG_OK;
  drop(p, a);
  p->lx = a->lx;
  p->reader.nodes.budget = a->budget, p->reader.depth = a->depth;
  return true;
}
