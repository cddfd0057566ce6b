/* What a program names as its adjoint: a program that has its params, any of its buffers, which it reads, and shadows of its
 * floats, params among them. */
#include "foundation/ir/adjoint.h"
#include "foundation/ir/validate.h"

#include <stdio.h>
#include <string.h>

typedef struct pair { kgi_checker *c; const kgi_program *p, *adjoint; } pair;

static void wrong(pair *x, kgi_pos pos, const char *what, const char *fix) {
  KGI_FAULT(x->c, adjoint_form, pos, kgi_string(x->c->m, x->adjoint->name), kgi_string(x->c->m, x->p->name), what, fix);
}

static bool same_name(const pair *x, kgi_str a, kgi_str b) { return !strcmp(kgi_string(x->c->m, a), kgi_string(x->c->m, b)); }

/* ---- lengths: their size is bounded, as was checked ---- */

static bool same_leaf(const pair *x, const kgi_dim_node *a, const kgi_dim_node *b) {
  const kgi_scope *s = &x->p->scope, *t = &x->adjoint->scope;
  switch ((kgi_dim_op)a->op) {
  case KGI_DIM_PARAM: return same_name(x, s->param[a->a].name, t->param[b->a].name);
  case KGI_DIM_SPEC: return s->spec[a->a].type == t->spec[b->a].type && s->spec[a->a].bits == t->spec[b->a].bits;
  case KGI_DIM_LEN: return same_name(x, s->object[a->a].name, t->object[b->a].name);
  case KGI_DIM_INT: case KGI_DIM_FLOAT: return a->imm == b->imm;
  case KGI_DIM_NONE: case KGI_DIM_INDEX: case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD:
  case KGI_DIM_MIN: case KGI_DIM_MAX: break;
  }
  return false;
}

static bool same_dim(const pair *x, kgi_dim a, kgi_dim b) {
  const kgi_dim_node *m = &x->p->scope.dim[a.i], *n = &x->adjoint->scope.dim[b.i];
  if (!a.i || !b.i) return a.i == b.i;
  if (m->op != n->op) return false;
  if (m->op < KGI_DIM_ADD) return same_leaf(x, m, n);
  return same_dim(x, (kgi_dim){m->a}, (kgi_dim){n->a}) && same_dim(x, (kgi_dim){m->b}, (kgi_dim){n->b});
}

static bool same_extents(const pair *x, const kgi_object *a, const kgi_object *b) {
  if (a->scalar != b->scalar || a->rank != b->rank) return false;
  for (unsigned k = 0; k < a->rank; k++)
    if (!same_dim(x, a->extent[k], b->extent[k])) return false;
  return same_dim(x, a->length, b->length);
}

/* ---- declarations ---- */

static unsigned shadow_type(unsigned of) { return of == KG_F64 ? KG_F64 : KG_F32; }

/* `sized`: its length is as it has to be, which is that of what `extents` says. */
static void check_declared(pair *x, const kgi_object *o, bool sized, const char *extents, unsigned type, unsigned mode) {
  char what[300], fix[300];
  if (sized && o->type == type && o->mode == mode && !o->view && !o->ranged) return;
  snprintf(what, sizeof what, "does not declare %.80s as it has to", kgi_string(x->c->m, o->name));
  snprintf(fix, sizeof fix, "declare it with %.100s, of type %s and `%s`, without range or view", extents,
           kg_type_name((kg_type)type), mode == KG_READ ? "read" : "read_write");
  wrong(x, o->pos, what, fix);
}

static void check_buffer(pair *x, const kgi_object *o, const kgi_object *of, bool shadow) {
  char extents[120];
  snprintf(extents, sizeof extents, "the extents of %.80s", kgi_string(x->c->m, of->name));
  unsigned type = shadow ? shadow_type(of->type) : of->type, mode = shadow ? KG_READ_WRITE : KG_READ;
  if (shadow && of->mode == KG_WRITE && o->mode == KG_READ) mode = KG_READ; /* zeros take its place behind the adjoint */
  check_declared(x, o, same_extents(x, of, o), extents, type, mode);
}

static bool has_one_element(const pair *x, const kgi_object *o) {
  const kgi_dim_node *n = &x->adjoint->scope.dim[o->length.i];
  return !o->scalar && !o->rank && o->length.i && n->op == KGI_DIM_INT && n->imm == 1;
}

static void check_param_shadows(pair *x, uint32_t *of) {
  for (uint32_t q = 1; q < x->p->scope.param_count; q++) {
    unsigned type = x->p->scope.param[q].type;
    uint32_t shadow = kgi_is_float(type) ? kgi_adjoint_param_shadow(x->c->m, x->p, q) : 0;
    if (!shadow) continue;
    const kgi_object *o = &x->adjoint->scope.object[shadow];
    of[shadow] = shadow;
    check_declared(x, o, has_one_element(x, o), "one element, as [1]", shadow_type(type), KG_READ_WRITE);
  }
}

static void check_buffers(pair *x) {
  const kg_module *m = x->c->m;
  uint32_t end = kgi_buffer_end(&x->adjoint->scope);
  uint32_t *of = kgi_arena_alloc(&x->c->scratch, end, sizeof *of); /* 0: it belongs to nothing */
  if (!of) return;
  for (uint32_t o = 1; o < kgi_buffer_end(&x->p->scope); o++) {
    const kgi_object *object = &x->p->scope.object[o];
    uint32_t own = kgi_adjoint_own(m, x->p, o), shadow = kgi_is_float(object->type) ? kgi_adjoint_shadow(m, x->p, o) : 0;
    if (object->view) wrong(x, object->pos, "is that of a program with a view", "bind buffers of their own, without views");
    if (own && own < end) of[own] = o, check_buffer(x, &x->adjoint->scope.object[own], object, false);
    if (shadow) of[shadow] = o, check_buffer(x, &x->adjoint->scope.object[shadow], object, true);
  }
  check_param_shadows(x, of);
  for (uint32_t o = 1; o < end; o++) {
    char what[200];
    if (of[o]) continue;
    snprintf(what, sizeof what, "has a buffer %.80s, which is no buffer of that one, and no grad_ of a float there",
             kgi_string(m, x->adjoint->scope.object[o].name));
    wrong(x, x->adjoint->scope.object[o].pos, what, "keep such values in shared memory or vars, or in a buffer of both");
  }
}

static bool same_param(const pair *x, const kgi_param *a, const kgi_param *b) {
  return same_name(x, a->name, b->name) && a->type == b->type && a->has_default == b->has_default && a->bits == b->bits;
}

static void check_params(pair *x) {
  for (uint32_t q = 1; q < x->adjoint->scope.param_count; q++) {
    const kgi_param *param = &x->adjoint->scope.param[q];
    char what[200];
    bool found = false;
    for (uint32_t k = 1; k < x->p->scope.param_count && !found; k++) found = same_param(x, &x->p->scope.param[k], param);
    if (found) continue;
    snprintf(what, sizeof what, "has a param %.80s, and that one has none like it", kgi_string(x->c->m, param->name));
    wrong(x, param->pos, what, "declare it in both, with the same type and default");
  }
}

static bool is_too_large(const kgi_scope *s) { return kgi_buffer_end(s) > KGI_MAX_STATED || s->param_count > KGI_MAX_STATED; }

static void check_adjoint(kgi_checker *c, const kgi_program *p) {
  if (p->adjoint >= c->m->program_count) {
    KGI_FAULT(c, malformed, p->pos, "an adjoint that is not there");
    return;
  }
  pair x = {c, p, c->m->program[p->adjoint]};
  if (is_too_large(&p->scope) || is_too_large(&x.adjoint->scope)) {
    KGI_FAULT(c, too_large, p->pos, "the buffers or params of a program with a stated adjoint", KGI_NUM(KGI_MAX_STATED));
    return;
  }
  if (x.adjoint->adjoint) wrong(&x, x.adjoint->pos, "names one itself", "let it name none");
  if (!kgi_dim_is_set(x.adjoint->grid)) wrong(&x, x.adjoint->pos, "states no grid, and no run does", "state its grid");
  check_buffers(&x);
  check_params(&x);
}

void kgi_check_adjoints(kgi_checker *c) {
  for (uint32_t i = 1; i < c->m->program_count; i++)
    if (c->m->program[i]->adjoint) check_adjoint(c, c->m->program[i]);
}
