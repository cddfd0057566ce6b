/* Convolutions of lines, pictures and volumes: a line is a volume of one row in one layer. */
#include "tests/primitives/oracle.h"

#include <math.h>
#include <string.h>

/* Layers, rows, columns; a channel of `coarse` has an element for each place of the kernel over one of `fine`. */
typedef struct geometry {
  size_t batch, fine_channels, coarse_channels, groups;
  long fine[3], coarse[3], kernel[3], stride[3], padding[3], dilation[3];
} geometry;

static geometry geometry_of(const kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  geometry g = {.batch = kgt_size(c, "batch"), .groups = kgt_size(c, "groups")};
  for (size_t a = 0; a < 3; a++) g.fine[a] = g.coarse[a] = g.kernel[a] = g.stride[a] = g.dilation[a] = 1;
  for (size_t k = 0, a = 3 - axes; k < axes; k++, a++) {
    g.fine[a] = (long)kgt_size(c, sides[k]), g.kernel[a] = (long)kgt_size(c, kernels[k]);
    g.stride[a] = (long)kgt_size(c, "stride"), g.padding[a] = (long)kgt_size(c, "padding");
    g.dilation[a] = (long)kgt_size(c, "dilation");
  }
  return g;
}

static size_t at(size_t plane, const long side[3], long layer, long row, long column) {
  return ((plane * (size_t)side[0] + (size_t)layer) * (size_t)side[1] + (size_t)row) * (size_t)side[2] + (size_t)column;
}

static double *begin(kgt_case *c, size_t batch, size_t channels, double *magnitude) {
  double *y = kgt_want(c, "y");
  size_t planes = batch * channels, places = planes ? kgt_count(c, "y") / planes : 0;
  const float *bias = kgt_size(c, "bias") ? kgt_floats(c, "bias") : NULL;
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    y[e] = bias ? bias[e / places % channels] : 0;
    magnitude[e] = fabs(y[e]);
  }
  return y;
}

typedef struct meeting { size_t fine, coarse, weight; } meeting;

/* The k-th tap of the kernel at a place: whether it lies on the picture, and which elements meet. */
static bool meets(const geometry *g, size_t b, size_t o, size_t c, const long place[3], const long tap[3], meeting *m) {
  long on[3];
  for (int a = 0; a < 3; a++) {
    on[a] = place[a] * g->stride[a] + tap[a] * g->dilation[a] - g->padding[a];
    if (on[a] < 0 || on[a] >= g->fine[a]) return false;
  }
  size_t inside = g->fine_channels / g->groups, from = o / (g->coarse_channels / g->groups) * inside + c;
  m->fine = at(b * g->fine_channels + from, g->fine, on[0], on[1], on[2]);
  m->coarse = at(b * g->coarse_channels + o, g->coarse, place[0], place[1], place[2]);
  m->weight = at(o * inside + c, g->kernel, tap[0], tap[1], tap[2]);
  return true;
}

/* Adds every product: to coarse elements those of x over the fine ones, or the other way round. */
static void add_products(kgt_case *c, const geometry *g, bool transposed, double *y, double *magnitude) {
  const float *x = kgt_floats(c, "x"), *w = kgt_floats(c, "w");
  meeting m;
  long p[3], t[3];
  for (size_t b = 0; b < g->batch; b++)
    for (size_t o = 0; o < g->coarse_channels; o++)
      for (size_t i = 0; i < g->fine_channels / g->groups; i++)
        for (p[0] = 0; p[0] < g->coarse[0]; p[0]++)
          for (p[1] = 0; p[1] < g->coarse[1]; p[1]++)
            for (p[2] = 0; p[2] < g->coarse[2]; p[2]++)
              for (t[0] = 0; t[0] < g->kernel[0]; t[0]++)
                for (t[1] = 0; t[1] < g->kernel[1]; t[1]++)
                  for (t[2] = 0; t[2] < g->kernel[2]; t[2]++) {
                    if (!meets(g, b, o, i, p, t, &m)) continue;
                    size_t to = transposed ? m.fine : m.coarse;
                    double product = (double)w[m.weight] * x[transposed ? m.coarse : m.fine];
                    y[to] += product, magnitude[to] += fabs(product);
                  }
}

static void convolution(kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  geometry g = geometry_of(c, sides, kernels, axes);
  g.fine_channels = kgt_size(c, "in_channels"), g.coarse_channels = kgt_size(c, "out_channels");
  for (int a = 0; a < 3; a++) {
    long room = g.fine[a] + 2 * g.padding[a] - g.dilation[a] * (g.kernel[a] - 1);
    g.coarse[a] = room > 0 ? (room - 1) / g.stride[a] + 1 : 0;
  }
  double *magnitude = kgt_magnitude(c, "y"), *y = begin(c, g.batch, g.coarse_channels, magnitude);
  add_products(c, &g, false, y, magnitude);
}

static const char *const volume[] = {"depth", "height", "width"}, *const kernel[] = {"kernel_d", "kernel_h", "kernel_w"};
static const char *const line[] = {"length"}, *const taps[] = {"kernel"};

static void conv1d(kgt_case *c) { convolution(c, line, taps, 1); }
static void conv2d(kgt_case *c) { convolution(c, volume + 1, kernel + 1, 2); }
static void conv3d(kgt_case *c) { convolution(c, volume, kernel, 3); }

static void transposed(kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  geometry g = geometry_of(c, sides, kernels, axes);
  g.fine_channels = kgt_size(c, "out_channels"), g.coarse_channels = kgt_size(c, "in_channels");
  for (size_t a = 0; a < 3; a++) g.coarse[a] = g.fine[a];
  for (size_t a = 3 - axes; a < 3; a++) {
    long reach = (g.coarse[a] - 1) * g.stride[a] + g.dilation[a] * (g.kernel[a] - 1) + 1 + (long)kgt_size(c, "output_padding");
    g.fine[a] = reach > 2 * g.padding[a] ? reach - 2 * g.padding[a] : 0;
  }
  double *magnitude = kgt_magnitude(c, "y"), *y = begin(c, g.batch, g.fine_channels, magnitude);
  add_products(c, &g, true, y, magnitude);
}

static void conv_transpose1d(kgt_case *c) { transposed(c, line, taps, 1); }
static void conv_transpose2d(kgt_case *c) { transposed(c, volume + 1, kernel + 1, 2); }
static void conv_transpose3d(kgt_case *c) { transposed(c, volume, kernel, 3); }

/* A sum of k products and a bias: |error| <= (k + 2) u times the sum of their absolutes. */
const kgt_oracle kgt_oracles_convolutions[] = {
    {"conv1d", "", "", conv1d, 12},
    {"conv1d", "batch=1,in_channels=1,out_channels=1,length=1,kernel=1,padding=0", "", conv1d, 4},
    {"conv1d", "batch=3,in_channels=4,out_channels=6,length=131,kernel=4,stride=3,padding=2,dilation=2,groups=2,bias=0",
     "", conv1d, 12},
    {"conv1d", "in_channels=3,out_channels=17,length=70", "", conv1d, 12},
    {"conv1d", "in_channels=3,out_channels=6,length=29,kernel=2,stride=7,padding=5,dilation=3,groups=3",
     "", conv1d, 12}, /* a stride past the kernel, padding past both */
    {"conv1d", "length=2,kernel=5,padding=0", "", conv1d, 4}, /* the kernel fits nowhere */
    {"conv1d", "length=0,padding=2", "", conv1d, 4},
    {"conv1d", "batch=0", "", conv1d, 4},
    {"conv2d", "", "", conv2d, 32},
    {"conv2d", "batch=1,in_channels=1,out_channels=1,height=1,width=1,kernel_h=1,kernel_w=1,padding=0,workgroup=1",
     "", conv2d, 4},
    {"conv2d", "batch=3,in_channels=4,out_channels=6,height=13,width=10,kernel_h=2,kernel_w=5,stride=2,padding=2,groups=2",
     "", conv2d, 32},
    {"conv2d", "in_channels=5,out_channels=5,groups=5,height=12,width=17,dilation=3,bias=0,workgroup=16", "", conv2d, 32},
    {"conv2d", "in_channels=3,out_channels=11,height=7,width=21", "", conv2d, 32},
    {"conv2d", "height=9,width=8,kernel_h=3,kernel_w=1,stride=4,padding=3,dilation=2",
     "", conv2d, 32}, /* places all in the padding */
    {"conv2d", "in_channels=4,out_channels=6,height=20,width=23,kernel_h=2,kernel_w=3,stride=5,padding=7,dilation=3,groups=2,workgroup=256",
     "", conv2d, 32},
    {"conv2d", "in_channels=2,out_channels=1,height=1,width=70,kernel_h=5,kernel_w=64,padding=33,workgroup=1", "", conv2d, 300},
    {"conv2d", "batch=1,in_channels=1,out_channels=2,height=3,width=3,padding=0", "x=1|inf|0|-2|nan|3|0|0|1,w=1|0|2", conv2d, 32},
    {"conv2d", "height=0", "", conv2d, 4},
    {"conv2d", "in_channels=0", "", conv2d, 4},
    {"conv2d", "out_channels=0", "", conv2d, 4},
    {"conv2d", "batch=0", "", conv2d, 4},
    {"conv2d", "batch=70000,in_channels=1,out_channels=1,height=1,width=2,kernel_h=1,kernel_w=1,padding=0,workgroup=2",
     "", conv2d, 4},
    {"conv3d", "", "", conv3d, 64},
    {"conv3d", "in_channels=4,out_channels=2,depth=5,height=4,width=7,kernel_d=2,kernel_h=1,stride=2,padding=0,groups=2,bias=0",
     "", conv3d, 64},
    {"conv3d", "in_channels=2,out_channels=9,depth=3,width=19", "", conv3d, 64},
    {"conv3d", "in_channels=3,out_channels=6,kernel_d=1,kernel_h=2,stride=4,padding=5,dilation=2,groups=3", "", conv3d, 64},
    {"conv3d", "batch=1,depth=1,height=1,width=1,dilation=2,padding=2,workgroup=8", "", conv3d, 64},
    {"conv3d", "width=0,padding=0", "", conv3d, 4},
    {"conv_transpose1d", "", "", conv_transpose1d, 12},
    {"conv_transpose1d", "in_channels=4,out_channels=6,length=40,kernel=4,groups=2,stride=3,dilation=2,padding=2,output_padding=2,bias=0",
     "", conv_transpose1d, 12},
    {"conv_transpose1d", "in_channels=3,out_channels=17,length=70,stride=1,output_padding=0", "", conv_transpose1d, 12},
    {"conv_transpose1d", "in_channels=3,out_channels=6,length=9,kernel=2,groups=3,stride=7,dilation=3,padding=5,output_padding=6",
     "", conv_transpose1d, 12},
    {"conv_transpose1d", "length=1,kernel=1,padding=2", "", conv_transpose1d, 4}, /* nothing is left of y */
    {"conv_transpose1d", "length=0,kernel=5,padding=0", "", conv_transpose1d, 4}, /* the bias alone */
    {"conv_transpose2d", "", "", conv_transpose2d, 32},
    {"conv_transpose2d",
     "batch=1,in_channels=1,out_channels=1,height=1,width=1,kernel_h=1,kernel_w=1,stride=1,padding=0,output_padding=0", "",
     conv_transpose2d, 4},
    {"conv_transpose2d", "in_channels=4,out_channels=6,groups=2,stride=3,dilation=2,padding=2,output_padding=2,bias=0",
     "", conv_transpose2d, 32},
    {"conv_transpose2d", "kernel_h=2,kernel_w=5,stride=4,padding=0,output_padding=0,workgroup=16", "", conv_transpose2d, 32},
    {"conv_transpose2d", "in_channels=3,out_channels=9,height=6,width=19,stride=1,output_padding=0", "", conv_transpose2d, 32},
    {"conv_transpose2d", "in_channels=6,out_channels=4,height=7,width=9,kernel_h=2,stride=5,padding=7,dilation=3,groups=2,workgroup=256",
     "", conv_transpose2d, 32},
    {"conv_transpose2d", "height=1,width=2,kernel_h=1,padding=3", "", conv_transpose2d, 32}, /* nothing is left of y */
    {"conv_transpose2d", "batch=0", "", conv_transpose2d, 4},
    {"conv_transpose3d", "", "", conv_transpose3d, 64},
    {"conv_transpose3d", "in_channels=4,out_channels=6,kernel_d=2,kernel_h=1,groups=2,stride=3,dilation=2,padding=2,output_padding=2,bias=0",
     "", conv_transpose3d, 64},
    {"conv_transpose3d", "in_channels=2,out_channels=9,depth=3,width=19,stride=1,output_padding=0", "", conv_transpose3d, 64},
    {"conv_transpose3d", "depth=1,kernel_d=1,padding=3", "", conv_transpose3d, 4}, /* nothing is left of y */
    {"conv_transpose3d", "width=0", "", conv_transpose3d, 4},
};
KGT_ORACLES(convolutions, kgt_oracles_convolutions);
