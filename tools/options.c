#include "tools/options.h"

#include "tools/diag.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static size_t count_rows(const tool_option *rows) {
  size_t n = 0;
  while (rows[n].name) n++;
  return n;
}

/* getopt_long returns the row's index above the letters, so that options without a letter need none invented. --json and
 * --help belong to every command; main has looked at them before. */
enum { COMMON = 256, FIRST_LONG = 257 };
static const struct option common[] = {{"json", 0, NULL, COMMON}, {"help", 0, NULL, COMMON}};
enum { COMMON_COUNT = sizeof common / sizeof *common };

typedef struct getopt_tables {
  struct option *longs;
  char *letters;
} getopt_tables;

static bool make_tables(const tool_option *rows, getopt_tables *t) {
  size_t n = count_rows(rows), used = 0;
  t->longs = calloc(n + COMMON_COUNT + 1, sizeof *t->longs);
  t->letters = calloc(2 * n + 3, 1);
  if (!t->longs || !t->letters) return false;
  t->letters[used++] = ':'; /* tells a missing argument from an unknown option */
  t->letters[used++] = 'h';
  for (size_t i = 0; i < n; i++) {
    t->longs[i] = (struct option){rows[i].name, rows[i].kind != TOOL_FLAG, NULL, FIRST_LONG + (int)i};
    if (!rows[i].letter) continue;
    t->letters[used++] = rows[i].letter;
    if (rows[i].kind != TOOL_FLAG) t->letters[used++] = ':';
  }
  memcpy(t->longs + n, common, sizeof common);
  return true;
}

static bool parse_count(const char *text, uint64_t *value) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  const char *letters = "KMG", *at = *end ? strchr(letters, *end) : NULL;
  if (errno || (*end && (!at || end[1]))) return false;
  for (int i = 0; at && i <= at - letters; i++) {
    if (*value > UINT64_MAX / 1024) return false;
    *value *= 1024;
  }
  return true;
}

static bool among(const char *choices, const char *value) {
  size_t size = strlen(value);
  for (const char *p = choices; *p;) {
    size_t n = strcspn(p, "|");
    if (n == size && memcmp(p, value, n) == 0) return true;
    p += n + (p[n] == '|');
  }
  return false;
}

static bool append(tool_list *list, const char *item, const kg_sink *sink) {
  const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
  if (!items) return TOOL_EMIT(sink, out_of_memory, NULL, NULL), false;
  list->items = items;
  items[list->count++] = item;
  return true;
}

static bool store(const tool_option *row, const char *shown, char *argument, void *values, const kg_sink *sink) {
  void *field = (char *)values + row->offset;
  if (row->choices && !among(row->choices, argument))
    return TOOL_EMIT(sink, option_choice, NULL, shown, argument, row->choices), false;
  switch (row->kind) {
  case TOOL_FLAG: *(bool *)field = true; return true;
  case TOOL_TEXT: *(const char **)field = argument; return true;
  case TOOL_COUNT: {
    tool_count *count = field;
    count->given = true;
    if (!parse_count(argument, &count->value)) return TOOL_EMIT(sink, option_number, NULL, shown, argument), false;
    return true;
  }
  case TOOL_LIST: return append(field, argument, sink);
  case TOOL_NAMES:
    for (char *next; (next = strchr(argument, ',')); argument = next + 1) {
      *next = 0;
      if (!append(field, argument, sink)) return false;
    }
    return append(field, argument, sink);
  }
  return false;
}

static const tool_option *find_row(const tool_option *rows, int code) {
  if (code >= FIRST_LONG) return &rows[code - FIRST_LONG];
  for (; rows->name; rows++)
    if (rows->letter == code) return rows;
  return NULL;
}

bool tool_options_parse(const tool_option *rows, const char *command, int argc, char **argv, void *values, int *first,
                        const kg_sink *sink) {
  getopt_tables tables = {0};
  bool ok = make_tables(rows, &tables);
  if (!ok) TOOL_EMIT(sink, out_of_memory, NULL, NULL);
  opterr = 0;
  for (int code; ok && (code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1;) {
    if (code == COMMON || code == 'h') continue;
    const tool_option *row = code == ':' || code == '?' ? NULL : find_row(rows, code);
    char letter[3] = {'-', (char)optopt, 0};
    /* a long option that failed is the word before; a letter may stand inside a word */
    const char *shown = optopt && optopt < COMMON ? letter : argv[optind - 1];
    if (row) {
      char name[64];
      snprintf(name, sizeof name, "--%s", row->name);
      ok = store(row, name, optarg, values, sink);
    } else {
      ok = false;
      if (code == ':')
        TOOL_EMIT(sink, option_argument, NULL, shown, command);
      else if (optopt >= COMMON)
        TOOL_EMIT(sink, option_no_argument, NULL, shown, command);
      else
        TOOL_EMIT(sink, unknown_option, NULL, shown, command);
    }
  }
  free(tables.longs);
  free(tables.letters);
  *first = optind;
  return ok;
}

void tool_options_free(const tool_option *rows, void *values) {
  for (; rows->name; rows++)
    if (rows->kind == TOOL_LIST || rows->kind == TOOL_NAMES) free(((tool_list *)(void *)((char *)values + rows->offset))->items);
}

static void help_row(const tool_option *row, FILE *out) {
  enum { column = 28 };
  char left[80];
  const char *argument = row->choices ? row->choices : row->argument;
  snprintf(left, sizeof left, "  %c%c%s --%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
           row->letter ? "," : " ", row->name, argument ? " " : "", argument ? argument : "");
  if (strlen(left) < column)
    fprintf(out, "%-*s%s\n", column, left, row->help);
  else
    fprintf(out, "%s\n%*s%s\n", left, column, "", row->help);
}

void tool_options_help(const tool_option *rows, FILE *out) {
  for (; rows->name; rows++) help_row(rows, out);
  help_row(&(tool_option){.name = "json", .help = "print one JSON object (kgrad help json)"}, out);
  help_row(&(tool_option){.name = "help", .letter = 'h', .help = "print this"}, out);
}

bool tool_check_tape_limit(tool_count limit, const kg_sink *sink) {
  if (!limit.given || limit.value) return true;
  TOOL_EMIT(sink, option_range, NULL, "--tape-limit", "0", "1", TOOL_NUM(UINT64_MAX));
  return false;
}

bool tool_check_trips(tool_count trips, const kg_sink *sink) {
  if (!trips.given || (trips.value && trips.value <= TOOL_MOST_TRIPS)) return true;
  TOOL_EMIT(sink, option_range, NULL, "--trips", TOOL_NUM(trips.value), "1", TOOL_NUM(TOOL_MOST_TRIPS));
  return false;
}

size_t tool_split_pair(const char *item, const char *option, const char **value, const kg_sink *sink) {
  const char *sign = strchr(item, '=');
  if (!sign || sign == item || !sign[1]) return TOOL_EMIT(sink, option_pair, NULL, option, item), 0;
  *value = sign + 1;
  return (size_t)(sign - item);
}

kg_math tool_math_of(const char *name) {
  unsigned math = 0;
  while (name && math < KG_MATH_COUNT - 1 && strcmp(name, kg_math_name((kg_math)math))) math++;
  return (kg_math)math;
}
