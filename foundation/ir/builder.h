/* The one way to make programs: the parser, the binary reader, the importer, the primitives, the generator and every pass use it.
 *
 * A cursor says where the next instruction goes. The first error is sticky: later calls do nothing and return index 0, so that
 * callers check `status` once, at the end. Types are checked as instructions are made; what a whole program must obey besides
 * is the validator's (foundation/ir/validate.h).
 *
 *     kgi_builder b;
 *     kgi_builder_init(&b, module, diags);
 *     kgi_begin_program(&b, "scale");
 *     kgi_obj x = kgi_buffer(&b, "x", KG_F32, KG_READ_WRITE, n);
 *     kgi_val i = kgi_id_value(&b, KGI_ID_global_id, 0);
 *     kgi_if_begin(&b, kgi_op2(&b, KGI_OP_lt, i, count));
 *     kgi_store(&b, x, i, kgi_op2(&b, KGI_OP_mul, kgi_load(&b, x, i), kgi_f32(&b, 2)));
 *     kgi_end(&b);
 *     if (b.status != KG_OK) ... */
#ifndef KGI_BUILDER_H
#define KGI_BUILDER_H
#include "foundation/ir/dim.h"
#include "foundation/ir/program.h"

/* The next instruction goes into `block`, behind `after`; 0: at its start. */
typedef struct kgi_cursor { kgi_blk block; uint32_t after; } kgi_cursor;

typedef struct kgi_builder {
  kg_module *m;
  kgi_program *p;    /* the program under construction; NULL: the module's own scope */
  kgi_diags *diags;  /* may be NULL */
  kgi_cursor at;
  kgi_pos pos;       /* given to what is made next */
  kg_status status;  /* the first error */
  bool simplify;     /* operations fold as they are made (foundation/ir/fold.h) */
  uint32_t filled, last_item; /* where kgi_item_append put something last, and what, so that long lists need no walk */
} kgi_builder;

/* Blocks nest no deeper than this, so that recursion over them is safe, and so that devices run them right: Mesa's llvmpipe takes
 * no notice of conditions that nest deeper than 80. */
enum { KGI_MAX_DEPTH = 72, KGI_MAX_INSTRUCTIONS = 1 << 26 };

void kgi_builder_init(kgi_builder *b, kg_module *module, kgi_diags *diags);
/* Records the first failure; later ones are dropped. */
void kgi_fail(kgi_builder *b, kg_status status);
/* The status, with an exhausted arena turned into KG_NO_MEMORY and its diagnostic. Ask at the end. */
kg_status kgi_builder_status(kgi_builder *b);
kgi_scope *kgi_builder_scope(kgi_builder *b); /* the program's, or the module's between programs */

/* Declarations. In a program, buffers come before shared and var objects. */
kgi_program *kgi_begin_program(kgi_builder *b, const char *name);
void kgi_end_program(kgi_builder *b); /* back to the module's scope */
void kgi_reserve_instructions(kgi_builder *b, uint32_t count); /* a guess at how many there will be; it saves copies */
void kgi_resume_program(kgi_builder *b, kgi_program *program); /* the cursor at the end of its body */
kgi_obj kgi_object_add(kgi_builder *b, const kgi_object *object); /* any object, as described */
kgi_obj kgi_buffer(kgi_builder *b, const char *name, kg_type type, kg_mode mode, kgi_dim length);
kgi_obj kgi_shared(kgi_builder *b, const char *name, kg_type type, kgi_dim length);
/* Gives an object that is to be added several extents, and their product as its length. */
void kgi_set_extents(kgi_builder *b, kgi_object *object, const kgi_dim *extent, unsigned rank);
uint32_t kgi_param_add(kgi_builder *b, const kgi_param *param); /* its index in the scope */
uint32_t kgi_spec_add(kgi_builder *b, const kgi_spec *spec);

/* Lengths and grids, in the current scope. */
kgi_dim kgi_len_int(kgi_builder *b, int64_t value);
kgi_dim kgi_len_float(kgi_builder *b, double value);
kgi_dim kgi_len_param(kgi_builder *b, uint32_t param);
kgi_dim kgi_len_spec(kgi_builder *b, uint32_t spec);
kgi_dim kgi_len_of(kgi_builder *b, kgi_obj buffer);
kgi_dim kgi_len_op(kgi_builder *b, kgi_dim_op op, kgi_dim x, kgi_dim y);

/* Leaves: one of each per program. Literal bits past the type's width are dropped, and every NaN becomes the quiet one. */
kgi_val kgi_literal_of(kgi_builder *b, kg_type type, uint64_t bits);
uint64_t kgi_canonical_bits(kg_type type, uint64_t bits); /* what becomes of them; defaults and constants are such bits too */
kgi_val kgi_int(kgi_builder *b, kg_type type, int64_t value);     /* of an integer type, or the float or bool nearest to it */
kgi_val kgi_float(kgi_builder *b, kg_type type, double value);
kgi_val kgi_bool(kgi_builder *b, bool value);
kgi_val kgi_i32(kgi_builder *b, int32_t value);
kgi_val kgi_u32(kgi_builder *b, uint32_t value);
kgi_val kgi_f32(kgi_builder *b, float value);
kgi_val kgi_param_value(kgi_builder *b, uint32_t param);
kgi_val kgi_spec_value(kgi_builder *b, uint32_t spec);
kgi_val kgi_id_value(kgi_builder *b, kgi_id id, unsigned component);
kgi_val kgi_len_value(kgi_builder *b, kgi_obj object);

/* After a pass has changed leaves in place: they are found as what they are now. False: no memory. */
bool kgi_list_leaves(kgi_builder *b);

/* Value operations. */
kgi_val kgi_apply(kgi_builder *b, kgi_op op, const kgi_val *args, unsigned count);
kgi_val kgi_op1(kgi_builder *b, kgi_op op, kgi_val x);
kgi_val kgi_op2(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y);
kgi_val kgi_op3(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y, kgi_val z);
kgi_val kgi_op4(kgi_builder *b, kgi_op op, kgi_val x, kgi_val y, kgi_val z, kgi_val w);
kgi_val kgi_convert(kgi_builder *b, kg_type type, kgi_val x); /* x itself where it has the type */
kgi_val kgi_bitcast(kgi_builder *b, kg_type type, kgi_val x);
/* Names a let; leaves and {0} are left alone. Returns x. */
kgi_val kgi_name(kgi_builder *b, kgi_val x, const char *name);

/* Memory. `index` is {0} for a scalar. */
kgi_obj kgi_var(kgi_builder *b, const char *name, kg_type type, kgi_dim length); /* length {0}: a scalar */
kgi_obj kgi_var_add(kgi_builder *b, const kgi_object *object); /* any, as described */
kgi_val kgi_load(kgi_builder *b, kgi_obj object, kgi_val index);
void kgi_store(kgi_builder *b, kgi_obj object, kgi_val index, kgi_val value);
/* The value before; {0} for store. `with` is only for compare_exchange; `operand` is {0} for load. */
kgi_val kgi_atomic_op(kgi_builder *b, kgi_atomic op, kgi_obj object, kgi_val index, kgi_val operand, kgi_val with);
kgi_val kgi_subgroup_op(kgi_builder *b, kgi_subgroup op, kgi_val x, kgi_val y);
void kgi_barrier_here(kgi_builder *b);
void kgi_memory_barrier_here(kgi_builder *b);
void kgi_assert(kgi_builder *b, kgi_val condition, const char *message);

/* Control. Each opens a block and moves the cursor into it; kgi_end closes the innermost. */
void kgi_if_begin(kgi_builder *b, kgi_val condition);
void kgi_else(kgi_builder *b);
kgi_val kgi_for_begin(kgi_builder *b, const char *index, kgi_val from, kgi_val to, kgi_val step, bool reversed); /* the index; step {0}: 1 */
void kgi_while_begin(kgi_builder *b);                            /* the cursor is where the condition is computed */
void kgi_while_body(kgi_builder *b, kgi_val condition, kgi_dim limit); /* limit {0}: none */
void kgi_region_begin(kgi_builder *b, const char *name);
void kgi_checkpoint_begin(kgi_builder *b, const char *name); /* "": it has none */
void kgi_end(kgi_builder *b);
void kgi_break_here(kgi_builder *b);
void kgi_continue_here(kgi_builder *b);
void kgi_return_here(kgi_builder *b);

/* Cursors and editing, for passes. */
kgi_cursor kgi_at_start(kgi_blk block);
kgi_cursor kgi_at_end(const kgi_program *p, kgi_blk block);
kgi_cursor kgi_before(const kgi_program *p, uint32_t inst);
kgi_cursor kgi_behind(const kgi_program *p, uint32_t inst);
unsigned kgi_depth_of(const kgi_program *p, kgi_blk block); /* 0: the body */
kgi_blk kgi_block_new(kgi_builder *b, uint32_t owner);
/* Appends an instruction as it stands, links aside: for readers and copies, whose result is validated afterwards. */
uint32_t kgi_append(kgi_builder *b, kgi_inst inst);
void kgi_remove(kgi_program *p, uint32_t inst); /* unlinks it, and with it the blocks it owns */
void kgi_move(kgi_program *p, uint32_t inst, kgi_cursor to);
/* What the value is made of stands in front of the statement, or goes there: operations, of which none loads anything. */
void kgi_raise(kgi_program *p, uint32_t value, uint32_t statement);
kg_type kgi_type_of(const kgi_program *p, kgi_val x);

/* A module's order of work. Items go where the item cursor is. */
uint32_t kgi_run_begin(kgi_builder *b, uint32_t program); /* every param default, no buffer bound, the program's own grid */
void kgi_run_bind_buffer(kgi_builder *b, uint32_t item, uint32_t program_object, uint32_t module_object); /* all of it */
void kgi_run_bind_slice(kgi_builder *b, uint32_t item, uint32_t program_object, uint32_t module_object, kgi_slice slice);
void kgi_run_bind_param(kgi_builder *b, uint32_t item, uint32_t program_param, kgi_dim value);
uint32_t kgi_repeat_begin(kgi_builder *b, const char *index, kgi_dim from, kgi_dim to, kgi_dim step, bool reversed);
/* Links `item` as the last of the module's list (parent 0) or of a repeat's. */
void kgi_item_append(kgi_builder *b, uint32_t parent, uint32_t item);
#endif
