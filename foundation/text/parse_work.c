/* A module's order of work: runs and repeats. */
#include "foundation/text/parse.h"
#include "foundation/ir/slices.h"

#include <stdio.h>
#include <string.h>

enum { TARGET_PARAM = 1u << 31 };

static uint32_t entry_of(kgi_parser *p, kgi_str name) {
  const char *text = kgi_string(p->m, name);
  return kgi_name_entry_of(p, text, strlen(text));
}

/* Notes in the table of names what the program calls its buffers and params; or forgets it. */
static void mark_targets(kgi_parser *p, const kgi_program *program, bool on) {
  for (uint32_t i = 1, end = kgi_buffer_end(&program->scope); i < end; i++)
    p->name[entry_of(p, program->scope.object[i].name)].target = on ? i : 0;
  for (uint32_t i = 1; i < program->scope.param_count; i++)
    p->name[entry_of(p, program->scope.param[i].name)].target = on ? i | TARGET_PARAM : 0;
}

/* What the scope declares and may be bound, as far as there is room for it. */
static void list_targets(const kg_module *m, const kgi_scope *scope, char text[200]) {
  int used = 0;
  text[0] = 0;
  for (uint32_t i = 1; i < scope->object_count + scope->param_count && used < 150; i++) {
    const kgi_object *o = i < scope->object_count ? &scope->object[i] : NULL;
    if (i == scope->object_count || (o && (o->space != KGI_BUFFER || o->mode == KG_TEMP))) continue;
    kgi_str name = o ? o->name : scope->param[i - scope->object_count].name;
    used += snprintf(text + used, 200 - (size_t)used, "%s%.40s", used ? ", " : "", kgi_string(m, name));
  }
  if (!used) snprintf(text, 200, "nothing");
}

void kgi_bad_argument(kgi_parser *p, const kgi_token *t, const char *program, const kg_module *m, const kgi_scope *scope, bool twice) {
  const char *name = kgi_string(p->m, kgi_name_string(p, t->name));
  char targets[200];
  list_targets(m, scope, targets);
  if (twice) KGI_DIAG(p->diags, stated_twice, t->pos, name);
  else KGI_DIAG(p->diags, no_such_argument, t->pos, program, name, targets);
  kgi_fail(&p->b, KG_INVALID);
}

/* The module's buffer that an argument names. */
static uint32_t module_buffer(kgi_parser *p) {
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME)) return 0;
  kgi_symbol s = kgi_lookup(p, t.name);
  if (s.kind == KGI_SYM_OBJECT) return s.index;
  if (s.kind == KGI_SYM_NONE) return kgi_unknown_name(p, &t), 0;
  KGI_DIAG(p->diags, wrong_kind_of_name, t.pos, kgi_string(p->m, kgi_name_string(p, t.name)), "buffer of the module");
  kgi_fail(&p->b, KG_INVALID);
  return 0;
}

uint32_t kgi_read_buffer(kgi_parser *p, kgi_slice *slice) {
  uint32_t buffer = module_buffer(p);
  *slice = (kgi_slice){{0}, {0}};
  if (kgi_take(&p->lx, KGI_TOK_LBRACKET)) {
    slice->from = kgi_read_dim(p);
    kgi_need(&p->lx, &p->b, KGI_TOK_RANGE);
    slice->to = kgi_read_dim(p);
    kgi_need(&p->lx, &p->b, KGI_TOK_RBRACKET);
  }
  return buffer;
}

static void buffer_argument(kgi_parser *p, uint32_t item, uint32_t object) {
  kgi_slice slice;
  uint32_t buffer = kgi_read_buffer(p, &slice);
  kgi_run_bind_slice(&p->b, item, object, buffer, slice);
}

static void argument(kgi_parser *p, const kgi_program *program, uint32_t item, uint32_t buffers) {
  uint32_t *bind = p->m->bind + p->m->item[item].binding;
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME) || !kgi_need(&p->lx, &p->b, KGI_TOK_SET)) return;
  uint32_t target = t.name ? p->name[t.name].target : 0, index = target & ~TARGET_PARAM;
  if (!index) {
    kgi_bad_argument(p, &t, kgi_string(p->m, program->name), p->m, &program->scope, target != 0);
    return;
  }
  p->name[t.name].target = TARGET_PARAM; /* bound; a second time is an error */
  if (!(target & TARGET_PARAM)) buffer_argument(p, item, index);
  else if (!kgi_take_keyword(p, KGI_KW_default)) bind[buffers + index - 1] = kgi_read_dim(p).i;
}

/* What was left out binds what has its name in the module. */
static void bind_by_name(kgi_parser *p, kgi_str name, uint32_t *bind, bool is_param) {
  uint32_t entry = entry_of(p, name);
  kgi_symbol s = kgi_lookup(p, entry);
  if (p->name[entry].target == TARGET_PARAM) return;
  if (!is_param && s.kind == KGI_SYM_OBJECT) *bind = s.index;
  if (is_param && s.kind == KGI_SYM_PARAM) *bind = kgi_len_param(&p->b, s.index).i;
  if (is_param && s.kind == KGI_SYM_INDEX) *bind = kgi_dim_leaf(&p->m->arena, &p->m->scope, KGI_DIM_INDEX, s.index).i;
}

static void arguments(kgi_parser *p, uint32_t item, const kgi_program *program) {
  uint32_t *bind = p->m->bind + p->m->item[item].binding, buffers = kgi_buffer_end(&program->scope) - 1;
  mark_targets(p, program, true);
  if (kgi_take(&p->lx, KGI_TOK_LPAREN)) {
    while (p->lx.token.kind != KGI_TOK_RPAREN && !kgi_parser_failed(p)) {
      argument(p, program, item, buffers);
      if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
    }
    kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
  }
  for (uint32_t i = 1; i <= buffers && !kgi_parser_failed(p); i++)
    bind_by_name(p, program->scope.object[i].name, &bind[i - 1], false);
  for (uint32_t i = 1; i < program->scope.param_count && !kgi_parser_failed(p); i++)
    bind_by_name(p, program->scope.param[i].name, &bind[buffers + i - 1], true);
  if (!p->scratch.failed) mark_targets(p, program, false);
}

bool kgi_read_grid(kgi_parser *p, kgi_dim dims[3], bool *invocations) {
  bool grid = kgi_take_keyword(p, KGI_KW_grid);
  *invocations = kgi_take_keyword(p, KGI_KW_invocations);
  if (grid || *invocations) kgi_read_dims(p, dims);
  return grid || *invocations;
}

static uint32_t run(kgi_parser *p, kgi_pos pos) {
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME)) return 0;
  if (t.name && p->name[t.name].call) return kgi_parse_call(p, p->name[t.name].call - 1, pos);
  uint32_t program = t.name ? p->name[t.name].program : 0;
  if (!program) {
    KGI_DIAG(p->diags, no_such_program, t.pos, kgi_string(p->m, kgi_name_string(p, t.name)));
    return kgi_fail(&p->b, KG_INVALID), 0;
  }
  p->b.pos = pos;
  uint32_t item = kgi_run_begin(&p->b, program);
  if (kgi_parser_failed(p)) return 0;
  arguments(p, item, p->m->program[program]);
  kgi_dim dims[3] = {{0}};
  bool invocations;
  if (!kgi_read_grid(p, dims, &invocations)) return item;
  kgi_item *it = &p->m->item[item];
  it->grid_is_invocations = invocations;
  for (unsigned i = 0; i < 3; i++) it->grid[i] = dims[i];
  return item;
}

static uint32_t repeat(kgi_parser *p, kgi_pos pos) {
  kgi_pos opener, at;
  kgi_dim step = {0};
  uint32_t name = kgi_new_name(p, &at), mark = p->symbol_count;
  if (++p->repeats > KGI_MAX_DEPTH && !kgi_parser_failed(p)) {
    KGI_DIAG(p->diags, too_large, pos, "the nesting of repeats", KGI_NUM(KGI_MAX_DEPTH));
    kgi_fail(&p->b, KG_INVALID);
  }
  if (!kgi_take_keyword(p, KGI_KW_in)) kgi_syntax_error(&p->lx, &p->b, "'in'");
  kgi_dim from = kgi_read_dim(p);
  kgi_need(&p->lx, &p->b, KGI_TOK_RANGE);
  kgi_dim to = kgi_read_dim(p);
  if (kgi_take_word(p, "step")) step = kgi_read_dim(p);
  bool reversed = kgi_take_word(p, "reversed");
  if (kgi_parser_failed(p) || !kgi_need_open(p, &opener)) return 0;
  p->b.pos = pos;
  uint32_t item = kgi_repeat_begin(&p->b, kgi_string(p->m, kgi_name_string(p, name)), from, to, step, reversed);
  kgi_declare(p, name, KGI_SYM_INDEX, item, at);
  kgi_parse_work(p, item, opener);
  kgi_close_scope(p, mark);
  p->repeats--;
  return item;
}

static void misplaced(kgi_parser *p, const kgi_token *t, bool inside) {
  static const uint8_t of_programs[] = {KGI_KW_const, KGI_KW_workgroup, KGI_KW_grid, KGI_KW_shared};
  for (size_t i = 0; i < sizeof of_programs && t->word.class == KGI_WORD_KEYWORD; i++)
    if (t->word.index == of_programs[i]) {
      char name[16];
      snprintf(name, sizeof name, "%.*s", (int)t->length, t->text);
      KGI_DIAG(p->diags, not_of_module, t->pos, name);
      kgi_fail(&p->b, KG_INVALID);
      return;
    }
  kgi_syntax_error(&p->lx, &p->b, inside ? "'run' or 'repeat'" : "'run' or 'repeat' (declarations and programs come first)");
}

void kgi_parse_work(kgi_parser *p, uint32_t parent, kgi_pos opener) {
  for (uint32_t last = 0; !kgi_at_close(p, opener);) {
    kgi_pos pos = p->lx.token.pos;
    uint32_t item = 0;
    if (kgi_take_keyword(p, KGI_KW_run)) item = run(p, pos);
    else if (kgi_take_keyword(p, KGI_KW_repeat)) item = repeat(p, pos);
    else misplaced(p, &p->lx.token, parent != 0);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
    if (kgi_parser_failed(p)) return;
    if (!item) continue; /* what is used runs nothing */
    if (last) p->m->item[last].next = item;
    else if (parent) p->m->item[parent].first = item;
    else p->m->first_item = item;
    for (last = item; p->m->item[last].next;) last = p->m->item[last].next; /* a run of what is used may be several */
  }
}
