/* What each checkpoint costs and saves: the plan, held against that of the same program whose regions are only named. */
#include "autodiff/explain.h"

/* The program as it was written, whose instructions have their numbers in each plan. */
static const kgi_program *written(const kgi_explainer *x) { return x->g->m->program[x->g->m->item[x->r->item].program]; }

static bool is_inside(const kgi_program *p, uint32_t region, uint32_t i) {
  while (i && i != region) i = p->block[p->inst[i].block].owner;
  return i != 0;
}

/* In a plan that has no such region any more. What lowering made belongs to what it stands in. */
static bool was_inside(const kgi_explainer *x, const kgi_program *p, uint32_t region, uint32_t i) {
  const kgi_program *from = written(x);
  for (; i; i = p->block[p->inst[i].block].owner)
    if (i < from->inst_count && is_inside(from, region, i)) return true;
  return false;
}

/* What the slot takes for one invocation. The last factor of a tape is how many there are. */
static uint64_t bytes_of(kgi_explainer *x, const kgi_ad *a, const kgi_ad_slot *slot) {
  kgi_dim factor[KGI_AD_FACTORS] = {{0}};
  if (slot->place == KGI_AD_MEMORY) return 0;
  bool taped = slot->place == KGI_AD_TAPE;
  unsigned count = taped ? kgi_ad_tape_factors(a, slot->tape, factor) - 1 : 0;
  uint32_t times = slot->place == KGI_AD_ARRAY ? slot->trips : 1;
  kgi_explained_length length = kgi_explain_length(x, factor, count, times);
  return kgi_explain_bytes(length, taped ? a->tape[slot->tape].type : (kg_type)a->f.p->inst[slot->value].type);
}

static uint64_t plus(uint64_t sum, uint64_t bytes) {
  return __builtin_add_overflow(sum, bytes, &sum) ? UINT64_MAX : sum;
}

static void add_kept(kgi_explainer *x, uint32_t region, kg_grad_checkpoint *c) {
  const kgi_ad *a = x->a;
  kgi_blk block = a->f.p->inst[region].arg[0];
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_ad_slot *slot = &a->slot[s];
    if (!kgi_ad_within(a, block, slot->value)) continue;
    bool again = slot->block && a->f.block[block].start <= a->f.block[slot->block].start;
    uint64_t *sum = again ? &c->meanwhile : &c->kept;
    *sum = plus(*sum, bytes_of(x, a, slot));
  }
}

static uint64_t kept_without(kgi_explainer *x, uint32_t region) {
  const kgi_ad *a = x->r->plain;
  uint64_t sum = 0;
  if (!a || a->status != KG_OK) return UINT64_MAX;
  kgi_explainer plain = {.g = x->g, .to = x->to, .r = x->r, .a = a};
  for (uint32_t s = 0; s < a->slot_count; s++)
    if (was_inside(x, a->f.p, region, a->slot[s].value)) sum = plus(sum, bytes_of(&plain, a, &a->slot[s]));
  return sum;
}

static void count_statements(const kgi_ad *a, kgi_blk block, kg_grad_checkpoint *c) {
  KGI_EACH_INSIDE(a->f.p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (kgi_owned_blocks(inst).count || inst->kind == KGI_var) continue;
    c->statements++;
    c->again += kgi_ad_in_slice(a, block, i);
  }
}

static void explain(kgi_explainer *x, uint32_t region) {
  kgi_explanation *to = x->to;
  const kgi_inst *inst = kgi_ad_inst(x->a, region);
  if (inst->kind != KGI_checkpoint || !x->a->f.pos[region]) return; /* nothing in it was of use */
  const char *name = kgi_explain_text(x, "%s", kgi_string(x->g->work, (kgi_str){inst->arg[1]}));
  kg_grad_checkpoint c = {.run = to->run_count - 1, .name = name, .line = kgi_explain_line(x, region)};
  c.without = kept_without(x, region);
  add_kept(x, region, &c);
  count_statements(x->a, inst->arg[0], &c);
  if (kgi_arena_grow(to->arena, &to->checkpoint, to->checkpoint_count, &to->checkpoint_cap, sizeof *to->checkpoint))
    to->checkpoint[to->checkpoint_count++] = c;
}

void kgi_explain_checkpoints(kgi_explainer *x) {
  KGI_EACH_INSIDE(written(x), KGI_BODY, i)
    if (written(x)->inst[i].kind == KGI_checkpoint) explain(x, i);
}
