#include "foundation/text/alias.h"
#include "foundation/text/parse.h"
#include "foundation/base/set.h"

#include <stdio.h>
#include <string.h>

/* ---- the table of spellings ---- */

typedef struct query { const kgi_parser *p; const char *text; uint32_t length; } query;

static bool same_name(const void *context, uint32_t index) {
  const query *q = context;
  const kgi_name_entry *e = &q->p->name[index];
  return e->length == q->length && !memcmp(e->text, q->text, q->length);
}

static uint32_t add_name(kgi_parser *p, kgi_name_entry entry, uint64_t hash) {
  uint32_t index = p->name_count;
  if (!kgi_arena_grow(&p->scratch, &p->name, index, &p->name_cap, sizeof *p->name)) return 0;
  p->name[index] = entry;
  if (!kgi_set_add_hashed(&p->scratch, &p->names, index, hash)) return 0;
  return p->name_count++;
}

void kgi_add_words(kgi_parser *p) {
  size_t count;
  const kgi_word_row *rows = kgi_word_rows(&count);
  for (size_t i = 0; i < count; i++)
    add_name(p, (kgi_name_entry){.text = rows[i].text, .length = rows[i].length, .word = rows[i].word},
             kgi_hash(rows[i].text, rows[i].length));
}

uint32_t kgi_name_entry_of(kgi_parser *p, const char *text, size_t length) {
  query q = {p, text, (uint32_t)length};
  uint64_t hash = kgi_hash(text, length);
  uint32_t found = kgi_set_find(&p->names, hash, same_name, &q);
  return found ? found : add_name(p, (kgi_name_entry){.text = text, .length = q.length}, hash);
}

void kgi_classify(void *user, kgi_token *token) {
  kgi_parser *p = user;
  token->name = kgi_name_entry_of(p, token->text, token->length);
  token->word = p->name[token->name].word;
  if (!token->name) token->kind = KGI_TOK_BAD; /* out of memory, which is told at the end */
}

kgi_str kgi_name_string(kgi_parser *p, uint32_t name) {
  kgi_name_entry *e = &p->name[name];
  if (!name || e->string.i) return e->string;
  e->string = p->call_count ? kgi_intern(p->m, e->text, e->length) : kgi_intern_new(p->m, e->text, e->length); /* what is used brought strings */
  return e->string;
}

/* ---- symbols ---- */

kgi_symbol kgi_lookup(const kgi_parser *p, uint32_t name) {
  uint32_t at = name ? p->name[name].symbol : 0;
  if (at && at < p->visible_from && (p->symbol[at].kind != KGI_SYM_FN || at < p->functions_from)) at = 0;
  return at ? p->symbol[at] : (kgi_symbol){0};
}

typedef struct text { char bytes[64]; } text;
static const char *spell(const char *from, size_t length, text *t) {
  snprintf(t->bytes, sizeof t->bytes, "%.*s", (int)(length < 60 ? length : 60), from);
  return t->bytes;
}

uint32_t kgi_new_name(kgi_parser *p, kgi_pos *pos) {
  kgi_token t = p->lx.token;
  text shown;
  *pos = t.pos;
  if (t.kind == KGI_TOK_NAME && !kgi_is_free_word(t.word) && !kgi_parser_failed(p)) {
    KGI_DIAG(p->diags, reserved_name, t.pos, spell(t.text, t.length, &shown));
    return kgi_fail(&p->b, KG_INVALID), 0;
  }
  return kgi_need(&p->lx, &p->b, KGI_TOK_NAME) ? t.name : 0;
}

void kgi_declare(kgi_parser *p, uint32_t name, kgi_symbol_kind kind, uint32_t index, kgi_pos pos) {
  if (!name || kgi_parser_failed(p)) return;
  kgi_symbol old = kgi_lookup(p, name);
  kgi_name_entry *e = &p->name[name];
  text shown;
  if (old.kind != KGI_SYM_NONE) {
    KGI_DIAG(p->diags, name_in_use, pos, spell(e->text, e->length, &shown), KGI_NUM(kgi_pos_line(old.pos)));
    kgi_fail(&p->b, KG_INVALID);
    return;
  }
  if (!kgi_arena_grow(&p->scratch, &p->symbol, p->symbol_count, &p->symbol_cap, sizeof *p->symbol)) return;
  p->symbol[p->symbol_count] = (kgi_symbol){.kind = (uint8_t)kind, .index = index, .name = name, .previous = e->symbol, .pos = pos};
  e->symbol = p->symbol_count++;
}

void kgi_close_scope(kgi_parser *p, uint32_t mark) {
  while (p->symbol_count > mark) {
    const kgi_symbol *s = &p->symbol[--p->symbol_count];
    p->name[s->name].symbol = s->previous;
  }
}

/* A name that a function cannot use: its own, or what is declared around it. */
static bool outside_function(kgi_parser *p, const kgi_token *token) {
  text shown;
  uint32_t around = p->name[token->name].symbol;
  if (!p->function || (token->name != p->function && (!around || around < p->functions_from))) return false;
  if (token->name == p->function) KGI_DIAG(p->diags, recursion, token->pos, spell(token->text, token->length, &shown));
  else KGI_DIAG(p->diags, not_in_function, token->pos, "");
  kgi_fail(&p->b, KG_INVALID);
  return true;
}

/* Words that state a derivative, where they do not. */
static bool custom_derivative(kgi_parser *p, const kgi_token *token) {
  static const char *const words[] = {"pullback", "pushforward"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == token->length && !memcmp(words[i], token->text, token->length)) {
      KGI_DIAG(p->diags, custom_derivative, token->pos, words[i]);
      kgi_fail(&p->b, KG_INVALID);
      return true;
    }
  return false;
}

static bool foreign(kgi_parser *p, const kgi_token *t, const char *word, size_t length, bool begins) {
  const char *behind = t->text + t->length;
  char component = p->lx.end - behind > 1 && behind[0] == '.' ? behind[1] : 0;
  if (kgi_parser_failed(p) || !kgi_alias_tell(p->diags, word, length, component, begins, t->pos)) return false;
  kgi_fail(&p->b, KG_INVALID);
  return true;
}

bool kgi_foreign_token(kgi_parser *p, bool begins) {
  const kgi_token *t = &p->lx.token;
  return t->kind == KGI_TOK_NAME && foreign(p, t, t->text, t->length, begins);
}

bool kgi_foreign(kgi_parser *p, const char *word, kgi_pos pos) {
  kgi_token t = p->lx.token;
  t.pos = pos;
  return foreign(p, &t, word, strlen(word), true);
}

/* The checkpoint in which the name was declared, and with which it ended; 0: none of this program. */
static kgi_pos checkpoint_behind(const kgi_parser *p, const kgi_token *token) {
  kgi_pos at = p->name[token->name].checkpoint;
  return p->b.p && at > p->b.p->pos ? at : 0;
}

/* What is visible and spelled nearly so; operations too. */
void kgi_unknown_name(kgi_parser *p, const kgi_token *token) {
  static const char *const values[] = {
#define OP(name, ...) #name,
#include "foundation/ir/ops.def"
#define ID(name, ...) #name,
#include "foundation/ir/stmts.def"
  };
  unsigned best = 4;
  text shown, near = {""}, candidate;
  char fix[160] = "declare it first";
  if (kgi_parser_failed(p) || outside_function(p, token) || custom_derivative(p, token)) return;
  if (foreign(p, token, token->text, token->length, false)) return;
  for (uint32_t i = 1; i < p->symbol_count; i++) {
    const kgi_name_entry *e = &p->name[p->symbol[i].name];
    bool visible = i >= p->visible_from || (i >= p->functions_from && p->symbol[i].kind == KGI_SYM_FN);
    if (visible && kgi_nearer(token->text, token->length, spell(e->text, e->length, &candidate), &best)) near = candidate;
  }
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (kgi_nearer(token->text, token->length, values[i], &best)) spell(values[i], strlen(values[i]), &near);
  for (uint32_t i = 0; i < kg_prelude_count(); i++) {
    const char *name = kg_prelude_at(i).name;
    if (kgi_nearer(token->text, token->length, name, &best)) spell(name, strlen(name), &near);
  }
  kgi_pos checkpoint = checkpoint_behind(p, token);
  if (checkpoint)
    snprintf(fix, sizeof fix, "declare a var in front of the checkpoint of line %u, and store to it inside", kgi_pos_line(checkpoint));
  else if (token->word.class == KGI_WORD_OP) snprintf(fix, sizeof fix, "call the operation, %s(...), or declare a name", near.bytes);
  else if (best == 0) snprintf(fix, sizeof fix, "call the function, %s(...), or declare a name", near.bytes);
  else if (near.bytes[0]) snprintf(fix, sizeof fix, "did you mean %s?", near.bytes);
  KGI_DIAG(p->diags, unknown_name, token->pos, spell(token->text, token->length, &shown), fix);
  kgi_fail(&p->b, KG_INVALID);
}

kg_type kgi_read_type(kgi_parser *p) {
  const kgi_token *t = &p->lx.token;
  kg_type type = (kg_type)t->word.index;
  if (t->kind == KGI_TOK_NAME && t->word.class == KGI_WORD_TYPE) return kgi_lexer_next(&p->lx), type;
  if (!kgi_foreign_token(p, false)) kgi_syntax_error(&p->lx, &p->b, "a type");
  return KG_NONE;
}

/* ---- names in expressions ---- */

static uint32_t leaf(kgi_parser *p, kgi_node_kind kind, unsigned type, uint32_t index, kgi_pos pos) {
  return kgi_nodes_add(&p->reader.nodes, (kgi_node){.kind = (uint8_t)kind, .type = (uint8_t)type, .index = index, .pos = pos});
}

static uint32_t value(kgi_parser *p, const kgi_symbol *s, kgi_pos pos) {
  return kgi_nodes_add(&p->reader.nodes, (kgi_node){.kind = KGI_NODE_VALUE, .type = p->b.p->inst[s->index].type, .index = s->index,
                                                    .loop = s->loop, .pos = pos});
}

static uint32_t not_one(kgi_parser *p, const kgi_token *t, const char *what) {
  text shown;
  if (!kgi_parser_failed(p)) KGI_DIAG(p->diags, wrong_kind_of_name, t->pos, spell(t->text, t->length, &shown), what);
  return kgi_fail(&p->b, KG_INVALID), KGI_NO_NODE;
}

static uint32_t call(kgi_parser *p, const kgi_token *t, uint32_t fn) {
  uint32_t args[16], params = p->template_[fn].params;
  text shown;
  kgi_nodes *n = &p->reader.nodes;
  if (kgi_read_operands(&p->reader, spell(t->text, t->length, &shown), args, params, params) < 0) return KGI_NO_NODE;
  const kgi_template *f = &p->template_[fn];
  kgi_node node = {.kind = KGI_NODE_CALL, .index = fn, .pos = t->pos, .type = f->type, .arg = {n->arg_count}};
  for (uint32_t i = 0; i < f->params; i++) {
    if (!kgi_arena_grow(n->arena, &n->arg, n->arg_count, &n->arg_cap, sizeof *n->arg)) return KGI_NO_NODE;
    n->arg[n->arg_count++] = args[i];
  }
  return kgi_nodes_add(n, node);
}

static void wrong_count(kgi_parser *p, uint32_t object, unsigned count, kgi_pos pos) {
  const kgi_object *o = &kgi_builder_scope(&p->b)->object[object];
  const char *name = kgi_string(p->m, o->name);
  char fix[160];
  if (kgi_parser_failed(p)) return;
  if (o->rank) snprintf(fix, sizeof fix, "write %u of them, or one alone, which counts elements row by row", o->rank);
  else snprintf(fix, sizeof fix, "write one index, or declare it with %u extents, as in %.40s : %s[rows, cols]", count, name,
                kg_type_name((kg_type)o->type));
  KGI_DIAG(p->diags, index_count, pos, name, KGI_NUM(o->rank ? o->rank : 1), KGI_NUM(count), fix);
  kgi_fail(&p->b, KG_INVALID);
}

/* As many indices as the object has dimensions become one; a lone one is the flat index. */
static uint32_t join_indices(kgi_parser *p, uint32_t object, const uint32_t *index, unsigned count, kgi_pos pos) {
  kgi_node place = {.kind = KGI_NODE_PLACE, .type = KG_U32, .index = object, .arity = (uint8_t)count, .pos = pos};
  if (count < 2 || kgi_parser_failed(p)) return index[0];
  if (count != kgi_builder_scope(&p->b)->object[object].rank) return wrong_count(p, object, count, pos), KGI_NO_NODE;
  for (unsigned k = 0; k < count; k++) place.arg[k] = index[k];
  return kgi_nodes_add(&p->reader.nodes, place);
}

static uint32_t read_index(kgi_parser *p, uint32_t object, kgi_pos pos) {
  uint32_t index[KGI_MAX_RANK] = {KGI_NO_NODE};
  unsigned count = 0;
  if (!kgi_take(&p->lx, KGI_TOK_LBRACKET)) return KGI_NO_NODE;
  do {
    uint32_t node = kgi_read_expr(&p->reader);
    if (count < KGI_MAX_RANK) index[count] = node;
    count++;
  } while (kgi_take(&p->lx, KGI_TOK_COMMA) && !kgi_parser_failed(p));
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACKET);
  if (count > KGI_MAX_RANK) return wrong_count(p, object, count, pos), KGI_NO_NODE;
  return join_indices(p, object, index, count, pos);
}

/* A load, or what is to become a store's target. */
static uint32_t element(kgi_parser *p, uint32_t object, kgi_pos pos) {
  uint32_t index = read_index(p, object, pos);
  if (kgi_parser_failed(p)) return KGI_NO_NODE;
  kgi_node node = {.kind = KGI_NODE_LOAD, .index = object, .arity = index != KGI_NO_NODE, .arg = {index}, .pos = pos,
                   .type = (uint8_t)kgi_type_value(kgi_builder_scope(&p->b)->object[object].type)};
  return kgi_nodes_add(&p->reader.nodes, node);
}

uint32_t kgi_resolve_name(void *user) {
  kgi_parser *p = user;
  kgi_token t = p->lx.token;
  const kgi_scope *scope = kgi_builder_scope(&p->b);
  kgi_symbol s = kgi_lookup(p, t.name);
  if (s.kind != KGI_SYM_FN && !p->skipping && kgi_prelude_call(p, &s.index)) s.kind = KGI_SYM_FN;
  if (s.kind == KGI_SYM_NONE && !p->skipping) return kgi_unknown_name(p, &t), KGI_NO_NODE;
  kgi_lexer_next(&p->lx);
  if (kgi_parser_failed(p)) return KGI_NO_NODE;
  if (p->skipping) return leaf(p, KGI_NODE_VALUE, KG_I64, 0, t.pos);
  switch ((kgi_symbol_kind)s.kind) {
  case KGI_SYM_VALUE: return value(p, &s, t.pos);
  case KGI_SYM_LOCAL: return leaf(p, KGI_NODE_VALUE, s.type, s.index, t.pos);
  case KGI_SYM_PARAM: return leaf(p, KGI_NODE_PARAM, scope->param[s.index].type, s.index, t.pos);
  case KGI_SYM_SPEC: return leaf(p, KGI_NODE_SPEC, scope->spec[s.index].type, s.index, t.pos);
  case KGI_SYM_INDEX: return leaf(p, KGI_NODE_INDEX, KG_I64, s.index, t.pos);
  case KGI_SYM_OBJECT: return element(p, s.index, t.pos);
  case KGI_SYM_FN: return call(p, &t, s.index);
  case KGI_SYM_NONE: break;
  }
  return KGI_NO_NODE;
}

/* The second operand of len: 1 + the dimension; 0 for the whole of an array of one. */
static unsigned read_dimension(kgi_parser *p, uint32_t object) {
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_INT) || p->skipping) return 0;
  const kgi_object *o = &kgi_builder_scope(&p->b)->object[object];
  unsigned rank = o->rank ? o->rank : !o->scalar;
  if (t.integer < rank) return o->rank ? (unsigned)t.integer + 1 : 0;
  KGI_DIAG(p->diags, no_dimension, t.pos, kgi_string(p->m, o->name), KGI_NUM(rank), KGI_NUM(t.integer));
  return kgi_fail(&p->b, KG_INVALID), 0;
}

uint32_t kgi_resolve_len(void *user) {
  kgi_parser *p = user;
  kgi_pos pos = p->lx.token.pos;
  kgi_lexer_next(&p->lx);
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_LPAREN)) return KGI_NO_NODE;
  kgi_token t = p->lx.token;
  kgi_symbol s = kgi_lookup(p, t.kind == KGI_TOK_NAME ? t.name : 0);
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME)) return KGI_NO_NODE;
  if (!p->skipping && s.kind == KGI_SYM_NONE) return kgi_unknown_name(p, &t), KGI_NO_NODE;
  if (!p->skipping && s.kind != KGI_SYM_OBJECT) return not_one(p, &t, "buffer or array");
  unsigned which = kgi_take(&p->lx, KGI_TOK_COMMA) ? read_dimension(p, s.index) : 0;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN)) return KGI_NO_NODE;
  kgi_node len = {.kind = KGI_NODE_LEN, .op = (uint8_t)which, .type = KG_U32, .index = s.index, .pos = pos};
  return kgi_nodes_add(&p->reader.nodes, len);
}

/* What cannot be stored to, though it has a value. */
static void never_changes(kgi_parser *p, const kgi_token *t, const kgi_symbol *s) {
  text name;
  char fix[160];
  bool is_value = s->kind == KGI_SYM_VALUE, is_index = is_value && p->b.p->inst[s->index].kind == KGI_for;
  const char *what = is_index ? "the index of a loop" : is_value ? "a let" : s->kind == KGI_SYM_PARAM ? "a param" : "a constant";
  spell(t->text, t->length, &name);
  if (s->kind == KGI_SYM_FN) {
    not_one(p, t, "var, buffer or shared");
    return;
  }
  if (is_value && !is_index) snprintf(fix, sizeof fix, "declare it as a var: var %.60s = ...", name.bytes);
  else snprintf(fix, sizeof fix, "keep what changes in a var: var v = %.60s", name.bytes);
  if (!kgi_parser_failed(p)) KGI_DIAG(p->diags, never_changes, t->pos, name.bytes, what, fix);
  kgi_fail(&p->b, KG_INVALID);
}

bool kgi_read_place(kgi_parser *p, uint32_t *object, uint32_t *index, kgi_pos *pos) {
  kgi_token t = p->lx.token;
  if (t.kind == KGI_TOK_AND && kgi_foreign(p, "&", t.pos)) return false;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME)) return false;
  if (!kgi_is_free_word(t.word)) return not_one(p, &t, "var, buffer or shared"), false;
  kgi_symbol s = kgi_lookup(p, t.name);
  if (s.kind == KGI_SYM_NONE) return kgi_unknown_name(p, &t), false;
  if (s.kind != KGI_SYM_OBJECT) return never_changes(p, &t, &s), false;
  *object = s.index, *pos = t.pos;
  *index = read_index(p, s.index, t.pos);
  return !kgi_parser_failed(p);
}

uint32_t kgi_read_atomic(kgi_parser *p) {
  kgi_token t = p->lx.token;
  const kgi_atomic_row *row = &kgi_atomic_rows[t.word.index];
  kgi_node node = {.kind = KGI_NODE_ATOMIC, .op = t.word.index, .arity = (uint8_t)(1 + row->operands), .pos = t.pos};
  kgi_pos pos;
  kgi_lexer_next(&p->lx);
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_LPAREN) || !kgi_read_place(p, &node.index, &node.arg[0], &pos)) return KGI_NO_NODE;
  for (unsigned i = 0; i < row->operands && !kgi_parser_failed(p); i++)
    if (kgi_need(&p->lx, &p->b, KGI_TOK_COMMA)) node.arg[1 + i] = kgi_read_expr(&p->reader);
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN)) return KGI_NO_NODE;
  node.type = node.group = (uint8_t)kgi_type_value(p->b.p->scope.object[node.index].type);
  return kgi_nodes_add(&p->reader.nodes, node);
}

uint32_t kgi_resolve_atomic(void *user) {
  kgi_parser *p = user;
  kgi_token t = p->lx.token;
  text shown;
  if (kgi_atomic_rows[t.word.index].result && !p->skipping && p->b.p) return kgi_read_atomic(p);
  if (p->skipping || !p->b.p) KGI_DIAG(p->diags, not_a_length, t.pos, "");
  else KGI_DIAG(p->diags, no_value, t.pos, spell(t.text, t.length, &shown));
  return kgi_fail(&p->b, KG_INVALID), KGI_NO_NODE;
}
