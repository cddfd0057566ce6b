/* The pattern in what is wrong, of a gradient on the reference. A pattern is told where it holds for every entry that was looked at, and
 * where there are enough of them that it is no accident. */
#include "verify/audit.h"
#include "foundation/ir/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH = 4 };             /* entries of a size to tell */
static const double NEAR = 1e-4; /* relative; patterns of chance are further off */

typedef struct view {
  const kgi_findings *findings;
  const kgi_oracle_input *in;
  const kgi_judged *reference;
  const kgi_found *found;   /* by point */
  const uint8_t *touch;     /* by element; NULL: not known */
  double size;              /* of the largest dual */
  uint64_t rows, columns;   /* of the last dimension; 0: it has but one */
} view;

static double got(const view *v, size_t i) { return v->found[i].gradient - v->in->point[i].start; }
static double dual(const view *v, size_t i) { return v->in->point[i].dual; }
static bool is_told(const view *v, size_t i) { return fabs(dual(v, i)) > v->size / 1024; }
static bool is_unwritten(const view *v, size_t i) { return v->touch && v->touch[v->in->point[i].index] == KGI_TOUCH_UNWRITTEN; }

/* Zero is what is small beside the gradient. */
static bool is_near(const view *v, double a, double b) {
  return fabs(a - b) <= NEAR * fmax(fabs(a), fabs(b)) + v->size * 1e-7;
}

__attribute__((format(printf, 2, 3))) static bool say(kgi_remark *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->hint, sizeof r->hint, format, args);
  va_end(args);
  return true;
}

static const char *number(double x, char text[KGI_NUMBER_TEXT]) { return kgi_double_text(x, 5, text), text; }

/* ---- what was never stored, and what was not zeroed ---- */

/* Of an array whose length nobody states: kernels that go by a size of their own leave the rest of it alone. */
static bool is_open(const view *v) {
  const kgi_oracle *o = v->findings->oracle;
  bool zero = true;
  for (size_t i = 0; i < v->in->points; i++)
    if (v->found[i].judgement.verdict == KG_OUTCOME_FAILED) zero &= dual(v, i) == 0 && v->in->point[i].magnitude == 0;
  return zero && !v->in->entry.is_param && kg_module_buffer(o->gradient.module, v->in->at).host_length;
}

static bool hint_unwritten(const view *v, kgi_remark *r) {
  uint64_t failed = 0, unwritten = 0;
  for (size_t i = 0; i < v->in->points; i++)
    if (v->found[i].judgement.verdict == KG_OUTCOME_FAILED) failed++, unwritten += is_unwritten(v, i);
  if (!failed || failed != unwritten) return false;
  if (is_open(v))
    return say(r, "the wrong entries were never written, and nothing depends on the input there: %.80s has %" PRIu64 " elements here; give the "
                  "size that the kernels go by, and an array of that length for each `[]` buffer", v->in->entry.name, v->in->count);
  return say(r, "the wrong entries were never written: their invocations do not run, or a condition leaves them out");
}

static bool hint_added(const view *v, kgi_remark *r) {
  uint64_t added = 0;
  for (size_t i = 0; i < v->in->points; i++) {
    uint64_t index = v->in->point[i].index;
    if (!v->touch || (v->touch[index] != KGI_TOUCH_ADDED && v->touch[index] != KGI_TOUCH_UNWRITTEN)) return false;
    double start = kgi_array_element(&v->in->start, index);
    if (!is_near(v, got(v, i) - start, dual(v, i))) return false;
    added += v->touch[index] == KGI_TOUCH_ADDED;
  }
  if (!added || v->in->added) return false;
  return say(r, "it is added to what stands there on entry, which nothing zeroes");
}

/* ---- one factor ---- */

/* The name of a param that is `x`, or of which it is the reciprocal. */
static bool name_factor(const view *v, double x, kgi_remark *r) {
  const kgi_oracle *o = v->findings->oracle;
  for (uint32_t q = 0; q < kg_module_param_count(o->gradient.module); q++) {
    kg_param_info info = kg_module_param(o->gradient.module, q);
    double value = kgi_value_number(info.type, o->primal.host.param[q]);
    size_t used = strlen(r->hint);
    bool whole = is_near(v, x, value), part = value != 0 && is_near(v, x, 1 / value);
    if (fabs(value) == 1 || (!whole && !part)) continue;
    snprintf(r->hint + used, sizeof r->hint - used, ", as %s%s is", part && !whole ? "1 / " : "", info.name);
    return true;
  }
  return false;
}

static bool hint_factor(const view *v, kgi_remark *r) {
  double factor = 0;
  char text[KGI_NUMBER_TEXT];
  uint64_t told = 0;
  for (size_t i = 0; i < v->in->points; i++)
    if (is_told(v, i) && fabs(dual(v, i)) == v->size) factor = got(v, i) / dual(v, i);
  if (factor == 0 || !isfinite(factor) || is_near(v, factor, 1)) return false;
  for (size_t i = 0; i < v->in->points; i++) {
    if (!is_near(v, got(v, i), factor * dual(v, i))) return false;
    told += is_told(v, i);
  }
  if (told < ENOUGH) return false;
  if (is_near(v, factor, -1)) return say(r, "each entry has the other sign");
  say(r, "each entry is %s times what it must be", number(factor, text));
  name_factor(v, factor, r);
  return true;
}

/* ---- a factor that is a buffer of the forward, or a cotangent ---- */

typedef double element(const view *v, const void *of, uint64_t i);

static double after_forward(const view *v, const void *of, uint64_t i) {
  return kgi_data_element(&v->findings->oracle->reference, *(const uint32_t *)of, i);
}

static double cotangent(const view *v, const void *of, uint64_t i) {
  return kgi_oracle_cotangent(v->findings->oracle, *(const uint32_t *)of, i);
}

typedef enum along { EACH, ROW, COLUMN } along;

static double factor_at(const view *v, element *at, const void *of, along way, size_t i) {
  uint64_t index = v->in->point[i].index;
  return at(v, of, way == EACH ? index : way == ROW ? index / v->columns : index % v->columns);
}

/* `missing`: what is there, times the factor, is what must be; else what must be, times the factor, is there. */
static bool explains(const view *v, element *at, const void *of, along way, bool missing) {
  uint64_t told = 0;
  for (size_t i = 0; i < v->in->points; i++) {
    double f = factor_at(v, at, of, way, i), a = got(v, i), d = dual(v, i);
    if (!isfinite(f) || !is_near(v, missing ? a * f : a, missing ? d : d * f)) return false;
    told += is_told(v, i) && f != 0; /* zeros explain any zero */
  }
  return told >= ENOUGH;
}

static bool try_factor(const view *v, element *at, const void *of, uint64_t count, const char *before, const char *name, kgi_remark *r) {
  static const char *const index[] = {"[i]", "[row]", "[column]"};
  const uint64_t length[] = {v->in->count, v->rows, v->columns};
  for (along way = EACH; way <= COLUMN; way++) {
    if (!length[way] || length[way] != count || count < 2) continue;
    if (explains(v, at, of, way, true)) return say(r, "each entry lacks the factor %s%.80s%s", before, name, index[way]);
    if (explains(v, at, of, way, false)) return say(r, "each entry has the factor %s%.80s%s too many", before, name, index[way]);
  }
  return false;
}

static bool hint_buffer(const view *v, kgi_remark *r) {
  const kgi_oracle *o = v->findings->oracle;
  for (uint32_t b = 0; b < kg_module_buffer_count(o->gradient.module); b++) {
    kg_buffer_info info = kg_module_buffer(o->gradient.module, b);
    uint32_t at = kg_module_find_buffer(o->gradient.adjoint, info.name);
    if (at != UINT32_MAX && o->reference.array[at].data &&
        try_factor(v, after_forward, &at, o->reference.array[at].count, "", info.name, r))
      return true;
    if (o->cotangent[b].data && try_factor(v, cotangent, &b, o->cotangent[b].count, "grad_", info.name, r)) return true;
  }
  return false;
}

/* ---- rows, columns, places ---- */

/* The factor of a line, in which each entry is off by the same; 0: nothing is there to tell, NaN: it has none. */
static double line_factor(const view *v, bool rows, uint64_t line) {
  double factor = 0;
  uint64_t told = 0, count = rows ? v->columns : v->rows;
  for (uint64_t k = 0; k < count; k++) {
    size_t i = (size_t)(rows ? line * v->columns + k : k * v->columns + line);
    if (!is_told(v, i)) continue;
    if (!told++) factor = got(v, i) / dual(v, i);
    if (factor == 0 || !is_near(v, got(v, i), factor * dual(v, i))) return (double)NAN;
  }
  return told && told < ENOUGH ? (double)NAN : factor;
}

static bool is_by_line(const view *v, bool rows) {
  double first = 0;
  bool differ = false;
  uint64_t count = rows ? v->rows : v->columns;
  if (count < 2 || v->in->points != v->in->count) return false;
  for (uint64_t line = 0; line < count; line++) {
    double factor = line_factor(v, rows, line);
    if (isnan(factor)) return false;
    if (first == 0) first = factor;
    differ |= factor != 0 && !is_near(v, factor, first);
  }
  return differ;
}

static bool hint_lines(const view *v, kgi_remark *r) {
  if (is_by_line(v, true)) return say(r, "whole rows are off by a factor each");
  if (is_by_line(v, false)) return say(r, "whole columns are off by a factor each");
  return false;
}

/* The dual that stands at another place; all are known. */
static uint64_t transposed(const view *v, uint64_t i) { return i % v->rows * v->columns + i / v->rows; }
static uint64_t following(const view *v, uint64_t i) { return i + 1 < v->in->count ? i + 1 : i; }
static uint64_t preceding(const view *v, uint64_t i) { return (void)v, i ? i - 1 : i; }

/* But for an end, which has no neighbour. */
static bool is_moved(const view *v, uint64_t place(const view *, uint64_t), uint64_t excused) {
  uint64_t told = 0;
  for (uint64_t i = 0; i < v->in->count; i++) {
    if (i == excused) continue;
    uint64_t from = place(v, i);
    if (!is_near(v, got(v, (size_t)i), dual(v, (size_t)from))) return false;
    told += from != i && is_told(v, (size_t)from);
  }
  return told >= ENOUGH;
}

static bool hint_places(const view *v, kgi_remark *r) {
  if (v->in->points != v->in->count) return false;
  if (v->rows > 1 && v->columns > 1 && is_moved(v, transposed, UINT64_MAX)) return say(r, "it is transposed: rows and columns are exchanged");
  if (is_moved(v, following, v->in->count - 1)) return say(r, "each entry is what the next one must be");
  if (is_moved(v, preceding, 0)) return say(r, "each entry is what the one before must be");
  return false;
}

/* ---- formulas that are nearly right ---- */

static bool hint_nearly(const view *v, kgi_remark *r) {
  uint64_t failed = 0;
  for (size_t i = 0; i < v->in->points; i++) {
    const kgi_judgement *j = &v->found[i].judgement;
    if (j->verdict == KG_OUTCOME_FAILED && !(j->ratio <= 1)) return false;
    failed += j->verdict == KG_OUTCOME_FAILED;
  }
  if (!failed) return false;
  return say(r, "no entry is off by more than single precision rounds, but the formulas are not those of the derivative");
}

/* ---- ties and kinks ---- */

enum { MOST_KINKS = 16 };

/* The dual with the input's element a little to the side. */
static double dual_beside(const view *v, size_t i, double step) {
  const kgi_array *x = &v->findings->oracle->primal.array[v->in->at];
  kgi_oracle_point p = kgi_oracle_no_point(v->in->point[i].index);
  uint64_t bits = kg_value_load(x->type, x->data, p.index);
  kg_value_store(x->type, x->data, p.index, kgi_value_of_number(x->type, kgi_value_number(x->type, bits) + step));
  kg_status status = kgi_oracle_dual_at(v->findings->oracle, v->in, &p);
  kg_value_store(x->type, x->data, p.index, bits);
  return status == KG_OK ? p.dual : (double)NAN;
}

/* The derivatives on either side differ, and what is there lies between them. */
static bool is_kink(const view *v, size_t i) {
  const kgi_array *x = &v->findings->oracle->primal.array[v->in->at];
  double step = fmax(fabs(kgi_array_element(x, v->in->point[i].index)), 0x1p-6) * 0x1p-12;
  double below = dual_beside(v, i, -step), above = dual_beside(v, i, step), apart = fabs(above - below);
  if (!(apart > v->in->point[i].magnitude / 16) || !isfinite(apart)) return false;
  return got(v, i) >= fmin(below, above) - apart / 1024 && got(v, i) <= fmax(below, above) + apart / 1024;
}

static bool hint_kinks(const view *v, kgi_remark *r) {
  uint64_t failed = v->reference->tally[v->in - v->findings->oracle->input].failed;
  if (v->in->entry.is_param || failed > MOST_KINKS) return false;
  for (size_t i = 0; i < v->in->points; i++)
    if (v->found[i].judgement.verdict == KG_OUTCOME_FAILED && (is_unwritten(v, i) || !is_kink(v, i))) return false;
  return say(r, "the wrong entries lie at a tie or a kink: each is a derivative from a side, or between both, and the duals are another");
}

/* ---- the whole ---- */

static void take_shape(view *v) {
  const kgi_oracle *o = v->findings->oracle;
  kg_host host = o->primal.host;
  uint64_t extent[KG_MAX_RANK];
  if (v->in->entry.is_param || kg_module_buffer(o->gradient.module, v->in->at).rank < 2) return;
  if (kg_module_buffer_extents(o->gradient.module, &host, v->in->at, NULL, extent) != KG_OK) return;
  v->columns = extent[kg_module_buffer(o->gradient.module, v->in->at).rank - 1];
  v->rows = v->columns ? v->in->count / v->columns : 0;
}

void kgi_hint(const kgi_findings *f, size_t k, const uint8_t *touch, kgi_remark *r) {
  const kgi_judged *reference = &f->device[0];
  view v = {.findings = f, .in = &f->oracle->input[k], .reference = reference, .touch = touch};
  *r->hint = 0;
  if (!reference->ran || !reference->tally[k].failed) return;
  v.found = reference->found[k];
  for (size_t i = 0; i < v.in->points; i++) {
    if (!isfinite(dual(&v, i)) || !isfinite(got(&v, i))) return;
    v.size = fmax(v.size, fabs(dual(&v, i)));
  }
  take_shape(&v);
  if (hint_unwritten(&v, r) || hint_nearly(&v, r) || hint_added(&v, r) || hint_factor(&v, r) || hint_buffer(&v, r)) return;
  if (hint_lines(&v, r) || hint_places(&v, r)) return;
  hint_kinks(&v, r);
}
