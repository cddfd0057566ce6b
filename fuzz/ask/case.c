#include "fuzz/ask/case.h"

#include "foundation/ir/copy.h"

#include <stdlib.h>
#include <string.h>

static void free_names(char **names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) free(names[i]);
  free(names);
}

void kgi_case_free(kgi_case *c) {
  for (uint32_t i = 0; i < c->arrays; i++) free(c->array[i].name), free(c->array[i].data);
  free(c->array);
  free_names(c->of, c->of_count), free_names(c->wrt, c->wrt_count);
  kg_module_free(c->module);
  *c = (kgi_case){0};
}

bool kgi_case_take_module(kgi_case *c, const kg_module *m) {
  kg_module *copy = kgi_module_copy(NULL, m);
  if (!copy) return false;
  kg_module_free(c->module);
  c->module = copy;
  return true;
}

const kgi_case_array *kgi_case_find(const kgi_case *c, const char *name) {
  for (uint32_t i = 0; i < c->arrays; i++)
    if (!strcmp(c->array[i].name, name)) return &c->array[i];
  return NULL;
}

static kgi_case_array *place_for(kgi_case *c, const char *name) {
  for (uint32_t i = 0; i < c->arrays; i++)
    if (!strcmp(c->array[i].name, name)) return &c->array[i];
  if (c->arrays == c->array_cap) {
    uint32_t cap = c->array_cap ? 2 * c->array_cap : 16;
    kgi_case_array *grown = realloc(c->array, cap * sizeof *grown);
    if (!grown) return NULL;
    c->array = grown, c->array_cap = cap;
  }
  char *copy = strdup(name);
  if (!copy) return NULL;
  c->array[c->arrays] = (kgi_case_array){.name = copy};
  return &c->array[c->arrays++];
}

bool kgi_case_set(kgi_case *c, const char *name, kg_type type, uint64_t count, const void *data) {
  size_t size = (size_t)count * kg_type_size(type);
  kgi_case_array *a = place_for(c, name);
  void *copy = a ? malloc(size + 1) : NULL;
  if (!copy) return false;
  memcpy(copy, data, size);
  free(a->data);
  a->type = type, a->count = count, a->data = copy;
  return true;
}

static bool copy_names(char ***to, uint32_t *count, const char *const *from, size_t wanted) {
  char **names = calloc(wanted + 1, sizeof *names);
  bool fine = names;
  for (size_t i = 0; fine && i < wanted; i++) fine = (names[i] = strdup(from[i]));
  if (!fine) {
    if (names) free_names(names, (uint32_t)wanted);
    return false;
  }
  free_names(*to, *count);
  *to = names, *count = (uint32_t)wanted;
  return true;
}

bool kgi_case_ask(kgi_case *c, const char *const *of, size_t of_count, const char *const *wrt, size_t wrt_count) {
  return copy_names(&c->of, &c->of_count, of, of_count) && copy_names(&c->wrt, &c->wrt_count, wrt, wrt_count);
}

bool kgi_case_copy(kgi_case *to, const kgi_case *from) {
  *to = (kgi_case){.accumulate = from->accumulate, .deterministic = from->deterministic, .generated = from->generated};
  to->directions = from->directions, to->seed = from->seed;
  bool fine = kgi_case_take_module(to, from->module) && kgi_case_ask(to, (const char *const *)from->of, from->of_count,
                                                                     (const char *const *)from->wrt, from->wrt_count);
  for (uint32_t i = 0; fine && i < from->arrays; i++)
    fine = kgi_case_set(to, from->array[i].name, from->array[i].type, from->array[i].count, from->array[i].data);
  if (!fine) kgi_case_free(to);
  return fine;
}

/* ---- bytes ---- */

bool kgi_case_pack(const kgi_case *c, kgi_message *to) {
  uint8_t *module = NULL;
  size_t size = 0;
  if (kg_module_encode(NULL, c->module, NULL, &module, &size) != KG_OK) return false;
  kgi_put_block(to, module, size);
  kg_bytes_free(NULL, module, size);
  kgi_put_number(to, c->seed), kgi_put_number(to, c->accumulate), kgi_put_number(to, c->deterministic), kgi_put_number(to, c->directions);
  kgi_put_number(to, c->generated);
  kgi_put_number(to, c->of_count), kgi_put_number(to, c->wrt_count), kgi_put_number(to, c->arrays);
  for (uint32_t i = 0; i < c->of_count; i++) kgi_put_text(to, c->of[i]);
  for (uint32_t i = 0; i < c->wrt_count; i++) kgi_put_text(to, c->wrt[i]);
  for (uint32_t i = 0; i < c->arrays; i++) {
    const kgi_case_array *a = &c->array[i];
    kgi_put_text(to, a->name);
    kgi_put_number(to, a->type), kgi_put_number(to, a->count);
    kgi_put_block(to, a->data, (size_t)a->count * kg_type_size(a->type));
  }
  return !to->failed;
}

static bool read_arrays(kgi_reading *r, kgi_case *c, uint64_t arrays) {
  for (uint64_t i = 0; i < arrays && !r->failed; i++) {
    const char *name = kgi_get_text(r);
    kg_type type = (kg_type)kgi_get_number(r);
    uint64_t count = kgi_get_number(r);
    size_t size;
    const uint8_t *data = kgi_get_block(r, &size);
    if (r->failed || size != count * kg_type_size(type) || !kgi_case_set(c, name, type, count, data)) return false;
  }
  return !r->failed;
}

enum { MOST_NAMES = 1000 };

static bool read_names(kgi_reading *r, kgi_case *c, uint64_t of, uint64_t wrt) {
  const char *names[2 * MOST_NAMES];
  if (of > MOST_NAMES || wrt > MOST_NAMES) return false;
  for (uint64_t i = 0; i < of + wrt; i++) names[i] = kgi_get_text(r);
  return !r->failed && kgi_case_ask(c, names, of, names + of, wrt);
}

bool kgi_case_unpack(kgi_case *c, kgi_reading *r) {
  size_t size;
  const uint8_t *module = kgi_get_block(r, &size);
  *c = (kgi_case){0};
  if (!module || kg_module_decode(NULL, "case", module, size, NULL, &c->module) != KG_OK) return false;
  c->seed = kgi_get_number(r), c->accumulate = kgi_get_number(r), c->deterministic = kgi_get_number(r);
  c->directions = (uint32_t)kgi_get_number(r), c->generated = kgi_get_number(r);
  uint64_t of = kgi_get_number(r), wrt = kgi_get_number(r), arrays = kgi_get_number(r);
  if (!r->failed && read_names(r, c, of, wrt) && read_arrays(r, c, arrays)) return true;
  kgi_case_free(c);
  return false;
}
