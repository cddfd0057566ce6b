/* The validator's second half: the body of a program, walked once in order. */
#include "foundation/ir/validate.h"

enum { VISITED = 1, VISIBLE = 2 };
enum { UNDECLARED, OPEN, CLOSED };

typedef struct walk {
  kgi_checker *c;
  const kgi_program *p;
  const kgi_dim_fact *facts;
  uint8_t *inst;   /* VISITED, VISIBLE */
  uint8_t *block;  /* met */
  uint8_t *object; /* of vars: UNDECLARED, OPEN, CLOSED */
  uint32_t loops;  /* around this point */
  bool condition;  /* in the block that computes a while's condition */
} walk;

static bool malformed(walk *w, uint32_t i, const char *what) {
  KGI_FAULT(w->c, malformed, w->p->inst_pos[i], what);
  return false;
}

static const char *object_name(const walk *w, uint32_t object) { return kgi_string(w->c->m, w->p->scope.object[object].name); }

/* ---- leaves ---- */

static bool leaf_fits(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  const kgi_scope *s = &w->p->scope;
  if (x->block || !kgi_type_computes(x->type)) return false;
  switch ((kgi_kind)x->kind) {
  case KGI_literal: return kgi_canonical_bits((kg_type)x->type, kgi_literal_bits(x)) == kgi_literal_bits(x);
  case KGI_spec: return x->arg[0] && x->arg[0] < s->spec_count && x->type == s->spec[x->arg[0]].type;
  case KGI_param: return x->arg[0] && x->arg[0] < s->param_count && x->type == s->param[x->arg[0]].type;
  case KGI_id: return x->op < KGI_ID_COUNT && x->arg[0] < kgi_id_rows[x->op].components && x->type == KG_U32;
  case KGI_len:
    return x->arg[0] && x->arg[0] < s->object_count && x->type == KG_U32 && x->arg[1] <= s->object[x->arg[0]].rank;
  case KGI_none: case KGI_op: case KGI_load: case KGI_store: case KGI_atomic: case KGI_subgroup: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_if: case KGI_for: case KGI_while: case KGI_region: case KGI_checkpoint:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_KIND_COUNT: break;
  }
  return false;
}

/* One of each: what two leaves could both stand for would have two encodings. The builder keeps this; so must readers. */
static bool check_leaves(walk *w) {
  for (uint32_t i = 1; i < w->p->inst_count; i++)
    if (w->p->inst[i].kind < KGI_KIND_COUNT && kgi_is_leaf(w->p->inst[i].kind)) {
      if (w->p->inst[i].type >= KGI_TYPE_COUNT || !leaf_fits(w, i)) return malformed(w, i, "a literal, constant, param, id or length");
      w->inst[i] = VISIBLE;
    }
  return true;
}

/* ---- operands ---- */

static kg_type type_of(const walk *w, uint32_t value) { return (kg_type)w->p->inst[value].type; }

/* What to call a value in a message. */
static const char *value_name(const walk *w, uint32_t value) {
  const kgi_inst *x = &w->p->inst[value];
  const char *name = kgi_string(w->c->m, w->p->inst_name[value]);
  if (*name) return name;
  return x->kind == KGI_op ? kgi_op_rows[x->op].name : kgi_kind_names[x->kind];
}

static bool usable(walk *w, uint32_t i, uint32_t value) {
  if (!value || value >= w->p->inst_count) return malformed(w, i, "an operand that is no value");
  const kgi_inst *x = &w->p->inst[value];
  if (x->kind == KGI_len && w->p->scope.object[x->arg[0]].space == KGI_VAR && w->object[x->arg[0]] != OPEN) {
    KGI_FAULT(w->c, var_scope, w->p->inst_pos[i], object_name(w, x->arg[0]));
    return false;
  }
  if (w->inst[value] & VISIBLE) return true;
  if (w->p->inst[value].kind >= KGI_KIND_COUNT || !w->p->inst[value].block || w->p->inst_name[value].i >= w->c->m->string_count ||
      (w->p->inst[value].kind == KGI_op && w->p->inst[value].op >= KGI_OP_COUNT))
    return malformed(w, i, "an operand that is no value");
  KGI_FAULT(w->c, value_scope, w->p->inst_pos[i], value_name(w, value));
  return false;
}

static bool has_type(walk *w, uint32_t i, uint32_t value, kg_type want) {
  if (!usable(w, i, value)) return false;
  if (type_of(w, value) == want) return true;
  KGI_FAULT(w->c, type_mismatch, w->p->inst_pos[i], kg_type_name(want), kg_type_name(type_of(w, value)));
  return false;
}

static bool gives(walk *w, uint32_t i, kg_type type) {
  return w->p->inst[i].type == type || malformed(w, i, "a result that is not of the instruction's type");
}

static bool check_rule(walk *w, uint32_t i, unsigned rule, const char *name, unsigned arity) {
  const kgi_inst *x = &w->p->inst[i];
  kg_type types[4] = {0};
  for (unsigned k = 0; k < arity; k++) {
    if (!usable(w, i, x->arg[k])) return false;
    types[k] = type_of(w, x->arg[k]);
  }
  kg_type type = kgi_rule_check((kgi_rule)rule, name, arity, types, (kg_type)x->type, w->c->diags, w->p->inst_pos[i]);
  if (type == KG_NONE) w->c->faults++;
  return type != KG_NONE && gives(w, i, type);
}

/* ---- memory ---- */

static bool check_access(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  const kgi_scope *s = &w->p->scope;
  kgi_pos pos = w->p->inst_pos[i];
  if (!x->arg[0] || x->arg[0] >= s->object_count) return malformed(w, i, "an access to no object");
  const kgi_object *o = &s->object[x->arg[0]];
  const char *name = object_name(w, x->arg[0]);
  if (o->space == KGI_VAR && w->object[x->arg[0]] != OPEN) {
    KGI_FAULT(w->c, var_scope, pos, name);
    return false;
  }
  if (o->scalar && x->arg[1]) KGI_FAULT(w->c, index_of_scalar, pos, name);
  else if (!o->scalar && !x->arg[1]) KGI_FAULT(w->c, missing_index, pos, name);
  else if (o->scalar) return true;
  else if (!usable(w, i, x->arg[1])) return false;
  else if (!kgi_is_int(type_of(w, x->arg[1]))) KGI_FAULT(w->c, index_type, pos, kg_type_name(type_of(w, x->arg[1])));
  else return true;
  return false;
}

/* Whether the access may read and write its object. */
static bool check_mode(walk *w, uint32_t i, bool reads, bool writes) {
  const kgi_object *o = &w->p->scope.object[w->p->inst[i].arg[0]];
  if (o->space == KGI_BUFFER && writes && o->mode == KG_READ)
    KGI_FAULT(w->c, store_to_read, w->p->inst_pos[i], object_name(w, w->p->inst[i].arg[0]));
  else if (o->space == KGI_BUFFER && reads && o->mode == KG_WRITE)
    KGI_FAULT(w->c, load_from_write, w->p->inst_pos[i], object_name(w, w->p->inst[i].arg[0]));
  else return true;
  return false;
}

static kg_type element(const walk *w, uint32_t i) { return kgi_type_value(w->p->scope.object[w->p->inst[i].arg[0]].type); }

static bool check_load(walk *w, uint32_t i) { return check_access(w, i) && check_mode(w, i, true, false) && gives(w, i, element(w, i)); }

static bool check_store(walk *w, uint32_t i) {
  return check_access(w, i) && check_mode(w, i, false, true) && has_type(w, i, w->p->inst[i].arg[2], element(w, i));
}

static bool check_atomic(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  if (x->op >= KGI_ATOMIC_COUNT) return malformed(w, i, "an atomic of no known kind");
  const kgi_atomic_row *row = &kgi_atomic_rows[x->op];
  if (!check_access(w, i) || !check_mode(w, i, x->op != KGI_ATOMIC_store, x->op != KGI_ATOMIC_load)) return false;
  const kgi_object *o = &w->p->scope.object[x->arg[0]];
  kg_type type = element(w, i);
  if (o->space == KGI_VAR || type != o->type) {
    KGI_FAULT(w->c, atomic_object, w->p->inst_pos[i], object_name(w, x->arg[0]));
    return false;
  }
  if (!kgi_rule_check((kgi_rule)row->rule, row->name, 1, &type, KG_NONE, w->c->diags, w->p->inst_pos[i])) {
    w->c->faults++;
    return false;
  }
  for (unsigned k = 0; k < row->operands; k++)
    if (!has_type(w, i, x->arg[2 + k], type)) return false;
  return gives(w, i, row->result ? type : KG_NONE);
}

static bool check_var(walk *w, uint32_t i) {
  uint32_t object = w->p->inst[i].arg[0];
  if (!object || object >= w->p->scope.object_count || w->p->scope.object[object].space != KGI_VAR)
    return malformed(w, i, "a declaration of what is no var");
  if (w->object[object] != UNDECLARED) return malformed(w, i, "a var that is declared twice");
  w->object[object] = OPEN;
  return gives(w, i, KG_NONE);
}

/* ---- control ---- */

static bool check_block(walk *w, uint32_t owner, kgi_blk block, unsigned depth);
static void close_block(walk *w, kgi_blk block);

static bool nested(walk *w, uint32_t owner, kgi_blk block, unsigned depth) {
  if (!check_block(w, owner, block, depth + 1)) return false;
  close_block(w, block);
  return true;
}

static bool check_if(walk *w, uint32_t i, unsigned depth) {
  const kgi_inst *x = &w->p->inst[i];
  has_type(w, i, x->arg[0], KG_BOOL);
  return nested(w, i, x->arg[1], depth) && (!x->arg[2] || nested(w, i, x->arg[2], depth));
}

static bool check_for(walk *w, uint32_t i, unsigned depth) {
  const kgi_inst *x = &w->p->inst[i];
  if (!kgi_is_int(x->type)) return malformed(w, i, "a loop whose index is no integer");
  for (unsigned k = 0; k < 3; k++) has_type(w, i, x->arg[k], (kg_type)x->type);
  w->inst[i] |= VISIBLE;
  w->loops++;
  bool fine = nested(w, i, x->arg[3], depth);
  w->loops--;
  w->inst[i] &= (uint8_t)~VISIBLE;
  return fine;
}

static bool check_while(walk *w, uint32_t i, unsigned depth) {
  const kgi_inst *x = &w->p->inst[i];
  kgi_check_size(w->c, &w->p->scope, w->facts, (kgi_dim){x->arg[3]}, "a limit", w->p->inst_pos[i]);
  bool outer = w->condition;
  w->condition = true;
  bool fine = check_block(w, i, x->arg[1], depth + 1);
  w->condition = outer;
  if (!fine) return false;
  has_type(w, i, x->arg[0], KG_BOOL);
  close_block(w, x->arg[1]);
  w->loops++;
  fine = nested(w, i, x->arg[2], depth);
  w->loops--;
  return fine;
}

static bool check_jump(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  const char *name = kgi_kind_names[x->kind];
  if (x->kind != KGI_return && !w->loops) KGI_FAULT(w->c, outside_loop, w->p->inst_pos[i], name);
  if (x->next) KGI_FAULT(w->c, unreachable, w->p->inst_pos[i], name);
  return true;
}

/* Only what gives a value can be written in a condition. */
static bool fits_condition(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  bool fits = x->kind < KGI_KIND_COUNT && kgi_is_expression(x) && (x->kind != KGI_atomic || x->type != KG_NONE);
  return !w->condition || fits || malformed(w, i, "a statement in the condition of a while");
}

/* False where the walk cannot go on; faults that leave the structure sound are reported and passed over. */
static bool check_control(walk *w, uint32_t i, unsigned depth) {
  const kgi_inst *x = &w->p->inst[i];
  if (x->kind != KGI_for && !gives(w, i, KG_NONE)) return false;
  if (x->kind == KGI_if) return check_if(w, i, depth);
  if (x->kind == KGI_for) return check_for(w, i, depth);
  if (x->kind == KGI_while) return check_while(w, i, depth);
  if (x->kind == KGI_checkpoint)
    return x->arg[1] < w->c->m->string_count ? nested(w, i, x->arg[0], depth) : malformed(w, i, "an index past the strings");
  if (x->kind == KGI_region) /* does not scope: what it declares stays visible until the block around it ends */
    return x->arg[1] < w->c->m->string_count ? check_block(w, i, x->arg[0], depth + 1) : malformed(w, i, "an index past the strings");
  if (x->kind == KGI_check)
    return has_type(w, i, x->arg[0], KG_BOOL), x->arg[1] < w->c->m->string_count || malformed(w, i, "an index past the strings");
  return check_jump(w, i);
}

static bool check_value(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  if (x->kind == KGI_load) return check_load(w, i);
  if (x->kind == KGI_atomic) return check_atomic(w, i);
  if (x->kind == KGI_op) {
    if (x->op >= KGI_OP_COUNT) return malformed(w, i, "an operation that is not in the table");
    if (x->op == KGI_OP_convert && usable(w, i, x->arg[0]) && type_of(w, x->arg[0]) == x->type) /* text has no way to write it */
      return malformed(w, i, "a conversion of a value to its own type");
    return check_rule(w, i, kgi_op_rows[x->op].rule, kgi_op_rows[x->op].name, kgi_op_rows[x->op].arity);
  }
  if (x->op >= KGI_SUBGROUP_COUNT) return malformed(w, i, "a subgroup operation that is not in the table");
  return check_rule(w, i, kgi_subgroup_rows[x->op].rule, kgi_subgroup_rows[x->op].name, kgi_subgroup_rows[x->op].operands);
}

static bool check_inst(walk *w, uint32_t i, unsigned depth) {
  const kgi_inst *x = &w->p->inst[i];
  if (x->type >= KGI_TYPE_COUNT) return malformed(w, i, "a result of no known type");
  if (w->p->inst_name[i].i >= w->c->m->string_count) return malformed(w, i, "an index past the strings");
  if (!fits_condition(w, i)) return false;
  switch ((kgi_kind)x->kind) {
  case KGI_op: case KGI_load: case KGI_atomic: case KGI_subgroup:
    check_value(w, i);
    /* Visible even when it is at fault, so that one mistake gives one diagnostic. */
    if (x->type != KG_NONE) w->inst[i] |= VISIBLE;
    return true;
  case KGI_store: return check_store(w, i), gives(w, i, KG_NONE);
  case KGI_var: return check_var(w, i);
  case KGI_barrier: case KGI_memory_barrier: return gives(w, i, KG_NONE);
  case KGI_check: case KGI_if: case KGI_for: case KGI_while: case KGI_region: case KGI_break: case KGI_continue: case KGI_return:
  case KGI_checkpoint:
    return check_control(w, i, depth);
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_KIND_COUNT: break;
  }
  return malformed(w, i, "an instruction of no known kind in a block");
}

/* Each link is checked against the one that led here, so that a list can neither loop nor run into another. */
static bool check_block(walk *w, uint32_t owner, kgi_blk block, unsigned depth) {
  const kgi_program *p = w->p;
  if (depth > KGI_MAX_DEPTH) {
    KGI_FAULT(w->c, too_large, p->inst_pos[owner], "the nesting of blocks", KGI_NUM(KGI_MAX_DEPTH));
    return false;
  }
  if (!block || block >= p->block_count || w->block[block] || p->block[block].owner != owner)
    return malformed(w, owner, "a block that is not its owner's alone");
  w->block[block] = 1;
  uint32_t before = 0;
  KGI_EACH(p, block, i) {
    if (i >= p->inst_count || p->inst[i].block != block || p->inst[i].prev != before || (w->inst[i] & VISITED))
      return malformed(w, owner, "a block whose list of instructions is broken");
    w->inst[i] |= VISITED;
    if (!check_inst(w, i, depth)) return false;
    before = i;
  }
  return p->block[block].last == before || malformed(w, owner, "a block whose list of instructions is broken");
}

/* What was computed and declared in it, and in its regions, is out of reach. */
static void close_block(walk *w, kgi_blk block) {
  KGI_EACH(w->p, block, i) {
    w->inst[i] &= (uint8_t)~VISIBLE;
    if (w->p->inst[i].kind == KGI_var) w->object[w->p->inst[i].arg[0]] = CLOSED;
    if (w->p->inst[i].kind == KGI_region) close_block(w, w->p->inst[i].arg[0]);
  }
}

/* ---- programs ---- */

static void check_workgroup(kgi_checker *c, const kgi_program *p, const kgi_dim_fact *facts) {
  uint64_t product = 1;
  if (!p->workgroup[0].i) KGI_FAULT(c, no_workgroup, p->pos, kgi_string(c->m, p->name));
  for (unsigned i = 0; i < 3; i++) {
    uint64_t size = 1;
    kgi_dim d = p->workgroup[i];
    if (!d.i) continue;
    if (!kgi_check_dim(c, &p->scope, facts, d, true, "a workgroup", p->pos)) return;
    if (kgi_dim_eval_size(&p->scope, d, &(kgi_dim_env){0}, "a workgroup", c->diags, p->pos, &size) != KG_OK) {
      c->faults++;
      return;
    }
    if (!size) KGI_FAULT(c, too_small, p->pos, "a workgroup", "0");
    if (__builtin_mul_overflow(product, size, &product)) product = UINT64_MAX;
  }
  kgi_check_axes(c, p->workgroup, p->pos);
  if (product > KGI_MAX_WORKGROUP) KGI_FAULT(c, too_large, p->pos, "a workgroup", KGI_NUM(KGI_MAX_WORKGROUP));
}

static void check_grid(kgi_checker *c, const kgi_program *p, const kgi_dim_fact *facts) {
  kgi_check_axes(c, p->grid, p->pos);
  for (unsigned i = 0; i < 3; i++)
    if (kgi_check_size(c, &p->scope, facts, p->grid[i], "a grid", p->pos) && facts[p->grid[i].i].indices)
      KGI_FAULT(c, malformed, p->pos, "a program's grid that depends on a repeat");
}

static void check_program(kgi_checker *c, const kgi_program *p) {
  const kgi_dim_fact *facts = kgi_check_scope(c, &p->scope, false, p->pos);
  if (!facts) return;
  check_workgroup(c, p, facts);
  check_grid(c, p, facts);
  walk w = {.c = c, .p = p, .facts = facts};
  w.inst = kgi_arena_alloc(&c->scratch, p->inst_count, 1);
  w.block = kgi_arena_alloc(&c->scratch, p->block_count, 1);
  w.object = kgi_arena_alloc(&c->scratch, p->scope.object_count, 1);
  if (!w.inst || !w.block || !w.object || !check_leaves(&w)) return;
  check_block(&w, 0, KGI_BODY, 0);
}

static void check_program_names(kgi_checker *c) {
  const kg_module *m = c->m;
  c->scopes++;
  for (uint32_t i = 1; i < m->program_count; i++) {
    kgi_str name = m->program[i]->name;
    if (name.i >= m->string_count) KGI_FAULT(c, malformed, m->program[i]->pos, "an index past the strings");
    else if (!name.i) KGI_FAULT(c, no_name, m->program[i]->pos, "a program");
    else if (c->named[name.i] == c->scopes) KGI_FAULT(c, duplicate_name, m->program[i]->pos, kgi_string(m, name));
    else c->named[name.i] = c->scopes;
  }
  if (m->name.i >= m->string_count) KGI_FAULT(c, malformed, m->pos, "an index past the strings");
  else if (!m->name.i) KGI_FAULT(c, no_name, m->pos, "a module");
}

static bool begin(kgi_checker *c, const kg_module *m, kgi_diags *diags) {
  *c = (kgi_checker){.m = m, .diags = diags};
  kgi_arena_init(&c->scratch, &m->arena.alloc);
  c->named = kgi_arena_alloc(&c->scratch, m->string_count, sizeof *c->named);
  return c->named != NULL;
}

static kg_status finish(kgi_checker *c) {
  bool failed = c->scratch.failed;
  kgi_arena_free(&c->scratch);
  if (failed) KGI_DIAG(c->diags, no_memory, 0, "");
  return failed ? KG_NO_MEMORY : c->faults ? KG_INVALID : KG_OK;
}

kg_status kgi_validate(const kg_module *m, kgi_diags *diags) {
  kgi_checker c;
  if (begin(&c, m, diags)) {
    check_program_names(&c);
    for (uint32_t i = 1; i < m->program_count; i++) check_program(&c, m->program[i]);
    /* A lone program's module mirrors its scope, whose faults have been told. */
    const kgi_dim_fact *facts = m->lone && c.faults ? NULL : kgi_check_scope(&c, &m->scope, true, m->pos);
    if (!c.faults) kgi_check_adjoints(&c);
    /* Bindings are read through the scopes, so these must be sound. */
    if (facts && !c.faults) kgi_check_order(&c, facts);
  }
  return finish(&c);
}

kg_status kgi_validate_program(const kg_module *m, const kgi_program *p, kgi_diags *diags) {
  kgi_checker c;
  if (begin(&c, m, diags)) check_program(&c, p);
  return finish(&c);
}
