/* Words and spellings of other languages, and how they are written here: help for people, and no part of the grammar. */
#ifndef KGI_ALIAS_H
#define KGI_ALIAS_H
#include "foundation/base/diag.h"

typedef enum kgi_alias_kind {
  KGI_ALIAS_TYPE, KGI_ALIAS_VALUE, KGI_ALIAS_STATEMENT, KGI_ALIAS_DECLARATION, KGI_ALIAS_FILE,
} kgi_alias_kind;
typedef struct kgi_alias { const char *word; kgi_alias_kind kind; const char *text; } kgi_alias;

const kgi_alias *kgi_alias_rows(size_t *count); /* all of them, for tests */
/* Says how it is written here, where `word` is in the table; false: it is not. `component` is the letter behind a point that
 * follows the word, or 0; `begins`: the word stands where a statement begins. */
bool kgi_alias_tell(kgi_diags *diags, const char *word, size_t length, char component, bool begins, kgi_pos pos);

typedef struct kgi_hint { kgi_alias_kind kind; const char *expected, *found, *fix, *wrong, *right; } kgi_hint;

const kgi_hint *kgi_hint_rows(size_t *count);
/* What helps where `found` stands, which may be a `name`, in a text that begins at `from`; NULL: nothing is known. */
const char *kgi_hint_for(const char *expected, const char *from, const char *found, size_t length, bool name);
#endif
