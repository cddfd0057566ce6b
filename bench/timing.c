#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double bench_wall(void) { return seconds(CLOCK_MONOTONIC); }

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, unsigned count) {
  qsort(values, count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

bench_pair bench_compare(bench_timed first, void *first_user, bench_timed second, void *second_user, unsigned rounds) {
  enum { MOST = 101 };
  double times[2][MOST], ratios[MOST];
  bench_pair p = {.failed = true};
  if (rounds > MOST) rounds = MOST;
  if (first(first_user) < 0 || second(second_user) < 0) return p;
  for (unsigned r = 0; r < rounds; r++) {
    times[0][r] = first(first_user), times[1][r] = second(second_user);
    if (times[0][r] <= 0 || times[1][r] < 0) return p;
    ratios[r] = times[1][r] / times[0][r];
  }
  for (int k = 0; k < 2; k++) p.median[k] = bench_median(times[k], rounds), p.least[k] = times[k][0];
  p.middle = bench_median(ratios, rounds);
  p.ratio = p.least[1] / p.least[0];
  p.failed = false;
  return p;
}

static void print_time(double t) {
  if (t < 1e-3) printf(" %8.1f us", t * 1e6);
  else printf(" %8.2f ms", t * 1e3);
}

bool bench_row(const char *name, const char *subject, const bench_pair *p, double bar) {
  bool fine = !p->failed && (bar == 0 || p->ratio <= bar);
  printf("%-14s %-22s", name, subject);
  if (p->failed) {
    printf(" failed\n");
  } else {
    printf(" %7.2f %7.2f  ", p->ratio, p->middle);
    if (bar > 0) printf("<= %-5.4g", bar);
    else printf("%8s", "");
    print_time(p->least[0]), print_time(p->least[1]);
    printf("%s\n", fine ? "" : "  MISSED");
  }
  fflush(stdout);
  return fine;
}

bool bench_figure(const char *name, const char *subject, double figure, double bar, bool at_least, const char *unit) {
  bool fine = at_least ? figure >= bar : figure >= 0 && figure <= bar;
  printf("%-14s %-22s %7.4g          %s %-5.4g %s%s\n", name, subject, figure, at_least ? ">=" : "<=", bar, unit,
         fine ? "" : "  MISSED");
  fflush(stdout);
  return fine;
}
