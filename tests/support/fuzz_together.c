#include "tests/support/fuzz_together.h"
#include "tests/support/fuzz_parts.h"

static kg_module *module_of(const kgt_property_row *row, const kgt_fuzz *like, uint64_t seed) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kg_module *m = NULL;
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  kgt_fuzz f = *like;
  f.bytes = bytes, f.size = sizeof bytes, f.data = seed, f.coverage = NULL, f.wanted = &m;
  row->holds(&f);
  return m;
}

bool kgt_compile_together(const kgt_property_row *row, kgt_fuzz *f, uint64_t first, unsigned count) {
  kg_module *m[KGT_TOGETHER];
  const kg_module *all[KGT_TOGETHER] = {0};
  kg_sink sink = {kgt_hear, f};
  unsigned made = 0;
  for (unsigned i = 0; i < count && i < KGT_TOGETHER; i++)
    if ((m[made] = module_of(row, f, first + i))) all[made] = m[made], made++;
  f->id[0] = f->what[0] = 0;
  kg_status status = kg_device_compile(f->device, all, made, &sink);
  while (made) kg_module_free(m[--made]);
  return status == KG_OK;
}
