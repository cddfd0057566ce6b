/* Functions of f64 at constants, where their rounding is certain: what is folded must be the same whatever the C library. */
#ifndef KGI_CERTAIN_H
#define KGI_CERTAIN_H
#include "foundation/ir/program.h"

/* Whether the double nearest to op(args) is known for certain; if so, its bits. Of all that is not a function of f64, false. */
bool kgi_certain(kgi_op op, const uint64_t *args, uint64_t *out);
#endif
