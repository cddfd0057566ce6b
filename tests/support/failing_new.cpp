#include "tests/support/failing_new.h"

#include <cstdlib>
#include <new>

long kgt_new_grants = -1;

void *operator new(std::size_t size) {
  if (kgt_new_grants == 0) throw std::bad_alloc();
  if (kgt_new_grants > 0) kgt_new_grants--;
  if (void *block = std::malloc(size ? size : 1)) return block;
  throw std::bad_alloc();
}

void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
