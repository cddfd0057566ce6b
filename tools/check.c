/* kgrad check: whether files hold valid kernels. */
#include "tools/command.h"
#include "tools/load.h"

#include <stdlib.h>

static const tool_option rows[] = {{.name = NULL}};

static void report(tool_context *ctx, const char *path, tool_exit status) {
  if (ctx->json) {
    tool_json_open(ctx->result, '{');
    tool_json_member(ctx->result, "file", path);
    tool_json_member_bool(ctx->result, "valid", status == TOOL_OK);
    tool_json_close(ctx->result, '}');
  } else if (status == TOOL_OK) {
    printf("%s: valid\n", path);
  }
}

static tool_exit run(tool_context *ctx) {
  tool_exit worst = TOOL_OK;
  tool_json_key(ctx->result, "files");
  tool_json_open(ctx->result, '[');
  for (int i = 0; i < ctx->file_count; i++) {
    kg_module *module = NULL;
    tool_exit status = tool_load_module(ctx, ctx->files[i], &module);
    report(ctx, ctx->files[i], status);
    kg_module_free(module);
    if (status > worst) worst = status;
  }
  tool_json_close(ctx->result, ']');
  return worst;
}

const tool_command tool_check = {
    .name = "check",
    .summary = "say whether files hold valid kernels: types, structure, names",
    .usage = "FILE...",
    .detail = "Takes text (.kg) and the binary form (.kgb), told apart by their first bytes; `-`\n"
              "is standard input. Exit status 2 if any is invalid.\n",
    .examples = "  kgrad check softmax.kg\n"
                "  kgrad check --json *.kg\n",
    .options = rows,
    .min_files = 1,
    .max_files = 1 << 20,
    .run = run,
};
