/* Every public function that allocates, with the first allocation failing, then the second, and so on. */
#include "tests/support/kgtest.h"

#include "foundation/ir/builder.h"

#include <kgrad/kgrad.h>

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
  if (kgi_builder_status(&b) == KG_OK) kgi_module_finish_lone(m);
  kg_status status = kgi_builder_status(&b);
  kg_module_free(m);
  return status;
}

/* The same by the public builder, which may be NULL. */
static kg_status build_publicly(const kg_allocator *alloc, void *user) {
  kg_builder *b = NULL;
  kg_module *m = NULL;
  const kg_length none = {0, 0};
  (void)user;
  kg_builder_new(alloc, "k.kg", NULL, &b);
  kg_build_program(b, "p");
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ_WRITE, none);
  kg_build_workgroup(b, 0, kg_build_length(b, 8));
  kg_build_grid(b, 0, kg_build_length(b, 1));
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0), sum = kg_build_load(b, x, i);
  for (int k = 0; k < 200; k++) sum = kg_build_op2(b, KG_OP_ADD, sum, kg_build_float(b, KG_F32, k));
  kg_build_store(b, x, i, sum);
  kg_build_program_end(b);
  kg_status status = kg_builder_finish(b, &m);
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

static const char *const examples[] = {"examples/softmax.kg", "examples/deblur.kg", "tests/kernels/functions.kg",
                                       "tests/kernels/work.kg"};

START_TEST(parsing) {
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
  kg_status status = kg_module_print(alloc, user, NULL, &bytes, &size);
  if (status == KG_OK) kg_bytes_free(alloc, bytes, size + 1);
  return status;
}

/* What follows takes a module, or its binary form. */

static kg_status encode(const kg_allocator *alloc, void *user) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  kg_status status = kg_module_encode(alloc, user, NULL, &bytes, &size);
  if (status == KG_OK) kg_bytes_free(alloc, bytes, size);
  return status;
}

static kg_status decode(const kg_allocator *alloc, void *user) {
  const text *t = user;
  kg_module *m = NULL;
  kg_status status = kg_module_decode(alloc, "k.kgb", t->bytes, t->size, NULL, &m);
  kg_module_free(m);
  return status;
}

static kg_status differentiate(const kg_allocator *alloc, void *user) {
  kg_module *adjoint = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_grad_mapped(user, &(kg_grad_params){.alloc = alloc}, NULL, &adjoint, &map);
  kg_module_free(adjoint);
  kg_grad_map_free(map);
  return status;
}

/* Under a limit that takes groups: tapes are 576 bytes, with segments 6 * 20 + 20 + 96, with groups 3 * 20 + 2 * 20 + 20 + 96. */
static kg_status differentiate_in_segments(const kg_allocator *alloc, void *user) {
  kg_module *adjoint = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_grad_mapped(user, &(kg_grad_params){.alloc = alloc, .tape_limit = 220}, NULL, &adjoint, &map);
  kg_module_free(adjoint);
  kg_grad_map_free(map);
  return status;
}

static kg_status take_tangents(const kg_allocator *alloc, void *user) {
  kg_module *result = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_jvp_mapped(user, &(kg_jvp_params){.alloc = alloc, .directions = 2}, NULL, &result, &map);
  kg_module_free(result);
  kg_grad_map_free(map);
  return status;
}

static kg_status differentiate_twice(const kg_allocator *alloc, void *user) {
  kg_module *result = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_hvp_mapped(user, &(kg_jvp_params){.alloc = alloc}, NULL, &result, &map);
  kg_module_free(result);
  kg_grad_map_free(map);
  return status;
}

static kg_status split(const kg_allocator *alloc, void *user) {
  kg_module *forward = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  kg_status status = kg_grad_split(user, &(kg_grad_params){.alloc = alloc}, NULL, &forward, &adjoint, &map);
  kg_module_free(forward), kg_module_free(adjoint);
  kg_grad_map_free(map);
  return status;
}

static kg_status specialise(const kg_allocator *alloc, void *user) {
  const char *const params[] = {"n_rows=3"}, *const constants[] = {"T=32"}, *const assumptions[] = {"n_cols >= n_rows"};
  kg_module *result = NULL;
  kg_status status = kg_module_specialise(alloc, user, &(kg_facts){params, 1, constants, 1, assumptions, 1}, NULL, &result);
  kg_module_free(result);
  return status;
}

static kg_status interpret(const kg_allocator *alloc, void *user) {
  return kg_reference_run(&(kg_reference_params){.module = user, .allocator = alloc}, NULL);
}

static kg_status drive(const kg_allocator *alloc, void *user) {
  kg_context *context = NULL;
  kg_device *device = NULL;
  const kg_module *m = user;
  uint64_t param[16], length[16];
  bool param_given[16] = {false}, length_given[16] = {false};
  kg_host host = {.param = param, .param_given = param_given, .length = length, .length_given = length_given};
  void *data[16] = {NULL};
  kg_status status = kg_context_new(alloc, &(kg_context_params){.no_vulkan = true}, NULL, &context);
  if (status == KG_OK) status = kg_device_open(context, "reference", NULL, &device);
  if (status == KG_OK) status = kg_run(device, m, &host, data, NULL, NULL, NULL);
  kg_device_free(device);
  kg_context_free(context);
  return status;
}

static const struct {
  kg_status (*attempt)(const kg_allocator *alloc, void *user);
  const char *example;
} on_modules[] = {
    {print, "examples/deblur.kg"},         {encode, "examples/deblur.kg"},       {differentiate, "examples/softmax.kg"},
    {differentiate, "examples/deblur.kg"}, {interpret, "examples/layernorm.kg"}, {interpret, "examples/adam.kg"},
    {specialise, "examples/softmax.kg"},
    {drive, "examples/stencil.kg"},        {take_tangents, "examples/softmax.kg"}, {take_tangents, "examples/deblur.kg"},
    {differentiate_twice, "examples/softmax.kg"},  {split, "examples/softmax.kg"},
    {differentiate, "tests/gradients/bits_of_a_float.kg"}, {differentiate, "tests/gradients/bits_in_memory.kg"},
    {differentiate, "tests/natural/float_add_by_exchange.kg"},
    {split, "tests/gradients/module_shared_atomic.kg"}, {differentiate_in_segments, "tests/gradients/triangular_rounds.kg"},
};

static kg_module *load(const char *example) {
  text t;
  kg_module *m = NULL;
  char *bytes = kgt_read_source(example, &t.size);
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", bytes, t.size, NULL, &m), KG_OK);
  free(bytes);
  return m;
}

START_TEST(working_on_modules) {
  kg_module *m = load(on_modules[_i].example);
  ck_assert_uint_gt(kgt_fail_each_allocation(on_modules[_i].attempt, m), 1);
  kg_module_free(m);
}
END_TEST

START_TEST(decoding) {
  kg_module *m = load("examples/deblur.kg");
  uint8_t *bytes = NULL;
  text t;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &t.size), KG_OK);
  t.bytes = (const char *)bytes;
  ck_assert_uint_gt(kgt_fail_each_allocation(decode, &t), 3);
  kg_bytes_free(NULL, bytes, t.size);
  kg_module_free(m);
}
END_TEST

START_TEST(building) {
  ck_assert_uint_gt(kgt_fail_each_allocation(build, NULL), 3);
  ck_assert_uint_gt(kgt_fail_each_allocation(build_publicly, NULL), 5);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(building), KGT_TEXTS(parsing, examples),
                            KGT_TABLE(working_on_modules, on_modules, example), KGT(decoding)};
  return kgt_run("public/memory", tests, KGT_COUNT(tests));
}
