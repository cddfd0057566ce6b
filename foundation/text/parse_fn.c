/* Functions: read once into a flat template, inlined where they are called. */
#include "foundation/text/custom.h"
#include "foundation/text/parse.h"

void kgi_declare_local(kgi_parser *p, uint32_t name, uint32_t index, kg_type type, kgi_pos pos) {
  kgi_declare(p, name, KGI_SYM_LOCAL, index, pos);
  if (!kgi_parser_failed(p)) p->symbol[p->symbol_count - 1].type = (uint8_t)type;
}

/* A type that computes. `open`, in a signature: it may also be `real`, which stands for that of the parser in this reading; then
 * *open is set. */
static kg_type value_type(kgi_parser *p, bool *open) {
  kgi_pos pos = p->lx.token.pos;
  if (open && kgi_take_word(p, "real")) return *open = true, p->real;
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
    bool open = false;
    kg_type type = kgi_need(&p->lx, &p->b, KGI_TOK_COLON) ? value_type(p, &open) : KG_NONE;
    if (t->count == KGI_FN_PARAMS && !kgi_parser_failed(p)) {
      KGI_DIAG(p->diags, too_large, pos, "the number of parameters", KGI_NUM(KGI_FN_PARAMS));
      kgi_fail(&p->b, KG_INVALID);
    }
    if (kgi_parser_failed(p) || !kgi_arena_grow(&p->scratch, &t->inst, t->count, &t->cap, sizeof *t->inst)) return;
    t->inst[t->count] = (kgi_inst){.kind = KGI_none, .type = (uint8_t)type};
    t->open |= (uint16_t)(open << t->count);
    kgi_declare_local(p, name, t->count++, type, pos);
    if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
  }
  t->params = t->count;
  kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
}

uint32_t kgi_read_formula(kgi_parser *p, kgi_template *t, kg_type *type) {
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

void kgi_read_formula_lets(kgi_parser *p, kgi_template *t) {
  kgi_pos pos;
  while (kgi_take_keyword(p, KGI_KW_let) && !kgi_parser_failed(p)) {
    uint32_t name = kgi_new_name(p, &pos);
    kg_type stated = kgi_take(&p->lx, KGI_TOK_COLON) ? value_type(p, NULL) : KG_NONE;
    kgi_need(&p->lx, &p->b, KGI_TOK_SET);
    uint32_t index = kgi_read_formula(p, t, &stated);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
    kgi_declare_local(p, name, index, stated, pos);
  }
  if (!kgi_take_keyword(p, KGI_KW_return)) kgi_syntax_error(&p->lx, &p->b, "'let' or 'return' with the function's result");
}

static void body(kgi_parser *p, kgi_template *t, kg_type type) {
  kgi_pos opener;
  uint32_t mark = p->symbol_count;
  if (!kgi_need_open(p, &opener)) return;
  kgi_read_formula_lets(p, t);
  t->result = kgi_read_formula(p, t, &type);
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACE);
  kgi_close_scope(p, mark);
}

/* Its name calls the operation already. */
static void refuse_operation(kgi_parser *p) {
  const kgi_token *t = &p->lx.token;
  if (t->kind != KGI_TOK_NAME || t->word.class != KGI_WORD_OP || kgi_parser_failed(p)) return;
  KGI_DIAG(p->diags, reserved_name, t->pos, kgi_op_rows[t->word.index].name);
  kgi_fail(&p->b, KG_INVALID);
}

/* What its name called before, in the file or program in which it is declared, was the prelude's: the reader would think otherwise. */
static void refuse_called(kgi_parser *p, uint32_t name, kgi_pos pos) {
  const kgi_name_entry *e = &p->name[name];
  if (!e->called || e->called_in != p->diags->file || (p->b.p && e->called_by != p->b.p) || kgi_parser_failed(p)) return;
  KGI_DIAG(p->diags, prelude_called, pos, kgi_string(p->m, kgi_name_string(p, name)), KGI_NUM(kgi_pos_line(e->called)));
  kgi_fail(&p->b, KG_INVALID);
}

/* In the body of a function of `real` the word is a type. Its meaning before. */
static kgi_word give_real(kgi_parser *p, kgi_word meaning) {
  uint32_t entry = kgi_name_entry_of(p, "real", 4);
  kgi_word before = p->name[entry].word;
  p->name[entry].word = meaning;
  return before;
}

/* From its parameters to its end. */
static kgi_template read_template(kgi_parser *p) {
  kgi_template t = {0};
  uint32_t mark = p->symbol_count;
  kgi_word outside = {0};
  parameters(p, &t);
  kgi_need(&p->lx, &p->b, KGI_TOK_ARROW);
  kg_type type = value_type(p, &t.open_result);
  t.type = (uint8_t)type;
  if (kgi_is_generic(&t)) outside = give_real(p, (kgi_word){KGI_WORD_TYPE, (uint8_t)p->real});
  if (kgi_take(&p->lx, KGI_TOK_SET)) t.result = kgi_read_formula(p, &t, &type);
  else body(p, &t, type);
  kgi_read_custom(p, &t);
  if (kgi_is_generic(&t)) give_real(p, outside);
  kgi_close_scope(p, mark);
  t.value = kgi_arena_alloc(&p->scratch, t.count, sizeof *t.value);
  return t;
}

uint32_t kgi_read_function(kgi_parser *p, uint32_t name) {
  kgi_lexer parameters_at = p->lx;
  uint32_t outer = p->visible_from, caller = p->function, first = 0;
  p->visible_from = p->symbol_count;
  p->function = name;
  for (unsigned i = 0; i < KGI_REALS && !kgi_parser_failed(p); i++) {
    p->lx = parameters_at;
    p->real = kgi_reals[i];
    kgi_template t = read_template(p);
    if (kgi_parser_failed(p)) break;
    if (!kgi_arena_grow(&p->scratch, &p->template_, p->template_count, &p->template_cap, sizeof *p->template_)) break;
    if (i == 0) first = p->template_count; /* behind what it called for the first time, so that its readings lie in a row */
    p->template_[p->template_count++] = t;
    if (!kgi_is_generic(&t)) break;
  }
  p->visible_from = outer;
  p->function = caller;
  return first;
}

void kgi_parse_fn(kgi_parser *p) {
  kgi_pos pos;
  refuse_operation(p);
  uint32_t name = kgi_new_name(p, &pos);
  refuse_called(p, name, pos);
  uint32_t fn = kgi_read_function(p, name);
  kgi_declare(p, name, KGI_SYM_FN, fn, pos);
}
