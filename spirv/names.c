/* Names and lines of the source: debuggers, and whoever makes source of a module, then show the kernel as it was written. */
#include "spirv/emit.h"

#include <stdio.h>

void kgi_emit_name(kgi_emit *e, uint32_t id, const char *text) {
  if (e->params->names && *text) kgi_spv_text(&e->s, &e->s.debug, SpvOpName, &id, 1, text, NULL, 0);
}

void kgi_emit_member_name(kgi_emit *e, uint32_t type, uint32_t member, const char *before, const char *text) {
  char whole[KGI_EMIT_NAME];
  snprintf(whole, sizeof whole, "%s%s", before, text);
  if (e->params->names) kgi_spv_text(&e->s, &e->s.debug, SpvOpMemberName, KGI_WORDS(type, member), whole, NULL, 0);
}

void kgi_emit_type_name(kgi_emit *e, uint32_t type, const char *what, const char *kind) {
  char whole[KGI_EMIT_NAME];
  snprintf(whole, sizeof whole, "%s_%s", what, kind);
  kgi_emit_name(e, type, whole);
}

void kgi_emit_file(kgi_emit *e) {
  if (!e->params->names || !e->m->file) return;
  e->file = kgi_spv_id(&e->s);
  kgi_spv_text(&e->s, &e->s.debug, SpvOpString, &e->file, 1, e->m->file, NULL, 0);
}

/* A line holds to the end of its block of instructions, or to the next one. */
void kgi_emit_line(kgi_emit *e, kgi_pos pos) {
  if (!e->file || !e->s.label || (e->line_label == e->s.label && e->line == pos)) return;
  if (pos) KGI_STMT(&e->s, SpvOpLine, e->file, kgi_pos_line(pos), kgi_pos_column(pos));
  else if (e->line_label == e->s.label) KGI_STMT(&e->s, SpvOpNoLine);
  e->line = pos, e->line_label = e->s.label;
}
