/* fuzz/hunt: many programs, asked about in processes that may fall; what fails is made smaller, told apart, and handed to who saves it. */
/* Of each seed a program is made for each question: a property, and for those of devices a device. Workers ask, each in a process of its
 * own with a process for each device. A program that takes too long, or on which something falls, is a finding like one that fails. */
#ifndef KGI_FUZZ_HUNT_H
#define KGI_FUZZ_HUNT_H
#include "fuzz/ask/ask.h"
#include "fuzz/mutate/mutate.h"
#include "fuzz/hunt/child.h"

enum { KGI_MOST_ROWS = 40, KGI_MOST_DEVICES = 8, KGI_MOST_QUESTIONS = 120, KGI_MOST_JOBS = 64, KGI_BATCH = 32, KGI_MOST_REFUSALS = 60 };

/* What is asked, and how. `device`: an index into the hunt's, or -1. */
typedef struct kgi_question { const kgi_property_row *row; int device; } kgi_question;

typedef struct kgi_tally4 { uint64_t holds, refused, vacuous, fails; } kgi_tally4;
typedef struct kgi_refusal { char id[64]; uint64_t count; } kgi_refusal;

/* Seeds, and from which question and seed on they are to be asked about. */
typedef struct kgi_batch { uint64_t first; uint32_t count, question, index; } kgi_batch;

/* What was counted: plain numbers, so that a state of a hunt can be kept as it is. */
typedef struct kgi_counts {
  uint64_t programs, asked;
  kgi_tally4 of[KGI_MOST_QUESTIONS];
  uint64_t same[KGI_MOST_DEVICES][KGI_MOST_DEVICES], differ[KGI_MOST_DEVICES][KGI_MOST_DEVICES]; /* [lower][higher]: bits of two devices */
  kgi_fuzz_coverage coverage;
  kgi_refusal refusal[KGI_MOST_REFUSALS];
} kgi_counts;

/* What failed. Texts are of the hunt. */
typedef struct kgi_finding {
  unsigned number;      /* from 1 */
  char cause[400];      /* the property, the device, and how: the same for all of a kind */
  char property[32];    /* a row's name: the one that is asked of `made` */
  char device[40];      /* "": none */
  char what[1024];      /* of this one, numbers and all */
  char id[200];         /* of a diagnostic that belongs to it */
  uint64_t seed, count; /* the first; how many there were */
  char digest[40];      /* of what is left of the program, and ... */
  char shape[400];      /* ... its kinds of statements and operations, in order of their names */
  unsigned statements;  /* that are left */
  bool again;           /* it failed once more, by its program and data alone */
  char others[200];     /* devices that were asked the same: "cpu agrees with the reference" */
  char place[200];      /* where it was saved; "": nowhere */
} kgi_finding;

typedef struct kgi_hunt_params {
  const kgi_property_row *const *row; size_t rows;
  const char *const *device; size_t devices;
  const kgi_corpus *corpus; /* not NULL: programs are changes of these, instead of made */
  uint64_t seed, count;  /* the first, and how many; 0: no end */
  double seconds;        /* 0: no end */
  unsigned jobs;
  double limit;          /* seconds that a device may take for a program */
  uint32_t without, statements; /* features that programs are made without; their size, 0: any */
  uint32_t lacking;      /* features that those for devices are made without */
  kg_math math;
  const char *refusal;   /* the id of one that counts as a failure; NULL: none does */
  double reduce;         /* seconds that a finding may take to become small; 0: it stays as it is */
  unsigned most;         /* findings after which the hunt ends; 0: no end */
  const char *folder;    /* for what processes say, and compilers leave: emptied by the caller */
  const kg_sink *sink;
  void *user;
  /* In a process of its own: saves a finding with what it was found by, and puts where into finding->place. NULL: nothing is saved. */
  void (*save)(void *user, kgi_finding *finding, const kgi_case *whole, const kgi_case *small);
  void (*forget)(void *user, const kgi_finding *finding); /* it was saved, and is one that was known */
  void (*found)(void *user, const kgi_finding *finding);  /* a new one */
  void (*progress)(void *user);                           /* some times a second */
  bool (*stopped)(void *user);
} kgi_hunt_params;

/* A question may take what its device does, and as much again for the reference. */
static inline double kgi_most_seconds(const kgi_hunt_params *p) { return 4 * p->limit; }

/* Behind the last seed. */
static inline uint64_t kgi_hunt_end(const kgi_hunt_params *p) { return p->count ? p->seed + p->count : UINT64_MAX; }

typedef struct kgi_hunt {
  const kgi_hunt_params *params;
  kgi_question question[KGI_MOST_QUESTIONS]; size_t questions;
  kgi_counts counts, seen;                   /* seen: with what is under way, for who shows it */
  kgi_finding *finding; size_t findings, finding_cap;
  uint64_t next;                             /* the first seed that nobody has taken */
  kgi_batch pending[KGI_MOST_JOBS]; size_t pending_count; /* what was begun and not ended, which is the first to go on */
  double seconds;                            /* so far, with those of earlier runs */
} kgi_hunt;

/* Fills in the questions. A state that was kept (counts, findings, next, pending, seconds) may be put in afterwards. */
void kgi_hunt_begin(kgi_hunt *h, const kgi_hunt_params *params);
/* False: no memory, or no processes. */
bool kgi_hunt_run(kgi_hunt *h);
void kgi_hunt_free(kgi_hunt *h);
kgi_finding *kgi_hunt_add(kgi_hunt *h); /* a new one, all zeros but its number; NULL: no memory */
#endif
