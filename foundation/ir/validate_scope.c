/* The validator's first half: declarations, lengths, and a module's order of work. */
#include "foundation/ir/validate.h"
#include "foundation/ir/slices.h"
#include "foundation/ir/views.h"

#include <string.h>

static bool malformed(kgi_checker *c, kgi_pos pos, const char *what) {
  KGI_FAULT(c, malformed, pos, what);
  return false;
}

static uint32_t bigger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- lengths ---- */

static bool dim_leaf(kgi_checker *c, const kgi_scope *s, const kgi_dim_node *n, kgi_dim_fact *fact, kgi_pos pos) {
  kg_type type = KG_U32;
  fact->size = 1;
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_INT: break;
  case KGI_DIM_FLOAT: type = KG_F64; break;
  case KGI_DIM_PARAM:
    if (!n->a || n->a >= s->param_count) return malformed(c, pos, "a length refers to no param");
    type = (kg_type)s->param[n->a].type, fact->params = 1;
    break;
  case KGI_DIM_SPEC:
    if (!n->a || n->a >= s->spec_count) return malformed(c, pos, "a length refers to no constant");
    type = (kg_type)s->spec[n->a].type;
    break;
  case KGI_DIM_LEN:
    if (!n->a || n->a >= s->object_count || s->object[n->a].space != KGI_BUFFER)
      return malformed(c, pos, "a length refers to the length of what is no buffer");
    fact->lens = 1, fact->largest_len = n->a;
    break;
  case KGI_DIM_INDEX:
    if (!n->a || n->a >= c->m->item_count || c->m->item[n->a].kind != KGI_ITEM_REPEAT)
      return malformed(c, pos, "a length refers to the index of what is no repeat");
    fact->indices = 1;
    break;
  case KGI_DIM_NONE: case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN:
  case KGI_DIM_MAX: return malformed(c, pos, "a length of no known operation");
  }
  fact->floats = (unsigned)type >= KGI_TYPE_COUNT || !kgi_is_int(type);
  return true;
}

/* What evaluation meets whatever the params are. Operations of literals are folded where they have a result. */
static kgi_dim_fault fault_of(const kgi_scope *s, const kgi_dim_node *n, const kgi_dim_fact *a, const kgi_dim_fact *b) {
  const kgi_dim_node *x = &s->dim[n->a], *y = &s->dim[n->b];
  if (a->fault || b->fault) return (kgi_dim_fault)(a->fault ? a->fault : b->fault);
  if ((n->op == KGI_DIM_DIV || n->op == KGI_DIM_MOD) && y->op == KGI_DIM_INT && y->imm == 0) return KGI_DIM_DIVIDE;
  return x->op == KGI_DIM_INT && y->op == KGI_DIM_INT ? KGI_DIM_OVERFLOW : KGI_DIM_OK;
}

/* Nodes refer to earlier ones only, so one pass in order suffices. */
static bool dim_fact(kgi_checker *c, const kgi_scope *s, kgi_dim_fact *facts, uint32_t i, kgi_pos pos) {
  const kgi_dim_node *n = &s->dim[i];
  if (n->op < KGI_DIM_ADD || n->op > KGI_DIM_MAX) return dim_leaf(c, s, n, &facts[i], pos);
  if (!n->a || !n->b || n->a >= i || n->b >= i) return malformed(c, pos, "a length refers to one that does not precede it");
  const kgi_dim_fact *a = &facts[n->a], *b = &facts[n->b];
  facts[i] = (kgi_dim_fact){.size = a->size + b->size + 1, .depth = bigger(a->depth, b->depth) + 1,
                            .largest_len = bigger(a->largest_len, b->largest_len),
                            .params = a->params | b->params, .floats = a->floats | b->floats, .indices = a->indices | b->indices,
                            .lens = a->lens | b->lens, .fault = (uint8_t)fault_of(s, n, a, b)};
  if (facts[i].depth > KGI_MAX_DIM_DEPTH) KGI_FAULT(c, too_large, pos, "the nesting of a length", KGI_NUM(KGI_MAX_DIM_DEPTH));
  else if (facts[i].size <= KGI_MAX_DIM_SIZE) return true;
  else KGI_FAULT(c, too_large, pos, "the size of a length expression", KGI_NUM(KGI_MAX_DIM_SIZE));
  return false;
}

static kgi_dim_fact *dim_facts(kgi_checker *c, const kgi_scope *s, kgi_pos pos) {
  kgi_dim_fact *facts = kgi_arena_alloc(&c->scratch, s->dim_count, sizeof *facts);
  for (uint32_t i = 1; facts && i < s->dim_count; i++)
    if (!dim_fact(c, s, facts, i, pos)) return NULL;
  return facts;
}

bool kgi_check_dim(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, kgi_dim dim, bool constant, const char *what,
                   kgi_pos pos) {
  if (dim.i >= s->dim_count) return malformed(c, pos, "an index past the lengths");
  const kgi_dim_fact *fact = &facts[dim.i];
  if (fact->floats) {
    KGI_FAULT(c, length_type, pos, what);
    return false;
  }
  if (constant && (fact->params || fact->lens || fact->indices)) {
    KGI_FAULT(c, length_constant, pos, what);
    return false;
  }
  if (fact->fault == KGI_DIM_DIVIDE) KGI_FAULT(c, dim_divide, pos, what);
  else if (fact->fault != KGI_DIM_OK) KGI_FAULT(c, dim_overflow, pos, what);
  return fact->fault == KGI_DIM_OK;
}

bool kgi_check_size(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, kgi_dim dim, const char *what, kgi_pos pos) {
  if (!kgi_check_dim(c, s, facts, dim, false, what, pos)) return false;
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op != KGI_DIM_INT || n->imm >= 0) return true;
  KGI_FAULT(c, dim_negative, pos, what, KGI_NUM(n->imm));
  return false;
}

/* ---- declarations ---- */

/* `kind` and the name, which must be there and be the scope's only one. */
static bool named(kgi_checker *c, kgi_str name, const char *kind, kgi_pos pos) {
  if (name.i >= c->m->string_count) return malformed(c, pos, "an index past the strings");
  if (!name.i) {
    KGI_FAULT(c, no_name, pos, kind);
    return false;
  }
  if (c->named[name.i] == c->scopes) {
    KGI_FAULT(c, duplicate_name, pos, kgi_string(c->m, name));
    return false;
  }
  c->named[name.i] = c->scopes;
  return true;
}

static bool literal_fits(kg_type type, uint64_t bits) { return kgi_canonical_bits(type, bits) == bits; }

/* Params of one block take bytes of their own there: it becomes a struct. */
static void check_apart(kgi_checker *c, const kgi_scope *s, uint32_t i) {
  const kgi_param *p = &s->param[i];
  for (uint32_t k = 1; k < i; k++) {
    const kgi_param *q = &s->param[k];
    bool together = q->placed && q->pushed == p->pushed && q->set == p->set && q->binding == p->binding;
    bool apart = (uint64_t)q->offset + kgi_type_bits(q->type) / 8 <= p->offset ||
                 (uint64_t)p->offset + kgi_type_bits(p->type) / 8 <= q->offset;
    if (!together || apart) continue;
    KGI_FAULT(c, param_overlap, p->pos, kgi_string(c->m, p->name), kgi_string(c->m, q->name));
    return;
  }
}

static void check_place(kgi_checker *c, const kgi_scope *s, uint32_t i, bool in_module) {
  const kgi_param *p = &s->param[i];
  const char *name = kgi_string(c->m, p->name);
  uint32_t size = kgi_type_bits(p->type) / 8;
  bool none = !p->set && !p->binding, stated = (!in_module || c->m->lone) && (none || !p->pushed);
  if (!p->placed && (p->pushed || !none || p->offset)) malformed(c, p->pos, "a place of a param that has none");
  if (!p->placed) return;
  if (!stated) malformed(c, p->pos, "a place of a module's param, or push constants with a binding");
  if (p->type == KG_BOOL || size < 4) KGI_FAULT(c, param_place_type, p->pos, name, kg_type_name((kg_type)p->type));
  else if (p->offset % size) KGI_FAULT(c, view_offset, p->pos, name, KGI_NUM(p->offset), KGI_NUM(size));
  else check_apart(c, s, i);
}

static void check_params(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, bool in_module) {
  for (uint32_t i = 1; i < s->param_count; i++) {
    const kgi_param *p = &s->param[i];
    named(c, p->name, "a param", p->pos);
    if (p->type >= KGI_TYPE_COUNT) malformed(c, p->pos, "a param of no known type");
    else if (!kgi_type_computes(p->type))
      KGI_FAULT(c, storage_type, p->pos, kg_type_name((kg_type)p->type), kg_type_name(kgi_type_value(p->type)));
    else if (!literal_fits((kg_type)p->type, p->bits)) malformed(c, p->pos, "a default that is no value of its type");
    else if (p->ranged) kgi_check_range(c, s, facts, (kg_type)p->type, (kgi_dim[]){p->lo, p->hi}, p->name, p->pos);
    if (p->type < KGI_TYPE_COUNT && kgi_type_computes(p->type)) check_place(c, s, i, in_module);
  }
}

static void check_specs(kgi_checker *c, const kgi_scope *s) {
  for (uint32_t i = 1; i < s->spec_count; i++) {
    const kgi_spec *k = &s->spec[i];
    named(c, k->name, "a constant", k->pos);
    if (k->type >= KGI_TYPE_COUNT) malformed(c, k->pos, "a constant of no known type");
    else if (!kgi_type_computes(k->type))
      KGI_FAULT(c, storage_type, k->pos, kg_type_name((kg_type)k->type), kg_type_name(kgi_type_value(k->type)));
    else if (!literal_fits((kg_type)k->type, k->bits)) malformed(c, k->pos, "a constant that is no value of its type");
    if (!k->numbered && k->id) malformed(c, k->pos, "the number of a constant that has none");
  }
}

static void check_view(kgi_checker *c, const kgi_object *o, const char *name) {
  uint32_t size = (uint32_t)kg_type_size((kg_type)o->type);
  bool placed = o->set || o->binding || o->offset || o->stride || o->row || o->every;
  if (!o->view && placed) malformed(c, o->pos, "a place of what is no view");
  if (!o->view) return;
  if (o->stride < size || o->stride % size) KGI_FAULT(c, view_stride, o->pos, name, KGI_NUM(o->stride), KGI_NUM(size));
  if (o->offset % size) KGI_FAULT(c, view_offset, o->pos, name, KGI_NUM(o->offset), KGI_NUM(size));
  uint64_t least = o->row ? (uint64_t)(o->row - 1) * o->stride + size : 0;
  if (o->row ? o->every < least || o->every % size : o->every != 0)
    KGI_FAULT(c, view_row, o->pos, name, KGI_NUM(o->row), KGI_NUM(o->every), KGI_NUM(size), KGI_NUM(least));
}

static void check_extents(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, const kgi_object *o) {
  const char *name = kgi_string(c->m, o->name);
  bool fine = o->rank != 1 && o->rank <= KGI_MAX_RANK && o->length.i;
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) fine &= o->extent[k].i < s->dim_count && (o->extent[k].i != 0) == (k < o->rank);
  if (!fine || !kgi_extents_agree(s, o)) {
    malformed(c, o->pos, "dimensions whose product is not the length");
    return;
  }
  for (unsigned k = 0; k < o->rank; k++) {
    const kgi_dim_node *n = &s->dim[o->extent[k].i];
    if (kgi_check_size(c, s, facts, o->extent[k], name, o->pos) && n->op == KGI_DIM_INT && n->imm > (int64_t)KGI_MAX_EXTENT)
      KGI_FAULT(c, extent_too_large, o->pos, name, KGI_NUM(k), KGI_NUM(n->imm), KGI_NUM(KGI_MAX_EXTENT));
  }
}

/* Of blocks as wide as they are high, whatever the params. */
static bool is_square(const kgi_object *o) { return o->rank > 1 && o->extent[o->rank - 1].i == o->extent[o->rank - 2].i; }

static void check_draw(kgi_checker *c, const kgi_object *o, const char *name) {
  switch (o->draw) {
  case KG_DRAW_EVENLY: return;
#define DRAW(which, number, takes, fix) \
  case number: \
    if (!(takes)) KGI_FAULT(c, draw_form, o->pos, name, #which, fix); \
    return;
#include "foundation/ir/draws.def"
  default: malformed(c, o->pos, "a buffer of no known draw");
  }
}

static void check_buffer(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, uint32_t i, bool in_module) {
  const kgi_object *o = &s->object[i];
  const char *name = kgi_string(c->m, o->name);
  if (o->mode < KG_READ || o->mode > KG_TEMP) malformed(c, o->pos, "a buffer of no known mode");
  if (o->mode == KG_TEMP && !in_module) KGI_FAULT(c, temp_in_program, o->pos, name);
  if (o->mode == KG_TEMP && !o->length.i && !o->scalar) KGI_FAULT(c, temp_length, o->pos, name);
  if (o->type == KG_BOOL) KGI_FAULT(c, bool_buffer, o->pos, name);
  if (o->length.i && kgi_check_size(c, s, facts, o->length, name, o->pos)) {
    if (facts[o->length.i].lens && facts[o->length.i].largest_len >= i) KGI_FAULT(c, length_forward, o->pos, name);
    if (facts[o->length.i].indices) malformed(c, o->pos, "a length that depends on a repeat");
  }
  if (o->ranged) kgi_check_range(c, s, facts, kgi_type_value(o->type), (kgi_dim[]){o->lo, o->hi}, o->name, o->pos);
  check_draw(c, o, name);
  check_view(c, o, name);
}

/* Adds what it takes to `bytes`, shared by all objects of its space. */
static void check_local(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, const kgi_object *o, uint64_t *bytes) {
  const char *name = kgi_string(c->m, o->name);
  uint64_t length = 1;
  if (o->mode || o->ranged || o->draw || o->view) malformed(c, o->pos, "shared memory or a var with a mode, a range, a draw or a place");
  if (!o->scalar && !o->length.i) KGI_FAULT(c, local_length, o->pos, name);
  if (o->length.i) {
    if (!kgi_check_dim(c, s, facts, o->length, true, name, o->pos)) return;
    if (kgi_dim_eval_object(s, o, &(kgi_dim_env){0}, name, c->diags, NULL, &length) != KG_OK) {
      c->faults++;
      return;
    }
    if (!length) KGI_FAULT(c, too_small, o->pos, name, "0");
  }
  uint64_t size;
  if (__builtin_mul_overflow(length, kg_type_size((kg_type)o->type), &size) || __builtin_add_overflow(*bytes, size, bytes) ||
      *bytes > KGI_MAX_LOCAL_BYTES)
    KGI_FAULT(c, too_large, o->pos, name, KGI_NUM(KGI_MAX_LOCAL_BYTES));
}

static void check_object(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, uint32_t i, bool in_module,
                         uint64_t bytes[2]) {
  const kgi_object *o = &s->object[i];
  if (o->name.i >= c->m->string_count) {
    malformed(c, o->pos, "an index past the strings");
    return;
  }
  if (o->rank) check_extents(c, s, facts, o);
  if (o->space != KGI_VAR) named(c, o->name, o->space == KGI_BUFFER ? "a buffer" : "shared memory", o->pos);
  if (o->type == KG_NONE || o->type >= KGI_TYPE_COUNT) malformed(c, o->pos, "an object of no known type");
  else if (o->scalar && o->length.i) malformed(c, o->pos, "a scalar with a length");
  else if (o->space == KGI_BUFFER) check_buffer(c, s, facts, i, in_module);
  else if (o->space != KGI_SHARED && o->space != KGI_VAR) malformed(c, o->pos, "an object of no known space");
  else if (in_module) malformed(c, o->pos, "a module's object that is no buffer");
  else check_local(c, s, facts, o, &bytes[o->space == KGI_VAR]);
}

kgi_dim_fact *kgi_check_scope(kgi_checker *c, const kgi_scope *s, bool in_module, kgi_pos pos) {
  kgi_dim_fact *facts = dim_facts(c, s, pos);
  uint64_t bytes[2] = {0, 0};
  bool behind = false;
  if (!facts) return NULL;
  c->scopes++;
  check_specs(c, s);
  check_params(c, s, facts, in_module);
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    if (o->space == KGI_BUFFER && behind) KGI_FAULT(c, buffer_order, o->pos, kgi_string(c->m, o->name));
    behind |= o->space != KGI_BUFFER;
    check_object(c, s, facts, i, in_module, bytes);
  }
  return facts;
}

bool kgi_check_axes(kgi_checker *c, const kgi_dim *dims, kgi_pos pos) {
  if ((dims[0].i || !dims[1].i) && (dims[1].i || !dims[2].i)) return true;
  return malformed(c, pos, "an axis that is stated without the one before it");
}

/* ---- a module's order of work ---- */

typedef struct met { uint32_t item, with; } met;
typedef struct inner_views { kgi_blocks blocks; met *outer; } inner_views;

typedef struct order {
  kgi_checker *c;
  const kgi_dim_fact *facts;
  uint8_t *state;    /* of each item: 0 not met, 1 being checked (its index may be used), 2 done */
  uint32_t *bound;   /* of each object: the last run that binds it, and ... */
  uint8_t *written;  /* ... whether that run writes it, */
  uint8_t *whole;    /* ... and whether it binds all of it somewhere, rather than slices */
  kgi_blocks blocks;
  met *met;           /* of each block: the program's that the last run bound there */
  inner_views *inner; /* of each program, made when a run asks; `outer` is the same for its blocks */
} order;

/* Indices of repeats are usable inside of them only. */
static bool indices_open(const order *w, uint32_t dim) {
  const kgi_dim_node *n = &w->c->m->scope.dim[dim];
  if (!w->facts[dim].indices) return true;
  if (n->op == KGI_DIM_INDEX) return w->state[n->a] == 1;
  return indices_open(w, n->a) && indices_open(w, n->b);
}

static bool check_item_dim(order *w, kgi_dim d, const char *what, kgi_pos pos) {
  if (!kgi_check_dim(w->c, &w->c->m->scope, w->facts, d, false, what, pos)) return false;
  return indices_open(w, d.i) || malformed(w->c, pos, "the index of a repeat, used outside of it");
}

/* Bound twice, and written: whatever lies in two slices of it is looked at when it is known where they are. */
static bool bound_twice(order *w, uint32_t item, uint32_t to, bool writes, bool slice) {
  bool again = w->bound[to] == item, whole = (again && w->whole[to]) || !slice;
  w->written[to] = writes || (again && w->written[to]);
  w->whole[to] = whole;
  w->bound[to] = item;
  return again && w->written[to] && whole;
}

static void bind_buffer(order *w, uint32_t item, const kgi_program *p, uint32_t i, uint32_t to) {
  kgi_checker *c = w->c;
  const kgi_scope *s = &c->m->scope;
  const kgi_object *inner = &p->scope.object[i], *outer = &s->object[to];
  kgi_pos pos = c->m->item[item].pos;
  const char *name = kgi_string(c->m, inner->name), *program = kgi_string(c->m, p->name);
  if (to >= s->object_count) {
    malformed(c, pos, "a run binds a buffer that is not there");
    return;
  }
  if (!to) {
    KGI_FAULT(c, unbound_buffer, pos, program, name);
    return;
  }
  if (inner->type != outer->type)
    KGI_FAULT(c, bind_type, pos, kgi_string(c->m, outer->name), kg_type_name((kg_type)outer->type), name,
              kg_type_name((kg_type)inner->type));
  bool writes = inner->mode != KG_READ;
  if (writes && outer->mode == KG_READ) KGI_FAULT(c, bind_mode, pos, kgi_string(c->m, outer->name), program);
  if (bound_twice(w, item, to, writes, kgi_is_slice(kgi_run_slice(c->m, item, i))))
    KGI_FAULT(c, bind_twice, pos, kgi_string(c->m, outer->name), program);
}

static bool is_literal(const kgi_scope *s, kgi_dim d) { return s->dim[d.i].op == KGI_DIM_INT; }

/* A slice by itself, as far as literals tell. Whether it is one whose place is known. */
static bool check_slice(order *w, uint32_t item, uint32_t to, kgi_slice slice, kgi_bound_slice *out) {
  kgi_checker *c = w->c;
  const kgi_scope *s = &c->m->scope;
  const kgi_object *outer = &s->object[to];
  const char *name = kgi_string(c->m, outer->name);
  kgi_pos pos = c->m->item[item].pos;
  if (!slice.from.i || !slice.to.i) return malformed(c, pos, "a slice with one end");
  bool fine = check_item_dim(w, slice.from, "a slice", pos);
  if (!check_item_dim(w, slice.to, "a slice", pos) || !fine) return false;
  if (outer->view) KGI_FAULT(c, slice_view, pos, name);
  if (is_literal(s, slice.from) && s->dim[slice.from.i].imm < 0) {
    KGI_FAULT(c, dim_negative, pos, "where a slice begins", KGI_NUM(s->dim[slice.from.i].imm));
    return false;
  }
  if (!is_literal(s, slice.from) || !is_literal(s, slice.to)) return false;
  *out = (kgi_bound_slice){.buffer = to, .from = s->dim[slice.from.i].imm, .to = s->dim[slice.to.i].imm};
  if (out->from <= out->to) return true;
  KGI_FAULT(c, slice_order, pos, name, KGI_NUM(out->from), KGI_NUM(out->to));
  return false;
}

static void bind_slices(order *w, uint32_t item, const kgi_program *p, const uint32_t *bind) {
  kgi_checker *c = w->c;
  uint32_t end = kgi_buffer_end(&p->scope), known = 0, pair[2];
  if (!kgi_run_has_slices(c->m, item)) return;
  kgi_bound_slice *slices = kgi_arena_alloc(&c->scratch, end, sizeof *slices);
  for (uint32_t i = 1; slices && i < end; i++) {
    kgi_slice slice = kgi_run_slice(c->m, item, i);
    if ((!slice.from.i && !slice.to.i) || !bind[i - 1] || bind[i - 1] >= c->m->scope.object_count) continue;
    if (check_slice(w, item, bind[i - 1], slice, &slices[known])) slices[known++].written = p->scope.object[i].mode != KG_READ;
  }
  if (!slices || !kgi_slices_meet(slices, known, pair)) return;
  const kgi_bound_slice *a = &slices[pair[0]], *b = &slices[pair[1]];
  KGI_FAULT(c, bind_overlap, c->m->item[item].pos, kgi_string(c->m, c->m->scope.object[a->buffer].name), kgi_string(c->m, p->name),
            KGI_NUM(a->from), KGI_NUM(a->to), KGI_NUM(b->from), KGI_NUM(b->to));
}

/* Which blocks the run at hand has met with which: views of one binding are bound to views of one binding, others to others. */
static bool first_met(met *m, uint32_t item, uint32_t with) {
  if (m->item == item) return m->with == with;
  *m = (met){item, with};
  return true;
}

static inner_views *views_of(order *w, uint32_t program) {
  inner_views *v = &w->inner[program];
  const kgi_scope *s = &w->c->m->program[program]->scope;
  if (v->outer) return v;
  v->outer = kgi_arena_alloc(&w->c->scratch, s->object_count, sizeof *v->outer);
  return kgi_blocks_find(&v->blocks, &w->c->scratch, s) ? v : NULL;
}

/* A view is bound to the same view of the module. */
static void bind_views(order *w, uint32_t item, const kgi_program *p, const uint32_t *bind) {
  kgi_checker *c = w->c;
  const kgi_scope *in = &p->scope, *out = &c->m->scope;
  kgi_pos pos = c->m->item[item].pos;
  inner_views *v = views_of(w, c->m->item[item].program);
  for (uint32_t i = 1; v && i < kgi_buffer_end(in); i++) {
    const kgi_object *a = &in->object[i], *to = &out->object[bind[i - 1]];
    if (!bind[i - 1] || bind[i - 1] >= out->object_count || (!a->view && !to->view)) continue;
    const char *name = kgi_string(c->m, a->name), *program = kgi_string(c->m, p->name);
    uint32_t inner = v->blocks.of[i], outer = w->blocks.of[bind[i - 1]];
    if (!kgi_same_places(a, to))
      KGI_FAULT(c, bind_view, pos, name, program, kgi_string(c->m, to->name));
    else if (!first_met(&w->met[outer], item, inner) || !first_met(&v->outer[inner], item, outer))
      KGI_FAULT(c, bind_block, pos, name, program);
  }
}

static void bind_param(order *w, uint32_t item, const kgi_program *p, uint32_t i, uint32_t dim) {
  kgi_checker *c = w->c;
  const kgi_scope *s = &c->m->scope;
  const kgi_param *inner = &p->scope.param[i];
  kgi_pos pos = c->m->item[item].pos;
  uint64_t bits;
  if (dim >= s->dim_count) {
    malformed(c, pos, "an index past the lengths");
    return;
  }
  if (!dim) {
    if (!inner->has_default) KGI_FAULT(c, unbound_param, pos, kgi_string(c->m, p->name), kgi_string(c->m, inner->name));
    return;
  }
  const kgi_dim_node *n = &s->dim[dim];
  if (n->op == KGI_DIM_PARAM && s->param[n->a].type == inner->type) return;
  if (n->op == KGI_DIM_SPEC && s->spec[n->a].type == inner->type) return;
  if (n->op == KGI_DIM_FLOAT && kgi_is_float(inner->type)) return;
  if (!check_item_dim(w, (kgi_dim){dim}, kgi_string(c->m, inner->name), pos) || n->op != KGI_DIM_INT) return;
  kgi_dim_fault fault = kgi_dim_eval_bits(s, (kgi_dim){dim}, &(kgi_dim_env){0}, (kg_type)inner->type, &bits);
  if (fault != KGI_DIM_OK || (inner->type == KG_BOOL && bits > 1))
    KGI_FAULT(c, literal_range, pos, KGI_NUM(n->imm), kg_type_name((kg_type)inner->type));
}

static void check_run(order *w, uint32_t item) {
  kgi_checker *c = w->c;
  const kgi_item *run = &c->m->item[item];
  if (!run->program || run->program >= c->m->program_count) {
    malformed(c, run->pos, "a run of no program");
    return;
  }
  const kgi_program *p = c->m->program[run->program];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1, params = p->scope.param_count - 1;
  if ((uint64_t)run->binding + kgi_run_entries(p) > c->m->bind_count) {
    malformed(c, run->pos, "a run's bindings past their table");
    return;
  }
  const uint32_t *bind = c->m->bind + run->binding;
  for (uint32_t i = 0; i < buffers; i++) bind_buffer(w, item, p, i + 1, bind[i]);
  bind_slices(w, item, p, bind);
  bind_views(w, item, p, bind);
  for (uint32_t i = 0; i < params; i++) bind_param(w, item, p, i + 1, bind[buffers + i]);
  for (unsigned i = 0; i < 3; i++)
    if (check_item_dim(w, run->grid[i], "a grid", run->pos))
      kgi_check_size(c, &c->m->scope, w->facts, run->grid[i], "a grid", run->pos);
  kgi_check_axes(c, run->grid, run->pos);
  if (!kgi_dim_is_set(run->grid) && !kgi_dim_is_set(p->grid)) KGI_FAULT(c, no_grid, run->pos, kgi_string(c->m, p->name));
}

static void check_items(order *w, uint32_t first, unsigned depth);

static void check_repeat(order *w, uint32_t item, unsigned depth) {
  kgi_checker *c = w->c;
  const kgi_item *repeat = &c->m->item[item];
  if (repeat->name.i >= c->m->string_count) malformed(c, repeat->pos, "an index past the strings");
  if (!repeat->from.i || !repeat->to.i) malformed(c, repeat->pos, "a repeat without its bounds");
  check_item_dim(w, repeat->from, "a repeat", repeat->pos);
  check_item_dim(w, repeat->to, "a repeat", repeat->pos);
  check_item_dim(w, repeat->step, "a repeat", repeat->pos);
  w->state[item] = 1;
  check_items(w, repeat->first, depth + 1);
  w->state[item] = 2;
}

static void check_items(order *w, uint32_t first, unsigned depth) {
  kgi_checker *c = w->c;
  if (depth > KGI_MAX_DEPTH) {
    KGI_FAULT(c, too_large, c->m->pos, "the nesting of repeats", KGI_NUM(KGI_MAX_DEPTH));
    return;
  }
  for (uint32_t i = first; i; i = c->m->item[i].next) {
    if (i >= c->m->item_count || w->state[i]) {
      malformed(c, c->m->pos, "an order of work that is not a tree");
      return;
    }
    w->state[i] = 2;
    if (c->m->item[i].kind == KGI_ITEM_RUN) check_run(w, i);
    else if (c->m->item[i].kind == KGI_ITEM_REPEAT) check_repeat(w, i, depth);
    else malformed(c, c->m->item[i].pos, "an item of no known kind");
  }
}

void kgi_check_order(kgi_checker *c, const kgi_dim_fact *facts) {
  const kg_module *m = c->m;
  order w = {.c = c, .facts = facts};
  w.state = kgi_arena_alloc(&c->scratch, m->item_count, 1);
  w.bound = kgi_arena_alloc(&c->scratch, m->scope.object_count, sizeof *w.bound);
  w.written = kgi_arena_alloc(&c->scratch, m->scope.object_count, 1);
  w.whole = kgi_arena_alloc(&c->scratch, m->scope.object_count, 1);
  w.met = kgi_arena_alloc(&c->scratch, m->scope.object_count, sizeof *w.met);
  w.inner = kgi_arena_alloc(&c->scratch, m->program_count, sizeof *w.inner);
  if (!kgi_blocks_find(&w.blocks, &c->scratch, &m->scope)) return;
  if (m->lone && (m->program_count != 2 || !m->first_item || m->first_item >= m->item_count ||
                  m->item[m->first_item].kind != KGI_ITEM_RUN || m->item[m->first_item].next))
    malformed(c, m->pos, "a lone program that is not one run");
  if (!m->lone && m->scope.spec_count > 1) malformed(c, m->pos, "a module with constants");
  check_items(&w, m->first_item, 0);
}
