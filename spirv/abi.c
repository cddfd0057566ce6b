#include "spirv/abi.h"

static uint32_t align(uint32_t offset, uint32_t size) { return (offset + size - 1) / size * size; }

/* bool and f16 take a word, because push constants of 8 and 16 bits are features of their own. */
static uint32_t block_size_of(unsigned type) {
  uint32_t size = kgi_type_bits(type) / 8;
  return size < 4 ? 4 : size;
}

bool kgi_dim_uses_spec(const kgi_scope *scope, kgi_dim dim, uint32_t spec) {
  const kgi_dim_node *n = &scope->dim[dim.i];
  if (!dim.i) return false;
  if (n->op == KGI_DIM_SPEC) return spec == 0 || n->a == spec;
  if (n->op < KGI_DIM_ADD) return false;
  return kgi_dim_uses_spec(scope, (kgi_dim){n->a}, spec) || kgi_dim_uses_spec(scope, (kgi_dim){n->b}, spec);
}

bool kgi_dim_is_constant(const kgi_scope *scope, kgi_dim dim) {
  const kgi_dim_node *n = &scope->dim[dim.i];
  if (n->op < KGI_DIM_ADD) return n->op == KGI_DIM_INT || n->op == KGI_DIM_SPEC;
  return kgi_dim_is_constant(scope, (kgi_dim){n->a}) && kgi_dim_is_constant(scope, (kgi_dim){n->b});
}

static kgi_abi_length known_dim(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op == KGI_DIM_INT && n->imm >= 0 && n->imm <= UINT32_MAX) return (kgi_abi_length){KGI_LENGTH_LITERAL, (uint32_t)n->imm};
  if (n->op == KGI_DIM_PARAM && s->param[n->a].type == KG_U32) return (kgi_abi_length){KGI_LENGTH_PARAM, n->a};
  if (n->op == KGI_DIM_SPEC && s->spec[n->a].type == KG_U32) return (kgi_abi_length){KGI_LENGTH_SPEC, n->a};
  return (kgi_abi_length){KGI_LENGTH_HIDDEN, 0};
}

static kgi_abi_length known_length(const kgi_scope *s, const kgi_object *o) {
  return o->scalar ? (kgi_abi_length){KGI_LENGTH_LITERAL, 1} : known_dim(s, o->length);
}

/* One hidden length for each distinct expression, and one for each buffer that the host decides. */
static kgi_abi_length hidden_length(kgi_abi_program *a, const kgi_object *o, uint32_t object) {
  for (uint32_t i = 0; o->length.i && i < a->hidden_count; i++)
    if (a->hidden[i].dim.i == o->length.i) return (kgi_abi_length){KGI_LENGTH_HIDDEN, i};
  a->hidden[a->hidden_count] = (kgi_abi_hidden){a->block_size, o->length, object, 0};
  a->block_size += 4;
  return (kgi_abi_length){KGI_LENGTH_HIDDEN, a->hidden_count++};
}

kgi_abi_length kgi_abi_limit(const kgi_abi_program *a, const kgi_scope *s, kgi_dim dim) {
  if (kgi_dim_is_constant(s, dim)) return (kgi_abi_length){KGI_LENGTH_LITERAL, 0};
  for (uint32_t i = 0; i < a->hidden_count; i++)
    if (a->hidden[i].dim.i == dim.i && !a->hidden[i].object) return (kgi_abi_length){KGI_LENGTH_HIDDEN, i};
  return (kgi_abi_length){KGI_LENGTH_HIDDEN, UINT32_MAX};
}

/* A limit saturates, and is none of them. */
kgi_abi_length kgi_abi_extent(const kgi_abi_program *a, const kgi_scope *s, kgi_dim dim) {
  kgi_abi_length known = known_dim(s, dim);
  for (uint32_t i = 0; known.kind == KGI_LENGTH_HIDDEN && i < a->hidden_count; i++)
    if (a->hidden[i].dim.i == dim.i && a->hidden[i].object) return (kgi_abi_length){KGI_LENGTH_HIDDEN, i};
  return known.kind == KGI_LENGTH_HIDDEN ? (kgi_abi_length){KGI_LENGTH_HIDDEN, UINT32_MAX} : known;
}

static bool is_extent(const kgi_program *p, const kgi_inst *inst) {
  return inst->kind == KGI_len && inst->arg[1] && p->scope.object[inst->arg[0]].space == KGI_BUFFER;
}

static void hide_extents(const kgi_program *p, kgi_abi_program *a) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *inst = &p->inst[i];
    if (!is_extent(p, inst)) continue;
    kgi_dim dim = p->scope.object[inst->arg[0]].extent[inst->arg[1] - 1];
    kgi_abi_length found = kgi_abi_extent(a, &p->scope, dim);
    if (found.kind != KGI_LENGTH_HIDDEN || found.value != UINT32_MAX) continue;
    a->hidden[a->hidden_count++] = (kgi_abi_hidden){a->block_size, dim, inst->arg[0], inst->arg[1]};
    a->block_size += 4;
  }
}

static bool is_limited(const kgi_inst *inst) { return inst->kind == KGI_while && inst->block && inst->arg[3]; }

static void hide_limits(const kgi_program *p, kgi_abi_program *a) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_dim dim = {p->inst[i].arg[3]};
    if (!is_limited(&p->inst[i])) continue;
    kgi_abi_length found = kgi_abi_limit(a, &p->scope, dim);
    if (found.kind != KGI_LENGTH_HIDDEN || found.value != UINT32_MAX) continue;
    a->hidden[a->hidden_count++] = (kgi_abi_hidden){a->block_size, dim, 0, 0};
    a->block_size += 4;
  }
}

/* What states no place takes the lowest binding of set 0 that nobody has. */
static uint32_t take_free(kgi_abi_program *a) {
  uint32_t binding = 0;
  while (a->taken[binding]) binding++;
  a->taken[binding] = true;
  return binding;
}

static bool place_buffers(kgi_arena *arena, const kgi_scope *s, kgi_abi_program *a) {
  uint32_t free = 0, most = a->buffers + 2;
  a->place = kgi_arena_alloc(arena, (size_t)a->buffers + 1, sizeof *a->place);
  a->taken = kgi_arena_alloc(arena, (size_t)most + 1, sizeof *a->taken);
  if (!kgi_blocks_find(&a->blocks, arena, s)) return false;
  a->sets = 1;
  for (uint32_t i = 1; i <= a->buffers; i++) {
    const kgi_object *o = &s->object[i];
    if (!o->view) continue;
    a->place[i] = (kgi_abi_place){o->set, o->binding};
    if (o->set >= a->sets) a->sets = o->set < UINT32_MAX ? o->set + 1 : UINT32_MAX;
    if (!o->set && o->binding < most) a->taken[o->binding] = true;
  }
  for (uint32_t i = 1; i <= a->buffers; i++) {
    if (s->object[i].view) continue;
    while (a->taken[free]) free++;
    a->place[i].binding = free, a->taken[free] = true;
  }
  return true;
}

uint32_t kgi_abi_slots(const kgi_abi_program *a, kgi_abi_slot *out) {
  uint32_t count = 0;
  for (uint32_t i = 1; i <= a->buffers; i++)
    if (a->blocks.of[i] == i) out[count++] = (kgi_abi_slot){a->place[i], KGI_SLOT_BUFFER, i};
  if (a->params_binding != KGI_NO_BINDING) out[count++] = (kgi_abi_slot){{0, a->params_binding}, KGI_SLOT_PARAMS, 0};
  if (a->status_binding != KGI_NO_BINDING) out[count++] = (kgi_abi_slot){{0, a->status_binding}, KGI_SLOT_STATUS, 0};
  return count;
}

static bool lay_out(kgi_arena *arena, const kgi_program *p, kgi_abi_program *a) {
  const kgi_scope *s = &p->scope;
  uint32_t limits = 0;
  for (uint32_t i = 1; i < p->inst_count; i++) limits += is_limited(&p->inst[i]) || is_extent(p, &p->inst[i]);
  a->buffers = kgi_buffer_end(s) - 1;
  a->param_offset = kgi_arena_alloc(arena, s->param_count, sizeof *a->param_offset);
  a->length = kgi_arena_alloc(arena, a->buffers + 1, sizeof *a->length);
  a->hidden = kgi_arena_alloc(arena, (size_t)a->buffers + limits, sizeof *a->hidden);
  if (!place_buffers(arena, s, a) || arena->failed) return false;
  for (uint32_t i = 1; i < s->param_count; i++) {
    uint32_t size = block_size_of(s->param[i].type);
    a->param_offset[i] = align(a->block_size, size);
    a->block_size = a->param_offset[i] + size;
  }
  a->block_size = align(a->block_size, 4);
  for (uint32_t i = 1; i <= a->buffers; i++) {
    a->length[i] = known_length(s, &s->object[i]);
    if (a->length[i].kind == KGI_LENGTH_HIDDEN) a->length[i] = hidden_length(a, &s->object[i], i);
  }
  hide_extents(p, a);
  hide_limits(p, a);
  a->params_binding = a->block_size > KGI_PUSH_BYTES ? take_free(a) : KGI_NO_BINDING;
  a->status_binding = KGI_NO_BINDING;
  return true;
}

static bool add_site(kgi_arena *arena, kgi_abi *abi, kgi_abi_site site) {
  if (!kgi_arena_grow(arena, &abi->site, abi->site_count, &abi->site_cap, sizeof *abi->site)) return false;
  abi->site[abi->site_count++] = site;
  return true;
}

static bool find_sites(kgi_arena *arena, const kgi_program *p, uint32_t program, bool count_loops, kgi_abi *abi) {
  uint32_t before = abi->site_count;
  if (count_loops && !add_site(arena, abi, (kgi_abi_site){program, 0, KGI_SITE_BUDGET, p->pos})) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *inst = &p->inst[i];
    bool limited = is_limited(inst);
    if (!inst->block || (inst->kind != KGI_check && !limited)) continue;
    kgi_abi_site site = {program, i, limited ? KGI_SITE_LIMIT : KGI_SITE_ASSERT, p->inst_pos[i]};
    if (!add_site(arena, abi, site)) return false;
  }
  kgi_abi_program *a = &abi->program[program];
  if (abi->site_count > before) a->status_binding = take_free(a);
  return true;
}

static void fix(const kgi_scope *s, kgi_dim dim, bool *fixed) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (!dim.i) return;
  if (n->op == KGI_DIM_SPEC) fixed[n->a] = true;
  if (n->op < KGI_DIM_ADD) return;
  fix(s, (kgi_dim){n->a}, fixed);
  fix(s, (kgi_dim){n->b}, fixed);
}

/* SPIR-V has one workgroup size for all programs; and a module's own buffers and params follow no constant of a program. */
static bool find_fixed(kgi_arena *arena, const kg_module *m, const kgi_program *p, bool literal_sizes, kgi_abi_program *a) {
  const kgi_scope *s = &p->scope;
  a->fixed = kgi_arena_alloc(arena, s->spec_count, sizeof *a->fixed);
  if (!a->fixed) return false;
  for (unsigned k = 0; k < 3 && (!m->lone || literal_sizes); k++) fix(s, p->workgroup[k], a->fixed);
  for (uint32_t o = a->buffers + 1; o < s->object_count && literal_sizes; o++) fix(s, s->object[o].length, a->fixed);
  for (uint32_t o = 1; o <= a->buffers && !m->lone; o++) {
    const kgi_object *b = &s->object[o];
    fix(s, b->length, a->fixed), fix(s, b->lo, a->fixed), fix(s, b->hi, a->fixed);
  }
  for (uint32_t q = 1; q < s->param_count && !m->lone; q++) fix(s, s->param[q].lo, a->fixed), fix(s, s->param[q].hi, a->fixed);
  return true;
}

bool kgi_abi_make(kgi_arena *arena, const kg_module *m, const bool *count_loops, bool literal_sizes, kgi_abi *out) {
  uint32_t specs = 0;
  *out = (kgi_abi){.program = kgi_arena_alloc(arena, m->program_count, sizeof *out->program)};
  if (!out->program || !add_site(arena, out, (kgi_abi_site){0})) return false;
  for (uint32_t i = 1; i < m->program_count; i++) {
    const kgi_program *p = m->program[i];
    kgi_abi_program *a = &out->program[i];
    if (!lay_out(arena, p, a) || !find_fixed(arena, m, p, literal_sizes, a)) return false;
    a->first_spec_id = specs;
    specs += p->scope.spec_count - 1;
    if (!find_sites(arena, p, i, count_loops && count_loops[i], out)) return false;
  }
  return true;
}

uint32_t kgi_abi_site_of(const kgi_abi *abi, uint32_t program, uint32_t inst) {
  uint32_t low = 1, high = abi->site_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const kgi_abi_site *site = &abi->site[middle];
    if (site->program == program && site->inst == inst) return middle;
    if (site->program < program || (site->program == program && site->inst < inst)) low = middle + 1;
    else high = middle;
  }
  return 0;
}
