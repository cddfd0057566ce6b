/* Tiles: shared memory that a loop's body fills anew in each trip. What a trip held is not lost: the body's stores are run again.
 * That gives the same only if nothing of an earlier trip shows through, so the first access must be a store by which the whole
 * workgroup reaches every element. */
#include "autodiff/plan/ad.h"
#include "foundation/ir/place.h"

/* A leaf as a length of the working program; {0}: it is none. */
static kgi_dim dim_of(kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  kgi_scope *s = &a->f.p->scope;
  kgi_arena *arena = &a->f.work->arena;
  if (inst->kind == KGI_param) return kgi_dim_leaf(arena, s, KGI_DIM_PARAM, inst->arg[0]);
  if (inst->kind == KGI_spec) return kgi_dim_leaf(arena, s, KGI_DIM_SPEC, inst->arg[0]);
  if (inst->kind == KGI_literal && kgi_is_int(inst->type))
    return kgi_dim_int(arena, s, kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst)));
  if (inst->kind != KGI_len) return (kgi_dim){0};
  const kgi_object *o = &s->object[inst->arg[0]];
  kgi_dim length = inst->arg[1] ? o->extent[inst->arg[1] - 1] : o->length;
  return length.i ? length : kgi_dim_leaf(arena, s, KGI_DIM_LEN, inst->arg[0]);
}

static bool is_local_id(const kgi_ad *a, uint32_t value, uint32_t component) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  return inst->kind == KGI_id && inst->op == KGI_ID_local_id && inst->arg[0] == component;
}

static kgi_dim size_of(kgi_ad *a, unsigned axis) {
  return a->f.p->workgroup[axis].i ? a->f.p->workgroup[axis] : kgi_dim_int(&a->f.work->arena, &a->f.p->scope, 1);
}

static bool is_one(const kgi_ad *a, unsigned axis) {
  const kgi_dim_node *n = &a->f.p->scope.dim[a->f.p->workgroup[axis].i];
  return !a->f.p->workgroup[axis].i || (n->op == KGI_DIM_INT && n->imm == 1);
}

static kgi_dim product(kgi_ad *a, kgi_dim x, kgi_dim y) { return kgi_dim_binary(&a->f.work->arena, &a->f.p->scope, KGI_DIM_MUL, x, y); }

/* local_id.y * width + local_id.x, with the workgroup's width, in either order. */
static bool is_row_and_column(kgi_ad *a, uint32_t index) {
  const kgi_inst sum = *kgi_ad_inst(a, index);
  if (sum.kind != KGI_op || sum.op != KGI_OP_add) return false;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst scaled = *kgi_ad_inst(a, sum.arg[k]);
    if (scaled.kind != KGI_op || scaled.op != KGI_OP_mul || !is_local_id(a, sum.arg[1 - k], 0)) continue;
    uint32_t width = size_of(a, 0).i;
    for (unsigned n = 0; n < 2; n++)
      if (is_local_id(a, scaled.arg[n], 1) && dim_of(a, scaled.arg[1 - n]).i == width) return true;
  }
  return false;
}

bool kgi_ad_one_each(kgi_ad *a, uint32_t object) {
  kgi_dim length = a->f.p->scope.object[object].length, x = size_of(a, 0), y = size_of(a, 1);
  if (!length.i || !is_one(a, 2)) return false;
  return length.i == product(a, x, y).i || length.i == product(a, y, x).i || (is_one(a, 1) && length.i == x.i);
}

/* Each index is an id of its own in the workgroup, and its extent the workgroup's size along that axis. */
static bool is_id_each(kgi_ad *a, uint32_t store) {
  kgi_digits place;
  unsigned axes = 0;
  if (!kgi_place_of(a->f.p, store, &place)) return false;
  const kgi_object *o = &a->f.p->scope.object[a->f.p->inst[store].arg[0]];
  for (unsigned k = 0; k < o->rank; k++) {
    const kgi_inst *id = kgi_ad_inst(a, place.value[k]);
    if (id->kind != KGI_id || id->op != KGI_ID_local_id || axes & 1u << id->arg[0]) return false;
    if (size_of(a, id->arg[0]).i != o->extent[k].i) return false;
    axes |= 1u << id->arg[0];
  }
  return true;
}

/* One element for each invocation, and as many elements as invocations. */
static bool reaches_all(kgi_ad *a, uint32_t store) {
  const kgi_inst inst = *kgi_ad_inst(a, store);
  const kgi_inst *index = kgi_ad_inst(a, inst.arg[1]);
  bool flat = is_one(a, 1);
  if (!inst.arg[1] || !kgi_ad_one_each(a, inst.arg[0])) return false;
  if (index->kind == KGI_id && index->op == KGI_ID_local_index) return true;
  if (is_id_each(a, store)) return true;
  return flat ? is_local_id(a, inst.arg[1], 0) : is_row_and_column(a, inst.arg[1]);
}

static bool holds_barrier(const kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i)
    if (a->f.p->inst[i].kind == KGI_barrier) return true;
  return false;
}

static kgi_blk find(kgi_ad *a, uint32_t object) {
  const kgi_ad_object_fact *o = &a->f.object[object];
  if (a->f.p->scope.object[object].space != KGI_SHARED || !o->first || a->f.p->inst[o->first].kind != KGI_store) return 0;
  kgi_blk block = a->f.p->inst[o->first].block;
  uint32_t owner = a->f.p->block[block].owner;
  if (block == KGI_BODY || a->f.p->inst[owner].kind != KGI_for || !kgi_ad_within(a, block, o->last)) return 0;
  for (uint32_t i = o->first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_atomic) return 0;
  /* a barrier in the body itself: the whole workgroup is here */
  return holds_barrier(a, block) && reaches_all(a, o->first) ? block : 0;
}

kgi_blk kgi_ad_tile_block(kgi_ad *a, uint32_t object) {
  kgi_ad_object *o = &a->object[object];
  if (!o->tile_known) o->tile = find(a, object);
  o->tile_known = true;
  return o->tile;
}
