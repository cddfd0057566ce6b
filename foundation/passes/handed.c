/* Arrays of an invocation that are handed on by value, as compilers of shaders write the arguments of calls:
 *
 *   var b : f32[2]                                 b[0] = a[0]   b[1] = a[1]
 *   b[0] = a[0]   b[1] = a[1]                      b[k] = ...
 *   y = b[k]                                       a[0] = b[0]   a[1] = b[1]
 *
 * Then b is a. A copy takes time, in the adjoint too, and reads elements that were never written, which nobody uses afterwards.
 * It relies on this. Every element of b is stored to once, in one block, from the same element of a, before anything else touches b, and
 * what touches b behind it stands in that block. From the first of these loads to the end of the statement that touches b last,
 *
 *   nothing stores to a, where nothing else stores to b;
 *   or a is touched by these loads, and by stores that give every element back, in that block and with no store to b behind their loads,
 *   and nothing leaves the block meanwhile;
 *   or a is touched by these loads last of all, and no loop is around them.
 *
 * An element that is stored where it was loaded from, with no store to the array between, goes as well; so do copies given back. */
#include "foundation/passes/passes.h"

enum { MOST_ELEMENTS = 64, MOST_WORK = 1 << 22 };

typedef struct handing {
  kgi_program *p;
  uint32_t *order;   /* of each instruction, as the program runs */
  uint64_t work;
} handing;

typedef struct copy {
  uint32_t a, b, length;
  kgi_blk block;
  uint32_t first, stored; /* orders: of the first load of a; of the last store of the copy */
  uint32_t last;          /* the statement of the block that touches b last */
  bool changed;
  uint32_t back;          /* the order of the first load that is given back; 0: none is */
  uint64_t given;
} copy;

static const kgi_object *object_of(const handing *h, uint32_t object) { return &h->p->scope.object[object]; }

static uint32_t length_of(const handing *h, uint32_t object) {
  const kgi_object *o = object_of(h, object);
  const kgi_dim_node *n = &h->p->scope.dim[o->length.i];
  bool known = o->space == KGI_VAR && !o->scalar && o->length.i && n->op == KGI_DIM_INT && n->imm > 0 && n->imm <= MOST_ELEMENTS;
  return known ? (uint32_t)n->imm : 0;
}

static bool is_literal(const handing *h, uint32_t value, uint64_t *is) {
  const kgi_inst *x = &h->p->inst[value];
  if (x->kind != KGI_literal || !kgi_is_int(x->type)) return false;
  return *is = kgi_literal_bits(x), true;
}

/* A store of the element of that number of another array, or of the same. */
static bool moves(const handing *h, uint32_t i, uint32_t *load, uint64_t *element) {
  const kgi_inst *x = &h->p->inst[i], *from = &h->p->inst[x->arg[2]];
  uint64_t same;
  if (x->kind != KGI_store || from->kind != KGI_load || !length_of(h, x->arg[0]) || !length_of(h, from->arg[0])) return false;
  if (!is_literal(h, x->arg[1], element) || !is_literal(h, from->arg[1], &same) || same != *element) return false;
  return *load = x->arg[2], true;
}

/* Of the block, what it stands in; 0: it stands elsewhere. */
static uint32_t statement_of(const handing *h, kgi_blk block, uint32_t i) {
  while (i && h->p->inst[i].block != block) i = h->p->block[h->p->inst[i].block].owner;
  return i;
}

static bool touches(const kgi_inst *x, uint32_t object) { return kgi_touches(x) && x->arg[0] == object; }

/* ---- copies ---- */

/* The copy into b: what touches it first. */
static bool begins(handing *h, copy *c) {
  uint64_t filled = 0, element;
  uint32_t load;
  KGI_EACH_INSIDE(h->p, KGI_BODY, i) {
    h->work++;
    if (!touches(&h->p->inst[i], c->b)) continue;
    if (!moves(h, i, &load, &element)) return false;
    uint32_t from = h->p->inst[load].arg[0];
    if (!c->a) c->a = from, c->block = h->p->inst[i].block, c->first = h->order[load];
    bool fits = from == c->a && h->p->inst[i].block == c->block && h->p->inst[load].block == c->block && element < c->length;
    if (!fits || filled >> element & 1) return false;
    filled |= UINT64_C(1) << element, c->stored = h->order[i];
    if (h->order[load] < c->first) c->first = h->order[load];
    if (filled == UINT64_MAX >> (64 - c->length)) break;
  }
  return filled && filled == UINT64_MAX >> (64 - c->length) && c->a != c->b && length_of(h, c->a) == c->length &&
         object_of(h, c->a)->type == object_of(h, c->b)->type;
}

static void note_given_back(const handing *h, copy *c, uint32_t i) {
  uint64_t element;
  uint32_t load;
  if (h->p->inst[i].arg[0] != c->a || !moves(h, i, &load, &element) || h->p->inst[load].arg[0] != c->b) return;
  if (h->p->inst[i].block != c->block || h->p->inst[load].block != c->block || element >= c->length) return;
  if (!c->back || h->order[load] < c->back) c->back = h->order[load];
  c->given |= UINT64_C(1) << element;
  if (h->order[i] > h->order[c->last]) c->last = i;
}

/* What touches b behind the copy, and what is given back. */
static bool follow(handing *h, copy *c) {
  KGI_EACH_INSIDE(h->p, KGI_BODY, i) {
    const kgi_inst *x = &h->p->inst[i];
    h->work++;
    if (h->order[i] <= c->stored) continue;
    if (touches(x, c->b)) {
      uint32_t statement = statement_of(h, c->block, i);
      if (!statement) return false;
      c->changed |= kgi_writes(x);
      if (h->order[statement] > h->order[c->last]) c->last = statement;
    } else if (touches(x, c->a) && kgi_writes(x)) {
      note_given_back(h, c, i);
    }
  }
  return c->last;
}

static bool gives_back(const handing *h, const copy *c, uint32_t i) {
  uint64_t element;
  uint32_t load;
  return moves(h, i, &load, &element) && h->p->inst[load].arg[0] == c->b && h->p->inst[i].block == c->block && h->p->inst[load].block == c->block;
}

/* Nobody looks at a any more. */
static bool is_last(handing *h, const copy *c) {
  for (kgi_blk block = c->block; block != KGI_BODY; block = h->p->inst[h->p->block[block].owner].block)
    if (kgi_is_loop(&h->p->inst[h->p->block[block].owner])) return false;
  KGI_EACH_INSIDE(h->p, KGI_BODY, i) {
    bool copies_in = h->p->inst[i].kind == KGI_load && h->order[i] < c->stored;
    h->work++;
    if (h->order[i] >= c->first && touches(&h->p->inst[i], c->a) && !copies_in) return false;
  }
  return true;
}

/* Whether b may be a, by what stands between. */
static bool may_be_one(handing *h, const copy *c) {
  if (is_last(h, c)) return true;
  if (c->changed && c->given != UINT64_MAX >> (64 - c->length)) return false;
  KGI_EACH_INSIDE(h->p, c->block, i) {
    const kgi_inst *x = &h->p->inst[i];
    uint32_t statement = statement_of(h, c->block, i);
    h->work++;
    if (h->order[i] < c->first || h->order[statement] > h->order[c->last]) continue;
    if (c->changed && kgi_ends(x)) return false;
    if (touches(x, c->b) && c->changed && h->order[i] > c->back && kgi_writes(x)) return false;
    if (!touches(x, c->a)) continue;
    bool copies_in = x->kind == KGI_load && h->order[i] < c->stored;
    if (kgi_writes(x) ? !gives_back(h, c, i) : c->changed && !copies_in) return false;
  }
  return true;
}

static void hand_on(handing *h, uint32_t b) {
  copy c = {.b = b, .length = length_of(h, b)};
  if (!c.length || h->work > MOST_WORK || !begins(h, &c) || !follow(h, &c) || !may_be_one(h, &c)) return;
  KGI_EACH_INSIDE(h->p, KGI_BODY, i)
    if (touches(&h->p->inst[i], b)) h->p->inst[i].arg[0] = c.a;
  /* its declaration is left, which nothing needs */
}

/* ---- stores of what is there ---- */

static bool is_there(handing *h, uint32_t i) {
  const kgi_inst *store = &h->p->inst[i], *load = &h->p->inst[store->arg[2]];
  uint64_t a = 0, b = 1;
  if (store->kind != KGI_store || load->kind != KGI_load || load->arg[0] != store->arg[0] || !length_of(h, store->arg[0])) return false;
  bool same = store->arg[1] == load->arg[1] || (is_literal(h, store->arg[1], &a) && is_literal(h, load->arg[1], &b) && a == b);
  if (!same || store->block != load->block || h->order[store->arg[2]] > h->order[i]) return false;
  for (uint32_t k = h->p->inst[store->arg[2]].next; k && k != i; k = h->p->inst[k].next) {
    h->work++;
    if (touches(&h->p->inst[k], store->arg[0]) && kgi_writes(&h->p->inst[k])) {
      uint64_t other;
      if (!is_literal(h, h->p->inst[k].arg[1], &other) || !is_literal(h, store->arg[1], &a) || other == a) return false;
    }
    kgi_span owned = kgi_owned_blocks(&h->p->inst[k]);
    for (unsigned n = 0; n < owned.count; n++)
      KGI_EACH_INSIDE(h->p, h->p->inst[k].arg[owned.first + n], j) {
        h->work++;
        if (touches(&h->p->inst[j], store->arg[0]) && kgi_writes(&h->p->inst[j])) return false;
      }
  }
  return true;
}

static void drop_stores(handing *h) {
  for (uint32_t i = h->p->block[KGI_BODY].first, next; i && h->work <= MOST_WORK; i = next) {
    next = kgi_next_inside(h->p, KGI_BODY, i);
    if (is_there(h, i)) kgi_remove(h->p, i);
  }
}

kg_status kgi_hand_on_arrays(kg_module *m, kgi_program *p) {
  kg_allocator alloc = m->arena.alloc;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &alloc);
  handing h = {.p = p};
  h.order = kgi_arena_alloc(&scratch, p->inst_count, sizeof *h.order);
  uint32_t order = 0;
  if (h.order) {
    KGI_EACH_INSIDE(p, KGI_BODY, i) h.order[i] = ++order;
    for (uint32_t b = 1; b < p->scope.object_count; b++) hand_on(&h, b);
    drop_stores(&h);
  }
  kgi_arena_free(&scratch);
  return h.order ? KG_OK : KG_NO_MEMORY;
}
