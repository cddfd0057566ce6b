/* Which values the partials of a row name: those that the reverse sweep has to get at. */
#include "autodiff/plan/ad.h"

#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

/* The one-letter names in the text; those in longer names and in numbers (1e9) do not count. */
unsigned kgi_ad_names_in(const char *text) {
  unsigned mask = 0;
  while (*text) {
    const char *from = text;
    if (!is_letter(*text) && !is_digit(*text)) {
      text++;
      continue;
    }
    while (is_letter(*text) || is_digit(*text)) text++;
    if (text - from != 1) continue;
    if (*from >= 'a' && *from <= 'd') mask |= 1u << (*from - 'a');
    if (*from == 'y') mask |= 1u << KGI_AD_RESULT;
  }
  return mask;
}

/* A half's result was rounded: a partial that names it is made of the result that the operands give in f32. */
unsigned kgi_ad_partial_mask(const kgi_ad *a, uint32_t i, unsigned k) {
  const kgi_op_row *row = &kgi_op_rows[a->f.p->inst[i].op];
  if (!strcmp(row->partial[k], "convert")) return 0;
  unsigned mask = kgi_ad_names_in(row->partial[k]);
  if (mask & 1u << KGI_AD_RESULT && a->f.p->inst[i].type == KG_F16) mask = (mask & ~(1u << KGI_AD_RESULT)) | ((1u << row->arity) - 1);
  return mask;
}
