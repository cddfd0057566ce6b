#include "foundation/host/layout.h"
#include "foundation/ir/range.h"
#include "foundation/ir/slices.h"
#include "foundation/ir/validate.h"
#include "foundation/ir/views.h"

#include <stdio.h>

static const char *object_name(const kgi_layout *l, const kgi_object *o) { return kgi_string(l->module, o->name); }

/* ---- params ---- */

kg_status kgi_check_ranges(const kg_module *m, const kgi_scope *scope, const kgi_dim_env *env, kgi_diags *diags) {
  for (uint32_t i = 1; i < scope->param_count; i++)
    if (!kgi_param_in_range(m, scope, i, env, diags)) return KG_INVALID;
  return KG_OK;
}

bool kgi_is_length(const kg_module *m, uint32_t param) {
  const kgi_scope *s = &m->scope;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (s->object[o].length.i && s->dim[s->object[o].length.i].op == KGI_DIM_PARAM && s->dim[s->object[o].length.i].a == param) return true;
  return false;
}

static kg_status take_default(const kgi_layout *l, const kgi_param *p, kgi_pos pos, uint64_t *out) {
  *out = p->bits;
  if (p->has_default) return KG_OK;
  KGI_DIAG(l->diags, param_missing, pos, kgi_string(l->module, p->name), "");
  return KG_INVALID;
}

/* ---- lengths ---- */

static kg_status limit(const kgi_layout *l, const kgi_object *o, uint64_t length) {
  size_t bytes;
  uint64_t reach = 0;
  if (length <= KGI_MAX_LENGTH && (!o->view || (kgi_view_reach(o, length, &reach) && reach <= SIZE_MAX / 4)) && kgi_size_mul((size_t)length, kg_type_size((kg_type)o->type), &bytes) && bytes <= SIZE_MAX / 4)
    return KG_OK;
  KGI_DIAG(l->diags, too_large, o->pos, object_name(l, o), KGI_NUM(KGI_MAX_LENGTH));
  return KG_INVALID;
}

static bool is_fixed(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op >= KGI_DIM_ADD) return is_fixed(s, (kgi_dim){n->a}) && is_fixed(s, (kgi_dim){n->b});
  return n->op == KGI_DIM_INT || n->op == KGI_DIM_SPEC;
}

kg_status kgi_declared_length(const kg_module *m, uint32_t i, uint64_t given, const kgi_dim_env *env, kgi_diags *diags,
                              uint64_t *out) {
  const kgi_object *o = &m->scope.object[i];
  const char *name = kgi_string(m, o->name);
  *out = given;
  if (o->scalar) *out = 1;
  else if (o->length.i) {
    kg_status status = kgi_dim_eval_object(&m->scope, o, env, name, diags, NULL, out);
    if (status != KG_OK) return status;
  } else if (given == KGI_LENGTH_UNKNOWN) {
    KGI_DIAG(diags, length_open, o->pos, name);
    return KG_INVALID;
  }
  if (given == KGI_LENGTH_UNKNOWN || given == *out || o->mode == KG_TEMP) return KG_OK;
  bool fixed = o->scalar || is_fixed(&m->scope, o->length);
  KGI_DIAG(diags, length_mismatch, o->pos, name, KGI_NUM(given), KGI_NUM(*out), fixed ? "" : " of the params, which other arrays may have given",
           fixed ? "pass as many" : "pass arrays whose lengths agree, or other params");
  return KG_INVALID;
}

kg_status kgi_layout_init(kgi_layout *l, const kg_module *m, const uint64_t *param_bits, const uint64_t *lengths, kgi_arena *arena,
                          kgi_diags *diags) {
  const kgi_scope *scope = &m->scope;
  *l = (kgi_layout){.module = m, .arena = arena, .diags = diags};
  l->param = kgi_arena_alloc(arena, scope->param_count, sizeof *l->param);
  l->length = kgi_arena_alloc(arena, scope->object_count, sizeof *l->length);
  l->index = kgi_arena_alloc(arena, m->item_count, sizeof *l->index);
  if (arena->failed) return KG_NO_MEMORY;
  kgi_dim_env env = {.param = l->param, .length = l->length};
  for (uint32_t i = 1; i < scope->param_count; i++) {
    kg_status status = KG_OK;
    if (param_bits) l->param[i] = param_bits[i - 1];
    else status = take_default(l, &scope->param[i], scope->param[i].pos, &l->param[i]);
    if (status != KG_OK) return status;
  }
  for (uint32_t i = 1; i < scope->object_count; i++) /* a length may refer to any array's */
    if (lengths && lengths[i - 1] != KGI_LENGTH_UNKNOWN) l->length[i] = lengths[i - 1];
  for (uint32_t i = 1; i < scope->object_count; i++) {
    uint64_t given = lengths ? lengths[i - 1] : KGI_LENGTH_UNKNOWN;
    kg_status status = kgi_declared_length(m, i, given, &env, diags, &l->length[i]);
    if (status == KG_OK) status = limit(l, &scope->object[i], l->length[i]);
    if (status != KG_OK) return status;
  }
  return kgi_check_ranges(m, scope, &env, diags);
}

/* ---- one run ---- */

/* A run while it is worked out: the arrays that kgi_run shows, writable. */
typedef struct draft {
  kgi_run run;
  uint32_t *buffer;
  uint64_t *param, *length, *from, *to;
  kgi_bound_slice *slice; /* room for those of a run */
  kgi_dim_env env;
} draft;

/* What the host evaluates for the order of work: bounds of repeats, ends of slices. It may be negative. */
static kg_status evaluate(const kgi_layout *l, kgi_dim dim, const char *what, kgi_pos pos, int64_t *out) {
  kgi_dim_env env = {.param = l->param, .length = l->length, .index = l->index};
  kgi_dim_fault fault = kgi_dim_eval(&l->module->scope, dim, &env, out);
  if (fault == KGI_DIM_OK) return KG_OK;
  if (fault == KGI_DIM_DIVIDE) KGI_DIAG(l->diags, dim_divide, pos, what);
  else KGI_DIAG(l->diags, dim_overflow, pos, what);
  return KG_INVALID;
}

static kg_status run_params(kgi_layout *l, const kgi_item *item, draft *d) {
  const kg_module *m = l->module;
  const kgi_scope *scope = &d->run.program->scope;
  const uint32_t *bind = &m->bind[item->binding + kgi_buffer_end(scope) - 1];
  kgi_dim_env env = {.param = l->param, .length = l->length, .index = l->index};
  for (uint32_t i = 1; i < scope->param_count; i++) {
    const kgi_param *p = &scope->param[i];
    kg_status status = KG_OK;
    if (!bind[i - 1]) status = take_default(l, p, item->pos, &d->param[i]);
    else if (kgi_dim_eval_bits(&m->scope, (kgi_dim){bind[i - 1]}, &env, (kg_type)p->type, &d->param[i]) != KGI_DIM_OK) {
      KGI_DIAG(l->diags, run_param, item->pos, kgi_string(m, p->name), kg_type_name((kg_type)p->type));
      status = KG_INVALID;
    }
    if (status != KG_OK) return status;
  }
  return kgi_check_ranges(m, scope, &d->env, l->diags);
}

/* Which elements of its buffer a run binds; the length of that buffer is in `to`. */
static kg_status bind_slice(const kgi_layout *l, kgi_slice slice, kgi_pos pos, draft *d, uint32_t i) {
  const char *name = object_name(l, &l->module->scope.object[d->buffer[i]]);
  uint64_t length = d->to[i];
  int64_t from = 0, to = 0;
  kg_status status = evaluate(l, slice.from, "a slice", pos, &from);
  if (status == KG_OK) status = evaluate(l, slice.to, "a slice", pos, &to);
  if (status != KG_OK) return status;
  if (from < 0 || to < from) return KGI_DIAG(l->diags, slice_order, pos, name, KGI_NUM(from), KGI_NUM(to)), KG_INVALID;
  d->from[i] = (uint64_t)from, d->to[i] = (uint64_t)to;
  if (d->to[i] <= length) return KG_OK;
  KGI_DIAG(l->diags, slice_end, pos, name, KGI_NUM(from), KGI_NUM(to), KGI_NUM(length));
  return KG_INVALID;
}

/* A buffer that is bound whole beside another binding of it is only read: the validator saw to that. */
static kg_status keep_apart(const kgi_layout *l, const kgi_item *item, draft *d) {
  const kgi_scope *s = &d->run.program->scope;
  uint32_t count = 0, pair[2];
  for (uint32_t i = 1, end = kgi_buffer_end(s); i < end; i++)
    if (kgi_is_slice(kgi_run_slice(l->module, d->run.item, i)))
      d->slice[count++] = (kgi_bound_slice){.buffer = d->buffer[i], .written = s->object[i].mode != KG_READ,
                                            .from = (int64_t)d->from[i], .to = (int64_t)d->to[i]};
  if (count < 2 || !kgi_slices_meet(d->slice, count, pair)) return KG_OK;
  const kgi_bound_slice *a = &d->slice[pair[0]], *b = &d->slice[pair[1]];
  KGI_DIAG(l->diags, bind_overlap, item->pos, object_name(l, &l->module->scope.object[a->buffer]),
           kgi_string(l->module, d->run.program->name), KGI_NUM(a->from), KGI_NUM(a->to), KGI_NUM(b->from), KGI_NUM(b->to));
  return KG_INVALID;
}

static kg_status bind_buffer(kgi_layout *l, const kgi_item *item, draft *d, uint32_t i) {
  const kgi_object *o = &d->run.program->scope.object[i];
  uint32_t bound = l->module->bind[item->binding + i - 1];
  d->buffer[i] = bound;
  if (!bound) {
    KGI_DIAG(l->diags, unbound_buffer, item->pos, kgi_string(l->module, d->run.program->name), object_name(l, o));
    return KG_INVALID;
  }
  d->from[i] = 0, d->to[i] = l->length[bound];
  kgi_slice slice = kgi_run_slice(l->module, d->run.item, i);
  kg_status status = kgi_is_slice(slice) ? bind_slice(l, slice, item->pos, d, i) : KG_OK;
  d->length[i] = d->to[i] - d->from[i]; /* what `[]` takes, and what later lengths see until the declared one is known */
  return status;
}

/* What is bound, in words. */
typedef struct bound_name { char text[128]; } bound_name;
static const char *name_bound(const kgi_layout *l, const draft *d, uint32_t i, bound_name *out) {
  const char *name = object_name(l, &l->module->scope.object[d->buffer[i]]);
  bool slice = kgi_is_slice(kgi_run_slice(l->module, d->run.item, i));
  if (!slice) return name;
  snprintf(out->text, sizeof out->text, "%.80s[%s .. %s]", name, KGI_NUM(d->from[i]), KGI_NUM(d->to[i]));
  return out->text;
}

static kg_status run_length(kgi_layout *l, const kgi_item *item, draft *d, uint32_t i) {
  const kgi_object *o = &d->run.program->scope.object[i];
  uint64_t bound = o->space == KGI_BUFFER ? d->length[i] : KGI_MAX_LENGTH;
  if (o->scalar) d->length[i] = 1;
  else if (o->length.i) {
    kg_status status = kgi_dim_eval_object(&d->run.program->scope, o, &d->env, object_name(l, o), l->diags, NULL, &d->length[i]);
    if (status != KG_OK) return status;
  }
  if (o->space != KGI_BUFFER) return limit(l, o, d->length[i]);
  if (d->length[i] <= bound) return KG_OK;
  const char *to = name_bound(l, d, i, &(bound_name){{0}});
  KGI_DIAG(l->diags, bound_too_short, item->pos, object_name(l, o), KGI_NUM(d->length[i]), to, KGI_NUM(bound));
  return KG_INVALID;
}

/* An extent was evaluated with its object's length, and was fine. */
uint64_t kgi_run_length(const kgi_run *run, uint32_t object, uint32_t which) {
  const kgi_scope *s = &run->program->scope;
  int64_t extent = 0;
  if (!which) return run->length[object];
  kgi_dim_eval(s, s->object[object].extent[which - 1], &(kgi_dim_env){.param = run->param, .length = run->length}, &extent);
  return (uint64_t)extent;
}

static kg_status too_large(const kgi_layout *l, kgi_pos pos, const char *what, uint64_t most) {
  KGI_DIAG(l->diags, too_large, pos, what, KGI_NUM(most));
  return KG_INVALID;
}

static kg_status workgroup(kgi_layout *l, draft *d) {
  const kgi_program *p = d->run.program;
  uint64_t lanes = 1, size;
  for (unsigned k = 0; k < 3; k++) {
    size = 1;
    kg_status status = KG_OK;
    if (p->workgroup[k].i)
      status = kgi_dim_eval_size(&p->scope, p->workgroup[k], &d->env, "the workgroup's size", l->diags, p->pos, &size);
    if (status != KG_OK) return status;
    if (size == 0) {
      KGI_DIAG(l->diags, too_small, p->pos, "a workgroup", "0");
      return KG_INVALID;
    }
    if (size > KGI_MAX_WORKGROUP || (lanes *= size) > KGI_MAX_WORKGROUP)
      return too_large(l, p->pos, "the workgroup's size", KGI_MAX_WORKGROUP);
    d->run.workgroup[k] = (uint32_t)size;
  }
  return KG_OK;
}

/* The run's grid, else the program's. Dimensions that are not stated are one workgroup. */
static kg_status grid(kgi_layout *l, const kgi_item *item, draft *d) {
  const kgi_program *p = d->run.program;
  bool own = !kgi_dim_is_set(item->grid);
  const kgi_dim *dims = own ? p->grid : item->grid;
  kgi_dim_env outer = {.param = l->param, .length = l->length, .index = l->index};
  if (!kgi_dim_is_set(dims)) {
    KGI_DIAG(l->diags, no_grid, item->pos, kgi_string(l->module, p->name));
    return KG_INVALID;
  }
  bool invocations = own ? p->grid_is_invocations : item->grid_is_invocations;
  for (unsigned k = 0; k < 3; k++) {
    uint64_t count = 1, size = d->run.workgroup[k];
    kg_status status = KG_OK;
    if (dims[k].i)
      status = kgi_dim_eval_size(own ? &p->scope : &l->module->scope, dims[k], own ? &d->env : &outer, "the grid", l->diags,
                                 item->pos, &count);
    if (status != KG_OK) return status;
    if (invocations) count = count / size + (count % size != 0);
    if (count > KGI_MAX_LENGTH / size) return too_large(l, item->pos, "the grid", KGI_MAX_LENGTH);
    d->run.groups[k] = (uint32_t)count;
  }
  return KG_OK;
}

/* What does not fit 64 bits is no limit that anything could hold to, whether or not the loop would be reached. */
static kg_status limits(kgi_layout *l, const draft *d) {
  const kgi_program *p = d->run.program;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    int64_t most;
    if (x->kind != KGI_while || !x->block || !x->arg[3]) continue;
    kgi_dim_fault fault = kgi_dim_eval(&p->scope, (kgi_dim){x->arg[3]}, &d->env, &most);
    if (fault == KGI_DIM_OK) continue;
    if (fault == KGI_DIM_DIVIDE) KGI_DIAG(l->diags, dim_divide, p->inst_pos[i], "a limit");
    else KGI_DIAG(l->diags, dim_overflow, p->inst_pos[i], "a limit");
    return KG_INVALID;
  }
  return KG_OK;
}

static kg_status work_out(kgi_layout *l, const kgi_item *item, draft *d) {
  const kgi_scope *scope = &d->run.program->scope;
  uint32_t buffers = kgi_buffer_end(scope);
  kg_status status = KG_OK;
  for (uint32_t i = 1; i < buffers && status == KG_OK; i++) status = bind_buffer(l, item, d, i);
  if (status == KG_OK) status = keep_apart(l, item, d);
  if (status == KG_OK) status = run_params(l, item, d);
  for (uint32_t i = 1; i < scope->object_count && status == KG_OK; i++) status = run_length(l, item, d, i);
  if (status == KG_OK) status = limits(l, d);
  if (status == KG_OK) status = workgroup(l, d);
  return status == KG_OK ? grid(l, item, d) : status;
}

/* ---- the order of work ---- */

typedef struct walk {
  kgi_layout *layout;
  draft *drafts; /* for each program, reused by all its runs */
  bool *has_runs; /* for each item */
  kg_status (*visit)(void *user, const kgi_run *run);
  void *user;
} walk;

static kg_status visit_run(walk *w, uint32_t at) {
  const kgi_item *item = &w->layout->module->item[at];
  draft *d = &w->drafts[item->program];
  d->run.item = at;
  kg_status status = work_out(w->layout, item, d);
  return status == KG_OK ? w->visit(w->user, &d->run) : status;
}

/* Marks the items under which there is work, or may be: a repeat of nothing may state any number of trips, and takes none. */
static bool find_runs(const walk *w, uint32_t first, unsigned depth) {
  bool any = false;
  for (uint32_t i = first; i; i = w->layout->module->item[i].next) {
    const kgi_item *item = &w->layout->module->item[i];
    w->has_runs[i] = item->kind == KGI_ITEM_RUN || depth >= KGI_MAX_REPEATS || find_runs(w, item->first, depth + 1);
    any |= w->has_runs[i];
  }
  return any;
}

static kg_status items(walk *w, uint32_t first, unsigned depth);

static kg_status repeat(walk *w, uint32_t at, unsigned depth) {
  kgi_layout *l = w->layout;
  const kgi_item *item = &l->module->item[at];
  int64_t from = 0, to = 0, step = 1;
  kg_status status = evaluate(l, item->from, "a repeat", item->pos, &from);
  if (status == KG_OK) status = evaluate(l, item->to, "a repeat", item->pos, &to);
  if (status == KG_OK && item->step.i) status = evaluate(l, item->step, "a repeat", item->pos, &step);
  if (status == KG_OK && step < 1) {
    KGI_DIAG(l->diags, repeat_step, item->pos, KGI_NUM(step));
    status = KG_INVALID;
  }
  uint64_t trips = status == KG_OK ? kgi_trips(from, to, step) : 0;
  for (uint64_t k = 0; k < trips && status == KG_OK; k++) {
    uint64_t trip = item->reversed ? trips - 1 - k : k;
    l->index[at] = (int64_t)((uint64_t)from + trip * (uint64_t)step);
    status = items(w, item->first, depth + 1);
  }
  return status;
}

static kg_status items(walk *w, uint32_t first, unsigned depth) {
  kg_status status = KG_OK;
  for (uint32_t i = first; i && status == KG_OK; i = w->layout->module->item[i].next) {
    const kgi_item *item = &w->layout->module->item[i];
    if (item->kind == KGI_ITEM_RUN) status = visit_run(w, i);
    else if (depth >= KGI_MAX_REPEATS) status = too_large(w->layout, item->pos, "the nesting of repeats", KGI_MAX_REPEATS);
    else if (w->has_runs[i]) status = repeat(w, i, depth);
  }
  return status;
}

static void make_draft(kgi_arena *arena, const kg_module *m, uint32_t index, draft *d) {
  const kgi_program *p = m->program[index];
  *d = (draft){.run = {.program_index = index, .program = p}};
  d->buffer = kgi_arena_alloc(arena, kgi_buffer_end(&p->scope), sizeof *d->buffer);
  d->param = kgi_arena_alloc(arena, p->scope.param_count, sizeof *d->param);
  d->length = kgi_arena_alloc(arena, p->scope.object_count, sizeof *d->length);
  d->from = kgi_arena_alloc(arena, kgi_buffer_end(&p->scope), sizeof *d->from);
  d->to = kgi_arena_alloc(arena, kgi_buffer_end(&p->scope), sizeof *d->to);
  d->slice = kgi_arena_alloc(arena, kgi_buffer_end(&p->scope), sizeof *d->slice);
  d->env = (kgi_dim_env){.param = d->param, .length = d->length};
  d->run.buffer = d->buffer, d->run.param = d->param, d->run.length = d->length;
  d->run.from = d->from, d->run.to = d->to;
}

kg_status kgi_layout_each(kgi_layout *l, kg_status (*visit)(void *user, const kgi_run *run), void *user) {
  const kg_module *m = l->module;
  walk w = {.layout = l, .visit = visit, .user = user};
  w.drafts = kgi_arena_alloc(l->arena, m->program_count, sizeof *w.drafts);
  w.has_runs = kgi_arena_alloc(l->arena, m->item_count, sizeof *w.has_runs);
  for (uint32_t i = 1; i < m->program_count && !l->arena->failed; i++) make_draft(l->arena, m, i, &w.drafts[i]);
  if (l->arena->failed) return KG_NO_MEMORY;
  find_runs(&w, m->first_item, 0);
  return items(&w, m->first_item, 0);
}
