/* The kgrad command: finds the subcommand, parses its options, and says how it went. */
#include "config.h"

#include "tools/command.h"
#include "tools/load.h"

#include <stdlib.h>
#include <string.h>

/* How many letters must be changed, added or dropped; for "did you mean". */
static size_t distance(const char *a, const char *b) {
  enum { longest = 24 };
  size_t row[longest + 1], n = strlen(b);
  if (n > longest || strlen(a) > longest) return longest;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < n; j++) {
      size_t change = diagonal + (a[i] != b[j]), least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
      diagonal = row[j + 1];
      row[j + 1] = change < least ? change : least;
    }
  }
  return row[n];
}

static tool_exit unknown_command(const char *name, const kg_sink *sink) {
  char fix[64] = "kgrad help lists the commands";
  size_t best = 3;
  for (const tool_command *const *c = tool_commands; *c; c++) {
    size_t d = distance(name, (*c)->name);
    if (d >= best) continue;
    best = d;
    snprintf(fix, sizeof fix, "did you mean kgrad %s?", (*c)->name);
  }
  TOOL_EMIT(sink, unknown_command, NULL, name, fix);
  return TOOL_BAD;
}

static tool_exit help(int argc, char **argv, const kg_sink *sink) {
  if (argc < 3) return tool_help_overview(stdout), TOOL_OK;
  if (tool_help_topic(argv[2], stdout)) return TOOL_OK;
  TOOL_EMIT(sink, no_topic, NULL, argv[2]);
  return TOOL_BAD;
}

/* Looked for before the options are parsed, so that a wrong option beside it does not hide the help, and so that what is
 * wrong with the options is said in JSON already. */
static bool has_word(int argc, char *const *argv, const char *word, const char *other) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], word) == 0 || (other && strcmp(argv[i], other) == 0)) return true;
  return false;
}

/* `kgrad COMMAND --help`, where a word beside it may have a help of its own. */
static tool_exit help_command(const tool_command *c, int argc, char *const *argv, const kg_sink *sink) {
  const char *word = NULL;
  for (int i = 1; c->explain && i < argc; i++) {
    if (c->explain(argv[i])) return TOOL_OK;
    bool is_value = i > 1 && argv[i - 1][0] == '-' && strcmp(argv[i - 1], "--help") && strcmp(argv[i - 1], "-h");
    if (!word && argv[i][0] != '-' && !is_value) word = argv[i];
  }
  if (word) return TOOL_EMIT(sink, no_topic, NULL, word), TOOL_BAD;
  return tool_help_command(c, stdout), TOOL_OK;
}

static tool_exit check_file_count(const tool_context *ctx) {
  const tool_command *c = ctx->command;
  if (ctx->file_count < c->min_files)
    TOOL_EMIT(&ctx->sink, missing_file, NULL, c->name, TOOL_NUM((uint64_t)ctx->file_count), TOOL_NUM((uint64_t)c->min_files));
  else if (ctx->file_count > c->max_files)
    TOOL_EMIT(&ctx->sink, extra_argument, NULL, ctx->files[c->max_files], c->name);
  else
    return TOOL_OK;
  return TOOL_BAD;
}

static tool_exit run_parsed(tool_context *ctx, int argc, char **argv, void *values) {
  int first = 0;
  if (!tool_options_parse(ctx->command->options, ctx->command->name, argc, argv, values, &first, &ctx->sink))
    return TOOL_BAD;
  ctx->values = values;
  ctx->files = argv + first;
  ctx->file_count = argc - first;
  if (check_file_count(ctx) != TOOL_OK) return TOOL_BAD;
  tool_exit status = ctx->command->run(ctx);
  bool wanted = status == TOOL_OK || (status == TOOL_NO && ctx->command->writes_on_no);
  if (wanted && !tool_outputs_place(&ctx->outputs, &ctx->sink)) return TOOL_BAD;
  if (!wanted) tool_outputs_discard(&ctx->outputs);
  return status;
}

static tool_exit print_json(tool_context *ctx, tool_exit status, const tool_json *diags) {
  tool_json all = {0};
  tool_json_close(ctx->result, '}');
  tool_json_open(&all, '{');
  tool_json_member(&all, "command", ctx->command->name);
  tool_json_member_u64(&all, "status", (uint64_t)status);
  tool_json_key(&all, "diagnostics");
  tool_json_raw(&all, diags->text);
  tool_json_key(&all, "result");
  tool_json_raw(&all, ctx->result->text);
  tool_json_close(&all, '}');
  bool ok = !all.failed && !diags->failed && !ctx->result->failed;
  if (ok)
    puts(all.text);
  else
    fputs("kgrad: error: out of memory [no-memory]\n", stderr);
  tool_json_free(&all);
  return ok ? status : TOOL_BAD;
}

/* Standard output is an output like the files: where it fails, they stay as they were. main says so. */
static tool_exit settle(tool_context *ctx, tool_exit status) {
  if (fflush(stdout) != 0 || ferror(stdout)) status = TOOL_BAD;
  if (status == TOOL_BAD) tool_outputs_discard(&ctx->outputs);
  else tool_outputs_keep(&ctx->outputs);
  return status;
}

static tool_exit run_command(const tool_command *command, int argc, char **argv) {
  tool_json diags = {0}, result = {0};
  void *values = calloc(1, command->values_size ? command->values_size : 1);
  if (!values) return fputs("kgrad: error: out of memory [no-memory]\n", stderr), TOOL_BAD;
  tool_context ctx = {.command = command,
                      .json = has_word(argc, argv, "--json", NULL),
                      .result = &result,
                      .outputs = {.json = has_word(argc, argv, "--json", NULL)},
                      .printer = {.out = stderr, .colour = tool_wants_colour(stderr)}};
  if (ctx.json) ctx.printer.json = &diags;
  ctx.sink = tool_printer_sink(&ctx.printer);
  tool_json_open(&diags, '[');
  tool_json_open(&result, '{');
  tool_exit status = run_parsed(&ctx, argc, argv, values);
  tool_json_close(&diags, ']');
  if (ctx.json) status = print_json(&ctx, status, &diags);
  status = settle(&ctx, status);
  tool_options_free(command->options, values);
  free(values);
  tool_load_free(&ctx);
  tool_json_free(&diags);
  tool_json_free(&result);
  return status;
}

static tool_exit dispatch(int argc, char **argv) {
  tool_printer printer = {.out = stderr, .colour = tool_wants_colour(stderr)};
  kg_sink sink = tool_printer_sink(&printer);
  if (argc < 2) return tool_help_overview(stderr), TOOL_BAD;
  const char *name = argv[1];
  if (strcmp(name, "--version") == 0) return puts("kgrad " PACKAGE_VERSION), TOOL_OK;
  if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return help(argc, argv, &sink);
  for (const tool_command *const *c = tool_commands; *c; c++) {
    if (strcmp((*c)->name, name) != 0) continue;
    if (has_word(argc - 1, argv + 1, "--help", "-h")) return help_command(*c, argc - 1, argv + 1, &sink);
    return run_command(*c, argc - 1, argv + 1);
  }
  return unknown_command(name, &sink);
}

int main(int argc, char **argv) {
  tool_exit status = dispatch(argc, argv);
  /* a full disk or a closed pipe shows here at the latest */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("kgrad: error: cannot write to standard output [cannot-write]\n", stderr);
    return TOOL_BAD;
  }
  return (int)status;
}
