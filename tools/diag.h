/* What the command says when something is wrong: its own diagnostics, and the printer for these and the library's. */
#ifndef TOOLS_DIAG_H
#define TOOLS_DIAG_H
#include <kgrad/foundation.h>

#include "tools/json.h"

#include <stdio.h>

typedef enum tool_diag_id {
#define TOOL_DIAG(name, id, severity, message, fix) TOOL_DIAG_##name,
#include "tools/diags.def"
  TOOL_DIAG_COUNT
} tool_diag_id;

/* `args` fill {0}, {1}, ... of the row's message and fix; it ends with NULL. Use the macro. `file` may be NULL. */
void tool_emit(const kg_sink *sink, tool_diag_id id, const char *file, const char *const *args);
#define TOOL_EMIT(sink, name, file, ...) \
  tool_emit(sink, TOOL_DIAG_##name, file, (const char *const[]){__VA_ARGS__, NULL})

/* Numbers as arguments: TOOL_NUM(x) lives as long as the enclosing block. */
typedef struct tool_num {
  char text[24];
} tool_num;
const char *tool_num_format(tool_num *num, uint64_t value);
#define TOOL_NUM(value) tool_num_format(&(tool_num){{0}}, (uint64_t)(value))

/* The text of a file that another one uses. */
typedef struct tool_text {
  char *file, *text;
  size_t size;
  struct tool_text *next;
} tool_text;

/* The printer: file:line:col: error: message [id], the line with a caret, and the fix. With `json` set it collects instead. */
typedef struct tool_printer {
  FILE *out;
  bool colour;
  tool_json *json; /* NULL: print */
  /* The text that positions point into; several files one after another set it anew. */
  const char *file, *text;
  size_t size;
  tool_text *used; /* and those that it uses */
  bool strict; /* warnings are errors */
  uint32_t errors, warnings;
  uint64_t noted[16]; /* notes are said once: a digest of each */
  uint32_t notes;
} tool_printer;

kg_sink tool_printer_sink(tool_printer *printer);
/* Whether `out` is a terminal that wants colour: no for NO_COLOR and dumb ones. */
bool tool_wants_colour(FILE *out);
#endif
