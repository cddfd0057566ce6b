/* Several threads, each with a context, devices and modules of its own, at once: nothing that the library keeps is shared unguarded.
 * tests/threads.sh runs it under ThreadSanitizer. */
#include "reference/machine.h"
#include "tests/driver/cpu_case.h"

#include <kgrad/autodiff.h>
#include <kgrad/kgrad.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 3, N = 2048 };

/* Sums of shared memory, of atomics, and a function: y[i] = x[i]^2, total = the sum of all. */
static const char text[] =
  "program p { workgroup 32\ngrid invocations 2048\nbuffer x : f32[2048] read\nbuffer y : f32[2048] write\n"
  "buffer total : f32[1] read_write\nshared tile : f32[32]\nlet i = global_id.x\ntile[local_id.x] = x[i]\nbarrier\n"
  "let other = tile[31 - local_id.x]\ny[i] = other * other\natomic_add(total[0], x[i]) }";

typedef struct work { const char *device; uint32_t number; const char *wrong; } work;

static const char *check(const float *x, const float *y, float total) {
  float sum = 0;
  for (uint32_t i = 0; i < N; i++) {
    uint32_t other = i / 32 * 32 + 31 - i % 32;
    if (y[i] != x[other] * x[other]) return "an element is wrong";
    sum += x[i];
  }
  return total == sum ? NULL : "the sum is wrong"; /* of small integers, in whatever order */
}

static const char *run_on(kg_device *device, const kg_module *m, uint32_t number) {
  float x[N], y[N] = {0}, total[1] = {0};
  for (uint32_t i = 0; i < N; i++) x[i] = (float)((i + number) % 7);
  const kg_binding bindings[] = {{"x", x, N}, {"y", y, N}, {"total", total, 1}};
  if (kg_run_bound(device, m, bindings, KGT_COUNT(bindings), NULL, NULL, NULL) != KG_OK) return "it does not run";
  return check(x, y, total[0]);
}

/* The gradient's kernels, too: that they run is enough here. */
static const char *take_gradient(kg_device *device, const kg_module *m) {
  kg_module *adjoint = NULL;
  float x[N] = {0}, y[N] = {0}, total[1] = {0}, grad_x[N] = {0}, grad_y[N] = {0}, grad_total[1] = {1};
  const kg_binding bindings[] = {{"x", x, N}, {"y", y, N}, {"total", total, 1}, {"grad_x", grad_x, N}, {"grad_y", grad_y, N},
                                 {"grad_total", grad_total, 1}};
  if (kg_grad(m, NULL, NULL, &adjoint) != KG_OK) return "there is no gradient";
  kg_status status = kg_run_bound(device, adjoint, bindings, KGT_COUNT(bindings), NULL, NULL, NULL);
  kg_module_free(adjoint);
  return status == KG_OK && grad_x[5] == 1 ? NULL : "the gradient is wrong";
}

static const char *round_of(const work *w) {
  kg_module *m = NULL;
  kg_context *context = NULL;
  kg_device *device = NULL;
  const char *wrong = "no device";
  kg_context_params params = {.only = w->device, .threads = 3};
  if (kg_module_parse(NULL, "p.kg", text, sizeof text - 1, NULL, &m) != KG_OK) return "it is not read";
  if (kg_context_new(NULL, &params, NULL, &context) == KG_OK && kg_device_open(context, w->device, NULL, &device) == KG_OK) {
    wrong = run_on(device, m, w->number);
    if (!wrong) wrong = take_gradient(device, m);
  }
  kg_device_free(device);
  kg_context_free(context);
  kg_module_free(m);
  return wrong;
}

static void *serve(void *user) {
  work *w = user;
  for (int r = 0; r < ROUNDS && !w->wrong; r++) w->wrong = round_of(w);
  return NULL;
}

/* Half of them on the reference. They find and fill one cache. */
START_TEST(each_has_its_own) {
  char cc[256] = "gcc";
  if (getenv("CC")) snprintf(cc, sizeof cc, "%s", getenv("CC"));
  place p = make_place();
  work all[THREADS];
  pthread_t thread[THREADS];
  setenv("CC", cc, 1);
  for (uint32_t i = 0; i < THREADS; i++) {
    all[i] = (work){i % 2 ? "reference" : "cpu", i, NULL};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, serve, &all[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (uint32_t i = 0; i < THREADS; i++) ck_assert_msg(!all[i].wrong, "%s: %s", all[i].device, all[i].wrong);
  empty(p.root);
}
END_TEST

/* Threads of the reference, which share whatever the work is worth, in several threads. */
static void *interpret(void *user) {
  work *w = user;
  kg_module *m = NULL;
  float x[N], y[N] = {0}, total[1] = {0};
  void *buffers[] = {x, y, total};
  uint64_t lengths[] = {N, N, 1};
  for (uint32_t i = 0; i < N; i++) x[i] = (float)((i + w->number) % 7);
  if (kg_module_parse(NULL, "p.kg", text, sizeof text - 1, NULL, &m) != KG_OK) return w->wrong = "it is not read", NULL;
  kg_reference_params params = {.module = m, .buffers = buffers, .lengths = lengths, .threads = 3};
  w->wrong = kgi_reference_run(&params, 1, NULL) == KG_OK ? check(x, y, total[0]) : "it does not run";
  kg_module_free(m);
  return NULL;
}

START_TEST(references_with_threads) {
  work all[THREADS];
  pthread_t thread[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    all[i] = (work){"reference", i, NULL};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, interpret, &all[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (uint32_t i = 0; i < THREADS; i++) ck_assert_msg(!all[i].wrong, "%s", all[i].wrong);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(each_has_its_own), KGT(references_with_threads)};
  return kgt_run("driver/contexts", tests, KGT_COUNT(tests));
}
