/* Where each value lies. A value is needed from its instruction to its last use, as seen from the block that holds it: a use inside
 * of a loop counts as the loop's. */
#include "foundation/analysis/whole.h"
#include "reference/machine.h"

typedef struct planner {
  kgi_plan *plan;
  const kgi_program *p;
  kgi_diags *diags;
  uint32_t *last;  /* of each value: the instruction after which it is not needed */
  uint32_t *chain; /* values that end together: head[inst], then chain[value] */
  uint32_t *head;
  uint32_t *free_regs[2], free_count[2]; /* narrow, wide */
  kg_status status;
} planner;

/* A region does not scope, so what it holds counts as its surroundings'. */
static kgi_blk scope_of(const kgi_program *p, uint32_t inst) {
  kgi_blk block = p->inst[inst].block;
  while (p->block[block].owner && p->inst[p->block[block].owner].kind == KGI_region)
    block = p->inst[p->block[block].owner].block;
  return block;
}

static void use(planner *w, uint32_t value, uint32_t at) {
  if (!value || kgi_is_leaf(w->p->inst[value].kind)) return;
  kgi_blk scope = scope_of(w->p, value);
  for (kgi_blk block = scope_of(w->p, at); block != scope && w->p->block[block].owner; block = scope_of(w->p, at))
    at = w->p->block[block].owner;
  w->last[value] = at;
}

static void find_uses(planner *w, kgi_blk block) {
  KGI_EACH(w->p, block, i) {
    const kgi_inst *x = &w->p->inst[i];
    kgi_span values = kgi_operands(x), blocks = kgi_owned_blocks(x);
    w->last[i] = i;
    for (unsigned k = 0; k < values.count && x->kind != KGI_while; k++) use(w, x->arg[values.first + k], i);
    for (unsigned k = 0; k < blocks.count; k++) find_uses(w, x->arg[blocks.first + k]);
    if (x->kind != KGI_while) continue;
    if (scope_of(w->p, x->arg[0]) == x->arg[1]) w->last[x->arg[0]] = i; /* computed for each trip, in the loop's own block */
    else use(w, x->arg[0], i);
  }
}

static void take(planner *w, uint32_t inst) {
  unsigned wide = kgi_slot_size((kg_type)w->p->inst[inst].type) == 8;
  uint32_t *count = wide ? &w->plan->wide : &w->plan->narrow;
  w->plan->reg[inst] = w->free_count[wide] ? w->free_regs[wide][--w->free_count[wide]] : (*count)++;
}

static void end_lives(planner *w, uint32_t inst) {
  for (uint32_t v = w->head[inst]; v; v = w->chain[v]) {
    unsigned wide = kgi_slot_size((kg_type)w->p->inst[v].type) == 8;
    w->free_regs[wide][w->free_count[wide]++] = w->plan->reg[v];
  }
}

/* A value's register is taken before those of its operands are given back, so that they never overlap. */
static void assign(planner *w, kgi_blk block, uint32_t depth) {
  if (depth > w->plan->depth) w->plan->depth = depth;
  KGI_EACH(w->p, block, i) {
    const kgi_inst *x = &w->p->inst[i];
    kgi_span blocks = kgi_owned_blocks(x);
    if (x->kind == KGI_op) {
      kg_type leading = kgi_type_at(w->p, x->arg[kgi_op_rows[x->op].rule == KGI_RULE_SELECT]);
      w->plan->lanes[i] = kgi_lanes((kgi_op)x->op, leading, (kg_type)x->type);
    }
    if (x->type != KG_NONE) {
      take(w, i);
      w->chain[i] = w->head[w->last[i]];
      w->head[w->last[i]] = i;
    }
    for (unsigned k = 0; k < blocks.count; k++) assign(w, x->arg[blocks.first + k], depth + 1);
    end_lives(w, i);
  }
}

kg_status kgi_plan_make(kgi_plan *plan, const kg_module *module, const kgi_program *program, kgi_arena *arena, kgi_diags *diags) {
  planner w = {.plan = plan, .p = program, .diags = diags};
  uint32_t count = program->inst_count;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &arena->alloc);
  *plan = (kgi_plan){.module = module, .program = program};
  plan->reg = kgi_arena_alloc(arena, count, sizeof *plan->reg);
  plan->lanes = kgi_arena_alloc(arena, count, sizeof *plan->lanes);
  plan->whole = kgi_arena_alloc(arena, count, sizeof *plan->whole);
  w.last = kgi_arena_alloc(&scratch, count, sizeof *w.last);
  w.chain = kgi_arena_alloc(&scratch, count, sizeof *w.chain);
  w.head = kgi_arena_alloc(&scratch, count, sizeof *w.head);
  for (unsigned k = 0; k < 2; k++) w.free_regs[k] = kgi_arena_alloc(&scratch, count, sizeof *w.free_regs[k]);
  w.status = arena->failed || scratch.failed ? KG_NO_MEMORY : KG_OK;
  for (uint32_t i = 0; w.status == KG_OK && i < count; i++) plan->reg[i] = KGI_NO_REG;
  if (w.status == KG_OK && !kgi_find_whole(program, NULL, plan->whole, &scratch)) w.status = KG_NO_MEMORY;
  if (w.status == KG_OK && !kgi_order_find(plan, arena, &scratch)) w.status = KG_NO_MEMORY;
  if (w.status == KG_OK) find_uses(&w, KGI_BODY);
  if (w.status == KG_OK) {
    for (uint32_t i = 1; i < count; i++)
      if (kgi_is_leaf(program->inst[i].kind)) take(&w, i); /* for good */
    assign(&w, KGI_BODY, 0);
  }
  kgi_arena_free(&scratch);
  return w.status;
}
