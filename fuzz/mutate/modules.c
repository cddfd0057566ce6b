/* Other runs, other sizes. */
#include "fuzz/mutate/parts.h"

/* A run of the module's own list, of several runs. */
static uint32_t pick_run(kgi_mutant_program *m) {
  uint32_t found = 0, seen = 0;
  for (uint32_t i = m->b.m->first_item; i; i = m->b.m->item[i].next)
    if (m->b.m->item[i].kind == KGI_ITEM_RUN && !kgi_draw(m, ++seen)) found = i;
  return m->b.m->lone ? 0 : found;
}

/* Behind it the same once more. Bindings may be shared: nobody changes them. */
bool kgi_mutate_run_twice(kgi_mutant_program *m) {
  kg_module *module = m->b.m;
  uint32_t i = pick_run(m);
  if (!i) return false;
  uint32_t again = kgi_run_begin(&m->b, module->item[i].program);
  if (!again) return false;
  kgi_item copy = module->item[i];
  copy.binding = module->item[again].binding;
  uint32_t length = module->bind_count - copy.binding;
  for (uint32_t k = 0; k < length; k++) module->bind[copy.binding + k] = module->bind[module->item[i].binding + k];
  module->item[again] = copy;
  module->item[i].next = again;
  return true;
}

bool kgi_mutate_run_often(kgi_mutant_program *m) {
  kg_module *module = m->b.m;
  uint32_t i = pick_run(m);
  if (!i) return false;
  kgi_program *program = m->b.p;
  m->b.p = NULL; /* lengths of the module's own scope */
  kgi_dim from = kgi_len_int(&m->b, 0), to = kgi_len_int(&m->b, 1 + kgi_draw(m, 3));
  uint32_t repeat = kgi_repeat_begin(&m->b, "turn", from, to, (kgi_dim){0}, !kgi_draw(m, 4));
  m->b.p = program;
  if (!repeat) return false;
  module->item[repeat].next = module->item[i].next, module->item[repeat].first = i;
  if (module->first_item == i) module->first_item = repeat;
  for (uint32_t k = module->first_item; k; k = module->item[k].next)
    if (module->item[k].next == i && k != repeat) module->item[k].next = repeat;
  module->item[i].next = 0;
  return true;
}

bool kgi_mutate_groups(kgi_mutant_program *m) {
  static const int64_t sizes[] = {1, 2, 4, 5, 8, 16, 32};
  kgi_dim size = kgi_len_int(&m->b, sizes[kgi_draw(m, 7)]);
  m->b.p->workgroup[0] = size;
  return true;
}
