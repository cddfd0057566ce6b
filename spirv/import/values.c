/* Values as arrays of scalars, and operations on them, leaf by leaf. */
#include "spirv/import/import.h"

kgi_val *kgi_im_room(kgi_import *im, uint32_t leaves) { return kgi_arena_alloc(im->arena, leaves, sizeof(kgi_val)); }

uint32_t kgi_im_type_of(kgi_import *im, uint32_t id) { return kgi_im_def(im, id).type; }

/* ---- from inside of a block to its outside ---- */

bool kgi_im_is_open(const kgi_program *p, kgi_blk block, kgi_blk from) {
  while (from && from != block) from = p->block[from].owner ? p->inst[p->block[from].owner].block : 0;
  return from == block;
}

uint32_t kgi_im_around(const kgi_program *p, uint32_t inst, kgi_blk cursor) {
  while (inst && !kgi_im_is_open(p, p->inst[inst].block, cursor)) inst = p->block[p->inst[inst].block].owner;
  return inst;
}

static bool remember(kgi_import *im, uint32_t value, kgi_im_spill spill) {
  while (im->spilled_count <= value) {
    if (!kgi_arena_grow(im->arena, &im->spilled, im->spilled_count, &im->spilled_cap, sizeof *im->spilled)) return false;
    im->spilled[im->spilled_count++] = (kgi_im_spill){{0}, 0};
  }
  im->spilled[value] = spill;
  return true;
}

void kgi_im_keep(kgi_import *im, kgi_obj var, kgi_val x) {
  kgi_store(&im->b, var, (kgi_val){0}, x);
  kgi_im_hold(im, var, 0, x);
}

kgi_val kgi_im_load_kept(kgi_import *im, kgi_obj var) {
  kgi_val out = kgi_load(&im->b, var, (kgi_val){0});
  kgi_im_is_held(im, var, 0, out);
  return out;
}

/* A var in front of the statement that holds the value, and a store behind where it is computed. */
static bool spill(kgi_import *im, kgi_val x, uint32_t holder) {
  kgi_builder *b = &im->b;
  kgi_cursor here = b->at;
  b->at = kgi_before(b->p, holder);
  const char *name = kgi_string(b->m, b->p->inst_name[x.i]);
  kgi_im_spill made = {.object = kgi_var(b, *name ? name : "kept", kgi_type_of(b->p, x), (kgi_dim){0})};
  made.declared = b->at.after;
  b->at = kgi_behind(b->p, x.i);
  kgi_im_keep(im, made.object, x);
  b->at = here;
  return b->status == KG_OK && remember(im, x.i, made);
}

static bool is_here(const kgi_import *im, kgi_val x) {
  const kgi_inst *inst = &im->b.p->inst[x.i];
  return kgi_is_leaf(inst->kind) || kgi_im_is_open(im->b.p, inst->block, im->b.at.block);
}

/* The var that holds a value from inside of another block. */
static kgi_im_spill spill_of(kgi_import *im, kgi_val x) {
  kgi_builder *b = &im->b;
  uint32_t holder = kgi_im_around(b->p, x.i, b->at.block);
  if (!holder) return kgi_im_malformed(im, 0, "a value that is used where it does not exist"), (kgi_im_spill){{0}, 0};
  kgi_im_spill known = x.i < im->spilled_count ? im->spilled[x.i] : (kgi_im_spill){{0}, 0};
  if (!known.object.i) return spill(im, x, holder) ? im->spilled[x.i] : known;
  if (!kgi_im_is_open(b->p, b->p->inst[known.declared].block, b->at.block))
    kgi_move(b->p, known.declared, kgi_before(b->p, holder));
  return known;
}

kgi_val kgi_im_visible(kgi_import *im, kgi_val x) {
  if (!kgi_im_fine(im) || !x.i || is_here(im, x)) return x;
  kgi_im_spill from = spill_of(im, x);
  return kgi_im_fine(im) ? kgi_im_load_kept(im, from.object) : (kgi_val){0};
}

/* ---- binding ---- */

/* A block that stands in the program twice, as a switch's case does that others run into, computes its values twice. Behind both
 * they are one: what is computed here goes into the var that holds what was computed there. */
static kgi_val joined(kgi_import *im, kgi_val before, kgi_val x) {
  if (!kgi_im_fine(im) || !before.i || before.i == x.i || is_here(im, before)) return x;
  kgi_im_spill both = spill_of(im, before);
  if (!kgi_im_fine(im)) return x;
  kgi_im_keep(im, both.object, x);
  kgi_val out = kgi_im_load_kept(im, both.object);
  return remember(im, out.i, both) ? out : x;
}

static kgi_val *all_joined(kgi_import *im, const kgi_val *before, const kgi_val *leaves, uint32_t count) {
  kgi_val *out = kgi_im_room(im, count);
  for (uint32_t k = 0; k < count && out; k++) out[k] = joined(im, before[k], leaves[k]);
  return out;
}

void kgi_im_bind(kgi_import *im, const kgi_im_inst *x, kgi_val *leaves) {
  if (!leaves || !kgi_im_fine(im) || !x->result) return;
  if (im->value[x->result]) leaves = all_joined(im, im->value[x->result], leaves, im->leaves[x->type]);
  if (!leaves) return;
  im->value[x->result] = leaves;
  const char *name = kgi_im_name_of(im, x->result, KGI_IM_NONE);
  if (*name && im->leaves[x->type] == 1 && !im->b.p->inst_name[leaves->i].i) kgi_name(&im->b, *leaves, name);
}

/* ---- reading ---- */

kgi_val *kgi_im_value(kgi_import *im, uint32_t id) {
  if (!kgi_im_fine(im)) return NULL;
  kgi_im_inst x = kgi_im_def(im, id);
  if (!kgi_im_fine(im)) return NULL;
  kgi_val *leaves = im->value[id];
  if (!leaves && kgi_im_is_constant(x.op)) return kgi_im_constant(im, &x);
  if (kgi_im_is_array(im, x.type)) return kgi_im_refuse(im, &x, "as a value it has too many parts"), NULL;
  if (!leaves && im->place[id]) return kgi_im_refuse(im, &x, "as a value a pointer is not supported"), NULL;
  if (!leaves) return kgi_im_malformed(im, x.at, "a value that is used before it is computed"), NULL;
  uint32_t count = im->leaves[x.type];
  bool same = true;
  for (uint32_t k = 0; k < count && same; k++) {
    const kgi_inst *inst = &im->b.p->inst[leaves[k].i];
    same = kgi_is_leaf(inst->kind) || kgi_im_is_open(im->b.p, inst->block, im->b.at.block);
  }
  if (same) return leaves;
  kgi_val *out = kgi_im_room(im, count);
  for (uint32_t k = 0; k < count && out; k++) out[k] = kgi_im_visible(im, leaves[k]);
  return out;
}

kgi_val kgi_im_scalar_value(kgi_import *im, uint32_t id) {
  kgi_val *leaves = kgi_im_value(im, id);
  if (!leaves) return (kgi_val){0};
  if (im->leaves[kgi_im_type_of(im, id)] != 1) kgi_im_malformed(im, 0, "a vector in the place of a scalar");
  return kgi_im_fine(im) ? *leaves : (kgi_val){0};
}

/* ---- integers of 8 and 16 bits are computed in 32 ---- */

kgi_val kgi_im_narrow(kgi_import *im, kgi_val x, kgi_im_scalar s) {
  if (!kgi_im_fine(im) || !kgi_is_int(s.value) || s.bits >= 32) return x;
  if (s.is_signed) {
    kgi_val none = kgi_u32(&im->b, 0);
    return kgi_op3(&im->b, KGI_OP_bit_extract, x, none, kgi_u32(&im->b, s.bits));
  }
  return kgi_op2(&im->b, KGI_OP_and, x, kgi_u32(&im->b, (1u << s.bits) - 1));
}

/* The same bits as an integer of the other sign; what is no integer stays. */
static kgi_val with_sign(kgi_import *im, kgi_val x, kgi_im_scalar from, bool is_signed) {
  if (!kgi_is_int(from.value) || from.is_signed == is_signed) return x;
  kg_type type = from.bits == 64 ? is_signed ? KG_I64 : KG_U64 : is_signed ? KG_I32 : KG_U32;
  from.is_signed = is_signed;
  return kgi_im_narrow(im, kgi_convert(&im->b, type, x), from);
}

kgi_val kgi_im_as_type(kgi_import *im, kgi_val x, kgi_im_scalar from, kgi_im_scalar to) {
  if (!kgi_im_fine(im) || from.value == to.value) return x;
  return kgi_is_int(from.value) && kgi_is_int(to.value) ? kgi_convert(&im->b, to.value, x) : x;
}

/* By how much is shifted may be wider or narrower than what is. */
static kgi_val as_wide(kgi_import *im, kgi_val x, kgi_im_scalar first) {
  kg_type type = kgi_im_fine(im) ? kgi_type_of(im->b.p, x) : KG_NONE;
  if (!kgi_is_int(type) || !kgi_is_int(first.value) || kgi_type_bits(type) == kgi_type_bits(first.value)) return x;
  bool is_signed = type == KG_I32 || type == KG_I64;
  return kgi_convert(&im->b, kgi_type_bits(first.value) == 64 ? is_signed ? KG_I64 : KG_U64 : is_signed ? KG_I32 : KG_U32, x);
}

static kgi_val operand(kgi_import *im, kgi_val x, kgi_im_scalar from, kgi_im_scalar first, kgi_im_scalar result, kgi_im_as as) {
  switch (as) {
  case KGI_IM_SIGNED: return as_wide(im, with_sign(im, x, from, true), first);
  case KGI_IM_UNSIGNED: return as_wide(im, with_sign(im, x, from, false), first);
  case KGI_IM_RESULT: return kgi_im_as_type(im, x, from, result);
  case KGI_IM_FIRST: return kgi_im_as_type(im, x, from, first);
  case KGI_IM_PLAIN: break;
  }
  return x;
}

void kgi_im_apply(kgi_import *im, const kgi_im_inst *x, const uint32_t *ids, uint32_t count, kgi_op op, kgi_im_as as,
                  bool negated) {
  enum { MOST = 4 };
  kgi_val *from[MOST], arg[MOST];
  kgi_im_scalar scalar[MOST], result = kgi_im_scalar_of(im, x->type);
  if (count > MOST || !count || !kgi_im_fine(im)) return (void)kgi_im_malformed(im, x->at, "an operation of no known arity");
  uint32_t leaves = im->leaves[x->type];
  kgi_val *out = kgi_im_room(im, leaves);
  for (uint32_t k = 0; k < count && kgi_im_fine(im); k++) {
    uint32_t type = kgi_im_type_of(im, ids[k]);
    from[k] = kgi_im_value(im, ids[k]);
    if (!kgi_im_fine(im)) return;
    if (im->leaves[type] != leaves) return (void)kgi_im_malformed(im, x->at, "operands with different numbers of parts");
    scalar[k] = kgi_im_scalar_of(im, type);
  }
  for (uint32_t i = 0; i < leaves && kgi_im_fine(im); i++) {
    for (uint32_t k = 0; k < count && kgi_im_fine(im); k++) arg[k] = operand(im, from[k][i], scalar[k], scalar[0], result, as);
    if (!kgi_im_fine(im)) return;
    kgi_val y = kgi_apply(&im->b, op, arg, count);
    if (negated) y = kgi_op1(&im->b, KGI_OP_not, y);
    kgi_im_scalar got = {.value = kgi_im_fine(im) ? kgi_type_of(im->b.p, y) : KG_NONE};
    out[i] = kgi_im_narrow(im, kgi_im_as_type(im, y, got, result), result);
  }
  kgi_im_bind(im, x, out);
}

void kgi_im_operation(kgi_import *im, const kgi_im_inst *x, kgi_op op, kgi_im_as as, bool negated) {
  kgi_im_apply(im, x, x->arg, x->args, op, as, negated);
}
