#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

static void say(void *user, const kg_diag *d) {
  (void)user;
  fprintf(stderr, "%s:%u:%u: %s\n", d->file, d->line, d->column, d->message);
}

enum { LIMIT = 1 << 20 };

kg_module *bench_load(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", bench_source_dir, name);
  FILE *file = fopen(path, "rb");
  char *text = malloc(LIMIT);
  kg_module *module = NULL;
  if (!file || !text) perror(path);
  else kg_module_parse(NULL, name, text, fread(text, 1, LIMIT, file), &(kg_sink){say, NULL}, &module);
  if (file) fclose(file);
  free(text);
  return module;
}
