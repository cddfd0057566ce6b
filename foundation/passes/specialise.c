/* From the names, values and conditions that a caller states to a program that rests on them. */
#include "foundation/passes/specialise.h"
#include "foundation/ir/fold.h"
#include "foundation/ir/range.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"
#include "foundation/text/expr.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 64, LONGEST = 200 };

typedef struct special {
  kg_module *m;
  const kg_facts *facts;
  kgi_diags *diags;
  kgi_arena scratch;
  kg_status status;
  uint32_t *assumed, assumed_count; /* asserts of the lone program */
} special;

static bool fails(special *s, kg_status status) {
  if (s->status == KG_OK) s->status = status;
  return false;
}

static bool has_room(special *s) { return s->scratch.failed || s->m->arena.failed ? fails(s, KG_NO_MEMORY) : s->status == KG_OK; }

/* ---- names ---- */

/* "a, b, c", cut where it is long. */
static const char *params_of(special *s, const kgi_scope *scope, char out[LONGEST]) {
  size_t used = 0;
  snprintf(out, LONGEST, "there are none");
  for (uint32_t q = 1; q < scope->param_count && used + 40 < LONGEST; q++)
    used += (size_t)snprintf(out + used, LONGEST - used, "%s%.32s", q > 1 ? ", " : "", kgi_string(s->m, scope->param[q].name));
  return out;
}

static const char *constants_of(special *s, char out[LONGEST]) {
  size_t used = 0;
  snprintf(out, LONGEST, "there are none");
  for (uint32_t k = 1; k < s->m->program_count; k++) {
    const kgi_scope *scope = &s->m->program[k]->scope;
    for (uint32_t i = 1; i < scope->spec_count && used + 40 < LONGEST; i++)
      used += (size_t)snprintf(out + used, LONGEST - used, "%s%.32s", used ? ", " : "", kgi_string(s->m, scope->spec[i].name));
  }
  return out;
}

/* NAME=VALUE: the value; NULL, and a diagnostic, where it is none. */
static const char *split(special *s, const char *item, char name[LONGEST]) {
  const char *sign = strchr(item, '=');
  if (!sign || sign == item || !sign[1] || sign - item >= LONGEST)
    return KGI_DIAG(s->diags, fixed_form, 0, item), fails(s, KG_INVALID), NULL;
  snprintf(name, LONGEST, "%.*s", (int)(sign - item), item);
  return sign + 1;
}

static kgi_fixed_set new_set(special *s, uint32_t count) {
  kgi_fixed_set set = {.is = kgi_arena_alloc(&s->scratch, count, sizeof *set.is)};
  set.bits = kgi_arena_alloc(&s->scratch, count, sizeof *set.bits);
  return set;
}

/* ---- values ---- */

static bool take(special *s, kgi_fixed_set *set, uint32_t index, kg_type type, const char *name, const char *value) {
  kgi_builder b;
  kgi_builder_init(&b, s->m, NULL);
  kgi_resume_program(&b, s->m->program[1]);
  if (set->is[index]) return KGI_DIAG(s->diags, fixed_twice, 0, name), fails(s, KG_INVALID);
  if (!kgi_value_of_text(&b, value, type, &set->bits[index]))
    return KGI_DIAG(s->diags, fixed_value, 0, name, kg_type_name(type), value), fails(s, has_room(s) ? KG_INVALID : KG_NO_MEMORY);
  return set->is[index] = true;
}

static bool take_params(special *s, kgi_fixed_set *set) {
  const kgi_scope *scope = &s->m->scope;
  char name[LONGEST], names[LONGEST];
  for (size_t k = 0; k < s->facts->param_count; k++) {
    const char *value = split(s, s->facts->params[k], name);
    uint32_t q = value && s->m->program_count > 1 ? kgi_find_param(s->m, scope, name) : 0;
    if (!value) return false;
    if (!q) return KGI_DIAG(s->diags, fixed_unknown, 0, "param", name, params_of(s, scope, names)), fails(s, KG_INVALID);
    if (!take(s, set, q, (kg_type)scope->param[q].type, name, value)) return false;
  }
  return true;
}

static uint32_t find_spec(const kg_module *m, const kgi_scope *scope, const char *name) {
  for (uint32_t i = 1; i < scope->spec_count; i++)
    if (!strcmp(kgi_string(m, scope->spec[i].name), name)) return i;
  return 0;
}

/* In each program that declares it. */
static bool take_constants(special *s, kgi_fixed_set *sets) {
  char name[LONGEST], names[LONGEST];
  for (size_t k = 0; k < s->facts->constant_count; k++) {
    const char *value = split(s, s->facts->constants[k], name);
    bool found = false;
    for (uint32_t i = 1; value && i < s->m->program_count; i++) {
      const kgi_scope *scope = &s->m->program[i]->scope;
      uint32_t spec = find_spec(s->m, scope, name);
      if (!spec) continue;
      if (!take(s, &sets[i], spec, (kg_type)scope->spec[spec].type, name, value)) return false;
      found = true;
    }
    if (!value) return false;
    if (!found) return KGI_DIAG(s->diags, fixed_unknown, 0, "constant", name, constants_of(s, names)), fails(s, KG_INVALID);
  }
  return true;
}

/* ---- ranges ---- */

/* The length is made of what is not known. */
static bool is_open(const kgi_scope *scope, kgi_dim dim, const kgi_fixed *f) {
  const kgi_dim_node *n = &scope->dim[dim.i];
  if (n->op == KGI_DIM_PARAM) return !f->param.is[n->a];
  if (n->op == KGI_DIM_SPEC) return !f->spec.is || !f->spec.is[n->a];
  if (n->op <= KGI_DIM_FLOAT) return false;
  return n->op == KGI_DIM_LEN || n->op == KGI_DIM_INDEX || is_open(scope, (kgi_dim){n->a}, f) || is_open(scope, (kgi_dim){n->b}, f);
}

/* What the module promises of a param holds of its value; nobody asks once the param is gone. */
static bool check_ranges(special *s, const kgi_scope *scope, const kgi_fixed *f) {
  kgi_dim_env env = {.param = f->param.bits, .spec = f->spec.bits};
  for (uint32_t q = 1; q < scope->param_count; q++) {
    const kgi_param *p = &scope->param[q];
    if (!f->param.is[q] || !p->ranged) continue;
    if (is_open(scope, p->lo, f) || is_open(scope, p->hi, f)) return KGI_DIAG(s->diags, fixed_range, p->pos, kgi_string(s->m, p->name)), fails(s, KG_INVALID);
    if (!kgi_param_in_range(s->m, scope, q, &env, s->diags)) return fails(s, KG_INVALID);
  }
  return true;
}

/* ---- assumptions ---- */

/* Names that a condition may have, and what they are. */
static unsigned named(kgi_builder *b, const char *names[MOST_NAMED], kgi_val values[MOST_NAMED]) {
  const kgi_scope *scope = &b->p->scope;
  unsigned count = 0;
  for (uint32_t q = 1; q < scope->param_count && count < MOST_NAMED; q++)
    names[count] = kgi_string(b->m, scope->param[q].name), values[count++] = kgi_param_value(b, q);
  for (uint32_t k = 1; k < scope->spec_count && count < MOST_NAMED; k++)
    names[count] = kgi_string(b->m, scope->spec[k].name), values[count++] = kgi_spec_value(b, k);
  return count;
}

/* In front of all else, an assert: what is assumed is asked of every run. */
static bool assume(special *s, const char *text, uint32_t *out) {
  kgi_builder b;
  const char *names[MOST_NAMED];
  kgi_val values[MOST_NAMED], condition = {0};
  char message[LONGEST], list[LONGEST];
  kgi_builder_init(&b, s->m, NULL);
  kgi_resume_program(&b, s->m->program[1]);
  b.at = kgi_at_start(KGI_BODY);
  unsigned count = named(&b, names, values);
  kg_status status = kgi_expr(&b, text, names, values, count, KG_I32, &condition);
  if (!has_room(s)) return false;
  if (status != KG_OK || kgi_type_of(b.p, condition) != KG_BOOL)
    return KGI_DIAG(s->diags, assumed_form, 0, text, params_of(s, &b.p->scope, list)), fails(s, KG_INVALID);
  snprintf(message, sizeof message, "it was assumed that %s", text);
  kgi_assert(&b, condition, message);
  *out = b.at.after;
  return b.status == KG_OK || fails(s, b.status);
}

static bool assume_all(special *s) {
  size_t count = s->facts->assumption_count;
  if (!count) return true;
  if (!s->m->lone) return KGI_DIAG(s->diags, assumed_module, s->m->pos, kgi_string(s->m, s->m->name)), fails(s, KG_INVALID);
  s->assumed = kgi_arena_alloc(&s->scratch, count, sizeof *s->assumed);
  if (!has_room(s)) return false;
  for (size_t k = count; k-- > 0;) /* each in front of the ones before */
    if (!assume(s, s->facts->assumptions[k], &s->assumed[k])) return false;
  s->assumed_count = (uint32_t)count;
  return true;
}

/* Whether each is false by what is known. What is true is asserted no more. */
static bool check_assumed(special *s) {
  kgi_builder b;
  kgi_builder_init(&b, s->m, NULL);
  for (uint32_t k = 0; k < s->assumed_count; k++) {
    kgi_program *p = s->m->program[1];
    uint64_t bits;
    kgi_resume_program(&b, p);
    if (!kgi_constant(p, p->inst[s->assumed[k]].arg[0], &bits)) continue;
    if (!bits) return KGI_DIAG(s->diags, assumed_false, 0, s->facts->assumptions[k]), fails(s, KG_INVALID);
    kgi_remove(p, s->assumed[k]);
  }
  return true;
}

/* ---- runs of a module ---- */

static uint32_t buffers_of(const kgi_program *p) { return kgi_buffer_end(&p->scope) - 1; }

static uint32_t *passed(const kg_module *m, const kgi_item *run, uint32_t param) {
  return &m->bind[run->binding + buffers_of(m->program[run->program]) + param - 1];
}

static void translate_binding(const kg_module *m, const kgi_item *run, const uint32_t *map) {
  const kgi_program *p = m->program[run->program];
  uint32_t *bind = &m->bind[run->binding] + buffers_of(p);
  for (uint32_t k = 0; k < p->scope.param_count - 1 + 2 * buffers_of(p); k++) bind[k] = map[bind[k]];
}

static void translate_items(kg_module *m, const uint32_t *map) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    kgi_item *item = &m->item[i];
    for (unsigned k = 0; k < 3; k++) item->grid[k].i = map[item->grid[k].i];
    item->from.i = map[item->from.i], item->to.i = map[item->to.i], item->step.i = map[item->step.i];
    if (item->kind == KGI_ITEM_RUN) translate_binding(m, item, map);
  }
}

static bool is_adjoint_of_any(const kg_module *m, uint32_t program) {
  for (uint32_t k = 1; k < m->program_count; k++)
    if (m->program[k]->adjoint == program) return true;
  return m->program[program]->adjoint;
}

/* What every run of the program passes, if it is one number. */
static bool is_passed(const kg_module *m, uint32_t program, uint32_t param, uint64_t *bits) {
  kg_type type = (kg_type)m->program[program]->scope.param[param].type;
  kgi_dim_env env = {0};
  uint32_t runs = 0;
  for (uint32_t i = 1; i < m->item_count; i++) {
    if (m->item[i].kind != KGI_ITEM_RUN || m->item[i].program != program) continue;
    uint32_t dim = *passed(m, &m->item[i], param);
    uint64_t value;
    if (!dim || kgi_dim_eval_bits(&m->scope, (kgi_dim){dim}, &env, type, &value) != KGI_DIM_OK) return false;
    if (runs++ && value != *bits) return false;
    *bits = value;
  }
  return runs;
}

/* A run's bindings without those of the params that are known. */
static bool rebind(kg_module *m, kgi_item *run, const kgi_fixed *f) {
  const kgi_program *p = m->program[run->program];
  uint32_t from = run->binding, buffers = buffers_of(p), params = p->scope.param_count - 1, to = m->bind_count;
  for (uint32_t k = 0; k < 3 * buffers + params; k++) {
    if (k >= buffers && k < buffers + params && f->param.is[k - buffers + 1]) continue;
    if (!kgi_arena_grow(&m->arena, &m->bind, m->bind_count, &m->bind_cap, sizeof *m->bind)) return false;
    m->bind[m->bind_count++] = m->bind[from + k];
  }
  run->binding = to;
  return true;
}

/* That the promise holds is known, and not left to a run that would be refused. */
static bool keeps_range(const kg_module *m, const kgi_scope *scope, uint32_t q, const kgi_fixed *f) {
  const kgi_param *p = &scope->param[q];
  kgi_dim_env env = {.param = f->param.bits, .spec = f->spec.bits};
  return !p->ranged || (!is_open(scope, p->lo, f) && !is_open(scope, p->hi, f) && kgi_param_in_range(m, scope, q, &env, NULL));
}

/* What all runs of a program pass is known in it too. A stated adjoint has its program's params, so both are left alone. */
static bool fix_passed(special *s, uint32_t program, kgi_fixed *f) {
  kg_module *m = s->m;
  kgi_program *p = m->program[program];
  for (uint32_t q = 1; q < p->scope.param_count && !is_adjoint_of_any(m, program); q++)
    f->param.is[q] = is_passed(m, program, q, &f->param.bits[q]) && keeps_range(m, &p->scope, q, f);
  for (uint32_t i = 1; i < m->item_count; i++)
    if (m->item[i].kind == KGI_ITEM_RUN && m->item[i].program == program && !rebind(m, &m->item[i], f)) return fails(s, KG_NO_MEMORY);
  return true;
}

/* ---- the whole ---- */

static bool rewrite(special *s, uint32_t program, const kgi_fixed *f) {
  kgi_program *p = s->m->program[program];
  if (!kgi_fix_program(s->m, p, f, &s->scratch)) return fails(s, KG_NO_MEMORY);
  return true;
}

static bool clean(special *s, uint32_t program) {
  kgi_program *p = s->m->program[program];
  kg_status status = kgi_clean(s->m, p);
  if (status == KG_OK) status = kgi_write_places(s->m, p);
  return status == KG_OK || fails(s, status);
}

/* The scope of the module is made again from the program's. */
static bool fix_lone(special *s, const kgi_fixed *f) {
  kg_module *m = s->m;
  if (!rewrite(s, 1, f) || !check_assumed(s) || !clean(s, 1)) return false;
  m->item_count = m->bind_count = 1, m->first_item = 0;
  kgi_module_finish_lone(m);
  return has_room(s);
}

static bool fix_module(special *s, kgi_fixed *own, kgi_fixed_set *specs) {
  uint32_t *map;
  if (!kgi_fix_scope(s->m, &s->m->scope, own, &s->scratch, &map)) return fails(s, KG_NO_MEMORY);
  translate_items(s->m, map);
  for (uint32_t k = 1; k < s->m->program_count; k++) {
    kgi_fixed f = {.param = new_set(s, s->m->program[k]->scope.param_count), .spec = specs[k]};
    if (!has_room(s) || !fix_passed(s, k, &f) || !rewrite(s, k, &f) || !clean(s, k)) return false;
  }
  return true;
}

static bool specialise(special *s) {
  kg_module *m = s->m;
  kgi_fixed_set *specs = kgi_arena_alloc(&s->scratch, m->program_count, sizeof *specs);
  kgi_fixed own = {.param = new_set(s, m->scope.param_count)};
  for (uint32_t k = 1; specs && k < m->program_count; k++) specs[k] = new_set(s, m->program[k]->scope.spec_count);
  if (!has_room(s) || !assume_all(s) || !take_params(s, &own.param) || !take_constants(s, specs)) return false;
  if (m->lone) own.spec = specs[1];
  if (!check_ranges(s, &m->scope, &own)) return false;
  return m->lone ? fix_lone(s, &own) : fix_module(s, &own, specs);
}

kg_status kgi_specialise(kg_module *m, const kg_facts *facts, kgi_diags *diags) {
  special s = {.m = m, .facts = facts, .diags = diags};
  if (!facts || (!facts->param_count && !facts->constant_count && !facts->assumption_count)) return KG_OK;
  kg_allocator alloc = m->arena.alloc;
  kgi_arena_init(&s.scratch, &alloc);
  bool fine = specialise(&s);
  kgi_arena_free(&s.scratch);
  if (fine) return kgi_validate(m, diags);
  return s.status == KG_OK ? KG_NO_MEMORY : s.status;
}
