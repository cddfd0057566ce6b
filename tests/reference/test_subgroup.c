/* Subgroup operations, for several sizes, all lanes active or some: against loops over what each should see. */
#include "tests/reference/reference_case.h"

#include <math.h>

enum { LANES = 40 };

static const uint32_t sizes[] = {1, 4, 8, 32, 64};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* `body` computes r : u32 from l (local index) and v (a value of the lane); odd lanes only where `some`. */
static void run_u32(const char *body, uint32_t size, bool some, uint32_t *out) {
  kgt_case c;
  char text[600];
  kgt_case_init(&c);
  for (int i = 0; i < LANES; i++) out[i] = 0xABCD;
  c.buffers[0] = out;
  c.params.subgroup_size = size;
  snprintf(text, sizeof text,
           "program p { workgroup 40 grid 1 buffer out : u32[40] read_write let l = local_index let v = l * 7 %% 11\n"
           "if %s { out[l] = %s } }", some ? "l % 3 == 1" : "true", body);
  kgt_case_fine(&c, text);
}

typedef uint32_t combine(uint32_t a, uint32_t b);
static uint32_t f_add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t f_mul(uint32_t a, uint32_t b) { return a * b; }
static uint32_t f_min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t f_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t f_and(uint32_t a, uint32_t b) { return a & b; }
static uint32_t f_or(uint32_t a, uint32_t b) { return a | b; }
static uint32_t f_xor(uint32_t a, uint32_t b) { return a ^ b; }
static const struct { const char *name; combine *f; uint32_t identity; } folds[] = {
  {"add", f_add, 0}, {"mul", f_mul, 1}, {"min", f_min, 0xFFFFFFFF}, {"max", f_max, 0}, {"and", f_and, 0xFFFFFFFF}, {"or", f_or, 0},
  {"xor", f_xor, 0},
};

static bool active(uint32_t lane, bool some) { return !some || lane % 3 == 1; }

START_TEST(reductions_and_scans) {
  uint32_t size = sizes[_i % SIZES], got[3][LANES];
  bool some = _i / SIZES;
  for (size_t k = 0; k < sizeof folds / sizeof *folds; k++) {
    static const char *const prefix[3] = {"", "exclusive_", "inclusive_"};
    char body[64];
    for (int kind = 0; kind < 3; kind++) {
      snprintf(body, sizeof body, "subgroup_%s%s(v + 1)", prefix[kind], folds[k].name);
      run_u32(body, size, some, got[kind]);
    }
    for (uint32_t l = 0; l < LANES; l++) {
      uint32_t want[3] = {folds[k].identity, folds[k].identity, folds[k].identity}, base = l / size * size;
      for (uint32_t o = base; o < base + size && o < LANES; o++) {
        if (!active(o, some)) continue;
        uint32_t v = o * 7 % 11 + 1;
        want[0] = folds[k].f(want[0], v);
        if (o < l) want[1] = folds[k].f(want[1], v);
        if (o <= l) want[2] = folds[k].f(want[2], v);
      }
      for (int kind = 0; kind < 3; kind++)
        ck_assert_msg(got[kind][l] == (active(l, some) ? want[kind] : 0xABCD), "%s%s, size %u, lane %u: %u, not %u", prefix[kind],
                      folds[k].name, size, l, got[kind][l], want[kind]);
    }
  }
}
END_TEST

typedef struct move { const char *body; uint32_t (*from)(uint32_t own, uint32_t size); } move;
static uint32_t from_two(uint32_t own, uint32_t size) { return (void)own, (void)size, 1; }
static uint32_t from_mirror(uint32_t own, uint32_t size) { return size - 1 - own; }
static uint32_t from_xor(uint32_t own, uint32_t size) { return (void)size, own ^ 3; }
static uint32_t from_up(uint32_t own, uint32_t size) { return (void)size, own - 3; }
static uint32_t from_down(uint32_t own, uint32_t size) { return (void)size, own + 3; }
static const move moves[] = {
  {"subgroup_broadcast(v, 1)", from_two}, {"subgroup_shuffle(v, subgroup_size - 1 - subgroup_lane)", from_mirror},
  {"subgroup_shuffle_xor(v, 3)", from_xor}, {"subgroup_shuffle_up(v, 3)", from_up}, {"subgroup_shuffle_down(v, 3)", from_down},
};

START_TEST(shuffles) {
  uint32_t size = sizes[_i % SIZES], got[LANES];
  bool some = _i / SIZES;
  for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) {
    run_u32(moves[k].body, size, some, got);
    for (uint32_t l = 0; l < LANES; l++) {
      uint32_t base = l / size * size, from = moves[k].from(l - base, size);
      bool there = from < size && base + from < LANES && active(base + from, some);
      uint32_t want = !active(l, some) ? 0xABCD : there ? (base + from) * 7 % 11 : 0;
      ck_assert_msg(got[l] == want, "%s, size %u, lane %u: %u, not %u", moves[k].body, size, l, got[l], want);
    }
  }
}
END_TEST

START_TEST(votes) {
  uint32_t size = sizes[_i % SIZES], first[LANES], ballot[2][LANES], any[LANES], all[LANES], elect[LANES];
  bool some = _i / SIZES;
  run_u32("subgroup_broadcast_first(v)", size, some, first);
  run_u32("subgroup_ballot(v > 5, 0)", size, some, ballot[0]);
  run_u32("subgroup_ballot(v > 5, 1)", size, some, ballot[1]);
  run_u32("u32(subgroup_any(v > 9))", size, some, any);
  run_u32("u32(subgroup_all(v > 2))", size, some, all);
  run_u32("u32(subgroup_elect())", size, some, elect);
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t base = l / size * size, leader = LANES, words[2] = {0, 0}, is_any = 0, is_all = 1;
    if (!active(l, some)) continue;
    for (uint32_t o = base; o < base + size && o < LANES; o++) {
      uint32_t v = o * 7 % 11;
      if (!active(o, some)) continue;
      if (leader == LANES) leader = o;
      words[(o - base) / 32] |= (uint32_t)(v > 5) << (o - base) % 32;
      is_any |= v > 9, is_all &= v > 2;
    }
    ck_assert_uint_eq(first[l], leader * 7 % 11);
    ck_assert_uint_eq(ballot[0][l], words[0]);
    ck_assert_uint_eq(ballot[1][l], words[1]);
    ck_assert(any[l] == is_any && all[l] == is_all && elect[l] == (l == leader));
  }
}
END_TEST

/* Identities of the other types, and sums of floats in order of lanes. */
START_TEST(other_types) {
  kgt_case c;
  kgt_case_init(&c);
  float out[8];
  c.buffers[0] = out;
  c.params.subgroup_size = 4;
  kgt_case_fine(&c, "program p { workgroup 4 grid 1 buffer out : f32[8] write let l = local_index\n"
                    "let a = subgroup_exclusive_min(f32(l)) let b = subgroup_exclusive_max(f64(l))\n"
                    "let c = subgroup_exclusive_mul(f16(2.0))\n"
                    "let d = subgroup_exclusive_min(i32(l)) let e = subgroup_exclusive_max(i64(l))\n"
                    "let sum = subgroup_add(select(l == 0, 16777216.0, 1.0)) let f = subgroup_exclusive_and(l > 1)\n"
                    "if l == 0 { out[0] = a out[1] = f32(b) out[2] = f32(c) out[3] = f32(d) out[4] = f32(e) out[5] = sum }\n"
                    "if l == 3 { out[6] = f32(c) out[7] = select(f, 1.0, 2.0) } }");
  ck_assert(isinf(out[0]) && out[0] > 0 && isinf(out[1]) && out[1] < 0 && out[2] == 1 && out[3] == 0x1p31f && out[4] == -0x1p63f);
  ck_assert(out[5] == 16777216); /* each 1 is lost */
  ck_assert(out[6] == 8 && out[7] == 2);
}
END_TEST

/* d out / d x by hand: a sum spreads, a broadcast gathers, a product's partial is what the others give. */
START_TEST(tangents) {
  kgt_case c;
  kgt_case_init(&c);
  float x[4] = {2, 3, 5, 7}, out[4];
  double seeds[16] = {0}, result[16], *tangents[KGT_BUFFERS] = {seeds, result};
  static const struct { const char *body; double want[4][4]; } rows[] = {
    {"subgroup_add(v * v)", {{4, 6, 10, 14}, {4, 6, 10, 14}, {4, 6, 10, 14}, {4, 6, 10, 14}}},
    {"subgroup_mul(v)", {{105, 70, 42, 30}, {105, 70, 42, 30}, {105, 70, 42, 30}, {105, 70, 42, 30}}},
    {"subgroup_inclusive_mul(v)", {{1}, {3, 2}, {15, 10, 6}, {105, 70, 42, 30}}},
    {"subgroup_exclusive_add(v)", {{0}, {1}, {1, 1}, {1, 1, 1}}},
    {"subgroup_max(v)", {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}}},
    {"subgroup_max(v * 0.0 + 1.0)", {{0}, {0}, {0}, {0}}},
    {"subgroup_broadcast(v, 2)", {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}},
    {"subgroup_shuffle_xor(v, 1)", {{0, 1}, {1}, {0, 0, 0, 1}, {0, 0, 1}}},
    {"subgroup_shuffle_up(v, 1)", {{0}, {1}, {0, 1}, {0, 0, 1}}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[400];
    for (int k = 0; k < 4; k++) seeds[k * 4 + k] = 1;
    c.buffers[0] = x, c.buffers[1] = out;
    c.params.subgroup_size = 4, c.params.tangent_count = 4, c.params.tangents = tangents;
    snprintf(text, sizeof text, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer out : f32[4] write\n"
                                "let v = x[local_index] out[local_index] = %s }", rows[i].body);
    kgt_case_fine(&c, text);
    for (int r = 0; r < 4; r++)
      for (int k = 0; k < 4; k++)
        ck_assert_msg(result[k * 4 + r] == rows[i].want[r][k], "%s: d out[%d] / d x[%d] = %g", rows[i].body, r, k,
                      result[k * 4 + r]);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(reductions_and_scans, 2 * SIZES), KGT_TIMES(shuffles, 2 * SIZES), KGT_TIMES(votes, 2 * SIZES), KGT(other_types), KGT(tangents),
  };
  return kgt_run("reference/subgroup", tests, KGT_COUNT(tests));
}
