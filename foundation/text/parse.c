#include "foundation/text/parse.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"

#include <string.h>

/* Text beyond this is refused; memory is bounded by it too, because one byte of text makes few instructions. */
enum { MAX_TEXT = 1 << 26, MEMORY_PER_BYTE = 256, INLINED = 1 << 20 };
/* Guesses for the size of tables. */
enum { BYTES_PER_INSTRUCTION = 12, BYTES_PER_NAME = 24, LONG_TEXT = 1 << 16 };
#define BASE_MEMORY ((size_t)256 << 20)

/* ---- small things ---- */

bool kgi_parser_failed(kgi_parser *p) {
  if (p->scratch.failed) kgi_fail(&p->b, KG_NO_MEMORY);
  if (p->m->arena.failed) kgi_fail(&p->b, KG_NO_MEMORY);
  if (p->lx.token.kind == KGI_TOK_BAD) kgi_fail(&p->b, KG_INVALID); /* as the lexer has said */
  return p->b.status != KG_OK;
}

bool kgi_at_keyword(const kgi_parser *p, kgi_keyword word) {
  const kgi_token *t = &p->lx.token;
  return t->kind == KGI_TOK_NAME && t->word.class == KGI_WORD_KEYWORD && t->word.index == word;
}

bool kgi_take_keyword(kgi_parser *p, kgi_keyword word) {
  if (!kgi_at_keyword(p, word)) return false;
  kgi_lexer_next(&p->lx);
  return true;
}

bool kgi_take_word(kgi_parser *p, const char *word) {
  const kgi_token *t = &p->lx.token;
  if (t->kind != KGI_TOK_NAME || t->length != strlen(word) || memcmp(t->text, word, t->length)) return false;
  kgi_lexer_next(&p->lx);
  return true;
}

bool kgi_need_open(kgi_parser *p, kgi_pos *opener) {
  *opener = p->lx.token.pos;
  return kgi_need(&p->lx, &p->b, KGI_TOK_LBRACE);
}

bool kgi_at_close(kgi_parser *p, kgi_pos opener) {
  if (kgi_parser_failed(p)) return true;
  if (kgi_take(&p->lx, KGI_TOK_RBRACE)) return true;
  if (p->lx.token.kind != KGI_TOK_END) return false;
  KGI_DIAG(p->diags, unclosed_brace, opener, "");
  kgi_fail(&p->b, KG_INVALID);
  return true;
}

void kgi_fresh_nodes(kgi_parser *p) {
  p->reader.nodes.count = p->reader.nodes.arg_count = 0;
  p->reader.nodes.templates = p->template_;
}

static uint32_t integer(kgi_parser *p) {
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_INT)) return 0;
  if (t.integer <= UINT32_MAX) return (uint32_t)t.integer;
  KGI_DIAG(p->diags, literal_range, t.pos, "this", "u32");
  kgi_fail(&p->b, KG_INVALID);
  return 0;
}

/* ---- lengths ---- */

kgi_dim kgi_read_dim(kgi_parser *p) {
  kgi_fresh_nodes(p);
  p->b.pos = p->lx.token.pos;
  uint32_t root = kgi_read_expr(&p->reader);
  return kgi_parser_failed(p) ? (kgi_dim){0} : kgi_nodes_dim(&p->reader.nodes, root);
}

unsigned kgi_read_dims(kgi_parser *p, kgi_dim out[3]) {
  unsigned count = 0;
  do out[count++] = kgi_read_dim(p);
  while (count < 3 && kgi_take(&p->lx, KGI_TOK_COMMA));
  return count;
}

/* True where there is one more, which is an error past the last. */
static bool more_extents(kgi_parser *p, unsigned count) {
  kgi_pos pos = p->lx.token.pos;
  if (!kgi_take(&p->lx, KGI_TOK_COMMA)) return false;
  if (count < KGI_MAX_RANK || kgi_parser_failed(p)) return !kgi_parser_failed(p);
  KGI_DIAG(p->diags, too_many_dims, pos, KGI_NUM(KGI_MAX_RANK));
  return kgi_fail(&p->b, KG_INVALID), false;
}

unsigned kgi_read_extents(kgi_parser *p, kgi_dim out[KGI_MAX_RANK]) {
  unsigned count = 0;
  do out[count++] = kgi_read_dim(p);
  while (more_extents(p, count));
  return count;
}

/* Notes where a length stands and goes past it. */
static void defer(kgi_parser *p, unsigned slot, uint32_t index) {
  if (kgi_parser_failed(p)) return;
  if (!kgi_arena_grow(&p->scratch, &p->deferred, p->deferred_count, &p->deferred_cap, sizeof *p->deferred)) return;
  p->deferred[p->deferred_count++] = (kgi_deferred){.at = p->lx, .slot = (uint8_t)slot, .index = index};
  kgi_fresh_nodes(p);
  p->skipping = true;
  kgi_read_expr(&p->reader);
  p->skipping = false;
}

/* Extents come one after the other. */
static void place_extent(kgi_parser *p, kgi_object *o, unsigned k, kgi_dim dim) {
  kgi_dim extent[KGI_MAX_RANK] = {o->length};
  for (unsigned n = 0; n < o->rank; n++) extent[n] = o->extent[n];
  extent[k] = dim;
  if (k) kgi_set_extents(&p->b, o, extent, k + 1);
  else o->length = dim;
}

static void place_dim(kgi_parser *p, const kgi_deferred *d, kgi_dim dim) {
  kgi_scope *s = kgi_builder_scope(&p->b);
  if (d->slot < KGI_SLOT_OBJECT_LO) {
    place_extent(p, &s->object[d->index], d->slot - KGI_SLOT_LENGTH, dim);
    return;
  }
  switch ((kgi_dim_slot)d->slot) {
  case KGI_SLOT_LENGTH: break;
  case KGI_SLOT_OBJECT_LO: s->object[d->index].lo = dim; break;
  case KGI_SLOT_OBJECT_HI: s->object[d->index].hi = dim; break;
  case KGI_SLOT_PARAM_LO: s->param[d->index].lo = dim; break;
  case KGI_SLOT_PARAM_HI: s->param[d->index].hi = dim; break;
  case KGI_SLOT_WORKGROUP: p->b.p->workgroup[d->index] = dim; break;
  case KGI_SLOT_GRID: p->b.p->grid[d->index] = dim; break;
  }
}

/* All names are declared: the lengths that were passed over can be read. */
static void resolve_deferred(kgi_parser *p) {
  kgi_lexer here = p->lx;
  for (uint32_t i = 0; i < p->deferred_count && !kgi_parser_failed(p); i++) {
    p->lx = p->deferred[i].at;
    kgi_dim dim = kgi_read_dim(p);
    if (!kgi_parser_failed(p)) place_dim(p, &p->deferred[i], dim);
  }
  p->deferred_count = 0;
  p->lx = here;
}

static bool range(kgi_parser *p, unsigned slot, uint32_t index) {
  if (!kgi_take_keyword(p, KGI_KW_in)) return false;
  defer(p, slot, index);
  kgi_need(&p->lx, &p->b, KGI_TOK_RANGE);
  defer(p, slot + 1, index);
  return true;
}

static void three_dims(kgi_parser *p, unsigned slot) {
  uint32_t count = 0;
  do defer(p, slot, count++);
  while (count < 3 && kgi_take(&p->lx, KGI_TOK_COMMA));
}

/* ---- declarations ---- */

bool kgi_read_literal(kgi_parser *p, kg_type *type, uint64_t *bits) {
  kgi_nodes *n = &p->reader.nodes;
  kgi_pos pos = p->lx.token.pos;
  kgi_fresh_nodes(p);
  uint32_t root = kgi_read_expr(&p->reader);
  if (kgi_parser_failed(p) || root == KGI_NO_NODE) return false;
  kgi_node *x = &n->at[root];
  if (n->count != 1 || x->kind != KGI_NODE_LITERAL) {
    KGI_DIAG(p->diags, not_a_literal, pos, "");
    return kgi_fail(&p->b, KG_INVALID), false;
  }
  if (*type == KG_NONE) *type = x->type ? (kg_type)x->type : x->is_float ? KG_F32 : KG_U32;
  kgi_nodes_want(n, root, *type);
  if (x->type != *type) {
    KGI_DIAG(p->diags, type_mismatch, pos, kg_type_name(*type), kg_type_name((kg_type)x->type));
    return kgi_fail(&p->b, KG_INVALID), false;
  }
  return kgi_node_bits(n, x, bits);
}

static uint32_t view_field(kgi_parser *p, const char *word, kgi_tok before) {
  kgi_need(&p->lx, &p->b, before);
  if (!kgi_take_word(p, word)) kgi_syntax_error(&p->lx, &p->b, word);
  return integer(p);
}

static void parse_const(kgi_parser *p) {
  kgi_spec spec = {0};
  kg_type type = KG_NONE;
  uint32_t name = kgi_new_name(p, &spec.pos);
  if (kgi_take(&p->lx, KGI_TOK_COLON)) type = kgi_read_type(p);
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_SET) || !kgi_read_literal(p, &type, &spec.bits)) return;
  if (kgi_take_keyword(p, KGI_KW_view)) {
    spec.numbered = true, spec.id = view_field(p, "id", KGI_TOK_LPAREN);
    kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
  }
  if (kgi_parser_failed(p)) return;
  spec.name = kgi_name_string(p, name);
  spec.type = (uint8_t)type;
  kgi_declare(p, name, KGI_SYM_SPEC, kgi_spec_add(&p->b, &spec), spec.pos);
}

/* In the push constants, or in a block. */
static void param_view(kgi_parser *p, kgi_param *param) {
  param->placed = true;
  kgi_need(&p->lx, &p->b, KGI_TOK_LPAREN);
  param->pushed = kgi_take_word(p, "offset");
  if (!param->pushed && !kgi_take_word(p, "set")) kgi_syntax_error(&p->lx, &p->b, "set or offset");
  if (!param->pushed) {
    param->set = integer(p);
    param->binding = view_field(p, "binding", KGI_TOK_COMMA);
    kgi_need(&p->lx, &p->b, KGI_TOK_COMMA);
    if (!kgi_take_word(p, "offset")) kgi_syntax_error(&p->lx, &p->b, "offset");
  }
  param->offset = integer(p);
  kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
}

static void parse_param(kgi_parser *p) {
  kgi_param param = {0};
  uint32_t name = kgi_new_name(p, &param.pos);
  kgi_need(&p->lx, &p->b, KGI_TOK_COLON);
  kgi_pos at = p->lx.token.pos;
  kg_type type = kgi_read_type(p);
  if (type != KG_NONE && !kgi_type_computes(type)) {
    KGI_DIAG(p->diags, storage_type, at, kg_type_name(type), kg_type_name(kgi_type_value(type)));
    kgi_fail(&p->b, KG_INVALID);
  }
  if (kgi_take(&p->lx, KGI_TOK_SET)) param.has_default = kgi_read_literal(p, &type, &param.bits);
  if (kgi_parser_failed(p)) return;
  param.name = kgi_name_string(p, name);
  param.type = (uint8_t)type;
  uint32_t index = kgi_param_add(&p->b, &param);
  if (range(p, KGI_SLOT_PARAM_LO, index) && !kgi_parser_failed(p)) kgi_builder_scope(&p->b)->param[index].ranged = true;
  if (!kgi_parser_failed(p) && p->b.p && kgi_take_keyword(p, KGI_KW_view)) param_view(p, &p->b.p->scope.param[index]);
  kgi_declare(p, name, KGI_SYM_PARAM, index, param.pos);
}

static kg_mode mode(kgi_parser *p) {
  if (kgi_take_word(p, "read")) return KG_READ;
  if (kgi_take_word(p, "write")) return KG_WRITE;
  if (kgi_take_word(p, "read_write")) return KG_READ_WRITE;
  if (kgi_take_word(p, "temp")) return KG_TEMP;
  kgi_syntax_error(&p->lx, &p->b, "read, write, read_write or temp");
  return KG_READ;
}

static void view(kgi_parser *p, kgi_object *o) {
  o->view = true;
  o->set = view_field(p, "set", KGI_TOK_LPAREN);
  o->binding = view_field(p, "binding", KGI_TOK_COMMA);
  o->offset = view_field(p, "offset", KGI_TOK_COMMA);
  o->stride = view_field(p, "stride", KGI_TOK_COMMA);
  if (p->lx.token.kind == KGI_TOK_COMMA) {
    o->row = view_field(p, "row", KGI_TOK_COMMA);
    if (!kgi_take_word(p, "every")) kgi_syntax_error(&p->lx, &p->b, "every");
    o->every = integer(p);
  }
  kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
}

static uint8_t draw(kgi_parser *p) {
  static const char expected[] = "one of"
#define DRAW(name, ...) " " #name
#include "foundation/ir/draws.def"
    ;
  if (!kgi_take_word(p, "drawn")) return KG_DRAW_EVENLY;
  for (unsigned d = KG_DRAW_EVENLY + 1; d < KG_DRAW_COUNT; d++)
    if (kgi_take_word(p, kg_draw_name((kg_draw)d))) return (uint8_t)d;
  kgi_syntax_error(&p->lx, &p->b, expected);
  return KG_DRAW_EVENLY;
}

/* A buffer, or shared memory, which has neither mode, range, draw nor view. */
static void parse_object(kgi_parser *p, kgi_space space) {
  kgi_object o = {.space = (uint8_t)space, .scalar = true};
  uint32_t name = kgi_new_name(p, &o.pos), index = kgi_builder_scope(&p->b)->object_count;
  kgi_need(&p->lx, &p->b, KGI_TOK_COLON);
  o.type = (uint8_t)kgi_read_type(p);
  if (kgi_take(&p->lx, KGI_TOK_LBRACKET)) {
    o.scalar = false;
    bool host = space == KGI_BUFFER && p->lx.token.kind == KGI_TOK_RBRACKET;
    unsigned count = 0;
    if (!host) do defer(p, KGI_SLOT_LENGTH + count++, index);
      while (more_extents(p, count));
    kgi_need(&p->lx, &p->b, KGI_TOK_RBRACKET);
  }
  if (space == KGI_BUFFER) {
    o.mode = (uint8_t)mode(p);
    o.ranged = range(p, KGI_SLOT_OBJECT_LO, index);
    o.draw = draw(p);
    if (kgi_take_keyword(p, KGI_KW_view)) view(p, &o);
  }
  if (kgi_parser_failed(p)) return;
  o.name = kgi_name_string(p, name);
  kgi_declare(p, name, KGI_SYM_OBJECT, kgi_object_add(&p->b, &o).i, o.pos);
}

static void stated_once(kgi_parser *p, bool again, const char *what, kgi_pos pos) {
  if (!again || kgi_parser_failed(p)) return;
  KGI_DIAG(p->diags, stated_twice, pos, what);
  kgi_fail(&p->b, KG_INVALID);
}

typedef struct header { bool workgroup, grid; } header;

/* One declaration; false where there is none. */
static bool declaration(kgi_parser *p, header *seen) {
  kgi_pos pos = p->lx.token.pos;
  if (kgi_take_keyword(p, KGI_KW_const)) {
    parse_const(p);
  } else if (kgi_take_keyword(p, KGI_KW_workgroup)) {
    stated_once(p, seen->workgroup, "workgroup", pos);
    seen->workgroup = true;
    three_dims(p, KGI_SLOT_WORKGROUP);
  } else if (kgi_take_keyword(p, KGI_KW_grid)) {
    stated_once(p, seen->grid, "grid", pos);
    seen->grid = true;
    if (!kgi_parser_failed(p)) p->b.p->grid_is_invocations = kgi_take_keyword(p, KGI_KW_invocations);
    three_dims(p, KGI_SLOT_GRID);
  } else if (kgi_take_keyword(p, KGI_KW_param)) {
    parse_param(p);
  } else if (kgi_take_keyword(p, KGI_KW_buffer)) {
    parse_object(p, KGI_BUFFER);
  } else if (kgi_take_keyword(p, KGI_KW_shared)) {
    parse_object(p, KGI_SHARED);
  } else if (kgi_take_keyword(p, KGI_KW_fn)) {
    kgi_parse_fn(p);
  } else {
    return false;
  }
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  return !kgi_parser_failed(p);
}

/* ---- programs, modules, files ---- */

/* Tables of a long text as large as it may need them: growing them would leave copies behind. */
static void reserve(kgi_parser *p, size_t text) {
  uint32_t names = (uint32_t)(text / BYTES_PER_NAME);
  if (text < LONG_TEXT) return;
  kgi_reserve_instructions(&p->b, (uint32_t)(text / BYTES_PER_INSTRUCTION));
  kgi_arena_reserve(&p->scratch, &p->name, p->name_count, &p->name_cap, names, sizeof *p->name);
  kgi_arena_reserve(&p->scratch, &p->symbol, p->symbol_count, &p->symbol_cap, names, sizeof *p->symbol);
  kgi_arena_reserve(&p->m->arena, &p->m->string, p->m->string_count, &p->m->string_cap, names, sizeof *p->m->string);
}

static void name_adjoint(kgi_parser *p) {
  kgi_adjoint_name adjoint = {.program = p->m->program_count, .name = p->lx.token};
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME)) return;
  if (!kgi_arena_grow(&p->scratch, &p->adjoint, p->adjoint_count, &p->adjoint_cap, sizeof *p->adjoint)) return;
  p->adjoint[p->adjoint_count++] = adjoint;
}

/* It may stand behind the program whose adjoint it is. */
static void find_adjoints(kgi_parser *p) {
  for (uint32_t i = 0; i < p->adjoint_count && !kgi_parser_failed(p); i++) {
    const kgi_token *t = &p->adjoint[i].name;
    uint32_t program = t->name ? p->name[t->name].program : 0;
    if (program) {
      p->m->program[p->adjoint[i].program]->adjoint = program;
      continue;
    }
    KGI_DIAG(p->diags, no_such_program, t->pos, kgi_string(p->m, kgi_name_string(p, t->name)));
    kgi_fail(&p->b, KG_INVALID);
  }
}

bool kgi_is_program(kgi_parser *p, uint32_t name, kgi_pos pos) {
  const kgi_name_entry *e = &p->name[name];
  if (kgi_parser_failed(p) || (!e->program && !e->call)) return kgi_parser_failed(p);
  kgi_pos before = e->call ? p->call[e->call - 1].pos : p->m->program[e->program]->pos;
  KGI_DIAG(p->diags, name_in_use, pos, kgi_string(p->m, kgi_name_string(p, name)), KGI_NUM(kgi_pos_line(before)));
  return kgi_fail(&p->b, KG_INVALID), true;
}

static void parse_program(kgi_parser *p) {
  kgi_pos pos, opener;
  header seen = {0};
  uint32_t name = kgi_new_name(p, &pos), outer = p->visible_from, mark = p->symbol_count;
  if (kgi_take_word(p, "adjoint")) name_adjoint(p);
  if (!kgi_need_open(p, &opener)) return;
  if (kgi_is_program(p, name, pos)) return;
  p->b.pos = pos;
  p->name[name].program = p->m->program_count;
  kgi_begin_program(&p->b, kgi_string(p->m, kgi_name_string(p, name)));
  if (p->lone) reserve(p, (size_t)(p->lx.end - p->lx.at));
  p->visible_from = mark;
  while (declaration(p, &seen)) {}
  resolve_deferred(p);
  kgi_parse_statements(p, opener);
  kgi_close_scope(p, mark);
  p->visible_from = outer;
  kgi_end_program(&p->b);
}

static void module_declarations(kgi_parser *p) {
  while (!kgi_parser_failed(p)) {
    if (kgi_take_keyword(p, KGI_KW_param)) parse_param(p);
    else if (kgi_take_keyword(p, KGI_KW_buffer)) parse_object(p, KGI_BUFFER);
    else break;
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  }
  resolve_deferred(p);
}

static void parse_module(kgi_parser *p) {
  kgi_pos opener;
  uint32_t name = kgi_new_name(p, &p->m->pos);
  if (!kgi_need_open(p, &opener)) return;
  p->m->name = kgi_name_string(p, name);
  module_declarations(p);
  for (bool more = true; more && !kgi_parser_failed(p);) {
    if (kgi_take_keyword(p, KGI_KW_fn)) kgi_parse_fn(p);
    else if (kgi_take_keyword(p, KGI_KW_program)) parse_program(p);
    else if (kgi_take_word(p, "use")) kgi_parse_module_use(p);
    else more = false;
  }
  find_adjoints(p);
  kgi_parse_work(p, 0, opener);
}

static const char *what_begins(const kgi_parser *p) {
  return kgi_at_keyword(p, KGI_KW_fn) ? "'program' or 'module', inside of which functions stand (a file of functions alone is for `use`)," : "'program' or 'module'";
}

static const char *what_ends(const kgi_parser *p) {
  bool another = kgi_at_keyword(p, KGI_KW_program) || kgi_at_keyword(p, KGI_KW_module);
  return another ? "the end of the text (several programs stand in one module)" : "the end of the text";
}

static void parse_file(kgi_parser *p) {
  kgi_parse_uses(p);
  bool lone = kgi_take_keyword(p, KGI_KW_program);
  p->lone = lone;
  if (lone) parse_program(p), find_adjoints(p);
  else if (kgi_take_keyword(p, KGI_KW_module)) parse_module(p);
  else if (!kgi_foreign_token(p, false)) kgi_syntax_error(&p->lx, &p->b, what_begins(p));
  if (!kgi_parser_failed(p) && p->lx.token.kind != KGI_TOK_END) kgi_syntax_error(&p->lx, &p->b, what_ends(p));
  if (lone && !kgi_parser_failed(p)) kgi_module_finish_lone(p->m);
}

bool kgi_take_text(kgi_parser *p, size_t size, kgi_pos pos) {
  if (size > MAX_TEXT - p->text_size) {
    KGI_DIAG(p->diags, too_large, pos, "the size of the text", KGI_NUM(MAX_TEXT));
    kgi_fail(&p->b, KG_INVALID);
    return false;
  }
  p->text_size += size;
  p->m->arena.limit = p->scratch.limit = BASE_MEMORY + p->text_size * MEMORY_PER_BYTE;
  return true;
}

static bool start(kgi_parser *p, const kg_allocator *alloc, const char *text, size_t size) {
  kgi_arena_init(&p->scratch, alloc);
  kgi_builder_init(&p->b, p->m, p->diags);
  p->reader = (kgi_expr_reader){.lx = &p->lx, .name = kgi_resolve_name, .atomic = kgi_resolve_atomic, .length = kgi_resolve_len,
                                .user = p, .nodes = {.arena = &p->scratch, .b = &p->b, .budget = INLINED, .meets = kgi_index_meets,
                                                     .joins = kgi_index_joins, .user = p}};
  bool fine = kgi_take_text(p, size, 0) && kgi_arena_grow(&p->scratch, &p->name, 0, &p->name_cap, sizeof *p->name) &&
              kgi_arena_grow(&p->scratch, &p->symbol, 0, &p->symbol_cap, sizeof *p->symbol) &&
              kgi_arena_grow(&p->scratch, &p->decision, 0, &p->decision_cap, sizeof *p->decision) &&
              kgi_arena_grow(&p->scratch, &p->index, 0, &p->index_cap, sizeof *p->index);
  p->name_count = p->symbol_count = p->decision_count = p->index_count = 1;
  if (fine) kgi_add_words(p);
  fine = !p->scratch.failed;
  if (fine) kgi_lexer_init(&p->lx, text, size, p->diags, kgi_classify, p);
  return fine;
}

kg_status kg_module_parse(const kg_allocator *alloc, const char *name, const char *text, size_t size, const kg_sink *sink,
                          kg_module **out) {
  return kg_module_parse_with(alloc, name, text, size, NULL, sink, out);
}

kg_status kg_module_parse_with(const kg_allocator *alloc, const char *name, const char *text, size_t size, const kg_loader *loader,
                               const kg_sink *sink, kg_module **out) {
  KGI_OWN_FLOATS;
  return kgi_parse_text(alloc, &(kgi_text){name, text, size, loader, NULL}, sink, out);
}

kg_status kgi_parse_text(const kg_allocator *alloc, const kgi_text *text, const kg_sink *sink, kg_module **out) {
  kgi_diags diags = {.sink = sink, .file = text->name};
  kgi_parser p = {.diags = &diags, .m = kgi_module_new(alloc, text->name), .loader = text->loader, .caller = text->caller};
  size_t used_size = 0;
  p.used_size = text->caller ? text->caller->used_size : &used_size;
  if (!p.m) {
    KGI_DIAG(&diags, no_memory, 0, "");
    return KG_NO_MEMORY;
  }
  if (start(&p, alloc, text->text, text->size)) parse_file(&p);
  if (p.scratch.failed || p.m->arena.failed) p.b.status = KG_NO_MEMORY; /* whatever else it led to */
  kg_status status = kgi_builder_status(&p.b);
  kgi_free_calls(&p);
  kgi_arena_free(&p.scratch);
  p.m->arena.limit = 0;
  /* a program that leaves its grid to the run is nothing by itself */
  bool part = text->caller && p.m->lone && !kgi_dim_is_set(p.m->program[1]->grid);
  if (status == KG_OK && !part) status = kgi_validate(p.m, &diags);
  if (status == KG_OK) *out = p.m;
  else kg_module_free(p.m);
  return status;
}
