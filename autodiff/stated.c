/* Runs of programs that name their adjoint: behind the module's runs that one runs, on what the run binds and on shadows of it. */
#include "autodiff/emit/emit.h"
#include "autodiff/grad.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/slices.h"

#include <string.h>

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
    kgi_ad_part in = {to, slice};
    if (r->end && r->end[o]) in = kgi_ad_end_of(g, r, o, slice, dim);
    if (x->out.i) kgi_run_bind_slice(&g->b, item, x->out.i, in.object, in.slice);
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

bool kgi_ad_leaves_taken(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  uint32_t shadow = r->stated ? r->made->object[object].shadow.i : 0;
  return shadow && g->out->program[r->program]->scope.object[shadow].mode == KG_READ && !kgi_ad_is_spent(g, r, object);
}

/* A program that has the adjoint's buffers and params, so that a run binds what the adjoint's does, and zeroes as much of one shadow as
 * the adjoint declares. */
static uint32_t build_zero(kgi_ad_module *g, uint32_t adjoint, uint32_t shadow) {
  kgi_builder *b = &g->b;
  kgi_program *p = kgi_program_copy(&g->out->arena, g->out->program[adjoint]);
  const char *name = kgi_module_free_name(g->out, "zero_", kgi_string(g->out, g->out->program[adjoint]->scope.object[shadow].name), "");
  if (!p || !kgi_arena_grow(&g->out->arena, &g->out->program, g->out->program_count, &g->out->program_cap, sizeof *g->out->program)) return 0;
  p->name = kgi_intern_z(g->out, name);
  p->scope.object_count = kgi_buffer_end(&p->scope);
  p->scope.object[shadow].mode = KG_WRITE;
  p->workgroup[1] = p->workgroup[2] = (kgi_dim){0};
  kgi_ad_forget_body(p);
  g->out->program[g->out->program_count++] = p;
  kgi_resume_program(b, p);
  kgi_val i = kgi_each_element(b, (kgi_obj){shadow});
  kgi_store(b, (kgi_obj){shadow}, i, kgi_float(b, (kg_type)p->scope.object[shadow].type, 0));
  kgi_end(b);
  kgi_end_program(b);
  return g->out->program_count - 1;
}

static uint32_t zero_program(kgi_ad_module *g, uint32_t adjoint, uint32_t shadow) {
  for (uint32_t i = 0; i < g->taken_count; i++)
    if (g->taken[i].adjoint == adjoint && g->taken[i].shadow == shadow) return g->taken[i].program;
  if (!kgi_arena_grow(&g->scratch, &g->taken, g->taken_count, &g->taken_cap, sizeof *g->taken)) return 0;
  uint32_t program = build_zero(g, adjoint, shadow);
  g->taken[g->taken_count++] = (kgi_ad_taken){adjoint, shadow, program};
  return program;
}

void kgi_ad_zero_taken(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent, uint32_t adjoint) {
  const kgi_program *p = g->m->program[g->m->item[r->item].program];
  kg_module *m = g->out;
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope) && adjoint; o++) {
    if (!kgi_ad_leaves_taken(g, r, o)) continue;
    uint32_t shadow = r->made->object[o].shadow.i, program = zero_program(g, r->program, shadow);
    uint32_t item = program ? kgi_run_begin(&g->b, program) : 0;
    if (!item) {
      kgi_fail(&g->b, KG_NO_MEMORY);
      return;
    }
    uint32_t entries = kgi_run_entries(m->program[program]), *bind = m->bind + m->item[item].binding;
    memcpy(bind, m->bind + m->item[adjoint].binding, entries * sizeof *bind);
    kgi_run_over(&g->b, item, &bind[shadow - 1], 1);
    kgi_item_append(&g->b, parent, item);
  }
}
