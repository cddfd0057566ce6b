/* Statements of the primal in the emitted program: all of them as they run forward, and slices of closed blocks again. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/place.h"
#include "modules/modules.h"

kgi_val kgi_ad_leaf(kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  bool of_var = inst->kind == KGI_len && a->p->scope.object[inst->arg[0]].space == KGI_VAR; /* declared more than once */
  if (!kgi_is_leaf(inst->kind) || (a->map[value] && !of_var)) return (kgi_val){a->map[value]};
  kgi_val made = {0};
  if (inst->kind == KGI_literal) made = kgi_literal_of(a->b, (kg_type)inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_spec) made = kgi_spec_value(a->b, inst->arg[0]);
  if (inst->kind == KGI_param) made = kgi_param_value(a->b, inst->arg[0]);
  if (inst->kind == KGI_id) made = kgi_id_value(a->b, (kgi_id)inst->op, inst->arg[0]);
  if (inst->kind == KGI_len) made = kgi_len_leaf(a->b, a->object[inst->arg[0]].out, inst->arg[1]);
  a->map[value] = made.i;
  return made;
}

/* A var is declared anew wherever the block that declares it runs, and so is its length. */
static void declare_var(kgi_ad *a, uint32_t object) {
  kgi_object o = a->p->scope.object[object];
  o.name = kgi_intern_z(a->b->m, a->object[object].out.i ? kgi_ad_free_name(a, "", kgi_ad_object_name(a, object))
                                                        : kgi_ad_object_name(a, object));
  kgi_copy_extents(&o, &a->p->scope.object[object], a->dim_map);
  a->object[object].out = kgi_object_add(a->b, &o);
  a->map[a->object[object].length] = 0;
  if (a->object[object].out.i) kgi_append(a->b, (kgi_inst){.kind = KGI_var, .arg = {a->object[object].out.i}});
}

/* Instructions refer to objects, values and strings of the working program; here to those of the emitted one. */
static kgi_inst translated(kgi_ad *a, uint32_t i) {
  kgi_inst inst = *kgi_ad_inst(a, i);
  kgi_span span = kgi_operands(&inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst.arg[k]) inst.arg[k] = kgi_ad_leaf(a, inst.arg[k]).i;
  if (kgi_touches(&inst)) inst.arg[0] = a->object[inst.arg[0]].out.i;
  if (inst.kind == KGI_check) inst.arg[1] = kgi_intern_z(a->b->m, a->work->string[inst.arg[1]]).i;
  if (inst.kind == KGI_while) inst.arg[3] = a->dim_map[inst.arg[3]];
  kgi_span owned = kgi_owned_blocks(&inst);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) inst.arg[k] = 0;
  return inst;
}

/* A name is given where it is free: the first time that the value is computed. */
static void name_as_before(kgi_ad *a, uint32_t i, uint32_t out, bool again) {
  const char *name = kgi_string(a->work, a->p->inst_name[i]);
  if (!*name || !out) return;
  a->b->p->inst_name[out] = kgi_intern_z(a->b->m, again ? kgi_ad_free_name(a, "", name) : name);
}

static uint32_t emit(kgi_ad *a, uint32_t i) {
  bool again = a->map[i] != 0;
  a->b->pos = a->p->inst_pos[i];
  a->map[i] = kgi_append(a->b, translated(a, i));
  name_as_before(a, i, a->map[i], again);
  return a->map[i];
}

/* `block`: the one whose forward run or slice this is part of. */
static void keep(kgi_ad *a, kgi_blk block, uint32_t i) {
  if (a->flags[i] & KGI_AD_SAVE && a->save_block[i] == block) kgi_ad_keep(a, i);
}

void kgi_ad_copy_inst(kgi_ad *a, uint32_t i) {
  a->b->pos = a->p->inst_pos[i];
  if (a->p->inst[i].kind == KGI_var) {
    declare_var(a, a->p->inst[i].arg[0]);
    return;
  }
  emit(a, i);
  keep(a, KGI_BODY, i);
}

/* Gives `owner` a block in arg[slot], with the cursor at its start. */
static bool open_into(kgi_ad *a, uint32_t owner, unsigned slot) {
  kgi_blk block = kgi_block_new(a->b, owner);
  if (!block) return false;
  a->b->p->inst[owner].arg[slot] = block;
  a->b->at = kgi_at_start(block);
  return true;
}

/* The condition of a while is a value of the block that computes it, so it is known only after that block. */
static void copy_while(kgi_ad *a, uint32_t i) {
  kgi_inst inst = *kgi_ad_inst(a, i);
  a->b->pos = a->p->inst_pos[i];
  kgi_while_begin(a->b);
  KGI_EACH(a->p, inst.arg[1], k) kgi_ad_copy_whole(a, k);
  kgi_while_body(a->b, kgi_ad_leaf(a, inst.arg[0]), (kgi_dim){a->dim_map[inst.arg[3]]});
  KGI_EACH(a->p, inst.arg[2], k) kgi_ad_copy_whole(a, k);
  kgi_end(a->b);
}

void kgi_ad_copy_whole(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  if (a->b->status != KG_OK) return;
  if (inst->kind == KGI_while) {
    copy_while(a, i);
    return;
  }
  if (!owned.count) {
    kgi_ad_copy_inst(a, i);
    return;
  }
  uint32_t made = emit(a, i);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (!made || !open_into(a, made, k)) return;
    KGI_EACH(a->p, inst->arg[k], n) kgi_ad_copy_whole(a, n);
  }
  a->b->at = kgi_behind(a->b->p, made);
}

static void emit_slice_of(kgi_ad *a, kgi_blk slice, kgi_blk block);

static void emit_sliced(kgi_ad *a, kgi_blk slice, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  a->b->pos = a->p->inst_pos[i];
  if (inst->kind == KGI_var) {
    declare_var(a, inst->arg[0]);
    return;
  }
  uint32_t made = emit(a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  if (!made) return;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (!open_into(a, made, k)) return;
    emit_slice_of(a, slice, inst->arg[k]);
  }
  if (owned.count) a->b->at = kgi_behind(a->b->p, made);
  keep(a, slice, i);
}

/* Kept by a block around this one, which has run. What a block inside keeps is for the reverse of that block. */
static bool is_kept_for(const kgi_ad *a, kgi_blk slice, uint32_t i) {
  return a->flags[i] & KGI_AD_SAVE && a->block[a->save_block[i]].start < a->block[slice].start;
}

static void emit_slice_of(kgi_ad *a, kgi_blk slice, kgi_blk block) {
  KGI_EACH(a->p, block, i) {
    if (is_kept_for(a, slice, i) && (block == slice || kgi_ad_in_slice(a, slice, i))) a->map[i] = kgi_ad_kept(a, i).i;
    else if (kgi_ad_in_slice(a, slice, i)) emit_sliced(a, slice, i);
  }
}

/* What was loaded from shared memory so far is loaded before it is filled again. */
void kgi_ad_emit_slice(kgi_ad *a, kgi_blk block) {
  if (a->block[block].refills) kgi_barrier_here(a->b);
  kgi_ad_declare_saves(a, block);
  emit_slice_of(a, block, block);
}
