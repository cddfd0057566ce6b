/* Workgroups on several threads: nothing that is returned or reported depends on how many there are. */
#include "foundation/base/cores.h"
#include "reference/crew.h"
#include "tests/reference/reference_case.h"

#include <stdlib.h>

enum { MOST = 4096, TANGENTS = 3 };

/* What one run leaves behind. */
typedef struct outcome {
  kg_status status;
  kg_reference_report report;
  char diag[64];
  unsigned line, diags;
  unsigned char *buffer[KGT_BUFFERS];
  double *tangent[KGT_BUFFERS], *magnitude[KGT_BUFFERS];
} outcome;

typedef struct trial {
  kg_module *module;
  uint64_t length[KGT_BUFFERS], worth, step_limit;
  uint32_t tangents;
  pthread_t caller;
} trial;

typedef struct hearing { outcome *to; pthread_t caller; } hearing;

static void note(void *user, const kg_diag *diag) {
  const hearing *h = user;
  ck_assert_msg(pthread_equal(h->caller, pthread_self()), "the sink is called on another thread");
  if (!h->to->diags++) snprintf(h->to->diag, sizeof h->to->diag, "%s", diag->id), h->to->line = diag->line;
}

static void *of_caller(void *user, void *block, size_t old_size, size_t new_size) {
  const trial *t = user;
  ck_assert_msg(pthread_equal(t->caller, pthread_self()), "the allocator is called on another thread");
  (void)old_size;
  if (new_size) return realloc(block, new_size);
  free(block);
  return NULL;
}

static uint32_t word_at(size_t k) { return (uint32_t)(k * 2654435761u >> 7); }
static float float_at(size_t k) { return (float)(k * 37 % 101) / 8.0f - 5.0f; }

static void fill(const trial *t, outcome *o, uint32_t i) {
  kg_type type = kg_module_buffer(t->module, i).type;
  size_t count = (size_t)t->length[i], size = kg_type_size(type);
  o->buffer[i] = calloc(count, size);
  o->tangent[i] = calloc(count, TANGENTS * sizeof(double));
  o->magnitude[i] = calloc(count, TANGENTS * sizeof(double));
  for (size_t k = 0; k < count; k++) {
    float number = float_at(k);
    if (type == KG_F32) memcpy(o->buffer[i] + k * size, &number, size);
    else if (type == KG_U32) ((uint32_t *)(void *)o->buffer[i])[k] = word_at(k);
  }
  for (size_t k = 0; k < count * TANGENTS; k++) o->tangent[i][k] = type == KG_F32 ? (double)(k % 7) - 3 : 0;
}

static outcome run(trial *t, uint32_t threads) {
  outcome o = {0};
  hearing h = {&o, pthread_self()};
  kg_sink sink = {note, &h};
  kg_allocator allocator = {of_caller, t};
  t->caller = pthread_self();
  for (uint32_t i = 0; i < kg_module_buffer_count(t->module); i++) fill(t, &o, i);
  kg_reference_params params = {.module = t->module, .allocator = &allocator, .sink = &sink, .buffers = (void **)o.buffer,
                                .lengths = t->length, .threads = threads, .step_limit = t->step_limit,
                                .tangent_count = t->tangents, .tangents = o.tangent, .magnitudes = o.magnitude};
  o.status = kgi_reference_run(&params, t->worth, &o.report);
  return o;
}

static void discard(outcome *o) {
  for (int i = 0; i < KGT_BUFFERS; i++) free(o->buffer[i]), free(o->tangent[i]), free(o->magnitude[i]);
}

static void ck_same(const trial *t, const outcome *a, const outcome *b, uint32_t threads) {
  ck_assert_msg(a->status == b->status, "status %d, on %u threads %d", (int)a->status, threads, (int)b->status);
  ck_assert_msg(!memcmp(&a->report, &b->report, sizeof a->report), "another report on %u threads", threads);
  ck_assert_str_eq(a->diag, b->diag);
  ck_assert_uint_eq(a->line, b->line);
  ck_assert_uint_eq(a->diags, b->diags);
  for (uint32_t i = 0; a->status == KG_OK && i < kg_module_buffer_count(t->module); i++) {
    size_t count = (size_t)t->length[i], bytes = count * kg_type_size(kg_module_buffer(t->module, i).type);
    const char *name = kg_module_buffer(t->module, i).name;
    ck_assert_msg(!memcmp(a->buffer[i], b->buffer[i], bytes), "%s differs on %u threads", name, threads);
    if (!t->tangents) continue;
    size_t shadows = count * t->tangents * sizeof(double);
    ck_assert_msg(!memcmp(a->tangent[i], b->tangent[i], shadows), "tangents of %s differ on %u threads", name, threads);
    ck_assert_msg(!memcmp(a->magnitude[i], b->magnitude[i], shadows), "magnitudes of %s differ on %u threads", name, threads);
  }
}

static void open_trial(trial *t, const char *text, uint64_t lengths) {
  *t = (trial){0};
  ck_assert_int_eq(kg_module_parse(NULL, "threads.kg", text, strlen(text), NULL, &t->module), KG_OK);
  for (int i = 0; i < KGT_BUFFERS; i++) t->length[i] = lengths;
}

/* One thread against several, in value mode and with tangents; the outcome of one. */
static outcome compare(trial *t) {
  outcome alone = {0};
  for (t->tangents = 0; t->tangents <= TANGENTS; t->tangents += TANGENTS) {
    discard(&alone);
    alone = run(t, 1);
    for (uint32_t threads = 2; threads <= 5; threads++) {
      outcome several = run(t, threads);
      ck_same(t, &alone, &several, threads);
      discard(&several);
    }
  }
  kg_module_free(t->module);
  return alone;
}

static float *floats(const outcome *o, int buffer) { return (void *)o->buffer[buffer]; }
static uint32_t *words(const outcome *o, int buffer) { return (void *)o->buffer[buffer]; }

/* Sums whose value depends on the order, over colliding elements, and more of them than a log holds. */
START_TEST(float_atomics_are_applied_in_order) {
  trial t;
  open_trial(&t, "program p { workgroup 64 grid 40\nbuffer x : f32[4096] read\nbuffer s : f32[4096] read_write\n"
                 "for i in 0 .. 300 { atomic_add(s[(global_id.x + u32(i)) % 13], x[global_id.x] * 1.0e-3) }\n"
                 "atomic_max(s[20 + global_id.x % 3], x[global_id.x]) }", MOST);
  outcome o = compare(&t);
  ck_assert_int_eq(o.status, KG_OK);
  ck_assert_uint_eq(o.report.out_of_bounds_stores, 0);
  ck_assert(floats(&o, 1)[20] == 7.5f); /* the greatest of x: 100 / 8 - 5 */
  discard(&o);
}
END_TEST

START_TEST(integer_atomics_commute) {
  trial t;
  open_trial(&t, "program p { workgroup 8 grid 100\nbuffer h : u32[4096] read_write\nlet i = global_id.x\n"
                 "atomic_add(h[i % 16], 1) atomic_min(h[16], i) atomic_and(h[17], i | 3) atomic_xor(h[18], i) }", MOST);
  outcome o = compare(&t);
  uint32_t xor = word_at(18);
  for (uint32_t i = 0; i < 800; i++) xor ^= i;
  ck_assert_uint_eq(words(&o, 0)[18], xor);
  ck_assert_uint_eq(words(&o, 0)[0], 50); /* 800 / 16, from 0 */
  discard(&o);
}
END_TEST

/* Who comes first gets the first place: in order of workgroups. */
START_TEST(results_of_atomics_are_in_order) {
  trial t;
  open_trial(&t, "program p { workgroup 4 grid 200\nbuffer count : u32[4096] read_write\nbuffer q : u32[4096] write\n"
                 "let at = atomic_add(count[0], 1) q[at] = global_id.x * 2\nlet old = atomic_exchange(count[1], global_id.x)\n"
                 "q[at + 1000] = old }", MOST);
  outcome o = compare(&t);
  ck_assert_uint_eq(words(&o, 0)[0], 800);
  for (uint32_t i = 0; i < 800; i++) ck_assert_uint_eq(words(&o, 1)[i], 2 * i);
  for (uint32_t i = 1; i < 800; i++) ck_assert_uint_eq(words(&o, 1)[i + 1000], i - 1);
  discard(&o);
}
END_TEST

/* Elements that one workgroup alone changes, atomically, and then reads: no race, and the log must not hide the change. */
START_TEST(own_changes_are_seen) {
  trial t;
  open_trial(&t, "program p { workgroup 16 grid 64\nbuffer s : f32[4096] read_write\nbuffer y : f32[4096] write\n"
                 "let w = workgroup_id.x s[w] = 0.0\nbarrier atomic_add(s[w], 1.5)\nbarrier y[global_id.x] = s[w] }", MOST);
  outcome o = compare(&t);
  for (int i = 0; i < 1024; i++) ck_assert(floats(&o, 1)[i] == 24);
  discard(&o);
}
END_TEST

/* Neighbours of one byte each, stored by different workgroups. */
START_TEST(narrow_elements_do_not_tear) {
  trial t;
  open_trial(&t, "program p { workgroup 1 grid 4000\nbuffer b : u8[4096] write\nbuffer f : bf16[4096] write\nlet i = global_id.x\n"
                 "if i < 3969 { b[(i % 63) * 63 + i / 63] = i % 251 f[(i % 63) * 63 + i / 63] = f32(i % 128) } }", MOST);
  outcome o = compare(&t);
  for (uint32_t i = 0; i < 63 * 63; i++) ck_assert_uint_eq(o.buffer[0][(i % 63) * 63 + i / 63], i % 251);
  discard(&o);
}
END_TEST

START_TEST(the_first_fault_is_that_of_the_first_workgroup) {
  trial t;
  open_trial(&t, "program p { workgroup 4 grid 300\nbuffer y : u32[4096] write\nlet g = workgroup_id.x\n"
                 "if g == 290 { assert false \"late\" }\nif g % 100 == 50 { assert g == 250 \"first\" }\n"
                 "y[global_id.x + u32(select(g == 70 || g == 170, 100000, 0))] = g\n"
                 "if g > 200 { y[global_id.x + 100000] = 1 } }", MOST);
  outcome o = compare(&t);
  ck_assert_int_eq(o.status, KG_FAILED);
  ck_assert_uint_eq(o.diags, 1);
  ck_assert_uint_eq(o.line, 5); /* workgroup 50 */
  ck_assert_uint_eq(o.report.fault_count, 3 * 4);
  ck_assert_uint_eq(o.report.out_of_bounds_stores, 2 * 4 + 99 * 4);
  ck_assert_uint_eq(o.report.out_of_bounds_line, 6);
  discard(&o);
}
END_TEST

/* Small workgroups run in lock step with each other, which nobody sees. */
START_TEST(small_workgroups_know_who_they_are) {
  trial t;
  open_trial(&t, "program p { workgroup 3, 2, 4 grid 5, 4, 3\nbuffer y : u32[4096] write\n\n"
                 "let i = (workgroup_id.x + 5 * (workgroup_id.y + 4 * workgroup_id.z)) * 24 + local_index\n"
                 "y[i] = ((local_id.x * 10 + local_id.y) * 10 + local_id.z) * 1000 + global_id.x\n"
                 "  + 100 * (global_id.y % 10) + 50 * (global_id.z % 2) }", MOST);
  outcome o = compare(&t);
  for (uint32_t i = 0; i < 60 * 24; i++) {
    uint32_t l = i % 24, g = i / 24, x = l % 3, y = l / 3 % 2, z = l / 6, gy = g / 5 % 4 * 2 + y, gz = g / 20 * 4 + z;
    ck_assert_uint_eq(words(&o, 0)[i], ((x * 10 + y) * 10 + z) * 1000 + g % 5 * 3 + x + 100 * (gy % 10) + 50 * (gz % 2));
  }
  discard(&o);
}
END_TEST

START_TEST(the_first_access_out_of_bounds_is_that_of_the_first_workgroup) {
  trial t;
  open_trial(&t, "program p { workgroup 4 grid 300\nbuffer y : u32[4096] write\nlet i = global_id.x\n"
                 "y[select(i > 400, 5000, i)] = i\ny[select(i / 4 == 50, 5000, i + 2000)] = i\n"
                 "y[select(i / 4 == 57, 5000, i + 2000)] = i }", MOST);
  outcome o = compare(&t);
  ck_assert_uint_eq(o.report.out_of_bounds_stores, 799 + 4 + 4);
  ck_assert_uint_eq(o.report.out_of_bounds_line, 5);
  discard(&o);
}
END_TEST

/* What lies behind the workgroup that ends the run does not count, though it may never end. */
START_TEST(a_run_ends_at_the_first_workgroup_that_ends_it) {
  trial t;
  open_trial(&t, "program p { workgroup 4 grid 300\nbuffer y : u32[4096] write\nlet g = workgroup_id.x\nvar k = 0\n"
                 "while g >= 200 { k += 1 }\nfor i in 0 .. 20 { k += i }\n"
                 "if g == 150 && local_id.x == 1 { barrier }\nif g < 3 { assert false \"early\" }\n"
                 "y[global_id.x] = u32(k) }", MOST);
  outcome o = compare(&t);
  ck_assert_int_eq(o.report.fault, KG_FAULT_ASSERT);
  ck_assert_uint_eq(o.report.fault_count, 3 * 4 + 3);
  discard(&o);
}
END_TEST

/* A block that passes the limit by itself, and blocks that do so together. */
START_TEST(step_limits_are_held_in_order) {
  trial t;
  const char *text = "program p { workgroup 64 grid 300\nbuffer y : u32[4096] write\nvar k = 0\n"
                     "for i in 0 .. 50 { k += i }\nwhile workgroup_id.x == 90 { k += 1 }\ny[global_id.x] = u32(k) }";
  for (uint64_t limit = 20000; limit < 4000000; limit *= 3) {
    open_trial(&t, text, MOST);
    t.step_limit = limit;
    outcome o = compare(&t);
    ck_assert_int_eq(o.report.fault, KG_FAULT_STEP_LIMIT);
    ck_assert_uint_gt(o.report.lane_instructions, limit);
    ck_assert_uint_lt(o.report.lane_instructions, 2 * limit + 20000);
    discard(&o);
  }
}
END_TEST

/* More work than threads need to pay, several dispatches, grids of three dimensions. */
START_TEST(threads_are_called_when_they_pay) {
  trial t;
  open_trial(&t, "module m { buffer s : f32[4096] read_write\n"
                 "program p { workgroup 4, 2, 4 grid 3, 4, 5\nbuffer s : f32[4096] read_write\n"
                 "let i = global_id.x + 12 * (global_id.y + 8 * global_id.z)\nvar a = s[i]\n"
                 "for k in 0 .. 100 { a = a * 0.99 + 0.125 }\ns[i] = a atomic_add(s[4095], a) }\n"
                 "repeat k in 0 .. 3 { run p(s = s) } }", MOST);
  t.worth = 50000;
  outcome o = compare(&t);
  ck_assert_int_eq(o.status, KG_OK);
  discard(&o);
}
END_TEST

/* Memory for fewer machines than threads, or for one alone: another number of threads, the same results. */
START_TEST(a_memory_limit_is_kept) {
  trial t;
  const char *text = "module m { buffer s : f32[4096] read_write\n"
                     "program p { workgroup 64 grid 64\nbuffer s : f32[4096] read_write\nvar t : f32[100]\n"
                     "for k in 0 .. 100 { t[k] = f32(k) }\nvar a = s[global_id.x]\nfor k in 0 .. 100 { a = a * 0.5 + t[k] }\n"
                     "s[global_id.x] = a }\nprogram q { workgroup 128 grid 32\nbuffer s : f32[4096] read_write\nvar t : f32[200]\n"
                     "for k in 0 .. 200 { t[k] = s[global_id.x] }\ns[global_id.x] = t[199] }\nrun p(s = s) run q(s = s) }";
  ck_assert_int_eq(kg_module_parse(NULL, "threads.kg", text, strlen(text), NULL, &t.module), KG_OK);
  for (uint64_t limit = 1000; limit < 4000000; limit += limit / 3) {
    float s[2][MOST] = {{0}};
    kg_status status[2];
    for (int several = 0; several < 2; several++) {
      void *buffers[] = {s[several]};
      kg_reference_params params = {.module = t.module, .buffers = buffers, .memory_limit = limit, .threads = several ? 4 : 1};
      for (int i = 0; i < MOST; i++) s[several][i] = (float)i;
      status[several] = kgi_reference_run(&params, 0, NULL);
    }
    ck_assert_int_eq(status[0], status[1]);
    ck_assert(status[0] == KG_OK || status[0] == KG_NO_MEMORY);
    ck_assert(status[0] != KG_OK || !memcmp(s[0], s[1], sizeof s[0]));
  }
  kg_module_free(t.module);
}
END_TEST

START_TEST(there_is_a_core) { ck_assert_uint_ge(kgi_cores(), 1); }
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(float_atomics_are_applied_in_order), KGT(integer_atomics_commute), KGT(results_of_atomics_are_in_order),
    KGT(own_changes_are_seen), KGT(narrow_elements_do_not_tear),
    KGT(the_first_fault_is_that_of_the_first_workgroup),
    KGT(small_workgroups_know_who_they_are), KGT(the_first_access_out_of_bounds_is_that_of_the_first_workgroup),
    KGT(a_run_ends_at_the_first_workgroup_that_ends_it),
    KGT(step_limits_are_held_in_order), KGT(threads_are_called_when_they_pay), KGT(a_memory_limit_is_kept), KGT(there_is_a_core),
  };
  return kgt_run("reference/threads", tests, KGT_COUNT(tests));
}
