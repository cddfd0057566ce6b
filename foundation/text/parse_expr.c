#include "foundation/text/parse_expr.h"
#include "foundation/text/alias.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 200 };

/* ---- tokens ---- */

typedef struct shown { char text[48]; } shown;

static const char *token_text(const kgi_token *t, shown *s) {
  if (t->kind == KGI_TOK_END || t->kind == KGI_TOK_STRING) return kgi_tok_text(t->kind);
  int length = t->length < 40 ? (int)t->length : 40;
  snprintf(s->text, sizeof s->text, "'%.*s'", length, t->text);
  return s->text;
}

void kgi_syntax_error(kgi_lexer *lx, kgi_builder *b, const char *expected) {
  shown s;
  const kgi_token *t = &lx->token;
  const char *hint = t->kind == KGI_TOK_END ? NULL : kgi_hint_for(expected, lx->line_start, t->text, t->length, t->kind == KGI_TOK_NAME);
  if (b->status == KG_OK && t->kind != KGI_TOK_BAD)
    KGI_DIAG(b->diags, syntax, t->pos, expected, token_text(t, &s), hint ? hint : "doc/language.md has the grammar");
  kgi_fail(b, KG_INVALID);
}

bool kgi_take(kgi_lexer *lx, kgi_tok kind) {
  if (lx->token.kind != kind) return false;
  kgi_lexer_next(lx);
  return true;
}

bool kgi_need(kgi_lexer *lx, kgi_builder *b, kgi_tok kind) {
  if (b->status == KG_OK && kgi_take(lx, kind)) return true;
  char quoted[8];
  snprintf(quoted, sizeof quoted, "'%s'", kgi_tok_text(kind));
  kgi_syntax_error(lx, b, kind == KGI_TOK_NAME || kind == KGI_TOK_INT || kind == KGI_TOK_STRING ? kgi_tok_text(kind) : quoted);
  return false;
}

/* Levenshtein's distance, one row at a time; better than `best` and small enough to be a slip. */
bool kgi_nearer(const char *text, size_t length, const char *candidate, unsigned *best) {
  unsigned row[33];
  size_t width = strlen(candidate);
  if (width > 32 || length > 32) return false;
  for (size_t k = 0; k <= width; k++) row[k] = (unsigned)k;
  for (size_t i = 0; i < length; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t k = 0; k < width; k++) {
      unsigned change = diagonal + (text[i] != candidate[k]), least = row[k] < row[k + 1] ? row[k] : row[k + 1];
      diagonal = row[k + 1];
      row[k + 1] = change < least + 1 ? change : least + 1;
    }
  }
  if (row[width] >= *best || row[width] * 2 > length) return false;
  *best = row[width];
  return true;
}

/* ---- operators ---- */

typedef struct binary { uint8_t level; uint8_t op; } binary;

static binary binary_of(kgi_tok kind) {
  switch (kind) {
  case KGI_TOK_OR_OR: return (binary){1, KGI_OP_or};
  case KGI_TOK_AND_AND: return (binary){2, KGI_OP_and};
  case KGI_TOK_EQ: return (binary){3, KGI_OP_eq};
  case KGI_TOK_NE: return (binary){3, KGI_OP_ne};
  case KGI_TOK_LT: return (binary){3, KGI_OP_lt};
  case KGI_TOK_LE: return (binary){3, KGI_OP_le};
  case KGI_TOK_GT: return (binary){3, KGI_OP_gt};
  case KGI_TOK_GE: return (binary){3, KGI_OP_ge};
  case KGI_TOK_OR: return (binary){4, KGI_OP_or};
  case KGI_TOK_XOR: return (binary){5, KGI_OP_xor};
  case KGI_TOK_AND: return (binary){6, KGI_OP_and};
  case KGI_TOK_SHL: return (binary){7, KGI_OP_shl};
  case KGI_TOK_SHR: return (binary){7, KGI_OP_shr};
  case KGI_TOK_ADD: return (binary){8, KGI_OP_add};
  case KGI_TOK_SUB: return (binary){8, KGI_OP_sub};
  case KGI_TOK_MUL: return (binary){9, KGI_OP_mul};
  case KGI_TOK_DIV: return (binary){9, KGI_OP_div};
  case KGI_TOK_REM: return (binary){9, KGI_OP_rem};
  case KGI_TOK_END: case KGI_TOK_BAD: case KGI_TOK_NAME: case KGI_TOK_INT: case KGI_TOK_FLOAT: case KGI_TOK_STRING:
  case KGI_TOK_SHL_SET: case KGI_TOK_SHR_SET: case KGI_TOK_ADD_SET: case KGI_TOK_SUB_SET: case KGI_TOK_MUL_SET:
  case KGI_TOK_DIV_SET: case KGI_TOK_REM_SET: case KGI_TOK_AND_SET: case KGI_TOK_OR_SET: case KGI_TOK_XOR_SET:
  case KGI_TOK_ARROW: case KGI_TOK_RANGE: case KGI_TOK_NOT: case KGI_TOK_TILDE: case KGI_TOK_SET: case KGI_TOK_DOT:
  case KGI_TOK_COMMA: case KGI_TOK_SEMICOLON: case KGI_TOK_COLON: case KGI_TOK_LPAREN: case KGI_TOK_RPAREN:
  case KGI_TOK_LBRACKET: case KGI_TOK_RBRACKET: case KGI_TOK_LBRACE: case KGI_TOK_RBRACE: case KGI_TOK_COUNT: break;
  }
  return (binary){0, 0};
}

kgi_op kgi_compound_op(kgi_tok kind) {
  if (kind == KGI_TOK_ADD_SET) return KGI_OP_add;
  if (kind == KGI_TOK_SUB_SET) return KGI_OP_sub;
  if (kind == KGI_TOK_MUL_SET) return KGI_OP_mul;
  if (kind == KGI_TOK_DIV_SET) return KGI_OP_div;
  if (kind == KGI_TOK_REM_SET) return KGI_OP_rem;
  if (kind == KGI_TOK_AND_SET) return KGI_OP_and;
  if (kind == KGI_TOK_OR_SET) return KGI_OP_or;
  if (kind == KGI_TOK_XOR_SET) return KGI_OP_xor;
  if (kind == KGI_TOK_SHL_SET) return KGI_OP_shl;
  if (kind == KGI_TOK_SHR_SET) return KGI_OP_shr;
  return KGI_OP_COUNT;
}

/* ---- primaries ---- */

static uint32_t fail(kgi_expr_reader *r) { return kgi_fail(r->nodes.b, KG_INVALID), KGI_NO_NODE; }
static bool failed(const kgi_expr_reader *r) { return r->nodes.b->status != KG_OK; }

static uint32_t literal(kgi_expr_reader *r, kgi_node node) {
  node.kind = KGI_NODE_LITERAL;
  node.pos = r->lx->token.pos;
  node.floating = node.is_float;
  kgi_lexer_next(r->lx);
  return kgi_nodes_add(&r->nodes, node);
}

static uint32_t keyword(kgi_expr_reader *r, kgi_keyword word) {
  if (word == KGI_KW_true || word == KGI_KW_false)
    return literal(r, (kgi_node){.type = KG_BOOL, .group = KG_BOOL, .magnitude = word == KGI_KW_true});
  if (word == KGI_KW_inf) return literal(r, (kgi_node){.is_float = true, .number = __builtin_inf()});
  if (word == KGI_KW_nan) return literal(r, (kgi_node){.is_float = true, .number = __builtin_nan("")});
  if (word == KGI_KW_len && r->length) return r->length(r->user);
  kgi_syntax_error(r->lx, r->nodes.b, "an expression");
  return KGI_NO_NODE;
}

int kgi_read_operands(kgi_expr_reader *r, const char *name, uint32_t *args, unsigned min, unsigned max) {
  unsigned count = 0;
  kgi_pos pos = r->lx->token.pos;
  if (!kgi_need(r->lx, r->nodes.b, KGI_TOK_LPAREN)) return -1;
  while (r->lx->token.kind != KGI_TOK_RPAREN && !failed(r)) {
    uint32_t arg = kgi_read_expr(r);
    if (count < max) args[count] = arg;
    count++;
    if (!kgi_take(r->lx, KGI_TOK_COMMA)) break;
  }
  if (!kgi_need(r->lx, r->nodes.b, KGI_TOK_RPAREN)) return -1;
  if (count >= min && count <= max) return (int)count;
  KGI_DIAG(r->nodes.b->diags, operand_count, pos, name, KGI_NUM(min), KGI_NUM(count));
  fail(r);
  return -1;
}

static uint32_t operation(kgi_expr_reader *r, kgi_op op, kg_type stated, const char *name) {
  kgi_pos pos = r->lx->token.pos;
  uint32_t args[4];
  unsigned arity = kgi_op_rows[op].arity;
  kgi_lexer_next(r->lx);
  if (op == KGI_OP_convert || op == KGI_OP_bitcast) {
    if (stated == KG_NONE) { /* by its bare name, which does not say to what */
      KGI_DIAG(r->nodes.b->diags, conversion_name, pos, name);
      return fail(r);
    }
    if (!kgi_type_computes(stated)) {
      KGI_DIAG(r->nodes.b->diags, storage_type, pos, kg_type_name(stated), kg_type_name(kgi_type_value(stated)));
      return fail(r);
    }
  }
  int count = kgi_read_operands(r, name, args, arity, arity);
  return count < 0 ? KGI_NO_NODE : kgi_nodes_op(&r->nodes, op, args, arity, stated, pos);
}

static uint32_t subgroup(kgi_expr_reader *r, kgi_subgroup op) {
  const kgi_subgroup_row *row = &kgi_subgroup_rows[op];
  kgi_node node = {.kind = KGI_NODE_SUBGROUP, .op = (uint8_t)op, .arity = row->operands, .pos = r->lx->token.pos};
  char name[40];
  snprintf(name, sizeof name, "subgroup_%s", row->name);
  kgi_lexer_next(r->lx);
  if (kgi_read_operands(r, name, node.arg, row->operands, row->operands) < 0) return KGI_NO_NODE;
  return kgi_nodes_add(&r->nodes, node);
}

static uint32_t id(kgi_expr_reader *r, kgi_id op) {
  kgi_node node = {.kind = KGI_NODE_ID, .op = (uint8_t)op, .type = KG_U32, .pos = r->lx->token.pos};
  kgi_lexer_next(r->lx);
  if (kgi_id_rows[op].components == 1) return kgi_nodes_add(&r->nodes, node);
  const kgi_token *t = &r->lx->token;
  if (!kgi_need(r->lx, r->nodes.b, KGI_TOK_DOT)) return KGI_NO_NODE;
  if (t->kind != KGI_TOK_NAME || t->length != 1 || t->text[0] < 'x' || t->text[0] > 'z') {
    kgi_syntax_error(r->lx, r->nodes.b, "x, y or z");
    return KGI_NO_NODE;
  }
  node.index = (uint32_t)(t->text[0] - 'x');
  kgi_lexer_next(r->lx);
  return kgi_nodes_add(&r->nodes, node);
}

static uint32_t word(kgi_expr_reader *r) {
  kgi_word w = r->lx->token.word;
  switch ((kgi_word_class)w.class) {
  case KGI_WORD_NONE: case KGI_WORD_BOUND: return r->name(r->user);
  case KGI_WORD_KEYWORD: return keyword(r, (kgi_keyword)w.index);
  case KGI_WORD_TYPE: return operation(r, KGI_OP_convert, (kg_type)w.index, kg_type_name((kg_type)w.index));
  case KGI_WORD_BITCAST: return operation(r, KGI_OP_bitcast, (kg_type)w.index, "bitcast");
  case KGI_WORD_OP:
    if (!kgi_lexer_calls(r->lx)) return r->name(r->user);
    return operation(r, (kgi_op)w.index, KG_NONE, kgi_op_rows[w.index].name);
  case KGI_WORD_ID: return id(r, (kgi_id)w.index);
  case KGI_WORD_ATOMIC:
    if (r->atomic) return r->atomic(r->user);
    break;
  case KGI_WORD_SUBGROUP: return subgroup(r, (kgi_subgroup)w.index);
  }
  kgi_syntax_error(r->lx, r->nodes.b, "an expression");
  return KGI_NO_NODE;
}

static uint32_t primary(kgi_expr_reader *r) {
  const kgi_token *t = &r->lx->token;
  if (t->kind == KGI_TOK_NAME) return word(r);
  if (t->kind == KGI_TOK_INT) return literal(r, (kgi_node){.magnitude = t->integer});
  if (t->kind == KGI_TOK_FLOAT) return literal(r, (kgi_node){.is_float = true, .number = t->number});
  if (t->kind != KGI_TOK_LPAREN) {
    kgi_syntax_error(r->lx, r->nodes.b, "an expression");
    return KGI_NO_NODE;
  }
  kgi_lexer_next(r->lx);
  uint32_t inner = kgi_read_expr(r);
  return kgi_need(r->lx, r->nodes.b, KGI_TOK_RPAREN) ? inner : KGI_NO_NODE;
}

/* ---- unary and binary ---- */

static bool descend(kgi_expr_reader *r) {
  if (++r->depth <= MAX_NESTING) return !failed(r);
  if (!failed(r)) KGI_DIAG(r->nodes.b->diags, too_large, r->lx->token.pos, "the nesting of an expression", KGI_NUM(MAX_NESTING));
  fail(r);
  return false;
}

static uint32_t negate(kgi_expr_reader *r, uint32_t operand, kgi_pos pos) {
  if (operand == KGI_NO_NODE) return operand;
  kgi_node *x = &r->nodes.at[operand];
  if (x->kind != KGI_NODE_LITERAL || x->type != KG_NONE) return kgi_nodes_op(&r->nodes, KGI_OP_neg, &operand, 1, KG_NONE, pos);
  x->pos = pos;
  x->negative = !x->negative;
  x->number = -x->number;
  return operand;
}

static uint32_t unary(kgi_expr_reader *r) {
  kgi_tok kind = r->lx->token.kind;
  kgi_pos pos = r->lx->token.pos;
  if (kind != KGI_TOK_SUB && kind != KGI_TOK_NOT && kind != KGI_TOK_TILDE) return primary(r);
  kgi_lexer_next(r->lx);
  uint32_t operand = descend(r) ? unary(r) : KGI_NO_NODE;
  r->depth--;
  if (operand == KGI_NO_NODE) return operand;
  return kind == KGI_TOK_SUB ? negate(r, operand, pos) : kgi_nodes_op(&r->nodes, KGI_OP_not, &operand, 1, KG_NONE, pos);
}

/* `&&` and `||` are for bools alone; their operations take integers too. */
static bool need_bools(kgi_expr_reader *r, const uint32_t *args, kgi_pos pos) {
  for (unsigned i = 0; i < 2; i++) {
    const kgi_node *x = &r->nodes.at[args[i]];
    if (x->type == KG_BOOL) continue;
    KGI_DIAG(r->nodes.b->diags, type_mismatch, pos, "bool", x->type ? kg_type_name((kg_type)x->type) : "a number");
    fail(r);
    return false;
  }
  return true;
}

static uint32_t climb(kgi_expr_reader *r, unsigned level) {
  uint32_t left = unary(r);
  for (unsigned compared = 0; left != KGI_NO_NODE && !failed(r);) {
    kgi_tok kind = r->lx->token.kind;
    kgi_pos pos = r->lx->token.pos;
    binary o = binary_of(kind);
    if (o.level < level || o.level == 0) return left;
    if (o.level == 3 && compared++) {
      KGI_DIAG(r->nodes.b->diags, chained_comparison, pos, "");
      return fail(r);
    }
    kgi_lexer_next(r->lx);
    uint32_t args[2] = {left, climb(r, o.level + 1u)};
    if (args[1] == KGI_NO_NODE || (o.level <= 2 && !need_bools(r, args, pos))) return KGI_NO_NODE;
    left = kgi_nodes_op(&r->nodes, (kgi_op)o.op, args, 2, KG_NONE, pos);
    if (o.level < 3) compared = 0;
  }
  return left;
}

uint32_t kgi_read_expr(kgi_expr_reader *r) {
  uint32_t node = descend(r) ? climb(r, 1) : KGI_NO_NODE;
  r->depth--;
  return node;
}
