#include "fuzz/hunt/asker.h"

#include "fuzz/ask/mutant.h"
#include "fuzz/ask/together.h"
#include "fuzz/hunt/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum verb { BATCH, ASK, ASK_HARMLESS, CAPTURE } verb;

/* Both processes have the row at one address: one is a copy of the other. */
static void put_row(kgi_message *m, const kgi_property_row *row) { kgi_put_number(m, (uint64_t)(uintptr_t)row); }
static const kgi_property_row *get_row(kgi_reading *r) { return (const kgi_property_row *)(uintptr_t)kgi_get_number(r); }

/* ---- in its process ---- */

static kgi_remote remotes[KGI_MOST_DEVICES]; /* of this process; opened when they are needed */
static bool opened[KGI_MOST_DEVICES];

static const kgi_target *target_of(const kgi_asker *a, int device) {
  const kgi_hunt_params *p = a->hunt->params;
  if (device < 0) return NULL;
  if (!opened[device]) opened[device] = kgi_remote_open(&remotes[device], p->device[device], p->limit, a->said[1], NULL);
  return opened[device] ? &remotes[device].target : NULL;
}

static kgi_ask begin(const kgi_asker *a, const kgi_property_row *row, int device, uint64_t seed) {
  const kgi_hunt_params *p = a->hunt->params;
  return (kgi_ask){.features = row->features & ~p->without & ~(row->device ? p->lacking : 0), .statements = p->statements, .math = p->math,
                   .data = seed,
                   .target = target_of(a, device)};
}

/* The program of a seed, which `f` is to be asked about, in `c` or as bytes. False: there is none that the row may be asked about. */
static bool take_program(const kgi_asker *a, const kgi_property_row *row, uint64_t seed, kgi_ask *f, kgi_case *c) {
  static uint8_t bytes[KGI_FUZZ_BYTES];
  const kgi_corpus *corpus = a->hunt->params->corpus;
  *c = (kgi_case){0};
  if (!corpus) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    f->bytes = bytes, f->size = sizeof bytes;
    return true;
  }
  f->given = c;
  if (!kgi_ask_mutant(corpus, seed, c)) return false;
  bool in_order = row->device || row->holds == kgi_ask_threads;
  return !(kgi_ask_features(c->module) & ~f->features) && !(in_order && kgi_depends_on_order(c->module));
}

static void put_said(kgi_message *reply, kgi_answer answer, const kgi_ask *f) {
  kgi_put_number(reply, answer);
  kgi_put_text(reply, f->how), kgi_put_text(reply, f->id), kgi_put_text(reply, f->what);
}

/* A device that is not there any more holds nothing. */
static kgi_answer hold(const kgi_asker *a, const kgi_property_row *row, kgi_ask *f) {
  const char *refusal = a->hunt->params->refusal;
  if (row->device && !f->target) {
    snprintf(f->id, sizeof f->id, "no-device");
    return KGI_REFUSED;
  }
  kgi_answer answer = row->holds(f);
  if (answer != KGI_REFUSED || !refusal || strcmp(f->id, refusal)) return answer;
  f->how = "refused";
  return KGI_FAILS;
}

static void serve_harmless(const kgi_asker *a, kgi_reading *r, kgi_message *reply) {
  kgi_case c;
  (void)a;
  if (!kgi_case_unpack(&c, r)) return (void)(reply->failed = true);
  kgi_ask f = {.given = &c, .data = c.seed};
  kgi_harm harm = kgi_ask_harm(&f);
  put_said(reply, harm == KGI_HARMLESS ? KGI_HOLDS : harm == KGI_OUT_OF_BOUNDS ? KGI_VACUOUS : KGI_FAILS, &f);
  kgi_case_free(&c);
}

static void serve_case(const kgi_asker *a, kgi_reading *r, kgi_message *reply) {
  const kgi_property_row *row = get_row(r);
  int device = (int)kgi_get_number(r) - 1;
  kgi_case c;
  if (!kgi_case_unpack(&c, r)) return (void)(reply->failed = true);
  kgi_ask f = begin(a, row, device, c.seed);
  f.given = &c;
  put_said(reply, hold(a, row, &f), &f);
  kgi_case_free(&c);
}

/* What runs on a device is asked about as it is there: of an adjoint, that it is one does not matter any more. */
static const kgi_property_row *row_of_case(const kgi_property_row *row) { return row->device ? kgi_property_named("device") : row; }

static void serve_capture(const kgi_asker *a, kgi_reading *r, kgi_message *reply) {
  const kgi_question *q = &a->hunt->question[kgi_get_number(r)];
  uint64_t seed = kgi_get_number(r);
  bool asked = kgi_get_number(r);
  kgi_case c = {0}, of_seed;
  kgi_ask f = begin(a, q->row, q->device, seed);
  bool there = take_program(a, q->row, seed, &f, &of_seed);
  f.kept = &c;
  if (there && asked) hold(a, q->row, &f);
  else if (there) kg_module_free(kgi_ask_program(&f));
  put_row(reply, asked ? row_of_case(q->row) : q->row);
  if (!c.module || !kgi_case_pack(&c, reply)) reply->failed = true;
  kgi_case_free(&c), kgi_case_free(&of_seed);
}

static void count_refusal(kgi_counts *c, const char *id) {
  for (unsigned i = 0; i < KGI_MOST_REFUSALS; i++) {
    kgi_refusal *r = &c->refusal[i];
    if (r->count && strcmp(r->id, id)) continue;
    snprintf(r->id, sizeof r->id, "%.63s", id);
    r->count++;
    return;
  }
}

/* A failure is counted by who hears of it: a worker may be ended before. */
static void count(kgi_area *area, uint32_t question, kgi_answer answer, const kgi_ask *f) {
  kgi_tally4 *t = &area->counts.of[question];
  if (answer == KGI_FAILS) return;
  area->index++;
  area->counts.asked++;
  if (question == 0) area->counts.programs++;
  switch (answer) {
  case KGI_HOLDS: t->holds++; break;
  case KGI_FAILS: break;
  case KGI_VACUOUS: t->vacuous++; break;
  case KGI_REFUSED: t->refused++, count_refusal(&area->counts, f->id); break;
  }
}

/* Whether two devices left the same bits: behind the last question of a row, for all seeds of the batch. */
static void compare_devices(const kgi_asker *a, const kgi_batch *b) {
  kgi_area *area = a->area;
  for (uint32_t i = 0; i < b->count; i++)
    for (size_t x = 0; x < a->hunt->params->devices; x++)
      for (size_t y = x + 1; y < a->hunt->params->devices; y++) {
        uint64_t one = area->outputs[x][i], two = area->outputs[y][i];
        if (one && two) (one == two ? area->counts.same : area->counts.differ)[x][y]++;
      }
  memset(area->outputs, 0, sizeof area->outputs);
}

/* The first time alone, so that a program is counted once. */
static kgi_answer ask_seed(const kgi_asker *a, uint32_t question, uint64_t seed, uint32_t index, kgi_ask *f) {
  const kgi_question *q = &a->hunt->question[question];
  kgi_case of_seed;
  *f = begin(a, q->row, q->device, seed);
  f->coverage = &a->area->counts.coverage;
  a->area->question = question, a->area->index = index, a->area->since = kgi_now();
  kgi_answer answer = take_program(a, q->row, seed, f, &of_seed) ? hold(a, q->row, f) : KGI_VACUOUS;
  kgi_case_free(&of_seed);
  f->given = NULL;
  if (q->device >= 0) a->area->outputs[q->device][index] = answer == KGI_HOLDS ? f->outputs : 0;
  count(a->area, question, answer, f);
  return answer;
}

static void compile_ahead(const kgi_asker *a, const kgi_batch *b) {
  const kgi_question *q = &a->hunt->question[b->question];
  if (q->device < 0 || a->hunt->params->corpus) return;
  kgi_ask f = begin(a, q->row, q->device, 0);
  a->area->question = b->question, a->area->index = b->index, a->area->since = kgi_now();
  if (f.target && !strcmp(f.target->id, "cpu")) kgi_compile_together(q->row, &f, b->first + b->index, b->count - b->index);
}

static void serve_batch(const kgi_asker *a, kgi_reading *r, kgi_message *reply) {
  kgi_batch b;
  kgi_ask f = {.how = NULL};
  memcpy(&b, r->at, sizeof b);
  for (; b.question < a->hunt->questions; b.question++, b.index = 0) {
    compile_ahead(a, &b);
    for (; b.index < b.count; b.index++) {
      kgi_answer answer = ask_seed(a, b.question, b.first + b.index, b.index, &f);
      if (answer != KGI_FAILS) continue;
      kgi_put_bytes(reply, &b, sizeof b), kgi_put_number(reply, false), put_said(reply, answer, &f);
      return;
    }
    bool last = b.question + 1 == a->hunt->questions || a->hunt->question[b.question + 1].row != a->hunt->question[b.question].row;
    if (last) compare_devices(a, &b);
  }
  a->area->question = (uint32_t)a->hunt->questions, a->area->since = 0;
  kgi_put_bytes(reply, &b, sizeof b), kgi_put_number(reply, true), put_said(reply, KGI_HOLDS, &f);
}

static void serve(void *user, const uint8_t *request, size_t size, kgi_message *reply) {
  kgi_reading r = {request, request + size, false};
  switch ((verb)kgi_get_number(&r)) {
  case BATCH: serve_batch(user, &r, reply); break;
  case ASK: serve_case(user, &r, reply); break;
  case ASK_HARMLESS: serve_harmless(user, &r, reply); break;
  case CAPTURE: serve_capture(user, &r, reply); break;
  }
}

/* ---- from outside ---- */

void kgi_asker_make(kgi_asker *a, const kgi_hunt *hunt, const char *name, kgi_area *area) {
  *a = (kgi_asker){.hunt = hunt, .area = area};
  snprintf(a->said[0], sizeof a->said[0], "%.200s/%s.txt", hunt->params->folder, name);
  snprintf(a->said[1], sizeof a->said[1], "%.200s/%s-device.txt", hunt->params->folder, name);
  a->child = (kgi_child){.serve = serve, .user = a, .said = a->said[0], .leads = true};
}

void kgi_asker_free(kgi_asker *a) { kgi_child_free(&a->child); }

static void get_said(kgi_reading *r, kgi_said *said) {
  said->answer = (kgi_answer)kgi_get_number(r);
  snprintf(said->how, sizeof said->how, "%s", kgi_get_text(r));
  snprintf(said->id, sizeof said->id, "%s", kgi_get_text(r));
  snprintf(said->what, sizeof said->what, "%s", kgi_get_text(r));
}

/* Its last words tell one fall from another. */
static void say_fall(const kgi_asker *a, kgi_child_outcome outcome, kgi_said *said) {
  char how[100], words[160];
  kgi_child_ended(&a->child, outcome, how, sizeof how);
  kgi_child_words(&a->child, words, sizeof words);
  *said = (kgi_said){.answer = KGI_FAILS};
  snprintf(said->how, sizeof said->how, "kgrad %s", how);
  snprintf(said->id, sizeof said->id, "%s", words);
  snprintf(said->what, sizeof said->what, "kgrad %s%s%s", how, *words ? ": " : "", words);
}

static kgi_reading reply_of(const kgi_asker *a) { return (kgi_reading){a->child.reply.at, a->child.reply.at + a->child.reply.size, false}; }

static double most_seconds(const kgi_asker *a) { return kgi_most_seconds(a->hunt->params); }

kgi_answer kgi_asker_ask(kgi_asker *a, const kgi_property_row *row, int device, const kgi_case *c, kgi_said *said) {
  kgi_message request = {0};
  *said = (kgi_said){.answer = KGI_VACUOUS};
  kgi_put_number(&request, row ? ASK : ASK_HARMLESS);
  if (row) put_row(&request, row), kgi_put_number(&request, (uint64_t)(device + 1));
  if (kgi_case_pack(c, &request)) {
    kgi_child_outcome outcome = kgi_child_call(&a->child, request.at, request.size, most_seconds(a));
    kgi_reading r = reply_of(a);
    if (outcome == KGI_DONE) get_said(&r, said);
    else if (outcome != KGI_NONE) say_fall(a, outcome, said);
  }
  kgi_message_free(&request);
  return said->answer;
}

static kgi_harm harm_of(kgi_asker *a, const kgi_case *c) {
  kgi_said said;
  kgi_answer answer = kgi_asker_ask(a, NULL, -1, c, &said);
  return answer == KGI_HOLDS ? KGI_HARMLESS : answer == KGI_VACUOUS ? KGI_OUT_OF_BOUNDS : KGI_HARMFUL;
}

bool kgi_likeness_of(kgi_likeness *l, const kgi_case *c) {
  l->harm = harm_of(l->asker, c);
  return l->row && kgi_asker_ask(l->asker, l->row, l->device, c, &l->said) == KGI_FAILS;
}

bool kgi_fails_alike(void *likeness, const kgi_case *c) {
  kgi_likeness *l = likeness;
  kgi_said said;
  if (l->harm != KGI_HARMFUL && harm_of(l->asker, c) < l->harm) return false;
  if (!l->row) return true;
  if (kgi_asker_ask(l->asker, l->row, l->device, c, &said) != KGI_FAILS) return false;
  return !strcmp(said.how, l->said.how) && !strcmp(said.id, l->said.id);
}

static bool capture(kgi_asker *a, uint32_t question, uint64_t seed, bool asked, const kgi_property_row **row, kgi_case *c) {
  kgi_message request = {0};
  kgi_put_number(&request, CAPTURE), kgi_put_number(&request, question), kgi_put_number(&request, seed), kgi_put_number(&request, asked);
  bool fine = !request.failed && kgi_child_call(&a->child, request.at, request.size, most_seconds(a)) == KGI_DONE;
  kgi_reading r = reply_of(a);
  if (fine) *row = get_row(&r);
  fine = fine && kgi_case_unpack(c, &r);
  kgi_message_free(&request);
  return fine;
}

bool kgi_asker_capture(kgi_asker *a, uint32_t question, uint64_t seed, const kgi_property_row **row, kgi_case *c) {
  return capture(a, question, seed, true, row, c) || capture(a, question, seed, false, row, c);
}

bool kgi_asker_send(kgi_asker *a, const kgi_batch *batch) {
  kgi_message request = {0};
  kgi_put_number(&request, BATCH), kgi_put_bytes(&request, batch, sizeof *batch);
  bool sent = !request.failed && kgi_child_send(&a->child, request.at, request.size);
  kgi_message_free(&request);
  return sent;
}

static void count_failure(const kgi_asker *a, const kgi_batch *batch) {
  a->area->counts.asked++, a->area->counts.of[batch->question].fails++;
  if (batch->question == 0) a->area->counts.programs++;
  a->area->since = 0;
}

/* Where a batch stood when its process ended. */
static void stop_at(const kgi_asker *a, kgi_batch *batch) {
  batch->question = a->area->question, batch->index = a->area->index;
  if (batch->question == a->hunt->questions) batch->question--; /* it fell as it said that all was done */
  count_failure(a, batch);
}

kgi_child_outcome kgi_asker_receive(kgi_asker *a, kgi_batch *batch, bool *ended, kgi_said *said) {
  kgi_child_outcome outcome = kgi_child_receive(&a->child);
  if (outcome == KGI_FELL) say_fall(a, outcome, said), stop_at(a, batch);
  if (outcome != KGI_DONE) return outcome;
  kgi_reading r = reply_of(a);
  memcpy(batch, r.at, sizeof *batch);
  r.at += sizeof *batch;
  *ended = kgi_get_number(&r);
  get_said(&r, said);
  if (!*ended) count_failure(a, batch);
  return outcome;
}

void kgi_asker_give_up(kgi_asker *a, kgi_batch *batch, kgi_said *said) {
  kgi_child_stop(&a->child);
  say_fall(a, KGI_LATE, said);
  stop_at(a, batch);
}
