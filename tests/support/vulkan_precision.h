/* What Vulkan allows an instruction to give, by its tables and the formulas that they name: a second reading of them, in double,
 * apart from reference/interval.c. */
#ifndef TESTS_VULKAN_PRECISION_H
#define TESTS_VULKAN_PRECISION_H
#include "reference/interval.h"

/* At a point x of f16 or f32; false: it says nothing there, or there is no such instruction. */
bool kgt_vulkan_allows(kgi_op op, kg_type type, const double *x, kgi_interval *out);
#endif
