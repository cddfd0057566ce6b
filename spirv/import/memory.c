/* Pointers as places, and what is loaded from them and stored there. */
#include "spirv/import/import.h"
#include "foundation/ir/place.h"

/* ---- places ---- */

static kgi_im_index known_index(kgi_import *im, int64_t value) {
  return (kgi_im_index){.value = kgi_i32(&im->b, (int32_t)value), .known = true, .is = value};
}

/* Of several elements behind a pointer it is the first. */
kgi_im_place *kgi_im_whole(kgi_import *im, uint32_t id) {
  kgi_im_place *place = kgi_arena_alloc(im->arena, 1, sizeof *place);
  if (!place || !kgi_im_describe(im, id)) return NULL;
  *place = (kgi_im_place){.variable = id, .type = im->variable[id].type, .column = im->variable[id].first};
  if (im->variable[id].elements) place->index[place->depth++] = known_index(im, 0);
  return place;
}

kgi_im_place *kgi_im_pointer(kgi_import *im, uint32_t id) {
  if (!kgi_im_fine(im)) return NULL;
  kgi_im_inst x = kgi_im_def(im, id);
  if (kgi_im_fine(im) && !im->place[id] && x.op == SpvOpVariable) im->place[id] = kgi_im_whole(im, id);
  if (kgi_im_fine(im) && !im->place[id]) kgi_im_refuse(im, &x, "as a pointer it is not supported");
  return kgi_im_fine(im) ? im->place[id] : NULL;
}

static kgi_im_index index_of(kgi_import *im, uint32_t id) {
  kgi_im_index index = {.value = kgi_im_scalar_value(im, id)};
  index.known = kgi_im_fine(im) && kgi_im_known(im, id, &index.is);
  if (kgi_im_fine(im) && !kgi_is_int(kgi_type_of(im->b.p, index.value))) kgi_im_malformed(im, 0, "an index that is no integer");
  return index;
}

bool kgi_im_step(kgi_import *im, uint32_t at, kgi_im_place *place, kgi_im_index index) {
  kgi_im_inst type = kgi_im_def(im, place->type);
  if (type.op == SpvOpTypeStruct) {
    if (!index.known || index.is < 0 || index.is >= type.args) return kgi_im_malformed(im, at, "no member of a struct");
    for (int64_t k = 0; k < index.is; k++) place->column += im->columns[type.arg[k]];
  } else if (place->depth == KGI_IM_LEVELS) {
    return kgi_im_malformed(im, at, "more indices than arrays");
  } else {
    place->index[place->depth++] = index;
  }
  place->type = kgi_im_component(im, place->type, type.op == SpvOpTypeStruct ? (uint32_t)index.is : 0);
  return kgi_im_fine(im);
}

static kg_type wider(kg_type a, kg_type b) { return kgi_type_bits(b) > kgi_type_bits(a) || b == KG_I32 ? b : a; }

/* The element so many behind the one that the place is. */
static void count_on(kgi_import *im, const kgi_im_inst *x, kgi_im_place *place, kgi_im_index by) {
  kgi_im_index *index = &place->index[0];
  bool whole = im->variable[place->variable].elements && place->depth == 1 && place->type == im->variable[place->variable].type;
  if (!kgi_im_fine(im)) return;
  if (!whole) return (void)kgi_im_refuse(im, x, "it counts from a pointer that leads into something");
  if (by.known && index->known && by.is > -INT32_MAX && by.is < INT32_MAX) {
    *index = known_index(im, (int32_t)((uint32_t)index->is + (uint32_t)by.is));
  } else if (index->known && !index->is) {
    *index = by;
  } else {
    kgi_val a = kgi_im_visible(im, index->value), b = kgi_im_visible(im, by.value);
    if (!kgi_im_fine(im)) return;
    kg_type type = wider(kgi_type_of(im->b.p, a), kgi_type_of(im->b.p, b));
    a = kgi_convert(&im->b, type, a), b = kgi_convert(&im->b, type, b);
    *index = (kgi_im_index){.value = kgi_op2(&im->b, KGI_OP_add, a, b)};
  }
}

void kgi_im_access_chain(kgi_import *im, const kgi_im_inst *x) {
  const kgi_im_place *base = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
  kgi_im_place *place = kgi_arena_alloc(im->arena, 1, sizeof *place);
  uint32_t first = 1;
  if (!base || !place) return;
  if (!base->depth && x->args > 1 && kgi_im_is_descriptors(im, &im->variable[base->variable])) {
    base = kgi_im_descriptor(im, x, base, index_of(im, x->arg[first++]));
    if (!base) return;
  }
  *place = *base;
  if (x->op == SpvOpPtrAccessChain || x->op == SpvOpInBoundsPtrAccessChain)
    count_on(im, x, place, index_of(im, kgi_im_arg(im, x, first++)));
  for (uint32_t k = first; k < x->args && kgi_im_fine(im); k++) {
    kgi_im_index index = index_of(im, x->arg[k]);
    if (kgi_im_fine(im)) kgi_im_step(im, x->at, place, index);
  }
  im->place[x->result] = place;
}

/* ---- elements ---- */

/* The type in which several indices are added up: the signed one where they differ. Constants have any, and print as numbers if
 * they are signed. */
static kg_type common_type(kgi_import *im, const kgi_im_column *c, const kgi_im_place *place) {
  kg_type type = KG_NONE;
  bool small = true;
  for (uint32_t k = 0; k < c->depth; k++) {
    if (place->index[k].known) small &= place->index[k].is >= 0 && place->index[k].is <= INT16_MAX;
    if (c->split >> k & 1 || place->index[k].known) continue;
    kg_type of = kgi_type_of(im->b.p, place->index[k].value);
    type = type == KG_NONE ? of : wider(type, of);
  }
  if (type == KG_NONE) return small ? KG_I32 : KG_U32;
  return type;
}

static kgi_val index_as(kgi_import *im, const kgi_im_index *index, kg_type type) {
  if (index->known) return kgi_int(&im->b, type, index->is);
  kgi_val value = kgi_im_visible(im, index->value);
  return kgi_im_fine(im) ? kgi_convert(&im->b, type, value) : value;
}

/* Of memory of the host: indices times their strides. */
static kgi_val flat_by_stride(kgi_import *im, const kgi_im_column *c, const kgi_im_place *place) {
  kg_type type = common_type(im, c, place);
  kgi_val sum = {0};
  int64_t rest = 0;
  for (uint32_t k = 0; k < c->depth && kgi_im_fine(im); k++) {
    if (c->split >> k & 1) continue;
    int64_t factor = kgi_im_factor(c, k);
    if (place->index[k].known) {
      rest += place->index[k].is * factor;
      continue;
    }
    kgi_val term = index_as(im, &place->index[k], type);
    if (factor != 1) term = kgi_op2(&im->b, KGI_OP_mul, term, kgi_int(&im->b, type, factor));
    sum = sum.i ? kgi_op2(&im->b, KGI_OP_add, sum, term) : term;
  }
  if (!sum.i) return kgi_int(&im->b, rest > INT32_MAX ? KG_U32 : type, rest);
  return rest ? kgi_op2(&im->b, KGI_OP_add, sum, kgi_int(&im->b, type, rest)) : sum;
}

/* Of other memory: as many indices as the object has dimensions, or one. */
static kgi_val flat_by_length(kgi_import *im, const kgi_im_column *c, const kgi_im_place *place, kgi_obj object) {
  kg_type type = common_type(im, c, place);
  kgi_val index[KGI_IM_LEVELS], flat;
  unsigned rank = 0;
  uint32_t level[KGI_IM_LEVELS];
  for (uint32_t k = 0; k < c->depth; k++)
    if (!(c->split >> k & 1)) level[rank] = k, index[rank++] = index_as(im, &place->index[k], type);
  if (!rank) kgi_im_malformed(im, 0, "an array without an index");
  if (!kgi_im_fine(im)) return (kgi_val){0};
  if (im->b.p->scope.object[object.i].rank) return kgi_place(&im->b, object, index, rank);
  flat = index[0];
  for (unsigned k = 1; k < rank && kgi_im_fine(im); k++) {
    uint32_t length = c->length[level[k]];
    kgi_val extent = length ? kgi_im_scalar_value(im, length) : kgi_int(&im->b, type, c->count[level[k]]);
    if (!kgi_im_fine(im)) return (kgi_val){0};
    extent = kgi_convert(&im->b, type, extent);
    flat = kgi_op2(&im->b, KGI_OP_mul, flat, extent);
    flat = kgi_op2(&im->b, KGI_OP_add, flat, index[k]);
  }
  return flat;
}

/* Which of a column's objects; false: past the end of an array, where nothing lies. */
static bool part_of(const kgi_im_column *c, const kgi_im_place *place, uint64_t *part) {
  *part = 0;
  for (uint32_t k = 0; k < c->depth; k++) {
    if (!(c->split >> k & 1)) continue;
    if (!place->index[k].known || place->index[k].is < 0 || place->index[k].is >= c->count[k]) return false;
    *part = *part * c->count[k] + (uint64_t)place->index[k].is;
  }
  return true;
}

/* Of those of its object, where constants choose it. */
static uint32_t element_of(const kgi_im_column *c, const kgi_im_place *place) {
  uint64_t element = 0;
  for (uint32_t k = 0; k < c->depth; k++) {
    if (c->split >> k & 1) continue;
    if (!place->index[k].known || place->index[k].is < 0 || c->length[k] || place->index[k].is >= c->count[k]) return KGI_IM_NONE;
    element = element * c->count[k] + (uint64_t)place->index[k].is;
  }
  return element < KGI_IM_NONE ? (uint32_t)element : KGI_IM_NONE;
}

/* What the first walk is for. */
static void note_use(kgi_im_column *c, const kgi_im_place *place) {
  uint64_t part = 0, parts = 1;
  for (uint32_t k = 0; k < c->depth; k++) {
    bool known = place->index[k].known && place->index[k].is >= 0 && (!c->count[k] || place->index[k].is < c->count[k]);
    if (!known) c->dynamic |= (uint8_t)(1u << k);
    part = part * c->count[k] + (uint64_t)(known ? place->index[k].is : 0);
    parts *= c->count[k];
  }
  if (parts && parts <= 64 && part < 64) c->parts |= UINT64_C(1) << part;
}

static bool is_local(const kgi_import *im, const kgi_im_column *c) {
  SpvStorageClass class = im->variable[c->variable].class;
  return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

static kgi_obj object_of(kgi_import *im, const kgi_im_column *c, uint64_t part) {
  if (!is_local(im, c)) return im->object[c->first + part];
  return im->local[c->variable] ? im->local[c->variable][c->first + part] : (kgi_obj){0};
}

static bool element(kgi_import *im, const kgi_im_place *place, bool notes, kgi_obj *object, kgi_val *index) {
  kgi_im_column *c = &im->column[place->column < im->column_count ? place->column : 0];
  const kgi_im_variable *v = &im->variable[place->variable];
  uint64_t part = 0;
  if (c->variable != place->variable || c->depth != place->depth) return kgi_im_malformed(im, 0, "a pointer to no scalar");
  if (im->first_walk && notes) note_use(c, place);
  if (!part_of(c, place, &part)) return kgi_im_malformed(im, 0, "a constant index past the end of an array");
  *object = object_of(im, c, part);
  *index = (kgi_val){0};
  if (!object->i) return kgi_im_malformed(im, 0, "a variable that is used before it is declared");
  if (c->as_params || im->b.p->scope.object[object->i].scalar) return true;
  if (kgi_im_has_layout(v->class) && !c->unit) return kgi_im_malformed(im, 0, "memory of the host that is declared in a function");
  *index = kgi_im_has_layout(v->class) ? flat_by_stride(im, c, place) : flat_by_length(im, c, place, *object);
  return kgi_im_fine(im);
}

bool kgi_im_element(kgi_import *im, const kgi_im_place *place, kgi_obj *object, kgi_val *index) {
  return element(im, place, true, object, index);
}

void kgi_im_note_load(kgi_import *im, const kgi_im_place *place) {
  note_use(&im->column[place->column], place);
  im->column[place->column].loaded = true;
}

/* ---- loads and stores ---- */

static kgi_id id_of_builtin(uint32_t builtin) {
  static const struct { SpvBuiltIn builtin; kgi_id id; } rows[] = {
      {SpvBuiltInGlobalInvocationId, KGI_ID_global_id}, {SpvBuiltInLocalInvocationId, KGI_ID_local_id},
      {SpvBuiltInWorkgroupId, KGI_ID_workgroup_id}, {SpvBuiltInNumWorkgroups, KGI_ID_num_workgroups},
      {SpvBuiltInLocalInvocationIndex, KGI_ID_local_index}, {SpvBuiltInSubgroupLocalInvocationId, KGI_ID_subgroup_lane},
      {SpvBuiltInSubgroupSize, KGI_ID_subgroup_size}, {SpvBuiltInWorkgroupSize, KGI_ID_workgroup_size},
      {SpvBuiltInSubgroupId, KGI_ID_subgroup_id}, {SpvBuiltInNumSubgroups, KGI_ID_num_subgroups}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    if (builtin == (uint32_t)rows[i].builtin) return rows[i].id;
  return KGI_ID_COUNT;
}

/* A part of a builtin that is taken: an id, or a mask of lanes. */
static kgi_val part_of_builtin(kgi_import *im, uint32_t builtin, uint32_t k) {
  kgi_id id = id_of_builtin(builtin);
  if (id != KGI_ID_COUNT) return kgi_id_value(&im->b, id, k);
  return kgi_im_lane_mask(im, builtin, k);
}

static kgi_val unsigned_builtin(kgi_import *im, const kgi_im_place *place) {
  kgi_im_inst x = kgi_im_def(im, place->variable);
  uint32_t builtin = im->variable[place->variable].builtin;
  kgi_id id = id_of_builtin(builtin);
  bool mask = builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask;
  uint32_t parts = mask ? 4 : id == KGI_ID_COUNT ? 0 : kgi_id_rows[id].components;
  if (!parts || (parts > 1 && place->depth != 1)) {
    kgi_im_refuse(im, &x, "an input other than the ids of a compute shader is not supported");
    return (kgi_val){0};
  }
  if (parts == 1) return part_of_builtin(im, builtin, 0);
  const kgi_im_index *index = &place->index[0];
  if (!mask) im->used_axes |= index->known ? (uint8_t)(1u << (index->is & 3)) : 7;
  kgi_val out = part_of_builtin(im, builtin, index->known ? (uint32_t)(index->is % parts) : 0);
  for (uint32_t k = 1; k < parts && !index->known && kgi_im_fine(im); k++) {
    kgi_val part = part_of_builtin(im, builtin, k), here = index_as(im, index, KG_I32);
    here = kgi_op2(&im->b, KGI_OP_eq, here, kgi_i32(&im->b, (int32_t)k));
    out = kgi_op3(&im->b, KGI_OP_select, here, part, out);
  }
  return out;
}

/* SPIR-V lets a module declare ids signed, as HLSL does for `int id : SV_DispatchThreadID`. */
static kgi_val load_builtin(kgi_import *im, const kgi_im_place *place) {
  kgi_val out = unsigned_builtin(im, place);
  return kgi_im_fine(im) && kgi_im_scalar_of(im, place->type).value == KG_I32 ? kgi_convert(&im->b, KG_I32, out) : out;
}

/* The first walk found that nobody needs it as a number: it stands for where it lies. */
static bool is_left_out(kgi_import *im, const kgi_im_place *place) {
  const kgi_im_column *c = &im->column[place->column];
  uint64_t part = 0;
  return !im->first_walk && part_of(c, place, &part) && !object_of(im, c, part).i;
}

static kgi_val stand_in(kgi_import *im, kg_type type) {
  kgi_obj nobody = kgi_var(&im->b, "address", type, (kgi_dim){0});
  return kgi_im_fine(im) ? kgi_load(&im->b, nobody, (kgi_val){0}) : (kgi_val){0};
}

/* A number that may be an address. Whether it is loaded is known when the first walk is over. */
static kgi_val load_number(kgi_import *im, const kgi_im_place *place) {
  kgi_im_column *c = &im->column[place->column];
  kgi_im_scalar lies = kgi_im_scalar_in(im, c), is = kgi_im_scalar_of(im, c->scalar);
  kgi_obj object;
  kgi_val index, out;
  if (is_left_out(im, place)) out = stand_in(im, lies.value);
  else if (!element(im, place, false, &object, &index)) return (kgi_val){0};
  else out = c->as_params ? kgi_param_value(&im->b, object.i) : kgi_load(&im->b, object, index);
  if (kgi_im_fine(im)) kgi_im_lies_at(im, out, place);
  if (kgi_im_fine(im) && lies.value != is.value) out = kgi_im_as_type(im, out, lies, is);
  return out;
}

static kgi_val load_scalar(kgi_import *im, const kgi_im_place *place) {
  kgi_obj object;
  kgi_val index;
  if (im->variable[place->variable].class == SpvStorageClassInput) return load_builtin(im, place);
  if (kgi_im_may_be_address(im, place)) return load_number(im, place);
  if (!kgi_im_element(im, place, &object, &index)) return (kgi_val){0};
  kgi_im_column *c = &im->column[place->column];
  c->loaded = true;
  kgi_val out = c->as_params ? kgi_param_value(&im->b, object.i) : kgi_load(&im->b, object, index);
  kgi_im_scalar lies = kgi_im_scalar_in(im, c), is = kgi_im_scalar_of(im, c->scalar);
  if (kgi_im_fine(im) && is_local(im, c)) kgi_im_is_held(im, object, element_of(c, place), out);
  return kgi_im_fine(im) ? kgi_im_as_type(im, out, lies, is) : out;
}

static void store_scalar(kgi_import *im, const kgi_im_place *place, kgi_val value) {
  kgi_obj object;
  kgi_val index;
  if (!kgi_im_element(im, place, &object, &index)) return;
  kgi_im_column *c = &im->column[place->column];
  c->stored = true;
  if (c->as_params) return (void)kgi_im_malformed(im, 0, "a store to memory that is only read");
  kgi_im_scalar lies = kgi_im_scalar_in(im, c), is = kgi_im_scalar_of(im, c->scalar);
  value = kgi_im_as_type(im, value, is, lies);
  if (kgi_im_fine(im) && is_local(im, c)) kgi_im_hold(im, object, element_of(c, place), value);
  if (kgi_im_fine(im)) kgi_store(&im->b, object, index, value);
}

/* What a struct without members holds. */
static void nothing(kgi_import *im, kgi_val *out) {
  if (out) *out = kgi_u32(&im->b, 0);
}

/* Each scalar of a place, in order of the leaves of its type. */
static uint32_t each(kgi_import *im, const kgi_im_place *place, kgi_val *out, const kgi_val *in, uint32_t used) {
  uint32_t parts = kgi_im_fine(im) ? kgi_im_parts(im, place->type) : 0;
  if (!kgi_im_fine(im)) return used;
  if (!parts) {
    if (kgi_im_is_nothing(im, place->type)) nothing(im, out ? out + used : NULL);
    else if (out) out[used] = load_scalar(im, place);
    else store_scalar(im, place, kgi_im_visible(im, in[used]));
    return used + 1;
  }
  for (uint32_t k = 0; k < parts && kgi_im_fine(im); k++) {
    kgi_im_place inner = *place;
    if (kgi_im_step(im, 0, &inner, known_index(im, k))) used = each(im, &inner, out, in, used);
  }
  return used;
}

static uint32_t leaves_of(kgi_import *im, const kgi_im_place *place) {
  kgi_im_inst x = kgi_im_def(im, place->type);
  uint32_t count = kgi_im_fine(im) ? im->leaves[place->type] : 0;
  if (!count) kgi_im_refuse(im, &x, "as a value it has too many parts");
  return count;
}

kgi_val *kgi_im_load(kgi_import *im, const kgi_im_place *place) {
  uint32_t count = place ? leaves_of(im, place) : 0;
  kgi_val *out = count ? kgi_im_room(im, count) : NULL;
  if (out) each(im, place, out, NULL, 0);
  return out;
}

void kgi_im_store(kgi_import *im, const kgi_im_place *place, const kgi_val *leaves) {
  if (place && leaves && leaves_of(im, place)) each(im, place, NULL, leaves, 0);
}

/* A flat view has `factor` elements for each element of the array. */
void kgi_im_array_length(kgi_import *im, const kgi_im_inst *x) {
  const kgi_im_place *base = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
  kgi_im_place place;
  uint32_t member = kgi_im_arg(im, x, 1);
  if (!base) return;
  place = *base;
  if (!kgi_im_step(im, x->at, &place, known_index(im, member))) return;
  kgi_im_column *c = &im->column[place.column];
  if (place.column >= im->column_count || !c->depth || place.depth || c->length[0] || c->count[0])
    return (void)kgi_im_malformed(im, x->at, "the length of no runtime array");
  c->measured = true;
  kgi_val length = kgi_len_value(&im->b, im->object[c->first]);
  uint32_t factor = kgi_im_factor(c, 0);
  if (factor != 1) length = kgi_op2(&im->b, KGI_OP_div, length, kgi_u32(&im->b, factor));
  kgi_val *out = kgi_im_room(im, 1);
  if (out) *out = length, kgi_im_bind(im, x, out);
}
