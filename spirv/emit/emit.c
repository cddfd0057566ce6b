/* spirv/emit: SPIR-V out, and the description beside it. */
/* A module to words: each program is a function and an entry point of its own. */
#include "spirv/emit.h"

#include "foundation/base/floats.h"
#include "spirv/tools.h"

#include <string.h>

static const char *const feature_names[KG_FEATURE_COUNT] = {
  "int64", "float64", "float16", "storage8", "storage16", "atomic-add-f32-buffer", "atomic-add-f32-shared", "atomic-i64",
  "signed-zero-inf-nan", "subgroup-basic", "subgroup-vote", "subgroup-arithmetic", "subgroup-ballot", "subgroup-shuffle",
  "subgroup-relative",
};

const char *kg_feature_name(unsigned bit_index) { return bit_index < KG_FEATURE_COUNT ? feature_names[bit_index] : NULL; }

void kgi_emit_refuse(kgi_emit *e, kg_status status) {
  if (e->status == KG_OK) e->status = status;
}

bool kgi_emit_feature(kgi_emit *e, kg_feature feature, const char *what, kgi_pos pos) {
  if (kgi_emit_may(e, feature)) return true;
  unsigned bit = 0;
  while (!((unsigned)feature >> bit & 1)) bit++;
  KGI_DIAG(e->diags, spirv_feature, pos, what, kg_feature_name(bit));
  kgi_emit_refuse(e, KG_REFUSED);
  return false;
}

kgi_words *kgi_emit_at_entry(kgi_emit *e) {
  kgi_words *code = e->s.code;
  e->s.code = &e->entry;
  return code;
}

void kgi_emit_back(kgi_emit *e, kgi_words *code) { e->s.code = code; }

uint32_t kgi_emit_local(kgi_emit *e, uint32_t type) {
  kgi_spv *s = &e->s;
  kgi_words *code = s->code;
  s->code = &e->locals;
  uint32_t id = KGI_VALUE(s, SpvOpVariable, kgi_spv_pointer(s, SpvStorageClassFunction, type), SpvStorageClassFunction);
  s->code = code;
  return id;
}

/* ---- one program ---- */

static bool begin_program(kgi_emit *e, uint32_t index) {
  const kgi_program *p = e->m->program[index];
  kgi_arena *arena = e->s.arena;
  e->p = p;
  e->program = index;
  e->within = e->within_all ? e->within_all[index] : NULL;
  e->a = &e->abi.program[index];
  e->value = kgi_arena_alloc(arena, p->inst_count, sizeof *e->value);
  e->place = kgi_arena_alloc(arena, p->inst_count, sizeof *e->place);
  e->variable = kgi_arena_alloc(arena, p->scope.object_count, sizeof *e->variable);
  e->param = kgi_arena_alloc(arena, p->scope.param_count, sizeof *e->param);
  e->placed = kgi_arena_alloc(arena, (size_t)e->a->placed_count + 1, sizeof *e->placed);
  e->hidden = kgi_arena_alloc(arena, e->a->hidden_count, sizeof *e->hidden);
  e->spec = kgi_arena_alloc(arena, p->scope.spec_count, sizeof *e->spec);
  e->swapped = kgi_arena_alloc(arena, p->scope.object_count, sizeof *e->swapped);
  e->flat = kgi_arena_alloc(arena, p->scope.object_count, sizeof *e->flat);
  if (arena->failed) return false;
  e->contraction = (kgi_contraction){0};
  if (e->params->math != KG_MATH_EXACT && !kgi_contraction_find(arena, p, &e->contraction)) return false;
  kgi_emit_find_spared(e);
  kgi_emit_find_swapped(e);
  kgi_emit_find_places(e);
  memset(e->id_value, 0, sizeof e->id_value);
  e->block = e->status_variable = e->budget_variable = e->id_used = e->fact_count = e->line_label = 0;
  e->locals.count = e->entry.count = e->body.count = 0;
  e->loop = (kgi_emit_loop){0};
  e->coherent = false;
  for (uint32_t i = 1; i < p->inst_count; i++) e->coherent |= kgi_orders(&p->inst[i]);
  return true;
}

static void budget(kgi_emit *e) {
  kgi_spv *s = &e->s;
  uint32_t u32 = kgi_spv_type(s, KG_U32);
  if (!kgi_abi_site_of(&e->abi, e->program, 0)) return;
  e->budget_variable = kgi_emit_local(e, u32);
  kgi_words *code = kgi_emit_at_entry(e);
  KGI_STMT(s, SpvOpStore, e->budget_variable, kgi_spv_u32(s, 0));
  kgi_emit_back(e, code);
}

/* The entry block holds the variables, then what is loaded once, and ends where the body begins. */
static void emit_program(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  if (!begin_program(e, index)) return;
  uint32_t none = kgi_spv_void(s), type = kgi_spv_unique(s, SpvOpTypeFunction, 0, &none, 1);
  uint32_t function = kgi_spv_id(s), entry = kgi_spv_id(s), first = kgi_spv_id(s);
  kgi_emit_interface(e);
  for (uint32_t i = e->a->buffers + 1; i < e->p->scope.object_count; i++) kgi_emit_object(e, i);
  s->code = &e->body;
  budget(e);
  kgi_spv_label(s, first);
  kgi_emit_block(e, KGI_BODY);
  kgi_spv_close(s, SpvOpReturn);
  kgi_words *f = &s->functions;
  kgi_spv_into(s, f, SpvOpFunction, KGI_WORDS(none, function, SpvFunctionControlMaskNone, type));
  kgi_spv_into(s, f, SpvOpLabel, &entry, 1);
  kgi_words_push(s, f, e->locals.at, e->locals.count);
  kgi_words_push(s, f, e->entry.at, e->entry.count);
  kgi_spv_into(s, f, SpvOpBranch, &first, 1);
  kgi_words_push(s, f, e->body.at, e->body.count);
  kgi_spv_into(s, f, SpvOpFunctionEnd, NULL, 0);
  kgi_emit_name(e, function, kgi_string(e->m, e->p->name));
  kgi_emit_entry_point(e, function);
}

/* ---- the module ---- */

enum { MOST_IDS = 0x3FFFFF }; /* SPIR-V's universal limit */

kgi_abi_wishes kgi_spirv_wishes(const kg_spirv_params *params, const bool *count_loops, kgi_abi_place at[2]) {
  at[0] = (kgi_abi_place){params->params_at.set, params->params_at.binding};
  at[1] = (kgi_abi_place){params->status_at.set, params->status_at.binding};
  return (kgi_abi_wishes){.count_loops = count_loops, .literal_sizes = params->portable, .packed = params->packed,
                          .params = params->params_at.stated ? &at[0] : NULL, .status = params->status_at.stated ? &at[1] : NULL};
}

static bool is_free(kgi_emit *e, const kgi_abi_place *place, const kgi_abi_place *other, const char *what) {
  bool taken = place && other && place->set == other->set && place->binding == other->binding;
  if (place && place->set >= KGI_MOST_SETS)
    return KGI_DIAG(e->diags, place_far, 0, what, KGI_NUM(place->set), KGI_NUM(KGI_MOST_SETS - 1)), false;
  for (uint32_t i = 1; place && !taken && i < e->m->program_count; i++) taken = kgi_abi_is_taken(&e->abi.program[i], *place);
  if (taken) KGI_DIAG(e->diags, place_taken, 0, what, KGI_NUM(place->set), KGI_NUM(place->binding), "something else");
  return !taken;
}

/* Of what no buffer of the language stands for. */
static bool check_places(kgi_emit *e, const kgi_abi_wishes *w) {
  return is_free(e, w->params, w->status, "the block of params") && is_free(e, w->status, w->params, "the status buffer");
}

static kg_status make(kgi_arena *arena, const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params,
                      kgi_diags *diags, const kgi_spirv_known *known, uint32_t **words, size_t *count, uint32_t *features) {
  kgi_emit *e = kgi_arena_alloc(arena, 1, sizeof *e);
  if (!e) return KG_NO_MEMORY;
  kg_spirv_params target = *params;
  if (params->portable)
    target.without |= KG_FEATURE_ATOMIC_ADD_F32_BUFFER | KG_FEATURE_ATOMIC_ADD_F32_SHARED | KG_FEATURE_SIGNED_ZERO_INF_NAN;
  e->m = m, e->params = &target, e->diags = diags, e->within_all = known->within;
  kgi_spv_init(&e->s, arena);
  e->s.finite_literals = params->portable;
  kgi_emit_file(e);
  kgi_abi_place at[2];
  kgi_abi_wishes wishes = kgi_spirv_wishes(params, known->count_loops, at);
  if (!kgi_abi_make(arena, m, &wishes, &e->abi)) return KG_NO_MEMORY;
  if (!check_places(e, &wishes)) return KG_INVALID;
  uint32_t only = params->program ? kgi_find_program(m, params->program) : 0;
  if (params->program && !only) return KGI_DIAG(diags, no_such_program, m->pos, params->program), KG_INVALID;
  kgi_lowering_init(&e->lowering, alloc, diags);
  for (uint32_t i = 1; i < m->program_count && e->status == KG_OK; i++)
    if (!only || i == only) emit_program(e, i);
  kgi_lowering_free(&e->lowering);
  if (e->status != KG_OK) return e->status;
  if (arena->failed) return KG_NO_MEMORY;
  if (e->s.next_id > MOST_IDS) return KGI_DIAG(diags, too_large, m->pos, "the module", KGI_NUM(MOST_IDS)), KG_REFUSED;
  *features = e->s.features;
  return words ? kgi_spv_finish(&e->s, alloc, words, count) : KG_OK;
}

static bool has_loop(const kgi_program *p) {
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && kgi_is_loop(&p->inst[i])) return true;
  return false;
}

const bool *kgi_spirv_counted(kgi_arena *arena, const kg_module *m, const kg_spirv_params *params) {
  bool *counted = kgi_arena_alloc(arena, m->program_count, sizeof *counted);
  for (uint32_t i = 1; counted && i < m->program_count; i++) counted[i] = params->loop_budget && has_loop(m->program[i]);
  return counted;
}

static kg_status emit(const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params, const kgi_spirv_known *known,
                      const kg_sink *sink, uint32_t **words, size_t *count, uint32_t *features) {
  static const kg_spirv_params defaults = {0};
  kgi_diags diags = {.sink = sink, .file = m->file};
  kgi_arena arena;
  if (!params) params = &defaults;
  if (kgi_check_choice(kg_math_name(params->math), "kg_spirv_emit", "kg_math", params->math, &diags) != KG_OK) return KG_INVALID;
  kgi_arena_init(&arena, alloc);
  kgi_spirv_known all = {.count_loops = known ? NULL : kgi_spirv_counted(&arena, m, params)};
  if (!known && all.count_loops) known = &all;
  kg_status status = known ? make(&arena, alloc, m, params, &diags, known, words, count, features) : KG_NO_MEMORY;
  kgi_arena_free(&arena);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, NULL);
  if (status != KG_OK || !words || params->unvalidated) return status;
  status = kgi_spirv_validate(*words, *count, &diags);
  if (status != KG_OK) {
    kgi_free(alloc, *words, *count * sizeof **words);
    *words = NULL;
  }
  return status;
}

kg_status kgi_spirv_emit_known(const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params, const kgi_spirv_known *known,
                               const kg_sink *sink, uint32_t **words, size_t *count) {
  KGI_OWN_FLOATS;
  uint32_t features, *made;
  size_t made_count;
  kg_status status = emit(alloc, m, params, known, sink, &made, &made_count, &features);
  if (status == KG_OK) *words = made, *count = made_count;
  return status;
}

kg_status kg_spirv_emit(const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params, const kg_sink *sink,
                        uint32_t **words, size_t *count) {
  return kgi_spirv_emit_known(alloc, m, params, NULL, sink, words, count);
}

kg_status kg_spirv_requirements(const kg_module *m, const kg_spirv_params *params, const kg_sink *sink, uint32_t *features) {
  KGI_OWN_FLOATS;
  uint32_t found;
  kg_status status = emit(NULL, m, params, NULL, sink, NULL, NULL, &found);
  if (status == KG_OK) *features = found;
  return status;
}
