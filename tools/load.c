#include "tools/load.h"

#include "tools/file.h"

#include <kgrad/autodiff.h>
#include <kgrad/primitives.h>
#include <kgrad/spirv.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* No kernel that a person or a program writes comes near. */
enum { MODULE_LIMIT = 1 << 28 };

static bool load_used(void *user, const char *path, const char **text, size_t *size);

/* What no file holds: primitives, and gradients of files. */
static bool make(tool_context *ctx, const char *path, tool_bytes *bytes) {
  kg_loader files = {.load = load_used, .user = ctx};
  if (!strncmp(path, "primitive ", 10)) return kg_primitive_load(NULL, path, &ctx->sink, &bytes->data, &bytes->size) == KG_OK;
  return !strncmp(path, "gradient(", 9) && kg_grad_load(NULL, path, &files, &ctx->sink, &bytes->data, &bytes->size) == KG_OK;
}

/* The files that a text uses stay, so that their lines can be shown. */
static bool load_used(void *user, const char *path, const char **text, size_t *size) {
  tool_context *ctx = user;
  struct stat info;
  tool_bytes bytes;
  tool_text *used = calloc(1, sizeof *used + strlen(path) + 1);
  /* what is no plain file may never end, and "-" would be standard input */
  bool plain = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
  if (!used || (!make(ctx, path, &bytes) && (!plain || !tool_read_file(path, MODULE_LIMIT, &bytes, NULL)))) return free(used), false;
  *used = (tool_text){.file = strcpy((char *)(used + 1), path), .text = bytes.data, .size = bytes.size, .next = ctx->printer.used};
  ctx->printer.used = used;
  *text = bytes.data, *size = bytes.size;
  return true;
}

void tool_load_free(tool_context *ctx) {
  free(ctx->source);
  for (tool_text *used = ctx->printer.used, *next; used; used = next) {
    next = used->next;
    free(used->text);
    free(used);
  }
  ctx->source = NULL, ctx->printer.used = NULL;
}

static bool is_spirv(const tool_bytes *b) {
  return b->size >= 4 && (memcmp(b->data, "\3\2\43\7", 4) == 0 || memcmp(b->data, "\7\43\2\3", 4) == 0);
}

/* What the options ask of a file that has no use for it is refused, rather than passed over. */
static bool check_import(const tool_context *ctx, const char *path, const tool_import *import, bool spirv) {
  const char *useless = !spirv && import->entry ? "--entry" : !spirv && import->grid ? "--grid" : tool_is_source(path) ? NULL
                        : import->define.count ? "--define" : import->include.count ? "--include" : import->flags.count ? "--flag" : NULL;
  if (useless) TOOL_EMIT(&ctx->sink, option_source, path, useless, spirv ? "SPIR-V" : "a kernel of kgrad's language");
  return !useless;
}

static kg_facts facts_of(const tool_import *import) {
  return (kg_facts){.params = import->params.items, .param_count = import->params.count,
                    .constants = import->constants.items, .constant_count = import->constants.count,
                    .assumptions = import->assumptions.items, .assumption_count = import->assumptions.count};
}

/* One to three numbers, from 1 on; those that are left out are 1. */
static bool read_grid(const char *text, uint32_t out[3]) {
  const char *at = text;
  out[0] = out[1] = out[2] = 1;
  for (unsigned k = 0; k < 3; k++) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(at, &end, 10);
    if (*at < '0' || *at > '9' || errno || !number || number > UINT32_MAX) return false;
    out[k] = (uint32_t)number;
    if (!*end) return true;
    if (*end != ',') return false;
    at = end + 1;
  }
  return false;
}

static tool_exit import_spirv(tool_context *ctx, const char *path, const tool_bytes *bytes, const tool_import *import, kg_module **out) {
  kg_spirv_import_params params = {.entry = import->entry, .facts = facts_of(import)};
  if (import->grid && !read_grid(import->grid, params.grid)) return TOOL_EMIT(&ctx->sink, option_grid, NULL, import->grid), TOOL_BAD;
  return tool_exit_of(kg_spirv_import(NULL, path, bytes->data, bytes->size, &params, &ctx->sink, out));
}

static tool_exit specialise(tool_context *ctx, const tool_import *import, kg_module **module) {
  kg_facts facts = facts_of(import);
  kg_module *general = *module;
  if (!facts.param_count && !facts.constant_count && !facts.assumption_count) return TOOL_OK;
  *module = NULL;
  tool_exit status = tool_exit_of(kg_module_specialise(NULL, general, &facts, &ctx->sink, module));
  kg_module_free(general);
  return status;
}

tool_exit tool_load_module(tool_context *ctx, const char *path, const tool_import *import, kg_module **out) {
  tool_bytes bytes;
  bool source = tool_is_source(path);
  if (!(source ? tool_compile(path, import, MODULE_LIMIT, &ctx->sink, &bytes)
               : tool_read_file(path, MODULE_LIMIT, &bytes, &ctx->sink))) return TOOL_BAD;
  bool spirv = source || is_spirv(&bytes);
  if (!check_import(ctx, path, import, spirv)) return free(bytes.data), TOOL_BAD;
  /* kept: what is said of the module later points into it too */
  tool_load_free(ctx);
  ctx->source = bytes.data;
  ctx->printer.file = path, ctx->printer.text = bytes.data, ctx->printer.size = bytes.size;
  if (bytes.size >= 4 && memcmp(bytes.data, "KGB\x1a", 4) == 0) {
    ctx->printer.text = NULL, ctx->printer.size = 0; /* its lines are not there to be shown */
    tool_exit status = tool_exit_of(kg_module_decode(NULL, path, bytes.data, bytes.size, &ctx->sink, out));
    return status == TOOL_OK ? specialise(ctx, import, out) : status;
  }
  if (spirv) {
    const char *text;
    size_t size;
    ctx->printer.text = NULL, ctx->printer.size = 0, ctx->imported = true;
    if (source) load_used(ctx, path, &text, &size); /* its lines are positions; without them none are shown */
    return import_spirv(ctx, path, &bytes, import, out);
  }
  kg_loader loader = {.load = load_used, .user = ctx};
  tool_exit status = tool_exit_of(kg_module_parse_with(NULL, path, bytes.data, bytes.size, &loader, &ctx->sink, out));
  return status == TOOL_OK ? specialise(ctx, import, out) : status;
}

tool_exit tool_load_special(tool_context *ctx, const char *path, const tool_import *import, const tool_list *params, bool specialise,
                            kg_module **out) {
  tool_import special = *import;
  if (specialise) special.params = *params;
  return tool_load_module(ctx, path, &special, out);
}
