/* The largest value that an index may have where it is used: what ranges say of it, and of what it is made of, held against the conditions
 * that are true there. An index is a machine word, so a sum or product counts only where it cannot wrap. */
#include "foundation/analysis/within.h"
#include "foundation/base/limits.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/place.h"

enum { FACTS = KGI_MOST_within_facts };
enum { UNKNOWN = -1 };

/* Where it holds, value < bound, or value <= bound where `equal`, as numbers of one type that are not negative. */
typedef struct fact { uint32_t value, bound; bool equal; } fact;

typedef struct walk {
  const kgi_program *p;
  const kgi_known *known;
  kgi_ranges ranges;
  bool *within;
  fact fact[FACTS]; unsigned facts;
  unsigned steps; /* of one index */
} walk;

/* ---- conditions ---- */

static void add_fact(walk *w, uint32_t value, uint32_t bound, bool equal) {
  const kgi_inst *x = &w->p->inst[value];
  if ((x->type == KG_U32 || x->type == KG_I32) && w->facts < KGI_LIMIT(within_facts)) w->fact[w->facts++] = (fact){value, bound, equal};
}

/* What holds where the condition is `truth`. */
static void learn(walk *w, uint32_t condition, bool truth, unsigned depth) {
  const kgi_inst *c = &w->p->inst[condition];
  if (c->kind != KGI_op || depth >= KGI_LIMIT(within_depth)) return;
  if (c->op == KGI_OP_not && c->type == KG_BOOL) return learn(w, c->arg[0], !truth, depth + 1);
  if (c->op == (truth ? KGI_OP_and : KGI_OP_or) && c->type == KG_BOOL)
    return learn(w, c->arg[0], truth, depth + 1), learn(w, c->arg[1], truth, depth + 1);
  if (c->op == (truth ? KGI_OP_lt : KGI_OP_ge)) add_fact(w, c->arg[0], c->arg[1], false);
  if (c->op == (truth ? KGI_OP_le : KGI_OP_gt)) add_fact(w, c->arg[0], c->arg[1], true);
  if (c->op == (truth ? KGI_OP_gt : KGI_OP_le)) add_fact(w, c->arg[1], c->arg[0], false);
  if (c->op == (truth ? KGI_OP_ge : KGI_OP_lt)) add_fact(w, c->arg[1], c->arg[0], true);
  if (c->op == (truth ? KGI_OP_eq : KGI_OP_ne)) add_fact(w, c->arg[0], c->arg[1], true), add_fact(w, c->arg[1], c->arg[0], true);
}

/* ---- indices ---- */

static int64_t most_of(walk *w, uint32_t value, unsigned depth);

static bool is_word(unsigned type) { return type == KG_U32 || type == KG_I32; }
static int64_t most_of_type(unsigned type) { return type == KG_U32 ? UINT32_MAX : INT32_MAX; }

static bool is_natural(const walk *w, uint32_t value) {
  return w->p->inst[value].type == KG_U32 || (w->ranges.value[value].known && w->ranges.value[value].lo >= 0);
}

static bool is_shift(const walk *w, uint32_t value) {
  kgi_range r = w->ranges.value[value];
  return r.known && r.lo >= 0 && r.hi < 32;
}

/* Of a loop that counts up: below its bound. */
static int64_t most_of_loop(walk *w, const kgi_inst *loop, unsigned depth) {
  kgi_range step = w->ranges.value[loop->arg[2]];
  int64_t bound = step.known && step.lo > 0 ? most_of(w, loop->arg[1], depth) : UNKNOWN;
  return bound > 0 ? bound - 1 : UNKNOWN; /* with a bound of 0 nobody comes here */
}

/* Of what is made of naturals; UNKNOWN: it may wrap, or is made of something else. */
static int64_t most_of_op(walk *w, const kgi_inst *x, unsigned depth) {
  if (!is_word(x->type)) return UNKNOWN;
  if (x->op == KGI_OP_convert && !is_word(w->p->inst[x->arg[0]].type)) return UNKNOWN;
  if (x->op == KGI_OP_convert) return is_natural(w, x->arg[0]) ? most_of(w, x->arg[0], depth) : UNKNOWN;
  if (x->op == KGI_OP_select) {
    int64_t yes = most_of(w, x->arg[1], depth), no = most_of(w, x->arg[2], depth);
    return yes == UNKNOWN || no == UNKNOWN ? UNKNOWN : yes > no ? yes : no;
  }
  if (!is_natural(w, x->arg[0]) || !is_natural(w, x->arg[1])) return UNKNOWN;
  kgi_range second = w->ranges.value[x->arg[1]];
  int64_t a = most_of(w, x->arg[0], depth), b = most_of(w, x->arg[1], depth), least = second.known ? second.lo : 0;
  if (x->op == KGI_OP_min || x->op == KGI_OP_and) return a == UNKNOWN ? b : b == UNKNOWN || a < b ? a : b;
  if (a == UNKNOWN) return UNKNOWN;
  if ((x->op == KGI_OP_rem || x->op == KGI_OP_mod) && least > 0) return b != UNKNOWN && b - 1 < a ? b - 1 : a;
  if (x->op == KGI_OP_div && least > 0) return a / least;
  if (x->op == KGI_OP_shr) return is_shift(w, x->arg[1]) ? a >> least : a;
  if (b == UNKNOWN) return UNKNOWN;
  if (x->op == KGI_OP_add) return a + b; /* each is below 2^32 */
  if (x->op == KGI_OP_mul) return a && b > INT64_MAX / a ? UNKNOWN : a * b;
  if (x->op == KGI_OP_max) return a > b ? a : b;
  return UNKNOWN;
}

/* The largest value of a word that is not negative; UNKNOWN: nothing is known. */
static int64_t most_of(walk *w, uint32_t value, unsigned depth) {
  const kgi_inst *x = &w->p->inst[value];
  kgi_range r = w->ranges.value[value];
  int64_t most = r.known ? r.hi : is_word(x->type) ? most_of_type(x->type) : UNKNOWN;
  if (depth >= KGI_LIMIT(within_depth) || ++w->steps > KGI_LIMIT(within_steps) || x->kind == KGI_literal) return most;
  int64_t made = x->kind == KGI_op ? most_of_op(w, x, depth + 1) : x->kind == KGI_for ? most_of_loop(w, x, depth + 1) : UNKNOWN;
  if (made != UNKNOWN && (most == UNKNOWN || made < most)) most = made; /* what wraps is more than the type has */
  for (unsigned k = 0; k < w->facts; k++) {
    if (w->fact[k].value != value) continue;
    int64_t bound = most_of(w, w->fact[k].bound, depth + 1);
    if (bound == UNKNOWN) continue;
    bound -= !w->fact[k].equal;
    if (bound >= 0 && (most == UNKNOWN || bound < most)) most = bound; /* below 0: nobody comes here */
  }
  return most;
}

static bool is_below(walk *w, uint32_t index, int64_t length) {
  if (!is_word(w->p->inst[index].type) || !is_natural(w, index)) return false;
  w->steps = 0;
  int64_t most = most_of(w, index, 0);
  return most != UNKNOWN && most < length;
}

/* Of an array of several dimensions each index, by its own extent. */
static bool is_inside(walk *w, const kgi_inst *access) {
  const kgi_object *o = &w->p->scope.object[access->arg[0]];
  kgi_digits place;
  if (!access->arg[1]) return true;
  if (!kgi_place_read(w->p, access->arg[0], access->arg[1], &place))
    return is_below(w, access->arg[1], (int64_t)w->known->length[access->arg[0]]);
  for (unsigned k = 0; k < o->rank; k++) {
    kgi_dim_env env = {.param = w->known->param, .length = w->known->length};
    int64_t extent;
    if (kgi_dim_eval(&w->p->scope, o->extent[k], &env, &extent) != KGI_DIM_OK || !is_below(w, place.value[k], extent)) return false;
  }
  return true;
}

/* ---- the program ---- */

static bool leaves(const kgi_program *p, kgi_blk block) {
  return block && p->block[block].last && kgi_ends(&p->inst[p->block[block].last]);
}

static void visit_block(walk *w, kgi_blk block) {
  unsigned facts = w->facts;
  KGI_EACH(w->p, block, i) {
    const kgi_inst *inst = &w->p->inst[i];
    kgi_span blocks = kgi_owned_blocks(inst);
    if (kgi_touches(inst) && w->within[i]) w->within[i] = is_inside(w, inst);
    for (unsigned n = 0; n < blocks.count; n++) {
      unsigned outside = w->facts;
      if (inst->kind == KGI_if) learn(w, inst->arg[0], n == 0, 0);
      if (inst->kind == KGI_while && n == 1) learn(w, inst->arg[0], true, 0);
      visit_block(w, inst->arg[blocks.first + n]);
      w->facts = outside;
    }
    if (inst->kind == KGI_if && leaves(w->p, inst->arg[1])) learn(w, inst->arg[0], false, 0);
  }
  w->facts = facts;
}

bool kgi_within_find(kgi_arena *scratch, const kgi_program *p, const kgi_known *known, bool *within) {
  walk w = {.p = p, .known = known, .within = within};
  if (!kgi_ranges_find(&w.ranges, scratch, p, known)) return false;
  visit_block(&w, KGI_BODY);
  return true;
}
