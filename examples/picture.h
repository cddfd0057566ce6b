/* Grey pictures for the examples: painted, spoilt as a camera would, compared, written as PNG. */
#ifndef PICTURE_H
#define PICTURE_H
#include <stdbool.h>
#include <stdint.h>

/* Rows of width floats, 0 black to 1 white. */
typedef struct picture { uint32_t width, height; float *at; } picture;

bool picture_new(picture *p, uint32_t width, uint32_t height); /* all black; false: no memory */
void picture_free(picture *p);
/* Edges, thin lines, small text and a smooth shade: what blurring spoils, each in its own way. */
void picture_paint(picture *p);
/* `taps` weights (odd) of a Gaussian of that standard deviation in pixels; they sum to 1. */
void gaussian(float *weights, uint32_t taps, double sigma);
/* to = from blurred by the weights along rows and columns, in double precision; past the edge the picture goes on as it ends. */
bool picture_blur(const picture *from, picture *to, const float *weights, uint32_t taps);
/* Adds Gaussian noise; the same seed gives the same noise everywhere. */
void picture_noise(picture *p, double sigma, uint64_t seed);
/* Peak signal-to-noise ratio in decibels. */
double picture_psnr(const picture *a, const picture *b);
/* to = 0.5 + gain * (a - b): grey where they agree. */
void picture_difference(const picture *a, const picture *b, float gain, picture *to);
bool picture_write_png(const picture *p, const char *path);
#endif
