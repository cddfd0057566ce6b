/* In each trip of a loop all lanes of a workgroup add to one element, as the adjoint of what all of them load in step does:
 *
 *     for j in 0 .. N { atomic_add(s[j], v(j, p)) }          where p is each lane's own
 *
 * Then each lane shows its p to the others, and each element is added up by one of them:
 *
 *     shown[local_id.x] = p
 *     barrier
 *     for k in local_id.x .. N step W {
 *       var sum = 0.0
 *       for lane in 0 .. W { sum += v(k, shown[lane]) }
 *       atomic_add(s[k], sum)
 *     }
 *     barrier
 *
 * That is N W products for a workgroup, as before, and N additions to s in place of N W that queue up for its elements.
 *
 * Why it is the same. All of the workgroup come to the loop together, and make the same trips. The element is the same for all lanes of a
 * trip, and v is made of the trip, of what all lanes have alike, of the lane's ids, of its p, and of loads. So lane k computes the very terms
 * that the others would. A load gives it what it gives them: nobody stores to a buffer that the program only reads, and of shared memory
 * that the loop does not write, whoever stores to the element before the loop does so before the first barrier, whoever does later comes
 * behind the second. Both barriers only add order. The additions to s stay atomic, since others may add to it as well, or lanes of other
 * workgroups: it is only their number that changes, and the order of the sum, which nobody knew before.
 *
 * Under a guard, if i < n { for j in 0 .. N { ... } }, some lanes do not come to the loop. Those that do say so, and show their p in there; it
 * is added up behind the guard, where all are again. Nothing between the loop and the guard's end may touch what is added to, but to add as well,
 * or store to what terms are loaded from. Of what lanes have alike only that is used which is computed in front of the guard. */
#include "autodiff/emit/emit.h"
#include "foundation/analysis/uniform.h"
#include "foundation/base/limits.h"

enum { NEEDED = 1, OF_LANE = 2 }; /* marks: it makes a term, or where that goes to; it differs between lanes */
enum { MOST_IDLE = 4 }; /* times the trips: lanes that have one of them, and those that stand by */
enum { FEWEST_LANES = 8, MOST_LANES = 256, MOST_SHARED_BYTES = 16384 }; /* what every Vulkan device has */
enum { MOST_SHOWN = KGI_MOST_gather_values, MOST_STEPS = KGI_MOST_gather_steps, MOST_SUMS = KGI_MOST_gather_sums };

typedef struct gathering {
  kgi_emission *e;
  kgi_builder *b;
  kgi_program *q;
  kgi_uniformity same;
  uint32_t known;  /* instructions that `same`, `uses`, `mark` and `copy` know */
  uint32_t *uses;
  uint8_t *mark;
  uint32_t *copy;  /* of what is marked: the value in the new loop */
  bool *written;   /* by object: in the loop */
  uint32_t lanes;  /* by default */
  bool row;        /* along one axis */
  kgi_obj shown[MOST_SHOWN];
  uint32_t shows[MOST_SHOWN], shows_count; /* the values that stand there since `end` */
  uint32_t end;                            /* the last barrier that was made behind a loop; 0: there is none */
  uint32_t guard_before, guard_end, first; /* the last guard, the barrier behind what was added up behind it, and how many values are shown there */
  /* of the loop */
  uint32_t loop;
  uint32_t guard;                      /* the outermost branch around it that not all lanes may take; 0: there is none */
  uint32_t own[MOST_SHOWN], own_count; /* what each lane has its own of */
  uint32_t id[3], id_count;            /* likewise, and is known from the lane's number */
  uint32_t step[MOST_STEPS], step_count; /* what indices outside of the loop are made of, in order: it is computed again */
  uint32_t sum[MOST_SUMS], sum_count;  /* the atomics */
  uint32_t steps;                      /* that were looked at */
  bool keeps;                          /* it does something else as well */
  bool adds;                           /* of that, to memory that other lanes may look at: to other elements, or there would be a race */
} gathering;

/* ---- the program ---- */

static int64_t default_size(const kgi_program *q, unsigned axis) {
  int64_t size = 1;
  if (q->workgroup[axis].i && kgi_dim_eval(&q->scope, q->workgroup[axis], &(kgi_dim_env){0}, &size) != KGI_DIM_OK) return 0;
  return size;
}

/* Of a size that literals or constants make. */
static bool has_lanes(gathering *g) {
  int64_t lanes = 1;
  g->row = true;
  for (unsigned axis = 0; axis < 3; axis++) {
    const kgi_dim_node *n = &g->q->scope.dim[g->q->workgroup[axis].i];
    int64_t size = default_size(g->q, axis);
    if (g->q->workgroup[axis].i && n->op != KGI_DIM_INT && n->op != KGI_DIM_SPEC) return false;
    if (size < 1 || size > MOST_LANES) return false;
    lanes *= size;
    g->row &= !axis || !g->q->workgroup[axis].i || (n->op == KGI_DIM_INT && n->imm == 1);
  }
  return g->lanes = (uint32_t)lanes, lanes >= FEWEST_LANES && lanes <= MOST_LANES;
}

/* For values of each lane up to so many, beside the shared memory that there is. */
static bool has_room(const gathering *g, uint32_t values) {
  int64_t total = 0, length;
  for (uint32_t o = 1; o < g->q->scope.object_count; o++) {
    const kgi_object *object = &g->q->scope.object[o];
    if (object->space != KGI_SHARED) continue;
    if (object->scalar) length = 1;
    else if (kgi_dim_eval(&g->q->scope, object->length, &(kgi_dim_env){0}, &length) != KGI_DIM_OK) return false;
    if (length > MOST_SHARED_BYTES) return false;
    total += length * (kgi_type_bits(object->type) == 64 ? 8 : 4);
  }
  for (uint32_t k = 0; k < values; k++)
    if (!g->shown[k].i) total += 4 * (int64_t)g->lanes;
  return total <= MOST_SHARED_BYTES;
}

/* ---- whether it may be ---- */

static kgi_blk body_of(const gathering *g) { return g->q->inst[g->loop].arg[3]; }

/* It is computed where the guard was passed. */
static bool is_guarded(const gathering *g, uint32_t value) {
  for (kgi_blk block = g->q->inst[value].block; g->guard && block > KGI_BODY; block = g->q->inst[g->q->block[block].owner].block)
    if (g->q->block[block].owner == g->guard) return true;
  return false;
}

/* For all lanes that come to it. */
static bool is_same(const gathering *g, uint32_t value) { return value < g->known && g->same.value[value] != KGI_VARYING; }

/* For all lanes, who have it. */
static bool is_alike(const gathering *g, uint32_t value) { return is_same(g, value) && !is_guarded(g, value); }

/* From the outermost branch on that lanes may take or not, if branches are all that is around the loop in there. */
static bool find_guard(gathering *g) {
  g->guard = 0;
  for (kgi_blk block = g->q->inst[g->loop].block; g->same.block[block] == KGI_VARYING; block = g->q->inst[g->guard].block) {
    g->guard = g->q->block[block].owner;
    if (g->q->inst[g->guard].kind != KGI_if) return false;
  }
  return true;
}

/* From 0 on, one by one, the same number of times for all lanes, who come here together. */
static bool is_common(gathering *g) {
  const kgi_inst *loop = &g->q->inst[g->loop], *from = &g->q->inst[loop->arg[0]], *step = &g->q->inst[loop->arg[2]];
  if (loop->kind != KGI_for || !loop->block || loop->flags & KGI_REVERSED || (loop->type != KG_U32 && loop->type != KG_I32)) return false;
  bool by_one = !loop->arg[2] || (step->kind == KGI_literal && kgi_literal_bits(step) == 1);
  bool at_zero = from->kind == KGI_literal && !kgi_literal_bits(from);
  const kgi_inst *to = &g->q->inst[loop->arg[1]];
  if (to->kind == KGI_literal && kgi_literal_bits(to) * MOST_IDLE < g->lanes) return false; /* most lanes would stand by */
  return by_one && at_zero && find_guard(g) && is_alike(g, loop->arg[1]);
}

static bool is_common_sum(const gathering *g, uint32_t i) {
  const kgi_inst *inst = &g->q->inst[i];
  bool adds = inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && !g->uses[i];
  return adds && g->q->scope.object[inst->arg[0]].type == KG_F32 && is_same(g, inst->arg[1]) && g->sum_count < KGI_LIMIT(gather_sums);
}

/* Values, sums, and what stays as it is: stores, and other atomics. */
static bool read_body(gathering *g) {
  KGI_EACH(g->q, body_of(g), i) {
    const kgi_inst *inst = &g->q->inst[i];
    bool stays = inst->kind == KGI_atomic || inst->kind == KGI_store;
    if (i >= g->known || (!kgi_is_pure(inst) && !stays)) return false;
    if (kgi_writes(inst)) g->written[inst->arg[0]] = true;
    if (is_common_sum(g, i)) g->sum[g->sum_count++] = i;
    else g->keeps |= stays, g->adds |= stays && g->q->scope.object[inst->arg[0]].space != KGI_VAR;
  }
  return g->sum_count > 0;
}

static bool is_lane_id(const gathering *g, const kgi_inst *inst) {
  bool along = (inst->op == KGI_ID_local_id || inst->op == KGI_ID_global_id) && (!g->row || !inst->arg[0]);
  return inst->kind == KGI_id && (along || inst->op == KGI_ID_local_index);
}

static bool needs_operands(gathering *g, const kgi_inst *inst);

/* What an index is made of, from the lane's ids and from what lanes have alike. */
static bool add_step(gathering *g, uint32_t value) {
  const kgi_inst *inst = &g->q->inst[value];
  if (inst->kind != KGI_op || inst->type == KG_F64 || ++g->steps > KGI_LIMIT(gather_steps) || !needs_operands(g, inst)) return false;
  g->step[g->step_count++] = value;
  return true;
}

/* The value differs between lanes: it is found from the lane's number, or has to be shown. */
static bool add_own(gathering *g, uint32_t value) {
  const kgi_inst *inst = &g->q->inst[value];
  if (g->mark[value] & OF_LANE) return true;
  if (is_lane_id(g, inst)) g->id[g->id_count++] = value;
  else if (inst->type != KG_F32 && !add_step(g, value)) return false;
  else if (inst->type == KG_F32 && g->own_count == KGI_LIMIT(gather_values)) return false;
  else if (inst->type == KG_F32) g->own[g->own_count++] = value;
  g->mark[value] |= OF_LANE;
  return true;
}

/* A load whose value the lane that adds up may load itself, or that is shown. */
static bool takes_load(gathering *g, uint32_t i) {
  const kgi_inst *inst = &g->q->inst[i];
  const kgi_object *o = &g->q->scope.object[inst->arg[0]];
  if (g->written[inst->arg[0]]) return false;
  if (o->space == KGI_VAR) return o->scalar && (is_alike(g, i) || add_own(g, i));
  return o->space == KGI_SHARED || (o->mode == KG_READ && !o->view);
}

static bool needs(gathering *g, uint32_t value) {
  if (!value || value == g->loop) return true;
  if (value >= g->known) return false;
  if (g->q->inst[value].block == body_of(g)) g->mark[value] |= NEEDED;
  else return is_alike(g, value) || add_own(g, value);
  return true;
}

static bool needs_operands(gathering *g, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (!needs(g, inst->arg[k])) return false;
  return true;
}

static bool is_of_lane(const gathering *g, uint32_t value) { return value < g->known && g->mark[value] & OF_LANE; }

static bool is_sum(const gathering *g, uint32_t i) {
  for (uint32_t k = 0; k < g->sum_count; k++)
    if (g->sum[k] == i) return true;
  return false;
}

/* Besides what terms are made of, whether the lane has come. */
static uint32_t shown_count(const gathering *g) { return g->own_count + (g->guard != 0); }

/* Several loops under one guard show their values before any of these is looked at. */
static uint32_t first_shown(const gathering *g) { return g->guard && g->guard == g->guard_before ? g->first : 0; }

static bool makes_terms(const gathering *g, uint32_t object) {
  KGI_EACH(g->q, body_of(g), i)
    if (g->mark[i] & NEEDED && g->q->inst[i].kind == KGI_load && g->q->inst[i].arg[0] == object) return true;
  return false;
}

/* What the loop adds up later is nothing to it, and it changes nothing that terms are made of. */
static bool is_aside(const gathering *g, const kgi_inst *inst) {
  if (inst->kind == KGI_barrier || inst->kind == KGI_memory_barrier) return false;
  if (!kgi_touches(inst)) return true;
  if (kgi_writes(inst) && makes_terms(g, inst->arg[0])) return false;
  bool adds = inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add;
  for (uint32_t k = 0; k < g->sum_count; k++)
    if (g->q->inst[g->sum[k]].arg[0] == inst->arg[0] && !adds) return false;
  return true;
}

/* From behind the loop to the end of the guard. */
static bool leaves_alone(const gathering *g) {
  for (uint32_t at = g->loop; g->guard && at != g->guard; at = g->q->block[g->q->inst[at].block].owner)
    for (uint32_t next = g->q->inst[at].next; next; next = g->q->inst[next].next) {
      kgi_span owned = kgi_owned_blocks(&g->q->inst[next]);
      if (!is_aside(g, &g->q->inst[next])) return false;
      for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
        KGI_EACH_INSIDE(g->q, g->q->inst[next].arg[k], i)
          if (!is_aside(g, &g->q->inst[i])) return false;
    }
  return true;
}

static void mark_of_lane(gathering *g, uint32_t i) {
  const kgi_inst *inst = &g->q->inst[i];
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (is_of_lane(g, inst->arg[k])) g->mark[i] |= OF_LANE;
}

/* What terms are made of, and whether lanes meet at one element with different terms. */
static bool read_terms(gathering *g) {
  bool differ = false;
  KGI_EACH_BACK(g->q, body_of(g), i) {
    const kgi_inst *inst = &g->q->inst[i];
    bool sum = is_sum(g, i);
    if (!sum && !(g->mark[i] & NEEDED)) continue;
    if (!sum && (!kgi_is_pure(inst) || (inst->kind == KGI_load && !takes_load(g, i)))) return false;
    if (!needs_operands(g, inst)) return false;
  }
  KGI_EACH(g->q, body_of(g), i)
    if (g->mark[i] & NEEDED) mark_of_lane(g, i);
  for (uint32_t k = 0; k < g->sum_count; k++) {
    if (is_of_lane(g, g->q->inst[g->sum[k]].arg[1])) return false;
    differ |= is_of_lane(g, g->q->inst[g->sum[k]].arg[2]);
  }
  uint32_t first = first_shown(g);
  return differ && first + shown_count(g) <= KGI_LIMIT(gather_values) && has_room(g, first + shown_count(g)) && leaves_alone(g);
}

static void forget(gathering *g) {
  KGI_EACH(g->q, body_of(g), i) {
    if (i < g->known) g->mark[i] = 0;
    if (kgi_writes(&g->q->inst[i])) g->written[g->q->inst[i].arg[0]] = false;
  }
  for (uint32_t k = 0; k < g->own_count; k++) g->mark[g->own[k]] = 0;
  for (uint32_t k = 0; k < g->id_count; k++) g->mark[g->id[k]] = 0;
  for (uint32_t k = 0; k < g->step_count; k++) g->mark[g->step[k]] = 0;
  g->own_count = g->id_count = g->step_count = g->steps = g->sum_count = 0, g->keeps = g->adds = false;
}

/* ---- doing it ---- */

static kgi_val none(void) { return (kgi_val){0}; }
static kgi_val lane_here(gathering *g) { return kgi_id_value(g->b, g->row ? KGI_ID_local_id : KGI_ID_local_index, 0); }

static bool is_wide(const gathering *g, unsigned axis) {
  const kgi_dim_node *n = &g->q->scope.dim[g->q->workgroup[axis].i];
  return g->q->workgroup[axis].i && (n->op != KGI_DIM_INT || n->imm != 1);
}

static kgi_val size_along(gathering *g, unsigned axis) {
  const kgi_dim_node *n = &g->q->scope.dim[g->q->workgroup[axis].i];
  if (!g->q->workgroup[axis].i) return kgi_u32(g->b, 1);
  return n->op == KGI_DIM_SPEC ? kgi_convert(g->b, KG_U32, kgi_spec_value(g->b, n->a)) : kgi_u32(g->b, (uint32_t)n->imm);
}

/* Of the axes before that one. */
static kgi_val size_before(gathering *g, unsigned end) {
  kgi_val size = {0};
  for (unsigned axis = 0; axis < end; axis++) {
    if (!is_wide(g, axis)) continue;
    kgi_val along = size_along(g, axis);
    size = size.i ? kgi_op2(g->b, KGI_OP_mul, size, along) : along;
  }
  return size.i ? size : kgi_u32(g->b, 1);
}

static kgi_val size_of(gathering *g) { return size_before(g, 3); }

static kgi_dim length_of(gathering *g) {
  kgi_dim length = {0};
  for (unsigned axis = 0; axis < 3; axis++)
    if (is_wide(g, axis)) length = length.i ? kgi_len_op(g->b, KGI_DIM_MUL, length, g->q->workgroup[axis]) : g->q->workgroup[axis];
  return length;
}

/* Of a lane, by its number. */
static kgi_val local_id_of(gathering *g, kgi_val lane, unsigned axis) {
  if (g->row) return lane;
  kgi_val rest = axis ? kgi_op2(g->b, KGI_OP_div, lane, size_before(g, axis)) : lane;
  return axis == 2 ? rest : kgi_op2(g->b, KGI_OP_rem, rest, size_along(g, axis));
}

/* Right behind another such loop, which was shown the same: the barrier between them goes. What they add to one by one may be what the
 * other's terms are made of, of the same lane until now; then it stays. */
static bool is_shown(const gathering *g) {
  bool alike = g->end && !g->guard && !g->adds && g->q->inst[g->loop].prev == g->end && g->own_count <= g->shows_count;
  for (uint32_t k = 0; k < g->own_count && alike; k++)
    alike = g->own[k] == g->shows[k] && g->q->inst[g->own[k]].block != body_of(g);
  return alike;
}

static kgi_obj place_of(gathering *g, uint32_t k) {
  if (g->shown[k].i) return g->shown[k];
  kgi_dim length = length_of(g);
  g->shown[k] = kgi_shared(g->b, kgi_ad_free_name(g->e, "", "shown"), KG_F32, length);
  return g->shown[k];
}

static void show_own(gathering *g, uint32_t first) {
  for (uint32_t k = 0; k < g->own_count; k++) {
    bool inside = g->q->inst[g->own[k]].block == body_of(g);
    kgi_val value = inside ? kgi_load(g->b, (kgi_obj){g->q->inst[g->own[k]].arg[0]}, none()) : (kgi_val){g->own[k]};
    kgi_obj place = place_of(g, first + k);
    kgi_val lane = lane_here(g);
    kgi_store(g->b, place, lane, value);
  }
}

static void show(gathering *g) {
  if (is_shown(g)) {
    kgi_remove(g->q, g->end);
    return;
  }
  g->b->at = kgi_before(g->q, g->loop);
  show_own(g, 0);
  for (uint32_t k = 0; k < g->own_count; k++) g->shows[k] = g->own[k];
  g->shows_count = g->own_count;
  kgi_barrier_here(g->b);
}

/* In front of the guard nobody has come; the cursor is then where it is added up. */
static void show_guarded(gathering *g) {
  kgi_builder *b = g->b;
  kgi_obj came = place_of(g, g->first + g->own_count);
  b->at = kgi_before(g->q, g->guard);
  kgi_val lane = lane_here(g), no = kgi_float(b, KG_F32, 0);
  kgi_store(b, came, lane, no);
  b->at = kgi_before(g->q, g->loop);
  show_own(g, g->first);
  lane = lane_here(g);
  kgi_val yes = kgi_float(b, KG_F32, 1);
  kgi_store(b, came, lane, yes);
  if (g->guard == g->guard_before) {
    b->at = kgi_before(g->q, g->guard_end);
    return;
  }
  uint32_t next = g->q->inst[g->guard].next;
  b->at = kgi_behind(g->q, g->guard);
  kgi_barrier_here(b);
  if (g->q->inst[next].kind == KGI_barrier) {
    g->guard_end = next;
  } else {
    kgi_barrier_here(b);
    g->guard_end = b->at.after;
  }
  b->at = kgi_before(g->q, g->guard_end);
}

static uint32_t stand_in(const gathering *g, uint32_t value) {
  bool is_new = value == g->loop || (value < g->known && g->mark[value]);
  return is_new ? g->copy[value] : value;
}

static void make(gathering *g, uint32_t value) {
  kgi_inst copy = g->q->inst[value];
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) copy.arg[k] = stand_in(g, copy.arg[k]);
  g->b->pos = g->q->inst_pos[value];
  g->copy[value] = kgi_append(g->b, copy);
}

/* Of what terms are made of, what is the same for all lanes, or the rest. */
static void make_terms(gathering *g, bool of_lane) {
  KGI_EACH(g->q, body_of(g), i) {
    const kgi_inst *inst = &g->q->inst[i];
    bool is_own_var = of_lane && inst->kind == KGI_load && g->q->scope.object[inst->arg[0]].space == KGI_VAR;
    if (g->mark[i] & NEEDED && !!(g->mark[i] & OF_LANE) == of_lane && !is_own_var) make(g, i);
  }
}

static kgi_val id_of(gathering *g, kgi_val lane, const kgi_inst *id) {
  unsigned axis = id->arg[0];
  if (id->op == KGI_ID_local_index) return lane;
  kgi_val local = local_id_of(g, lane, axis);
  if (id->op == KGI_ID_local_id) return local;
  kgi_val group = kgi_id_value(g->b, KGI_ID_workgroup_id, axis), size = size_along(g, axis);
  kgi_val begin = kgi_op2(g->b, KGI_OP_mul, group, size);
  return kgi_op2(g->b, KGI_OP_add, begin, local);
}

static void take_shown(gathering *g, kgi_val lane, uint32_t first) {
  for (uint32_t k = 0; k < g->own_count; k++) g->copy[g->own[k]] = kgi_load(g->b, g->shown[first + k], lane).i;
  for (uint32_t k = 0; k < g->id_count; k++) {
    const kgi_inst id = g->q->inst[g->id[k]];
    g->copy[g->id[k]] = id_of(g, lane, &id).i;
  }
  for (uint32_t k = 0; k < g->step_count; k++) make(g, g->step[k]);
}

static void add_term(gathering *g, const kgi_obj *total, kgi_val lane, uint32_t first) {
  kgi_builder *b = g->b;
  if (g->guard) {
    kgi_val came = kgi_load(b, g->shown[first + g->own_count], lane);
    kgi_if_begin(b, kgi_op2(b, KGI_OP_ne, came, kgi_float(b, KG_F32, 0)));
  }
  take_shown(g, lane, first);
  make_terms(g, true);
  for (uint32_t k = 0; k < g->sum_count; k++) {
    kgi_val term = {stand_in(g, g->q->inst[g->sum[k]].arg[2])}, so_far = kgi_load(b, total[k], none());
    kgi_store(b, total[k], none(), kgi_op2(b, KGI_OP_add, so_far, term));
  }
  if (g->guard) kgi_end(b);
}

/* At the cursor. */
static void add_up(gathering *g, uint32_t shown) {
  kgi_builder *b = g->b;
  kgi_obj total[MOST_SUMS];
  b->pos = g->q->inst_pos[g->loop];
  kg_type counts = (kg_type)g->q->inst[g->loop].type;
  kgi_val to = {g->q->inst[g->loop].arg[1]}, from = kgi_convert(b, counts, lane_here(g)), size = size_of(g), step = kgi_convert(b, counts, size);
  g->copy[g->loop] = kgi_for_begin(b, kgi_ad_free_name(g->e, "", "k"), from, to, step, false).i;
  for (uint32_t k = 0; k < g->sum_count; k++) {
    total[k] = kgi_var(b, kgi_ad_free_name(g->e, "", "sum"), KG_F32, (kgi_dim){0});
    kgi_store(b, total[k], none(), kgi_float(b, KG_F32, 0));
  }
  make_terms(g, false);
  kgi_val first = kgi_u32(b, 0), lane = kgi_for_begin(b, kgi_ad_free_name(g->e, "", "lane"), first, size, none(), false);
  add_term(g, total, lane, shown);
  kgi_end(b);
  for (uint32_t k = 0; k < g->sum_count; k++) {
    const kgi_inst sum = g->q->inst[g->sum[k]];
    kgi_atomic_op(b, KGI_ATOMIC_add, (kgi_obj){sum.arg[0]}, (kgi_val){stand_in(g, sum.arg[1])}, kgi_load(b, total[k], none()), none());
  }
  kgi_end(b);
}

static void gather_here(gathering *g) {
  show(g);
  g->b->at = kgi_behind(g->q, g->loop);
  bool waits = g->q->inst[g->q->inst[g->loop].next].kind == KGI_barrier; /* anyway */
  add_up(g, 0);
  if (!waits) kgi_barrier_here(g->b);
  g->end = waits || g->adds ? 0 : g->b->at.after;
  g->guard_before = 0;
}

static void gather_behind_guard(gathering *g) {
  g->first = first_shown(g);
  show_guarded(g);
  add_up(g, g->first);
  g->first += shown_count(g);
  g->guard_before = g->guard, g->end = 0;
}

static void note_gathered(gathering *g, uint32_t shadow) {
  for (uint32_t o = 1; o < kgi_buffer_end(&g->e->p->scope); o++)
    if (g->e->object[o].shadow.i == shadow) g->e->object[o].gathered = true;
}

static void gather(gathering *g) {
  uint32_t sum[MOST_SUMS], count = g->sum_count;
  for (uint32_t k = 0; k < count; k++) sum[k] = g->sum[k], note_gathered(g, g->q->inst[sum[k]].arg[0]);
  if (g->guard) gather_behind_guard(g);
  else gather_here(g);
  bool keeps = g->keeps;
  forget(g);
  for (uint32_t k = 0; k < count; k++) kgi_remove(g->q, sum[k]);
  if (!keeps) kgi_remove(g->q, g->loop);
}

static kg_status begin(gathering *g) {
  kgi_arena *scratch = g->e->scratch;
  if (g->known) return KG_OK;
  if (kgi_uniformity_of(scratch, g->q, &g->same) != KG_OK) return KG_NO_MEMORY;
  g->known = g->q->inst_count;
  g->uses = kgi_arena_alloc(scratch, g->known, sizeof *g->uses);
  g->mark = kgi_arena_alloc(scratch, g->known, sizeof *g->mark);
  g->copy = kgi_arena_alloc(scratch, g->known, sizeof *g->copy);
  g->written = kgi_arena_alloc(scratch, g->q->scope.object_count, sizeof *g->written);
  if (!g->uses || !g->mark || !g->copy || !g->written) return KG_NO_MEMORY;
  kgi_count_uses(g->q, KGI_BODY, g->uses);
  return KG_OK;
}

/* Cheap to ask, before anything else is. */
static bool has_sums(const kgi_program *q, uint32_t loop) {
  KGI_EACH(q, q->inst[loop].arg[3], i)
    if (q->inst[i].kind == KGI_atomic) return true;
  return false;
}

kg_status kgi_ad_gather_sums(kgi_emission *e, kgi_program *q) {
  gathering g = {.e = e, .b = e->b, .q = q};
  if (!has_lanes(&g)) return KG_OK;
  for (uint32_t k = 0; k < e->turned_count; k++) {
    g.loop = e->turned[k];
    if (!q->inst[g.loop].block || q->inst[g.loop].kind != KGI_for || !has_sums(q, g.loop)) continue;
    kg_status status = begin(&g);
    if (status != KG_OK) return status;
    if (is_common(&g) && read_body(&g) && read_terms(&g)) gather(&g);
    else forget(&g);
  }
  return e->scratch->failed ? KG_NO_MEMORY : kgi_builder_status(e->b);
}
