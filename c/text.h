/* Text that grows in an arena. What does not fit into memory marks the arena as failed, and is asked for once at the end. */
#ifndef KGI_C_TEXT_H
#define KGI_C_TEXT_H
#include "foundation/base/arena.h"

#include <stdarg.h>

typedef struct kgi_c_text { kgi_arena *arena; char *at; size_t size, cap; } kgi_c_text;

__attribute__((format(printf, 2, 3))) void kgi_c_put(kgi_c_text *text, const char *format, ...);
void kgi_c_put_list(kgi_c_text *text, const char *format, va_list args);
#endif
