/* The interpreter on kernels of several kinds: where it is weak, and what each thing that it can do beside values costs. All cells
 * of a row are measured in turn, in one run: the speed of one core in value mode, then ratios of times to that. */
#include "bench/device.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, MOST_BUFFERS = 4, TANGENTS = 16 };

typedef struct kernel { const char *name, *text; } kernel;

#define LOOP(n) "let i = global_id.x var v = x[i]\nfor k in 0 .. " #n " { v = v * 0.875 + 0.25 v = max(v, 0.5 - v) }\ny[i] = v }"
static const kernel kernels[] = {
  {"float_heavy", NULL}, /* bench/float_heavy.kg */
  {"workgroup of 32", "program k { workgroup 32 grid 512 buffer x : f32[16384] read buffer y : f32[16384] write\n" LOOP(32)},
  {"workgroup of 1", "program k { workgroup 1 grid 4096 buffer x : f32[4096] read buffer y : f32[4096] write\n" LOOP(16)},
  {"integers", "program k { workgroup 256 grid 64 buffer y : u32[16384] write let i = global_id.x var h = i * 2654435769 + 1\n"
               "for k in 0 .. 32 { h = h ^ (h << 13) h = h ^ (h >> 17) h = h ^ (h << 5) h = h + u32(k) * (h % 1021) }\ny[i] = h }"},
  {"saxpy", "program k { workgroup 256 grid 1024 buffer x : f32[262144] read buffer y : f32[262144] read_write\n"
            "let i = global_id.x if i < 262144 { y[i] = 0.5 * x[i] + y[i] } }"},
  {"stencil", "program k { workgroup 256 grid 256 buffer x : f32[65536] read buffer y : f32[65536] write let i = global_id.x\n"
              "var s = 0.0 for k in 0 .. 9 { s += x[(i + u32(k) + 65532) % 65536] * 0.111 }\ny[i] = s }"},
  {"divergent", "program k { workgroup 256 grid 64 buffer x : f32[16384] read buffer y : f32[16384] write let i = global_id.x\n"
                "var v = x[i] for k in 0 .. 8 + i32(i % 24) {\n"
                "if v > 0.5 { v = v * 0.5 } else { if i % 3 == 0 { v += 0.375 } else { v = v * v + 0.5 } } }\ny[i] = v }"},
  {"tiles, barriers", "program k { workgroup 16, 16 grid 8, 8 buffer a : f32[16384] read buffer b : f32[16384] read\n"
                      "buffer c : f32[16384] write shared s : f32[256] shared t : f32[256] let x = local_id.x let y = local_id.y\n"
                      "let col = global_id.x let row = global_id.y var sum = 0.0 for k in 0 .. 8 {\n"
                      "s[y * 16 + x] = a[row * 128 + u32(k) * 16 + x] t[y * 16 + x] = b[(u32(k) * 16 + y) * 128 + col] barrier\n"
                      "for j in 0 .. 16 { sum += s[y * 16 + u32(j)] * t[u32(j) * 16 + x] } barrier }\nc[row * 128 + col] = sum }"},
  {"integer atomics", "program k { workgroup 256 grid 256 buffer h : u32[64] read_write let i = global_id.x * 2654435769\n"
                      "for k in 0 .. 4 { atomic_add(h[(i >> (u32(k) * 6)) % 64], 1) } }"},
  {"float atomics", "program k { workgroup 256 grid 256 buffer x : f32[65536] read buffer s : f32[64] read_write\n"
                    "let i = global_id.x for k in 0 .. 4 { atomic_add(s[(i + u32(k)) % 64], x[i]) } }"},
};
/* Workgroups of one run together in value mode and one by one with checks: no bar for that comparison. */
enum { KERNELS = sizeof kernels / sizeof *kernels, TINY = 2 };

/* What beside values on one core. `bar`: at most so many times its time; 0: none. */
typedef struct mode { const char *name; uint32_t threads, checks, tangents; kg_bounds bounds; double bar; } mode;
static const mode modes[] = {
  {.name = "one core", .threads = 1},
  {.name = "races", .threads = 1, .checks = KG_CHECK_RACES, .bar = 4},
  {.name = "checks", .threads = 1, .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES, .bar = 4},
  {.name = "1 tangent", .threads = 1, .tangents = 1},
  {.name = "16", .threads = 1, .tangents = TANGENTS},
  {.name = "bounds", .threads = 1, .bounds = KG_BOUNDS_DEVICE},
  {.name = "all cores"},
};
enum { MODES = sizeof modes / sizeof *modes, CORES = MODES - 1, DEVICE = MODES, COLUMNS };

typedef struct taken { double cpu, wall; } taken; /* seconds; below 0: it failed, or there is no device */

typedef struct subject {
  kg_module *module;
  uint64_t length[MOST_BUFFERS];
  void *array[MOST_BUFFERS];
  double *tangent[MOST_BUFFERS];
  kg_executable *executable;
  uint64_t lane_instructions;
} subject;

static void fill(subject *s) {
  for (uint32_t i = 0; i < kg_module_buffer_count(s->module); i++) {
    bool floats = kg_module_buffer(s->module, i).type == KG_F32;
    for (uint64_t k = 0; k < s->length[i]; k++)
      if (floats) ((float *)s->array[i])[k] = (float)(k * 37 % 256) / 256.0f;
      else ((uint32_t *)s->array[i])[k] = 0;
    for (uint64_t k = 0; floats && k < TANGENTS * s->length[i]; k++) s->tangent[i][k] = 1;
  }
}

static bool open_subject(subject *s, const kernel *k, const bench_device *device) {
  bool given[MOST_BUFFERS] = {0};
  *s = (subject){0};
  if (!k->text) s->module = bench_load("bench/float_heavy.kg");
  else kg_module_parse(NULL, k->name, k->text, strlen(k->text), &bench_sink, &s->module);
  kg_host host = {.param = (uint64_t[1]){0}, .param_given = (bool[1]){false}, .length = s->length, .length_given = given};
  if (!s->module || kg_module_resolve(s->module, &host, &bench_sink) != KG_OK) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(s->module); i++) {
    s->array[i] = calloc((size_t)s->length[i], sizeof(float));
    s->tangent[i] = calloc((size_t)s->length[i], TANGENTS * sizeof(double));
    if (!s->array[i] || !s->tangent[i]) return false;
  }
  fill(s);
  if (device->device) s->executable = bench_ready(device, s->module, NULL, 0);
  for (uint32_t i = 0; s->executable && i < kg_module_buffer_count(s->module); i++)
    kg_buffer_write(kg_executable_buffer(s->executable, i), 0, s->array[i], s->length[i] * sizeof(float), NULL);
  return true;
}

static void close_subject(subject *s) {
  for (int i = 0; i < MOST_BUFFERS; i++) free(s->array[i]), free(s->tangent[i]);
  kg_executable_free(s->executable);
  kg_module_free(s->module);
}

static taken since(taken start) { return (taken){bench_cpu() - start.cpu, bench_wall() - start.wall}; }

static taken once(subject *s, int column) {
  taken start = {bench_cpu(), bench_wall()}, failed = {-1, -1};
  if (column == DEVICE) return s->executable && kg_execute(s->executable, &bench_sink) == KG_OK ? since(start) : failed;
  const mode *m = &modes[column];
  kg_reference_params params = {.module = s->module, .sink = &bench_sink, .buffers = s->array, .lengths = s->length,
                                .threads = m->threads, .checks = m->checks, .bounds = m->bounds, .tangent_count = m->tangents,
                                .tangents = s->tangent};
  kg_reference_report report;
  fill(s);
  start = (taken){bench_cpu(), bench_wall()};
  if (kg_reference_run(&params, &report) != KG_OK) return failed;
  s->lane_instructions = report.lane_instructions;
  return since(start);
}

/* On one core what the process used counts, so that others on the machine do not; several are for the sake of the wall's clock. */
static double beside(const taken *least, int column) {
  if (least[column].wall < 0) return -1;
  return column < CORES ? least[column].cpu / least[0].cpu : least[column].wall / least[0].wall;
}

static int row(const kernel *k, const bench_device *device) {
  taken least[COLUMNS];
  subject s;
  int missed = 0;
  bool fine = open_subject(&s, k, device);
  for (int c = 0; c < COLUMNS; c++) least[c] = (taken){INFINITY, INFINITY};
  for (int r = 0; fine && r < ROUNDS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      taken t = once(&s, c);
      least[c] = (taken){fmin(least[c].cpu, t.cpu), fmin(least[c].wall, t.wall)};
    }
  close_subject(&s);
  printf("%-17s", k->name);
  if (!fine || least[0].wall < 0) return printf(" failed\n"), 1;
  double speed = (double)s.lane_instructions / least[0].cpu / 50e6;
  printf(" %9.2f%c", speed, speed < 1 ? '!' : ' ');
  missed += speed < 1;
  for (int c = 1; c < COLUMNS; c++) {
    double ratio = beside(least, c);
    bool over = c < MODES && modes[c].bar > 0 && k != &kernels[TINY] && !(ratio <= modes[c].bar && ratio >= 0);
    if (ratio < 0) printf(" %9s%c", c < MODES ? "failed" : "-", over ? '!' : ' ');
    else printf(" %9.*f%c", ratio < 0.1 ? 4 : 2, ratio, over ? '!' : ' ');
    missed += over;
  }
  printf("\n");
  fflush(stdout);
  return missed;
}

int bench_reference(void) {
  bench_device device = bench_device_open();
  int missed = 0;
  printf("\none core in value mode, times 50 million lane-instructions a second (at least 1); others beside its time (checks: at\n"
         "most 4)\n");
  printf("%-17s", "reference");
  for (int c = 0; c < MODES; c++) printf(" %9s ", modes[c].name);
  printf(" %9s\n", device.device ? device.info.name : "no device");
  for (int k = 0; k < KERNELS; k++) missed += row(&kernels[k], &device);
  printf("! misses its bar\n");
  bench_device_close(&device);
  return missed;
}
