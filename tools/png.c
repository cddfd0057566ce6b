#include "tools/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

static unsigned char level(const tool_picture *p, float value) {
  float t = (value - p->low) / (p->high - p->low);
  if (!(t > 0)) return 0; /* NaN too */
  return t >= 1 ? 255 : (unsigned char)(t * 255 + 0.5f);
}

/* libpng reports through longjmp; everything that must be freed is the caller's and set before. */
static bool write_rows(FILE *out, const tool_picture *p, png_structp png, png_infop info, unsigned char *row) {
  size_t width = (size_t)p->width * p->channels;
  if (setjmp(png_jmpbuf(png))) return false;
  png_init_io(png, out);
  png_set_IHDR(png, info, p->width, p->height, 8, p->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (uint32_t y = 0; y < p->height; y++) {
    for (size_t x = 0; x < width; x++) row[x] = level(p, p->values[y * width + x]);
    png_write_row(png, row);
  }
  png_write_end(png, NULL);
  return !ferror(out);
}

static void on_error(png_structp png, png_const_charp message) {
  (void)message;
  longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

bool tool_png_write(FILE *out, const tool_picture *p) {
  if (!p->width || !p->height || p->width > 1 << 20 || p->height > 1 << 20) return false;
  if (p->channels != 1 && p->channels != 3) return false;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  unsigned char *row = malloc((size_t)p->width * p->channels);
  bool ok = info && row && write_rows(out, p, png, info, row);
  free(row);
  if (png) png_destroy_write_struct(&png, info ? &info : NULL);
  return ok;
}
