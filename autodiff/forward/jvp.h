/* autodiff/forward: the tangents of one program, beside what it computes. */
/* Every statement stays where it is, and its tangents stand beside it: forward mode needs no tape. What may have a tangent, and for
 * which that matters, the plan's activity says (autodiff/plan/ad.h). In this order:
 *
 *   extremes   who sets the element of an atomic minimum or maximum stores its operand behind it           (extremes.c)
 *   check      what has no tangent is refused                                                               (check.c)
 *   program    the declarations, and the passes over what was emitted                                       (program.c)
 *   walk       the statements one after the other, each with its tangents                                   (walk.c)
 *   rules      the tangent of an operation, of a value that went from lane to lane                          (rule.c, lanes.c)
 *
 * The twin of an object holds the tangents of its elements. It is stored to wherever the object is, be it zero, so that it is
 * undefined only where the object is. */
#ifndef KGI_JVP_H
#define KGI_JVP_H
#include "autodiff/plan/ad.h"
#include "modules/modules.h"

typedef struct kgi_jvp {
  const kgi_ad *a;
  kgi_builder *b;
  kgi_arena *scratch;
  kgi_names names;
  unsigned directions;
  const bool *twinned; /* by object, for buffers: it has a twin somewhere in the module */
  const bool *wanted;      /* by object, for buffers: the caller is to find the twin even if nothing touches it; by param too */
  const bool *wanted_param;
  const bool *apart;       /* by object, for buffers: each direction has a twin of the object's own shape */
  const bool *viewed;      /* likewise: its twin is a view, as it is */
  uint32_t *map;           /* by value of the working program: the value in the emitted one */
  uint32_t *tangent;       /* [value][direction]: 0: zero */
  kgi_val *partial;        /* [value][operand]: once it was needed, in the emitted program */
  uint32_t *waiting, waiting_count; /* values whose tangents are still to be made, in order */
  uint32_t *dim_map;
  uint32_t *binding;       /* [object][direction]: of twins that are views */
  kgi_obj *out;            /* by object: itself in the emitted program */
  kgi_obj *twin;           /* [object][direction]; a buffer has one for all directions, direction-major, where it is not `apart` */
  kgi_obj *param_twin;     /* by param: a buffer with an element for each direction */
} kgi_jvp;

/* Of the working program. */
static inline const kgi_program *kgi_jvp_program(const kgi_jvp *t) { return t->a->f.p; }
static inline const char *kgi_jvp_string(const kgi_jvp *t, kgi_str s) { return kgi_string(t->a->f.work, s); }
static inline bool kgi_jvp_is_buffer(const kgi_jvp *t, uint32_t object) {
  return kgi_jvp_program(t)->scope.object[object].space == KGI_BUFFER;
}

/* extremes.c: rewrites the program so that shared extremes on the path have tangents, where they can: `phased` says of which objects. */
kg_status kgi_jvp_tell_extremes(kgi_ad *a);
static inline bool kgi_jvp_is_told(const kgi_ad *a, uint32_t i) {
  return kgi_ad_is_extreme(a, i) && a->object[a->f.p->inst[i].arg[0]].phased;
}

/* check.c: KG_OK, KG_REFUSED with diagnostics, or KG_NO_MEMORY. */
kg_status kgi_jvp_check(kgi_ad *a);
/* Whether the instruction, a store or an atomic, changes a tangent that is of use later; whether one, a load, gives such. */
bool kgi_jvp_is_stored(const kgi_ad *a, uint32_t inst);
/* Whether the program touches the twin of an object that has one. */
bool kgi_jvp_touches(const kgi_ad *a, uint32_t object);

/* program.c: the program with its tangents, as a new one of the builder's module. What the caller has to set before: a, b, scratch,
 * directions, twinned, wanted, wanted_param, apart, viewed. Until `scratch` is freed the rest says what became of each object. */
kg_status kgi_jvp_build(kgi_jvp *t, const char *name);
/* Makes of a buffer's own shape, in the scope where the builder is, that of its twin. */
void kgi_jvp_shape(kgi_builder *b, kgi_object *twin, unsigned directions);

/* walk.c */
void kgi_jvp_walk(kgi_jvp *t);
kgi_val kgi_jvp_value(kgi_jvp *t, uint32_t value); /* what stands for the value; leaves are made on demand */
static inline kgi_val kgi_jvp_get(const kgi_jvp *t, uint32_t value, unsigned d) {
  return (kgi_val){t->tangent[(size_t)value * t->directions + d]};
}
static inline void kgi_jvp_set(kgi_jvp *t, uint32_t value, unsigned d, kgi_val x) {
  t->tangent[(size_t)value * t->directions + d] = x.i;
}

/* rule.c: of a value operation, in direction d, by the rows' partials. */
kgi_val kgi_jvp_op(kgi_jvp *t, uint32_t inst, unsigned d);

/* lanes.c: of subgroup operations. */
bool kgi_jvp_has_lanes(kgi_subgroup op, bool in_condition); /* of a while, where nothing but values can stand */
void kgi_jvp_lanes(kgi_jvp *t, uint32_t inst);
#endif
