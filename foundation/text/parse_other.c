#include "foundation/text/parse.h"

#include <string.h>

/* ---- another text ---- */

kgi_aside kgi_begin_other(kgi_parser *p, const char *file, const char *text, size_t size) {
  kgi_aside aside = {.lx = p->lx, .nodes = p->reader.nodes, .pos = p->b.pos, .file = p->diags->file,
                     .visible_from = p->visible_from, .functions_from = p->functions_from, .function = p->function,
                     .real = p->real, .depth = p->reader.depth};
  kgi_nodes *n = &p->reader.nodes;
  n->at = NULL, n->arg = NULL;
  n->count = n->cap = n->arg_count = n->arg_cap = 0;
  p->visible_from = p->functions_from = p->symbol_count;
  p->function = 0;
  p->reader.depth = 0;
  p->diags->file = file;
  kgi_lexer_init(&p->lx, text, size, p->diags, kgi_classify, p);
  return aside;
}

void kgi_end_other(kgi_parser *p, const kgi_aside *aside) {
  kgi_parser_failed(p); /* what is bad about its last token stays known */
  p->lx = aside->lx;
  p->reader.nodes = aside->nodes;
  p->reader.nodes.templates = p->template_;
  p->reader.depth = aside->depth;
  p->b.pos = aside->pos;
  p->diags->file = aside->file;
  p->visible_from = aside->visible_from, p->functions_from = aside->functions_from;
  p->function = aside->function, p->real = aside->real;
}

/* ---- the prelude ---- */

typedef struct prelude_row { const char *name, *signature, *summary, *text; } prelude_row;

static const prelude_row rows[] = {
#define PRELUDE(name, signature, summary, text) {name, signature, summary, text},
#include "foundation/text/prelude.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

uint32_t kg_prelude_count(void) { return ROWS; }

kg_fn_info kg_prelude_at(uint32_t index) {
  if (index >= ROWS) return (kg_fn_info){.name = "", .signature = "", .summary = ""};
  return (kg_fn_info){.name = rows[index].name, .signature = rows[index].signature, .summary = rows[index].summary};
}

/* By its entry, + 2, so that names that are used often are compared once. */
static unsigned find(const kgi_token *t, kgi_name_entry *e) {
  if (e->prelude) return e->prelude;
  e->prelude = 1;
  for (uint8_t i = 0; i < ROWS; i++)
    if (!strncmp(rows[i].name, t->text, t->length) && !rows[i].name[t->length]) e->prelude = (uint8_t)(i + 2);
  return e->prelude;
}

static const char prelude[] = "prelude.kg";

static void read_row(kgi_parser *p, uint32_t i) {
  kgi_aside aside = kgi_begin_other(p, prelude, rows[i].text, strlen(rows[i].text));
  kgi_pos pos;
  kgi_take_keyword(p, KGI_KW_fn);
  uint32_t name = kgi_new_name(p, &pos), fn = kgi_read_function(p, name);
  if (!kgi_parser_failed(p)) p->prelude[i] = fn + 1;
  kgi_end_other(p, &aside);
}

/* What the prelude's own functions call is no call of the file's. */
static void note_call(kgi_parser *p, const kgi_token *t) {
  kgi_name_entry *e = &p->name[t->name];
  if (p->diags->file == prelude) return;
  e->called = t->pos, e->called_in = p->diags->file, e->called_by = p->b.p;
}

bool kgi_prelude_call(kgi_parser *p, uint32_t *fn) {
  const kgi_token *t = &p->lx.token;
  unsigned row = t->name ? find(t, &p->name[t->name]) : 1;
  if (row < 2 || t->name == p->function || !kgi_lexer_calls(&p->lx)) return false;
  uint32_t i = row - 2;
  note_call(p, t);
  if (!p->prelude) p->prelude = kgi_arena_alloc(&p->scratch, ROWS, sizeof *p->prelude);
  if (!kgi_parser_failed(p) && !p->prelude[i]) read_row(p, i);
  *fn = kgi_parser_failed(p) ? 0 : p->prelude[i] - 1;
  return true;
}
