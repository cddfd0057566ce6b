/* The interpreter: lane-instructions a second on one core, in value mode, beside the same kernel as plain C. */
#include "bench/bench.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>

enum { N = 16384, ROUNDS = 7 };

typedef struct state {
  kg_module *module;
  float x[N], y[N], expected[N];
  uint64_t lane_instructions;
} state;

static double interpret(void *user) {
  state *s = user;
  void *buffers[2] = {s->x, s->y};
  kg_reference_params params = {.module = s->module, .buffers = buffers, .threads = 1};
  kg_reference_report report = {0};
  double start = bench_cpu();
  if (kg_reference_run(&params, &report) != KG_OK) return -1;
  double taken = bench_cpu() - start;
  s->lane_instructions = report.lane_instructions;
  return taken;
}

static float step(float v) {
  float a = v * 0.5f + 0.25f, b = a * a - v * 0.125f, c = sqrtf(fabsf(b)) + a, d = fmaxf(c * 0.75f - b, a * b);
  return d / (c + 2.0f);
}

static double compute(void *user) {
  state *s = user;
  double start = bench_cpu();
  for (int i = 0; i < N; i++) {
    float v = s->x[i];
    for (int k = 0; k < 64; k++) v = step(v);
    s->expected[i] = v;
  }
  return bench_cpu() - start;
}

static bool agree(const state *s) {
  for (int i = 0; i < N; i++)
    if (s->y[i] != s->expected[i]) return printf("interpreter: y[%d] is %g, and in C %g\n", i, s->y[i], s->expected[i]), false;
  return true;
}

int bench_interpreter(void) {
  static state s; /* too large for a stack */
  s.module = bench_load("bench/float_heavy.kg");
  if (!s.module) return 1;
  for (int i = 0; i < N; i++) s.x[i] = (float)i / N - 0.5f;
  bench_pair pair = bench_compare(compute, &s, interpret, &s, ROUNDS);
  printf("\n%-14s %-22s %7s\n", "one core", "kernel", "figure");
  double speed = pair.failed ? -1 : (double)s.lane_instructions / pair.least[1] / 1e6;
  int missed = !bench_figure("interpreter", "float_heavy", speed / 50, 1, true, "times 50 million lane-instructions a second");
  if (!pair.failed) printf("%-14s %-22s %7.2f          of the time of plain C\n", "", "", pair.ratio);
  if (!pair.failed && !agree(&s)) missed++;
  kg_module_free(s.module);
  return missed;
}
