/* Fronts: how many elements of a buffer accesses come by, each once. Answers are held against runs on the reference, where accesses count:
 * for all sizes that are tried, those in front have 1, and the others 0. */
#include "foundation/analysis/distinct.h"
#include "foundation/base/random.h"
#include "foundation/host/layout.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096, MOST = 16 };

typedef struct row { const char *name, *shape, *body; bool has; } row;

#define COUNT(index) "atomic_add(y[" index "], 1) "
#define FOUR(index) COUNT(index) COUNT(index " + 1") COUNT(index " + 2") COUNT(index " + 3")
#define I "let i = global_id.x "

static const row rows[] = {
  {"an element an invocation", "workgroup 4 grid m", COUNT("global_id.x"), true},
  {"behind a guard", "workgroup 4 grid m", I "if i < n { " COUNT("i") "}", true},
  {"behind two", "workgroup 4 grid m", I "if i < n && i < len(z) { " COUNT("i") "}", true},
  {"behind the buffer's own length", "workgroup 4 grid m", I "if i < len(y) { " COUNT("i") "}", true},
  {"behind one of something else", "workgroup 4 grid m", I "if n < m { " COUNT("i") "}", false},
  {"behind one of the element", "workgroup 4 grid m", I "if 4 * i < n { " COUNT("4 * i") "}", false},
  {"behind a guard from below", "workgroup 4 grid m", I "if i > n { " COUNT("i") "}", false},
  {"where some leave", "workgroup 4 grid m", "if global_id.x == n { return } " COUNT("global_id.x"), false},
  {"on a grid of invocations", "workgroup 4 grid invocations n", COUNT("global_id.x"), true},
  {"one element on", "workgroup 4 grid m", COUNT("global_id.x + 1"), false},
  {"every other element", "workgroup 4 grid m", COUNT("2 * global_id.x"), true},
  {"every other element, from the second on", "workgroup 4 grid m", COUNT("2 * global_id.x + 1"), true},
  {"every other element, from the third on", "workgroup 4 grid m", COUNT("2 * global_id.x + 2"), false},
  {"an index that falls", "workgroup 4 grid m", I "if i < n { " COUNT("n - 1 - i") "}", false},
  {"one for each workgroup", "workgroup 1 grid m", COUNT("workgroup_id.x"), true},
  {"one for each workgroup, by each invocation", "workgroup 4 grid m", COUNT("workgroup_id.x"), false},
  {"one for each workgroup, by the first invocation", "workgroup 4 grid m", "if local_id.x == 0 { " COUNT("workgroup_id.x") "}", false},
  {"rows of a workgroup each", "workgroup 4 grid m", "for k in local_id.x .. n step 4 { " COUNT("workgroup_id.x * n + k") "}", true},
  {"rows of another length", "workgroup 4 grid m", "for k in local_id.x .. n step 4 { " COUNT("workgroup_id.x * m + k") "}", false},
  {"rows, some of them", "workgroup 4 grid m",
   "if workgroup_id.x < n { for k in local_id.x .. 6 step 4 { " COUNT("workgroup_id.x * 6 + k") "} }", true},
  {"rows of an invocation each", "workgroup 4 grid m", I "if i < n { for k in 0 .. 5 { " COUNT("i * 5 + k") "} }", true},
  {"columns of an invocation each", "workgroup 4 grid 2", I "for k in 0 .. n { " COUNT("k * 8 + i") "}", true},
  {"columns of too many invocations", "workgroup 4 grid 3", I "for k in 0 .. n { " COUNT("k * 8 + i") "}", false},
  {"columns, as many as a guard lets pass", "workgroup 4 grid 3", I "if i < 10 { for k in 0 .. n { " COUNT("k * 10 + i") "} }", true},
  {"columns, fewer than a guard lets pass", "workgroup 4 grid 2", I "if i < 10 { for k in 0 .. n { " COUNT("k * 10 + i") "} }", true},
  {"columns, as many as nobody knows", "workgroup 4 grid m", I "if i < n { for k in 0 .. 3 { " COUNT("k * n + i") "} }", true},
  {"columns, behind two guards", "workgroup 4 grid m", I "if i < n && i < 10 { for k in 0 .. 3 { " COUNT("k * n + i") "} }", false},
  {"a picture", "workgroup 2, 2 grid m, 2", "let c = global_id.x let r = global_id.y if c < n && r < 3 { " COUNT("r * n + c") "}", true},
  {"a picture of pairs", "workgroup 2, 2 grid m, 2", "let c = global_id.x let r = global_id.y if c < n && r < 3 { " COUNT("(r * n + c) * 2 + 1") "}", true},
  {"a picture, by another width", "workgroup 2, 2 grid m, 2", "let c = global_id.x let r = global_id.y if c < n && r < 3 { " COUNT("r * m + c") "}", false},
  {"a loop that is left", "workgroup 4 grid m", I "for k in 0 .. 5 { if k == n { break } " COUNT("i * 5 + k") "}", false},
  {"a loop that counts nothing", "workgroup 4 grid m", I "for k in 0 .. n { " COUNT("i") "}", false},
  {"a second axis", "workgroup 2, 2 grid m, 2", "let c = global_id.x if c < 3 { " COUNT("global_id.y * 3 + c") "}", true},
  {"a second axis that is known", "workgroup 2, 2 grid 2, m", "let c = global_id.x if c < 3 { " COUNT("global_id.y * 3 + c") "}", true},
  {"a second axis that nobody looks at", "workgroup 4 grid m, 2", COUNT("global_id.x"), false},
  {"four side by side", "workgroup 4 grid m", I "if i < n { " FOUR("4 * i") "}", true},
  {"four in another order", "workgroup 4 grid m", I "if i < n { " COUNT("4 * i + 2") COUNT("i * 4") COUNT("4 * i + 3") COUNT("1 + 4 * i") "}", true},
  {"three of four", "workgroup 4 grid m", I "if i < n { " COUNT("4 * i") COUNT("4 * i + 1") COUNT("4 * i + 2") "}", true},
  {"the last three of four", "workgroup 4 grid m", I "if i < n { " COUNT("4 * i + 1") COUNT("4 * i + 2") COUNT("4 * i + 3") "}", true},
  {"four of three", "workgroup 4 grid m", I "if i < n { " FOUR("3 * i") "}", false},
  {"one of them twice", "workgroup 4 grid m", I "if i < n { " COUNT("2 * i") COUNT("2 * i") "}", false},
  {"four, one of them elsewhere", "workgroup 4 grid m", I "if i < n { " COUNT("4 * i") COUNT("4 * i + 1") COUNT("4 * i + 2") COUNT("4 * n + 3") "}", false},
  {"pairs of rows", "workgroup 2, 1 grid 3, m",
   I "if i < 5 { let at = (workgroup_id.y * 5 + i) * 2 " COUNT("at") COUNT("at + 1") "}", true},
  {"four of a negative offset", "workgroup 4 grid m", I "if i < n { " COUNT("4 * i - 1") COUNT("4 * i") COUNT("4 * i + 1") COUNT("4 * i + 2") "}", false},
  {"signed numbers", "workgroup 4 grid m", "let i = i32(global_id.x) if u32(i) < n { " COUNT("i") "}", true},
  {"a length as a row", "workgroup 4 grid m", I "if i < n { for k in 0 .. len(z) { " COUNT("i * len(z) + k") "} }", true},
  {"the first element", "workgroup 1 grid 1", COUNT("0"), true},
  {"the second element", "workgroup 1 grid 1", COUNT("1"), true},
  {"two elements", "workgroup 1 grid 1", COUNT("1") COUNT("0"), true},
  {"rows backwards", "workgroup 4 grid m", I "if i < n { for k in 0 .. 5 { " COUNT("i * 5 + 4 - k") "} }", true},
  {"rows backwards, of a length", "workgroup 4 grid m", I "if i < n { for k in 0 .. n { " COUNT("i * n + n - 1 - k") "} }", true},
  {"rows backwards, too far", "workgroup 4 grid m", I "if i < n { for k in 0 .. 5 { " COUNT("i * 5 + 5 - k") "} }", false},
  {"rows from 1", "workgroup 4 grid m", I "if i < n { for k in 1 .. 6 { " COUNT("i * 5 + k - 1") "} }", true},
  {"chunks", "workgroup 4 grid m", I "if i < n { for k in i * 5 .. i * 5 + 5 { " COUNT("k") "} }", true},
  {"chunks of a length", "workgroup 4 grid m", I "if i < n { for k in i * n .. (i + 1) * n { " COUNT("k") "} }", true},
  {"chunks that overlap", "workgroup 4 grid m", I "if i < n { for k in i * 5 .. i * 5 + 6 { " COUNT("k") "} }", false},
  {"chunks that end where memory does", "workgroup 1 grid 1", "for k in 0 .. n { for h in k * 5 .. k * 5 + 5 { " COUNT("h") "} }", true},
  {"columns backwards", "workgroup 4 grid 2", I "for k in 0 .. 6 { " COUNT("(5 - k) * 8 + i") "}", true},
  {"columns backwards, as many as a bound that may wrap", "workgroup 4 grid 2", I "for k in 0 .. n { " COUNT("(n - 1 - k) * 8 + i") "}", false},
  {"four at a time", "workgroup 4 grid m", I "if i < n { for k in 0 .. 8 step 4 { " FOUR("i * 8 + k") "} }", true},
  {"four at a time backwards", "workgroup 4 grid m", I "if i < n { for k in 0 .. 8 step 4 { " FOUR("i * 8 + 4 - k") "} }", true},
  {"four at a time of seven", "workgroup 4 grid m", I "if i < n { for k in 0 .. 7 step 4 { " FOUR("i * 7 + k") "} }", false},
  {"two at a time, of four", "workgroup 4 grid m", I "if i < n { for k in 0 .. 8 step 2 { " FOUR("i * 8 + k") "} }", false},
};

static const char *kernel(const char *shape, const char *body) {
  static char text[4096];
  snprintf(text, sizeof text, "program p { const T = 4 %s param n : u32 param m : u32 buffer z : u32[] read buffer y : u32[] read_write %s }",
           shape, body);
  return text;
}

static kg_module *parsed(const char *source) {
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "t", source, strlen(source), NULL, &m) == KG_OK, "does not parse: %s", source);
  return m;
}

/* The accesses that count, and what is said of them. */
static bool claimed(const kg_module *m, kgi_front *front) {
  kgi_arena arena;
  kgi_distinct *d;
  uint32_t access[MOST], count = 0;
  const kgi_program *p = m->program[1];
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, p, &d), KG_OK);
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_atomic && p->inst[i].block) access[count++] = i;
  bool has = false;
  for (uint32_t side = count; side <= KGI_FRONT_SIDE && !has; side++) has = kgi_covers_front(d, access, count, side, front);
  kgi_arena_free(&arena);
  return has;
}

typedef struct size { uint32_t n, m, z, y; } size;

static uint64_t value_of(const kgi_poly *f, const size *s) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < f->count; k++) {
    uint64_t term = (uint64_t)f->t[k].c;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      uint32_t atom = f->t[k].atom[n];
      uint32_t known[][2] = {{KGI_ATOM_PARAM + 1, s->n}, {KGI_ATOM_PARAM + 2, s->m}, {KGI_ATOM_LEN + 1, s->z}, {KGI_ATOM_LEN + 2, s->y},
                             {KGI_ATOM_SPEC + 1, 4}};
      unsigned j = 0;
      while (j < KGT_COUNT(known) && known[j][0] != atom) j++;
      ck_assert_uint_lt(j, KGT_COUNT(known));
      term *= known[j][1];
    }
    sum += term;
  }
  return sum;
}

typedef struct groups { uint32_t of[3], size[3]; } groups;

static kg_status take_groups(void *user, const kgi_run *run) {
  groups *g = user;
  memcpy(g->of, run->groups, sizeof g->of);
  memcpy(g->size, run->workgroup, sizeof g->size);
  return KG_OK;
}

static uint64_t length_of(const kgi_front *f, const size *s, const groups *g) {
  uint64_t least = f->count || f->all || f->groups ? UINT64_MAX : 1;
  for (unsigned k = 0; k < f->count; k++)
    if (value_of(&f->below[k], s) < least) least = value_of(&f->below[k], s);
  uint64_t all = f->all ? (uint64_t)g->of[f->all - 1] * g->size[f->all - 1] : UINT64_MAX;
  uint64_t workgroups = f->groups ? g->of[f->groups - 1] : UINT64_MAX;
  if (all < least) least = all;
  if (workgroups < least) least = workgroups;
  return least * value_of(&f->weight, s);
}

/* No digit is open, or the grid has all its values. */
static bool has_no_gaps(const kgi_front *front, const size *s, const groups *g) {
  for (unsigned k = 0; k < front->digits; k++) {
    const kgi_front_digit *digit = &front->digit[k];
    if (!digit->open) continue;
    uint64_t wide = digit->all ? (uint64_t)g->of[digit->all - 1] * g->size[digit->all - 1] : g->of[digit->groups - 1];
    if (wide < value_of(&digit->range, s)) return false;
  }
  return true;
}

/* Whether those in front were counted once, and no others; where there are gaps, at most once. */
static bool holds(const kg_module *m, const kgi_front *front, const size *s) {
  static uint32_t y[CELLS], z[CELLS];
  uint64_t param[] = {s->n, s->m}, length[] = {s->z, s->y};
  kgi_arena arena;
  kgi_layout layout;
  groups g;
  memset(y, 0, sizeof y);
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_layout_init(&layout, m, param, length, &arena, NULL), KG_OK);
  ck_assert_int_eq(kgi_layout_each(&layout, take_groups, &g), KG_OK);
  kgi_arena_free(&arena);
  const kg_reference_params params = {.module = m, .buffers = (void *[]){z, y}, .lengths = length, .param_bits = param};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
  uint64_t reached = length_of(front, s, &g);
  bool whole = has_no_gaps(front, s, &g);
  for (uint64_t i = 0; i < s->y; i++) {
    uint32_t times = i < reached && front->offsets >> i % front->side & 1;
    if (y[i] > times || (whole && y[i] != times)) return false;
  }
  return true;
}

/* Sizes small enough that a wrong answer shows. */
static void hold_all(const char *name, const char *source, const kg_module *m, const kgi_front *front) {
  static const uint32_t lengths[] = {0, 1, 3, 7, 16, 30, 61};
  for (uint32_t n = 0; n < 7; n++)
    for (uint32_t k = 0; k < 5; k++)
      for (unsigned l = 0; l < 2 * KGT_COUNT(lengths); l++) {
        size s = {n, k, lengths[l / 2] % 5, lengths[l / 2]};
        if (l % 2) s.y = 3 * s.z + n;
        ck_assert_msg(holds(m, front, &s), "%s: n = %u, m = %u, len(z) = %u, len(y) = %u: %s", name, n, k, s.z, s.y, source);
      }
}

START_TEST(rows_hold) {
  const row *r = &rows[_i];
  const char *source = kernel(r->shape, r->body);
  kg_module *m = parsed(source);
  kgi_front front;
  bool has = claimed(m, &front);
  ck_assert_msg(has == r->has, "%s: %s", r->name, has ? "claimed" : "not claimed");
  if (has) hold_all(r->name, source, m, &front);
  kg_module_free(m);
} END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

static const char *const shapes[] = {"workgroup 4 grid m", "workgroup 4 grid 2", "workgroup 2, 2 grid 2, m", "workgroup 4 grid invocations n",
                                     "workgroup 1 grid m", "workgroup 2, 3 grid m, 1", "workgroup 1, 1 grid 3, m",
                                     "workgroup 4 grid (n + 3) / 4", "workgroup 2, 1 grid (n + 1) / 2, m"};

/* Digits of given ranges, each under a loop or a guard that gives it that range, with a slip at times; then some accesses side by side, as
 * `form` says: of an index and a number beside it. */
static const char *random_body(const char *form) {
  static const char *const digits[] = {"global_id.x", "global_id.y", "workgroup_id.x", "workgroup_id.y", "local_id.x", "local_id.y"};
  static const char *const ranges[] = {"n", "m", "4", "2", "3", "8", "len(z)", "len(y)"};
  static char body[2048];
  char index[512] = "", weight[256] = "", braces[16] = "";
  body[0] = 0;
  unsigned count = 1 + any(3), side = any(3) ? 1 : 1 + any(4);
  snprintf(weight, sizeof weight, "%u", any(8) ? side : 1 + any(4));
  for (unsigned k = 0; k < count; k++) {
    const char *range = ranges[any(8)], *digit = digits[any(6)];
    char name[16], more[640];
    if (any(2)) {
      snprintf(name, sizeof name, "j%u", k);
      if (any(3)) snprintf(more, sizeof more, "for %s in 0 .. %s { ", name, range);
      else snprintf(more, sizeof more, "for %s in local_id.x .. %s step 4 { ", name, range);
      digit = name;
    } else {
      snprintf(more, sizeof more, "if %s < %s { ", digit, any(6) ? range : ranges[any(8)]);
    }
    if (digit == name || any(4)) strcat(body, more), strcat(braces, " }");
    snprintf(more, sizeof more, "%s%s%s * (%s)", index, k ? " + " : "", digit, weight);
    strcpy(index, more);
    snprintf(more, sizeof more, "%s * %s", weight, range);
    if (strlen(more) < sizeof weight) strcpy(weight, more);
  }
  for (unsigned k = 0; k < side; k++) {
    char more[640];
    snprintf(more, sizeof more, form, index, any(12) ? (k * 3 + 1) % side : k);
    strcat(body, more);
  }
  return strcat(body, braces);
}

static const char *random_kernel(void) {
  const char *shape = shapes[any(KGT_COUNT(shapes))];
  return kernel(shape, random_body("atomic_add(y[%s + %u], 1) "));
}

START_TEST(random_kernels) {
  const char *more = getenv("KG_ROUNDS");
  uint64_t rounds = more ? strtoull(more, NULL, 10) : 3000 / KGT_EACH, yes = 0;
  for (uint64_t seed = 0; seed < rounds; seed++) {
    state = ((uint64_t)_i << 32) + seed * 7919 + 31;
    const char *source = random_kernel();
    kg_module *m = parsed(source);
    kgi_front front;
    if (claimed(m, &front)) {
      yes++;
      for (unsigned trial = 0; trial < 6; trial++) {
        size s = {any(7), any(5), any(6), any(60)};
        ck_assert_msg(holds(m, &front, &s), "n = %u, m = %u, len(z) = %u, len(y) = %u: %s", s.n, s.m, s.z, s.y, source);
      }
    }
    kg_module_free(m);
  }
  ck_assert_uint_gt(yes, rounds / 50); /* not vacuous */
} END_TEST

/* ---- who has an element ---- */

typedef struct pair { const char *name, *shape, *first, *second; bool same; } pair;
#define MINE(index) "y[" index "] = who "
#define THEIRS(index) "w[" index "] = who "
static const pair pairs[] = {
  {"the same", "workgroup 4 grid m", MINE("i"), THEIRS("i"), true},
  {"side by side", "workgroup 4 grid m", MINE("4 * i"), THEIRS("4 * i + 3"), true},
  {"of another width", "workgroup 4 grid m", MINE("4 * i"), THEIRS("3 * i"), false},
  {"behind another guard", "workgroup 4 grid m", "if i < n { " MINE("i") "}", THEIRS("i"), false},
  {"in loops of each", "workgroup 4 grid m", "for k in 0 .. n { " MINE("i * n + k") "}", "for k in 0 .. n { " THEIRS("i * n + k") "}", true},
  {"in loops of each, one of them backwards", "workgroup 4 grid m", "for k in 0 .. 5 { " MINE("i * 5 + k") "}",
   "for k in 0 .. 5 { " THEIRS("i * 5 + 4 - k") "}", true},
  {"in loops of each, one of them a chunk", "workgroup 4 grid m", "if i < n { for k in 0 .. 5 { " MINE("i * 5 + k") "} }",
   "if i < n { for k in i * 5 .. i * 5 + 5 { " THEIRS("k") "} }", true},
  {"in a shared loop, and in one backwards", "workgroup 4 grid m", "for k in local_id.x .. n step 4 { " MINE("workgroup_id.x * n + k") "}",
   "for k in local_id.x .. n step 4 { " THEIRS("workgroup_id.x * n + n - 1 - k") "}", false},
  {"in loops of other lengths", "workgroup 4 grid m", "for k in 0 .. 2 { " MINE("i * 2 + k") "}", "for k in 0 .. 3 { " THEIRS("i * 3 + k") "}", false},
  {"in shared loops", "workgroup 4 grid m", "for k in local_id.x .. n step 4 { " MINE("workgroup_id.x * n + k") "}",
   "for k in local_id.x .. n step 4 { " THEIRS("workgroup_id.x * n + k") "}", true},
  {"in a loop of each, and in a shared one", "workgroup 4 grid m", "for k in 0 .. n { " MINE("i * n + k") "}",
   "for k in local_id.x .. n step 4 { " THEIRS("workgroup_id.x * n + k") "}", false},
  {"an id, and a shared loop", "workgroup 4 grid m", MINE("workgroup_id.x * 4 + local_id.x"),
   "for k in local_id.x .. 4 step 4 { " THEIRS("workgroup_id.x * 4 + k") "}", false},
  {"by rows and by columns", "workgroup 2, 2 grid 2, 2", MINE("global_id.y * 4 + global_id.x"), THEIRS("global_id.x * 4 + global_id.y"), false},
};

/* Whether the two are known to be the same invocations'; else nothing is said. */
static bool are_same(const char *source, kg_module **out) {
  kgi_arena arena;
  kgi_distinct *d;
  kgi_front front[2];
  uint32_t access[2][MOST], count[2] = {0};
  kg_module *m = *out = parsed(source);
  const kgi_program *p = m->program[1];
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, p, &d), KG_OK);
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_store && p->inst[i].block) access[p->inst[i].arg[0] - 2][count[p->inst[i].arg[0] - 2]++] = i;
  bool same = false;
  for (uint32_t side = 1; side <= KGI_FRONT_SIDE && !same && count[0] && count[1]; side++)
    same = kgi_covers_front(d, access[0], count[0], side, &front[0]) && kgi_covers_front(d, access[1], count[1], side, &front[1]) &&
           kgi_is_same_front(&front[0], &front[1]);
  kgi_arena_free(&arena);
  return same;
}

static bool meet(const kg_module *m, const size *s) {
  static uint32_t a[CELLS], b[CELLS], z[CELLS];
  uint64_t param[] = {s->n, s->m}, length[] = {s->z, s->y, s->y};
  memset(a, 0, sizeof a), memset(b, 0, sizeof b);
  const kg_reference_params params = {.module = m, .buffers = (void *[]){z, a, b}, .lengths = length, .param_bits = param};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
  for (uint64_t i = 0; i < s->y; i++)
    if (a[i] && b[i] && a[i] != b[i]) return false;
  return true;
}

static const char *two(const char *shape, const char *first, const char *second) {
  static char text[8192];
  snprintf(text, sizeof text, "program p { %s param n : u32 param m : u32 buffer z : u32[] read buffer y : u32[] read_write "
           "buffer w : u32[] read_write let i = global_id.x let who = (i + global_id.y * 1000) * 2 + 1 region r { %s } region q { %s } }", shape, first, second);
  return text;
}

START_TEST(who_has_an_element) {
  const pair *t = &pairs[_i];
  kg_module *m;
  bool same = are_same(two(t->shape, t->first, t->second), &m);
  ck_assert_msg(same == t->same, "%s: %s", t->name, same ? "claimed" : "not claimed");
  for (uint32_t n = 0; n < 5 && same; n++) ck_assert_msg(meet(m, &(size){n, 3, 5, 61}), "%s: n = %u", t->name, n);
  kg_module_free(m);
} END_TEST

START_TEST(random_pairs) {
  unsigned yes = 0;
  for (uint64_t seed = 0; seed < 3000 / KGT_EACH; seed++) {
    char first[2048], second[2048];
    uint64_t start = ((uint64_t)_i << 32) + seed * 7919 + 37;
    kg_module *m;
    state = start;
    const char *shape = shapes[any(KGT_COUNT(shapes))];
    uint64_t middle = state;
    strcpy(first, random_body("y[%s + %u] = who "));
    if (seed % 4) state = middle;
    strcpy(second, random_body("w[%s + %u] = who "));
    const char *source = two(shape, first, second);
    bool same = are_same(source, &m);
    yes += same;
    for (unsigned trial = 0; trial < 4 && same; trial++) {
      size s = {any(7), any(5), any(6), any(60)};
      ck_assert_msg(meet(m, &s), "n = %u, m = %u, len(z) = %u, length %u: %s", s.n, s.m, s.z, s.y, source);
    }
    kg_module_free(m);
  }
  ck_assert_uint_gt(yes, 60 / KGT_EACH);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(rows_hold, rows, name), KGT_TIMES(random_kernels, 4),
                            KGT_TABLE(who_has_an_element, pairs, name), KGT_TIMES(random_pairs, 4)};
  return kgt_run("foundation/front", tests, KGT_COUNT(tests));
}
