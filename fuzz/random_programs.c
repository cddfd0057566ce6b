/* random_programs PROPERTY [FIRST [COUNT [FEATURES [STATEMENTS]]]]: a property over the programs of so many seeds, for hunting by
 * hand; tests/test_fuzz_*.c run a few of them in every check. A failure is reduced and printed. FEATURES is a number, 0: the
 * property's own. A COUNT of 0 prints the program of the seed FIRST and asks about it alone. At the end stands what the programs
 * covered, table by table, and so it does when the program is told to end (SIGINT, SIGTERM; SIGQUIT ends it at once). On a terminal
 * a line says how far it is. What the CPU device runs is compiled together, some tens of programs at a time. In the environment:
 *   KGRAD_FUZZ_FAILURES   the number of failures at which to stop, 1 by default
 *   KGRAD_FUZZ_DEVICE     the device that is asked, "vulkan" by default
 *   KGRAD_FUZZ_MATH       the mode in which it computes: default or fast, exact without it
 *   KGRAD_FUZZ_REFUSAL    the id of a refusal that counts as a failure, to see whether it is necessary
 *   KGRAD_FUZZ_TRIES      how often reducing may ask about a program, 4000 times by default
 *   KGRAD_FUZZ_COVERAGE   every count of every table; KGRAD_FUZZ_QUIET: none
 */
#define _POSIX_C_SOURCE 200809L
#include "fuzz/reduce.h"
#include "fuzz/ask/together.h"
#include <kgrad/driver.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { IDS = 40 };

typedef struct tally {
  uint64_t holds, refused, vacuous, fails;
  struct { char id[64]; uint64_t count; } id[IDS];
} tally;

static void count_refusal(tally *t, const char *id) {
  t->refused++;
  for (int i = 0; i < IDS; i++) {
    if (t->id[i].count && strcmp(t->id[i].id, id)) continue;
    snprintf(t->id[i].id, sizeof t->id[i].id, "%s", id);
    t->id[i].count++;
    return;
  }
}

typedef struct question {
  kgi_property_row row;
  kgi_ask fuzz;
  uint32_t features;
  const char *refusal; /* that counts as a failure, or NULL */
  kgi_fuzz_shapes shapes; /* the reducer makes no others: what fails there would be another failure */
  char failure[12];    /* how it is told begins: likewise */
} question;

static bool are_among(const kgi_fuzz_shapes *some, const kgi_fuzz_shapes *all) {
  for (unsigned i = 0; i < KGI_FUZZ_MOST_SHAPES; i++)
    if (kgi_fuzz_has_shape(some, i) && !kgi_fuzz_has_shape(all, i)) return false;
  return true;
}

static bool still_fails(void *user, const uint8_t *bytes, size_t size) {
  question *q = user;
  q->fuzz.bytes = bytes, q->fuzz.size = size;
  kgi_answer verdict = q->row.holds(&q->fuzz);
  if (!are_among(&q->fuzz.shapes, &q->shapes)) return false;
  if (verdict == KGI_FAILS) return !strncmp(q->fuzz.what, q->failure, sizeof q->failure);
  return (verdict == KGI_REFUSED && q->refusal && !strcmp(q->refusal, q->fuzz.id));
}

static void print_shapes(const char *what, const kgi_fuzz_shapes *shapes) {
  printf("%s:", what);
  for (unsigned i = 0; kgi_fuzz_shape_name(i); i++)
    if (kgi_fuzz_has_shape(shapes, i)) printf(" [%s]", kgi_fuzz_shape_name(i));
  printf("\n");
}

static void report(question *q, uint8_t *bytes, size_t size, uint64_t seed) {
  printf("seed %llu: %s\n", (unsigned long long)seed, q->fuzz.what);
  print_shapes("shapes", &q->fuzz.shapes);
  q->fuzz.coverage = NULL, q->shapes = q->fuzz.shapes;
  memcpy(q->failure, q->fuzz.what, sizeof q->failure);
  const char *tries = getenv("KGRAD_FUZZ_TRIES");
  size = kgi_fuzz_reduce(bytes, size, still_fails, q, tries ? (unsigned)strtoul(tries, NULL, 10) : 4000);
  still_fails(q, bytes, size);
  char *text = kgi_ask_text(&q->fuzz);
  printf("reduced to %zu bytes: %s\ndata %llu\n%s\n", size, q->fuzz.what, (unsigned long long)q->fuzz.data, text ? text : "");
  print_shapes("shapes left", &q->fuzz.shapes);
  free(text);
}

static bool ask(question *q, uint64_t seed, tally *t, bool print) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  q->fuzz.bytes = bytes, q->fuzz.size = sizeof bytes, q->fuzz.data = seed;
  q->fuzz.features = q->features;
  kgi_answer verdict = q->row.holds(&q->fuzz);
  if (print) {
    char *text = kgi_ask_text(&q->fuzz);
    printf("%s\nverdict %d %s %s\n", text ? text : "", (int)verdict, q->fuzz.id, q->fuzz.what);
    free(text);
  }
  if (verdict == KGI_HOLDS) t->holds++;
  if (verdict == KGI_VACUOUS) t->vacuous++;
  if (verdict == KGI_REFUSED) count_refusal(t, q->fuzz.id);
  if (verdict == KGI_REFUSED && q->refusal && !strcmp(q->refusal, q->fuzz.id)) verdict = KGI_FAILS;
  if (verdict == KGI_FAILS) t->fails++, report(q, bytes, sizeof bytes, seed);
  return verdict != KGI_FAILS;
}

/* ---- how far it is ---- */

static volatile sig_atomic_t stopped;
static void stop(int number) { stopped = number; }

static void listen(void) {
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGINT, &action, NULL), sigaction(SIGTERM, &action, NULL);
}

static void print_progress(const tally *t, uint64_t seed) {
  static time_t last;
  time_t now = time(NULL);
  if (now == last || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\rseed %llu: %llu hold, %llu refused, ", (unsigned long long)seed, (unsigned long long)t->holds,
          (unsigned long long)t->refused);
  fprintf(stderr, "%llu vacuous, %llu fail ", (unsigned long long)t->vacuous, (unsigned long long)t->fails);
  last = now;
}

static void compile_ahead(const question *q, uint64_t seed, uint64_t left) {
  kgi_ask f = q->fuzz;
  f.features = q->features;
  bool compiled = kgi_compile_together(&q->row, &f, seed, left < KGI_TOGETHER ? (unsigned)left : KGI_TOGETHER);
  if (!compiled && !stopped) printf("from seed %llu on, not compiled together: %s\n", (unsigned long long)seed, f.what);
}

/* What was under way when it was told to end has no verdict: the compiler was told, too. */
static void ask_all(question *q, uint64_t first, uint64_t count, uint64_t most, tally *t) {
  bool ahead = q->fuzz.target && !strcmp(q->fuzz.target->id, "cpu");
  for (uint64_t i = 0; i < count && t->fails < most && !stopped; i++) {
    if (ahead && i % KGI_TOGETHER == 0) compile_ahead(q, first + i, count - i);
    tally before = *t;
    if (!stopped) ask(q, first + i, t, false);
    if (stopped) *t = before;
    print_progress(t, first + i);
  }
  if (stopped) printf("told to end by signal %d\n", (int)stopped);
}

/* A line for each table, and what it misses; with KGRAD_FUZZ_COVERAGE every count. */
typedef struct summary { const char *table; unsigned cells, filled; char missing[400]; bool all; } summary;

static void end_table(const summary *s) {
  bool cut = strlen(s->missing) + 1 == sizeof s->missing;
  if (!s->table) return;
  printf("  %-28s %4u of %4u%s%s%s\n", s->table, s->filled, s->cells, s->missing[0] ? ", without" : "", s->missing,
         cut ? "..." : "");
}

static void see_cell(void *user, const char *table, const char *name, uint64_t count) {
  summary *s = user;
  if (!s->table || strcmp(s->table, table)) {
    end_table(s);
    *s = (summary){.table = table, .all = s->all};
  }
  size_t used = strlen(s->missing);
  s->cells++, s->filled += count != 0;
  if (!count) snprintf(s->missing + used, sizeof s->missing - used, "%s %s", used ? "," : "", name);
  if (s->all) printf("%12llu %s %s\n", (unsigned long long)count, table, name);
}

static void print_coverage(const kgi_fuzz_coverage *c) {
  summary s = {.all = getenv("KGRAD_FUZZ_COVERAGE") != NULL};
  printf("%llu modules, %llu programs, %llu instructions\n", (unsigned long long)c->modules, (unsigned long long)c->programs,
         (unsigned long long)c->instructions);
  if (getenv("KGRAD_FUZZ_QUIET")) return;
  kgi_fuzz_cells(c, see_cell, &s);
  end_table(&s);
}

static const kgi_property_row *find(const char *name) {
  return kgi_property_named(name);
}

static uint64_t number(int argc, char **argv, int at, uint64_t otherwise) {
  return at < argc ? strtoull(argv[at], NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
  const kgi_property_row *row = argc > 1 ? find(argv[1]) : NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!row) {
    fprintf(stderr, "usage: random_programs forms|clean|import|threads|races|detectors|gradient|split|stated|points|jvp|jvp-device|"
                    "adjoint-races|device|smooth|adjoint|subgroups|wild-clean|wild-device [FIRST [COUNT [FEATURES [STATEMENTS]]]]\n");
    return 2;
  }
  uint64_t first = number(argc, argv, 2, 1), count = number(argc, argv, 3, 100), features = number(argc, argv, 4, 0);
  kgi_fuzz_coverage coverage = {0};
  tally t = {0};
  kg_context *context = NULL;
  kg_device *opened = NULL;
  kgi_target target;
  question q = {.row = *row, .fuzz = {.coverage = &coverage, .statements = (uint32_t)number(argc, argv, 5, 0)},
                .refusal = getenv("KGRAD_FUZZ_REFUSAL")};
  q.features = features ? (uint32_t)features : row->features;
  const char *device = getenv("KGRAD_FUZZ_DEVICE") ? getenv("KGRAD_FUZZ_DEVICE") : "vulkan";
  if (row->device && kg_context_new(NULL, NULL, NULL, &context) == KG_OK) kg_device_open(context, device, NULL, &opened);
  if (row->device && !opened) {
    fprintf(stderr, "there is no device %s\n", device);
    return 2;
  }
  if (opened) target = kgi_target_of(opened), q.fuzz.target = &target;
  const char *math = getenv("KGRAD_FUZZ_MATH");
  while (math && q.fuzz.math < KG_MATH_FAST && strcmp(math, kg_math_name(q.fuzz.math))) q.fuzz.math++;
  uint64_t most = getenv("KGRAD_FUZZ_FAILURES") ? strtoull(getenv("KGRAD_FUZZ_FAILURES"), NULL, 0) : 1;
  listen();
  if (count) ask_all(&q, first, count, most, &t);
  else ask(&q, first, &t, true);
  printf("%s: %llu hold, %llu refused, %llu vacuous, %llu fail\n", row->name, (unsigned long long)t.holds,
         (unsigned long long)t.refused, (unsigned long long)t.vacuous, (unsigned long long)t.fails);
  for (int i = 0; i < IDS && t.id[i].count; i++) printf("  %6llu %s\n", (unsigned long long)t.id[i].count, t.id[i].id);
  print_coverage(&coverage);
  kg_device_free(opened);
  kg_context_free(context);
  return stopped ? 128 + stopped : t.fails != 0;
}
