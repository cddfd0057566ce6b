#include "foundation/analysis/contraction.h"

/* ---- what decides ---- */

typedef struct search {
  const kgi_program *p;
  bool *value;              /* a decision may hang on it */
  uint32_t *writer, *other; /* by object: who writes to it, and by instruction: who else does; 0 once they were looked at */
  uint32_t *pending, count;
} search;

static void mark(search *s, uint32_t value) {
  if (!value || s->value[value]) return;
  s->value[value] = true;
  s->pending[s->count++] = value;
}

static void mark_operands(search *s, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + span.count; k++) mark(s, inst->arg[k]);
}

/* What is read of an object may be anything that is written there. */
static void mark_object(search *s, uint32_t object) {
  for (uint32_t i = s->writer[object]; i; i = s->other[i]) mark_operands(s, &s->p->inst[i]);
  s->writer[object] = 0;
}

/* Two values that are computed, apart: against a constant there is one way to compute the other, and no equal to look for. */
static bool compares(const kgi_program *p, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  unsigned computed = 0;
  for (unsigned k = span.first; k < span.first + span.count; k++) computed += !kgi_is_leaf(p->inst[inst->arg[k]].kind);
  return computed > 1;
}

static bool takes_extreme(kgi_subgroup op) {
  switch ((int)op) {
  case KGI_SUBGROUP_min: case KGI_SUBGROUP_max: case KGI_SUBGROUP_inclusive_min: case KGI_SUBGROUP_inclusive_max:
  case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max: return true;
  default: return false;
  }
}

static bool decides(const kgi_program *p, const kgi_inst *inst) {
  if (inst->kind == KGI_atomic) return inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max;
  if (inst->kind == KGI_subgroup) return takes_extreme((kgi_subgroup)inst->op);
  if (inst->kind != KGI_op) return false;
  switch ((int)inst->op) {
  case KGI_OP_eq: case KGI_OP_ne: case KGI_OP_lt: case KGI_OP_le: case KGI_OP_gt: case KGI_OP_ge:
  case KGI_OP_min: case KGI_OP_max: case KGI_OP_clamp: return compares(p, inst);
  default: return false;
  }
}

static bool find_deciding(kgi_arena *arena, const kgi_program *p, search *s) {
  *s = (search){.p = p, .value = kgi_arena_alloc(arena, p->inst_count, sizeof *s->value)};
  s->writer = kgi_arena_alloc(arena, p->scope.object_count, sizeof *s->writer);
  s->other = kgi_arena_alloc(arena, p->inst_count, sizeof *s->other);
  s->pending = kgi_arena_alloc(arena, p->inst_count, sizeof *s->pending);
  if (arena->failed) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *inst = &p->inst[i];
    uint32_t object = kgi_object_of(inst);
    if (inst->block && decides(p, inst)) mark_operands(s, inst);
    if (inst->block && kgi_writes(inst)) s->other[i] = s->writer[object], s->writer[object] = i;
  }
  while (s->count) {
    const kgi_inst *inst = &p->inst[s->pending[--s->count]];
    mark_operands(s, inst);
    if (inst->block && kgi_reads(inst)) mark_object(s, kgi_object_of(inst));
  }
  return true;
}

/* ---- products and sums ---- */

static bool stays_in_run(const kgi_inst *inst) {
  return inst->kind == KGI_op || inst->kind == KGI_load || inst->kind == KGI_store || inst->kind == KGI_atomic;
}

/* The stretch of its block, from 1, that an instruction stands in. */
static uint32_t *find_runs(kgi_arena *arena, const kgi_program *p) {
  uint32_t *run = kgi_arena_alloc(arena, p->inst_count, sizeof *run), runs = 0;
  for (uint32_t b = 1; run && b < p->block_count; b++) {
    runs++;
    KGI_EACH(p, (kgi_blk)b, i) run[i] = stays_in_run(&p->inst[i]) ? runs : ++runs;
  }
  return run;
}

static bool is_op(const kgi_inst *inst, kgi_op op) { return inst->kind == KGI_op && inst->op == op; }

static bool is_sum(const kgi_inst *inst) {
  bool rounds_once = inst->type == KG_F32 || inst->type == KG_F64; /* f16 is computed in f32 where there are no halves */
  return rounds_once && (is_op(inst, KGI_OP_add) || is_op(inst, KGI_OP_sub));
}

static uint8_t product_of(const kgi_program *p, const uint32_t *run, uint32_t sum) {
  for (unsigned k = 0; k < 2; k++) {
    uint32_t operand = p->inst[sum].arg[k];
    if (is_op(&p->inst[operand], KGI_OP_mul) && run[operand] == run[sum]) return (uint8_t)(k + 1);
  }
  return 0;
}

/* Those whose every use is by a sum that takes it in. */
static void find_absorbed(const kgi_program *p, kgi_contraction *c, uint32_t *uses) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span span = kgi_operands(inst);
    if (!inst->block) continue;
    for (unsigned k = span.first; k < span.first + span.count; k++) uses[inst->arg[k]]++;
    if (c->product[i]) c->absorbed[inst->arg[c->product[i] - 1]] = true;
  }
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (c->product[i]) uses[p->inst[i].arg[c->product[i] - 1]]--;
  for (uint32_t i = 1; i < p->inst_count; i++) c->absorbed[i] &= !uses[i];
}

bool kgi_contraction_find(kgi_arena *arena, const kgi_program *p, kgi_contraction *out) {
  search s;
  uint32_t *run = find_runs(arena, p), *uses = kgi_arena_alloc(arena, p->inst_count, sizeof *uses);
  out->product = kgi_arena_alloc(arena, p->inst_count, sizeof *out->product);
  out->absorbed = kgi_arena_alloc(arena, p->inst_count, sizeof *out->absorbed);
  if (!find_deciding(arena, p, &s) || arena->failed) return false;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && is_sum(&p->inst[i]) && !s.value[i]) out->product[i] = product_of(p, run, i);
  find_absorbed(p, out, uses);
  return true;
}

kgi_contracted kgi_contracted_of(const kgi_program *p, const kgi_contraction *c, uint32_t sum) {
  const kgi_inst *inst = &p->inst[sum];
  unsigned k = c->product[sum] - 1u;
  const kgi_inst *product = &p->inst[inst->arg[k]];
  bool minus = inst->op == KGI_OP_sub;
  return (kgi_contracted){product->arg[0], product->arg[1], inst->arg[1 - k], minus && k == 1, minus && k == 0};
}
