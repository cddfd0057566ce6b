/* Optimisers over 100 steps with changing gradients, against the published formulas in double. What changes from step to step lives on
 * the device, so one executable takes all steps. */
#include "tests/primitives/kfac_math.h"
#include "tests/primitives/steps.h"
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 300, STEPS = 100, MOST_STATES = 3, MOST_ARGS = 8 };

static const char *const devices[] = {"reference", "cpu"};

typedef struct trajectory { double g[N], state[MOST_STATES][N], rate; int t; } trajectory;

/* A primitive; its buffers of n elements, of which `g` is given and the last one is judged; what a step makes of them in double. Betas are
 * f32, as params are. */
typedef struct optimiser {
  const char *label, *name;
  const char *state[MOST_STATES + 1];
  void (*step)(trajectory *x);
  kg_primitive_arg arg[MOST_ARGS];
} optimiser;

static void sgd(trajectory *x) { kgt_sgd(N, x->g, x->state[0], x->state[1], x->rate * 0.0625, 0.875, 0.125, 0); }
static void nesterov(trajectory *x) { kgt_sgd(N, x->g, x->state[0], x->state[1], x->rate * 0.0625, 0.875, 0.125, 1); }
static void adam(trajectory *x) {
  kgt_adam(N, x->g, x->state[0], x->state[1], x->state[2], x->t,
           (kgt_adam_params){x->rate * 0.0625, (double)0.9f, (double)0.999f, (double)1e-8f, 0.125, 0});
}
static void adamw(trajectory *x) {
  kgt_adam(N, x->g, x->state[0], x->state[1], x->state[2], x->t,
           (kgt_adam_params){x->rate * 0.0625, (double)0.9f, (double)0.999f, (double)1e-8f, 0.125, 1});
}
static void lion(trajectory *x) { kgt_lion(N, x->g, x->state[0], x->state[1], x->rate * 0.0625, (double)0.9f, (double)0.99f, 0.125); }

static void muon(trajectory *x) {
  kgt_muon(20, 15, x->g, x->state[0], x->state[1], (kgt_muon_params){x->rate * 0.0625, 0.875, 0.125, 5});
}

#define LENGTH {"n", N}, {"learning_rate", 0.0625}, {"weight_decay", 0.125}
static const optimiser optimisers[] = {
    {"sgd", "sgd", {"velocity", "w"}, sgd, {LENGTH, {"momentum", 0.875}}},
    {"nesterov", "sgd", {"velocity", "w"}, nesterov, {LENGTH, {"momentum", 0.875}, {"nesterov", 1}}},
    {"sgd, scheduled", "sgd", {"velocity", "w"}, sgd, {LENGTH, {"momentum", 0.875}, {"scheduled", 1}}},
    {"adam", "adam", {"m", "v", "w"}, adam, {LENGTH}},
    {"adam, scheduled", "adam", {"m", "v", "w"}, adam, {LENGTH, {"scheduled", 1}}},
    {"adamw", "adamw", {"m", "v", "w"}, adamw, {LENGTH}},
    {"lion", "lion", {"m", "w"}, lion, {LENGTH}},
    {"muon", "muon", {"velocity", "w"}, muon,
     {{"blocks", 1}, {"rows", 20}, {"columns", 15}, {"learning_rate", 0.0625}, {"weight_decay", 0.125}, {"momentum", 0.875}}},
    {"lion, scheduled", "lion", {"m", "w"}, lion, {LENGTH, {"scheduled", 1}}},
};

static const kg_sink *const sink = &kgt_sink;

typedef struct running { kgt_device device; kg_module *module; kg_executable *executable; } running;

static running start_on(const char *device, const char *name, const kg_primitive_arg *args) {
  running r = {.device = kgt_open(device)};
  size_t count = 0;
  while (count < MOST_ARGS && args[count].name) count++;
  ck_assert_int_eq(kg_primitive_build(NULL, name, args, count, sink, &r.module), KG_OK);
  ck_assert_int_eq(kg_executable_new_bound(r.device.device, r.module, NULL, 0, NULL, sink, &r.executable), KG_OK);
  return r;
}

static void end(running *r) {
  kg_executable_free(r->executable);
  kg_module_free(r->module);
  kgt_close(&r->device);
}

static kg_buffer *buffer(const running *r, const char *name) {
  kg_buffer *b = kg_executable_find(r->executable, name);
  ck_assert_ptr_nonnull(b);
  return b;
}

static void put(const running *r, const char *name, const double *x, size_t n) {
  float y[N];
  for (size_t i = 0; i < n; i++) y[i] = (float)x[i];
  ck_assert_int_eq(kg_buffer_write(buffer(r, name), 0, y, n * sizeof *y, sink), KG_OK);
}

/* The gradient changes in size and in sign; element 0 has none at all, element 1 none for the first half. */
static void draw(uint64_t *state, trajectory *x) {
  for (int i = 0; i < N; i++) {
    double g = kgi_random_between(state, -1, 1) + 0.5 * sin(i + 0.1 * x->t);
    x->g[i] = i == 0 || (i == 1 && x->t <= STEPS / 2) ? 0 : (double)(float)(g * pow(2, i % 20 - 10));
  }
}

/* One step rounds w by half a unit of its size, and the step taken by a few units of its own. */
static void compare(const running *r, const char *name, const double *want, double longest) {
  float got[N];
  ck_assert_int_eq(kg_buffer_read(buffer(r, name), 0, got, sizeof got, sink), KG_OK);
  for (int i = 0; i < N; i++) {
    double allowed = STEPS * 0x1p-24 * (1 + fabs(want[i]) + 8 * longest);
    ck_assert_msg(fabs((double)got[i] - want[i]) <= allowed, "%s[%d] is %.9g, not %.9g", name, i, (double)got[i], want[i]);
  }
}

START_TEST(follows_the_formula_for_100_steps) {
  const optimiser *o = &optimisers[_i / (int)KGT_COUNT(devices)];
  running r = start_on(devices[_i % (int)KGT_COUNT(devices)], o->name, o->arg);
  bool scheduled = kg_executable_find(r.executable, "rate") != NULL;
  static trajectory x;
  uint64_t state = 5;
  size_t last = 0;
  while (last < MOST_STATES && o->state[last + 1]) last++;
  for (int i = 0; i < N; i++) x.state[last][i] = (double)(float)kgi_random_between(&state, -1, 1);
  put(&r, o->state[last], x.state[last], N);
  double longest = 0;
  for (x.t = 1; x.t <= STEPS; x.t++) {
    double before[N];
    for (int i = 0; i < N; i++) before[i] = x.state[last][i];
    draw(&state, &x);
    x.rate = scheduled ? (double)(float)kgt_learning_rate(x.t, 10, STEPS, 0.125, 2) : 1;
    put(&r, "g", x.g, N);
    if (scheduled) put(&r, "rate", &x.rate, 1);
    ck_assert_int_eq(kg_execute(r.executable, sink), KG_OK);
    o->step(&x);
    for (int i = 0; i < N; i++) longest = fmax(longest, fabs(x.state[last][i] - before[i]));
  }
  compare(&r, o->state[last], x.state[last], longest);
  end(&r);
}
END_TEST

START_TEST(a_schedule_follows_its_formula_for_100_steps) {
  const kg_primitive_arg args[MOST_ARGS] = {{"warmup", 10}, {"total", 80}, {"least", 0.125}, {"shape", _i % 3}};
  running r = start_on(devices[_i / 3], "learning_rate", args);
  for (int t = 1; t <= STEPS; t++) {
    float got;
    ck_assert_int_eq(kg_execute(r.executable, sink), KG_OK);
    ck_assert_int_eq(kg_buffer_read(buffer(&r, "rate"), 0, &got, sizeof got, sink), KG_OK);
    ck_assert_double_eq_tol((double)got, kgt_learning_rate(t, 10, 80, 0.125, _i % 3), 8 * 0x1p-24);
  }
  end(&r);
}
END_TEST

enum { BATCH = 24, INPUTS = 6, OUTPUTS = 3, SIDE = INPUTS + 1 };

typedef struct layer {
  double x[BATCH * INPUTS], g[BATCH * OUTPUTS], dw[OUTPUTS * SIDE], a[SIDE * SIDE], b[OUTPUTS * OUTPUTS], velocity[OUTPUTS * SIDE];
  double w[OUTPUTS * SIDE], lambda;
} layer;

static void draw_layer(uint64_t *state, layer *y, int t) {
  for (int i = 0; i < BATCH * INPUTS; i++) y->x[i] = (double)(float)(kgi_random_between(state, -1, 1) + 0.3 * (i % INPUTS));
  for (int i = 0; i < BATCH * OUTPUTS; i++) y->g[i] = (double)(float)(kgi_random_between(state, -1, 1) / t);
  for (int i = 0; i < OUTPUTS * SIDE; i++) y->dw[i] = (double)(float)(kgi_random_between(state, -1, 1) + 0.5 * (i % 2));
}

/* One step as Martens and Grosse have it; the params are those of the primitive's row. */
static void step_layer(layer *y, int t) {
  static double inverse_a[SIDE * SIDE], inverse_g[OUTPUTS * OUTPUTS], v[OUTPUTS * SIDE];
  double of_a, of_g, decay = (double)0.95f, rate = (double)0.1f;
  kgt_factor(y->x, BATCH, INPUTS, 1, 1, decay, t, y->a);
  kgt_factor(y->g, BATCH, OUTPUTS, 0, 1, decay, t, y->b);
  kgt_damping(y->a, SIDE, y->b, OUTPUTS, y->lambda, &of_a, &of_g);
  ck_assert(kgt_inverse(y->a, SIDE, of_a, inverse_a) && kgt_inverse(y->b, OUTPUTS, of_g, inverse_g));
  double clipping = kgt_clipping(kgt_precondition(inverse_g, OUTPUTS, y->dw, inverse_a, SIDE, v), rate, (double)0.001f);
  for (int i = 0; i < OUTPUTS * SIDE; i++) {
    y->velocity[i] = (double)0.9f * y->velocity[i] + clipping * v[i];
    y->w[i] -= rate * y->velocity[i];
  }
}

/* Each step of a few hundredths has the relative error of two inverses, of condition numbers below 100. */
START_TEST(kfac_follows_its_formula_for_100_steps) {
  const kg_primitive_arg args[MOST_ARGS] = {{"batch", BATCH}, {"n_in", INPUTS}, {"n_out", OUTPUTS}};
  running r = start_on(devices[_i], "kfac_step", args);
  static layer y = {.lambda = 0.0625};
  uint64_t state = 9;
  put(&r, "lambda", &y.lambda, 1);
  float w[OUTPUTS * SIDE];
  for (int t = 1; t <= STEPS; t++) {
    draw_layer(&state, &y, t);
    put(&r, "x", y.x, BATCH * INPUTS), put(&r, "g", y.g, BATCH * OUTPUTS), put(&r, "dw", y.dw, OUTPUTS * SIDE);
    ck_assert_int_eq(kg_execute(r.executable, sink), KG_OK);
    step_layer(&y, t);
  }
  ck_assert_int_eq(kg_buffer_read(buffer(&r, "w"), 0, w, sizeof w, sink), KG_OK);
  for (int i = 0; i < OUTPUTS * SIDE; i++) {
    ck_assert_double_gt(fabs(y.w[i]), 1e-4);
    ck_assert_double_eq_tol((double)w[i], y.w[i], 100 * 0x1p-24 * fmax(1, fabs(y.w[i])));
  }
  end(&r);
}
END_TEST

/* New bases every tenth step. Their signs are free, and fall out of the step. */
enum { FRESH = 10 };

static void step_scaled(layer *y, int t, double *moments, double *basis_a, double *basis_g) {
  static double v[OUTPUTS * SIDE], of_a[SIDE], of_g[OUTPUTS];
  double decay = (double)0.95f, rate = (double)0.1f;
  kgt_factor(y->x, BATCH, INPUTS, 1, 1, decay, t, y->a);
  kgt_factor(y->g, BATCH, OUTPUTS, 0, 1, decay, t, y->b);
  if (t % FRESH == 1) {
    kgt_eigen(y->a, SIDE, of_a, basis_a), kgt_eigen(y->b, OUTPUTS, of_g, basis_g);
    for (int i = 0; i < OUTPUTS * SIDE; i++) moments[i] = of_g[i / SIDE] * of_a[i % SIDE];
  }
  kgt_bases u = {basis_a, basis_g, SIDE, OUTPUTS};
  kgt_moments(u, y->x, y->g, BATCH, 1, 1, decay, moments);
  double clipping = kgt_clipping(kgt_scaled(u, y->dw, moments, y->lambda, v), rate, (double)0.001f);
  for (int i = 0; i < OUTPUTS * SIDE; i++) {
    y->velocity[i] = (double)0.9f * y->velocity[i] + clipping * v[i];
    y->w[i] -= rate * y->velocity[i];
  }
}

static void move(const running *from, const running *to, const char *name, size_t n) {
  float x[N];
  ck_assert_int_eq(kg_buffer_read(buffer(from, name), 0, x, n * sizeof *x, sink), KG_OK);
  ck_assert_int_eq(kg_buffer_write(buffer(to, name), 0, x, n * sizeof *x, sink), KG_OK);
}

static void run_layer(const running *factors, const running *basis, const running *step, const layer *y, int t) {
  put(factors, "x", y->x, BATCH * INPUTS), put(factors, "g", y->g, BATCH * OUTPUTS);
  put(step, "x", y->x, BATCH * INPUTS), put(step, "g", y->g, BATCH * OUTPUTS), put(step, "dw", y->dw, OUTPUTS * SIDE);
  ck_assert_int_eq(kg_execute(factors->executable, sink), KG_OK);
  if (t % FRESH == 1) {
    move(factors, basis, "a_factor", SIDE * SIDE), move(factors, basis, "g_factor", OUTPUTS * OUTPUTS);
    ck_assert_int_eq(kg_execute(basis->executable, sink), KG_OK);
    move(basis, step, "basis_a", SIDE * SIDE), move(basis, step, "basis_g", OUTPUTS * OUTPUTS);
    move(basis, step, "moments", OUTPUTS * SIDE);
  }
  ck_assert_int_eq(kg_execute(step->executable, sink), KG_OK);
}

/* As K-FAC. */
START_TEST(ekfac_follows_its_formula_for_100_steps) {
  const kg_primitive_arg shape[MOST_ARGS] = {{"batch", BATCH}, {"n_in", INPUTS}, {"n_out", OUTPUTS}};
  const kg_primitive_arg sides[MOST_ARGS] = {{"blocks", 1}, {"side_a", SIDE}, {"side_g", OUTPUTS}};
  running factors = start_on(devices[_i], "kfac_factors", shape), basis = start_on(devices[_i], "ekfac_basis", sides);
  running step = start_on(devices[_i], "ekfac_step", shape);
  static layer y = {.lambda = 0.0625};
  static double moments[OUTPUTS * SIDE], basis_a[SIDE * SIDE], basis_g[OUTPUTS * OUTPUTS];
  uint64_t state = 9;
  put(&step, "lambda", &y.lambda, 1);
  float w[OUTPUTS * SIDE];
  for (int t = 1; t <= STEPS; t++) {
    draw_layer(&state, &y, t);
    run_layer(&factors, &basis, &step, &y, t);
    step_scaled(&y, t, moments, basis_a, basis_g);
  }
  ck_assert_int_eq(kg_buffer_read(buffer(&step, "w"), 0, w, sizeof w, sink), KG_OK);
  for (int i = 0; i < OUTPUTS * SIDE; i++) {
    ck_assert_double_gt(fabs(y.w[i]), 1e-4);
    ck_assert_double_eq_tol((double)w[i], y.w[i], 100 * 0x1p-24 * fmax(1, fabs(y.w[i])));
  }
  end(&factors), end(&basis), end(&step);
}
END_TEST

/* Two matrices at once. Of the statistics of the wide side the first has eigenvalues that are 0, which epsilon alone keeps. */
START_TEST(shampoo_follows_its_formula_for_100_steps) {
  enum { ROWS = 5, COLUMNS = 7, SIZE = ROWS * COLUMNS };
  const kg_primitive_arg args[MOST_ARGS] = {{"blocks", 2}, {"rows", ROWS}, {"columns", COLUMNS}, {"momentum", 0.875}, {"decay", 0.96875},
                                            {"weight_decay", 0.125}, {"epsilon", 0.0009765625}, {"scheduled", 1}};
  running r = start_on(devices[_i], "shampoo", args);
  static double g[2 * SIZE], left[2 * ROWS * ROWS], right[2 * COLUMNS * COLUMNS], velocity[2 * SIZE], w[2 * SIZE];
  uint64_t state = 13;
  float got[2 * SIZE];
  for (int t = 1; t <= STEPS; t++) {
    double rate = (double)(float)kgt_learning_rate(t, 10, STEPS, 0.125, 2);
    kgt_shampoo_params p = {(double)0.1f * rate, 0.875, 0.96875, 0x1p-10, 0.125};
    for (int i = 0; i < 2 * SIZE; i++) g[i] = (double)(float)(kgi_random_between(&state, -1, 1) + 0.5 * sin(i + 0.1 * t));
    put(&r, "g", g, 2 * SIZE), put(&r, "rate", &rate, 1);
    ck_assert_int_eq(kg_execute(r.executable, sink), KG_OK);
    for (int b = 0; b < 2; b++)
      kgt_shampoo(ROWS, COLUMNS, g + b * SIZE, left + b * ROWS * ROWS, right + b * COLUMNS * COLUMNS, velocity + b * SIZE, w + b * SIZE, p);
  }
  ck_assert_int_eq(kg_buffer_read(buffer(&r, "w"), 0, got, sizeof got, sink), KG_OK);
  double worst = 0;
  for (int i = 0; i < 2 * SIZE; i++) worst = fmax(worst, fabs((double)got[i] - w[i]));
  if (getenv("KGT_VERBOSE")) fprintf(stderr, "shampoo: off by %.3g\n", worst / 0x1p-24);
  for (int i = 0; i < 2 * SIZE; i++) ck_assert_double_eq_tol((double)got[i], w[i], 100 * 0x1p-24);
  end(&r);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT_CROSS(follows_the_formula_for_100_steps, optimisers, label, KGT_COUNT(devices)),
      KGT_TIMES(kfac_follows_its_formula_for_100_steps, KGT_COUNT(devices)),
      KGT_TIMES(ekfac_follows_its_formula_for_100_steps, KGT_COUNT(devices)),
      KGT_TIMES(shampoo_follows_its_formula_for_100_steps, KGT_COUNT(devices)),
      KGT_TIMES(a_schedule_follows_its_formula_for_100_steps, 3 * KGT_COUNT(devices)),
  };
  return kgt_run("primitives/steps", tests, KGT_COUNT(tests));
}
