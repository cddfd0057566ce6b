/* Says on a terminal how far long work has come; says nothing into a pipe or a file. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tool_progress {
  FILE *out;   /* NULL: say nothing */
  double next; /* seconds of a clock: not before then, so that what is short says nothing */
  bool shown;
} tool_progress;

tool_progress tool_progress_begin(FILE *out); /* quiet unless `out` is a terminal */
void tool_progress_step(tool_progress *progress, const char *what, uint64_t done, uint64_t of);
void tool_progress_end(tool_progress *progress); /* clears the line */
#endif
