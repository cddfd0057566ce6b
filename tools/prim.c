/* kgrad prim: the kernels that come with the library. */
#include "tools/command.h"
#include "tools/form.h"

#include <kgrad/primitives.h>

#include <stdlib.h>
#include <string.h>

typedef struct options {
  bool list, unvalidated;
  tool_list params;
  const char *out, *target;
} options;

static const tool_option rows[] = {
    {.name = "list", .kind = TOOL_FLAG, .offset = offsetof(options, list), .help = "print the name of every primitive and what it computes"},
    {.name = "param", .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a parameter of the primitive"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE",
     .help = "write there instead of to standard output, in the form that the name ends with"},
    TOOL_TARGET(offsetof(options, target)),
    TOOL_NO_VALIDATE(offsetof(options, unvalidated)),
    {.name = NULL},
};

/* ---- the list, and the help of one ---- */

/* Breaks the lines of a paragraph between words. */
static void print_wrapped(const char *text) {
  enum { WIDTH = 96 };
  size_t column = 0;
  while (*text) {
    size_t word = strcspn(text, " ");
    if (column && column + 1 + word > WIDTH) putchar('\n'), column = 0;
    column += (size_t)printf(column ? " " : "  ");
    column += (size_t)printf("%.*s", (int)word, text);
    text += word + (text[word] == ' ');
  }
  putchar('\n');
}

/* The names by which a module's run passes what it declares: params have names of their own there, sizes of which may be its literals. */
static void print_declared(const char *name) {
  kg_module *m;
  if (kg_primitive_build(NULL, name, NULL, 0, NULL, &m) != KG_OK) return;
  printf("  In a module, a run of it passes");
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).mode != KG_TEMP) printf("%s %s", i ? "," : " buffers", kg_module_buffer(m, i).name);
  for (uint32_t i = 0; i < kg_module_param_count(m); i++) printf("%s %s", i ? "," : "; params", kg_module_param(m, i).name);
  putchar('\n');
  kg_module_free(m);
}

static bool explain(const char *name) {
  const kg_primitive_info *info = kg_primitive_find(name);
  if (!info) return false;
  printf("%s: %s\n", info->name, info->summary);
  print_wrapped(info->computes);
  print_wrapped(info->source);
  for (uint32_t i = 0; i < info->param_count; i++) {
    const kg_primitive_param *p = &info->params[i];
    char value[32], range[64];
    snprintf(value, sizeof value, "%s=%.6g", p->name, p->fallback);
    snprintf(range, sizeof range, "%.10g to %.10g", p->least, p->most);
    printf("    %-16s %-15s %s\n", value, range, p->help);
  }
  print_declared(info->name);
  return true;
}

static void param_to_json(tool_json *json, const kg_primitive_param *p) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", p->name);
  tool_json_member(json, "help", p->help);
  tool_json_member_bool(json, "whole", p->whole);
  tool_json_member_bool(json, "power_of_two", p->power_of_two);
  tool_json_member_bool(json, "fixed", p->fixed);
  tool_json_member_number(json, "default", p->fallback);
  tool_json_member_number(json, "least", p->least);
  tool_json_member_number(json, "most", p->most);
  tool_json_close(json, '}');
}

static void row_to_json(tool_json *json, const kg_primitive_info *info) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", info->name);
  tool_json_member(json, "family", info->family);
  tool_json_member(json, "summary", info->summary);
  tool_json_member(json, "computes", info->computes);
  tool_json_member(json, "source", info->source);
  tool_json_key(json, "params");
  tool_json_open(json, '[');
  for (uint32_t i = 0; i < info->param_count; i++) param_to_json(json, &info->params[i]);
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

/* A line, under its family's. */
static void print_line(uint32_t index) {
  const kg_primitive_info *info = kg_primitive_at(index), *before = index ? kg_primitive_at(index - 1) : NULL;
  if (!before || strcmp(before->family, info->family) != 0) printf("%s%s:\n", before ? "\n" : "", info->family);
  printf("  %-24s %s\n", info->name, info->summary);
}

static tool_exit list(tool_context *ctx) {
  if (ctx->file_count) return TOOL_EMIT(&ctx->sink, extra_argument, NULL, ctx->files[0], ctx->command->name), TOOL_BAD;
  tool_json_key(ctx->result, "primitives");
  tool_json_open(ctx->result, '[');
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    if (ctx->json) row_to_json(ctx->result, kg_primitive_at(i));
    else print_line(i);
  }
  tool_json_close(ctx->result, ']');
  return TOOL_OK;
}

/* ---- one of them ---- */

/* "n=64" in two halves; the name is copied into `names`, for the library takes strings that end. */
static bool read_arg(tool_context *ctx, const char *item, char *name, kg_primitive_arg *arg) {
  const char *value;
  size_t length = tool_split_pair(item, "--param", &value, &ctx->sink);
  if (!length) return false;
  memcpy(name, item, length);
  name[length] = 0;
  char *end;
  *arg = (kg_primitive_arg){name, strtod(value, &end)};
  if (*value && !*end) return true;
  TOOL_EMIT(&ctx->sink, param_value, NULL, name, "number", value);
  return false;
}

static bool read_args(tool_context *ctx, const tool_list *params, char *names, kg_primitive_arg *args) {
  for (size_t i = 0; i < params->count; i++) {
    if (!read_arg(ctx, params->items[i], names, &args[i])) return false;
    names += strlen(names) + 1;
  }
  return true;
}

static tool_exit show(tool_context *ctx, const options *o, const kg_primitive_arg *args) {
  kg_module *module = NULL;
  kg_status status = kg_primitive_build(NULL, ctx->files[0], args, o->params.count, &ctx->sink, &module);
  if (status != KG_OK) return tool_exit_of(status);
  ctx->unvalidated = o->unvalidated, ctx->target = o->target;
  tool_exit result = tool_write_module(ctx, module, NULL, NULL, o->out);
  kg_module_free(module);
  return result;
}

static tool_exit build(tool_context *ctx, const options *o) {
  size_t bytes = 1;
  for (size_t i = 0; i < o->params.count; i++) bytes += strlen(o->params.items[i]) + 1;
  char *names = malloc(bytes);
  kg_primitive_arg *args = calloc(o->params.count + 1, sizeof *args);
  tool_exit result = TOOL_BAD;
  if (!names || !args) TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL);
  else if (read_args(ctx, &o->params, names, args)) result = show(ctx, o, args);
  free(names);
  free(args);
  return result;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  if (o->list) return list(ctx);
  if (ctx->file_count) return build(ctx, o);
  TOOL_EMIT(&ctx->sink, missing_primitive, NULL, NULL);
  return TOOL_BAD;
}

const tool_command tool_prim = {
    .name = "prim",
    .summary = "print a kernel that comes with kgrad",
    .usage = "--list | NAME [--param NAME=VALUE ...] [-o FILE]",
    .detail = "Sizes become params of the program with the given values as defaults, so that one\n"
              "program serves all sizes; the workgroup, tiles and transposes are fixed in it.\n"
              "The form of FILE follows its name, as in kgrad show. The result is a kernel like\n"
              "any other. --help NAME says what a primitive computes, what its parameters are,\n"
              "and where it comes from.\n",
    .examples = "  kgrad prim --list\n"
                "  kgrad prim --help softmax\n"
                "  kgrad prim softmax --param cols=1000 --param workgroup=128\n"
                "  kgrad prim kfac_inverse --param n=64 --param blocks=8 -o inverse.kg\n",
    .options = rows,
    .values_size = sizeof(options),
    .max_files = 1,
    .explain = explain,
    .run = run,
};
