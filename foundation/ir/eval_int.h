/* The helpers of one integer type for the eval column. Included by eval.c with SFX, T, W, WIDTH, SIGNED and HIGH (the type that
 * holds a whole product) defined. */

static inline T F(div)(T a, T b) {
  if (b == 0) return (T)-1; /* RISC-V's rule: all ones */
#if SIGNED
  if (b == -1) return (T)(0 - (W)a); /* MIN / -1 = MIN */
#endif
  return (T)(a / b);
}

static inline T F(rem)(T a, T b) {
  if (b == 0) return a;
#if SIGNED
  if (b == -1) return 0;
#endif
  return (T)(a % b);
}

static inline T F(mod)(T a, T b) {
  T r = F(rem)(a, b);
#if SIGNED
  if (r != 0 && b != 0 && (r < 0) != (b < 0)) r = (T)(r + b);
#endif
  return r;
}

static inline T F(neg)(T a) { return (T)(0 - (W)a); }
static inline T F(min)(T a, T b) { return a < b ? a : b; }
static inline T F(max)(T a, T b) { return a > b ? a : b; }
static inline T F(abs_diff)(T a, T b) { return (T)(a > b ? (W)a - (W)b : (W)b - (W)a); }
static inline T F(mul_high)(T a, T b) { return (T)(((HIGH)a * (HIGH)b) >> WIDTH); }

#if SIGNED
static inline T F(abs)(T a) { return a < 0 ? F(neg)(a) : a; }
static inline T F(sign)(T a) { return (T)((a > 0) - (a < 0)); }
static inline T F(least)(void) { return (T)((W)1 << (WIDTH - 1)); }
static inline T F(saturating_add)(T a, T b) {
  T y;
  return !__builtin_add_overflow(a, b, &y) ? y : b < 0 ? F(least)() : (T)~F(least)();
}
static inline T F(saturating_sub)(T a, T b) {
  T y;
  return !__builtin_sub_overflow(a, b, &y) ? y : b > 0 ? F(least)() : (T)~F(least)();
}
#else
static inline T F(abs)(T a) { return a; }
static inline T F(sign)(T a) { return a != 0; }
static inline T F(saturating_add)(T a, T b) { return a + b < a ? (T)-1 : a + b; }
static inline T F(saturating_sub)(T a, T b) { return a < b ? 0 : a - b; }
#endif

static inline T F(not)(T a) { return (T)~a; }
static inline T F(shl)(T a, T b) { return (T)((W)a << ((W)b % WIDTH)); }
static inline T F(shr)(T a, T b) { return (T)(a >> ((W)b % WIDTH)); }
static inline T F(rotl)(T a, T b) { return (T)((W)a << ((W)b % WIDTH) | (W)a >> ((0 - (W)b) % WIDTH)); }
static inline T F(rotr)(T a, T b) { return (T)((W)a >> ((W)b % WIDTH) | (W)a << ((0 - (W)b) % WIDTH)); }
static inline T F(popcount)(T a) { return (T)__builtin_popcountll((W)a); }
static inline T F(clz)(T a) { return a == 0 ? WIDTH : (T)(__builtin_clzll((W)a) - (64 - WIDTH)); }
static inline T F(ctz)(T a) { return a == 0 ? WIDTH : (T)__builtin_ctzll((W)a); }

static inline T F(reverse_bits)(T a) {
  uint64_t u = __builtin_bswap64((W)a) >> (64 - WIDTH);
  u = (u >> 4 & 0x0F0F0F0F0F0F0F0F) | (u & 0x0F0F0F0F0F0F0F0F) << 4;
  u = (u >> 2 & 0x3333333333333333) | (u & 0x3333333333333333) << 2;
  u = (u >> 1 & 0x5555555555555555) | (u & 0x5555555555555555) << 1;
  return (T)(W)u;
}

static inline uint32_t F(flat_index)(T i, uint32_t row, uint32_t extent) {
#if SIGNED
  bool outside = i < 0 || (W)i >= extent;
#else
  bool outside = i >= extent;
#endif
  return outside || row == UINT32_MAX ? UINT32_MAX : row * extent + (uint32_t)i;
}

/* The bits that a field of `count` bits at `offset` has, moved to the bottom. */
static inline W F(field_mask)(uint32_t offset, uint32_t count) {
  uint32_t left = WIDTH - offset;
  if (count > left) count = left;
  return count == WIDTH ? (W)-1 : ((W)1 << count) - 1;
}

static inline T F(bit_extract)(T a, uint32_t offset, uint32_t count) {
  offset %= WIDTH;
  W mask = F(field_mask)(offset, count), field = (W)a >> offset & mask;
#if SIGNED
  if (field & ~(mask >> 1)) field |= ~mask;
#endif
  return (T)field;
}

static inline T F(bit_insert)(T a, T b, uint32_t offset, uint32_t count) {
  offset %= WIDTH;
  W mask = F(field_mask)(offset, count);
  return (T)(((W)a & ~(W)(mask << offset)) | ((W)b & mask) << offset);
}

#define KEEP(x) (x)
#define TO_INT(target, x) CAST_##target(x)
#define IS_NUMBER 1
#define IS_INT 1
#undef WIDTH
#undef SIGNED
#undef HIGH
