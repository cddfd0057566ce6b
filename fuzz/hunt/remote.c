#include "fuzz/hunt/remote.h"

#include <kgrad/driver.h>
#include <kgrad/spirv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum verb { DESCRIBE, RUN, COMPILE, LIST } verb;

/* ---- in its process ---- */

/* What it has said: the first error. */
typedef struct heard { char id[64], message[1000]; } heard;

static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  if (h->id[0] || diag->severity != KG_ERROR) return;
  snprintf(h->id, sizeof h->id, "%s", diag->id);
  snprintf(h->message, sizeof h->message, "%s", diag->message);
}

typedef struct server { kg_context *context; kg_device *device; heard heard; } server;

static void put_heard(kgi_message *reply, kg_status status, const heard *h) {
  kgi_put_number(reply, status);
  kgi_put_text(reply, h->id), kgi_put_text(reply, h->message);
}

static kg_status open_device(server *s, const char *which, const kg_sink *sink) {
  kg_status status = s->context ? KG_OK : kg_context_new(NULL, &(kg_context_params){.only = which}, sink, &s->context);
  return status != KG_OK || s->device ? status : kg_device_open(s->context, which, sink, &s->device);
}

static void describe(server *s, kgi_message *reply) {
  kg_device_info info = kg_device_describe(s->device);
  kgi_put_text(reply, info.id), kgi_put_text(reply, info.name), kgi_put_text(reply, info.driver);
  kgi_put_number(reply, info.features), kgi_put_number(reply, info.subgroup_size);
}

static void list(kgi_message *reply) {
  kg_context *context = NULL;
  char ids[400] = "";
  size_t used = 0;
  if (kg_context_new(NULL, NULL, NULL, &context) != KG_OK) return;
  for (uint32_t i = 0; i < kg_device_count(context) && used < sizeof ids - 40; i++)
    if (strcmp(kg_device_at(context, i).id, "reference"))
      used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%s", used ? " " : "", kg_device_at(context, i).id);
  kgi_put_text(reply, ids);
  kg_context_free(context);
}

typedef struct arguments {
  kg_module *module;
  uint32_t buffers, params;
  uint64_t *param, *length;
  bool *given;
  void **data;
} arguments;

static void free_arguments(arguments *a) {
  for (uint32_t i = 0; a->data && i < a->buffers; i++) free(a->data[i]);
  free(a->param), free(a->length), free(a->given), free(a->data);
  kg_module_free(a->module);
}

static bool get_module(kgi_reading *r, kg_module **out) {
  size_t size;
  const uint8_t *bytes = kgi_get_block(r, &size);
  return bytes && kg_module_decode(NULL, "run", bytes, size, NULL, out) == KG_OK;
}

static bool get_arguments(kgi_reading *r, arguments *a) {
  if (!get_module(r, &a->module)) return false;
  a->buffers = kg_module_buffer_count(a->module), a->params = kg_module_param_count(a->module);
  a->param = calloc(a->params + 1, sizeof *a->param), a->length = calloc(a->buffers + 1, sizeof *a->length);
  a->given = malloc(a->params + a->buffers + 1), a->data = calloc(a->buffers + 1, sizeof *a->data);
  if (!a->param || !a->length || !a->given || !a->data) return false;
  memset(a->given, 1, a->params + a->buffers + 1);
  for (uint32_t i = 0; i < a->params; i++) a->param[i] = kgi_get_number(r);
  for (uint32_t i = 0; i < a->buffers; i++) {
    size_t size;
    a->length[i] = kgi_get_number(r);
    const uint8_t *bytes = kgi_get_block(r, &size);
    if (r->failed || !(a->data[i] = malloc(size + 1))) return false;
    memcpy(a->data[i], bytes, size);
  }
  return !r->failed;
}

static bool is_output(const kg_module *m, uint32_t buffer) {
  kg_mode mode = kg_module_buffer(m, buffer).mode;
  return mode == KG_WRITE || mode == KG_READ_WRITE;
}

static void run(server *s, kgi_reading *r, kgi_message *reply) {
  arguments a = {0};
  kg_sink sink = {hear, &s->heard};
  kg_math math = (kg_math)kgi_get_number(r);
  kg_status status = KG_NO_MEMORY;
  if (get_arguments(r, &a)) {
    kg_host host = {.param = a.param, .param_given = a.given, .length = a.length, .length_given = a.given};
    status = kg_run(s->device, a.module, &host, a.data, &(kg_executable_params){.math = math}, &sink, NULL);
  }
  put_heard(reply, status, &s->heard);
  for (uint32_t i = 0; status == KG_OK && i < a.buffers; i++)
    if (is_output(a.module, i)) kgi_put_block(reply, a.data[i], (size_t)a.length[i] * kg_type_size(kg_module_buffer(a.module, i).type));
  free_arguments(&a);
}

enum { MOST_MODULES = 64 };

static void compile(server *s, kgi_reading *r, kgi_message *reply) {
  kg_module *m[MOST_MODULES];
  const kg_module *all[MOST_MODULES];
  kg_sink sink = {hear, &s->heard};
  size_t count = 0, wanted = (size_t)kgi_get_number(r);
  while (count < wanted && count < MOST_MODULES && get_module(r, &m[count])) all[count] = m[count], count++;
  put_heard(reply, kg_device_compile(s->device, all, count, &sink), &s->heard);
  while (count) kg_module_free(m[--count]);
}

static void serve(void *user, const uint8_t *request, size_t size, kgi_message *reply) {
  static server s; /* of this process */
  kgi_reading r = {request, request + size, false};
  verb verb = (enum verb)kgi_get_number(&r);
  kg_sink sink = {hear, &s.heard};
  s.heard = (heard){.id = ""};
  if (verb == LIST) return list(reply);
  kg_status status = open_device(&s, ((kgi_remote *)user)->which, &sink);
  if (status != KG_OK) return put_heard(reply, status, &s.heard);
  switch (verb) {
  case DESCRIBE: put_heard(reply, KG_OK, &s.heard), describe(&s, reply); break;
  case RUN: run(&s, &r, reply); break;
  case COMPILE: compile(&s, &r, reply); break;
  case LIST: break;
  }
}

/* ---- from outside ---- */

static kg_status tell(const kg_sink *sink, kg_status status, const char *id, const char *message) {
  kg_diag diag = {.id = id, .severity = KG_ERROR, .file = "", .message = message, .fix = ""};
  if (sink && sink->emit) sink->emit(sink->user, &diag);
  return status;
}

/* KG_FAILED, and why there is no reply. */
static kg_status tell_fall(const kgi_remote *r, kgi_child_outcome outcome, const kg_sink *sink) {
  char text[400], id[200], how[80], words[100];
  if (outcome == KGI_NONE) return tell(sink, KG_UNAVAILABLE, "device-none", "there is no process for the device");
  kgi_child_ended(&r->child, outcome, how, sizeof how);
  kgi_child_words(&r->child, words, sizeof words);
  snprintf(text, sizeof text, "the device's process %s%s%s", how, *words ? ": " : "", words);
  snprintf(id, sizeof id, "%s%s%s", outcome == KGI_LATE ? KGI_DEVICE_LATE : KGI_DEVICE_FELL, *words && outcome != KGI_LATE ? ": " : "",
           outcome == KGI_LATE ? "" : words);
  return tell(sink, KG_FAILED, id, text);
}

/* A device that was lost is so for good, and one that the validation layer objects to may be in any state: the next program is not to
 * suffer from that. */
static bool is_out_of_order(const char *id) { return !strcmp(id, "device-lost") || !strncmp(id, "vulkan-", 7); }

/* Asks, and reads what every reply begins with. */
static kg_status ask(kgi_remote *r, const kgi_message *request, double seconds, const kg_sink *sink, kgi_reading *reply) {
  if (request->failed) return KG_NO_MEMORY;
  kgi_child_outcome outcome = kgi_child_call(&r->child, request->at, request->size, seconds);
  if (outcome != KGI_DONE) return tell_fall(r, outcome, sink);
  *reply = (kgi_reading){r->child.reply.at, r->child.reply.at + r->child.reply.size, false};
  kg_status status = (kg_status)kgi_get_number(reply);
  const char *id = kgi_get_text(reply), *message = kgi_get_text(reply);
  if (status == KG_OK) return status;
  if (is_out_of_order(id)) kgi_child_stop(&r->child);
  return tell(sink, status, id, message);
}

static void put_module(kgi_message *request, const kg_module *m) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  if (kg_module_encode(NULL, m, NULL, &bytes, &size) != KG_OK) request->failed = true;
  else kgi_put_block(request, bytes, size), kg_bytes_free(NULL, bytes, size);
}

static kg_status remote_run(void *user, const kg_module *m, kg_host *host, void *const *data, kg_math math, const kg_sink *sink) {
  kgi_remote *r = user;
  kgi_message request = {0};
  kgi_reading reply;
  kgi_put_number(&request, RUN), kgi_put_number(&request, math);
  put_module(&request, m);
  for (uint32_t i = 0; i < kg_module_param_count(m); i++) kgi_put_number(&request, host->param[i]);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kgi_put_number(&request, host->length[i]);
    kgi_put_block(&request, data[i], (size_t)host->length[i] * kg_type_size(kg_module_buffer(m, i).type));
  }
  kg_status status = ask(r, &request, r->seconds, sink, &reply);
  for (uint32_t i = 0; status == KG_OK && i < kg_module_buffer_count(m); i++) {
    size_t size;
    const uint8_t *bytes = is_output(m, i) ? kgi_get_block(&reply, &size) : NULL;
    if (bytes) memcpy(data[i], bytes, size);
  }
  kgi_message_free(&request);
  return status == KG_OK && reply.failed ? KG_FAILED : status;
}

static kg_status remote_compile(void *user, const kg_module *const *modules, size_t count, const kg_sink *sink) {
  kgi_remote *r = user;
  kgi_message request = {0};
  kgi_reading reply;
  kgi_put_number(&request, COMPILE), kgi_put_number(&request, count);
  for (size_t i = 0; i < count; i++) put_module(&request, modules[i]);
  kg_status status = ask(r, &request, r->seconds * (double)(count + 1), sink, &reply);
  kgi_message_free(&request);
  return status;
}

bool kgi_remote_open(kgi_remote *r, const char *which, double seconds, const char *said, const kg_sink *sink) {
  kgi_message request = {0};
  kgi_reading reply;
  *r = (kgi_remote){.which = which, .seconds = seconds};
  r->child = (kgi_child){.serve = serve, .user = r, .said = said};
  kgi_put_number(&request, DESCRIBE);
  kg_status status = ask(r, &request, seconds + 20, sink, &reply); /* a loader may take its time */
  kgi_message_free(&request);
  if (status != KG_OK) return false;
  snprintf(r->id, sizeof r->id, "%s", kgi_get_text(&reply));
  snprintf(r->name, sizeof r->name, "%s", kgi_get_text(&reply));
  snprintf(r->driver, sizeof r->driver, "%s", kgi_get_text(&reply));
  r->features = (uint32_t)kgi_get_number(&reply);
  r->target = (kgi_target){r->id, (uint32_t)kgi_get_number(&reply), remote_run, remote_compile, r};
  return !reply.failed;
}

uint32_t kgi_lacking(uint32_t features) {
  const uint32_t types = KG_FEATURE_INT64 | KG_FEATURE_FLOAT64 | KG_FEATURE_FLOAT16 | KG_FEATURE_STORAGE8 | KG_FEATURE_STORAGE16;
  const uint32_t lanes = KG_FEATURE_SUBGROUP_BASIC | KG_FEATURE_SUBGROUP_VOTE | KG_FEATURE_SUBGROUP_ARITHMETIC | KG_FEATURE_SUBGROUP_BALLOT |
                         KG_FEATURE_SUBGROUP_SHUFFLE | KG_FEATURE_SUBGROUP_RELATIVE;
  uint32_t lacking = 0;
  if ((features & types) != types) lacking |= KGI_FUZZ_TYPES;
  if ((features & lanes) != lanes) lacking |= KGI_FUZZ_SUBGROUP | KGI_FUZZ_DIVERGED;
  return lacking;
}

void kgi_remote_close(kgi_remote *r) { kgi_child_free(&r->child); }

void kgi_remote_list(char *ids, size_t size) {
  kgi_remote r = {.child = {.serve = serve, .user = &r}};
  kgi_message request = {0};
  kgi_put_number(&request, LIST);
  *ids = 0;
  if (!request.failed && kgi_child_call(&r.child, request.at, request.size, 30) == KGI_DONE) {
    kgi_reading reply = {r.child.reply.at, r.child.reply.at + r.child.reply.size, false};
    snprintf(ids, size, "%s", kgi_get_text(&reply));
  }
  kgi_message_free(&request);
  kgi_child_free(&r.child);
}
