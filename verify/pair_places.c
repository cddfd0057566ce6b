/* Where a host has its buffers and params, as shaders state it, is no matter of an audit, which gives arrays by name. */
#include "verify/pair.h"
#include "foundation/ir/views.h"

/* What lies elsewhere in its binding than an array would, or over another, is more than a place. */
static bool has_arrays_alone(const kgi_scope *s, kgi_arena *scratch) {
  kgi_blocks blocks;
  bool alone = kgi_overlaps_find(&blocks, scratch, s);
  for (uint32_t o = 1; alone && o < kgi_buffer_end(s); o++) {
    const kgi_object *x = &s->object[o];
    bool plain = !x->offset && !x->row && x->stride == kgi_type_bits(x->type) / 8 && !blocks.aliased[o];
    alone = !x->view || plain;
  }
  return alone;
}

static void forget(kgi_scope *s) {
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++) {
    kgi_object *x = &s->object[o];
    x->view = false;
    x->set = x->binding = x->offset = x->stride = x->row = x->every = 0;
  }
  for (uint32_t q = 1; q < s->param_count; q++) {
    kgi_param *p = &s->param[q];
    p->placed = p->pushed = false;
    p->set = p->binding = p->offset = 0;
  }
}

/* A module and its programs state the same places: all of them go, or none. */
void kgi_pair_forget_places(kg_module *m, kgi_arena *scratch) {
  bool alone = has_arrays_alone(&m->scope, scratch);
  for (uint32_t k = 1; k < m->program_count; k++) alone &= has_arrays_alone(&m->program[k]->scope, scratch);
  if (!alone) return;
  forget(&m->scope);
  for (uint32_t k = 1; k < m->program_count; k++) forget(&m->program[k]->scope);
}
