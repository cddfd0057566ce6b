#include "verify/orders.h"

#include "foundation/ir/program.h"

#include <math.h>

static bool finds_something(const kgi_program *p) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_span operands = kgi_operands(&p->inst[i]);
    for (unsigned k = 0; k < operands.count; k++)
      if (p->inst[p->inst[i].arg[operands.first + k]].kind == KGI_atomic) return true;
  }
  return false;
}

bool kgi_may_go_by_order(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    if (finds_something(m->program[k])) return true;
  return false;
}

bool kgi_orders_agree(double *low, double *high, double one_low, double one_high) {
  if (isnan(*low) && isnan(one_low)) return true;
  bool apart = isnan(*low) || isnan(one_low) || one_low > *high || one_high < *low;
  *low = fmin(*low, one_low), *high = fmax(*high, one_high);
  return !apart;
}
