/* kgrad/foundation.h: kernels as data. Modules and programs, their text and binary forms, their digests,
 * and the diagnostics that every fallible function reports through.
 *
 * Rules that hold for the whole library:
 *   - fallible functions return kg_status and put outputs last; on failure outputs are untouched;
 *   - diagnostics go to the sink that the caller passes (NULL: they are dropped); there is no global state;
 *   - `kg_thing_free(NULL)` is fine; a params struct that is all zeros means the defaults;
 *   - nothing here aborts or exits on bad input, and a failed allocation is KG_NO_MEMORY;
 *   - memory comes from the kg_allocator that the caller passes. What a function gives to the caller as bytes or text goes back by
 *     kg_bytes_free with the same allocator and the size that is stated; what it gives as an object, by that object's own free
 *     function, which knows its allocator. An allocator is copied; its user data must live as long as what was made with it. The
 *     thread that calls a function is the one on which its allocator and its sink are called;
 *   - neither the caller's locale nor its floating-point environment changes any result. While a function runs that computes with
 *     floats, the thread has the environment in which programs start; so do the callbacks that it calls. */
#ifndef KGRAD_FOUNDATION_H
#define KGRAD_FOUNDATION_H

#include <kgrad/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Public declarations carry this so that a build with hidden visibility exports them. */
#if defined __GNUC__
#define KG_API __attribute__((visibility("default")))
#else
#define KG_API
#endif

typedef enum kg_status {
  KG_OK = 0,
  KG_INVALID,     /* the input is wrong: text, binary, arrays, arguments; a diagnostic says how */
  KG_REFUSED,     /* the input is fine, but this cannot be done with it; a diagnostic says why and what to do */
  KG_NO_MEMORY,   /* an allocation failed */
  KG_UNAVAILABLE, /* no such device, loader or feature on this machine */
  KG_FAILED,      /* a program failed while it ran: assert, loop limit, lost device */
} kg_status;

/* KG_VERSION_NUMBER and KG_VERSION_STRING of the library that runs, whatever the program was compiled with. */
KG_API uint32_t kg_version(void);
KG_API const char *kg_version_string(void);
/* "KG_INVALID", and "the input is wrong"; for what is no status an empty name. */
KG_API const char *kg_status_name(kg_status status);
KG_API const char *kg_status_message(kg_status status);

/* Element and value types. `bool i32 u32 i64 u64 f16 f32 f64` compute; the rest are for storage and convert on load and
 * store. The numbers are part of the binary form. */
typedef enum kg_type {
  KG_NONE = 0,
  KG_BOOL = 1,
  KG_I32 = 2,
  KG_U32 = 3,
  KG_I64 = 4,
  KG_U64 = 5,
  KG_F16 = 6,
  KG_F32 = 7,
  KG_F64 = 8,
  KG_I8 = 9,
  KG_U8 = 10,
  KG_I16 = 11,
  KG_U16 = 12,
  KG_BF16 = 13,
} kg_type;

/* The name of a type in the language ("f32"), never NULL; its size in bytes (bool: 1; KG_NONE: 0). */
KG_API const char *kg_type_name(kg_type type);
KG_API size_t kg_type_size(kg_type type);

/* What a device may do with arithmetic of floats. doc/precision.md says which instruction each operation becomes in each, and what
 * results a device may then give: no mode is without bounds. The reference computes as in the first, whatever is asked for. */
typedef enum kg_math {
  KG_MATH_EXACT,   /* sums and products as they are written, and kgrad's own functions */
  KG_MATH_DEFAULT, /* a * b + c may be rounded once, and functions that Vulkan bounds in units are the device's own */
  KG_MATH_FAST,    /* those too that Vulkan bounds loosely, as far off as 2^-11 */
} kg_math;
enum { KG_MATH_COUNT = 3 };
/* "exact", "default", "fast"; NULL: it is none. */
KG_API const char *kg_math_name(kg_math math);

/* How a program or module uses a buffer. `read`: never stored. `write`: contents on entry undefined, loads refused.
 * `read_write`: contents on entry are an input, on exit an output. `temp`: allocated by the driver (modules only). */
typedef enum kg_mode { KG_READ = 1, KG_WRITE = 2, KG_READ_WRITE = 3, KG_TEMP = 4 } kg_mode;

/* Memory comes from here. All zeros: malloc, realloc and free. `resize(user, NULL, 0, n)` allocates n bytes,
 * `resize(user, p, old, 0)` frees, NULL means failure. */
typedef struct kg_allocator {
  void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
  void *user;
} kg_allocator;

typedef enum kg_severity { KG_NOTE, KG_WARNING, KG_ERROR } kg_severity;

/* One diagnostic. Strings live only during the call. `line` and `column` count from 1; 0: no position. */
typedef struct kg_diag {
  const char *id;      /* stable, for programs: "type-mismatch" */
  kg_severity severity;
  const char *file;    /* the name that the caller gave, or "" */
  uint32_t line, column;
  const char *message; /* one line: "expected f32 but got u32" */
  const char *fix;     /* one line, or "" */
} kg_diag;

/* Where diagnostics go. */
typedef struct kg_sink {
  void (*emit)(void *user, const kg_diag *diag);
  void *user;
} kg_sink;

/* One program, or several with the buffers and the order of runs that tie them together. A lone program is a module of
 * one run. Immutable once made; safe to share between threads. */
typedef struct kg_module kg_module;

/* Reads the language (doc/language.md). `name` is used in diagnostics. `text` need not end in a NUL. */
KG_API kg_status kg_module_parse(const kg_allocator *alloc, const char *name, const char *text, size_t size,
                                 const kg_sink *sink, kg_module **out);
/* Brings the texts of other files, which a text names with `use "file.kg"`. `path` is what that path is from where `name` is relative
 * to: a text named "kernels/a.kg" that uses "lib/b.kg" asks for "kernels/lib/b.kg". The text must stay until the module is parsed.
 * False: there is none. Each file is asked for once. */
typedef struct kg_loader {
  bool (*load)(void *user, const char *path, const char **text, size_t *size);
  void *user;
} kg_loader;
/* The same; without a loader (NULL), and in kg_module_parse, a text that uses others is invalid. */
KG_API kg_status kg_module_parse_with(const kg_allocator *alloc, const char *name, const char *text, size_t size,
                                      const kg_loader *loader, const kg_sink *sink, kg_module **out);
/* Prints it: parsing the result gives an equal module. `*out` is NUL-terminated, `*size` excludes the NUL; free with
 * kg_bytes_free(alloc, *out, *size + 1) and the same allocator. */
KG_API kg_status kg_module_print(const kg_allocator *alloc, const kg_module *module, const kg_sink *sink, char **out, size_t *size);

/* Its tables and numbered instructions, for people who debug a pass: nothing reads this back, and its form may change. */
KG_API void kg_module_write_tree(const kg_module *module, void (*write)(void *user, const char *text, size_t size),
                                 void *user);

/* Reads and writes the binary form (doc/binary.md). */
KG_API kg_status kg_module_decode(const kg_allocator *alloc, const char *name, const void *bytes, size_t size,
                                  const kg_sink *sink, kg_module **out);
/* `*out` has `*size` bytes; free with kg_bytes_free(alloc, *out, *size) and the same allocator. */
KG_API kg_status kg_module_encode(const kg_allocator *alloc, const kg_module *module, const kg_sink *sink, uint8_t **out,
                                  size_t *size);

/* XXH3-128 of the semantic section of the binary form: independent of names and positions. Big-endian, as xxhsum prints. */
typedef struct kg_digest { uint8_t bytes[16]; } kg_digest;
KG_API kg_status kg_module_digest(const kg_module *module, const kg_sink *sink, kg_digest *out);

/* What is known of a module before it runs. All zeros: nothing. Values are written as in the language. */
typedef struct kg_facts {
  const char *const *params; size_t param_count;       /* "n=4096": the param has that value from now on, and is declared no more */
  const char *const *constants; size_t constant_count; /* "T=64": likewise a `const`, in every program that declares it */
  const char *const *assumptions; size_t assumption_count; /* "n % 4 == 0": a condition over params and constants of a lone program, which
                                                              asserts it, and fails where it does not hold. Proofs rest on it */
} kg_facts;
/* The module with that folded into lengths and instructions: it computes what `module` does where the facts hold. `facts` may be NULL.
 * KG_INVALID: a name that the module does not declare or that occurs twice, a value that is not of the type or lies outside of the
 * param's range, a condition that is none, or that the other facts make false. */
KG_API kg_status kg_module_specialise(const kg_allocator *alloc, const kg_module *module, const kg_facts *facts, const kg_sink *sink,
                                      kg_module **out);

KG_API void kg_module_free(kg_module *module);
KG_API void kg_bytes_free(const kg_allocator *alloc, void *bytes, size_t size);

enum { KG_MAX_RANK = 4 };

/* How the random data of a buffer are drawn that no host gives. It says nothing of what a host gives. */
typedef enum kg_draw {
  KG_DRAW_EVENLY,    /* each element by itself */
  KG_DRAW_ASCENDING, /* then each row along the last dimension in order */
  KG_DRAW_DEFINITE,  /* blocks of the last two dimensions are symmetric and positive definite */
  KG_DRAW_POSITIVE,  /* each element by itself, in (0, 1) */
} kg_draw;
enum { KG_DRAW_COUNT = 4 };
/* "ascending"; NULL: evenly, or it is none. */
KG_API const char *kg_draw_name(kg_draw draw);

/* What a host needs to know of a module's buffers and params, in order of declaration. Names live as long as the module. */
typedef struct kg_buffer_info {
  const char *name;
  kg_type type;
  kg_mode mode;
  bool host_length; /* declared `[]`: the array decides */
  bool ranged;      /* the module promises values in [lo, hi) */
  kg_draw draw;
  uint32_t rank;    /* how many dimensions it is declared with, at most KG_MAX_RANK; 0: a scalar */
} kg_buffer_info;
typedef struct kg_param_info {
  const char *name;
  kg_type type;
  bool has_default;
  uint64_t bits; /* the default, as the type's bits, zero-extended */
} kg_param_info;
KG_API const char *kg_module_name(const kg_module *module);
KG_API uint32_t kg_module_buffer_count(const kg_module *module);
KG_API uint32_t kg_module_param_count(const kg_module *module);
KG_API uint32_t kg_module_program_count(const kg_module *module);
KG_API const char *kg_module_program_name(const kg_module *module, uint32_t index); /* "" past the end */
/* Past the end: an empty name, and KG_NONE. */
KG_API kg_buffer_info kg_module_buffer(const kg_module *module, uint32_t index);
KG_API kg_param_info kg_module_param(const kg_module *module, uint32_t index);
/* Whether an operation of any of its programs gives a value of that type: loads and leaves do not count. */
KG_API bool kg_module_computes(const kg_module *module, kg_type type);
/* The index of that name, or UINT32_MAX. */
KG_API uint32_t kg_module_find_buffer(const kg_module *module, const char *name);
KG_API uint32_t kg_module_find_param(const kg_module *module, const char *name);

/* What a host fixes before a module runs. The arrays are the caller's: one entry for each param and for each buffer. A param is
 * its type's bits, zero-extended; a length counts elements. */
typedef struct kg_host {
  uint64_t *param;
  bool *param_given;
  uint64_t *length;
  bool *length_given;
} kg_host;
/* A buffer's array or a param's value, by name. A buffer: `count` elements of its own type, read on entry and written on exit as its
 * mode says; `data` NULL: zeros on entry, and not wanted, with `count` 0 where the declaration decides. A param: `data` points to
 * one value of its own type, and `count` is 1. */
typedef struct kg_binding {
  const char *name;
  void *data;
  uint64_t count;
} kg_binding;
/* Fills a host, and `data`, which has an entry for each buffer, from bindings; nothing else in them is given. KG_INVALID: a name that
 * the module does not declare or that occurs twice, an array for a temp buffer, a param without its value. kg_run_bound does it all. */
KG_API kg_status kg_module_bind(const kg_module *module, const kg_binding *bindings, size_t count, const kg_sink *sink, kg_host *host,
                                void **data);
/* Fills in what was not given: a param that alone is the length of a given array, else its default; then every length. On
 * success all are given. KG_INVALID: a param without a value, an array whose length is not the declared one, a length that
 * cannot be computed. */
KG_API kg_status kg_module_resolve(const kg_module *module, kg_host *host, const kg_sink *sink);
/* A host that has arrays of several dimensions: takes those params that alone are an extent of the buffer from `extent`, which has as
 * many entries as the buffer's rank, where they are not given yet. Call it before kg_module_resolve, with the array's length in
 * `host`. A param that cannot hold the number is left alone. */
KG_API void kg_module_take_extents(const kg_module *module, kg_host *host, uint32_t index, const uint64_t *extent);
/* The extents of a buffer, the slowest first, as many as its rank; of one dimension its length. `host` was resolved. */
KG_API kg_status kg_module_buffer_extents(const kg_module *module, const kg_host *host, uint32_t index, const kg_sink *sink,
                                          uint64_t extent[KG_MAX_RANK]);
/* For a `ranged` buffer: its values lie in [lo, hi). `host` was resolved. */
KG_API kg_status kg_module_buffer_range(const kg_module *module, const kg_host *host, uint32_t index, const kg_sink *sink,
                                        double *lo, double *hi);

/* Elements of arrays, whatever their type: the bits of one, zero-extended, and those bits as a number. Integers beyond 53 bits are
 * rounded as numbers; a number becomes the nearest value of a float type, and must be one of an integer type's. */
KG_API bool kg_type_is_float(kg_type type);
KG_API uint64_t kg_value_load(kg_type type, const void *array, uint64_t index);
KG_API void kg_value_store(kg_type type, void *array, uint64_t index, uint64_t bits);
KG_API double kg_value_number(kg_type type, uint64_t bits);
KG_API uint64_t kg_value_of_number(kg_type type, double number);
/* Fills the array of buffer `index` with values in its range: where none is stated, floats in [-1, 1) and integers in [0, 100),
 * drawn as it is declared to be. A bound that is infinite counts as one some way off the other: `in 0.0 .. inf` gives floats in [0, 2).
 * They are the same for the same seed and the same name of the buffer, on every machine. `host` was resolved. KG_INVALID: no value
 * of the buffer's type lies in its range, or the range cannot be computed. */
KG_API kg_status kg_module_random(const kg_module *module, const kg_host *host, uint32_t index, uint64_t seed, const kg_sink *sink,
                                  void *array);

/* The operations of the language, from the tables: value operations, then atomics, subgroup operations and ids. */
typedef enum kg_op_kind { KG_OP_VALUE, KG_OP_ATOMIC, KG_OP_SUBGROUP, KG_OP_ID } kg_op_kind;
typedef struct kg_op_info {
  kg_op_kind kind;
  uint32_t number;   /* of its constant in kgrad/ops.h: a kg_op, kg_atomic, kg_subgroup or kg_id, by kind */
  const char *name;
  const char *takes; /* the types of its operands, for people: "f16, f32, f64" */
  uint32_t operands; /* an atomic's beside the element */
  bool exact;        /* value operations: the same bits on every conforming host */
  bool commutes;     /* value operations: the first two operands may be swapped */
  /* Value operations: the derivative by each operand, as foundation/ir/ops.def writes it, over the operands a b c d, the result
   * y and, after "=", the cotangent g. "0": none flows; "": never a float; "!": refused. NULL past the operands. */
  const char *partial[4];
  const char *pushforward; /* the partial by operand b in forward mode, where it is another; else NULL */
} kg_op_info;
KG_API uint32_t kg_op_count(void);
KG_API kg_op_info kg_op_at(uint32_t index); /* an empty name past the end */

/* The functions of the prelude, which every file may call (doc/language.md): "relu", "relu(x : real) -> real", and what it gives. */
typedef struct kg_fn_info { const char *name, *signature, *summary; } kg_fn_info;
KG_API uint32_t kg_prelude_count(void);
KG_API kg_fn_info kg_prelude_at(uint32_t index); /* an empty name past the end */

/* The length of the UTF-8 sequence that a text begins with, or 0 where it is none: overlong forms, surrogates and what lies above
 * U+10FFFF are none. Reads no further than a NUL. */
KG_API size_t kg_utf8_length(const char *text);
/* Writes a text as a string of JSON, with its quotes; a byte that is not UTF-8 becomes U+FFFD. Everything that kgrad writes as JSON
 * goes through this: names and messages of a module may hold any bytes. */
KG_API void kg_json_string(const char *text, void (*write)(void *user, const char *text, size_t size), void *user);

#ifdef __cplusplus
}
#endif
#endif
