#include "fuzz/hunt/keep.h"

#include "fuzz/hunt/remote.h"
#include "fuzz/reduce/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence with dots where names and numbers go. */
static void plain(const char *how, char *text, size_t size) {
  size_t used = 0;
  for (const char *at = how; *at && used + 4 < size; at++) {
    if (*at != '%') {
      text[used++] = *at;
      continue;
    }
    at += 1 + strspn(at + 1, "0123456789.*");
    memcpy(text + used, "...", 3), used += 3;
  }
  text[used] = 0;
}

void kgi_cause_of(const kgi_hunt *hunt, const kgi_failure *failure, char *cause, size_t size) {
  const kgi_question *q = &hunt->question[failure->question];
  const char *device = q->device < 0 ? "" : hunt->params->device[q->device], *id = failure->said.id;
  char how[220];
  plain(failure->said.how, how, sizeof how);
  snprintf(cause, size, "%s%s%s: %s%s%s%s", q->row->name, *device ? " on " : "", device, how, *id ? " [" : "", id, *id ? "]" : "");
}

/* ---- in its process ---- */

typedef struct keeping {
  kgi_hunt hunt;
  kgi_hunt_params params; /* as the hunt's, with less patience for what does not come back */
  kgi_asker asker;
  kgi_likeness like;
} keeping;

static void say_others(keeping *k, const kgi_case *c, kgi_finding *finding) {
  const kgi_hunt_params *p = k->asker.hunt->params;
  size_t used = 0;
  for (int d = 0; d < (int)p->devices && k->like.row->device; d++) {
    kgi_said said;
    if (d == k->like.device) continue;
    kgi_answer answer = kgi_asker_ask(&k->asker, k->like.row, d, c, &said);
    const char *what = answer == KGI_FAILS ? "fails as well" : answer == KGI_REFUSED ? "refuses it" : "gives what it may";
    if (used < sizeof finding->others)
      used += (size_t)snprintf(finding->others + used, sizeof finding->others - used, "%s%s %s", used ? ", " : "", p->device[d], what);
  }
}

static void describe(const kgi_case *c, kgi_finding *finding) {
  kg_digest digest;
  finding->statements = kgi_statements(c->module);
  kgi_shape_of(c->module, finding->shape, sizeof finding->shape);
  if (kg_module_digest(c->module, NULL, &digest) != KG_OK) return;
  for (unsigned i = 0; i < sizeof digest.bytes; i++) snprintf(finding->digest + 2 * i, 3, "%02x", digest.bytes[i]);
}

static void make_smaller(keeping *k, const kgi_case *whole, kgi_case *small) {
  double seconds = k->asker.hunt->params->reduce;
  if (!kgi_case_copy(small, whole) || seconds <= 0) return;
  kgi_reduce(small, &(kgi_reduce_params){.fails = kgi_fails_alike, .user = &k->like, .seconds = seconds});
}

static void keep(keeping *k, kgi_finding *finding) {
  const kgi_hunt_params *p = k->asker.hunt->params;
  kgi_case whole = {0}, small = {0};
  uint32_t question = (uint32_t)finding->count;
  finding->count = 1;
  if (!kgi_asker_capture(&k->asker, question, finding->seed, &k->like.row, &whole)) return;
  snprintf(finding->property, sizeof finding->property, "%s", k->like.row->name);
  /* it is the way in which the case by itself fails that counts from here on */
  bool again = finding->again = kgi_likeness_of(&k->like, &whole);
  if (again) make_smaller(k, &whole, &small);
  else kgi_case_copy(&small, &whole);
  if (again && kgi_likeness_of(&k->like, &small)) snprintf(finding->what, sizeof finding->what, "%s", k->like.said.what);
  if (small.module) describe(&small, finding);
  if (small.module && again) say_others(k, &small, finding);
  if (p->save && small.module) p->save(p->user, finding, &whole, &small);
  kgi_case_free(&whole), kgi_case_free(&small);
}

static void serve(void *user, const uint8_t *request, size_t size, kgi_message *reply) {
  const kgi_clerk *clerk = user;
  kgi_finding finding;
  static keeping k;
  if (size != sizeof finding) return (void)(reply->failed = true);
  memcpy(&finding, request, size);
  k = (keeping){.hunt = *clerk->hunt, .params = *clerk->hunt->params, .like = {.asker = &k.asker}};
  k.hunt.params = &k.params;
  if (strstr(finding.cause, KGI_DEVICE_LATE) && k.params.limit > 1) k.params.limit = k.params.limit > 10 ? k.params.limit / 10 : 1;
  k.like.device = clerk->hunt->question[finding.count].device;
  kgi_asker_make(&k.asker, &k.hunt, "clerk", NULL);
  keep(&k, &finding);
  kgi_asker_free(&k.asker);
  kgi_put_bytes(reply, &finding, sizeof finding);
}

/* ---- from outside ---- */

void kgi_clerk_make(kgi_clerk *k, const kgi_hunt *hunt) {
  *k = (kgi_clerk){.hunt = hunt};
  snprintf(k->said, sizeof k->said, "%.200s/keeper.txt", hunt->params->folder);
  k->child = (kgi_child){.serve = serve, .user = k, .said = k->said};
}

void kgi_clerk_free(kgi_clerk *k) { kgi_child_free(&k->child); }

/* The question goes where the count will be. */
bool kgi_clerk_send(kgi_clerk *k, const kgi_failure *failure, unsigned number) {
  const kgi_question *q = &k->hunt->question[failure->question];
  kgi_finding finding = {.number = number, .seed = failure->seed, .count = failure->question};
  kgi_cause_of(k->hunt, failure, finding.cause, sizeof finding.cause);
  snprintf(finding.property, sizeof finding.property, "%s", q->row->name);
  if (q->device >= 0) snprintf(finding.device, sizeof finding.device, "%s", k->hunt->params->device[q->device]);
  snprintf(finding.what, sizeof finding.what, "%s", failure->said.what);
  snprintf(finding.id, sizeof finding.id, "%s", failure->said.id);
  k->since = kgi_now();
  return k->busy = kgi_child_send(&k->child, (const uint8_t *)&finding, sizeof finding);
}

kgi_child_outcome kgi_clerk_receive(kgi_clerk *k, kgi_finding *finding) {
  double most = k->hunt->params->reduce + 40 * k->hunt->params->limit + 10;
  kgi_child_outcome outcome = kgi_child_receive(&k->child);
  if (outcome == KGI_NONE && kgi_now() - k->since > most) kgi_child_stop(&k->child), outcome = KGI_FELL;
  if (outcome == KGI_NONE) return outcome;
  k->busy = false;
  if (outcome == KGI_DONE && k->child.reply.size == sizeof *finding) memcpy(finding, k->child.reply.at, sizeof *finding);
  else outcome = KGI_FELL;
  return outcome;
}
