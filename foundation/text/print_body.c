/* Statements. */
#include "foundation/text/print.h"

#include <string.h>

static void print_instruction(kgi_printer *t, uint32_t i, bool in_condition);

static void print_list(kgi_printer *t, kgi_blk block, bool in_condition) {
  KGI_EACH(t->p, block, i) {
    if (t->plan[i] & KGI_PLAN_INLINE) continue;
    kgi_put_line(t);
    print_instruction(t, i, in_condition);
  }
}

/* " {", the statements, and "}". Names declared in it are free again, unless it is a region. */
static void braced(kgi_printer *t, kgi_blk block, bool scopes) {
  uint32_t mark = t->open_count;
  kgi_plan_block(t, block);
  kgi_put(t, " {");
  t->indent++;
  print_list(t, block, false);
  t->indent--;
  kgi_put_line(t);
  kgi_put(t, "}");
  if (scopes) kgi_release_names(t, mark);
}

void kgi_print_block(kgi_printer *t, kgi_blk block) {
  kgi_plan_block(t, block);
  print_list(t, block, false);
}

/* ---- values ---- */

/* A made-up name says where the value comes from: from memory, or that it is a truth. */
static const char *made_up(const kgi_printer *t, uint32_t value) {
  const kgi_inst *x = &t->p->inst[value];
  if (x->kind == KGI_load) return t->object[x->arg[0]];
  if (x->kind == KGI_atomic) return "old";
  return x->type == KG_BOOL ? "c" : "t";
}

static void print_let(kgi_printer *t, uint32_t value) {
  const char *name = kgi_string(t->m, t->p->inst_name[value]);
  kg_type type = (kg_type)t->p->inst[value].type;
  name = *name ? kgi_claim_name(t, name, "") : kgi_claim_numbered(t, made_up(t, value));
  t->plan[value] |= KGI_PLAN_INLINE; /* for a moment: whether its own expression is open */
  bool stated = kgi_is_open(t, value) && kgi_open_default(t, value) != type;
  t->plan[value] &= (uint8_t)~KGI_PLAN_INLINE;
  kgi_put(t, "let "), kgi_put(t, name);
  if (stated) kgi_putf(t, " : %s", kg_type_name(type));
  kgi_put(t, " = ");
  kgi_print_definition(t, value, stated ? type : KG_NONE);
  t->value[value] = name;
}

/* ---- memory ---- */

static void declare_var(kgi_printer *t, uint32_t object, uint32_t init) {
  const kgi_object *o = &t->p->scope.object[object];
  kg_type type = (kg_type)o->type, value = kgi_type_value(type);
  const char *name = kgi_claim_name(t, kgi_string(t->m, o->name), "v");
  kgi_putf(t, "var %s", name);
  if (!init || type != value || (kgi_is_open(t, init) && kgi_open_default(t, init) != type))
    kgi_putf(t, " : %s", kg_type_name(type));
  if (!o->scalar) kgi_print_extents(t, &t->p->scope, o);
  if (init) kgi_put(t, " = "), kgi_print_value(t, init, value, 1);
  t->object[object] = name;
}

static void print_store(kgi_printer *t, uint32_t store) {
  const kgi_inst *s = &t->p->inst[store];
  kg_type type = kgi_type_value(t->p->scope.object[s->arg[0]].type);
  if (t->plan[store] & KGI_PLAN_DECLARES) {
    declare_var(t, s->arg[0], s->arg[2]);
    return;
  }
  kgi_print_place(t, s->arg[0], s->arg[1]);
  if (t->plan[store] & KGI_PLAN_COMPOUND) {
    const kgi_inst *op = &t->p->inst[s->arg[2]];
    kgi_put(t, " "), kgi_put(t, kgi_compound_text(op->op)), kgi_put(t, " ");
    kgi_print_value(t, op->arg[1], type, 1);
  } else {
    kgi_put(t, " = ");
    kgi_print_value(t, s->arg[2], type, 1);
  }
}

/* ---- control ---- */

/* Whether a block is one `if` and what its condition is computed from: then it can stand behind `else`. */
static bool is_else_if(const kgi_printer *t, kgi_blk block) {
  uint32_t last = t->p->block[block].last;
  KGI_EACH(t->p, block, i)
    if (i != last && !(t->plan[i] & KGI_PLAN_INLINE)) return false;
  return t->p->inst[last].kind == KGI_if;
}

/* A chain of else-ifs is nested blocks, so KGI_MAX_DEPTH bounds the recursion. */
static void print_if(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  kgi_put(t, "if ");
  kgi_print_value(t, x->arg[0], KG_BOOL, 1);
  braced(t, x->arg[1], true);
  if (!x->arg[2]) return;
  kgi_put(t, " else");
  kgi_plan_block(t, x->arg[2]);
  if (is_else_if(t, x->arg[2])) {
    kgi_put(t, " ");
    print_if(t, t->p->block[x->arg[2]].last);
  } else {
    braced(t, x->arg[2], true);
  }
}

static void print_for(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  uint32_t mark = t->open_count;
  t->value[i] = kgi_claim_name(t, kgi_string(t->m, t->p->inst_name[i]), "i");
  kgi_putf(t, "for %s in ", t->value[i]);
  kgi_print_bounds(t, x->arg, x->flags & KGI_REVERSED);
  braced(t, x->arg[3], true);
  kgi_release_names(t, mark);
}

static void print_while(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  uint32_t mark = t->open_count;
  kgi_put(t, "while ");
  if (kgi_plan_condition(t, x->arg[1], x->arg[0])) {
    kgi_print_value(t, x->arg[0], KG_BOOL, 1);
  } else {
    kgi_put(t, "{");
    t->indent++;
    print_list(t, x->arg[1], true);
    kgi_put_line(t);
    kgi_put(t, "when ");
    kgi_print_value(t, x->arg[0], KG_BOOL, 1);
    t->indent--;
    kgi_put_line(t);
    kgi_put(t, "}");
  }
  kgi_release_names(t, mark);
  if (x->arg[3]) kgi_put(t, " limit "), kgi_print_dim(t, &t->p->scope, (kgi_dim){x->arg[3]}, 1);
  braced(t, x->arg[2], true);
}

/* Without a name that says something else. */
static void print_region(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  const char *name = kgi_string(t->m, (kgi_str){x->arg[1]});
  if (!*name) name = "r";
  kgi_putf(t, "region %s", strcmp(name, "checkpoint") ? kgi_label(t, name) : "checkpoint_");
  braced(t, x->arg[0], false);
}

static void print_checkpoint(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  const char *name = kgi_string(t->m, (kgi_str){x->arg[1]});
  kgi_put(t, "region checkpoint");
  if (*name) kgi_putf(t, " %s", kgi_label(t, name));
  braced(t, x->arg[0], true);
}

static void print_check(kgi_printer *t, uint32_t i) {
  const kgi_inst *x = &t->p->inst[i];
  kgi_put(t, "assert ");
  kgi_print_value(t, x->arg[0], KG_BOOL, 1);
  kgi_put(t, " ");
  kgi_put_string(t, kgi_string(t->m, (kgi_str){x->arg[1]}));
}

/* ---- all ---- */

static void print_instruction(kgi_printer *t, uint32_t i, bool in_condition) {
  const kgi_inst *x = &t->p->inst[i];
  switch ((kgi_kind)x->kind) {
  case KGI_op: case KGI_load: case KGI_subgroup: print_let(t, i); break;
  case KGI_atomic:
    if (t->uses[i] || t->p->inst_name[i].i || in_condition) print_let(t, i);
    else kgi_print_definition(t, i, KG_NONE);
    break;
  case KGI_store: print_store(t, i); break;
  case KGI_var: declare_var(t, x->arg[0], 0); break;
  case KGI_check: print_check(t, i); break;
  case KGI_if: print_if(t, i); break;
  case KGI_for: print_for(t, i); break;
  case KGI_while: print_while(t, i); break;
  case KGI_region: print_region(t, i); break;
  case KGI_checkpoint: print_checkpoint(t, i); break;
  case KGI_barrier: case KGI_memory_barrier: case KGI_break: case KGI_continue: case KGI_return:
    kgi_put(t, kgi_kind_names[x->kind]);
    break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_KIND_COUNT: break;
  }
}
