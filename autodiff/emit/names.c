/* Names that nothing in the result uses yet. */
#include "autodiff/emit/emit.h"

/* The names of the primal; of the emitted program nothing exists yet. */
void kgi_ad_use_names(kgi_emission *e) {
  e->names = (kgi_names){.m = e->b->m, .arena = e->scratch};
  kgi_names_use(&e->names, e->f->work, e->p, e->f->made_from);
}

const char *kgi_ad_free_name(kgi_emission *e, const char *prefix, const char *base) {
  kgi_str name = kgi_names_free(&e->names, prefix, base);
  if (!name.i) kgi_emission_fail(e, KG_NO_MEMORY);
  return kgi_string(e->b->m, name);
}
