#include "driver/cpu/sums.h"

#include <stdatomic.h>

/* Copies are to cost less than what is added: elements for each invocation, and bytes for an executable. */
enum { EACH = 4 };
#define MOST_BYTES (UINT64_C(256) << 20)

/* ---- which ---- */

static uint64_t invocations_of(const kgi_run *run) {
  uint64_t groups = (uint64_t)run->groups[0] * run->groups[1] * run->groups[2];
  return groups * run->workgroup[0] * run->workgroup[1] * run->workgroup[2];
}

/* What a sum begins with that is to change nothing, made of zeros: of floats that is -0, which leaves a -0. */
static void clear(unsigned char *copy, uint64_t bytes, kg_type type) {
  for (uint64_t i = 0; type == KG_F32 && i < bytes / sizeof(float); i++) ((float *)(void *)copy)[i] = -0.0F;
  for (uint64_t i = 0; type == KG_F64 && i < bytes / sizeof(double); i++) ((double *)(void *)copy)[i] = -0.0;
}

/* Room for the copies of all threads but the one that adds to the buffer itself: of the whole of it, whatever a run binds. */
static bool take_copies(kgi_sums *s, kg_executable *exe, uint32_t object, uint64_t bytes, kg_type type) {
  if (s->copy[object].block) return true;
  uint64_t all = bytes * (s->threads - 1);
  if (!kgi_cpu_memory_take(&exe->device->context->alloc, all, &s->copy[object])) return false;
  clear(s->copy[object].bytes, all, type);
  s->bytes[object] = bytes;
  return true;
}

bool kgi_sums_plan(kgi_sums *s, kg_executable *exe, const kgi_run *run, void *const *bound, kgi_summed *out) {
  const kgi_scope *scope = &run->program->scope;
  uint64_t worth = invocations_of(run) * EACH, used = 0;
  if (!s->copy) {
    s->copy = kgi_arena_alloc(&exe->arena, exe->module->scope.object_count, sizeof *s->copy);
    s->bytes = kgi_arena_alloc(&exe->arena, exe->module->scope.object_count, sizeof *s->bytes);
    if (exe->arena.failed) return false;
  }
  for (uint32_t i = 1, end = kgi_buffer_end(scope); i < end; i++) {
    kg_type type = (kg_type)scope->object[i].type;
    uint64_t length = exe->length[run->buffer[i] - 1], bytes = length * kg_type_size(type), others = s->threads - 1;
    out[i - 1] = (kgi_summed){.bound = bound[i - 1], .elements = run->length[i], .type = type};
    bool worthy = others && s->threads <= KGI_SUMS_THREADS && bytes && length * others <= worth && bytes <= MOST_BYTES / others - used / others;
    if (!kgi_c_is_only_added(run->program, i) || (others && !worthy)) continue;
    if (others && !take_copies(s, exe, run->buffer[i], bytes, type)) return false;
    /* two slices of one buffer have two places in its copies */
    out[i - 1].copies = others ? s->copy[run->buffer[i]].bytes + run->from[i] * kg_type_size(type) : bound[i - 1];
    out[i - 1].stride = s->bytes[run->buffer[i]];
    used += bytes * others;
  }
  return true;
}

void kgi_sums_free(kgi_sums *s, kg_executable *exe) {
  for (uint32_t i = 0; s->copy && i < exe->module->scope.object_count; i++)
    kgi_cpu_memory_give(&exe->device->context->alloc, &s->copy[i]);
}

/* ---- running ---- */

/* Places for threads: the first adds to what is bound, the others to copies. */
typedef struct dispatch {
  kgi_c_kernel *kernel;
  const kgi_c_args *args;
  const kgi_summed *summed;
  uint32_t buffers;
  _Atomic uint64_t taken, used; /* a bit for each place */
} dispatch;

/* Without copies there may be more threads than places. */
static bool has_copies(const kgi_summed *summed, uint32_t buffers) {
  bool any = false;
  for (uint32_t i = 0; i < buffers; i++) any |= summed[i].copies != NULL;
  return any;
}

static void run_plain(void *user, uint32_t first, uint32_t end) {
  const dispatch *d = user;
  d->kernel(d->args, first, end);
}

static uint32_t take_place(dispatch *d) {
  uint64_t taken = atomic_load(&d->taken);
  uint32_t place;
  do place = (uint32_t)__builtin_ctzll(~taken);
  while (!atomic_compare_exchange_weak(&d->taken, &taken, taken | UINT64_C(1) << place));
  return place;
}

static void run_groups(void *user, uint32_t first, uint32_t end) {
  dispatch *d = user;
  enum { MOST = 32 };
  void *own[MOST];
  kgi_c_args args = *d->args;
  uint32_t place = take_place(d);
  for (uint32_t i = 0; i < d->buffers && i < MOST; i++) {
    const kgi_summed *s = &d->summed[i];
    own[i] = !s->copies ? NULL : place ? s->copies + (place - 1) * s->stride : s->bound;
  }
  if (d->buffers <= MOST) args.own = own;
  atomic_fetch_or(&d->used, UINT64_C(1) << place);
  d->kernel(&args, first, end);
  atomic_fetch_and(&d->taken, ~(UINT64_C(1) << place));
}

/* ---- summing ---- */

typedef struct addition { const kgi_summed *s; uint64_t used; } addition;
enum { BLOCK = 4096 };

#define ADD(T, nothing) \
  do { \
    T *sum = s->bound, *copy = (T *)(void *)from; \
    for (uint64_t i = first; i < end; i++) sum[i] = (T)(sum[i] + copy[i]), copy[i] = nothing; \
  } while (0)

static void add_copy(const kgi_summed *s, unsigned char *from, uint64_t first, uint64_t end) {
  switch (s->type) {
  case KG_F32: ADD(float, -0.0F); break;
  case KG_F64: ADD(double, -0.0); break;
  case KG_I32: case KG_U32: ADD(uint32_t, 0); break;
  case KG_I64: case KG_U64: ADD(uint64_t, 0); break;
  case KG_NONE: case KG_BOOL: case KG_F16: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
}

static void add_blocks(void *user, uint32_t first, uint32_t end) {
  const addition *a = user;
  uint64_t from = (uint64_t)first * BLOCK, to = (uint64_t)end * BLOCK;
  for (uint32_t place = 1; place < KGI_SUMS_THREADS; place++)
    if (a->used >> place & 1) add_copy(a->s, a->s->copies + (place - 1) * a->s->stride, from, to < a->s->elements ? to : a->s->elements);
}

void kgi_sums_share(kgi_pool *pool, kgi_c_kernel *kernel, const kgi_c_args *args, const kgi_summed *summed, uint32_t buffers,
                    uint32_t count, double *cost) {
  dispatch d = {.kernel = kernel, .args = args, .summed = summed, .buffers = buffers};
  double block_cost = 1000;
  kgi_pool_share(pool, has_copies(summed, buffers) ? run_groups : run_plain, &d, count, cost);
  uint64_t used = atomic_load(&d.used) & ~UINT64_C(1);
  for (uint32_t i = 0; used && i < buffers; i++) {
    addition a = {&summed[i], used};
    if (summed[i].copies) kgi_pool_share(pool, add_blocks, &a, (uint32_t)((summed[i].elements + BLOCK - 1) / BLOCK), &block_cost);
  }
}
