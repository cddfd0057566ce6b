/* Memory that is zeroed. Workgroup memory with an initializer, which can only be null: the lanes zero it together, and wait for
 * each other. Arrays of an invocation that are copied before they are written, as those that `inout` hands on: an undefined
 * element is 0. */
#include "spirv/import/import.h"

static void zero(kgi_import *im, uint32_t at, const kgi_im_place *place, bool shared_out);

static kgi_val lanes(kgi_import *im) {
  kgi_val product = kgi_id_value(&im->b, KGI_ID_workgroup_size, 0);
  for (unsigned k = 1; k < 3 && kgi_im_fine(im); k++) {
    kgi_val more = kgi_id_value(&im->b, KGI_ID_workgroup_size, k);
    product = kgi_op2(&im->b, KGI_OP_mul, product, more);
  }
  return product;
}

static void zero_part(kgi_import *im, uint32_t at, const kgi_im_place *place, kgi_im_index index, bool shared_out) {
  kgi_im_place inner = *place;
  if (kgi_im_step(im, at, &inner, index)) zero(im, at, &inner, shared_out);
}

/* The outermost array is shared out among the lanes, and each takes all of what is inside. */
static void zero_elements(kgi_import *im, uint32_t at, const kgi_im_place *place, const kgi_im_inst *type, bool shared_out) {
  kgi_val length = kgi_im_scalar_value(im, kgi_im_arg(im, type, 1)), from = {0}, step = {0};
  if (!kgi_im_fine(im)) return;
  length = kgi_convert(&im->b, KG_U32, length);
  from = shared_out ? kgi_u32(&im->b, 0) : kgi_id_value(&im->b, KGI_ID_local_index, 0);
  if (!shared_out) step = lanes(im);
  if (!kgi_im_fine(im)) return;
  kgi_val i = kgi_for_begin(&im->b, "i", from, length, step, false);
  zero_part(im, at, place, (kgi_im_index){.value = i}, true);
  kgi_end(&im->b);
}

/* A number that stands in no array is the first lane's. */
static void zero_number(kgi_import *im, const kgi_im_place *place, bool shared_out) {
  kgi_val nothing = kgi_u32(&im->b, 0);
  kg_type type = kgi_im_scalar_of(im, place->type).value;
  if (!kgi_im_fine(im)) return;
  if (!shared_out) {
    kgi_val lane = kgi_id_value(&im->b, KGI_ID_local_index, 0);
    kgi_if_begin(&im->b, kgi_op2(&im->b, KGI_OP_eq, lane, nothing));
  }
  nothing = type == KG_BOOL ? kgi_op2(&im->b, KGI_OP_ne, nothing, nothing) : kgi_convert(&im->b, type, nothing);
  kgi_im_store(im, place, &nothing);
  if (!shared_out && kgi_im_fine(im)) kgi_end(&im->b);
}

static void zero(kgi_import *im, uint32_t at, const kgi_im_place *place, bool shared_out) {
  kgi_im_inst type = kgi_im_def(im, place->type);
  if (!kgi_im_fine(im)) return;
  if (type.op == SpvOpTypeArray) return zero_elements(im, at, place, &type, shared_out);
  uint32_t parts = kgi_im_parts(im, place->type);
  if (!parts) return zero_number(im, place, shared_out);
  for (uint32_t k = 0; k < parts && kgi_im_fine(im); k++)
    zero_part(im, at, place, (kgi_im_index){.value = kgi_u32(&im->b, k), .known = true, .is = k}, shared_out);
}

void kgi_im_zero(kgi_import *im, uint32_t at, const kgi_im_place *place) { zero(im, at, place, true); }

/* An array of numbers, or of vectors, that some index of the program chooses from at each of its levels: none of them has an object of
 * its own. */
static bool is_chosen_from(kgi_import *im, const kgi_im_place *place) {
  kgi_im_column *c = &im->column[place->column];
  kgi_im_inst type = kgi_im_def(im, place->type);
  for (uint32_t level = place->depth; kgi_im_fine(im) && type.op == SpvOpTypeArray; level++) {
    if (!(c->dynamic >> level & 1) || c->split >> level & 1) return false;
    type = kgi_im_def(im, kgi_im_arg(im, &type, 0));
  }
  return kgi_im_fine(im) && type.op != SpvOpTypeStruct;
}

static bool is_of_invocation(const kgi_import *im, const kgi_im_place *place) {
  SpvStorageClass class = im->variable[place->variable].class;
  return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

/* Too long for a statement for each element: to be a value at all, or to be read. The first walk is to see by which indices the program
 * itself chooses, and a loop is none of its. */
static bool is_long(kgi_import *im, const kgi_im_place *place) {
  enum { FEW = 16 };
  if (kgi_im_is_array(im, place->type)) return true;
  return !im->first_walk && im->leaves[place->type] > FEW && is_chosen_from(im, place);
}

bool kgi_im_store_zeros(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *place) {
  kgi_im_inst value = kgi_im_def(im, kgi_im_arg(im, x, 1));
  if (!kgi_im_fine(im) || value.op != SpvOpConstantNull || value.type != place->type) return false;
  if (kgi_im_def(im, place->type).op != SpvOpTypeArray || !is_of_invocation(im, place) || !is_long(im, place)) return false;
  kgi_im_zero(im, x->at, place);
  return true;
}

/* An array whose length a constant says, of which the first use is that an instruction loads it as a whole. */
void kgi_im_zero_copied(kgi_import *im, const kgi_im_inst *variable, const kgi_im_place *place) {
  if (!kgi_im_is_array(im, place->type)) return;
  for (uint32_t at = kgi_im_next(im, variable->at); at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    bool uses = false;
    for (uint32_t k = 0; k < x.args && x.op != SpvOpLine; k++) uses |= x.arg[k] == variable->result;
    if (uses && x.op == SpvOpLoad) return zero(im, variable->at, place, true);
    if (uses || x.op == SpvOpFunctionEnd) return;
  }
}

/* Other entry points may have memory of their own, which this one does not need. */
static bool is_used(kgi_import *im, uint32_t variable) {
  bool in_function = false;
  for (uint32_t at = 5; at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    in_function |= x.op == SpvOpFunction;
    for (uint32_t k = 0; k < x.args && in_function; k++)
      if (x.arg[k] == variable) return true;
  }
  return false;
}

void kgi_im_zero_shared(kgi_import *im) {
  bool zeroed = false;
  for (uint32_t i = 0; i < im->variable_count && kgi_im_fine(im); i++) {
    kgi_im_inst x = kgi_im_at(im, im->variables_at[i]);
    if (kgi_im_arg(im, &x, 0) != SpvStorageClassWorkgroup || x.args < 2 || !is_used(im, x.result)) continue;
    if (kgi_im_def(im, x.arg[1]).op != SpvOpConstantNull)
      return (void)kgi_im_refuse(im, &x, "memory of the workgroup begins with something else than null");
    const kgi_im_place *place = kgi_im_pointer(im, x.result);
    if (place) zero(im, x.at, place, false);
    zeroed = true;
  }
  if (zeroed && kgi_im_fine(im)) kgi_barrier_here(&im->b);
}
