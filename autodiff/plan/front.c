/* Shadows of buffers whose length the host decides: contributions that reach elements up to some number exactly once are stored, and the
 * others zeroed (foundation/analysis/cover.c). The number is a length of the module. The run that zeroes passes it as an u32, so a host
 * refuses one from 2^32 on, and what rests on it holds. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"
#include "foundation/ir/dim.h"

/* ---- how far it reaches ---- */

/* An atom that the host knows; a constant of the kernel, which devices may be given another value for, is none. */
static kgi_dim length_of_atom(kgi_ad *a, uint32_t atom) {
  uint32_t kind = atom & KGI_ATOM_KIND, index = atom & ~KGI_ATOM_KIND;
  if (kind == KGI_ATOM_PARAM) return kgi_ad_param_of_run(a, index);
  return kind == KGI_ATOM_LEN ? kgi_ad_length_of_run(a, index) : (kgi_dim){0};
}

static kgi_dim length_of_poly(kgi_ad *a, const kgi_poly *f) {
  kgi_dim sum = kgi_ad_number(a, 0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_dim term = kgi_ad_number(a, f->t[k].c);
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      kgi_dim atom = length_of_atom(a, f->t[k].atom[n]);
      term = kgi_ad_length(a, KGI_DIM_MUL, term, atom);
    }
    sum = kgi_ad_length(a, KGI_DIM_ADD, sum, term);
  }
  return f->failed ? (kgi_dim){0} : sum;
}

/* It can be 2^32 or more for no values of its atoms. */
static bool is_word(const kgi_poly *f) {
  int64_t number;
  return kgi_poly_is_int(f, &number) || kgi_poly_is_atom(f);
}

/* A bound as the kernel has it, of 32 bits: sums and products wrap there. The weight need not be held to that, since no front that has an
 * element is shorter. */
static kgi_dim length_of_bound(kgi_ad *a, const kgi_poly *f) {
  kgi_dim whole = length_of_poly(a, f);
  return is_word(f) ? whole : kgi_ad_length(a, KGI_DIM_MOD, whole, kgi_ad_number(a, INT64_C(1) << 32));
}

/* There are as many invocations as the run says, whatever constants become. */
static bool has_known_grid(const kgi_ad *a) {
  const kgi_program *p = a->f.p;
  for (unsigned k = 0; k < 3; k++)
    if (kgi_ad_names_constant(&p->scope, p->grid[k]) || kgi_ad_names_constant(&p->scope, p->workgroup[k])) return false;
  return true;
}

static kgi_dim along(kgi_ad *a, unsigned all, unsigned groups) {
  return all ? kgi_ad_invocations_along(a, all - 1) : groups ? kgi_ad_workgroups_along(a, groups - 1) : (kgi_dim){0};
}

static kgi_dim length_of_front(kgi_ad *a, const kgi_front *f) {
  kgi_dim least = {0}, weight = length_of_poly(a, &f->weight);
  if (!has_known_grid(a) || !weight.i) return (kgi_dim){0};
  for (unsigned k = 0; k < f->count; k++) {
    kgi_dim below = length_of_bound(a, &f->below[k]);
    if (!below.i) return below;
    least = least.i ? kgi_ad_length(a, KGI_DIM_MIN, least, below) : below;
  }
  kgi_dim of_grid = along(a, f->all, f->groups);
  if (of_grid.i) least = least.i ? kgi_ad_length(a, KGI_DIM_MIN, least, of_grid) : of_grid;
  return least.i ? kgi_ad_length(a, KGI_DIM_MUL, weight, least) : weight;
}

/* What of it has no gaps, all or nothing: the quotient is 1 where the grid is as wide as the digit, and else 0. */
static kgi_dim without_gaps(kgi_ad *a, const kgi_front *f, kgi_dim length) {
  for (unsigned k = 0; k < f->digits && length.i; k++) {
    const kgi_front_digit *g = &f->digit[k];
    if (!g->open) continue;
    kgi_dim range = length_of_poly(a, &g->range), wide = along(a, g->all, g->groups);
    kgi_dim most = kgi_ad_length(a, KGI_DIM_MIN, wide, range), some = kgi_ad_length(a, KGI_DIM_MAX, range, kgi_ad_number(a, 1));
    length = kgi_ad_length(a, KGI_DIM_MUL, length, kgi_ad_length(a, KGI_DIM_DIV, most, some));
  }
  return length;
}

/* ---- which loads it is of ---- */

/* The last active one. */
static uint32_t last_load(const kgi_ad *a, uint32_t object) {
  uint32_t load = a->f.object[object].last;
  while (load && !kgi_ad_active(a, load)) load = a->f.access_prev[load];
  return load;
}

/* What the load contributes comes first in reverse: nothing else is loaded in a loop around it, whose trips might come in another order, or
 * behind it; but for its block's where `with_block`. */
static bool comes_first(const kgi_ad *a, uint32_t object, uint32_t load, bool with_block) {
  uint32_t loop = kgi_ad_outermost_loop(a, KGI_BODY, load);
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    bool other = i != load && kgi_ad_active(a, i) && !(with_block && a->f.p->inst[i].block == a->f.p->inst[load].block);
    if (other && a->f.pos[i] > a->f.pos[loop ? loop : load]) return false;
  }
  return true;
}

/* Loads of one block, and their front. */
typedef struct group { uint32_t load[KGI_FRONT_SIDE]; unsigned count; kgi_front front; } group;

/* All of the load's block; false: there are too many. */
static bool take_block(const kgi_ad *a, uint32_t object, uint32_t load, group *g) {
  g->count = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (!kgi_ad_active(a, i) || a->f.p->inst[i].block != a->f.p->inst[load].block) continue;
    if (g->count == KGI_FRONT_SIDE) return false;
    g->load[g->count++] = i;
  }
  return true;
}

typedef bool covers(const kgi_distinct *d, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front);

/* Of as few neighbours as may be. */
static bool find_sides(const kgi_distinct *d, group *g, covers *holds) {
  for (uint32_t side = g->count; side <= KGI_FRONT_SIDE; side++)
    if (holds(d, g->load, g->count, side, &g->front)) return true;
  return false;
}

static void note_sides(kgi_ad *a, uint32_t object, const group *g) {
  kgi_ad_object *o = &a->object[object];
  o->stored_load = g->load[0], o->stored = g->count > 1 ? KGI_AD_STORED_BLOCK : KGI_AD_STORED_LOAD;
  o->holes = ((UINT32_C(1) << g->front.side) - 1) & ~g->front.offsets;
  o->stored_offset = g->front.first;
}

/* The invocation that has an element here is the one that has it there. */
static bool all_agree(const kgi_ad *a, const kgi_distinct *d, uint32_t object, const kgi_front *front) {
  kgi_blk seen = 0;
  unsigned n = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    group other;
    if (!kgi_ad_active(a, i)) continue;
    if (n++ >= KGI_LIMIT(front_loads)) return false;
    if (a->f.p->inst[i].block == seen) continue;
    seen = a->f.p->inst[i].block;
    if (!take_block(a, object, i, &other) || !kgi_covers_front(d, other.load, other.count, front->side, &other.front)) return false;
    if (!kgi_is_same_front(front, &other.front)) return false;
  }
  return true;
}

static void mark_all_plain(kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (kgi_ad_active(a, i)) a->flags[i] |= KGI_AD_PLAIN;
}

/* Neighbours that the loads leave out are zeroed beside what is stored, whoever else adds to them. */
static bool has_holes(const group *g) { return g->count < g->front.side; }

/* Lengths are params of u32 to the run that zeroes. */
static bool is_too_long(const kgi_ad *a, kgi_dim length) {
  const kgi_dim_node *n = &a->f.work->scope.dim[length.i];
  return n->op == KGI_DIM_INT && n->imm > (int64_t)UINT32_MAX;
}

static bool settle(kgi_ad *a, const kgi_distinct *d, uint32_t object, const group *g, bool plain) {
  kgi_ad_object *o = &a->object[object];
  kgi_dim whole = (plain && !has_holes(g)) || all_agree(a, d, object, &g->front) ? length_of_front(a, &g->front) : (kgi_dim){0};
  kgi_dim reached = without_gaps(a, &g->front, whole);
  if (!reached.i || is_too_long(a, reached)) return false;
  if (!plain) mark_all_plain(a, object);
  note_sides(a, object, g);
  o->reached = reached, o->whole = whole;
  o->narrow = a->f.p->inst[a->f.p->inst[g->load[0]].arg[1]].type != KG_U32;
  return true;
}

/* The object's contributions are those of the loads, and no others. */
static bool are_all(const kgi_ad *a, uint32_t object, const group *g) {
  unsigned count = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) count += kgi_ad_active(a, i);
  return count == g->count;
}

/* All loads there are. */
static bool take_all(const kgi_ad *a, uint32_t object, group *g) {
  g->count = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (!kgi_ad_active(a, i)) continue;
    if (g->count == KGI_FRONT_SIDE) return false;
    g->load[g->count++] = i;
  }
  return true;
}

static bool note_whole(kgi_ad *a, uint32_t object, uint32_t load, kgi_ad_stored stored) {
  a->object[object].stored_load = load, a->object[object].stored = stored;
  return true;
}

bool kgi_ad_find_whole(kgi_ad *a, const kgi_distinct *d, uint32_t object) {
  uint32_t load = last_load(a, object);
  group g;
  if (!load || !d) return false;
  if (comes_first(a, object, load, false) && kgi_covers(d, load)) return note_whole(a, object, load, KGI_AD_STORED_LOAD);
  if (take_all(a, object, &g) && kgi_covers_steps(d, g.load, g.count)) return note_whole(a, object, g.load[0], KGI_AD_STORED_ALL);
  if (!take_block(a, object, load, &g) || !comes_first(a, object, g.load[0], true)) return false;
  if (kgi_covers_steps(d, g.load, g.count)) return note_whole(a, object, g.load[0], KGI_AD_STORED_BLOCK);
  if (!find_sides(d, &g, kgi_covers_sides) || (has_holes(&g) && !are_all(a, object, &g))) return false;
  note_sides(a, object, &g);
  return true;
}

bool kgi_ad_find_front(kgi_ad *a, const kgi_distinct *d, uint32_t object, bool plain) {
  uint32_t load = last_load(a, object);
  group g, alone = {.load = {load}, .count = 1};
  if (!load || !d || a->f.p->scope.object[object].length.i || a->f.p->scope.object[object].scalar) return false;
  bool all = take_block(a, object, load, &g) && comes_first(a, object, g.load[0], true) && find_sides(d, &g, kgi_covers_front);
  if (all && settle(a, d, object, &g, plain)) return true;
  return plain && comes_first(a, object, load, false) && find_sides(d, &alone, kgi_covers_front) && settle(a, d, object, &alone, true);
}

bool kgi_ad_is_stored(const kgi_ad *a, uint32_t load) {
  const kgi_ad_object *o = &a->object[a->f.p->inst[load].arg[0]];
  if (!o->stored_load) return false;
  if (load == o->stored_load || o->stored == KGI_AD_STORED_ALL) return true;
  return o->stored == KGI_AD_STORED_BLOCK && a->f.p->inst[load].block == a->f.p->inst[o->stored_load].block;
}
