/* kg_audit: how the backward treats its gradients, then the judge, then what can be said of what is wrong. */
#include "verify/audit.h"
#include "verify/more.h"
#include "foundation/base/floats.h"

#include <string.h>

typedef struct audit {
  const kg_pair *pair;
  kg_verify_params params;
  kg_module *adjoint;   /* the joined module, with the modes that its shadows turn out to have */
  uint64_t *count;      /* by entry of the map */
  uint8_t **touch;
  bool *adds;
  kgi_remark *remark;   /* by input of the oracle */
  kgi_arena arena;
} audit;

static size_t entries(const audit *a) { return kg_grad_map_count(a->pair->map); }

static bool make_room(audit *a) {
  kgi_arena *arena = &a->arena;
  a->count = kgi_arena_alloc(arena, entries(a), sizeof *a->count);
  a->touch = kgi_arena_alloc(arena, entries(a), sizeof *a->touch);
  a->adds = kgi_arena_alloc(arena, entries(a), sizeof *a->adds);
  a->remark = kgi_arena_alloc(arena, entries(a), sizeof *a->remark);
  a->adjoint = kgi_module_copy(&a->pair->alloc, a->pair->joined);
  return !arena->failed && a->adjoint;
}

/* ---- stored, or added to ---- */

/* What most elements that are written at all tell. */
static bool is_added(const audit *a, size_t k) {
  uint64_t seen[KGI_TOUCH_OTHER + 1] = {0};
  for (uint64_t i = 0; a->touch[k] && i < a->count[k]; i++) seen[a->touch[k][i]]++;
  return seen[KGI_TOUCH_ADDED] > seen[KGI_TOUCH_STORED] || !(seen[KGI_TOUCH_STORED] + seen[KGI_TOUCH_OTHER]);
}

static void settle(audit *a) {
  for (size_t k = 0; k < entries(a); k++) {
    kg_grad_entry e = kg_grad_map_entry(a->pair->map, k);
    a->adds[k] = a->pair->may_add[k] && !a->pair->overwrite && is_added(a, k);
    uint32_t at = kgi_find_object(a->adjoint, &a->adjoint->scope, e.shadow);
    if (a->pair->may_add[k] && !a->adds[k]) a->adjoint->scope.object[at].mode = KG_WRITE;
  }
}

/* ---- remarks ---- */

static size_t entry_named(const audit *a, const char *shadow) {
  size_t k = 0;
  while (strcmp(kg_grad_map_entry(a->pair->map, k).shadow, shadow) != 0) k++;
  return k;
}

static double input_at(const kgi_oracle *o, const kgi_oracle_input *in, uint64_t index) {
  if (!in->entry.is_param) return kgi_data_element(&o->primal, in->at, index);
  return kgi_value_number(kg_module_param(o->gradient.module, in->at).type, o->primal.host.param[in->at]);
}

static bool remark_on(audit *a, const kgi_findings *f, size_t k) {
  const kgi_oracle *o = f->oracle;
  const kgi_oracle_input *in = &o->input[k];
  size_t at = entry_named(a, in->entry.shadow);
  kgi_remark *r = &a->remark[k];
  double *input = kgi_arena_alloc(&a->arena, in->points, sizeof *input);
  if (a->touch[at]) r->unwritten = kgi_arena_alloc(&a->arena, in->points, sizeof *r->unwritten);
  if (a->arena.failed) return false;
  for (size_t i = 0; i < in->points; i++) {
    uint64_t index = in->point[i].index;
    input[i] = input_at(o, in, index);
    if (r->unwritten) r->unwritten[i] = a->touch[at][index] == KGI_TOUCH_UNWRITTEN;
  }
  r->input = input, r->added = a->adds[at];
  kgi_hint(f, k, a->touch[at], r);
  return true;
}

static kg_status remark(void *user, kgi_findings *f) {
  audit *a = user;
  for (size_t k = 0; k < f->oracle->inputs; k++)
    if (!remark_on(a, f, k)) return KG_NO_MEMORY;
  f->remark = a->remark;
  return KG_OK;
}

/* ---- the whole ---- */

static kg_status judge(audit *a, const kg_sink *sink, kg_verdict **out) {
  kg_verify_params params = a->params;
  params.adjoint = a->adjoint, params.map = a->pair->map;
  kgi_verify_more more = {.adds = a->adds, .remark = remark, .user = a};
  return kgi_verify(a->pair->kernel, &params, &more, sink, out);
}

kg_status kg_audit(const kg_pair *pair, const kg_verify_params *params, const kg_sink *sink, kg_verdict **out) {
  KGI_OWN_FLOATS;
  audit a = {.pair = pair};
  if (params) a.params = *params;
  if (!a.params.devices) a.params.device_count = 0;
  a.params.mode = KG_VERIFY_REVERSE, a.params.accumulate = a.params.deterministic = false, a.params.tape_limit = 0;
  a.params.of = pair->of, a.params.of_count = pair->of_count, a.params.wrt = pair->wrt, a.params.wrt_count = pair->wrt_count;
  kgi_arena_init(&a.arena, a.params.alloc);
  kg_status status = make_room(&a) ? kgi_touched(pair, &a.params, &a.arena, a.count, a.touch) : KG_NO_MEMORY;
  if (status == KG_OK) settle(&a), status = judge(&a, sink, out);
  else kgi_no_memory(sink);
  kgi_arena_free(&a.arena);
  kg_module_free(a.adjoint);
  return status;
}
