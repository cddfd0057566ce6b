/* The ways through a trip, one for each combination of branches in which something is stored that is followed, or the loop is left. A branch
 * whose condition is known on a way, as that of a flag is, is taken there on one side alone. What an inner loop stores is not known. */
#include "autodiff/plan/ways.h"

enum { MOST_NESTED = 6 };

typedef struct set { kgi_way *way; uint32_t count; } set;

typedef struct walk {
  kgi_ways *ways;
  const kgi_program *p;
  unsigned nested; /* branches around */
  bool failed;
} walk;

static bool is_followed(const kgi_object *o) { return o->space == KGI_VAR && o->scalar && (o->type == KG_U32 || o->type == KG_I32 || o->type == KG_BOOL); }

/* From 1; 0: it is not followed. */
static uint32_t number_of(const kgi_ways *w, uint32_t object) {
  for (uint32_t k = 0; object && k < w->vars; k++)
    if (w->var[k] == object) return k + 1;
  return 0;
}

uint32_t kgi_ad_on_way(const kgi_ways *ways, const kgi_way *way, uint32_t value) {
  if (value >= KGI_WAY_FIRST) return value;
  const kgi_inst *x = &ways->p->inst[value];
  if (x->kind != KGI_load || !number_of(ways, x->arg[0])) return value;
  for (uint32_t k = 0; k < way->loads; k++)
    if (way->load[k] == value) return way->is[k];
  return KGI_WAY_ANY;
}

/* 1: true, 0: false, -1: not known. */
static int known(const walk *w, const kgi_way *way, uint32_t value) {
  value = kgi_ad_on_way(w->ways, way, value);
  if (value >= KGI_WAY_FIRST) return -1;
  const kgi_inst *x = &w->p->inst[value];
  if (x->kind == KGI_literal) return x->arg[0] != 0;
  if (x->kind != KGI_op || x->op != KGI_OP_not) return -1;
  int of = known(w, way, x->arg[0]);
  return of < 0 ? of : !of;
}

static void ask(kgi_way *way, uint32_t condition, bool held) {
  if (way->asked == KGI_WAY_ASKED) return; /* one fewer is known */
  way->condition[way->asked] = condition, way->held[way->asked++] = held;
}

static void note_load(walk *w, kgi_way *way, uint32_t i, uint32_t number) {
  if (way->loads == KGI_WAY_LOADS) { w->failed = true; return; }
  way->load[way->loads] = i, way->is[way->loads++] = way->holds[number - 1];
}

/* What is stored in there, and is followed, is any number afterwards. */
static void forget(walk *w, set *s, uint32_t i) {
  kgi_span blocks = kgi_owned_blocks(&w->p->inst[i]);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(w->p, w->p->inst[i].arg[blocks.first + k], n) {
      uint32_t number = kgi_has_effect(&w->p->inst[n], KGI_WRITES | KGI_DECLARES) ? number_of(w->ways, kgi_object_of(&w->p->inst[n])) : 0;
      for (uint32_t q = 0; number && q < s->count; q++) s->way[q].holds[number - 1] = KGI_WAY_ANY;
      if (w->p->inst[n].kind == KGI_return) w->failed = true;
    }
}

/* Something in the branch is followed, or leads elsewhere. */
static bool matters(const walk *w, uint32_t i) {
  kgi_span blocks = kgi_owned_blocks(&w->p->inst[i]);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(w->p, w->p->inst[i].arg[blocks.first + k], n) {
      const kgi_inst *x = &w->p->inst[n];
      if (kgi_ends(x) || (kgi_has_effect(x, KGI_WRITES | KGI_DECLARES) && number_of(w->ways, kgi_object_of(x)))) return true;
    }
  return false;
}

static void run(walk *w, set *s, kgi_blk block);

static void run_branch(walk *w, set *s, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  kgi_way other[KGI_WAYS];
  set otherwise = {other, 0};
  uint32_t kept = 0;
  if (++w->nested > MOST_NESTED) { w->failed = true; return; }
  for (uint32_t q = 0; q < s->count; q++) {
    int is = known(w, &s->way[q], x->arg[0]);
    if (is != 1) {
      other[otherwise.count] = s->way[q];
      ask(&other[otherwise.count++], x->arg[0], false);
    }
    if (is == 0) continue;
    if (kept != q) s->way[kept] = s->way[q];
    ask(&s->way[kept++], x->arg[0], true);
  }
  s->count = kept;
  run(w, s, x->arg[1]);
  if (x->arg[2]) run(w, &otherwise, x->arg[2]);
  w->nested--;
  if (s->count + otherwise.count > KGI_WAYS) w->failed = true;
  for (uint32_t q = 0; q < otherwise.count && !w->failed; q++) s->way[s->count++] = other[q];
}

static void run(walk *w, set *s, kgi_blk block) {
  for (uint32_t i = block ? w->p->block[block].first : 0; i && s->count && !w->failed; i = w->p->inst[i].next) {
    const kgi_inst *x = &w->p->inst[i];
    if (kgi_ends(x)) { /* a trip that goes on has its next one before the end of the body */
      w->failed |= x->kind == KGI_continue;
      s->count = 0;
    } else if (x->kind == KGI_if) {
      if (matters(w, i)) run_branch(w, s, i);
    } else if (kgi_is_region(x)) {
      run(w, s, x->arg[0]);
    } else if (kgi_owned_blocks(x).count) {
      forget(w, s, i);
    } else {
      uint32_t number = kgi_touches(x) || kgi_has_effect(x, KGI_DECLARES) ? number_of(w->ways, kgi_object_of(x)) : 0;
      for (uint32_t q = 0; number && q < s->count; q++) {
        if (x->kind == KGI_load) note_load(w, &s->way[q], i, number);
        else s->way[q].holds[number - 1] = x->kind == KGI_store ? kgi_ad_on_way(w->ways, &s->way[q], x->arg[2]) : KGI_WAY_ANY;
      }
    }
  }
}

static bool add_var(kgi_ways *w, const kgi_inst *x) {
  uint32_t object = kgi_has_effect(x, KGI_WRITES | KGI_DECLARES) ? kgi_object_of(x) : 0;
  if (!object || !is_followed(&w->p->scope.object[object]) || number_of(w, object)) return true;
  if (w->vars == KGI_WAY_VARS) return false;
  w->var[w->vars++] = object;
  return true;
}

bool kgi_ad_find_ways(kgi_ways *ways, const kgi_program *program, uint32_t loop) {
  const kgi_inst *x = &program->inst[loop];
  walk w = {.ways = ways, .p = program};
  ways->p = program, ways->vars = ways->count = 0;
  KGI_EACH_INSIDE(program, x->arg[2], i)
    if (!add_var(ways, &program->inst[i])) return false;
  if (!ways->vars) return false;
  set s = {ways->way, 1};
  ways->way[0].loads = ways->way[0].asked = 0;
  for (uint32_t k = 0; k < ways->vars; k++) ways->way[0].holds[k] = KGI_WAY_FIRST + k;
  run(&w, &s, x->arg[1]);
  if (s.count == 1) ask(&s.way[0], x->arg[0], true);
  run(&w, &s, x->arg[2]);
  ways->count = s.count;
  return !w.failed;
}
