/* Derivatives that a function states: read into its template, and made its derivative there (custom.c). */
#include "foundation/text/custom.h"
#include "foundation/text/parse.h"

#include <string.h>

typedef enum mode { PULLBACK, PUSHFORWARD, MODES } mode;
static const char *const words[MODES] = {"pullback", "pushforward"};
static const char *const seeded_by[MODES] = {"the cotangent", "the tangents"};

static bool is_float_param(const kgi_template *t, uint32_t k) { return kgi_is_float(t->inst[k].type); }

static uint32_t float_params(const kgi_template *t) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < t->params; k++) count += is_float_param(t, k);
  return count;
}

/* The words are no reserved ones: they are these where a "(" follows. */
static bool at_clause(const kgi_parser *p, const char *word) {
  const kgi_token *t = &p->lx.token;
  bool named = t->kind == KGI_TOK_NAME && t->length == strlen(word) && !memcmp(t->text, word, t->length);
  return named && kgi_lexer_calls(&p->lx);
}

/* ---- what has to be ---- */

static bool fail(kgi_parser *p) { return kgi_fail(&p->b, KG_INVALID), false; }

static void check_floats(kgi_parser *p, const kgi_template *t) {
  if (kgi_parser_failed(p) || (float_params(t) && kgi_is_float(t->type))) return;
  KGI_DIAG(p->diags, custom_no_floats, p->lx.token.pos, p->lx.token.length == strlen(words[0]) ? words[0] : words[1]);
  fail(p);
}

static bool has_count(kgi_parser *p, const char *what, uint32_t want, uint32_t got, kgi_pos pos) {
  if (kgi_parser_failed(p) || want == got) return !kgi_parser_failed(p);
  KGI_DIAG(p->diags, custom_count, pos, what, KGI_NUM(got), KGI_NUM(want));
  return fail(p);
}

static bool is_linear(kgi_parser *p, kgi_seeds *seeds, mode m, uint32_t formula, kgi_pos pos) {
  if (kgi_parser_failed(p) || kgi_find_linear(seeds, formula)) return !kgi_parser_failed(p);
  KGI_DIAG(p->diags, custom_not_linear, pos, words[m], seeded_by[m]);
  return fail(p);
}

/* ---- clauses ---- */

static void add_seed(kgi_parser *p, kgi_seeds *seeds, kg_type type) {
  kgi_pos pos;
  uint32_t name = kgi_new_name(p, &pos);
  if (kgi_parser_failed(p)) return;
  uint32_t at = kgi_template_add(&p->reader.nodes, seeds->t, (kgi_inst){.kind = KGI_none, .type = (uint8_t)type});
  kgi_declare_local(p, name, at, type, pos);
  seeds->count++;
}

/* The cotangent of the result; or a tangent for each float param. */
static void read_seeds(kgi_parser *p, kgi_seeds *seeds, mode m) {
  kgi_template *t = seeds->t;
  kgi_pos pos = p->lx.token.pos;
  uint32_t k = 0, want = m == PULLBACK ? 1 : float_params(t);
  kgi_need(&p->lx, &p->b, KGI_TOK_LPAREN);
  do {
    while (m == PUSHFORWARD && k < t->params && !is_float_param(t, k)) k++;
    add_seed(p, seeds, (kg_type)(m == PULLBACK || k == t->params ? t->type : t->inst[k++].type));
  } while (!kgi_parser_failed(p) && seeds->count <= KGI_FN_PARAMS && kgi_take(&p->lx, KGI_TOK_COMMA));
  kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
  const char *what = m == PULLBACK ? "the cotangent that a pullback is made of" : "a tangent for each float parameter";
  has_count(p, what, want, seeds->count, pos);
}

static uint32_t read_formula(kgi_parser *p, kgi_seeds *seeds, mode m, kg_type type) {
  kgi_pos pos = p->lx.token.pos;
  uint32_t formula = kgi_read_formula(p, seeds->t, &type);
  return is_linear(p, seeds, m, formula, pos) ? formula : 0;
}

/* An expression for each float param. */
static void read_pullback(kgi_parser *p, kgi_seeds *seeds, kgi_coefficient *back) {
  kgi_template *t = seeds->t;
  kgi_pos pos = p->lx.token.pos;
  uint32_t count = 0, k = 0;
  do {
    while (k < t->params && !is_float_param(t, k)) k++;
    uint32_t formula = read_formula(p, seeds, PULLBACK, (kg_type)(k < t->params ? t->inst[k].type : t->type));
    if (k < t->params && !kgi_parser_failed(p)) back[k++] = kgi_coefficient_of(seeds, seeds->from, formula);
    count++;
  } while (!kgi_parser_failed(p) && kgi_take(&p->lx, KGI_TOK_COMMA));
  has_count(p, "a cotangent for each float parameter", float_params(t), count, pos);
}

static void read_pushforward(kgi_parser *p, kgi_seeds *seeds, kgi_coefficient *forward) {
  kgi_template *t = seeds->t;
  uint32_t formula = read_formula(p, seeds, PUSHFORWARD, (kg_type)t->type), seed = seeds->from;
  for (uint32_t k = 0; k < t->params && !kgi_parser_failed(p); k++)
    if (is_float_param(t, k)) forward[k] = kgi_coefficient_of(seeds, seed++, formula);
}

static void read_formulas(kgi_parser *p, kgi_seeds *seeds, mode m, kgi_stated *s) {
  bool whole = !kgi_take(&p->lx, KGI_TOK_SET);
  if (whole && kgi_need(&p->lx, &p->b, KGI_TOK_LBRACE)) kgi_read_formula_lets(p, seeds->t);
  if (kgi_parser_failed(p)) return;
  if (m == PULLBACK) read_pullback(p, seeds, s->back);
  else read_pushforward(p, seeds, s->forward);
  if (!whole) return;
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  kgi_need(&p->lx, &p->b, KGI_TOK_RBRACE);
}

static void read_clause(kgi_parser *p, kgi_template *t, mode m, kgi_stated *s) {
  bool *given = m == PULLBACK ? &s->pullback : &s->pushforward;
  kgi_seeds seeds = {.nodes = &p->reader.nodes, .t = t, .arena = &p->scratch, .from = t->count};
  uint32_t mark = p->symbol_count;
  check_floats(p, t);
  if (*given && !kgi_parser_failed(p)) KGI_DIAG(p->diags, stated_twice, p->lx.token.pos, words[m]), fail(p);
  if (kgi_parser_failed(p)) return;
  *given = true;
  kgi_lexer_next(&p->lx);
  read_seeds(p, &seeds, m);
  if (!kgi_parser_failed(p)) read_formulas(p, &seeds, m, s);
  kgi_close_scope(p, mark);
}

void kgi_read_custom(kgi_parser *p, kgi_template *t) {
  kgi_stated s = {0};
  for (bool more = true; more && !kgi_parser_failed(p);) {
    more = false;
    for (unsigned m = 0; m < MODES; m++)
      if (at_clause(p, words[m])) read_clause(p, t, (mode)m, &s), more = true;
  }
  if ((s.pullback || s.pushforward) && !kgi_parser_failed(p)) kgi_state_partials(&p->reader.nodes, t, &s, &p->scratch);
}
