/* Planted defects against detections, as a table. Of one kind at most 8 in each adjoint, and under sanitizers fewer, unless --all
 * asks for every defect (`make planted`); --verbose, also those that only rounding tells from the original. */
#include "tests/planted/planted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void planted_count(planted_table *t, const char *what, planted_outcome outcome) {
  unsigned k = 0;
  if (outcome == PLANTED_NOT) return;
  while (k < t->rows && strcmp(t->row[k].what, what)) k++;
  if (k == sizeof t->row / sizeof *t->row) return;
  if (k == t->rows) t->row[t->rows++] = (planted_row){.what = what};
  t->row[k].count[outcome]++;
}

static void print_row(const planted_row *r) {
  uint64_t real = 0;
  for (unsigned k = 0; k < PLANTED_OUTCOMES; k++) real += k == PLANTED_SAME || k == PLANTED_ROUNDED ? 0 : r->count[k];
  printf("| %-58s | %6" PRIu64 " |", r->what, real);
  for (unsigned k = 0; k < PLANTED_OUTCOMES; k++) printf(" %6" PRIu64 " |", r->count[k]);
  putchar('\n');
}

int main(int argc, char **argv) {
#if defined __SANITIZE_ADDRESS__
  static planted_table t; /* twenty times slower: a few defects, of one file in four */
#else
  static planted_table t = {.all = true, .most = 8};
#endif
  uint64_t missed = 0, caught = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--all")) t.all = true, t.most = 0;
    if (!strcmp(argv[i], "--verbose")) t.verbose = true;
  }
  planted_in_adjoints(&t);
  planted_in_partials(&t);
  planted_in_kernels(&t);
  puts("| planted                                                    | wrong  | values | seeds  | watch  | failed | stated | same   | rounds | MISSED |");
  puts("|------------------------------------------------------------|-------:|-------:|-------:|-------:|-------:|-------:|-------:|-------:|-------:|");
  planted_row sum = {.what = "all"};
  for (unsigned k = 0; k < t.rows; k++) {
    print_row(&t.row[k]);
    for (unsigned n = 0; n < PLANTED_OUTCOMES; n++) sum.count[n] += t.row[k].count[n];
  }
  print_row(&sum);
  printf("%" PRIu64 " without a defect; in %" PRIu64 " of them one was found\n", t.sound, t.invented);
  missed = sum.count[PLANTED_MISSED] + t.invented;
  caught = sum.count[PLANTED_BY_VALUES] + sum.count[PLANTED_BY_SEED] + sum.count[PLANTED_BY_WATCH] + sum.count[PLANTED_BY_FAILURE] +
           sum.count[PLANTED_BY_DECLARATION] + t.sound - t.invented;
  printf("kgtest: %" PRIu64 " passed, %" PRIu64 " failed\n", caught, missed);
  return missed || !caught;
}
