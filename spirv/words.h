/* spirv: what all of SPIR-V shares: words under construction, the ABI, SPIRV-Tools. */
/* SPIR-V under construction: one growable buffer of words per section, types and constants made once each. A failed allocation is
 * sticky in the arena and is asked for once, at the end. */
#ifndef KGI_SPIRV_WORDS_H
#define KGI_SPIRV_WORDS_H
#include "foundation/ir/program.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

typedef struct kgi_words { uint32_t *at; uint32_t count, cap; } kgi_words;

/* What is made once: the instruction without its result id, as words of `key`. */
typedef struct kgi_unique { uint32_t key, length, id; } kgi_unique;

typedef struct kgi_spv {
  kgi_arena *arena;
  kgi_words entries, modes, debug, decorations, globals, functions;
  kgi_words *code; /* where value instructions go: a function's body */
  uint32_t next_id;
  uint32_t glsl; /* the id of the GLSL.std.450 import */
  bool finite_literals; /* infinities and NaNs are bits, cast where they are used: Naga takes no such literals */
  uint32_t features; /* kg_feature bits used so far */
  uint64_t capabilities; /* by index in words.c's list */
  kgi_words keys;
  kgi_unique *unique; uint32_t unique_count, unique_cap;
  kgi_set uniques;
  uint32_t label; /* of the block under construction; 0: it is closed, and what comes is unreachable */
} kgi_spv;

void kgi_spv_init(kgi_spv *s, kgi_arena *arena);
static inline uint32_t kgi_spv_id(kgi_spv *s) { return s->next_id++; }
void kgi_words_push(kgi_spv *s, kgi_words *w, const uint32_t *words, uint32_t count);

/* An instruction as it stands, into a section. */
void kgi_spv_into(kgi_spv *s, kgi_words *w, SpvOp op, const uint32_t *words, uint32_t count);
/* The same with a string between: before[], text, after[]. */
void kgi_spv_text(kgi_spv *s, kgi_words *w, SpvOp op, const uint32_t *before, uint32_t count, const char *text,
                  const uint32_t *after, uint32_t after_count);
/* A value: into the code, with a new id. */
uint32_t kgi_spv_value(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count);
/* Made once among the globals: a type (type 0) or a constant. */
uint32_t kgi_spv_unique(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count);
/* A global that is not shared: variables, specialization constants, array types with a stride. */
uint32_t kgi_spv_global(kgi_spv *s, SpvOp op, uint32_t type, const uint32_t *words, uint32_t count);
uint32_t kgi_spv_glsl(kgi_spv *s, enum GLSLstd450 function, uint32_t type, const uint32_t *args, uint32_t count);

#define KGI_WORDS(...) (const uint32_t[]){__VA_ARGS__}, (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define KGI_STMT(s, op, ...) kgi_spv_into(s, (s)->code, op, KGI_WORDS(__VA_ARGS__))
#define KGI_VALUE(s, op, type, ...) kgi_spv_value(s, op, type, KGI_WORDS(__VA_ARGS__))
#define KGI_GLSL(s, function, type, ...) kgi_spv_glsl(s, GLSLstd450##function, type, KGI_WORDS(__VA_ARGS__))
#define KGI_DECORATE(s, ...) kgi_spv_into(s, &(s)->decorations, SpvOpDecorate, KGI_WORDS(__VA_ARGS__))

/* Capabilities, each declared once. A few bring an extension with them. */
void kgi_spv_need(kgi_spv *s, SpvCapability capability);

/* Types. A storage type's id has its own width (8 and 16 bits); bf16 is a u16. Using one declares what it needs. */
uint32_t kgi_spv_void(kgi_spv *s);
uint32_t kgi_spv_type(kgi_spv *s, unsigned kg_type);
uint32_t kgi_spv_pointer(kgi_spv *s, SpvStorageClass class, uint32_t type);
uint32_t kgi_spv_vector(kgi_spv *s, unsigned kg_type, unsigned count);

/* Constants. With finite_literals some are instructions of the block under construction. */
uint32_t kgi_spv_const(kgi_spv *s, unsigned kg_type, uint64_t bits);
static inline uint32_t kgi_spv_u32(kgi_spv *s, uint32_t value) { return kgi_spv_const(s, KG_U32, value); }
static inline uint32_t kgi_spv_i32(kgi_spv *s, int32_t value) { return kgi_spv_const(s, KG_I32, (uint32_t)value); }
uint32_t kgi_spv_float(kgi_spv *s, unsigned kg_type, double value);

/* Control flow: labels close and open the block under construction. */
void kgi_spv_label(kgi_spv *s, uint32_t id);
void kgi_spv_branch(kgi_spv *s, uint32_t target); /* nothing where the block is closed already */
void kgi_spv_branch_if(kgi_spv *s, uint32_t condition, uint32_t yes, uint32_t no);
void kgi_spv_close(kgi_spv *s, SpvOp op); /* OpReturn, OpUnreachable */
/* if (condition) { ... }: between them goes the body. */
uint32_t kgi_spv_if(kgi_spv *s, uint32_t condition);
void kgi_spv_endif(kgi_spv *s, uint32_t merge);

/* The whole module in one array, of the caller's allocator. */
kg_status kgi_spv_finish(kgi_spv *s, const kg_allocator *alloc, uint32_t **words, size_t *count);
#endif
