/* Stencils: invocations load what is their own of a buffer, and what their neighbours own. They are made in front of everything else, from
 * buffers that nothing else touches, so that the adjoint may come to collect what neighbours add; and so that near every one of its conditions
 * there are programs that do not meet it. */
#include "foundation/ir/place.h"
#include "fuzz/gen.h"

/* Where the elements lie that an invocation owns. */
typedef enum layout { ONE_EACH, SIDE_BY_SIDE, FAR_APART, FROM_THE_END, LAYOUTS } layout;

typedef struct stencil {
  kgi_gen *g;
  kgi_builder *b;
  kgi_val id[2], size[2]; /* along each axis, and the number of those that there are */
  kgi_val own;            /* of what one invocation alone owns */
  kgi_obj total;
} stencil;

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

/* ---- what there is ---- */

static kgi_obj declare(kgi_gen *g, const char *base, kg_mode mode, kgi_dim first, kgi_dim second) {
  char name[24];
  kgi_object object = {.space = KGI_BUFFER, .type = KG_F32, .mode = (uint8_t)mode};
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, base, name));
  if (second.i) kgi_set_extents(&g->b, &object, (kgi_dim[]){first, second}, 2);
  else object.length = first;
  return kgi_object_add(&g->b, &object);
}

void kgi_gdeclare_stencil(kgi_gen *g) {
  kgi_dim n = kgi_len_param(&g->b, 1), width = {0}, length = n;
  unsigned pick = kgi_choose(g, 2 * LAYOUTS);
  g->kind = g->width || pick >= LAYOUTS ? ONE_EACH : (uint8_t)pick;
  if (g->width) width = kgi_len_int(&g->b, g->width);
  else if (g->kind == SIDE_BY_SIDE || g->kind == FAR_APART) /* more than there are owners of, now and then */
    length = kgi_len_op(&g->b, KGI_DIM_MUL, n, kgi_len_int(&g->b, 2 + kgi_chance(g, 4)));
  g->from = declare(g, "sx", KG_READ, length, width);
  g->by = declare(g, "sw", KG_READ, n, width);
  g->to = declare(g, "sy", KG_WRITE, n, width);
}

/* An element that the invocation of that id owns, the first or the second. */
static kgi_val element(const stencil *s, const kgi_val id[2], bool second) {
  kgi_gen *g = s->g;
  kgi_val at;
  if (g->width) return kgi_place(s->b, g->from, (kgi_val[]){id[1], id[0]}, 2);
  switch ((layout)g->kind) {
  case SIDE_BY_SIDE:
    at = word2(g, KGI_OP_mul, id[0], 2);
    return second ? word2(g, KGI_OP_add, at, 1) : at;
  case FAR_APART: return second ? kgi_op2(s->b, KGI_OP_add, id[0], s->size[0]) : id[0];
  case FROM_THE_END:
    at = word2(g, KGI_OP_sub, s->size[0], 1);
    return kgi_op2(s->b, KGI_OP_sub, at, id[0]);
  case ONE_EACH: case LAYOUTS: break;
  }
  return id[0];
}

static kgi_val weight(const stencil *s) {
  kgi_gen *g = s->g;
  if (!kgi_chance(g, 16)) return kgi_load(s->b, g->by, s->own);
  kgi_gmark mark = kgi_gscope(g); /* what comes of it stays in its block */
  kgi_val any = kgi_convert(s->b, KG_F32, kgi_gtame(g).v);
  kgi_gleave(g, mark);
  return any;
}

static void add(const stencil *s, kgi_val at) {
  kgi_val x = kgi_load(s->b, s->g->from, at), w = weight(s);
  if (kgi_chance(s->g, 4)) w = kgi_op2(s->b, KGI_OP_mul, w, kgi_load(s->b, s->g->from, element(s, s->id, false)));
  x = kgi_op2(s->b, KGI_OP_mul, x, w);
  kgi_val now = kgi_load(s->b, s->total, (kgi_val){0});
  kgi_store(s->b, s->total, (kgi_val){0}, kgi_op2(s->b, KGI_OP_add, now, x));
}

/* ---- neighbours ---- */

static kgi_val choose_where(const stencil *s, kgi_op op, kgi_val x, kgi_val y, kgi_val yes, kgi_val no) {
  return kgi_op3(s->b, KGI_OP_select, kgi_op2(s->b, op, x, y), yes, no);
}

/* Off the end: the other end, or the end itself. */
static kgi_val at_ends(const stencil *s, kgi_val i, kgi_val last, bool up) {
  kgi_builder *b = s->b;
  kgi_val zero = kgi_u32(b, 0), one = kgi_u32(b, 1), end = kgi_choose(s->g, 2) ? last : zero;
  kgi_val next = kgi_op2(b, up ? KGI_OP_add : KGI_OP_sub, i, one), size = kgi_op2(b, KGI_OP_add, last, one);
  if (kgi_choose(s->g, 2)) return up ? choose_where(s, KGI_OP_ne, next, size, next, end) : choose_where(s, KGI_OP_ne, i, zero, next, end);
  return up ? choose_where(s, KGI_OP_eq, i, last, end, next) : choose_where(s, KGI_OP_eq, i, zero, end, next);
}

/* No neighbour of the usual kind, and some are owned by nobody who is asked, or asked twice. */
static kgi_val some_other(kgi_gen *g, kgi_val i, kgi_val n, kgi_val last) {
  switch (kgi_choose(g, 6)) {
  case 0: return kgi_op2(&g->b, KGI_OP_rem, word2(g, KGI_OP_add, i, 2), n);
  case 1: return word2(g, KGI_OP_div, i, 2);
  case 2: return kgi_op2(&g->b, KGI_OP_sub, last, i);
  case 3: return kgi_op2(&g->b, KGI_OP_min, word2(g, KGI_OP_xor, i, 1), last);
  case 4: return kgi_op2(&g->b, KGI_OP_sub, i, word2(g, KGI_OP_rem, i, 2));
  default: return kgi_op2(&g->b, KGI_OP_rem, word2(g, KGI_OP_mul, i, 3), n);
  }
}

static void under(const stencil *s, kgi_val condition, unsigned *opened) {
  kgi_if_begin(s->b, condition);
  ++*opened;
}

/* i + by below n, or i - by from 0 on: under a condition, if one is to be stated. */
static kgi_val guarded(const stencil *s, kgi_val i, kgi_val n, kgi_val by, bool up, unsigned *opened) {
  kgi_builder *b = s->b;
  kgi_val next = kgi_op2(b, up ? KGI_OP_add : KGI_OP_sub, i, by);
  bool beyond = kgi_chance(s->g, s->g->kind == FAR_APART ? 2 : 6); /* out of bounds at the end, or what another owns */
  if (kgi_has(s->g, KGI_FUZZ_BOUNDS) && beyond) return next;
  under(s, up ? kgi_op2(b, KGI_OP_lt, next, n) : kgi_op2(b, KGI_OP_ge, i, by), opened);
  return next;
}

/* The own, or what is another's second where there are few. */
static kgi_val past_the_first(const stencil *s, kgi_val i, unsigned by, unsigned *opened) {
  kgi_val far = kgi_u32(s->b, by + 3), length = kgi_len_value(s->b, s->g->from);
  under(s, kgi_op2(s->b, KGI_OP_lt, far, length), opened);
  return kgi_op2(s->b, KGI_OP_max, i, far);
}

static kgi_val neighbour(const stencil *s, unsigned axis, unsigned *opened) {
  kgi_gen *g = s->g;
  kgi_builder *b = s->b;
  kgi_val i = s->id[axis], n = s->size[axis], last = word2(g, KGI_OP_sub, n, 1);
  unsigned by = 1 + kgi_choose(g, 2);
  if (g->kind == FAR_APART && kgi_chance(g, 3)) return past_the_first(s, i, by, opened);
  switch (kgi_choose(g, 12)) {
  case 0: return word2(g, KGI_OP_saturating_sub, i, by);
  case 1: return kgi_op2(b, KGI_OP_min, word2(g, KGI_OP_add, i, by), last);
  case 2: return kgi_op2(b, KGI_OP_rem, word2(g, KGI_OP_add, i, 1), n);
  case 3: return kgi_op2(b, KGI_OP_rem, kgi_op2(b, KGI_OP_add, i, last), n);
  case 4: return at_ends(s, i, last, true);
  case 5: return at_ends(s, i, last, false);
  case 6: return guarded(s, i, n, kgi_u32(b, by), true, opened);
  case 7: return guarded(s, i, n, kgi_u32(b, by), false, opened);
  case 8: return guarded(s, i, n, kgi_param_value(b, 2), true, opened);
  case 9: return guarded(s, i, n, kgi_param_value(b, 2), false, opened);
  case 10:
    under(s, kgi_op2(b, KGI_OP_lt, kgi_u32(b, by), n), opened);
    return word2(g, KGI_OP_max, i, by);
  default: return some_other(g, i, n, last);
  }
}

/* What not all add, or those whom data name. */
static void maybe_under(const stencil *s, unsigned *opened) {
  kgi_gen *g = s->g;
  kgi_builder *b = s->b;
  kgi_val zero = kgi_u32(b, 0), some = kgi_f32(b, 0.25f);
  if (!kgi_chance(g, 4)) return;
  switch (kgi_choose(g, 4)) {
  case 0: under(s, kgi_op2(b, KGI_OP_lt, kgi_load(b, g->by, s->own), some), opened); return;
  case 1: under(s, kgi_op2(b, KGI_OP_eq, word2(g, KGI_OP_and, s->id[0], 1), zero), opened); return;
  case 2: under(s, kgi_op2(b, KGI_OP_lt, s->id[0], kgi_param_value(b, 2)), opened); return;
  default: under(s, kgi_op2(b, KGI_OP_ne, s->id[0], kgi_u32(b, 1 + kgi_choose(g, 2))), opened); return;
  }
}

static void add_neighbour(const stencil *s) {
  kgi_gen *g = s->g;
  unsigned opened = 0, axis = g->width ? kgi_choose(g, 3) : 0;
  kgi_val id[2] = {s->id[0], s->id[1]};
  maybe_under(s, &opened);
  if (axis != 1) id[0] = neighbour(s, 0, &opened);
  if (axis != 0) id[1] = neighbour(s, 1, &opened);
  add(s, element(s, id, kgi_choose(g, 2)));
  while (opened--) kgi_end(s->b);
}

/* ---- all of it ---- */

/* Of each the loads of the invocation's own, now and then of some invocations alone, or not all. */
static void add_own(const stencil *s) {
  unsigned opened = 0;
  if (kgi_chance(s->g, 6)) maybe_under(s, &opened);
  add(s, element(s, s->id, false));
  if ((s->g->kind == SIDE_BY_SIDE || s->g->kind == FAR_APART) && !kgi_chance(s->g, 8)) add(s, element(s, s->id, true));
  while (opened--) kgi_end(s->b);
}

static kgi_val is_inside(const stencil *s) {
  kgi_builder *b = s->b;
  kgi_val x = kgi_op2(b, KGI_OP_lt, s->id[0], s->size[0]);
  if (s->g->width) x = kgi_op2(b, KGI_OP_and, x, kgi_op2(b, KGI_OP_lt, s->id[1], s->size[1]));
  else if (kgi_chance(s->g, 4)) x = kgi_op1(b, KGI_OP_not, kgi_op2(b, KGI_OP_ge, s->id[0], s->size[0]));
  return x;
}

bool kgi_gshape_stencil(kgi_gen *g) {
  char name[24];
  stencil s = {.g = g, .b = &g->b};
  for (unsigned k = 0; k < 2; k++) s.id[k] = kgi_id_value(s.b, KGI_ID_global_id, k);
  s.size[0] = g->width ? kgi_u32(s.b, g->width) : kgi_param_value(s.b, 1), s.size[1] = kgi_param_value(s.b, 1);
  kgi_if_begin(s.b, is_inside(&s));
  s.own = g->width ? kgi_place(s.b, g->by, (kgi_val[]){s.id[1], s.id[0]}, 2) : s.id[0];
  s.total = kgi_var(s.b, kgi_gname(g, "total", name), KG_F32, (kgi_dim){0});
  kgi_store(s.b, s.total, (kgi_val){0}, kgi_f32(s.b, 0));
  bool first = kgi_choose(g, 2);
  if (first) add_own(&s);
  for (unsigned k = 1 + kgi_choose(g, 3); k > 0; k--) add_neighbour(&s);
  if (!first && !kgi_chance(g, 8)) add_own(&s);
  kgi_val to = g->width ? kgi_place(s.b, g->to, (kgi_val[]){s.id[1], s.id[0]}, 2) : s.id[0];
  kgi_store(s.b, g->to, to, kgi_load(s.b, s.total, (kgi_val){0}));
  kgi_end(s.b);
  kgi_gmade(g, g->width ? SHAPE_stencil_rows : g->kind == ONE_EACH ? SHAPE_stencil : SHAPE_stencil_parts);
  return true;
}
