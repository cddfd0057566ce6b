/* What the files that collect share (collect.c). */
#ifndef KGI_COLLECT_H
#define KGI_COLLECT_H
#include "autodiff/emit/emit.h"
#include "foundation/analysis/linear.h"
#include "foundation/base/limits.h"

enum { KGI_COLLECT_TERMS = KGI_MOST_collect_terms, KGI_COLLECT_ORIGINS = KGI_MOST_collect_origins };

/* A guess at j, from the id: id - by, id - by -+ value, value - by, or the numbers before and behind the id in a ring of `value`. */
typedef enum kgi_collect_kind {
  KGI_FROM_APART, KGI_FROM_LESS, KGI_FROM_PLUS, KGI_FROM_AT, KGI_FROM_BEFORE, KGI_FROM_BEHIND
} kgi_collect_kind;
typedef struct kgi_collect_origin { kgi_collect_kind kind; uint32_t by, value; } kgi_collect_origin;

typedef struct kgi_collect_axis {
  uint32_t f;                  /* what stands for the id; 0: the id does not occur */
  kgi_collect_origin from[KGI_COLLECT_ORIGINS]; unsigned count;
  bool exact;                  /* the one guess is right */
} kgi_collect_axis;

typedef struct kgi_collect_term {
  uint32_t atomic;
  unsigned home;
  kgi_collect_axis axis[3];
  bool careful; /* of the conditions some load something, which may only be done where those around hold */
} kgi_collect_term;

typedef struct kgi_collecting {
  kgi_emission *e;
  kgi_builder *b;
  kgi_program *q;
  uint32_t object;         /* of the working program */
  kgi_obj shadow;
  kgi_poly size[3];
  uint32_t known;          /* instructions that `copy` and `made` know */
  uint32_t *copy, *made, round; /* the value for the invocation that is looked at, if `made` says so */
  bool *written;           /* by object */
  uint32_t *own;           /* by object: of a var that is a load, that load; else 0 */
  uint32_t home[KGI_AD_HOMES]; unsigned homes;
  unsigned front;          /* the home reaches a front alone: 1 + the axis of its highest digit */
  kgi_poly weight[3]; uint32_t below[3]; /* of a front of several digits, by axis: what the id counts for, and its bound; 0: it is none */
  bool plain;              /* the homes' indices are ids and what is the same for all, each in a dimension of its own */
  kgi_collect_term term[KGI_COLLECT_TERMS]; unsigned terms;
  uint32_t id[3];          /* of the invocation that is looked at; 0: its own */
  unsigned steps;
  bool empty;              /* nothing was collected yet, and the home adds nothing */
  bool loads;              /* what was looked at loads something */
  uint32_t zero;
} kgi_collecting;

typedef struct kgi_collect_branch { uint32_t value; bool truth; } kgi_collect_branch;

static inline const kgi_inst *kgi_collect_at(const kgi_collecting *c, uint32_t i) { return &c->q->inst[i]; }
static inline bool kgi_collect_is_op(const kgi_inst *inst, kgi_op op) { return inst->kind == KGI_op && inst->op == op; }

/* The axis of a global id, from 1; 0: it is none. */
static inline unsigned kgi_collect_axis_of(const kgi_inst *inst) {
  return inst->kind == KGI_id && inst->op == KGI_ID_global_id ? 1 + inst->arg[0] : 0;
}

/* collect_own.c: fills `own`; false: no memory. */
bool kgi_collect_find_own(kgi_collecting *c, kgi_arena *scratch);
/* What gives the value: itself, or the load that the var is. */
static inline uint32_t kgi_collect_source(const kgi_collecting *c, uint32_t value) {
  const kgi_inst *x = kgi_collect_at(c, value);
  return x->kind == KGI_load && c->own[x->arg[0]] ? c->own[x->arg[0]] : value;
}
/* collect_find.c: all that touches the shadow, and whose element it is that each addition goes to; false: that is not known. */
bool kgi_collect_find(kgi_collecting *c, const uint32_t *uses);
/* The condition under which the block is entered; `outer`: the block around. False: it is no branch. */
bool kgi_collect_condition(const kgi_collecting *c, kgi_blk block, kgi_collect_branch *out, kgi_blk *outer);
/* x = y + extra, and x = id + y + extra, as words. */
bool kgi_collect_is_apart(const kgi_collecting *c, uint32_t x, uint32_t y, int64_t extra);
bool kgi_collect_is_id_and(const kgi_collecting *c, uint32_t x, unsigned axis, uint32_t y, int64_t extra);
/* collect_ends.c: of an id below `bound` the condition says just that it is at this end. `bound` 0: it is not known. */
typedef enum kgi_collect_end { KGI_NO_END, KGI_FIRST_END, KGI_LAST_END } kgi_collect_end;
kgi_collect_end kgi_collect_end_where(const kgi_collecting *c, kgi_collect_branch k, unsigned axis, uint32_t bound);
/* f is the next number, or the one before, of an id that is not at the end. */
bool kgi_collect_steps_inside(const kgi_collecting *c, uint32_t f, unsigned axis, kgi_collect_end not_at);
/* collect_spell.c: indices of several parts become the home's with something else for an id, where they can. */
void kgi_collect_spell(kgi_collecting *c);
/* collect_below.c: f, which stands for the id along the axis, or 0 for the id itself, is below the bound, by the conditions of the block. */
bool kgi_collect_is_kept_below(const kgi_collecting *c, kgi_blk block, unsigned axis, uint32_t f, uint32_t bound);
/* collect_find.c: the value is of something that another invocation may not have, or that is loaded. */
bool kgi_collect_is_loading(kgi_collecting *c, uint32_t value);
/* The innermost condition around the block that keeps the id below something does so by this, which is the same for all. */
bool kgi_collect_bound_around(kgi_collecting *c, kgi_blk block, unsigned axis, uint32_t *bound);
/* collect_front.c: of a home that reaches a front alone; false: it is not known how to tell what is past it. */
bool kgi_collect_takes_front(kgi_collecting *c);
/* Whether no index of the front's wraps, where the builder is; {0}: it does not. */
kgi_val kgi_collect_is_exact(kgi_collecting *c);
/* What goes past the front is added there and then. */
void kgi_collect_leave_past(kgi_collecting *c, const kgi_collect_term *t);
/* collect.c: the value, for the invocation that is looked at. */
uint32_t kgi_collect_value_for(kgi_collecting *c, uint32_t of);
bool kgi_collect_is_within(const kgi_collecting *c, kgi_blk block, kgi_blk outer);
bool kgi_collect_is_same_for_all(const kgi_inst *inst);
#endif
