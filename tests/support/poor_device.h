/* The worst device that Vulkan allows, in software: it computes a function of an emitted module (scalars of 32 bits, no memory),
 * and gives each division and root the result that is furthest off, or any that is allowed; it may flush subnormals. */
#ifndef TESTS_POOR_DEVICE_H
#define TESTS_POOR_DEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum kgt_poor_mode { KGT_POOR_NEAREST, KGT_POOR_LOW, KGT_POOR_HIGH, KGT_POOR_RANDOM, KGT_POOR_MODES } kgt_poor_mode;

typedef struct kgt_poor {
  const uint32_t *words;
  size_t count;
  uint32_t (*value)[2]; /* of each id; structs of two have two */
  uint32_t *at;         /* where its function or label stands, or its constant */
  uint32_t called;      /* the function that the entry point calls */
  kgt_poor_mode mode;
  bool flush;
  uint64_t random;
} kgt_poor;

/* False: no memory, or the module calls no function. Free with kgt_poor_free. */
bool kgt_poor_load(kgt_poor *d, const uint32_t *words, size_t count);
void kgt_poor_free(kgt_poor *d);

/* The function at these operands. Aborts the test at an instruction that it does not know. */
float kgt_poor_run(kgt_poor *d, const float *operands);
#endif
