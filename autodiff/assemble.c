/* The module that results: the primal's runs, the adjoints in reverse order, and before both the zeroing of shadows that are added
 * to. A lone program whose adjoint needs no zeroing gives a lone program. */
#include "autodiff/after.h"
#include "autodiff/grad.h"
#include "autodiff/emit/emit.h"
#include "foundation/ir/equal.h"
#include "foundation/ir/slices.h"
#include "modules/modules.h"

#include <stdio.h>
#include <string.h>

/* ---- programs ---- */

/* Two runs of one program often have the same adjoint: that of an earlier run, if this one's is equal to it, or 0. */
static kg_status earlier_equal(const kgi_ad_module *g, uint32_t run, uint32_t *earlier) {
  const kgi_ad_run *r = &g->run[run];
  *earlier = 0;
  for (uint32_t k = 0; k < run && !r->fused && !*earlier; k++) {
    const kgi_ad_run *other = &g->run[k];
    if (!other->program || g->m->item[other->item].program != g->m->item[r->item].program) continue;
    bool equal;
    kg_status status = kgi_program_equal(g->out, g->out->program[other->program], g->out->program[r->program], &equal);
    if (status != KG_OK) return status;
    if (equal) *earlier = other->program;
  }
  return KG_OK;
}

static bool keeps_tapes(const kgi_ad *a) {
  for (uint32_t t = 0; t < a->tape_count; t++)
    if (!kgi_ad_is_own(&a->tape[t])) return true;
  return false;
}

/* A lone program that does not turn round in place: its run is one of the module that results. */
static bool runs_apart(const kgi_ad_module *g) { return g->m->lone && !g->split && !g->run[0].fused; }

/* The primal of a run whose adjoint is another run's, if that needs tapes, or else it would not be there. */
static kg_status build_forward(kgi_ad_module *g, kgi_ad_run *r) {
  if (r->stated || (!runs_apart(g) && (!r->has_content || r->fused || !keeps_tapes(&r->ad)))) return KG_OK;
  r->forward = kgi_arena_alloc(&g->scratch, 1, sizeof *r->forward);
  if (!r->forward) return KG_NO_MEMORY;
  const char *base = kgi_string(g->work, r->ad.f.p->name);
  kg_status status = kgi_ad_build(r->forward, &r->ad, KGI_EMIT_FORWARD, &g->b, kgi_module_free_name(g->out, "", base, "_forward"));
  r->forward_program = g->out->program_count - 1;
  return status;
}

static kg_status build_forwards(kgi_ad_module *g) {
  kg_status status = KG_OK;
  for (uint32_t i = 0; i < g->run_count && status == KG_OK; i++) status = build_forward(g, &g->run[i]);
  return status;
}

static kg_status build_each(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    if (!r->has_content) continue;
    if (r->stated && !kgi_ad_take_stated(g, r)) return KG_NO_MEMORY;
    if (r->stated) continue;
    const char *base = kgi_string(g->work, r->ad.f.p->name);
    r->made = kgi_arena_alloc(&g->scratch, 1, sizeof *r->made);
    if (!r->made) return KG_NO_MEMORY;
    kgi_emission_mode mode = r->fused ? KGI_EMIT_FUSED : KGI_EMIT_ADJOINT;
    kg_status status = kgi_ad_build(r->made, &r->ad, mode, &g->b, kgi_module_free_name(g->out, "", base, "_grad"));
    if (status != KG_OK) return status;
    r->program = g->out->program_count - 1;
    uint32_t equal;
    status = earlier_equal(g, i, &equal);
    if (status != KG_OK) return status;
    r->has_content = r->fused || g->out->program[r->program]->block[KGI_BODY].first;
    if (!equal && r->has_content) continue;
    g->out->program_count--;
    r->program = equal;
  }
  return KG_OK;
}

/* Those that did not come to collect add to what they find. */
static void note_uncollected(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad *a = &g->run[i].ad;
    for (uint32_t o = 1; g->run[i].has_content && o < kgi_buffer_end(&a->f.p->scope); o++)
      if (a->object[o].share != KGI_AD_COLLECTED && a->object[o].share != KGI_AD_COLLECTED_TO) a->object[o].homes = 0;
  }
}

/* An adjoint leaves no zeros for one that is going to collect. Whether that one does is known when it was made: if not, all are made again. */
static kg_status build_programs(kgi_ad_module *g) {
  uint32_t before = g->out->program_count;
  bool *has_content = kgi_arena_alloc(&g->scratch, g->run_count + 1, sizeof *has_content);
  if (!has_content) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < g->run_count; i++) has_content[i] = g->run[i].has_content;
  kgi_ad_find_unseen(g);
  for (;;) {
    kg_status status = build_each(g);
    note_uncollected(g);
    if (status != KG_OK || !kgi_ad_find_unseen(g)) return status;
    g->out->program_count = before;
    for (uint32_t i = 0; i < g->run_count; i++) g->run[i].has_content = has_content[i];
  }
}

/* ---- shadows ---- */

/* Of the runs that touch a shadow one may store to it first; the others add to that, or begin it anew. */
static void note_share(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, uint32_t in_run) {
  const kgi_ad_object *o = &r->ad.object[in_run];
  bool begins = o->share == KGI_AD_SOLE || o->share == KGI_AD_COLLECTED;
  g->touched[object] = true;
  g->bare[object] |= r->first[in_run] && !begins;
  if (begins && !r->fresh[in_run] && !r->first[in_run]) return;
  if (begins)
    g->stored[object] = true, g->reached[object] = o->reached, g->whole[object] = o->whole, g->narrow[object] = o->narrow;
  else if (o->share > g->worst[object]) g->worst[object] = (int8_t)o->share;
}

static void find_touched(kgi_ad_module *g) {
  memset(g->worst, -1, g->m->scope.object_count * sizeof *g->worst);
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    const uint32_t *bind = g->m->bind + g->m->item[r->item].binding;
    for (uint32_t o = 1, end = kgi_buffer_end(&r->ad.f.p->scope); r->has_content && o < end; o++)
      if (r->made->object[o].shadow.i) note_share(g, r, bind[o - 1], o);
  }
}

static void find_stored_params(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t s = 0; r->has_content && !r->stated && s < r->ad.sum_count; s++)
      if (r->ad.sum[s].param && r->ad.sum[s].way == KGI_AD_SUM_STORED) g->param_stored[kgi_ad_param_asked(g, r, r->ad.sum[s].param)] = true;
  }
}

static void find_zeroed(kgi_ad_module *g) {
  find_touched(g);
  find_stored_params(g);
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    if (!g->touched[o] && !g->wrt[o]) continue;
    bool given = g->of[o] || (g->stored[o] && !g->bare[o]) || (g->params->accumulate && g->wrt[o]);
    g->needs_zero[o] = kgi_ad_has_inner(g, o) ? !g->viewed[o] : !given; /* views are zeroed where they lie */
  }
}

/* The dims of the primal module's scope, in the result's. */
static uint32_t add_shadow(kgi_ad_module *g, const kgi_object *of, const char *name, uint8_t mode, const uint32_t *dim) {
  kgi_object shadow = {.name = kgi_intern_z(g->out, kgi_module_free_name(g->out, "grad_", name, "")), .pos = of->pos, .space = KGI_BUFFER,
                       .type = (uint8_t)kgi_ad_type(of->type), .mode = mode, .scalar = of->scalar, .length = of->length};
  if (dim) kgi_copy_extents(&shadow, of, dim);
  return kgi_object_add(&g->b, &shadow).i;
}

static kgi_dim tape_length(kgi_ad_module *g, const kgi_ad *a, const kgi_ad_tape *tape, const uint32_t *dim) {
  kgi_dim length = {dim[a->lanes.i]};
  if (tape->values > 1) length = kgi_len_op(&g->b, KGI_DIM_MUL, kgi_len_int(&g->b, tape->values), length);
  if (tape->each.i) length = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[tape->each.i]}, length);
  if (a->rounds.i && !kgi_ad_is_own(tape)) length = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[a->rounds.i]}, length);
  uint32_t end = kgi_ad_tape_end(a, tape), loop = kgi_ad_dimension(a, tape->alike, tape->loop, end);
  for (; loop != end; loop = kgi_ad_next_dimension(a, tape->alike, loop, end))
    length = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[kgi_ad_loop_at(a, loop)->most.i]}, length);
  return length;
}

static void declare_tapes(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    if (!r->has_content || !r->ad.tape_count) continue;
    r->tape = kgi_arena_alloc(&g->scratch, r->ad.tape_count, sizeof *r->tape);
    if (!r->tape) return kgi_fail(&g->b, KG_NO_MEMORY);
    for (uint32_t t = 0; t < r->ad.tape_count; t++) {
      const char *prefix = kgi_ad_is_list(&r->ad.tape[t]) ? "list_" : "tape_";
      const char *name = kgi_module_free_name(g->out, prefix, kgi_string(g->work, r->ad.f.p->name), "");
      kgi_object tape = {.name = kgi_intern_z(g->out, name), .pos = r->ad.f.p->pos, .space = KGI_BUFFER,
                         .type = (uint8_t)r->ad.tape[t].type, .mode = KG_TEMP};
      tape.length = tape_length(g, &r->ad, &r->ad.tape[t], dim);
      r->tape[t] = kgi_object_add(&g->b, &tape).i;
    }
  }
}

/* For the runs alone; a view where the primal's is one that may overlap another. */
static uint32_t add_inner(kgi_ad_module *g, const kgi_object *of, uint32_t o, const uint32_t *binding, const uint32_t *dim) {
  bool hosted = g->wrt[o] || g->of[o];
  const char *name = kgi_module_free_name(g->out, hosted ? "inner_grad_" : "grad_", kgi_string(g->m, of->name), "");
  kgi_object inner = {.name = kgi_intern_z(g->out, name), .pos = of->pos, .space = KGI_BUFFER, .type = kgi_ad_shadow_type(of),
                      .mode = KG_TEMP, .scalar = of->scalar, .length = of->length};
  if (g->viewed[o]) kgi_ad_place_shadow(of, binding[o], &inner);
  if (dim) kgi_copy_extents(&inner, of, dim);
  return kgi_object_add(&g->b, &inner).i;
}

static uint8_t mode_of_shadow(const kgi_ad_module *g, uint32_t o) {
  if (g->of[o]) return kgi_ad_has_inner(g, o) && !g->wrt[o] ? KG_READ : KG_READ_WRITE;
  return !g->wrt[o] ? KG_TEMP : g->params->accumulate ? KG_READ_WRITE : KG_WRITE;
}

static void declare_buffer_shadows(kgi_ad_module *g, const uint32_t *dim) {
  const kgi_scope *s = &g->m->scope;
  uint32_t *binding;
  if (!kgi_ad_shadow_bindings(&g->scratch, s, 1, &binding)) return kgi_fail(&g->b, KG_NO_MEMORY);
  for (uint32_t o = 1; o < s->object_count; o++) {
    const kgi_object *object = &s->object[o];
    bool hosted = g->wrt[o] || g->of[o], inner = kgi_ad_has_inner(g, o), host = !object->length.i && !object->scalar;
    if (!g->touched[o] && !hosted && !inner) continue;
    kgi_object measured = *object;
    if (host) measured.length = kgi_len_of(&g->b, (kgi_obj){o});
    if (hosted || !inner) g->shadow[o] = add_shadow(g, &measured, kgi_string(g->m, object->name), mode_of_shadow(g, o), host ? NULL : dim);
    if (inner) g->inner[o] = add_inner(g, &measured, o, binding, host ? NULL : dim);
  }
}

static void declare_shadows(kgi_ad_module *g, const uint32_t *dim) {
  const kgi_scope *s = &g->m->scope;
  declare_buffer_shadows(g, dim);
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!g->wrt_param[q]) continue;
    kgi_object like = {.pos = s->param[q].pos, .type = s->param[q].type, .length = kgi_len_int(&g->b, 1)};
    g->param_shadow[q] = add_shadow(g, &like, kgi_string(g->m, s->param[q].name), g->params->accumulate ? KG_READ_WRITE : KG_WRITE,
                                    NULL);
  }
}

/* A cotangent that no adjoint stores to is only read. */
static void state_cotangents(kgi_ad_module *g) {
  bool *stored = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *stored);
  if (!stored) return kgi_fail(&g->b, KG_NO_MEMORY);
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    const uint32_t *bind = g->m->bind + g->m->item[r->item].binding;
    for (uint32_t k = 1, end = kgi_buffer_end(&r->ad.f.p->scope); r->has_content && k < end; k++) {
      uint32_t shadow = r->made->object[k].shadow.i;
      if (shadow && g->out->program[r->program]->scope.object[shadow].mode != KG_READ) stored[bind[k - 1]] = true;
      if (kgi_ad_leaves_taken(g, r, k)) stored[bind[k - 1]] = true;
    }
  }
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if (g->of[o] && !g->wrt[o] && g->shadow[o] && !stored[o]) g->out->scope.object[g->shadow[o]].mode = KG_READ;
}

/* ---- order of work ---- */

/* Tapes, and what they ask of the host. */
static void bind_tapes(kgi_ad_module *g, const kgi_ad_run *r, const kgi_emission *e, uint32_t item, const uint32_t *dim) {
  const kgi_ad *a = &r->ad;
  if (!a->tape_count) return;
  for (uint32_t t = 0; t < a->tape_count; t++)
    if (e->tape[t].i) kgi_run_bind_buffer(&g->b, item, e->tape[t].i, r->tape[t]);
  kgi_run_bind_param(&g->b, item, e->tape_param.lanes, (kgi_dim){dim[a->lanes.i]});
  if (a->rounds.i) kgi_run_bind_param(&g->b, item, e->tape_param.rounds, (kgi_dim){dim[a->rounds.i]});
  if (a->rounds.i) kgi_run_bind_param(&g->b, item, e->tape_param.round, (kgi_dim){dim[a->round.i]});
  for (uint32_t k = 0; k < a->loop_count; k++)
    if (a->loop[k].taped) kgi_run_bind_param(&g->b, item, e->tape_param.trips[k], (kgi_dim){dim[a->loop[k].most.i]});
}

/* A run of what was emitted for `r`, as `program` of the result; on copies of what `copy` has (NULL: of nothing). */
static uint32_t emitted_run(kgi_ad_module *g, const kgi_ad_run *r, const kgi_emission *e, uint32_t program, const uint32_t *copy,
                            const uint32_t *dim) {
  const kgi_item from = g->m->item[r->item];
  const kgi_program *p = r->ad.f.p;
  g->b.pos = from.pos;
  uint32_t item = kgi_run_begin(&g->b, program), end = kgi_buffer_end(&p->scope);
  if (!item) return 0;
  for (uint32_t o = 1; o < end; o++) {
    uint32_t to = g->m->bind[from.binding + o - 1];
    kgi_slice slice = kgi_run_slice(g->m, r->item, o);
    slice.from.i = dim[slice.from.i], slice.to.i = dim[slice.to.i];
    kgi_ad_part in = {copy && copy[to] ? copy[to] : to, slice};
    if (e == r->made && r->end && r->end[o]) in = kgi_ad_end_of(g, r, o, slice, dim);
    if (e == r->made && r->aside && r->aside[o]) in = (kgi_ad_part){r->aside[o], kgi_ad_aside_slice(g, r, o, dim)};
    if (e->object[o].out.i) kgi_run_bind_slice(&g->b, item, e->object[o].out.i, in.object, in.slice);
    if (e->object[o].shadow.i) kgi_run_bind_slice(&g->b, item, e->object[o].shadow.i, g->inner[to] ? g->inner[to] : g->shadow[to], slice);
  }
  for (uint32_t q = 1; q < p->scope.param_count; q++) {
    uint32_t value = g->m->bind[from.binding + end - 1 + q - 1];
    if (value) kgi_run_bind_param(&g->b, item, q, (kgi_dim){dim[value]});
    if (e->param_shadow[q].i)
      kgi_run_bind_buffer(&g->b, item, e->param_shadow[q].i, g->param_shadow[g->m->scope.dim[value].a]);
  }
  bind_tapes(g, r, e, item, dim);
  for (unsigned k = 0; k < 3; k++) g->out->item[item].grid[k].i = dim[from.grid[k].i];
  g->out->item[item].grid_is_invocations = from.grid_is_invocations;
  return item;
}

static uint32_t adjoint_run(kgi_ad_module *g, const kgi_ad_run *r, const uint32_t *dim) {
  return r->stated ? kgi_ad_stated_run(g, r, dim) : emitted_run(g, r, r->made, r->program, NULL, dim);
}

/* The adjoint of the run, and behind it what it has listed is added up. */
static void append_adjoint(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent, const uint32_t *dim) {
  kgi_ad_clear_lists(g, r, parent);
  uint32_t item = adjoint_run(g, r, dim);
  kgi_item_append(&g->b, parent, item);
  if (r->stated) kgi_ad_zero_taken(g, r, parent, item);
  kgi_ad_add_lists(g, r, parent, dim);
}

static const kgi_ad_run *run_of(const kgi_ad_module *g, uint32_t item) {
  for (uint32_t i = 0; i < g->run_count; i++)
    if (g->run[i].item == item) return &g->run[i];
  return NULL;
}

/* 1 + which of the segments the repeat is cut into; 0: it is whole. */
static uint32_t cut_of(const kgi_ad_module *g, uint32_t repeat) {
  for (uint32_t i = 0; i < g->segment_count; i++)
    if (g->segments[i].repeat == repeat) return i + 1;
  return 0;
}

/* Of the program as it stands. */
static uint32_t primal_run(kgi_ad_module *g, uint32_t item, const uint32_t *copy, const uint32_t *dim) {
  const kgi_item from = g->m->item[item];
  const kgi_scope *s = &g->m->program[from.program]->scope;
  g->b.pos = from.pos;
  uint32_t made = kgi_run_begin(&g->b, from.program), end = kgi_buffer_end(s);
  for (uint32_t o = 1; o < end && made; o++) {
    uint32_t to = g->m->bind[from.binding + o - 1];
    kgi_slice slice = kgi_run_slice(g->m, item, o);
    slice.from.i = dim[slice.from.i], slice.to.i = dim[slice.to.i];
    kgi_run_bind_slice(&g->b, made, o, copy[to] ? copy[to] : to, slice);
  }
  for (uint32_t q = 1; q < s->param_count && made; q++) {
    uint32_t value = g->m->bind[from.binding + end - 1 + q - 1];
    if (value) kgi_run_bind_param(&g->b, made, q, (kgi_dim){dim[value]});
  }
  for (unsigned k = 0; k < 3 && made; k++) g->out->item[made].grid[k].i = dim[from.grid[k].i];
  if (made) g->out->item[made].grid_is_invocations = from.grid_is_invocations;
  return made;
}

uint32_t kgi_ad_run_again(kgi_ad_module *g, uint32_t item, const uint32_t *copy, const kgi_ad_pass *pass) {
  const kgi_ad_run *r = run_of(g, item);
  if (pass->taped && r && r->forward) return emitted_run(g, r, r->forward, r->forward_program, copy, pass->dim);
  return primal_run(g, item, copy, pass->dim);
}

/* Items of a list, last to first. */
static void append_adjoints(kgi_ad_module *g, uint32_t first, uint32_t parent, const uint32_t *new_item, const uint32_t *dim) {
  uint32_t count, *list = kgi_list_items(g->m, first, &g->scratch, &count);
  if (!list) return kgi_fail(&g->b, KG_NO_MEMORY);
  while (count-- > 0) {
    uint32_t i = list[count], made = new_item[i];
    if (g->m->item[i].kind == KGI_ITEM_RUN) {
      const kgi_ad_run *r = run_of(g, i);
      if (!r || r->fused) continue;
      kgi_ad_append_afters(g, i, parent, new_item, dim);
      if (r->has_content) append_adjoint(g, r, parent, dim);
      continue;
    }
    kgi_item *repeat = &g->out->item[made];
    repeat->from.i = dim[repeat->from.i], repeat->to.i = dim[repeat->to.i], repeat->step.i = dim[repeat->step.i];
    append_adjoints(g, g->m->item[i].first, made, new_item, dim);
    uint32_t cut = cut_of(g, i);
    if (cut) kgi_ad_cut_reverse(g, cut - 1, parent, made, dim);
    else if (g->out->item[made].first) kgi_item_append(&g->b, parent, made);
  }
}

static void append_zeroing(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t k = 0; k < g->after_count && !g->params->accumulate; k++)
    kgi_zero_soon(&g->b, &g->moving, g->after[k].shadow);
  for (uint32_t o = 1; o < g->m->scope.object_count + g->m->scope.param_count; o++) {
    uint32_t q = o < g->m->scope.object_count ? 0 : o - g->m->scope.object_count;
    bool wanted = q ? g->param_shadow[q] && !g->param_stored[q] && !g->params->accumulate : o < g->m->scope.object_count && g->needs_zero[o];
    if (!wanted) continue;
    uint32_t shadow = q ? g->param_shadow[q] : g->inner[o] ? g->inner[o] : g->shadow[o];
    kgi_zero_soon(&g->b, &g->moving, shadow);
  }
  kgi_ad_zero_sinks(g);
  kgi_zero_now(&g->b, &g->moving);
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    kgi_dim reached = {dim[g->reached[o].i]}, whole = {dim[g->whole[o].i]};
    if (reached.i) kgi_item_append(&g->b, 0, kgi_zero_run_from(&g->b, &g->moving, g->shadow[o], reached, whole, g->narrow[o]));
  }
}

/* The run stays where it is among the items, as one of the program that fills tapes. */
static void replace_run(kgi_ad_module *g, const kgi_ad_run *r, const uint32_t *dim) {
  uint32_t made = emitted_run(g, r, r->forward, r->forward_program, NULL, dim);
  if (!made) return;
  uint32_t next = g->out->item[r->item].next;
  g->out->item[r->item] = g->out->item[made];
  g->out->item[r->item].next = next;
}

/* The run of a lone program: its adjoint comes with it, or it only fills tapes. What fills none is the program itself. */
static void append_lone(kgi_ad_module *g, const kgi_ad_run *r, const uint32_t *dim) {
  if (r->fused) append_adjoint(g, r, 0, dim);
  else if (r->forward) kgi_item_append(&g->b, 0, emitted_run(g, r, r->forward, r->forward_program, NULL, dim));
}

/* A module of several runs starts from a copy: its programs and runs stay, but for a last run that turns round in place. */
static void append_primal(kgi_ad_module *g, const uint32_t *dim) {
  if (g->m->lone) return append_lone(g, &g->run[0], dim);
  kgi_ad_append_first_contents(g);
  for (uint32_t i = g->m->first_item, next; i; i = next) {
    const kgi_ad_run *r = run_of(g, i);
    next = g->m->item[i].next;
    g->out->item[i].next = 0;
    if (!r || !r->fused) {
      kgi_item_append(&g->b, 0, i);
      continue;
    }
    kgi_ad_append_afters(g, i, 0, NULL, dim);
    append_adjoint(g, r, 0, dim);
  }
  for (uint32_t k = 0; k < g->run_count; k++)
    if (g->run[k].forward && !g->run[k].cut) replace_run(g, &g->run[k], dim);
  kgi_ad_put_aside(g, dim);
  kgi_ad_append_ends(g, dim);
  kgi_ad_cut_forward(g, dim);
}

static bool is_replaced(const kgi_ad_module *g, uint32_t program) {
  for (uint32_t i = 0; i < g->run_count; i++)
    if ((g->run[i].fused || g->run[i].forward) && g->m->item[g->run[i].item].program == program) return true;
  return false;
}

/* Programs that no run uses any more leave, the last first, because those behind one that leaves move up. */
static void drop_replaced(kgi_ad_module *g) {
  for (uint32_t program = g->m->program_count - 1; program && !g->m->lone; program--)
    if (is_replaced(g, program) && !kgi_is_run(g->out, program)) kgi_drop_program(g->out, program);
}

/* Of a gradient in two modules, the first one's items are a list of their own. */
static void append_runs(kgi_ad_module *g, const uint32_t *primal_dim, const uint32_t *new_item, const uint32_t *dim) {
  g->out->first_item = 0;
  if (g->split) {
    append_primal(g, primal_dim);
    g->first_forward = g->out->first_item;
    g->out->first_item = 0;
  }
  append_zeroing(g, primal_dim);
  kgi_ad_append_entry(g);
  if (!g->split) append_primal(g, primal_dim);
  append_adjoints(g, g->m->first_item, 0, new_item, dim);
  kgi_ad_append_exit(g);
  if (!g->split) drop_replaced(g);
}

static kg_status assemble_runs(kgi_ad_module *g) {
  if (g->m->lone && !kgi_copy_scope(&g->b, g->m, &g->scratch)) return KG_NO_MEMORY;
  uint32_t *new_item = kgi_reversed_repeats(&g->b, g->m, &g->scratch);
  if (!new_item || !kgi_ad_place_segments(g)) return KG_NO_MEMORY;
  if (!kgi_ad_make_passes(g, new_item)) return KG_NO_MEMORY;
  if (g->b.status != KG_OK) return kgi_builder_status(&g->b);
  uint32_t *dim = kgi_copy_dims(&g->b, &g->work->scope, NULL, new_item, &g->scratch);
  if (!dim) return KG_NO_MEMORY;
  uint32_t *primal_dim = kgi_copy_dims(&g->b, &g->work->scope, NULL, NULL, &g->scratch);
  if (!primal_dim) return KG_NO_MEMORY;
  declare_shadows(g, primal_dim);
  kgi_ad_declare_sinks(g);
  kgi_ad_declare_afters(g, primal_dim);
  declare_tapes(g, primal_dim);
  kgi_ad_declare_asides(g, primal_dim);
  kgi_ad_declare_ends(g, primal_dim);
  kgi_ad_declare_segments(g, primal_dim);
  if (g->b.status != KG_OK) return kgi_builder_status(&g->b);
  state_cotangents(g);
  append_runs(g, primal_dim, new_item, dim);
  return kgi_builder_status(&g->b);
}

static kg_status finish_lone(kgi_ad_module *g) {
  kgi_module_finish_lone(g->out);
  if (g->out->arena.failed) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) g->shadow[o] = g->run[0].made->object[o].shadow.i;
  for (uint32_t q = 1; q < g->m->scope.param_count; q++) g->param_shadow[q] = g->run[0].made->param_shadow[q].i;
  return KG_OK;
}

/* A gradient that its program both stores and adds to would ask the caller for contents; as a module's it is only written. */
static bool is_added_to(const kgi_ad_module *g, uint32_t o) {
  uint32_t shadow = g->run[0].made->object[o].shadow.i;
  return g->wrt[o] && !g->of[o] && !g->params->accumulate && shadow &&
         g->out->program[g->run[0].program]->scope.object[shadow].mode == KG_READ_WRITE;
}

/* Nor does what the program stores, and its reverse loads. */
static bool is_loaded_again(const kgi_ad_module *g, uint32_t o) {
  return g->run[0].ad.object[o].parked && g->m->scope.object[o].mode == KG_WRITE;
}

/* A gradient that no statement touches has a shadow all the same, be it zeroed or as the caller left it. */
static bool needs_runs(const kgi_ad_module *g) {
  if (!g->m->lone || runs_apart(g) || !g->run[0].has_content || g->run[0].ad.tape_count || kgi_ad_has_boundary(g)) return true;
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if ((g->split && g->blocks.aliased[o]) || g->needs_zero[o] || g->reached[o].i || is_added_to(g, o) || is_loaded_again(g, o) ||
        (g->wrt[o] && !g->run[0].made->object[o].shadow.i)) return true;
  for (uint32_t q = 1; q < g->m->scope.param_count; q++)
    if (g->wrt_param[q] && !g->param_stored[q]) return true;
  return false;
}

kg_status kgi_ad_assemble(kgi_ad_module *g) {
  g->out = g->m->lone ? kgi_module_new(g->params->alloc, g->m->file) : kgi_module_copy(g->params->alloc, g->m);
  if (!g->out) return KG_NO_MEMORY;
  kgi_builder_init(&g->b, g->out, &g->diags);
  kg_status status = build_programs(g);
  if (status == KG_OK) status = build_forwards(g);
  if (status != KG_OK) return status;
  kgi_ad_find_first(g);
  find_zeroed(g);
  if (!needs_runs(g)) return finish_lone(g);
  char name[200];
  snprintf(name, sizeof name, "%.150s_grad", kgi_string(g->m, g->m->name));
  g->out->name = kgi_intern_z(g->out, name);
  g->out->pos = g->m->pos;
  return assemble_runs(g);
}
