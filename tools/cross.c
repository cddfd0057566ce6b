#include "tools/cross.h"

#include <kgrad/spirv.h>
#include <spirv_cross_c.h>

#include <string.h>

static const char *const names[] = {[TOOL_GLSL] = "GLSL", [TOOL_HLSL] = "HLSL", [TOOL_MSL] = "MSL"};
enum { GLSL_VERSION = 450, SHADER_MODEL = 60 };

/* What one program becomes. `crossed` is SPIRV-Cross's, and lives as long as its context. */
typedef struct program { const char *name; tool_language language; spvc_context context; const char *crossed; } program;

/* ---- where things are bound, in languages that have no push constants ---- */

/* The first binding behind those of the buffers. */
static unsigned free_binding(spvc_compiler c, spvc_resources all) {
  static const spvc_resource_type types[] = {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER};
  unsigned next = 0;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    const spvc_reflected_resource *list = NULL;
    size_t count = 0;
    if (spvc_resources_get_resource_list_for_type(all, types[t], &list, &count) != SPVC_SUCCESS) return next;
    for (size_t i = 0; i < count; i++) {
      unsigned binding = spvc_compiler_get_decoration(c, list[i].id, SpvDecorationBinding);
      if (binding >= next) next = binding + 1;
    }
  }
  return next;
}

/* Buffers keep their numbers; the params come behind them. */
static spvc_result bind_msl(spvc_compiler c) {
  spvc_resources all;
  spvc_result result = spvc_compiler_create_shader_resources(c, &all);
  if (result != SPVC_SUCCESS) return result;
  spvc_msl_resource_binding params;
  spvc_msl_resource_binding_init(&params);
  params.stage = SpvExecutionModelGLCompute;
  params.desc_set = SPVC_MSL_PUSH_CONSTANT_DESC_SET, params.binding = SPVC_MSL_PUSH_CONSTANT_BINDING;
  params.msl_buffer = free_binding(c, all);
  return spvc_compiler_msl_add_resource_binding(c, &params);
}

/* Push constants are register b0; the number of workgroups, which HLSL has no word for, is b0 of space 1. */
static spvc_result bind_hlsl(spvc_compiler c) {
  const spvc_hlsl_root_constants params = {.start = 0, .end = 128, .binding = 0, .space = 0};
  spvc_result result = spvc_compiler_hlsl_set_root_constants_layout(c, &params, 1);
  spvc_variable_id groups = spvc_compiler_hlsl_remap_num_workgroups_builtin(c);
  if (groups) {
    spvc_compiler_set_decoration(c, groups, SpvDecorationDescriptorSet, 1);
    spvc_compiler_set_decoration(c, groups, SpvDecorationBinding, 0);
  }
  return result;
}

static spvc_result set_options(spvc_compiler c, tool_language language) {
  spvc_compiler_options options;
  spvc_result result = spvc_compiler_create_compiler_options(c, &options);
  if (result != SPVC_SUCCESS) return result;
  switch (language) {
  case TOOL_GLSL:
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION, GLSL_VERSION);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, SPVC_TRUE);
    break;
  case TOOL_HLSL: spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_HLSL_SHADER_MODEL, SHADER_MODEL); break;
  case TOOL_MSL:
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_VERSION, SPVC_MAKE_MSL_VERSION(2, 3, 0));
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_MSL_ENABLE_DECORATION_BINDING, SPVC_TRUE);
    break;
  }
  result = spvc_compiler_install_compiler_options(c, options);
  if (result != SPVC_SUCCESS || language == TOOL_GLSL) return result;
  return language == TOOL_MSL ? bind_msl(c) : bind_hlsl(c);
}

/* ---- one program ---- */

static spvc_result cross(program *p, const uint32_t *words, size_t count) {
  static const spvc_backend backends[] = {
    [TOOL_GLSL] = SPVC_BACKEND_GLSL, [TOOL_HLSL] = SPVC_BACKEND_HLSL, [TOOL_MSL] = SPVC_BACKEND_MSL};
  spvc_parsed_ir ir;
  spvc_compiler c;
  spvc_result result = spvc_context_create(&p->context);
  if (result == SPVC_SUCCESS) result = spvc_context_parse_spirv(p->context, words, count, &ir);
  if (result == SPVC_SUCCESS)
    result = spvc_context_create_compiler(p->context, backends[p->language], ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &c);
  if (result == SPVC_SUCCESS) result = set_options(c, p->language);
  return result == SPVC_SUCCESS ? spvc_compiler_compile(c, &p->crossed) : result;
}

static kg_status make(tool_context *ctx, const kg_module *module, bool portable, program *p) {
  uint32_t *words = NULL;
  size_t count = 0;
  kg_spirv_params params = {.names = true, .portable = portable, .program = p->name, .unvalidated = ctx->unvalidated,
                            .math = ctx->math, .status_at = ctx->status_at, .params_at = ctx->params_at};
  kg_status status = kg_spirv_emit(NULL, module, &params, &ctx->sink, &words, &count);
  if (status != KG_OK) return status;
  spvc_result result = cross(p, words, count);
  kg_bytes_free(NULL, words, count * sizeof *words);
  if (result == SPVC_SUCCESS) return KG_OK;
  if (result == SPVC_ERROR_OUT_OF_MEMORY || !p->context) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), KG_NO_MEMORY;
  const char *why = spvc_context_get_last_error_string(p->context);
  TOOL_EMIT(&ctx->sink, cross_refused, NULL, names[p->language], p->name, why ? why : "no message");
  return KG_REFUSED;
}

/* ---- all ---- */

/* GLSL begins with its version, which stands before all else. */
static const char *behind_version(const program *p) {
  const char *line = p->language == TOOL_GLSL ? strchr(p->crossed, '\n') : NULL;
  return line ? line + 1 : p->crossed;
}

kg_status tool_cross(tool_context *ctx, tool_language language, bool portable, const kg_module *module, FILE *out) {
  uint32_t count = kg_module_program_count(module);
  kg_status status = KG_OK;
  if (language == TOOL_GLSL) fprintf(out, "#version %d\n", GLSL_VERSION);
  if (count > 1) fputs("// One of these programs at a time: define the macro that it stands under.\n", out);
  for (uint32_t i = 0; i < count && status == KG_OK; i++) {
    program p = {.name = kg_module_program_name(module, i), .language = language};
    status = make(ctx, module, portable, &p);
    if (status == KG_OK && count > 1) fprintf(out, "\n#ifdef KGRAD_%s\n%s#endif // %s\n", p.name, behind_version(&p), p.name);
    else if (status == KG_OK) fputs(behind_version(&p), out);
    if (p.context) spvc_context_destroy(p.context);
  }
  return status;
}
