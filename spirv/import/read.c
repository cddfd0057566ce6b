/* Words into a table of ids. */
/* The header's function, which says what an instruction begins with, is to be this file's alone. */
#define SPV_ENABLE_UTILITY_CODE
#define inline static inline
#include <spirv/unified1/spirv.h>
#undef inline

#include "spirv/import/import.h"

#include "spirv/tools.h"

#include <string.h>

enum { HEADER = 5, MOST_IDS = 1 << 22, VERSION_1_3 = 0x10300, VERSION_1_4 = 0x10400 };

/* ---- faults ---- */

/* Where nobody says at which word, it is where the walk is. */
bool kgi_im_malformed(kgi_import *im, uint32_t at, const char *what) {
  if (!at) at = im->walked;
  if (im->status == KG_OK && im->b.status == KG_OK) KGI_DIAG(im->diags, import_malformed, 0, KGI_NUM(at), what);
  if (im->status == KG_OK) im->status = KG_INVALID;
  kgi_fail(&im->b, im->status);
  return false;
}

bool kgi_im_refuse(kgi_import *im, const kgi_im_inst *x, const char *why) {
  if (im->status == KG_OK && im->b.status == KG_OK)
    KGI_DIAG(im->diags, import_refused, 0, kgi_spirv_opcode(x->op), KGI_NUM(x->at), why, kgi_im_source_of(im, x->at));
  if (im->status == KG_OK) im->status = KG_REFUSED;
  kgi_fail(&im->b, im->status);
  return false;
}

/* ---- instructions ---- */

uint32_t kgi_im_next(const kgi_import *im, uint32_t at) { return at + (im->word[at] >> 16); }

kgi_im_inst kgi_im_at(kgi_import *im, uint32_t at) {
  if (at < HEADER || at >= im->words) return (kgi_im_inst){.op = SpvOpNop};
  bool has_result = false, has_type = false;
  kgi_im_inst x = {.op = (SpvOp)(im->word[at] & 0xFFFF), .at = at};
  uint32_t length = im->word[at] >> 16, used = 1;
  SpvHasResultAndType(x.op, &has_result, &has_type);
  if (has_type && used < length) x.type = im->word[at + used++];
  if (has_result && used < length) x.result = im->word[at + used++];
  x.arg = im->word + at + used;
  x.args = length - used;
  return x;
}

kgi_im_inst kgi_im_def(kgi_import *im, uint32_t id) {
  uint32_t at = id < im->bound ? im->def[id] : 0;
  if (!at) kgi_im_malformed(im, 0, "an id that nothing makes");
  return kgi_im_at(im, at);
}

uint32_t kgi_im_arg(kgi_import *im, const kgi_im_inst *x, uint32_t k) {
  if (k < x->args) return x->arg[k];
  kgi_im_malformed(im, x->at, "an instruction with too few operands");
  return 0;
}

/* Whether it ends within the instruction is known since it was read. */
const char *kgi_im_string(kgi_import *im, const kgi_im_inst *x, uint32_t k) {
  const char *text = (const char *)(x->arg + (k < x->args ? k : x->args));
  size_t room = (size_t)(k < x->args ? x->args - k : 0) * 4;
  if (memchr(text, 0, room)) return text;
  kgi_im_malformed(im, x->at, "a string without an end");
  return "";
}

/* ---- decorations and names ---- */

bool kgi_im_decorated(const kgi_import *im, uint32_t id, uint32_t member, SpvDecoration kind, uint32_t *value) {
  for (uint32_t i = id < im->bound ? im->first_decoration[id] : 0; i; i = im->decoration[i].next) {
    if (im->decoration[i].member != member || im->decoration[i].kind != (uint32_t)kind) continue;
    if (value) *value = im->decoration[i].value;
    return true;
  }
  return false;
}

const char *kgi_im_name_of(const kgi_import *im, uint32_t id, uint32_t member) {
  for (uint32_t i = id < im->bound ? im->first_name[id] : 0; i; i = im->name[i].next)
    if (im->name[i].member == member) return (const char *)(im->word + im->name[i].at);
  return "";
}

static void decorate(kgi_import *im, const kgi_im_inst *x, bool of_member) {
  uint32_t id = kgi_im_arg(im, x, 0), first = of_member ? 2 : 1;
  uint32_t member = of_member ? kgi_im_arg(im, x, 1) : KGI_IM_NONE, kind = kgi_im_arg(im, x, first);
  if (id >= im->bound) return (void)kgi_im_malformed(im, x->at, "an id past the bound");
  if (!kgi_arena_grow(im->arena, &im->decoration, im->decorations, &im->decoration_cap, sizeof *im->decoration)) return;
  im->decoration[im->decorations] =
      (kgi_im_decoration){member, kind, x->args > first + 1 ? x->arg[first + 1] : 0, im->first_decoration[id]};
  im->first_decoration[id] = im->decorations++;
}

void kgi_im_add_name(kgi_import *im, uint32_t id, uint32_t member, uint32_t at) {
  if (!kgi_arena_grow(im->arena, &im->name, im->names, &im->name_cap, sizeof *im->name)) return;
  im->name[im->names] = (kgi_im_name){member, at, im->first_name[id]};
  im->first_name[id] = im->names++;
}

static void name(kgi_import *im, const kgi_im_inst *x, bool of_member) {
  uint32_t id = kgi_im_arg(im, x, 0), text = of_member ? 2 : 1;
  kgi_im_string(im, x, text);
  if (id >= im->bound || !kgi_im_fine(im)) return;
  kgi_im_add_name(im, id, of_member ? x->arg[1] : KGI_IM_NONE, (uint32_t)(x->arg + text - im->word));
}

/* A group's decorations belong to its targets, too. */
static void decorate_group(kgi_import *im, const kgi_im_inst *x) {
  uint32_t group = kgi_im_arg(im, x, 0);
  for (uint32_t k = 1; k < x->args && group < im->bound; k++)
    for (uint32_t i = im->first_decoration[group]; i && x->arg[k] < im->bound; i = im->decoration[i].next) {
      if (!kgi_arena_grow(im->arena, &im->decoration, im->decorations, &im->decoration_cap, sizeof *im->decoration)) return;
      im->decoration[im->decorations] = im->decoration[i];
      im->decoration[im->decorations].next = im->first_decoration[x->arg[k]];
      im->first_decoration[x->arg[k]] = im->decorations++;
    }
}

/* ---- the whole ---- */

static void add_variable(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_arena_grow(im->arena, &im->variables_at, im->variable_count, &im->variable_cap, sizeof *im->variables_at))
    im->variables_at[im->variable_count++] = x->at;
}

static bool is_made(const kgi_import *im, uint32_t id) { return id < im->bound && im->def[id]; }

/* Types are made of earlier ones, so that none is within itself: but for pointers that are announced. */
static bool is_of_earlier(const kgi_import *im, const kgi_im_inst *x) {
  uint32_t inner = 0;
  if (x->op == SpvOpTypeStruct) inner = x->args;
  if (x->op == SpvOpTypeVector || x->op == SpvOpTypeMatrix || x->op == SpvOpTypeRuntimeArray) inner = 1;
  if (x->op == SpvOpTypeArray) inner = 2;
  if (inner > x->args) return false;
  for (uint32_t k = 0; k < inner; k++)
    if (!is_made(im, x->arg[k]) && !(x->arg[k] < im->bound && im->announced[x->arg[k]])) return false;
  return true;
}

static bool is_sound(kgi_import *im, const kgi_im_inst *x) {
  bool has_result = false, has_type = false;
  SpvHasResultAndType(x->op, &has_result, &has_type);
  if ((has_result && !x->result) || (has_type && !is_made(im, x->type)))
    return kgi_im_malformed(im, x->at, "an instruction without the result or the type that it must have");
  if (!is_of_earlier(im, x)) return kgi_im_malformed(im, x->at, "a type that is made of what is not made yet");
  bool announces = x->op == SpvOpTypeForwardPointer && x->args && x->arg[0] < im->bound && !im->def[x->arg[0]];
  if (announces) im->announced[x->arg[0]] = true;
  if (x->result < im->bound && im->announced[x->result] && x->op != SpvOpTypePointer)
    return kgi_im_malformed(im, x->at, "a pointer that is announced and is none");
  return true;
}

static void note(kgi_import *im, const kgi_im_inst *x, bool *in_function) {
  if (!is_sound(im, x)) return;
  if (x->result) {
    if (x->result >= im->bound) return (void)kgi_im_malformed(im, x->at, "an id past the bound");
    if (im->def[x->result]) return (void)kgi_im_malformed(im, x->at, "an id that is made twice");
    im->def[x->result] = x->at;
  }
  if (x->op == SpvOpName) name(im, x, false);
  else if (x->op == SpvOpMemberName) name(im, x, true);
  else if (x->op == SpvOpDecorate || x->op == SpvOpDecorateId) decorate(im, x, false);
  else if (x->op == SpvOpMemberDecorate) decorate(im, x, true);
  else if (x->op == SpvOpGroupDecorate) decorate_group(im, x);
  else if (x->op == SpvOpMemoryModel) im->has_addresses = kgi_im_arg(im, x, 0) == SpvAddressingModelPhysicalStorageBuffer64;
  else if (x->op == SpvOpFunction) *in_function = true;
  else if (x->op == SpvOpVariable && !*in_function) add_variable(im, x);
  if (!*in_function) kgi_im_measure_type(im, x);
}

static void note_all(kgi_import *im) {
  bool in_function = false;
  for (uint32_t at = HEADER; at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    uint32_t length = im->word[at] >> 16;
    if (!length || length > im->words - at) return (void)kgi_im_malformed(im, at, "an instruction of no possible length");
    kgi_im_inst x = kgi_im_at(im, at);
    note(im, &x, &in_function);
  }
}

static uint32_t word_at(const unsigned char *byte, bool turned) {
  return turned ? (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3]
                : (uint32_t)byte[3] << 24 | (uint32_t)byte[2] << 16 | (uint32_t)byte[1] << 8 | byte[0];
}

/* What says where the module comes from: languages that SPIRV-Tools does not know yet would not pass it. */
static bool is_source(uint32_t word) {
  SpvOp op = (SpvOp)(word & 0xFFFF);
  return op == SpvOpSource || op == SpvOpSourceContinued || op == SpvOpSourceExtension || op == SpvOpModuleProcessed;
}

static uint32_t copy_words(kgi_import *im, uint32_t *to, const unsigned char *bytes, uint32_t count, bool turned) {
  uint32_t kept = HEADER;
  for (uint32_t i = 0; i < count; i++) to[i] = word_at(bytes + (size_t)i * 4, turned);
  for (uint32_t at = HEADER, length; at < count; at += length) {
    length = to[at] >> 16;
    if (!length || length > count - at) return kgi_im_malformed(im, at, "an instruction of no possible length"), 0;
    if (is_source(to[at])) continue;
    memmove(to + kept, to + at, (size_t)length * 4);
    kept += length;
  }
  return kept;
}

/* With room for the ids of roots, which stand behind those of the module. */
static void make_tables(kgi_import *im) {
  uint32_t ids = im->bound + KGI_IM_ROOTS;
  im->def = kgi_arena_alloc(im->arena, ids, sizeof *im->def);
  im->leaves = kgi_arena_alloc(im->arena, ids, sizeof *im->leaves);
  im->columns = kgi_arena_alloc(im->arena, ids, sizeof *im->columns);
  im->nesting = kgi_arena_alloc(im->arena, ids, 1);
  im->announced = kgi_arena_alloc(im->arena, ids, sizeof *im->announced);
  im->first_decoration = kgi_arena_alloc(im->arena, ids, sizeof *im->first_decoration);
  im->first_name = kgi_arena_alloc(im->arena, ids, sizeof *im->first_name);
  im->next_block = kgi_arena_alloc(im->arena, ids, sizeof *im->next_block);
  im->variable = kgi_arena_alloc(im->arena, ids, sizeof *im->variable);
  im->decorations = im->names = im->column_count = 1;
  kgi_arena_grow(im->arena, &im->decoration, 0, &im->decoration_cap, sizeof *im->decoration);
  kgi_arena_grow(im->arena, &im->name, 0, &im->name_cap, sizeof *im->name);
  kgi_arena_grow(im->arena, &im->column, 0, &im->column_cap, sizeof *im->column);
}

enum { MOST_SETS = 8 };

/* Sets of remarks, as debug information is. */
static unsigned find_remarks(const kgi_import *im, uint32_t set[MOST_SETS]) {
  unsigned count = 0;
  for (uint32_t at = HEADER; at < im->words && count < MOST_SETS; at = kgi_im_next(im, at)) {
    bool has_name = (im->word[at] & 0xFFFF) == SpvOpExtInstImport && im->word[at] >> 16 > 4;
    if (has_name && !memcmp(&im->word[at + 2], "NonSemantic.", 12)) set[count++] = im->word[at + 1];
  }
  return count;
}

static bool is_remark(const uint32_t *inst, const uint32_t *set, unsigned sets) {
  for (unsigned k = 0; k < sets; k++)
    if ((inst[0] & 0xFFFF) == SpvOpExtInst && inst[0] >> 16 > 4 && inst[3] == set[k]) return true;
  return false;
}

/* What a module computes is the same without remarks, and the names that those may have. Compilers write some that SPIRV-Tools refuses. */
static kg_status check_without_remarks(kgi_import *im) {
  uint32_t set[MOST_SETS], *kept = kgi_arena_alloc(im->arena, im->words, sizeof *kept), count = HEADER;
  unsigned sets = find_remarks(im, set);
  if (!kept) return KG_NO_MEMORY;
  memcpy(kept, im->word, HEADER * sizeof *kept);
  for (uint32_t at = HEADER; at < im->words; at = kgi_im_next(im, at)) {
    uint32_t length = im->word[at] >> 16;
    if ((im->word[at] & 0xFFFF) == SpvOpName || is_remark(im->word + at, set, sets)) continue;
    memcpy(kept + count, im->word + at, length * sizeof *kept);
    count += length;
  }
  return sets ? kgi_spirv_check(kept, count, NULL) : KG_INVALID;
}

/* MLIR writes modules whose header states an older version than what they use is of, and drivers take them. */
static kg_status check_words(kgi_import *im, uint32_t *words) {
  uint32_t stated = words[1];
  kg_status status = kgi_spirv_check(words, im->words, NULL);
  if (status != KG_INVALID) return status;
  for (uint32_t version = VERSION_1_3; version <= VERSION_1_4; version += VERSION_1_4 - VERSION_1_3) {
    words[1] = version;
    if (stated < version && kgi_spirv_check(words, im->words, NULL) == KG_OK) return KG_OK;
  }
  words[1] = stated;
  status = check_without_remarks(im);
  return status == KG_INVALID ? kgi_spirv_check(words, im->words, im->diags) : status;
}

bool kgi_im_read(kgi_import *im, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  if (size < HEADER * 4 || size % 4 || size / 4 > UINT32_MAX / 8) return kgi_im_malformed(im, 0, "no whole words behind a header");
  bool turned = word_at(byte, true) == SpvMagicNumber;
  if (!turned && word_at(byte, false) != SpvMagicNumber) return kgi_im_malformed(im, 0, "no magic number of SPIR-V");
  uint32_t *words = kgi_arena_alloc(im->arena, size / 4, sizeof *words);
  if (!words) return false;
  im->word = words;
  im->words = copy_words(im, words, byte, (uint32_t)(size / 4), turned);
  im->bound = words[3];
  if (!im->bound || im->bound > MOST_IDS) return kgi_im_malformed(im, 3, "a bound of ids past the limit");
  if (!kgi_im_fine(im) || !kgi_im_weigh_types(im)) return false;
  im->status = check_words(im, words);
  if (!kgi_im_fine(im)) return false;
  make_tables(im);
  if (!im->arena->failed) note_all(im);
  im->first_root = im->bound;
  im->bound += KGI_IM_ROOTS;
  return kgi_im_fine(im);
}
