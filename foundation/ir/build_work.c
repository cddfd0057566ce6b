/* The public builder: a module's order of work. */
#include "foundation/ir/build.h"

#include <string.h>

static const kg_item no_item = {0, 0};

/* Behind what is open: in the innermost repeat, or the module. */
static kg_item append(kg_builder *b, uint32_t item) {
  if (!item || !kgi_build_goes_on(b)) return no_item;
  kgi_item_append(&b->b, b->repeats ? b->repeat[b->repeats - 1] : 0, item);
  return (kg_item){item, b->seed};
}

/* ---- stated adjoints ---- */

void kg_build_adjoint(kg_builder *b, kg_program program, kg_program adjoint) {
  if (!kgi_build_in_module(b, __func__)) return;
  uint32_t count = b->b.m->program_count;
  if (!kgi_build_handle(b, __func__, "program", program.index, program.owner, 0, count)) return;
  if (!kgi_build_handle(b, __func__, "adjoint", adjoint.index, adjoint.owner, 0, count)) return;
  kgi_program *p = b->b.m->program[program.index];
  if (p->adjoint) KGI_MISUSE(b, stated_twice, __func__);
  p->adjoint = adjoint.index;
}

/* ---- runs ---- */

static kgi_dim param_or_index(kg_builder *b, const char *name) {
  for (uint32_t i = b->repeats; i-- > 0;)
    if (!strcmp(kgi_string(b->b.m, b->b.m->item[b->repeat[i]].name), name))
      return kgi_dim_leaf(&b->b.m->arena, &b->b.m->scope, KGI_DIM_INDEX, b->repeat[i]);
  uint32_t param = kgi_find_param(b->b.m, &b->b.m->scope, name);
  return param ? kgi_len_param(&b->b, param) : (kgi_dim){0};
}

static void bind_by_name(kg_builder *b, uint32_t item, const kgi_scope *program) {
  kg_module *m = b->b.m;
  for (uint32_t i = 1, end = kgi_buffer_end(program); i < end; i++)
    kgi_run_bind_buffer(&b->b, item, i, kgi_find_object(m, &m->scope, kgi_string(m, program->object[i].name)));
  for (uint32_t i = 1; i < program->param_count; i++)
    kgi_run_bind_param(&b->b, item, i, param_or_index(b, kgi_string(m, program->param[i].name)));
}

kg_item kg_build_run(kg_builder *b, kg_program program) {
  if (!kgi_build_in_module(b, __func__)) return no_item;
  if (!kgi_build_handle(b, __func__, "program", program.index, program.owner, 0, b->b.m->program_count)) return no_item;
  uint32_t item = kgi_run_begin(&b->b, program.index);
  if (item) bind_by_name(b, item, &b->b.m->program[program.index]->scope);
  return append(b, item);
}

/* The run, and its program's scope. */
static kgi_item *run_of(kg_builder *b, const char *call, kg_item run, const kgi_scope **scope) {
  if (!kgi_build_in_module(b, call) || !kgi_build_handle(b, call, "run", run.index, run.owner, 0, b->b.m->item_count)) return NULL;
  kgi_item *item = &b->b.m->item[run.index];
  if (item->kind != KGI_ITEM_RUN) return KGI_MISUSE(b, build_argument, call, "a repeat", "run", "what kg_build_run returned"), NULL;
  *scope = &b->b.m->program[item->program]->scope;
  return item;
}

/* Whether there are such a run, such a buffer of its program, and such a one of the module. */
static bool both_buffers(kg_builder *b, const char *call, kg_item run, kg_object of_program, kg_object of_module, kgi_obj *outer) {
  const kgi_scope *s;
  const kgi_item *item = run_of(b, call, run, &s);
  if (!item) return false;
  if (!kgi_build_handle(b, call, "buffer", of_program.index, of_program.owner, item->program, kgi_buffer_end(s))) return false;
  return kgi_build_object(b, call, of_module, outer);
}

void kg_build_bind(kg_builder *b, kg_item run, kg_object of_program, kg_object of_module) {
  kgi_obj outer;
  if (both_buffers(b, __func__, run, of_program, of_module, &outer)) kgi_run_bind_buffer(&b->b, run.index, of_program.index, outer.i);
}

void kg_build_bind_slice(kg_builder *b, kg_item run, kg_object of_program, kg_object of_module, kg_length from, kg_length to) {
  kgi_obj outer;
  kgi_slice slice;
  if (!both_buffers(b, __func__, run, of_program, of_module, &outer)) return;
  if (kgi_build_length(b, __func__, from, &slice.from) && kgi_build_length(b, __func__, to, &slice.to))
    kgi_run_bind_slice(&b->b, run.index, of_program.index, outer.i, slice);
}

void kg_build_pass(kg_builder *b, kg_item run, kg_param of_program, kg_length value) {
  const kgi_scope *s;
  kgi_dim dim;
  const kgi_item *item = run_of(b, __func__, run, &s);
  if (!item) return;
  if (!kgi_build_handle(b, __func__, "param", of_program.index, of_program.owner, item->program, s->param_count)) return;
  if (kgi_build_length(b, __func__, value, &dim)) kgi_run_bind_param(&b->b, run.index, of_program.index, dim);
}

static void set_grid(kg_builder *b, const char *call, kg_item run, unsigned axis, kg_length size, bool invocations) {
  const kgi_scope *s;
  kgi_dim dim;
  kgi_item *item = run_of(b, call, run, &s);
  if (!item || !kgi_build_axis(b, call, axis) || !kgi_build_length(b, call, size, &dim)) return;
  if (kgi_dim_is_set(item->grid) && item->grid_is_invocations != invocations)
    KGI_MISUSE(b, build_place, call, "mixes workgroups and invocations", "the same for each axis");
  if (item->grid[axis].i) KGI_MISUSE(b, stated_twice, call);
  item->grid_is_invocations = invocations;
  item->grid[axis] = dim;
}

void kg_build_run_grid(kg_builder *b, kg_item run, unsigned axis, kg_length workgroups) {
  set_grid(b, __func__, run, axis, workgroups, false);
}

void kg_build_run_invocations(kg_builder *b, kg_item run, unsigned axis, kg_length invocations) {
  set_grid(b, __func__, run, axis, invocations, true);
}

/* ---- repeats ---- */

kg_item kg_build_repeat(kg_builder *b, const char *index, kg_length from, kg_length to, kg_length step, bool reversed) {
  kgi_dim low, high, by;
  if (!kgi_build_in_module(b, __func__) || !kgi_build_length(b, __func__, from, &low) || !kgi_build_length(b, __func__, to, &high))
    return no_item;
  if (!kgi_build_name(b, __func__, index) || !kgi_build_length_any(b, __func__, step, &by)) return no_item;
  if (b->repeats == KGI_MAX_DEPTH) return KGI_MISUSE(b, too_large, "the nesting of repeats", KGI_NUM(KGI_MAX_DEPTH)), no_item;
  uint32_t item = kgi_repeat_begin(&b->b, index, low, high, by, reversed);
  kg_item made = append(b, item);
  if (made.index) b->repeat[b->repeats++] = item;
  return made;
}

void kg_build_repeat_end(kg_builder *b) {
  if (!kgi_build_in_module(b, __func__)) return;
  if (b->repeats) b->repeats--;
  else KGI_MISUSE(b, build_place, __func__, "closes nothing", "it once for each kg_build_repeat");
}

kg_length kg_build_length_index(kg_builder *b, kg_item repeat) {
  kg_length none = {0, 0};
  if (!kgi_build_in_module(b, __func__) || !kgi_build_handle(b, __func__, "repeat", repeat.index, repeat.owner, 0, b->b.m->item_count))
    return none;
  for (uint32_t i = 0; i < b->repeats; i++)
    if (b->repeat[i] == repeat.index)
      return (kg_length){kgi_dim_leaf(&b->b.m->arena, &b->b.m->scope, KGI_DIM_INDEX, repeat.index).i, b->seed};
  return KGI_MISUSE(b, build_place, __func__, "takes the index of no open repeat", "it between kg_build_repeat and its kg_build_repeat_end"), none;
}
