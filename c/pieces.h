/* The part of the runtime that a text names. */
#ifndef KGI_C_PIECES_H
#define KGI_C_PIECES_H
#include "c/text.h"

/* Appends the paragraphs of c/runtime.h and c/access.h whose names occur in `body`, and those that these name. */
void kgi_c_pieces(kgi_c_text *out, const kgi_c_text *body);
#endif
