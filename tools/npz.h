/* NumPy's .npz files: a zip archive with a .npy file for each array, stored or deflated. Source: PKWARE's APPNOTE.TXT 6.3.10, and
 * numpy/lib/npyio.py. */
#ifndef TOOLS_NPZ_H
#define TOOLS_NPZ_H
#include "tools/npy.h"

/* Where an array lies in the file: its name is the member's without ".npy". */
typedef struct tool_npz_member {
  char *name;
  const unsigned char *bytes; /* as they lie there */
  uint64_t stored, size;      /* there, and once inflated */
  uint32_t check;             /* CRC-32 of what they become */
  bool deflated;
} tool_npz_member;

typedef struct tool_npz {
  char *path;
  unsigned char *bytes; /* of the file */
  tool_npz_member *member;
  uint32_t count;
} tool_npz;

/* The list of what a file holds; hostile files too: everything that they state is held against the bytes that there are. False: a
 * diagnostic was sent. tool_npz_free either way. */
bool tool_npz_parse(const char *path, const void *bytes, size_t size, const kg_sink *sink, tool_npz *out);
bool tool_npz_read(const char *path, const kg_sink *sink, tool_npz *out);
void tool_npz_free(tool_npz *npz);
/* One array. False: a diagnostic was sent. What a member becomes is at most a gigabyte, or 64 times what it takes in the file. */
bool tool_npz_array(const tool_npz *npz, uint32_t index, const kg_sink *sink, tool_array *out);
/* The member of that name, or UINT32_MAX. */
uint32_t tool_npz_find(const tool_npz *npz, const char *name);
bool tool_names_npz(const char *path); /* it ends with .npz */

/* Writes arrays one after the other, not deflated, then the list of them. Errors show in ferror(out), and in the result: there was
 * no memory. Free with tool_npz_end in any case. */
typedef struct tool_npz_writer {
  FILE *out;
  struct tool_npz_written *first, **last;
  uint64_t at, count;
  bool failed;
} tool_npz_writer;
void tool_npz_begin(tool_npz_writer *w, FILE *out);
void tool_npz_add(tool_npz_writer *w, const char *name, const tool_array *array);
bool tool_npz_end(tool_npz_writer *w);
#endif
