/* NumPy's .npy files. Source: numpy/lib/format.py, versions 1.0, 2.0 and 3.0. */
#ifndef TOOLS_NPY_H
#define TOOLS_NPY_H
#include <kgrad/foundation.h>

#include <stdio.h>

enum { TOOL_NPY_MAX_DIMS = 32 };

typedef struct tool_array {
  kg_type type;
  uint32_t dims;
  uint64_t shape[TOOL_NPY_MAX_DIMS];
  uint64_t count; /* the product of the shape: 1 for no dimensions */
  void *data;     /* in C order and this machine's byte order */
  size_t size;    /* in bytes */
  bool list;      /* values that were written one after the other: the shape says nothing */
} tool_array;

const char *tool_npy_dtype(kg_type type); /* as Python has it: numpy.float32 */

/* A shape as NumPy prints it: (3, 4). */
typedef struct tool_shape_text { char text[160]; } tool_shape_text;
const char *tool_shape_format(const uint64_t *shape, uint32_t dims, tool_shape_text *out);

/* Reads the file's bytes, hostile ones too: nothing is allocated beyond what they hold. `name` is for diagnostics. False: a
 * diagnostic was sent. Fortran order is refused, the other byte order converted. '<V2' is bf16, as ml_dtypes writes it. */
bool tool_npy_parse(const char *name, const void *bytes, size_t size, const kg_sink *sink, tool_array *out);
bool tool_npy_read(const char *path, const kg_sink *sink, tool_array *out);
void tool_array_free(tool_array *array);

/* Writes version 1. Errors show in ferror(out). */
void tool_npy_write(FILE *out, kg_type type, const uint64_t *shape, uint32_t dims, const void *data);
#endif
