#include "tests/primitives_run.h"
#include "tests/kgtest.h"

#include <stdlib.h>

static void fail_on(void *user, const kg_diag *d) {
  (void)user;
  ck_abort_msg("%s: %s (%s)", d->id, d->message, d->fix);
}

static const kg_sink failing = {fail_on, NULL};

enum { MOST = 8 };

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

void kgt_run_primitive(const char *device, const char *name, const kg_primitive_arg *args, size_t arg_count, const kgt_array *arrays,
                       size_t array_count) {
  kg_module *m = NULL;
  void *buffers[MOST];
  uint64_t lengths[MOST];
  ck_assert_int_eq(kg_primitive_build(NULL, name, args, arg_count, &failing, &m), KG_OK);
  place(m, arrays, array_count, buffers, lengths);
  kg_reference_params params = {.module = m, .sink = &failing, .buffers = buffers, .lengths = lengths};
  kg_reference_report report;
  (void)device;
  ck_assert_int_eq(kg_reference_run(&params, &report), KG_OK);
  ck_assert_int_eq(report.fault, KG_FAULT_NONE);
  ck_assert_uint_eq(report.out_of_bounds_loads + report.out_of_bounds_stores, 0);
  kg_module_free(m);
}
