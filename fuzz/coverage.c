#include "fuzz/generate.h"

static void cover_block(kgi_fuzz_coverage *c, const kgi_program *p, kgi_blk block, unsigned owner, unsigned depth) {
  if (depth > 100) return;
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    kgi_span owned = kgi_owned_blocks(x);
    c->instructions++;
    c->kind[x->kind]++;
    c->nested[owner][x->kind]++;
    if (x->kind == KGI_op) c->op[x->op]++;
    if (x->kind == KGI_atomic) c->atomic[x->op]++;
    if (x->kind == KGI_subgroup) c->subgroup[x->op]++;
    for (unsigned k = 0; k < owned.count; k++)
      if (x->arg[owned.first + k]) cover_block(c, p, x->arg[owned.first + k], x->kind, depth + 1);
  }
}

void kgi_fuzz_cover(kgi_fuzz_coverage *c, const kg_module *m) {
  c->modules++;
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    c->programs++;
    for (uint32_t i = 1; i < p->inst_count; i++) {
      if (!kgi_is_leaf(p->inst[i].kind)) continue;
      c->kind[p->inst[i].kind]++;
      if (p->inst[i].kind == KGI_id) c->id[p->inst[i].op]++;
    }
    for (uint32_t i = 1; i < p->scope.object_count; i++) c->type[p->scope.object[i].type]++;
    cover_block(c, p, KGI_BODY, 0, 0);
  }
}

unsigned kgi_fuzz_uncovered_op(const kgi_fuzz_coverage *c, unsigned op) {
  while (op < KGI_OP_COUNT && c->op[op]) op++;
  return op;
}
