/* Findings of `kgrad fuzz` as folders: written whole or not at all, and read again. */
#ifndef TOOLS_FINDING_H
#define TOOLS_FINDING_H
#include "fuzz/hunt/hunt.h"

#include <stdio.h>

/* A folder holds
 *   finding.txt      what failed, how, where, with what driver and kgrad; a word and what it says, a line each
 *   small.kg         the program, made small, and small.npz, all that it starts from: buffers, params, shadows of its gradient
 *   whole.kg         as it was found, and whole.npz
 *   expected.npz     of a device: for each output NAME.low and NAME.high, what it may leave, NAME.reference and NAME.device
 *   small.spv        of a Vulkan device: what it ran, small.json beside it
 *   reproduce.sh     shows it again with kgrad
 *   reproduce.c      of a device: shows it again with a C compiler and the Vulkan loader alone */
typedef struct tool_finding {
  kgi_finding about;
  kg_math math;
  kgi_case small, whole;
} tool_finding;

/* A new folder in `folder`, by the finding's number. `finding->place` is its name afterwards, "" where it could not be written. */
void tool_finding_write(const char *folder, kg_math math, kgi_finding *finding, const kgi_case *whole, const kgi_case *small);
/* The same in a folder that is there, whose `small` is made anew. False: it could not be written. */
bool tool_finding_rewrite(const tool_finding *f);
/* False: a diagnostic was sent. tool_finding_free either way. */
bool tool_finding_read(const char *place, const kg_sink *sink, tool_finding *out);
void tool_finding_free(tool_finding *f);

/* The arrays of a case as a .npz file. False: it could not be written. */
bool tool_case_arrays_write(const char *path, const kgi_case *c);
bool tool_case_arrays_put(FILE *out, const kgi_case *c); /* errors of writing show in ferror(out) */

/* A new folder for what processes say and compilers leave, which they are told of; compiled kernels are not kept. False: there is none. */
bool tool_make_folder(char *path, size_t size);
/* Removes a folder and what is in it. */
void tool_remove_folder(const char *path);
#endif
