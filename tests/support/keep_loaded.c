/* In builds with sanitizers alone: nothing is unloaded, so that what a Vulkan driver loses keeps a readable stack, and
 * tests/support/lsan.supp can tell it from what kgrad loses. The linker exports this dlclose, and the Vulkan loader then finds it before
 * the C library's. */
#include "tests/support/kgtest.h"

int dlclose(void *handle);
__attribute__((visibility("default"))) int dlclose(void *handle) {
  (void)handle;
  return 0;
}

void kgt_keep_loaded(void) {}
