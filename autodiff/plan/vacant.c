/* Homes that nobody loads (homes.c), as those of a stencil of neighbours alone:
 *
 *     if i > 0 && i < n - 1 { b[i] = 0.5 * (a[i - 1] + a[i + 1]) }
 *
 * Whose element is it that a load reaches? With the id alone in place of what its index makes of the id, `i` for `i - 1`, the index may reach
 * every element once, under the condition that it is in bounds. It does where a load there would. Then the adjoint begins that element with 0
 * under that condition, and collects. Nothing is loaded that was not.
 *
 * Of several indices each goes by one id, or is the same for all. One that several ids make is that of vacant_flat.c. None of the loads is a home as it is, and all that is loaded of the buffer
 * has to be of elements that ids name, outside of loops, or nobody can collect it. */
#include "autodiff/plan/homes.h"
#include "foundation/ir/place.h"

/* The global ids that it is made of, as bits; false: of other ids, or lengths. */
static bool find_axes(const kgi_program *p, uint32_t value, unsigned *axes) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind == KGI_id && x->op == KGI_ID_global_id) return *axes |= 1u << x->arg[0], true;
  if (x->kind == KGI_id) return x->op == KGI_ID_num_workgroups || x->op == KGI_ID_workgroup_size;
  if (kgi_is_leaf(x->kind)) return x->kind != KGI_len;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (!find_axes(p, x->arg[operands.first + k], axes)) return false;
  return true;
}

/* The id that an index goes by, or itself, where it is the same for all; {0}: neither. */
static kgi_val own_index(kgi_builder *b, uint32_t index) {
  unsigned axes = 0;
  if (b->p->inst[index].type != KG_U32 || !find_axes(b->p, index, &axes) || axes & (axes - 1)) return (kgi_val){0};
  return axes ? kgi_id_value(b, KGI_ID_global_id, axes >> 1) : (kgi_val){index};
}

static bool own_place(kgi_builder *b, uint32_t load, kgi_ad_vacant *v) {
  const kgi_inst x = b->p->inst[load];
  kgi_digits place;
  *v = (kgi_ad_vacant){.count = 1};
  if (!kgi_place_of(b->p, load, &place)) return (v->index[0] = own_index(b, x.arg[1]).i) || kgi_vacant_flat(b, load, v);
  v->count = b->p->scope.object[x.arg[0]].rank;
  for (unsigned k = 0; k < v->count; k++)
    if (!(v->index[k] = own_index(b, place.value[k]).i)) return false;
  return true;
}

static void forget_behind(kgi_program *p, uint32_t last) {
  while (p->block[KGI_BODY].last != last) kgi_remove(p, p->block[KGI_BODY].last);
}

/* A load there is tried at the end of the program. */
static bool is_home(kg_module *work, kgi_builder *b, uint32_t load, kgi_ad_vacant *v, kgi_arena *scratch) {
  kgi_program *p = b->p;
  const kgi_obj object = {p->inst[load].arg[0]};
  const uint32_t last = p->block[KGI_BODY].last;
  kgi_distinct *d;
  b->at = kgi_at_end(p, KGI_BODY), b->pos = p->inst_pos[load];
  if (!own_place(b, load, v)) return forget_behind(p, last), false;
  kgi_val at = {v->index[0]}, index[KGI_MAX_RANK];
  for (unsigned k = 0; k < v->count; k++) index[k] = (kgi_val){v->index[k]};
  if (p->scope.object[object.i].rank) at = kgi_place(b, object, index, v->count);
  kgi_if_begin(b, v->inside ? (kgi_val){v->inside} : kgi_home_in_bounds(b, object, at));
  kgi_val own = kgi_load(b, object, at);
  kgi_end(b);
  bool found = b->status == KG_OK && kgi_distinct_make(scratch, work, p, &d) == KG_OK && kgi_home_covers(p, d, own.i, &v->front);
  forget_behind(p, last);
  return found;
}

static bool is_in_branches(const kgi_program *p, uint32_t i) {
  for (kgi_blk block = p->inst[i].block; block > KGI_BODY; block = p->inst[p->block[block].owner].block)
    if (p->inst[p->block[block].owner].kind != KGI_if) return false;
  return true;
}

/* The first of the loads, and another one that is not of the same element. */
static bool lacks_home(const kgi_program *p, kgi_distinct *d, uint32_t object, uint32_t load[2]) {
  uint32_t list[KGI_MOST_home_loads], count = 0;
  uint8_t front;
  load[0] = load[1] = 0;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i];
    if (!kgi_touches(x) || x->arg[0] != object) continue;
    if (x->kind != KGI_load || count == KGI_LIMIT(home_loads) || !is_in_branches(p, i) || kgi_home_covers(p, d, i, &front)) return false;
    list[count++] = i;
    if (!load[0]) load[0] = i;
    else if (!load[1] && !kgi_home_is_same(p, load[0], i)) load[1] = i;
  }
  return load[1] && !kgi_home_are_settled(d, list, count);
}

kg_status kgi_ad_find_vacant(kgi_ad_facts *f, kgi_arena *scratch) {
  kgi_builder b;
  kgi_distinct *d = NULL;
  unsigned tries = KGI_LIMIT(home_tries);
  f->vacant = kgi_arena_alloc(scratch, f->p->scope.object_count, sizeof *f->vacant);
  if (!f->vacant) return KG_NO_MEMORY;
  kgi_builder_init(&b, f->work, NULL);
  kgi_resume_program(&b, f->p);
  for (uint32_t o = 1; o < kgi_buffer_end(&f->p->scope) && b.status == KG_OK; o++) {
    uint32_t load[2];
    bool found = false;
    if (!kgi_home_is_sought(f->p, o)) continue;
    if (!d && kgi_distinct_make(scratch, f->work, f->p, &d) != KG_OK) return KG_NO_MEMORY;
    if (!lacks_home(f->p, d, o, load)) continue;
    for (unsigned k = 0; k < 2 && !found && tries; k++, tries--) found = is_home(f->work, &b, load[k], &f->vacant[o], scratch);
    if (!found) f->vacant[o].count = 0;
    d = NULL; /* the table of instructions has grown */
  }
  return kgi_builder_status(&b);
}
