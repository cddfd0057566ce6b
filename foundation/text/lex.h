/* Tokens of the language (doc/language.md), and the words that it gives a meaning. Nothing here allocates. */
#ifndef KGI_LEX_H
#define KGI_LEX_H
#include "foundation/base/diag.h"
#include "foundation/ir/program.h"

typedef enum kgi_tok {
  KGI_TOK_END, KGI_TOK_BAD, /* BAD: already reported */
  KGI_TOK_NAME, KGI_TOK_INT, KGI_TOK_FLOAT, KGI_TOK_STRING,
#define PUNCT(name, text) KGI_TOK_##name,
#include "foundation/text/punct.def"
  KGI_TOK_COUNT
} kgi_tok;

/* What a word stands for. A user's own names are NONE, or BOUND where kgi_expr was given a value for them. */
typedef enum kgi_word_class {
  KGI_WORD_NONE, KGI_WORD_BOUND, KGI_WORD_KEYWORD, KGI_WORD_TYPE, KGI_WORD_BITCAST, KGI_WORD_OP, KGI_WORD_ID, KGI_WORD_ATOMIC,
  KGI_WORD_SUBGROUP,
} kgi_word_class;
typedef struct kgi_word { uint8_t class, index; } kgi_word; /* index: kgi_keyword, kg_type, kgi_op, ... */
/* Whether things may be called so: operations give their names away where they are not called. */
static inline bool kgi_is_free_word(kgi_word w) { return w.class == KGI_WORD_NONE || w.class == KGI_WORD_OP; }

typedef enum kgi_keyword {
#define KEYWORD(name) KGI_KW_##name,
#include "foundation/text/punct.def"
  KGI_KW_COUNT
} kgi_keyword;

kgi_word kgi_word_find(const char *text, size_t length);
/* All of them, for tables. */
typedef struct kgi_word_row { const char *text; uint8_t length; kgi_word word; } kgi_word_row;
const kgi_word_row *kgi_word_rows(size_t *count);

typedef struct kgi_token {
  kgi_tok kind;
  kgi_pos pos;
  const char *text; /* of a STRING: between its quotes */
  uint32_t length;
  uint32_t name;    /* NAME: the classifier's number for it */
  kgi_word word;    /* NAME */
  uint64_t integer; /* INT */
  double number;    /* FLOAT */
} kgi_token;

typedef struct kgi_lexer {
  const char *at, *end, *line_start;
  uint32_t line;
  kgi_diags *diags;
  kgi_token token;                                  /* the current one */
  void (*classify)(void *user, kgi_token *token);   /* fills name and word of a NAME; NULL: kgi_word_find */
  void *user;
} kgi_lexer;

/* The first token becomes current. `text` need not end in a NUL. */
void kgi_lexer_init(kgi_lexer *lx, const char *text, size_t size, kgi_diags *diags,
                    void (*classify)(void *user, kgi_token *token), void *user);
void kgi_lexer_next(kgi_lexer *lx);
bool kgi_lexer_calls(const kgi_lexer *lx); /* a "(" follows the current token */
const char *kgi_tok_text(kgi_tok kind); /* for messages: "}" or "a name" */

/* The bytes of a string token with its escapes replaced, at most its length; returns how many. */
size_t kgi_unescape(const kgi_token *string, char *out);
#endif
