/* Floats that pass through integers as their bits, as floats. What is stored, moved between lanes or chosen as bits becomes a float
 * that is stored, moved or chosen; and a float that is made of another's bits states its derivative:
 *
 *   shared t : u32[64]                                 shared t : f32[64]
 *   t[i] = bitcast_u32(v)                    becomes   t[i] = v
 *   bitcast_f32(bitcast_u32(v) & 0x7fffffff)           with_partial(bitcast_f32(bits & 0x7fffffff), v, p, p)
 *
 * where `bits` are those of stop_gradient(v), and p is how the result's steps are to the operand's. Where the bits are counted by a
 * float, as in bitcast_f32(u32(v)), p is the result's step; where they are counted as a number, as in f32(bitcast_u32(v)), it is one
 * over v's. So no bit changes, and what is not known to be so stays, to be refused where it lies on the path (activity.c). Each value
 * keeps a copy without derivative, but only by the operand that carries the bits: what else it is made of is followed as ever. */
#include "autodiff/plan/bits.h"
#include "autodiff/plan/ad.h"
#include "foundation/analysis/whole.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

#include <math.h>

/* Of an instruction as the program had it. */
typedef struct made {
  uint32_t now;      /* what stands for it; 0: itself */
  uint32_t root;     /* the float whose bits it has, or whose whole number its steps are */
  uint32_t whole;    /* that number; 0: it has the bits */
  uint32_t bits;     /* those, and its own, without derivative */
  uint32_t cut;
  uint32_t zero;     /* whether the sign was taken off a zero, or set; 0: that cannot be */
  uint32_t last;     /* the last of what was made for these */
  uint32_t number;   /* the float of its bits, with its derivative; 0: it is not made yet */
} made;

typedef struct rewriting {
  kgi_bits s;
  kgi_builder b;
  kgi_program *p;
  made *made;
  uint32_t count;
} rewriting;

static kg_type type_of(const rewriting *w, uint32_t value) { return (kg_type)w->p->inst[value].type; }

static kgi_val now(const rewriting *w, uint32_t value) {
  return (kgi_val){value < w->count && w->made[value].now ? w->made[value].now : value};
}

/* What is made next stands behind the value. */
static void go_behind(rewriting *w, uint32_t value) {
  w->b.at = kgi_behind(w->p, value);
  w->b.pos = w->p->inst_pos[value];
}

static kgi_val as_word(rewriting *w, uint32_t value) {
  kg_type type = kgi_type_bits(type_of(w, value)) == 64 ? KG_U64 : KG_U32;
  return type == type_of(w, value) ? (kgi_val){value} : kgi_bitcast(&w->b, type, (kgi_val){value});
}

static kgi_val word(rewriting *w, kgi_val like, uint64_t bits) { return kgi_literal_of(&w->b, kgi_type_of(w->p, like), bits); }

/* ---- the derivative ---- */

/* As a step's power of two: the exponent, and 1 of the numbers below all exponents. */
static kgi_val step_of(rewriting *w, kgi_val bits) {
  kgi_val upper = kgi_op2(&w->b, KGI_OP_shr, bits, kgi_u32(&w->b, 23));
  kgi_val exponent = kgi_op2(&w->b, KGI_OP_and, upper, kgi_u32(&w->b, 0xff));
  return kgi_convert(&w->b, KG_I32, kgi_op2(&w->b, KGI_OP_max, exponent, kgi_u32(&w->b, 1)));
}

/* 1 where the number is below `bound`, else -1, or the other way round. */
static kgi_val sign_below(rewriting *w, kgi_val number, kgi_val bound, kg_type type, bool down) {
  kgi_val same = kgi_float(&w->b, type, down ? -1 : 1), other = kgi_float(&w->b, type, down ? 1 : -1);
  kgi_val below = kgi_op2(&w->b, KGI_OP_lt, number, bound);
  return kgi_op3(&w->b, KGI_OP_select, below, same, other);
}

/* By a float that was converted: 0 beyond the integers, where the conversion stays at the last of them. */
static kgi_val partial_of_number(rewriting *w, uint32_t value) {
  const made *m = &w->made[value];
  bool is_signed = type_of(w, m->whole) == KG_I32;
  kgi_builder *b = &w->b;
  kgi_val own = as_word(w, m->cut), root = {m->root}, half = word(w, own, (uint64_t)1 << 31);
  kgi_val least = kgi_float(b, KG_F32, is_signed ? -0x1p31 : 0), most = kgi_float(b, KG_F32, is_signed ? 0x1p31 : 0x1p32);
  kgi_val sign = sign_below(w, own, half, KG_F32, w->s.value[value].down);
  kgi_val exponent = step_of(w, own), one = kgi_int(b, KG_I32, 150);
  kgi_val p = kgi_op2(b, KGI_OP_ldexp, sign, kgi_op2(b, KGI_OP_sub, exponent, one));
  kgi_val from = kgi_op2(b, KGI_OP_ge, root, least), to = kgi_op2(b, KGI_OP_lt, root, most);
  kgi_val inside = kgi_op2(b, KGI_OP_and, from, to), nothing = kgi_float(b, KG_F32, 0);
  return kgi_op3(b, KGI_OP_select, inside, p, nothing);
}

static kgi_val partial(rewriting *w, uint32_t value, kg_type type) {
  const made *m = &w->made[value];
  if (m->whole) return partial_of_number(w, value);
  bool down = w->s.value[value].down;
  kgi_builder *b = &w->b;
  kgi_val own = as_word(w, m->cut), root = as_word(w, m->bits), differ = kgi_op2(b, KGI_OP_xor, own, root);
  kgi_val sign = word(w, own, kgi_type_bits(kgi_type_of(w->p, own)) == 64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31);
  kgi_val p = sign_below(w, differ, sign, type, down);
  if (w->s.value[value].rough) {
    kgi_val to = step_of(w, own), from = step_of(w, root);
    p = kgi_op2(b, KGI_OP_ldexp, p, kgi_op2(b, KGI_OP_sub, to, from));
  }
  return m->zero ? kgi_op3(b, KGI_OP_select, (kgi_val){m->zero}, kgi_float(b, type, 0), p) : p;
}

/* The float of bits that the value carries. */
static kgi_val number(rewriting *w, uint32_t value) {
  made *m = &w->made[value];
  kg_type type = kgi_bits_float(type_of(w, value));
  if (m->number) return (kgi_val){m->number};
  go_behind(w, m->last);
  kgi_val y = kgi_bitcast(&w->b, type, (kgi_val){m->cut}), p = partial(w, value, type);
  kgi_val by = kgi_op4(&w->b, KGI_OP_with_partial, y, (kgi_val){m->root}, p, p);
  return m->number = by.i, by;
}

/* The integer that carries bits, made a float of its size, goes up or down by one where they step: a straight line to
 * log2 between powers of two. */
static kgi_val counted(rewriting *w, uint32_t value) {
  const made *m = &w->made[value];
  kgi_builder *b = &w->b;
  go_behind(w, m->last);
  kgi_val y = kgi_convert(b, KG_F32, (kgi_val){m->cut}), root = as_word(w, m->bits), half = word(w, root, (uint64_t)1 << 31);
  kgi_val sign = sign_below(w, root, half, KG_F32, w->s.value[value].down);
  kgi_val one = kgi_int(b, KG_I32, 150), exponent = step_of(w, root);
  kgi_val p = kgi_op2(b, KGI_OP_ldexp, sign, kgi_op2(b, KGI_OP_sub, one, exponent)), nothing = kgi_float(b, KG_F32, 0);
  if (m->zero) p = kgi_op3(b, KGI_OP_select, (kgi_val){m->zero}, nothing, p);
  return kgi_op4(b, KGI_OP_with_partial, y, (kgi_val){m->root}, p, p);
}

/* ---- bits ---- */

/* The value is the bits of that float. */
static void begin(rewriting *w, uint32_t value, uint32_t root) {
  made *m = &w->made[value];
  go_behind(w, now(w, value).i);
  kgi_val still = kgi_op1(&w->b, KGI_OP_stop_gradient, (kgi_val){root});
  m->root = m->number = root;
  m->bits = m->cut = kgi_bitcast(&w->b, type_of(w, value), still).i;
  m->last = w->b.at.after;
}

/* The value is the whole number of its operand, a float. */
static void begin_number(rewriting *w, uint32_t value) {
  made *m = &w->made[value];
  go_behind(w, value);
  m->root = now(w, w->p->inst[value].arg[0]).i;
  m->whole = value;
  kgi_val still = kgi_op1(&w->b, KGI_OP_stop_gradient, (kgi_val){m->root});
  m->bits = m->cut = kgi_convert(&w->b, type_of(w, value), still).i;
  m->last = w->b.at.after;
}

/* The operation again, of the copy of the operand that carries the bits. */
static kgi_val again(rewriting *w, uint32_t i) {
  kgi_inst inst = w->p->inst[i];
  for (unsigned k = 0; k < kgi_op_rows[inst.op].arity; k++)
    inst.arg[k] = k == w->s.value[i].operand ? w->made[inst.arg[k]].cut : now(w, inst.arg[k]).i;
  go_behind(w, i);
  return (kgi_val){kgi_append(&w->b, inst)};
}

/* Where the sign is taken off a zero, or set, there is no derivative to one side: abs has 0 there. */
static uint32_t kink(rewriting *w, uint32_t i, uint32_t before) {
  kgi_builder *b = &w->b;
  kgi_inst inst = w->p->inst[i];
  if (inst.op != KGI_OP_and && inst.op != KGI_OP_or) return before;
  uint32_t x = w->made[inst.arg[w->s.value[i].operand]].cut;
  kgi_val mask = now(w, inst.arg[1 - w->s.value[i].operand]), own = {x};
  uint64_t sign = (uint64_t)1 << (kgi_type_bits((kg_type)inst.type) - 1), size = sign - 1;
  kgi_val sets = kgi_op2(b, KGI_OP_eq, mask, word(w, mask, inst.op == KGI_OP_and ? size : sign));
  kgi_val magnitude = kgi_op2(b, KGI_OP_and, own, word(w, own, size));
  kgi_val is_zero = kgi_op2(b, KGI_OP_eq, magnitude, word(w, own, 0));
  kgi_val at = kgi_op2(b, KGI_OP_and, sets, is_zero);
  return before ? kgi_op2(b, KGI_OP_or, (kgi_val){before}, at).i : at.i;
}

static void step(rewriting *w, uint32_t i) {
  const kgi_bits_value *v = &w->s.value[i];
  made *m = &w->made[i];
  *m = w->made[w->p->inst[i].arg[v->operand]];
  m->cut = again(w, i).i;
  m->zero = kink(w, i, m->zero);
  m->last = w->b.at.after;
  m->now = m->number = 0;
}

/* Of what fits (kgi_bits_fit). */
static kgi_val floating(rewriting *w, uint32_t value) {
  const kgi_inst *inst = &w->p->inst[value];
  if (inst->kind != KGI_literal) return number(w, value);
  return kgi_literal_of(&w->b, kgi_bits_float((kg_type)inst->type), kgi_literal_bits(inst));
}

/* The bits of `x`, which was made for the value. */
static void replace(rewriting *w, uint32_t value, kgi_val x) {
  go_behind(w, x.i);
  w->made[value].now = kgi_bitcast(&w->b, type_of(w, value), x).i;
  begin(w, value, x.i);
}

static void load(rewriting *w, uint32_t i) {
  kgi_inst inst = w->p->inst[i];
  bool plain = inst.kind == KGI_load, takes = !plain && inst.op == KGI_ATOMIC_exchange;
  kgi_val index = now(w, inst.arg[1]), x = takes ? floating(w, inst.arg[2]) : (kgi_val){0};
  kgi_obj object = {inst.arg[0]};
  go_behind(w, i);
  replace(w, i, plain ? kgi_load(&w->b, object, index) : kgi_atomic_op(&w->b, (kgi_atomic)inst.op, object, index, x, (kgi_val){0}));
  kgi_remove(w->p, i);
}

static void move(rewriting *w, uint32_t i) {
  kgi_inst inst = w->p->inst[i];
  kgi_val x = floating(w, inst.arg[0]);
  go_behind(w, i);
  replace(w, i, kgi_subgroup_op(&w->b, (kgi_subgroup)inst.op, x, inst.arg[1] ? now(w, inst.arg[1]) : (kgi_val){0}));
  kgi_remove(w->p, i);
}

static void choose(rewriting *w, uint32_t i) {
  kgi_inst inst = w->p->inst[i];
  kgi_val x = floating(w, inst.arg[1]), y = floating(w, inst.arg[2]);
  go_behind(w, i);
  replace(w, i, kgi_op3(&w->b, KGI_OP_select, now(w, inst.arg[0]), x, y));
}

static void store(rewriting *w, uint32_t i) {
  uint32_t value = w->p->inst[i].arg[2];
  kgi_val x = floating(w, value); /* may move the table */
  w->p->inst[i].arg[2] = x.i;
}

/* What makes a float of bits that are known, or of the integer. */
static bool makes_float(const rewriting *w, uint32_t i, kgi_op how) {
  const kgi_inst *inst = &w->p->inst[i];
  return inst->kind == KGI_op && inst->op == how && kgi_is_float(inst->type) && kgi_bits_carries(&w->s, inst->arg[0]);
}

/* The bits of t + 1.5 * 2^23 are t, rounded: a step of theirs is a whole number, and no line. What memory holds may be such a sum. */
static bool rounds(const rewriting *w, uint32_t root) {
  const kgi_inst *inst = &w->p->inst[root];
  if (inst->kind == KGI_load) return w->p->scope.object[inst->arg[0]].space != KGI_BUFFER || w->p->scope.object[inst->arg[0]].mode != KG_READ;
  bool sum = inst->kind == KGI_op && (inst->op == KGI_OP_add || inst->op == KGI_OP_sub || inst->op == KGI_OP_fma);
  for (unsigned k = 0; sum && k < kgi_op_rows[inst->op].arity; k++) {
    const kgi_inst *x = &w->p->inst[inst->arg[k]];
    if (x->kind != KGI_literal && kgi_is_leaf(x->kind)) return true;
    if (x->kind == KGI_literal && fabs(kgi_bits_to_double((kg_type)x->type, kgi_literal_bits(x))) >= 0x1p10) return true;
  }
  return inst->kind != KGI_op;
}

/* A float's whole number is constant but for jumps, whatever else it is the bits of. */
static bool counts(const rewriting *w, uint32_t i) {
  if (!makes_float(w, i, KGI_OP_convert) || w->p->inst[i].type != KG_F32) return false;
  uint32_t bits = w->p->inst[i].arg[0];
  return !w->s.value[bits].number && !rounds(w, w->made[bits].root) && kgi_bits_float(type_of(w, bits)) == KG_F32;
}

static void rewrite(rewriting *w, uint32_t i) {
  kgi_kind kind = (kgi_kind)w->p->inst[i].kind;
  bool stores = kind == KGI_store || (kind == KGI_atomic && w->p->inst[i].op == KGI_ATOMIC_store);
  if (stores && w->s.floats[w->p->inst[i].arg[0]]) store(w, i);
  if (makes_float(w, i, KGI_OP_bitcast)) w->made[i].now = number(w, w->p->inst[i].arg[0]).i;
  if (counts(w, i)) w->made[i].now = counted(w, w->p->inst[i].arg[0]).i;
  switch ((kgi_bits_kind)w->s.value[i].kind) {
  case KGI_BITS_NONE: break;
  case KGI_BITS_ORIGIN: begin(w, i, now(w, w->p->inst[i].arg[0]).i); break;
  case KGI_BITS_NUMBER: begin_number(w, i); break;
  case KGI_BITS_LOADED: load(w, i); break;
  case KGI_BITS_MOVED: move(w, i); break;
  case KGI_BITS_CHOSEN: choose(w, i); break;
  case KGI_BITS_STEPS: step(w, i); break;
  case KGI_BITS_CONSTANT: w->made[i].now = again(w, i).i; break;
  }
}

static void use(const rewriting *w, uint32_t i) {
  kgi_inst *inst = &w->p->inst[i];
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) inst->arg[k] = now(w, inst->arg[k]).i;
}

/* In place of the loop. */
static void add(rewriting *w, uint32_t exchange) {
  kgi_inst inst = w->p->inst[exchange];
  uint32_t loop = w->p->block[inst.block].owner;
  w->b.at = kgi_before(w->p, loop), w->b.pos = w->p->inst_pos[exchange];
  kgi_atomic_op(&w->b, KGI_ATOMIC_add, (kgi_obj){inst.arg[0]}, now(w, inst.arg[1]), now(w, w->s.added[exchange]), (kgi_val){0});
  kgi_remove(w->p, loop);
}

/* Fused sums stay as they are: a sum of the product would be rounded twice. Maxima are none. False: no memory. */
static bool find_adds(kgi_bits *s, kgi_arena *scratch) {
  kgi_float_add *found = kgi_arena_alloc(scratch, s->p->inst_count, sizeof *found);
  s->added = kgi_arena_alloc(scratch, s->p->inst_count, sizeof *s->added);
  if (scratch->failed || !kgi_find_float_adds(s->p, found, scratch)) return false;
  for (uint32_t i = 1; i < s->p->inst_count; i++) s->added[i] = found[i].factor || found[i].op != KGI_ATOMIC_add ? 0 : found[i].term;
  return true;
}

static bool takes_bits(const kgi_program *p, const uint8_t *whole) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (whole[i] || (inst->kind == KGI_op && inst->op == KGI_OP_bitcast && kgi_is_float(p->inst[inst->arg[0]].type))) return true;
  }
  return false;
}

/* False: no memory. */
static bool find_whole(kgi_bits *s, kgi_arena *scratch) {
  s->whole = kgi_arena_alloc(scratch, s->p->inst_count, sizeof *s->whole);
  return s->whole && kgi_find_whole(s->p, NULL, s->whole, scratch);
}

kg_status kgi_ad_lower_bits(kg_module *work, kgi_program *p, kgi_diags *diags, kgi_arena *scratch) {
  rewriting w = {.s = {.p = p}, .p = p};
  if (!find_whole(&w.s, scratch)) return KG_NO_MEMORY;
  if (!takes_bits(p, w.s.whole)) return KG_OK;
  kg_status status = kgi_clean(work, p); /* masks become literals */
  if (status != KG_OK) return status;
  if (!find_whole(&w.s, scratch)) return KG_NO_MEMORY;
  w.count = p->inst_count;
  w.made = kgi_arena_alloc(scratch, w.count, sizeof *w.made);
  if (!w.made || !find_adds(&w.s, scratch) || !kgi_bits_find(&w.s, scratch)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < p->scope.object_count; o++)
    if (w.s.floats[o]) p->scope.object[o].type = (uint8_t)kgi_bits_float((kg_type)p->scope.object[o].type);
  kgi_builder_init(&w.b, work, diags);
  w.b.p = p;
  for (uint32_t i = p->block[KGI_BODY].first, next; i && w.b.status == KG_OK; i = next) {
    next = kgi_next_inside(p, KGI_BODY, i); /* what is made on the way is not looked at */
    rewrite(&w, i);
  }
  KGI_EACH_INSIDE(p, KGI_BODY, i) use(&w, i);
  for (uint32_t i = 1; i < w.count && w.b.status == KG_OK; i++)
    if (w.s.added[i] && w.s.floats[p->inst[i].arg[0]]) add(&w, i);
  status = kgi_builder_status(&w.b);
  return status == KG_OK ? kgi_clean(work, p) : status; /* what such loops began with is for nobody */
}
