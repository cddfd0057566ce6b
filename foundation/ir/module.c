#include "foundation/ir/append.h"
#include "foundation/ir/dim.h"
#include "foundation/base/set.h"

#include <stdio.h>
#include <string.h>

typedef struct query { const kg_module *module; const char *text; size_t length; } query;

static bool same_string(const void *context, uint32_t index) {
  const query *q = context;
  const char *s = q->module->string[index];
  return !strncmp(s, q->text, q->length) && s[q->length] == 0;
}

kgi_str kgi_intern_new(kg_module *m, const char *text, size_t length) {
  uint32_t index = m->string_count;
  if (!length || !kgi_arena_grow(&m->arena, &m->string, index, &m->string_cap, sizeof *m->string)) return (kgi_str){0};
  m->string[index] = kgi_arena_strdup(&m->arena, text, length);
  if (!m->string[index]) return (kgi_str){0};
  return (kgi_str){m->string_count++};
}

/* What kgi_intern_new added becomes findable when something is first looked for. */
static bool list_strings(kg_module *m) {
  for (; m->strings_listed < m->string_count; m->strings_listed++) {
    const char *text = m->string[m->strings_listed];
    if (!kgi_set_add_hashed(&m->arena, &m->strings, m->strings_listed, kgi_hash(text, strlen(text)))) return false;
  }
  return true;
}

/* A string ends at its first NUL, whatever `length` says: names and messages hold none. */
kgi_str kgi_intern(kg_module *m, const char *text, size_t length) {
  const char *nul = length ? memchr(text, 0, length) : NULL;
  if (nul) length = (size_t)(nul - text);
  if (!length || !list_strings(m)) return (kgi_str){0};
  query q = {m, text, length};
  uint32_t found = kgi_set_find(&m->strings, kgi_hash(text, length), same_string, &q);
  return found ? (kgi_str){found} : kgi_intern_new(m, text, length);
}

kgi_str kgi_intern_z(kg_module *m, const char *text) { return kgi_intern(m, text, strlen(text)); }

static bool init_scope(kgi_arena *arena, kgi_scope *scope) {
  scope->object_count = scope->param_count = scope->spec_count = scope->dim_count = 0;
  bool fine = kgi_arena_grow(arena, &scope->object, 0, &scope->object_cap, sizeof *scope->object) &&
              kgi_arena_grow(arena, &scope->param, 0, &scope->param_cap, sizeof *scope->param) &&
              kgi_arena_grow(arena, &scope->spec, 0, &scope->spec_cap, sizeof *scope->spec) &&
              kgi_arena_grow(arena, &scope->dim, 0, &scope->dim_cap, sizeof *scope->dim);
  scope->object_count = scope->param_count = scope->spec_count = scope->dim_count = 1;
  return fine;
}

kg_module *kgi_module_new(const kg_allocator *alloc, const char *file) {
  kgi_arena arena;
  kgi_arena_init(&arena, alloc);
  kg_module *m = kgi_arena_alloc(&arena, 1, sizeof *m);
  if (!m) return NULL;
  m->arena = arena;
  m->file = file ? kgi_arena_strdup(&m->arena, file, strlen(file)) : "";
  bool fine = kgi_arena_grow(&m->arena, &m->string, 0, &m->string_cap, sizeof *m->string) &&
              (m->string[0] = kgi_arena_strdup(&m->arena, "", 0)) != NULL && init_scope(&m->arena, &m->scope) &&
              kgi_arena_grow(&m->arena, &m->program, 0, &m->program_cap, sizeof *m->program) &&
              kgi_arena_grow(&m->arena, &m->item, 0, &m->item_cap, sizeof *m->item) &&
              kgi_arena_grow(&m->arena, &m->bind, 0, &m->bind_cap, sizeof *m->bind);
  m->string_count = m->strings_listed = m->program_count = m->item_count = 1;
  if (fine && m->file) return m;
  kg_module_free(m);
  return NULL;
}

void kg_module_free(kg_module *m) {
  if (!m) return;
  kgi_arena arena = m->arena; /* the module lies in its own arena */
  kgi_arena_free(&arena);
}

void kg_bytes_free(const kg_allocator *alloc, void *bytes, size_t size) { kgi_free(alloc, bytes, size); }

kgi_program *kgi_module_add_program(kg_module *m) {
  kgi_program *p = kgi_arena_alloc(&m->arena, 1, sizeof *p);
  if (!p || !init_scope(&m->arena, &p->scope)) return NULL;
  if (!kgi_arena_grow(&m->arena, &m->program, m->program_count, &m->program_cap, sizeof *m->program)) return NULL;
  bool fine = kgi_arena_grow(&m->arena, &p->inst, 0, &p->inst_cap, sizeof *p->inst) &&
              kgi_arena_grow(&m->arena, &p->inst_pos, 0, &p->inst_pos_cap, sizeof *p->inst_pos) &&
              kgi_arena_grow(&m->arena, &p->inst_name, 0, &p->inst_name_cap, sizeof *p->inst_name) &&
              kgi_arena_grow(&m->arena, &p->block, 0, &p->block_cap, sizeof *p->block);
  if (!fine) return NULL;
  p->inst_count = 1;
  p->block_count = KGI_BODY + 1; /* the first growth has room for both */
  m->program[m->program_count++] = p;
  return p;
}

static void *copy(kgi_arena *arena, const void *from, uint32_t count, size_t size) {
  void *to = kgi_arena_alloc(arena, count, size);
  if (to && count) memcpy(to, from, count * size);
  return to;
}

/* The scope shares no array with the program's, because either may still grow. Buffers come first, so indices agree. */
static bool mirror(kg_module *m, const kgi_scope *from) {
  kgi_scope *to = &m->scope;
  *to = *from;
  to->object_cap = from->object_count, to->param_cap = from->param_count;
  to->spec_cap = from->spec_count, to->dim_cap = from->dim_count;
  to->dims = (kgi_set){.capacity = from->dims.capacity, .used = from->dims.used};
  to->dims.slot = copy(&m->arena, from->dims.slot, from->dims.capacity, sizeof *to->dims.slot);
  to->object = copy(&m->arena, from->object, from->object_count, sizeof *to->object);
  to->param = copy(&m->arena, from->param, from->param_count, sizeof *to->param);
  to->spec = copy(&m->arena, from->spec, from->spec_count, sizeof *to->spec);
  to->dim = copy(&m->arena, from->dim, from->dim_count, sizeof *to->dim);
  return !m->arena.failed;
}

uint32_t kgi_buffer_end(const kgi_scope *s) {
  uint32_t low = 1, high = s->object_count; /* passes ask in their loops, and buffers come first: by halves */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->object[middle].space == KGI_BUFFER) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool bind(kg_module *m, uint32_t entry) {
  if (!kgi_arena_grow(&m->arena, &m->bind, m->bind_count, &m->bind_cap, sizeof *m->bind)) return false;
  m->bind[m->bind_count++] = entry;
  return true;
}

void kgi_module_finish_lone(kg_module *m) {
  kgi_program *p = m->program[1];
  m->lone = true;
  m->name = p->name, m->pos = p->pos;
  if (!mirror(m, &p->scope)) return;
  m->scope.object_count = kgi_buffer_end(&p->scope);
  if (!kgi_arena_grow(&m->arena, &m->item, m->item_count, &m->item_cap, sizeof *m->item)) return;
  m->first_item = m->item_count++;
  m->item[m->first_item] = (kgi_item){.kind = KGI_ITEM_RUN, .pos = p->pos, .program = 1, .binding = m->bind_count};
  for (uint32_t i = 1; i < m->scope.object_count; i++)
    if (!bind(m, i)) return;
  for (uint32_t i = 1; i < p->scope.param_count; i++)
    if (!bind(m, kgi_dim_leaf(&m->arena, &m->scope, KGI_DIM_PARAM, i).i)) return;
  for (uint32_t i = 1; i < m->scope.object_count; i++)
    if (!bind(m, 0) || !bind(m, 0)) return;
}

uint32_t kgi_find_object(const kg_module *m, const kgi_scope *scope, const char *name) {
  for (uint32_t i = 1; i < scope->object_count; i++)
    if (!strcmp(kgi_string(m, scope->object[i].name), name)) return i;
  return 0;
}

uint32_t kgi_find_param(const kg_module *m, const kgi_scope *scope, const char *name) {
  for (uint32_t i = 1; i < scope->param_count; i++)
    if (!strcmp(kgi_string(m, scope->param[i].name), name)) return i;
  return 0;
}

uint32_t kgi_find_program(const kg_module *m, const char *name) {
  for (uint32_t i = 1; i < m->program_count; i++)
    if (!strcmp(kgi_string(m, m->program[i]->name), name)) return i;
  return 0;
}

const char *kg_module_name(const kg_module *m) { return kgi_string(m, m->name); }
uint32_t kg_module_buffer_count(const kg_module *m) { return m->scope.object_count - 1; }
bool kg_module_computes(const kg_module *m, kg_type type) {
  for (uint32_t k = 1; k < m->program_count; k++)
    for (uint32_t i = 1; i < m->program[k]->inst_count; i++) {
      const kgi_inst *x = &m->program[k]->inst[i];
      if (x->block && x->kind == KGI_op && x->type == type) return true;
    }
  return false;
}

uint32_t kg_module_param_count(const kg_module *m) { return m->scope.param_count - 1; }
uint32_t kg_module_program_count(const kg_module *m) { return m->program_count - 1; }
const char *kg_module_program_name(const kg_module *m, uint32_t index) {
  return index < kg_module_program_count(m) ? kgi_string(m, m->program[index + 1]->name) : "";
}

kg_buffer_info kg_module_buffer(const kg_module *m, uint32_t index) {
  if (index >= kg_module_buffer_count(m)) return (kg_buffer_info){.name = ""};
  const kgi_object *o = &m->scope.object[index + 1];
  return (kg_buffer_info){.name = kgi_string(m, o->name), .type = (kg_type)o->type, .mode = (kg_mode)o->mode,
                          .host_length = o->length.i == 0 && !o->scalar, .ranged = o->ranged, .draw = (kg_draw)o->draw,
                          .rank = o->rank ? o->rank : o->scalar ? 0u : 1u};
}

kg_param_info kg_module_param(const kg_module *m, uint32_t index) {
  if (index >= kg_module_param_count(m)) return (kg_param_info){.name = ""};
  const kgi_param *p = &m->scope.param[index + 1];
  return (kg_param_info){.name = kgi_string(m, p->name), .type = (kg_type)p->type, .has_default = p->has_default, .bits = p->bits};
}

/* Index 0 of the tables is unused, so "not found" wraps to UINT32_MAX. */
uint32_t kg_module_find_buffer(const kg_module *m, const char *name) { return kgi_find_object(m, &m->scope, name) - 1; }
uint32_t kg_module_find_param(const kg_module *m, const char *name) { return kgi_find_param(m, &m->scope, name) - 1; }

void kgi_count_uses(const kgi_program *p, kgi_blk block, uint32_t *uses) {
  KGI_EACH_INSIDE(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span operands = kgi_operands(inst);
    for (unsigned k = 0; k < operands.count; k++) uses[inst->arg[operands.first + k]]++;
  }
}

static bool is_taken(const kg_module *m, const char *name) {
  return kgi_find_object(m, &m->scope, name) || kgi_find_param(m, &m->scope, name) || kgi_find_program(m, name);
}

const char *kgi_module_free_name(kg_module *m, const char *prefix, const char *base, const char *end) {
  char text[200];
  for (uint32_t suffix = 0; suffix < UINT32_MAX; suffix++) {
    if (suffix) snprintf(text, sizeof text, "%s%.150s%s_%u", prefix, base, end, suffix);
    else snprintf(text, sizeof text, "%s%.150s%s", prefix, base, end);
    if (!is_taken(m, text)) return kgi_string(m, kgi_intern_z(m, text));
  }
  return "";
}
