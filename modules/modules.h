/* modules: modules as data: copies of them, and what puts one together from parts of another. Nothing here knows why. */
#ifndef KGI_MODULES_H
#define KGI_MODULES_H
#include "foundation/ir/append.h"
#include "foundation/ir/copy.h"

/* scope.c: every length of `from` in the scope where the builder is; entry i of the result stands for dim i. Lengths of buffers become
 * those of object[i], indices of repeats those of item[i] (NULL: the same); in a module specialization constants become their values.
 * NULL: no memory. */
uint32_t *kgi_copy_dims(kgi_builder *b, const kgi_scope *from, const uint32_t *object, const uint32_t *item, kgi_arena *scratch);
/* Gives `to` the length and the extents of an object of another scope, whose dims `map` translates. */
void kgi_copy_extents(kgi_object *to, const kgi_object *from, const uint32_t *map);
/* The params and buffers of a module in the builder's, which has none yet. False: no memory. */
bool kgi_copy_scope(kgi_builder *b, const kg_module *from, kgi_arena *scratch);

/* edit.c */
bool kgi_is_run(const kg_module *m, uint32_t program); /* by an item that is in the list, or it is the stated adjoint of one that is */
void kgi_drop_program(kg_module *m, uint32_t program);
/* The items of a list in order. NULL: no memory. */
uint32_t *kgi_list_items(const kg_module *m, uint32_t first, kgi_arena *scratch, uint32_t *count);
/* An empty repeat the other way round for each one of `from`, by item; none is in the list yet, since lengths inside refer to them. Their
 * bounds are still dims of `from`. NULL: no memory. */
uint32_t *kgi_reversed_repeats(kgi_builder *b, const kg_module *from, kgi_arena *scratch);

/* names.c: names in one program of `m`. What is not free is what the programs have that were shown to kgi_names_use (of objects, those
 * before `objects`), and what kgi_names_free gave: prefix and base as one name, with a suffix if need be. 0: no memory. */
typedef struct kgi_names { kg_module *m; kgi_arena *arena; uint32_t *used, cap; } kgi_names;
void kgi_names_use(kgi_names *names, const kg_module *of, const kgi_program *p, uint32_t objects);
kgi_str kgi_names_free(kgi_names *names, const char *prefix, const char *base);
/* part.c: a module of those items of another's that the list from `first` on holds, with the programs and buffers that they use, and all
 * params. `object` has an entry of 0 for each object of `module`, which becomes its number in the part, or stays 0. The items keep
 * their numbers. NULL: no memory. */
kg_module *kgi_module_part(const kg_allocator *alloc, const kg_module *module, uint32_t first, kgi_arena *scratch, uint32_t *object);

/* transfer.c: `to` = `from`, which is zeroed where `clears`; or `to` += `from`. `from` 0: zeros. All are objects of the module, of one
 * length and type, views or not; or slices of such, but of views. `left`: a length; where it is not 0, nothing happens. An item,
 * not yet in the list, of a program made for it: VERB_TO; 0: it failed. */
typedef struct kgi_transfer {
  const char *verb;
  uint32_t to, from;
  kgi_slice to_part, from_part; /* {0, 0}: all of it */
  bool adds, clears;
  kgi_dim left;
} kgi_transfer;
uint32_t kgi_transfer_run(kgi_builder *b, kgi_transfer transfer);
/* For such programs: a loop that is begun over all elements, by a grid of any size; and a grid that suits the longest of some objects. */
kgi_val kgi_each_element(kgi_builder *b, kgi_obj object);
kgi_val kgi_each_of(kgi_builder *b, kgi_val count); /* over numbers from 0 */
/* The module's object as a buffer of the program, of any length, at the place that it has. */
kgi_obj kgi_declare_like(kgi_builder *b, const char *name, uint32_t like, kg_mode mode);
void kgi_run_over(kgi_builder *b, uint32_t item, const uint32_t *object, unsigned count);
void kgi_run_over_length(kgi_builder *b, uint32_t item, kgi_dim length);

/* gather.c: `to`, or a slice of it, += numbers[k], at the element elements[k] - 1, for each k in turn where that is not 0: in the same
 * order on every run. An item, not yet in the list; 0: it failed. */
typedef struct kgi_gathering { uint32_t to, numbers, elements; kgi_slice slice; } kgi_gathering;
uint32_t kgi_gather_run(kgi_builder *b, kgi_gathering gathering);

/* zero.c: items, not yet in the list, of programs that are made when first used, for each type; 0: it failed. Of buffers that are no
 * views: zeroes one; or copies one of both to the other, of which `slice` is a slice as long as `whole`. */
enum { KGI_ZEROED = 4 }; /* buffers by one run: as many as any device binds to a program */
typedef struct kgi_zeroing {
  uint32_t zero[KG_BF16 + 1][KGI_ZEROED], zero_from[KG_BF16 + 1][2][2], copy[KG_BF16 + 1];
  uint32_t waiting[KG_BF16 + 1][KGI_ZEROED], waits[KG_BF16 + 1]; /* buffers, and how many, that a run is to zero */
} kgi_zeroing;
uint32_t kgi_zero_run(kgi_builder *b, kgi_zeroing *programs, uint32_t object);
/* From the element `from` on, or `most` if that is less; a host refuses a `most` that is not below 2^32. `narrow`: or from the element 2^31 on. */
uint32_t kgi_zero_run_from(kgi_builder *b, kgi_zeroing *programs, uint32_t object, kgi_dim from, kgi_dim most, bool narrow);
/* Runs at the end of the list that zero several each: what is to be zeroed, in any order, and when it is. */
void kgi_zero_soon(kgi_builder *b, kgi_zeroing *programs, uint32_t object);
void kgi_zero_now(kgi_builder *b, kgi_zeroing *programs);
/* A buffer, or of `length` elements the part of it, to a slice of another; `back`: from the slice to that. */
typedef struct kgi_sliced { uint32_t whole, sliced; kgi_slice slice, part; kgi_dim length; bool back; } kgi_sliced;
uint32_t kgi_copy_run(kgi_builder *b, kgi_zeroing *programs, kgi_sliced copied);

/* bound.c: whether the run binds all of a buffer, which is an array, no view, and as long as the program declares it. */
bool kgi_is_bound_as_declared(const kg_module *m, uint32_t item, uint32_t object);
#endif
