/* Who takes part in bench/cpu.c and bench/primitives.c, and the turns that they take. */
#ifndef BENCH_CPU_TABLE_H
#define BENCH_CPU_TABLE_H
#include "bench/cpu/contest.h"

/* Kernels by hand in plain C, the same with -ffast-math, those by OpenBLAS, and devices. */
typedef enum bench_seat {
  BENCH_HAND, BENCH_HAND_FAST, BENCH_BLAS, BENCH_ON_CPU, BENCH_ON_VULKAN, BENCH_ON_REFERENCE, BENCH_SEATS
} bench_seat;

typedef struct bench_table {
  kg_context *context;
  unsigned taken; /* a bit for each seat that somebody wants, and where there is somebody */
  bench_device device[BENCH_SEATS];
} bench_table;
/* `seats`: a bit for each that may be taken. `threads`: of all but Vulkan; 0: as many as usual. */
void bench_table_open(bench_table *t, unsigned seats, unsigned threads);
void bench_table_close(bench_table *t);
const char *bench_seat_name(bench_seat seat);
/* Whether there is somebody who can play this contest. */
bool bench_seat_taken(const bench_table *t, const bench_contest *c, bench_seat seat);
/* False: it is wrong, which is said. To be closed in any case. */
bool bench_seat_open(const bench_table *t, bench_player *p, const bench_field *f, bench_sweep sweep, bench_seat seat);

/* Compares results of odd sizes; how many were wrong. */
int bench_table_check(const bench_table *t, const bench_contest *contests, size_t count);

enum { BENCH_MOST_PLAYERS = 2 * BENCH_SEATS, BENCH_MOST_ROUNDS = 101 };
/* `least` of all rounds, and what each round took. */
typedef struct bench_turns {
  bench_spent least[BENCH_MOST_PLAYERS], spent[BENCH_MOST_PLAYERS][BENCH_MOST_ROUNDS];
  unsigned rounds;
  bool failed;
} bench_turns;
/* Each of the players in its turn, in each round; those who have no field have no turn. */
void bench_take_turns(bench_player *players, size_t count, bench_turns *turns);
/* The medians of the rounds' ratios of one player to another: of the time on the wall, and of what the threads used. */
bench_spent bench_turns_ratio(const bench_turns *turns, size_t player, size_t other);
#endif
