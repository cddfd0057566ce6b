/* autodiff: kg_grad, from what the caller asks for, by way of the plan of every run, to a module of runs. */
#ifndef KGI_GRAD_H
#define KGI_GRAD_H
#include "autodiff/plan/schedule.h"

/* grad.c: room for what is asked for, the caller's names as sets of buffers and params, and the end of it all. */
bool kgi_ad_allocate(kgi_ad_module *g);
kg_status kgi_ad_resolve(kgi_ad_module *g);
void kgi_ad_release(kgi_ad_module *g);
kg_status kgi_ad_no_memory(const kg_module *module, const kg_sink *sink); /* sends the diagnostic, and returns KG_NO_MEMORY */

/* assemble.c: the result in `g->out`; a run of an item in a pass, on copies of the module's objects where there are any. */
kg_status kgi_ad_assemble(kgi_ad_module *g);
uint32_t kgi_ad_run_again(kgi_ad_module *g, uint32_t item, const uint32_t *copy, const kgi_ad_pass *pass);

/* stated.c: the adjoint that the run's program names, as what is made for the run (false: no memory); and a run of it. `dim`: by dim of the
 * primal. */
bool kgi_ad_take_stated(kgi_ad_module *g, kgi_ad_run *r);
uint32_t kgi_ad_stated_run(kgi_ad_module *g, const kgi_ad_run *r, const uint32_t *dim);
/* The adjoint leaves the cotangent of the object, which is only read: zeros must take its place. And behind its run they do. */
bool kgi_ad_leaves_taken(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object);
void kgi_ad_zero_taken(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent, uint32_t adjoint); /* `adjoint`: its item */
/* Buffers for what stated adjoints contribute to params that nobody asks about, and the runs that zero them. */
void kgi_ad_declare_sinks(kgi_ad_module *g);
void kgi_ad_zero_sinks(kgi_ad_module *g);

/* segments.c, in this order: lengths of the working module; what has a place in the result; the runs. `dim`: by length of the working
 * module, what it is there. */
bool kgi_ad_place_segments(kgi_ad_module *g); /* false: no memory */
bool kgi_ad_make_passes(kgi_ad_module *g, const uint32_t *reversed); /* false: no memory */
void kgi_ad_declare_segments(kgi_ad_module *g, const uint32_t *dim);
void kgi_ad_cut_forward(kgi_ad_module *g, const uint32_t *dim);
void kgi_ad_cut_reverse(kgi_ad_module *g, uint32_t cut, uint32_t parent, uint32_t reversed, const uint32_t *dim);

/* contents.c: zeros for what is copied where the module has not stored to it; before all runs of the primal. */
void kgi_ad_append_first_contents(kgi_ad_module *g);

/* aside.c: buffers for copies; the runs that make them, into the list before the runs that they are for; which part of a copy is that of
 * the round, {0, 0}: all of it. */
void kgi_ad_declare_asides(kgi_ad_module *g, const uint32_t *dim);
void kgi_ad_put_aside(kgi_ad_module *g, const uint32_t *dim);
kgi_slice kgi_ad_aside_slice(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim);

/* ends.c: what buffers hold behind runs, where the reverse asks for it and a later run changes it. The objects of the copies; the runs
 * that make them, behind those of the primal; and for an adjoint the place of one, where the run binds `slice` of the buffer. */
typedef struct kgi_ad_part { uint32_t object; kgi_slice slice; } kgi_ad_part;
/* aside.c: of a copy in front of a run, or behind it, in one round: how long it is, and the run that copies there what the run binds. 0: it failed. */
kgi_dim kgi_ad_copied_length(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim);
uint32_t kgi_ad_copy_run(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, kgi_ad_part to, const uint32_t *dim);
void kgi_ad_declare_ends(kgi_ad_module *g, const uint32_t *dim);
void kgi_ad_append_ends(kgi_ad_module *g, const uint32_t *dim);
kgi_ad_part kgi_ad_end_of(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, kgi_slice slice, const uint32_t *dim);

/* split.c: what was assembled, as two modules: `g->forward`, and the adjoint in `g->out`. */
kg_status kgi_ad_split(kgi_ad_module *g);
/* lists.c: empties the lists of the run's contributions, and adds up what they hold: items at the end of `parent`. `dim`: by dim of the
 * primal. */
void kgi_ad_clear_lists(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent);
void kgi_ad_add_lists(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent, const uint32_t *dim);
/* boundary.c: between the caller's shadows and those of the runs. */
bool kgi_ad_has_inner(const kgi_ad_module *g, uint32_t object); /* the runs have one of their own for the module's object */
bool kgi_ad_has_boundary(const kgi_ad_module *g);               /* for some object */
void kgi_ad_append_entry(kgi_ad_module *g);
void kgi_ad_append_exit(kgi_ad_module *g);
#endif
