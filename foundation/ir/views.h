/* Views: buffers that lie over a common block of bytes, one for each binding that views name. What is true of plain buffers, that
 * no two names mean the same memory, is not true of them; whoever reasons about memory asks here. */
#ifndef KGI_VIEWS_H
#define KGI_VIEWS_H
#include "foundation/ir/program.h"

/* Whether both are views of one binding. */
static inline bool kgi_same_block(const kgi_object *a, const kgi_object *b) {
  return a->view && b->view && a->set == b->set && a->binding == b->binding;
}

/* Of each object of a scope. What is no view has a block of its own. */
typedef struct kgi_blocks {
  uint32_t *of;  /* the first object that lies over the same block */
  bool *aliased; /* another object does */
  bool *written; /* someone may store there: to the object, or to another of its block. Always, for what is no buffer */
} kgi_blocks;

/* Memory is the arena's; false: there is none. */
bool kgi_blocks_find(kgi_blocks *blocks, kgi_arena *arena, const kgi_scope *scope);

/* Whether elements of two views of one binding may share a byte: no, where they are different fields of structs of one size (or of
 * sizes with a common divisor that tells them apart), or where one ends, by a length that is a literal, before the other begins. */
bool kgi_may_overlap(const kgi_scope *scope, uint32_t view, uint32_t other);

/* The same for what may share bytes: `of` is the first object to which a chain of overlaps leads, `aliased` and `written` say so of
 * those on such chains. For analyses: a view that nothing overlaps is like any buffer. */
bool kgi_overlaps_find(kgi_blocks *blocks, kgi_arena *arena, const kgi_scope *scope);

/* At which byte of its block an element of a view lies. */
static inline uint64_t kgi_view_at(const kgi_object *o, uint64_t i) {
  return o->offset + (o->row ? i / o->row * o->every + i % o->row * o->stride : i * o->stride);
}

/* Whether the elements of both lie at the same bytes of their blocks. */
static inline bool kgi_same_places(const kgi_object *a, const kgi_object *b) {
  return a->view == b->view && a->offset == b->offset && a->stride == b->stride && a->row == b->row && a->every == b->every;
}

/* How many bytes of its block a view of `length` elements reaches; false: more than 64 bits count. */
bool kgi_view_reach(const kgi_object *view, uint64_t length, uint64_t *bytes);
/* The same for who sees elements of whole strides, in whole rows. */
bool kgi_view_extent(const kgi_object *view, uint64_t length, uint64_t *bytes);

/* A view's elements into their places in the block, and back; packed, `length` of them. A packed NULL is all zeros. */
void kgi_view_put(const kgi_object *view, uint64_t length, unsigned char *block, const unsigned char *packed);
void kgi_view_take(const kgi_object *view, uint64_t length, const unsigned char *block, unsigned char *packed);

/* What a host gives on entry, and takes on exit. */
static inline bool kgi_is_input(const kgi_object *o) { return o->mode == KG_READ || o->mode == KG_READ_WRITE; }
static inline bool kgi_is_output(const kgi_object *o) { return o->mode == KG_WRITE || o->mode == KG_READ_WRITE; }
#endif
