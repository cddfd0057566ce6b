/* Shapes that one invocation goes through alone, and the choice of shapes. */
#include "fuzz/gen.h"

#include <math.h>

/* ---- what shapes are made of ---- */

static kgi_gval op2(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y, double lo, double hi) {
  return kgi_gop(g, op, (kgi_gval[]){x, y}, 2, lo, hi);
}

static kgi_gval real(kgi_gen *g, double x) { return kgi_gliteral(g, g->real, x); }

kgi_gval kgi_gtame(kgi_gen *g) { return kgi_gfit(g, kgi_greal(g), -2, 2); }

kgi_gval kgi_gbent(kgi_gen *g, kgi_gval x) {
  kgi_gval half = real(g, 0.5), y;
  x = kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2);
  switch (kgi_choose(g, 4)) {
  case 0: return op2(g, KGI_OP_mul, op2(g, KGI_OP_mul, x, x, 0, 4), half, 0, 2);
  case 1:
    y = kgi_gfit(g, kgi_greal(g), -1, 1);
    return op2(g, KGI_OP_mul, x, y, -2, 2);
  case 2:
    y = kgi_gtame(g);
    return op2(g, KGI_OP_max, x, y, -2, 2);
  default:
    y = op2(g, KGI_OP_sub, x, op2(g, KGI_OP_mul, x, x, 0, 4), -6, 2);
    return kgi_gfit(g, y, -2, 2);
  }
}

kgi_obj kgi_gsum(kgi_gen *g) {
  char name[24];
  kgi_obj sum = kgi_var(&g->b, kgi_gname(g, "sum", name), g->real, (kgi_dim){0});
  kgi_gval first = kgi_gtame(g);
  kgi_store(&g->b, sum, (kgi_val){0}, first.v);
  return sum;
}

kgi_gval kgi_gtotal(kgi_gen *g, kgi_obj sum) { return kgi_gpush(g, kgi_load(&g->b, sum, (kgi_val){0}), -2, 2, false); }

void kgi_gcount(kgi_gen *g, kgi_obj sum, kgi_gval x) {
  kgi_gval half = real(g, 0.5), now = kgi_gtotal(g, sum);
  x = kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2);
  x = op2(g, KGI_OP_mul, x, half, -1, 1);
  now = op2(g, KGI_OP_mul, now, half, -1, 1);
  kgi_store(&g->b, sum, (kgi_val){0}, op2(g, KGI_OP_add, now, x, -2, 2).v);
}

kgi_val kgi_gfor(kgi_gen *g, const char *base, kgi_val to, unsigned reversed) {
  char name[24];
  kgi_val from = kgi_u32(&g->b, 0);
  bool back = kgi_chance(g, reversed);
  return kgi_for_begin(&g->b, kgi_gname(g, base, name), from, to, (kgi_val){0}, back);
}

const kgi_gobject *kgi_gfind(kgi_gen *g, kgi_grole role) {
  unsigned fit = 0;
  for (unsigned i = 0; i < g->objects; i++) fit += g->object[i].role == role;
  unsigned skip = kgi_choose(g, fit);
  for (unsigned i = 0; i < g->objects; i++)
    if (g->object[i].role == role && skip-- == 0) return &g->object[i];
  return NULL;
}

/* Floats that are read and written, of one element for each invocation. The first elements with a stride are such, too. */
static bool find_in_place(kgi_gen *g, kgi_gobject *out) {
  for (unsigned i = g->objects; i-- > 0;) {
    const kgi_gobject *o = &g->object[i];
    if ((o->role != ROLE_OWN && o->role != ROLE_STRIDE) || o->mode != KG_READ_WRITE || o->per != 1 || !kgi_is_float(o->type)) continue;
    *out = *o;
    return true;
  }
  return false;
}

/* An input of floats with at least so many elements. */
static bool find_input(kgi_gen *g, uint32_t least, kgi_gobject *out) {
  for (unsigned i = kgi_choose(g, 3), n = 0; n < g->objects; n++) {
    const kgi_gobject *o = &g->object[(i + n) % g->objects];
    if (o->role != ROLE_INPUT || o->scalar || !kgi_is_float(o->type) || kgi_glength(g, o->length) < least) continue;
    *out = *o;
    return true;
  }
  return false;
}

static kgi_gval load(kgi_gen *g, const kgi_gobject *o, kgi_val at) {
  kgi_gval x = kgi_gpush(g, kgi_load(&g->b, o->o, at), o->lo, o->hi, false);
  return kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2);
}

static void store(kgi_gen *g, const kgi_gobject *o, kgi_val at, kgi_gval x) {
  x = kgi_gconvert(g, kgi_type_value(o->type), kgi_gfit(g, x, -2, 2));
  kgi_store(&g->b, o->o, at, x.v);
}

static kgi_val word2(kgi_gen *g, kgi_op op, kgi_val x, uint32_t y) { return kgi_op2(&g->b, op, x, kgi_u32(&g->b, y)); }

/* ---- in place ---- */

/* A param, or part of one, as a bound: now and then by parts that wrap around, to the same value or to one that is larger by 2^31. */
static kgi_val bound_of(kgi_gen *g, kgi_val x) {
  if (!kgi_chance(g, 3)) return x;
  kgi_gmade(g, SHAPE_param_wraps);
  unsigned kind = kgi_choose(g, 4);
  switch (kind) {
  case 0: return word2(g, KGI_OP_mul, word2(g, KGI_OP_mul, x, 0xAAAAAAAB), 3);
  case 1: return word2(g, KGI_OP_add, word2(g, KGI_OP_sub, x, 100), 100);
  default: return word2(g, KGI_OP_add, word2(g, KGI_OP_mul, x, 0x80000001), (kind - 2) << 31);
  }
}

static kgi_val which_elements(kgi_gen *g, kgi_val at, kgi_gval x, unsigned kind) {
  kgi_builder *b = &g->b;
  kgi_val n = kgi_param_value(b, 1);
  if (kind == 0) return kgi_op2(b, KGI_OP_lt, x.v, real(g, 0).v);
  if (kind == 1) return kgi_op2(b, KGI_OP_lt, at, bound_of(g, word2(g, KGI_OP_div, n, 2)));
  kgi_val bit = word2(g, KGI_OP_and, at, 1 + kgi_choose(g, 2));
  return word2(g, KGI_OP_eq, bit, 0);
}

/* What depends on x linearly, or not at all, needs no tape. */
static kgi_gval next_in_place(kgi_gen *g, kgi_gval x) {
  unsigned kind = kgi_choose(g, 4);
  if (kind < 2) return real(g, kind);
  return kind == 2 ? op2(g, KGI_OP_mul, x, real(g, -0.5), -1, 1) : kgi_gbent(g, x);
}

/* if x[i] < 0 { x[i] = 0 } and its like. */
static bool in_place(kgi_gen *g) {
  kgi_gobject o;
  if (!g->guarded || !find_in_place(g, &o)) return false;
  unsigned kind = kgi_choose(g, 3);
  kgi_gmark mark = kgi_gscope(g);
  if (kind == 0 && !kgi_has(g, KGI_FUZZ_FLOAT_BRANCH)) kind = 1;
  kgi_val at = o.layout == 2 ? kgi_op2(&g->b, KGI_OP_sub, word2(g, KGI_OP_sub, kgi_param_value(&g->b, 1), 1), g->own.v) : g->own.v;
  kgi_gval x = load(g, &o, at);
  kgi_if_begin(&g->b, which_elements(g, at, x, kind));
  kgi_gstate s;
  kgi_genter(g, &s);
  if (kgi_chance(g, 4)) kgi_gstore_own(g);
  store(g, &o, at, next_in_place(g, x));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  if (kgi_choose(g, 4)) kgi_gleave(g, mark); /* often nothing else depends on what was there */
  kgi_gmade(g, kind == 0 ? SHAPE_in_place_sign : kind == 1 ? SHAPE_in_place_half : SHAPE_in_place_some);
  if (!g->lone) kgi_gmade(g, SHAPE_in_place_runs);
  return true;
}

/* for j in global_id.x .. the length step the number of invocations */
static kgi_val begin_stride(kgi_gen *g, const kgi_gobject *o) {
  kgi_builder *b = &g->b;
  char name[24];
  kgi_val size = kgi_id_value(b, KGI_ID_workgroup_size, 0), to = kgi_len_value(b, o->o);
  kgi_val all = kgi_op2(b, KGI_OP_mul, kgi_id_value(b, KGI_ID_num_workgroups, 0), size);
  kgi_val from = kgi_id_value(b, KGI_ID_global_id, 0);
  bool back = kgi_chance(g, 4);
  return kgi_for_begin(b, kgi_gname(g, "j", name), from, to, all, back);
}

static bool in_place_stride(kgi_gen *g) {
  const kgi_gobject *found = kgi_gfind(g, ROLE_STRIDE);
  if (!found || g->trips * 4 > GEN_TRIPS || g->groups[0] == 0) return false;
  kgi_gobject o = *found;
  kgi_gstate s;
  bool some = kgi_choose(g, 3) != 0, late = some && kgi_choose(g, 2);
  unsigned kind = kgi_has(g, KGI_FUZZ_FLOAT_BRANCH) && kgi_chance(g, 6) ? 0 : 1 + kgi_choose(g, 2);
  kgi_obj sum = kgi_chance(g, 3) ? kgi_gsum(g) : (kgi_obj){0};
  kgi_val at = begin_stride(g, &o);
  kgi_genter_loop(g, &s, false, 4);
  kgi_gval x = load(g, &o, at);
  if (sum.i && !late) kgi_gcount(g, sum, kgi_gbent(g, x));
  if (some) kgi_if_begin(&g->b, which_elements(g, at, x, kind));
  if (sum.i && late) kgi_gcount(g, sum, kgi_gbent(g, x));
  store(g, &o, at, next_in_place(g, x));
  if (some) kgi_end(&g->b);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  if (sum.i) kgi_gtotal(g, sum);
  kgi_gmade(g, some ? SHAPE_in_place_stride : SHAPE_in_place_whole);
  return true;
}

/* ---- few elements, many accesses ---- */

static kgi_gobject new_array(kgi_gen *g, unsigned length) {
  char name[24];
  kgi_gobject o = {.role = ROLE_ARRAY, .type = g->real, .lo = -2, .hi = 2, .per = (uint8_t)length};
  kgi_dim size = kgi_len_int(&g->b, length);
  o.o = kgi_var(&g->b, kgi_gname(g, "few", name), g->real, size);
  for (unsigned k = 0; k < length; k++) {
    kgi_gval x = kgi_gtame(g);
    store(g, &o, kgi_u32(&g->b, k), x);
  }
  return o;
}

/* Element j of the array, or of the invocation's own. */
static kgi_val element(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  if (o->role == ROLE_ARRAY) return j;
  if (o->layout == 0) return kgi_op2(&g->b, KGI_OP_add, word2(g, KGI_OP_mul, g->own.v, o->per), j);
  return kgi_op2(&g->b, KGI_OP_add, kgi_op2(&g->b, KGI_OP_mul, j, kgi_param_value(&g->b, 1)), g->own.v);
}

static kgi_gobject several_elements(kgi_gen *g) {
  for (unsigned i = 0; g->guarded && kgi_choose(g, 2) && i < g->objects; i++) {
    const kgi_gobject *o = &g->object[i];
    if (o->role == ROLE_OWN && o->mode == KG_READ_WRITE && o->per > 1 && kgi_is_float(o->type)) return *o;
  }
  return new_array(g, 2 + kgi_choose(g, 3));
}

static bool dense(kgi_gen *g) {
  kgi_gobject o = several_elements(g);
  bool many = g->trips == 1 && kgi_chance(g, 12);
  for (unsigned n = many ? 40 : 4 + kgi_choose(g, 6); n > 0; n--) {
    kgi_val a = element(g, &o, kgi_u32(&g->b, kgi_choose(g, o.per))), b = element(g, &o, kgi_u32(&g->b, kgi_choose(g, o.per)));
    kgi_gval x = load(g, &o, a);
    if (kgi_choose(g, 2)) x = op2(g, KGI_OP_sub, x, load(g, &o, b), -4, 4);
    if (kgi_chance(g, 3)) kgi_gtame(g);
    store(g, &o, b, kgi_choose(g, 2) ? kgi_gfit(g, x, -2, 2) : kgi_gbent(g, kgi_gfit(g, x, -2, 2)));
  }
  load(g, &o, element(g, &o, kgi_u32(&g->b, 0)));
  kgi_gmade(g, many ? SHAPE_many_stores : SHAPE_dense);
  return true;
}

/* a[j + 1] = f(a[j], a[j + 1]), or the other way round. */
static bool scan(kgi_gen *g) {
  kgi_gobject o = several_elements(g);
  if (o.per < 2 || g->trips * o.per > GEN_TRIPS) return false;
  char name[24];
  bool back = kgi_chance(g, 3), up = kgi_choose(g, 3) != 2;
  kgi_gstate s;
  kgi_val last = kgi_u32(&g->b, o.per - 1u);
  kgi_val first = kgi_u32(&g->b, 0), j = kgi_for_begin(&g->b, kgi_gname(g, "j", name), first, last, (kgi_val){0}, back);
  kgi_genter_loop(g, &s, false, o.per);
  kgi_val next = word2(g, KGI_OP_add, j, 1), from = element(g, &o, up ? j : next), to = element(g, &o, up ? next : j);
  kgi_gval x = load(g, &o, from), half = real(g, 0.5);
  x = op2(g, KGI_OP_mul, kgi_gbent(g, x), half, -1, 1);
  if (kgi_choose(g, 3)) x = op2(g, KGI_OP_add, x, op2(g, KGI_OP_mul, load(g, &o, to), half, -1, 1), -2, 2);
  store(g, &o, to, x);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  load(g, &o, element(g, &o, kgi_u32(&g->b, up ? o.per - 1u : 0)));
  kgi_gmade(g, back ? SHAPE_scan_back : SHAPE_scan);
  return true;
}

/* ---- loops over one range ---- */

/* What a row holds is gone through two or three times, each time with what came of the one before. */
static bool passes(kgi_gen *g) {
  kgi_gobject o;
  uint32_t wide = g->guarded && kgi_choose(g, 2) ? 2 : 0, count = wide ? wide : 3;
  if (!find_input(g, wide ? 2 * g->n : 3, &o) || g->trips * 3 > GEN_TRIPS) return false;
  kgi_obj sum = kgi_gsum(g);
  for (unsigned n = 2 + kgi_choose(g, 2); n > 0; n--) {
    kgi_gstate s;
    kgi_gval before = kgi_gtotal(g, sum);
    kgi_val j = kgi_gfor(g, "j", kgi_u32(&g->b, count), 8);
    kgi_genter_loop(g, &s, false, 3);
    kgi_val at = wide ? kgi_op2(&g->b, KGI_OP_add, word2(g, KGI_OP_mul, g->own.v, wide), j) : j;
    kgi_gval x = op2(g, KGI_OP_sub, load(g, &o, at), before, -4, 4);
    kgi_gcount(g, sum, kgi_gbent(g, kgi_gfit(g, x, -2, 2)));
    if (kgi_chance(g, 4)) kgi_gstore_var(g);
    if (kgi_chance(g, 4)) kgi_gstore_own(g);
    kgi_gexit(g, &s);
    kgi_end(&g->b);
  }
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_passes);
  return true;
}

/* ---- one load of a buffer ---- */

static kgi_gshape_id once_in_loop(kgi_gen *g, kgi_gobject *o, kgi_obj sum) {
  kgi_gstate s;
  kgi_val two = kgi_u32(&g->b, 2), n = kgi_param_value(&g->b, 1);
  bool wide = o->length.kind == GLEN_N_TIMES;
  unsigned kind = kgi_choose(g, wide ? 4 : 1);
  kgi_val j = kgi_gfor(g, "j", two, 4);
  kgi_genter_loop(g, &s, false, 2);
  kgi_val at = g->own.v;
  if (kind == 1) at = kgi_op2(&g->b, KGI_OP_add, word2(g, KGI_OP_mul, at, 2), j);
  if (kind == 2) at = kgi_op2(&g->b, KGI_OP_add, at, kgi_op2(&g->b, KGI_OP_mul, j, n));
  if (kind == 3) at = kgi_op2(&g->b, KGI_OP_add, at, j);
  kgi_gcount(g, sum, kgi_gbent(g, load(g, o, at)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  return kind ? SHAPE_once_loop : SHAPE_once_repeated;
}

static kgi_gshape_id once_in_part(kgi_gen *g, kgi_gobject *o, kgi_obj sum) {
  kgi_gstate s;
  kgi_val at = g->own.v, n = kgi_param_value(&g->b, 1);
  unsigned kind = kgi_choose(g, 4);
  kgi_val less = kind == 0 ? word2(g, KGI_OP_div, n, 2) : kind == 1 ? kgi_param_value(&g->b, 2) : kind == 2 ? kgi_u32(&g->b, 3) : n;
  if (o->length.kind == GLEN_N_TIMES && kgi_choose(g, 2)) at = word2(g, KGI_OP_mul, at, 2);
  kgi_if_begin(&g->b, kgi_op2(&g->b, KGI_OP_lt, g->own.v, kind == 2 ? less : bound_of(g, less)));
  kgi_genter(g, &s);
  kgi_gcount(g, sum, kgi_gbent(g, load(g, o, at)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  return kind == 3 && o->length.kind == GLEN_N ? SHAPE_once_all : SHAPE_once_guarded;
}

static bool once(kgi_gen *g) {
  for (unsigned i = 0; g->guarded && i < g->objects; i++) {
    if (g->object[i].role != ROLE_ONCE || g->object[i].touched) continue;
    g->object[i].touched = true;
    kgi_gobject o = g->object[i];
    kgi_obj sum = kgi_gsum(g);
    kgi_gmade(g, g->trips <= GEN_TRIPS / 2 && kgi_choose(g, 2) ? once_in_loop(g, &o, sum) : once_in_part(g, &o, sum));
    kgi_gtotal(g, sum);
    return true;
  }
  return false;
}

/* ---- indices ---- */

/* Below n, of i below n. */
static kgi_val index_of(kgi_gen *g, kgi_val i, unsigned kind) {
  kgi_builder *b = &g->b;
  kgi_val n = kgi_param_value(b, 1), last = word2(g, KGI_OP_sub, n, 1);
  switch (kind) {
  case 0: return kgi_op2(b, KGI_OP_sub, last, i);
  case 1: return word2(g, KGI_OP_shr, word2(g, KGI_OP_shl, i, 1), 1);
  case 2: return word2(g, KGI_OP_mul, word2(g, KGI_OP_mul, i, 0xAAAAAAAB), 3); /* i */
  case 3: return word2(g, KGI_OP_div, i, 2);
  case 4: return word2(g, KGI_OP_and, i, 0xFFFFFFFE);
  case 5: return kgi_op2(b, KGI_OP_min, word2(g, KGI_OP_add, i, 1), last);
  case 6: return kgi_op2(b, KGI_OP_sub, i, word2(g, KGI_OP_rem, i, 2));
  case 7: return kgi_op2(b, KGI_OP_rem, word2(g, KGI_OP_mul, i, 3), n);
  case 8: return word2(g, KGI_OP_mul, word2(g, KGI_OP_mul, i, 0x10000), 0x10000); /* 0 */
  case 9: return word2(g, KGI_OP_shr, word2(g, KGI_OP_shl, i, 31), 31); /* i & 1 */
  default: return word2(g, KGI_OP_add, word2(g, KGI_OP_mul, i, 0x80000000), 0x80000000); /* 0 or 2^31 */
  }
}

static kgi_gshape_id kind_of_index(unsigned kind) {
  return kind < 3 ? SHAPE_index_apart : kind < 8 ? SHAPE_index_shared : SHAPE_index_wraps;
}

/* Behind a branch, or a loop, that not all take: the same for the workgroup by its looks. */
static kgi_val diverged(kgi_gen *g, uint32_t length) {
  kgi_builder *b = &g->b;
  char name[24];
  kgi_val none = {0};
  kgi_obj c = kgi_var(b, kgi_gname(g, "c", name), KG_U32, (kgi_dim){0});
  kgi_store(b, c, none, kgi_u32(b, 0));
  if (kgi_choose(g, 2)) {
    kgi_if_begin(b, kgi_gbool(g, false).v);
    kgi_store(b, c, none, kgi_u32(b, 1));
  } else {
    kgi_gval to = kgi_gbelow(g, 3, none);
    to = kgi_gconvert(g, KG_U32, to);
    kgi_gfor(g, "j", to.v, 0);
    kgi_store(b, c, none, word2(g, KGI_OP_add, kgi_load(b, c, none), 1));
  }
  kgi_end(b);
  return word2(g, KGI_OP_rem, kgi_load(b, c, none), length);
}

static bool indices(kgi_gen *g) {
  kgi_gobject o;
  unsigned kind = kgi_choose(g, 13);
  if (kind < 11 ? !g->guarded || !find_input(g, g->n ? g->n : 1, &o) : !find_input(g, 1, &o)) return false;
  if (kind == 10 && kgi_glength(g, o.length) < 2) return false;
  kgi_val at = kind < 11 ? index_of(g, g->own.v, kind) : diverged(g, kgi_glength(g, o.length));
  if (kind == 10) at = word2(g, KGI_OP_shr, at, 31);
  kgi_gval x = load(g, &o, at);
  if (kgi_chance(g, 3) && g->guarded && kgi_glength(g, o.length) >= g->n) x = op2(g, KGI_OP_sub, x, load(g, &o, g->own.v), -4, 4);
  kgi_gbent(g, kgi_gfit(g, x, -2, 2));
  kgi_gmade(g, kind < 11 ? kind_of_index(kind) : SHAPE_index_diverged);
  return true;
}

static bool many_loads(kgi_gen *g) {
  kgi_gobject o;
  if (g->trips > 2 || kgi_choose(g, 4) != 1 || !find_input(g, 2, &o)) return false;
  uint32_t length = kgi_glength(g, o.length);
  kgi_val i = g->guarded ? g->own.v : kgi_id_value(&g->b, KGI_ID_global_id, 0);
  kgi_gval sum = real(g, 0), scale = real(g, 0x1p-8);
  for (unsigned k = 0; k < 66; k++) {
    kgi_val at = word2(g, KGI_OP_rem, word2(g, KGI_OP_add, i, k), length);
    kgi_gval x = load(g, &o, at);
    x = op2(g, KGI_OP_mul, op2(g, KGI_OP_mul, x, x, 0, 4), scale, 0, 0x1p-6);
    sum = op2(g, KGI_OP_add, sum, x, 0, 0x1p-6 * (k + 1));
  }
  kgi_gmade(g, SHAPE_many_loads);
  return true;
}

/* ---- values ---- */

/* u32(f32(a)) of a negative number is 0, and i32(f32(a)) of a large one the largest. */
static bool through_float(kgi_gen *g) {
  static const kg_type floats[] = {KG_F32, KG_F64, KG_F16};
  bool types = kgi_has(g, KGI_FUZZ_TYPES), wide = types && kgi_chance(g, 4), large = kgi_chance(g, 3);
  kg_type from = large ? (wide ? KG_U64 : KG_U32) : wide ? KG_I64 : KG_I32;
  kg_type to = large ? (kgi_choose(g, 2) ? KG_I32 : from == KG_U64 ? KG_I64 : KG_I32) : kgi_chance(g, 4) && types ? KG_U64 : KG_U32;
  kg_type over = floats[types ? kgi_choose(g, 3) : 0];
  if (over == KG_F16 && large) over = KG_F32; /* it would be infinite */
  kgi_gval x = kgi_gconvert(g, from, kgi_gbelow(g, 8, (kgi_val){0}));
  x = large ? op2(g, KGI_OP_sub, kgi_gliteral(g, from, wide ? -1.0 : 4294967295.0), x, 0, 0x1p64)
            : op2(g, KGI_OP_sub, x, kgi_gliteral(g, from, 4), -4, 3);
  kgi_gval y = kgi_gconvert(g, over, x);
  double top = to == KG_I64 ? 0x1p63 - 1 : 0x7FFFFFFF;
  y = kgi_gpush(g, kgi_convert(&g->b, to, y.v), 0, large ? top : 3, y.uniform);
  kgi_gval bits = op2(g, KGI_OP_and, y, kgi_gliteral(g, to, 3), 0, 3);
  kgi_gval by = kgi_gfit(g, kgi_greal(g), -1, 1);
  op2(g, KGI_OP_mul, kgi_gconvert(g, g->real, bits), by, -3, 3);
  kgi_gmade(g, large ? SHAPE_large_through_float : SHAPE_negative_through_float);
  return true;
}

static void over_var(kgi_gen *g, const kgi_gobject *o, kgi_obj sum) {
  kgi_gstate s;
  kgi_val j = kgi_gfor(g, "j", kgi_len_value(&g->b, o->o), 4);
  kgi_genter_loop(g, &s, false, 4);
  if (sum.i) kgi_gcount(g, sum, kgi_gbent(g, load(g, o, j)));
  else store(g, o, j, kgi_gbent(g, load(g, o, j)));
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

/* Declared in a loop, or not. */
static bool length_of_var(kgi_gen *g) {
  bool in_loop = kgi_choose(g, 2);
  if (g->trips * 8 > GEN_TRIPS || g->depth + 2 >= GEN_DEPTH) return false;
  kgi_obj sum = kgi_gsum(g);
  kgi_gstate s;
  if (in_loop) {
    kgi_val j = kgi_gfor(g, "k", kgi_u32(&g->b, 2), 4);
    kgi_genter_loop(g, &s, false, 2);
    kgi_gpush(g, j, 0, 1, false);
  }
  kgi_gobject o = new_array(g, 2 + kgi_choose(g, 2));
  over_var(g, &o, (kgi_obj){0});
  over_var(g, &o, sum);
  if (in_loop) kgi_gexit(g, &s), kgi_end(&g->b);
  kgi_gtotal(g, sum);
  kgi_gmade(g, SHAPE_len_of_var);
  return true;
}

/* f(2^e x) 2^-e' stays near 1, whatever e is: so does its derivative by x. */
static bool magnitudes(kgi_gen *g) {
  static const int powers[] = {-20, 20, -60, 60, -70, 70, -100, 100};
  static const kgi_op ops[] = {KGI_OP_atan2, KGI_OP_log, KGI_OP_log2, KGI_OP_asinh, KGI_OP_div};
  if (!kgi_has(g, KGI_FUZZ_WIDE) || !kgi_has(g, KGI_FUZZ_FUNCTIONS) || g->real == KG_F16) return false;
  kgi_op op = ops[kgi_choose(g, 5)];
  int e = powers[kgi_choose(g, 8)];
  kgi_gmark mark = kgi_gscope(g); /* what is so large is no value for others */
  if (op == KGI_OP_asinh && e < 0) e = -e;
  kgi_gval x = kgi_gfit(g, kgi_greal(g), 0.5, 2), y = kgi_gfit(g, kgi_greal(g), 0.5, 2), scale = real(g, ldexp(1, e));
  x = op2(g, KGI_OP_mul, x, scale, ldexp(0.5, e), ldexp(2, e)), y = op2(g, KGI_OP_mul, y, scale, ldexp(0.5, e), ldexp(2, e));
  kgi_gval z = op == KGI_OP_atan2 || op == KGI_OP_div ? op2(g, op, x, y, 0.2, 4) : kgi_gop(g, op, &x, 1, -120, 120);
  kgi_gleave(g, mark);
  kgi_gpush(g, z.v, z.lo, z.hi, z.uniform);
  kgi_gmade(g, SHAPE_magnitudes);
  return true;
}

static bool silent_var(kgi_gen *g) {
  char name[24];
  kgi_obj v = kgi_var(&g->b, kgi_gname(g, "q", name), g->real, (kgi_dim){0});
  for (unsigned n = 1 + kgi_choose(g, 2); n > 0; n--) {
    kgi_gval x = kgi_gtame(g);
    kgi_store(&g->b, v, (kgi_val){0}, x.v);
  }
  kgi_gmade(g, SHAPE_silent_var);
  return true;
}

/* ---- which ---- */

/* With an object that is there for it. */
static bool with_object(kgi_gen *g, bool together) {
  for (unsigned i = 0; i < g->objects; i++) {
    const kgi_gobject *o = &g->object[i];
    if (o->role == ROLE_STRIDE) return g->guarded && kgi_choose(g, 2) ? in_place(g) : in_place_stride(g);
    if ((o->role == ROLE_MATRIX || o->role == ROLE_OWNED) && kgi_choose(g, 2)) return kgi_gshape_of_matrix(g);
    if (o->role == ROLE_ONCE && g->guarded && !o->touched) return once(g);
    if (together && (o->role == ROLE_SILENT || (o->role == ROLE_TILE && o->length.kind == GLEN_TILES))) return kgi_gshape_of_object(g);
  }
  return g->guarded && kgi_choose(g, 2) && in_place(g);
}

static bool any_shape(kgi_gen *g) {
  static bool (*const alone[])(kgi_gen *) = {in_place, dense, scan, passes, indices, many_loads, through_float,
                                            length_of_var, magnitudes, silent_var, indices, kgi_gshape_of_calls,
                                            kgi_gshape_of_matrix, kgi_gshape_of_matrix, kgi_gshape_of_matrix};
  bool together = g->uniform && !g->guarded && kgi_has(g, KGI_FUZZ_SHARED);
  if (kgi_choose(g, 3) == 1 && with_object(g, together)) return true;
  if (together && kgi_choose(g, 4)) return kgi_gshape_of_workgroup(g);
  return alone[kgi_choose(g, sizeof alone / sizeof *alone)](g);
}

void kgi_gcount_newest(kgi_gen *g) {
  unsigned i = g->values;
  while (i > 0 && g->value[i - 1].type != g->real) i--;
  if (g->result.i && i) kgi_gcount(g, g->result, g->value[i - 1]);
}

/* Not every one may stand everywhere. */
bool kgi_gshape(kgi_gen *g) {
  if (!kgi_has(g, KGI_FUZZ_SHAPES) || !kgi_has(g, KGI_FUZZ_FLOW)) return false;
  for (unsigned tries = 0; tries < 3; tries++)
    if (any_shape(g)) return kgi_gcount_newest(g), true;
  return false;
}
