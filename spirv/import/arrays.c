/* Arrays whose length a specialization constant says, as values: they have no leaves. What compilers do with them is to copy them
 * from one variable to another, by a load and a store behind it; that becomes loops. */
#include "spirv/import/import.h"

bool kgi_im_is_array(kgi_import *im, uint32_t type) {
  return kgi_im_fine(im) && type < im->bound && !im->leaves[type] && kgi_im_def(im, type).op == SpvOpTypeArray;
}

/* Nothing is loaded yet: only a store that follows at once may use it. */
void kgi_im_load_array(kgi_import *im, const kgi_im_inst *x, kgi_im_place *from) { im->place[x->result] = from; }

static bool is_directly_behind(kgi_import *im, uint32_t first, uint32_t second) {
  uint32_t at = kgi_im_next(im, first);
  for (SpvOp op = kgi_im_at(im, at).op; op == SpvOpLine || op == SpvOpNoLine; op = kgi_im_at(im, at).op) at = kgi_im_next(im, at);
  return at == second;
}

static void copy(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from);

static void copy_part(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from, kgi_im_index index) {
  kgi_im_place inner_to = *to, inner_from = *from;
  if (kgi_im_step(im, at, &inner_to, index) && kgi_im_step(im, at, &inner_from, index)) copy(im, at, &inner_to, &inner_from);
}

static void copy_elements(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from, const kgi_im_inst *type) {
  kgi_val length = kgi_im_scalar_value(im, kgi_im_arg(im, type, 1));
  if (!kgi_im_fine(im)) return;
  length = kgi_convert(&im->b, KG_U32, length);
  kgi_val i = kgi_for_begin(&im->b, "i", kgi_u32(&im->b, 0), length, (kgi_val){0}, false);
  copy_part(im, at, to, from, (kgi_im_index){.value = i});
  kgi_end(&im->b);
}

static void copy(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from) {
  kgi_im_inst type = kgi_im_def(im, to->type);
  if (!kgi_im_fine(im)) return;
  if (im->leaves[to->type]) return kgi_im_store(im, to, kgi_im_load(im, from));
  if (type.op == SpvOpTypeArray) return copy_elements(im, at, to, from, &type);
  kgi_im_refuse(im, &type, "as a value it has too many parts");
}

static bool is_of_invocation(const kgi_import *im, const kgi_im_place *place) {
  SpvStorageClass class = im->variable[place->variable].class;
  return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

/* Element by element is the same as all at once where the two share no element, or each its own: the invocation's memory and other. */
void kgi_im_store_array(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to) {
  uint32_t id = kgi_im_arg(im, x, 1);
  kgi_im_inst load = kgi_im_def(im, id);
  if (!kgi_im_fine(im)) return;
  const kgi_im_place *from = load.op == SpvOpLoad && is_directly_behind(im, load.at, x->at) ? im->place[id] : NULL;
  if (!from || from->type != to->type || !(is_of_invocation(im, to) || is_of_invocation(im, from)))
    return (void)kgi_im_refuse(im, &load, "arrays of a specialized length are only copied, at once and from or to a variable");
  copy(im, x->at, to, from);
}
