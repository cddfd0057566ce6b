/* kgrad grad: the module that computes a gradient. */
#include "tools/command.h"
#include "tools/explain.h"
#include "tools/form.h"
#include "tools/hints.h"
#include "tools/load.h"

#include <kgrad/autodiff.h>

#include <stdlib.h>
#include <string.h>

typedef struct options {
  tool_list of, wrt, bind;
  const char *layout, *as, *out, *primal, *mode, *target, *math;
  tool_count directions, tape_limit, trips;
  bool deterministic, accumulate, explain, unvalidated;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "of", .kind = TOOL_NAMES, .offset = offsetof(options, of), .argument = "NAME[,NAME]",
     .help = "an output buffer; without any, all that hold floats"},
    {.name = "wrt", .kind = TOOL_NAMES, .offset = offsetof(options, wrt), .argument = "NAME[,NAME]",
     .help = "an input buffer or param, or \"h after k\", buffer h behind the run of k; without any, all buffers that hold floats"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE",
     .help = "write there instead of to standard output"},
    {.name = "as", .kind = TOOL_TEXT, .offset = offsetof(options, as), .choices = TOOL_FORMS,
     .help = "the form; without it, what the name behind -o ends with, else text"},
    {.name = "mode", .kind = TOOL_TEXT, .offset = offsetof(options, mode), .choices = "reverse|split|forward|hvp",
     .help = "reverse (the default): gradients; split: in two modules; forward: tangents; hvp: gradients and their tangents"},
    {.name = "primal", .kind = TOOL_TEXT, .offset = offsetof(options, primal), .argument = "FILE",
     .help = "of --mode split: write the module that runs before the adjoint there"},
    {.name = "directions", .kind = TOOL_COUNT, .offset = offsetof(options, directions), .argument = "N",
     .help = "of --mode forward and hvp: how many tangents each buffer has (1)"},
    {.name = "deterministic", .kind = TOOL_FLAG, .offset = offsetof(options, deterministic),
     .help = "the same bits in every run on one device: no atomic adds of floats, but lists gathered in order"},
    {.name = "layout", .kind = TOOL_TEXT, .offset = offsetof(options, layout), .choices = "own|kept|same",
     .help = "own: bindings as they come; kept (with --bind, and of shaders): the primal's stay; same: shadows of structs besides"},
    {.name = "bind", .kind = TOOL_LIST, .offset = offsetof(options, bind), .argument = "NAME=SET.BINDING",
     .help = "where a host has a buffer of the result, the status buffer (status) or the block of lengths (params)"},
    {.name = "accumulate", .kind = TOOL_FLAG, .offset = offsetof(options, accumulate),
     .help = "add to what the gradients hold on entry"},
    TOOL_TAPE_LIMIT(options),
    TOOL_TRIPS(options),
    {.name = "explain", .kind = TOOL_FLAG, .offset = offsetof(options, explain),
     .help = "say on standard error what each shadow holds, and for each run what it keeps, and why"},
    TOOL_TARGET(offsetof(options, target)),
    TOOL_MATH(options),
    TOOL_NO_VALIDATE(offsetof(options, unvalidated)),
    TOOL_KNOWN_PARAM(options, import),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

static void report_json(tool_json *json, const kg_grad_map *map) {
  tool_json_key(json, "map");
  tool_json_open(json, '[');
  for (size_t i = 0; i < kg_grad_map_count(map); i++) {
    kg_grad_entry e = kg_grad_map_entry(map, i);
    tool_json_open(json, '{');
    tool_json_member(json, "name", e.name);
    tool_json_member(json, "shadow", e.shadow);
    tool_json_member_bool(json, "param", e.is_param);
    tool_json_member_bool(json, "of", e.of);
    tool_json_member_bool(json, "wrt", e.wrt);
    tool_json_member_bool(json, "tangent", e.tangent);
    tool_json_member_bool(json, "kept", e.kept);
    tool_json_member(json, "added_up", e.added_up);
    tool_json_close(json, '}');
  }
  tool_json_close(json, ']');
}

static const char *role_of(kg_grad_entry e) {
  if (e.kept) return "kept for the adjoint,";
  if (e.tangent) return e.of && e.wrt ? "tangent on entry and on exit" : e.of ? "tangent on exit" : "tangent on entry";
  return e.of && e.wrt ? "cotangent on entry, gradient on exit" : e.of ? "cotangent" : "gradient";
}

static void explain(const kg_grad_map *map) {
  for (size_t i = 0; i < kg_grad_map_count(map); i++) {
    kg_grad_entry e = kg_grad_map_entry(map, i);
    fprintf(stderr, "%s: %s of %s; %s\n", e.shadow, role_of(e), e.name, e.added_up);
  }
  tool_explain(stderr, map);
}

static bool is_mode(const options *o, const char *mode) { return !strcmp(o->mode ? o->mode : "reverse", mode); }

/* What a mode has no use for is refused, rather than passed over. */
static bool check_mode(tool_context *ctx) {
  const options *o = ctx->values;
  bool split = is_mode(o, "split"), reverse = split || is_mode(o, "reverse"), forward = is_mode(o, "forward");
  const char *useless = reverse && o->directions.given ? "--directions" : !reverse && o->accumulate ? "--accumulate"
                        : forward && o->deterministic ? "--deterministic"
                        : forward && o->tape_limit.given ? "--tape-limit"
                        : forward && o->trips.given ? "--trips" : !split && o->primal ? "--primal" : NULL;
  if (useless) return TOOL_EMIT(&ctx->sink, option_mode, NULL, useless, o->mode ? o->mode : "reverse"), false;
  if (!tool_check_tape_limit(o->tape_limit, &ctx->sink) || !tool_check_trips(o->trips, &ctx->sink)) return false;
  if (!o->directions.given || (o->directions.value && o->directions.value <= KG_JVP_MOST_DIRECTIONS)) return true;
  TOOL_EMIT(&ctx->sink, option_range, NULL, "--directions", TOOL_NUM(o->directions.value), "1", TOOL_NUM(KG_JVP_MOST_DIRECTIONS));
  return false;
}

/* ---- places ---- */

/* "1.4" */
static bool read_place(const char *text, uint32_t *set, uint32_t *binding) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  unsigned long s = strtoul(text, &end, 10);
  if (*end != '.' || end[1] < '0' || end[1] > '9') return false;
  unsigned long b = strtoul(end + 1, &end, 10);
  *set = (uint32_t)s, *binding = (uint32_t)b;
  return !*end && s < UINT32_MAX && b < UINT32_MAX;
}

static bool has_buffer(kg_module *const *made, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < kg_module_buffer_count(made[i]); k++)
      if (!strcmp(kg_module_buffer(made[i], k).name, name)) return true;
  return false;
}

/* A name that a buffer has is the buffer's; else two are no buffers of the modules. False: a diagnostic was sent. */
static bool read_places(tool_context *ctx, kg_module *const *made, size_t count, kg_place *out, char **names, size_t *places) {
  const options *o = ctx->values;
  for (size_t i = 0; i < o->bind.count; i++) {
    const char *value;
    kg_place place = {0};
    size_t length = tool_split_pair(o->bind.items[i], "--bind", &value, &ctx->sink);
    if (!length) return false;
    if (!read_place(value, &place.set, &place.binding))
      return TOOL_EMIT(&ctx->sink, option_place, NULL, "--bind", o->bind.items[i]), false;
    place.name = names[i] = strndup(o->bind.items[i], length);
    if (!place.name) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), false;
    kg_spirv_place *other = !strcmp(place.name, "status") ? &ctx->status_at : !strcmp(place.name, "params") ? &ctx->params_at : NULL;
    if (other && !has_buffer(made, count, place.name)) *other = (kg_spirv_place){true, place.set, place.binding};
    else out[(*places)++] = place;
  }
  return true;
}

static tool_exit place(tool_context *ctx, const kg_module *module, const kg_grad_map *map, kg_module *const *made, size_t count) {
  const options *o = ctx->values;
  const char *layout = o->layout ? o->layout : o->bind.count || ctx->imported ? "kept" : "own";
  kg_place_params params = {.layout = KG_LAYOUT_KEPT};
  if (strcmp(layout, "kept")) params.layout = !strcmp(layout, "same") ? KG_LAYOUT_SAME : KG_LAYOUT_OWN;
  if (params.layout == KG_LAYOUT_OWN && !o->bind.count) return TOOL_OK;
  kg_place *places = calloc(o->bind.count + 1, sizeof *places);
  char **names = calloc(o->bind.count + 1, sizeof *names);
  tool_exit status = TOOL_BAD;
  params.places = places;
  if (!places || !names) TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL);
  else if (read_places(ctx, made, count, places, names, &params.place_count))
    status = tool_exit_of(kg_grad_place(module, map, &params, &ctx->sink, made, count));
  for (size_t i = 0; names && i < o->bind.count; i++) free(names[i]);
  free(names);
  free(places);
  return status;
}

static kg_status differentiate(tool_context *ctx, const kg_module *module, kg_module **primal, kg_module **out, kg_grad_map **map) {
  const options *o = ctx->values;
  kg_grad_params reverse = {.of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count,
                            .deterministic = o->deterministic, .accumulate = o->accumulate, .tape_limit = o->tape_limit.value,
                            .trips = o->trips.value};
  kg_jvp_params forward = {.of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count,
                           .deterministic = o->deterministic, .tape_limit = o->tape_limit.value, .trips = o->trips.value,
                           .directions = (uint32_t)o->directions.value};
  if (is_mode(o, "forward")) return kg_jvp_mapped(module, &forward, &ctx->sink, out, map);
  if (is_mode(o, "hvp")) return kg_hvp_mapped(module, &forward, &ctx->sink, out, map);
  if (is_mode(o, "split")) return kg_grad_split(module, &reverse, &ctx->sink, primal, out, map);
  return kg_grad_mapped(module, &reverse, &ctx->sink, out, map);
}

static void say_nothing(void *user, const kg_diag *diag) { (void)user, (void)diag; }

static bool plan_again(void *user, const kg_module *module, kg_grad_map **map) {
  tool_context quiet = *(tool_context *)user;
  kg_module *primal = NULL, *adjoint = NULL;
  quiet.sink = (kg_sink){.emit = say_nothing};
  bool fine = differentiate(&quiet, module, &primal, &adjoint, map) == KG_OK;
  kg_module_free(adjoint);
  kg_module_free(primal);
  return fine;
}

/* What would help is found by planning several times, so it is said only where somebody asks. */
static void hint(tool_context *ctx, const kg_module *module, const kg_grad_map *map) {
  tool_hints hints;
  tool_hints_find(module, map, plan_again, ctx, &hints);
  tool_hints_write(stderr, module, map, &hints);
  if (ctx->json) tool_hints_json(ctx->result, &hints);
}

/* Both, the one that runs forward first: what goes to standard output reads in order. */
static tool_exit write_modules(tool_context *ctx, const kg_module *primal, const kg_module *adjoint, const kg_grad_map *map) {
  const options *o = ctx->values;
  tool_exit status = TOOL_OK;
  if (primal && ctx->json) tool_json_key(ctx->result, "primal"), tool_json_open(ctx->result, '{');
  if (primal) status = tool_write_module(ctx, primal, map, o->as, o->primal);
  if (primal && ctx->json) tool_json_close(ctx->result, '}');
  return status == TOOL_OK ? tool_write_module(ctx, adjoint, map, o->as, o->out) : status;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  kg_module *module = NULL, *primal = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  ctx->unvalidated = o->unvalidated, ctx->target = o->target, ctx->math = tool_math_of(o->math);
  if (!check_mode(ctx)) return TOOL_BAD;
  tool_exit status = tool_load_module(ctx, ctx->files[0], &o->import, &module);
  if (status != TOOL_OK) return status;
  status = tool_exit_of(differentiate(ctx, module, &primal, &adjoint, &map));
  if (status == TOOL_OK) status = place(ctx, module, map, (kg_module *[]){adjoint, primal}, primal ? 2 : 1);
  if (status == TOOL_OK) status = write_modules(ctx, primal, adjoint, map);
  if (status == TOOL_OK && ctx->json) report_json(ctx->result, map), tool_explain_json(ctx->result, map);
  if (status == TOOL_OK && o->explain) explain(map), hint(ctx, module, map);
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  kg_module_free(primal);
  kg_module_free(module);
  return status;
}

const tool_command tool_grad = {
    .name = "grad",
    .summary = "print the module that computes a gradient, or tangents",
    .usage = "FILE [--of NAMES] [--wrt NAMES] [-o OUTPUT]",
    .detail = "The result does what the kernel does, and then computes the gradient: for an output\n"
              "y, grad_y holds the cotangent beforehand; for an input x, grad_x holds the gradient\n"
              "afterwards. With --mode forward, tan_x holds a direction beforehand, and tan_y the\n"
              "derivative along it afterwards. With --mode hvp, the gradient comes with its own\n"
              "derivative along tan_x, in tan_grad_x: a Hessian times a vector. With --mode split\n"
              "there are two modules: one does what the kernel does and keeps what the adjoint needs,\n"
              "and goes to what --primal names; the other one is the adjoint, for when the cotangent\n"
              "is known. What cannot be differentiated is refused with its position and a fix, and\n"
              "exit status 1.\n",
    .examples = "  kgrad grad saxpy.kg\n"
                "  kgrad grad softmax.kg --of y --wrt x -o softmax_grad.kg\n"
                "  kgrad grad stencil.kg -o stencil_grad.spv --explain\n"
                "  kgrad grad stencil.kg -o stencil_grad.comp\n"
                "  kgrad grad stencil.kg -o stencil_grad.c\n"
                "  kgrad grad shader.comp --mode split --primal primal.spv -o adjoint.spv --layout same --bind grad_pos_x=1.4\n"
                "  kgrad grad softmax.kg --mode forward --directions 4\n"
                "  kgrad grad softmax.kg --mode hvp --wrt x -o softmax_hvp.kg\n"
                "  kgrad grad scan.kg --mode split --primal scan_primal.kg -o scan_adjoint.kg\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
