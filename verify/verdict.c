/* The public form of what was found: a copy, which outlives the oracle. */
#include "verify/findings.h"

#include <math.h>
#include <string.h>

struct kg_verdict {
  kg_allocator alloc;
  kgi_arena arena;
  kg_verdict_info info;
  kg_verdict_device *device;
  kg_verdict_gradient *gradient; /* [device][gradients] */
  kg_verdict_entry **entry;      /* [device][gradients + 1]: the directions last */
  kg_verdict_differences *differences; /* [gradients] */
};

static const char *copy(kg_verdict *v, const char *text) { return text ? kgi_arena_strdup(&v->arena, text, strlen(text)) : NULL; }

/* ---- entries ---- */

static kg_verdict_entry entry_of(const kgi_oracle_point *p, const kgi_found *f) {
  const kgi_judgement *j = &f->judgement;
  return (kg_verdict_entry){.index = p->index, .outcome = j->verdict, .gradient = f->gradient, .dual = p->dual,
                            .magnitude = p->magnitude, .low = p->low, .high = p->high, .on_entry = p->start, .unrounded = p->unrounded, .error = j->error,
                            .allowed = j->allowed, .ratio = j->ratio};
}

static kg_verdict_entry *entries_of(kg_verdict *v, const kgi_oracle_point *point, const kgi_found *found, size_t count) {
  kg_verdict_entry *list = kgi_arena_alloc(&v->arena, count, sizeof *list);
  for (size_t i = 0; list && i < count; i++) list[i] = entry_of(&point[i], &found[i]);
  return list;
}

static kg_verdict_gradient gradient_of(const kgi_tally *t, const kgi_oracle_point *point, const kgi_found *found) {
  kg_verdict_gradient g = {.outcome = kgi_outcome_of(t), .hint = "", .checked = t->checked, .failed = t->failed,
                           .inconclusive = t->inconclusive, .lost = kgi_tally_is_lost(t), .zero = kgi_tally_is_zero(t)};
  if (t->checked) g.worst = entry_of(&point[t->worst], &found[t->worst]);
  for (uint64_t i = 0; i < t->checked; i++) g.depends |= point[i].dual != 0;
  return g;
}

/* ---- devices ---- */

static void take_remark(kg_verdict *v, const kgi_remark *r, kg_verdict_gradient *g, kg_verdict_entry *entry) {
  for (uint64_t i = 0; entry && i < g->checked; i++) {
    if (r->unwritten) entry[i].unwritten = r->unwritten[i], g->unwritten += r->unwritten[i];
    entry[i].input = r->input[i];
    if (entry[i].index == g->worst.index) g->worst.unwritten = entry[i].unwritten, g->worst.input = entry[i].input;
  }
  g->added = r->added;
  g->hint = copy(v, r->hint);
}

static void take_gradients(kg_verdict *v, const kgi_findings *f, const kgi_judged *d, size_t device) {
  const kgi_oracle *o = f->oracle;
  for (size_t k = 0; k < o->inputs; k++) {
    const kgi_oracle_input *in = &o->input[k];
    kg_verdict_gradient g = {.outcome = KG_OUTCOME_NONE, .hint = ""};
    if (d->ran) g = gradient_of(&d->tally[k], in->point, d->found[k]);
    g.name = copy(v, in->entry.name);
    g.shadow = copy(v, in->entry.shadow);
    g.is_param = in->entry.is_param, g.tangent = in->entry.tangent, g.count = in->count;
    kg_verdict_entry **entry = &v->entry[device * (o->inputs + 1) + k];
    if (d->ran) *entry = entries_of(v, in->point, d->found[k], in->points);
    if (d->ran && f->remark) take_remark(v, &f->remark[k], &g, *entry);
    v->gradient[device * o->inputs + k] = g;
  }
}

static void take_device(kg_verdict *v, const kgi_findings *f, size_t device) {
  const kgi_oracle *o = f->oracle;
  const kgi_judged *d = &f->device[device];
  kg_verdict_device *out = &v->device[device];
  out->name = copy(v, d->name);
  out->ran = d->ran;
  out->outcome = kgi_outcome_on(f, device);
  out->output_that_differs = copy(v, d->differs);
  out->output_by_order = copy(v, d->by_order);
  out->differs_in_a_second_run = copy(v, d->unsteady);
  take_gradients(v, f, d, device);
  if (!d->ran) return;
  out->along = gradient_of(&d->along, o->direction, d->direction);
  v->entry[device * (o->inputs + 1) + o->inputs] = entries_of(v, o->direction, d->direction, o->directions);
}

/* ---- differences ---- */

static kg_verdict_differences differences_of(const kgi_oracle_input *in) {
  kg_verdict_differences x = {.agree = 0};
  const kgi_oracle_point *worst = NULL;
  for (size_t i = 0; i < in->points; i++) {
    const kgi_oracle_point *p = &in->point[i];
    enum kgi_opinion opinion = kgi_opinion_of(p);
    x.agree += opinion == KGI_AGREES, x.cannot_tell += opinion == KGI_UNSURE, x.disagree += opinion == KGI_DISAGREES;
    bool further = !worst || fabs(p->difference - p->dual) > fabs(worst->difference - worst->dual);
    if (opinion == KGI_DISAGREES && further) worst = p;
  }
  if (worst) x.worst = worst->index, x.difference = worst->difference, x.unsure = worst->unsure, x.dual = worst->dual;
  return x;
}

/* ---- the whole ---- */

static void take_info(kg_verdict *v, const kgi_findings *f) {
  const kgi_oracle *o = f->oracle;
  kgi_reason reason = kgi_reason_of(f);
  v->info = (kg_verdict_info){.outcome = kgi_outcome(f), .module = o->of_module, .gradient = o->of_gradient, .unit = o->scale.unit,
                              .stored_unit = o->storage_unit, .depth = o->scale.depth, .bounded = o->scale.bounded,
                              .undecided = o->undecided, .undecided_line = o->undecided_line,
                              .undecided_column = o->undecided_column, .devices = f->devices,
                              .gradients = f->devices ? o->inputs : 0, .directions = f->devices ? o->directions : 0};
  v->info.reason = copy(v, reason.text);
  v->info.declared_wrongly = *o->contract.fault ? copy(v, o->contract.fault) : NULL;
}

static void take_all(kg_verdict *v, const kgi_findings *f) {
  const kgi_oracle *o = f->oracle;
  take_info(v, f);
  size_t devices = v->info.devices, gradients = v->info.gradients;
  v->device = kgi_arena_alloc(&v->arena, devices, sizeof *v->device);
  v->gradient = kgi_arena_alloc(&v->arena, devices * gradients, sizeof *v->gradient);
  v->entry = kgi_arena_alloc(&v->arena, devices * (gradients + 1), sizeof *v->entry);
  v->differences = kgi_arena_alloc(&v->arena, gradients, sizeof *v->differences);
  for (size_t i = 0; !v->arena.failed && i < devices; i++) take_device(v, f, i);
  for (size_t k = 0; !v->arena.failed && k < gradients; k++) v->differences[k] = differences_of(&o->input[k]);
}

kg_verdict *kgi_verdict_make(const kgi_findings *f, const kg_allocator *alloc) {
  kg_verdict *v = kgi_alloc(alloc, sizeof *v);
  if (!v) return NULL;
  *v = (kg_verdict){.alloc = alloc ? *alloc : (kg_allocator){0}};
  kgi_arena_init(&v->arena, alloc);
  take_all(v, f);
  if (!v->arena.failed) return v;
  kg_verdict_free(v);
  return NULL;
}

void kg_verdict_free(kg_verdict *v) {
  if (!v) return;
  kg_allocator alloc = v->alloc;
  kgi_arena_free(&v->arena);
  kgi_free(&alloc, v, sizeof *v);
}

/* ---- reading ---- */

kg_verdict_info kg_verdict_summary(const kg_verdict *v) { return v->info; }

kg_verdict_device kg_verdict_on(const kg_verdict *v, size_t device) {
  return device < v->info.devices ? v->device[device] : (kg_verdict_device){.name = NULL};
}

kg_verdict_gradient kg_verdict_of(const kg_verdict *v, size_t device, size_t gradient) {
  if (device >= v->info.devices || gradient > v->info.gradients) return (kg_verdict_gradient){.name = NULL};
  return gradient == v->info.gradients ? v->device[device].along : v->gradient[device * v->info.gradients + gradient];
}

kg_verdict_entry kg_verdict_at(const kg_verdict *v, size_t device, size_t gradient, size_t entry) {
  if (entry >= kg_verdict_of(v, device, gradient).checked) return (kg_verdict_entry){.outcome = KG_OUTCOME_NONE};
  return v->entry[device * (v->info.gradients + 1) + gradient][entry];
}

kg_verdict_differences kg_verdict_by_differences(const kg_verdict *v, size_t gradient) {
  return gradient < v->info.gradients ? v->differences[gradient] : (kg_verdict_differences){.agree = 0};
}
