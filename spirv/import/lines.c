/* Lines of the source, as OpLine has them, or the debug information of NonSemantic.Shader.DebugInfo.100. Nothing here is a fault.
 * What is not understood says nothing. */
#include "spirv/import/import.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <stdio.h>
#include <string.h>

typedef struct line { uint32_t file, number; } line; /* file: the id of its name; 0: there is no line */

/* The instruction that makes an id, or none; kgi_im_def would call that a fault. */
static kgi_im_inst made(kgi_import *im, uint32_t id) { return kgi_im_at(im, id < im->bound ? im->def[id] : 0); }

/* Whether it ends within the instruction is not known of strings outside of names. */
static const char *text_of(kgi_import *im, uint32_t id) {
  kgi_im_inst x = made(im, id);
  bool ends = x.op == SpvOpString && x.args && memchr(x.arg, 0, (size_t)x.args * 4);
  return ends ? (const char *)x.arg : NULL;
}

static line of_debug_line(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_inst set = made(im, x->args > 3 ? x->arg[0] : 0);
  bool has_name = set.op == SpvOpExtInstImport && set.args && memchr(set.arg, 0, (size_t)set.args * 4);
  if (!has_name || strcmp((const char *)set.arg, "NonSemantic.Shader.DebugInfo.100")) return (line){0};
  if (x->arg[1] != NonSemanticShaderDebugInfo100DebugLine) return (line){0};
  kgi_im_inst source = made(im, x->arg[2]), number = made(im, x->arg[3]);
  bool fits = source.op == SpvOpExtInst && source.args > 2 && number.op == SpvOpConstant && number.args;
  return fits ? (line){source.arg[2], number.arg[0]} : (line){0};
}

/* What an instruction says of those behind it. */
static line said_by(kgi_import *im, const kgi_im_inst *x) {
  if (x->op == SpvOpLine && x->args > 1) return (line){x->arg[0], x->arg[1]};
  return x->op == SpvOpExtInst ? of_debug_line(im, x) : (line){0};
}

static line line_of(kgi_import *im, uint32_t wanted) {
  line now = {0};
  uint32_t at = 5;
  for (; at < im->words && at < wanted && im->word[at] >> 16; at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    line said = said_by(im, &x);
    if (x.op == SpvOpFunction || x.op == SpvOpNoLine || said.file) now = said;
  }
  return at == wanted ? now : (line){0};
}

/* An included file's lines are not told apart from the shader's, and leave the position where it was. */
void kgi_im_note_line(kgi_import *im, const kgi_im_inst *x) {
  line said = said_by(im, x);
  if (!im->file) im->file = said.file;
  if (said.file && said.file == im->file) im->b.pos = kgi_pos_make(said.number, 0);
}

/* The end of a long path: the diagnostic has to say more than that. */
static const char *end_of(const char *text) {
  enum { LONGEST = 100 };
  size_t size = strlen(text);
  return size > LONGEST ? text + size - LONGEST : text;
}

const char *kgi_im_source_of(kgi_import *im, uint32_t at) {
  enum { ROOM = 160 };
  char *text = im->def && im->bound ? kgi_arena_alloc(im->arena, ROOM, 1) : NULL;
  if (!text) return "";
  line found = line_of(im, at);
  const char *name = kgi_im_name_of(im, kgi_im_at(im, at).result, KGI_IM_NONE);
  if (!found.file && !*name) found = line_of(im, im->walked);
  const char *file = found.file ? text_of(im, found.file) : NULL;
  if (file && *file) snprintf(text, ROOM, ", %s:%u", end_of(file), (unsigned)found.number);
  else if (*name) snprintf(text, ROOM, ", which is %s", end_of(name));
  return text;
}
