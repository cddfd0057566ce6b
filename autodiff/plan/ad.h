/* The plan of one program. The order of work:
 *
 *   bits       floats that pass through integers as their bits become floats                        (bits.c)
 *   lower      a private copy: regions but checkpoints dissolved, exits turned into if and else, or flags (lower.c, exits.c)
 *   count      loops whose trips only the run can tell count them                                  (counters.c)
 *   settle     running extremes, of which the last change alone matters, note it                    (chosen.c, settled.c)
 *   close      what a checkpoint changes becomes its own                                            (checkpoints.c)
 *   facts      positions, enclosing loops, who uses a value, who touches an object                  (facts.h)
 *   activity   what lies on a path from an input to an output, and whether it can be differentiated (activity.c)
 *   lanes      which loops keep the lanes of a subgroup together in reverse                         (lanes.c)
 *   needs      which primal values the reverse sweep uses, and how it gets at them                  (needs.c)
 *                what the reverse of each statement uses    (wants.c)
 *                what memory still holds by then            (holds.c), and what fills it again (tiles.c)
 *                what the program keeps itself              (parked.c)
 *                what is kept                               (cut.c), where (slots.c), for how many trips (trips.c, alike.c)
 *                what is kept while a strip is run again    (spared.c)
 *   share      how contributions to each shadow are added up                                        (share.c)
 *                which loops are sums over a workgroup                                              (trees.c)
 *   strips     whether loops had better keep their state alone, at the start of every few trips     (strips.c)
 *
 * What follows is emission (autodiff/emit/emit.h).
 *
 * "Open" blocks are those whose reverse follows their forward sweep within one scope: the body, and in it an `if` that comes
 * last, and so on inwards. All that an open block computed is at hand. Other blocks are "closed": before their reverse, what it
 * needs is computed again (a slice of the block), or was kept in a slot. */
#ifndef KGI_AD_H
#define KGI_AD_H
#include "autodiff/plan/facts.h"
#include "foundation/analysis/uniform.h"

#include <kgrad/autodiff.h>

enum {
  KGI_AD_VARIED = 1,  /* depends on an input by way of floats, or holds the bits of such a float */
  KGI_AD_ACTIVE = 2,  /* varied, and an output depends on it */
  KGI_AD_WANT = 4,    /* the reverse of its block uses the value */
  KGI_AD_KEEP = 8,    /* it was chosen to be kept from the forward sweep on */
  KGI_AD_ONE_LANE = 32, /* of a subgroup operation: the lane, or the distance, is the same for all */
  KGI_AD_CROSS = 16,  /* its adjoint gathers contributions from nested blocks, in a var */
  KGI_AD_EXACT = 128, /* computed again it might be rounded another way, which matters */
  KGI_AD_PLAIN = 64,  /* of a load: what it adds to a shadow meets nobody else's addition */
};

/* What is decided of a block of the working program. */
typedef struct kgi_ad_block {
  uint32_t cross;      /* first value whose adjoint is a var declared here; linked by `cross_next` */
  uint32_t vars;       /* first active var object declared here; linked by `var_next` */
  uint32_t slots;      /* 1 + the first slot that lies in a var declared here; linked by `next` */
  bool open;
  bool content;        /* the reverse sweep has something to do here */
  bool refills;        /* its slice stores to shared memory again */
  bool in_step;        /* of a loop: its reverse keeps the lanes of a subgroup at one trip; ... */
  bool by_workgroup;   /* ... and those of the workgroup */
  bool unsure;         /* some of a workgroup may come here and others not, and none to a barrier: so there must be none in reverse */
  uint32_t strip;      /* of a loop over strips: how many trips each has; 0: it is none */
  uint32_t tree;       /* of a loop: 1 + which of the sums over the workgroup it is; 0: none */
} kgi_ad_block;

typedef enum kgi_ad_share {
  KGI_AD_OWN,    /* each element belongs to one invocation: load, add, store */
  KGI_AD_SOLE,   /* besides, the first contribution to each element is that of one load, a store: no zeroing */
  KGI_AD_COLLECTED, /* likewise, a store of all that goes to the element, whichever invocation it comes from */
  KGI_AD_COLLECTED_TO, /* the same, added to what is there */
  KGI_AD_LISTED, /* contributions are written to lists, which a run of its own adds up in order */
  KGI_AD_SPREAD, /* of shared memory: each invocation adds to a copy of its own, and the copies are added up in order at barriers */
  KGI_AD_ATOMIC, /* an atomic add of a float for each contribution, or one for each workgroup where the index is uniform */
  KGI_AD_STATED, /* as the program's stated adjoint does it */
} kgi_ad_share;

/* Which loads contribute first to the elements of a shadow: one, those of its block, or all there are. */
typedef enum kgi_ad_stored { KGI_AD_STORED_LOAD, KGI_AD_STORED_BLOCK, KGI_AD_STORED_ALL } kgi_ad_stored;

enum { KGI_AD_HOMES = 4 };

/* What is decided of an object of the working program. */
typedef struct kgi_ad_object {
  uint32_t var_next;
  /* What it holds may be varied from this position on, and is of use up to that one. Loops that it outlives count whole. */
  uint32_t varied_from, useful_until; /* UINT32_MAX, 0: never */
  uint32_t varied_access, useful_access; /* how far the accesses have been visited */
  uint8_t share;        /* kgi_ad_share of its shadow */
  uint32_t stored_load; /* where it is KGI_AD_SOLE: that load, or the first of several that are it together */
  kgi_ad_stored stored; /* and which those are */
  uint32_t home[KGI_AD_HOMES], homes; /* loads that together reach each element once (homes.c), or 0 for that of vacant.c */
  uint8_t front;        /* they reach those of a front alone (homes.c): 1 + the axis of the highest digit */
  bool begun;           /* there may be something in the shadow already, to which what is added here is added */
  kgi_dim reached;      /* and then how many elements are, a length of the module; the others are zeroed. {0}: all of them */
  kgi_dim whole;        /* and how many may be, where only the grid knows whether none is left out */
  bool narrow;          /* by an index that reaches no element from 2^31 on */
  uint32_t holes, stored_offset; /* of neighbours, those that nobody loads, and which one that load's is */
  uint32_t spread;      /* where it is KGI_AD_SPREAD: 1 + the tape that holds the copies */
  bool loaded;          /* the emitted program loads from it */
  bool reloaded;        /* likewise, as far as needs.c has followed what it has to */
  bool sought;          /* the reverse needs what a load from it gave, and it holds that no more */
  bool overwritten;     /* a later run of the module does so, before the reverse of this one */
  bool replaced;        /* likewise, what this run stores to it, be it never loaded */
  bool aside;           /* it would be, but the reverse has a copy (aside.c) */
  bool ended;           /* then: what it holds behind this run is copied, and the reverse loads that and nothing else from it */
  kgi_dim part_length;  /* of either copy: how long the slice is that is copied, a length of the module; {0}: it is the whole buffer */
  bool parked;          /* the reverse loads what the run itself has stored to it */
  bool phased;          /* the reverse of extremes goes by what it holds where their phases end */
  uint8_t path_type;    /* of the first of views that may overlap: the kg_type of those on the path; KG_NONE: there is none */
  bool one_each;        /* shared: it has as many elements as a workgroup has invocations, in one or two axes */
  bool tile_known;
  kgi_blk tile;         /* once known: the loop's body that fills it anew in each trip; 0: none */
} kgi_ad_object;

/* Where a list has a contribution. */
typedef struct kgi_ad_entry {
  uint32_t tape; /* 1 + the tape of numbers, behind which comes that of elements; 0: it is not listed */
  uint32_t which;
} kgi_ad_entry;

/* A sum of all elements of shared memory, one for each invocation (trees.c): in reverse the root's adjoint goes to all. */
typedef struct kgi_ad_tree {
  uint32_t loop, object, root;
  uint64_t specs; /* it was found with these constants, a bit for each, as they stand */
  bool more;      /* the next one is of the same loop */
} kgi_ad_tree;

/* How what a workgroup has summed up comes to its element: where that is no other workgroup's, one invocation adds it; and where nothing else
 * is to be added there, and each element is some workgroup's, it is stored. */
typedef enum kgi_ad_sum_way { KGI_AD_SUM_ATOMIC, KGI_AD_SUM_ADDED, KGI_AD_SUM_STORED } kgi_ad_sum_way;

/* Contributions to one element that is the same for the whole workgroup: gathered over the program, reduced at its end. */
typedef struct kgi_ad_sum {
  uint32_t object; /* 0: a param */
  uint32_t index;  /* value of the working program */
  uint32_t param;
  kgi_ad_sum_way way;
  kgi_ad_entry entry; /* where it is listed, instead of added atomically */
} kgi_ad_sum;

/* A slot keeps what a value was in each trip of the loops around it, from when it was computed until the reverse sweep comes to it.
 *
 *   var     one value, where no loop lies between
 *   array   an element for each trip, where their number is a literal and small
 *   tape    a buffer, [trip][which][invocation], which outlives the dispatch
 *   memory  where the program itself has stored it (parked.c) */
typedef enum kgi_ad_place { KGI_AD_VAR, KGI_AD_ARRAY, KGI_AD_TAPE, KGI_AD_MEMORY } kgi_ad_place;

/* What a value of some trip of the loop is: in the first `lag` trips one of `first`, later what the store has stored so many trips before. */
enum { KGI_AD_LAGS = 4 };
typedef struct kgi_ad_parked { uint32_t store, loop, lag, first[KGI_AD_LAGS]; } kgi_ad_parked;
typedef struct kgi_ad_slot {
  uint32_t value;
  kgi_blk block; /* filled as this block runs forward, or is run again; 0: as the run runs forward, whose reverse is another run's */
  kgi_ad_place place;
  uint32_t trips;       /* of an array: its elements */
  uint64_t alike;       /* loops in whose trips the value is the same (alike.c) */
  uint32_t tape, which; /* of a tape */
  uint32_t next;        /* 1 + the next slot of the block's */
} kgi_ad_slot;

/* A buffer for the slots of one type, in one loop; or one of the two of a list: of contributions to a shadow, and of their elements,
 * 1 + the number, or 0 where the reverse did not come by; or copies of a shadow of shared memory, one for each invocation. */
typedef struct kgi_ad_tape {
  uint32_t object, param; /* of a list, or of copies: whose shadow */
  kgi_dim each;           /* of copies: the object's length in the working module; {0}: it is none, or a scalar */
  kg_type type;
  uint32_t loop;   /* innermost around the values; 0: none */
  uint64_t alike;  /* those that are no dimensions of it, as of a slot */
  kgi_blk within;  /* a block in a checkpoint: filled each time that it is run again, for that reverse; 0: as the run runs forward */
  uint32_t values; /* how many it holds in each trip */
} kgi_ad_tape;

/* A loop around something that is kept, or might be. */
typedef struct kgi_ad_loop {
  uint32_t loop;
  kgi_dim most;  /* its trips at most, a length of the module; {0}: nothing says so */
  uint32_t few;  /* likewise, where literals or a constant say so, and small; 0: it is not */
  uint32_t spec; /* the constant: an array is as long as it says, whatever it is specialized to; 0: a literal */
  uint32_t by;   /* of a loop over strips: of so many trips each, that the constant counts */
  uint32_t usual; /* what can be told of how many there are; 0: nothing */
  bool proved;   /* there cannot be more; else the forward sweep asserts it */
  bool assumed;  /* nothing says so; `few` is a guess */
  bool taped;    /* its trips are a dimension of tapes */
} kgi_ad_loop;

/* How one program is to be differentiated. */
typedef struct kgi_ad_request {
  const uint8_t *varied, *useful; /* by program object, for buffers: varied on entry, of use on exit */
  const bool *wrt_param;          /* by program param */
  const bool *given;              /* by object: the shadow holds a cotangent on entry */
  const bool *fresh;              /* by object: nothing has touched the shadow, which is as long as the program declares, when the reverse begins */
  const bool *fresh_param;        /* by program param: its gradient is asked for, and nothing has been added to it when the reverse begins */
  const bool *anew;               /* by object: what has touched it, if anything, left nothing in it that counts */
  const bool *spent;              /* by object: nobody looks at the shadow behind the reverse */
  const bool *viewed;             /* by object: it is a view that may overlap another, and so is its shadow */
  bool fused;                     /* the primal's effects as well */
  bool alone;                     /* one invocation in all */
  bool deterministic, accumulate;
  uint64_t tape_limit;            /* bytes of all tapes of the module together, at the params' defaults; 0: any number */
  uint64_t trips;                 /* that there is room for of loops that nothing bounds; 0: as limits.def has it */
  bool lone;                      /* the module is one program */
  uint32_t item;                  /* the run, in the working module */
  uint32_t cut, cut_rounds;       /* a repeat around it, of which tapes hold so many rounds at a time; 0: none */
  const uint32_t *parent;         /* by item of the working module: the repeat around it; 0: none */
} kgi_ad_request;

struct kgi_distinct; /* foundation/analysis/distinct.h */

typedef struct kgi_pair_set { uint64_t *slot; uint32_t capacity, used; } kgi_pair_set;

typedef struct kgi_ad {
  kgi_ad_facts f;
  kgi_diags *diags;
  kgi_arena scratch;
  kg_status status;
  kgi_ad_request req;
  /* by instruction of the working program */
  uint8_t *flags;
  uint32_t *cross_next;
  uint32_t *slot_of;   /* 1 + the slot that keeps the value; 0: none does */
  uint32_t *parked_of; /* 1 + its entry in `parked`; 0: it is in none; NULL: nobody looked */
  uint32_t *loop_of;   /* of a loop: 1 + its entry in `loop`; 0: nobody asked */
  kgi_ad_entry *entry; /* of a load: where its contributions are listed */
  uint32_t *sum_of;    /* of a load: 1 + index of the sum that gathers its contributions */
  /* by block, by object */
  kgi_ad_block *block;
  kgi_ad_object *object; uint32_t object_count; /* the program may have got more since */
  kgi_ad_sum *sum; uint32_t sum_count, sum_cap;
  kgi_ad_tree *tree; uint32_t tree_count, tree_cap;
  kgi_ad_slot *slot; uint32_t slot_count, slot_cap;
  kgi_ad_parked *parked; uint32_t parked_count, parked_cap;
  kgi_ad_tape *tape; uint32_t tape_count, tape_cap;
  kgi_ad_loop *loop; uint32_t loop_count, loop_cap;
  /* of tapes, as lengths of the working module: invocations; in a repeat, how many rounds there are, and which one it is */
  kgi_dim lanes, rounds, round;
  kgi_pair_set slices;  /* (block, instruction): part of the block's slice */
  kgi_pair_set refills; /* (block, object): the block's slice fills it again */
  kgi_blk *spared;      /* by instruction: the body of strips that keeps it in its second run; NULL: there are no strips */
  uint64_t *tasks; uint32_t task_count, task_cap;
  struct kgi_distinct *distinct; /* of a plan with strips: that of the program before */
  struct kgi_ad *before;         /* the plan without strips, in whose place this one is; NULL: none */
  uint32_t stretch;              /* strips.c: so many times as long as is best was tried; 0: that was not */
  kgi_uniformity same;  /* once tiles are looked for */
  bool of_any_run;      /* trips.c: what a run gives, and what specializing changes, bounds no trips */
  /* while needs are found */
  struct kgi_ad_cut *cut; /* the graph of demands, while it is collected */
  uint32_t user;          /* on whose behalf something is run again; 0: the reverse's own */
  uint32_t sources;       /* values that cannot be had */
  bool refusable, refused_source; /* the first look; it met one that cannot be kept where it is either */
} kgi_ad;

/* Reports a refusal; the status becomes KG_REFUSED. */
#define KGI_AD_REFUSE(a, row, at, ...) (KGI_DIAG((a)->diags, row, at, __VA_ARGS__), kgi_ad_fail((a), KG_REFUSED))
static inline void kgi_ad_fail(kgi_ad *a, kg_status status) {
  if (a->status == KG_OK) a->status = status;
}

static inline kg_type kgi_ad_type(unsigned type) { return type == KG_F64 ? KG_F64 : KG_F32; } /* of the adjoint of a float */
static inline bool kgi_ad_is_list(const kgi_ad_tape *tape) { return tape->object || tape->param; }
/* The adjoint alone has it: no run forward fills it, and no round of a repeat has rows of its own. */
static inline bool kgi_ad_is_own(const kgi_ad_tape *tape) { return kgi_ad_is_list(tape) || tape->within; }
/* The loop around all that are its dimensions; 0: there is none. */
static inline uint32_t kgi_ad_tape_end(const kgi_ad *a, const kgi_ad_tape *tape) { return a->f.block[tape->within].loop; }
static inline const kgi_inst *kgi_ad_inst(const kgi_ad *a, uint32_t i) { return &a->f.p->inst[i]; }
static inline bool kgi_ad_active(const kgi_ad *a, uint32_t value) { return a->flags[value] & KGI_AD_ACTIVE; }
static inline bool kgi_ad_active_object(const kgi_ad *a, uint32_t object) { /* somewhere */
  return a->object[object].varied_from < a->object[object].useful_until;
}
/* At this access: what it loads may be varied and is of use, what it stores is of use or replaces what may be varied. */
static inline bool kgi_ad_active_access(const kgi_ad *a, uint32_t i) {
  const kgi_ad_object *o = &a->object[a->f.p->inst[i].arg[0]];
  return o->varied_from <= a->f.pos[i] && a->f.pos[i] <= o->useful_until;
}
/* The block in whose reverse a value's adjoint is complete; leaves belong to the body. */
static inline kgi_blk kgi_ad_home(const kgi_ad *a, uint32_t value) {
  kgi_blk block = a->f.p->inst[value].block;
  return block ? a->f.block[block].in : KGI_BODY;
}
/* The var that has the object's adjoints: itself, or that of which it is a copy, so that they add up as they would without the copy. */
static inline uint32_t kgi_ad_shadow_of(const kgi_ad *a, uint32_t object) {
  if (!kgi_ad_active_object(a, object)) return object;
  while (a->f.object[object].copy_of && kgi_ad_active_object(a, a->f.object[object].copy_of)) object = a->f.object[object].copy_of;
  return object;
}
static inline bool kgi_ad_within(const kgi_ad *a, kgi_blk block, uint32_t inst) { return kgi_is_within(&a->f, block, inst); }
static inline const char *kgi_ad_object_name(const kgi_ad *a, uint32_t object) {
  return kgi_string(a->f.work, a->f.p->scope.object[object].name);
}

/* A loop that was cut into strips: that over strips, and that over the trips of one. */
typedef struct kgi_ad_strip { uint32_t outer, inner, trips; } kgi_ad_strip;

/* analyse.c: lowers `p`, a program of `work`, and collects what is asked of it. The caller frees with kgi_ad_free, whatever the result. */
kg_status kgi_ad_analyse(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc);
/* The same of a program as it stands: what is not lowered cannot be reversed. */
kg_status kgi_ad_examine(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc);
/* Of a program that `like`, which was analysed, became by editing what was lowered. The same is asked of it. */
kg_status kgi_ad_analyse_again(kgi_ad *a, const kgi_ad *like, kgi_program *p, kgi_diags *diags);
void kgi_ad_free(kgi_ad *a);

/* lower.c */
kg_status kgi_ad_lower(kg_module *work, kgi_program *p, kgi_diags *diags, kgi_arena *scratch);

/* bits.c: floats that integers hold as their bits become floats. */
kg_status kgi_ad_lower_bits(kg_module *work, kgi_program *p, kgi_diags *diags, kgi_arena *scratch);

static inline uint32_t kgi_ad_outermost_loop(const kgi_ad *a, kgi_blk block, uint32_t inst) { return kgi_outermost_loop(&a->f, block, inst); }

/* activity.c: the result in flags of values, and in varied_from and useful_until of objects. May be called again when the
 * request's sets of buffers have grown. */
void kgi_ad_spread_varied(kgi_ad *a);
void kgi_ad_spread_active(kgi_ad *a);
void kgi_ad_check_activity(kgi_ad *a);
/* Views that may overlap have shadows alike, whose elements are the same or apart: refuses an access if those on the path are not
 * of one type. */
void kgi_ad_check_view(kgi_ad *a, uint32_t access);
/* No other view that may lie over it is accessed: then it is like any object. */
bool kgi_ad_is_touched_alone(const kgi_ad *a, uint32_t object);
/* Whether a derivative, or the bits of a float that has one, flows from operand `k` to the result. */
bool kgi_ad_flows(const kgi_ad *a, uint32_t inst, unsigned k);
/* Whether the reverse sweep has something to do for the instruction itself. */
bool kgi_ad_has_reverse(const kgi_ad *a, uint32_t inst);

/* overlaps.c: whether it has for some access to the object. */
bool kgi_ad_on_path(const kgi_ad *a, uint32_t object);
/* The bindings, of set 0 and named by no view yet, of blocks of shadows; [view of the scope][each], where a block has so many of
 * them. False: no memory. */
bool kgi_ad_shadow_bindings(kgi_arena *arena, const kgi_scope *scope, unsigned each, uint32_t **binding);
/* The type of its shadow, where it is one of several views that overlap: of what is no float, as large as it is at least. */
uint8_t kgi_ad_shadow_type(const kgi_object *of);
/* Makes the shadow of a view a view alike. */
void kgi_ad_place_shadow(const kgi_object *of, uint32_t binding, kgi_object *shadow);

/* pairs.c */
bool kgi_pair_find(const kgi_pair_set *set, uint64_t key);
void kgi_pair_clear(kgi_pair_set *set);
bool kgi_pair_add(kgi_ad *a, kgi_pair_set *set, uint64_t key); /* true if it was not there */
static inline uint64_t kgi_pair(kgi_blk block, uint32_t inst) { return (uint64_t)block << 32 | inst; }

/* slots.c: keeps the value in a slot, from the run forward on or from `block` on. Refuses where nothing bounds the trips. */
void kgi_ad_keep_in(kgi_ad *a, kgi_blk block, uint32_t value);
void kgi_ad_keep_forward(kgi_ad *a, uint32_t value);
void kgi_ad_place_slots(kgi_ad *a); /* once it is known which there are */
/* rounds.c: what the tapes ask of the host; refuses where nothing bounds it. */
void kgi_ad_find_extents(kgi_ad *a);
/* It and those around it, up to but not `outer`, are dimensions of tapes, but for those in `alike`. False: nothing bounds one of them. */
bool kgi_ad_tape_loops(kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer);
void kgi_ad_find_lanes(kgi_ad *a); /* rounds.c: the extents of tapes but for rounds */
void kgi_ad_find_rounds(kgi_ad *a); /* of them, which round of how many it is: again, once a repeat is cut */
/* How long the slice is that the run binds to the buffer; {0}: it binds all of it, or the length goes by the round. */
kgi_dim kgi_ad_part_length(kgi_ad *a, uint32_t object);
/* What it holds behind the run is copied: the slice that the run binds, where that is as long in every round. The rounds have to be found. */
void kgi_ad_keep_end(kgi_ad *a, uint32_t object);
/* Of a repeat around the run: how many rounds it has at most, which names no repeat, {0} where nobody knows; and which one it is, from 0. */
kgi_dim kgi_ad_rounds_of(kgi_ad *a, uint32_t repeat);
kgi_dim kgi_ad_round_of(kgi_ad *a, uint32_t repeat);
static inline const kgi_ad_slot *kgi_ad_slot_of(const kgi_ad *a, uint32_t value) {
  return a->slot_of[value] ? &a->slot[a->slot_of[value] - 1] : NULL;
}

/* It was kept before the block is run again. What a block inside keeps is for the reverse of that block. */
static inline bool kgi_ad_is_kept_for(const kgi_ad *a, kgi_blk slice, uint32_t value) {
  const kgi_ad_slot *slot = kgi_ad_slot_of(a, value);
  return slot && a->f.block[slot->block].start < a->f.block[slice].start;
}

/* A tape or an array can have an element for each trip of the loops around the value, and it is computed where something can be stored. */
bool kgi_ad_can_keep(kgi_ad *a, uint32_t value);
bool kgi_ad_can_keep_in(kgi_ad *a, kgi_blk keeper, uint32_t value); /* for each trip of those that lie in the block */

/* alike.c: loops around the value in whose trips it is the same, a bit for each by how many are around it. */
uint64_t kgi_ad_alike(const kgi_ad *a, uint32_t value);
/* The loop, or the first around it, that is not among them; and the next one around that. `outer`: there is none further in. */
uint32_t kgi_ad_dimension(const kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer);
uint32_t kgi_ad_next_dimension(const kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer);

/* holds.c: when its reverse comes, memory still holds what the load gave. */
bool kgi_ad_still_holds(const kgi_ad *a, uint32_t load);
bool kgi_ad_stays(const kgi_ad *a, uint32_t store); /* likewise what the store has stored, if it reached its element */

/* parked.c: what the program itself keeps in memory. */
void kgi_ad_find_parked(kgi_ad *a);
static inline const kgi_ad_parked *kgi_ad_parked_at(const kgi_ad *a, uint32_t value) {
  return a->parked_of && a->parked_of[value] ? &a->parked[a->parked_of[value] - 1] : NULL;
}
/* Calls that with each value of which the reverse makes the element. */
void kgi_ad_each_known(kgi_ad *a, const kgi_ad_parked *parked, void (*visit)(kgi_ad *a, kgi_blk slice, uint32_t value), kgi_blk slice);

/* cut.c: what is kept: a minimum cut between what cannot be had and what the reverse uses. An edge leads from what is run again to its
 * user; contents of objects are nodes too. */
typedef struct kgi_ad_cut {
  uint32_t *from, *to; uint32_t edge_count, from_cap, to_cap;
  uint32_t *source; uint32_t source_count, source_cap;
  uint32_t *sink; uint32_t sink_count, sink_cap;
  bool once; /* no source is in a loop: something else takes the place of sources only where it is less */
} kgi_ad_cut;
uint32_t kgi_cut_contents(const kgi_ad *a, uint32_t object);
void kgi_cut_source(kgi_ad *a, uint32_t value);
void kgi_ad_note_use(kgi_ad *a, uint32_t node); /* by a->user */
void kgi_ad_choose(kgi_ad *a, const kgi_ad_cut *cut); /* the result in flags: KGI_AD_KEEP */

/* wants.c */
void kgi_ad_want_all(kgi_ad *a, kgi_blk block);
void kgi_ad_gather(kgi_ad *a, kgi_blk block);

/* needs.c */
void kgi_ad_needs(kgi_ad *a);
void kgi_ad_want(kgi_ad *a, uint32_t value); /* the reverse uses the value */
bool kgi_ad_in_slice(const kgi_ad *a, kgi_blk block, uint32_t inst);

/* spared.c: what the reverse of a strip need not compute again. Calls that each time when it has chosen some. */
void kgi_ad_spare(kgi_ad *a, void (*follow_again)(kgi_ad *a));
/* It is, for what stands in this block's slice. */
static inline bool kgi_ad_is_spared(const kgi_ad *a, kgi_blk slice, uint32_t value) {
  kgi_blk strip = a->spared ? a->spared[value] : 0;
  return strip && a->f.block[strip].start < a->f.block[slice].start;
}

/* atomics.c: atomics on elements that no other invocation touches meanwhile become plain statements. */
void kgi_ad_own_atomics(kgi_ad *a);

/* extremes.c: atomic minima and maxima; whether one on the gradient path is not settled before the dispatch ends. Atomic stores and
 * exchanges of what no input reaches: a reset. */
bool kgi_ad_is_extreme(const kgi_ad *a, uint32_t inst);
bool kgi_ad_is_idle_load(const kgi_ad *a, uint32_t inst); /* it looks at an element, and no adjoint comes from what it gives */
bool kgi_ad_is_reset(const kgi_ad *a, uint32_t inst);
void kgi_ad_await_extremes(kgi_ad *a); /* before facts are collected */
bool kgi_ad_waits_for_all(kgi_ad *a);
void kgi_ad_check_atomics(kgi_ad *a);

/* phases.c: whether each extreme of the object on the path has its element to itself until the end of its phase, and there is a load
 * behind it: the reverse may go by these, which `phased` says. */
bool kgi_ad_is_phased(const kgi_ad *a, uint32_t object);
/* That load of an extreme; 0: the reverse finds in memory what the element holds in the end. */
uint32_t kgi_ad_end_load(const kgi_ad *a, uint32_t inst);
/* What the reverse of an extreme compares, and uses for nothing else: such a load, or what an extreme saw. It has no derivative, nor has
 * what keeps it, or else a derivative of the gradient would ask for one. */
bool kgi_ad_is_compared(const kgi_ad *a, uint32_t value);
/* The elements of two accesses to an object are never one. */
bool kgi_ad_are_apart(const kgi_ad *a, uint32_t x, uint32_t y);

/* tickets.c: refuses where invocations take what others have left, because a counter says that they have. */
void kgi_ad_check_tickets(kgi_ad *a);

/* lanes.c: which loops are reversed in step, and which lanes are one for all; whether the adjoint of a subgroup operation uses its
 * operand `k`. */
void kgi_ad_plan_lanes(kgi_ad *a);
bool kgi_ad_lanes_use(const kgi_ad *a, uint32_t inst, unsigned k);

/* tiles.c: the loop's body that fills shared memory anew in each trip, before it loads from it; 0: none. */
kgi_blk kgi_ad_tile_block(kgi_ad *a, uint32_t object);
bool kgi_ad_one_each(kgi_ad *a, uint32_t object); /* see kgi_ad_object */

/* share.c */
void kgi_ad_shares(kgi_ad *a);
struct kgi_distinct;
/* front.c: whether the first contributions to a buffer, those of one load, of its block's or of all, reach every element exactly once, and the
 * object has been told which. */
bool kgi_ad_find_whole(kgi_ad *a, const struct kgi_distinct *d, uint32_t object);
/* Whether the first contributions to a buffer reach what lies up to some number exactly once, and the object has been told how. Unless
 * `plain`, when no two invocations meet anyway, all loads are held to that, and are then plain. */
bool kgi_ad_find_front(kgi_ad *a, const struct kgi_distinct *d, uint32_t object, bool plain);
/* homeless.c: of a clean program, before facts are collected. */
kg_status kgi_ad_bring_homes_out(kg_module *work, kgi_program *p, kgi_arena *scratch);
/* homes.c: of one that is added to; or vacant.c: a home that nobody loads. */
void kgi_ad_find_homes(kgi_ad *a, const struct kgi_distinct *d, uint32_t object);
/* Whether what the load contributes is stored, not added: where its object is KGI_AD_SOLE. */
bool kgi_ad_is_stored(const kgi_ad *a, uint32_t load);

/* trees.c */
void kgi_ad_find_trees(kgi_ad *a);

/* lists.c: once shares are known, a place in a list for each contribution that is listed. Refuses where nothing bounds the trips. */
void kgi_ad_make_lists(kgi_ad *a);
/* replan.c: makes a->distinct, unless it is there; false: no memory. */
bool kgi_ad_compare(kgi_ad *a);
/* Lanes, atomics and needs, once it is known what is active; the same from activity on; and another plan of the same run in
 * place of `a`. */
void kgi_ad_decide(kgi_ad *a);
void kgi_ad_decide_again(kgi_ad *a);
void kgi_ad_replace(kgi_ad *a, const kgi_ad *with);
/* strips.c: of a plan that is made, another one that keeps less, if there is one. `where`: the program's entry in the working module. */
void kgi_ad_try_strips(kgi_ad *a, kgi_program **where);
/* copies.c: likewise, with shared memory copied where a trip begins. */
void kgi_ad_try_copies(kgi_ad *a, kgi_program **where);
/* An access to shared memory, each of whose elements is one invocation's: the invocation's own. */
bool kgi_ad_is_own_element(const kgi_ad *a, uint32_t access);
int64_t kgi_ad_cost(kgi_ad *a); /* words in all that is kept, of one invocation */
/* Another one whose tapes take less, to keep to a limit: with strips where there were none, or with longer ones. Each call tries once;
 * false: there is nothing left to try. */
bool kgi_ad_stretch_strips(kgi_ad *a, kgi_program **where);

/* partials.c: what the operands of the pullback refer to, as bits 0..3 for a..d and KGI_AD_RESULT for y. */
enum { KGI_AD_RESULT = 4 };
unsigned kgi_ad_names_in(const char *partial);
unsigned kgi_ad_partial_mask(const kgi_ad *a, uint32_t inst, const char *partial);
/* Where the text of a row is emitted, and what stands there for a value of the working program. */
typedef struct kgi_ad_rule { const kgi_ad *a; kgi_builder *b; kgi_val (*value)(void *user, uint32_t value); void *user; } kgi_ad_rule;
/* The text, of operand k of the instruction, with g for the adjoint or tangent that it scales; of the type that the operand's has. */
kgi_val kgi_ad_by_rule(const kgi_ad_rule *r, uint32_t inst, unsigned k, const char *text, kgi_val g);
/* g times the partial: the strong product, for where g is 0 (a branch that was not taken) the partial may be infinite, but where that
 * cannot be. */
kgi_val kgi_ad_scaled(kgi_builder *b, kgi_val g, kgi_val partial);

/* trips.c: how many trips a loop has at most: found when first asked, then read by kgi_ad_loop_at. Never NULL; on failure of memory an
 * entry of zeros. */
const kgi_ad_loop *kgi_ad_loop_find(kgi_ad *a, uint32_t loop);
static inline const kgi_ad_loop *kgi_ad_loop_at(const kgi_ad *a, uint32_t loop) { return &a->loop[a->loop_of[loop] - 1]; }
/* How often the value is computed while the block runs once, where that is a literal and small; 0: it is not. */
uint32_t kgi_ad_kept_trips(kgi_ad *a, kgi_blk block, uint32_t value);
/* A length of the program, as one of the working module; the invocations of the run, surplus included. {0}: it cannot be told. */
kgi_dim kgi_ad_lifted(kgi_ad *a, kgi_dim dim);
bool kgi_ad_names_constant(const kgi_scope *s, kgi_dim dim); /* which a host may specialize; the module's lengths have its default */
kgi_dim kgi_ad_lanes(kgi_ad *a);
/* Likewise: what the run passes for a param, how long a buffer is, its workgroups along an axis, its invocations, surplus included. */
kgi_dim kgi_ad_param_of_run(kgi_ad *a, uint32_t param);
kgi_dim kgi_ad_length_of_run(kgi_ad *a, uint32_t object);
kgi_dim kgi_ad_workgroups_along(kgi_ad *a, unsigned axis);
kgi_dim kgi_ad_invocations_along(kgi_ad *a, unsigned axis);
/* Lengths of the working module; {0} where an operand is. */
kgi_dim kgi_ad_number(kgi_ad *a, int64_t value);
kgi_dim kgi_ad_length(kgi_ad *a, kgi_dim_op op, kgi_dim x, kgi_dim y);
/* What the value is at most, or at least, unless integers wrap; {0}: not known. `depth`: steps that were taken to it. trips_float.c: of a float. */
kgi_dim kgi_ad_bound_at(kgi_ad *a, uint32_t value, bool upper, unsigned depth);
kgi_dim kgi_ad_bound_in_min(kgi_ad *a, uint32_t value, unsigned depth); /* at most, also where integers wrap: as an operand of `min` */
kgi_dim kgi_ad_bound_of_float(kgi_ad *a, uint32_t value, bool upper, unsigned depth);
kgi_dim kgi_ad_bound_of_bits(kgi_ad *a, uint32_t value, bool upper, unsigned depth); /* trips_bits.c */

/* limit.c: a length of a module at the params' defaults. False: they do not decide it. */
bool kgi_ad_by_default(const kg_module *m, kgi_arena *scratch, kgi_dim dim, int64_t *value);
/* What the elements of a tape for each of its values are the product of: how many factors. Bytes at the params' defaults; UINT64_MAX: they
 * do not decide it. */
enum { KGI_AD_FACTORS = KGI_MAX_DEPTH + 5 };
unsigned kgi_ad_tape_factors(const kgi_ad *a, uint32_t tape, kgi_dim factor[KGI_AD_FACTORS]);
uint64_t kgi_ad_tape_bytes(kgi_ad *a, uint32_t tape);

static inline uint32_t kgi_ad_loop_around(const kgi_ad *a, uint32_t loop) { return kgi_loop_around(&a->f, loop); }
#endif
