/* Functions of f32: the arithmetic of foundation/lower, over lanes. */
#include "c/emit.h"

enum { SMALL = 150 }; /* instructions of what is worth a copy at every call */

/* In such a program all but literals are of lanes. */
static bool make_plan(kgi_c_emit *e, const kgi_program *p) {
  if (!kgi_c_begin(e, p) || !kgi_c_plan_empty(&e->plan, e->arena, p)) return false;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    e->plan.scalar[i] = p->inst[i].kind == KGI_literal;
    e->plan.uses[i] = 1;
  }
  return true;
}

static void write_body(kgi_c_emit *e, const kgi_lowered *f, kgi_op op) {
  const char *kind = f->program->inst_count < SMALL ? "KG_FN" : "static inline __attribute__((unused))";
  const char *head = kgi_c_format(e, "%s kg_f32v kg_%s_f32(kg_f32v kg_p1%s)", kind, kgi_op_rows[op].name,
                                  kgi_op_rows[op].arity > 1 ? ", kg_f32v kg_p2" : "");
  kgi_c_put(&e->made, "%s;\n", head);
  kgi_c_line(e, "%s {", head);
  e->depth = 1;
  e->segment = 1, e->masks = e->mask = e->first_mask = 1, e->loop = NULL, e->exits = 0;
  for (uint32_t i = 1; i < f->program->scope.object_count; i++) kgi_c_object(e, i), e->var_mask[i] = 1;
  if (f->program->scope.object_count > 1) kgi_c_line(e, "const kg_mask m1 = kg_mask_of(true);");
  if (f->program->scope.object_count > 1) kgi_c_line(e, "const bool f1 = true;");
  kgi_c_block(e, KGI_BODY);
  kgi_c_line(e, "return %s;", kgi_c_value(e, f->result, true));
  e->depth = 0;
  kgi_c_line(e, "}\n");
}

static void write_function(kgi_c_emit *e, kgi_op op) {
  const kgi_lowered *f = kgi_lower(&e->lowering, op, KG_F32);
  e->function[op] = KGI_C_WRITTEN;
  if (!f) {
    kgi_c_refuse(e, e->lowering.status == KG_OK ? KG_REFUSED : e->lowering.status);
    return;
  }
  if (!make_plan(e, f->program)) return;
  e->lowered = true;
  write_body(e, f, op);
  e->lowered = false;
}

/* Functions may call others. They stand behind the prototypes of all, and in front of the kernels. */
void kgi_c_functions(kgi_c_emit *e) {
  kgi_c_text kernels = e->body;
  bool any = true;
  e->body = (kgi_c_text){.arena = e->arena};
  while (any && e->status == KG_OK) {
    any = false;
    for (unsigned op = 0; op < KGI_OP_COUNT; op++)
      if (e->function[op] == KGI_C_WANTED) any = true, write_function(e, (kgi_op)op);
  }
  e->functions = e->body;
  e->body = kernels;
}
