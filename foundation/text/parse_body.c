/* Statements. */
#include "foundation/text/parse.h"

/* ---- expressions of statements ---- */

static uint32_t read_expr(kgi_parser *p) { return kgi_parser_failed(p) ? KGI_NO_NODE : kgi_read_expr(&p->reader); }

bool kgi_parse_build(kgi_parser *p) {
  if (kgi_parser_failed(p)) return false;
  kgi_nodes_settle(&p->reader.nodes);
  kgi_nodes_build(&p->reader.nodes, 0);
  return !kgi_parser_failed(p);
}

static kgi_val value_of(const kgi_parser *p, uint32_t node) {
  return node == KGI_NO_NODE ? (kgi_val){0} : p->reader.nodes.at[node].value;
}

/* Reads and builds one expression, whose node it returns. */
static uint32_t expression(kgi_parser *p, kg_type want) {
  kgi_fresh_nodes(p);
  uint32_t root = read_expr(p);
  kgi_nodes_want(&p->reader.nodes, root, want);
  return kgi_parse_build(p) ? root : KGI_NO_NODE;
}

/* Its value; literals in it take `want` where nothing else gives them a type. */
kgi_val kgi_parse_expression(kgi_parser *p, kg_type want) {
  uint32_t root = expression(p, want);
  return value_of(p, root);
}

static void expect_type(kgi_parser *p, kg_type want, kgi_val got, kgi_pos pos) {
  if (kgi_parser_failed(p) || want == KG_NONE) return;
  kg_type type = kgi_type_of(p->b.p, got);
  if (type == want) return;
  KGI_DIAG(p->diags, type_mismatch, pos, kg_type_name(want), kg_type_name(type));
  kgi_fail(&p->b, KG_INVALID);
}

/* ---- let and var ---- */

static void let(kgi_parser *p) {
  kgi_pos pos;
  uint32_t name = kgi_new_name(p, &pos);
  kg_type type = kgi_take(&p->lx, KGI_TOK_COLON) ? kgi_read_type(p) : KG_NONE;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_SET)) return;
  uint32_t before = p->b.p->inst_count;
  kgi_pos at = p->lx.token.pos;
  uint32_t root = expression(p, type);
  kgi_val x = value_of(p, root);
  expect_type(p, type, x, at);
  if (kgi_parser_failed(p)) return;
  if (x.i >= before && !kgi_is_leaf(p->b.p->inst[x.i].kind)) p->b.p->inst_name[x.i] = kgi_name_string(p, name);
  kgi_declare(p, name, KGI_SYM_VALUE, x.i, pos);
  if (!kgi_parser_failed(p)) p->symbol[p->symbol_count - 1].loop = p->reader.nodes.at[root].loop;
}

static void extents_of_var(kgi_parser *p, kgi_object *o) {
  kgi_dim extent[KGI_MAX_RANK];
  unsigned count = kgi_read_extents(p, extent);
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACKET);
  if (kgi_parser_failed(p)) return;
  o->scalar = false;
  if (count > 1) kgi_set_extents(&p->b, o, extent, count);
  else o->length = extent[0];
}

static void var(kgi_parser *p) {
  kgi_pos pos, at;
  uint32_t name = kgi_new_name(p, &pos);
  kg_type type = KG_NONE;
  kgi_object o = {.space = KGI_VAR, .scalar = true};
  kgi_val init = {0};
  if (kgi_take(&p->lx, KGI_TOK_COLON)) {
    type = kgi_read_type(p);
    if (kgi_take(&p->lx, KGI_TOK_LBRACKET)) extents_of_var(p, &o);
  }
  if (type == KG_NONE && p->lx.token.kind != KGI_TOK_SET) kgi_syntax_error(&p->lx, &p->b, "':' and a type, or '=' and a value");
  at = p->lx.token.pos;
  if (kgi_take(&p->lx, KGI_TOK_SET)) {
    if (o.length.i && !kgi_parser_failed(p)) KGI_DIAG(p->diags, array_init, at, ""), kgi_fail(&p->b, KG_INVALID);
    init = kgi_parse_expression(p, kgi_type_value(type));
    expect_type(p, kgi_type_value(type), init, at);
  }
  if (kgi_parser_failed(p)) return;
  if (type == KG_NONE) type = kgi_type_of(p->b.p, init);
  p->b.pos = pos;
  o.name = kgi_name_string(p, name), o.pos = pos, o.type = (uint8_t)type;
  kgi_obj object = kgi_var_add(&p->b, &o);
  if (init.i) kgi_store(&p->b, object, (kgi_val){0}, init);
  kgi_declare(p, name, KGI_SYM_OBJECT, object.i, pos);
}

/* ---- stores ---- */

/* The value that a compound assignment stores: the load, what is behind the operator, the operation. */
static uint32_t compound(kgi_parser *p, uint32_t object, uint32_t index, kgi_op op, kg_type type, kgi_pos pos) {
  kgi_node load = {.kind = KGI_NODE_LOAD, .index = object, .type = (uint8_t)type, .pos = pos,
                   .arity = index != KGI_NO_NODE, .arg = {index}};
  uint32_t args[2] = {kgi_nodes_add(&p->reader.nodes, load)};
  args[1] = read_expr(p);
  return kgi_nodes_op(&p->reader.nodes, op, args, 2, KG_NONE, pos);
}

/* i--; the lexer knows i++. */
static bool stepped_down(kgi_parser *p) {
  if (p->lx.token.kind != KGI_TOK_SUB || p->lx.at == p->lx.end || *p->lx.at != '-') return false;
  return kgi_foreign(p, "--", p->lx.token.pos);
}

static void assign(kgi_parser *p) {
  uint32_t object, index, value;
  kgi_pos pos;
  if (kgi_lookup(p, p->lx.token.name).kind == KGI_SYM_NONE && kgi_foreign_token(p, true)) return;
  kgi_fresh_nodes(p);
  if (!kgi_read_place(p, &object, &index, &pos)) return;
  kg_type type = kgi_type_value(p->b.p->scope.object[object].type);
  kgi_op op = kgi_compound_op(p->lx.token.kind);
  if (op != KGI_OP_COUNT) {
    kgi_lexer_next(&p->lx);
    value = compound(p, object, index, op, type, pos);
  } else {
    if (stepped_down(p)) return;
    if (!kgi_need(&p->lx, &p->b, KGI_TOK_SET)) return;
    value = read_expr(p);
  }
  kgi_nodes_want(&p->reader.nodes, value, type);
  if (!kgi_parse_build(p)) return;
  p->b.pos = pos;
  kgi_store(&p->b, (kgi_obj){object}, value_of(p, index), value_of(p, value));
}

static void atomic(kgi_parser *p) {
  kgi_fresh_nodes(p);
  kgi_read_atomic(p);
  kgi_parse_build(p);
}

/* ---- blocks ---- */

void kgi_parse_block(kgi_parser *p) {
  kgi_pos opener;
  uint32_t mark = p->symbol_count;
  if (kgi_need_open(p, &opener)) kgi_parse_statements(p, opener);
  kgi_close_scope(p, mark);
}

/* The condition as a block: lets, then `when` and the condition. */
static kgi_val condition_block(kgi_parser *p) {
  kgi_pos opener;
  uint32_t mark = p->symbol_count;
  kgi_need_open(p, &opener);
  while (!kgi_parser_failed(p) && kgi_take_keyword(p, KGI_KW_let)) {
    let(p);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  }
  if (!kgi_take_keyword(p, KGI_KW_when)) kgi_syntax_error(&p->lx, &p->b, "'let', or 'when' and the condition");
  kgi_val condition = kgi_parse_expression(p, KG_BOOL);
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACE);
  kgi_close_scope(p, mark);
  return condition;
}

static void while_statement(kgi_parser *p, kgi_pos pos) {
  kgi_dim limit = {0};
  p->b.pos = pos;
  kgi_while_begin(&p->b);
  kgi_val condition = p->lx.token.kind == KGI_TOK_LBRACE ? condition_block(p) : kgi_parse_expression(p, KG_BOOL);
  if (kgi_take_word(p, "limit")) limit = kgi_read_dim(p);
  p->b.pos = pos;
  kgi_while_body(&p->b, condition, limit);
  if (kgi_parser_failed(p)) return;
  kgi_parse_block(p);
  kgi_end(&p->b);
}

/* It scopes: nothing that it computes outlives it. */
static void checkpoint(kgi_parser *p, kgi_pos pos) {
  kgi_pos opener, at;
  uint32_t mark = p->symbol_count, name = p->lx.token.kind == KGI_TOK_NAME ? kgi_new_name(p, &at) : 0;
  p->b.pos = pos;
  kgi_checkpoint_begin(&p->b, name ? kgi_string(p->m, kgi_name_string(p, name)) : "");
  if (kgi_need_open(p, &opener)) kgi_parse_statements(p, opener);
  for (uint32_t i = mark; i < p->symbol_count; i++) p->name[p->symbol[i].name].checkpoint = pos;
  kgi_close_scope(p, mark);
  kgi_end(&p->b);
}

/* Names declared in a region stay visible behind it, but in a checkpoint. */
static void region(kgi_parser *p, kgi_pos pos) {
  kgi_pos opener, at;
  if (kgi_take_word(p, "checkpoint")) return checkpoint(p, pos);
  uint32_t name = kgi_new_name(p, &at);
  p->b.pos = pos;
  kgi_region_begin(&p->b, kgi_string(p->m, kgi_name_string(p, name)));
  if (kgi_need_open(p, &opener)) kgi_parse_statements(p, opener);
  kgi_end(&p->b);
}

static void assertion(kgi_parser *p, kgi_pos pos) {
  kgi_val condition = kgi_parse_expression(p, KG_BOOL);
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_STRING)) return;
  char *message = kgi_arena_alloc(&p->scratch, t.length + (size_t)1, 1);
  if (kgi_parser_failed(p)) return;
  kgi_str text = kgi_name_string(p, kgi_name_entry_of(p, message, kgi_unescape(&t, message)));
  p->b.pos = pos;
  kgi_assert(&p->b, condition, kgi_string(p->m, text));
}

/* ---- statements ---- */

static void misplaced(kgi_parser *p, const kgi_token *t) {
  if (stepped_down(p)) return;
  static const uint8_t declarations[] = {KGI_KW_const, KGI_KW_workgroup, KGI_KW_grid, KGI_KW_param, KGI_KW_buffer, KGI_KW_shared,
                                         KGI_KW_fn};
  for (size_t i = 0; i < sizeof declarations && t->word.class == KGI_WORD_KEYWORD; i++)
    if (t->word.index == declarations[i]) {
      KGI_DIAG(p->diags, late_declaration, t->pos, "");
      kgi_fail(&p->b, KG_INVALID);
      return;
    }
  kgi_syntax_error(&p->lx, &p->b, "a statement");
}

/* What follows a return is the value that other languages have there, and no statement. */
static bool is_value(kgi_parser *p) {
  const kgi_token *t = &p->lx.token;
  if (t->kind == KGI_TOK_INT || t->kind == KGI_TOK_FLOAT || t->kind == KGI_TOK_LPAREN || t->kind == KGI_TOK_SUB) return true;
  if (t->kind != KGI_TOK_NAME) return false;
  if (t->word.class != KGI_WORD_NONE) return t->word.class != KGI_WORD_KEYWORD && t->word.class != KGI_WORD_ATOMIC;
  kgi_lexer ahead = p->lx;
  ahead.diags = NULL;
  kgi_lexer_next(&ahead);
  kgi_tok kind = ahead.token.kind;
  return kind != KGI_TOK_SET && kind != KGI_TOK_LBRACKET && kgi_compound_op(kind) == KGI_OP_COUNT;
}

static void simple(kgi_parser *p, kgi_keyword word, kgi_pos pos) {
  p->b.pos = pos;
  if (word == KGI_KW_barrier && p->lx.token.kind == KGI_TOK_LPAREN) kgi_foreign(p, "barrier (", pos);
  if (word == KGI_KW_return && is_value(p)) kgi_foreign(p, "return with a value", pos);
  if (word == KGI_KW_break) kgi_break_here(&p->b);
  else if (word == KGI_KW_continue) kgi_continue_here(&p->b);
  else if (word == KGI_KW_return) kgi_return_here(&p->b);
  else if (word == KGI_KW_barrier) kgi_barrier_here(&p->b);
  else kgi_memory_barrier_here(&p->b);
}

static void keyword_statement(kgi_parser *p) {
  kgi_token t = p->lx.token;
  static const uint8_t known[] = {KGI_KW_let, KGI_KW_var, KGI_KW_if, KGI_KW_for, KGI_KW_while, KGI_KW_region, KGI_KW_assert,
                                  KGI_KW_break, KGI_KW_continue, KGI_KW_return, KGI_KW_barrier, KGI_KW_memory_barrier};
  kgi_keyword word = (kgi_keyword)t.word.index;
  size_t i = 0;
  while (i < sizeof known && known[i] != word) i++;
  if (i == sizeof known) {
    misplaced(p, &t);
    return;
  }
  kgi_lexer_next(&p->lx);
  if (word == KGI_KW_for || word == KGI_KW_while || word == KGI_KW_region) kgi_need_room(p);
  if (word == KGI_KW_let) let(p);
  else if (word == KGI_KW_var) var(p);
  else if (word == KGI_KW_if) kgi_parse_if(p, t.pos);
  else if (word == KGI_KW_for) kgi_parse_for(p, t.pos);
  else if (word == KGI_KW_while) while_statement(p, t.pos);
  else if (word == KGI_KW_region) region(p, t.pos);
  else if (word == KGI_KW_assert) assertion(p, t.pos);
  else simple(p, word, t.pos);
}

static void statement(kgi_parser *p) {
  const kgi_token *t = &p->lx.token;
  if (t->kind == KGI_TOK_NAME && t->word.class == KGI_WORD_KEYWORD) keyword_statement(p);
  else if (t->kind == KGI_TOK_NAME && t->word.class == KGI_WORD_ATOMIC) atomic(p);
  else if (t->kind == KGI_TOK_NAME && t->word.class == KGI_WORD_OP && kgi_lexer_calls(&p->lx)) misplaced(p, t);
  else if (t->kind == KGI_TOK_NAME && kgi_is_free_word(t->word)) assign(p);
  else misplaced(p, t);
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
}

void kgi_parse_statements(kgi_parser *p, kgi_pos opener) {
  while (!kgi_at_close(p, opener)) statement(p);
}
