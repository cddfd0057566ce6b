/* How the reverse of a run has the values that it uses, and why. */
#include "autodiff/explain.h"

#include <string.h>

/* ---- why ---- */

static bool overwrites(const kgi_ad *a, uint32_t i, uint32_t object) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  uint32_t to = inst->arg[0];
  if (inst->kind != KGI_store && inst->kind != KGI_atomic) return false;
  bool view = object < kgi_buffer_end(&a->f.p->scope) && a->f.blocks.aliased[object];
  return to == object || (view && a->f.blocks.of[to] == a->f.blocks.of[object]);
}

/* The first write behind the load, or in a later trip of a loop that the object outlives; 0: there is none. Views are looked for one
 * after the other, so that the first of them is told. */
static uint32_t next_write(const kgi_ad *a, uint32_t load) {
  uint32_t object = a->f.p->inst[load].arg[0], again = 0;
  uint32_t loop = kgi_ad_outermost_loop(a, a->f.object[object].block, load);
  kgi_blk body = loop ? kgi_body_of(&a->f.p->inst[loop]) : 0;
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    for (uint32_t i = a->f.object[o].first; i; i = a->f.access_next[i]) {
      if (!overwrites(a, i, object)) continue;
      if (a->f.pos[i] > a->f.pos[load]) return i;
      if (!again && body && kgi_ad_within(a, body, i)) again = i;
    }
  return again;
}

static bool writes(const kgi_ad_module *g, const kgi_ad_run *other, uint32_t memory) {
  for (uint32_t o = 1; o < kgi_buffer_end(&other->ad.f.p->scope); o++)
    if (other->ad.f.object[o].writes && g->blocks.of[g->m->bind[g->m->item[other->item].binding + o - 1]] == memory) return true;
  return false;
}

/* The next run that writes what this one loads; of a repeat also one before it. */
static const kgi_ad_run *next_writer(const kgi_explainer *x, uint32_t object) {
  const kgi_ad_module *g = x->g;
  const kgi_ad_run *again = NULL;
  uint32_t memory = g->blocks.of[g->m->bind[g->m->item[x->r->item].binding + object - 1]];
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *other = &g->run[i];
    if (!writes(g, other, memory)) continue;
    if (other->order > x->r->order) return other;
    if (!again && x->r->repeat && other->repeat == x->r->repeat) again = other;
  }
  return again;
}

static const char *why_load(kgi_explainer *x, uint32_t load) {
  const kgi_ad *a = x->a;
  uint32_t object = a->f.p->inst[load].arg[0], write = next_write(a, load);
  if (write) {
    const char *what = a->f.p->inst[write].kind == KGI_atomic ? "the atomic" : "the store";
    const char *later = a->f.pos[write] < a->f.pos[load] ? ", in a later trip" : "";
    return kgi_explain_text(x, "%s in line %u overwrites it%s", what, kgi_explain_line(x, write), later);
  }
  const kgi_ad_run *later = object < kgi_buffer_end(&a->f.p->scope) ? next_writer(x, object) : NULL;
  if (later) return kgi_explain_text(x, "a later run writes it: %s, line %u", kgi_string(x->g->work, later->ad.f.p->name),
                                     kgi_pos_line(x->g->m->item[later->item].pos));
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_atomic)
      return kgi_explain_text(x, "the atomic in line %u, which is not run again, made it", kgi_explain_line(x, i));
  return "it is not there any more where the reverse comes to it";
}

/* A load by which the state of a strip is copied at its start: the trips of a strip; 0: it is none. */
static uint32_t strip_begun_by(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  uint32_t decl = inst->kind == KGI_load ? a->f.object[inst->arg[0]].decl : 0;
  kgi_blk block = inst->block, around = a->f.p->inst[a->f.p->block[block].owner].block;
  if (around && a->block[around].strip) block = around; /* element by element */
  return decl && !kgi_ad_within(a, block, decl) ? a->block[block].strip : 0;
}

/* A load by which a checkpoint takes over a var; 0: it is none. */
static uint32_t checkpoint_begun_by(const kgi_ad *a, uint32_t i) {
  const kgi_inst *user = kgi_ad_inst(a, a->f.use_first[i] ? (a->f.use_first[i] - 1) / 4 : 0);
  if (a->f.p->inst[i].kind != KGI_load || user->kind != KGI_store) return 0;
  return a->f.object[user->arg[0]].copy_of == a->f.p->inst[i].arg[0] ? a->f.block[user->block].checkpoint : 0;
}

static const char *why_kept(kgi_explainer *x, uint32_t i) {
  const kgi_ad *a = x->a;
  uint32_t begun = checkpoint_begun_by(a, i);
  if (begun) return kgi_explain_text(x, "the checkpoint in line %u starts from it, and is run again", kgi_explain_line(x, begun));
  if (strip_begun_by(a, i)) return kgi_explain_text(x, "at the start of every %u trips, which are run again", strip_begun_by(a, i));
  if (a->spared && a->spared[i]) return "its trips are run again, and compute it on the way";
  if (kgi_is_count(&a->f, i)) return "how many trips the loop made is known only behind it";
  switch ((int)a->f.p->inst[i].kind) {
  case KGI_load: return why_load(x, i);
  case KGI_atomic: return "it comes out of an atomic, which is not run again";
  case KGI_subgroup: return "it comes out of a subgroup operation, which is not run again";
  }
  return "to keep it costs less than what it is computed from";
}

/* ---- what ---- */

static const char *name_of(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  const char *name = kgi_string(a->f.work, a->f.p->inst_name[i]);
  if (*name) return name;
  if (kgi_is_count(&a->f, i)) return "trips";
  if (kgi_touches(inst)) return kgi_ad_object_name(a, inst->arg[0]);
  return inst->kind == KGI_op ? kgi_op_rows[inst->op].name : kgi_kind_names[inst->kind];
}

/* The line of what owns the block; 0: it is the run's own. */
static uint32_t line_of_block(const kgi_explainer *x, kgi_blk block) {
  uint32_t owner = block ? x->a->f.p->block[block].owner : 0;
  return owner ? kgi_explain_line(x, owner) : 0;
}

static void add(kgi_explainer *x, kg_grad_value value) {
  kgi_explanation *to = x->to;
  value.run = to->run_count - 1;
  if (kgi_arena_grow(to->arena, &to->value, to->value_count, &to->value_cap, sizeof *to->value)) to->value[to->value_count++] = value;
}

static kg_grad_value described(kgi_explainer *x, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(x->a, i);
  bool loads = kgi_touches(inst) && !kgi_is_count(&x->a->f, i);
  const char *name = kgi_explain_text(x, "%s", name_of(x->a, i));
  const char *object = loads ? kgi_explain_text(x, "%s", kgi_ad_object_name(x->a, inst->arg[0])) : "";
  return (kg_grad_value){.name = name, .object = object, .line = kgi_explain_line(x, i), .type = (kg_type)inst->type,
                         .place = "", .buffer = "", .elements = "", .why = ""};
}

/* A loop of which some number of trips is taken for granted; 0: none of those whose trips the slot keeps apart. */
static const kgi_ad_loop *guessed(const kgi_ad *a, uint32_t i, const kgi_ad_slot *slot) {
  uint32_t outer = a->f.block[slot->block].loop;
  for (uint32_t loop = a->f.block[kgi_ad_inst(a, i)->block].loop; slot->place == KGI_AD_ARRAY && loop != outer; loop = kgi_ad_loop_around(a, loop)) {
    const kgi_ad_loop *l = kgi_ad_loop_at(a, loop);
    if (l->assumed && !l->proved) return l;
  }
  return NULL;
}

static void describe_stored(kgi_explainer *x, const kgi_ad_parked *parked, kg_grad_value *value) {
  value->buffer = kgi_explain_text(x, "%s", kgi_ad_object_name(x->a, kgi_ad_inst(x->a, parked->store)->arg[0]));
  value->elements = "", value->bytes = 0;
  value->why = kgi_explain_text(x, "%s; line %u stores it there, and nothing overwrites that", value->why, kgi_explain_line(x, parked->store));
}

static void add_kept(kgi_explainer *x, uint32_t i, const kgi_ad_slot *slot) {
  static const char *const places[] = {[KGI_AD_VAR] = "var", [KGI_AD_ARRAY] = "array", [KGI_AD_TAPE] = "tape", [KGI_AD_MEMORY] = "memory"};
  kg_grad_value value = described(x, i);
  kgi_explained_length length = slot->place == KGI_AD_TAPE ? kgi_explain_tape(x, slot->tape, 1) :
                                kgi_explain_length(x, NULL, 0, slot->place == KGI_AD_ARRAY ? slot->trips : 1);
  value.how = "kept", value.place = places[slot->place], value.at = line_of_block(x, slot->block);
  if (slot->place == KGI_AD_TAPE) value.type = x->a->tape[slot->tape].type, value.buffer = kgi_explain_tape_name(x, slot->tape);
  value.elements = length.text, value.bytes = kgi_explain_bytes(length, value.type), value.why = why_kept(x, i);
  if (slot->place == KGI_AD_MEMORY) describe_stored(x, kgi_ad_parked_at(x->a, i), &value);
  const kgi_ad_loop *l = guessed(x->a, i, slot);
  if (l) value.why = kgi_explain_text(x, "%s; nothing bounds the trips of line %u, and more than are kept fail", value.why, kgi_explain_line(x, l->loop));
  add(x, value);
}

/* Indices and conditions are computed again from what is at hand, which is no news; loads and floats are. */
static bool is_news(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  return inst->kind == KGI_load || (inst->kind == KGI_op && kgi_is_float(inst->type));
}

/* Of several that a line has alike, one is told. */
static bool is_told(const kgi_explanation *to, kg_grad_value value) {
  const kg_grad_value *last = to->value_count ? &to->value[to->value_count - 1] : NULL;
  return last && last->run == to->run_count - 1 && last->line == value.line && last->how == value.how && !strcmp(last->name, value.name);
}

static bool is_refilled(const kgi_ad *a, uint32_t object) {
  for (kgi_blk block = KGI_BODY; block < a->f.p->block_count && a->refills.used; block++)
    if (kgi_pair_find(&a->refills, kgi_pair(block, object))) return true;
  return false;
}

static const char *why_loaded(const kgi_ad *a, uint32_t object) {
  if (a->object[object].aside) return "from a copy made before the run";
  return is_refilled(a, object) ? "it is filled again" : "nothing overwrites it before";
}

static void add_recomputed(kgi_explainer *x, uint32_t i) {
  static const char how[] = "recomputed";
  kg_grad_value value = described(x, i);
  const kgi_inst *inst = kgi_ad_inst(x->a, i);
  value.how = how, value.at = line_of_block(x, inst->block);
  if (inst->kind == KGI_load) value.why = why_loaded(x->a, inst->arg[0]);
  if (!is_told(x->to, value)) add(x, value);
}

static void explain_block(kgi_explainer *x, kgi_blk block) {
  const kgi_ad *a = x->a;
  KGI_EACH(a->f.p, block, i) {
    const kgi_ad_slot *slot = kgi_ad_slot_of(a, i);
    if (slot) add_kept(x, i, slot);
    else if (a->flags[i] & KGI_AD_WANT && !a->block[block].open && is_news(a, i) && kgi_ad_in_slice(a, block, i)) add_recomputed(x, i);
    kgi_span owned = kgi_owned_blocks(kgi_ad_inst(a, i));
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) explain_block(x, a->f.p->inst[i].arg[k]);
  }
}

static void add_refilled(kgi_explainer *x, kgi_blk block, uint32_t object) {
  const kgi_ad *a = x->a;
  const kgi_object *o = &a->f.p->scope.object[object];
  const char *name = kgi_explain_text(x, "%s", kgi_ad_object_name(a, object));
  const char *why = kgi_explain_text(x, "its stores are run again, from line %u on", kgi_explain_line(x, a->f.object[object].first));
  add(x, (kg_grad_value){.name = name, .object = name, .line = kgi_pos_line(o->pos), .how = "refilled", .at = line_of_block(x, block),
                         .place = "", .buffer = "", .type = (kg_type)o->type, .elements = "", .why = why});
}

/* In order of objects, and then of blocks. */
static void explain_refills(kgi_explainer *x) {
  const kgi_ad *a = x->a;
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    for (kgi_blk block = KGI_BODY; block < a->f.p->block_count && a->refills.used; block++)
      if (a->f.object[o].first && kgi_pair_find(&a->refills, kgi_pair(block, o))) add_refilled(x, block, o);
}

void kgi_explain_values(kgi_explainer *x) {
  explain_block(x, KGI_BODY);
  explain_refills(x);
}
