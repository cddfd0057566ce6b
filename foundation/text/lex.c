#include "foundation/text/lex.h"
#include "foundation/ir/number.h"
#include "foundation/text/alias.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

#define ROW(text, class, index) {text, sizeof(text) - 1, {class, index}},
static const kgi_word_row words[] = {
#define OP(name, ...) ROW(#name, KGI_WORD_OP, KGI_OP_##name)
#include "foundation/ir/ops.def"
#define KEYWORD(name) ROW(#name, KGI_WORD_KEYWORD, KGI_KW_##name)
#include "foundation/text/punct.def"
#define TYPE(name, text, kind, bits, value) ROW(text, KGI_WORD_TYPE, KG_##name) ROW("bitcast_" text, KGI_WORD_BITCAST, KG_##name)
#include "foundation/ir/types.def"
#define ID(name, ...) ROW(#name, KGI_WORD_ID, KGI_ID_##name)
#define ATOMIC(name, ...) ROW("atomic_" #name, KGI_WORD_ATOMIC, KGI_ATOMIC_##name)
#define SUBGROUP(name, ...) ROW("subgroup_" #name, KGI_WORD_SUBGROUP, KGI_SUBGROUP_##name)
#include "foundation/ir/stmts.def"
};

/* Length and first byte tell nearly all apart, so that a miss costs a walk over one small table. */
kgi_word kgi_word_find(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].length == length && words[i].text[0] == text[0] && !memcmp(words[i].text, text, length)) return words[i].word;
  return (kgi_word){KGI_WORD_NONE, 0};
}

const kgi_word_row *kgi_word_rows(size_t *count) {
  *count = sizeof words / sizeof *words;
  return words;
}

/* ---- punctuation ---- */

static const char *const punct[] = {
  [KGI_TOK_END] = "the end of the text", [KGI_TOK_BAD] = "a stray byte", [KGI_TOK_NAME] = "a name", [KGI_TOK_INT] = "an integer",
  [KGI_TOK_FLOAT] = "a number", [KGI_TOK_STRING] = "a string",
#define PUNCT(name, text) [KGI_TOK_##name] = text,
#include "foundation/text/punct.def"
};

const char *kgi_tok_text(kgi_tok kind) { return punct[kind]; }

typedef struct punct_row { char text[4]; uint8_t length, kind; } punct_row;
static const punct_row puncts[] = {
#define PUNCT(name, text) {text, sizeof(text) - 1, KGI_TOK_##name},
#include "foundation/text/punct.def"
};

/* ---- characters ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_name(char c) { return is_name_start(c) || is_digit(c); }

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static char peek(const kgi_lexer *lx, size_t ahead) { return (size_t)(lx->end - lx->at) > ahead ? lx->at[ahead] : 0; }

static kgi_pos here(const kgi_lexer *lx) {
  size_t column = (size_t)(lx->at - lx->line_start) + 1;
  return kgi_pos_make(lx->line, column > UINT16_MAX ? UINT16_MAX : (uint32_t)column);
}

static void bad(kgi_lexer *lx) { lx->token.kind = KGI_TOK_BAD; }

/* The token's text for a message, cut where it is long. */
typedef struct excerpt { char text[48]; } excerpt;
static const char *shown(excerpt *e, const char *text, size_t length) {
  size_t n = length < sizeof e->text - 4 ? length : sizeof e->text - 4;
  memcpy(e->text, text, n);
  memcpy(e->text + n, n < length ? "..." : "", n < length ? 4 : 1);
  return e->text;
}

/* ---- numbers ---- */

static void literal_range(kgi_lexer *lx) {
  excerpt e;
  KGI_DIAG(lx->diags, literal_range, lx->token.pos, shown(&e, lx->token.text, lx->token.length), "any type");
  bad(lx);
}

/* Letters directly behind a number are a slip of the pen, not a name. */
static void finish_number(kgi_lexer *lx) {
  const char *start = lx->token.text;
  while (lx->at < lx->end && is_name(*lx->at)) lx->at++;
  excerpt e;
  KGI_DIAG(lx->diags, bad_number, lx->token.pos, shown(&e, start, (size_t)(lx->at - start)));
  bad(lx);
}

static void read_hex(kgi_lexer *lx) {
  uint64_t value = 0;
  bool fits = true;
  lx->at += 2;
  const char *digits = lx->at;
  for (int d; lx->at < lx->end && (d = hex_digit(*lx->at)) >= 0; lx->at++) {
    if (value >> 60) fits = false;
    value = value << 4 | (uint64_t)d;
  }
  lx->token.length = (uint32_t)(lx->at - lx->token.text);
  if (lx->at == digits || is_name(peek(lx, 0))) finish_number(lx);
  else if (!fits) literal_range(lx);
  lx->token.integer = value;
}

static void skip_digits(kgi_lexer *lx) {
  while (lx->at < lx->end && is_digit(*lx->at)) lx->at++;
}

static void read_exponent(kgi_lexer *lx) {
  size_t sign = peek(lx, 1) == '+' || peek(lx, 1) == '-';
  if ((peek(lx, 0) != 'e' && peek(lx, 0) != 'E') || !is_digit(peek(lx, 1 + sign))) return;
  lx->token.kind = KGI_TOK_FLOAT;
  lx->at += 1 + sign;
  skip_digits(lx);
}

static void read_number(kgi_lexer *lx) {
  kgi_token *t = &lx->token;
  t->kind = KGI_TOK_INT;
  if (peek(lx, 0) == '0' && (peek(lx, 1) == 'x' || peek(lx, 1) == 'X')) {
    read_hex(lx);
    return;
  }
  skip_digits(lx);
  if (peek(lx, 0) == '.' && is_digit(peek(lx, 1))) { /* not the dots of a range */
    t->kind = KGI_TOK_FLOAT;
    lx->at++;
    skip_digits(lx);
  }
  read_exponent(lx);
  t->length = (uint32_t)(lx->at - t->text);
  bool lone_point = t->kind == KGI_TOK_INT && peek(lx, 0) == '.' && peek(lx, 1) != '.';
  if (is_name(peek(lx, 0)) || lone_point) {
    lx->at += lone_point;
    finish_number(lx);
  } else if (t->kind == KGI_TOK_FLOAT) {
    if (!kgi_read_double(t->text, t->length, &t->number) || isinf(t->number)) literal_range(lx);
  } else {
    for (const char *p = t->text; p < lx->at; p++)
      if (__builtin_mul_overflow(t->integer, 10, &t->integer) ||
          __builtin_add_overflow(t->integer, (uint64_t)(*p - '0'), &t->integer)) {
        literal_range(lx);
        return;
      }
  }
}

/* ---- strings ---- */

/* How many bytes an escape takes after its backslash; 0: it is none. */
static size_t escape_length(const char *p, const char *end) {
  if (p < end && (*p == '"' || *p == '\\' || *p == 'n' || *p == 't')) return 1;
  if (end - p < 3 || *p != 'x' || hex_digit(p[1]) < 0 || hex_digit(p[2]) < 0) return 0;
  return hex_digit(p[1]) + hex_digit(p[2]) == 0 ? 0 : 3; /* no NUL */
}

static void read_string(kgi_lexer *lx) {
  kgi_token *t = &lx->token;
  t->kind = KGI_TOK_STRING;
  t->text = ++lx->at;
  while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n') {
    unsigned char c = (unsigned char)*lx->at;
    size_t escape = c == '\\' ? escape_length(lx->at + 1, lx->end) : 0;
    if (c == '\\' && !escape) {
      KGI_DIAG(lx->diags, bad_escape, here(lx), "");
      bad(lx);
      return;
    }
    if (c < 0x20 && c != '\t') break;
    lx->at += 1 + escape;
  }
  t->length = (uint32_t)(lx->at - t->text);
  if (peek(lx, 0) == '"') {
    lx->at++;
    return;
  }
  KGI_DIAG(lx->diags, unterminated_string, t->pos, "");
  bad(lx);
}

size_t kgi_unescape(const kgi_token *string, char *out) {
  const char *p = string->text, *end = p + string->length;
  size_t n = 0;
  for (; p < end; p++) {
    char c = *p;
    if (c == '\\') {
      c = *++p;
      if (c == 'n') c = '\n';
      else if (c == 't') c = '\t';
      else if (c == 'x') c = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2])), p += 2;
    }
    out[n++] = c;
  }
  return n;
}

/* ---- tokens ---- */

static void skip_space(kgi_lexer *lx) {
  for (; lx->at < lx->end; lx->at++) {
    char c = *lx->at;
    if (c == '\n') {
      lx->line++;
      lx->line_start = lx->at + 1;
    } else if (c == '/' && peek(lx, 1) == '/') {
      const char *end = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
      lx->at = (end ? end : lx->end) - 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

bool kgi_lexer_calls(const kgi_lexer *lx) {
  kgi_lexer ahead = *lx;
  skip_space(&ahead);
  return peek(&ahead, 0) == '(';
}

/* Spellings that no text of the language has: two of its signs, or none. */
static bool foreign(kgi_lexer *lx) {
  char second = peek(lx, 1);
  bool two = (second == '*' && (*lx->at == '/' || *lx->at == '*')) || (second == '+' && *lx->at == '+') || (*lx->at == '#' && second == ' ');
  size_t both = two ? 2 : 1;
  bool begins = lx->at == lx->line_start && (*lx->at == '#' || *lx->at == '@');
  return (two || begins || *lx->at == '?') && kgi_alias_tell(lx->diags, lx->at, both, 0, false, lx->token.pos);
}

static void read_punct(kgi_lexer *lx) {
  if (*lx->at && foreign(lx)) {
    bad(lx);
    return;
  }
  for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++) {
    const punct_row *row = &puncts[i];
    if (row->text[0] != *lx->at || (size_t)(lx->end - lx->at) < row->length || memcmp(row->text, lx->at, row->length)) continue;
    lx->token.kind = (kgi_tok)row->kind;
    lx->at += row->length;
    return;
  }
  KGI_DIAG(lx->diags, stray_byte, lx->token.pos, *lx->at ? (char[]){*lx->at, 0} : "NUL");
  bad(lx);
}

void kgi_lexer_next(kgi_lexer *lx) {
  if (lx->token.kind == KGI_TOK_BAD) return;
  skip_space(lx);
  lx->token = (kgi_token){.kind = KGI_TOK_END, .pos = here(lx), .text = lx->at};
  if (lx->at == lx->end) return;
  if (is_name_start(*lx->at)) {
    lx->token.kind = KGI_TOK_NAME;
    while (lx->at < lx->end && is_name(*lx->at)) lx->at++;
    lx->token.length = (uint32_t)(lx->at - lx->token.text);
    if (lx->classify) lx->classify(lx->user, &lx->token);
    else lx->token.word = kgi_word_find(lx->token.text, lx->token.length);
  } else if (is_digit(*lx->at)) {
    read_number(lx);
  } else if (*lx->at == '"') {
    read_string(lx);
  } else {
    read_punct(lx);
    lx->token.length = (uint32_t)(lx->at - lx->token.text);
  }
}

void kgi_lexer_init(kgi_lexer *lx, const char *text, size_t size, kgi_diags *diags,
                    void (*classify)(void *user, kgi_token *token), void *user) {
  static const char mark[] = "\xEF\xBB\xBF"; /* of the order of bytes: editors put it in front, and it means nothing */
  size_t skip = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
  *lx = (kgi_lexer){.at = text + skip, .end = text + size, .line_start = text + skip, .line = 1, .diags = diags,
                    .classify = classify, .user = user, .token = {.kind = KGI_TOK_END}};
  kgi_lexer_next(lx);
}
