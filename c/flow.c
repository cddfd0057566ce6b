/* Statements. */
#include "c/emit.h"

static const kgi_inst *at(const kgi_c_emit *e, uint32_t i) { return &e->p->inst[i]; }

static void open(kgi_c_emit *e) { e->depth++; }
static void close(kgi_c_emit *e) {
  e->depth--;
  kgi_c_line(e, "}");
}

/* ---- masks ---- */

/* From here on these lanes run. */
static void begin_mask_full(kgi_c_emit *e, const char *mask, const char *full) {
  e->mask = ++e->masks;
  kgi_c_line(e, "const kg_mask m%u = %s;", e->mask, mask);
  kgi_c_line(e, "const bool f%u = %s;", e->mask, full);
}

static void begin_mask_counted(kgi_c_emit *e, const char *mask) {
  e->mask = ++e->masks;
  kgi_c_line(e, "const kg_mask m%u = %s;", e->mask, mask);
  kgi_c_line(e, "const bool f%u = kg_all(m%u);", e->mask, e->mask);
}

static const char *live(const kgi_c_emit *e) { return e->plan.split ? "live[kg_c]" : "live"; }

/* Who still loops, and who is still in this trip. */
static const char *looping(kgi_c_emit *e, const kgi_c_loop *l) { return kgi_c_format(e, l->rows ? "a%u[kg_c]" : "a%u", l->inst); }
static const char *in_trip(kgi_c_emit *e, const kgi_c_loop *l) { return kgi_c_format(e, l->rows ? "x%u[kg_c]" : "x%u", l->inst); }

/* Who of a chunk is there, between segments; NULL: all. */
static const char *there(kgi_c_emit *e) {
  const kgi_c_loop *loop = e->loop;
  while (loop && !loop->rows) loop = loop->outer;
  return loop ? in_trip(e, loop) : e->plan.returns ? "live[kg_c]" : NULL;
}

/* Between segments: a condition under which anybody is there; NULL: always. What nobody runs might never end. */
static const char *anybody(kgi_c_emit *e) {
  const kgi_c_loop *loop = e->loop;
  while (loop && !loop->rows) loop = loop->outer;
  if (e->segment || (!loop && !e->plan.returns)) return NULL;
  return kgi_c_format(e, "kg_any_row(%s, chunks)", loop ? kgi_c_format(e, "x%u", loop->inst) : "live");
}

/* Somebody may have left. */
static void look_again(kgi_c_emit *e, uint32_t exits) {
  if (e->exits == exits || !e->segment || (!e->loop && !e->plan.returns)) return;
  const char *still = e->loop && e->loop->exits ? in_trip(e, e->loop) : live(e);
  begin_mask_counted(e, kgi_c_format(e, "m%u & %s", e->mask, still));
  if (e->loop || e->arms) return;
  kgi_c_line(e, "if (!kg_any(m%u)) goto next_%u;", e->mask, e->labels);
  e->leaves_chunk = true;
}

/* ---- segments ---- */

static void close_segment(kgi_c_emit *e) {
  if (!e->segment) return;
  if (e->leaves_chunk) kgi_c_line(e, "next_%u:;", e->labels);
  kgi_c_end_again(e);
  close(e);
  e->segment = 0;
}

static void declare_vars(kgi_c_emit *e) {
  for (uint32_t i = e->buffers + 1; i < e->p->scope.object_count; i++) {
    if (e->p->scope.object[i].space != KGI_VAR) continue;
    bool here = e->plan.home[i] == e->segment + 1 && (e->plan.var[i] == KGI_C_VAR_LOCAL || !e->plan.split);
    e->var_mask[i] = e->plan.var[i] == KGI_C_VAR_ROW ? 0 : e->mask;
    if (here) kgi_c_object(e, i);
  }
}

/* Whether its name means something here: guards look behind a condition, which may have been computed in another segment. */
static bool is_visible(const kgi_c_emit *e, uint32_t i) {
  bool here = e->plan.segment[i] == e->segment || e->again[i] || e->plan.abreast[i];
  return kgi_is_leaf(at(e, i)->kind) || e->plan.row[i] || here || (kgi_c_is_scalar(e, i) && !e->plan.segment[i]);
}

/* A guard of the number in the workgroup, `i < n` or `i == n`, with an n that is a scalar. */
static bool bounds_chunks(const kgi_c_emit *e, uint32_t condition) {
  const kgi_inst *c = at(e, condition), *id = at(e, c->arg[0]);
  bool line = e->workgroup[1] == 1 && e->workgroup[2] == 1;
  if (c->kind != KGI_op || (c->op != KGI_OP_lt && c->op != KGI_OP_eq) || id->kind != KGI_id || !kgi_c_is_scalar(e, c->arg[1])) return false;
  if (!is_visible(e, c->arg[1])) return false;
  return id->op == KGI_ID_local_index || (line && id->op == KGI_ID_local_id && id->arg[0] == 0);
}

/* Where all that a segment does is to guard by one such condition, chunks past it have nothing to do: that condition, or 0. What it
 * computes besides is for itself. */
static uint32_t segment_bound(const kgi_c_emit *e, uint32_t segment, uint32_t first) {
  uint32_t bound = 0;
  for (uint32_t i = first; i; i = at(e, i)->next) {
    const kgi_inst *inst = at(e, i);
    if (e->plan.segment[i] != segment && e->plan.ahead[i] != segment) break;
    if (e->plan.ahead[i] == segment || (inst->kind == KGI_op && !e->plan.row[i])) continue;
    bool guards = inst->kind == KGI_if && !inst->arg[2] && bounds_chunks(e, inst->arg[0]);
    if (!guards || (bound && bound != inst->arg[0])) return 0;
    bound = inst->arg[0];
  }
  return bound;
}

static void each_chunk_below(kgi_c_emit *e, uint32_t condition) {
  const kgi_inst *c = at(e, condition);
  const char *less = c->op == KGI_OP_lt ? "<" : "<=", *bound = kgi_c_value(e, c->arg[1], false);
  kgi_c_line(e, "for (uint32_t kg_c = 0; kg_c < chunks && kg_c * KG_LANES %s %s; kg_c++) {", less, bound);
}

/* Where a chunk is in a trip that all chunks make. The first chunk without the trip is the end of it. */
static void find_place(kgi_c_emit *e, const kgi_c_loop *l) {
  kgi_c_line(e, "const int64_t k%u = j%u + kg_c * KG_LANES;", l->inst, l->inst);
  if (!l->full) kgi_c_line(e, "if (k%u >= t%u) break;", l->inst, l->inst);
  kgi_c_line(e, "const uint32_t c%u = (uint32_t)k%u;", l->inst, l->inst);
  kgi_c_line(e, "const kg_u32v v%u = kg_count(c%u);", l->inst, l->inst);
}

static void begin_chunk_mask(kgi_c_emit *e, const kgi_c_loop *abreast) {
  uint32_t t = e->invocations;
  const char *lanes = kgi_c_format(e, "kg_lanes_below(%uu, kg_c)", t);
  const char *full = kgi_c_format(e, "(%uu %% KG_LANES == 0 || (kg_c + 1) * KG_LANES <= %uu)", t, t);
  if (abreast && !abreast->full) {
    lanes = kgi_c_format(e, "%s & kg_first_lanes(t%u - k%u)", lanes, abreast->inst, abreast->inst);
    full = kgi_c_format(e, "%s && k%u + KG_LANES <= t%u", full, abreast->inst, abreast->inst);
  }
  begin_mask_full(e, lanes, full);
}

static void open_segment(kgi_c_emit *e, uint32_t segment, uint32_t first) {
  const kgi_c_loop *abreast = e->loop && e->loop->abreast ? e->loop : NULL;
  uint32_t bound = e->plan.split ? segment_bound(e, segment, first) : 0;
  if (bound) each_chunk_below(e, bound);
  else kgi_c_line(e, "for (uint32_t kg_c = 0; kg_c < chunks; kg_c++) {");
  open(e);
  e->segment = segment, e->leaves_chunk = false, e->labels++;
  kgi_c_ids(e, e->plan.ids[segment]);
  if (abreast) find_place(e, abreast);
  const char *who = e->plan.split ? there(e) : NULL;
  if (who) begin_mask_counted(e, kgi_c_format(e, "kg_lanes_below(%uu, kg_c) & %s", e->invocations, who));
  if (who) kgi_c_line(e, "if (!kg_any(m%u)) continue;", e->mask);
  else begin_chunk_mask(e, abreast);
  if (!e->plan.split && e->plan.returns) kgi_c_line(e, "kg_mask live = m%u;", e->mask);
  e->first_mask = e->mask, e->row.condition = NULL;
  kgi_c_begin_again(e);
  declare_vars(e);
}

/* ---- if ---- */

/* A guard `less < bound` of what counts up from lane to lane. */
typedef struct kgi_c_guard { uint32_t less; const char *base, *bound; bool is_signed; } kgi_c_guard;

static bool is_counted(kgi_c_emit *e, uint32_t less, uint32_t more, kgi_c_guard *out) {
  const char *sure;
  if (!kgi_is_int(at(e, less)->type) || kgi_type_bits(at(e, less)->type) != 32) return false;
  if (!is_visible(e, less) || !is_visible(e, more) || !kgi_c_is_scalar(e, more) || kgi_c_is_scalar(e, less)) return false;
  const char *base = kgi_c_base(e, less, &sure);
  if (!base || sure) return false;
  *out = (kgi_c_guard){less, base, kgi_c_value(e, more, false), kgi_type_kind_of(at(e, less)->type) == KGI_SINT};
  return true;
}

static bool is_comparison(kgi_c_emit *e, uint32_t condition, kgi_c_guard *out) {
  const kgi_inst *c = at(e, condition);
  if (c->kind != KGI_op || (c->op != KGI_OP_lt && c->op != KGI_OP_gt)) return false;
  return is_counted(e, c->arg[c->op == KGI_OP_gt], c->arg[c->op == KGI_OP_lt], out);
}

/* A guard of what counts up from lane to lane needs no look at the lanes: where it holds for the last it holds for all. */
static const char *guard(kgi_c_emit *e, uint32_t condition) {
  const kgi_inst *c = at(e, condition);
  kgi_c_guard g;
  if (c->kind == KGI_op && c->op == KGI_OP_and && c->type == KG_BOOL) {
    if (!is_visible(e, c->arg[0]) || !is_visible(e, c->arg[1])) return NULL;
    const char *a = kgi_c_is_scalar(e, c->arg[0]) ? kgi_c_value(e, c->arg[0], false) : guard(e, c->arg[0]);
    const char *b = !a ? NULL : kgi_c_is_scalar(e, c->arg[1]) ? kgi_c_value(e, c->arg[1], false) : guard(e, c->arg[1]);
    return b ? kgi_c_format(e, "%s && %s", a, b) : NULL;
  }
  if (!is_comparison(e, condition, &g)) return NULL;
  if (g.is_signed) return kgi_c_format(e, "(int64_t)(int32_t)(%s) + KG_LANES <= (int32_t)(%s)", g.base, g.bound);
  return kgi_c_format(e, "(uint64_t)(%s) + KG_LANES <= %s", g.base, g.bound);
}

/* Whether it holds for any lane: for the first, where all run and it counts up to no wrap; of an equation, for one of them. */
static const char *guard_of_any(kgi_c_emit *e, uint32_t condition, uint32_t outer, uint32_t mask) {
  const kgi_inst *c = at(e, condition);
  kgi_c_guard g;
  if (is_comparison(e, condition, &g)) {
    const char *cast = g.is_signed ? "(int32_t)" : "", *most = g.is_signed ? "INT32_MAX" : "UINT32_MAX";
    const char *first = kgi_c_format(e, "%s(%s)", cast, g.base), *bound = kgi_c_format(e, "%s(%s)", cast, g.bound);
    return kgi_c_format(e, "(f%u && %s <= %s - KG_LANES ? %s < %s : kg_any(m%u))", outer, first, most, first, bound, mask);
  }
  bool equation = c->kind == KGI_op && c->op == KGI_OP_eq && is_counted(e, c->arg[0], c->arg[1], &g);
  if (equation) return kgi_c_format(e, "(f%u ? (uint32_t)(%s - %s) < KG_LANES : kg_any(m%u))", outer, g.bound, g.base, mask);
  return kgi_c_format(e, "kg_any(m%u)", mask);
}

/* ---- blocks that are written twice: for when all lanes run, without masks, and for when some do ---- */

enum { COPIED = 150, COPIES = 2 }; /* instructions of a block that is worth it, and how deep such blocks nest */

static bool is_copied(const kgi_c_emit *e, uint32_t owner, kgi_blk blk) {
  uint32_t count = 0;
  KGI_EACH_INSIDE(e->p, blk, i) count++;
  return count <= COPIED && e->copies < COPIES && !e->plan.ends[owner];
}

static void forget(kgi_c_emit *e, kgi_blk blk) { KGI_EACH_INSIDE(e->p, blk, i) e->written[i] = false; }

/* All lanes run: what a compiler knows, too. */
static void full_copy(kgi_c_emit *e, kgi_blk blk) {
  uint32_t outer = e->mask;
  e->copies++;
  begin_mask_full(e, "kg_mask_of(true)", "true");
  kgi_c_block(e, blk);
  forget(e, blk);
  e->mask = outer;
  e->copies--;
}

/* What all lanes have alike if a condition holds, they have so throughout. */
static void alike_copy(kgi_c_emit *e, const char *same, const char *sure, kgi_blk blk) {
  const char *outer = e->assumed;
  kgi_c_line(e, "if (f%u && %s) {", e->mask, sure ? sure : "true");
  open(e);
  kgi_c_line(e, "if (%s) {", same);
  open(e);
  e->assumed = kgi_c_both(e, outer, sure);
  full_copy(e, blk);
  e->assumed = outer;
  close(e);
  close(e);
}

/* `guards`: the condition, or 0 if it is its opposite. */
static void arm(kgi_c_emit *e, uint32_t owner, const char *condition, uint32_t guards, kgi_blk blk) {
  uint32_t mask = ++e->masks, outer = e->mask;
  const char *full = guards ? guard(e, guards) : NULL;
  const char *any = guards ? guard_of_any(e, guards, outer, mask) : kgi_c_format(e, "kg_any(m%u)", mask);
  kgi_c_line(e, "const kg_mask m%u = m%u & %s;", mask, outer, condition);
  if (full) kgi_c_line(e, "const bool f%u = f%u && %s;", mask, outer, full);
  const char *sure = NULL, *same = guards && !full ? kgi_c_same(e, guards, &sure) : NULL;
  bool twice = (full || same) && is_copied(e, owner, blk), alike = twice && same;
  if (alike) alike_copy(e, same, sure, blk);
  else if (twice) {
    kgi_c_line(e, "if (f%u) {", mask);
    open(e);
    full_copy(e, blk);
    close(e);
  }
  kgi_c_line(e, "%sif (%s%s) {", twice ? "else " : "", full && !twice ? kgi_c_format(e, "f%u || ", mask) : "", any);
  open(e);
  if (!full) kgi_c_line(e, "const bool f%u = kg_all(m%u);", mask, mask);
  e->mask = mask;
  e->arms++;
  kgi_c_block(e, blk);
  e->arms--;
  e->mask = outer;
  close(e);
}

static void scalar_if(kgi_c_emit *e, const kgi_inst *inst) {
  uint32_t outer = e->mask;
  const char *some = anybody(e);
  kgi_c_line(e, "if (%s%s%s) {", some ? some : "", some ? " && " : "", kgi_c_value(e, inst->arg[0], false));
  open(e);
  kgi_c_block(e, inst->arg[1]);
  e->mask = outer;
  close(e);
  if (!inst->arg[2]) return;
  kgi_c_line(e, "else {");
  open(e);
  kgi_c_block(e, inst->arg[2]);
  e->mask = outer;
  close(e);
}

static void emit_if(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint32_t exits = e->exits;
  if (kgi_c_is_scalar(e, inst->arg[0]) || !e->segment) scalar_if(e, inst);
  else {
    const char *condition = kgi_c_value(e, inst->arg[0], true);
    arm(e, i, condition, inst->arg[0], inst->arg[1]);
    if (inst->arg[2]) arm(e, i, kgi_c_format(e, "~%s", condition), 0, inst->arg[2]);
  }
  look_again(e, exits);
}

/* ---- loops ---- */

static const char *counter_type(const kgi_inst *loop) { return kgi_type_bits(loop->type) == 64 ? "uint64_t" : "uint32_t"; }

/* A loop over chunks that is no segment. */
static void each_chunk(kgi_c_emit *e) {
  kgi_c_line(e, "for (uint32_t kg_c = 0; kg_c < chunks; kg_c++) {");
  open(e);
}

/* Between segments the rest of a trip is for whoever still loops. */
static void begin_trip_of_rows(kgi_c_emit *e, const kgi_c_loop *loop) {
  kgi_c_line(e, "if (!kg_any_row(a%u, chunks)) break;", loop->inst);
  each_chunk(e);
  kgi_c_line(e, "x%u[kg_c] = a%u[kg_c];", loop->inst, loop->inst);
  close(e);
}

/* Where some lanes may leave: who still loops, and who is still in this trip. */
static void begin_trip(kgi_c_emit *e, kgi_c_loop *loop) {
  if (loop->rows) begin_trip_of_rows(e, loop);
  if (!loop->exits || loop->rows) {
    loop->mask = e->mask;
    return;
  }
  kgi_c_line(e, "if (!kg_any(a%u)) break;", loop->inst);
  kgi_c_line(e, "kg_mask x%u = a%u;", loop->inst, loop->inst);
  begin_mask_counted(e, kgi_c_format(e, "x%u", loop->inst));
  loop->mask = e->mask;
}

static void begin_rows(kgi_c_emit *e, uint32_t i) {
  const char *size = kgi_c_format(e, "[(%u + KG_LANES - 1) / KG_LANES]", e->invocations), *who = there(e);
  kgi_c_line(e, "kg_mask a%u%s, x%u%s;", i, size, i, size);
  each_chunk(e);
  kgi_c_line(e, "a%u[kg_c] = x%u[kg_c] = kg_lanes_below(%uu, kg_c)%s%s;", i, i, e->invocations, who ? " & " : "", who ? who : "");
  close(e);
}

static kgi_c_loop begin_loop(kgi_c_emit *e, uint32_t i, bool lanes) {
  bool rows = !e->segment && e->plan.masked[i];
  kgi_c_loop loop = {.outer = e->loop, .inst = i, .jumps = e->exits, .exits = rows || (e->segment && (e->plan.ends[i] || lanes)), .rows = rows};
  if (rows) begin_rows(e, i);
  else if (loop.exits) kgi_c_line(e, "kg_mask a%u = m%u;", i, e->mask);
  return loop;
}

static void end_loop(kgi_c_emit *e, kgi_c_loop *loop, uint32_t outer, uint32_t returns) {
  close(e);
  e->loop = loop->outer;
  e->mask = outer;
  if (e->returns != returns) look_again(e, loop->jumps);
  else e->exits = loop->jumps; /* what left this loop is here again */
}

static const char *kind(const kgi_inst *loop) {
  bool wide = kgi_type_bits(loop->type) == 64;
  return kgi_type_kind_of(loop->type) == KGI_SINT ? wide ? "i64" : "i32" : wide ? "u64" : "u32";
}

static bool is_reversed(const kgi_inst *loop) { return loop->flags & KGI_REVERSED; }

static bool is_literal(const kgi_c_emit *e, uint32_t i, uint64_t bits) {
  return at(e, i)->kind == KGI_literal && kgi_literal_bits(at(e, i)) == bits;
}

/* ---- loops that are written trip by trip ---- */

enum { TRIPS = 12, WRITTEN = 400 }; /* trips of a loop that is worth it, and instructions of all its trips */

static bool has_jumps(const kgi_c_emit *e, kgi_blk blk) {
  KGI_EACH_INSIDE(e->p, blk, i)
    if (kgi_ends(at(e, i))) return true;
  return false;
}

/* A loop between segments, of few trips: where their numbers are known, so are places in shared memory, and which chunks have
 * anything to do. Trees of sums are such. 0: it is no such loop. */
static uint32_t trips_to_write(const kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint64_t limits[3], count = 0;
  for (unsigned k = 0; k < 3; k++) {
    const kgi_inst *limit = at(e, inst->arg[k]);
    if (limit->kind != KGI_literal && limit->kind != KGI_spec) return 0;
    limits[k] = limit->kind == KGI_spec ? e->p->scope.spec[limit->arg[0]].bits : kgi_literal_bits(limit);
  }
  if (e->segment || limits[0] || limits[2] != 1 || limits[1] > TRIPS || has_jumps(e, inst->arg[3])) return 0;
  KGI_EACH_INSIDE(e->p, inst->arg[3], k) count++;
  return count * limits[1] <= WRITTEN ? (uint32_t)limits[1] : 0;
}

static void written_for(kgi_c_emit *e, uint32_t i, uint32_t trips) {
  const kgi_inst *inst = at(e, i);
  const char *some = anybody(e);
  kgi_c_line(e, "if (%s) {", some ? some : "true");
  open(e);
  for (uint32_t k = 0; k < trips; k++) {
    kgi_c_line(e, "{");
    open(e);
    kgi_c_define(e, i, kgi_c_format(e, "%uu", is_reversed(inst) ? trips - 1 - k : k));
    kgi_c_block(e, inst->arg[3]);
    forget(e, inst->arg[3]);
    close(e);
  }
  close(e);
}

/* The same trips for all. */
static void even_for(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint32_t outer = e->mask, returns = e->returns, written = trips_to_write(e, i);
  if (written) {
    written_for(e, i, written);
    return;
  }
  const char *from = kgi_c_value(e, inst->arg[0], false), *step = kgi_c_value(e, inst->arg[2], false), *t = counter_type(inst);
  const char *to = kgi_c_value(e, inst->arg[1], false), *some = anybody(e);
  const char *trips = kgi_c_format(e, "kg_trips_%s(%s, %s, %s)", kind(inst), from, to, step);
  kgi_c_line(e, "const %s n%u = %s%s%s%s;", t, i, some ? some : "", some ? " ? " : "", trips, some ? " : 0" : "");
  kgi_c_loop loop = begin_loop(e, i, false);
  bool one = is_literal(e, inst->arg[2], 1), plain = one && is_literal(e, inst->arg[0], 0);
  if (e->segment && plain && kgi_type_bits(inst->type) == 32 && !has_jumps(e, inst->arg[3])) kgi_c_begin_tiles(e, i);
  kgi_c_line(e, "for (%s k%u = 0; k%u < n%u; k%u++) {", t, i, i, i, i);
  open(e);
  e->loop = &loop;
  const char *trip = is_reversed(inst) ? kgi_c_format(e, "(n%u - 1 - k%u)", i, i) : kgi_c_format(e, "k%u", i);
  kgi_c_define(e, i, plain ? trip : kgi_c_format(e, one ? "%s + %s" : "%s + %s * %s", from, trip, step));
  begin_trip(e, &loop);
  kgi_c_block(e, inst->arg[3]);
  end_loop(e, &loop, outer, returns);
}

/* An id, from which counting up does not wrap for any invocation that there is: a global one as what it is, an unsigned number. */
static bool is_plain_id(const kgi_c_emit *e, uint32_t i, unsigned type) {
  const kgi_inst *inst = at(e, i);
  if (inst->kind == KGI_op && (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast)) return is_plain_id(e, inst->arg[0], type);
  if (inst->kind != KGI_id) return false;
  if (inst->op == KGI_ID_global_id) return type == KG_U32;
  return inst->op == KGI_ID_local_id || inst->op == KGI_ID_local_index || inst->op == KGI_ID_subgroup_lane;
}

static void begin_staggered(kgi_c_emit *e, uint32_t i) {
  kgi_c_line(e, "const uint32_t c%u = (uint32_t)k%u;", i, i);
  kgi_c_define(e, i, kgi_c_format(e, "kg_count(c%u)", i));
}

/* From one lane to the next one more, and from trip to trip the same for all: lanes run the same trips, but for the last. */
static bool staggered_for(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  const char *sure, *base = kgi_c_base(e, inst->arg[0], &sure);
  bool fits = base && !sure && is_plain_id(e, inst->arg[0], inst->type) && kgi_c_is_scalar(e, inst->arg[1]) && kgi_c_is_scalar(e, inst->arg[2]);
  if (!fits || is_reversed(inst) || kgi_type_bits(inst->type) != 32) return false;
  const char *cast = kgi_type_kind_of(inst->type) == KGI_SINT ? "(int32_t)" : "";
  uint32_t outer = e->mask, returns = e->returns;
  kgi_c_line(e, "const int64_t t%u = %s%s;", i, cast, kgi_c_value(e, inst->arg[1], false));
  kgi_c_line(e, "const int64_t d%u = %s%s;", i, cast, kgi_c_value(e, inst->arg[2], false));
  kgi_c_loop loop = begin_loop(e, i, false);
  kgi_c_line(e, "int64_t k%u = d%u > 0 ? (int64_t)%s : t%u;", i, i, base, i);
  e->base[i] = kgi_c_format(e, "c%u", i);
  e->loop = &loop;
  if (is_copied(e, i, inst->arg[3])) {
    kgi_c_line(e, "for (; f%u && k%u + KG_LANES <= t%u; k%u += d%u) {", outer, i, i, i, i);
    open(e);
    begin_staggered(e, i);
    loop.mask = e->masks + 1;
    full_copy(e, inst->arg[3]);
    close(e);
  }
  kgi_c_line(e, "for (; k%u < t%u; k%u += d%u) {", i, i, i, i);
  open(e);
  begin_staggered(e, i);
  const char *mask = kgi_c_format(e, "%s%u & kg_first_lanes(t%u - k%u)", loop.exits ? "a" : "m", loop.exits ? i : outer, i, i);
  const char *others = kgi_c_format(e, loop.exits ? "kg_all(a%u)" : "f%u", loop.exits ? i : outer);
  begin_mask_full(e, mask, kgi_c_format(e, "k%u + KG_LANES <= t%u && %s", i, i, others));
  if (loop.exits) kgi_c_line(e, "if (!kg_any(m%u)) break;", e->mask);
  if (loop.exits) kgi_c_line(e, "kg_mask x%u = m%u;", i, e->mask);
  loop.mask = e->mask;
  kgi_c_block(e, inst->arg[3]);
  end_loop(e, &loop, outer, returns);
  return true;
}

/* Each lane has trips of its own: all run while one has any. */
static void uneven_for(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint32_t outer = e->mask, returns = e->returns;
  const char *carrier = kgi_c_carrier(inst->type), *t = counter_type(inst), *from = kgi_c_value(e, inst->arg[0], true);
  const char *to = kgi_c_value(e, inst->arg[1], true), *step = kgi_c_value(e, inst->arg[2], true);
  if (is_literal(e, inst->arg[2], 1)) kgi_c_line(e, "const kg_%sv n%u = kg_span_%s(%s, %s);", carrier, i, kind(inst), from, to);
  else kgi_c_line(e, "const kg_%sv n%u = kg_each_trips_%s(%s, %s, %s);", carrier, i, kind(inst), from, to, step);
  kgi_c_loop loop = begin_loop(e, i, false);
  kgi_c_line(e, "for (%s k%u = 0;; k%u++) {", t, i, i);
  open(e);
  e->loop = &loop;
  begin_mask_counted(e, kgi_c_format(e, "%s%u & kg_more_%s(k%u, n%u)", loop.exits ? "a" : "m", loop.exits ? i : outer, carrier, i, i));
  kgi_c_line(e, "if (!kg_any(m%u)) break;", e->mask);
  if (loop.exits) kgi_c_line(e, "kg_mask x%u = m%u;", i, e->mask);
  loop.mask = e->mask;
  const char *sure, *base = is_reversed(inst) ? NULL : kgi_c_base(e, inst->arg[0], &sure);
  if (base && !sure && kgi_c_is_scalar(e, inst->arg[2]) && kgi_type_bits(inst->type) == 32) {
    kgi_c_line(e, "const uint32_t c%u = %s + k%u * %s;", i, base, i, kgi_c_value(e, inst->arg[2], false));
    e->base[i] = kgi_c_format(e, "c%u", i);
  }
  const char *trip = is_reversed(inst) ? kgi_c_format(e, "(n%u - 1 - k%u)", i, i) : kgi_c_format(e, "kg_splat_%s(k%u)", carrier, i);
  kgi_c_define(e, i, kgi_c_format(e, "%s + %s * %s", from, trip, step));
  kgi_c_block(e, inst->arg[3]);
  end_loop(e, &loop, outer, returns);
}

/* The same between segments. */
static void uneven_for_rows(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint32_t returns = e->returns;
  const char *carrier = kgi_c_carrier(inst->type), *t = counter_type(inst);
  kgi_c_line(e, "kg_%sv n%u[(%u + KG_LANES - 1) / KG_LANES];", carrier, i, e->invocations);
  e->segment = UINT32_MAX; /* operands are those of a chunk */
  const char *from = kgi_c_value(e, inst->arg[0], true), *to = kgi_c_value(e, inst->arg[1], true), *step = kgi_c_value(e, inst->arg[2], true);
  e->segment = 0;
  each_chunk(e);
  kgi_c_ids(e, e->plan.ids[0]);
  kgi_c_line(e, "n%u[kg_c] = kg_each_trips_%s(%s, %s, %s);", i, kind(inst), from, to, step);
  close(e);
  kgi_c_loop loop = begin_loop(e, i, false);
  kgi_c_line(e, "for (%s k%u = 0;; k%u++) {", t, i, i);
  open(e);
  each_chunk(e);
  kgi_c_ids(e, e->plan.ids[0]);
  kgi_c_line(e, "a%u[kg_c] &= kg_more_%s(k%u, n%u[kg_c]);", i, carrier, i, i);
  const char *trip = is_reversed(inst) ? kgi_c_format(e, "(n%u[kg_c] - 1 - k%u)", i, i) : kgi_c_format(e, "kg_splat_%s(k%u)", carrier, i);
  kgi_c_line(e, "r%u[kg_c] = %s + %s * %s;", i, from, trip, step);
  close(e);
  e->loop = &loop;
  begin_trip(e, &loop);
  kgi_c_block(e, inst->arg[3]);
  end_loop(e, &loop, 0, returns);
}

/* Trips that all invocations make, then those that some do. */
static void abreast_for(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  const char *cast = kgi_type_kind_of(inst->type) == KGI_SINT ? "(int32_t)" : "";
  kgi_c_loop loop = {.outer = e->loop, .inst = i, .jumps = e->exits, .abreast = true};
  kgi_c_line(e, "const int64_t t%u = %s%s;", i, cast, kgi_c_value(e, inst->arg[1], false));
  kgi_c_line(e, "const int64_t d%u = %s%s;", i, cast, kgi_c_value(e, inst->arg[2], false));
  kgi_c_line(e, "int64_t j%u = d%u > 0 ? 0 : t%u;", i, i, i);
  e->name[i] = kgi_c_format(e, "v%u", i), e->base[i] = kgi_c_format(e, "c%u", i);
  e->loop = &loop;
  for (unsigned some = !is_copied(e, i, inst->arg[3]); some < 2; some++) {
    loop.full = !some;
    if (some) kgi_c_line(e, "for (; j%u < t%u; j%u += d%u) {", i, i, i, i);
    else kgi_c_line(e, "for (; j%u + %u <= t%u; j%u += d%u) {", i, e->invocations, i, i, i);
    open(e);
    e->copies += !some;
    kgi_c_block(e, inst->arg[3]);
    e->copies -= !some;
    if (!some) forget(e, inst->arg[3]);
    close(e);
  }
  e->loop = loop.outer;
}

static void emit_for(kgi_c_emit *e, uint32_t i) {
  e->base[i] = e->same[i] = e->sure[i] = e->flat[i] = NULL; /* what another copy of its block found out holds there */
  if (e->plan.abreast[i]) abreast_for(e, i);
  else if (kgi_c_is_scalar(e, i)) even_for(e, i);
  else if (!e->segment) uneven_for_rows(e, i);
  else if (!staggered_for(e, i)) uneven_for(e, i);
}

static void fail(kgi_c_emit *e, uint32_t i, const char *mask, const char *fault) {
  kgi_c_line(e, "kg_fail(args->status, %s, %uu, %uu, %s);", mask, i + 1, e->program, fault);
}

/* Whoever is in the loop and would go on. */
static void fail_loop(kgi_c_emit *e, uint32_t i, const kgi_c_loop *loop, const char *fault) {
  const char *who = e->segment ? NULL : there(e);
  if (e->segment) {
    fail(e, i, loop->exits ? kgi_c_format(e, "a%u", loop->inst) : kgi_c_format(e, "m%u", e->mask), fault);
    return;
  }
  each_chunk(e);
  fail(e, i, kgi_c_format(e, "kg_lanes_below(%uu, kg_c)%s%s", e->invocations, who ? " & " : "", who ? who : ""), fault);
  close(e);
}

static void check_trips(kgi_c_emit *e, uint32_t i, const kgi_c_loop *loop) {
  const kgi_inst *inst = at(e, i);
  if (inst->arg[3]) {
    kgi_c_line(e, "if (k%u++ >= l%u) {", i, i);
    open(e);
    fail_loop(e, i, loop, "2u");
    kgi_c_line(e, "break;");
    close(e);
  }
  kgi_c_line(e, "if (kg_spent++ >= kg_budget) {");
  open(e);
  fail_loop(e, i, loop, "3u");
  kgi_c_line(e, "break;");
  close(e);
}

/* The condition of a loop between segments whose lanes may differ. */
static void ask_rows(kgi_c_emit *e, const kgi_inst *inst, const kgi_c_loop *loop) {
  e->segment = UINT32_MAX;
  const char *condition = kgi_c_value(e, inst->arg[0], true);
  e->segment = 0;
  each_chunk(e);
  kgi_c_line(e, "a%u[kg_c] &= x%u[kg_c] & %s;", loop->inst, loop->inst, condition);
  close(e);
  begin_trip_of_rows(e, loop);
}

static void ask(kgi_c_emit *e, const kgi_inst *inst, const kgi_c_loop *loop, bool scalar) {
  const char *some = anybody(e);
  const char *condition = kgi_c_value(e, inst->arg[0], !scalar);
  if (scalar && some) kgi_c_line(e, "if (!%s) break;", some);
  if (scalar) kgi_c_line(e, "if (!(%s)) break;", condition);
  else kgi_c_line(e, "a%u &= %s;", loop->inst, condition);
  if (!loop->exits || loop->rows) return;
  kgi_c_line(e, "if (!kg_any(a%u)) break;", loop->inst);
  kgi_c_line(e, "x%u &= a%u;", loop->inst, loop->inst);
}

static void emit_while(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  uint32_t outer = e->mask, returns = e->returns;
  bool scalar = kgi_c_is_scalar(e, inst->arg[0]) || !e->segment;
  kgi_c_loop loop = begin_loop(e, i, !scalar);
  if (inst->arg[3]) kgi_c_line(e, "const int64_t l%u = %s;", i, kgi_c_dim(e, (kgi_dim){inst->arg[3]}));
  if (inst->arg[3]) kgi_c_line(e, "int64_t k%u = 0;", i);
  /* what nobody runs might never end */
  if (scalar && e->segment && !loop.exits) kgi_c_line(e, "for (const bool some = kg_any(m%u); some;) {", e->mask);
  else kgi_c_line(e, "for (;;) {");
  open(e);
  e->loop = &loop;
  begin_trip(e, &loop);
  kgi_c_block(e, inst->arg[1]);
  if (loop.rows) ask_rows(e, inst, &loop);
  else ask(e, inst, &loop, scalar);
  check_trips(e, i, &loop);
  if (!loop.rows && (!scalar || (loop.exits && e->mask != loop.mask))) begin_mask_counted(e, kgi_c_format(e, "x%u", i));
  loop.mask = e->mask;
  kgi_c_block(e, inst->arg[2]);
  end_loop(e, &loop, outer, returns);
}

/* ---- jumps ---- */

static void leave_loops(kgi_c_emit *e, kgi_c_loop *loop, bool all) {
  for (; loop; loop = all ? loop->outer : NULL) {
    const char *still = looping(e, loop), *now = in_trip(e, loop);
    if (loop->exits) kgi_c_line(e, "%s &= ~m%u, %s &= ~m%u;", still, e->mask, now, e->mask);
  }
}

/* Between segments, where some lanes may have left the trip before: the others jump. The loop around goes on for those. */
static bool leave_rows(kgi_c_emit *e, kgi_kind jump) {
  kgi_c_loop *rows = e->loop;
  while (jump == KGI_return && rows && !rows->rows) rows = rows->outer;
  if (e->segment || !rows || !rows->rows) return false;
  each_chunk(e);
  if (jump == KGI_return) kgi_c_line(e, "live[kg_c] &= ~x%u[kg_c];", rows->inst);
  for (kgi_c_loop *l = jump == KGI_return ? rows->outer : NULL; l; l = l->outer)
    if (l->rows) kgi_c_line(e, "a%u[kg_c] &= ~x%u[kg_c], x%u[kg_c] &= ~x%u[kg_c];", l->inst, rows->inst, l->inst, rows->inst);
  if (jump != KGI_continue) kgi_c_line(e, "a%u[kg_c] &= ~x%u[kg_c];", rows->inst, rows->inst);
  kgi_c_line(e, "x%u[kg_c] ^= x%u[kg_c];", rows->inst, rows->inst);
  close(e);
  kgi_c_line(e, e->loop == rows ? "continue;" : "break;");
  return true;
}

static void emit_return(kgi_c_emit *e) {
  if (!e->segment) {
    kgi_c_line(e, "goto next_group;");
    e->leaves_group = true;
    return;
  }
  kgi_c_line(e, "%s &= ~m%u;", live(e), e->mask);
  leave_loops(e, e->loop, true);
  if (e->mask == e->first_mask) {
    kgi_c_line(e, "goto next_%u;", e->labels);
    e->leaves_chunk = true;
    return;
  }
  e->exits++, e->returns++;
}

static void emit_jump(kgi_c_emit *e, const kgi_inst *inst) {
  if (leave_rows(e, (kgi_kind)inst->kind)) return;
  if (inst->kind == KGI_return) {
    emit_return(e);
    return;
  }
  if (!e->segment || (e->mask == e->loop->mask && !e->loop->rows)) {
    kgi_c_line(e, inst->kind == KGI_break ? "break;" : "continue;");
    return;
  }
  if (inst->kind == KGI_break) leave_loops(e, e->loop, false);
  else kgi_c_line(e, "%s &= ~m%u;", in_trip(e, e->loop), e->mask);
  e->exits++;
}

/* ---- the rest ---- */

static void emit_assert(kgi_c_emit *e, uint32_t i) {
  const char *condition = kgi_c_value(e, at(e, i)->arg[0], true);
  fail(e, i, kgi_c_format(e, "m%u & ~%s", e->mask, condition), "1u");
}

static void scope(kgi_c_emit *e, kgi_blk blk) {
  uint32_t exits = e->exits, outer = e->mask;
  kgi_c_line(e, "{");
  open(e);
  kgi_c_block(e, blk);
  e->mask = outer;
  close(e);
  look_again(e, exits);
}

static void statement(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = at(e, i);
  bool unused = !e->plan.uses[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_op: if (!unused) kgi_c_operation(e, i); break;
  case KGI_load: if (!unused) kgi_c_load(e, i); break;
  case KGI_store: kgi_c_store(e, i); break;
  case KGI_atomic: kgi_c_atomic(e, i); break;
  case KGI_subgroup: if (!unused) kgi_c_subgroup(e, i); break;
  case KGI_memory_barrier: kgi_c_line(e, "__atomic_thread_fence(__ATOMIC_ACQ_REL);"); break;
  case KGI_check: emit_assert(e, i); break;
  case KGI_var: kgi_c_declare(e, inst->arg[0]); break;
  case KGI_if: emit_if(e, i); break;
  case KGI_for: emit_for(e, i); break;
  case KGI_while: emit_while(e, i); break;
  case KGI_region: kgi_c_block(e, inst->arg[0]); break; /* its names are visible behind it */
  case KGI_checkpoint: scope(e, inst->arg[0]); break;
  case KGI_break: case KGI_continue: case KGI_return: emit_jump(e, inst); break;
  case KGI_barrier: case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_KIND_COUNT: break;
  }
}

static void statement_once(kgi_c_emit *e, uint32_t i) {
  if (!e->written[i]) statement(e, i);
  e->written[i] = true;
}

/* Scalars that stand in the middle of a segment come ahead of it. */
static void enter(kgi_c_emit *e, uint32_t i) {
  uint32_t segment = e->plan.segment[i];
  if (e->segment == segment || e->written[i]) return;
  if (!segment && e->plan.ahead[i] == e->segment) return;
  close_segment(e);
  if (!segment) return;
  for (uint32_t k = i; k; k = at(e, k)->next)
    if (e->plan.ahead[k] == segment) statement_once(e, k);
  open_segment(e, segment, i);
}

/* A jump, or a region that holds one for all who run it. */
static bool is_passed_by_none(const kgi_c_emit *e, uint32_t i) {
  bool none = kgi_ends(at(e, i));
  if (at(e, i)->kind != KGI_region) return none;
  KGI_EACH(e->p, at(e, i)->arg[0], inside) none |= is_passed_by_none(e, inside);
  return none;
}

/* What follows a jump is never reached. */
void kgi_c_block(kgi_c_emit *e, kgi_blk blk) {
  bool between = !e->segment;
  e->row.condition = NULL;
  KGI_EACH(e->p, blk, i) {
    if (e->status != KG_OK || e->arena->failed) return;
    if (between) enter(e, i);
    statement_once(e, i);
    if (is_passed_by_none(e, i)) break;
  }
  if (between) close_segment(e);
  e->row.condition = NULL;
}

void kgi_c_body(kgi_c_emit *e) {
  e->segment = 0, e->mask = 0, e->loop = NULL, e->exits = e->returns = e->arms = e->copies = 0;
  kgi_c_block(e, KGI_BODY);
}
