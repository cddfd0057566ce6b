/* Intervals across the lanes of a subgroup: folds go in an order of the device's own. */
#include "reference/bound.h"

typedef enum fold_kind { ADDS, MULTIPLIES, LEAST, GREATEST, BITS } fold_kind;
typedef enum reach { WHOLE, UP_TO, BEFORE } reach;
typedef struct fold { fold_kind kind; reach reach; bool folds; } fold;

static fold fold_of(kgi_subgroup op) {
  switch (op) {
  case KGI_SUBGROUP_add: return (fold){ADDS, WHOLE, true};
  case KGI_SUBGROUP_inclusive_add: return (fold){ADDS, UP_TO, true};
  case KGI_SUBGROUP_exclusive_add: return (fold){ADDS, BEFORE, true};
  case KGI_SUBGROUP_mul: return (fold){MULTIPLIES, WHOLE, true};
  case KGI_SUBGROUP_inclusive_mul: return (fold){MULTIPLIES, UP_TO, true};
  case KGI_SUBGROUP_exclusive_mul: return (fold){MULTIPLIES, BEFORE, true};
  case KGI_SUBGROUP_min: return (fold){LEAST, WHOLE, true};
  case KGI_SUBGROUP_inclusive_min: return (fold){LEAST, UP_TO, true};
  case KGI_SUBGROUP_exclusive_min: return (fold){LEAST, BEFORE, true};
  case KGI_SUBGROUP_max: return (fold){GREATEST, WHOLE, true};
  case KGI_SUBGROUP_inclusive_max: return (fold){GREATEST, UP_TO, true};
  case KGI_SUBGROUP_exclusive_max: return (fold){GREATEST, BEFORE, true};
  case KGI_SUBGROUP_and: case KGI_SUBGROUP_or: case KGI_SUBGROUP_xor: return (fold){BITS, WHOLE, true};
  case KGI_SUBGROUP_inclusive_and: case KGI_SUBGROUP_inclusive_or: case KGI_SUBGROUP_inclusive_xor:
    return (fold){BITS, UP_TO, true};
  case KGI_SUBGROUP_exclusive_and: case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor:
    return (fold){BITS, BEFORE, true};
  case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any: case KGI_SUBGROUP_all: return (fold){BITS, WHOLE, true};
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor:
  case KGI_SUBGROUP_shuffle_up: case KGI_SUBGROUP_shuffle_down: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT:
    break;
  }
  return (fold){BITS, WHOLE, false};
}

/* What is known of the operands so far: exact sum and product, extremes, and what the steps in between may reach. */
typedef struct running {
  kgi_machine *m;
  const kgi_inst *x;
  uint32_t inst, first, end;
  kg_type type;
  uint32_t count;
  bool unknown;
  kgi_interval sum, product, least, greatest, last;
  double size;            /* of the sum's terms together */
  double largest, smallest; /* a product of some of the terms */
} running;

static running begin(kgi_machine *m, uint32_t i, uint32_t first, uint32_t end) {
  const double inf = (double)INFINITY;
  return (running){.m = m, .inst = i, .x = &m->plan->program->inst[i], .first = first, .end = end, .product = kgi_point(1),
                   .type = kgi_type_at(m->plan->program, i), .least = kgi_point(inf), .greatest = kgi_point(-inf), .largest = 1,
                   .smallest = 1};
}

static kgi_interval times(kgi_interval a, kgi_interval b) {
  double at[8];
  const double x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
  for (int k = 0; k < 4; k++) {
    kgi_interval p = kgi_enclose_mul(x[k / 2], y[k % 2]);
    at[2 * k] = p.low, at[2 * k + 1] = p.high;
  }
  kgi_interval all = {at[0], at[0]};
  for (int k = 1; k < 8; k++) all.low = fmin(all.low, at[k]), all.high = fmax(all.high, at[k]);
  return all;
}

/* A factor that may be as small as it likes has no smallest product; one that is 0 does not come into it. */
static void take_factor(running *r, kgi_interval x) {
  double most = fmax(-x.low, x.high), least = kgi_within(x, 0) ? 0 : fmin(fabs(x.low), fabs(x.high));
  r->product = times(r->product, x);
  if (most > 1) r->largest *= most;
  if (most != 0 && least < 1) r->smallest *= least;
}

static void take(running *r, uint32_t lane) {
  kgi_interval x = kgi_bound_of(r->m->bound, r->x->arg[0], lane);
  r->count++;
  r->unknown |= kgi_is_anything(x);
  if (!kgi_is_float(r->type) || r->unknown) return;
  x = kgi_flushed(&r->m->bound->rules, r->type, x);
  double size = fmax(-x.low, x.high);
  r->last = x;
  if (isinf(size)) r->size = size;
  else if (!isinf(r->size)) {
    r->sum.low = kgi_enclose_add(r->sum.low, x.low).low, r->sum.high = kgi_enclose_add(r->sum.high, x.high).high;
    r->size = kgi_next_up(r->size + size);
    take_factor(r, x);
  }
  r->least = (kgi_interval){fmin(r->least.low, x.low), fmin(r->least.high, x.high)};
  r->greatest = (kgi_interval){fmax(r->greatest.low, x.low), fmax(r->greatest.high, x.high)};
}

/* ---- what a fold may give ---- */

/* The relative error of n steps, each rounded in any direction. */
static double part_of(const running *r) {
  double unit = r->type == KG_F64 ? 0x1p-52 : r->type == KG_F16 ? 0x1p-10 : 0x1p-23, n = r->count;
  return n * unit / (1 - n * unit) * (1 + 0x1p-20);
}

static kgi_interval outward(kg_type type, kgi_interval x) {
  return (kgi_interval){kgi_round_down(type, x.low), kgi_round_up(type, x.high)};
}

static kgi_interval sum_of(const running *r) {
  double slack = r->size * part_of(r), flushed = r->m->bound->rules.flush ? r->count * kgi_type_least_normal(r->type) : 0;
  if (!(r->size + slack < kgi_type_largest(r->type))) return kgi_anything();
  slack += flushed;
  return outward(r->type, (kgi_interval){kgi_next_down(r->sum.low - slack), kgi_next_up(r->sum.high + slack)});
}

static kgi_interval product_of(const running *r) {
  double part = part_of(r);
  bool plain = r->largest * (1 + part) < kgi_type_largest(r->type) && r->smallest * (1 - part) > kgi_type_least_normal(r->type);
  if (!plain || isinf(r->size)) return kgi_anything();
  double slack = fmax(fabs(r->product.low), fabs(r->product.high)) * part;
  if (slack == 0) return r->product;
  return outward(r->type, (kgi_interval){kgi_next_down(r->product.low - slack), kgi_next_up(r->product.high + slack)});
}

static double identity_of(fold_kind kind) {
  return kind == MULTIPLIES ? 1 : kind == LEAST ? (double)INFINITY : kind == GREATEST ? -(double)INFINITY : 0;
}

static kgi_interval result_of(const running *r, fold_kind kind) {
  kgi_interval y = kgi_anything();
  if (r->unknown) return y;
  if (!kgi_is_float(r->type)) return kgi_point(0);
  if (r->count == 0) y = kgi_point(identity_of(kind));
  else if (r->count == 1 && kind != BITS) y = r->last;
  else if (kind == ADDS) y = r->size == 0 ? kgi_point(0) : sum_of(r);
  else if (kind == MULTIPLIES) y = product_of(r);
  else y = kind == LEAST ? r->least : r->greatest;
  return kgi_settled(&r->m->bound->rules, r->type, y);
}

/* ---- lanes ---- */

static bool active(const kgi_mask *mask, uint32_t lane) { return lane >= mask->first && lane < mask->end && mask->lane[lane]; }

/* A lane in doubt may take part or not. */
static bool doubted(const kgi_machine *m, uint32_t first, uint32_t end) {
  for (uint32_t l = first; l < end; l++)
    if (kgi_bound_doubts(m->bound, l)) return true;
  return false;
}

static void give(const running *r, uint32_t lane, fold_kind kind) {
  kgi_interval y = result_of(r, kind);
  /* a ballot's word is chosen by the second operand */
  if (r->x->arg[1] && !kgi_bound_sure(r->m->bound, r->x->arg[1], lane)) y = kgi_anything();
  kgi_bound_set(r->m->bound, r->inst, lane, y);
}

static void fold_group(running *r, fold f, const kgi_mask *mask) {
  r->unknown = doubted(r->m, r->first, r->end);
  for (uint32_t l = r->first; l < r->end; l++) {
    if (!active(mask, l)) continue;
    if (f.reach == BEFORE) give(r, l, f.kind);
    take(r, l);
    if (f.reach == UP_TO) give(r, l, f.kind);
  }
  for (uint32_t l = r->first; l < r->end && f.reach == WHOLE; l++)
    if (active(mask, l)) give(r, l, f.kind);
}

void kgi_bound_subgroup(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  fold f = fold_of((kgi_subgroup)x->op);
  for (uint32_t first = mask->first / m->subgroup * m->subgroup; first < mask->end; first += m->subgroup) {
    uint32_t end = first + m->subgroup < m->lanes ? first + m->subgroup : m->lanes;
    running r = begin(m, i, first, end);
    if (f.folds) fold_group(&r, f, mask);
    bool sure = x->op != KGI_SUBGROUP_elect || !doubted(m, first, end);
    for (uint32_t l = first; l < end && x->op == KGI_SUBGROUP_elect; l++)
      if (active(mask, l)) kgi_bound_set(m->bound, i, l, kgi_bound_mark(sure));
  }
}

void kgi_bound_move(kgi_machine *m, uint32_t i, uint32_t lane, uint32_t from) {
  const kgi_inst *x = &m->plan->program->inst[i];
  uint32_t first = lane / m->subgroup * m->subgroup, end = first + m->subgroup < m->lanes ? first + m->subgroup : m->lanes;
  bool known = !x->arg[1] || kgi_bound_sure(m->bound, x->arg[1], lane);
  if (!known) kgi_undecided(m, i, 1);
  kgi_interval y = from == KGI_SURE ? kgi_point(0) : kgi_bound_of(m->bound, x->arg[0], from);
  kgi_bound_set(m->bound, i, lane, known && !doubted(m, first, end) ? y : kgi_anything());
}
