/* "h after k": the contents of a buffer at the point right behind a run, as something to differentiate by. */
#ifndef KGI_AFTER_H
#define KGI_AFTER_H
#include "autodiff/plan/schedule.h"

bool kgi_is_after(const char *name); /* it is spelled so */
/* KG_INVALID, with a diagnostic: there is no such buffer or run, or not one alone. */
kg_status kgi_after_find(const kg_module *module, const char *name, kgi_diags *diags, kgi_ad_after *out);
/* The name that a buffer beside the module's may have: h_after_k. */
typedef struct kgi_after_name { char text[160]; } kgi_after_name;
kgi_after_name kgi_after_plain(const char *name);
/* How many rounds are left of the repeats around an item, 0 in the last: a length of the builder's module. `item`: by item of `module`, the
 * repeat of the builder's; NULL: the same. `dim`: by dim of `module`; NULL: the same. {0}: there is no repeat around it. */
kgi_dim kgi_after_left(kgi_builder *b, const kg_module *module, uint32_t at, const uint32_t *item, const uint32_t *dim);

/* The shadows of what is asked for; and the copies, in front of the adjoint of an item. */
void kgi_ad_declare_afters(kgi_ad_module *g, const uint32_t *dim);
void kgi_ad_append_afters(kgi_ad_module *g, uint32_t at, uint32_t parent, const uint32_t *new_item, const uint32_t *dim);
#endif
