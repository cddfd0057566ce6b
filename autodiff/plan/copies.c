/* Copies of shared memory, and of vars that are arrays: a trip of a loop loads what the trip before has left there, all of it, and then
 * overwrites it, as the hidden state of a recurrent network. Each load would be kept, by each invocation. But where every invocation has
 * an element of its own, one value each is enough, and of a var one for each of its elements: the trip begins with a copy, and its loads
 * go there.
 *
 *   for t in a .. b {                      becomes     for t in a .. b {
 *     ... h[k] ...                                       barrier
 *     barrier                                            w[local_id.x] = h[local_id.x]
 *     h[local_id.x] = v                                  barrier
 *     barrier                                            ... w[k] ...
 *   }                                                    barrier, and so on
 *
 * Which element is whose does not matter, as barriers stand around: the axes of a workgroup are those of an object of two dimensions, in
 * either order, or the invocations are numbered.
 *
 * A var is an invocation's own, so that its copy needs no barriers.
 *
 * The copy is filled anew in each trip (tiles.c, needs.c), from a load that is kept. Nothing else knows of copies. Whether they are worth
 * it is found out by planning both. */
#include "autodiff/plan/ad.h"
#include "autodiff/plan/reach.h"
#include "autodiff/plan/states.h"
#include "foundation/ir/place.h"
#include "modules/modules.h"

#include <stdio.h>

enum { MOST = 8, DEEPEST = 6 }; /* objects of a program; operations between a load and what is kept */

typedef struct copied { uint32_t object; kgi_blk body; uint32_t first_store; } copied;

/* ---- which ---- */

static bool holds_barrier(const kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i)
    if (a->f.p->inst[i].kind == KGI_barrier) return true;
  return false;
}

/* The body's first store to the object; 0: there is none, or an atomic. */
static uint32_t first_store(const kgi_ad *a, kgi_blk body, uint32_t object) {
  uint32_t found = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (a->f.p->inst[i].kind == KGI_load || !kgi_ad_within(a, body, i)) continue;
    if (a->f.p->inst[i].kind != KGI_store) return 0;
    if (!found) found = i;
  }
  return found;
}

/* In all trips of loops within the body, what it loads is what the trip began with. */
static bool loads_what_was_left(const kgi_ad *a, const copied *c, uint32_t load) {
  uint32_t loop = kgi_ad_outermost_loop(a, c->body, load), until = a->f.pos[c->first_store];
  if (!kgi_ad_within(a, c->body, load) || a->f.pos[load] > until) return false;
  return !loop || a->f.block[kgi_body_of(kgi_ad_inst(a, loop))].end < until;
}

/* Whether dimensions are as long as axes of the workgroup are wide: `x`, `y` are those of the axes. */
static bool has_axes(const kgi_ad *a, uint32_t object, unsigned x, unsigned y) {
  const kgi_object *o = &a->f.p->scope.object[object];
  kgi_poly size[3], across = kgi_poly_of_dim(&a->f.p->scope, o->extent[x]), down = kgi_poly_of_dim(&a->f.p->scope, o->extent[y]);
  kgi_sizes_of(a->f.p, size);
  return kgi_poly_equal(&across, &size[0]) && kgi_poly_equal(&down, &size[1]);
}

/* The object has an element for each invocation. */
static bool is_one_each(const kgi_ad *a, uint32_t object) {
  const kgi_object *o = &a->f.p->scope.object[object];
  if (o->space != KGI_SHARED || o->rank > 2 || !a->object[object].one_each) return false;
  return o->rank < 2 || has_axes(a, object, 1, 0) || has_axes(a, object, 0, 1);
}

static bool is_line(const kgi_ad *a) {
  kgi_poly size[3];
  int64_t y = 0, z = 0;
  kgi_sizes_of(a->f.p, size);
  return kgi_poly_is_int(&size[1], &y) && kgi_poly_is_int(&size[2], &z) && y == 1 && z == 1;
}

/* Of an object like `object`. */
static kgi_val own_element(kgi_builder *b, const kgi_ad *a, uint32_t object, kgi_obj of) {
  bool down = has_axes(a, object, 1, 0);
  if (a->f.p->scope.object[object].rank < 2) return kgi_id_value(b, is_line(a) ? KGI_ID_local_id : KGI_ID_local_index, 0);
  kgi_val index[2];
  for (unsigned k = 0; k < 2; k++) index[k] = kgi_id_value(b, KGI_ID_local_id, k ? !down : down);
  return kgi_place(b, of, index, 2);
}

static bool is_var(const kgi_ad *a, uint32_t object) { return a->f.p->scope.object[object].space == KGI_VAR; }

static bool can_be_object(const kgi_ad *a, uint32_t object) {
  return is_var(a, object) ? !a->f.p->scope.object[object].scalar : is_one_each(a, object);
}

/* Of a copy in each trip of this loop. */
static bool can_begin_trips(const kgi_ad *a, uint32_t load, uint32_t loop, copied *out) {
  uint32_t object = a->f.p->inst[load].arg[0];
  *out = (copied){.object = object, .body = kgi_body_of(kgi_ad_inst(a, loop))};
  out->first_store = first_store(a, out->body, object);
  if (!out->first_store || !loads_what_was_left(a, out, load)) return false;
  return is_var(a, object) || (a->f.p->inst[loop].kind == KGI_for && holds_barrier(a, out->body));
}

/* In the outermost loop that will do: an outer one may give the object its first values. */
static bool can_be_copied(const kgi_ad *a, uint32_t load, copied *out) {
  uint32_t object = a->f.p->inst[load].arg[0];
  if (a->f.p->inst[load].kind != KGI_load || !can_be_object(a, object)) return false;
  for (kgi_blk block = a->f.object[object].block;; block = out->body) {
    uint32_t loop = kgi_ad_outermost_loop(a, block, load);
    if (!loop) return false;
    if (can_begin_trips(a, load, loop, out)) return true;
  }
}

static void note(copied list[MOST], unsigned *count, copied c) {
  for (unsigned k = 0; k < *count; k++)
    if (list[k].object == c.object && list[k].body == c.body) return;
  if (*count < MOST) list[(*count)++] = c;
}

/* What is kept may be computed from loads that copies would leave at hand. */
static void choose_for(const kgi_ad *a, uint32_t value, copied list[MOST], unsigned *count, unsigned depth) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  copied c;
  if (can_be_copied(a, value, &c)) note(list, count, c);
  if (inst->kind != KGI_op || depth == DEEPEST) return;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) choose_for(a, inst->arg[k], list, count, depth + 1);
}

/* In no loop, and in no checkpoint: where another run's reverse fills what is kept, it does so in a branch that holds all of it. */
static bool runs_once(const kgi_ad *a, kgi_blk block) {
  for (; block > KGI_BODY; block = a->f.p->inst[a->f.p->block[block].owner].block) {
    unsigned kind = a->f.p->inst[a->f.p->block[block].owner].kind;
    if (kind != KGI_if && kind != KGI_region) return false;
  }
  return true;
}

static unsigned choose(const kgi_ad *a, copied list[MOST]) {
  unsigned count = 0;
  for (uint32_t s = 0; s < a->slot_count; s++)
    if (runs_once(a, a->slot[s].block) && a->slot[s].place != KGI_AD_MEMORY) choose_for(a, a->slot[s].value, list, &count, 0);
  return count;
}

/* ---- the working program ---- */

/* Along each axis by its id, or by the number of the invocation. */
bool kgi_ad_is_own_element(const kgi_ad *a, uint32_t store) {
  const kgi_inst *inst = kgi_ad_inst(a, store);
  kgi_poly size[3];
  kgi_digits place;
  kgi_sizes_of(a->f.p, size);
  if (!is_one_each(a, inst->arg[0])) return false;
  if (!kgi_place_of(a->f.p, store, &place)) {
    kgi_poly index = kgi_poly_of_value(a->f.p, (kgi_val){inst->arg[1]}, size);
    return kgi_poly_is_atom(&index) == (is_line(a) ? KGI_ATOM_LOCAL : KGI_ATOM_LOCAL_INDEX);
  }
  bool down = has_axes(a, inst->arg[0], 1, 0);
  for (unsigned k = 0; k < a->f.p->scope.object[inst->arg[0]].rank; k++) {
    kgi_poly index = kgi_poly_of_value(a->f.p, (kgi_val){place.value[k]}, size);
    if (kgi_poly_is_atom(&index) != KGI_ATOM_LOCAL + (uint32_t)(k ? !down : down)) return false;
  }
  return true;
}

/* Before the loop each invocation has stored to its element. */
static bool is_filled_before(const kgi_ad *a, const copied *c) {
  for (uint32_t i = a->f.object[c->object].first; i && a->f.pos[i] < a->f.block[c->body].start; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_store && a->f.p->inst[i].block == KGI_BODY && kgi_ad_is_own_element(a, i)) return true;
  return false;
}

/* An element that nobody loads may hold nothing as yet, and the copy loads it. */
static void fill(kgi_builder *b, const kgi_ad *a, const copied *c) {
  kg_type type = (kg_type)b->p->scope.object[c->object].type;
  if (is_filled_before(a, c)) return;
  b->at = kgi_at_start(KGI_BODY);
  b->pos = b->p->inst_pos[b->p->block[c->body].owner];
  kgi_val own = own_element(b, a, c->object, (kgi_obj){c->object}), none = kgi_convert(b, kgi_type_value(type), kgi_u32(b, 0));
  kgi_store(b, (kgi_obj){c->object}, own, none);
  kgi_barrier_here(b);
}

/* h_before of h; there may be copies in several loops, and other things of that name. */
static kgi_str name_of_copy(kgi_builder *b, kgi_names *names, kgi_str object) {
  char text[160];
  snprintf(text, sizeof text, "%.140s_before", kgi_string(b->m, object));
  kgi_str name = kgi_names_free(names, "", text);
  if (!name.i) kgi_fail(b, KG_NO_MEMORY);
  return name;
}

static kgi_obj copy_shared(kgi_builder *b, const kgi_ad *a, kgi_obj from, const kgi_object *like) {
  kgi_obj to = kgi_object_add(b, like);
  kgi_barrier_here(b);
  kgi_val value = kgi_load(b, from, own_element(b, a, from.i, from));
  kgi_store(b, to, own_element(b, a, from.i, to), value);
  kgi_barrier_here(b);
  return to;
}

static kgi_obj copy_var(kgi_builder *b, const kgi_ad *a, kgi_obj from, const kgi_object *like) {
  kgi_ad_give_contents(b, &a->f, from.i);
  kgi_obj to = kgi_var_add(b, like);
  kgi_ad_copy_state(b, to, from);
  return to;
}

/* What is kept lies by the number of the trip, which some loops load first (counters.c). */
static kgi_cursor start_of_trip(const kgi_program *p, const kgi_ad *a, kgi_blk body) {
  uint32_t trip = kgi_counted(&a->f, p->block[body].owner).trip;
  return trip ? kgi_behind(p, trip) : kgi_at_start(body);
}

static void copy(kgi_builder *b, kgi_names *names, const kgi_ad *a, const copied *c) {
  kgi_object like = b->p->scope.object[c->object];
  like.name = name_of_copy(b, names, like.name);
  b->at = start_of_trip(b->p, a, c->body);
  b->pos = b->p->inst_pos[b->p->block[c->body].owner];
  kgi_obj from = {c->object}, to = is_var(a, c->object) ? copy_var(b, a, from, &like) : copy_shared(b, a, from, &like);
  if (b->status != KG_OK) return;
  for (uint32_t i = a->f.object[c->object].first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_load && loads_what_was_left(a, c, i)) b->p->inst[i].arg[0] = to.i;
}

static kgi_program *rewritten(kgi_ad *a, const copied *list, unsigned count) {
  kgi_program *p = kgi_program_copy(&a->f.work->arena, a->f.p);
  kgi_builder b;
  if (!p) return NULL;
  kgi_names names = {.m = a->f.work, .arena = &a->scratch};
  kgi_names_use(&names, a->f.work, p, p->scope.object_count);
  kgi_builder_init(&b, a->f.work, NULL);
  b.p = p;
  for (unsigned k = 0; k < count; k++) {
    copy(&b, &names, a, &list[k]);
    if (!is_var(a, list[k].object)) fill(&b, a, &list[k]);
  }
  return kgi_builder_status(&b) == KG_OK ? p : NULL;
}

static bool gains(kgi_ad *with, kgi_ad *without) {
  int64_t least = with->status == KG_OK ? kgi_ad_cost(with) : INT32_MAX, most = kgi_ad_cost(without);
  return with->status == KG_OK && 2 * least <= most;
}

void kgi_ad_try_copies(kgi_ad *a, kgi_program **where) {
  copied list[MOST];
  kgi_diags quiet = {.sink = NULL};
  unsigned count = choose(a, list);
  if (!count) return;
  kgi_program *p = rewritten(a, list, count);
  if (!p) return kgi_ad_fail(a, KG_NO_MEMORY);
  kgi_ad with;
  *where = p;
  if (kgi_ad_analyse_again(&with, a, p, &quiet) == KG_OK) kgi_ad_decide_again(&with);
  else kgi_ad_fail(&with, KG_NO_MEMORY);
  if (with.status == KG_OK) kgi_ad_shares(&with);
  if (gains(&with, a)) return kgi_ad_replace(a, &with);
  if (with.status == KG_NO_MEMORY) kgi_ad_fail(a, KG_NO_MEMORY);
  *where = a->f.p;
  kgi_ad_free(&with);
}
