/* Every partial of ops.def, spoilt in several ways, one at a time: the gradient of a kernel that uses the operation must be found
 * wrong. The table is constant; its pages are made writable for that, and the texts put back. */
#include "foundation/ir/builder.h"
#include "tests/planted/planted.h"
#include "tests/reference/reference_points.h"

#include "verify/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LANES = 64, TEXT = 600 };

static bool unlock_table(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = (uintptr_t)kgi_op_rows & ~(page - 1), to = (uintptr_t)(kgi_op_rows + KGI_OP_COUNT);
  return mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) == 0;
}

static void set_partial(kgi_op op, unsigned k, const char *text) {
  union { const kgi_op_row *fixed; kgi_op_row *open; } row = {&kgi_op_rows[op]};
  row.open->partial[k] = text;
}

/* ---- kernels ---- */

/* Where results are numbers and none of the terms is drowned by others. */
static void range_of(kgi_op op, unsigned k, double *lo, double *hi) {
  domain d = domain_of(op);
  *lo = k == 1 && d.lo2 < d.hi2 ? d.lo2 : k ? -4 : d.lo, *hi = k == 1 && d.lo2 < d.hi2 ? d.hi2 : k ? 4 : d.hi;
  if (*lo < -3) *lo = -3;
  if (*hi > 3) *hi = 3;
  if (op == KGI_OP_clamp && k == 1) *lo = -2, *hi = -0.5;
  if (op == KGI_OP_clamp && k == 2) *lo = 0.5, *hi = 2;
  if (op == KGI_OP_acosh) *lo = 1.1;
}

/* The operand as the operation takes it. */
static kgi_val operand(kgi_builder *b, kgi_op op, unsigned k, kgi_obj from) {
  kgi_val x = kgi_load(b, from, kgi_id_value(b, KGI_ID_global_id, 0));
  if (op == KGI_OP_select && k == 0) return kgi_op2(b, KGI_OP_gt, x, kgi_f32(b, 0));
  return op == KGI_OP_ldexp && k == 1 ? kgi_convert(b, KG_I32, x) : x;
}

/* y[i] = op(a[i], b[i], c[i]); what converts, converts to f64. */
static kg_module *kernel(kgi_op op) {
  static const char *const names[] = {"a", "b", "c", "d"};
  kgi_builder b;
  kg_module *m = kgi_module_new(NULL, "planted");
  if (!m) return NULL;
  kgi_builder_init(&b, m, NULL);
  kgi_program *p = kgi_begin_program(&b, "p");
  kgi_dim n = kgi_len_int(&b, LANES);
  p->workgroup[0] = n, p->grid[0] = kgi_len_int(&b, 1);
  kgi_obj in[4];
  kgi_val values[4] = {{0}};
  unsigned arity = kgi_op_rows[op].arity;
  for (unsigned k = 0; k < arity; k++) {
    double lo, hi;
    range_of(op, k, &lo, &hi);
    in[k] = kgi_buffer(&b, names[k], KG_F32, KG_READ, n);
    kgi_object *o = &p->scope.object[in[k].i];
    o->ranged = true, o->lo = kgi_len_float(&b, lo), o->hi = kgi_len_float(&b, hi);
  }
  kgi_obj out = kgi_buffer(&b, "y", op == KGI_OP_convert ? KG_F64 : KG_F32, KG_WRITE, n);
  for (unsigned k = 0; k < arity; k++) values[k] = operand(&b, op, k, in[k]);
  if (op == KGI_OP_with_partial) values[3] = values[2]; /* the same in both modes, as the derivative of a function is */
  kgi_val y = op == KGI_OP_convert ? kgi_convert(&b, KG_F64, values[0]) : kgi_apply(&b, op, values, arity);
  kgi_store(&b, out, kgi_id_value(&b, KGI_ID_global_id, 0), y);
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  if (kgi_builder_status(&b) == KG_OK) return m;
  kg_module_free(m);
  return NULL;
}

/* ---- what verify says ---- */

static planted_outcome judge(const kg_module *m, kg_module *adjoint, kg_grad_map *map, bool *flows) {
  static const kg_grad_params asked;
  kg_grad_entry *shadow = kgi_shadows_of(map, NULL);
  kg_verify_params params = {.seed = 1};
  kgi_gradient gradient = {.module = m, .asked = &asked, .adjoint = adjoint, .shadow = shadow, .shadows = kg_grad_map_count(map)};
  kgi_oracle oracle = {0};
  kgi_judged d = {.ran = false};
  kgi_findings findings = {.oracle = &oracle, .device = &d, .devices = 1};
  planted_outcome found = PLANTED_MISSED;
  if (kgi_oracle_make(&params, &gradient, NULL, &oracle) != KG_OK || oracle.of_gradient.failed) found = PLANTED_BY_FAILURE;
  else if (*oracle.contract.fault) found = PLANTED_BY_DECLARATION;
  else if (kgi_is_misused(&oracle.of_gradient)) found = PLANTED_BY_WATCH;
  else if (kgi_judged_make(&oracle, NULL, &d) != KG_OK || !d.ran) found = PLANTED_BY_FAILURE;
  else if (!kgi_passes(&findings)) found = PLANTED_BY_VALUES;
  if (flows) *flows = found == PLANTED_MISSED && !kgi_is_zero(&findings);
  kgi_judged_free(&d);
  kgi_oracle_free(&oracle);
  free(shadow);
  return found;
}

/* `flows`, where it is not NULL: the gradient is not zero. */
static planted_outcome verdict(kgi_op op, bool *flows) {
  kg_module *m = kernel(op), *adjoint = NULL;
  kg_grad_map *map = NULL;
  planted_outcome found = PLANTED_NOT;
  kg_status status = m ? kg_grad_mapped(m, NULL, NULL, &adjoint, &map) : KG_INVALID;
  if (status == KG_OK) found = judge(m, adjoint, map, flows);
  else if (m) found = PLANTED_BY_FAILURE;
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  kg_module_free(m);
  return found;
}

/* ---- flips ---- */

static const char *const texts[] = {"a partial with the other sign", "a partial doubled", "a partial without its operand: 1",
                                    "a partial left out: 0", "a partial of one too many"};
enum { WAYS = sizeof texts / sizeof *texts };

/* "=e" is the pullback itself, over g. False: this way spoils nothing. */
static bool spoil(const char *partial, unsigned way, char text[TEXT]) {
  bool whole = partial[0] == '=', zero = !strcmp(partial, "0"), convert = !strcmp(partial, "convert");
  const char *p = convert ? "g" : partial + whole;
  static const char *const forms[][2] = {{"-(%s)", "=-(%s)"}, {"2 * (%s)", "=2 * (%s)"}, {"1", "=g"}, {"0", "=0 * g"},
                                         {"(%s) + 1", "=(%s) + g"}};
  if (zero && (way == 0 || way == 1 || way == 3)) return false;
  if (way == 2 && (!strcmp(partial, "=g") || convert)) return false;
  snprintf(text, TEXT, forms[way][whole || convert], p);
  return true;
}

static bool of_floats(kgi_op op, unsigned k) {
  unsigned rule = kgi_op_rows[op].rule;
  if (op == KGI_OP_select) return k > 0;
  if (op == KGI_OP_ldexp) return k == 0;
  return rule == KGI_RULE_NUM || rule == KGI_RULE_FLT || op == KGI_OP_convert || op == KGI_OP_stop_gradient;
}

static void flip(planted_table *t, kgi_op op, unsigned k) {
  const char *right = kgi_op_rows[op].partial[k];
  char text[TEXT];
  for (unsigned way = 0; way < WAYS; way++) {
    if ((!t->all && way > 1) || !spoil(right, way, text)) continue;
    set_partial(op, k, text);
    planted_outcome found = verdict(op, NULL);
    set_partial(op, k, right);
    if (found == PLANTED_MISSED) printf("missed: %s, partial %u: %s for %s\n", kgi_op_rows[op].name, k, text, right);
    planted_count(t, texts[way], found);
  }
}

/* Where nothing flows, as it is, the gradient is zero, and no other will do; the flips must still show. */
static bool flows(kgi_op op) {
  for (unsigned k = 0; k < kgi_op_rows[op].arity; k++)
    if (of_floats(op, k) && strcmp(kgi_op_rows[op].partial[k], "0")) return true;
  return false;
}

void planted_in_partials(planted_table *t) {
  if (!unlock_table()) {
    puts("missed: the table of operations cannot be changed here");
    t->invented++;
    return;
  }
  for (unsigned op = 0; op < KGI_OP_COUNT; op++) {
    bool floats = false;
    for (unsigned k = 0; k < kgi_op_rows[op].arity; k++) floats |= of_floats((kgi_op)op, k);
    if (!floats) continue;
    bool flowed = false;
    planted_outcome sound = verdict((kgi_op)op, &flowed);
    bool fine = sound == PLANTED_MISSED && flowed == flows((kgi_op)op);
    t->sound++, t->invented += !fine;
    if (!fine) printf("invented: a defect in the gradient of %s\n", kgi_op_rows[op].name);
    for (unsigned k = 0; k < kgi_op_rows[op].arity; k++)
      if (of_floats((kgi_op)op, k)) flip(t, (kgi_op)op, k);
  }
}
