/* One property of many random programs, for the suites. */
#ifndef TESTS_FUZZ_ALL_H
#define TESTS_FUZZ_ALL_H
#include "tests/support/devices.h"
#include "tests/support/fuzz_property.h"

#include <string.h>

/* Sanitizers make everything ten times slower. */
#if defined __SANITIZE_ADDRESS__
enum { SLOW = 8 };
#else
enum { SLOW = 1 };
#endif

typedef struct totals { unsigned holds, refused, vacuous; } totals;

static inline const kgt_property_row *row(const char *name) {
  const kgt_property_row *r = kgt_properties;
  while (strcmp(r->name, name)) r++;
  return r;
}

static inline totals all_hold(const char *name, uint64_t first, unsigned count, kg_device *device, kgi_fuzz_coverage *coverage) {
  const kgt_property_row *r = row(name);
  totals t = {0};
  uint8_t bytes[KGI_FUZZ_BYTES];
  for (uint64_t seed = first; seed < first + count; seed++) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgt_fuzz f = {.bytes = bytes, .size = sizeof bytes, .features = r->features, .data = seed, .device = device,
                  .coverage = coverage};
    kgt_verdict verdict = r->holds(&f);
    ck_assert_msg(verdict != KGT_FAILS, "fuzz/random_programs %s %u: %s", name, (unsigned)seed, f.what);
    t.holds += verdict == KGT_HOLDS, t.refused += verdict == KGT_REFUSED, t.vacuous += verdict == KGT_VACUOUS;
  }
  return t;
}
#endif
