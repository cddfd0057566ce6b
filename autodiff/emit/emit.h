/* autodiff/emit: the adjoint of one program, from what the plan says. Nothing is decided here. */
/* In this order:
 *
 *   program    the declarations, and the passes over what was emitted                        (program.c)
 *   forward    the forward sweep, and the slices of it that are run again                    (forward.c, kept.c)
 *   reverse    the adjoint of each statement, last to first                                  (reverse.c, partial.c, sums.c) */
#ifndef KGI_AD_EMIT_H
#define KGI_AD_EMIT_H
#include "autodiff/plan/ad.h"
#include "modules/modules.h"

/* What became of an object of the working program. */
typedef struct kgi_emitted_object {
  kgi_obj out, shadow;
  bool touched; /* something was added to the shadow, since it was declared */
  bool reversed_known;
  uint32_t first_reversed; /* once known: the first access that the reverse sweep has something to do for */
  uint32_t home[KGI_AD_HOMES]; /* the additions of its homes */
  bool home_again;             /* one of them was made more than once */
  bool gathered;               /* lanes add up for one another what goes to it (gather.c) */
  bool collected;              /* each element is one invocation's, which collects what goes to it (collect.c), or alone has it (alone.c) */
  bool added;                  /* then: to what is there */
  /* the shadow's element that was just moved out and is about to be zeroed, so that an addition to it becomes a store */
  uint32_t pending_index, pending_value, pending_store, pending_epoch;
} kgi_emitted_object;

typedef enum kgi_emission_mode {
  KGI_EMIT_FUSED,   /* the primal's effects, and then its adjoint */
  KGI_EMIT_ADJOINT, /* the adjoint alone, after the module has run */
  KGI_EMIT_FORWARD, /* the primal, which leaves on tapes what its adjoint needs */
} kgi_emission_mode;

/* The emission of one program. The plan is only read; one plan may be emitted several times, an instruction too. */
typedef struct kgi_emission {
  const kgi_ad *a;
  const kgi_ad_facts *f;   /* the plan's */
  const kgi_program *p; /* the working program */
  kgi_builder *b;
  kgi_arena *scratch;
  kg_status status;
  const char *name;     /* of the program that results */
  kgi_emission_mode mode;
  /* by instruction of the working program */
  uint32_t *map;        /* the value in the emitted program */
  uint32_t *adj;        /* its adjoint so far, a value of the emitted program */
  bool *touched;        /* something was added to the var of its adjoint */
  kgi_obj *adj_var;
  kgi_obj *slot_var;    /* by slot */
  kgi_obj *tape;        /* by tape */
  struct { uint32_t lanes, rounds, round, *trips; } tape_param; /* trips: by loop of the plan */
  kgi_emitted_object *object; /* by object */
  kgi_obj *param_shadow;      /* by param */
  uint32_t *shadow_binding;   /* by object that is a view: of its shadow, where that is a view too */
  kgi_obj *sum_var; bool *sum_touched; /* by sum */
  kgi_obj most;               /* of shared memory: the most trips that one of the workgroup makes */
  uint32_t gathered;          /* the barrier behind which spread shadows were gathered last */
  uint32_t *dim_map;
  uint32_t *turned, turned_count, turned_cap; /* loops of the emitted program that run the other way round */
  uint32_t epoch;
  kgi_names names;
} kgi_emission;

static inline void kgi_emission_fail(kgi_emission *e, kg_status status) {
  if (e->status == KG_OK) e->status = status;
}

/* program.c: the adjoint of one program, planned, as a new program of the builder's module. Memory is the plan's; what became of each
 * shadow can be read in `e` until kgi_ad_free. */
kg_status kgi_ad_build(kgi_emission *e, kgi_ad *a, kgi_emission_mode mode, kgi_builder *b, const char *name);

/* sums.c: how many invocations a workgroup has. */
kgi_val kgi_ad_workgroup_invocations(kgi_emission *e);

/* forward.c */
void kgi_ad_copy_inst(kgi_emission *e, uint32_t inst);       /* one that owns no blocks */
void kgi_ad_copy_whole(kgi_emission *e, uint32_t inst);      /* with its blocks */
void kgi_ad_emit_slice(kgi_emission *e, kgi_blk block);      /* of a closed block, with what was saved for it */
kgi_val kgi_ad_leaf(kgi_emission *e, uint32_t value);        /* what stands for the value; leaves are made on demand */

/* kept.c: values in slots. */
void kgi_ad_declare_slots(kgi_emission *e, kgi_blk block);
void kgi_ad_declare_tape_params(kgi_emission *e);
void kgi_ad_declare_tapes(kgi_emission *e);
void kgi_ad_assert_lanes(kgi_emission *e);
/* To the shadow's element `at`. */
void kgi_ad_list_contribution(kgi_emission *e, kgi_ad_entry entry, kgi_obj shadow, kgi_val at, kgi_val g);
void kgi_ad_keep(kgi_emission *e, uint32_t value);
kgi_val kgi_ad_kept(kgi_emission *e, uint32_t value);

/* reverse.c */
void kgi_ad_sweep(kgi_emission *e);

/* partial.c: what an operand's adjoint gets from `g`, the result's; of the type of the operand's adjoint. */
kgi_val kgi_ad_pullback(kgi_emission *e, uint32_t inst, unsigned k, kgi_val g);

/* lanes.c: what the operand's adjoint gets from `g`, that of a subgroup operation's result. */
kgi_val kgi_ad_pullback_lanes(kgi_emission *e, uint32_t inst, kgi_val g);
/* A loop whose lanes, of a subgroup or of the workgroup, are to be at one trip together: as many trips as the lane with the most makes, the
 * other way round, and each lane takes part in its own. Gives the number of the trip, with the cursor where the body begins. */
kgi_val kgi_ad_begin_in_step(kgi_emission *e, kgi_val trips, bool by_workgroup);
void kgi_ad_end_in_step(kgi_emission *e);
kgi_val kgi_ad_trip_count(kgi_emission *e, const kgi_val bound[3]); /* of a `for` */

/* sums.c */
void kgi_ad_declare_sums(kgi_emission *e);
void kgi_ad_flush_sums(kgi_emission *e);

/* spread.c: adds to the invocation's own copy of the shadow; empties it before anything is added; adds up all copies of the workgroup, where
 * a barrier was and one follows. */
void kgi_ad_spread_contribution(kgi_emission *e, uint32_t object, kgi_val at, kgi_val g);
void kgi_ad_clear_spread(kgi_emission *e);
kgi_val kgi_ad_spread_load(kgi_emission *e, uint32_t object, kgi_val at); /* of the element, all that is there */
void kgi_ad_spread_empty(kgi_emission *e, uint32_t object, kgi_val at);   /* the own copy of it */
void kgi_ad_gather_spread(kgi_emission *e);

/* gather.c: loops in each trip of which all lanes of a workgroup add to one element; afterwards one lane adds up for all. */
kg_status kgi_ad_gather_sums(kgi_emission *e, kgi_program *q);

/* alone.c: what was gathered is added or stored plainly, where nobody else comes to the element. */
kg_status kgi_ad_settle_gathered(kgi_emission *e, kgi_program *q);

/* vacant.c: begins with 0 the elements that are an invocation's own though it does not load them, so that they are there to collect; takes that
 * back from a shadow for which nobody came to collect. */
void kgi_ad_fill_vacant(kgi_emission *e);
void kgi_ad_leave_vacant(kgi_emission *e, kgi_program *q, uint32_t object);

/* collect.c: what goes to neighbours is collected by whose elements they are, where the plan knows whose. */
kg_status kgi_ad_collect(kgi_emission *e, kgi_program *q);

/* names.c: `base`, or with the next free suffix. */
void kgi_ad_use_names(kgi_emission *e);
const char *kgi_ad_free_name(kgi_emission *e, const char *prefix, const char *base);
#endif
