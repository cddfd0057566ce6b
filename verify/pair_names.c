/* What the buffers and params of backward modules stand for. */
#include "verify/contract.h"
#include "verify/pair.h"

#include <stdio.h>
#include <string.h>

static const char *const prefix = "grad_";

static const kg_module *backward(const kgi_pairing *x, size_t f) { return x->params->backward[f]; }

/* "a, b, c", cut where it is long. */
typedef struct names { char text[200]; size_t used; } names;

static void add_name(names *n, const char *before, const char *name) {
  if (n->used + 60 > sizeof n->text) return;
  n->used += (size_t)snprintf(n->text + n->used, sizeof n->text - n->used, "%s%s%.40s", n->used ? ", " : "", before, name);
}

static names list_of(const kg_module *m, bool params) {
  names n = {.used = 0};
  const kgi_scope *s = &m->scope;
  for (uint32_t o = 1; !params && o < s->object_count; o++) add_name(&n, "", kgi_string(m, s->object[o].name));
  for (uint32_t q = 1; params && q < s->param_count; q++) add_name(&n, "", kgi_string(m, s->param[q].name));
  if (!n.used) snprintf(n.text, sizeof n.text, "none");
  return n;
}

/* ---- what the caller says ---- */

static bool is_for(const kgi_pairing *x, const kg_pair_name *n, size_t f) { return !n->file || !strcmp(n->file, x->file[f]); }

static const kg_pair_name *said_of(const kgi_pairing *x, size_t f, const char *name) {
  for (size_t k = 0; k < x->params->map_count; k++)
    if (is_for(x, &x->params->map[k], f) && !strcmp(x->params->map[k].name, name)) return &x->params->map[k];
  return NULL;
}

static kg_status unknown(kgi_pairing *x, const kg_pair_name *n) {
  names all = {.used = 0};
  for (size_t f = 0; f < x->params->backward_count; f++) {
    if (!is_for(x, n, f)) continue;
    const kg_module *m = backward(x, f);
    for (uint32_t o = 1; o < m->scope.object_count; o++) add_name(&all, "", kgi_string(m, m->scope.object[o].name));
    for (uint32_t q = 1; q < m->scope.param_count; q++) add_name(&all, "", kgi_string(m, m->scope.param[q].name));
  }
  KGI_DIAG(&x->diags, audit_no_name, 0, n->name, all.used ? all.text : "none");
  return KG_INVALID;
}

/* Each name is one of a backward module, and said once. */
static kg_status check_name(kgi_pairing *x, const kg_pair_name *list, size_t k, bool params_alone) {
  const kg_pair_name *n = &list[k];
  bool found = false, file = !n->file;
  for (size_t f = 0; f < x->params->backward_count; f++) {
    if (!is_for(x, n, f)) continue;
    const kg_module *m = backward(x, f);
    file = true;
    found |= kgi_find_param(m, &m->scope, n->name) || (!params_alone && kgi_find_object(m, &m->scope, n->name));
  }
  names files = {.used = 0};
  for (size_t f = 0; f < x->params->backward_count; f++) add_name(&files, "", x->file[f]);
  if (!file) return KGI_DIAG(&x->diags, audit_no_file, 0, n->file, files.text), KG_INVALID;
  if (!found) return unknown(x, n);
  for (size_t j = 0; j < k; j++) {
    bool same_file = !list[j].file || !n->file || !strcmp(list[j].file, n->file);
    if (same_file && !strcmp(list[j].name, n->name)) return KGI_DIAG(&x->diags, audit_twice, 0, n->name), KG_INVALID;
  }
  return KG_OK;
}

static kg_status check_names(kgi_pairing *x) {
  kg_status status = KG_OK;
  for (size_t k = 0; k < x->params->map_count && status == KG_OK; k++) status = check_name(x, x->params->map, k, false);
  for (size_t k = 0; k < x->params->own_count && status == KG_OK; k++) status = check_name(x, x->params->own, k, true);
  return status;
}

/* ---- buffers ---- */

/* A buffer of the forward before the gradient of one: a forward that has a buffer grad_x is a gradient itself. */
static kgi_meaning meaning_of(const kg_module *m, const char *name) {
  uint32_t object = kgi_find_object(m, &m->scope, name), param;
  if (object) return (kgi_meaning){.means = KGI_MEANS_OBJECT, .at = object};
  if (strncmp(name, prefix, strlen(prefix)) != 0) return (kgi_meaning){.means = KGI_MEANS_OWN};
  name += strlen(prefix);
  if ((object = kgi_find_object(m, &m->scope, name))) return (kgi_meaning){.means = KGI_MEANS_GRADIENT, .at = object};
  if ((param = kgi_find_param(m, &m->scope, name))) return (kgi_meaning){.means = KGI_MEANS_GRADIENT, .at = param, .is_param = true};
  return (kgi_meaning){.means = KGI_MEANS_OWN};
}

static kg_type type_of(const kgi_pairing *x, kgi_meaning is) {
  const kgi_scope *s = &x->forward->scope;
  kg_type type = is.is_param ? (kg_type)s->param[is.at].type : (kg_type)s->object[is.at].type;
  return is.means == KGI_MEANS_GRADIENT ? kgi_shadow_type(type) : type;
}

/* A gradient of what holds no floats is refused by its name, as kg_grad does. */
static kg_status check_type(kgi_pairing *x, const kgi_object *o, const char *name, const char *means, kgi_meaning is) {
  if (is.means == KGI_MEANS_OWN) return KG_OK;
  kg_type type = type_of(x, is);
  bool is_view = o->view || (is.means == KGI_MEANS_OBJECT && x->forward->scope.object[is.at].view);
  if (is_view) return KGI_DIAG(&x->diags, audit_view, 0, name), KG_INVALID;
  if (o->type == type) return KG_OK;
  KGI_DIAG(&x->diags, audit_type, 0, name, kg_type_name((kg_type)o->type), means, kg_type_name(type));
  return KG_INVALID;
}

static kg_status name_buffer(kgi_pairing *x, size_t f, uint32_t o) {
  const kg_module *m = backward(x, f);
  const char *name = kgi_string(m, m->scope.object[o].name);
  const kg_pair_name *said = said_of(x, f, name);
  const char *means = said ? said->means : name;
  bool is_temp = m->scope.object[o].mode == KG_TEMP && !said; /* nobody outside sees it, whatever its name */
  kgi_meaning is = is_temp ? (kgi_meaning){.means = KGI_MEANS_OWN} : meaning_of(x->forward, means);
  x->object[f][o] = is;
  if (said && is.means == KGI_MEANS_OWN) {
    names all = list_of(x->forward, false);
    KGI_DIAG(&x->diags, audit_no_meaning, 0, name, means, all.text);
    return KG_INVALID;
  }
  return check_type(x, &m->scope.object[o], name, means, is);
}

/* ---- params ---- */

/* Whole numbers of one type become those of another where their values fit, which is checked when it runs. */
static bool fits(kg_type a, kg_type b) { return a == b || (kgi_is_int(a) && kgi_is_int(b)); }

static bool is_owned(const kgi_pairing *x, size_t f, const char *name) {
  for (size_t k = 0; k < x->params->own_count; k++)
    if (is_for(x, &x->params->own[k], f) && !strcmp(x->params->own[k].name, name)) return true;
  return false;
}

static kg_status name_param(kgi_pairing *x, size_t f, uint32_t q) {
  const kg_module *m = backward(x, f), *forward = x->forward;
  const kgi_param *own = &m->scope.param[q];
  const char *name = kgi_string(m, own->name);
  const kg_pair_name *said = said_of(x, f, name);
  uint32_t at = kgi_find_param(forward, &forward->scope, said ? said->means : name);
  x->owned[f][q] = is_owned(x, f, name);
  if (said && !at) {
    names all = list_of(forward, true);
    KGI_DIAG(&x->diags, audit_no_param, 0, name, said->means, all.text);
    return KG_INVALID;
  }
  if (!at || x->owned[f][q]) return KG_OK;
  kg_type type = (kg_type)forward->scope.param[at].type;
  if (fits((kg_type)own->type, type)) return x->param[f][q] = at, KG_OK;
  KGI_DIAG(&x->diags, audit_type, 0, name, kg_type_name((kg_type)own->type), said ? said->means : name, kg_type_name(type));
  return KG_INVALID;
}

/* ---- the whole ---- */

static kg_status make_room(kgi_pairing *x) {
  size_t count = x->params->backward_count;
  x->file = kgi_arena_alloc(&x->scratch, count, sizeof *x->file);
  x->object = kgi_arena_alloc(&x->scratch, count, sizeof *x->object);
  x->param = kgi_arena_alloc(&x->scratch, count, sizeof *x->param);
  x->owned = kgi_arena_alloc(&x->scratch, count, sizeof *x->owned);
  for (size_t f = 0; !x->scratch.failed && f < count; f++) {
    char text[40];
    snprintf(text, sizeof text, count > 1 ? "backward%zu" : "backward", f + 1);
    x->file[f] = x->params->file ? x->params->file[f] : kgi_arena_strdup(&x->scratch, text, strlen(text));
    x->object[f] = kgi_arena_alloc(&x->scratch, backward(x, f)->scope.object_count, sizeof **x->object);
    x->param[f] = kgi_arena_alloc(&x->scratch, backward(x, f)->scope.param_count, sizeof **x->param);
    x->owned[f] = kgi_arena_alloc(&x->scratch, backward(x, f)->scope.param_count, sizeof **x->owned);
  }
  return x->scratch.failed ? KG_NO_MEMORY : KG_OK;
}

kg_status kgi_pairing_names(kgi_pairing *x) {
  kg_status status = make_room(x);
  if (status == KG_OK) status = check_names(x);
  for (size_t f = 0; f < x->params->backward_count && status == KG_OK; f++) {
    const kgi_scope *s = &backward(x, f)->scope;
    for (uint32_t o = 1; o < s->object_count && status == KG_OK; o++) status = name_buffer(x, f, o);
    for (uint32_t q = 1; q < s->param_count && status == KG_OK; q++) status = name_param(x, f, q);
  }
  return status;
}
