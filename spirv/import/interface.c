/* The objects of columns: buffers and params, shared memory, vars; and what they are called. */
#include "spirv/import/import.h"
#include "foundation/text/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_BESIDE = 16, LONGEST = 200 };

/* ---- names ---- */

static bool is_taken(kgi_import *im, const char *name) {
  const kgi_scope *s = &im->b.p->scope;
  for (uint32_t i = 1; i < s->spec_count; i++)
    if (!strcmp(kgi_string(im->b.m, s->spec[i].name), name)) return true;
  return kgi_find_object(im->b.m, s, name) || kgi_find_param(im->b.m, s, name);
}

const char *kgi_im_fresh_name(kgi_import *im, const char *wanted) {
  char *name = kgi_arena_alloc(im->arena, LONGEST + 16, 1);
  if (!name || !im->b.p) return "";
  size_t n = 0;
  if (*wanted >= '0' && *wanted <= '9') name[n++] = '_';
  for (; *wanted && n < LONGEST; wanted++) {
    bool fits = (*wanted >= 'a' && *wanted <= 'z') || (*wanted >= 'A' && *wanted <= 'Z') || (*wanted >= '0' && *wanted <= '9');
    if (fits) name[n++] = *wanted;
    else if (n && name[n - 1] != '_') name[n++] = '_';
  }
  if (!n) name[n++] = 'v';
  if (!kgi_legal_name(name)) name[n++] = '_';
  for (unsigned k = 2; is_taken(im, name); k++) snprintf(name + n, 16, "_%u", k);
  return name;
}

static bool is_memory_of_host(const kgi_im_variable *v) {
  return v->class == SpvStorageClassStorageBuffer || v->class == SpvStorageClassUniform || v->class == SpvStorageClassPushConstant;
}

static const char *variable_name(kgi_import *im, const kgi_im_column *c) {
  const char *called = im->variable[c->variable].called;
  return called ? called : kgi_im_name_of(im, c->variable, KGI_IM_NONE);
}

/* Members at the end of the path: as many as tell it from others; of a buffer with a single column its own name. */
static const char *wanted_name(kgi_import *im, const kgi_im_column *c) {
  const kgi_im_variable *v = &im->variable[c->variable];
  const char *own = variable_name(im, c);
  if (*own && (!c->steps || (v->storage && v->columns == 1))) return own;
  if (!c->steps) return "v";
  if (*c->path[c->steps - 1] || *own) return *c->path[c->steps - 1] ? c->path[c->steps - 1] : own;
  return is_memory_of_host(v) ? v->storage ? "data" : "p" : "v";
}

static const char *plain_name(kgi_import *im, const kgi_im_column *c, const char *suffix) {
  char text[LONGEST + 1];
  snprintf(text, sizeof text, "%s%s", wanted_name(im, c), suffix);
  char *plain = kgi_arena_strdup(im->arena, text, strlen(text));
  return plain ? plain : "";
}

static const char *longer_name(kgi_import *im, const kgi_im_column *c, const char *suffix) {
  char text[LONGEST + 1] = "", *at = text;
  const char *own = variable_name(im, c), *plain = plain_name(im, c, suffix);
  if (!is_taken(im, plain)) return plain;
  for (uint32_t k = *own ? 0 : 1; k <= c->steps; k++) {
    const char *step = k ? c->path[k - 1] : own;
    if (!*step || !strncmp(step, "__", 2)) continue; /* a compiler made the latter up */
    at += snprintf(at, sizeof text - (size_t)(at - text), "%s%s", at == text ? "" : "_", step);
    if (at >= text + LONGEST) break;
  }
  if (at == text) return plain;
  if (at < text + LONGEST) snprintf(at, sizeof text - (size_t)(at - text), "%s", suffix);
  char *longer = kgi_arena_strdup(im->arena, text, strlen(text));
  return longer ? longer : "";
}

static bool is_vector_level(const kgi_im_column *c, uint32_t k) {
  return k + 1 == c->depth && c->count[k] >= 2 && c->count[k] <= 4;
}

/* What tells one part of a column from the others: pos_x, w_3, m_0_1. */
static void suffix_of(const kgi_im_column *c, uint64_t part, char out[64]) {
  size_t n = 0;
  uint64_t below = 1;
  *out = 0;
  for (uint32_t k = 0; k < c->depth; k++) below *= c->split >> k & 1 ? c->count[k] : 1;
  for (uint32_t k = 0; k < c->depth && n < 48; k++) {
    if (!(c->split >> k & 1)) continue;
    below /= c->count[k];
    uint64_t index = part / below % c->count[k];
    if (is_vector_level(c, k) && n == 0) n += (size_t)snprintf(out + n, 64 - n, "_%c", "xyzw"[index]);
    else n += (size_t)snprintf(out + n, 64 - n, "_%u", (unsigned)index);
  }
}

/* ---- which objects a column has ---- */

static uint64_t parts_of(const kgi_im_column *c, uint8_t split) {
  uint64_t parts = 1;
  for (uint32_t k = 0; k < c->depth; k++)
    if (split >> k & 1) parts *= c->count[k];
  return parts;
}

static uint8_t all_levels(const kgi_im_column *c) { return (uint8_t)((1u << c->depth) - 1); }

static bool holds_others_than(kgi_import *im, const kgi_im_variable *v, kg_type type) {
  bool others = false;
  for (uint32_t k = 0; k < v->columns && !others; k++) {
    const kgi_im_column *c = &im->column[v->first + k];
    others = kgi_im_scalar_in(im, c).memory != type && !kgi_im_is_nothing(im, c->scalar);
  }
  return others;
}

/* Of its variable, or of another one over the same memory. */
static bool has_other_types(kgi_import *im, const kgi_im_column *c) {
  const kgi_im_variable *v = &im->variable[c->variable];
  kg_type type = kgi_im_scalar_in(im, c).memory;
  for (uint32_t i = 0; i < im->variable_count && kgi_im_fine(im); i++) {
    const kgi_im_variable *other = &im->variable[kgi_im_at(im, im->variables_at[i]).result];
    bool placed = v->storage && other->storage && other->set == v->set && other->binding == v->binding;
    if ((other == v || (other->described && placed)) && holds_others_than(im, other, type)) return true;
  }
  return false;
}

/* The innermost levels that no index of the program chooses among, as many as make at most that many objects. */
static uint8_t may_split(const kgi_im_column *c, uint64_t most) {
  uint8_t split = 0;
  for (uint32_t k = c->depth; k-- > 0;) {
    bool fixed = !(c->dynamic >> k & 1) && c->count[k] && !c->length[k];
    if (fixed && parts_of(c, split) * c->count[k] <= most) split |= (uint8_t)(1u << k);
  }
  return split;
}

/* Arrays of a buffer stay flat, as the host has them, unless others lie between their elements. Large ones are then rows, where they
 * can be. */
static void decide(kgi_import *im, kgi_im_column *c) {
  const kgi_im_variable *v = &im->variable[c->variable];
  bool rows = v->storage && c->crowd && has_other_types(im, c);
  uint8_t split = im->first_walk ? 0 : may_split(c, rows ? MOST_BESIDE : MOST_PARTS);
  bool all = split == all_levels(c);
  c->as_params = !im->first_walk && is_memory_of_host(v) && !v->storage && all;
  c->split = is_memory_of_host(v) && !c->as_params && !c->crowd ? 0 : split;
}

static uint32_t gcd(uint32_t a, uint32_t b) { return b ? gcd(b, a % b) : a; }

static kgi_dim level_length(kgi_import *im, const kgi_im_column *c, uint32_t k) {
  return c->length[k] ? kgi_im_dim(im, c->length[k]) : kgi_len_int(&im->b, c->count[k]);
}

/* How many elements a flat view of the column has. */
static kgi_dim flat_length(kgi_import *im, const kgi_im_column *c) {
  kgi_dim last = kgi_len_int(&im->b, 0);
  for (uint32_t k = 0; k < c->depth; k++) {
    if (c->split >> k & 1) continue;
    if (!c->length[k] && !c->count[k]) return (kgi_dim){0};
    kgi_dim most = level_length(im, c, k);
    most = kgi_len_op(&im->b, KGI_DIM_SUB, most, kgi_len_int(&im->b, 1));
    most = kgi_len_op(&im->b, KGI_DIM_MUL, most, kgi_len_int(&im->b, kgi_im_factor(c, k)));
    last = kgi_len_op(&im->b, KGI_DIM_ADD, last, most);
  }
  return kgi_len_op(&im->b, KGI_DIM_ADD, last, kgi_len_int(&im->b, 1));
}

static uint32_t part_offset(const kgi_im_column *c, uint64_t part) {
  uint32_t offset = c->offset;
  for (uint32_t k = c->depth; k-- > 0;) {
    if (!(c->split >> k & 1)) continue;
    offset += (uint32_t)(part % c->count[k]) * c->stride[k];
    part /= c->count[k];
  }
  return offset;
}

static uint32_t add_object(kgi_import *im, uint32_t index) {
  if (!kgi_arena_grow(im->arena, &im->object, im->object_count, &im->object_cap, sizeof *im->object)) return 0;
  im->object[im->object_count] = (kgi_obj){index};
  return im->object_count++;
}

/* Another param is read from some of those bytes: two variables may lie over one block. */
static bool is_taken_by_param(const kgi_import *im, const kgi_param *p, uint32_t size) {
  const kgi_scope *s = &im->b.p->scope;
  for (uint32_t i = 1; i < s->param_count; i++) {
    const kgi_param *q = &s->param[i];
    bool together = q->placed && q->pushed == p->pushed && q->set == p->set && q->binding == p->binding;
    if (together && q->offset < p->offset + size && p->offset < q->offset + kgi_type_bits(q->type) / 8) return true;
  }
  return false;
}

/* Where the host has it, if its bytes are what the param is. */
static void place_param(const kgi_import *im, const kgi_im_column *c, uint64_t part, kgi_im_scalar s, kgi_param *p) {
  const kgi_im_variable *v = &im->variable[c->variable];
  uint32_t size = s.bits / 8;
  *p = (kgi_param){.name = p->name, .type = (uint8_t)s.value, .offset = part_offset(c, part)};
  p->pushed = v->class == SpvStorageClassPushConstant;
  if (!p->pushed) p->set = v->set, p->binding = v->binding;
  p->placed = size >= 4 && s.value == s.memory && s.value != KG_BOOL && p->offset <= INT32_MAX && !is_taken_by_param(im, p, size);
  if (!p->placed) *p = (kgi_param){.name = p->name, .type = (uint8_t)s.value};
}

static uint32_t declare_param(kgi_import *im, const kgi_im_column *c, const char *name, uint64_t part, kgi_im_scalar s) {
  kgi_param param = {.name = kgi_intern_z(im->b.m, name)};
  place_param(im, c, part, s, &param);
  return kgi_param_add(&im->b, &param);
}

static uint32_t declare_buffer(kgi_import *im, const kgi_im_column *c, const char *name, uint64_t part, kgi_im_scalar s) {
  const kgi_im_variable *v = &im->variable[c->variable];
  bool scalar = c->split == all_levels(c);
  kgi_object o = {.name = kgi_intern_z(im->b.m, name), .space = KGI_BUFFER, .type = (uint8_t)s.memory, .mode = KG_READ_WRITE,
                  .scalar = scalar, .view = v->class != SpvStorageClassPushConstant, .set = v->set, .binding = v->binding,
                  .offset = part_offset(c, part), .stride = c->unit, .row = c->row, .every = c->every};
  if (!scalar) o.length = flat_length(im, c);
  if (!o.view) o.set = o.binding = o.offset = o.stride = o.row = o.every = 0;
  return kgi_object_add(&im->b, &o).i;
}

/* Without arrays that the program indexes it is a scalar. With up to four it has as many dimensions, and with more it is flat. */
static void shape(kgi_import *im, const kgi_im_column *c, kgi_object *o) {
  kgi_dim extent[KGI_IM_LEVELS];
  unsigned rank = 0;
  for (uint32_t k = 0; k < c->depth; k++)
    if (!(c->split >> k & 1)) extent[rank++] = level_length(im, c, k);
  o->scalar = rank == 0;
  if (rank == 1) o->length = extent[0];
  if (rank >= 2 && rank <= KGI_MAX_RANK) kgi_set_extents(&im->b, o, extent, rank);
  for (unsigned k = 0; k < rank && rank > KGI_MAX_RANK; k++)
    o->length = k ? kgi_len_op(&im->b, KGI_DIM_MUL, o->length, extent[k]) : extent[0];
}

static kgi_object local_object(kgi_import *im, const kgi_im_column *c, uint64_t part, kgi_im_scalar s) {
  char suffix[64];
  suffix_of(c, part, suffix);
  bool shared = im->variable[c->variable].class == SpvStorageClassWorkgroup;
  const char *name = shared ? kgi_im_fresh_name(im, longer_name(im, c, suffix)) : plain_name(im, c, suffix);
  kgi_object o = {.name = kgi_intern_z(im->b.m, name), .space = shared ? KGI_SHARED : KGI_VAR,
                  .type = (uint8_t)(s.value == KG_BOOL ? KG_BOOL : s.memory), .pos = im->b.pos};
  shape(im, c, &o);
  return o;
}

/* The common divisor of the strides of levels that are indexed; 0: there are none. */
static uint32_t common_stride(const kgi_im_column *c, uint32_t from, uint32_t to) {
  uint32_t unit = 0;
  for (uint32_t k = from; k < to; k++)
    if (!(c->split >> k & 1)) unit = gcd(unit, c->stride[k]);
  return unit;
}

/* Whether the levels from `outer` on make rows that the next one begins behind, with a gap between them. */
static bool are_rows(kgi_im_column *c, uint32_t outer) {
  uint32_t every = common_stride(c, 0, outer), unit = common_stride(c, outer, c->depth);
  uint64_t last = 0;
  for (uint32_t k = outer; k < c->depth && unit; k++) {
    if (c->split >> k & 1) continue;
    if (!c->count[k] || c->length[k]) return false;
    last += (uint64_t)(c->count[k] - 1) * (c->stride[k] / unit);
  }
  if (!every || !unit || last >= every / unit || (last + 1) * unit == every) return false;
  c->unit = unit, c->row = (uint32_t)last + 1, c->every = every, c->rows_from = outer;
  return true;
}

/* An array in a struct beside fields of other types, or one with gaps for them: its elements are rows, which the fields lie between.
 * A flat view would lie over these. Fields of one type may lie in one flat view. Of structs inside of structs the innermost that has
 * the gaps makes the rows. */
static void find_rows(kgi_import *im, kgi_im_column *c) {
  uint32_t outer = c->crowd ? c->crowd : 1;
  if (outer >= c->depth) outer = c->depth ? c->depth - 1 : 0;
  if (!outer || !has_other_types(im, c)) return;
  while (outer && !are_rows(c, outer)) outer--;
}

uint32_t kgi_im_factor(const kgi_im_column *c, uint32_t k) {
  return c->row && k < c->rows_from ? c->stride[k] / c->every * c->row : c->stride[k] / c->unit;
}

static void find_unit(kgi_import *im, kgi_im_column *c, kgi_im_scalar s) {
  uint32_t unit = common_stride(c, 0, c->depth), size = s.bits / 8;
  c->unit = unit ? unit : size;
  c->row = c->every = 0;
  find_rows(im, c);
  bool fits = size && c->unit % size == 0 && c->offset % size == 0;
  for (uint32_t k = 0; k < c->depth; k++) fits &= c->stride[k] % (size ? size : 1) == 0;
  if (!fits) kgi_im_malformed(im, 0, "memory whose elements are not aligned to their size");
}

static bool is_wanted(const kgi_import *im, const kgi_im_column *c, uint64_t part) {
  if (im->first_walk) return true;
  if (!c->loaded && !c->stored && !c->atomic && !c->measured) return false;
  return !c->as_params || c->parts >> part & 1;
}

/* Of memory of the host: a buffer or a param for each part. */
static void declare_column(kgi_import *im, kgi_im_column *c) {
  kgi_im_scalar s = kgi_im_scalar_in(im, c);
  decide(im, c);
  find_unit(im, c, s);
  c->first = im->object_count;
  uint64_t parts = parts_of(c, c->split);
  for (uint64_t part = 0; part < parts && kgi_im_fine(im); part++) {
    char suffix[64];
    suffix_of(c, part, suffix);
    if (!is_wanted(im, c, part)) add_object(im, 0);
    else {
      const char *name = kgi_im_fresh_name(im, longer_name(im, c, suffix));
      add_object(im, c->as_params ? declare_param(im, c, name, part, s) : declare_buffer(im, c, name, part, s));
    }
  }
}

static void declare_shared(kgi_import *im, kgi_im_column *c) {
  kgi_im_scalar s = kgi_im_scalar_in(im, c);
  decide(im, c);
  c->first = im->object_count;
  uint64_t parts = parts_of(c, c->split);
  for (uint64_t part = 0; part < parts && kgi_im_fine(im); part++) {
    kgi_object o = local_object(im, c, part, s);
    add_object(im, is_wanted(im, c, part) ? kgi_object_add(&im->b, &o).i : 0);
  }
}

/* ---- the interface ---- */

typedef struct listed { uint32_t set, binding, id; } listed;

static int by_binding(const void *a, const void *b) {
  const listed *x = a, *y = b;
  if (x->set != y->set) return x->set < y->set ? -1 : 1;
  if (x->binding != y->binding) return x->binding < y->binding ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void declare_class(kgi_import *im, const listed *list, bool shared) {
  for (uint32_t i = 0; i < im->variable_count + im->roots && kgi_im_fine(im); i++) {
    const kgi_im_variable *v = &im->variable[list[i].id];
    if (!v->described || (shared ? v->class != SpvStorageClassWorkgroup : !is_memory_of_host(v))) continue;
    for (uint32_t k = 0; k < v->columns && kgi_im_fine(im); k++)
      if (shared) declare_shared(im, &im->column[v->first + k]); else declare_column(im, &im->column[v->first + k]);
  }
}

/* Buffers whose places are those that they would have without stating any. */
static void forget_plain_views(kgi_import *im) {
  kgi_scope *s = &im->b.p->scope;
  uint32_t end = kgi_buffer_end(s);
  for (uint32_t i = 1; i < end; i++) {
    const kgi_object *o = &s->object[i];
    if (!o->view || o->set || o->binding != i - 1 || o->offset || o->row || o->stride != kgi_type_bits(o->type) / 8) return;
  }
  for (uint32_t i = 1; i < s->param_count; i++) /* a block that is a buffer as well */
    if (s->param[i].placed && !s->param[i].pushed && !s->param[i].set && s->param[i].binding + 1 < end) return;
  for (uint32_t i = 1; i < end; i++) s->object[i].view = false, s->object[i].binding = s->object[i].stride = 0;
}

static bool is_used(kgi_import *im, uint32_t id) {
  kgi_im_inst x = kgi_im_def(im, id);
  return kgi_im_arg(im, &x, 0) != SpvStorageClassUniformConstant && kgi_im_arg(im, &x, 0) != SpvStorageClassOutput;
}

void kgi_im_declare(kgi_import *im) {
  uint32_t count = im->variable_count + im->roots;
  listed *list = kgi_arena_alloc(im->arena, count, sizeof *list);
  if (!list) return;
  kgi_im_place_roots(im);
  for (uint32_t i = 0; i < count && kgi_im_fine(im); i++) {
    bool is_root = i >= im->variable_count;
    uint32_t id = is_root ? im->root[i - im->variable_count].id : kgi_im_at(im, im->variables_at[i]).result;
    if (is_root || is_used(im, id)) kgi_im_describe(im, id);
    list[i] = (listed){im->variable[id].set, im->variable[id].binding, id};
  }
  qsort(list, count, sizeof *list, by_binding);
  declare_class(im, list, false);
  if (kgi_im_fine(im)) forget_plain_views(im);
  declare_class(im, list, true);
}

/* A buffer that nothing loads from is an output alone, and one that nothing stores to an input. */
void kgi_im_settle(kgi_import *im) {
  for (uint32_t i = 1; i < im->column_count && kgi_im_fine(im); i++) {
    const kgi_im_column *c = &im->column[i];
    const kgi_im_variable *v = &im->variable[c->variable];
    if (!is_memory_of_host(v) || c->as_params) continue;
    bool reads = c->loaded || c->atomic, writes = c->stored || c->atomic;
    uint64_t parts = parts_of(c, c->split);
    for (uint64_t part = 0; part < parts; part++) {
      uint32_t object = im->object[c->first + part].i;
      if (object) im->b.p->scope.object[object].mode = (uint8_t)(reads && writes ? KG_READ_WRITE : writes ? KG_WRITE : KG_READ);
    }
  }
}

/* ---- vars ---- */

bool kgi_im_declare_var(kgi_import *im, uint32_t id) {
  if (!kgi_im_describe(im, id)) return false;
  const kgi_im_variable *v = &im->variable[id];
  uint64_t objects = 0;
  for (uint32_t k = 0; k < v->columns; k++) {
    decide(im, &im->column[v->first + k]);
    objects += parts_of(&im->column[v->first + k], im->column[v->first + k].split);
  }
  kgi_obj *object = kgi_arena_alloc(im->arena, objects, sizeof *object);
  im->local[id] = object;
  for (uint32_t k = 0; k < v->columns && object && kgi_im_fine(im); k++) {
    kgi_im_column *c = &im->column[v->first + k];
    kgi_im_scalar s = kgi_im_scalar_in(im, c);
    uint64_t parts = parts_of(c, c->split);
    c->first = (uint32_t)(object - im->local[id]);
    for (uint64_t part = 0; part < parts && kgi_im_fine(im); part++) {
      kgi_object o = local_object(im, c, part, s);
      *object++ = kgi_var_add(&im->b, &o);
    }
  }
  return kgi_im_fine(im);
}
