/* kgrad's own functions of f32, from arithmetic alone: what devices have is as far off as 1e-4, and differs from one to the next.
 * Each is a function of the module, made when it is first called. Within are the bodies, over operands x. */
#ifndef KGI_SPIRV_MATH_H
#define KGI_SPIRV_MATH_H
#include "spirv/lower/gen.h"

typedef uint32_t kgi_math_body(const gen *g, const uint32_t *x);
#define FUN1(name, ...) kgi_math_body kgi_math_##name;
#define FUN2(name, ...) kgi_math_body kgi_math_##name;
#include "foundation/ir/ops.def"
kgi_math_body kgi_math_rem, kgi_math_mod;

/* What they are made of. c[0] x^(n-1) + ... + c[n-1]. */
uint32_t kgi_math_polynomial(const gen *g, uint32_t x, const double *c, unsigned n);
#define KGI_POLYNOMIAL(g, x, ...) \
  kgi_math_polynomial(g, x, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
uint32_t kgi_math_half_exp(const gen *g, uint32_t x); /* exp(x) / 2, which overflows later */
static inline uint32_t kgi_math_nan(const gen *g) { return num(g, (double)__builtin_nan("")); }
static inline uint32_t kgi_math_inf(const gen *g) { return num(g, (double)__builtin_inf()); }
/* A magnitude, at least 0, with the sign of another value, which may be a zero. */
uint32_t kgi_math_with_sign(const gen *g, uint32_t magnitude, uint32_t sign);
/* Devices may be off by 2.5 units in a division and by more in a root; these correct that by what is left over. Neither operand nor
 * result is near the ends of the range; a quotient by 0 is not a number. */
uint32_t kgi_math_quotient(const gen *g, uint32_t a, uint32_t b);
uint32_t kgi_math_root(const gen *g, uint32_t x);
/* All bits but the lowest, so that products of two such are exact. */
uint32_t kgi_math_masked(const gen *g, uint32_t x, uint32_t mask);
#endif
