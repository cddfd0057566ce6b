/* Across the runs of a module: what each one is, and what is active in it. */
#include "autodiff/plan/schedule.h"
#include "modules/modules.h"

/* ---- runs ---- */

static bool add_run(kgi_ad_module *g, uint32_t item, uint32_t repeat) {
  if (!kgi_arena_grow(&g->scratch, &g->run, g->run_count, &g->run_cap, sizeof *g->run)) return false;
  g->run[g->run_count++] = (kgi_ad_run){.item = item, .order = g->order++, .repeat = repeat};
  return true;
}

static bool collect(kgi_ad_module *g, uint32_t first, uint32_t parent, uint32_t repeat, unsigned depth) {
  for (uint32_t i = first; i; i = g->m->item[i].next) {
    const kgi_item *item = &g->m->item[i];
    g->parent[i] = parent;
    if (item->kind == KGI_ITEM_RUN) {
      if (!add_run(g, i, repeat)) return false;
      continue;
    }
    if (depth > KGI_MAX_DEPTH) return false;
    uint32_t from = g->run_count;
    g->order++;
    if (!collect(g, item->first, i, repeat ? repeat : i, depth + 1)) return false;
    g->order++;
    if (!repeat)
      for (uint32_t r = from; r < g->run_count; r++) g->run[r].repeat_end = g->order;
  }
  return true;
}

static const kgi_item *item_of(const kgi_ad_module *g, const kgi_ad_run *r) { return &g->m->item[r->item]; }

/* The first of the module's objects that lie over the same memory. */
static uint32_t memory_of(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) { return g->blocks.of[kgi_ad_bound(g, r, object)]; }

static bool is_one(const kgi_scope *s, kgi_dim dim) { return !dim.i || (s->dim[dim.i].op == KGI_DIM_INT && s->dim[dim.i].imm == 1); }

static void read_shape(kgi_ad_module *g, kgi_ad_run *r, const kgi_program *p) {
  const kgi_item *item = item_of(g, r);
  bool own = !kgi_dim_is_set(item->grid);
  const kgi_dim *grid = own ? p->grid : item->grid;
  const kgi_scope *s = own ? &p->scope : &g->m->scope;
  r->req.alone = true;
  for (unsigned k = 0; k < 3; k++) r->req.alone &= is_one(s, grid[k]) && is_one(&p->scope, p->workgroup[k]);
}

static kg_status analyse(kgi_ad_module *g, kgi_ad_run *r) {
  uint32_t program = item_of(g, r)->program;
  kgi_program *p = kgi_program_copy(&g->work->arena, g->m->program[program]);
  r->stated = p && p->adjoint && !g->as_written;
  if (!p || !(r->stated ? kgi_ad_stand_in(g, p) : kgi_ad_join_twice(g, r, p))) return KG_NO_MEMORY;
  size_t objects = p->scope.object_count, params = p->scope.param_count;
  r->varied = kgi_arena_alloc(&g->scratch, objects, sizeof *r->varied);
  r->useful = kgi_arena_alloc(&g->scratch, objects, sizeof *r->useful);
  r->given = kgi_arena_alloc(&g->scratch, objects, sizeof *r->given);
  r->fresh = kgi_arena_alloc(&g->scratch, objects, sizeof *r->fresh);
  r->fresh_param = kgi_arena_alloc(&g->scratch, params, sizeof *r->fresh_param);
  r->spent = kgi_arena_alloc(&g->scratch, objects, sizeof *r->spent);
  r->anew = kgi_arena_alloc(&g->scratch, objects, sizeof *r->anew);
  r->first = kgi_arena_alloc(&g->scratch, objects, sizeof *r->first);
  r->unseen = kgi_arena_alloc(&g->scratch, objects, sizeof *r->unseen);
  r->alone_spent = kgi_arena_alloc(&g->scratch, objects, sizeof *r->alone_spent);
  r->viewed = kgi_arena_alloc(&g->scratch, objects, sizeof *r->viewed);
  r->wrt_param = kgi_arena_alloc(&g->scratch, params, sizeof *r->wrt_param);
  if (g->scratch.failed) return KG_NO_MEMORY;
  r->analysed = true;
  g->work->program[program] = p;
  kg_status status = (g->as_written || r->stated ? kgi_ad_examine : kgi_ad_analyse)(&r->ad, g->work, p, &g->diags, g->params->alloc);
  if (status != KG_OK) return status;
  read_shape(g, r, p);
  for (uint32_t q = 1; q < p->scope.param_count; q++) r->wrt_param[q] = kgi_ad_param_asked(g, r, q);
  r->req.varied = r->varied, r->req.useful = r->useful;
  r->req.given = r->given, r->req.fresh = r->fresh, r->req.spent = r->spent, r->req.anew = r->anew;
  r->req.viewed = r->viewed, r->req.wrt_param = r->wrt_param, r->req.fresh_param = r->fresh_param;
  r->req.deterministic = g->params->deterministic;
  r->req.accumulate = g->params->accumulate;
  r->req.tape_limit = g->params->tape_limit;
  r->req.trips = g->params->trips;
  r->req.lone = g->m->lone;
  r->req.item = r->item;
  r->req.parent = g->parent;
  r->ad.req = r->req;
  return KG_OK;
}

/* ---- activity ---- */

/* What one run adds to the set that those after it (before it, for use) start from. A run in a repeat also meets what the others in
 * there add. */
static bool pass(kgi_ad_module *g, kgi_ad_run *r, uint8_t *set, bool varied) {
  uint8_t *in_run = varied ? r->varied : r->useful;
  uint32_t end = kgi_buffer_end(&r->ad.f.p->scope);
  bool grew = false;
  for (uint32_t o = 1; o < end; o++)
    if (set[memory_of(g, r, o)]) in_run[o] = 1;
  (varied ? kgi_ad_spread_varied : kgi_ad_spread_active)(&r->ad);
  for (uint32_t o = 1; o < end; o++) {
    const kgi_ad_object *x = &r->ad.object[o];
    bool adds = varied ? x->varied_from != UINT32_MAX : x->useful_until != 0;
    if (!adds || set[memory_of(g, r, o)]) continue;
    set[memory_of(g, r, o)] = 1;
    grew = true;
  }
  return grew;
}

/* What the run leaves may be an input by itself. */
static bool note_afters(kgi_ad_module *g, const kgi_ad_run *r, uint8_t *set) {
  bool grew = false;
  for (uint32_t k = 0; k < g->after_count; k++) {
    uint32_t memory = g->blocks.of[g->after[k].object];
    if (g->after[k].item != r->item || set[memory]) continue;
    set[memory] = 1;
    grew = true;
  }
  return grew;
}

static bool pass_and_note(kgi_ad_module *g, kgi_ad_run *r, uint8_t *set, bool varied) {
  bool grew = pass(g, r, set, varied);
  return (varied && note_afters(g, r, set)) || grew;
}

/* Runs of a repeat are gone through again until none adds anything. */
static void spread(kgi_ad_module *g, uint8_t *set, bool varied) {
  for (uint32_t k = 0; k < g->run_count;) {
    uint32_t first = k, repeat;
    bool grew = false;
    do repeat = g->run[varied ? k : g->run_count - 1 - k].repeat, k++;
    while (k < g->run_count && repeat && g->run[varied ? k : g->run_count - 1 - k].repeat == repeat);
    do {
      grew = false;
      for (uint32_t i = first; i < k; i++)
        if (pass_and_note(g, &g->run[varied ? i : g->run_count - 1 - i], set, varied)) grew = true;
    } while (grew && repeat);
  }
}

static void spread_all(kgi_ad_module *g) {
  spread(g, g->varied, true);
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if (!g->varied[o]) g->useful[o] = 0;
  spread(g, g->useful, false);
}

static bool has_content(const kgi_ad *a) {
  if (a->block[KGI_BODY].content) return true;
  for (uint32_t q = 1; q < a->f.p->scope.param_count; q++)
    if (a->f.param_value[q] && kgi_ad_active(a, a->f.param_value[q])) return true;
  return false;
}

/* A separate adjoint loads after the whole module has run: what later runs write is not what this one saw. */
static void note_overwritten(kgi_ad_module *g, kgi_ad_run *r) {
  for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++)
    for (uint32_t i = 0; i < g->run_count && !r->ad.object[o].overwritten; i++) {
      kgi_ad_run *other = &g->run[i];
      bool later = other->order > r->order || (r->repeat && other->repeat == r->repeat);
      r->ad.object[o].overwritten = later && kgi_ad_overwrites(g, other, r, o, false);
      r->ad.object[o].replaced |= later && kgi_ad_overwrites(g, other, r, o, true);
    }
}

/* `r`: the run that it is for; NULL: none. */
static void plan_values(kgi_ad_module *g, kgi_ad_run *r, kgi_ad *a, kgi_program **where) {
  kgi_ad_decide(a);
  if (a->status == KG_OK) kgi_ad_shares(a);
  if (a->status == KG_OK && r) kgi_ad_try_asides(g, r);
  if (a->status == KG_OK) kgi_ad_try_copies(a, where);
  if (a->status == KG_OK) kgi_ad_try_strips(a, where);
}

/* Makes plain regions of them; whether there are any. */
static bool forget_checkpoints(kgi_program *p) {
  bool any = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_checkpoint) p->inst[i].kind = KGI_region, any = true;
  return any;
}

/* The program once more, as it would be planned without its checkpoints. `program`: its place in the working module. */
static kg_status plan_without(kgi_ad_module *g, kgi_ad_run *r, kgi_program **program) {
  kgi_diags quiet = {.sink = NULL};
  kgi_program *before = *program, *p = kgi_program_copy(&g->work->arena, g->m->program[item_of(g, r)->program]);
  if (!p) return KG_NO_MEMORY;
  if (!forget_checkpoints(p)) return KG_OK;
  kgi_ad *a = kgi_arena_alloc(&g->scratch, 1, sizeof *a);
  if (!a || !kgi_ad_join_twice(g, r, p)) return KG_NO_MEMORY;
  *program = p;
  r->plain = a;
  kg_status status = kgi_ad_analyse(a, g->work, p, &quiet, g->params->alloc);
  a->req = r->ad.req;
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope) && status == KG_OK; o++) a->object[o].overwritten = r->ad.object[o].overwritten, a->object[o].replaced = r->ad.object[o].replaced;
  if (status == KG_OK) kgi_ad_spread_varied(a), kgi_ad_spread_active(a), kgi_ad_check_activity(a);
  if (status == KG_OK && a->status == KG_OK) plan_values(g, NULL, a, program);
  a->diags = NULL; /* nothing is planned any more */
  *program = before;
  return status == KG_NO_MEMORY || a->status == KG_NO_MEMORY ? KG_NO_MEMORY : KG_OK;
}

static kg_status plan_run(kgi_ad_module *g, kgi_ad_run *r) {
  kgi_ad_check_activity(&r->ad);
  if (r->ad.status != KG_OK) return r->ad.status;
  r->has_content = has_content(&r->ad) || (g->m->lone && !g->split); /* a lone program is rebuilt in any case */
  if (!r->has_content) return KG_OK;
  if (r->stated) return r->ad.req = r->req, note_overwritten(g, r), kgi_ad_check_stated(g, r);
  kgi_ad_describe_shadows(g, r);
  bool last = r->order + 1 == g->order && !r->repeat && !g->split;
  if (last && kgi_ad_waits_for_all(&r->ad)) last = false;
  r->req.fused = r->fused = last;
  r->ad.req = r->req;
  kg_status status = kgi_ad_check_twice(g, r);
  if (status != KG_OK) return status;
  g->work->program[item_of(g, r)->program] = r->ad.f.p;
  if (!r->fused) note_overwritten(g, r);
  plan_values(g, r, &r->ad, &g->work->program[item_of(g, r)->program]);
  if (r->ad.status != KG_OK || !g->explained) return r->ad.status;
  return plan_without(g, r, &g->work->program[item_of(g, r)->program]);
}

static void warn_independent(kgi_ad_module *g) {
  const kgi_scope *s = &g->m->scope;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (g->of[o] && g->params->of_count && !g->second && !g->useful[g->blocks.of[o]]) KGI_DIAG(&g->diags, grad_independent, s->object[o].pos, kgi_string(g->m, s->object[o].name));
}

kg_status kgi_ad_find_activity(kgi_ad_module *g) {
  g->parent = kgi_arena_alloc(&g->scratch, g->m->item_count, sizeof *g->parent);
  if (!g->parent) return KG_NO_MEMORY;
  if (!kgi_overlaps_find(&g->blocks, &g->scratch, &g->m->scope) || !collect(g, g->m->first_item, 0, 0, 0)) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < g->run_count; i++) {
    kg_status status = analyse(g, &g->run[i]);
    if (status != KG_OK) return status;
  }
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    if (g->wrt[o]) g->varied[g->blocks.of[o]] = 1;
    if (g->of[o]) g->useful[g->blocks.of[o]] = 1;
  }
  kgi_ad_find_viewed(g);
  spread_all(g);
  warn_independent(g);
  return KG_OK;
}

kg_status kgi_ad_plan(kgi_ad_module *g) {
  kg_status worst = kgi_ad_find_activity(g);
  if (worst == KG_OK && !kgi_ad_find_touches(g)) worst = KG_NO_MEMORY;
  if (worst != KG_OK) return worst;
  kgi_ad_find_anew(g);
  for (uint32_t i = 0; i < g->run_count && worst != KG_NO_MEMORY; i++) {
    kg_status status = plan_run(g, &g->run[i]);
    if (worst == KG_OK) worst = status;
  }
  if (worst == KG_OK) worst = kgi_ad_check_overlaps(g);
  return worst == KG_OK ? kgi_ad_keep_to_limit(g) : worst;
}
