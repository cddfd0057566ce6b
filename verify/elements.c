/* How many elements all buffers together have, and which size to make smaller where there are too many. */
#include "verify/data.h"

#include <stdio.h>

static bool are_too_many(const kg_module *m, const kg_host *host) {
  double sum = 0;
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++) sum += (double)host->length[b];
  return sum > (double)KG_VERIFY_MOST_ELEMENTS;
}

/* With the param at `value`, and the rest as it is. `d` is room for that. */
static bool would_do(kgi_data *d, const kg_host *host, uint32_t param, uint64_t value) {
  const kg_module *m = d->module;
  for (uint32_t q = 0; q < kg_module_param_count(m); q++)
    d->host.param[q] = q == param ? value : host->param[q], d->host.param_given[q] = true;
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    d->host.length[b] = host->length[b], d->host.length_given[b] = kg_module_buffer(m, b).host_length;
  return kg_module_resolve(m, &d->host, NULL) == KG_OK && !are_too_many(m, &d->host);
}

/* 0: it is no whole number, and no size. */
static double size_of(const kg_module *m, const kg_host *host, uint32_t param) {
  kg_type type = kg_module_param(m, param).type;
  return kg_type_is_float(type) ? 0 : kgi_value_number(type, host->param[param]);
}

/* The largest param that will do at `*value`, a power of ten below what it is. UINT32_MAX: none. */
static uint32_t param_to_lower(kgi_data *d, const kg_host *host, uint64_t *value) {
  uint32_t found = UINT32_MAX;
  for (uint64_t lower = 1000; lower && found == UINT32_MAX; lower /= 10) {
    double largest = (double)lower;
    *value = lower;
    for (uint32_t q = 0; q < kg_module_param_count(d->module); q++)
      if (size_of(d->module, host, q) > largest && would_do(d, host, q, *value)) found = q, largest = size_of(d->module, host, q);
  }
  return found;
}

/* What there is to do. No memory to find a param: then none is named. */
static void find_fix(const kg_module *m, const kg_host *host, char *fix, size_t size) {
  kgi_data d;
  uint64_t value = 0;
  uint32_t param = kgi_data_room(m, NULL, &d) == KG_OK ? param_to_lower(&d, host, &value) : UINT32_MAX;
  if (param == UINT32_MAX) snprintf(fix, size, "declare shorter buffers, pass shorter arrays, or bound the trips that a tape has room for");
  else snprintf(fix, size, "give a smaller size, as in --param %.60s=%u", kg_module_param(m, param).name, (unsigned)value);
  kgi_data_free(&d);
}

kg_status kgi_check_elements(const kg_module *m, const kg_host *host, const kg_sink *sink) {
  uint32_t longest = 0;
  char fix[120];
  if (!are_too_many(m, host)) return KG_OK;
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    if (host->length[b] > host->length[longest]) longest = b;
  find_fix(m, host, fix, sizeof fix);
  KGI_DIAG(&(kgi_diags){.sink = sink}, too_many_elements, 0, kg_module_buffer(m, longest).name, KGI_NUM(host->length[longest]),
           KGI_NUM(KG_VERIFY_MOST_ELEMENTS), fix);
  return KG_INVALID;
}
