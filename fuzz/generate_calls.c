/* Calls of functions of the language (fuzz/calls.def): their text is read, and what the reader makes of it is copied to where the
 * program stands. */
#include "fuzz/gen.h"

#include <stdio.h>

typedef struct call { kgi_gshape_id shape; uint32_t needs; double lo, hi, least, most; const char *functions, *call; } call;
static const call calls[] = {
#define CALL(shape, needs, lo, hi, least, most, functions, text) \
  {SHAPE_##shape, KGI_FUZZ_##needs, lo, hi, least, most, functions, text},
#include "fuzz/calls.def"
};
enum { CALLS = sizeof calls / sizeof *calls, REALS = 3, WORDS = 2, ARGS = REALS + WORDS };

/* ---- text ---- */

/* x[0 .. 3) are a, b and c, k[0] is n, and k[1] is q. */
static kg_module *read(kgi_gen *g, const call *c) {
  char text[1200];
  const char *type = kg_type_name(g->real);
  int size = snprintf(text, sizeof text,
                      "program p { workgroup 1 grid 1 buffer x : %s[3] read buffer k : u32[2] read buffer y : %s[1] write\n%s\n"
                      "fn call(a : real, b : real, c : real, n : u32, q : bool) -> real = %s\n"
                      "y[0] = call(x[0], x[1], x[2], k[0], k[1] == 1) }", type, type, c->functions, c->call);
  kg_module *m = NULL;
  kg_status status = kg_module_parse(NULL, "call.kg", text, (size_t)size, g->b.diags ? g->b.diags->sink : NULL, &m);
  if (status != KG_OK) kgi_fail(&g->b, status);
  return m;
}

/* ---- what was read, here ---- */

static kgi_val leaf(kgi_gen *g, const kgi_inst *inst) { return kgi_literal_of(&g->b, (kg_type)inst->type, kgi_literal_bits(inst)); }

/* Which argument a load stands for. */
static unsigned argument(const kgi_program *p, const kgi_inst *load) {
  uint32_t index = (uint32_t)kgi_literal_bits(&p->inst[load->arg[1]]);
  return load->arg[0] == 1 ? index : REALS + index;
}

static kgi_val operation(kgi_gen *g, const kgi_inst *inst, const kgi_val *made) {
  kgi_val v[4] = {{0}};
  unsigned count = kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < count; k++) v[k] = made[inst->arg[k]];
  return inst->op == KGI_OP_convert ? kgi_convert(&g->b, (kg_type)inst->type, v[0]) : kgi_apply(&g->b, (kgi_op)inst->op, v, count);
}

/* What is stored at the end. */
static kgi_val inlined(kgi_gen *g, const kgi_program *p, const kgi_gval *args) {
  kgi_val *made = kgi_arena_alloc(&g->b.m->arena, p->inst_count, sizeof *made), result = {0};
  for (uint32_t i = 1; made && i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_literal) made[i] = leaf(g, &p->inst[i]);
  for (uint32_t i = made ? p->block[KGI_BODY].first : 0; i; i = p->inst[i].next) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind == KGI_load) made[i] = args[argument(p, inst)].v;
    if (inst->kind == KGI_op) made[i] = operation(g, inst, made);
    if (inst->kind == KGI_store) result = made[inst->arg[2]];
  }
  return result;
}

/* ---- which ---- */

static bool may_call(const kgi_gen *g, const call *c) {
  bool functions = c->needs != KGI_FUZZ_FUNCTIONS || g->real != KG_F64 || kgi_has(g, KGI_FUZZ_WIDE); /* devices have none of f64 */
  return kgi_has(g, c->needs) && functions;
}

bool kgi_gshape_of_calls(kgi_gen *g) {
  unsigned at = kgi_choose(g, CALLS), tries = 0;
  while (!may_call(g, &calls[at]) && tries++ < CALLS) at = (at + 1) % CALLS;
  const call *c = &calls[at];
  if (tries > CALLS) return false;
  kgi_gval args[ARGS];
  bool uniform = true;
  for (unsigned k = 0; k < ARGS; k++) {
    args[k] = k < REALS ? kgi_gfit(g, kgi_greal(g), c->lo, c->hi) : kgi_gconvert(g, KG_U32, kgi_gbelow(g, 8, (kgi_val){0}));
    uniform &= args[k].uniform;
  }
  kg_module *m = read(g, c);
  if (m) kgi_gpush(g, inlined(g, m->program[1], args), c->least, c->most, uniform);
  kg_module_free(m);
  kgi_gmade(g, c->shape);
  return true;
}
