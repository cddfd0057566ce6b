/* Sums over a workgroup: a loop of additions between elements of shared memory, behind which one element, the root, is the sum of all and
 * nobody looks at the others. In reverse the root's adjoint goes to each element as it is, in one step instead of one a trip.
 *
 * Such loops are written in many ways: `lane < half`, `lane % stride == 0`, towards either end, up or down. So nothing is matched: the
 * loop is run here with sets of elements in place of sums, for each invocation and each trip. Whatever is met that is no such addition
 * ends the attempt, and the loop is reversed trip by trip. Constants may be specialized to others; which ones were used is noted. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/eval.h"

enum { WORDS = KGI_MOST_tree_lanes / 64 };

typedef struct elements { uint64_t word[WORDS]; } elements;

enum { MOST_SUMS = 4 };
typedef struct objects { uint32_t object[MOST_SUMS], count; } objects;

typedef struct run {
  kgi_ad *a;
  const kgi_program *p;
  uint32_t object, loop; /* the loop 0: what is asked lies in none */
  uint32_t size[3], lanes;
  uint32_t lane; /* of which values are asked */
  uint64_t trip; /* the loop's index, as bits */
  uint64_t specs; /* which were used, a bit for each */
  uint32_t steps; /* of all loops so far */
  uint32_t depth; /* operations that are being computed, one within another */
  uint32_t room;  /* elements of the two below, which one loop after the other uses */
  uint32_t *from;  /* by element: 1 + what is added to it before the next barrier; 0: nothing */
  elements *holds; /* by element: of which ones it is the sum */
} run;

/* ---- numbers ---- */

static bool note_spec(run *r, uint32_t spec) {
  if (spec < 64) r->specs |= UINT64_C(1) << spec;
  return spec < 64;
}

static bool note_specs_of(run *r, kgi_dim dim) {
  const kgi_dim_node n = r->p->scope.dim[dim.i];
  switch ((kgi_dim_op)n.op) {
  case KGI_DIM_NONE: case KGI_DIM_INT: return true;
  case KGI_DIM_SPEC: return note_spec(r, n.a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    return note_specs_of(r, (kgi_dim){n.a}) && note_specs_of(r, (kgi_dim){n.b});
  case KGI_DIM_FLOAT: case KGI_DIM_PARAM: case KGI_DIM_LEN: case KGI_DIM_INDEX: break;
  }
  return false;
}

static bool number_of(run *r, kgi_dim dim, int64_t *value) {
  kgi_dim_env env = {0};
  *value = 1;
  return !dim.i || (note_specs_of(r, dim) && kgi_dim_eval(&r->p->scope, dim, &env, value) == KGI_DIM_OK);
}

static bool id(const run *r, const kgi_inst *inst, uint64_t *bits) {
  const uint32_t *size = r->size, at[3] = {r->lane % size[0], r->lane / size[0] % size[1], r->lane / size[0] / size[1]};
  if (inst->op == KGI_ID_local_id) return *bits = at[inst->arg[0]], true;
  if (inst->op == KGI_ID_local_index) return *bits = r->lane, true;
  if (inst->op == KGI_ID_workgroup_size) return *bits = size[inst->arg[0]], true;
  return false;
}

static bool spend(run *r, uint32_t steps) {
  if (KGI_LIMIT(tree_steps) - r->steps < steps) return false;
  return r->steps += steps, true;
}

static bool evaluate(run *r, uint32_t value, uint64_t *bits);

static bool operate(run *r, const kgi_inst *inst, uint64_t *bits) {
  uint64_t args[4];
  bool known = r->depth++ < KGI_LIMIT(tree_depth);
  for (unsigned k = 0; known && k < kgi_op_rows[inst->op].arity; k++) known = evaluate(r, inst->arg[k], &args[k]);
  r->depth--;
  kg_type leading = (kg_type)r->p->inst[inst->arg[inst->op == KGI_OP_select]].type;
  return known && kgi_eval((kgi_op)inst->op, leading, (kg_type)inst->type, args, bits);
}

/* Floats are not computed: a device rounds them in its own way, and two that are equal may still be zeros of different sign. */
static bool evaluate(run *r, uint32_t value, uint64_t *bits) {
  const kgi_inst *inst = &r->p->inst[value];
  if (!spend(r, 1) || kgi_is_float((kg_type)inst->type)) return false;
  if (value == r->loop) return *bits = r->trip, true;
  if (inst->kind == KGI_literal) return *bits = kgi_literal_bits(inst), true;
  if (inst->kind == KGI_id) return id(r, inst, bits);
  if (inst->kind == KGI_spec) return *bits = r->p->scope.spec[inst->arg[0]].bits, note_spec(r, inst->arg[0]);
  return inst->kind == KGI_op && operate(r, inst, bits);
}

/* An element of the object. */
static bool element(run *r, uint32_t index, uint32_t *at) {
  uint64_t bits;
  if (!index || !evaluate(r, index, &bits)) return false;
  int64_t value = kgi_bits_to_int((kg_type)r->p->inst[index].type, bits);
  *at = (uint32_t)value;
  return value >= 0 && value < r->lanes;
}

/* ---- what the loop holds ---- */

static bool used_once(const run *r, uint32_t value, uint32_t by) {
  uint32_t use = r->a->f.use_first[value];
  return use && (use - 1) / 4 == by && !r->a->f.use_next[use - 1];
}

static bool is_addend(const run *r, uint32_t value, uint32_t sum) {
  const kgi_inst *inst = &r->p->inst[value];
  return inst->kind == KGI_load && inst->arg[0] == r->object && used_once(r, value, sum) && inst->block == r->p->inst[sum].block &&
         r->a->f.barriers[value] == r->a->f.barriers[sum];
}

/* x[i] = x[j] + x[k], with nothing between that another invocation could wait for. */
static bool is_addition(const run *r, uint32_t store) {
  const kgi_inst *inst = &r->p->inst[store], *sum = &r->p->inst[inst->arg[2]];
  if (inst->arg[0] != r->object || sum->kind != KGI_op || sum->op != KGI_OP_add || sum->block != inst->block) return false;
  return used_once(r, inst->arg[2], store) && r->a->f.barriers[store] == r->a->f.barriers[inst->arg[2]] && sum->arg[0] != sum->arg[1] &&
         is_addend(r, sum->arg[0], inst->arg[2]) && is_addend(r, sum->arg[1], inst->arg[2]);
}

static uint32_t only_user(const run *r, uint32_t value) {
  uint32_t use = r->a->f.use_first[value];
  return use && !r->a->f.use_next[use - 1] ? (use - 1) / 4 : 0;
}

/* Of this object's sum: beside the additions there are numbers, branches and barriers. */
static bool is_part(const run *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  uint32_t user;
  switch ((kgi_kind)inst->kind) {
  case KGI_op: return !kgi_ad_active(r->a, i) || ((user = only_user(r, i)) && r->p->inst[user].kind == KGI_store && is_addition(r, user));
  case KGI_load:
    user = only_user(r, i), user = user ? only_user(r, user) : 0;
    return inst->arg[0] == r->object && user && r->p->inst[user].kind == KGI_store && is_addition(r, user);
  case KGI_store: return is_addition(r, i);
  case KGI_if: case KGI_barrier: return true;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_check: case KGI_var: case KGI_region:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_for: case KGI_while: case KGI_checkpoint: case KGI_subgroup: case KGI_atomic:
  case KGI_memory_barrier: case KGI_KIND_COUNT: break;
  }
  return false;
}

/* What is stored to, and has adjoints: several sums may be made in one loop. Of other memory nothing goes back. */
static bool find_objects(const run *r, kgi_blk body, objects *o) {
  KGI_EACH_INSIDE(r->p, body, i) {
    uint32_t k = 0, object = r->p->inst[i].kind == KGI_store ? r->p->inst[i].arg[0] : 0;
    if (!object || !kgi_ad_active_object(r->a, object)) continue;
    while (k < o->count && o->object[k] != object) k++;
    if (k == MOST_SUMS) return false;
    o->object[k] = object, o->count += k == o->count;
  }
  return o->count != 0;
}

static bool is_aside(const run *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  return (inst->kind == KGI_load || inst->kind == KGI_store) && !kgi_ad_active_object(r->a, inst->arg[0]);
}

/* There is nothing else in the loop. */
static bool are_sums(run *r, kgi_blk body, const objects *o) {
  KGI_EACH_INSIDE(r->p, body, i) {
    bool is_one = is_aside(r, i);
    for (uint32_t k = 0; k < o->count && !is_one; k++) r->object = o->object[k], is_one = is_part(r, i);
    if (!is_one) return false;
  }
  return true;
}

/* ---- running it ---- */

static bool add(run *r, uint32_t store) {
  const kgi_inst *inst = &r->p->inst[store], *sum = &r->p->inst[inst->arg[2]];
  uint32_t to, x, y;
  if (!element(r, inst->arg[1], &to) || !element(r, r->p->inst[sum->arg[0]].arg[1], &x) || !element(r, r->p->inst[sum->arg[1]].arg[1], &y))
    return false;
  if ((x == to) == (y == to) || r->from[to]) return false;
  r->from[to] = 1 + (x == to ? y : x);
  return true;
}

static bool run_branch(run *r, kgi_blk block);

static bool run_inst(run *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  uint64_t condition;
  if (inst->kind == KGI_store) return inst->arg[0] != r->object || add(r, i);
  if (inst->kind == KGI_barrier) return false; /* in a branch */
  if (inst->kind != KGI_if) return true;
  return evaluate(r, inst->arg[0], &condition) && run_branch(r, inst->arg[condition ? 1 : 2]);
}

static bool run_branch(run *r, kgi_blk block) {
  KGI_EACH(r->p, block, i)
    if (block && !run_inst(r, i)) return false;
  return true;
}

/* A barrier: what was added before is there. Nobody has read what somebody else added to, and no element counts twice. */
static bool settle(run *r) {
  if (!spend(r, r->lanes)) return false;
  for (uint32_t to = 0; to < r->lanes; to++) {
    if (!r->from[to]) continue;
    const elements *x = &r->holds[r->from[to] - 1];
    if (r->from[r->from[to] - 1]) return false;
    for (unsigned k = 0; k < WORDS; k++) {
      if (r->holds[to].word[k] & x->word[k]) return false;
      r->holds[to].word[k] |= x->word[k];
    }
  }
  memset(r->from, 0, r->lanes * sizeof *r->from);
  return true;
}

static bool run_trip(run *r, kgi_blk body) {
  KGI_EACH(r->p, body, i) {
    if (r->p->inst[i].kind == KGI_barrier && !settle(r)) return false;
    for (r->lane = 0; r->p->inst[i].kind != KGI_barrier && r->lane < r->lanes; r->lane++)
      if (!run_inst(r, i)) return false;
  }
  return true;
}

/* Alike for all invocations. */
static bool bound(run *r, uint32_t value, int64_t *number) {
  kg_type type = (kg_type)r->p->inst[value].type;
  for (r->lane = 0; r->lane < r->lanes; r->lane++) {
    uint64_t bits;
    if (!evaluate(r, value, &bits) || (r->lane && kgi_bits_to_int(type, bits) != *number)) return false;
    *number = kgi_bits_to_int(type, bits);
  }
  return true;
}

static bool run_loop(run *r) {
  const kgi_inst *loop = &r->p->inst[r->loop];
  int64_t from, to, step;
  uint64_t mask = kgi_type_bits(loop->type) == 64 ? UINT64_MAX : UINT32_MAX;
  if (!bound(r, loop->arg[0], &from) || !bound(r, loop->arg[1], &to) || !bound(r, loop->arg[2], &step)) return false;
  if (from < (loop->type == KG_U64 ? 0 : INT32_MIN)) return false; /* below 0 it stands for a number past all that are signed */
  if (step <= 0 || from >= to || to > UINT32_MAX || (to - from) / step >= KGI_LIMIT(tree_trips)) return false;
  int64_t trips = (to - from - 1) / step + 1;
  for (int64_t t = 0; t < trips; t++) {
    r->trip = (uint64_t)(from + (loop->flags & KGI_REVERSED ? trips - 1 - t : t) * step) & mask;
    if (!run_trip(r, kgi_body_of(loop))) return false;
  }
  return settle(r);
}

/* ---- who looks at it afterwards ---- */

/* Each invocation stores to an element, and all elements are stored to. */
static bool is_filling(run *r, uint32_t i, kgi_blk block) {
  const kgi_inst *inst = &r->p->inst[i];
  elements seen = {{0}};
  uint32_t at, loop = r->loop;
  if (inst->kind != KGI_store || inst->block != block) return false;
  r->loop = 0; /* it is not inside */
  for (r->lane = 0; r->lane < r->lanes; r->lane++) {
    if (!element(r, inst->arg[1], &at) || seen.word[at / 64] >> at % 64 & 1) return r->loop = loop, false;
    seen.word[at / 64] |= UINT64_C(1) << at % 64;
  }
  return r->loop = loop, true;
}

/* Of no use, or a load of the root, which is a literal. */
static bool looks_at_root(const run *r, uint32_t i, uint32_t *root) {
  const kgi_inst *inst = &r->p->inst[i];
  if (inst->kind != KGI_load) return false;
  if (!kgi_ad_active(r->a, i)) return true;
  if (!inst->arg[1] || r->p->inst[inst->arg[1]].kind != KGI_literal) return false;
  uint64_t bits = kgi_literal_bits(&r->p->inst[inst->arg[1]]);
  if (bits >= r->lanes || (*root && *root - 1 != bits)) return false;
  return *root = 1 + (uint32_t)bits, true;
}

/* Until all is stored anew, the root alone is looked at. What stands before the loop comes behind it too, where that runs again. *root:
 * 1 + the element. */
static bool root_of(run *r, uint32_t *root) {
  const kgi_ad_facts *f = &r->a->f;
  kgi_blk body = kgi_body_of(&r->p->inst[r->loop]), block = r->p->inst[r->loop].block;
  bool filled = false, ahead = block == KGI_BODY; /* in the order of positions: behind the loop, then ahead of it */
  for (uint32_t i = f->object[r->object].first; i; i = f->access_next[i]) {
    if (f->pos[i] < f->block[body].end || filled) continue;
    if (kgi_is_within(f, block, i) && is_filling(r, i, block)) filled = true;
    else if (!looks_at_root(r, i, root)) return false;
  }
  for (uint32_t i = f->object[r->object].first; !ahead && i && f->pos[i] < f->block[body].start; i = f->access_next[i]) {
    if (kgi_is_within(f, block, i) && is_filling(r, i, block)) ahead = true;
    else if (!looks_at_root(r, i, root)) return false;
  }
  return *root && ahead;
}

static bool is_whole(const run *r, uint32_t root) {
  uint32_t count = 0;
  for (unsigned k = 0; k < WORDS; k++) count += (uint32_t)__builtin_popcountll(r->holds[root].word[k]);
  return count == r->lanes;
}

/* ---- the plan ---- */

/* As many elements as invocations, so that each invocation has one. */
static bool measure(run *r) {
  const kgi_object *o = &r->p->scope.object[r->object];
  int64_t size[3], length;
  for (unsigned k = 0; k < 3; k++)
    if (!number_of(r, r->p->workgroup[k], &size[k])) return false;
  if (o->space != KGI_SHARED || o->scalar || o->rank || !kgi_is_float(o->type) || !number_of(r, o->length, &length)) return false;
  r->lanes = (uint32_t)(size[0] * size[1] * size[2]);
  for (unsigned k = 0; k < 3; k++) r->size[k] = (uint32_t)size[k];
  return r->lanes == length && r->lanes > 1 && r->lanes <= KGI_LIMIT(tree_lanes);
}

static bool make_room(run *r) {
  if (r->lanes <= r->room) return true;
  r->from = kgi_arena_alloc(&r->a->scratch, r->lanes, sizeof *r->from);
  r->holds = kgi_arena_alloc(&r->a->scratch, r->lanes, sizeof *r->holds);
  if (!r->from || !r->holds) return kgi_ad_fail(r->a, KG_NO_MEMORY), false;
  return r->room = r->lanes, true;
}

static bool begin(run *r) {
  if (!make_room(r)) return false;
  memset(r->from, 0, r->lanes * sizeof *r->from);
  memset(r->holds, 0, r->lanes * sizeof *r->holds);
  for (uint32_t i = 0; i < r->lanes; i++) r->holds[i].word[i / 64] |= UINT64_C(1) << i % 64;
  return true;
}

static bool may_be_tree(const run *r) {
  kgi_blk body = kgi_body_of(&r->p->inst[r->loop]);
  return r->a->f.block[body].has_barrier && !r->a->block[body].in_step && !kgi_counted(&r->a->f, r->loop).count;
}

static bool is_tree(run *r, uint32_t object, kgi_ad_tree *tree) {
  uint32_t root = 0;
  r->object = object, r->specs = 0;
  if (!measure(r) || !root_of(r, &root) || !begin(r) || !run_loop(r) || !is_whole(r, root - 1)) return false;
  *tree = (kgi_ad_tree){.loop = r->loop, .object = object, .root = root - 1, .specs = r->specs};
  return true;
}

static void find(run *r, uint32_t loop) {
  kgi_ad *a = r->a;
  kgi_blk body = kgi_body_of(&r->p->inst[loop]);
  objects o = {.count = 0};
  kgi_ad_tree tree[MOST_SUMS];
  r->loop = loop;
  if (!may_be_tree(r) || !find_objects(r, body, &o) || !are_sums(r, body, &o)) return;
  for (uint32_t k = 0; k < o.count; k++)
    if (!is_tree(r, o.object[k], &tree[k])) return;
  uint32_t first = a->tree_count;
  for (uint32_t k = 0; k < o.count; k++) {
    if (!kgi_arena_grow(&a->scratch, &a->tree, a->tree_count, &a->tree_cap, sizeof *a->tree)) return kgi_ad_fail(a, KG_NO_MEMORY);
    tree[k].more = k + 1 < o.count;
    a->tree[a->tree_count++] = tree[k];
  }
  a->block[body].tree = first + 1;
}

void kgi_ad_find_trees(kgi_ad *a) {
  run r = {.a = a, .p = a->f.p};
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i)
    if (a->f.p->inst[i].kind == KGI_for && a->block[kgi_body_of(&a->f.p->inst[i])].content) find(&r, i);
}
