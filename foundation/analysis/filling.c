/* A store in loops within one another, one for each index that moves, reaches a box of elements. Boxes are cut into rows where all extents
 * are numbers; else those count that are whole in all dimensions but one. An index may pass the array's end, or wrap below 0: such stores
 * are dropped, and the elements between are reached all the same. What rows reach from the first element on is found by going from one to
 * the next. */
#include "foundation/analysis/filling.h"
#include "foundation/ir/place.h"

enum { MOST_STEPS = 4, MOST_ADDED = 1 << 20 };

/* ---- marks ---- */

static kgi_mark number(int64_t n) { return (kgi_mark){.add = n, .known = true}; }
static kgi_mark added(kgi_mark m, int64_t n) { return (kgi_mark){m.base, m.add + n, m.known && n <= MOST_ADDED && n >= -MOST_ADDED}; }
static bool is_number(kgi_mark m) { return m.known && !m.base; }
static bool is_at_most(kgi_mark a, kgi_mark b) { return a.known && b.known && a.base == b.base && a.add <= b.add; }

static kgi_mark mark_of_extent(const kgi_scope *s, kgi_dim extent) {
  const kgi_dim_node *n = &s->dim[extent.i];
  if (n->op == KGI_DIM_INT) return number(n->imm);
  if (n->op == KGI_DIM_SPEC) return (kgi_mark){.base = 2 * n->a + 1, .known = true};
  if ((n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB) && s->dim[n->b].op == KGI_DIM_INT)
    return added(mark_of_extent(s, (kgi_dim){n->a}), n->op == KGI_DIM_ADD ? s->dim[n->b].imm : -s->dim[n->b].imm);
  return (kgi_mark){.base = 2 * extent.i + 2, .known = extent.i};
}

static kgi_mark mark_of_literal(const kgi_inst *x) {
  int64_t n = kgi_bits_to_int((kg_type)x->type, kgi_literal_bits(x));
  return n < 0 && kgi_type_kind_of((kg_type)x->type) != KGI_SINT ? (kgi_mark){0} : number(n);
}

/* Signed or not: an index below 0 is past the end as well, and no array has so many elements that its length is another number then. */
static uint32_t without_sign(const kgi_program *p, uint32_t value, bool *turned) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind != KGI_op || x->op != KGI_OP_convert || (x->type != KG_I32 && x->type != KG_U32)) return value;
  unsigned from = p->inst[x->arg[0]].type;
  if (from != KG_I32 && from != KG_U32) return value;
  *turned = true;
  return x->arg[0];
}

/* Of a value with a number added: the number, and the value. */
static uint32_t without_number(const kgi_program *p, uint32_t value, int64_t *n, bool *turned) {
  value = without_sign(p, value, turned);
  const kgi_inst *x = &p->inst[value];
  bool adds = x->kind == KGI_op && x->op == KGI_OP_add, takes = x->kind == KGI_op && x->op == KGI_OP_sub;
  if (!(adds || takes) || p->inst[x->arg[1]].kind != KGI_literal) return value;
  kgi_mark m = mark_of_literal(&p->inst[x->arg[1]]);
  int64_t by = m.add;
  if (!m.known || by > MOST_ADDED || by < -MOST_ADDED) return value;
  *n += adds ? by : -by;
  return without_sign(p, x->arg[0], turned);
}

/* Where a number is taken away in all, with `by`, a signed bound may be below 0, where an unsigned one is past the end. */
static kgi_mark mark_of_one(const kgi_program *p, uint32_t value, int64_t by) {
  int64_t n = 0;
  bool turned = false;
  for (unsigned k = 0; k < MOST_STEPS; k++) value = without_number(p, value, &n, &turned);
  const kgi_inst *x = &p->inst[value];
  if (kgi_is_float(x->type) || (turned && n + by < 0)) return (kgi_mark){0};
  if (x->kind == KGI_literal) return n ? (kgi_mark){0} : mark_of_literal(x);
  if (x->kind == KGI_spec) return added((kgi_mark){.base = 2 * x->arg[0] + 1, .known = true}, n);
  if (x->kind != KGI_len) return (kgi_mark){0};
  const kgi_object *o = &p->scope.object[x->arg[0]];
  return added(mark_of_extent(&p->scope, x->arg[1] ? o->extent[x->arg[1] - 1] : o->length), n);
}

static kgi_mark mark_of(const kgi_program *p, uint32_t value, int64_t by) { return added(mark_of_one(p, value, by), by); }

/* ---- boxes ---- */

typedef struct range { kgi_mark low, high; uint32_t loop; } range;

static range range_of(const kgi_program *p, uint32_t index) {
  int64_t n = 0;
  bool turned; /* an index is in bounds or not, of either sign */
  uint32_t value = without_number(p, index, &n, &turned);
  const kgi_inst *x = &p->inst[value];
  kgi_mark at = mark_of(p, index, 0);
  if (x->kind != KGI_for) return (range){at, added(at, 1), 0};
  bool by_one = !x->arg[2] || (p->inst[x->arg[2]].kind == KGI_literal && mark_of_literal(&p->inst[x->arg[2]]).add == 1);
  if (!by_one) return (range){.loop = value};
  kgi_mark low = mark_of(p, x->arg[0], n);
  bool may_wrap = low.base && low.add < 0 && kgi_type_kind_of((kg_type)x->type) == KGI_UINT; /* to past the end, and nothing is filled */
  return (range){may_wrap ? (kgi_mark){0} : low, mark_of(p, x->arg[1], n), value};
}

typedef struct box { range r[KGI_MAX_RANK]; kgi_mark extent[KGI_MAX_RANK]; unsigned rank; } box;

/* One index over all dimensions makes a box of one. */
static box box_of(const kgi_program *p, uint32_t object, uint32_t index) {
  const kgi_object *o = &p->scope.object[object];
  kgi_digits place;
  bool flat = !o->rank || !kgi_place_read(p, object, index, &place);
  box b = {.rank = flat ? 1 : o->rank};
  for (unsigned k = 0; k < b.rank; k++) {
    b.r[k] = range_of(p, flat ? index : place.value[k]);
    b.extent[k] = mark_of_extent(&p->scope, flat ? o->length : o->extent[k]);
  }
  return b;
}

static bool is_known(const box *b) {
  for (unsigned k = 0; k < b->rank; k++)
    if (!b->r[k].low.known || !b->r[k].high.known || !b->extent[k].known) return false;
  return true;
}

static bool is_full(const box *b, unsigned k) {
  return is_number(b->r[k].low) && b->r[k].low.add <= 0 && is_at_most(b->extent[k], b->r[k].high);
}

static bool is_of_numbers(const box *b) {
  for (unsigned k = 0; k < b->rank; k++)
    if (!is_number(b->r[k].low) || !is_number(b->r[k].high) || !is_number(b->extent[k])) return false;
  return true;
}

static bool has_loop(const box *b, uint32_t loop) {
  unsigned count = 0;
  for (unsigned k = 0; k < b->rank; k++) count += b->r[k].loop == loop;
  return count == 1;
}

/* The loops between the store and the statement are those of the box, and nothing leaves them. */
static bool is_certain(const kgi_program *p, const box *b, uint32_t store, uint32_t statement) {
  unsigned loops = 0, around = 0;
  uint32_t i = store;
  for (unsigned k = 0; k < b->rank; k++) loops += b->r[k].loop != 0;
  for (; i != statement; around++) {
    i = p->block[p->inst[i].block].owner;
    if (!i || p->inst[i].kind != KGI_for || !has_loop(b, i)) return false;
  }
  if (p->inst[statement].kind == KGI_for)
    KGI_EACH_INSIDE(p, kgi_body_of(&p->inst[statement]), n)
      if (kgi_ends(&p->inst[n])) return false;
  return loops == around;
}

/* ---- parts ---- */

static void add_part(kgi_filling *f, kgi_part part) {
  kgi_part *last = f->count ? &f->part[f->count - 1] : NULL;
  if (last && !last->index && !part.index && last->along == part.along && last->high.base == part.low.base && last->high.add == part.low.add)
    last->high = part.high;
  else if (f->count < KGI_FILLING_PARTS) f->part[f->count++] = part;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The rows of a box of numbers; of very many, the first. */
static void add_rows(kgi_filling *f, const box *b) {
  unsigned last = b->rank - 1;
  int64_t at[KGI_MAX_RANK], low[KGI_MAX_RANK], high[KGI_MAX_RANK];
  for (unsigned k = 0; k < b->rank; k++) {
    at[k] = low[k] = b->r[k].low.add > 0 ? b->r[k].low.add : 0, high[k] = least(b->r[k].high.add, b->extent[k].add);
    if (low[k] >= high[k]) return;
  }
  for (unsigned rows = 0; rows < KGI_FILLING_PARTS * KGI_FILLING_PARTS; rows++) {
    int64_t row = 0;
    for (unsigned k = 0; k < last; k++) row = (row + at[k]) * b->extent[k + 1].add;
    add_part(f, (kgi_part){.low = number(row + low[last]), .high = number(row + high[last])});
    unsigned k = last;
    while (k && ++at[k - 1] == high[k - 1]) k--, at[k] = low[k];
    if (!k) return;
  }
}

static void add_slab(kgi_filling *f, const box *b) {
  unsigned along = 0, open = 0;
  for (unsigned k = 0; k < b->rank; k++)
    if (!is_full(b, k)) along = k, open++;
  if (open > 1) return;
  add_part(f, (kgi_part){.along = b->rank > 1 ? along + 1 : 0, .low = b->r[along].low, .high = b->r[along].high});
}

void kgi_filling_add(kgi_filling *f, uint32_t store, uint32_t statement) {
  const kgi_inst *s = &f->p->inst[store];
  if (s->kind != KGI_store || s->arg[0] != f->object || f->p->scope.object[f->object].scalar) return;
  box b = box_of(f->p, f->object, s->arg[1]);
  if (store == statement) add_part(f, (kgi_part){.index = s->arg[1]});
  if (!is_known(&b) || !is_certain(f->p, &b, store, statement)) return;
  if (is_of_numbers(&b)) add_rows(f, &b);
  else add_slab(f, &b);
}

/* ---- what they are together ---- */

/* From the first element on, parts reach `end`. */
static bool reaches(const kgi_filling *f, unsigned along, kgi_mark end) {
  kgi_mark reached[KGI_FILLING_PARTS + 1] = {number(0)};
  bool used[KGI_FILLING_PARTS] = {false};
  unsigned count = 1;
  for (unsigned n = 0; n < count; n++) {
    if (is_at_most(end, reached[n])) return true;
    for (unsigned k = 0; k < f->count; k++) {
      const kgi_part *part = &f->part[k];
      if (used[k] || part->index || part->along != along || !is_at_most(part->low, reached[n])) continue;
      used[k] = true, reached[count++] = part->high;
    }
  }
  return false;
}

bool kgi_filling_is_whole(const kgi_filling *f) {
  const kgi_object *o = &f->p->scope.object[f->object];
  if (reaches(f, 0, mark_of_extent(&f->p->scope, o->length))) return true;
  for (unsigned k = 0; k < o->rank; k++)
    if (reaches(f, k + 1, mark_of_extent(&f->p->scope, o->extent[k]))) return true;
  return false;
}

/* The flat index of an element, as a mark. */
static kgi_mark mark_of_element(const kgi_filling *f, uint32_t index) {
  box b = box_of(f->p, f->object, index);
  kgi_mark at = b.r[0].low;
  for (unsigned k = 0; k < b.rank; k++) {
    if (b.r[k].loop || !b.r[k].low.known) return (kgi_mark){0};
    if (!k) continue;
    if (!is_number(at) || !is_number(b.r[k].low) || !is_number(b.extent[k])) return (kgi_mark){0};
    at = number(at.add * b.extent[k].add + b.r[k].low.add);
  }
  return at;
}

bool kgi_filling_holds(const kgi_filling *f, uint32_t index) {
  kgi_mark at = mark_of_element(f, index);
  for (unsigned k = 0; k < f->count; k++) {
    const kgi_part *part = &f->part[k];
    if (part->index ? part->index == index : !part->along && is_at_most(part->low, at) && is_at_most(added(at, 1), part->high)) return true;
  }
  return kgi_filling_is_whole(f) || (at.known && reaches(f, 0, added(at, 1)));
}
