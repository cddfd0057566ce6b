/* kgrad audit: holds a backward kernel that somebody wrote against the derivative of its forward kernel. */
#include "tools/audit_report.h"
#include "tools/data.h"
#include "tools/judges.h"
#include "tools/load.h"
#include "tools/progress.h"

#include <kgrad/verify.h>

#include <stdlib.h>
#include <string.h>

typedef struct options {
  tool_list map, in, params, device;
  tool_count seed, entries, directions, step_limit, wrong;
  bool overwrite, combined;
  const char *math;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "map", .letter = 'm', .kind = TOOL_LIST, .offset = offsetof(options, map), .argument = "[FILE:]NAME=OF",
     .help = "what a buffer or param of the backward stands for: x, or grad_x, of the forward's x; else what has its name"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "a buffer of the forward on entry: a .npy or .npz file, or 1,2,3, ones, zeros, random"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "[FILE:]NAME=VALUE",
     .help = "a param's value, or one of that backward file alone"},
    {.name = "overwrite", .kind = TOOL_FLAG, .offset = offsetof(options, overwrite),
     .help = "gradients must be stored, and not added to what stands there"},
    {.name = "combined", .kind = TOOL_FLAG, .offset = offsetof(options, combined),
     .help = "the backward does the forward's work itself, and runs in its place"},
    {.name = "device", .letter = 'd', .kind = TOOL_LIST, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where the backward runs besides the reference: vulkan, vulkan:N, all"},
    TOOL_MATH(options),
    TOOL_JUDGED(options),
    {.name = "wrong", .kind = TOOL_COUNT, .offset = offsetof(options, wrong), .argument = "N",
     .help = "wrong entries of each gradient that are shown (4)"},
    TOOL_STEP_LIMIT(options),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

/* What the options say, as kg_pair_new takes it. */
typedef struct pairing {
  kg_module *forward, **backward;
  char **stem;               /* of each backward file */
  kg_pair_name *map, *own;
  size_t owned;
  char **text;               /* copies of items, cut into names */
  size_t texts, count;
} pairing;

static tool_exit out_of_memory(tool_context *ctx) { return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD; }

/* ---- files ---- */

/* "shaders/ln_backward.comp.spv" is ln_backward, or backward2 where another one is. */
static char *stem_of(char *const *files, size_t count, size_t k) {
  char *stem = calloc(1, strlen(files[k]) + 24);
  const char *slash = strrchr(files[k], '/');
  if (!stem) return NULL;
  strcpy(stem, slash ? slash + 1 : files[k]);
  stem[strcspn(stem, ".")] = 0;
  for (size_t i = 0; i < count; i++) {
    const char *other = strrchr(files[i], '/');
    other = other ? other + 1 : files[i];
    bool same = strcspn(other, ".") == strlen(stem) && !strncmp(other, stem, strlen(stem));
    if (i != k && same) return sprintf(stem, "backward%zu", k + 1), stem;
  }
  return stem;
}

/* Of several files each takes what it has a use for. What none has a use for is refused as a file is loaded. */
static tool_exit load(tool_context *ctx, size_t k, kg_module **out) {
  const options *o = ctx->values;
  tool_import import = o->import;
  bool sources = false;
  for (int i = 0; i < ctx->file_count; i++) sources |= tool_is_source(ctx->files[i]);
  if (sources && !tool_is_source(ctx->files[k])) import.define.count = import.include.count = import.flags.count = 0;
  const char *dot = strrchr(ctx->files[k], '.');
  if (dot && (!strcmp(dot, ".kg") || !strcmp(dot, ".kgb"))) import.entry = NULL;
  return tool_load_module(ctx, ctx->files[k], &import, out);
}

static tool_exit load_all(tool_context *ctx, pairing *p) {
  p->count = (size_t)ctx->file_count - 1;
  p->backward = calloc(p->count, sizeof(kg_module *));
  p->stem = calloc(p->count, sizeof *p->stem);
  if (!p->backward || !p->stem) return out_of_memory(ctx);
  tool_exit status = load(ctx, 0, &p->forward);
  for (size_t k = 0; k < p->count && status == TOOL_OK; k++) {
    if (!(p->stem[k] = stem_of(ctx->files + 1, p->count, k))) return out_of_memory(ctx);
    status = load(ctx, k + 1, &p->backward[k]);
  }
  return status;
}

/* ---- names ---- */

/* "file:name=means", where `file:` may be missing. */
static tool_exit take_name(tool_context *ctx, pairing *p, const char *item, const char *option, kg_pair_name *out) {
  const char *value;
  size_t length = tool_split_pair(item, option, &value, &ctx->sink);
  char *text = length ? calloc(1, strlen(item) + 1) : NULL;
  if (!length) return TOOL_BAD;
  if (!text) return out_of_memory(ctx);
  p->text[p->texts++] = strcpy(text, item);
  text[length] = 0;
  char *colon = strchr(text, ':');
  *out = (kg_pair_name){.name = text, .means = text + length + 1};
  if (colon) *colon = 0, out->file = text, out->name = colon + 1;
  return TOOL_OK;
}

static tool_exit take_names(tool_context *ctx, pairing *p) {
  const options *o = ctx->values;
  tool_exit status = TOOL_OK;
  p->text = calloc(o->map.count + o->params.count + 1, sizeof *p->text);
  p->map = calloc(o->map.count + 1, sizeof *p->map);
  p->own = calloc(o->params.count + 1, sizeof *p->own);
  if (!p->text || !p->map || !p->own) return out_of_memory(ctx);
  for (size_t k = 0; k < o->map.count && status == TOOL_OK; k++) status = take_name(ctx, p, o->map.items[k], "--map", &p->map[k]);
  for (size_t k = 0; k < o->params.count && status == TOOL_OK; k++) {
    const char *colon = strchr(o->params.items[k], ':'), *sign = strchr(o->params.items[k], '=');
    if (colon && sign && colon < sign) status = take_name(ctx, p, o->params.items[k], "--param", &p->own[p->owned++]);
  }
  return status;
}

static void pairing_free(pairing *p) {
  for (size_t k = 0; k < p->texts; k++) free(p->text[k]);
  for (size_t k = 0; p->backward && p->stem && k < p->count; k++) kg_module_free(p->backward[k]), free(p->stem[k]);
  kg_module_free(p->forward);
  free(p->backward);
  free(p->stem);
  free(p->map);
  free(p->own);
  free(p->text);
}

/* ---- the whole ---- */

static void progress(void *user, const char *what, uint64_t done, uint64_t of) {
  if (done == of) tool_progress_end(user);
  else tool_progress_step(user, what, done, of);
}

static tool_exit report(tool_context *ctx, const audit_shown *shown) {
  kg_outcome outcome = kg_verdict_summary(shown->verify.verdict).outcome;
  if (ctx->json) audit_report_json(ctx->result, shown);
  else audit_report(shown);
  return outcome == KG_OUTCOME_PASSED || outcome == KG_OUTCOME_ZERO ? TOOL_OK : TOOL_NO;
}

static kg_verify_params params_of(const options *o, const tool_judges *d, const tool_data *data, const void *const *arrays) {
  return (kg_verify_params){.math = tool_math_of(o->math),
                            .devices = d->open, .device_count = d->count - 1, .optional = d->optional + 1, .host = &data->host,
                            .data = arrays, .seed = o->seed.given ? o->seed.value : 1, .entries = o->entries.value,
                            .directions = (uint32_t)o->directions.value, .step_limit = o->step_limit.value, .progress = progress};
}

static tool_exit audit(tool_context *ctx, const kg_pair *pair, const tool_judges *d) {
  const options *o = ctx->values;
  const kg_module *kernel = kg_pair_kernel(pair);
  tool_data data = {0};
  kg_verdict *verdict = NULL;
  tool_data_params wanted = {.in = o->in, .params = o->params, .for_verify = true};
  tool_exit status = tool_data_make(kernel, &wanted, &ctx->sink, &data) ? TOOL_OK : TOOL_BAD;
  const void **arrays = calloc(kg_module_buffer_count(kernel) + (size_t)1, sizeof *arrays);
  if (status == TOOL_OK && !arrays) status = out_of_memory(ctx);
  for (uint32_t b = 0; status == TOOL_OK && b < kg_module_buffer_count(kernel); b++) arrays[b] = data.array[b].data;
  tool_progress shown = tool_progress_begin(stderr);
  kg_verify_params params = params_of(o, d, &data, arrays);
  params.progress_user = &shown;
  if (status == TOOL_OK) status = tool_exit_of(kg_audit(pair, &params, &ctx->sink, &verdict));
  tool_progress_end(&shown);
  audit_shown all = {.verify = {verdict, kg_module_name(kernel), d->name, false, false, d->no_vulkan, params.math},
                     .wrong = o->wrong.given ? o->wrong.value : 4};
  if (status == TOOL_OK) status = report(ctx, &all);
  kg_verdict_free(verdict);
  free(arrays);
  tool_data_free(&data);
  return status;
}

static bool is_within(tool_context *ctx, const char *option, const tool_count *count, uint64_t most) {
  if (!count->given || (count->value && count->value <= most)) return true;
  TOOL_EMIT(&ctx->sink, option_range, NULL, option, TOOL_NUM(count->value), "1", TOOL_NUM(most));
  return false;
}

static tool_exit pair_up(tool_context *ctx, const pairing *p, kg_pair **out) {
  const options *o = ctx->values;
  kg_pair_params params = {.backward = (const kg_module *const *)p->backward, .file = (const char *const *)p->stem,
                           .backward_count = p->count, .map = p->map, .map_count = o->map.count, .own = p->own,
                           .own_count = p->owned, .overwrite = o->overwrite, .combined = o->combined};
  return tool_exit_of(kg_pair_new(p->forward, &params, &ctx->sink, out));
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  if (!is_within(ctx, "--entries", &o->entries, KG_VERIFY_MOST_ELEMENTS)) return TOOL_BAD;
  if (!is_within(ctx, "--directions", &o->directions, KG_VERIFY_MOST_DIRECTIONS)) return TOOL_BAD;
  pairing p = {.forward = NULL};
  kg_pair *pair = NULL;
  tool_judges d = {0};
  tool_exit status = load_all(ctx, &p);
  if (status == TOOL_OK) status = take_names(ctx, &p);
  if (status == TOOL_OK) status = pair_up(ctx, &p, &pair);
  if (status == TOOL_OK) status = tool_judges_open(ctx, &o->device, &d);
  if (status == TOOL_OK) status = audit(ctx, pair, &d);
  tool_judges_free(&d);
  kg_pair_free(pair);
  pairing_free(&p);
  return status;
}

const tool_command tool_audit = {
    .name = "audit",
    .summary = "hold a backward kernel that somebody wrote against its forward",
    .usage = "FORWARD BACKWARD... [--map NAME=OF]...",
    .detail = "Runs the forward kernel, then the backward ones in order on what it left, with random data\n"
              "and cotangents, and judges what they give as `kgrad verify` judges a gradient: entry by\n"
              "entry against derivatives that the reference computes beside the forward's values, and\n"
              "along random directions. --map says what a buffer or param of the backward stands for:\n"
              "dy=grad_y is the cotangent of the output y, dx=grad_x the gradient of the input x, mean=mu\n"
              "what the forward left in mu. What is not named stands for what has its own name. What\n"
              "stands for nothing is scratch, and is not judged. A gradient may be stored, or added to what\n"
              "stands there: the report says which. A wrong entry is shown with its index, what it is, what\n"
              "it must be, and the input there; where all that is wrong has one certain pattern, it is\n"
              "named. Each file may be a kernel, SPIR-V, or the source of a shader. A param that has one\n"
              "name in several files is one param; FILE:NAME=VALUE gives a file its own, as for a grid,\n"
              "where FILE is its name up to the first dot. Exit status 1 when it fails. doc/audit.md\n"
              "explains all of it.\n",
    .examples = "  kgrad audit gelu.kg gelu_backward.kg\n"
                "  kgrad audit norm.comp norm_dx.comp norm_dw.comp --grid 8 --map dy=grad_y --map dx=grad_x --map dw=grad_w\n"
                "  kgrad audit conv.spv conv_back.spv --param groups_x=8 --param conv_back:groups_x=3 --device vulkan\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 2,
    .max_files = 17,
    .run = run,
};
