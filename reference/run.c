/* A module's run from end to end: its buffers, then its dispatches in order. */
#include "foundation/base/cores.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"
#include "reference/bound.h"
#include "reference/crew.h"
#include "reference/views.h"

#include <math.h>

typedef struct session {
  const kg_reference_params *params;
  const kg_module *module;
  kgi_arena arena;
  kgi_diags diags;
  kgi_layout layout;
  kgi_memory *buffers;    /* indexed like the module's scope */
  kgi_plan *plans;        /* of each program */
  kgi_machine **machines; /* made when a program is first run: its workgroup and local memory are constants */
  kg_reference_report *report;
  kgi_watcher watcher;
  kgi_crew crew;
  kgi_views views;
  bool bits;
  kgi_machine *losing; /* the first in which a derivative was lost; NULL: none was */
  uint32_t lost;       /* at that instruction */
} session;

#define DEFAULT_MEMORY (UINT64_C(8) << 30)

/* Lane-instructions that take some times as long as to make a thread, with its machine, which was measured to be about 45 us. */
enum { WORTH = 200000 };

/* ---- buffers ---- */

static bool is_undefined(const kgi_object *o) { return o->mode == KG_WRITE || o->mode == KG_TEMP; }

/* The caller's shadow, or one of our own. */
static double *shadow(session *s, double *const *given, uint32_t i, size_t count) {
  return given && given[i - 1] ? given[i - 1] : kgi_arena_alloc(&s->arena, count, sizeof(double));
}

static kg_status seed_buffer(session *s, uint32_t i) {
  const kgi_object *o = &s->module->scope.object[i];
  kgi_memory *memory = &s->buffers[i];
  size_t count;
  if (!kgi_size_mul(memory->total, s->params->tangent_count, &count)) return KG_NO_MEMORY;
  bool floats = kgi_is_float(o->type); /* an integer's are marks of our own */
  memory->tangent = shadow(s, floats ? s->params->tangents : NULL, i, count);
  memory->magnitude = shadow(s, floats ? s->params->magnitudes : NULL, i, count);
  if (s->arena.failed) return KG_NO_MEMORY;
  bool undefined = is_undefined(o);
  for (size_t k = 0; k < count; k++) {
    if (undefined) memory->tangent[k] = 0;
    memory->magnitude[k] = fabs(memory->tangent[k]);
  }
  return KG_OK;
}

static kg_status make_buffers(session *s) {
  const kgi_scope *scope = &s->module->scope;
  s->buffers = kgi_arena_alloc(&s->arena, scope->object_count, sizeof *s->buffers);
  for (uint32_t i = 1; i < scope->object_count && !s->arena.failed; i++) {
    const kgi_object *o = &scope->object[i];
    kgi_memory *memory = &s->buffers[i];
    if (o->view) continue;
    bool given = o->mode != KG_TEMP && s->params->buffers && s->params->buffers[i - 1];
    *memory = (kgi_memory){.type = o->type, .size = (uint8_t)kg_type_size((kg_type)o->type), .length = s->layout.length[i],
                            .step = 1};
    memory->total = (size_t)memory->length;
    memory->base = given ? s->params->buffers[i - 1] : kgi_arena_alloc(&s->arena, memory->total, memory->size);
    memory->watch = kgi_watch_make(&s->watcher, o, is_undefined(o), memory->total, &s->arena);
    if (given && o->ranged && (s->params->checks & KG_CHECK_RANGES) && !is_undefined(o))
      kgi_watch_range(&s->layout, i, memory, s->report);
    if (!s->params->tangent_count || !kgi_carries(s->bits, (kg_type)o->type)) continue;
    kg_status status = seed_buffer(s, i);
    if (status != KG_OK) return status;
  }
  s->views = (kgi_views){.params = s->params, .layout = &s->layout, .arena = &s->arena, .diags = &s->diags, .watcher = &s->watcher,
                         .report = s->report, .buffers = s->buffers, .bits = s->bits};
  return s->arena.failed ? KG_NO_MEMORY : KG_OK;
}

/* The caller's arrays where there are any; what a buffer holds at first, where that is defined. */
static kg_status bound_buffers(session *s) {
  const kg_reference_params *p = s->params;
  bool atomics = kgi_has_atomics(s->module);
  for (uint32_t i = 1; p->bounds && i < s->module->scope.object_count; i++) {
    kgi_memory *memory = &s->buffers[i];
    if (s->module->scope.object[i].view) continue;
    memory->cells = kgi_cells_make(memory, p->low ? p->low[i - 1] : NULL, p->high ? p->high[i - 1] : NULL, atomics, &s->arena);
    if (!memory->cells) return KG_NO_MEMORY;
    if (is_undefined(&s->module->scope.object[i])) kgi_cells_unknown(memory->cells, memory->total);
    else kgi_cells_points(memory->cells, memory);
  }
  return KG_OK;
}

static void finish_bounds(session *s) {
  for (uint32_t i = 1; s->params->bounds && s->buffers && i < s->module->scope.object_count; i++)
    if (s->buffers[i].cells && !s->module->scope.object[i].view) kgi_cells_finish(s->buffers[i].cells, &s->buffers[i]);
}

/* ---- dispatches ---- */

static kg_status make_machine(session *s, const kgi_run *run) {
  uint32_t i = run->program_index;
  kgi_machine *m = kgi_arena_alloc(&s->arena, 1, sizeof *m);
  kg_status status = m ? kgi_plan_make(&s->plans[i], s->module, run->program, &s->arena, &s->diags) : KG_NO_MEMORY;
  if (status == KG_OK) status = kgi_machine_make(m, &s->plans[i], run, s->params, &s->watcher, s->bits, &s->arena);
  if (status != KG_OK) return status;
  m->diags = &s->diags, m->report = s->report;
  s->machines[i] = m;
  return KG_OK;
}

/* What the other threads hold is given up when it is needed here, so that a limit means the same for any number of them. */
static kg_status machine_for(session *s, const kgi_run *run, kgi_machine **out) {
  uint32_t i = run->program_index;
  size_t limit = kgi_memory_limit(s->params), lent = kgi_crew_bytes(&s->crew);
  kg_status status = KG_OK;
  s->arena.limit = lent < limit ? limit - lent : 1;
  if (!s->machines[i]) status = make_machine(s, run);
  if (status == KG_NO_MEMORY && lent) {
    kgi_crew_free(&s->crew);
    kgi_crew_init(&s->crew, s->params, 1, 0, &s->arena);
    s->arena.failed = false;
    s->arena.limit = limit;
    status = make_machine(s, run);
  }
  *out = s->machines[i];
  return status;
}

static kg_status dispatch(void *user, const kgi_run *run) {
  session *s = user;
  kgi_machine *m;
  kg_status status = machine_for(s, run, &m);
  if (status != KG_OK) return status;
  kgi_machine_begin_run(m, run, s->buffers, s->params);
  s->watcher.dispatch++;
  kgi_crew_dispatch(&s->crew, m, run, s->buffers);
  if (m->lost && !s->losing) s->losing = m, s->lost = m->lost;
  return m->stop ? KG_FAILED : KG_OK;
}

/* Of a buffer that the caller asks for. */
static bool has_lost(const session *s, uint32_t i) {
  const kg_reference_params *p = s->params;
  bool wanted = (p->tangents && p->tangents[i - 1]) || (p->magnitudes && p->magnitudes[i - 1]);
  return wanted && kgi_is_float(s->module->scope.object[i].type) && kgi_tangent_is_lost(&s->buffers[i], p->tangent_count);
}

/* Derivatives may be lost on the way, and cut afterwards: only a result must have one. */
static kg_status check_derivatives(session *s) {
  for (uint32_t i = 1; s->losing && i < s->module->scope.object_count; i++) {
    if (!has_lost(s, i)) continue;
    kgi_fault(s->losing, KG_FAULT_NOT_DIFFERENTIABLE, s->lost, 1);
    return KG_REFUSED;
  }
  return KG_OK;
}

static kg_status run(session *s) {
  const kg_module *m = s->module;
  kg_status status = kgi_layout_init(&s->layout, m, s->params->param_bits, s->params->lengths, &s->arena, &s->diags);
  if (status != KG_OK) return status;
  s->plans = kgi_arena_alloc(&s->arena, m->program_count, sizeof *s->plans);
  s->machines = kgi_arena_alloc(&s->arena, m->program_count, sizeof(kgi_machine *));
  if (s->arena.failed) return KG_NO_MEMORY;
  status = make_buffers(s);
  if (status == KG_OK) status = bound_buffers(s);
  if (status == KG_OK) status = kgi_views_enter(&s->views);
  if (status != KG_OK) return status;
  status = kgi_layout_each(&s->layout, dispatch, s);
  kgi_watch_say_outside(&s->watcher, m, &s->diags);
  if (status == KG_OK) status = check_derivatives(s);
  finish_bounds(s);
  kgi_views_leave(&s->views);
  const kg_reference_report *r = s->report;
  bool found = r->fault != KG_FAULT_NONE || r->races || r->uninitialised || r->out_of_range;
  return status == KG_OK && found ? KG_FAILED : status;
}

size_t kgi_memory_limit(const kg_reference_params *params) {
  uint64_t limit = params->memory_limit ? params->memory_limit : DEFAULT_MEMORY;
  return limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

/* Races, uninitialised reads and accesses out of bounds are found in order; intervals are carried on one thread, and threads take
 * workgroups in order. */
static uint32_t threads_of(const kg_reference_params *params) {
  if (params->bounds != KG_BOUNDS_NONE || params->order) return 1;
  if (params->checks & (KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_BOUNDS)) return 1;
  return params->threads ? params->threads : kgi_cores();
}

kg_status kgi_reference_run(const kg_reference_params *params, uint64_t worth, kg_reference_report *report) {
  kg_reference_report own;
  session s = {.params = params, .module = params->module, .report = report ? report : &own};
  uint32_t subgroup = params->subgroup_size;
  *s.report = (kg_reference_report){0};
  s.watcher.checks = params->checks;
  s.bits = params->tangent_count && kgi_takes_bits(s.module);
  s.diags = (kgi_diags){.sink = params->sink, .file = params->module->file};
  if (subgroup > KGI_MAX_SUBGROUP || (subgroup & (subgroup - 1)) != 0) {
    KGI_DIAG(&s.diags, subgroup_size, 0, KGI_NUM(subgroup));
    return KG_INVALID;
  }
  kgi_arena_init(&s.arena, params->allocator);
  kgi_crew_init(&s.crew, params, threads_of(params), worth, &s.arena);
  s.arena.limit = kgi_memory_limit(params);
  kg_status status = run(&s);
  if (status == KG_NO_MEMORY) KGI_DIAG(&s.diags, no_memory, 0, "");
  kgi_crew_free(&s.crew);
  kgi_arena_free(&s.arena);
  return status;
}

kg_status kg_reference_run(const kg_reference_params *params, kg_reference_report *report) {
  KGI_OWN_FLOATS;
  return kgi_reference_run(params, WORTH, report);
}
