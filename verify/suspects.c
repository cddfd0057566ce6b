/* Which entries are looked at, of a gradient that a person wrote: an adjoint of one's own, a backward kernel, a program that a module
 * states as an adjoint. One wrong entry of many is seldom drawn. So kg_grad's gradient runs beside it on the reference, and the entry of
 * each part that differs most from it is the one that is held against its dual. This decides nothing but where to look. */
#include "foundation/ir/copy.h"
#include "foundation/ir/program.h"
#include "verify/oracle.h"

#include <math.h>
#include <string.h>

/* Roundings that two right gradients may differ by. */
enum { ROUNDINGS = 64 };

typedef struct other {
  kg_module *plain, *adjoint; /* plain: the module, with no adjoints stated */
  kg_grad_map *map;
  kg_grad_params asked;
  kg_verify_params params;
  kg_grad_entry *shadow;
  kgi_gradient gradient;
  kgi_oracle oracle;
  kgi_data data;
} other;

static bool states_adjoints(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    if (m->program[k]->adjoint) return true;
  return false;
}

bool kgi_oracle_is_stated(const kgi_oracle *o) {
  return o->params->mode == KG_VERIFY_REVERSE && (o->gradient.written || states_adjoints(o->gradient.module));
}

static kg_status differentiate(const kgi_oracle *o, other *x) {
  x->plain = kgi_module_copy(o->params->alloc, o->gradient.module);
  if (!x->plain) return KG_NO_MEMORY;
  for (uint32_t k = 1; k < x->plain->program_count; k++) x->plain->program[k]->adjoint = 0;
  x->asked = *o->gradient.asked;
  x->asked.accumulate = x->asked.deterministic = false, x->asked.tape_limit = 0;
  kg_status status = kg_grad_mapped(x->plain, &x->asked, NULL, &x->adjoint, &x->map);
  if (status != KG_OK) return status;
  x->shadow = kgi_shadows_of(x->map, o->params->alloc);
  return x->shadow ? KG_OK : KG_NO_MEMORY;
}

/* Data and cotangents go by names and the seed: they are those that the oracle has drawn. */
static kg_status run(const kgi_oracle *o, other *x) {
  x->params = *o->params;
  x->params.adjoint = NULL, x->params.map = NULL, x->params.accumulate = false;
  x->gradient = (kgi_gradient){.module = x->plain, .asked = &x->asked, .adjoint = x->adjoint, .shadow = x->shadow,
                               .shadows = kg_grad_map_count(x->map)};
  kg_status status = kgi_oracle_open(&x->params, &x->gradient, NULL, &x->oracle);
  if (status == KG_OK && !x->oracle.contract.broken) status = kgi_oracle_entry(&x->oracle, &x->data);
  if (status == KG_OK && x->oracle.contract.broken) status = KG_REFUSED;
  if (status == KG_OK) status = kgi_oracle_run(&x->oracle, NULL, &(kg_reference_params){.module = NULL}, &x->data, NULL);
  return x->oracle.memory.failed ? KG_NO_MEMORY : status == KG_OK ? KG_OK : KG_REFUSED;
}

static void discard(const kgi_oracle *o, other *x) {
  size_t shadows = x->map ? kg_grad_map_count(x->map) : 0;
  kgi_data_free(&x->data);
  kgi_oracle_free(&x->oracle);
  kgi_free(o->params->alloc, x->shadow, shadows * sizeof *x->shadow);
  kg_grad_map_free(x->map);
  kg_module_free(x->adjoint);
  kg_module_free(x->plain);
}

/* ---- where the two differ ---- */

typedef struct pair { const kgi_oracle_input *in; const kgi_data *given, *made; uint32_t shadow; double size; } pair;

static double size_of(const pair *p) {
  double size = 0;
  for (uint64_t i = 0; i < p->in->count; i++) {
    double x = fabs(kgi_data_element(p->made, p->shadow, i));
    if (isfinite(x) && x > size) size = x;
  }
  return size;
}

/* By its share, but what has cancelled to almost nothing differs by much of itself. */
static double doubt(const pair *p, uint64_t i) {
  double given = kgi_data_element(p->given, p->in->shadow, i) - kgi_oracle_start(p->in, i), made = kgi_data_element(p->made, p->shadow, i);
  if (!isfinite(given) || !isfinite(made)) return !isfinite(given) && !isfinite(made) ? 0 : (double)INFINITY;
  double beside = fabs(made) + p->size / 1024;
  return given == made ? 0 : fabs(given - made) / (beside > 0 ? beside : fabs(given));
}

static uint64_t most_doubtful(const pair *p, kgi_oracle_part part, double least) {
  uint64_t found = KGI_NO_SUSPECT;
  for (uint64_t i = part.from; i < part.to; i++) {
    double x = doubt(p, i);
    if (x > least) found = i, least = x;
  }
  return found;
}

static kg_status compare(kgi_oracle *o, kgi_oracle_input *in, const other *x, size_t points) {
  pair p = {.in = in, .given = &o->reference, .made = &x->data};
  size_t k = 0;
  while (k < x->oracle.inputs && strcmp(x->oracle.input[k].entry.name, in->entry.name) != 0) k++;
  if (k == x->oracle.inputs) return KG_OK;
  p.shadow = x->oracle.input[k].shadow, p.size = size_of(&p);
  in->suspect = kgi_arena_alloc(&o->arena, points, sizeof *in->suspect);
  if (!in->suspect) return KG_NO_MEMORY;
  for (size_t n = 0; n < points; n++) in->suspect[n] = most_doubtful(&p, kgi_oracle_part_of(in, n, points), ROUNDINGS * o->scale.unit);
  return KG_OK;
}

kg_status kgi_oracle_suspects(kgi_oracle *o, uint64_t entries) {
  other x = {0};
  bool many = false;
  for (size_t k = 0; k < o->inputs; k++) many |= o->input[k].count > entries;
  /* of kg_grad's gradient there is no other opinion; what "h after k" stands for only the caller's module has */
  if (!many || o->gradient.plain || !kgi_oracle_is_stated(o)) return KG_OK;
  kg_status status = differentiate(o, &x);
  if (status == KG_OK) status = run(o, &x);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++)
    if (o->input[k].count > entries) status = compare(o, &o->input[k], &x, (size_t)entries);
  discard(o, &x);
  return status == KG_NO_MEMORY ? kgi_oracle_no_memory(o) : KG_OK;
}
