#include "foundation/analysis/ranges.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/validate.h"

typedef struct walk {
  const kgi_program *p;
  const kgi_known *known;
  kgi_range *range;
  kgi_loop_trips *trips;
} walk;

static kgi_range only(int64_t value) { return (kgi_range){value, value, true}; }
static kgi_range between(int64_t lo, int64_t hi) { return (kgi_range){lo, hi, lo <= hi}; }

/* Every value that the type has, where those fit. */
static kgi_range of_type(unsigned type) {
  if (type == KG_U32) return between(0, UINT32_MAX);
  if (type == KG_I32) return between(INT32_MIN, INT32_MAX);
  return (kgi_range){0};
}

/* What does not fit the type wraps, and is then anything. Past an i64 nothing is known anyway. */
static kgi_range fitting(unsigned type, kgi_range r) {
  kgi_range all = of_type(type);
  if (type == KG_U64 && r.lo < 0) return (kgi_range){0};
  if (!all.known) return r;
  return r.known && r.lo >= all.lo && r.hi <= all.hi ? r : all;
}

static kgi_range of_bits(unsigned type, uint64_t bits) {
  if (!kgi_is_int(type) || (type == KG_U64 && bits > INT64_MAX)) return (kgi_range){0};
  return only(kgi_bits_to_int((kg_type)type, bits));
}

static kgi_range of_id(const kgi_known *known, kgi_id id, unsigned k) {
  int64_t size = known->workgroup[k], groups = known->groups[k];
  int64_t lanes = (int64_t)known->workgroup[0] * known->workgroup[1] * known->workgroup[2];
  bool of_grid = id == KGI_ID_global_id || id == KGI_ID_workgroup_id || id == KGI_ID_num_workgroups;
  if (!lanes || (of_grid && !groups)) return of_type(KG_U32);
  switch (id) {
  case KGI_ID_global_id: return between(0, size * groups - 1);
  case KGI_ID_local_id: return between(0, size - 1);
  case KGI_ID_workgroup_id: return between(0, groups - 1);
  case KGI_ID_num_workgroups: return only(groups);
  case KGI_ID_workgroup_size: return only(size);
  case KGI_ID_local_index: return between(0, lanes - 1);
  case KGI_ID_subgroup_lane: return between(0, KGI_MAX_SUBGROUP - 1);
  case KGI_ID_subgroup_size: return between(1, KGI_MAX_SUBGROUP);
  case KGI_ID_subgroup_id: return between(0, lanes - 1);
  case KGI_ID_num_subgroups: return between(1, lanes);
  case KGI_ID_COUNT: break;
  }
  return (kgi_range){0};
}

/* ---- arithmetic ---- */

static kgi_range sum(kgi_range a, kgi_range b, bool minus) {
  kgi_range r = {.known = true};
  bool over = minus ? __builtin_sub_overflow(a.lo, b.hi, &r.lo) || __builtin_sub_overflow(a.hi, b.lo, &r.hi)
                    : __builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi);
  return over ? (kgi_range){0} : r;
}

static kgi_range product(kgi_range a, kgi_range b) {
  const int64_t x[] = {a.lo, a.hi}, y[] = {b.lo, b.hi};
  kgi_range r = {INT64_MAX, INT64_MIN, true};
  for (unsigned i = 0; i < 4; i++) {
    int64_t corner;
    if (__builtin_mul_overflow(x[i / 2], y[i % 2], &corner)) return (kgi_range){0};
    if (corner < r.lo) r.lo = corner;
    if (corner > r.hi) r.hi = corner;
  }
  return r;
}

static kgi_range least(kgi_range a, kgi_range b) { return between(a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi); }
static kgi_range largest(kgi_range a, kgi_range b) { return between(a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi); }

static kgi_range of_op(const walk *w, const kgi_inst *inst) {
  kgi_range x = w->range[inst->arg[0]], y = w->range[inst->arg[1]], z = w->range[inst->arg[2]];
  if (!kgi_is_int(inst->type)) return (kgi_range){0}; /* floats round */
  if (inst->op == KGI_OP_convert) return x;
  if (inst->op == KGI_OP_select) return y.known && z.known ? between(y.lo < z.lo ? y.lo : z.lo, y.hi > z.hi ? y.hi : z.hi) : (kgi_range){0};
  if (!x.known || !y.known) return (kgi_range){0};
  if (inst->op == KGI_OP_add) return sum(x, y, false);
  if (inst->op == KGI_OP_sub) return sum(x, y, true);
  if (inst->op == KGI_OP_mul) return product(x, y);
  if (inst->op == KGI_OP_min) return least(x, y);
  if (inst->op == KGI_OP_max) return largest(x, y);
  bool positive = x.lo >= 0 && y.lo > 0;
  if (inst->op == KGI_OP_div && positive) return between(x.lo / y.hi, x.hi / y.lo);
  if ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && positive) return between(0, x.hi < y.hi - 1 ? x.hi : y.hi - 1);
  if (inst->op == KGI_OP_shl && x.lo >= 0 && y.lo >= 0 && y.hi < 31) return product(x, between(INT64_C(1) << y.lo, INT64_C(1) << y.hi));
  if (inst->op == KGI_OP_shr && x.lo >= 0 && y.lo >= 0 && y.hi < 32) return between(x.lo >> y.hi, x.hi >> y.lo);
  if (inst->op == KGI_OP_and && x.lo >= 0 && y.lo >= 0) return between(0, x.hi < y.hi ? x.hi : y.hi);
  return (kgi_range){0};
}

/* Of the object, or of its dimension which - 1. */
static kgi_range of_len(const walk *w, uint32_t object, uint32_t which) {
  const kgi_known *known = w->known;
  kgi_dim_env env = {.param = known->param, .length = known->length};
  int64_t extent;
  if (!which) return known->length ? only((int64_t)known->length[object]) : of_type(KG_U32);
  bool fine = kgi_dim_eval(&w->p->scope, w->p->scope.object[object].extent[which - 1], &env, &extent) == KGI_DIM_OK;
  return fine ? only(extent) : of_type(KG_U32);
}

static kgi_range of_leaf(const walk *w, const kgi_inst *inst) {
  const kgi_scope *s = &w->p->scope;
  if (inst->kind == KGI_literal) return of_bits(inst->type, kgi_literal_bits(inst));
  if (inst->kind == KGI_param) return w->known->param ? of_bits(inst->type, w->known->param[inst->arg[0]]) : of_type(inst->type);
  if (inst->kind == KGI_spec) return w->known->param ? of_bits(inst->type, s->spec[inst->arg[0]].bits) : of_type(inst->type);
  if (inst->kind == KGI_len) return of_len(w, inst->arg[0], inst->arg[1]);
  return of_id(w->known, (kgi_id)inst->op, inst->arg[0]);
}

/* ---- lengths ---- */

/* Rounded toward minus infinity. */
static int64_t divided(int64_t x, int64_t by) { return x / by - (x % by < 0); }

kgi_range kgi_range_of_dim(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op == KGI_DIM_INT) return only(n->imm);
  if (n->op == KGI_DIM_PARAM) return of_type(s->param[n->a].type);
  if (n->op == KGI_DIM_SPEC) return of_type(s->spec[n->a].type);
  if (n->op == KGI_DIM_LEN) return of_type(KG_U32);
  if (n->op == KGI_DIM_NONE || n->op == KGI_DIM_FLOAT || n->op == KGI_DIM_INDEX) return (kgi_range){0};
  kgi_range x = kgi_range_of_dim(s, (kgi_dim){n->a}), y = kgi_range_of_dim(s, (kgi_dim){n->b});
  if (!x.known || !y.known) return (kgi_range){0};
  if (n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB) return sum(x, y, n->op == KGI_DIM_SUB);
  if (n->op == KGI_DIM_MUL) return product(x, y);
  if (n->op == KGI_DIM_MIN) return least(x, y);
  if (n->op == KGI_DIM_MAX) return largest(x, y);
  if (y.lo != y.hi || y.lo < 1) return (kgi_range){0};
  return n->op == KGI_DIM_DIV ? between(divided(x.lo, y.lo), divided(x.hi, y.lo)) : between(0, y.lo - 1);
}

/* ---- loops ---- */

static bool is_left_early(const kgi_program *p, kgi_blk body) {
  KGI_EACH_INSIDE(p, body, i)
    if (p->inst[i].kind == KGI_break || p->inst[i].kind == KGI_return) return true;
  return false;
}

static void visit_for(walk *w, uint32_t i) {
  const kgi_inst *loop = &w->p->inst[i];
  kgi_range from = w->range[loop->arg[0]], to = w->range[loop->arg[1]], step = w->range[loop->arg[2]];
  bool known = from.known && to.known && step.known && step.lo >= 1;
  bool some = known && from.lo < to.hi;
  w->range[i] = some ? fitting(loop->type, between(from.lo, to.hi - 1)) : of_type(loop->type);
  w->trips[i].most = known ? kgi_trips(from.lo, to.hi, step.lo) : UINT64_MAX;
  w->trips[i].exact = known && from.lo == from.hi && to.lo == to.hi && step.lo == step.hi && !is_left_early(w->p, loop->arg[3]);
}

static void visit_while(walk *w, uint32_t i) {
  kgi_dim_env env = {.param = w->known->param, .length = w->known->length};
  kgi_dim limit = {w->p->inst[i].arg[3]};
  int64_t most;
  bool known = limit.i && kgi_dim_eval(&w->p->scope, limit, &env, &most) == KGI_DIM_OK && most >= 0;
  w->trips[i].most = known ? (uint64_t)most : UINT64_MAX;
}

bool kgi_ranges_find(kgi_ranges *out, kgi_arena *arena, const kgi_program *p, const kgi_known *known) {
  walk w = {.p = p, .known = known};
  w.range = kgi_arena_alloc(arena, p->inst_count, sizeof *w.range);
  w.trips = kgi_arena_alloc(arena, p->inst_count, sizeof *w.trips);
  if (!w.range || !w.trips) return false;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (kgi_is_leaf(p->inst[i].kind)) w.range[i] = of_leaf(&w, &p->inst[i]);
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind == KGI_for) visit_for(&w, i);
    else if (inst->kind == KGI_while) visit_while(&w, i);
    else w.range[i] = fitting(inst->type, inst->kind == KGI_op ? of_op(&w, inst) : (kgi_range){0});
  }
  *out = (kgi_ranges){w.range, w.trips};
  return true;
}
