#include "fuzz/edit/edit.h"

#include "modules/modules.h"

#include <kgrad/foundation.h>

#include <stdlib.h>

uint32_t *kgi_list_instructions(const kgi_program *p, uint32_t *count) {
  uint32_t *list = malloc((p->inst_count + 1) * sizeof *list);
  *count = 0;
  if (!list) return NULL;
  KGI_EACH_INSIDE(p, KGI_BODY, i) list[(*count)++] = i;
  return list;
}

void kgi_replace_uses(kgi_program *p, uint32_t value, uint32_t by) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_inst *x = &p->inst[i];
    kgi_span operands = kgi_operands(x);
    for (unsigned k = 0; k < operands.count; k++)
      if (x->arg[operands.first + k] == value) x->arg[operands.first + k] = by;
  }
}

void kgi_drop_programs(kg_module *m) {
  for (uint32_t k = m->program_count; --k > 0;)
    if (!kgi_is_run(m, k)) kgi_drop_program(m, k);
}

kgi_val kgi_plain_literal(kgi_builder *b, kg_type type, int value) {
  return kgi_is_float(type) ? kgi_float(b, type, value) : type == KG_BOOL ? kgi_bool(b, value != 0) : kgi_int(b, type, value);
}

void kgi_cut(kgi_builder *b, uint32_t i, int value) {
  kgi_program *p = b->p;
  if (p->inst[i].type != KG_NONE) {
    kgi_val literal = kgi_plain_literal(b, (kg_type)p->inst[i].type, value);
    kgi_replace_uses(p, i, literal.i);
  }
  kgi_remove(p, i);
}

void kgi_unwrap(kgi_program *p, uint32_t i, kgi_blk block) {
  while (p->block[block].first) kgi_move(p, p->block[block].first, kgi_before(p, i));
  kgi_remove(p, i);
}

static bool is_dead(const kgi_program *p, const uint32_t *uses, uint32_t i) {
  const kgi_inst *x = &p->inst[i];
  bool empty = kgi_is_region(x) && !p->block[x->arg[0]].first;
  return (kgi_is_pure(x) && !uses[i]) || empty;
}

void kgi_drop_dead(kgi_program *p) {
  for (bool changed = true; changed;) {
    uint32_t count, *list = kgi_list_instructions(p, &count), *uses = calloc(p->inst_count, sizeof *uses);
    changed = false;
    if (list && uses) kgi_count_uses(p, KGI_BODY, uses);
    for (uint32_t k = count; list && uses && k-- > 0;)
      if (is_dead(p, uses, list[k])) kgi_remove(p, list[k]), changed = true;
    free(list), free(uses);
  }
}

void kgi_settle_lone(kg_module *m) {
  if (!m->lone) return;
  m->item_count = 1, m->bind_count = 0;
  kgi_module_finish_lone(m);
}

bool kgi_is_sound(kg_module **m) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  kg_module *made = NULL;
  for (uint32_t k = 1; k < (*m)->program_count; k++) kgi_drop_dead((*m)->program[k]);
  kgi_settle_lone(*m);
  if ((*m)->arena.failed || kg_module_encode(NULL, *m, NULL, &bytes, &size) != KG_OK) return false;
  kg_status status = kg_module_decode(NULL, "program", bytes, size, NULL, &made);
  kg_bytes_free(NULL, bytes, size);
  if (status != KG_OK) return false;
  kg_module_free(*m);
  *m = made;
  return true;
}
