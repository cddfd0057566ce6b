/* Lengths and grids: building and evaluating the expressions of a scope. */
#ifndef KGI_DIM_H
#define KGI_DIM_H
#include "foundation/ir/bits.h"

/* Hash-consed. A node of constants is folded where it does not overflow or divide by zero. {0} is "none" and on failure. */
kgi_dim kgi_dim_int(kgi_arena *arena, kgi_scope *scope, int64_t value);
kgi_dim kgi_dim_float(kgi_arena *arena, kgi_scope *scope, double value);
kgi_dim kgi_dim_leaf(kgi_arena *arena, kgi_scope *scope, kgi_dim_op op, uint32_t index); /* PARAM SPEC LEN INDEX */
kgi_dim kgi_dim_binary(kgi_arena *arena, kgi_scope *scope, kgi_dim_op op, kgi_dim a, kgi_dim b);
/* a - b, where nothing overflows on the way; without what both have in common, as far as sums and products show it. */
kgi_dim kgi_dim_difference(kgi_arena *arena, kgi_scope *scope, kgi_dim a, kgi_dim b);

/* What the names in a scope stand for. Entry 0 of each array is unused, as in the scope, but where `host` is set: the arrays of
 * params and lengths are a host's then, without it. A NULL array means that no expression refers to it. */
typedef struct kgi_dim_env {
  const uint64_t *param;  /* bits, by the param's type */
  const uint64_t *spec;   /* bits; NULL: the defaults */
  const uint64_t *length; /* of each object */
  const int64_t *index;   /* of each item that is a repeat */
  bool host;
} kgi_dim_env;

typedef enum kgi_dim_fault { KGI_DIM_OK, KGI_DIM_OVERFLOW, KGI_DIM_DIVIDE, KGI_DIM_UNKNOWN } kgi_dim_fault;

/* The value, rounded toward minus infinity in divisions; UNKNOWN where a float or a missing array is met. */
kgi_dim_fault kgi_dim_eval(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, int64_t *out);
/* As above with a diagnostic: `what` names the thing evaluated; negative results are refused too. */
kg_status kgi_dim_eval_size(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, const char *what, kgi_diags *diags,
                            kgi_pos pos, uint64_t *out);
/* An extent of an array of several dimensions is at most this, so that an i32 that indexes it is exact. */
#define KGI_MAX_EXTENT UINT64_C(0x7FFFFFFF)
/* The length of an object that declares one: for several dimensions each extent is found first, and `extent` (may be NULL) gets them;
 * of a single dimension it gets the length. */
kg_status kgi_dim_eval_object(const kgi_scope *scope, const kgi_object *object, const kgi_dim_env *env, const char *name,
                              kgi_diags *diags, uint64_t extent[KGI_MAX_RANK], uint64_t *length);
/* Whether the length of an object with a rank is the product of its extents. */
bool kgi_extents_agree(const kgi_scope *scope, const kgi_object *object);
/* The bits of `type`: integers by evaluation, floats from FLOAT, INT or a PARAM of that type. For params that a run passes. */
kgi_dim_fault kgi_dim_eval_bits(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, kg_type type, uint64_t *out);

/* The trips of a loop from `from` up to but not `to`; step at least 1. */
static inline uint64_t kgi_trips(int64_t from, int64_t to, int64_t step) {
  return to > from ? ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1 : 0;
}
#endif
