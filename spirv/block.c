#include "spirv/block.h"

#include <string.h>

/* A limit past what a u32 counts is no limit; a negative one lets no trip happen. */
static uint32_t limit_of(const kgi_run *run, kgi_dim dim) {
  int64_t value = 0;
  kgi_dim_env env = {.param = run->param, .length = run->length};
  if (kgi_dim_eval(&run->program->scope, dim, &env, &value) != KGI_DIM_OK || value < 0) return 0;
  return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

void kgi_abi_fill_block(const kgi_abi_program *a, const kgi_run *run, unsigned char *out) {
  const kgi_scope *s = &run->program->scope;
  for (uint32_t i = 1; i < s->param_count; i++) {
    uint64_t bits = run->param[i];
    uint32_t word = (uint32_t)bits;
    if (kgi_type_bits(s->param[i].type) == 64) memcpy(out + a->param_offset[i], &bits, sizeof bits);
    else memcpy(out + a->param_offset[i], &word, sizeof word);
  }
  for (uint32_t i = 0; i < a->hidden_count; i++) {
    const kgi_abi_hidden *h = &a->hidden[i];
    uint32_t length = h->object ? (uint32_t)kgi_run_length(run, h->object, h->dimension) : limit_of(run, h->dim);
    memcpy(out + a->hidden[i].offset, &length, sizeof length);
  }
}
