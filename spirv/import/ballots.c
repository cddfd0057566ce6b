/* Votes of a subgroup and what is asked of them: the language has one word of a ballot at a time. */
#include "spirv/import/import.h"

enum { WORDS = 4 };

static kgi_val op1(kgi_import *im, kgi_op op, kgi_val a) { return kgi_im_fine(im) ? kgi_op1(&im->b, op, a) : a; }
static kgi_val op2(kgi_import *im, kgi_op op, kgi_val a, kgi_val b) { return kgi_im_fine(im) ? kgi_op2(&im->b, op, a, b) : a; }
static kgi_val op3(kgi_import *im, kgi_op op, kgi_val x, kgi_val y, kgi_val z) {
  return kgi_im_fine(im) ? kgi_op3(&im->b, op, x, y, z) : x;
}

static bool is_of_subgroup(kgi_import *im, const kgi_im_inst *x) {
  int64_t scope = 0;
  if (kgi_im_known(im, kgi_im_arg(im, x, 0), &scope) && scope == SpvScopeSubgroup) return true;
  return kgi_im_refuse(im, x, "its scope is no subgroup");
}

/* The words of an operand that is a ballot, as u32. */
static bool words_of(kgi_import *im, const kgi_im_inst *x, uint32_t k, kgi_val word[WORDS]) {
  if (!is_of_subgroup(im, x)) return false;
  kgi_val *from = kgi_im_value(im, kgi_im_arg(im, x, k));
  if (!from) return false;
  uint32_t type = kgi_im_type_of(im, x->arg[k]);
  kgi_im_scalar s = kgi_im_scalar_of(im, type);
  if (im->leaves[type] != WORDS || !kgi_is_int(s.value) || s.bits != 32)
    return kgi_im_malformed(im, x->at, "a ballot that is no vector of four words");
  for (uint32_t i = 0; i < WORDS && kgi_im_fine(im); i++) word[i] = kgi_convert(&im->b, KG_U32, from[i]);
  return kgi_im_fine(im);
}

static void give(kgi_import *im, const kgi_im_inst *x, kgi_val y) {
  kgi_val *out = kgi_im_room(im, 1);
  kg_type type = kgi_im_scalar_of(im, x->type).value;
  if (!out || !kgi_im_fine(im)) return;
  if (im->leaves[x->type] != 1 || type == KG_NONE) return (void)kgi_im_malformed(im, x->at, "a result that is no scalar");
  *out = kgi_convert(&im->b, type, y);
  kgi_im_bind(im, x, out);
}

/* Of a word only the bits below `limit`, which counts from the first word on. */
static kgi_val kept_below(kgi_import *im, kgi_val word, uint32_t k, kgi_val limit) {
  kgi_val before = kgi_u32(&im->b, 32 * k), bits = op2(im, KGI_OP_max, limit, before);
  bits = op2(im, KGI_OP_sub, bits, before);
  bits = op2(im, KGI_OP_min, bits, kgi_u32(&im->b, 32));
  return op3(im, KGI_OP_bit_extract, word, kgi_u32(&im->b, 0), bits);
}

/* What stands above the lanes does not count. */
static void keep_below(kgi_import *im, kgi_val word[WORDS], kgi_val limit) {
  for (uint32_t k = 0; k < WORDS && kgi_im_fine(im); k++) word[k] = kept_below(im, word[k], k, limit);
}

static kgi_val lane_of(kgi_import *im) { return kgi_id_value(&im->b, KGI_ID_subgroup_lane, 0); }
static kgi_val size_of(kgi_import *im) { return kgi_id_value(&im->b, KGI_ID_subgroup_size, 0); }

/* A word of gl_SubgroupEqMask and its like: the bit of the lane itself, of the lanes below, or of those above up to the last. */
kgi_val kgi_im_lane_mask(kgi_import *im, uint32_t builtin, uint32_t k) {
  kgi_val ones = kgi_u32(&im->b, UINT32_MAX), lane = lane_of(im), next = op2(im, KGI_OP_add, lane, kgi_u32(&im->b, 1));
  bool from_start = builtin == SpvBuiltInSubgroupLtMask || builtin == SpvBuiltInSubgroupLeMask;
  bool with_own = builtin == SpvBuiltInSubgroupLeMask || builtin == SpvBuiltInSubgroupGtMask;
  kgi_val low = kept_below(im, ones, k, with_own ? next : lane);
  if (from_start) return low;
  /* Bits that both have, or neither: the lower ones are a part of the higher ones. */
  kgi_val high = kept_below(im, ones, k, builtin == SpvBuiltInSubgroupEqMask ? next : size_of(im));
  return op2(im, KGI_OP_xor, high, low);
}

/* The bit of a lane that is named, or of its own. */
void kgi_im_own_ballot_bit(kgi_import *im, const kgi_im_inst *x) {
  kgi_val word[WORDS], lane = {0};
  if (!words_of(im, x, 1, word)) return;
  if (x->op == SpvOpGroupNonUniformInverseBallot) lane = lane_of(im);
  else lane = kgi_im_scalar_value(im, kgi_im_arg(im, x, 2));
  if (!kgi_im_fine(im)) return;
  lane = kgi_convert(&im->b, KG_U32, lane);
  kgi_val which = op2(im, KGI_OP_shr, lane, kgi_u32(&im->b, 5)), bit = op2(im, KGI_OP_and, lane, kgi_u32(&im->b, 31));
  kgi_val all = word[0];
  for (uint32_t k = 1; k < WORDS && kgi_im_fine(im); k++) {
    kgi_val here = op2(im, KGI_OP_eq, which, kgi_u32(&im->b, k));
    all = op3(im, KGI_OP_select, here, word[k], all);
  }
  all = op2(im, KGI_OP_shr, all, bit);
  all = op2(im, KGI_OP_and, all, kgi_u32(&im->b, 1));
  give(im, x, op2(im, KGI_OP_ne, all, kgi_u32(&im->b, 0)));
}

/* How many of the bits are set: all of them, those up to the lane's, or those below it. */
void kgi_im_own_ballot_count(kgi_import *im, const kgi_im_inst *x) {
  kgi_val word[WORDS];
  uint32_t group = kgi_im_arg(im, x, 1);
  if (!words_of(im, x, 2, word)) return;
  if (group > SpvGroupOperationExclusiveScan) return (void)kgi_im_refuse(im, x, "clusters are not supported");
  kgi_val limit = group == SpvGroupOperationReduce ? size_of(im) : lane_of(im);
  if (group == SpvGroupOperationInclusiveScan) limit = op2(im, KGI_OP_add, limit, kgi_u32(&im->b, 1));
  keep_below(im, word, limit);
  kgi_val sum = op1(im, KGI_OP_popcount, word[0]);
  for (uint32_t k = 1; k < WORDS && kgi_im_fine(im); k++) sum = op2(im, KGI_OP_add, sum, op1(im, KGI_OP_popcount, word[k]));
  give(im, x, sum);
}

/* The place of the first bit, or of the last; of a ballot without any it is undefined. */
void kgi_im_own_ballot_find(kgi_import *im, const kgi_im_inst *x) {
  kgi_val word[WORDS], found = kgi_u32(&im->b, 0);
  bool first = x->op == SpvOpGroupNonUniformBallotFindLSB;
  if (!words_of(im, x, 1, word)) return;
  keep_below(im, word, size_of(im));
  for (uint32_t i = 0; i < WORDS && kgi_im_fine(im); i++) {
    uint32_t k = first ? WORDS - 1 - i : i;
    kgi_val any = op2(im, KGI_OP_ne, word[k], kgi_u32(&im->b, 0)), place = op1(im, first ? KGI_OP_ctz : KGI_OP_clz, word[k]);
    if (first) place = op2(im, KGI_OP_add, place, kgi_u32(&im->b, 32 * k));
    else place = op2(im, KGI_OP_sub, kgi_u32(&im->b, 32 * k + 31), place);
    found = op3(im, KGI_OP_select, any, place, found);
  }
  give(im, x, found);
}

/* Whether all lanes have what the first has. */
void kgi_im_own_all_equal(kgi_import *im, const kgi_im_inst *x) {
  uint32_t first_of = x->op == SpvOpSubgroupAllEqualKHR ? 0 : 1;
  if (first_of && !is_of_subgroup(im, x)) return;
  kgi_val *from = kgi_im_value(im, kgi_im_arg(im, x, first_of)), same = {0};
  uint32_t leaves = from ? im->leaves[kgi_im_type_of(im, x->arg[first_of])] : 0;
  for (uint32_t k = 0; k < leaves && kgi_im_fine(im); k++) {
    kgi_val first = kgi_subgroup_op(&im->b, KGI_SUBGROUP_broadcast_first, from[k], (kgi_val){0});
    kgi_val equal = op2(im, KGI_OP_eq, from[k], first);
    same = k ? op2(im, KGI_OP_and, same, equal) : equal;
  }
  if (same.i && kgi_im_fine(im)) give(im, x, kgi_subgroup_op(&im->b, KGI_SUBGROUP_all, same, (kgi_val){0}));
}

/* Four lanes that stand side by side: from one of them, or from the neighbour across, below, or both. */
void kgi_im_own_quad(kgi_import *im, const kgi_im_inst *x) {
  int64_t known = 0;
  bool swaps = x->op == SpvOpGroupNonUniformQuadSwap;
  if (!is_of_subgroup(im, x)) return;
  kgi_val *from = kgi_im_value(im, kgi_im_arg(im, x, 1)), lane = {0};
  uint32_t leaves = from ? im->leaves[kgi_im_type_of(im, x->arg[1])] : 0;
  kgi_val *out = leaves ? kgi_im_room(im, leaves) : NULL;
  if (!out || leaves != im->leaves[x->type]) return (void)kgi_im_malformed(im, x->at, "operands with different numbers of parts");
  if (swaps && (!kgi_im_known(im, kgi_im_arg(im, x, 2), &known) || known < 0 || known > 2))
    return (void)kgi_im_malformed(im, x->at, "a direction that is none of a quad's");
  if (swaps) {
    lane = kgi_u32(&im->b, (uint32_t)known + 1);
  } else {
    lane = kgi_im_scalar_value(im, kgi_im_arg(im, x, 2));
    if (!kgi_im_fine(im)) return;
    lane = kgi_convert(&im->b, KG_U32, lane);
    lane = op2(im, KGI_OP_and, lane, kgi_u32(&im->b, 3));
    kgi_val quad = lane_of(im);
    quad = op2(im, KGI_OP_and, quad, kgi_u32(&im->b, ~3u));
    lane = op2(im, KGI_OP_or, quad, lane);
  }
  for (uint32_t i = 0; i < leaves && kgi_im_fine(im); i++)
    out[i] = kgi_subgroup_op(&im->b, swaps ? KGI_SUBGROUP_shuffle_xor : KGI_SUBGROUP_shuffle, from[i], lane);
  kgi_im_bind(im, x, out);
}
