/* Primitives that come with the library, on the CPU device and on Vulkan, against plain C that a person wrote with OpenMP (hand.c,
 * products.c in bench/cpu) and, where it has one, OpenBLAS: on the same numbers in the same run, in turns, first on one thread and then on
 * all. Ratios are medians over the rounds. They are of the time that threads used of processors, which others on the machine
 * disturb less than the clock on the wall, and beside that of the latter. All results are compared with plain loops in double first.
 * There are no bars. */
#include "bench/cpu/table.h"

#include <stdio.h>
#include <string.h>

static const char *const sweep_name[BENCH_SWEEPS] = {"forward", "gradient"};

/* The player of a seat; those of the gradient come behind those of the primal. */
static size_t at(bench_sweep sweep, bench_seat seat) { return (size_t)sweep * BENCH_SEATS + seat; }

static bool plays(const bench_table *t, const bench_contest *c, bench_seat seat) {
  return bench_seat_taken(t, c, seat) && (seat != BENCH_ON_VULKAN || !c->too_much);
}

static void measure(const bench_table *t, const bench_field *f, bench_turns *turns) {
  bench_player player[BENCH_MOST_PLAYERS] = {{0}};
  turns->failed = false;
  for (int s = 0; s < BENCH_SWEEPS; s++)
    for (bench_seat k = 0; k < BENCH_SEATS && !turns->failed; k++)
      if (plays(t, f->contest, k)) turns->failed = !bench_seat_open(t, &player[at((bench_sweep)s, k)], f, (bench_sweep)s, k);
  if (!turns->failed) bench_take_turns(player, BENCH_MOST_PLAYERS, turns);
  for (size_t k = 0; k < BENCH_MOST_PLAYERS; k++) bench_player_close(&player[k]);
}

/* ---- rows ---- */

static void print_cell(bool there, double figure) {
  if (there) printf(" %7.2f", figure);
  else printf(" %7s", "-");
}

/* How much more a gradient takes than its primal, which it runs, too. */
static void print_more(const bench_table *t, const bench_contest *c, const bench_turns *turns, bench_seat seat) {
  bool there = plays(t, c, seat);
  print_cell(there, there ? bench_turns_ratio(turns, at(BENCH_GRADIENT, seat), at(BENCH_PRIMAL, seat)).cpu : 0);
}

static void print_row(const bench_table *t, const bench_contest *c, const bench_turns *turns, bench_sweep sweep, const char *threads) {
  static const bench_seat pairs[][2] = {{BENCH_ON_CPU, BENCH_HAND}, {BENCH_ON_CPU, BENCH_BLAS}, {BENCH_ON_VULKAN, BENCH_HAND}};
  printf("%-11s %-4s %-9s", sweep == BENCH_PRIMAL ? c->name : "", sweep == BENCH_PRIMAL ? threads : "", sweep_name[sweep]);
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    bool there = plays(t, c, pairs[k][0]) && plays(t, c, pairs[k][1]);
    bench_spent ratio = there ? bench_turns_ratio(turns, at(sweep, pairs[k][0]), at(sweep, pairs[k][1])) : (bench_spent){0};
    print_cell(there, ratio.cpu), print_cell(there, ratio.wall);
  }
  for (bench_seat k = 0; k < BENCH_SEATS; k++) {
    if (k == BENCH_HAND_FAST || k == BENCH_ON_REFERENCE) continue;
    if (sweep == BENCH_PRIMAL) print_cell(plays(t, c, k), turns->least[at(sweep, k)].cpu * 1e3);
    else print_more(t, c, turns, k);
  }
  if (sweep == BENCH_PRIMAL && c->in_blas && !bench_blas_name()) printf("  OpenBLAS was not there to build with");
  if (sweep == BENCH_PRIMAL && c->too_much && bench_seat_taken(t, c, BENCH_ON_VULKAN)) printf("  %s", c->too_much);
  printf("\n");
  fflush(stdout);
}

static void print_head(const bench_table *t) {
  printf("\nprimitives against plain C");
  if (t->taken & 1u << BENCH_ON_VULKAN) printf("; vulkan is %s", t->device[BENCH_ON_VULKAN].info.name);
  if (bench_blas_name()) printf("; %s", bench_blas_name());
  printf("\n%-26s %15s %15s %15s  forward: ms of processors; gradient: over forward\n", "", "cpu/hand", "cpu/OpenBLAS", "vulkan/hand");
  printf("%-11s %-4s %-9s", "", "on", "");
  for (int k = 0; k < 3; k++) printf(" %7s %7s", "used", "wall");
  printf(" %7s %7s %7s %7s\n", "hand", "OpenBL.", "cpu", "vulkan");
}

/* How many could not be measured. */
static int play(const bench_contest *c, unsigned threads) {
  static bench_turns turns;
  bench_table t;
  bench_field f;
  unsigned everywhere = 1u << BENCH_HAND | 1u << BENCH_BLAS | 1u << BENCH_ON_CPU | 1u << BENCH_ON_VULKAN;
  bench_table_open(&t, threads ? everywhere & ~(1u << BENCH_ON_VULKAN) : everywhere, threads);
  bool fine = bench_field_open(&f, c, false);
  if (fine) measure(&t, &f, &turns), fine = !turns.failed;
  for (int s = 0; fine && s < BENCH_SWEEPS; s++) print_row(&t, c, &turns, (bench_sweep)s, threads == 1 ? "1" : "all");
  if (!fine) printf("%-11s failed\n", c->name);
  bench_field_close(&f);
  bench_table_close(&t);
  return !fine;
}

int bench_primitives(void) {
  int failed = 0;
  bench_table t;
  bench_table_open(&t, 1u << BENCH_ON_VULKAN, 0);
  print_head(&t);
  bench_table_close(&t);
  for (size_t k = 0; k < bench_primitive_contest_count; k++) {
    if (!bench_kernel_asked("primitives:", bench_primitive_contests[k].name)) continue;
    failed += play(&bench_primitive_contests[k], 1);
    failed += play(&bench_primitive_contests[k], 0);
  }
  return failed;
}

bool bench_primitives_has(const char *name) {
  return bench_contest_named(bench_primitive_contests, bench_primitive_contest_count, name);
}

void bench_primitives_names(FILE *to, const char *prefix) {
  bench_contest_names(bench_primitive_contests, bench_primitive_contest_count, to, prefix);
}
