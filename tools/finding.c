#define _GNU_SOURCE
#include "tools/finding.h"

#include "fuzz/ask/evidence.h"
#include "fuzz/hunt/remote.h"
#include "fuzz/hunt/standalone.h"
#include "tools/command.h"
#include "tools/file.h"
#include "tools/npz.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders ---- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  remove(path);
  return 0;
}

void tool_remove_folder(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

bool tool_make_folder(char *path, size_t size) {
  const char *tmp = getenv("TMPDIR");
  snprintf(path, size, "%.150s/kgrad-fuzz.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(path)) return *path = 0, false;
  setenv("TMPDIR", path, 1);
  setenv("KGRAD_CACHE", "none", 0);
  return true;
}

static FILE *create(const char *folder, const char *name) {
  char path[600];
  snprintf(path, sizeof path, "%.400s/%s", folder, name);
  return fopen(path, "wb");
}

static bool close_fine(FILE *out) {
  bool fine = out && !ferror(out);
  return out && fclose(out) == 0 && fine;
}

static bool write_bytes(const char *folder, const char *name, const void *bytes, size_t size) {
  FILE *out = create(folder, name);
  if (out) fwrite(bytes, 1, size, out);
  return close_fine(out);
}

static bool write_text(const char *folder, const char *name, const char *text) { return write_bytes(folder, name, text, strlen(text)); }

/* ---- programs and arrays ---- */

static bool write_module(const char *folder, const char *name, const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  bool fine = kg_module_print(NULL, m, NULL, &text, &size) == KG_OK && write_bytes(folder, name, text, size);
  if (text) kg_bytes_free(NULL, text, size + 1);
  return fine;
}

static tool_array array_of(kg_type type, uint64_t count, void *data) {
  return (tool_array){.type = type, .dims = 1, .shape = {count}, .count = count, .data = data, .size = (size_t)count * kg_type_size(type)};
}

bool tool_case_arrays_put(FILE *out, const kgi_case *c) {
  tool_npz_writer w;
  tool_npz_begin(&w, out);
  for (uint32_t i = 0; i < c->arrays; i++) {
    tool_array a = array_of(c->array[i].type, c->array[i].count, c->array[i].data);
    tool_npz_add(&w, c->array[i].name, &a);
  }
  return tool_npz_end(&w);
}

bool tool_case_arrays_write(const char *path, const kgi_case *c) {
  FILE *out = fopen(path, "wb");
  bool fine = out && tool_case_arrays_put(out, c);
  return close_fine(out) && fine;
}

static bool write_arrays(const char *folder, const char *name, const kgi_case *c) {
  char path[600];
  snprintf(path, sizeof path, "%.400s/%s", folder, name);
  return tool_case_arrays_write(path, c);
}

static void add_evidence(tool_npz_writer *w, const char *name, const char *what, kg_type type, uint64_t count, void *data) {
  char full[300];
  tool_array a = array_of(type, count, data);
  snprintf(full, sizeof full, "%.200s.%s", name, what);
  if (data) tool_npz_add(w, full, &a);
}

static bool write_evidence(const char *folder, const kgi_evidence *e) {
  FILE *out = create(folder, "expected.npz");
  tool_npz_writer w;
  if (!out) return false;
  tool_npz_begin(&w, out);
  for (uint32_t i = 0; i < e->buffers; i++) {
    kg_buffer_info info = kg_module_buffer(e->module, i);
    add_evidence(&w, info.name, "low", KG_F64, e->length[i], e->low[i]);
    add_evidence(&w, info.name, "high", KG_F64, e->length[i], e->high[i]);
    add_evidence(&w, info.name, "reference", info.type, e->length[i], e->reference[i]);
    add_evidence(&w, info.name, "device", info.type, e->length[i], e->device[i]);
  }
  bool fine = tool_npz_end(&w);
  return close_fine(out) && fine;
}

/* What the driver was given, as far as it can be emitted. */
static void write_spirv(const char *folder, const kg_module *m, kg_math math) {
  kg_spirv_params params = {.math = math, .names = true};
  uint32_t *words = NULL;
  char *text = NULL;
  size_t count = 0, size = 0;
  if (kg_spirv_emit(NULL, m, &params, NULL, &words, &count) == KG_OK) {
    write_bytes(folder, "small.spv", words, count * 4);
    kg_bytes_free(NULL, words, count * 4);
  }
  if (kg_spirv_describe(NULL, m, &params, NULL, &text, &size) == KG_OK) {
    write_bytes(folder, "small.json", text, size);
    kg_bytes_free(NULL, text, size + 1);
  }
}

/* ---- what is said of it ---- */

static void put_line(FILE *out, const char *word, const char *text) {
  fprintf(out, "%-14s", word);
  for (; *text; text++) putc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
  putc('\n', out);
}

static void put_names(FILE *out, const char *word, char *const *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) put_line(out, word, names[i]);
}

static bool write_about(const char *folder, kg_math math, const kgi_finding *f, const char *driver, const kgi_case *c) {
  FILE *out = create(folder, "finding.txt");
  if (!out) return false;
  put_line(out, "property", f->property);
  put_line(out, "device", f->device);
  put_line(out, "driver", driver);
  put_line(out, "kgrad", kg_version_string());
  put_line(out, "math", kg_math_name(math));
  fprintf(out, "%-14s%" PRIu64 "\n%-14s%" PRIu64 "\n%-14s%u\n", "seed", f->seed, "data", c->seed, "statements", f->statements);
  put_line(out, "cause", f->cause);
  put_line(out, "what", f->what);
  put_line(out, "others", f->others);
  put_line(out, "digest", f->digest);
  put_names(out, "of", c->of, c->of_count), put_names(out, "wrt", c->wrt, c->wrt_count);
  fprintf(out, "%-14s%d\n%-14s%d\n%-14s%u\n", "accumulate", c->accumulate, "deterministic", c->deterministic, "directions", c->directions);
  fprintf(out, "%-14s%d\n", "generated", c->generated);
  return close_fine(out);
}

static const char script[] =
    "#!/bin/sh\n"
    "# Asks again what failed, of the program and the data in this folder; exit status 1: it still fails.\n"
    "cd \"$(dirname \"$0\")\" && exec ${KGRAD:-kgrad} fuzz --again .\n";

static bool write_script(const char *folder) {
  char path[600];
  snprintf(path, sizeof path, "%.400s/reproduce.sh", folder);
  return write_text(folder, "reproduce.sh", script) && chmod(path, 0755) == 0;
}

/* Where it can be told without kgrad. */
static void write_standalone(const char *folder, kg_math math, const kgi_remote *r, const kgi_evidence *e) {
  kgi_standalone s = {.evidence = e, .math = math, .id = r->id, .features = r->features, .device = r->name, .driver = r->driver};
  FILE *out = create(folder, "reproduce.c");
  char path[600];
  bool fine = out && kgi_standalone_write(&s, out);
  snprintf(path, sizeof path, "%.400s/reproduce.c", folder);
  if (!close_fine(out) || !fine) remove(path);
}

/* What concerns the device; the driver's name goes to `driver`. A device that falls leaves what is known without it. */
static void write_of_device(const char *folder, kg_math math, const kgi_finding *f, const kgi_case *small, char *driver, size_t size) {
  kgi_remote remote;
  kgi_evidence evidence = {0};
  bool there = kgi_remote_open(&remote, f->device, 20, "/dev/null", NULL);
  kgi_ask ask = {.given = small, .data = small->seed, .math = math, .target = there ? &remote.target : NULL};
  snprintf(driver, size, "%s; %s", remote.name, remote.driver);
  if (kgi_evidence_make(&ask, &evidence)) {
    write_evidence(folder, &evidence);
    write_standalone(folder, math, &remote, &evidence);
  }
  if (strcmp(remote.id, "cpu")) write_spirv(folder, small->module, math);
  kgi_evidence_free(&evidence);
  kgi_remote_close(&remote);
}

/* "device on vulkan:0" as a name: letters, digits and hyphens. */
static void name_of(char *name, size_t size, const kgi_finding *f) {
  int used = snprintf(name, size, "%04u-%s%s%s", f->number, f->property, *f->device ? "-" : "", f->device);
  for (int i = 0; i < used && (size_t)i < size; i++)
    if (!isalnum((unsigned char)name[i])) name[i] = '-';
}

void tool_finding_write(const char *folder, kg_math math, kgi_finding *f, const kgi_case *whole, const kgi_case *small) {
  char name[100], partial[500], place[500], driver[520] = "";
  name_of(name, sizeof name, f);
  snprintf(place, sizeof place, "%.380s/%s", folder, name);
  snprintf(partial, sizeof partial, "%.380s/%s.partial", folder, name);
  mkdir(folder, 0777);
  tool_remove_folder(partial);
  bool fine = mkdir(partial, 0777) == 0 && write_module(partial, "small.kg", small->module) &&
    write_module(partial, "whole.kg", whole->module);
  fine = fine && write_arrays(partial, "small.npz", small) && write_arrays(partial, "whole.npz", whole) && write_script(partial);
  if (fine && *f->device) write_of_device(partial, math, f, small, driver, sizeof driver);
  fine = fine && write_about(partial, math, f, driver, small);
  tool_remove_folder(place);
  fine = fine && rename(partial, place) == 0;
  if (!fine) tool_remove_folder(partial);
  snprintf(f->place, sizeof f->place, "%.199s", fine ? place : "");
}

bool tool_finding_rewrite(const tool_finding *f) {
  const char *place = f->about.place;
  char driver[520] = "";
  bool fine = write_module(place, "small.kg", f->small.module) && write_arrays(place, "small.npz", &f->small);
  if (fine && *f->about.device) write_of_device(place, f->math, &f->about, &f->small, driver, sizeof driver);
  return fine && write_about(place, f->math, &f->about, driver, &f->small);
}

/* ---- back again ---- */

void tool_finding_free(tool_finding *f) { kgi_case_free(&f->small), kgi_case_free(&f->whole); }

typedef struct asked { const char *of[200], *wrt[200]; size_t of_count, wrt_count; } asked;

static void take_number(const char *text, uint64_t *to) { *to = strtoull(text, NULL, 10); }

static void take_line(tool_finding *f, asked *a, const char *word, const char *rest) {
  uint64_t n = 0;
  take_number(rest, &n);
  if (!strcmp(word, "property")) snprintf(f->about.property, sizeof f->about.property, "%.31s", rest);
  if (!strcmp(word, "device")) snprintf(f->about.device, sizeof f->about.device, "%.39s", rest);
  if (!strcmp(word, "cause")) snprintf(f->about.cause, sizeof f->about.cause, "%.399s", rest);
  if (!strcmp(word, "what")) snprintf(f->about.what, sizeof f->about.what, "%.1023s", rest);
  if (!strcmp(word, "seed")) f->about.seed = n;
  if (!strcmp(word, "data")) f->small.seed = f->whole.seed = n;
  if (!strcmp(word, "accumulate")) f->small.accumulate = n != 0;
  if (!strcmp(word, "deterministic")) f->small.deterministic = n != 0;
  if (!strcmp(word, "generated")) f->small.generated = f->whole.generated = n != 0;
  if (!strcmp(word, "directions")) f->small.directions = (uint32_t)n;
  if (!strcmp(word, "of") && a->of_count < 200) a->of[a->of_count++] = rest;
  if (!strcmp(word, "wrt") && a->wrt_count < 200) a->wrt[a->wrt_count++] = rest;
  while (!strcmp(word, "math") && f->math < KG_MATH_FAST && strcmp(rest, kg_math_name(f->math))) f->math++;
}

static bool read_about(const char *place, const kg_sink *sink, tool_finding *f) {
  char path[600];
  tool_bytes bytes;
  asked a = {.of_count = 0};
  snprintf(path, sizeof path, "%.400s/finding.txt", place);
  if (!tool_read_file(path, 1 << 20, &bytes, sink)) return false;
  for (char *line = bytes.data, *next; line && *line; line = next) {
    if ((next = strchr(line, '\n'))) *next++ = 0;
    char *rest = line + strcspn(line, " ");
    if (*rest) *rest++ = 0;
    take_line(f, &a, line, rest + strspn(rest, " "));
  }
  bool fine = kgi_case_ask(&f->small, a.of, a.of_count, a.wrt, a.wrt_count);
  free(bytes.data);
  const kgi_property_row *row = kgi_property_named(f->about.property);
  if (!row || (row->device && !*f->about.device)) return TOOL_EMIT(sink, no_finding, path, f->about.property), false;
  return fine;
}

static bool read_module(const char *place, const char *name, const kg_sink *sink, kg_module **out) {
  char path[600];
  tool_bytes bytes;
  snprintf(path, sizeof path, "%.400s/%s", place, name);
  if (!tool_read_file(path, 1 << 26, &bytes, sink)) return false;
  kg_status status = kg_module_parse(NULL, path, bytes.data, bytes.size, sink, out);
  free(bytes.data);
  return status == KG_OK;
}

static bool read_arrays(const char *place, const char *name, const kg_sink *sink, kgi_case *c) {
  char path[600];
  tool_npz npz = {0};
  snprintf(path, sizeof path, "%.400s/%s", place, name);
  bool fine = tool_npz_read(path, sink, &npz);
  for (uint32_t i = 0; fine && i < npz.count; i++) {
    tool_array a = {0};
    fine = tool_npz_array(&npz, i, sink, &a) && kgi_case_set(c, npz.member[i].name, a.type, a.count, a.data);
    tool_array_free(&a);
  }
  tool_npz_free(&npz);
  return fine;
}

bool tool_finding_read(const char *place, const kg_sink *sink, tool_finding *f) {
  *f = (tool_finding){.math = KG_MATH_EXACT};
  bool fine = read_about(place, sink, f) && read_module(place, "small.kg", sink, &f->small.module) &&
    read_arrays(place, "small.npz", sink, &f->small);
  snprintf(f->about.place, sizeof f->about.place, "%.199s", place);
  return fine;
}
