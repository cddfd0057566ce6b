#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

bool picture_new(picture *p, uint32_t width, uint32_t height) {
  *p = (picture){width, height, calloc((size_t)width * height, sizeof(float))};
  return p->at != NULL;
}

void picture_free(picture *p) {
  free(p->at);
  p->at = NULL;
}

/* Five rows of five bits a letter, the leftmost pixel in the highest bit. */
static const struct { char letter; unsigned char row[5]; } font[] = {
  {'k', {0x11, 0x12, 0x1C, 0x12, 0x11}}, {'g', {0x0E, 0x10, 0x17, 0x11, 0x0E}}, {'r', {0x1E, 0x11, 0x1E, 0x12, 0x11}},
  {'a', {0x0E, 0x11, 0x1F, 0x11, 0x11}}, {'d', {0x1E, 0x11, 0x11, 0x11, 0x1E}},
};

static bool letter_covers(char letter, double x, double y) {
  if (x < 0 || y < 0 || x >= 5 || y >= 5) return false;
  for (size_t i = 0; i < sizeof font / sizeof *font; i++)
    if (font[i].letter == letter) return font[i].row[(int)y] >> (4 - (int)x) & 1;
  return false;
}

/* `unit` is the side of a letter's pixel. */
static bool text_covers(const char *text, double x, double y, double unit) {
  if (x < 0 || y < 0) return false;
  size_t index = (size_t)(x / (6 * unit));
  return index < strlen(text) && letter_covers(text[index], (x - 6 * unit * (double)index) / unit, y / unit);
}

/* The brightness at (x, y), both from 0 to 1. */
static double scene(double x, double y) {
  double shade = 0.25 + 0.25 * y + 0.1 * sin(9 * x), r = hypot(x - 0.28, y - 0.3), s = hypot(x - 0.72, y - 0.3);
  if (r < 0.2) shade = 0.9 - 0.5 * (r > 0.1 && r < 0.14);                /* a ring */
  if (s < 0.2) shade = atan2(y - 0.3, x - 0.72) * 5.0927 - floor(atan2(y - 0.3, x - 0.72) * 5.0927) < 0.5 ? 0.95 : 0.1; /* spokes: 32 / 2 pi */
  if (y > 0.58 && y < 0.66 && x > 0.1 && x < 0.9) shade = fmod(x * (20 + 30 * x), 1.0) < 0.5 ? 0.9 : 0.15; /* ever finer bars */
  if (text_covers("kgrad", x - 0.1, y - 0.74, 0.0275)) shade = 1.0;
  if (fabs(x - y * 0.3 - 0.02) < 0.004) shade = 0.0;                       /* a scratch */
  return shade;
}

void picture_paint(picture *p) {
  for (uint32_t y = 0; y < p->height; y++)
    for (uint32_t x = 0; x < p->width; x++)
      p->at[(size_t)y * p->width + x] = (float)scene((x + 0.5) / p->width, (y + 0.5) / p->height);
}

void gaussian(float *weights, uint32_t taps, double sigma) {
  double sum = 0, middle = (taps - 1) / 2.0;
  for (uint32_t k = 0; k < taps; k++) sum += exp(-(k - middle) * (k - middle) / (2 * sigma * sigma));
  for (uint32_t k = 0; k < taps; k++) weights[k] = (float)(exp(-(k - middle) * (k - middle) / (2 * sigma * sigma)) / sum);
}

static uint32_t clamped(int64_t at, uint32_t size) { return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at; }

/* One pixel of a pass along rows (dx = 1) or columns (dy = 1). */
static double blurred_at(const picture *p, const float *weights, uint32_t taps, uint32_t x, uint32_t y, int dx, int dy) {
  double sum = 0;
  for (uint32_t k = 0; k < taps; k++) {
    int64_t shift = (int64_t)k - taps / 2;
    sum += (double)weights[k] * p->at[(size_t)clamped(y + dy * shift, p->height) * p->width + clamped(x + dx * shift, p->width)];
  }
  return sum;
}

bool picture_blur(const picture *from, picture *to, const float *weights, uint32_t taps) {
  picture rows;
  if (!picture_new(&rows, from->width, from->height)) return false;
  for (uint32_t y = 0; y < from->height; y++)
    for (uint32_t x = 0; x < from->width; x++)
      rows.at[(size_t)y * from->width + x] = (float)blurred_at(from, weights, taps, x, y, 1, 0);
  for (uint32_t y = 0; y < from->height; y++)
    for (uint32_t x = 0; x < from->width; x++)
      to->at[(size_t)y * to->width + x] = (float)blurred_at(&rows, weights, taps, x, y, 0, 1);
  picture_free(&rows);
  return true;
}

/* splitmix64 (Steele, Lea and Flood, 2014), as a uniform number in (0, 1]. */
static double uniform(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return ((double)((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
}

void picture_noise(picture *p, double sigma, uint64_t seed) {
  for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
    double radius = sqrt(-2 * log(uniform(&seed))); /* Box and Muller, 1958 */
    p->at[i] += (float)(sigma * radius * cos(6.283185307179586 * uniform(&seed)));
  }
}

double picture_psnr(const picture *a, const picture *b) {
  double sum = 0;
  size_t n = (size_t)a->width * a->height;
  for (size_t i = 0; i < n; i++) sum += ((double)a->at[i] - b->at[i]) * ((double)a->at[i] - b->at[i]);
  return 10 * log10((double)n / sum);
}

void picture_difference(const picture *a, const picture *b, float gain, picture *to) {
  for (size_t i = 0; i < (size_t)a->width * a->height; i++) to->at[i] = 0.5f + gain * (a->at[i] - b->at[i]);
}

bool picture_write_png(const picture *p, const char *path) {
  size_t n = (size_t)p->width * p->height;
  png_image image = {.version = PNG_IMAGE_VERSION, .width = p->width, .height = p->height, .format = PNG_FORMAT_GRAY};
  png_byte *bytes = malloc(n);
  if (!bytes) return false;
  for (size_t i = 0; i < n; i++) bytes[i] = (png_byte)lrintf(255 * fminf(fmaxf(p->at[i], 0), 1));
  bool fine = png_image_write_to_file(&image, path, 0, bytes, 0, NULL) != 0;
  free(bytes);
  return fine;
}
