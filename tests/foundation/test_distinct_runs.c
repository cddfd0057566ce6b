/* Distinctness against the truth: random kernels whose accesses are recorded on the reference. Where the analysis says that an
 * element belongs to one invocation, no two may be seen at it. */
#include "foundation/analysis/distinct.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, SLOTS = 64, CELLS = SIDE * SIDE * SLOTS };

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

static uint32_t n, m, k;
enum { T = 4 };

/* Sizes and strides, as text and as the number that they are. */
static const char *const sizes[] = {"n", "m", "k", "T", "8", "2", "3", "(n + 2)", "1"};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char *const atoms[] = {"global_id.x", "global_id.y", "local_id.x", "local_id.y", "workgroup_id.x", "workgroup_id.y",
                                    "local_index", "(global_id.x ^ 1)", "(m - 1 - global_id.x)", "(local_id.x ^ 2)", "(global_id.x / 2)",
                                    "(local_id.x % 2)", "(global_id.x / 4)", "(local_id.x / 2)", "(local_id.x % 4)", "j", "i32_gx", "half"};
enum { ATOMS = 15 }; /* the rest only where they are declared */

/* What ids and params are of: kernels that were ported count by signed numbers, or by 64 bits. */
static const char *const kinds[] = {"u32", "i32"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static unsigned of_kind;
static const char *kind;

static bool is_signed(void) { return *kind == 'i'; }
static uint64_t number(uint32_t bits) { return is_signed() ? (uint64_t)(int32_t)bits : bits; }
static uint64_t size_value(unsigned i) { return ((const uint64_t[]){number(n), number(m), number(k), T, 8, 2, 3, number(n) + 2, 1})[i]; }

/* With every id, and what is u32 else, of that kind. */
static const char *spelled(const char *plain) {
  static const char *const ids[] = {"global_id.x", "global_id.y", "local_id.x", "local_id.y", "workgroup_id.x", "workgroup_id.y", "local_index",
                                    "num_workgroups.x", "num_workgroups.y"};
  static char out[2048];
  size_t n = 0;
  while (*plain) {
    size_t length = 0;
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
      if (!strncmp(plain, ids[i], strlen(ids[i]))) length = strlen(ids[i]);
    bool wide = length && *kind != 'u', type = !strncmp(plain, "u32", 3);
    if (wide) n += (size_t)snprintf(out + n, sizeof out - n, "%s(%.*s)", kind, (int)length, plain);
    else n += (size_t)snprintf(out + n, sizeof out - n, "%.*s", length ? (int)length : 1, type ? kind : plain);
    if (type) n += (size_t)snprintf(out + n, sizeof out - n, "%s", kind + 1);
    plain += length ? length : type ? 3 : 1;
  }
  out[n] = 0;
  return out;
}

/* The same kernel twice: once as it is, once so that each access leaves a record. */
static char text[2][8192];
static size_t used[2];

static void put_to(unsigned which, const char *format, ...) {
  va_list args;
  va_start(args, format);
  used[which] += (size_t)vsnprintf(text[which] + used[which], sizeof text[which] - used[which], format, args);
  va_end(args);
}
/* A function, so that what is drawn at random is drawn once. */
static void put(const char *format, ...) {
  char piece[512];
  va_list args;
  va_start(args, format);
  vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  const char *said = spelled(piece);
  put_to(0, "%s", said), put_to(1, "%s", said);
}

static const char *any_atom(bool in_loop, bool with_half) {
  unsigned pick = any(ATOMS + 4);
  if (pick < ATOMS && (pick < 7 || any(3) == 0)) return atoms[pick];
  if (pick == ATOMS && with_half) return "half";
  return in_loop ? "j" : atoms[pick % 4];
}

static const char *preferred[2]; /* what most indices of one kernel are made of */
static unsigned stride;
static const char *rows; /* as many as the object has */

static unsigned of_trips; /* the loop goes through a row, 1, or through a chunk, 2 */

/* Of a loop's trips: rows gone through from either end, by trips that begin and end where they may. */
static void trip_text(char *out, size_t size) {
  static const char *const forms[] = {"%s * %s + j", "%s * %s + %s - 1 - j", "%s * %s + j - 1", "(%s + 1) * %s - j", "j * %s + %s",
                                      "(%s - 1 - j) * %s + %s", "j + %u", "%s - 1 - j", "%s * %s + 2 * j", "%s * %s + 2 * j + 1", "%s * %s + (j ^ 1)"};
  const char *high = preferred[0], *s = sizes[any(9) ? stride : any(SIZES)], *s2 = sizes[any(9) ? stride : any(SIZES)];
  unsigned form = of_trips == 2 && any(4) ? 6 + any(2) : any(11);
  char base[128];
  if (form == 4) snprintf(base, sizeof base, forms[form], s, high);
  else if (form == 5) snprintf(base, sizeof base, forms[form], s2, s, high);
  else if (form == 6) snprintf(base, sizeof base, forms[form], any(4));
  else if (form == 7) snprintf(base, sizeof base, forms[form], s);
  else snprintf(base, sizeof base, forms[form], high, s, s2);
  if (any(6)) snprintf(out, size, "%.100s", base);
  else snprintf(out, size, "%.100s + %u", base, any(4));
}

static void index_text(char *out, size_t size, bool in_loop, bool with_half) {
  if (of_trips && any(9)) {
    trip_text(out, size);
    return;
  }
  const char *high = any(5) ? preferred[0] : any_atom(in_loop, with_half), *low = any(5) ? preferred[1] : any_atom(in_loop, with_half);
  unsigned s = any(6) ? stride : any(SIZES);
  static const char *const steps[] = {"%s", "%s + half", "%s + w", "3 - %s"}; /* of reductions and rotations */
  if (with_half && any(3)) {
    snprintf(out, size, steps[any(4)], "local_id.x");
    return;
  }
  switch (any(11)) {
  case 10: {
    unsigned times = 1 + any(3);
    if (any(2)) snprintf(out, size, "%s * %u - (%s %% %u) * %u", low, times, low, 1 + any(6), any(4));
    else snprintf(out, size, "%s * %u - (%s & %u) + %u", low, times, low, any(4) ? 3 : any(8), any(3));
    break;
  }
  case 8: snprintf(out, size, "(%s + %s - %u) %% %s", low, sizes[any(SIZES)], any(3), sizes[s]); break;
  case 9: snprintf(out, size, "%s * %s + (%s + %u) %% %s", high, sizes[s], low, any(3), sizes[s]); break;
  case 0: snprintf(out, size, "%s", high); break;
  case 1: snprintf(out, size, "%s + %u", low, any(3)); break;
  case 2: snprintf(out, size, "%s * %s + %s + %u", high, sizes[s], low, any(2)); break;
  case 3: snprintf(out, size, "%s - 1 - %s", sizes[s], low); break;
  case 4: snprintf(out, size, "%s * %s", high, sizes[s]); break;
  default: snprintf(out, size, "%s * %s + %s", high, sizes[s], low); break;
  }
}

static const char *rank[2]; /* the object has two dimensions, of these extents */

/* Outside of its extent no index reaches an element. */
static void access_place(const char *object, bool in_loop) {
  char row[256], column[256];
  snprintf(row, sizeof row, "%s", spelled(any(4) ? preferred[0] : any_atom(in_loop, false)));
  snprintf(column, sizeof column, "%s", spelled(any(4) ? preferred[1] : any_atom(in_loop, false)));
  put_to(0, "%s[%s, %s] = 1.0\n", object, row, column);
  put_to(1, "if u64(%s) < u64(%s) && u64(%s) < u64(%s) {\nrec[at + c] = u64(%s) * u64(%s) + u64(%s) + u64(1)\nitv[at + c] = b\nc += 1\n}\n",
         row, rank[0], column, rank[1], row, rank[1], column);
}

static void access(const char *object, bool in_loop, bool with_half) {
  if (rank[0] && !with_half) {
    access_place(object, in_loop);
    return;
  }
  char plain[128];
  index_text(plain, sizeof plain, in_loop, with_half);
  const char *index = spelled(plain);
  put_to(0, "%s[%s] = 1.0\n", object, index);
  put_to(1, "rec[at + c] = u64(%s) + u64(1)\nitv[at + c] = b\nc += 1\n", index);
}

static void guard(bool in_loop, bool with_half) {
  if (with_half && any(2)) {
    put("local_id.x < half");
    return;
  }
  static const char *const ops[] = {"<", "<", "<", "<", "<=", "==", ">", "!="};
  for (unsigned i = 0; i < 2; i++) {
    const char *a = any(4) ? preferred[i] : any_atom(in_loop, with_half);
    const char *b = i == 1 && any(4) ? sizes[stride] : sizes[any(4)];
    put("%s%s %s %s", i ? any(6) ? " && " : " || " : "", a, ops[any(8)], with_half && any(4) ? "half" : b);
  }
}

static void barrier(void) {
  put("barrier\n");
  put_to(1, "b += u32(1)\n");
}

/* A loop over a row or a chunk of an invocation, or nearly. */
static void trips(void) {
  const char *s = sizes[any(8) ? stride : any(SIZES)], *high = any(4) ? "global_id.x" : preferred[0], *by = any(3) ? "1" : sizes[3 + any(4)];
  const char *cut = sizes[any(SIZES)], *name = any(4) ? "j" : "q", *type = name[0] == 'q' ? "i32" : "u32";
  unsigned from = any(3), more = any(4) ? from : any(4), longer = any(3) / 2, way = any(8);
  bool chunk = way < 3, guarded = way == 3;
  preferred[0] = high;
  if (name[0] == 'q') by = any(2) ? "1" : "2";
  if (any(6)) put("if %s < %s {\n", high, rows);
  else put("if m < 9 {\n");
  if (guarded) put("if %s > %u {\n", s, any(4) / 3);
  if (chunk) put("for %s in %s(%s * %s) .. ", name, type, high, s);
  else put("for %s in %s(%u) .. ", name, type, from);
  if (chunk && any(2)) put("min(%s(%s * %s + %s + %u), %s(%s))", type, high, s, s, longer, type, cut);
  else if (chunk) put("%s(%s * %s + %s + %u)", type, high, s, s, longer);
  else if (guarded) put("%s(%s) - %u", type, s, 1 + longer);
  else if (way == 4) put("%s((%s + %u) / %u * %u)", type, s, longer, 2 + any(2), 1 + any(3));
  else put("%s(%s + %u)", type, s, more);
  put(" step %s {\n%s", by, name[0] == 'q' ? "let j = u32(q)\n" : "");
  of_trips = chunk ? 2 : 1;
  for (unsigned i = 1 + !any(3); i--;) access("y", true, false);
  of_trips = 0;
  put(guarded ? "}\n}\n}\n" : "}\n}\n");
}

/* Down the columns of an image, or nearly; what is guarded is the column, if anything is. */
static void marching(void) {
  static const char *const forms[] = {"(j + %s) * %s + %s", "j * %s + %s + %s", "j * %s + %s", "(%s - 1 - j) * %s + %s"};
  const char *s = sizes[any(8) ? stride : any(SIZES)], *x = any(4) ? "global_id.x" : any_atom(false, false), *off[2];
  static const char *const offsets[] = {"0", "1", "2", "3", "k", "k"};
  for (unsigned i = 0; i < 2; i++) off[i] = offsets[any(6)];
  if (any(3)) off[1] = off[0];
  if (any(3)) put("if %s >= %s { return }\n", x, any(6) ? s : sizes[any(SIZES)]);
  put("for j in u32(%u) .. %s - %s%s {\n", any(2), any(8) ? rows : sizes[any(SIZES)], off[0], any(5) ? "" : " - 1");
  for (unsigned i = 1 + !any(3); i--;) {
    char base[128];
    unsigned form = any(4);
    if (form == 0) snprintf(base, sizeof base, forms[0], off[1], s, x);
    else if (form == 1) snprintf(base, sizeof base, forms[1], s, x, off[1]);
    else if (form == 2) snprintf(base, sizeof base, forms[2], s, x);
    else snprintf(base, sizeof base, forms[3], rows, s, x);
    const char *index = spelled(base);
    put_to(0, "y[%s] = 1.0\n", index);
    put_to(1, "rec[at + c] = u64(%s) + u64(1)\nitv[at + c] = b\nc += 1\n", index);
  }
  put("}\n");
}

static void statement(const char *object, bool in_loop, bool with_half, unsigned depth) {
  unsigned pick = any(depth ? 10 : 5);
  if (pick < 2) access(object, in_loop, with_half);
  else if (pick < 5) put("if "), guard(in_loop, with_half), put(" {\n"), access(object, in_loop, with_half), put("}\n");
  else if (pick == 5 && !in_loop) {
    static const char *const from[] = {"local_id.x", "u32(0)", "global_id.x", "workgroup_id.x", "global_id.y"};
    static const char *const steps[] = {"T", "1", "num_workgroups.x * T", "num_workgroups.x", "num_workgroups.y", "m"};
    unsigned begin = any(3) ? any(2) : any(5);
    put("for j in %s .. %s step %s {\n", from[begin], any(2) ? "m" : "n", steps[begin < 2 ? any(2) : any(6)]);
    statement(object, true, with_half, 0);
    put("}\n");
  } else if (pick < 8 && !with_half) {
    put("for w in u32(0) .. 3 {\nlet half = u32(T) >> w\n");
    for (unsigned i = 1 + any(2); i--;) statement(object, in_loop, true, 0);
    if (any(5)) barrier();
    if (!any(3)) statement(object, in_loop, true, 0);
    if (!any(6)) put("if w == n { continue }\n");
    if (!any(4)) barrier();
    put("}\n");
  } else if (pick == 8) {
    put("if "), guard(in_loop, with_half), put(" { return }\n");
  } else {
    barrier();
  }
}

typedef struct shape { const char *workgroup, *grid; unsigned x, y; } shape;
static const shape shapes[] = {
  {"T", "invocations n * m", 4, 1}, {"T", "n", 4, 1}, {"2, 3", "invocations m, n", 2, 3}, {"2, 2", "n, m", 2, 2},
  {"4, 2", "1", 4, 2}, {"1", "n", 1, 1}, {"3", "1", 3, 1}, {"T, T", "invocations n, m", 4, 4},
  {"4", "3, 2", 4, 1}, {"2, 3", "2, 3", 2, 3}, {"2, 2", "n, 2", 2, 2},
  {"4", "m / 4", 4, 1}, {"4", "(m + 3) / 4", 4, 1}, {"2, 2", "m / 2, n / 2", 2, 2}, {"3", "n / 4", 3, 1}, {"4", "n / 3", 4, 1},
};

/* A number taken apart, as `preferred`: by the stride, and sometimes by one more size. */
static char high_digits[64];

static void put_digits(const unsigned length[3]) {
  static const char *const numbers[] = {"global_id.x", "global_id.x", "local_id.x", "local_index", "(global_id.x * 3 + 1)", "global_id.y"};
  const char *a = numbers[any(6)], *s = sizes[any(8) ? stride : any(SIZES)], *s2 = sizes[any(8) ? length[2] : any(SIZES)];
  bool three = length[2] != SIZES - 1;
  if (any(2)) put("if %s >= %s * %s * %s { return }\n", a, sizes[length[0]], sizes[length[1]], sizes[length[2]]);
  if (any(3)) put("let lo = %s %% %s\n", a, s);
  else put("let lo = %s & %u\n", a, any(4) ? 7 : any(9));
  if (three) put("let mid = %s / %s %% %s\nlet hi = %s / (%s * %s)\n", a, s, s2, a, s2, s);
  else if (any(3)) put("let hi = %s / %s\n", a, s);
  else put("let hi = %s >> %u\n", a, any(4) ? 3 : any(4));
  snprintf(high_digits, sizeof high_digits, three ? any(2) ? "(hi * %s + mid)" : "(mid * %s + hi)" : "hi", s2);
  preferred[0] = high_digits, preferred[1] = "lo";
}

/* A workgroup, or an invocation, of two axes in a line, as `preferred`. */
static char in_a_line[96];

static void put_in_a_line(const shape *form) {
  unsigned x = any(8) ? form->x : 1 + any(4);
  if (any(2)) snprintf(in_a_line, sizeof in_a_line, "(global_id.y * (num_workgroups.x * %u) + global_id.x)", x);
  else snprintf(in_a_line, sizeof in_a_line, "(workgroup_id.y * num_workgroups.%c + workgroup_id.x)", any(8) ? 'x' : 'y');
  preferred[0] = in_a_line;
  if (any(2)) preferred[1] = any(2) ? "local_index" : "local_id.x";
}

static bool ranged; /* k is */

static const shape *make(bool shared, bool flat, unsigned length[3]) {
  const shape *form = &shapes[any(sizeof shapes / sizeof *shapes)];
  used[0] = used[1] = 0;
  of_kind = any(KINDS), kind = kinds[of_kind];
  stride = any(SIZES);
  for (unsigned i = 0; i < 2; i++) preferred[i] = atoms[i == 0 && any(3) ? any(6) : any(ATOMS)], length[i] = i ? stride : any(SIZES);
  if (any(3) == 0) preferred[0] = "global_id.y", preferred[1] = "global_id.x";
  if (any(4) == 0) preferred[0] = "workgroup_id.x", preferred[1] = "local_id.x", stride = 3;
  if (any(5) == 0) put_in_a_line(form);
  length[2] = any(3) ? SIZES - 1 : any(SIZES - 1);
  rows = sizes[length[0]];
  if (shared) length[0] = 3 + any(4), length[1] = 3 + any(4), length[2] = any(3) ? SIZES - 1 : 3 + any(4);
  put("program p {\nconst T : u32 = 4\nworkgroup %s\ngrid %s\nparam n : u32\nparam m : u32\nparam k : u32%s\n", form->workgroup, form->grid,
      (ranged = !any(3)) ? " in 0 .. 5" : "");
  bool ranked = !any(4) && !flat;
  if (ranked) length[2] = SIZES - 1;
  rank[0] = rank[1] = NULL;
  if (ranked) rank[0] = sizes[length[0]], rank[1] = sizes[length[1]];
  if (ranked) put_to(0, "%s y : f32[%s, %s]%s\n", shared ? "shared" : "buffer", rank[0], rank[1], shared ? "" : " read_write");
  else put_to(0, "%s y : f32[%s * %s * %s]%s\n", shared ? "shared" : "buffer", sizes[length[0]], sizes[length[1]], sizes[length[2]], shared ? "" : " read_write");
  put_to(1, "buffer rec : u64[%u] write\nbuffer itv : u32[%u] write\n", CELLS, CELLS);
  put_to(1, "let at = (global_id.y * %u + global_id.x) * %u\nvar c = u32(0)\nvar b = u32(0)\n", SIDE, SLOTS);
  if (any(2)) put_digits(length);
  return form;
}

/* ---- what the reference saw ---- */

typedef struct seen { uint64_t element; uint32_t x, y, group, interval; } seen;

static int by_element(const void *a, const void *b) {
  const seen *p = a, *q = b;
  return p->element < q->element ? -1 : p->element > q->element;
}

static size_t record(const shape *form, uint64_t length, seen **out) {
  kg_module *r = NULL;
  static uint64_t rec[CELLS];
  static uint32_t itv[CELLS];
  memset(rec, 0, sizeof rec), memset(itv, 0, sizeof itv);
  ck_assert_msg(kg_module_parse(NULL, "t", text[1], strlen(text[1]), NULL, &r) == KG_OK, "%s", text[1]);
  kg_status status = kg_reference_run(&(kg_reference_params){.module = r, .buffers = (void *[]){rec, itv},
                                                             .param_bits = (uint64_t[]){n, m, k}, .step_limit = 20000000}, NULL);
  kg_module_free(r);
  if (status != KG_OK) return 0; /* such as a barrier that not all reach: not a valid program */
  size_t count = 0;
  seen *list = malloc(CELLS * sizeof *list);
  for (uint32_t i = 0; i < CELLS; i++) {
    if (!rec[i] || rec[i] - 1 >= length) continue;
    uint32_t x = i / SLOTS % SIDE, y = i / SLOTS / SIDE;
    list[count++] = (seen){rec[i] - 1, x, y, x / form->x * 4096 + y / form->y, itv[i]};
  }
  qsort(list, count, sizeof *list, by_element);
  *out = list;
  return count;
}

/* Which claims the record disproves. */
static unsigned disproved(const seen *list, size_t count) {
  unsigned wrong = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count && list[j].element == list[i].element; j++) {
      const seen *a = &list[i], *b = &list[j];
      if (a->x == b->x && a->y == b->y) continue;
      if (a->group != b->group) wrong |= KGI_OWN_ACROSS;
      else wrong |= KGI_OWN_IN_WORKGROUP | (a->interval == b->interval ? KGI_OWN_IN_INTERVAL : 0);
    }
  return wrong;
}

static unsigned claimed(void) {
  kg_module *a = NULL;
  kgi_arena arena;
  kgi_distinct *d;
  uint32_t accesses[64], count = 0;
  ck_assert_msg(kg_module_parse(NULL, "t", text[0], strlen(text[0]), NULL, &a) == KG_OK, "%s", text[0]);
  const kgi_program *p = a->program[1];
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && p->inst[i].kind == KGI_store && count < 64) accesses[count++] = i;
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, a, p, &d), KG_OK);
  unsigned own = kgi_disjoint(d, accesses, count, NULL);
  kgi_arena_free(&arena);
  kg_module_free(a);
  return count ? own : 0;
}

START_TEST(kernels) {
  unsigned claims[KINDS][3] = {0};
  bool shared = _i % 2;
  const char *more = getenv("KG_ROUNDS"); /* kernels of each of the six tests */
  uint64_t rounds = more ? strtoull(more, NULL, 10) : KGT_EACH > 1 ? 100 : 400;
  for (uint64_t seed = 0; seed < rounds; seed++) {
    unsigned length[3];
    state = ((uint64_t)_i << 32) + seed * 7919 + 17;
    bool marches = !any(5);
    const shape *form = make(shared, marches, length);
    if (marches) marching();
    else if (!any(3)) trips();
    else
      for (unsigned i = 1 + any(3); i--;) statement("y", false, false, 2);
    put("}\n");
    unsigned own = claimed();
    if (!own) continue;
    for (unsigned i = 0; i < 3; i++) claims[of_kind][i] += own >> i & 1;
    for (unsigned trial = 0; trial < 3; trial++) {
      seen *list = NULL;
      n = any(9), m = any(7), k = trial == 2 ? UINT32_C(1) << (28 + any(4)) : any(5);
      if (is_signed() && !any(3)) n = 0 - n, m = any(3) ? 0 - m : m;
      if (is_signed() && !any(4)) k = 0 - k;
      if (ranged) k = any(6);
      if (rank[0] && (size_value(length[0]) > INT32_MAX || size_value(length[1]) > INT32_MAX)) continue; /* no extent is negative, or larger */
      size_t count = record(form, size_value(length[0]) * size_value(length[1]) * size_value(length[2]), &list);
      unsigned wrong = disproved(list, count) & own & (shared ? 3u : 7u);
      free(list);
      ck_assert_msg(!wrong, "claimed %u, wrong %u, with n = %u, m = %u, k = %u:\n%s", own, wrong, n, m, k, text[0]);
    }
  }
  for (unsigned i = 0; i < KINDS; i++) { /* not vacuous */
    ck_assert_uint_gt(claims[i][0], rounds / 20 / KINDS);
    ck_assert_uint_gt(claims[i][2], rounds / 20 / KINDS);
  }
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(kernels, 6)};
  return kgt_run("foundation/distinct_runs", tests, KGT_COUNT(tests));
}
