/* kg_grad: what the caller asks for, the steps in order, and the names of the shadows. */
#include "autodiff/after.h"
#include "autodiff/asked.h"
#include "autodiff/explain.h"
#include "autodiff/grad.h"
#include "autodiff/no_such.h"
#include "autodiff/map.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

static const char *const words[] = {
  [KGI_AD_OWN] = "each element belongs to one invocation, which adds to it",
  [KGI_AD_SOLE] = "each element is stored once",
  [KGI_AD_COLLECTED] = "each element is stored once",
  [KGI_AD_COLLECTED_TO] = "each element belongs to one invocation, which adds to it",
  [KGI_AD_LISTED] = "contributions are gathered in order",
  [KGI_AD_ATOMIC] = "invocations add to it atomically",
  [KGI_AD_STATED] = "stated adjoints add to it",
};

/* The least orderly way among the runs. */
static const char *added_up(const kgi_ad_module *g, uint32_t object) {
  int worst = g->worst[object];
  if (g->shadow[object] && g->out->scope.object[g->shadow[object]].mode == KG_READ) return "it is only read";
  if (worst < 0 && g->stored[object]) return words[KGI_AD_SOLE];
  return worst < 0 ? "nothing is added to it" : words[worst];
}

static const char *param_added_up(const kgi_ad_module *g, uint32_t param) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t q = 1; r->stated && r->has_content && q < r->ad.f.p->scope.param_count; q++)
      if (kgi_ad_param_asked(g, r, q) == param) return words[KGI_AD_STATED];
  }
  return g->params->deterministic ? "contributions are gathered in order" : "workgroups add to it atomically";
}

static void add_entry(kg_grad_map *map, const kgi_ad_module *g, kgi_str name, uint32_t shadow, kg_grad_entry entry) {
  entry.name = kgi_string(g->m, name);
  entry.shadow = kgi_string(g->out, g->out->scope.object[shadow].name);
  if (shadow) kgi_map_add(map, entry);
}

/* What a buffer between two modules is of: itself, or, of a tape, the module. */
static kgi_str kept_of(const kgi_ad_module *g, uint32_t object) {
  const char *name = kgi_string(g->out, g->out->scope.object[object].name);
  uint32_t own = kgi_find_object(g->m, &g->m->scope, name);
  return own ? g->m->scope.object[own].name : g->m->name;
}

static kg_status make_map(const kgi_ad_module *g, const kg_allocator *alloc, kg_grad_map **out) {
  kg_grad_map *map = kgi_map_new(alloc);
  const kgi_scope *s = &g->m->scope;
  if (!map) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (g->of[o] || g->wrt[o])
      add_entry(map, g, s->object[o].name, g->shadow[o], (kg_grad_entry){.of = g->of[o], .wrt = g->wrt[o], .added_up = added_up(g, o)});
  for (uint32_t q = 1; q < s->param_count; q++)
    if (g->wrt_param[q])
      add_entry(map, g, s->param[q].name, g->param_shadow[q],
                (kg_grad_entry){.is_param = true, .wrt = true, .added_up = param_added_up(g, q)});
  for (uint32_t k = 0; k < g->after_count; k++) {
    kg_grad_entry entry = {.name = g->after[k].name, .wrt = true, .added_up = "a copy on the way back"};
    entry.shadow = kgi_string(g->out, g->out->scope.object[g->after[k].shadow].name);
    kgi_map_add(map, entry);
  }
  for (uint32_t o = 1; g->kept && o < g->out->scope.object_count; o++)
    if (g->kept[o]) add_entry(map, g, kept_of(g, o), o, (kg_grad_entry){.kept = true, .added_up = "it is only read"});
  kgi_ad_explain(g, kgi_map_explanation(map));
  if (kgi_map_failed(map)) return kg_grad_map_free(map), KG_NO_MEMORY;
  *out = map;
  return KG_OK;
}

/* ---- names ---- */

static kg_status check_float(kgi_ad_module *g, const char *name, unsigned type, kgi_pos pos) {
  if (kgi_is_float(type)) return KG_OK;
  KGI_DIAG(&g->diags, grad_not_float, pos, name, kg_type_name((kg_type)type));
  return KG_INVALID;
}

static kg_status resolve_of(kgi_ad_module *g, const char *name) {
  uint32_t o = name ? kgi_find_object(g->m, &g->m->scope, name) : 0;
  if (!o) return kgi_no_such(g->m, &g->diags, KGI_ROLE_OUTPUT, name);
  const kgi_object *object = &g->m->scope.object[o];
  kg_status status = check_float(g, name, object->type, object->pos);
  if (status != KG_OK) return status;
  if (!g->second && object->mode != KG_WRITE && object->mode != KG_READ_WRITE) {
    KGI_DIAG(&g->diags, grad_no_output, object->pos, name, object->mode == KG_TEMP ? "temp" : "read");
    return KG_INVALID;
  }
  g->of[o] = true;
  return KG_OK;
}

static kg_status resolve_after(kgi_ad_module *g, const char *name) {
  kgi_ad_after found;
  if (g->as_written) return KGI_DIAG(&g->diags, jvp_after, g->m->pos, name), KG_INVALID;
  kg_status status = kgi_after_find(g->m, name, &g->diags, &found);
  if (status != KG_OK) return status;
  for (uint32_t k = 0; k < g->after_count; k++)
    if (!strcmp(g->after[k].name, name)) return KG_OK;
  if (!kgi_arena_grow(&g->scratch, &g->after, g->after_count, &g->after_cap, sizeof *g->after)) return KG_NO_MEMORY;
  g->after[g->after_count++] = found;
  return KG_OK;
}

static kg_status resolve_wrt(kgi_ad_module *g, const char *name) {
  if (!name) return kgi_no_such(g->m, &g->diags, KGI_ROLE_INPUT, name);
  if (kgi_is_after(name)) return resolve_after(g, name);
  uint32_t o = kgi_find_object(g->m, &g->m->scope, name), q = o ? 0 : kgi_find_param(g->m, &g->m->scope, name);
  if (!o && !q) return kgi_no_such(g->m, &g->diags, KGI_ROLE_INPUT, name);
  if (q) {
    g->wrt_param[q] = true;
    return check_float(g, name, g->m->scope.param[q].type, g->m->scope.param[q].pos);
  }
  const kgi_object *object = &g->m->scope.object[o];
  kg_status status = check_float(g, name, object->type, object->pos);
  if (status != KG_OK) return status;
  if (object->mode != KG_READ && object->mode != KG_READ_WRITE) {
    KGI_DIAG(&g->diags, grad_no_input, object->pos, name, object->mode == KG_TEMP ? "temp" : "write");
    return KG_INVALID;
  }
  g->wrt[o] = true;
  return KG_OK;
}

static kg_status take_all(kgi_ad_module *g, bool outputs) {
  bool any = false;
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    const kgi_object *object = &g->m->scope.object[o];
    bool fits = object->mode == KG_READ_WRITE || object->mode == (outputs ? KG_WRITE : KG_READ);
    if (!fits || !kgi_is_float(object->type)) continue;
    any = (outputs ? g->of : g->wrt)[o] = true;
  }
  return any ? KG_OK : kgi_nothing_to_take(g->m, &g->diags, outputs ? KGI_ROLE_OUTPUT : KGI_ROLE_INPUT);
}

kg_status kgi_ad_resolve(kgi_ad_module *g) {
  const kg_grad_params *p = g->params;
  kg_status status = KG_OK;
  if (!p->of_count) status = take_all(g, true);
  for (size_t i = 0; i < p->of_count && status == KG_OK; i++) status = resolve_of(g, p->of ? p->of[i] : NULL);
  if (status == KG_OK && !p->wrt_count) status = take_all(g, false);
  for (size_t i = 0; i < p->wrt_count && status == KG_OK; i++) status = resolve_wrt(g, p->wrt ? p->wrt[i] : NULL);
  return status;
}

/* ---- the whole ---- */

bool kgi_ad_allocate(kgi_ad_module *g) {
  size_t objects = g->m->scope.object_count, params = g->m->scope.param_count;
  g->of = kgi_arena_alloc(&g->scratch, objects, sizeof *g->of);
  g->wrt = kgi_arena_alloc(&g->scratch, objects, sizeof *g->wrt);
  g->wrt_param = kgi_arena_alloc(&g->scratch, params, sizeof *g->wrt_param);
  g->varied = kgi_arena_alloc(&g->scratch, objects, sizeof *g->varied);
  g->useful = kgi_arena_alloc(&g->scratch, objects, sizeof *g->useful);
  g->viewed = kgi_arena_alloc(&g->scratch, objects, sizeof *g->viewed);
  g->shadow = kgi_arena_alloc(&g->scratch, objects, sizeof *g->shadow);
  g->inner = kgi_arena_alloc(&g->scratch, objects, sizeof *g->inner);
  g->param_shadow = kgi_arena_alloc(&g->scratch, params, sizeof *g->param_shadow);
  g->param_last = kgi_arena_alloc(&g->scratch, params, sizeof *g->param_last);
  g->param_stored = kgi_arena_alloc(&g->scratch, params, sizeof *g->param_stored);
  g->touched = kgi_arena_alloc(&g->scratch, objects, sizeof *g->touched);
  g->worst = kgi_arena_alloc(&g->scratch, objects, sizeof *g->worst);
  g->stored = kgi_arena_alloc(&g->scratch, objects, sizeof *g->stored);
  g->bare = kgi_arena_alloc(&g->scratch, objects, sizeof *g->bare);
  g->reached = kgi_arena_alloc(&g->scratch, objects, sizeof *g->reached);
  g->whole = kgi_arena_alloc(&g->scratch, objects, sizeof *g->whole);
  g->narrow = kgi_arena_alloc(&g->scratch, objects, sizeof *g->narrow);
  g->needs_zero = kgi_arena_alloc(&g->scratch, objects, sizeof *g->needs_zero);
  return !g->scratch.failed;
}

void kgi_ad_release(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    if (g->run[i].analysed) kgi_ad_free(&g->run[i].ad);
    if (g->run[i].plain) kgi_ad_free(g->run[i].plain);
  }
  kg_module_free(g->work);
  kg_module_free(g->out);
  kg_module_free(g->forward);
  kgi_arena_free(&g->scratch);
}

kg_status kgi_ad_no_memory(const kg_module *module, const kg_sink *sink) {
  kgi_diags diags = {.sink = sink, .file = module->file};
  KGI_DIAG(&diags, no_memory, 0, "");
  return KG_NO_MEMORY;
}

static kg_status plan(kgi_ad_module *g) {
  if (!kgi_ad_allocate(g)) return KG_NO_MEMORY;
  kg_status status = kgi_ad_resolve(g);
  if (status != KG_OK) return status;
  g->work = kgi_module_copy(g->params->alloc, g->m);
  return g->work ? kgi_ad_plan(g) : KG_NO_MEMORY;
}

/* What is planned without the limit keeps to it. */
static bool is_within_limit(const kgi_ad_module *asked) {
  kg_grad_params without = *asked->params;
  kgi_ad_module g = {.m = asked->m, .params = &without, .split = asked->split};
  without.tape_limit = 0;
  kgi_arena_init(&g.scratch, without.alloc);
  bool planned = plan(&g) == KG_OK;
  g.params = asked->params;
  bool within = planned && kgi_ad_is_within_limit(&g);
  kgi_ad_release(&g);
  return within;
}

static kg_status run_steps(kgi_ad_module *g) {
  kg_status status = plan(g);
  if (status == KG_OK) status = kgi_ad_assemble(g);
  if (status == KG_OK && g->split) status = kgi_ad_split(g);
  if (status == KG_OK && g->split) status = kgi_validate(g->forward, &g->diags);
  if (status == KG_OK) status = kgi_validate(g->out, &g->diags);
  return status;
}

kg_status kgi_grad_check(const kg_module *module, const kg_grad_params *params, const kg_sink *sink) {
  kgi_ad_module g = {.m = module, .params = params, .diags = {.sink = sink, .file = module->file}};
  kgi_arena_init(&g.scratch, params->alloc);
  kg_status status = kgi_ad_allocate(&g) ? kgi_ad_resolve(&g) : KG_NO_MEMORY;
  if (status == KG_NO_MEMORY) KGI_DIAG(&g.diags, no_memory, 0, "");
  kgi_ad_release(&g);
  return status;
}

/* `forward`: NULL for one module. */
static kg_status differentiate(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **forward,
                               kg_module **out, kg_grad_map **map) {
  KGI_OWN_FLOATS;
  static const kg_grad_params defaults;
  kgi_ad_module g = {.m = module, .params = params ? params : &defaults, .diags = {.sink = sink, .file = module->file}, .split = forward};
  kg_grad_params without = *g.params;
  without.tape_limit = 0;
  if (g.params->tape_limit && is_within_limit(&g)) g.params = &without;
  g.explained = map != NULL;
  kg_grad_map *names = NULL;
  kgi_arena_init(&g.scratch, g.params->alloc);
  kg_status status = run_steps(&g);
  if (status == KG_OK && map) status = make_map(&g, g.params->alloc, &names);
  if (status == KG_NO_MEMORY) KGI_DIAG(&g.diags, no_memory, 0, "");
  if (status == KG_OK) {
    if (forward) *forward = g.forward;
    *out = g.out;
    g.out = g.forward = NULL;
    if (map) *map = names;
  }
  kgi_ad_release(&g);
  return status;
}

kg_status kg_grad_mapped(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out,
                         kg_grad_map **map) {
  return differentiate(module, params, sink, NULL, out, map);
}

kg_status kg_grad(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out) {
  return differentiate(module, params, sink, NULL, out, NULL);
}

kg_status kg_grad_split(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **forward,
                        kg_module **adjoint, kg_grad_map **map) {
  return differentiate(module, params, sink, forward, adjoint, map);
}
