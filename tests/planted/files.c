/* The kernels in which defects are planted, and what each is run with. */
#include "tests/planted/planted.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 256 };

/* Small, and such that no workgroup's size divides them. The rest runs with its defaults. */
static const struct { const char *name, *param[PLANTED_PARAMS]; } sizes[] = {
  {"saxpy", {"n=77"}}, {"mix", {"n=131"}}, {"softmax", {"n_rows=3", "n_cols=70"}}, {"layernorm", {"n_rows=2", "n_cols=33"}},
  {"matmul", {"n=9", "k=11", "m=17"}}, {"matmul_tiled", {"n=9", "k=11", "m=17"}}, {"stencil", {"w=19", "h=7"}},
  {"gather", {"count=23", "width=5", "rows=4"}}, {"inplace", {"n=45"}}, {"adam", {"n=70"}}, {"loads64", {"n=70"}}, {"long_chain", {"n=70"}},
  {"deblur", {"w=9", "h=7", "taps=3"}},
};

/* A first line says what a kernel is refused with, or what options it needs. */
static bool read_first_line(planted_file *f) {
  FILE *in = fopen(f->path, "r");
  bool any = in && fgets(f->line, sizeof f->line, in);
  if (in) fclose(in);
  f->refused = any && !strncmp(f->line, "// refused", 10);
  if (!any || strncmp(f->line, "// with:", 8)) return any;
  for (char *word = strtok(f->line + 8, " \n"), *before = NULL; word; before = word, word = strtok(NULL, " \n"))
    if (before && !strcmp(before, "--wrt") && f->wrt_count < PLANTED_PARAMS) f->wrt[f->wrt_count++] = word;
  return true;
}

static void visit_file(planted_table *t, const char *folder, const char *name, planted_visit *visit) {
  planted_file f = {0};
  snprintf(f.path, sizeof f.path, "%s/%s", folder, name);
  snprintf(f.name, sizeof f.name, "%.*s", (int)(strlen(name) - 3), name);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (!strcmp(sizes[k].name, f.name)) memcpy(f.param, sizes[k].param, sizeof f.param);
  if (read_first_line(&f)) visit(t, &f);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

void planted_each(planted_table *t, const char *name, planted_visit *visit) {
  char folder[400], files[FILES][64];
  size_t count = 0;
  const char *root = getenv("abs_srcdir");
  snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", name);
  DIR *dir = opendir(folder);
  if (!dir) printf("invented: there are no kernels in %s; abs_srcdir names the sources\n", folder), t->invented++;
  for (struct dirent *e; dir && (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    if (count < FILES && length > 3 && length < 64 && !strcmp(e->d_name + length - 3, ".kg"))
      memcpy(files[count++], e->d_name, length + 1);
  }
  if (dir) closedir(dir);
  qsort(files, count, sizeof *files, by_name);
  for (size_t k = 0; k < count; k += t->all ? 1 : 4) visit_file(t, folder, files[k], visit);
}

kg_module *planted_read(const planted_file *f) {
  static char text[1 << 16];
  FILE *in = fopen(f->path, "r");
  size_t size = in ? fread(text, 1, sizeof text, in) : 0;
  kg_module *m = NULL;
  if (in) fclose(in);
  return kg_module_parse(NULL, f->name, text, size, NULL, &m) == KG_OK ? m : NULL;
}

tool_list planted_params(const planted_file *f) {
  tool_list list = {.items = (const char **)(uintptr_t)f->param};
  while (list.count < PLANTED_PARAMS && f->param[list.count]) list.count++;
  return list;
}
