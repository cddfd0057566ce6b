/* kgrad fuzz: random programs, asked about until something fails. */
#define _GNU_SOURCE
#include "tools/finding.h"
#include "tools/hunt_state.h"
#include "tools/command.h"
#include "tools/corpus.h"
#include "tools/progress.h"

#include "fuzz/hunt/asker.h"
#include "fuzz/hunt/remote.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
  tool_list device, property, without, from;
  tool_count seed, count, time, jobs, limit, statements, most, reduce;
  const char *out, *math, *again, *refusal;
  bool coverage, show;
} options;

static const tool_option rows[] = {
    {.name = "device", .letter = 'd', .kind = TOOL_LIST, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where programs run besides the reference: cpu, vulkan, vulkan:N, all; several may be given"},
    {.name = "property", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, property), .argument = "NAME",
     .help = "what is asked (values and gradient where there is a device, else all); below"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N", .help = "of the first program (1)"},
    {.name = "count", .letter = 'n', .kind = TOOL_COUNT, .offset = offsetof(options, count), .argument = "N",
     .help = "programs (1000, where no time is given); 0: until the time is up, or it is interrupted"},
    {.name = "time", .letter = 't', .kind = TOOL_COUNT, .offset = offsetof(options, time), .argument = "SECONDS",
     .help = "after which no program is begun"},
    {.name = "jobs", .letter = 'j', .kind = TOOL_COUNT, .offset = offsetof(options, jobs), .argument = "N",
     .help = "processes that ask (as many as there are cores)"},
    {.name = "limit", .kind = TOOL_COUNT, .offset = offsetof(options, limit), .argument = "SECONDS",
     .help = "that a device may take for a program (20)"},
    {.name = "out", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "DIR",
     .help = "where findings go, and the state, from which the same command goes on (findings, without a state)"},
    TOOL_MATH(options),
    {.name = "reduce", .kind = TOOL_COUNT, .offset = offsetof(options, reduce), .argument = "SECONDS",
     .help = "that are spent on making a finding small (30); 0: it stays as it is"},
    {.name = "most", .kind = TOOL_COUNT, .offset = offsetof(options, most), .argument = "N", .help = "findings, after which it ends"},
    {.name = "statements", .kind = TOOL_COUNT, .offset = offsetof(options, statements), .argument = "N",
     .help = "about so many in a program (from 4 to 75)"},
    {.name = "from", .letter = 'f', .kind = TOOL_LIST, .offset = offsetof(options, from), .argument = "PATH",
     .help = "programs are small changes of kernels: a file, a folder of files, or the word primitives"},
    {.name = "without", .kind = TOOL_LIST, .offset = offsetof(options, without), .argument = "FEATURE",
     .help = "programs without atomics, functions, ...; below"},
    {.name = "refusal", .kind = TOOL_TEXT, .offset = offsetof(options, refusal), .argument = "ID",
     .help = "of a diagnostic: what is refused with it counts as a finding, to see whether it has to be"},
    {.name = "coverage", .kind = TOOL_FLAG, .offset = offsetof(options, coverage), .help = "print every count of what programs held"},
    {.name = "show", .kind = TOOL_FLAG, .offset = offsetof(options, show), .help = "print the programs of the seeds, and ask nothing"},
    {.name = "again", .kind = TOOL_TEXT, .offset = offsetof(options, again), .argument = "DIR",
     .help = "ask again what failed, of a finding's folder: exit status 1 where it still fails"},
    {.name = NULL},
};

/* ---- what was asked for ---- */

typedef struct hunter {
  tool_context *ctx;
  const kgi_property_row *row[KGI_MOST_ROWS];
  char id[KGI_MOST_DEVICES][40];
  const char *device[KGI_MOST_DEVICES];
  char names[KGI_MOST_DEVICES][600]; /* and drivers, for people */
  char folder[200], asked[KGI_MOST_ROWS * 20 + KGI_MOST_DEVICES * 610 + 200];
  const char *out;
  bool keeps_state;
  tool_corpus corpus;
  kgi_hunt_params params;
  kgi_hunt hunt;
  tool_progress shown;
  double saved;
} hunter;

static bool add_row(hunter *h, const kgi_property_row *row) {
  for (size_t i = 0; i < h->params.rows; i++)
    if (h->row[i] == row) return true;
  if (h->params.rows < KGI_MOST_ROWS) h->row[h->params.rows++] = row;
  return true;
}

/* A group, or a row by itself; devices' rows where there are devices. */
static bool add_property(hunter *h, const char *name) {
  bool found = false;
  for (const kgi_property_row *r = kgi_properties; r->name; r++) {
    bool group = !strcmp(name, "all") || !strcmp(kgi_groups[r->group].name, name);
    if (!group && strcmp(r->name, name)) continue;
    found = true;
    if (!r->device || h->params.devices) add_row(h, r);
  }
  return found;
}

/* In the table's order, so that questions of one row stand together whatever was asked first. */
static int by_row(const void *a, const void *b) {
  const kgi_property_row *x = *(const kgi_property_row *const *)a, *y = *(const kgi_property_row *const *)b;
  return x < y ? -1 : x > y;
}

static bool take_properties(hunter *h) {
  const options *o = h->ctx->values;
  for (size_t i = 0; i < o->property.count; i++)
    if (!add_property(h, o->property.items[i])) {
      char all[400] = "all";
      for (const kgi_group_row *g = kgi_groups; g->name; g++) strcat(strcat(all, ", "), g->name);
      TOOL_EMIT(&h->ctx->sink, option_choice, NULL, "--property", o->property.items[i], all);
      return false;
    }
  if (!o->property.count && h->params.devices) add_property(h, "values"), add_property(h, "gradient");
  if (!o->property.count && !h->params.devices) add_property(h, "all");
  if (!h->params.rows) return TOOL_EMIT(&h->ctx->sink, no_device_for, NULL, o->property.items[0]), false;
  qsort(h->row, h->params.rows, sizeof *h->row, by_row);
  return true;
}

static bool open_device(hunter *h, const char *which) {
  kgi_remote remote;
  size_t n = h->params.devices;
  if (n == KGI_MOST_DEVICES) return true;
  bool there = kgi_remote_open(&remote, which, 20, NULL, &h->ctx->sink);
  snprintf(h->id[n], sizeof h->id[n], "%s", remote.id);
  snprintf(h->names[n], sizeof h->names[n], "%s is %s%s%s", remote.id, remote.name, *remote.driver ? "; " : "", remote.driver);
  kgi_remote_close(&remote);
  if (!there) return false;
  for (size_t i = 0; i < n; i++)
    if (!strcmp(h->id[i], h->id[n])) return true;
  h->device[n] = h->id[n], h->params.devices++;
  h->params.lacking |= kgi_lacking(remote.features);
  return true;
}

static bool take_devices(hunter *h) {
  const options *o = h->ctx->values;
  char all[400];
  for (size_t i = 0; i < o->device.count; i++) {
    if (!strcmp(o->device.items[i], "reference")) continue;
    if (strcmp(o->device.items[i], "all")) {
      if (!open_device(h, o->device.items[i])) return false;
      continue;
    }
    kgi_remote_list(all, sizeof all);
    for (char *id = strtok(all, " "); id; id = strtok(NULL, " "))
      if (!open_device(h, id)) return false;
  }
  return true;
}

static bool take_features(hunter *h) {
  const options *o = h->ctx->values;
  for (size_t i = 0; i < o->without.count; i++) {
    uint32_t bit = kgi_fuzz_feature_named(o->without.items[i]);
    const char *text;
    char all[400] = "";
    for (unsigned k = 0; !bit && kgi_fuzz_feature_at(k, &text); k++) strcat(strcat(all, k ? ", " : ""), kgi_fuzz_feature_at(k, &text));
    if (!bit) return TOOL_EMIT(&h->ctx->sink, option_choice, NULL, "--without", o->without.items[i], all), false;
    h->params.without |= bit;
  }
  return true;
}

static bool take_corpus(hunter *h) {
  const options *o = h->ctx->values;
  for (size_t i = 0; i < o->from.count; i++)
    if (!tool_corpus_add(h->ctx, o->from.items[i], &h->corpus)) return false;
  if (o->from.count) h->params.corpus = &h->corpus.kernels;
  return true;
}

static uint64_t given(tool_count c, uint64_t otherwise) { return c.given ? c.value : otherwise; }

/* Two hunts with the same text are one: on a device with another driver it is another. */
static void say_asked(hunter *h) {
  size_t used = 0;
  for (size_t i = 0; i < h->params.rows && used < sizeof h->asked; i++)
    used += (size_t)snprintf(h->asked + used, sizeof h->asked - used, "%s ", h->row[i]->name);
  for (size_t i = 0; i < h->params.devices && used < sizeof h->asked; i++)
    used += (size_t)snprintf(h->asked + used, sizeof h->asked - used, "%s%s, ", i ? "" : "on ", h->names[i]);
  if (used < sizeof h->asked)
    snprintf(h->asked + used, sizeof h->asked - used, "seed %" PRIu64 " without %#x %#x statements %u math %s of %u", h->params.seed, h->params.without,
             h->params.lacking, h->params.statements, kg_math_name(h->params.math), h->corpus.kernels.count);
}

/* ---- signals ---- */

static volatile sig_atomic_t stop_number;

/* The second one ends it at once. */
static void on_signal(int number) {
  stop_number = number;
  signal(number, SIG_DFL);
}

static bool stopped(void *user) { return (void)user, stop_number != 0; }

/* ---- while it goes on ---- */

static unsigned long long big(uint64_t n) { return n; }

static void count_cells(void *user, const char *table, const char *name, uint64_t count) {
  unsigned *cells = user;
  (void)table, (void)name;
  cells[0]++, cells[1] += count != 0;
}

static void show_progress(void *user) {
  hunter *h = user;
  const kgi_hunt *hunt = &h->hunt;
  double now = kgi_now();
  if (h->keeps_state && now - h->saved > 10) h->saved = now, tool_hunt_save(h->out, h->asked, hunt);
  if (!h->shown.out || now < h->shown.next) return;
  unsigned cells[2] = {0, 0};
  kgi_fuzz_cells(&hunt->seen.coverage, count_cells, cells);
  h->shown.next = now + 0.5, h->shown.shown = true;
  fprintf(h->shown.out, "\r\033[K%.0f s: %llu programs, %.1f a second; %u of %u kinds of things covered; %zu findings", hunt->seconds,
          big(hunt->seen.programs), (double)hunt->seen.programs / (hunt->seconds > 0.1 ? hunt->seconds : 0.1), cells[1], cells[0],
            hunt->findings);
  fflush(h->shown.out);
}

/* Of a cause how much a person reads: not the sentence without its names and numbers, by which findings of a kind are told. */
static int kind_size(const kgi_finding *f) {
  const char *sentence = strstr(f->cause, ": ");
  return (int)(sentence && strstr(f->cause, "...") ? (size_t)(sentence - f->cause) : strlen(f->cause));
}

static void print_finding(const kgi_finding *f) {
  printf("finding %u, seed %llu: %.*s\n  %s\n", f->number, big(f->seed), kind_size(f), f->cause, f->what);
  if (!f->again) puts("  it did not fail when it was asked again");
  if (*f->others) printf("  of the others, %s\n", f->others);
  if (*f->place) printf("  %u statement%s in %s\n", f->statements, f->statements == 1 ? "" : "s", f->place);
}

static void found(void *user, const kgi_finding *f) {
  hunter *h = user;
  tool_progress_end(&h->shown);
  if (!h->ctx->json) print_finding(f), fflush(stdout);
  if (h->keeps_state) tool_hunt_save(h->out, h->asked, &h->hunt);
}

static void save(void *user, kgi_finding *f, const kgi_case *whole, const kgi_case *small) {
  hunter *h = user;
  tool_finding_write(h->out, h->params.math, f, whole, small);
}

static void forget(void *user, const kgi_finding *f) {
  (void)user;
  tool_remove_folder(f->place);
}

/* ---- what came of it ---- */

typedef struct summary { const char *table; unsigned cells, filled; char missing[300]; bool all; } summary;

static void end_table(const summary *s) {
  if (!s->table) return;
  printf("  %-28s %4u of %4u%s%s\n", s->table, s->filled, s->cells, s->missing[0] ? ", without" : "", s->missing);
}

static void see_cell(void *user, const char *table, const char *name, uint64_t count) {
  summary *s = user;
  if (!s->table || strcmp(s->table, table)) {
    end_table(s);
    *s = (summary){.table = table, .all = s->all};
  }
  size_t used = strlen(s->missing);
  s->cells++, s->filled += count != 0;
  if (!count && used + 60 < sizeof s->missing) snprintf(s->missing + used, sizeof s->missing - used, "%s %.40s", used ? "," : "", name);
  else if (!count && !strstr(s->missing, "...")) strcat(s->missing, ", ...");
  if (s->all) printf("%12llu %s: %s\n", big(count), table, name);
}

/* Questions come in order, each for many programs: those under way when the time is up have had the first of them. */
static void print_cut_off(const kgi_hunt *h) {
  uint64_t whole = h->counts.programs;
  for (size_t i = 0; i < h->questions; i++) {
    const kgi_tally4 *t = &h->counts.of[i];
    uint64_t asked = t->holds + t->refused + t->vacuous + t->fails;
    if (asked < whole) whole = asked;
  }
  if (!h->counts.programs) puts("  no program was ready by then: give --time more, or --statements 8, which a device takes sooner");
  if (whole == h->counts.programs) return;
  printf("  %llu of the programs were not asked everything when it ended\n", big(h->counts.programs - whole));
}

static void print_questions(const kgi_hunt *h) {
  for (size_t i = 0; i < h->questions; i++) {
    const kgi_question *q = &h->question[i];
    const kgi_tally4 *t = &h->counts.of[i];
    char name[100];
    snprintf(name, sizeof name, "%s%s%s", q->row->name, q->device < 0 ? "" : " on ", q->device < 0 ? "" : h->params->device[q->device]);
    printf("  %-24s %8llu hold %8llu refused %8llu say nothing %6llu fail\n", name, big(t->holds), big(t->refused), big(t->vacuous),
           big(t->fails));
  }
}

static void print_pairs(const kgi_hunt *h) {
  for (size_t x = 0; x < h->params->devices; x++)
    for (size_t y = x + 1; y < h->params->devices; y++)
      if (h->counts.same[x][y] + h->counts.differ[x][y])
        printf("  %s and %s: the same bits %llu times, others within the intervals %llu times\n", h->params->device[x],
               h->params->device[y],
               big(h->counts.same[x][y]), big(h->counts.differ[x][y]));
}

static void print_summary(const hunter *h) {
  const kgi_hunt *hunt = &h->hunt;
  const options *o = h->ctx->values;
  unsigned cells[2] = {0, 0};
  summary s = {.all = o->coverage};
  printf("%.0f s: %llu programs, %.1f a second\n", hunt->seconds, big(hunt->counts.programs),
         (double)hunt->counts.programs / (hunt->seconds > 0.1 ? hunt->seconds : 0.1));
  print_questions(hunt);
  print_cut_off(hunt);
  print_pairs(hunt);
  for (unsigned i = 0; i < KGI_MOST_REFUSALS && hunt->counts.refusal[i].count; i++)
    printf("  %8llu refused: %s\n", big(hunt->counts.refusal[i].count), hunt->counts.refusal[i].id);
  kgi_fuzz_cells(&hunt->counts.coverage, count_cells, cells);
  printf("coverage: %u of %u kinds of operations, types, statements in and behind others, shapes\n", cells[1], cells[0]);
  if (o->coverage) kgi_fuzz_cells(&hunt->counts.coverage, see_cell, &s), end_table(&s);
  for (size_t i = 0; i < hunt->findings; i++) {
    const kgi_finding *f = &hunt->finding[i];
    printf("finding %u, %llu time%s: %.*s: %s%s%s\n", f->number, big(f->count), f->count == 1 ? "" : "s", kind_size(f), f->cause, f->what,
           *f->place ? ", in " : "", f->place);
  }
  if (!hunt->findings) puts("no findings");
}

static void json_questions(tool_json *json, const kgi_hunt *h) {
  tool_json_key(json, "questions");
  tool_json_open(json, '[');
  for (size_t i = 0; i < h->questions; i++) {
    const kgi_question *q = &h->question[i];
    tool_json_open(json, '{');
    tool_json_member(json, "property", q->row->name);
    tool_json_member(json, "group", kgi_groups[q->row->group].name);
    tool_json_member(json, "device", q->device < 0 ? NULL : h->params->device[q->device]);
    tool_json_member_u64(json, "holds", h->counts.of[i].holds), tool_json_member_u64(json, "refused", h->counts.of[i].refused);
    tool_json_member_u64(json, "vacuous", h->counts.of[i].vacuous), tool_json_member_u64(json, "fails", h->counts.of[i].fails);
    tool_json_close(json, '}');
  }
  tool_json_close(json, ']');
}

static void json_finding(tool_json *json, const kgi_finding *f) {
  tool_json_open(json, '{');
  tool_json_member_u64(json, "number", f->number), tool_json_member(json, "cause", f->cause),
    tool_json_member(json, "property", f->property);
  tool_json_member(json, "device", *f->device ? f->device : NULL), tool_json_member(json, "what", f->what),
    tool_json_member_u64(json, "seed", f->seed);
  tool_json_member_u64(json, "count", f->count), tool_json_member_u64(json, "statements", f->statements),
    tool_json_member(json, "digest", f->digest), tool_json_member_bool(json, "again", f->again);
  tool_json_member(json, "others", f->others), tool_json_member(json, "folder", *f->place ? f->place : NULL);
  tool_json_close(json, '}');
}

static void json_cell(void *user, const char *table, const char *name, uint64_t count) {
  tool_json *json = user;
  char full[200];
  snprintf(full, sizeof full, "%s: %s", table, name);
  tool_json_member_u64(json, full, count);
}

static void json_summary(const hunter *h) {
  const kgi_hunt *hunt = &h->hunt;
  tool_json *json = h->ctx->result;
  unsigned cells[2] = {0, 0};
  kgi_fuzz_cells(&hunt->counts.coverage, count_cells, cells);
  tool_json_member_number(json, "seconds", hunt->seconds), tool_json_member_u64(json, "programs", hunt->counts.programs);
  json_questions(json, hunt);
  tool_json_member_u64(json, "covered", cells[1]), tool_json_member_u64(json, "coverable", cells[0]);
  if (((const options *)h->ctx->values)->coverage) {
    tool_json_key(json, "coverage");
    tool_json_open(json, '{');
    kgi_fuzz_cells(&hunt->counts.coverage, json_cell, json);
    tool_json_close(json, '}');
  }
  tool_json_key(json, "findings");
  tool_json_open(json, '[');
  for (size_t i = 0; i < hunt->findings; i++) json_finding(json, &hunt->finding[i]);
  tool_json_close(json, ']');
}

/* ---- the hunt ---- */

static bool make_folder(hunter *h) {
  h->params.folder = h->folder;
  if (tool_make_folder(h->folder, sizeof h->folder)) return true;
  TOOL_EMIT(&h->ctx->sink, cannot_write, NULL, "no folder can be made where TMPDIR says");
  return false;
}

static bool prepare(hunter *h) {
  const options *o = h->ctx->values;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  h->out = o->out ? o->out : "findings";
  h->keeps_state = o->out != NULL;
  h->params = (kgi_hunt_params){.row = h->row, .device = h->device, .seed = given(o->seed, 1), .count = o->count.value,
                                .seconds = (double)o->time.value,
                                .jobs = (unsigned)given(o->jobs, cores > 0 ? (uint64_t)cores : 1), .limit = (double)given(o->limit, 20),
                                .statements = (uint32_t)o->statements.value, .math = tool_math_of(o->math),
                                  .reduce = (double)given(o->reduce, 30),
                                .most = (unsigned)o->most.value, .refusal = o->refusal, .sink = &h->ctx->sink, .user = h, .save = save,
                                  .forget = forget, .found = found,
                                .progress = show_progress, .stopped = stopped};
  if (!o->count.given && !o->time.value) h->params.count = 1000;
  return make_folder(h) && take_devices(h) && take_properties(h) && take_features(h) && take_corpus(h);
}

static bool keep_state(hunter *h) {
  if (!h->keeps_state || tool_hunt_save(h->out, h->asked, &h->hunt)) return true;
  TOOL_EMIT(&h->ctx->sink, cannot_write, h->out, "the state of the hunt");
  return false;
}

static tool_exit hunt(hunter *h) {
  bool other = false;
  say_asked(h);
  kgi_hunt_begin(&h->hunt, &h->params);
  bool goes_on = h->keeps_state && tool_hunt_load(h->out, h->asked, &h->hunt, &other);
  if (other) return TOOL_EMIT(&h->ctx->sink, other_hunt, h->out, NULL), TOOL_BAD;
  if (!keep_state(h)) return TOOL_BAD; /* sooner than when something was found */
  if (h->params.seconds > 0) h->params.seconds += h->hunt.seconds;
  for (size_t i = 0; i < h->params.devices && !h->ctx->json; i++) puts(h->names[i]);
  if (h->params.corpus && !h->ctx->json) printf("changes of %u kernels, of %u\n", h->corpus.kernels.count, h->corpus.seen);
  if (goes_on && !h->ctx->json) printf("goes on from seed %llu\n", big(h->hunt.next));
  signal(SIGINT, on_signal), signal(SIGTERM, on_signal);
  h->shown = tool_progress_begin(stderr);
  bool fine = kgi_hunt_run(&h->hunt);
  tool_progress_end(&h->shown);
  keep_state(h);
  if (!fine) return TOOL_EMIT(&h->ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  if (h->ctx->json) json_summary(h);
  else print_summary(h);
  return h->hunt.findings ? TOOL_NO : TOOL_OK;
}

/* ---- one finding, or one program ---- */

static tool_exit again(hunter *h, const char *place) {
  tool_finding f;
  kgi_said said;
  kgi_asker asker;
  bool fine = tool_finding_read(place, &h->ctx->sink, &f);
  if (fine && *f.about.device) fine = open_device(h, f.about.device);
  const kgi_property_row *row = fine ? kgi_property_named(f.about.property) : NULL;
  if (!row) return tool_finding_free(&f), TOOL_BAD;
  h->row[0] = row, h->params.rows = 1, h->params.math = f.math;
  kgi_hunt_begin(&h->hunt, &h->params);
  kgi_asker_make(&asker, &h->hunt, "again", NULL);
  kgi_answer answer = kgi_asker_ask(&asker, row, row->device ? 0 : -1, &f.small, &said);
  kgi_asker_free(&asker);
  tool_finding_free(&f);
  static const char *const words[] = {[KGI_HOLDS] = "holds", [KGI_FAILS] = "fails", [KGI_REFUSED] = "is refused",
                                      [KGI_VACUOUS] = "says nothing"};
  if (h->ctx->json) tool_json_member(h->ctx->result, "answer", words[answer]), tool_json_member(h->ctx->result, "what", said.what);
  else printf("%s %s%s%s\n", row->name, words[answer], *said.what ? ": " : "", said.what);
  return answer == KGI_FAILS ? TOOL_NO : TOOL_OK;
}

static void print_mutant(const hunter *h, uint64_t seed) {
  kgi_case c;
  bool there = kgi_ask_mutant(h->params.corpus, seed, &c);
  kgi_ask ask = {.given = &c, .data = seed};
  char *text = there ? kgi_ask_text(&ask) : NULL;
  printf("// seed %llu\n%s", big(seed), text ? text : "");
  free(text);
  kgi_case_free(&c);
}

/* As each question would have it. */
static tool_exit show(hunter *h) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  uint64_t end = kgi_hunt_end(&h->params);
  for (uint64_t seed = h->params.seed; h->params.corpus && seed < end; seed++) print_mutant(h, seed);
  if (h->params.corpus) return TOOL_OK;
  for (uint64_t seed = h->params.seed; seed < end; seed++)
    for (size_t i = 0; i < h->params.rows; i++) {
      kgi_fuzz_bytes(seed, bytes, sizeof bytes);
      kgi_ask ask = {.bytes = bytes, .size = sizeof bytes, .features = h->row[i]->features & ~h->params.without,
                     .statements = h->params.statements, .data = seed};
      char *text = kgi_ask_text(&ask);
      printf("// seed %llu, %s\n%s", big(seed), h->row[i]->name, text ? text : "");
      free(text);
    }
  return TOOL_OK;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  hunter *h = calloc(1, sizeof *h);
  if (!h) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  h->ctx = ctx;
  tool_exit status = !prepare(h) ? TOOL_BAD : o->again ? again(h, o->again) : o->show ? show(h) : hunt(h);
  kgi_hunt_free(&h->hunt);
  kgi_corpus_free(&h->corpus.kernels);
  if (*h->folder) tool_remove_folder(h->folder);
  free(h);
  return status;
}

const tool_command tool_fuzz = {
    .name = "fuzz",
    .summary = "hunt for faults in devices and in kgrad with random programs",
    .usage = "[--device DEVICE]... [--property NAME]... [--time SECONDS | --count N]",
    .detail = "Makes a program of each seed and asks whether it has the properties that are named:\n\n"
#define GROUP(id, name, text) "  " name ": " text "\n"
#include "fuzz/ask/properties.def"
              "\n"
              "Programs are valid, free of races, and end. Each is run on the reference, which works\n"
              "out for every output the interval that conforming arithmetic may give. What a device\n"
              "leaves outside of it is a finding, and so is a device that falls, or does not come\n"
              "back: each runs in a process of its own, and costs one program. That something is\n"
              "`refused` is no fault; where results can be anything, or a gradient is zero, a program\n"
              "`says nothing`.\n\n"
              "Findings are made small, told apart by what is left of them, and saved as folders:\n"
              "the program, its inputs, what was expected, what the device gave, the driver, and\n"
              "scripts that show it again. kgrad reduce makes one smaller still. With --out the hunt\n"
              "can be ended at any time, and the same command goes on.\n\n"
              "With --from programs are kernels with a few changes: another index, a barrier more, a\n"
              "loop left early. Those that have a race then are left out, and so are kernels that\n"
              "need more than kgrad can guess; they count as programs that say nothing.\n\n"
              "Programs can be made without\n"
#define FEATURE(ID, bit, name, text) "  " name ": " text "\n"
#include "fuzz/features.def"
              "Exit status 1 when there are findings. doc/fuzzing.md says more.\n",
    .examples = "  kgrad fuzz --device vulkan --time 60\n"
                "  kgrad fuzz --device all --property values --out hunt --time 3600\n"
                "  kgrad fuzz --property gradient --seed 17 --count 1 --show\n"
                "  kgrad fuzz --device cpu --without atomics --statements 8 --count 5000\n"
                "  kgrad fuzz --from examples --property gradient --time 60\n"
                "  kgrad fuzz --again findings/0001-device-vulkan-0\n",
    .options = rows,
    .values_size = sizeof(options),
    .run = run,
};
