/* Text that may be anything. */
#ifndef TOOLS_UTF8_H
#define TOOLS_UTF8_H
#include <stddef.h>

/* The length of the UTF-8 sequence at p, or 0 where it is none: overlong forms, surrogates and what lies above U+10FFFF are
 * none. Reads no further than a NUL. */
size_t tool_utf8_length(const unsigned char *p);
#endif
