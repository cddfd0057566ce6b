/* Derivatives that a kernel states (with_partial). The gradient is held to them: duals take what is stated. Whether it is the
 * derivative of what the kernel computes is another question, and a straight-through estimator says no on purpose: where it is
 * not, that is said. */
#include "verify/oracle.h"
#include "foundation/ir/program.h"
#include "foundation/ir/number.h"
#include "modules/modules.h"

#include <math.h>

/* Apart by more than this part of what was added up. The values that both go by are rounded, and a formula for what a few steps come near
 * to is no closer; one place of many that is wrong is not lost. */
static double apart(const kgi_oracle *o) { return o->scale.unit <= 0x1p-24 ? 0x1p-16 : 0x1p-10; }
enum { MOST_PLACES = 16 };

/* Where it is stated: all rows of one call of a function have its position. */
typedef struct place { uint32_t program; kgi_pos pos; } place;

static bool is_op(const kgi_inst *inst, kgi_op op) { return inst->kind == KGI_op && inst->op == op; }
static bool is_stated(const kgi_inst *inst) { return inst->block && is_op(inst, KGI_OP_with_partial); }

/* Value and derivative of the operand: at a tie either side of a maximum has half. */
static void make_plain(kgi_inst *inst) { inst->op = KGI_OP_max, inst->arg[1] = inst->arg[0], inst->arg[2] = inst->arg[3] = 0; }

/* A function of several types converts between what it computes, cut off from its own derivative, and what it states. */
static void take_own(kgi_program *p, kgi_pos pos) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    if (!is_stated(&p->inst[i]) || p->inst_pos[i] != pos) continue;
    kgi_inst *below = &p->inst[p->inst[i].arg[0]];
    if (is_op(below, KGI_OP_convert)) below = &p->inst[below->arg[0]];
    if (is_op(below, KGI_OP_stop_gradient)) make_plain(below);
    make_plain(&p->inst[i]);
  }
}

static uint32_t find_places(const kg_module *m, place *out) {
  uint32_t count = 0;
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    for (uint32_t i = 1; i < p->inst_count && count < MOST_PLACES; i++) {
      bool known = !is_stated(&p->inst[i]);
      for (uint32_t n = 0; n < count && !known; n++) known = out[n].program == k && out[n].pos == p->inst_pos[i];
      if (!known) out[count++] = (place){k, p->inst_pos[i]};
    }
  }
  return count;
}

static void tell(const kgi_oracle *o, const place *at, double own, double stated) {
  kgi_diags diags = {.sink = o->sink, .file = o->gradient.module->file};
  char texts[2][KGI_NUMBER_TEXT];
  kgi_double_text(own, 6, texts[0]);
  kgi_double_text(stated, 6, texts[1]);
  KGI_DIAG(&diags, verify_stated, at->pos, texts[0], texts[1]);
}

static void compare(const kgi_oracle *o, const kgi_oracle *own, const place *at) {
  for (size_t k = 0; k < o->directions; k++) {
    const kgi_oracle_point *a = &o->direction[k], *b = &own->direction[k];
    double size = fmax(a->magnitude, b->magnitude);
    if (fabs(a->dual - b->dual) <= apart(o) * size || !isfinite(a->dual)) continue;
    tell(o, at, b->dual, a->dual);
    return;
  }
}

/* The same with the kernel's own derivative at one place. */
static kg_status look_at(const kgi_oracle *o, const place *at) {
  kgi_oracle own = *o;
  kg_module *m = kgi_module_copy(&o->memory.own, o->gradient.module);
  if (!m) return kgi_oracle_no_memory(o);
  take_own(m->program[at->program], at->pos);
  own.gradient.module = own.primal.module = m;
  for (size_t k = 0; k < o->directions; k++) own.direction[k] = kgi_oracle_no_point(k);
  kg_status status = kgi_oracle_along(&own);
  if (status == KG_OK) compare(o, &own, at);
  kg_module_free(m);
  return status;
}

kg_status kgi_oracle_stated(const kgi_oracle *o) {
  place places[MOST_PLACES];
  uint32_t count = find_places(o->gradient.module, places);
  kg_status status = KG_OK;
  for (uint32_t k = 0; k < count && status == KG_OK; k++) status = look_at(o, &places[k]);
  return status;
}
