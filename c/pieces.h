/* The parts of the runtime (c/runtime.h) that a text needs. */
#ifndef KGI_C_PIECES_H
#define KGI_C_PIECES_H
#include "c/text.h"

/* Appends to `out` what defines the names kg_ and KG_ that occur in `body`, with all that it needs in turn. Names that the
 * runtime does not define are somebody else's. */
void kgi_c_pieces(kgi_c_text *out, const kgi_c_text *body);
#endif
