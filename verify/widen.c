#include "verify/widen.h"
#include "foundation/ir/validate.h"

#include <string.h>

static uint8_t wide(unsigned type) { return (uint8_t)(type == KG_F32 ? KG_F64 : type); }

static uint64_t wide_bits(unsigned type, uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float narrow;
  if (type != KG_F32) return bits;
  memcpy(&narrow, &low, sizeof narrow);
  double value = (double)narrow;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void widen_scope(kgi_scope *s) {
  for (uint32_t i = 1; i < s->object_count; i++) s->object[i].type = wide(s->object[i].type);
  for (uint32_t i = 1; i < s->param_count; i++)
    s->param[i].bits = wide_bits(s->param[i].type, s->param[i].bits), s->param[i].type = wide(s->param[i].type);
  for (uint32_t i = 1; i < s->spec_count; i++)
    s->spec[i].bits = wide_bits(s->spec[i].type, s->spec[i].bits), s->spec[i].type = wide(s->spec[i].type);
}

static void widen_program(kgi_program *p) {
  widen_scope(&p->scope);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_literal) {
      uint64_t bits = wide_bits(x->type, kgi_literal_bits(x));
      x->arg[0] = (uint32_t)bits, x->arg[1] = (uint32_t)(bits >> 32);
    }
    x->type = wide(x->type);
  }
}

bool kgi_widen(kg_module *m) {
  widen_scope(&m->scope);
  for (uint32_t k = 1; k < m->program_count; k++) widen_program(m->program[k]);
  return kgi_validate(m, NULL) == KG_OK;
}
