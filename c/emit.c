/* A module to text: the part of the runtime that it names, functions for its types, and a kernel for each program. */
#include "c/emit.h"

#include "c/pieces.h"
#include "foundation/base/floats.h"
#include "foundation/ir/dim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kgi_c_refuse(kgi_c_emit *e, kg_status status) {
  if (e->status == KG_OK) e->status = status;
}

const char *kgi_c_format(kgi_c_emit *e, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *text = length >= 0 ? kgi_arena_alloc(e->arena, (size_t)length + 1, 1) : NULL;
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(args);
  return text ? text : "";
}

void kgi_c_line(kgi_c_emit *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kgi_c_put(&e->body, "%*s", (int)(2 * e->depth), "");
  kgi_c_put_list(&e->body, format, args);
  kgi_c_put(&e->body, "\n");
  va_end(args);
}

/* ---- one program ---- */

static bool workgroup_of(const kgi_program *p, uint32_t size[3]) {
  for (unsigned k = 0; k < 3; k++) {
    kgi_dim_env env = {0};
    int64_t value = 1;
    if (p->workgroup[k].i && kgi_dim_eval(&p->scope, p->workgroup[k], &env, &value) != KGI_DIM_OK) return false;
    size[k] = (uint32_t)value;
  }
  return true;
}

static bool measure(kgi_c_emit *e) {
  const kgi_program *p = e->p;
  const kgi_scope *s = &p->scope;
  kgi_dim_env env = {0};
  e->buffers = kgi_buffer_end(s) - 1;
  if (!workgroup_of(p, e->workgroup)) return false;
  e->invocations = e->workgroup[0] * e->workgroup[1] * e->workgroup[2];
  for (uint32_t i = e->buffers + 1; i < s->object_count; i++) {
    int64_t length = 1;
    if (!s->object[i].scalar && kgi_dim_eval(s, s->object[i].length, &env, &length) != KGI_DIM_OK) return false;
    e->length[i] = (uint32_t)length;
  }
  return true;
}

bool kgi_c_begin(kgi_c_emit *e, const kgi_program *p) {
  e->p = p;
  e->name = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->name);
  e->base = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->base);
  e->same = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->same);
  e->flat = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->flat);
  e->sure = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->sure);
  e->tiled = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->tiled);
  e->again = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->again);
  e->written = kgi_arena_alloc(e->arena, p->inst_count, sizeof *e->written);
  e->var_mask = kgi_arena_alloc(e->arena, p->scope.object_count, sizeof *e->var_mask);
  e->added = kgi_arena_alloc(e->arena, p->scope.object_count, sizeof *e->added);
  e->length = kgi_arena_alloc(e->arena, p->scope.object_count, sizeof *e->length);
  return !e->arena->failed;
}

static kg_status begin_program(kgi_c_emit *e, uint32_t index) {
  e->program = e->before + index;
  if (!kgi_c_begin(e, e->m->program[index])) return KG_NO_MEMORY;
  if (!measure(e)) return KG_INVALID;
  if (!kgi_c_plan_make(&e->plan, e->arena, e->p, e->workgroup)) return KG_NO_MEMORY;
  e->contraction = (kgi_contraction){0};
  if (e->math != KG_MATH_EXACT && !kgi_contraction_find(e->arena, e->p, &e->contraction)) return KG_NO_MEMORY;
  e->masks = e->labels = 0, e->depth = 0, e->leaves_group = e->leaves_chunk = false;
  return KG_OK;
}

static void param(kgi_c_emit *e, uint32_t i) {
  unsigned type = e->p->scope.param[i].type;
  const char *bits = kgi_c_format(e, "args->param[%u]", i - 1), *text = bits;
  if (type == KG_BOOL) text = kgi_c_format(e, "%s != 0", bits);
  else if (type == KG_F16) text = kgi_c_format(e, "kg_decode_f16(kg_splat_u32((uint32_t)%s))[0]", bits);
  else if (type == KG_F32) text = kgi_c_format(e, "kg_one_u32_as_f32((uint32_t)%s)", bits);
  else if (type == KG_F64) text = kgi_c_format(e, "kg_one_u64_as_f64(%s)", bits);
  else if (kgi_type_bits(type) == 32) text = kgi_c_format(e, "(uint32_t)%s", bits);
  kgi_c_line(e, "const %s kg_p%u = %s;", kgi_c_type(type, false), i, text);
}

bool kgi_c_holds(const kgi_program *p, kgi_blk block, kgi_kind kind) {
  KGI_EACH_INSIDE(p, block, i)
    if (p->inst[i].kind == kind) return true;
  return false;
}

/* What segments hand to each other, a vector for each chunk. */
static void rows(kgi_c_emit *e) {
  const char *chunks = kgi_c_format(e, "(%u + KG_LANES - 1) / KG_LANES", e->invocations);
  for (uint32_t i = 1; i < e->p->inst_count; i++)
    if (e->plan.row[i]) kgi_c_line(e, "%s r%u[%s];", kgi_c_type(e->p->inst[i].type, true), i, chunks), kgi_c_line(e, "KG_THERE(r%u);", i);
  for (uint32_t i = e->buffers + 1; i < e->p->scope.object_count; i++)
    if (e->p->scope.object[i].space == KGI_VAR && e->plan.var[i] != KGI_C_VAR_LOCAL) kgi_c_object(e, i);
  if (!e->plan.returns) return;
  kgi_c_line(e, "kg_mask live[%s];", chunks);
  kgi_c_line(e, "for (uint32_t kg_c = 0; kg_c < chunks; kg_c++) live[kg_c] = kg_mask_of(true);");
}

static void kernel(kgi_c_emit *e) {
  const kgi_scope *s = &e->p->scope;
  bool loops = kgi_c_holds(e->p, KGI_BODY, KGI_while);
  if (!e->hosted) kgi_c_line(e, "void kg_kernel_%u(const struct kg_args *args, uint32_t first, uint32_t end);", e->program);
  kgi_c_line(e, "%svoid kg_kernel_%u(const struct kg_args *args, uint32_t first, uint32_t end) {",
             e->hosted ? "static __attribute__((unused)) " : "", e->program);
  e->depth++;
  for (uint32_t i = 1; i < s->param_count; i++) param(e, i);
  for (uint32_t i = 1; i <= e->buffers; i++) kgi_c_buffer(e, i);
  kgi_c_line(e, "const uint32_t chunks = (%uu + KG_LANES - 1) / KG_LANES;", e->invocations);
  if (loops) kgi_c_line(e, "const uint64_t kg_budget = args->budget ? args->budget : UINT64_MAX;");
  kgi_c_line(e, "for (uint32_t kg_g = first; kg_g < end; kg_g++) {");
  e->depth++;
  kgi_c_line(e, "const uint32_t group_x = kg_g %% args->groups[0];");
  kgi_c_line(e, "const uint32_t group_y = kg_g / args->groups[0] %% args->groups[1];");
  kgi_c_line(e, "const uint32_t group_z = kg_g / args->groups[0] / args->groups[1];");
  if (loops) kgi_c_line(e, "uint64_t kg_spent = 0;");
  for (uint32_t i = e->buffers + 1; i < s->object_count; i++)
    if (s->object[i].space == KGI_SHARED) kgi_c_object(e, i);
  if (e->plan.split) rows(e);
  kgi_c_body(e);
  if (e->leaves_group) kgi_c_line(e, "next_group:;");
  e->depth--;
  kgi_c_line(e, "}");
  e->depth--;
  kgi_c_line(e, "}\n");
}

/* ---- how many lanes ---- */

/* Ids lie in no block. */
static bool uses_subgroups(const kgi_program *p) {
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_subgroup || (p->inst[i].kind == KGI_id && kgi_is_of_subgroups((kgi_id)p->inst[i].op))) return true;
  return false;
}

/* The most lanes that end where rows of 4, 8, 12, ... invocations end. Where rows are torn, what lies side by side in memory is gathered
 * element by element, which costs more than half of the lanes save. */
static uint32_t lanes_of_rows(const kgi_program *p) {
  uint32_t size[3], lanes = KGI_C_MOST_LANES;
  if (!workgroup_of(p, size)) return lanes; /* it is refused */
  while (size[1] * size[2] > 1 && lanes > KGI_C_LEAST_LANES && size[0] % lanes) lanes /= 2;
  return size[0] % lanes ? KGI_C_MOST_LANES : lanes;
}

/* A subgroup is a chunk, and as large as the device says. */
static uint32_t lanes_of(const kg_module *const *module, uint32_t count) {
  uint32_t lanes = KGI_C_MOST_LANES;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 1; k < module[i]->program_count; k++) {
      if (uses_subgroups(module[i]->program[k])) return KGI_C_MOST_LANES;
      uint32_t of = lanes_of_rows(module[i]->program[k]);
      if (of < lanes) lanes = of;
    }
  return lanes;
}

/* ---- the module ---- */

enum { MANY = 400 }; /* accesses to memory that are worth a copy each of what does them */

static uint32_t count_accesses(const kg_module *m) {
  uint32_t count = 0;
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) count += kgi_touches(&m->program[k]->inst[i]);
  return count;
}

static kg_status write(kgi_c_emit *e, const kg_allocator *alloc, char **text, size_t *size) {
  kgi_c_text all = {.arena = e->arena}, file = {.arena = e->arena};
  kgi_c_functions(e);
  kgi_c_put(&all, "%s%s%s", e->made.at ? e->made.at : "", e->functions.at ? e->functions.at : "", e->body.at ? e->body.at : "");
  kgi_c_put(&file, "/* Made by kgrad. */\n");
  if (e->lanes < KGI_C_MOST_LANES) kgi_c_put(&file, "#define KG_MOST_LANES %u\n", e->lanes);
  if (e->touches > MANY) kgi_c_put(&file, "#define KG_LARGE\n");
  kgi_c_pieces(&file, &all);
  kgi_c_put(&file, "\n#pragma GCC diagnostic ignored \"-Wunused-variable\"\n#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n\n%s",
            all.at ? all.at : "");
  if (e->status != KG_OK) return e->status;
  if (e->arena->failed) return KG_NO_MEMORY;
  char *copy = kgi_alloc(alloc, file.size + 1);
  if (!copy) return KG_NO_MEMORY;
  memcpy(copy, file.at, file.size + 1);
  *text = copy, *size = file.size;
  return KG_OK;
}

static kg_status kernels(kgi_c_emit *e, const kg_allocator *alloc, const kg_module *m, kg_module **own) {
  e->diags->file = m->file;
  kg_status status = kgi_c_take_part(alloc, m, e->diags, own);
  if (status != KG_OK) return status;
  if (*own) m = *own;
  e->m = m;
  e->touches += count_accesses(m);
  for (uint32_t i = 1; status == KG_OK && i < m->program_count; i++) {
    status = begin_program(e, i);
    if (status == KG_OK) kernel(e);
    if (status == KG_OK) status = e->status;
  }
  e->before += m->program_count - 1;
  return status;
}

static kg_status emit(const kg_allocator *alloc, const kg_module *const *module, uint32_t count, const kg_c_params *params,
                      const kg_sink *sink, char **text, size_t *size) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink};
  kgi_arena arena;
  if (kgi_check_choice(kg_math_name(params->math), "kg_c_emit", "kg_math", params->math, &diags) != KG_OK) return KG_INVALID;
  kgi_arena_init(&arena, alloc);
  kgi_c_emit *e = kgi_arena_alloc(&arena, 1, sizeof *e);
  kg_status status = e ? KG_OK : KG_NO_MEMORY;
  const kgi_c_text empty = {.arena = &arena};
  if (e) *e = (kgi_c_emit){.arena = &arena, .diags = &diags, .body = empty, .made = empty, .functions = empty};
  if (e) e->lanes = lanes_of(module, count), e->hosted = !params->kernels_only, e->math = params->math;
  if (e) kgi_lowering_init(&e->lowering, alloc, &diags);
  kg_module **own = kgi_arena_alloc(&arena, count, sizeof *own); /* copies where one is needed */
  if (!own) status = KG_NO_MEMORY;
  for (uint32_t i = 0; status == KG_OK && i < count; i++) status = kernels(e, alloc, module[i], &own[i]);
  if (status == KG_OK && e->hosted) kgi_c_host(e, alloc);
  if (status == KG_OK) status = write(e, alloc, text, size);
  if (e) kgi_lowering_free(&e->lowering);
  for (uint32_t i = 0; own && i < count; i++) kg_module_free(own[i]);
  kgi_arena_free(&arena);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, NULL);
  return status;
}

kg_status kg_c_emit(const kg_allocator *alloc, const kg_module *m, const kg_c_params *params, const kg_sink *sink, char **text,
                    size_t *size) {
  return emit(alloc, &m, 1, params ? params : &(kg_c_params){0}, sink, text, size);
}

kg_status kgi_c_emit_together(const kg_allocator *alloc, const kg_module *const *module, uint32_t count, const kg_sink *sink,
                              char **text, size_t *size) {
  return emit(alloc, module, count, &(kg_c_params){.kernels_only = true}, sink, text, size);
}
