#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static bool names(const char *entry, const char *variable) {
  size_t length = strlen(variable);
  return !strncmp(entry, variable, length) && entry[length] == '=';
}

/* The program's own environment, but with messages in plain English. */
static char **english(const kg_allocator *alloc, size_t *size) {
  static char all[] = "LC_ALL=C";
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  *size = (count + 2) * sizeof(char *);
  char **list = kgi_alloc(alloc, *size);
  if (!list) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!names(environ[i], "LC_ALL") && !names(environ[i], "LANGUAGE")) list[kept++] = environ[i];
  list[kept++] = all;
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

kgi_ended kgi_spawn(char *const *argv, const char *output, const kg_allocator *alloc) {
  kgi_ended ended = {0};
  size_t size;
  pid_t process;
  char **environment = english(alloc, &size);
  if (!environment) return ended.error = ENOMEM, ended;
  ended.error = start(argv, environment, output, &process);
  kgi_free(alloc, environment, size);
  if (ended.error) return ended;
  int status = 0;
  pid_t waited;
  while ((waited = waitpid(process, &status, 0)) < 0 && errno == EINTR) continue;
  /* a host that takes the status of every child leaves none: what was made then says whether it went well */
  if (waited < 0) return ended;
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  else ended.exit = WEXITSTATUS(status);
  return ended;
}
