/* The hunt: what fails, falls or does not come back is found, made small and told apart, costs one program, and can be asked again. The
 * properties are this suite's own, so that they fail where it says. */
#include "tests/support/kgtest.h"

#include "foundation/ir/program.h"
#include "fuzz/hunt/asker.h"
#include "fuzz/hunt/remote.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- properties that fail ---- */

static unsigned count_kind(const kg_module *m, kgi_kind kind, unsigned op) {
  unsigned count = 0;
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) count += m->program[k]->inst[i].kind == kind && (!op || m->program[k]->inst[i].op == op);
  return count;
}

static kgi_answer without(kgi_ask *f, kgi_kind kind, unsigned op, void (*what)(void)) {
  kg_module *m = kgi_ask_program(f);
  unsigned count = m ? count_kind(m, kind, op) : 0;
  kg_module_free(m);
  if (count && what) what();
  f->how = "it has %u", snprintf(f->what, sizeof f->what, "it has %u", count);
  return count ? KGI_FAILS : KGI_HOLDS;
}

static void sleep_long(void) { sleep(1000); }
static kgi_answer has_no_atomic(kgi_ask *f) { return without(f, KGI_atomic, 0, NULL); }
static kgi_answer stands(kgi_ask *f) { return without(f, KGI_op, KGI_OP_xor, abort); }
static kgi_answer comes_back(kgi_ask *f) { return without(f, KGI_op, KGI_OP_rem, sleep_long); }
static kgi_answer holds(kgi_ask *f) { return without(f, KGI_KIND_COUNT, 0, NULL); }
static const kgi_property_row own[] = {
  {"no-atomic", 0, has_no_atomic, KGI_FUZZ_ALL, false}, {"stands", 0, stands, KGI_FUZZ_ALL, false},
  {"comes-back", 0, comes_back, KGI_FUZZ_ALL, false}, {"holds", 0, holds, KGI_FUZZ_ALL, false},
};

/* ---- hunts ---- */

static unsigned stops_at;
static kgi_hunt *running;
static bool stopped(void *user) { return (void)user, stops_at && running->seen.programs >= stops_at; }

static kgi_hunt_params params_of(const kgi_property_row *const *row, uint64_t count) {
  return (kgi_hunt_params){.row = row, .rows = 1, .seed = 1, .count = count, .jobs = 2, .limit = 5, .reduce = 10, .folder = kgt_temp_dir(),
                           .stopped = stopped};
}

static void hunt(kgi_hunt *h, const kgi_hunt_params *p) {
  running = h;
  kgi_hunt_begin(h, p);
  ck_assert(kgi_hunt_run(h));
}

START_TEST(failures_become_small) {
  const kgi_property_row *row = &own[0];
  kgi_hunt_params p = params_of(&row, 60);
  kgi_hunt h;
  hunt(&h, &p);
  ck_assert_uint_eq(h.counts.programs, 60);
  ck_assert_uint_eq(h.counts.of[0].holds + h.counts.of[0].fails, 60);
  ck_assert_uint_gt(h.counts.of[0].fails, 5);
  ck_assert_uint_gt(h.findings, 0);
  uint64_t all = 0;
  for (size_t i = 0; i < h.findings; i++) {
    all += h.finding[i].count;
    ck_assert_uint_le(h.finding[i].statements, 2);
  }
  ck_assert_uint_le(all, h.counts.of[0].fails);
  ck_assert_uint_lt(h.findings, 12); /* of one kind each, by what is left */
  kgi_hunt_free(&h);
}
END_TEST

START_TEST(falls_cost_one_program) {
  const kgi_property_row *row = &own[1];
  kgi_hunt_params p = params_of(&row, 96);
  kgi_hunt h;
  hunt(&h, &p);
  ck_assert_uint_eq(h.counts.programs, 96);
  ck_assert_uint_eq(h.counts.of[0].holds + h.counts.of[0].fails, 96);
  ck_assert_uint_gt(h.findings, 0);
  ck_assert_msg(strstr(h.finding[0].cause, "stands: kgrad"), "%s", h.finding[0].cause);
  ck_assert_uint_le(h.finding[0].statements, 2);
  kgi_hunt_free(&h);
}
END_TEST

START_TEST(what_does_not_come_back_is_ended) {
  const kgi_property_row *row = &own[2];
  kgi_hunt_params p = params_of(&row, 96);
  p.limit = 0.1, p.reduce = 1, p.most = 1;
  kgi_hunt h;
  hunt(&h, &p);
  ck_assert_uint_gt(h.findings, 0);
  ck_assert_msg(strstr(h.finding[0].cause, "comes-back: kgrad did not come back"), "%s", h.finding[0].cause);
  kgi_hunt_free(&h);
}
END_TEST

/* One that is stopped and goes on counts what one that is not does. */
START_TEST(hunts_go_on) {
  const kgi_property_row *row = &own[3];
  kgi_hunt_params p = params_of(&row, 3000);
  kgi_hunt whole, first, second;
  hunt(&whole, &p);
  stops_at = 500;
  hunt(&first, &p);
  ck_assert_uint_lt(first.counts.programs, 3000);
  stops_at = 0;
  kgi_hunt_begin(&second, &p);
  second.counts = first.counts, second.next = first.next, second.pending_count = first.pending_count;
  memcpy(second.pending, first.pending, sizeof second.pending);
  ck_assert(kgi_hunt_run(&second));
  ck_assert_uint_eq(second.counts.of[0].holds, 3000);
  ck_assert_uint_eq(second.next, whole.next);
  kgi_hunt_free(&whole), kgi_hunt_free(&first), kgi_hunt_free(&second);
}
END_TEST

/* ---- devices ---- */

/* It takes the next request, and is gone before it answers. */
static pid_t end_in_a_moment(pid_t pid) {
  kill(pid, SIGSTOP);
  pid_t other = fork();
  ck_assert_int_ge(other, 0);
  if (other) return other;
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  kill(pid, SIGKILL);
  _exit(0);
}

/* It is gone when this returns. */
static void end_now(pid_t pid) {
  siginfo_t info;
  kill(pid, SIGKILL);
  ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(devices_run_in_processes) {
  kgi_remote r;
  ck_assert(kgi_remote_open(&r, "reference", 10, NULL, NULL));
  ck_assert_str_eq(r.id, "reference");
  const kgi_property_row *row = kgi_property_named("device");
  unsigned held = 0;
  pid_t ender = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint8_t bytes[KGI_FUZZ_BYTES];
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = row->features, .data = seed, .target = &r.target, .statements = 12};
    kgi_answer answer = row->holds(&f);
    if (seed == 11) ck_assert_msg(!strncmp(f.id, KGI_DEVICE_FELL, strlen(KGI_DEVICE_FELL)), "%s", f.id);
    else ck_assert_msg(answer != KGI_FAILS, "seed %u: %s", (unsigned)seed, f.what);
    held += answer == KGI_HOLDS;
    if (seed == 10) ender = end_in_a_moment(r.child.pid); /* it starts again, for the next but one; ... */
    if (seed == 15) end_now(r.child.pid);         /* ... and here for the next */
  }
  ck_assert_uint_ge(held, 10);
  kgi_remote_close(&r);
  ck_assert_int_eq(waitpid(ender, NULL, 0), ender);
  ck_assert(!kgi_remote_open(&r, "no such device", 10, NULL, NULL));
  kgi_remote_close(&r);
}
END_TEST

/* ---- cases ---- */

/* What is captured is asked again with the same answer, also through bytes. */
START_TEST(cases_are_asked_again) {
  static const char *const names[] = {"gradient", "jvp", "clean", "split", "forms"};
  const kgi_property_row *row = kgi_property_named(names[_i]);
  for (uint64_t seed = 1; seed <= 12; seed++) {
    uint8_t bytes[KGI_FUZZ_BYTES];
    kgi_case kept = {0}, again;
    kgi_message m = {0};
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = row->features, .data = seed, .kept = &kept},
      g = {.data = seed, .given = &again};
    kgi_answer answer = row->holds(&f);
    ck_assert(kgi_case_pack(&kept, &m));
    kgi_reading r = {m.at, m.at + m.size, false};
    ck_assert(kgi_case_unpack(&again, &r));
    ck_assert_int_eq(row->holds(&g), answer);
    kgi_case_free(&kept), kgi_case_free(&again), kgi_message_free(&m);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(failures_become_small), KGT(falls_cost_one_program), KGT(what_does_not_come_back_is_ended),
                            KGT(hunts_go_on),
                            KGT(devices_run_in_processes), KGT_TIMES(cases_are_asked_again, 5)};
  return kgt_run("fuzz/hunt", tests, KGT_COUNT(tests));
}
