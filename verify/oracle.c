/* What is known of a gradient whatever the device. */
#include "verify/oracle.h"

#include <math.h>

kg_status kgi_oracle_no_memory(const kgi_oracle *o) {
  KGI_DIAG(&(kgi_diags){.sink = o->sink}, no_memory, 0, "");
  return KG_NO_MEMORY;
}

void kgi_oracle_progress(const kgi_oracle *o, const char *what, uint64_t done, uint64_t of) {
  if (o->params->progress) o->params->progress(o->params->progress_user, what, done, of);
}

double kgi_oracle_cotangent(const kgi_oracle *o, uint32_t buffer, uint64_t i) {
  return kgi_array_element(&o->cotangent[buffer], i);
}

double kgi_oracle_start(const kgi_oracle_input *in, uint64_t i) {
  return in->added && in->start.data ? kgi_array_element(&in->start, i) : 0;
}

kgi_oracle_point kgi_oracle_no_point(uint64_t index) {
  return (kgi_oracle_point){.index = index, .low = (double)NAN, .high = (double)NAN, .tight_low = (double)NAN,
                            .tight_high = (double)NAN, .unrounded = (double)NAN, .real = (double)NAN,
                            .difference = (double)NAN, .unsure = (double)NAN};
}

/* ---- runs on the reference ---- */

/* Watching takes some 200 bytes for each element that is written. */
static bool can_watch(const kgi_data *d) {
  double size = 0;
  for (uint32_t b = 0; b < kg_module_buffer_count(d->module); b++)
    if (kg_module_buffer(d->module, b).mode != KG_READ) size += (double)d->host.length[b];
  return size < 1e7;
}

kg_status kgi_oracle_run(const kgi_oracle *o, const kg_sink *sink, const kg_reference_params *with, kgi_data *d,
                         kg_reference_report *report) {
  kg_reference_params run = *with;
  run.module = d->module, run.allocator = &o->memory.own, run.sink = sink;
  run.buffers = d->at, run.lengths = d->host.length, run.param_bits = d->host.param;
  run.step_limit = o->params->step_limit;
  run.subgroup_size = o->subgroup_size;
  return kg_reference_run(&run, report);
}

/* How many accesses are out of bounds, too. */
static kg_status watch(kgi_oracle *o, kgi_data *d, uint32_t checks, kg_misuse *out, uint64_t *outside) {
  kg_reference_report report = {0};
  out->watched = can_watch(d);
  if (!out->watched) checks &= KG_CHECK_BOUNDS;
  kg_status status = kgi_oracle_run(o, o->sink, &(kg_reference_params){.checks = checks}, d, &report);
  out->races = report.races, out->uninitialised = report.uninitialised, out->out_of_range = report.out_of_range;
  out->failed = report.fault != KG_FAULT_NONE;
  *outside = report.out_of_bounds_loads + report.out_of_bounds_stores;
  return status == KG_FAILED ? KG_OK : status;
}

static const uint32_t all_checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES;

/* What is out of bounds is defined, and no failure. An adjoint that a person wrote may find no bounds where it is at home, so that its own
 * are said. Those of the kernel, whose runs may be in the adjoint's module, are not its own. */
static uint32_t checks_of_gradient(const kgi_oracle *o, uint64_t outside) {
  uint32_t checks = kgi_is_misused(&o->of_module) ? 0 : all_checks; /* what is wrong is said once */
  return o->gradient.written && !outside ? checks | KG_CHECK_BOUNDS : checks;
}

/* What is added for the oracle may be added to what nothing wrote. */
static kg_status watch_both(kgi_oracle *o) {
  kgi_data plain = {0};
  uint64_t outside = 0;
  kgi_oracle_progress(o, "watching the reference", 0, 2);
  kg_status status = kgi_oracle_primal(o, &plain);
  if (o->gradient.plain) plain.module = o->gradient.plain;
  if (status == KG_OK) status = watch(o, &plain, all_checks, &o->of_module, &outside);
  kgi_data_free(&plain);
  if (status != KG_OK || o->of_module.failed) return status;
  kgi_oracle_progress(o, "watching the reference", 1, 2);
  return watch(o, &o->reference, checks_of_gradient(o, outside), &o->of_gradient, &outside);
}

/* ---- the whole ---- */

/* An input, as the kernel declares it. */
static void add_input(kgi_oracle *o, const kg_grad_entry *e) {
  const kgi_gradient *g = &o->gradient;
  uint32_t at = e->is_param ? kg_module_find_param(g->module, e->name) : kg_module_find_buffer(g->module, e->name);
  kg_type type = e->is_param ? kg_module_param(g->module, at).type : kg_module_buffer(g->module, at).type;
  kgi_scale stored = {.unit = o->storage_unit};
  kgi_scale_roughen(&stored, type);
  kgi_scale_roughen(&o->scale, kgi_shadow_type(type));
  o->storage_unit = stored.unit;
  if (!(kgi_is_forward(g) ? e->of : e->wrt)) return;
  o->input[o->inputs++] = (kgi_oracle_input){.entry = *e, .at = at, .shadow = kg_module_find_buffer(g->adjoint, e->shadow),
                                         .added = kgi_is_added(g, e), .count = e->is_param ? 1 : o->primal.host.length[at]};
}

static kg_status make_inputs(kgi_oracle *o) {
  const kgi_gradient *g = &o->gradient;
  o->input = kgi_arena_alloc(&o->arena, g->shadows, sizeof *o->input);
  if (!o->input) return kgi_oracle_no_memory(o);
  kgi_scale_kernel(&o->scale, g->module);
  for (size_t k = 0; k < g->shadows; k++) add_input(o, &g->shadow[k]);
  return kgi_oracle_draw(o);
}

/* The declarations, lengths included; then the adjoint's data for the watched run. */
static kg_status make_reference(kgi_oracle *o) {
  kgi_contract_check(&o->gradient, &o->contract);
  return o->contract.broken ? KG_OK : kgi_oracle_entry(o, &o->reference);
}

/* Tangents are sums of what one invocation computed, and are not known without their rounding. */
static kg_status look_closer(kgi_oracle *o) {
  kg_status status = kgi_oracle_bound(o);
  if (status == KG_OK && o->scale.bounded) status = kgi_oracle_real(o);
  return status == KG_OK && o->scale.bounded && !kgi_is_forward(&o->gradient) ? kgi_oracle_unrounded(o) : status;
}

static kg_status ask_all(kgi_oracle *o) {
  kg_status status = watch_both(o);
  if (status == KG_OK && o->of_module.failed) status = KG_FAILED;
  if (status == KG_OK) status = kgi_is_forward(&o->gradient) ? kgi_oracle_tangents(o) : kgi_oracle_duals(o);
  if (status == KG_OK && o->params->mode == KG_VERIFY_REVERSE) status = kgi_oracle_stated(o);
  o->scale.depth = 1 + sqrt((double)o->operations);
  if (status == KG_OK) status = look_closer(o);
  return status == KG_OK && o->params->differences ? kgi_oracle_differences(o) : status;
}

static void *note_resize(void *user, void *block, size_t old_size, size_t new_size) {
  kgi_oracle_memory *memory = user;
  void *fresh = kgi_resize(&memory->caller, block, old_size, new_size);
  memory->failed |= new_size && !fresh;
  return fresh;
}

/* 0, which is the reference's own, where there is no device or its subgroups are none that the reference knows. */
static uint32_t subgroup_size_of(const kg_verify_params *params) {
  const kg_device *first = params->device_count ? params->devices[0] : NULL;
  uint32_t size = first ? kg_device_describe(first).subgroup_size : 0;
  return size > 128 || (size & (size - 1)) ? 0 : size;
}

static void begin(kgi_oracle *o, const kg_verify_params *params, const kgi_gradient *gradient, const kg_sink *sink) {
  uint32_t directions = params->directions ? params->directions : KG_VERIFY_DIRECTIONS;
  if (directions > KG_VERIFY_MOST_DIRECTIONS) directions = KG_VERIFY_MOST_DIRECTIONS;
  if (kgi_is_forward(gradient)) directions = 0;
  *o = (kgi_oracle){.params = params, .sink = sink, .gradient = *gradient, .directions = directions};
  o->subgroup_size = subgroup_size_of(params);
  if (params->alloc) o->memory.caller = *params->alloc;
  o->memory.own = (kg_allocator){note_resize, &o->memory};
  kgi_arena_init(&o->arena, &o->memory.own);
  for (size_t k = 0; k < directions; k++) o->direction[k] = kgi_oracle_no_point(k);
}

kg_status kgi_oracle_open(const kg_verify_params *params, const kgi_gradient *gradient, const kg_sink *sink, kgi_oracle *o) {
  begin(o, params, gradient, sink);
  kgi_contract_check(&o->gradient, &o->contract);
  if (o->contract.broken) return KG_OK;
  kg_status status = kgi_data_make(o->gradient.module, params, &o->memory.own, sink, &o->primal);
  return status == KG_OK ? make_inputs(o) : status;
}

kg_status kgi_oracle_make(const kg_verify_params *params, const kgi_gradient *gradient, const kg_sink *sink, kgi_oracle *o) {
  kg_status status = kgi_oracle_open(params, gradient, sink, o);
  if (status == KG_OK && o->contract.broken) return KG_OK;
  if (status == KG_OK) status = make_reference(o);
  if (status == KG_OK && !o->contract.broken) status = ask_all(o);
  kgi_oracle_progress(o, "the oracle", 1, 1);
  return status;
}

kg_status kgi_oracle_again(kgi_oracle *o) {
  kgi_data_free(&o->reference);
  uint64_t outside;
  o->of_gradient = (kg_misuse){0};
  kg_status status = make_reference(o);
  if (status != KG_OK || o->contract.broken) return status;
  status = watch(o, &o->reference, all_checks, &o->of_gradient, &outside);
  return status == KG_OK ? look_closer(o) : status;
}

void kgi_oracle_free(kgi_oracle *o) {
  kgi_data_free(&o->primal);
  kgi_data_free(&o->reference);
  kgi_arena_free(&o->arena);
}
