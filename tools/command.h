/* tools: the command `kgrad`, over the public API alone. */
/* What a subcommand is. One file each; it defines one tool_command and has a row in commands.c. tools/check.c is a short
 * one to follow.
 *
 * main parses the options by the command's table into a zeroed block of `values_size` bytes, calls `run`, places the output
 * files if it returned TOOL_OK, and with --json prints one object: the command, the status, the diagnostics, and what the command
 * wrote into `result`. Then it keeps the files, unless standard output failed. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H
#include "tools/diag.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/output.h"

#include <kgrad/spirv.h>

typedef enum tool_exit {
  TOOL_OK = 0,
  TOOL_NO = 1,  /* the answer is no: a check failed, a gradient is refused, a program failed while it ran */
  TOOL_BAD = 2, /* bad usage, bad input, or a machine that cannot */
} tool_exit;

typedef struct tool_context {
  const struct tool_command *command;
  const void *values; /* the command's struct of options */
  char **files;       /* the arguments that are no options */
  int file_count;
  bool json;
  bool unvalidated;  /* SPIR-V is written without SPIRV-Tools' validation */
  bool imported;     /* the module was SPIR-V, or a source that became it */
  kg_spirv_place status_at, params_at; /* as in kg_spirv_params */
  kg_math math;      /* of --math */
  const char *target; /* of --target; NULL: the form's own */
  kg_sink sink;      /* for the library's diagnostics and TOOL_EMIT */
  tool_json *result; /* with `json`: inside an object, so write members */
  tool_printer printer;
  char *source; /* the text that the printer shows lines of */
  tool_outputs outputs;
} tool_context;

typedef struct tool_command {
  const char *name;
  const char *summary;  /* one line */
  const char *usage;    /* what follows the name: "FILE [--as FORM]" */
  const char *detail;   /* a paragraph or two for --help; may be NULL */
  const char *examples; /* lines "kgrad ...", each ended by a newline */
  const tool_option *options;
  size_t values_size;
  int min_files, max_files;
  bool writes_on_no; /* its files are an answer, also when that is no */
  bool (*explain)(const char *word); /* prints what --help beside `word` is answered with; false: not its word. May be NULL */
  tool_exit (*run)(tool_context *ctx);
} tool_command;

/* Every command: `kgrad help` lists them in this order. Ends with NULL. */
extern const tool_command *const tool_commands[];

tool_exit tool_exit_of(kg_status status); /* device.c */

/* `kgrad help`, `kgrad help TOPIC`, `kgrad COMMAND --help`. */
void tool_help_overview(FILE *out);
void tool_help_command(const tool_command *command, FILE *out);
bool tool_help_topic(const char *topic, FILE *out);
#endif
