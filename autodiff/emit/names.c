/* Names that nothing in the result uses yet. */
#include "autodiff/emit/emit.h"

#include <stdio.h>
#include <string.h>

static bool room(kgi_emission *e, uint32_t string) {
  if (string < e->name_cap) return true;
  uint32_t wanted = e->name_cap ? e->name_cap : 256;
  while (wanted <= string) wanted *= 2;
  uint32_t *grown = kgi_arena_alloc(e->scratch, wanted, sizeof *grown);
  if (!grown) return kgi_emission_fail(e, KG_NO_MEMORY), false;
  if (e->name_cap) memcpy(grown, e->name_used, e->name_cap * sizeof *grown);
  e->name_used = grown;
  e->name_cap = wanted;
  return true;
}

static void use(kgi_emission *e, kgi_str in_work) {
  const char *text = kgi_string(e->f->work, in_work);
  if (!*text) return;
  uint32_t string = kgi_intern_z(e->b->m, text).i;
  if (room(e, string)) e->name_used[string] = 1;
}

/* The names of the primal; of the emitted program nothing exists yet. */
void kgi_ad_use_names(kgi_emission *e) {
  const kgi_scope *s = &e->p->scope;
  for (uint32_t i = 1; i < s->object_count && i < e->f->made_from; i++) use(e, s->object[i].name);
  for (uint32_t i = 1; i < s->param_count; i++) use(e, s->param[i].name);
  for (uint32_t i = 1; i < s->spec_count; i++) use(e, s->spec[i].name);
  for (uint32_t i = 1; i < e->p->inst_count; i++) use(e, e->p->inst_name[i]);
}

static uint32_t string_of(kgi_emission *e, const char *prefix, const char *base, uint32_t suffix) {
  char text[200], number[16] = "";
  if (suffix) snprintf(number, sizeof number, "_%u", suffix);
  snprintf(text, sizeof text, "%s%.150s%s", prefix, base, number);
  uint32_t string = kgi_intern_z(e->b->m, text).i;
  if (string && room(e, string)) return string;
  return kgi_emission_fail(e, KG_NO_MEMORY), 0;
}

/* Names are kept short enough for the suffix; a name that was cut still stands for one thing only. The search goes on where the last
 * one for the same name ended. */
const char *kgi_ad_free_name(kgi_emission *e, const char *prefix, const char *base) {
  uint32_t plain = string_of(e, prefix, base, 0), string = plain;
  while (string && e->name_used[string]) string = string_of(e, prefix, base, e->name_used[plain]++);
  if (!string) return "";
  e->name_used[string] = 1;
  return kgi_string(e->b->m, (kgi_str){string});
}
