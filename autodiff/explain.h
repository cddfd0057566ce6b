/* What was decided, in words: for `kgrad grad --explain`, and for tests that read it. */
#ifndef KGI_EXPLAIN_H
#define KGI_EXPLAIN_H
#include "autodiff/grad.h"

/* What a map holds of it. */
typedef struct kgi_explanation {
  kgi_arena *arena; /* the map's */
  kg_grad_run *run; uint32_t run_count, run_cap;
  kg_grad_value *value; uint32_t value_count, value_cap;
  kg_grad_share *share; uint32_t share_count, share_cap;
  kg_grad_tape *tape; uint32_t tape_count, tape_cap;
  kg_grad_segments *segment; uint32_t segment_count, segment_cap;
  kg_grad_checkpoint *checkpoint; uint32_t checkpoint_count, checkpoint_cap;
} kgi_explanation;

/* One run of the module being told of. */
typedef struct kgi_explainer {
  const kgi_ad_module *g;
  kgi_explanation *to;
  const kgi_ad_run *r;
  const kgi_ad *a;
} kgi_explainer;

/* explain.c: of a gradient that is assembled. Whether memory sufficed is said by the arena. */
void kgi_ad_explain(const kgi_ad_module *g, kgi_explanation *to);

/* explain_words.c: a text; the line of an instruction. */
const char *kgi_explain_text(kgi_explainer *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline uint32_t kgi_explain_line(const kgi_explainer *x, uint32_t inst) { return kgi_pos_line(x->a->f.p->inst_pos[inst]); }

/* Of the elements of a tape that so many values have; the name of its buffer; bytes of so many elements. */
typedef struct kgi_explained_length { const char *text; uint64_t number; bool known; } kgi_explained_length;
kgi_explained_length kgi_explain_tape(kgi_explainer *x, uint32_t tape, uint32_t values);
const char *kgi_explain_tape_name(kgi_explainer *x, uint32_t tape);
uint64_t kgi_explain_bytes(kgi_explained_length length, kg_type type);

/* explain_values.c, explain_checkpoints.c, explain_shares.c: what the run adds. */
void kgi_explain_values(kgi_explainer *x);
void kgi_explain_checkpoints(kgi_explainer *x);
void kgi_explain_shares(kgi_explainer *x);

/* explain_lengths.c: a product of lengths of the working module, times a number. */
kgi_explained_length kgi_explain_length(kgi_explainer *x, const kgi_dim *factor, unsigned count, uint32_t times);
#endif
