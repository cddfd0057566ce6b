/* A device's gradient, judged by what the oracle holds. */
#include "verify/oracle.h"

#include "tools/device.h"
#include "tools/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A device may round what is stored in halves another way, and flush what is subnormal. The reference repeats its own values. */
static tool_scale scale_for(const verify_oracle *o, const verify_device *d, kg_type type) {
  tool_scale s = o->scale;
  bool same = !strcmp(d->name, "reference");
  if (!same && o->storage_unit > s.unit) s.unit = o->storage_unit;
  s.forks = !same && o->undecided;
  tool_scale_gradient(&s, type);
  return s;
}

static tool_judgement judge(const verify_oracle *o, const verify_device *d, kg_type type, const verify_point *p, double gradient,
                            double reference, tool_tally *tally) {
  tool_scale scale = scale_for(o, d, type);
  tool_claim claim = {gradient, p->dual, p->magnitude, p->low, p->high, p->start, p->unrounded, reference};
  tool_judgement j = tool_judge(&scale, &claim);
  tool_tally_add(tally, j);
  return j;
}

static void judge_entries(const verify_oracle *o, verify_device *d, size_t k, const tool_data *after) {
  const verify_input *in = &o->input[k];
  kg_type type = kg_module_buffer(o->params->gradient.adjoint, in->shadow).type;
  for (size_t i = 0; i < in->points; i++) {
    double gradient = verify_element(after, in->shadow, in->point[i].index);
    double reference = verify_element(&o->reference, in->shadow, in->point[i].index);
    d->found[k][i] = (verify_found){gradient, judge(o, d, type, &in->point[i], gradient, reference, &d->tally[k])};
  }
}

/* <v, J u> = <J' v, u> for random u over all inputs: one run, whatever the size. */
static tool_exit judge_direction(const verify_oracle *o, verify_device *d, size_t k, const tool_data *after) {
  double product = 0, reference = 0;
  kg_type type = KG_F64;
  for (size_t i = 0; i < o->inputs; i++) {
    const verify_input *in = &o->input[i];
    double *u = malloc((size_t)in->count * sizeof *u + 1);
    bool fine = u && verify_direction(o, in, k, u);
    for (uint64_t n = 0; fine && n < in->count; n++) {
      if (u[n] == 0) continue;
      product += u[n] * verify_element(after, in->shadow, n);
      reference += u[n] * verify_element(&o->reference, in->shadow, n);
    }
    if (kg_module_buffer(o->params->gradient.adjoint, in->shadow).type != KG_F64) type = KG_F32;
    free(u);
    if (!fine) return verify_no_memory(o);
  }
  d->direction[k] = (verify_found){product, judge(o, d, type, &o->direction[k], product, reference, &d->along)};
  return TOOL_OK;
}

/* ---- outputs ---- */

/* On a device, another order of atomic adds is allowed; the reference has one order. */
static bool is_near(const tool_scale *s, bool exact, double x, double y) {
  if (x == y || (isnan(x) && isnan(y))) return true;
  return !exact && fabs(x - y) <= TOOL_JUDGE_C * s->unit * s->depth * (fabs(x) + fabs(y) + 1);
}

static void compare_outputs(const verify_oracle *o, verify_device *d, const tool_data *plain, const tool_data *combined) {
  tool_scale scale = scale_for(o, d, KG_F32);
  bool exact = !strcmp(d->name, "reference");
  for (uint32_t b = 0; b < kg_module_buffer_count(o->params->gradient.module) && !d->differs; b++) {
    kg_buffer_info info = kg_module_buffer(o->params->gradient.module, b);
    uint32_t other = kg_module_find_buffer(o->params->gradient.adjoint, info.name);
    for (uint64_t i = 0; info.mode != KG_TEMP && i < plain->array[b].count && !d->differs; i++)
      if (!is_near(&scale, exact, verify_element(plain, b, i), verify_element(combined, other, i))) d->differs = info.name;
  }
}

/* ---- the whole ---- */

static bool make_room(const verify_oracle *o, verify_device *d) {
  d->found = calloc(o->inputs + 1, sizeof *d->found);
  d->tally = calloc(o->inputs + 1, sizeof *d->tally);
  for (size_t k = 0; d->found && k < o->inputs; k++)
    if (!(d->found[k] = calloc(o->input[k].points + 1, sizeof **d->found))) return false;
  return d->found && d->tally;
}

static tool_exit judge_all(verify_oracle *o, verify_device *d, const tool_data *plain, const tool_data *after) {
  tool_exit status = TOOL_OK;
  compare_outputs(o, d, plain, after);
  for (size_t k = 0; k < o->inputs; k++) judge_entries(o, d, k, after);
  for (size_t k = 0; k < o->directions && status == TOOL_OK; k++) status = judge_direction(o, d, k, after);
  return status;
}

/* Where the gradient is asked to be deterministic, a second run leaves the same bits everywhere. */
static tool_exit run_again(verify_oracle *o, verify_device *d, const tool_data *after) {
  tool_data second = {0};
  tool_run timing;
  tool_exit status = verify_entry(o, &second);
  if (status == TOOL_OK) status = tool_device_run(o->ctx, d->name, &(tool_run_params){.step_limit = o->params->step_limit}, &second, &timing);
  for (uint32_t b = 0; status == TOOL_OK && b < kg_module_buffer_count(second.module) && !d->unsteady; b++)
    if (second.array[b].data && memcmp(second.array[b].data, after->array[b].data, second.array[b].size))
      d->unsteady = kg_module_buffer(second.module, b).name;
  tool_data_free(&second);
  return status;
}

/* The reference has run the gradient already, under watch. */
static tool_exit run_and_judge(verify_oracle *o, verify_device *d, tool_data *plain, tool_data *after) {
  const verify_params *p = o->params;
  tool_run_params run = {.step_limit = p->step_limit};
  tool_run timing;
  bool here = !strcmp(d->name, "reference");
  if (!tool_data_make(p->gradient.module, &p->data, &o->ctx->sink, plain)) return TOOL_BAD;
  tool_exit status = tool_device_run(o->ctx, d->name, &run, plain, &timing);
  if (status != TOOL_OK) return status;
  if (!here) status = verify_entry(o, after);
  if (!here && status == TOOL_OK) status = tool_device_run(o->ctx, d->name, &run, after, &timing);
  if (status == TOOL_OK) status = judge_all(o, d, plain, here ? &o->reference : after);
  return status == TOOL_OK && p->gradient.asked->deterministic ? run_again(o, d, here ? &o->reference : after) : status;
}

tool_exit verify_device_make(verify_oracle *o, const char *name, verify_device *d) {
  tool_data plain = {0}, after = {0};
  *d = (verify_device){.name = name};
  d->status = make_room(o, d) ? TOOL_OK : verify_no_memory(o);
  tool_progress_step(&o->progress, name, 0, 1);
  if (d->status == TOOL_OK) d->status = run_and_judge(o, d, &plain, &after);
  tool_progress_end(&o->progress);
  tool_data_free(&plain);
  tool_data_free(&after);
  return d->status;
}

void verify_device_free(const verify_oracle *o, verify_device *d) {
  for (size_t k = 0; d->found && k < o->inputs; k++) free(d->found[k]);
  free(d->found);
  free(d->tally);
}
