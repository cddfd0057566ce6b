/* What the driver makes of the trips of loops: how often an invocation goes round any of them. */
#include "driver/bound.h"
#include "foundation/analysis/ranges.h"

#include <string.h>

typedef struct bounder {
  const kgi_program *p;
  const kgi_loop_trips *trips;
  bool certain;
  uint32_t loops;
} bounder;

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t block_bound(bounder *b, kgi_blk block);

/* A trip counts as one, besides what it holds. */
static uint64_t for_bound(bounder *b, uint32_t i) { return times(b->trips[i].most, plus(block_bound(b, b->p->inst[i].arg[3]), 1)); }

/* The condition is computed once more than the body. */
static uint64_t while_bound(bounder *b, uint32_t i) {
  const kgi_inst *loop = &b->p->inst[i];
  uint64_t condition = block_bound(b, loop->arg[1]), body = plus(condition, block_bound(b, loop->arg[2]));
  return times(plus(b->trips[i].most, 1), plus(body, 1));
}

static uint64_t if_bound(bounder *b, uint32_t i) {
  const kgi_inst *branch = &b->p->inst[i];
  uint64_t yes = block_bound(b, branch->arg[1]), no = branch->arg[2] ? block_bound(b, branch->arg[2]) : 0;
  return yes > no ? yes : no;
}

static uint64_t block_bound(bounder *b, kgi_blk block) {
  uint64_t total = 0;
  KGI_EACH(b->p, block, i) {
    const kgi_inst *inst = &b->p->inst[i];
    if (kgi_is_loop(inst)) b->loops++, b->certain &= b->trips[i].exact;
    if (inst->kind == KGI_for) total = plus(total, for_bound(b, i));
    if (inst->kind == KGI_while) total = plus(total, while_bound(b, i));
    if (kgi_is_region(inst)) total = plus(total, block_bound(b, inst->arg[0]));
    if (inst->kind == KGI_if) total = plus(total, if_bound(b, i));
  }
  return total;
}

bool kgi_bound_loops(const kgi_run *run, kgi_arena *scratch, kgi_loop_bound *out) {
  kgi_known known = {.param = run->param, .length = run->length};
  memcpy(known.workgroup, run->workgroup, sizeof known.workgroup);
  memcpy(known.groups, run->groups, sizeof known.groups);
  kgi_ranges ranges;
  if (!kgi_ranges_find(&ranges, scratch, run->program, &known)) return false;
  bounder b = {.p = run->program, .trips = ranges.trips, .certain = true};
  uint64_t most = block_bound(&b, KGI_BODY);
  *out = (kgi_loop_bound){most, b.certain, b.loops};
  return true;
}
