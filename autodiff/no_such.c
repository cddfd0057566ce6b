#include "autodiff/no_such.h"

#include <stdio.h>

static const char *const role_names[] = {"output", "input", "buffer", "run"};

typedef struct list { char text[200]; size_t used; } list;

/* What does not fit is left out, as dots say. */
static void append(list *l, const char *name) {
  size_t left = sizeof l->text - l->used;
  if (left < 60) snprintf(l->text + l->used, left, ", ...");
  else l->used += (size_t)snprintf(l->text + l->used, left, "%s%.40s", l->used ? ", " : "", name);
}

static void append_params(list *l, const kg_module *m) {
  const kgi_scope *s = &m->scope;
  for (uint32_t q = 1; q < s->param_count; q++)
    if (kgi_is_float(s->param[q].type)) append(l, kgi_string(m, s->param[q].name));
}

static bool fits(const kgi_object *o, kgi_role role) {
  if (!kgi_is_float(o->type)) return false;
  if (role == KGI_ROLE_INPUT) return o->mode == KG_READ || o->mode == KG_READ_WRITE;
  return role != KGI_ROLE_OUTPUT || o->mode == KG_WRITE || o->mode == KG_READ_WRITE;
}

static list candidates(const kg_module *m, kgi_role role) {
  list l = {.used = 0};
  for (uint32_t p = 1; role == KGI_ROLE_RUN && p < m->program_count; p++)
    append(&l, kgi_string(m, m->program[p]->name));
  for (uint32_t o = 1; role != KGI_ROLE_RUN && o < m->scope.object_count; o++)
    if (fits(&m->scope.object[o], role)) append(&l, kgi_string(m, m->scope.object[o].name));
  if (role == KGI_ROLE_INPUT) append_params(&l, m);
  return l;
}

kg_status kgi_no_such(const kg_module *m, kgi_diags *diags, kgi_role role, const char *name) {
  char fix[280];
  list l = candidates(m, role);
  if (!name) {
    snprintf(fix, sizeof fix, "as many names as are counted: %s", l.text);
    KGI_DIAG(diags, build_missing, m->pos, kgi_string(m, m->name), role == KGI_ROLE_INPUT ? "name of an input" : "name of an output", fix);
    return KG_INVALID;
  }
  if (role == KGI_ROLE_RUN && m->lone) snprintf(fix, sizeof fix, "name the buffer alone: a program by itself has no runs, which modules have");
  else snprintf(fix, sizeof fix, l.used ? "name one of: %s" : "leave it out: there is none%s", l.text);
  KGI_DIAG(diags, grad_no_such, m->pos, name, kgi_string(m, m->name), role_names[role], fix);
  return KG_INVALID;
}

kg_status kgi_nothing_to_take(const kg_module *m, kgi_diags *diags, kgi_role role) {
  char fix[280] = "nothing is to be differentiated here";
  list params = {.used = 0};
  if (role == KGI_ROLE_INPUT) append_params(&params, m);
  if (params.used) snprintf(fix, sizeof fix, "name params, which are inputs where they are named: --wrt %s", params.text);
  KGI_DIAG(diags, grad_nothing, m->pos, kgi_string(m, m->name), role_names[role], fix);
  return KG_INVALID;
}
