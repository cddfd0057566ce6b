#include "foundation/base/fixed.h"

#include <string.h>

enum { N = KGI_FIXED_LIMBS, BITS = 64 * N };
typedef unsigned __int128 wide;

kgi_fixed kgi_fixed_int(int64_t value) {
  return (kgi_fixed){.w = {[N - 1] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value}, .minus = value < 0};
}

bool kgi_fixed_is_zero(kgi_fixed a) { return kgi_fixed_top(a) < 0; }

int kgi_fixed_top(kgi_fixed a) {
  for (int k = N - 1; k >= 0; k--)
    if (a.w[k]) return 64 * k + 63 - __builtin_clzll(a.w[k]);
  return -1;
}

int kgi_fixed_compare(kgi_fixed a, kgi_fixed b) {
  for (int k = N - 1; k >= 0; k--)
    if (a.w[k] != b.w[k]) return a.w[k] < b.w[k] ? -1 : 1;
  return 0;
}

kgi_fixed kgi_fixed_neg(kgi_fixed a) { return a.minus = !a.minus, a; }

kgi_fixed kgi_fixed_shift(kgi_fixed a, int left) {
  kgi_fixed out = {.minus = a.minus};
  if (left >= BITS || left <= -BITS) return out;
  int limbs = left / 64, bits = left % 64;
  if (bits < 0) limbs--, bits += 64;
  for (int k = 0; k < N; k++) {
    int from = k - limbs;
    if (from >= 0 && from < N) out.w[k] = a.w[from] << bits;
    if (bits && from - 1 >= 0 && from - 1 < N) out.w[k] |= a.w[from - 1] >> (64 - bits);
  }
  return out;
}

bool kgi_fixed_of(uint64_t m, int e, kgi_fixed *out) {
  *out = (kgi_fixed){.w = {m}};
  if (!m) return true;
  int least = KGI_FIXED_POINT + e + __builtin_ctzll(m), most = KGI_FIXED_POINT + e + 63 - __builtin_clzll(m);
  if (least < 0 || most >= BITS - 1) return false;
  *out = kgi_fixed_shift(*out, KGI_FIXED_POINT + e);
  return true;
}

static kgi_fixed plus(kgi_fixed a, kgi_fixed b) {
  wide carry = 0;
  for (int k = 0; k < N; k++) carry += (wide)a.w[k] + b.w[k], a.w[k] = (uint64_t)carry, carry >>= 64;
  return a;
}

/* Where |b| <= |a|. */
static kgi_fixed minus(kgi_fixed a, kgi_fixed b) {
  uint64_t borrow = 0;
  for (int k = 0; k < N; k++) {
    wide take = (wide)b.w[k] + borrow;
    borrow = take > a.w[k];
    a.w[k] -= (uint64_t)take;
  }
  return a;
}

kgi_fixed kgi_fixed_add(kgi_fixed a, kgi_fixed b) {
  if (a.minus == b.minus) return plus(a, b);
  return kgi_fixed_compare(a, b) < 0 ? minus(b, a) : minus(a, b);
}

kgi_fixed kgi_fixed_sub(kgi_fixed a, kgi_fixed b) { return kgi_fixed_add(a, kgi_fixed_neg(b)); }

kgi_fixed kgi_fixed_mul(kgi_fixed a, kgi_fixed b) {
  uint64_t product[2 * N] = {0};
  for (int i = 0; i < N; i++) {
    wide carry = 0;
    for (int k = 0; k < N; k++) {
      carry += (wide)a.w[i] * b.w[k] + product[i + k];
      product[i + k] = (uint64_t)carry, carry >>= 64;
    }
    product[i + N] = (uint64_t)carry;
  }
  kgi_fixed out = {.minus = a.minus != b.minus};
  memcpy(out.w, product + N - 1, sizeof out.w);
  return out;
}

kgi_fixed kgi_fixed_div_small(kgi_fixed a, uint64_t b) {
  wide rest = 0;
  for (int k = N - 1; k >= 0; k--) {
    rest = rest << 64 | a.w[k];
    a.w[k] = (uint64_t)(rest / b), rest %= b;
  }
  return a;
}

/* Bit by bit, as on paper: of the dividend first, then of zeros behind it. */
kgi_fixed kgi_fixed_div(kgi_fixed a, kgi_fixed b) {
  kgi_fixed rest = {.minus = false}, out = {.minus = a.minus != b.minus};
  b.minus = false;
  for (int bit = BITS + KGI_FIXED_POINT - 1; bit >= 0; bit--) {
    int at = bit - KGI_FIXED_POINT;
    bool over = rest.w[N - 1] >> 63;
    rest = kgi_fixed_shift(rest, 1), out = kgi_fixed_shift(out, 1);
    if (at >= 0) rest.w[0] |= a.w[at / 64] >> at % 64 & 1;
    if (over || kgi_fixed_compare(rest, b) >= 0) rest = minus(rest, b), out.w[0] |= 1;
  }
  return out;
}

/* The largest number whose square is not greater. Its integer part has 32 bits. */
kgi_fixed kgi_fixed_sqrt(kgi_fixed a) {
  kgi_fixed root = {.minus = false};
  for (int bit = kgi_fixed_is_zero(a) ? -1 : KGI_FIXED_POINT + 31; bit >= 0; bit--) {
    kgi_fixed more = root;
    more.w[bit / 64] |= UINT64_C(1) << bit % 64;
    if (kgi_fixed_compare(kgi_fixed_mul(more, more), a) <= 0) root = more;
  }
  return root;
}

int64_t kgi_fixed_round(kgi_fixed a) {
  int64_t whole = (int64_t)(a.w[N - 1] + (a.w[N - 2] >> 63));
  return a.minus ? -whole : whole;
}
