/* Which row of a tape a round of the repeats around a run has, and how many rows there are. */
#include "autodiff/plan/ad.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"

/* ---- lengths without the index of a repeat ---- */

static bool names_a_repeat(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op == KGI_DIM_INDEX) return true;
  return n->op >= KGI_DIM_ADD && (names_a_repeat(s, (kgi_dim){n->a}) || names_a_repeat(s, (kgi_dim){n->b}));
}

/* Lengths between which one lies, whatever the rounds are; {0}: nobody knows. */
typedef struct bounds { kgi_dim least, most; } bounds;
static bounds bounds_of(kgi_ad *a, kgi_dim dim);

static bounds make(kgi_ad *a, kgi_dim_op op, bounds x, bounds y) {
  kgi_dim least = kgi_ad_length(a, op, x.least, y.least);
  return (bounds){least, kgi_ad_length(a, op, x.most, y.most)};
}

/* A factor may be negative: the products at the ends, the least and the greatest of the four. */
static bounds product(kgi_ad *a, bounds x, bounds y) {
  bounds first = make(a, KGI_DIM_MUL, x, y), second = make(a, KGI_DIM_MUL, x, (bounds){y.most, y.least});
  kgi_dim least = kgi_ad_length(a, KGI_DIM_MIN, first.least, first.most), most = kgi_ad_length(a, KGI_DIM_MAX, first.least, first.most);
  least = kgi_ad_length(a, KGI_DIM_MIN, least, kgi_ad_length(a, KGI_DIM_MIN, second.least, second.most));
  return (bounds){least, kgi_ad_length(a, KGI_DIM_MAX, most, kgi_ad_length(a, KGI_DIM_MAX, second.least, second.most))};
}

static bool is_number_above_0(kgi_ad *a, uint32_t dim) {
  const kgi_dim_node *n = &a->f.work->scope.dim[dim];
  return n->op == KGI_DIM_INT && n->imm > 0;
}

/* By a literal above 0: rounding down keeps the order. So it does by what is no less than one. */
static bounds quotient(kgi_ad *a, kgi_dim_op op, bounds x, kgi_dim by, bounds y) {
  const kgi_dim_node n = a->f.work->scope.dim[by.i];
  if (op == KGI_DIM_DIV && n.op == KGI_DIM_MAX && is_number_above_0(a, n.b)) {
    kgi_dim none = kgi_ad_number(a, 0), least = kgi_ad_length(a, KGI_DIM_MIN, x.least, none), most = kgi_ad_length(a, KGI_DIM_MAX, x.most, none);
    return (bounds){least, kgi_ad_length(a, op, most, y.least)};
  }
  if (!is_number_above_0(a, by.i)) return (bounds){{0}, {0}};
  if (op == KGI_DIM_DIV) return make(a, op, x, (bounds){by, by});
  kgi_dim none = kgi_ad_number(a, 0);
  return (bounds){none, kgi_ad_number(a, n.imm - 1)};
}

/* The index of a round lies before the repeat's end and not before its beginning. */
static bounds index_bounds(kgi_ad *a, uint32_t repeat) {
  const kgi_item item = a->f.work->item[repeat];
  bounds from = bounds_of(a, item.from), to = bounds_of(a, item.to);
  return (bounds){from.least, kgi_ad_length(a, KGI_DIM_SUB, to.most, kgi_ad_number(a, 1))};
}

static bounds bounds_of(kgi_ad *a, kgi_dim dim) {
  const kgi_dim_node n = a->f.work->scope.dim[dim.i];
  if (!names_a_repeat(&a->f.work->scope, dim)) return (bounds){dim, dim};
  if (n.op == KGI_DIM_INDEX) return index_bounds(a, n.a);
  kgi_dim_op op = (kgi_dim_op)n.op;
  bounds x = bounds_of(a, (kgi_dim){n.a}), y = bounds_of(a, (kgi_dim){n.b});
  if (op == KGI_DIM_SUB) return make(a, op, x, (bounds){y.most, y.least});
  if (op == KGI_DIM_MUL) return product(a, x, y);
  if (op == KGI_DIM_DIV || op == KGI_DIM_MOD) return quotient(a, op, x, (kgi_dim){n.b}, y);
  return make(a, op, x, y);
}

/* The most that a length is in any round: one that names no repeat, and not below 0. {0}: nobody knows. */
static kgi_dim most_of(kgi_ad *a, kgi_dim dim) {
  if (!dim.i || !names_a_repeat(&a->f.work->scope, dim)) return dim;
  kgi_dim none = kgi_ad_number(a, 0);
  return kgi_ad_length(a, KGI_DIM_MAX, bounds_of(a, dim).most, none);
}

/* Nothing bounds it, or there was no memory to say what does. */
static void refuse(kgi_ad *a, uint32_t item) {
  if (a->f.work->arena.failed) kgi_ad_fail(a, KG_NO_MEMORY);
  else KGI_AD_REFUSE(a, grad_needs_rounds, a->f.work->item[item].pos, kgi_string(a->f.work, a->f.p->name));
}

/* ---- rounds ---- */

static kgi_dim step_of(kgi_ad *a, uint32_t repeat) {
  kgi_dim step = a->f.work->item[repeat].step;
  return step.i ? step : kgi_ad_number(a, 1);
}

kgi_dim kgi_ad_rounds_of(kgi_ad *a, uint32_t repeat) {
  const kgi_item item = a->f.work->item[repeat];
  kgi_dim one = kgi_ad_number(a, 1), none = kgi_ad_number(a, 0), rounds = kgi_dim_difference(&a->f.work->arena, &a->f.work->scope, item.to, item.from);
  if (names_a_repeat(&a->f.work->scope, rounds)) rounds = bounds_of(a, rounds).most;
  if (item.step.i) {
    kgi_dim further = kgi_ad_length(a, KGI_DIM_DIV, kgi_ad_length(a, KGI_DIM_SUB, rounds, one), item.step);
    rounds = kgi_ad_length(a, KGI_DIM_ADD, further, one);
  }
  rounds = kgi_ad_length(a, KGI_DIM_MAX, rounds, none);
  return names_a_repeat(&a->f.work->scope, rounds) ? (kgi_dim){0} : rounds;
}

kgi_dim kgi_ad_round_of(kgi_ad *a, uint32_t repeat) {
  kgi_dim index = kgi_dim_leaf(&a->f.work->arena, &a->f.work->scope, KGI_DIM_INDEX, repeat);
  kgi_dim step = step_of(a, repeat);
  return kgi_ad_length(a, KGI_DIM_DIV, kgi_ad_length(a, KGI_DIM_SUB, index, a->f.work->item[repeat].from), step);
}

/* The rounds of the repeats around the run are one more dimension, as the digits of a number. */
void kgi_ad_find_rounds(kgi_ad *a) {
  kgi_dim stride = kgi_ad_number(a, 1), segment = kgi_ad_number(a, a->req.cut_rounds);
  a->rounds = a->round = (kgi_dim){0};
  for (uint32_t r = a->req.parent[a->req.item]; r && a->status == KG_OK; r = r == a->req.cut ? 0 : a->req.parent[r]) {
    kgi_dim rounds = kgi_ad_rounds_of(a, r), round = kgi_ad_round_of(a, r);
    if (!rounds.i) refuse(a, r);
    if (r == a->req.cut) {
      rounds = kgi_ad_length(a, KGI_DIM_MIN, rounds, segment);
      round = kgi_ad_length(a, KGI_DIM_MOD, round, segment);
    }
    round = kgi_ad_length(a, KGI_DIM_MUL, round, stride);
    a->round = a->round.i ? kgi_ad_length(a, KGI_DIM_ADD, a->round, round) : round;
    a->rounds = stride = kgi_ad_length(a, KGI_DIM_MUL, rounds, stride);
  }
}

kgi_dim kgi_ad_part_length(kgi_ad *a, uint32_t object) {
  bool sliced = kgi_is_slice(kgi_run_slice(a->f.work, a->req.item, object));
  kgi_dim length = sliced ? kgi_ad_length_of_run(a, object) : (kgi_dim){0};
  return names_a_repeat(&a->f.work->scope, length) ? (kgi_dim){0} : length;
}

void kgi_ad_keep_end(kgi_ad *a, uint32_t object) {
  a->object[object].ended = true;
  a->object[object].part_length = kgi_ad_part_length(a, object);
}

/* A buffer's length cannot depend on which round it is. */
void kgi_ad_find_lanes(kgi_ad *a) {
  a->lanes = most_of(a, kgi_ad_lanes(a));
  bool bounded = a->lanes.i != 0;
  for (uint32_t k = 0; k < a->loop_count && bounded; k++) {
    if (!a->loop[k].taped) continue;
    a->loop[k].most = most_of(a, a->loop[k].most);
    bounded = a->loop[k].most.i != 0;
  }
  if (!bounded) refuse(a, a->req.item);
}

void kgi_ad_find_extents(kgi_ad *a) {
  kgi_ad_find_rounds(a);
  if (a->status == KG_OK) kgi_ad_find_lanes(a);
}
