/* Runs of programs that name their adjoint: behind the module's runs that one runs, on what the run binds and on shadows of it. */
#include "autodiff/emit/emit.h"
#include "autodiff/grad.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/slices.h"

/* Where the adjoint has a shadow of a param whose gradient is not asked for, contributions are forgotten. */
static uint32_t unasked_shadow(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t param) {
  const kgi_param *q = &g->m->program[g->m->item[r->item].program]->scope.param[param];
  return kgi_is_float(q->type) && !kgi_ad_param_asked(g, r, param) ? r->made->param_shadow[param].i : 0;
}

/* Runs of one program forget into the same. */
static uint32_t known_sink(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t param) {
  for (const kgi_ad_run *x = g->run; x < r; x++) {
    bool same = g->m->item[x->item].program == g->m->item[r->item].program;
    if (same && x->param_sink && x->param_sink[param]) return x->param_sink[param];
  }
  return 0;
}

static uint32_t new_sink(kgi_ad_module *g, const kgi_param *q) {
  const char *name = kgi_module_free_name(g->out, "unasked_", kgi_string(g->m, q->name), "");
  kgi_dim one = kgi_len_int(&g->b, 1);
  kgi_object sink = {.name = kgi_intern_z(g->out, name), .pos = q->pos, .space = KGI_BUFFER, .type = (uint8_t)kgi_ad_type(q->type),
                     .mode = KG_TEMP, .length = one};
  return kgi_object_add(&g->b, &sink).i;
}

void kgi_ad_declare_sinks(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    const kgi_scope *s = &g->m->program[g->m->item[r->item].program]->scope;
    if (!r->stated || !r->has_content) continue;
    r->param_sink = kgi_arena_alloc(&g->scratch, s->param_count, sizeof *r->param_sink);
    if (!r->param_sink) return kgi_fail(&g->b, KG_NO_MEMORY);
    for (uint32_t q = 1; q < s->param_count; q++) {
      if (!unasked_shadow(g, r, q)) continue;
      r->param_sink[q] = known_sink(g, r, q);
      if (r->param_sink[q]) continue;
      r->param_sink[q] = new_sink(g, &s->param[q]);
    }
  }
}

void kgi_ad_zero_sinks(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    uint32_t count = r->param_sink ? g->m->program[g->m->item[r->item].program]->scope.param_count : 0;
    for (uint32_t q = 1; q < count; q++)
      if (r->param_sink[q] && !known_sink(g, r, q)) kgi_zero_soon(&g->b, &g->moving, r->param_sink[q]);
  }
}

bool kgi_ad_take_stated(kgi_ad_module *g, kgi_ad_run *r) {
  const kgi_program *p = g->m->program[g->m->item[r->item].program];
  uint32_t end = kgi_buffer_end(&g->m->program[p->adjoint]->scope);
  r->program = p->adjoint; /* the result begins as a copy of the module */
  r->made = kgi_arena_alloc(&g->scratch, 1, sizeof *r->made);
  if (!r->made) return false;
  r->made->object = kgi_arena_alloc(&g->scratch, p->scope.object_count, sizeof *r->made->object);
  r->made->param_shadow = kgi_arena_alloc(&g->scratch, p->scope.param_count, sizeof *r->made->param_shadow);
  for (uint32_t q = 1; r->made->param_shadow && q < p->scope.param_count; q++)
    r->made->param_shadow[q].i = kgi_is_float(p->scope.param[q].type) ? kgi_adjoint_param_shadow(g->m, p, q) : 0;
  for (uint32_t o = 1; r->made->object && o < kgi_buffer_end(&p->scope); o++) {
    uint32_t own = kgi_adjoint_own(g->m, p, o);
    bool is_float = kgi_is_float(p->scope.object[o].type);
    r->made->object[o].out.i = own < end ? own : 0;
    r->made->object[o].shadow.i = is_float ? kgi_adjoint_shadow(g->m, p, o) : 0;
    r->ad.object[o].share = KGI_AD_STATED;
  }
  return r->made->object && r->made->param_shadow;
}

static void bind_param_shadow(kgi_ad_module *g, const kgi_ad_run *r, uint32_t item, uint32_t param) {
  uint32_t asked = kgi_ad_param_asked(g, r, param), shadow = r->made->param_shadow[param].i;
  if (shadow) kgi_run_bind_buffer(&g->b, item, shadow, asked ? g->param_shadow[asked] : r->param_sink[param]);
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
  for (uint32_t q = 1; q < p->scope.param_count && item; q++) bind_param_shadow(g, r, item, q);
  for (uint32_t q = 1; q < adjoint->scope.param_count && item; q++) {
    uint32_t own = kgi_find_param(g->m, &p->scope, kgi_string(g->m, adjoint->scope.param[q].name));
    uint32_t value = g->m->bind[from.binding + end - 1 + own - 1];
    if (value) kgi_run_bind_param(&g->b, item, q, (kgi_dim){dim[value]});
  }
  return item;
}
