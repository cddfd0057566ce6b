/* Values: what they are called, and operations. */
#include "c/emit.h"
#include "foundation/ir/eval.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

unsigned kgi_c_carrier_index(unsigned type) {
  switch (kgi_type_kind_of(type)) {
  case KGI_SINT: case KGI_UINT: return kgi_type_bits(type) == 64 ? 2 : 1;
  case KGI_FLOAT: return type == KG_F64 ? 4 : 3;
  case KGI_BOOL: case KGI_TYPE_NONE: break;
  }
  return 0;
}

const char *kgi_c_carrier(unsigned type) {
  static const char *const names[] = {"mask", "u32", "u64", "f32", "f64"};
  return names[kgi_c_carrier_index(type)];
}

/* ---- numbers ---- */

static const char *float_text(kgi_c_emit *e, double value, uint64_t bits, bool wide) {
  const char *end = wide ? "" : "f";
  if (isnan(value)) return kgi_c_format(e, wide ? "kg_one_u64_as_f64(UINT64_C(0x%" PRIx64 "))" : "kg_one_u32_as_f32(0x%" PRIx64 "u)", bits);
  if (isinf(value)) return kgi_c_format(e, "(%s__builtin_inf%s())", value < 0 ? "-" : "", end);
  if (value == (double)(int)value && fabs(value) < 1e6) return kgi_c_format(e, "(%s%.1f%s)", signbit(value) ? "-" : "", fabs(value), end);
  return kgi_c_format(e, "(%a%s)", value, end);
}

static const char *number(kgi_c_emit *e, unsigned type, uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float single;
  double twice;
  memcpy(&single, &word, sizeof single);
  memcpy(&twice, &bits, sizeof twice);
  if (type == KG_BOOL) return bits ? "true" : "false";
  if (type == KG_F32) return float_text(e, single, word, false);
  if (type == KG_F64) return float_text(e, twice, bits, true);
  if (type == KG_F16) {
    float half = kgi_half_decode((uint16_t)bits);
    memcpy(&word, &half, sizeof word);
    return float_text(e, half, word, false);
  }
  return kgi_type_bits(type) == 64 ? kgi_c_format(e, "UINT64_C(%" PRIu64 ")", bits) : kgi_c_format(e, "%" PRIu32 "u", word);
}

/* ---- leaves ---- */

static char axis(unsigned k) { return "xyz"[k]; }

static const char *id_text(kgi_c_emit *e, const kgi_inst *inst) {
  unsigned k = inst->arg[0];
  const char *name = kgi_id_rows[inst->op].name;
  switch ((kgi_id)inst->op) {
  case KGI_ID_workgroup_id: return kgi_c_format(e, "group_%c", axis(k));
  case KGI_ID_num_workgroups: return kgi_c_format(e, "args->groups[%u]", k);
  case KGI_ID_workgroup_size: return kgi_c_format(e, "%uu", e->workgroup[k]);
  case KGI_ID_subgroup_size: return "(uint32_t)KG_LANES";
  case KGI_ID_num_subgroups: return "chunks";
  case KGI_ID_global_id: case KGI_ID_local_id: return kgi_c_format(e, "%s_%c", name, axis(k));
  case KGI_ID_local_index: case KGI_ID_subgroup_lane: case KGI_ID_subgroup_id: case KGI_ID_COUNT: break;
  }
  return name;
}

static const char *length_text(kgi_c_emit *e, const kgi_inst *inst) {
  const kgi_object *o = &e->p->scope.object[inst->arg[0]];
  if (inst->arg[1]) return kgi_c_format(e, "(uint32_t)%s", kgi_c_dim(e, o->extent[inst->arg[1] - 1]));
  return o->space == KGI_BUFFER ? kgi_c_format(e, "kg_n%u", inst->arg[0]) : kgi_c_format(e, "%uu", e->length[inst->arg[0]]);
}

static const char *leaf_text(kgi_c_emit *e, const kgi_inst *inst) {
  if (inst->kind == KGI_literal) return number(e, inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_spec) return number(e, inst->type, e->p->scope.spec[inst->arg[0]].bits);
  if (inst->kind == KGI_param) return kgi_c_format(e, "kg_p%u", inst->arg[0]);
  return inst->kind == KGI_len ? length_text(e, inst) : id_text(e, inst);
}

/* Whether the size is a multiple of any number of lanes, so that a chunk does not end in the middle of a row of invocations. */
static bool is_whole(uint32_t size) { return size % KGI_C_MOST_LANES == 0; }

static bool is_line(const kgi_c_emit *e) { return e->workgroup[1] == 1 && e->workgroup[2] == 1; }

static void local_id(kgi_c_emit *e, unsigned k) {
  uint32_t x = e->workgroup[0], y = e->workgroup[1];
  if (is_line(e) && k == 0) kgi_c_line(e, "const uint32_t local_id_x_0 = kg_c * KG_LANES;");
  else if (is_line(e)) kgi_c_line(e, "const kg_u32v local_id_%c = kg_splat_u32(0u);", axis(k));
  else if (k == 0 && is_whole(x)) kgi_c_line(e, "const uint32_t local_id_x_0 = kg_c * KG_LANES %% %uu;", x);
  else if (k == 0) kgi_c_line(e, "const kg_u32v local_id_x = kg_count(kg_c * KG_LANES) %% %uu;", x);
  else if (is_whole(x)) kgi_c_line(e, "const kg_u32v local_id_%c = kg_splat_u32(kg_c * KG_LANES / %uu %s %uu);", axis(k), k == 1 ? x : x * y, k == 1 ? "%" : "/", k == 1 ? y : 1);
  else kgi_c_line(e, "const kg_u32v local_id_%c = kg_count(kg_c * KG_LANES) / %uu %s %uu;", axis(k), k == 1 ? x : x * y, k == 1 ? "%" : "/", k == 1 ? y : 1);
  if (k == 0 && (is_line(e) || is_whole(x))) kgi_c_line(e, "const kg_u32v local_id_x = kg_count(local_id_x_0);");
}

static bool has_base(const kgi_c_emit *e, const kgi_inst *id) {
  if (id->op == KGI_ID_local_index || id->op == KGI_ID_subgroup_lane) return true;
  bool within = id->op == KGI_ID_global_id || id->op == KGI_ID_local_id;
  return within && id->arg[0] == 0 && (is_line(e) || is_whole(e->workgroup[0]));
}

void kgi_c_ids(kgi_c_emit *e, uint32_t ids) {
  for (unsigned k = 0; k < 3; k++) {
    bool global = ids & kgi_c_id_bit(KGI_ID_global_id, k);
    if (global || ids & kgi_c_id_bit(KGI_ID_local_id, k)) local_id(e, k);
    if (!global) continue;
    bool counts = has_base(e, &(kgi_inst){.kind = KGI_id, .op = KGI_ID_global_id, .arg = {k}});
    if (counts) kgi_c_line(e, "const uint32_t global_id_x_0 = group_x * %uu + local_id_x_0;", e->workgroup[0]);
    if (counts) kgi_c_line(e, "const kg_u32v global_id_x = kg_count(global_id_x_0);");
    else kgi_c_line(e, "const kg_u32v global_id_%c = kg_splat_u32(group_%c * %uu) + local_id_%c;", axis(k), axis(k), e->workgroup[k], axis(k));
  }
  if (ids & kgi_c_id_bit(KGI_ID_local_index, 0)) {
    kgi_c_line(e, "const uint32_t local_index_0 = kg_c * KG_LANES;");
    kgi_c_line(e, "const kg_u32v local_index = kg_count(local_index_0);");
  }
  if (ids & kgi_c_id_bit(KGI_ID_subgroup_lane, 0)) {
    kgi_c_line(e, "const uint32_t subgroup_lane_0 = 0;");
    kgi_c_line(e, "const kg_u32v subgroup_lane = kg_count(subgroup_lane_0);");
  }
  if (ids & kgi_c_id_bit(KGI_ID_subgroup_id, 0)) kgi_c_line(e, "const kg_u32v subgroup_id = kg_splat_u32(kg_c);");
}

/* ---- values ---- */

static bool is_elsewhere(const kgi_c_emit *e, uint32_t i) { return e->plan.row[i] && e->plan.segment[i] != e->segment; }

/* Between segments: what all have alike, though it lies in a row. */
static const char *first_of_row(kgi_c_emit *e, uint32_t i) {
  const kgi_c_loop *loop = e->loop;
  while (loop && !loop->rows) loop = loop->outer;
  const char *who = loop ? kgi_c_format(e, "x%u", loop->inst) : e->plan.returns ? "live" : NULL;
  const char *at = who ? kgi_c_format(e, "[kg_live(%s, chunks) / KG_LANES][kg_live(%s, chunks) %% KG_LANES]", who, who) : "[0][0]";
  return kgi_c_format(e, e->p->inst[i].type == KG_BOOL ? "r%u%s != 0" : "r%u%s", i, at);
}

static const char *name_of(kgi_c_emit *e, uint32_t i) {
  if (kgi_is_leaf(e->p->inst[i].kind)) return leaf_text(e, &e->p->inst[i]);
  if (is_elsewhere(e, i) && !e->segment) return first_of_row(e, i);
  if (is_elsewhere(e, i)) return kgi_c_format(e, "r%u[kg_c]", i);
  return e->name[i] ? e->name[i] : "0";
}

const char *kgi_c_value(kgi_c_emit *e, uint32_t i, bool lanes) {
  const char *name = name_of(e, i);
  if (!lanes || !kgi_c_is_scalar(e, i)) return name;
  unsigned type = e->p->inst[i].type;
  return type == KG_BOOL ? kgi_c_format(e, "kg_mask_of(%s)", name) : kgi_c_format(e, "kg_splat_%s(%s)", kgi_c_carrier(type), name);
}

const char *kgi_c_base(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  *sure = NULL;
  if (inst->kind == KGI_id) return has_base(e, inst) ? kgi_c_format(e, "%s_0", id_text(e, inst)) : NULL;
  if (kgi_is_leaf(inst->kind) || !e->base[i]) return NULL;
  if (is_elsewhere(e, i)) return e->sure[i] ? NULL : kgi_c_format(e, "r%u[kg_c][0]", i);
  *sure = e->sure[i];
  return e->base[i];
}

void kgi_c_define(kgi_c_emit *e, uint32_t i, const char *expression) {
  const kgi_inst *inst = &e->p->inst[i];
  e->name[i] = kgi_c_format(e, "v%u", i);
  kgi_c_line(e, "const %s v%u = %s;", kgi_c_type(inst->type, !kgi_c_is_scalar(e, i)), i, expression);
  if (e->plan.row[i]) kgi_c_line(e, "r%u[kg_c] = v%u;", i, i);
}

/* ---- operations ---- */

/* A value that counts up from lane to lane: the sum of such a one and a scalar, and the same number as another type. */
static const char *counting(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  if (!kgi_is_int(inst->type) || kgi_type_bits(inst->type) != 32) return NULL;
  const char *a = kgi_c_base(e, inst->arg[0], sure);
  bool second = inst->op == KGI_OP_add || inst->op == KGI_OP_sub;
  if (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast) {
    unsigned from = e->p->inst[inst->arg[0]].type;
    return kgi_is_int(from) && kgi_type_bits(from) == 32 ? a : NULL;
  }
  if (a && second && kgi_c_is_scalar(e, inst->arg[1]))
    return kgi_c_format(e, "%s %c %s", a, inst->op == KGI_OP_add ? '+' : '-', kgi_c_value(e, inst->arg[1], false));
  if (inst->op != KGI_OP_add || !kgi_c_is_scalar(e, inst->arg[0])) return NULL;
  const char *b = kgi_c_base(e, inst->arg[1], sure);
  return b ? kgi_c_format(e, "%s + %s", kgi_c_value(e, inst->arg[0], false), b) : NULL;
}

/* A place in several dimensions whose last index counts: so does the place, if no lane is outside. */
static const char *counting_place(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *before, *base = kgi_c_base(e, inst->arg[0], &before);
  if (!base || !kgi_c_is_scalar(e, inst->arg[1]) || !kgi_c_is_scalar(e, inst->arg[2])) return NULL;
  const char *row = kgi_c_value(e, inst->arg[1], false), *extent = kgi_c_value(e, inst->arg[2], false);
  bool is_signed = kgi_type_kind_of(e->p->inst[inst->arg[0]].type) == KGI_SINT;
  if (kgi_type_bits(e->p->inst[inst->arg[0]].type) != 32) return NULL;
  *sure = kgi_c_format(e, "s%u", i);
  kgi_c_line(e, "const bool s%u = %s%s%s(uint64_t)%s + KG_LANES <= %s && %s != UINT32_MAX;", i, before ? before : "", before ? " && " : "",
             is_signed ? kgi_c_format(e, "%s <= INT32_MAX && ", base) : "", base, extent, row);
  return kgi_c_format(e, "%s * %s + %s", row, extent, base);
}

static unsigned leading(const kgi_c_emit *e, const kgi_inst *inst) { return e->p->inst[inst->arg[inst->op == KGI_OP_select]].type; }

static const char *expression(kgi_c_emit *e, uint32_t i, bool lanes) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *a[4] = {0};
  unsigned taken = inst->op == KGI_OP_with_partial ? 1 : kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < taken; k++) a[k] = kgi_c_value(e, inst->arg[k], lanes);
  for (unsigned k = taken; k < 4; k++) a[k] = a[0];
  if (e->lowered && inst->op == KGI_OP_convert && leading(e, inst) == KG_F32 && inst->type == KG_I32)
    return kgi_c_format(e, "(kg_u32v)__builtin_convertvector(%s, kg_i32v)", a[0]);
  kgi_c_text text = {.arena = e->arena};
  bool function = kgi_op_rows[inst->op].flags & KGI_FUNCTION || ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && kgi_is_float(inst->type));
  if (lanes && function && inst->type != KG_F64) {
    if (!e->function[inst->op]) e->function[inst->op] = KGI_C_WANTED;
  }
  if (!kgi_c_op(&text, (kgi_op)inst->op, leading(e, inst), inst->type, a, lanes)) return NULL;
  return text.at ? text.at : "0";
}

void kgi_c_operation(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  if (kgi_c_is_scalar(e, i)) {
    const char *text = expression(e, i, false);
    if (!text) text = kgi_c_format(e, inst->type == KG_BOOL ? "(%s)[0] != 0" : "(%s)[0]", expression(e, i, true));
    kgi_c_define(e, i, text);
    return;
  }
  const char *sure = NULL, *base = inst->op == KGI_OP_flat_index ? counting_place(e, i, &sure) : counting(e, i, &sure);
  if (base) {
    kgi_c_line(e, "const uint32_t c%u = %s;", i, base);
    e->base[i] = kgi_c_format(e, "c%u", i), e->sure[i] = sure;
  }
  kgi_c_define(e, i, base && !sure ? kgi_c_format(e, "kg_count(c%u)", i) : expression(e, i, true));
}
