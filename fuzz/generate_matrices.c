/* Arrays of several dimensions: what loads, stores and contributions to a[i, j] take for granted of its digits. */
#include "foundation/ir/place.h"
#include "fuzz/gen.h"

/* ---- objects ---- */

enum { RANK = 3, KINDS = 12, KINDS_OWNED = 8 };

/* Those that an invocation may own a part of come first: `owner` is the dimension that counts invocations. */
static const struct { uint8_t rank, owner; kgi_glen extent[RANK]; } matrices[KINDS] = {
  {2, 0, {{GLEN_N, 0, 0}, {GLEN_CONST, 3, 0}}},
  {2, 1, {{GLEN_CONST, 2, 0}, {GLEN_N, 0, 0}}},
  {2, 0, {{GLEN_N, 0, 0}, {GLEN_N, 0, 0}}},
  {2, 0, {{GLEN_M, 0, 0}, {GLEN_CONST, 2, 0}}},
  {2, 1, {{GLEN_N, 0, 0}, {GLEN_N_PLUS, 1, 0}}},
  {2, 0, {{GLEN_N_PLUS, 2, 0}, {GLEN_CONST, 2, 0}}},
  {3, 0, {{GLEN_N, 0, 0}, {GLEN_CONST, 2, 0}, {GLEN_CONST, 3, 0}}},
  {3, 1, {{GLEN_CONST, 2, 0}, {GLEN_N, 0, 0}, {GLEN_CONST, 2, 0}}},
  {2, 0, {{GLEN_CONST, 4, 0}, {GLEN_CONST, 3, 0}}},
  {2, 0, {{GLEN_M, 0, 0}, {GLEN_M, 0, 0}}},
  {2, 0, {{GLEN_N_PLUS, 1, 0}, {GLEN_M, 0, 0}}},
  {3, 2, {{GLEN_CONST, 3, 0}, {GLEN_CONST, 2, 0}, {GLEN_N, 0, 0}}},
};

unsigned kgi_gextents(kgi_glen length, kgi_glen out[RANK]) {
  for (unsigned k = 0; k < RANK; k++) out[k] = matrices[length.k].extent[k];
  return matrices[length.k].rank;
}

/* Any other extent is a `len` of the one view or the other, which the text does not tell apart. */
static bool extents_are_leaves(unsigned kind) {
  bool all = true;
  for (unsigned k = 0; k < matrices[kind].rank; k++) all &= matrices[kind].extent[k].kind != GLEN_N_PLUS;
  return all;
}

static void declare(kgi_gen *g, kgi_grole role, kg_mode mode, unsigned kind) {
  char name[24];
  kgi_gobject o = {.role = role, .type = KG_F32, .mode = mode, .lo = -2, .hi = 2, .per = 1};
  kgi_object object = {.space = KGI_BUFFER, .type = KG_F32, .mode = (uint8_t)mode};
  kgi_dim extent[RANK];
  o.length = (kgi_glen){GLEN_MATRIX, (uint8_t)kind, 0}, o.layout = (uint8_t)kgi_choose(g, 5);
  for (unsigned k = 0; k < matrices[kind].rank; k++) extent[k] = kgi_glength_dim(g, matrices[kind].extent[k]);
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, role == ROLE_MATRIX ? "mx" : "mz", name));
  kgi_set_extents(&g->b, &object, extent, matrices[kind].rank);
  o.o = kgi_object_add(&g->b, &object);
  if (extents_are_leaves(kind)) kgi_gview_second(g, o.o, false);
  if (g->objects < GEN_OBJECTS) g->object[g->objects++] = o;
}

void kgi_gmatrices(kgi_gen *g) {
  if (!kgi_chance(g, g->focused ? 2 : 5)) return;
  unsigned which = kgi_choose(g, 3);
  if (which != 1) declare(g, ROLE_MATRIX, KG_READ, kgi_choose(g, KINDS));
  if (which != 0) declare(g, ROLE_OWNED, KG_READ_WRITE, kgi_choose(g, KINDS_OWNED));
}

static bool find(kgi_gen *g, kgi_grole role, kgi_gobject *out) {
  const kgi_gobject *o = kgi_gfind(g, role);
  if (o) *out = *o;
  return o != NULL;
}

/* ---- digits ---- */

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

/* The digits of an element, and the loop's index that some of them are. */
typedef struct element { kgi_val at[RANK], j; unsigned rank; } element;

static kgi_val invocation(kgi_gen *g) { return g->guarded ? g->own.v : kgi_id_value(&g->b, KGI_ID_global_id, 0); }

static uint32_t extent_of(const kgi_gen *g, const kgi_gobject *o, unsigned k) {
  return kgi_glength(g, matrices[o->length.k].extent[k]);
}

/* Loaded from a buffer, or any integer at all, and so inside of the extent or wherever it is. */
static kgi_val data(kgi_gen *g, const kgi_gobject *o, unsigned k) {
  kgi_gval x;
  uint32_t extent = extent_of(g, o, k);
  if (!kgi_has(g, KGI_FUZZ_GATHER) || !kgi_gload_int(g, &x)) x = kgi_gint(g, false);
  else kgi_gmade(g, SHAPE_matrix_data);
  if (!extent || kgi_choose(g, 2)) return x.v;
  return word2(g, KGI_OP_rem, kgi_gconvert(g, KG_U32, x).v, extent);
}

static kgi_val negative(kgi_gen *g, kgi_val x) {
  kgi_val less = kgi_i32(&g->b, 1 + (int)kgi_choose(g, 3)), from = kgi_convert(&g->b, KG_I32, x);
  kgi_gmade(g, SHAPE_matrix_negative);
  return kgi_op2(&g->b, KGI_OP_sub, from, less);
}

/* The second part of the invocation's number, or any digit. */
static kgi_val digit(kgi_gen *g, const kgi_gobject *o, kgi_val j, unsigned k) {
  kgi_val i = invocation(g), next;
  uint32_t extent = extent_of(g, o, k);
  switch (kgi_choose(g, 9)) {
  case 0: return i;
  case 1: return word2(g, KGI_OP_div, i, extent ? extent : 1);
  case 2: return word2(g, KGI_OP_rem, i, extent ? extent : 1);
  case 3: return data(g, o, k);
  case 4: return kgi_u32(&g->b, kgi_choose(g, 3));
  case 5:
    next = word2(g, KGI_OP_add, i, 1);
    return kgi_op2(&g->b, KGI_OP_sub, kgi_extent_value(&g->b, o->o, k), next);
  case 6: return kgi_id_value(&g->b, kgi_choose(g, 2) ? KGI_ID_local_id : KGI_ID_global_id, g->width ? 1 : 0);
  case 7: return word2(g, KGI_OP_shr, i, 1);
  default: return j;
  }
}

/* Two of the digits are the quotient and the remainder of the invocation's number, as one extent or another divides it. */
static void divided(kgi_gen *g, const kgi_gobject *o, element *e) {
  unsigned last = e->rank - 1, by = kgi_choose(g, 4) ? last : last - 1;
  uint32_t extent = extent_of(g, o, by);
  kgi_val i = invocation(g);
  e->at[last - 1] = word2(g, KGI_OP_div, i, extent ? extent : 1);
  e->at[last] = word2(g, KGI_OP_rem, i, extent ? extent : 1);
}

static element begin_element(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  element e = {.j = j, .rank = matrices[o->length.k].rank};
  unsigned kind = kgi_choose(g, 6), own = kind == 1 ? 1 : 0;
  kgi_val i = invocation(g);
  for (unsigned k = 0; k < e.rank; k++) e.at[k] = kind == 5 || k > 1 ? digit(g, o, j, k) : j;
  if (kind < 2) e.at[own] = i, kgi_gmade(g, own ? SHAPE_matrix_columns : SHAPE_matrix_rows);
  if (kind == 2) e.at[0] = e.at[1] = i, kgi_gmade(g, SHAPE_matrix_part);
  if (kind == 3) own = kgi_choose(g, 2), e.at[own] = i, e.at[!own] = kgi_u32(&g->b, kgi_choose(g, 2)), kgi_gmade(g, SHAPE_matrix_part);
  if (kind == 4) divided(g, o, &e);
  if (e.rank == RANK) kgi_gmade(g, SHAPE_matrix_solid);
  return e;
}

static kgi_gval load(kgi_gen *g, const kgi_gobject *o, const element *e) {
  kgi_val at = kgi_place(&g->b, o->o, e->at, e->rank);
  kgi_gval x = kgi_gpush(g, kgi_load(&g->b, o->o, at), -2, 2, false);
  return kgi_gconvert(g, g->real, x);
}

static void count(kgi_gen *g, const kgi_gobject *o, const element *e, kgi_obj sum) { kgi_gcount(g, sum, kgi_gbent(g, load(g, o, e))); }

static void count_if(kgi_gen *g, const kgi_gobject *o, const element *e, kgi_obj sum, kgi_val condition) {
  kgi_gstate s;
  kgi_if_begin(&g->b, condition);
  kgi_genter(g, &s);
  count(g, o, e, sum);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

/* ---- loads ---- */

/* One step along a dimension, which may lead out of it. */
static void neighbour(kgi_gen *g, const kgi_gobject *o, element e, kgi_obj sum) {
  unsigned k = kgi_choose(g, e.rank);
  if (kgi_type_of(g->b.p, e.at[k]) != KG_U32) e.at[k] = kgi_convert(&g->b, KG_U32, e.at[k]);
  bool inside = kgi_choose(g, 2), back = kgi_choose(g, 2);
  e.at[k] = word2(g, back ? KGI_OP_sub : KGI_OP_add, e.at[k], 1);
  kgi_gmade(g, inside ? SHAPE_matrix_stencil : SHAPE_matrix_beyond);
  if (inside) count_if(g, o, &e, sum, kgi_op2(&g->b, KGI_OP_lt, e.at[k], kgi_extent_value(&g->b, o->o, k)));
  else count(g, o, &e, sum);
}

/* One less along a dimension and a whole extent more along the next: flat it is the same element, by its digits none. */
static void carry(kgi_gen *g, const kgi_gobject *o, element *e) {
  unsigned k = 1 + kgi_choose(g, e->rank - 1);
  kgi_val extent = kgi_extent_value(&g->b, o->o, k);
  e->at[k - 1] = word2(g, KGI_OP_sub, kgi_convert(&g->b, KG_U32, e->at[k - 1]), 1);
  e->at[k] = kgi_op2(&g->b, KGI_OP_add, kgi_convert(&g->b, KG_U32, e->at[k]), extent);
  kgi_gmade(g, SHAPE_matrix_beyond);
}

static void some_loads(kgi_gen *g, const kgi_gobject *o, kgi_val j, kgi_obj sum) {
  element e = begin_element(g, o, j);
  unsigned kind = kgi_choose(g, 9), k = kgi_choose(g, e.rank);
  if (kind == 5) e.at[k] = data(g, o, k);
  if (kind == 6 && kgi_type_of(g->b.p, e.at[k]) == KG_U32) e.at[k] = negative(g, e.at[k]);
  if (kind == 7) e.at[k] = word2(g, KGI_OP_add, kgi_convert(&g->b, KG_U32, e.at[k]), 2), kgi_gmade(g, SHAPE_matrix_beyond);
  if (kind == 8) carry(g, o, &e);
  if (kind != 4 && kgi_chance(g, 4)) count_if(g, o, &e, sum, word2(g, KGI_OP_lt, invocation(g), 3));
  else if (kind != 4) count(g, o, &e, sum);
  if (kind == 3 || kind == 4) neighbour(g, o, e, sum);
}

/* One loop or none, over as many trips as one of the extents, or fewer, or more. */
static bool begin_loop(kgi_gen *g, const kgi_gobject *o, kgi_gstate *s, kgi_val *j) {
  unsigned k = kgi_choose(g, matrices[o->length.k].rank), kind = kgi_choose(g, 4);
  uint32_t extent = extent_of(g, o, k);
  *j = kgi_u32(&g->b, kgi_choose(g, 3));
  if (kind == 3 || g->trips * (extent + 1) > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  kgi_val to = kind == 2 ? kgi_u32(&g->b, 2) : kgi_extent_value(&g->b, o->o, k);
  bool twice = kind == 1 && kgi_choose(g, 2) && g->trips * extent * 2 <= GEN_TRIPS;
  if (kind == 1) to = word2(g, twice ? KGI_OP_mul : KGI_OP_add, to, twice ? 2 : 1);
  *j = kgi_gfor(g, "j", to, 4);
  kgi_genter_loop(g, s, false, twice ? 2 * extent : extent + 1);
  return true;
}

static bool loads(kgi_gen *g) {
  kgi_gobject o;
  kgi_gstate s;
  kgi_val j;
  if (!find(g, ROLE_MATRIX, &o)) return false;
  kgi_obj sum = kgi_gsum(g);
  bool loop = begin_loop(g, &o, &s, &j);
  some_loads(g, &o, j, sum);
  if (loop) kgi_gexit(g, &s), kgi_end(&g->b);
  kgi_gtotal(g, sum);
  return true;
}

/* ---- in place ---- */

/* The digit that only this invocation has, in all of the program. It may be none of the extent. */
static kgi_val owned(kgi_gen *g, const kgi_gobject *o) {
  kgi_val i = g->own.v;
  switch (o->layout) {
  case 1: return word2(g, KGI_OP_add, i, 1);
  case 2: return word2(g, KGI_OP_sub, i, 1);
  case 3: return kgi_op2(&g->b, KGI_OP_sub, word2(g, KGI_OP_sub, kgi_param_value(&g->b, 1), 1), i);
  case 4: return kgi_convert(&g->b, KG_I32, i);
  default: return i;
  }
}

static element own_element(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  element e = {.j = j, .rank = matrices[o->length.k].rank};
  unsigned owner = matrices[o->length.k].owner, kind = kgi_choose(g, 5);
  for (unsigned k = 0; k < e.rank; k++) {
    e.at[k] = kgi_choose(g, 3) ? j : digit(g, o, j, k);
    if (kind == 3) e.at[k] = word2(g, KGI_OP_add, kgi_convert(&g->b, KG_U32, e.at[k]), 1), kgi_gmade(g, SHAPE_matrix_beyond);
    if (kind == 4) e.at[k] = negative(g, e.at[k]);
  }
  e.at[owner] = owned(g, o);
  if (e.rank == RANK) kgi_gmade(g, SHAPE_matrix_solid);
  return e;
}

/* Element j of the own row, and with it no other's, as the flat index has it. */
static kgi_val flat(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  uint32_t row = extent_of(g, o, 1);
  kgi_val i = kgi_convert(&g->b, KG_U32, owned(g, o)), width = kgi_extent_value(&g->b, o->o, 1);
  i = kgi_op2(&g->b, KGI_OP_mul, i, width);
  j = word2(g, KGI_OP_rem, j, row ? row : 1);
  return kgi_op2(&g->b, KGI_OP_add, i, j);
}

static kgi_val own_index(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  if (matrices[o->length.k].rank == 2 && matrices[o->length.k].owner == 0 && kgi_chance(g, 3)) {
    kgi_gmade(g, SHAPE_matrix_flat);
    return flat(g, o, j);
  }
  element e = own_element(g, o, j);
  return kgi_place(&g->b, o->o, e.at, e.rank);
}

static void change(kgi_gen *g, const kgi_gobject *o, kgi_val j, kgi_obj sum) {
  kgi_val from = own_index(g, o, j), to = kgi_choose(g, 2) ? from : own_index(g, o, j);
  unsigned kind = kgi_choose(g, 4);
  kgi_gval x = kgi_gtame(g);
  if (kind > 1) {
    kgi_gval y = kgi_gconvert(g, g->real, kgi_gpush(g, kgi_load(&g->b, o->o, from), -2, 2, false));
    if (kind == 3) kgi_gcount(g, sum, y);
    x = kgi_gop(g, KGI_OP_sub, (kgi_gval[]){x, kgi_gbent(g, y)}, 2, -4, 4);
  }
  x = kgi_gconvert(g, KG_F32, kgi_gfit(g, kind == 1 ? kgi_gtotal(g, sum) : x, -2, 2));
  bool some = kgi_chance(g, 3);
  if (some) kgi_if_begin(&g->b, kgi_op2(&g->b, kgi_choose(g, 2) ? KGI_OP_le : KGI_OP_ge, j, g->own.v));
  kgi_store(&g->b, o->o, to, x.v);
  if (some) kgi_end(&g->b);
}

static bool in_place(kgi_gen *g) {
  kgi_gobject o;
  kgi_gstate s;
  kgi_val j;
  if (!g->guarded || !find(g, ROLE_OWNED, &o)) return false;
  kgi_obj sum = kgi_gsum(g);
  bool loop = begin_loop(g, &o, &s, &j);
  change(g, &o, j, sum);
  if (kgi_chance(g, 3)) change(g, &o, j, sum);
  if (loop) kgi_gexit(g, &s), kgi_end(&g->b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_matrix_in_place);
  return true;
}

/* ---- vars ---- */

static kgi_obj matrix_var(kgi_gen *g, const uint32_t *side) {
  char name[24];
  kgi_object object = {.space = KGI_VAR, .type = (uint8_t)g->real};
  kgi_dim extent[2] = {kgi_len_int(&g->b, side[0]), {0}};
  extent[1] = kgi_len_int(&g->b, side[1]);
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, "mv", name));
  kgi_set_extents(&g->b, &object, extent, 2);
  return kgi_var_add(&g->b, &object);
}

static void store_var(kgi_gen *g, kgi_obj o, kgi_val i, kgi_val j, kgi_gval x) {
  kgi_val at = kgi_place(&g->b, o, (kgi_val[]){i, j}, 2);
  kgi_store(&g->b, o, at, kgi_gfit(g, x, -2, 2).v);
}

static kgi_gval load_var(kgi_gen *g, kgi_obj o, kgi_val i, kgi_val j) {
  kgi_val at = kgi_place(&g->b, o, (kgi_val[]){i, j}, 2);
  return kgi_gpush(g, kgi_load(&g->b, o, at), -2, 2, false);
}

/* Filled by rows, changed transposed or by neighbours, and loaded again by columns. */
static bool in_var(kgi_gen *g) {
  kgi_gstate s[2];
  uint32_t side[2];
  for (unsigned k = 0; k < 2; k++) side[k] = 2 + kgi_choose(g, 2);
  if (g->trips * 9 > GEN_TRIPS || g->depth + 3 >= GEN_DEPTH) return false;
  kgi_obj o = matrix_var(g, side), sum = kgi_gsum(g);
  for (unsigned pass = 0, passes = 2 + kgi_choose(g, 2); pass < passes; pass++) {
    bool columns = pass && kgi_choose(g, 2);
    kgi_val r = kgi_gfor(g, "r", kgi_u32(&g->b, side[columns]), 4);
    kgi_genter_loop(g, &s[0], false, 3);
    kgi_val c = kgi_gfor(g, "c", kgi_u32(&g->b, side[!columns]), 4);
    kgi_genter_loop(g, &s[1], false, 3);
    kgi_val i = columns ? c : r, j = columns ? r : c;
    if (pass) {
      kgi_val next = word2(g, KGI_OP_add, j, kgi_choose(g, 2)), other = kgi_choose(g, 2) ? i : next;
      kgi_gcount(g, sum, kgi_gbent(g, load_var(g, o, other, other.i == i.i ? next : i)));
    }
    kgi_gval x = pass ? kgi_gbent(g, kgi_gtotal(g, sum)) : kgi_gtame(g);
    if (!pass || kgi_choose(g, 3)) store_var(g, o, i, j, x);
    for (unsigned k = 2; k-- > 0;) kgi_gexit(g, &s[k]), kgi_end(&g->b);
  }
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_matrix_var);
  return true;
}

bool kgi_gshape_of_matrix(kgi_gen *g) {
  switch (kgi_choose(g, 5)) {
  case 0: return in_var(g);
  case 1: case 2: return loads(g) || in_place(g);
  default: return in_place(g) || loads(g);
  }
}

/* ---- tiles ---- */

typedef struct square { kgi_obj o; kgi_val x, y; uint32_t wide, high; } square;

static uint32_t width_of(const kgi_gen *g) {
  if (g->width) return g->size[0];
  uint32_t wide = 1;
  for (uint32_t k = 2; k * k <= g->group; k++)
    if (g->group % k == 0) wide = k;
  return wide;
}

/* A padded row is no wider than a column is loaded: what was not stored must not be. */
static square new_square(kgi_gen *g) {
  char name[24];
  square t = {.wide = width_of(g)};
  t.high = g->group / t.wide;
  kgi_object object = {.space = KGI_SHARED, .type = (uint8_t)g->real};
  bool padded = t.high <= t.wide && kgi_choose(g, 2);
  kgi_dim extent[2] = {kgi_len_int(&g->b, t.high), {0}};
  extent[1] = kgi_len_int(&g->b, t.wide + padded);
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, "square", name));
  kgi_set_extents(&g->b, &object, extent, 2);
  t.o = kgi_object_add(&g->b, &object);
  bool ids = g->width && g->size[2] == 1;
  kgi_val lane = kgi_id_value(&g->b, ids ? KGI_ID_local_id : KGI_ID_local_index, 0);
  t.x = ids ? lane : word2(g, KGI_OP_rem, lane, t.wide);
  t.y = ids ? kgi_id_value(&g->b, KGI_ID_local_id, 1) : word2(g, KGI_OP_div, lane, t.wide);
  return t;
}

/* The lane stores its element, or the one that it would load transposed where there is such a one for each lane. */
static void trip_of_square(kgi_gen *g, const square *t, kgi_obj sum) {
  bool turned = t->wide == t->high && kgi_chance(g, 3);
  kgi_val x = turned ? t->y : t->x, y = turned ? t->x : t->y;
  if (g->loops) kgi_barrier_here(&g->b);
  store_var(g, t->o, y, x, kgi_gtame(g));
  kgi_barrier_here(&g->b);
  kgi_gcount(g, sum, kgi_gbent(g, load_var(g, t->o, t->x, t->y)));
  if (kgi_chance(g, 3)) kgi_gcount(g, sum, load_var(g, t->o, t->y, kgi_u32(&g->b, 0)));
  if (!kgi_chance(g, 4)) return;
  kgi_barrier_here(&g->b);
  store_var(g, t->o, y, x, kgi_gbent(g, load_var(g, t->o, y, x)));
  kgi_barrier_here(&g->b);
  kgi_gcount(g, sum, load_var(g, t->o, t->x, t->y));
}

bool kgi_gshape_of_square(kgi_gen *g) {
  kgi_gstate s;
  bool loop = kgi_choose(g, 2) && g->trips * 2 <= GEN_TRIPS && g->depth + 2 < GEN_DEPTH;
  square t = new_square(g);
  kgi_obj sum = kgi_gsum(g);
  if (loop) {
    kgi_val k = kgi_gfor(g, "k", kgi_u32(&g->b, 2), 4);
    kgi_genter_loop(g, &s, true, 2);
    kgi_gpush(g, k, 0, 1, true);
    g->whole_jumps = false;
  }
  trip_of_square(g, &t, sum);
  if (loop) kgi_gexit(g, &s), kgi_end(&g->b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_matrix_tile);
  return true;
}
