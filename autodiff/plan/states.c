/* Copies of vars: what runs again begins with the state that it began with, and leaves alone what others hold. */
#include "autodiff/plan/states.h"
#include "foundation/analysis/fills.h"
#include "foundation/ir/place.h"

int64_t kgi_ad_usual_length(const kgi_program *p, uint32_t object) {
  int64_t length;
  if (p->scope.object[object].scalar) return 1;
  return kgi_dim_eval(&p->scope, p->scope.object[object].length, &(kgi_dim_env){0}, &length) == KGI_DIM_OK ? length : INT64_MAX;
}

/* A loop that ends at a literal or at a constant is one whose trips the plan counts. */
static kgi_val end_of(kgi_builder *b, uint32_t object) {
  const kgi_dim_node n = b->p->scope.dim[b->p->scope.object[object].length.i];
  if (n.op == KGI_DIM_INT) return kgi_u32(b, (uint32_t)n.imm);
  if (n.op == KGI_DIM_SPEC && b->p->scope.spec[n.a].type == KG_U32) return kgi_spec_value(b, n.a);
  return kgi_len_leaf(b, (kgi_obj){object}, 0);
}

uint32_t kgi_ad_copy_state(kgi_builder *b, kgi_obj to, kgi_obj from) {
  if (b->p->scope.object[from.i].scalar) {
    kgi_store(b, to, (kgi_val){0}, kgi_load(b, from, (kgi_val){0}));
    return b->at.after;
  }
  kgi_val first = kgi_u32(b, 0), end = end_of(b, from.i);
  kgi_val k = kgi_for_begin(b, "", first, end, (kgi_val){0}, false);
  kgi_val value = kgi_load(b, from, k);
  kgi_store(b, to, k, value);
  uint32_t store = b->at.after;
  kgi_end(b);
  return store;
}

void kgi_ad_redirect(kgi_program *p, kgi_blk body, uint32_t from, uint32_t to) {
  KGI_EACH_INSIDE(p, body, i)
    if (kgi_touches(&p->inst[i]) && p->inst[i].arg[0] == from) p->inst[i].arg[0] = to;
}

/* Whether all of it is stored to before anything else is done with it. */
static bool begins_whole(const kgi_ad_facts *f, uint32_t object) {
  const kgi_ad_object_fact *o = &f->object[object];
  const kgi_inst *first = &f->p->inst[o->first];
  if (first->kind != KGI_store) return false;
  if (f->p->scope.object[object].scalar) return first->block == f->p->inst[o->decl].block;
  uint32_t loop = kgi_filled_by(f->p, o->first);
  return loop && f->p->inst[loop].block == f->p->inst[o->decl].block;
}

void kgi_ad_give_contents(kgi_builder *b, const kgi_ad_facts *f, uint32_t object) {
  const kgi_object like = b->p->scope.object[object];
  if (f->object[object].copy_of || begins_whole(f, object)) return; /* a copy begins with all of it; its shadow is another var's, which no zero may empty */
  kgi_cursor at = b->at;
  b->at = kgi_behind(b->p, f->object[object].decl);
  kgi_val none = kgi_int(b, (kg_type)like.type, 0), k = {0};
  if (!like.scalar) {
    kgi_val first = kgi_u32(b, 0), end = end_of(b, object);
    k = kgi_for_begin(b, "", first, end, (kgi_val){0}, false);
  }
  kgi_store(b, (kgi_obj){object}, k, none);
  if (!like.scalar) kgi_end(b);
  b->at = at;
}
