/* Reductions in clusters: lanes side by side, 2, 4, 8 of them, each of which gets what all of its cluster have, joined. A cluster
 * joins halves with the lane across, then quarters, and so on; for that all of its lanes have to run, which is asserted. */
#include "spirv/import/import.h"

enum { MOST_LANES = 32 };

static kgi_val op2(kgi_import *im, kgi_op op, kgi_val a, kgi_val b) { return kgi_im_fine(im) ? kgi_op2(&im->b, op, a, b) : a; }

static kgi_op join_of(kgi_subgroup reduction) {
  switch ((unsigned)reduction) {
  case KGI_SUBGROUP_add: return KGI_OP_add;
  case KGI_SUBGROUP_mul: return KGI_OP_mul;
  case KGI_SUBGROUP_min: return KGI_OP_min;
  case KGI_SUBGROUP_max: return KGI_OP_max;
  case KGI_SUBGROUP_and: return KGI_OP_and;
  case KGI_SUBGROUP_or: return KGI_OP_or;
  default: return KGI_OP_xor;
  }
}

bool kgi_im_begin_cluster(kgi_import *im, const kgi_im_inst *x, uint32_t *lanes) {
  int64_t size = 0;
  if (!kgi_im_known(im, kgi_im_arg(im, x, 3), &size)) return kgi_im_refuse(im, x, "how many lanes a cluster has is not known"), false;
  if (size < 1 || size & (size - 1)) return kgi_im_malformed(im, x->at, "a cluster whose lanes are no power of two"), false;
  if (size > MOST_LANES) return kgi_im_refuse(im, x, "clusters of more than 32 lanes are not supported"), false;
  *lanes = (uint32_t)size;
  if (size == 1 || !kgi_im_fine(im)) return kgi_im_fine(im);
  kgi_val lane = kgi_id_value(&im->b, KGI_ID_subgroup_lane, 0), all = kgi_u32(&im->b, (uint32_t)(UINT64_MAX >> (64 - size)));
  kgi_val word = op2(im, KGI_OP_shr, lane, kgi_u32(&im->b, 5)), first = op2(im, KGI_OP_and, lane, kgi_u32(&im->b, 32 - *lanes));
  if (!kgi_im_fine(im)) return false;
  kgi_val running = kgi_subgroup_op(&im->b, KGI_SUBGROUP_ballot, kgi_bool(&im->b, true), word);
  running = op2(im, KGI_OP_shr, running, first);
  running = op2(im, KGI_OP_and, running, all);
  running = op2(im, KGI_OP_eq, running, all);
  if (kgi_im_fine(im)) kgi_assert(&im->b, running, "all lanes of a cluster run");
  return kgi_im_fine(im);
}

kgi_val kgi_im_join_cluster(kgi_import *im, kgi_subgroup reduction, kgi_val value, uint32_t lanes) {
  for (uint32_t k = 1; k < lanes && kgi_im_fine(im); k *= 2) {
    kgi_val other = kgi_subgroup_op(&im->b, KGI_SUBGROUP_shuffle_xor, value, kgi_u32(&im->b, k));
    value = op2(im, join_of(reduction), value, other);
  }
  return value;
}
