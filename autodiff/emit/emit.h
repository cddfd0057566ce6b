/* autodiff/emit: the adjoint of one program, from what the plan says. Nothing is decided here. */
/* In this order:
 *
 *   program    the declarations, and the passes over what was emitted                        (program.c)
 *   forward    the forward sweep, and the slices of it that are run again                    (forward.c, saved.c)
 *   reverse    the adjoint of each statement, last to first                                  (reverse.c, partial.c, slots.c) */
#ifndef KGI_AD_EMIT_H
#define KGI_AD_EMIT_H
#include "autodiff/plan/ad.h"

/* program.c: the adjoint of one analysed program, as a new program of the builder's module. Until kgi_ad_free the objects say what
 * became of each shadow. */
kg_status kgi_ad_build(kgi_ad *a, kgi_builder *b, const char *name);

/* forward.c */
void kgi_ad_copy_inst(kgi_ad *a, uint32_t inst);       /* one that owns no blocks */
void kgi_ad_copy_whole(kgi_ad *a, uint32_t inst);      /* with its blocks */
void kgi_ad_emit_slice(kgi_ad *a, kgi_blk block);      /* of a closed block, with what was saved for it */
kgi_val kgi_ad_leaf(kgi_ad *a, uint32_t value);        /* what stands for the value; leaves are made on demand */

/* saved.c: values that are saved, in arrays where loops lie between. */
void kgi_ad_declare_saves(kgi_ad *a, kgi_blk block);
void kgi_ad_keep(kgi_ad *a, uint32_t value);
kgi_val kgi_ad_kept(kgi_ad *a, uint32_t value);

/* reverse.c */
void kgi_ad_sweep(kgi_ad *a);

/* partial.c: what an operand's adjoint gets from `g`, the result's; of the type of the operand's adjoint. */
kgi_val kgi_ad_pullback(kgi_ad *a, uint32_t inst, unsigned k, kgi_val g);

/* slots.c */
void kgi_ad_declare_slots(kgi_ad *a);
void kgi_ad_flush_slots(kgi_ad *a);

/* names.c: `base`, or with the next free suffix. */
void kgi_ad_use_names(kgi_ad *a);
const char *kgi_ad_free_name(kgi_ad *a, const char *prefix, const char *base);
#endif
