#include "fuzz/ask/evidence.h"

#include "fuzz/ask/bounds.h"
#include "fuzz/ask/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *copy(const void *from, size_t size) {
  void *to = malloc(size + 1);
  if (to) memcpy(to, from, size);
  return to;
}

static bool make_room(kgi_evidence *e) {
  size_t n = e->buffers + (size_t)1;
  e->param = calloc(e->params + (size_t)1, sizeof *e->param), e->length = calloc(n, sizeof *e->length);
  e->before = calloc(n, sizeof *e->before), e->reference = calloc(n, sizeof *e->reference), e->device = calloc(n, sizeof *e->device);
  e->low = calloc(n, sizeof *e->low), e->high = calloc(n, sizeof *e->high);
  return e->param && e->length && e->before && e->reference && e->device && e->low && e->high;
}

static bool take_before(kgi_evidence *e, const kgi_ask_data *d) {
  memcpy(e->param, d->param, e->params * sizeof *e->param);
  memcpy(e->length, d->length, e->buffers * sizeof *e->length);
  for (uint32_t i = 0; i < e->buffers; i++)
    if (!(e->before[i] = copy(d->array[i], kgi_ask_bytes(d, i)))) return false;
  return true;
}

/* Where the intervals cannot be had, there are none. */
static bool take_bounds(kgi_ask *f, kgi_evidence *e, const kgi_ask_data *d) {
  kgi_bounds b;
  uint32_t lanes = f->target ? f->target->subgroup_size : 0;
  bool room = true;
  e->bounded = kgi_bounds_run(&b, e->module, d->array, d->length, d->param, lanes, f->math, NULL) == KG_OK;
  for (uint32_t i = 0; e->bounded && room && i < e->buffers; i++) {
    if (!kgi_ask_is_output(d, i)) continue;
    e->reference[i] = copy(b.array[i], kgi_ask_bytes(d, i));
    e->low[i] = copy(b.low[i], (size_t)d->length[i] * sizeof(double));
    e->high[i] = copy(b.high[i], (size_t)d->length[i] * sizeof(double));
    room = e->reference[i] && e->low[i] && e->high[i];
  }
  kgi_bounds_free(&b);
  return room;
}

static void hear(void *user, const kg_diag *diag) {
  kgi_evidence *e = user;
  if (!e->said[0] && diag->severity == KG_ERROR) snprintf(e->said, sizeof e->said, "%s [%s]", diag->message, diag->id);
}

static bool take_device(kgi_ask *f, kgi_evidence *e, kgi_ask_data *d) {
  bool given[MOST_BUFFERS + MOST_PARAMS];
  kg_sink sink = {hear, e};
  memset(given, 1, sizeof given);
  kg_host host = {.param = d->param, .length = d->length, .param_given = given, .length_given = given};
  e->ran = f->target && f->target->run(f->target->user, e->module, &host, d->array, f->math, &sink) == KG_OK;
  for (uint32_t i = 0; e->ran && i < e->buffers; i++)
    if (kgi_ask_is_output(d, i) && !(e->device[i] = copy(d->array[i], kgi_ask_bytes(d, i)))) return false;
  return true;
}

bool kgi_evidence_make(kgi_ask *f, kgi_evidence *e) {
  kgi_ask_data d = {0};
  *e = (kgi_evidence){.module = kgi_ask_program(f)};
  if (!e->module) return false;
  e->buffers = kg_module_buffer_count(e->module), e->params = kg_module_param_count(e->module);
  bool fine = make_room(e) && kgi_ask_make_data(&d, e->module, f) && take_before(e, &d) && take_bounds(f, e, &d) && take_device(f, e, &d);
  kgi_ask_free_data(&d);
  return fine;
}

void kgi_evidence_free(kgi_evidence *e) {
  for (uint32_t i = 0; e->high && i < e->buffers; i++)
    free(e->before[i]), free(e->reference[i]), free(e->device[i]), free(e->low[i]), free(e->high[i]);
  free(e->param), free(e->length), free(e->before), free(e->reference), free(e->device), free(e->low), free(e->high);
  kg_module_free(e->module);
  *e = (kgi_evidence){0};
}
