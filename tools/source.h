/* What `--in NAME=SOURCE` puts into a buffer. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H
#include "tools/npy.h"

typedef enum tool_source {
  TOOL_SOURCE_DEFAULT, /* nothing was given */
  TOOL_SOURCE_RANDOM,
  TOOL_SOURCE_ZEROS,
  TOOL_SOURCE_ONES,
  TOOL_SOURCE_ARRAY,
} tool_source;

/* Reads what `text` stands for, which is the first of these that fits:
 *   the array of the buffer's name in a .npz file, where the text ends with ".npz";
 *   a .npy file, where the text holds a slash, ends with ".npy" or is "-" (standard input);
 *   one of the words random, zeros and ones;
 *   values with commas between them;
 *   a .npy file again.
 * With TOOL_SOURCE_ARRAY, *array holds elements of the buffer's type. An array of f64 for a buffer of f32 is rounded, with a note,
 * if each element keeps f32's precision: it neither overflows nor loses bits among the subnormals. False: a diagnostic was sent,
 * and *array may need tool_array_free. */
bool tool_source_read(const char *text, kg_buffer_info info, const kg_sink *sink, tool_source *source, tool_array *array);
/* The last of it, for an array that was read from the file: the type is the buffer's, or can be made so. */
bool tool_source_fit(const char *path, kg_buffer_info info, const kg_sink *sink, tool_array *array);
#endif
