/* Random programs on a Vulkan device: what it leaves lies in the reference's intervals. */
#include "tests/support/devices.h"
#include "fuzz/ask/ask.h"
#include "fuzz/hunt/standalone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

/* ---- without kgrad ---- */

/* Compiles and runs it; its exit status. */
static int run_alone(const kgi_standalone *s) {
  char path[300], command[1000];
  const char *cc = getenv("CC"), *folder = kgt_temp_dir();
  snprintf(path, sizeof path, "%s/reproduce.c", folder);
  FILE *out = fopen(path, "w");
  ck_assert_ptr_nonnull(out);
  ck_assert(kgi_standalone_write(s, out));
  ck_assert_int_eq(fclose(out), 0);
  snprintf(command, sizeof command, "%s -std=c11 -D_DEFAULT_SOURCE -O1 -Wno-psabi -o %s/reproduce %s -lvulkan -lm && %s/reproduce", cc &&
           *cc ? cc : "cc", folder, path, folder);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One element of which something is known may be nothing that there is. */
static bool forbid(kgi_evidence *e) {
  for (uint32_t i = 0; i < e->buffers; i++)
    for (uint64_t k = 0; e->low[i] && k < e->length[i]; k++)
      if (!isnan(e->low[i][k])) return e->low[i][k] = 1e30, e->high[i][k] = 1e30, true;
  return false;
}

static void tell_alone(const kgi_target *target, const kgt_device *d, uint64_t seed) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kgi_case kept = {0};
  kgi_evidence e;
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  kgi_ask f = {.bytes = bytes, .size = sizeof bytes,
               .features = kgi_property_named("device")->features & ~(uint32_t)(KGI_FUZZ_VIEWS | KGI_FUZZ_SLICES),
               .data = seed, .target = target, .statements = 30, .kept = &kept};
  ck_assert_int_ne(kgi_ask_device(&f), KGI_FAILS);
  kgi_ask again = {.given = &kept, .data = seed, .target = target};
  ck_assert(kgi_evidence_make(&again, &e) && e.bounded && e.ran);
  kgi_standalone s = {.evidence = &e, .id = d->info.id, .features = d->info.features, .device = d->info.name, .driver = d->info.driver};
  ck_assert_int_eq(run_alone(&s), 0);
  if (forbid(&e)) ck_assert_int_eq(run_alone(&s), 1);
  kgi_evidence_free(&e);
  kgi_case_free(&kept);
}

/* What a finding says to those who have no kgrad: right where the device is right, and wrong where more is asked of it. */
static const char *const told[] = {"vulkan", "cpu"};

START_TEST(findings_can_be_told_without_kgrad) {
  kgt_device d = kgt_open(told[_i]);
  kgi_target target = kgi_target_of(d.device);
  for (uint64_t seed = 1; seed <= 3; seed++) tell_alone(&target, &d, seed);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(agrees_with_the_reference, properties), KGT_TEXTS(findings_can_be_told_without_kgrad, told)};
  return kgt_run("fuzz/devices", tests, KGT_COUNT(tests));
}
