/* `for`, and the type of its index. Where the bounds and the step are bare literals, the first typed operand that the index meets
 * gives it its type, and i32 is what it has if there is none. What lets make of the index and of literals counts as the index.
 *
 * The loop is read as one of i32; where its index turns out to be of another type, it is read again as one of that. */
#include "foundation/text/parse.h"

/* ---- the type of an index ---- */

static kgi_index *first_alike(kgi_parser *p, uint32_t loop) {
  while (p->index[loop].with != loop) loop = p->index[loop].with;
  return &p->index[loop];
}

static void conflict(kgi_parser *p, const kgi_index *x, kg_type type, kgi_pos pos) {
  if (kgi_parser_failed(p)) return;
  KGI_DIAG(p->diags, index_conflict, pos, kgi_string(p->m, kgi_name_string(p, x->name)), kg_type_name((kg_type)x->type),
           KGI_NUM(kgi_pos_line(x->pos)), kg_type_name(type));
  kgi_fail(&p->b, KG_INVALID);
}

void kgi_index_meets(void *user, uint32_t loop, kg_type type, kgi_pos pos) {
  kgi_parser *p = user;
  kgi_index *x = first_alike(p, loop);
  if (!kgi_is_int(type) || x->type == type) return; /* where it can be neither, its user says so */
  if (x->type != KG_NONE) conflict(p, x, type, pos);
  else if (type == KG_I32) x->type = KG_I32, x->pos = pos;
  else kgi_decide(p, (kgi_decision){.at = x->at, .type = (uint8_t)type, .pos = pos});
}

uint32_t kgi_index_joins(void *user, uint32_t loop, uint32_t other, kgi_pos pos) {
  kgi_parser *p = user;
  uint32_t a = (uint32_t)(first_alike(p, loop) - p->index), b = (uint32_t)(first_alike(p, other) - p->index);
  if (a == b) return a;
  if (p->index[a].type != KG_NONE) return kgi_index_meets(p, b, (kg_type)p->index[a].type, pos), a;
  if (p->index[b].type != KG_NONE) return kgi_index_meets(p, a, (kg_type)p->index[b].type, pos), b;
  uint32_t outer = a < b ? a : b;
  p->index[a].with = p->index[b].with = outer;
  return outer;
}

/* A new one, of the type that was found out when the loop was read before. */
static uint32_t open_index(kgi_parser *p, const char *at, uint32_t name) {
  const kgi_decision *known = kgi_decided(p, at);
  if (!kgi_arena_grow(&p->scratch, &p->index, p->index_count, &p->index_cap, sizeof *p->index)) return 0;
  p->index[p->index_count] = (kgi_index){.at = at, .name = name, .with = p->index_count, .type = known ? known->type : KG_NONE,
                                         .pos = known ? known->pos : 0};
  return p->index_count++;
}

/* ---- the loop ---- */

typedef struct bounds { uint32_t node[3]; unsigned count; bool reversed; uint32_t loop; } bounds;

static bool are_bare(const kgi_parser *p, const bounds *b) {
  for (unsigned k = 0; k < b->count; k++) {
    const kgi_node *x = &p->reader.nodes.at[b->node[k]];
    if (x->type != KG_NONE || x->floating) return false;
  }
  return true;
}

static void type_bounds(kgi_parser *p, bounds *b, const char *at, uint32_t name) {
  if (kgi_parser_failed(p)) return;
  if (!are_bare(p, b)) {
    b->loop = kgi_nodes_alike(&p->reader.nodes, b->node, b->count);
    return;
  }
  b->loop = open_index(p, at, name);
  kg_type type = b->loop && p->index[b->loop].type ? (kg_type)p->index[b->loop].type : KG_I32;
  for (unsigned k = 0; k < b->count; k++) kgi_nodes_want(&p->reader.nodes, b->node[k], type);
}

static void read_bound(kgi_parser *p, bounds *b) {
  uint32_t node = kgi_parser_failed(p) ? KGI_NO_NODE : kgi_read_expr(&p->reader);
  b->node[b->count++] = node;
}

static bounds read_bounds(kgi_parser *p) {
  bounds b = {.count = 0};
  kgi_fresh_nodes(p);
  read_bound(p, &b);
  kgi_need(&p->lx, &p->b, KGI_TOK_RANGE);
  read_bound(p, &b);
  if (kgi_take_word(p, "step")) read_bound(p, &b);
  b.reversed = kgi_take_word(p, "reversed");
  return b;
}

/* A step that is no step whatever the params are. */
static void check_step(kgi_parser *p, kgi_val step, kgi_pos pos) {
  if (kgi_parser_failed(p) || !step.i) return;
  const kgi_inst *x = &p->b.p->inst[step.i];
  uint64_t bits = kgi_literal_bits(x);
  bool is_signed = kgi_type_kind_of(x->type) == KGI_SINT;
  if (x->kind != KGI_literal || (is_signed ? kgi_bits_to_int((kg_type)x->type, bits) > 0 : bits > 0)) return;
  KGI_DIAG(p->diags, literal_step, pos, "");
  kgi_fail(&p->b, KG_INVALID);
}

static kgi_val begin(kgi_parser *p, const bounds *b, uint32_t name, kgi_pos pos) {
  kgi_val value[3] = {{0}, {0}, {0}};
  for (unsigned k = 0; k < b->count; k++) value[k] = p->reader.nodes.at[b->node[k]].value;
  check_step(p, value[2], b->count > 2 ? p->reader.nodes.at[b->node[2]].pos : pos);
  p->b.pos = pos;
  return kgi_for_begin(&p->b, kgi_string(p->m, kgi_name_string(p, name)), value[0], value[1], value[2], b->reversed);
}

static void for_loop(kgi_parser *p, kgi_pos pos) {
  kgi_pos at;
  const char *text = p->lx.token.text;
  if (p->lx.token.kind == KGI_TOK_LPAREN) kgi_foreign(p, "for (", p->lx.token.pos);
  uint32_t name = kgi_new_name(p, &at), mark = p->symbol_count, indices = p->index_count;
  if (!kgi_take_keyword(p, KGI_KW_in)) kgi_syntax_error(&p->lx, &p->b, "'in'");
  bounds b = read_bounds(p);
  type_bounds(p, &b, text, name);
  if (!kgi_parse_build(p)) return;
  kgi_val index = begin(p, &b, name, pos);
  kgi_declare(p, name, KGI_SYM_VALUE, index.i, at);
  if (!kgi_parser_failed(p)) p->symbol[p->symbol_count - 1].loop = b.loop;
  kgi_parse_block(p);
  kgi_close_scope(p, mark);
  p->index_count = indices;
  kgi_end(&p->b);
}

void kgi_parse_for(kgi_parser *p, kgi_pos pos) {
  kgi_attempt a = kgi_attempt_begin(p);
  uint32_t indices = p->index_count;
  do p->index_count = indices, for_loop(p, pos);
  while (kgi_attempt_again(p, &a));
}
