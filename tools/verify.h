/* A gradient against dual numbers: shared by the command and what it does. */
#ifndef TOOLS_VERIFY_H
#define TOOLS_VERIFY_H
#include "tools/command.h"
#include "tools/data.h"

#include <kgrad/autodiff.h>

/* What was found for one input. An entry passes when |a - d| <= c * u * depth * magnitude: a the gradient, d the dual, the
 * magnitude the sum of absolute contributions to d, u the unit roundoff of the least precise float among the buffers; what
 * underflows is allowed for beside it. */
typedef struct verify_result {
  kg_grad_entry entry;
  uint64_t count, checked, failed, inconclusive, nonzero; /* inconclusive: neither number is finite; nonzero: duals */
  uint64_t worst;                                         /* index of the entry with the largest ratio */
  double gradient, dual, magnitude, ratio;                /* of that entry; ratio: the error by what is allowed */
} verify_result;

typedef struct verify_job {
  tool_context *ctx;
  const kg_module *module, *adjoint;
  const kg_grad_map *map;
  tool_data_params data;
  const char *device;
  uint64_t entries; /* of one input that are checked one by one */
  /* results */
  verify_result *result; /* one for each entry of the map with `wrt` */
  size_t results;
  verify_result product; /* of the gradient with a random direction */
  double unit, tiny, depth, allowed; /* allowed = c * u * depth; tiny: the smallest normal number of that float */
  const char *differs;   /* the first output of the plain module that the combined one changes; NULL: none */
} verify_job;

enum { VERIFY_C = 2 };

tool_exit verify_run(verify_job *job);
void verify_free(verify_job *job);
#endif
