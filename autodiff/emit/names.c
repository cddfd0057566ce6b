/* Names that nothing in the result uses yet. */
#include "autodiff/emit/emit.h"

#include <stdio.h>
#include <string.h>

static bool room(kgi_ad *a, uint32_t string) {
  if (string < a->name_cap) return true;
  uint32_t wanted = a->name_cap ? a->name_cap : 256;
  while (wanted <= string) wanted *= 2;
  uint32_t *grown = kgi_arena_alloc(&a->scratch, wanted, sizeof *grown);
  if (!grown) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  if (a->name_cap) memcpy(grown, a->name_used, a->name_cap * sizeof *grown);
  a->name_used = grown;
  a->name_cap = wanted;
  return true;
}

static void use(kgi_ad *a, kgi_str in_work) {
  const char *text = kgi_string(a->work, in_work);
  if (!*text) return;
  uint32_t string = kgi_intern_z(a->b->m, text).i;
  if (room(a, string)) a->name_used[string] = 1;
}

/* The names of the primal; of the emitted program nothing exists yet. */
void kgi_ad_use_names(kgi_ad *a) {
  const kgi_scope *s = &a->p->scope;
  for (uint32_t i = 1; i < s->object_count; i++) use(a, s->object[i].name);
  for (uint32_t i = 1; i < s->param_count; i++) use(a, s->param[i].name);
  for (uint32_t i = 1; i < s->spec_count; i++) use(a, s->spec[i].name);
  for (uint32_t i = 1; i < a->p->inst_count; i++) use(a, a->p->inst_name[i]);
}

static uint32_t string_of(kgi_ad *a, const char *prefix, const char *base, uint32_t suffix) {
  char text[200], number[16] = "";
  if (suffix) snprintf(number, sizeof number, "_%u", suffix);
  snprintf(text, sizeof text, "%s%.150s%s", prefix, base, number);
  uint32_t string = kgi_intern_z(a->b->m, text).i;
  if (string && room(a, string)) return string;
  return kgi_ad_fail(a, KG_NO_MEMORY), 0;
}

/* Names are kept short enough for the suffix; a name that was cut still stands for one thing only. The search goes on where the last
 * one for the same name ended. */
const char *kgi_ad_free_name(kgi_ad *a, const char *prefix, const char *base) {
  uint32_t plain = string_of(a, prefix, base, 0), string = plain;
  while (string && a->name_used[string]) string = string_of(a, prefix, base, a->name_used[plain]++);
  if (!string) return "";
  a->name_used[string] = 1;
  return kgi_string(a->b->m, (kgi_str){string});
}
