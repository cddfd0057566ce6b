/* kgrad reduce: a program on which something fails, made small. */
#define _GNU_SOURCE
#include "tools/finding.h"
#include "tools/command.h"
#include "tools/data.h"
#include "tools/load.h"
#include "tools/npz.h"
#include "tools/progress.h"

#include "fuzz/hunt/asker.h"
#include "fuzz/hunt/remote.h"
#include "fuzz/reduce/reduce.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

typedef struct options {
  const char *property, *device, *math, *out, *command;
  tool_list of, wrt, in, params;
  tool_count time, seed, limit;
  bool specialise;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "property", .letter = 'P', .kind = TOOL_TEXT, .offset = offsetof(options, property), .argument = "NAME",
     .help = "what fails, of kgrad fuzz's (values where there is a device, else gradient)"},
    {.name = "device", .letter = 'd', .kind = TOOL_TEXT, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where it fails: cpu, vulkan, vulkan:N"},
    {.name = "command", .letter = 'c', .kind = TOOL_TEXT, .offset = offsetof(options, command), .argument = "COMMAND",
     .help = "instead: run by the shell with the program's file and its arrays' (.npz) behind it; exit status 0, it still fails"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE.kg",
     .help = "where the program goes, its arrays beside it in FILE.npz; else it is printed"},
    {.name = "time", .letter = 't', .kind = TOOL_COUNT, .offset = offsetof(options, time), .argument = "SECONDS",
     .help = "after which it is small enough (60)"},
    {.name = "limit", .kind = TOOL_COUNT, .offset = offsetof(options, limit), .argument = "SECONDS",
     .help = "that a device, or the command, may take for a program (20)"},
    TOOL_MATH(options),
    {.name = "of", .kind = TOOL_NAMES, .offset = offsetof(options, of), .argument = "NAME[,NAME]",
     .help = "of gradients: an output; without any, all"},
    {.name = "wrt", .kind = TOOL_NAMES, .offset = offsetof(options, wrt), .argument = "NAME[,NAME]",
     .help = "of gradients: an input; without any, all"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "a buffer's contents on entry: a .npy or .npz file, or 1,2,3, ones, zeros, random"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N", .help = "of the random data (1)"},
    TOOL_SPECIALISE(options),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

typedef struct reducing {
  tool_context *ctx;
  tool_finding f;           /* what is reduced */
  bool is_finding;          /* from a folder of one, into which it goes again */
  const kgi_property_row *row;
  char id[40], folder[200];
  const char *device[1];
  kgi_hunt hunt;
  kgi_hunt_params params;
  kgi_asker asker;
  kgi_likeness like;
  tool_progress shown;
} reducing;

/* ---- the case ---- */

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* All of floats that may be named, where the user names none. */
static bool take_names(const options *o, kgi_case *c) {
  const char *of[200], *wrt[200];
  size_t ofs = 0, wrts = 0;
  for (size_t i = 0; i < o->of.count && ofs < 200; i++) of[ofs++] = o->of.items[i];
  for (size_t i = 0; i < o->wrt.count && wrts < 200; i++) wrt[wrts++] = o->wrt.items[i];
  for (uint32_t i = 0; i < kg_module_buffer_count(c->module); i++) {
    kg_buffer_info info = kg_module_buffer(c->module, i);
    if (!kg_type_is_float(info.type)) continue;
    if (!o->of.count && ofs < 200 && (info.mode == KG_WRITE || info.mode == KG_READ_WRITE)) of[ofs++] = info.name;
    if (!o->wrt.count && wrts < 200 && (info.mode == KG_READ || info.mode == KG_READ_WRITE)) wrt[wrts++] = info.name;
  }
  return kgi_case_ask(c, of, ofs, wrt, wrts);
}

static bool take_data(kgi_case *c, const tool_data *d) {
  bool fine = true;
  for (uint32_t i = 0; fine && i < kg_module_param_count(c->module); i++) {
    kg_param_info info = kg_module_param(c->module, i);
    uint64_t bits = 0;
    kg_value_store(info.type, &bits, 0, d->host.param[i]);
    fine = kgi_case_set(c, info.name, info.type, 1, &bits);
  }
  for (uint32_t i = 0; fine && i < kg_module_buffer_count(c->module); i++) {
    kg_buffer_info info = kg_module_buffer(c->module, i);
    bool input = info.mode == KG_READ || info.mode == KG_READ_WRITE;
    if (input) fine = kgi_case_set(c, info.name, info.type, d->host.length[i], d->array[i].data);
  }
  return fine;
}

static tool_exit read_program(reducing *r) {
  tool_context *ctx = r->ctx;
  const options *o = ctx->values;
  kg_module *m = NULL;
  tool_data data = {0};
  tool_exit status = tool_load_special(ctx, ctx->files[0], &o->import, &o->params, o->specialise, &m);
  if (status != TOOL_OK) return status;
  uint64_t seed = o->seed.given ? o->seed.value : 1;
  tool_data_params wanted = {.in = o->in, .params = tool_params_left(&o->params, o->specialise), .seed = seed};
  bool fine = tool_data_make(m, &wanted, &ctx->sink, &data);
  r->f.small = (kgi_case){.module = m, .seed = seed, .directions = 1};
  if (fine && !(take_data(&r->f.small, &data) && take_names(o, &r->f.small)))
    fine = false, TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL);
  tool_data_free(&data);
  return fine ? TOOL_OK : TOOL_BAD;
}

/* ---- what fails ---- */

/* A group's first row, of devices where there is one; or a row by its name. */
static const kgi_property_row *row_named(const char *name, bool device) {
  for (const kgi_property_row *p = kgi_properties; p->name; p++)
    if (!strcmp(kgi_groups[p->group].name, name) && p->device == device) return p;
  return kgi_property_named(name);
}

static bool open_device(reducing *r, const char *which) {
  kgi_remote remote;
  bool there = kgi_remote_open(&remote, which, 20, NULL, &r->ctx->sink);
  snprintf(r->id, sizeof r->id, "%s", remote.id);
  kgi_remote_close(&remote);
  r->device[0] = r->id, r->params.devices = there;
  return there;
}

static bool choose_row(reducing *r) {
  const options *o = r->ctx->values;
  const char *device = r->is_finding ? r->f.about.device : o->device ? o->device : "";
  const char *name = r->is_finding ? r->f.about.property : o->property ? o->property : *device ? "values" : "gradient";
  if (*device && !open_device(r, device)) return false;
  r->row = row_named(name, *device);
  if (!r->row) return TOOL_EMIT(&r->ctx->sink, option_choice, NULL, "--property", name, "kgrad fuzz --help lists them"), false;
  if (r->row->device && !*device) return TOOL_EMIT(&r->ctx->sink, no_device_for, NULL, name), false;
  snprintf(r->f.about.property, sizeof r->f.about.property, "%s", r->row->name);
  snprintf(r->f.about.device, sizeof r->f.about.device, "%s", r->id);
  return true;
}

/* ---- a command of the user's ---- */

static bool write_candidate(const reducing *r, const kgi_case *c, const char *kg, const char *npz) {
  char *text = NULL;
  size_t size = 0;
  (void)r;
  FILE *out = fopen(kg, "w");
  if (out && kg_module_print(NULL, c->module, NULL, &text, &size) == KG_OK) fwrite(text, 1, size, out);
  if (text) kg_bytes_free(NULL, text, size + 1);
  bool fine = out && fclose(out) == 0 && text;
  return fine && tool_case_arrays_write(npz, c);
}

/* Its exit status; -1: it took too long, or could not be run. */
static int run_shell(const char *command, const char *kg, const char *npz, double seconds) {
  char line[4096];
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  snprintf(line, sizeof line, "%.3000s \"$1\" \"$2\"", command);
  char *words[] = {"sh", "-c", line, "sh", (char *)(uintptr_t)kg, (char *)(uintptr_t)npz, NULL};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0), posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
  bool started = posix_spawnp(&child, "sh", &actions, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  for (double until = kgi_now() + seconds; started;) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    if (kgi_now() > until) return kill(child, SIGKILL), waitpid(child, &status, 0), -1;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  return -1;
}

static bool command_says_yes(reducing *r, const kgi_case *c) {
  const options *o = r->ctx->values;
  char kg[300], npz[300];
  snprintf(kg, sizeof kg, "%s/small.kg", r->folder), snprintf(npz, sizeof npz, "%s/small.npz", r->folder);
  return write_candidate(r, c, kg, npz) && run_shell(o->command, kg, npz, r->params.limit) == 0;
}

static bool fails(void *user, const kgi_case *c) {
  reducing *r = user;
  return kgi_fails_alike(&r->like, c) && (!((const options *)r->ctx->values)->command || command_says_yes(r, c));
}

/* Whether it fails to begin with. */
static bool begin(reducing *r) {
  const options *o = r->ctx->values;
  r->like = (kgi_likeness){.asker = &r->asker, .row = o->command ? NULL : r->row, .device = r->row && r->row->device ? 0 : -1};
  bool failed = kgi_likeness_of(&r->like, &r->f.small);
  if (o->command) failed = command_says_yes(r, &r->f.small);
  if (failed) return true;
  TOOL_EMIT(&r->ctx->sink, does_not_fail, r->ctx->files[0], o->command ? o->command : r->row->name);
  return false;
}

/* ---- what comes of it ---- */

static void show_progress(void *user, const kgi_case *c, unsigned asked) {
  reducing *r = user;
  if (!r->shown.out || kgi_now() < r->shown.next) return;
  r->shown.next = kgi_now() + 0.2, r->shown.shown = true;
  fprintf(r->shown.out, "\r\033[K%u statements, %u programs asked about", kgi_statements(c->module), asked);
  fflush(r->shown.out);
}

static tool_exit write_result(reducing *r, char *text, size_t size) {
  const options *o = r->ctx->values;
  FILE *out = tool_output_open(&r->ctx->outputs, o->out, &r->ctx->sink);
  char npz[600];
  size_t stem = strlen(o->out) > 3 && !strcmp(o->out + strlen(o->out) - 3, ".kg") ? strlen(o->out) - 3 : strlen(o->out);
  snprintf(npz, sizeof npz, "%.*s.npz", (int)(stem < 500 ? stem : 500), o->out);
  FILE *arrays = out && strcmp(o->out, "-") ? tool_output_open(&r->ctx->outputs, npz, &r->ctx->sink) : NULL;
  if (!out || (strcmp(o->out, "-") && !arrays)) return TOOL_BAD;
  fwrite(text, 1, size, out);
  if (arrays && !tool_case_arrays_put(arrays, &r->f.small)) return TOOL_EMIT(&r->ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  return TOOL_OK;
}

static tool_exit report(reducing *r, unsigned before, unsigned asked) {
  const options *o = r->ctx->values;
  char *text = NULL;
  size_t size = 0;
  if (kg_module_print(NULL, r->f.small.module, NULL, &text, &size) != KG_OK)
    return TOOL_EMIT(&r->ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  tool_exit status = o->out ? write_result(r, text, size) : TOOL_OK;
  r->f.about.statements = kgi_statements(r->f.small.module);
  if (r->is_finding && !tool_finding_rewrite(&r->f))
    TOOL_EMIT(&r->ctx->sink, cannot_write, r->f.about.place, "the folder"), status = TOOL_BAD;
  if (r->ctx->json) {
    tool_json_member(r->ctx->result, "program", text), tool_json_member(r->ctx->result, "what", r->like.said.what);
    tool_json_member_u64(r->ctx->result, "statements", r->f.about.statements), tool_json_member_u64(r->ctx->result, "before", before);
    tool_json_member_u64(r->ctx->result, "asked", asked);
  } else {
    if (!o->out) fputs(text, stdout);
    fprintf(stderr, "kgrad: note: %u of %u statements are left, after %u programs: %s\n", r->f.about.statements, before, asked,
            r->like.said.what);
  }
  kg_bytes_free(NULL, text, size + 1);
  return status;
}

static tool_exit reduce(reducing *r) {
  const options *o = r->ctx->values;
  unsigned before = kgi_statements(r->f.small.module);
  kgi_reduce_params params = {.fails = fails, .progress = show_progress, .user = r, .seconds = o->time.given ? (double)o->time.value : 60};
  if (!begin(r)) return TOOL_NO;
  r->shown = tool_progress_begin(stderr);
  unsigned asked = kgi_reduce(&r->f.small, &params);
  tool_progress_end(&r->shown);
  kgi_likeness_of(&r->like, &r->f.small);
  snprintf(r->f.about.what, sizeof r->f.about.what, "%s", r->like.said.what);
  return report(r, before, asked);
}

static tool_exit prepare(reducing *r) {
  const options *o = r->ctx->values;
  const char *path = r->ctx->files[0];
  r->is_finding = is_folder(path);
  tool_exit status = !r->is_finding ? read_program(r) : tool_finding_read(path, &r->ctx->sink, &r->f) ? TOOL_OK : TOOL_BAD;
  if (status != TOOL_OK) return status;
  if (!r->is_finding) r->f.math = tool_math_of(o->math);
  r->params = (kgi_hunt_params){.device = r->device, .limit = o->limit.given ? (double)o->limit.value : 20, .math = r->f.math,
                                .folder = r->folder};
  if (!o->command && !choose_row(r)) return TOOL_BAD;
  if (!tool_make_folder(r->folder, sizeof r->folder))
    return TOOL_EMIT(&r->ctx->sink, cannot_write, NULL, "no folder can be made where TMPDIR says"), TOOL_BAD;
  kgi_hunt_begin(&r->hunt, &r->params);
  kgi_asker_make(&r->asker, &r->hunt, "reduce", NULL);
  return TOOL_OK;
}

static tool_exit run(tool_context *ctx) {
  reducing *r = calloc(1, sizeof *r);
  if (!r) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  r->ctx = ctx;
  tool_exit status = prepare(r);
  if (status == TOOL_OK) status = reduce(r);
  kgi_asker_free(&r->asker);
  tool_finding_free(&r->f);
  if (*r->folder) tool_remove_folder(r->folder);
  free(r);
  return status;
}

const tool_command tool_reduce = {
    .name = "reduce",
    .summary = "make a program small on which something fails",
    .usage = "FINDING | FILE [--device DEVICE] [--property NAME] [--command COMMAND]",
    .detail = "Takes the folder of a finding of kgrad fuzz, which it makes smaller where it is, or a\n"
              "program. Runs, statements, values, sizes and inputs go or become plainer as long as it\n"
              "fails as it did; a program that is free of races and ends stays so. What is left is\n"
              "printed as a person would have written it.\n\n"
              "With --command it is the shell's command that says whether a program is of interest:\n"
              "exit status 0, it is. The command gets the file of the program and that of its arrays.\n"
              "Exit status 1 where nothing fails to begin with.\n",
    .examples = "  kgrad reduce findings/0001-device-vulkan-0\n"
                "  kgrad reduce softmax.kg --device vulkan\n"
                "  kgrad reduce net.kg --property gradient --wrt w --in inputs.npz -o small.kg\n"
                "  kgrad reduce kernel.kg --command ./crashes.sh --time 300\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
