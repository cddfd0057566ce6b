/* The header of the function for hosts: its prototype, and for each argument what it means. */
#include "c/arguments.h"
#include "foundation/base/floats.h"
#include "foundation/ir/dim.h"

#include <kgrad/c.h>

#include <string.h>

typedef struct writer {
  kgi_c_arguments *a;
  kgi_c_text text;
  const kg_c_params *params;
} writer;

/* ---- one argument ---- */

/* What stands in the brackets of the declaration. */
static const char *extents_of(writer *w, const kgi_object *o) {
  kgi_printer *t = &w->a->printer;
  t->size = 0;
  kgi_print_extents(t, t->scope, o);
  const char *text = kgi_arena_strdup(&t->scratch, t->out ? t->out : "", t->size);
  return text ? text : "";
}

static const char *role_of(const kg_c_gradient *g) {
  if (g->kept) return "kept for the adjoint:";
  bool both = g->of && g->wrt;
  if (g->tangent) return both ? "the tangent, on entry and on exit, of" : g->of ? "on exit the tangent of"
                                                                                           : "on entry the tangent of";
  return both ? "on entry the cotangent, on exit the gradient, of" : g->of ? "the cotangent of" : "the gradient of";
}

static const kg_c_gradient *gradient_of(const writer *w, const char *name) {
  for (size_t i = 0; w->params && i < w->params->gradient_count; i++)
    if (!strcmp(w->params->gradients[i].shadow, name)) return &w->params->gradients[i];
  return NULL;
}

static const char *access_of(unsigned mode) {
  static const char *const words[] = {[KG_READ] = "read", [KG_WRITE] = "written", [KG_READ_WRITE] = "read and written",
                                      [KG_TEMP] = "scratch"};
  return words[mode];
}

/* A name of the module, as it may stand in a comment. */
static const char *said(writer *w, const char *name) { return kgi_label(&w->a->printer, name); }

static void buffer(writer *w, uint32_t i) {
  const kgi_object *o = &w->a->m->scope.object[i];
  const char *type = kg_type_name((kg_type)o->type), *name = w->a->printer.object[i];
  const kg_c_gradient *g = gradient_of(w, kgi_string(w->a->m, o->name));
  kgi_c_put(&w->text, " *   %s : %s", name, type);
  if (w->a->length[i]) kgi_c_put(&w->text, "[%s]", w->a->length[i]);
  else if (!o->scalar) kgi_c_put(&w->text, "%s", extents_of(w, o));
  kgi_c_put(&w->text, ", %s", access_of(o->mode));
  if (g) kgi_c_put(&w->text, "; %s %s", role_of(g), said(w, g->name));
  if (o->view) kgi_c_put(&w->text, "; in %s at byte %u, every %u", w->a->pointer[w->a->blocks.of[i]], o->offset, o->stride);
  if (o->row) kgi_c_put(&w->text, ", rows of %u every %u", o->row, o->every);
  kgi_c_put(&w->text, "\n");
}

static bool is_half(unsigned type) { return type == KG_F16 || type == KG_BF16; }

static bool has_type(const kgi_scope *s, bool (*is)(unsigned type)) {
  for (uint32_t i = 1; i < s->param_count; i++)
    if (is(s->param[i].type)) return true;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (is(s->object[i].type)) return true;
  return false;
}

static bool is_ranged(const kgi_scope *s) {
  for (uint32_t i = 1; i < s->param_count; i++)
    if (s->param[i].ranged) return true;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].ranged) return true;
  return false;
}

/* ---- the whole ---- */

static void describe(writer *w) {
  const kgi_scope *s = &w->a->m->scope;
  kgi_c_put(&w->text, "/* Runs all of the module %s.\n *\n", said(w, w->a->function + strlen("run_")));
  for (uint32_t i = 1; i < s->param_count; i++)
    kgi_c_put(&w->text, " *   %s : %s\n", w->a->param[i], kg_type_name((kg_type)s->param[i].type));
  for (uint32_t i = 1; i < s->object_count; i++)
    if (!w->a->own[w->a->blocks.of[i]]) buffer(w, i);
  kgi_c_put(&w->text,
            " *\n * Lengths are in elements, several dimensions row by row. Buffers do not overlap; one of no elements may be\n"
            " * NULL.\n");
  if (has_type(s, is_half)) kgi_c_put(&w->text, " * f16 and bf16 are their bits.\n");
  if (is_ranged(s))
    kgi_c_put(&w->text, " * The ranges that the module declares of params and elements are the caller's to keep: nobody checks.\n");
  kgi_c_put(&w->text,
            " * Results:\n"
            " *    0: it ran\n"
            " *    1: an assert failed; 2: a loop passed its limit\n"
            " *   -1: there is no memory\n"
            " *   -2: a length, a grid, a step or a param of a run is negative, too large, overflows or divides by zero\n"
            " *   -3: a buffer of the module is shorter than a program of it declares\n"
            " *   -4: a slice does not lie in its buffer, or meets another slice\n"
            " * Whatever ran before a failure stays in the buffers. */\n");
}

static void write(writer *w) {
  const char *function = w->a->function;
  kgi_c_put(&w->text, "/* Made by kgrad. */\n#ifndef KGRAD_%s_H\n#define KGRAD_%s_H\n\n", function, function);
  kgi_c_put(&w->text, "#include <stdbool.h>\n#include <stdint.h>\n\n");
  kgi_c_put(&w->text, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  describe(w);
  kgi_c_prototype(&w->text, w->a);
  kgi_c_put(&w->text, ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

kg_status kg_c_header(const kg_allocator *alloc, const kg_module *m, const kg_c_params *params, const kg_sink *sink, char **text,
                      size_t *size) {
  KGI_OWN_FLOATS;
  kgi_c_arguments a;
  bool made = kgi_c_arguments_make(&a, alloc, m);
  writer w = {.a = &a, .text = {.arena = &a.printer.scratch}, .params = params};
  if (made) write(&w);
  char *copy = made && !a.printer.failed && !a.printer.scratch.failed ? kgi_alloc(alloc, w.text.size + 1) : NULL;
  if (copy) memcpy(copy, w.text.at, w.text.size + 1);
  if (copy) *text = copy, *size = w.text.size;
  kgi_c_arguments_free(&a);
  if (copy) return KG_OK;
  return kgi_no_memory(sink);
}
