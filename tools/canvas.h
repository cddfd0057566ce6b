/* A picture to draw on: lines, boxes, dots, small text. What falls outside is cut. */
#ifndef TOOLS_CANVAS_H
#define TOOLS_CANVAS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tool_colour { float red, green, blue; } tool_colour; /* 0 to 1 */

typedef struct tool_canvas {
  int width, height;
  float *rgb; /* by rows */
} tool_canvas;

/* White all over. False: no memory, or a size that is not between 1 and 20,000. */
bool tool_canvas_make(int width, int height, tool_canvas *out);
void tool_canvas_free(tool_canvas *canvas);
bool tool_canvas_write(FILE *out, const tool_canvas *canvas); /* as PNG */

/* Corners are inside. */
void tool_canvas_box(tool_canvas *canvas, int x0, int y0, int x1, int y1, tool_colour colour);
void tool_canvas_line(tool_canvas *canvas, double x0, double y0, double x1, double y1, tool_colour colour);
void tool_canvas_dot(tool_canvas *canvas, double x, double y, double radius, tool_colour colour);

/* ASCII, from the left upper corner; a letter is 5 by 7 times `scale`, its distance to the next 6 times. */
void tool_canvas_text(tool_canvas *canvas, int x, int y, int scale, tool_colour colour, const char *text);
int tool_canvas_text_width(int scale, const char *text);
#endif
