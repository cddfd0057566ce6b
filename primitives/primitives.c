/* The table of primitives, and what all of them share: looking up, checking parameters, building. */
#include "foundation/base/floats.h"
#include "foundation/text/print.h"
#include "primitives/idioms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct row {
  kg_primitive_info info;
  void (*build)(kgi_builder *b, const kgi_primitive_args *args);
} row;

#define SIZE(name, fallback, most, help) {#name, help, true, false, false, fallback, 1, most},
#define REAL(name, fallback, least, most, help) {#name, help, false, false, false, fallback, least, most},
#define FIXED(name, fallback, least, most, help) {#name, help, true, false, true, fallback, least, most},
#define POWER(name, fallback, least, most, help) {#name, help, true, true, true, fallback, least, most},
#define PARAMS(...) (const kg_primitive_param[]){__VA_ARGS__}
#define PRIMITIVE(name, summary, computes, source, list)                                                                         \
  {{#name, summary, computes, source, sizeof PARAMS(list) / sizeof *PARAMS(list), PARAMS(list)}, kgi_primitive_##name},
static const row table[] = {
#include "primitives/primitives.def"
};
enum { TABLE_COUNT = sizeof table / sizeof *table, MAX_PARAMS = 8 };

#define SIZE(...) +1
#define REAL(...) +1
#define FIXED(...) +1
#define POWER(...) +1
#define PRIMITIVE(name, summary, computes, source, list) _Static_assert((0 list) <= MAX_PARAMS, #name " has more params");
#include "primitives/primitives.def"

uint32_t kg_primitive_count(void) { return TABLE_COUNT; }

const kg_primitive_info *kg_primitive_at(uint32_t index) { return index < TABLE_COUNT ? &table[index].info : NULL; }

static const row *find(const char *name) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (!strcmp(table[i].info.name, name)) return &table[i];
  return NULL;
}

const kg_primitive_info *kg_primitive_find(const char *name) {
  const row *r = find(name);
  return r ? &r->info : NULL;
}

/* How many letters must be changed, added or dropped. */
static size_t distance(const char *a, const char *b) {
  enum { LONGEST = 31 };
  size_t line[LONGEST + 1], n = strlen(b);
  if (n > LONGEST || strlen(a) > LONGEST) return LONGEST;
  for (size_t j = 0; j <= n; j++) line[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = line[0];
    line[0] = i + 1;
    for (size_t j = 0; j < n; j++) {
      size_t change = diagonal + (a[i] != b[j]), least = line[j] < line[j + 1] ? line[j] + 1 : line[j + 1] + 1;
      diagonal = line[j + 1];
      line[j + 1] = change < least ? change : least;
    }
  }
  return line[n];
}

const char *kg_primitive_nearest(const char *name) {
  const char *nearest = NULL;
  for (size_t i = 0; i < TABLE_COUNT && strlen(name) > 2; i++)
    if (!strncmp(table[i].info.name, name, strlen(name))) return table[i].info.name;
  size_t best = strlen(name) / 2 + 1; /* nearer than that: most of it is right */
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    size_t d = distance(name, table[i].info.name);
    if (d < best) best = d, nearest = table[i].info.name;
  }
  return nearest;
}

/* A list of names that fits a diagnostic's line. */
typedef struct names { char text[256]; size_t used; } names;

static void append(names *list, const char *name) {
  int n = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s", list->used ? ", " : "", name);
  if (n > 0 && list->used + (size_t)n < sizeof list->text) list->used += (size_t)n;
  list->text[list->used] = 0; /* what does not fit whole is left out */
}

static void unknown_primitive(kgi_diags *diags, const char *name) {
  names list = {.used = 0};
  for (size_t i = 0; i < TABLE_COUNT; i++) append(&list, table[i].info.name);
  const char *nearest = kg_primitive_nearest(name);
  char fix[320];
  if (nearest) snprintf(fix, sizeof fix, "did you mean %s?", nearest);
  else snprintf(fix, sizeof fix, "one of: %s", list.text);
  KGI_DIAG(diags, unknown_primitive, 0, name, fix);
}

static void unknown_param(kgi_diags *diags, const kg_primitive_info *info, const char *name) {
  names list = {.used = 0};
  for (uint32_t i = 0; i < info->param_count; i++) append(&list, info->params[i].name);
  KGI_DIAG(diags, primitive_param, 0, info->name, name, list.text);
}

static bool acceptable(const kg_primitive_param *p, double x) {
  if (!(x >= p->least && x <= p->most)) return false; /* NaN is refused here */
  if (p->whole && x != trunc(x)) return false;
  return !p->power_of_two || ((uint32_t)x & ((uint32_t)x - 1)) == 0;
}

static bool take(kgi_diags *diags, const kg_primitive_info *info, uint32_t index, double value) {
  const kg_primitive_param *p = &info->params[index];
  if (acceptable(p, value)) return true;
  char takes[128], least[KGI_NUMBER_TEXT], most[KGI_NUMBER_TEXT], got[KGI_NUMBER_TEXT];
  const char *kind = p->power_of_two ? "a power of two" : p->whole ? "a whole number" : "a number";
  snprintf(takes, sizeof takes, "%s from %s to %s", kind, kgi_double_text(p->least, 9, least), kgi_double_text(p->most, 9, most));
  KGI_DIAG(diags, primitive_value, 0, info->name, p->name, takes, kgi_double_text(value, 9, got), p->help);
  return false;
}

static bool check_args(const kg_primitive_info *info, const kg_primitive_arg *args, size_t count, kgi_diags *diags, double *values) {
  bool given[MAX_PARAMS] = {false};
  for (uint32_t i = 0; i < info->param_count; i++) values[i] = info->params[i].fallback;
  for (size_t a = 0; a < count; a++) {
    uint32_t i = 0;
    while (i < info->param_count && strcmp(info->params[i].name, args[a].name) != 0) i++;
    if (i == info->param_count) return unknown_param(diags, info, args[a].name), false;
    if (given[i]) return KGI_DIAG(diags, primitive_twice, 0, info->name, args[a].name), false;
    if (!take(diags, info, i, args[a].value)) return false;
    given[i] = true;
    values[i] = args[a].value;
  }
  return true;
}

kg_status kg_primitive_build(const kg_allocator *alloc, const char *name, const kg_primitive_arg *args, size_t count,
                             const kg_sink *sink, kg_module **out) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink};
  const row *r = find(name);
  if (!r) return unknown_primitive(&diags, name), KG_INVALID;
  double values[MAX_PARAMS];
  if (!check_args(&r->info, args, count, &diags, values)) return KG_INVALID;
  kgi_builder b;
  kg_module *module = kgi_module_new(alloc, name);
  kgi_builder_init(&b, module, &diags);
  if (module) r->build(&b, &(kgi_primitive_args){&r->info, values});
  if (b.status == KG_OK) kgi_module_finish_lone(module);
  if (module && module->arena.failed) kgi_fail(&b, KG_NO_MEMORY);
  kg_status status = b.status;
  if (status != KG_OK) {
    if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
    kg_module_free(module);
    return status;
  }
  *out = module;
  return KG_OK;
}
