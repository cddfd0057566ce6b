/* A module's runs as calls: made ready once, where there is room for all, and else one after the other as they come. */
#include "driver/cpu/cpu.h"
#include "driver/cpu/sums.h"
#include "driver/views.h"

#include <string.h>

enum { MOST_KEPT = 1 << 16 }; /* dispatches */

/* Trips of loops that state no limit, for a workgroup: as many as the reference grants each of the most invocations. So a loop that
 * never ends does end, within seconds. */
#define BUDGET (UINT64_C(1) << 32)

/* One dispatch. */
typedef struct call {
  kgi_c_args args;
  uint32_t program, count;
  uint32_t buffers;
  kgi_summed *summed;
} call;

/* What the arguments of one point to. */
typedef struct arrays { void **buffer; uint32_t *length; uint64_t *param; kgi_summed *summed; } arrays;

typedef struct state {
  kgi_cpu_object *object;
  kgi_c_kernel **kernel; /* by program; NULL: it does not run */
  double *cost;          /* of a workgroup, by program, as seen last */
  call *call;            /* NULL: too many to keep */
  uint32_t calls;
  arrays shared;         /* where none are kept: large enough for any program */
  kgi_c_status status;
  kgi_sums sums;
} state;

/* ---- what a kernel is given ---- */

/* Views see their binding's first byte, all others the first element that is bound. */
static void *place_of(const kg_executable *exe, const kgi_run *run, uint32_t i) {
  const kgi_object *o = &exe->module->scope.object[run->buffer[i]];
  unsigned char *bytes = ((kgi_cpu_buffer *)kgi_join_buffer(exe, run->buffer[i]))->memory.bytes;
  return o->view ? bytes : bytes + run->from[i] * kg_type_size((kg_type)o->type);
}

static bool fill(kg_executable *exe, const kgi_run *run, const arrays *a, call *out) {
  const kgi_scope *s = &run->program->scope;
  state *st = exe->state;
  for (uint32_t i = 1, end = kgi_buffer_end(s); i < end; i++) {
    a->buffer[i - 1] = place_of(exe, run, i);
    a->length[i - 1] = (uint32_t)run->length[i];
  }
  for (uint32_t i = 1; i < s->param_count; i++) a->param[i - 1] = run->param[i];
  out->args = (kgi_c_args){.buffer = a->buffer, .length = a->length, .param = a->param, .status = &st->status, .budget = BUDGET};
  memcpy(out->args.groups, run->groups, sizeof out->args.groups);
  out->program = run->program_index;
  out->count = run->groups[0] * run->groups[1] * run->groups[2];
  out->buffers = kgi_buffer_end(s) - 1, out->summed = a->summed;
  return kgi_sums_plan(&st->sums, exe, run, a->buffer, a->summed);
}

static bool make_arrays(kgi_arena *arena, uint32_t buffers, uint32_t params, arrays *a) {
  a->buffer = kgi_arena_alloc(arena, buffers, sizeof *a->buffer);
  a->length = kgi_arena_alloc(arena, buffers, sizeof *a->length);
  a->param = kgi_arena_alloc(arena, params, sizeof *a->param);
  a->summed = kgi_arena_alloc(arena, buffers, sizeof *a->summed);
  return !arena->failed;
}

/* ---- making it ready ---- */

typedef struct survey { kg_executable *exe; kgi_diags *diags; uint32_t buffers, params; } survey;

/* Workgroups are numbered in 32 bits. */
static kg_status survey_run(void *user, const kgi_run *run) {
  survey *s = user;
  state *st = s->exe->state;
  const kgi_program *p = run->program;
  const char *name = kgi_string(s->exe->module, p->name);
  uint64_t area = (uint64_t)run->groups[0] * run->groups[1]; /* the device's limits keep it within 62 bits */
  if (area && run->groups[2] > UINT32_MAX / area) {
    uint64_t all;
    if (__builtin_mul_overflow(area, (uint64_t)run->groups[2], &all) || all > INT64_MAX) all = INT64_MAX;
    KGI_DIAG(s->diags, device_limit, p->pos, name, "workgroups together", KGI_NUM(all), KGI_NUM(UINT32_MAX));
    return KG_REFUSED;
  }
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1, params = p->scope.param_count - 1;
  if (buffers > s->buffers) s->buffers = buffers;
  if (params > s->params) s->params = params;
  if (st->kernel[run->program_index]) return KG_OK;
  st->kernel[run->program_index] = kgi_cpu_kernel(st->object, run->program_index);
  if (!st->kernel[run->program_index]) KGI_DIAG(s->diags, not_loaded, p->pos, name);
  return st->kernel[run->program_index] ? KG_OK : KG_REFUSED;
}

static kg_status record_run(void *user, const kgi_run *run) {
  kg_executable *exe = user;
  const kgi_scope *s = &run->program->scope;
  state *st = exe->state;
  arrays a;
  if (!make_arrays(&exe->arena, kgi_buffer_end(s) - 1, s->param_count - 1, &a)) return KG_NO_MEMORY;
  return fill(exe, run, &a, &st->call[st->calls++]) ? KG_OK : KG_NO_MEMORY;
}

static kg_status walk(kg_executable *exe, kgi_diags *diags, kg_status (*visit)(void *user, const kgi_run *run), void *user) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &exe->device->context->alloc);
  kg_status status = kgi_executable_each(exe, &scratch, diags, visit, user);
  kgi_arena_free(&scratch);
  return status;
}

static kg_status record(kg_executable *exe, kgi_diags *diags) {
  state *st = exe->state;
  survey s = {.exe = exe, .diags = diags};
  kg_status status = walk(exe, diags, survey_run, &s);
  if (status != KG_OK) return status;
  if (exe->dispatches <= MOST_KEPT) {
    st->call = kgi_arena_alloc(&exe->arena, (size_t)exe->dispatches, sizeof *st->call);
    return st->call ? walk(exe, diags, record_run, exe) : KG_NO_MEMORY;
  }
  return make_arrays(&exe->arena, s.buffers, s.params, &st->shared) ? KG_OK : KG_NO_MEMORY;
}

static kg_status compile(kg_executable *exe, kgi_diags *diags) {
  const kg_allocator *alloc = &exe->device->context->alloc;
  const kg_c_params params = {.kernels_only = true, .math = exe->params.math};
  state *st = exe->state;
  kgi_cpu *cpu = kgi_cpu_of(exe);
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_c_emit(alloc, exe->module, &params, diags->sink, &text, &size);
  if (status != KG_OK) return status;
  status = kgi_cpu_load(cpu, text, size, diags, &st->object);
  kgi_free(alloc, text, size + 1);
  if (status == KG_OK && st->object->stack != UINT64_MAX && st->object->stack > KGI_POOL_STACK / 2) {
    const char *name = kg_module_name(exe->module);
    KGI_DIAG(diags, device_limit, 0, name, "bytes of stack", KGI_NUM(st->object->stack), KGI_NUM(KGI_POOL_STACK / 2));
    status = KG_REFUSED;
  }
  return status;
}

kg_status kgi_cpu_prepare(kg_executable *exe, kgi_diags *diags) {
  state *st = kgi_arena_alloc(&exe->arena, 1, sizeof *st);
  kgi_cpu *cpu = kgi_cpu_of(exe);
  if (!st) return KG_NO_MEMORY;
  exe->state = st;
  st->kernel = kgi_arena_alloc(&exe->arena, exe->module->program_count, sizeof *st->kernel);
  st->cost = kgi_arena_alloc(&exe->arena, exe->module->program_count, sizeof *st->cost);
  if (!cpu->pool) cpu->pool = kgi_pool_new(cpu->given, cpu->threads);
  if (exe->arena.failed || !cpu->pool) return KG_NO_MEMORY;
  st->sums.threads = cpu->threads;
  kg_status status = kgi_join_make(exe, diags);
  if (status == KG_OK) status = compile(exe, diags);
  return status == KG_OK ? record(exe, diags) : status;
}

/* ---- running ---- */

typedef struct running { kg_executable *exe; kgi_diags *diags; kg_status status; } running;

static void run_call(const kg_executable *exe, const call *c) {
  state *st = exe->state;
  kgi_pool *pool = kgi_cpu_of(exe)->pool;
  kgi_sums_share(pool, st->kernel[c->program], &c->args, c->summed, c->buffers, c->count, &st->cost[c->program]);
}

static kg_status run_one(void *user, const kgi_run *run) {
  kg_executable *exe = user;
  call c;
  if (!fill(exe, run, &((state *)exe->state)->shared, &c)) return KG_NO_MEMORY;
  run_call(exe, &c);
  return KG_OK;
}

static void run_all(void *user) {
  running *r = user;
  const state *st = r->exe->state;
  if (st->call)
    for (uint32_t i = 0; i < st->calls; i++) run_call(r->exe, &st->call[i]);
  else
    r->status = walk(r->exe, r->diags, run_one, r->exe);
}

/* The first failure, with its position. */
static kg_status report(const kg_executable *exe, const kgi_c_status *s, kgi_diags *diags) {
  uint32_t program = s->program - ((const state *)exe->state)->object->before;
  const kgi_program *p = program < exe->module->program_count ? exe->module->program[program] : NULL;
  uint32_t inst = p && s->first && s->first - 1 < p->inst_count ? s->first - 1 : 0;
  kgi_pos pos = inst && inst < p->inst_pos_cap ? p->inst_pos[inst] : 0;
  const char *name = p ? kgi_string(exe->module, p->name) : "";
  if (s->fault == KGI_C_ASSERT) {
    kgi_str message = {inst ? p->inst[inst].arg[1] : 0};
    KGI_DIAG(diags, assert_failed, pos, kgi_string(exe->module, message));
  } else if (s->fault == KGI_C_LIMIT) {
    KGI_DIAG(diags, loop_limit, pos, KGI_NUM(s->count));
  } else {
    KGI_DIAG(diags, loop_budget, pos, name, KGI_NUM(s->count), KGI_NUM(BUDGET));
  }
  return KG_FAILED;
}

/* What a call takes besides the kernels' own: functions of the C library among them. */
static uint64_t stack_wanted(const state *st) {
  return st->object->stack == UINT64_MAX ? UINT64_MAX : st->object->stack + (128 << 10);
}

kg_status kgi_cpu_execute(kg_executable *exe, kgi_diags *diags) {
  state *st = exe->state;
  running r = {exe, diags, KG_OK};
  st->status = (kgi_c_status){0};
  kg_status status = kgi_join_in(exe, diags);
  if (status == KG_OK && !kgi_pool_call(kgi_cpu_of(exe)->pool, stack_wanted(st), run_all, &r)) status = KG_NO_MEMORY;
  if (status == KG_OK) status = r.status;
  if (status == KG_OK) status = kgi_join_out(exe, diags);
  return status == KG_OK && st->status.fault ? report(exe, &st->status, diags) : status;
}

void kgi_cpu_discard(kg_executable *exe) {
  state *st = exe->state;
  if (!st) return;
  if (st->object) kgi_cpu_unload(kgi_cpu_of(exe), st->object);
  kgi_sums_free(&st->sums, exe);
  kgi_join_free(exe);
}
