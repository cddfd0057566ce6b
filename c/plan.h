/* What is decided about a program before it is written.
 *
 * KG_LANES invocations of a workgroup (a chunk) are computed together, as vectors. What all invocations of a workgroup have alike is a
 * scalar. Without barriers the chunks of a workgroup run one after the other, each from the beginning to the end. With barriers the
 * body is cut into segments: each is a loop over chunks, and scalars, loops and branches that hold barriers stand between them. What one
 * segment computes and another uses lies in a row: one vector for each chunk, if that one does not rather compute it again. Of a
 * program with barriers so are loops along rows of memory cut whose invocations begin side by side and step over each other: chunk
 * after chunk makes a trip, so that memory is gone through in order. */
#ifndef KGI_C_PLAN_H
#define KGI_C_PLAN_H
#include "foundation/ir/program.h"

typedef enum kgi_c_var { KGI_C_VAR_LOCAL, KGI_C_VAR_SCALAR, KGI_C_VAR_ROW } kgi_c_var;

/* A value of another segment that one computes again. */
typedef struct kgi_c_again { struct kgi_c_again *next; uint32_t inst; } kgi_c_again;

typedef struct kgi_c_plan {
  const kgi_program *p;
  bool split;         /* the program has barriers */
  bool returns;       /* some lanes may leave before others */
  bool *scalar;       /* by instruction: its value is a scalar */
  bool *row;          /* by instruction: its value lies in a row */
  kgi_c_again **again; /* by segment: those that it computes again, operands first */
  bool *cut;          /* by instruction: it is written between segments, with what it holds */
  bool *abreast;      /* by loop that is cut: chunk after chunk makes a trip, beginning with its numbers in the workgroup */
  bool *masked;       /* by loop that is cut: some lanes may make other trips than others; which ones do lies in rows */
  uint32_t *segment;  /* by instruction; 0: it stands between segments */
  uint32_t *ahead;    /* by instruction between segments: it may stand ahead of that segment, in the middle of which it is; 0: it ends one */
  uint32_t segments;
  uint32_t *ids;      /* by segment: which ids it uses, a bit for each: kgi_c_id_bit */
  const bool *written; /* by object: somebody in the program may write it */
  uint8_t *var;       /* by object: kgi_c_var */
  uint32_t *home;     /* by object: the segment that its accesses stand in, UINT32_MAX: several */
  uint32_t *uses;     /* by instruction: how often it is an operand */
  bool *ends;         /* by instruction: in its blocks somebody leaves a loop or the program */
} kgi_c_plan;

static inline uint32_t kgi_c_id_bit(unsigned id, unsigned component) {
  return (uint32_t)1 << (id < KGI_ID_local_index ? id * 3 + component : KGI_ID_local_index * 3 + (id - KGI_ID_local_index));
}

/* One in which nothing is decided. False: no memory. */
bool kgi_c_plan_empty(kgi_c_plan *plan, kgi_arena *arena, const kgi_program *p);
/* For workgroups of that size. False: no memory. */
bool kgi_c_plan_make(kgi_c_plan *plan, kgi_arena *arena, const kgi_program *p, const uint32_t workgroup[3]);
#endif
