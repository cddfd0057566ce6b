/* Results do not depend on the floating-point environment of the caller: its rounding direction, whether it flushes subnormals, what
 * it traps. A public function that computes with floats begins with KGI_OWN_FLOATS: until it returns, the thread has the
 * environment in which programs start, and threads that it makes inherit that. */
#ifndef KGI_FLOATS_H
#define KGI_FLOATS_H
#include <fenv.h>

typedef struct kgi_floats { fenv_t caller; } kgi_floats;

static inline kgi_floats kgi_floats_enter(void) {
  kgi_floats f;
  fegetenv(&f.caller);
  fesetenv(FE_DFL_ENV);
  return f;
}
static inline void kgi_floats_leave(const kgi_floats *f) { fesetenv(&f->caller); }

#define KGI_OWN_FLOATS __attribute__((cleanup(kgi_floats_leave), unused)) const kgi_floats own_floats = kgi_floats_enter()
#endif
