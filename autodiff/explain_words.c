/* Words and numbers that all of an explanation is made of. */
#include "autodiff/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *kgi_explain_text(kgi_explainer *x, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int size = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *made = size < 0 ? "" : kgi_arena_strdup(x->to->arena, text, strlen(text));
  return made ? made : "";
}

kgi_explained_length kgi_explain_tape(kgi_explainer *x, uint32_t t, uint32_t values) {
  kgi_dim factor[KGI_AD_FACTORS];
  unsigned count = kgi_ad_tape_factors(x->a, t, factor);
  return kgi_explain_length(x, factor, count, values);
}

const char *kgi_explain_tape_name(kgi_explainer *x, uint32_t t) {
  uint32_t buffer = x->r->tape ? x->r->tape[t] : 0;
  return buffer ? kgi_explain_text(x, "%s", kgi_string(x->g->out, x->g->out->scope.object[buffer].name)) : "";
}

uint64_t kgi_explain_bytes(kgi_explained_length length, kg_type type) {
  uint64_t bytes;
  return length.known && !__builtin_mul_overflow(length.number, (uint64_t)kg_type_size(type), &bytes) ? bytes : UINT64_MAX;
}
