/* A part of a module: some of its items, and what they use. */
#include "foundation/ir/slices.h"
#include "foundation/ir/views.h"
#include "modules/modules.h"

typedef struct part {
  const kg_module *from;
  kg_module *to;
  uint32_t *object; /* by object of `from`: not 0 where it is used, then its number in the part */
  bool *dim_used;
  uint32_t *dim;    /* by dim of `from`, in the part */
} part;

/* ---- what is used ---- */

static void use_dim(part *x, kgi_dim dim) {
  const kgi_dim_node *n = &x->from->scope.dim[dim.i];
  if (!dim.i || x->dim_used[dim.i]) return;
  x->dim_used[dim.i] = true;
  if (n->op == KGI_DIM_LEN) x->object[n->a] = 1;
  if (n->op < KGI_DIM_ADD) return;
  use_dim(x, (kgi_dim){n->a});
  use_dim(x, (kgi_dim){n->b});
}

/* Behind its buffers a run's entries are dims: params, and the ends of slices. */
static uint32_t entries_of_run(const kg_module *m, const kgi_item *item) { return kgi_run_entries(m->program[item->program]); }
static uint32_t buffers_of_run(const kg_module *m, const kgi_item *item) { return kgi_buffer_end(&m->program[item->program]->scope) - 1; }

static void use_items(part *x, uint32_t first) {
  for (uint32_t i = first; i; i = x->from->item[i].next) {
    const kgi_item *item = &x->from->item[i];
    for (unsigned k = 0; k < 3; k++) use_dim(x, item->grid[k]);
    use_dim(x, item->from), use_dim(x, item->to), use_dim(x, item->step);
    if (item->kind == KGI_ITEM_REPEAT) use_items(x, item->first);
    if (item->kind != KGI_ITEM_RUN) continue;
    const uint32_t *bind = x->from->bind + item->binding;
    uint32_t buffers = buffers_of_run(x->from, item), entries = entries_of_run(x->from, item);
    for (uint32_t k = 0; k < buffers; k++) x->object[bind[k]] = 1;
    for (uint32_t k = buffers; k < entries; k++) use_dim(x, (kgi_dim){bind[k]});
  }
}

/* A length refers to buffers that were declared before it, so that one pass from the last finds them all. */
static void use_declarations(part *x) {
  const kgi_scope *s = &x->from->scope;
  for (uint32_t q = 1; q < s->param_count; q++) use_dim(x, s->param[q].lo), use_dim(x, s->param[q].hi);
  for (uint32_t o = s->object_count - 1; o; o--) {
    if (!x->object[o]) continue;
    use_dim(x, s->object[o].length), use_dim(x, s->object[o].lo), use_dim(x, s->object[o].hi);
    for (unsigned k = 0; k < KGI_MAX_RANK; k++) use_dim(x, s->object[o].extent[k]);
  }
}

/* What a view holds on entry may lie under another one, used or not. */
static bool use_overlapping(part *x, kgi_arena *scratch) {
  kgi_blocks blocks;
  if (!kgi_overlaps_find(&blocks, scratch, &x->from->scope)) return false;
  bool *wanted = kgi_arena_alloc(scratch, x->from->scope.object_count, sizeof *wanted);
  for (uint32_t o = 1; wanted && o < x->from->scope.object_count; o++)
    if (x->object[o] && blocks.aliased[o]) wanted[blocks.of[o]] = true;
  for (uint32_t o = 1; wanted && o < x->from->scope.object_count; o++)
    if (wanted[blocks.of[o]]) x->object[o] = 1;
  return wanted;
}

/* ---- the part ---- */

static void declare(part *x, kgi_builder *b) {
  const kgi_scope *s = &x->from->scope;
  for (uint32_t q = 1; q < s->param_count; q++) {
    kgi_param param = s->param[q];
    param.lo.i = x->dim[param.lo.i], param.hi.i = x->dim[param.hi.i];
    kgi_param_add(b, &param);
  }
  for (uint32_t o = 1; o < s->object_count; o++) {
    kgi_object object = s->object[o];
    if (!x->object[o]) continue;
    kgi_copy_extents(&object, &s->object[o], x->dim);
    object.lo.i = x->dim[object.lo.i], object.hi.i = x->dim[object.hi.i];
    kgi_object_add(b, &object);
  }
}

static void translate_items(part *x, uint32_t first) {
  for (uint32_t i = first; i; i = x->to->item[i].next) {
    kgi_item *item = &x->to->item[i];
    for (unsigned k = 0; k < 3; k++) item->grid[k].i = x->dim[item->grid[k].i];
    item->from.i = x->dim[item->from.i], item->to.i = x->dim[item->to.i], item->step.i = x->dim[item->step.i];
    if (item->kind == KGI_ITEM_REPEAT) translate_items(x, item->first);
    if (item->kind != KGI_ITEM_RUN) continue;
    uint32_t *bind = x->to->bind + item->binding, buffers = buffers_of_run(x->to, item), entries = entries_of_run(x->to, item);
    for (uint32_t k = 0; k < buffers; k++) bind[k] = x->object[bind[k]];
    for (uint32_t k = buffers; k < entries; k++) bind[k] = x->dim[bind[k]];
  }
}

static void forget_scope(kgi_scope *s) {
  s->object_count = s->param_count = s->dim_count = 1;
  s->dims = (kgi_set){0};
}

/* Strings keep their numbers, since the part begins as a copy. */
static bool fill(part *x, uint32_t first, kgi_arena *scratch) {
  kgi_builder b;
  x->to->first_item = first;
  forget_scope(&x->to->scope);
  kgi_builder_init(&b, x->to, NULL);
  x->dim = kgi_copy_dims(&b, &x->from->scope, x->object, NULL, scratch);
  if (!x->dim) return false;
  declare(x, &b);
  translate_items(x, first);
  for (uint32_t program = x->to->program_count - 1; program; program--)
    if (!kgi_is_run(x->to, program)) kgi_drop_program(x->to, program);
  return b.status == KG_OK && !x->to->arena.failed;
}

kg_module *kgi_module_part(const kg_allocator *alloc, const kg_module *module, uint32_t first, kgi_arena *scratch, uint32_t *object) {
  part x = {.from = module, .object = object};
  x.dim_used = kgi_arena_alloc(scratch, module->scope.dim_count, sizeof *x.dim_used);
  if (!x.dim_used) return NULL;
  use_items(&x, first);
  if (!use_overlapping(&x, scratch)) return NULL;
  use_declarations(&x);
  for (uint32_t o = 1, next = 1; o < module->scope.object_count; o++)
    if (object[o]) object[o] = next++;
  x.to = kgi_module_copy(alloc, module);
  if (x.to && fill(&x, first, scratch)) return x.to;
  kg_module_free(x.to);
  return NULL;
}
