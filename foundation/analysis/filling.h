/* Which elements of an array are stored to for sure: a record to which stores are added, and which is then asked. When unsure: none. */
#ifndef KGI_FILLING_H
#define KGI_FILLING_H
#include "foundation/ir/program.h"

enum { KGI_FILLING_PARTS = 64 };

/* A number, or a constant or an extent with a number added. */
typedef struct kgi_mark { uint32_t base; int64_t add; bool known; } kgi_mark;

/* Elements from `low` to below `high`: by flat index where `along` is 0, and else all that have such an index in dimension along - 1. Or
 * the one element that the value `index` names, which may be any. */
typedef struct kgi_part { uint32_t index; unsigned along; kgi_mark low, high; } kgi_part;

typedef struct kgi_filling {
  const kgi_program *p;
  uint32_t object;
  kgi_part part[KGI_FILLING_PARTS];
  unsigned count;
} kgi_filling;

static inline kgi_filling kgi_filling_of(const kgi_program *p, uint32_t object) { return (kgi_filling){.p = p, .object = object}; }
/* Adds what the store reaches whenever the statement around it is run: the store itself, or loops. */
void kgi_filling_add(kgi_filling *f, uint32_t store, uint32_t statement);
/* Every element is stored to. */
bool kgi_filling_is_whole(const kgi_filling *f);
/* The element of an access is: by its index, which has the same value as where stores named it. */
bool kgi_filling_holds(const kgi_filling *f, uint32_t index);
#endif
