/* Memory of the host that nothing changes, and that is looked at by atomics all the same: atomic_load(n[0]), or, where a language has no such,
 * an atomic that leaves what it finds, as atomic_add(n[0], 0) or atomic_compare_exchange(n[0], 0, 0). Such an atomic is a load, and the buffer
 * an input alone. Of memory that does change, what leaves it is an atomic_load.
 *
 * It relies on this: every access to a byte of the buffer, through whatever view, is a load or such an atomic; then the element is the same
 * throughout the dispatch. An atomic of floats is none that leaves what it finds: -0 + 0 is +0, and a NaN may lose its payload. */
#include "foundation/passes/passes.h"
#include "foundation/ir/views.h"

/* Of all bits of the type, as a literal keeps them. */
static uint64_t extreme_of(kg_type type, bool largest) {
  unsigned bits = kgi_type_bits(type);
  uint64_t ones = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX, top = UINT64_C(1) << (bits - 1);
  if (type == KG_U32 || type == KG_U64) return largest ? ones : 0;
  return largest ? ones ^ top : top;
}

/* Whether it leaves every integer as it is. */
static bool leaves(const kgi_program *p, const kgi_inst *atomic) {
  const kgi_inst *operand = &p->inst[atomic->arg[2]];
  kg_type type = (kg_type)p->scope.object[atomic->arg[0]].type;
  if (atomic->op == KGI_ATOMIC_load) return true;
  if (!kgi_is_int(type)) return false;
  if (atomic->op == KGI_ATOMIC_compare_exchange && atomic->arg[2] == atomic->arg[3]) return true;
  if (operand->kind != KGI_literal) return false;
  uint64_t bits = kgi_literal_bits(operand), ones = extreme_of(KG_U64, true) >> (64 - kgi_type_bits(type));
  switch ((unsigned)atomic->op) {
  case KGI_ATOMIC_add: case KGI_ATOMIC_or: case KGI_ATOMIC_xor: return bits == 0;
  case KGI_ATOMIC_and: return (bits & ones) == ones;
  case KGI_ATOMIC_max: return (bits & ones) == extreme_of(type, false);
  case KGI_ATOMIC_min: return (bits & ones) == extreme_of(type, true);
  case KGI_ATOMIC_compare_exchange: {
    const kgi_inst *stored = &p->inst[atomic->arg[3]];
    return stored->kind == KGI_literal && kgi_literal_bits(stored) == bits;
  }
  default: return false;
  }
}

static bool is_moved(const kgi_program *p, const bool *still, const kgi_inst *x) {
  return x->kind == KGI_atomic && kgi_touches(x) && still[x->arg[0]] && p->scope.object[x->arg[0]].space == KGI_BUFFER;
}

kg_status kgi_load_still(kgi_program *p, kgi_arena *scratch) {
  kgi_blocks blocks;
  bool *still = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *still);
  bool *loaded = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *loaded);
  if (!still || !loaded || !kgi_overlaps_find(&blocks, scratch, &p->scope)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < p->scope.object_count; o++) still[o] = true;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i];
    if (kgi_touches(x) && kgi_writes(x) && (x->kind != KGI_atomic || !leaves(p, x))) still[blocks.of[x->arg[0]]] = false;
  }
  for (uint32_t o = 1; o < p->scope.object_count; o++) still[o] = still[blocks.of[o]];
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    kgi_inst *x = &p->inst[i];
    bool is_atomic = x->kind == KGI_atomic && kgi_touches(x);
    if (is_atomic && leaves(p, x)) x->op = KGI_ATOMIC_load, x->arg[2] = x->arg[3] = 0;
    if (!is_moved(p, still, x)) continue;
    x->kind = KGI_load, x->op = 0;
    loaded[x->arg[0]] = true;
  }
  for (uint32_t o = 1; o < p->scope.object_count; o++)
    if (loaded[o] && p->scope.object[o].mode == KG_READ_WRITE) p->scope.object[o].mode = KG_READ;
  return KG_OK;
}
