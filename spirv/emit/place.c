/* Places in arrays of several dimensions. An access asks whether all of its indices are inside, and leaves out what is proved of
 * each; so that nothing is left to ask of the flat index, which is then only computed. */
#include "foundation/ir/place.h"
#include "spirv/lower/gen.h"

static const kgi_inst *inst_of(const kgi_emit *e, uint32_t i) { return &e->p->inst[i]; }

static bool is_flat_index(const kgi_emit *e, uint32_t i) {
  return inst_of(e, i)->kind == KGI_op && inst_of(e, i)->op == KGI_OP_flat_index;
}

/* Operand k of `user` is used by its parts alone: as the index of an access to what it is a place in, or as a row. */
static bool by_parts(const kgi_emit *e, uint32_t user, unsigned k) {
  const kgi_inst *x = inst_of(e, user);
  kgi_digits place;
  if (is_flat_index(e, user)) return k == 1;
  return k == 1 && kgi_touches(x) && kgi_place_of(e->p, user, &place);
}

/* With the rows that it is made of: nobody says that their extents are those of an array. */
static void mark_whole(kgi_emit *e, uint32_t i) {
  for (; is_flat_index(e, i) && !e->place[i].whole; i = inst_of(e, i)->arg[1]) e->place[i].whole = true;
}

void kgi_emit_find_places(kgi_emit *e) {
  for (uint32_t i = 1; i < e->p->inst_count; i++) {
    kgi_span operands = kgi_operands(inst_of(e, i));
    for (unsigned k = operands.first; inst_of(e, i)->block && k < operands.first + (unsigned)operands.count; k++)
      if (!by_parts(e, i, k)) mark_whole(e, inst_of(e, i)->arg[k]);
  }
}

/* ---- what is known of an index ---- */

static bool literal(const kgi_inst *inst, uint64_t *out) {
  if (inst->kind != KGI_literal || !kgi_is_int(inst->type)) return false;
  *out = (uint64_t)kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst));
  return true;
}

/* a <= b */
static bool is_at_most(const kgi_emit *e, uint32_t a, uint32_t b) {
  uint64_t x, y;
  return a == b || (literal(inst_of(e, a), &x) && literal(inst_of(e, b), &y) && x <= y);
}

/* local_id is below the workgroup's size, a literal or a constant. */
static bool is_lane_of(const kgi_emit *e, const kgi_inst *id, const kgi_inst *bound) {
  if (id->kind != KGI_id || id->op != KGI_ID_local_id) return false;
  const kgi_dim size = e->p->workgroup[id->arg[0]];
  const kgi_dim_node *n = &e->p->scope.dim[size.i];
  uint64_t most;
  if (bound->kind == KGI_spec) return size.i && n->op == KGI_DIM_SPEC && n->a == bound->arg[0];
  return literal(bound, &most) && (!size.i || n->op == KGI_DIM_INT) && (size.i ? (uint64_t)n->imm : 1) <= most;
}

/* The index of a loop that counts from 0 or more, and does not wrap. */
static bool is_loop_below(const kgi_emit *e, const kgi_inst *loop, uint32_t bound) {
  uint64_t from, step;
  if (loop->kind != KGI_for || !is_at_most(e, loop->arg[1], bound)) return false;
  if (loop->type == KG_U32) return true;
  bool counts = loop->type == KG_I32 && literal(inst_of(e, loop->arg[0]), &from) && literal(inst_of(e, loop->arg[2]), &step);
  return counts && (int64_t)from >= 0 && (int64_t)step > 0;
}

bool kgi_emit_is_below(const kgi_emit *e, uint32_t value, uint32_t bound) {
  uint64_t x, most;
  if (literal(inst_of(e, value), &x)) return literal(inst_of(e, bound), &most) && x < most;
  if (is_lane_of(e, inst_of(e, value), inst_of(e, bound)) || is_loop_below(e, inst_of(e, value), bound)) return true;
  for (uint32_t k = 0; k < e->fact_count; k++)
    if (e->fact[k].value == value && is_at_most(e, e->fact[k].bound, bound)) return true;
  return false;
}

/* ---- emission ---- */

static uint32_t both_hold(kgi_emit *e, uint32_t a, uint32_t b) {
  return a && b ? KGI_VALUE(&e->s, SpvOpLogicalAnd, kgi_spv_type(&e->s, KG_BOOL), a, b) : a ? a : b;
}

uint32_t kgi_gen_index(kgi_emit *e, unsigned type, uint32_t index, uint32_t extent, bool sure, bool small, uint32_t *inside) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32), boolean = kgi_spv_type(s, KG_BOOL);
  bool wide = kgi_type_bits(type) == 64;
  uint32_t above = 0;
  *inside = 0;
  if (type == KG_I32 && !sure && !small) above = KGI_VALUE(s, SpvOpSGreaterThanEqual, boolean, index, kgi_spv_const(s, KG_I32, 0));
  if (kgi_type_kind_of(type) == KGI_SINT) index = KGI_VALUE(s, SpvOpBitcast, wide ? kgi_spv_type(s, KG_U64) : u32, index);
  if (wide && !sure) extent = KGI_VALUE(s, SpvOpUConvert, kgi_spv_type(s, KG_U64), extent);
  if (!sure) *inside = KGI_VALUE(s, SpvOpULessThan, boolean, index, extent);
  *inside = both_hold(e, above, *inside);
  return wide ? KGI_VALUE(s, SpvOpUConvert, u32, index) : index;
}

/* row * extent + i; the first row is 0. */
static uint32_t joined(kgi_emit *e, uint32_t row, uint32_t extent, uint32_t index) {
  uint32_t u32 = kgi_spv_type(&e->s, KG_U32);
  return row ? KGI_VALUE(&e->s, SpvOpIAdd, u32, KGI_VALUE(&e->s, SpvOpIMul, u32, row, extent), index) : index;
}

/* All ones stand for no place. */
static uint32_t is_not_none(kgi_emit *e, uint32_t index) {
  uint32_t none = kgi_spv_u32(&e->s, UINT32_MAX);
  return KGI_VALUE(&e->s, SpvOpINotEqual, kgi_spv_type(&e->s, KG_BOOL), index, none);
}

static uint32_t or_none(kgi_emit *e, uint32_t inside, uint32_t index) {
  uint32_t none = kgi_spv_u32(&e->s, UINT32_MAX);
  return KGI_VALUE(&e->s, SpvOpSelect, kgi_spv_type(&e->s, KG_U32), inside, index, none);
}

uint32_t kgi_own_flat_index(const gen *g, const uint32_t *a) {
  kgi_emit *e = g->e;
  uint32_t inside, index = kgi_gen_index(e, g->from, a[0], a[2], false, false, &inside);
  uint32_t fine = is_not_none(e, a[1]);
  inside = both_hold(e, inside, fine);
  index = joined(e, a[1], a[2], index);
  return or_none(e, inside, index);
}

uint32_t kgi_emit_flat_index(kgi_emit *e, uint32_t i) {
  const kgi_inst *inst = inst_of(e, i);
  kgi_emit_place *place = &e->place[i], *row = &e->place[inst->arg[1]];
  bool first = inst_of(e, inst->arg[1])->kind == KGI_literal && !kgi_literal_bits(inst_of(e, inst->arg[1]));
  uint32_t above = first ? 0 : is_flat_index(e, inst->arg[1]) ? row->index : kgi_emit_value(e, inst->arg[1]);
  uint32_t index = kgi_emit_value(e, inst->arg[0]), extent = kgi_emit_value(e, inst->arg[2]);
  bool sure = kgi_emit_is_below(e, inst->arg[0], inst->arg[2]);
  index = kgi_gen_index(e, inst_of(e, inst->arg[0])->type, index, extent, sure, !place->whole, &place->inside);
  uint32_t fine = is_flat_index(e, inst->arg[1]) ? row->inside : 0;
  if (above && !is_flat_index(e, inst->arg[1])) fine = is_not_none(e, above);
  place->inside = both_hold(e, fine, place->inside);
  place->index = joined(e, above, extent, index);
  if (!place->whole || !place->inside) return place->index;
  return or_none(e, place->inside, place->index);
}
