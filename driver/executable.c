/* Executables: what can be checked is checked here, once, for every device. */
#define _POSIX_C_SOURCE 200809L
#include "driver/backend.h"
#include "foundation/base/floats.h"
#include "foundation/passes/passes.h"
#include "modules/modules.h"

#include <string.h>
#include <time.h>

kg_status kgi_executable_each(const kg_executable *exe, kgi_arena *scratch, kgi_diags *diags,
                              kg_status (*visit)(void *user, const kgi_run *run), void *user) {
  kgi_layout layout;
  kg_status status = kgi_layout_init(&layout, exe->module, exe->param, exe->length, scratch, diags);
  return status == KG_OK ? kgi_layout_each(&layout, visit, user) : status;
}

/* ---- limits of the device ---- */

enum { MOST_DISPATCHES = 1 << 24 }; /* minutes of work; a host may execute again */

typedef struct checker { kg_executable *exe; kgi_diags *diags; } checker;

static kg_status exceeds(const checker *c, const kgi_run *run, const char *what, uint64_t value, uint64_t limit) {
  KGI_DIAG(c->diags, device_limit, run->program->pos, kgi_string(c->exe->module, run->program->name), what, KGI_NUM(value),
           KGI_NUM(limit));
  return KG_REFUSED;
}

static uint64_t shared_bytes(const kgi_run *run) {
  uint64_t total = 0;
  const kgi_scope *s = &run->program->scope;
  for (uint32_t i = 1; i < s->object_count; i++) {
    size_t size = kg_type_size(kgi_type_value(s->object[i].type));
    if (s->object[i].space == KGI_SHARED) total += run->length[i] * (size < 4 ? 4 : size);
  }
  return total;
}

static kg_status check_run(void *user, const kgi_run *run) {
  static const char *const sizes[] = {"invocations in x", "invocations in y", "invocations in z"};
  static const char *const grids[] = {"workgroups in x", "workgroups in y", "workgroups in z"};
  const checker *c = user;
  const kg_device_info *d = &c->exe->device->info;
  uint64_t invocations = 1;
  if (++c->exe->dispatches > MOST_DISPATCHES) return KGI_DIAG(c->diags, dispatches, 0, KGI_NUM(MOST_DISPATCHES)), KG_REFUSED;
  for (unsigned k = 0; k < 3; k++) {
    invocations *= run->workgroup[k];
    if (run->workgroup[k] > d->workgroup_size[k]) return exceeds(c, run, sizes[k], run->workgroup[k], d->workgroup_size[k]);
    if (run->groups[k] > d->groups[k]) return exceeds(c, run, grids[k], run->groups[k], d->groups[k]);
  }
  if (invocations > d->workgroup_invocations) return exceeds(c, run, "invocations in a workgroup", invocations, d->workgroup_invocations);
  uint64_t bytes = shared_bytes(run);
  return bytes > d->shared_bytes ? exceeds(c, run, "bytes of shared memory", bytes, d->shared_bytes) : KG_OK;
}

/* ---- buffers ---- */

static uint64_t bytes_of(const kg_executable *exe, uint32_t object) {
  return exe->length[object - 1] * kg_type_size((kg_type)exe->module->scope.object[object].type);
}

/* A program takes its buffers for apart; the host may not give two of them one memory, unless both are only read. */
static kg_status check_apart(const kg_executable *exe, uint32_t object, const kg_buffer *given, kgi_diags *diags) {
  const kgi_object *o = exe->module->scope.object;
  for (uint32_t k = 1; k < object; k++) {
    if (exe->owned[k] || exe->buffer[k] != given || (o[k].mode == KG_READ && o[object].mode == KG_READ)) continue;
    KGI_DIAG(diags, buffer_twice, o[object].pos, kgi_string(exe->module, o[k].name), kgi_string(exe->module, o[object].name));
    return KG_INVALID;
  }
  return KG_OK;
}

static kg_status take_buffer(kg_executable *exe, uint32_t object, kgi_diags *diags) {
  const kgi_object *o = &exe->module->scope.object[object];
  kg_device *device = exe->device;
  uint64_t bytes = bytes_of(exe, object);
  kg_buffer *given = exe->params.buffers && o->mode != KG_TEMP ? exe->params.buffers[object - 1] : NULL;
  const char *name = kgi_string(exe->module, o->name);
  if (bytes > device->info.buffer_bytes) {
    KGI_DIAG(diags, device_buffer, o->pos, name, KGI_NUM(bytes), KGI_NUM(device->info.buffer_bytes));
    return KG_REFUSED;
  }
  if (given && given->device != device) return KGI_DIAG(diags, buffer_device, o->pos, name), KG_INVALID;
  if (given && given->bytes < bytes) return KGI_DIAG(diags, buffer_small, o->pos, name, KGI_NUM(bytes), KGI_NUM(given->bytes)), KG_INVALID;
  exe->buffer[object] = given;
  if (given) return check_apart(exe, object, given, diags);
  exe->owned[object] = true;
  return device->backend->buffer_new(device, bytes, diags, &exe->buffer[object]);
}

/* ---- making one ---- */

/* Lengths and params from the host; temp buffers' lengths are the module's own affair. */
static bool copy_host(kg_executable *exe, const kg_host *host) {
  uint32_t params = kg_module_param_count(exe->module), buffers = kg_module_buffer_count(exe->module);
  exe->param = kgi_arena_alloc(&exe->arena, params, sizeof *exe->param);
  exe->length = kgi_arena_alloc(&exe->arena, buffers, sizeof *exe->length);
  exe->buffer = kgi_arena_alloc(&exe->arena, buffers + 1, sizeof *exe->buffer);
  exe->owned = kgi_arena_alloc(&exe->arena, buffers + 1, sizeof *exe->owned);
  if (exe->arena.failed) return false;
  if (params) memcpy(exe->param, host->param, params * sizeof *exe->param);
  if (buffers) memcpy(exe->length, host->length, buffers * sizeof *exe->length);
  return true;
}

static kg_status check_all(kg_executable *exe, kgi_diags *diags) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &exe->device->context->alloc);
  checker c = {exe, diags};
  kg_status status = kgi_executable_each(exe, &scratch, diags, check_run, &c);
  kgi_arena_free(&scratch);
  return status;
}

/* Compilers of devices cannot tell that nobody stores to a buffer that is only loaded from, or may not load it where no trip does. The
 * copy is the caller's, whatever the result. */
static kg_status hoisted(const kg_allocator *alloc, const kg_module *m, kg_module **out) {
  kgi_arena scratch;
  kg_status status = KG_OK;
  *out = kgi_module_copy(alloc, m);
  if (!*out) return KG_NO_MEMORY;
  kgi_arena_init(&scratch, alloc);
  for (uint32_t i = 1; i < (*out)->program_count && status == KG_OK; i++) status = kgi_hoist(*out, (*out)->program[i], false, &scratch);
  kgi_arena_free(&scratch);
  return status;
}

static kg_status hoist_all(kg_executable *exe) {
  if (!exe->device->backend->compiles) return KG_OK;
  kg_status status = hoisted(&exe->device->context->alloc, exe->module, &exe->own);
  if (exe->own) exe->module = exe->own;
  return status;
}

static kg_status make(kg_executable *exe, const kg_host *host, kgi_diags *diags) {
  kg_status status = copy_host(exe, host) ? hoist_all(exe) : KG_NO_MEMORY;
  if (status == KG_OK) status = check_all(exe, diags);
  for (uint32_t i = 1; status == KG_OK && i < exe->module->scope.object_count; i++) status = take_buffer(exe, i, diags);
  return status == KG_OK ? exe->device->backend->prepare(exe, diags) : status;
}

kg_status kg_executable_new(kg_device *device, const kg_module *module, const kg_host *host, const kg_executable_params *params,
                            const kg_sink *sink, kg_executable **out) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = module->file};
  kg_math math = params ? params->math : KG_MATH_EXACT;
  if (kgi_check_choice(kg_math_name(math), "kg_executable_new", "kg_math", math, &diags) != KG_OK) return KG_INVALID;
  kg_executable *exe = kgi_alloc(&device->context->alloc, sizeof *exe);
  if (!exe) return KGI_DIAG(&diags, no_memory, 0, ""), KG_NO_MEMORY;
  *exe = (kg_executable){.device = device, .module = module, .params = params ? *params : (kg_executable_params){0}};
  kgi_arena_init(&exe->arena, &device->context->alloc);
  uint32_t before = device->context->messages;
  kg_status status = make(exe, host, &diags);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  if (status == KG_OK && device->context->messages != before) status = KG_FAILED;
  if (status != KG_OK) return kg_executable_free(exe), status;
  *out = exe;
  return KG_OK;
}

kg_status kg_device_compile(kg_device *device, const kg_module *const *modules, size_t count, const kg_sink *sink) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink};
  const kg_allocator *alloc = &device->context->alloc;
  if (!device->backend->compile || !count) return KG_OK;
  if (count > SIZE_MAX / sizeof(kg_module *)) return kgi_no_memory(sink);
  kg_module **copy = kgi_alloc(alloc, count * sizeof *copy);
  kg_status status = copy ? KG_OK : KG_NO_MEMORY;
  size_t made = 0;
  while (status == KG_OK && made < count) status = hoisted(alloc, modules[made], &copy[made]), made++;
  if (status == KG_OK) status = device->backend->compile(device, (const kg_module *const *)copy, count, &diags);
  while (made) kg_module_free(copy[--made]);
  kgi_free(alloc, copy, count * sizeof *copy);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  return status;
}

void kg_executable_free(kg_executable *exe) {
  if (!exe) return;
  exe->device->backend->discard(exe);
  for (uint32_t i = 1; exe->owned && exe->buffer && i < exe->module->scope.object_count; i++)
    if (exe->owned[i]) kg_buffer_free(exe->buffer[i]);
  kg_module_free(exe->own);
  kgi_arena_free(&exe->arena);
  kgi_free(&exe->device->context->alloc, exe, sizeof *exe);
}

kg_buffer *kg_executable_buffer(const kg_executable *exe, uint32_t index) {
  return index < kg_module_buffer_count(exe->module) ? exe->buffer[index + 1] : NULL;
}

double kg_executable_seconds(const kg_executable *exe) { return exe->seconds; }
uint64_t kg_executable_dispatches(const kg_executable *exe) { return exe->dispatches; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

kg_status kg_execute(kg_executable *exe, const kg_sink *sink) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = exe->module->file};
  uint32_t before = exe->device->context->messages;
  double start = now();
  kg_status status = exe->device->backend->execute(exe, &diags);
  exe->seconds = now() - start;
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  return status == KG_OK && exe->device->context->messages != before ? KG_FAILED : status;
}

/* ---- once ---- */

static kg_status transfer(kg_executable *exe, void *const *data, bool up, const kg_sink *sink) {
  kg_status status = KG_OK;
  for (uint32_t i = 1; status == KG_OK && i < exe->module->scope.object_count; i++) {
    unsigned mode = exe->module->scope.object[i].mode;
    bool wanted = up ? mode == KG_READ || mode == KG_READ_WRITE : mode == KG_WRITE || mode == KG_READ_WRITE;
    if (!wanted || !data[i - 1]) continue;
    uint64_t bytes = bytes_of(exe, i);
    status = up ? kg_buffer_write(exe->buffer[i], 0, data[i - 1], bytes, sink) : kg_buffer_read(exe->buffer[i], 0, data[i - 1], bytes, sink);
  }
  return status;
}

kg_status kgi_executable_upload(kg_executable *exe, void *const *data, const kg_sink *sink) { return transfer(exe, data, true, sink); }

kg_status kg_run(kg_device *device, const kg_module *module, kg_host *host, void *const *data, const kg_executable_params *params,
                 const kg_sink *sink, double *seconds) {
  KGI_OWN_FLOATS;
  kg_executable *exe;
  kg_status status = kg_module_resolve(module, host, sink);
  if (status != KG_OK) return status;
  status = kg_executable_new(device, module, host, params, sink, &exe);
  if (status != KG_OK) return status;
  status = transfer(exe, data, true, sink);
  if (status == KG_OK) status = kg_execute(exe, sink);
  /* what was written before a failure helps to understand it */
  if (status == KG_OK || status == KG_FAILED) {
    kg_status read = transfer(exe, data, false, sink);
    if (status == KG_OK) status = read;
  }
  if (seconds) *seconds = kg_executable_seconds(exe);
  kg_executable_free(exe);
  return status;
}
