#include "tools/hunt_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void path_of(char *path, size_t size, const char *folder, const char *name) { snprintf(path, size, "%.400s/%s", folder, name); }

/* ---- out ---- */

enum { NUMBERS = offsetof(kgi_counts, refusal) / sizeof(uint64_t) };

static void put_counts(FILE *out, const kgi_counts *c) {
  const uint64_t *number = (const uint64_t *)c;
  fprintf(out, "counts %u", (unsigned)NUMBERS);
  for (size_t i = 0; i < NUMBERS; i++) fprintf(out, " %" PRIu64, number[i]);
  fputc('\n', out);
  for (unsigned i = 0; i < KGI_MOST_REFUSALS && c->refusal[i].count; i++)
    fprintf(out, "refusal %" PRIu64 " %s\n", c->refusal[i].count, c->refusal[i].id);
}

static void put_finding(FILE *out, const kgi_finding *f) {
  fprintf(out, "finding %" PRIu64 " %" PRIu64 " %u %d\n", f->seed, f->count, f->statements, f->again);
  fprintf(out, "property %s\ndevice %s\ncause %s\ndigest %s\nshape %s\nothers %s\nplace %s\n", f->property, f->device, f->cause, f->digest,
          f->shape,
          f->others, f->place);
  fputs("what ", out);
  for (const char *c = f->what; *c; c++) fputc(*c == '\n' ? ' ' : *c, out);
  fputc('\n', out);
}

bool tool_hunt_save(const char *folder, const char *asked, const kgi_hunt *h) {
  char path[500], whole[500];
  mkdir(folder, 0777);
  path_of(path, sizeof path, folder, "state.txt.partial"), path_of(whole, sizeof whole, folder, "state.txt");
  FILE *out = fopen(path, "w");
  if (!out) return false;
  fprintf(out, "asked %s\nnext %" PRIu64 "\nseconds %.3f\n", asked, h->next, h->seconds);
  for (size_t i = 0; i < h->pending_count; i++)
    fprintf(out, "pending %" PRIu64 " %u %u %u\n", h->pending[i].first, h->pending[i].count, h->pending[i].question, h->pending[i].index);
  put_counts(out, &h->counts);
  for (size_t i = 0; i < h->findings; i++) put_finding(out, &h->finding[i]);
  bool fine = !ferror(out);
  fine = fclose(out) == 0 && fine;
  if (fine) fine = rename(path, whole) == 0;
  if (!fine) remove(path);
  return fine;
}

/* ---- and in again ---- */

static void get_counts(const char *rest, kgi_counts *c) {
  char *end;
  uint64_t *number = (uint64_t *)c;
  if (strtoull(rest, &end, 10) != NUMBERS) return; /* of another version: counts begin anew */
  for (size_t i = 0; i < NUMBERS; i++) number[i] = strtoull(end, &end, 10);
}

static void get_refusal(const char *rest, kgi_counts *c) {
  char *end;
  uint64_t count = strtoull(rest, &end, 10);
  for (unsigned i = 0; i < KGI_MOST_REFUSALS; i++) {
    if (c->refusal[i].count) continue;
    snprintf(c->refusal[i].id, sizeof c->refusal[i].id, "%.63s", end + (*end == ' '));
    c->refusal[i].count = count;
    return;
  }
}

static void get_finding(kgi_hunt *h, const char *word, const char *rest) {
  kgi_finding *f = h->findings ? &h->finding[h->findings - 1] : NULL;
  const struct { const char *word; char *to; size_t size; } texts[] = {
    {"property", f ? f->property : NULL, sizeof f->property}, {"device", f ? f->device : NULL, sizeof f->device},
    {"cause", f ? f->cause : NULL, sizeof f->cause}, {"digest", f ? f->digest : NULL, sizeof f->digest},
    {"shape", f ? f->shape : NULL, sizeof f->shape}, {"others", f ? f->others : NULL, sizeof f->others},
    {"place", f ? f->place : NULL, sizeof f->place}, {"what", f ? f->what : NULL, sizeof f->what}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (f && !strcmp(word, texts[i].word)) snprintf(texts[i].to, texts[i].size, "%s", rest);
}

static void get_line(kgi_hunt *h, const char *word, const char *rest) {
  if (!strcmp(word, "next")) h->next = strtoull(rest, NULL, 10);
  else if (!strcmp(word, "seconds")) h->seconds = strtod(rest, NULL);
  else if (!strcmp(word, "counts")) get_counts(rest, &h->counts);
  else if (!strcmp(word, "refusal")) get_refusal(rest, &h->counts);
  else if (!strcmp(word, "pending") && h->pending_count < KGI_MOST_JOBS) {
    kgi_batch *b = &h->pending[h->pending_count];
    if (sscanf(rest, "%" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, &b->first, &b->count, &b->question, &b->index) == 4 &&
        b->count <= KGI_BATCH) h->pending_count++;
  } else if (!strcmp(word, "finding")) {
    kgi_finding *f = kgi_hunt_add(h);
    int again = 0;
    if (f) sscanf(rest, "%" SCNu64 " %" SCNu64 " %u %d", &f->seed, &f->count, &f->statements, &again), f->again = again;
  } else get_finding(h, word, rest);
}

bool tool_hunt_load(const char *folder, const char *asked, kgi_hunt *h, bool *other) {
  char path[500], *line = NULL;
  size_t room = 0;
  bool ours = false;
  path_of(path, sizeof path, folder, "state.txt");
  FILE *in = fopen(path, "r");
  *other = false;
  while (in && getline(&line, &room, in) > 0 && !*other) {
    line[strcspn(line, "\n")] = 0;
    char *rest = line + strcspn(line, " ");
    if (*rest) *rest++ = 0;
    if (!strcmp(line, "asked")) ours = !strcmp(rest, asked), *other = !ours;
    else if (ours) get_line(h, line, rest);
  }
  free(line);
  if (in) fclose(in);
  return ours;
}
