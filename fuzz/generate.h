/* fuzz: random programs and their reduction, a library for tests that is never in libkgrad; and the fuzz targets. */
/* Random programs: bytes in, a module out that is valid, free of races, terminating, and whose values stay where results mean
 * something. By construction, never by rejection: every sequence of bytes is a program, equal bytes give equal programs, and
 * smaller bytes give simpler ones, which is what the reducer (fuzz/reduce/reduce.h) works on.
 *
 * What is promised of the module, run with the defaults of its params and data as kgi_fuzz_data fills it:
 *   - no two invocations touch an element, one of them writing, unless a barrier orders them or both are atomic adds;
 *   - a `write` buffer is written everywhere, shared memory and vars before they are read;
 *   - floats stay within a few thousands and no operation leaves its domain, KGI_FUZZ_EDGES aside;
 *   - an invocation's loops have a few thousand iterations together at most. */
#ifndef KGI_FUZZ_GENERATE_H
#define KGI_FUZZ_GENERATE_H
#include "foundation/ir/program.h"

/* What may occur: rows of features.def. */
typedef enum kgi_fuzz_feature {
#define FEATURE(ID, bit, name, text) KGI_FUZZ_##ID = 1 << bit,
#include "fuzz/features.def"
  KGI_FUZZ_ALL = 0
#define FEATURE(ID, bit, name, text) | KGI_FUZZ_##ID
#include "fuzz/features.def"
} kgi_fuzz_feature;
uint32_t kgi_fuzz_feature_named(const char *name); /* 0: there is none */
const char *kgi_fuzz_feature_at(unsigned index, const char **text); /* its name; NULL: there are no more */

/* Some of those that shapes.def lists. */
enum { KGI_FUZZ_MOST_SHAPES = 128 };
typedef struct kgi_fuzz_shapes { uint64_t bits[KGI_FUZZ_MOST_SHAPES / 64]; } kgi_fuzz_shapes;
static inline bool kgi_fuzz_has_shape(const kgi_fuzz_shapes *s, unsigned shape) { return s->bits[shape / 64] >> shape % 64 & 1; }
static inline void kgi_fuzz_add_shape(kgi_fuzz_shapes *s, unsigned shape) { s->bits[shape / 64] |= UINT64_C(1) << shape % 64; }

typedef struct kgi_fuzz_params {
  const uint8_t *bytes; /* the choices; zeros follow */
  size_t size;
  uint32_t features;
  uint32_t statements;  /* about so many in a program; 0: from 4 to 75 */
  const kg_allocator *alloc;
  kgi_fuzz_shapes *shapes; /* if not NULL: which of shapes.def the module has */
} kgi_fuzz_params;

/* KG_OK or KG_NO_MEMORY; anything else is a defect of the generator, and `diags` says which. */
kg_status kgi_fuzz_generate(const kgi_fuzz_params *params, kgi_diags *diags, kg_module **out);

enum { KGI_FUZZ_BYTES = 4096 };
/* The bytes of a seed, the same on every machine. */
void kgi_fuzz_bytes(uint64_t seed, uint8_t *bytes, size_t size);

/* Element k of a buffer, by its declared range, else [-1.5, 1.5) or a few bits; every second float buffer holds multiples of
 * 1/4, so that ties happen. The same for the same name, whatever else the module has. */
#define KGI_FUZZ_WILD (UINT64_C(1) << 63) /* in the seed: floats without a range are infinite, NaN, tiny and huge, too */
double kgi_fuzz_data(const kg_module *module, uint32_t buffer, double lo, double hi, uint64_t seed, uint64_t k);
/* The same for many elements: `stream` is worked out once for a buffer. */
uint64_t kgi_fuzz_stream(const kg_module *module, uint32_t buffer, uint64_t seed);
double kgi_fuzz_element(const kg_module *module, uint32_t buffer, double lo, double hi, uint64_t seed, uint64_t stream, uint64_t k);

/* What a number of modules held, as counts. Types are kg_type, statements kgi_kind. */
typedef enum kgi_fuzz_place {
  KGI_FUZZ_IN_BUFFER, KGI_FUZZ_IN_SHARED, KGI_FUZZ_IN_VAR, KGI_FUZZ_IN_ARRAY, KGI_FUZZ_IN_PARAM, KGI_FUZZ_IN_CONST, KGI_FUZZ_PLACES
} kgi_fuzz_place;
typedef enum kgi_fuzz_owner { /* of a block */
  KGI_FUZZ_OF_BODY, KGI_FUZZ_OF_IF, KGI_FUZZ_OF_ELSE, KGI_FUZZ_OF_FOR, KGI_FUZZ_OF_CONDITION, KGI_FUZZ_OF_WHILE, KGI_FUZZ_OF_REGION,
  KGI_FUZZ_OF_CHECKPOINT, KGI_FUZZ_OWNERS
} kgi_fuzz_owner;
enum { KGI_FUZZ_TRAITS = 40, KGI_FUZZ_DIMS = KGI_DIM_MAX + 1, KGI_FUZZ_AXES = 3 };
typedef struct kgi_fuzz_coverage {
  uint64_t modules, programs, instructions;
  uint64_t kind[KGI_KIND_COUNT];
  uint64_t op[KGI_OP_COUNT][KGI_TYPE_COUNT];      /* by the type of the operand that leads */
  uint64_t convert[KGI_TYPE_COUNT][KGI_TYPE_COUNT], bitcast[KGI_TYPE_COUNT][KGI_TYPE_COUNT]; /* [from][to] */
  uint64_t atomic[2][KGI_ATOMIC_COUNT][KGI_TYPE_COUNT]; /* [shared] */
  uint64_t result[KGI_ATOMIC_COUNT];              /* whose result is used */
  uint64_t subgroup[KGI_SUBGROUP_COUNT][KGI_TYPE_COUNT];
  uint64_t id[KGI_ID_COUNT][KGI_FUZZ_AXES];
  uint64_t type[KGI_FUZZ_PLACES][KGI_TYPE_COUNT];
  uint64_t index[2][KGI_TYPE_COUNT];              /* of loads and stores; of loops */
  uint64_t nested[KGI_FUZZ_OWNERS][KGI_KIND_COUNT];
  uint64_t after[KGI_KIND_COUNT][KGI_KIND_COUNT]; /* [before] */
  uint64_t dim[KGI_FUZZ_DIMS];                    /* operations of lengths and grids */
  uint64_t trait[KGI_FUZZ_TRAITS];                /* coverage.c names them */
  uint64_t shape[KGI_FUZZ_MOST_SHAPES];           /* shapes.def names them */
} kgi_fuzz_coverage;
/* `shapes`: what kgi_fuzz_generate said of the module. */
void kgi_fuzz_cover(kgi_fuzz_coverage *coverage, const kg_module *module, const kgi_fuzz_shapes *shapes);
const char *kgi_fuzz_shape_name(unsigned shape); /* NULL: there are no more */

/* Every cell of these tables that a valid program may fill: `name` is "op add f16", "after if for". */
typedef void kgi_fuzz_cell(void *user, const char *table, const char *name, uint64_t count);
void kgi_fuzz_cells(const kgi_fuzz_coverage *coverage, kgi_fuzz_cell *cell, void *user);
#endif
