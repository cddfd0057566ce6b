/* Variables at one set and binding. Buffers there are one memory, which views of other types have often, and registers of HLSL that
 * nobody kept apart by mistake. A block and a buffer there are nothing that a host could bind. */
#include "spirv/import/import.h"

typedef struct use { bool any, stores; } use;

static use use_of(const kgi_import *im, const kgi_im_variable *v) {
  use u = {false, false};
  for (uint32_t k = v->first; k < v->first + v->columns; k++) {
    const kgi_im_column *c = &im->column[k];
    u.any |= c->loaded || c->stored || c->atomic || c->measured;
    u.stores |= c->stored || c->atomic;
  }
  return u;
}

static bool is_bound(const kgi_im_variable *v) {
  return v->described && (v->class == SpvStorageClassStorageBuffer || v->class == SpvStorageClassUniform);
}

/* All of it is declared `readonly`. */
static bool only_reads(kgi_import *im, uint32_t id) {
  uint32_t type = im->variable[id].type;
  kgi_im_inst x = kgi_im_def(im, type);
  bool all = x.op == SpvOpTypeStruct && x.args;
  for (uint32_t k = 0; k < x.args && all; k++) all = kgi_im_decorated(im, type, k, SpvDecorationNonWritable, NULL);
  return all || kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationNonWritable, NULL);
}

/* The block's own name where the variable has none. */
static const char *name_of(kgi_import *im, uint32_t id) {
  const char *name = kgi_im_name_of(im, id, KGI_IM_NONE);
  if (!*name) name = kgi_im_name_of(im, im->variable[id].type, KGI_IM_NONE);
  return *name ? name : "one without a name";
}

static void check_pair(kgi_import *im, uint32_t a, uint32_t b) {
  const kgi_im_variable *v = &im->variable[a], *w = &im->variable[b];
  bool together = is_bound(v) && is_bound(w) && v->set == w->set && v->binding == w->binding;
  if (!together || !use_of(im, v).any || !use_of(im, w).any) return;
  const char *name = name_of(im, a), *other = name_of(im, b);
  if (!v->storage && w->storage) {
    KGI_DIAG(im->diags, import_kinds, 0, name, other, KGI_NUM(v->set), KGI_NUM(v->binding));
    im->status = KG_REFUSED;
  } else if (v->storage && w->storage && only_reads(im, a) && use_of(im, w).stores) {
    KGI_DIAG(im->diags, import_shared, 0, name, other, KGI_NUM(v->set), KGI_NUM(v->binding));
  }
}

void kgi_im_check_bindings(kgi_import *im) {
  for (uint32_t i = 0; i < im->variable_count; i++) {
    uint32_t a = kgi_im_at(im, im->variables_at[i]).result;
    for (uint32_t k = 0; k < im->variable_count && kgi_im_fine(im); k++)
      if (k != i) check_pair(im, a, kgi_im_at(im, im->variables_at[k]).result);
  }
}

/* ---- before a walk ---- */

typedef struct bound { bool is; uint32_t set, binding; } bound;

static bound bound_of(kgi_import *im, uint32_t at) {
  kgi_im_inst x = kgi_im_at(im, at);
  uint32_t class = kgi_im_arg(im, &x, 0);
  bound b = {.set = 0};
  kgi_im_decorated(im, x.result, KGI_IM_NONE, SpvDecorationDescriptorSet, &b.set);
  b.is = kgi_im_decorated(im, x.result, KGI_IM_NONE, SpvDecorationBinding, &b.binding) &&
         (class == SpvStorageClassStorageBuffer || class == SpvStorageClassUniform);
  return b;
}

bool kgi_im_bindings_meet(kgi_import *im) {
  bool meet = false;
  for (uint32_t i = 0; i < im->variable_count && !meet; i++) {
    bound a = bound_of(im, im->variables_at[i]);
    for (uint32_t k = 0; k < i && !meet; k++) {
      bound b = bound_of(im, im->variables_at[k]);
      meet = a.is && b.is && a.set == b.set && a.binding == b.binding;
    }
  }
  return meet && kgi_im_fine(im);
}
