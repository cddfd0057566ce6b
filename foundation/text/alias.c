#include "foundation/text/alias.h"

#include <stdio.h>
#include <string.h>

static const kgi_alias rows[] = {
#define ALIAS(word, kind, text) {word, KGI_ALIAS_##kind, text},
#include "foundation/text/aliases.def"
};

const kgi_alias *kgi_alias_rows(size_t *count) {
  *count = sizeof rows / sizeof *rows;
  return rows;
}

static const kgi_hint hints[] = {
#define HINT(kind, expected, found, fix, wrong, right) {KGI_ALIAS_##kind, expected, found, fix, wrong, right},
#include "foundation/text/hints.def"
};

const kgi_hint *kgi_hint_rows(size_t *count) {
  *count = sizeof hints / sizeof *hints;
  return hints;
}

/* The row's spelling ends where the token does, and may begin in front of it. */
static bool is_spelled(const char *spelling, const char *from, const char *found, size_t length) {
  size_t all = strlen(spelling);
  return all >= length && (size_t)(found - from) >= all - length && !memcmp(found + length - all, spelling, all);
}

const char *kgi_hint_for(const char *expected, const char *from, const char *found, size_t length, bool name) {
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    const kgi_hint *row = &hints[i];
    bool any = !strcmp(row->found, "anything") || (name && !strcmp(row->found, "a name"));
    if (!strcmp(row->expected, expected) && (any || (length && is_spelled(row->found, from, found, length)))) return row->fix;
  }
  return NULL;
}

static const kgi_alias *find(const char *word, size_t length) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strncmp(rows[i].word, word, length) && !rows[i].word[length]) return &rows[i];
  return NULL;
}

bool kgi_alias_tell(kgi_diags *diags, const char *word, size_t length, char component, bool begins, kgi_pos pos) {
  const kgi_alias *row = find(word, length);
  char text[128];
  if (!row) return false;
  size_t n = (size_t)snprintf(text, sizeof text, "%s", row->text);
  bool has_component = n > 2 && !strcmp(text + n - 2, ".x");
  if (has_component && component >= 'x' && component <= 'z') text[n - 1] = component;
  if (row->kind == KGI_ALIAS_TYPE && begins)
    snprintf(text, sizeof text, "let v = ..., or var v : %s = ... if it changes", row->text);
  KGI_DIAG(diags, foreign_word, pos, row->word, text);
  return true;
}
