/* Runs and repeats of a module that go; one run becomes a program alone. */
#include "fuzz/reduce/edits.h"

#include "modules/modules.h"

#include <stdio.h>
#include <stdlib.h>

/* All items in order, those of repeats behind them; free with free(). */
static uint32_t *list_items(const kg_module *m, uint32_t *count) {
  uint32_t *list = malloc((m->item_count + 1) * sizeof *list), *stack = malloc((m->item_count + 1) * sizeof *stack), depth = 0;
  *count = 0;
  if (list && stack) stack[depth++] = m->first_item;
  while (list && stack && depth) {
    uint32_t i = stack[--depth];
    if (!i || *count >= m->item_count) continue;
    list[(*count)++] = i;
    stack[depth++] = m->item[i].next;
    if (m->item[i].kind == KGI_ITEM_REPEAT && depth < m->item_count) stack[depth++] = m->item[i].first;
  }
  free(stack);
  return list;
}

/* `by` may be a list of items; 0: none. */
static void replace_item(kg_module *m, uint32_t item, uint32_t by) {
  uint32_t next = m->item[item].next, last = by;
  while (last && m->item[last].next) last = m->item[last].next;
  if (last) m->item[last].next = next;
  uint32_t to = by ? by : next;
  if (m->first_item == item) m->first_item = to;
  for (uint32_t i = 1; i < m->item_count; i++) {
    if (i != last && m->item[i].next == item) m->item[i].next = to;
    if (m->item[i].kind == KGI_ITEM_REPEAT && m->item[i].first == item) m->item[i].first = to;
  }
}

static bool try_drop(kgi_reducer *r, uint32_t from, uint32_t to, bool unwrap) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  uint32_t count, *list = list_items(c.module, &count);
  bool made = false;
  for (uint32_t k = to < count ? to : count; list && k-- > from;) {
    const kgi_item item = c.module->item[list[k]];
    if (unwrap && item.kind != KGI_ITEM_REPEAT) continue;
    replace_item(c.module, list[k], unwrap ? item.first : 0);
    made = true;
  }
  free(list);
  if (!made) return kgi_case_free(&c), false;
  kgi_drop_programs(c.module);
  return kgi_try(r, &c);
}

/* Fewer rounds. */
static bool shorten_repeats(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t i = 1; i < r->best->module->item_count; i++) {
    kgi_case c;
    kgi_builder b;
    if (r->best->module->item[i].kind != KGI_ITEM_REPEAT || !kgi_begin_edit(r, &c, &b, 0)) continue;
    kgi_item *item = &c.module->item[i];
    item->from = kgi_len_int(&b, 0), item->to = kgi_len_int(&b, 2), item->step = (kgi_dim){0}, item->reversed = false;
    changed |= kgi_try(r, &c);
  }
  return changed;
}

static uint32_t count_items(const kgi_reducer *r) {
  uint32_t count;
  free(list_items(r->best->module, &count));
  return count;
}

/* ---- a module of one run ---- */

/* The case calls buffers what the program does. */
static void rename_arrays(kgi_case *c, const kg_module *m, const kgi_item *run) {
  const kgi_program *p = m->program[run->program];
  uint32_t count = kgi_buffer_end(&p->scope) - 1;
  kgi_renaming *all = calloc(count + 1, sizeof *all);
  for (uint32_t o = 1; all && o <= count; o++) {
    snprintf(all[o - 1].from, sizeof all->from, "%s", kgi_string(m, m->scope.object[m->bind[run->binding + o - 1]].name));
    snprintf(all[o - 1].to, sizeof all->to, "%s", kgi_string(m, p->scope.object[o].name));
  }
  if (all) kgi_rename_in_case(c, all, count);
  free(all);
}

static bool try_alone(kgi_reducer *r) {
  kgi_case c;
  kgi_builder b;
  const kg_module *m = r->best->module;
  const kgi_item *run = &m->item[m->first_item];
  if (m->lone || run->kind != KGI_ITEM_RUN || run->next || !kgi_begin_edit(r, &c, &b, 0)) return false;
  kgi_program *p = c.module->program[run->program];
  kgi_dim_env env = {.param = NULL};
  uint32_t first = run->binding + kgi_buffer_end(&p->scope) - 1;
  uint64_t *bits = calloc(m->scope.param_count + 1, sizeof *bits);
  for (uint32_t q = 1; bits && q < m->scope.param_count; q++) bits[q] = m->scope.param[q].bits;
  env.param = bits;
  for (uint32_t q = 1; q < p->scope.param_count; q++) {
    kgi_dim dim = {m->bind[first + q - 1]};
    uint64_t value;
    if (dim.i && kgi_dim_eval_bits(&m->scope, dim, &env, (kg_type)p->scope.param[q].type, &value) == KGI_DIM_OK)
      p->scope.param[q].bits = value, p->scope.param[q].has_default = true;
  }
  free(bits);
  rename_arrays(&c, m, run);
  c.module->program[1] = p, c.module->program_count = 2, p->adjoint = 0;
  c.module->lone = true;
  return kgi_try(r, &c);
}

bool kgi_reduce_runs(kgi_reducer *r) {
  bool changed = false;
  if (r->best->module->lone) return false;
  for (uint32_t piece = count_items(r) / 2; piece > 0; piece /= 2)
    for (uint32_t end = count_items(r); end > 0 && !kgi_is_late(r);) {
      uint32_t from = end > piece ? end - piece : 0;
      changed |= try_drop(r, from, end, false) || try_drop(r, from, end, true);
      uint32_t now = count_items(r);
      end = from < now ? from : now;
    }
  changed |= try_drop(r, 0, 1, true);
  changed |= shorten_repeats(r);
  return changed | try_alone(r);
}
