/* primitives: kernels that come with the library, as templates of text: linear algebra, rows, layers, optimisers, K-FAC. */
/* What a template is made of, line by line:
 *
 *   $name              the value of the primitive's parameter; $log2(name): the logarithm of one that is a power of two
 *   #if name           what follows up to #else or #end is taken where the parameter is not 0, and what is behind #else where it is.
 *   #if name == 2      Also with != and <, and numbers that are whole. They nest.
 *   #insert text a b   the template of that name, in which $1 stands for a, $2 for b, up to $9; a, b are names or numbers
 *
 * All else is the language, comments too. What a template gets wrong stays in the text, and the parser names it. */
#ifndef KGI_TEMPLATE_H
#define KGI_TEMPLATE_H
#include "foundation/base/arena.h"

#include <kgrad/primitives.h>

/* The text of `info`'s template with these values, one for each of its parameters; in the arena, NULL where that failed. */
const char *kgi_template_expand(kgi_arena *arena, const kg_primitive_info *info, const double *values, size_t *size);
#endif
