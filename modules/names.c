/* Names that nothing in a program uses yet. */
#include "modules/modules.h"

#include <stdio.h>
#include <string.h>

static bool room(kgi_names *n, uint32_t string) {
  if (string < n->cap) return true;
  uint32_t wanted = n->cap ? n->cap : 256;
  while (wanted <= string) wanted *= 2;
  uint32_t *grown = kgi_arena_alloc(n->arena, wanted, sizeof *grown);
  if (!grown) return false;
  if (n->cap) memcpy(grown, n->used, n->cap * sizeof *grown);
  n->used = grown;
  n->cap = wanted;
  return true;
}

static void use(kgi_names *n, const char *text) {
  if (!*text) return;
  uint32_t string = kgi_intern_z(n->m, text).i;
  if (room(n, string)) n->used[string] = 1;
}

void kgi_names_use(kgi_names *n, const kg_module *of, const kgi_program *p, uint32_t objects) {
  const kgi_scope *s = &p->scope;
  for (uint32_t i = 1; i < objects; i++) use(n, kgi_string(of, s->object[i].name));
  for (uint32_t i = 1; i < s->param_count; i++) use(n, kgi_string(of, s->param[i].name));
  for (uint32_t i = 1; i < s->spec_count; i++) use(n, kgi_string(of, s->spec[i].name));
  for (uint32_t i = 1; i < p->inst_count; i++) use(n, kgi_string(of, p->inst_name[i]));
}

static uint32_t string_of(kgi_names *n, const char *prefix, const char *base, uint32_t suffix) {
  char text[200], number[16] = "";
  if (suffix) snprintf(number, sizeof number, "_%u", suffix);
  snprintf(text, sizeof text, "%s%.150s%s", prefix, base, number);
  uint32_t string = kgi_intern_z(n->m, text).i;
  return string && room(n, string) ? string : 0;
}

/* Names are kept short enough for the suffix; a name that was cut still stands for one thing only. The search goes on where the last
 * one for the same name ended. What has no name becomes v. */
kgi_str kgi_names_free(kgi_names *n, const char *prefix, const char *base) {
  if (!*prefix && !*base) base = "v";
  uint32_t plain = string_of(n, prefix, base, 0), string = plain;
  while (string && n->used[string]) string = string_of(n, prefix, base, n->used[plain]++);
  if (string) n->used[string] = 1;
  return (kgi_str){string};
}
