/* Shaders below bench/shaders, as the compiler that is installed makes them. */
#ifndef BENCH_FOREIGN_H
#define BENCH_FOREIGN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_words { uint32_t *word; size_t count; } bench_words;

/* Whether glslangValidator is there. */
bool bench_foreign_can(void);
/* bench/shaders/NAME.comp; free the words. None: it could not be compiled, and the compiler has said why. */
bench_words bench_foreign(const char *name);
#endif
