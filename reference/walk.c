/* Control flow under masks. A block is executed for the lanes of a mask; those that leave it by break, continue or return are gone
 * from the mask afterwards. */
#include "reference/bound.h"
#include "reference/crew.h"
#include "reference/watch.h"

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3")
#endif

/* Of a `while` that states no limit, where the caller states none either. */
enum { MOST_TRIPS = 1 << 22 };

static void count_lanes(kgi_mask *mask, uint32_t first, uint32_t end) {
  uint32_t count = 0;
  for (uint32_t l = first; l < end; l++) count += mask->lane[l];
  mask->count = count;
  while (first < end && !mask->lane[first]) first++;
  while (end > first && !mask->lane[end - 1]) end--;
  mask->first = first, mask->end = end;
}

bool kgi_fault_note(kg_reference_report *report, const kgi_plan *plan, kg_fault fault, uint32_t inst, uint64_t count) {
  kgi_pos pos = plan->program->inst_pos[inst];
  report->fault_count += count;
  if (report->fault != KG_FAULT_NONE) return false;
  report->fault = fault;
  report->fault_line = kgi_pos_line(pos), report->fault_column = kgi_pos_column(pos);
  return true;
}

void kgi_fault(kgi_machine *m, kg_fault fault, uint32_t inst, uint64_t count) {
  m->stop |= fault == KG_FAULT_DIVERGENT_BARRIER;
  m->stop |= fault == KG_FAULT_STEP_LIMIT || fault == KG_FAULT_ENDLESS_LOOP;
  if (!kgi_fault_note(m->report, m->plan, fault, inst, count)) return;
  if (m->stint) m->stint->fault_inst = inst, m->stint->fault_lanes = count;
  else kgi_fault_say(m, fault, inst, count);
}

void kgi_fault_say(const kgi_machine *m, kg_fault fault, uint32_t inst, uint64_t count) {
  kgi_pos pos = m->plan->program->inst_pos[inst];
  const kgi_inst *x = &m->plan->program->inst[inst];
  switch (fault) {
  case KG_FAULT_NONE: break;
  case KG_FAULT_ASSERT: KGI_DIAG(m->diags, assert_failed, pos, kgi_string(m->plan->module, (kgi_str){x->arg[1]})); break;
  case KG_FAULT_LOOP_LIMIT: KGI_DIAG(m->diags, loop_limit, pos, KGI_NUM(count)); break;
  case KG_FAULT_STEP: KGI_DIAG(m->diags, loop_step, pos, KGI_NUM(count)); break;
  case KG_FAULT_DIVERGENT_BARRIER: KGI_DIAG(m->diags, divergent_barrier, pos, KGI_NUM(m->lanes - count), KGI_NUM(m->lanes)); break;
  case KG_FAULT_STEP_LIMIT: KGI_DIAG(m->diags, step_limit, pos, KGI_NUM(m->step_limit)); break;
  case KG_FAULT_ENDLESS_LOOP: KGI_DIAG(m->diags, endless_loop, pos, KGI_NUM(count), KGI_NUM(MOST_TRIPS)); break;
  case KG_FAULT_NOT_DIFFERENTIABLE: KGI_DIAG(m->diags, not_differentiable, pos, kgi_op_rows[x->op].name); break;
  }
}

static void walk_block(kgi_machine *m, kgi_blk block, kgi_mask *mask, uint32_t depth);

static void count_steps(kgi_machine *m, uint32_t inst, uint32_t lanes) {
  m->report->lane_instructions += lanes;
  if (m->report->lane_instructions <= m->mark) return;
  if (m->step_limit && m->report->lane_instructions - m->steps > m->step_limit) kgi_fault(m, KG_FAULT_STEP_LIMIT, inst, lanes);
  else if (m->crew) kgi_crew_call(m);
}

/* Trips count too, so that a loop of nothing ends. What an earlier workgroup has made needless ends as well. */
static void count_trip(kgi_machine *m, uint32_t inst, uint32_t lanes) {
  count_steps(m, inst, lanes);
  if (m->stint && kgi_stint_is_needless(m->stint)) m->stop = true;
}

static void exec_op(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const void *in[4];
  uint32_t arity = kgi_op_rows[x->op].arity;
  for (uint32_t k = 0; k < arity; k++) {
    size_t size = kgi_slot_size(kgi_type_at(m->plan->program, x->arg[k]));
    in[k] = (const char *)m->slot[x->arg[k]] + mask->first * size;
  }
  m->plan->lanes[i]((char *)m->slot[i] + mask->first * kgi_slot_size((kg_type)x->type), in, mask->end - mask->first);
  if (m->tangents) kgi_tangent_op(m, i, mask);
  if (m->bound) kgi_bound_op(m, i, mask);
}

/* The lanes of `outer` whose condition is `wanted`. */
static void split(const kgi_mask *outer, const uint32_t *condition, uint32_t wanted, kgi_mask *inner) {
  for (uint32_t l = outer->first; l < outer->end; l++) inner->lane[l] = outer->lane[l] & (condition[l] == wanted);
  count_lanes(inner, outer->first, outer->end);
}

static void exec_if(kgi_machine *m, uint32_t i, kgi_mask *mask, uint32_t depth) {
  const kgi_inst *x = &m->plan->program->inst[i];
  kgi_level *level = &m->level[depth];
  const uint32_t *condition = m->slot[x->arg[0]];
  uint32_t first = mask->first, end = mask->end;
  if (m->bound) kgi_bound_decide(m, i, x->arg, 1, mask);
  for (uint32_t arm = 0; arm < 2; arm++) split(mask, condition, !arm, &level->mask[arm]);
  for (uint32_t arm = 0; arm < 2; arm++)
    if (x->arg[1 + arm] && level->mask[arm].count) walk_block(m, x->arg[1 + arm], &level->mask[arm], depth + 1);
  if (m->bound) kgi_bound_end(m, i);
  /* outside of [first, end) of an arm's mask, lanes may be stale, but they were written by split() above */
  for (uint32_t l = first; l < end; l++) mask->lane[l] = level->mask[0].lane[l] | level->mask[1].lane[l];
  count_lanes(mask, first, end);
}

/* The lanes that go on behind a loop: all that entered, but for those that left the program. */
static void behind_loop(const kgi_machine *m, kgi_mask *mask) {
  uint32_t first = mask->first, end = mask->end;
  for (uint32_t l = first; l < end; l++) mask->lane[l] &= !m->returned[l];
  count_lanes(mask, first, end);
}

/* One trip for the lanes of level->mask[0]; those that are still in the loop afterwards are left in level->live. */
static void walk_body(kgi_machine *m, kgi_blk body, const kgi_mask *entered, uint32_t depth) {
  kgi_level *level = &m->level[depth];
  kgi_mask *trip = &level->mask[0];
  uint32_t *outer = m->continued;
  uint32_t first = entered->first, end = entered->end;
  memset(level->continued + first, 0, (end - first) * sizeof *level->continued);
  m->continued = level->continued;
  walk_block(m, body, trip, depth + 1);
  m->continued = outer;
  for (uint32_t l = first; l < end; l++) level->live[l] = trip->lane[l] | level->continued[l];
}

/* A bound as a 64-bit pattern: signed types sign-extended. */
static uint64_t bound_of(kg_type type, const void *slots, uint32_t lane) {
  switch (type) {
  case KG_I32: return (uint64_t)((const int32_t *)slots)[lane];
  case KG_U32: return ((const uint32_t *)slots)[lane];
  case KG_I64: case KG_U64: return ((const uint64_t *)slots)[lane];
  case KG_NONE: case KG_BOOL: case KG_F16: case KG_F32: case KG_F64: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16:
    break;
  }
  return 0;
}

/* Trips of each lane; the lanes whose step is not at least 1 though the range is not empty take none, and are returned. */
static uint32_t count_trips(const kgi_machine *m, const kgi_inst *x, const kgi_mask *mask, uint64_t *trips, uint64_t *most) {
  kg_type type = (kg_type)x->type;
  bool is_signed = kgi_type_kind_of(type) == KGI_SINT;
  uint32_t wrong = 0;
  *most = 0;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    uint64_t a = bound_of(type, m->slot[x->arg[0]], l), b = bound_of(type, m->slot[x->arg[1]], l);
    uint64_t step = bound_of(type, m->slot[x->arg[2]], l);
    bool fine = is_signed ? (int64_t)step > 0 : step > 0, some = is_signed ? (int64_t)b > (int64_t)a : b > a;
    wrong += mask->lane[l] & !fine & some;
    trips[l] = mask->lane[l] && fine && some ? (b - a - 1) / step + 1 : 0;
    if (trips[l] > *most) *most = trips[l];
  }
  return wrong;
}

static void set_index(kgi_machine *m, uint32_t i, const kgi_mask *mask, const uint64_t *trips, uint64_t trip) {
  const kgi_inst *x = &m->plan->program->inst[i];
  kg_type type = (kg_type)x->type;
  bool wide = kgi_slot_size(type) == 8;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    uint64_t k = x->flags & KGI_REVERSED ? trips[l] - 1 - trip : trip;
    uint64_t index = bound_of(type, m->slot[x->arg[0]], l) + k * bound_of(type, m->slot[x->arg[2]], l);
    if (wide) ((uint64_t *)m->slot[i])[l] = index;
    else ((uint32_t *)m->slot[i])[l] = (uint32_t)index;
  }
}

static void exec_for(kgi_machine *m, uint32_t i, kgi_mask *mask, uint32_t depth) {
  const kgi_inst *x = &m->plan->program->inst[i];
  kgi_level *level = &m->level[depth];
  kgi_mask *trip = &level->mask[0];
  uint64_t most;
  uint32_t wrong = count_trips(m, x, mask, level->trips, &most);
  if (wrong) kgi_fault(m, KG_FAULT_STEP, i, wrong);
  if (m->bound) kgi_bound_decide(m, i, x->arg, 3, mask);
  memcpy(level->live, mask->lane, m->lanes * sizeof *level->live);
  for (uint64_t k = 0; k < most && !m->stop; k++) {
    for (uint32_t l = mask->first; l < mask->end; l++) trip->lane[l] = level->live[l] & (k < level->trips[l]);
    count_lanes(trip, mask->first, mask->end);
    if (!trip->count) break;
    count_trip(m, i, trip->count);
    set_index(m, i, trip, level->trips, k);
    if (m->bound) kgi_bound_index(m, i, trip);
    walk_body(m, x->arg[3], mask, depth);
  }
  if (m->bound) kgi_bound_end(m, i);
  behind_loop(m, mask);
}

/* The limit of a while, or UINT64_MAX. The host has seen that nothing overflows. */
static uint64_t limit_of(const kgi_machine *m, uint32_t dim) {
  kgi_dim_env env = {.param = m->run->param, .length = m->run->length};
  int64_t limit;
  if (!dim || kgi_dim_eval(&m->plan->program->scope, (kgi_dim){dim}, &env, &limit) != KGI_DIM_OK) return UINT64_MAX;
  return limit < 0 ? 0 : (uint64_t)limit;
}

/* Where a `while` stops that has gone on for k trips, what that is. */
static kg_fault fault_after(const kgi_machine *m, const kgi_inst *x, uint64_t limit, uint64_t k) {
  if (k == limit) return KG_FAULT_LOOP_LIMIT;
  return k == MOST_TRIPS && !x->arg[3] && !m->step_limit ? KG_FAULT_ENDLESS_LOOP : KG_FAULT_NONE;
}

static void exec_while(kgi_machine *m, uint32_t i, kgi_mask *mask, uint32_t depth) {
  const kgi_inst *x = &m->plan->program->inst[i];
  kgi_level *level = &m->level[depth];
  kgi_mask *trip = &level->mask[0];
  uint64_t limit = limit_of(m, x->arg[3]);
  memcpy(level->live, mask->lane, m->lanes * sizeof *level->live);
  for (uint64_t k = 0; !m->stop; k++) {
    memcpy(trip->lane, level->live, m->lanes * sizeof *trip->lane);
    count_lanes(trip, mask->first, mask->end);
    if (!trip->count) break;
    count_trip(m, i, trip->count);
    walk_block(m, x->arg[1], trip, depth + 1);
    if (m->bound) kgi_bound_decide(m, i, x->arg, 1, trip);
    split(trip, m->slot[x->arg[0]], 1, trip);
    if (!trip->count) break;
    kg_fault fault = fault_after(m, x, limit, k);
    if (fault != KG_FAULT_NONE) {
      kgi_fault(m, fault, i, trip->count);
      break;
    }
    walk_body(m, x->arg[2], mask, depth);
  }
  if (m->bound) kgi_bound_end(m, i);
  behind_loop(m, mask);
}

static void exec_check(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const uint32_t *condition = m->slot[m->plan->program->inst[i].arg[0]];
  uint64_t wrong = 0;
  for (uint32_t l = mask->first; l < mask->end; l++) wrong += mask->lane[l] & !condition[l];
  if (wrong) kgi_fault(m, KG_FAULT_ASSERT, i, wrong);
  if (m->bound) kgi_bound_check(m, i, mask);
}

/* The lanes of the mask leave its block. */
static void leave(kgi_mask *mask, uint32_t *mark) {
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (mark) mark[l] |= mask->lane[l];
    mask->lane[l] = 0;
  }
  mask->count = 0, mask->end = mask->first;
}

static void exec_inst(kgi_machine *m, uint32_t i, kgi_mask *mask, uint32_t depth) {
  const kgi_inst *x = &m->plan->program->inst[i];
  switch ((kgi_kind)x->kind) {
  case KGI_op: exec_op(m, i, mask); break;
  case KGI_load: kgi_exec_load(m, i, mask); break;
  case KGI_store: kgi_exec_store(m, i, mask); break;
  case KGI_atomic: kgi_exec_atomic(m, i, mask); break;
  case KGI_subgroup: kgi_exec_subgroup(m, i, mask); break;
  case KGI_barrier:
    if (mask->count != m->lanes) kgi_fault(m, KG_FAULT_DIVERGENT_BARRIER, i, m->lanes - mask->count);
    m->watcher->interval++;
    break;
  case KGI_memory_barrier: break; /* lanes see each other's stores at once */
  case KGI_check: exec_check(m, i, mask); break;
  case KGI_var: kgi_exec_var(m, i, mask); break;
  case KGI_if: exec_if(m, i, mask, depth); break;
  case KGI_for: exec_for(m, i, mask, depth); break;
  case KGI_while: exec_while(m, i, mask, depth); break;
  case KGI_region: case KGI_checkpoint: walk_block(m, x->arg[0], mask, depth + 1); break;
  case KGI_break: leave(mask, NULL); break;
  case KGI_continue: leave(mask, m->continued); break;
  case KGI_return: leave(mask, m->returned); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_KIND_COUNT: break;
  }
}

static void walk_block(kgi_machine *m, kgi_blk block, kgi_mask *mask, uint32_t depth) {
  KGI_EACH(m->plan->program, block, i) {
    count_steps(m, i, mask->count);
    if (m->stop || !mask->count) return;
    exec_inst(m, i, mask, depth);
  }
}

void kgi_walk(kgi_machine *m) {
  kgi_mask *all = &m->level[0].mask[0];
  all->first = 0, all->end = all->count = m->group_lanes * m->groups;
  for (uint32_t l = 0; l < m->lanes; l++) all->lane[l] = l < all->end;
  memset(m->returned, 0, m->lanes * sizeof *m->returned);
  walk_block(m, KGI_BODY, all, 1);
  if (m->bound) kgi_bound_end(m, 0);
}
