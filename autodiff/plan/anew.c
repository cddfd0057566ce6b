/* Shadows that are begun anew in the midst of a module, as those of two buffers are that take turns in a repeat.
 *
 * A run that stores to every element of a buffer, and loads none of it, takes all that the shadow holds, in reverse: nothing of it is left for
 * the runs before. So where such runs alone may come last before a run's adjoint (or none: the shadow holds the zeros that it began with), the
 * adjoint finds nothing that counts, and what it contributes first to each element may be stored, not added. Where only such adjoints may come
 * next that store to every element, whatever is there, what was taken need not be replaced by zeros.
 *
 * Which runs come before and behind one another, whatever numbers of rounds repeats have, none included, is found for each object of the
 * module on its own: the runs that may have touched its shadow last are carried backward through the items, through repeats until nothing is
 * new. Of temporaries alone, which no one else looks at, that every run binds whole and as its program declares it. */
#include "autodiff/plan/schedule.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"

enum { MOST_RUNS = KGI_MOST_anew_runs, MOST_STORES = KGI_FRONT_SIDE };
#define BEGINNING (UINT64_C(1) << MOST_RUNS) /* no run */

typedef struct order {
  kgi_ad_module *g;
  uint32_t object;              /* of the module */
  uint32_t bound[MOST_RUNS];    /* by run: the program's object, or 0 */
  uint64_t before[MOST_RUNS];   /* by run: those that may have touched the shadow last */
} order;

/* ---- what comes before what ---- */

static uint32_t run_of(const kgi_ad_module *g, uint32_t item) {
  for (uint32_t r = 0; r < g->run_count; r++)
    if (g->run[r].item == item) return r;
  return g->run_count;
}

static uint64_t go_back(order *f, uint32_t first, uint64_t last) {
  kgi_ad_module *g = f->g;
  uint32_t count, *list = kgi_list_items(g->m, first, &g->scratch, &count);
  if (!list) return last;
  while (count-- > 0) {
    const kgi_item *item = &g->m->item[list[count]];
    if (item->kind == KGI_ITEM_RUN) {
      uint32_t r = run_of(g, list[count]);
      if (r < g->run_count && f->bound[r]) f->before[r] |= last, last = UINT64_C(1) << r;
      continue;
    }
    for (uint64_t known = 0; known != last;) {
      known = last;
      last |= go_back(f, item->first, last);
    }
  }
  return last;
}

/* ---- which shadows ---- */

static bool is_copied(const kgi_ad_module *g, uint32_t object) {
  for (uint32_t k = 0; k < g->after_count; k++)
    if (g->blocks.of[g->after[k].object] == g->blocks.of[object]) return true;
  return false;
}

/* No run has it by a slice, as two buffers, or in a program that states its adjoint. `made`: of runs alone whose adjoint does something. */
static bool find_bound(order *f, bool made) {
  kgi_ad_module *g = f->g;
  for (uint32_t k = 0; k < g->run_count; k++) {
    const kgi_ad_run *r = &g->run[k];
    if (made && !r->has_content && !r->stated) continue;
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
      if (kgi_ad_bound(g, r, o) != f->object || (!r->stated && !kgi_ad_active_object(&r->ad, o))) continue;
      if (r->stated || f->bound[k] || !kgi_is_bound_as_declared(g->m, r->item, o)) return false;
      f->bound[k] = o;
    }
  }
  return true;
}

static bool is_of_its_own(const kgi_ad_module *g, uint32_t o) {
  return g->m->scope.object[o].mode == KG_TEMP && !g->of[o] && !g->wrt[o] && !g->viewed[o] && !g->blocks.aliased[o] && !is_copied(g, o);
}

/* ---- what a run does ---- */

static bool covers(kgi_ad_run *r, uint32_t object) {
  uint32_t store[MOST_STORES];
  unsigned count = 0;
  kgi_distinct *d = kgi_ad_compare(&r->ad) ? r->ad.distinct : NULL;
  for (uint32_t i = r->ad.f.object[object].first; i; i = r->ad.f.access_next[i]) {
    if (r->ad.f.p->inst[i].kind != KGI_store || !kgi_ad_has_reverse(&r->ad, i) || count == MOST_STORES) return false;
    store[count++] = i;
  }
  return d && (count == 1 ? kgi_covers(d, store[0]) : count > 1 && kgi_covers_steps(d, store, count));
}

/* It stores to all of the buffer, and loads nothing of it. */
static bool takes_all(kgi_ad_run *r, uint32_t object) { return !r->ad.f.object[object].copied && covers(r, object); }

/* What the adjoint stores first reaches each element, or will, if it comes to collect. */
static bool begins_all(const kgi_ad_run *r, uint32_t object) {
  const kgi_ad_object *o = &r->ad.object[object];
  return (r->fresh[object] || r->anew[object]) && !o->front && (o->homes || o->share == KGI_AD_COLLECTED || (o->share == KGI_AD_SOLE && !o->reached.i));
}

static void describe(order *f) {
  kgi_ad_module *g = f->g;
  uint64_t taking = 0, known = 0;
  for (uint32_t k = 0; k < g->run_count; k++) {
    kgi_ad_run *r = &g->run[k];
    if (!f->bound[k]) continue;
    bool anew = true;
    for (uint32_t b = 0; b < g->run_count && anew; b++) {
      uint64_t bit = UINT64_C(1) << b;
      if (!(f->before[k] & bit)) continue;
      if (!(known & bit) && takes_all(&g->run[b], f->bound[b])) taking |= bit;
      known |= bit;
      anew = taking & bit;
    }
    r->anew[f->bound[k]] = anew;
    r->first[f->bound[k]] = f->before[k] & BEGINNING;
  }
}

typedef void each_shadow(order *f);

static void each(kgi_ad_module *g, each_shadow *does, bool made) {
  if (g->run_count > KGI_LIMIT(anew_runs) || g->m->lone) return;
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    order f = {.g = g, .object = o};
    if (!is_of_its_own(g, o) || !find_bound(&f, made)) continue;
    go_back(&f, g->m->first_item, BEGINNING);
    if (!g->scratch.failed) does(&f);
  }
}

void kgi_ad_find_anew(kgi_ad_module *g) { each(g, describe, false); }

static void describe_first(order *f) {
  for (uint32_t k = 0; k < f->g->run_count; k++)
    if (f->bound[k] && f->before[k] & BEGINNING) f->g->run[k].first[f->bound[k]] = true;
}

void kgi_ad_find_first(kgi_ad_module *g) { each(g, describe_first, true); }

/* ---- what is left ---- */

static void describe_left(order *f) {
  kgi_ad_module *g = f->g;
  for (uint32_t k = 0; k < g->run_count; k++) {
    if (!f->bound[k]) continue;
    bool left = false;
    for (uint32_t next = 0; next < g->run_count; next++)
      left |= f->before[next] >> k & 1 && f->bound[next] && !begins_all(&g->run[next], f->bound[next]);
    g->run[k].unseen[f->bound[k]] = !left;
  }
}

/* Runs of one program had better have one adjoint. The module's last run has one of its own in any case. */
static bool are_unseen(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  uint32_t program = g->m->item[r->item].program;
  const kgi_ad_run *last = &g->run[g->run_count - 1];
  for (const kgi_ad_run *other = g->run; other <= last; other++) {
    bool same = other == r || (r != last && other != last && g->m->item[other->item].program == program);
    if (same && !other->unseen[object]) return false;
  }
  return true;
}

bool kgi_ad_find_unseen(kgi_ad_module *g) {
  bool changed = false;
  each(g, describe_left, false);
  for (uint32_t k = 0; k < g->run_count; k++) {
    kgi_ad_run *r = &g->run[k];
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
      bool spent = r->alone_spent[o] || are_unseen(g, r, o);
      changed |= spent != r->spent[o];
      r->spent[o] = spent;
    }
  }
  return changed;
}
