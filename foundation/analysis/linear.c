#include "foundation/analysis/linear.h"
#include "foundation/ir/place.h"

#include <string.h>

/* Of one term, if that is not 0. What is behind a polynomial's terms is never looked at, and clearing it takes long. */
static kgi_poly of_term(kgi_term t) {
  kgi_poly p;
  p.count = t.c != 0, p.failed = false, p.t[0] = t;
  return p;
}

kgi_poly kgi_poly_int(int64_t value) { return of_term((kgi_term){.c = value}); }

kgi_poly kgi_poly_atom(uint32_t atom) { return of_term((kgi_term){.c = 1, .atom = {atom}}); }

static kgi_poly failure(void) { return (kgi_poly){.failed = true}; }

int kgi_term_compare(const uint32_t a[KGI_DEGREE], const uint32_t b[KGI_DEGREE]) {
  for (unsigned k = 0; k < KGI_DEGREE; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

bool kgi_term_has(const kgi_term *t, uint32_t atom) {
  for (unsigned k = 0; k < KGI_DEGREE; k++)
    if (t->atom[k] == atom) return true;
  return false;
}

static void add_term(kgi_poly *p, kgi_term t) {
  uint32_t at = 0;
  if (p->failed || !t.c) return;
  while (at < p->count && kgi_term_compare(p->t[at].atom, t.atom) < 0) at++;
  if (at < p->count && !kgi_term_compare(p->t[at].atom, t.atom)) {
    p->failed |= __builtin_add_overflow(p->t[at].c, t.c, &p->t[at].c);
    if (p->t[at].c) return;
    memmove(p->t + at, p->t + at + 1, (p->count - at - 1) * sizeof *p->t);
    p->count--;
    return;
  }
  if (p->count >= KGI_LIMIT(poly_terms)) {
    p->failed = true;
    return;
  }
  memmove(p->t + at + 1, p->t + at, (p->count - at) * sizeof *p->t);
  p->t[at] = t;
  p->count++;
}

kgi_poly kgi_poly_add(const kgi_poly *a, const kgi_poly *b, int64_t scale) {
  kgi_poly sum;
  sum.count = a->count, sum.failed = a->failed | b->failed;
  memcpy(sum.t, a->t, a->count * sizeof *a->t);
  for (uint32_t k = 0; k < b->count; k++) {
    kgi_term t = b->t[k];
    sum.failed |= __builtin_mul_overflow(t.c, scale, &t.c);
    add_term(&sum, t);
  }
  return sum;
}

/* Atoms stay ascending, with the zeros behind. */
static bool multiply(const kgi_term *a, const kgi_term *b, kgi_term *out) {
  unsigned i = 0, j = 0;
  kgi_term t = {0};
  if (__builtin_mul_overflow(a->c, b->c, &t.c)) return false;
  for (unsigned k = 0; (i < KGI_DEGREE && a->atom[i]) || (j < KGI_DEGREE && b->atom[j]); k++) {
    bool from_a = i < KGI_DEGREE && a->atom[i] && (j == KGI_DEGREE || !b->atom[j] || a->atom[i] <= b->atom[j]);
    if (k >= KGI_LIMIT(poly_degree)) return false;
    t.atom[k] = from_a ? a->atom[i++] : b->atom[j++];
  }
  *out = t;
  return true;
}

kgi_poly kgi_poly_mul(const kgi_poly *a, const kgi_poly *b) {
  kgi_poly product = {.failed = a->failed || b->failed};
  for (uint32_t i = 0; i < a->count; i++)
    for (uint32_t j = 0; j < b->count; j++) {
      kgi_term t;
      if (multiply(&a->t[i], &b->t[j], &t)) add_term(&product, t);
      else product.failed = true;
    }
  return product;
}

bool kgi_poly_equal(const kgi_poly *a, const kgi_poly *b) {
  if (a->failed || b->failed || a->count != b->count) return false;
  for (uint32_t k = 0; k < a->count; k++)
    if (a->t[k].c != b->t[k].c || kgi_term_compare(a->t[k].atom, b->t[k].atom)) return false;
  return true;
}

bool kgi_term_divide(const kgi_term *t, const kgi_term *factor, kgi_term *quotient) {
  kgi_term out = {.c = t->c / factor->c};
  unsigned n = 0, k = 0;
  if (t->c % factor->c) return false;
  for (unsigned m = 0; m < KGI_DEGREE && t->atom[m]; m++) {
    if (k < KGI_DEGREE && factor->atom[k] == t->atom[m]) k++;
    else out.atom[n++] = t->atom[m];
  }
  if (k < KGI_DEGREE && factor->atom[k]) return false;
  *quotient = out;
  return true;
}

bool kgi_poly_divide(const kgi_poly *f, const kgi_poly *factor, kgi_poly *quotient) {
  *quotient = kgi_poly_int(0);
  if (f->failed || factor->failed || factor->count != 1 || factor->t[0].c < 1) return false;
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1};
    if (!kgi_term_divide(&f->t[k], &factor->t[0], &term.t[0])) return false;
    *quotient = kgi_poly_add(quotient, &term, 1);
  }
  return !quotient->failed;
}

bool kgi_poly_is_int(const kgi_poly *a, int64_t *value) {
  if (a->failed || a->count > 1 || (a->count && a->t[0].atom[0])) return false;
  *value = a->count ? a->t[0].c : 0;
  return true;
}

bool kgi_poly_is_one(const kgi_poly *a) {
  int64_t value;
  return kgi_poly_is_int(a, &value) && value == 1;
}

uint32_t kgi_poly_is_atom(const kgi_poly *a) {
  return !a->failed && a->count == 1 && a->t[0].c == 1 && !a->t[0].atom[1] ? a->t[0].atom[0] : 0;
}

kgi_poly kgi_poly_trips(const kgi_poly *apart, int64_t by) {
  kgi_poly trips = *apart;
  int64_t all;
  if (kgi_poly_is_int(apart, &all) && all >= 0) return kgi_poly_int(all / by + (all % by != 0));
  for (uint32_t k = 0; k < trips.count; k++) {
    trips.failed |= trips.t[k].c % by != 0;
    trips.t[k].c /= by;
  }
  return trips;
}

static bool is_unsigned(const kgi_scope *s, uint32_t atom) {
  uint32_t index = atom & ~(uint32_t)KGI_ATOM_KIND;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM) return kgi_type_kind_of(s->param[index].type) != KGI_SINT;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_SPEC) return kgi_type_kind_of(s->spec[index].type) != KGI_SINT;
  return true;
}

/* Equal quotients are one length, as lengths are hash-consed. */
static kgi_poly of_quotient(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i], *by = &s->dim[n->b];
  kgi_poly top = kgi_poly_of_dim(s, (kgi_dim){n->a});
  if (top.failed || by->op != KGI_DIM_INT || by->imm < 1) return failure();
  for (uint32_t k = 0; k < top.count; k++) {
    if (top.t[k].c < 0) return failure();
    for (unsigned m = 0; m < KGI_DEGREE && top.t[k].atom[m]; m++)
      if (!is_unsigned(s, top.t[k].atom[m])) return failure();
  }
  return kgi_poly_atom(KGI_ATOM_QUOTIENT + dim.i);
}

kgi_poly kgi_poly_of_dim(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  kgi_poly a, b;
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_INT: return kgi_poly_int(n->imm);
  case KGI_DIM_PARAM: return kgi_poly_atom(KGI_ATOM_PARAM + n->a);
  case KGI_DIM_SPEC: return kgi_poly_atom(KGI_ATOM_SPEC + n->a);
  case KGI_DIM_LEN: return kgi_poly_atom(KGI_ATOM_LEN + n->a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL:
    a = kgi_poly_of_dim(s, (kgi_dim){n->a}), b = kgi_poly_of_dim(s, (kgi_dim){n->b});
    return n->op == KGI_DIM_MUL ? kgi_poly_mul(&a, &b) : kgi_poly_add(&a, &b, n->op == KGI_DIM_ADD ? 1 : -1);
  case KGI_DIM_DIV: return of_quotient(s, dim);
  case KGI_DIM_NONE: return failure();
  case KGI_DIM_FLOAT: case KGI_DIM_INDEX: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX: break;
  }
  /* Negative values are errors where a dim is a length, but not inside of one. */
  return failure();
}

void kgi_sizes_of(const kgi_program *p, kgi_poly size[3]) {
  for (unsigned k = 0; k < 3; k++) size[k] = p->workgroup[k].i ? kgi_poly_of_dim(&p->scope, p->workgroup[k]) : kgi_poly_int(1);
}

typedef struct reader { const kgi_program *p; const kgi_poly *size; unsigned steps; } reader;

static kgi_poly of_id(const reader *r, const kgi_inst *inst) {
  uint32_t axis = inst->arg[0];
  switch ((kgi_id)inst->op) {
  case KGI_ID_global_id: return kgi_poly_atom(KGI_ATOM_GLOBAL + axis);
  case KGI_ID_local_id: return kgi_poly_atom(KGI_ATOM_LOCAL + axis);
  case KGI_ID_workgroup_id: return kgi_poly_atom(KGI_ATOM_GROUP + axis);
  case KGI_ID_num_workgroups: return kgi_poly_atom(KGI_ATOM_GROUPS + axis);
  case KGI_ID_workgroup_size: return r->size[axis];
  case KGI_ID_local_index: {
    int64_t y, z;
    bool flat = kgi_poly_is_int(&r->size[1], &y) && kgi_poly_is_int(&r->size[2], &z) && y == 1 && z == 1;
    return kgi_poly_atom(flat ? KGI_ATOM_LOCAL : KGI_ATOM_LOCAL_INDEX);
  }
  case KGI_ID_subgroup_lane: return kgi_poly_atom(KGI_ATOM_LANE);
  case KGI_ID_subgroup_id: return kgi_poly_atom(KGI_ATOM_SUBGROUP);
  case KGI_ID_subgroup_size: return kgi_poly_atom(KGI_ATOM_SUBGROUP_SIZE);
  case KGI_ID_num_subgroups: return kgi_poly_atom(KGI_ATOM_SUBGROUPS);
  case KGI_ID_COUNT: break;
  }
  return failure();
}

static kgi_poly of_value(reader *r, uint32_t i);

static bool is_word(unsigned type) { return type == KG_I32 || type == KG_U32; }

/* ---- bits that may be 1 ---- */

static uint32_t up_to(uint32_t greatest) {
  uint32_t all = greatest;
  for (unsigned by = 1; by < 32; by *= 2) all |= all >> by;
  return all;
}

static bool literal_word(const reader *r, uint32_t value, uint32_t *out) {
  const kgi_inst *inst = &r->p->inst[value];
  if (inst->kind != KGI_literal || !is_word(inst->type)) return false;
  return *out = (uint32_t)kgi_literal_bits(inst), true;
}

static uint32_t bits_of_id(const reader *r, const kgi_inst *inst) {
  int64_t size = 0;
  bool lane = inst->op == KGI_ID_local_id && kgi_poly_is_int(&r->size[inst->arg[0]], &size);
  return lane && size >= 1 && size <= UINT32_MAX ? up_to((uint32_t)size - 1) : UINT32_MAX;
}

/* Multiples of a power of two stay such. */
static uint32_t bits_of_loop(const reader *r, const kgi_inst *loop) {
  uint32_t from, to, step = 1;
  if (loop->type != KG_U32 || !literal_word(r, loop->arg[0], &from) || (loop->arg[2] && !literal_word(r, loop->arg[2], &step))) return UINT32_MAX;
  uint32_t all = literal_word(r, loop->arg[1], &to) && to ? up_to(to - 1) : UINT32_MAX, any = from | step;
  return all & (any ? ~((any & -any) - 1) : UINT32_MAX);
}

static uint32_t bits_of(reader *r, uint32_t i);

/* Of a product, a quotient or a shift, by a literal. */
static uint32_t bits_by(reader *r, const kgi_inst *inst, uint32_t by) {
  uint32_t least = by & -by, x;
  switch ((int)inst->op) {
  case KGI_OP_shl: return bits_of(r, inst->arg[0]) << (by & 31);
  case KGI_OP_shr: return inst->type == KG_U32 ? bits_of(r, inst->arg[0]) >> (by & 31) : UINT32_MAX;
  case KGI_OP_rem: return inst->type == KG_U32 && by ? up_to(by - 1) : UINT32_MAX;
  case KGI_OP_mul: return x = bits_of(r, inst->arg[0]), by == least ? x * by : x ? ~((x & -x) * least - 1) : 0;
  default: return UINT32_MAX;
  }
}

static uint32_t bits_of_op(reader *r, const kgi_inst *inst) {
  bool logic = inst->op == KGI_OP_and || inst->op == KGI_OP_or || inst->op == KGI_OP_xor;
  uint32_t by;
  if (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast) return bits_of(r, inst->arg[0]);
  if (kgi_op_rows[inst->op].arity != 2) return UINT32_MAX;
  if (!logic && inst->op != KGI_OP_add) return literal_word(r, inst->arg[1], &by) ? bits_by(r, inst, by) : UINT32_MAX;
  uint32_t x = bits_of(r, inst->arg[0]), y = bits_of(r, inst->arg[1]), any = x | y;
  if (inst->op == KGI_OP_and) return x & y;
  if (inst->op != KGI_OP_add) return any;
  return (x > UINT32_MAX - y ? UINT32_MAX : up_to(x + y)) & (any ? ~((any & -any) - 1) : 0);
}

static uint32_t bits_of(reader *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  uint32_t number;
  if (literal_word(r, i, &number)) return number;
  if (!is_word(inst->type) || !r->steps) return UINT32_MAX;
  r->steps--;
  if (inst->kind == KGI_id) return bits_of_id(r, inst);
  if (inst->kind == KGI_for) return bits_of_loop(r, inst);
  bool words = inst->kind == KGI_op && is_word(r->p->inst[inst->arg[0]].type);
  return words ? bits_of_op(r, inst) : UINT32_MAX;
}

/* a | b and a ^ b are a + b where no bit is of both. */
static bool adds(reader *r, const kgi_inst *inst) {
  if (inst->op != KGI_OP_or && inst->op != KGI_OP_xor) return inst->op == KGI_OP_add;
  uint32_t second = bits_of(r, inst->arg[1]);
  return second != UINT32_MAX && (bits_of(r, inst->arg[0]) & second) == 0;
}

/* ---- values ---- */

static kgi_poly of_op(reader *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  const kgi_inst *second = &r->p->inst[inst->arg[1]];
  kgi_poly a, b, whole = kgi_poly_atom(i);
  /* Everything is read modulo 2^32, in which i32 and u32 agree; 64 bits agree with neither. */
  if (!is_word(inst->type) || !is_word(r->p->inst[inst->arg[0]].type) || !r->steps) return whole;
  r->steps--;
  kgi_op op = (kgi_op)inst->op;
  if (op == KGI_OP_convert || op == KGI_OP_bitcast || op == KGI_OP_stop_gradient) {
    a = of_value(r, inst->arg[0]);
  } else if (op == KGI_OP_neg) {
    a = kgi_poly_int(0), b = of_value(r, inst->arg[0]);
    a = kgi_poly_add(&a, &b, -1);
  } else if (op == KGI_OP_sub || adds(r, inst)) {
    a = of_value(r, inst->arg[0]), b = of_value(r, inst->arg[1]);
    a = kgi_poly_add(&a, &b, op == KGI_OP_sub ? -1 : 1);
  } else if (op == KGI_OP_mul) {
    a = of_value(r, inst->arg[0]), b = of_value(r, inst->arg[1]);
    a = kgi_poly_mul(&a, &b);
  } else if (op == KGI_OP_shl && second->kind == KGI_literal) {
    a = of_value(r, inst->arg[0]), b = kgi_poly_int(INT64_C(1) << (kgi_literal_bits(second) & 31));
    a = kgi_poly_mul(&a, &b);
  } else {
    return whole;
  }
  return a.failed ? whole : a;
}

static kgi_poly of_extent(const reader *r, const kgi_inst *len) {
  return kgi_poly_of_dim(&r->p->scope, r->p->scope.object[len->arg[0]].extent[len->arg[1] - 1]);
}

static kgi_poly of_value(reader *r, uint32_t i) {
  const kgi_inst *inst = &r->p->inst[i];
  kgi_poly leaf;
  if (inst->kind == KGI_op) return of_op(r, i);
  /* 2^32 - 1 is better read as -1. */
  if (inst->kind == KGI_literal && is_word(inst->type)) return kgi_poly_int((int32_t)inst->arg[0]);
  if (inst->kind == KGI_literal && kgi_is_int(inst->type) && kgi_literal_bits(inst) <= INT32_MAX)
    return kgi_poly_int(kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst)));
  if (inst->kind == KGI_param && is_word(inst->type)) return kgi_poly_atom(KGI_ATOM_PARAM + inst->arg[0]);
  if (inst->kind == KGI_spec && is_word(inst->type)) return kgi_poly_atom(KGI_ATOM_SPEC + inst->arg[0]);
  if (inst->kind == KGI_len && !inst->arg[1]) return kgi_poly_atom(KGI_ATOM_LEN + inst->arg[0]);
  if (inst->kind == KGI_len && !(leaf = of_extent(r, inst)).failed) return leaf;
  if (inst->kind == KGI_id && !(leaf = of_id(r, inst)).failed) return leaf;
  return kgi_poly_atom(i);
}

/* ---- digits put together again ---- */

/* The term without the atom. */
static kgi_poly without(const kgi_term *t, uint32_t atom) {
  kgi_poly rest = {.count = 1, .t = {{.c = t->c}}};
  unsigned n = 0;
  bool found = false;
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++) {
    if (t->atom[k] == atom && !found) found = true;
    else rest.t[0].atom[n++] = t->atom[k];
  }
  return rest;
}

static bool is_quotient_beside(const kgi_program *p, uint32_t atom, const kgi_inst *rest) {
  if (atom >= KGI_ATOM_FIRST) return false;
  const kgi_inst *inst = &p->inst[atom];
  return inst->kind == KGI_op && inst->op == KGI_OP_div && inst->arg[0] == rest->arg[0] && inst->arg[1] == rest->arg[1];
}

/* m * c * (x / c) + m * (x % c) is m * x, whatever x and c are. Term k has x % c for a factor. */
static bool join_with(reader *r, kgi_poly *f, uint32_t k, uint32_t remainder, uint32_t quotient) {
  const kgi_inst *inst = &r->p->inst[remainder];
  kgi_poly m = without(&f->t[k], remainder), low = {.count = 1, .t = {f->t[k]}}, high = kgi_poly_atom(quotient);
  kgi_poly c = of_value(r, inst->arg[1]), x = of_value(r, inst->arg[0]);
  high = kgi_poly_mul(&high, &c), high = kgi_poly_mul(&high, &m), x = kgi_poly_mul(&x, &m);
  kgi_poly joined = kgi_poly_add(f, &low, -1);
  joined = kgi_poly_add(&joined, &high, -1), joined = kgi_poly_add(&joined, &x, 1);
  if (joined.failed || joined.count >= f->count) return false;
  *f = joined;
  return true;
}

static bool join_digit(reader *r, kgi_poly *f, uint32_t k, uint32_t atom) {
  if (atom >= KGI_ATOM_FIRST) return false;
  const kgi_inst *inst = &r->p->inst[atom];
  if (inst->kind != KGI_op || !is_word(inst->type) || inst->op != KGI_OP_rem) return false;
  for (uint32_t n = 0; n < f->count; n++)
    for (unsigned m = 0; m < KGI_DEGREE && f->t[n].atom[m]; m++)
      if (is_quotient_beside(r->p, f->t[n].atom[m], inst) && join_with(r, f, k, atom, f->t[n].atom[m])) return true;
  return false;
}

static bool join_one(reader *r, kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (join_digit(r, f, k, f->t[k].atom[n])) return true;
  return false;
}

/* size * m * workgroup_id + m * local_id is m * global_id, for any product m. */
static void join_ids(kgi_poly *f, const kgi_poly size[3]) {
  for (unsigned axis = 0; axis < 3; axis++) {
    for (uint32_t k = 0; k < f->count; k++) {
      if (!kgi_term_has(&f->t[k], KGI_ATOM_LOCAL + axis)) continue;
      kgi_term factor = f->t[k], local = f->t[k];
      uint32_t *at = factor.atom;
      while (*at != KGI_ATOM_LOCAL + axis) at++;
      memmove(at, at + 1, (size_t)(factor.atom + KGI_DEGREE - 1 - at) * sizeof *at);
      factor.atom[KGI_DEGREE - 1] = 0;
      kgi_poly m = {.count = 1, .t = {factor}}, group = kgi_poly_atom(KGI_ATOM_GROUP + axis);
      kgi_poly global = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), product = kgi_poly_mul(&m, &group), joined;
      product = kgi_poly_mul(&product, &size[axis]);
      global = kgi_poly_mul(&global, &m);
      joined = kgi_poly_add(f, &product, -1);
      joined = kgi_poly_add(&joined, &(kgi_poly){.count = 1, .t = {local}}, -1);
      joined = kgi_poly_add(&joined, &global, 1);
      if (!joined.failed && joined.count < f->count) *f = joined, k = UINT32_MAX;
    }
  }
}

/* A lone integer is asked for as a number, and not modulo 2^32: it is the one that its word stands for, read as literals are. */
kgi_poly kgi_poly_of_value(const kgi_program *p, kgi_val value, const kgi_poly size[3]) {
  reader r = {.p = p, .size = size, .steps = KGI_LIMIT(poly_steps)};
  kgi_poly f = of_value(&r, value.i);
  while (r.steps && join_one(&r, &f)) r.steps--;
  join_ids(&f, size);
  int64_t number;
  if (is_word(p->inst[value.i].type) && kgi_poly_is_int(&f, &number)) f = kgi_poly_int((int32_t)(uint32_t)number);
  return f;
}

kgi_poly kgi_poly_of_index(const kgi_program *p, uint32_t access, const kgi_poly size[3]) {
  const kgi_inst *inst = &p->inst[access];
  kgi_digits place;
  if (!inst->arg[1]) return kgi_poly_int(0);
  if (!kgi_place_of(p, access, &place)) return kgi_poly_of_value(p, (kgi_val){inst->arg[1]}, size);
  kgi_poly index = kgi_poly_int(0);
  for (unsigned k = 0; k < p->scope.object[inst->arg[0]].rank; k++) {
    kgi_poly extent = kgi_poly_of_value(p, (kgi_val){p->inst[place.link[k]].arg[2]}, size);
    kgi_poly digit = kgi_poly_of_value(p, (kgi_val){place.value[k]}, size);
    index = kgi_poly_mul(&index, &extent);
    index = kgi_poly_add(&index, &digit, 1);
  }
  return index;
}
