/* Many accesses of one object, each against all.
 *
 * Accesses of one index in one stretch are one kind. Kinds whose indices differ by constants alone, x[i + 3] and x[i + 5], are one
 * family: its index is i + first + stride * member with 0 <= member < count, so that a comparison of two families answers for all
 * their members at once. What families do not show is asked of kinds, as many as there is time for. An answer is given only where
 * all comparisons that it rests on were made; else nothing is claimed, which is always right. */
#include "foundation/analysis/distinct_facts.h"
#include "foundation/base/set.h"

#include <string.h>

enum { ALL = KGI_OWN_IN_INTERVAL | KGI_OWN_IN_WORKGROUP | KGI_OWN_ACROSS };

/* `stride` is the greatest common divisor of what the members' constants differ by. */
typedef struct family { int64_t first, last, stride; } family;
typedef struct group {
  const kgi_distinct *d;
  const kgi_access *access;  /* candidates from 1 on, of which `count` are in the set */
  bool by_form;              /* families: indices are alike but for constants; else kinds: they are one value */
} group;
typedef struct crowd {
  kgi_distinct *d;
  kgi_poly length;
  unsigned wanted;           /* what is asked for */
  unsigned least;            /* of that, what holds of any two accesses */
  bool together;             /* of all or of none: what is lost for one access need not be proved of the others */
  kgi_access *kind, *family; /* from 1 on */
  uint32_t kinds, families;
  uint32_t *kind_of;         /* of each access */
  uint32_t *family_of;       /* of each kind */
  family *range;             /* of each family */
} crowd;

/* ---- kinds and families ---- */

/* No barrier lies between them anywhere, and what is known at the first holds at all. */
static bool one_stretch(const kgi_distinct *d, uint32_t x, uint32_t y) {
  return d->p->inst[x].block == d->p->inst[y].block && d->serial[x] == d->serial[y];
}

/* The constant stands first, as it has no atoms. */
static int64_t constant(const kgi_poly *f) { return f->count && !f->t[0].atom[0] ? f->t[0].c : 0; }

static kgi_poly without_constant(const kgi_poly *f) {
  kgi_poly c = kgi_poly_int(constant(f));
  return kgi_poly_add(f, &c, -1);
}

/* access[0] is what is looked for. */
static bool alike(const void *context, uint32_t k) {
  const group *g = context;
  const kgi_access *x = &g->access[0], *y = &g->access[k];
  if (!one_stretch(g->d, x->inst, y->inst)) return false;
  return g->by_form ? kgi_poly_equal(&x->index, &y->index) : g->d->p->inst[x->inst].arg[1] == g->d->p->inst[y->inst].arg[1];
}

static uint64_t hash_of(const group *g) {
  const kgi_access *x = &g->access[0];
  struct { uint32_t block, serial, value, count; kgi_term t[KGI_TERMS]; } key;
  memset(&key, 0, sizeof key);
  key.block = g->d->p->inst[x->inst].block, key.serial = g->d->serial[x->inst];
  if (!g->by_form) key.value = g->d->p->inst[x->inst].arg[1];
  key.count = g->by_form ? x->index.count : 0;
  memcpy(key.t, x->index.t, key.count * sizeof *key.t);
  return kgi_hash(&key, sizeof key);
}

/* The number of what is like access[0]; a new one is put behind the rest. The first in order of execution stands for all. */
static uint32_t find(kgi_arena *arena, kgi_set *set, kgi_access *access, group *g, uint32_t *count) {
  uint64_t hash = hash_of(g);
  uint32_t k = kgi_set_find(set, hash, alike, g);
  if (!k && !kgi_set_add_hashed(arena, set, k = *count + 1, hash)) return 0;
  if (k > *count) access[++*count] = access[0];
  else if (g->d->place[access[0].inst] < g->d->place[access[k].inst]) access[k].inst = access[0].inst, access[k].facts = access[0].facts;
  return k;
}

static bool find_kinds(crowd *c, const uint32_t *accesses, uint32_t count) {
  kgi_set set = {0};
  group g = {.d = c->d, .access = c->kind};
  for (uint32_t i = 0; i < count; i++) {
    c->kind[0] = (kgi_access){.inst = accesses[i], .facts = c->d->facts[accesses[i]]};
    if (!(c->kind_of[i] = find(c->d->arena, &set, c->kind, &g, &c->kinds))) return false;
  }
  for (uint32_t k = 1; k <= c->kinds; k++) {
    c->kind[k].index = kgi_poly_of_index(c->d->p, c->kind[k].inst, c->d->size);
  }
  return true;
}

static int64_t divisor(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b, b = rest;
  }
  return a < 0 ? -a : a;
}

static void extend(family *f, int64_t value, bool is_new) {
  if (is_new) *f = (family){value, value, 0};
  f->stride = divisor(f->stride, value - f->first);
  if (value < f->first) f->first = value;
  if (value > f->last) f->last = value;
}

/* Constants so large that differences could overflow stay with their polynomials. */
static bool find_families(crowd *c) {
  const int64_t most = INT64_C(1) << 60;
  kgi_set set = {0};
  group g = {.d = c->d, .access = c->family, .by_form = true};
  for (uint32_t k = 1; k <= c->kinds; k++) {
    uint32_t before = c->families;
    int64_t value = constant(&c->kind[k].index);
    c->family[0] = c->kind[k];
    if (value > -most && value < most) c->family[0].index = without_constant(&c->kind[k].index);
    else value = 0;
    if (!(c->family_of[k] = find(c->d->arena, &set, c->family, &g, &c->families))) return false;
    extend(&c->range[c->family_of[k]], value, c->families > before);
  }
  return true;
}

/* Gives the families their indices, with all their members. What follows from reaching an element holds of the member that reaches it. */
static bool index_families(crowd *c) {
  for (uint32_t k = 1; k <= c->families; k++) {
    const family *f = &c->range[k];
    kgi_access *x = &c->family[k];
    kgi_poly first = kgi_poly_int(f->first), member = kgi_poly_atom(KGI_ATOM_MEMBER);
    x->index = kgi_poly_add(&x->index, &first, 1);
    if (!f->stride) continue;
    x->index = kgi_poly_add(&x->index, &member, f->stride);
    kgi_fact *below = kgi_arena_alloc(c->d->arena, 1, sizeof *below);
    if (!below) return false;
    *below = (kgi_fact){.next = c->d->in_front[x->inst], .kind = KGI_FACT_BELOW, .atom = KGI_ATOM_MEMBER};
    below->poly = kgi_poly_int((f->last - f->first) / f->stride + 1);
    x->facts = below;
  }
  return true;
}

/* ---- comparisons ---- */

/* Adds to own[] what is proved of each against all. Where all is proved of one already, its comparisons are not made again. Two
 * that can meet lose what is claimed of both, so that most rows end early. `last`: nobody is asked after this. */
static bool prove(const crowd *c, const kgi_access *access, uint32_t count, bool last, uint8_t *own) {
  uint32_t left = KGI_LIMIT(distinct_comparisons);
  uint8_t *still = kgi_arena_alloc(c->d->arena, (size_t)count + 1, 1), *whole = kgi_arena_alloc(c->d->arena, (size_t)count + 1, 1);
  if (!still || !whole) return false;
  for (uint32_t k = 1; k <= count; k++) still[k] = (uint8_t)c->wanted, whole[k] = own[k] == c->wanted;
  for (uint32_t i = 1; i <= count; i++) {
    if (whole[i]) continue;
    for (uint32_t k = 1; k <= count && still[i] != c->least; k++) {
      if (whole[k]) continue;
      if (!left--) return true;
      unsigned both = kgi_compare_accesses(c->d, &access[i], &access[k], &c->length, c->wanted);
      still[i] &= (uint8_t)both, still[k] &= (uint8_t)both;
    }
    own[i] |= still[i], whole[i] = still[i] != c->least;
    if (c->together && last && !whole[i]) return true;
  }
  return true;
}

static bool prove_all(crowd *c, uint8_t *own) {
  /* a family has no index along each dimension */
  if (c->d->p->scope.object[c->d->p->inst[c->kind[1].inst].arg[0]].rank) {
    memset(own, (int)c->least, (size_t)c->kinds + 1);
    return prove(c, c->kind, c->kinds, true, own);
  }
  uint8_t *of_family = kgi_arena_alloc(c->d->arena, (size_t)c->families + 1, 1);
  if (!of_family) return false;
  memset(of_family, (int)c->least, (size_t)c->families + 1);
  if (!index_families(c) || !prove(c, c->family, c->families, c->families == c->kinds, of_family)) return false;
  bool lacking = false;
  for (uint32_t k = 1; k <= c->kinds; k++) own[k] = of_family[c->family_of[k]], lacking |= own[k] != c->wanted;
  return !lacking || c->families == c->kinds || prove(c, c->kind, c->kinds, true, own);
}

static bool prepare(crowd *c, uint32_t object, uint32_t count) {
  kgi_arena *arena = c->d->arena;
  c->length = kgi_length_of(c->d, object);
  c->kind = kgi_arena_alloc(arena, (size_t)count + 1, sizeof *c->kind);
  c->family = kgi_arena_alloc(arena, (size_t)count + 1, sizeof *c->family);
  c->kind_of = kgi_arena_alloc(arena, count, sizeof *c->kind_of);
  c->family_of = kgi_arena_alloc(arena, (size_t)count + 1, sizeof *c->family_of);
  c->range = kgi_arena_alloc(arena, (size_t)count + 1, sizeof *c->range);
  return !arena->failed;
}

static unsigned disjoint(kgi_distinct *d, const uint32_t *accesses, uint32_t count, unsigned wanted, uint8_t *each) {
  const kgi_object *o = count ? &d->p->scope.object[d->p->inst[accesses[0]].arg[0]] : NULL;
  crowd c = {.d = d, .wanted = wanted, .least = o && o->space == KGI_SHARED ? KGI_OWN_ACROSS & wanted : 0, .together = !each};
  bool several = false, is_var = !o || o->space == KGI_VAR;
  unsigned all = wanted;
  for (uint32_t i = 0; i < count; i++) several |= d->p->inst[accesses[i]].arg[0] != d->p->inst[accesses[0]].arg[0];
  if (each) memset(each, several ? 0 : (int)(is_var ? wanted : c.least), count);
  if (several || is_var) return several ? 0 : wanted;
  uint8_t *own = kgi_arena_alloc(d->arena, (size_t)count + 1, 1);
  if (!own || !prepare(&c, d->p->inst[accesses[0]].arg[0], count)) return c.least;
  if (!find_kinds(&c, accesses, count) || !find_families(&c) || !prove_all(&c, own)) return c.least;
  for (uint32_t k = 1; k <= c.kinds; k++) all &= own[k];
  for (uint32_t i = 0; i < count && each; i++) each[i] = own[c.kind_of[i]];
  return all;
}

unsigned kgi_disjoint(kgi_distinct *d, const uint32_t *accesses, uint32_t count, uint8_t *each) {
  return disjoint(d, accesses, count, ALL, each);
}

bool kgi_all_disjoint(kgi_distinct *d, const uint32_t *accesses, uint32_t count, unsigned wanted) {
  return disjoint(d, accesses, count, wanted, NULL) == wanted;
}

bool kgi_groups_apart(const kgi_distinct *d, const uint32_t *accesses, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k <= i; k++) {
      kgi_access x = {.inst = accesses[i], .facts = d->always}, y = {.inst = accesses[k], .facts = d->always};
      kgi_poly length = kgi_length_of(d, d->p->inst[x.inst].arg[0]);
      x.index = kgi_poly_of_index(d->p, x.inst, d->size), y.index = kgi_poly_of_index(d->p, y.inst, d->size);
      if (!kgi_compare_accesses(d, &x, &y, &length, KGI_OWN_ACROSS)) return false;
    }
  return true;
}
