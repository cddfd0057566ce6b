/* Counting what programs hold, and naming what they may. */
#include "fuzz/generate.h"

#include <stdio.h>
#include <string.h>

/* What has a name of its own. */
#define TRAITS(T) \
  T(reversed_for, "for reversed") T(stepped_for, "for with a step other than 1") \
  T(computed_step, "for with a computed step") T(computed_to, "for with a computed end") \
  T(limited_while, "while with a limit") T(unlimited_while, "while without a limit") \
  T(dim_limit, "while with a computed limit") T(if_else, "if with else") T(memory_scalar, "buffer without brackets") \
  T(host_length, "buffer of the host's length") T(ranged_int, "integers in a range") \
  T(ranged_float, "floats in a range") T(ranged_param, "param in a range") \
  T(computed_range, "range computed from params") T(mode_read, "buffer read") T(mode_write, "buffer write") \
  T(mode_read_write, "buffer read_write") T(mode_temp, "buffer temp") T(view, "view") \
  T(workgroup_2, "workgroup of two dimensions") T(workgroup_3, "workgroup of three dimensions") \
  T(grid_2, "grid of two dimensions") T(grid_3, "grid of three dimensions") T(grid_groups, "grid of workgroups") \
  T(grid_invocations, "grid of invocations") T(const_size, "workgroup of a constant") T(lone, "lone program") \
  T(runs, "module of several runs") T(run_grid, "run with a grid") T(run_param, "run that passes a param") \
  T(repeat, "repeat") T(repeat_reversed, "repeat reversed") T(repeat_step, "repeat with a step") \
  T(repeat_nested, "repeat in a repeat") T(repeat_index, "index of a repeat as a param")
enum trait {
#define T(name, text) TRAIT_##name,
  TRAITS(T)
#undef T
  TRAITS_END
};
_Static_assert((unsigned)TRAITS_END <= (unsigned)KGI_FUZZ_TRAITS, "room for the traits");
static const char *const trait_names[] = {
#define T(name, text) text,
  TRAITS(T)
#undef T
};

static const char *const owner_names[] = {"body", "if", "else", "for", "condition", "while", "region", "checkpoint"};
static const char *const place_names[] = {"buffer", "shared", "var", "array", "param", "const"};
static const char *const dim_names[] = {"none", "integer", "float", "param", "const", "len", "index",
                                        "+", "-", "*", "/", "%", "min", "max"};

/* ---- counting ---- */

static kgi_fuzz_owner owner_of(const kgi_inst *x, unsigned block) {
  switch ((kgi_kind)x->kind) {
  case KGI_if: return block ? KGI_FUZZ_OF_ELSE : KGI_FUZZ_OF_IF;
  case KGI_for: return KGI_FUZZ_OF_FOR;
  case KGI_while: return block ? KGI_FUZZ_OF_WHILE : KGI_FUZZ_OF_CONDITION;
  case KGI_region: return KGI_FUZZ_OF_REGION;
  case KGI_checkpoint: return KGI_FUZZ_OF_CHECKPOINT;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_op: case KGI_load:
  case KGI_store: case KGI_atomic: case KGI_subgroup: case KGI_barrier: case KGI_memory_barrier: case KGI_check: case KGI_var:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_KIND_COUNT: break;
  }
  return KGI_FUZZ_OF_BODY;
}

/* The operand whose type decides. */
static unsigned leading(unsigned rule) { return rule == KGI_RULE_SELECT; }

static void cover_loop(kgi_fuzz_coverage *c, const kgi_program *p, const kgi_inst *x) {
  const kgi_inst *step = &p->inst[x->arg[2]];
  bool one = !x->arg[2] || (step->kind == KGI_literal && step->arg[0] == 1);
  c->index[1][x->type]++;
  c->trait[TRAIT_reversed_for] += (x->flags & KGI_REVERSED) != 0;
  c->trait[TRAIT_stepped_for] += !one;
  c->trait[TRAIT_computed_step] += !one && step->kind != KGI_literal;
  c->trait[TRAIT_computed_to] += !kgi_is_leaf(p->inst[x->arg[1]].kind);
}

static void cover_while(kgi_fuzz_coverage *c, const kgi_program *p, const kgi_inst *x) {
  c->trait[x->arg[3] ? TRAIT_limited_while : TRAIT_unlimited_while]++;
  c->trait[TRAIT_dim_limit] += x->arg[3] && p->scope.dim[x->arg[3]].op >= KGI_DIM_ADD;
}

static void cover_inst(kgi_fuzz_coverage *c, const kgi_program *p, const kgi_inst *x) {
  kg_type from = (kg_type)p->inst[x->arg[0]].type;
  switch ((kgi_kind)x->kind) {
  case KGI_op:
    c->op[x->op][p->inst[x->arg[leading(kgi_op_rows[x->op].rule)]].type]++;
    if (x->op == KGI_OP_convert) c->convert[from][x->type]++;
    if (x->op == KGI_OP_bitcast) c->bitcast[from][x->type]++;
    return;
  case KGI_atomic: c->atomic[p->scope.object[x->arg[0]].space == KGI_SHARED][x->op][p->scope.object[x->arg[0]].type]++; return;
  case KGI_subgroup: c->subgroup[x->op][kgi_subgroup_rows[x->op].operands ? from : KG_BOOL]++; return;
  case KGI_load: case KGI_store: c->index[0][p->inst[x->arg[1]].type]++; return;
  case KGI_for: cover_loop(c, p, x); return;
  case KGI_while: cover_while(c, p, x); return;
  case KGI_if: c->trait[TRAIT_if_else] += x->arg[2] != 0; return;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_region: case KGI_break: case KGI_continue: case KGI_return:
  case KGI_checkpoint: case KGI_KIND_COUNT: return;
  }
}

static void cover_block(kgi_fuzz_coverage *c, const kgi_program *p, kgi_blk block, kgi_fuzz_owner owner, unsigned depth) {
  unsigned before = 0;
  if (depth > 100) return;
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    kgi_span owned = kgi_owned_blocks(x), operands = kgi_operands(x);
    c->instructions++;
    c->kind[x->kind]++;
    c->nested[owner][x->kind]++;
    if (before) c->after[before][x->kind]++;
    before = x->kind;
    cover_inst(c, p, x);
    for (unsigned k = 0; k < operands.count; k++) {
      const kgi_inst *used = &p->inst[x->arg[operands.first + k]];
      if (used->kind == KGI_atomic) c->result[used->op]++;
    }
    for (unsigned k = 0; k < owned.count; k++)
      cover_block(c, p, x->arg[owned.first + k], owner_of(x, k), depth + 1);
  }
}

static void cover_object(kgi_fuzz_coverage *c, const kgi_scope *s, const kgi_object *o) {
  static const enum trait modes[] = {[KG_READ] = TRAIT_mode_read, [KG_WRITE] = TRAIT_mode_write,
                                     [KG_READ_WRITE] = TRAIT_mode_read_write, [KG_TEMP] = TRAIT_mode_temp};
  kgi_fuzz_place place = o->space == KGI_BUFFER ? KGI_FUZZ_IN_BUFFER : o->space == KGI_SHARED ? KGI_FUZZ_IN_SHARED
                         : o->scalar            ? KGI_FUZZ_IN_VAR    : KGI_FUZZ_IN_ARRAY;
  c->type[place][o->type]++;
  if (o->space != KGI_BUFFER) return;
  c->trait[modes[o->mode]]++;
  c->trait[TRAIT_memory_scalar] += o->scalar;
  c->trait[TRAIT_view] += o->view;
  c->trait[TRAIT_host_length] += !o->scalar && !o->length.i;
  if (!o->ranged) return;
  c->trait[kgi_is_float(o->type) ? TRAIT_ranged_float : TRAIT_ranged_int]++;
  c->trait[TRAIT_computed_range] += s->dim[o->hi.i].op == KGI_DIM_PARAM || s->dim[o->hi.i].op >= KGI_DIM_ADD;
}

static void cover_scope(kgi_fuzz_coverage *c, const kgi_scope *s) {
  for (uint32_t i = 1; i < s->object_count; i++) cover_object(c, s, &s->object[i]);
  for (uint32_t i = 1; i < s->param_count; i++) {
    c->type[KGI_FUZZ_IN_PARAM][s->param[i].type]++;
    c->trait[TRAIT_ranged_param] += s->param[i].ranged;
  }
  for (uint32_t i = 1; i < s->spec_count; i++) c->type[KGI_FUZZ_IN_CONST][s->spec[i].type]++;
  for (uint32_t i = 1; i < s->dim_count; i++) c->dim[s->dim[i].op]++;
}

static void cover_program(kgi_fuzz_coverage *c, const kgi_program *p) {
  c->programs++;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (!kgi_is_leaf(x->kind)) continue;
    c->kind[x->kind]++;
    if (x->kind == KGI_id) c->id[x->op][x->arg[0]]++;
  }
  c->trait[TRAIT_workgroup_2] += p->workgroup[1].i && !p->workgroup[2].i;
  c->trait[TRAIT_workgroup_3] += p->workgroup[2].i != 0;
  c->trait[TRAIT_grid_2] += p->grid[1].i && !p->grid[2].i;
  c->trait[TRAIT_grid_3] += p->grid[2].i != 0;
  c->trait[p->grid_is_invocations ? TRAIT_grid_invocations : TRAIT_grid_groups]++;
  c->trait[TRAIT_const_size] += p->scope.dim[p->workgroup[0].i].op == KGI_DIM_SPEC;
  cover_scope(c, &p->scope);
  cover_block(c, p, KGI_BODY, KGI_FUZZ_OF_BODY, 0);
}

static void cover_run(kgi_fuzz_coverage *c, const kg_module *m, const kgi_item *run) {
  const kgi_scope *s = &m->program[run->program]->scope;
  uint32_t first = run->binding + kgi_buffer_end(s) - 1;
  c->trait[TRAIT_run_grid] += kgi_dim_is_set(run->grid);
  for (uint32_t q = 0; q + 1 < s->param_count; q++) {
    const kgi_dim_node *n = &m->scope.dim[m->bind[first + q]];
    c->trait[TRAIT_run_param] += n->op != KGI_DIM_NONE;
    c->trait[TRAIT_repeat_index] += n->op == KGI_DIM_INDEX;
  }
}

static void cover_items(kgi_fuzz_coverage *c, const kg_module *m, uint32_t first, unsigned depth) {
  for (uint32_t i = first; i && depth < 100; i = m->item[i].next) {
    const kgi_item *item = &m->item[i];
    if (item->kind == KGI_ITEM_RUN) {
      cover_run(c, m, item);
      continue;
    }
    c->trait[TRAIT_repeat]++;
    c->trait[TRAIT_repeat_nested] += depth > 0;
    c->trait[TRAIT_repeat_reversed] += item->reversed;
    c->trait[TRAIT_repeat_step] += item->step.i != 0;
    cover_items(c, m, item->first, depth + 1);
  }
}

static const char *const shape_names[] = {
#define SHAPE(name, text) text,
#include "fuzz/shapes.def"
#undef SHAPE
};
enum { SHAPES = sizeof shape_names / sizeof *shape_names };
_Static_assert((unsigned)SHAPES <= (unsigned)KGI_FUZZ_MOST_SHAPES, "room for the shapes");

typedef struct feature { const char *name, *text; uint32_t bit; } feature;
static const feature features[] = {
#define FEATURE(ID, bit, name, text) {name, text, KGI_FUZZ_##ID},
#include "fuzz/features.def"
};
enum { FEATURES = sizeof features / sizeof *features };

uint32_t kgi_fuzz_feature_named(const char *name) {
  for (unsigned i = 0; i < FEATURES; i++)
    if (!strcmp(features[i].name, name)) return features[i].bit;
  return 0;
}

const char *kgi_fuzz_feature_at(unsigned index, const char **text) {
  if (index >= FEATURES) return NULL;
  *text = features[index].text;
  return features[index].name;
}

const char *kgi_fuzz_shape_name(unsigned shape) { return shape < SHAPES ? shape_names[shape] : NULL; }

void kgi_fuzz_cover(kgi_fuzz_coverage *c, const kg_module *m, const kgi_fuzz_shapes *shapes) {
  c->modules++;
  for (unsigned i = 0; i < SHAPES; i++) c->shape[i] += kgi_fuzz_has_shape(shapes, i);
  for (uint32_t k = 1; k < m->program_count; k++) cover_program(c, m->program[k]);
  c->trait[m->lone ? TRAIT_lone : TRAIT_runs]++;
  if (m->lone) return;
  cover_scope(c, &m->scope);
  cover_items(c, m, m->first_item, 0);
}

/* ---- naming ---- */

typedef struct teller {
  kgi_fuzz_cell *cell;
  void *user;
} teller;

static void tell(const teller *t, const char *table, const char *row, const char *column, uint64_t count) {
  char name[128];
  snprintf(name, sizeof name, "%s%s%s", row, *column ? " " : "", column);
  t->cell(t->user, table, name, count);
}

/* The operands that a row would have if the one that leads were of this type. */
static bool takes(unsigned rule, unsigned arity, kg_type type) {
  kg_type types[4] = {type, type, type, type};
  if (rule == KGI_RULE_SELECT) types[0] = KG_BOOL;
  if (rule == KGI_RULE_LDEXP) types[1] = KG_I32;
  if (rule == KGI_RULE_BALLOT || rule == KGI_RULE_LANE) types[1] = KG_U32;
  if (rule == KGI_RULE_BITS) types[arity - 1] = types[arity - 2] = KG_U32;
  if (rule == KGI_RULE_NONE) return type == KG_BOOL;
  return kgi_type_computes(type) && kgi_rule_check((kgi_rule)rule, "", arity, types, type, NULL, 0) != KG_NONE;
}

#define EACH_TYPE(type) (unsigned type = KG_BOOL; type < KGI_TYPE_COUNT; type++)
static const char *type_name(unsigned type) { return kg_type_name((kg_type)type); }

static void tell_atomics(const teller *t, const kgi_fuzz_coverage *c, unsigned shared) {
  const char *table = shared ? "atomic in shared memory" : "atomic in a buffer";
  for (unsigned op = 0; op < KGI_ATOMIC_COUNT; op++)
    for EACH_TYPE(type)
      if (type != KG_BOOL && takes(kgi_atomic_rows[op].rule, 1, (kg_type)type))
        tell(t, table, kgi_atomic_rows[op].name, type_name(type), c->atomic[shared][op][type]);
}

static void tell_ops(const teller *t, const kgi_fuzz_coverage *c) {
  for (unsigned op = 0; op < KGI_OP_COUNT; op++)
    for EACH_TYPE(type)
      if (takes(kgi_op_rows[op].rule, kgi_op_rows[op].arity, (kg_type)type))
        tell(t, "operation", kgi_op_rows[op].name, type_name(type), c->op[op][type]);
  for (unsigned op = 0; op < KGI_SUBGROUP_COUNT; op++)
    for EACH_TYPE(type)
      if (takes(kgi_subgroup_rows[op].rule, kgi_subgroup_rows[op].operands, (kg_type)type))
        tell(t, "subgroup operation", kgi_subgroup_rows[op].name, type_name(type), c->subgroup[op][type]);
  tell_atomics(t, c, 0);
  tell_atomics(t, c, 1);
  for (unsigned op = 0; op < KGI_ATOMIC_COUNT; op++)
    if (kgi_atomic_rows[op].result) tell(t, "atomic whose result is used", kgi_atomic_rows[op].name, "", c->result[op]);
}

static void tell_conversions(const teller *t, const kgi_fuzz_coverage *c) {
  for EACH_TYPE(from)
    for EACH_TYPE(to)
      if (from != to && kgi_type_computes(from) && kgi_type_computes(to))
        tell(t, "conversion", type_name(from), type_name(to), c->convert[from][to]);
  for EACH_TYPE(from)
    for EACH_TYPE(to)
      if (from != KG_BOOL && takes(KGI_RULE_BITCAST, 1, (kg_type)from) && kgi_type_computes(to) && to != KG_BOOL &&
          kgi_type_bits(from) == kgi_type_bits(to))
        tell(t, "bitcast", type_name(from), type_name(to), c->bitcast[from][to]);
}

static void tell_types(const teller *t, const kgi_fuzz_coverage *c) {
  for (unsigned place = 0; place < KGI_FUZZ_PLACES; place++)
    for EACH_TYPE(type) {
      bool host = place == KGI_FUZZ_IN_PARAM || place == KGI_FUZZ_IN_CONST;
      if (host ? kgi_type_computes(type) : place != KGI_FUZZ_IN_BUFFER || type != KG_BOOL)
        tell(t, "type", place_names[place], type_name(type), c->type[place][type]);
    }
  for EACH_TYPE(type) {
    if (!kgi_is_int(type) || !kgi_type_computes(type)) continue;
    tell(t, "index", "of an element", type_name(type), c->index[0][type]);
    tell(t, "index", "of a for", type_name(type), c->index[1][type]);
  }
  for (unsigned id = 0; id < KGI_ID_COUNT; id++)
    for (unsigned axis = 0; axis < kgi_id_rows[id].components; axis++)
      tell(t, "id", kgi_id_rows[id].name, kgi_id_rows[id].components == 1 ? "" : axis == 0 ? "x" : axis == 1 ? "y" : "z",
           c->id[id][axis]);
}

static bool ends(unsigned kind) { return kgi_kind_rows[kind].effect & KGI_ENDS; }
static bool gives(unsigned kind) { return kgi_kind_rows[kind].effect & KGI_EXPRESSION; }

static void tell_statements(const teller *t, const kgi_fuzz_coverage *c) {
  for (unsigned kind = KGI_literal; kind < KGI_KIND_COUNT; kind++) tell(t, "kind", kgi_kind_names[kind], "", c->kind[kind]);
  for (unsigned owner = 0; owner < KGI_FUZZ_OWNERS; owner++)
    for (unsigned kind = KGI_op; kind < KGI_KIND_COUNT; kind++) {
      bool outside = owner == KGI_FUZZ_OF_BODY && (kind == KGI_break || kind == KGI_continue);
      if (!outside && (owner != KGI_FUZZ_OF_CONDITION || gives(kind)))
        tell(t, "statement in", owner_names[owner], kgi_kind_names[kind], c->nested[owner][kind]);
    }
  for (unsigned kind = KGI_op; kind < KGI_KIND_COUNT; kind++)
    for (unsigned next = KGI_op; next < KGI_KIND_COUNT && !ends(kind); next++)
      tell(t, "statement after", kgi_kind_names[kind], kgi_kind_names[next], c->after[kind][next]);
}

void kgi_fuzz_cells(const kgi_fuzz_coverage *c, kgi_fuzz_cell *cell, void *user) {
  teller t = {cell, user};
  tell_ops(&t, c);
  tell_conversions(&t, c);
  tell_types(&t, c);
  tell_statements(&t, c);
  for (unsigned op = KGI_DIM_INT; op < KGI_FUZZ_DIMS; op++) tell(&t, "length", dim_names[op], "", c->dim[op]);
  for (unsigned i = 0; i < TRAITS_END; i++) tell(&t, "trait", trait_names[i], "", c->trait[i]);
  for (unsigned i = 0; i < SHAPES; i++) tell(&t, "shape", shape_names[i], "", c->shape[i]);
}
