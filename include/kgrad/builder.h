/* kgrad/builder.h: programs and modules made by calls, as the parser makes them from text. doc/language.md says what they mean.
 *
 *     kg_builder *b = NULL;
 *     kg_builder_new(NULL, "scale", &sink, &b);
 *     kg_build_program(b, "scale");
 *     kg_param n = kg_build_param(b, "n", KG_U32);
 *     kg_length count = kg_build_length_param(b, n);
 *     kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ_WRITE, count);
 *     kg_build_workgroup(b, 0, kg_build_length(b, 64));
 *     kg_build_invocations(b, 0, count);
 *     kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
 *     kg_value v = kg_build_load(b, x, i);
 *     kg_build_store(b, x, i, kg_build_op2(b, KG_OP_MUL, v, v));
 *     kg_build_program_end(b);
 *     kg_status status = kg_builder_finish(b, &module);
 *
 * The first error is kept: later calls do nothing and return zeros, so that one look at the end is enough. Whatever a caller gets
 * wrong (a handle of another program or builder, a type that does not fit, a block that is not ended, a name that is NULL) is a
 * diagnostic and KG_INVALID, at once or in kg_builder_finish. A builder that is NULL, because there was no memory for it, takes
 * every call too.
 *
 * Handles are small and copied freely. They mean something to their builder alone, and there to their program: values, objects,
 * lengths, params and constants belong to the program in which they were made, or to the module when none was open. All zeros is
 * no handle; where one may be left out, it says so. Strings are copied.
 *
 * A call has at most one argument that builds something, in good style: C does not say which argument is evaluated first, and the
 * program would depend on it. A builder belongs to one thread at a time. */
#ifndef KGRAD_BUILDER_H
#define KGRAD_BUILDER_H

#include <kgrad/foundation.h>
#include <kgrad/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kg_builder kg_builder;

typedef struct kg_value { uint32_t index, owner; } kg_value;       /* what an instruction computes */
typedef struct kg_object { uint32_t index, owner; } kg_object;     /* a buffer, shared memory, or a var */
typedef struct kg_length { uint32_t index, owner; } kg_length;     /* an expression of 64 bits over params and constants */
typedef struct kg_param { uint32_t index, owner; } kg_param;
typedef struct kg_constant { uint32_t index, owner; } kg_constant; /* a specialization constant */
typedef struct kg_program { uint32_t index, owner; } kg_program;
typedef struct kg_item { uint32_t index, owner; } kg_item;         /* a run, or a repeat of runs */

/* ---- a builder's life ---- */

/* `name` stands in diagnostics as the file's name; NULL: "". The sink is copied and used until the end; its user data must live as
 * long. The module, too, comes from `alloc`. */
KG_API kg_status kg_builder_new(const kg_allocator *alloc, const char *name, const kg_sink *sink, kg_builder **out);
/* The first error, or KG_OK. */
KG_API kg_status kg_builder_status(const kg_builder *b);
/* Checks the whole, gives the module to the caller, who frees it with kg_module_free, and frees the builder, whether it succeeds or
 * not. Without kg_build_module the result is a lone program. KG_INVALID: something is wrong, and has been said. */
KG_API kg_status kg_builder_finish(kg_builder *b, kg_module **out);
/* Gives up: frees the builder and what was built. */
KG_API void kg_builder_free(kg_builder *b);

/* The line and the column that what is made next comes from, from 1; diagnostics and debug information name them. 0: none. */
KG_API void kg_build_position(kg_builder *b, uint32_t line, uint32_t column);

/* ---- modules and programs ---- */

/* The result is a module of several programs, with buffers, params and runs of its own. Before anything else. */
KG_API void kg_build_module(kg_builder *b, const char *name);
/* Opens a program, and ends it. What is declared and computed between belongs to it. Programs do not nest. */
KG_API kg_program kg_build_program(kg_builder *b, const char *name);
KG_API void kg_build_program_end(kg_builder *b);
/* The sizes of the open program along an axis: 0, 1, 2. A workgroup is made of literals and constants; the axis 0 must be stated.
 * The grid counts workgroups, or invocations, which are rounded up to workgroups; a program need not state it where each run does. */
KG_API void kg_build_workgroup(kg_builder *b, unsigned axis, kg_length size);
KG_API void kg_build_grid(kg_builder *b, unsigned axis, kg_length workgroups);
KG_API void kg_build_invocations(kg_builder *b, unsigned axis, kg_length invocations);

/* ---- declarations: in the open program, else in the module ---- */

/* A specialization constant of a program, of a computing type. `bits`: of its value, zero-extended, as kg_value_of_number has
 * them; so for defaults. */
KG_API kg_constant kg_build_constant(kg_builder *b, const char *name, kg_type type, uint64_t bits);
/* A param of a computing type; then what it is where the host gives nothing, and the range [lo, hi) that its values keep. */
KG_API kg_param kg_build_param(kg_builder *b, const char *name, kg_type type);
KG_API void kg_build_param_default(kg_builder *b, kg_param param, uint64_t bits);
KG_API void kg_build_param_range(kg_builder *b, kg_param param, kg_length lo, kg_length hi);
/* A buffer of any type but bool. `length` counts elements; zeros: the host's array decides. In a program, buffers come before shared
 * memory and vars. */
KG_API kg_object kg_build_buffer(kg_builder *b, const char *name, kg_type type, kg_mode mode, kg_length length);
/* A buffer of one element, which takes no index. */
KG_API kg_object kg_build_scalar(kg_builder *b, const char *name, kg_type type, kg_mode mode);
/* The range [lo, hi) that the buffer's values keep. */
KG_API void kg_build_range(kg_builder *b, kg_object buffer, kg_length lo, kg_length hi);
/* How its random data are drawn. */
KG_API void kg_build_draw(kg_builder *b, kg_object buffer, kg_draw draw);
/* Makes the buffer a strided view of a binding; `offset` and `stride` in bytes. */
KG_API void kg_build_view(kg_builder *b, kg_object buffer, uint32_t set, uint32_t binding, uint32_t offset, uint32_t stride);
/* Memory of a workgroup; memory of an invocation, declared where the cursor is, its contents undefined. The length is made of
 * literals and constants; zeros: a scalar. */
KG_API kg_object kg_build_shared(kg_builder *b, const char *name, kg_type type, kg_length length);
KG_API kg_object kg_build_var(kg_builder *b, const char *name, kg_type type, kg_length length);
/* Gives an object that was declared with zeros as its length several dimensions, 2 to KG_MAX_RANK: its extents, the slowest first. */
KG_API void kg_build_extents(kg_builder *b, kg_object object, const kg_length *extents, unsigned rank);

/* ---- lengths: in the open program, else in the module ---- */

typedef enum kg_length_op {
  KG_LENGTH_ADD, KG_LENGTH_SUB, KG_LENGTH_MUL,
  KG_LENGTH_DIV, KG_LENGTH_MOD, /* toward minus infinity */
  KG_LENGTH_MIN, KG_LENGTH_MAX,
} kg_length_op;
KG_API kg_length kg_build_length(kg_builder *b, int64_t value);
KG_API kg_length kg_build_length_float(kg_builder *b, double value); /* for what a run passes to a param */
KG_API kg_length kg_build_length_param(kg_builder *b, kg_param param);
KG_API kg_length kg_build_length_constant(kg_builder *b, kg_constant constant);
KG_API kg_length kg_build_length_of(kg_builder *b, kg_object buffer);
KG_API kg_length kg_build_length_index(kg_builder *b, kg_item repeat); /* the index of a repeat that is open */
KG_API kg_length kg_build_length_op(kg_builder *b, kg_length_op op, kg_length x, kg_length y);

/* ---- values: in the open program ---- */

/* A literal of a computing type, which must hold the value: 300 is no u8's, and 1 << 40 no i32's. Floats are rounded to nearest. */
KG_API kg_value kg_build_int(kg_builder *b, kg_type type, int64_t value);
KG_API kg_value kg_build_float(kg_builder *b, kg_type type, double value);
KG_API kg_value kg_build_literal(kg_builder *b, kg_type type, uint64_t bits);
KG_API kg_value kg_build_param_value(kg_builder *b, kg_param param);
KG_API kg_value kg_build_constant_value(kg_builder *b, kg_constant constant);
KG_API kg_value kg_build_id(kg_builder *b, kg_id id, unsigned component);
KG_API kg_value kg_build_len(kg_builder *b, kg_object object); /* its length, as u32 */
KG_API kg_value kg_build_extent(kg_builder *b, kg_object object, unsigned dimension); /* that of an array of several dimensions */

/* Operations. Operands are of one type unless the operation's row says otherwise; nothing converts silently. A value y whose
 * derivative by x is stated, as a function of the language states it, is KG_OP_WITH_PARTIAL of KG_OP_STOP_GRADIENT of y, x, and
 * what the derivative is in reverse and in forward mode; for each further x again, of the result. */
KG_API kg_value kg_build_op(kg_builder *b, kg_op op, const kg_value *args, unsigned count);
KG_API kg_value kg_build_op1(kg_builder *b, kg_op op, kg_value x);
KG_API kg_value kg_build_op2(kg_builder *b, kg_op op, kg_value x, kg_value y);
KG_API kg_value kg_build_op3(kg_builder *b, kg_op op, kg_value x, kg_value y, kg_value z);
KG_API kg_value kg_build_op4(kg_builder *b, kg_op op, kg_value x, kg_value y, kg_value z, kg_value w);
KG_API kg_value kg_build_convert(kg_builder *b, kg_type type, kg_value x); /* x itself where it has the type */
KG_API kg_value kg_build_bitcast(kg_builder *b, kg_type type, kg_value x); /* the same bits, of a type of that size */
/* Gives a value a name, for whoever reads the program; literals, params and ids keep their own. Returns x. */
KG_API kg_value kg_build_name(kg_builder *b, kg_value x, const char *name);

/* Memory. An index counts elements, from 0, and is of any integer type; zeros: the object is a scalar. Storage types convert. That of
 * an array of several dimensions comes from as many integers: a[i, j] is kg_build_load(b, a, kg_build_place(b, a, ij, 2)). */
KG_API kg_value kg_build_place(kg_builder *b, kg_object object, const kg_value *indices, unsigned count);
KG_API kg_value kg_build_load(kg_builder *b, kg_object object, kg_value index);
KG_API void kg_build_store(kg_builder *b, kg_object object, kg_value index, kg_value value);
/* The value before; zeros for KG_ATOMIC_STORE. `operand` is zeros for KG_ATOMIC_LOAD alone; `with` is what
 * KG_ATOMIC_COMPARE_EXCHANGE stores where it finds the operand, and zeros otherwise. */
KG_API kg_value kg_build_atomic(kg_builder *b, kg_atomic op, kg_object object, kg_value index, kg_value operand, kg_value with);
/* `y` is zeros for operations of one operand, and both are for KG_SUBGROUP_ELECT. */
KG_API kg_value kg_build_subgroup(kg_builder *b, kg_subgroup op, kg_value x, kg_value y);
KG_API void kg_build_barrier(kg_builder *b);
KG_API void kg_build_memory_barrier(kg_builder *b);
/* The program fails where `condition` is false. NULL: no message. */
KG_API void kg_build_assert(kg_builder *b, kg_value condition, const char *message);

/* ---- control flow: in the open program ---- */

/* Each opens a block, which kg_build_end closes. Values are visible until the block in which they were made is closed; what outlives
 * it goes through a var. */
KG_API void kg_build_if(kg_builder *b, kg_value condition);
KG_API void kg_build_else(kg_builder *b);
/* Over from .. to, which are of one integer type, by `step`; zeros: 1. Returns the index. NULL: it has no name. */
KG_API kg_value kg_build_for(kg_builder *b, const char *index, kg_value from, kg_value to, kg_value step, bool reversed);
/* What is computed between the two is the condition, before each trip. `limit` trips are the most; zeros: as many as it takes. */
KG_API void kg_build_while(kg_builder *b);
KG_API void kg_build_while_body(kg_builder *b, kg_value condition, kg_length limit);
/* A named group of statements; it does not scope. */
KG_API void kg_build_region(kg_builder *b, const char *name);
/* Statements that differentiation runs again rather than keep what they compute. It scopes. NULL: it has no name. */
KG_API void kg_build_checkpoint(kg_builder *b, const char *name);
KG_API void kg_build_end(kg_builder *b);
KG_API void kg_build_break(kg_builder *b);
KG_API void kg_build_continue(kg_builder *b);
KG_API void kg_build_return(kg_builder *b);

/* ---- a module's order of work: when no program is open ---- */

/* States `adjoint` as the program's adjoint: runs of the program are reversed by runs of it. Both have been ended, in either order.
 * doc/language.md says what it declares; kg_builder_finish checks that. */
KG_API void kg_build_adjoint(kg_builder *b, kg_program program, kg_program adjoint);

/* Appends a run of a program that has been ended. Its buffers and params are bound to the module's of the same name, or to the index
 * of an open repeat of that name, where there is one; the next three bind them to others. The last binding counts. */
KG_API kg_item kg_build_run(kg_builder *b, kg_program program);
KG_API void kg_build_bind(kg_builder *b, kg_item run, kg_object of_program, kg_object of_module);
/* The elements of the module's buffer from `from` up to but not `to`: the program sees a buffer of to - from elements. */
KG_API void kg_build_bind_slice(kg_builder *b, kg_item run, kg_object of_program, kg_object of_module, kg_length from, kg_length to);
KG_API void kg_build_pass(kg_builder *b, kg_item run, kg_param of_program, kg_length value);
/* The run's own grid, in place of the program's. */
KG_API void kg_build_run_grid(kg_builder *b, kg_item run, unsigned axis, kg_length workgroups);
KG_API void kg_build_run_invocations(kg_builder *b, kg_item run, unsigned axis, kg_length invocations);
/* Runs until kg_build_repeat_end are repeated over from .. to by `step`; zeros: 1. */
KG_API kg_item kg_build_repeat(kg_builder *b, const char *index, kg_length from, kg_length to, kg_length step, bool reversed);
KG_API void kg_build_repeat_end(kg_builder *b);

#ifdef __cplusplus
}
#endif

#endif
