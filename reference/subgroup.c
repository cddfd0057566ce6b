/* Subgroup operations: over runs of lanes that are neighbours in local_index, among those that are active. What a lane that is not
 * active, or not there, would give is 0. */
#include "reference/bound.h"
#include "reference/dual.h"
#include "reference/machine.h"

#include <math.h>

typedef enum fold_kind { NO_FOLD, REDUCE, INCLUSIVE, EXCLUSIVE } fold_kind;
typedef struct fold { fold_kind kind; kgi_op op; } fold;

static fold fold_of(kgi_subgroup op) {
  switch (op) {
  case KGI_SUBGROUP_add: return (fold){REDUCE, KGI_OP_add};
  case KGI_SUBGROUP_mul: return (fold){REDUCE, KGI_OP_mul};
  case KGI_SUBGROUP_min: return (fold){REDUCE, KGI_OP_min};
  case KGI_SUBGROUP_max: return (fold){REDUCE, KGI_OP_max};
  case KGI_SUBGROUP_and: return (fold){REDUCE, KGI_OP_and};
  case KGI_SUBGROUP_or: return (fold){REDUCE, KGI_OP_or};
  case KGI_SUBGROUP_xor: return (fold){REDUCE, KGI_OP_xor};
  case KGI_SUBGROUP_inclusive_add: return (fold){INCLUSIVE, KGI_OP_add};
  case KGI_SUBGROUP_inclusive_mul: return (fold){INCLUSIVE, KGI_OP_mul};
  case KGI_SUBGROUP_inclusive_min: return (fold){INCLUSIVE, KGI_OP_min};
  case KGI_SUBGROUP_inclusive_max: return (fold){INCLUSIVE, KGI_OP_max};
  case KGI_SUBGROUP_inclusive_and: return (fold){INCLUSIVE, KGI_OP_and};
  case KGI_SUBGROUP_inclusive_or: return (fold){INCLUSIVE, KGI_OP_or};
  case KGI_SUBGROUP_inclusive_xor: return (fold){INCLUSIVE, KGI_OP_xor};
  case KGI_SUBGROUP_exclusive_add: return (fold){EXCLUSIVE, KGI_OP_add};
  case KGI_SUBGROUP_exclusive_mul: return (fold){EXCLUSIVE, KGI_OP_mul};
  case KGI_SUBGROUP_exclusive_min: return (fold){EXCLUSIVE, KGI_OP_min};
  case KGI_SUBGROUP_exclusive_max: return (fold){EXCLUSIVE, KGI_OP_max};
  case KGI_SUBGROUP_exclusive_and: return (fold){EXCLUSIVE, KGI_OP_and};
  case KGI_SUBGROUP_exclusive_or: return (fold){EXCLUSIVE, KGI_OP_or};
  case KGI_SUBGROUP_exclusive_xor: return (fold){EXCLUSIVE, KGI_OP_xor};
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor:
  case KGI_SUBGROUP_shuffle_up: case KGI_SUBGROUP_shuffle_down: case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any:
  case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT:
    break;
  }
  return (fold){NO_FOLD, KGI_OP_COUNT};
}

/* What an exclusive scan gives the first lane: operating with it changes nothing. */
static uint64_t identity_bits(kgi_op op, kg_type type) {
  bool floats = kgi_is_float(type), is_signed = kgi_type_kind_of(type) == KGI_SINT;
  unsigned width = kgi_type_bits(type);
  uint64_t top = UINT64_C(1) << (width - 1), all = type == KG_BOOL ? 1 : top | (top - 1);
  uint64_t infinity = type == KG_F16 ? 0x7C00 : type == KG_F32 ? 0x7F800000 : UINT64_C(0x7FF0000000000000);
  uint64_t one = type == KG_F16 ? 0x3C00 : type == KG_F32 ? 0x3F800000 : type == KG_F64 ? UINT64_C(0x3FF0000000000000) : 1;
  if (op == KGI_OP_mul) return one;
  if (op == KGI_OP_and) return all;
  if (op == KGI_OP_min) return floats ? infinity : is_signed ? top - 1 : all;
  if (op == KGI_OP_max) return floats ? infinity | top : is_signed ? top : 0;
  return 0;
}

/* One subgroup's lanes, [first, end), and the running value with its tangents. */
typedef struct running {
  kgi_machine *m;
  const kgi_inst *x;
  uint32_t inst, first, end;
  kg_type type;
  size_t size;
  uint64_t value; /* a slot */
  bool any;
  uint32_t holders; /* of a minimum or maximum: the lanes so far whose value it is */
} running;

/* A mask says nothing of lanes outside of its range. */
static bool active(const kgi_mask *mask, uint32_t lane) { return lane >= mask->first && lane < mask->end && mask->lane[lane]; }

static const char *operand_at(const running *r, uint32_t lane) { return (const char *)r->m->slot[r->x->arg[0]] + lane * r->size; }

static double number_of(const running *r, const void *slot) { return kgi_bits_to_double(r->type, kgi_slot_bits(r->type, slot)); }

/* Lanes that hold a minimum or maximum have equal shares in it, in whatever order a device goes through them; a NaN has none. */
static void share(running *r, double best, double next, double *partial) {
  bool better = !isnan(next) && (!r->holders || next > best), tied = r->holders && next == best;
  r->holders = better ? 1 : r->holders + tied;
  partial[1] = better || tied ? 1.0 / r->holders : 0;
  partial[0] = 1 - partial[1];
}

/* How the fold follows what it was so far, and the lane. */
static void follow(running *r, kgi_op op, uint32_t lane, double *partial) {
  double operands[4] = {number_of(r, &r->value), number_of(r, operand_at(r, lane))};
  if (op == KGI_OP_max) share(r, operands[0], operands[1], partial);
  else if (op == KGI_OP_min) share(r, -operands[0], -operands[1], partial);
  else if (r->any) kgi_partials(op, operands, partial);
}

/* Tangents lie in m->fold: [direction][tangent, magnitude]. */
static void fold_tangents(running *r, kgi_op op, uint32_t lane) {
  kgi_machine *m = r->m;
  double partial[4] = {0, 1};
  if (!m->tangent[r->inst]) return;
  if (kgi_is_float(r->type)) follow(r, op, lane, partial);
  else if (r->any) partial[0] = partial[1] = NAN; /* bits of a float are no more (bits.c) */
  for (uint32_t k = 0; k < m->tangents; k++) {
    size_t at = (size_t)k * m->lanes + lane;
    const double *t = m->tangent[r->x->arg[0]], *weight = m->magnitude[r->x->arg[0]];
    double old[2] = {r->any ? m->fold[2 * k] : 0, r->any ? m->fold[2 * k + 1] : 0};
    m->fold[2 * k] = kgi_part(partial[0], old[0]) + (t ? kgi_part(partial[1], t[at]) : 0);
    m->fold[2 * k + 1] = kgi_weight(partial[0], old[1]) + (t ? kgi_weight(partial[1], weight[at]) : 0);
  }
}

static void fold_lane(running *r, kgi_op op, uint32_t lane) {
  uint64_t next = 0;
  fold_tangents(r, op, lane);
  if (r->any) kgi_lanes(op, r->type, r->type)(&next, (const void *const[]){&r->value, operand_at(r, lane)}, 1);
  else memcpy(&next, operand_at(r, lane), r->size);
  r->value = next;
  r->any = true;
}

static void give(running *r, uint32_t lane, kgi_op op) {
  kgi_machine *m = r->m;
  uint64_t nothing = 0;
  if (!r->any) kgi_slot_set(r->type, identity_bits(op, r->type), &nothing);
  memcpy((char *)m->slot[r->inst] + lane * r->size, r->any ? &r->value : &nothing, r->size);
  for (uint32_t k = 0; m->tangent[r->inst] && k < m->tangents; k++) {
    size_t at = (size_t)k * m->lanes + lane;
    m->tangent[r->inst][at] = r->any ? m->fold[2 * k] : 0;
    m->magnitude[r->inst][at] = r->any ? m->fold[2 * k + 1] : 0;
  }
}

static void fold_group(running *r, fold f, const kgi_mask *mask) {
  for (uint32_t l = r->first; l < r->end; l++) {
    if (!active(mask, l)) continue;
    if (f.kind == EXCLUSIVE) give(r, l, f.op);
    fold_lane(r, f.op, l);
    if (f.kind == INCLUSIVE) give(r, l, f.op);
  }
  for (uint32_t l = r->first; l < r->end && f.kind == REDUCE; l++)
    if (active(mask, l)) give(r, l, f.op);
}

/* ---- moves ---- */

static uint32_t first_active(const running *r, const kgi_mask *mask) {
  uint32_t l = r->first;
  while (l < r->end && !active(mask, l)) l++;
  return l;
}

/* The lane whose value moves here, or r->end. Distances wrap in 32 bits, as the language's u32 do. */
static uint32_t source(const running *r, const kgi_mask *mask, uint32_t lane) {
  uint32_t own = lane - r->first, from, by = 0;
  if (r->x->arg[1]) by = ((const uint32_t *)r->m->slot[r->x->arg[1]])[lane];
  switch ((int)r->x->op) {
  case KGI_SUBGROUP_broadcast_first: return first_active(r, mask);
  case KGI_SUBGROUP_shuffle_xor: from = own ^ by; break;
  case KGI_SUBGROUP_shuffle_up: from = own - by; break;
  case KGI_SUBGROUP_shuffle_down: from = own + by; break;
  default: from = by; break; /* broadcast, shuffle */
  }
  bool there = from < r->end - r->first && active(mask, r->first + from);
  return there ? r->first + from : r->end;
}

static void move_lane(running *r, const kgi_mask *mask, uint32_t lane) {
  kgi_machine *m = r->m;
  uint32_t from = source(r, mask, lane);
  char *to = (char *)m->slot[r->inst] + lane * r->size;
  const double *t = m->tangent[r->x->arg[0]], *weight = m->magnitude[r->x->arg[0]];
  bool there = from < r->end;
  if (there) memcpy(to, operand_at(r, from), r->size);
  else memset(to, 0, r->size);
  if (m->bound) kgi_bound_move(m, r->inst, lane, there ? from : KGI_SURE);
  for (uint32_t k = 0; m->tangent[r->inst] && k < m->tangents; k++) {
    size_t row = (size_t)k * m->lanes;
    m->tangent[r->inst][row + lane] = there && t ? t[row + from] : 0;
    m->magnitude[r->inst][row + lane] = there && t ? weight[row + from] : 0;
  }
}

/* ---- votes ---- */

static uint32_t vote(const running *r, const kgi_mask *mask, uint32_t lane) {
  const uint32_t *flag = r->m->slot[r->x->arg[0]];
  uint32_t any = 0, all = 1, word = 0;
  uint32_t which = r->x->op == KGI_SUBGROUP_ballot ? ((const uint32_t *)r->m->slot[r->x->arg[1]])[lane] : 0;
  if (r->x->op == KGI_SUBGROUP_elect) return lane == first_active(r, mask);
  for (uint32_t l = r->first; l < r->end; l++) {
    if (!active(mask, l)) continue;
    any |= flag[l], all &= flag[l];
    if ((l - r->first) / 32 == which) word |= flag[l] << (l - r->first) % 32;
  }
  return r->x->op == KGI_SUBGROUP_any ? any : r->x->op == KGI_SUBGROUP_all ? all : word;
}

static bool is_vote(kgi_subgroup op) {
  return op == KGI_SUBGROUP_ballot || op == KGI_SUBGROUP_any || op == KGI_SUBGROUP_all || op == KGI_SUBGROUP_elect;
}

void kgi_exec_subgroup(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  fold f = fold_of((kgi_subgroup)x->op);
  uint32_t end = mask->end;
  if (m->bound) kgi_bound_subgroup(m, i, mask);
  for (uint32_t first = mask->first / m->subgroup * m->subgroup; first < end; first += m->subgroup) {
    running r = {.m = m, .x = x, .inst = i, .first = first, .end = first + m->subgroup, .type = (kg_type)x->type};
    if (r.end > m->lanes) r.end = m->lanes;
    r.size = kgi_slot_size(r.type);
    if (f.kind != NO_FOLD) fold_group(&r, f, mask);
    for (uint32_t l = r.first; f.kind == NO_FOLD && l < r.end; l++) {
      if (!active(mask, l)) continue;
      if (is_vote((kgi_subgroup)x->op)) ((uint32_t *)m->slot[i])[l] = vote(&r, mask, l);
      else move_lane(&r, mask, l);
    }
  }
}
