/* kg_grad: what the caller asks for, the steps in order, and the names of the shadows. */
#include "autodiff/asked.h"
#include "autodiff/grad.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

struct kg_grad_map {
  kg_allocator alloc;
  kgi_arena arena;
  kg_grad_entry *entry; uint32_t count, cap;
};

size_t kg_grad_map_count(const kg_grad_map *map) { return map->count; }
kg_grad_entry kg_grad_map_entry(const kg_grad_map *map, size_t index) { return map->entry[index]; }

void kg_grad_map_free(kg_grad_map *map) {
  if (!map) return;
  kg_allocator alloc = map->alloc;
  kgi_arena_free(&map->arena);
  kgi_free(&alloc, map, sizeof *map);
}

static bool map_add(kg_grad_map *map, const kgi_ad_module *g, kgi_str name, uint32_t shadow, kg_grad_entry entry) {
  if (!shadow) return true;
  const char *text = kgi_string(g->m, name), *of_shadow = kgi_string(g->out, g->out->scope.object[shadow].name);
  entry.name = kgi_arena_strdup(&map->arena, text, strlen(text));
  entry.shadow = kgi_arena_strdup(&map->arena, of_shadow, strlen(of_shadow));
  if (!kgi_arena_grow(&map->arena, &map->entry, map->count, &map->cap, sizeof *map->entry)) return false;
  map->entry[map->count++] = entry;
  return true;
}

/* The least orderly way among the runs. */
static const char *added_up(const kgi_ad_module *g, uint32_t object) {
  static const char *const words[] = {
    [KGI_AD_OWN] = "each element belongs to one invocation, which adds to it",
    [KGI_AD_SOLE] = "each element is stored once",
    [KGI_AD_ATOMIC] = "invocations add to it atomically",
  };
  int worst = g->worst[object];
  if (g->shadow[object] && g->out->scope.object[g->shadow[object]].mode == KG_READ) return "it is only read";
  return worst < 0 ? "nothing is added to it" : words[worst];
}

static kg_status make_map(const kgi_ad_module *g, const kg_allocator *alloc, kg_grad_map **out) {
  kg_grad_map *map = kgi_alloc(alloc, sizeof *map);
  if (!map) return KG_NO_MEMORY;
  *map = (kg_grad_map){.alloc = alloc ? *alloc : (kg_allocator){0}};
  kgi_arena_init(&map->arena, alloc);
  const kgi_scope *s = &g->m->scope;
  bool fine = true;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (fine && (g->of[o] || g->wrt[o]))
      fine = map_add(map, g, s->object[o].name, g->shadow[o], (kg_grad_entry){.of = g->of[o], .wrt = g->wrt[o], .added_up = added_up(g, o)});
  for (uint32_t q = 1; q < s->param_count; q++)
    if (fine && g->wrt_param[q])
      fine = map_add(map, g, s->param[q].name, g->param_shadow[q], (kg_grad_entry){.is_param = true, .wrt = true,
                     .added_up = "workgroups add to it atomically"});
  if (!fine || map->arena.failed) return kg_grad_map_free(map), KG_NO_MEMORY;
  *out = map;
  return KG_OK;
}

/* ---- names ---- */

static kg_status no_such(kgi_ad_module *g, const char *name, const char *role) {
  KGI_DIAG(&g->diags, grad_no_such, g->m->pos, name, kgi_string(g->m, g->m->name), role);
  return KG_INVALID;
}

static kg_status check_float(kgi_ad_module *g, const char *name, unsigned type, kgi_pos pos) {
  if (kgi_is_float(type)) return KG_OK;
  KGI_DIAG(&g->diags, grad_not_float, pos, name, kg_type_name((kg_type)type));
  return KG_INVALID;
}

static kg_status resolve_of(kgi_ad_module *g, const char *name) {
  uint32_t o = kgi_find_object(g->m, &g->m->scope, name);
  if (!o) return no_such(g, name, "output");
  const kgi_object *object = &g->m->scope.object[o];
  kg_status status = check_float(g, name, object->type, object->pos);
  if (status != KG_OK) return status;
  if (object->mode != KG_WRITE && object->mode != KG_READ_WRITE) {
    KGI_DIAG(&g->diags, grad_no_output, object->pos, name, object->mode == KG_TEMP ? "temp" : "read");
    return KG_INVALID;
  }
  g->of[o] = true;
  return KG_OK;
}

static kg_status resolve_wrt(kgi_ad_module *g, const char *name) {
  uint32_t o = kgi_find_object(g->m, &g->m->scope, name), q = o ? 0 : kgi_find_param(g->m, &g->m->scope, name);
  if (!o && !q) return no_such(g, name, "input");
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
  if (any) return KG_OK;
  KGI_DIAG(&g->diags, grad_nothing, g->m->pos, kgi_string(g->m, g->m->name), outputs ? "output" : "input");
  return KG_INVALID;
}

static kg_status resolve(kgi_ad_module *g) {
  const kg_grad_params *p = g->params;
  kg_status status = KG_OK;
  if (!p->of_count) status = take_all(g, true);
  for (size_t i = 0; i < p->of_count && status == KG_OK; i++) status = resolve_of(g, p->of[i]);
  if (status == KG_OK && !p->wrt_count) status = take_all(g, false);
  for (size_t i = 0; i < p->wrt_count && status == KG_OK; i++) status = resolve_wrt(g, p->wrt[i]);
  return status;
}

/* ---- the whole ---- */

static bool allocate(kgi_ad_module *g) {
  size_t objects = g->m->scope.object_count, params = g->m->scope.param_count;
  g->of = kgi_arena_alloc(&g->scratch, objects, sizeof *g->of);
  g->wrt = kgi_arena_alloc(&g->scratch, objects, sizeof *g->wrt);
  g->wrt_param = kgi_arena_alloc(&g->scratch, params, sizeof *g->wrt_param);
  g->varied = kgi_arena_alloc(&g->scratch, objects, sizeof *g->varied);
  g->useful = kgi_arena_alloc(&g->scratch, objects, sizeof *g->useful);
  g->shadow = kgi_arena_alloc(&g->scratch, objects, sizeof *g->shadow);
  g->param_shadow = kgi_arena_alloc(&g->scratch, params, sizeof *g->param_shadow);
  g->touched = kgi_arena_alloc(&g->scratch, objects, sizeof *g->touched);
  g->worst = kgi_arena_alloc(&g->scratch, objects, sizeof *g->worst);
  g->needs_zero = kgi_arena_alloc(&g->scratch, objects, sizeof *g->needs_zero);
  return !g->scratch.failed;
}

static void release(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++)
    if (g->run[i].analysed) kgi_ad_free(&g->run[i].ad);
  kg_module_free(g->work);
  kg_module_free(g->out);
  kgi_arena_free(&g->scratch);
}

static kg_status run_steps(kgi_ad_module *g) {
  if (!allocate(g)) return KG_NO_MEMORY;
  kg_status status = resolve(g);
  if (status != KG_OK) return status;
  g->work = kgi_module_copy(g->params->alloc, g->m);
  if (!g->work) return KG_NO_MEMORY;
  status = kgi_ad_plan(g);
  if (status == KG_OK) status = kgi_ad_assemble(g);
  if (status == KG_OK) status = kgi_validate(g->out, &g->diags);
  return status;
}

kg_status kgi_grad_check(const kg_module *module, const kg_grad_params *params, const kg_sink *sink) {
  kgi_ad_module g = {.m = module, .params = params, .diags = {.sink = sink, .file = module->file}};
  kgi_arena_init(&g.scratch, params->alloc);
  kg_status status = allocate(&g) ? resolve(&g) : KG_NO_MEMORY;
  if (status == KG_NO_MEMORY) KGI_DIAG(&g.diags, no_memory, 0, "");
  release(&g);
  return status;
}

kg_status kg_grad_mapped(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out,
                         kg_grad_map **map) {
  KGI_OWN_FLOATS;
  static const kg_grad_params defaults;
  kgi_ad_module g = {.m = module, .params = params ? params : &defaults, .diags = {.sink = sink, .file = module->file}};
  kg_grad_map *names = NULL;
  kgi_arena_init(&g.scratch, g.params->alloc);
  kg_status status = run_steps(&g);
  if (status == KG_OK && map) status = make_map(&g, g.params->alloc, &names);
  if (status == KG_NO_MEMORY) KGI_DIAG(&g.diags, no_memory, 0, "");
  if (status == KG_OK) {
    *out = g.out;
    g.out = NULL;
    if (map) *map = names;
  }
  release(&g);
  return status;
}

kg_status kg_grad(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out) {
  return kg_grad_mapped(module, params, sink, out, NULL);
}
