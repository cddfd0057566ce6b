/* What rounding may make of a gradient on any device: the gradient's module run with intervals on the reference. What the results of
 * atomics decide is anything there. Where other orders of invocations leave the same, order decides nothing, and a device is held to it. */
#include "verify/oracle.h"
#include "verify/orders.h"

#include <math.h>

/* What rounding may make of each gradient: of all its elements, by the adjoint's buffers; in the data's arena. */
typedef struct bounds { double **low, **high; } bounds;

static kg_status make_bounds(const kgi_oracle *o, kgi_arena *arena, bounds *b) {
  uint32_t buffers = kg_module_buffer_count(o->gradient.adjoint);
  b->low = kgi_arena_alloc(arena, buffers, sizeof *b->low);
  b->high = kgi_arena_alloc(arena, buffers, sizeof *b->high);
  for (size_t k = 0; !arena->failed && k < o->inputs; k++) {
    uint32_t shadow = o->input[k].shadow;
    b->low[shadow] = kgi_arena_alloc(arena, (size_t)o->input[k].count, sizeof(double));
    b->high[shadow] = kgi_arena_alloc(arena, (size_t)o->input[k].count, sizeof(double));
  }
  return arena->failed ? kgi_oracle_no_memory(o) : KG_OK;
}

static void bound_points(kgi_oracle *o, const bounds *b) {
  for (size_t k = 0; k < o->inputs; k++)
    for (size_t i = 0; i < o->input[k].points; i++) {
      kgi_oracle_point *p = &o->input[k].point[i];
      p->low = b->low[o->input[k].shadow][p->index], p->high = b->high[o->input[k].shadow][p->index];
    }
}

/* Summed in the order in which the product with a gradient is, for then rounding keeps one inside the other. */
static void add_bounds(const kgi_oracle_input *in, const bounds *b, const double *u, kgi_oracle_point *p) {
  const double *low = b->low[in->shadow], *high = b->high[in->shadow];
  for (uint64_t n = 0; n < in->count; n++) {
    if (u[n] == 0) continue;
    p->low += u[n] * (u[n] > 0 ? low[n] : high[n]);
    p->high += u[n] * (u[n] > 0 ? high[n] : low[n]);
  }
}

static kg_status bound_direction(kgi_oracle *o, size_t k, const bounds *b) {
  kgi_oracle_point *p = &o->direction[k];
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  p->low = p->high = 0;
  for (size_t i = 0; i < o->inputs; i++) {
    const double *u = kgi_oracle_direction(o, &o->input[i], k, &scratch);
    if (u) add_bounds(&o->input[i], b, u, p);
  }
  kg_status status = scratch.failed ? kgi_oracle_no_memory(o) : KG_OK;
  kgi_arena_free(&scratch);
  return status;
}

static kg_status take_bounds(kgi_oracle *o, const bounds *b) {
  kg_status status = KG_OK;
  bound_points(o, b);
  for (size_t k = 0; k < o->directions && status == KG_OK; k++) status = bound_direction(o, k, b);
  return status;
}

/* ---- in the order of a run ---- */

/* Of so many elements it is shown that no order decides them, though `known` does not tell. Where an order decides one, it may decide
 * others, and of a thousand winners these orders show few: then nothing is shown. */
static uint64_t join(const kgi_oracle *o, bool first, const bounds *one, const bounds *known, bounds *all) {
  uint64_t shown = 0;
  for (size_t k = 0; k < o->inputs; k++) {
    uint32_t s = o->input[k].shadow;
    for (uint64_t n = 0; n < o->input[k].count; n++) {
      if (first) all->low[s][n] = one->low[s][n], all->high[s][n] = one->high[s][n];
      else if (!kgi_orders_agree(&all->low[s][n], &all->high[s][n], one->low[s][n], one->high[s][n])) return 0;
      shown += isnan(known->low[s][n]) && !isnan(all->low[s][n]);
    }
  }
  return shown;
}

static void fill(const kgi_oracle *o, const bounds *all, bounds *known) {
  for (size_t k = 0; k < o->inputs; k++) {
    uint32_t s = o->input[k].shadow;
    for (uint64_t n = 0; n < o->input[k].count; n++)
      if (isnan(known->low[s][n])) known->low[s][n] = all->low[s][n], known->high[s][n] = all->high[s][n];
  }
}

static kg_status run_in_order(kgi_oracle *o, kg_math math, uint64_t order, bool first, const bounds *known, bounds *all, uint64_t *shown) {
  bounds b = {0};
  kgi_data d = {0};
  kg_status status = kgi_oracle_entry(o, &d);
  if (status == KG_OK) status = make_bounds(o, &d.arena, &b);
  kg_reference_params with = {.bounds = KG_BOUNDS_REAL, .math = math, .flush_subnormals = true, .low = b.low, .high = b.high,
                              .order = order, .in_order = true};
  bool ran = status == KG_OK && kgi_oracle_run(o, NULL, &with, &d, NULL) == KG_OK;
  *shown = ran ? join(o, first, &b, known, all) : 0;
  kgi_data_free(&d);
  return o->memory.failed ? kgi_oracle_no_memory(o) : status;
}

/* An order in which the run fails shows nothing, and then nothing is shown. */
static kg_status settle_orders(kgi_oracle *o, kg_math math, kgi_arena *arena, bounds *known) {
  bounds all = {0};
  uint64_t shown = 1;
  kg_status status = make_bounds(o, arena, &all);
  for (uint64_t order = 0; order < KGI_ORDERS_TRIED && status == KG_OK && shown; order++)
    status = run_in_order(o, math, order, order == 0, known, &all, &shown);
  if (status == KG_OK && shown) fill(o, &all, known);
  return status;
}

/* ---- the whole ---- */

/* The adjoint with intervals, which hold what any device may give and what there would be without rounding. Where there are none
 * (the run fails, or would take more memory than it may) tolerances decide alone, and the verdict says so. The reference has one order. */
static kg_status bound_in(kgi_oracle *o, kg_math math) {
  bounds b = {0};
  kgi_data d = {0};
  kg_reference_report report = {0};
  kgi_oracle_progress(o, "intervals", 0, 1);
  kg_status status = kgi_oracle_entry(o, &d);
  if (status == KG_OK) status = make_bounds(o, &d.arena, &b);
  kg_reference_params with = {.bounds = KG_BOUNDS_REAL, .math = math, .flush_subnormals = true, .low = b.low, .high = b.high};
  o->scale.bounded = status == KG_OK && kgi_oracle_run(o, NULL, &with, &d, &report) == KG_OK;
  if (status == KG_OK && o->memory.failed) status = kgi_oracle_no_memory(o);
  o->undecided = report.undecided, o->undecided_line = report.undecided_line, o->undecided_column = report.undecided_column;
  if (o->scale.bounded && status == KG_OK && o->undecided && o->params->device_count && kgi_may_go_by_order(o->gradient.adjoint))
    status = settle_orders(o, math, &d.arena, &b);
  if (o->scale.bounded && status == KG_OK) status = take_bounds(o, &b);
  kgi_data_free(&d);
  return status;
}

static void keep_tight(kgi_oracle_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) points[i].tight_low = points[i].low, points[i].tight_high = points[i].high;
}

/* In exact arithmetic first: how much further a mode's intervals reach is what its device may be off besides. */
kg_status kgi_oracle_bound(kgi_oracle *o) {
  kg_status status = bound_in(o, KG_MATH_EXACT);
  for (size_t k = 0; k < o->inputs; k++) keep_tight(o->input[k].point, o->input[k].points);
  keep_tight(o->direction, o->directions);
  return status == KG_OK && o->scale.bounded && o->params->math != KG_MATH_EXACT ? bound_in(o, o->params->math) : status;
}
