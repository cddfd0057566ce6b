/* foundation/analysis: what holds of a program, without changing it: uniformity, linear forms, distinct indices, coverage, ranges, loops. */
/* Which elements of an object belong to one invocation: whether two different invocations can ever touch the same one, through
 * any of the accesses given. When unsure, the answer is that they can: a wrong "distinct" would give a wrong gradient.
 *
 * An index is read as a polynomial with integer coefficients over ids, loop indices and uniform values (foundation/analysis/linear.h), and
 * taken apart as a number in mixed radix: from f = s*X + r with 0 <= r < s on both sides follows that X and r are equal on both
 * sides, and so on down to ids. What bounds r: the size of the workgroup and the grid, loops, guards around and before the access.
 * A row that is gone through backwards has r = s - 1 - k. The index of a loop is from + step * trip, modulo 2^32 and exactly if `from` is a
 * number below 2^32 for sure. Trips are no more than a bound, or either operand of a minimum there, is apart from `from`, whatever wraps.
 * What is taken away from a bound is made up for by what a guard says is not 0: m - 1. Of c * (m / c) it is known that it is at most m.
 * What is xor-ed with one number for both sides, or turned, is another word for each.
 * A number taken apart by division is known where all its digits are: i / 32 and i % 32. One that goes round, (i + c) % m, is another
 * for each i below m, where c is one number for both sides and i + c does not wrap: c is not negative, and c + m is at most 2^32.
 * Digits of local_id are digits of global_id where what they come to divides the size of a workgroup: global_id / 8 and local_id % 8 of
 * 32 lanes are one invocation's, as unsigned numbers. 2 * i - i % 16 rises with i. What lies between base + x and base + e, of several
 * invocations, is base and an offset below e.
 *
 * Integers wrap, and equality modulo 2^32 is equality only where both sides lie in [0, 2^32). That is never assumed. It holds for
 * a lone id or loop index; for what is bounded by a constant of at most 2^32; for what is bounded by the object's own length,
 * since no object has more than 2^32 elements (devices have fewer, and hosts refuse more); for what is bounded by the size of the
 * workgroup (at most KGI_MAX_WORKGROUP); and ids do not wrap, as hosts refuse grids of 2^32 invocations along an axis: nor does what is
 * below the number of invocations along one. So a loop that each invocation begins at its id, and that goes on by as many as there are,
 * keeps to elements of its own on any grid. An extent is at most 2^31 - 1, which hosts hold to as well, so that an index may be past
 * it by as many. How many workgroups there can be at most, whatever params are, follows from the grid as it is written.
 * So `row * stride + col` counts as distinct only where the object is as long as the guards say that it is, or where the guard is of
 * the sum `col` itself, which must not wrap for another reason.
 *
 * Powers of two go on dividing what wraps. From m + r = n + s with m and n multiples of such a number, and r and s below it, follow
 * m = n and r = s, even modulo 2^32: from a loop that begins at multiples and goes on by one, from what a guard says is one.
 *
 * Who has one lane of one subgroup is one invocation of a workgroup. Nothing is known of which one: subgroups may be partial, and lanes
 * may lie in any order. A lane is below the size of a subgroup, and a subgroup below their number, which both are the same in the
 * whole dispatch: Vulkan promises the former, and workgroups, which are of one size, are all taken apart alike. */
#ifndef KGI_DISTINCT_H
#define KGI_DISTINCT_H
#include "foundation/analysis/linear.h"
#include "foundation/base/limits.h"
#include "foundation/ir/builder.h"

/* What is known of an access, or of all of them together. */
enum {
  KGI_OWN_IN_INTERVAL = 1,  /* between two barriers, no other invocation of the workgroup touches the element */
  KGI_OWN_IN_WORKGROUP = 2, /* no other invocation of the workgroup ever does in the dispatch; implies the former */
  KGI_OWN_ACROSS = 4,       /* no invocation of another workgroup ever does in the dispatch */
};

typedef struct kgi_distinct kgi_distinct;

/* Prepares for a program as it is now; its module's runs say on which grids it runs, if any. Memory is the arena's. */
kg_status kgi_distinct_make(kgi_arena *arena, const kg_module *module, const kgi_program *program, kgi_distinct **out);

/* `accesses` are loads, stores and atomics. Each access is compared with every one, itself included: what holds for all together
 * is returned; where `each` is given, it gets what holds for that access against all. Accesses to several objects (views of one
 * binding) are never distinct. Vars are the invocation's own: 7. For shared memory OWN_ACROSS is set, as each workgroup has its
 * own. A plain load, add and store to a shadow is right for an access of shared memory that is OWN_IN_INTERVAL, and of a buffer
 * that is also OWN_ACROSS. */
unsigned kgi_disjoint(kgi_distinct *distinct, const uint32_t *accesses, uint32_t count, uint8_t *each);
/* Whether all that is wanted holds for all together: ends at the first two that may be at one element. */
bool kgi_all_disjoint(kgi_distinct *distinct, const uint32_t *accesses, uint32_t count, unsigned wanted);

/* Whether no two workgroups have one element at any of the accesses' indices, whether or not they come to the accesses: guards are left out of
 * account. Of one object; each index is the same in all of a workgroup, and of no loop. */
bool kgi_groups_apart(const kgi_distinct *distinct, const uint32_t *accesses, uint32_t count);

/* Whether no dispatch has more than one workgroup; with `surely` each has one. */
bool kgi_is_one_group(const kgi_distinct *distinct, bool surely);

/* Whether, for all that barriers say, two different invocations of a workgroup can make the two accesses in one interval between
 * barriers, at whatever elements. */
bool kgi_may_meet(const kgi_distinct *distinct, uint32_t access, uint32_t other);

/* Whether some invocations may leave the program early. */
bool kgi_may_return(const kgi_distinct *distinct);

/* Whether a dispatch on the grid that the program states, or that its only run gives, makes the access exactly once for every element of
 * its buffer, which is as long as the program declares. For a load: whether all elements are loaded. Not for views. */
bool kgi_covers(const kgi_distinct *distinct, uint32_t access);
/* Whether the workgroups' values of the access's index are all elements of its buffer, each once, whether or not they come to the access. As
 * kgi_groups_apart. */
bool kgi_groups_cover(const kgi_distinct *distinct, uint32_t access);

/* The block outside of all ifs that only keep the access's index below the length. */
kgi_blk kgi_checked_block(const kgi_distinct *distinct, uint32_t access);

/* How many elements, from the first on: `weight` times the least of the numbers `below`, of the dispatch's invocations along the axis
 * `all` - 1 and of its workgroups along the axis `groups` - 1; 0: of none. With none of them once. The digits say which invocation has
 * which element; of the last one no range is known. Of `side` elements side by side the accesses come by those in `offsets`. Where a digit
 * is `open`, the grid is as wide along the axis `all` - 1 or `groups` - 1 as the digit's range, or elements are left out. */
enum { KGI_FRONT_BOUNDS = KGI_MOST_cover_guards + 1, KGI_FRONT_SIDE = 16 };
typedef struct kgi_front_digit { uint32_t id; uint8_t local, group, all, groups; bool open; kgi_poly range; } kgi_front_digit;
typedef struct kgi_front {
  kgi_poly weight, below[KGI_FRONT_BOUNDS];
  unsigned count;
  uint8_t all, groups;
  kgi_front_digit digit[KGI_MOST_cover_digits]; unsigned digits;
  uint32_t side, offsets, first; /* `first`: which of the neighbours the first access is of */
} kgi_front;
/* Whether a dispatch, on any grid, makes one of the accesses exactly once for each element of the buffer's front, but for those that
 * `offsets` and open digits leave out, and none for another, if the front's length is below 2^32. They are of one buffer, in one block; of `side`
 * neighbours, at most KGI_FRONT_SIDE. Not for views. */
bool kgi_covers_front(const kgi_distinct *distinct, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front);
/* Whether the same invocations come by the same elements. */
bool kgi_is_same_front(const kgi_front *x, const kgi_front *y);
/* As kgi_covers, of several accesses together: exactly one of them is made for each element, but for those that `offsets` leave out. Of the
 * front only the neighbours are told. */
bool kgi_covers_sides(const kgi_distinct *distinct, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front);
/* As kgi_covers, of several accesses of one block together, that are one number apart, as x[i], x[i + n] and x[i + 2 * n]: at most
 * KGI_FRONT_SIDE. Around each there may be ifs of its own that only keep its index below the length. */
bool kgi_covers_steps(const kgi_distinct *distinct, const uint32_t *access, unsigned count);
#endif
