/* spirv/import: SPIR-V in: a compute entry point becomes a program of the language, as a person would have written it. */
/* A module of SPIR-V is read into a table of its ids. Its entry point is then walked twice, functions inlined: first to learn how
 * memory is used, into a program that is thrown away, then to build the one that is given. doc/import.md says what becomes of what.
 *
 * A value is an array of scalars, its *leaves*: those of a vector, a matrix, an array or a struct, in order. Memory of a variable
 * is divided into *columns*: one for each path of struct members to a scalar type. What lies between, arrays, vectors and matrices,
 * are the column's *levels*. A pointer is a *place*: a column, and an index for each level that was passed.
 *
 * The bytes are anybody's. Whatever is asked of them is checked where it is asked; the first fault is kept, and what is asked
 * behind it gives zeros. */
#ifndef KGI_IMPORT_H
#define KGI_IMPORT_H
#include "foundation/ir/builder.h"

#include <kgrad/spirv.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

enum { KGI_IM_LEVELS = 8, KGI_IM_EXITS = 64, KGI_IM_HELD = 8, KGI_IM_ROOTS = 64, KGI_IM_NONE = UINT32_MAX };

/* An instruction, as it stands. `arg` are the operands behind the result. */
typedef struct kgi_im_inst {
  SpvOp op;
  uint32_t at, type, result; /* the word offset; ids, 0: it has none */
  const uint32_t *arg;
  uint32_t args;
} kgi_im_inst;

typedef struct kgi_im_decoration { uint32_t member, kind, value, next; } kgi_im_decoration; /* member KGI_IM_NONE: of the whole */
typedef struct kgi_im_name { uint32_t member, at, next; } kgi_im_name;                     /* at: of the first word of the string */

/* An index that was given for a level. */
typedef struct kgi_im_index { kgi_val value; bool known; int64_t is; } kgi_im_index;

typedef struct kgi_im_place {
  uint32_t variable, type; /* ids; the type is that of what lies there */
  uint32_t column;         /* the first of those that lie there */
  uint32_t depth;
  kgi_im_index index[KGI_IM_LEVELS];
  uint32_t declared;       /* of a copy of an array: the instruction that declares its first var; 0: it is none */
} kgi_im_place;

typedef struct kgi_im_column {
  uint32_t variable;
  uint32_t scalar;       /* the id of the type */
  uint32_t offset;       /* bytes, of explicit layouts */
  uint32_t depth;
  uint32_t stride[KGI_IM_LEVELS]; /* bytes, of explicit layouts */
  uint32_t length[KGI_IM_LEVELS]; /* the id of a constant; 0: `count` */
  uint32_t count[KGI_IM_LEVELS];  /* 0: the host decides */
  const char *path[KGI_IM_LEVELS + 2]; uint32_t steps; /* names of members on the way */
  uint32_t crowd;        /* this many levels, from the outermost, lie around others as well; 0: none */
  /* found by the first walk */
  bool loaded, stored, atomic, measured;
  bool turned;           /* integers whose atomics go by the other sign than the type's: so they are declared */
  uint8_t dynamic;       /* bit k: level k has an index that is no constant */
  uint64_t parts;        /* of those that a constant index tells apart: which are used */
  /* for the second */
  uint8_t split;         /* bit k: each index of level k has an object of its own */
  bool as_params;
  uint32_t first;        /* of its objects or params, in kgi_import.object */
  uint32_t unit;         /* bytes between elements of the objects */
  uint32_t row, every;   /* elements that lie together, and bytes from the first of these to the next first; 0: all do */
  uint32_t rows_from;    /* levels outside of a row */
} kgi_im_column;

typedef struct kgi_im_variable {
  SpvStorageClass class;
  uint32_t type, first, columns; /* what it holds; of kgi_import.column */
  uint32_t set, binding, builtin;
  bool storage, described;
  uint32_t pointer;    /* of what a pointer in memory leads to: the pointer's type; 0: it is a variable of the module */
  uint32_t array;      /* of one descriptor of an array: the variable */
  const char *called;  /* of both: the name of the member that holds the pointer, or of the array */
  bool elements;       /* likewise: it is one of several, and the first level says which */
} kgi_im_variable;

/* A pointer that lies in memory at a place without indices that vary: what it leads to is a buffer, and `id`, of which the definition is the
 * first instruction that loads it, stands for that as a variable does for others. A descriptor of an array is likewise one; its column is 0. */
typedef struct kgi_im_root { uint32_t id, variable, column, depth; int64_t index[KGI_IM_LEVELS]; } kgi_im_root;

/* Where control can go from inside: the end of a switch, of a loop, of what a loop repeats, of a function. */
typedef struct kgi_im_exit {
  uint32_t label;   /* 0: the end of a function */
  uint32_t loops;   /* how many were open there */
  bool breaks;      /* it is the end of the innermost loop */
  bool reached;
  kgi_cursor before; /* where what it ends begins */
  kgi_obj left;     /* a var: control is on its way there; {0}: nothing asked yet */
} kgi_im_exit;

/* The var that carries a value out of its block, and the instruction that declares it. */
typedef struct kgi_im_spill { kgi_obj object; uint32_t declared; } kgi_im_spill;

/* What a value of the walk is, of which a pointer may be made: what lies at that place, or what that var holds. */
typedef struct kgi_im_address { const kgi_im_place *place; kgi_obj var; uint32_t element; } kgi_im_address;
/* The first such value that was stored to an element of a var; whether others were, too; whether a pointer was made of it. */
typedef struct kgi_im_held { kgi_val first; bool several, relied; } kgi_im_held;
typedef struct kgi_im_holder { kgi_im_held element[KGI_IM_HELD]; } kgi_im_holder;

/* The vars that hold a phi's leaves, or columns of an array, and an instruction that declares one of them. */
typedef struct kgi_im_phi { kgi_obj *object; uint32_t declared; } kgi_im_phi;

typedef struct kgi_import {
  kgi_arena *arena;       /* for both walks */
  kgi_diags *diags;
  kg_status status;
  /* the words */
  const uint32_t *word;
  uint32_t words, bound;
  uint32_t *def;          /* by id: the word offset of what makes it; 0: nothing does */
  uint32_t *leaves, *columns; /* by id of a type; 0: it has none, or too many */
  uint8_t *nesting;       /* likewise: types within one another */
  bool *announced;        /* by id: OpTypeForwardPointer says that it will be a pointer */
  uint32_t *first_decoration, *first_name; /* by id, into the next two; 0: none */
  kgi_im_decoration *decoration; uint32_t decorations, decoration_cap;
  kgi_im_name *name; uint32_t names, name_cap;
  uint32_t *variables_at; uint32_t variable_count, variable_cap; /* the offsets of global OpVariables */
  uint32_t *next_block;   /* by id of a label: marks of a search through the flow of control */
  uint32_t search;
  uint32_t entry, glsl, entry_at;
  const kg_spirv_import_params *told; /* never NULL */
  bool *fixed; uint64_t *fixed_bits; /* by id: specialization constants that are known */
  /* memory */
  kgi_im_variable *variable; /* by id */
  kgi_im_column *column; uint32_t column_count, column_cap;
  kgi_im_root *root; uint32_t roots, root_cap, first_root; /* first_root: the first's id */
  bool has_addresses;     /* the module has pointers in memory */
  bool first_walk, again; /* again: a root was found, which has to be declared; the walk is begun anew */
  /* one walk */
  kgi_builder b;
  kgi_val **value;        /* by id: leaves */
  kgi_im_place **place;   /* by id: of a pointer */
  kgi_obj *object; uint32_t object_count, object_cap; /* of columns; for params the param's index */
  kgi_obj **local;        /* by id of a variable of an invocation: its objects, in order of its columns */
  kgi_im_place **held;    /* likewise: the pointer that lies in it */
  kgi_im_address *address; uint32_t addresses, address_cap; /* by value: numbers that may be addresses */
  kgi_im_holder *holder; uint32_t holders, holder_cap;      /* by object: of vars, what they hold of these */
  uint32_t nested, choices; /* constants, and lengths that are chosen, within one another */
  kgi_im_phi *phi;        /* by id */
  kgi_im_spill *spilled; uint32_t spilled_count, spilled_cap; /* by value */
  kgi_im_exit exit[KGI_IM_EXITS];
  uint32_t exits, loops, in_loop; /* in_loop: the header that is entered, 0: none */
  uint64_t loop_exits;    /* bits of `exit`: where the innermost loop was left for, but for its end */
  kgi_obj *result;        /* of the function that is walked: where its returns leave their leaves. NULL: there is one, which ... */
  kgi_val *returned;      /* ... left these */
  uint32_t result_leaves, calls;
  uint32_t steps, walked; /* the offset of the instruction at which the walk is */
  uint32_t file;          /* the id of the name of the file whose lines are positions; 0: there is none as yet */
  uint8_t used_axes;      /* bit k: an id along axis k is read */
} kgi_import;

/* ---- lines.c, read.c: words, ids, decorations, names ---- */

bool kgi_im_read(kgi_import *im, const void *bytes, size_t size);
/* The instruction at a word offset; zeros past the end. */
kgi_im_inst kgi_im_at(kgi_import *im, uint32_t at);
/* The instruction that makes an id; zeros, and a fault, where none does. */
kgi_im_inst kgi_im_def(kgi_import *im, uint32_t id);
uint32_t kgi_im_next(const kgi_import *im, uint32_t at); /* the offset behind it */
/* An operand; past the last: a fault. */
uint32_t kgi_im_arg(kgi_import *im, const kgi_im_inst *x, uint32_t k);
const char *kgi_im_string(kgi_import *im, const kgi_im_inst *x, uint32_t k);
bool kgi_im_decorated(const kgi_import *im, uint32_t id, uint32_t member, SpvDecoration kind, uint32_t *value);
const char *kgi_im_name_of(const kgi_import *im, uint32_t id, uint32_t member); /* "": it has none */
void kgi_im_add_name(kgi_import *im, uint32_t id, uint32_t member, uint32_t at); /* at: of the first word of the string */

/* Faults: of the bytes; of what is not supported. Both false. */
bool kgi_im_malformed(kgi_import *im, uint32_t at, const char *what);
bool kgi_im_refuse(kgi_import *im, const kgi_im_inst *x, const char *why);
/* ", shader.comp:12": the line of the source that an instruction comes from, or that the walk is at; ", which is x": its name.
 * "": the module does not say. */
const char *kgi_im_source_of(kgi_import *im, uint32_t at);
/* What is built from here on has the position that the instruction says, if it says one. */
void kgi_im_note_line(kgi_import *im, const kgi_im_inst *x);
static inline bool kgi_im_fine(const kgi_import *im) { return im->status == KG_OK && im->b.status == KG_OK && !im->arena->failed; }

/* ---- reflection.c ---- */
void kgi_im_reflect(kgi_import *im); /* what a compiler says of the entry point's arguments beside the code */

/* ---- weigh.c ---- */
bool kgi_im_weigh_types(kgi_import *im);

/* ---- types.c ---- */

void kgi_im_measure_type(kgi_import *im, const kgi_im_inst *x); /* leaves and columns, as types are read */
typedef struct kgi_im_scalar { kg_type value, memory; uint8_t bits; bool is_signed; } kgi_im_scalar;
bool kgi_im_is_nothing(kgi_import *im, uint32_t type); /* a struct without members */
/* Of the scalar type that all leaves of a type have, zeros where there is none. */
kgi_im_scalar kgi_im_scalar_of(kgi_import *im, uint32_t type);
kgi_im_scalar kgi_im_scalar_in(kgi_import *im, const kgi_im_column *c); /* of a column, as it is declared */
uint32_t kgi_im_component(kgi_import *im, uint32_t type, uint32_t k); /* the type of the k-th part of a composite */
uint32_t kgi_im_parts(kgi_import *im, uint32_t type);                 /* how many it has */
uint32_t kgi_im_first_leaf(kgi_import *im, uint32_t type, uint32_t k); /* of the k-th part, among all */
uint32_t kgi_im_leaf_types(kgi_import *im, uint32_t type, uint32_t *out); /* the scalar type's id of each leaf */
uint32_t kgi_im_pointee(kgi_import *im, uint32_t pointer);

/* ---- consts.c ---- */

bool kgi_im_is_constant(SpvOp op);
kgi_val *kgi_im_constant(kgi_import *im, const kgi_im_inst *x);
kgi_dim kgi_im_dim(kgi_import *im, uint32_t id);
/* Those that the caller knows, by name or SpecId. */
bool kgi_im_fix_constants(kgi_import *im);
/* What a specialization constant is called that the constant is made of, and that nobody has said; false: there is none. */
bool kgi_im_unsaid(kgi_import *im, uint32_t id, char name[64]);
/* What an integer constant is, where it is known. */
bool kgi_im_known(kgi_import *im, uint32_t id, int64_t *out);

/* ---- columns.c ---- */

bool kgi_im_describe(kgi_import *im, uint32_t variable); /* its columns, once; of a load: those of its copy */

/* ---- bindings.c ---- */

void kgi_im_check_bindings(kgi_import *im); /* of what the walk used */
bool kgi_im_bindings_meet(kgi_import *im);  /* of what is declared: before any walk */

/* ---- interface.c: variables as buffers, params, shared memory and vars ---- */

void kgi_im_declare(kgi_import *im);
void kgi_im_settle(kgi_import *im); /* modes, when the walk is over */
bool kgi_im_declare_var(kgi_import *im, uint32_t variable);
/* How many elements of its object an index of a level of memory of the host counts. */
uint32_t kgi_im_factor(const kgi_im_column *c, uint32_t level);
const char *kgi_im_fresh_name(kgi_import *im, const char *wanted); /* legal, and nobody else's */

/* ---- memory.c ---- */

kgi_im_place *kgi_im_pointer(kgi_import *im, uint32_t id);
void kgi_im_access_chain(kgi_import *im, const kgi_im_inst *x);
kgi_im_place *kgi_im_whole(kgi_import *im, uint32_t id); /* of a variable */
kgi_val *kgi_im_load(kgi_import *im, const kgi_im_place *place);
void kgi_im_note_load(kgi_import *im, const kgi_im_place *place); /* by the first walk: a scalar that has to be declared */
/* Word `k` of the builtin, which is gl_SubgroupEqMask or its like. */
kgi_val kgi_im_lane_mask(kgi_import *im, uint32_t builtin, uint32_t k);
void kgi_im_store(kgi_import *im, const kgi_im_place *place, const kgi_val *leaves);
/* The element of a place that holds one scalar. */
bool kgi_im_element(kgi_import *im, const kgi_im_place *place, kgi_obj *object, kgi_val *index);
void kgi_im_array_length(kgi_import *im, const kgi_im_inst *x);
/* One step further: into a member, or an element. `at`: of the instruction that asks. */
bool kgi_im_step(kgi_import *im, uint32_t at, kgi_im_place *place, kgi_im_index index);
void kgi_im_zero_shared(kgi_import *im); /* in front of the body */
void kgi_im_zero_copied(kgi_import *im, const kgi_im_inst *variable, const kgi_im_place *place); /* behind its declaration */
void kgi_im_zero(kgi_import *im, uint32_t at, const kgi_im_place *place); /* of an invocation */
bool kgi_im_store_zeros(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *place); /* by loops, where `x` stores null to a long array */

/* ---- arrays.c: values without leaves, which are places ---- */

bool kgi_im_is_array(kgi_import *im, uint32_t type);
void kgi_im_load_array(kgi_import *im, const kgi_im_inst *x, kgi_im_place *from);
void kgi_im_store_array(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to);
void kgi_im_extract_from_array(kgi_import *im, const kgi_im_inst *x);
void kgi_im_declare_array_phi(kgi_import *im, const kgi_im_inst *x);
/* What comes to a phi on one way: the id `from`. */
typedef struct kgi_im_handed { kgi_im_inst phi; uint32_t from; bool stored; } kgi_im_handed;
void kgi_im_store_array_phis(kgi_import *im, kgi_im_handed *handed, uint32_t count); /* all such of a block */

/* ---- pointers.c: pointers in memory, which are addresses of the host's buffers ---- */

bool kgi_im_has_layout(SpvStorageClass class); /* the host's memory */
void kgi_im_load_pointer(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *from);
void kgi_im_store_pointer(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to, uint32_t id);
void kgi_im_place_roots(kgi_import *im);     /* sets and bindings of what they lead to */
/* Into one descriptor of an array of them: the place of all that it holds; NULL: a fault, or there will be another walk. */
kgi_im_place *kgi_im_descriptor(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *array, kgi_im_index index);
bool kgi_im_is_descriptors(kgi_import *im, const kgi_im_variable *v);
void kgi_im_settle_pointers(kgi_import *im); /* that none was changed, when the walk is over */
bool kgi_im_is_address(kgi_import *im, const kgi_im_inst *type);

/* ---- addresses.c: pointers in memory as numbers ---- */

bool kgi_im_may_be_address(kgi_import *im, const kgi_im_place *place); /* of a scalar */
void kgi_im_lies_at(kgi_import *im, kgi_val v, const kgi_im_place *place); /* it was loaded there, as one that may be */
/* It is stored to an element of a var, or was loaded from it. KGI_IM_NONE: from any. */
void kgi_im_hold(kgi_import *im, kgi_obj var, uint32_t element, kgi_val v);
void kgi_im_is_held(kgi_import *im, kgi_obj var, uint32_t element, kgi_val v);
kg_status kgi_im_need_addresses(kgi_import *im);             /* at the end of the first walk: which are needed as numbers */

/* ---- values.c ---- */

typedef enum kgi_im_as { KGI_IM_RESULT, KGI_IM_SIGNED, KGI_IM_UNSIGNED, KGI_IM_FIRST, KGI_IM_PLAIN } kgi_im_as;
void kgi_im_bind(kgi_import *im, const kgi_im_inst *x, kgi_val *leaves);
kgi_val *kgi_im_room(kgi_import *im, uint32_t leaves);
/* The leaves of an id, each visible here. */
kgi_val *kgi_im_value(kgi_import *im, uint32_t id);
kgi_val kgi_im_scalar_value(kgi_import *im, uint32_t id);
kgi_val kgi_im_visible(kgi_import *im, kgi_val x);
/* A scalar var of the import's own, and what it says of addresses. */
void kgi_im_keep(kgi_import *im, kgi_obj var, kgi_val x);
kgi_val kgi_im_load_kept(kgi_import *im, kgi_obj var);
/* The instruction around `inst` that stands in a block which the cursor is in. */
uint32_t kgi_im_around(const kgi_program *p, uint32_t inst, kgi_blk cursor);
bool kgi_im_is_open(const kgi_program *p, kgi_blk block, kgi_blk from); /* `from` is the block, or inside of it */
uint32_t kgi_im_type_of(kgi_import *im, uint32_t id);
/* One of the rows of opcodes.def that is an operation, leaf by leaf. */
void kgi_im_operation(kgi_import *im, const kgi_im_inst *x, kgi_op op, kgi_im_as as, bool negated);
void kgi_im_apply(kgi_import *im, const kgi_im_inst *x, const uint32_t *ids, uint32_t count, kgi_op op, kgi_im_as as,
                  bool negated);
kgi_val kgi_im_as_type(kgi_import *im, kgi_val x, kgi_im_scalar from, kgi_im_scalar to);
kgi_val kgi_im_narrow(kgi_import *im, kgi_val x, kgi_im_scalar type);

/* ---- opcodes.c, own.c, glsl.c ---- */

void kgi_im_instruction(kgi_import *im, const kgi_im_inst *x);
void kgi_im_glsl(kgi_import *im, const kgi_im_inst *x);
void kgi_im_atomic(kgi_import *im, const kgi_im_inst *x, kgi_atomic op, kgi_im_as as);
void kgi_im_group(kgi_import *im, const kgi_im_inst *x, const kgi_subgroup *rows, kgi_im_as as); /* reduction, two scans */
/* clusters.c: how many lanes there are, known and asserted to run; and what they have, joined. */
bool kgi_im_begin_cluster(kgi_import *im, const kgi_im_inst *x, uint32_t *lanes);
kgi_val kgi_im_join_cluster(kgi_import *im, kgi_subgroup reduction, kgi_val value, uint32_t lanes);
void kgi_im_lanes(kgi_import *im, const kgi_im_inst *x, kgi_subgroup op);
#define OWN(name, code) void kgi_im_own_##code(kgi_import *im, const kgi_im_inst *x);
#include "spirv/import/opcodes.def"

/* ---- flow.c ---- */

bool kgi_im_count_step(kgi_import *im, const kgi_im_inst *x); /* false past the limit of steps */
void kgi_im_walk_entry(kgi_import *im);
void kgi_im_call(kgi_import *im, const kgi_im_inst *x);
#endif
