#include "foundation/text/expr.h"
#include "foundation/text/parse_expr.h"

#include <string.h>

enum { LARGEST = 96 }; /* nodes; a test builds each row of the tables */

typedef struct bound {
  kgi_expr_reader reader;
  kgi_lexer lx;
  const char *const *names;
  const kgi_val *values;
  unsigned count;
} bound;

static void classify(void *user, kgi_token *token) {
  const bound *x = user;
  for (unsigned i = 0; i < x->count; i++)
    if (!strncmp(x->names[i], token->text, token->length) && !x->names[i][token->length]) {
      token->word = (kgi_word){KGI_WORD_BOUND, (uint8_t)i};
      return;
    }
  token->word = kgi_word_find(token->text, token->length);
}

static uint32_t resolve(void *user) {
  bound *x = user;
  const kgi_token *t = &x->lx.token;
  if (t->word.class != KGI_WORD_BOUND) {
    kgi_syntax_error(&x->lx, x->reader.nodes.b, "a bound name");
    return KGI_NO_NODE;
  }
  kgi_val value = x->values[t->word.index];
  kg_type type = kgi_type_of(x->reader.nodes.b->p, value);
  kgi_node node = {.kind = KGI_NODE_VALUE, .type = (uint8_t)type, .index = value.i, .pos = x->reader.nodes.b->pos};
  kgi_lexer_next(&x->lx);
  return kgi_nodes_add(&x->reader.nodes, node);
}

kg_status kgi_expr(kgi_builder *b, const char *text, const char *const *names, const kgi_val *values, unsigned count,
                   kg_type literal_type, kgi_val *out) {
  if (b->status != KG_OK) return b->status;
  kgi_node space[LARGEST];
  kgi_pos pos = b->pos; /* what the expression belongs to, rather than where in the table it stands */
  bound x = {.names = names, .values = values, .count = count};
  x.reader = (kgi_expr_reader){.lx = &x.lx, .name = resolve, .user = &x,
                               .nodes = {.at = space, .cap = LARGEST, .b = b, .literal_type = literal_type}};
  kgi_lexer_init(&x.lx, text, strlen(text), b->diags, classify, &x);
  uint32_t root = kgi_read_expr(&x.reader);
  if (x.lx.token.kind != KGI_TOK_END) kgi_syntax_error(&x.lx, b, "the end of the expression");
  if (b->status != KG_OK || root == KGI_NO_NODE) return kgi_fail(b, KG_INVALID), b->status;
  kgi_nodes_settle(&x.reader.nodes);
  for (uint32_t i = 0; i < x.reader.nodes.count; i++) space[i].pos = pos;
  kgi_nodes_build(&x.reader.nodes, 0);
  b->pos = pos;
  if (out && b->status == KG_OK) *out = space[root].value;
  return b->status;
}
