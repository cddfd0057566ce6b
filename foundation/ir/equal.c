#include "foundation/ir/equal.h"
#include "foundation/ir/slices.h"
#include "foundation/ir/views.h"

#include <string.h>

typedef struct pair {
  const kg_module *a, *b;
  kgi_arena scratch;
  const char *what;
  const kgi_scope *s, *t;     /* the scopes being compared */
  const kgi_program *p, *q;
  uint32_t *value, *object;   /* what instructions and objects of p are in q; of objects, NULL: not asked */
  uint32_t *item;             /* likewise items */
} pair;

static bool differ(pair *x, const char *what) {
  if (!x->what) x->what = what;
  return false;
}

static bool same_text(const pair *x, kgi_str a, kgi_str b) { return !strcmp(kgi_string(x->a, a), kgi_string(x->b, b)); }

/* ---- lengths: their size is bounded by the validator ---- */

static bool same_dim(pair *x, kgi_dim a, kgi_dim b) {
  const kgi_dim_node *m = &x->s->dim[a.i], *n = &x->t->dim[b.i];
  if (!a.i || !b.i) return a.i == b.i || differ(x, "a length");
  if (m->op != n->op || m->imm != n->imm) return differ(x, "a length");
  if (m->op == KGI_DIM_INDEX) return (x->item && x->item[m->a] == n->a) || differ(x, "the index of a repeat");
  if (m->op < KGI_DIM_ADD) return m->a == n->a || differ(x, "a length");
  return same_dim(x, (kgi_dim){m->a}, (kgi_dim){n->a}) && same_dim(x, (kgi_dim){m->b}, (kgi_dim){n->b});
}

static bool same_dims(pair *x, const kgi_dim a[3], const kgi_dim b[3]) {
  return same_dim(x, a[0], b[0]) && same_dim(x, a[1], b[1]) && same_dim(x, a[2], b[2]);
}

/* ---- declarations ---- */

static bool same_object(pair *x, const kgi_object *a, const kgi_object *b) {
  if (a->space != b->space || a->type != b->type || a->mode != b->mode || a->scalar != b->scalar) return differ(x, "an object");
  if (a->space != KGI_VAR && !same_text(x, a->name, b->name)) return differ(x, "an object's name");
  if (a->ranged != b->ranged) return differ(x, "a range");
  if (a->ranged && !(same_dim(x, a->lo, b->lo) && same_dim(x, a->hi, b->hi))) return differ(x, "a range");
  if (a->draw != b->draw) return differ(x, "how data are drawn");
  if (a->set != b->set || a->binding != b->binding || !kgi_same_places(a, b))
    return differ(x, "a view");
  if (a->rank != b->rank) return differ(x, "the number of dimensions");
  for (unsigned k = 0; k < a->rank; k++)
    if (!same_dim(x, a->extent[k], b->extent[k])) return false;
  return same_dim(x, a->length, b->length);
}

static bool same_param(pair *x, const kgi_param *a, const kgi_param *b) {
  if (!same_text(x, a->name, b->name) || a->type != b->type || a->has_default != b->has_default || a->bits != b->bits)
    return differ(x, "a param");
  if (a->placed != b->placed || a->pushed != b->pushed || a->set != b->set || a->binding != b->binding || a->offset != b->offset)
    return differ(x, "a param's place");
  if (a->ranged != b->ranged) return differ(x, "a param's range");
  return !a->ranged || (same_dim(x, a->lo, b->lo) && same_dim(x, a->hi, b->hi));
}

/* The next object that is no var; 0: there is none. Vars are compared where they are declared, and may stand between others: a
 * pass that adds shared memory adds it behind them. */
static uint32_t next_fixed(const kgi_scope *s, uint32_t i) {
  for (i++; i < s->object_count; i++)
    if (s->object[i].space != KGI_VAR) return i;
  return 0;
}

static bool same_objects(pair *x, const kgi_scope *s, const kgi_scope *t) {
  uint32_t a = next_fixed(s, 0), b = next_fixed(t, 0);
  for (; a && b; a = next_fixed(s, a), b = next_fixed(t, b)) {
    if (!same_object(x, &s->object[a], &t->object[b])) return false;
    if (x->object) x->object[a] = b;
  }
  return a == b || differ(x, "the number of declarations");
}

static bool same_scope(pair *x, const kgi_scope *s, const kgi_scope *t) {
  x->s = s, x->t = t;
  if (s->param_count != t->param_count || s->spec_count != t->spec_count) return differ(x, "the number of declarations");
  for (uint32_t i = 1; i < s->spec_count; i++) {
    const kgi_spec *a = &s->spec[i], *b = &t->spec[i];
    if (!same_text(x, a->name, b->name) || a->type != b->type || a->bits != b->bits) return differ(x, "a constant");
    if (a->numbered != b->numbered || a->id != b->id) return differ(x, "a constant's number");
  }
  for (uint32_t i = 1; i < s->param_count; i++)
    if (!same_param(x, &s->param[i], &t->param[i])) return false;
  return same_objects(x, s, t);
}

/* ---- instructions ---- */

static bool same_leaf(const pair *x, uint32_t a, uint32_t b) {
  const kgi_inst *m = &x->p->inst[a], *n = &x->q->inst[b];
  uint32_t first = m->kind == KGI_len ? x->object[m->arg[0]] : m->arg[0];
  return m->kind == n->kind && m->op == n->op && m->type == n->type && first == n->arg[0] && m->arg[1] == n->arg[1];
}

static bool same_value(pair *x, uint32_t a, uint32_t b) {
  if (!a || !b) return a == b || differ(x, "an operand");
  if (kgi_is_leaf(x->p->inst[a].kind)) return same_leaf(x, a, b) || differ(x, "a literal, param, constant, id or length");
  return x->value[a] == b || differ(x, "an operand");
}

static bool same_block(pair *x, kgi_blk a, kgi_blk b);

/* What arg[] holds besides values and blocks. */
static bool same_rest(pair *x, const kgi_inst *m, const kgi_inst *n) {
  switch ((kgi_kind)m->kind) {
  case KGI_load: case KGI_store: case KGI_atomic:
    return x->object[m->arg[0]] == n->arg[0] || differ(x, "the object of an access");
  case KGI_var:
    x->object[m->arg[0]] = n->arg[0];
    return same_object(x, &x->p->scope.object[m->arg[0]], &x->q->scope.object[n->arg[0]]);
  case KGI_check:
    return same_text(x, (kgi_str){m->arg[1]}, (kgi_str){n->arg[1]}) || differ(x, "a message");
  case KGI_region: case KGI_checkpoint:
    return same_text(x, (kgi_str){m->arg[1]}, (kgi_str){n->arg[1]}) || differ(x, "the name of a region");
  case KGI_while: return same_dim(x, (kgi_dim){m->arg[3]}, (kgi_dim){n->arg[3]});
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_op: case KGI_subgroup:
  case KGI_barrier: case KGI_memory_barrier: case KGI_if: case KGI_for: case KGI_break: case KGI_continue: case KGI_return:
  case KGI_KIND_COUNT: break;
  }
  return true;
}

/* An empty one is none. */
static bool has_else(const kgi_program *p, const kgi_inst *inst) {
  return inst->kind == KGI_if && inst->arg[2] && p->block[inst->arg[2]].first;
}

static bool same_inst(pair *x, uint32_t a, uint32_t b) {
  const kgi_inst *m = &x->p->inst[a], *n = &x->q->inst[b];
  if (m->kind != n->kind || m->op != n->op || m->type != n->type || m->flags != n->flags) return differ(x, "an instruction");
  kgi_span values = kgi_operands(m), blocks = kgi_owned_blocks(m);
  bool otherwise = has_else(x->p, m);
  if (otherwise != has_else(x->q, n)) return differ(x, "an else");
  if (m->kind == KGI_if && !otherwise) blocks.count = 1;
  x->value[a] = b;
  bool late = m->kind == KGI_while; /* its condition is computed in its first block */
  for (unsigned k = 0; !late && k < values.count; k++)
    if (!same_value(x, m->arg[values.first + k], n->arg[values.first + k])) return false;
  if (!same_rest(x, m, n)) return false;
  for (unsigned k = 0; k < blocks.count; k++)
    if (!same_block(x, m->arg[blocks.first + k], n->arg[blocks.first + k])) return false;
  return !late || same_value(x, m->arg[0], n->arg[0]);
}

static bool same_block(pair *x, kgi_blk a, kgi_blk b) {
  uint32_t j = x->q->block[b].first;
  KGI_EACH(x->p, a, i) {
    if (!j || !same_inst(x, i, j)) return differ(x, "the number of instructions");
    j = x->q->inst[j].next;
  }
  return !j || differ(x, "the number of instructions");
}

/* Their own names aside. */
static bool same_program(pair *x, const kgi_program *p, const kgi_program *q) {
  x->p = p, x->q = q;
  x->value = kgi_arena_alloc(&x->scratch, p->inst_count, sizeof *x->value);
  x->object = kgi_arena_alloc(&x->scratch, p->scope.object_count, sizeof *x->object);
  if (x->scratch.failed) return false;
  if (!same_scope(x, &p->scope, &q->scope)) return false;
  if (p->grid_is_invocations != q->grid_is_invocations) return differ(x, "a grid");
  if (p->adjoint != q->adjoint) return differ(x, "a stated adjoint");
  return same_dims(x, p->workgroup, q->workgroup) && same_dims(x, p->grid, q->grid) && same_block(x, KGI_BODY, KGI_BODY);
}

/* ---- order of work ---- */

static bool same_run(pair *x, const kgi_item *a, const kgi_item *b) {
  if (a->program != b->program || a->grid_is_invocations != b->grid_is_invocations) return differ(x, "a run");
  const kgi_program *p = x->a->program[a->program];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1, all = kgi_run_entries(p); /* behind the buffers, all are dims */
  const uint32_t *m = x->a->bind + a->binding, *n = x->b->bind + b->binding;
  for (uint32_t i = 0; i < all; i++)
    if (i < buffers ? m[i] != n[i] : !same_dim(x, (kgi_dim){m[i]}, (kgi_dim){n[i]})) return differ(x, "an argument of a run");
  return same_dims(x, a->grid, b->grid);
}

static bool same_items(pair *x, uint32_t a, uint32_t b) {
  for (; a && b; a = x->a->item[a].next, b = x->b->item[b].next) {
    const kgi_item *m = &x->a->item[a], *n = &x->b->item[b];
    if (m->kind != n->kind || m->reversed != n->reversed) return differ(x, "an item of work");
    if (m->kind == KGI_ITEM_RUN && !same_run(x, m, n)) return false;
    if (m->kind == KGI_ITEM_RUN) continue;
    if (!same_dim(x, m->from, n->from) || !same_dim(x, m->to, n->to) || !same_dim(x, m->step, n->step)) return false;
    x->item[a] = b;
    if (!same_items(x, m->first, n->first)) return false; /* nesting is bounded by KGI_MAX_DEPTH */
  }
  return a == b || differ(x, "the number of items of work");
}

static bool same_module(pair *x) {
  const kg_module *a = x->a, *b = x->b;
  x->item = kgi_arena_alloc(&x->scratch, a->item_count, sizeof *x->item);
  if (!x->item) return false;
  if (a->lone != b->lone || a->program_count != b->program_count) return differ(x, "the number of programs");
  if (!same_text(x, a->name, b->name)) return differ(x, "the name");
  for (uint32_t i = 1; i < a->program_count; i++) {
    if (!same_text(x, a->program[i]->name, b->program[i]->name)) return differ(x, "a program's name");
    if (!same_program(x, a->program[i], b->program[i])) return false;
  }
  x->object = NULL;
  return same_scope(x, &a->scope, &b->scope) && same_items(x, a->first_item, b->first_item);
}

static kg_status conclude(pair *x, bool same, bool *equal) {
  bool failed = x->scratch.failed;
  kgi_arena_free(&x->scratch);
  *equal = same;
  return failed ? KG_NO_MEMORY : KG_OK;
}

kg_status kgi_module_equal(const kg_module *a, const kg_module *b, bool *equal, const char **what) {
  pair x = {.a = a, .b = b};
  kgi_arena_init(&x.scratch, &a->arena.alloc);
  bool same = same_module(&x);
  if (what) *what = same ? "" : x.what;
  return conclude(&x, same, equal);
}

kg_status kgi_program_equal(const kg_module *m, const kgi_program *p, const kgi_program *q, bool *equal) {
  pair x = {.a = m, .b = m};
  kgi_arena_init(&x.scratch, &m->arena.alloc);
  return conclude(&x, same_program(&x, p, q), equal);
}
