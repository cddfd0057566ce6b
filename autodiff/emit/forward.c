/* Statements of the primal in the emitted program: all of them as they run forward, and slices of closed blocks again. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/place.h"
#include "modules/modules.h"

kgi_val kgi_ad_leaf(kgi_emission *e, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(e->a, value);
  bool of_var = inst->kind == KGI_len && e->p->scope.object[inst->arg[0]].space == KGI_VAR; /* declared more than once */
  if (!kgi_is_leaf(inst->kind) || (e->map[value] && !of_var)) return (kgi_val){e->map[value]};
  kgi_val made = {0};
  if (inst->kind == KGI_literal) made = kgi_literal_of(e->b, (kg_type)inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_spec) made = kgi_spec_value(e->b, inst->arg[0]);
  if (inst->kind == KGI_param) made = kgi_param_value(e->b, inst->arg[0]);
  if (inst->kind == KGI_id) made = kgi_id_value(e->b, (kgi_id)inst->op, inst->arg[0]);
  if (inst->kind == KGI_len) made = kgi_len_leaf(e->b, e->object[inst->arg[0]].out, inst->arg[1]);
  e->map[value] = made.i;
  return made;
}

/* A var is declared anew wherever the block that declares it runs, and so is its length. */
static void declare_var(kgi_emission *e, uint32_t object) {
  kgi_object o = e->p->scope.object[object];
  bool taken = object >= e->f->made_from || e->object[object].out.i;
  o.name = kgi_intern_z(e->b->m, taken ? kgi_ad_free_name(e, "", kgi_ad_object_name(e->a, object))
                                                        : kgi_ad_object_name(e->a, object));
  kgi_copy_extents(&o, &e->p->scope.object[object], e->dim_map);
  e->object[object].out = kgi_object_add(e->b, &o);
  e->map[e->f->object[object].length] = 0;
  if (e->object[object].out.i) kgi_append(e->b, (kgi_inst){.kind = KGI_var, .arg = {e->object[object].out.i}});
}

/* Instructions refer to objects, values and strings of the working program; here to those of the emitted one. */
static kgi_inst translated(kgi_emission *e, uint32_t i) {
  kgi_inst inst = *kgi_ad_inst(e->a, i);
  kgi_span span = kgi_operands(&inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst.arg[k]) inst.arg[k] = kgi_ad_leaf(e, inst.arg[k]).i;
  if (kgi_touches(&inst)) inst.arg[0] = e->object[inst.arg[0]].out.i;
  if (inst.kind == KGI_check) inst.arg[1] = kgi_intern_z(e->b->m, e->f->work->string[inst.arg[1]]).i;
  if (inst.kind == KGI_while) inst.arg[3] = e->dim_map[inst.arg[3]];
  kgi_span owned = kgi_owned_blocks(&inst);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) inst.arg[k] = 0;
  return inst;
}

/* A name is given where it is free: the first time that the value is computed. */
static void name_as_before(kgi_emission *e, uint32_t i, uint32_t out, bool again) {
  const char *name = kgi_string(e->f->work, e->p->inst_name[i]);
  if (!*name || !out) return;
  e->b->p->inst_name[out] = kgi_intern_z(e->b->m, again ? kgi_ad_free_name(e, "", name) : name);
}

static uint32_t emit(kgi_emission *e, uint32_t i) {
  bool again = e->map[i] != 0;
  e->b->pos = e->p->inst_pos[i];
  e->map[i] = kgi_append(e->b, translated(e, i));
  name_as_before(e, i, e->map[i], again);
  return e->map[i];
}

/* `block`: the one whose forward run or slice this is part of. */
static void keep(kgi_emission *e, kgi_blk block, uint32_t i) {
  const kgi_ad_slot *slot = kgi_ad_slot_of(e->a, i);
  if (slot && slot->block == block) kgi_ad_keep(e, i);
}

void kgi_ad_copy_inst(kgi_emission *e, uint32_t i) {
  e->b->pos = e->p->inst_pos[i];
  if (e->p->inst[i].kind == KGI_var) {
    declare_var(e, e->p->inst[i].arg[0]);
    return;
  }
  emit(e, i);
  keep(e, e->mode == KGI_EMIT_FORWARD ? 0 : KGI_BODY, i);
}

/* Gives `owner` a block in arg[slot], with the cursor at its start. */
static bool open_into(kgi_emission *e, uint32_t owner, unsigned slot) {
  kgi_blk block = kgi_block_new(e->b, owner);
  if (!block) return false;
  e->b->p->inst[owner].arg[slot] = block;
  e->b->at = kgi_at_start(block);
  return true;
}

/* The condition of a while is a value of the block that computes it, so it is known only after that block. */
static void copy_while(kgi_emission *e, uint32_t i) {
  kgi_inst inst = *kgi_ad_inst(e->a, i);
  e->b->pos = e->p->inst_pos[i];
  kgi_while_begin(e->b);
  KGI_EACH(e->p, inst.arg[1], k) kgi_ad_copy_whole(e, k);
  kgi_while_body(e->b, kgi_ad_leaf(e, inst.arg[0]), (kgi_dim){e->dim_map[inst.arg[3]]});
  KGI_EACH(e->p, inst.arg[2], k) kgi_ad_copy_whole(e, k);
  kgi_end(e->b);
}

void kgi_ad_copy_whole(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  if (e->b->status != KG_OK) return;
  if (inst->kind == KGI_while) {
    copy_while(e, i);
    return;
  }
  if (inst->kind == KGI_checkpoint) { /* nothing is left of it but what it holds */
    KGI_EACH(e->p, inst->arg[0], n) kgi_ad_copy_whole(e, n);
    return;
  }
  if (!owned.count) {
    kgi_ad_copy_inst(e, i);
    return;
  }
  uint32_t made = emit(e, i);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (!made || !open_into(e, made, k)) return;
    KGI_EACH(e->p, inst->arg[k], n) kgi_ad_copy_whole(e, n);
  }
  e->b->at = kgi_behind(e->b->p, made);
}

static void emit_slice_of(kgi_emission *e, kgi_blk slice, kgi_blk block);

static void emit_sliced_while(kgi_emission *e, kgi_blk slice, uint32_t i) {
  kgi_inst inst = *kgi_ad_inst(e->a, i);
  kgi_while_begin(e->b);
  emit_slice_of(e, slice, inst.arg[1]);
  kgi_while_body(e->b, kgi_ad_leaf(e, inst.arg[0]), (kgi_dim){e->dim_map[inst.arg[3]]});
  emit_slice_of(e, slice, inst.arg[2]);
  kgi_end(e->b);
}

static void emit_sliced(kgi_emission *e, kgi_blk slice, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  e->b->pos = e->p->inst_pos[i];
  if (inst->kind == KGI_var) {
    declare_var(e, inst->arg[0]);
    return;
  }
  if (inst->kind == KGI_while) return emit_sliced_while(e, slice, i);
  if (inst->kind == KGI_checkpoint) return emit_slice_of(e, slice, inst->arg[0]);
  uint32_t made = emit(e, i);
  kgi_span owned = kgi_owned_blocks(inst);
  if (!made) return;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (!open_into(e, made, k)) return;
    emit_slice_of(e, slice, inst->arg[k]);
  }
  if (owned.count) e->b->at = kgi_behind(e->b->p, made);
  keep(e, slice, i);
}

static void emit_slice_of(kgi_emission *e, kgi_blk slice, kgi_blk block) {
  KGI_EACH(e->p, block, i) {
    if (kgi_ad_is_kept_for(e->a, slice, i) && (block == slice || kgi_ad_in_slice(e->a, slice, i))) e->map[i] = kgi_ad_kept(e, i).i;
    else if (kgi_ad_in_slice(e->a, slice, i)) emit_sliced(e, slice, i);
  }
}

/* What was loaded from shared memory so far is loaded before it is filled again. */
void kgi_ad_emit_slice(kgi_emission *e, kgi_blk block) {
  if (e->a->block[block].refills) kgi_barrier_here(e->b);
  kgi_ad_declare_slots(e, block);
  emit_slice_of(e, block, block);
}
