#include "tools/registers.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

enum { HEADER = 5, MOST = 256 };

typedef struct binding { uint32_t variable, set, binding; bool placed; } binding;

typedef struct bindings {
  binding of[MOST];
  unsigned count;
} bindings;

static void add_variable(bindings *b, const uint32_t *word, uint32_t length) {
  bool is_memory = length >= 4 && (word[3] == SpvStorageClassUniform || word[3] == SpvStorageClassStorageBuffer);
  if (is_memory && b->count < MOST) b->of[b->count++] = (binding){.variable = word[2]};
}

static void decorate(bindings *b, const uint32_t *word, uint32_t length) {
  for (unsigned i = 0; i < b->count && length == 4; i++) {
    if (b->of[i].variable != word[1]) continue;
    if (word[2] == SpvDecorationDescriptorSet) b->of[i].set = word[3];
    if (word[2] == SpvDecorationBinding) b->of[i].binding = word[3], b->of[i].placed = true;
  }
}

/* Its decorations stand in front of a variable: one round finds variables, another one places them. */
static void find(bindings *b, const uint32_t *word, size_t words) {
  for (unsigned round = 0; round < 2; round++) {
    for (size_t at = HEADER; at < words; at += word[at] >> SpvWordCountShift) {
      uint32_t length = word[at] >> SpvWordCountShift, op = word[at] & SpvOpCodeMask;
      if (!length || length > words - at) return;
      if (op == SpvOpVariable && !round) add_variable(b, word + at, length);
      if (op == SpvOpDecorate && round) decorate(b, word + at, length);
    }
  }
}

bool tool_registers_meet(const tool_bytes *spirv) {
  size_t words = spirv->size / sizeof(uint32_t);
  uint32_t *word = malloc(spirv->size + 1);
  bindings b = {.count = 0};
  bool meet = false;
  if (!word) return false;
  memcpy(word, spirv->data, spirv->size);
  if (words > HEADER && word[0] == SpvMagicNumber) find(&b, word, words);
  free(word);
  for (unsigned i = 0; i < b.count; i++)
    for (unsigned k = 0; k < i; k++)
      meet |= b.of[i].placed && b.of[k].placed && b.of[i].set == b.of[k].set && b.of[i].binding == b.of[k].binding;
  return meet;
}

bool tool_states_bindings(const tool_bytes *spirv) {
  static const char word[] = "vk::binding";
  for (size_t at = 0; at + sizeof word - 1 <= spirv->size; at++)
    if (!memcmp(spirv->data + at, word, sizeof word - 1)) return true;
  return false;
}
