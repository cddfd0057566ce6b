/* A machine's memory: slots for values, shadows, shared memory and vars, and the values of leaves. */
#include "reference/bound.h"
#include "reference/watch.h"

/* ---- making ---- */

static bool product(size_t a, size_t b, size_t c, size_t *out) { return kgi_size_mul(a, b, out) && kgi_size_mul(*out, c, out); }

/* Whether a tangent can reach the value: not a loop's index, nor what only counts lanes. */
static bool varies(const kgi_inst *x) {
  if (x->kind == KGI_for || (x->kind == KGI_subgroup && x->op == KGI_SUBGROUP_ballot)) return false;
  return x->kind == KGI_param ? kgi_is_float(x->type) : !kgi_is_leaf(x->kind);
}

/* Registers of one class lie behind each other; so do the shadows of both classes. */
static bool make_slots(kgi_machine *m, kgi_arena *arena) {
  const kgi_plan *plan = m->plan;
  const kgi_program *p = plan->program;
  size_t narrow, wide, shadows, each = (size_t)m->lanes * m->tangents;
  m->slot = kgi_arena_alloc(arena, p->inst_count, sizeof *m->slot);
  m->tangent = kgi_arena_alloc(arena, p->inst_count, sizeof *m->tangent);
  m->magnitude = kgi_arena_alloc(arena, p->inst_count, sizeof *m->magnitude);
  if (!product(plan->narrow, m->lanes, 4, &narrow) || !product(plan->wide, m->lanes, 8, &wide)) return false;
  if (!product((size_t)plan->narrow + plan->wide, each, 2 * sizeof(double), &shadows)) return false;
  char *narrow_slots = kgi_arena_alloc(arena, narrow, 1), *wide_slots = kgi_arena_alloc(arena, wide, 1);
  double *shadow = kgi_arena_alloc(arena, shadows, 1);
  if (arena->failed) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kg_type type = (kg_type)p->inst[i].type;
    if (plan->reg[i] == KGI_NO_REG) continue;
    bool is_wide = kgi_slot_size(type) == 8;
    size_t reg = plan->reg[i], of_both = is_wide ? plan->narrow + reg : reg;
    m->slot[i] = is_wide ? wide_slots + reg * m->lanes * 8 : narrow_slots + reg * m->lanes * 4;
    if (!m->tangents || !kgi_carries(m->bits, type) || !varies(&p->inst[i])) continue;
    m->tangent[i] = shadow + of_both * each * 2;
    m->magnitude[i] = m->tangent[i] + each;
  }
  return true;
}

static bool make_levels(kgi_machine *m, kgi_arena *arena) {
  uint32_t count = m->plan->depth + 2;
  m->level = kgi_arena_alloc(arena, count, sizeof *m->level);
  m->returned = kgi_arena_alloc(arena, m->lanes, sizeof *m->returned);
  m->where = kgi_arena_alloc(arena, m->lanes, sizeof *m->where);
  m->fold = kgi_arena_alloc(arena, m->tangents, 2 * sizeof *m->fold);
  m->moving = kgi_arena_alloc(arena, m->tangents ? m->lanes : 0, sizeof *m->moving);
  for (unsigned k = 0; k < 8; k++) m->row[k] = kgi_arena_alloc(arena, m->tangents ? m->lanes : 0, sizeof *m->row[k]);
  for (uint32_t d = 0; d < count && !arena->failed; d++) {
    kgi_level *level = &m->level[d];
    for (unsigned k = 0; k < 2; k++) level->mask[k].lane = kgi_arena_alloc(arena, m->lanes, sizeof(uint32_t));
    level->live = kgi_arena_alloc(arena, m->lanes, sizeof *level->live);
    level->continued = kgi_arena_alloc(arena, m->lanes, sizeof *level->continued);
    level->trips = kgi_arena_alloc(arena, m->lanes, sizeof *level->trips);
  }
  return !arena->failed;
}

/* Shared memory and vars; a buffer's is set at each run. */
static bool make_memory(kgi_machine *m, const kgi_run *run, kgi_arena *arena) {
  const kgi_scope *s = &m->plan->program->scope;
  m->memory = kgi_arena_alloc(arena, s->object_count, sizeof *m->memory);
  for (uint32_t i = 1; i < s->object_count && !arena->failed; i++) {
    const kgi_object *o = &s->object[i];
    kgi_memory *memory = &m->memory[i];
    *memory = (kgi_memory){.type = o->type, .size = (uint8_t)kg_type_size((kg_type)o->type), .length = run->length[i]};
    if (o->space == KGI_BUFFER) continue;
    memory->lanes = o->space == KGI_VAR ? m->lanes : 0;
    memory->step = memory->lanes ? memory->lanes : 1;
    if (!product((size_t)memory->length, memory->lanes ? m->lanes : 1, 1, &memory->total)) return false;
    memory->base = kgi_arena_alloc(arena, memory->total, memory->size);
    memory->watch = kgi_watch_make(m->watcher, o, true, memory->total, arena);
    if (!m->tangents || !kgi_carries(m->bits, (kg_type)o->type)) continue;
    size_t shadows;
    if (!kgi_size_mul(memory->total, m->tangents, &shadows)) return false;
    memory->tangent = kgi_arena_alloc(arena, shadows, sizeof(double));
    memory->magnitude = kgi_arena_alloc(arena, shadows, sizeof(double));
  }
  return !arena->failed;
}

enum { TOGETHER_LANES = 256, TOGETHER_BYTES = 1 << 20 };

/* What one lane's values, vars and control take, about. */
static uint64_t lane_bytes(const kgi_machine *m, const kgi_run *run) {
  const kgi_plan *plan = m->plan;
  const kgi_scope *s = &plan->program->scope;
  uint64_t shadows = (uint64_t)m->tangents * 2 * sizeof(double), bytes = plan->depth * 24;
  bytes += plan->narrow * (4 + shadows) + plan->wide * (8 + shadows);
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].space == KGI_VAR) bytes += run->length[i] * (kg_type_size((kg_type)s->object[i].type) + shadows);
  return bytes;
}

/* Small workgroups that share nothing run as one: each instruction is then done for more lanes at once. Not with what tells of
 * workgroups, or may end the run. */
static uint32_t groups_together(const kgi_machine *m, const kgi_run *run, const kg_reference_params *params) {
  bool watched = params->checks & (KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_BOUNDS);
  if (m->plan->apart || watched || params->bounds || m->bits || m->group_lanes >= TOGETHER_LANES) return 1;
  uint64_t count = TOGETHER_LANES / m->group_lanes, most = TOGETHER_BYTES / (lane_bytes(m, run) * m->group_lanes + 1);
  if (count > most) count = most;
  return count ? (uint32_t)count : 1;
}

static bool list_ids(kgi_machine *m, kgi_arena *arena) {
  const kgi_program *p = m->plan->program;
  uint32_t count = 0;
  for (uint32_t i = 1; i < p->inst_count; i++) count += p->inst[i].kind == KGI_id;
  m->id = kgi_arena_alloc(arena, count, sizeof *m->id);
  for (uint32_t i = 1; m->id && i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_id) m->id[m->ids++] = i;
  return m->id;
}

kg_status kgi_machine_make(kgi_machine *m, const kgi_plan *plan, const kgi_run *run, const kg_reference_params *params,
                           kgi_watcher *watcher, bool bits, kgi_arena *arena) {
  *m = (kgi_machine){.plan = plan, .tangents = params->tangent_count, .bits = bits, .step_limit = params->step_limit};
  m->order = params->order;
  m->watcher = watcher;
  m->subgroup = params->subgroup_size ? params->subgroup_size : 32;
  m->group_lanes = run->workgroup[0] * run->workgroup[1] * run->workgroup[2];
  m->together = groups_together(m, run, params);
  m->lanes = m->group_lanes * m->together;
  if (!list_ids(m, arena)) return KG_NO_MEMORY;
  if (!make_slots(m, arena) || !make_levels(m, arena) || !make_memory(m, run, arena)) return KG_NO_MEMORY;
  return !params->bounds || kgi_bound_make(m, params, arena) ? KG_OK : KG_NO_MEMORY;
}

/* ---- leaves ---- */

static void fill(kgi_machine *m, uint32_t i, uint64_t bits) {
  kg_type type = (kg_type)m->plan->program->inst[i].type;
  size_t size = kgi_slot_size(type);
  uint64_t pattern;
  kgi_slot_set(type, bits, &pattern);
  for (uint32_t l = 0; l < m->lanes; l++) memcpy((char *)m->slot[i] + l * size, &pattern, size);
}

static uint32_t local_id(const kgi_machine *m, uint32_t lane, uint32_t c) {
  const uint32_t *size = m->run->workgroup;
  return c == 0 ? lane % size[0] : c == 1 ? lane / size[0] % size[1] : lane / size[0] / size[1];
}

/* The last one may be smaller than the others. */
static uint32_t subgroups_of(const kgi_machine *m) {
  const uint32_t *size = m->run->workgroup;
  return (size[0] * size[1] * size[2] - 1) / m->subgroup + 1;
}

/* `lane` counts within the workgroup. */
static uint32_t id_of(const kgi_machine *m, kgi_id id, uint32_t c, const uint32_t *group, uint32_t lane) {
  switch (id) {
  case KGI_ID_global_id: return group[c] * m->run->workgroup[c] + local_id(m, lane, c);
  case KGI_ID_local_id: return local_id(m, lane, c);
  case KGI_ID_workgroup_id: return group[c];
  case KGI_ID_num_workgroups: return m->run->groups[c];
  case KGI_ID_workgroup_size: return m->run->workgroup[c];
  case KGI_ID_local_index: return lane;
  case KGI_ID_subgroup_lane: return lane % m->subgroup;
  case KGI_ID_subgroup_size: return m->subgroup;
  case KGI_ID_subgroup_id: return lane / m->subgroup;
  case KGI_ID_num_subgroups: return subgroups_of(m);
  case KGI_ID_COUNT: break;
  }
  return 0;
}

static bool depends_on_group(kgi_id id) { return id == KGI_ID_global_id || id == KGI_ID_workgroup_id; }

/* Those that depend on the workgroup, or the others. */
static void fill_ids(kgi_machine *m, bool of_group) {
  const uint32_t *groups = m->run->groups, lanes = m->group_lanes;
  for (uint32_t n = 0; n < m->ids; n++) {
    const kgi_inst *x = &m->plan->program->inst[m->id[n]];
    uint32_t *slots = m->slot[m->id[n]];
    if (depends_on_group((kgi_id)x->op) != of_group) continue;
    for (uint32_t k = 0; k < (of_group ? m->groups : m->together); k++) {
      uint64_t g = m->group + k;
      uint64_t row = g / groups[0];
      const uint32_t at[3] = {(uint32_t)(g % groups[0]), (uint32_t)(row % groups[1]), (uint32_t)(row / groups[1])};
      for (uint32_t l = 0; l < lanes; l++) slots[k * lanes + l] = id_of(m, (kgi_id)x->op, x->arg[0], of_group ? at : groups, l);
    }
  }
}

/* The module's param that a run passes on unchanged, or 0. */
static uint32_t passed_param(const kgi_machine *m, uint32_t param) {
  const kg_module *module = m->plan->module;
  const kgi_scope *s = &m->plan->program->scope;
  uint32_t bind = module->bind[module->item[m->run->item].binding + kgi_buffer_end(s) - 1 + param - 1];
  const kgi_dim_node *n = &module->scope.dim[bind];
  return bind && n->op == KGI_DIM_PARAM && module->scope.param[n->a].type == s->param[param].type ? n->a : 0;
}

static void seed_param(kgi_machine *m, uint32_t i, const kg_reference_params *params) {
  uint32_t from = passed_param(m, m->plan->program->inst[i].arg[0]), count = m->plan->module->scope.param_count - 1;
  for (uint32_t k = 0; m->tangent[i] && k < m->tangents; k++)
    for (uint32_t l = 0; l < m->lanes; l++) {
      double seed = params->param_tangents && from ? params->param_tangents[(size_t)k * count + from - 1] : 0;
      m->tangent[i][(size_t)k * m->lanes + l] = seed;
      m->magnitude[i][(size_t)k * m->lanes + l] = seed < 0 ? -seed : seed;
    }
}

void kgi_machine_begin_run(kgi_machine *m, const kgi_run *run, const kgi_memory *buffers, const kg_reference_params *params) {
  const kgi_program *p = m->plan->program;
  m->run = run;
  m->lost = 0;
  for (uint32_t i = 1; i < p->scope.object_count; i++) {
    if (p->scope.object[i].space != KGI_BUFFER) continue;
    m->memory[i] = buffers[run->buffer[i]];
    m->memory[i].length = run->length[i];
    m->memory[i].first += (uint32_t)run->from[i]; /* of a slice: a view has none */
    m->memory[i].order = m->plan->order[i];
  }
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_literal) fill(m, i, kgi_literal_bits(x));
    if (x->kind == KGI_spec) fill(m, i, p->scope.spec[x->arg[0]].bits);
    if (x->kind == KGI_len) fill(m, i, kgi_run_length(run, x->arg[0], x->arg[1]));
    if (x->kind == KGI_param) fill(m, i, run->param[x->arg[0]]);
    if (x->kind == KGI_param) seed_param(m, i, params);
    if (m->bound && kgi_is_leaf(x->kind)) kgi_bound_leaf(m, i);
  }
  m->group = 0;
  if (run->groups[0] && run->groups[1]) fill_ids(m, false);
}

static void zero(const kgi_machine *m, const kgi_memory *memory) {
  memset(memory->base, 0, memory->total * memory->size);
  if (memory->watch && memory->watch->written) memset(memory->watch->written, 0, memory->total);
  if (!memory->tangent) return;
  memset(memory->tangent, 0, memory->total * m->tangents * sizeof *memory->tangent);
  memset(memory->magnitude, 0, memory->total * m->tangents * sizeof *memory->magnitude);
}

void kgi_machine_begin_groups(kgi_machine *m, uint64_t first, uint32_t count) {
  const kgi_scope *s = &m->plan->program->scope;
  const kg_reference_report *r = m->report;
  m->group = first, m->groups = count;
  m->outside = r->out_of_bounds_loads || r->out_of_bounds_stores ? 0 : UINT32_MAX;
  m->watcher->group = (uint32_t)first; /* its lower 32 bits are told apart well enough */
  m->watcher->interval++;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].space == KGI_SHARED && m->memory[i].total) zero(m, &m->memory[i]);
  if (m->bound) kgi_bound_begin_group(m);
  fill_ids(m, true);
}
