/* A device's gradient, judged by what the oracle holds. */
#include "foundation/ir/dim.h"
#include "foundation/ir/program.h"
#include "verify/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A device may round what is stored in halves another way, and flush what is subnormal. The reference repeats its own values. */
static kgi_scale scale_for(const kgi_oracle *o, const kgi_judged *d, kg_type type) {
  kgi_scale s = o->scale;
  if (!d->same && o->storage_unit > s.unit) s.unit = o->storage_unit;
  s.forks = !d->same && o->undecided;
  kgi_scale_gradient(&s, type);
  return s;
}

static double largest_dual(const kgi_oracle_point *p, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    if (fabs(p[i].dual) > largest) largest = fabs(p[i].dual);
  return largest;
}

/* Where exact arithmetic gives anything, so does a mode, and no more is allowed for it. */
static double slack_of(const kgi_oracle_point *p) {
  bool open = isnan(p->tight_low) || isnan(p->tight_high);
  return open ? 0 : fmax(p->tight_low - p->low, p->high - p->tight_high);
}

/* `terms`: how many were added up in f64 besides. */
static kgi_scale scale_of(const kgi_oracle *o, const kgi_judged *d, kg_type type, double size, uint64_t terms) {
  kgi_scale scale = scale_for(o, d, type);
  scale.size = size;
  scale.terms = (double)terms;
  return scale;
}

static kgi_judgement judge(const kgi_oracle *o, const kgi_judged *d, kgi_scale scale, const kgi_oracle_point *p, double gradient,
                            double reference, kgi_tally *tally) {
  /* what a person wrote, and is no finite number on the reference: no rounding makes it one, or accounts for it */
  if (!isfinite(reference) && !o->undecided && kgi_oracle_is_stated(o)) scale.bounded = false;
  double slack = d->same ? 0 : slack_of(p);
  kgi_claim claim = {gradient, p->dual, p->magnitude, p->low, p->high, p->start, p->unrounded, reference, slack};
  kgi_judgement j = kgi_judge(&scale, &claim);
  /* the other dual is of the same function, and not of one that takes another branch, or rounds on purpose */
  bool is_rounding = fabs(p->real - p->dual) <= j.allowed + KG_VERIFY_C * scale.unit * scale.depth * scale.size;
  claim.dual = p->real;
  kgi_judgement real = is_rounding ? kgi_judge(&scale, &claim) : j;
  if (real.verdict < j.verdict) j = real;
  kgi_tally_add(tally, j);
  return j;
}

static void judge_entries(const kgi_oracle *o, kgi_judged *d, size_t k, const kgi_data *after) {
  const kgi_oracle_input *in = &o->input[k];
  kg_type type = kg_module_buffer(o->gradient.adjoint, in->shadow).type;
  double size = largest_dual(in->point, in->points);
  for (size_t i = 0; i < in->points; i++) {
    double gradient = kgi_data_element(after, in->shadow, in->point[i].index);
    double reference = kgi_data_element(&o->reference, in->shadow, in->point[i].index);
    d->found[k][i] = (kgi_found){gradient, judge(o, d, scale_of(o, d, type, size, 0), &in->point[i], gradient, reference, &d->tally[k])};
  }
}

/* An input's part of <v, J u> = <J' v, u>; how many terms it has. */
static uint64_t add_product(const kgi_oracle *o, const kgi_oracle_input *in, const double *u, const kgi_data *after, double *product,
                            double *reference) {
  uint64_t terms = 0;
  for (uint64_t n = 0; n < in->count; n++) {
    if (u[n] == 0) continue;
    terms++;
    *product += u[n] * kgi_data_element(after, in->shadow, n);
    *reference += u[n] * kgi_data_element(&o->reference, in->shadow, n);
  }
  return terms;
}

static bool has_moved(const kgi_oracle_input *in, const kgi_data *after, uint64_t n) {
  return kgi_data_element(after, in->shadow, n) != kgi_oracle_start(in, n);
}

/* Of an input that is large some entries alone are judged: it is not zero for that where the directions say that something flows. */
static void count_others(const kgi_oracle *o, kgi_judged *d, size_t k, const kgi_data *after) {
  const kgi_oracle_input *in = &o->input[k];
  if (in->points == in->count || (o->directions && !d->along.flows)) return;
  for (uint64_t n = 0; n < in->count; n++) d->tally[k].others += has_moved(in, after, n);
  for (size_t i = 0; i < in->points; i++) d->tally[k].others -= has_moved(in, after, in->point[i].index);
}

/* For random u over all inputs: one run, whatever the size. */
static kg_status judge_direction(const kgi_oracle *o, kgi_judged *d, size_t k, const kgi_data *after) {
  double product = 0, reference = 0;
  uint64_t terms = 0;
  kg_type type = KG_F64;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  for (size_t i = 0; i < o->inputs; i++) {
    const kgi_oracle_input *in = &o->input[i];
    const double *u = kgi_oracle_direction(o, in, k, &scratch);
    if (u) terms += add_product(o, in, u, after, &product, &reference);
    if (kg_module_buffer(o->gradient.adjoint, in->shadow).type != KG_F64) type = KG_F32;
  }
  bool fine = !scratch.failed;
  kgi_arena_free(&scratch);
  if (!fine) return kgi_oracle_no_memory(o);
  double size = largest_dual(o->direction, o->directions);
  d->direction[k] = (kgi_found){product, judge(o, d, scale_of(o, d, type, size, terms), &o->direction[k], product, reference, &d->along)};
  return KG_OK;
}

/* ---- runs ---- */

static kg_status upload(const kgi_data *d, const kg_executable *e, const kg_sink *sink) {
  kg_status status = KG_OK;
  for (uint32_t b = 0; status == KG_OK && b < kg_module_buffer_count(d->module); b++)
    if (d->array[b].size && d->at[b]) status = kg_buffer_write(kg_executable_buffer(e, b), 0, d->at[b], d->array[b].size, sink);
  return status;
}

static kg_status download(const kgi_data *d, const kg_executable *e, const kg_sink *sink) {
  kg_status status = KG_OK;
  for (uint32_t b = 0; status == KG_OK && b < kg_module_buffer_count(d->module); b++) {
    kg_mode mode = kg_module_buffer(d->module, b).mode;
    if (d->array[b].size && (mode == KG_WRITE || mode == KG_READ_WRITE))
      status = kg_buffer_read(kg_executable_buffer(e, b), 0, d->at[b], d->array[b].size, sink);
  }
  return status;
}

/* Not kg_run, which leaves out what `write` buffers hold on entry: it must be overwritten. */
static kg_status run(const kgi_oracle *o, const kgi_judged *j, kgi_data *d) {
  kg_executable *e = NULL;
  if (!j->device) return kgi_oracle_run(o, o->sink, &(kg_reference_params){.module = NULL}, d, NULL);
  const kg_executable_params params = {.math = o->params->math};
  kg_status status = kg_executable_new(j->device, d->module, &d->host, &params, o->sink, &e);
  if (status == KG_OK) status = upload(d, e, o->sink);
  if (status == KG_OK) status = kg_execute(e, o->sink);
  if (status == KG_OK) status = download(d, e, o->sink);
  kg_executable_free(e);
  return status;
}

/* ---- the whole ---- */

static bool make_room(const kgi_oracle *o, kgi_judged *d) {
  kgi_arena_init(&d->arena, &o->memory.own);
  d->found = kgi_arena_alloc(&d->arena, o->inputs, sizeof *d->found);
  d->tally = kgi_arena_alloc(&d->arena, o->inputs, sizeof *d->tally);
  for (size_t k = 0; d->found && k < o->inputs; k++)
    d->found[k] = kgi_arena_alloc(&d->arena, o->input[k].points, sizeof **d->found);
  return !d->arena.failed;
}

static kg_status judge_all(kgi_oracle *o, kgi_judged *d, const kgi_data *plain, const kgi_data *after) {
  kgi_scale scale = scale_for(o, d, KG_F32);
  kg_status status = kgi_compare_outputs(o, d, &scale, plain, after);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) judge_entries(o, d, k, after);
  for (size_t k = 0; k < o->directions && status == KG_OK; k++) status = judge_direction(o, d, k, after);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) count_others(o, d, k, after);
  return status;
}

/* Where the gradient is asked to be deterministic, a second run leaves the same bits everywhere. */
static kg_status run_again(kgi_oracle *o, kgi_judged *d, const kgi_data *after) {
  kgi_data second = {0};
  kg_status status = kgi_oracle_entry(o, &second);
  if (status == KG_OK) status = run(o, d, &second);
  for (uint32_t b = 0; status == KG_OK && b < kg_module_buffer_count(second.module) && !d->unsteady; b++)
    if (second.at[b] && memcmp(second.at[b], after->at[b], second.array[b].size))
      d->unsteady = kg_module_buffer(second.module, b).name;
  kgi_data_free(&second);
  return status;
}

/* The reference has run the gradient already, under watch. */
static kg_status run_and_judge(kgi_oracle *o, kgi_judged *d, kgi_data *plain, kgi_data *after) {
  const kgi_data *result = d->device ? after : &o->reference;
  kg_status status = kgi_oracle_primal(o, plain);
  if (status == KG_OK) status = run(o, d, plain);
  if (status == KG_OK && d->device) status = kgi_oracle_entry(o, after);
  if (status == KG_OK && d->device) status = run(o, d, after);
  if (status == KG_OK) status = judge_all(o, d, plain, result);
  return status == KG_OK && o->gradient.asked->deterministic ? run_again(o, d, result) : status;
}

static bool program_depends_on_lanes(const kgi_program *p) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_subgroup || (x->kind == KGI_id && kgi_is_of_subgroups((kgi_id)x->op))) return true;
  }
  return false;
}

static bool depends_on_lanes(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    if (program_depends_on_lanes(m->program[k])) return true;
  return false;
}

static int64_t extent_of(const kgi_program *p, unsigned axis) {
  int64_t extent = 1;
  bool known = !p->workgroup[axis].i || kgi_dim_eval(&p->scope, p->workgroup[axis], &(kgi_dim_env){0}, &extent) == KGI_DIM_OK;
  return known ? extent : 1;
}

/* Devices may begin a subgroup with each row of a workgroup. The reference goes by local_index, as all do where rows are whole
 * subgroups. */
static bool has_broken_rows(const kg_module *m, uint32_t size) {
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    bool rows = extent_of(p, 1) > 1 || extent_of(p, 2) > 1;
    if (rows && extent_of(p, 0) % size && program_depends_on_lanes(p)) return true;
  }
  return false;
}

/* The duals are those of one size of subgroups, the first device's. */
static kg_status check_lanes(const kgi_oracle *o, const kgi_judged *d) {
  uint32_t size = d->device ? kg_device_describe(d->device).subgroup_size : 0, judged = o->subgroup_size ? o->subgroup_size : 32;
  if (!size || !depends_on_lanes(o->gradient.module)) return KG_OK;
  if (size != judged) KGI_DIAG(&(kgi_diags){.sink = o->sink}, verify_lanes, 0, d->name, KGI_NUM(size), KGI_NUM(judged));
  else if (!d->same && has_broken_rows(o->gradient.module, size))
    KGI_DIAG(&(kgi_diags){.sink = o->sink}, verify_rows, 0, d->name, KGI_NUM(size));
  else return KG_OK;
  return KG_REFUSED;
}

/* A device that cannot run it (it lacks f64, say) has no verdict of its own. Bad input is bad on every device. */
kg_status kgi_judged_make(kgi_oracle *o, kg_device *device, kgi_judged *d) {
  kgi_data plain = {0}, after = {0};
  *d = (kgi_judged){.device = device};
  snprintf(d->name, sizeof d->name, "%s", device ? kg_device_describe(device).id : "reference");
  d->same = !strcmp(d->name, "reference");
  kg_status status = make_room(o, d) ? KG_OK : kgi_oracle_no_memory(o);
  kgi_oracle_progress(o, d->name, 0, 1);
  if (status == KG_OK) status = check_lanes(o, d);
  if (status == KG_OK) status = run_and_judge(o, d, &plain, &after);
  kgi_oracle_progress(o, d->name, 1, 1);
  d->ran = status == KG_OK;
  kgi_data_free(&plain);
  kgi_data_free(&after);
  return status == KG_REFUSED || status == KG_FAILED ? KG_OK : status;
}

void kgi_judged_free(kgi_judged *d) { kgi_arena_free(&d->arena); }
