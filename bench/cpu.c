/* kgrad's CPU device against C that a person wrote with OpenMP (bench/cpu/hand.c), on the same numbers in the same run, in turns.
 * Times are those on the wall's clock, for both have all threads that they want. Vulkan stands beside them. All results are
 * compared with plain loops in double before anything is timed. */
#include "bench/cpu/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most that the made kernel may take as a multiple of the one by hand: each, and the gradients at their median. */
static const double bar[BENCH_SWEEPS] = {1.2, 1.3}, bar_of_median = 1.1;
static const char *const sweep_name[BENCH_SWEEPS] = {"primal", "gradient"};
static const unsigned timed = 1u << BENCH_HAND | 1u << BENCH_HAND_FAST | 1u << BENCH_ON_CPU | 1u << BENCH_ON_VULKAN;

static bool has(const bench_table *t, bench_seat seat) { return t->taken & 1u << seat; }

int bench_cpu_check(void) {
  bench_table t;
  bench_table_open(&t, ~0u, 0);
  printf("\nresults of odd sizes, by hand");
  for (bench_seat k = BENCH_ON_CPU; k < BENCH_SEATS; k++)
    if (has(&t, k)) printf(", %s", bench_seat_name(k));
  printf("\n");
  int missed = bench_table_check(&t, bench_contests, bench_contest_count);
  missed += bench_table_check(&t, bench_primitive_contests, bench_primitive_contest_count);
  bench_table_close(&t);
  return missed;
}

/* ---- times ---- */

/* `middle` is the median of the rounds' ratios; `busy` is the ratio of what the threads used. */
typedef struct row { bench_spent least[BENCH_SEATS]; double ratio, middle, busy; bool failed; } row;

static row sum_up(const bench_turns *turns) {
  row r = {.failed = turns->failed};
  if (r.failed) return r;
  memcpy(r.least, turns->least, sizeof r.least);
  r.ratio = r.least[BENCH_ON_CPU].wall / r.least[BENCH_HAND].wall, r.busy = r.least[BENCH_ON_CPU].cpu / r.least[BENCH_HAND].cpu;
  r.middle = bench_turns_ratio(turns, BENCH_ON_CPU, BENCH_HAND).wall;
  return r;
}

static row measure(const bench_table *t, const bench_field *f, bench_sweep sweep) {
  static bench_turns turns;
  bench_player player[BENCH_SEATS] = {{0}};
  turns.failed = false;
  for (bench_seat k = 0; k < BENCH_SEATS && !turns.failed; k++)
    turns.failed = bench_seat_taken(t, f->contest, k) && !bench_seat_open(t, &player[k], f, sweep, k);
  if (!turns.failed) bench_take_turns(player, BENCH_SEATS, &turns);
  for (int k = 0; k < BENCH_SEATS; k++) bench_player_close(&player[k]);
  return sum_up(&turns);
}

static void print_cell(bool there, double figure, const char *unit) {
  if (there) printf(" %8.2f%s", figure, unit);
  else printf(" %8s%*s", "-", (int)strlen(unit), "");
}

/* Whether the bar is met; without a CPU device there is nothing that could miss it. */
static bool print_row(const bench_table *t, const bench_contest *c, bench_sweep sweep, const row *r) {
  bool made = has(t, BENCH_ON_CPU), vulkan = has(t, BENCH_ON_VULKAN), fine = !r->failed && (!made || r->ratio <= bar[sweep]);
  printf("%-20s %-9s", sweep == BENCH_PRIMAL ? c->name : "", sweep_name[sweep]);
  if (r->failed) return printf(" failed\n"), false;
  print_cell(made, r->ratio, ""), print_cell(made, r->middle, ""), print_cell(made, r->busy, "");
  printf("  <= %-4.4g", bar[sweep]);
  for (bench_seat k = 0; k < BENCH_SEATS; k++)
    if (timed & 1u << k) print_cell(has(t, k), r->least[k].wall * 1e3, " ms");
  print_cell(made, r->least[BENCH_ON_CPU].wall / r->least[BENCH_HAND_FAST].wall, "");
  print_cell(made && vulkan, r->least[BENCH_ON_VULKAN].wall / r->least[BENCH_ON_CPU].wall, "");
  printf("%s\n", !made ? "  no cpu device" : fine ? "" : "  MISSED");
  fflush(stdout);
  return fine;
}

static void print_head(const bench_table *t) {
  int threads = bench_hand_threads_plain();
  printf("\nmade/by hand on the wall's clock; threads by hand: ");
  if (threads) printf("%d", threads);
  else printf("1, for the compiler lacks OpenMP");
  if (has(t, BENCH_ON_VULKAN)) printf("; vulkan is %s", t->device[BENCH_ON_VULKAN].info.name);
  printf("\n%-20s %-9s %8s %8s %8s  %-7s %8s    %8s    %8s    %8s    %8s %8s\n", "", "", "ratio", "median",
         "in use", "bar", "hand", "-ffast", "cpu", "vulkan", "cpu/fast", "vk/cpu");
}

static int meet(const bench_table *t, const bench_contest *c, double *gradient_ratio) {
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

bool bench_on_cpu_has(const char *name) { return bench_contest_named(bench_contests, bench_contest_count, name); }
void bench_on_cpu_names(FILE *to, const char *prefix) { bench_contest_names(bench_contests, bench_contest_count, to, prefix); }

/* How many bars were missed by all gradients together. */
static int judge_together(const bench_table *t, double *ratio, size_t count) {
  if (!has(t, BENCH_ON_CPU)) return printf("there is no cpu device: its bars count as one that is missed\n"), 1;
  double middle = bench_median(ratio, (unsigned)count);
  return count == bench_contest_count && !bench_figure("gradients", "median of the ratios", middle, bar_of_median, false, "");
}

int bench_on_cpu(void) {
  enum { MOST = 32 };
  double ratio[MOST];
  size_t count = 0;
  bench_table t;
  int missed = 0;
  bench_table_open(&t, timed, 0);
  print_head(&t);
  for (size_t k = 0; k < bench_contest_count && count < MOST; k++)
    if (bench_kernel_asked("cpu:", bench_contests[k].name)) missed += meet(&t, &bench_contests[k], &ratio[count++]);
  missed += judge_together(&t, ratio, count);
  bench_table_close(&t);
  return missed;
}
