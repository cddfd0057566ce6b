/* A var that a trip overwrites by a choice between something new and what it holds becomes one that a branch overwrites, as settled.c and
 * whoever else looks for branches knows it:
 *
 *   m = select(v > m, v, m)           becomes     if v > m { m = v  at = j }
 *   at = select(v > m, j, at)
 *
 * To store what is there already is to store nothing. It relies on this:
 *   - what is not new is a load of the var itself, a scalar, and nothing stores to the var between it and the store;
 *   - all that the condition decides are such choices, next to each other, so that the branch may stand where the last of them is stored;
 *   - the loop does nothing else with a var of floats but compare it, or else what each trip saw is kept in any case;
 *   - values stay where they are computed. Nothing new is computed under the branch, nor anything less often. */
#include "autodiff/plan/facts.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"

enum { MOST_CHOICES = 4, FAR = 64 };

typedef struct chooser {
  kgi_builder b;
  kgi_program *p;
  uint32_t *uses, *compared; /* by instruction; `compared`: uses by comparisons */
  uint32_t *access, *access_next; /* by object, by instruction */
} chooser;

static bool survey(chooser *c, kgi_arena *arena) {
  size_t n = c->p->inst_count;
  c->uses = kgi_arena_alloc(arena, n, sizeof *c->uses);
  c->compared = kgi_arena_alloc(arena, n, sizeof *c->compared);
  c->access_next = kgi_arena_alloc(arena, n, sizeof *c->access_next);
  c->access = kgi_arena_alloc(arena, c->p->scope.object_count, sizeof *c->access);
  if (arena->failed) return false;
  kgi_count_uses(c->p, KGI_BODY, c->uses);
  KGI_EACH_INSIDE(c->p, KGI_BODY, i) {
    const kgi_inst *inst = &c->p->inst[i];
    kgi_span span = kgi_operands(inst);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (inst->kind == KGI_op && inst->type == KG_BOOL) c->compared[inst->arg[k]]++;
    if (!kgi_touches(inst)) continue;
    c->access_next[i] = c->access[inst->arg[0]];
    c->access[inst->arg[0]] = i;
  }
  return true;
}

static bool is_scalar_var(const kgi_program *p, uint32_t object) {
  return p->scope.object[object].space == KGI_VAR && p->scope.object[object].scalar;
}

/* Stores to the object, or may. */
static bool changes(const kgi_program *p, uint32_t i, uint32_t object) {
  const kgi_inst *inst = &p->inst[i];
  return kgi_owned_blocks(inst).count || (kgi_has_effect(inst, KGI_WRITES | KGI_DECLARES) && kgi_object_of(inst) == object);
}

/* From `from` on, up to but not `to`, which stand in one block. */
static bool is_changed_between(const kgi_program *p, uint32_t from, uint32_t to, uint32_t object) {
  for (unsigned steps = 0; from && from != to; from = p->inst[from].next, steps++)
    if (steps == FAR || changes(p, from, object)) return true;
  return !from;
}

/* Which arm of the select is what the var holds, 1 or 2; 0: the store is of no choice. */
static unsigned old_arm(const chooser *c, uint32_t store) {
  const kgi_inst *s = &c->p->inst[store], *x = &c->p->inst[s->arg[2]];
  if (s->kind != KGI_store || !is_scalar_var(c->p, s->arg[0]) || x->kind != KGI_op || x->op != KGI_OP_select || c->uses[s->arg[2]] != 1) return 0;
  for (unsigned k = 1; k <= 2; k++) {
    const kgi_inst *load = &c->p->inst[x->arg[k]];
    bool own = load->kind == KGI_load && load->arg[0] == s->arg[0] && load->block == s->block && x->block == s->block;
    if (own && x->arg[3 - k] != x->arg[k] && !is_changed_between(c->p, x->arg[k], store, s->arg[0])) return k;
  }
  return 0;
}

static const kgi_inst *choice_of(const chooser *c, uint32_t store) { return &c->p->inst[c->p->inst[store].arg[2]]; }
static uint32_t condition_of(const chooser *c, uint32_t store) { return choice_of(c, store)->arg[0]; }

static uint32_t loop_around(const kgi_program *p, uint32_t i) {
  uint32_t owner = p->block[p->inst[i].block].owner;
  while (owner && !kgi_is_loop(&p->inst[owner])) owner = p->block[p->inst[owner].block].owner;
  return p->inst[owner].kind == KGI_for ? owner : 0;
}

/* The loop stores to it here alone, and looks at it to choose and to compare. */
static bool is_only_compared(const chooser *c, uint32_t store, unsigned old) {
  uint32_t object = c->p->inst[store].arg[0], loop = loop_around(c->p, store);
  unsigned n = 0;
  for (uint32_t i = c->access[object]; i; i = c->access_next[i]) {
    if (n++ == KGI_LIMIT(settled_accesses)) return false;
    if (i == store || kgi_is_fixed(c->p, i, loop)) continue;
    bool chosen = i == choice_of(c, store)->arg[old];
    if (c->p->inst[i].kind != KGI_load || c->uses[i] != c->compared[i] + chosen) return false;
  }
  return loop != 0;
}

/* The choices by one condition that stand next to each other, from the first store on; how many. 0: some are elsewhere. */
static unsigned find_choices(const chooser *c, uint32_t first, uint32_t list[MOST_CHOICES], bool *floats) {
  uint32_t condition = condition_of(c, first);
  unsigned count = 0, old = old_arm(c, first), steps = 0;
  *floats = false;
  for (uint32_t i = first; i && steps++ < FAR && count < MOST_CHOICES && count < c->uses[condition]; i = c->p->inst[i].next) {
    if (c->p->inst[i].kind != KGI_store || old_arm(c, i) != old || condition_of(c, i) != condition) continue;
    bool is_float = kgi_is_float(c->p->scope.object[c->p->inst[i].arg[0]].type);
    if (is_float && !is_only_compared(c, i, old)) return 0;
    *floats |= is_float;
    list[count++] = i;
  }
  return count == c->uses[condition] ? count : 0;
}

/* What is stored further down may not be looked at in between. */
static bool may_be_later(const chooser *c, uint32_t store, uint32_t last) {
  uint32_t object = c->p->inst[store].arg[0];
  for (uint32_t i = c->p->inst[store].next; i && i != last; i = c->p->inst[i].next)
    if (kgi_owned_blocks(&c->p->inst[i]).count || (kgi_touches(&c->p->inst[i]) && c->p->inst[i].arg[0] == object)) return false;
  return true;
}

/* The select, and what it took where nothing is new. */
static void drop(chooser *c, uint32_t store, unsigned old) {
  uint32_t choice = c->p->inst[store].arg[2], load = choice_of(c, store)->arg[old];
  kgi_remove(c->p, store);
  kgi_remove(c->p, choice);
  if (!--c->uses[load]) kgi_remove(c->p, load);
}

/* The last store in the branch. */
static uint32_t branch(chooser *c, const uint32_t list[MOST_CHOICES], unsigned count, unsigned old) {
  kgi_builder *b = &c->b;
  uint32_t last = list[count - 1];
  kgi_val condition = {condition_of(c, last)};
  b->at = kgi_behind(c->p, last), b->pos = c->p->inst_pos[last];
  if (old == 1) condition = kgi_op1(b, KGI_OP_not, condition);
  kgi_if_begin(b, condition);
  for (unsigned k = 0; k < count; k++)
    kgi_store(b, (kgi_obj){c->p->inst[list[k]].arg[0]}, (kgi_val){0}, (kgi_val){choice_of(c, list[k])->arg[3 - old]});
  uint32_t end = b->at.after;
  kgi_end(b);
  for (unsigned k = 0; k < count && b->status == KG_OK; k++) drop(c, list[k], old);
  return end;
}

/* What comes next. */
static uint32_t look_at(chooser *c, uint32_t i) {
  uint32_t list[MOST_CHOICES];
  unsigned old = loop_around(c->p, i) ? old_arm(c, i) : 0;
  bool floats = false;
  unsigned count = old ? find_choices(c, i, list, &floats) : 0;
  for (unsigned k = 0; k < count; k++)
    if (!may_be_later(c, list[k], list[count - 1])) count = 0;
  return kgi_next_inside(c->p, KGI_BODY, count && floats ? branch(c, list, count, old) : i);
}

kg_status kgi_ad_branch_choices(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena) {
  chooser c = {.p = f->p};
  kgi_builder_init(&c.b, f->work, diags);
  c.b.p = f->p;
  if (!survey(&c, arena)) return KG_NO_MEMORY;
  for (uint32_t i = c.p->block[KGI_BODY].first; i && c.b.status == KG_OK;) i = look_at(&c, i);
  return kgi_builder_status(&c.b);
}
