/* Every limit of foundation/base/limits.def, lowered to 0 and to 1: an analysis that gives up may make code slower, or have it refused, but
 * what the code computes stays. Gradients of the kernels in tests/gradients, of the examples, of the primitives and of random programs
 * are made again with less, and where they differ from what is made otherwise, both run on the same data, with an eye on races. In
 * builds without development there is nothing to lower: then kernels are only held against themselves. */
#include "foundation/base/limits.h"
#include "tests/autodiff/autodiff_case.h"
#include "fuzz/ask/ask.h"
#include "tests/planted/planted.h"

#include <kgrad/primitives.h>

#if defined __SANITIZE_ADDRESS__
enum { RANDOM = 4, EACH = 16 }; /* sanitizers make everything ten times slower: some kernels with each limit, all with some */
#else
enum { RANDOM = 60, EACH = 1 };
#endif
enum { MOST = 600, NAME = 80 };
enum { TAPES = 64 << 20 }; /* bytes: loops that nothing bounds any more may ask for more than there is, and are then refused */

#ifdef KG_DEVELOPMENT
enum { LIMITS = KGI_LIMIT_COUNT };
static const char *const names[] = {
#define LIMIT(name, most) #name,
#include "foundation/base/limits.def"
};
/* What it was before. */
static uint32_t set(unsigned limit, uint32_t to) {
  uint32_t before = kgi_limits[limit];
  return kgi_limits[limit] = to, before;
}
#else
enum { LIMITS = 1 };
static const char *const names[] = {"nothing"};
static uint32_t set(unsigned limit, uint32_t to) { return (void)limit, to; }
#endif

/* A kernel, and the text of its adjoint as it is without less; NULL: refused. */
typedef struct subject { char name[NAME], *text, *adjoint; kg_grad_map *map; const char *const *param; } subject;
static subject subjects[MOST];
static unsigned count, refusals, differences;

static char *print(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  return kg_module_print(NULL, m, NULL, &text, &size) == KG_OK ? text : NULL;
}

/* The adjoint's text; NULL: refused, or there is nothing to ask for. */
static char *differentiate(const subject *s, kg_grad_map **map) {
  kg_module *primal = NULL, *adjoint = NULL;
  char heard[400] = "", *text = NULL;
  kg_sink sink = {adt_first, heard};
  ck_assert_msg(kg_module_parse(NULL, s->name, s->text, strlen(s->text), &sink, &primal) == KG_OK, "%s: %s", s->name, heard);
  kg_status status = kg_grad_mapped(primal, &(kg_grad_params){.tape_limit = TAPES}, &sink, &adjoint, map);
  if (status == KG_OK) text = print(adjoint);
  else ck_assert_msg(status == KG_REFUSED || status == KG_INVALID, "%s: status %d: %s", s->name, (int)status, heard);
  kg_module_free(primal);
  kg_module_free(adjoint);
  return text;
}

/* ---- the same data through both ---- */

/* The defaults, or what tests/planted/files.c takes instead. */
static void choose_params(const subject *s, const kg_module *m, uint64_t *param) {
  adt_data d = {0};
  adt_allocate(&d, m, NULL, NULL);
  memcpy(param, d.param, sizeof d.param);
  adt_free_data(&d);
  for (unsigned k = 0; s->param && k < PLANTED_PARAMS && s->param[k]; k++) {
    char name[NAME];
    const char *value = strchr(s->param[k], '=');
    snprintf(name, sizeof name, "%.*s", (int)(value - s->param[k]), s->param[k]);
    uint32_t q = kg_module_find_param(m, name);
    if (q != UINT32_MAX) param[q] = strtoull(value + 1, NULL, 10);
  }
}

/* What enters is made from the name alone, so that both modules get the same. */
static void run(adt_data *d, const char *text, const subject *s) {
  kg_module *m = NULL;
  uint64_t param[ADT_PARAMS] = {0};
  ck_assert_int_eq(kg_module_parse(NULL, s->name, text, strlen(text), NULL, &m), KG_OK);
  choose_params(s, m, param);
  adt_allocate(d, m, param, NULL);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    uint64_t seed = 1;
    for (const char *c = info.name; *c; c++) seed = seed * 31 + (unsigned char)*c;
    if (info.mode == KG_READ || info.mode == KG_READ_WRITE) adt_fill(d, i, &seed);
    else memset(d->array[i], 0, (size_t)d->length[i] * kg_type_size(info.type));
  }
  adt_run(d);
}

/* Sums may be taken in another order. */
static bool is_same(const adt_data *a, const adt_data *b, uint32_t i, uint32_t k) {
  kg_type type = kg_module_buffer(a->module, i).type;
  double largest = 0;
  for (uint64_t n = 0; n < a->length[i]; n++) {
    double x = fabs(tool_value_number(type, tool_value_load(type, a->array[i], n)));
    if (isfinite(x) && x > largest) largest = x;
  }
  for (uint64_t n = 0; n < a->length[i]; n++) {
    double x = tool_value_number(type, tool_value_load(type, a->array[i], n));
    double y = tool_value_number(type, tool_value_load(type, b->array[k], n));
    double allowed = tool_type_is_float(type) ? 1e-3 * fabs(x) + 1e-4 * largest : 0;
    if (!(x == y || fabs(x - y) <= allowed || (isnan(x) && isnan(y)))) return false;
  }
  return true;
}

/* A cotangent that is no result is used up: what it leaves nobody asks. */
static bool is_used_up(const subject *s, const char *name) {
  for (size_t k = 0; k < kg_grad_map_count(s->map); k++) {
    kg_grad_entry e = kg_grad_map_entry(s->map, k);
    if (!strcmp(e.shadow, name) && e.of && !e.wrt) return true;
  }
  return false;
}

static void compare(const subject *s, const char *less, const char *what) {
  adt_data a = {0}, b = {0};
  run(&a, s->adjoint, s), run(&b, less, s);
  for (uint32_t i = 0; i < kg_module_buffer_count(a.module); i++) {
    kg_buffer_info info = kg_module_buffer(a.module, i);
    uint32_t k = kg_module_find_buffer(b.module, info.name);
    if (info.mode == KG_READ || info.mode == KG_TEMP || is_used_up(s, info.name)) continue;
    if (k == UINT32_MAX || a.length[i] != b.length[k] || !is_same(&a, &b, i, k))
      printf("%s---- with %s, and without:\n%s---- of\n%s", less, what, s->adjoint, s->text), fflush(stdout),
        ck_abort_msg("%s: %s is another with %s", s->name, info.name, what);
  }
  adt_free_data(&a), adt_free_data(&b); /* which asks the modules how many there are */
  kg_module_free((kg_module *)(uintptr_t)a.module), kg_module_free((kg_module *)(uintptr_t)b.module);
}

static void try(const subject *s, const char *what) {
  kg_grad_map *map = NULL;
  char *less = s->adjoint ? differentiate(s, &map) : NULL;
  if (s->adjoint && !less) refusals++;
  if (less && strcmp(less, s->adjoint)) differences++, compare(s, less, what);
  kg_grad_map_free(map);
  free(less);
}

/* ---- kernels ---- */

static subject *add(const char *name, char *text) {
  if (count == MOST) abort();
  subject *s = &subjects[count++];
  snprintf(s->name, sizeof s->name, "%s", name);
  s->text = text;
  return s;
}

static void add_file(planted_table *t, const planted_file *f) {
  (void)t;
  kg_module *m = planted_read(f);
  static planted_file kept[MOST];
  kept[count] = *f;
  if (m && !f->refused) add(f->name, print(m))->param = kept[count].param;
  kg_module_free(m);
}

static void add_kernels(void) {
  planted_table t = {0};
  planted_each(&t, "tests/gradients", add_file);
  planted_each(&t, "examples", add_file);
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    kg_module *m = NULL;
    const char *name = kg_primitive_at(i)->name;
    if (kg_primitive_build(NULL, name, NULL, 0, NULL, &m) == KG_OK) add(name, print(m));
    kg_module_free(m);
  }
  for (unsigned k = 0; k < count; k++) subjects[k].adjoint = differentiate(&subjects[k], &subjects[k].map);
}

static void make_random(subject *s, uint64_t seed) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  const kgi_property_row *r = kgi_property_named("gradient");
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = r->features & ~(uint32_t)KGI_FUZZ_EDGES, .data = seed};
  snprintf(s->name, sizeof s->name, "random %u", (unsigned)seed);
  s->text = kgi_ask_text(&f);
  s->adjoint = differentiate(s, &s->map);
}

static void try_random(uint64_t seed, unsigned limit, uint32_t to, const char *what) {
  subject s = {.text = NULL};
  make_random(&s, seed);
  uint32_t before = set(limit, to);
  try(&s, what);
  set(limit, before);
  kg_grad_map_free(s.map), free(s.text), free(s.adjoint);
}

/* Cleaning keeps every bit, with less too. */
static void try_cleaning(uint64_t seed, const char *what) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kgi_fuzz_bytes(seed, bytes, sizeof bytes);
  kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = KGI_FUZZ_ALL & ~(uint32_t)KGI_FUZZ_SUBGROUP, .data = seed};
  ck_assert_msg(kgi_ask_clean(&f) != KGI_FAILS, "random %u, cleaned with %s: %s", (unsigned)seed, what, f.what);
}

/* More random programs with KG_ROUNDS=number in the environment. */
START_TEST(limits) {
  char what[NAME];
  const char *more = getenv("KG_ROUNDS");
  unsigned limit = (unsigned)_i / 2, to = (unsigned)_i % 2, rounds = more ? (unsigned)strtoul(more, NULL, 10) : RANDOM;
  snprintf(what, sizeof what, "%s = %u", names[limit], to);
  for (unsigned k = 0; k < rounds; k++) try_random((uint64_t)rounds * (unsigned)_i + k, limit, to, what);
  set(limit, to);
  unsigned tried = 0;
  for (unsigned k = (unsigned)_i % EACH; k < count; k += EACH, tried++) try(&subjects[k], what);
  for (unsigned k = 0; k < rounds; k++) try_cleaning((uint64_t)rounds * (unsigned)_i + k, what);
  printf("%s: %u of %u adjoints are others, %u are refused\n", what, differences, tried + rounds, refusals);
  fflush(stdout);
} END_TEST

int main(void) {
  add_kernels();
  const kgt_test tests[] = {KGT_TIMES(limits, 2 * KGT_COUNT(names))};
  return kgt_run("autodiff/limits", tests, KGT_COUNT(tests));
}
