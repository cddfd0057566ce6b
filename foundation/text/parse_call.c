/* `use "file.kg" as name`, `use primitive softmax(workgroup = 128) as name`, `use gradient "file.kg" (of y) as name` inside of a module:
 * another text, a program or a module, whose runs are those of this one wherever `run name(...)` stands. The text is read by itself. Its programs are copied once; each run
 * copies its order of work, in which what the run binds stands for the other module's buffers and params, and gets temporaries of its own. */
#include "foundation/text/parse.h"
#include "foundation/ir/append.h"
#include "foundation/ir/dim.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEEP = 8, MOST_TEXT = 1 << 26, PER_TEXT = 1 << 12, MOST_RUNS = 1 << 18, MOST_TEMPS = 4096, MOST_PROGRAMS = 8192 };

/* ---- what is asked for ---- */

static bool too_large(kgi_parser *p, const char *what, int most, kgi_pos pos) {
  KGI_DIAG(p->diags, too_large, pos, what, KGI_NUM(most));
  return kgi_fail(&p->b, KG_INVALID), false;
}

/* As text, without blanks: "primitive softmax(rows=3,workgroup=128)". */
static bool append(kgi_parser *p, char path[KGI_MAX_PATH], kgi_tok kind, const char *end) {
  kgi_token t = p->lx.token;
  size_t used = strlen(path);
  if (!kgi_need(&p->lx, &p->b, kind)) return false;
  if (used + t.length + strlen(end) + 2 > KGI_MAX_PATH) return kgi_syntax_error(&p->lx, &p->b, "fewer letters"), false;
  snprintf(path + used, KGI_MAX_PATH - used, "%.*s%s", (int)t.length, t.text, end);
  return true;
}

static bool read_primitive(kgi_parser *p, char path[KGI_MAX_PATH]) {
  strcpy(path, "primitive ");
  if (!append(p, path, KGI_TOK_NAME, "(")) return false;
  bool more = kgi_take(&p->lx, KGI_TOK_LPAREN);
  while (more && p->lx.token.kind != KGI_TOK_RPAREN) {
    if (!append(p, path, KGI_TOK_NAME, "=") || !kgi_need(&p->lx, &p->b, KGI_TOK_SET)) return false;
    if (!append(p, path, p->lx.token.kind == KGI_TOK_FLOAT ? KGI_TOK_FLOAT : KGI_TOK_INT, ",")) return false;
    if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
  }
  if (more && !kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN)) return false;
  size_t used = strlen(path);
  if (path[used - 1] == ',') used--;
  memcpy(path + used, ")", 2);
  return true;
}

/* `"net.kg" (of loss, wrt w)` as "gradient(of=loss,wrt=w) net.kg". */
static bool read_gradient(kgi_parser *p, char path[KGI_MAX_PATH]) {
  char file[KGI_MAX_PATH];
  if (!kgi_read_path(p, file)) return false;
  strcpy(path, "gradient(");
  bool more = kgi_take(&p->lx, KGI_TOK_LPAREN);
  while (more && p->lx.token.kind != KGI_TOK_RPAREN) {
    bool of = kgi_take_word(p, "of");
    if (!of && !kgi_take_word(p, "wrt")) return kgi_syntax_error(&p->lx, &p->b, "'of' or 'wrt'"), false;
    size_t used = strlen(path);
    if (used + 6 > KGI_MAX_PATH) return kgi_syntax_error(&p->lx, &p->b, "fewer letters"), false;
    memcpy(path + used, of ? "of=" : "wrt=", of ? 4 : 5);
    if (!append(p, path, KGI_TOK_NAME, ",")) return false;
    if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
  }
  if (more && !kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN)) return false;
  size_t used = strlen(path), length = strlen(file);
  if (path[used - 1] == ',') used--;
  if (used + length + 3 > KGI_MAX_PATH) return kgi_syntax_error(&p->lx, &p->b, "fewer letters"), false;
  memcpy(path + used, ") ", 3);
  memcpy(path + used + 2, file, length + 1);
  return true;
}

/* The text that is asked for, as a loader knows it. */
static bool read_source(kgi_parser *p, char path[KGI_MAX_PATH]) {
  if (kgi_take_word(p, "primitive")) return read_primitive(p, path);
  return kgi_take_word(p, "gradient") ? read_gradient(p, path) : kgi_read_path(p, path);
}

/* ---- its programs ---- */

/* The one run that the module consists of; 0: it is not one. */
static uint32_t only_run(const kg_module *m) {
  const kgi_item *first = &m->item[m->first_item];
  return m->first_item && !first->next && first->kind == KGI_ITEM_RUN ? m->first_item : 0;
}

/* The one that is run alone has the name that stands here, others have it in front of theirs. */
static void add_programs(kgi_parser *p, kgi_call *call) {
  char prefix[200];
  const kg_module *from = call->module;
  kgi_appending append = {.b = &p->b, .from = from, .prefix = prefix, .pos = call->pos};
  snprintf(prefix, sizeof prefix, "%.190s_", kgi_string(p->m, kgi_name_string(p, call->name)));
  if (p->m->program_count + from->program_count > MOST_PROGRAMS) {
    too_large(p, "the number of programs", MOST_PROGRAMS, call->pos);
    return;
  }
  if (!kgi_append_programs(&append)) kgi_fail(&p->b, KG_NO_MEMORY);
  else if (!from->lone) kgi_append_ranges(&append);
  call->base = append.base;
  if (kgi_parser_failed(p)) return;
  uint32_t only = only_run(from) ? call->base + from->item[only_run(from)].program : 0;
  if (only) p->m->program[only]->name = kgi_name_string(p, call->name);
  for (uint32_t i = call->base + 1; i < p->m->program_count; i++) {
    const char *name = kgi_string(p->m, p->m->program[i]->name);
    uint32_t entry = kgi_name_entry_of(p, name, strlen(name));
    if (entry) p->name[entry].program = i;
  }
}

/* No text comes to use itself, and all of them together are read in bounded time. */
static bool may_use(kgi_parser *p, const char *path, kgi_pos pos) {
  unsigned depth = 0;
  for (const kgi_parser *q = p; q; q = q->caller, depth++)
    if (q->diags->file && !strcmp(q->diags->file, path)) {
      KGI_DIAG(p->diags, use_cycle, pos, path);
      return kgi_fail(&p->b, KG_INVALID), false;
    }
  if (depth > MOST_DEEP) return too_large(p, "the nesting of files", MOST_DEEP, pos);
  if (*p->used_size > MOST_TEXT) return too_large(p, "the size of the texts that are used", MOST_TEXT, pos);
  return true;
}

void kgi_parse_module_use(kgi_parser *p) {
  char path[KGI_MAX_PATH];
  const char *text;
  size_t size;
  kgi_call call = {.pos = p->lx.token.pos};
  if (!read_source(p, path) || kgi_parser_failed(p)) return;
  if (!kgi_take_word(p, "as")) kgi_syntax_error(&p->lx, &p->b, "'as'");
  kgi_pos pos;
  call.name = kgi_new_name(p, &pos);
  kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  if (kgi_is_program(p, call.name, pos)) return;
  const char *file = kgi_arena_strdup(&p->scratch, path, strlen(path));
  if (!file || !may_use(p, file, call.pos) || !kgi_load_text(p, file, call.pos, &text, &size)) return;
  *p->used_size += size + PER_TEXT;
  kg_status status = kgi_parse_text(&p->scratch.alloc, &(kgi_text){file, text, size, p->loader, p}, p->diags->sink, &call.module);
  if (status != KG_OK) {
    kgi_fail(&p->b, status);
    return;
  }
  if (!kgi_arena_grow(&p->scratch, &p->call, p->call_count, &p->call_cap, sizeof *p->call)) {
    kg_module_free(call.module);
    return;
  }
  call.module->made |= !strncmp(path, "gradient(", 9);
  p->m->made |= call.module->made;
  p->call[p->call_count++] = call;
  add_programs(p, &p->call[p->call_count - 1]);
  p->name[call.name].call = p->call_count;
}

void kgi_free_calls(kgi_parser *p) {
  for (uint32_t i = 0; i < p->call_count; i++) kg_module_free(p->call[i].module);
}

/* ---- a run of it ---- */

/* What stands for each of its buffers and params. */
typedef struct binding {
  uint32_t *object, *param; /* `param`: dims; by the module's numbers */
  kgi_slice *slice;
  bool *given;              /* by param: stated, `default` too */
} binding;

static void fail_argument(kgi_parser *p, const kgi_call *call, const kgi_token *t, bool twice) {
  kgi_bad_argument(p, t, kgi_string(p->m, kgi_name_string(p, call->name)), call->module, &call->module->scope, twice);
}

static void argument(kgi_parser *p, const kgi_call *call, binding *bind) {
  kgi_token t = p->lx.token;
  if (!kgi_need(&p->lx, &p->b, KGI_TOK_NAME) || !kgi_need(&p->lx, &p->b, KGI_TOK_SET)) return;
  const kg_module *m = call->module;
  const char *name = kgi_string(p->m, kgi_name_string(p, t.name));
  uint32_t object = kgi_find_object(m, &m->scope, name), param = kgi_find_param(m, &m->scope, name);
  if (object && m->scope.object[object].mode == KG_TEMP) object = 0;
  if (!object && !param) fail_argument(p, call, &t, false);
  else if (object ? bind->object[object] : bind->given[param]) fail_argument(p, call, &t, true);
  else if (object) bind->object[object] = kgi_read_buffer(p, &bind->slice[object]);
  else {
    bind->given[param] = true;
    if (!kgi_take_keyword(p, KGI_KW_default)) bind->param[param] = kgi_read_dim(p).i;
  }
}

/* The param's default, as a length. */
static uint32_t default_of(kgi_parser *p, const kgi_param *param) {
  kg_type type = (kg_type)param->type;
  if (kgi_is_float(type)) return kgi_dim_float(&p->m->arena, &p->m->scope, kgi_bits_to_double(type, param->bits)).i;
  return kgi_dim_int(&p->m->arena, &p->m->scope, type == KG_BOOL ? (int64_t)param->bits : kgi_bits_to_int(type, param->bits)).i;
}

/* ---- lengths, and who meets whom ---- */

static uint32_t buffer_length(const kgi_parser *p, uint32_t object) { return p->m->scope.object[object].length.i; }

/* Whether a - b is a constant, which is at least `least` and at most `most`. */
static bool differ_by(kgi_parser *p, kgi_dim a, kgi_dim b, int64_t least, int64_t most) {
  kgi_dim d = a.i && b.i ? kgi_dim_difference(&p->m->arena, &p->m->scope, a, b) : (kgi_dim){0};
  const kgi_dim_node *n = &p->m->scope.dim[d.i];
  return d.i && n->op == KGI_DIM_INT && n->imm >= least && n->imm <= most;
}

/* What is bound has as many elements as the other module declares: of a longer buffer its first ones. A slice says how many it has, and
 * a view is bound whole, so both must show it. */
static void hold_to_length(kgi_parser *p, const kgi_call *call, const kgi_appending *append, binding *bind, uint32_t o) {
  const kgi_object *declared = &call->module->scope.object[o];
  const kgi_object *bound = &p->m->scope.object[bind->object[o]];
  kgi_slice *slice = &bind->slice[o];
  kgi_dim length = kgi_append_dim(append, declared->length);
  if (!declared->length.i || declared->scalar || bound->scalar || kgi_parser_failed(p)) return;
  kgi_dim own = slice->to.i ? kgi_dim_difference(&p->m->arena, &p->m->scope, slice->to, slice->from) : (kgi_dim){buffer_length(p, bind->object[o])};
  if (differ_by(p, own, length, 0, 0)) return;
  if (!slice->to.i && !bound->view) {
    *slice = (kgi_slice){kgi_dim_int(&p->m->arena, &p->m->scope, 0), length};
    return;
  }
  KGI_DIAG(p->diags, use_length, p->b.pos, kgi_string(call->module, declared->name), kgi_string(p->m, kgi_name_string(p, call->name)));
  kgi_fail(&p->b, KG_INVALID);
}

static bool are_apart(kgi_parser *p, const kgi_slice *a, const kgi_slice *b) {
  if (!a->to.i || !b->to.i) return false;
  return differ_by(p, a->from, b->to, 0, INT64_MAX) || differ_by(p, b->from, a->to, 0, INT64_MAX);
}

/* The other module was written, checked and differentiated as if its buffers were several. A single run is looked at when it runs. */
static void refuse_aliases(kgi_parser *p, const kgi_call *call, const binding *bind) {
  const kgi_scope *s = &call->module->scope;
  for (uint32_t a = 1; a < s->object_count && !only_run(call->module) && !kgi_parser_failed(p); a++)
    for (uint32_t b = 1; b < s->object_count; b++) {
      bool same = a != b && bind->object[a] && bind->object[a] == bind->object[b] && s->object[a].mode != KG_READ;
      if (!same || are_apart(p, &bind->slice[a], &bind->slice[b])) continue;
      KGI_DIAG(p->diags, bind_twice, p->b.pos, kgi_string(p->m, p->m->scope.object[bind->object[a]].name),
               kgi_string(p->m, kgi_name_string(p, call->name)));
      kgi_fail(&p->b, KG_INVALID);
      return;
    }
}

/* What was left out binds what has its name here; a param takes its default where nothing has. */
static void bind_by_name(kgi_parser *p, const kgi_call *call, binding *bind) {
  const kg_module *m = call->module;
  const char *own = kgi_string(p->m, kgi_name_string(p, call->name));
  for (uint32_t o = 1; o < m->scope.object_count && !kgi_parser_failed(p); o++) {
    const char *name = kgi_string(m, m->scope.object[o].name);
    kgi_symbol s = kgi_lookup(p, kgi_name_entry_of(p, name, strlen(name)));
    if (bind->object[o] || m->scope.object[o].mode == KG_TEMP) continue;
    if (s.kind == KGI_SYM_OBJECT) bind->object[o] = s.index;
    else KGI_DIAG(p->diags, unbound_buffer, p->b.pos, own, name), kgi_fail(&p->b, KG_INVALID);
  }
  for (uint32_t q = 1; q < m->scope.param_count && !kgi_parser_failed(p); q++) {
    const char *name = kgi_string(m, m->scope.param[q].name);
    kgi_symbol s = kgi_lookup(p, kgi_name_entry_of(p, name, strlen(name)));
    if (bind->param[q]) continue;
    if (!bind->given[q] && s.kind == KGI_SYM_PARAM) bind->param[q] = kgi_len_param(&p->b, s.index).i;
    else if (!bind->given[q] && s.kind == KGI_SYM_INDEX) bind->param[q] = kgi_dim_leaf(&p->m->arena, &p->m->scope, KGI_DIM_INDEX, s.index).i;
    else if (m->scope.param[q].has_default) bind->param[q] = default_of(p, &m->scope.param[q]);
    else KGI_DIAG(p->diags, unbound_param, p->b.pos, own, name), kgi_fail(&p->b, KG_INVALID);
  }
}

static bool has_index(const kgi_scope *s, uint32_t dim) {
  const kgi_dim_node *n = &s->dim[dim];
  if (n->op == KGI_DIM_INDEX) return true;
  return n->op >= KGI_DIM_ADD && (has_index(s, n->a) || has_index(s, n->b));
}

static bool may_add(kgi_parser *p, const kgi_call *call, const kgi_object *temp, const char *name) {
  const char *own = kgi_string(p->m, kgi_name_string(p, call->name));
  if (++p->temps > MOST_TEMPS) return too_large(p, "the number of temporaries of modules that are used", MOST_TEMPS, p->b.pos);
  if (!temp->view) return true;
  KGI_DIAG(p->diags, use_view, p->b.pos, own, name);
  return kgi_fail(&p->b, KG_INVALID), false;
}

/* Temporaries: each run has its own, under the used module's name and theirs. */
static void add_temps(kgi_parser *p, const kgi_call *call, const kgi_appending *append, binding *bind) {
  const kg_module *m = call->module;
  const char *own = kgi_string(p->m, kgi_name_string(p, call->name));
  char prefix[200], end[16] = "";
  snprintf(prefix, sizeof prefix, "%.190s_", own);
  if (call->runs) snprintf(end, sizeof end, "_%u", call->runs); /* most likely free */
  for (uint32_t o = 1; o < m->scope.object_count && !kgi_parser_failed(p); o++) {
    kgi_object made = m->scope.object[o];
    if (made.mode != KG_TEMP || !may_add(p, call, &made, kgi_string(m, made.name))) continue;
    const char *name = kgi_module_free_name(p->m, prefix, kgi_string(m, made.name), end);
    made.name = kgi_name_string(p, kgi_name_entry_of(p, name, strlen(name)));
    made.pos = p->b.pos;
    made.length = kgi_append_dim(append, made.length);
    made.lo = kgi_append_dim(append, made.lo), made.hi = kgi_append_dim(append, made.hi);
    for (unsigned k = 0; k < KGI_MAX_RANK; k++) made.extent[k] = kgi_append_dim(append, made.extent[k]);
    if (kgi_parser_failed(p)) return;
    if (has_index(&p->m->scope, made.length.i)) {
      KGI_DIAG(p->diags, use_index, p->b.pos, own, name);
      kgi_fail(&p->b, KG_INVALID);
    }
    bind->object[o] = kgi_object_add(&p->b, &made).i;
  }
}

static bool has_grid(const kg_module *m, const kgi_item *run) { return run->grid[0].i || m->program[run->program]->grid[0].i; }

/* Only a module of one run can be told where. A gradient rests on how many invocations there are: whose an element is goes by that. */
static void take_grid(kgi_parser *p, const kgi_call *call, uint32_t item) {
  kgi_pos pos = p->lx.token.pos;
  kgi_dim dims[3] = {{0}};
  bool invocations;
  if (!kgi_read_grid(p, dims, &invocations) || kgi_parser_failed(p)) return;
  const char *name = kgi_string(p->m, kgi_name_string(p, call->name));
  uint32_t only = only_run(call->module);
  bool made_for = only && call->module->made && has_grid(call->module, &call->module->item[only]);
  if (!only) KGI_DIAG(p->diags, use_grid, pos, name);
  else if (made_for) KGI_DIAG(p->diags, use_gradient_grid, pos, name);
  if (!only || made_for) return kgi_fail(&p->b, KG_INVALID);
  p->m->item[item].grid_is_invocations = invocations;
  for (unsigned i = 0; i < 3; i++) p->m->item[item].grid[i] = dims[i];
}

uint32_t kgi_parse_call(kgi_parser *p, uint32_t index, kgi_pos pos) {
  kgi_call *call = &p->call[index];
  const kgi_scope *s = &call->module->scope;
  kgi_arena *a = &p->scratch;
  binding bind;
  bind.object = kgi_arena_alloc(a, s->object_count, sizeof *bind.object);
  bind.slice = kgi_arena_alloc(a, s->object_count, sizeof *bind.slice);
  bind.param = kgi_arena_alloc(a, s->param_count, sizeof *bind.param);
  bind.given = kgi_arena_alloc(a, s->param_count, sizeof *bind.given);
  if (a->failed) return 0;
  if (p->m->item_count + call->module->item_count > MOST_RUNS) return too_large(p, "the number of runs", MOST_RUNS, pos), 0;
  p->b.pos = pos;
  bool more = kgi_take(&p->lx, KGI_TOK_LPAREN);
  while (more && p->lx.token.kind != KGI_TOK_RPAREN && !kgi_parser_failed(p)) {
    argument(p, call, &bind);
    if (!kgi_take(&p->lx, KGI_TOK_COMMA)) break;
  }
  if (more) kgi_need(&p->lx, &p->b, KGI_TOK_RPAREN);
  p->b.pos = pos;
  bind_by_name(p, call, &bind);
  kgi_appending append = {.b = &p->b, .from = call->module, .base = call->base, .pos = pos,
                          .object = bind.object, .slice = bind.slice, .param = bind.param};
  for (uint32_t o = 1; o < s->object_count && !kgi_parser_failed(p); o++)
    if (bind.object[o]) hold_to_length(p, call, &append, &bind, o);
  refuse_aliases(p, call, &bind);
  if (!kgi_parser_failed(p)) add_temps(p, call, &append, &bind);
  call->runs++;
  uint32_t item = kgi_parser_failed(p) ? 0 : kgi_append_items(&append, a);
  if (!kgi_parser_failed(p)) take_grid(p, call, item);
  return kgi_parser_failed(p) ? 0 : item;
}
