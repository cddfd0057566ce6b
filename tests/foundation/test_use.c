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

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(paths, rows, use), KGT(shared_file), KGT(no_loader), KGT(bounds), KGT(allocations)};
  return kgt_run("foundation/use", tests, KGT_COUNT(tests));
}
