/* The reverse sweep: the adjoint of each statement, last to first.
 *
 *   y = f(a, b)   the adjoints of a and b get their contributions from y's
 *   t = x[i]      shadow[i] gets what t's adjoint holds
 *   x[i] = t      t's adjoint gets shadow[i], which is moved and zeroed
 *   atomic add    t's adjoint gets shadow[i], which stays
 *   barrier       a barrier, on every path that has one
 *   if            an if under the same condition
 *   for           the same range the other way round
 *
 * The adjoint of a value is a value where all its uses stand in its own block, and besides a var where they do not. */
#include "autodiff/emit/emit.h"
#include "modules/modules.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"

static kgi_val none(void) { return (kgi_val){0}; }

static kgi_val add(kgi_ad *a, kgi_val x, kgi_val y) { return x.i ? kgi_op2(a->b, KGI_OP_add, x, y) : y; }

static kgi_val zero(kgi_ad *a, kg_type type) { return kgi_float(a->b, type, 0); }

/* ---- adjoints of values ---- */

/* A var that was declared in the reverse of `home` still holds the zero that it began with: nothing was added yet, and no loop
 * between comes back to `here`. */
static bool holds_zero(const kgi_ad *a, bool touched, kgi_blk home, kgi_blk here) {
  return !touched && a->block[home].loop == a->block[here].loop;
}

static void add_to_var(kgi_ad *a, kgi_obj var, kgi_val g, bool is_zero) {
  kgi_store(a->b, var, none(), is_zero ? g : kgi_op2(a->b, KGI_OP_add, kgi_load(a->b, var, none()), g));
}

static void contribute(kgi_ad *a, kgi_blk here, uint32_t value, kgi_val g) {
  kgi_blk home = kgi_ad_home(a, value);
  if (a->b->status != KG_OK || !g.i) return;
  if (home == here) {
    a->adj[value] = add(a, (kgi_val){a->adj[value]}, g).i;
    return;
  }
  add_to_var(a, a->adj_var[value], g, holds_zero(a, a->flags[value] & KGI_AD_TOUCHED, home, here));
  a->flags[value] |= KGI_AD_TOUCHED;
}

/* The whole adjoint of a value whose uses have all been reversed; {0}: nothing reached it. */
static kgi_val take(kgi_ad *a, uint32_t value) {
  kgi_val sum = {a->adj[value]};
  if (a->flags[value] & KGI_AD_CROSS) {
    kgi_val rest = kgi_load(a->b, a->adj_var[value], none());
    sum = sum.i ? add(a, rest, sum) : rest;
  }
  a->adj[value] = 0;
  return sum;
}

/* ---- shadows ---- */

static void forget_pending(kgi_ad *a) { a->epoch++; }

/* The element was moved out just now: what is added to it is all that it holds. */
static void replace_zero(kgi_ad *a, kgi_ad_object *o, kgi_val at, kgi_val g) {
  uint32_t gone = o->pending_store;
  o->pending_epoch = 0;
  if (a->b->at.after == gone) a->b->at.after = a->b->p->inst[gone].prev;
  kgi_remove(a->b->p, gone);
  if (g.i != o->pending_value) kgi_store(a->b, o->shadow, at, g);
}

static bool shadow_holds_zero(const kgi_ad *a, uint32_t object, kgi_blk here) {
  const kgi_ad_object *o = &a->object[object];
  return a->p->scope.object[object].space == KGI_VAR && holds_zero(a, o->flags & KGI_AD_TOUCHED, o->block, here);
}

static void reverse_load(kgi_ad *a, uint32_t i);

/* A load of the element that was moved out, just before another load of the object; 0: there is none whose adjoint is complete. */
static uint32_t load_of_pending(const kgi_ad *a, uint32_t load) {
  uint32_t object = a->p->inst[load].arg[0], element = a->object[object].pending_index, i = a->p->inst[load].prev;
  for (unsigned n = 0; i && n < KGI_LIMIT(reverse_near); n++, i = a->p->inst[i].prev) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (!kgi_is_pure(inst)) return 0;
    if (inst->kind != KGI_load || inst->arg[0] != object || inst->arg[1] != element) continue;
    for (uint32_t use = a->use_first[i]; use; use = a->use_next[use - 1])
      if (a->pos[(use - 1) / 4] < a->pos[load]) return 0;
    return kgi_ad_active(a, i) && !(a->flags[i] & KGI_AD_CROSS) && !a->slot_of[i] ? i : 0;
  }
  return 0;
}

/* Additions may come in any order: what goes to the element that was moved out goes first, and takes the place of the zero. */
static void reverse_pending_first(kgi_ad *a, uint32_t load) {
  const kgi_ad_object *o = &a->object[a->p->inst[load].arg[0]];
  if (o->pending_epoch != a->epoch || o->pending_index == a->p->inst[load].arg[1]) return;
  uint32_t first = load_of_pending(a, load);
  if (first) reverse_load(a, first);
}

static void contribute_to_shadow(kgi_ad *a, uint32_t load, kgi_val g) {
  uint32_t object = a->p->inst[load].arg[0], index = a->p->inst[load].arg[1];
  kgi_ad_object *o = &a->object[object];
  bool is_zero = shadow_holds_zero(a, object, a->p->inst[load].block);
  o->flags |= KGI_AD_TOUCHED;
  kgi_val at = index ? kgi_ad_leaf(a, index) : none();
  if (o->pending_epoch == a->epoch && o->pending_index == index) {
    replace_zero(a, o, at, g);
    return;
  }
  o->pending_epoch = 0;
  bool is_var = a->p->scope.object[object].space == KGI_VAR;
  if (!is_var && !(a->flags[load] & KGI_AD_PLAIN)) {
    kgi_atomic_op(a->b, KGI_ATOMIC_add, o->shadow, at, g, none());
    return;
  }
  if (load != o->stored_load && !is_zero) g = kgi_op2(a->b, KGI_OP_add, kgi_load(a->b, o->shadow, at), g);
  kgi_store(a->b, o->shadow, at, g);
}

static void reverse_load(kgi_ad *a, uint32_t i) {
  kgi_val g = take(a, i);
  bool stored = a->object[a->p->inst[i].arg[0]].stored_load == i;
  if (!g.i && !stored) return;
  if (!g.i) g = zero(a, kgi_ad_type(a->p->inst[i].type));
  if (!a->slot_of[i]) {
    reverse_pending_first(a, i);
    contribute_to_shadow(a, i, g);
    return;
  }
  kgi_ad_slot *slot = &a->slot[a->slot_of[i] - 1];
  add_to_var(a, slot->var, g, holds_zero(a, slot->touched, KGI_BODY, a->p->inst[i].block));
  slot->touched = true;
}

static uint32_t next_reversed(const kgi_ad *a, uint32_t access) {
  while (access && !kgi_ad_has_reverse(a, access)) access = a->access_next[access];
  return access;
}

static bool inside_loop(const kgi_ad *a, uint32_t i, uint32_t loop) {
  uint32_t around = a->block[a->p->inst[i].block].loop;
  while (around && around != loop) around = a->block[a->p->inst[around].block].loop;
  return around == loop;
}

/* The store runs at most once for each element, and what follows it in its loop does not look at what an earlier trip's leaves
 * behind. Other invocations do not store to it in the same stretch between barriers. */
static bool stores_once(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_blk home = a->object[inst->arg[0]].block;
  uint32_t loop = a->block[inst->block].loop;
  if (loop == a->block[home].loop) return true;
  if (a->p->inst[loop].kind != KGI_for || a->block[a->p->inst[loop].block].loop != a->block[home].loop) return false;
  uint32_t next = next_reversed(a, a->access_next[i]);
  if (next && inside_loop(a, next, loop)) return false;
  return !a->block[a->p->inst[loop].arg[3]].has_barrier && inst->arg[1] &&
         kgi_element_moves_with(a->p, inst->arg[0], inst->arg[1], loop);
}

/* Whether nothing looks at the shadow's element once its store was reversed: no other access, no earlier trip of a loop, not the
 * caller. */
static bool shadow_is_done(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_ad_object *o = &a->object[inst->arg[0]];
  if (!o->reversed_known) o->first_reversed = next_reversed(a, o->first);
  o->reversed_known = true;
  if (o->first_reversed != i || !stores_once(a, i)) return false;
  if (a->p->scope.object[inst->arg[0]].space != KGI_BUFFER) return true;
  return a->req.single_run && !a->req.result[inst->arg[0]];
}

static void reverse_store(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_ad_object *o = &a->object[inst->arg[0]];
  kgi_val at = inst->arg[1] ? kgi_ad_leaf(a, inst->arg[1]) : none(), g = none();
  o->pending_epoch = 0;
  if (shadow_holds_zero(a, inst->arg[0], inst->block)) return; /* the contents were not used */
  o->flags |= KGI_AD_TOUCHED;
  if (kgi_ad_active(a, inst->arg[2])) {
    g = kgi_load(a->b, o->shadow, at);
    contribute(a, inst->block, inst->arg[2], g);
  }
  if (shadow_is_done(a, i)) return;
  kg_type type = (kg_type)a->b->p->scope.object[o->shadow.i].type;
  kgi_store(a->b, o->shadow, at, zero(a, type));
  o->pending_epoch = a->epoch;
  o->pending_index = inst->arg[1];
  o->pending_value = g.i;
  o->pending_store = a->b->at.after;
}

static void reverse_atomic(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_ad_object *o = &a->object[inst->arg[0]];
  kgi_val at = inst->arg[1] ? kgi_ad_leaf(a, inst->arg[1]) : none();
  o->pending_epoch = 0;
  contribute(a, inst->block, inst->arg[2], kgi_load(a->b, o->shadow, at));
}

static void reverse_op(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_val g = take(a, i);
  if (!g.i) return;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (kgi_ad_active(a, inst->arg[k]) && kgi_ad_flows(a, i, k))
      contribute(a, inst->block, inst->arg[k], kgi_ad_pullback(a, i, k, g));
}

/* ---- control ---- */

static void reverse_block(kgi_ad *a, kgi_blk block);

/* The vars that the reverse of a block needs: adjoints of its values that nested blocks contribute to, and shadows of its vars. */
static void declare_shadow_var(kgi_ad *a, uint32_t object) {
  const kgi_object *o = &a->p->scope.object[object];
  kg_type type = kgi_ad_type(o->type);
  const char *name = kgi_ad_free_name(a, "grad_", kgi_ad_object_name(a, object));
  kgi_object var = {.name = kgi_intern_z(a->b->m, name), .pos = a->b->pos, .space = KGI_VAR, .type = (uint8_t)type, .scalar = o->scalar};
  kgi_copy_extents(&var, o, a->dim_map);
  kgi_obj shadow = kgi_var_add(a->b, &var);
  a->object[object].shadow = shadow;
  if (o->scalar) {
    kgi_store(a->b, shadow, none(), zero(a, type));
    return;
  }
  kgi_val length = kgi_len_value(a->b, shadow), first = kgi_u32(a->b, 0);
  kgi_val k = kgi_for_begin(a->b, kgi_ad_free_name(a, "", "k"), first, length, none(), false);
  kgi_store(a->b, shadow, k, zero(a, type));
  kgi_end(a->b);
}

static void declare_adjoints(kgi_ad *a, kgi_blk block) {
  for (uint32_t v = a->block[block].cross; v; v = a->cross_next[v]) {
    const kgi_inst *inst = kgi_ad_inst(a, v);
    const char *name = kgi_string(a->work, a->p->inst_name[v]);
    if (inst->kind == KGI_param) name = kgi_string(a->work, a->p->scope.param[inst->arg[0]].name);
    if (!*name && inst->kind == KGI_load) name = kgi_ad_object_name(a, inst->arg[0]);
    a->b->pos = a->p->inst_pos[v];
    kg_type type = kgi_ad_type(inst->type);
    a->adj_var[v] = kgi_var(a->b, kgi_ad_free_name(a, "grad_", *name ? name : "value"), type, (kgi_dim){0});
    kgi_store(a->b, a->adj_var[v], none(), zero(a, type));
  }
  for (uint32_t o = a->block[block].vars; o; o = a->object[o].var_next) declare_shadow_var(a, o);
}

static void reverse_closed(kgi_ad *a, kgi_blk block) {
  forget_pending(a); /* what another branch moved out is no matter of this one's */
  kgi_ad_emit_slice(a, block);
  declare_adjoints(a, block);
  reverse_block(a, block);
}

static void mirror_barrier(kgi_ad *a, kgi_kind kind) {
  uint32_t before = a->b->at.after;
  if (before && a->b->p->inst[before].kind == kind) return;
  if (kind == KGI_barrier) kgi_barrier_here(a->b);
  else kgi_memory_barrier_here(a->b);
}

/* A branch without content may have barriers. One does for all of them, since nothing is done between. */
static void reverse_branch(kgi_ad *a, kgi_blk block) {
  if (a->block[block].content) reverse_closed(a, block);
  else mirror_barrier(a, KGI_barrier);
}

static void reverse_if(kgi_ad *a, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(a, i);
  const kgi_ad_block *first = &a->block[inst.arg[1]], *second = &a->block[inst.arg[2]]; /* 0 is a block without anything */
  bool then = first->content || first->has_barrier, other = second->content || second->has_barrier;
  kgi_val condition = kgi_ad_leaf(a, inst.arg[0]);
  kgi_if_begin(a->b, then ? condition : kgi_op1(a->b, KGI_OP_not, condition));
  reverse_branch(a, inst.arg[then ? 1 : 2]);
  if (then && other) {
    kgi_else(a->b);
    reverse_branch(a, inst.arg[2]);
  }
  kgi_end(a->b);
}

static void reverse_for(kgi_ad *a, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(a, i);
  const char *name = kgi_string(a->work, a->p->inst_name[i]);
  kgi_val bound[3];
  for (unsigned k = 0; k < 3; k++) bound[k] = kgi_ad_leaf(a, inst.arg[k]);
  a->map[i] = kgi_for_begin(a->b, kgi_ad_free_name(a, "", *name ? name : "i"), bound[0], bound[1], bound[2],
                            !(inst.flags & KGI_REVERSED)).i;
  if (!kgi_arena_grow(&a->scratch, &a->turned, a->turned_count, &a->turned_cap, sizeof *a->turned)) return kgi_ad_fail(a, KG_NO_MEMORY);
  a->turned[a->turned_count++] = a->map[i];
  reverse_closed(a, inst.arg[3]);
  kgi_end(a->b);
}

static void reverse_control(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  bool content = false, barrier = false;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (a->block[inst->arg[k]].content) content = true;
    if (a->block[inst->arg[k]].has_barrier) barrier = true;
  }
  if (!content) {
    /* control around a barrier is uniform, so that one barrier without it does as well, though it may run no trip */
    if (!barrier) return;
    forget_pending(a);
    mirror_barrier(a, KGI_barrier);
    return;
  }
  if (inst->kind == KGI_if) reverse_if(a, i);
  if (inst->kind == KGI_for) reverse_for(a, i);
  forget_pending(a);
}

static void reverse_inst(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  a->b->pos = a->p->inst_pos[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_op:
    if (kgi_ad_active(a, i)) reverse_op(a, i);
    break;
  case KGI_load:
    if (kgi_ad_active(a, i)) reverse_load(a, i);
    break;
  case KGI_store:
    if (kgi_ad_has_reverse(a, i)) reverse_store(a, i);
    break;
  case KGI_atomic:
    if (kgi_ad_has_reverse(a, i)) reverse_atomic(a, i);
    break;
  case KGI_barrier: case KGI_memory_barrier:
    forget_pending(a);
    mirror_barrier(a, (kgi_kind)inst->kind);
    break;
  case KGI_if: case KGI_for: case KGI_while: reverse_control(a, i); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_subgroup: case KGI_check:
  case KGI_var: case KGI_region: case KGI_break: case KGI_continue: case KGI_return: case KGI_KIND_COUNT: break;
  }
}

static void reverse_block(kgi_ad *a, kgi_blk block) {
  KGI_EACH_BACK(a->p, block, i) {
    if (a->b->status != KG_OK || a->status != KG_OK) return;
    reverse_inst(a, i);
  }
}

/* ---- open blocks ---- */

static void sweep_open(kgi_ad *a, kgi_blk block);

static void sweep_last_if(kgi_ad *a, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(a, i);
  a->b->pos = a->p->inst_pos[i];
  kgi_if_begin(a->b, kgi_ad_leaf(a, inst.arg[0]));
  sweep_open(a, inst.arg[1]);
  if (inst.arg[2]) {
    kgi_else(a->b);
    forget_pending(a);
    sweep_open(a, inst.arg[2]);
  }
  kgi_end(a->b);
  forget_pending(a);
}

/* Forward, the `if` that comes last both ways, and back. */
static void sweep_open(kgi_ad *a, kgi_blk block) {
  uint32_t last = a->p->block[block].last;
  if (!last || a->p->inst[last].kind != KGI_if) last = 0;
  KGI_EACH(a->p, block, i)
    if (i != last) kgi_ad_copy_whole(a, i);
  declare_adjoints(a, block);
  if (block == KGI_BODY) kgi_ad_declare_slots(a);
  if (last) sweep_last_if(a, last);
  if (!a->block[KGI_BODY].content) return; /* there is nothing to reverse, and invocations may have left early */
  if (!last && a->block[block].has_barrier) mirror_barrier(a, KGI_barrier); /* where the sweep turns round */
  for (uint32_t i = last ? a->p->inst[last].prev : a->p->block[block].last; i; i = a->p->inst[i].prev) {
    if (a->b->status != KG_OK || a->status != KG_OK) return;
    reverse_inst(a, i);
  }
}

void kgi_ad_sweep(kgi_ad *a) {
  a->epoch = 1;
  if (a->block[KGI_BODY].open) {
    kgi_ad_declare_saves(a, KGI_BODY);
    sweep_open(a, KGI_BODY);
  } else {
    kgi_ad_emit_slice(a, KGI_BODY);
    declare_adjoints(a, KGI_BODY);
    kgi_ad_declare_slots(a);
    reverse_block(a, KGI_BODY);
  }
  kgi_ad_flush_slots(a);
}
