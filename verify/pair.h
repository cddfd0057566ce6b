/* A forward module and its backward modules as one gradient, which the judge takes as any other. */
#ifndef KGI_PAIR_H
#define KGI_PAIR_H
#include "modules/modules.h"

#include <kgrad/verify.h>

struct kg_pair {
  kg_allocator alloc;
  kgi_arena arena;
  kg_module *kernel;         /* the forward, with params that backward modules have of their own */
  kg_module *joined;         /* the forward's runs, then the backward's, with shadows */
  kg_grad_map *map;
  const char **of, **wrt;
  size_t of_count, wrt_count;
  bool *may_add;             /* by entry of the map: the backward may load what stands in the gradient on entry */
  bool overwrite;
};

/* pair_names.c: what stands for what. An object of the forward, a shadow, or one of the backward's own. */
typedef enum kgi_means { KGI_MEANS_OWN, KGI_MEANS_OBJECT, KGI_MEANS_GRADIENT } kgi_means;
typedef struct kgi_meaning {
  kgi_means means;
  uint32_t at;   /* object or param of the forward */
  bool is_param; /* it is the gradient of one */
} kgi_meaning;

/* The backward modules, and what their buffers and params mean: [file][object], [file][param]. */
typedef struct kgi_pairing {
  const kg_module *forward;
  const kg_pair_params *params;
  const char **file;
  kgi_meaning **object;
  uint32_t **param;  /* of the forward; 0: its own */
  bool **owned;      /* by param: the caller asks for it to be its own */
  kgi_diags diags;
  kgi_arena scratch;
} kgi_pairing;

void kgi_pair_forget_places(kg_module *m, kgi_arena *scratch); /* pair_places.c */

/* KG_OK, or KG_INVALID with diagnostics, or KG_NO_MEMORY without. */
kg_status kgi_pairing_names(kgi_pairing *x);
#endif
