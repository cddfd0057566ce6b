/* "h after k": h is taken for an input from the run of k on, and on the way back, in front of the adjoint of that run, its shadow is what
 * was asked for: a copy is taken. */
#include "autodiff/after.h"
#include "autodiff/asked.h"
#include "autodiff/no_such.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static const char between[] = " after ";

bool kgi_is_after(const char *name) { return name && strstr(name, between); }

kgi_after_name kgi_after_plain(const char *name) {
  kgi_after_name plain;
  snprintf(plain.text, sizeof plain.text, "%.150s", name);
  for (char *c = plain.text; *c; c++)
    if (*c == ' ' || *c == ':') *c = '_';
  return plain;
}

typedef struct parts { char object[256], program[256]; unsigned long which; } parts; /* which: of the runs, from 1; 0: the only one */

static bool read_name(const char *name, parts *out) {
  const char *middle = strstr(name, between), *program = middle + sizeof between - 1, *colon = strchr(program, ':');
  size_t object = (size_t)(middle - name), length = colon ? (size_t)(colon - program) : strlen(program);
  bool numbered = !colon || (colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) && strlen(colon + 1) < 10);
  if (object >= sizeof out->object || length >= sizeof out->program || !numbered) return false;
  snprintf(out->object, sizeof out->object, "%.*s", (int)object, name);
  snprintf(out->program, sizeof out->program, "%.*s", (int)length, program);
  out->which = colon ? strtoul(colon + 1, NULL, 10) : 0;
  return !colon || out->which;
}

/* ---- runs ---- */

/* The items of a list and those inside, in order. Gives how many runs of the program there are; the one that is asked for in `found`. */
static unsigned long count_runs(const kg_module *m, uint32_t first, uint32_t program, unsigned long before, unsigned long which,
                                uint32_t *found) {
  for (uint32_t i = first; i; i = m->item[i].next) {
    const kgi_item *item = &m->item[i];
    if (item->kind == KGI_ITEM_REPEAT) before = count_runs(m, item->first, program, before, which, found);
    else if (item->program == program && (++before == which || !which)) *found = i;
  }
  return before;
}

static uint32_t parent_of(const kg_module *m, uint32_t at) {
  for (uint32_t r = 1; r < m->item_count; r++)
    for (uint32_t i = m->item[r].kind == KGI_ITEM_REPEAT ? m->item[r].first : 0; i; i = m->item[i].next)
      if (i == at) return r;
  return 0;
}

static bool names_a_repeat(const kgi_scope *s, uint32_t dim) {
  const kgi_dim_node *n = &s->dim[dim];
  return n->op == KGI_DIM_INDEX || (n->op >= KGI_DIM_ADD && (names_a_repeat(s, n->a) || names_a_repeat(s, n->b)));
}

/* Where the bounds of a repeat go by the index of one around it, the last round of that one may have none of this one. */
static bool is_last_known(const kg_module *m, uint32_t at) {
  for (uint32_t r = parent_of(m, at); r; r = parent_of(m, r))
    if (names_a_repeat(&m->scope, m->item[r].from.i) || names_a_repeat(&m->scope, m->item[r].to.i)) return false;
  return true;
}

kg_status kgi_after_find(const kg_module *m, const char *name, kgi_diags *diags, kgi_ad_after *out) {
  parts p;
  if (!read_name(name, &p)) return kgi_no_such(m, diags, KGI_ROLE_INPUT, name);
  uint32_t o = kgi_find_object(m, &m->scope, p.object), program = m->lone ? 0 : kgi_find_program(m, p.program), item = 0;
  if (!o) return kgi_no_such(m, diags, KGI_ROLE_BUFFER, p.object);
  const kgi_object *object = &m->scope.object[o];
  unsigned long runs = program ? count_runs(m, m->first_item, program, 0, p.which, &item) : 0;
  if (runs > 1 && !p.which) {
    KGI_DIAG(diags, grad_which_run, m->pos, p.program, name);
    return KG_INVALID;
  }
  if (!item) return kgi_no_such(m, diags, KGI_ROLE_RUN, p.which ? strstr(name, between) + sizeof between - 1 : p.program);
  if (!kgi_is_float(object->type)) {
    KGI_DIAG(diags, grad_not_float, object->pos, p.object, kg_type_name((kg_type)object->type));
    return KG_INVALID;
  }
  if (object->mode == KG_READ) {
    KGI_DIAG(diags, grad_never_written, object->pos, p.object);
    return KG_INVALID;
  }
  if (!is_last_known(m, item)) {
    KGI_DIAG(diags, grad_last_round, m->pos, name);
    return KG_INVALID;
  }
  *out = (kgi_ad_after){.name = name, .object = o, .item = item};
  return KG_OK;
}

/* ---- rounds ---- */

static kgi_dim dim_of(const uint32_t *dim, kgi_dim x) { return (kgi_dim){dim ? dim[x.i] : x.i}; }

/* The index of the last round, less that of this one; a repeat that runs downward ends where its range begins. */
static kgi_dim left_of(kgi_builder *b, const kgi_item *repeat, uint32_t made, const uint32_t *dim) {
  kgi_dim from = dim_of(dim, repeat->from), to = dim_of(dim, repeat->to), step = dim_of(dim, repeat->step);
  kgi_dim index = kgi_dim_leaf(&b->m->arena, &b->m->scope, KGI_DIM_INDEX, made);
  if (repeat->reversed) return kgi_len_op(b, KGI_DIM_SUB, index, from);
  kgi_dim span = kgi_len_op(b, KGI_DIM_SUB, to, from), one = kgi_len_int(b, 1);
  span = kgi_len_op(b, KGI_DIM_SUB, span, one);
  if (step.i) span = kgi_len_op(b, KGI_DIM_DIV, span, step);
  if (step.i) span = kgi_len_op(b, KGI_DIM_MUL, span, step);
  kgi_dim last = kgi_len_op(b, KGI_DIM_ADD, from, span);
  return kgi_len_op(b, KGI_DIM_SUB, last, index);
}

kgi_dim kgi_after_left(kgi_builder *b, const kg_module *m, uint32_t at, const uint32_t *item, const uint32_t *dim) {
  kgi_dim left = {0};
  for (uint32_t r = parent_of(m, at); r; r = parent_of(m, r)) {
    const kgi_item repeat = m->item[r];
    kgi_dim here = left_of(b, &repeat, item ? item[r] : r, dim);
    left = left.i ? kgi_len_op(b, KGI_DIM_ADD, left, here) : here;
  }
  return left;
}

/* ---- copies ---- */

void kgi_ad_declare_afters(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t k = 0; k < g->after_count; k++) {
    kgi_ad_after *x = &g->after[k];
    const kgi_object *of = &g->m->scope.object[x->object];
    bool host = !of->length.i && !of->scalar;
    kgi_after_name plain = kgi_after_plain(x->name);
    kgi_object shadow = {.name = kgi_intern_z(g->out, kgi_module_free_name(g->out, "grad_", plain.text, "")), .pos = of->pos,
                         .space = KGI_BUFFER, .type = (uint8_t)kgi_ad_type(of->type), .mode = KG_WRITE, .scalar = of->scalar};
    if (g->params->accumulate) shadow.mode = KG_READ_WRITE;
    if (host) shadow.length = kgi_len_of(&g->b, (kgi_obj){x->object});
    else kgi_copy_extents(&shadow, of, dim);
    x->shadow = kgi_object_add(&g->b, &shadow).i;
  }
}

void kgi_ad_append_afters(kgi_ad_module *g, uint32_t at, uint32_t parent, const uint32_t *new_item, const uint32_t *dim) {
  for (uint32_t k = 0; k < g->after_count; k++) {
    const kgi_ad_after *x = &g->after[k];
    uint32_t from = g->inner[x->object] ? g->inner[x->object] : g->shadow[x->object];
    if (x->item != at || !from) continue;
    kgi_dim left = kgi_after_left(&g->b, g->m, at, new_item, dim);
    kgi_item_append(&g->b, parent, kgi_transfer_run(&g->b, (kgi_transfer){.verb = "take", .to = x->shadow, .from = from, .adds = true, .left = left}));
  }
}

/* ---- for who judges it ---- */

/* Behind the run a buffer of its own is added to h: by that one the gradient is the same. */
static void add_delta(kgi_builder *b, const kgi_ad_after *x) {
  kgi_object delta = b->m->scope.object[x->object];
  bool host = !delta.length.i && !delta.scalar;
  delta.name = kgi_intern_z(b->m, x->name);
  delta.mode = KG_READ, delta.view = delta.ranged = false, delta.draw = KG_DRAW_EVENLY, delta.lo = delta.hi = (kgi_dim){0};
  delta.set = delta.binding = delta.offset = delta.stride = delta.row = delta.every = 0;
  if (host) delta.length = kgi_len_of(b, (kgi_obj){x->object});
  uint32_t from = kgi_object_add(b, &delta).i;
  kgi_dim left = kgi_after_left(b, b->m, x->item, NULL, NULL);
  uint32_t item = kgi_transfer_run(b, (kgi_transfer){.verb = "move", .to = x->object, .from = from, .adds = true, .left = left});
  if (!item) return;
  b->m->item[item].next = b->m->item[x->item].next;
  b->m->item[x->item].next = item;
}

kg_status kgi_grad_with_deltas(const kg_module *m, const kg_grad_params *params, const kg_sink *sink, kg_module **out) {
  kgi_diags diags = {.sink = sink, .file = m->file};
  kgi_builder b;
  kg_module *made = NULL;
  kg_status status = KG_OK;
  for (size_t k = 0; params->wrt && k < params->wrt_count && status == KG_OK; k++) {
    kgi_ad_after after;
    if (!kgi_is_after(params->wrt[k])) continue;
    status = kgi_after_find(m, params->wrt[k], &diags, &after);
    if (status != KG_OK) break;
    if (!made) {
      made = kgi_module_copy(params->alloc, m);
      if (!made) return KG_NO_MEMORY;
      kgi_builder_init(&b, made, &diags);
    }
    if (!kgi_find_object(made, &made->scope, params->wrt[k])) add_delta(&b, &after);
    status = kgi_builder_status(&b);
  }
  if (status == KG_OK && made) status = kgi_validate(made, &diags);
  if (status == KG_OK) *out = made;
  else kg_module_free(made);
  return status;
}
