/* The CPU device's parts: the compiler, what it leaves in the cache, and the pool of threads. Kernels are written by hand here. */
#include "driver/cpu/cpu.h"
#include "tests/support/devices.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char prelude[] =
  "#include <stdint.h>\n"
  "#include <stddef.h>\n"
  "struct kg_status { uint32_t count, first, program, fault; };\n"
  "struct kg_args { void *const *buffer; const uint32_t *length; const uint64_t *param; uint32_t groups[3];\n"
  "                 struct kg_status *status; void *const *own; uint64_t budget; };\n";

/* Adds `by` to the elements of its groups. */
static const char *adding(int by) {
  static char text[2000];
  snprintf(text, sizeof text,
           "%svoid kg_kernel_1(const struct kg_args *a, uint32_t first, uint32_t end) {\n"
           "  float *x = a->buffer[0];\n"
           "  for (uint32_t i = first; i < end; i++) x[i] += %d;\n}\n", prelude, by);
  return text;
}

/* ---- an environment of its own ---- */

typedef struct place { char root[200], cache[256], tools[256]; } place;

static void put_file(const char *path, const char *text, mode_t mode) {
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
  ck_assert_int_eq(chmod(path, mode), 0);
}

static void empty(const char *path) {
  char command[400];
  snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", path, path);
  ck_assert_int_eq(system(command), 0);
}

static place make_place(void) {
  place p;
  snprintf(p.root, sizeof p.root, "%s/XXXXXX", kgt_temp_dir());
  ck_assert_ptr_nonnull(mkdtemp(p.root));
  snprintf(p.cache, sizeof p.cache, "%s/cache", p.root);
  snprintf(p.tools, sizeof p.tools, "%s/tools", p.root);
  ck_assert_int_eq(mkdir(p.tools, 0700), 0);
  setenv("KGRAD_CACHE", p.cache, 1);
  setenv("TMPDIR", p.root, 1);
  setenv("CC", "gcc", 1);
  return p;
}

static kgi_diags diags = {.sink = &kgt_sink};

static float run_object(const kgi_cpu_object *o) {
  float x[1] = {1};
  void *buffers[] = {x};
  kgi_c_status status = {0};
  const kgi_c_args args = {.buffer = buffers, .length = (uint32_t[]){1}, .groups = {1, 1, 1}, .status = &status};
  kgi_c_kernel *kernel = kgi_cpu_kernel(o, 1);
  ck_assert_ptr_nonnull(kernel);
  ck_assert_ptr_null(kgi_cpu_kernel(o, 2));
  kernel(&args, 0, 1);
  return x[0];
}

/* In a context of its own: what it computes, and how many processes that took. */
static uint32_t compile_and_run(int by) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  kgi_cpu_init(&cpu, NULL, 1);
  const char *text = adding(by);
  ck_assert_msg(kgi_cpu_load(&cpu, text, strlen(text), &diags, &o) == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  ck_assert_float_eq(run_object(o), 1 + (float)by);
  uint32_t started = cpu.cc.started;
  kgi_cpu_unload(&cpu, o);
  kgi_cpu_drop(&cpu);
  return started;
}

/* `patience`, `started`: NULL, or how long a process may take, and how many there were. */
static kg_status load_in(const char *text, const kgi_patience *patience, uint32_t *started) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  kgi_cpu_init(&cpu, NULL, 1);
  if (patience) cpu.cc.patience = *patience;
  kgt_last.id[0] = 0;
  kg_status status = kgi_cpu_load(&cpu, text, strlen(text), &diags, &o);
  if (started) *started = cpu.cc.started;
  kgi_cpu_drop(&cpu);
  return status;
}

static kg_status load_status(const char *text) { return load_in(text, NULL, NULL); }

/* The names in a folder that end so; the path of the last. */
static int count_files(const char *folder, const char *ending, char *path, size_t room) {
  int count = 0;
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t length = strlen(e->d_name), end = strlen(ending);
    if (length < end || strcmp(e->d_name + length - end, ending) || e->d_name[0] == '.') continue;
    if (path) snprintf(path, room, "%s/%s", folder, e->d_name);
    count++;
  }
  if (d) closedir(d);
  return count;
}

static void nothing_left(const place *p) {
  /* the tools, and the cache where there is one: no folder of a build */
  ck_assert_int_le(count_files(p->root, "", NULL, 0), 2);
  int kernels = count_files(p->cache, ".so", NULL, 0);
  int tools = count_files(p->cache, ".cc", NULL, 0);
  ck_assert_int_eq(count_files(p->cache, "", NULL, 0), kernels + tools);
}

/* ---- the cache ---- */

START_TEST(compiled_once) {
  place p = make_place();
  struct stat s;
  ck_assert_uint_eq(compile_and_run(3), 2); /* --version, and the text */
  ck_assert_uint_eq(compile_and_run(3), 0);
  ck_assert_uint_eq(compile_and_run(4), 1);
  ck_assert_uint_eq(compile_and_run(3), 0);
  ck_assert_int_eq(stat(p.cache, &s), 0);
  ck_assert_uint_eq(s.st_mode & 0777, 0700);
  ck_assert_int_eq(count_files(p.cache, ".so", NULL, 0), 2);
  setenv("CC", "gcc -O1", 1); /* another command is another key */
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_int_eq(count_files(p.cache, ".so", NULL, 0), 3);
  nothing_left(&p);
  empty(p.root);
}
END_TEST

START_TEST(same_text_same_object) {
  place p = make_place();
  kgi_cpu cpu;
  kgi_cpu_object *a, *b;
  kgi_cpu_init(&cpu, NULL, 1);
  const char *text = adding(1);
  ck_assert_int_eq(kgi_cpu_load(&cpu, text, strlen(text), &diags, &a), KG_OK);
  empty(p.cache);
  ck_assert_int_eq(kgi_cpu_load(&cpu, text, strlen(text), &diags, &b), KG_OK);
  ck_assert_ptr_eq(a, b);
  ck_assert_uint_eq(a->uses, 2);
  kgi_cpu_unload(&cpu, a);
  kgi_cpu_unload(&cpu, b);
  ck_assert_int_eq(kgi_cpu_load(&cpu, text, strlen(text), &diags, &b), KG_OK); /* for who comes back */
  ck_assert_ptr_eq(a, b);
  ck_assert_uint_eq(cpu.cc.started, 2);
  kgi_cpu_drop(&cpu);
  empty(p.root);
}
END_TEST

static void damage(const char *path, long at, int how) {
  FILE *f = fopen(path, "r+b");
  ck_assert_ptr_nonnull(f);
  fseek(f, 0, SEEK_END);
  long size = ftell(f), place = at < 0 ? size + at : at;
  if (how == 1) ck_assert_int_eq(ftruncate(fileno(f), place), 0);
  else {
    fseek(f, place, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, place, SEEK_SET);
    fputc(byte ^ 1, f);
  }
  fclose(f);
}

typedef struct harm { const char *name; long at; int how; } harm;
static const harm harms[] = {
  {"a bit of the header", 3, 0}, {"a bit inside", 4097, 0}, {"a bit of the checksum", -1, 0}, {"a bit of the key", -20, 0},
  {"a bit of the stack's size", -36, 0}, {"the last byte gone", -1, 1}, {"half of it gone", 5000, 1}, {"all of it gone", 0, 1},
};

START_TEST(damaged_files_are_built_again) {
  place p = make_place();
  char path[600];
  compile_and_run(3);
  ck_assert_int_eq(count_files(p.cache, ".so", path, sizeof path), 1);
  damage(path, harms[_i].at, harms[_i].how);
  ck_assert_uint_eq(compile_and_run(3), 1);
  ck_assert_uint_eq(compile_and_run(3), 0);
  ck_assert_int_eq(count_files(p.cache, ".cc", path, sizeof path), 1);
  damage(path, 2, 0);
  ck_assert_uint_eq(compile_and_run(3), 1); /* the version alone */
  empty(p.root);
}
END_TEST

/* A whole file under the name of another. */
START_TEST(foreign_files_are_built_again) {
  place p = make_place();
  char path[600], aside[620], command[1400];
  compile_and_run(3);
  ck_assert_int_eq(count_files(p.cache, ".so", path, sizeof path), 1);
  snprintf(aside, sizeof aside, "%s/three", p.tools);
  ck_assert_int_eq(rename(path, aside), 0);
  compile_and_run(4);
  ck_assert_int_eq(count_files(p.cache, ".so", path, sizeof path), 1);
  snprintf(command, sizeof command, "cp '%s' '%s'", aside, path);
  ck_assert_int_eq(system(command), 0);
  ck_assert_uint_eq(compile_and_run(4), 1);
  unlink(path);
  snprintf(command, sizeof command, "ln -s '%s' '%s'", aside, path);
  ck_assert_int_eq(system(command), 0);
  ck_assert_uint_eq(compile_and_run(4), 1);
  empty(p.root);
}
END_TEST

/* A folder that others can write is not used, and neither is such a file. */
START_TEST(what_others_can_write) {
  place p = make_place();
  char path[600];
  ck_assert_int_eq(mkdir(p.cache, 0700), 0);
  ck_assert_int_eq(chmod(p.cache, 0770), 0);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_int_eq(count_files(p.cache, "", NULL, 0), 0);
  ck_assert_int_eq(chmod(p.cache, 0700), 0);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_uint_eq(compile_and_run(3), 0);
  ck_assert_int_eq(count_files(p.cache, ".so", path, sizeof path), 1);
  ck_assert_int_eq(chmod(path, 0602), 0);
  ck_assert_uint_eq(compile_and_run(3), 1);
  ck_assert_uint_eq(compile_and_run(3), 0);
  nothing_left(&p);
  empty(p.root);
}
END_TEST

/* Somebody else's folder: the root can give one away, others find one in /. */
START_TEST(folders_of_others) {
  place p = make_place();
  ck_assert_int_eq(mkdir(p.cache, 0700), 0);
  if (geteuid() == 0) ck_assert_int_eq(chown(p.cache, 12345, 12345), 0);
  else setenv("KGRAD_CACHE", "/usr", 1);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_int_eq(count_files(p.cache, "", NULL, 0), 0);
  empty(p.root);
}
END_TEST

/* No folder can be made below a file; a path that is not full is none. */
START_TEST(no_cache) {
  static const char *const folders[] = {"/dev/null/cache", "relative", ""};
  place p = make_place();
  setenv("KGRAD_CACHE", folders[_i], 1);
  ck_assert_uint_eq(compile_and_run(3), 2);
  ck_assert_uint_eq(compile_and_run(3), 2);
  nothing_left(&p);
  empty(p.root);
}
END_TEST

START_TEST(where_the_cache_is) {
  kgi_cpu_cache c;
  setenv("KGRAD_CACHE", "/a", 1), setenv("XDG_CACHE_HOME", "/b", 1), setenv("HOME", "/c", 1);
  kgi_cache_find(&c, NULL);
  ck_assert_str_eq(c.folder.text, "/a");
  unsetenv("KGRAD_CACHE");
  kgi_cache_find(&c, NULL);
  ck_assert_str_eq(c.folder.text, "/b/kgrad");
  setenv("XDG_CACHE_HOME", "b", 1);
  kgi_cache_find(&c, NULL);
  ck_assert_str_eq(c.folder.text, "/c/.cache/kgrad");
  unsetenv("HOME");
  kgi_cache_find(&c, NULL);
  ck_assert_str_eq(c.folder.text, "");
}
END_TEST

static void wait_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); }

/* What was not used for the longest time goes first; what is not ours stays. */
START_TEST(the_bound_of_the_cache) {
  place p = make_place();
  kgi_cpu_cache c;
  char other[300];
  unsigned char kib[1024] = {0};
  const kgi_bytes bytes = {kib, sizeof kib};
  const kgi_digest a = {1, 1}, b = {2, 2}, d = {3, 3};
  kgi_cache_find(&c, NULL);
  c.bound = 2500;
  ck_assert(kgi_cache_put(&c, a, ".so", 0, &bytes));
  snprintf(other, sizeof other, "%s/notes.so", p.cache);
  put_file(other, "mine", 0600);
  wait_a_little();
  ck_assert(kgi_cache_put(&c, b, ".so", 0, &bytes));
  wait_a_little();
  ck_assert(kgi_cache_get(&c, a, ".so", NULL, NULL));
  wait_a_little();
  ck_assert(kgi_cache_put(&c, d, ".so", 7, &bytes));
  uint64_t note = 0;
  ck_assert(kgi_cache_get(&c, a, ".so", NULL, NULL));
  ck_assert(!kgi_cache_get(&c, b, ".so", NULL, NULL));
  ck_assert(kgi_cache_get(&c, d, ".so", &note, NULL));
  ck_assert_uint_eq(note, 7);
  ck_assert_int_eq(access(other, F_OK), 0);
  empty(p.root);
}
END_TEST

/* ---- at the same time ---- */

static void *compile_in_thread(void *user) {
  kgi_cpu *cpu = user;
  kgi_diags own = {.sink = NULL};
  kgi_cpu_object *o = NULL;
  const char *text = getenv("KGT_TEXT");
  if (kgi_cpu_load(cpu, text, strlen(text), &own, &o) != KG_OK) return NULL;
  return o;
}

START_TEST(two_threads_compile) {
  place p = make_place();
  kgi_cpu cpu[2];
  pthread_t thread[2];
  setenv("KGT_TEXT", adding(5), 1);
  for (int i = 0; i < 2; i++) kgi_cpu_init(&cpu[i], NULL, 1);
  for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, compile_in_thread, &cpu[i]), 0);
  for (int i = 0; i < 2; i++) {
    void *o;
    pthread_join(thread[i], &o);
    ck_assert_ptr_nonnull(o);
    ck_assert_float_eq(run_object(o), 6);
  }
  for (int i = 0; i < 2; i++) kgi_cpu_drop(&cpu[i]);
  nothing_left(&p);
  empty(p.root);
}
END_TEST

START_TEST(two_processes_compile) {
  place p = make_place();
  pid_t child[3];
  setenv("KGT_TEXT", adding(5), 1);
  for (int i = 0; i < 3; i++) {
    child[i] = fork();
    if (child[i]) continue;
    kgi_cpu cpu;
    kgi_cpu_init(&cpu, NULL, 1);
    kgi_cpu_object *o = compile_in_thread(&cpu);
    _exit(!o || run_object(o) != 6);
  }
  for (int i = 0; i < 3; i++) {
    int status = -1;
    ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
    ck_assert_int_eq(status, 0);
  }
  ck_assert_int_eq(count_files(p.cache, ".so", NULL, 0), 1);
  nothing_left(&p);
  empty(p.root);
}
END_TEST

/* ---- the compiler ---- */

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

/* A stand-in that does as it is told with what follows -o. */
static void stand_in(const place *p, const char *name, const char *script) {
  char path[300], text[600];
  snprintf(path, sizeof path, "%s/%s", p->tools, name);
  snprintf(text, sizeof text, "#!/bin/sh\nif test \"$1\" = --version; then echo stand-in 1; exit 0; fi\n%s\n", script);
  put_file(path, text, 0700);
  setenv("CC", path, 1);
}

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

/* ---- as a device ---- */

static uint32_t cpu_index(const kg_context *c) {
  uint32_t i = 0;
  while (i < kg_device_count(c) && strcmp(kg_device_at(c, i).id, "cpu")) i++;
  return i;
}

START_TEST(listed_last) {
  place p = make_place();
  kg_context *c;
  kg_device *d;
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(cpu_index(c), kg_device_count(c) - 1);
  kg_device_info info = kg_device_at(c, cpu_index(c));
  ck_assert_ptr_nonnull(strstr(info.name, "lanes"));
  ck_assert_ptr_nonnull(strstr(info.driver, "gcc; cache "));
  ck_assert_ptr_nonnull(strstr(info.driver, ", 0 files, 0 KiB"));
  compile_and_run(3);
  info = kg_device_at(c, cpu_index(c));
  ck_assert_ptr_nonnull(strstr(info.driver, ", 2 files, "));
  ck_assert_ptr_nonnull(strstr(info.driver, "gcc ("));
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_OK);
  kg_device_free(d);
  kg_context_free(c);
  empty(p.root);
}
END_TEST

/* How many devices are said to be usual; `id` is that of the last. */
static uint32_t count_usual(const kg_context *c, const char **id) {
  uint32_t found = 0;
  *id = NULL;
  for (uint32_t i = 0; i < kg_device_count(c); i++)
    if (kg_device_at(c, i).usual) *id = kg_device_at(c, i).id, found++;
  return found;
}

static const struct wish { const char *name, *cc, *wish, *usual; bool no_vulkan; } wishes[] = {
  {"as it comes", "gcc", NULL, "cpu", false},
  {"an empty wish", "gcc", "", "cpu", false},
  {"no compiler", "none", NULL, "reference", false},
  {"the reference alone", "gcc", NULL, "reference", true},
  {"a wish", "gcc", "reference", "reference", false},
  {"a wish for what is missing", "none", "cpu", NULL, false},
  {"a wish for nothing known", "gcc", "nothing", NULL, false},
};

/* The machine's Vulkan devices are software (tests/environment). */
START_TEST(usual_device) {
  place p = make_place();
  const struct wish *w = &wishes[_i];
  kg_context *c;
  kg_device *d;
  const char *id;
  setenv("CC", w->cc, 1);
  if (w->wish) setenv("KGRAD_DEVICE", w->wish, 1);
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.no_vulkan = w->no_vulkan}, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(count_usual(c, &id), w->usual != NULL);
  if (w->usual) {
    ck_assert_str_eq(id, w->usual);
    ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &d), KG_OK);
    ck_assert_str_eq(kg_device_describe(d).id, w->usual);
    ck_assert(kg_device_describe(d).usual && !kg_device_describe(d).gpu);
    kg_device_free(d);
  } else {
    ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &d), KG_UNAVAILABLE);
  }
  kg_context_free(c);
  unsetenv("KGRAD_DEVICE");
  empty(p.root);
}
END_TEST

START_TEST(no_compiler) {
  static const char *const paths[] = {"", "/nowhere", ".:relative"};
  kg_context *c;
  kg_device *d;
  char path[4096];
  place p = make_place();
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  unsetenv("CC");
  setenv("PATH", paths[_i], 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(cpu_index(c), kg_device_count(c));
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-compiler");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "none of cc, clang and gcc is on PATH"));
  kg_context_free(c);
  setenv("CC", "no-such-compiler -O2", 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_UNAVAILABLE);
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "CC names no-such-compiler"));
  kg_context_free(c);
  setenv("PATH", path, 1);
  empty(p.root);
}
END_TEST

/* The lanes of the text are those of the device. */
START_TEST(lanes_are_told) {
  place p = make_place();
  kgi_cpu_host host;
  kgi_cpu_describe(&host);
  ck_assert(host.lanes == 4 || host.lanes == 8 || host.lanes == 16);
  char text[200];
  snprintf(text, sizeof text, "int x[KG_LANES == %u ? 1 : -1];\n", host.lanes);
  ck_assert_int_eq(load_status(text), KG_OK);
  empty(p.root);
}
END_TEST

static const uint64_t sizes[] = {0, 1, 63, 64, 65, 262143, 262144, 1000001};

START_TEST(memory_is_aligned_and_zero) {
  place p = make_place();
  kg_context *c;
  kg_device *d;
  kg_buffer *b;
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_OK);
  for (size_t i = 0; i < KGT_COUNT(sizes); i++) {
    ck_assert_int_eq(kg_buffer_new(d, sizes[i], &kgt_sink, &b), KG_OK);
    const unsigned char *at = ((kgi_cpu_buffer *)b)->bytes;
    ck_assert_uint_eq((uintptr_t)at % 64, 0);
    for (uint64_t k = 0; k < sizes[i] + 64; k++) ck_assert_uint_eq(at[k], 0);
    kg_buffer_free(b);
  }
  ck_assert_int_eq(kg_buffer_new(d, SIZE_MAX / 4, &kgt_sink, &b), KG_NO_MEMORY);
  ck_assert_int_eq(kg_buffer_new(d, SIZE_MAX, &kgt_sink, &b), KG_REFUSED);
  kg_device_free(d);
  kg_context_free(c);
  empty(p.root);
}
END_TEST

/* ---- the pool ---- */

typedef struct tally { _Atomic uint8_t *times; _Atomic uint64_t calls; uint32_t slow; } tally;

static void count_part(void *user, uint32_t first, uint32_t end) {
  tally *t = user;
  t->calls++;
  for (uint32_t i = first; i < end; i++) {
    t->times[i]++;
    for (volatile uint32_t k = 0; k < t->slow; k++) continue;
  }
}

typedef struct dispatches { kgi_pool *pool; tally *tally; uint32_t count, repeats; double cost; } dispatches;

static void dispatch(void *user) {
  dispatches *d = user;
  for (uint32_t r = 0; r < d->repeats; r++) {
    kgi_pool_share(d->pool, count_part, d->tally, d->count, &d->cost);
    /* all are done before the next begins */
    for (uint32_t i = 0; i < d->count; i++)
      if (d->tally->times[i] != (uint8_t)(r + 1)) d->tally->slow = UINT32_MAX;
  }
}

typedef struct sharing { const char *name; uint32_t count, threads, repeats, slow; double cost; } sharing;
static const sharing sharings[] = {
  {"none", 0, 2, 3, 0, 0}, {"one", 1, 2, 3, 0, 0}, {"one, alone", 1, 1, 3, 0, 0}, {"7, alone", 7, 1, 3, 0, 0}, {"7 of 7", 7, 7, 50, 100, 0},
  {"7 of 2", 7, 2, 50, 20000, 0}, {"many, alone", 100000, 1, 3, 0, 0}, {"many of 2", 100000, 2, 20, 0, 0},
  {"many of 7", 100000, 7, 20, 0, 0}, {"slow ones of 7", 1000, 7, 20, 1000, 0}, {"it was cheap", 100, 2, 20, 20000, 1e-3},
  {"it was dear", 100000, 3, 20, 0, 1e9}, {"small ones", 64, 2, 200, 10, 0},
};

START_TEST(each_group_once) {
  const sharing *s = &sharings[_i];
  tally t = {.times = calloc(s->count + 1, 1), .slow = s->slow};
  kgi_pool *pool = kgi_pool_new(NULL, s->threads);
  ck_assert_ptr_nonnull(pool);
  dispatches d = {pool, &t, s->count, s->repeats, s->cost};
  for (int k = 0; k < 2; k++) { /* on this stack, and on the pool's */
    for (uint32_t i = 0; i < s->count; i++) t.times[i] = 0;
    ck_assert(kgi_pool_call(pool, k ? KGI_POOL_STACK : 1000, dispatch, &d));
    ck_assert_uint_eq(t.slow, s->slow);
    for (uint32_t i = 0; i < s->count; i++) ck_assert_uint_eq(t.times[i], (uint8_t)s->repeats);
  }
  kgi_pool_free(pool);
  free((void *)t.times);
}
END_TEST

/* A frame that no usual stack holds. */
static void deep(void *user, uint32_t first, uint32_t end) {
  volatile char rows[48 << 20];
  for (size_t i = 0; i < sizeof rows; i += 4096) rows[i] = (char)first;
  *(_Atomic uint32_t *)user += (end - first) * (rows[0] == (char)first);
}
typedef struct deep_job { kgi_pool *pool; _Atomic uint32_t sum; double cost; } deep_job;
static void run_deep(void *user) {
  deep_job *j = user;
  kgi_pool_share(j->pool, deep, &j->sum, 5, &j->cost);
}

START_TEST(stacks_are_large) {
  deep_job j = {.pool = kgi_pool_new(NULL, 3)};
  ck_assert(kgi_pool_call(j.pool, UINT64_MAX, run_deep, &j));
  ck_assert_uint_eq(j.sum, 5);
  kgi_pool_free(j.pool);
  kgi_pool_free(NULL);
}
END_TEST

static void where_am_i(void *user) { *(pthread_t *)user = pthread_self(); }

/* The caller's own stack, where it does. */
START_TEST(whose_stack) {
  kgi_pool *pool = kgi_pool_new(NULL, 2);
  pthread_t at;
  ck_assert(kgi_pool_call(pool, 10000, where_am_i, &at));
  ck_assert(pthread_equal(at, pthread_self()));
  ck_assert(kgi_pool_call(pool, UINT64_MAX, where_am_i, &at));
  ck_assert(!pthread_equal(at, pthread_self()));
  kgi_pool_free(pool);
}
END_TEST

static uint64_t stack_of_text(const char *body) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  char text[2000];
  snprintf(text, sizeof text, "%svoid kg_kernel_1(const struct kg_args *a, uint32_t first, uint32_t end) { %s }\n", prelude, body);
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
    KGT(compiled_once), KGT(same_text_same_object), KGT_TABLE(damaged_files_are_built_again, harms, name),
    KGT(foreign_files_are_built_again), KGT(what_others_can_write), KGT(folders_of_others), KGT_TIMES(no_cache, 3),
    KGT(where_the_cache_is), KGT(the_bound_of_the_cache), KGT(two_threads_compile), KGT(two_processes_compile),
    KGT(text_that_is_wrong), KGT_TABLE(compilers_that_fail, refusals, part),
    KGT_TABLE(compilers_that_do_not_end, latenesses, script), KGT(less_is_optimized_instead),
    KGT_TABLE(long_text_is_optimized_less, lengths, option), KGT(a_compiler_that_is_none), KGT_TIMES(without_march, 2),
    KGT(options_in_cc), KGT(hostile_names), KGT(no_folder_to_build_in), KGT(hosts_that_ignore_children), KGT(listed_last),
    KGT_TABLE(usual_device, wishes, name),
    KGT_TIMES(no_compiler, 3), KGT(lanes_are_told), KGT(memory_is_aligned_and_zero), KGT_TABLE(each_group_once, sharings, name),
    KGT(stacks_are_large), KGT(whose_stack), KGT(compilers_tell_the_stack),
  };
  return kgt_run("driver/cpu", tests, KGT_COUNT(tests));
}
