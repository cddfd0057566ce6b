/* Planted defects against detections: rows of one table. */
#ifndef TESTS_PLANTED_H
#define TESTS_PLANTED_H
#include "tools/options.h"

typedef enum planted_outcome {
  PLANTED_BY_VALUES,  /* the gradient, or an output, is not what it must be */
  PLANTED_BY_SEED,    /* the values of the first seed do not come by, those of another do */
  PLANTED_BY_WATCH,   /* races, reads of what was never written */
  PLANTED_BY_FAILURE, /* a divergent barrier, a run without end, a gradient that is refused */
  PLANTED_BY_DECLARATION, /* a buffer is not declared as the kernel calls for */
  PLANTED_SAME,       /* no defect: every bit of every result is the same, for several seeds */
  PLANTED_ROUNDED,    /* no defect: in double precision the results differ by less than single precision rounds */
  PLANTED_MISSED,
  PLANTED_OUTCOMES,
  PLANTED_NOT         /* it could not be planted there */
} planted_outcome;

typedef struct planted_row { const char *what; uint64_t count[PLANTED_OUTCOMES]; } planted_row;

typedef struct planted_table {
  planted_row row[64];
  unsigned rows;
  uint64_t sound, invented; /* kernels without a defect, and those of them in which one was found */
  uint32_t most; /* of one kind in one adjoint; 0: no limit */
  bool all, verbose;
} planted_table;

void planted_count(planted_table *table, const char *what, planted_outcome outcome);

enum { PLANTED_PARAMS = 4 };
typedef struct planted_file {
  char path[512], name[64], line[200];
  const char *param[PLANTED_PARAMS], *wrt[PLANTED_PARAMS];
  size_t wrt_count;
  bool refused; /* it has no gradient, as it says */
} planted_file;
typedef void planted_visit(planted_table *table, const planted_file *file);
/* In order of names. */
void planted_each(planted_table *table, const char *folder, planted_visit *visit);
kg_module *planted_read(const planted_file *file); /* NULL: it does not parse */
tool_list planted_params(const planted_file *file); /* as --param takes them */

void planted_in_adjoints(planted_table *table);
void planted_in_partials(planted_table *table);
void planted_in_kernels(planted_table *table);
#endif
