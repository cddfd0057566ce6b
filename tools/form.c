#include "tools/form.h"

#include "tools/cross.h"

#include <kgrad/c.h>
#include <kgrad/spirv.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_piece(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

static kg_status out_of_memory(const tool_context *ctx, kg_status status) {
  if (status == KG_NO_MEMORY) TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL);
  return status;
}

static kg_status write_tree(tool_context *ctx, FILE *out, const kg_module *module) {
  (void)ctx;
  kg_module_write_tree(module, write_piece, out);
  return KG_OK;
}

static kg_status write_text(tool_context *ctx, FILE *out, const kg_module *module) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_module_print(NULL, module, &ctx->sink, &text, &size);
  if (status != KG_OK) return status;
  fwrite(text, 1, size, out);
  kg_bytes_free(NULL, text, size + 1);
  return KG_OK;
}

static kg_status write_binary(tool_context *ctx, FILE *out, const kg_module *module) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  kg_status status = kg_module_encode(NULL, module, &ctx->sink, &bytes, &size);
  if (status != KG_OK) return status;
  fwrite(bytes, 1, size, out);
  kg_bytes_free(NULL, bytes, size);
  return KG_OK;
}

/* `source`: what other languages are made of. */
static bool is_portable(const tool_context *ctx, bool source) { return ctx->target ? !strcmp(ctx->target, "portable") : source; }

static kg_status write_spirv(tool_context *ctx, FILE *out, const kg_module *module) {
  uint32_t *words = NULL;
  size_t count = 0;
  kg_spirv_params params = {.names = true, .portable = is_portable(ctx, false), .unvalidated = ctx->unvalidated, .math = ctx->math,
                            .status_at = ctx->status_at, .params_at = ctx->params_at};
  kg_status status = kg_spirv_emit(NULL, module, &params, &ctx->sink, &words, &count);
  if (status != KG_OK) return status;
  fwrite(words, sizeof *words, count, out); /* readers tell the byte order from the first word */
  kg_bytes_free(NULL, words, count * sizeof *words);
  return KG_OK;
}

static kg_status write_assembly(tool_context *ctx, FILE *out, const kg_module *module) {
  kg_spirv_params params = {.names = true, .portable = is_portable(ctx, false), .unvalidated = ctx->unvalidated, .math = ctx->math,
                            .status_at = ctx->status_at, .params_at = ctx->params_at};
  uint32_t *words = NULL;
  char *text = NULL;
  size_t count = 0, size = 0;
  kg_status status = kg_spirv_emit(NULL, module, &params, &ctx->sink, &words, &count);
  if (status == KG_OK) status = kg_spirv_disassemble(NULL, words, count, &ctx->sink, &text, &size);
  if (words) kg_bytes_free(NULL, words, count * sizeof *words);
  if (status != KG_OK) return status;
  fwrite(text, 1, size, out);
  kg_bytes_free(NULL, text, size + 1);
  return KG_OK;
}

static kg_status write_c(tool_context *ctx, FILE *out, const kg_module *module) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_c_emit(NULL, module, &(kg_c_params){.math = ctx->math}, &ctx->sink, &text, &size);
  if (status != KG_OK) return status;
  fwrite(text, 1, size, out);
  kg_bytes_free(NULL, text, size + 1);
  return KG_OK;
}

#define SOURCE_WRITER(name, language)                                                         \
  static kg_status write_##name(tool_context *ctx, FILE *out, const kg_module *module) {      \
    return tool_cross(ctx, language, is_portable(ctx, true), module, out);                    \
  }
SOURCE_WRITER(glsl, TOOL_GLSL)
SOURCE_WRITER(hlsl, TOOL_HLSL)
SOURCE_WRITER(msl, TOOL_MSL)

typedef struct form {
  const char *name, *suffix; /* the suffix chooses the form where none is named */
  enum { TEXT, BINARY, SPIRV, SOURCE, HOSTED } what;
  kg_status (*write)(tool_context *ctx, FILE *out, const kg_module *module);
} form;

/* --- what goes beside a file: the description of SPIR-V and sources, the header of C --- */

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static bool has_buffer(const kg_module *module, const char *name) {
  for (uint32_t i = 0; i < kg_module_buffer_count(module); i++)
    if (!strcmp(kg_module_buffer(module, i).name, name)) return true;
  return false;
}

/* Those of the module: of two that were made together, the other one has the rest. */
static kg_spirv_gradient *list_gradients(const kg_module *module, const kg_grad_map *map, size_t *count) {
  size_t all = *count;
  kg_spirv_gradient *g = calloc(all + 1, sizeof *g);
  *count = 0;
  for (size_t i = 0; g && i < all; i++) {
    kg_grad_entry e = kg_grad_map_entry(map, i);
    if (!has_buffer(module, e.shadow)) continue;
    g[(*count)++] = (kg_spirv_gradient){.name = e.name, .shadow = e.shadow, .of = e.of, .wrt = e.wrt, .tangent = e.tangent,
                               .kept = e.kept};
  }
  return g;
}

static kg_status describe(tool_context *ctx, FILE *out, const kg_module *module, const kg_grad_map *map, bool portable) {
  size_t count = map ? kg_grad_map_count(map) : 0, size = 0;
  kg_spirv_gradient *gradients = list_gradients(module, map, &count);
  kg_spirv_params params = {.portable = portable, .math = ctx->math, .gradients = gradients, .gradient_count = count,
                            .status_at = ctx->status_at, .params_at = ctx->params_at};
  char *text = NULL;
  if (!gradients) return out_of_memory(ctx, KG_NO_MEMORY);
  kg_status status = kg_spirv_describe(NULL, module, &params, &ctx->sink, &text, &size);
  free(gradients);
  if (status != KG_OK) return status;
  fwrite(text, 1, size, out);
  kg_bytes_free(NULL, text, size + 1);
  return KG_OK;
}

static kg_status write_header(tool_context *ctx, FILE *out, const kg_module *module, const kg_grad_map *map) {
  size_t count = map ? kg_grad_map_count(map) : 0, size = 0;
  kg_spirv_gradient *listed = list_gradients(module, map, &count);
  kg_c_gradient *gradients = calloc(count + 1, sizeof *gradients);
  kg_c_params params = {.math = ctx->math, .gradients = gradients, .gradient_count = count};
  char *text = NULL;
  kg_status status = listed && gradients ? KG_OK : out_of_memory(ctx, KG_NO_MEMORY);
  for (size_t i = 0; status == KG_OK && i < count; i++)
    gradients[i] = (kg_c_gradient){.name = listed[i].name, .shadow = listed[i].shadow, .of = listed[i].of, .wrt = listed[i].wrt,
                                   .tangent = listed[i].tangent, .kept = listed[i].kept};
  if (status == KG_OK) status = kg_c_header(NULL, module, &params, &ctx->sink, &text, &size);
  free(gradients);
  free(listed);
  if (status != KG_OK) return status;
  fwrite(text, 1, size, out);
  kg_bytes_free(NULL, text, size + 1);
  return KG_OK;
}

static tool_exit write_beside(tool_context *ctx, const form *f, const kg_module *module, const kg_grad_map *map,
                              const char *target) {
  const char *suffix = f->what == HOSTED ? ".h" : ".json";
  size_t stem = strlen(target) - (ends_with(target, f->suffix) ? strlen(f->suffix) : 0), size = stem + sizeof ".json";
  char *path = malloc(size);
  if (!path) return tool_exit_of(out_of_memory(ctx, KG_NO_MEMORY));
  snprintf(path, size, "%.*s%s", (int)stem, target, suffix);
  FILE *out = tool_output_open(&ctx->outputs, path, &ctx->sink);
  free(path);
  if (!out) return TOOL_BAD;
  if (f->what == HOSTED) return tool_exit_of(write_header(ctx, out, module, map));
  return tool_exit_of(describe(ctx, out, module, map, is_portable(ctx, f->what == SOURCE)));
}

/* --- the forms --- */

static const form forms[] = {
    {"kg", ".kg", TEXT, write_text},
    {"kgb", ".kgb", BINARY, write_binary},
    {"spv", ".spv", SPIRV, write_spirv},
    {"spvasm", ".spvasm", TEXT, write_assembly},
    {"glsl", ".comp", SOURCE, write_glsl},
    {"glsl", ".glsl", SOURCE, write_glsl},
    {"hlsl", ".hlsl", SOURCE, write_hlsl},
    {"msl", ".metal", SOURCE, write_msl},
    {"c", ".c", HOSTED, write_c},
    {"tree", ".tree", TEXT, write_tree},
};
enum { FORMS = sizeof forms / sizeof *forms };

static const form *find_form(const char *name, const char *target) {
  for (size_t i = 0; i < FORMS; i++)
    if (name ? strcmp(forms[i].name, name) == 0 : ends_with(target, forms[i].suffix)) return &forms[i];
  return &forms[0];
}

static tool_exit write_into_json(tool_context *ctx, const form *f, const kg_module *module) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return out_of_memory(ctx, KG_NO_MEMORY), TOOL_BAD;
  kg_status status = f->write(ctx, out, module);
  if (fclose(out) != 0) status = out_of_memory(ctx, KG_NO_MEMORY);
  if (status == KG_OK) tool_json_member(ctx->result, "text", text);
  free(text);
  return tool_exit_of(status);
}

tool_exit tool_write_module(tool_context *ctx, const kg_module *module, const kg_grad_map *map, const char *name,
                            const char *target) {
  const form *f = find_form(name, target ? target : "-");
  bool standard = !target || strcmp(target, "-") == 0;
  if (f->what >= BINARY && f->what <= SPIRV && standard && (ctx->json || isatty(STDOUT_FILENO))) {
    TOOL_EMIT(&ctx->sink, binary_to_terminal, NULL, f->name);
    return TOOL_BAD;
  }
  if (ctx->json && standard) return write_into_json(ctx, f, module);
  FILE *out = tool_output_open(&ctx->outputs, standard ? "-" : target, &ctx->sink);
  if (!out) return TOOL_BAD;
  tool_exit status = tool_exit_of(f->write(ctx, out, module));
  if (status == TOOL_OK && f->what >= SPIRV && !standard) status = write_beside(ctx, f, module, map, target);
  return status;
}
