#include "tools/output.h"

#include "tools/diag.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tool_output {
  struct tool_output *next;
  char *path;       /* as the user gave it, for messages */
  char *target;     /* with symbolic links followed, so that they stay links */
  char *temporary;  /* NULL: written directly */
  FILE *stream;
} tool_output;

/* What a signal must remove: taken while signals wait, given back after the file is gone or has its name. The handler only
 * reads. */
enum { MAX_GUARDED = 64 };
static char *volatile guarded[MAX_GUARDED];

static void on_signal(int number) {
  for (int i = 0; i < MAX_GUARDED; i++)
    if (guarded[i]) unlink(guarded[i]);
  signal(number, SIG_DFL);
  raise(number);
}

static void guard(char *path) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old;
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) signal(numbers[i], on_signal);
  }
  for (int i = 0; i < MAX_GUARDED; i++) {
    if (guarded[i]) continue;
    guarded[i] = path;
    return;
  }
}

static void unguard(const char *path) {
  for (int i = 0; i < MAX_GUARDED; i++)
    if (guarded[i] == path) guarded[i] = NULL;
}

static void release(tool_output *o) {
  if (o->stream && o->stream != stdout) fclose(o->stream);
  if (o->temporary) unguard(o->temporary);
  free(o->temporary);
  free(o->target);
  free(o->path);
  free(o);
}

static FILE *open_beside(tool_output *o) {
  size_t size = strlen(o->target) + 8;
  o->temporary = malloc(size);
  if (!o->temporary) return NULL;
  snprintf(o->temporary, size, "%s.XXXXXX", o->target);
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  int fd = mkstemp(o->temporary);
  if (fd >= 0) guard(o->temporary);
  sigprocmask(SIG_SETMASK, &old, NULL);
  if (fd < 0) return free(o->temporary), o->temporary = NULL, NULL;
  mode_t mask = umask(0);
  umask(mask);
  /* mkstemp makes files private; a file written plainly would not be */
  fchmod(fd, 0666 & ~mask);
  FILE *stream = fdopen(fd, "wb");
  if (!stream) close(fd), unlink(o->temporary);
  return stream;
}

FILE *tool_output_open(tool_outputs *outputs, const char *path, const kg_sink *sink) {
  struct stat info;
  tool_output *o = calloc(1, sizeof *o);
  if (o) o->path = strdup(path);
  if (!o || !o->path) return free(o), TOOL_EMIT(sink, out_of_memory, path, NULL), NULL;
  bool exists = stat(path, &info) == 0;
  if (strcmp(path, "-") == 0) {
    o->stream = stdout;
  } else if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
  } else if (exists && !S_ISREG(info.st_mode)) {
    o->stream = fopen(path, "wb");
  } else {
    o->target = exists ? realpath(path, NULL) : strdup(path);
    o->stream = o->target ? open_beside(o) : NULL;
  }
  if (!o->stream) {
    TOOL_EMIT(sink, cannot_write, path, strerror(errno));
    return release(o), NULL;
  }
  o->next = outputs->first;
  outputs->first = o;
  return o->stream;
}

/* Errors of writing show at the latest when the stream is flushed or closed. */
static bool finish(tool_output *o) {
  bool ok = !ferror(o->stream) && fflush(o->stream) == 0;
  if (o->stream != stdout) ok = (fclose(o->stream) == 0) && ok;
  o->stream = NULL;
  return ok;
}

bool tool_outputs_commit(tool_outputs *outputs, const kg_sink *sink) {
  bool ok = true;
  for (tool_output *o = outputs->first; o; o = o->next) {
    if (finish(o)) continue;
    TOOL_EMIT(sink, cannot_write, o->path, strerror(errno));
    ok = false;
  }
  for (tool_output *o = outputs->first; ok && o; o = o->next) {
    if (!o->temporary) continue;
    if (rename(o->temporary, o->target) != 0) {
      TOOL_EMIT(sink, cannot_write, o->path, strerror(errno));
      ok = false;
    } else {
      unguard(o->temporary);
      free(o->temporary);
      o->temporary = NULL;
    }
  }
  tool_outputs_discard(outputs);
  return ok;
}

void tool_outputs_discard(tool_outputs *outputs) {
  for (tool_output *o = outputs->first, *next; o; o = next) {
    next = o->next;
    if (o->temporary) unlink(o->temporary);
    release(o);
  }
  outputs->first = NULL;
}
