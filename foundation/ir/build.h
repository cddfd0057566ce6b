/* Inside of the public builder (kgrad/builder.h): it checks what a caller hands over, and then calls foundation/ir/builder.h, which
 * trusts its own. What a whole program must obey is the validator's to say, in kg_builder_finish. */
#ifndef KGI_BUILD_H
#define KGI_BUILD_H
#include "foundation/ir/builder.h"

#include <kgrad/builder.h>

struct kg_builder {
  kgi_builder b;
  kgi_diags diags;
  kg_sink sink;
  kg_allocator alloc;
  uint32_t seed;    /* tells this builder's handles from others' */
  uint32_t program; /* the open one; 0: none */
  bool module;      /* kg_build_module was called */
  uint32_t repeat[KGI_MAX_DEPTH], repeats; /* that are open */
};

/* Says what is wrong with a call, and fails. False. */
#define KGI_MISUSE(builder, row, ...) (KGI_DIAG(&(builder)->diags, row, (builder)->b.pos, __VA_ARGS__), kgi_build_refuse(builder))
static inline bool kgi_build_refuse(kg_builder *b) { return kgi_fail(&b->b, KG_INVALID), false; }

/* Whether there is a builder and it has not failed; that a program is open; that there is a scope for declarations; that a module is
 * there and no program open. `call`: the name of the function. */
bool kgi_build_goes_on(const kg_builder *b);
bool kgi_build_in_program(kg_builder *b, const char *call);
bool kgi_build_in_scope(kg_builder *b, const char *call);
bool kgi_build_in_module(kg_builder *b, const char *call);

/* Handles, as what they stand for. `scope`: the program in which it must have been made, 0: the module. */
bool kgi_build_handle(kg_builder *b, const char *call, const char *what, uint32_t index, uint32_t owner, uint32_t scope, uint32_t count);
bool kgi_build_take(kg_builder *b, const char *call, kg_value x, kgi_val *out);
bool kgi_build_take_any(kg_builder *b, const char *call, kg_value x, kgi_val *out); /* zeros are fine */
bool kgi_build_object(kg_builder *b, const char *call, kg_object x, kgi_obj *out);
bool kgi_build_length(kg_builder *b, const char *call, kg_length x, kgi_dim *out);
bool kgi_build_length_any(kg_builder *b, const char *call, kg_length x, kgi_dim *out);

/* Other arguments. */
bool kgi_build_name(kg_builder *b, const char *call, const char *name);
bool kgi_build_type(kg_builder *b, const char *call, kg_type type);
bool kgi_build_axis(kg_builder *b, const char *call, unsigned axis);
bool kgi_build_bits(kg_builder *b, kg_type type, uint64_t bits); /* no more than the type has */

static inline uint32_t kgi_build_owner(const kg_builder *b) { return b->seed + b->program; } /* of what is made now */
#endif
