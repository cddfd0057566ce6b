/* A command line, whatever its words: they fit the command's options, or one diagnostic says what does not. The first byte says which
 * command, and the words follow, each ended by a 0. Nothing is run. A value that is read is written as the same. */
#include "fuzz/replay.h"
#include "tools/command.h"
#include "tools/value.h"

#include <getopt.h>
#include <string.h>

enum { WORDS = 64 };

typedef struct heard { unsigned errors; bool explained; } heard;
static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  h->errors += diag->severity == KG_ERROR;
  h->explained = diag->message && *diag->message && diag->fix && *diag->fix;
}

static const tool_command *command_at(unsigned index) {
  unsigned count = 0;
  while (tool_commands[count]) count++;
  return tool_commands[index % count];
}

/* ---- values ---- */

static void read_value(kg_type type, const char *text) {
  uint64_t bits = 0, again = 0;
  tool_value_text out;
  if (!tool_value_parse(type, text, &bits)) return;
  FUZZ_REQUIRE(tool_value_parse(type, tool_value_format(type, bits, &out), &again));
  FUZZ_REQUIRE(bits == again);
}

static void read_pair(const char *item, const kg_sink *sink, const heard *h) {
  const char *value = NULL;
  unsigned before = h->errors;
  size_t size = tool_split_pair(item, "--param", &value, sink);
  FUZZ_REQUIRE(size ? value == item + size + 1 && *value && h->errors == before : h->errors == before + 1);
  for (unsigned type = 0; size && type <= KG_BF16; type++) read_value((kg_type)type, value);
}

/* ---- options ---- */

/* Whether what a row took is one of its choices. */
static bool is_chosen(const tool_option *row, const void *values) {
  if (!row->choices || row->kind != TOOL_TEXT) return true;
  const char *text;
  memcpy(&text, (const char *)values + row->offset, sizeof text);
  const char *found = text ? strstr(row->choices, text) : row->choices;
  return found && (!text || (*text && !strchr(text, '|')));
}

static void look(const tool_command *command, void *values, const kg_sink *sink, const heard *h) {
  for (const tool_option *row = command->options; row->name; row++) {
    FUZZ_REQUIRE(is_chosen(row, values));
    const tool_list *list = (const void *)((const char *)values + row->offset);
    for (size_t i = 0; row->kind == TOOL_LIST && i < list->count; i++) read_pair(list->items[i], sink, h);
  }
}

static void parse(const tool_command *command, int count, char **words) {
  heard h = {0};
  kg_sink sink = {hear, &h};
  int first = -1;
  void *values = calloc(1, command->values_size + 1);
  FUZZ_REQUIRE(values != NULL);
  optind = 0; /* getopt begins anew */
  bool fine = tool_options_parse(command->options, command->name, count, words, values, &first, &sink);
  FUZZ_REQUIRE(fine ? !h.errors && first >= 1 && first <= count : h.errors == 1 && h.explained);
  if (fine) look(command, values, &sink, &h);
  tool_options_free(command->options, values);
  free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  const tool_command *command = command_at(data[0]);
  char *text = calloc(1, size + 1), *words[WORDS + 1] = {(char *)(uintptr_t)command->name};
  FUZZ_REQUIRE(text != NULL);
  memcpy(text, data + 1, size - 1);
  int count = 1;
  for (char *at = text; at < text + size - 1 && count < WORDS; at += strlen(at) + 1) words[count++] = at;
  parse(command, count, words);
  free(text);
  return 0;
}
