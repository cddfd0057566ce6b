/* Where operations are looked at: ranges for random operands, and the points at which the design states what the derivative is. */
#ifndef TESTS_REFERENCE_POINTS_H
#define TESTS_REFERENCE_POINTS_H
#include "foundation/base/random.h"
#include "foundation/ir/program.h"

#include <math.h>

/* Where random operands are drawn from, so that results are numbers; the rest: [-4, 4]. */
typedef struct domain { kgi_op op; double lo, hi, lo2, hi2; } domain;
static const domain domains[] = {
  {KGI_OP_sqrt, 1e-6, 50, 0, 0}, {KGI_OP_rsqrt, 1e-6, 50, 0, 0}, {KGI_OP_log, 1e-6, 50, 0, 0}, {KGI_OP_log2, 1e-6, 50, 0, 0},
  {KGI_OP_log1p, -0.999, 50, 0, 0}, {KGI_OP_pow, 1e-3, 9, -6, 6}, {KGI_OP_asin, -0.999999, 0.999999, 0, 0},
  {KGI_OP_acos, -0.999999, 0.999999, 0, 0}, {KGI_OP_acosh, 1.000001, 60, 0, 0}, {KGI_OP_atanh, -0.999999, 0.999999, 0, 0},
  {KGI_OP_exp, -80, 80, 0, 0}, {KGI_OP_exp2, -100, 100, 0, 0}, {KGI_OP_sinh, -30, 30, 0, 0}, {KGI_OP_cosh, -30, 30, 0, 0},
  {KGI_OP_tanh, -30, 30, 0, 0}, {KGI_OP_sin, -500, 500, 0, 0}, {KGI_OP_cos, -500, 500, 0, 0}, {KGI_OP_rem, -90, 90, -4, 4},
  {KGI_OP_mod, -90, 90, -4, 4}, {KGI_OP_asinh, -1e6, 1e6, 0, 0},
};

static uint64_t state = 1;
static inline double uniform(double lo, double hi) { return kgi_random_between(&state, lo, hi); }

static inline domain domain_of(kgi_op op) {
  for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
    if (domains[i].op == op) return domains[i];
  return (domain){op, -4, 4, 0, 0};
}

typedef struct convention { kgi_op op; double x[3], p[3]; } convention;
static const convention conventions[] = {
  {KGI_OP_abs, {0}, {0}},
  {KGI_OP_abs, {-0.0}, {0}},
  {KGI_OP_abs_diff, {2, 2}, {0, 0}},
  {KGI_OP_max, {3, 3}, {0.5, 0.5}},
  {KGI_OP_min, {3, 3}, {0.5, 0.5}},
  {KGI_OP_max, {0.0, -0.0}, {0.5, 0.5}},
  {KGI_OP_max, {NAN, 1}, {0, 1}},
  {KGI_OP_max, {1, NAN}, {1, 0}},
  {KGI_OP_min, {NAN, 1}, {0, 1}},
  {KGI_OP_clamp, {0.5, 0, 1}, {1, 0, 0}},
  {KGI_OP_clamp, {-1, 0, 1}, {0, 1, 0}},
  {KGI_OP_clamp, {2, 0, 1}, {0, 0, 1}},
  {KGI_OP_clamp, {0, 0, 1}, {0.5, 0.5, 0}},
  {KGI_OP_clamp, {1, 0, 1}, {0.5, 0, 0.5}},
  {KGI_OP_clamp, {1, 1, 1}, {0.25, 0.25, 0.5}},
  {KGI_OP_floor, {2}, {0}},
  {KGI_OP_round, {2.5}, {0}},
  {KGI_OP_sign, {0}, {0}},
  {KGI_OP_fract, {2}, {1}},
  {KGI_OP_pow, {0, 2}, {0, 0}},   /* x^2 at 0 */
  {KGI_OP_pow, {0, 1}, {1, 0}},
  {KGI_OP_pow, {0, 0}, {0, 0}},   /* x^0 is 1 */
  {KGI_OP_pow, {5, 0}, {0, 1.6094379124341003}},
  {KGI_OP_pow, {-2, 3}, {12, NAN}},
  {KGI_OP_pow, {0, -1}, {-INFINITY, -INFINITY}},
  {KGI_OP_sqrt, {0}, {INFINITY}},
  {KGI_OP_log, {0}, {INFINITY}},
  {KGI_OP_select, {1, 5, 6}, {0, 1, 0}},
  {KGI_OP_select, {0, 5, 6}, {0, 0, 1}},
  {KGI_OP_stop_gradient, {7}, {0}},
  {KGI_OP_atan2, {0, -1}, {-1, 0}},
  {KGI_OP_sinc, {0}, {0}},
  {KGI_OP_sinc, {-0.0}, {0}},
  {KGI_OP_sinc, {1e-20}, {-1e-20 / 3}},
  {KGI_OP_sinc, {-6e-3}, {1.9999928000092572e-3}},
  {KGI_OP_sinc, {3.141592653589793}, {-0.3183098861837908}},
  {KGI_OP_sinc, {INFINITY}, {NAN}},
  {KGI_OP_hypot, {0, 0}, {0, 0}},
  {KGI_OP_hypot, {-0.0, 0}, {0, 0}},
  {KGI_OP_hypot, {-3, 4}, {-0.6, 0.8}},
  {KGI_OP_hypot, {0, -2}, {0, -1}},
  {KGI_OP_hypot, {1e300, 1e300}, {0.70710678118654752, 0.70710678118654752}},
  {KGI_OP_hypot, {-5e-324, 0}, {-1, 0}},
  {KGI_OP_hypot, {-INFINITY, 1}, {-1, 0}},
  {KGI_OP_hypot, {1, INFINITY}, {0, 1}},
  {KGI_OP_hypot, {INFINITY, INFINITY}, {NAN, NAN}},
  {KGI_OP_hypot, {INFINITY, NAN}, {NAN, NAN}},
  {KGI_OP_mulz, {0, INFINITY}, {INFINITY, 0}},
  {KGI_OP_tanh, {800}, {0}},
  {KGI_OP_atan, {1e200}, {0}},
  /* poles and ends */
  {KGI_OP_rsqrt, {0}, {-INFINITY}},
  {KGI_OP_log1p, {-1}, {INFINITY}},
  {KGI_OP_asin, {1}, {INFINITY}},
  {KGI_OP_acos, {-1}, {-INFINITY}},
  {KGI_OP_acosh, {1}, {INFINITY}},
  {KGI_OP_atanh, {1}, {INFINITY}},
  {KGI_OP_atanh, {-1}, {INFINITY}},
  {KGI_OP_div, {1, 0}, {INFINITY, -INFINITY}},
  {KGI_OP_div, {0, 0}, {INFINITY, NAN}},
  {KGI_OP_exp, {-INFINITY}, {0}},
  {KGI_OP_exp2, {1030}, {INFINITY}},
  {KGI_OP_log, {INFINITY}, {0}},
  {KGI_OP_sqrt, {INFINITY}, {0}},
  {KGI_OP_asinh, {INFINITY}, {0}},
  {KGI_OP_tanh, {-INFINITY}, {0}},
  {KGI_OP_atan, {INFINITY}, {0}},
  {KGI_OP_erf, {INFINITY}, {0}},
  {KGI_OP_sin, {INFINITY}, {NAN}},
  {KGI_OP_atan2, {1, 0}, {0, -1}},
  {KGI_OP_pow, {-2, 2}, {-4, NAN}},
  {KGI_OP_pow, {-0.0, 1}, {1, 0}},
  /* quotients: y = a - q b with q = -2, -4, -3 and 0 */
  {KGI_OP_mod, {6, -3}, {1, 2}},
  {KGI_OP_mod, {-7, 2}, {1, 4}},
  {KGI_OP_rem, {7, -2}, {1, 3}},
  {KGI_OP_rem, {5, INFINITY}, {1, 0}},
  {KGI_OP_rem, {5, 0}, {1, NAN}},
  /* NaN, zeros of both signs */
  {KGI_OP_max, {NAN, NAN}, {1, 1}},
  {KGI_OP_min, {0.0, -0.0}, {0.5, 0.5}},
  {KGI_OP_clamp, {NAN, 0, 1}, {0, 1, 0}},
  {KGI_OP_abs_diff, {1, 3}, {-1, 1}},
  {KGI_OP_mulz, {0, NAN}, {NAN, 0}},
  {KGI_OP_fract, {-0.5}, {1}},
  {KGI_OP_sign, {-0.0}, {0}},
};

#endif
