/* The table of primitives, and what all of them share: looking up, checking parameters, building. */
#include "foundation/base/floats.h"
#include "foundation/ir/number.h"
#include "primitives/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZE(name, fallback, most, help) {#name, help, true, false, false, fallback, 0, most},
#define REAL(name, fallback, least, most, help) {#name, help, false, false, false, fallback, least, most},
#define FIXED(name, fallback, least, most, help) {#name, help, true, false, true, fallback, least, most},
#define POWER(name, fallback, least, most, help) {#name, help, true, true, true, fallback, least, most},
#define PARAMS(...) (const kg_primitive_param[]){__VA_ARGS__}
#define PRIMITIVE(family, name, summary, computes, source, list)                                                                 \
  {#name, #family, summary, computes, source, sizeof PARAMS(list) / sizeof *PARAMS(list), PARAMS(list)},
static const kg_primitive_info table[] = {
#include "primitives/primitives.def"
};
enum { TABLE_COUNT = sizeof table / sizeof *table, MAX_PARAMS = 16 };

#define SIZE(...) +1
#define REAL(...) +1
#define FIXED(...) +1
#define POWER(...) +1
#define PRIMITIVE(family, name, summary, computes, source, list) _Static_assert((0 list) <= MAX_PARAMS, #name " has more params");
#include "primitives/primitives.def"

uint32_t kg_primitive_count(void) { return TABLE_COUNT; }

const kg_primitive_info *kg_primitive_at(uint32_t index) { return index < TABLE_COUNT ? &table[index] : NULL; }

const kg_primitive_info *kg_primitive_find(const char *name) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (!strcmp(table[i].name, name)) return &table[i];
  return NULL;
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
    if (!strncmp(table[i].name, name, strlen(name))) return table[i].name;
  size_t best = strlen(name) / 2 + 1; /* nearer than that: most of it is right */
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    size_t d = distance(name, table[i].name);
    if (d < best) best = d, nearest = table[i].name;
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
  const char *nearest = kg_primitive_nearest(name);
  char fix[64];
  if (nearest) snprintf(fix, sizeof fix, "did you mean %s?", nearest);
  else snprintf(fix, sizeof fix, "kgrad prim --list names them");
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

/* Its text, in the arena. */
static kg_status expand(kgi_arena *arena, const char *name, const kg_primitive_arg *args, size_t count, kgi_diags *diags, const char **text,
                        size_t *size) {
  KGI_OWN_FLOATS;
  double values[MAX_PARAMS];
  const kg_primitive_info *info = kg_primitive_find(name);
  if (!info) return unknown_primitive(diags, name), KG_INVALID;
  if (!check_args(info, args, count, diags, values)) return KG_INVALID;
  *text = kgi_template_expand(arena, info, values, size);
  if (!*text) KGI_DIAG(diags, no_memory, 0, "");
  return *text ? KG_OK : KG_NO_MEMORY;
}

kg_status kg_primitive_build(const kg_allocator *alloc, const char *name, const kg_primitive_arg *args, size_t count,
                             const kg_sink *sink, kg_module **out) {
  kgi_diags diags = {.sink = sink};
  kgi_arena arena;
  const char *text;
  size_t size;
  kgi_arena_init(&arena, alloc);
  kg_status status = expand(&arena, name, args, count, &diags, &text, &size);
  if (status == KG_OK) status = kg_module_parse(alloc, name, text, size, sink, out);
  kgi_arena_free(&arena);
  return status;
}

kg_status kg_primitive_text(const kg_allocator *alloc, const char *name, const kg_primitive_arg *args, size_t count,
                            const kg_sink *sink, char **out, size_t *size) {
  kgi_diags diags = {.sink = sink};
  kgi_arena arena;
  const char *text;
  size_t length;
  kgi_arena_init(&arena, alloc);
  kg_status status = expand(&arena, name, args, count, &diags, &text, &length);
  char *copy = status == KG_OK ? kgi_alloc(alloc, length + 1) : NULL;
  if (copy) memcpy(copy, text, length), copy[length] = 0, *out = copy, *size = length;
  else if (status == KG_OK) KGI_DIAG(&diags, no_memory, 0, ""), status = KG_NO_MEMORY;
  kgi_arena_free(&arena);
  return status;
}

/* "rows=3,cols=5)" to arguments, in place. What is no such list becomes an argument that no primitive has. */
static size_t read_args(char *list, kg_primitive_arg args[MAX_PARAMS + 1]) {
  size_t count = 0;
  for (char *at = list; *at && *at != ')' && count <= MAX_PARAMS; count++) {
    char *value = at + strcspn(at, "="), *end = at + strcspn(at, ",)");
    if (value > end) value = end;
    bool more = *end == ',';
    size_t digits = (size_t)(end - value), fine = strspn(value + 1, "0123456789.eE+-") + 1;
    double number = NAN; /* refused by every primitive */
    if (*value == '=' && digits > 1 && fine >= digits && strchr("0123456789", value[1]) && !kgi_read_double(value + 1, digits - 1, &number))
      number = NAN;
    args[count] = (kg_primitive_arg){at, number};
    *value = *end = 0;
    at = end + more;
  }
  return count;
}

kg_status kg_primitive_load(const kg_allocator *alloc, const char *path, const kg_sink *sink, char **out, size_t *size) {
  KGI_OWN_FLOATS;
  static const char prefix[] = "primitive ";
  char copy[1000];
  kg_primitive_arg args[MAX_PARAMS + 1];
  if (strncmp(path, prefix, sizeof prefix - 1) != 0 || strlen(path) >= sizeof copy) return KG_INVALID;
  strcpy(copy, path + sizeof prefix - 1);
  char *open = copy + strcspn(copy, "(");
  size_t count = *open ? read_args(open + 1, args) : 0;
  *open = 0;
  return kg_primitive_text(alloc, copy, args, count, sink, out, size);
}
