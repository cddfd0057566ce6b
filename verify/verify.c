/* kg_verify: which gradient is judged, the oracle, the devices in turn, and the verdict. */
#include "autodiff/asked.h"
#include "autodiff/map.h"
#include "foundation/base/floats.h"
#include "verify/findings.h"
#include "verify/more.h"

#include <stdio.h>
#include <string.h>

typedef struct session {
  const kg_module *module;
  kg_verify_params params;
  const kgi_verify_more *more;
  const kg_sink *sink;
  kg_grad_params asked;
  kg_module *first;       /* of second order: the gradient, and the kernel that it is of */
  kg_grad_map *first_map;
  kg_module *with_deltas; /* the module, where it asks for a buffer after a run */
  const kg_module *kernel;
  kg_host host; const void **data; /* the same: what the gradient runs with */
  kg_module *made;        /* by kg_grad, where the caller gives no adjoint */
  kg_grad_map *made_map;
  kg_grad_entry *shadow; size_t shadow_cap;
  kgi_arena names;        /* of shadows, where nobody names them */
  kgi_gradient gradient;
  kgi_oracle oracle;
  kgi_judged *judged;     /* the reference first */
} session;

static kg_status no_memory(const session *s) {
  KGI_DIAG(&(kgi_diags){.sink = s->sink}, no_memory, 0, "");
  return KG_NO_MEMORY;
}

/* ---- what is asked ---- */

static kg_status check_count(const session *s, const char *what, uint64_t count, uint64_t most) {
  if (count <= most) return KG_OK;
  kgi_num number = {{0}};
  snprintf(number.text, sizeof number.text, "%llu", (unsigned long long)count);
  KGI_DIAG(&(kgi_diags){.sink = s->sink}, verify_count, 0, number.text, what, KGI_NUM(most));
  return KG_INVALID;
}

static kg_status check_counts(const session *s) {
  kg_status status = check_count(s, "entries", s->params.entries, KG_VERIFY_MOST_ELEMENTS);
  return status == KG_OK ? check_count(s, "directions", s->params.directions, KG_VERIFY_MOST_DIRECTIONS) : status;
}

/* ---- which gradient ---- */

static kg_status take_tangents(session *s) {
  kg_jvp_params params = {.of = s->asked.of, .of_count = s->asked.of_count, .wrt = s->asked.wrt, .wrt_count = s->asked.wrt_count,
                          .alloc = s->params.alloc};
  kg_status status = (s->made_map = kgi_map_new(s->params.alloc)) ? KG_OK : no_memory(s);
  bool second = s->params.mode == KG_VERIFY_HVP;
  if (status == KG_OK) status = kgi_ad_jvp(s->module, &params, s->sink, second, &s->made, s->made_map);
  if (status == KG_OK) s->params.adjoint = s->made, s->params.map = s->made_map;
  return status;
}

static kg_status differentiate(session *s) {
  if (s->params.mode != KG_VERIFY_REVERSE) return take_tangents(s);
  kg_status status = kg_grad_mapped(s->kernel ? s->kernel : s->module, &s->asked, s->sink, &s->made, &s->made_map);
  if (status == KG_OK) s->params.adjoint = s->made, s->params.map = s->made_map;
  return status;
}

/* grad_x for x. An output that no input reaches needs no shadow. */
static bool add_shadow(session *s, kg_grad_entry e) {
  char text[200];
  snprintf(text, sizeof text, "grad_%.190s", e.name);
  for (char *c = text; *c; c++)
    if (*c == ' ' || *c == ':') *c = '_'; /* h after k:2 */
  if (!e.wrt && kg_module_find_buffer(s->params.adjoint, text) == UINT32_MAX) return true;
  e.shadow = kgi_arena_strdup(&s->names, text, strlen(text));
  s->shadow[s->gradient.shadows++] = e;
  return e.shadow;
}

static bool name_shadows(session *s) {
  const kg_module *m = s->module;
  bool fine = true;
  s->shadow_cap = kg_module_buffer_count(m) + (size_t)kg_module_param_count(m);
  s->shadow = kgi_alloc(s->params.alloc, s->shadow_cap * sizeof *s->shadow);
  for (uint32_t b = 0; s->shadow && fine && b < kg_module_buffer_count(m); b++) {
    kg_grad_entry e = {.name = kg_module_buffer(m, b).name, .added_up = ""};
    e.of = kgi_asked_of(m, &s->asked, b), e.wrt = kgi_asked_wrt(m, &s->asked, b);
    if (e.of || e.wrt) fine = add_shadow(s, e);
  }
  for (uint32_t q = 0; s->shadow && fine && q < kg_module_param_count(m); q++) {
    kg_grad_entry e = {.name = kg_module_param(m, q).name, .is_param = true, .wrt = true, .added_up = ""};
    if (kgi_asked_wrt_param(m, &s->asked, q)) fine = add_shadow(s, e);
  }
  return s->shadow && fine;
}

static bool take_shadows(session *s) {
  if (!s->params.map) return name_shadows(s);
  s->shadow_cap = s->gradient.shadows = kg_grad_map_count(s->params.map);
  s->shadow = kgi_shadows_of(s->params.map, s->params.alloc);
  return s->shadow;
}

/* Of second order: the gradient's module takes the place of the kernel. It has the kernel's params and buffers first, in their
 * order. */
static kg_status take_host(session *s) {
  const kg_host *from = s->params.host;
  size_t buffers = kg_module_buffer_count(s->module), own = kg_module_buffer_count(s->kernel);
  s->host.length = kgi_arena_alloc(&s->names, buffers, sizeof *s->host.length);
  s->host.length_given = kgi_arena_alloc(&s->names, buffers, sizeof *s->host.length_given);
  s->data = kgi_arena_alloc(&s->names, buffers, sizeof *s->data);
  if (s->names.failed) return no_memory(s);
  if (from) s->host.param = from->param, s->host.param_given = from->param_given;
  for (size_t b = 0; b < own; b++) {
    if (from && from->length_given && from->length_given[b]) s->host.length[b] = from->length[b], s->host.length_given[b] = true;
    if (s->params.data) s->data[b] = s->params.data[b];
  }
  if (from) s->params.host = &s->host;
  if (s->params.data) s->params.data = s->data;
  return KG_OK;
}

static kg_status take_first_order(session *s) {
  kg_status status = kg_grad_mapped(s->module, &s->asked, s->sink, &s->first, &s->first_map);
  if (status != KG_OK) return status;
  size_t count = kg_grad_map_count(s->first_map), n = 0;
  const char **of = kgi_arena_alloc(&s->names, count, sizeof *of), **wrt = kgi_arena_alloc(&s->names, count, sizeof *wrt);
  if (!of || !wrt) return no_memory(s);
  for (size_t k = 0; k < count; k++) {
    kg_grad_entry e = kg_grad_map_entry(s->first_map, k);
    if (e.wrt) of[n] = e.shadow, wrt[n++] = e.name;
  }
  s->asked = (kg_grad_params){.of = of, .of_count = n, .wrt = wrt, .wrt_count = n, .alloc = s->params.alloc};
  s->kernel = s->module, s->module = s->first;
  return take_host(s);
}

/* The oracle has the module with a buffer that is added to what is asked for. */
static kg_status take_deltas(session *s) {
  kg_status status = kgi_grad_with_deltas(s->module, &s->asked, s->sink, &s->with_deltas);
  if (status == KG_NO_MEMORY) return no_memory(s);
  if (status != KG_OK || !s->with_deltas) return status;
  s->kernel = s->module, s->module = s->with_deltas;
  return take_host(s);
}

static kg_status take_gradient(session *s) {
  kg_status first = s->params.mode == KG_VERIFY_HVP ? take_first_order(s) : s->params.mode == KG_VERIFY_REVERSE ? take_deltas(s) : KG_OK;
  if (first != KG_OK) return first;
  kg_status status = s->params.adjoint ? kgi_grad_check(s->kernel ? s->kernel : s->module, &s->asked, s->sink) : differentiate(s);
  if (status != KG_OK) return status;
  if (!take_shadows(s)) return no_memory(s);
  s->gradient.module = s->module, s->gradient.asked = &s->asked;
  s->gradient.written = !s->made;
  if (s->with_deltas) s->gradient.plain = s->kernel;
  s->gradient.adjoint = s->params.adjoint, s->gradient.shadow = s->shadow;
  if (s->more) s->gradient.adds = s->more->adds;
  return KG_OK;
}

/* ---- the judgement ---- */

static kg_status judge(session *s) {
  size_t count = s->params.device_count + 1;
  s->judged = kgi_alloc(s->params.alloc, count * sizeof *s->judged);
  if (!s->judged) return no_memory(s);
  for (size_t i = 0; i < count; i++) s->judged[i] = (kgi_judged){.name = "a device that is not there"};
  kg_status status = kgi_oracle_make(&s->params, &s->gradient, s->sink, &s->oracle);
  if (status == KG_OK && !s->oracle.contract.broken) status = kgi_judged_make(&s->oracle, NULL, &s->judged[0]);
  for (size_t i = 1; i < count && status == KG_OK && !s->oracle.contract.broken; i++)
    if (s->params.devices[i - 1]) status = kgi_judged_make(&s->oracle, s->params.devices[i - 1], &s->judged[i]);
  return status;
}

static kg_status conclude(const session *s, kg_verdict **out) {
  kgi_findings f = {.oracle = &s->oracle, .device = s->judged, .optional = s->params.optional};
  f.expect_zero = s->params.expect_zero;
  if (!s->oracle.contract.broken) f.devices = s->params.device_count + 1;
  if (s->more && f.devices && s->more->remark(s->more->user, &f) != KG_OK) return no_memory(s);
  kg_verdict *verdict = kgi_verdict_make(&f, s->params.alloc);
  if (!verdict) return no_memory(s);
  *out = verdict;
  return KG_OK;
}

static void release(session *s) {
  size_t count = s->params.device_count + 1;
  for (size_t i = 0; s->judged && i < count; i++) kgi_judged_free(&s->judged[i]);
  kgi_free(s->params.alloc, s->judged, count * sizeof *s->judged);
  kgi_oracle_free(&s->oracle);
  kgi_free(s->params.alloc, s->shadow, s->shadow_cap * sizeof *s->shadow);
  kgi_arena_free(&s->names);
  kg_grad_map_free(s->made_map);
  kg_module_free(s->made);
  kg_grad_map_free(s->first_map);
  kg_module_free(s->first);
  kg_module_free(s->with_deltas);
}

static kg_status check_choices(const session *s) {
  kgi_diags diags = {.sink = s->sink, .file = s->module->file};
  kg_status status = kgi_check_choice((unsigned)s->params.mode <= KG_VERIFY_HVP, "kg_verify", "kg_verify_mode", s->params.mode, &diags);
  return status == KG_OK ? kgi_check_choice(kg_math_name(s->params.math), "kg_verify", "kg_math", s->params.math, &diags) : status;
}

kg_status kgi_verify(const kg_module *module, const kg_verify_params *params, const kgi_verify_more *more, const kg_sink *sink,
                     kg_verdict **out) {
  session s = {.module = module, .more = more, .sink = sink};
  if (params) s.params = *params;
  if (!s.params.devices) s.params.device_count = 0;
  if (s.params.mode != KG_VERIFY_REVERSE) {
    s.params.adjoint = NULL, s.params.map = NULL;
    s.params.accumulate = s.params.differences = false;
  }
  s.asked = (kg_grad_params){.of = s.params.of, .of_count = s.params.of_count, .wrt = s.params.wrt, .wrt_count = s.params.wrt_count,
                             .deterministic = s.params.deterministic, .accumulate = s.params.accumulate,
                             .tape_limit = s.params.tape_limit, .trips = s.params.trips, .alloc = s.params.alloc};
  kgi_arena_init(&s.names, s.params.alloc);
  kg_status status = check_choices(&s);
  if (status == KG_OK) status = check_counts(&s);
  if (status == KG_OK) status = take_gradient(&s);
  if (status == KG_OK) status = judge(&s);
  if (status == KG_OK) status = conclude(&s, out);
  release(&s);
  return status;
}

kg_status kg_verify(const kg_module *module, const kg_verify_params *params, const kg_sink *sink, kg_verdict **out) {
  KGI_OWN_FLOATS;
  return kgi_verify(module, params, NULL, sink, out);
}
