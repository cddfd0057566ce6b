/* Random programs and their gradients on the CPU device: the reference's bits, or its intervals where functions and sums round in
 * another way. `kgrad fuzz --device cpu` asks about as many as one likes.
 *
 * To run one takes 5 ms. To compile it as it is shipped takes 150 to 300, mostly for its own code, in one text with others, too. So
 * most of them are short, and compiled without optimising. */
#define _GNU_SOURCE
#include "tests/support/devices.h"
#include "fuzz/ask/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* 10,000 over the rows; sanitizers make all but compiling ten times slower, and see a tenth. */
#if defined __SANITIZE_ADDRESS__
enum { SHORT = 234, SHIPPED = 16 };
#else
enum { SHORT = 2436, SHIPPED = 64 };
#endif
enum { STATEMENTS = 8, PROCESSES = 2 };

/* Of a chunk it is known which invocations form it, also where some are inactive or a workgroup has several dimensions. Atomics of f16
 * are refused. */
enum { CPU = KGI_FUZZ_ALL & ~KGI_FUZZ_WIDE };
static const kgi_property_row rows[] = {
  {"device", 0, kgi_ask_device, CPU, true},
  {"device", 0, kgi_ask_device, CPU & ~(KGI_FUZZ_FUNCTIONS | KGI_FUZZ_ATOMICS), true}, /* of most of these all bits are known */
  {"adjoint", 0, kgi_ask_adjoint, CPU & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT), true},
  {"adjoint", 0, kgi_ask_adjoint, CPU & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT | KGI_FUZZ_FUNCTIONS), true},
};

/* What a process has found. */
typedef struct found { unsigned asked, holds; char failure[2048]; } found;

typedef struct asking { const kgi_property_row *row; uint32_t count, statements; found *found; } asking;

static kgi_ask begin(const asking *a, const kgi_target *target) {
  return (kgi_ask){.features = a->row->features, .statements = a->statements, .target = target};
}

static void note_failure(const asking *a, uint64_t seed, const char *what) {
  snprintf(a->found->failure, sizeof a->found->failure,
           "kgrad fuzz --device cpu --property %s --seed %u --count 1, features %#x, statements %u: %s",
           a->row->name, (unsigned)seed, a->row->features, a->statements, what);
}

static void ask(const asking *a, const kgi_target *target, uint64_t seed) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kgi_ask f = begin(a, target);
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  f.bytes = bytes, f.size = sizeof bytes, f.data = seed;
  kgi_answer verdict = a->row->holds(&f);
  a->found->asked++, a->found->holds += verdict == KGI_HOLDS;
  if (verdict == KGI_FAILS || !strcmp(f.id, "compile-failed")) note_failure(a, seed, f.what);
}

/* Every process takes its turn of what is compiled together. */
static void ask_share(const asking *a, uint32_t process) {
  kgt_device d = kgt_open("cpu");
  kgi_target target = kgi_target_of(d.device);
  for (uint32_t from = process * KGI_TOGETHER; from < a->count && !a->found->failure[0]; from += PROCESSES * KGI_TOGETHER) {
    kgi_ask f = begin(a, &target);
    uint32_t count = a->count - from < KGI_TOGETHER ? a->count - from : KGI_TOGETHER;
    if (!kgi_compile_together(a->row, &f, 1 + from, count)) note_failure(a, 1 + from, f.what);
    for (uint32_t i = 0; i < count && !a->found->failure[0]; i++) ask(a, &target, 1 + from + i);
  }
  kgt_close(&d);
}

static void ask_all(asking a, found *sum) {
  found *all = mmap(NULL, PROCESSES * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child[PROCESSES];
  ck_assert(all != MAP_FAILED);
  fflush(NULL);
  for (uint32_t i = 0; i < PROCESSES; i++) {
    a.found = &all[i];
    child[i] = fork();
    ck_assert_int_ge(child[i], 0);
    if (!child[i]) ask_share(&a, i), exit(0);
  }
  for (uint32_t i = 0; i < PROCESSES; i++) {
    int status;
    ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
    ck_assert_msg(!all[i].failure[0], "%s", all[i].failure);
    ck_assert_msg(status == 0, "process %u ended with status %d after %u programs", i, status, all[i].asked);
    sum->asked += all[i].asked, sum->holds += all[i].holds;
  }
  munmap(all, PROCESSES * sizeof *all);
}

static void agrees(const kgi_property_row *row, uint32_t count, uint32_t statements, const char *how) {
  found sum = {0};
  setenv("KGRAD_CACHE", "none", 1);
  ask_all((asking){.row = row, .count = count, .statements = statements}, &sum);
  printf("%s, features %#x: %u random programs, %s\n", row->name, row->features, sum.asked, how);
  ck_assert_uint_eq(sum.asked, count);
  ck_assert_uint_ge(sum.holds, count / 2);
}

START_TEST(agrees_with_the_reference) { agrees(&rows[_i], SHIPPED, 0, "compiled as they are shipped"); }
END_TEST

START_TEST(short_ones_agree) {
  kgt_compile_soonest();
  agrees(&rows[_i], SHORT, STATEMENTS, "short, and compiled without optimising");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(agrees_with_the_reference, KGT_COUNT(rows)), KGT_TIMES(short_ones_agree, KGT_COUNT(rows))};
  return kgt_run("fuzz/cpu", tests, KGT_COUNT(tests));
}
