/* A gradient in the form of several modules, or under a limit, held bit for bit against the one module that keeps all it needs. */
#ifndef TESTS_VERIFY_FORMS_H
#define TESTS_VERIFY_FORMS_H
#include "foundation/base/set.h"
#include "tests/support/devices.h"

#include <kgrad/autodiff.h>
#include <kgrad/reference.h>

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, HOST_LENGTH = 7 };

/* A module with what a host has for it. */
typedef struct loaded {
  const kg_module *m;
  uint64_t param[MOST], length[MOST];
  void *array[MOST];
} loaded;

static inline uint32_t buffers(const loaded *x) { return kg_module_buffer_count(x->m); }

/* A param that has this value instead of its default; NULL: none has. */
static const char *forms_param;
static uint64_t forms_value;

static inline void resolve(loaded *x, const kg_module *m, kg_host *host) {
  static bool param_given[MOST], length_given[MOST];
  *x = (loaded){.m = m};
  memset(param_given, 0, sizeof param_given), memset(length_given, 0, sizeof length_given);
  *host = (kg_host){.param = x->param, .param_given = param_given, .length = x->length, .length_given = length_given};
  ck_assert_uint_lt(buffers(x), MOST);
  for (uint32_t q = 0; q < kg_module_param_count(m); q++)
    if (!kg_module_param(m, q).has_default) x->param[q] = 8, param_given[q] = true;
  uint32_t q = forms_param ? kg_module_find_param(m, forms_param) : UINT32_MAX;
  if (q != UINT32_MAX) x->param[q] = forms_value, param_given[q] = true;
  for (uint32_t i = 0; i < buffers(x); i++)
    if (kg_module_buffer(m, i).host_length) x->length[i] = HOST_LENGTH, length_given[i] = true;
  ck_assert_int_eq(kg_module_resolve(m, host, &kgt_sink), KG_OK);
}

static inline size_t bytes_of(const loaded *x, uint32_t i) { return (size_t)x->length[i] * kg_type_size(kg_module_buffer(x->m, i).type); }

/* What is not written begins with random numbers, by name, or with what `before` has of it; what is written alone begins with rubbish. */
static inline void load(loaded *x, const kg_module *m, const loaded *before) {
  kg_host host;
  resolve(x, m, &host);
  for (uint32_t i = 0; i < buffers(x); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    uint32_t old = before ? kg_module_find_buffer(before->m, info.name) : UINT32_MAX;
    if (info.mode == KG_TEMP) continue;
    x->array[i] = malloc(bytes_of(x, i) + 1);
    ck_assert_ptr_nonnull(x->array[i]);
    memset(x->array[i], 0x41, bytes_of(x, i));
    if (old != UINT32_MAX && before->array[old]) {
      ck_assert_uint_eq(bytes_of(before, old), bytes_of(x, i));
      memcpy(x->array[i], before->array[old], bytes_of(x, i));
    } else if (info.mode != KG_WRITE) {
      ck_assert_int_eq(kg_module_random(m, &host, i, 5, &kgt_sink, x->array[i]), KG_OK);
    }
  }
}

static inline void unload(loaded *x) {
  for (uint32_t i = 0; x->m && i < buffers(x); i++) free(x->array[i]);
}

static inline kg_status execute(const kgt_device *d, loaded *x) {
  bool given[MOST];
  memset(given, 1, sizeof given);
  kg_host host = {.param = x->param, .param_given = given, .length = x->length, .length_given = given};
  return kg_run(d->device, x->m, &host, x->array, NULL, &kgt_sink, NULL);
}

static inline bool adds_atomically(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  bool found = strstr(text, "atomic_add(") != NULL;
  kg_bytes_free(NULL, text, size + 1);
  return found;
}

static inline bool is_near(double a, double b, double largest) { return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-4 * largest; }

static inline void compare(const char *file, const loaded *one, uint32_t i, const loaded *two, uint32_t k, bool near) {
  kg_buffer_info info = kg_module_buffer(one->m, i);
  double largest = 1;
  for (uint64_t n = 0; n < one->length[i]; n++)
    largest = fmax(largest, fabs(kg_value_number(info.type, kg_value_load(info.type, one->array[i], n))));
  for (uint64_t n = 0; n < one->length[i]; n++) {
    uint64_t x = kg_value_load(info.type, one->array[i], n), y = kg_value_load(info.type, two->array[k], n);
    double a = kg_value_number(info.type, x), b = kg_value_number(info.type, y);
    bool same = x == y || (kg_type_is_float(info.type) && isnan(a) && isnan(b));
    ck_assert_msg(same || (near && is_near(a, b, largest)), "%s: %s[%u] is %.9g in one module, %.9g in the other form", file, info.name,
                  (unsigned)n, a, b);
  }
}

/* What one module writes, the two write between them: shadows the second, all else the first. */
static inline void compare_all(const char *file, const loaded *one, const loaded *forward, const loaded *adjoint, bool near) {
  for (uint32_t i = 0; i < buffers(one); i++) {
    kg_buffer_info info = kg_module_buffer(one->m, i);
    if (info.mode != KG_WRITE && info.mode != KG_READ_WRITE) continue;
    uint32_t k = kg_module_find_buffer(adjoint->m, info.name), f = kg_module_find_buffer(forward->m, info.name);
    bool in_adjoint = k != UINT32_MAX && kg_module_buffer(adjoint->m, k).mode != KG_READ;
    ck_assert_msg(in_adjoint || f != UINT32_MAX, "%s: neither module writes %s", file, info.name);
    if (in_adjoint) compare(file, one, i, adjoint, k, near);
    else compare(file, one, i, forward, f, near);
  }
}

/* Goes by the order in which invocations come to a counter. */
static inline bool is_by_chance(const char *name) { return !strcmp(name, "compaction.kg"); }

/* What races gives another result each time that a device runs it. False also for what the reference cannot run. */
static inline bool races(const char *file) {
  kg_module *m = NULL;
  loaded x = {0};
  kg_reference_report report = {0};
  size_t size;
  char *text = kgt_read_source(file, &size);
  if (kg_module_parse(NULL, file, text, size, &kgt_sink, &m) == KG_OK) {
    load(&x, m, NULL);
    kg_reference_params params = {.module = m, .sink = &kgt_sink, .buffers = x.array, .lengths = x.length, .param_bits = x.param, .checks = KG_CHECK_RACES};
    kg_reference_run(&params, &report);
  }
  unload(&x);
  kg_module_free(m);
  free(text);
  return report.races > 0;
}

typedef bool forms_same(const kgt_device *d, const char *file);

/* One kernel of `each`, up to `most`: which ones goes by their names. */
static inline int forms_some(const kgt_device *d, const char *folder, unsigned each, int most, forms_same *same) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", getenv("abs_srcdir"), folder);
  DIR *dir = opendir(path);
  ck_assert_ptr_nonnull(dir);
  int ran = 0;
  for (struct dirent *e; ran < most && (e = readdir(dir));) {
    const char *end = strrchr(e->d_name, '.');
    if (!end || strcmp(end, ".kg") != 0 || is_by_chance(e->d_name) || kgi_hash(e->d_name, strlen(e->d_name)) % each) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (!races(path)) ran += same(d, path);
  }
  closedir(dir);
  return ran;
}

/* The kernels of a folder, or a sample of them, which is one at the least; `same` says whether it ran, as at least so many of all do. */
static inline void forms_all_on(const char *which, const char *folder, int least, forms_same *same) {
  kgt_device d = kgt_open(which);
  int ran = forms_some(&d, folder, KGT_EACH, INT_MAX, same);
  if (!ran) ran = forms_some(&d, folder, 1, 1, same);
  ck_assert_msg(ran > 0 && ran >= least / KGT_EACH, "only %d of %s ran on %s", ran, folder, which);
  kgt_close(&d);
}
#endif
