#include "tests/primitives/run.h"
#include "tests/support/devices.h"

#include <string.h>

static void fail_on(void *user, const kg_diag *d) {
  (void)user;
  ck_abort_msg("%s: %s (%s)", d->id, d->message, d->fix);
}

static const kg_sink failing = {fail_on, NULL};

enum { MOST = 16 };

/* Every buffer of the module by its index, and so that none is left out. */
static void place(const kg_module *m, const kgt_array *arrays, size_t count, void **buffers, uint64_t *lengths) {
  ck_assert_uint_eq(kg_module_buffer_count(m), count);
  ck_assert_uint_le(count, MOST);
  for (size_t i = 0; i < count; i++) {
    uint32_t at = kg_module_find_buffer(m, arrays[i].name);
    ck_assert_msg(at != UINT32_MAX, "there is no buffer %s", arrays[i].name);
    buffers[at] = arrays[i].data, lengths[at] = arrays[i].count;
  }
}

static void run_on_reference(const kg_module *m, void *const *buffers, const uint64_t *lengths) {
  kg_reference_params params = {.module = m, .sink = &failing, .buffers = buffers, .lengths = lengths, .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED};
  kg_reference_report report;
  ck_assert_int_eq(kg_reference_run(&params, &report), KG_OK);
  ck_assert_int_eq(report.fault, KG_FAULT_NONE);
  ck_assert_uint_eq(report.out_of_bounds_loads + report.out_of_bounds_stores, 0);
}

static kgt_device held;

void kgt_hold_device(const char *device) {
  if (strcmp(device, "reference") != 0) held = kgt_open(device);
}

void kgt_release_device(void) {
  kgt_close(&held);
  held = (kgt_device){0};
}

static void run_on_device(const char *device, const kg_module *m, void *const *buffers, const uint64_t *lengths) {
  bool open = held.device == NULL;
  if (open) kgt_hold_device(device);
  kgt_run_fine(&held, m, NULL, buffers, lengths);
  if (open) kgt_release_device();
}

void kgt_run_primitive(const char *device, const char *name, const kg_primitive_arg *args, size_t arg_count, const kgt_array *arrays,
                       size_t array_count) {
  kg_module *m = NULL;
  void *buffers[MOST];
  uint64_t lengths[MOST];
  ck_assert_int_eq(kg_primitive_build(NULL, name, args, arg_count, &failing, &m), KG_OK);
  place(m, arrays, array_count, buffers, lengths);
  if (!strcmp(device, "reference")) run_on_reference(m, buffers, lengths);
  else run_on_device(device, m, buffers, lengths);
  kg_module_free(m);
}
