#include "tools/source.h"

#include "tools/diag.h"
#include "tools/npz.h"
#include "tools/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *word;
  tool_source source;
} words[] = {{"random", TOOL_SOURCE_RANDOM}, {"zeros", TOOL_SOURCE_ZEROS}, {"ones", TOOL_SOURCE_ONES}};

static bool names_file(const char *text) {
  size_t length = strlen(text);
  bool npy = length > 4 && strcmp(text + length - 4, ".npy") == 0;
  return strcmp(text, "-") == 0 || strchr(text, '/') || npy || tool_names_npz(text);
}

static tool_source find_word(const char *text) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].word, text) == 0) return words[i].source;
  return TOOL_SOURCE_DEFAULT;
}

/* ---- values ---- */

/* One value, of `length` bytes, with blanks around it. */
static bool parse_one(kg_type type, const char *text, size_t length, char shown[64], uint64_t *bits) {
  while (length && *text == ' ') text++, length--;
  while (length && text[length - 1] == ' ') length--;
  snprintf(shown, 64, "%.*s", (int)(length < 63 ? length : 63), text);
  return length < 63 && tool_value_parse(type, shown, bits);
}

static bool parse_values(const char *text, kg_buffer_info info, const kg_sink *sink, tool_array *array) {
  uint64_t count = 1, bits;
  char shown[64];
  for (const char *p = text; *p; p++) count += *p == ',';
  *array = (tool_array){.type = info.type, .dims = 1, .shape = {count}, .count = count, .list = true};
  array->size = (size_t)count * kg_type_size(info.type);
  array->data = malloc(array->size);
  if (!array->data) return TOOL_EMIT(sink, out_of_memory, NULL, NULL), false;
  for (uint64_t i = 0; i < count; i++) {
    size_t length = strcspn(text, ",");
    if (!parse_one(info.type, text, length, shown, &bits))
      return TOOL_EMIT(sink, array_value, NULL, shown, kg_type_name(info.type), info.name), false;
    tool_value_store(info.type, array->data, i, bits);
    text += length + 1;
  }
  return true;
}

/* ---- files ---- */

/* Whether f32 holds a value as precisely as it holds any. */
static bool survives(double value) {
  double rounded = (double)(float)value;
  return isnan(value) || rounded == value || fabs(rounded - value) <= fabs(value) * 0x1p-24;
}

/* In place: an element of f32 takes half the room. */
static bool round_to_f32(const char *path, const char *buffer, const kg_sink *sink, tool_array *array) {
  tool_value_text text;
  for (uint64_t i = 0; i < array->count; i++) {
    uint64_t bits = tool_value_load(KG_F64, array->data, i);
    double value = tool_value_number(KG_F64, bits);
    if (!survives(value))
      return TOOL_EMIT(sink, array_rounding, path, TOOL_NUM(i), tool_value_format(KG_F64, bits, &text), buffer), false;
    tool_value_store(KG_F32, array->data, i, tool_value_of_number(KG_F32, value));
  }
  array->type = KG_F32;
  array->size = (size_t)array->count * sizeof(float);
  TOOL_EMIT(sink, array_converted, path, buffer);
  return true;
}

/* The array of that name. */
static bool read_member(const char *path, const char *name, const kg_sink *sink, tool_array *array) {
  tool_npz npz = {0};
  char names[200] = "none";
  bool fine = tool_npz_read(path, sink, &npz);
  uint32_t index = fine ? tool_npz_find(&npz, name) : UINT32_MAX;
  for (uint32_t i = 0, used = 0; fine && i < npz.count && used + 40 < sizeof names; i++)
    used += (uint32_t)snprintf(names + used, sizeof names - used, "%s%.32s", i ? ", " : "", npz.member[i].name);
  if (fine && index == UINT32_MAX) TOOL_EMIT(sink, npz_missing, path, name, names);
  fine = index != UINT32_MAX && tool_npz_array(&npz, index, sink, array);
  tool_npz_free(&npz);
  return fine;
}

static bool read_file(const char *path, kg_buffer_info info, const kg_sink *sink, tool_array *array) {
  bool fine = tool_names_npz(path) ? read_member(path, info.name, sink, array) : tool_npy_read(path, sink, array);
  return fine && tool_source_fit(path, info, sink, array);
}

bool tool_source_fit(const char *path, kg_buffer_info info, const kg_sink *sink, tool_array *array) {
  if (array->type == KG_F64 && info.type == KG_F32) return round_to_f32(path, info.name, sink, array);
  if (array->type == info.type) return true;
  TOOL_EMIT(sink, array_type, path, kg_type_name(array->type), info.name, kg_type_name(info.type), tool_npy_dtype(info.type));
  return false;
}

bool tool_source_read(const char *text, kg_buffer_info info, const kg_sink *sink, tool_source *source, tool_array *array) {
  uint64_t bits;
  *source = names_file(text) ? TOOL_SOURCE_ARRAY : find_word(text);
  if (*source == TOOL_SOURCE_ARRAY) return read_file(text, info, sink, array);
  if (*source != TOOL_SOURCE_DEFAULT) return true;
  *source = TOOL_SOURCE_ARRAY;
  bool values = strchr(text, ',') || tool_value_parse(info.type, text, &bits) || access(text, F_OK) != 0;
  return values ? parse_values(text, info, sink, array) : read_file(text, info, sink, array);
}
