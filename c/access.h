/* The runtime of emitted C (c/runtime.h): which lanes run, and memory. */

/* What a kernel is called with: c/c.h. */
struct kg_status { uint32_t count, first, program, fault; };

struct kg_args {
  void *const *buffer;
  const uint32_t *length;
  const uint64_t *param;
  uint32_t groups[3];
  struct kg_status *status;
  void *const *own;
  uint64_t budget;
};

/* Whatever memory holds where it lies, it holds: no compiler may take it for nobody's. */
#define KG_THERE(x) __asm__("" : "=m"(x))

/* base, base + 1, ... */
KG_FN kg_u32v kg_count(uint32_t base) { return kg_iota() + base; }

/* Whether base and what the other lanes count to have one quotient by n. */
KG_FN bool kg_in_row(uint32_t base, uint32_t n) { return n && (uint64_t)(base % n) + KG_LANES <= n && base <= UINT32_MAX - KG_LANES; }

/* The first n lanes. */
KG_FN kg_mask kg_first_lanes(int64_t n) { return (kg_mask)(kg_count(0) < (kg_u32v){0} + (uint32_t)(n < 0 ? 0 : n < KG_LANES ? n : KG_LANES)); }

/* Those of a chunk whose number in the workgroup is below n. */
KG_FN kg_mask kg_lanes_below(uint32_t n, uint32_t chunk) {
  if (n % KG_LANES == 0) return kg_mask_of(true);
  return kg_first_lanes((int64_t)n - (int64_t)chunk * KG_LANES);
}

/* The first lane that runs, or 0. */
KG_FN uint32_t kg_first(kg_mask m) {
  for (uint32_t l = 0; l < KG_LANES; l++)
    if (m[l]) return l;
  return 0;
}

/* The number in the workgroup of the first invocation that has not left. */
static inline __attribute__((unused)) uint32_t kg_live(const kg_mask *live, uint32_t chunks) {
  for (uint32_t c = 0; c < chunks; c++)
    if (kg_any(live[c])) return c * KG_LANES + kg_first(live[c]);
  return 0;
}

/* Whether any lane of any chunk has it. */
static inline __attribute__((unused)) bool kg_any_row(const kg_mask *row, uint32_t chunks) {
  bool any = false;
  for (uint32_t c = 0; c < chunks; c++) any |= kg_any(row[c]);
  return any;
}

KG_FN kg_mask kg_first_of(kg_mask m) {
  kg_mask y = {0};
  uint32_t first = kg_first(m);
  y[first] = m[first];
  return y;
}

KG_FN uint32_t kg_lanes_of(kg_mask m) {
  uint32_t n = 0;
  for (int l = 0; l < KG_LANES; l++) n += m[l] != 0;
  return n;
}

/* Notes where an invocation failed: the first of all says where. */
static inline __attribute__((unused)) void kg_fail(struct kg_status *status, kg_mask m, uint32_t first, uint32_t program, uint32_t fault) {
  uint32_t n = kg_lanes_of(m);
  if (!n || !status || __atomic_fetch_add(&status->count, n, __ATOMIC_RELAXED)) return;
  status->first = first;
  status->program = program;
  status->fault = fault;
}

/* Lengths: the quotient is rounded toward minus infinity. */
KG_FN int64_t kg_dim_div(int64_t a, int64_t b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); }

KG_FN int64_t kg_dim_mod(int64_t a, int64_t b) { return b == 0 ? 0 : a - kg_dim_div(a, b) * b; }

KG_FN int64_t kg_dim_min(int64_t a, int64_t b) { return a < b ? a : b; }

KG_FN int64_t kg_dim_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* Trips of a loop from a up to b by s. */
KG_FN uint32_t kg_trips_u32(uint32_t a, uint32_t b, uint32_t s) { return b > a && s ? (b - a - 1) / s + 1 : 0; }

KG_FN uint32_t kg_trips_i32(uint32_t a, uint32_t b, uint32_t s) { return (int32_t)b > (int32_t)a && (int32_t)s > 0 ? (b - a - 1) / s + 1 : 0; }

KG_FN uint64_t kg_trips_u64(uint64_t a, uint64_t b, uint64_t s) { return b > a && s ? (b - a - 1) / s + 1 : 0; }

KG_FN uint64_t kg_trips_i64(uint64_t a, uint64_t b, uint64_t s) { return (int64_t)b > (int64_t)a && (int64_t)s > 0 ? (b - a - 1) / s + 1 : 0; }

/* The same for each lane; kg_span: by 1. */
KG_FN kg_u32v kg_each_trips_u32(kg_u32v a, kg_u32v b, kg_u32v s) {
  kg_u32v y;
  for (int l = 0; l < KG_LANES; l++) y[l] = kg_trips_u32(a[l], b[l], s[l]);
  return y;
}

KG_FN kg_u32v kg_each_trips_i32(kg_u32v a, kg_u32v b, kg_u32v s) {
  kg_u32v y;
  for (int l = 0; l < KG_LANES; l++) y[l] = kg_trips_i32(a[l], b[l], s[l]);
  return y;
}

KG_FN kg_u64v kg_each_trips_u64(kg_u64v a, kg_u64v b, kg_u64v s) {
  kg_u64v y;
  for (int l = 0; l < KG_LANES; l++) y[l] = kg_trips_u64(a[l], b[l], s[l]);
  return y;
}

KG_FN kg_u64v kg_each_trips_i64(kg_u64v a, kg_u64v b, kg_u64v s) {
  kg_u64v y;
  for (int l = 0; l < KG_LANES; l++) y[l] = kg_trips_i64(a[l], b[l], s[l]);
  return y;
}

KG_FN kg_u32v kg_span_u32(kg_u32v a, kg_u32v b) { return (b - a) & (kg_u32v)(b > a); }

KG_FN kg_u32v kg_span_i32(kg_u32v a, kg_u32v b) { return (b - a) & (kg_u32v)((kg_i32v)b > (kg_i32v)a); }

KG_FN kg_u64v kg_span_u64(kg_u64v a, kg_u64v b) { return (b - a) & (kg_u64v)(b > a); }

KG_FN kg_u64v kg_span_i64(kg_u64v a, kg_u64v b) { return (b - a) & (kg_u64v)((kg_i64v)b > (kg_i64v)a); }

/* Who has another trip. */
KG_FN kg_mask kg_more_u32(uint32_t k, kg_u32v n) { return (kg_mask)(n > (kg_u32v){0} + k); }

KG_FN kg_mask kg_more_u64(uint64_t k, kg_u64v n) {
  kg_mask y;
  for (int l = 0; l < KG_LANES; l++) y[l] = -(n[l] > k);
  return y;
}

/* Indices as unsigned numbers of 32 bits: what these do not hold, or is negative, is past any length. */
KG_FN kg_u32v kg_index_i32(kg_u32v i) { return i | (kg_u32v)((kg_i32v)i >> 31); }

KG_FN kg_u32v kg_index_u64(kg_u64v i) {
  kg_u32v y;
  for (int l = 0; l < KG_LANES; l++) y[l] = i[l] < UINT32_MAX ? (uint32_t)i[l] : UINT32_MAX;
  return y;
}

/* What is kept of an integer by an element of less bits. */
KG_FN kg_u32v kg_wrap_i8(kg_u32v x) { return (kg_u32v)((kg_i32v)(x << 24) >> 24); }

KG_FN kg_u32v kg_wrap_u8(kg_u32v x) { return x & 255u; }

KG_FN kg_u32v kg_wrap_i16(kg_u32v x) { return (kg_u32v)((kg_i32v)(x << 16) >> 16); }

KG_FN kg_u32v kg_wrap_u16(kg_u32v x) { return x & 65535u; }

/* Memory that somebody may want soon, or nobody: it need not be there. */
KG_FN void kg_ask(const void *p, uint64_t byte) { __builtin_prefetch((const void *)((uintptr_t)p + (uintptr_t)byte)); }

/* What is rare stands apart, so that it costs others no registers. */
#define KG_RARE static __attribute__((noinline, cold, unused))

/* Where there are many accesses, a copy at each would take a compiler minutes. */
#ifdef KG_LARGE
#define KG_ACCESS_FN static __attribute__((noinline, unused))
#else
#define KG_ACCESS_FN KG_FN
#endif

/* Words of the lanes of a mask, to memory that others may write. */
#if defined __AVX512F__ && defined __AVX512DQ__ && KG_LANES == 16
#define KG_MASKED 1
#elif defined __AVX2__ && KG_LANES == 8
#define KG_MASKED 1
#else
#define KG_MASKED 0
#endif
KG_FN void kg_put_masked(void *at, const void *from, kg_mask m) {
  kg_i32v x;
  __builtin_memcpy(&x, from, sizeof x);
#if KG_MASKED && KG_LANES == 16
  __builtin_ia32_storedqusi512_mask(at, x, (uint16_t)__builtin_ia32_cvtd2mask512((kg_i32v)m));
#elif KG_MASKED
  __builtin_ia32_maskstored256(at, (kg_i32v)m, x);
#else
  (void)at, (void)x, (void)m;
#endif
}

/* Words at i, of a mask; 0 for the others. The instruction takes places as signed numbers. ThreadSanitizer does not see what it does. */
#if defined __AVX512F__ && defined __AVX512DQ__ && KG_LANES == 16 && !defined __SANITIZE_THREAD__
#define KG_GATHERS 1
#else
#define KG_GATHERS 0
#endif
#if KG_GATHERS
#define KG_GET_MASKED(to, p, i, m, scale) \
  do { \
    kg_i32v y = __builtin_ia32_gathersiv16si((kg_i32v){0}, p, (kg_i32v)(i), (uint16_t)__builtin_ia32_cvtd2mask512((kg_i32v)(m)), scale); \
    __builtin_memcpy(to, &y, sizeof y); \
  } while (0)
#else
#define KG_GET_MASKED(to, p, i, m, scale) ((void)(to), (void)(p), (void)(i), (void)(m))
#endif
KG_FN void kg_get_masked(void *to, const void *p, kg_u32v i, kg_mask m) { KG_GET_MASKED(to, p, i, m, 4); }

/* At bytes i. */
KG_FN void kg_get_bytes_masked(void *to, const void *p, kg_u32v i, kg_mask m) { KG_GET_MASKED(to, p, i, m, 1); }

/* The same the other way round. Of lanes that have one place, the last one stays. */
#if KG_GATHERS
#define KG_SET_MASKED(p, i, from, m, scale) \
  do { \
    kg_i32v x; \
    __builtin_memcpy(&x, from, sizeof x); \
    __builtin_ia32_scattersiv16si(p, (uint16_t)__builtin_ia32_cvtd2mask512((kg_i32v)(m)), (kg_i32v)(i), x, scale); \
  } while (0)
#else
#define KG_SET_MASKED(p, i, from, m, scale) ((void)(p), (void)(i), (void)(from), (void)(m))
#endif
KG_FN void kg_set_masked(void *p, kg_u32v i, const void *from, kg_mask m) { KG_SET_MASKED(p, i, from, m, 4); }

KG_FN void kg_set_bytes_masked(void *p, kg_u32v i, const void *from, kg_mask m) { KG_SET_MASKED(p, i, from, m, 1); }

/* Accesses to memory of n elements. Outside of it a load gives 0, and a store does nothing. get, set: of one element; row: of as many
 * as there are lanes, from `base` on; gather, scatter: of any, at i. Lanes that do not run get anything that is there. */
/* Another thread may store to what such a lane gets and nobody uses. ThreadSanitizer cannot know that, and is given loads of lanes
 * that run alone. */
#ifdef __SANITIZE_THREAD__
#define KG_TAKES_ALL(m) kg_all(m)
#else
#define KG_TAKES_ALL(m) true
#endif
#define KG_ACCESS(name, element, lanes, one) \
  typedef element kg_at_##name __attribute__((may_alias)); \
  KG_FN one kg_get_##name(const kg_at_##name *p, uint32_t n, uint64_t i) { return i < n ? (one)p[i] : 0; } \
  KG_FN void kg_set_##name(kg_at_##name *p, uint32_t n, uint64_t i, one x) { \
    if (i < n) p[i] = (element)x; \
  } \
  KG_RARE lanes kg_some_##name(const kg_at_##name *p, uint32_t n, kg_u32v i, kg_mask m) { \
    lanes y = {0}; \
    if (KG_GATHERS && sizeof(element) == 4 && n <= INT32_MAX) { \
      kg_get_masked(&y, p, i, m & (kg_mask)(i < (kg_u32v){0} + n)); \
      return y; \
    } \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l] && i[l] < n) y[l] = (one)p[i[l]]; \
    return y; \
  } \
  KG_RARE void kg_set_some_##name(kg_at_##name *p, uint32_t n, kg_u32v i, lanes x, kg_mask m) { \
    if (KG_GATHERS && sizeof(element) == 4 && n <= INT32_MAX) { \
      kg_set_masked(p, i, &x, m & (kg_mask)(i < (kg_u32v){0} + n)); \
      return; \
    } \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l] && i[l] < n) p[i[l]] = (element)x[l]; \
  } \
  KG_RARE lanes kg_some_flat_##name(const kg_at_##name *p, uint32_t n, uint32_t base, uint32_t row, uint32_t extent, kg_mask m) { \
    return kg_some_##name(p, n, kg_flat_index_u32(kg_count(base), kg_splat_u32(row), kg_splat_u32(extent)), m); \
  } \
  KG_RARE void kg_set_some_flat_##name(kg_at_##name *p, uint32_t n, uint32_t base, uint32_t row, uint32_t extent, lanes x, \
                                       kg_mask m) { \
    kg_set_some_##name(p, n, kg_flat_index_u32(kg_count(base), kg_splat_u32(row), kg_splat_u32(extent)), x, m); \
  } \
  KG_RARE lanes kg_edge_##name(const kg_at_##name *p, uint32_t n, uint32_t base, kg_mask m) { \
    return kg_some_##name(p, n, kg_count(base), m); \
  } \
  KG_RARE void kg_set_edge_##name(kg_at_##name *p, uint32_t n, uint32_t base, lanes x, kg_mask m) { \
    kg_set_some_##name(p, n, kg_count(base), x, m); \
  } \
  KG_ACCESS_FN lanes kg_gather_##name(const kg_at_##name *p, uint32_t n, kg_u32v i, kg_mask m, bool all) { \
    lanes y; \
    if (KG_GATHERS && sizeof(element) == 4 && n <= INT32_MAX) { \
      kg_get_masked(&y, p, i, m & (kg_mask)(i < (kg_u32v){0} + n)); \
      return y; \
    } \
    if (!all || !kg_all((kg_mask)(i < (kg_u32v){0} + n))) return kg_some_##name(p, n, i, m); \
    for (int l = 0; l < KG_LANES; l++) y[l] = (one)p[i[l]]; \
    return y; \
  } \
  KG_FN lanes kg_line_##name(const kg_at_##name *p, uint32_t base) { \
    lanes y = {0}; \
    if (sizeof(element) == sizeof(y[0])) __builtin_memcpy(&y, p + base, sizeof y); \
    else \
      for (int l = 0; l < KG_LANES; l++) y[l] = (one)p[(uint64_t)base + (uint64_t)l]; \
    return y; \
  } \
  KG_FN void kg_set_line_##name(kg_at_##name *p, uint32_t base, lanes x) { \
    if (sizeof(element) == sizeof(x[0])) __builtin_memcpy(p + base, &x, sizeof x); \
    else \
      for (int l = 0; l < KG_LANES; l++) p[(uint64_t)base + (uint64_t)l] = (element)x[l]; \
  } \
  KG_ACCESS_FN lanes kg_row_##name(const kg_at_##name *p, uint32_t n, uint32_t base, kg_mask m) { \
    return (uint64_t)base + KG_LANES <= n && KG_TAKES_ALL(m) ? kg_line_##name(p, base) : kg_edge_##name(p, n, base, m); \
  } \
  KG_ACCESS_FN void kg_scatter_##name(kg_at_##name *p, uint32_t n, kg_u32v i, lanes x, kg_mask m) { \
    if (KG_GATHERS && sizeof(element) == 4 && n <= INT32_MAX) kg_set_masked(p, i, &x, m & (kg_mask)(i < (kg_u32v){0} + n)); \
    else if (!kg_all(m & (kg_mask)(i < (kg_u32v){0} + n))) kg_set_some_##name(p, n, i, x, m); \
    else \
      KG_LANE_BY_LANE p[i[l]] = (element)x[l]; \
  } \
  KG_ACCESS_FN void kg_set_row_##name(kg_at_##name *p, uint32_t n, uint32_t base, lanes x, kg_mask m, bool all) { \
    if ((uint64_t)base + KG_LANES <= n && all) kg_set_line_##name(p, base, x); \
    else if (KG_MASKED && sizeof(element) == 4 && (uint64_t)base + KG_LANES <= n) kg_put_masked(p + base, &x, m); \
    else kg_set_edge_##name(p, n, base, x, m); \
  }

/* Words of lo and hi, from that number on. */
KG_FN kg_u32v kg_shift(kg_u32v lo, kg_u32v hi, uint32_t by) {
#ifdef __clang__
  kg_u32v y;
  for (uint32_t l = 0; l < KG_LANES; l++) y[l] = l + by < KG_LANES ? lo[l + by] : hi[l + by - KG_LANES];
  return y;
#else
  return __builtin_shuffle(lo, hi, kg_count(by));
#endif
}

/* Words of shared memory from a number on that is known. They are made of whole aligned rows, which compilers keep in registers. */
KG_FN kg_u32v kg_peek(const unsigned char *p, uint32_t n, uint32_t base) {
  kg_u32v lo, hi = {0};
  uint32_t row = base / KG_LANES * KG_LANES;
  __builtin_memcpy(&lo, p + 4 * row, sizeof lo);
  if (row + KG_LANES < n) __builtin_memcpy(&hi, p + 4 * (row + KG_LANES), sizeof hi);
  return kg_shift(lo, hi, base % KG_LANES) & (kg_u32v)kg_first_lanes((int64_t)n - base);
}

KG_FN void kg_poke(unsigned char *p, uint32_t n, uint32_t base, const void *from, kg_mask m) {
  kg_u32v x, lo, hi, none = {0}, who = (kg_u32v)(m & kg_first_lanes((int64_t)n - base));
  uint32_t row = base / KG_LANES * KG_LANES, by = KG_LANES - base % KG_LANES;
  __builtin_memcpy(&x, from, sizeof x);
  __builtin_memcpy(&lo, p + 4 * row, sizeof lo);
  lo = kg_select_u32((kg_mask)kg_shift(none, who, by), kg_shift(none, x, by), lo);
  __builtin_memcpy(p + 4 * row, &lo, sizeof lo);
  if (row + KG_LANES >= n) return;
  __builtin_memcpy(&hi, p + 4 * (row + KG_LANES), sizeof hi);
  hi = kg_select_u32((kg_mask)kg_shift(who, none, by), kg_shift(x, none, by), hi);
  __builtin_memcpy(p + 4 * (row + KG_LANES), &hi, sizeof hi);
}

/* The same of shared memory, which has room for whole rows, and which one thread has to itself. */
#define KG_ACCESS_SHARED(name, element, lanes, select) \
  KG_ACCESS_FN lanes kg_part_##name(const kg_at_##name *p, uint32_t n, uint32_t base, kg_mask m) { \
    lanes y = {0}; \
    if ((uint64_t)base + KG_LANES <= n && !(__builtin_constant_p(base) && base % KG_LANES)) return kg_line_##name(p, base); \
    if (sizeof(element) != 4 || !__builtin_constant_p(base) || base >= n) return kg_row_##name(p, n, base, m); \
    kg_u32v words = kg_peek((const unsigned char *)p, n, base); \
    __builtin_memcpy(&y, &words, sizeof words); \
    return y; \
  } \
  KG_ACCESS_FN void kg_set_part_##name(kg_at_##name *p, uint32_t n, uint32_t base, lanes x, kg_mask m, bool all) { \
    bool known = sizeof(element) == 4 && __builtin_constant_p(base) && base < n; \
    if (known && (base % KG_LANES || base + KG_LANES > n)) kg_poke((unsigned char *)p, n, base, &x, m); \
    else if ((uint64_t)base + KG_LANES > n) kg_set_edge_##name(p, n, base, x, m); \
    else kg_set_line_##name(p, base, all ? x : select(m, x, kg_line_##name(p, base))); \
  }

/* Of two rows of a square the lanes that lie across the diagonal change places, `step` from each other. */
#ifdef __clang__
#define KG_SWAP(lanes, a, b, step) \
  do { \
    lanes x = a, y = b; \
    for (int l = 0; l < KG_LANES; l++) (a)[l] = l & (step) ? y[l ^ (step)] : x[l], (b)[l] = l & (step) ? y[l] : x[l ^ (step)]; \
  } while (0)
#else
#define KG_SWAP(lanes, a, b, step) \
  do { \
    const kg_u32v odd = (kg_count(0) & (step)) / (step) * (KG_LANES - (step)); \
    lanes x = a, y = b; \
    a = __builtin_shuffle(x, y, kg_count(0) + odd), b = __builtin_shuffle(x, y, kg_count(step) + odd); \
  } while (0)
#endif

/* What each lane loads in as many trips as there are lanes, from column on: a line for each lane, turned. 0: nothing was loaded, for
 * some lane does not run, or there are no such lines. Where lanes have rows one behind the other, those of the next chunk are behind
 * them, and are asked for. */
#define KG_TILE(name, lanes) \
  KG_FN void kg_turn_##name(lanes *a, lanes *b, lanes *c, lanes *d, int step) { \
    KG_SWAP(lanes, *a, *b, step); \
    KG_SWAP(lanes, *c, *d, step); \
    KG_SWAP(lanes, *a, *c, 2 * step); \
    KG_SWAP(lanes, *b, *d, 2 * step); \
  } \
  static __attribute__((noinline, unused)) const lanes *kg_tile_##name(lanes *to, const kg_at_##name *p, uint32_t n, uint32_t column, \
                                                                       uint32_t end, kg_u32v row, uint32_t extent, bool all) { \
    if (!all || n < KG_LANES || (uint64_t)column + KG_LANES > end || (uint64_t)column + KG_LANES > extent) return 0; \
    kg_u32v first = row * extent + column; \
    if (!kg_all((kg_mask)(row != UINT32_MAX) & (kg_mask)(first <= n - KG_LANES))) return 0; \
    uint64_t next = row[KG_LANES - 1] - row[0] == KG_LANES - 1 ? (uint64_t)KG_LANES * extent : 0; \
    for (int i = 0; i < KG_LANES; i += 4) { \
      for (int k = i; k < i + 4; k++) kg_ask(p, (first[k] + next) * sizeof *p); \
      lanes a = kg_line_##name(p, first[i]), b = kg_line_##name(p, first[i + 1]); \
      lanes c = kg_line_##name(p, first[i + 2]), d = kg_line_##name(p, first[i + 3]); \
      kg_turn_##name(&a, &b, &c, &d, 1); \
      to[i] = a, to[i + 1] = b, to[i + 2] = c, to[i + 3] = d; \
    } \
    for (int i = 0; KG_LANES == 8 && i < 4; i++) KG_SWAP(lanes, to[i], to[(i + 4) % KG_LANES], 4); \
    for (int i = 0; KG_LANES == 16 && i < 4; i++) \
      kg_turn_##name(&to[i], &to[(i + 4) % KG_LANES], &to[(i + 8) % KG_LANES], &to[(i + 12) % KG_LANES], 4); \
    return to; \
  }

/* Where an element lies, in bytes: in rows, if row is not 0. */
KG_FN uint64_t kg_place(uint64_t i, uint32_t stride, uint32_t row, uint32_t every) {
  return (uint64_t)(row ? i / row * every + i % row * stride : i * stride);
}

/* The same through strides. */
#define KG_ACCESS_STRIDED(name, element, lanes, one) \
  KG_FN one kg_get_strided_##name(const unsigned char *p, uint32_t n, uint64_t i, uint32_t stride, uint32_t row, uint32_t every) { \
    return i < n ? (one)*(const kg_at_##name *)(const void *)(p + kg_place(i, stride, row, every)) : 0; \
  } \
  KG_FN void kg_set_strided_##name(unsigned char *p, uint32_t n, uint64_t i, one x, uint32_t stride, uint32_t row, uint32_t every) { \
    if (i < n) *(kg_at_##name *)(void *)(p + kg_place(i, stride, row, every)) = (element)x; \
  } \
  KG_ACCESS_FN lanes kg_gather_strided_##name(const unsigned char *p, uint32_t n, kg_u32v i, kg_mask m, bool all, uint32_t stride, uint32_t row, \
                                       uint32_t every) { \
    lanes y = {0}; \
    (void)all; \
    if (KG_GATHERS && sizeof(element) == 4 && !row && (uint64_t)n * stride <= INT32_MAX) { \
      kg_get_bytes_masked(&y, p, i * stride, m & (kg_mask)(i < (kg_u32v){0} + n)); \
      return y; \
    } \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l]) y[l] = kg_get_strided_##name(p, n, i[l], stride, row, every); \
    return y; \
  } \
  KG_ACCESS_FN void kg_scatter_strided_##name(unsigned char *p, uint32_t n, kg_u32v i, lanes x, kg_mask m, uint32_t stride, uint32_t row, \
                                       uint32_t every) { \
    if (KG_GATHERS && sizeof(element) == 4 && !row && (uint64_t)n * stride <= INT32_MAX) { \
      kg_set_bytes_masked(p, i * stride, &x, m & (kg_mask)(i < (kg_u32v){0} + n)); \
      return; \
    } \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l]) kg_set_strided_##name(p, n, i[l], x[l], stride, row, every); \
  }

/* Arrays that each lane has of its own. */
#define KG_ACCESS_OWN(name, lanes) \
  KG_FN lanes kg_own_get_##name(const lanes *w, uint32_t n, kg_u32v i) { \
    lanes y = {0}; \
    for (int l = 0; l < KG_LANES; l++) \
      if (i[l] < n) y[l] = w[i[l]][l]; \
    return y; \
  } \
  KG_FN void kg_own_set_##name(lanes *w, uint32_t n, kg_u32v i, lanes x, kg_mask m) { \
    for (int l = 0; l < KG_LANES; l++) \
      if (m[l] && i[l] < n) w[i[l]][l] = x[l]; \
  }
