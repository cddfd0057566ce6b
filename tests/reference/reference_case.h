/* Runs a program given as text on the reference, with arrays of the test. */
#ifndef TESTS_REFERENCE_CASE_H
#define TESTS_REFERENCE_CASE_H
#include "tests/support/kgtest.h"
#include <kgrad/kgrad.h>

#include <stdio.h>
#include <string.h>

enum { KGT_BUFFERS = 8 };

typedef struct kgt_case {
  void *buffers[KGT_BUFFERS];
  uint64_t lengths[KGT_BUFFERS]; /* kgt_case_init: as declared */
  kg_reference_params params;
  kg_reference_report report;
  char diag[64];  /* id of the first */
  unsigned line;  /* of the first */
  char message[256];
} kgt_case;

static inline void kgt_case_note(void *user, const kg_diag *diag) {
  kgt_case *c = user;
  if (c->diag[0]) return;
  snprintf(c->diag, sizeof c->diag, "%s", diag->id);
  snprintf(c->message, sizeof c->message, "%u:%u %s", diag->line, diag->column, diag->message);
  c->line = diag->line;
}

static inline void kgt_case_init(kgt_case *c) {
  memset(c, 0, sizeof *c);
  for (int i = 0; i < KGT_BUFFERS; i++) c->lengths[i] = UINT64_MAX;
}

static inline kg_status kgt_case_run(kgt_case *c, const char *text) {
  kg_module *module = NULL;
  kg_sink sink = {kgt_case_note, c};
  c->diag[0] = 0;
  kg_status status = kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &module);
  ck_assert_msg(status == KG_OK, "does not parse: %s", c->message);
  ck_assert_uint_le(kg_module_buffer_count(module), KGT_BUFFERS);
  c->params.module = module;
  c->params.sink = &sink;
  c->params.buffers = c->buffers;
  c->params.lengths = c->lengths;
  status = kg_reference_run(&c->params, &c->report);
  kg_module_free(module);
  return status;
}

/* The common case: all goes well, nothing is out of bounds. */
static inline void kgt_case_fine(kgt_case *c, const char *text) {
  kg_status status = kgt_case_run(c, text);
  ck_assert_msg(status == KG_OK, "status %d, %s: %s", (int)status, c->diag, c->message);
  ck_assert_str_eq(c->diag, "");
  ck_assert_uint_eq(c->report.out_of_bounds_loads + c->report.out_of_bounds_stores, 0);
}
#endif
