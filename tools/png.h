/* Pictures from arrays of floats. */
#ifndef TOOLS_PNG_H
#define TOOLS_PNG_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tool_picture {
  uint32_t width, height;
  uint32_t channels;   /* 1: grey, 3: RGB, the three side by side */
  const float *values; /* by rows, height * width * channels */
  float low, high;     /* become black and white; what lies beyond is cut, NaN is black */
} tool_picture;

/* Eight bits a channel. False: the picture is empty or too large, memory ran out, or `out` failed. */
bool tool_png_write(FILE *out, const tool_picture *picture);
#endif
