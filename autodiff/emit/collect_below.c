/* Whether what stands for an id is below a bound, by the conditions of the addition.
 *
 * An index of several parts names the element of another invocation only where each part stays a digit: of `k = y * w + x`, k + 1 is the
 * element of x + 1 where that is below w. Conditions say so in many ways, as x + 1 < w, x < w - 1 or x != w - 1, and words wrap in them. A
 * bound is taken for at least 1, since there are no elements where it is 0, and what is added is dropped either way: so w - 1 is a number. For
 * w - 2 to be one, id has to be below w, and at least 1, by other conditions. There are fewer than 2^32 invocations along an axis, so that id + 1
 * is a number; of id + 2 that is not known. */
#include "autodiff/emit/collect.h"

typedef enum relation { LESS, AT_MOST, OTHER_THAN } relation;
typedef struct fact { kgi_poly low, high; relation is; } fact;

typedef struct question {
  const kgi_collecting *c;
  kgi_poly id, f, bound;
  int64_t least; /* of the id */
  bool below;    /* the id is below the bound */
} question;
typedef bool answers(question *q, const fact *f);

/* x = y + apart, as words. */
static bool differs_by(const kgi_poly *x, const kgi_poly *y, int64_t *apart) {
  kgi_poly difference = kgi_poly_add(x, y, -1);
  int64_t whole;
  if (!kgi_poly_is_int(&difference, &whole)) return false;
  return *apart = (int32_t)(uint32_t)whole, true;
}

static bool is_same(const kgi_poly *x, const kgi_poly *y) {
  int64_t apart;
  return differs_by(x, y, &apart) && !apart;
}

static kgi_poly read(const kgi_collecting *c, uint32_t value) { return kgi_poly_of_value(c->q, (kgi_val){value}, c->size); }

/* ---- conditions ---- */

static bool ask_comparison(question *q, const kgi_inst *x, bool truth, answers *does) {
  bool less = x->op == (truth ? KGI_OP_lt : KGI_OP_ge), at_most = x->op == (truth ? KGI_OP_le : KGI_OP_gt);
  bool more = x->op == (truth ? KGI_OP_gt : KGI_OP_le), at_least = x->op == (truth ? KGI_OP_ge : KGI_OP_lt);
  bool other = x->op == (truth ? KGI_OP_ne : KGI_OP_eq);
  if ((!less && !at_most && !more && !at_least && !other) || kgi_collect_at(q->c, x->arg[0])->type != KG_U32) return false;
  bool turned = more || at_least;
  fact f = {read(q->c, x->arg[turned]), read(q->c, x->arg[!turned]), other ? OTHER_THAN : less || more ? LESS : AT_MOST};
  if (does(q, &f)) return true;
  fact back = {f.high, f.low, OTHER_THAN};
  return other && does(q, &back);
}

/* Some part of the condition answers. */
static bool ask(question *q, kgi_collect_branch k, answers *does) {
  const kgi_inst *x = kgi_collect_at(q->c, k.value);
  if (x->kind != KGI_op) return false;
  if (x->op == KGI_OP_not) return ask(q, (kgi_collect_branch){x->arg[0], !k.truth}, does);
  if (x->op != (k.truth ? KGI_OP_and : KGI_OP_or) || x->type != KG_BOOL) return ask_comparison(q, x, k.truth, does);
  return ask(q, (kgi_collect_branch){x->arg[0], k.truth}, does) || ask(q, (kgi_collect_branch){x->arg[1], k.truth}, does);
}

static bool ask_around(question *q, kgi_blk block, answers *does) {
  kgi_collect_branch k;
  while (block != KGI_BODY && kgi_collect_condition(q->c, block, &k, &block))
    if (ask(q, k, does)) return true;
  return false;
}

/* ---- what they say ---- */

static bool note_least(question *q, const fact *f) {
  int64_t number;
  if (!is_same(&f->high, &q->id) || !kgi_poly_is_int(&f->low, &number) || number < 0 || number >= INT32_MAX) return false;
  int64_t least = f->is == AT_MOST ? number : f->is == LESS ? number + 1 : number ? 0 : 1;
  if (least > q->least) q->least = least;
  return false;
}

/* high = bound + by: is that below 2^32, and no less than 0? */
static bool is_number(const question *q, int64_t by) {
  int64_t bound;
  if (!kgi_poly_is_int(&q->bound, &bound)) bound = q->below ? q->least + 1 : 1; /* or more */
  return by <= 0 && -by <= bound;
}

static bool says_id_is_below(question *q, const fact *f) {
  int64_t by, past;
  if (f->is == OTHER_THAN || !differs_by(&f->low, &q->id, &past) || !differs_by(&f->high, &q->bound, &by)) return false;
  return past >= 0 && past <= 1 && is_number(q, by) && (f->is == LESS || by - past < 0);
}

static bool says_it_is_below(question *q, const fact *f) {
  int64_t by, past, apart;
  if (!differs_by(&f->high, &q->bound, &by)) return false;
  if (is_same(&f->low, &q->f) && f->is != OTHER_THAN) return is_number(q, by) && (f->is == LESS || by < 0);
  if (!q->below || !differs_by(&f->low, &q->id, &past) || !differs_by(&q->f, &q->id, &apart) || apart < 0) return false;
  if (f->is == OTHER_THAN) return apart == 1 && by - past == -1;
  return past >= 0 && past <= 1 && is_number(q, by) && past - by - (f->is == AT_MOST) >= apart;
}

/* f = id - low. */
static bool says_it_does_not_wrap(question *q, const fact *f) {
  kgi_poly less = kgi_poly_add(&q->id, &q->f, -1);
  return f->is != OTHER_THAN && is_same(&f->high, &q->id) && is_same(&f->low, &less);
}

bool kgi_collect_is_kept_below(const kgi_collecting *c, kgi_blk block, unsigned axis, uint32_t f, uint32_t bound) {
  question q = {.c = c, .id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), .f = f ? read(c, f) : kgi_poly_atom(KGI_ATOM_GLOBAL + axis), .bound = read(c, bound)};
  int64_t apart;
  ask_around(&q, block, note_least);
  q.below = ask_around(&q, block, says_id_is_below);
  if (ask_around(&q, block, says_it_is_below)) return true;
  if (!q.below) return false;
  if (differs_by(&q.f, &q.id, &apart)) return apart <= 0 && -apart <= q.least;
  return ask_around(&q, block, says_it_does_not_wrap);
}
