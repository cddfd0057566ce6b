/* Blocks of consecutive workgroups: what threads take, and what step limits are held against. */
#include "reference/crew.h"

/* So many that those of one invocation are worth taking, so few that some are left for others. */
enum { BLOCK_LANES = 256, LEAST_BLOCKS = 64 };

/* Past 64 bits it does not matter: they are never reached. */
static uint64_t group_count(const kgi_run *run) {
  uint64_t count;
  if (!run->groups[0] || !run->groups[1] || !run->groups[2]) return 0;
  if (__builtin_mul_overflow((uint64_t)run->groups[0] * run->groups[1], run->groups[2], &count)) return UINT64_MAX;
  return count;
}

static uint64_t block_size(const kgi_run *run) {
  uint64_t lanes = (uint64_t)run->workgroup[0] * run->workgroup[1] * run->workgroup[2];
  uint64_t size = BLOCK_LANES / lanes, most = group_count(run) / LEAST_BLOCKS;
  if (size > most) size = most;
  return size ? size : 1;
}

uint64_t kgi_block_count(const kgi_run *run) {
  uint64_t groups = group_count(run), size = block_size(run);
  return groups / size + (groups % size != 0);
}

void kgi_block_mark(kgi_machine *m) {
  bool limited = m->step_limit && m->step_limit < UINT64_MAX - m->report->lane_instructions;
  uint64_t limit = limited ? m->steps + m->step_limit : UINT64_MAX;
  m->mark = m->crew && m->crew->call < limit ? m->crew->call : limit;
}

void kgi_block_walk(kgi_machine *m, uint64_t block) {
  const kgi_run *run = m->run;
  uint64_t size = block_size(run), groups = group_count(run), first = block * size;
  uint64_t end = groups - first < size ? groups : first + size;
  m->block = block;
  m->steps = m->report->lane_instructions;
  kgi_block_mark(m);
  for (uint64_t g = first; g < end && !m->stop; g += m->together) {
    kgi_machine_begin_groups(m, g, end - g < m->together ? (uint32_t)(end - g) : m->together);
    kgi_walk(m);
  }
}

/* ---- order ---- */

/* Views aside, a buffer that a program changes has one name in it: the validator refuses to bind it twice. */

/* Changes of which nobody sees the result, and which depend on nothing but the contents and the operand. */
static bool is_blind(const kgi_inst *x, bool used) {
  kgi_atomic op = (kgi_atomic)x->op;
  return !used && op != KGI_ATOMIC_load && op != KGI_ATOMIC_compare_exchange;
}

static bool has_views(const kgi_scope *s) {
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].view) return true;
  return false;
}

/* What lanes of one workgroup do together, and what may be a fault: the first is to be that of the first workgroup. */
static bool keeps_apart(const kgi_program *p, const kgi_inst *x) {
  if (!x->block) return false;
  if (x->kind == KGI_for) return p->inst[x->arg[2]].kind != KGI_literal || kgi_literal_bits(&p->inst[x->arg[2]]) - 1 >= INT32_MAX;
  if (x->kind == KGI_while) return x->arg[3] != 0;
  if (x->kind == KGI_atomic) return p->scope.object[x->arg[0]].space == KGI_BUFFER;
  return x->kind == KGI_barrier || x->kind == KGI_subgroup || x->kind == KGI_check;
}

bool kgi_order_find(kgi_plan *plan, kgi_arena *arena, kgi_arena *scratch) {
  const kgi_program *p = plan->program;
  uint8_t *used = kgi_arena_alloc(scratch, p->inst_count, 1), *looked = kgi_arena_alloc(scratch, p->scope.object_count, 1);
  plan->order = kgi_arena_alloc(arena, p->scope.object_count, 1);
  if (arena->failed || scratch->failed) return false;
  bool views = has_views(&p->scope) || has_views(&plan->module->scope);
  for (uint32_t i = 1; i < p->scope.object_count; i++) plan->apart |= p->scope.object[i].space == KGI_SHARED;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    plan->apart |= keeps_apart(p, x);
    kgi_span values = kgi_operands(x);
    for (unsigned k = 0; x->block && k < values.count; k++) used[x->arg[values.first + k]] = 1;
    if (x->block && (x->kind == KGI_load || x->kind == KGI_store)) looked[x->arg[0]] = 1;
  }
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (!x->block || x->kind != KGI_atomic || p->scope.object[x->arg[0]].space != KGI_BUFFER) continue;
    bool logged = is_blind(x, used[i]) && !looked[x->arg[0]] && !views;
    if (!logged) plan->order[x->arg[0]] = KGI_IN_TURN;
    else if (plan->order[x->arg[0]] == KGI_FREE) plan->order[x->arg[0]] = KGI_LOGGED;
  }
  return true;
}
