/* kg_pair_new: the forward's runs and then the backward's, as one module with the shadows that the judge knows. What a backward module
 * stores to a buffer of the forward goes to a copy, so that the forward's contents are what its own runs left. */
#include "verify/contract.h"
#include "verify/pair.h"
#include "autodiff/map.h"
#include "foundation/ir/copy.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"

#include <stdio.h>
#include <string.h>

/* How backward modules touch a gradient, by the modes of their buffers. */
typedef struct role {
  bool read, stored, loaded; /* `read`, `write`, `read_write` */
  bool of, wrt;
  uint32_t shadow;           /* in the joined module */
  uint32_t cotangent;        /* its contents on entry, where the shadow is stored to meanwhile; 0: the shadow itself */
} role;

typedef struct joining {
  kgi_pairing x;
  kg_pair *pair;
  kgi_builder b;             /* of the joined module */
  role *object, *param;      /* by object, or param, of the forward */
  uint32_t *copy;            /* by object of the forward: what backward modules store to in its place; 0: nothing */
  bool *copy_begins;         /* it begins with what the forward left */
  uint32_t **to;             /* [file][object]: of the joined module */
  uint32_t **param_to;       /* [file][param] */
  kgi_zeroing programs;
} joining;

static const kg_module *backward(const joining *j, size_t f) { return j->x.params->backward[f]; }
static size_t files(const joining *j) { return j->x.params->backward_count; }

/* ---- the kernel: the forward, with params of the backward's own ---- */

static uint32_t known_param(const joining *j, size_t f, uint32_t q) {
  const kgi_param *p = &backward(j, f)->scope.param[q];
  const kg_module *kernel = j->pair->kernel;
  uint32_t at = j->x.owned[f][q] ? 0 : kgi_find_param(kernel, &kernel->scope, kgi_string(backward(j, f), p->name));
  return at && kernel->scope.param[at].type == p->type ? at : 0;
}

static uint32_t add_param(joining *j, kgi_builder *b, size_t f, uint32_t q) {
  const kgi_param *p = &backward(j, f)->scope.param[q];
  const char *name = kgi_string(backward(j, f), p->name);
  char owner[80] = "";
  if (j->x.owned[f][q]) snprintf(owner, sizeof owner, "%.70s:", j->x.file[f]);
  kgi_param own = {.name = kgi_intern_z(b->m, kgi_module_free_name(b->m, owner, name, "")), .type = p->type,
                   .has_default = p->has_default, .bits = p->bits};
  return kgi_param_add(b, &own);
}

static void take_params(joining *j, kgi_builder *b) {
  for (size_t f = 0; f < files(j); f++)
    for (uint32_t q = 1; q < backward(j, f)->scope.param_count; q++) {
      uint32_t at = j->x.param[f][q] ? j->x.param[f][q] : known_param(j, f, q);
      j->param_to[f][q] = at ? at : add_param(j, b, f, q);
    }
}

static uint32_t *numbers(kgi_arena *arena, uint32_t count) {
  uint32_t *list = kgi_arena_alloc(arena, count, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) list[i] = i;
  return list;
}

/* Params by their numbers as what stands for them in the builder's scope. */
static const uint32_t *param_dims(joining *j, kgi_builder *b, const uint32_t *param, uint32_t count) {
  uint32_t *dim = kgi_arena_alloc(&j->x.scratch, count, sizeof *dim);
  for (uint32_t q = 1; dim && q < count; q++) dim[q] = kgi_dim_leaf(&b->m->arena, kgi_builder_scope(b), KGI_DIM_PARAM, param[q]).i;
  return dim;
}

/* All of `from` in a module that has its params and buffers first, in their order. */
static bool append_same(joining *j, kgi_builder *b, const kg_module *from) {
  uint32_t *object = numbers(&j->x.scratch, from->scope.object_count), *param = numbers(&j->x.scratch, from->scope.param_count);
  if (!object || !param) return false;
  kgi_appending all = {.b = b, .from = from, .object = object, .param = param_dims(j, b, param, from->scope.param_count)};
  return all.param && kgi_append_module(&all, &j->x.scratch);
}

static bool begin(joining *j, kgi_builder *b, const kg_module *like, const char *name, kg_module **out) {
  *out = kgi_module_new(&j->pair->alloc, like->file);
  if (!*out) return false;
  kgi_builder_init(b, *out, NULL);
  (*out)->name = kgi_intern_z(*out, name);
  return kgi_copy_scope(b, like, &j->x.scratch);
}

static bool make_kernel(joining *j) {
  kgi_builder b;
  const kg_module *forward = j->x.forward;
  if (!begin(j, &b, forward, kgi_string(forward, forward->name), &j->pair->kernel)) return false;
  take_params(j, &b);
  return append_same(j, &b, forward);
}

/* ---- roles ---- */

static role *role_of(joining *j, kgi_meaning is) { return is.is_param ? &j->param[is.at] : &j->object[is.at]; }

/* An earlier backward module stores to that object of the forward. */
static bool is_stored_before(const joining *j, size_t f, uint32_t object) {
  for (size_t g = 0; g < f; g++)
    for (uint32_t o = 1; o < backward(j, g)->scope.object_count; o++) {
      kgi_meaning is = j->x.object[g][o];
      bool stores = backward(j, g)->scope.object[o].mode != KG_READ;
      if (is.means == KGI_MEANS_OBJECT && is.at == object && stores) return true;
    }
  return false;
}

static void find_roles(joining *j) {
  for (size_t f = 0; f < files(j); f++)
    for (uint32_t o = 1; o < backward(j, f)->scope.object_count; o++) {
      kg_mode mode = (kg_mode)backward(j, f)->scope.object[o].mode;
      kgi_meaning is = j->x.object[f][o];
      if (is.means == KGI_MEANS_OBJECT && !j->x.params->combined) {
        j->copy_begins[is.at] |= mode == KG_READ ? j->copy[is.at] && is_stored_before(j, f, is.at) : mode != KG_WRITE;
        j->copy[is.at] |= mode != KG_READ;
      }
      if (is.means != KGI_MEANS_GRADIENT) continue;
      role *r = role_of(j, is);
      r->read |= mode == KG_READ, r->stored |= mode == KG_WRITE, r->loaded |= mode == KG_READ_WRITE || mode == KG_TEMP;
    }
}

/* The gradient of an output is its cotangent, and that of an input is what is judged. */
static kg_status settle(joining *j, role *r, const char *name, bool in, bool out) {
  if (!r->read && !r->stored && !r->loaded) return KG_OK;
  r->of = out && (r->read || r->loaded);
  r->wrt = in && (r->stored || r->loaded);
  if (!in && r->stored && !r->read) return KGI_DIAG(&j->x.diags, audit_not_input, 0, name), KG_INVALID;
  if (r->of || r->wrt) return KG_OK;
  KGI_DIAG(&j->x.diags, audit_not_output, 0, name);
  return KG_INVALID;
}

static kg_status settle_roles(joining *j) {
  const kg_module *m = j->x.forward;
  kg_status status = KG_OK;
  find_roles(j);
  for (uint32_t o = 1; o < m->scope.object_count && status == KG_OK; o++) {
    kg_mode mode = (kg_mode)m->scope.object[o].mode;
    bool in = mode == KG_READ || mode == KG_READ_WRITE, out = mode == KG_WRITE || mode == KG_READ_WRITE;
    status = settle(j, &j->object[o], kgi_string(m, m->scope.object[o].name), in, out);
  }
  for (uint32_t q = 1; q < m->scope.param_count && status == KG_OK; q++)
    status = settle(j, &j->param[q], kgi_string(m, m->scope.param[q].name), true, false);
  return status;
}

/* An output that the backward knows nothing of: it has no cotangent, and is none of what the backward computes from. */
static void say_outputs(joining *j) {
  const kg_module *m = j->x.forward;
  for (uint32_t o = 1; o < m->scope.object_count; o++) {
    const kgi_object *x = &m->scope.object[o];
    bool known = j->object[o].of || !kgi_is_float(x->type) || (x->mode != KG_WRITE && x->mode != KG_READ_WRITE);
    for (size_t f = 0; f < files(j) && !known; f++)
      for (uint32_t k = 1; k < backward(j, f)->scope.object_count; k++)
        known |= j->x.object[f][k].means == KGI_MEANS_OBJECT && j->x.object[f][k].at == o;
    if (!known) KGI_DIAG(&j->x.diags, audit_no_cotangent_of, 0, kgi_string(m, x->name));
  }
}

static kg_status note_asked(joining *j) {
  kg_pair *p = j->pair;
  const kgi_scope *s = &p->kernel->scope;
  p->of = kgi_arena_alloc(&p->arena, s->object_count, sizeof *p->of);
  p->wrt = kgi_arena_alloc(&p->arena, (size_t)s->object_count + s->param_count, sizeof *p->wrt);
  if (!p->of || !p->wrt) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < s->object_count; o++) {
    const char *name = kgi_string(p->kernel, s->object[o].name);
    if (j->object[o].of) p->of[p->of_count++] = name;
    if (j->object[o].wrt) p->wrt[p->wrt_count++] = name;
  }
  for (uint32_t q = 1; q < j->x.forward->scope.param_count; q++)
    if (j->param[q].wrt) p->wrt[p->wrt_count++] = kgi_string(p->kernel, s->param[q].name);
  if (!p->of_count) return KGI_DIAG(&j->x.diags, audit_no_cotangent, 0, ""), KG_INVALID;
  if (!p->wrt_count) return KGI_DIAG(&j->x.diags, audit_no_gradient, 0, ""), KG_INVALID;
  say_outputs(j);
  return KG_OK;
}

/* ---- the joined module's buffers ---- */

/* As long as that object of the module, which declares the same as the forward. */
static uint32_t add_like(joining *j, uint32_t like, const char *before, kg_type type, kg_mode mode) {
  kg_module *m = j->b.m;
  kgi_object made = m->scope.object[like];
  const char *name = kgi_module_free_name(m, before, kgi_string(m, made.name), "");
  if (!made.length.i && !made.scalar) made.length = kgi_len_of(&j->b, (kgi_obj){like});
  made.name = kgi_intern_z(m, name);
  made.type = (uint8_t)type, made.mode = (uint8_t)mode;
  made.ranged = made.view = false, made.draw = KG_DRAW_EVENLY;
  made.lo = made.hi = (kgi_dim){0};
  made.set = made.binding = made.offset = made.stride = made.row = made.every = 0;
  return kgi_object_add(&j->b, &made).i;
}

static kg_mode mode_of(const role *r) {
  if (r->of) return r->stored || r->loaded ? KG_READ_WRITE : KG_READ;
  return r->loaded && !r->stored ? KG_READ_WRITE : KG_WRITE;
}

static void note_shadow(joining *j, const role *r, const char *name, bool is_param) {
  kg_pair *p = j->pair;
  const char *shadow = kgi_string(j->b.m, j->b.m->scope.object[r->shadow].name);
  p->may_add[kg_grad_map_count(p->map)] = !r->of && r->loaded && !r->stored;
  kgi_map_add(p->map, (kg_grad_entry){.name = name, .shadow = shadow, .is_param = is_param, .of = r->of, .wrt = r->wrt, .added_up = ""});
}

static void add_shadow(joining *j, uint32_t o) {
  role *r = &j->object[o];
  const kg_module *m = j->b.m;
  if (!r->of && !r->wrt) return;
  kg_type type = kgi_shadow_type((kg_type)m->scope.object[o].type);
  r->shadow = add_like(j, o, "grad_", type, mode_of(r));
  if (r->of && r->read && (r->stored || r->loaded)) r->cotangent = add_like(j, o, "cotangent_", type, KG_TEMP);
  note_shadow(j, r, kgi_string(m, m->scope.object[o].name), false);
}

static void add_param_shadow(joining *j, uint32_t q) {
  role *r = &j->param[q];
  kg_module *m = j->b.m;
  if (!r->wrt) return;
  const char *name = kgi_string(m, m->scope.param[q].name);
  kgi_object made = {.space = KGI_BUFFER, .type = (uint8_t)kgi_shadow_type((kg_type)m->scope.param[q].type), .mode = (uint8_t)mode_of(r)};
  made.name = kgi_intern_z(m, kgi_module_free_name(m, "grad_", name, ""));
  made.length = kgi_len_int(&j->b, 1);
  r->shadow = kgi_object_add(&j->b, &made).i;
  note_shadow(j, r, name, true);
}

static bool add_shadows(joining *j) {
  kg_pair *p = j->pair;
  const kgi_scope *s = &j->x.forward->scope;
  p->map = kgi_map_new(&p->alloc);
  p->may_add = kgi_arena_alloc(&p->arena, (size_t)s->object_count + s->param_count, sizeof *p->may_add);
  if (!p->map || !p->may_add) return false;
  for (uint32_t o = 1; o < s->object_count; o++) add_shadow(j, o);
  for (uint32_t q = 1; q < s->param_count; q++) add_param_shadow(j, q);
  for (uint32_t o = 1; o < s->object_count; o++)
    if (j->copy[o]) j->copy[o] = add_like(j, o, "own_", (kg_type)s->object[o].type, KG_TEMP);
  return !kgi_map_failed(p->map);
}

/* ---- buffers of the backward's own ---- */

/* One of an earlier backward module that has the name: what it leaves there, a later one finds. */
static uint32_t earlier(const joining *j, size_t f, uint32_t o) {
  const kg_module *m = backward(j, f);
  const kgi_object *x = &m->scope.object[o];
  for (size_t g = 0; g < f && x->mode != KG_TEMP; g++) {
    const kg_module *other = backward(j, g);
    uint32_t at = kgi_find_object(other, &other->scope, kgi_string(m, x->name));
    bool same = at && j->x.object[g][at].means == KGI_MEANS_OWN && other->scope.object[at].mode != KG_TEMP;
    if (same && other->scope.object[at].type == x->type) return j->to[g][at];
  }
  return 0;
}

static kg_status refuse_open(joining *j, const char *name) {
  char buffers[200] = "";
  size_t used = 0;
  const kgi_scope *s = &j->x.forward->scope;
  for (uint32_t o = 1; o < s->object_count && used + 60 < sizeof buffers; o++)
    used += (size_t)snprintf(buffers + used, sizeof buffers - used, "%s%.40s", used ? ", " : "", kgi_string(j->x.forward, s->object[o].name));
  KGI_DIAG(&j->x.diags, audit_unknown_contents, 0, name, buffers);
  return KG_INVALID;
}

static kg_status add_own(joining *j, size_t f, uint32_t o) {
  const kg_module *m = backward(j, f);
  kgi_object made = m->scope.object[o];
  const char *name = kgi_string(m, made.name);
  if ((j->to[f][o] = earlier(j, f, o))) return KG_OK;
  if (made.mode == KG_READ) return refuse_open(j, name);
  if (!made.length.i && !made.scalar) return KGI_DIAG(&j->x.diags, audit_open_length, 0, name), KG_INVALID;
  if (made.mode != KG_TEMP && kgi_is_float(made.type)) KGI_DIAG(&j->x.diags, audit_scratch, 0, name);
  kgi_appending at = {.b = &j->b, .from = m, .object = j->to[f], .param = param_dims(j, &j->b, j->param_to[f], m->scope.param_count)};
  if (!at.param) return KG_NO_MEMORY;
  made.name = kgi_intern_z(j->b.m, kgi_module_free_name(j->b.m, "", name, ""));
  made.mode = KG_TEMP, made.ranged = false, made.draw = KG_DRAW_EVENLY;
  made.lo = made.hi = (kgi_dim){0};
  made.length = kgi_append_dim(&at, made.length);
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) made.extent[k] = kgi_append_dim(&at, made.extent[k]);
  j->to[f][o] = kgi_object_add(&j->b, &made).i;
  return KG_OK;
}

static uint32_t bound(joining *j, size_t f, uint32_t o) {
  kgi_meaning is = j->x.object[f][o];
  if (is.means == KGI_MEANS_OBJECT) {
    bool stores = backward(j, f)->scope.object[o].mode != KG_READ;
    return j->copy[is.at] && (stores || is_stored_before(j, f, is.at)) ? j->copy[is.at] : is.at;
  }
  const role *r = role_of(j, is);
  return r->cotangent && backward(j, f)->scope.object[o].mode == KG_READ ? r->cotangent : r->shadow;
}

static kg_status bind_all(joining *j) {
  kg_status status = KG_OK;
  for (size_t f = 0; f < files(j); f++)
    for (uint32_t o = 1; o < backward(j, f)->scope.object_count && status == KG_OK; o++) {
      if (j->x.object[f][o].means == KGI_MEANS_OWN) status = add_own(j, f, o);
      else j->to[f][o] = bound(j, f, o);
    }
  return status;
}

/* ---- the order of work ---- */

static void copy_whole(joining *j, uint32_t from, uint32_t to) {
  kgi_item_append(&j->b, 0, kgi_copy_run(&j->b, &j->programs, (kgi_sliced){.whole = from, .sliced = to}));
}

static bool add_work(joining *j) {
  const kg_module *m = j->x.forward;
  if (!j->x.params->combined && !append_same(j, &j->b, j->pair->kernel)) return false;
  for (uint32_t o = 1; o < m->scope.object_count; o++) {
    if (j->copy[o] && j->copy_begins[o]) copy_whole(j, o, j->copy[o]);
    if (j->object[o].cotangent) copy_whole(j, j->object[o].shadow, j->object[o].cotangent);
  }
  for (size_t f = 0; f < files(j); f++) {
    const uint32_t *param = param_dims(j, &j->b, j->param_to[f], backward(j, f)->scope.param_count);
    kgi_appending part = {.b = &j->b, .from = backward(j, f), .object = j->to[f], .param = param};
    if (!param || !kgi_append_module(&part, &j->x.scratch)) return false;
  }
  return true;
}

static kg_status join(joining *j) {
  const kg_module *first = backward(j, 0);
  if (!begin(j, &j->b, j->pair->kernel, kgi_string(first, first->name), &j->pair->joined)) return KG_NO_MEMORY;
  if (!add_shadows(j)) return KG_NO_MEMORY;
  kg_status status = bind_all(j);
  if (status != KG_OK) return status;
  if (!add_work(j)) return j->b.status == KG_OK ? KG_NO_MEMORY : j->b.status;
  /* places are those of the backward's text, where it has but one */
  j->b.m->file = kgi_arena_strdup(&j->b.m->arena, files(j) > 1 ? "" : first->file, files(j) > 1 ? 0 : strlen(first->file));
  kgi_diags diags = {.sink = j->x.diags.sink, .file = j->b.m->file};
  return j->b.m->arena.failed ? KG_NO_MEMORY : kgi_validate(j->b.m, &diags);
}

/* ---- the whole ---- */

static bool make_room(joining *j) {
  const kgi_scope *s = &j->x.forward->scope;
  kgi_arena *arena = &j->x.scratch;
  j->object = kgi_arena_alloc(arena, s->object_count, sizeof *j->object);
  j->param = kgi_arena_alloc(arena, s->param_count, sizeof *j->param);
  j->copy = kgi_arena_alloc(arena, s->object_count, sizeof *j->copy);
  j->copy_begins = kgi_arena_alloc(arena, s->object_count, sizeof *j->copy_begins);
  j->to = kgi_arena_alloc(arena, files(j), sizeof *j->to);
  j->param_to = kgi_arena_alloc(arena, files(j), sizeof *j->param_to);
  for (size_t f = 0; !arena->failed && f < files(j); f++) {
    j->to[f] = kgi_arena_alloc(arena, backward(j, f)->scope.object_count, sizeof **j->to);
    j->param_to[f] = kgi_arena_alloc(arena, backward(j, f)->scope.param_count, sizeof **j->param_to);
  }
  return !arena->failed;
}

static kg_status make(joining *j) {
  kg_status status = make_room(j) ? kgi_pairing_names(&j->x) : KG_NO_MEMORY;
  if (status == KG_OK && !make_kernel(j)) status = KG_NO_MEMORY;
  if (status == KG_OK) status = settle_roles(j);
  if (status == KG_OK) status = note_asked(j);
  return status == KG_OK ? join(j) : status;
}

/* Without the places of a host. */
static kg_module *copy_of(joining *j, const kg_module *m) {
  kg_module *copy = kgi_module_copy(j->x.params->alloc, m);
  if (copy) kgi_pair_forget_places(copy, &j->x.scratch);
  return copy;
}

static kg_status make_of_copies(joining *j, const kg_module *forward) {
  kg_pair_params own = *j->x.params;
  kg_module *first = copy_of(j, forward), **copy = kgi_arena_alloc(&j->x.scratch, own.backward_count + 1, sizeof *copy);
  bool fine = first && copy;
  for (size_t f = 0; fine && f < own.backward_count; f++) fine = (copy[f] = copy_of(j, own.backward[f])) != NULL;
  own.backward = (const kg_module *const *)copy;
  j->x.forward = first, j->x.params = &own;
  kg_status status = fine ? make(j) : KG_NO_MEMORY;
  for (size_t f = 0; copy && f < own.backward_count; f++) kg_module_free(copy[f]);
  kg_module_free(first);
  return status;
}

kg_status kg_pair_new(const kg_module *forward, const kg_pair_params *params, const kg_sink *sink, kg_pair **out) {
  KGI_OWN_FLOATS;
  kg_pair *pair = kgi_alloc(params->alloc, sizeof *pair);
  if (!pair) return kgi_no_memory(sink);
  *pair = (kg_pair){.alloc = params->alloc ? *params->alloc : (kg_allocator){0}, .overwrite = params->overwrite};
  kgi_arena_init(&pair->arena, params->alloc);
  joining j = {.x = {.params = params, .diags = {.sink = sink}}, .pair = pair};
  kgi_arena_init(&j.x.scratch, params->alloc);
  kg_status status = make_of_copies(&j, forward);
  kgi_arena_free(&j.x.scratch);
  if (status == KG_NO_MEMORY) kgi_no_memory(sink);
  if (status == KG_OK) *out = pair;
  else kg_pair_free(pair);
  return status;
}

void kg_pair_free(kg_pair *pair) {
  if (!pair) return;
  kg_allocator alloc = pair->alloc;
  kg_grad_map_free(pair->map);
  kg_module_free(pair->joined);
  kg_module_free(pair->kernel);
  kgi_arena_free(&pair->arena);
  kgi_free(&alloc, pair, sizeof *pair);
}

const kg_module *kg_pair_kernel(const kg_pair *pair) { return pair->kernel; }
