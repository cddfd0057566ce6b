/* Runs of programs that name their adjoint: behind the module's runs that one runs, on what the run binds and on shadows of it. */
#include "autodiff/emit/emit.h"
#include "autodiff/grad.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/slices.h"

bool kgi_ad_take_stated(kgi_ad_module *g, kgi_ad_run *r) {
  const kgi_program *p = g->m->program[g->m->item[r->item].program];
  uint32_t end = kgi_buffer_end(&g->m->program[p->adjoint]->scope);
  r->program = p->adjoint; /* the result begins as a copy of the module */
  r->made = kgi_arena_alloc(&g->scratch, 1, sizeof *r->made);
  if (!r->made) return false;
  r->made->object = kgi_arena_alloc(&g->scratch, p->scope.object_count, sizeof *r->made->object);
  for (uint32_t o = 1; r->made->object && o < kgi_buffer_end(&p->scope); o++) {
    uint32_t own = kgi_adjoint_own(g->m, p, o);
    bool is_float = kgi_is_float(p->scope.object[o].type);
    r->made->object[o].out.i = own < end ? own : 0;
    r->made->object[o].shadow.i = is_float ? kgi_adjoint_shadow(g->m, p, o) : 0;
    r->ad.object[o].share = KGI_AD_STATED;
  }
  return r->made->object;
}

uint32_t kgi_ad_stated_run(kgi_ad_module *g, const kgi_ad_run *r, const uint32_t *dim) {
  const kgi_item from = g->m->item[r->item];
  const kgi_program *p = g->m->program[from.program], *adjoint = g->m->program[p->adjoint];
  g->b.pos = from.pos;
  uint32_t item = kgi_run_begin(&g->b, r->program), end = kgi_buffer_end(&p->scope);
  for (uint32_t o = 1; o < end && item; o++) {
    uint32_t to = g->m->bind[from.binding + o - 1];
    const kgi_emitted_object *x = &r->made->object[o];
    kgi_slice slice = kgi_run_slice(g->m, r->item, o);
    slice.from.i = dim[slice.from.i], slice.to.i = dim[slice.to.i];
    if (x->out.i) kgi_run_bind_slice(&g->b, item, x->out.i, to, slice);
    if (x->shadow.i) kgi_run_bind_slice(&g->b, item, x->shadow.i, g->inner[to] ? g->inner[to] : g->shadow[to], slice);
  }
  for (uint32_t q = 1; q < adjoint->scope.param_count && item; q++) {
    uint32_t own = kgi_find_param(g->m, &p->scope, kgi_string(g->m, adjoint->scope.param[q].name));
    uint32_t value = g->m->bind[from.binding + end - 1 + own - 1];
    if (value) kgi_run_bind_param(&g->b, item, q, (kgi_dim){dim[value]});
  }
  return item;
}
