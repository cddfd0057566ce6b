/* The `.json` beside a module: doc/abi.md in numbers. */
#include "spirv/abi.h"
#include "spirv/tools.h"

#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"
#include "foundation/base/floats.h"
#include "foundation/ir/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
  const kg_allocator *alloc;
  const kg_module *m;
  const kgi_abi *abi;
  const kg_spirv_params *params;
  char *out; size_t size, cap;
  bool failed;
  bool first; /* the next item of a list needs no comma */
  unsigned depth;
} writer;

/* ---- text ---- */

static void put_bytes(writer *w, const char *text, size_t length) {
  if (w->failed) return;
  if (w->cap - w->size <= length) {
    size_t wanted = w->cap ? w->cap * 2 : 4096;
    while (wanted - w->size <= length) wanted *= 2;
    char *grown = kgi_resize(w->alloc, w->out, w->cap, wanted);
    if (!grown) {
      w->failed = true;
      return;
    }
    w->out = grown, w->cap = wanted;
  }
  memcpy(w->out + w->size, text, length);
  w->size += length;
}

static void put(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void putf(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void putf(writer *w, const char *format, ...) {
  char text[128];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put(w, text);
}

static void put_piece(void *user, const char *text, size_t size) { put_bytes(user, text, size); }
static void put_string(writer *w, const char *text) { kg_json_string(text, put_piece, w); }

/* An item of the list or object under way, on a line of its own while the lists are shallow. */
static void next(writer *w) {
  if (!w->first) put(w, ",");
  w->first = false;
  if (w->depth > 3) put(w, " ");
  else putf(w, "\n%*s", (int)(2 * w->depth), "");
}
static void key(writer *w, const char *name) {
  next(w);
  put_string(w, name);
  put(w, ": ");
}
static void open(writer *w, const char *bracket) {
  put(w, bracket);
  w->first = true;
  w->depth++;
}
static void close(writer *w, const char *bracket) {
  w->depth--;
  if (!w->first && w->depth <= 2) putf(w, "\n%*s", (int)(2 * w->depth), "");
  w->first = false;
  put(w, bracket);
}
static void key_string(writer *w, const char *name, const char *text) { key(w, name), put_string(w, text); }
static void key_number(writer *w, const char *name, uint64_t value) { key(w, name), putf(w, "%" PRIu64, value); }
static void key_bool(writer *w, const char *name, bool value) { key(w, name), put(w, value ? "true" : "false"); }

/* The number that the bits of a type are; floats that JSON lacks are strings. */
static void put_value(writer *w, kg_type type, uint64_t bits) {
  if (type == KG_BOOL) return put(w, bits ? "true" : "false");
  if (type == KG_U64) return putf(w, "%" PRIu64, bits);
  if (kgi_is_int(type)) return putf(w, "%" PRId64, kgi_bits_to_int(type, bits));
  double value = kgi_bits_to_double(type, bits);
  bool finite = value - value == 0;
  char text[KGI_NUMBER_TEXT];
  putf(w, finite ? "%s" : "\"%s\"", kgi_double_text(value, 17, text));
}

/* ---- expressions ---- */

static const char *operator_of(kgi_dim_op op) {
  switch (op) {
  case KGI_DIM_ADD: return "+";
  case KGI_DIM_SUB: return "-";
  case KGI_DIM_MUL: return "*";
  case KGI_DIM_DIV: return "/";
  case KGI_DIM_MOD: return "%";
  case KGI_DIM_MIN: return "min";
  case KGI_DIM_MAX: return "max";
  case KGI_DIM_NONE: case KGI_DIM_INT: case KGI_DIM_FLOAT: case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN:
  case KGI_DIM_INDEX: break;
  }
  return NULL;
}

static const char *leaf_name(const writer *w, const kgi_scope *s, const kgi_dim_node *n) {
  if (n->op == KGI_DIM_PARAM) return kgi_string(w->m, s->param[n->a].name);
  if (n->op == KGI_DIM_SPEC) return kgi_string(w->m, s->spec[n->a].name);
  if (n->op == KGI_DIM_LEN) return kgi_string(w->m, s->object[n->a].name);
  return kgi_string(w->m, w->m->item[n->a].name);
}

static void put_number(writer *w, const kgi_dim_node *n) {
  double value;
  memcpy(&value, &n->imm, sizeof value);
  char text[KGI_NUMBER_TEXT];
  if (n->op == KGI_DIM_INT) putf(w, "%" PRId64, n->imm);
  else put(w, kgi_double_text(value, 17, text));
}

/* JSON has no infinities. */
static void put_leaf(writer *w, const kgi_dim_node *n) {
  double value = 0;
  if (n->op == KGI_DIM_FLOAT) memcpy(&value, &n->imm, sizeof value);
  bool finite = value - value == 0;
  put(w, finite ? "" : "\"");
  put_number(w, n);
  put(w, finite ? "" : "\"");
}

static void put_tree(writer *w, const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  const char *op = operator_of((kgi_dim_op)n->op);
  if (op) {
    putf(w, "[\"%s\", ", op);
    put_tree(w, s, (kgi_dim){n->a});
    put(w, ", ");
    put_tree(w, s, (kgi_dim){n->b});
    return put(w, "]");
  }
  if (n->op == KGI_DIM_INT || n->op == KGI_DIM_FLOAT) return put_leaf(w, n);
  const char *kind = n->op == KGI_DIM_PARAM ? "param" : n->op == KGI_DIM_SPEC ? "const" : n->op == KGI_DIM_LEN ? "len" : "index";
  putf(w, "[\"%s\", ", kind);
  put_string(w, leaf_name(w, s, n));
  put(w, "]");
}

static unsigned level_of(const kgi_dim_node *n) {
  if (n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB) return 1;
  return n->op == KGI_DIM_MUL || n->op == KGI_DIM_DIV || n->op == KGI_DIM_MOD ? 2 : 3;
}

/* Names are plain words, so the text needs no escapes. */
static void put_infix(writer *w, const kgi_scope *s, kgi_dim dim, unsigned level) {
  const kgi_dim_node *n = &s->dim[dim.i];
  const char *op = operator_of((kgi_dim_op)n->op);
  unsigned own = level_of(n);
  bool call = op && own == 3, brackets = call || level > own;
  if (!op) {
    if (n->op == KGI_DIM_INT || n->op == KGI_DIM_FLOAT) return put_number(w, n);
    if (n->op == KGI_DIM_LEN) put(w, "len(");
    put(w, leaf_name(w, s, n));
    return put(w, n->op == KGI_DIM_LEN ? ")" : "");
  }
  putf(w, "%s%s", call ? op : "", brackets ? "(" : "");
  put_infix(w, s, (kgi_dim){n->a}, call ? 0 : own);
  if (call) put(w, ", ");
  else putf(w, " %s ", op);
  put_infix(w, s, (kgi_dim){n->b}, call ? 0 : own + 1);
  put(w, brackets ? ")" : "");
}

/* {"text": ..., "tree": ...}; `none` where the dim is 0. */
static void put_dim(writer *w, const kgi_scope *s, kgi_dim dim, const char *none) {
  if (!dim.i) return put(w, none);
  put(w, "{\"text\": \"");
  put_infix(w, s, dim, 0);
  put(w, "\", \"tree\": ");
  put_tree(w, s, dim);
  put(w, "}");
}

static void put_length(writer *w, const kgi_scope *s, const kgi_object *o) {
  if (o->scalar) put(w, "{\"text\": \"1\", \"tree\": 1}");
  else put_dim(w, s, o->length, "\"host\"");
}

/* What a host has to hold: proofs rest on it. */
static void put_range(writer *w, const kgi_scope *s, kgi_dim lo, kgi_dim hi) {
  key(w, "range");
  open(w, "[");
  next(w);
  put_dim(w, s, lo, "null");
  next(w);
  put_dim(w, s, hi, "null");
  close(w, "]");
}

/* ---- the module's buffers and params ---- */

static const char *mode_name(unsigned mode) {
  return mode == KG_READ ? "read" : mode == KG_WRITE ? "write" : mode == KG_READ_WRITE ? "read_write" : "temp";
}

static void put_rows(writer *w, const kgi_object *o) {
  if (o->row) key_number(w, "row", o->row), key_number(w, "every", o->every);
}

static void put_view(writer *w, const kgi_object *o) {
  key(w, "view");
  open(w, "{");
  key_number(w, "set", o->set);
  key_number(w, "binding", o->binding);
  key_number(w, "offset", o->offset);
  key_number(w, "stride", o->stride);
  put_rows(w, o);
  close(w, "}");
}

/* What the host has it for. */
static const char *role_of(const writer *w, const kgi_object *o) {
  const char *name = kgi_string(w->m, o->name);
  for (size_t i = 0; i < w->params->gradient_count; i++) {
    const kg_spirv_gradient *g = &w->params->gradients[i];
    if (strcmp(g->shadow, name)) continue;
    if (g->kept || g->tangent) return g->kept ? "kept" : "tangent";
    return !g->of ? "gradient" : g->wrt ? "cotangent and gradient" : "cotangent";
  }
  return o->mode == KG_TEMP ? "temporary" : "primal";
}

/* Where its elements lie in what is bound. */
static void put_place(writer *w, const kgi_object *o, kgi_abi_place place) {
  key_number(w, "set", place.set);
  key_number(w, "binding", place.binding);
  key_number(w, "offset", o->view ? o->offset : 0);
  key_number(w, "stride", o->view ? o->stride : kg_type_size((kg_type)o->type));
  if (o->view) put_rows(w, o);
}

/* `a`: of the program that declares it; NULL in the module's own list. */
static void put_buffer(writer *w, const kgi_scope *s, uint32_t index, const kgi_abi_program *a) {
  const kgi_object *o = &s->object[index];
  next(w);
  open(w, "{");
  key_string(w, "name", kgi_string(w->m, o->name));
  if (a) put_place(w, o, a->place[index]);
  else key_string(w, "role", role_of(w, o));
  key_string(w, "type", kg_type_name((kg_type)o->type));
  key_string(w, "mode", mode_name(o->mode));
  key(w, "length");
  put_length(w, s, o);
  if (o->ranged) put_range(w, s, o->lo, o->hi);
  if (o->view && !a) put_view(w, o);
  close(w, "}");
}

static void put_params(writer *w, const kgi_scope *s) {
  key(w, "params");
  open(w, "[");
  for (uint32_t i = 1; i < s->param_count; i++) {
    const kgi_param *p = &s->param[i];
    next(w);
    open(w, "{");
    key_string(w, "name", kgi_string(w->m, p->name));
    key_string(w, "type", kg_type_name((kg_type)p->type));
    if (p->has_default) key(w, "default"), put_value(w, (kg_type)p->type, p->bits);
    if (p->ranged) put_range(w, s, p->lo, p->hi);
    close(w, "}");
  }
  close(w, "]");
}

/* ---- programs ---- */

static void put_consts(writer *w, const kgi_program *p, const kgi_abi_program *a) {
  key(w, "consts");
  open(w, "[");
  for (uint32_t i = 1; i < p->scope.spec_count; i++) {
    const kgi_spec *c = &p->scope.spec[i];
    next(w);
    open(w, "{");
    key_string(w, "name", kgi_string(w->m, c->name));
    key_string(w, "type", kg_type_name((kg_type)c->type));
    key(w, "default");
    put_value(w, (kg_type)c->type, c->bits);
    if (a->fixed[i]) key_bool(w, "fixed", true);
    else key_number(w, "spec_id", a->spec_id[i]);
    close(w, "}");
  }
  close(w, "]");
}

static void put_members(writer *w, const kgi_program *p, const kgi_abi_program *a, uint32_t block) {
  for (uint32_t i = 1; i < p->scope.param_count; i++) {
    if (a->param_block[i] != block) continue;
    next(w);
    open(w, "{");
    key_string(w, "name", kgi_string(w->m, p->scope.param[i].name));
    key_string(w, "type", kg_type_name((kg_type)p->scope.param[i].type));
    key_number(w, "offset", a->param_offset[i]);
    if (p->scope.param[i].ranged) put_range(w, &p->scope, p->scope.param[i].lo, p->scope.param[i].hi);
    close(w, "}");
  }
}

/* Params that lie where a shader's host has them. */
static void put_blocks(writer *w, const kgi_program *p, const kgi_abi_program *a) {
  if (!a->placed_count) return;
  key(w, "blocks");
  open(w, "[");
  for (uint32_t k = 0; k < a->placed_count; k++) {
    const kgi_abi_block *b = &a->placed[k];
    next(w);
    open(w, "{");
    key_string(w, "in", b->pushed ? "push" : b->storage ? "storage" : "uniform");
    if (!b->pushed) key_number(w, "set", b->place.set), key_number(w, "binding", b->place.binding);
    key_number(w, "bytes", b->bytes);
    key(w, "members");
    open(w, "[");
    put_members(w, p, a, 1 + k);
    close(w, "]");
    close(w, "}");
  }
  close(w, "]");
}

static void put_block(writer *w, const kgi_program *p, const kgi_abi_program *a) {
  bool uniform = a->params_binding != KGI_NO_BINDING;
  key(w, "params");
  open(w, "{");
  key_string(w, "in", !a->block_size ? "nothing" : uniform ? "uniform" : "push");
  if (uniform && a->params_set) key_number(w, "set", a->params_set);
  if (uniform) key_number(w, "binding", a->params_binding);
  key_number(w, "bytes", a->block_size);
  key(w, "members");
  open(w, "[");
  put_members(w, p, a, KGI_BLOCK_OWN);
  for (uint32_t i = 0; i < a->hidden_count; i++) {
    const kgi_object *o = &p->scope.object[a->hidden[i].object];
    next(w);
    open(w, "{");
    if (a->hidden[i].object) key_string(w, "length_of", kgi_string(w->m, o->name));
    else key_string(w, "limit_of", "while");
    if (a->hidden[i].dimension) key_number(w, "dimension", a->hidden[i].dimension - 1);
    key_string(w, "type", "u32");
    key_number(w, "offset", a->hidden[i].offset);
    key(w, "value");
    if (a->hidden[i].object && !a->hidden[i].dimension) put_length(w, &p->scope, o);
    else put_dim(w, &p->scope, a->hidden[i].dim, "");
    close(w, "}");
  }
  close(w, "]");
  close(w, "}");
}

static void put_program(writer *w, uint32_t index) {
  const kgi_program *p = w->m->program[index];
  const kgi_abi_program *a = &w->abi->program[index];
  next(w);
  open(w, "{");
  key_string(w, "name", kgi_string(w->m, p->name));
  key(w, "workgroup");
  open(w, "[");
  for (unsigned k = 0; k < 3; k++) next(w), put_dim(w, &p->scope, p->workgroup[k], "{\"text\": \"1\", \"tree\": 1}");
  close(w, "]");
  put_consts(w, p, a);
  put_blocks(w, p, a);
  put_block(w, p, a);
  key(w, "buffers");
  open(w, "[");
  for (uint32_t i = 1; i <= a->buffers; i++) put_buffer(w, &p->scope, i, a);
  close(w, "]");
  if (a->status_binding != KGI_NO_BINDING && a->status_set) key_number(w, "status_set", a->status_set);
  if (a->status_binding != KGI_NO_BINDING) key_number(w, "status_binding", a->status_binding);
  close(w, "}");
}

/* ---- the order of work ---- */

/* In workgroups; invocations are rounded up to whole ones. */
static void put_grid_size(writer *w, const kgi_scope *s, kgi_dim dim, const kgi_program *p, unsigned k, bool invocations) {
  kgi_dim size = p->workgroup[k];
  if (!dim.i) return put(w, "{\"text\": \"1\", \"tree\": 1}");
  if (!invocations || !size.i) return put_dim(w, s, dim, "");
  put(w, "{\"text\": \"(");
  put_infix(w, s, dim, 1);
  put(w, " + ");
  put_infix(w, &p->scope, size, 2);
  put(w, " - 1) / ");
  put_infix(w, &p->scope, size, 3);
  put(w, "\", \"tree\": [\"/\", [\"-\", [\"+\", ");
  put_tree(w, s, dim);
  put(w, ", ");
  put_tree(w, &p->scope, size);
  put(w, "], 1], ");
  put_tree(w, &p->scope, size);
  put(w, "]}");
}

/* A grid of the program's own is in its own params' names, a run's in the module's. */
static void put_grid(writer *w, const kgi_item *item, const kgi_program *p) {
  bool own = !kgi_dim_is_set(item->grid);
  const kgi_dim *grid = own ? p->grid : item->grid;
  const kgi_scope *s = own ? &p->scope : &w->m->scope;
  key_string(w, "grid_names", own ? "program" : "module");
  key(w, "grid");
  open(w, "[");
  for (unsigned k = 0; k < 3; k++) next(w), put_grid_size(w, s, grid[k], p, k, own ? p->grid_is_invocations : item->grid_is_invocations);
  close(w, "]");
}

/* A name, or for a slice an object, so that a host that knows of none does not take the whole buffer. */
static void put_bound(writer *w, uint32_t item, uint32_t object) {
  const char *buffer = kgi_string(w->m, w->m->scope.object[w->m->bind[w->m->item[item].binding + object - 1]].name);
  const char *name = kgi_string(w->m, w->m->program[w->m->item[item].program]->scope.object[object].name);
  kgi_slice slice = kgi_run_slice(w->m, item, object);
  if (!kgi_is_slice(slice)) {
    key_string(w, name, buffer);
    return;
  }
  key(w, name);
  open(w, "{");
  key_string(w, "slice_of", buffer);
  key(w, "from"), put_dim(w, &w->m->scope, slice.from, "0");
  key(w, "to"), put_dim(w, &w->m->scope, slice.to, "0");
  close(w, "}");
}

static void put_run(writer *w, uint32_t index) {
  const kgi_item *item = &w->m->item[index];
  const kgi_program *p = w->m->program[item->program];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1;
  key_string(w, "run", kgi_string(w->m, p->name));
  put_grid(w, item, p);
  key(w, "buffers");
  open(w, "{");
  for (uint32_t i = 1; i <= buffers; i++) put_bound(w, index, i);
  close(w, "}");
  key(w, "params");
  open(w, "{");
  for (uint32_t i = 1; i < p->scope.param_count; i++) {
    key(w, kgi_string(w->m, p->scope.param[i].name));
    put_dim(w, &w->m->scope, (kgi_dim){w->m->bind[item->binding + buffers + i - 1]}, "\"default\"");
  }
  close(w, "}");
}

/* Repeats nest no deeper than the validator lets them. */
static void put_items(writer *w, uint32_t first) {
  open(w, "[");
  for (uint32_t i = first; i; i = w->m->item[i].next) {
    const kgi_item *item = &w->m->item[i];
    next(w);
    open(w, "{");
    if (item->kind == KGI_ITEM_RUN) {
      put_run(w, i);
    } else {
      key_string(w, "repeat", kgi_string(w->m, item->name));
      key(w, "from"), put_dim(w, &w->m->scope, item->from, "0");
      key(w, "to"), put_dim(w, &w->m->scope, item->to, "0");
      key(w, "step"), put_dim(w, &w->m->scope, item->step, "{\"text\": \"1\", \"tree\": 1}");
      key_bool(w, "reversed", item->reversed);
      key(w, "runs");
      put_items(w, item->first);
    }
    close(w, "}");
  }
  close(w, "]");
}

/* ---- the whole ---- */

static void put_sites(writer *w) {
  static const char *const kinds[] = {[KGI_SITE_ASSERT] = "assert", [KGI_SITE_LIMIT] = "limit", [KGI_SITE_BUDGET] = "budget"};
  key(w, "sites");
  open(w, "[");
  for (uint32_t i = 1; i < w->abi->site_count; i++) {
    const kgi_abi_site *site = &w->abi->site[i];
    const kgi_program *p = w->m->program[site->program];
    next(w);
    open(w, "{");
    key_string(w, "program", kgi_string(w->m, p->name));
    key_string(w, "kind", kinds[site->kind]);
    key_number(w, "line", kgi_pos_line(site->pos));
    key_number(w, "column", kgi_pos_column(site->pos));
    if (site->kind == KGI_SITE_ASSERT) key_string(w, "message", kgi_string(w->m, (kgi_str){p->inst[site->inst].arg[1]}));
    close(w, "}");
  }
  close(w, "]");
}

static void put_gradients(writer *w) {
  key(w, "gradients");
  open(w, "[");
  for (size_t i = 0; i < w->params->gradient_count; i++) {
    const kg_spirv_gradient *g = &w->params->gradients[i];
    next(w);
    open(w, "{");
    key_string(w, "name", g->name);
    key_string(w, "shadow", g->shadow);
    key_bool(w, "of", g->of);
    key_bool(w, "wrt", g->wrt);
    if (g->tangent) key_bool(w, "tangent", true);
    if (g->kept) key_bool(w, "kept", true);
    close(w, "}");
  }
  close(w, "]");
}

static void put_module(writer *w, uint32_t features) {
  const kgi_scope *s = &w->m->scope;
  open(w, "{");
  key_string(w, "format", "kgrad-abi-1");
  key_string(w, "module", kgi_string(w->m, w->m->name));
  key_string(w, "math", kg_math_name(w->params->math));
  key(w, "requires");
  open(w, "[");
  for (unsigned i = 0; i < KG_FEATURE_COUNT; i++)
    if (features >> i & 1) next(w), put_string(w, kg_feature_name(i));
  close(w, "]");
  put_params(w, s);
  key(w, "buffers");
  open(w, "[");
  for (uint32_t i = 1; i < s->object_count; i++) put_buffer(w, s, i, NULL);
  close(w, "]");
  key(w, "programs");
  open(w, "[");
  for (uint32_t i = 1; i < w->m->program_count; i++) put_program(w, i);
  close(w, "]");
  key(w, "runs");
  put_items(w, w->m->first_item);
  if (w->abi->site_count > 1) key_number(w, "status_words", KGI_STATUS_WORDS);
  put_sites(w);
  put_gradients(w);
  close(w, "}");
  put(w, "\n");
}

kg_status kg_spirv_describe(const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params, const kg_sink *sink,
                            char **text, size_t *size) {
  KGI_OWN_FLOATS;
  static const kg_spirv_params defaults = {0};
  kgi_diags diags = {.sink = sink, .file = m->file};
  kgi_arena arena;
  kgi_abi abi;
  uint32_t features;
  if (!params) params = &defaults;
  kg_status status = kg_spirv_requirements(m, params, sink, &features);
  if (status != KG_OK) return status;
  kgi_arena_init(&arena, alloc);
  const bool *counted = kgi_spirv_counted(&arena, m, params);
  kgi_abi_place at[2];
  kgi_abi_wishes wishes = kgi_spirv_wishes(params, counted, at);
  writer w = {.alloc = alloc, .m = m, .abi = &abi, .params = params};
  w.failed = !counted || !kgi_abi_make(&arena, m, &wishes, &abi);
  if (!w.failed) put_module(&w, features);
  kgi_arena_free(&arena);
  /* exactly as large as said, for allocators that are told sizes */
  char *exact = w.failed ? NULL : kgi_alloc(alloc, w.size + 1);
  if (exact) {
    memcpy(exact, w.out, w.size);
    exact[w.size] = 0;
    *text = exact, *size = w.size;
  } else {
    KGI_DIAG(&diags, no_memory, 0, "");
  }
  kgi_free(alloc, w.out, w.cap);
  return exact ? KG_OK : KG_NO_MEMORY;
}
