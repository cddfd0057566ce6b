/* What the CPU device's compiler leaves in the cache, also of several threads and processes at once. */
#include "tests/driver/cpu_case.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* No folder can be made below a file, and a file is none; a path that is not full is none; nobody can write to the last. */
START_TEST(no_cache) {
  static const char *const folders[] = {"/dev/null/cache", "relative", "", "/dev/null", "/etc/passwd", "/proc"};
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

int main(void) {
  const kgt_test tests[] = {
    KGT(compiled_once), KGT(same_text_same_object), KGT_TABLE(damaged_files_are_built_again, harms, name),
    KGT(foreign_files_are_built_again), KGT(what_others_can_write), KGT(folders_of_others), KGT_TIMES(no_cache, 6),
    KGT(where_the_cache_is), KGT(the_bound_of_the_cache), KGT(two_threads_compile), KGT(two_processes_compile),
  };
  return kgt_run("driver/cpu_cache", tests, KGT_COUNT(tests));
}
