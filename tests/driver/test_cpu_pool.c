/* The CPU device's pool of threads. */
#include "driver/cpu/pool.h"
#include "tests/support/kgtest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct tally { _Atomic uint8_t *times; _Atomic uint64_t calls; uint32_t slow; } tally;

static void count_part(void *user, uint32_t first, uint32_t end) {
  tally *t = user;
  t->calls++;
  for (uint32_t i = first; i < end; i++) {
    t->times[i]++;
    for (volatile uint32_t k = 0; k < t->slow; k++) continue;
  }
}

typedef struct dispatches { kgi_pool *pool; tally *tally; uint32_t count, repeats; double cost; } dispatches;

static void dispatch(void *user) {
  dispatches *d = user;
  for (uint32_t r = 0; r < d->repeats; r++) {
    kgi_pool_share(d->pool, count_part, d->tally, d->count, &d->cost);
    /* all are done before the next begins */
    for (uint32_t i = 0; i < d->count; i++)
      if (d->tally->times[i] != (uint8_t)(r + 1)) d->tally->slow = UINT32_MAX;
  }
}

typedef struct sharing { const char *name; uint32_t count, threads, repeats, slow; double cost; } sharing;
static const sharing sharings[] = {
  {"none", 0, 2, 3, 0, 0}, {"one", 1, 2, 3, 0, 0}, {"one, alone", 1, 1, 3, 0, 0}, {"7, alone", 7, 1, 3, 0, 0}, {"7 of 7", 7, 7, 50, 100, 0},
  {"7 of 2", 7, 2, 50, 20000, 0}, {"many, alone", 100000, 1, 3, 0, 0}, {"many of 2", 100000, 2, 20, 0, 0},
  {"many of 7", 100000, 7, 20, 0, 0}, {"slow ones of 7", 1000, 7, 20, 1000, 0}, {"it was cheap", 100, 2, 20, 20000, 1e-3},
  {"it was dear", 100000, 3, 20, 0, 1e9}, {"small ones", 64, 2, 200, 10, 0},
};

START_TEST(each_group_once) {
  const sharing *s = &sharings[_i];
  tally t = {.times = calloc(s->count + 1, 1), .slow = s->slow};
  kgi_pool *pool = kgi_pool_new(NULL, s->threads);
  ck_assert_ptr_nonnull(pool);
  dispatches d = {pool, &t, s->count, s->repeats, s->cost};
  for (int k = 0; k < 2; k++) { /* on this stack, and on the pool's */
    for (uint32_t i = 0; i < s->count; i++) t.times[i] = 0;
    ck_assert(kgi_pool_call(pool, k ? KGI_POOL_STACK : 1000, dispatch, &d));
    ck_assert_uint_eq(t.slow, s->slow);
    for (uint32_t i = 0; i < s->count; i++) ck_assert_uint_eq(t.times[i], (uint8_t)s->repeats);
  }
  kgi_pool_free(pool);
  free((void *)t.times);
}
END_TEST

/* A frame that no usual stack holds. */
static void deep(void *user, uint32_t first, uint32_t end) {
  volatile char rows[48 << 20];
  for (size_t i = 0; i < sizeof rows; i += 4096) rows[i] = (char)first;
  *(_Atomic uint32_t *)user += (end - first) * (rows[0] == (char)first);
}
typedef struct deep_job { kgi_pool *pool; _Atomic uint32_t sum; double cost; } deep_job;
static void run_deep(void *user) {
  deep_job *j = user;
  kgi_pool_share(j->pool, deep, &j->sum, 5, &j->cost);
}

START_TEST(stacks_are_large) {
  deep_job j = {.pool = kgi_pool_new(NULL, 3)};
  ck_assert(kgi_pool_call(j.pool, UINT64_MAX, run_deep, &j));
  ck_assert_uint_eq(j.sum, 5);
  kgi_pool_free(j.pool);
  kgi_pool_free(NULL);
}
END_TEST

static void where_am_i(void *user) { *(pthread_t *)user = pthread_self(); }

/* The caller's own stack, where it does. */
START_TEST(whose_stack) {
  kgi_pool *pool = kgi_pool_new(NULL, 2);
  pthread_t at;
  ck_assert(kgi_pool_call(pool, 10000, where_am_i, &at));
  ck_assert(pthread_equal(at, pthread_self()));
  ck_assert(kgi_pool_call(pool, UINT64_MAX, where_am_i, &at));
  ck_assert(!pthread_equal(at, pthread_self()));
  kgi_pool_free(pool);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(each_group_once, sharings, name), KGT(stacks_are_large), KGT(whose_stack),
  };
  return kgt_run("driver/cpu_pool", tests, KGT_COUNT(tests));
}
