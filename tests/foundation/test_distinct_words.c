/* Which invocations meet, against the truth, where that hangs on what does not wrap: rows of subgroups and of parts of workgroups, several
 * elements per invocation, tiles whose last one is guarded, multiples. Lengths and strides reach up to 2^32. Random kernels are run on the
 * reference, which records who comes to which element; where the analysis says that no two meet, none may be seen to. */
#include "foundation/analysis/distinct.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 14 };

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }
static const char *one_of(const char *const *from, unsigned count) { return from[any(count)]; }
#define ONE_OF(...) one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The same kernel twice: once as it is, once so that each access leaves a record. */
static char text[2][8192];
static size_t used[2];

static void put_to(unsigned which, const char *format, ...) {
  va_list args;
  va_start(args, format);
  used[which] += (size_t)vsnprintf(text[which] + used[which], sizeof text[which] - used[which], format, args);
  va_end(args);
}

static void put(const char *format, ...) {
  char piece[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  put_to(0, "%s", piece), put_to(1, "%s", piece);
}

static bool matrix, wide; /* y has two dimensions; strides and lengths are large */
static unsigned unit;     /* of strides */
static unsigned accesses;

/* A stride, a number of elements or lanes. */
static const char *number(void) {
  static char out[8][32];
  static unsigned next;
  static const unsigned numbers[] = {1, 2, 3, 4, 4, 8};
  char *at = out[next++ % 8];
  unsigned value = numbers[any(6)] * (any(5) ? unit : 1) + (any(12) ? 0 : 1);
  return snprintf(at, sizeof out[0], "%u", value), at;
}
/* Of a loop, whose literal steps are at least 1: those that wrap to 0 are refused. */
static const char *step_of(const char *number) { return strcmp(number, "0") ? number : "1"; }
static const char *small(void) { return ONE_OF("1", "2", "2", "3", "4", "4", "8"); }

static void access(const char *row, const char *column) {
  unsigned a = accesses++;
  put("let row%u = %s\nlet column%u = %s\n", a, row, a, column);
  if (matrix) put_to(0, "y[row%u, column%u] = 1.0\n", a, a);
  else put_to(0, "y[row%u * m + column%u] = 1.0\n", a, a);
  put_to(1, "let at%u = atomic_add(count[0], 1)\n", a);
  put_to(1, "who[at%u] = global_id.y * 65536 + global_id.x\ngroup[at%u] = workgroup_id.y * 65536 + workgroup_id.x\n", a, a);
  /* Last: a run that takes too many steps ends anywhere. */
  const char *inside = "rec[at%u] = select(row%u < n && column%u < m, u64(row%u) * u64(m) + u64(column%u) + u64(1), u64(0))\n";
  if (matrix) put_to(1, inside, a, a, a, a, a);
  else put_to(1, "rec[at%u] = u64(row%u * m + column%u) + u64(1)\n", a, a, a);
}

/* ---- kernels ---- */

static void row_of_a_warp(void) {
  char row[128];
  switch (any(8)) {
  case 0: case 1: snprintf(row, sizeof row, "workgroup_id.x * %s + local_id.x / %s", number(), small()); break;
  case 2: case 3: snprintf(row, sizeof row, "workgroup_id.x * num_subgroups + subgroup_id"); break;
  case 4: snprintf(row, sizeof row, "global_id.x / %s", small()); break;
  case 5: snprintf(row, sizeof row, "workgroup_id.x * %s + local_id.y", number()); break;
  case 6: snprintf(row, sizeof row, "workgroup_id.x + num_workgroups.x * subgroup_id"); break;
  default: snprintf(row, sizeof row, "%s", ONE_OF("workgroup_id.x", "subgroup_id", "global_id.y", "workgroup_id.x * 4 + subgroup_id")); break;
  }
  put("let r = %s\n", row);
  if (any(4)) put("if r %s n { return }\n", any(5) ? ">=" : ">");
  if (!any(5)) put("if subgroup_lane == 0 && local_id.y < 8 {\n");
  else put("if m > 0 {\n");
  const char *s = small();
  switch (any(6)) {
  case 0: case 1: put("for j in local_id.x %% %s .. m step %s {\n", s, any(6) ? s : small()); break;
  case 2: put("for j in subgroup_lane .. m step subgroup_size {\n"); break;
  case 3: put("for j in subgroup_id * subgroup_size + subgroup_lane .. m step num_subgroups * subgroup_size {\n"); break;
  case 4: put("for j in %s .. m step %s {\n", ONE_OF("local_id.x", "local_index", "u32(0)", "subgroup_id"), ONE_OF("T", "8", "num_subgroups", "1")); break;
  default: put("for j in u32(0) .. 1 {\n"); access("r", ONE_OF("local_id.x", "subgroup_lane", "local_id.x % 4")), put("}\n}\n"); return;
  }
  access("r", any(8) ? "j" : "j + 1");
  put("}\n}\n");
}

/* Each invocation has several elements of a flat array, or of a row. */
static void several(void) {
  const char *begin = ONE_OF("local_id.x", "local_id.x", "global_id.x", "local_index", "subgroup_lane", "u32(0)");
  const char *by = number(), *step = step_of(number());
  unsigned first = (1 + any(3)) * unit, next = (2 + any(8)) * unit;
  if (!any(3)) put("for b in %s * %u .. m step %u {\n", begin, first, next ? next : 1);
  else put("for b in %s * %s .. m step %s {\n", begin, by, any(4) ? step : "T * 8");
  put("for e in %s .. %s {\n", any(5) ? "u32(0)" : "u32(1)", small());
  char place[64];
  snprintf(place, sizeof place, any(3) ? "b + e" : "b + e * %s", number());
  if (any(4)) put("if %s < m {\n", place);
  else put("if n < 9 {\n");
  access(ONE_OF("u32(0)", "workgroup_id.x", "workgroup_id.x", "global_id.y"), place);
  put("}\n}\n}\n");
}

/* The last tile is guarded by a sum. */
static void tiles(void) {
  put("for b in u32(%s) .. %s step %s {\n", any(4) ? "0" : number(), any(4) ? "m" : small(), any(4) ? step_of(number()) : "1");
  const char *lane = ONE_OF("local_id.x", "local_id.x", "local_index", "global_id.x", "subgroup_lane", "workgroup_id.x");
  if (any(3)) put("let t = b + %s\n", lane);
  else put("let t = b + %s * %s\n", lane, number());
  if (any(6)) put("if t %s %s {\n", any(6) ? "<" : "<=", any(6) ? "m" : "n");
  else put("if n < 9 {\n");
  access(ONE_OF("workgroup_id.x", "workgroup_id.x", "global_id.y", "u32(0)"), any(6) ? "t" : "t + 1");
  put("}\n}\n");
}

/* Elements that lie apart, from a place of the invocation's own. */
static void from_a_place(void) {
  char base[96];
  if (any(2)) snprintf(base, sizeof base, "workgroup_id.x * %s + local_id.x * %s", number(), number());
  else snprintf(base, sizeof base, "%s * %s", ONE_OF("global_id.x", "global_id.x", "workgroup_id.x", "local_index"), number());
  put("let base = %s\n", base);
  put("for e in u32(0) .. %s {\nlet i = base + e * %s\n", small(), number());
  if (any(2)) put("if i < m {\n");
  else put("if n < 9 {\n");
  access(ONE_OF("u32(0)", "u32(0)", "global_id.y"), "i");
  put("}\n}\n");
}

static void of_multiple(const char *of, const char *s) {
  if (any(2)) put("if %s %% %s == %u {\n", of, s, any(6) ? 0 : 1);
  else put("if %s & %s == 0 {\n", of, ONE_OF("1", "3", "3", "7", "2"));
  put("for e in %s .. %s {\n", any(4) ? "u32(0)" : "u32(1)", any(3) ? s : small());
  char place[64];
  snprintf(place, sizeof place, "%s + e", of);
  access(ONE_OF("u32(0)", "workgroup_id.x"), place);
  put("}\n}\n");
}

/* Those whose number is a multiple come by what follows it. */
static void multiples(void) {
  const char *of = ONE_OF("local_id.x", "local_id.x", "global_id.x", "b"), *s = small();
  put("for b in %s * %s .. %s step %s {\n", ONE_OF("local_id.x", "u32(0)", "global_id.x"), number(), any(2) ? "m" : "n", step_of(number()));
  of_multiple(of, s);
  if (!any(3)) of_multiple(of, s);
  put("}\n");
}

/* From one end of a row to the other, or nearly, by what begins inside of it. */
static void by_ends(void) {
  const char *high = ONE_OF("workgroup_id.x", "workgroup_id.x", "workgroup_id.x", "global_id.x", "global_id.y", "(workgroup_id.x + 1)", "b");
  const char *s = any(3) ? "m" : any(2) ? "n" : number(), *first = ONE_OF("local_id.x", "local_id.x", "local_index", "subgroup_lane", "1", "global_id.x");
  put("for b in %s .. %s step %s {\n", any(2) ? "u32(0)" : "workgroup_id.x", any(2) ? "1" : "n", ONE_OF("num_workgroups.x", "1", "g"));
  put("let base = %s * %s\n", high, s);
  put("for j in base + %s .. ", first);
  put(any(4) ? "base + %s" : "min(base + %s, n)", any(6) ? s : number());
  put(" step %s {\n", any(3) ? ONE_OF("T", "8", "subgroup_size", "16", "12") : step_of(number()));
  access("u32(0)", any(6) ? "j" : any(2) ? "j - base" : "j + 1");
  put("}\n}\n");
}

typedef struct shape { const char *workgroup; unsigned x, y; } shape;
static const shape shapes[] = {{"T", 4, 1}, {"8", 8, 1}, {"2, 3", 2, 3}, {"4, 2", 4, 2}, {"3", 3, 1}, {"16", 16, 1}, {"T, T", 4, 4}};

static void make(void) {
  static void (*const kinds[])(void) = {row_of_a_warp, row_of_a_warp, several, tiles, from_a_place, multiples, by_ends, by_ends};
  const shape *form = &shapes[any(sizeof shapes / sizeof *shapes)];
  used[0] = used[1] = 0, accesses = 0;
  matrix = any(2), wide = any(3) == 0;
  unit = wide ? 1u << (24 + any(7)) : 1;
  put("program p {\nconst T = 4\nworkgroup %s\n", form->workgroup);
  if (wide && any(2)) put(any(3) ? "grid (m + %u) / %u\n" : "grid invocations (m + %u) / %u\n", (1u << 27) - 1, 1u << 27);
  else put("grid %s\n", ONE_OF("g", "invocations g", "n", "n", "2, g", "invocations n * 4", "invocations 6, 3"));
  put("param n : u32\nparam m : u32\nparam g : u32\n");
  put_to(0, matrix ? "buffer y : f32[n, m] write\n" : any(2) ? "buffer y : f32[m] write\n" : "buffer y : f32[n * m] write\n");
  put_to(1, "buffer rec : u64[%u] write\nbuffer who : u32[%u] write\nbuffer group : u32[%u] write\nbuffer count : i32[1] read_write\n", CELLS, CELLS, CELLS);
  kinds[any(sizeof kinds / sizeof *kinds)]();
  put("}\n");
}

/* ---- the truth ---- */

static uint64_t rec[CELLS];
static uint32_t who[CELLS], group[CELLS];

/* Which claims the record disproves. */
static unsigned disproved(uint32_t count, uint64_t length) {
  unsigned wrong = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = i + 1; k < count && rec[i] && rec[i] - 1 < length; k++) {
      if (rec[k] != rec[i] || who[k] == who[i]) continue;
      wrong |= group[k] != group[i] ? KGI_OWN_ACROSS : KGI_OWN_IN_WORKGROUP | KGI_OWN_IN_INTERVAL;
    }
  return wrong;
}

static unsigned run(const uint64_t param[3], uint64_t length, unsigned lanes) {
  kg_module *r = NULL;
  int32_t count = 0;
  memset(rec, 0, sizeof rec);
  ck_assert_msg(kg_module_parse(NULL, "t", text[1], strlen(text[1]), NULL, &r) == KG_OK, "%s", text[1]);
  kg_status status = kg_reference_run(&(kg_reference_params){.module = r, .buffers = (void *[]){rec, who, group, &count}, .param_bits = param,
                                                             .step_limit = 60000, .subgroup_size = lanes}, NULL);
  kg_module_free(r);
  return status == KG_OK || count > 0 ? disproved(count < CELLS ? (uint32_t)count : CELLS, length) : 0; /* what it got to is the truth, too */
}

static unsigned claimed(bool *flat_row) {
  kg_module *a = NULL;
  kgi_arena arena;
  kgi_distinct *d;
  uint32_t stores[64], count = 0;
  ck_assert_msg(kg_module_parse(NULL, "t", text[0], strlen(text[0]), NULL, &a) == KG_OK, "%s", text[0]);
  const kgi_program *p = a->program[1];
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && p->inst[i].kind == KGI_store && count < 64) stores[count++] = i;
  *flat_row = strstr(text[0], "f32[m]");
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, a, p, &d), KG_OK);
  unsigned own = kgi_disjoint(d, stores, count, NULL);
  kgi_arena_free(&arena);
  kg_module_free(a);
  return count ? own : 0;
}

/* Lengths that hosts take. */
static bool is_length(uint64_t n, uint64_t m, bool flat_row, uint64_t *length) {
  *length = flat_row ? m : n * m;
  if (matrix && (n > INT32_MAX || m > INT32_MAX)) return false;
  return *length <= UINT32_MAX;
}

START_TEST(kernels) {
  static const uint32_t large[] = {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 4, UINT32_C(1) << 31, INT32_MAX, INT32_MAX - 2, UINT32_C(3) << 30, UINT32_C(1) << 30};
  unsigned claims = 0, across = 0, seen = 0;
  const char *more = getenv("KG_ROUNDS"); /* kernels of each of the four tests */
  uint64_t rounds = more ? strtoull(more, NULL, 10) : KGT_EACH > 1 ? 125 : 250;
  for (uint64_t seed = 0; seed < rounds; seed++) {
    state = ((uint64_t)_i << 32) + seed * 104729 + 5;
    make();
    bool flat_row;
    unsigned own = claimed(&flat_row);
    claims += own & KGI_OWN_IN_WORKGROUP ? 1 : 0, across += own & KGI_OWN_ACROSS ? 1 : 0;
    for (unsigned trial = 0; trial < 4; trial++) {
      uint64_t length, n = any(9), m = wide ? large[any(8)] : any(12), g = 1 + any(5);
      if (wide && any(2)) n = any(3);
      if (!is_length(n, m, flat_row, &length)) continue;
      unsigned wrong = run((uint64_t[]){n, m, g}, length, 1u << any(5));
      if (trial == 0 && wrong) seen++;
      ck_assert_msg(!(wrong & own), "claimed %u, wrong %u, with n = %u, m = %u, g = %u:\n%s", own, wrong, (unsigned)n, (unsigned)m, (unsigned)g, text[0]);
      if (!own) break;
    }
  }
  ck_assert_uint_gt(claims, rounds / 10); /* not vacuous */
  ck_assert_uint_gt(across, rounds / 10);
  ck_assert_uint_gt(seen, rounds / 10);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(kernels, 4)};
  return kgt_run("foundation/distinct_words", tests, KGT_COUNT(tests));
}
