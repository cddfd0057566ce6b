/* A program made ready for differentiation: the private copy, lowered and cleaned, what holds of it, and room for the plan. */
#include "autodiff/plan/ad.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

static bool allocate(kgi_ad *a) {
  size_t n = a->f.p->inst_count, objects = a->f.p->scope.object_count;
  kgi_arena *s = &a->scratch;
  a->flags = kgi_arena_alloc(s, n, sizeof *a->flags);
  a->cross_next = kgi_arena_alloc(s, n, sizeof *a->cross_next);
  a->slot_of = kgi_arena_alloc(s, n, sizeof *a->slot_of);
  a->loop_of = kgi_arena_alloc(s, n, sizeof *a->loop_of);
  a->entry = kgi_arena_alloc(s, n, sizeof *a->entry);
  a->sum_of = kgi_arena_alloc(s, n, sizeof *a->sum_of);
  a->block = kgi_arena_alloc(s, a->f.p->block_count, sizeof *a->block);
  a->object = kgi_arena_alloc(s, objects, sizeof *a->object);
  a->object_count = (uint32_t)objects;
  for (size_t o = 1; o < objects && a->object; o++) a->object[o].varied_from = UINT32_MAX;
  return !s->failed;
}

static kg_status join_stores(kg_module *work, kgi_program *p) {
  bool changed = false;
  kg_status status = kgi_join_stores(work, p, &changed);
  return status == KG_OK && changed ? kgi_clean(work, p) : status;
}

static kg_status begin(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc, bool lowered) {
  *a = (kgi_ad){.f = {.work = work, .p = p}, .diags = diags};
  kgi_arena_init(&a->scratch, alloc);
  a->f.made_from = p->scope.object_count;
  kg_status status = p->adjoint ? KG_OK : kgi_ad_lower_bits(work, p, diags, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_lower(work, p, diags, &a->scratch);
  if (status == KG_OK && !p->adjoint) kgi_ad_own_atomics(a);
  if (status == KG_OK && lowered && a->status == KG_OK) kgi_ad_await_extremes(a);
  if (status == KG_OK) status = a->status;
  if (status == KG_OK) status = kgi_clean(work, p);
  if (status == KG_OK && lowered) status = join_stores(work, p);
  if (status == KG_OK && lowered) status = kgi_begin_arrays_anew(p, &a->scratch); /* bounds are plainer now than where exits were lowered */
  if (status == KG_OK && lowered) status = kgi_ad_bring_homes_out(work, p, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_load_ahead(work, p, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_hoist(work, p, true, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_count_loops(&a->f, diags, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_branch_choices(&a->f, diags, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_find_settled(&a->f, diags, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_load_ends(&a->f, diags, &a->scratch);
  if (status == KG_OK && lowered) status = kgi_ad_find_vacant(&a->f, &a->scratch);
  if (status != KG_OK) return status;
  if (!kgi_ad_collect_facts(&a->f, &a->scratch)) return KG_NO_MEMORY;
  if (lowered) status = kgi_ad_close_checkpoints(&a->f, &a->scratch);
  if (status != KG_OK) return status;
  return allocate(a) ? KG_OK : KG_NO_MEMORY;
}

kg_status kgi_ad_analyse(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc) {
  return begin(a, work, p, diags, alloc, true);
}

kg_status kgi_ad_examine(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc) {
  return begin(a, work, p, diags, alloc, false);
}

/* A loop that was cut into strips has other numbers for its trips than those that were noted. */
static bool is_as_before(const kgi_program *p, const kgi_program *before, const kgi_ad_settled *s) {
  const kgi_inst *x = &p->inst[s->loop], *y = &before->inst[s->loop];
  bool same = x->kind == y->kind && x->type == y->type && x->flags == y->flags && p->inst[s->at].block == before->inst[s->at].block;
  for (unsigned k = 0; k < 4; k++) same &= x->arg[k] == y->arg[k];
  return same;
}

static void take_settled(kgi_ad_facts *f, const kgi_ad_facts *like, kgi_arena *scratch) {
  f->settled = kgi_arena_alloc(scratch, like->settled_count, sizeof *f->settled);
  for (uint32_t k = 0; k < like->settled_count && f->settled; k++)
    if (is_as_before(f->p, like->p, &like->settled[k])) f->settled[f->settled_count++] = like->settled[k];
}

kg_status kgi_ad_analyse_again(kgi_ad *a, const kgi_ad *like, kgi_program *p, kgi_diags *diags) {
  *a = (kgi_ad){.f = {.work = like->f.work, .p = p, .made_from = like->f.made_from}, .diags = diags, .req = like->req};
  kgi_arena_init(&a->scratch, &like->scratch.alloc);
  a->f.counted_count = like->f.counted_count;
  a->f.counted = kgi_arena_alloc(&a->scratch, like->f.counted_count, sizeof *a->f.counted);
  for (uint32_t k = 0; k < a->f.counted_count && a->f.counted; k++) a->f.counted[k] = like->f.counted[k];
  a->f.copy = kgi_arena_alloc(&a->scratch, like->f.copy_count, sizeof *a->f.copy);
  for (uint32_t k = 0; k < like->f.copy_count && a->f.copy; k++) a->f.copy[a->f.copy_count++] = like->f.copy[k];
  a->f.copy_cap = a->f.copy_count;
  a->f.phase = kgi_arena_alloc(&a->scratch, like->f.phase_count, sizeof *a->f.phase);
  for (uint32_t k = 0; k < like->f.phase_count && a->f.phase; k++) a->f.phase[a->f.phase_count++] = like->f.phase[k];
  take_settled(&a->f, &like->f, &a->scratch);
  a->f.vacant = kgi_arena_alloc(&a->scratch, p->scope.object_count, sizeof *a->f.vacant);
  for (uint32_t o = 1; o < kgi_buffer_end(&p->scope) && a->f.vacant && like->f.vacant; o++) a->f.vacant[o] = like->f.vacant[o];
  if (!kgi_ad_collect_facts(&a->f, &a->scratch) || !allocate(a)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < like->object_count; o++) {
    a->object[o].overwritten = like->object[o].overwritten;
    a->object[o].replaced = like->object[o].replaced;
    a->object[o].aside = like->object[o].aside;
    a->object[o].part_length = like->object[o].part_length;
  }
  return KG_OK;
}

void kgi_ad_free(kgi_ad *a) {
  if (a->before) kgi_ad_free(a->before);
  kgi_arena_free(&a->scratch);
}
