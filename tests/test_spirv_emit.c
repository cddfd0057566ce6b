/* Emission without a device: what is emitted is valid, says what the ABI says, and grows with the program alone. */
#include "foundation/builder.h"
#include "foundation/validate.h"
#include "tests/kgtest.h"

#include <kgrad/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_id[64], last_message[512];

static void keep(void *user, const kg_diag *diag) {
  (void)user;
  snprintf(last_id, sizeof last_id, "%s", diag->id);
  snprintf(last_message, sizeof last_message, "%s", diag->message);
}

static const kg_sink sink = {keep, NULL};

typedef struct make { kg_module *m; kgi_builder b; kgi_diags diags; } make;

static void start(make *k) {
  k->m = kgi_module_new(NULL, "test.kg");
  ck_assert_ptr_nonnull(k->m);
  k->diags = (kgi_diags){.sink = &sink};
  kgi_builder_init(&k->b, k->m, &k->diags);
  kgi_program *p = kgi_begin_program(&k->b, "k");
  p->workgroup[0] = kgi_len_int(&k->b, 64);
  p->grid[0] = kgi_len_int(&k->b, 1);
}

static kg_module *finish(make *k) {
  ck_assert_int_eq(kgi_builder_status(&k->b), KG_OK);
  kgi_module_finish_lone(k->m);
  ck_assert_msg(kgi_validate(k->m, &k->diags) == KG_OK, "%s", last_message);
  return k->m;
}

/* The assembly; the caller frees. */
static char *assembly(const kg_module *m, const kg_spirv_params *params) {
  uint32_t *words;
  size_t count, size;
  char *text;
  kg_status status = kg_spirv_emit(NULL, m, params, &sink, &words, &count);
  ck_assert_msg(status == KG_OK, "%s: %s", last_id, last_message);
  ck_assert_int_eq(kg_spirv_disassemble(NULL, words, count, &sink, &text, &size), KG_OK);
  ck_assert_uint_eq(strlen(text), size);
  kg_bytes_free(NULL, words, count * 4);
  return text;
}

static void has(const char *text, const char *part) { ck_assert_msg(strstr(text, part) != NULL, "no %s in\n%s", part, text); }
static void lacks(const char *text, const char *part) { ck_assert_msg(strstr(text, part) == NULL, "%s in\n%s", part, text); }

/* if i < n { y[i] = x[i] * a } */
static kg_module *scale(void) {
  make k;
  start(&k);
  kgi_builder *b = &k.b;
  kgi_param n = {.name = kgi_intern_z(k.m, "n"), .type = KG_U32}, a = {.name = kgi_intern_z(k.m, "a"), .type = KG_F32};
  uint32_t pn = kgi_param_add(b, &n), pa = kgi_param_add(b, &a);
  kgi_obj x = kgi_buffer(b, "x", KG_F32, KG_READ, kgi_len_param(b, pn));
  kgi_obj y = kgi_buffer(b, "y", KG_F32, KG_WRITE, kgi_len_param(b, pn));
  kgi_val i = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, i, kgi_param_value(b, pn)));
  kgi_store(b, y, i, kgi_op2(b, KGI_OP_mul, kgi_load(b, x, i), kgi_param_value(b, pa)));
  kgi_end(b);
  return finish(&k);
}

START_TEST(elementwise) {
  kg_module *m = scale();
  char *text = assembly(m, NULL);
  has(text, "\"k\" %gl_GlobalInvocationID");
  has(text, "LocalSize 64 1 1");
  has(text, "NoContraction");
  has(text, "NonWritable");
  has(text, "OpVariable %_ptr_PushConstant");
  lacks(text, "OpSelect "); /* the guard proves the load in range */
  free(text);
  text = assembly(m, &(kg_spirv_params){.relaxed = true});
  lacks(text, "NoContraction");
  free(text);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(elementwise)};
  return kgt_run("spirv/emit", tests, KGT_COUNT(tests));
}
