#include "bench/cpu/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const name[BENCH_SEATS] = {"hand", "hand, -ffast-math", "OpenBLAS", "cpu", "vulkan", "reference"};
/* NULL: it is a device. */
static const bench_hand_kernel *const *const kernels[BENCH_SEATS] = {
    (const bench_hand_kernel *const[]){bench_hand_plain, bench_hand_products, NULL},
    (const bench_hand_kernel *const[]){bench_hand_fast, NULL},
    (const bench_hand_kernel *const[]){bench_hand_blas, NULL},
};

const char *bench_seat_name(bench_seat seat) { return name[seat]; }

static void quiet(void *user, const kg_diag *d) { (void)user, (void)d; }

static bool open_device(bench_table *t, bench_seat seat) {
  bench_device *d = &t->device[seat];
  d->context = t->context;
  if (!t->context || kg_device_open(t->context, name[seat], &(kg_sink){quiet, NULL}, &d->device) != KG_OK) return false;
  d->info = kg_device_describe(d->device);
  if (!strncmp(d->info.id, name[seat], strlen(name[seat]))) return true;
  kg_device_free(d->device); /* some other one that has the word in its name */
  d->device = NULL;
  return false;
}

void bench_table_open(bench_table *t, unsigned seats, unsigned threads) {
  *t = (bench_table){0};
  unsetenv("KGRAD_VALIDATE");
  bench_hand_set_threads((int)threads), bench_blas_set_threads((int)threads);
  kg_context_new(NULL, &(kg_context_params){.threads = threads}, &bench_sink, &t->context);
  for (bench_seat k = 0; k < BENCH_SEATS; k++)
    if (seats & 1u << k && (kernels[k] || open_device(t, k))) t->taken |= 1u << k;
}

void bench_table_close(bench_table *t) {
  for (int k = 0; k < BENCH_SEATS; k++) kg_device_free(t->device[k].device);
  kg_context_free(t->context);
  bench_hand_set_threads(0), bench_blas_set_threads(0);
}

bool bench_seat_taken(const bench_table *t, const bench_contest *c, bench_seat seat) {
  return t->taken & 1u << seat && (!kernels[seat] || bench_hand_find(kernels[seat], c->name));
}

bool bench_seat_open(const bench_table *t, bench_player *p, const bench_field *f, bench_sweep sweep, bench_seat seat) {
  const bench_hand_kernel *kernel = kernels[seat] ? bench_hand_find(kernels[seat], f->contest->name) : NULL;
  return bench_player_open(p, f, sweep, kernel, &t->device[seat]) && bench_player_right(p, name[seat]);
}

/* ---- results alone ---- */

static int check(const bench_table *t, const bench_contest *c) {
  bench_field f;
  bool opened = bench_field_open(&f, c, true);
  int missed = !opened;
  for (int s = 0; opened && s < BENCH_SWEEPS; s++)
    for (bench_seat k = 0; k < BENCH_SEATS; k++) {
      bench_player p;
      if (!bench_seat_taken(t, c, k)) continue;
      missed += !bench_seat_open(t, &p, &f, (bench_sweep)s, k);
      bench_player_close(&p);
    }
  bench_field_close(&f);
  return missed;
}

int bench_table_check(const bench_table *t, const bench_contest *contests, size_t count) {
  int missed = 0;
  for (size_t k = 0; k < count; k++) missed += check(t, &contests[k]);
  return missed;
}

/* ---- times ---- */

enum { ROUNDS = 9 }; /* more only while they are younger than SECONDS */
static const double SECONDS = 2;

/* Threads of those before may still be spinning for more to do: those of OpenMP for some milliseconds. Then each turn begins with a
 * play that does not count, for caches hold what those before used. */
static bool turn(bench_player *p, bench_spent *spent, bench_spent *least) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  if (!bench_play(p, spent) || !bench_play(p, spent)) return false;
  *least = (bench_spent){fmin(least->wall, spent->wall), fmin(least->cpu, spent->cpu)};
  return true;
}

void bench_take_turns(bench_player *players, size_t count, bench_turns *turns) {
  double end = bench_wall() + SECONDS;
  turns->rounds = 0, turns->failed = true;
  for (size_t k = 0; k < count; k++) turns->least[k] = (bench_spent){INFINITY, INFINITY};
  for (; turns->rounds < ROUNDS || (turns->rounds < BENCH_MOST_ROUNDS && bench_wall() < end); turns->rounds++)
    for (size_t k = 0; k < count; k++)
      if (players[k].field && !turn(&players[k], &turns->spent[k][turns->rounds], &turns->least[k])) return;
  turns->failed = false;
}

bench_spent bench_turns_ratio(const bench_turns *turns, size_t player, size_t other) {
  double wall[BENCH_MOST_ROUNDS], cpu[BENCH_MOST_ROUNDS];
  for (unsigned r = 0; r < turns->rounds; r++) {
    wall[r] = turns->spent[player][r].wall / turns->spent[other][r].wall;
    cpu[r] = turns->spent[player][r].cpu / turns->spent[other][r].cpu;
  }
  bench_spent ratio = {.wall = bench_median(wall, turns->rounds)};
  ratio.cpu = bench_median(cpu, turns->rounds);
  return ratio;
}
