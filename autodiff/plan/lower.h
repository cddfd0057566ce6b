/* Lowering control: what lower.c and exits.c share. */
#ifndef KGI_AD_LOWER_H
#define KGI_AD_LOWER_H
#include "foundation/ir/builder.h"

/* What stands behind `inst` in its block never runs. */
void kgi_ad_cut_behind(kgi_program *p, uint32_t inst);
/* The branch of the `if` that goes on after an exit in the other, made if it does not exist; 0: it cannot be. */
kgi_blk kgi_ad_other_branch(kgi_builder *b, uint32_t branch, bool exits_in_then);
/* What stands behind `inst` in its block goes to the end of another. */
void kgi_ad_move_rest(kgi_program *p, uint32_t inst, kgi_blk to);

/* exits.c: the exits that are left, by flags. The builder's program has no regions but checkpoints, and an exit comes last in its block. */
void kgi_ad_lower_exits(kgi_builder *b);
#endif
