/* What a host fixes before a module runs: kg_module_resolve and the ranges. */
#include "tests/support/kgtest.h"

#include "foundation/ir/builder.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"

#include <stdio.h>
#include <string.h>

/* n, m and k; x : f32[n], y : f32[n * m + 1], z : u32[] in 0 .. n, w : f32[len(z)], s : f32, r : f32[4] in -0.5 .. 1.5 */
enum { N, M, K, PARAMS = 3 };
enum { X, Y, Z, W, S, R, BUFFERS };

static kg_module *make(void) {
  kg_module *m = kgi_module_new(NULL, "k.kg");
  ck_assert_ptr_nonnull(m);
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_begin_program(&b, "p");
  uint32_t n = kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(m, "n"), .type = KG_U32});
  uint32_t k = kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(m, "m"), .type = KG_I32, .has_default = true, .bits = 3});
  kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(m, "k"), .type = KG_F32, .has_default = true, .bits = 0x3f800000});
  kgi_dim dn = kgi_len_param(&b, n);
  kgi_buffer(&b, "x", KG_F32, KG_READ, dn);
  kgi_buffer(&b, "y", KG_F32, KG_READ,
             kgi_len_op(&b, KGI_DIM_ADD, kgi_len_op(&b, KGI_DIM_MUL, dn, kgi_len_param(&b, k)), kgi_len_int(&b, 1)));
  kgi_obj z = kgi_object_add(&b, &(kgi_object){.name = kgi_intern_z(m, "z"), .space = KGI_BUFFER, .type = KG_U32, .mode = KG_READ,
                                               .ranged = true, .lo = kgi_len_int(&b, 0), .hi = dn});
  kgi_buffer(&b, "w", KG_F32, KG_READ, kgi_len_of(&b, z));
  kgi_object_add(&b, &(kgi_object){.name = kgi_intern_z(m, "s"), .space = KGI_BUFFER, .type = KG_F32, .mode = KG_READ, .scalar = true});
  kgi_object_add(&b, &(kgi_object){.name = kgi_intern_z(m, "r"), .space = KGI_BUFFER, .type = KG_F32, .mode = KG_READ,
                                   .length = kgi_len_int(&b, 4), .ranged = true, .lo = kgi_len_float(&b, -0.5),
                                   .hi = kgi_len_float(&b, 1.5)});
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  return m;
}

typedef struct host {
  uint64_t param[PARAMS], length[BUFFERS];
  bool param_given[PARAMS], length_given[BUFFERS];
  char id[40], message[160];
} host;

static void note(void *user, const kg_diag *d) {
  host *h = user;
  snprintf(h->id, sizeof h->id, "%s", d->id);
  snprintf(h->message, sizeof h->message, "%s", d->message);
}

static kg_host view(host *h) {
  return (kg_host){.param = h->param, .param_given = h->param_given, .length = h->length, .length_given = h->length_given};
}

static void give_length(host *h, int buffer, uint64_t length) { h->length[buffer] = length, h->length_given[buffer] = true; }

static kg_status resolve(host *h) {
  kg_module *m = make();
  kg_host v = view(h);
  kg_status status = kg_module_resolve(m, &v, &(kg_sink){note, h});
  kg_module_free(m);
  return status;
}

START_TEST(infers_a_param_from_its_array) {
  host h = {.id = ""};
  give_length(&h, X, 10);
  give_length(&h, Z, 7);
  ck_assert_int_eq(resolve(&h), KG_OK);
  ck_assert_str_eq(h.id, "");
  const uint64_t lengths[BUFFERS] = {10, 31, 7, 7, 1, 4};
  for (int i = 0; i < BUFFERS; i++) ck_assert_uint_eq(h.length[i], lengths[i]);
  ck_assert_uint_eq(h.param[N], 10);
  ck_assert_uint_eq(h.param[M], 3);
  ck_assert_uint_eq(h.param[K], 0x3f800000);
}
END_TEST

START_TEST(takes_what_is_given) {
  host h = {.param = {5, 2}, .param_given = {true, true}};
  give_length(&h, Z, 0);
  give_length(&h, Y, 11);
  ck_assert_int_eq(resolve(&h), KG_OK);
  ck_assert_uint_eq(h.length[X], 5);
  ck_assert_uint_eq(h.length[W], 0);
}
END_TEST

START_TEST(refuses_a_param_without_a_value) {
  host h = {.id = ""};
  give_length(&h, Z, 7);
  ck_assert_int_eq(resolve(&h), KG_INVALID);
  ck_assert_str_eq(h.id, "param-missing");
}
END_TEST

START_TEST(refuses_arrays_that_disagree) {
  host h = {.id = ""};
  give_length(&h, X, 10);
  give_length(&h, Y, 30);
  give_length(&h, Z, 1);
  ck_assert_int_eq(resolve(&h), KG_INVALID);
  ck_assert_str_eq(h.id, "length-mismatch");
  ck_assert_str_eq(h.message, "the array for y has 30 elements, but its declaration makes 31 of the params, which other arrays may have given");
}
END_TEST

START_TEST(refuses_an_open_length) {
  host h = {.id = ""};
  give_length(&h, X, 10);
  ck_assert_int_eq(resolve(&h), KG_INVALID);
  ck_assert_str_eq(h.id, "length-open");
}
END_TEST

START_TEST(refuses_sizes_that_do_not_fit) {
  host h = {.id = ""};
  give_length(&h, X, UINT64_C(1) << 32);
  give_length(&h, Z, 1);
  ck_assert_int_eq(resolve(&h), KG_INVALID);
  ck_assert_str_eq(h.id, "length-overflow");
  /* m = -1: 10 * -1 + 1 */
  h = (host){.param = {10, 0xffffffff}, .param_given = {true, true}};
  give_length(&h, Z, 1);
  ck_assert_int_eq(resolve(&h), KG_INVALID);
  ck_assert_str_eq(h.id, "length-negative");
}
END_TEST

START_TEST(ranges_are_numbers) {
  host h = {.param = {10}, .param_given = {true}};
  give_length(&h, Z, 3);
  kg_module *m = make();
  kg_host v = view(&h);
  kg_sink sink = {note, &h};
  double lo, hi;
  ck_assert_int_eq(kg_module_resolve(m, &v, &sink), KG_OK);
  ck_assert(kg_module_buffer(m, Z).ranged && !kg_module_buffer(m, X).ranged);
  ck_assert_int_eq(kg_module_buffer_range(m, &v, Z, &sink, &lo, &hi), KG_OK);
  ck_assert(lo == 0 && hi == 10);
  ck_assert_int_eq(kg_module_buffer_range(m, &v, R, &sink, &lo, &hi), KG_OK);
  ck_assert(lo == -0.5 && hi == 1.5);
  kg_module_free(m);
}
END_TEST

/* ---- differences of lengths: against the two values, and what they are where that is one leaf: 7 stands for n ---- */

static const struct { const char *from, *to; int64_t same; } differences[] = {
  {"k * n", "(k + 1) * n", 7}, {"n * k + 3", "3 + k * n + n", 7}, {"(k + 1) * n + m", "m + (k + 2) * n", 7}, {"0", "n", 7},
  {"2 * n", "n + n", 0}, {"n * m * k", "(m + 1) * k * n - k * n + n", 7}, {"n / 2", "n / 2 + 5", 5}, {"(n - m) * (n + m)", "n * n", -1},
  {"n % 3 * k", "n % 3 * (k + 1) + min(n, m)", -1}, {"k - n - n - n", "k + m - 4", -1}, {"n", "m", -1}, {"n * n * n * n * n", "n", -1},
  {"(n + m + 1) * (n + k + 2) * (m + k + 3) * (n - m)", "k * m", -1}, {"9223372036854775807 * n - n", "9223372036854775807 * n", 7},
};

START_TEST(differs) {
  char text[400];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "module d { param n : u32 param m : i32 buffer x : f32[4] read program p { workgroup 1 grid 1 buffer x : f32[] read }\n"
           "repeat k in 0 .. 3 { run p(x = x[%s .. %s]) } }", differences[_i].from, differences[_i].to);
  ck_assert_int_eq(kg_module_parse(NULL, "d.kg", text, strlen(text), NULL, &m), KG_OK);
  uint32_t repeat = m->first_item, run = m->item[repeat].first;
  kgi_slice slice = kgi_run_slice(m, run, 1);
  kgi_dim d = kgi_dim_difference(&m->arena, &m->scope, slice.to, slice.from);
  for (unsigned k = 0; k < 27; k++) {
    uint64_t params[] = {0, 5 + k % 3, (uint64_t)(int64_t)(k / 3 % 3) - 1};
    int64_t index[8] = {0}, from, to, got;
    index[repeat] = k / 9;
    kgi_dim_env env = {.param = params, .index = index};
    if (kgi_dim_eval(&m->scope, slice.from, &env, &from) != KGI_DIM_OK || kgi_dim_eval(&m->scope, slice.to, &env, &to) != KGI_DIM_OK) continue;
    ck_assert_int_eq(kgi_dim_eval(&m->scope, d, &env, &got), KGI_DIM_OK);
    ck_assert_int_eq(got, to - from);
  }
  const kgi_dim_node *n = &m->scope.dim[d.i];
  if (differences[_i].same == 7) ck_assert(n->op == KGI_DIM_PARAM && n->a == 1); /* n alone */
  else if (differences[_i].same >= 0) ck_assert(n->op == KGI_DIM_INT && n->imm == differences[_i].same);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(infers_a_param_from_its_array),
                            KGT(takes_what_is_given),
                            KGT(refuses_a_param_without_a_value),
                            KGT(refuses_arrays_that_disagree),
                            KGT(refuses_an_open_length),
                            KGT(refuses_sizes_that_do_not_fit),
                            KGT(ranges_are_numbers), KGT_TABLE(differs, differences, to)};
  return kgt_run("foundation/host", tests, KGT_COUNT(tests));
}
