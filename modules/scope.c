/* What one scope declares, in another. */
#include "modules/modules.h"
#include "foundation/ir/dim.h"

#include <string.h>

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
  case KGI_DIM_LEN:
    if (object && !object[n->a]) return (kgi_dim){0};
    return kgi_dim_leaf(arena, to, KGI_DIM_LEN, object ? object[n->a] : n->a);
  case KGI_DIM_INDEX: return kgi_dim_leaf(arena, to, KGI_DIM_INDEX, item ? item[n->a] : n->a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    break;
  }
  return kgi_dim_binary(arena, to, (kgi_dim_op)n->op, (kgi_dim){map[n->a]}, (kgi_dim){map[n->b]});
}

uint32_t *kgi_copy_dims(kgi_builder *b, const kgi_scope *from, const uint32_t *object, const uint32_t *item,
                           kgi_arena *scratch) {
  uint32_t *map = kgi_arena_alloc(scratch, from->dim_count ? from->dim_count : 1, sizeof *map);
  for (uint32_t i = 1; map && i < from->dim_count; i++) map[i] = translate(b, from, &from->dim[i], map, object, item).i;
  return map;
}

void kgi_copy_extents(kgi_object *to, const kgi_object *from, const uint32_t *map) {
  to->rank = from->rank;
  to->length.i = map[from->length.i];
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) to->extent[k].i = map[from->extent[k].i];
}

bool kgi_copy_scope(kgi_builder *b, const kg_module *from, kgi_arena *scratch) {
  const kgi_scope *s = &from->scope;
  uint32_t *dim = kgi_copy_dims(b, s, NULL, NULL, scratch);
  if (!dim) return false;
  for (uint32_t q = 1; q < s->param_count; q++) {
    kgi_param param = s->param[q];
    param.name = kgi_intern_z(b->m, kgi_string(from, param.name));
    param.lo.i = dim[param.lo.i], param.hi.i = dim[param.hi.i];
    param.placed = param.pushed = false, param.set = param.binding = param.offset = 0; /* programs have places */
    kgi_param_add(b, &param);
  }
  for (uint32_t o = 1; o < s->object_count; o++) {
    kgi_object object = s->object[o];
    object.name = kgi_intern_z(b->m, kgi_string(from, object.name));
    kgi_copy_extents(&object, &s->object[o], dim);
    object.lo.i = dim[object.lo.i], object.hi.i = dim[object.hi.i];
    kgi_object_add(b, &object);
  }
  return true;
}
