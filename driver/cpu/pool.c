#define _GNU_SOURCE
#include "driver/cpu/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum {
  MOST_THREADS = 256,
  SPINS = 1000,       /* looks before a thread goes to sleep: some tens of microseconds */
  YIELDS = 10,        /* for a helper to come, where all is shared */
  SHARE_NS = 8000,    /* what is left is shared if it takes so long, where others are awake ... */
  WAKE_NS = 50000,    /* ... and where they have to be woken */
  CHUNK_NS = 2000,    /* the least that is worth taking by itself */
  CHUNKS_EACH = 16,   /* parts of a dispatch for each thread, so that the last ones end together */
};

/* ThreadSanitizer sees only what several threads do: so many dispatches are shared, however little they take. */
#ifdef __SANITIZE_THREAD__
static const uint64_t eager = 100;
#else
static const uint64_t eager = 0;
#endif

/* One dispatch, shared by the thread that leads and the helpers. */
typedef struct share {
  kgi_pool_work *work;
  void *user;
  uint32_t count, chunk;
} share;

typedef struct job { void (*run)(void *user); void *user; bool waiting, done; } job;

struct kgi_pool {
  kg_allocator alloc;
  uint32_t threads, helpers; /* wanted in all; helpers that run */
  pthread_t helper[MOST_THREADS], leader;
  bool led; /* there is a leader */

  /* of the dispatch under way */
  share now;
  _Atomic uint64_t next;   /* what nobody has taken yet begins here */
  _Atomic uint64_t open;   /* the number of the dispatch that helpers may join; 0: none */
  _Atomic uint32_t inside; /* helpers that look at `now` */
  uint64_t serial;

  pthread_mutex_t lock;
  pthread_cond_t work, idle;  /* a dispatch is open, or all is over; nobody is inside any more */
  _Atomic uint32_t sleeping;  /* helpers */
  _Atomic bool waiting;       /* the one who leads, for `idle` */
  _Atomic bool quit;

  pthread_cond_t call, answer; /* to and from the leader */
  job called;

  pthread_t caller; /* whose stack this is: */
  uintptr_t low, high;
};

static void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- helpers ---- */

/* How many groups the thread has run. */
static uint64_t take_chunks(kgi_pool *p) {
  share s = p->now;
  uint64_t ran = 0;
  for (uint64_t from; (from = atomic_fetch_add_explicit(&p->next, s.chunk, memory_order_relaxed)) < s.count;) {
    uint64_t end = from + s.chunk < s.count ? from + s.chunk : s.count;
    s.work(s.user, (uint32_t)from, (uint32_t)end);
    ran += end - from;
  }
  return ran;
}

/* Whoever comes inside before the dispatch is closed is waited for; whoever comes later sees that it is closed. */
static void leave(kgi_pool *p) {
  if (atomic_fetch_sub(&p->inside, 1) != 1 || !atomic_load(&p->waiting)) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_signal(&p->idle);
  pthread_mutex_unlock(&p->lock);
}

static bool is_news(kgi_pool *p, uint64_t seen) {
  uint64_t open = atomic_load(&p->open);
  return (open && open != seen) || atomic_load(&p->quit);
}

static void await_news(kgi_pool *p, uint64_t seen) {
  for (int i = 0; i < SPINS; i++) {
    if (is_news(p, seen)) return;
    pause_a_little();
  }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->sleeping, 1);
  while (!is_news(p, seen)) pthread_cond_wait(&p->work, &p->lock);
  atomic_fetch_sub(&p->sleeping, 1);
  pthread_mutex_unlock(&p->lock);
}

static void *help(void *user) {
  kgi_pool *p = user;
  for (uint64_t seen = 0; !atomic_load(&p->quit);) {
    await_news(p, seen);
    atomic_fetch_add(&p->inside, 1);
    uint64_t open = atomic_load(&p->open);
    if (open && open != seen) seen = open, take_chunks(p);
    leave(p);
  }
  return NULL;
}

/* Signals are for the program's own threads. */
static bool start_thread(pthread_t *thread, void *(*serve)(void *), kgi_pool *p) {
  sigset_t all, old;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool fine = pthread_attr_setstacksize(&attributes, KGI_POOL_STACK) == 0 && pthread_create(thread, &attributes, serve, p) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return fine;
}

/* With fewer than were wanted it goes on as well. */
static void start_helpers(kgi_pool *p) {
  while (p->helpers + 1 < p->threads && start_thread(&p->helper[p->helpers], help, p)) p->helpers++;
  p->threads = p->helpers + 1;
}

/* ---- sharing ---- */

static void wake(kgi_pool *p, uint64_t useful) {
  uint32_t sleeping = atomic_load(&p->sleeping);
  if (!sleeping) return;
  pthread_mutex_lock(&p->lock);
  if (useful >= sleeping) pthread_cond_broadcast(&p->work);
  else
    for (uint64_t i = 0; i < useful; i++) pthread_cond_signal(&p->work);
  pthread_mutex_unlock(&p->lock);
}

static void await_helpers(kgi_pool *p) {
  for (int i = 0; i < SPINS && atomic_load(&p->inside); i++) pause_a_little();
  if (!atomic_load(&p->inside)) return;
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->waiting, true);
  while (atomic_load(&p->inside)) pthread_cond_wait(&p->idle, &p->lock);
  atomic_store(&p->waiting, false);
  pthread_mutex_unlock(&p->lock);
}

static uint32_t chunk_of(const kgi_pool *p, uint32_t left, double cost) {
  uint32_t even = left / p->threads, chunk = left / (p->threads * CHUNKS_EACH);
  double worth = cost > 0 ? CHUNK_NS / cost : 0;
  if (p->serial < eager) return 1;
  if (chunk < worth) chunk = worth < even ? (uint32_t)worth : even;
  return chunk ? chunk : 1;
}

/* Its own first chunk tells what one costs, even where helpers take all others. */
static void share_rest(kgi_pool *p, kgi_pool_work *work, void *user, uint32_t from, uint32_t count, double *cost) {
  start_helpers(p);
  uint32_t chunk = chunk_of(p, count - from, *cost), own = count - from < chunk ? count - from : chunk;
  p->now = (share){work, user, count, chunk};
  atomic_store_explicit(&p->next, (uint64_t)from + own, memory_order_relaxed);
  atomic_store(&p->open, ++p->serial);
  wake(p, (count - from - own + chunk - 1) / chunk);
  for (int i = 0; p->serial <= eager && i < YIELDS && !atomic_load(&p->inside); i++) sched_yield();
  double start = now_ns();
  work(user, from, from + own);
  uint64_t ran = own + take_chunks(p);
  *cost = (now_ns() - start) / (double)ran;
  atomic_store(&p->open, 0);
  await_helpers(p);
}

/* Goes on alone as long as what is left is not worth sharing by what it has seen; returns how far it came. */
static uint32_t run_alone(const kgi_pool *p, kgi_pool_work *work, void *user, uint32_t count, double *cost) {
  double worth = atomic_load(&p->sleeping) || !p->helpers ? WAKE_NS : SHARE_NS, start = 0, each = *cost;
  uint32_t done = 0;
  while (done < count && (count - done) * each < worth) {
    double first = CHUNK_NS / each + 1;
    uint32_t left = count - done, step = done ? done : first < left ? (uint32_t)first : left;
    if (!done) start = now_ns();
    work(user, done, done + (step < left ? step : left));
    done += step < left ? step : left;
    each = (now_ns() - start) / done + 1e-3;
  }
  if (done) *cost = each;
  return done;
}

void kgi_pool_share(kgi_pool *p, kgi_pool_work *work, void *user, uint32_t count, double *cost) {
  uint32_t done = 0;
  if (!count) return;
  if (p->threads == 1 || count == 1) return work(user, 0, count);
  if (*cost > 0 && p->serial >= eager) done = run_alone(p, work, user, count, cost);
  if (done < count) share_rest(p, work, user, done, count, cost);
}

/* ---- whose stack ---- */

/* Of the calling thread; 0: it is not known. */
static uint64_t stack_left(kgi_pool *p) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
#ifdef __linux__
  pthread_t self = pthread_self();
  if (!p->high || !pthread_equal(self, p->caller) || here < p->low || here >= p->high) {
    pthread_attr_t attributes;
    void *low;
    size_t size;
    p->high = 0;
    if (pthread_getattr_np(self, &attributes) != 0) return 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) p->caller = self, p->low = (uintptr_t)low, p->high = p->low + size;
    pthread_attr_destroy(&attributes);
  }
#endif
  return here >= p->low && here < p->high ? here - p->low : 0;
}

static void *lead(void *user) {
  kgi_pool *p = user;
  pthread_mutex_lock(&p->lock);
  while (!atomic_load(&p->quit)) {
    if (p->called.waiting) {
      p->called.waiting = false;
      pthread_mutex_unlock(&p->lock);
      p->called.run(p->called.user);
      pthread_mutex_lock(&p->lock);
      p->called.done = true;
      pthread_cond_signal(&p->answer);
    } else {
      pthread_cond_wait(&p->call, &p->lock);
    }
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

bool kgi_pool_call(kgi_pool *p, uint64_t stack, void (*run)(void *user), void *user) {
  if (stack <= KGI_POOL_STACK && stack < stack_left(p)) return run(user), true;
  if (!p->led) p->led = start_thread(&p->leader, lead, p);
  if (!p->led) return false;
  pthread_mutex_lock(&p->lock);
  p->called = (job){.run = run, .user = user, .waiting = true};
  pthread_cond_signal(&p->call);
  while (!p->called.done) pthread_cond_wait(&p->answer, &p->lock);
  pthread_mutex_unlock(&p->lock);
  return true;
}

/* ---- making one ---- */

kgi_pool *kgi_pool_new(const kg_allocator *alloc, uint32_t threads) {
  kgi_pool *p = kgi_alloc(alloc, sizeof *p);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  if (alloc) p->alloc = *alloc;
  p->threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->work, NULL), pthread_cond_init(&p->idle, NULL);
  pthread_cond_init(&p->call, NULL), pthread_cond_init(&p->answer, NULL);
  return p;
}

void kgi_pool_free(kgi_pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->quit, true);
  pthread_cond_broadcast(&p->work), pthread_cond_broadcast(&p->call);
  pthread_mutex_unlock(&p->lock);
  for (uint32_t i = 0; i < p->helpers; i++) pthread_join(p->helper[i], NULL);
  if (p->led) pthread_join(p->leader, NULL);
  pthread_cond_destroy(&p->work), pthread_cond_destroy(&p->idle), pthread_cond_destroy(&p->call), pthread_cond_destroy(&p->answer);
  pthread_mutex_destroy(&p->lock);
  kg_allocator own = p->alloc;
  kgi_free(&own, p, sizeof *p);
}
