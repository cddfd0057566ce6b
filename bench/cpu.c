/* kgrad's CPU device against C that a person wrote with OpenMP (bench/cpu/hand.c), on the same numbers in the same run, in turns.
 * Times are those on the wall's clock, for both have all threads that they want. Vulkan stands beside them. All results are
 * compared with plain loops in double before anything is timed. */
#include "bench/cpu/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HAND, FAST, CPU, VULKAN, REFERENCE, PLAYERS };
enum { ROUNDS = 9, MOST_ROUNDS = 101 }; /* more than ROUNDS only while a row is younger than SECONDS */
static const double SECONDS = 2;

/* The most that the made kernel may take as a multiple of the one by hand: each, and the gradients at their median. */
static const double bar[BENCH_SWEEPS] = {1.2, 1.3}, bar_of_median = 1.1;
static const char *const sweep_name[BENCH_SWEEPS] = {"primal", "gradient"};
static const char *const who[PLAYERS] = {"hand", "hand, -ffast-math", "cpu", "vulkan", "reference"};

/* Those who take part: all kernels by hand, and the devices that there are. */
typedef struct table { kg_context *context; bench_device device[PLAYERS]; } table;

static void quiet(void *user, const kg_diag *d) { (void)user, (void)d; }

static bool has(const table *t, int player) {
  return player == HAND || player == FAST || t->device[player].device;
}

static void open_device(table *t, int player) {
  bench_device *d = &t->device[player];
  d->context = t->context;
  if (kg_device_open(t->context, who[player], &(kg_sink){quiet, NULL}, &d->device) != KG_OK) return;
  d->info = kg_device_describe(d->device);
  if (!strncmp(d->info.id, who[player], strlen(who[player]))) return;
  kg_device_free(d->device); /* some other one that has the word in its name */
  d->device = NULL;
}

static void open_table(table *t) {
  *t = (table){0};
  unsetenv("KGRAD_VALIDATE");
  if (kg_context_new(NULL, NULL, &bench_sink, &t->context) != KG_OK) return;
  open_device(t, CPU), open_device(t, VULKAN);
}

static void close_table(table *t) {
  for (int k = 0; k < PLAYERS; k++) kg_device_free(t->device[k].device);
  kg_context_free(t->context);
}

static bool open_player(const table *t, bench_player *p, const bench_field *f, bench_sweep sweep, int player) {
  const bench_hand_kernel *kernels = player == HAND ? bench_hand_plain : player == FAST ? bench_hand_fast : NULL;
  return bench_player_open(p, f, sweep, kernels, &t->device[player]) && bench_player_right(p, who[player]);
}

/* ---- results alone ---- */

static int check(const table *t, const bench_contest *c) {
  bench_field f;
  bool opened = bench_field_open(&f, c, true);
  int missed = !opened;
  for (int s = 0; opened && s < BENCH_SWEEPS; s++)
    for (int k = 0; k < PLAYERS; k++) {
      bench_player p;
      if (!has(t, k)) continue;
      missed += !open_player(t, &p, &f, (bench_sweep)s, k);
      bench_player_close(&p);
    }
  bench_field_close(&f);
  return missed;
}

int bench_cpu_check(void) {
  table t;
  int missed = 0;
  open_table(&t);
  if (t.context) open_device(&t, REFERENCE);
  printf("\nresults of odd sizes, by hand");
  for (int k = CPU; k < PLAYERS; k++)
    if (has(&t, k)) printf(", %s", who[k]);
  printf("\n");
  for (size_t k = 0; k < bench_contest_count; k++) missed += check(&t, &bench_contests[k]);
  close_table(&t);
  return missed;
}

/* ---- times ---- */

/* `middle` is the median of the rounds' ratios; `busy` is the ratio of what the threads used. */
typedef struct row { bench_spent least[PLAYERS]; double ratio, middle, busy; bool failed; } row;

/* Threads of those before may still be spinning for more to do: those of OpenMP for some milliseconds. Then each turn begins with a
 * play that does not count, for caches hold what those before used. */
static bool turn(bench_player *p, bench_spent *spent, bench_spent *least) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  if (!bench_play(p, spent) || !bench_play(p, spent)) return false;
  *least = (bench_spent){fmin(least->wall, spent->wall), fmin(least->cpu, spent->cpu)};
  return true;
}

static row take_turns(const table *t, bench_player *player) {
  row r = {.failed = true};
  double ratio[MOST_ROUNDS], end = bench_wall() + SECONDS;
  unsigned rounds = 0;
  for (int k = 0; k < PLAYERS; k++) r.least[k] = (bench_spent){INFINITY, INFINITY};
  for (; rounds < ROUNDS || (rounds < MOST_ROUNDS && bench_wall() < end); rounds++) {
    bench_spent spent[PLAYERS] = {{0}};
    for (int k = 0; k < REFERENCE; k++)
      if (has(t, k) && !turn(&player[k], &spent[k], &r.least[k])) return r;
    ratio[rounds] = spent[CPU].wall / spent[HAND].wall;
  }
  r.ratio = r.least[CPU].wall / r.least[HAND].wall, r.busy = r.least[CPU].cpu / r.least[HAND].cpu;
  r.middle = bench_median(ratio, rounds);
  r.failed = false;
  return r;
}

static row measure(const table *t, const bench_field *f, bench_sweep sweep) {
  bench_player player[PLAYERS] = {{0}};
  row r = {.failed = false};
  for (int k = 0; k < REFERENCE && !r.failed; k++) r.failed = has(t, k) && !open_player(t, &player[k], f, sweep, k);
  if (!r.failed) r = take_turns(t, player);
  for (int k = 0; k < PLAYERS; k++) bench_player_close(&player[k]);
  return r;
}

static void print_cell(bool there, double figure, const char *unit) {
  if (there) printf(" %8.2f%s", figure, unit);
  else printf(" %8s%*s", "-", (int)strlen(unit), "");
}

/* Whether the bar is met; without a CPU device there is nothing that could miss it. */
static bool print_row(const table *t, const bench_contest *c, bench_sweep sweep, const row *r) {
  bool made = has(t, CPU), vulkan = has(t, VULKAN), fine = !r->failed && (!made || r->ratio <= bar[sweep]);
  printf("%-20s %-9s", sweep == BENCH_PRIMAL ? c->name : "", sweep_name[sweep]);
  if (r->failed) return printf(" failed\n"), false;
  print_cell(made, r->ratio, ""), print_cell(made, r->middle, ""), print_cell(made, r->busy, "");
  printf("  <= %-4.4g", bar[sweep]);
  for (int k = 0; k < REFERENCE; k++) print_cell(has(t, k), r->least[k].wall * 1e3, " ms");
  print_cell(made, r->least[CPU].wall / r->least[FAST].wall, "");
  print_cell(made && vulkan, r->least[VULKAN].wall / r->least[CPU].wall, "");
  printf("%s\n", !made ? "  no cpu device" : fine ? "" : "  MISSED");
  fflush(stdout);
  return fine;
}

static void print_head(const table *t) {
  int threads = bench_hand_threads_plain();
  printf("\nmade/by hand on the wall's clock; threads by hand: ");
  if (threads) printf("%d", threads);
  else printf("1, for the compiler lacks OpenMP");
  if (has(t, VULKAN)) printf("; vulkan is %s", t->device[VULKAN].info.name);
  printf("\n%-20s %-9s %8s %8s %8s  %-7s %8s    %8s    %8s    %8s    %8s %8s\n", "", "", "ratio", "median",
         "in use", "bar", "hand", "-ffast", "cpu", "vulkan", "cpu/fast", "vk/cpu");
}

static int meet(const table *t, const bench_contest *c, double *gradient_ratio) {
  bench_field f;
  bool opened = bench_field_open(&f, c, false);
  int missed = !opened;
  *gradient_ratio = INFINITY; /* what fails is slower than anything */
  for (int s = 0; opened && s < BENCH_SWEEPS; s++) {
    row r = measure(t, &f, (bench_sweep)s);
    missed += !print_row(t, c, (bench_sweep)s, &r);
    if (s == BENCH_GRADIENT && !r.failed) *gradient_ratio = r.ratio;
  }
  bench_field_close(&f);
  return missed;
}

bool bench_on_cpu_has(const char *name) {
  for (size_t k = 0; k < bench_contest_count; k++)
    if (!strcmp(bench_contests[k].name, name)) return true;
  return false;
}

void bench_on_cpu_names(FILE *to, const char *prefix) {
  for (size_t k = 0; k < bench_contest_count; k++) fprintf(to, " %s%s", prefix, bench_contests[k].name);
}

/* How many bars were missed by all gradients together. */
static int judge_together(const table *t, double *ratio, size_t count) {
  if (!has(t, CPU)) return printf("there is no cpu device: its bars count as one that is missed\n"), 1;
  double middle = bench_median(ratio, (unsigned)count);
  return count == bench_contest_count && !bench_figure("gradients", "median of the ratios", middle, bar_of_median, false, "");
}

int bench_on_cpu(void) {
  enum { MOST = 32 };
  double ratio[MOST];
  size_t count = 0;
  table t;
  int missed = 0;
  open_table(&t);
  print_head(&t);
  for (size_t k = 0; k < bench_contest_count && count < MOST; k++)
    if (bench_on_cpu_asked(bench_contests[k].name)) missed += meet(&t, &bench_contests[k], &ratio[count++]);
  missed += judge_together(&t, ratio, count);
  close_table(&t);
  return missed;
}
