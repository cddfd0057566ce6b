/* kgrad show: a module in another form. */
#include "tools/command.h"
#include "tools/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
  const char *as, *out;
} options;

static const tool_option rows[] = {
    {.name = "as", .kind = TOOL_TEXT, .offset = offsetof(options, as), .choices = "kg|kgb|tree",
     .help = "text (the default), the binary form, or the tables"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE",
     .help = "write there instead of to standard output"},
    {.name = NULL},
};

static void write_piece(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

static kg_status write_bytes(FILE *out, kg_status status, void *bytes, size_t size) {
  if (status != KG_OK) return status;
  fwrite(bytes, 1, size, out);
  kg_bytes_free(NULL, bytes, size);
  return KG_OK;
}

static kg_status write_as(FILE *out, const char *form, const kg_module *module) {
  kg_status status;
  size_t size = 0;
  if (strcmp(form, "tree") == 0) return kg_module_write_tree(module, write_piece, out), KG_OK;
  if (strcmp(form, "kgb") == 0) {
    uint8_t *bytes = NULL;
    status = kg_module_encode(NULL, module, &bytes, &size);
    return write_bytes(out, status, bytes, size);
  }
  char *text = NULL;
  status = kg_module_print(NULL, module, &text, &size);
  return write_bytes(out, status, text, size);
}

/* With --json and no file the text becomes a member of the result. */
static tool_exit show_in_json(tool_context *ctx, const char *form, const kg_module *module) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  kg_status status = write_as(out, form, module);
  if (fclose(out) != 0) status = KG_NO_MEMORY;
  if (status == KG_OK) tool_json_member(ctx->result, "text", text);
  free(text);
  return tool_exit_of(status);
}

static tool_exit show_in_file(tool_context *ctx, const char *target, const char *form, const kg_module *module) {
  FILE *out = tool_output_open(&ctx->outputs, target, &ctx->sink);
  if (!out) return TOOL_BAD;
  kg_status status = write_as(out, form, module);
  if (status != KG_OK) TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL);
  return tool_exit_of(status);
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  const char *form = o->as ? o->as : "kg", *target = o->out ? o->out : "-";
  kg_module *module = NULL;
  tool_exit status = tool_load_module(ctx, ctx->files[0], &module);
  if (status != TOOL_OK) return status;
  bool standard = strcmp(target, "-") == 0, binary = strcmp(form, "kgb") == 0;
  if (binary && standard && (ctx->json || isatty(STDOUT_FILENO))) {
    TOOL_EMIT(&ctx->sink, binary_to_terminal, NULL, form);
    status = TOOL_BAD;
  } else {
    status = ctx->json && standard ? show_in_json(ctx, form, module) : show_in_file(ctx, target, form, module);
  }
  kg_module_free(module);
  return status;
}

const tool_command tool_show = {
    .name = "show",
    .summary = "print a kernel in another form",
    .usage = "FILE [--as FORM] [-o OUTPUT]",
    .detail = "FILE is text (.kg) or the binary form (.kgb). Text that is shown as text comes out\n"
              "in the one layout that kgrad prints.\n",
    .examples = "  kgrad show softmax.kg\n"
                "  kgrad show softmax.kg --as kgb -o softmax.kgb\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
