/* Atomics on floats that need not be atomic: no other invocation changes the element between the same two barriers. They become a
 * load, an operation and a store, whose adjoints are known. For the others an adjoint would have to know in which order the invocations
 * came, but for an atomic add whose result nobody uses.
 *
 * Plain accesses of other invocations need no thought: beside an atomic they would be a race. So where an element is never changed
 * atomically, an atomic load is a load. */
#include "autodiff/plan/ad.h"
#include "autodiff/plan/witness.h"
#include "foundation/base/limits.h"

/* Of the program as it was lowered. */
typedef struct own {
  kgi_ad *a;
  kgi_program *p;
  uint32_t *first, *next;  /* by object, by instruction: its atomics, linked */
  uint32_t *atomic, count; /* those of one object */
  bool *any;               /* by object: it has atomics, of integers too */
  bool *used, *plain;      /* by instruction: someone uses its value; it need not be atomic */
  kgi_distinct *distinct;
} own;

static void note_uses(own *w, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) w->used[inst->arg[k]] = true;
}

/* An atomic load whose value nobody uses does nothing, but to stand beside what others change. */
static void drop_idle_loads(own *w) {
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) note_uses(w, &w->p->inst[i]);
  for (uint32_t i = 1, count = w->p->inst_count; i < count; i++) {
    const kgi_inst *inst = &w->p->inst[i];
    if (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_load && inst->block && !w->used[i]) kgi_remove(w->p, i);
  }
}

/* True if there are any. */
static bool find_atomics(own *w) {
  bool any = false;
  drop_idle_loads(w);
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) {
    const kgi_inst *inst = &w->p->inst[i];
    if (inst->kind == KGI_atomic) w->any[inst->arg[0]] = true;
    if (inst->kind != KGI_atomic || !kgi_is_float(w->p->scope.object[inst->arg[0]].type)) continue;
    w->next[i] = w->first[inst->arg[0]];
    w->first[inst->arg[0]] = i;
    any = true;
  }
  return any;
}

/* ---- which ---- */

/* True if one of them changes an element. */
static bool list_atomics(own *w, uint32_t object) {
  bool changes = false;
  w->count = 0;
  for (uint32_t i = w->first[object]; i; i = w->next[i]) {
    w->atomic[w->count++] = i;
    changes |= w->p->inst[i].op != KGI_ATOMIC_load;
  }
  return changes;
}

static bool compare(own *w, uint8_t *each) {
  kgi_ad *a = w->a;
  if (!w->distinct && kgi_distinct_make(&a->scratch, a->f.work, w->p, &w->distinct) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  kgi_disjoint(w->distinct, w->atomic, w->count, each);
  return true;
}

/* The condition of a `while` is made of values alone. */
static bool may_store(const own *w, uint32_t i) {
  kgi_blk block = w->p->inst[i].block;
  const kgi_inst *owner = &w->p->inst[w->p->block[block].owner];
  return owner->kind != KGI_while || owner->arg[1] != block;
}

/* An atomic add without a use of its result has an adjoint as it is. */
static bool wants_to_be_plain(const own *w, uint32_t i) {
  if (w->p->inst[i].op == KGI_ATOMIC_load) return true;
  return may_store(w, i) && (w->p->inst[i].op != KGI_ATOMIC_add || w->used[i]);
}

/* A load, and no other invocation of the workgroup changes any element between the barriers around it. */
static bool is_quiet(const own *w, uint32_t load) {
  if (w->p->inst[load].op != KGI_ATOMIC_load) return false;
  for (uint32_t k = 0; k < w->count; k++)
    if (w->p->inst[w->atomic[k]].op != KGI_ATOMIC_load && kgi_may_meet(w->distinct, load, w->atomic[k])) return false;
  return true;
}

static bool is_own(const own *w, uint32_t i, uint8_t proved) {
  return proved & KGI_OWN_ACROSS && (proved & KGI_OWN_IN_INTERVAL || is_quiet(w, i));
}

/* As long as the other, so that what is inside of this one is inside of that. */
static bool is_as_long(const kgi_scope *s, uint32_t other, uint32_t object) {
  const kgi_object *x = &s->object[object], *y = &s->object[other];
  return other == object || (x->length.i && x->length.i == y->length.i && x->space == y->space && !x->scalar && !y->scalar);
}

/* What stores to `other` tell of each atomic on the object: of it alone where they are to the object itself, else of all or none. */
static void ask_stores(const own *w, uint32_t object, uint32_t other, uint8_t *each) {
  unsigned all = KGI_OWN_ACROSS | KGI_OWN_IN_INTERVAL;
  for (uint32_t k = 0; k < w->count && all; k++) {
    unsigned found = kgi_ad_witnessed(w->p, w->atomic[k], other);
    if (other == object) each[k] |= (uint8_t)found;
    else all &= found;
  }
  for (uint32_t k = 0; k < w->count && other != object; k++) each[k] |= (uint8_t)all;
}

static void ask_all_stores(const own *w, uint32_t object, uint8_t *each) {
  const kgi_scope *s = &w->p->scope;
  unsigned tries = 0;
  for (uint32_t o = 1; o < s->object_count && tries < KGI_LIMIT(witness_objects); o++)
    if (is_as_long(s, o, object)) tries++, ask_stores(w, object, o, each);
}

static bool is_decided(const own *w, const uint8_t *each) {
  for (uint32_t k = 0; k < w->count; k++)
    if (!is_own(w, w->atomic[k], each[k])) return false;
  return true;
}

static void decide(own *w, uint32_t object) {
  bool changes = list_atomics(w, object);
  uint8_t *each = kgi_arena_alloc(&w->a->scratch, w->count, 1);
  if (!each) return kgi_ad_fail(w->a, KG_NO_MEMORY);
  if (changes && !compare(w, each)) return;
  if (changes && !is_decided(w, each)) ask_all_stores(w, object, each);
  for (uint32_t k = 0; k < w->count; k++)
    w->plain[w->atomic[k]] = (!changes || is_own(w, w->atomic[k], each[k])) && wants_to_be_plain(w, w->atomic[k]);
}

static bool allocate(own *w) {
  kgi_arena *s = &w->a->scratch;
  size_t n = w->p->inst_count;
  w->any = kgi_arena_alloc(s, w->p->scope.object_count, sizeof *w->any);
  w->first = kgi_arena_alloc(s, w->p->scope.object_count, sizeof *w->first);
  w->next = kgi_arena_alloc(s, n, sizeof *w->next);
  w->atomic = kgi_arena_alloc(s, n, sizeof *w->atomic);
  w->used = kgi_arena_alloc(s, n, sizeof *w->used);
  w->plain = kgi_arena_alloc(s, n, sizeof *w->plain);
  return !s->failed;
}

/* ---- what becomes of them ---- */

/* At a tie all of the derivative goes to the old value, as for every atomic minimum or maximum (extremes.c). The value is that of min and
 * max, to the sign of a zero: at a tie with a zero that counts as better, adding or subtracting changes the sign of the old one alone. */
static kgi_val better_of(kgi_builder *b, kgi_atomic op, kgi_val old, kgi_val operand) {
  bool least = op == KGI_ATOMIC_min;
  kg_type type = kgi_type_of(b->p, old);
  kgi_val zero = kgi_float(b, type, 0), one = kgi_float(b, type, 1), inverse = kgi_op2(b, KGI_OP_div, one, operand);
  kgi_val as_good = kgi_op2(b, least ? KGI_OP_le : KGI_OP_ge, old, operand), worse = kgi_op1(b, KGI_OP_not, as_good);
  kgi_val number = kgi_op2(b, KGI_OP_eq, operand, operand), better = kgi_op2(b, KGI_OP_and, worse, number);
  kgi_val equal = kgi_op2(b, KGI_OP_eq, old, operand), signs = kgi_op2(b, least ? KGI_OP_lt : KGI_OP_gt, inverse, zero);
  kgi_val tied = kgi_op2(b, KGI_OP_and, equal, signs), with_sign = kgi_op2(b, least ? KGI_OP_sub : KGI_OP_add, zero, old);
  if (least) with_sign = kgi_op1(b, KGI_OP_neg, with_sign);
  kgi_val rest = kgi_op3(b, KGI_OP_select, tied, with_sign, old);
  return kgi_op3(b, KGI_OP_select, better, operand, rest);
}

/* What the element holds afterwards. */
static kgi_val replaced(kgi_builder *b, kgi_atomic op, kgi_val old, kgi_val operand) {
  if (op == KGI_ATOMIC_add) return kgi_op2(b, KGI_OP_add, old, operand);
  return op == KGI_ATOMIC_min || op == KGI_ATOMIC_max ? better_of(b, op, old, operand) : operand;
}

/* The instruction itself becomes the load, so that its result stays where it is used. */
static void make_plain(kgi_builder *b, uint32_t i) {
  kgi_program *p = b->p;
  const kgi_inst atomic = p->inst[i];
  kgi_val at = {atomic.arg[1]};
  b->at = kgi_behind(p, i);
  b->pos = p->inst_pos[i];
  p->inst[i].op = 0;
  p->inst[i].kind = atomic.op == KGI_ATOMIC_store ? KGI_store : KGI_load;
  if (atomic.op == KGI_ATOMIC_store) return;
  p->inst[i].arg[2] = 0;
  if (atomic.op == KGI_ATOMIC_load) return;
  kgi_val after = replaced(b, (kgi_atomic)atomic.op, (kgi_val){i}, (kgi_val){atomic.arg[2]});
  kgi_store(b, (kgi_obj){atomic.arg[0]}, at, after);
}

static void make_all_plain(own *w, uint32_t count) {
  kgi_builder b;
  kgi_builder_init(&b, w->a->f.work, w->a->diags);
  b.p = w->p;
  for (uint32_t i = 1; i < count; i++)
    if (w->plain[i]) make_plain(&b, i);
  kg_status status = kgi_builder_status(&b);
  if (status != KG_OK) kgi_ad_fail(w->a, status);
}

/* Another view that may lie over it has atomics too, whose elements are not compared. */
static bool meets_another_view(const own *w, const kgi_blocks *b, uint32_t object) {
  for (uint32_t o = 1; b->aliased[object] && o < kgi_buffer_end(&w->p->scope); o++)
    if (o != object && b->of[o] == b->of[object] && w->any[o]) return true;
  return false;
}

void kgi_ad_own_atomics(kgi_ad *a) {
  own w = {.a = a, .p = a->f.p};
  kgi_blocks blocks;
  uint32_t count = w.p->inst_count;
  if (!allocate(&w)) return kgi_ad_fail(a, KG_NO_MEMORY);
  if (!find_atomics(&w)) return;
  if (!kgi_overlaps_find(&blocks, &a->scratch, &w.p->scope)) return kgi_ad_fail(a, KG_NO_MEMORY);
  for (uint32_t o = 1; o < w.p->scope.object_count && a->status == KG_OK; o++)
    if (w.first[o] && !meets_another_view(&w, &blocks, o)) decide(&w, o);
  if (a->status == KG_OK) make_all_plain(&w, count);
}
