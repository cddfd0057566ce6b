#include "primitives/template.h"
#include "foundation/ir/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text { const char *name; const char *const *lines; uint32_t count; } text;

#define LINES(...) (const char *const[]){__VA_ARGS__}
#define TEXT(name, ...) {#name, LINES(__VA_ARGS__), sizeof LINES(__VA_ARGS__) / sizeof(char *)},
static const text texts[] = {
#include "primitives/texts.inc"
};

enum { MOST_WORDS = 10, MOST_WORD = 64, DEEPEST = 16 };

/* A template that is being expanded. */
typedef struct frame {
  char word[MOST_WORDS][MOST_WORD]; /* $1 is word[1] */
  bool taken[DEEPEST];              /* of each #if that is open: whether its lines are */
  unsigned depth, inserts;
} frame;

typedef struct expansion {
  kgi_arena *arena;
  const kg_primitive_info *info;
  const double *values;
  char *out;
  uint32_t size, capacity;
} expansion;

static void put(expansion *e, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!kgi_arena_grow(e->arena, &e->out, e->size, &e->capacity, 1)) return;
    e->out[e->size++] = bytes[i];
  }
}

static const double *value_of(const expansion *e, const char *name, size_t length) {
  for (uint32_t i = 0; i < e->info->param_count; i++)
    if (strlen(e->info->params[i].name) == length && !memcmp(e->info->params[i].name, name, length)) return &e->values[i];
  return NULL;
}

static size_t name_length(const char *at) { return strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_"); }

/* Puts what stands for the name behind the $ at `at`, and returns how long that was; 0: nothing stands for it. */
static size_t substitute(expansion *e, const frame *f, const char *at) {
  static const char log2[] = "log2(";
  char number[KGI_NUMBER_TEXT];
  if (*at >= '1' && *at <= '9') return put(e, f->word[*at - '0'], strlen(f->word[*at - '0'])), 1;
  bool logarithm = !strncmp(at, log2, sizeof log2 - 1);
  size_t before = logarithm ? sizeof log2 - 1 : 0, length = name_length(at + before);
  const double *value = value_of(e, at + before, length);
  if (!value || (logarithm && at[before + length] != ')')) return 0;
  unsigned log = 0;
  while (logarithm && (1u << log) < (uint32_t)*value) log++;
  kgi_double_text(logarithm ? log : *value, *value == (double)(uint64_t)*value ? 17 : 9, number); /* whole numbers have all their digits */
  put(e, number, strlen(number));
  return before + length + logarithm;
}

/* A param whose default is the primitive's has its limits too: hosts refuse other values, and proofs may rest on them. A number without
 * limits goes from -1e30 to 1e30, and a length to all of 32 bits. */
static void put_limits(expansion *e, const kg_primitive_param *p) {
  const double unlimited = 1e30;
  char least[KGI_NUMBER_TEXT], end[KGI_NUMBER_TEXT], range[2 * KGI_NUMBER_TEXT + 16];
  if (p->whole ? p->most >= UINT32_MAX : p->least <= -unlimited && p->most >= unlimited) return;
  kgi_double_text(p->least, 9, least);
  kgi_double_text(p->whole ? p->most + 1 : (double)nextafterf((float)p->most, INFINITY), p->whole ? 17 : 9, end);
  int length = snprintf(range, sizeof range, " in %s .. %s", least, end);
  put(e, range, (size_t)length);
}

/* Behind "param n : u32 = $n". */
static void limit_param(expansion *e, const char *line) {
  line += strspn(line, " ");
  const char *name = strstr(line, "= $");
  if (strncmp(line, "param ", 6) != 0 || !name) return;
  name += 3;
  for (uint32_t i = 0; i < e->info->param_count; i++)
    if (!strcmp(e->info->params[i].name, name)) put_limits(e, &e->info->params[i]);
}

static void put_line(expansion *e, const frame *f, const char *line) {
  const char *whole = line;
  while (*line) {
    size_t plain = strcspn(line, "$");
    put(e, line, plain);
    line += plain;
    if (!*line) break;
    size_t used = substitute(e, f, ++line);
    if (!used) put(e, "$", 1);
    line += used;
  }
  limit_param(e, whole);
  put(e, "\n", 1);
}

/* `name`, or `name == 2`. */
static bool holds(const expansion *e, const char *condition) {
  size_t length = name_length(condition);
  const double *value = value_of(e, condition, length);
  const char *sign = condition + length + strspn(condition + length, " ");
  if (!value) return false;
  if (!*sign) return *value != 0;
  double right = (double)strtoul(sign + strcspn(sign, "0123456789"), NULL, 10);
  return *sign == '=' ? *value == right : *sign == '!' ? *value != right : *value < right;
}

static void expand(expansion *e, frame *f, const char *name);

static void insert(expansion *e, const frame *f, const char *call) {
  frame inner = {.inserts = f->inserts + 1};
  for (unsigned w = 0; w < MOST_WORDS && *call; w++) {
    size_t length = strcspn(call, " ");
    snprintf(inner.word[w], MOST_WORD, "%.*s", (int)length, call);
    if (call[0] == '$' && call[1] >= '1' && call[1] <= '9') memcpy(inner.word[w], f->word[call[1] - '0'], MOST_WORD);
    call += length + strspn(call + length, " ");
  }
  if (inner.inserts < DEEPEST) expand(e, &inner, inner.word[0]);
}

static bool is_taken(const frame *f) {
  for (unsigned i = 0; i < f->depth; i++)
    if (!f->taken[i]) return false;
  return true;
}

/* Whether the line was one. */
static bool directive(expansion *e, frame *f, const char *line) {
  line += strspn(line, " ");
  if (!strncmp(line, "#if ", 4) && f->depth < DEEPEST) return f->taken[f->depth++] = holds(e, line + 4), true;
  if (!strcmp(line, "#else") && f->depth) return f->taken[f->depth - 1] = !f->taken[f->depth - 1], true;
  if (!strcmp(line, "#end") && f->depth) return f->depth--, true;
  if (strncmp(line, "#insert ", 8) != 0) return false;
  if (is_taken(f)) insert(e, f, line + 8);
  return true;
}

static void expand(expansion *e, frame *f, const char *name) {
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    if (strcmp(texts[t].name, name) != 0) continue;
    for (uint32_t i = 0; i < texts[t].count; i++)
      if (!directive(e, f, texts[t].lines[i]) && is_taken(f)) put_line(e, f, texts[t].lines[i]);
    return;
  }
}

const char *kgi_template_expand(kgi_arena *arena, const kg_primitive_info *info, const double *values, size_t *size) {
  expansion e = {.arena = arena, .info = info, .values = values};
  expand(&e, &(frame){.depth = 0}, info->name);
  *size = e.size;
  return arena->failed ? NULL : e.out;
}
