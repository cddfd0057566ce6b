/* What holds of any program holds of one that an input makes: the first byte says which property of fuzz/ask/properties.def is asked,
 * of those that need no device; the second, with what data; the others are the choices that make the program (fuzz/generate.h). */
#include "fuzz/ask/ask.h"
#include "fuzz/replay.h"

/* Small programs, of which there are many a second. */
enum { STATEMENTS = 24 };

static const kgi_property_row *row_at(unsigned index) {
  unsigned count = 0;
  for (const kgi_property_row *p = kgi_properties; p->name; p++) count += !p->device;
  index %= count;
  for (const kgi_property_row *p = kgi_properties; p->name; p++)
    if (!p->device && index-- == 0) return p;
  return NULL;
}

static void tell(const kgi_property_row *row, const kgi_ask *f) {
  char *text = kgi_ask_text(f);
  fprintf(stderr, "%s\n%s fails: %s\n", text ? text : "no program", row->name, f->what);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  const kgi_property_row *row = row_at(data[0]);
  kgi_ask f = {.bytes = data + 2, .size = size - 2, .features = row->features, .statements = STATEMENTS, .data = data[1]};
  kgi_answer answer = row->holds(&f);
  if (answer == KGI_FAILS) tell(row, &f);
  FUZZ_REQUIRE(answer != KGI_FAILS);
  return 0;
}
