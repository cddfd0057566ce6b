/* kg_jvp: the module with its tangents. Every run stays where it is, and the program of one that carries tangents is replaced by its
 * tangent program; in front stand runs that zero tangents of what is no input. */
#include "autodiff/forward/jvp.h"
#include "autodiff/grad.h"
#include "autodiff/map.h"
#include "foundation/base/floats.h"
#include "foundation/ir/equal.h"
#include "foundation/ir/slices.h"
#include "foundation/ir/validate.h"

#include <stdio.h>

typedef struct jvp {
  kgi_ad_module g; /* its shadows are the tangents */
  kg_grad_params asked;
  unsigned directions;
  bool *twinned;   /* by object of the module: some run touches its tangent */
  kgi_jvp *of_run;
  uint32_t *inner; /* [object of the module][direction]: views, where the tangents of views that overlap do; 0: there is none */
} jvp;

static uint32_t bound(const jvp *j, uint32_t run, uint32_t object) {
  return j->g.m->bind[j->g.m->item[j->g.run[run].item].binding + object - 1];
}

static uint32_t buffer_end(const jvp *j, uint32_t run) { return kgi_buffer_end(&j->g.run[run].ad.f.p->scope); }
static uint8_t mode_of(const jvp *j, uint32_t o) { return j->g.m->scope.object[o].mode; }
static bool is_wanted(const jvp *j, uint32_t o) { return j->g.of[o] || j->g.wrt[o]; }

/* ---- which buffers have tangents ---- */

/* Another one over the same memory has. */
static bool lies_over_twin(const jvp *j, uint32_t object) {
  for (uint32_t o = 1; j->g.viewed[object] && o < j->g.m->scope.object_count; o++)
    if (j->twinned[o] && j->g.blocks.of[o] == j->g.blocks.of[object]) return true;
  return false;
}

static void find_in_runs(jvp *j, bool over) {
  for (uint32_t r = 0; r < j->g.run_count; r++) {
    const kgi_ad *a = &j->g.run[r].ad;
    for (uint32_t o = 1; o < buffer_end(j, r); o++)
      if (kgi_jvp_touches(a, o) && (over ? lies_over_twin(j, bound(j, r, o)) : kgi_ad_active_object(a, o)))
        j->twinned[bound(j, r, o)] = true;
  }
}

static kg_status find_twins(jvp *j) {
  size_t objects = j->g.m->scope.object_count;
  j->twinned = kgi_arena_alloc(&j->g.scratch, objects, sizeof *j->twinned);
  j->of_run = kgi_arena_alloc(&j->g.scratch, j->g.run_count, sizeof *j->of_run);
  j->inner = kgi_arena_alloc(&j->g.scratch, objects * j->directions, sizeof *j->inner);
  if (j->g.scratch.failed) return KG_NO_MEMORY;
  find_in_runs(j, false);
  find_in_runs(j, true);
  return KG_OK;
}

/* ---- views that overlap ---- */

/* What the caller gives for a later one lies over what is given for this one, be it 0. */
static bool hides_some(const jvp *j, uint32_t object) {
  for (uint32_t o = 1; o < object; o++)
    if (j->g.wrt[o] && j->g.viewed[o] && kgi_ad_hides(&j->g, object, o)) return true;
  return false;
}

/* The caller has an array for each view; their tangents lie as they do. */
static bool has_inner(const jvp *j, uint32_t o) { return j->g.viewed[o] && (j->twinned[o] || is_wanted(j, o) || hides_some(j, o)); }

/* What is no input has the tangent 0 on entry; an output that no run reaches has it on exit, too. Of a `write` view, elements that nothing
 * stores to are bytes of its block, and no input lies over them. */
static bool needs_zero(const jvp *j, uint32_t o) {
  if (j->g.wrt[o] || has_inner(j, o)) return false;
  bool begins = mode_of(j, o) == KG_READ_WRITE || (mode_of(j, o) == KG_WRITE && j->g.m->scope.object[o].view);
  return j->twinned[o] ? begins : j->g.of[o];
}

/* A lone program has no room for what the caller is not to see. */
static bool needs_runs(const jvp *j) {
  for (uint32_t o = 1; o < j->g.m->scope.object_count; o++)
    if (needs_zero(j, o) || has_inner(j, o) || (j->twinned[o] && !is_wanted(j, o))) return true;
  return !j->g.m->lone;
}

/* ---- lengths ---- */

/* Whether a length of the program, in this run, is surely the same as one of the module. */
static bool is_same(const jvp *j, uint32_t run, uint32_t dim, uint32_t of_module) {
  const kgi_scope *s = &j->g.run[run].ad.f.p->scope, *m = &j->g.m->scope;
  const kgi_dim_node *n = &s->dim[dim], *to = &m->dim[of_module];
  uint32_t params = j->g.m->item[j->g.run[run].item].binding + buffer_end(j, run) - 1;
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_INT: return to->op == KGI_DIM_INT && to->imm == n->imm;
  case KGI_DIM_PARAM: return j->g.m->bind[params + n->a - 1] == of_module; /* of the default nothing is sure */
  case KGI_DIM_SPEC: return to->op == KGI_DIM_INT && to->imm == kgi_bits_to_int((kg_type)s->spec[n->a].type, s->spec[n->a].bits);
  case KGI_DIM_LEN:
    return to->op == KGI_DIM_LEN && to->a == bound(j, run, n->a) && !kgi_is_slice(kgi_run_slice(j->g.m, j->g.run[run].item, n->a));
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    return to->op == n->op && is_same(j, run, n->a, to->a) && is_same(j, run, n->b, to->b);
  case KGI_DIM_NONE: case KGI_DIM_FLOAT: case KGI_DIM_INDEX: break;
  }
  return false;
}

static bool is_one(const kgi_scope *s, kgi_dim length) { return s->dim[length.i].op == KGI_DIM_INT && s->dim[length.i].imm == 1; }

/* A run may bind a buffer that is longer than its program declares, or a slice of one. Then the directions of the tangent, which
 * lie one behind the other, are elsewhere than the program would take them to be, and it has a buffer for each. */
static bool lines_up(const jvp *j, uint32_t run, uint32_t object) {
  const kgi_object *own = &j->g.run[run].ad.f.p->scope.object[object], *to = &j->g.m->scope.object[bound(j, run, object)];
  if (kgi_is_slice(kgi_run_slice(j->g.m, j->g.run[run].item, object))) return false;
  if (own->scalar) return to->scalar || is_one(&j->g.m->scope, to->length);
  return !own->length.i || is_same(j, run, own->length.i, to->length.i);
}

/* ---- programs ---- */

static bool has_content(const jvp *j, uint32_t run) {
  for (uint32_t o = 1; o < buffer_end(j, run); o++)
    if (j->twinned[bound(j, run, o)] && kgi_jvp_touches(&j->g.run[run].ad, o)) return true;
  return false;
}

static bool describe(jvp *j, uint32_t run, bool runs) {
  kgi_ad_run *r = &j->g.run[run];
  size_t objects = r->ad.f.p->scope.object_count;
  bool *twinned = kgi_arena_alloc(&j->g.scratch, objects, sizeof *twinned);
  bool *wanted = kgi_arena_alloc(&j->g.scratch, objects, sizeof *wanted);
  bool *apart = kgi_arena_alloc(&j->g.scratch, objects, sizeof *apart);
  bool *params = kgi_arena_alloc(&j->g.scratch, r->ad.f.p->scope.param_count, sizeof *params);
  if (j->g.scratch.failed) return false;
  for (uint32_t o = 1; o < buffer_end(j, run); o++) {
    twinned[o] = j->twinned[bound(j, run, o)];
    wanted[o] = !runs && is_wanted(j, bound(j, run, o));
    apart[o] = j->directions > 1 && (r->viewed[o] || !(j->g.m->lone || lines_up(j, run, o)));
  }
  for (uint32_t q = 1; q < r->ad.f.p->scope.param_count; q++) params[q] = !runs && r->wrt_param[q];
  j->of_run[run] = (kgi_jvp){.a = &r->ad, .b = &j->g.b, .scratch = &j->g.scratch, .directions = j->directions,
                                 .twinned = twinned, .wanted = wanted, .wanted_param = params,
                             .apart = apart, .viewed = r->viewed};
  return true;
}

/* Runs of one program mostly have equal tangent programs, and share one. */
static kg_status share_equal(jvp *j, uint32_t run) {
  kgi_ad_run *r = &j->g.run[run];
  for (uint32_t k = 0; k < run; k++) {
    const kgi_ad_run *other = &j->g.run[k];
    bool equal;
    if (!other->has_content || j->g.m->item[other->item].program != j->g.m->item[r->item].program) continue;
    kg_status status = kgi_program_equal(j->g.out, j->g.out->program[other->program], j->g.out->program[r->program], &equal);
    if (status != KG_OK) return status;
    if (!equal) continue;
    j->g.out->program_count--;
    r->program = other->program;
    return KG_OK;
  }
  return KG_OK;
}

static kg_status build_programs(jvp *j, bool runs) {
  for (uint32_t i = 0; i < j->g.run_count; i++) {
    kgi_ad_run *r = &j->g.run[i];
    r->has_content = j->g.m->lone || has_content(j, i);
    if (!r->has_content) continue;
    if (!describe(j, i, runs)) return KG_NO_MEMORY;
    const char *base = kgi_string(j->g.work, r->ad.f.p->name);
    kg_status status = kgi_jvp_build(&j->of_run[i], kgi_module_free_name(j->g.out, "", base, "_jvp"));
    r->program = j->g.out->program_count - 1;
    if (status == KG_OK) status = share_equal(j, i);
    if (status != KG_OK) return status;
  }
  return KG_OK;
}

/* ---- the module ---- */

static void declare_twin(jvp *j, uint32_t o, const uint32_t *dim) {
  const kgi_object *from = &j->g.m->scope.object[o];
  const char *name = kgi_string(j->g.m, from->name);
  kgi_object twin = {.name = kgi_intern_z(j->g.out, kgi_module_free_name(j->g.out, "tan_", name, "")), .pos = from->pos,
                     .space = KGI_BUFFER, .type = (uint8_t)kgi_ad_type(from->type), .scalar = from->scalar};
  twin.mode = j->g.wrt[o] ? (uint8_t)(from->mode == KG_READ ? KG_READ : KG_READ_WRITE) : (uint8_t)(j->g.of[o] ? KG_WRITE : KG_TEMP);
  kgi_copy_extents(&twin, from, dim);
  if (!from->length.i && !from->scalar) twin.length = kgi_len_of(&j->g.b, (kgi_obj){o});
  kgi_jvp_shape(&j->g.b, &twin, j->directions);
  j->g.shadow[o] = kgi_object_add(&j->g.b, &twin).i;
}

static void declare_inner(jvp *j, uint32_t o, unsigned d, const uint32_t *binding, const uint32_t *dim) {
  const kgi_object *of = &j->g.m->scope.object[o];
  size_t k = (size_t)o * j->directions + d;
  const char *name = kgi_module_free_name(j->g.out, is_wanted(j, o) ? "inner_tan_" : "tan_", kgi_string(j->g.m, of->name), "");
  kgi_object inner = {.name = kgi_intern_z(j->g.out, name), .pos = of->pos, .space = KGI_BUFFER, .type = kgi_ad_shadow_type(of),
                      .mode = KG_TEMP, .scalar = of->scalar};
  kgi_ad_place_shadow(of, binding[k], &inner);
  kgi_copy_extents(&inner, of, dim);
  if (!of->length.i && !of->scalar) inner.length = kgi_len_of(&j->g.b, (kgi_obj){o});
  j->inner[k] = kgi_object_add(&j->g.b, &inner).i;
}

static void declare_twins(jvp *j, const uint32_t *dim) {
  const kgi_scope *s = &j->g.m->scope;
  uint32_t *binding;
  if (!kgi_ad_shadow_bindings(&j->g.scratch, s, j->directions, &binding)) return kgi_fail(&j->g.b, KG_NO_MEMORY);
  for (uint32_t o = 1; o < s->object_count; o++) {
    if (is_wanted(j, o) || (j->twinned[o] && !has_inner(j, o))) declare_twin(j, o, dim);
    for (unsigned d = 0; d < j->directions && has_inner(j, o); d++) declare_inner(j, o, d, binding, dim);
  }
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!j->g.wrt_param[q]) continue;
    kgi_dim length = kgi_len_int(&j->g.b, j->directions);
    const char *name = kgi_module_free_name(j->g.out, "tan_", kgi_string(j->g.m, s->param[q].name), "");
    j->g.param_shadow[q] = kgi_buffer(&j->g.b, name, kgi_ad_type(s->param[q].type), KG_READ, length).i;
  }
}

static void append_zeroing(jvp *j) {
  kgi_zeroing programs = {.zero = {{0}}};
  for (uint32_t o = 1; o < j->g.m->scope.object_count; o++)
    if (needs_zero(j, o)) kgi_zero_soon(&j->g.b, &programs, j->g.shadow[o]);
  kgi_zero_now(&j->g.b, &programs);
}

/* Of the caller's tangent that of one direction, or of a slice of its object. */
static kgi_slice part_of(jvp *j, uint32_t o, unsigned d, kgi_slice slice, const uint32_t *dim) {
  const kgi_object *object = &j->g.m->scope.object[o];
  if (j->directions == 1) return slice;
  kgi_dim length = {dim[object->length.i]};
  if (!object->length.i) length = object->scalar ? kgi_len_int(&j->g.b, 1) : kgi_len_of(&j->g.b, (kgi_obj){o});
  kgi_dim before = kgi_len_op(&j->g.b, KGI_DIM_MUL, kgi_len_int(&j->g.b, d), length), none = kgi_len_int(&j->g.b, 0);
  kgi_dim from = kgi_len_op(&j->g.b, KGI_DIM_ADD, before, kgi_is_slice(slice) ? slice.from : none);
  return (kgi_slice){from, kgi_len_op(&j->g.b, KGI_DIM_ADD, before, kgi_is_slice(slice) ? slice.to : length)};
}

/* Inputs are copied into their block in order of declaration, a later one over an earlier, and so are their tangents. Bytes that
 * no input covers begin as 0. */
static void append_entry(jvp *j, const uint32_t *dim) {
  size_t count = (size_t)j->g.m->scope.object_count * j->directions;
  for (size_t k = 0; k < count; k++)
    if (j->inner[k]) kgi_item_append(&j->g.b, 0, kgi_transfer_run(&j->g.b, (kgi_transfer){.verb = "zero", .to = j->inner[k]}));
  for (size_t k = 0; k < count; k++) {
    uint32_t o = (uint32_t)(k / j->directions);
    kgi_transfer t = {.verb = j->g.wrt[o] ? "enter" : "zero", .to = j->inner[k]};
    if (!t.to || !(j->g.wrt[o] || hides_some(j, o))) continue;
    if (j->g.wrt[o]) t.from = j->g.shadow[o], t.from_part = part_of(j, o, k % j->directions, (kgi_slice){0}, dim);
    kgi_item_append(&j->g.b, 0, kgi_transfer_run(&j->g.b, t));
  }
}

static void append_exit(jvp *j, const uint32_t *dim) {
  for (size_t k = 0; k < (size_t)j->g.m->scope.object_count * j->directions; k++) {
    uint32_t o = (uint32_t)(k / j->directions);
    if (!j->inner[k] || !j->g.of[o]) continue;
    kgi_transfer t = {.verb = "leave", .to = j->g.shadow[o], .from = j->inner[k]};
    t.to_part = part_of(j, o, k % j->directions, (kgi_slice){0}, dim);
    kgi_item_append(&j->g.b, 0, kgi_transfer_run(&j->g.b, t));
  }
}

static void bind_twins(jvp *j, uint32_t run, uint32_t item, uint32_t object, kgi_slice slice, const uint32_t *dim) {
  const kgi_jvp *t = &j->of_run[run];
  uint32_t to = bound(j, run, object);
  for (unsigned d = 0; d < j->directions; d++) {
    uint32_t twin = t->twin[(size_t)object * j->directions + d].i, inner = j->inner[(size_t)to * j->directions + d];
    if (!twin) continue;
    if (inner) kgi_run_bind_buffer(&j->g.b, item, twin, inner);
    else kgi_run_bind_slice(&j->g.b, item, twin, j->g.shadow[to], t->apart[object] ? part_of(j, to, d, slice, dim) : slice);
  }
}

/* A run of the tangent program, on what the plain one runs on and its tangents. */
static uint32_t tangent_run(jvp *j, uint32_t run, const uint32_t *dim) {
  const kgi_ad_run *r = &j->g.run[run];
  const kgi_jvp *t = &j->of_run[run];
  const kgi_item from = j->g.m->item[r->item];
  j->g.b.pos = from.pos;
  uint32_t item = kgi_run_begin(&j->g.b, r->program), end = buffer_end(j, run);
  if (!item) return 0;
  for (uint32_t o = 1; o < end; o++) {
    kgi_slice slice = kgi_run_slice(j->g.m, r->item, o);
    slice.from.i = dim[slice.from.i], slice.to.i = dim[slice.to.i];
    kgi_run_bind_slice(&j->g.b, item, t->out[o].i, bound(j, run, o), slice);
    bind_twins(j, run, item, o, slice, dim);
  }
  for (uint32_t q = 1; q < r->ad.f.p->scope.param_count; q++) {
    uint32_t value = j->g.m->bind[from.binding + end - 1 + q - 1];
    if (value) kgi_run_bind_param(&j->g.b, item, q, (kgi_dim){dim[value]});
    if (t->param_twin[q].i) kgi_run_bind_buffer(&j->g.b, item, t->param_twin[q].i, j->g.param_shadow[j->g.m->scope.dim[value].a]);
  }
  for (unsigned k = 0; k < 3; k++) j->g.out->item[item].grid[k].i = dim[from.grid[k].i];
  j->g.out->item[item].grid_is_invocations = from.grid_is_invocations;
  return item;
}

/* Items of the copy have their numbers: the run keeps its place, in a repeat too. */
static void replace_runs(jvp *j, const uint32_t *dim) {
  for (uint32_t r = 0; r < j->g.run_count; r++) {
    if (!j->g.run[r].has_content) continue;
    uint32_t made = tangent_run(j, r, dim);
    if (!made) return;
    kgi_item *item = &j->g.out->item[j->g.run[r].item];
    item->program = j->g.out->item[made].program, item->binding = j->g.out->item[made].binding;
    j->g.out->item_count = made; /* its other part was for the builder */
  }
}

static void drop_plain_programs(jvp *j) {
  for (uint32_t k = j->g.m->program_count; k-- > 1;)
    if (!j->g.m->lone && kgi_is_run(j->g.m, k) && !kgi_is_run(j->g.out, k)) kgi_drop_program(j->g.out, k);
}

static kg_status assemble_runs(jvp *j) {
  kgi_ad_module *g = &j->g;
  char name[200];
  snprintf(name, sizeof name, "%.150s_jvp", kgi_string(g->m, g->m->name));
  g->out->name = kgi_intern_z(g->out, name);
  g->out->pos = g->m->pos;
  if (g->m->lone && !kgi_copy_scope(&g->b, g->m, &g->scratch)) return KG_NO_MEMORY;
  uint32_t *dim = kgi_copy_dims(&g->b, &g->m->scope, NULL, NULL, &g->scratch), first = g->out->first_item;
  if (!dim) return KG_NO_MEMORY;
  declare_twins(j, dim);
  if (g->b.status != KG_OK) return kgi_builder_status(&g->b);
  if (!g->m->lone) replace_runs(j, dim);
  g->out->first_item = 0;
  append_zeroing(j);
  append_entry(j, dim);
  if (g->m->lone) first = tangent_run(j, 0, dim);
  kgi_item_append(&g->b, 0, first);
  append_exit(j, dim);
  drop_plain_programs(j);
  return kgi_builder_status(&g->b);
}

static kg_status finish_lone(jvp *j) {
  kgi_module_finish_lone(j->g.out);
  if (j->g.out->arena.failed) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < j->g.m->scope.object_count; o++) j->g.shadow[o] = j->of_run[0].twin[(size_t)o * j->directions].i;
  for (uint32_t q = 1; q < j->g.m->scope.param_count; q++) j->g.param_shadow[q] = j->of_run[0].param_twin[q].i;
  return KG_OK;
}

static kg_status assemble(jvp *j) {
  kgi_ad_module *g = &j->g;
  g->out = g->m->lone ? kgi_module_new(g->params->alloc, g->m->file) : kgi_module_copy(g->params->alloc, g->m);
  if (!g->out) return KG_NO_MEMORY;
  kgi_builder_init(&g->b, g->out, &g->diags);
  kg_status status = find_twins(j);
  if (status != KG_OK) return status;
  bool runs = needs_runs(j);
  status = build_programs(j, runs);
  if (status != KG_OK) return status;
  return runs ? assemble_runs(j) : finish_lone(j);
}

/* ---- the whole ---- */

static kg_status check(jvp *j) {
  kg_status worst = KG_OK;
  for (uint32_t r = 0; r < j->g.run_count && worst != KG_NO_MEMORY; r++) {
    kg_status status = kgi_jvp_tell_extremes(&j->g.run[r].ad);
    if (status == KG_OK) status = kgi_jvp_check(&j->g.run[r].ad);
    if (worst == KG_OK) worst = status;
  }
  return worst == KG_OK ? kgi_ad_check_overlaps(&j->g) : worst;
}

static kg_status run_steps(jvp *j) {
  kgi_ad_module *g = &j->g;
  if (j->directions > KG_JVP_MOST_DIRECTIONS) {
    KGI_DIAG(&g->diags, jvp_directions, g->m->pos, KGI_NUM(j->directions), KGI_NUM(KG_JVP_MOST_DIRECTIONS));
    return KG_INVALID;
  }
  if (!kgi_ad_allocate(g)) return KG_NO_MEMORY;
  kg_status status = kgi_ad_resolve(g);
  if (status != KG_OK) return status;
  g->work = kgi_module_copy(g->params->alloc, g->m);
  if (!g->work) return KG_NO_MEMORY;
  status = kgi_ad_find_activity(g);
  if (status == KG_OK) status = check(j);
  if (status == KG_OK) status = assemble(j);
  return status == KG_OK ? kgi_validate(g->out, &g->diags) : status;
}

static void add_entry(kg_grad_map *map, const kgi_ad_module *g, kgi_str name, uint32_t shadow, kg_grad_entry entry) {
  entry.name = kgi_string(g->m, name);
  entry.shadow = kgi_string(g->out, g->out->scope.object[shadow].name);
  entry.tangent = true;
  entry.added_up = "it is computed beside its values";
  if (shadow) kgi_map_add(map, entry);
}

static void add_entries(const kgi_ad_module *g, kg_grad_map *map) {
  const kgi_scope *s = &g->m->scope;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (g->of[o] || g->wrt[o]) add_entry(map, g, s->object[o].name, g->shadow[o], (kg_grad_entry){.of = g->of[o], .wrt = g->wrt[o]});
  for (uint32_t q = 1; q < s->param_count; q++)
    if (g->wrt_param[q])
      add_entry(map, g, s->param[q].name, g->param_shadow[q], (kg_grad_entry){.is_param = true, .wrt = true});
}

kg_status kgi_ad_jvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, bool second, kg_module **out,
                     kg_grad_map *map) {
  jvp j = {.asked = {.of = params->of, .of_count = params->of_count, .wrt = params->wrt, .wrt_count = params->wrt_count,
                     .alloc = params->alloc},
           .directions = params->directions ? params->directions : 1};
  j.g = (kgi_ad_module){.m = module, .params = &j.asked, .diags = {.sink = sink, .file = module->file}, .as_written = true,
                        .second = second};
  kgi_arena_init(&j.g.scratch, params->alloc);
  kg_status status = run_steps(&j);
  if (status == KG_OK && map) add_entries(&j.g, map);
  if (status == KG_OK && map && kgi_map_failed(map)) status = KG_NO_MEMORY;
  if (status == KG_NO_MEMORY) KGI_DIAG(&j.g.diags, no_memory, 0, "");
  if (status == KG_OK) *out = j.g.out, j.g.out = NULL;
  kgi_ad_release(&j.g);
  return status;
}

static const kg_jvp_params defaults;

kg_status kg_jvp_mapped(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out, kg_grad_map **map) {
  KGI_OWN_FLOATS;
  kg_grad_map *names = NULL;
  if (!params) params = &defaults;
  if (map && !(names = kgi_map_new(params->alloc))) return kgi_ad_no_memory(module, sink);
  kg_status status = kgi_ad_jvp(module, params, sink, false, out, names);
  if (status == KG_OK && map) *map = names;
  else kg_grad_map_free(names);
  return status;
}

kg_status kg_jvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out) {
  return kg_jvp_mapped(module, params, sink, out, NULL);
}
