/* Every public function that allocates, with the first allocation failing, then the second, and so on. */
#include "tests/kgtest.h"

#include "foundation/builder.h"

#include <stdlib.h>

/* Past 128 instructions, so that tables grow on the way. */
static kg_status build(const kg_allocator *alloc, void *user) {
  kgi_builder b;
  (void)user;
  kg_module *m = kgi_module_new(alloc, "k.kg");
  if (!m) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, NULL);
  kgi_begin_program(&b, "p");
  kgi_obj x = kgi_buffer(&b, "x", KG_F32, KG_READ_WRITE, kgi_len_int(&b, 8));
  kgi_val sum = kgi_f32(&b, 0);
  for (uint32_t i = 0; i < 200; i++) sum = kgi_op2(&b, KGI_OP_add, sum, kgi_load(&b, x, kgi_u32(&b, i)));
  kgi_store(&b, x, kgi_u32(&b, 0), sum);
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  kg_status status = kgi_builder_status(&b);
  kg_module_free(m);
  return status;
}

typedef struct text {
  const char *bytes;
  size_t size;
} text;

static kg_status parse(const kg_allocator *alloc, void *user) {
  const text *t = user;
  kg_module *m = NULL;
  kg_status status = kg_module_parse(alloc, "k.kg", t->bytes, t->size, NULL, &m);
  kg_module_free(m);
  return status;
}

START_TEST(parsing) {
  static const char *const examples[] = {"examples/softmax.kg", "examples/deblur.kg", "tests/kernels/functions.kg",
                                         "tests/kernels/work.kg"};
  text t;
  char *bytes = kgt_read_source(examples[_i], &t.size);
  t.bytes = bytes;
  ck_assert_uint_gt(kgt_fail_each_allocation(parse, &t), 3);
  free(bytes);
}
END_TEST

static kg_status print(const kg_allocator *alloc, void *user) {
  char *bytes = NULL;
  size_t size = 0;
  kg_status status = kg_module_print(alloc, user, &bytes, &size);
  if (status == KG_OK) kg_bytes_free(alloc, bytes, size + 1);
  return status;
}

START_TEST(printing) {
  text t;
  kg_module *m = NULL;
  char *bytes = kgt_read_source("examples/deblur.kg", &t.size);
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", bytes, t.size, NULL, &m), KG_OK);
  ck_assert_uint_gt(kgt_fail_each_allocation(print, m), 3);
  kg_module_free(m);
  free(bytes);
}
END_TEST

START_TEST(building) { ck_assert_uint_gt(kgt_fail_each_allocation(build, NULL), 3); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(building), KGT_TABLE(parsing, 4), KGT(printing)};
  return kgt_run("foundation/memory", tests, KGT_COUNT(tests));
}
