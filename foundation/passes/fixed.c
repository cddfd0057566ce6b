/* Params and constants that are known, replaced by what they are. */
#include "foundation/passes/specialise.h"
#include "foundation/host/value.h"
#include "foundation/text/expr.h"

#include <string.h>

/* ---- values ---- */

bool kgi_value_of_text(kgi_builder *b, const char *text, kg_type type, uint64_t *bits) {
  kgi_builder quiet = *b;
  kgi_val value = {0};
  quiet.diags = NULL, quiet.simplify = true;
  if (kgi_expr(&quiet, text, NULL, NULL, 0, type, &value) != KG_OK) return false;
  const kgi_inst *x = &b->p->inst[value.i];
  if (x->kind != KGI_literal || x->type != type) return false;
  *bits = kgi_literal_bits(x);
  return true;
}

/* ---- lengths ---- */

static kgi_dim known_dim(kgi_arena *arena, kgi_scope *s, kg_type type, uint64_t bits) {
  if (kgi_is_float(type)) return kgi_dim_float(arena, s, kgi_value_number(type, bits));
  return kgi_dim_int(arena, s, type == KG_BOOL ? (int64_t)bits : kgi_bits_to_int(type, bits));
}

/* How many of those before it stay. */
static uint32_t moved(const kgi_fixed_set *set, uint32_t index) {
  uint32_t to = index;
  for (uint32_t k = 1; set->is && k < index; k++) to -= set->is[k];
  return to;
}

static bool is_fixed(const kgi_fixed_set *set, uint32_t index) { return set->is && set->is[index]; }

static kgi_dim translate(kgi_arena *arena, kgi_scope *s, const kgi_dim_node *n, const uint32_t *map, const kgi_fixed *f) {
  double number;
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_NONE: return (kgi_dim){0};
  case KGI_DIM_INT: return kgi_dim_int(arena, s, n->imm);
  case KGI_DIM_FLOAT: return memcpy(&number, &n->imm, sizeof number), kgi_dim_float(arena, s, number);
  case KGI_DIM_PARAM:
    if (is_fixed(&f->param, n->a)) return known_dim(arena, s, (kg_type)s->param[n->a].type, f->param.bits[n->a]);
    return kgi_dim_leaf(arena, s, KGI_DIM_PARAM, moved(&f->param, n->a));
  case KGI_DIM_SPEC:
    if (is_fixed(&f->spec, n->a)) return known_dim(arena, s, (kg_type)s->spec[n->a].type, f->spec.bits[n->a]);
    return kgi_dim_leaf(arena, s, KGI_DIM_SPEC, moved(&f->spec, n->a));
  case KGI_DIM_LEN: case KGI_DIM_INDEX: return kgi_dim_leaf(arena, s, (kgi_dim_op)n->op, n->a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    break;
  }
  return kgi_dim_binary(arena, s, (kgi_dim_op)n->op, (kgi_dim){map[n->a]}, (kgi_dim){map[n->b]});
}

/* A new table: entry i of the result is what dim i became. NULL: no memory. */
static uint32_t *translate_all(kgi_arena *arena, kgi_scope *s, const kgi_fixed *f, kgi_arena *scratch) {
  const kgi_dim_node *old = s->dim;
  uint32_t count = s->dim_count, *map = kgi_arena_alloc(scratch, count ? count : 1, sizeof *map);
  s->dim = NULL, s->dim_count = 1, s->dim_cap = 0, s->dims = (kgi_set){0};
  if (!map || !kgi_arena_grow(arena, &s->dim, 0, &s->dim_cap, sizeof *s->dim)) return NULL;
  for (uint32_t i = 1; i < count; i++) map[i] = translate(arena, s, &old[i], map, f).i;
  return map;
}

/* ---- declarations ---- */

static void close_gaps(kgi_scope *s, const kgi_fixed *f) {
  uint32_t params = 1, specs = 1;
  for (uint32_t q = 1; q < s->param_count; q++)
    if (!is_fixed(&f->param, q)) s->param[params++] = s->param[q];
  for (uint32_t k = 1; k < s->spec_count; k++)
    if (!is_fixed(&f->spec, k)) s->spec[specs++] = s->spec[k];
  s->param_count = params, s->spec_count = specs;
}

bool kgi_fix_scope(kg_module *m, kgi_scope *s, const kgi_fixed *f, kgi_arena *scratch, uint32_t **dim) {
  uint32_t *map = translate_all(&m->arena, s, f, scratch);
  if (!map) return false;
  for (uint32_t i = 1; i < s->object_count; i++) {
    kgi_object *o = &s->object[i];
    o->length.i = map[o->length.i], o->lo.i = map[o->lo.i], o->hi.i = map[o->hi.i];
    for (unsigned k = 0; k < KGI_MAX_RANK; k++) o->extent[k].i = map[o->extent[k].i];
  }
  for (uint32_t q = 1; q < s->param_count; q++) s->param[q].lo.i = map[s->param[q].lo.i], s->param[q].hi.i = map[s->param[q].hi.i];
  close_gaps(s, f);
  if (dim) *dim = map;
  return !m->arena.failed;
}

/* ---- instructions ---- */

/* Wherever a leaf is used, map[leaf], where it is not 0. Leaves past `count` are new. */
static void replace(kgi_program *p, const uint32_t *map, uint32_t count) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_inst *x = &p->inst[i];
    if (!x->block) continue;
    kgi_span operands = kgi_operands(x);
    for (unsigned k = operands.first; k < operands.first + (unsigned)operands.count; k++)
      if (x->arg[k] < count && map[x->arg[k]]) x->arg[k] = map[x->arg[k]];
  }
}

static void replace_leaves(kgi_builder *b, const kgi_fixed *f, kgi_arena *scratch) {
  kgi_program *p = b->p;
  uint32_t count = p->inst_count, *map = kgi_arena_alloc(scratch, count, sizeof *map);
  for (uint32_t i = 1; map && i < count; i++) {
    kgi_inst x = p->inst[i];
    const kgi_fixed_set *set = x.kind == KGI_param ? &f->param : &f->spec;
    if ((x.kind != KGI_param && x.kind != KGI_spec) || !is_fixed(set, x.arg[0])) continue;
    map[i] = kgi_literal_of(b, (kg_type)x.type, set->bits[x.arg[0]]).i;
  }
  if (map && b->status == KG_OK) replace(p, map, count);
}

/* What stays has another number, and what is known has none. */
static void renumber(kgi_program *p, const kgi_fixed *f) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_inst *x = &p->inst[i];
    const kgi_fixed_set *set = x->kind == KGI_param ? &f->param : &f->spec;
    if (x->kind != KGI_param && x->kind != KGI_spec) continue;
    if (is_fixed(set, x->arg[0])) *x = (kgi_inst){.kind = KGI_none};
    else x->arg[0] = moved(set, x->arg[0]);
  }
}

bool kgi_fix_program(kg_module *m, kgi_program *p, const kgi_fixed *f, kgi_arena *scratch) {
  kgi_builder b;
  uint32_t *map;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  replace_leaves(&b, f, scratch);
  if (b.status != KG_OK || scratch->failed || m->arena.failed) return false;
  renumber(p, f);
  if (!kgi_list_leaves(&b) || !kgi_fix_scope(m, &p->scope, f, scratch, &map)) return false;
  for (unsigned k = 0; k < 3; k++) p->workgroup[k].i = map[p->workgroup[k].i], p->grid[k].i = map[p->grid[k].i];
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_while && p->inst[i].block) p->inst[i].arg[3] = map[p->inst[i].arg[3]];
  return true;
}

/* ---- grids ---- */

/* What an id is; {0}: that is not known. */
static kgi_val known_id(kgi_builder *b, kgi_inst x, const uint32_t groups[3]) {
  if (x.kind != KGI_id || x.arg[0] >= 3) return (kgi_val){0};
  if (x.op == KGI_ID_num_workgroups) return kgi_u32(b, groups[x.arg[0]]);
  if (groups[x.arg[0]] != 1) return (kgi_val){0};
  if (x.op == KGI_ID_workgroup_id) return kgi_u32(b, 0);
  return x.op == KGI_ID_global_id ? kgi_id_value(b, KGI_ID_local_id, x.arg[0]) : (kgi_val){0};
}

bool kgi_fix_grid(kgi_builder *b, const uint32_t groups[3], kgi_arena *scratch) {
  uint32_t count = b->p->inst_count, *map = kgi_arena_alloc(scratch, count, sizeof *map);
  for (uint32_t i = 1; map && i < count; i++) map[i] = known_id(b, b->p->inst[i], groups).i;
  if (map && b->status == KG_OK) replace(b->p, map, count);
  return map && b->status == KG_OK;
}
