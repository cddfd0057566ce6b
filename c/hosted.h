/* The runtime of emitted C (c/runtime.h): what the function for hosts calls (c/host.c). It does in C what foundation/host/layout.c
 * does. */

/* One call: why it ends, or 0. */
#include <stdlib.h>
struct kg_call { int fault; struct kg_status status; };

/* A size has no value or is out of range; a buffer is too short; a slice does not lie in its buffer, or meets another one. */
enum { KG_NO_MEMORY = -1, KG_BAD_SIZE = -2, KG_TOO_SHORT = -3, KG_BAD_SLICE = -4 };

static __attribute__((unused)) int64_t kg_end_call(struct kg_call *call, int fault) {
  if (!call->fault) call->fault = fault;
  return 0;
}

/* ---- lengths ---- */
/* Arithmetic of 64 bits. What has no result ends the call, and divisions round toward minus infinity. */
static __attribute__((unused)) int64_t kg_size_add(struct kg_call *call, int64_t a, int64_t b) {
  int64_t y;
  return __builtin_add_overflow(a, b, &y) ? kg_end_call(call, KG_BAD_SIZE) : y;
}

static __attribute__((unused)) int64_t kg_size_sub(struct kg_call *call, int64_t a, int64_t b) {
  int64_t y;
  return __builtin_sub_overflow(a, b, &y) ? kg_end_call(call, KG_BAD_SIZE) : y;
}

static __attribute__((unused)) int64_t kg_size_mul(struct kg_call *call, int64_t a, int64_t b) {
  int64_t y;
  return __builtin_mul_overflow(a, b, &y) ? kg_end_call(call, KG_BAD_SIZE) : y;
}

static __attribute__((unused)) int64_t kg_size_div(struct kg_call *call, int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return kg_end_call(call, KG_BAD_SIZE);
  return kg_dim_div(a, b);
}

static __attribute__((unused)) int64_t kg_size_mod(struct kg_call *call, int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return kg_end_call(call, KG_BAD_SIZE);
  return kg_dim_mod(a, b);
}

/* Between two numbers, or the call ends: a length, or a param of a run. */
static __attribute__((unused)) int64_t kg_size_within(struct kg_call *call, int64_t n, int64_t least, int64_t most) {
  return n < least || n > most ? kg_end_call(call, KG_BAD_SIZE) : n;
}

static __attribute__((unused)) int64_t kg_size_of_u64(struct kg_call *call, uint64_t n) {
  return n > INT64_MAX ? kg_end_call(call, KG_BAD_SIZE) : (int64_t)n;
}

/* How many bytes a block has, and those that a view of n elements reaches. */
static __attribute__((unused)) uint64_t kg_reach(struct kg_call *call, uint64_t bytes, int64_t n, uint64_t size, uint64_t offset,
                                                 uint64_t stride, uint64_t row, uint64_t every) {
  uint64_t last = n > 0 ? (uint64_t)n - 1 : 0, y;
  bool far = __builtin_mul_overflow(row ? last / row : last, row ? every : stride, &y);
  far |= __builtin_add_overflow(y, (row ? last % row * stride : 0) + offset + size, &y);
  if (far) kg_end_call(call, KG_BAD_SIZE);
  return n > 0 && !far && y > bytes ? y : bytes;
}

/* Memory of the call's own. */
static __attribute__((unused)) void *kg_room(struct kg_call *call, uint64_t bytes) {
  void *at = call->fault || bytes > SIZE_MAX / 4 ? NULL : calloc((size_t)bytes + 1, 1);
  if (!at) kg_end_call(call, KG_NO_MEMORY);
  return at;
}

static __attribute__((unused)) uint64_t kg_trips_of(struct kg_call *call, int64_t from, int64_t to, int64_t step) {
  if (step < 1) kg_end_call(call, KG_BAD_SIZE);
  return !call->fault && to > from ? ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1 : 0;
}

/* ---- runs ---- */
/* What a run binds: elements from .. to of a buffer of the module. */
struct kg_bound { void *at; int64_t from, to; uint32_t buffer; bool slice, written; };

static __attribute__((unused)) struct kg_bound kg_whole(const void *at, int64_t length) {
  return (struct kg_bound){(void *)(uintptr_t)at, 0, length, 0, false, false};
}

static __attribute__((unused)) struct kg_bound kg_slice(struct kg_call *call, const void *at, int64_t length, int64_t from,
                                                        int64_t to, size_t size, uint32_t buffer, bool written) {
  if (from < 0 || to < from || to > length) {
    kg_end_call(call, KG_BAD_SLICE);
    from = to = 0;
  }
  unsigned char *first = (unsigned char *)(uintptr_t)at;
  return (struct kg_bound){from ? first + (size_t)from * size : first, from, to, buffer, true, written};
}

static __attribute__((unused)) bool kg_meet(const struct kg_bound *a, const struct kg_bound *b) {
  bool same = a->slice && b->slice && a->buffer == b->buffer && (a->written || b->written);
  return same && a->from < a->to && b->from < b->to && a->from < b->to && b->from < a->to;
}

static __attribute__((unused)) void kg_keep_apart(struct kg_call *call, const struct kg_bound *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < i; k++)
      if (kg_meet(&b[i], &b[k])) kg_end_call(call, KG_BAD_SLICE);
}

/* The length that a program declares, of what is bound. */
static __attribute__((unused)) int64_t kg_declared(struct kg_call *call, int64_t n, const struct kg_bound *b) {
  n = kg_size_within(call, n, 0, UINT32_MAX);
  return n > b->to - b->from ? kg_end_call(call, KG_TOO_SHORT) : n;
}

/* Params of a run as bits. */
static __attribute__((unused)) uint64_t kg_bits_of_f32(float x) {
  uint32_t y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

static __attribute__((unused)) uint64_t kg_bits_of_f64(double x) {
  uint64_t y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

static __attribute__((unused)) uint64_t kg_bits_of_f16(int64_t x) { return kg_encode_f16(kg_splat_f32((float)x))[0]; }

/* One dispatch: pieces of the grid, each on whichever thread is free. One that has no other beside it adds without atomics. */
#ifdef _OPENMP
#include <omp.h>
#endif
static __attribute__((unused)) void kg_dispatch(struct kg_call *call, void (*kernel)(const struct kg_args *, uint32_t, uint32_t),
                                                struct kg_args *args, const uint32_t *size, const int64_t *grid, bool invocations) {
  uint64_t count = 1;
  for (int k = 0; k < 3; k++) {
    uint64_t n = grid[k] < 0 ? UINT64_MAX : (uint64_t)grid[k];
    if (invocations) n = n / size[k] + (n % size[k] != 0);
    if (n > UINT32_MAX / size[k]) kg_end_call(call, KG_BAD_SIZE);
    args->groups[k] = (uint32_t)n;
    count = count <= UINT32_MAX ? count * args->groups[k] : n ? count : 0;
  }
  if (count > UINT32_MAX) kg_end_call(call, KG_BAD_SIZE);
  if (call->fault || !count) return;
  args->status = &call->status;
#ifdef _OPENMP
  const uint32_t piece = (uint32_t)(count / 256 + 1);
#pragma omp parallel if (count > 1)
  {
    struct kg_args own = *args;
    if (omp_get_num_threads() == 1) own.own = own.buffer;
#pragma omp for schedule(dynamic)
    for (int64_t first = 0; first < (int64_t)count; first += piece)
      kernel(&own, (uint32_t)first, first + piece < (int64_t)count ? (uint32_t)(first + piece) : (uint32_t)count);
  }
#else
  args->own = args->buffer;
  kernel(args, 0, (uint32_t)count);
#endif
  if (call->status.count) kg_end_call(call, (int)call->status.fault);
}
