/* Ranges of integer values, as far as params, lengths, ids and arithmetic tell; from them the trips of loops. */
#include "driver/bound.h"

typedef struct range { int64_t lo, hi; bool known; } range;

typedef struct bounder {
  const kgi_run *run;
  const kgi_program *p;
  range *range; /* by instruction */
  bool certain;
  uint32_t loops;
} bounder;

static range only(int64_t value) { return (range){value, value, true}; }
static range between(int64_t lo, int64_t hi) { return (range){lo, hi, lo <= hi}; }

/* Every value that the type has; 64-bit ones are not followed. */
static range of_type(unsigned type) {
  if (type == KG_U32) return between(0, UINT32_MAX);
  if (type == KG_I32) return between(INT32_MIN, INT32_MAX);
  return (range){0};
}

/* What does not fit the type wraps, and is then anything. */
static range fitting(unsigned type, range r) {
  range all = of_type(type);
  if (!all.known) return r;
  return r.known && r.lo >= all.lo && r.hi <= all.hi ? r : all;
}

static range of_bits(unsigned type, uint64_t bits) {
  if (!kgi_is_int(type) || (type == KG_U64 && bits > INT64_MAX)) return (range){0};
  return only(kgi_bits_to_int((kg_type)type, bits));
}

static range of_id(const kgi_run *run, kgi_id id, unsigned k) {
  int64_t size = run->workgroup[k], groups = run->groups[k];
  int64_t lanes = (int64_t)run->workgroup[0] * run->workgroup[1] * run->workgroup[2];
  switch (id) {
  case KGI_ID_global_id: return between(0, size * groups - 1);
  case KGI_ID_local_id: return between(0, size - 1);
  case KGI_ID_workgroup_id: return between(0, groups - 1);
  case KGI_ID_num_workgroups: return only(groups);
  case KGI_ID_workgroup_size: return only(size);
  case KGI_ID_local_index: return between(0, lanes - 1);
  case KGI_ID_subgroup_lane: return between(0, 127);
  case KGI_ID_subgroup_size: return between(1, 128);
  case KGI_ID_COUNT: break;
  }
  return (range){0};
}

/* ---- arithmetic ---- */

static range sum(range a, range b, bool minus) {
  range r = {.known = true};
  bool over = minus ? __builtin_sub_overflow(a.lo, b.hi, &r.lo) || __builtin_sub_overflow(a.hi, b.lo, &r.hi)
                    : __builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi);
  return over ? (range){0} : r;
}

static range product(range a, range b) {
  const int64_t x[] = {a.lo, a.hi}, y[] = {b.lo, b.hi};
  range r = {INT64_MAX, INT64_MIN, true};
  for (unsigned i = 0; i < 4; i++) {
    int64_t corner;
    if (__builtin_mul_overflow(x[i / 2], y[i % 2], &corner)) return (range){0};
    if (corner < r.lo) r.lo = corner;
    if (corner > r.hi) r.hi = corner;
  }
  return r;
}

static range least(range a, range b) { return between(a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi); }
static range largest(range a, range b) { return between(a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi); }

static range of_op(const bounder *b, const kgi_inst *inst) {
  range x = b->range[inst->arg[0]], y = b->range[inst->arg[1]], z = b->range[inst->arg[2]];
  if (!kgi_is_int(inst->type)) return (range){0}; /* floats round */
  if (inst->op == KGI_OP_convert) return x;
  if (inst->op == KGI_OP_select) return y.known && z.known ? between(y.lo < z.lo ? y.lo : z.lo, y.hi > z.hi ? y.hi : z.hi) : (range){0};
  if (!x.known || !y.known) return (range){0};
  if (inst->op == KGI_OP_add) return sum(x, y, false);
  if (inst->op == KGI_OP_sub) return sum(x, y, true);
  if (inst->op == KGI_OP_mul) return product(x, y);
  if (inst->op == KGI_OP_min) return least(x, y);
  if (inst->op == KGI_OP_max) return largest(x, y);
  bool positive = x.lo >= 0 && y.lo > 0;
  if (inst->op == KGI_OP_div && positive) return between(x.lo / y.hi, x.hi / y.lo);
  if ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && positive) return between(0, x.hi < y.hi - 1 ? x.hi : y.hi - 1);
  if (inst->op == KGI_OP_shl && x.lo >= 0 && y.lo >= 0 && y.hi < 31) return product(x, between(INT64_C(1) << y.lo, INT64_C(1) << y.hi));
  if (inst->op == KGI_OP_shr && x.lo >= 0 && y.lo >= 0 && y.hi < 32) return between(x.lo >> y.hi, x.hi >> y.lo);
  if (inst->op == KGI_OP_and && x.lo >= 0 && y.lo >= 0) return between(0, x.hi < y.hi ? x.hi : y.hi);
  return (range){0};
}

static range of_leaf(const bounder *b, const kgi_inst *inst) {
  const kgi_scope *s = &b->p->scope;
  if (inst->kind == KGI_literal) return of_bits(inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_param) return of_bits(inst->type, b->run->param[inst->arg[0]]);
  if (inst->kind == KGI_spec) return of_bits(inst->type, s->spec[inst->arg[0]].bits);
  if (inst->kind == KGI_len) return only((int64_t)kgi_run_length(b->run, inst->arg[0], inst->arg[1]));
  return of_id(b->run, (kgi_id)inst->op, inst->arg[0]);
}

/* ---- trips ---- */

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product_;
  return __builtin_mul_overflow(a, b, &product_) ? UINT64_MAX : product_;
}

static bool leaves(const kgi_program *p, kgi_blk block) {
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind == KGI_break || inst->kind == KGI_return) return true;
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < owned.count; k++)
      if (inst->arg[owned.first + k] && leaves(p, inst->arg[owned.first + k])) return true;
  }
  return false;
}

static uint64_t block_bound(bounder *b, kgi_blk block);

static uint64_t for_bound(bounder *b, uint32_t i) {
  const kgi_inst *loop = &b->p->inst[i];
  range from = b->range[loop->arg[0]], to = b->range[loop->arg[1]], step = b->range[loop->arg[2]];
  bool known = from.known && to.known && step.known && step.lo >= 1;
  b->range[i] = known ? fitting(loop->type, between(from.lo, to.hi - 1)) : of_type(loop->type);
  bool exact = known && from.lo == from.hi && to.lo == to.hi && step.lo == step.hi && !leaves(b->p, loop->arg[3]);
  b->loops++;
  uint64_t body = block_bound(b, loop->arg[3]);
  if (!exact) b->certain = false;
  return known ? times(kgi_trips(from.lo, to.hi, step.lo), plus(body, 1)) : UINT64_MAX;
}

static uint64_t while_bound(bounder *b, uint32_t i) {
  const kgi_inst *loop = &b->p->inst[i];
  int64_t limit;
  kgi_dim_env env = {.param = b->run->param, .length = b->run->length};
  b->loops++;
  b->certain = false;
  uint64_t condition = block_bound(b, loop->arg[1]), body = plus(condition, block_bound(b, loop->arg[2]));
  kgi_dim dim = {loop->arg[3]};
  if (!dim.i || kgi_dim_eval(&b->p->scope, dim, &env, &limit) != KGI_DIM_OK || limit < 0) return UINT64_MAX;
  return times(plus((uint64_t)limit, 1), plus(body, 1));
}

static uint64_t block_bound(bounder *b, kgi_blk block) {
  uint64_t total = 0;
  KGI_EACH(b->p, block, i) {
    const kgi_inst *inst = &b->p->inst[i];
    if (inst->kind == KGI_for) total = plus(total, for_bound(b, i));
    else if (inst->kind == KGI_while) total = plus(total, while_bound(b, i));
    else if (inst->kind == KGI_region) total = plus(total, block_bound(b, inst->arg[0]));
    else if (inst->kind == KGI_if) {
      uint64_t yes = block_bound(b, inst->arg[1]), no = inst->arg[2] ? block_bound(b, inst->arg[2]) : 0;
      total = plus(total, yes > no ? yes : no);
    } else {
      b->range[i] = fitting(inst->type, inst->kind == KGI_op ? of_op(b, inst) : (range){0});
    }
  }
  return total;
}

bool kgi_bound_loops(const kgi_run *run, kgi_arena *scratch, kgi_loop_bound *out) {
  bounder b = {.run = run, .p = run->program, .certain = true};
  b.range = kgi_arena_alloc(scratch, b.p->inst_count, sizeof *b.range);
  if (!b.range) return false;
  for (uint32_t i = 1; i < b.p->inst_count; i++)
    if (kgi_is_leaf(b.p->inst[i].kind)) b.range[i] = of_leaf(&b, &b.p->inst[i]);
  uint64_t most = block_bound(&b, KGI_BODY);
  *out = (kgi_loop_bound){most, b.certain, b.loops};
  return true;
}
