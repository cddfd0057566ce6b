#include "c/pieces.h"

#include <stdint.h>
#include <string.h>

typedef struct piece { const char *text; uint16_t needs[16]; } piece;
typedef struct name { const char *text; uint16_t piece; } name;

#define LIST(...) {__VA_ARGS__}

static const piece pieces[] = {
#define NAME(text, piece)
#define NAMELESS(piece)
#define PIECE(needs, text) {text, LIST needs},
#include "c/runtime.inc"
#undef NAME
#undef PIECE
};
static const name names[] = {
#define NAME(text, piece) {text, piece},
#define PIECE(needs, text)
#include "c/runtime.inc"
#undef NAME
#undef NAMELESS
};
static const uint16_t nameless[] = {
#define NAME(text, piece)
#define NAMELESS(piece) piece,
#include "c/runtime.inc"
};

enum { PIECES = sizeof pieces / sizeof *pieces, NAMES = sizeof names / sizeof *names, SLOTS = 1024 };
_Static_assert(NAMES * 2 <= SLOTS, "the table of names is to stay sparse");

/* By hash: 1 + a name's number; 0: free. */
typedef struct index { uint16_t slot[SLOTS]; } index;

static bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t length_of_name(const char *at, const char *end) {
  const char *from = at;
  while (at < end && is_part_of_name(*at)) at++;
  return (size_t)(at - from);
}

/* Where the name is, or belongs. */
static uint16_t *find(index *ix, const char *text, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  for (uint32_t i = hash ^ hash >> 15;; i++) {
    uint16_t *slot = &ix->slot[i % SLOTS];
    const char *other = *slot ? names[*slot - 1].text : NULL;
    if (!other || (strlen(other) == length && !memcmp(other, text, length))) return slot;
  }
}

static void take_named(index *ix, const kgi_c_text *body, bool *taken) {
  const char *end = body->at + body->size;
  for (const char *at = body->at; at < end;) {
    size_t length = length_of_name(at, end);
    bool ours = length > 3 && (at[0] | 32) == 'k' && (at[1] | 32) == 'g' && at[2] == '_';
    uint16_t *slot = ours ? find(ix, at, length) : NULL;
    if (slot && *slot) taken[names[*slot - 1].piece] = true;
    at += length ? length : 1;
  }
}

void kgi_c_pieces(kgi_c_text *out, const kgi_c_text *body) {
  index ix = {{0}};
  bool taken[PIECES] = {false};
  for (uint16_t i = 0; i < NAMES; i++) *find(&ix, names[i].text, strlen(names[i].text)) = (uint16_t)(i + 1);
  for (size_t i = 0; i < sizeof nameless / sizeof *nameless; i++) taken[nameless[i]] = true;
  take_named(&ix, body, taken);
  /* What a piece needs stands above it. */
  for (size_t i = PIECES; i-- > 0;)
    for (const uint16_t *need = pieces[i].needs; taken[i] && *need; need++) taken[*need] = true;
  for (size_t i = 0; i < PIECES; i++)
    if (taken[i]) kgi_c_put(out, "%s\n", pieces[i].text);
}
