/* What stands for several buffers: pointers in memory, and arrays of descriptors. Pointers in memory are addresses that the host
 * states, in push constants or in a block. Each leads to a buffer of its own, which is taken to lie apart from all others. The
 * first walk begins anew for each that it finds, so that buffers are declared in front of the body. */
#include "spirv/import/import.h"

bool kgi_im_has_layout(SpvStorageClass class) {
  return class == SpvStorageClassStorageBuffer || class == SpvStorageClassUniform || class == SpvStorageClassPushConstant;
}

static bool lies_there(const kgi_im_root *root, const kgi_im_place *place) {
  bool same = root->variable == place->variable && root->column == place->column && root->depth == place->depth;
  for (uint32_t k = 0; k < place->depth && same; k++) same = root->index[k] == place->index[k].is;
  return same;
}

static bool is_fixed(const kgi_im_place *place) {
  for (uint32_t k = 0; k < place->depth; k++)
    if (!place->index[k].known) return false;
  return true;
}

/* A walk that finds one ends, and there will be another. */
static kgi_im_variable *add_root(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *from) {
  if (im->roots == KGI_IM_ROOTS) return kgi_im_refuse(im, x, "there are too many pointers or descriptors"), NULL;
  if (!kgi_arena_grow(im->arena, &im->root, im->roots, &im->root_cap, sizeof *im->root)) return NULL;
  kgi_im_root *root = &im->root[im->roots];
  uint32_t id = im->first_root + im->roots++;
  im->def[id] = x->at;
  *root = (kgi_im_root){.id = id, .variable = from->variable, .column = from->column, .depth = from->depth};
  for (uint32_t k = 0; k < from->depth; k++) root->index[k] = from->index[k].is;
  im->again = true;
  kgi_fail(&im->b, KG_REFUSED);
  return &im->variable[id];
}

static void add_pointer(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *from) {
  const kgi_im_column *c = &im->column[from->column];
  kgi_im_variable *v = add_root(im, x, from);
  if (v) v->pointer = x->type, v->called = c->steps ? c->path[c->steps - 1] : "";
}

void kgi_im_load_pointer(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *from) {
  const kgi_im_variable *v = &im->variable[from->variable];
  kgi_im_inst type = kgi_im_def(im, x->type);
  im->place[x->result] = NULL;
  if (!kgi_im_is_address(im, &type)) return (void)kgi_im_refuse(im, x, "pointers to memory of other classes are not supported");
  if (!kgi_im_has_layout(v->class)) {
    im->place[x->result] = from->depth || v->columns != 1 ? NULL : im->held[from->variable];
    if (!im->place[x->result]) kgi_im_refuse(im, x, "where its pointer comes from is not known");
    return;
  }
  if (!is_fixed(from)) return (void)kgi_im_refuse(im, x, "an index chooses its pointer");
  if (from->column >= im->column_count || im->column[from->column].variable != from->variable)
    return (void)kgi_im_malformed(im, x->at, "a pointer to no scalar");
  for (uint32_t i = 0; i < im->roots; i++)
    if (lies_there(&im->root[i], from) && im->variable[im->root[i].id].pointer == x->type) {
      im->place[x->result] = kgi_im_whole(im, im->root[i].id);
      return;
    }
  if (kgi_im_fine(im)) add_pointer(im, x, from);
}

/* A variable of a lane may hold one pointer, and always that: then it does not matter where it was stored. */
void kgi_im_store_pointer(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to, uint32_t id) {
  const kgi_im_variable *v = &im->variable[to->variable];
  kgi_im_place *what = kgi_im_pointer(im, id), *before = im->held[to->variable];
  if (!what) return;
  if (kgi_im_has_layout(v->class) || v->class == SpvStorageClassWorkgroup || to->depth || v->columns != 1)
    return (void)kgi_im_refuse(im, x, "a pointer is stored to memory that others may see, or that has several");
  bool whole = im->variable[what->variable].pointer && is_fixed(what) && what->type == im->variable[what->variable].type;
  for (uint32_t k = 0; k < what->depth && whole; k++) whole = what->index[k].is == 0;
  if (!whole || (before && before->variable != what->variable))
    return (void)kgi_im_refuse(im, x, "a variable holds several pointers in turn");
  im->held[to->variable] = what;
}

/* ---- arrays of descriptors ---- */

bool kgi_im_is_descriptors(kgi_import *im, const kgi_im_variable *v) {
  SpvOp op = kgi_im_has_layout(v->class) && v->class != SpvStorageClassPushConstant ? kgi_im_def(im, v->type).op : SpvOpNop;
  return !v->pointer && !v->array && (op == SpvOpTypeArray || op == SpvOpTypeRuntimeArray);
}

kgi_im_place *kgi_im_descriptor(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *array, kgi_im_index index) {
  kgi_im_place at = {.variable = array->variable, .depth = 1, .index = {index}};
  if (!kgi_im_fine(im)) return NULL;
  if (!index.known) return kgi_im_refuse(im, x, "an index chooses its descriptor"), NULL;
  for (uint32_t i = 0; i < im->roots; i++)
    if (lies_there(&im->root[i], &at)) return kgi_im_whole(im, im->root[i].id);
  kgi_im_variable *v = add_root(im, x, &at);
  if (v) v->array = array->variable, v->called = kgi_im_name_of(im, array->variable, KGI_IM_NONE);
  return NULL;
}

/* ---- where they lie ---- */

static int compare(const kgi_im_root *a, const kgi_im_root *b) {
  if (a->variable != b->variable) return a->variable < b->variable ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  for (uint32_t k = 0; k < a->depth && k < b->depth; k++)
    if (a->index[k] != b->index[k]) return a->index[k] < b->index[k] ? -1 : 1;
  return 0;
}

/* Of one number addresses of several types may be made: these are views of one memory. */
static bool is_first(const kgi_import *im, uint32_t i) {
  bool first = true;
  for (uint32_t k = 0; k < i; k++) first &= compare(&im->root[k], &im->root[i]) != 0;
  return first;
}

/* The binding behind the last one of the last set. */
static void first_free(kgi_import *im, uint32_t *set, uint32_t *binding) {
  *set = *binding = 0;
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < im->variable_count; i++) {
      uint32_t variable = kgi_im_at(im, im->variables_at[i]).result, of = 0, at = 0;
      bool bound = kgi_im_decorated(im, variable, KGI_IM_NONE, SpvDecorationBinding, &at);
      kgi_im_decorated(im, variable, KGI_IM_NONE, SpvDecorationDescriptorSet, &of);
      if (bound && !pass && of > *set) *set = of;
      if (bound && pass && of == *set && at >= *binding && at < UINT32_MAX / 2) *binding = at + 1;
    }
}

/* In the order in which the pointers lie in memory. */
void kgi_im_place_roots(kgi_import *im) {
  uint32_t set, binding;
  first_free(im, &set, &binding);
  for (uint32_t i = 0; i < im->roots; i++) {
    kgi_im_variable *v = &im->variable[im->root[i].id];
    v->set = set, v->binding = binding;
    for (uint32_t k = 0; k < im->roots; k++) v->binding += is_first(im, k) && compare(&im->root[k], &im->root[i]) < 0;
  }
}

void kgi_im_settle_pointers(kgi_import *im) {
  for (uint32_t i = 0; i < im->roots && kgi_im_fine(im); i++) {
    kgi_im_inst x = kgi_im_def(im, im->root[i].id);
    const kgi_im_column *c = &im->column[im->root[i].column];
    if (im->root[i].column && (c->stored || c->atomic)) kgi_im_refuse(im, &x, "the shader changes its pointer");
  }
}
