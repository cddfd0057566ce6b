/* The forward walk of cleaning: every operation is folded, then looked up among those computed before it in this block or one
 * around it; loads take what is known to be there. */
#include "foundation/passes/clean.h"
#include "foundation/ir/fold.h"
#include "foundation/ir/place.h"
#include "foundation/base/limits.h"
#include "foundation/base/set.h"
#include "foundation/ir/views.h"

#include <string.h>

/* What an object's element is known to hold. */
typedef struct known { uint32_t index, value, place, epoch; kgi_blk scope; } known;
typedef struct entry { uint32_t hash, inst; } entry; /* the hash beside it spares a look at most other instructions */
typedef struct loop { uint32_t first, last; } loop; /* places */

typedef struct walk {
  kgi_cleaner *c;
  kgi_program *p;
  uint32_t count;              /* instructions when the walk began; those made since are not in the tables */
  uint32_t *to;                /* what stands for a removed instruction */
  uint32_t *place;             /* numbers in order of execution; ... */
  uint32_t *last_inside;       /* ... and of the last one inside */
  kgi_blk *scope;              /* of each block: itself, or the one around a region */
  uint8_t *open;               /* of each scope: the walk is inside */
  known *known;                /* of each object */
  kgi_blocks blocks;
  uint32_t *store_begin, *store_place; /* places that write each object, ascending; [object] .. [object + 1) */
  uint32_t *fence_place, fence_count;  /* places of barriers and atomics */
  uint32_t epoch, shared_epoch; /* of what was passed that orders accesses: of buffers, and of shared memory */
  loop loops[KGI_MAX_DEPTH + 1];
  unsigned depth;
  entry *table;                /* open addressing, at most half full: entries leave in the reverse order of their coming */
  uint32_t mask;
  uint32_t *filled, entry_count; /* places in the table, in the order of coming */
} walk;

/* ---- places ---- */

static bool changes(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_WRITES | KGI_DECLARES); }
static bool fences(const kgi_inst *inst) { return kgi_orders(inst) || inst->kind == KGI_atomic; }

static uint32_t number(walk *w, kgi_blk block, uint32_t at) {
  const kgi_inst *owner = &w->p->inst[w->p->block[block].owner];
  w->scope[block] = owner->kind == KGI_region ? w->scope[owner->block] : block;
  KGI_EACH(w->p, block, i) {
    const kgi_inst *inst = &w->p->inst[i];
    w->place[i] = ++at;
    if (changes(inst)) w->store_begin[kgi_object_of(inst) + 1]++;
    w->fence_count += fences(inst);
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned n = 0; n < blocks.count; n++) at = number(w, inst->arg[blocks.first + n], at);
    w->last_inside[i] = at;
  }
  return at;
}

/* Fills the lists that `number` counted, in ascending order. */
static void list_places(walk *w, uint32_t *fill) {
  uint32_t fence = 0;
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) {
    const kgi_inst *inst = &w->p->inst[i];
    if (changes(inst)) w->store_place[fill[kgi_object_of(inst)]++] = w->place[i];
    if (fences(inst)) w->fence_place[fence++] = w->place[i];
  }
}

static bool any_between(const uint32_t *list, uint32_t count, loop l) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list[middle] < l.first) low = middle + 1; else high = middle;
  }
  return low < count && list[low] <= l.last;
}

static void prepare(walk *w) {
  kgi_arena *arena = &w->c->scratch;
  uint32_t objects = w->p->scope.object_count, places = 32;
  w->count = w->p->inst_count;
  w->to = kgi_arena_alloc(arena, w->count, sizeof *w->to);
  w->place = kgi_arena_alloc(arena, w->count, sizeof *w->place);
  w->last_inside = kgi_arena_alloc(arena, w->count, sizeof *w->last_inside);
  w->scope = kgi_arena_alloc(arena, w->p->block_count, sizeof *w->scope);
  w->open = kgi_arena_alloc(arena, w->p->block_count, 1);
  w->known = kgi_arena_alloc(arena, objects, sizeof *w->known);
  w->store_begin = kgi_arena_alloc(arena, (size_t)objects + 1, sizeof *w->store_begin);
  while (places / 2 < w->count && places < UINT32_C(1) << 30) places *= 2;
  w->mask = places - 1;
  w->table = kgi_arena_alloc(arena, places, sizeof *w->table);
  w->filled = kgi_arena_alloc(arena, places / 2, sizeof *w->filled);
  uint32_t *fill = kgi_arena_alloc(arena, objects, sizeof *fill);
  if (!kgi_overlaps_find(&w->blocks, arena, &w->p->scope)) return;
  number(w, KGI_BODY, 0);
  for (uint32_t i = 0; i < objects; i++) w->store_begin[i + 1] += w->store_begin[i], fill[i] = w->store_begin[i];
  w->store_place = kgi_arena_alloc(arena, w->store_begin[objects], sizeof *w->store_place);
  w->fence_place = kgi_arena_alloc(arena, w->fence_count, sizeof *w->fence_place);
  if (!arena->failed) list_places(w, fill);
}

/* Where a workgroup has one dimension, there is one way to say which of it an invocation is. */
static void name_lanes(walk *w) {
  for (uint32_t i = 1; i < w->count && !w->p->workgroup[1].i && !w->p->workgroup[2].i; i++)
    if (w->p->inst[i].kind == KGI_id && w->p->inst[i].op == KGI_ID_local_index) w->to[i] = kgi_id_value(&w->c->b, KGI_ID_local_id, 0).i;
}

/* The length of a var becomes a literal, or a constant: that may stand where the var is not in scope. */
static void measure_vars(walk *w) {
  const kgi_scope *s = &w->p->scope;
  for (uint32_t i = 1; i < w->count; i++) {
    const kgi_object *o = &s->object[w->p->inst[i].kind == KGI_len ? w->p->inst[i].arg[0] : 0];
    uint32_t which = w->p->inst[i].kind == KGI_len ? w->p->inst[i].arg[1] : 0;
    const kgi_dim_node *length = &s->dim[which ? o->extent[which - 1].i : o->length.i];
    if (o->space == KGI_VAR && (o->scalar || length->op == KGI_DIM_INT))
      w->to[i] = kgi_u32(&w->c->b, o->scalar ? 1 : (uint32_t)length->imm).i;
    else if (o->space == KGI_VAR && length->op == KGI_DIM_SPEC && s->spec[length->a].type == KG_U32)
      w->to[i] = kgi_spec_value(&w->c->b, length->a).i;
  }
}

/* ---- replacement and numbering ---- */

static uint32_t resolve(const walk *w, uint32_t value) {
  while (value < w->count && w->to[value]) value = w->to[value];
  return value;
}

/* The name of a let survives in what stands for it. */
static void replace(walk *w, uint32_t i, uint32_t value) {
  kgi_program *p = w->p;
  if (!p->inst_name[value].i && !kgi_is_leaf(p->inst[value].kind)) p->inst_name[value] = p->inst_name[i];
  w->to[i] = value;
  kgi_remove(p, i);
  w->c->changed = true;
}

static void resolve_operands(walk *w, uint32_t i) {
  kgi_inst *inst = &w->p->inst[i];
  kgi_span operands = kgi_operands(inst);
  for (unsigned n = 0; n < operands.count; n++) {
    uint32_t *arg = &inst->arg[operands.first + n];
    *arg = resolve(w, *arg);
  }
}

static bool same_value(const kgi_inst *x, const kgi_inst *y) {
  bool turned = x->kind == KGI_op && kgi_op_rows[x->op].flags & KGI_COMMUTES && x->arg[0] == y->arg[1] && x->arg[1] == y->arg[0];
  return x->kind == y->kind && x->op == y->op && x->type == y->type && (turned || !memcmp(x->arg, y->arg, sizeof x->arg));
}

static uint32_t hash_of(const kgi_inst *x) {
  uint32_t key[5] = {(uint32_t)x->kind << 16 | (uint32_t)x->op << 8 | x->type, x->arg[0], x->arg[1], x->arg[2], x->arg[3]};
  if (x->kind == KGI_op && kgi_op_rows[x->op].flags & KGI_COMMUTES && key[1] > key[2]) key[1] = x->arg[1], key[2] = x->arg[0];
  return (uint32_t)kgi_hash(key, sizeof key);
}

/* The places in which an instruction is looked for: a few near that of its latest operand, so that a long walk stays within the
 * cache, and then, where an operand has many users, from one that the hash says. */
typedef struct probe { uint32_t hash, at, tried; } probe;

static probe first_place(const walk *w, const kgi_inst *x) {
  uint32_t latest = x->arg[0], hash = hash_of(x);
  for (unsigned n = 1; n < 4; n++) latest = x->arg[n] > latest ? x->arg[n] : latest;
  return (probe){.hash = hash, .at = (2 * latest + hash % 4) & w->mask};
}

static void next_place(const walk *w, probe *p) {
  p->at = (++p->tried == KGI_LIMIT(clean_near) ? p->hash : p->at + 1) & w->mask;
}

/* The instruction computed before that gives the same; else `i` becomes the one. */
static uint32_t find_or_add(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  probe p = first_place(w, inst);
  for (; w->table[p.at].inst; next_place(w, &p))
    if (w->table[p.at].hash == p.hash && same_value(&w->p->inst[w->table[p.at].inst], inst)) return w->table[p.at].inst;
  if (w->entry_count > w->mask / 2) return 0; /* only in a program that grew while it was walked */
  w->table[p.at] = (entry){p.hash, i};
  w->filled[w->entry_count++] = p.at;
  return 0;
}

static void forget_entries(walk *w, uint32_t count) {
  while (w->entry_count > count) w->table[w->filled[--w->entry_count]] = (entry){0};
}

static void visit_pure(walk *w, uint32_t i) {
  w->c->b.at = kgi_before(w->p, i);
  w->c->b.pos = w->p->inst_pos[i];
  kgi_inst copy = w->p->inst[i];
  uint32_t value = copy.kind == KGI_op ? kgi_fold(&w->c->b, &copy).i : 0;
  if (!value) value = find_or_add(w, i);
  if (value) replace(w, i, value);
}

/* ---- memory ---- */

/* Nobody but the invocation stores to it; or those who do would race, but for what stands in the text between two accesses. In a barrier
 * interval with an access to an element of shared memory no other invocation stores to it, whatever stands before or behind. */
static bool is_seen(const walk *w, uint32_t object) { return w->p->scope.object[object].space != KGI_BUFFER; }

static uint32_t epoch_of(const walk *w, uint32_t object) {
  unsigned space = w->p->scope.object[object].space;
  return space == KGI_VAR ? 0 : space == KGI_SHARED ? w->shared_epoch : w->epoch;
}

/* Still so here: the block of the access has not been left, and no loop entered since may write it again. */
static bool still_known(const walk *w, uint32_t object) {
  const known *k = &w->known[object];
  bool seen = is_seen(w, object);
  if (!k->scope || !w->open[k->scope] || k->epoch != epoch_of(w, object)) return false;
  for (unsigned d = 0; d < w->depth; d++) {
    if (w->loops[d].first <= k->place) continue;
    uint32_t begin = w->store_begin[object], end = w->store_begin[object + 1];
    return !any_between(w->store_place + begin, end - begin, w->loops[d]) &&
           (seen || !any_between(w->fence_place, w->fence_count, w->loops[d]));
  }
  return true;
}

static void learn(walk *w, uint32_t object, uint32_t i, uint32_t index, uint32_t value) {
  w->known[object] = (known){index, value, w->place[i], epoch_of(w, object), w->scope[w->p->inst[i].block]};
}

static bool knows(const walk *w, uint32_t object, uint32_t index) {
  return w->known[object].index == index && still_known(w, object);
}

/* Of views that may overlap, and of which one is written, nothing is remembered: a store to one may change what lies under another. */

static void visit_load(walk *w, uint32_t i) {
  uint32_t object = w->p->inst[i].arg[0], index = w->p->inst[i].arg[1];
  if (!w->blocks.written[object]) visit_pure(w, i);
  else if (w->blocks.aliased[object]) return;
  else if (knows(w, object, index)) replace(w, i, w->known[object].value);
  else learn(w, object, i, index, i);
}

/* Literals, and indices of loops that end at one. */
static bool is_below(const walk *w, uint32_t value, bool from_loop, uint64_t end) {
  const kgi_inst *at = &w->p->inst[value];
  if (from_loop) return at->kind == KGI_for && is_below(w, at->arg[0], false, UINT64_MAX) && is_below(w, at->arg[1], false, end + 1);
  return at->kind == KGI_literal && kgi_bits_to_int((kg_type)at->type, kgi_literal_bits(at)) >= 0 && kgi_literal_bits(at) < end;
}

/* Whether a load of the element gives back exactly what was stored: not out of bounds, and nothing lost in conversion. */
static bool is_within(const walk *w, uint32_t index, kgi_dim extent) {
  const kgi_dim_node *length = &w->p->scope.dim[extent.i];
  if (length->op != KGI_DIM_INT || length->imm <= 0) return false;
  return is_below(w, index, false, (uint64_t)length->imm) || is_below(w, index, true, (uint64_t)length->imm);
}

/* Of a workgroup in one dimension, which the object has an element for each of. */
static bool is_lane_within(const walk *w, uint32_t index, kgi_dim extent) {
  const kgi_inst *at = &w->p->inst[index];
  const kgi_dim_node *size = &w->p->scope.dim[w->p->workgroup[0].i], *length = &w->p->scope.dim[extent.i];
  if (at->kind != KGI_id || (at->op != KGI_ID_local_id && at->op != KGI_ID_local_index) || at->arg[0]) return false;
  if (w->p->workgroup[1].i || w->p->workgroup[2].i) return false;
  return w->p->workgroup[0].i == extent.i || (size->op == KGI_DIM_INT && length->op == KGI_DIM_INT && size->imm <= length->imm);
}

static bool gives_back(const walk *w, uint32_t object, uint32_t index) {
  const kgi_object *o = &w->p->scope.object[object];
  kgi_digits place;
  if (kgi_type_value(o->type) != o->type) return false;
  if (o->scalar || o->space == KGI_BUFFER) return o->scalar;
  if (!kgi_place_read(w->p, object, index, &place)) return is_within(w, index, o->length) || is_lane_within(w, index, o->length);
  for (unsigned k = 0; k < o->rank; k++)
    if (!is_within(w, place.value[k], o->extent[k])) return false;
  return true;
}

static void visit_store(walk *w, uint32_t i) {
  uint32_t object = w->p->inst[i].arg[0], index = w->p->inst[i].arg[1], value = w->p->inst[i].arg[2];
  if (w->blocks.aliased[object]) return;
  if (knows(w, object, index) && w->known[object].value == value) {
    kgi_remove(w->p, i);
    w->c->changed = true;
  } else if (gives_back(w, object, index)) {
    learn(w, object, i, index, value);
  } else {
    w->known[object].scope = 0;
  }
}

/* ---- control ---- */

static void visit_block(walk *w, kgi_blk block);

static void visit_scope(walk *w, kgi_blk block) {
  uint32_t entries = w->entry_count;
  const kgi_inst *owner = &w->p->inst[w->p->block[block].owner];
  bool is_scope = owner->kind != KGI_region;
  /* The region may have been moved since its scope was noted, with the rest of a branch that is taken. */
  if (!is_scope) w->scope[block] = w->scope[owner->block];
  w->open[w->scope[block]] = 1;
  visit_block(w, block);
  if (!is_scope) return;
  w->open[block] = 0;
  forget_entries(w, entries);
}

/* Nothing runs behind a jump. */
static void cut_behind(walk *w, kgi_blk block) {
  bool cut = false;
  for (uint32_t i = w->p->block[block].first, next; i; i = next) {
    next = w->p->inst[i].next;
    if (cut) kgi_remove(w->p, i);
    cut |= kgi_ends(&w->p->inst[i]);
  }
}

/* Nor behind a region that ends with one, and what stands there may use what was cut inside: a plain region does not scope. */
static void cut_behind_region(walk *w, uint32_t region) {
  const kgi_inst *end = &w->p->inst[region];
  while (kgi_is_region(end)) end = &w->p->inst[w->p->block[end->arg[0]].last];
  if (!kgi_ends(end)) return;
  while (w->p->inst[region].next) kgi_remove(w->p, w->p->inst[region].next), w->c->changed = true;
}

/* Puts the side that is taken in place of the if; returns what comes next. */
static uint32_t decide(walk *w, uint32_t i, bool condition) {
  kgi_program *p = w->p;
  kgi_blk outer = p->inst[i].block, side = p->inst[i].arg[condition ? 1 : 2];
  kgi_cursor at = kgi_behind(p, i);
  for (uint32_t n = side ? p->block[side].first : 0, next; n; n = next) {
    next = p->inst[n].next;
    kgi_move(p, n, at);
    at.after = n;
  }
  uint32_t next = p->inst[i].next;
  kgi_remove(p, i);
  w->c->changed = true;
  cut_behind(w, outer);
  return next;
}

static void visit_loop(walk *w, uint32_t i) {
  w->loops[w->depth++] = (loop){w->place[i], w->last_inside[i]};
  if (w->p->inst[i].kind == KGI_for) {
    visit_scope(w, w->p->inst[i].arg[3]);
  } else {
    visit_scope(w, w->p->inst[i].arg[1]);
    w->p->inst[i].arg[0] = resolve(w, w->p->inst[i].arg[0]);
    visit_scope(w, w->p->inst[i].arg[2]);
  }
  w->depth--;
}

static bool never_runs(const kgi_program *p, const kgi_inst *inst) {
  const kgi_inst *from = &p->inst[inst->arg[0]], *to = &p->inst[inst->arg[1]];
  if (from->kind != KGI_literal || to->kind != KGI_literal) return inst->arg[0] == inst->arg[1];
  if (kgi_type_kind_of(inst->type) == KGI_UINT) return kgi_literal_bits(to) <= kgi_literal_bits(from);
  return kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(to)) <= kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(from));
}

/* Returns what comes next. */
static uint32_t visit_control(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  uint32_t next = inst->next;
  const kgi_inst *condition = &w->p->inst[inst->arg[0]];
  if (inst->kind == KGI_if && condition->kind == KGI_literal) return decide(w, i, condition->arg[0] != 0);
  if (inst->kind == KGI_for && never_runs(w->p, inst)) {
    kgi_remove(w->p, i);
    w->c->changed = true;
  } else if (inst->kind == KGI_if) {
    visit_scope(w, inst->arg[1]);
    if (w->p->inst[i].arg[2]) visit_scope(w, w->p->inst[i].arg[2]);
  } else if (kgi_is_region(inst)) {
    visit_scope(w, inst->arg[0]);
    cut_behind_region(w, i);
    next = w->p->inst[i].next;
  } else {
    visit_loop(w, i);
  }
  return next;
}

static uint32_t visit(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  uint32_t next = inst->next;
  if (inst->kind != KGI_while) resolve_operands(w, i);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: visit_pure(w, i); return next;
  case KGI_load: visit_load(w, i); return next;
  case KGI_store: visit_store(w, i); return next;
  case KGI_var: w->known[inst->arg[0]].scope = 0; return next;
  case KGI_atomic: w->known[inst->arg[0]].scope = 0, w->epoch++; return next;
  case KGI_barrier: w->epoch++; return next;
  case KGI_memory_barrier: w->epoch++, w->shared_epoch++; return next;
  case KGI_if: case KGI_for: case KGI_while: case KGI_region: case KGI_checkpoint: return visit_control(w, i);
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_subgroup: case KGI_check:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_KIND_COUNT: break;
  }
  return next;
}

/* What folding makes stands before the walk, and is met in the next round. */
static void visit_block(walk *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first; i && !w->c->scratch.failed && w->c->b.status == KG_OK;) i = visit(w, i);
}

void kgi_clean_values(kgi_cleaner *c) {
  walk *w = kgi_arena_alloc(&c->scratch, 1, sizeof *w);
  if (!w) return;
  w->c = c, w->p = c->p;
  prepare(w);
  if (c->scratch.failed) return;
  measure_vars(w);
  name_lanes(w);
  visit_scope(w, KGI_BODY);
}
