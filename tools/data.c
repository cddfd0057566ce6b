#include "tools/data.h"

#include "tools/diag.h"
#include "tools/npz.h"
#include "tools/value.h"

#include <kgrad/verify.h>

#include <stdlib.h>
#include <string.h>

/* --- names --- */

static const char *buffer_name(const kg_module *m, uint32_t i) { return kg_module_buffer(m, i).name; }
static const char *param_name(const kg_module *m, uint32_t i) { return kg_module_param(m, i).name; }

/* "a, b, c", cut where it is long. */
static void list_names(const kg_module *m, uint32_t count, const char *(*name)(const kg_module *, uint32_t), char out[200]) {
  size_t used = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < count && used + 40 < 200; i++)
    used += (size_t)snprintf(out + used, 200 - used, "%s%.32s", i ? ", " : "", name(m, i));
}

static uint32_t find(const kg_module *m, uint32_t count, const char *(*name)(const kg_module *, uint32_t), const char *text,
                     size_t length) {
  for (uint32_t i = 0; i < count; i++)
    if (strlen(name(m, i)) == length && memcmp(name(m, i), text, length) == 0) return i;
  return UINT32_MAX;
}

static void copy_name(char out[80], const char *name, size_t length) {
  snprintf(out, 80, "%.*s", (int)(length < 79 ? length : 79), name);
}

/* `file` is what names it, NULL: an option. */
static uint32_t find_buffer(const kg_module *m, const char *file, const char *name, size_t length, const kg_sink *sink) {
  char shown[80], names[200];
  uint32_t i = find(m, kg_module_buffer_count(m), buffer_name, name, length);
  if (i != UINT32_MAX) return i;
  copy_name(shown, name, length);
  list_names(m, kg_module_buffer_count(m), buffer_name, names);
  TOOL_EMIT(sink, unknown_buffer, file, shown, names);
  return UINT32_MAX;
}

uint32_t tool_data_output(const kg_module *m, const char *name, size_t length, const kg_sink *sink) {
  uint32_t i = find_buffer(m, NULL, name, length, sink);
  if (i == UINT32_MAX) return i;
  kg_buffer_info info = kg_module_buffer(m, i);
  if (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) return i;
  TOOL_EMIT(sink, not_an_output, NULL, info.name, info.mode == KG_TEMP ? "temp" : "read");
  return UINT32_MAX;
}

/* --- what the user gave --- */

static bool take_param(tool_data *d, const char *item, const kg_sink *sink) {
  const char *value;
  char shown[80], names[200];
  size_t length = tool_split_pair(item, "--param", &value, sink);
  if (!length) return false;
  uint32_t i = find(d->module, kg_module_param_count(d->module), param_name, item, length);
  copy_name(shown, item, length);
  if (i == UINT32_MAX) {
    list_names(d->module, kg_module_param_count(d->module), param_name, names);
    return TOOL_EMIT(sink, unknown_param, NULL, shown, *names ? names : "none"), false;
  }
  kg_type type = kg_module_param(d->module, i).type;
  if (d->host.param_given[i]) return TOOL_EMIT(sink, given_twice, NULL, shown), false;
  if (!tool_value_parse(type, value, &d->host.param[i]))
    return TOOL_EMIT(sink, param_value, NULL, shown, kg_type_name(type), value), false;
  d->host.param_given[i] = true;
  return true;
}

static bool has_shape(const tool_data *d, uint32_t i) {
  return d->source[i] == TOOL_SOURCE_ARRAY && !d->array[i].list && kg_module_buffer(d->module, i).rank > 1;
}

/* What the array says of params: by its length, or where the buffer has several dimensions by each of them. */
static bool take_shape(tool_data *d, uint32_t i, kg_buffer_info info, const kg_sink *sink) {
  const tool_array *a = &d->array[i];
  tool_shape_text shape;
  d->host.length[i] = a->count;
  d->host.length_given[i] = !has_shape(d, i);
  if (d->host.length_given[i]) return true;
  if (a->dims == info.rank) return kg_module_take_extents(d->module, &d->host, i, a->shape), true;
  TOOL_EMIT(sink, array_rank, NULL, info.name, tool_shape_format(a->shape, a->dims, &shape), TOOL_NUM(info.rank));
  return false;
}

/* A buffer of several dimensions gives its shape to its array. One that came with a shape must have that one. */
static bool settle_shape(tool_data *d, uint32_t i, const kg_sink *sink) {
  kg_buffer_info info = kg_module_buffer(d->module, i);
  tool_array *a = &d->array[i];
  tool_shape_text given, declared;
  uint64_t extent[KG_MAX_RANK];
  if (info.rank < 2) return true;
  if (kg_module_buffer_extents(d->module, &d->host, i, sink, extent) != KG_OK) return false;
  if (has_shape(d, i) && memcmp(a->shape, extent, info.rank * sizeof *extent) != 0) {
    const char *shape = tool_shape_format(a->shape, a->dims, &given);
    TOOL_EMIT(sink, array_shape, NULL, info.name, shape, tool_shape_format(extent, info.rank, &declared));
    return false;
  }
  a->dims = info.rank;
  memcpy(a->shape, extent, info.rank * sizeof *extent);
  return true;
}

/* An output takes one where it takes its length from there. */
static bool takes_array(kg_buffer_info info) { return info.mode == KG_WRITE ? info.host_length : info.mode != KG_TEMP; }

/* The buffer of that name, which takes an array, and has none yet; UINT32_MAX: a diagnostic was sent. `file` is as above. */
static uint32_t find_input(const tool_data *d, const char *file, const char *name, size_t length, const kg_sink *sink) {
  uint32_t i = find_buffer(d->module, file, name, length, sink);
  char fix[160];
  if (i == UINT32_MAX) return i;
  kg_buffer_info info = kg_module_buffer(d->module, i);
  if (!takes_array(info)) {
    snprintf(fix, sizeof fix, file ? "leave %.80s out of the file, or name the others: --in NAME=FILE" : "leave out --in %.80s=...", info.name);
    return TOOL_EMIT(sink, not_an_input, file, info.name, info.mode == KG_WRITE ? "write" : "temp", fix), UINT32_MAX;
  }
  if (d->source[i] != TOOL_SOURCE_DEFAULT) return TOOL_EMIT(sink, given_twice, file, info.name), UINT32_MAX;
  return i;
}

/* Every array of a .npz file is for the buffer of its name. */
static bool take_npz(tool_data *d, const char *path, const kg_sink *sink) {
  tool_npz npz;
  bool fine = tool_npz_read(path, sink, &npz);
  for (uint32_t k = 0; fine && k < npz.count; k++) {
    const char *name = npz.member[k].name;
    uint32_t i = find_input(d, path, name, strlen(name), sink);
    fine = i != UINT32_MAX && tool_npz_array(&npz, k, sink, &d->array[i]);
    if (!fine) break;
    kg_buffer_info info = kg_module_buffer(d->module, i);
    d->source[i] = TOOL_SOURCE_ARRAY;
    fine = tool_source_fit(path, info, sink, &d->array[i]) && take_shape(d, i, info, sink);
  }
  tool_npz_free(&npz);
  return fine;
}

static bool take_array(tool_data *d, const char *item, const kg_sink *sink) {
  const char *text;
  if (!strchr(item, '=') && tool_names_npz(item)) return take_npz(d, item, sink);
  size_t length = tool_split_pair(item, "--in", &text, sink);
  uint32_t i = length ? find_input(d, NULL, item, length, sink) : UINT32_MAX;
  if (i == UINT32_MAX) return false;
  kg_buffer_info info = kg_module_buffer(d->module, i);
  if (!tool_source_read(text, info, sink, &d->source[i], &d->array[i])) return false;
  if (d->source[i] != TOOL_SOURCE_ARRAY) return true;
  return take_shape(d, i, info, sink);
}

/* --- the whole --- */

/* What grad takes for the cotangent of a loss, by its name: a number on entry. */
static bool is_loss(kg_buffer_info info, uint64_t count) {
  return count == 1 && tool_type_is_float(info.type) && info.mode != KG_WRITE && strncmp(info.name, "grad_", 5) == 0;
}

static bool is_unit(const tool_data *d, uint32_t i, const tool_data_params *params) {
  bool loss = params->unit_cotangents && is_loss(kg_module_buffer(d->module, i), d->host.length[i]);
  return d->source[i] == TOOL_SOURCE_ONES || (loss && d->source[i] == TOOL_SOURCE_DEFAULT);
}

static void fill_ones(tool_array *a) {
  for (uint64_t k = 0; k < a->count; k++) tool_value_store(a->type, a->data, k, tool_value_of_number(a->type, 1));
}

static bool fill(tool_data *d, uint32_t i, const tool_data_params *params, const kg_sink *sink) {
  kg_buffer_info info = kg_module_buffer(d->module, i);
  if (info.mode == KG_WRITE || d->source[i] == TOOL_SOURCE_ZEROS) return true;
  if (is_unit(d, i, params)) return fill_ones(&d->array[i]), true;
  return kg_module_random(d->module, &d->host, i, params->seed, sink, d->array[i].data) == KG_OK;
}

static bool is_left_to_verify(const tool_data *d, uint32_t i, const tool_data_params *params) {
  return params->for_verify && (d->source[i] == TOOL_SOURCE_DEFAULT || d->source[i] == TOOL_SOURCE_RANDOM);
}

static bool make_array(tool_data *d, uint32_t i, const tool_data_params *params, const kg_sink *sink) {
  kg_buffer_info info = kg_module_buffer(d->module, i);
  tool_array *a = &d->array[i];
  uint64_t count = d->host.length[i];
  if (d->source[i] == TOOL_SOURCE_ARRAY) return settle_shape(d, i, sink);
  *a = (tool_array){.type = info.type, .dims = 1, .shape = {count}, .count = count};
  if (!settle_shape(d, i, sink)) return false;
  if (info.mode == KG_TEMP || is_left_to_verify(d, i, params)) return true;
  if (count > SIZE_MAX / 16) return TOOL_EMIT(sink, out_of_memory, NULL, NULL), false;
  a->size = (size_t)count * kg_type_size(info.type);
  a->data = calloc(a->size ? a->size : 1, 1);
  if (!a->data) return TOOL_EMIT(sink, out_of_memory, NULL, NULL), false;
  return fill(d, i, params, sink);
}

static bool make_room(const kg_module *module, const kg_sink *sink, tool_data *d) {
  size_t buffers = kg_module_buffer_count(module) + (size_t)1, params = kg_module_param_count(module) + (size_t)1;
  *d = (tool_data){.module = module};
  d->array = calloc(buffers, sizeof *d->array);
  d->source = calloc(buffers, sizeof *d->source);
  d->host = (kg_host){.param = calloc(params, sizeof *d->host.param),
                      .param_given = calloc(params, sizeof *d->host.param_given),
                      .length = calloc(buffers, sizeof *d->host.length),
                      .length_given = calloc(buffers, sizeof *d->host.length_given)};
  if (d->array && d->source && d->host.param && d->host.param_given && d->host.length && d->host.length_given) return true;
  TOOL_EMIT(sink, out_of_memory, NULL, NULL);
  return false;
}

bool tool_data_make(const kg_module *module, const tool_data_params *params, const kg_sink *sink, tool_data *d) {
  if (!make_room(module, sink, d)) return false;
  for (size_t i = 0; i < params->params.count; i++)
    if (!take_param(d, params->params.items[i], sink)) return false;
  for (size_t i = 0; i < params->in.count; i++)
    if (!take_array(d, params->in.items[i], sink)) return false;
  kg_status status = params->for_verify ? kg_verify_resolve(module, &d->host, sink) : kg_module_resolve(module, &d->host, sink);
  if (status != KG_OK) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(module); i++)
    if (!make_array(d, i, params, sink)) return false;
  return true;
}

/* "a, b, c" of the buffers that were filled with random values, or with a cotangent's 1; "" for none. */
static void list_taken(const tool_data *d, const tool_data_params *params, bool unit, char out[200]) {
  size_t used = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module) && used + 40 < 200; i++) {
    kg_buffer_info info = kg_module_buffer(d->module, i);
    bool input = (info.mode == KG_READ || info.mode == KG_READ_WRITE) && d->host.length[i];
    if (!input || d->source[i] != TOOL_SOURCE_DEFAULT || is_unit(d, i, params) != unit) continue;
    used += (size_t)snprintf(out + used, 200 - used, "%s%.32s", used ? ", " : "", info.name);
  }
}

void tool_data_say(const tool_data *d, const tool_data_params *params, const kg_sink *sink) {
  char names[200];
  list_taken(d, params, true, names);
  if (*names) TOOL_EMIT(sink, unit_cotangent, NULL, names);
  list_taken(d, params, false, names);
  if (*names) TOOL_EMIT(sink, random_data, NULL, names, TOOL_NUM(params->seed));
}

void tool_data_free(tool_data *d) {
  for (uint32_t i = 0; d->array && i < kg_module_buffer_count(d->module); i++) tool_array_free(&d->array[i]);
  free(d->array);
  free(d->source);
  free(d->host.param);
  free(d->host.param_given);
  free(d->host.length);
  free(d->host.length_given);
  *d = (tool_data){0};
}
