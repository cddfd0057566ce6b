/* Layers that carry a state through time. */
#include "tests/primitives/oracle.h"

#include <math.h>
#include <stdlib.h>

/* As it is written: a sum over the past at each step. */
static void linear_attention(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  const float *q = kgt_floats(c, "q"), *k = kgt_floats(c, "k"), *v = kgt_floats(c, "v");
  size_t length = kgt_size(c, "length"), key = kgt_size(c, "key"), value = kgt_size(c, "value");
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    size_t row = e / value, head = row / length;
    y[e] = 0;
    for (size_t s = head * length; s <= row; s++)
      for (size_t i = 0; i < key; i++) {
        double term = (double)q[row * key + i] * (double)k[s * key + i] * (double)v[s * value + e % value];
        y[e] += term, magnitude[e] += fabs(term);
      }
  }
}

/* h, and beside it the same of absolute terms. */
static void scan_channel(kgt_case *c, size_t sequence, size_t channel, double *h, double *size) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  const float *x = kgt_floats(c, "x"), *delta = kgt_floats(c, "delta"), *a = kgt_floats(c, "a");
  const float *in = kgt_floats(c, "b"), *out = kgt_floats(c, "c");
  size_t length = kgt_size(c, "length"), channels = kgt_size(c, "channels"), state = kgt_size(c, "state");
  for (size_t t = 0; t < length; t++) {
    size_t row = sequence * length + t, e = row * channels + channel;
    double span = kgt_size(c, "softplus") ? log1p(exp((double)delta[e])) : (double)delta[e];
    y[e] = (double)kgt_floats(c, "d")[channel] * (double)x[e], magnitude[e] = fabs(y[e]);
    for (size_t n = 0; n < state; n++) {
      double decay = exp(span * (double)a[channel * state + n]), added = span * (double)in[row * state + n] * (double)x[e];
      h[n] = decay * h[n] + added, size[n] = decay * size[n] + fabs(added);
      y[e] += (double)out[row * state + n] * h[n], magnitude[e] += fabs((double)out[row * state + n]) * size[n];
    }
  }
}

static void selective_scan(kgt_case *c) {
  size_t state = kgt_size(c, "state"), channels = kgt_size(c, "channels");
  kgt_want(c, "y");
  for (size_t e = 0; e < kgt_size(c, "batch") * channels; e++) {
    double *h = calloc(2 * state, sizeof *h);
    scan_channel(c, e / channels, e % channels, h, h + state);
    free(h);
  }
}

/* S = alpha S (I - beta k k^T) + beta v k^T, as a whole matrix of value by key. */
static void delta_step(kgt_case *c, size_t row, double *s, double *next) {
  size_t key = kgt_size(c, "key"), value = kgt_size(c, "value");
  const float *k = kgt_floats(c, "k") + row * key, *v = kgt_floats(c, "v") + row * value;
  double alpha = (double)kgt_floats(c, "alpha")[row], beta = (double)kgt_floats(c, "beta")[row];
  for (size_t j = 0; j < value; j++)
    for (size_t i = 0; i < key; i++) {
      double product = 0;
      for (size_t l = 0; l < key; l++) product += s[j * key + l] * ((l == i) - beta * (double)k[l] * (double)k[i]);
      next[j * key + i] = alpha * product + beta * (double)v[j] * (double)k[i];
    }
  for (size_t e = 0; e < key * value; e++) s[e] = next[e];
}

static void gated_delta_net(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  size_t length = kgt_size(c, "length"), key = kgt_size(c, "key"), value = kgt_size(c, "value");
  for (size_t head = 0; head < kgt_size(c, "heads"); head++) {
    double *s = calloc(2 * key * value, sizeof *s);
    for (size_t row = head * length; row < (head + 1) * length; row++) {
      delta_step(c, row, s, s + key * value);
      for (size_t j = 0; j < value; j++) {
        y[row * value + j] = 0;
        for (size_t i = 0; i < key; i++) y[row * value + j] += s[j * key + i] * (double)kgt_floats(c, "q")[row * key + i];
        magnitude[row * value + j] = 1; /* keys and values are of about that size, and states do not grow */
      }
    }
    free(s);
  }
}

/* Keys between -1/2 and 1/2: of norm 1 at most, where there are no more than four. */
static const char gates[] = "k=-0.5..0.5,alpha=0.8..1,beta=0..1";

const kgt_oracle kgt_oracles_sequences[] = {
    {"linear_attention", "", "", linear_attention, 200},
    {"linear_attention", "heads=1,length=1,key=1,value=1", "", linear_attention, 8},
    {"linear_attention", "heads=5,length=70,key=3,value=17,workgroup=16", "", linear_attention, 300},
    {"linear_attention", "heads=2,length=33,key=9,value=2", "k=0|1|-1|0.5", linear_attention, 300},
    {"linear_attention", "length=0", "", linear_attention, 1},
    {"linear_attention", "heads=0", "", linear_attention, 1},
    /* exp of an argument of some units of rounding, at every step */
    {"selective_scan", "", "a=-2..0", selective_scan, 300},
    {"selective_scan", "batch=1,length=1,channels=1,state=1,softplus=0", "delta=0..1", selective_scan, 32},
    {"selective_scan", "batch=3,length=70,channels=37,state=3,softplus=0,strip=8,workgroup=16",
     "delta=0|0.1|0.5,a=-2..0", selective_scan, 600},
    {"selective_scan", "length=33,strip=1", "a=-8..0,delta=-3..3", selective_scan, 600},
    {"selective_scan", "length=0", "", selective_scan, 1},
    {"selective_scan", "channels=0", "", selective_scan, 1},
    {"gated_delta_net", "key=4", gates, gated_delta_net, 400},
    {"gated_delta_net", "heads=1,length=1,key=1,value=1", gates, gated_delta_net, 16},
    {"gated_delta_net", "heads=5,length=70,key=3,value=17,strip=16,workgroup=16", gates, gated_delta_net, 800},
    {"gated_delta_net", "heads=2,length=9,key=2", "k=1|0|0|1,alpha=1|0,beta=1|0", gated_delta_net, 100},
    {"gated_delta_net", "length=0", "", gated_delta_net, 1},
    {"gated_delta_net", "heads=0", "", gated_delta_net, 1},
};
KGT_ORACLES(sequences, kgt_oracles_sequences);
