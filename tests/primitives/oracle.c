#include "tests/primitives/oracle.h"
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 48, MOST_ARGS = 16, MOST_NAME = 48 };

struct kgt_case {
  const kgt_oracle *row;
  const kg_primitive_info *info;
  kg_module *module;
  kg_primitive_arg arg[MOST_ARGS]; /* those of the primitive */
  char name[MOST_ARGS][MOST_NAME];
  size_t args;
  uint64_t param[MOST_BUFFERS], length[MOST_BUFFERS];
  bool param_given[MOST_BUFFERS], length_given[MOST_BUFFERS], judged[MOST_BUFFERS];
  void *data[MOST_BUFFERS], *before[MOST_BUFFERS];
  double *want[MOST_BUFFERS], *magnitude[MOST_BUFFERS];
  bool asserted; /* whether an assert failed */
};

static void fail_on(void *user, const kg_diag *d) {
  kgt_case *c = user;
  if (!c->row->formula && !strcmp(d->id, "assert-failed")) c->asserted = true;
  else ck_abort_msg("%s %s: %s: %s (%s)", c->row->primitive, c->row->params, d->id, d->message, d->fix);
}

static kg_sink sink_of(kgt_case *c) { return (kg_sink){fail_on, c}; }

/* ---- what a row says ---- */

/* The next "name=value" of a list, without the comma behind it. */
static const char *next_pair(const char *list, char name[MOST_NAME], char *value, size_t size) {
  size_t whole = strcspn(list, ","), left = strcspn(list, "=");
  ck_assert_msg(left < whole && left < MOST_NAME && whole - left <= size, "not a list of NAME=VALUE: %s", list);
  memcpy(name, list, left), name[left] = 0;
  memcpy(value, list + left + 1, whole - left - 1), value[whole - left - 1] = 0;
  return list + whole + (list[whole] == ',');
}

static bool belongs(const kg_primitive_info *info, const char *name) {
  for (uint32_t i = 0; i < info->param_count; i++)
    if (!strcmp(info->params[i].name, name)) return true;
  return false;
}

static void build(kgt_case *c) {
  kg_sink sink = sink_of(c);
  char value[64], name[MOST_NAME];
  for (const char *at = c->row->params; *at;) {
    at = next_pair(at, name, value, sizeof value);
    if (!belongs(c->info, name)) continue;
    ck_assert_uint_lt(c->args, MOST_ARGS);
    memcpy(c->name[c->args], name, sizeof name);
    c->arg[c->args] = (kg_primitive_arg){c->name[c->args], strtod(value, NULL)};
    c->args++;
  }
  ck_assert_int_eq(kg_primitive_build(NULL, c->row->primitive, c->arg, c->args, &sink, &c->module), KG_OK);
  for (const char *at = c->row->params; *at;) {
    at = next_pair(at, name, value, sizeof value);
    uint32_t i = kg_module_find_param(c->module, name);
    if (belongs(c->info, name)) continue;
    ck_assert_msg(i != UINT32_MAX, "%s has no parameter %s", c->row->primitive, name);
    c->param[i] = kg_value_of_number(kg_module_param(c->module, i).type, strtod(value, NULL));
    c->param_given[i] = true;
  }
}

/* "-6..6" or "1|2|nan" */
static void fill_with(uint64_t *state, kg_type type, const char *source, void *array, uint64_t count) {
  const char *dots = strstr(source, ".."), *at = source;
  double lo = strtod(source, NULL), hi = dots ? strtod(dots + 2, NULL) : 0;
  for (uint64_t k = 0; k < count; k++) {
    char *end;
    double x = dots ? kgi_random_between(state, lo, hi) : strtod(at, &end);
    if (!dots) at = *end == '|' ? end + 1 : source;
    kg_value_store(type, array, k, kg_value_of_number(type, kg_type_is_float(type) ? x : floor(x)));
  }
}

static void fill(kgt_case *c, uint32_t buffer) {
  kg_buffer_info info = kg_module_buffer(c->module, buffer);
  char name[MOST_NAME], value[256];
  uint64_t state = 17 + buffer;
  for (const char *at = c->row->fill ? c->row->fill : ""; *at;) {
    at = next_pair(at, name, value, sizeof value);
    if (!strcmp(name, info.name)) return fill_with(&state, info.type, value, c->data[buffer], c->length[buffer]);
  }
  if (!info.ranged && !kg_type_is_float(info.type)) return fill_with(&state, info.type, "0..3", c->data[buffer], c->length[buffer]);
  kg_sink sink = sink_of(c);
  kg_host host = {c->param, c->param_given, c->length, c->length_given};
  ck_assert_int_eq(kg_module_random(c->module, &host, buffer, 17, &sink, c->data[buffer]), KG_OK);
}

static void *room(uint64_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  ck_assert_ptr_nonnull(p);
  return p;
}

static void allocate(kgt_case *c) {
  kg_sink sink = sink_of(c);
  kg_host host = {c->param, c->param_given, c->length, c->length_given};
  ck_assert_uint_le(kg_module_buffer_count(c->module), MOST_BUFFERS);
  ck_assert_int_eq(kg_module_resolve(c->module, &host, &sink), KG_OK);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->module); i++) {
    kg_buffer_info info = kg_module_buffer(c->module, i);
    if (info.mode == KG_TEMP) continue;
    size_t size = kg_type_size(info.type);
    c->data[i] = room(c->length[i], size), c->before[i] = room(c->length[i], size);
    if (info.mode == KG_WRITE) memset(c->data[i], 0x7E, c->length[i] * size); /* what nobody writes is no value that is expected */
    else fill(c, i);
    memcpy(c->before[i], c->data[i], c->length[i] * size);
  }
}

/* ---- for formulas ---- */

static uint32_t buffer_of(const kgt_case *c, const char *name) {
  uint32_t i = kg_module_find_buffer(c->module, name);
  ck_assert_msg(i != UINT32_MAX && c->data[i], "%s has no buffer %s", c->row->primitive, name);
  return i;
}

double kgt_real(const kgt_case *c, const char *param) {
  uint32_t own = kg_module_find_param(c->module, param);
  if (own != UINT32_MAX) return kg_value_number(kg_module_param(c->module, own).type, c->param[own]);
  for (size_t i = 0; i < c->args; i++)
    if (!strcmp(c->arg[i].name, param)) return c->arg[i].value;
  for (uint32_t i = 0; i < c->info->param_count; i++)
    if (!strcmp(c->info->params[i].name, param)) return c->info->params[i].fallback;
  ck_abort_msg("%s has no parameter %s", c->row->primitive, param);
}

size_t kgt_size(const kgt_case *c, const char *param) { return (size_t)kgt_real(c, param); }
size_t kgt_count(const kgt_case *c, const char *buffer) { return c->length[buffer_of(c, buffer)]; }

static const void *typed(const kgt_case *c, void *const *arrays, const char *buffer, bool floats) {
  uint32_t i = buffer_of(c, buffer);
  kg_type type = kg_module_buffer(c->module, i).type;
  ck_assert_msg(floats ? type == KG_F32 : type == KG_U32 || type == KG_I32, "the type of %s", buffer);
  return arrays[i];
}

const float *kgt_floats(const kgt_case *c, const char *buffer) { return typed(c, c->before, buffer, true); }
const uint32_t *kgt_wholes(const kgt_case *c, const char *buffer) { return typed(c, c->before, buffer, false); }
const float *kgt_got(const kgt_case *c, const char *buffer) { return typed(c, c->data, buffer, true); }

double kgi_ask_element(const kgt_case *c, const char *buffer, size_t index) {
  uint32_t i = buffer_of(c, buffer);
  kg_type type = kg_module_buffer(c->module, i).type;
  return kg_value_number(type, kg_value_load(type, c->before[i], index));
}

double *kgt_want(kgt_case *c, const char *buffer) {
  uint32_t i = buffer_of(c, buffer);
  if (c->want[i]) return c->want[i];
  c->want[i] = room(c->length[i], sizeof(double));
  for (uint64_t k = 0; k < c->length[i]; k++) c->want[i][k] = NAN;
  return c->want[i];
}

double *kgt_magnitude(kgt_case *c, const char *buffer) {
  uint32_t i = buffer_of(c, buffer);
  return c->magnitude[i] = c->magnitude[i] ? c->magnitude[i] : room(c->length[i], sizeof(double));
}

void kgt_judged(kgt_case *c, const char *buffer) { c->judged[buffer_of(c, buffer)] = true; }

/* ---- the run ---- */

static void run_on_reference(kgt_case *c) {
  kg_sink sink = sink_of(c);
  uint64_t lengths[MOST_BUFFERS];
  for (uint32_t i = 0; i < kg_module_buffer_count(c->module); i++) lengths[i] = c->data[i] ? c->length[i] : UINT64_MAX;
  kg_reference_params params = {.module = c->module, .sink = &sink, .buffers = c->data, .lengths = lengths, .param_bits = c->param,
                                .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED};
  kg_reference_report report;
  ck_assert_int_eq(kg_reference_run(&params, &report) == KG_OK, c->row->formula != NULL);
  c->asserted = report.fault == KG_FAULT_ASSERT;
  if (!c->row->formula) return;
  ck_assert_int_eq(report.fault, KG_FAULT_NONE);
  ck_assert_msg(report.out_of_bounds_loads + report.out_of_bounds_stores == 0, "%s %s: out of bounds at line %u", c->row->primitive,
                c->row->params, report.out_of_bounds_line);
}

static void run_on_device(kgt_case *c, const char *device) {
  kgt_device d = kgt_open(device);
  kg_host host = {c->param, c->param_given, c->length, c->length_given};
  kg_sink sink = sink_of(c);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->module); i++) c->length_given[i] = c->data[i] != NULL;
  kg_status status = kg_run(d.device, c->module, &host, c->data, NULL, &sink, NULL);
  ck_assert_int_eq(status == KG_OK, c->row->formula != NULL);
  kgt_close(&d);
}

static void compare(kgt_case *c, uint32_t buffer) {
  kg_buffer_info info = kg_module_buffer(c->module, buffer);
  if (c->judged[buffer] || !c->data[buffer] || info.mode == KG_READ) return;
  ck_assert_msg(c->want[buffer] != NULL, "the formula of %s says nothing of %s", c->row->primitive, info.name);
  for (uint64_t k = 0; k < c->length[buffer]; k++) {
    double got = kg_value_number(info.type, kg_value_load(info.type, c->data[buffer], k)), want = c->want[buffer][k];
    double magnitude = fabs(want) + (c->magnitude[buffer] ? c->magnitude[buffer][k] : 0);
    double slack = kg_type_is_float(info.type) ? c->row->tolerance * 0x1p-24 * magnitude + 0x1p-126 : 0;
    bool same = isnan(want) ? isnan(got) : isinf(want) ? got == want : fabs(got - want) <= slack;
    ck_assert_msg(same, "%s %s: %s[%llu] is %.9g, not %.9g: off by %.3g of %.3g", c->row->primitive, c->row->params, info.name,
                  (unsigned long long)k, got, want, fabs(got - want), slack);
  }
}

static void drop(kgt_case *c) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(c->data[i]), free(c->before[i]), free(c->want[i]), free(c->magnitude[i]);
  kg_module_free(c->module);
}

void kgt_oracle_run(const char *device, const kgt_oracle *row) {
  kgt_case c = {.row = row, .info = kg_primitive_find(row->primitive)};
  ck_assert_msg(c.info != NULL, "there is no primitive %s", row->primitive);
  build(&c);
  allocate(&c);
  if (!strcmp(device, "reference")) run_on_reference(&c);
  else run_on_device(&c, device);
  if (row->formula) row->formula(&c);
  else ck_assert_msg(c.asserted, "%s %s: no assert fails", row->primitive, row->params);
  for (uint32_t i = 0; i < kg_module_buffer_count(c.module) && row->formula; i++) compare(&c, i);
  drop(&c);
}
