/* Runs a module and its gradient on a device, and the module with dual numbers on the reference; compares. */
#include "tools/device.h"
#include "tools/value.h"
#include "tools/verify.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16 };

static tool_exit no_memory(const verify_job *job) {
  TOOL_EMIT(&job->ctx->sink, out_of_memory, NULL, NULL);
  return TOOL_BAD;
}

static double element(const tool_data *d, uint32_t buffer, uint64_t i) {
  return tool_value_number(d->array[buffer].type, tool_value_load(d->array[buffer].type, d->array[buffer].data, i));
}

/* ---- dual runs ---- */

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

static bool duals_make(const verify_job *job, uint64_t count, duals *x) {
  *x = (duals){.buffers = kg_module_buffer_count(job->module), .count = count};
  if (!tool_data_make(job->module, &job->data, &job->ctx->sink, &x->data)) return false;
  x->tangent = calloc(x->buffers + (size_t)1, sizeof *x->tangent);
  x->magnitude = calloc(x->buffers + (size_t)1, sizeof *x->magnitude);
  x->param = calloc((size_t)count * (kg_module_param_count(job->module) + (size_t)1), sizeof *x->param);
  bool fine = x->tangent && x->magnitude && x->param;
  for (uint32_t b = 0; fine && b < x->buffers; b++) {
    kg_buffer_info info = kg_module_buffer(job->module, b);
    if (!tool_type_is_float(info.type) || info.mode == KG_TEMP) continue;
    size_t size = (size_t)x->data.host.length[b];
    if (size > SIZE_MAX / 16 / count) return no_memory(job), false;
    x->tangent[b] = calloc(size * count + 1, sizeof(double));
    x->magnitude[b] = calloc(size * count + 1, sizeof(double));
    fine = x->tangent[b] && x->magnitude[b];
  }
  if (!fine) no_memory(job);
  return fine;
}

static tool_exit duals_run(const verify_job *job, duals *x) {
  void **arrays = calloc(x->buffers + (size_t)1, sizeof *arrays);
  if (!arrays) return no_memory(job);
  for (uint32_t b = 0; b < x->buffers; b++) arrays[b] = x->data.array[b].data;
  kg_reference_report report = {0};
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = job->module, .sink = &job->ctx->sink, .buffers = arrays, .lengths = x->data.host.length,
                             .param_bits = x->data.host.param, .tangent_count = (uint32_t)x->count, .tangents = x->tangent,
                             .magnitudes = x->magnitude, .param_tangents = x->param}, &report);
  x->operations = report.lane_instructions;
  free(arrays);
  return tool_exit_of(status);
}

/* The derivative of <cotangent, outputs> in direction t, and its magnitude. */
static void contract(const verify_job *job, const duals *x, const tool_data *cotangents, uint64_t t, double *dual, double *magnitude) {
  *dual = *magnitude = 0;
  for (size_t k = 0; k < kg_grad_map_count(job->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(job->map, k);
    if (!e.of) continue;
    uint32_t b = kg_module_find_buffer(job->module, e.name), shadow = kg_module_find_buffer(job->adjoint, e.shadow);
    uint64_t n = x->data.host.length[b];
    for (uint64_t i = 0; i < n; i++) {
      double g = element(cotangents, shadow, i);
      if (g == 0) continue;
      *dual += g * x->tangent[b][t * n + i];
      *magnitude += fabs(g) * x->magnitude[b][t * n + i];
    }
  }
}

/* ---- comparison ---- */

static void compare(const verify_job *job, verify_result *r, uint64_t index, double gradient, double dual, double magnitude) {
  double bound = job->allowed * magnitude + job->depth * job->depth * job->tiny; /* each operation may have lost what underflows */
  double error = fabs(gradient - dual), ratio = error == 0 ? 0 : error / bound;
  r->checked++;
  if (!isfinite(gradient) && !isfinite(dual)) {
    r->inconclusive++;
    return;
  }
  if (dual != 0) r->nonzero++;
  if (isnan(ratio)) ratio = INFINITY;
  if (!(error <= bound)) r->failed++;
  if (r->checked > 1 && ratio <= r->ratio) return;
  r->worst = index, r->gradient = gradient, r->dual = dual, r->magnitude = magnitude, r->ratio = ratio;
}

/* Spread evenly where not all are taken: the last is the last. */
static uint64_t chosen(const verify_result *r, uint64_t entries, uint64_t k) {
  if (r->count <= entries) return k;
  return entries == 1 ? 0 : (uint64_t)((double)k * (double)(r->count - 1) / (double)(entries - 1));
}

static tool_exit check_batch(verify_job *job, verify_result *r, const tool_data *before, const tool_data *after, uint64_t first,
                             uint64_t count) {
  duals x = {0};
  if (!duals_make(job, count, &x)) return duals_free(&x), TOOL_BAD;
  uint32_t b = r->entry.is_param ? 0 : kg_module_find_buffer(job->module, r->entry.name);
  uint32_t shadow = kg_module_find_buffer(job->adjoint, r->entry.shadow);
  uint64_t n = r->entry.is_param ? kg_module_param_count(job->module) : x.data.host.length[b];
  for (uint64_t t = 0; t < count; t++) {
    if (r->entry.is_param) x.param[t * n + kg_module_find_param(job->module, r->entry.name)] = 1;
    else x.tangent[b][t * n + chosen(r, job->entries, first + t)] = 1;
  }
  tool_exit status = duals_run(job, &x);
  for (uint64_t t = 0; t < count && status == TOOL_OK; t++) {
    double dual, magnitude;
    uint64_t index = chosen(r, job->entries, first + t);
    contract(job, &x, before, t, &dual, &magnitude);
    compare(job, r, index, element(after, shadow, index), dual, magnitude);
  }
  duals_free(&x);
  return status;
}

static tool_exit check_entries(verify_job *job, verify_result *r, const tool_data *before, const tool_data *after) {
  uint64_t total = r->count < job->entries ? r->count : job->entries;
  for (uint64_t first = 0; first < total; first += BATCH) {
    tool_exit status = check_batch(job, r, before, after, first, total - first < BATCH ? total - first : BATCH);
    if (status != TOOL_OK) return status;
  }
  return TOOL_OK;
}

/* <v, J u> = <J' v, u> for random u over all inputs: one run, whatever the size. */
static bool seed_direction(const verify_job *job, duals *x, const tool_data *after, double *product) {
  *product = 0;
  for (size_t k = 0; k < job->results; k++) {
    const kg_grad_entry *e = &job->result[k].entry;
    uint32_t b = kg_module_find_buffer(job->module, e->name), shadow = kg_module_find_buffer(job->adjoint, e->shadow);
    uint64_t n = job->result[k].count;
    tool_array u = {.type = KG_F64, .dims = 1, .shape = {n}, .count = n, .data = malloc((size_t)n * sizeof(double) + 1)};
    if (!u.data) return no_memory(job), false;
    bool fine = tool_data_random(job->data.seed + 1, e->shadow, -1, 1, &u);
    for (uint64_t i = 0; fine && i < n; i++) {
      double direction = tool_value_number(KG_F64, tool_value_load(KG_F64, u.data, i));
      if (e->is_param) x->param[kg_module_find_param(job->module, e->name)] = direction;
      else x->tangent[b][i] = direction;
      *product += direction * element(after, shadow, i);
    }
    free(u.data);
    if (!fine) return false;
  }
  return true;
}

static tool_exit check_product(verify_job *job, const tool_data *before, const tool_data *after) {
  duals x = {0};
  double product, dual, magnitude;
  tool_exit status = duals_make(job, 1, &x) && seed_direction(job, &x, after, &product) ? duals_run(job, &x) : TOOL_BAD;
  if (status == TOOL_OK) {
    job->depth = 1 + sqrt((double)x.operations);
    job->allowed = VERIFY_C * job->unit * job->depth;
    contract(job, &x, before, 0, &dual, &magnitude);
    compare(job, &job->product, 0, product, dual, magnitude);
  }
  duals_free(&x);
  return status;
}

/* ---- outputs ---- */

static bool is_output(kg_buffer_info info) { return info.mode == KG_WRITE || info.mode == KG_READ_WRITE; }

/* Another order of atomic adds, and another choice of fused operations, are allowed. */
static bool is_near(const verify_job *job, double x, double y) {
  return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= job->allowed * (fabs(x) + fabs(y) + 1);
}

static void compare_outputs(verify_job *job, const tool_data *plain, const tool_data *combined) {
  for (uint32_t b = 0; b < kg_module_buffer_count(job->module) && !job->differs; b++) {
    kg_buffer_info info = kg_module_buffer(job->module, b);
    uint32_t other = kg_module_find_buffer(job->adjoint, info.name);
    for (uint64_t i = 0; is_output(info) && i < plain->array[b].count && !job->differs; i++)
      if (!is_near(job, element(plain, b, i), element(combined, other, i))) job->differs = info.name;
  }
}

/* ---- the whole ---- */

static double unit_of(kg_type type) {
  if (type == KG_BF16) return 0x1p-8;
  if (type == KG_F16) return 0x1p-11;
  return type == KG_F32 ? 0x1p-24 : 0x1p-53;
}

/* The smallest normal number of the types that round so. */
static double tiny_of(kg_type type) { return type == KG_F16 ? 0x1p-14 : type == KG_F64 ? 0x1p-1022 : 0x1p-126; }

static bool make_results(verify_job *job, const tool_data *after) {
  job->result = calloc(kg_grad_map_count(job->map) + 1, sizeof *job->result);
  if (!job->result) return no_memory(job), false;
  job->unit = 0x1p-53, job->tiny = 0x1p-1022;
  for (size_t k = 0; k < kg_grad_map_count(job->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(job->map, k);
    uint32_t b = kg_module_find_buffer(job->module, e.name), q = kg_module_find_param(job->module, e.name);
    kg_type type = e.is_param ? kg_module_param(job->module, q).type : kg_module_buffer(job->module, b).type;
    if (unit_of(type) > job->unit) job->unit = unit_of(type);
    if (tiny_of(type) > job->tiny) job->tiny = tiny_of(type);
    if (!e.wrt) continue;
    uint64_t count = after->array[kg_module_find_buffer(job->adjoint, e.shadow)].count;
    job->result[job->results++] = (verify_result){.entry = e, .count = count};
  }
  return true;
}

static tool_exit check_all(verify_job *job, const tool_data *before, tool_data *after, tool_data *plain) {
  tool_run timing;
  if (!make_results(job, after)) return TOOL_BAD;
  tool_exit status = tool_device_run(job->ctx, job->device, false, after, &timing);
  if (status == TOOL_OK) status = tool_device_run(job->ctx, job->device, false, plain, &timing);
  if (status == TOOL_OK) status = check_product(job, before, after);
  if (status != TOOL_OK) return status;
  compare_outputs(job, plain, after);
  for (size_t k = 0; k < job->results && status == TOOL_OK; k++) status = check_entries(job, &job->result[k], before, after);
  return status;
}

/* The data of both modules come from the same seed and the names, so that inputs agree. */
tool_exit verify_run(verify_job *job) {
  tool_data before = {0}, after = {0}, plain = {0};
  bool fine = tool_data_make(job->adjoint, &job->data, &job->ctx->sink, &before) &&
              tool_data_make(job->adjoint, &job->data, &job->ctx->sink, &after) &&
              tool_data_make(job->module, &job->data, &job->ctx->sink, &plain);
  tool_exit status = fine ? check_all(job, &before, &after, &plain) : TOOL_BAD;
  tool_data_free(&before);
  tool_data_free(&after);
  tool_data_free(&plain);
  return status;
}

void verify_free(verify_job *job) { free(job->result); }
