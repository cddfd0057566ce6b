/* Functions that a strip computes when it is run again, and its reverse would compute a third time. They are kept from the one to the
 * other, in an array with an element for each trip of the strip. So no bit changes, and no tape grows. Loads from buffers are not kept:
 * a device has what was loaded a moment ago at hand, and memory of an invocation's own is no nearer.
 *
 * Whether both compute a value is read from the slices. What a kept function is made of may not be asked for any more, so those
 * come first that the reverse itself uses, and the needs are followed again in between. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"

/* The body of the loop over strips, where the value is computed once in each trip of a strip; 0: it is not. */
static kgi_blk strip_of(const kgi_ad *a, uint32_t value) {
  uint32_t trips = a->f.block[a->f.p->inst[value].block].loop, strips = trips ? kgi_ad_loop_around(a, trips) : 0;
  kgi_blk body = strips ? kgi_body_of(kgi_ad_inst(a, strips)) : 0;
  return body && a->block[body].strip && !a->f.block[body].checkpoint ? body : 0;
}

static bool is_function(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  return inst->kind == KGI_op && kgi_op_rows[inst->op].flags & KGI_FUNCTION;
}

/* The reverse of the strip, or of a block in it, computes it as well. */
static bool is_computed_twice(const kgi_ad *a, kgi_blk strip, uint32_t i) {
  if (!kgi_ad_in_slice(a, strip, i)) return false;
  for (kgi_blk b = a->f.p->inst[i].block; b != strip; b = a->f.p->inst[a->f.p->block[b].owner].block)
    if (kgi_ad_in_slice(a, b, i)) return true;
  return false;
}

/* Words of all that is spared in the strip, with this one. */
static bool has_room(const kgi_ad *a, kgi_blk strip, uint32_t i) {
  uint32_t words = 0;
  for (uint32_t k = 1; k < a->f.p->inst_count; k++)
    if (a->spared[k] == strip || k == i) words += kgi_type_bits(a->f.p->inst[k].type) == 64 ? 2 : 1;
  return words * a->block[strip].strip <= KGI_LIMIT(strip_spared);
}

/* `used`: only those that the reverse itself uses. */
static bool choose(kgi_ad *a, bool used) {
  bool any = false;
  for (uint32_t i = 1; i < a->f.p->inst_count; i++) {
    kgi_blk strip = a->f.p->inst[i].block && is_function(a, i) ? strip_of(a, i) : 0;
    if (used && !(a->flags[i] & KGI_AD_WANT)) continue;
    if (!strip || a->slot_of[i] || !is_computed_twice(a, strip, i)) continue;
    if (!kgi_ad_kept_trips(a, strip, i) || !has_room(a, strip, i)) continue;
    a->spared[i] = strip;
    any = true;
  }
  return any;
}

static bool has_strips(const kgi_ad *a) {
  for (kgi_blk b = 1; b < a->f.p->block_count; b++)
    if (a->block[b].strip) return true;
  return false;
}

void kgi_ad_spare(kgi_ad *a, void (*follow_again)(kgi_ad *a)) {
  if (!has_strips(a)) return;
  a->spared = kgi_arena_alloc(&a->scratch, a->f.p->inst_count, sizeof *a->spared);
  if (!a->spared) return kgi_ad_fail(a, KG_NO_MEMORY);
  if (choose(a, true)) follow_again(a);
  if (a->status == KG_OK && choose(a, false)) follow_again(a);
}
