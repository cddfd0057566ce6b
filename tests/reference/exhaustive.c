/* Every function of one f32 at every argument, against MPFR: `make exhaustive`, by hand.
 *
 *     tests/reference/exhaustive [-j THREADS] [-l] [FUNCTION [FIRST LAST]]     exponent fields, 0 to 255; -l lists hard arguments as C
 *
 * MPFR itself would take weeks, so it is asked at few points, and what it says is carried to all others:
 *
 * - Neighbouring arguments form a block. MPFR gives the function at 8 Chebyshev nodes in 160 bits; the polynomial through them is
 *   evaluated in double at each argument. MPFR also gives the ends and the middle, where such a polynomial errs most: if it is off
 *   by more than 2^-49 of the block's largest value, the block is halved.
 * - Where sine, cosine and tangent turn too fast for that, they come from tables of sin and cos by MPFR, by the addition theorem.
 * - Where a monotone function rounds to one float at both ends of a block, that is the result all through it.
 * - An argument passes if the polynomial plus and minus 2^-46 of the block's largest value (the tables: 2^-50) round to one float
 *   and the evaluator gave just that. All others MPFR decides itself, rounded as IEEE-754 wants.
 *
 * So the C library takes no part in the proof. It is wrong only if the evaluator rounds wrongly where a polynomial is 8 times
 * further off than where it was looked at, and in the same direction. */
#include "tests/support/mpfr_values.h"

#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  NODES = 8, BLOCK_LOG = 16, BLOCK = 1 << BLOCK_LOG, SMALL_LOG = 4, CHUNK = 4096, HARD = 8, BINADE_LOG = 23, FIELDS = 256,
  TURNS_FAST = 132, /* the exponent field of 32 */
  THREADS = 64,
};
static const uint32_t NAN_BITS = 0x7FC00000, SIGN = 0x80000000;
#define F32 (&kgt_formats[1])

/* An argument, and how far its exact result is from the middle of two floats, in their distance. */
typedef struct hard { uint32_t bits; double distance; } hard;

typedef struct tally {
  uint64_t arguments, asked, plain_wrong, wrong;
  hard hard[HARD]; /* nearest first */
  unsigned hards, units_left;
} tally;

typedef struct job {
  unsigned first_function, last_function, first_field, last_field;
  bool list;
  long double weight[NODES][NODES]; /* [power][node]: coefficients from values at the nodes */
  long double node[NODES];
  atomic_uint next;
  pthread_mutex_t lock;
  tally tally[KGT_FUNCTIONS];
} job;

typedef struct checker {
  job *job;
  const kgt_function *f;
  tally own;
  uint32_t first; /* the argument whose result is out[0] */
  mpfr_t x, rounded, wide, cosine;
  float in[BLOCK], out[BLOCK], low[CHUNK], high[CHUNK];
  double sin_high[2048], cos_high[2048], sin_low[4096], cos_low[4096];
} checker;

static float float_of(uint32_t bits) {
  float x;
  return memcpy(&x, &bits, sizeof x), x;
}
static uint32_t bits_of(float x) {
  uint32_t bits;
  return memcpy(&bits, &x, sizeof bits), bits;
}

/* ---- one argument, by MPFR itself ---- */

static uint32_t nearest(checker *c, uint32_t bits) { return (uint32_t)kgt_nearest(F32, c->f->exact, c->rounded, c->x, bits); }

/* The f64 result, rounded: wrong where the C library's double falls on the other side of a tie. */
static uint32_t rounded_double(const checker *c, uint32_t bits) {
  double x = (double)float_of(bits), y;
  uint64_t in, out = 0;
  memcpy(&in, &x, sizeof in);
  kgi_eval(c->f->op, KG_F64, KG_F64, &in, &out);
  memcpy(&y, &out, sizeof y);
  return y != y ? NAN_BITS : bits_of((float)y);
}

static bool turns(const kgt_function *f) { return f->op == KGI_OP_sin || f->op == KGI_OP_cos || f->op == KGI_OP_tan; }

/* Keeps a list sorted; drops what is easier than all of a full one, and the mirror images of odd and even functions. */
static void keep(tally *t, hard h) {
  unsigned at = t->hards;
  for (unsigned k = 0; k < t->hards; k++)
    if ((t->hard[k].bits | SIGN) == (h.bits | SIGN) && t->hard[k].distance == h.distance) return;
  if (at == HARD && t->hard[HARD - 1].distance <= h.distance) return;
  if (at == HARD) at--;
  else t->hards++;
  for (; at > 0 && t->hard[at - 1].distance > h.distance; at--) t->hard[at] = t->hard[at - 1];
  t->hard[at] = h;
}

/* Infinite and vanishing results, and those that are floats exactly, are not hard. */
static void weigh(checker *c, uint32_t bits) {
  mpfr_t whole;
  int ternary = c->f->exact(c->wide, c->x, MPFR_RNDN);
  if (!mpfr_regular_p(c->wide) || mpfr_get_exp(c->wide) > 128 || mpfr_get_exp(c->wide) < -149) return;
  mpfr_exp_t exponent = mpfr_get_exp(c->wide) < -125 ? -125 : mpfr_get_exp(c->wide);
  mpfr_init2(whole, 160);
  mpfr_mul_2si(c->wide, c->wide, 24 - exponent, MPFR_RNDN);
  mpfr_floor(whole, c->wide);
  mpfr_sub(whole, c->wide, whole, MPFR_RNDN);
  mpfr_sub_d(whole, whole, 0.5, MPFR_RNDN);
  double distance = fabs(mpfr_get_d(whole, MPFR_RNDN));
  mpfr_clear(whole);
  if (ternary != 0) keep(&c->own, (hard){bits, distance});
}

static void ask(checker *c, uint32_t bits) {
  uint32_t want = nearest(c, bits), got = bits_of(c->out[bits - c->first]);
  c->own.asked++;
  c->own.plain_wrong += rounded_double(c, bits) != want;
  if (got != want && c->own.wrong++ < 4)
    printf("%s(%a), 0x%08X, gave 0x%08X, not 0x%08X\n", kgi_op_rows[c->f->op].name, (double)float_of(bits), (unsigned)bits,
           (unsigned)got, (unsigned)want);
  weigh(c, bits);
}

/* Holds the results from `bits` on against c->low and c->high. */
static void hold(checker *c, uint32_t bits, uint32_t count) {
  const float *got = &c->out[bits - c->first];
  if (!memcmp(got, c->low, count * sizeof *got) && !memcmp(got, c->high, count * sizeof *got)) return;
  for (uint32_t k = 0; k < count; k++)
    if (bits_of(got[k]) != bits_of(c->low[k]) || bits_of(got[k]) != bits_of(c->high[k])) ask(c, bits + k);
}

/* ---- blocks ---- */

/* The function at the start + t steps: of the first argument and the distance to the next. */
static long double at(checker *c, uint32_t first, long double steps) {
  double start = (double)float_of(first), step = (double)float_of(first + 1) - start;
  mpfr_set_ld(c->x, steps, MPFR_RNDN);
  mpfr_mul_d(c->x, c->x, step, MPFR_RNDN);
  mpfr_add_d(c->x, c->x, start, MPFR_RNDN);
  c->f->exact(c->wide, c->x, MPFR_RNDN);
  return mpfr_get_ld(c->wide, MPFR_RNDN);
}

static double polynomial(const double *p, double t) {
  double y = p[NODES - 1];
  for (int k = NODES - 2; k >= 0; k--) y = y * t + p[k];
  return y;
}

/* In t from -1 at the block's first argument to 1 behind its last; false: not good enough. */
static bool interpolate(checker *c, uint32_t first, unsigned log, double *p, double *largest) {
  long double value[NODES], half = (long double)(UINT32_C(1) << log) / 2;
  *largest = 0;
  for (int i = 0; i < NODES; i++) {
    value[i] = at(c, first, half * (1 + c->job->node[i]));
    if (!isfinite(value[i])) return false;
    *largest = fmax(*largest, fabs((double)value[i]));
  }
  for (int k = 0; k < NODES; k++) {
    long double sum = 0;
    for (int i = 0; i < NODES; i++) sum += c->job->weight[k][i] * value[i];
    p[k] = (double)sum;
  }
  for (int t = -1; t <= 1; t++)
    if (!(fabsl(at(c, first, half * (1 + t)) - (long double)polynomial(p, t)) <= 0x1p-49L * (long double)*largest)) return false;
  return true;
}

static bool is_constant(checker *c, uint32_t first, unsigned log, uint32_t *value) {
  if (turns(c->f)) return false;
  *value = nearest(c, first);
  return nearest(c, first + (UINT32_C(1) << log) - 1) == *value;
}

static void check_block(checker *c, uint32_t first, unsigned log) {
  uint32_t count = UINT32_C(1) << log, same, chunk = count < CHUNK ? count : CHUNK;
  double p[NODES], largest, scale = 2.0 / count, margin;
  bool constant = is_constant(c, first, log, &same);
  if (!constant && log <= SMALL_LOG) {
    for (uint32_t k = 0; k < count; k++) ask(c, first + k);
    return;
  }
  if (!constant && !interpolate(c, first, log, p, &largest)) {
    check_block(c, first, log - 1);
    check_block(c, first + count / 2, log - 1);
    return;
  }
  margin = constant ? 0 : 0x1p-46 * largest;
  for (uint32_t from = 0; from < count; from += chunk) {
    for (uint32_t k = 0; k < chunk; k++) {
      double y = constant ? 0 : polynomial(p, (from + k) * scale - 1);
      c->low[k] = constant ? float_of(same) : (float)(y - margin);
      c->high[k] = constant ? float_of(same) : (float)(y + margin);
    }
    hold(c, first + from, chunk);
  }
}

/* ---- large arguments of sine, cosine and tangent ---- */

static void fill_table(checker *c, double *sine, double *cosine, unsigned count, double start, double step) {
  for (unsigned i = 0; i < count; i++) {
    mpfr_set_d(c->x, start + i * step, MPFR_RNDN);
    mpfr_sin_cos(c->wide, c->cosine, c->x, MPFR_RNDN);
    sine[i] = mpfr_get_d(c->wide, MPFR_RNDN), cosine[i] = mpfr_get_d(c->cosine, MPFR_RNDN);
  }
}

/* The tables' numbers are off by half a unit in the last place, so sums of two products by less than 2^-51. */
static void check_turns(checker *c, uint32_t bits) {
  uint32_t row = bits >> 12 & 2047;
  double a = c->sin_high[row], b = c->cos_high[row], sign = bits & SIGN ? -1 : 1;
  for (uint32_t k = 0; k < CHUNK; k++) {
    double sine = sign * (a * c->cos_low[k] + b * c->sin_low[k]), cosine = b * c->cos_low[k] - a * c->sin_low[k];
    double y = c->f->op == KGI_OP_sin ? sine : cosine, margin = 0x1p-50;
    if (c->f->op == KGI_OP_tan) y = sine / cosine, margin = 0x1p-50 * (1 + fabs(y)) / fabs(cosine);
    c->low[k] = (float)(y - margin), c->high[k] = (float)(y + margin);
  }
  hold(c, bits, CHUNK);
}

/* ---- all arguments with one exponent field and sign ---- */

static void check_specials(checker *c, uint32_t bits) {
  for (uint32_t k = 0; k < BLOCK; k++) {
    bool infinite = ((bits + k) & 0x7FFFFF) == 0;
    c->own.wrong += bits_of(c->out[k]) != (infinite ? nearest(c, bits + k) : NAN_BITS);
  }
}

static void check_field(checker *c, unsigned field, uint32_t sign) {
  kgi_lanes_fn lanes = kgi_lanes(c->f->op, KG_F32, KG_F32);
  bool fast = turns(c->f) && field >= TURNS_FAST && field < FIELDS - 1;
  for (uint32_t from = 0; from < UINT32_C(1) << BINADE_LOG; from += BLOCK) {
    c->first = sign | (uint32_t)field << BINADE_LOG | from;
    for (uint32_t k = 0; k < BLOCK; k++) c->in[k] = float_of(c->first + k);
    lanes(c->out, (const void *const[]){c->in}, BLOCK);
    c->own.arguments += BLOCK;
    if (field == FIELDS - 1) check_specials(c, c->first);
    else if (!fast) check_block(c, c->first, BLOCK_LOG);
    for (uint32_t k = 0; fast && k < BLOCK; k += CHUNK) check_turns(c, c->first + k);
  }
}

/* ---- threads ---- */

static void print_row(const job *j, unsigned k) {
  const tally *t = &j->tally[k];
  printf("%-8s %12llu %10llu %12llu %7llu", kgi_op_rows[kgt_functions[k].op].name, (unsigned long long)t->arguments,
         (unsigned long long)t->asked, (unsigned long long)t->plain_wrong, (unsigned long long)t->wrong);
  if (t->hards) printf("   0x%08X %8.1e", (unsigned)t->hard[0].bits, t->hard[0].distance);
  printf("\n");
  for (unsigned h = 0; j->list && h < t->hards; h++)
    printf("  {KGI_OP_%s, 0x%08X},\n", kgi_op_rows[kgt_functions[k].op].name, (unsigned)t->hard[h].bits);
  fflush(stdout);
}

static void hand_in(checker *c, unsigned k) {
  tally *t = &c->job->tally[k];
  pthread_mutex_lock(&c->job->lock);
  t->arguments += c->own.arguments, t->asked += c->own.asked;
  t->plain_wrong += c->own.plain_wrong, t->wrong += c->own.wrong;
  for (unsigned h = 0; h < c->own.hards; h++) keep(t, c->own.hard[h]);
  if (--t->units_left == 0) print_row(c->job, k);
  pthread_mutex_unlock(&c->job->lock);
}

static void *work(void *user) {
  job *j = user;
  checker *c = calloc(1, sizeof *c);
  unsigned fields = j->last_field - j->first_field + 1, units = (j->last_function - j->first_function + 1) * fields;
  if (!c) return fprintf(stderr, "no memory\n"), NULL; /* its units are then missing from the table */
  c->job = j;
  mpfr_inits2(160, c->x, c->wide, c->cosine, (mpfr_ptr)NULL);
  mpfr_init2(c->rounded, 24);
  for (unsigned unit; (unit = atomic_fetch_add(&j->next, 1)) < units;) {
    unsigned k = j->first_function + unit / fields, field = j->first_field + unit % fields;
    double step = ldexp(1, (int)field - 150);
    c->f = &kgt_functions[k];
    c->own = (tally){0};
    if (turns(c->f) && field >= TURNS_FAST && field < FIELDS - 1) {
      fill_table(c, c->sin_high, c->cos_high, 2048, 0x1p23 * step, 4096 * step);
      fill_table(c, c->sin_low, c->cos_low, 4096, 0, step);
    }
    check_field(c, field, 0);
    check_field(c, field, SIGN);
    hand_in(c, k);
  }
  mpfr_clears(c->x, c->wide, c->cosine, c->rounded, (mpfr_ptr)NULL);
  mpfr_free_cache();
  free(c);
  return NULL;
}

/* The polynomial through values at the nodes: Chebyshev's coefficients are sums over them; T_k by its recurrence gives powers. */
static void prepare(job *j) {
  long double chebyshev[NODES][NODES] = {{1}, {0, 1}}, pi = acosl(-1);
  for (int k = 2; k < NODES; k++)
    for (int d = 0; d < NODES; d++) chebyshev[k][d] = 2 * (d ? chebyshev[k - 1][d - 1] : 0) - chebyshev[k - 2][d];
  for (int i = 0; i < NODES; i++) {
    j->node[i] = cosl((2 * i + 1) * pi / (2 * NODES));
    for (int k = 0; k < NODES; k++)
      for (int d = 0; d < NODES; d++)
        j->weight[d][i] += (k ? 2 : 1) * cosl(k * (2 * i + 1) * pi / (2 * NODES)) / NODES * chebyshev[k][d];
  }
}

static bool choose(job *j, int argc, char **argv, unsigned *threads) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "-l")) j->list = true;
    else if (!strcmp(argv[i], "-j") && i + 1 < argc) *threads = (unsigned)strtoul(argv[++i], NULL, 10);
    else return false;
  }
  if (i < argc) {
    unsigned k = 0;
    while (k < KGT_FUNCTIONS && strcmp(kgi_op_rows[kgt_functions[k].op].name, argv[i])) k++;
    if (k == KGT_FUNCTIONS) return false;
    j->first_function = j->last_function = k;
  }
  if (i + 2 < argc) {
    j->first_field = (unsigned)strtoul(argv[i + 1], NULL, 10);
    j->last_field = (unsigned)strtoul(argv[i + 2], NULL, 10);
  }
  return *threads >= 1 && *threads <= THREADS && j->first_field <= j->last_field && j->last_field < FIELDS;
}

int main(int argc, char **argv) {
  static job j = {.last_function = KGT_FUNCTIONS - 1, .last_field = FIELDS - 1, .lock = PTHREAD_MUTEX_INITIALIZER};
  unsigned threads = 2, started = 0;
  pthread_t thread[THREADS];
  uint64_t wrong = 0, arguments = 0;
  if (!choose(&j, argc, argv, &threads))
    return fprintf(stderr, "usage: exhaustive [-j THREADS] [-l] [FUNCTION [FIRST LAST]]\n"), 2;
  if (LDBL_MANT_DIG < 64 || !mpfr_buildopt_tls_p()) return fprintf(stderr, "needs long double, and MPFR with threads\n"), 2;
  prepare(&j);
  uint64_t fields = j.last_field - j.first_field + 1;
  for (unsigned k = 0; k < KGT_FUNCTIONS; k++) j.tally[k].units_left = (unsigned)fields;
  printf("%-8s %12s %10s %12s %7s   %s\n", "function", "arguments", "by MPFR", "double wrong", "wrong", "hardest, from a tie");
  for (; started < threads; started++)
    if (pthread_create(&thread[started], NULL, work, &j)) break;
  for (unsigned t = 0; t < started; t++) pthread_join(thread[t], NULL);
  for (unsigned k = j.first_function; k <= j.last_function; k++) wrong += j.tally[k].wrong, arguments += j.tally[k].arguments;
  uint64_t all = (j.last_function - j.first_function + 1) * fields << (BINADE_LOG + 1);
  printf("%llu of %llu arguments, %llu wrong\n", (unsigned long long)arguments, (unsigned long long)all, (unsigned long long)wrong);
  return wrong || arguments != all;
}
