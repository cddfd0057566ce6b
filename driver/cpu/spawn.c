#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static bool names(const char *entry, const char *variable) {
  size_t length = strlen(variable);
  return !strncmp(entry, variable, length) && entry[length] == '=';
}

/* The program's own environment, but with messages in plain English, and what a killed compiler leaves lies where all is removed. */
static char **changed(const kg_allocator *alloc, char *temporary, size_t *size) {
  static char all[] = "LC_ALL=C";
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  *size = (count + 3) * sizeof(char *);
  char **list = kgi_alloc(alloc, *size);
  if (!list) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!names(environ[i], "LC_ALL") && !names(environ[i], "LANGUAGE") && !names(environ[i], "TMPDIR")) list[kept++] = environ[i];
  list[kept++] = all, list[kept++] = temporary;
  list[kept] = NULL;
  return list;
}

/* A compiler that inherits blocked signals cannot be stopped, and one that ignores SIGCHLD cannot wait for its own parts. */
static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, plain;
  sigemptyset(&none), sigemptyset(&plain);
  sigaddset(&plain, SIGCHLD), sigaddset(&plain, SIGPIPE);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &plain);
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* A file takes the output, not a pipe: some wrappers leave a server behind, which would hold the pipe open. */
static int start(char *const *argv, char *const *environment, const char *output, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = set_signals(&attributes);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!error) error = posix_spawn(process, argv[0], &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* ---- how long ---- */

/* Also what it has started: compilers are several processes. */
static void each_of(pid_t process, void (*act)(pid_t process, uint32_t number), uint32_t number) {
  act(process, number);
#ifdef __linux__
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
  FILE *list = fopen(path, "re");
  for (long child; list && fscanf(list, "%ld", &child) == 1;) each_of((pid_t)child, act, number);
  if (list) fclose(list);
#endif
}

/* What a process starts afterwards has the limit, too, and what goes on when this program is killed. */
static void limit(pid_t process, uint32_t seconds) {
#ifdef __linux__
  struct rlimit old, all = {seconds, seconds};
  bool has = prlimit(process, RLIMIT_CPU, NULL, &old) == 0 && old.rlim_max <= seconds;
  if (!has) prlimit(process, RLIMIT_CPU, &all, NULL);
#else
  (void)process, (void)seconds;
#endif
}

static void end(pid_t process, uint32_t signal) { kill(process, (int)signal); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

static pid_t wait_for(pid_t process, int *status, int how) {
  pid_t waited;
  while ((waited = waitpid(process, status, how)) < 0 && errno == EINTR) continue;
  return waited;
}

/* A host that takes the status of every child leaves none: what was made then says whether it went well. */
static kgi_ended await(pid_t process, kgi_patience patience) {
  kgi_ended ended = {0};
  int status = 0;
  double start = now();
  pid_t waited;
  for (uint32_t looks = 0; !(waited = wait_for(process, &status, WNOHANG)) && now() - start < patience.waiting; looks++) {
    /* soon, before anything is started, and again, for what was started sooner than that */
    if (!(looks & (looks - 1))) each_of(process, limit, patience.computing);
    sleep_a_little();
  }
  if (!waited) {
    ended.late = KGI_WAITED_LONG;
    each_of(process, end, SIGKILL);
    waited = wait_for(process, &status, 0);
  }
  if (waited < 0) return ended;
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  else ended.exit = WEXITSTATUS(status);
  bool failed = ended.signal || ended.exit;
  /* what the limit ended has taken so long; what failed by itself, so late, is tried with less in vain */
  if (failed && !ended.late && now() - start >= patience.computing - 0.1) ended.late = KGI_COMPUTED_LONG;
  return ended;
}

kgi_ended kgi_spawn(char *const *argv, const char *output, kgi_patience patience, const kg_allocator *alloc) {
  kgi_ended ended = {0};
  size_t size;
  pid_t process;
  kgi_path temporary;
  if (!kgi_path_set(&temporary, "TMPDIR=%.*s", (int)(strrchr(output, '/') - output), output)) return ended.error = ENAMETOOLONG, ended;
  char **environment = changed(alloc, temporary.text, &size);
  if (!environment) return ended.error = ENOMEM, ended;
  ended.error = start(argv, environment, output, &process);
  kgi_free(alloc, environment, size);
  if (ended.error) return ended;
  return await(process, patience);
}
