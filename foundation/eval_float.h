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

static inline double F(sqrt)(T a) { return sqrt(a); }
static inline double F(rsqrt)(T a) { return 1 / sqrt(a); }
static inline double F(exp)(T a) { return exp(a); }
static inline double F(exp2)(T a) { return exp2(a); }
static inline double F(expm1)(T a) { return expm1(a); }
static inline double F(log)(T a) { return log(a); }
static inline double F(log2)(T a) { return log2(a); }
static inline double F(log1p)(T a) { return log1p(a); }
static inline double F(pow)(T a, T b) { return pow(a, b); }
static inline double F(sin)(T a) { return sin(a); }
static inline double F(cos)(T a) { return cos(a); }
static inline double F(tan)(T a) { return tan(a); }
static inline double F(asin)(T a) { return asin(a); }
static inline double F(acos)(T a) { return acos(a); }
static inline double F(atan)(T a) { return atan(a); }
static inline double F(atan2)(T a, T b) { return atan2(a, b); }
static inline double F(sinh)(T a) { return sinh(a); }
static inline double F(cosh)(T a) { return cosh(a); }
static inline double F(tanh)(T a) { return tanh(a); }
static inline double F(asinh)(T a) { return asinh(a); }
static inline double F(acosh)(T a) { return acosh(a); }
static inline double F(atanh)(T a) { return atanh(a); }
static inline double F(erf)(T a) { return erf(a); }
static inline double F(erfc)(T a) { return erfc(a); }
static inline double F(ldexp)(T a, int32_t b) { return ldexp(a, b); }
static inline uint32_t F(is_inf)(T a) { return fabs(a) == (double)INFINITY; }

#define W T
#define TO_INT(target, x) saturate_##target(x)
#define IS_NUMBER 1
#define IS_FLOAT 1
