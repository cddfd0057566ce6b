/* Objects: what a program declares, and who may touch which element when. */
#include "fuzz/gen.h"

#include <math.h>
#include <stdio.h>

enum { HOST_LENGTH = 7 };

const char *kgi_gname(kgi_gen *g, const char *base, char out[24]) {
  snprintf(out, 24, "%s%u", base, g->names++);
  return out;
}

/* ---- lengths ---- */

static uint32_t product(const kgi_gen *g, kgi_glen l) {
  kgi_glen extent[3];
  uint32_t all = 1;
  for (unsigned k = 0, rank = kgi_gextents(l, extent); k < rank; k++) all *= kgi_glength(g, extent[k]);
  return all;
}

uint32_t kgi_glength(const kgi_gen *g, kgi_glen l) {
  switch ((kgi_glen_kind)l.kind) {
  case GLEN_CONST: return l.k;
  case GLEN_N: return g->n;
  case GLEN_M: return g->m;
  case GLEN_N_PLUS: return g->n + l.k;
  case GLEN_N_TIMES: return g->n * l.k;
  case GLEN_TILES: return (g->n * g->lanes + l.wide - 1) / l.wide * l.wide * l.k;
  case GLEN_HOST: return HOST_LENGTH;
  case GLEN_MATRIX: return product(g, l);
  case GLEN_MIXED: break;
  }
  switch (l.k) {
  case 0: return g->n > 3 ? g->n : 3;
  case 1: return g->n % 3 + 2;
  case 2: return (g->m < g->n ? g->m : g->n) + 1;
  case 3: return kgi_glength(g, g->object[0].length);
  default: return (g->n + 7 - g->m) / 2;
  }
}

static kgi_dim mixed_dim(kgi_gen *g, unsigned which) {
  kgi_builder *b = &g->b;
  kgi_dim n = kgi_len_param(b, 1), m = kgi_len_param(b, 2), some = {0};
  switch (which) {
  case 0: return kgi_len_op(b, KGI_DIM_MAX, n, kgi_len_int(b, 3));
  case 1:
    some = kgi_len_int(b, 2);
    return kgi_len_op(b, KGI_DIM_ADD, kgi_len_op(b, KGI_DIM_MOD, n, kgi_len_int(b, 3)), some);
  case 2:
    some = kgi_len_int(b, 1);
    return kgi_len_op(b, KGI_DIM_ADD, kgi_len_op(b, KGI_DIM_MIN, m, n), some);
  case 3: return kgi_len_of(b, g->object[0].o); /* the first buffer, which is an input */
  default:
    n = kgi_len_op(b, KGI_DIM_SUB, kgi_len_op(b, KGI_DIM_ADD, n, kgi_len_int(b, 7)), m);
    return kgi_len_op(b, KGI_DIM_DIV, n, kgi_len_int(b, 2));
  }
}

static kgi_dim product_dim(kgi_gen *g, kgi_glen l) {
  kgi_glen extent[3];
  unsigned rank = kgi_gextents(l, extent);
  kgi_dim all = kgi_glength_dim(g, extent[0]);
  for (unsigned k = 1; k < rank; k++) all = kgi_len_op(&g->b, KGI_DIM_MUL, all, kgi_glength_dim(g, extent[k]));
  return all;
}

kgi_dim kgi_glength_dim(kgi_gen *g, kgi_glen l) {
  kgi_builder *b = &g->b;
  kgi_dim n = kgi_len_param(b, 1), k = kgi_len_int(b, l.k), wide = kgi_len_int(b, l.wide);
  switch ((kgi_glen_kind)l.kind) {
  case GLEN_CONST: return k;
  case GLEN_N: return n;
  case GLEN_M: return kgi_len_param(b, 2);
  case GLEN_N_PLUS: return kgi_len_op(b, KGI_DIM_ADD, n, k);
  case GLEN_N_TIMES: return kgi_len_op(b, KGI_DIM_MUL, n, k);
  case GLEN_TILES:
    if (g->lanes > 1) n = kgi_len_op(b, KGI_DIM_MUL, n, kgi_len_int(b, g->lanes));
    n = kgi_len_op(b, KGI_DIM_DIV, kgi_len_op(b, KGI_DIM_ADD, n, kgi_len_int(b, l.wide - 1)), wide);
    return kgi_len_op(b, KGI_DIM_MUL, n, kgi_len_op(b, KGI_DIM_MUL, wide, k));
  case GLEN_MIXED: return mixed_dim(g, l.k);
  case GLEN_MATRIX: return product_dim(g, l);
  case GLEN_HOST: break;
  }
  return (kgi_dim){0};
}

/* The length as a value: len(x), or the param or literal that it is. */
static kgi_val length_value(kgi_gen *g, const kgi_gobject *o) {
  if (o->length.kind == GLEN_HOST || kgi_chance(g, 3)) return kgi_len_value(&g->b, o->o);
  if (o->length.kind == GLEN_N) return kgi_param_value(&g->b, 1);
  if (o->length.kind == GLEN_M) return kgi_param_value(&g->b, 2);
  return (kgi_val){0};
}

/* ---- declarations ---- */

/* One that the table has no room for is declared and never used. */
static void add(kgi_gen *g, kgi_gobject o) {
  if (g->objects < GEN_OBJECTS) g->object[g->objects++] = o;
}

/* The range that an input states. Where integers stay below a param, it says so. */
static void state_range(kgi_gen *g, const kgi_gobject *o, kgi_object *object) {
  kgi_builder *b = &g->b;
  object->ranged = true;
  if (kgi_is_float(o->type)) {
    object->lo = kgi_len_float(b, -1.5), object->hi = kgi_chance(g, 2) ? kgi_len_int(b, 2) : kgi_len_float(b, 1.75);
    return;
  }
  object->lo = kgi_len_int(b, (int64_t)o->lo);
  object->hi = kgi_len_int(b, (int64_t)o->hi + 1);
  if (o->hi + 1 == g->m && kgi_chance(g, 2)) object->hi = kgi_len_param(b, 2);
}

static kgi_obj buffer(kgi_gen *g, const char *base, const kgi_gobject *o) {
  char name[24];
  kgi_object object = {.space = KGI_BUFFER, .type = (uint8_t)o->type, .mode = (uint8_t)o->mode, .scalar = o->scalar};
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, base, name));
  if (!o->scalar) object.length = kgi_glength_dim(g, o->length);
  if (o->role == ROLE_INPUT && (kgi_is_int(o->type) || kgi_chance(g, 6))) state_range(g, o, &object);
  kgi_obj made = kgi_object_add(&g->b, &object);
  kgi_gview_second(g, made, o->role == ROLE_OWN);
  return made;
}

static kg_type storage_type(kgi_gen *g) {
  static const kg_type types[] = {KG_F32, KG_F32, KG_F64, KG_F16, KG_BF16};
  if (!kgi_has(g, KGI_FUZZ_TYPES) || !kgi_chance(g, 3)) return g->real == KG_F16 ? KG_F32 : g->real;
  return types[kgi_choose(g, 5)];
}

static kg_type int_type(kgi_gen *g) {
  static const kg_type types[] = {KG_U32, KG_I32, KG_I64, KG_U64, KG_I8, KG_U8, KG_I16, KG_U16};
  return types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 8 : 2)];
}

static void input(kgi_gen *g) {
  static const kgi_glen lengths[] = {{GLEN_N, 0, 0}, {GLEN_N_PLUS, 1, 0}, {GLEN_M, 0, 0}, {GLEN_N_TIMES, 2, 0},
                                     {GLEN_CONST, 3, 0}, {GLEN_HOST, 0, 0}, {GLEN_MIXED, 0, 0}, {GLEN_CONST, 1, 0}};
  kgi_gobject o = {.role = ROLE_INPUT, .mode = KG_READ, .lo = -2, .hi = 2};
  o.length = lengths[kgi_choose(g, 8)];
  if (o.length.kind == GLEN_MIXED) o.length.k = (uint8_t)kgi_choose(g, 5);
  if (o.length.kind == GLEN_MIXED && o.length.k == 3 && (!g->lone || !g->objects)) o.length.k = 4;
  o.scalar = o.length.kind == GLEN_CONST && o.length.k == 1 && kgi_choose(g, 2) == 0;
  o.type = storage_type(g);
  o.o = buffer(g, "x", &o);
  add(g, o);
}

static void input_ints(kgi_gen *g) {
  kgi_gobject o = {.role = ROLE_INPUT, .mode = KG_READ, .lo = 0};
  o.length = (kgi_glen){kgi_chance(g, 2) ? GLEN_M : GLEN_N, 0, 0};
  o.type = int_type(g);
  o.hi = kgi_choose(g, 2) ? g->m - 1.0 : g->n - 1.0;
  if (o.hi < 1) o.hi = 1;
  if (kgi_chance(g, 4) && o.type != KG_U8 && o.type != KG_U16 && o.type != KG_U32 && o.type != KG_U64) o.lo = -3;
  o.o = buffer(g, "ix", &o);
  add(g, o);
}

void kgi_gstorage(kg_type type, double *lo, double *hi) {
  bool narrow = kgi_type_bits(type) < 32, is_signed = kgi_type_kind_of(type) == KGI_SINT;
  kgi_gwild(kgi_type_value(type), lo, hi);
  if (!narrow) return;
  double half = ldexp(1, (int)kgi_type_bits(type) - 1);
  *lo = is_signed ? -half : 0, *hi = is_signed ? half - 1 : 2 * half - 1;
}

static void bounds_of(kgi_gobject *o, double room) {
  o->lo = -room, o->hi = room;
  if (kgi_is_int(o->type)) kgi_gstorage(o->type, &o->lo, &o->hi);
  if (o->type == KG_BOOL) o->lo = 0, o->hi = 1;
}

static void own(kgi_gen *g, kg_mode mode) {
  kgi_gobject o = {.role = ROLE_OWN, .mode = mode, .lo = -2, .hi = 2, .per = 1};
  if (kgi_chance(g, 3)) o.per = (uint8_t)(1 + kgi_choose(g, 3));
  o.layout = (uint8_t)kgi_choose(g, o.per == 1 ? 4 : 2);
  o.length = o.per == 1 ? (kgi_glen){GLEN_N, 0, 0} : (kgi_glen){GLEN_N_TIMES, o.per, 0};
  o.type = kgi_has(g, KGI_FUZZ_INT) && kgi_chance(g, 4) ? int_type(g) : storage_type(g);
  bounds_of(&o, 2);
  o.o = buffer(g, mode == KG_WRITE ? "y" : "z", &o);
  add(g, o);
}

/* What commutes, so that no order of invocations shows. The last three write one number whoever comes first. */
static uint8_t scattered(kgi_gen *g, kg_type type) {
  static const kgi_atomic ops[] = {KGI_ATOMIC_add, KGI_ATOMIC_max, KGI_ATOMIC_min, KGI_ATOMIC_exchange, KGI_ATOMIC_store,
                                   KGI_ATOMIC_and, KGI_ATOMIC_or,  KGI_ATOMIC_xor, KGI_ATOMIC_compare_exchange};
  return (uint8_t)ops[kgi_choose(g, kgi_is_float(type) ? 5 : 9)];
}

static void scatter(kgi_gen *g, bool integers) {
  static const kg_type types[] = {KG_I32, KG_U32, KG_I64, KG_U64};
  kgi_gobject o = {.role = ROLE_SCATTER, .mode = KG_READ_WRITE, .lo = -1000, .hi = 1000, .type = KG_F32};
  o.length = (kgi_glen){GLEN_CONST, 1, 0};
  if (kgi_chance(g, 2)) o.length.kind = GLEN_N;
  else if (kgi_chance(g, 2)) o.length.kind = GLEN_M;
  else o.scalar = kgi_choose(g, 2);
  if (integers) o.type = types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 4 : 2)];
  else if (kgi_has(g, KGI_FUZZ_WIDE) && kgi_chance(g, 6)) o.type = kgi_choose(g, 2) ? KG_F64 : KG_F16;
  o.layout = KGI_ATOMIC_add;
  if (integers || (kgi_has(g, KGI_FUZZ_RESULTS) && kgi_chance(g, 3))) o.layout = scattered(g, o.type);
  o.o = buffer(g, "acc", &o);
  add(g, o);
}

static void tiles(kgi_gen *g) {
  kgi_gobject o = {.role = ROLE_TILE, .mode = KG_READ_WRITE, .type = KG_F32};
  if (kgi_has(g, KGI_FUZZ_INT) && kgi_chance(g, 4)) o.type = int_type(g);
  bounds_of(&o, 2);
  o.per = (uint8_t)(1 + kgi_choose(g, 2));
  o.length = (kgi_glen){GLEN_TILES, o.per, (uint8_t)g->group};
  o.o = buffer(g, "z", &o);
  add(g, o);
}

/* What only shapes use. */
static void for_shapes(kgi_gen *g) {
  kgi_gobject o = {.type = KG_F32, .mode = KG_READ_WRITE, .lo = -3, .hi = 3, .per = 1};
  unsigned kind = g->focused ? 1 + kgi_choose(g, 5) : kgi_choose(g, 6);
  if (kind == 1 && !g->width && kgi_has(g, KGI_FUZZ_SHARED)) {
    tiles(g);
    return;
  }
  if (kind == 3 && !g->width && kgi_has(g, KGI_FUZZ_SHARED)) {
    o.role = ROLE_SILENT, o.length = (kgi_glen){GLEN_TILES, 1, (uint8_t)g->group};
    if (kgi_choose(g, 2)) o.mode = KG_WRITE;
  } else if ((kind == 4 || kind == 2) && !g->width) {
    o.role = ROLE_STRIDE, o.length = kgi_choose(g, 2) ? (kgi_glen){GLEN_N_PLUS, 3, 0} : (kgi_glen){GLEN_N_TIMES, 2, 0};
  } else if (kind == 5) {
    o.role = ROLE_ONCE, o.mode = KG_READ, o.lo = -2, o.hi = 2;
    o.length = kgi_choose(g, 2) ? (kgi_glen){GLEN_N_TIMES, 2, 0} : (kgi_glen){GLEN_N, 0, 0};
  } else {
    return;
  }
  o.o = buffer(g, "only", &o);
  add(g, o);
}

static kg_type any_type(kgi_gen *g) {
  static const kg_type types[] = {KG_U32, KG_I32, KG_BOOL, KG_F16, KG_I64, KG_U64, KG_F64, KG_BF16, KG_I8, KG_U8, KG_I16, KG_U16,
                                  KG_F32};
  return types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 13 : 3)];
}

static void shared(kgi_gen *g) {
  char name[24];
  kgi_gobject o = {.role = ROLE_TILE, .type = g->real};
  if (kgi_has(g, KGI_FUZZ_INT) && kgi_chance(g, 2)) o.type = any_type(g);
  o.per = (uint8_t)(1 + kgi_choose(g, 2));
  bool floats = o.type == KG_F32 || (kgi_is_float(o.type) && kgi_type_computes(o.type) && kgi_has(g, KGI_FUZZ_WIDE));
  o.atomics = kgi_has(g, KGI_FUZZ_ATOMICS) && (floats || (kgi_is_int(o.type) && kgi_type_bits(o.type) >= 32)) &&
              kgi_chance(g, kgi_is_int(o.type) ? 2 : 3);
  if (kgi_has(g, KGI_FUZZ_WIDE) && kgi_chance(g, 12)) o.type = kgi_choose(g, 2) ? KG_F64 : KG_F16, o.atomics = true;
  o.layout = o.atomics && (kgi_is_int(o.type) || (kgi_has(g, KGI_FUZZ_RESULTS) && kgi_chance(g, 3))) ? scattered(g, o.type)
                                                                                                     : KGI_ATOMIC_add;
  bounds_of(&o, o.atomics ? 200 : 2);
  kgi_dim length = g->spec ? kgi_len_spec(&g->b, g->spec) : kgi_len_int(&g->b, g->group);
  length = kgi_len_op(&g->b, KGI_DIM_MUL, length, kgi_len_int(&g->b, o.per));
  o.o = kgi_shared(&g->b, kgi_gname(g, "s", name), o.type, length);
  add(g, o);
}

void kgi_gdeclare(kgi_gen *g) {
  for (unsigned i = 1 + kgi_choose(g, 3); i > 0; i--) input(g);
  if (kgi_has(g, KGI_FUZZ_GATHER) && kgi_choose(g, 2)) input_ints(g);
  own(g, KG_WRITE);
  if (kgi_chance(g, 3)) own(g, KG_WRITE);
  if (kgi_choose(g, 2)) own(g, KG_READ_WRITE);
  if (kgi_has(g, KGI_FUZZ_ATOMICS) && kgi_chance(g, 3)) scatter(g, false);
  if (kgi_has(g, KGI_FUZZ_INT) && kgi_chance(g, 4)) scatter(g, true);
  if (kgi_has(g, KGI_FUZZ_SHARED) && !g->width && kgi_chance(g, 5)) tiles(g);
  if (kgi_has(g, KGI_FUZZ_SHAPES)) for_shapes(g), kgi_gmatrices(g);
  kgi_gdeclare_rare(g);
  if (kgi_has(g, KGI_FUZZ_SHARED) && kgi_choose(g, 2)) shared(g);
  if (kgi_has(g, KGI_FUZZ_SHARED) && kgi_chance(g, 4)) shared(g);
}

/* A value that an object of this type may hold, as a store takes it. */
static kgi_val content(kgi_gen *g, kg_type type) {
  if (type == KG_BOOL) return kgi_gbool(g, false).v;
  if (kgi_is_int(type)) return kgi_gconvert(g, kgi_type_value(type), kgi_gint(g, false)).v;
  return kgi_gconvert(g, kgi_type_value(type), kgi_gfit(g, kgi_greal(g), -2, 2)).v;
}

static void array_var(kgi_gen *g, kg_type type) {
  char name[24];
  kgi_gobject o = {.role = ROLE_ARRAY, .type = type};
  bounds_of(&o, 4);
  o.length = (kgi_glen){GLEN_CONST, (uint8_t)(2 + kgi_choose(g, 3)), 0};
  kgi_dim length = kgi_len_int(&g->b, o.length.k);
  o.o = kgi_var(&g->b, kgi_gname(g, "a", name), o.type, length);
  for (unsigned i = 0; i < o.length.k; i++) {
    kgi_val value = content(g, type);
    kgi_store(&g->b, o.o, kgi_u32(&g->b, i), value);
  }
  add(g, o);
}

static void scalar_var(kgi_gen *g, kg_type type) {
  char name[24];
  kgi_gobject o = {.role = ROLE_VAR, .type = type};
  bounds_of(&o, 4);
  o.o = kgi_var(&g->b, kgi_gname(g, "v", name), type, (kgi_dim){0});
  kgi_store(&g->b, o.o, (kgi_val){0}, content(g, type));
  add(g, o);
}

static void counter_var(kgi_gen *g) {
  char name[24];
  kgi_gobject o = {.role = ROLE_VAR, .type = KG_U32, .lo = 0, .hi = 15};
  o.o = kgi_var(&g->b, kgi_gname(g, "c", name), o.type, (kgi_dim){0});
  kgi_store(&g->b, o.o, (kgi_val){0}, kgi_gconvert(g, KG_U32, kgi_gbelow(g, 16, (kgi_val){0})).v);
  add(g, o);
}

void kgi_gvar(kgi_gen *g) {
  unsigned kind = kgi_choose(g, kgi_has(g, KGI_FUZZ_INT) ? 10 : 8);
  if (kind == 6) array_var(g, g->real);
  else if (kind == 7) counter_var(g);
  else if (kind == 8) scalar_var(g, any_type(g));
  else if (kind == 9) array_var(g, any_type(g));
  else scalar_var(g, g->real);
}

/* ---- elements ---- */

static kgi_gval id(kgi_gen *g, kgi_id which, unsigned component, double hi, bool uniform) {
  return kgi_gpush(g, kgi_id_value(&g->b, which, component), 0, hi, uniform);
}

static kgi_val times_plus(kgi_gen *g, kgi_val a, unsigned k, kgi_val c) {
  if (k != 1) a = kgi_op2(&g->b, KGI_OP_mul, a, kgi_u32(&g->b, k));
  return c.i ? kgi_op2(&g->b, KGI_OP_add, a, c) : a;
}

/* Which of an invocation's own elements. */
static kgi_val which_own(kgi_gen *g, unsigned per) {
  kgi_gval j;
  if (kgi_gpick(g, KG_U32, false, &j) && j.lo >= 0 && j.hi < per) return j.v;
  return kgi_u32(&g->b, kgi_choose(g, per));
}

static kgi_val own_element(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  kgi_builder *b = &g->b;
  kgi_val i = g->own.v, n = kgi_param_value(b, 1);
  if (o->per > 1 && o->layout == 0) return times_plus(g, i, o->per, j);
  if (o->per > 1) return kgi_op2(b, KGI_OP_add, kgi_op2(b, KGI_OP_mul, j, n), i);
  if (o->layout == 2) return kgi_op2(b, KGI_OP_sub, kgi_op2(b, KGI_OP_sub, n, kgi_u32(b, 1)), i);
  if (o->layout == 3) return kgi_convert(b, KG_I32, i);
  return i;
}

static kgi_gval lane_of(kgi_gen *g) {
  return g->width ? id(g, KGI_ID_local_index, 0, g->group - 1.0, false) : id(g, KGI_ID_local_id, 0, g->group - 1.0, false);
}

/* Element `at` of the workgroup's tile. */
static kgi_val in_tile(kgi_gen *g, const kgi_gobject *o, kgi_val at) {
  if (o->length.kind != GLEN_TILES) return at;
  return times_plus(g, kgi_id_value(&g->b, KGI_ID_workgroup_id, 0), g->group * o->per, at);
}

static kgi_val tile_own(kgi_gen *g, const kgi_gobject *o, kgi_val j) {
  kgi_val at = o->per == 1 ? lane_of(g).v : times_plus(g, lane_of(g).v, o->per, j);
  return in_tile(g, o, at);
}

/* Anywhere in the workgroup's tile. What lies beyond a tile of a buffer is another workgroup's. */
static kgi_val any_in_tile(kgi_gen *g, const kgi_gobject *o) {
  uint32_t count = g->group * o->per;
  kgi_gval at = o->length.kind == GLEN_TILES ? kgi_gbelow(g, count, (kgi_val){0}) : kgi_gindex(g, count, (kgi_val){0});
  return in_tile(g, o, kgi_convert(&g->b, KG_U32, at.v));
}

static bool readable(const kgi_gen *g, const kgi_gobject *o) {
  switch (o->role) {
  case ROLE_INPUT: case ROLE_VAR: case ROLE_ARRAY: return true;
  case ROLE_OWN: return g->guarded && o->mode == KG_READ_WRITE;
  case ROLE_TILE: return o->phase != PHASE_ATOMIC;
  case ROLE_SCATTER: case ROLE_SILENT: case ROLE_STRIDE: case ROLE_ONCE: case ROLE_MATRIX: case ROLE_OWNED: break;
  }
  return false;
}

static kgi_val place(kgi_gen *g, const kgi_gobject *o, bool *uniform) {
  uint32_t length = kgi_glength(g, o->length);
  *uniform = o->scalar;
  if (o->scalar) return (kgi_val){0};
  switch (o->role) {
  case ROLE_VAR: case ROLE_SCATTER: case ROLE_SILENT: case ROLE_STRIDE: case ROLE_ONCE: case ROLE_MATRIX: case ROLE_OWNED: break;
  case ROLE_OWN: return own_element(g, o, which_own(g, o->per));
  case ROLE_TILE:
    if (o->phase == PHASE_OWN) return tile_own(g, o, which_own(g, o->per));
    return any_in_tile(g, o);
  case ROLE_ARRAY: return kgi_gindex(g, length, (kgi_val){0}).v;
  case ROLE_INPUT:
    if (g->guarded && length >= g->n && kgi_choose(g, 2) == 0) return g->own.v;
    if (!length) return kgi_u32(&g->b, 0);
    kgi_gval at = kgi_gindex(g, length, length_value(g, o));
    *uniform = at.uniform;
    return at.v;
  }
  return (kgi_val){0};
}

/* The same index in a wider type, now and then. */
static kgi_val as_index(kgi_gen *g, kgi_val at) {
  static const kg_type types[] = {KG_I64, KG_U64};
  if (!at.i || !kgi_has(g, KGI_FUZZ_TYPES) || !kgi_chance(g, 12)) return at;
  return kgi_convert(&g->b, types[kgi_choose(g, 2)], at);
}

static kgi_gval load(kgi_gen *g, const kgi_gobject *o) {
  bool uniform;
  kgi_gobject object = *o; /* what comes next may move the table's top */
  kgi_val at = as_index(g, place(g, &object, &uniform)), x = kgi_load(&g->b, object.o, at);
  char name[24];
  if (kgi_chance(g, 4)) kgi_name(&g->b, x, kgi_gname(g, "u", name));
  return kgi_gpush(g, x, object.lo, object.hi, uniform && object.role == ROLE_INPUT);
}

static const kgi_gobject *choose_object(kgi_gen *g, bool (*fits)(const kgi_gen *, const kgi_gobject *)) {
  unsigned fit = 0;
  for (unsigned i = 0; i < g->objects; i++) fit += fits(g, &g->object[i]);
  if (!fit) return NULL;
  unsigned skip = kgi_choose(g, fit);
  for (unsigned i = 0; i < g->objects; i++)
    if (fits(g, &g->object[i]) && skip-- == 0) return &g->object[i];
  return NULL;
}

static bool real_source(const kgi_gen *g, const kgi_gobject *o) { return kgi_is_float(o->type) && readable(g, o); }
static bool int_source(const kgi_gen *g, const kgi_gobject *o) {
  return kgi_is_int(o->type) && readable(g, o);
}
static bool bool_source(const kgi_gen *g, const kgi_gobject *o) { return o->type == KG_BOOL && readable(g, o); }

bool kgi_gload(kgi_gen *g, kgi_gval *out) {
  const kgi_gobject *o = choose_object(g, real_source);
  if (o) *out = kgi_gconvert(g, g->real, load(g, o));
  return o != NULL;
}

bool kgi_gload_int(kgi_gen *g, kgi_gval *out) {
  const kgi_gobject *o = choose_object(g, int_source);
  if (!o) return false;
  bool negative = o->lo < 0;
  *out = load(g, o);
  if (out->type != KG_U32 && out->type != KG_I32) *out = kgi_gconvert(g, negative ? KG_I32 : KG_U32, *out);
  return true;
}

bool kgi_gload_bool(kgi_gen *g, kgi_gval *out) {
  const kgi_gobject *o = choose_object(g, bool_source);
  if (o) *out = load(g, o);
  return o != NULL;
}

/* ---- stores ---- */

static bool is_var(const kgi_gen *g, const kgi_gobject *o) { (void)g; return o->role == ROLE_VAR || o->role == ROLE_ARRAY; }
static bool is_own(const kgi_gen *g, const kgi_gobject *o) { return g->guarded && o->role == ROLE_OWN; }
static bool is_scatter(const kgi_gen *g, const kgi_gobject *o) { (void)g; return o->role == ROLE_SCATTER; }
static bool is_tile(const kgi_gen *g, const kgi_gobject *o) { (void)g; return o->role == ROLE_TILE && o->phase != PHASE_READ; }

static kgi_gval op2(kgi_gen *g, kgi_op op, kgi_gval x, kgi_gval y, double lo, double hi) {
  return kgi_gop(g, op, (kgi_gval[]){x, y}, 2, lo, hi);
}

/* The next contents of an element that holds `now`: bounds stay, and what it held counts for less and less. */
static kgi_gval update(kgi_gen *g, kgi_gval now, double most) {
  now = kgi_gconvert(g, g->real, now);
  kgi_gval half = kgi_gliteral(g, g->real, 0.5);
  switch (kgi_choose(g, 6)) {
  case 0: return op2(g, KGI_OP_add, now, kgi_gfit(g, kgi_greal(g), g->loops ? -0.03 : -1, g->loops ? 0.03 : 1), -most, most);
  case 1: return op2(g, KGI_OP_mul, now, kgi_gfit(g, kgi_greal(g), -1, 1), -most, most);
  case 2:
    now = op2(g, KGI_OP_mul, now, half, -most / 2, most / 2);
    return op2(g, KGI_OP_add, now, kgi_gfit(g, kgi_greal(g), -1, 1), -most, most);
  case 3: return op2(g, KGI_OP_max, now, kgi_gfit(g, kgi_greal(g), -most, most), -most, most);
  case 4:
    now = op2(g, KGI_OP_mul, now, now, 0, most * most);
    return op2(g, KGI_OP_mul, now, kgi_gliteral(g, g->real, 0.25), 0, most * most / 4);
  default: return kgi_greal(g);
  }
}

static void store_counter(kgi_gen *g, kgi_gobject o) {
  kgi_gval x = kgi_gbelow(g, 16, (kgi_val){0});
  if (kgi_chance(g, 2)) {
    kgi_gval now = kgi_gpush(g, kgi_load(&g->b, o.o, (kgi_val){0}), o.lo, o.hi, false);
    kgi_gval next = op2(g, KGI_OP_add, now, kgi_gliteral(g, KG_U32, 1 + kgi_choose(g, 5)), 0, 21);
    x = op2(g, KGI_OP_rem, next, kgi_gliteral(g, KG_U32, 16), 0, 15);
  }
  kgi_store(&g->b, o.o, (kgi_val){0}, kgi_gconvert(g, KG_U32, x).v);
}

/* Something new, or what is there, changed. */
static void store_to(kgi_gen *g, const kgi_gobject *o, kgi_val at, bool may_load) {
  kgi_gval x;
  if (!kgi_is_float(o->type)) {
    kgi_store(&g->b, o->o, at, content(g, o->type));
    return;
  }
  if (may_load && kgi_choose(g, 3)) {
    x = kgi_gpush(g, kgi_load(&g->b, o->o, at), o->lo, o->hi, false);
    x = update(g, o->hi > 4 ? kgi_gfit(g, kgi_gconvert(g, g->real, x), -2, 2) : x, 2);
  } else {
    x = kgi_greal(g);
  }
  kgi_store(&g->b, o->o, at, kgi_gconvert(g, kgi_type_value(o->type), kgi_gfit(g, x, -2, 2)).v);
}

bool kgi_gstore_var(kgi_gen *g) {
  const kgi_gobject *found = choose_object(g, is_var);
  bool uniform;
  if (!found) return false;
  kgi_gobject o = *found;
  if (o.role == ROLE_VAR && o.type == KG_U32 && o.hi == 15) store_counter(g, o);
  else store_to(g, &o, as_index(g, place(g, &o, &uniform)), true);
  return true;
}

bool kgi_gstore_own(kgi_gen *g) {
  const kgi_gobject *found = choose_object(g, is_own);
  if (!found) return false;
  kgi_gobject o = *found;
  store_to(g, &o, as_index(g, own_element(g, &o, which_own(g, o.per))), o.mode == KG_READ_WRITE);
  return true;
}

/* ---- atomics ---- */

/* In any order, the same comes of it. */
static void apply_scattered(kgi_gen *g, const kgi_gobject *o, kgi_val at) {
  bool fixed = o->layout == KGI_ATOMIC_exchange || o->layout == KGI_ATOMIC_store || o->layout == KGI_ATOMIC_compare_exchange;
  kgi_val x, with = {0};
  if (fixed) x = kgi_gliteral(g, o->type, 1).v;
  else if (kgi_is_int(o->type)) x = kgi_gconvert(g, o->type, kgi_gint(g, false)).v;
  else x = kgi_gconvert(g, o->type, kgi_gfit(g, kgi_greal(g), -0.25, 0.25)).v;
  if (o->layout == KGI_ATOMIC_compare_exchange) with = kgi_gliteral(g, o->type, 3).v;
  kgi_atomic_op(&g->b, (kgi_atomic)o->layout, o->o, at, x, with);
}

bool kgi_gscatter(kgi_gen *g) {
  const kgi_gobject *found = choose_object(g, is_scatter);
  if (!found) return false;
  kgi_gobject o = *found;
  uint32_t length = kgi_glength(g, o.length);
  kgi_val at = {0};
  if (!o.scalar) at = length ? kgi_gindex(g, length, length_value(g, &o)).v : kgi_u32(&g->b, 0);
  apply_scattered(g, &o, at);
  return true;
}

bool kgi_gtile(kgi_gen *g) {
  const kgi_gobject *found = choose_object(g, is_tile);
  if (!found) return false;
  kgi_gobject o = *found;
  if (o.phase == PHASE_ATOMIC) apply_scattered(g, &o, any_in_tile(g, &o));
  else store_to(g, &o, tile_own(g, &o, which_own(g, o.per)), true);
  return true;
}

/* Elements that nobody else touches now, or that nobody changes. */
static bool takes_atomics(const kgi_gen *g, const kgi_gobject *o) {
  bool real = o->type == KG_F32 || (kgi_is_float(o->type) && kgi_has(g, KGI_FUZZ_WIDE));
  if (!kgi_type_computes(o->type) || o->type == KG_BOOL || (kgi_is_float(o->type) && !real)) return false;
  if (o->role == ROLE_TILE) return o->phase != PHASE_ATOMIC;
  return o->role == ROLE_OWN && g->guarded && o->mode == KG_READ_WRITE;
}

/* Any atomic, its result used: in no other order could it be another. */
bool kgi_gatomic_own(kgi_gen *g, bool value) {
  static const kgi_atomic ops[] = {KGI_ATOMIC_load, KGI_ATOMIC_store, KGI_ATOMIC_exchange, KGI_ATOMIC_min, KGI_ATOMIC_max,
                                   KGI_ATOMIC_add, KGI_ATOMIC_and, KGI_ATOMIC_or, KGI_ATOMIC_xor, KGI_ATOMIC_compare_exchange};
  const kgi_gobject *found = kgi_has(g, KGI_FUZZ_RESULTS) ? choose_object(g, takes_atomics) : NULL;
  if (!found) return false;
  kgi_gobject o = *found;
  kgi_atomic op = ops[kgi_choose(g, kgi_is_float(o.type) ? 5 : 10)];
  bool reads = o.role == ROLE_TILE && o.phase == PHASE_READ;
  if (reads || (value && op == KGI_ATOMIC_store)) op = KGI_ATOMIC_load;
  kgi_val at, x = {0}, with = {0};
  if (reads) at = any_in_tile(g, &o);
  else at = o.role == ROLE_OWN ? own_element(g, &o, which_own(g, o.per)) : tile_own(g, &o, which_own(g, o.per));
  if (op != KGI_ATOMIC_load) x = content(g, o.type);
  if (op == KGI_ATOMIC_compare_exchange) with = content(g, o.type);
  kgi_val was = kgi_atomic_op(&g->b, op, o.o, at, x, with);
  if (was.i) kgi_gpush(g, was, o.lo, o.hi, false);
  return true;
}

/* How random data are drawn says nothing of what a program does; the choices come from the end of the bytes. */
void kgi_gdraws(kgi_gen *g) {
  kgi_scope *s = &g->b.p->scope;
  for (uint32_t i = 1; i < kgi_buffer_end(s); i++) {
    kgi_object *o = &s->object[i];
    bool free_float = kgi_is_float(o->type) && !o->ranged, numbers = o->type != KG_BOOL && !o->scalar;
    bool square = o->rank > 1 && o->extent[o->rank - 1].i == o->extent[o->rank - 2].i;
    unsigned pick = numbers ? kgi_gpick_last(g, 12) : 0;
    if (pick == 1) o->draw = KG_DRAW_ASCENDING;
    if (pick == 2 && free_float) o->draw = square ? KG_DRAW_DEFINITE : KG_DRAW_POSITIVE;
  }
}

/* ---- before and after ---- */

static void prepare(kgi_gen *g, kgi_gobject o) {
  for (unsigned j = 0; j < o.per; j++) {
    kgi_val value = content(g, o.type);
    kgi_store(&g->b, o.o, tile_own(g, &o, kgi_u32(&g->b, j)), value);
  }
}

/* One that is only written is written everywhere. */
static void prepare_silent(kgi_gen *g, kgi_gobject *o) {
  kgi_gobject silent = *o;
  silent.length.kind = GLEN_TILES;
  kgi_val at = tile_own(g, &silent, kgi_u32(&g->b, 0));
  kgi_store(&g->b, o->o, at, content(g, KG_F32));
  o->touched = true;
}

static bool is_shared(const kgi_gobject *o) { return o->role == ROLE_TILE && o->length.kind != GLEN_TILES; }

/* Until it has contents, shared memory is in the phase in which nothing may load it. */
void kgi_gprepare(kgi_gen *g) {
  for (unsigned i = 0; i < g->objects; i++)
    if (is_shared(&g->object[i])) g->object[i].phase = PHASE_ATOMIC;
  for (unsigned i = 0; i < g->objects; i++) {
    if (!is_shared(&g->object[i])) continue;
    prepare(g, g->object[i]);
    g->object[i].phase = PHASE_OWN;
  }
  for (unsigned i = 0; i < g->objects; i++)
    if (g->object[i].role == ROLE_SILENT && g->object[i].mode == KG_WRITE) prepare_silent(g, &g->object[i]);
}

void kgi_gresult(kgi_gen *g) {
  g->result = kgi_gsum(g);
  add(g, (kgi_gobject){.o = g->result, .role = ROLE_VAR, .type = g->real, .lo = -2, .hi = 2});
}

/* Every var counts. */
static kgi_gval gather_vars(kgi_gen *g) {
  kgi_gval sum = kgi_greal(g);
  for (unsigned i = 0; i < g->objects; i++) {
    kgi_gobject o = g->object[i];
    if (o.role != ROLE_VAR || o.type != g->real) continue;
    kgi_gval x = kgi_gpush(g, kgi_load(&g->b, o.o, (kgi_val){0}), o.lo, o.hi, false);
    sum = kgi_gfit(g, op2(g, KGI_OP_add, sum, x, sum.lo + x.lo, sum.hi + x.hi), -4, 4);
  }
  return kgi_gfit(g, sum, -2, 2);
}

void kgi_gfinish(kgi_gen *g) {
  unsigned objects = g->objects;
  kgi_gval all = gather_vars(g);
  for (unsigned i = 0; i < objects; i++) {
    kgi_gobject o = g->object[i];
    if (o.role != ROLE_OWN || o.mode != KG_WRITE) continue;
    for (unsigned j = 0; j < o.per; j++) {
      kgi_val at = own_element(g, &o, kgi_u32(&g->b, j));
      bool counts = g->focused && kgi_is_float(o.type) && (kgi_choose(g, 2) || g->had_rare);
      if (counts) kgi_store(&g->b, o.o, at, kgi_gconvert(g, kgi_type_value(o.type), all).v);
      else store_to(g, &o, at, false);
    }
  }
}
