/* A program with its tangents: its declarations, and the passes over what was emitted. */
#include "autodiff/forward/jvp.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"

static kgi_str name_of(kgi_jvp *t, kgi_str in_work) { return kgi_intern_z(t->b->m, kgi_jvp_string(t, in_work)); }

static bool allocate(kgi_jvp *t) {
  const kgi_program *p = kgi_jvp_program(t);
  size_t objects = p->scope.object_count, directions = t->directions;
  t->map = kgi_arena_alloc(t->scratch, p->inst_count, sizeof *t->map);
  t->tangent = kgi_arena_alloc(t->scratch, p->inst_count, directions * sizeof *t->tangent);
  t->partial = kgi_arena_alloc(t->scratch, p->inst_count, 4 * sizeof *t->partial);
  t->waiting = kgi_arena_alloc(t->scratch, p->inst_count, sizeof *t->waiting);
  t->out = kgi_arena_alloc(t->scratch, objects, sizeof *t->out);
  t->twin = kgi_arena_alloc(t->scratch, objects, directions * sizeof *t->twin);
  t->param_twin = kgi_arena_alloc(t->scratch, p->scope.param_count, sizeof *t->param_twin);
  return kgi_ad_shadow_bindings(t->scratch, &p->scope, t->directions, &t->binding) && !t->scratch->failed;
}

static void copy_constants(kgi_jvp *t) {
  const kgi_scope *s = &kgi_jvp_program(t)->scope;
  for (uint32_t i = 1; i < s->spec_count; i++) {
    kgi_spec spec = s->spec[i];
    spec.name = name_of(t, spec.name);
    kgi_spec_add(t->b, &spec);
  }
  for (uint32_t i = 1; i < s->param_count; i++) {
    kgi_param param = s->param[i];
    param.name = name_of(t, param.name);
    param.lo = param.hi = (kgi_dim){0}; /* set once the lengths are there */
    kgi_param_add(t->b, &param);
  }
}

static kgi_object translated(kgi_jvp *t, uint32_t object) {
  const kgi_object *from = &kgi_jvp_program(t)->scope.object[object];
  kgi_object o = *from;
  o.name = name_of(t, o.name);
  kgi_copy_extents(&o, from, t->dim_map);
  o.lo.i = t->dim_map[o.lo.i], o.hi.i = t->dim_map[o.hi.i];
  return o;
}

/* ---- twins ---- */

void kgi_jvp_shape(kgi_builder *b, kgi_object *twin, unsigned directions) {
  kgi_dim extent[2] = {kgi_len_int(b, directions), twin->length};
  if (directions == 1) return;
  twin->rank = 0;
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) twin->extent[k] = (kgi_dim){0};
  if (!twin->scalar) return kgi_set_extents(b, twin, extent, 2);
  twin->scalar = false, twin->length = extent[0];
}

static kgi_obj declare_twin(kgi_jvp *t, uint32_t object, unsigned d) {
  const kgi_object *o = &kgi_jvp_program(t)->scope.object[object];
  kgi_object twin = {.name = kgi_names_free(&t->names, "tan_", kgi_jvp_string(t, o->name)), .pos = o->pos, .space = o->space,
                     .type = (uint8_t)kgi_ad_type(o->type), .mode = o->mode, .scalar = o->scalar};
  kgi_copy_extents(&twin, o, t->dim_map);
  if (o->space != KGI_BUFFER) return kgi_object_add(t->b, &twin);
  if (t->viewed[object]) kgi_ad_place_shadow(o, t->binding[(size_t)object * t->directions + d], &twin);
  if (!o->length.i && !o->scalar) twin.length = kgi_len_of(t->b, t->out[object]);
  if (!t->apart[object]) kgi_jvp_shape(t->b, &twin, t->directions);
  return kgi_object_add(t->b, &twin);
}

/* Of a buffer: none, one for all directions, or one for each. */
static unsigned twins_of(const kgi_jvp *t, uint32_t o) {
  if (!t->wanted[o] && !(t->twinned[o] && kgi_jvp_touches(t->a, o))) return 0;
  return t->apart[o] ? t->directions : 1;
}

static void declare_buffers(kgi_jvp *t) {
  const kgi_scope *s = &kgi_jvp_program(t)->scope;
  for (uint32_t o = 1, end = kgi_buffer_end(s); o < end; o++) {
    kgi_object object = translated(t, o);
    t->out[o] = kgi_object_add(t->b, &object);
  }
  for (uint32_t o = 1, end = kgi_buffer_end(s); o < end; o++)
    for (unsigned d = 0; d < twins_of(t, o); d++)
      t->twin[(size_t)o * t->directions + d] = declare_twin(t, o, d);
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!t->wanted_param[q] && !(t->a->f.param_value[q] && kgi_ad_active(t->a, t->a->f.param_value[q]))) continue;
    kgi_object twin = {.name = kgi_names_free(&t->names, "tan_", kgi_jvp_string(t, s->param[q].name)), .pos = s->param[q].pos,
                       .space = KGI_BUFFER, .type = (uint8_t)kgi_ad_type(s->param[q].type), .mode = KG_READ};
    twin.length = kgi_len_int(t->b, t->directions);
    t->param_twin[q] = kgi_object_add(t->b, &twin);
  }
}

static void declare_shared(kgi_jvp *t) {
  const kgi_scope *s = &kgi_jvp_program(t)->scope;
  for (uint32_t o = kgi_buffer_end(s); o < s->object_count; o++) {
    if (s->object[o].space != KGI_SHARED) continue;
    kgi_object object = translated(t, o);
    t->out[o] = kgi_object_add(t->b, &object);
    for (unsigned d = 0; d < t->directions && kgi_ad_active_object(t->a, o); d++)
      t->twin[(size_t)o * t->directions + d] = declare_twin(t, o, d);
  }
}

static kg_status declare(kgi_jvp *t, const char *name) {
  const kgi_program *p = kgi_jvp_program(t);
  t->b->pos = p->pos;
  kgi_program *q = kgi_begin_program(t->b, name);
  if (!q) return KG_NO_MEMORY;
  copy_constants(t);
  t->dim_map = kgi_copy_dims(t->b, &p->scope, NULL, NULL, t->scratch); /* buffers keep their numbers */
  if (!t->dim_map) return KG_NO_MEMORY;
  for (uint32_t i = 1; i < p->scope.param_count && i < q->scope.param_count; i++) {
    q->scope.param[i].lo.i = t->dim_map[p->scope.param[i].lo.i];
    q->scope.param[i].hi.i = t->dim_map[p->scope.param[i].hi.i];
  }
  declare_buffers(t);
  declare_shared(t);
  for (unsigned k = 0; k < 3; k++) {
    q->workgroup[k].i = t->dim_map[p->workgroup[k].i];
    q->grid[k].i = t->dim_map[p->grid[k].i];
  }
  q->grid_is_invocations = p->grid_is_invocations;
  return KG_OK;
}

/* ---- the whole ---- */

static kg_status finish(kgi_jvp *t) {
  kgi_builder *b = t->b;
  kg_status status = kgi_builder_status(b);
  if (status == KG_OK && t->scratch->failed) status = KG_NO_MEMORY;
  if (status == KG_OK) status = kgi_validate_program(b->m, b->p, t->a->diags);
  if (status == KG_OK) status = kgi_clean(b->m, b->p);
  if (status == KG_OK) status = kgi_write_places(b->m, b->p);
  if (status == KG_OK) kgi_end_program(b);
  return status;
}

kg_status kgi_jvp_build(kgi_jvp *t, const char *name) {
  t->names = (kgi_names){.m = t->b->m, .arena = t->scratch};
  if (!allocate(t)) return KG_NO_MEMORY;
  kgi_names_use(&t->names, t->a->f.work, kgi_jvp_program(t), kgi_jvp_program(t)->scope.object_count);
  kg_status status = declare(t, name);
  if (status != KG_OK) return status;
  t->b->simplify = true;
  kgi_jvp_walk(t);
  t->b->simplify = false;
  return finish(t);
}
