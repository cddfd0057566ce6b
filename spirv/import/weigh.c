/* How many parts types have, before anybody looks into them. SPIRV-Tools' validator goes to each part of a struct in turn: where each
 * struct holds two of the one before, some forty lines keep it busy for ever. Of an array it looks at four elements at most, until
 * an offset is a multiple of 16. */
#include "spirv/import/import.h"

enum { MOST_PARTS = 1 << 18, LOOKS = 4 };

bool kgi_im_weigh_types(kgi_import *im) {
  uint32_t *parts = kgi_arena_alloc(im->arena, im->bound, sizeof *parts);
  for (uint32_t at = 5; parts && at < im->words; at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    uint64_t sum = 1;
    bool array = x.args && (x.op == SpvOpTypeArray || x.op == SpvOpTypeRuntimeArray);
    uint32_t inner = x.op == SpvOpTypeStruct ? x.args : array;
    if (x.op == SpvOpFunction) break;
    if (!inner || x.result >= im->bound) continue;
    for (uint32_t k = 0; k < inner; k++) sum += x.arg[k] < im->bound && parts[x.arg[k]] ? parts[x.arg[k]] : 1;
    if (array && sum > 2) sum *= LOOKS;
    if (sum > MOST_PARTS) return kgi_im_malformed(im, at, "a type of too many parts");
    parts[x.result] = (uint32_t)sum;
  }
  return parts != NULL;
}
