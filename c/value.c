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
  const char *sign = signbit(value) ? "-" : "";
  double size = fabs(value);
  if (size < 1e6 && size == (double)(int)size) return kgi_c_format(e, "(%s%d.0%s)", sign, (int)size, end);
  /* digit by digit: printf's decimal point is that of the host's locale */
  uint64_t all;
  memcpy(&all, &size, sizeof all);
  int exponent = (int)(all >> 52), digits = wide ? 13 : 6, power = exponent ? exponent - 1023 : -1022;
  uint64_t fraction = (all & UINT64_C(0xFFFFFFFFFFFFF)) >> (52 - 4 * digits);
  return kgi_c_format(e, "(%s0x%d.%0*" PRIx64 "p%d%s)", sign, exponent != 0, digits, fraction, power, end);
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

static bool is_line(const kgi_c_emit *e) { return e->workgroup[1] == 1 && e->workgroup[2] == 1; }

/* Whether all lanes of a chunk have the same y and z: no chunk ends in the middle of a row of invocations. */
static bool is_in_rows(const kgi_c_emit *e) { return is_line(e) || e->workgroup[0] % e->lanes == 0; }

static void local_id(kgi_c_emit *e, unsigned k) {
  uint32_t x = e->workgroup[0], below = k == 1 ? x : x * e->workgroup[1], size = e->workgroup[k];
  if (k == 0 && is_in_rows(e)) {
    kgi_c_line(e, "const uint32_t local_id_x_0 = kg_c * KG_LANES %% %uu;", x);
    kgi_c_line(e, "const kg_u32v local_id_x = kg_count(local_id_x_0);");
  } else if (k == 0) kgi_c_line(e, "const kg_u32v local_id_x = kg_count(kg_c * KG_LANES) %% %uu;", x);
  else if (is_in_rows(e)) {
    kgi_c_line(e, "const uint32_t local_id_%c_1 = kg_c * KG_LANES / %uu %% %uu;", axis(k), is_line(e) ? e->invocations : below, size);
    kgi_c_line(e, "const kg_u32v local_id_%c = kg_splat_u32(local_id_%c_1);", axis(k), axis(k));
  } else kgi_c_line(e, "const kg_u32v local_id_%c = kg_count(kg_c * KG_LANES) / %uu %% %uu;", axis(k), below, size);
}

static void global_id(kgi_c_emit *e, unsigned k) {
  const char *end = is_in_rows(e) ? k == 0 ? "_0" : "_1" : NULL;
  if (!end) {
    kgi_c_line(e, "const kg_u32v global_id_%c = kg_splat_u32(group_%c * %uu) + local_id_%c;", axis(k), axis(k), e->workgroup[k], axis(k));
    return;
  }
  kgi_c_line(e, "const uint32_t global_id_%c%s = group_%c * %uu + local_id_%c%s;", axis(k), end, axis(k), e->workgroup[k], axis(k), end);
  kgi_c_line(e, "const kg_u32v global_id_%c = %s(global_id_%c%s);", axis(k), k == 0 ? "kg_count" : "kg_splat_u32", axis(k), end);
}

static bool is_of_axes(const kgi_inst *id) { return id->op == KGI_ID_global_id || id->op == KGI_ID_local_id; }

static bool has_base(const kgi_c_emit *e, const kgi_inst *id) {
  if (id->op == KGI_ID_local_index || id->op == KGI_ID_subgroup_lane) return true;
  return is_of_axes(id) && id->arg[0] == 0 && is_in_rows(e);
}

void kgi_c_ids(kgi_c_emit *e, uint32_t ids) {
  for (unsigned k = 0; k < 3; k++) {
    bool global = ids & kgi_c_id_bit(KGI_ID_global_id, k);
    if (global || ids & kgi_c_id_bit(KGI_ID_local_id, k)) local_id(e, k);
    if (global) global_id(e, k);
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

static bool is_among(const char *condition, size_t size, const char *all) {
  for (const char *at = all; at; at = strstr(at, " && ")) {
    if (at != all) at += 4;
    if (!strncmp(at, condition, size) && (!at[size] || at[size] == ' ')) return true;
  }
  return false;
}

/* Whether every condition of a conjunction of names is among those of the other. */
static bool is_assumed(const char *conditions, const char *all) {
  for (const char *end; conditions; conditions = end ? end + 4 : NULL) {
    end = strstr(conditions, " && ");
    if (!is_among(conditions, end ? (size_t)(end - conditions) : strlen(conditions), all)) return false;
  }
  return true;
}

/* What is to be asked yet of a condition; NULL: nothing. */
static const char *asked(const kgi_c_emit *e, const char *sure) {
  return sure && e->assumed && is_assumed(sure, e->assumed) ? NULL : sure;
}

const char *kgi_c_base(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  *sure = NULL;
  if (inst->kind == KGI_id) return has_base(e, inst) ? kgi_c_format(e, "%s_0", id_text(e, inst)) : NULL;
  if (kgi_is_leaf(inst->kind) || !e->base[i]) return NULL;
  if (is_elsewhere(e, i)) return e->sure[i] ? NULL : kgi_c_format(e, "r%u[kg_c][0]", i);
  *sure = asked(e, e->sure[i]);
  return e->base[i];
}

void kgi_c_define(kgi_c_emit *e, uint32_t i, const char *expression) {
  const kgi_inst *inst = &e->p->inst[i];
  e->name[i] = kgi_c_format(e, "v%u", i);
  kgi_c_line(e, "const %s v%u = %s;", kgi_c_type(inst->type, !kgi_c_is_scalar(e, i)), i, expression);
  if (e->plan.row[i]) kgi_c_line(e, "r%u[kg_c] = v%u;", i, i);
}

const char *kgi_c_same(kgi_c_emit *e, uint32_t i, const char **sure) {
  *sure = NULL;
  if (kgi_c_is_scalar(e, i)) return kgi_c_value(e, i, false);
  const kgi_inst *inst = &e->p->inst[i];
  if (inst->kind == KGI_id && inst->op == KGI_ID_subgroup_id) return "kg_c";
  if (inst->kind == KGI_id && is_of_axes(inst) && inst->arg[0] > 0 && is_in_rows(e)) return kgi_c_format(e, "%s_1", id_text(e, inst));
  if (kgi_is_leaf(inst->kind) || !e->same[i] || is_elsewhere(e, i)) return NULL;
  *sure = asked(e, e->sure[i]);
  return e->same[i];
}

const char *kgi_c_both(kgi_c_emit *e, const char *a, const char *b) {
  if (!a || !b || !strcmp(a, b)) return a ? a : b;
  return kgi_c_format(e, "%s && %s", a, b);
}

/* ---- operations ---- */

static bool is_word(const kgi_c_emit *e, uint32_t i) {
  unsigned type = e->p->inst[i].type;
  return kgi_is_int(type) && kgi_type_bits(type) == 32;
}

/* A value that counts up from lane to lane: the sum of such a one and what all have alike, and the same number as another type. */
static const char *counting(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *before, *other;
  if (!is_word(e, i)) return NULL;
  if (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast) return is_word(e, inst->arg[0]) ? kgi_c_base(e, inst->arg[0], sure) : NULL;
  if (inst->op != KGI_OP_add && inst->op != KGI_OP_sub) return NULL;
  const char *a = kgi_c_base(e, inst->arg[0], &before), *b = a ? kgi_c_same(e, inst->arg[1], &other) : NULL;
  if (!b && inst->op == KGI_OP_add) {
    a = kgi_c_base(e, inst->arg[1], &before);
    b = a ? kgi_c_same(e, inst->arg[0], &other) : NULL;
  }
  if (!b) return NULL;
  *sure = kgi_c_both(e, before, other);
  return kgi_c_format(e, "%s %c %s", a, inst->op == KGI_OP_add ? '+' : '-', b);
}

/* A place in several dimensions whose last index counts: so does the place, if no lane is outside. */
static const char *counting_place(kgi_c_emit *e, uint32_t i, const char **sure) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *before, *other, *base = kgi_c_base(e, inst->arg[0], &before);
  const char *row = base ? kgi_c_same(e, inst->arg[1], &other) : NULL;
  if (!row || !kgi_c_is_scalar(e, inst->arg[2]) || !is_word(e, inst->arg[0])) return NULL;
  const char *extent = kgi_c_value(e, inst->arg[2], false), *known = kgi_c_both(e, before, other);
  bool is_signed = kgi_type_kind_of(e->p->inst[inst->arg[0]].type) == KGI_SINT;
  *sure = kgi_c_format(e, "s%u", i);
  kgi_c_line(e, "const bool s%u = %s%s%s(uint64_t)%s + KG_LANES <= %s && %s != UINT32_MAX;", i, known ? known : "", known ? " && " : "",
             is_signed ? kgi_c_format(e, "%s <= INT32_MAX && ", base) : "", base, extent, row);
  if (!known && !is_signed) e->flat[i] = kgi_c_format(e, "%s, %s, %s", base, row, extent);
  return kgi_c_format(e, "%s * %s + %s", row, extent, base);
}

/* What counts divided by a scalar: where the last lane is in the same row as the first, all have one quotient, and remainders count. */
static bool in_one_row(kgi_c_emit *e, uint32_t i, const char **base, const char **by) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *sure;
  if ((inst->op != KGI_OP_div && inst->op != KGI_OP_rem) || inst->type != KG_U32 || !kgi_c_is_scalar(e, inst->arg[1])) return false;
  *base = kgi_c_base(e, inst->arg[0], &sure);
  if (!*base || sure) return false;
  *by = kgi_c_value(e, inst->arg[1], false);
  const char *condition = kgi_c_format(e, "kg_in_row(%s, %s)", *base, *by);
  if (!e->row.condition || strcmp(e->row.condition, condition)) {
    kgi_c_line(e, "const bool s%u = %s;", i, condition);
    e->row.condition = condition, e->row.name = kgi_c_format(e, "s%u", i);
  }
  e->sure[i] = e->row.name;
  return true;
}

static unsigned leading(const kgi_c_emit *e, const kgi_inst *inst) { return e->p->inst[inst->arg[inst->op == KGI_OP_select]].type; }

static const char *expression_of(kgi_c_emit *e, uint32_t i, const char **a, bool lanes) {
  const kgi_inst *inst = &e->p->inst[i];
  unsigned taken = inst->op == KGI_OP_with_partial ? 1 : kgi_op_rows[inst->op].arity;
  for (unsigned k = taken; k < 4; k++) a[k] = a[0];
  if (e->lowered && inst->op == KGI_OP_convert && leading(e, inst) == KG_F32 && inst->type == KG_I32)
    return kgi_c_format(e, "(kg_u32v)__builtin_convertvector(%s, kg_i32v)", a[0]);
  kgi_c_text text = {.arena = e->arena};
  bool function = kgi_op_rows[inst->op].flags & KGI_FUNCTION || ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && kgi_is_float(inst->type));
  if (lanes && function && inst->type != KG_F64 && !e->function[inst->op]) e->function[inst->op] = KGI_C_WANTED;
  if (!kgi_c_op(&text, (kgi_op)inst->op, leading(e, inst), inst->type, a, lanes)) return NULL;
  return text.at ? text.at : "0";
}

/* A product and a sum at once, over operands as `a` has them. */
static const char *contracted_text(kgi_c_emit *e, uint32_t i, const kgi_contracted *x, const char *const *a, bool lanes) {
  const char *type = kgi_c_carrier(e->p->inst[i].type), *minus_a = x->minus_a ? "-" : "", *minus_c = x->minus_c ? "-" : "";
  return kgi_c_format(e, "kg_%smad_%s(%s%s, %s, %s%s)", lanes ? "" : "one_", type, minus_a, a[0], a[1], minus_c, a[2]);
}

static bool is_contracted(const kgi_c_emit *e, uint32_t i) {
  return !e->lowered && e->contraction.product && e->contraction.product[i];
}

static const char *expression(kgi_c_emit *e, uint32_t i, bool lanes) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *a[4] = {0};
  if (is_contracted(e, i)) {
    kgi_contracted x = kgi_contracted_of(e->p, &e->contraction, i);
    a[0] = kgi_c_value(e, x.a, lanes), a[1] = kgi_c_value(e, x.b, lanes), a[2] = kgi_c_value(e, x.c, lanes);
    return contracted_text(e, i, &x, a, lanes);
  }
  unsigned taken = inst->op == KGI_OP_with_partial ? 1 : kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < taken; k++) a[k] = kgi_c_value(e, inst->arg[k], lanes);
  return expression_of(e, i, a, lanes);
}

/* Of operands that all lanes of a chunk have alike. */
static const char *same_expression(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *a[4] = {0}, *sure = NULL, *one;
  bool sums = is_contracted(e, i);
  kgi_contracted x = sums ? kgi_contracted_of(e->p, &e->contraction, i) : (kgi_contracted){0};
  const uint32_t *operand = sums ? (const uint32_t[]){x.a, x.b, x.c} : inst->arg;
  unsigned taken = sums ? 3 : inst->op == KGI_OP_with_partial ? 1 : kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < taken; k++) {
    a[k] = kgi_c_same(e, operand[k], &one);
    if (!a[k]) return NULL;
    sure = kgi_c_both(e, sure, one);
  }
  e->sure[i] = sure;
  return sums ? contracted_text(e, i, &x, a, false) : expression_of(e, i, a, false);
}

/* What is known of a value of lanes besides: that it counts, or that all have it alike. */
static void look_closer(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  const char *sure = NULL, *base, *by, *same = NULL;
  if (in_one_row(e, i, &base, &by)) {
    same = inst->op == KGI_OP_div ? kgi_c_format(e, "%s / (%s | !%s)", base, by, by) : NULL;
    base = same ? NULL : kgi_c_format(e, "%s %% (%s | !%s)", base, by, by);
  } else {
    base = inst->op == KGI_OP_flat_index ? counting_place(e, i, &sure) : counting(e, i, &sure);
    if (base) e->sure[i] = sure;
    else same = same_expression(e, i);
  }
  if (base) kgi_c_line(e, "const uint32_t c%u = %s;", i, base), e->base[i] = kgi_c_format(e, "c%u", i);
  if (same) kgi_c_line(e, "const %s q%u = %s;", kgi_c_type(inst->type, false), i, same), e->same[i] = kgi_c_format(e, "q%u", i);
}

void kgi_c_operation(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  if (!e->lowered && e->contraction.absorbed && e->contraction.absorbed[i]) return;
  if (kgi_c_is_scalar(e, i)) {
    const char *text = expression(e, i, false);
    if (!text) text = kgi_c_format(e, inst->type == KG_BOOL ? "(%s)[0] != 0" : "(%s)[0]", expression(e, i, true));
    kgi_c_define(e, i, text);
    return;
  }
  e->base[i] = e->same[i] = e->sure[i] = e->flat[i] = NULL;
  if (!e->lowered) look_closer(e, i);
  const char *count = e->base[i] ? kgi_c_format(e, "kg_count(c%u)", i) : NULL;
  const char *others = count && !e->sure[i] ? NULL : expression(e, i, true);
  bool divides = inst->op == KGI_OP_div || inst->op == KGI_OP_rem;
  if (divides && e->same[i] && e->sure[i]) count = kgi_c_format(e, "kg_splat_%s(q%u)", kgi_c_carrier(inst->type), i);
  if (divides && count && e->sure[i]) kgi_c_define(e, i, kgi_c_format(e, "(%s ? %s : %s)", e->sure[i], count, others));
  else kgi_c_define(e, i, others ? others : count);
}

void kgi_c_begin_again(kgi_c_emit *e) {
  for (const kgi_c_again *a = e->plan.again[e->segment]; a; a = a->next) {
    if (e->again[a->inst] || e->plan.row[a->inst]) continue;
    e->again[a->inst] = true;
    kgi_c_operation(e, a->inst);
  }
}

void kgi_c_end_again(kgi_c_emit *e) {
  for (const kgi_c_again *a = e->plan.again[e->segment]; a; a = a->next) e->again[a->inst] = false;
}
