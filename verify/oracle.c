/* What is known of a gradient whatever the device. */
#include "verify/oracle.h"

#include "tools/value.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdlib.h>

tool_exit verify_no_memory(const verify_oracle *o) {
  TOOL_EMIT(&o->ctx->sink, out_of_memory, NULL, NULL);
  return TOOL_BAD;
}

static double element(const tool_array *a, uint64_t i) { return tool_value_number(a->type, tool_value_load(a->type, a->data, i)); }

double verify_element(const tool_data *d, uint32_t buffer, uint64_t i) {
  return element(&d->array[buffer], i);
}

double verify_cotangent(const verify_oracle *o, uint32_t buffer, uint64_t i) { return element(&o->cotangent[buffer], i); }

double verify_start(const verify_oracle *o, const verify_input *in, uint64_t i) {
  return o->params->gradient.asked->accumulate && in->start.data ? element(&in->start, i) : 0;
}

verify_point verify_no_point(uint64_t index) {
  return (verify_point){.index = index, .low = (double)NAN, .high = (double)NAN, .unrounded = (double)NAN, .difference = (double)NAN,
                        .unsure = (double)NAN};
}

bool verify_is_misused(const verify_misuse *m) { return m->failed || m->races || m->uninitialised || m->out_of_range; }

/* ---- runs on the reference ---- */

/* Watching takes some 200 bytes for each element that is written. */
static bool can_watch(const tool_data *d) {
  double size = 0;
  for (uint32_t b = 0; b < kg_module_buffer_count(d->module); b++)
    if (kg_module_buffer(d->module, b).mode != KG_READ) size += (double)d->host.length[b];
  return size < 1e7;
}

static tool_exit watch(verify_oracle *o, tool_data *d, bool wanted, verify_misuse *out) {
  uint32_t buffers = kg_module_buffer_count(d->module);
  void **arrays = calloc(buffers + (size_t)1, sizeof *arrays);
  if (!arrays) return verify_no_memory(o);
  for (uint32_t b = 0; b < buffers; b++) arrays[b] = d->array[b].data;
  kg_reference_report report = {0};
  out->watched = can_watch(d);
  uint32_t checks = wanted && out->watched ? KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES : 0;
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = d->module, .sink = &o->ctx->sink, .buffers = arrays, .lengths = d->host.length,
                             .param_bits = d->host.param, .checks = checks,
                             .step_limit = o->params->step_limit}, &report);
  out->races = report.races, out->uninitialised = report.uninitialised, out->out_of_range = report.out_of_range;
  out->failed = report.fault != KG_FAULT_NONE;
  free(arrays);
  return status == KG_FAILED ? TOOL_OK : tool_exit_of(status);
}

tool_exit verify_watch(verify_oracle *o) {
  tool_data plain = {0};
  tool_progress_step(&o->progress, "watching the reference", 0, 2);
  bool fine = tool_data_make(o->params->gradient.module, &o->params->data, &o->ctx->sink, &plain);
  tool_exit status = fine ? watch(o, &plain, true, &o->kernel) : TOOL_BAD;
  tool_data_free(&plain);
  if (status != TOOL_OK || o->kernel.failed) return status;
  tool_progress_step(&o->progress, "watching the reference", 1, 2);
  return watch(o, &o->reference, !verify_is_misused(&o->kernel), &o->gradient); /* what is wrong is said once */
}

/* ---- intervals ---- */

/* What rounding may make of each gradient: of all its elements, by the adjoint's buffers. */
typedef struct bounds { double **low, **high; uint32_t buffers; } bounds;

static void free_bounds(bounds *b) {
  for (uint32_t i = 0; i < b->buffers; i++) {
    if (b->low) free(b->low[i]);
    if (b->high) free(b->high[i]);
  }
  free(b->low);
  free(b->high);
}

static tool_exit make_bounds(const verify_oracle *o, bounds *b) {
  *b = (bounds){.buffers = kg_module_buffer_count(o->params->gradient.adjoint)};
  b->low = calloc(b->buffers + (size_t)1, sizeof *b->low);
  b->high = calloc(b->buffers + (size_t)1, sizeof *b->high);
  if (!b->low || !b->high) return verify_no_memory(o);
  for (size_t k = 0; k < o->inputs; k++) {
    uint32_t shadow = o->input[k].shadow;
    b->low[shadow] = calloc((size_t)o->input[k].count + 1, sizeof(double));
    b->high[shadow] = calloc((size_t)o->input[k].count + 1, sizeof(double));
    if (!b->low[shadow] || !b->high[shadow]) return verify_no_memory(o);
  }
  return TOOL_OK;
}

static void bound_points(verify_oracle *o, const bounds *b) {
  for (size_t k = 0; k < o->inputs; k++)
    for (size_t i = 0; i < o->input[k].points; i++) {
      verify_point *p = &o->input[k].point[i];
      p->low = b->low[o->input[k].shadow][p->index], p->high = b->high[o->input[k].shadow][p->index];
    }
}

/* Summed in the order in which the product with a gradient is, for then rounding keeps one inside the other. */
static tool_exit bound_direction(verify_oracle *o, size_t k, const bounds *b) {
  verify_point *p = &o->direction[k];
  p->low = p->high = 0;
  for (size_t i = 0; i < o->inputs; i++) {
    const verify_input *in = &o->input[i];
    const double *low = b->low[in->shadow], *high = b->high[in->shadow];
    double *u = malloc((size_t)in->count * sizeof *u + 1);
    bool fine = u && verify_direction(o, in, k, u);
    for (uint64_t n = 0; fine && n < in->count; n++) {
      if (u[n] == 0) continue;
      p->low += u[n] * (u[n] > 0 ? low[n] : high[n]);
      p->high += u[n] * (u[n] > 0 ? high[n] : low[n]);
    }
    free(u);
    if (!fine) return verify_no_memory(o);
  }
  return TOOL_OK;
}

static kg_status run_bounded(verify_oracle *o, tool_data *d, const bounds *b, kg_reference_report *report) {
  void **arrays = calloc(b->buffers + (size_t)1, sizeof *arrays);
  if (!arrays) return verify_no_memory(o), KG_NO_MEMORY;
  for (uint32_t i = 0; i < b->buffers; i++) arrays[i] = d->array[i].data;
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = d->module, .buffers = arrays, .lengths = d->host.length, .param_bits = d->host.param,
                             .bounds = KG_BOUNDS_REAL, .flush_subnormals = true, .low = b->low, .high = b->high,
                             .step_limit = o->params->step_limit}, report);
  free(arrays);
  return status;
}

/* The adjoint with intervals, which hold what any device may give and what there would be without rounding. Where there are none
 * (the run fails, or takes too much memory) tolerances decide alone, and the report says so. */
static tool_exit bound(verify_oracle *o) {
  bounds b = {0};
  tool_data d = {0};
  kg_reference_report report = {0};
  tool_progress_step(&o->progress, "intervals", 0, 1);
  tool_exit status = make_bounds(o, &b);
  if (status == TOOL_OK) status = verify_entry(o, &d);
  o->scale.bounded = status == TOOL_OK && run_bounded(o, &d, &b, &report) == KG_OK;
  o->undecided = report.undecided, o->undecided_line = report.undecided_line, o->undecided_column = report.undecided_column;
  if (o->scale.bounded) bound_points(o, &b);
  for (size_t k = 0; k < o->directions && o->scale.bounded && status == TOOL_OK; k++) status = bound_direction(o, k, &b);
  tool_data_free(&d);
  free_bounds(&b);
  return status;
}

/* ---- the whole ---- */

/* An input, as the kernel declares it. */
static void add_input(verify_oracle *o, const kg_grad_entry *e) {
  const tool_gradient *g = &o->params->gradient;
  uint32_t at = e->is_param ? kg_module_find_param(g->module, e->name) : kg_module_find_buffer(g->module, e->name);
  kg_type type = e->is_param ? kg_module_param(g->module, at).type : kg_module_buffer(g->module, at).type;
  tool_scale stored = {.unit = o->storage_unit};
  tool_scale_roughen(&stored, type);
  tool_scale_roughen(&o->scale, tool_shadow_type(type));
  o->storage_unit = stored.unit;
  if (!e->wrt) return;
  o->input[o->inputs++] = (verify_input){.entry = *e, .at = at, .shadow = kg_module_find_buffer(g->adjoint, e->shadow),
                                         .count = e->is_param ? 1 : o->primal.host.length[at]};
}

static tool_exit make_inputs(verify_oracle *o) {
  const tool_gradient *g = &o->params->gradient;
  o->input = calloc(g->shadows + 1, sizeof *o->input);
  if (!o->input) return verify_no_memory(o);
  tool_scale_kernel(&o->scale, g->module);
  for (size_t k = 0; k < g->shadows; k++) add_input(o, &g->shadow[k]);
  return verify_draw(o);
}

/* The declarations, lengths included; then the adjoint's data for the watched run. */
static tool_exit make_reference(verify_oracle *o) {
  tool_contract_check(&o->params->gradient, &o->contract);
  return o->contract.broken ? TOOL_OK : verify_entry(o, &o->reference);
}

static tool_exit look_closer(verify_oracle *o) {
  tool_exit status = bound(o);
  return status == TOOL_OK && o->scale.bounded ? verify_unrounded(o) : status;
}

static tool_exit ask_all(verify_oracle *o) {
  tool_exit status = verify_watch(o);
  if (status == TOOL_OK && o->kernel.failed) status = TOOL_NO;
  if (status == TOOL_OK) status = verify_duals(o);
  o->scale.depth = 1 + sqrt((double)o->operations);
  if (status == TOOL_OK) status = look_closer(o);
  return status == TOOL_OK && o->params->differences ? verify_differences(o) : status;
}

tool_exit verify_oracle_make(tool_context *ctx, const verify_params *params, verify_oracle *o) {
  uint32_t directions = params->directions ? params->directions : 4;
  if (directions > VERIFY_MAX_DIRECTIONS) directions = VERIFY_MAX_DIRECTIONS;
  *o = (verify_oracle){.params = params, .ctx = ctx, .progress = tool_progress_begin(stderr), .directions = directions};
  for (size_t k = 0; k < directions; k++) o->direction[k] = verify_no_point(k);
  tool_contract_check(&params->gradient, &o->contract);
  if (o->contract.broken) return TOOL_OK;
  tool_exit status = tool_data_make(params->gradient.module, &params->data, &ctx->sink, &o->primal) ? make_inputs(o) : TOOL_BAD;
  if (status == TOOL_OK) status = make_reference(o);
  if (status == TOOL_OK && !o->contract.broken) status = ask_all(o);
  tool_progress_end(&o->progress);
  return status;
}

tool_exit verify_oracle_again(verify_oracle *o) {
  tool_data_free(&o->reference);
  o->gradient = (verify_misuse){0};
  tool_exit status = make_reference(o);
  if (status != TOOL_OK || o->contract.broken) return status;
  status = watch(o, &o->reference, true, &o->gradient);
  return status == TOOL_OK ? look_closer(o) : status;
}

void verify_oracle_free(verify_oracle *o) {
  for (size_t k = 0; k < o->inputs; k++) free(o->input[k].point);
  if (o->params) verify_free_entry(o);
  free(o->input);
  tool_data_free(&o->primal);
  tool_data_free(&o->reference);
}
