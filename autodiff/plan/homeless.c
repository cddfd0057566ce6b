/* Stencils that only the inner elements have, as most are written:
 *
 *     if i > 0 && i < n - 1 { b[i] = a[i - 1] + a[i] * a[i] + a[i + 1] }
 *
 * No load in there reaches every element, so that none is a home (homes.c). What an invocation loads of its own comes out of the guard, where
 * it reaches the others, too, whose shadows begin with 0 then:
 *
 *     var own = 0    if i < len(a) { own = a[i] }    if i > 0 && i < n - 1 { b[i] = a[i - 1] + own * own + a[i + 1] }
 *
 * Where an outer guard keeps the index in bounds, the load goes in front of the inner one, and needs none of its own. Nobody stores to the
 * buffer, so that a load gives the same wherever it stands; out of bounds that is 0, as here. Every element holds something: the host fills the
 * buffer, or both arms of the branch load the element anyway. It stays where it was if nothing is gained: it has to cover the buffer from
 * there, and all that is loaded of the buffer has to be of elements that ids name, or nobody can collect it. */
#include "autodiff/plan/homes.h"
#include "foundation/analysis/inside.h"
#include "foundation/ir/place.h"
#include "foundation/passes/clean.h"

enum { MOST_IFS = 8 };

typedef struct homeless {
  kgi_builder b;
  kgi_program *p;
  kgi_arena *scratch;
  unsigned tries;
  bool changed;
} homeless;

/* From the innermost to the outermost; 0: something else is around it, or too many. */
static unsigned ifs_around(const kgi_program *p, uint32_t i, uint32_t out[MOST_IFS]) {
  unsigned count = 0;
  for (kgi_blk block = p->inst[i].block; block > KGI_BODY; block = p->inst[p->block[block].owner].block) {
    if (p->inst[p->block[block].owner].kind != KGI_if || count == MOST_IFS) return 0;
    out[count++] = p->block[block].owner;
  }
  return count;
}

bool kgi_home_is_sought(const kgi_program *p, uint32_t object) {
  const kgi_object *o = &p->scope.object[object];
  return o->space == KGI_BUFFER && o->mode == KG_READ && !o->view && !o->scalar && kgi_is_float(o->type);
}

bool kgi_home_is_of_ids(const kgi_program *p, uint32_t value, unsigned depth) {
  const kgi_inst *x = &p->inst[value];
  if (kgi_is_leaf(x->kind)) return true;
  kgi_span operands = kgi_operands(x);
  bool fine = depth && x->kind == KGI_op;
  for (unsigned k = 0; k < operands.count && fine; k++) fine = kgi_home_is_of_ids(p, x->arg[operands.first + k], depth - 1);
  return fine;
}

static bool is_id(const kgi_program *p, uint32_t value) { return p->inst[value].kind == KGI_id; }

/* A multiple of an id, or of what is computed from some. */
static bool goes_by_id(const kgi_term *t) {
  bool any = false;
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++)
    any |= t->atom[n] < KGI_ATOM_FIRST || (t->atom[n] >= KGI_ATOM_GROUP && t->atom[n] <= KGI_ATOM_LOCAL_INDEX);
  return any && t->c > 0;
}

/* In each run of the program: earlier runs may fill another buffer in part. */
static bool is_filled_by_host(const kg_module *m, const kgi_program *p, uint32_t object) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *item = &m->item[i];
    if (item->kind != KGI_ITEM_RUN || m->program[item->program]->name.i != p->name.i) continue;
    unsigned mode = m->scope.object[m->bind[item->binding + object - 1]].mode;
    if (mode != KG_READ && mode != KG_READ_WRITE) return false;
  }
  return true;
}

/* An element that is named by ids alone, or by a sum with nothing else in it: the stencil's own. */
static bool is_own(const kgi_program *p, uint32_t load) {
  kgi_digits place;
  kgi_poly size[3];
  bool own = kgi_home_is_of_ids(p, p->inst[load].arg[1], KGI_LIMIT(home_index));
  if (kgi_place_of(p, load, &place)) {
    for (unsigned k = 0; k < p->scope.object[p->inst[load].arg[0]].rank; k++) own = own && is_id(p, place.value[k]); /* u32 all */
    return own;
  }
  if (!own || p->inst[p->inst[load].arg[1]].type != KG_U32) return false;
  kgi_sizes_of(p, size);
  kgi_poly f = kgi_poly_of_index(p, load, size);
  for (uint32_t k = 0; k < f.count; k++) own = own && goes_by_id(&f.t[k]);
  return own && f.count && !f.failed;
}

static bool covers(homeless *h, uint32_t load, bool inside) {
  kgi_distinct *d;
  uint8_t front;
  if (!h->tries || kgi_distinct_make(h->scratch, h->b.m, h->p, &d) != KG_OK) return false;
  h->tries--;
  return kgi_home_covers(h->p, d, load, &front) && (!inside || front || kgi_is_inside_here(d, load));
}

static bool is_loaded_in(const kgi_program *p, kgi_blk block, uint32_t load);

/* In front of the innermost guard outside of which nothing else keeps it in bounds. */
static bool moves_out(homeless *h, uint32_t load, const uint32_t *around, unsigned count, bool filled) {
  const uint32_t next = h->p->inst[load].next;
  const kgi_blk block = h->p->inst[load].block;
  bool anyway[MOST_IFS];
  for (unsigned k = 0; k + 1 < count; k++) {
    const kgi_inst *branch = &h->p->inst[around[k]];
    anyway[k] = (!k || anyway[k - 1]) && branch->arg[2] && is_loaded_in(h->p, branch->arg[1], load) && is_loaded_in(h->p, branch->arg[2], load);
  }
  for (unsigned k = 0; k + 1 < count && (filled || anyway[k]); k++) {
    kgi_raise(h->p, h->p->inst[load].arg[1], around[k]);
    kgi_move(h->p, load, kgi_before(h->p, around[k]));
    if (covers(h, load, true)) return true;
  }
  kgi_move(h->p, load, next ? kgi_before(h->p, next) : kgi_at_end(h->p, block));
  return false;
}

/* The declared length, which is below 2^32, whatever wraps on the way; {0}: it is made of something else. */
static kgi_val value_of(kgi_builder *b, kgi_dim length) {
  const kgi_scope *s = &b->p->scope;
  const kgi_dim_node n = s->dim[length.i];
  switch (n.op) {
  case KGI_DIM_INT: return n.imm >= 0 && n.imm <= UINT32_MAX ? kgi_u32(b, (uint32_t)n.imm) : (kgi_val){0};
  case KGI_DIM_PARAM: return s->param[n.a].type == KG_U32 ? kgi_param_value(b, n.a) : (kgi_val){0};
  case KGI_DIM_SPEC: return s->spec[n.a].type == KG_U32 ? kgi_spec_value(b, n.a) : (kgi_val){0};
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: {
    kgi_val x = value_of(b, (kgi_dim){n.a}), y = x.i ? value_of(b, (kgi_dim){n.b}) : x;
    return y.i ? kgi_op2(b, n.op == KGI_DIM_ADD ? KGI_OP_add : n.op == KGI_DIM_SUB ? KGI_OP_sub : KGI_OP_mul, x, y) : y;
  }
  default: return (kgi_val){0};
  }
}

kgi_val kgi_home_in_bounds(kgi_builder *b, kgi_obj object, kgi_val index) {
  kgi_digits place;
  kgi_val all = {0};
  if (!kgi_place_read(b->p, object.i, index.i, &place)) {
    kgi_dim declared = b->p->scope.object[object.i].length;
    kgi_val length = declared.i ? value_of(b, declared) : (kgi_val){0};
    if (!length.i) length = kgi_len_leaf(b, object, 0);
    return kgi_op2(b, KGI_OP_lt, index, length);
  }
  for (unsigned k = 0; k < b->p->scope.object[object.i].rank; k++) {
    kgi_val extent = kgi_extent_value(b, object, k), below = kgi_op2(b, KGI_OP_lt, (kgi_val){place.value[k]}, extent);
    all = all.i ? kgi_op2(b, KGI_OP_and, all, below) : below;
  }
  return all;
}

bool kgi_home_is_same(const kgi_program *p, uint32_t load, uint32_t other) {
  kgi_digits x, y;
  const kgi_inst *a = &p->inst[load], *b = &p->inst[other];
  if (b->kind != KGI_load || a->arg[0] != b->arg[0]) return false;
  if (!kgi_place_of(p, load, &x) || !kgi_place_of(p, other, &y)) return a->arg[1] == b->arg[1];
  for (unsigned k = 0; k < p->scope.object[a->arg[0]].rank; k++)
    if (x.value[k] != y.value[k]) return false;
  return true;
}

/* In the block itself, or what a branch in it loads on both sides. */
static bool is_loaded_in(const kgi_program *p, kgi_blk block, uint32_t load) {
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    if (i == load || kgi_home_is_same(p, load, i)) return true;
    if (x->kind == KGI_if && x->arg[2] && is_loaded_in(p, x->arg[1], load) && is_loaded_in(p, x->arg[2], load)) return true;
  }
  return false;
}

static void goes_by_var(kgi_program *p, uint32_t statement, uint32_t load, kgi_obj var) {
  kgi_span blocks = kgi_owned_blocks(&p->inst[statement]);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(p, p->inst[statement].arg[blocks.first + k], i)
      if (i != load && kgi_home_is_same(p, load, i)) p->inst[i].arg[0] = var.i, p->inst[i].arg[1] = 0;
  p->inst[load].arg[0] = var.i, p->inst[load].arg[1] = 0;
}

/* In front of all guards, with one of its own. */
static bool is_guarded_anew(homeless *h, uint32_t load, uint32_t statement) {
  kgi_builder *b = &h->b;
  const kgi_inst x = h->p->inst[load];
  kgi_raise(h->p, x.arg[1], statement);
  b->pos = h->p->inst_pos[load], b->at = kgi_before(h->p, statement);
  kgi_obj var = kgi_var(b, kgi_string(b->m, h->p->scope.object[x.arg[0]].name), (kg_type)x.type, (kgi_dim){0});
  uint32_t declared = b->at.after;
  kgi_store(b, var, (kgi_val){0}, kgi_float(b, (kg_type)x.type, 0));
  uint32_t zero = b->at.after;
  kgi_val inside = kgi_home_in_bounds(b, (kgi_obj){x.arg[0]}, (kgi_val){x.arg[1]});
  kgi_if_begin(b, inside);
  kgi_val own = kgi_load(b, (kgi_obj){x.arg[0]}, (kgi_val){x.arg[1]});
  kgi_store(b, var, (kgi_val){0}, own);
  uint32_t branch = h->p->block[h->p->inst[own.i].block].owner;
  kgi_end(b);
  if (b->status != KG_OK) return false;
  if (covers(h, own.i, false)) return goes_by_var(h->p, statement, load, var), true;
  kgi_remove(h->p, branch), kgi_remove(h->p, zero), kgi_remove(h->p, declared);
  return false;
}

bool kgi_home_are_settled(kgi_distinct *d, const uint32_t *load, unsigned count) {
  const unsigned apart = KGI_OWN_ACROSS | KGI_OWN_IN_INTERVAL;
  return (kgi_disjoint(d, load, count, NULL) & apart) == apart || kgi_covers_steps(d, load, count);
}

/* Loads of the buffer at several places, all of them in branches, and none in a loop; none of them is a home as it is. */
static bool is_homeless(homeless *h, kgi_distinct *d, uint32_t object, uint32_t *own) {
  uint32_t around[MOST_IFS], list[KGI_MOST_home_loads], count = 0, other = 0, first = 0;
  uint8_t front;
  *own = 0;
  KGI_EACH_INSIDE(h->p, KGI_BODY, i) {
    const kgi_inst *x = &h->p->inst[i];
    if (!kgi_touches(x) || x->arg[0] != object) continue;
    if (x->kind != KGI_load || !ifs_around(h->p, i, around) || !kgi_home_is_of_ids(h->p, x->arg[1], KGI_LIMIT(home_index)) || kgi_home_covers(h->p, d, i, &front)) return false;
    if (count == KGI_LIMIT(home_loads)) return false;
    list[count++] = i;
    if (!first) first = i;
    else if (!kgi_home_is_same(h->p, first, i)) other = i;
    if (!*own && is_own(h->p, i)) *own = i;
  }
  return *own && other && !kgi_home_are_settled(d, list, count);
}

kg_status kgi_ad_bring_homes_out(kg_module *work, kgi_program *p, kgi_arena *scratch) {
  homeless h = {.p = p, .scratch = scratch, .tries = KGI_LIMIT(home_tries)};
  kgi_distinct *d = NULL;
  kgi_builder_init(&h.b, work, NULL);
  kgi_resume_program(&h.b, p);
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope) && h.b.status == KG_OK; o++) {
    uint32_t around[MOST_IFS], own;
    if (!kgi_home_is_sought(p, o)) continue;
    if (!d && kgi_distinct_make(scratch, work, p, &d) != KG_OK) return KG_NO_MEMORY;
    if (!is_homeless(&h, d, o, &own)) continue;
    unsigned count = ifs_around(p, own, around);
    bool filled = is_filled_by_host(work, p, o);
    h.changed |= moves_out(&h, own, around, count, filled) || (filled && is_guarded_anew(&h, own, around[count - 1]));
    d = NULL; /* the program has changed */
  }
  kg_status status = kgi_builder_status(&h.b);
  return status == KG_OK && h.changed ? kgi_clean(work, p) : status;
}
