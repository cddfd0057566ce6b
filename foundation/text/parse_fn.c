/* Functions: read once into a flat template, inlined where they are called. */
#include "foundation/text/parse.h"

enum { MAX_PARAMS = 16 };

static void declare_local(kgi_parser *p, uint32_t name, uint32_t index, kg_type type, kgi_pos pos) {
  kgi_declare(p, name, KGI_SYM_LOCAL, index, pos);
  if (!kgi_parser_failed(p)) p->symbol[p->symbol_count - 1].type = (uint8_t)type;
}

static kg_type value_type(kgi_parser *p) {
  kgi_pos pos = p->lx.token.pos;
  kg_type type = kgi_read_type(p);
  if (type == KG_NONE || kgi_type_computes(type)) return type;
  KGI_DIAG(p->diags, storage_type, pos, kg_type_name(type), kg_type_name(kgi_type_value(type)));
  kgi_fail(&p->b, KG_INVALID);
  return KG_NONE;
}

static void parameters(kgi_parser *p, kgi_template *t) {
  kgi_pos pos;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_LPAREN)) return;
  while (p->lx.token.kind != KGI_TOK_RPAREN && !kgi_parser_failed(p)) {
    uint32_t name = kgi_new_name(p, &pos);
    kg_type type = kgi_need(&p->lx, &p->b, KGI_TOK_COLON) ? value_type(p) : KG_NONE;
    if (t->count == MAX_PARAMS && !kgi_parser_failed(p)) {
      KGI_DIAG(p->diags, too_large, pos, "the number of parameters", KGI_NUM(MAX_PARAMS));
      kgi_fail(&p->b, KG_INVALID);
    }
    if (kgi_parser_failed(p) || !kgi_arena_grow(&p->scratch, &t->inst, t->count, &t->cap, sizeof *t->inst)) return;
    t->inst[t->count] = (kgi_inst){.kind = KGI_none, .type = (uint8_t)type};
    declare_local(p, name, t->count++, type, pos);
    if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
  }
  t->params = t->count;
  kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
}

/* One expression into the template; its index there. */
static uint32_t expression(kgi_parser *p, kgi_template *t, kg_type *type) {
  kgi_nodes *n = &p->reader.nodes;
  kgi_fresh_nodes(p);
  uint32_t root = kgi_read_expr(&p->reader);
  if (kgi_parser_failed(p) || root == KGI_NO_NODE) return 0;
  kgi_nodes_want(n, root, *type);
  kgi_nodes_settle(n);
  p->b.pos = n->at[root].pos;
  kgi_nodes_to_template(n, 0, t);
  if (kgi_parser_failed(p)) return 0;
  uint32_t index = n->at[root].value.i;
  kg_type got = (kg_type)t->inst[index].type;
  if (*type != KG_NONE && got != *type) {
    KGI_DIAG(p->diags, type_mismatch, n->at[root].pos, kg_type_name(*type), kg_type_name(got));
    kgi_fail(&p->b, KG_INVALID);
  }
  *type = got;
  return index;
}

static void body(kgi_parser *p, kgi_template *t, kg_type type) {
  kgi_pos opener, pos;
  if (!kgi_need_open(p, &opener)) return;
  while (kgi_take_keyword(p, KGI_KW_let) && !kgi_parser_failed(p)) {
    uint32_t name = kgi_new_name(p, &pos);
    kg_type stated = kgi_take(&p->lx, KGI_TOK_COLON) ? value_type(p) : KG_NONE;
    kgi_need(&p->lx, &p->b, KGI_TOK_SET);
    uint32_t index = expression(p, t, &stated);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
    declare_local(p, name, index, stated, pos);
  }
  if (!kgi_take_keyword(p, KGI_KW_return)) kgi_syntax_error(&p->lx, &p->b, "'let' or 'return' with the function's result");
  t->result = expression(p, t, &type);
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACE);
}

/* Its name calls the operation already. */
static void refuse_operation(kgi_parser *p) {
  const kgi_token *t = &p->lx.token;
  if (t->kind != KGI_TOK_NAME || t->word.class != KGI_WORD_OP || kgi_parser_failed(p)) return;
  KGI_DIAG(p->diags, reserved_name, t->pos, kgi_op_rows[t->word.index].name);
  kgi_fail(&p->b, KG_INVALID);
}

void kgi_parse_fn(kgi_parser *p) {
  kgi_pos pos;
  kgi_template t = {0};
  refuse_operation(p);
  uint32_t name = kgi_new_name(p, &pos), mark = p->symbol_count, outer = p->visible_from;
  p->visible_from = mark;
  p->function = name;
  parameters(p, &t);
  kgi_need(&p->lx, &p->b, KGI_TOK_ARROW);
  kg_type type = value_type(p);
  t.type = (uint8_t)type;
  if (kgi_take(&p->lx, KGI_TOK_SET)) t.result = expression(p, &t, &type);
  else body(p, &t, type);
  kgi_close_scope(p, mark);
  p->visible_from = outer;
  p->function = 0;
  if (kgi_parser_failed(p)) return;
  t.value = kgi_arena_alloc(&p->scratch, t.count, sizeof *t.value);
  if (!kgi_arena_grow(&p->scratch, &p->template_, p->template_count, &p->template_cap, sizeof *p->template_)) return;
  p->template_[p->template_count] = t;
  kgi_declare(p, name, KGI_SYM_FN, p->template_count++, pos);
}
