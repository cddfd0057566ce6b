/* Finite differences: a third opinion, which knows of no derivative at all, but only nearly. Central differences of <cotangent,
 * outputs> with steps h, 2h and h/4 on the reference; what they differ by and what rounding does to the outputs tell how far off
 * they may be. doc/verify.md has the derivation. */
#include "verify/oracle.h"

#include <float.h>
#include <math.h>

/* The cotangent's product with the outputs, and with what rounding may have made of those. */
typedef struct loss { double value, rounding; } loss;

static double unit_of(kg_type type) {
  kgi_scale s = {0};
  kgi_scale_roughen(&s, type);
  return s.unit;
}

static kg_status run(const kgi_oracle *o, kgi_data *d) {
  return kgi_oracle_run(o, o->sink, &(kg_reference_params){.module = NULL}, d, NULL);
}

/* <g, plus - minus>: outputs that did not change add nothing, not even rounding. */
static loss contract(const kgi_oracle *o, const kgi_data *plus, const kgi_data *minus) {
  loss l = {0};
  for (uint32_t b = 0; b < kg_module_buffer_count(plus->module); b++) {
    double unit = unit_of(plus->array[b].type);
    for (uint64_t i = 0; o->cotangent[b].data && i < plus->array[b].count; i++) {
      double p = kgi_data_element(plus, b, i), m = kgi_data_element(minus, b, i);
      double g = p == m ? 0 : kgi_oracle_cotangent(o, b, i);
      if (g == 0) continue;
      l.value += g * (p - m);
      l.rounding += fabs(g) * unit * (fabs(p) + fabs(m));
    }
  }
  return l;
}

/* The input's value at an index, and how to change it. */
static kg_type type_of(const kgi_oracle *o, const kgi_oracle_input *in) {
  const kg_module *m = o->gradient.module;
  return in->entry.is_param ? kg_module_param(m, in->at).type : kg_module_buffer(m, in->at).type;
}

static double value_of(const kgi_oracle_input *in, const kgi_data *d, uint64_t index) {
  if (!in->entry.is_param) return kgi_data_element(d, in->at, index);
  return kgi_value_number(kg_module_param(d->module, in->at).type, d->host.param[in->at]);
}

/* Returns what it became after rounding. */
static double set(const kgi_oracle *o, const kgi_oracle_input *in, kgi_data *d, uint64_t index, double value) {
  kg_type type = type_of(o, in);
  uint64_t bits = kgi_value_of_number(type, value);
  if (in->entry.is_param) d->host.param[in->at] = bits;
  else kg_value_store(type, d->array[in->at].data, index, bits);
  return kgi_value_number(type, bits);
}

/* A central difference, what rounding may have done to it, and by how much the two one-sided ones differ. */
typedef struct slope { double value, rounding, bend; } slope;

static kg_status central(const kgi_oracle *o, const kgi_oracle_input *in, const kgi_data *base, uint64_t index, double step,
                         slope *out) {
  kgi_data plus = {0}, minus = {0};
  double above = 0, below = 0, x = value_of(in, &o->primal, index);
  kg_status status = kgi_oracle_primal(o, &plus);
  if (status == KG_OK) status = kgi_oracle_primal(o, &minus);
  if (status == KG_OK) above = set(o, in, &plus, index, x + step), below = set(o, in, &minus, index, x - step);
  if (status == KG_OK) status = run(o, &plus);
  if (status == KG_OK) status = run(o, &minus);
  if (status == KG_OK) {
    loss both = contract(o, &plus, &minus), up = contract(o, &plus, base), down = contract(o, base, &minus);
    *out = (slope){both.value / (above - below), both.rounding / fabs(above - below),
                   up.value / (above - x) - down.value / (x - below)};
  }
  kgi_data_free(&plus);
  kgi_data_free(&minus);
  return status;
}

/* The root mean square of the input's values, so that zeros among them get a step too. */
static double typical(const kgi_oracle *o, const kgi_oracle_input *in) {
  double sum = 0;
  uint64_t n = in->entry.is_param ? 1 : o->primal.array[in->at].count;
  for (uint64_t i = 0; i < n; i++) sum += value_of(in, &o->primal, i) * value_of(in, &o->primal, i);
  return sum > 0 && isfinite(sum) ? sqrt(sum / (double)n) : 1;
}

/* Truncation grows with the square of the step and rounding falls with it: they meet where the step is the cube root of the unit
 * roundoff. It must stay within the range that the module states. */
static double step_of(const kgi_oracle *o, const kgi_oracle_input *in, uint64_t index, double usual) {
  double x = value_of(in, &o->primal, index), lo, hi;
  double step = cbrt(o->scale.unit) * fmax(fabs(x), usual);
  if (in->entry.is_param || !kg_module_buffer(o->gradient.module, in->at).ranged) return step;
  kg_host host = o->primal.host;
  if (kg_module_buffer_range(o->gradient.module, &host, in->at, NULL, &lo, &hi) != KG_OK) return step;
  double room = fmin(x - lo, hi - x) * 0.49;
  return room < step ? room : step;
}

static kg_status differentiate(const kgi_oracle *o, const kgi_oracle_input *in, const kgi_data *base, kgi_oracle_point *p,
                               double usual) {
  double step = step_of(o, in, p->index, usual);
  slope near = {0}, far = {0}, close = {0};
  if (!(step > 0)) return KG_OK;
  kg_status status = central(o, in, base, p->index, step, &near);
  if (status == KG_OK) status = central(o, in, base, p->index, 2 * step, &far);
  if (status == KG_OK) status = central(o, in, base, p->index, step / 4, &close);
  if (status != KG_OK) return status;
  /* far - near is three times what truncation leaves in `near`, were the third derivative all there is to it; a bend grows with
   * the step where the function is smooth, and does not where it has a kink; where it jumps, a shorter step tells */
  double jump = fmax(0, fabs(close.value - near.value) - 4 * close.rounding);
  p->difference = near.value + (near.value - far.value) / 3;
  p->unsure = fabs(near.value - far.value) + 4 * near.rounding + fabs(2 * near.bend - far.bend) + jump + FLT_MIN / step;
  return KG_OK;
}

static kg_status differentiate_input(kgi_oracle *o, kgi_oracle_input *in, const kgi_data *base) {
  double usual = typical(o, in);
  for (size_t i = 0; i < in->points; i++) {
    kgi_oracle_progress(o, "finite differences", i, in->points);
    kg_status status = differentiate(o, in, base, &in->point[i], usual);
    if (status != KG_OK) return status;
  }
  return KG_OK;
}

kg_status kgi_oracle_differences(kgi_oracle *o) {
  kgi_data base = {0};
  kg_status status = kgi_oracle_primal(o, &base);
  if (status == KG_OK) status = run(o, &base);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) status = differentiate_input(o, &o->input[k], &base);
  kgi_data_free(&base);
  return status;
}

/* Where it cannot tell a wrong derivative from a right one, to an eighth of what there is to tell, it says nothing. */
enum kgi_opinion kgi_opinion_of(const kgi_oracle_point *p) {
  if (isnan(p->difference) && isnan(p->unsure)) return KGI_NOT_ASKED;
  double error = fabs(p->difference - p->dual), scale = fmax(p->magnitude, fabs(p->difference));
  if (!isfinite(error) || !(p->unsure <= scale / 8)) return KGI_UNSURE;
  if (error <= p->unsure + scale / 1024) return KGI_AGREES;
  return error > 4 * p->unsure + scale / 1024 ? KGI_DISAGREES : KGI_UNSURE;
}
