/* Private copies of modules, and the lengths of one scope in another. */
#include "autodiff/plan/ad.h"
#include "foundation/ir/dim.h"

#include <string.h>

static void *copy(kgi_arena *arena, const void *from, uint32_t count, uint32_t *capacity, size_t size) {
  void *to = kgi_arena_alloc(arena, count, size);
  if (to && count) memcpy(to, from, count * size);
  *capacity = count;
  return to;
}

static void copy_set(kgi_arena *arena, kgi_set *set, const kgi_set *from) {
  *set = *from;
  set->slot = copy(arena, from->slot, from->capacity, &set->capacity, sizeof *set->slot);
}

static void copy_scope(kgi_arena *arena, kgi_scope *to, const kgi_scope *from) {
  *to = *from;
  to->object = copy(arena, from->object, from->object_count, &to->object_cap, sizeof *to->object);
  to->param = copy(arena, from->param, from->param_count, &to->param_cap, sizeof *to->param);
  to->spec = copy(arena, from->spec, from->spec_count, &to->spec_cap, sizeof *to->spec);
  to->dim = copy(arena, from->dim, from->dim_count, &to->dim_cap, sizeof *to->dim);
  copy_set(arena, &to->dims, &from->dims);
}

static kgi_program *copy_program(kgi_arena *arena, const kgi_program *from) {
  kgi_program *to = kgi_arena_alloc(arena, 1, sizeof *to);
  if (!to) return NULL;
  *to = *from;
  copy_scope(arena, &to->scope, &from->scope);
  to->inst = copy(arena, from->inst, from->inst_count, &to->inst_cap, sizeof *to->inst);
  to->inst_pos = copy(arena, from->inst_pos, from->inst_count, &to->inst_pos_cap, sizeof *to->inst_pos);
  to->inst_name = copy(arena, from->inst_name, from->inst_count, &to->inst_name_cap, sizeof *to->inst_name);
  to->block = copy(arena, from->block, from->block_count, &to->block_cap, sizeof *to->block);
  copy_set(arena, &to->leaves, &from->leaves);
  return arena->failed ? NULL : to;
}

kgi_program *kgi_ad_clone_program(kg_module *work, const kgi_program *program) { return copy_program(&work->arena, program); }

kg_module *kgi_ad_clone(const kg_allocator *alloc, const kg_module *m) {
  kgi_arena arena;
  kgi_arena_init(&arena, alloc);
  kg_module *to = kgi_arena_alloc(&arena, 1, sizeof *to);
  if (!to) return NULL;
  *to = *m;
  to->arena = arena;
  kgi_arena *own = &to->arena;
  to->file = m->file ? kgi_arena_strdup(own, m->file, strlen(m->file)) : NULL;
  copy_set(own, &to->strings, &m->strings);
  to->string = copy(own, m->string, m->string_count, &to->string_cap, sizeof *to->string);
  for (uint32_t i = 0; i < m->string_count && !own->failed; i++)
    to->string[i] = kgi_arena_strdup(own, m->string[i], strlen(m->string[i]));
  copy_scope(own, &to->scope, &m->scope);
  to->program = copy(own, m->program, m->program_count, &to->program_cap, sizeof *to->program);
  for (uint32_t i = 1; i < m->program_count && !own->failed; i++) to->program[i] = copy_program(own, m->program[i]);
  to->item = copy(own, m->item, m->item_count, &to->item_cap, sizeof *to->item);
  to->bind = copy(own, m->bind, m->bind_count, &to->bind_cap, sizeof *to->bind);
  if (!own->failed) return to;
  kg_module_free(to);
  return NULL;
}

void kgi_ad_copy_extents(kgi_object *to, const kgi_object *from, const uint32_t *map) {
  to->rank = from->rank;
  to->length.i = map[from->length.i];
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) to->extent[k].i = map[from->extent[k].i];
}

/* A node of another scope, whose operands are already in `map`. */
static kgi_dim translate(kgi_builder *b, const kgi_scope *from, const kgi_dim_node *n, const uint32_t *map, const uint32_t *object,
                         const uint32_t *item) {
  kgi_arena *arena = &b->m->arena;
  kgi_scope *to = kgi_builder_scope(b);
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_NONE: return (kgi_dim){0};
  case KGI_DIM_INT: return kgi_dim_int(arena, to, n->imm);
  case KGI_DIM_FLOAT: {
    double value;
    memcpy(&value, &n->imm, sizeof value);
    return kgi_dim_float(arena, to, value);
  }
  case KGI_DIM_PARAM: return kgi_dim_leaf(arena, to, KGI_DIM_PARAM, n->a);
  case KGI_DIM_SPEC:
    if (b->p) return kgi_dim_leaf(arena, to, KGI_DIM_SPEC, n->a);
    return kgi_dim_int(arena, to, kgi_bits_to_int((kg_type)from->spec[n->a].type, from->spec[n->a].bits));
  case KGI_DIM_LEN: return kgi_dim_leaf(arena, to, KGI_DIM_LEN, object ? object[n->a] : n->a);
  case KGI_DIM_INDEX: return kgi_dim_leaf(arena, to, KGI_DIM_INDEX, item ? item[n->a] : n->a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    break;
  }
  return kgi_dim_binary(arena, to, (kgi_dim_op)n->op, (kgi_dim){map[n->a]}, (kgi_dim){map[n->b]});
}

uint32_t *kgi_ad_copy_dims(kgi_builder *b, const kgi_scope *from, const uint32_t *object, const uint32_t *item,
                           kgi_arena *scratch) {
  uint32_t *map = kgi_arena_alloc(scratch, from->dim_count ? from->dim_count : 1, sizeof *map);
  for (uint32_t i = 1; map && i < from->dim_count; i++) map[i] = translate(b, from, &from->dim[i], map, object, item).i;
  return map;
}
