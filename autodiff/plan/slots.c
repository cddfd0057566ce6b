/* What is kept, and where. */
#include "autodiff/plan/ad.h"

static void add_slot(kgi_ad *a, kgi_blk block, uint32_t value) {
  if (!kgi_arena_grow(&a->scratch, &a->slot, a->slot_count, &a->slot_cap, sizeof *a->slot)) return kgi_ad_fail(a, KG_NO_MEMORY);
  a->slot[a->slot_count++] = (kgi_ad_slot){.value = value, .block = block};
  a->slot_of[value] = a->slot_count;
}

/* Of two blocks that ask, the outer one keeps it for both. */
void kgi_ad_keep_in(kgi_ad *a, kgi_blk block, uint32_t value) {
  uint32_t slot = a->slot_of[value];
  if (!slot) return add_slot(a, block, value);
  if (a->f.block[block].start < a->f.block[a->slot[slot - 1].block].start) a->slot[slot - 1].block = block;
}

void kgi_ad_keep_forward(kgi_ad *a, uint32_t value) { kgi_ad_keep_in(a, a->block[KGI_BODY].open ? KGI_BODY : 0, value); }

/* Conditions of loops can store nothing, and a loop that is not counted has no number for its trips. Guesses at the trips of three
 * loops within one another would take more memory than there is. The index of a `for` stands for the loop: nothing kept can take its
 * place. */
bool kgi_ad_can_keep_in(kgi_ad *a, kgi_blk keeper, uint32_t value) {
  kgi_blk block = a->f.p->inst[value].block;
  unsigned guesses = 0;
  for (uint32_t loop = a->f.block[block].loop; loop != a->f.block[keeper].loop; loop = kgi_ad_loop_around(a, loop)) {
    if (a->f.p->inst[loop].kind == KGI_while && (block == a->f.p->inst[loop].arg[1] || !kgi_counted(&a->f, loop).count)) return false;
    const kgi_ad_loop *l = kgi_ad_loop_find(a, loop);
    if (!l->most.i || (guesses += l->assumed) > 2) return false;
  }
  return a->f.p->inst[value].type != KG_NONE && a->f.p->inst[value].kind != KGI_for;
}

bool kgi_ad_can_keep(kgi_ad *a, uint32_t value) { return kgi_ad_can_keep_in(a, KGI_BODY, value); }

/* ---- places ---- */

static void refuse(kgi_ad *a, uint32_t value) {
  KGI_AD_REFUSE(a, grad_needs_replay, a->f.p->inst_pos[value], kgi_kind_names[a->f.p->inst[value].kind]);
}

bool kgi_ad_tape_loops(kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer) {
  for (loop = kgi_ad_dimension(a, alike, loop, outer); loop != outer; loop = kgi_ad_next_dimension(a, alike, loop, outer)) {
    bool bounded = kgi_ad_loop_find(a, loop)->most.i != 0;
    if (!a->loop_of[loop] || !bounded) return false;
    a->loop[a->loop_of[loop] - 1].taped = true;
  }
  return true;
}

/* Nothing keeps it but the program. */
static bool put_in_memory(kgi_ad *a, kgi_ad_slot *slot) {
  const kgi_ad_parked *parked = kgi_ad_parked_at(a, slot->value);
  if (!parked || slot->block > KGI_BODY) return false;
  slot->place = KGI_AD_MEMORY;
  kgi_ad_object *o = &a->object[a->f.p->inst[parked->store].arg[0]];
  o->loaded = o->parked = true;
  return true;
}

/* Bools and halves take a word each: buffers of their types ask more of a device. */
static kg_type tape_type(unsigned type) { return type == KG_BOOL ? KG_U32 : type == KG_F16 ? KG_F32 : (kg_type)type; }

static bool is_for(const kgi_ad_tape *x, const kgi_ad_tape *y) {
  return x->loop == y->loop && x->alike == y->alike && x->type == y->type && x->within == y->within;
}

static void put_on_tape(kgi_ad *a, kgi_ad_slot *slot) {
  uint32_t loop = a->f.block[a->f.p->inst[slot->value].block].loop, t = 0;
  kgi_blk within = a->f.block[slot->block].checkpoint ? slot->block : 0;
  const kgi_ad_tape tape = {.type = tape_type(a->f.p->inst[slot->value].type), .loop = loop, .alike = slot->alike, .within = within};
  slot->place = KGI_AD_TAPE;
  if (!kgi_ad_tape_loops(a, slot->alike, loop, a->f.block[within].loop)) return refuse(a, slot->value);
  while (t < a->tape_count && !is_for(&a->tape[t], &tape)) t++;
  if (t == a->tape_count) {
    if (!kgi_arena_grow(&a->scratch, &a->tape, t, &a->tape_cap, sizeof *a->tape)) return kgi_ad_fail(a, KG_NO_MEMORY);
    a->tape[a->tape_count++] = tape;
  }
  slot->tape = t;
  slot->which = a->tape[t].values++;
}

void kgi_ad_place_slots(kgi_ad *a) {
  for (uint32_t s = 0; s < a->slot_count && a->status == KG_OK; s++) {
    kgi_ad_slot *slot = &a->slot[s];
    if (put_in_memory(a, slot)) continue;
    uint32_t outer = a->f.block[slot->block].loop;
    slot->alike = kgi_ad_alike(a, slot->value);
    bool near = kgi_ad_dimension(a, slot->alike, a->f.block[a->f.p->inst[slot->value].block].loop, outer) == outer;
    slot->place = near ? KGI_AD_VAR : KGI_AD_ARRAY;
    uint32_t trips = kgi_ad_kept_trips(a, slot->block, slot->value);
    if (!slot->block || !trips) put_on_tape(a, slot);
    slot->trips = trips;
    if (slot->place == KGI_AD_TAPE) continue;
    slot->next = a->block[slot->block].slots;
    a->block[slot->block].slots = s + 1;
  }
  if (a->tape_count && a->status == KG_OK) kgi_ad_find_extents(a);
}
