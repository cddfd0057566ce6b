/* What emission works on. Files: emit.c (modules and kernels), flow.c (statements), value.c (names of values, operations), memory.c
 * (loads, stores, atomics), tiles.c, subgroup.c, dim.c (lengths as expressions), host.c (what a host calls, of the arguments that
 * arguments.c lists). */
#ifndef KGI_C_EMIT_H
#define KGI_C_EMIT_H
#include "c/c.h"
#include "c/ops.h"
#include "c/plan.h"
#include "foundation/analysis/contraction.h"
#include "foundation/lower/lower.h"

enum { KGI_C_WANTED = 1, KGI_C_WRITTEN };

/* A loop under way, at the chunk's level. */
typedef struct kgi_c_loop {
  struct kgi_c_loop *outer;
  uint32_t inst;
  uint32_t mask; /* that of a whole trip: who jumps under it jumps for all */
  uint32_t jumps; /* e->exits when it began */
  bool exits;    /* some lanes may leave or continue before others: a<inst> are those that still loop, x<inst> those still in this trip */
  bool rows;     /* these have a vector for each chunk */
  bool abreast;  /* as plan.h says; k<inst> is where a chunk is, of which ... */
  bool full;     /* ... all lanes have this trip */
} kgi_c_loop;

typedef struct kgi_c_emit {
  kgi_arena *arena;
  const kg_module *m; /* the one under way, ... */
  uint32_t before;    /* ... and how many programs those before it have */
  uint32_t touches;   /* accesses to memory, in all */
  kgi_diags *diags;
  kg_status status;
  uint32_t lanes;    /* no more than so many are computed together */
  kg_math math;
  bool hosted;       /* with a function that a host calls: kernels are the file's own then */
  kgi_c_text body;   /* of the file, but for the runtime's part */
  kgi_c_text made;   /* functions of this file that kernels call: accesses, atomics, folds by type */
  kgi_c_text functions; /* of floats, and ... */
  uint8_t function[KGI_OP_COUNT]; /* ... which are needed: KGI_C_WANTED, KGI_C_WRITTEN */
  kgi_lowering lowering;
  bool lowered;      /* a function is under way, in which nothing needs to be guarded */
  uint32_t accesses; /* which types of memory have their functions, a bit for each */
  uint32_t views, parts, tiles; /* likewise through strides, of shared memory, of many trips at once */
  uint32_t owns, moves, adds; /* likewise of vars, for moves between lanes, for sums */
  bool atomics[KGI_ATOMIC_COUNT * 64], folds[KGI_OP_COUNT * 64]; /* likewise, by operation and type */
  /* of the program under way */
  const kgi_program *p;
  uint32_t program;
  kgi_c_plan plan;
  kgi_contraction contraction; /* of exact arithmetic: none */
  const char **name;   /* by instruction */
  const char **base;   /* of values that count up from lane to lane by one: the scalar that the first lane has; NULL: of no such */
  const char **same;   /* of values that all lanes of a chunk have alike, if the condition holds: the scalar that it is; NULL: of no such */
  const char **flat;   /* of values with a `base` that are places in rows: the arguments of kg_some_flat; NULL: of no such */
  const char **sure;   /* beside `base` and `same`: a condition under which that is so; NULL: always */
  const char *assumed; /* what holds of `sure` in the block under way */
  struct { const char *condition, *name; } row; /* the last condition of a division, in the block under way */
  bool *written;       /* by instruction */
  uint32_t *tiled;     /* by instruction: the loop of which it loads many trips at once, or 0 */
  bool *again;         /* by instruction: the segment under way has computed it again */
  bool *added;         /* by object: it is only added to */
  uint32_t *var_mask;  /* by object: the mask under which it was declared */
  uint32_t buffers;    /* the program's objects 1 .. buffers */
  uint32_t *length;    /* by object: of shared memory and vars */
  uint32_t workgroup[3], invocations;
  uint32_t segment;    /* the one under way, 0: between them */
  uint32_t mask, masks; /* m<mask>, f<mask> is whether it has all lanes; how many there were */
  uint32_t first_mask; /* that of the whole chunk */
  uint32_t exits, returns; /* how many jumps took only some of the lanes */
  uint32_t copies;     /* of blocks around, for when all lanes run */
  uint32_t arms;       /* of branches around, which some lanes may have passed by */
  uint32_t labels;     /* how many loops over chunks there were */
  bool leaves_chunk, leaves_group;
  unsigned depth;      /* of indentation */
  kgi_c_loop *loop;
} kgi_c_emit;

/* A line of the body. */
__attribute__((format(printf, 2, 3))) void kgi_c_line(kgi_c_emit *e, const char *format, ...);
/* Text of the arena. */
__attribute__((format(printf, 2, 3))) const char *kgi_c_format(kgi_c_emit *e, const char *format, ...);
void kgi_c_refuse(kgi_c_emit *e, kg_status status);
/* Makes room for what is written of a program. False: no memory. */
bool kgi_c_begin(kgi_c_emit *e, const kgi_program *program);

bool kgi_c_holds(const kgi_program *p, kgi_blk block, kgi_kind kind); /* an instruction of that kind, at any depth */

/* parts.c: a copy of the module, where one is needed, in which branches around barriers are taken by all of a workgroup or by none;
 * NULL: it is fine as it is. */
kg_status kgi_c_take_part(const kg_allocator *alloc, const kg_module *m, kgi_diags *diags, kg_module **own);

/* value.c */
void kgi_c_ids(kgi_c_emit *e, uint32_t ids); /* declares the ids of a segment */
/* The expression that stands for a value: a name, or a number. `lanes`: as a vector, which a scalar becomes. */
const char *kgi_c_value(kgi_c_emit *e, uint32_t inst, bool lanes);
/* Of a value that counts up by one from lane to lane: what the first lane has, if `*sure` holds (NULL: it does). NULL: of any other. */
const char *kgi_c_base(kgi_c_emit *e, uint32_t inst, const char **sure);
/* Of a value that the lanes of a chunk have alike: that one, if `*sure` holds. NULL: of any other. */
const char *kgi_c_same(kgi_c_emit *e, uint32_t inst, const char **sure);
/* Both conditions; NULL: none. */
const char *kgi_c_both(kgi_c_emit *e, const char *a, const char *b);
void kgi_c_define(kgi_c_emit *e, uint32_t inst, const char *expression);
void kgi_c_operation(kgi_c_emit *e, uint32_t inst);
/* Computes again what the segment under way needs of others. */
void kgi_c_begin_again(kgi_c_emit *e);
void kgi_c_end_again(kgi_c_emit *e);
/* "f32" for a computing type, as functions of the runtime are named: i32 and u32 are one, and f16 is f32. */
const char *kgi_c_carrier(unsigned type);
unsigned kgi_c_carrier_index(unsigned type);
static inline bool kgi_c_is_scalar(const kgi_c_emit *e, uint32_t inst) { return e->plan.scalar[inst]; }

/* memory.c */
void kgi_c_object(kgi_c_emit *e, uint32_t object); /* declares shared memory, or a var */
void kgi_c_declare(kgi_c_emit *e, uint32_t object); /* a var, where it is declared */
void kgi_c_load(kgi_c_emit *e, uint32_t inst);
void kgi_c_store(kgi_c_emit *e, uint32_t inst);
void kgi_c_atomic(kgi_c_emit *e, uint32_t inst);
/* What is bound to a buffer, as a local of the kernel. */
void kgi_c_buffer(kgi_c_emit *e, uint32_t object);

/* tiles.c */
void kgi_c_begin_tiles(kgi_c_emit *e, uint32_t loop);
/* What such a load gives, where else it is `gather`. */
const char *kgi_c_tile(kgi_c_emit *e, uint32_t inst, const char *gather);
/* For an access to memory at `where`, of which the first lane's is known. */
void kgi_c_ask_ahead(kgi_c_emit *e, const kgi_inst *access, const char *where, const char *first);

/* subgroup.c */
/* The name of a function of the file that folds what the lanes of a mask have. */
const char *kgi_c_fold(kgi_c_emit *e, kgi_subgroup op, unsigned type);
void kgi_c_subgroup(kgi_c_emit *e, uint32_t inst);

/* function.c */
void kgi_c_functions(kgi_c_emit *e); /* writes those that are needed */

/* flow.c */
void kgi_c_body(kgi_c_emit *e);
void kgi_c_block(kgi_c_emit *e, kgi_blk block);

/* dim.c: an expression of int64_t over params and lengths of the kernel. */
const char *kgi_c_dim(kgi_c_emit *e, kgi_dim dim);
/* The same for a host: what params and lengths are called there, indices of repeats being kg_k<item>. Operations are functions that end
 * the call kg_h where they have no result. */
typedef struct kgi_c_dims {
  const kgi_scope *scope;
  bool host;
  const void *names;
  const char *(*length)(kgi_c_emit *e, const void *names, uint32_t object);
  const char *(*param)(kgi_c_emit *e, const void *names, uint32_t param);
} kgi_c_dims;
const char *kgi_c_dim_of(kgi_c_emit *e, const kgi_c_dims *dims, kgi_dim dim);

/* host.c: the function that a host calls, behind the kernels. */
void kgi_c_host(kgi_c_emit *e, const kg_allocator *alloc);
#endif
