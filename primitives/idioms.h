/* primitives: kernels that are built rather than written: linear algebra, rows, K-FAC. */
/* What primitives are made of: the idioms of kernels, over the builder. */
#ifndef KGI_IDIOMS_H
#define KGI_IDIOMS_H
#include "foundation/ir/place.h"

#include <kgrad/primitives.h>

/* The values of a primitive's parameters, by the order of its row. Checked against the row already. */
typedef struct kgi_primitive_args {
  const kg_primitive_info *info;
  const double *value;
} kgi_primitive_args;

double kgi_arg(const kgi_primitive_args *args, const char *name);
uint32_t kgi_arg_u32(const kgi_primitive_args *args, const char *name);

/* Operations by a shorter name.
 *
 * C does not say in which order arguments are evaluated, and what is built first comes first in the program: so at most one
 * argument of a call may build anything (tests/order.py holds it). The order in which text reads back is: the index of a store before its value,
 * a left operand before a right one; then a primitive prints as a person would have written it. */
static inline kgi_val kgi_add(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_add, x, y); }
static inline kgi_val kgi_sub(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_sub, x, y); }
static inline kgi_val kgi_mul(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_mul, x, y); }
static inline kgi_val kgi_div(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_div, x, y); }
static inline kgi_val kgi_rem(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_rem, x, y); }
static inline kgi_val kgi_less(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_lt, x, y); }
static inline kgi_val kgi_both(kgi_builder *b, kgi_val x, kgi_val y) { return kgi_op2(b, KGI_OP_and, x, y); }

/* Declarations: a param of the program with the default that the primitive's parameter has, and a specialization constant. */
typedef struct kgi_size { kgi_dim dim; kgi_val value; } kgi_size;
kgi_size kgi_size_param(kgi_builder *b, const char *name, uint32_t value);
kgi_size kgi_size_const(kgi_builder *b, const char *name, uint32_t value);
kgi_val kgi_real_param(kgi_builder *b, const char *name, double value);
/* Arrays of f32 in several dimensions; mode 0: shared memory. */
kgi_obj kgi_matrix(kgi_builder *b, const char *name, unsigned mode, kgi_dim rows, kgi_dim columns);
kgi_obj kgi_matrices(kgi_builder *b, const char *name, kg_mode mode, kgi_dim count, kgi_dim rows, kgi_dim columns);
void kgi_set_workgroup(kgi_builder *b, kgi_dim x, kgi_dim y); /* y {0}: 1 */
/* In workgroups, or with `invocations` in invocations. */
void kgi_set_grid(kgi_builder *b, bool invocations, kgi_dim x, kgi_dim y);

/* A scalar var that holds `value`. */
kgi_obj kgi_var_of(kgi_builder *b, const char *name, kgi_val value);
static inline kgi_val kgi_get(kgi_builder *b, kgi_obj scalar) { return kgi_load(b, scalar, (kgi_val){0}); }
static inline void kgi_set_scalar(kgi_builder *b, kgi_obj scalar, kgi_val value) { kgi_store(b, scalar, (kgi_val){0}, value); }
/* The place of an element, for kgi_load and kgi_store. */
kgi_val kgi_cell(kgi_builder *b, kgi_obj matrix, kgi_val row, kgi_val column);
kgi_val kgi_cell_of(kgi_builder *b, kgi_obj matrices, kgi_val which, kgi_val row, kgi_val column);
/* row < rows && column < columns */
kgi_val kgi_inside(kgi_builder *b, kgi_val row, kgi_val rows, kgi_val column, kgi_val columns);

/* A workgroup in one dimension, a power of two long, with a shared array of f32 to reduce in. Two steps: constants and the
 * workgroup come first in a program, shared memory behind the buffers. */
typedef struct kgi_lanes {
  kgi_size count; /* the const T */
  kgi_size log;   /* the const LOG_T */
  kgi_obj part;
  kgi_val lane;
} kgi_lanes;
kgi_lanes kgi_lanes_const(kgi_builder *b, uint32_t count);
void kgi_lanes_shared(kgi_builder *b, kgi_lanes *lanes);
/* Reduces one value of each invocation by a tree; every invocation gets the result. Barriers: control flow must be uniform. When it
 * returns, the shared array may be written again. */
kgi_val kgi_reduce(kgi_builder *b, const kgi_lanes *lanes, kgi_op op, kgi_val value);
/* for NAME in lane .. end step T: the index; close it with kgi_end. */
kgi_val kgi_for_lanes(kgi_builder *b, const kgi_lanes *lanes, const char *name, kgi_val end);

/* The rows of primitives.def. */
#define PRIMITIVE(name, ...) void kgi_primitive_##name(kgi_builder *b, const kgi_primitive_args *args);
#include "primitives/primitives.def"
#endif
