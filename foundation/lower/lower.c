#include "foundation/lower/lower.h"
#include "foundation/ir/builder.h"
#include "foundation/text/expr.h"

#include <string.h>

/* ---- the table ---- */

enum { MOST_PIECES = 16 };
typedef struct text { uint8_t piece[MOST_PIECES], count; } text; /* of functions.kg, in order */
#define TEXT(...) {.piece = {__VA_ARGS__}, .count = sizeof((const uint8_t[]){__VA_ARGS__})}

static const char *const pieces[] = {
#define PIECE(...) __VA_ARGS__,
#include "foundation/lower/functions.inc"
};

/* A function whose text is missing does not compile. */
static const text texts[KGI_OP_COUNT] = {
  [KGI_OP_rem] = TEXT(KGI_PIECES_rem), [KGI_OP_mod] = TEXT(KGI_PIECES_mod), /* SPIR-V's are off by any number of divisors */
#define FUN1(name, number, ...) [number] = TEXT(KGI_PIECES_##name),
#define FUN2(name, number, ...) [number] = TEXT(KGI_PIECES_##name),
#include "foundation/ir/ops.def"
};

/* In parentheses, so that the table's macros may pass them on. */
#define CORE(...) (NULL)
#define GLSL(...) (NULL)
#define EXPR(expression) (expression)
#define OWN(f) (NULL)
#define OWN_BY(i, f) (NULL)
#define FUNCTION (NULL)
static const char *const expressions[KGI_OP_COUNT] = {
#define OP(name, number, arity, rule, flags, eval, spirv, ...) [number] = spirv,
#include "foundation/ir/ops.def"
};

static kgi_lowered *failed(kgi_lowering *l, kg_status status) {
  if (l->status == KG_OK) l->status = status;
  return NULL;
}

/* ---- functions ---- */

/* A module of the functions that are needed, and the program. */
static char *assemble(kgi_arena *arena, const text *t, size_t *size) {
  static const char before[] = "module functions {\n", after[] = "}\n";
  size_t length = sizeof before - 1 + sizeof after - 1;
  for (unsigned i = 0; i < t->count; i++) length += strlen(pieces[t->piece[i]]);
  char *bytes = kgi_arena_alloc(arena, length + 1, 1), *at = bytes;
  if (!bytes) return NULL;
  memcpy(at, before, sizeof before), at += sizeof before - 1;
  for (unsigned i = 0; i < t->count; i++) {
    size_t n = strlen(pieces[t->piece[i]]);
    memcpy(at, pieces[t->piece[i]], n), at += n;
  }
  memcpy(at, after, sizeof after);
  *size = length;
  return bytes;
}

static uint32_t find_result(const kg_module *m, const kgi_program *p, const char *name) {
  KGI_EACH(p, KGI_BODY, i)
    if (!strcmp(kgi_string(m, p->inst_name[i]), name)) return i;
  return 0;
}

/* Removes what neither the result nor a var needs. Operands are made before what they are operands of. */
static bool keep_needed(kgi_arena *scratch, kgi_program *p, uint32_t result) {
  bool *needed = kgi_arena_alloc(scratch, p->inst_count, sizeof *needed);
  if (!needed) return false;
  needed[result] = true;
  for (uint32_t i = p->inst_count - 1; i > 0; i--) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span operands = kgi_operands(inst);
    if (kgi_is_pure(inst) && !needed[i]) {
      kgi_remove(p, i);
      continue;
    }
    for (unsigned k = 0; k < operands.count; k++) needed[inst->arg[operands.first + k]] = true;
  }
  return true;
}

/* The result, 0 once failed. */
static uint32_t read_function(kgi_lowering *l, kgi_op op, kg_module **m) {
  size_t size;
  char *bytes = assemble(&l->arena, &texts[op], &size);
  if (!bytes) return failed(l, KG_NO_MEMORY), 0;
  kg_status status = kg_module_parse(&l->arena.alloc, "functions.kg", bytes, size, l->diags ? l->diags->sink : NULL, m);
  if (status != KG_OK) return failed(l, status), 0;
  kgi_program *p = (*m)->program[1];
  uint32_t result = find_result(*m, p, kgi_op_rows[op].name);
  if (!result || p->scope.object_count > KGI_LOWERED_VARS + 1) return failed(l, KG_INVALID), 0;
  return keep_needed(&l->arena, p, result) ? result : (failed(l, KG_NO_MEMORY), 0);
}

/* ---- expressions ---- */

static const char *const names[] = {"a", "b", "c", "d"};

static uint32_t read_expression(kgi_lowering *l, kgi_op op, unsigned type, const kgi_program **out) {
  if (!l->expressions) l->expressions = kgi_module_new(&l->arena.alloc, NULL);
  if (!l->expressions) return failed(l, KG_NO_MEMORY), 0;
  kgi_builder b;
  kgi_val operand[4], result = {0};
  kgi_builder_init(&b, l->expressions, l->diags);
  *out = kgi_begin_program(&b, kgi_op_rows[op].name);
  unsigned arity = kgi_op_rows[op].arity;
  for (unsigned i = 0; i < arity; i++) {
    kgi_param param = {.name = kgi_intern_z(l->expressions, names[i]), .type = (uint8_t)type};
    operand[i] = kgi_param_value(&b, kgi_param_add(&b, &param));
  }
  kgi_expr(&b, expressions[op], names, operand, arity, (kg_type)type, &result);
  kgi_end_program(&b);
  if (kgi_builder_status(&b) != KG_OK) return failed(l, kgi_builder_status(&b)), 0;
  return result.i;
}

/* ---- all ---- */

void kgi_lowering_init(kgi_lowering *l, const kg_allocator *alloc, kgi_diags *diags) {
  *l = (kgi_lowering){.diags = diags};
  kgi_arena_init(&l->arena, alloc);
}

void kgi_lowering_free(kgi_lowering *l) {
  for (unsigned op = 0; op < KGI_OP_COUNT; op++)
    for (kgi_lowered *x = l->made[op]; x; x = x->next) kg_module_free(x->module);
  kg_module_free(l->expressions);
  kgi_arena_free(&l->arena);
}

static const kgi_lowered *make(kgi_lowering *l, kgi_op op, unsigned type) {
  kgi_lowered *x = kgi_arena_alloc(&l->arena, 1, sizeof *x);
  if (!x) return failed(l, KG_NO_MEMORY);
  x->next = l->made[op], x->type = type;
  l->made[op] = x; /* from here on it is freed */
  x->result = expressions[op] ? read_expression(l, op, type, &x->program) : read_function(l, op, &x->module);
  if (!x->result) return NULL;
  if (x->module) x->program = x->module->program[1];
  x->room = kgi_arena_alloc(&l->arena, x->program->inst_count, sizeof *x->room);
  return x->room ? x : failed(l, KG_NO_MEMORY);
}

const kgi_lowered *kgi_lower(kgi_lowering *l, kgi_op op, unsigned type) {
  if (l->status != KG_OK || (!expressions[op] && (!texts[op].count || type != KG_F32))) return NULL;
  for (const kgi_lowered *x = l->made[op]; x; x = x->next)
    if (x->type == type) return x;
  return make(l, op, type);
}
