#include "foundation/ir/number.h"
#include "foundation/text/print.h"
#include "foundation/base/floats.h"
#include "foundation/ir/slices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

static bool room(kgi_printer *t, size_t more) {
  size_t need, wanted = t->cap ? t->cap : 1024;
  if (t->failed || !kgi_size_add(t->size, more, &need)) return t->failed = true, false;
  if (need <= t->cap) return true;
  while (wanted < need)
    if (!kgi_size_mul(wanted, 2, &wanted)) return t->failed = true, false;
  char *grown = kgi_resize(&t->alloc, t->out, t->cap, wanted);
  if (!grown) return t->failed = true, false;
  t->out = grown, t->cap = wanted;
  return true;
}

void kgi_put(kgi_printer *t, const char *text) {
  size_t n = strlen(text);
  if (!room(t, n)) return;
  memcpy(t->out + t->size, text, n);
  t->size += n;
}

void kgi_putf(kgi_printer *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  if (room(t, 128)) {
    int n = vsnprintf(t->out + t->size, 128, format, args);
    if (n < 0) t->failed = true;
    else if (n >= 128 && room(t, (size_t)n + 1)) vsnprintf(t->out + t->size, (size_t)n + 1, format, again);
    if (!t->failed) t->size += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

void kgi_put_line(kgi_printer *t) {
  kgi_put(t, "\n");
  for (unsigned i = 0; i < t->indent; i++) kgi_put(t, "  ");
}

void kgi_put_string(kgi_printer *t, const char *text) {
  kgi_put(t, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') kgi_putf(t, "\\%c", c);
    else if (c == '\n') kgi_put(t, "\\n");
    else if (c == '\t') kgi_put(t, "\\t");
    else if (c < 0x20 || c == 0x7F) kgi_putf(t, "\\x%02x", c);
    else kgi_putf(t, "%c", c);
  }
  kgi_put(t, "\"");
}

/* ---- declarations ---- */

static const char *name_of(const kgi_printer *t, kgi_str name) { return kgi_string(t->m, name); }

/* Names of a scope; legal ones keep theirs, so they are claimed before the rest. */
static void claim(kgi_printer *t, const char **slot, kgi_str name, bool legal) {
  const char *text = name_of(t, name);
  if (kgi_legal_name(text) == legal) *slot = kgi_claim_name(t, text, "unnamed");
}

static void claim_scope(kgi_printer *t, const kgi_scope *s) {
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t i = 1; i < s->spec_count; i++) claim(t, &t->spec[i], s->spec[i].name, pass == 0);
    for (uint32_t i = 1; i < s->param_count; i++) claim(t, &t->param[i], s->param[i].name, pass == 0);
    for (uint32_t i = 1; i < s->object_count; i++)
      if (s->object[i].space != KGI_VAR) claim(t, &t->object[i], s->object[i].name, pass == 0);
  }
}

static bool open_scope(kgi_printer *t, const kgi_scope *s) {
  t->scope = s;
  t->object = kgi_arena_alloc(&t->scratch, s->object_count, sizeof *t->object);
  t->param = kgi_arena_alloc(&t->scratch, s->param_count, sizeof *t->param);
  t->spec = kgi_arena_alloc(&t->scratch, s->spec_count, sizeof *t->spec);
  if (t->scratch.failed) return false;
  claim_scope(t, s);
  return !t->scratch.failed;
}

static void keyword(kgi_printer *t, const char *word) {
  kgi_put_line(t);
  kgi_putf(t, t->p ? "%-9s " : "%-6s ", word);
}

static void print_spec(kgi_printer *t, uint32_t i) {
  const kgi_spec *k = &t->scope->spec[i];
  char text[KGI_NUMBER_TEXT];
  kg_type type = (kg_type)k->type;
  bool own = type == KG_U32 || type == KG_F32 || type == KG_BOOL;
  keyword(t, "const");
  kgi_putf(t, "%s%s%s = %s", t->spec[i], own ? "" : " : ", own ? "" : kg_type_name(type), kgi_number_text(type, k->bits, text));
  if (k->numbered) kgi_putf(t, " view(id %u)", k->id);
}

static void print_range(kgi_printer *t, kgi_dim lo, kgi_dim hi) {
  kgi_put(t, " in ");
  kgi_print_dim(t, t->scope, lo, 1);
  kgi_put(t, " .. ");
  kgi_print_dim(t, t->scope, hi, 1);
}

static void print_param(kgi_printer *t, uint32_t i) {
  const kgi_param *p = &t->scope->param[i];
  char text[KGI_NUMBER_TEXT];
  keyword(t, "param");
  kgi_putf(t, "%s : %s", t->param[i], kg_type_name((kg_type)p->type));
  if (p->has_default) kgi_putf(t, " = %s", kgi_number_text((kg_type)p->type, p->bits, text));
  if (p->ranged) print_range(t, p->lo, p->hi);
  if (p->pushed) kgi_putf(t, " view(offset %u)", p->offset);
  else if (p->placed) kgi_putf(t, " view(set %u, binding %u, offset %u)", p->set, p->binding, p->offset);
}

static void print_object(kgi_printer *t, uint32_t i) {
  static const char *const modes[] = {"", " read", " write", " read_write", " temp"};
  const kgi_object *o = &t->scope->object[i];
  keyword(t, o->space == KGI_BUFFER ? "buffer" : "shared");
  kgi_putf(t, "%s : %s", t->object[i], kg_type_name((kg_type)o->type));
  if (!o->scalar) kgi_print_extents(t, t->scope, o);
  if (o->space != KGI_BUFFER) return;
  kgi_put(t, modes[o->mode]);
  if (o->ranged) print_range(t, o->lo, o->hi);
  if (o->draw) kgi_putf(t, " drawn %s", kg_draw_name((kg_draw)o->draw));
  if (o->view) kgi_putf(t, " view(set %u, binding %u, offset %u, stride %u", o->set, o->binding, o->offset, o->stride);
  if (o->view && o->row) kgi_putf(t, ", row %u every %u", o->row, o->every);
  if (o->view) kgi_put(t, ")");
}

static void print_declarations(kgi_printer *t) {
  const kgi_scope *s = t->scope;
  for (uint32_t i = 1; i < s->param_count; i++) print_param(t, i);
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].space != KGI_VAR) print_object(t, i);
}

/* ---- programs ---- */

static void print_header(kgi_printer *t, const kgi_program *p) {
  for (uint32_t i = 1; i < p->scope.spec_count; i++) print_spec(t, i);
  if (kgi_dim_is_set(p->workgroup)) keyword(t, "workgroup"), kgi_print_dims(t, &p->scope, p->workgroup);
  if (!kgi_dim_is_set(p->grid)) return;
  keyword(t, "grid");
  if (p->grid_is_invocations) kgi_put(t, "invocations ");
  kgi_print_dims(t, &p->scope, p->grid);
}

static void print_program(kgi_printer *t, uint32_t index) {
  const kgi_program *p = t->m->program[index];
  uint32_t mark = t->open_count;
  t->p = p;
  t->value = kgi_arena_alloc(&t->scratch, p->inst_count, sizeof *t->value);
  t->uses = kgi_arena_alloc(&t->scratch, p->inst_count, sizeof *t->uses);
  t->plan = kgi_arena_alloc(&t->scratch, p->inst_count, sizeof *t->plan);
  if (!t->scratch.failed && open_scope(t, &p->scope)) {
    t->program_object[index] = t->object, t->program_param[index] = t->param;
    kgi_count_uses(t->p, KGI_BODY, t->uses);
    kgi_putf(t, "program %s ", t->program_name[index]);
    if (p->adjoint) kgi_putf(t, "adjoint %s ", t->program_name[p->adjoint]);
    kgi_put(t, "{");
    t->indent++;
    print_header(t, p);
    print_declarations(t);
    if (p->block[KGI_BODY].first) kgi_put(t, "\n");
    kgi_print_block(t, KGI_BODY);
    t->indent--;
    kgi_put_line(t);
    kgi_put(t, "}");
  }
  kgi_release_names(t, mark);
  for (uint32_t i = 1; i < t->used_count; i++) t->used[i].next = 1; /* each program numbers from the start */
  t->p = NULL;
}

/* ---- modules ---- */

static const char *separator(unsigned *count) { return (*count)++ ? ", " : "("; }

/* Whether the module has a visible param or index of that name, which an omitted argument would bind. */
static bool taken(const kgi_printer *t, const char *name) {
  for (uint32_t i = 1; i < t->m->scope.param_count; i++)
    if (!strcmp(t->param[i], name)) return true;
  for (uint32_t i = 1; i < t->m->item_count; i++)
    if (t->item[i] && !strcmp(t->item[i], name)) return true;
  return false;
}

static void print_param_argument(kgi_printer *t, const kgi_program *p, uint32_t i, const char *inner, uint32_t dim,
                                 unsigned *count) {
  const kgi_dim_node *n = &t->m->scope.dim[dim];
  const char *outer = n->op == KGI_DIM_PARAM ? t->param[n->a] : n->op == KGI_DIM_INDEX ? t->item[n->a] : NULL;
  if (!dim && !taken(t, inner)) return;
  if (dim && outer && !strcmp(inner, outer)) return; /* what it binds when it is left out */
  kgi_putf(t, "%s%s = ", separator(count), inner);
  if (!dim) kgi_put(t, "default");
  else if (p->scope.param[i].type == KG_BOOL && n->op == KGI_DIM_INT) kgi_put(t, n->imm ? "true" : "false");
  else kgi_print_dim(t, &t->m->scope, (kgi_dim){dim}, 1);
}

static void print_slice(kgi_printer *t, kgi_slice slice) {
  kgi_put(t, "[");
  kgi_print_dim(t, &t->m->scope, slice.from, 1);
  kgi_put(t, " .. ");
  kgi_print_dim(t, &t->m->scope, slice.to, 1);
  kgi_put(t, "]");
}

static void print_run(kgi_printer *t, uint32_t item) {
  const kgi_item *run = &t->m->item[item];
  const kgi_program *p = t->m->program[run->program];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1;
  const uint32_t *bind = t->m->bind + run->binding;
  unsigned count = 0;
  kgi_putf(t, "run %s", t->program_name[run->program]);
  for (uint32_t i = 1; i <= buffers; i++) {
    const char *inner = t->program_object[run->program][i];
    kgi_slice slice = kgi_run_slice(t->m, item, i);
    if (!bind[i - 1] || (!kgi_is_slice(slice) && !strcmp(inner, t->object[bind[i - 1]]))) continue;
    kgi_putf(t, "%s%s = %s", separator(&count), inner, t->object[bind[i - 1]]);
    if (kgi_is_slice(slice)) print_slice(t, slice);
  }
  for (uint32_t i = 1; i < p->scope.param_count; i++)
    print_param_argument(t, p, i, t->program_param[run->program][i], bind[buffers + i - 1], &count);
  if (count) kgi_put(t, ")");
  if (!kgi_dim_is_set(run->grid)) return;
  kgi_put(t, run->grid_is_invocations ? " invocations " : " grid ");
  kgi_print_dims(t, &t->m->scope, run->grid);
}

/* Repeats nest no deeper than KGI_MAX_DEPTH. */
static void print_items(kgi_printer *t, uint32_t first) {
  for (uint32_t i = first; i; i = t->m->item[i].next) {
    const kgi_item *item = &t->m->item[i];
    uint32_t mark = t->open_count;
    kgi_put_line(t);
    if (item->kind == KGI_ITEM_RUN) {
      print_run(t, i);
      continue;
    }
    const char *name = kgi_claim_name(t, name_of(t, item->name), "k");
    kgi_putf(t, "repeat %s in ", name);
    kgi_print_dim(t, &t->m->scope, item->from, 1);
    kgi_put(t, " .. ");
    kgi_print_dim(t, &t->m->scope, item->to, 1);
    if (item->step.i) kgi_put(t, " step "), kgi_print_dim(t, &t->m->scope, item->step, 1);
    kgi_put(t, item->reversed ? " reversed {" : " {");
    t->item[i] = name;
    t->indent++;
    print_items(t, item->first);
    t->indent--;
    t->item[i] = NULL;
    kgi_put_line(t);
    kgi_put(t, "}");
    kgi_release_names(t, mark);
  }
}

static void print_module(kgi_printer *t) {
  const kg_module *m = t->m;
  kgi_putf(t, "module %s {", kgi_label(t, name_of(t, m->name)));
  t->indent++;
  if (!open_scope(t, &m->scope)) return;
  print_declarations(t);
  const char **object = t->object, **param = t->param;
  kgi_release_names(t, 0); /* a program does not see the module's names */
  for (uint32_t i = 1; i < m->program_count; i++) {
    kgi_put(t, "\n");
    kgi_put_line(t);
    print_program(t, i);
  }
  if (t->scratch.failed) return; /* then a program's names may be missing */
  t->object = object, t->param = param;
  claim_scope(t, &m->scope); /* the same names once more */
  if (m->first_item) kgi_put(t, "\n");
  print_items(t, m->first_item);
  t->indent--;
  kgi_put_line(t);
  kgi_put(t, "}");
}

static bool start(kgi_printer *t) {
  kgi_arena_init(&t->scratch, &t->alloc);
  t->item = kgi_arena_alloc(&t->scratch, t->m->item_count, sizeof *t->item);
  t->program_object = kgi_arena_alloc(&t->scratch, t->m->program_count, sizeof *t->program_object);
  t->program_param = kgi_arena_alloc(&t->scratch, t->m->program_count, sizeof *t->program_param);
  t->program_name = kgi_arena_alloc(&t->scratch, t->m->program_count, sizeof *t->program_name);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 1; i < t->m->program_count && !t->scratch.failed; i++)
      claim(t, &t->program_name[i], t->m->program[i]->name, pass == 0);
  kgi_release_names(t, 0);
  return !t->scratch.failed;
}

kg_status kg_module_print(const kg_allocator *alloc, const kg_module *m, const kg_sink *sink, char **out, size_t *size) {
  KGI_OWN_FLOATS;
  kgi_printer t = {.m = m, .alloc = alloc ? *alloc : (kg_allocator){0}};
  if (start(&t)) {
    if (m->lone) print_program(&t, 1);
    else print_module(&t);
    kgi_put(&t, "\n");
  }
  if (t.scratch.failed) t.failed = true;
  char *text = t.failed || !room(&t, 1) ? NULL : kgi_resize(&t.alloc, t.out, t.cap, t.size + 1);
  kgi_arena_free(&t.scratch);
  if (!text) {
    kgi_free(&t.alloc, t.out, t.cap);
    return kgi_no_memory(sink);
  }
  text[t.size] = 0;
  *out = text, *size = t.size;
  return KG_OK;
}
