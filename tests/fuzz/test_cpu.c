/* Random programs and their gradients on the CPU device: the reference's bits, or its intervals where functions and sums round in
 * another way. fuzz/random_programs with KGRAD_FUZZ_DEVICE=cpu runs as many as one likes. */
#include "tests/support/devices.h"
#include "tests/support/fuzz_property.h"

#include <stdlib.h>
#include <string.h>

/* Each is compiled, which takes a tenth of a second: 160 in all. Sanitizers make everything else ten times slower. */
#if defined __SANITIZE_ADDRESS__
enum { PROGRAMS = 8 };
#else
enum { PROGRAMS = 40 };
#endif

/* Of a chunk it is known which invocations form it, also where some are inactive or a workgroup has several dimensions. Atomics of f16
 * are refused. */
enum { CPU = KGI_FUZZ_ALL & ~KGI_FUZZ_WIDE };
static const kgt_property_row rows[] = {
  {"device", kgt_fuzz_device, CPU, true},
  {"device", kgt_fuzz_device, CPU & ~(KGI_FUZZ_FUNCTIONS | KGI_FUZZ_ATOMICS), true}, /* of most of these all bits are known */
  {"adjoint", kgt_fuzz_adjoint, CPU & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT), true},
  {"adjoint", kgt_fuzz_adjoint, CPU & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT | KGI_FUZZ_FUNCTIONS), true},
};

START_TEST(agrees_with_the_reference) {
  const kgt_property_row *row = &rows[_i];
  setenv("KGRAD_CACHE", "none", 1);
  kgt_device d = kgt_open("cpu");
  uint8_t bytes[KGI_FUZZ_BYTES];
  unsigned holds = 0;
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgt_fuzz f = {.bytes = bytes, .size = sizeof bytes, .features = row->features, .data = seed, .device = d.device};
    kgt_verdict verdict = row->holds(&f);
    bool compiled = strcmp(f.id, "compile-failed");
    ck_assert_msg(verdict != KGT_FAILS && compiled, "KGRAD_FUZZ_DEVICE=cpu fuzz/random_programs %s %u 1 %#x: %s", row->name, (unsigned)seed,
                  row->features, f.what);
    holds += verdict == KGT_HOLDS;
  }
  ck_assert_uint_ge(holds, PROGRAMS / 2);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(agrees_with_the_reference, KGT_COUNT(rows))};
  return kgt_run("fuzz/cpu", tests, KGT_COUNT(tests));
}
