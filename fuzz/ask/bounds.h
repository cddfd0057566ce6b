/* A device's results against the intervals of the reference. */
#ifndef KGI_FUZZ_BOUNDS_H
#define KGI_FUZZ_BOUNDS_H
#include <kgrad/kgrad.h>

enum { KGI_MOST_BOUNDED = 400 }; /* buffers */

/* What a module may leave in its buffers, by the module's indices. */
typedef struct kgi_bounds {
  const kg_module *module;
  const uint64_t *length;
  void *array[KGI_MOST_BOUNDED];                           /* what the reference leaves */
  double *low[KGI_MOST_BOUNDED], *high[KGI_MOST_BOUNDED];
  kg_reference_report report;
  bool settled; /* what atomics found decides something, and several orders of invocations leave the same */
  uint64_t elements, open; /* of outputs that were held against intervals, and those of which nothing is known */
} kgi_bounds;

/* Runs the module on the reference, from what `arrays` hold, which stay as they are. Subnormals may be flushed. Everything is as
 * for kg_reference_run; `lengths` are all given, and must outlive the bounds. kgi_bounds_free is due whatever comes back. */
kg_status kgi_bounds_run(kgi_bounds *b, const kg_module *module, void *const *arrays, const uint64_t *lengths,
                         const uint64_t *param_bits, uint32_t subgroup_size, kg_math math, const kg_sink *sink);
void kgi_bounds_free(kgi_bounds *b);

/* Whether all that outputs hold on a device may be there; else says in `what` which does not. */
bool kgi_bounds_hold(kgi_bounds *b, void *const *got, char *what, size_t size);
#endif
