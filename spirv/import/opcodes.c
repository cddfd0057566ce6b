/* One instruction of a block, by the table. */
#include "spirv/import/import.h"

void kgi_im_instruction(kgi_import *im, const kgi_im_inst *x) {
  if (!kgi_im_fine(im)) return;
  switch ((unsigned)x->op) {
#define VALUE(name, op, as) case SpvOp##name: kgi_im_operation(im, x, KGI_OP_##op, KGI_IM_##as, false); return;
#define NEGATED(name, op, as) case SpvOp##name: kgi_im_operation(im, x, KGI_OP_##op, KGI_IM_##as, true); return;
#define OWN(name, code) case SpvOp##name: kgi_im_own_##code(im, x); return;
#define ATOMIC(name, atomic, as) case SpvOp##name: kgi_im_atomic(im, x, KGI_ATOMIC_##atomic, KGI_IM_##as); return;
#define GROUP(name, reduce, inclusive, exclusive, as) \
  case SpvOp##name: { \
    static const kgi_subgroup rows[] = {KGI_SUBGROUP_##reduce, KGI_SUBGROUP_##inclusive, KGI_SUBGROUP_##exclusive}; \
    kgi_im_group(im, x, rows, KGI_IM_##as); \
    return; \
  }
#define LANES(name, subgroup) case SpvOp##name: kgi_im_lanes(im, x, KGI_SUBGROUP_##subgroup); return;
#define QUIET(name) case SpvOp##name: return;
#include "spirv/import/opcodes.def"
  default: kgi_im_refuse(im, x, "it is not among the instructions that an import takes"); return;
  }
}

/* ---- atomics ---- */

static bool is_marker(SpvOp op) { return op == SpvOpAtomicIIncrement || op == SpvOpAtomicIDecrement; }

/* What is added, stored or compared with; compare-exchange names what it stores before what it compares with. */
static void atomic_operands(kgi_import *im, const kgi_im_inst *x, kgi_im_scalar s, kgi_val out[2]) {
  uint32_t first = x->op == SpvOpAtomicCompareExchange ? 4 : 3;
  out[0] = out[1] = (kgi_val){0};
  if (x->op == SpvOpAtomicLoad) return;
  if (is_marker(x->op)) {
    out[0] = kgi_int(&im->b, s.value, x->op == SpvOpAtomicIIncrement ? 1 : -1);
    return;
  }
  for (uint32_t k = 0; k + first < 5 && kgi_im_fine(im) && first + k < x->args; k++) {
    kgi_im_scalar from = kgi_im_scalar_of(im, kgi_im_type_of(im, x->arg[first + k]));
    out[k] = kgi_im_as_type(im, kgi_im_scalar_value(im, x->arg[first + k]), from, s);
  }
  if (x->op == SpvOpAtomicCompareExchange) {
    kgi_im_scalar from = kgi_im_scalar_of(im, kgi_im_type_of(im, kgi_im_arg(im, x, 5)));
    kgi_val compared = kgi_im_as_type(im, kgi_im_scalar_value(im, kgi_im_arg(im, x, 5)), from, s);
    out[1] = out[0], out[0] = compared;
  }
  if (x->op == SpvOpAtomicISub && kgi_im_fine(im)) out[0] = kgi_op1(&im->b, KGI_OP_neg, out[0]);
}

void kgi_im_atomic(kgi_import *im, const kgi_im_inst *x, kgi_atomic op, kgi_im_as as) {
  kgi_im_place *place = kgi_im_pointer(im, kgi_im_arg(im, x, 0));
  kgi_obj object;
  kgi_val index, arg[2];
  if (!place || !kgi_im_element(im, place, &object, &index)) return;
  kgi_im_column *c = &im->column[place->column];
  kgi_im_scalar s = kgi_im_scalar_in(im, c);
  bool turned = (as == KGI_IM_SIGNED && !s.is_signed) || (as == KGI_IM_UNSIGNED && s.is_signed);
  if (turned && !im->first_walk) return (void)kgi_im_refuse(im, x, "other atomics take the memory's integers for ones of the other sign");
  c->turned |= turned;
  c->atomic = true;
  atomic_operands(im, x, s, arg);
  if (!kgi_im_fine(im)) return;
  kgi_val y = kgi_atomic_op(&im->b, op, object, index, arg[0], arg[1]);
  kgi_val *out = x->result ? kgi_im_room(im, 1) : NULL;
  if (!out || !kgi_im_fine(im)) return;
  *out = kgi_im_as_type(im, y, s, kgi_im_scalar_of(im, x->type));
  kgi_im_bind(im, x, out);
}

/* ---- subgroups ---- */

static bool is_subgroup_scope(kgi_import *im, const kgi_im_inst *x) {
  int64_t scope = 0;
  if (kgi_im_known(im, kgi_im_arg(im, x, 0), &scope) && scope == SpvScopeSubgroup) return true;
  return kgi_im_refuse(im, x, "its scope is no subgroup");
}

void kgi_im_group(kgi_import *im, const kgi_im_inst *x, const kgi_subgroup *rows, kgi_im_as as) {
  uint32_t group = kgi_im_arg(im, x, 1), lanes = 0;
  bool clustered = group == SpvGroupOperationClusteredReduce;
  if (!is_subgroup_scope(im, x)) return;
  if (group > SpvGroupOperationClusteredReduce) return (void)kgi_im_refuse(im, x, "partitions are not supported");
  if (clustered && !kgi_im_begin_cluster(im, x, &lanes)) return;
  kgi_val *from = kgi_im_value(im, kgi_im_arg(im, x, 2));
  uint32_t leaves = im->leaves[x->type];
  kgi_val *out = kgi_im_room(im, leaves);
  if (!from || !out) return;
  if (im->leaves[kgi_im_type_of(im, x->arg[2])] != leaves)
    return (void)kgi_im_malformed(im, x->at, "operands with different numbers of parts");
  kgi_im_scalar s = kgi_im_scalar_of(im, x->type), of = kgi_im_scalar_of(im, kgi_im_type_of(im, x->arg[2]));
  kgi_im_scalar in = s;
  if (as == KGI_IM_SIGNED) in = (kgi_im_scalar){.value = s.bits == 64 ? KG_I64 : KG_I32, .bits = s.bits, .is_signed = true};
  if (as == KGI_IM_UNSIGNED) in = (kgi_im_scalar){.value = s.bits == 64 ? KG_U64 : KG_U32, .bits = s.bits};
  for (uint32_t i = 0; i < leaves && kgi_im_fine(im); i++) {
    kgi_val y = kgi_im_as_type(im, from[i], of, in);
    y = clustered ? kgi_im_join_cluster(im, rows[0], y, lanes) : kgi_subgroup_op(&im->b, rows[group], y, (kgi_val){0});
    out[i] = kgi_im_narrow(im, kgi_im_as_type(im, y, in, s), s);
  }
  kgi_im_bind(im, x, out);
}

/* `first`: the operand behind the scope, or the first where none is stated. */
static void lanes(kgi_import *im, const kgi_im_inst *x, kgi_subgroup op, uint32_t first) {
  uint32_t operands = kgi_subgroup_rows[op].operands, leaves = im->leaves[x->type];
  kgi_val *from = operands ? kgi_im_value(im, kgi_im_arg(im, x, first)) : NULL, lane = {0};
  if (operands == 2) {
    lane = kgi_im_scalar_value(im, kgi_im_arg(im, x, first + 1));
    if (kgi_im_fine(im)) lane = kgi_convert(&im->b, KG_U32, lane);
  }
  kgi_val *out = kgi_im_room(im, leaves);
  if (!out || (operands && !from)) return;
  if (operands && im->leaves[kgi_im_type_of(im, x->arg[first])] != leaves)
    return (void)kgi_im_malformed(im, x->at, "operands with different numbers of parts");
  for (uint32_t i = 0; i < leaves && kgi_im_fine(im); i++)
    out[i] = kgi_subgroup_op(&im->b, op, operands ? from[i] : (kgi_val){0}, lane);
  kgi_im_bind(im, x, out);
}

void kgi_im_lanes(kgi_import *im, const kgi_im_inst *x, kgi_subgroup op) {
  if (is_subgroup_scope(im, x)) lanes(im, x, op, 1);
}

/* Of the extensions that were before the subgroup operations of SPIR-V 1.3; they state no scope. */
void kgi_im_own_lanes_khr(kgi_import *im, const kgi_im_inst *x) {
  kgi_subgroup op = x->op == SpvOpSubgroupAllKHR ? KGI_SUBGROUP_all : x->op == SpvOpSubgroupAnyKHR ? KGI_SUBGROUP_any
                  : x->op == SpvOpSubgroupFirstInvocationKHR ? KGI_SUBGROUP_broadcast_first : KGI_SUBGROUP_broadcast;
  lanes(im, x, op, 0);
}
