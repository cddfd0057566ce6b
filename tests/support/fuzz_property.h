/* Properties that every generated program must have, for the suites and for the command-line main. */
#ifndef TESTS_FUZZ_PROPERTY_H
#define TESTS_FUZZ_PROPERTY_H
#include "fuzz/generate.h"
#include <kgrad/kgrad.h>

typedef enum kgt_verdict { KGT_HOLDS, KGT_FAILS, KGT_REFUSED, KGT_VACUOUS } kgt_verdict;

/* What is asked about one program, and what was found. */
typedef struct kgt_fuzz {
  const uint8_t *bytes;
  size_t size;
  uint32_t features, statements;
  uint64_t data;        /* the seed of the data */
  kg_device *device;    /* for those that need one ... */
  kg_math math;         /* ... and the mode in which it computes */
  kg_module **wanted;   /* not NULL: the module that would run on the device goes there, for the caller to free, and nothing runs */
  kgi_fuzz_coverage *coverage; /* NULL: not counted */
  kgi_fuzz_shapes shapes; /* of shapes.def that the program has */
  char id[64];          /* of the diagnostic of a refusal */
  char what[1024];      /* of a failure */
} kgt_fuzz;

typedef kgt_verdict (*kgt_property)(kgt_fuzz *f);

kgt_verdict kgt_fuzz_forms(kgt_fuzz *f);    /* valid; text reads back equal, with the same digest; binary too */
kgt_verdict kgt_fuzz_clean(kgt_fuzz *f);    /* cleaning keeps every bit */
/* A change of each program keeps every bit; `which` is what comes out of it, for reports. */
typedef kg_status kgt_change(kg_module *m, kgi_program *p);
kgt_verdict kgt_fuzz_changed(kgt_fuzz *f, kgt_change *change, const char *which);
kgt_verdict kgt_fuzz_threads(kgt_fuzz *f);  /* several threads do what one does, bit for bit; so they do with the adjoint */
kgt_verdict kgt_fuzz_races(kgt_fuzz *f);    /* no two invocations race, and ... */
kgt_verdict kgt_fuzz_detectors(kgt_fuzz *f); /* with a barrier or an index taken away: both opinions see a race, or neither does */
kgt_verdict kgt_fuzz_adjoint_races(kgt_fuzz *f); /* ... none do in the adjoint; vacuous where runs are repeated */
kgt_verdict kgt_fuzz_device(kgt_fuzz *f);   /* the device computes what the reference does; the CPU device its bits, but for functions and sums */
kgt_verdict kgt_fuzz_module_on_device(kgt_fuzz *f, const kg_module *m); /* the same of any module */
/* The same of cleaning and of the device where inputs are infinite, NaN, zeros of both signs, subnormal and huge. */
kgt_verdict kgt_fuzz_wild_clean(kgt_fuzz *f);
kgt_verdict kgt_fuzz_wild_device(kgt_fuzz *f);
kgt_verdict kgt_fuzz_gradient(kgt_fuzz *f); /* reverse mode agrees with duals */
kgt_verdict kgt_fuzz_checkpoints(kgt_fuzz *f); /* a gradient has the bits that it has where no region is a checkpoint */
kgt_verdict kgt_fuzz_split(kgt_fuzz *f);    /* a gradient in two modules has the bits that it has in one */
kgt_verdict kgt_fuzz_stated(kgt_fuzz *f);   /* the adjoints that are made, stated as its own, give the gradient too */
kgt_verdict kgt_fuzz_points(kgt_fuzz *f);   /* so is that by what a buffer holds behind a run, as kg_verify judges it */
kgt_verdict kgt_fuzz_adjoint(kgt_fuzz *f);  /* the gradient on the device agrees with that on the reference */

kgt_verdict kgt_fuzz_import(kgt_fuzz *f);   /* what is emitted, imported again, gives the same bits */
kgt_verdict kgt_fuzz_jvp(kgt_fuzz *f);      /* forward mode agrees with duals along the same directions */
kgt_verdict kgt_fuzz_jvp_device(kgt_fuzz *f); /* the tangents on the device agree with those on the reference */

/* The same of any module: 0, no race; 1 within a workgroup, 2 across them, 3 both; -1 where it repeats runs. Changes the module, of
 * which only races can be asked afterwards. */
int kgt_races_of(kgt_fuzz *f, kg_module *m);

/* Features that suit each, and a name for the command line; the last has no name. */
typedef struct kgt_property_row { const char *name; kgt_property holds; uint32_t features; bool device; } kgt_property_row;
extern const kgt_property_row kgt_properties[];

/* The program of these bytes as text, for a report; free with free(). */
char *kgt_fuzz_text(const kgt_fuzz *f);
#endif
