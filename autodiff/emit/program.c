/* The adjoint of one program: its declarations, and the order in which the steps run. */
#include "autodiff/emit/emit.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

static kgi_str name_of(kgi_ad *a, kgi_str in_work) { return kgi_intern_z(a->b->m, kgi_string(a->work, in_work)); }

/* ---- declarations ---- */

static void copy_constants(kgi_ad *a) {
  const kgi_scope *s = &a->p->scope;
  for (uint32_t i = 1; i < s->spec_count; i++) {
    kgi_spec spec = s->spec[i];
    spec.name = name_of(a, spec.name);
    kgi_spec_add(a->b, &spec);
  }
  for (uint32_t i = 1; i < s->param_count; i++) {
    kgi_param param = s->param[i];
    param.name = name_of(a, param.name);
    param.lo = param.hi = (kgi_dim){0}; /* set once the lengths are there */
    kgi_param_add(a->b, &param);
  }
}

/* A separate adjoint leaves out the buffers that it does not load. Those whose length is asked for stay. */
static void keep_measured(kgi_ad *a) {
  const kgi_scope *s = &a->p->scope;
  for (uint32_t i = 1; i < s->dim_count; i++)
    if (s->dim[i].op == KGI_DIM_LEN) a->object[s->dim[i].a].loaded = true;
  for (uint32_t i = 1; i < a->p->inst_count; i++)
    if (a->p->inst[i].kind == KGI_len) a->object[a->p->inst[i].arg[0]].loaded = true;
}

/* The numbers that buffers will have, before they are declared: lengths refer to them. */
static uint32_t *number_buffers(kgi_ad *a) {
  uint32_t *number = kgi_arena_alloc(&a->scratch, a->p->scope.object_count, sizeof *number), next = 1;
  if (!number) return kgi_ad_fail(a, KG_NO_MEMORY), NULL;
  for (uint32_t o = 1; o < kgi_buffer_end(&a->p->scope); o++)
    if (a->req.fused || a->object[o].loaded) number[o] = next++;
  return number;
}

static kgi_object translated(kgi_ad *a, uint32_t object) {
  kgi_object o = a->p->scope.object[object];
  o.name = name_of(a, o.name);
  kgi_copy_extents(&o, &a->p->scope.object[object], a->dim_map);
  o.lo.i = a->dim_map[o.lo.i];
  o.hi.i = a->dim_map[o.hi.i];
  return o;
}

static void shadow_extents(kgi_ad *a, uint32_t object, kgi_object *shadow) {
  const kgi_object *o = &a->p->scope.object[object];
  kgi_copy_extents(shadow, o, a->dim_map);
  if (!o->length.i && !o->scalar && a->object[object].out.i) shadow->length = kgi_len_of(a->b, a->object[object].out);
}

static kgi_obj declare_shadow(kgi_ad *a, uint32_t object) {
  const kgi_object *o = &a->p->scope.object[object];
  const char *name = kgi_ad_free_name(a, "grad_", kgi_ad_object_name(a, object));
  kgi_object shadow = {.name = kgi_intern_z(a->b->m, name), .pos = o->pos, .space = o->space, .type = (uint8_t)kgi_ad_type(o->type),
                       .scalar = o->scalar, .mode = o->space == KGI_BUFFER ? KG_READ_WRITE : 0};
  shadow_extents(a, object, &shadow);
  return kgi_object_add(a->b, &shadow);
}

/* An object may be active in the module and of no concern to this program. A lone program has all cotangents that a caller may
 * want to pass. */
static bool has_shadow(const kgi_ad *a, uint32_t object) {
  if (a->req.lone && a->req.given[object]) return true;
  for (uint32_t i = kgi_ad_active_object(a, object) ? a->object[object].first : 0; i; i = a->access_next[i])
    if (kgi_ad_has_reverse(a, i)) return true;
  return false;
}

static void declare_buffers(kgi_ad *a, const uint32_t *number) {
  const kgi_scope *s = &a->p->scope;
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++) {
    if (!number[o]) continue;
    kgi_object object = translated(a, o);
    if (!a->req.fused) object.mode = KG_READ;
    a->object[o].out = kgi_object_add(a->b, &object);
  }
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++)
    if (has_shadow(a, o)) a->object[o].shadow = declare_shadow(a, o);
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!a->param_value[q] || !kgi_ad_active(a, a->param_value[q])) continue;
    const char *name = kgi_ad_free_name(a, "grad_", kgi_string(a->work, s->param[q].name));
    a->param_shadow[q] = kgi_buffer(a->b, name, kgi_ad_type(s->param[q].type), KG_READ_WRITE, kgi_len_int(a->b, 1));
  }
}

/* Shared memory that an adjoint does not use is left out by what follows emission. */
static void declare_shared(kgi_ad *a) {
  const kgi_scope *s = &a->p->scope;
  for (uint32_t o = kgi_buffer_end(s); o < s->object_count; o++) {
    if (s->object[o].space != KGI_SHARED) continue;
    kgi_object object = translated(a, o);
    if (a->req.fused || a->object[o].loaded) a->object[o].out = kgi_object_add(a->b, &object);
    if (kgi_ad_active_object(a, o)) a->object[o].shadow = declare_shadow(a, o);
  }
}

static void declare(kgi_ad *a) {
  kgi_program *p = a->p, *q;
  a->b->pos = p->pos;
  q = kgi_begin_program(a->b, a->req.name);
  if (!q) return;
  copy_constants(a);
  if (!a->req.fused) keep_measured(a);
  uint32_t *number = number_buffers(a);
  if (!number) return;
  a->dim_map = kgi_copy_dims(a->b, &p->scope, number, NULL, &a->scratch);
  if (!a->dim_map) return kgi_ad_fail(a, KG_NO_MEMORY);
  for (uint32_t i = 1; i < p->scope.param_count && i < q->scope.param_count; i++) {
    q->scope.param[i].lo.i = a->dim_map[p->scope.param[i].lo.i];
    q->scope.param[i].hi.i = a->dim_map[p->scope.param[i].hi.i];
  }
  declare_buffers(a, number);
  declare_shared(a);
  for (unsigned k = 0; k < 3; k++) {
    q->workgroup[k].i = a->dim_map[p->workgroup[k].i];
    q->grid[k].i = a->dim_map[p->grid[k].i];
  }
  q->grid_is_invocations = p->grid_is_invocations;
}

/* ---- shadows in shared memory ---- */

static kgi_val workgroup_invocations(kgi_ad *a) {
  kgi_val size = {0};
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *n = &a->p->scope.dim[a->p->workgroup[k].i];
    if (!a->p->workgroup[k].i || (n->op == KGI_DIM_INT && n->imm == 1)) continue;
    kgi_val x = kgi_id_value(a->b, KGI_ID_workgroup_size, k);
    size = size.i ? kgi_op2(a->b, KGI_OP_mul, size, x) : x;
  }
  return size.i ? size : kgi_u32(a->b, 1);
}

static void zero_one(kgi_ad *a, uint32_t object) {
  kgi_builder *b = a->b;
  kgi_obj shadow = a->object[object].shadow;
  const kgi_object o = b->p->scope.object[shadow.i];
  kgi_val lane = kgi_id_value(b, KGI_ID_local_index, 0), nothing = kgi_float(b, (kg_type)o.type, 0);
  if (kgi_ad_one_each(a, object)) {
    kgi_store(b, shadow, lane, nothing);
    return;
  }
  if (o.scalar) {
    kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, lane, kgi_u32(b, 0)));
    kgi_store(b, shadow, (kgi_val){0}, nothing);
  } else {
    kgi_val stride = workgroup_invocations(a), length = kgi_len_value(b, shadow);
    kgi_val k = kgi_for_begin(b, kgi_ad_free_name(a, "", "k"), lane, length, stride, false);
    kgi_store(b, shadow, k, nothing);
  }
  kgi_end(b);
}

/* All pass a barrier of the forward sweep before the reverse sweep begins. */
static bool has_barrier_before_reverse(const kgi_ad *a) {
  KGI_EACH(a->p, KGI_BODY, i)
    if (a->block[KGI_BODY].open && a->p->inst[i].kind == KGI_barrier) return true;
  return false;
}

/* By the whole workgroup, before anything adds to them. */
static void zero_shared(kgi_ad *a) {
  bool any = false;
  for (uint32_t o = 1; o < a->p->scope.object_count; o++) {
    if (a->p->scope.object[o].space != KGI_SHARED || !a->object[o].shadow.i) continue;
    zero_one(a, o);
    any = true;
  }
  if (any && !has_barrier_before_reverse(a)) kgi_barrier_here(a->b);
}

/* ---- afterwards ---- */

enum { LOADS = 1, STORES = 2, WHOLE = 4 };

/* An atomic, whichever it is, counts as both. */
static void note_uses(const kgi_program *q, uint8_t *use) {
  KGI_EACH_INSIDE(q, KGI_BODY, i) {
    const kgi_inst *inst = &q->inst[i];
    if (kgi_has_effect(inst, KGI_READS)) use[kgi_object_of(inst)] |= LOADS;
    if (kgi_has_effect(inst, KGI_WRITES)) use[kgi_object_of(inst)] |= STORES;
  }
}

/* How the program uses its shadows: `read` where nothing is stored. `write` only where it is proved that every element is stored to:
 * elsewhere what a shadow held stays, be it a cotangent that passes through or what another run added. */
static void state_modes(kgi_ad *a, kgi_program *q, uint32_t from) {
  uint8_t *use = kgi_arena_alloc(&a->scratch, q->scope.object_count, 1);
  if (!use) return kgi_ad_fail(a, KG_NO_MEMORY);
  note_uses(q, use);
  for (uint32_t o = 1; o < kgi_buffer_end(&a->p->scope); o++)
    if (a->object[o].share == KGI_AD_SOLE) use[a->object[o].shadow.i] |= WHOLE;
  for (uint32_t o = from; o < kgi_buffer_end(&q->scope); o++)
    q->scope.object[o].mode = !(use[o] & STORES) ? KG_READ : use[o] == (STORES | WHOLE) ? KG_WRITE : KG_READ_WRITE;
}

static kg_status clean(kgi_ad *a, uint32_t first_shadow) {
  kg_status status = kgi_clean(a->b->m, a->b->p);
  if (status == KG_OK) state_modes(a, a->b->p, first_shadow);
  return status == KG_OK ? a->status : status;
}

/* Shadows that nobody adds to atomically. */
static kg_status sink(kgi_ad *a, kgi_program *q) {
  bool *wanted = kgi_arena_alloc(&a->scratch, q->scope.object_count, sizeof *wanted);
  if (!wanted) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < kgi_buffer_end(&a->p->scope); o++)
    if (a->object[o].shadow.i && a->object[o].share != KGI_AD_ATOMIC) wanted[a->object[o].shadow.i] = true;
  return kgi_sink(a->b, q, wanted, &a->scratch);
}

static kg_status tidy(kgi_ad *a, kgi_program *q) {
  kg_status status = kgi_drop_barriers(a->b->m, q, &a->scratch);
  if (status == KG_OK) status = kgi_straighten(q, a->turned, a->turned_count, &a->scratch);
  return status == KG_OK ? sink(a, q) : status;
}

static kg_status finish(kgi_ad *a) {
  kgi_builder *b = a->b;
  kg_status status = kgi_builder_status(b);
  if (status == KG_OK && a->scratch.failed) status = KG_NO_MEMORY;
  if (status == KG_OK) status = a->status;
  if (status != KG_OK) return status;
  kgi_program *q = b->p;
  status = kgi_validate_program(b->m, q, a->diags);
  uint32_t first_shadow = 1;
  for (uint32_t o = 1; o < kgi_buffer_end(&a->p->scope); o++) first_shadow += a->object[o].out.i != 0;
  if (status == KG_OK) status = clean(a, first_shadow);
  if (status != KG_OK) return status;
  status = tidy(a, q);
  if (status == KG_OK) status = clean(a, first_shadow);
  if (status == KG_OK) status = kgi_write_places(b->m, q);
  if (status != KG_OK) return status;
  kgi_end_program(b);
  return a->status;
}

kg_status kgi_ad_build(kgi_ad *a, kgi_builder *b, const char *name) {
  a->b = b;
  a->req.name = name;
  b->simplify = true;
  kgi_ad_use_names(a);
  declare(a);
  if (a->status == KG_OK && b->status == KG_OK) {
    zero_shared(a);
    kgi_ad_sweep(a);
  }
  b->simplify = false;
  return finish(a);
}
