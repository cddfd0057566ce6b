/* Takes the tangents of a program given as text, runs the result, and compares every element of every tangent with dual numbers along
 * the same directions, which know nothing of the derivatives in ops.def. */
#ifndef TESTS_AUTODIFF_JVP_CASE_H
#define TESTS_AUTODIFF_JVP_CASE_H
#include "tests/autodiff/autodiff_case.h"

typedef struct jvt_case {
  kg_jvp_params params;
  kg_device *device; /* NULL: the reference */
  kg_module *primal, *tangent;
  kg_grad_map *map;
  adt_data before, after, result; /* the primal's before and after a plain run; the tangent module's */
  double *seed[ADT_BUFFERS], param_seed[8 * KG_JVP_MOST_DIRECTIONS];
  double *dual[ADT_BUFFERS], *magnitude[ADT_BUFFERS];
  adt_case note;                  /* of diagnostics */
  kgi_scale scale;
  kgi_tally tally;
  uint64_t random;
  const char *label;
  bool may_vanish;
} jvt_case;

static inline unsigned jvt_directions(const jvt_case *c) { return c->params.directions ? c->params.directions : 1; }

static inline kg_status jvt_differentiate(jvt_case *c, const char *text) {
  kg_sink sink = {adt_note, &c->note};
  c->note.diag[0] = 0;
  kg_status status = kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &c->primal);
  ck_assert_msg(status == KG_OK, "does not parse: %s", c->note.message);
  return kg_jvp_mapped(c->primal, &c->params, &sink, &c->tangent, &c->map);
}

static inline void jvt_free(jvt_case *c) {
  adt_free_data(&c->before), adt_free_data(&c->after), adt_free_data(&c->result);
  for (int i = 0; i < ADT_BUFFERS; i++) free(c->seed[i]), free(c->dual[i]), free(c->magnitude[i]);
  kg_grad_map_free(c->map);
  kg_module_free(c->tangent);
  kg_module_free(c->primal);
  memset(c, 0, sizeof *c);
}

/* What the declaration of a tangent must be, from the kernel alone. */
static inline void jvt_check_declaration(const jvt_case *c, kg_grad_entry e) {
  uint32_t at = kg_module_find_buffer(c->tangent, e.shadow), own = e.is_param ? UINT32_MAX : kg_module_find_buffer(c->primal, e.name);
  ck_assert_msg(at != UINT32_MAX && kg_module_find_buffer(c->primal, e.shadow) == UINT32_MAX, "there is no %s", e.shadow);
  kg_buffer_info info = kg_module_buffer(c->tangent, at);
  uint32_t param = kg_module_find_param(c->primal, e.name);
  kg_type type = e.is_param ? kg_module_param(c->primal, param).type : kg_module_buffer(c->primal, own).type;
  bool written = own != UINT32_MAX && kg_module_buffer(c->primal, own).mode != KG_READ;
  kg_mode want = !e.wrt ? KG_WRITE : written ? KG_READ_WRITE : KG_READ;
  ck_assert_msg(info.type == (type == KG_F64 ? KG_F64 : KG_F32), "%s is %s", e.shadow, kg_type_name(info.type));
  ck_assert_msg(info.mode == want, "%s has mode %d, not %d", e.shadow, (int)info.mode, (int)want);
  ck_assert_uint_eq(c->result.length[at], jvt_directions(c) * (own == UINT32_MAX ? 1 : c->before.length[own]));
  ck_assert(e.tangent);
}

static inline void jvt_prepare(jvt_case *c, const char *text) {
  kg_status status = jvt_differentiate(c, text);
  ck_assert_msg(status == KG_OK, "refused: %s: %s\n%s", c->note.diag, c->note.message, c->label ? c->label : "");
  if (!c->random) c->random = 5;
  adt_allocate(&c->before, c->primal, NULL, NULL);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->primal); i++)
    if (kg_module_buffer(c->primal, i).mode == KG_READ || kg_module_buffer(c->primal, i).mode == KG_READ_WRITE)
      adt_fill(&c->before, i, &c->random);
  adt_allocate(&c->result, c->tangent, NULL, &c->before);
  adt_allocate(&c->after, c->primal, NULL, &c->before);
  adt_copy(&c->after, &c->before);
  adt_copy(&c->result, &c->before);
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    jvt_check_declaration(c, e);
    if (e.wrt) adt_fill(&c->result, kg_module_find_buffer(c->tangent, e.shadow), &c->random);
  }
}

/* The directions that are in the tangents of the inputs now, as seeds of the duals. */
static inline void jvt_take_seeds(jvt_case *c) {
  uint32_t params = kg_module_param_count(c->primal);
  unsigned directions = jvt_directions(c);
  for (uint32_t b = 0; b < kg_module_buffer_count(c->primal); b++) {
    if (!tool_type_is_float(kg_module_buffer(c->primal, b).type)) continue;
    c->dual[b] = calloc((size_t)(directions * c->before.length[b]) + 1, sizeof(double));
    c->magnitude[b] = calloc((size_t)(directions * c->before.length[b]) + 1, sizeof(double));
  }
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    uint32_t b = e.is_param ? UINT32_MAX : kg_module_find_buffer(c->primal, e.name);
    uint64_t count = directions * (e.is_param ? 1 : c->before.length[b]);
    for (uint64_t n = 0; e.wrt && n < count; n++) {
      double x = adt_get(&c->result, e.shadow, n);
      if (e.is_param) c->param_seed[n * params + kg_module_find_param(c->primal, e.name)] = x;
      else c->dual[b][n] = x;
    }
  }
}

static inline void jvt_run_duals(jvt_case *c) {
  kg_reference_report report;
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = c->primal, .buffers = c->after.array, .lengths = c->after.length, .param_bits = c->after.param,
                             .tangent_count = jvt_directions(c), .tangents = c->dual, .magnitudes = c->magnitude,
                             .param_tangents = c->param_seed}, &report);
  ck_assert_msg(status == KG_OK, "duals: status %d, fault %d at %u", (int)status, (int)report.fault, report.fault_line);
  c->scale.depth = 1 + sqrt((double)report.lane_instructions);
}

static inline void jvt_run(jvt_case *c) {
  if (!c->device) {
    adt_run(&c->result);
    return;
  }
  bool params[8] = {0}, lengths[ADT_BUFFERS] = {0};
  kg_host host = {.param = c->result.param, .length = c->result.length, .param_given = params, .length_given = lengths};
  for (uint32_t i = 0; i < kg_module_buffer_count(c->tangent); i++) host.length_given[i] = kg_module_buffer(c->tangent, i).host_length;
  char text[400] = "";
  kg_status status = kg_run(c->device, c->tangent, &host, c->result.array, NULL, &(kg_sink){adt_first, text}, NULL);
  ck_assert_msg(status == KG_OK, "on the device: status %d: %s", (int)status, text);
}

/* What rounding may make of the tangents. */
static inline void jvt_bound(jvt_case *c, double **low, double **high) {
  adt_data run = {0};
  adt_allocate(&run, c->tangent, c->before.param, &c->before);
  for (uint32_t i = 0; i < kg_module_buffer_count(c->tangent); i++) {
    kg_type type = kg_module_buffer(c->tangent, i).type;
    memcpy(run.array[i], c->result.array[i], (size_t)run.length[i] * kg_type_size(type));
    low[i] = calloc((size_t)run.length[i] + 1, sizeof(double));
    high[i] = calloc((size_t)run.length[i] + 1, sizeof(double));
  }
  kg_status status = kg_reference_run(&(kg_reference_params){.module = c->tangent, .buffers = run.array, .lengths = run.length,
                                                             .param_bits = run.param, .bounds = KG_BOUNDS_REAL,
                                                             .flush_subnormals = true, .low = low, .high = high}, NULL);
  ck_assert_msg(status == KG_OK, "intervals: status %d", (int)status);
  c->scale.bounded = true;
  adt_free_data(&run);
}

/* What the kernel leaves undefined holds the bytes that were there, and so may its tangent. */
static inline bool jvt_is_undefined(const jvt_case *c, uint32_t b, uint64_t n) {
  size_t size = kg_type_size(kg_module_buffer(c->primal, b).type);
  const unsigned char *bytes = (const unsigned char *)c->after.array[b] + n * size;
  for (size_t k = 0; k < size; k++)
    if (bytes[k] != 0xFF) return false;
  return true;
}

static inline void jvt_compare(jvt_case *c, kg_grad_entry e, const double *low, const double *high) {
  uint32_t b = kg_module_find_buffer(c->primal, e.name), shadow = kg_module_find_buffer(c->tangent, e.shadow);
  kgi_scale_roughen(&c->scale, kg_module_buffer(c->tangent, shadow).type);
  kgi_scale_gradient(&c->scale, kg_module_buffer(c->tangent, shadow).type);
  for (uint64_t n = 0; n < jvt_directions(c) * c->before.length[b]; n++) {
    if (jvt_is_undefined(c, b, n % c->before.length[b])) continue;
    kgi_claim claim = {.gradient = adt_get(&c->result, e.shadow, n), .low = low[n], .high = high[n], .unrounded = (double)NAN,
                       .dual = c->dual[b][n], .magnitude = c->magnitude[b][n]};
    claim.reference = claim.gradient;
    kgi_judgement j = kgi_judge(&c->scale, &claim);
    kgi_tally_add(&c->tally, j);
    ck_assert_msg(j.verdict != KG_OUTCOME_FAILED, "%s[%llu] = %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g\n%s", e.shadow,
                  (unsigned long long)n, claim.gradient, claim.low, claim.high, claim.dual, claim.magnitude, c->label ? c->label : "");
  }
}

static inline void jvt_compare_values(const jvt_case *c) {
  for (uint32_t i = 0; i < kg_module_buffer_count(c->primal) && !c->device; i++) {
    kg_buffer_info info = kg_module_buffer(c->primal, i);
    uint32_t k = kg_module_find_buffer(c->tangent, info.name);
    if (info.mode == KG_TEMP) continue;
    ck_assert_msg(!memcmp(c->after.array[i], c->result.array[k], (size_t)c->after.length[i] * kg_type_size(info.type)),
                  "the tangents change what %s holds", info.name);
  }
}

/* Runs what was prepared: tangents against duals, outputs against the plain module's. */
static inline void jvt_verify(jvt_case *c) {
  double *low[ADT_BUFFERS] = {0}, *high[ADT_BUFFERS] = {0};
  jvt_take_seeds(c);
  jvt_bound(c, low, high);
  jvt_run_duals(c);
  jvt_run(c);
  jvt_compare_values(c);
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(c->map, k);
    uint32_t shadow = kg_module_find_buffer(c->tangent, e.shadow);
    if (e.of) jvt_compare(c, e, low[shadow], high[shadow]);
  }
  ck_assert_msg(c->tally.nonzero > 0 || c->may_vanish, "vacuous: the tangents are zero everywhere");
  ck_assert_msg(kgi_tally_passes(&c->tally) || c->may_vanish, "of %u elements %u are inconclusive\n%s", (unsigned)c->tally.checked,
                (unsigned)c->tally.inconclusive, c->label ? c->label : "");
  for (int i = 0; i < ADT_BUFFERS; i++) free(low[i]), free(high[i]);
}

static inline void jvt_holds(const char *text, uint32_t directions, kg_device *device) {
  jvt_case c = {.params.directions = directions, .device = device, .label = text};
  jvt_prepare(&c, text);
  jvt_verify(&c);
  jvt_free(&c);
}
#endif
