/* Memory of an invocation of which only a part is set, and that is copied all the same: a struct, or an array that is an argument.
 * SPIR-V leaves open what comes from the rest. It gives 0, as undefined values do: a scalar that nothing stores to is one, and an array
 * whose elements are copied is filled with zeros where it is declared, unless all are stored to before the first load. So is a scalar that
 * is copied, as compilers do with what they have at the end of a block, though it may not have been stored to there: nobody need ask. */
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

enum { MOST_ELEMENTS = 64, MOST_STORES = 16, MOST_WORK = 1 << 22 };

static bool is_array(const kgi_program *p, uint32_t object, uint32_t *length) {
  const kgi_object *o = &p->scope.object[object];
  const kgi_dim_node *n = &p->scope.dim[o->length.i];
  if (o->space != KGI_VAR || o->scalar || !o->length.i || n->op != KGI_DIM_INT || n->imm < 1 || n->imm > MOST_ELEMENTS) return false;
  return *length = (uint32_t)n->imm, true;
}

/* ---- which arrays ---- */

/* By object: an element is stored to another array; the type of its index. */
static void find_copied(const kgi_program *p, uint8_t *copied) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i], *from = &p->inst[x->arg[2]];
    if (x->kind != KGI_store || p->scope.object[x->arg[0]].space != KGI_VAR || from->kind != KGI_load) continue;
    if (from->arg[0] != x->arg[0] && p->inst[from->arg[1]].kind == KGI_literal) copied[from->arg[0]] = p->inst[from->arg[1]].type;
  }
}

static bool is_number(const kgi_program *p, uint32_t value, uint64_t is) {
  return p->inst[value].kind == KGI_literal && kgi_literal_bits(&p->inst[value]) == is;
}

static bool encloses(const kgi_program *p, kgi_blk block, uint32_t i) {
  kgi_blk at = p->inst[i].block;
  while (at != block && at != KGI_BODY) at = p->inst[p->block[at].owner].block;
  return at == block;
}

/* Of a store by the index of a loop over all elements: the loop; 0: it is none. */
static uint32_t sweep(const kgi_program *p, uint32_t store, uint32_t length) {
  uint32_t loop = p->block[p->inst[store].block].owner;
  const kgi_inst *x = &p->inst[loop];
  bool over_all = loop && x->kind == KGI_for && p->inst[store].arg[1] == loop && is_number(p, x->arg[0], 0) && is_number(p, x->arg[1], length) &&
                  is_number(p, x->arg[2], 1);
  for (uint32_t i = over_all ? p->block[x->arg[3]].first : 0; i; i = kgi_next_inside(p, x->arg[3], i))
    if (kgi_ends(&p->inst[i])) return 0;
  return over_all ? loop : 0;
}

/* Which elements the store sets on every way to the load; it stands in front. */
static uint64_t sets(const kgi_program *p, uint32_t store, uint32_t load, uint32_t length) {
  uint32_t loop = sweep(p, store, length);
  if (loop && encloses(p, p->inst[loop].block, load) && p->inst[store].block != p->inst[load].block) return UINT64_MAX >> (64 - length);
  const kgi_inst *index = &p->inst[p->inst[store].arg[1]];
  if (index->kind != KGI_literal || kgi_literal_bits(index) >= length || !encloses(p, p->inst[store].block, load)) return 0;
  return UINT64_C(1) << kgi_literal_bits(index);
}

/* All elements, before the first load. */
static bool is_filled(const kgi_program *p, uint32_t object, uint32_t length) {
  uint32_t load = 0;
  uint64_t filled = 0;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    if (p->inst[i].kind != KGI_load || p->inst[i].arg[0] != object) continue;
    load = i;
    break;
  }
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    if (i == load) break;
    if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object) filled |= sets(p, i, load, length);
  }
  return !load || filled == UINT64_MAX >> (64 - length);
}

/* ---- zeros ---- */

static void zero(kgi_builder *b, uint32_t object, kg_type index, uint32_t length) {
  kgi_val none = kgi_literal_of(b, (kg_type)b->p->scope.object[object].type, 0);
  if (length > MOST_STORES) {
    kgi_val first = kgi_int(b, index, 0), end = kgi_int(b, index, length);
    kgi_val k = kgi_for_begin(b, "i", first, end, (kgi_val){0}, false);
    kgi_store(b, (kgi_obj){object}, k, none);
    kgi_end(b);
  } else {
    for (uint32_t k = 0; k < length; k++) kgi_store(b, (kgi_obj){object}, kgi_int(b, index, k), none);
  }
}

static kg_status set_arrays(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  uint8_t *copied = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *copied);
  uint64_t work = 0;
  uint32_t length;
  kgi_builder b;
  if (!copied) return KG_NO_MEMORY;
  find_copied(p, copied);
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  for (uint32_t i = p->block[KGI_BODY].first, next; i; i = next) {
    next = kgi_next_inside(p, KGI_BODY, i);
    const kgi_inst x = p->inst[i];
    if (x.kind != KGI_var || !copied[x.arg[0]] || !is_array(p, x.arg[0], &length) || (work += p->inst_count) > MOST_WORK) continue;
    if (is_filled(p, x.arg[0], length)) continue;
    b.at = kgi_behind(p, i), b.pos = p->inst_pos[i];
    zero(&b, x.arg[0], (kg_type)copied[x.arg[0]], length);
  }
  return kgi_builder_status(&b);
}

typedef enum state { OPEN, SET, GONE } state; /* GONE: nobody comes there */

static state join(state a, state b) { return a == GONE ? b : b == GONE ? a : a == SET && b == SET ? SET : OPEN; }

/* What the scalar is behind the block; `open`: a load finds it open. A loop may take no trip. */
static state follow(const kgi_program *p, uint32_t object, kgi_blk block, state now, bool *open) {
  for (uint32_t i = p->block[block].first; i && now != GONE; i = p->inst[i].next) {
    const kgi_inst *x = &p->inst[i];
    kgi_span owned = kgi_owned_blocks(x);
    if (kgi_ends(x)) return GONE;
    if (kgi_touches(x) && x->arg[0] == object) *open |= x->kind != KGI_store && now == OPEN, now = kgi_writes(x) ? SET : now;
    if (x->kind == KGI_if) {
      state yes = follow(p, object, x->arg[1], now, open);
      now = join(yes, x->arg[2] ? follow(p, object, x->arg[2], now, open) : now);
    } else if (kgi_is_region(x)) {
      now = follow(p, object, x->arg[owned.first], now, open);
    } else {
      for (unsigned k = 0; k < owned.count; k++) follow(p, object, x->arg[owned.first + k], now, open);
    }
  }
  return now;
}

static bool may_be_open(const kgi_program *p, uint32_t object) {
  bool open = false;
  follow(p, object, KGI_BODY, OPEN, &open);
  return open;
}

/* By object: whether it is stored to, and whether a load of it is stored to another var. */
typedef struct scalar { bool stored, copied; } scalar;

static void look_at_scalars(const kgi_program *p, scalar *scalars) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i], *from = &p->inst[x->arg[2]];
    if (kgi_touches(x) && kgi_writes(x)) scalars[x->arg[0]].stored = true;
    bool copies = x->kind == KGI_store && p->scope.object[x->arg[0]].space == KGI_VAR && from->kind == KGI_load;
    if (copies) scalars[from->arg[0]].copied |= from->arg[0] != x->arg[0];
  }
}

static kg_status set_scalars(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  scalar *scalars = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *scalars);
  uint64_t work = 0;
  if (!scalars) return KG_NO_MEMORY;
  look_at_scalars(p, scalars);
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  for (uint32_t i = p->block[KGI_BODY].first, next; i; i = next) {
    next = kgi_next_inside(p, KGI_BODY, i);
    const kgi_inst x = p->inst[i];
    if (x.kind != KGI_var || !p->scope.object[x.arg[0]].scalar) continue;
    const scalar *of = &scalars[x.arg[0]];
    if (of->stored && (!of->copied || (work += p->inst_count) > MOST_WORK || !may_be_open(p, x.arg[0]))) continue;
    b.at = kgi_behind(p, i), b.pos = p->inst_pos[i];
    kgi_store(&b, (kgi_obj){x.arg[0]}, (kgi_val){0}, kgi_literal_of(&b, (kg_type)p->scope.object[x.arg[0]].type, 0));
  }
  return kgi_builder_status(&b);
}

kg_status kgi_set_unset(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kg_status status = set_scalars(m, p, scratch);
  if (status == KG_OK) status = set_arrays(m, p, scratch);
  return status == KG_OK ? kgi_clean(m, p) : status;
}
