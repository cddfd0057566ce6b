/* The compiler that the CPU device calls: what it is told, what of it fails, and what it says of the stack. */
#include "tests/driver/cpu_case.h"
#include "foundation/base/arena.h"

#include <kgrad/c.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(text_that_is_wrong) {
  place p = make_place();
  ck_assert_int_eq(load_status("int x = y;\nint z = w;\n"), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "compile-failed");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "gcc"));
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "kernels.c:1:9: error: "));
  ck_assert_ptr_null(strstr(kgt_last.message, "\\x")); /* plain English, and one line */
  nothing_left(&p);
  empty(p.root);
}
END_TEST

typedef struct refusal { const char *script, *id, *part; } refusal;
static const refusal refusals[] = {
  {"echo no such luck; exit 3", "compile-failed", "it ended with 3; no such luck"},
  {"kill -9 $$", "compile-failed", "signal 9"},
  {"exit 0", "compile-failed", "it wrote nothing"},
  {"while test \"$1\" != -o; do shift; done; echo text >\"$2\"", "kernels-not-loaded", "kernels.so"},
};

START_TEST(compilers_that_fail) {
  place p = make_place();
  stand_in(&p, "sham", refusals[_i].script);
  ck_assert_int_eq(load_status("int x;\n"), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, refusals[_i].id);
  ck_assert_msg(strstr(kgt_last.message, refusals[_i].part) != NULL, "%s", kgt_last.message);
  empty(p.root);
}
END_TEST

/* Computing is for less work to shorten; what waits would wait again. */
static const struct lateness { const char *script, *part; kgi_patience patience; uint32_t started; } latenesses[] = {
  {"while :; do :; done", "1 seconds of computing", {1, 100}, 1 + 2},
  {"sh -c 'while :; do :; done'; exit 1", "1 seconds of computing", {1, 100}, 1 + 2},
  {"exec sleep 1000", "1 seconds by the clock", {100, 1}, 1 + 1},
  {"sleep 1000; exit 1", "1 seconds by the clock", {100, 1}, 1 + 1},
  {"trap '' INT TERM HUP XCPU; while :; do :; done", "1 seconds of computing", {1, 100}, 1 + 2},
};

START_TEST(compilers_that_do_not_end) {
  place p = make_place();
  const struct lateness *l = &latenesses[_i];
  uint32_t started;
  stand_in(&p, "endless", l->script);
  ck_assert_int_eq(load_in("int x;\n", &l->patience, &started), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "compile-late");
  ck_assert_msg(strstr(kgt_last.message, l->part) != NULL, "%s", kgt_last.message);
  ck_assert_uint_eq(started, l->started);
  ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no process is left to wait for */
  nothing_left(&p);
  empty(p.root);
}
END_TEST

/* Its own optimizations are what takes long: with fewer of them it ends. */
START_TEST(less_is_optimized_instead) {
  place p = make_place();
  char script[300];
  uint32_t started;
  snprintf(script, sizeof script, "for a; do case $a in -O2) while :; do :; done;; esac; done; exec gcc \"$@\"");
  stand_in(&p, "slow", script);
  ck_assert_int_eq(load_in("int x;\n", &(kgi_patience){1, 100}, &started), KG_OK);
  ck_assert_uint_eq(started, 1 + 2);
  ck_assert_int_eq(load_in("int x;\n", &(kgi_patience){1, 100}, &started), KG_OK);
  ck_assert_uint_eq(started, 0); /* what was made in the end is kept */
  empty(p.root);
}
END_TEST

/* Very long text does not begin with what grows with its square. */
static const struct { size_t size; const char *option; } lengths[] = {
  {1000, "-O2"}, {(512 << 10) - 1, "-O2"}, {512 << 10, "-O0"}, {4 << 20, "-O0"},
};

START_TEST(long_text_is_optimized_less) {
  place p = make_place();
  char script[400], *text = malloc(lengths[_i].size + 1);
  ck_assert_ptr_nonnull(text);
  memset(text, ' ', lengths[_i].size);
  text[lengths[_i].size] = 0;
  snprintf(script, sizeof script, "for a; do case $a in -O*) echo error: it is $a;; esac; done; exit 1");
  stand_in(&p, "teller", script);
  char expected[40];
  snprintf(expected, sizeof expected, "it is %s", lengths[_i].option);
  ck_assert_int_eq(load_status(text), KG_REFUSED);
  ck_assert_msg(strstr(kgt_last.message, expected) != NULL, "%s", kgt_last.message);
  free(text);
  empty(p.root);
}
END_TEST

START_TEST(a_compiler_that_is_none) {
  place p = make_place();
  char path[300];
  snprintf(path, sizeof path, "%s/data", p.tools);
  put_file(path, "no program", 0700);
  setenv("CC", path, 1);
  ck_assert_int_eq(load_status("int x;\n"), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "compile-failed");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "Exec format error"));
  empty(p.root);
}
END_TEST

/* Some know -mcpu, some neither. */
START_TEST(without_march) {
  place p = make_place();
  stand_in(&p, "picky", _i == 0 ? "for a; do case $a in -march*) exit 1;; -mcpu*) a=;; esac; set -- \"$@\" $a; shift; done; exec gcc \"$@\""
                                : "for a; do case $a in -m*) exit 1;; esac; done; exec gcc \"$@\"");
  ck_assert_uint_eq(compile_and_run(3), _i == 0 ? 3 : 4); /* --version, and so many attempts */
  ck_assert_uint_eq(compile_and_run(3), 0);
  empty(p.root);
}
END_TEST

/* Text for fewer lanes than the machine has is compiled for the machine, too: at the first attempt. */
static const uint32_t rows_of_groups[] = {16, 8, 4};

START_TEST(lanes_of_rows) {
  const kg_c_params params = {.kernels_only = true};
  place p = make_place();
  char source[200], *text;
  size_t size;
  uint32_t started;
  snprintf(source, sizeof source, "program p { workgroup %u, 3 grid 2\nbuffer x : f32[9] read_write\nif local_id.x < 3 { x[local_id.x] += 1.0 } }",
           rows_of_groups[_i]);
  kg_module *m = kgt_parse(source);
  setenv("CC", "gcc", 1);
  ck_assert_int_eq(kg_c_emit(NULL, m, &params, &kgt_sink, &text, &size), KG_OK);
  ck_assert_int_eq(load_in(text, NULL, &started), KG_OK);
  ck_assert_uint_eq(started, 1 + 1); /* --version, and the one attempt */
  kgi_free(NULL, text, size + 1);
  kg_module_free(m);
  empty(p.root);
}
END_TEST

START_TEST(options_in_cc) {
  place p = make_place();
  const char *text = "int kg_kernel_1[VALUE == 7 ? 1 : -1];\n";
  setenv("CC", "  gcc\t-DVALUE=7 ", 1);
  ck_assert_int_eq(load_status(text), KG_OK);
  setenv("CC", "gcc -DVALUE=8", 1);
  ck_assert_int_eq(load_status(text), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "compile-failed");
  /* fast arithmetic that somebody asks for elsewhere stays out */
  setenv("CC", "gcc -ffast-math -DVALUE=7", 1);
  ck_assert_int_eq(load_status("#ifdef __FAST_MATH__\n#error fast\n#endif\nint x;\n"), KG_OK);
  empty(p.root);
}
END_TEST

/* What a shell would make of it must not happen. */
START_TEST(hostile_names) {
  place p = make_place();
  char mark[300], cc[700], folder[400];
  snprintf(mark, sizeof mark, "%s/touched", p.root);
  snprintf(cc, sizeof cc, "false; touch %s", mark);
  setenv("CC", cc, 1);
  ck_assert_int_eq(load_status("int x;\n"), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-compiler");
  snprintf(cc, sizeof cc, "gcc $(touch %s) `touch %s`", mark, mark);
  setenv("CC", cc, 1);
  ck_assert_int_eq(load_status("int x;\n"), KG_REFUSED);
  setenv("CC", "gcc", 1);
  snprintf(folder, sizeof folder, "%s/a b; touch $HOME 'q' \"-o x", p.root);
  ck_assert_int_eq(mkdir(folder, 0700), 0);
  setenv("TMPDIR", folder, 1), setenv("KGRAD_CACHE", folder, 1);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_uint_eq(compile_and_run(3), 0);
  ck_assert_int_ne(access(mark, F_OK), 0);
  empty(p.root);
}
END_TEST

START_TEST(no_folder_to_build_in) {
  place p = make_place();
  setenv("TMPDIR", "/dev/null/x", 1);
  setenv("KGRAD_CACHE", "/dev/null/y", 1);
  ck_assert_int_eq(load_status("int x;\n"), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "no-build-folder");
  empty(p.root);
}
END_TEST

/* The folder of the cache is made, which is not there yet. */
START_TEST(only_the_cache_to_build_in) {
  place p = make_place();
  char folder[600];
  snprintf(folder, sizeof folder, "%.500s/new/kgrad", p.root);
  setenv("TMPDIR", "/dev/null/x", 1), setenv("KGRAD_CACHE", folder, 1);
  ck_assert_uint_eq(compile_and_run(3), 2);
  empty(p.root);
}
END_TEST

/* Hosts may take the status of every child, or ignore them all. */
START_TEST(hosts_that_ignore_children) {
  place p = make_place();
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGCHLD, &ignore, NULL);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_int_eq(load_status("int x = y;\n"), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "compile-failed");
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  empty(p.root);
}
END_TEST

static uint64_t stack_of_text(const char *body) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  char text[2000];
  snprintf(text, sizeof text, "%svoid kg_kernel_1(const struct kg_args *a, uint32_t first, uint32_t end) { %s }\n", text_of_arguments, body);
  kgi_cpu_init(&cpu, NULL, 1);
  ck_assert_int_eq(kgi_cpu_load(&cpu, text, strlen(text), &diags, &o), KG_OK);
  uint64_t stack = o->stack;
  kgi_cpu_drop(&cpu);
  return stack;
}

START_TEST(compilers_tell_the_stack) {
  place p = make_place();
  const char *body = "volatile char x[100000]; for (uint32_t i = first; i < end; i++) x[i * a->groups[0]] = 1;";
  for (int i = 0; i < 2; i++) { /* from the compiler, and from the cache */
    uint64_t stack = stack_of_text(body);
    ck_assert_uint_ge(stack, 99000); /* the rest may lie in the red zone */
    ck_assert_uint_le(stack, 101000);
  }
  ck_assert_uint_eq(stack_of_text("volatile char x[end + 1]; x[first] = 1; (void)a;"), UINT64_MAX);
  empty(p.root);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(text_that_is_wrong), KGT_TABLE(compilers_that_fail, refusals, part),
    KGT_TABLE(compilers_that_do_not_end, latenesses, script), KGT(less_is_optimized_instead),
    KGT_TABLE(long_text_is_optimized_less, lengths, option), KGT(a_compiler_that_is_none), KGT_TIMES(without_march, 2), KGT_TIMES(lanes_of_rows, 3),
    KGT(options_in_cc), KGT(hostile_names), KGT(no_folder_to_build_in), KGT(only_the_cache_to_build_in), KGT(hosts_that_ignore_children),
    KGT(compilers_tell_the_stack),
  };
  return kgt_run("driver/cpu_compiler", tests, KGT_COUNT(tests));
}
