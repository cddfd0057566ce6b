/* Questions, asked in a process of its own. */
#ifndef KGI_FUZZ_ASKER_H
#define KGI_FUZZ_ASKER_H
#include "fuzz/hunt/hunt.h"

/* What a worker writes into memory that it shares with who started it, so that nothing is lost when it falls. */
typedef struct kgi_area {
  kgi_counts counts;
  uint64_t outputs[KGI_MOST_DEVICES][KGI_BATCH]; /* hashes of what devices left, by seed of the batch */
  volatile uint32_t question, index;             /* what is under way, or next: of the hunt's questions, and of the batch's seeds; ... */
  volatile double since;                         /* ... and since when; 0: nothing. Past the last question: the batch is done */
} kgi_area;

/* What came of a question: texts as kgi_ask has them. */
typedef struct kgi_said {
  kgi_answer answer;
  char how[200], id[200], what[1024];
} kgi_said;

typedef struct kgi_asker {
  kgi_child child;
  const kgi_hunt *hunt;   /* questions, devices, how programs are made */
  kgi_area *area;         /* NULL: nothing is counted */
  char said[2][300];      /* the files of its standard error, and of its devices' */
} kgi_asker;

/* `name`: of its files in the hunt's folder. It starts when it is first asked. */
void kgi_asker_make(kgi_asker *a, const kgi_hunt *hunt, const char *name, kgi_area *area);
void kgi_asker_free(kgi_asker *a);

/* About a case. KGI_FAILS also where the process fell or did not come back. */
kgi_answer kgi_asker_ask(kgi_asker *a, const kgi_property_row *row, int device, const kgi_case *c, kgi_said *said);
/* How one fails, so that others can be told to fail likewise, ... */
typedef struct kgi_likeness {
  kgi_asker *asker;
  const kgi_property_row *row; /* NULL: nothing is asked but what harm it does */
  int device;
  kgi_harm harm; /* others must do no more */
  kgi_said said;
} kgi_likeness;
/* ... false: it does not fail; and whether one does. The latter is of a kgi_reduce_params. */
bool kgi_likeness_of(kgi_likeness *l, const kgi_case *c);
bool kgi_fails_alike(void *likeness, const kgi_case *c);
/* What a question of the hunt is about, of one seed: `row` is the one to ask of the case. False: it is not known, since something fell. */
bool kgi_asker_capture(kgi_asker *a, uint32_t question, uint64_t seed, const kgi_property_row **row, kgi_case *c);

/* Many seeds: sent, and heard of later. */
bool kgi_asker_send(kgi_asker *a, const kgi_batch *batch);
/* KGI_DONE: *ended, or it stopped at a failure, which is where `batch` then is. KGI_FELL: there, too. */
kgi_child_outcome kgi_asker_receive(kgi_asker *a, kgi_batch *batch, bool *ended, kgi_said *said);
/* Ends one that takes too long: as kgi_asker_receive of one that fell. */
void kgi_asker_give_up(kgi_asker *a, kgi_batch *batch, kgi_said *said);
#endif
