/* Runs a kernel on the reference, with the intervals in which a device's results may lie.
 *
 *     intervals KERNEL.kg SUBGROUP_SIZE NAME=FILE...
 *
 * There is a FILE for each buffer and each param, the bytes of its elements. What a buffer holds on exit replaces them, and
 * FILE.low and FILE.high get the bounds of its elements as doubles. The intervals are those of KG_BOUNDS_REAL: they hold what
 * any device may give, contracted or not. Where the reference cannot follow them (views of several types over one another), all are
 * NaN. */
#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct array { char *path; void *data; double *low, *high; uint64_t count; } array;

static _Noreturn void fail(const char *what, const char *which) {
  fprintf(stderr, "intervals: %s: %s\n", what, which);
  exit(2);
}

static void emit(void *user, const kg_diag *diag) {
  (void)user;
  fprintf(stderr, "intervals: %s [%s]\n", diag->message, diag->id);
}
static const kg_sink sink = {.emit = emit};

static void *need(void *memory) {
  if (!memory) fail("memory", "none left");
  return memory;
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("cannot be opened", path);
  long end = ftell(file);
  if (end < 0) fail("cannot be read", path);
  char *bytes = need(malloc((size_t)end + 1));
  rewind(file);
  if (fread(bytes, 1, (size_t)end, file) != (size_t)end) fail("cannot be read", path);
  fclose(file);
  *size = (size_t)end;
  return bytes;
}

static void write_file(const char *path, const char *suffix, const void *bytes, size_t size) {
  char *name = need(malloc(strlen(path) + strlen(suffix) + 1));
  strcat(strcpy(name, path), suffix);
  FILE *file = fopen(name, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail("cannot be written", name);
  free(name);
}

/* The arrays of the buffers and then those of the params, in the module's order. */
static array *read_arrays(const kg_module *m, char **word, size_t count) {
  uint32_t buffers = kg_module_buffer_count(m), all = buffers + kg_module_param_count(m);
  array *list = need(calloc(all ? all : 1, sizeof *list));
  for (size_t k = 0; k < count; k++) {
    char *path = strchr(word[k], '=');
    if (!path) fail("not NAME=FILE", word[k]);
    *path++ = 0;
    uint32_t i = kg_module_find_buffer(m, word[k]), p = kg_module_find_param(m, word[k]);
    if (i == UINT32_MAX && p == UINT32_MAX) fail("no buffer and no param", word[k]);
    array *a = &list[i != UINT32_MAX ? i : buffers + p];
    size_t size;
    *a = (array){.path = path, .data = read_file(path, &size)};
    a->count = size / kg_type_size(i != UINT32_MAX ? kg_module_buffer(m, i).type : kg_module_param(m, p).type);
    a->low = need(calloc(a->count + 1, sizeof *a->low));
    a->high = need(calloc(a->count + 1, sizeof *a->high));
  }
  for (uint32_t i = 0; i < all; i++)
    if (!list[i].data) fail("no array", i < buffers ? kg_module_buffer(m, i).name : kg_module_param(m, i - buffers).name);
  return list;
}

static void run(const kg_module *m, const array *list, uint32_t subgroup_size) {
  uint32_t buffers = kg_module_buffer_count(m), params = kg_module_param_count(m);
  void **data = need(calloc(buffers + 1, sizeof *data));
  uint64_t *length = need(calloc(buffers + 1, sizeof *length)), *bits = need(calloc(params + 1, sizeof *bits));
  double **low = need(calloc(buffers + 1, sizeof *low)), **high = need(calloc(buffers + 1, sizeof *high));
  for (uint32_t i = 0; i < buffers; i++) {
    data[i] = list[i].data, length[i] = list[i].count;
    low[i] = list[i].low, high[i] = list[i].high;
  }
  for (uint32_t i = 0; i < params; i++) bits[i] = kg_value_load(kg_module_param(m, i).type, list[buffers + i].data, 0);
  kg_reference_params with = {.module = m, .sink = &sink, .buffers = data, .lengths = length, .param_bits = bits,
                              .subgroup_size = subgroup_size, .bounds = KG_BOUNDS_REAL, .flush_subnormals = true,
                              .low = low, .high = high};
  kg_status status = kg_reference_run(&with, NULL);
  if (status == KG_REFUSED) {
    for (uint32_t i = 0; i < buffers; i++)
      for (uint64_t k = 0; k < list[i].count; k++) low[i][k] = high[i][k] = (double)NAN;
    with.bounds = KG_BOUNDS_NONE, with.low = with.high = NULL;
    status = kg_reference_run(&with, NULL);
  }
  if (status != KG_OK) fail("the reference", "does not run it");
  free(data), free(length), free(bits), free(low), free(high);
}

int main(int count, char **word) {
  if (count < 3) fail("usage", "intervals KERNEL.kg SUBGROUP_SIZE NAME=FILE...");
  size_t size;
  char *text = read_file(word[1], &size);
  kg_module *m;
  if (kg_module_parse(NULL, word[1], text, size, &sink, &m) != KG_OK) return 2;
  array *list = read_arrays(m, word + 3, (size_t)count - 3);
  run(m, list, (uint32_t)strtoul(word[2], NULL, 10));
  uint32_t buffers = kg_module_buffer_count(m), all = buffers + kg_module_param_count(m);
  for (uint32_t i = 0; i < all; i++) {
    if (i < buffers) {
      write_file(list[i].path, "", list[i].data, list[i].count * kg_type_size(kg_module_buffer(m, i).type));
      write_file(list[i].path, ".low", list[i].low, list[i].count * sizeof(double));
      write_file(list[i].path, ".high", list[i].high, list[i].count * sizeof(double));
    }
    free(list[i].data), free(list[i].low), free(list[i].high);
  }
  free(list);
  kg_module_free(m);
  free(text);
  return 0;
}
