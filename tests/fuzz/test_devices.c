/* Random programs on a Vulkan device: what it leaves lies in the reference's intervals. */
#include "tests/support/devices.h"
#include "fuzz/ask/ask.h"

#include <string.h>

/* Two hundred in all. Sanitizers make everything ten times slower. */
#if defined __SANITIZE_ADDRESS__
enum { PROGRAMS = 8 };
#else
enum { PROGRAMS = 40 };
#endif

static const char *const properties[] = {"device", "smooth", "subgroups", "adjoint", "wild-device"};
enum { PROPERTIES = sizeof properties / sizeof *properties };

START_TEST(agrees_with_the_reference) {
  const kgi_property_row *row = kgi_property_named(properties[_i]);
  kgt_device d = kgt_open("vulkan");
  kgi_target target = kgi_target_of(d.device);
  uint8_t bytes[KGI_FUZZ_BYTES];
  unsigned holds = 0;
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = row->features, .data = seed, .target = &target,
                  .statements = 20};
    kgi_answer verdict = row->holds(&f);
    ck_assert_msg(verdict != KGI_FAILS, "kgrad fuzz --property %s --device vulkan --seed %u --count 1 --statements 20: %s", row->name,
                  (unsigned)seed, f.what);
    holds += verdict == KGI_HOLDS;
  }
  ck_assert_uint_ge(holds, PROGRAMS / 2);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(agrees_with_the_reference, properties)};
  return kgt_run("fuzz/devices", tests, KGT_COUNT(tests));
}
