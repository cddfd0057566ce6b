/* How a module's programs meet their host: doc/abi.md in numbers. The emitter, the `.json` and the driver read the same. */
#ifndef KGI_SPIRV_ABI_H
#define KGI_SPIRV_ABI_H
#include "foundation/ir/views.h"

/* Where a kernel finds the length of a buffer. */
typedef enum kgi_length_kind { KGI_LENGTH_LITERAL, KGI_LENGTH_PARAM, KGI_LENGTH_SPEC, KGI_LENGTH_HIDDEN } kgi_length_kind;
typedef struct kgi_abi_length {
  uint8_t kind;   /* kgi_length_kind */
  uint32_t value; /* the number, the param, the constant, or an index into hidden[] */
} kgi_abi_length;

/* A length, or the limit of a loop, that the host passes behind the params. */
typedef struct kgi_abi_hidden {
  uint32_t offset; /* bytes, in the block */
  kgi_dim dim;     /* of the program's scope; 0: the length of `object`, which the host decides */
  uint32_t object; /* whose length it is; 0: a limit, as a u32 that saturates */
  uint32_t dimension; /* 1 + the dimension of the object whose extent it is; 0: the whole length */
} kgi_abi_hidden;

enum { KGI_MOST_SETS = 32 }; /* that devices have at most */
enum { KGI_NO_BINDING = UINT32_MAX, KGI_PUSH_BYTES = 128, KGI_STATUS_WORDS = 4 };

typedef struct kgi_abi_place { uint32_t set, binding; } kgi_abi_place;

/* Params that lie where their views say: one for the push constants, and one for each binding. `storage`: a buffer of the program
 * lies there as well, so that the host binds a storage buffer. */
typedef struct kgi_abi_block {
  bool pushed, storage;
  kgi_abi_place place;
  uint32_t members, bytes;
} kgi_abi_block;
enum { KGI_BLOCK_OWN = 0, KGI_BLOCK_NONE = UINT32_MAX }; /* beside 1 + an index of these */

typedef struct kgi_abi_program {
  uint32_t buffers;       /* the program's objects 1 .. buffers */
  kgi_abi_place *place;   /* by object, buffers only; the same for views of one binding, and for no others */
  kgi_blocks blocks;      /* by object */
  uint32_t sets;          /* how many a pipeline has: one more than the highest */
  bool *taken;            /* bindings of set 0 that have an owner, up to where one is free for certain */
  kgi_abi_block *placed; uint32_t placed_count; /* of params with places */
  uint32_t *param_block;  /* by param; KGI_BLOCK_OWN: the program's own; KGI_BLOCK_NONE: others have places, nobody reads it */
  uint32_t *param_member; /* which member of its block it is */
  uint32_t *param_offset; /* by param */
  uint32_t own_params;    /* of the program's own block, in front of the hidden ones */
  kgi_abi_length *length; /* by object, buffers only */
  kgi_abi_hidden *hidden;
  uint32_t hidden_count;
  uint32_t block_size;     /* bytes of the own block: params and hidden lengths; 0: there are none */
  uint32_t params_set, params_binding; /* binding KGI_NO_BINDING: push constants */
  uint32_t status_set, status_binding; /* binding KGI_NO_BINDING: the program cannot fail */
  uint32_t *spec_id;       /* by constant */
  bool *fixed;             /* by constant: it has no SpecId, because something beside the program stays at its default */
} kgi_abi_program;

/* What is bound, in no particular order: one for each binding. */
typedef enum kgi_slot_kind { KGI_SLOT_BUFFER, KGI_SLOT_PARAMS, KGI_SLOT_STATUS } kgi_slot_kind;
typedef struct kgi_abi_slot {
  kgi_abi_place place;
  uint8_t kind;
  uint32_t object; /* of a buffer: the program's first that lies there */
} kgi_abi_slot;
/* `out` has room for two more than there are buffers; how many there are is returned. */
uint32_t kgi_abi_slots(const kgi_abi_program *a, kgi_abi_slot *out);

typedef enum kgi_site_kind { KGI_SITE_ASSERT, KGI_SITE_LIMIT, KGI_SITE_BUDGET } kgi_site_kind;
/* A place where a program can fail. Numbered from 1 over the module. */
typedef struct kgi_abi_site { uint32_t program, inst; uint8_t kind; kgi_pos pos; } kgi_abi_site;

typedef struct kgi_abi {
  kgi_abi_program *program; /* by index; 0 unused */
  kgi_abi_site *site; uint32_t site_count, site_cap; /* 0 unused; ordered by program, then instruction; a budget's is 0 */
} kgi_abi;

/* What is asked of it. `count_loops[program]`: whether the loops of that program are counted (NULL: none). `literal_sizes`: what
 * sizes of workgroups and arrays depend on is fixed. `packed`: whatever the views of params and the numbers of constants say, params
 * are in one block and constants are counted: for a host that made both itself. `params`, `status`: where these are, if they are
 * bound; NULL: where there is room. */
typedef struct kgi_abi_wishes {
  const bool *count_loops;
  bool literal_sizes, packed;
  const kgi_abi_place *params, *status;
} kgi_abi_wishes;
/* False: no memory. */
bool kgi_abi_make(kgi_arena *arena, const kg_module *m, const kgi_abi_wishes *wishes, kgi_abi *out);
/* Whether something of the program lies there, but for its status buffer and its own block. */
bool kgi_abi_is_taken(const kgi_abi_program *a, kgi_abi_place place);
/* The number of that instruction's site (inst 0: the program's budget), or 0. */
uint32_t kgi_abi_site_of(const kgi_abi *abi, uint32_t program, uint32_t inst);
/* Where the kernel finds the limit of a while: a hidden value, or KGI_LENGTH_LITERAL where it is one of constants alone. */
kgi_abi_length kgi_abi_limit(const kgi_abi_program *a, const kgi_scope *scope, kgi_dim dim);
/* Where the kernel finds an extent that some `len` asks for. */
kgi_abi_length kgi_abi_extent(const kgi_abi_program *a, const kgi_scope *scope, kgi_dim dim);
/* Whether it has no params, lengths and indices. */
bool kgi_dim_is_constant(const kgi_scope *scope, kgi_dim dim);
/* Whether the value of the expression depends on that constant (0: on any). */
bool kgi_dim_uses_spec(const kgi_scope *scope, kgi_dim dim, uint32_t spec);
#endif
