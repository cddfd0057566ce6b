/* The gradient's module leaves the kernel's outputs as the kernel itself does. On a device, what a kernel makes of the results of
 * atomics may go by the order in which invocations come: then both may be right and differ. That is held to be so of an element only
 * where the reference shows it: the kernel itself leaves something else there in another order; or it does so in another element of the
 * buffer, and intervals say that this one is anything. For of all the orders of many invocations few are tried. */
#include "verify/oracle.h"
#include "verify/orders.h"

#include <math.h>

/* Elements that differ, of one buffer, and which of them no order accounts for yet. */
typedef struct apart {
  bool *open, moves; /* an order has changed some element of the buffer */
  uint64_t count;
} apart;

/* On a device, another order of atomic adds is allowed; the reference has one order. */
static bool is_near(const kgi_scale *s, bool exact, double x, double y) {
  if (x == y || (isnan(x) && isnan(y))) return true;
  return !exact && fabs(x - y) <= KG_VERIFY_C * s->unit * s->depth * (fabs(x) + fabs(y) + 1);
}

static bool mark(const kgi_oracle *o, kgi_judged *d, const kgi_scale *s, const kgi_data *plain, const kgi_data *combined, uint32_t b,
                 apart *a) {
  kg_buffer_info info = kg_module_buffer(o->gradient.module, b);
  uint32_t other = kg_module_find_buffer(o->gradient.adjoint, info.name);
  for (uint64_t i = 0; other != UINT32_MAX && i < plain->array[b].count; i++) {
    if (is_near(s, d->same, kgi_data_element(plain, b, i), kgi_data_element(combined, other, i))) continue;
    if (!a->open) a->open = kgi_arena_alloc(&d->arena, (size_t)plain->array[b].count, sizeof *a->open);
    if (!a->open) return false;
    a->open[i] = true, a->count++;
  }
  return true;
}

static void account_for(const kgi_scale *s, const kgi_data *one, const kgi_data *other, uint32_t b, apart *a) {
  for (uint64_t i = 0; a->count && i < one->array[b].count; i++) {
    if ((a->moves && !a->open[i]) || is_near(s, false, kgi_data_element(one, b, i), kgi_data_element(other, b, i))) continue;
    a->moves = true;
    if (a->open[i]) a->open[i] = false, a->count--;
  }
}

static bool is_open(const apart *a, uint32_t buffers) {
  for (uint32_t b = 0; b < buffers; b++)
    if (a[b].count) return true;
  return false;
}

/* An order in which the run fails, as where workgroups wait for one another, shows nothing. */
static kg_status try_orders(const kgi_oracle *o, const kgi_scale *s, uint32_t buffers, apart *a) {
  kgi_data first = {0}, other = {0};
  kg_status status = kgi_oracle_primal(o, &first);
  if (status == KG_OK) status = kgi_oracle_run(o, NULL, &(kg_reference_params){.module = NULL}, &first, NULL);
  for (uint64_t order = 1; order < KGI_ORDERS_TRIED && status == KG_OK && is_open(a, buffers); order++) {
    status = kgi_oracle_primal(o, &other);
    if (status == KG_OK) status = kgi_oracle_run(o, NULL, &(kg_reference_params){.order = order}, &other, NULL);
    for (uint32_t b = 0; b < buffers && status == KG_OK; b++) account_for(s, &first, &other, b, &a[b]);
    kgi_data_free(&other);
  }
  kgi_data_free(&first);
  return status == KG_NO_MEMORY && o->memory.failed ? kgi_oracle_no_memory(o) : KG_OK;
}

static bool has_room(kgi_data *d, double **low, double **high, const apart *a, uint32_t buffers) {
  for (uint32_t b = 0; b < buffers; b++) {
    if (!a[b].count || !a[b].moves) continue;
    low[b] = kgi_arena_alloc(&d->arena, (size_t)d->array[b].count, sizeof **low);
    high[b] = kgi_arena_alloc(&d->arena, (size_t)d->array[b].count, sizeof **high);
  }
  return !d->arena.failed;
}

/* What is anything where an atomic finds anything, in a buffer in which orders have changed something. */
static kg_status ask_intervals(const kgi_oracle *o, uint32_t buffers, apart *a) {
  kgi_data d = {0};
  kg_status status = kgi_oracle_primal(o, &d);
  double **low = kgi_arena_alloc(&d.arena, buffers, sizeof *low), **high = kgi_arena_alloc(&d.arena, buffers, sizeof *high);
  bool room = status == KG_OK && low && high && has_room(&d, low, high, a, buffers);
  const kg_reference_params with = {.bounds = KG_BOUNDS_REAL, .math = o->params->math, .flush_subnormals = true, .low = low, .high = high};
  bool ran = room && kgi_oracle_run(o, NULL, &with, &d, NULL) == KG_OK;
  for (uint32_t b = 0; b < buffers && ran; b++)
    for (uint64_t i = 0; low[b] && i < d.array[b].count; i++)
      if (a[b].open[i] && isnan(low[b][i])) a[b].open[i] = false, a[b].count--;
  if (status == KG_OK && (!room || o->memory.failed)) status = kgi_oracle_no_memory(o);
  kgi_data_free(&d);
  return status;
}

static bool moves(const apart *a, uint32_t buffers) {
  for (uint32_t b = 0; b < buffers; b++)
    if (a[b].count && a[b].moves) return true;
  return false;
}

kg_status kgi_compare_outputs(const kgi_oracle *o, kgi_judged *d, const kgi_scale *s, const kgi_data *plain, const kgi_data *combined) {
  uint32_t buffers = kg_module_buffer_count(o->gradient.module);
  const char *first = NULL;
  apart *a = kgi_arena_alloc(&d->arena, buffers, sizeof *a);
  if (!a) return kgi_oracle_no_memory(o);
  for (uint32_t b = 0; b < buffers; b++) {
    if (!mark(o, d, s, plain, combined, b, &a[b])) return kgi_oracle_no_memory(o);
    if (a[b].count && !first) first = kg_module_buffer(o->gradient.module, b).name;
  }
  kg_status status = first && !d->same ? try_orders(o, s, buffers, a) : KG_OK;
  if (status == KG_OK && moves(a, buffers)) status = ask_intervals(o, buffers, a);
  for (uint32_t b = 0; b < buffers && !d->differs; b++)
    if (a[b].count) d->differs = kg_module_buffer(o->gradient.module, b).name;
  if (!d->differs) d->by_order = first;
  return status;
}
