/* What the gradient's module may leave in the kernel's outputs on a device: what the kernel itself leaves, or, of elements that another
 * order of invocations makes other ones on the reference, that as well, and then nothing is decided. */
#include "tests/support/kgtest.h"
#include "verify/findings.h"

#include <stdlib.h>
#include <string.h>

typedef struct trial {
  kg_module *module, *adjoint;
  kg_grad_map *map;
  kg_grad_entry *shadow;
  kg_grad_params asked;
  kg_verify_params params;
  kgi_gradient gradient;
  kgi_oracle oracle;
  kgi_data plain, combined; /* as a device that does as the reference has left them */
  kgi_judged device;
} trial;

static const float inputs[6] = {1, 2, -1, 3, -1, -1};

static void begin(trial *t, const char *text) {
  *t = (trial){.params.seed = 1};
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &t->module), KG_OK);
  ck_assert_int_eq(kg_grad_mapped(t->module, &t->asked, NULL, &t->adjoint, &t->map), KG_OK);
  t->shadow = kgi_shadows_of(t->map, NULL);
  t->gradient = (kgi_gradient){.module = t->module, .asked = &t->asked, .adjoint = t->adjoint, .shadow = t->shadow,
                                .shadows = kg_grad_map_count(t->map)};
  const void *data[3] = {inputs, (const float[6]){0}, (const uint32_t[1]){0}};
  t->params.data = data;
  ck_assert_int_eq(kgi_oracle_make(&t->params, &t->gradient, NULL, &t->oracle), KG_OK);
  ck_assert_int_eq(kgi_judged_make(&t->oracle, NULL, &t->device), KG_OK);
  ck_assert_str_eq(kg_outcome_name(kgi_outcome(&(kgi_findings){.oracle = &t->oracle, .device = &t->device, .devices = 1})), "passed");
  t->device.same = false, t->device.name[0] = 'd';
  const kg_reference_params with = {.module = NULL};
  ck_assert_int_eq(kgi_oracle_primal(&t->oracle, &t->plain), KG_OK);
  ck_assert_int_eq(kgi_oracle_run(&t->oracle, NULL, &with, &t->plain, NULL), KG_OK);
  ck_assert_int_eq(kgi_oracle_entry(&t->oracle, &t->combined), KG_OK);
  ck_assert_int_eq(kgi_oracle_run(&t->oracle, NULL, &with, &t->combined, NULL), KG_OK);
}

static float *left_in(const kgi_data *d, const char *name) { return d->array[kg_module_find_buffer(d->module, name)].data; }

/* Once the test has changed what the device left. */
static kg_outcome judge(trial *t) {
  const kgi_findings f = {.oracle = &t->oracle, .device = &t->device, .devices = 1};
  t->device.differs = t->device.by_order = NULL;
  ck_assert_int_eq(kgi_compare_outputs(&t->oracle, &t->device, &t->oracle.scale, &t->plain, &t->combined), KG_OK);
  return kgi_outcome(&f);
}

static void ends_as(trial *t, kg_outcome outcome, const char *reason) {
  ck_assert_str_eq(kg_outcome_name(judge(t)), kg_outcome_name(outcome));
  kgi_reason said = kgi_reason_of(&(kgi_findings){.oracle = &t->oracle, .device = &t->device, .devices = 1});
  ck_assert_msg(strstr(said.text, reason), "the reason is: %s", said.text);
}

static void end(trial *t) {
  kgi_data_free(&t->plain), kgi_data_free(&t->combined);
  kgi_judged_free(&t->device);
  kgi_oracle_free(&t->oracle);
  free(t->shadow);
  kg_grad_map_free(t->map);
  kg_module_free(t->adjoint), kg_module_free(t->module);
}

#define KERNEL(workgroup, grid, body) \
  "program p { workgroup " workgroup " grid " grid " buffer x : f32[6] read buffer y : f32[6] read_write buffer count : u32 read_write\n" \
  "let i = global_id.x\n" body " }"

/* In order: 1, 4, 9 and three zeros. */
#define PACK "if x[i] > 0.0 { let at = atomic_add(count, 1) y[at] = x[i] * x[i] }"
static const char *const packers[] = {KERNEL("1", "6", PACK), KERNEL("6", "1", PACK), KERNEL("2", "3", PACK)};

START_TEST(another_order_decides_nothing) {
  trial t;
  begin(&t, packers[_i]);
  float *y = left_in(&t.combined, "y");
  ck_assert_int_eq(judge(&t), KG_OUTCOME_PASSED);
  y[0] = 4, y[1] = 1;
  ends_as(&t, KG_OUTCOME_INCONCLUSIVE, "what y holds goes by the order");
  end(&t);
}
END_TEST

/* No order that is tried stores to the last three, but nothing says that none does. */
START_TEST(what_may_be_stored_anywhere_is_anything) {
  trial t;
  begin(&t, packers[_i]);
  float *y = left_in(&t.combined, "y");
  y[4] = 1;
  ends_as(&t, KG_OUTCOME_INCONCLUSIVE, "what y holds goes by the order");
  end(&t);
}
END_TEST

/* The first two of the positive ones that come are taken. What is negative goes by no order. */
#define TAKE "if x[i] > 0.0 { let at = atomic_add(count, 1) y[i] = select(at < 2, x[i] * x[i], 0.0) } else { y[i] = x[i] }"
static const char *const takers[] = {KERNEL("1", "6", TAKE), KERNEL("6", "1", TAKE), KERNEL("2", "3", TAKE)};

START_TEST(what_no_order_changes_is_wrong) {
  trial t;
  begin(&t, takers[_i]);
  float *y = left_in(&t.combined, "y");
  y[0] = 0;
  ends_as(&t, KG_OUTCOME_INCONCLUSIVE, "what y holds goes by the order");
  y[2] = 1;
  ends_as(&t, KG_OUTCOME_FAILED, "leaves y otherwise");
  end(&t);
}
END_TEST

/* The result of the atomic is used, and decides nothing that anybody sees. */
START_TEST(an_atomic_alone_excuses_nothing) {
  trial t;
  begin(&t, KERNEL("1", "6", "let at = atomic_add(count, 1) if at < 6 { y[i] = x[i] * x[i] }"));
  left_in(&t.combined, "y")[0] = 4;
  ends_as(&t, KG_OUTCOME_FAILED, "leaves y otherwise");
  end(&t);
}
END_TEST

/* Other orders fail: a workgroup waits for all before it. */
START_TEST(an_order_that_fails_shows_nothing) {
  trial t;
  begin(&t, KERNEL("1", "6", "while atomic_load(count) < i limit 4 { } let at = atomic_add(count, 1) y[at] = x[i] * x[i]"));
  float *y = left_in(&t.combined, "y");
  y[0] = 4, y[1] = 1;
  ends_as(&t, KG_OUTCOME_FAILED, "leaves y otherwise");
  end(&t);
}
END_TEST

START_TEST(the_reference_has_one_order) {
  trial t;
  begin(&t, packers[_i]);
  float *y = left_in(&t.combined, "y");
  y[0] = 4, y[1] = 1;
  t.device.same = true;
  ends_as(&t, KG_OUTCOME_FAILED, "leaves y otherwise");
  end(&t);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(another_order_decides_nothing, packers), KGT_TEXTS(what_may_be_stored_anywhere_is_anything, packers), KGT_TEXTS(what_no_order_changes_is_wrong, takers),
                            KGT(an_atomic_alone_excuses_nothing), KGT(an_order_that_fails_shows_nothing),
                            KGT_TEXTS(the_reference_has_one_order, packers)};
  return kgt_run("verify/outputs", tests, KGT_COUNT(tests));
}
