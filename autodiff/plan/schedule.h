/* Differentiation of a whole module: activity across runs, and the order of work in the result. */
#ifndef KGI_AD_SCHEDULE_H
#define KGI_AD_SCHEDULE_H
#include "autodiff/plan/ad.h"
#include "modules/modules.h"

/* One run of the module, with the adjoint of its program. */
typedef struct kgi_ad_run {
  uint32_t item;
  uint32_t cut;      /* 1 + which of the module's segments it is in; 0: none */
  uint32_t order;    /* position among the items of the module, repeats included */
  uint32_t repeat;   /* outermost repeat around it; 0: none */
  uint32_t repeat_end; /* the order behind that repeat's last item */
  uint32_t program;  /* of the result: its adjoint; 0: it has none */
  bool has_content, fused, analysed;
  bool stated; /* its program names its adjoint: `ad` is of a program that stands for it (stated.c) */
  kgi_ad ad;
  kgi_ad *plain; /* the plan of the same program without checkpoints, for what is said of them; NULL: there is none */
  struct kgi_emission *made;    /* autodiff/emit/emit.h: once it was emitted, what became of its objects */
  struct kgi_emission *forward; /* likewise, of the primal that fills tapes for an adjoint that is a run of its own; NULL: none does */
  uint32_t forward_program;     /* of the result */
  uint32_t *tape;               /* objects of the result, by tape */
  uint32_t *aside;              /* likewise, by program buffer: a copy for the adjoint; 0: there is none */
  kgi_dim aside_rounds, aside_round; /* of the copies, as of tapes */
  uint32_t *param_sink;         /* likewise, by param of a stated run: takes what nobody asks for; NULL, 0: there is none */
  uint32_t *end;                /* likewise, by program object: what it held behind the run (autodiff/ends.c); 0: nobody asks */
  struct kgi_distinct *distinct; const kgi_program *distinct_of; /* once rows are told apart (rows.c): of which program of the plan's */
  kgi_ad_request req;
  uint8_t *varied, *useful; /* by program object */
  bool *wrt_param, *given, *fresh, *fresh_param, *spent, *viewed;
  /* anew.c, by program object: what the adjoint finds in the shadow counts for nothing; nobody has touched it, maybe; nobody behind looks at
   * what it leaves; and nobody does, even if others than its neighbours were not as they are */
  bool *anew, *first, *unseen, *alone_spent;
} kgi_ad_run;

/* A repeat that is cut into segments (segments.c). Bytes and rounds are those at the params' defaults. */
typedef struct kgi_ad_segments {
  uint32_t repeat, outermost; /* items of the module */
  uint32_t order;             /* of its first run */
  uint32_t rounds;            /* of each segment */
  uint32_t group;             /* so many segments share a snapshot of the forward sweep: the group is run again for a snapshot of each */
  bool *copied;  /* by object of the module: run again, the segment has a copy of it */
  bool *loaded;  /* the runs may load from it */
  bool *begun;   /* and may find what it held when the round began: the segment starts from a snapshot of it */
  double trips, around;       /* its rounds, and those of the repeats around it */
  double snapshot, copies;    /* bytes of all that one snapshot holds, and of copies */
  double round;               /* bytes of tapes for each round */
  double bytes, saved;        /* of all that; of the tapes that there would be otherwise, less than that */
  /* autodiff/segments.c: lengths of the working module: segments; slices of the snapshots, and the first of these in a round of the
   * repeats around, {0}: always the first */
  kgi_dim count, slots, first;
  uint32_t *copy, *slices, *inner; /* objects of the result, by object of the module; 0: none. `inner`: slices for segments of a group */
} kgi_ad_segments;

/* A buffer's contents right behind a run, as an input. */
typedef struct kgi_ad_after {
  const char *name; /* the caller's: "h after k" */
  uint32_t object, item;
  uint32_t shadow;  /* of the result */
} kgi_ad_after;
/* The first and the last of the module's runs whose adjoint may touch a shadow: twice the run's order; and 1 more where a copy is taken. */
typedef struct kgi_ad_touches { uint32_t first, last; } kgi_ad_touches;
/* Where what is cut is run again: the repeats for those of the module, by item; by length of the working module what it is there. */
typedef struct kgi_ad_pass { uint32_t *item, *dim; bool taped; } kgi_ad_pass;

/* A program that zeroes the shadow which a stated adjoint leaves; both by their numbers. */
typedef struct kgi_ad_taken { uint32_t adjoint, shadow, program; } kgi_ad_taken;

typedef struct kgi_ad_module {
  const kg_module *m;
  const kg_grad_params *params;
  kgi_diags diags;
  kgi_arena scratch;
  kg_module *work, *out;
  kgi_builder b;
  /* by object and by param of the module */
  bool *of, *wrt, *wrt_param;
  kgi_blocks blocks;
  bool *viewed;                    /* may overlap another view, here or in a program that it is bound in: so may its shadow */
  uint8_t *varied, *useful;        /* views of one binding share the entry of the first */
  uint32_t *shadow, *param_shadow; /* objects of the result; 0: none */
  uint32_t *inner;                 /* of the result: a shadow for the runs, beside the caller's, if any; 0: they share that (boundary.c) */
  kgi_ad_touches *touches;         /* by object of the module: of its shadow */
  uint32_t *param_last;            /* by param of the module: the order of the last run that may contribute to its gradient */
  bool *param_stored;              /* likewise: the adjoint that comes first stores to its gradient */
  bool *touched;                   /* by object of the module: some adjoint touches its shadow */
  bool *stored;                    /* likewise: the first one that does stores to every element */
  bool *bare;                      /* likewise: the first one may be one that adds to it, or takes from it */
  kgi_dim *reached;                /* then, how many of its elements, from the first on; {0}: all */
  kgi_dim *whole;                  /* then, how many it may be */
  bool *narrow;                    /* then, by an index that reaches none from 2^31 on */
  int8_t *worst;                   /* likewise: the least orderly kgi_ad_share among the others; -1: there is none */
  uint32_t *parent;                /* by item: the repeat around it; 0: none */
  bool *needs_zero;                /* by object of the module: contributions are added to its shadow */
  kgi_ad_after *after; uint32_t after_count, after_cap;
  kgi_ad_run *run; uint32_t run_count, run_cap;
  kgi_ad_segments *segments; uint32_t segment_count, segment_cap;
  kgi_ad_pass plain, again;        /* where groups are run again, and segments */
  kgi_zeroing moving;              /* programs that zero and copy buffers */
  kgi_ad_taken *taken; uint32_t taken_count, taken_cap;
  uint32_t order;
  bool explained;  /* what was decided is going to be told */
  bool as_written; /* programs are not lowered, since nothing is to be reversed */
  bool second;     /* it is a gradient that is differentiated: what of it no input reaches is no surprise, and has the tangent 0 */
  bool split;             /* the gradient is two modules: no run turns round in place */
  uint32_t first_forward; /* then: the list of those items of `out` that make the first one */
  kg_module *forward;     /* the first one */
  bool *kept;             /* by object of `out`: the first one leaves it to the second */
} kgi_ad_module;

/* Runs, their programs, and what is active in each. */
kg_status kgi_ad_find_activity(kgi_ad_module *g);
/* All of that, and how each run is to be reversed. */
kg_status kgi_ad_plan(kgi_ad_module *g);

/* Bytes of the snapshots of all segments, and of the copies. */
static inline double kgi_ad_copies(const kgi_ad_segments *c) { return c->bytes - c->round * c->rounds; }

/* limit.c: whether the tapes take more than the limit, or KG_REFUSED if they do. */
bool kgi_ad_is_within_limit(kgi_ad_module *g);
kg_status kgi_ad_check_limit(kgi_ad_module *g);
/* segments.c: cuts repeats until that holds; KG_REFUSED: it does not. */
kg_status kgi_ad_keep_to_limit(kgi_ad_module *g);
static inline uint32_t kgi_ad_outermost(const kgi_ad_module *g, uint32_t repeat) {
  while (g->parent[repeat]) repeat = g->parent[repeat];
  return repeat;
}

/* The module's object behind a program's buffer. */
static inline uint32_t kgi_ad_bound(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  return g->m->bind[g->m->item[r->item].binding + object - 1];
}

/* apart.c: whether `other`, when it runs after r, in a later round of a repeat around both say, may store to what the program's buffer
 * is bound to in r, and r loads, or with `stores` loads or stores to. */
bool kgi_ad_overwrites(kgi_ad_module *g, kgi_ad_run *other, kgi_ad_run *r, uint32_t object, bool stores);

/* aside.c: of the run's plan another one, with copies of buffers in place of tapes, if that takes less; and the extents of a copy, and its
 * bytes at the params' defaults. */
void kgi_ad_try_asides(kgi_ad_module *g, kgi_ad_run *r);
unsigned kgi_ad_aside_factors(const kgi_ad_module *g, const kgi_ad_run *r, const kgi_ad *with, uint32_t object, kgi_dim factor[2]);
uint64_t kgi_ad_aside_bytes(kgi_ad_module *g, const kgi_ad_run *r, const kgi_ad *with, uint32_t object);
/* The module's param that the run passes to that one, if its gradient is asked for; else 0. */
static inline uint32_t kgi_ad_param_asked(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t param) {
  const kgi_item *item = &g->m->item[r->item];
  uint32_t buffers = kgi_buffer_end(&g->m->program[item->program]->scope) - 1;
  const kgi_dim_node *n = &g->m->scope.dim[g->m->bind[item->binding + buffers + param - 1]];
  return n->op == KGI_DIM_PARAM && g->wrt_param[n->a] ? n->a : 0;
}

/* shadows.c: what runs touch shadows (false: no memory); and then what the request says of the shadows of one. */
bool kgi_ad_find_touches(kgi_ad_module *g);
void kgi_ad_describe_shadows(kgi_ad_module *g, kgi_ad_run *r);
/* Nobody looks at the shadow behind the run's adjoint. */
bool kgi_ad_is_spent(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object);

/* anew.c: of temporaries that runs take turns with, before anything is planned; and, as far as it is known what adjoints begin anew, what
 * need not be left behind: whether that is news. */
void kgi_ad_find_anew(kgi_ad_module *g);
/* When adjoints are made: before those that do nothing there is nothing either, so that another may be the first to touch the shadow. */
void kgi_ad_find_first(kgi_ad_module *g);
bool kgi_ad_find_unseen(kgi_ad_module *g);

/* twice.c: of buffers, or params, that the run binds to one of the module's, the program uses the first alone. False: no memory. */
bool kgi_ad_join_twice(kgi_ad_module *g, const kgi_ad_run *r, kgi_program *p);
/* KG_REFUSED: buffers of the program that are bound to one, and are not one, would have one shadow. */
kg_status kgi_ad_check_twice(kgi_ad_module *g, const kgi_ad_run *r);

/* stated.c: makes of a copy of a program that names its adjoint one that stands for it: all floats that it loads reach all that it stores.
 * False: no memory. Then, once it is known what is active, KG_REFUSED: its adjoint lacks something, or loads what is overwritten. */
bool kgi_ad_stand_in(kgi_ad_module *g, kgi_program *p);
void kgi_ad_forget_body(kgi_program *p);
/* ends.c: of several objects that a run binds to the same, the first, whose copy of what is behind the run is that of all. */
uint32_t kgi_ad_first_end(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object);
kg_status kgi_ad_check_stated(kgi_ad_module *g, kgi_ad_run *r);

/* overlaps.c: which shadows are views, once all runs are known; KG_REFUSED: views of several types overlap on the path. */
void kgi_ad_find_viewed(kgi_ad_module *g);
kg_status kgi_ad_check_overlaps(kgi_ad_module *g);
/* On entry, what is given for the one view may lie over what is given for the other. */
bool kgi_ad_hides(const kgi_ad_module *g, uint32_t over, uint32_t under);
#endif
