#include "fuzz/ask/together.h"
#include "fuzz/ask/parts.h"

static kg_module *module_of(const kgi_property_row *row, const kgi_ask *like, uint64_t seed) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kg_module *m = NULL;
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  kgi_ask f = *like;
  f.bytes = bytes, f.size = sizeof bytes, f.data = seed, f.coverage = NULL, f.wanted = &m;
  row->holds(&f);
  return m;
}

bool kgi_compile_together(const kgi_property_row *row, kgi_ask *f, uint64_t first, unsigned count) {
  kg_module *m[KGI_TOGETHER];
  const kg_module *all[KGI_TOGETHER] = {0};
  kg_sink sink = {kgi_ask_hear, f};
  unsigned made = 0;
  for (unsigned i = 0; i < count && i < KGI_TOGETHER; i++)
    if ((m[made] = module_of(row, f, first + i))) all[made] = m[made], made++;
  f->id[0] = f->what[0] = 0;
  kg_status status = f->target->compile(f->target->user, all, made, &sink);
  while (made) kg_module_free(m[--made]);
  return status == KG_OK;
}
