/* What each trip of a loop loads from one element is loaded once, in front of the loop, if there is a trip:
 *
 *     for k in a .. b { .. s[0] .. }     becomes     var ahead = 0    if a < b { ahead = s[0] }    for k in a .. b { .. ahead .. }
 *
 * An adjoint then adds to the shadow of s[0] once, behind the loop, and not in each trip. What was certainly written in front is left to
 * hoisting, which moves such loads without asking whether there is a trip: buffers that the host gives and nobody stores to, and arrays
 * that were stored to.
 *
 * The element is the same in all trips: the loop stores neither to the object nor to what may share bytes with it, and nothing in it orders
 * memory, so that another invocation that stored there meanwhile would race with the load as it was. The load is in the body's own block,
 * and nothing in the loop leaves it, so that the first trip comes to the load. */
#include "foundation/analysis/loops.h"
#include "foundation/ir/views.h"
#include "foundation/passes/passes.h"
#include "foundation/passes/set_before.h"

typedef struct ahead {
  kgi_builder b;
  kgi_program *p;
  kgi_blocks overlaps;
  kgi_stores stores;
  uint32_t *stored; /* by object, or the first of those it overlaps: the last loop that was seen to store there */
} ahead;

static uint32_t first_of(const ahead *a, uint32_t object) { return a->overlaps.of[object] ? a->overlaps.of[object] : object; }

/* Notes what the loop stores to; false: it waits, or may be left. */
static bool look_at(ahead *a, uint32_t loop) {
  KGI_EACH_INSIDE(a->p, kgi_body_of(&a->p->inst[loop]), i) {
    const kgi_inst *x = &a->p->inst[i];
    if (kgi_orders(x) || kgi_ends(x)) return false;
    if (kgi_has_effect(x, KGI_WRITES | KGI_DECLARES)) a->stored[first_of(a, kgi_object_of(x))] = loop;
  }
  return true;
}

/* Hoisting would let it stay in the loop. */
static bool may_be_unset(const ahead *a, uint32_t load, uint32_t loop) {
  uint32_t object = a->p->inst[load].arg[0];
  const kgi_object *o = &a->p->scope.object[object];
  if (o->space == KGI_BUFFER) return a->overlaps.written[object] || !kgi_is_given(a->b.m, a->p, object);
  return o->space == KGI_SHARED || (!o->scalar && !kgi_is_set_before(a->p, &a->stores, load, loop));
}

static bool stays(const ahead *a, uint32_t load, uint32_t loop) {
  const kgi_inst *x = &a->p->inst[load];
  if (x->kind != KGI_load || !kgi_is_float(x->type) || (x->arg[1] && !kgi_is_fixed(a->p, x->arg[1], loop))) return false;
  return a->stored[first_of(a, x->arg[0])] != loop && may_be_unset(a, load, loop);
}

static void take_out(ahead *a, uint32_t load, uint32_t loop) {
  kgi_builder *b = &a->b;
  const kgi_inst x = a->p->inst[load], l = a->p->inst[loop];
  b->pos = a->p->inst_pos[load], b->at = kgi_before(a->p, loop);
  kgi_obj var = kgi_var(b, kgi_string(b->m, a->p->scope.object[x.arg[0]].name), (kg_type)x.type, (kgi_dim){0});
  kgi_store(b, var, (kgi_val){0}, kgi_float(b, (kg_type)x.type, 0));
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, (kgi_val){l.arg[0]}, (kgi_val){l.arg[1]}));
  kgi_store(b, var, (kgi_val){0}, kgi_load(b, (kgi_obj){x.arg[0]}, (kgi_val){x.arg[1]}));
  kgi_end(b);
  a->p->inst[load].arg[0] = var.i, a->p->inst[load].arg[1] = 0;
}

static void visit_loop(ahead *a, uint32_t loop) {
  if (a->p->inst[loop].kind != KGI_for || !look_at(a, loop)) return;
  for (uint32_t i = a->p->block[kgi_body_of(&a->p->inst[loop])].first, next; i; i = next) {
    next = a->p->inst[i].next;
    if (stays(a, i, loop)) take_out(a, i, loop);
  }
}

kg_status kgi_load_ahead(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  ahead a = {.p = p};
  uint32_t count = p->inst_count;
  kgi_builder_init(&a.b, m, NULL);
  kgi_resume_program(&a.b, p);
  a.stored = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *a.stored);
  if (!a.stored || !kgi_stores_find(p, scratch, &a.stores) || !kgi_overlaps_find(&a.overlaps, scratch, &p->scope)) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (i < count) visit_loop(&a, i);
  return kgi_builder_status(&a.b);
}
