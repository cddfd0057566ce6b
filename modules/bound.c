/* What a run binds, held against what its program declares. */
#include "modules/modules.h"
#include "foundation/ir/slices.h"

/* Whether a length of the program is that one of the module, as the run has it: written alike, with what it binds to params. */
static bool is_length(const kg_module *m, const kgi_item *item, kgi_dim declared, kgi_dim bound) {
  const kgi_scope *s = &m->program[item->program]->scope;
  const kgi_dim_node *x = &s->dim[declared.i], *y = &m->scope.dim[bound.i];
  switch ((kgi_dim_op)x->op) {
  case KGI_DIM_PARAM: return bound.i && m->bind[item->binding + kgi_buffer_end(s) - 1 + x->a - 1] == bound.i;
  case KGI_DIM_INT: return y->op == KGI_DIM_INT && x->imm == y->imm;
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    return x->op == y->op && is_length(m, item, (kgi_dim){x->a}, (kgi_dim){y->a}) && is_length(m, item, (kgi_dim){x->b}, (kgi_dim){y->b});
  case KGI_DIM_NONE: case KGI_DIM_FLOAT: case KGI_DIM_SPEC: case KGI_DIM_LEN: case KGI_DIM_INDEX: break;
  }
  return false;
}

bool kgi_is_bound_as_declared(const kg_module *m, uint32_t item, uint32_t object) {
  const kgi_item *run = &m->item[item];
  const kgi_object *declared = &m->program[run->program]->scope.object[object];
  const kgi_object *bound = &m->scope.object[m->bind[run->binding + object - 1]];
  if (kgi_is_slice(kgi_run_slice(m, item, object)) || declared->view || bound->view || declared->scalar || bound->scalar) return false;
  return !declared->length.i || is_length(m, run, declared->length, bound->length);
}
