/*
 * SPIR-V out and in, and what a program requires of a device. No Vulkan here.
 * doc/abi.md says what the emitted module looks like to a Vulkan program.
 */
#ifndef KGRAD_SPIRV_H
#define KGRAD_SPIRV_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features that devices may have or lack, as bits. Names: kg_feature_name. */
typedef enum kg_feature {
  KG_FEATURE_INT64 = 1 << 0,
  KG_FEATURE_FLOAT64 = 1 << 1,
  KG_FEATURE_FLOAT16 = 1 << 2,
  KG_FEATURE_STORAGE8 = 1 << 3,             /* i8 and u8 in buffers */
  KG_FEATURE_STORAGE16 = 1 << 4,            /* i16, u16, f16 and bf16 in buffers */
  KG_FEATURE_ATOMIC_ADD_F32_BUFFER = 1 << 5, /* lowered to compare-and-swap where it is missing */
  KG_FEATURE_ATOMIC_ADD_F32_SHARED = 1 << 6, /* likewise */
  KG_FEATURE_ATOMIC_I64 = 1 << 7,
  KG_FEATURE_SIGNED_ZERO_INF_NAN = 1 << 8, /* f32 arithmetic keeps them; used where it is there */
  KG_FEATURE_SUBGROUP_BASIC = 1 << 9,
  KG_FEATURE_SUBGROUP_VOTE = 1 << 10,
  KG_FEATURE_SUBGROUP_ARITHMETIC = 1 << 11,
  KG_FEATURE_SUBGROUP_BALLOT = 1 << 12,
  KG_FEATURE_SUBGROUP_SHUFFLE = 1 << 13,
  KG_FEATURE_SUBGROUP_RELATIVE = 1 << 14,
} kg_feature;
enum { KG_FEATURE_COUNT = 15 };
/* "int64" for 0, and so on to KG_FEATURE_COUNT; NULL beyond. */
KG_API const char *kg_feature_name(unsigned bit_index);

/* Which buffer holds whose gradient: for kg_spirv_describe, from a kg_grad_map. */
typedef struct kg_spirv_gradient {
  const char *name, *shadow;
  bool of, wrt;
  bool tangent; /* it holds a tangent, and no adjoint */
  bool kept; /* no shadow, but a buffer between the two modules of kg_grad_split */
} kg_spirv_gradient;

/* A descriptor that a host has a place for. */
typedef struct kg_spirv_place {
  bool stated;
  uint32_t set, binding;
} kg_spirv_place;

/* All zeros: for a device that has everything, exact, validated. */
typedef struct kg_spirv_params {
  uint32_t without;        /* kg_feature bits that must not be used: each gets a lowering, or the module that needs it is refused */
  bool portable;           /* --target portable: without what SPIRV-Cross (to GLSL, HLSL, MSL) and Naga reject (doc/abi.md) */
  const char *program;     /* emit this one alone; NULL: all. What a host must know stays the module's */
  kg_math math;            /* which instructions arithmetic of floats becomes (doc/precision.md) */
  bool unvalidated;        /* skip SPIRV-Tools' validation: for timing */
  bool names;              /* names, and lines of the source, for debuggers and for who makes source of the module */
  bool no_memory_barrier;  /* the device takes a memory_barrier for a barrier, which not all invocations reach: programs do without.
                              For devices that keep the order of an invocation's accesses anyway */
  uint32_t loop_budget;    /* 0: none. Else programs count the loop iterations of an invocation, and past so many it fails */
  bool packed;             /* params in one block and constants counted, whatever places their views state: for a host that asks
                              kg_spirv_describe where they are. The default keeps a shader's own interface (doc/abi.md) */
  kg_spirv_place status_at; /* where the status buffer is; the default: where there is room */
  kg_spirv_place params_at; /* likewise the block of params without places and hidden lengths, then a uniform buffer whatever its size */
  const kg_spirv_gradient *gradients; size_t gradient_count; /* for kg_spirv_describe alone */
} kg_spirv_params;

/* The module as SPIR-V words, in host byte order; free with kg_bytes_free(alloc, words, count * 4).
 * KG_REFUSED: a program needs what the target or this version lacks; the diagnostic names it. */
KG_API kg_status kg_spirv_emit(const kg_allocator *alloc, const kg_module *module, const kg_spirv_params *params,
                               const kg_sink *sink, uint32_t **words, size_t *count);

/* The kg_feature bits that the emitted module would use. */
KG_API kg_status kg_spirv_requirements(const kg_module *module, const kg_spirv_params *params, const kg_sink *sink,
                                       uint32_t *features);

/* What a host must know to run the emitted module (doc/abi.md), as JSON. `params` are those of the emission. Free with
 * kg_bytes_free(alloc, text, size + 1). */
KG_API kg_status kg_spirv_describe(const kg_allocator *alloc, const kg_module *module, const kg_spirv_params *params,
                                   const kg_sink *sink, char **text, size_t *size);

/* All zeros: the one compute entry point of the module, of which nothing is known that its binary does not state. */
typedef struct kg_spirv_import_params {
  const char *entry; /* the entry point's name; NULL: there is one */
  /* How many workgroups run, which no binary states: 0, 0, 0: a param of the program for each axis. Else none may be 0; the program
   * states that grid, and a gradient may rest on it: to dispatch another one is the host's mistake. */
  uint32_t grid[3];
  /* What else is known. A constant goes by its name or by its SpecId: "3=64". Params are what the import calls them (doc/import.md). */
  kg_facts facts;
} kg_spirv_import_params;

/* A module of one program from a compute shader in SPIR-V, in either order of bytes, that another compiler made (doc/import.md).
 * `name` stands in diagnostics as the file's name, and names the program where the entry point is called `main`. How many workgroups
 * run is a param of the program for each axis, unless `params` say it: groups_x, groups_y, groups_z. KG_INVALID: the bytes are no valid
 * module, or facts do not fit it, as of kg_module_specialise. KG_REFUSED: it
 * holds what an import does not take; the diagnostic names the instruction and where it stands. Nothing of `bytes` is kept. */
KG_API kg_status kg_spirv_import(const kg_allocator *alloc, const char *name, const void *bytes, size_t size,
                                 const kg_spirv_import_params *params, const kg_sink *sink, kg_module **out);

/* Whether a shader declares two buffers or uniform blocks at one set and binding, used or not: registers t0 and u0 of HLSL become that
 * where a compiler is not told to shift them. False of bytes that are no valid module. */
KG_API bool kg_spirv_bindings_meet(const kg_allocator *alloc, const void *bytes, size_t size);

/* SPIR-V in SPIRV-Tools' assembly. `*text` is NUL-terminated; free with kg_bytes_free(alloc, text, size + 1). */
KG_API kg_status kg_spirv_disassemble(const kg_allocator *alloc, const uint32_t *words, size_t count, const kg_sink *sink,
                                      char **text, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
