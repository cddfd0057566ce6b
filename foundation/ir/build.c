/* The public builder: its life, and what callers hand over. */
#include "foundation/ir/build.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"

/* ---- what callers hand over ---- */

bool kgi_build_goes_on(const kg_builder *b) { return b && b->b.status == KG_OK && !b->b.m->arena.failed; }

bool kgi_build_in_program(kg_builder *b, const char *call) {
  if (!kgi_build_goes_on(b)) return false;
  return b->program || KGI_MISUSE(b, build_place, call, "stands outside of a program", "it between kg_build_program and kg_build_program_end");
}

bool kgi_build_in_scope(kg_builder *b, const char *call) { return b && b->module ? kgi_build_goes_on(b) : kgi_build_in_program(b, call); }

bool kgi_build_in_module(kg_builder *b, const char *call) {
  if (!kgi_build_goes_on(b)) return false;
  if (!b->module) return KGI_MISUSE(b, build_place, call, "stands in no module", "kg_build_module before anything else");
  return !b->program || KGI_MISUSE(b, build_open, call, "program", "kg_build_program_end");
}

bool kgi_build_handle(kg_builder *b, const char *call, const char *what, uint32_t index, uint32_t owner, uint32_t scope, uint32_t count) {
  if (!index) return KGI_MISUSE(b, build_missing, call, what, "what the call that makes one returned; zeros are none");
  return (owner == b->seed + scope && index < count) || KGI_MISUSE(b, build_foreign, call, what);
}

bool kgi_build_take(kg_builder *b, const char *call, kg_value x, kgi_val *out) {
  *out = (kgi_val){x.index};
  return kgi_build_handle(b, call, "value", x.index, x.owner, b->program, b->b.p->inst_count);
}

bool kgi_build_take_any(kg_builder *b, const char *call, kg_value x, kgi_val *out) {
  *out = (kgi_val){0};
  return !x.index || kgi_build_take(b, call, x, out);
}

bool kgi_build_object(kg_builder *b, const char *call, kg_object x, kgi_obj *out) {
  *out = (kgi_obj){x.index};
  return kgi_build_handle(b, call, "object", x.index, x.owner, b->program, kgi_builder_scope(&b->b)->object_count);
}

bool kgi_build_length(kg_builder *b, const char *call, kg_length x, kgi_dim *out) {
  *out = (kgi_dim){x.index};
  return kgi_build_handle(b, call, "length", x.index, x.owner, b->program, kgi_builder_scope(&b->b)->dim_count);
}

bool kgi_build_length_any(kg_builder *b, const char *call, kg_length x, kgi_dim *out) {
  *out = (kgi_dim){0};
  return !x.index || kgi_build_length(b, call, x, out);
}

bool kgi_build_name(kg_builder *b, const char *call, const char *name) {
  return (name && *name) || KGI_MISUSE(b, build_missing, call, "name", "one; NULL and \"\" are none");
}

bool kgi_build_type(kg_builder *b, const char *call, kg_type type) {
  return ((unsigned)type > KG_NONE && (unsigned)type < KGI_TYPE_COUNT) ||
         KGI_MISUSE(b, build_argument, call, KGI_NUM(type), "kg_type", "KG_F32, or another");
}

bool kgi_build_axis(kg_builder *b, const char *call, unsigned axis) {
  return axis < 3 || KGI_MISUSE(b, build_argument, call, KGI_NUM(axis), "axis", "0, 1 or 2");
}

bool kgi_build_bits(kg_builder *b, kg_type type, uint64_t bits) {
  unsigned width = type == KG_BOOL ? 1 : kgi_type_bits(type);
  if (width >= 64 || !(bits >> width)) return true;
  return KGI_MISUSE(b, literal_range, "a literal of more bits", kg_type_name(type));
}

/* ---- life ---- */

kg_status kg_builder_new(const kg_allocator *alloc, const char *name, const kg_sink *sink, kg_builder **out) {
  kg_builder *b = kgi_alloc(alloc, sizeof *b);
  kg_module *m = b ? kgi_module_new(alloc, name) : NULL;
  if (!m) return kgi_free(alloc, b, sizeof *b), kgi_no_memory(sink);
  *b = (kg_builder){.alloc = alloc ? *alloc : (kg_allocator){0}, .sink = sink ? *sink : (kg_sink){0}, .diags = {.file = m->file}};
  b->diags.sink = &b->sink;
  b->seed = (uint32_t)kgi_hash(&b, sizeof b);
  kgi_builder_init(&b->b, m, &b->diags);
  *out = b;
  return KG_OK;
}

kg_status kg_builder_status(const kg_builder *b) {
  if (!b) return KG_NO_MEMORY;
  return b->b.status == KG_OK && b->b.m->arena.failed ? KG_NO_MEMORY : b->b.status;
}

static void discard(kg_builder *b) {
  kg_allocator alloc = b->alloc;
  kgi_free(&alloc, b, sizeof *b);
}

void kg_builder_free(kg_builder *b) {
  if (!b) return;
  kg_module_free(b->b.m);
  discard(b);
}

static bool is_ended(kg_builder *b, const char *call) {
  if (!kgi_build_goes_on(b)) return false;
  if (b->program) return KGI_MISUSE(b, build_open, call, "program", "kg_build_program_end");
  if (b->repeats) return KGI_MISUSE(b, build_open, call, "repeat", "kg_build_repeat_end");
  return b->module || b->b.m->program_count > 1 || KGI_MISUSE(b, build_missing, call, "program", "one: kg_build_program");
}

kg_status kg_builder_finish(kg_builder *b, kg_module **out) {
  KGI_OWN_FLOATS;
  if (!b) return KG_NO_MEMORY;
  if (is_ended(b, __func__) && !b->module) kgi_module_finish_lone(b->b.m);
  kg_status status = kgi_builder_status(&b->b);
  if (status == KG_OK) status = kgi_validate(b->b.m, &b->diags);
  if (status != KG_OK) return kg_builder_free(b), status;
  *out = b->b.m;
  discard(b);
  return KG_OK;
}

void kg_build_position(kg_builder *b, uint32_t line, uint32_t column) {
  if (b) b->b.pos = kgi_pos_make(line, column);
}

/* ---- modules and programs ---- */

void kg_build_module(kg_builder *b, const char *name) {
  if (!kgi_build_goes_on(b) || !kgi_build_name(b, __func__, name)) return;
  if (b->module || b->b.m->program_count > 1) {
    KGI_MISUSE(b, build_place, __func__, "comes late", "it once, before anything else");
    return;
  }
  b->module = true;
  b->b.m->name = kgi_intern_z(b->b.m, name);
  b->b.m->pos = b->b.pos;
}

kg_program kg_build_program(kg_builder *b, const char *name) {
  kg_program none = {0, 0};
  if (!kgi_build_goes_on(b) || !kgi_build_name(b, __func__, name)) return none;
  if (b->program) return KGI_MISUSE(b, build_open, __func__, "program", "kg_build_program_end"), none;
  if (b->repeats) return KGI_MISUSE(b, build_open, __func__, "repeat", "kg_build_repeat_end"), none;
  if (!b->module && b->b.m->program_count > 1)
    return KGI_MISUSE(b, build_place, __func__, "makes a second program", "kg_build_module before the first"), none;
  uint32_t index = b->b.m->program_count;
  if (!kgi_begin_program(&b->b, name)) return none;
  b->program = index;
  return (kg_program){index, b->seed};
}

void kg_build_program_end(kg_builder *b) {
  if (!kgi_build_in_program(b, __func__)) return;
  const kgi_program *p = b->b.p;
  if (b->b.at.block != KGI_BODY) {
    KGI_MISUSE(b, build_open, __func__, kgi_kind_names[p->inst[p->block[b->b.at.block].owner].kind], "kg_build_end");
    return;
  }
  b->program = 0;
  kgi_end_program(&b->b);
}
