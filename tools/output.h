/* Files that the command writes. Each is written beside its target under another name and takes the target's name only when
 * all of them are whole, so that a failure, or a signal, leaves nothing behind and no half-written file in place of a good
 * one. What is not a regular file (a pipe, /dev/null) is written directly. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H
#include <kgrad/foundation.h>

#include <stdio.h>

typedef struct tool_outputs {
  struct tool_output *first;
} tool_outputs;

/* A stream to write to; NULL: a diagnostic was sent. "-" is standard output. */
FILE *tool_output_open(tool_outputs *outputs, const char *path, const kg_sink *sink);
/* Gives all of them their names. False: a diagnostic was sent, and those not yet renamed are gone. */
bool tool_outputs_commit(tool_outputs *outputs, const kg_sink *sink);
/* Removes what was not committed. Fine on what was. */
void tool_outputs_discard(tool_outputs *outputs);
#endif
