/* Runs of the module with dual numbers on the reference: a derivative and its magnitude for each entry, and for directions. */
#include "verify/oracle.h"

#include "tools/value.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdlib.h>

enum { BATCH = 16 };

/* Of tangents and magnitudes; fewer directions at once where the arrays are large. */
static const double ROOM = 512e6;

/* Tangents and magnitudes of every float buffer, [count][length], for one run. */
typedef struct duals {
  tool_data data;
  double **tangent, **magnitude, *param;
  uint32_t buffers;
  uint64_t count, operations;
} duals;

static void duals_free(duals *x) {
  for (uint32_t b = 0; b < x->buffers; b++) {
    if (x->tangent) free(x->tangent[b]);
    if (x->magnitude) free(x->magnitude[b]);
  }
  free(x->tangent);
  free(x->magnitude);
  free(x->param);
  tool_data_free(&x->data);
}

static bool is_carried(kg_buffer_info info) { return tool_type_is_float(info.type) && info.mode != KG_TEMP; }

static tool_exit duals_make(const verify_oracle *o, uint64_t count, duals *x) {
  const kg_module *m = o->params->gradient.module;
  *x = (duals){.buffers = kg_module_buffer_count(m), .count = count};
  if (!tool_data_make(m, &o->params->data, &o->ctx->sink, &x->data)) return TOOL_BAD;
  x->tangent = calloc(x->buffers + (size_t)1, sizeof *x->tangent);
  x->magnitude = calloc(x->buffers + (size_t)1, sizeof *x->magnitude);
  x->param = calloc((size_t)count * (kg_module_param_count(m) + (size_t)1), sizeof *x->param);
  bool fine = x->tangent && x->magnitude && x->param;
  for (uint32_t b = 0; fine && b < x->buffers; b++) {
    size_t size = (size_t)x->data.host.length[b];
    if (!is_carried(kg_module_buffer(m, b))) continue;
    if (size > SIZE_MAX / 16 / count) return verify_no_memory(o);
    x->tangent[b] = calloc(size * count + 1, sizeof(double));
    x->magnitude[b] = calloc(size * count + 1, sizeof(double));
    fine = x->tangent[b] && x->magnitude[b];
  }
  return fine ? TOOL_OK : verify_no_memory(o);
}

static tool_exit duals_run(const verify_oracle *o, duals *x) {
  void **arrays = calloc(x->buffers + (size_t)1, sizeof *arrays);
  if (!arrays) return verify_no_memory(o);
  for (uint32_t b = 0; b < x->buffers; b++) arrays[b] = x->data.array[b].data;
  kg_reference_report report = {0};
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = o->params->gradient.module, .sink = &o->ctx->sink, .buffers = arrays,
                             .lengths = x->data.host.length, .param_bits = x->data.host.param,
                             .tangent_count = (uint32_t)x->count, .tangents = x->tangent, .magnitudes = x->magnitude,
                             .param_tangents = x->param, .step_limit = o->params->step_limit}, &report);
  x->operations = report.lane_instructions;
  free(arrays);
  return tool_exit_of(status);
}

/* The derivative of <cotangent, outputs> in direction t, and its magnitude. */
static void contract(const verify_oracle *o, const duals *x, uint64_t t, verify_point *out) {
  out->dual = out->magnitude = 0;
  for (uint32_t b = 0; b < x->buffers; b++) {
    uint64_t n = x->data.host.length[b];
    for (uint64_t i = 0; o->cotangent[b].data && i < n; i++) {
      double g = verify_cotangent(o, b, i);
      if (g == 0) continue;
      out->dual += g * x->tangent[b][t * n + i];
      out->magnitude += fabs(g) * x->magnitude[b][t * n + i];
    }
  }
}

static void seed(const verify_oracle *o, const verify_input *in, duals *x, uint64_t t, uint64_t index, double value) {
  if (in->entry.is_param) x->param[t * kg_module_param_count(o->params->gradient.module) + in->at] = value;
  else x->tangent[in->at][t * x->data.host.length[in->at] + index] = value;
}

static uint64_t batch_size(const verify_oracle *o) {
  double size = 1;
  for (uint32_t b = 0; b < kg_module_buffer_count(o->params->gradient.module); b++)
    if (is_carried(kg_module_buffer(o->params->gradient.module, b))) size += (double)o->primal.host.length[b];
  double fit = ROOM / (16 * size);
  return fit >= BATCH ? BATCH : fit < 1 ? 1 : (uint64_t)fit;
}

/* ---- entries ---- */

static tool_exit run_entries(verify_oracle *o, verify_input *in, size_t first, uint64_t count) {
  duals x = {0};
  tool_exit status = duals_make(o, count, &x);
  for (uint64_t t = 0; t < count && status == TOOL_OK; t++) seed(o, in, &x, t, in->point[first + t].index, 1);
  if (status == TOOL_OK) status = duals_run(o, &x);
  for (uint64_t t = 0; t < count && status == TOOL_OK; t++) contract(o, &x, t, &in->point[first + t]);
  duals_free(&x);
  return status;
}

static tool_exit all_entries(verify_oracle *o, verify_input *in) {
  uint64_t batch = batch_size(o);
  for (size_t first = 0; first < in->points; first += batch) {
    tool_progress_step(&o->progress, in->entry.shadow, first, in->points);
    uint64_t left = in->points - first;
    tool_exit status = run_entries(o, in, first, left < batch ? left : batch);
    if (status != TOOL_OK) return status;
  }
  return TOOL_OK;
}

/* ---- directions ---- */

bool verify_direction(const verify_oracle *o, const verify_input *in, size_t k, double *u) {
  tool_array a = {.type = KG_F64, .dims = 1, .shape = {in->count}, .count = in->count, .data = u};
  verify_name name = verify_name_of("grad_", in->entry.name);
  if (!tool_data_random(o->params->data.seed + 1 + k, name.text, -1, 1, &a)) return false;
  for (uint64_t i = 0; i < in->count; i++)
    if (!isfinite(verify_element(&o->reference, in->shadow, i))) u[i] = 0;
  return true;
}

/* What the direction's product has of the contents on entry. It is rounded element by element. */
static void add_start(const verify_oracle *o, const verify_input *in, const double *u, verify_point *p) {
  for (uint64_t n = 0; o->params->gradient.asked->accumulate && n < in->count; n++) {
    p->start += u[n] * verify_start(o, in, n);
    p->magnitude += fabs(u[n] * verify_start(o, in, n));
  }
}

static tool_exit start_direction(verify_oracle *o, size_t k) {
  for (size_t i = 0; i < o->inputs; i++) {
    double *u = malloc((size_t)o->input[i].count * sizeof *u + 1);
    bool fine = u && verify_direction(o, &o->input[i], k, u);
    if (fine) add_start(o, &o->input[i], u, &o->direction[k]);
    free(u);
    if (!fine) return verify_no_memory(o);
  }
  return TOOL_OK;
}

static tool_exit seed_direction(const verify_oracle *o, duals *x, uint64_t t, size_t k) {
  for (size_t i = 0; i < o->inputs; i++) {
    const verify_input *in = &o->input[i];
    double *u = malloc((size_t)in->count * sizeof *u + 1);
    bool fine = u && verify_direction(o, in, k, u);
    for (uint64_t n = 0; fine && n < in->count; n++) seed(o, in, x, t, n, u[n]);
    free(u);
    if (!fine) return verify_no_memory(o);
  }
  return TOOL_OK;
}

static tool_exit run_directions(verify_oracle *o, size_t first, uint64_t count) {
  duals x = {0};
  tool_exit status = duals_make(o, count, &x);
  for (uint64_t t = 0; t < count && status == TOOL_OK; t++) status = seed_direction(o, &x, t, first + t);
  if (status == TOOL_OK) status = duals_run(o, &x);
  for (uint64_t t = 0; t < count && status == TOOL_OK; t++) {
    contract(o, &x, t, &o->direction[first + t]);
    status = start_direction(o, first + t);
  }
  o->operations = x.operations;
  duals_free(&x);
  return status;
}

static tool_exit all_directions(verify_oracle *o) {
  uint64_t batch = batch_size(o);
  for (size_t first = 0; first < o->directions; first += batch) {
    tool_progress_step(&o->progress, "random directions", first, o->directions);
    uint64_t left = o->directions - first;
    tool_exit status = run_directions(o, first, left < batch ? left : batch);
    if (status != TOOL_OK) return status;
  }
  return TOOL_OK;
}

/* ---- which entries ---- */

/* splitmix64, as for the data. */
static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* One from each of as many equal parts, at random, so that no stride is missed; the first and the last besides. */
static tool_exit choose(const verify_oracle *o, verify_input *in, uint64_t entries) {
  uint64_t state = o->params->data.seed;
  in->points = (size_t)(in->count < entries ? in->count : entries);
  in->point = calloc(in->points + 1, sizeof *in->point);
  if (!in->point) return verify_no_memory(o);
  for (size_t k = 0; k < in->points; k++) {
    double part = (double)in->count / (double)in->points;
    uint64_t from = (uint64_t)((double)k * part), to = (uint64_t)((double)(k + 1) * part);
    uint64_t index = in->points == in->count ? k : from + next(&state) % (to > from ? to - from : 1);
    if (in->points > 1 && k == 0) index = 0;
    if (in->points > 1 && k == in->points - 1) index = in->count - 1;
    in->point[k] = verify_no_point(index);
    in->point[k].start = verify_start(o, in, index);
  }
  return TOOL_OK;
}

static int by_index(const void *a, const void *b) {
  const verify_point *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Directions leave out what is not finite on the reference, so some of it is looked at one by one. */
static tool_exit choose_infinite(const verify_oracle *o, verify_input *in) {
  enum { MOST = 16 };
  size_t chosen = in->points;
  verify_point *more = realloc(in->point, (chosen + MOST) * sizeof *more);
  if (!more) return verify_no_memory(o);
  in->point = more;
  for (uint64_t n = 0; n < in->count && in->points < chosen + MOST; n++) {
    verify_point p = verify_no_point(n);
    if (isfinite(verify_element(&o->reference, in->shadow, n)) || bsearch(&p, in->point, chosen, sizeof p, by_index)) continue;
    p.start = verify_start(o, in, n);
    in->point[in->points++] = p;
  }
  qsort(in->point, in->points, sizeof *in->point, by_index);
  return TOOL_OK;
}

/* So many that each input takes about a minute at most. */
static uint64_t moderate(const verify_oracle *o) {
  double fit = 1e9 / ((double)o->operations + 1);
  return fit >= 256 ? 256 : fit < 8 ? 8 : (uint64_t)fit;
}

tool_exit verify_duals(verify_oracle *o) {
  tool_exit status = all_directions(o);
  uint64_t entries = o->params->entries ? o->params->entries : moderate(o);
  for (size_t k = 0; k < o->inputs && status == TOOL_OK; k++) {
    status = choose(o, &o->input[k], entries);
    if (status == TOOL_OK) status = choose_infinite(o, &o->input[k]);
    if (status == TOOL_OK) status = all_entries(o, &o->input[k]);
  }
  return status;
}
