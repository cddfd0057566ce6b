/* Kernels that `kgrad fuzz --from` changes. */
#ifndef TOOLS_CORPUS_H
#define TOOLS_CORPUS_H
#include "fuzz/ask/mutant.h"
#include "tools/command.h"

typedef struct tool_corpus {
  kgi_corpus kernels;
  uint32_t seen; /* of which some may not run as they are, or not be read */
} tool_corpus;

/* Adds a file, a folder's files (.kg, .kgb, .spv), or, of the word `primitives`, all of them. False: a diagnostic was sent, since a
 * file cannot be read, or nothing is there. */
bool tool_corpus_add(tool_context *ctx, const char *from, tool_corpus *corpus);
#endif
