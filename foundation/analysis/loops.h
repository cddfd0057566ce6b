/* What values do in the trips of a loop. */
#ifndef KGI_LOOPS_H
#define KGI_LOOPS_H
#include "foundation/ir/program.h"

/* The value is made outside of the loop. */
bool kgi_is_fixed(const kgi_program *p, uint32_t value, uint32_t loop);
/* A different number in each trip of the loop, even where integers wrap: its index, with what does not change in it added or subtracted. */
bool kgi_moves_with(const kgi_program *p, uint32_t value, uint32_t loop);
/* Another element of the object in each trip: the index moves with the loop, or one of the indices, where there are several. */
bool kgi_element_moves_with(const kgi_program *p, uint32_t object, uint32_t index, uint32_t loop);
#endif
