/* A home that reaches a front of a buffer alone, whose length nobody knows:
 *
 *     if i < n { atomic_add(s[i], u(i)); atomic_add(s[f(i)], v(i)) }
 *     if i < n { s[i] += u(i) + the sum of v(j) over all j of the dispatch with j < n and f(j) == i
 *                if not (f(i) < n and f(i) < invocations) { atomic_add(s[f(i)], v(i)) } }
 *
 * Either f(i) is an invocation of which the home's conditions hold, and that one collects, or nobody does, and it is added here. That is asked
 * while the program runs, so that each addition is made once, whatever f is.
 *
 * It remains that what is added to here is no home's element, which adds to it plainly. Where the index is the id alone, the element is f(i)
 * itself, and it is known that no home has it. Else the index is a number of several digits, each below the range that the home's conditions
 * give it: a home's (foundation/analysis/cover.c), and those of additions, as collect_find.c has shown for fronts as for whole buffers. Such
 * numbers are the same only where their digits are, as long as none of them is past the largest word. That is asked, too: each digit's range
 * times its weight, from which the next one's weight follows. Where it is more, homes add atomically as well. */
#include "autodiff/emit/collect.h"
#include "autodiff/plan/homes.h"

static bool are_conditions_plain(kgi_collecting *c) {
  kgi_collect_branch k;
  for (kgi_blk block = kgi_collect_at(c, c->home[0])->block; block != KGI_BODY;)
    if (!kgi_collect_condition(c, block, &k, &block) || kgi_collect_is_loading(c, k.value)) return false;
  return true;
}

/* What the ids count for in the index, and what they are below; false: it is another kind of sum. */
static bool find_digits(kgi_collecting *c) {
  const kgi_inst *home = kgi_collect_at(c, c->home[0]);
  kgi_poly index = kgi_poly_of_value(c->q, (kgi_val){home->arg[1]}, c->size), rest = index;
  if (kgi_collect_at(c, home->arg[1])->type != KG_U32) return false;
  for (unsigned axis = 0; axis < 3; axis++) {
    kgi_poly id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), all = kgi_poly_int(0);
    for (uint32_t k = 0; k < index.count; k++) {
      kgi_poly one = {.count = 1, .t = {index.t[k]}};
      if (kgi_term_has(&index.t[k], KGI_ATOM_GLOBAL + axis)) all = kgi_poly_add(&all, &one, 1);
    }
    c->below[axis] = 0;
    if (!all.count) continue;
    if (!kgi_poly_divide(&all, &id, &c->weight[axis]) || !kgi_collect_bound_around(c, home->block, axis, &c->below[axis])) return false;
    rest = kgi_poly_add(&rest, &all, -1);
  }
  return !index.failed && !rest.failed && !rest.count && c->below[c->front - 1];
}

bool kgi_collect_takes_front(kgi_collecting *c) {
  return c->homes == 1 && !c->q->scope.object[c->shadow.i].rank && are_conditions_plain(c) && (c->plain || find_digits(c));
}

/* weight * below is at most the largest word. */
static kgi_val fits(kgi_collecting *c, unsigned axis) {
  kgi_builder *b = c->b;
  kgi_val weight = kgi_home_sum(b, &c->weight[axis]), most = kgi_u32(b, UINT32_MAX);
  if (!weight.i) return kgi_bool(b, false);
  kgi_val times = kgi_op2(b, KGI_OP_div, most, kgi_op2(b, KGI_OP_max, weight, kgi_u32(b, 1)));
  return kgi_op2(b, KGI_OP_le, (kgi_val){c->below[axis]}, times);
}

kgi_val kgi_collect_is_exact(kgi_collecting *c) {
  kgi_val all = {0};
  int64_t one;
  for (unsigned axis = 0; axis < 3 && c->front && !c->plain; axis++) {
    if (!c->below[axis] || (kgi_poly_is_int(&c->weight[axis], &one) && one == 1)) continue;
    kgi_val fit = fits(c, axis);
    all = all.i ? kgi_op2(c->b, KGI_OP_and, all, fit) : fit;
  }
  return all;
}

static kgi_val and_also(kgi_collecting *c, kgi_val x, kgi_val y) { return x.i ? kgi_op2(c->b, KGI_OP_and, x, y) : y; }

/* What stands for the ids is an invocation's. */
static kgi_val is_there(kgi_collecting *c, const kgi_collect_term *t) {
  kgi_builder *b = c->b;
  kgi_val all = {0};
  for (unsigned axis = 0; axis < 3; axis++) {
    c->id[axis] = t->axis[axis].f;
    if (!c->id[axis]) continue;
    kgi_val groups = kgi_id_value(b, KGI_ID_num_workgroups, axis), size = kgi_id_value(b, KGI_ID_workgroup_size, axis);
    all = and_also(c, all, kgi_op2(b, KGI_OP_lt, (kgi_val){c->id[axis]}, kgi_op2(b, KGI_OP_mul, groups, size)));
  }
  return all;
}

/* The home's conditions hold of it. Of several digits it is known that they do (collect_find.c), and so it is of the own ids under them. */
static kgi_val comes_home(kgi_collecting *c, const kgi_collect_term *t, kgi_val all) {
  kgi_collect_branch k;
  kgi_blk home = kgi_collect_at(c, c->home[0])->block;
  bool own = !all.i && kgi_collect_is_within(c, kgi_collect_at(c, t->atomic)->block, home);
  if (!c->plain || own) return all;
  c->round++;
  while (home != KGI_BODY && kgi_collect_condition(c, home, &k, &home)) {
    kgi_val holds = {kgi_collect_value_for(c, k.value)};
    all = and_also(c, all, k.truth ? holds : kgi_op1(c->b, KGI_OP_not, holds));
  }
  return all;
}

void kgi_collect_leave_past(kgi_collecting *c, const kgi_collect_term *t) {
  kgi_builder *b = c->b;
  const kgi_inst atomic = *kgi_collect_at(c, t->atomic);
  b->at = kgi_before(c->q, t->atomic), b->pos = c->q->inst_pos[t->atomic];
  kgi_val home = comes_home(c, t, is_there(c, t));
  if (!home.i) return; /* nothing is past it */
  kgi_if_begin(b, kgi_op1(b, KGI_OP_not, home));
  kgi_atomic_op(b, KGI_ATOMIC_add, c->shadow, (kgi_val){atomic.arg[1]}, (kgi_val){atomic.arg[2]}, (kgi_val){0});
  kgi_end(b);
}
