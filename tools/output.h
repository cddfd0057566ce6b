/* Files that the command writes: all of them appear, or none. Each is written beside its target under another name. When all are
 * whole they take their targets' names, and what was there before is kept until the command has said how it went: a failure, or
 * a signal, up to then leaves everything as it was. What is not a regular file (a pipe, /dev/null) is written directly. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H
#include <kgrad/foundation.h>

#include <stdio.h>

typedef struct tool_outputs {
  struct tool_output *first;
  bool json; /* standard output is taken: "-" is refused */
} tool_outputs;

/* A stream to write to; NULL: a diagnostic was sent. "-" is standard output. A file that is open already is refused. */
FILE *tool_output_open(tool_outputs *outputs, const char *path, const kg_sink *sink);
/* Gives all of them their names. False: a diagnostic was sent, and everything is as it was. */
bool tool_outputs_place(tool_outputs *outputs, const kg_sink *sink);
/* Drops what was there before. Nothing can fail any more. */
void tool_outputs_keep(tool_outputs *outputs);
/* Leaves everything as it was, also what was placed. Fine on what was kept. */
void tool_outputs_discard(tool_outputs *outputs);
#endif
