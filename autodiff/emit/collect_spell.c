/* Indices of several parts are spelled as the home's is: with `y * w + x` for the home, `k + w - 1` of the same k becomes
 * `(y + 1) * w + (x - 1)`, so that it is seen what stands for each id. Both are the same word.
 *
 * What an index is apart from the home's is shared out among the ids, each of which counts for so much: a multiple of what it counts for as it
 * stands, or, of numbers, the nearest. Whether that makes sense is asked later. */
#include "autodiff/emit/collect.h"

typedef struct part { kgi_poly weight; int64_t by; } part;

static kgi_poly read(const kgi_collecting *c, uint32_t value) { return kgi_poly_of_value(c->q, (kgi_val){value}, c->size); }

/* What each id counts for in the index; false: it is another kind of sum. */
static bool find_parts(const kgi_poly *index, part p[3]) {
  kgi_poly rest = *index;
  unsigned ids = 0;
  for (unsigned axis = 0; axis < 3; axis++) {
    kgi_poly id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), all = kgi_poly_int(0);
    for (uint32_t k = 0; k < index->count; k++) {
      kgi_poly one = {.count = 1, .t = {index->t[k]}};
      if (kgi_term_has(&index->t[k], KGI_ATOM_GLOBAL + axis)) all = kgi_poly_add(&all, &one, 1);
    }
    p[axis] = (part){.weight = kgi_poly_int(0)};
    if (!all.count) continue;
    if (all.count != 1 || !kgi_poly_divide(&all, &id, &p[axis].weight) || p[axis].weight.count != 1 || p[axis].weight.t[0].c < 1) return false;
    rest = kgi_poly_add(&rest, &all, -1), ids++;
  }
  return !index->failed && !rest.failed && !rest.count && ids > 1;
}

/* Takes the nearest multiple of the part's weight out of what is left. */
static void take(kgi_poly *left, part *p) {
  const kgi_term *weight = &p->weight.t[0];
  if (!p->weight.count) return;
  for (uint32_t k = 0; k < left->count; k++) {
    if (kgi_term_compare(left->t[k].atom, weight->atom)) continue;
    int64_t half = weight->c / 2, c = left->t[k].c;
    p->by = (c >= 0 ? c + half : c - half) / weight->c;
    *left = kgi_poly_add(left, &p->weight, -p->by);
    return;
  }
}

/* The heaviest first, so that of numbers what is left is less than a row. */
static bool share_out(kgi_poly left, part p[3]) {
  bool done[3] = {false};
  for (unsigned n = 0; n < 3; n++) {
    unsigned most = 3;
    for (unsigned k = 0; k < 3; k++)
      if (!done[k] && (most == 3 || (p[k].weight.count && (!p[most].weight.count || p[k].weight.t[0].c > p[most].weight.t[0].c)))) most = k;
    take(&left, &p[most]);
    done[most] = true;
  }
  return !left.count && !left.failed;
}

static uint32_t with(kgi_collecting *c, uint32_t value, const uint32_t id[3]) {
  kgi_inst copy = *kgi_collect_at(c, value);
  unsigned axis = kgi_collect_axis_of(&copy);
  if (axis) return id[axis - 1];
  if (kgi_is_leaf(copy.kind)) return value;
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) copy.arg[k] = with(c, copy.arg[k], id);
  return kgi_append(c->b, copy);
}

/* Of ids, and leaves besides. */
static bool is_plain(const kgi_collecting *c, uint32_t value, unsigned depth) {
  const kgi_inst *x = kgi_collect_at(c, value);
  if (kgi_is_leaf(x->kind)) return kgi_collect_axis_of(x) || kgi_collect_is_same_for_all(x);
  kgi_span span = kgi_operands(x);
  bool plain = depth && x->kind == KGI_op && x->type == KG_U32;
  for (unsigned k = span.first; k < span.first + (unsigned)span.count && plain; k++) plain = is_plain(c, x->arg[k], depth - 1);
  return plain;
}

static void spell(kgi_collecting *c, uint32_t atomic, uint32_t home, const kgi_poly *of_home, part p[3]) {
  kgi_builder *b = c->b;
  kgi_poly index = read(c, kgi_collect_at(c, atomic)->arg[1]);
  uint32_t id[3];
  for (unsigned k = 0; k < 3; k++) p[k].by = 0;
  if (kgi_collect_at(c, kgi_collect_at(c, atomic)->arg[1])->type != KG_U32 || !share_out(kgi_poly_add(&index, of_home, -1), p)) return;
  b->at = kgi_before(c->q, atomic), b->pos = c->q->inst_pos[atomic];
  for (unsigned k = 0; k < 3; k++) {
    kgi_val own = kgi_id_value(b, KGI_ID_global_id, k);
    if (p[k].by > INT32_MAX || p[k].by < -INT32_MAX) return;
    if (p[k].by > 0) own = kgi_op2(b, KGI_OP_add, own, kgi_u32(b, (uint32_t)p[k].by));
    if (p[k].by < 0) own = kgi_op2(b, KGI_OP_sub, own, kgi_u32(b, (uint32_t)-p[k].by));
    id[k] = own.i;
  }
  uint32_t spelled = with(c, kgi_collect_at(c, home)->arg[1], id);
  c->q->inst[atomic].arg[1] = spelled;
}

void kgi_collect_spell(kgi_collecting *c) {
  part p[3];
  kgi_sizes_of(c->q, c->size);
  if (c->homes != 1 || c->plain || c->q->scope.object[c->shadow.i].rank || !is_plain(c, kgi_collect_at(c, c->home[0])->arg[1], KGI_LIMIT(home_index))) return;
  kgi_poly of_home = read(c, kgi_collect_at(c, c->home[0])->arg[1]);
  if (!find_parts(&of_home, p)) return;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i) {
    const kgi_inst *x = kgi_collect_at(c, i);
    if (x->kind == KGI_atomic && x->arg[0] == c->shadow.i && i != c->home[0] && x->arg[1]) spell(c, i, c->home[0], &of_home, p);
  }
}
