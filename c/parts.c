/* Branches around barriers. Between segments a branch is taken by all of a workgroup or by none. Where the barrier is sure to come, a valid
 * program has it so; where it stands in a loop that may have no trip, or in another branch, some may take the branch and others not, and
 * none come to the barrier. What is not known to be taken together becomes a loop of one trip or of none: of loops it is known between
 * segments who is in them. */
#include "c/emit.h"
#include "foundation/analysis/uniform.h"
#include "foundation/ir/builder.h"
#include "foundation/ir/copy.h"

#include <string.h>

/* What is proved to be the same for all who come there is left as it is. */
static bool is_partly_taken(const kgi_program *p, const kgi_uniformity *u, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  if (inst->kind != KGI_if || u->value[inst->arg[0]] != KGI_VARYING) return false;
  return kgi_c_holds(p, inst->arg[1], KGI_barrier) || (inst->arg[2] && kgi_c_holds(p, inst->arg[2], KGI_barrier));
}

static bool is_sure(const kgi_program *p, const kgi_inst *branch) {
  return kgi_meets_barrier(p, branch->arg[1]) || (branch->arg[2] && kgi_meets_barrier(p, branch->arg[2]));
}

/* Of a loop around it: that jump would be one of the new loop. */
static bool jumps_out(const kgi_program *p, kgi_blk block) {
  KGI_EACH_INSIDE(p, block, i) {
    if (p->inst[i].kind != KGI_break && p->inst[i].kind != KGI_continue) continue;
    kgi_blk at = p->inst[i].block;
    while (at != block && !kgi_is_loop(&p->inst[p->block[at].owner])) at = p->inst[p->block[at].owner].block;
    if (at == block) return true;
  }
  return false;
}

static kgi_inst one_trip(kgi_builder *b, kgi_val condition, kgi_blk body) {
  kgi_val none = kgi_u32(b, 0), trips = kgi_convert(b, KG_U32, condition), one = kgi_u32(b, 1);
  return (kgi_inst){.kind = KGI_for, .type = KG_U32, .arg = {none.i, trips.i, one.i, body}};
}

/* In its place, so that the owner of the branch stays; what does not hold stands behind. */
static void replace(kgi_builder *b, uint32_t i) {
  kgi_program *p = b->p;
  kgi_inst was = p->inst[i];
  b->at = kgi_before(p, i), b->pos = p->inst_pos[i];
  kgi_inst yes = one_trip(b, (kgi_val){was.arg[0]}, was.arg[1]);
  if (was.arg[2]) {
    kgi_inst no = one_trip(b, kgi_op1(b, KGI_OP_not, (kgi_val){was.arg[0]}), was.arg[2]);
    b->at = kgi_behind(p, i);
    uint32_t other = kgi_append(b, no);
    if (other) p->block[was.arg[2]].owner = other;
  }
  kgi_inst *inst = &p->inst[i];
  inst->kind = yes.kind, inst->type = yes.type, inst->op = 0;
  memcpy(inst->arg, yes.arg, sizeof inst->arg);
}

static bool is_wanted(const kg_module *m, kgi_arena *scratch, bool *failed) {
  kgi_uniformity u;
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    if (!kgi_c_holds(p, KGI_BODY, KGI_barrier)) continue;
    if (kgi_uniformity_of(scratch, p, &u) != KG_OK) return *failed = true;
    KGI_EACH_INSIDE(p, KGI_BODY, i)
      if (is_partly_taken(p, &u, i)) return true;
  }
  return false;
}

/* Those within one another, too: what is the same for all who come there stays so. */
static kg_status replace_all(kg_module *m, kgi_program *p, kgi_arena *scratch, kgi_diags *diags) {
  kgi_uniformity u;
  kgi_builder b;
  if (kgi_uniformity_of(scratch, p, &u) != KG_OK) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, diags);
  kgi_resume_program(&b, p);
  for (uint32_t i = 1, end = p->inst_count; i < end && b.status == KG_OK; i++) {
    if (!p->inst[i].block || !is_partly_taken(p, &u, i)) continue;
    kgi_blk no = p->inst[i].arg[2];
    bool leaves = jumps_out(p, p->inst[i].arg[1]) || (no && jumps_out(p, no));
    if (!leaves) replace(&b, i);
    else if (!is_sure(p, &p->inst[i])) return KGI_DIAG(diags, c_divergent, p->inst_pos[i], kgi_string(m, p->name)), KG_REFUSED;
  }
  return kgi_builder_status(&b);
}

kg_status kgi_c_take_part(const kg_allocator *alloc, const kg_module *m, kgi_diags *diags, kg_module **own) {
  kgi_arena scratch;
  bool failed = false;
  kg_status status = KG_OK;
  *own = NULL;
  kgi_arena_init(&scratch, alloc);
  if (is_wanted(m, &scratch, &failed)) {
    *own = failed ? NULL : kgi_module_copy(alloc, m);
    status = *own ? KG_OK : KG_NO_MEMORY;
    for (uint32_t k = 1; status == KG_OK && k < (*own)->program_count; k++) status = replace_all(*own, (*own)->program[k], &scratch, diags);
  }
  kgi_arena_free(&scratch);
  return status;
}
