/* Runs of the module with dual numbers on the reference: a derivative and its magnitude for each entry, and for directions. */
#include "foundation/base/random.h"
#include "verify/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, MOST_INFINITE = 16 };

/* Of tangents and magnitudes; fewer directions at once where the arrays are large. */
static const double ROOM = 512e6;

/* Tangents and magnitudes, [count][length], of float buffers that are seeded or judged, for one run; in the data's arena. */
typedef struct duals {
  kgi_data data;
  double **tangent, **magnitude, *param;
  uint32_t buffers;
  uint64_t count, operations;
} duals;

static void duals_free(duals *x) { kgi_data_free(&x->data); }

/* Derivatives of others are nobody's question, and need not be known. */
static bool is_carried(const kgi_oracle *o, uint32_t b) {
  bool asked = o->cotangent[b].data;
  for (size_t k = 0; k < o->inputs; k++) asked |= !o->input[k].entry.is_param && o->input[k].at == b;
  return asked;
}

static kg_status duals_make(const kgi_oracle *o, uint64_t count, duals *x) {
  const kg_module *m = o->gradient.module;
  *x = (duals){.buffers = kg_module_buffer_count(m), .count = count};
  kg_status status = kgi_oracle_primal(o, &x->data);
  if (status != KG_OK) return status;
  kgi_arena *arena = &x->data.arena;
  x->tangent = kgi_arena_alloc(arena, x->buffers, sizeof *x->tangent);
  x->magnitude = kgi_arena_alloc(arena, x->buffers, sizeof *x->magnitude);
  x->param = kgi_arena_alloc(arena, (size_t)count * kg_module_param_count(m), sizeof *x->param);
  for (uint32_t b = 0; !arena->failed && b < x->buffers; b++) {
    size_t size = (size_t)x->data.host.length[b];
    if (!is_carried(o, b)) continue;
    if (size > SIZE_MAX / 16 / count) return kgi_oracle_no_memory(o);
    x->tangent[b] = kgi_arena_alloc(arena, size * count, sizeof(double));
    x->magnitude[b] = kgi_arena_alloc(arena, size * count, sizeof(double));
  }
  return arena->failed ? kgi_oracle_no_memory(o) : KG_OK;
}

static kg_status duals_run(const kgi_oracle *o, duals *x) {
  kg_reference_report report = {0};
  kg_reference_params with = {.tangent_count = (uint32_t)x->count, .tangents = x->tangent, .magnitudes = x->magnitude,
                              .param_tangents = x->param};
  kg_status status = kgi_oracle_run(o, o->sink, &with, &x->data, &report);
  x->operations = report.lane_instructions;
  return status;
}

/* The derivative of <cotangent, outputs> in direction t, and its magnitude. */
static void contract(const kgi_oracle *o, const duals *x, uint64_t t, kgi_oracle_point *out) {
  out->dual = out->magnitude = 0;
  for (uint32_t b = 0; b < x->buffers; b++) {
    uint64_t n = x->data.host.length[b];
    for (uint64_t i = 0; o->cotangent[b].data && i < n; i++) {
      double g = kgi_oracle_cotangent(o, b, i);
      if (g == 0) continue;
      out->dual += g * x->tangent[b][t * n + i];
      out->magnitude += fabs(g) * x->magnitude[b][t * n + i];
    }
  }
}

static void seed(const kgi_oracle *o, const kgi_oracle_input *in, duals *x, uint64_t t, uint64_t index, double value) {
  if (in->entry.is_param) x->param[t * kg_module_param_count(o->gradient.module) + in->at] = value;
  else x->tangent[in->at][t * x->data.host.length[in->at] + index] = value;
}

static uint64_t batch_size(const kgi_oracle *o) {
  double size = 1;
  for (uint32_t b = 0; b < kg_module_buffer_count(o->gradient.module); b++)
    if (is_carried(o, b)) size += (double)o->primal.host.length[b];
  double fit = ROOM / (16 * size);
  return fit >= BATCH ? BATCH : fit < 1 ? 1 : (uint64_t)fit;
}

/* ---- entries ---- */

static kg_status run_entries(kgi_oracle *o, kgi_oracle_input *in, size_t first, uint64_t count) {
  duals x = {0};
  kg_status status = duals_make(o, count, &x);
  for (uint64_t t = 0; t < count && status == KG_OK; t++) seed(o, in, &x, t, in->point[first + t].index, 1);
  if (status == KG_OK) status = duals_run(o, &x);
  for (uint64_t t = 0; t < count && status == KG_OK; t++) contract(o, &x, t, &in->point[first + t]);
  duals_free(&x);
  return status;
}

kg_status kgi_oracle_dual_at(const kgi_oracle *o, const kgi_oracle_input *in, kgi_oracle_point *p) {
  duals x = {0};
  kg_status status = duals_make(o, 1, &x);
  if (status == KG_OK) seed(o, in, &x, 0, p->index, 1);
  if (status == KG_OK) status = duals_run(o, &x);
  if (status == KG_OK) contract(o, &x, 0, p);
  duals_free(&x);
  return status;
}

kg_status kgi_oracle_entries(kgi_oracle *o, kgi_oracle_input *in) {
  uint64_t batch = batch_size(o);
  for (size_t first = 0; first < in->points; first += batch) {
    kgi_oracle_progress(o, in->entry.shadow, first, in->points);
    uint64_t left = in->points - first;
    kg_status status = run_entries(o, in, first, left < batch ? left : batch);
    if (status != KG_OK) return status;
  }
  return KG_OK;
}

/* ---- directions ---- */

double *kgi_oracle_direction(const kgi_oracle *o, const kgi_oracle_input *in, size_t k, kgi_arena *arena) {
  kgi_array a;
  kgi_oracle_name name = kgi_oracle_name_of("grad_", in->entry.name);
  if (!kgi_array_draw(arena, o->params->seed + 1 + k, name.text, KG_F64, in->count, &a)) return NULL;
  double *u = a.data;
  for (uint64_t i = 0; i < in->count; i++)
    if (!isfinite(kgi_data_element(&o->reference, in->shadow, i))) u[i] = 0;
  return u;
}

/* What the direction's product has of the contents on entry. It is rounded element by element. */
static void add_start(const kgi_oracle_input *in, const double *u, kgi_oracle_point *p) {
  for (uint64_t n = 0; in->added && n < in->count; n++) {
    p->start += u[n] * kgi_oracle_start(in, n);
    p->magnitude += fabs(u[n] * kgi_oracle_start(in, n));
  }
}

static kg_status start_direction(kgi_oracle *o, size_t k) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  for (size_t i = 0; i < o->inputs; i++) {
    const double *u = kgi_oracle_direction(o, &o->input[i], k, &scratch);
    if (u) add_start(&o->input[i], u, &o->direction[k]);
  }
  kg_status status = scratch.failed ? kgi_oracle_no_memory(o) : KG_OK;
  kgi_arena_free(&scratch);
  return status;
}

static kg_status seed_direction(const kgi_oracle *o, duals *x, uint64_t t, size_t k) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  for (size_t i = 0; i < o->inputs; i++) {
    const kgi_oracle_input *in = &o->input[i];
    const double *u = kgi_oracle_direction(o, in, k, &scratch);
    for (uint64_t n = 0; u && n < in->count; n++) seed(o, in, x, t, n, u[n]);
  }
  kg_status status = scratch.failed ? kgi_oracle_no_memory(o) : KG_OK;
  kgi_arena_free(&scratch);
  return status;
}

static kg_status run_directions(kgi_oracle *o, size_t first, uint64_t count) {
  duals x = {0};
  kg_status status = duals_make(o, count, &x);
  for (uint64_t t = 0; t < count && status == KG_OK; t++) status = seed_direction(o, &x, t, first + t);
  if (status == KG_OK) status = duals_run(o, &x);
  for (uint64_t t = 0; t < count && status == KG_OK; t++) {
    contract(o, &x, t, &o->direction[first + t]);
    status = start_direction(o, first + t);
  }
  o->operations = x.operations;
  duals_free(&x);
  return status;
}

kg_status kgi_oracle_along(kgi_oracle *o) {
  uint64_t batch = batch_size(o);
  for (size_t first = 0; first < o->directions; first += batch) {
    kgi_oracle_progress(o, "random directions", first, o->directions);
    uint64_t left = o->directions - first;
    kg_status status = run_directions(o, first, left < batch ? left : batch);
    if (status != KG_OK) return status;
  }
  return KG_OK;
}

/* ---- which entries ---- */

/* One from each of as many equal parts, at random, so that no stride is missed; the first and the last besides. Where somebody doubts
 * an entry of the part, that one. */
static kg_status choose(kgi_oracle *o, kgi_oracle_input *in, uint64_t entries) {
  uint64_t state = o->params->seed;
  in->points = (size_t)(in->count < entries ? in->count : entries);
  in->point = kgi_arena_alloc(&o->arena, in->points + MOST_INFINITE, sizeof *in->point);
  if (!in->point) return kgi_oracle_no_memory(o);
  for (size_t k = 0; k < in->points; k++) {
    kgi_oracle_part part = kgi_oracle_part_of(in, k, in->points);
    uint64_t index = in->points == in->count ? k : part.from + kgi_random(&state) % (part.to > part.from ? part.to - part.from : 1);
    if (in->points > 1 && k == 0) index = 0;
    if (in->points > 1 && k == in->points - 1) index = in->count - 1;
    if (in->suspect && in->suspect[k] != KGI_NO_SUSPECT) index = in->suspect[k];
    in->point[k] = kgi_oracle_no_point(index);
    in->point[k].start = kgi_oracle_start(in, index);
  }
  return KG_OK;
}

/* ---- tangents ---- */

static void seed_drawn(const kgi_oracle *o, duals *x) {
  for (uint32_t b = 0; b < x->buffers; b++)
    for (uint64_t n = 0; o->cotangent[b].data && n < o->cotangent[b].count; n++) x->tangent[b][n] = kgi_oracle_cotangent(o, b, n);
  for (uint32_t q = 0; q < kg_module_param_count(o->gradient.module); q++)
    if (o->direction_of[q].data) x->param[q] = kgi_array_element(&o->direction_of[q], 0);
}

/* All ones is a NaN that no operation gives: an element that still is when the kernel has run is undefined, and so is its tangent. */
static void mark_undefined(duals *x) {
  for (uint32_t b = 0; b < x->buffers; b++)
    if (kg_module_buffer(x->data.module, b).mode == KG_WRITE && x->data.at[b]) memset(x->data.at[b], 0xFF, x->data.array[b].size);
}

static bool is_undefined(const duals *x, uint32_t b, uint64_t index) {
  size_t size = kg_type_size(x->data.array[b].type);
  const unsigned char *bytes = (const unsigned char *)x->data.at[b] + index * size;
  for (size_t k = 0; k < size; k++)
    if (bytes[k] != 0xFF) return false;
  return true;
}

static void take_points(kgi_oracle_input *in, const duals *x) {
  size_t kept = 0;
  for (size_t i = 0; i < in->points; i++) {
    kgi_oracle_point p = in->point[i];
    if (is_undefined(x, in->at, p.index)) continue;
    p.dual = x->tangent[in->at][p.index], p.magnitude = x->magnitude[in->at][p.index];
    in->point[kept++] = p;
  }
  in->points = kept;
}

kg_status kgi_oracle_tangents(kgi_oracle *o) {
  duals x = {0};
  kg_status status = duals_make(o, 1, &x);
  if (status == KG_OK) {
    seed_drawn(o, &x);
    mark_undefined(&x);
    status = duals_run(o, &x);
    o->operations = x.operations;
  }
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) {
    status = choose(o, &o->input[k], o->params->entries ? o->params->entries : 256);
    if (status == KG_OK) take_points(&o->input[k], &x);
  }
  duals_free(&x);
  return status;
}

/* ---- gradients ---- */

static int by_index(const void *a, const void *b) {
  const kgi_oracle_point *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Directions leave out what is not finite on the reference, so some of it is looked at one by one. */
static void choose_infinite(const kgi_oracle *o, kgi_oracle_input *in) {
  size_t chosen = in->points;
  for (uint64_t n = 0; n < in->count && in->points < chosen + MOST_INFINITE; n++) {
    kgi_oracle_point p = kgi_oracle_no_point(n);
    if (isfinite(kgi_data_element(&o->reference, in->shadow, n)) || bsearch(&p, in->point, chosen, sizeof p, by_index)) continue;
    p.start = kgi_oracle_start(in, n);
    in->point[in->points++] = p;
  }
  qsort(in->point, in->points, sizeof *in->point, by_index);
}

/* So many that each input takes about a minute at most. */
static uint64_t moderate(const kgi_oracle *o) {
  double fit = 1e9 / ((double)o->operations + 1);
  return fit >= 256 ? 256 : fit < 8 ? 8 : (uint64_t)fit;
}

kg_status kgi_oracle_duals(kgi_oracle *o) {
  kg_status status = kgi_oracle_along(o);
  uint64_t entries = o->params->entries ? o->params->entries : moderate(o);
  if (status == KG_OK) status = kgi_oracle_suspects(o, entries);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) {
    status = choose(o, &o->input[k], entries);
    if (status == KG_OK) choose_infinite(o, &o->input[k]);
    if (status == KG_OK) status = kgi_oracle_entries(o, &o->input[k]);
  }
  return status;
}
