/* Runs of programs that name their adjoint. What such a program does is not reversed, so nothing of it has to be possible to reverse. */
#include "autodiff/plan/schedule.h"
#include "foundation/ir/adjoint.h"

#include <stdio.h>

/* ---- what stands for the program ---- */

typedef struct uses { bool *loaded, *stored, *param, bits; } uses;

/* An integer may hold the bits of a float. */
static bool takes_bits(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span operands = kgi_operands(inst);
  if (inst->kind != KGI_op || !kgi_is_int(inst->type)) return false;
  for (unsigned k = 0; k < operands.count; k++)
    if (kgi_is_float(a->f.p->inst[inst->arg[operands.first + k]].type) && kgi_ad_flows(a, i, k)) return true;
  return false;
}

static void find_uses(const kgi_program *p, uses *u) {
  kgi_ad a = {.f = {.p = (kgi_program *)p}};
  for (uint32_t i = 1; i < p->inst_count; i++) /* leaves belong to no block */
    if (p->inst[i].kind == KGI_param) u->param[p->inst[i].arg[0]] = true;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    u->bits |= takes_bits(&a, i);
    if (!kgi_touches(inst)) continue;
    uint32_t o = kgi_object_of(inst);
    bool loads = inst->kind == KGI_load || (inst->kind == KGI_atomic && p->scope.object[o].mode != KG_WRITE);
    u->loaded[o] |= loads;
    u->stored[o] |= inst->kind == KGI_store || (inst->kind == KGI_atomic && inst->op != KGI_ATOMIC_load);
  }
}

void kgi_ad_forget_body(kgi_program *p) {
  p->inst_count = 1, p->block_count = KGI_BODY + 1;
  p->block[KGI_BODY] = (kgi_block){0};
  p->leaves = (kgi_set){0};
}

static kgi_val first_index(kgi_builder *b, uint32_t o) { return b->p->scope.object[o].scalar ? (kgi_val){0} : kgi_u32(b, 0); }

static kgi_val plus(kgi_builder *b, kgi_val sum, kgi_val value) {
  kgi_val number = kgi_convert(b, KG_F32, value);
  return kgi_op2(b, KGI_OP_add, sum, number);
}

/* Where an integer is on the path it is refused, as anywhere: a conversion has no derivative there. */
static void load_all(kgi_builder *b, const uses *u, kgi_val *sum) {
  for (uint32_t o = 1; o < kgi_buffer_end(&b->p->scope); o++) {
    if (!u->loaded[o]) continue;
    kgi_val index = first_index(b, o), value = kgi_load(b, (kgi_obj){o}, index);
    *sum = plus(b, *sum, value);
  }
  for (uint32_t q = 1; q < b->p->scope.param_count; q++) {
    if (!u->param[q] || !kgi_is_float(b->p->scope.param[q].type)) continue;
    kgi_val value = kgi_param_value(b, q);
    *sum = plus(b, *sum, value);
  }
}

static void store_all(kgi_builder *b, const uses *u, kgi_val sum) {
  for (uint32_t o = 1; o < kgi_buffer_end(&b->p->scope); o++) {
    kg_type type = kgi_type_value(b->p->scope.object[o].type);
    if (!u->stored[o]) continue;
    kgi_val value = u->bits && !kgi_is_float(type) ? kgi_bitcast(b, KG_U32, sum) : sum;
    kgi_val index = first_index(b, o), converted = kgi_convert(b, type, value);
    kgi_store(b, (kgi_obj){o}, index, converted);
  }
}

bool kgi_ad_stand_in(kgi_ad_module *g, kgi_program *p) {
  kgi_builder b;
  uses u = {0};
  u.loaded = kgi_arena_alloc(&g->scratch, p->scope.object_count, sizeof *u.loaded);
  u.stored = kgi_arena_alloc(&g->scratch, p->scope.object_count, sizeof *u.stored);
  u.param = kgi_arena_alloc(&g->scratch, p->scope.param_count, sizeof *u.param);
  if (g->scratch.failed) return false;
  find_uses(p, &u);
  kgi_ad_forget_body(p);
  kgi_builder_init(&b, g->work, &g->diags);
  kgi_resume_program(&b, p);
  b.pos = p->pos;
  kgi_val sum = kgi_f32(&b, 0);
  load_all(&b, &u, &sum);
  store_all(&b, &u, sum);
  return kgi_builder_status(&b) == KG_OK;
}

/* ---- what cannot be ---- */

static kgi_pos pos_of(const kgi_ad_module *g, const kgi_ad_run *r) { return g->m->item[r->item].pos; }
static const kgi_program *program_of(const kgi_ad_module *g, const kgi_ad_run *r) { return g->m->program[g->m->item[r->item].program]; }
static const char *name_of(const kgi_ad_module *g, kgi_str name) { return kgi_string(g->m, name); }

/* `extents`: those that its shadow would have. */
static void lacks(kgi_ad_module *g, const kgi_ad_run *r, const char *name, unsigned type, const char *extents) {
  const kgi_program *p = program_of(g, r);
  char fix[300];
  snprintf(fix, sizeof fix, "declare grad_%.80s there, %s with %.100s, `read_write`", name, kg_type_name(kgi_ad_type(type)),
           extents);
  KGI_DIAG(&g->diags, grad_adjoint_shadow, pos_of(g, r), name_of(g, g->m->program[p->adjoint]->name), name, name_of(g, p->name), fix);
}

/* On the path, with no shadow to go on with. */
static bool lacks_shadow(kgi_ad_module *g, const kgi_ad_run *r) {
  const kgi_program *p = program_of(g, r);
  char extents[120];
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope); o++) {
    if (!kgi_ad_on_path(&r->ad, o) || kgi_adjoint_shadow(g->m, p, o)) continue;
    const char *name = name_of(g, p->scope.object[o].name);
    snprintf(extents, sizeof extents, "the extents of %.80s", name);
    return lacks(g, r, name, p->scope.object[o].type, extents), true;
  }
  for (uint32_t q = 1; q < p->scope.param_count; q++) {
    bool active = r->ad.f.param_value[q] && kgi_ad_active(&r->ad, r->ad.f.param_value[q]);
    if (!active || kgi_adjoint_param_shadow(g->m, p, q)) continue;
    return lacks(g, r, name_of(g, p->scope.param[q].name), p->scope.param[q].type, "one element, as [1]"), true;
  }
  return false;
}

static bool loads(const kgi_program *p, uint32_t object) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (kgi_touches(&p->inst[i]) && kgi_object_of(&p->inst[i]) == object) return true;
  return false;
}

/* The adjoint loads what the run binds there. */
static bool adjoint_loads(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  const kgi_program *p = program_of(g, r), *adjoint = g->m->program[p->adjoint];
  uint32_t own = kgi_adjoint_own(g->m, p, object);
  return own && own < kgi_buffer_end(&adjoint->scope) && loads(adjoint, own);
}

/* What is overwritten before the adjoint loads it is copied behind the run (autodiff/ends.c), for each round. */
static void keep_overwritten(kgi_ad_module *g, kgi_ad_run *r) {
  bool any = false;
  for (uint32_t o = 1; o < kgi_buffer_end(&program_of(g, r)->scope); o++) {
    if (!r->ad.object[o].overwritten || !adjoint_loads(g, r, o)) continue;
    kgi_ad_keep_end(&r->ad, o);
    any = true;
  }
  if (any) kgi_ad_find_rounds(&r->ad);
}

/* The adjoint goes by the grid that its program has: what fewer workgroups leave alone has no part in it, and what more of them do has it
 * more than once. */
static bool has_other_grid(kgi_ad_module *g, const kgi_ad_run *r) {
  const kgi_program *p = program_of(g, r);
  if (!kgi_dim_is_set(p->grid) || !kgi_dim_is_set(g->m->item[r->item].grid)) return false;
  KGI_DIAG(&g->diags, grad_adjoint_grid, pos_of(g, r), name_of(g, p->name), name_of(g, g->m->program[p->adjoint]->name));
  return true;
}

/* Two shadows would be one. */
static bool shares_param(kgi_ad_module *g, const kgi_ad_run *r) {
  const kgi_program *p = program_of(g, r);
  for (uint32_t q = 1; q < p->scope.param_count; q++) {
    uint32_t asked = kgi_adjoint_param_shadow(g->m, p, q) ? kgi_ad_param_asked(g, r, q) : 0;
    for (uint32_t k = 1; k < q && asked; k++) {
      if (kgi_ad_param_asked(g, r, k) != asked || !kgi_adjoint_param_shadow(g->m, p, k)) continue;
      KGI_DIAG(&g->diags, grad_aliased, pos_of(g, r), name_of(g, g->m->scope.param[asked].name), ", and its adjoint one shadow");
      return true;
    }
  }
  return false;
}

kg_status kgi_ad_check_stated(kgi_ad_module *g, kgi_ad_run *r) {
  if (lacks_shadow(g, r) || has_other_grid(g, r) || shares_param(g, r)) return KG_REFUSED;
  keep_overwritten(g, r);
  if (r->ad.status != KG_OK) return r->ad.status;
  return kgi_ad_check_twice(g, r);
}
