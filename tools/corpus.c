#define _GNU_SOURCE
#include "tools/corpus.h"

#include "tools/load.h"

#include <kgrad/primitives.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void take(tool_corpus *corpus, kg_module *m) {
  corpus->seen++;
  if (m) kgi_corpus_take(&corpus->kernels, m);
  kg_module_free(m);
}

static void take_primitives(tool_corpus *corpus) {
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    kg_module *m = NULL;
    kg_primitive_build(NULL, kg_primitive_at(i)->name, NULL, 0, NULL, &m);
    take(corpus, m);
  }
}

static bool take_file(tool_context *ctx, const char *path, tool_corpus *corpus) {
  kg_module *m = NULL;
  tool_import plain = {0};
  bool fine = tool_load_module(ctx, path, &plain, &m) == TOOL_OK;
  take(corpus, fine ? m : NULL);
  tool_load_free(ctx);
  return fine;
}

static bool is_kernel(const char *name) {
  const char *end = strrchr(name, '.');
  return end && (!strcmp(end, ".kg") || !strcmp(end, ".kgb") || !strcmp(end, ".spv"));
}

static int is_wanted(const struct dirent *e) { return e->d_name[0] != '.'; }

/* In the order of their names, so that a seed means the same again. Nothing is said of files that are no kernels. */
static void take_folder(tool_context *ctx, const char *path, tool_corpus *corpus) {
  struct dirent **entry;
  int count = scandir(path, &entry, is_wanted, alphasort);
  for (int i = 0; i < count; i++) {
    struct stat info;
    char *whole = NULL;
    if (asprintf(&whole, "%s/%s", path, entry[i]->d_name) >= 0 && !lstat(whole, &info)) {
      if (S_ISDIR(info.st_mode)) take_folder(ctx, whole, corpus);
      else if (S_ISREG(info.st_mode) && is_kernel(entry[i]->d_name)) take_file(ctx, whole, corpus);
    }
    free(whole), free(entry[i]);
  }
  if (count >= 0) free(entry);
}

bool tool_corpus_add(tool_context *ctx, const char *from, tool_corpus *corpus) {
  struct stat info;
  uint32_t before = corpus->kernels.count;
  tool_context quiet = *ctx;
  quiet.sink = (kg_sink){0}, quiet.source = NULL, quiet.printer.used = NULL;
  if (!strcmp(from, "primitives")) take_primitives(corpus);
  else if (!stat(from, &info) && S_ISDIR(info.st_mode)) take_folder(&quiet, from, corpus);
  else if (!take_file(ctx, from, corpus)) return false;
  if (corpus->kernels.count > before) return true;
  TOOL_EMIT(&ctx->sink, no_corpus, from, NULL);
  return false;
}
