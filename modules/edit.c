/* Programs and items of a module: names, order, what leaves. */
#include "modules/modules.h"

static bool is_run_in(const kg_module *m, uint32_t first, uint32_t program) {
  for (uint32_t i = first; i; i = m->item[i].next) {
    if (m->item[i].kind == KGI_ITEM_RUN && m->item[i].program == program) return true;
    if (m->item[i].kind == KGI_ITEM_REPEAT && is_run_in(m, m->item[i].first, program)) return true;
  }
  return false;
}

bool kgi_is_run(const kg_module *m, uint32_t program) {
  for (uint32_t i = 1; i < m->program_count; i++)
    if (m->program[i]->adjoint == program && is_run_in(m, m->first_item, i)) return true;
  return is_run_in(m, m->first_item, program);
}

static uint32_t moved_up(uint32_t index, uint32_t dropped) { return index == dropped ? 0 : index > dropped ? index - 1 : index; }

void kgi_drop_program(kg_module *m, uint32_t program) {
  for (uint32_t i = program; i + 1 < m->program_count; i++) m->program[i] = m->program[i + 1];
  m->program_count--;
  for (uint32_t i = 1; i < m->program_count; i++) m->program[i]->adjoint = moved_up(m->program[i]->adjoint, program);
  for (uint32_t i = 1; i < m->item_count; i++) {
    if (m->item[i].program == program) m->item[i] = (kgi_item){0}; /* a run that was taken out of the module before */
    else m->item[i].program = moved_up(m->item[i].program, program);
  }
}

uint32_t *kgi_list_items(const kg_module *m, uint32_t first, kgi_arena *scratch, uint32_t *count) {
  *count = 0;
  for (uint32_t i = first; i; i = m->item[i].next) ++*count;
  uint32_t *list = kgi_arena_alloc(scratch, *count, sizeof *list), n = 0;
  for (uint32_t i = first; i && list; i = m->item[i].next) list[n++] = i;
  return list;
}

static void reverse_repeats(kgi_builder *b, const kg_module *from, uint32_t first, uint32_t *made) {
  for (uint32_t i = first; i; i = from->item[i].next) {
    const kgi_item item = from->item[i];
    if (item.kind != KGI_ITEM_REPEAT) continue;
    b->pos = item.pos;
    made[i] = kgi_repeat_begin(b, kgi_string(from, item.name), item.from, item.to, item.step, !item.reversed);
    reverse_repeats(b, from, item.first, made);
  }
}

uint32_t *kgi_reversed_repeats(kgi_builder *b, const kg_module *from, kgi_arena *scratch) {
  uint32_t *made = kgi_arena_alloc(scratch, from->item_count, sizeof *made);
  if (made) reverse_repeats(b, from, from->first_item, made);
  return made;
}
