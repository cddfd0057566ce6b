/* The generator's insides: what it knows of the values and objects in scope, so that whatever it makes next is sound. */
#ifndef KGI_FUZZ_GEN_H
#define KGI_FUZZ_GEN_H
#include "foundation/ir/builder.h"
#include "fuzz/generate.h"

/* A value in scope, with bounds that hold for the default params. */
typedef struct kgi_gval {
  kgi_val v;
  kg_type type;
  bool uniform; /* the same for a workgroup */
  double lo, hi;
} kgi_gval;

/* Lengths of buffers, as programs and modules both can write them. */
typedef enum kgi_glen_kind {
  GLEN_CONST, GLEN_N, GLEN_M, GLEN_N_PLUS, GLEN_N_TIMES, GLEN_TILES, GLEN_HOST, GLEN_MIXED, GLEN_MATRIX
} kgi_glen_kind;
typedef struct kgi_glen {
  uint8_t kind;
  uint8_t k;    /* CONST: the length; N_PLUS, N_TIMES: the number; TILES: elements of each invocation; MIXED, MATRIX: which expression */
  uint8_t wide; /* TILES: the workgroup */
} kgi_glen;

/* How a program may use an object without a race. */
typedef enum kgi_grole {
  ROLE_INPUT,   /* read, at any index */
  ROLE_OWN,     /* read and written, each invocation its own elements, below the guard */
  ROLE_SCATTER, /* atomics at any index, and nothing else */
  ROLE_SILENT,  /* of a workgroup: stored to, and never read */
  ROLE_STRIDE,  /* read and written, element j by the invocation j modulo their number */
  ROLE_ONCE,    /* read at one place of the program */
  ROLE_MATRIX,  /* of several dimensions: an input that only shapes read */
  ROLE_OWNED,   /* of several dimensions: each invocation its own rows, columns or layers, below the guard */
  ROLE_TILE,    /* of a workgroup: by phases, between barriers */
  ROLE_VAR,
  ROLE_ARRAY,
} kgi_grole;
typedef enum kgi_gphase { PHASE_OWN, PHASE_READ, PHASE_ATOMIC } kgi_gphase;

typedef struct kgi_gobject {
  kgi_obj o;
  kgi_grole role;
  kg_type type;   /* in memory */
  kg_mode mode;   /* buffers */
  kgi_glen length;
  uint8_t per;    /* elements of each invocation: OWN, TILE */
  uint8_t layout; /* OWN: how they lie; OWNED: which of them the invocation owns; SCATTER, TILE: the kgi_atomic that is applied to them */
  uint8_t phase;  /* TILE */
  bool scalar;    /* takes no index */
  bool atomics;   /* TILE: has phases of atomics */
  bool touched;   /* SILENT: stored to before; ONCE: loaded */
  double lo, hi;  /* of its contents */
} kgi_gobject;

enum { GEN_VALUES = 2048, GEN_OBJECTS = 96, GEN_DEPTH = 5, GEN_TRIPS = 60 };
enum { GEN_SEVERAL = 4 }; /* of what a rare shape is made of, each of which counts */

/* A second view of a buffer's elements; `shifted`: it begins one earlier. */
enum { KGI_GEN_SECONDS = 4 };
typedef struct kgi_gsecond { uint32_t of, object; bool shifted; } kgi_gsecond;
typedef struct kgi_gviews {
  const uint8_t *first, *last; /* what is left of the choices */
  bool wanted;
  kgi_gsecond second[KGI_GEN_SECONDS];
  unsigned seconds;
} kgi_gviews;

/* Which shape of generate_rare.c it gets, once. Those from RARE_stencil on have buffers of their own. */
typedef enum kgi_grare {
  RARE_none, RARE_handed_on, RARE_branched, RARE_fenced, RARE_lanes, RARE_extreme, RARE_left, RARE_open, RARE_integers, RARE_floats, RARE_powers,
  RARE_halves, RARE_guards, RARE_stencil, RARE_rows, RARE_common, RARE_states, RARES
} kgi_grare;

typedef struct kgi_gen {
  kgi_builder b;
  const uint8_t *at, *end;
  uint32_t features;
  int budget;            /* statements that may still be made */
  bool lone;             /* no module of several runs, where lengths of buffers have other names */
  /* the program under construction */
  kg_type real;          /* the float type that it computes in */
  uint32_t n, m;         /* what its params are */
  uint32_t width, height; /* of rows, and of sheets of rows; 0: none */
  uint32_t group, size[3], groups[3]; /* invocations of a workgroup, its sides, and how many there are */
  uint32_t spec;         /* the workgroup's size as a constant; 0: none */
  kgi_gval value[GEN_VALUES];
  unsigned values;
  kgi_gobject object[GEN_OBJECTS];
  unsigned objects;
  kgi_gval own;          /* the invocation's number, below the guard */
  unsigned names;
  /* where the next statement goes */
  bool uniform, guarded; /* the whole workgroup is here; the invocation has elements of its own */
  bool jumps, returns;   /* the innermost loop may be left by some; every output has been written */
  bool left;             /* some have left the program */
  bool whole_jumps;      /* the innermost loop may be left by the workgroup together */
  uint8_t loop_phase[GEN_OBJECTS]; /* of shared memory, where the innermost loop begins */
  unsigned depth, loops, trips;
  kgi_gviews views;
  kgi_grare rare;
  bool had_rare;         /* it gets one, or got it: what comes of that reaches every output of floats */
  kgi_obj open;          /* the buffer that one of them is made with; 0: none */
  kgi_obj from, by, to;  /* those of others: what is loaded, an element for each invocation, and what is stored */
  uint8_t kind;          /* of what is loaded, as the shape says */
  uint32_t lanes;        /* the grid has so many times n invocations */
  bool focused;          /* a short program around a shape, ... */
  kgi_obj result;        /* ... and the var that what comes of shapes is counted into */
  kgi_fuzz_shapes shapes; /* of shapes.def: which there are */
} kgi_gen;

/* choices */
unsigned kgi_choose(kgi_gen *g, unsigned count); /* below count; 0 is the simplest */
bool kgi_chance(kgi_gen *g, unsigned of);        /* one in so many; false is simpler */
static inline bool kgi_has(const kgi_gen *g, uint32_t feature) { return (g->features & feature) != 0; }

/* generate_values.c: every value made is in scope afterwards. */
kgi_gval kgi_gpush(kgi_gen *g, kgi_val v, double lo, double hi, bool uniform);
kgi_gval kgi_gliteral(kgi_gen *g, kg_type type, double x);
bool kgi_gpick(kgi_gen *g, kg_type type, bool uniform, kgi_gval *out); /* false: none in scope */
kgi_gval kgi_greal(kgi_gen *g);                  /* a float, picked, loaded or made */
kgi_gval kgi_gint(kgi_gen *g, bool uniform);     /* an i32 or u32, possibly wild */
kgi_gval kgi_gbool(kgi_gen *g, bool uniform);
kgi_gval kgi_gof(kgi_gen *g, kg_type type);      /* of any computing type; floats in [-2, 2] */
kgi_gval kgi_gop(kgi_gen *g, kgi_op op, const kgi_gval *x, unsigned count, double lo, double hi);
void kgi_gwild(kg_type type, double *lo, double *hi); /* all values of an integer type, [lo, hi) */
kgi_gval kgi_gconvert(kgi_gen *g, kg_type type, kgi_gval x);
/* A function of x with bounds in [lo, hi]. */
kgi_gval kgi_gfit(kgi_gen *g, kgi_gval x, double lo, double hi);
/* Below `count`, which must be at least 1: a u32, or an i32. `length`: the count as a value, or {0}. */
kgi_gval kgi_gbelow(kgi_gen *g, uint32_t count, kgi_val length);
kgi_gval kgi_gindex(kgi_gen *g, uint32_t count, kgi_val length); /* the same, or with KGI_FUZZ_BOUNDS now and then anything */

/* generate_math.c: a let of one operation, or a few */
void kgi_glet_real(kgi_gen *g);
void kgi_glet_int(kgi_gen *g);
void kgi_glet_bits(kgi_gen *g);
void kgi_glet_any(kgi_gen *g);      /* rows that take every type, and conversions */
void kgi_glet_subgroup(kgi_gen *g); /* generate_subgroup.c, and ... */
bool kgi_gshape_of_lanes(kgi_gen *g); /* ... a shape */

/* generate_memory.c */
uint32_t kgi_glength(const kgi_gen *g, kgi_glen length);  /* with the default params; 7 where the host decides */
kgi_dim kgi_glength_dim(kgi_gen *g, kgi_glen length);     /* in the builder's scope */
void kgi_gdeclare(kgi_gen *g);                            /* the program's buffers and shared memory */
void kgi_gprepare(kgi_gen *g);                            /* what must be written first */
void kgi_gresult(kgi_gen *g);                             /* declares g->result */
bool kgi_gload(kgi_gen *g, kgi_gval *out);                /* a float, from anywhere that may be read; false: there is nothing */
bool kgi_gload_int(kgi_gen *g, kgi_gval *out);
bool kgi_gload_bool(kgi_gen *g, kgi_gval *out);
bool kgi_gstore_var(kgi_gen *g);                          /* false: nothing to store to */
bool kgi_gstore_own(kgi_gen *g);
bool kgi_gscatter(kgi_gen *g);
bool kgi_gtile(kgi_gen *g);
bool kgi_gatomic_own(kgi_gen *g, bool value);              /* `value`: one that has a result */
void kgi_gstorage(kg_type type, double *lo, double *hi);  /* what loads of an integer type of memory give, [lo, hi] */
void kgi_gvar(kgi_gen *g);
void kgi_gfinish(kgi_gen *g);                             /* every output, everywhere */
void kgi_gdraws(kgi_gen *g);                              /* of a lone program that is done: how its buffers' data are drawn */
const char *kgi_gname(kgi_gen *g, const char *base, char out[24]);

/* generate_flow.c */
void kgi_gblock(kgi_gen *g, unsigned statements);
/* if i < n { body }, or if !(i < n) { return } body, which must then be the end. */
void kgi_gguard(kgi_gen *g, void (*body)(kgi_gen *g), bool early);
void kgi_gbarrier(kgi_gen *g);

typedef struct kgi_gmark { unsigned values, objects; } kgi_gmark;
/* What a block changes and its end restores. */
typedef struct kgi_gstate {
  kgi_gmark mark;
  bool uniform, guarded, jumps, whole_jumps;
  unsigned depth, loops, trips;
  uint8_t phase[GEN_OBJECTS], loop_phase[GEN_OBJECTS];
} kgi_gstate;
void kgi_genter(kgi_gen *g, kgi_gstate *s);
/* Into a loop's body: `uniform`, the workgroup takes the same trips together. */
void kgi_genter_loop(kgi_gen *g, kgi_gstate *s, bool uniform, unsigned trips);
void kgi_gexit(kgi_gen *g, const kgi_gstate *s);

/* generate_shapes.c: one of the shapes of shapes.def that may stand here; false: none may */
typedef enum kgi_gshape_id {
#define SHAPE(name, text) SHAPE_##name,
#include "fuzz/shapes.def"
#undef SHAPE
  SHAPES
} kgi_gshape_id;
bool kgi_gshape(kgi_gen *g);
static inline void kgi_gmade(kgi_gen *g, kgi_gshape_id shape) { kgi_fuzz_add_shape(&g->shapes, shape); }
kgi_gval kgi_gtame(kgi_gen *g);                            /* a float in [-2, 2], and ... */
kgi_gval kgi_gbent(kgi_gen *g, kgi_gval x);                /* ... one that does not depend on x linearly */
kgi_obj kgi_gsum(kgi_gen *g);                              /* a var in [-2, 2], and ... */
void kgi_gcount(kgi_gen *g, kgi_obj sum, kgi_gval x);      /* ... to it, with less and less weight of what was, ... */
kgi_gval kgi_gtotal(kgi_gen *g, kgi_obj sum);              /* ... and what came of it */
/* for NAME in u32(0) .. to, and one in so many reversed; 0: none */
kgi_val kgi_gfor(kgi_gen *g, const char *base, kgi_val to, unsigned reversed);
const kgi_gobject *kgi_gfind(kgi_gen *g, kgi_grole role);  /* one of the role, or NULL */

void kgi_gcount_newest(kgi_gen *g);                        /* what a shape made last is what came of it */

/* generate_tiles.c: shapes that the whole workgroup takes part in */
bool kgi_gshape_of_workgroup(kgi_gen *g);
bool kgi_gshape_handed_on(kgi_gen *g);
bool kgi_gshape_branched(kgi_gen *g);
bool kgi_gshape_fenced(kgi_gen *g);
bool kgi_gshape_of_object(kgi_gen *g); /* with one that was declared for it */

/* generate_matrices.c: arrays of several dimensions, and their shapes, alone or with the whole workgroup */
unsigned kgi_gextents(kgi_glen length, kgi_glen out[3]); /* how many there are */
void kgi_gmatrices(kgi_gen *g);                          /* declares a few */
bool kgi_gshape_of_matrix(kgi_gen *g);
bool kgi_gshape_of_square(kgi_gen *g);

/* generate_calls.c: calls of functions of the language */
bool kgi_gshape_of_calls(kgi_gen *g);

/* generate_edges.c: shapes of values at the ends of what their types hold */
bool kgi_gshape_of_integers(kgi_gen *g);
bool kgi_gshape_of_floats(kgi_gen *g);
bool kgi_gshape_of_powers(kgi_gen *g);
bool kgi_gshape_of_halves(kgi_gen *g);
bool kgi_gshape_of_guards(kgi_gen *g);
void kgi_gcount_bits(kgi_gen *g, kgi_gval x); /* all bits of a word count in a number of [0, 2) */

/* generate_stencils.c, generate_rows.c: shapes with buffers of their own, which are declared first, and then stored to in any case */
void kgi_gdeclare_stencil(kgi_gen *g);
bool kgi_gshape_stencil(kgi_gen *g);
void kgi_gdeclare_rows(kgi_gen *g);
bool kgi_gshape_rows(kgi_gen *g);
bool kgi_gshape_common_row(kgi_gen *g);
bool kgi_gshape_states(kgi_gen *g);

/* generate_rare.c: before a program's grid and buffers are declared; with them; and wherever the shape may stand. */
void kgi_gpick_rare(kgi_gen *g);
void kgi_gdeclare_rare(kgi_gen *g);
void kgi_gshape_rare(kgi_gen *g);

/* generate_views.c: before anything else; behind a buffer's declaration (`own`: its accesses are of role OWN); when all of a lone
 * program, or all of a module, is there. */
unsigned kgi_gpick_last(kgi_gen *g, unsigned count); /* below count, from the end of the bytes; 0 when none are left */
void kgi_gviews_begin(kgi_gen *g, const uint8_t *bytes, size_t size);
void kgi_gview_second(kgi_gen *g, kgi_obj of, bool own);
void kgi_gviews_program(kgi_gen *g);
void kgi_gviews_module(kgi_gen *g);

/* generate_slices.c: of a module without views. */
void kgi_gslices_module(kgi_gen *g);

/* generate.c: what is in scope now, and back to it */
static inline kgi_gmark kgi_gscope(const kgi_gen *g) { return (kgi_gmark){g->values, g->objects}; }
static inline void kgi_gleave(kgi_gen *g, kgi_gmark mark) { g->values = mark.values, g->objects = mark.objects; }
#endif
