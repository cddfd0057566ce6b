/* The adjoint of one program: its declarations, and the order in which the steps run. */
#include "autodiff/emit/emit.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

static kgi_str name_of(kgi_emission *e, kgi_str in_work) { return kgi_intern_z(e->b->m, kgi_string(e->f->work, in_work)); }

/* ---- declarations ---- */

static void copy_constants(kgi_emission *e) {
  const kgi_scope *s = &e->p->scope;
  for (uint32_t i = 1; i < s->spec_count; i++) {
    kgi_spec spec = s->spec[i];
    spec.name = name_of(e, spec.name);
    kgi_spec_add(e->b, &spec);
  }
  for (uint32_t i = 1; i < s->param_count; i++) {
    kgi_param param = s->param[i];
    param.name = name_of(e, param.name);
    param.lo = param.hi = (kgi_dim){0}; /* set once the lengths are there */
    kgi_param_add(e->b, &param);
  }
}

/* The numbers that buffers will have, before they are declared: lengths refer to them. */
static uint32_t *number_buffers(kgi_emission *e) {
  uint32_t *number = kgi_arena_alloc(e->scratch, e->p->scope.object_count, sizeof *number), next = 1;
  if (!number) return kgi_emission_fail(e, KG_NO_MEMORY), NULL;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++)
    if (e->mode != KGI_EMIT_ADJOINT || e->a->object[o].loaded) number[o] = next++;
  return number;
}

static kgi_object translated(kgi_emission *e, uint32_t object) {
  kgi_object o = e->p->scope.object[object];
  o.name = name_of(e, o.name);
  kgi_copy_extents(&o, &e->p->scope.object[object], e->dim_map);
  o.lo.i = e->dim_map[o.lo.i];
  o.hi.i = e->dim_map[o.hi.i];
  return o;
}

static void shadow_extents(kgi_emission *e, uint32_t object, kgi_object *shadow) {
  const kgi_object *o = &e->p->scope.object[object];
  kgi_copy_extents(shadow, o, e->dim_map);
  if (!o->length.i && !o->scalar && e->object[object].out.i) shadow->length = kgi_len_of(e->b, e->object[object].out);
}

static kgi_obj declare_shadow(kgi_emission *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  const char *name = kgi_ad_free_name(e, "grad_", kgi_ad_object_name(e->a, object));
  kgi_object shadow = {.name = kgi_intern_z(e->b->m, name), .pos = o->pos, .space = o->space, .type = (uint8_t)kgi_ad_type(o->type),
                       .scalar = o->scalar, .mode = o->space == KGI_BUFFER ? KG_READ_WRITE : 0};
  if (o->space == KGI_BUFFER && e->a->req.viewed[object]) kgi_ad_place_shadow(o, e->shadow_binding[object], &shadow);
  shadow_extents(e, object, &shadow);
  return kgi_object_add(e->b, &shadow);
}

/* An object may be active in the module and of no concern to this program. A lone program has all cotangents that a caller may
 * want to pass. */
static bool has_shadow(const kgi_emission *e, uint32_t object) {
  if (e->a->req.lone && e->a->req.given[object]) return true;
  return kgi_ad_on_path(e->a, object);
}

static void declare_shadows(kgi_emission *e) {
  const kgi_scope *s = &e->p->scope;
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++)
    if (has_shadow(e, o)) e->object[o].shadow = declare_shadow(e, o);
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!e->f->param_value[q] || !kgi_ad_active(e->a, e->f->param_value[q])) continue;
    const char *name = kgi_ad_free_name(e, "grad_", kgi_string(e->f->work, s->param[q].name));
    e->param_shadow[q] = kgi_buffer(e->b, name, kgi_ad_type(s->param[q].type), KG_READ_WRITE, kgi_len_int(e->b, 1));
  }
}

static void declare_buffers(kgi_emission *e, const uint32_t *number) {
  const kgi_scope *s = &e->p->scope;
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++) {
    if (!number[o]) continue;
    kgi_object object = translated(e, o);
    if (e->mode == KGI_EMIT_ADJOINT && object.mode != KG_READ) /* it was stored to: no longer held to a range */
      object.mode = KG_READ, object.ranged = false, object.lo = object.hi = (kgi_dim){0};
    if (e->mode == KGI_EMIT_FUSED && object.mode == KG_WRITE && e->a->object[o].parked) object.mode = KG_READ_WRITE;
    e->object[o].out = kgi_object_add(e->b, &object);
  }
  if (e->mode != KGI_EMIT_FORWARD) declare_shadows(e);
  kgi_ad_declare_tapes(e);
}

/* Shared memory that an adjoint does not use is left out by what follows emission. */
static void declare_shared(kgi_emission *e) {
  const kgi_scope *s = &e->p->scope;
  for (uint32_t o = kgi_buffer_end(s); o < s->object_count; o++) {
    if (s->object[o].space != KGI_SHARED) continue;
    kgi_object object = translated(e, o);
    if (e->mode != KGI_EMIT_ADJOINT || e->a->object[o].loaded) e->object[o].out = kgi_object_add(e->b, &object);
    if (e->mode != KGI_EMIT_FORWARD && kgi_ad_active_object(e->a, o)) e->object[o].shadow = declare_shadow(e, o);
  }
}

static void declare(kgi_emission *e) {
  const kgi_program *p = e->p;
  e->b->pos = p->pos;
  kgi_program *q = kgi_begin_program(e->b, e->name);
  if (!q) return;
  copy_constants(e);
  kgi_ad_declare_tape_params(e);
  uint32_t *number = number_buffers(e);
  if (!number) return;
  e->dim_map = kgi_copy_dims(e->b, &p->scope, number, NULL, e->scratch);
  if (!e->dim_map) return kgi_emission_fail(e, KG_NO_MEMORY);
  for (uint32_t i = 1; i < p->scope.param_count && i < q->scope.param_count; i++) {
    q->scope.param[i].lo.i = e->dim_map[p->scope.param[i].lo.i];
    q->scope.param[i].hi.i = e->dim_map[p->scope.param[i].hi.i];
  }
  declare_buffers(e, number);
  declare_shared(e);
  for (unsigned k = 0; k < 3; k++) {
    q->workgroup[k].i = e->dim_map[p->workgroup[k].i];
    q->grid[k].i = e->dim_map[p->grid[k].i];
  }
  q->grid_is_invocations = p->grid_is_invocations;
}

/* ---- shadows in shared memory ---- */

static void zero_one(kgi_emission *e, uint32_t object) {
  kgi_builder *b = e->b;
  kgi_obj shadow = e->object[object].shadow;
  const kgi_object o = b->p->scope.object[shadow.i];
  kgi_val lane = kgi_id_value(b, KGI_ID_local_index, 0), nothing = kgi_float(b, (kg_type)o.type, 0);
  if (e->a->object[object].one_each) {
    kgi_store(b, shadow, lane, nothing);
    return;
  }
  if (o.scalar) {
    kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, lane, kgi_u32(b, 0)));
    kgi_store(b, shadow, (kgi_val){0}, nothing);
  } else {
    kgi_val stride = kgi_ad_workgroup_invocations(e), length = kgi_len_value(b, shadow);
    kgi_val k = kgi_for_begin(b, kgi_ad_free_name(e, "", "k"), lane, length, stride, false);
    kgi_store(b, shadow, k, nothing);
  }
  kgi_end(b);
}

/* All pass a barrier of the forward sweep before the reverse sweep begins. */
static bool has_barrier_before_reverse(const kgi_emission *e) {
  KGI_EACH(e->p, KGI_BODY, i)
    if (e->a->block[KGI_BODY].open && e->p->inst[i].kind == KGI_barrier) return true;
  return false;
}

/* By the whole workgroup, before anything adds to them. */
static void zero_shared(kgi_emission *e) {
  bool any = false;
  for (uint32_t o = 1; o < e->p->scope.object_count; o++) {
    if (e->p->scope.object[o].space != KGI_SHARED || !e->object[o].shadow.i) continue;
    zero_one(e, o);
    any = true;
  }
  if (any && !has_barrier_before_reverse(e)) kgi_barrier_here(e->b);
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
static void state_modes(kgi_emission *e, kgi_program *q, uint32_t from) {
  uint8_t *use = kgi_arena_alloc(e->scratch, q->scope.object_count, 1);
  if (!use) return kgi_emission_fail(e, KG_NO_MEMORY);
  note_uses(q, use);
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++)
    if (e->a->object[o].share == KGI_AD_LISTED) use[e->object[o].shadow.i] |= STORES | LOADS; /* by the run behind */
    else if ((e->object[o].collected && !e->object[o].added) || (e->a->object[o].share == KGI_AD_SOLE && !e->a->object[o].reached.i)) use[e->object[o].shadow.i] |= WHOLE;
  for (uint32_t s = 0; s < e->a->sum_count; s++)
    if (e->a->sum[s].param && e->a->sum[s].way == KGI_AD_SUM_STORED) use[e->param_shadow[e->a->sum[s].param].i] |= WHOLE;
  for (uint32_t o = from; o < kgi_buffer_end(&q->scope); o++)
    q->scope.object[o].mode = !(use[o] & STORES) ? KG_READ : use[o] == (STORES | WHOLE) ? KG_WRITE : KG_READ_WRITE;
}

static kg_status clean(kgi_emission *e, uint32_t first_shadow) {
  kg_status status = kgi_clean(e->b->m, e->b->p);
  if (status == KG_OK) state_modes(e, e->b->p, first_shadow);
  return status == KG_OK ? e->status : status;
}

/* Shadows that nobody adds to atomically. */
static kg_status sink(kgi_emission *e, kgi_program *q) {
  bool *wanted = kgi_arena_alloc(e->scratch, q->scope.object_count, sizeof *wanted);
  if (!wanted) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++)
    if (e->object[o].shadow.i && e->a->object[o].share < KGI_AD_LISTED && !e->a->req.viewed[o]) wanted[e->object[o].shadow.i] = true;
  return kgi_sink(e->b, q, wanted, e->scratch);
}

static kg_status tidy(kgi_emission *e, kgi_program *q) {
  kg_status status = kgi_factor(e->b, q, e->turned, e->turned_count, e->scratch);
  if (status == KG_OK) status = kgi_drop_barriers(e->b->m, q, e->scratch);
  if (status == KG_OK) status = kgi_straighten(q, e->turned, &e->turned_count, e->scratch);
  if (status == KG_OK) status = sink(e, q);
  if (status == KG_OK) status = kgi_multiply_after(e->b, q, e->turned, e->turned_count, e->scratch);
  if (status == KG_OK) status = kgi_ad_gather_sums(e, q);
  if (status == KG_OK) status = kgi_ad_collect(e, q);
  if (status == KG_OK) status = kgi_ad_settle_gathered(e, q);
  return status == KG_OK ? kgi_stagger(e->b, q, e->turned, e->turned_count, e->scratch) : status;
}

static kg_status finish(kgi_emission *e) {
  kgi_builder *b = e->b;
  kg_status status = kgi_builder_status(b);
  if (status == KG_OK && e->scratch->failed) status = KG_NO_MEMORY;
  if (status == KG_OK) status = e->status;
  if (status != KG_OK) return status;
  kgi_program *q = b->p;
  status = kgi_validate_program(b->m, q, e->a->diags);
  uint32_t first_shadow = 1;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++) first_shadow += e->object[o].out.i != 0;
  if (status == KG_OK) status = clean(e, first_shadow);
  if (status != KG_OK) return status;
  bool climbed = false;
  status = tidy(e, q);
  if (status == KG_OK) status = clean(e, first_shadow);
  if (status == KG_OK) status = kgi_climb(q, e->scratch, &climbed);
  if (status == KG_OK && climbed) status = clean(e, first_shadow);
  if (status == KG_OK) status = kgi_write_places(b->m, q);
  if (status != KG_OK) return status;
  kgi_end_program(b);
  return e->status;
}

static bool begin(kgi_emission *e, kgi_ad *a, kgi_emission_mode mode, kgi_builder *b, const char *name) {
  size_t n = a->f.p->inst_count;
  *e = (kgi_emission){.a = a, .f = &a->f, .p = a->f.p, .b = b, .scratch = &a->scratch, .name = name, .mode = mode};
  e->map = kgi_arena_alloc(e->scratch, n, sizeof *e->map);
  e->adj = kgi_arena_alloc(e->scratch, n, sizeof *e->adj);
  e->touched = kgi_arena_alloc(e->scratch, n, sizeof *e->touched);
  e->adj_var = kgi_arena_alloc(e->scratch, n, sizeof *e->adj_var);
  e->slot_var = kgi_arena_alloc(e->scratch, a->slot_count + 1, sizeof *e->slot_var);
  e->tape = kgi_arena_alloc(e->scratch, a->tape_count + 1, sizeof *e->tape);
  e->tape_param.trips = kgi_arena_alloc(e->scratch, a->loop_count + 1, sizeof *e->tape_param.trips);
  e->object = kgi_arena_alloc(e->scratch, e->p->scope.object_count, sizeof *e->object);
  e->param_shadow = kgi_arena_alloc(e->scratch, e->p->scope.param_count, sizeof *e->param_shadow);
  e->sum_var = kgi_arena_alloc(e->scratch, a->sum_count + 1, sizeof *e->sum_var);
  e->sum_touched = kgi_arena_alloc(e->scratch, a->sum_count + 1, sizeof *e->sum_touched);
  return kgi_ad_shadow_bindings(e->scratch, &e->p->scope, 1, &e->shadow_binding) && !e->scratch->failed;
}

kg_status kgi_ad_build(kgi_emission *e, kgi_ad *a, kgi_emission_mode mode, kgi_builder *b, const char *name) {
  if (!begin(e, a, mode, b, name)) return KG_NO_MEMORY;
  b->simplify = true;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++)
    if ((a->object[o].share == KGI_AD_COLLECTED || a->object[o].share == KGI_AD_COLLECTED_TO) && mode != KGI_EMIT_FORWARD)
      a->object[o].share = KGI_AD_ATOMIC;
  kgi_ad_use_names(e);
  declare(e);
  if (e->status == KG_OK && b->status == KG_OK) {
    kgi_ad_assert_lanes(e);
    if (mode != KGI_EMIT_FORWARD) zero_shared(e), kgi_ad_clear_spread(e);
    kgi_ad_sweep(e);
  }
  b->simplify = false;
  kg_status status = finish(e);
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope); o++)
    if (e->object[o].collected) a->object[o].share = e->object[o].added ? KGI_AD_COLLECTED_TO : KGI_AD_COLLECTED;
  return status;
}
