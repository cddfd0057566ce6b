/* How many `for`s there are in a block. */
#ifndef TESTS_FOUNDATION_CLEAN_CASE_H
#define TESTS_FOUNDATION_CLEAN_CASE_H
#include "foundation/ir/program.h"

static inline unsigned fors_in(const kgi_program *p, kgi_blk block) {
  unsigned count = 0;
  KGI_EACH_INSIDE(p, block, i) count += p->inst[i].kind == KGI_for;
  return count;
}
#endif
