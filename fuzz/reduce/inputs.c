/* Inputs: what arrays hold, and which gradient is asked for. */
#include "fuzz/reduce/edits.h"

#include "foundation/host/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

/* Element k in the place of `x`, by the way; NaN: it stays. */
static double plainer(unsigned way, uint64_t k, double x) {
  switch (way) {
  case 0: return 0;
  case 1: return 1;
  case 2: return (double)(k + 1);
  case 3: return isfinite(x) ? rint(x) : (double)NAN;
  case 4: return isfinite(x) ? rint(x * 4) / 4 : (double)NAN;
  default: return isfinite(x) ? rint(x * 100) / 100 : (double)NAN;
  }
}

enum { ARRAY_WAYS = 6 };

/* How plain it is: less is plainer. */
static double weight_of(const kgi_case_array *a) {
  double sum = 0;
  for (uint64_t k = 0; k < a->count; k++) {
    double x = kgi_value_number(a->type, kg_value_load(a->type, a->data, k));
    sum += x == 0 ? 0 : x == 1 ? 1 : !isfinite(x) ? 20 : x == rint(x) && fabs(x) < 100 ? 2 : x * 4 == rint(x * 4) ? 3 : fabs(x) < 100 &&
      fabs(x * 100 - rint(x * 100)) < 1e-4 ? 4 : 6;
  }
  return sum;
}

static void change_array(kgi_case_array *a, uint64_t from, uint64_t to, unsigned way) {
  for (uint64_t k = from; k < to && k < a->count; k++) {
    double x = plainer(way, k, kgi_value_number(a->type, kg_value_load(a->type, a->data, k)));
    if (!isnan(x)) kg_value_store(a->type, a->data, k, kgi_value_of_number(a->type, x));
  }
}

static bool try_array(kgi_reducer *r, uint32_t i, uint64_t from, uint64_t to, unsigned way) {
  kgi_case c;
  kgi_builder b;
  double weight = weight_of(&r->best->array[i]);
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  change_array(&c.array[i], from, to, way);
  if (weight_of(&c.array[i]) < weight) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

/* All of it, or piece by piece. */
static bool plain_array(kgi_reducer *r, uint32_t i) {
  uint64_t count = r->best->array[i].count;
  for (unsigned way = 0; way < ARRAY_WAYS; way++)
    if (try_array(r, i, 0, count, way)) return true;
  bool changed = false;
  for (uint64_t piece = count / 2; piece > 0 && count / piece <= 64; piece /= 2)
    for (uint64_t from = 0; from < count && !kgi_is_late(r); from += piece)
      for (unsigned way = 0; way < ARRAY_WAYS; way++) changed |= try_array(r, i, from, from + piece, way);
  return changed;
}

/* What no buffer of the module holds, nor any shadow of one, is not needed; no array is longer than its buffer. */
static bool drop_arrays(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t i = r->best->arrays; i-- > 0;) {
    kgi_case c;
    kgi_builder b;
    const char *name = r->best->array[i].name;
    bool there = kg_module_find_buffer(r->best->module, name) != UINT32_MAX || kg_module_find_param(r->best->module, name) != UINT32_MAX;
    if (!strncmp(name, "grad_", 5) || !strncmp(name, "tan_", 4))
      name += name[0] == 'g' ? 5 : 4, there |= kg_module_find_buffer(r->best->module, name) != UINT32_MAX ||
        kg_module_find_param(r->best->module, name) != UINT32_MAX;
    if (there || !kgi_begin_edit(r, &c, &b, 0)) continue;
    free(c.array[i].name), free(c.array[i].data);
    c.array[i] = c.array[--c.arrays];
    changed |= kgi_try(r, &c);
  }
  return changed;
}

/* As long as the buffer is. */
static bool trim_array(kgi_reducer *r, uint32_t i) {
  uint64_t count = r->best->array[i].count;
  bool changed = false;
  for (uint64_t wanted = 1; wanted < count && !kgi_is_late(r); wanted *= 2) {
    kgi_case c;
    kgi_builder b;
    if (!kgi_begin_edit(r, &c, &b, 0)) return changed;
    c.array[i].count = wanted;
    if (kgi_try(r, &c)) return true;
  }
  return changed;
}

/* ---- the gradient ---- */

static void drop_name(char **names, uint32_t *count, uint32_t i) {
  free(names[i]);
  names[i] = names[--*count];
  names[*count] = NULL;
}

static bool drop_names(kgi_reducer *r, bool of) {
  bool changed = false;
  for (uint32_t i = of ? r->best->of_count : r->best->wrt_count; i-- > 0 && !kgi_is_late(r);) {
    kgi_case c;
    kgi_builder b;
    if ((of ? r->best->of_count : r->best->wrt_count) < 2 || !kgi_begin_edit(r, &c, &b, 0)) continue;
    drop_name(of ? c.of : c.wrt, of ? &c.of_count : &c.wrt_count, i);
    changed |= kgi_try(r, &c);
  }
  return changed;
}

static bool plain_question(kgi_reducer *r) {
  bool changed = false;
  for (unsigned way = 0; way < 3; way++) {
    kgi_case c;
    kgi_builder b;
    if (!kgi_begin_edit(r, &c, &b, 0)) return changed;
    bool wanted = way == 0 ? c.accumulate : way == 1 ? c.deterministic : c.directions > 1;
    if (way == 0) c.accumulate = false;
    if (way == 1) c.deterministic = false;
    if (way == 2) c.directions = 1;
    if (wanted) changed |= kgi_try(r, &c);
    else kgi_case_free(&c);
  }
  return changed;
}

bool kgi_reduce_inputs(kgi_reducer *r) {
  bool changed = plain_question(r);
  changed |= drop_names(r, true);
  changed |= drop_names(r, false);
  changed |= drop_arrays(r);
  for (uint32_t i = 0; i < r->best->arrays && !kgi_is_late(r); i++) {
    changed |= trim_array(r, i);
    changed |= plain_array(r, i);
  }
  return changed;
}

/* ---- names ---- */

/* Arrays, shadows and questions follow. */
static void follow(char **name, const char *from, const char *to) {
  static const char *const prefixes[] = {"", "grad_", "tan_"};
  char text[200];
  for (unsigned k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%s%.150s", prefixes[k], from);
    if (strcmp(*name, text)) continue;
    snprintf(text, sizeof text, "%s%s", prefixes[k], to);
    char *made = strdup(text);
    if (made) free(*name), *name = made;
    return;
  }
}

/* All at once: a name may be another's new one. */
void kgi_rename_in_case(kgi_case *c, const kgi_renaming *all, uint32_t count) {
  for (uint32_t i = 0; i < c->arrays + c->of_count + c->wrt_count; i++) {
    uint32_t k = i - c->arrays;
    char **name = i < c->arrays ? &c->array[i].name : k < c->of_count ? &c->of[k] : &c->wrt[k - c->of_count], *before = *name;
    for (uint32_t n = 0; n < count && *name == before; n++) follow(name, all[n].from, all[n].to);
  }
}
