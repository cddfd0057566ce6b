#include "tools/output.h"

#include "tools/diag.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tool_output {
  struct tool_output *next, *next_guarded;
  char *path;      /* as the user gave it, for messages */
  char *target;    /* without symbolic links, so that they stay links; NULL: two may be the same device */
  char *temporary; /* NULL: written directly */
  char *backup;    /* what the target was before */
  FILE *stream;
  bool placed, backed_up;
} tool_output;

/* ---- signals ---- */

/* The files that a signal has to put right. The list and the files change while signals wait. */
static tool_output *guarded;

/* A signal handler calls it too: it may do nothing but what POSIX allows there. */
static void undo(const tool_output *o) {
  if (!o->placed) unlink(o->temporary);
  else if (!o->backed_up) unlink(o->target);
  if (!o->backed_up) return;
  rename(o->backup, o->target);
  unlink(o->backup); /* rename does nothing where both are one file */
}

static void on_signal(int number) {
  for (const tool_output *o = guarded; o; o = o->next_guarded) undo(o);
  signal(number, SIG_DFL);
  raise(number);
}

static void hold_signals(sigset_t *old) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, old);
}

static void release_signals(const sigset_t *old) { sigprocmask(SIG_SETMASK, old, NULL); }

static void set_if_default(int number, void (*handler)(int)) {
  struct sigaction old;
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL) signal(number, handler);
}

/* What ends the process from outside. A file over its limit is an error of writing, as a full disk is. */
static void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) set_if_default(numbers[i], on_signal);
  set_if_default(SIGXFSZ, SIG_IGN);
}

static void guard(tool_output *o) {
  o->next_guarded = guarded;
  guarded = o;
}

static void unguard(const tool_output *o) {
  for (tool_output **at = &guarded; *at; at = &(*at)->next_guarded)
    if (*at == o) {
      *at = o->next_guarded;
      return;
    }
}

/* ---- opening ---- */

static void release(tool_output *o) {
  if (o->stream && o->stream != stdout) fclose(o->stream);
  free(o->backup);
  free(o->temporary);
  free(o->target);
  free(o->path);
  free(o);
}

/* Of a file that need not exist yet. */
static char *resolve(const char *path) {
  char *found = realpath(path, NULL), *copy = found ? NULL : strdup(path);
  if (found || !copy) return found;
  char *slash = strrchr(copy, '/');
  if (slash) slash[slash == copy] = 0;
  char *folder = realpath(slash ? copy : ".", NULL);
  const char *name = slash ? path + (slash - copy) + 1 : path;
  size_t size = folder ? strlen(folder) + strlen(name) + 2 : 0;
  if (size) found = malloc(size);
  if (found) snprintf(found, size, "%s%s%s", folder, strcmp(folder, "/") ? "/" : "", name);
  free(folder);
  free(copy);
  return found;
}

/* The names beside the target, of the new file and of what was there before. */
static bool name_beside(tool_output *o) {
  size_t size = strlen(o->target) + sizeof ".XXXXXX.old";
  o->temporary = malloc(size);
  o->backup = malloc(size);
  if (!o->temporary || !o->backup) return false;
  snprintf(o->temporary, size, "%s.XXXXXX", o->target);
  return true;
}

static FILE *open_beside(tool_output *o) {
  sigset_t old;
  if (!name_beside(o)) return NULL;
  hold_signals(&old);
  int fd = mkstemp(o->temporary);
  if (fd >= 0) guard(o);
  release_signals(&old);
  if (fd < 0) return NULL;
  strcpy(o->backup, o->temporary);
  strcat(o->backup, ".old");
  mode_t mask = umask(0);
  umask(mask);
  /* mkstemp makes files private; a file written plainly would not be */
  fchmod(fd, 0666 & ~mask);
  FILE *stream = fdopen(fd, "wb");
  if (stream) return stream;
  close(fd), unlink(o->temporary), unguard(o);
  return NULL;
}

static bool is_open(const tool_outputs *outputs, const char *target) {
  for (const tool_output *o = outputs->first; o && target; o = o->next)
    if (o->target && strcmp(o->target, target) == 0) return true;
  return false;
}

/* False: errno says why, or it is open already. */
static bool open_path(const tool_outputs *outputs, tool_output *o, bool *twice) {
  struct stat info;
  bool exists = stat(o->path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return errno = EISDIR, false;
  if (exists && S_ISCHR(info.st_mode)) return (o->stream = fopen(o->path, "wb")) != NULL;
  o->target = resolve(o->path);
  if (!o->target) return false;
  *twice = is_open(outputs, o->target);
  if (*twice) return false;
  bool direct = exists && !S_ISREG(info.st_mode);
  o->stream = direct ? fopen(o->path, "wb") : open_beside(o);
  return o->stream != NULL;
}

FILE *tool_output_open(tool_outputs *outputs, const char *path, const kg_sink *sink) {
  bool standard = strcmp(path, "-") == 0, twice = false;
  if (standard && outputs->json) return TOOL_EMIT(sink, output_json, NULL, NULL), NULL;
  tool_output *o = calloc(1, sizeof *o);
  if (o) o->path = strdup(path);
  if (!o || !o->path) return free(o), TOOL_EMIT(sink, out_of_memory, path, NULL), NULL;
  catch_signals();
  if (standard) {
    o->stream = stdout;
  } else if (!open_path(outputs, o, &twice)) {
    if (twice) TOOL_EMIT(sink, output_twice, path, NULL);
    else TOOL_EMIT(sink, cannot_write, path, strerror(errno));
    return release(o), NULL;
  }
  o->next = outputs->first;
  outputs->first = o;
  return o->stream;
}

/* ---- all or none ---- */

/* Errors of writing show at the latest when the stream is flushed or closed. Standard output is flushed at the very end. */
static bool finish(tool_output *o) {
  if (o->stream == stdout) return true;
  errno = 0;
  bool ok = fflush(o->stream) == 0 && !ferror(o->stream);
  int problem = errno;
  ok = (fclose(o->stream) == 0) && ok;
  if (problem) errno = problem;
  if (!ok && !errno) errno = EIO; /* an earlier write failed, and nobody remembers why */
  o->stream = NULL;
  return ok;
}

/* A second name for what is there, or where the file system has none, another name. */
static bool back_up(tool_output *o) {
  struct stat info;
  if (lstat(o->target, &info) != 0) return errno == ENOENT;
  if (S_ISDIR(info.st_mode)) return errno = EISDIR, false;
  o->backed_up = link(o->target, o->backup) == 0 || rename(o->target, o->backup) == 0;
  return o->backed_up;
}

static bool place(tool_output *o) {
  if (!o->temporary) return true;
  o->placed = back_up(o) && rename(o->temporary, o->target) == 0;
  return o->placed;
}

static bool place_all(const tool_outputs *outputs, const kg_sink *sink) {
  for (tool_output *o = outputs->first; o; o = o->next) {
    if (place(o)) continue;
    TOOL_EMIT(sink, cannot_write, o->path, strerror(errno));
    return false;
  }
  return true;
}

bool tool_outputs_place(tool_outputs *outputs, const kg_sink *sink) {
  bool ok = true;
  sigset_t old;
  for (tool_output *o = outputs->first; o; o = o->next) {
    if (finish(o)) continue;
    TOOL_EMIT(sink, cannot_write, o->path, strerror(errno));
    ok = false;
  }
  hold_signals(&old);
  ok = ok && place_all(outputs, sink);
  release_signals(&old);
  if (!ok) tool_outputs_discard(outputs);
  return ok;
}

static void settle(tool_outputs *outputs, bool keep) {
  sigset_t old;
  hold_signals(&old);
  for (tool_output *o = outputs->first, *next; o; o = next) {
    next = o->next;
    unguard(o);
    if (o->temporary && !keep) undo(o);
    else if (o->backed_up) unlink(o->backup);
    release(o);
  }
  outputs->first = NULL;
  release_signals(&old);
}

void tool_outputs_keep(tool_outputs *outputs) { settle(outputs, true); }
void tool_outputs_discard(tool_outputs *outputs) { settle(outputs, false); }
