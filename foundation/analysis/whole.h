/* Floats that are converted to integers to be the bits of other floats. */
#ifndef KGI_WHOLE_H
#define KGI_WHOLE_H
#include "foundation/ir/program.h"

typedef enum kgi_whole {
  /* a conversion of a float to an integer of its width, whose steps are steps of another float's bits, as in
   * bitcast_f32(u32((x / ln 2 + 127) * 2^23)), Schraudolph's exponential: sums, masks, lanes and memory may lie between */
  KGI_WHOLE = 1,
  KGI_OF_WHOLE = 2,   /* an integer that is made of one, itself too: as a number it moves nothing, as bits it does */
  KGI_WHOLE_LOST = 4, /* such a conversion whose derivative is not known: it is rounded before, or of doubles; and what rounds it, and stands between */
} kgi_whole;

/* By instruction, of an array of zeros. What is shifted on the way into the exponent is no number of steps, nor is what is put below an exponent
 * whose steps are whole numbers, nor what a hash mixes. False: no memory. */
bool kgi_find_whole(const kgi_program *p, const bool *taken, uint8_t *whole, kgi_arena *scratch);

/* Marks the program's buffers of integers that some run of the module takes for the bits of floats, for `taken` above, which may be NULL: by
 * object, of an array of zeros. False: no memory. */
bool kgi_find_taken(const kg_module *m, const kgi_program *p, bool *taken, kgi_arena *scratch);
#endif
