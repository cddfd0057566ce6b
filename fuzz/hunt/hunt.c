#define _GNU_SOURCE
#include "fuzz/hunt/hunt.h"

#include "fuzz/hunt/keep.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of one cause as many are made smaller, to see whether they are of several kinds; others are counted. */
enum { MOST_OF_CAUSE = 6, MOST_CAUSES = 200, MOST_WAITING = 16 };

typedef struct worker {
  kgi_asker asker;
  kgi_area *area;
  kgi_batch batch;
  bool busy, rests; /* rests: its batch goes on when it is next its turn */
} worker;

typedef struct cause { char text[400]; unsigned kept; uint64_t finding; } cause; /* finding: the last of it, by number; 0: none yet */

typedef struct chase {
  kgi_hunt *h;
  worker *worker; unsigned workers;
  kgi_clerk clerk;
  kgi_failure waiting[MOST_WAITING]; unsigned waiting_count;
  cause cause[MOST_CAUSES]; unsigned causes;
  double begun, before; /* on the clock; seconds of earlier runs */
  bool failed;
} chase;

void kgi_hunt_begin(kgi_hunt *h, const kgi_hunt_params *p) {
  *h = (kgi_hunt){.params = p, .next = p->seed};
  for (size_t r = 0; r < p->rows; r++)
    for (int d = p->row[r]->device ? 0 : -1; d < (p->row[r]->device ? (int)p->devices : 0) && h->questions < KGI_MOST_QUESTIONS; d++)
      h->question[h->questions++] = (kgi_question){p->row[r], d};
}

void kgi_hunt_free(kgi_hunt *h) { free(h->finding); }

kgi_finding *kgi_hunt_add(kgi_hunt *h) {
  if (h->findings == h->finding_cap) {
    size_t cap = h->finding_cap ? 2 * h->finding_cap : 16;
    kgi_finding *grown = realloc(h->finding, cap * sizeof *grown);
    if (!grown) return NULL;
    h->finding = grown, h->finding_cap = cap;
  }
  h->finding[h->findings] = (kgi_finding){.number = (unsigned)h->findings + 1};
  return &h->finding[h->findings++];
}

/* ---- what is found ---- */

static cause *cause_of(chase *c, const char *text) {
  for (unsigned i = 0; i < c->causes; i++)
    if (!strcmp(c->cause[i].text, text)) return &c->cause[i];
  if (c->causes == MOST_CAUSES) return NULL;
  snprintf(c->cause[c->causes].text, sizeof c->cause->text, "%s", text);
  return &c->cause[c->causes++];
}

/* Counted where one of its kind is known well enough, else it waits for the clerk. */
static void take_failure(chase *c, const kgi_batch *at, const kgi_said *said) {
  kgi_failure f = {.question = at->question, .seed = at->first + at->index, .said = *said};
  char text[400];
  kgi_cause_of(c->h, &f, text, sizeof text);
  cause *known = cause_of(c, text);
  bool enough = !known || known->kept >= MOST_OF_CAUSE || c->waiting_count == MOST_WAITING;
  if (!enough) known->kept++, c->waiting[c->waiting_count++] = f;
  else if (known && known->finding) c->h->finding[known->finding - 1].count++;
}

/* One that is left with the same digest, or of the same cause with the same kinds of statements, is the same. */
static kgi_finding *known_finding(chase *c, const kgi_finding *f) {
  for (size_t i = 0; i < c->h->findings; i++) {
    kgi_finding *k = &c->h->finding[i];
    bool same = *f->digest ? !strcmp(k->digest, f->digest) : !*k->digest;
    if (!strcmp(k->cause, f->cause) && (same || !strcmp(k->shape, f->shape) || c->h->params->reduce <= 0)) return k;
  }
  return NULL;
}

static void settle_finding(chase *c, const kgi_finding *f) {
  const kgi_hunt_params *p = c->h->params;
  kgi_finding *known = known_finding(c, f);
  cause *of = cause_of(c, f->cause);
  if (known) {
    known->count++;
    if (*f->place && p->forget) p->forget(p->user, f);
    return;
  }
  if (!(known = kgi_hunt_add(c->h))) return (void)(c->failed = true);
  unsigned number = known->number;
  *known = *f, known->number = number;
  if (of) of->finding = number;
  if (p->found) p->found(p->user, known);
}

static void hear_clerk(chase *c) {
  kgi_finding f;
  kgi_child_outcome outcome = c->clerk.busy ? kgi_clerk_receive(&c->clerk, &f) : KGI_NONE;
  if (outcome == KGI_DONE) settle_finding(c, &f);
  if (outcome == KGI_FELL) { /* what is known of it is told all the same */
    const kgi_failure *failure = &c->waiting[0];
    f = (kgi_finding){.seed = failure->seed, .count = 1};
    kgi_cause_of(c->h, failure, f.cause, sizeof f.cause);
    snprintf(f.property, sizeof f.property, "%s", c->h->question[failure->question].row->name);
    snprintf(f.what, sizeof f.what, "%s", failure->said.what);
    settle_finding(c, &f);
  }
  if (outcome != KGI_NONE) memmove(c->waiting, c->waiting + 1, --c->waiting_count * sizeof *c->waiting);
  if (!c->clerk.busy && c->waiting_count) kgi_clerk_send(&c->clerk, &c->waiting[0], (unsigned)c->h->findings + 1);
}

/* ---- batches ---- */

static bool is_over(const chase *c) {
  const kgi_hunt_params *p = c->h->params;
  bool late = p->seconds > 0 && c->h->seconds >= p->seconds, full = p->most && c->h->findings >= p->most;
  return c->failed || late || full || (p->stopped && p->stopped(p->user));
}

static bool is_through(const kgi_hunt *h) { return !h->pending_count && h->next >= kgi_hunt_end(h->params); }

static bool next_batch(chase *c, kgi_batch *b) {
  kgi_hunt *h = c->h;
  uint64_t end = kgi_hunt_end(h->params);
  if (is_through(h)) return false;
  if (h->pending_count) return *b = h->pending[--h->pending_count], true;
  *b = (kgi_batch){.first = h->next, .count = end - h->next < KGI_BATCH ? (uint32_t)(end - h->next) : KGI_BATCH};
  h->next += b->count;
  return true;
}

static void add_all(uint64_t *to, const uint64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] += from[i];
}

static void add_refusal(kgi_counts *to, const kgi_refusal *r) {
  for (unsigned i = 0; i < KGI_MOST_REFUSALS && r->count; i++) {
    if (to->refusal[i].count && strcmp(to->refusal[i].id, r->id)) continue;
    snprintf(to->refusal[i].id, sizeof r->id, "%s", r->id);
    to->refusal[i].count += r->count;
    return;
  }
}

static void add_counts(kgi_counts *to, const kgi_counts *from) {
  add_all((uint64_t *)to, (const uint64_t *)from, offsetof(kgi_counts, refusal) / sizeof(uint64_t));
  for (unsigned i = 0; i < KGI_MOST_REFUSALS; i++) add_refusal(to, &from->refusal[i]);
}

/* What a worker has counted so far. */
static void take_counts(kgi_hunt *h, worker *w) {
  add_counts(&h->counts, &w->area->counts);
  memset(w->area, 0, sizeof *w->area);
}

/* While the clerk works, one worker rests. */
static void go_on(chase *c, worker *w) {
  bool one_less = c->clerk.busy && c->workers > 1 && w == &c->worker[c->workers - 1];
  if (w->busy || one_less) return;
  if (!w->rests && !next_batch(c, &w->batch)) return;
  w->rests = false;
  w->busy = kgi_asker_send(&w->asker, &w->batch);
  if (!w->busy) c->failed = true;
}

static bool is_late(const chase *c, const worker *w) {
  double since = w->area->since;
  bool first = w->batch.index == 0; /* a compiler may be at work for all of the batch */
  return since > 0 && kgi_now() - since > kgi_most_seconds(c->h->params) * (first ? 4 : 1);
}

static void hear_worker(chase *c, worker *w) {
  bool ended = false;
  kgi_said said;
  kgi_child_outcome outcome = kgi_asker_receive(&w->asker, &w->batch, &ended, &said);
  if (outcome == KGI_NONE && is_late(c, w)) kgi_asker_give_up(&w->asker, &w->batch, &said), outcome = KGI_LATE;
  if (outcome == KGI_NONE) return;
  w->busy = false;
  if (ended) return take_counts(c->h, w);
  take_failure(c, &w->batch, &said);
  w->batch.index++, w->rests = true;
}

static bool is_busy(const chase *c) {
  bool busy = c->clerk.busy || c->waiting_count;
  for (unsigned i = 0; i < c->workers; i++) busy |= c->worker[i].busy || c->worker[i].rests;
  return busy;
}

static void wait_for_any(const chase *c) {
  struct pollfd list[KGI_MOST_JOBS + 1];
  nfds_t count = 0;
  for (unsigned i = 0; i < c->workers; i++)
    if (c->worker[i].busy) list[count++] = (struct pollfd){.fd = c->worker[i].asker.child.fd, .events = POLLIN};
  if (c->clerk.busy) list[count++] = (struct pollfd){.fd = c->clerk.child.fd, .events = POLLIN};
  poll(list, count, 200);
}

static void show(chase *c) {
  kgi_hunt *h = c->h;
  h->seconds = c->before + kgi_now() - c->begun;
  h->seen = h->counts;
  for (unsigned i = 0; i < c->workers; i++) add_counts(&h->seen, &c->worker[i].area->counts);
  if (h->params->progress) h->params->progress(h->params->user);
}

/* Time is up: what is under way goes on another time, from where it is. */
static void put_down(chase *c, worker *w) {
  if (!w->busy && !w->rests) return;
  if (w->busy) kgi_child_stop(&w->asker.child);
  bool done = w->busy && w->area->question == c->h->questions;
  if (w->busy && w->area->since > 0) w->batch.question = w->area->question, w->batch.index = w->area->index;
  if (!done) c->h->pending[c->h->pending_count++] = w->batch;
  take_counts(c->h, w);
  w->busy = w->rests = false;
}

/* What is of a cause of which something was found is not worth the wait any more; nothing is for who is told to end. */
static void drop_waiting(chase *c) {
  const kgi_hunt_params *p = c->h->params;
  bool stopped = p->stopped && p->stopped(p->user);
  unsigned left = c->clerk.busy;
  for (unsigned i = left; i < c->waiting_count; i++) {
    char text[400];
    kgi_cause_of(c->h, &c->waiting[i], text, sizeof text);
    const cause *known = cause_of(c, text);
    if (!stopped && known && !known->finding) c->waiting[left++] = c->waiting[i];
  }
  if (c->waiting_count) c->waiting_count = left;
}

static void chase_all(chase *c) {
  for (bool over = false;;) {
    over |= is_over(c);
    for (unsigned i = 0; i < c->workers; i++)
      if (over) put_down(c, &c->worker[i]);
      else go_on(c, &c->worker[i]);
    if (over) drop_waiting(c);
    hear_clerk(c);
    if (!is_busy(c)) break;
    wait_for_any(c);
    for (unsigned i = 0; i < c->workers; i++)
      if (c->worker[i].busy) hear_worker(c, &c->worker[i]);
    show(c);
  }
  show(c);
}

static bool make_workers(chase *c) {
  const kgi_hunt_params *p = c->h->params;
  c->workers = p->jobs < 1 ? 1 : p->jobs > KGI_MOST_JOBS ? KGI_MOST_JOBS : p->jobs;
  c->worker = calloc(c->workers, sizeof *c->worker);
  for (unsigned i = 0; c->worker && i < c->workers; i++) {
    char name[32];
    worker *w = &c->worker[i];
    w->area = mmap(NULL, sizeof *w->area, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w->area == MAP_FAILED) return w->area = NULL, false;
    snprintf(name, sizeof name, "worker-%u", i + 1);
    kgi_asker_make(&w->asker, c->h, name, w->area);
  }
  return c->worker;
}

/* Findings of an earlier run are known. */
static void know_findings(chase *c) {
  for (size_t i = 0; i < c->h->findings; i++) {
    cause *of = cause_of(c, c->h->finding[i].cause);
    if (of) of->kept++, of->finding = c->h->finding[i].number;
  }
}

bool kgi_hunt_run(kgi_hunt *h) {
  chase *c = calloc(1, sizeof *c);
  if (!c) return false;
  c->h = h, c->begun = kgi_now(), c->before = h->seconds;
  know_findings(c);
  kgi_clerk_make(&c->clerk, h);
  if (make_workers(c)) chase_all(c);
  else c->failed = true;
  for (unsigned i = 0; c->worker && i < c->workers; i++) {
    kgi_asker_free(&c->worker[i].asker);
    if (c->worker[i].area) munmap(c->worker[i].area, sizeof(kgi_area));
  }
  kgi_clerk_free(&c->clerk);
  bool fine = !c->failed;
  free(c->worker), free(c);
  return fine;
}
