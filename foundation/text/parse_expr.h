/* Reading expressions into nodes: precedence, calls, literals. What names mean is its caller's business. */
#ifndef KGI_PARSE_EXPR_H
#define KGI_PARSE_EXPR_H
#include "foundation/text/nodes.h"

typedef struct kgi_expr_reader {
  kgi_lexer *lx;
  kgi_nodes nodes;
  unsigned depth;
  /* The current token is a name of the user's: takes it and what belongs to it; its node, or KGI_NO_NODE once failed. */
  uint32_t (*name)(void *user);
  /* The current token is an atomic's name or `len`: the same. NULL: there are none here. */
  uint32_t (*atomic)(void *user);
  uint32_t (*length)(void *user);
  void *user;
} kgi_expr_reader;

uint32_t kgi_read_expr(kgi_expr_reader *r);
/* Operands in brackets, "(" current: how many, at most `max`; all of them read. -1: failed. */
int kgi_read_operands(kgi_expr_reader *r, const char *name, uint32_t *args, unsigned min, unsigned max);
/* The operation of a compound assignment such as +=, or KGI_OP_COUNT. */
kgi_op kgi_compound_op(kgi_tok kind);

/* Says what was expected and what stands there instead (or nothing, where the lexer has said so), and fails. */
void kgi_syntax_error(kgi_lexer *lx, kgi_builder *b, const char *expected);
bool kgi_take(kgi_lexer *lx, kgi_tok kind);                   /* true and past it, where it is the current token */
bool kgi_need(kgi_lexer *lx, kgi_builder *b, kgi_tok kind);   /* the same, or an error */
/* The operation with the least spelling distance, and other words that could be meant; "" where nothing is near. */
bool kgi_nearer(const char *text, size_t length, const char *candidate, unsigned *best);
#endif
