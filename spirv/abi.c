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

static bool same_place(kgi_abi_place a, kgi_abi_place b) { return a.set == b.set && a.binding == b.binding; }

static void claim(kgi_abi_program *a, kgi_abi_place place, uint32_t most) {
  if (place.set >= a->sets) a->sets = place.set < UINT32_MAX ? place.set + 1 : UINT32_MAX;
  if (!place.set && place.binding < most) a->taken[place.binding] = true;
}

bool kgi_abi_is_taken(const kgi_abi_program *a, kgi_abi_place place) {
  for (uint32_t i = 1; i <= a->buffers; i++)
    if (same_place(a->place[i], place)) return true;
  for (uint32_t i = 0; i < a->placed_count; i++)
    if (!a->placed[i].pushed && same_place(a->placed[i].place, place)) return true;
  return false;
}

static bool place_buffers(kgi_arena *arena, const kgi_scope *s, const kgi_abi_wishes *w, kgi_abi_program *a) {
  uint32_t free = 0, most = a->buffers + a->placed_count + 4;
  a->place = kgi_arena_alloc(arena, (size_t)a->buffers + 1, sizeof *a->place);
  a->taken = kgi_arena_alloc(arena, (size_t)most + 1, sizeof *a->taken);
  if (!kgi_blocks_find(&a->blocks, arena, s)) return false;
  a->sets = 1;
  for (uint32_t i = 1; i <= a->buffers; i++) {
    const kgi_object *o = &s->object[i];
    if (!o->view) continue;
    a->place[i] = (kgi_abi_place){o->set, o->binding};
    claim(a, a->place[i], most);
  }
  for (uint32_t k = 0; k < a->placed_count; k++)
    if (!a->placed[k].pushed) claim(a, a->placed[k].place, most);
  if (w->params) claim(a, *w->params, most);
  if (w->status) claim(a, *w->status, most);
  for (uint32_t i = 1; i <= a->buffers; i++) {
    if (s->object[i].view) continue;
    while (a->taken[free]) free++;
    a->place[i].binding = free, a->taken[free] = true;
  }
  for (uint32_t k = 0; k < a->placed_count; k++)
    for (uint32_t i = 1; i <= a->buffers && !a->placed[k].pushed; i++)
      a->placed[k].storage |= same_place(a->place[i], a->placed[k].place);
  return true;
}

uint32_t kgi_abi_slots(const kgi_abi_program *a, kgi_abi_slot *out) {
  uint32_t count = 0;
  for (uint32_t i = 1; i <= a->buffers; i++)
    if (a->blocks.of[i] == i) out[count++] = (kgi_abi_slot){a->place[i], KGI_SLOT_BUFFER, i};
  if (a->params_binding != KGI_NO_BINDING) out[count++] = (kgi_abi_slot){{a->params_set, a->params_binding}, KGI_SLOT_PARAMS, 0};
  if (a->status_binding != KGI_NO_BINDING) out[count++] = (kgi_abi_slot){{a->status_set, a->status_binding}, KGI_SLOT_STATUS, 0};
  return count;
}

/* ---- params ---- */

static uint32_t block_of(kgi_abi_program *a, const kgi_param *p) {
  for (uint32_t k = 0; k < a->placed_count; k++)
    if (a->placed[k].pushed == p->pushed && same_place(a->placed[k].place, (kgi_abi_place){p->set, p->binding})) return 1 + k;
  a->placed[a->placed_count] = (kgi_abi_block){.pushed = p->pushed, .place = {p->set, p->binding}};
  return ++a->placed_count;
}

/* The params that some statement or the length of a buffer asks for. */
static void find_read(const kgi_program *p, bool *read) {
  const kgi_scope *s = &p->scope;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_span operands = kgi_operands(&p->inst[i]);
    for (unsigned k = operands.first; p->inst[i].block && k < operands.first + (unsigned)operands.count; k++)
      if (p->inst[p->inst[i].arg[k]].kind == KGI_param) read[p->inst[p->inst[i].arg[k]].arg[0]] = true;
    if (!is_extent(p, &p->inst[i])) continue;
    kgi_abi_length known = known_dim(s, s->object[p->inst[i].arg[0]].extent[p->inst[i].arg[1] - 1]);
    if (known.kind == KGI_LENGTH_PARAM) read[known.value] = true;
  }
  for (uint32_t i = 1, end = kgi_buffer_end(s); i < end; i++) {
    kgi_abi_length known = known_length(s, &s->object[i]);
    if (known.kind == KGI_LENGTH_PARAM) read[known.value] = true;
  }
}

/* Which block each has. Where some have places, those without have to be read to be in one: the host of such a program knows nothing
 * of them. */
static bool find_blocks(kgi_arena *arena, const kgi_program *p, bool packed, kgi_abi_program *a) {
  const kgi_scope *s = &p->scope;
  bool any = false, *read = kgi_arena_alloc(arena, s->param_count, sizeof *read);
  a->param_offset = kgi_arena_alloc(arena, s->param_count, sizeof *a->param_offset);
  a->param_block = kgi_arena_alloc(arena, s->param_count, sizeof *a->param_block);
  a->param_member = kgi_arena_alloc(arena, s->param_count, sizeof *a->param_member);
  a->placed = kgi_arena_alloc(arena, s->param_count, sizeof *a->placed);
  if (arena->failed) return false;
  find_read(p, read);
  for (uint32_t i = 1; i < s->param_count; i++) any |= s->param[i].placed && !packed;
  for (uint32_t i = 1; i < s->param_count; i++) {
    bool placed = any && s->param[i].placed;
    a->param_block[i] = placed ? block_of(a, &s->param[i]) : any && !read[i] ? KGI_BLOCK_NONE : KGI_BLOCK_OWN;
  }
  return true;
}

/* Members of a block with places are in the order of their bytes. */
static void lay_out_placed(const kgi_scope *s, kgi_abi_program *a, uint32_t i) {
  kgi_abi_block *block = &a->placed[a->param_block[i] - 1];
  a->param_offset[i] = s->param[i].offset;
  uint32_t end = a->param_offset[i] + block_size_of(s->param[i].type);
  if (block->bytes < end) block->bytes = end;
  block->members++;
  for (uint32_t k = 1; k < s->param_count; k++)
    a->param_member[i] += a->param_block[k] == a->param_block[i] && s->param[k].offset < s->param[i].offset;
}

static void lay_out_params(const kgi_scope *s, kgi_abi_program *a) {
  for (uint32_t i = 1; i < s->param_count; i++) {
    if (a->param_block[i] == KGI_BLOCK_NONE) continue;
    if (a->param_block[i] != KGI_BLOCK_OWN) {
      lay_out_placed(s, a, i);
      continue;
    }
    uint32_t size = block_size_of(s->param[i].type);
    a->param_offset[i] = align(a->block_size, size);
    a->param_member[i] = a->own_params++;
    a->block_size = a->param_offset[i] + size;
  }
  a->block_size = align(a->block_size, 4);
}

/* Push constants, unless others are there or the host has a binding for them. */
static void place_own_block(const kgi_abi_wishes *w, kgi_abi_program *a) {
  bool pushed = a->block_size <= KGI_PUSH_BYTES && !w->params;
  for (uint32_t k = 0; k < a->placed_count; k++) pushed &= !a->placed[k].pushed;
  a->params_binding = KGI_NO_BINDING;
  if (!a->block_size || pushed) return;
  if (w->params) a->params_set = w->params->set, a->params_binding = w->params->binding;
  else a->params_binding = take_free(a);
}

static bool lay_out(kgi_arena *arena, const kgi_program *p, const kgi_abi_wishes *w, kgi_abi_program *a) {
  const kgi_scope *s = &p->scope;
  uint32_t limits = 0;
  for (uint32_t i = 1; i < p->inst_count; i++) limits += is_limited(&p->inst[i]) || is_extent(p, &p->inst[i]);
  a->buffers = kgi_buffer_end(s) - 1;
  a->length = kgi_arena_alloc(arena, a->buffers + 1, sizeof *a->length);
  a->hidden = kgi_arena_alloc(arena, (size_t)a->buffers + limits, sizeof *a->hidden);
  if (!find_blocks(arena, p, w->packed, a) || !place_buffers(arena, s, w, a) || arena->failed) return false;
  lay_out_params(s, a);
  for (uint32_t i = 1; i <= a->buffers; i++) {
    a->length[i] = known_length(s, &s->object[i]);
    if (a->length[i].kind == KGI_LENGTH_HIDDEN) a->length[i] = hidden_length(a, &s->object[i], i);
  }
  hide_extents(p, a);
  hide_limits(p, a);
  place_own_block(w, a);
  a->status_binding = KGI_NO_BINDING;
  return true;
}

static bool add_site(kgi_arena *arena, kgi_abi *abi, kgi_abi_site site) {
  if (!kgi_arena_grow(arena, &abi->site, abi->site_count, &abi->site_cap, sizeof *abi->site)) return false;
  abi->site[abi->site_count++] = site;
  return true;
}

static bool find_sites(kgi_arena *arena, const kgi_program *p, uint32_t program, const kgi_abi_wishes *w, kgi_abi *abi) {
  uint32_t before = abi->site_count;
  bool count_loops = w->count_loops && w->count_loops[program];
  if (count_loops && !add_site(arena, abi, (kgi_abi_site){program, 0, KGI_SITE_BUDGET, p->pos})) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *inst = &p->inst[i];
    bool limited = is_limited(inst);
    if (!inst->block || (inst->kind != KGI_check && !limited)) continue;
    kgi_abi_site site = {program, i, limited ? KGI_SITE_LIMIT : KGI_SITE_ASSERT, p->inst_pos[i]};
    if (!add_site(arena, abi, site)) return false;
  }
  kgi_abi_program *a = &abi->program[program];
  if (abi->site_count == before) return true;
  if (w->status) a->status_set = w->status->set, a->status_binding = w->status->binding;
  else a->status_binding = take_free(a);
  return true;
}

/* ---- constants ---- */

static bool has_number(const kg_module *m, uint32_t id) {
  for (uint32_t i = 1; i < m->program_count; i++)
    for (uint32_t k = 1; k < m->program[i]->scope.spec_count; k++) {
      const kgi_spec *spec = &m->program[i]->scope.spec[k];
      if (spec->numbered && spec->id == id) return true;
    }
  return false;
}

/* Numbers that are stated, and for others those that nobody states, in order. */
static bool number_specs(kgi_arena *arena, const kg_module *m, bool packed, uint32_t *next, uint32_t program, kgi_abi_program *a) {
  const kgi_scope *s = &m->program[program]->scope;
  a->spec_id = kgi_arena_alloc(arena, s->spec_count, sizeof *a->spec_id);
  for (uint32_t i = 1; a->spec_id && i < s->spec_count; i++) {
    if (s->spec[i].numbered && !packed) {
      a->spec_id[i] = s->spec[i].id;
      continue;
    }
    while (!packed && has_number(m, *next)) ++*next;
    a->spec_id[i] = (*next)++;
  }
  return a->spec_id;
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

bool kgi_abi_make(kgi_arena *arena, const kg_module *m, const kgi_abi_wishes *w, kgi_abi *out) {
  uint32_t specs = 0;
  *out = (kgi_abi){.program = kgi_arena_alloc(arena, m->program_count, sizeof *out->program)};
  if (!out->program || !add_site(arena, out, (kgi_abi_site){0})) return false;
  for (uint32_t i = 1; i < m->program_count; i++) {
    const kgi_program *p = m->program[i];
    kgi_abi_program *a = &out->program[i];
    if (!lay_out(arena, p, w, a) || !find_fixed(arena, m, p, w->literal_sizes, a)) return false;
    if (!number_specs(arena, m, w->packed, &specs, i, a) || !find_sites(arena, p, i, w, out)) return false;
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
