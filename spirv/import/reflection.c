/* Names of a kernel's arguments, which clspv says beside the code: NonSemantic.ClspvReflection. They become names of variables, and of the
 * members of blocks that hold what is passed by value. What it says wrong costs a name and nothing else. */
#include "spirv/import/import.h"

#include <spirv/unified1/NonSemanticClspvReflection.h>
#include <string.h>

/* The instruction that an operand is; zeros where it is none. */
static kgi_im_inst made_by(kgi_import *im, const kgi_im_inst *x, uint32_t k) {
  uint32_t id = k < x->args ? x->arg[k] : 0;
  return id < im->bound && im->def[id] ? kgi_im_at(im, im->def[id]) : (kgi_im_inst){.op = SpvOpNop};
}

static bool number(kgi_import *im, const kgi_im_inst *x, uint32_t k, uint32_t *out) {
  kgi_im_inst constant = made_by(im, x, k);
  bool is = constant.op == SpvOpConstant && constant.args == 1;
  if (is) *out = constant.arg[0];
  return is;
}

/* Where the name of the argument stands that operand k describes; 0: there is none. */
static uint32_t name_at(kgi_import *im, const kgi_im_inst *x, uint32_t k) {
  kgi_im_inst info = made_by(im, x, k), text = made_by(im, &info, 2);
  bool is = info.op == SpvOpExtInst && info.args > 2 && info.arg[1] == NonSemanticClspvReflectionArgumentInfo && text.op == SpvOpString;
  return is && *kgi_im_string(im, &text, 0) ? (uint32_t)(text.arg - im->word) : 0;
}

/* ---- what is passed by value ---- */

/* The members without a name, of a struct that begins at `from`, which lie in [begin, end). */
static void name_members(kgi_import *im, uint32_t type, uint32_t from, uint32_t begin, uint32_t end, uint32_t name) {
  kgi_im_inst x = kgi_im_def(im, type);
  for (uint32_t k = 0; x.op == SpvOpTypeStruct && k < x.args && kgi_im_fine(im); k++) {
    uint32_t offset = 0;
    if (!kgi_im_decorated(im, type, k, SpvDecorationOffset, &offset)) continue;
    if (kgi_im_def(im, x.arg[k]).op == SpvOpTypeStruct) name_members(im, x.arg[k], from + offset, begin, end, name);
    else if (from + offset >= begin && from + offset < end && !*kgi_im_name_of(im, type, k)) kgi_im_add_name(im, type, k, name);
  }
}

typedef struct argument { bool pushed; uint32_t set, binding; } argument;

static bool is_of(kgi_import *im, const kgi_im_inst *variable, const argument *a) {
  uint32_t set = 0, binding = 0;
  if (a->pushed) return variable->args && variable->arg[0] == SpvStorageClassPushConstant;
  kgi_im_decorated(im, variable->result, KGI_IM_NONE, SpvDecorationDescriptorSet, &set);
  return kgi_im_decorated(im, variable->result, KGI_IM_NONE, SpvDecorationBinding, &binding) && set == a->set && binding == a->binding;
}

/* `x` says from operand `at` on: an offset, a size, and a description. */
static void name_values(kgi_import *im, const kgi_im_inst *x, const argument *a, uint32_t at) {
  uint32_t offset = 0, size = 0, name = name_at(im, x, at + 2), end = 0;
  if (!name || !number(im, x, at, &offset) || !number(im, x, at + 1, &size) || __builtin_add_overflow(offset, size, &end)) return;
  for (uint32_t i = 0; i < im->variable_count && kgi_im_fine(im); i++) {
    kgi_im_inst variable = kgi_im_at(im, im->variables_at[i]);
    if (is_of(im, &variable, a)) name_members(im, kgi_im_pointee(im, variable.type), 0, offset, end, name);
  }
}

static void name_variable(kgi_import *im, const kgi_im_inst *x, const argument *a, uint32_t at) {
  uint32_t name = name_at(im, x, at);
  for (uint32_t i = 0; i < im->variable_count && name && kgi_im_fine(im); i++) {
    kgi_im_inst variable = kgi_im_at(im, im->variables_at[i]);
    bool meant = is_of(im, &variable, a) && !*kgi_im_name_of(im, variable.result, KGI_IM_NONE);
    if (meant) kgi_im_add_name(im, variable.result, KGI_IM_NONE, name);
  }
}

/* ---- the whole ---- */

static bool is_of_entry(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_inst kernel = made_by(im, x, 2);
  return kernel.op == SpvOpExtInst && kernel.args > 2 && kernel.arg[1] == NonSemanticClspvReflectionKernel && kernel.arg[2] == im->entry;
}

static void reflect(kgi_import *im, const kgi_im_inst *x) {
  argument a = {.pushed = x->arg[1] == NonSemanticClspvReflectionArgumentPodPushConstant};
  if (!a.pushed && (!number(im, x, 4, &a.set) || !number(im, x, 5, &a.binding))) return;
  switch (x->arg[1]) {
  case NonSemanticClspvReflectionArgumentStorageBuffer: case NonSemanticClspvReflectionArgumentUniform:
    return name_variable(im, x, &a, 6);
  case NonSemanticClspvReflectionArgumentPodStorageBuffer: case NonSemanticClspvReflectionArgumentPodUniform:
    return name_values(im, x, &a, 6);
  case NonSemanticClspvReflectionArgumentPodPushConstant: return name_values(im, x, &a, 4);
  default: break;
  }
}

void kgi_im_reflect(kgi_import *im) {
  uint32_t set = 0;
  for (uint32_t at = 5; at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    if (x.op == SpvOpExtInstImport && !strncmp(kgi_im_string(im, &x, 0), "NonSemantic.ClspvReflection", 27)) set = x.result;
    if (set && x.op == SpvOpExtInst && x.args > 3 && x.arg[0] == set && is_of_entry(im, &x)) reflect(im, &x);
  }
}
