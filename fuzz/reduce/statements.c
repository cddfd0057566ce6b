/* Statements that go, blocks that go around what they hold. */
#include "fuzz/reduce/edits.h"

#include <stdlib.h>

/* Whether something that holds it has gone. */
static bool is_gone(const kgi_program *p, uint32_t i) {
  while (p->inst[i].block > KGI_BODY) i = p->block[p->inst[i].block].owner;
  return !p->inst[i].block;
}

/* Instructions [from, to) of the text are cut out. */
static bool try_cut(kgi_reducer *r, uint32_t program, uint32_t from, uint32_t to, int value) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, program)) return false;
  uint32_t count, *list = kgi_list_instructions(b.p, &count);
  for (uint32_t k = from; list && k < to && k < count; k++)
    if (!is_gone(b.p, list[k])) kgi_cut(&b, list[k], value);
  free(list);
  return kgi_try(r, &c);
}

static uint32_t length_of(const kgi_reducer *r, uint32_t program) {
  uint32_t count;
  free(kgi_list_instructions(r->best->module->program[program], &count));
  return count;
}

/* From the end: what is used stands in front of who uses it. */
static bool cut_pieces(kgi_reducer *r, uint32_t program, uint32_t piece) {
  bool changed = false;
  for (uint32_t end = length_of(r, program); end > 0 && !kgi_is_late(r);) {
    uint32_t from = end > piece ? end - piece : 0;
    bool cut = try_cut(r, program, from, end, 1) || (piece == 1 && try_cut(r, program, from, end, 0));
    uint32_t now = length_of(r, program);
    changed |= cut;
    end = from < now ? from : now;
  }
  return changed;
}

bool kgi_reduce_statements(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t k = 1; k < r->best->module->program_count; k++)
    for (uint32_t piece = length_of(r, k) / 2; piece > 0 && k < r->best->module->program_count; piece /= 2)
      changed |= cut_pieces(r, k, piece);
  return changed;
}

/* ---- blocks ---- */

/* A loop runs once, for the first index. */
static bool unwrap_one(kgi_builder *b, uint32_t i, unsigned which) {
  const kgi_inst x = b->p->inst[i];
  kgi_span blocks = kgi_owned_blocks(&x);
  if (which >= blocks.count) return false;
  if (x.kind == KGI_for) kgi_replace_uses(b->p, i, x.arg[0]);
  if (x.kind == KGI_while) { /* its condition is still computed */
    if (which) return false;
    while (b->p->block[x.arg[1]].first) kgi_move(b->p, b->p->block[x.arg[1]].first, kgi_before(b->p, i));
    return kgi_unwrap(b->p, i, x.arg[2]), true;
  }
  kgi_unwrap(b->p, i, x.arg[blocks.first + which]);
  return true;
}

/* An `if` without its else. */
static bool drop_else(kgi_builder *b, uint32_t i) {
  kgi_inst *x = &b->p->inst[i];
  if (x->kind != KGI_if || !x->arg[2]) return false;
  x->arg[2] = 0;
  return true;
}

enum { WAYS = 3 };

static bool try_unwrap(kgi_reducer *r, uint32_t program, uint32_t at, unsigned way) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, program)) return false;
  uint32_t count, *list = kgi_list_instructions(b.p, &count);
  bool made = list && at < count && (way < 2 ? unwrap_one(&b, list[at], way) : drop_else(&b, list[at]));
  free(list);
  if (made) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

/* Where it succeeds, what stands there now is looked at again. */
bool kgi_reduce_blocks(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t k = 1; k < r->best->module->program_count; k++)
    for (uint32_t at = 0; at < length_of(r, k) && !kgi_is_late(r); at++)
      for (unsigned way = 0; way < WAYS; way++) {
        bool made = try_unwrap(r, k, at, way);
        changed |= made;
        if (made) way = WAYS, at -= at > 0;
      }
  return changed;
}
