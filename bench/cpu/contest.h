/* One kernel of bench/cpu.c or bench/primitives.c: its numbers, what it should give, and who computes it. */
#ifndef BENCH_CPU_CONTEST_H
#define BENCH_CPU_CONTEST_H
#include "bench/cpu/hand.h"
#include "bench/cpu/truth.h"
#include "bench/device.h"

#include <kgrad/primitives.h>

enum { BENCH_CPU_SIZES = 5, BENCH_CPU_ARRAYS = 8, BENCH_CPU_ARGS = 4 };

typedef struct bench_contest {
  const char *name;
  const char *file; /* NULL: it is the primitive of that name */
  bench_truth truth;
  const char *param[BENCH_CPU_SIZES]; /* the sizes: u32 params of the module */
  uint32_t large[BENCH_CPU_SIZES], odd[BENCH_CPU_SIZES];
  int summed; /* the size that is the length of the longest sum; -1: there is none */
  const char *array[BENCH_CPU_ARRAYS]; /* in the order of hand.h; those that begin with grad_ are the gradient's alone */
  kg_primitive_arg arg[BENCH_CPU_ARGS]; /* of the primitive */
  bool in_blas;         /* whether OpenBLAS has it */
  const char *too_much; /* why lavapipe cannot run the large sizes; NULL: it can */
} bench_contest;
extern const bench_contest bench_contests[];
extern const size_t bench_contest_count;
/* Those of bench/primitives.c. */
extern const bench_contest bench_primitive_contests[];
extern const size_t bench_primitive_contest_count;
/* Whether there is one of that name, and all of them, each behind a space and the prefix. */
bool bench_contest_named(const bench_contest *contests, size_t count, const char *name);
void bench_contest_names(const bench_contest *contests, size_t count, FILE *to, const char *prefix);

typedef enum bench_sweep { BENCH_PRIMAL, BENCH_GRADIENT, BENCH_SWEEPS } bench_sweep;
typedef enum bench_role { BENCH_GIVEN, BENCH_RESULT, BENCH_COTANGENT, BENCH_DERIVATIVE } bench_role;

typedef struct bench_field {
  const bench_contest *contest;
  uint32_t size[BENCH_CPU_SIZES];
  kg_module *module[BENCH_SWEEPS];
  struct {
    bench_role role;
    size_t count;
    void *number;  /* floats or u32; of what is to be computed, what a kernel by hand left */
    double *truth; /* of what is to be computed */
  } array[BENCH_CPU_ARRAYS];
} bench_field;
/* False: it could not be set up, which is said. Close it in any case. */
bool bench_field_open(bench_field *f, const bench_contest *c, bool odd);
void bench_field_close(bench_field *f);

/* Who plays: a kernel by hand, or a module on a device. */
typedef struct bench_player {
  const bench_field *field;
  bench_sweep sweep;
  bench_hand hand;
  kg_executable *executable;
} bench_player;
/* The kernels by hand of that name in tables up to a NULL; NULL: there is none. */
const bench_hand_kernel *bench_hand_find(const bench_hand_kernel *const *tables, const char *name);
/* One of both is NULL. False: the device refused the module, which is said. */
bool bench_player_open(bench_player *p, const bench_field *f, bench_sweep sweep, const bench_hand_kernel *kernel,
                       const bench_device *d);
void bench_player_close(bench_player *p);
/* What a play took, in seconds: on the wall, and of all threads of this process. */
typedef struct bench_spent { double wall, cpu; } bench_spent;
/* False: it failed, and has said why. */
bool bench_play(bench_player *p, bench_spent *spent);
/* Plays once, and compares what comes out. False says on stdout what is wrong, of `who`. */
bool bench_player_right(bench_player *p, const char *who);
#endif
