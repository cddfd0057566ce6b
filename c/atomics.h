/* The runtime of emitted C (c/runtime.h): atomics, and what lanes tell each other. */

/* Of floats: a NaN loses against a number, and -0 is less than +0. */
#define kg_less(a, b) ((a) < (b) || (b) != (b) || ((a) == (b) && __builtin_signbit(a)) ? (a) : (b))

#define kg_more(a, b) ((a) > (b) || (b) != (b) || ((a) == (b) && !__builtin_signbit(a)) ? (a) : (b))

#define kg_as_signed(a) _Generic((a), uint32_t: (int32_t)(a), uint64_t: (int64_t)(a))

/* Atomics of the lanes of m, one after the other; what was there before is the result. */
#define KG_ATOMIC(function, element, lanes, one, changed) \
  static inline __attribute__((unused)) lanes function(unsigned char *p, uint32_t n, kg_u32v i, lanes xs, lanes ys, kg_mask m, \
                                                       uint32_t stride, uint32_t row, uint32_t every) { \
    lanes before = {0}; \
    for (int l = 0; l < KG_LANES; l++) { \
      typedef element any __attribute__((may_alias)); \
      if (!m[l] || i[l] >= n) continue; \
      any *at = (any *)(void *)(p + kg_place(i[l], stride, row, every)); \
      const one x = xs[l], y = ys[l]; \
      element old, next; \
      (void)x, (void)y; \
      __atomic_load(at, &old, __ATOMIC_RELAXED); \
      do next = changed; \
      while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
      before[l] = old; \
    } \
    return before; \
  }

#define KG_ATOMIC_LOAD(function, element, lanes, one, changed) \
  static inline __attribute__((unused)) lanes function(unsigned char *p, uint32_t n, kg_u32v i, lanes xs, lanes ys, kg_mask m, \
                                                       uint32_t stride, uint32_t row, uint32_t every) { \
    lanes before = {0}; \
    (void)xs, (void)ys; \
    for (int l = 0; l < KG_LANES; l++) { \
      typedef element any __attribute__((may_alias)); \
      element old; \
      if (!m[l] || i[l] >= n) continue; \
      __atomic_load((any *)(void *)(p + kg_place(i[l], stride, row, every)), &old, __ATOMIC_RELAXED); \
      before[l] = old; \
    } \
    return before; \
  }

/* In shared memory, which one thread has to itself. */
#define KG_SHARED_ATOMIC(function, element, lanes, one, changed) \
  static inline __attribute__((unused)) lanes function(unsigned char *p, uint32_t n, kg_u32v i, lanes xs, lanes ys, kg_mask m, \
                                                       uint32_t stride, uint32_t row, uint32_t every) { \
    lanes before = {0}; \
    for (int l = 0; l < KG_LANES; l++) { \
      typedef element any __attribute__((may_alias)); \
      if (!m[l] || i[l] >= n) continue; \
      any *at = (any *)(void *)(p + kg_place(i[l], stride, row, every)); \
      const one x = xs[l], y = ys[l]; \
      const element old = *at; \
      (void)x, (void)y; \
      *at = changed; \
      before[l] = old; \
    } \
    return before; \
  }

/* Lanes from that number on, round and round. */
#ifdef __clang__
#define KG_TURN(y, x, by) for (int l = 0; l < KG_LANES; l++) y[l] = x[(l + by) % KG_LANES]
#else
#define KG_TURN(y, x, by) \
  do { \
    __typeof__(x == x) from; \
    for (int l = 0; l < KG_LANES; l++) from[l] = (l + by) % KG_LANES; \
    y = __builtin_shuffle(x, from); \
  } while (0)
#endif

/* The same where no other thread is: the sum of the lanes of m to their elements. One element of all lanes, as of a row's scale, gets
 * their sum by halves: one addition after the other waits for what the last one stored. */
#define KG_ADD(name, lanes, one, select) \
  static __attribute__((noinline, unused)) void kg_add_some_##name(kg_at_##name *p, uint32_t n, kg_u32v i, lanes x, kg_mask m) { \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l] && i[l] < n) p[i[l]] += x[l]; \
  } \
  static __attribute__((noinline, unused)) void kg_add_##name(kg_at_##name *p, uint32_t n, kg_u32v i, lanes x, kg_mask m) { \
    if (!kg_all(m & (kg_mask)(i < (kg_u32v){0} + n))) { \
      kg_add_some_##name(p, n, i, x, m); \
      return; \
    } \
    if (kg_all((kg_mask)(i == (kg_u32v){0} + i[0]))) { \
      lanes a = x, b; \
      if (KG_LANES > 8) { KG_TURN(b, a, 8); a += b; } \
      if (KG_LANES > 4) { KG_TURN(b, a, 4); a += b; } \
      KG_TURN(b, a, 2); \
      a += b; \
      KG_TURN(b, a, 1); \
      p[i[0]] += a[0] + b[0]; \
      return; \
    } \
    KG_LANE_BY_LANE p[i[l]] += x[l]; \
  } \
  KG_FN void kg_add_row_##name(kg_at_##name *p, uint32_t n, uint32_t base, lanes x, kg_mask m, bool all) { \
    if ((uint64_t)base + KG_LANES > n) { \
      kg_add_##name(p, n, kg_count(base), x, m); \
      return; \
    } \
    lanes old = kg_line_##name(p, base), y = old + x; \
    kg_set_line_##name(p, base, all ? y : select(m, y, old)); \
  } \
  KG_FN void kg_add_one_##name(kg_at_##name *p, uint32_t n, uint64_t i, one x) { \
    if (i < n) p[i] += x; \
  }

/* All lanes of m folded, in every lane: by halves. */
#define KG_FOLD(function, lanes, identity, joined) \
  KG_FN lanes function(lanes x, kg_mask m) { \
    lanes a = {0}, b = {0}, y = {0}; \
    for (int l = 0; l < KG_LANES; l++) a[l] = m[l] ? x[l] : identity; \
    if (KG_LANES > 8) { KG_TURN(b, a, 8); a = joined; } \
    if (KG_LANES > 4) { KG_TURN(b, a, 4); a = joined; } \
    KG_TURN(b, a, 2); \
    a = joined; \
    KG_TURN(b, a, 1); \
    a = joined; \
    for (int l = 0; l < KG_LANES; l++) y[l] = a[0]; \
    return y; \
  }

/* Each lane gets the fold of those up to it, or before it. */
#define KG_SCAN(function, lanes, identity, joined) \
  KG_FN lanes function(lanes x, kg_mask m) { \
    lanes a = {0}, b = {0}, y = {0}; \
    for (int l = 0; l < KG_LANES; l++) a[l] = identity; \
    for (int k = 0; k < KG_LANES; k++) { \
      for (int l = 0; l < KG_LANES; l++) b[l] = m[k] ? x[k] : identity; \
      a = joined; \
      y[k] = a[0]; \
    } \
    return y; \
  }

/* A first sum of floats is 0, and no -0. */
#define KG_SCAN_BEFORE(function, lanes, identity, joined, nothing) \
  KG_FN lanes function(lanes x, kg_mask m) { \
    lanes a = {0}, b = {0}, y = {0}; \
    bool any = false; \
    for (int l = 0; l < KG_LANES; l++) a[l] = identity; \
    for (int k = 0; k < KG_LANES; k++) { \
      y[k] = any ? a[0] : nothing; \
      any |= m[k] != 0; \
      for (int l = 0; l < KG_LANES; l++) b[l] = m[k] ? x[k] : identity; \
      a = joined; \
    } \
    return y; \
  }

/* From another lane, or 0 where it does not run. */
#define KG_MOVE(name, lanes) \
  KG_FN lanes kg_move_##name(lanes x, kg_u32v from, kg_mask m) { \
    lanes y = {0}; \
    for (int l = 0; l < KG_LANES; l++) \
      if (from[l] < KG_LANES && m[from[l]]) y[l] = x[from[l]]; \
    return y; \
  }

/* Words of 32 lanes, of which the first has all. */
KG_FN kg_u32v kg_ballot(kg_mask m, kg_u32v word) {
  uint32_t bits = 0;
  for (int l = 0; l < KG_LANES; l++) bits |= (uint32_t)(m[l] != 0) << l;
  return (kg_u32v)(word == 0) & ((kg_u32v){0} + bits);
}
