#include "tools/progress.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

tool_progress tool_progress_begin(FILE *out) {
  return (tool_progress){.out = isatty(fileno(out)) ? out : NULL, .next = now() + 0.5};
}

void tool_progress_step(tool_progress *p, const char *what, uint64_t done, uint64_t of) {
  if (!p->out || now() < p->next) return;
  p->next = now() + 0.1;
  p->shown = true;
  fprintf(p->out, "\r\033[K%s: %" PRIu64 " of %" PRIu64, what, done, of);
  fflush(p->out);
}

void tool_progress_end(tool_progress *p) {
  if (p->shown) fputs("\r\033[K", p->out), fflush(p->out);
  p->shown = false;
}
