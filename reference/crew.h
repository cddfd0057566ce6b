/* Workgroups on several threads. A dispatch is cut into blocks of consecutive workgroups, which threads take in order. What does
 * not commute is made to happen in order of blocks, so that no result depends on the number of threads:
 *   - reports are kept per block and added up in order, and what lies behind the block that ends the run does not count;
 *   - atomics are logged per block, and applied when all blocks before it are done; or, where somebody looks at the contents, the
 *     block waits until then and goes on alone (see kgi_order). So does one whose log is full. */
#ifndef KGI_CREW_H
#define KGI_CREW_H
#include "reference/watch.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct kgi_change { size_t element; uint64_t operand; uint32_t inst; } kgi_change;

/* Operands lie in change[]; their tangents, then magnitudes, in shadow[]: [change][2 * directions]. */
typedef struct kgi_log { kgi_change *change; double *shadow; uint32_t count, capacity; } kgi_log;

/* A block of workgroups, from when a thread takes it until it is merged. */
struct kgi_stint {
  kgi_crew *crew;
  uint64_t block;
  kgi_log log;
  kg_reference_report report;
  uint64_t fault_lanes;
  uint32_t fault_inst, lost;
  bool in_turn; /* all before it are merged */
  bool ends;    /* the run, or was ended */
  bool done;
};

typedef struct kgi_worker {
  kgi_crew *crew;
  pthread_t thread;
  kgi_arena arena;
  kgi_machine **machine; /* of each program; NULL: not made yet */
  kgi_watcher watcher;
  uint64_t seen;         /* the last dispatch that it knows of */
  bool full;             /* there was no memory for a machine */
} kgi_worker;

/* Everything is allocated on the caller's thread. */
struct kgi_crew {
  const kg_reference_params *params;
  const kgi_arena *base; /* the caller's machines lie there; limits hold for all together */
  kgi_worker *worker;    /* those beside the caller */
  uint32_t workers, wanted;
  uint64_t worth;
  kgi_stint *stint;        /* a ring */
  uint32_t stints;
  kgi_arena arena;       /* what the threads share */
  bool broken;           /* there are no threads to be had, or no memory for them */

  pthread_mutex_t lock;
  pthread_cond_t work, turn, idle; /* a dispatch begins; a block was merged; a worker has no more to do */
  uint32_t waiting, running;
  bool merging, quit;

  /* the dispatch */
  const kgi_run *run;
  const kgi_memory *buffers;
  kgi_machine *own;      /* the caller's */
  kg_reference_report *report;
  uint64_t start;        /* what `report` had counted before it */
  uint64_t call;         /* and what it counts when the others may be called */
  uint64_t serial, next, merged, blocks;
  uint64_t fault_lanes;  /* of the first fault in `report` */
  uint32_t fault_inst, lost; /* and the first instruction whose result has no derivative */
  bool open;             /* to the others: `own` has called */
  bool ended;            /* by the block that was merged last */
  _Atomic uint64_t end;  /* blocks behind it are needless */
};

size_t kgi_memory_limit(const kg_reference_params *params);

/* `threads`: in all, the caller's included. `worth`: the lane-instructions for which it pays to call one. Nothing is allocated
 * yet. */
void kgi_crew_init(kgi_crew *crew, const kg_reference_params *params, uint32_t threads, uint64_t worth, const kgi_arena *base);
void kgi_crew_free(kgi_crew *crew);

/* The bytes that it has allocated. */
size_t kgi_crew_bytes(const kgi_crew *crew);

/* A dispatch, from its first block to its last. `own` works alone until it calls: when it has done so much, and so much seems to be
 * left, that threads pay. They are made then, with a machine for each. Sets own->stop if the run ends. */
void kgi_crew_dispatch(kgi_crew *crew, kgi_machine *own, const kgi_run *run, const kgi_memory *buffers);
void kgi_crew_call(kgi_machine *own);

/* block.c: the number of blocks depends on the run alone. A block is held against the step limit while it runs; all up to it only
 * when it has ended, because only then is it known what those before it did. */
uint64_t kgi_block_count(const kgi_run *run);
void kgi_block_walk(kgi_machine *m, uint64_t block);
void kgi_block_mark(kgi_machine *m); /* sets m->mark */
static inline bool kgi_block_passes(const kgi_machine *m, const kg_reference_report *sum) {
  return m->step_limit && sum->lane_instructions > m->step_limit;
}
/* The instruction at which it is reported. */
static inline uint32_t kgi_block_place(const kgi_machine *m) { return m->plan->program->block[KGI_BODY].first; }

/* Of the stint that a machine is at: whether the run ends before it; keeping an atomic's changes, false when the log is full;
 * waiting for its turn, with its log applied then, false when the run ended meanwhile. */
static inline bool kgi_stint_is_needless(const kgi_stint *stint) {
  return atomic_load_explicit(&stint->crew->end, memory_order_relaxed) < stint->block;
}
bool kgi_stint_log(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
bool kgi_stint_wait(kgi_machine *m);
#endif
