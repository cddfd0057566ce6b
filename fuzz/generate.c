/* Whole programs, and modules of them. */
#include "fuzz/generate.h"
#include "foundation/base/random.h"
#include "foundation/ir/bits.h"
#include "fuzz/gen.h"

#include <math.h>

enum { PARAM_SCALE = 3, PARAM_K = 4, PROGRAMS = 3, MODULE_BUFFERS = 64 };

/* ---- params and constants ---- */

static void param(kgi_gen *g, const char *name, kg_type type, uint64_t bits) {
  kgi_param_add(&g->b, &(kgi_param){.name = kgi_intern_z(g->b.m, name), .type = (uint8_t)type, .has_default = true, .bits = bits});
}

static void params(kgi_gen *g) {
  float scale = 0.75f;
  uint32_t bits;
  __builtin_memcpy(&bits, &scale, sizeof bits);
  param(g, "n", KG_U32, g->n);
  param(g, "m", KG_U32, g->m);
  param(g, "scale", KG_F32, bits);
  param(g, "k", KG_U32, 1);
}

/* More params and constants, of any type. */
static const kg_type scalar_types[] = {KG_I32, KG_F32, KG_BOOL, KG_U32, KG_F64, KG_I64, KG_F16, KG_U64};

static kg_type scalar_type(kgi_gen *g, double *value) {
  kg_type type = scalar_types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 8 : 4)];
  *value = kgi_is_float(type) ? 0.25 * kgi_choose(g, 8) - 1 : type == KG_BOOL ? kgi_choose(g, 2) : kgi_choose(g, 6);
  return type;
}

static uint64_t scalar_bits(kg_type type, double value) {
  return kgi_is_float(type) ? kgi_float_bits(type, value) : (uint64_t)value;
}

static void more_scalars(kgi_gen *g) {
  kgi_builder *b = &g->b;
  char name[24];
  double x;
  for (unsigned i = kgi_chance(g, 3) ? 1 + kgi_choose(g, 2) : 0; i > 0; i--) {
    kg_type type = scalar_type(g, &x);
    kgi_param p = {.name = kgi_intern_z(b->m, kgi_gname(g, "p", name)), .type = (uint8_t)type, .has_default = true};
    p.bits = scalar_bits(type, x);
    p.ranged = type != KG_BOOL && kgi_chance(g, 3);
    if (p.ranged) p.lo = kgi_len_int(b, -1), p.hi = kgi_is_float(type) ? kgi_len_float(b, 1.5) : kgi_len_int(b, 8);
    if (p.ranged && !kgi_is_float(type)) p.lo = kgi_len_int(b, 0);
    kgi_gpush(g, kgi_param_value(b, kgi_param_add(b, &p)), x, x, true);
  }
  if (!kgi_chance(g, 4)) return;
  kg_type type = scalar_type(g, &x);
  uint32_t spec = kgi_spec_add(b, &(kgi_spec){.name = kgi_intern_z(b->m, kgi_gname(g, "C", name)), .type = (uint8_t)type,
                                              .bits = scalar_bits(type, x)});
  kgi_gpush(g, kgi_spec_value(b, spec), x, x, true);
}

/* ---- the grid ---- */

static uint32_t groups_of(uint32_t count, uint32_t size) { return (count + size - 1) / size; }

static kgi_dim invocations(kgi_gen *g) {
  kgi_dim n = kgi_len_param(&g->b, 1);
  return g->lanes == 1 ? n : kgi_len_op(&g->b, KGI_DIM_MUL, n, kgi_len_int(&g->b, g->lanes));
}

static kgi_dim groups_dim(kgi_gen *g, uint32_t size) {
  kgi_builder *b = &g->b;
  kgi_dim rest = kgi_len_int(b, size - 1), sum = kgi_len_op(b, KGI_DIM_ADD, invocations(g), rest);
  return kgi_len_op(b, KGI_DIM_DIV, sum, kgi_len_int(b, size));
}

/* Rows of a width, and sheets of a height of rows. */
static void sheets(kgi_gen *g) {
  static const uint8_t sides[][3] = {{2, 2, 1}, {4, 2, 1}, {1, 3, 1}, {2, 2, 2}, {1, 2, 3}, {3, 1, 2}};
  kgi_builder *b = &g->b;
  kgi_program *p = b->p;
  unsigned dims = 2 + kgi_choose(g, 2), pick = kgi_choose(g, 3) + (dims == 3 ? 3 : 0);
  uint32_t count[3] = {2 + kgi_choose(g, 4), 1, 1};
  if (dims == 3) count[1] = 1 + kgi_choose(g, 3);
  g->width = count[0], g->height = dims == 3 ? count[1] : 0;
  bool all = dims == 2 && g->rare == RARE_stencil; /* n rows */
  count[dims - 1] = groups_of(g->n, all ? 1 : dims == 3 ? g->width * g->height : g->width);
  g->group = 1;
  for (unsigned d = 0; d < 3; d++) {
    g->size[d] = sides[pick][d], g->groups[d] = groups_of(count[d], g->size[d]), g->group *= g->size[d];
    if (d < dims) p->workgroup[d] = kgi_len_int(b, g->size[d]);
    if (d + 1 < dims) p->grid[d] = kgi_len_int(b, count[d]);
  }
  p->grid[dims - 1] = all ? kgi_len_param(b, 1) : groups_dim(g, dims == 3 ? g->width * g->height : g->width);
}

static void workgroup(kgi_gen *g) {
  static const uint8_t sizes[] = {4, 8, 3, 1, 16, 5, 2, 32};
  kgi_builder *b = &g->b;
  kgi_program *p = b->p;
  g->width = g->height = g->spec = 0;
  p->grid_is_invocations = true;
  if (kgi_chance(g, 5) && g->rare <= RARE_stencil) {
    sheets(g);
    return;
  }
  unsigned pick = kgi_choose(g, 8);
  g->group = g->size[0] = g->rare == RARE_common ? 8u << pick % 3 : sizes[pick]; /* lanes add up for one another where there are enough */
  g->size[1] = g->size[2] = g->groups[1] = g->groups[2] = 1;
  g->groups[0] = groups_of(g->n * g->lanes, g->group);
  if (kgi_chance(g, 3))
    g->spec = kgi_spec_add(b, &(kgi_spec){.name = kgi_intern_z(b->m, "T"), .type = KG_U32, .bits = g->group});
  p->workgroup[0] = g->spec ? kgi_len_spec(b, g->spec) : kgi_len_int(b, g->group);
  p->grid[0] = invocations(g);
  if (!kgi_chance(g, g->rare >= RARE_stencil ? 8 : 4)) return;
  p->grid_is_invocations = false;
  p->grid[0] = groups_dim(g, g->group);
}

/* ---- what is known without a guard ---- */

static void identity(kgi_gen *g, kgi_id which, unsigned c) {
  double groups = g->groups[c], size = g->size[c], lo = 0, hi = 127;
  bool uniform = false;
  switch (which) {
  case KGI_ID_global_id: hi = groups * size - 1; break;
  case KGI_ID_local_id: hi = size - 1; break;
  case KGI_ID_workgroup_id: hi = groups - 1, uniform = true; break;
  case KGI_ID_num_workgroups: lo = hi = groups, uniform = true; break;
  case KGI_ID_workgroup_size: lo = hi = size, uniform = true; break;
  case KGI_ID_local_index: hi = g->group - 1.0; break;
  case KGI_ID_subgroup_size: lo = 1, hi = 128, uniform = true; break;
  case KGI_ID_subgroup_id: hi = g->group - 1.0; break;
  case KGI_ID_num_subgroups: lo = 1, hi = g->group, uniform = true; break;
  case KGI_ID_subgroup_lane: case KGI_ID_COUNT: break;
  }
  kgi_gpush(g, kgi_id_value(&g->b, which, c), lo, fmax(lo, hi), uniform);
}

/* In rows, lanes of a subgroup are the device's to choose. */
static bool knows_lanes(const kgi_gen *g) {
  return kgi_has(g, KGI_FUZZ_SUBGROUP) && (!g->width || kgi_has(g, KGI_FUZZ_DIVERGED));
}

static void leaves(kgi_gen *g) {
  kgi_builder *b = &g->b;
  for (unsigned i = kgi_choose(g, 4); i > 0; i--) {
    unsigned which = kgi_choose(g, KGI_ID_local_index + 1);
    identity(g, (kgi_id)which, kgi_choose(g, kgi_id_rows[which].components));
  }
  if (g->spec) kgi_gpush(g, kgi_spec_value(b, g->spec), g->group, g->group, true);
  kgi_gpush(g, kgi_param_value(b, PARAM_K), 0, 5, true);
  kgi_gpush(g, kgi_param_value(b, 1), g->n, g->n, true);
  kgi_gpush(g, kgi_param_value(b, 2), g->m, g->m, true);
  identity(g, KGI_ID_workgroup_id, 0);
  identity(g, KGI_ID_local_index, 0);
  identity(g, KGI_ID_global_id, 0);
  if (knows_lanes(g)) {
    identity(g, KGI_ID_subgroup_size, 0), identity(g, KGI_ID_subgroup_lane, 0);
    identity(g, KGI_ID_subgroup_id, 0), identity(g, KGI_ID_num_subgroups, 0);
  }
  kgi_gconvert(g, g->real, kgi_gpush(g, kgi_param_value(b, PARAM_SCALE), -1.5, 1.5, true));
}

/* ---- one program ---- */

static void final(kgi_gen *g) {
  bool early = kgi_has(g, KGI_FUZZ_JUMPS) && kgi_chance(g, 3);
  unsigned statements = 3 + kgi_choose(g, 12);
  kgi_gshape_rare(g);
  if (g->focused && kgi_choose(g, 2)) kgi_gshape(g);
  if (!early) kgi_gblock(g, statements);
  kgi_gfinish(g);
  g->returns = early;
  if (early) kgi_gblock(g, statements);
  g->returns = false;
}

static void program(kgi_gen *g, const char *name, unsigned budget) {
  if (!kgi_begin_program(&g->b, name)) return;
  g->values = g->objects = 0;
  g->uniform = true, g->guarded = g->jumps = g->returns = false;
  g->whole_jumps = g->left = false;
  g->depth = g->loops = 0, g->trips = 1;
  g->budget = (int)budget;
  g->real = KG_F32;
  if (kgi_has(g, KGI_FUZZ_TYPES) && kgi_chance(g, 8)) g->real = kgi_chance(g, 2) ? KG_F16 : KG_F64;
  params(g);
  more_scalars(g);
  kgi_gpick_rare(g);
  workgroup(g);
  kgi_gdeclare(g);
  leaves(g);
  kgi_gprepare(g);
  g->result = (kgi_obj){0};
  if (g->focused) kgi_gresult(g);
  for (unsigned i = kgi_choose(g, 3); i > 0; i--) kgi_gvar(g);
  if (g->rare && (g->rare <= RARE_lanes || g->rare >= RARE_stencil || kgi_gpick_last(g, 2))) kgi_gshape_rare(g);
  if (g->focused) kgi_gblock(g, kgi_choose(g, 3)), kgi_gshape(g);
  kgi_gblock(g, kgi_choose(g, kgi_has(g, KGI_FUZZ_SHARED) ? 12 : 4));
  bool early = kgi_has(g, KGI_FUZZ_JUMPS) && kgi_chance(g, 6);
  kgi_gguard(g, final, early);
  if (!g->left && kgi_chance(g, 12)) kgi_barrier_here(&g->b);
  if (kgi_has(g, KGI_FUZZ_JUMPS) && kgi_chance(g, 12)) kgi_return_here(&g->b);
  kgi_gviews_program(g);
  if (g->lone) kgi_gdraws(g);
  kgi_end_program(&g->b);
}

/* ---- modules ---- */

typedef struct bound {
  uint32_t object;
  kgi_gobject like;
  bool filled;     /* it has contents that may be read */
  uint32_t item;   /* the run that uses it now, and ... */
  bool written;    /* ... whether it writes it */
} bound;

typedef struct work {
  kgi_gen *g;
  bound buffer[MODULE_BUFFERS];
  unsigned buffers;
  kgi_gobject object[PROGRAMS][GEN_OBJECTS]; /* of each program: its buffers, in order */
  unsigned objects[PROGRAMS];
  bool rows[PROGRAMS]; /* of each program: its grid is that of one dimension */
} work;

static bool same_shape(const kgi_gobject *a, const kgi_gobject *b) {
  return a->type == b->type && a->length.kind == b->length.kind && a->length.k == b->length.k && a->length.wide == b->length.wide &&
         a->lo == b->lo && a->hi == b->hi && a->scalar == b->scalar && a->length.kind != GLEN_HOST;
}

static bool may_bind(const bound *m, const kgi_gobject *o, uint32_t item) {
  bool writes = o->mode != KG_READ;
  if (m->item == item && (writes || m->written)) return false;
  if (!same_shape(&m->like, o) || (writes && m->like.mode == KG_READ)) return false;
  if (o->mode != KG_WRITE && (!m->filled || m->like.mode == KG_WRITE)) return false;
  if (o->role == ROLE_SCATTER || m->like.role == ROLE_SCATTER) return o->role == m->like.role && o->layout == m->like.layout;
  return true;
}

/* A repeat may have no trips: what it alone writes must have contents without it. */
static kg_mode new_mode(kgi_gen *g, const kgi_gobject *o, bool in_repeat) {
  if (o->mode != KG_WRITE) return o->mode;
  if (in_repeat) return KG_READ_WRITE;
  return kgi_choose(g, 2) == 0 ? KG_WRITE : kgi_choose(g, 2) == 0 ? KG_TEMP : KG_READ_WRITE;
}

static bound *declare(work *w, const kgi_gobject *o, bool in_repeat) {
  kgi_gen *g = w->g;
  char name[24];
  bound *m = &w->buffer[w->buffers++];
  *m = (bound){.like = *o, .filled = o->mode != KG_WRITE};
  m->like.mode = new_mode(g, o, in_repeat);
  kgi_object object = {.space = KGI_BUFFER, .type = (uint8_t)o->type, .mode = (uint8_t)m->like.mode};
  object.name = kgi_intern_z(g->b.m, kgi_gname(g, "b", name));
  object.scalar = o->scalar;
  if (!o->scalar) object.length = kgi_glength_dim(g, o->length);
  if (kgi_is_int(o->type) && o->mode == KG_READ) {
    object.ranged = true;
    object.lo = kgi_len_int(&g->b, (int64_t)o->lo), object.hi = kgi_len_int(&g->b, (int64_t)o->hi + 1);
  }
  m->object = kgi_object_add(&g->b, &object).i;
  return m;
}

static bound *find(work *w, const kgi_gobject *o, uint32_t item, bool in_repeat) {
  unsigned fit = 0;
  for (unsigned i = 0; i < w->buffers; i++) fit += may_bind(&w->buffer[i], o, item);
  unsigned skip = kgi_choose(w->g, fit + 1);
  for (unsigned i = w->buffers; i-- > 0;)
    if (may_bind(&w->buffer[i], o, item) && skip-- == 0) return &w->buffer[i];
  return w->buffers < MODULE_BUFFERS ? declare(w, o, in_repeat) : NULL;
}

static void run(work *w, unsigned which, uint32_t repeat) {
  kgi_gen *g = w->g;
  kgi_builder *b = &g->b;
  uint32_t item = kgi_run_begin(b, which + 1);
  for (unsigned i = 0; i < w->objects[which]; i++) {
    const kgi_gobject *o = &w->object[which][i];
    bound *m = find(w, o, item, repeat != 0);
    if (!m) return;
    m->written = o->mode != KG_READ || (m->item == item && m->written);
    m->item = item;
    kgi_run_bind_buffer(b, item, i + 1, m->object);
  }
  /* What it writes may be read from the next run on. */
  for (unsigned i = 0; i < w->buffers; i++) w->buffer[i].filled |= w->buffer[i].item == item;
  kgi_run_bind_param(b, item, 1, kgi_len_param(b, 1));
  kgi_run_bind_param(b, item, 2, kgi_len_param(b, 2));
  if (kgi_choose(g, 2)) kgi_run_bind_param(b, item, PARAM_SCALE, kgi_len_float(b, kgi_chance(g, 2) ? -1.25 : 0.5));
  if (repeat && kgi_choose(g, 3))
    kgi_run_bind_param(b, item, PARAM_K, kgi_dim_leaf(&b->m->arena, &b->m->scope, KGI_DIM_INDEX, repeat));
  if (w->rows[which] && kgi_chance(g, 3)) {
    b->m->item[item].grid[0] = kgi_len_param(b, 1);
    b->m->item[item].grid_is_invocations = true;
  }
  kgi_item_append(b, repeat, item);
}

/* Its index stays below what PARAM_K promises. */
static uint32_t repeat(work *w, const char *index, uint32_t parent, unsigned most) {
  kgi_gen *g = w->g;
  unsigned trips = kgi_choose(g, most + 1), step = kgi_chance(g, 4) ? 2 : 1;
  kgi_dim to = trips == 3 && g->m <= 5 ? kgi_len_param(&g->b, 2) : kgi_len_int(&g->b, trips * step);
  kgi_dim by = step == 1 ? (kgi_dim){0} : kgi_len_int(&g->b, step);
  bool reversed = kgi_chance(g, 3);
  uint32_t item = kgi_repeat_begin(&g->b, index, kgi_len_int(&g->b, 0), to, by, reversed);
  kgi_item_append(&g->b, parent, item);
  return item;
}

static void order_of_work(work *w, unsigned programs) {
  kgi_gen *g = w->g;
  for (unsigned i = 0; i < programs; i++) run(w, i, 0);
  if (kgi_choose(g, 2)) {
    bool nested = kgi_chance(g, 4);
    uint32_t outer = repeat(w, "round", 0, nested ? 2 : 3);
    for (unsigned i = 1 + kgi_choose(g, 2); i > 0; i--) run(w, kgi_choose(g, programs), outer);
    uint32_t inner = nested ? repeat(w, "turn", outer, 2) : 0;
    if (nested) run(w, kgi_choose(g, programs), inner);
  }
  if (kgi_chance(g, 3)) run(w, kgi_choose(g, programs), 0);
}

static void several(kgi_gen *g, unsigned budget) {
  work *w = kgi_arena_alloc(&g->b.m->arena, 1, sizeof *w);
  unsigned programs = 1 + kgi_choose(g, PROGRAMS);
  if (!w) return;
  w->g = g;
  g->b.m->name = kgi_intern_z(g->b.m, "random");
  param(g, "n", KG_U32, g->n);
  param(g, "m", KG_U32, g->m);
  for (unsigned i = 0; i < programs; i++) {
    char name[24];
    program(g, kgi_gname(g, "step", name), budget / 2);
    w->rows[i] = !g->width;
    for (unsigned k = 0; k < g->objects; k++)
      if (g->object[k].role <= ROLE_TILE && (g->object[k].role != ROLE_TILE || g->object[k].length.kind == GLEN_TILES))
        w->object[i][w->objects[i]++] = g->object[k];
  }
  order_of_work(w, programs);
  if (g->b.status == KG_OK) kgi_gviews_module(g);
  if (g->b.status == KG_OK) kgi_gslices_module(g);
}

/* ---- */

static void sizes(kgi_gen *g) {
  static const uint8_t n[] = {5, 4, 9, 13, 4, 7, 16, 6, 5, 3, 11, 2, 8, 17, 1, 0}, m[] = {3, 4, 2, 5, 3, 4, 2, 1};
  g->n = n[kgi_choose(g, 16)];
  g->m = m[kgi_choose(g, 8)];
}

kg_status kgi_fuzz_generate(const kgi_fuzz_params *params, kgi_diags *diags, kg_module **out) {
  kg_module *module = kgi_module_new(params->alloc, "random.kg");
  kgi_gen *g = kgi_alloc(params->alloc, sizeof *g);
  unsigned budget = params->statements;
  if (!module || !g) {
    kg_module_free(module);
    kgi_free(params->alloc, g, sizeof *g);
    return KG_NO_MEMORY;
  }
  *g = (kgi_gen){.at = params->bytes, .end = params->bytes + params->size, .features = params->features};
  kgi_builder_init(&g->b, module, diags);
  kgi_gviews_begin(g, params->bytes, params->size);
  g->focused = kgi_has(g, KGI_FUZZ_SHAPES) && kgi_choose(g, 5) >= 3;
  if (!budget) budget = g->focused ? 4 + kgi_choose(g, 12) : 8 + kgi_choose(g, 68);
  sizes(g);
  g->lone = !kgi_has(g, KGI_FUZZ_MODULES) || !kgi_chance(g, 4);
  if (!g->lone) several(g, budget);
  else program(g, "random", budget), g->b.status == KG_OK ? kgi_module_finish_lone(module) : (void)0;
  kg_status status = kgi_builder_status(&g->b);
  if (params->shapes) *params->shapes = g->shapes;
  kgi_free(params->alloc, g, sizeof *g);
  if (status == KG_OK) *out = module;
  else kg_module_free(module);
  return status;
}

/* ---- bytes and data ---- */

void kgi_fuzz_bytes(uint64_t seed, uint8_t *bytes, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; i++) {
    word = i % 8 ? word >> 8 : kgi_random(&seed);
    bytes[i] = (uint8_t)word;
  }
}

static double wild(uint64_t pick, double x) {
  static const double edges[] = {0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 0x1p-149, -0x1p-140, 0x1p-126,
                                 0x1.fffffep127, -0x1p127, 1e-30, 1e30};
  enum { EDGES = sizeof edges / sizeof *edges };
  return pick % 3 ? x : edges[pick / 3 % EDGES];
}

uint64_t kgi_fuzz_stream(const kg_module *m, uint32_t buffer, uint64_t seed) {
  uint64_t name = 0;
  for (const char *c = kgi_string(m, m->scope.object[buffer + 1].name); *c; c++) name = name * 131 + (unsigned char)*c;
  return (seed & ~KGI_FUZZ_WILD) + name * UINT64_C(0xD1342543DE82EF95);
}

double kgi_fuzz_element(const kg_module *m, uint32_t buffer, double lo, double hi, uint64_t seed, uint64_t stream, uint64_t k) {
  const kgi_object *o = &m->scope.object[buffer + 1];
  uint64_t state = stream + k * UINT64_C(0xA0761D6478BD642F);
  double unit = kgi_random_between(&state, 0, 1);
  if (kgi_is_float(o->type)) {
    double x = -1.5 + 3 * unit;
    x = stream % 2 ? rint(x * 4) / 4 : x;
    /* A generated program states no range that has not all of these; of a range that somebody wrote neither end. */
    if (o->ranged && (x < lo || x >= hi) && isfinite(hi - lo)) return lo + (1 + 30 * unit) / 32 * (hi - lo);
    return seed & KGI_FUZZ_WILD && !o->ranged ? wild(kgi_random(&state), x) : x;
  }
  return o->ranged ? floor(lo + unit * (hi - lo)) : floor(unit * 16);
}

double kgi_fuzz_data(const kg_module *m, uint32_t buffer, double lo, double hi, uint64_t seed, uint64_t k) {
  return kgi_fuzz_element(m, buffer, lo, hi, seed, kgi_fuzz_stream(m, buffer, seed), k);
}
