/* Files that use others, by way of a loader: what it is asked for, how often, and where that ends. */
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct host {
  const char *const (*files)[2]; /* path, text; ends with NULL */
  char asked[2048];              /* every path, each with a blank behind it */
  char said[200], id[40];        /* where and what the first diagnostic is */
  char text[64];
} host;

static void note(void *user, const kg_diag *d) {
  host *h = user;
  if (*h->id) return;
  snprintf(h->said, sizeof h->said, "%.150s:%u", d->file, d->line);
  snprintf(h->id, sizeof h->id, "%s", d->id);
}

static bool from_table(void *user, const char *path, const char **text, size_t *size) {
  host *h = user;
  size_t used = strlen(h->asked);
  snprintf(h->asked + used, sizeof h->asked - used, "%s ", path);
  for (size_t i = 0; h->files[i][0]; i++)
    if (!strcmp(h->files[i][0], path)) return *text = h->files[i][1], *size = strlen(*text), true;
  return false;
}

static kg_status parse(host *h, const char *name, const char *text, bool (*load)(void *, const char *, const char **, size_t *)) {
  kg_module *m = NULL;
  kg_loader loader = {.load = load, .user = h};
  kg_sink sink = {.emit = note, .user = h};
  kg_status status = kg_module_parse_with(NULL, name, text, strlen(text), load ? &loader : NULL, &sink, &m);
  ck_assert((status == KG_OK) == (m != NULL));
  kg_module_free(m);
  return status;
}

static const char *const files[][2] = {
  {"a/lib/one.kg", "use \"two.kg\" fn one(x : f32) -> f32 = two(x)"}, {"a/lib/two.kg", "fn two(x : f32) -> f32 = x + x;"},
  {"/lib/two.kg", ""}, {"../two.kg", ""}, {"two.kg", ""}, {"..", ""}, {"a/..b", ""}, {NULL, NULL},
};

#define PROGRAM " program p { workgroup 1 grid 1 buffer y : f32[1] write y[0] = 1.0 }"

static const struct { const char *name, *use, *asked; } rows[] = {
    {"a/k.kg", "lib/two.kg", "a/lib/two.kg "}, {"a/k.kg", "./lib//./two.kg", "a/lib/two.kg "}, {"a/b/k.kg", "../lib/two.kg", "a/lib/two.kg "},
    {"a/k.kg", "../lib/../two.kg", "two.kg "}, {"k.kg", "../two.kg", "../two.kg "}, {"./k.kg", "two.kg", "two.kg "}, {"", "two.kg", "two.kg "},
    {NULL, "two.kg", "two.kg "}, {"-", "two.kg", "two.kg "}, {"/k.kg", "lib/two.kg", "/lib/two.kg "}, {"/b/k.kg", "../lib/two.kg", "/lib/two.kg "},
    {"a/../k.kg", "two.kg", "two.kg "}, {"a/k.kg", "lib/one.kg", "a/lib/one.kg a/lib/two.kg "}, {"a/k.kg", "..b", "a/..b "},
    {"k.kg", "/lib/two.kg", NULL}, {"k.kg", "", NULL}, {"k.kg", "two.kg/", NULL}, {"k.kg", ".", NULL}, {"a/k.kg", "..", NULL},
    {"k.kg", "lib\\\\two.kg", NULL}, {"k.kg", "two\\x01.kg", NULL}, {"k.kg", "two\\n.kg", NULL},
};

START_TEST(paths) {
  host h = {.files = files};
  char text[200];
  snprintf(text, sizeof text, "use \"%s\"" PROGRAM, rows[_i].use);
  kg_status status = parse(&h, rows[_i].name, text, from_table);
  ck_assert_msg((status == KG_OK) == (rows[_i].asked != NULL), "%s: %s", text, h.said);
  ck_assert_str_eq(h.asked, rows[_i].asked ? rows[_i].asked : "");
  if (status != KG_OK) ck_assert_str_eq(h.id, "use-path");
}
END_TEST

/* Both files that use it share it, and it is asked for once. */
START_TEST(shared_file) {
  host h = {.files = files};
  ck_assert_int_eq(parse(&h, "a/k.kg", "use \"lib/one.kg\"; use \"lib/two.kg\"; use \"lib/../lib/one.kgx\"" PROGRAM, from_table), KG_INVALID);
  ck_assert_str_eq(h.asked, "a/lib/one.kg a/lib/two.kg a/lib/one.kgx ");
  ck_assert_str_eq(h.said, "a/k.kg:1");
  ck_assert_str_eq(h.id, "use-missing");
}
END_TEST

START_TEST(no_loader) {
  host h = {.files = files};
  ck_assert_int_eq(parse(&h, "k.kg", "use \"two.kg\"" PROGRAM, NULL), KG_INVALID);
  ck_assert_str_eq(h.said, "k.kg:1");
  ck_assert_str_eq(h.id, "use-no-loader");
}
END_TEST

/* Each uses one more below it. */
static bool endless(void *user, const char *path, const char **text, size_t *size) {
  host *h = user;
  (void)path;
  strcpy(h->text, "use \"d/x.kg\"");
  return *text = h->text, *size = strlen(h->text), true;
}

static bool empty(void *user, const char *path, const char **text, size_t *size) {
  (void)user, (void)path;
  return *text = "", *size = 0, true;
}

static bool huge(void *user, const char *path, const char **text, size_t *size) {
  (void)user, (void)path;
  return *text = "", *size = SIZE_MAX, true;
}

START_TEST(bounds) {
  char *text = calloc(1, 20000), name[3000] = "";
  host deep = {.files = files}, many = deep, large = deep, wide = deep;
  ck_assert_int_eq(parse(&deep, "k.kg", "use \"x.kg\"" PROGRAM, endless), KG_INVALID);
  ck_assert_msg(strstr(deep.said, "d/d/x.kg:1") != NULL, "%s", deep.said);
  ck_assert_str_eq(deep.id, "too-large");
  for (int i = 0; i < 300; i++) sprintf(text + strlen(text), "use \"f%d.kg\"\n", i);
  ck_assert_int_eq(parse(&many, "k.kg", strcat(text, PROGRAM), empty), KG_INVALID);
  ck_assert_str_eq(many.said, "k.kg:200");
  ck_assert_str_eq(many.id, "too-large");
  ck_assert_int_eq(parse(&large, "k.kg", "use \"x.kg\"" PROGRAM, huge), KG_INVALID);
  ck_assert_str_eq(large.said, "k.kg:1");
  ck_assert_str_eq(large.id, "too-large");
  memset(name, 'n', 2000), strcat(name, "/k.kg");
  ck_assert_int_eq(parse(&wide, name, "use \"x.kg\"" PROGRAM, empty), KG_INVALID);
  ck_assert_str_eq(wide.id, "use-path");
  free(text);
}
END_TEST

/* ---- programs of other texts ---- */

#define TWICE "{ workgroup 1 grid 1 param s : f32 = 2.0 buffer x : f32[1] read buffer y : f32[1] write y[0] = s * x[0] }"
#define BACK "{ workgroup 1 grid 1 param s : f32 = 2.0 buffer grad_x : f32[1] read_write buffer grad_y : f32[1] read_write " \
             "grad_x[0] += s * grad_y[0] grad_y[0] = 0.0 }"

static const char *const programs[][2] = {
  {"lone.kg", "program other " TWICE},
  {"open.kg", "program other { workgroup 4 buffer x : f32[] read buffer y : f32[] write y[global_id.x] = x[global_id.x] }"},
  {"stated.kg", "module m { param q : u32 = 3 buffer x : f32[q] read buffer y : f32[1] write fn two() -> f32 = 2.0 "
                "program twice adjoint back " TWICE " program back " BACK " run twice(x = x, y = y); }"},
  {"several.kg", "module m { param r : f32 param n : u32 = 2 in 1 .. 9 param i : i64 = -5 buffer y : f32[n] read_write buffer z : f32[len(y)] read "
                 " buffer t : f32[n, 2] temp buffer u : f32[1] temp program a " TWICE
                 " run a(x = z[n - 1 .. n], y = t[0 .. 1], s = r) repeat k in 0 .. len(z) { run a(x = z[k .. k + 1], y = u) } }"},
  {"viewed.kg", "module m { buffer x : f32[1] read buffer t : f32[1] temp view(set 0, binding 0, offset 0, stride 4) "
                "program p { workgroup 1 grid 1 buffer x : f32[1] read buffer t : f32[1] write view(set 0, binding 0, offset 0, stride 4) t[0] = x[0] } run p }"},
  {"nested.kg", "module m { buffer x : f32[1] read buffer y : f32[1] write use \"stated.kg\" as s run s(q = 1) }"},
  {"itself.kg", "module m { buffer x : f32[1] read use \"itself.kg\" as s run s }"},
  {"other.kg", "module m { buffer x : f32[1] read use \"./another.kg\" as s run s }"},
  {"another.kg", "module m { buffer x : f32[1] read use \"other.kg\" as s run s }"},
  {"idle.kg", "module m { buffer x : f32[1] read program a " TWICE "}"},
  {"functions.kg", "fn one() -> f32 = 1.0"},
  {"broken.kg", "program a {"},
  {"behind.kg", "program a " TWICE " program b " TWICE},
  {NULL, NULL},
};

#define RUNS " buffer x : f32[1] read buffer y : f32[1] write buffer z : f32[4] read_write param p : u32 = 1 "

static const struct { const char *file, *runs, *id; } called[] = {
    {"lone.kg", "run a", ""}, {"lone.kg", "run a run a(y = z[1 .. 2], s = 3.0, x = x)", ""}, {"lone.kg", "run a(s = default) grid 2", ""},
    {"lone.kg", "run a(x = y, x = y)", "stated-twice"}, {"lone.kg", "run a(s = 1.0, s = 1.0)", "stated-twice"},
    {"lone.kg", "run a(q = 1)", "no-such-argument"}, {"lone.kg", "run a(x = 1)", "syntax"}, {"lone.kg", "run a(x = p)", "wrong-kind-of-name"},
    {"lone.kg", "run a(x = none)", "unknown-name"}, {"lone.kg", "run b", "no-such-program"},
    {"lone.kg", "use \"lone.kg\" as a run a", "name-in-use"}, {"lone.kg", "program a " TWICE " run a", "name-in-use"},
    {"open.kg", "run a invocations 3", ""}, {"open.kg", "run a(x = z[0 .. 3]) grid 1", ""}, {"open.kg", "run a", "no-grid"},
    {"stated.kg", "run a(q = 1)", ""}, {"stated.kg", "run a(q = p)", ""}, {"stated.kg", "run a_back(grad_x = z, grad_y = z)", "bind-twice"},
    {"several.kg", "run a(y = z, z = x, r = 2.0)", ""}, {"several.kg", "run a(y = z[0 .. 2], z = z[2 .. 4], r = 1.0)", ""}, {"several.kg", "run a(y = z[p .. p + 2], z = z[p + 2 .. 2 + 2 + p], r = 1.0)", ""},
    {"several.kg", "run a(y = z[0 .. 2], z = z[1 .. 3], r = 1.0)", "bind-twice"}, {"several.kg", "run a(y = z[0 .. p], z = x, r = 1.0)", "use-length"},
    {"several.kg", "run a(y = z, z = x, r = 1.0, n = p)", ""}, {"viewed.kg", "run a", "use-view"},
    {"several.kg", "run a(y = z)", "unbound-param"}, {"several.kg", "run a(y = z, r = 1.0, t = z)", "no-such-argument"},
    {"several.kg", "run a(r = 1.0) grid 2", "use-grid"}, {"several.kg", "repeat n in 1 .. 3 { run a(y = z, z = x, r = 1.0) }", "use-index"},
    {"several.kg", "repeat j in 1 .. 3 { run a(y = z, z = x, r = 1.0, n = j) }", "use-index"},
    {"several.kg", "repeat n in 1 .. 3 { run a(y = z, z = x, r = 1.0, n = default) }", ""},
    {"nested.kg", "run a", ""}, {"itself.kg", "run a", "use-cycle"}, {"other.kg", "run a", "use-cycle"}, {"idle.kg", "run a", ""},
    {"idle.kg", "run a run a repeat k in 0 .. 2 { run a }", ""}, {"functions.kg", "run a", "syntax"}, {"broken.kg", "run a", "unclosed-brace"},
    {"behind.kg", "run a", "syntax"}, {"missing.kg", "run a", "use-missing"}, {"/lone.kg", "run a", "use-path"},
};

START_TEST(modules_of_others) {
  host h = {.files = programs};
  char text[600];
  snprintf(text, sizeof text, "module k {" RUNS "use \"%s\" as a; %s }", called[_i].file, called[_i].runs);
  kg_status status = parse(&h, "k.kg", text, from_table);
  ck_assert_msg(!strcmp(h.id, called[_i].id), "%s: %s, not %s", called[_i].runs, h.id, called[_i].id);
  ck_assert_int_eq(status, *called[_i].id ? KG_INVALID : KG_OK);
}
END_TEST

/* Two of one text, their adjoints apart; a name that is taken; what is said later is said of the run. */
START_TEST(names_of_others) {
  host h = {.files = programs}, taken = h, later = h;
  kg_module *m = NULL;
  kg_loader loader = {.load = from_table, .user = &h};
  static const char text[] = "module k {" RUNS "program a_back " TWICE
                             "use \"stated.kg\" as a use \"stated.kg\" as b use \"several.kg\" as c run a run b(y = z) "
                             "run c(y = z, z = x, r = 1.0) run c(y = z, z = x, r = 1.0) }";
  ck_assert_int_eq(kg_module_parse_with(NULL, "k.kg", text, sizeof text - 1, &loader, NULL, &m), KG_OK);
  static const char *const names[] = {"a_back", "a", "a_back_1", "b", "b_back", "c_a"}, *const buffers[] = {"x", "y", "z", "c_t", "c_u", "c_t_1", "c_u_1"};
  ck_assert_uint_eq(kg_module_program_count(m), 6);
  for (uint32_t i = 0; i < 6; i++) ck_assert_str_eq(kg_module_program_name(m, i), names[i]);
  ck_assert_uint_eq(kg_module_buffer_count(m), 7);
  for (uint32_t i = 0; i < 7; i++) ck_assert_str_eq(kg_module_buffer(m, i).name, buffers[i]);
  kg_module_free(m);
  ck_assert_int_eq(parse(&taken, "k.kg", "module k {" RUNS "use \"lone.kg\" as a\nprogram a " TWICE " run a }", from_table), KG_INVALID);
  ck_assert_str_eq(taken.id, "name-in-use");
  ck_assert_str_eq(taken.said, "k.kg:2");
  ck_assert_int_eq(parse(&later, "k.kg", "module k {" RUNS "\nuse \"open.kg\" as a\n\nrun a }", from_table), KG_INVALID);
  ck_assert_str_eq(later.said, "k.kg:4");
}
END_TEST

/* Each is used by one more, and by each run of the next one twice. */
static bool tower(void *user, const char *path, const char **text, size_t *size) {
  host *h = user;
  unsigned height = (unsigned)atoi(path);
  if (!height) snprintf(h->text, sizeof h->text, "program p { workgroup 1 grid 1 }");
  else snprintf(h->text, sizeof h->text, "module m { use \"%u.kg\" as a run a run a }", height - 1);
  return *text = strcpy(h->asked + 30 * height, h->text), *size = strlen(*text), true;
}

static bool wide(void *user, const char *path, const char **text, size_t *size) {
  host *h = user;
  static char many[1 << 16];
  unsigned height = (unsigned)atoi(path);
  (void)h;
  if (!height) return *text = "program p { workgroup 1 grid 1 }", *size = strlen(*text), true;
  if (!*many) strcpy(many, "module m { use \"0.kg\" as a ");
  if (!strstr(many, "}"))
    for (unsigned i = 0; i < 6000; i++) strcat(many, i < 5999 ? "run a " : "run a }");
  static const char next[] = "module m { use \"1.kg\" as a run a run a run a run a run a run a run a run a run a run a }";
  static const char top[] = "module m { use \"2.kg\" as a run a run a run a run a run a run a run a run a run a run a }";
  return *text = height == 1 ? many : height == 2 ? next : top, *size = strlen(*text), true;
}

START_TEST(bounds_of_others) {
  host deep = {.files = files}, high = deep, many = deep;
  ck_assert_int_eq(parse(&deep, "k.kg", "module k { use \"7.kg\" as a run a }", tower), KG_OK);
  ck_assert_int_eq(parse(&high, "k.kg", "module k { use \"20.kg\" as a run a }", tower), KG_INVALID);
  ck_assert_str_eq(high.id, "too-large");
  ck_assert_int_eq(parse(&many, "k.kg", "module k { use \"3.kg\" as a run a }", wide), KG_INVALID);
  ck_assert_str_eq(many.id, "too-large");
}
END_TEST

/* What primitives are asked for by. */
static bool echo(void *user, const char *path, const char **text, size_t *size) {
  host *h = user;
  snprintf(h->asked, sizeof h->asked, "%s", path);
  return *text = "program a " TWICE, *size = strlen(*text), true;
}

static const struct { const char *words, *asked; } asked[] = {
    {"softmax", "primitive softmax()"}, {"softmax()", "primitive softmax()"}, {"softmax ( rows = 3 , )", "primitive softmax(rows=3)"},
    {"a(b = 0x10, c = 1.5e3)", "primitive a(b=0x10,c=1.5e3)"}, {"a(b)", NULL}, {"a(b = c)", NULL}, {"a(b = 1", NULL}, {"\"a\"", NULL},
};

static const struct { const char *words, *asked; } gradients[] = {
    {"\"n.kg\"", "gradient() a/n.kg"}, {"\"../n.kg\" ()", "gradient() n.kg"}, {"\"n.kg\" (of y, wrt x, wrt wrt,)", "gradient(of=y,wrt=x,wrt=wrt) a/n.kg"},
    {"\"n.kg\" (y)", NULL}, {"\"n.kg\" (of)", NULL}, {"\"n.kg\" (of y", NULL}, {"n.kg", NULL}, {"\"n.kg\" (of = y)", NULL},
};

START_TEST(gradients_by_name) {
  host h = {.files = files};
  char text[400];
  snprintf(text, sizeof text, "module k {" RUNS "use gradient %s as a run a }", gradients[_i].words);
  ck_assert_int_eq(parse(&h, "a/k.kg", text, echo), gradients[_i].asked ? KG_OK : KG_INVALID);
  if (gradients[_i].asked) ck_assert_str_eq(h.asked, gradients[_i].asked);
  else ck_assert_str_eq(h.id, "syntax");
}
END_TEST

START_TEST(primitives_by_name) {
  host h = {.files = files};
  char text[400];
  snprintf(text, sizeof text, "module k {" RUNS "use primitive %s as a run a }", asked[_i].words);
  ck_assert_int_eq(parse(&h, "k.kg", text, echo), asked[_i].asked ? KG_OK : KG_INVALID);
  if (asked[_i].asked) ck_assert_str_eq(h.asked, asked[_i].asked);
  else ck_assert_str_eq(h.id, "syntax");
}
END_TEST

START_TEST(names_that_are_long) {
  char *text = calloc(1, 6000);
  host h = {.files = files}, name = {.files = programs};
  strcpy(text, "module k {" RUNS "use primitive ");
  memset(text + strlen(text), 'p', 3000);
  strcat(text, " as a run a }");
  ck_assert_int_eq(parse(&h, "k.kg", text, echo), KG_INVALID);
  ck_assert_str_eq(h.id, "syntax");
  memset(text, 0, 6000);
  strcpy(text, "module k {" RUNS "use \"several.kg\" as ");
  memset(text + strlen(text), 'p', 3000);
  strcat(text, " }");
  kg_status status = parse(&name, "k.kg", text, from_table);
  ck_assert_str_eq(name.id, "");
  ck_assert_int_eq(status, KG_OK);
  free(text);
}
END_TEST

static kg_status parse_again(const kg_allocator *alloc, void *data) {
  host h = {.files = files};
  kg_module *m = NULL;
  kg_loader loader = {.load = from_table, .user = &h};
  const char *text = data;
  kg_status status = kg_module_parse_with(alloc, "a/k.kg", text, strlen(text), &loader, NULL, &m);
  kg_module_free(m);
  return status;
}

START_TEST(allocations) {
  char text[] = "use \"lib/one.kg\" program p { workgroup 1 grid 1 buffer y : f32[1] read_write y[0] = one(gelu(y[0])) }";
  ck_assert_uint_gt(kgt_fail_each_allocation(parse_again, text), 5);
}
END_TEST

static kg_status parse_programs(const kg_allocator *alloc, void *data) {
  host h = {.files = programs};
  kg_module *m = NULL;
  kg_loader loader = {.load = from_table, .user = &h};
  const char *text = data;
  kg_status status = kg_module_parse_with(alloc, "k.kg", text, strlen(text), &loader, NULL, &m);
  kg_module_free(m);
  return status;
}

START_TEST(allocations_of_programs) {
  char text[] = "module k {" RUNS "use \"nested.kg\" as a use \"several.kg\" as b run a run b(y = z, z = x, r = 1.0) }";
  ck_assert_uint_gt(kgt_fail_each_allocation(parse_programs, text), 5);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT_TABLE(paths, rows, use), KGT(shared_file), KGT(no_loader), KGT(bounds), KGT(allocations),
      KGT_TABLE(modules_of_others, called, runs), KGT(names_of_others), KGT(bounds_of_others), KGT_TABLE(primitives_by_name, asked, words), KGT_TABLE(gradients_by_name, gradients, words),
      KGT(names_that_are_long), KGT(allocations_of_programs),
  };
  return kgt_run("foundation/use", tests, KGT_COUNT(tests));
}
