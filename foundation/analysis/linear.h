/* Index expressions as polynomials with integer coefficients over atoms: what an index is, up to multiples of 2^32. For
 * foundation/analysis/distinct.c and what it is made of. */
#ifndef KGI_LINEAR_H
#define KGI_LINEAR_H
#include "foundation/ir/builder.h"
#include "foundation/base/limits.h"

/* What a polynomial is over. An atom below KGI_ATOM_FIRST is an instruction: a loop's index, or a value that is not taken apart.
 * Its integer is its value, signed or not by its type; all others are not negative. */
enum {
  KGI_ATOM_FIRST = 0x10000000,
  KGI_ATOM_PARAM = 0x10000000,  /* + index */
  KGI_ATOM_SPEC = 0x20000000,   /* + index */
  KGI_ATOM_LEN = 0x30000000,    /* + object */
  KGI_ATOM_QUOTIENT = 0x40000000, /* + the length, in the scope's table: a quotient of what is not negative by a literal */
  KGI_ATOM_TRIP = 0x50000000,   /* + the loop: which trip it is */
  KGI_ATOM_GROUPS = 0x60000000, /* + axis: num_workgroups */
  KGI_ATOM_GROUP = 0x60000004,  /* + axis: workgroup_id */
  KGI_ATOM_LOCAL = 0x60000008,  /* + axis: local_id */
  KGI_ATOM_GLOBAL = 0x6000000c, /* + axis: global_id */
  KGI_ATOM_LOCAL_INDEX = 0x60000010,
  KGI_ATOM_MEMBER = 0x60000011, /* which of several accesses it is: foundation/analysis/disjoint.c */
  KGI_ATOM_LANE = 0x60000012,   /* subgroup_lane */
  KGI_ATOM_SUBGROUP = 0x60000013,      /* subgroup_id */
  KGI_ATOM_SUBGROUP_SIZE = 0x60000014, /* subgroup_size */
  KGI_ATOM_SUBGROUPS = 0x60000015,     /* num_subgroups */
  KGI_ATOM_OFFSET = 0x70000000, /* + the loop: how far its index is behind what both of its bounds have in common */
  KGI_ATOM_KIND = 0x70000000,   /* mask, but for GROUPS and what follows it */
};

enum { KGI_TERMS = KGI_MOST_poly_terms, KGI_DEGREE = KGI_MOST_poly_degree };
typedef struct kgi_term { int64_t c; uint32_t atom[KGI_DEGREE]; } kgi_term; /* atoms ascending, 0: none; c is not 0 */
typedef struct kgi_poly { uint32_t count; bool failed; kgi_term t[KGI_TERMS]; } kgi_poly;

kgi_poly kgi_poly_int(int64_t value);
kgi_poly kgi_poly_atom(uint32_t atom);
/* a + scale * b. Whatever does not fit gives a failed polynomial, and so does any with a failed part. */
kgi_poly kgi_poly_add(const kgi_poly *a, const kgi_poly *b, int64_t scale);
kgi_poly kgi_poly_mul(const kgi_poly *a, const kgi_poly *b);
bool kgi_poly_equal(const kgi_poly *a, const kgi_poly *b);
/* f = factor * quotient, as polynomials, of a factor that is one product. */
bool kgi_poly_divide(const kgi_poly *f, const kgi_poly *factor, kgi_poly *quotient);
bool kgi_poly_is_int(const kgi_poly *a, int64_t *value);
bool kgi_poly_is_one(const kgi_poly *a);
/* The single atom that it is, or 0. */
uint32_t kgi_poly_is_atom(const kgi_poly *a);
/* How often a loop runs that goes on by `by` for as long as it has not come `apart` from where it begins, which is not negative. Failed
 * where that is not a polynomial. */
kgi_poly kgi_poly_trips(const kgi_poly *apart, int64_t by);
/* t = factor * quotient, where the factor divides it. */
bool kgi_term_divide(const kgi_term *t, const kgi_term *factor, kgi_term *quotient);
int kgi_term_compare(const uint32_t a[KGI_DEGREE], const uint32_t b[KGI_DEGREE]);
bool kgi_term_has(const kgi_term *t, uint32_t atom);

/* A workgroup's size along an axis, a grid, a length. */
kgi_poly kgi_poly_of_dim(const kgi_scope *scope, kgi_dim dim);
/* Of the workgroup, along its axes. */
void kgi_sizes_of(const kgi_program *p, kgi_poly size[3]);
/* An index, congruent modulo 2^32; of 64-bit types only single atoms and literals are understood. `size` is the workgroup's:
 * workgroup_id * size + local_id becomes global_id. */
/* The index of an access that reaches an element: if it is a place in several dimensions, as one number of that radix. */
kgi_poly kgi_poly_of_index(const kgi_program *p, uint32_t access, const kgi_poly size[3]);
kgi_poly kgi_poly_of_value(const kgi_program *p, kgi_val value, const kgi_poly size[3]);
#endif
