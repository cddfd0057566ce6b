#include "bench/foreign.h"
#include "bench/bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { LIMIT = 1 << 20 };

/* What it says goes to stderr, and nowhere where it is only asked whether it is there. */
static bool compiler(char **arguments, bool quiet) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions)) return false;
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (quiet) posix_spawn_file_actions_adddup2(&actions, 1, 2);
  else posix_spawn_file_actions_adddup2(&actions, 2, 1);
  bool started = !posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool bench_foreign_can(void) { return compiler((char *[]){"glslangValidator", "--version", NULL}, true); }

static bench_words contents(const char *path) {
  bench_words w = {malloc(LIMIT), 0};
  FILE *file = fopen(path, "rb");
  if (file && w.word) w.count = fread(w.word, sizeof *w.word, LIMIT / sizeof *w.word, file);
  if (file) fclose(file);
  return w;
}

bench_words bench_foreign(const char *name) {
  char source[4096], binary[] = "/tmp/kgbenchXXXXXX";
  bench_words w = {NULL, 0};
  snprintf(source, sizeof source, "%s/bench/shaders/%s.comp", bench_source_dir, name);
  int file = mkstemp(binary);
  if (file < 0) return perror(binary), w;
  char *arguments[] = {"glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.1", "-S", "comp", source, "-o", binary, NULL};
  if (compiler(arguments, false)) w = contents(binary);
  close(file), unlink(binary);
  return w;
}
