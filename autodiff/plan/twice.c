/* A run may bind one of the module's buffers, one slice of it, or one of its params, twice. The buffers are then only read, and to what
 * follows they are one: the private copy of the program loads from the first of them, so that what flows to either adds to one shadow.
 *
 * Which loads are out of bounds must not change: the lengths are the same, as the module's host works them out. */
#include "autodiff/plan/schedule.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/slices.h"

enum { MOST_TRIES = 64 };

/* ---- what is one ---- */

static bool same_length(kgi_ad *a, uint32_t x, uint32_t y) {
  const kgi_object *o = &a->f.p->scope.object[x], *other = &a->f.p->scope.object[y];
  if (o->scalar != other->scalar) return false;
  if (o->scalar || (!o->length.i && !other->length.i)) return true;
  if (!o->length.i || !other->length.i) return false;
  kgi_dim one = kgi_ad_lifted(a, o->length), two = kgi_ad_lifted(a, other->length);
  return one.i && one.i == two.i;
}

static bool same_slice(kgi_slice a, kgi_slice b) { return a.from.i == b.from.i && a.to.i == b.to.i; }

static void load_from(kgi_program *p, uint32_t object, uint32_t instead) {
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].block && p->inst[i].kind == KGI_load && p->inst[i].arg[0] == object) p->inst[i].arg[0] = instead;
}

/* `last`: by object of the module, the program's that is bound to it last so far; `before`: the one before each. */
static void join_buffers(kgi_ad_module *g, const kgi_ad_run *r, kgi_ad *a, uint32_t *last, uint32_t *before) {
  for (uint32_t o = 1; o < kgi_buffer_end(&a->f.p->scope); o++) {
    uint32_t *met = &last[kgi_ad_bound(g, r, o)], same = 0, tries = 0;
    if (a->f.p->scope.object[o].mode != KG_READ) continue; /* a slice of it that another buffer is bound to is empty, or never run */
    if (!kgi_is_float(a->f.p->scope.object[o].type)) continue; /* the values of others may have ranges of their own */
    kgi_slice slice = kgi_run_slice(g->m, r->item, o);
    for (uint32_t k = *met; k && !same && tries++ < MOST_TRIES; k = before[k])
      if (same_slice(slice, kgi_run_slice(g->m, r->item, k)) && same_length(a, k, o)) same = k;
    if (same) load_from(a->f.p, o, same);
    else before[o] = *met, *met = o;
  }
}

static uint32_t leaf_of(const kgi_program *p, uint32_t param) {
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_param && p->inst[i].arg[0] == param) return i;
  return 0;
}

static void use_instead(kgi_program *p, uint32_t value, uint32_t instead) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_span span = kgi_operands(&p->inst[i]);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (p->inst[i].arg[k] == value) p->inst[i].arg[k] = instead;
  }
}

static void join_params(kgi_ad_module *g, const kgi_ad_run *r, kgi_program *p, uint32_t *first) {
  const uint32_t *bind = g->m->bind + g->m->item[r->item].binding + kgi_buffer_end(&p->scope) - 1;
  for (uint32_t q = 1; q < p->scope.param_count; q++) {
    const kgi_dim_node *n = &g->m->scope.dim[bind[q - 1]];
    uint32_t leaf = n->op == KGI_DIM_PARAM && g->wrt_param[n->a] ? leaf_of(p, q) : 0;
    if (!leaf) continue;
    if (!first[n->a]) first[n->a] = leaf;
    else use_instead(p, leaf, first[n->a]);
  }
}

bool kgi_ad_join_twice(kgi_ad_module *g, const kgi_ad_run *r, kgi_program *p) {
  uint32_t *last = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *last);
  uint32_t *before = kgi_arena_alloc(&g->scratch, p->scope.object_count, sizeof *before);
  uint32_t *leaf = kgi_arena_alloc(&g->scratch, g->m->scope.param_count, sizeof *leaf);
  kgi_ad lengths = {.f = {.work = g->work, .p = p}, .req = {.item = r->item}};
  if (g->scratch.failed) return false;
  join_buffers(g, r, &lengths, last, before);
  join_params(g, r, p, leaf);
  return true;
}

/* ---- what overlaps, and is not one ---- */

/* Slices of one buffer have slices of its shadow, which are all written. Of those that the program writes, the host holds against each
 * other what is known only when the run is worked out; of those that it only reads it does so in the adjoint. What is known to overlap
 * is refused here, and so is what does at the params' defaults: its adjoint could not run. */

/* The run's adjoint has a shadow of it: a stated one also of what is not on the path. */
static bool has_shadow(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  const kgi_program *p = g->m->program[g->m->item[r->item].program];
  if (!r->stated) return kgi_ad_on_path(&r->ad, object);
  return kgi_is_float(p->scope.object[object].type) && kgi_adjoint_shadow(g->m, p, object);
}

/* False: it goes by a repeat, a param without a default or an array. */
static bool slice_by_default(kgi_ad_module *g, kgi_slice slice, kgi_bound_slice *out) {
  int64_t from, to;
  if (!kgi_is_slice(slice) || !kgi_ad_by_default(g->m, &g->scratch, slice.from, &from)) return false;
  if (!kgi_ad_by_default(g->m, &g->scratch, slice.to, &to)) return false;
  out->from = from, out->to = to;
  return true;
}

static kg_status refuse_slices(kgi_ad_module *g, const kgi_ad_run *r, uint32_t buffer) {
  KGI_DIAG(&g->diags, grad_slices, g->m->item[r->item].pos, kgi_string(g->m, g->m->scope.object[buffer].name));
  return KG_REFUSED;
}

static kg_status check_known(kgi_ad_module *g, const kgi_ad_run *r) {
  uint32_t end = kgi_buffer_end(&r->ad.f.p->scope), count = 0, pair[2];
  kgi_bound_slice *slices = kgi_arena_alloc(&g->scratch, end, sizeof *slices);
  if (!slices) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < end; o++) {
    slices[count] = (kgi_bound_slice){.buffer = kgi_ad_bound(g, r, o), .written = true};
    count += has_shadow(g, r, o) && slice_by_default(g, kgi_run_slice(g->m, r->item, o), &slices[count]);
  }
  return kgi_slices_meet(slices, count, pair) ? refuse_slices(g, r, slices[pair[0]].buffer) : KG_OK;
}

kg_status kgi_ad_check_twice(kgi_ad_module *g, const kgi_ad_run *r) {
  typedef struct { bool whole, slices; kgi_slice last; } met; /* what is bound so far of a buffer that has a shadow */
  met *seen = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *seen);
  if (!seen) return KG_NO_MEMORY;
  for (uint32_t o = 1, end = kgi_buffer_end(&r->ad.f.p->scope); o < end; o++) {
    uint32_t to = kgi_ad_bound(g, r, o);
    kgi_slice slice = kgi_run_slice(g->m, r->item, o);
    if (!has_shadow(g, r, o)) continue;
    if (seen[to].whole || (seen[to].slices && !kgi_is_slice(slice))) {
      const char *how = r->stated ? ", and its adjoint one shadow" : ", or declare both with one length";
      KGI_DIAG(&g->diags, grad_aliased, g->m->item[r->item].pos, kgi_string(g->m, g->m->scope.object[to].name), how);
      return KG_REFUSED;
    }
    if (seen[to].slices && same_slice(slice, seen[to].last)) return refuse_slices(g, r, to);
    seen[to] = (met){.whole = !kgi_is_slice(slice), .slices = kgi_is_slice(slice), .last = slice};
  }
  return kgi_run_has_slices(g->m, r->item) ? check_known(g, r) : KG_OK;
}
