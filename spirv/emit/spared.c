/* A device computes values, and no derivatives: with_partial is its first operand there, and the operations that only its others
 * need are not emitted, nor do they ask for features. */
#include "spirv/emit.h"

typedef struct search { const kgi_program *p; bool *needed; uint32_t *pending, count; } search;

static bool is_stated(const kgi_inst *inst) { return inst->kind == KGI_op && inst->op == KGI_OP_with_partial; }

static void need(search *s, uint32_t value) {
  if (!value || s->needed[value]) return;
  s->needed[value] = true;
  s->pending[s->count++] = value;
}

static void need_operands(search *s, uint32_t index) {
  const kgi_inst *inst = &s->p->inst[index];
  kgi_span span = kgi_operands(inst);
  unsigned count = is_stated(inst) ? 1 : span.count;
  for (unsigned k = span.first; k < span.first + count; k++) need(s, inst->arg[k]);
}

void kgi_emit_find_spared(kgi_emit *e) {
  const kgi_program *p = e->p;
  bool any = false;
  e->spared = NULL;
  for (uint32_t i = 1; i < p->inst_count; i++) any |= p->inst[i].block && is_stated(&p->inst[i]);
  if (!any) return;
  search s = {.p = p, .needed = kgi_arena_alloc(e->s.arena, p->inst_count, sizeof *s.needed)};
  s.pending = kgi_arena_alloc(e->s.arena, p->inst_count, sizeof *s.pending);
  e->spared = kgi_arena_alloc(e->s.arena, p->inst_count, sizeof *e->spared);
  if (e->s.arena->failed) return;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && p->inst[i].kind != KGI_op) need(&s, i);
  while (s.count) need_operands(&s, s.pending[--s.count]);
  for (uint32_t i = 1; i < p->inst_count; i++) e->spared[i] = p->inst[i].kind == KGI_op && !s.needed[i];
}
