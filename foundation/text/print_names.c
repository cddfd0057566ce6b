#include "foundation/text/print.h"
#include "foundation/base/set.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 200 };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool kgi_legal_name(const char *text) {
  size_t n = strlen(text);
  if (!is_letter(text[0]) || !kgi_is_free_word(kgi_word_find(text, n))) return false;
  for (size_t i = 0; i < n; i++)
    if (!is_letter(text[i]) && !is_digit(text[i])) return false;
  return true;
}

const char *kgi_label(kgi_printer *t, const char *text) {
  if (kgi_legal_name(text)) return text;
  size_t n = strnlen(text, LONGEST);
  char *copy = kgi_arena_alloc(&t->scratch, n + 3, 1), *p = copy;
  if (!copy) return "";
  if (!is_letter(text[0])) *p++ = '_';
  for (size_t i = 0; i < n; i++) *p++ = is_letter(text[i]) || is_digit(text[i]) ? text[i] : '_';
  if (!kgi_is_free_word(kgi_word_find(copy, (size_t)(p - copy)))) *p++ = '_';
  return copy;
}

/* ---- names in use ---- */

typedef struct query { const kgi_printer *t; const char *text; } query;

static bool same(const void *context, uint32_t index) {
  const query *q = context;
  return !strcmp(q->t->used[index].text, q->text);
}

static uint64_t rehash(const void *owner, uint32_t index) {
  const char *text = ((const kgi_printer *)owner)->used[index].text;
  return kgi_hash(text, strlen(text));
}

/* Its entry; 0: out of memory. `text` must live as long as the printer. */
static uint32_t entry(kgi_printer *t, const char *text) {
  query q = {t, text};
  uint32_t found = kgi_set_find(&t->used_set, kgi_hash(text, strlen(text)), same, &q);
  if (found) return found;
  if (t->used_count == 0 && kgi_arena_grow(&t->scratch, &t->used, 0, &t->used_cap, sizeof *t->used)) t->used_count = 1;
  if (!kgi_arena_grow(&t->scratch, &t->used, t->used_count, &t->used_cap, sizeof *t->used)) return 0;
  found = t->used_count;
  t->used[found] = (kgi_used_name){.text = text, .next = 1};
  t->used_count++;
  return kgi_set_add(&t->scratch, &t->used_set, found, rehash, t) ? found : 0;
}

static const char *take(kgi_printer *t, uint32_t index) {
  if (!index || !kgi_arena_grow(&t->scratch, &t->open, t->open_count, &t->open_cap, sizeof *t->open)) return "";
  t->used[index].visible++;
  t->open[t->open_count++] = index;
  return t->used[index].text;
}

/* Numbers go up within a program, so that a search never starts over. A name and a number may be a word: u8, atan2. */
static const char *numbered(kgi_printer *t, uint32_t base, const char *between) {
  while (base && !t->scratch.failed) {
    char text[LONGEST + 40];
    int n = snprintf(text, sizeof text, "%.*s%s%u", LONGEST, t->used[base].text, between, t->used[base].next++);
    char *copy = kgi_arena_strdup(&t->scratch, text, (size_t)n);
    if (copy && !kgi_is_free_word(kgi_word_find(copy, (size_t)n))) continue;
    uint32_t index = copy ? entry(t, copy) : 0;
    if (index && !t->used[index].visible) return take(t, index);
  }
  return "";
}

const char *kgi_claim_name(kgi_printer *t, const char *wanted, const char *fallback) {
  uint32_t index = entry(t, kgi_label(t, *wanted ? wanted : fallback));
  if (index && t->used[index].visible) return numbered(t, index, "_");
  return take(t, index);
}

const char *kgi_claim_numbered(kgi_printer *t, const char *base) {
  size_t n = strlen(base);
  return numbered(t, entry(t, base), n && is_digit(base[n - 1]) ? "_" : "");
}

void kgi_release_names(kgi_printer *t, uint32_t mark) {
  while (t->open_count > mark) t->used[t->open[--t->open_count]].visible--;
}
