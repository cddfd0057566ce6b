/* What the suites of the public builder share. */
#ifndef TESTS_PUBLIC_BUILDER_H
#define TESTS_PUBLIC_BUILDER_H
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

static const kg_value kgt_no_value = {0, 0};
static const kg_length kgt_no_length = {0, 0};

/* The ids of all diagnostics so far. */
extern char kgt_said[4096];

kg_builder *kgt_begin(void);

static inline kg_value kgt_u32(kg_builder *b, int64_t value) { return kg_build_int(b, KG_U32, value); }
static inline kg_value kgt_f32(kg_builder *b, double value) { return kg_build_float(b, KG_F32, value); }

/* A program for modules: y = a * rate + k, of n elements. */
typedef struct kgt_step { kg_program program; kg_object a, y; kg_param k, rate; } kgt_step;
kgt_step kgt_build_step(kg_builder *b);

/* A square, and its gradient written beside it, in a module that is not ended. */
typedef struct kgt_sides { kg_program forward, back; } kgt_sides;
kgt_sides kgt_build_square(kg_builder *b);
#endif
