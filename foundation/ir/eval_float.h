/* The helpers of one float type for the eval column. Included by eval.c with SFX, T and KEEP defined. Functions are computed in
 * double; KEEP rounds what they return, once. So they return double where rounding may happen, T where not. */

static inline T F(neg)(T a) { return -a; }
static inline T F(abs)(T a) { return (T)fabs(a); }
static inline T F(sign)(T a) { return a > 0 ? 1 : a < 0 ? -1 : a; }

/* minimumNumber and maximumNumber of IEEE-754: a NaN loses against a number, and -0 is less than +0. */
static inline T F(min)(T a, T b) { return a < b || b != b || (a == b && signbit(a)) ? a : b; }
static inline T F(max)(T a, T b) { return a > b || b != b || (a == b && !signbit(a)) ? a : b; }

static inline T F(abs_diff)(T a, T b) { return a > b ? a - b : b - a; }
static inline T F(div)(T a, T b) { return a / b; }
static inline T F(rem)(T a, T b) { return (T)fmod(a, b); }

/* Floored: the result has the divisor's sign, zeros included. */
static inline T F(mod)(T a, T b) {
  T r = (T)fmod(a, b);
  if (r == 0) return (T)copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

static inline T F(floor)(T a) { return (T)floor(a); }
static inline T F(ceil)(T a) { return (T)ceil(a); }
static inline T F(trunc)(T a) { return (T)trunc(a); }
static inline T F(round)(T a) { return (T)rint(a); }
static inline T F(fract)(T a) { return a - (T)floor(a); }

/* Functions of the C library. Where its double leaves open which f32 is nearest, the long double decides. The long double leaves open
 * which double is nearest now and then: then integers decide (certain.c), which decide for folding, too. */
#if IS_F32
#define SETTLED(y, wider) (is_settled(y) ? (y) : settle(wider))
#else
#define SETTLED(y, wider) (y)
#endif
#if IS_F64
#define QUIET(x) keep_f64(x) /* glibc's pow tells NaNs apart */
#define FUNCTION_1(f) \
  static inline double F(f)(T a) { return nearest_f64(f##l(a), KGI_OP_##f, a, 0); }
#define FUNCTION_2(f) \
  static inline double F(f)(T a, T b) { return nearest_f64(f##l(QUIET(a), QUIET(b)), KGI_OP_##f, a, b); }
static inline double F(rsqrt)(T a) { return nearest_f64(1 / sqrtl(a), KGI_OP_rsqrt, a, 0); }
#else
#define FUNCTION_1(f) \
  static inline double F(f)(T a) { \
    double y = f(a); \
    return SETTLED(y, f##l(a)); \
  }
#define FUNCTION_2(f) \
  static inline double F(f)(T a, T b) { \
    double y = f(a, b); \
    return SETTLED(y, f##l(a, b)); \
  }
static inline double F(rsqrt)(T a) {
  double y = 1 / sqrt(a);
  return SETTLED(y, 1 / sqrtl(a));
}
#endif

static inline double F(sqrt)(T a) { return sqrt(a); }
FUNCTION_1(exp)
FUNCTION_1(exp2)
FUNCTION_1(expm1)
FUNCTION_1(log)
FUNCTION_1(log2)
#if IS_F32
static inline double F(log1p)(T a) {
  double y = log1p(a);
  return is_settled(y) ? y : settle_log1p(a);
}
#else
FUNCTION_1(log1p)
#endif
#if IS_F64
/* Of infinities the double function is exact, while glibc's powl has -inf to the power of -2^63 wrong. */
static inline double F(pow)(T a, T b) {
  return isinf(a) ? pow(a, QUIET(b)) : nearest_f64(powl(QUIET(a), QUIET(b)), KGI_OP_pow, a, b);
}
#else
FUNCTION_2(pow)
#endif
FUNCTION_1(sin)
FUNCTION_1(cos)
FUNCTION_1(tan)
FUNCTION_1(sinc)
FUNCTION_1(asin)
FUNCTION_1(acos)
FUNCTION_1(atan)
FUNCTION_2(atan2)
#if IS_F64
FUNCTION_2(hypot)
#else
static inline double F(hypot)(T a, T b) { return settle_hypot(a, b); }
#endif
FUNCTION_1(sinh)
FUNCTION_1(cosh)
FUNCTION_1(tanh)
FUNCTION_1(asinh)
FUNCTION_1(acosh)
FUNCTION_1(atanh)
FUNCTION_1(erf)
FUNCTION_1(erfc)
static inline double F(ldexp)(T a, int32_t b) { return ldexp(a, b); }
static inline uint32_t F(is_inf)(T a) { return fabs(a) == (double)INFINITY; }

#define W T
#define TO_INT(target, x) saturate_##target(x)
#define IS_NUMBER 1
#define IS_FLOAT 1
#undef FUNCTION_1
#undef FUNCTION_2
#undef SETTLED
#undef QUIET
