/* Emission of a module, one program after the other. Files: emit.c (modules), interface.c (buffers, params, ids, constants),
 * body.c (statements), names.c (names and lines), spared.c (what derivatives alone take), memory.c and flat.c (loads, stores, atomics, bounds), op.c and beside it (value operations). */
#ifndef KGI_SPIRV_EMIT_H
#define KGI_SPIRV_EMIT_H
#include "foundation/analysis/contraction.h"
#include "foundation/base/limits.h"
#include "foundation/lower/lower.h"
#include "spirv/abi.h"
#include "spirv/words.h"

#include <kgrad/spirv.h>

enum { KGI_ID_COMPONENTS = 3 };

/* The loop that `break` and `continue` mean. */
typedef struct kgi_emit_loop { uint32_t merge, next; } kgi_emit_loop;

/* While a block is emitted under a guard: `value` is below `bound`, both as unsigned numbers. */
typedef struct kgi_emit_fact { uint32_t value, bound; } kgi_emit_fact;
enum { KGI_EMIT_FACTS = KGI_MOST_emit_facts, KGI_EMIT_HELD = 256 };

/* A flat_index: row * extent + i, and whether it is a place at all (0: always, as is proved). `whole`: someone besides accesses
 * uses its value. */
typedef struct kgi_emit_place { uint32_t index, inside; bool whole; } kgi_emit_place;

typedef struct kgi_emit {
  kgi_spv s;
  const kg_module *m;
  const kg_spirv_params *params;
  kgi_diags *diags;
  kg_status status; /* the first refusal */
  kgi_abi abi;
  /* of the module */
  uint32_t buffer_type[2][KGI_TYPE_COUNT]; /* the struct of a runtime array; of what is written, and of what is not */
  uint32_t id_variable[KGI_ID_COUNT];
  uint32_t file; /* an OpString; 0: no lines are stated */
  uint32_t function[KGI_OP_COUNT]; /* functions that lowerings have made, by operation; 0: not yet */
  uint32_t turned[KGI_OP_COUNT];   /* likewise, of those that bring an argument to the device's own */
  kgi_lowering lowering;
  bool *const *within_all; /* by program: `within` */
  bool own;           /* a function of kgrad's own is under way: all that it calls is kgrad's own too */
  /* of the program under way */
  const kgi_program *p;
  uint32_t program;
  const kgi_abi_program *a;
  uint32_t *value;    /* SPIR-V ids, by instruction */
  kgi_emit_place *place; /* of each flat_index */
  uint32_t *variable; /* by object */
  const bool *within; /* by instruction: the element that it accesses is there; NULL: nothing is known beforehand */
  bool *spared;       /* by instruction: only with_partial takes what it gives, for a derivative; NULL: none is */
  kgi_contraction contraction; /* of exact arithmetic: none */
  bool *swapped;      /* by object: it lies as unsigned numbers, because of atomics that are lowered, or in one word (flat.c) */
  bool *flat;         /* by object: its elements lie in words */
  uint32_t *placed;   /* variables of blocks that hold params with places */
  uint32_t *param, *hidden, *spec; /* values, by index; 0: not made yet */
  uint32_t id_value[KGI_ID_COUNT][KGI_ID_COMPONENTS];
  uint32_t workgroup[3]; /* constants */
  uint32_t block, status_variable, budget_variable;
  bool coherent; /* buffers that are read and written must be, because invocations wait for each other */
  uint32_t id_used;
  kgi_words locals, entry, body;
  kgi_emit_loop loop;
  kgi_emit_fact fact[KGI_EMIT_FACTS]; uint32_t fact_count;
  kgi_pos line; uint32_t line_label; /* what the last OpLine said, and in which block */
  uint32_t held[KGI_EMIT_HELD], held_count; /* operands of formulas under way (gen.h) */
} kgi_emit;

/* Records the first refusal. */
void kgi_emit_refuse(kgi_emit *e, kg_status status);
static inline bool kgi_emit_may(const kgi_emit *e, uint32_t features) { return (e->params->without & features) == 0; }
/* Refuses, naming `what` and the feature, where the target lacks it; returns whether it is there. */
bool kgi_emit_feature(kgi_emit *e, kg_feature feature, const char *what, kgi_pos pos);

/* emit.c: code for the entry block, which dominates everything: run between these two. */
kgi_words *kgi_emit_at_entry(kgi_emit *e);
void kgi_emit_back(kgi_emit *e, kgi_words *code);
/* A variable of one invocation. */
uint32_t kgi_emit_local(kgi_emit *e, uint32_t type);

/* interface.c */
void kgi_emit_interface(kgi_emit *e);   /* declares the program's buffers, block, status and constants */
void kgi_emit_entry_point(kgi_emit *e, uint32_t function);
uint32_t kgi_emit_length(kgi_emit *e, uint32_t object);    /* u32 */
uint32_t kgi_emit_extent(kgi_emit *e, uint32_t object, unsigned k); /* u32 */
uint32_t kgi_emit_limit(kgi_emit *e, kgi_dim dim);          /* u32, of a while */
uint32_t kgi_emit_leaf(kgi_emit *e, const kgi_inst *inst); /* literal, spec, param, id, len */
uint32_t kgi_emit_dim(kgi_emit *e, kgi_dim dim);           /* a u32 constant: sizes of shared memory and vars, workgroup sizes */
uint32_t kgi_emit_value(kgi_emit *e, uint32_t inst);       /* the id of an operand */
/* The failure of a site: counts it, and records the first. */
void kgi_emit_failure(kgi_emit *e, uint32_t site);

/* memory.c */
void kgi_emit_find_swapped(kgi_emit *e);
unsigned kgi_emit_memory_type(const kgi_emit *e, uint32_t object);
void kgi_emit_object(kgi_emit *e, uint32_t object); /* shared memory and vars */
uint32_t kgi_emit_load(kgi_emit *e, const kgi_inst *inst);
void kgi_emit_store(kgi_emit *e, const kgi_inst *inst);
uint32_t kgi_emit_atomic(kgi_emit *e, uint32_t index);

uint32_t kgi_emit_bf16_bits(kgi_emit *e, uint32_t value); /* of an f32, as a u32 */

/* flat.c */
bool kgi_emit_is_flat(const kgi_emit *e, uint32_t object);
bool kgi_emit_in_one_word(const kgi_emit *e, uint32_t object);
uint32_t kgi_emit_flat_word(kgi_emit *e, uint32_t object, uint32_t index); /* a pointer to an element of one word */
uint32_t kgi_emit_flat_load(kgi_emit *e, uint32_t object, uint32_t index); /* of other sizes: the value */
void kgi_emit_flat_store(kgi_emit *e, uint32_t object, uint32_t index, uint32_t value);

/* names.c: nothing where names are not asked for. */
enum { KGI_EMIT_NAME = 256 }; /* what a made-up name is cut to */
void kgi_emit_name(kgi_emit *e, uint32_t id, const char *text);
void kgi_emit_type_name(kgi_emit *e, uint32_t type, const char *what, const char *kind);
void kgi_emit_member_name(kgi_emit *e, uint32_t type, uint32_t member, const char *before, const char *text);
void kgi_emit_file(kgi_emit *e);
void kgi_emit_line(kgi_emit *e, kgi_pos pos);

/* spared.c */
void kgi_emit_find_spared(kgi_emit *e);

/* place.c */
void kgi_emit_find_places(kgi_emit *e);             /* whose values are used whole */
uint32_t kgi_emit_flat_index(kgi_emit *e, uint32_t inst);
/* Whether a guard, a loop or the workgroup's size says that the value is below the bound, both as unsigned numbers. */
bool kgi_emit_is_below(const kgi_emit *e, uint32_t value, uint32_t bound);

/* body.c */
void kgi_emit_block(kgi_emit *e, kgi_blk block);

/* op.c */
uint32_t kgi_emit_op(kgi_emit *e, uint32_t index);

/* subgroup.c */
uint32_t kgi_emit_subgroup(kgi_emit *e, uint32_t index);
#endif
