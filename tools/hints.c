#include "tools/hints.h"

#include "tools/explain.h"
#include "tools/value.h"

#include <string.h>

/* Where a param has no default: a grid that is wide along each axis, along the first alone, along the others, and none; other numbers make
 * square arrays of whole workgroups. */
static const struct { const char *first, *others, *number; } tried[] = {{"16", "16", "256"}, {"16", "1", "256"}, {"1", "16", "256"}, {"1", "1", "256"}};
enum { TRIES = sizeof tried / sizeof *tried };

typedef struct facts { char text[TOOL_HINT_FACTS][64]; bool in[TOOL_HINT_FACTS]; unsigned count; } facts;
typedef struct search { const kg_module *module; tool_planner *plan; void *user; facts facts; } search;

static bool is_integer(kg_type type) { return type == KG_I32 || type == KG_U32 || type == KG_I64 || type == KG_U64; }
static bool is_groups(const char *name) { return strncmp(name, "groups_", 7) == 0; }
static bool is_contended(const char *how) { return !strcmp(how, "atomic") || !strcmp(how, "summed"); }

/* ---- what is tried ---- */

static bool is_a_fact(const kg_module *module, const char *fact) {
  kg_facts one = {.params = &fact, .param_count = 1};
  kg_module *special = NULL;
  bool fits = kg_module_specialise(NULL, module, &one, NULL, &special) == KG_OK;
  kg_module_free(special);
  return fits;
}

static const char *number_of(const char *name, unsigned try) {
  return !is_groups(name) ? tried[try].number : !strcmp(name, "groups_x") ? tried[try].first : tried[try].others;
}

static void collect(search *s, unsigned try) {
  for (uint32_t i = 0; i < kg_module_param_count(s->module) && s->facts.count < TOOL_HINT_FACTS; i++) {
    kg_param_info info = kg_module_param(s->module, i);
    tool_value_text value;
    const char *text = info.has_default ? tool_value_format(info.type, info.bits, &value) : number_of(info.name, try);
    char *fact = s->facts.text[s->facts.count];
    if (!is_integer(info.type) || strlen(info.name) + strlen(text) + 2 > sizeof s->facts.text[0]) continue;
    sprintf(fact, "%s=%s", info.name, text);
    if (is_a_fact(s->module, fact)) s->facts.in[s->facts.count++] = true;
  }
}

/* The map with those facts that are in; NULL: there is none. */
static kg_grad_map *plan(const search *s) {
  const char *params[TOOL_HINT_FACTS];
  kg_facts known = {.params = params};
  kg_module *special = NULL;
  kg_grad_map *map = NULL;
  for (unsigned k = 0; k < s->facts.count; k++)
    if (s->facts.in[k]) params[known.param_count++] = s->facts.text[k];
  bool fine = kg_module_specialise(NULL, s->module, &known, NULL, &special) == KG_OK && s->plan(s->user, special, &map);
  kg_module_free(special);
  return fine ? map : NULL;
}

/* How contributions to the object meet; NULL: the run has none. */
static const char *how_of(const kg_grad_map *map, size_t run, const char *object) {
  for (size_t i = 0; map && i < kg_grad_map_share_count(map); i++) {
    kg_grad_share share = kg_grad_map_share(map, i);
    if (share.run == run && !strcmp(share.object, object)) return share.how;
  }
  return NULL;
}

/* ---- the least that does ---- */

static bool is_enough(const search *s, tool_hint *hint) {
  kg_grad_map *map = plan(s);
  const char *how = how_of(map, hint->run, hint->object);
  bool enough = how && !is_contended(how);
  if (enough) snprintf(hint->how, sizeof hint->how, "%s", how);
  kg_grad_map_free(map);
  return enough;
}

/* Each fact is left out in turn, and stays out where the others do. */
static void reduce(const search *from, tool_hint *hint) {
  search s = *from;
  for (unsigned k = 0; k < s.facts.count; k++) {
    s.facts.in[k] = false;
    s.facts.in[k] = !is_enough(&s, hint);
  }
  for (unsigned k = 0; k < s.facts.count; k++)
    if (s.facts.in[k]) memcpy(hint->fact[hint->facts++], s.facts.text[k], sizeof hint->fact[0]);
}

/* Those that nothing has helped yet. */
static void try_facts(const search *s, tool_hints *hints) {
  kg_grad_map *all = s->facts.count ? plan(s) : NULL;
  for (unsigned k = 0; all && k < hints->count; k++) {
    tool_hint *hint = &hints->at[k];
    const char *how = *hint->how ? NULL : how_of(all, hint->run, hint->object);
    if (!how || is_contended(how)) continue;
    snprintf(hint->how, sizeof hint->how, "%s", how);
    reduce(s, hint);
  }
  kg_grad_map_free(all);
}

void tool_hints_find(const kg_module *module, const kg_grad_map *map, tool_planner *planner, void *user, tool_hints *out) {
  *out = (tool_hints){.count = 0};
  for (size_t i = 0; i < kg_grad_map_share_count(map) && out->count < TOOL_HINTS; i++) {
    kg_grad_share share = kg_grad_map_share(map, i);
    if (!is_contended(share.how) || strlen(share.object) >= sizeof out->at->object) continue;
    tool_hint *hint = &out->at[out->count++];
    *hint = (tool_hint){.run = share.run};
    memcpy(hint->object, share.object, strlen(share.object) + 1);
  }
  for (unsigned try = 0; try < TRIES && out->count; try++) {
    search s = {.module = module, .plan = planner, .user = user};
    collect(&s, try);
    try_facts(&s, out);
  }
}

/* ---- for people and programs ---- */

static void write_hint(FILE *out, const tool_hint *hint) {
  if (!hint->facts) {
    fprintf(out, "  shadow of %s: no value of params that was tried makes it plain\n", hint->object);
    return;
  }
  fprintf(out, "  shadow of %s: with", hint->object);
  for (unsigned k = 0; k < hint->facts; k++) {
    const char *sign = strchr(hint->fact[k], '=');
    fprintf(out, "%s %.*s = %s", !k ? "" : k + 1 < hint->facts ? "," : " and", (int)(sign - hint->fact[k]), hint->fact[k], sign + 1);
  }
  fprintf(out, " known it would be %s\n", tool_how_in_words(hint->how));
}

/* The grid of a shader that stays open, and what follows. */
static void write_open_grid(FILE *out, const kg_module *module) {
  unsigned open = 0;
  for (uint32_t i = 0; i < kg_module_param_count(module); i++) {
    const char *name = kg_module_param(module, i).name;
    if (is_groups(name)) fprintf(out, "%s%s", open++ ? ", " : "grid: not known: ", name);
  }
  if (open) fputs("; what is said here holds of every grid\n", out);
}

void tool_hints_write(FILE *out, const kg_module *module, const kg_grad_map *map, const tool_hints *hints) {
  write_open_grid(out, module);
  for (size_t r = 0; r < kg_grad_map_run_count(map); r++) {
    bool any = false;
    for (unsigned k = 0; k < hints->count; k++) {
      if (hints->at[k].run != r) continue;
      if (!any) fprintf(out, "what would help in the run of %s, with --param or --grid:\n", kg_grad_map_run(map, r).program);
      any = true;
      write_hint(out, &hints->at[k]);
    }
  }
}

void tool_hints_json(tool_json *json, const tool_hints *hints) {
  tool_json_key(json, "hints");
  tool_json_open(json, '[');
  for (unsigned k = 0; k < hints->count; k++) {
    const tool_hint *hint = &hints->at[k];
    tool_json_open(json, '{');
    tool_json_member_u64(json, "run", hint->run);
    tool_json_member(json, "object", hint->object);
    tool_json_member(json, "how", hint->how);
    tool_json_key(json, "known");
    tool_json_open(json, '[');
    for (unsigned n = 0; n < hint->facts; n++) tool_json_string(json, hint->fact[n]);
    tool_json_close(json, ']');
    tool_json_close(json, '}');
  }
  tool_json_close(json, ']');
}
