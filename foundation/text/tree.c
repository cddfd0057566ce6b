/* A module as what it is: tables of declarations and numbered instructions in blocks. For people who debug a pass; nothing
 * reads it back. */
#include "foundation/ir/slices.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct tree {
  const kg_module *m;
  const kgi_program *p;
  void (*write)(void *user, const char *text, size_t size);
  void *user;
} tree;

static void put(const tree *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(const tree *t, const char *format, ...) {
  char text[512]; /* longer pieces are cut: they can only be names */
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > 0) t->write(t->user, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static const char *name_of(const tree *t, kgi_str name) { return kgi_string(t->m, name); }

static const char *dim_op_text(kgi_dim_op op) {
  switch (op) {
  case KGI_DIM_ADD: return " + ";
  case KGI_DIM_SUB: return " - ";
  case KGI_DIM_MUL: return " * ";
  case KGI_DIM_DIV: return " / ";
  case KGI_DIM_MOD: return " mod ";
  case KGI_DIM_MIN: return " min ";
  case KGI_DIM_MAX: return " max ";
  case KGI_DIM_NONE: case KGI_DIM_INT: case KGI_DIM_FLOAT: case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN:
  case KGI_DIM_INDEX: break;
  }
  return " ? ";
}

/* Recursion is bounded by hand: an expression may be deep. */
static void put_dim(const tree *t, const kgi_scope *s, kgi_dim dim, int depth) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (depth > 50) {
    put(t, "...");
    return;
  }
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_NONE: put(t, "none"); return;
  case KGI_DIM_INT: put(t, "%" PRId64, n->imm); return;
  case KGI_DIM_FLOAT: put(t, "float 0x%" PRIx64, (uint64_t)n->imm); return;
  case KGI_DIM_PARAM: put(t, "%s", name_of(t, s->param[n->a].name)); return;
  case KGI_DIM_SPEC: put(t, "%s", name_of(t, s->spec[n->a].name)); return;
  case KGI_DIM_LEN: put(t, "len(%s)", name_of(t, s->object[n->a].name)); return;
  case KGI_DIM_INDEX: put(t, "%s", name_of(t, t->m->item[n->a].name)); return;
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN:
  case KGI_DIM_MAX: break;
  }
  put(t, "(");
  put_dim(t, s, (kgi_dim){n->a}, depth + 1);
  put(t, "%s", dim_op_text((kgi_dim_op)n->op));
  put_dim(t, s, (kgi_dim){n->b}, depth + 1);
  put(t, ")");
}

static const char *mode_name(unsigned mode) {
  switch ((kg_mode)mode) {
  case KG_READ: return " read";
  case KG_WRITE: return " write";
  case KG_READ_WRITE: return " read_write";
  case KG_TEMP: return " temp";
  }
  return "";
}

static void put_scope(const tree *t, const kgi_scope *s) {
  static const char *const spaces[] = {"", "buffer", "shared", "var"};
  for (uint32_t i = 1; i < s->spec_count; i++)
    put(t, "  constant %s : %s = 0x%" PRIx64 "\n", name_of(t, s->spec[i].name), kg_type_name(s->spec[i].type),
        s->spec[i].bits);
  for (uint32_t i = 1; i < s->param_count; i++) {
    put(t, "  param %s : %s", name_of(t, s->param[i].name), kg_type_name(s->param[i].type));
    if (s->param[i].has_default) put(t, " = 0x%" PRIx64, s->param[i].bits);
    put(t, "\n");
  }
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    put(t, "  @%" PRIu32 " %s %s : %s", i, spaces[o->space], name_of(t, o->name), kg_type_name(o->type));
    if (!o->scalar) {
      put(t, "[");
      if (o->length.i && !o->rank) put_dim(t, s, o->length, 0);
      for (unsigned k = 0; k < o->rank; k++) put(t, k ? ", " : ""), put_dim(t, s, o->extent[k], 0);
      put(t, "]");
    }
    put(t, "%s\n", mode_name(o->mode));
  }
}

static void put_sizes(const tree *t, const kgi_scope *s, const char *what, const kgi_dim dims[3]) {
  if (!kgi_dim_is_set(dims)) return;
  put(t, "  %s", what);
  for (int i = 0; i < 3 && dims[i].i; i++) {
    put(t, i ? ", " : " ");
    put_dim(t, s, dims[i], 0);
  }
  put(t, "\n");
}

/* What the kind of instruction says of `op` and of those arguments that are no values. */
static void put_head(const tree *t, const kgi_inst *in) {
  put(t, "%s", kgi_kind_names[in->kind]);
  switch ((kgi_kind)in->kind) {
  case KGI_literal: put(t, " 0x%" PRIx64, kgi_literal_bits(in)); return;
  case KGI_spec: put(t, " %s", name_of(t, t->p->scope.spec[in->arg[0]].name)); return;
  case KGI_param: put(t, " %s", name_of(t, t->p->scope.param[in->arg[0]].name)); return;
  case KGI_id: put(t, " %s.%" PRIu32, kgi_id_rows[in->op].name, in->arg[0]); return;
  case KGI_op: put(t, " %s", kgi_op_rows[in->op].name); return;
  case KGI_atomic: put(t, " %s @%" PRIu32, kgi_atomic_rows[in->op].name, in->arg[0]); return;
  case KGI_subgroup: put(t, " %s", kgi_subgroup_rows[in->op].name); return;
  case KGI_len:
    put(t, " @%" PRIu32, in->arg[0]);
    if (in->arg[1]) put(t, " dimension %" PRIu32, in->arg[1] - 1);
    return;
  case KGI_load: case KGI_store: case KGI_var: put(t, " @%" PRIu32, in->arg[0]); return;
  case KGI_check: put(t, " \"%s\"", kgi_string(t->m, (kgi_str){in->arg[1]})); return;
  case KGI_region: case KGI_checkpoint: put(t, " \"%s\"", kgi_string(t->m, (kgi_str){in->arg[1]})); return;
  case KGI_for: put(t, "%s", in->flags & KGI_REVERSED ? " reversed" : ""); return;
  case KGI_while: case KGI_none: case KGI_barrier: case KGI_memory_barrier: case KGI_if: case KGI_break: case KGI_continue:
  case KGI_return: case KGI_KIND_COUNT: return;
  }
}

static void put_inst(const tree *t, uint32_t i, int depth) {
  const kgi_inst *in = &t->p->inst[i];
  const char *name = name_of(t, t->p->inst_name[i]);
  kgi_span operands = kgi_operands(in);
  put(t, "%*s%%%" PRIu32 " ", 2 * depth, "", i);
  put_head(t, in);
  for (unsigned k = 0; k < operands.count; k++)
    if (in->arg[operands.first + k]) put(t, " %%%" PRIu32, in->arg[operands.first + k]);
  if (in->type) put(t, " : %s", kg_type_name(in->type));
  if (*name) put(t, "  '%s'", name);
  if (t->p->inst_pos[i]) put(t, "  %" PRIu32 ":%" PRIu32, kgi_pos_line(t->p->inst_pos[i]), kgi_pos_column(t->p->inst_pos[i]));
  put(t, "\n");
}

/* The validator bounds how deep blocks nest. */
static void put_block(const tree *t, kgi_blk block, int depth) {
  put(t, "%*sblock %" PRIu32 "\n", 2 * depth, "", block);
  KGI_EACH(t->p, block, i) {
    const kgi_inst *in = &t->p->inst[i];
    kgi_span owned = kgi_owned_blocks(in);
    put_inst(t, i, depth + 1);
    for (unsigned k = 0; k < owned.count; k++) put_block(t, in->arg[owned.first + k], depth + 2);
  }
}

static void put_program(tree *t, const kgi_program *p) {
  t->p = p;
  put(t, "program %s\n", name_of(t, p->name));
  put_sizes(t, &p->scope, "workgroup", p->workgroup);
  put_sizes(t, &p->scope, p->grid_is_invocations ? "invocations" : "grid", p->grid);
  put_scope(t, &p->scope);
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (kgi_is_leaf(p->inst[i].kind)) put_inst(t, i, 1);
  put_block(t, KGI_BODY, 1);
}

/* What it binds by name is not said, but slices are. */
static void put_run(const tree *t, uint32_t item, int depth) {
  const kgi_item *run = &t->m->item[item];
  const kgi_program *p = t->m->program[run->program];
  put(t, "%*srun %s\n", 2 * depth, "", name_of(t, p->name));
  for (uint32_t i = 1; i < kgi_buffer_end(&p->scope); i++) {
    kgi_slice slice = kgi_run_slice(t->m, item, i);
    if (!kgi_is_slice(slice)) continue;
    put(t, "%*s%s = ", 2 * depth + 2, "", name_of(t, p->scope.object[i].name));
    put(t, "%s[", name_of(t, t->m->scope.object[t->m->bind[run->binding + i - 1]].name));
    put_dim(t, &t->m->scope, slice.from, 0);
    put(t, " .. ");
    put_dim(t, &t->m->scope, slice.to, 0);
    put(t, "]\n");
  }
}

static void put_items(const tree *t, uint32_t first, int depth) {
  for (uint32_t i = first; i; i = t->m->item[i].next) {
    const kgi_item *item = &t->m->item[i];
    if (item->kind == KGI_ITEM_RUN) {
      put_run(t, i, depth);
      continue;
    }
    put(t, "%*srepeat %s in ", 2 * depth, "", name_of(t, item->name));
    put_dim(t, &t->m->scope, item->from, 0);
    put(t, " .. ");
    put_dim(t, &t->m->scope, item->to, 0);
    put(t, "%s\n", item->reversed ? " reversed" : "");
    put_items(t, item->first, depth + 1);
  }
}

void kg_module_write_tree(const kg_module *m, void (*write)(void *user, const char *text, size_t size), void *user) {
  tree t = {.m = m, .write = write, .user = user};
  if (!m->lone) {
    put(&t, "module %s\n", name_of(&t, m->name));
    put_scope(&t, &m->scope);
    put_items(&t, m->first_item, 1);
  }
  for (uint32_t i = 1; i < m->program_count; i++) put_program(&t, m->program[i]);
}
