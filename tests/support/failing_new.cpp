#include "tests/support/failing_new.h"

#include <cstdlib>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_ignore_object(const void *) {}
#endif

long kgt_new_grants = -1;

/* SPIRV-Tools is compiled without exceptions in Debian, so what is thrown through it leaves behind what it held. */
static void *expendable(void *block) {
  if (kgt_new_grants >= 0) __lsan_ignore_object(block);
  return block;
}

void *operator new(std::size_t size) {
  if (kgt_new_grants == 0) throw std::bad_alloc();
  if (kgt_new_grants > 0) kgt_new_grants--;
  if (void *block = std::malloc(size ? size : 1)) return expendable(block);
  throw std::bad_alloc();
}

/* The library's others are made of the one above, a sanitizer's are not. */
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void *operator new[](std::size_t size) { return operator new(size); }

void operator delete[](void *block) noexcept { std::free(block); }
void operator delete[](void *block, std::size_t) noexcept { std::free(block); }
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
