/* autodiff/plan: what differentiation finds out and decides before anything is emitted. Nothing here knows how it is emitted. */
/* What the later steps ask of the working program again and again. Collected in one walk (facts.c), and constant from then on. */
#ifndef KGI_AD_FACTS_H
#define KGI_AD_FACTS_H
#include "foundation/ir/builder.h"
#include "foundation/ir/views.h"

/* A block of the working program. */
typedef struct kgi_ad_block_fact {
  uint32_t start, end; /* positions of all that it holds lie between these */
  kgi_blk in;          /* where its adjoints are: itself, or the block around a checkpoint, whose reverse stands in that one's */
  uint32_t loop;       /* innermost `for` or `while` around its contents; 0: none */
  uint32_t checkpoint; /* likewise: what is computed in there is not kept, but run again */
  bool has_barrier;
} kgi_ad_block_fact;

/* An object of the working program. */
typedef struct kgi_ad_object_fact {
  kgi_blk block;        /* where it is declared */
  uint32_t decl;        /* its declaration, for a var */
  uint32_t length;      /* the leaf that asks for its length; 0: none */
  uint32_t first, last; /* accesses, linked by access_next, in order of position */
  uint32_t last_write;  /* position of the last store or atomic, to any view that may overlap it */
  uint32_t writes, reads;
  bool atomics;         /* some of its accesses are */
  uint32_t copy_of;     /* a checkpoint's own copy (checkpoints.c) of this var; 0: it is none */
  bool copied;          /* it is one, or there is one of it */
} kgi_ad_object_fact;

/* A checkpoint's own var, and an access, where it is copied, to that in whose place it is. */
typedef struct kgi_ad_copy { uint32_t own, access; } kgi_ad_copy;

/* A loop whose trips are counted as it runs (counters.c). */
typedef struct kgi_ad_counted {
  uint32_t loop;
  uint32_t trip;  /* a value of its body: which trip it is */
  uint32_t count; /* a value behind it: how many there were */
  uint32_t few;   /* at the most (trips_few.c); 0: that is not known */
} kgi_ad_counted;

/* What the last of a loop's trips that overwrites a var settles (settled.c). */
typedef struct kgi_ad_settled {
  uint32_t at;     /* an `if`, or a maximum or minimum */
  uint32_t loop;
  uint32_t last;   /* a value behind the loop: the number of that trip, from 1; 0: there was none */
  uint32_t before; /* of a maximum or minimum: the load of what was there before. 0: an `if` */
  uint32_t end;    /* ... and a value behind the loop: what is there then */
} kgi_ad_settled;

/* The element of a buffer that is an invocation's own though it does not load it: indices, one for each that loads of the buffer are written
 * with, made of ids and what is the same for all, and in no block (vacant.c). */
typedef struct kgi_ad_vacant {
  uint32_t index[KGI_MAX_RANK];
  unsigned count;  /* 0: there is none */
  uint8_t front;   /* as kgi_ad_object's */
  uint32_t inside; /* the condition under which it is an element; 0: that its indices are in bounds */
} kgi_ad_vacant;

/* An atomic minimum or maximum in shared memory, and what its element holds where its phase ends (phases.c). */
typedef struct kgi_ad_phase {
  uint32_t extreme;
  uint32_t from, to; /* the barriers around the phase; `from` 0: it begins with the program */
  uint32_t again;    /* where it ends in a loop's body, and from the second trip on begins behind this barrier; 0: elsewhere */
  bool known;        /* its index is known behind `to`; else it is one for all that the invocation does in the phase */
  uint32_t load;     /* behind it: what the element holds; 0: none */
  uint32_t came, at, end, inside; /* of such a load, where not all come to the extreme: vars, and the load of the element (phase_ends.c) */
} kgi_ad_phase;

typedef struct kgi_ad_facts {
  kg_module *work; /* the private copy */
  kgi_program *p;  /* the working program in it */
  /* by instruction */
  uint32_t *pos;
  uint32_t *barriers;             /* how many stand before it */
  uint32_t *use_first, *use_next; /* uses of a value: 4 * user + operand + 1, linked */
  uint32_t *access_next, *access_prev;
  uint8_t *whole;                 /* kgi_whole */
  kgi_ad_block_fact *block;
  kgi_ad_object_fact *object;
  uint32_t *param_value; /* by param: its leaf, 0: unused */
  kgi_blocks blocks;     /* which objects may overlap: views of one binding */
  uint32_t orders;       /* how many barriers there are, of memory too */
  bool fences;           /* there are some of memory */
  bool *waits;           /* by block: there is a barrier in it */
  uint32_t made_from;    /* objects from here on were made by lowering: their names are suggestions */
  kgi_ad_counted *counted; uint32_t counted_count;
  uint32_t *counted_at;  /* of a loop, of its trip and of its count: 1 + index in `counted` */
  kgi_ad_copy *copy; uint32_t copy_count, copy_cap;
  kgi_ad_settled *settled; uint32_t settled_count;
  uint32_t *settled_at;  /* of an `if`, a maximum or a minimum: 1 + index in `settled` */
  kgi_ad_phase *phase; uint32_t phase_count;
  kgi_ad_vacant *vacant; /* by buffer (vacant.c) */
} kgi_ad_facts;

/* counters.c: `f` knows the program and no more. */
kg_status kgi_ad_count_loops(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena);
/* trips_few.c: how many trips a `while` has at the most, where a number in it halves or doubles; 0: that is not known. `ranges`: of values
 * below `known`. */
struct kgi_ranges;
uint32_t kgi_ad_few_trips(const kgi_program *p, uint32_t loop, const struct kgi_ranges *ranges, uint32_t known, kgi_arena *arena);
/* chosen.c: likewise, before settled.c. */
kg_status kgi_ad_branch_choices(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena);
/* settled.c: likewise. The number of the trip of a loop that has this index and begins at `from`. */
kg_status kgi_ad_find_settled(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena);
kgi_val kgi_ad_trip_number(kgi_builder *b, kgi_val index, kgi_val from);
/* phases.c: likewise. Which there are, without loads; false: no memory. */
bool kgi_ad_note_phases(kgi_ad_facts *f, kgi_arena *arena);
bool kgi_ad_has_barrier(const kgi_program *p, uint32_t inst); /* inside of it */
/* The statement of the block that it is, or is in. */
uint32_t kgi_ad_statement_of(const kgi_program *p, uint32_t inst, kgi_blk block);
/* phase_ends.c: the same with loads. */
kg_status kgi_ad_load_ends(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena);
/* vacant.c: once the program is as it is going to be. */
kg_status kgi_ad_find_vacant(kgi_ad_facts *f, kgi_arena *arena);
/* checkpoints.c: once facts are known; they are collected again where that changed the program. */
kg_status kgi_ad_close_checkpoints(kgi_ad_facts *f, kgi_arena *arena);
/* False: no memory. */
bool kgi_ad_collect_facts(kgi_ad_facts *f, kgi_arena *arena);

/* {0}: it is not counted. */
static inline kgi_ad_counted kgi_counted(const kgi_ad_facts *f, uint32_t loop) {
  return f->counted_at[loop] ? f->counted[f->counted_at[loop] - 1] : (kgi_ad_counted){0};
}
/* NULL: it has to be known for each trip. */
static inline const kgi_ad_settled *kgi_settled(const kgi_ad_facts *f, uint32_t inst) {
  return f->settled_at[inst] ? &f->settled[f->settled_at[inst] - 1] : NULL;
}
/* The loop of which the value is the trip; 0: it is none. */
static inline uint32_t kgi_trip_of(const kgi_ad_facts *f, uint32_t value) {
  return f->counted_at[value] && f->counted[f->counted_at[value] - 1].trip == value ? f->counted[f->counted_at[value] - 1].loop : 0;
}
static inline bool kgi_is_count(const kgi_ad_facts *f, uint32_t value) {
  return f->counted_at[value] && f->counted[f->counted_at[value] - 1].count == value;
}
/* The outermost loop around `inst` that lies inside `block`; 0: none. */
uint32_t kgi_outermost_loop(const kgi_ad_facts *f, kgi_blk block, uint32_t inst);
static inline uint32_t kgi_loop_around(const kgi_ad_facts *f, uint32_t loop) { return f->block[f->p->inst[loop].block].loop; }
/* The instruction lies in the block, or in one inside of it. */
static inline bool kgi_is_within(const kgi_ad_facts *f, kgi_blk block, uint32_t inst) {
  return f->block[block].start < f->pos[inst] && f->pos[inst] < f->block[block].end;
}
#endif
