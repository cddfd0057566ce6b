/* One property of many random programs, for the suites. */
#ifndef TESTS_FUZZ_ALL_H
#define TESTS_FUZZ_ALL_H
#include "tests/support/devices.h"
#include "fuzz/ask/ask.h"

#include <string.h>

/* Sanitizers make everything ten times slower. */
#if defined __SANITIZE_ADDRESS__
enum { SLOW = 8 };
#else
enum { SLOW = 1 };
#endif

typedef struct totals { unsigned holds, refused, vacuous; } totals;

static inline totals all_hold(const char *name, uint64_t first, unsigned count, const kgi_target *target, kgi_fuzz_coverage *coverage) {
  const kgi_property_row *r = kgi_property_named(name);
  totals t = {0};
  uint8_t bytes[KGI_FUZZ_BYTES];
  for (uint64_t seed = first; seed < first + count; seed++) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = r->features, .data = seed, .target = target,
                  .coverage = coverage};
    kgi_answer verdict = r->holds(&f);
    ck_assert_msg(verdict != KGI_FAILS, "kgrad fuzz --property %s --seed %u --count 1: %s", name, (unsigned)seed, f.what);
    t.holds += verdict == KGI_HOLDS, t.refused += verdict == KGI_REFUSED, t.vacuous += verdict == KGI_VACUOUS;
  }
  return t;
}
#endif
