/* The kernels of bench/cpu.c and bench/primitives.c as a person writes them for a processor, with OpenMP. */
#ifndef BENCH_CPU_HAND_H
#define BENCH_CPU_HAND_H
#include <stdint.h>

enum { BENCH_HEAD_DIM = 64 }; /* of attention: the length of a query, a key and a value */

/* The sizes and the arrays stand in the order in which bench/cpu/contest.c names them. What is written is overwritten. */
typedef void (*bench_hand)(const uint32_t *size, void *const *array);

/* A gradient writes what the primal writes, too: as the module does that kg_grad makes. */
typedef struct bench_hand_kernel {
  const char *name;
  bench_hand primal, gradient;
} bench_hand_kernel;

/* hand.c twice: as the compiler takes it by itself, and with -ffast-math. A name that is NULL ends them. */
extern const bench_hand_kernel bench_hand_plain[], bench_hand_fast[];
/* products.c: what is made of products of matrices. */
extern const bench_hand_kernel bench_hand_products[];
/* The same by OpenBLAS; empty where it was not there to build with. */
extern const bench_hand_kernel bench_hand_blas[];

/* How many threads they run on; 0: the compiler lacks OpenMP, and they run on that which calls them. */
int bench_hand_threads_plain(void);
int bench_hand_threads_fast(void);
/* Has all of them run on that many; 0: on as many as usual. */
void bench_hand_set_threads(int count);
void bench_blas_set_threads(int count);
/* What OpenBLAS says of itself; NULL: it was not there to build with. */
const char *bench_blas_name(void);
#endif
