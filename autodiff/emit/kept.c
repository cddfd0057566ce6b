/* Slots: where values lie from when they were computed until the reverse sweep comes to them. All that keeps a value, or gets it back,
 * comes by here. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/place.h"

#include <stdio.h>

static bool is_array(const kgi_ad_slot *slot) { return slot->place == KGI_AD_ARRAY; }

static bool is_constant(const kgi_scope *s, kgi_dim dim, uint32_t spec) {
  return s->dim[dim.i].op == KGI_DIM_SPEC && s->dim[dim.i].a == spec;
}

static bool is_extent(const kgi_scope *s, const kgi_object *o, uint32_t spec) {
  bool found = is_constant(s, o->length, spec);
  for (unsigned k = 0; o->rank > 1 && k < o->rank; k++) found |= is_constant(s, o->extent[k], spec);
  return found;
}

/* At least 1 in any case: as large as the workgroup, or memory of its own, along one axis. */
static bool is_a_size(const kgi_program *p, uint32_t spec) {
  bool size = false;
  for (unsigned k = 0; k < 3; k++) size |= is_constant(&p->scope, p->workgroup[k], spec);
  for (uint32_t o = kgi_buffer_end(&p->scope); o < p->scope.object_count; o++) size |= is_extent(&p->scope, &p->scope.object[o], spec);
  return size;
}

/* How many trips the constant means: itself, or so many strips. It may be specialized to no trip at all, but no array has less than one
 * element. */
static kgi_dim constant_length(kgi_emission *e, const kgi_ad_loop *l) {
  kgi_dim trips = kgi_len_spec(e->b, l->spec);
  if (!is_a_size(e->p, l->spec)) trips = kgi_len_op(e->b, KGI_DIM_MAX, trips, kgi_len_int(e->b, 1));
  if (!l->by) return trips;
  kgi_dim up = kgi_len_op(e->b, KGI_DIM_ADD, trips, kgi_len_int(e->b, l->by - 1));
  return kgi_len_op(e->b, KGI_DIM_DIV, up, kgi_len_int(e->b, l->by));
}

static kgi_val constant_trips(kgi_emission *e, const kgi_ad_loop *l) {
  kgi_val trips = kgi_convert(e->b, KG_U32, kgi_spec_value(e->b, l->spec));
  if (!l->by) return trips;
  kgi_val up = kgi_op2(e->b, KGI_OP_add, trips, kgi_u32(e->b, l->by - 1)), by = kgi_u32(e->b, l->by);
  return kgi_op2(e->b, KGI_OP_div, up, by);
}

static uint32_t innermost(const kgi_emission *e, const kgi_ad_slot *slot, uint32_t outer) {
  return kgi_ad_dimension(e->a, slot->alike, e->f->block[e->p->inst[slot->value].block].loop, outer);
}

/* One literal, or a product of constants. */
static kgi_dim array_length(kgi_emission *e, const kgi_ad_slot *slot) {
  kgi_dim length = {0};
  uint32_t rest = slot->trips;
  uint32_t outer = e->f->block[slot->block].loop, loop = innermost(e, slot, outer);
  for (; loop != outer; loop = kgi_ad_next_dimension(e->a, slot->alike, loop, outer)) {
    const kgi_ad_loop *l = kgi_ad_loop_at(e->a, loop);
    if (!l->spec) continue;
    kgi_dim factor = constant_length(e, l);
    length = length.i ? kgi_len_op(e->b, KGI_DIM_MUL, length, factor) : factor;
    rest /= l->few;
  }
  if (!length.i) return kgi_len_int(e->b, rest);
  return rest == 1 ? length : kgi_len_op(e->b, KGI_DIM_MUL, kgi_len_int(e->b, rest), length);
}

void kgi_ad_declare_slots(kgi_emission *e, kgi_blk block) {
  for (uint32_t s = e->a->block[block].slots; s; s = e->a->slot[s - 1].next) {
    const kgi_ad_slot *slot = &e->a->slot[s - 1];
    uint32_t v = slot->value;
    const char *name = kgi_string(e->f->work, e->p->inst_name[v]);
    if (!*name && e->p->inst[v].kind == KGI_load) name = kgi_ad_object_name(e->a, e->p->inst[v].arg[0]);
    kgi_dim length = is_array(slot) ? array_length(e, slot) : (kgi_dim){0};
    e->b->pos = e->p->inst_pos[v];
    e->slot_var[s - 1] = kgi_var(e->b, kgi_ad_free_name(e, "kept_", *name ? name : "value"), (kg_type)e->p->inst[v].type, length);
  }
}

/* ---- trips ---- */

/* Which trip of the loop it is, from its index, which is at hand forward and in reverse. A range may be wider than half the type. */
static kgi_val trip_of(kgi_emission *e, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(e->a, loop);
  if (inst->kind == KGI_while) return (kgi_val){e->map[kgi_counted(e->f, loop).trip]};
  kgi_val from = kgi_ad_leaf(e, inst->arg[0]), step = kgi_ad_leaf(e, inst->arg[2]);
  kg_type natural = kgi_type_bits(inst->type) == 64 ? KG_U64 : KG_U32;
  kgi_val way = kgi_op2(e->b, KGI_OP_sub, (kgi_val){e->map[loop]}, from);
  way = kgi_convert(e->b, natural, way);
  step = kgi_convert(e->b, natural, step);
  return kgi_convert(e->b, KG_U32, kgi_op2(e->b, KGI_OP_div, way, step));
}

static kgi_val plus(kgi_emission *e, kgi_val sum, kgi_val rest) { return sum.i ? kgi_op2(e->b, KGI_OP_add, sum, rest) : rest; }

/* Forward it is asserted that no trip is past the room for it, unless that is proved. */
static void assert_room(kgi_emission *e, uint32_t loop, kgi_val trip, kgi_val most) {
  char message[200];
  snprintf(message, sizeof message,
           "the gradient keeps fewer trips of the loop in line %u: state `limit N` behind the condition of a while, end a for at min(end, begin + N)%s",
           (unsigned)kgi_pos_line(e->p->inst_pos[loop]), kgi_ad_loop_at(e->a, loop)->assumed ? ", or take the gradient with --trips N" : "");
  if (!kgi_ad_loop_at(e->a, loop)->proved) kgi_assert(e->b, kgi_op2(e->b, KGI_OP_lt, trip, most), message);
}

/* The number of the trip, over all loops between, outermost first. */
static kgi_val element(kgi_emission *e, const kgi_ad_slot *slot, bool forward) {
  kgi_val index = {0}, stride = {0};
  uint32_t outer = e->f->block[slot->block].loop, loop = innermost(e, slot, outer);
  for (; loop != outer; loop = kgi_ad_next_dimension(e->a, slot->alike, loop, outer)) {
    kgi_val trip = trip_of(e, loop);
    const kgi_ad_loop *l = kgi_ad_loop_at(e->a, loop);
    kgi_val few = l->spec ? constant_trips(e, l) : kgi_u32(e->b, l->few);
    if (forward && !l->spec) assert_room(e, loop, trip, few);
    if (stride.i) trip = kgi_op2(e->b, KGI_OP_mul, trip, stride);
    index = index.i ? kgi_op2(e->b, KGI_OP_add, trip, index) : trip;
    stride = stride.i ? kgi_op2(e->b, KGI_OP_mul, stride, few) : few;
  }
  return index;
}

/* ---- tapes ---- */

static uint32_t add_param(kgi_emission *e, const char *name) {
  kgi_param param = {.name = kgi_intern_z(e->b->m, kgi_ad_free_name(e, "tape_", name)), .pos = e->p->pos, .type = KG_U32};
  return kgi_param_add(e->b, &param);
}

static bool in_repeat(const kgi_emission *e) { return e->a->rounds.i; }

/* What hosts know of tapes: their extents, and which round of a repeat it is. */
void kgi_ad_declare_tape_params(kgi_emission *e) {
  if (!e->a->tape_count) return;
  e->tape_param.lanes = add_param(e, "lanes");
  if (in_repeat(e)) e->tape_param.rounds = add_param(e, "rounds");
  if (in_repeat(e)) e->tape_param.round = add_param(e, "round");
  for (uint32_t k = 0; k < e->a->loop_count; k++)
    if (e->a->loop[k].taped) e->tape_param.trips[k] = add_param(e, "trips");
}

static void times(kgi_emission *e, kgi_dim *product, uint32_t param) {
  kgi_dim factor = kgi_len_param(e->b, param);
  *product = product->i ? kgi_len_op(e->b, KGI_DIM_MUL, *product, factor) : factor;
}

void kgi_ad_declare_tapes(kgi_emission *e) {
  for (uint32_t t = 0; t < e->a->tape_count; t++) {
    const kgi_ad_tape *tape = &e->a->tape[t];
    kgi_object buffer = {.name = kgi_intern_z(e->b->m, kgi_ad_free_name(e, "", "tape")), .pos = e->p->pos, .space = KGI_BUFFER,
                         .type = (uint8_t)tape->type, .mode = KG_READ_WRITE};
    kgi_dim extent[3] = {{0}}, rows = {0};
    unsigned rank = 0;
    if (e->mode == KGI_EMIT_FORWARD && kgi_ad_is_own(tape)) continue;
    if (in_repeat(e) && !kgi_ad_is_own(tape)) times(e, &rows, e->tape_param.rounds);
    uint32_t end = kgi_ad_tape_end(e->a, tape), loop = kgi_ad_dimension(e->a, tape->alike, tape->loop, end);
    for (; loop != end; loop = kgi_ad_next_dimension(e->a, tape->alike, loop, end))
      times(e, &rows, e->tape_param.trips[e->a->loop_of[loop] - 1]);
    if (rows.i) extent[rank++] = rows;
    if (tape->values > 1) extent[rank++] = kgi_len_int(e->b, tape->values);
    if (tape->each.i) extent[rank++].i = e->dim_map[e->p->scope.object[tape->object].length.i];
    extent[rank++] = kgi_len_param(e->b, e->tape_param.lanes);
    if (rank > 1) kgi_set_extents(e->b, &buffer, extent, rank);
    else buffer.length = extent[0];
    e->tape[t] = kgi_object_add(e->b, &buffer);
  }
}

static bool has_axis(const kgi_emission *e, unsigned k) {
  return e->p->workgroup[k].i || e->p->grid[k].i || e->f->work->item[e->a->req.item].grid[k].i;
}

/* The number of the invocation in the grid. */
static kgi_val lane(kgi_emission *e) {
  kgi_builder *b = e->b;
  kgi_val lane = {0};
  for (unsigned k = 3; k-- > 0;) {
    if (k && !has_axis(e, k)) continue;
    kgi_val id = kgi_id_value(b, KGI_ID_global_id, k);
    if (lane.i) {
      kgi_val groups = kgi_id_value(b, KGI_ID_num_workgroups, k), size = kgi_id_value(b, KGI_ID_workgroup_size, k);
      lane = kgi_op2(b, KGI_OP_mul, lane, kgi_op2(b, KGI_OP_mul, groups, size));
    }
    lane = plus(e, lane, id);
  }
  return lane;
}

/* The host counts the invocations with constants as they are by default. */
static bool may_be_more_lanes(const kgi_emission *e) {
  bool own_grid = !kgi_dim_is_set(e->f->work->item[e->a->req.item].grid), more = false;
  for (unsigned k = 0; k < 3; k++) {
    more |= kgi_ad_names_constant(&e->p->scope, e->p->workgroup[k]);
    more |= own_grid && kgi_ad_names_constant(&e->p->scope, e->p->grid[k]);
  }
  return more;
}

/* Where a constant of the grid or of the workgroup is specialized to another value, tapes may have no room for some. */
void kgi_ad_assert_lanes(kgi_emission *e) {
  kgi_builder *b = e->b;
  kgi_val all = kgi_u32(b, 1);
  if (!e->a->tape_count || !may_be_more_lanes(e)) return;
  for (unsigned k = 0; k < 3; k++) {
    if (k && !has_axis(e, k)) continue;
    kgi_val groups = kgi_id_value(b, KGI_ID_num_workgroups, k), size = kgi_id_value(b, KGI_ID_workgroup_size, k);
    all = kgi_op2(b, KGI_OP_mul, all, kgi_op2(b, KGI_OP_mul, groups, size));
  }
  kgi_val room = kgi_param_value(b, e->tape_param.lanes);
  kgi_assert(b, kgi_op2(b, KGI_OP_le, all, room), "the gradient keeps values of fewer invocations: fix the constant when it is made, as by --const");
}

/* The row of the tape: rounds and trips as the digits of a number. */
static kgi_val row(kgi_emission *e, const kgi_ad_tape *tape, bool forward) {
  kgi_builder *b = e->b;
  uint32_t loops[KGI_MAX_DEPTH + 1], depth = 0, end = kgi_ad_tape_end(e->a, tape), loop = kgi_ad_dimension(e->a, tape->alike, tape->loop, end);
  for (; loop != end && depth <= KGI_MAX_DEPTH; loop = kgi_ad_next_dimension(e->a, tape->alike, loop, end)) loops[depth++] = loop;
  kgi_val index = in_repeat(e) && !kgi_ad_is_own(tape) ? kgi_param_value(b, e->tape_param.round) : (kgi_val){0};
  while (depth-- > 0) {
    uint32_t k = e->a->loop_of[loops[depth]] - 1;
    kgi_val trip = trip_of(e, loops[depth]), most = kgi_param_value(b, e->tape_param.trips[k]);
    if (forward) assert_room(e, loops[depth], trip, most);
    if (index.i) index = kgi_op2(b, KGI_OP_mul, index, most);
    index = plus(e, index, trip);
  }
  return index;
}

static kgi_val place(kgi_emission *e, const kgi_ad_slot *slot, bool forward) {
  const kgi_ad_tape *tape = &e->a->tape[slot->tape];
  kgi_val index[3];
  unsigned count = 0;
  kgi_val at = row(e, tape, forward);
  if (at.i) index[count++] = at;
  if (tape->values > 1) index[count++] = kgi_u32(e->b, slot->which);
  index[count++] = lane(e);
  return count > 1 ? kgi_place(e->b, e->tape[slot->tape], index, count) : index[0];
}

static void put_on_tape(kgi_emission *e, const kgi_ad_slot *slot, kgi_val value) {
  kgi_builder *b = e->b;
  kg_type type = e->a->tape[slot->tape].type, from = kgi_type_of(b->p, value);
  if (from == KG_BOOL) {
    kgi_val one = kgi_u32(b, 1), none = kgi_u32(b, 0);
    value = kgi_op3(b, KGI_OP_select, value, one, none);
  }
  if (from == KG_F16) value = kgi_convert(b, type, value);
  kgi_val at = place(e, slot, true);
  kgi_store(b, e->tape[slot->tape], at, value);
}

static kgi_val get_from_tape(kgi_emission *e, const kgi_ad_slot *slot) {
  kgi_val at = place(e, slot, false);
  kgi_val value = kgi_load(e->b, e->tape[slot->tape], at);
  unsigned type = e->p->inst[slot->value].type;
  if (type == KG_BOOL) return kgi_op2(e->b, KGI_OP_ne, value, kgi_u32(e->b, 0));
  return type == KG_F16 ? kgi_convert(e->b, KG_F16, value) : value;
}

/* ---- what the program keeps itself ---- */

/* A value of the store's block as it was so many trips before, of which the loop's index was `then`. */
static kgi_val as_before(kgi_emission *e, const kgi_ad_parked *parked, uint32_t value, kgi_val then) {
  const kgi_inst *inst = kgi_ad_inst(e->a, value);
  if (parked->lag && value == parked->loop) return then;
  if (inst->kind != KGI_op || inst->block != e->p->inst[parked->store].block) return kgi_ad_leaf(e, value);
  kgi_inst copy = *inst;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) copy.arg[k] = as_before(e, parked, inst->arg[k], then).i;
  return (kgi_val){kgi_append(e->b, copy)};
}

/* The loop's index so many trips before. Where there was no such trip it is that of the first one, whose element is there as well. */
static kgi_val index_before(kgi_emission *e, const kgi_ad_parked *parked, kgi_val was) {
  kgi_builder *b = e->b;
  const kgi_inst *loop = kgi_ad_inst(e->a, parked->loop);
  kgi_val step = kgi_ad_leaf(e, loop->arg[2]), trips = kgi_int(b, (kg_type)loop->type, parked->lag);
  kgi_val back = kgi_op2(b, KGI_OP_mul, step, trips), then = kgi_op2(b, KGI_OP_sub, (kgi_val){e->map[parked->loop]}, back);
  return kgi_op3(b, KGI_OP_select, was, then, kgi_ad_leaf(e, loop->arg[0]));
}

static kgi_val load_stored(kgi_emission *e, const kgi_ad_parked *parked, kgi_val then) {
  const kgi_inst *store = kgi_ad_inst(e->a, parked->store);
  kgi_val at = as_before(e, parked, store->arg[1], then);
  return kgi_load(e->b, e->object[store->arg[0]].out, at);
}

static kgi_val get_from_memory(kgi_emission *e, const kgi_ad_slot *slot) {
  const kgi_ad_parked *parked = kgi_ad_parked_at(e->a, slot->value);
  if (!parked->lag) return load_stored(e, parked, (kgi_val){0});
  kgi_val trip = trip_of(e, parked->loop), was = kgi_op2(e->b, KGI_OP_ge, trip, kgi_u32(e->b, parked->lag));
  kgi_val value = load_stored(e, parked, index_before(e, parked, was));
  for (uint32_t k = parked->lag; k-- > 0;) {
    value = kgi_op3(e->b, KGI_OP_select, was, value, kgi_ad_leaf(e, parked->first[k]));
    was = kgi_op2(e->b, KGI_OP_ge, trip, kgi_u32(e->b, k));
  }
  return value;
}

/* ---- lists ---- */

/* 1 + the element, where there is one; else 0. */
static kgi_val listed_element(kgi_emission *e, kgi_obj shadow, kgi_val at) {
  kgi_builder *b = e->b;
  kgi_val one = kgi_u32(b, 1), nowhere = kgi_u32(b, 0);
  if (!at.i) return one;
  kg_type type = kgi_type_of(b->p, at), natural = kgi_type_bits(type) == 64 ? KG_U64 : KG_U32;
  kgi_val length = kgi_convert(b, natural, kgi_len_value(b, shadow)), number = kgi_convert(b, natural, at);
  kgi_val inside = kgi_op2(b, KGI_OP_lt, number, length);
  if (type == KG_I32 || type == KG_I64) inside = kgi_op2(b, KGI_OP_and, inside, kgi_op2(b, KGI_OP_ge, at, kgi_int(b, type, 0)));
  number = kgi_convert(b, KG_U32, number);
  number = kgi_op2(b, KGI_OP_add, number, one);
  return kgi_op3(b, KGI_OP_select, inside, number, nowhere);
}

void kgi_ad_list_contribution(kgi_emission *e, kgi_ad_entry entry, kgi_obj shadow, kgi_val at, kgi_val g) {
  const kgi_ad_slot slot = {.tape = entry.tape - 1, .which = entry.which};
  kgi_val here = place(e, &slot, true);
  kgi_store(e->b, e->tape[slot.tape], here, g);
  const kgi_ad_slot behind = {.tape = entry.tape, .which = entry.which};
  kgi_val element = listed_element(e, shadow, at);
  here = place(e, &behind, true);
  kgi_store(e->b, e->tape[behind.tape], here, element);
}

/* ---- the seam ---- */

static kgi_val var_index(kgi_emission *e, const kgi_ad_slot *slot, bool forward) {
  return is_array(slot) ? element(e, slot, forward) : (kgi_val){0};
}

void kgi_ad_keep(kgi_emission *e, uint32_t value) {
  const kgi_ad_slot *slot = kgi_ad_slot_of(e->a, value);
  kgi_val x = {e->map[value]};
  if (kgi_ad_is_compared(e->a, value)) x = kgi_op1(e->b, KGI_OP_stop_gradient, x);
  if (slot->place == KGI_AD_MEMORY) return;
  if (slot->place == KGI_AD_TAPE) return put_on_tape(e, slot, x);
  kgi_val at = var_index(e, slot, true);
  kgi_store(e->b, e->slot_var[slot - e->a->slot], at, x);
}

kgi_val kgi_ad_kept(kgi_emission *e, uint32_t value) {
  const kgi_ad_slot *slot = kgi_ad_slot_of(e->a, value);
  if (slot->place == KGI_AD_MEMORY) return get_from_memory(e, slot);
  if (slot->place == KGI_AD_TAPE) return get_from_tape(e, slot);
  return kgi_load(e->b, e->slot_var[slot - e->a->slot], var_index(e, slot, false));
}
