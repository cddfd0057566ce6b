/* Scalar vars that carry nothing from trip to trip: where each trip of a loop stores to one before it loads it, in the loop's own block, a var
 * that is declared in the body takes its place there. The one in front of the loop gets each store too, for who looks at it behind the loop:
 * so it is left as it was by a loop without a trip, and holds what is right wherever the loop is left. Cleaning drops what nobody loads. */
#include "foundation/passes/passes.h"

enum { MOST_OWN = 1024 };

typedef enum { UNSEEN, BEGINS, CARRIES } first_access;

typedef struct walk {
  kgi_builder *b;
  uint8_t *first;  /* by object, what a trip does to it first */
  uint32_t *own;   /* by object, the var that takes its place in the loop */
  uint32_t *store; /* the first stores that were found */
  uint32_t count;
} walk;

/* What trips see first. What is declared in the loop is each trip's own already. */
static void find_first(walk *w, uint32_t loop) {
  kgi_program *p = w->b->p;
  kgi_blk body = kgi_body_of(&p->inst[loop]);
  kgi_span blocks = kgi_owned_blocks(&p->inst[loop]);
  for (unsigned n = 0; n < blocks.count; n++) {
    kgi_blk block = p->inst[loop].arg[blocks.first + n];
    KGI_EACH_INSIDE(p, block, i) {
      uint32_t object = kgi_object_of(&p->inst[i]);
      if (!object || w->first[object] != UNSEEN || p->scope.object[object].space != KGI_VAR || !p->scope.object[object].scalar) continue;
      bool begins = p->inst[i].kind == KGI_store && p->inst[i].block == body;
      w->first[object] = begins ? BEGINS : CARRIES;
      if (begins && w->count < MOST_OWN) w->store[w->count++] = i;
    }
  }
}

static void declare(walk *w, uint32_t store) {
  kgi_builder *b = w->b;
  uint32_t object = b->p->inst[store].arg[0];
  const kgi_object like = b->p->scope.object[object];
  b->at = kgi_before(b->p, store), b->pos = b->p->inst_pos[store];
  kgi_obj own = kgi_var_add(b, &like);
  w->own[object] = own.i, w->first[own.i] = UNSEEN, w->own[own.i] = 0;
}

static void take_place(walk *w, kgi_blk body) {
  kgi_builder *b = w->b;
  KGI_EACH_INSIDE(b->p, body, i) {
    uint32_t object = kgi_object_of(&b->p->inst[i]);
    if (!object || !w->own[object]) continue;
    if (b->p->inst[i].kind == KGI_store) {
      b->at = kgi_before(b->p, i), b->pos = b->p->inst_pos[i];
      kgi_store(b, (kgi_obj){object}, (kgi_val){0}, (kgi_val){b->p->inst[i].arg[2]});
    }
    if (kgi_touches(&b->p->inst[i])) b->p->inst[i].arg[0] = w->own[object];
  }
}

static void visit_loop(walk *w, uint32_t loop, uint32_t room) {
  kgi_program *p = w->b->p;
  kgi_blk body = kgi_body_of(&p->inst[loop]);
  for (uint32_t o = 0; o < p->scope.object_count; o++) w->first[o] = UNSEEN, w->own[o] = 0;
  w->count = 0;
  find_first(w, loop);
  if (!w->count || p->scope.object_count + w->count > room) return;
  for (uint32_t k = 0; k < w->count && w->b->status == KG_OK; k++) declare(w, w->store[k]);
  if (w->b->status == KG_OK) take_place(w, body);
}

kg_status kgi_own_vars(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  uint32_t room = p->scope.object_count + MOST_OWN;
  walk w = {.b = &b};
  w.first = kgi_arena_alloc(scratch, room, sizeof *w.first);
  w.own = kgi_arena_alloc(scratch, room, sizeof *w.own);
  w.store = kgi_arena_alloc(scratch, MOST_OWN, sizeof *w.store);
  if (scratch->failed) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (kgi_is_loop(&p->inst[i]) && b.status == KG_OK) visit_loop(&w, i, room);
  return kgi_builder_status(&b);
}
