/* Backwards from where bits become a float. A value is made before it is used, so that one round is enough but for what loops carry in
 * memory; where the rounds are not enough, nothing is marked. */
#include "foundation/analysis/whole.h"
#include "foundation/base/limits.h"

typedef struct whole_finder {
  const kgi_program *p;
  bool *value;  /* by instruction: an integer whose steps are those of a float's bits */
  bool *object; /* likewise, what it holds */
  bool *from;   /* by object: an integer that is made of such a number is stored to it */
  bool changed;
} whole_finder;

static bool is_integer(const kgi_program *p, uint32_t value) { return value && kgi_is_int(p->inst[value].type); }

static void mark(whole_finder *w, uint32_t value) {
  if (!is_integer(w->p, value) || w->value[value]) return;
  w->value[value] = w->changed = true;
}

static bool keeps_steps(kgi_op op) {
  return op == KGI_OP_bitcast || op == KGI_OP_convert || op == KGI_OP_add || op == KGI_OP_sub || op == KGI_OP_and || op == KGI_OP_or ||
         op == KGI_OP_xor || op == KGI_OP_not || op == KGI_OP_select || op == KGI_OP_min || op == KGI_OP_max || op == KGI_OP_clamp;
}

static void of_op(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool ends = inst->op == KGI_OP_bitcast && kgi_is_float(inst->type);
  if (!ends && !(w->value[i] && keeps_steps((kgi_op)inst->op))) return;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (is_integer(w->p, inst->arg[k]) && kgi_type_bits((kg_type)w->p->inst[inst->arg[k]].type) == kgi_type_bits((kg_type)inst->type))
      mark(w, inst->arg[k]);
}

static void of_memory(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  uint32_t object = inst->arg[0];
  unsigned space = w->p->scope.object[object].space;
  if (space != KGI_VAR && space != KGI_SHARED) return;
  if (w->value[i] && !w->object[object]) w->object[object] = w->changed = true;
  if (inst->kind == KGI_store && w->object[object]) mark(w, inst->arg[2]);
}

static bool makes_float_of_bits(const kgi_program *p) {
  bool makes = false, takes = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind != KGI_op) continue;
    makes |= inst->op == KGI_OP_bitcast && kgi_is_float(inst->type) && is_integer(p, inst->arg[0]);
    takes |= inst->op == KGI_OP_convert && kgi_is_int(inst->type) && kgi_is_float(p->inst[inst->arg[0]].type);
  }
  return makes && takes;
}

static bool is_conversion(const whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  return inst->kind == KGI_op && inst->op == KGI_OP_convert && w->value[i] && w->p->inst[inst->arg[0]].type == KG_F32 &&
         (inst->type == KG_U32 || inst->type == KG_I32);
}

/* Whether the integer is made of one. */
static bool is_of_whole(const whole_finder *w, const uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool any = whole[i] || (inst->kind == KGI_load && w->from[inst->arg[0]]);
  if (inst->kind != KGI_op || !keeps_steps((kgi_op)inst->op)) return any;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) any |= whole[inst->arg[k]] != 0;
  return any;
}

static void spread(whole_finder *w, uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  if (inst->kind == KGI_store && whole[inst->arg[2]] && !w->from[inst->arg[0]]) w->from[inst->arg[0]] = w->changed = true;
  if (!is_integer(w->p, i) || whole[i] & KGI_OF_WHOLE || !is_of_whole(w, whole, i)) return;
  whole[i] |= KGI_OF_WHOLE;
  w->changed = true;
}

bool kgi_find_whole(const kgi_program *p, uint8_t *whole, kgi_arena *scratch) {
  whole_finder w = {.p = p, .changed = makes_float_of_bits(p)};
  if (!w.changed) return true;
  w.value = kgi_arena_alloc(scratch, p->inst_count, sizeof *w.value);
  w.object = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.object);
  w.from = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.from);
  uint32_t *order = kgi_arena_alloc(scratch, p->inst_count, sizeof *order), count = 0;
  if (scratch->failed) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) order[count++] = i;
  for (unsigned round = 0; w.changed; round++) {
    w.changed = false;
    if (round == KGI_LIMIT(bit_rounds)) return true;
    for (uint32_t k = count; k--;) {
      if (p->inst[order[k]].kind == KGI_op) of_op(&w, order[k]);
      else if (kgi_touches(&p->inst[order[k]])) of_memory(&w, order[k]);
    }
  }
  for (uint32_t k = 0; k < count; k++) whole[order[k]] = is_conversion(&w, order[k]) ? KGI_WHOLE : 0;
  w.changed = true;
  for (unsigned round = 0; w.changed && round < KGI_LIMIT(bit_rounds); round++) {
    w.changed = false;
    for (uint32_t k = 0; k < count; k++) spread(&w, whole, order[k]);
  }
  return true;
}
