/* Statements and blocks. */
#include "fuzz/gen.h"

#include <math.h>
#include <string.h>

void kgi_genter(kgi_gen *g, kgi_gstate *s) {
  s->mark = kgi_gscope(g);
  s->uniform = g->uniform, s->guarded = g->guarded, s->jumps = g->jumps;
  s->whole_jumps = g->whole_jumps;
  s->depth = g->depth, s->loops = g->loops, s->trips = g->trips;
  memcpy(s->loop_phase, g->loop_phase, sizeof s->loop_phase);
  for (unsigned i = 0; i < g->objects; i++) s->phase[i] = g->object[i].phase;
  g->depth++;
}

/* Where a block changed the phase of shared memory, another barrier makes it what it was: the block may have been a loop's, or may
 * not have been run. */
void kgi_gexit(kgi_gen *g, const kgi_gstate *s) {
  bool same = true;
  kgi_gleave(g, s->mark);
  for (unsigned i = 0; i < g->objects; i++) same &= g->object[i].phase == s->phase[i];
  if (!same) kgi_barrier_here(&g->b);
  for (unsigned i = 0; i < g->objects; i++) g->object[i].phase = s->phase[i];
  g->uniform = s->uniform, g->guarded = s->guarded, g->jumps = s->jumps, g->whole_jumps = s->whole_jumps;
  memcpy(g->loop_phase, s->loop_phase, sizeof s->loop_phase);
  g->depth = s->depth, g->loops = s->loops, g->trips = s->trips;
}

void kgi_genter_loop(kgi_gen *g, kgi_gstate *s, bool uniform, unsigned trips) {
  kgi_genter(g, s);
  g->uniform = g->whole_jumps = uniform, g->jumps = !uniform;
  g->loops++, g->trips *= trips;
  for (unsigned i = 0; i < g->objects; i++) g->loop_phase[i] = g->object[i].phase;
}

static uint8_t next_phase(kgi_gen *g, const kgi_gobject *o) {
  unsigned pick = kgi_choose(g, 4);
  if (o->phase == PHASE_OWN) return pick == 3 && o->atomics ? PHASE_ATOMIC : pick == 2 ? PHASE_OWN : PHASE_READ;
  if (o->phase == PHASE_READ) return pick == 3 && o->atomics ? PHASE_ATOMIC : pick == 2 ? PHASE_READ : PHASE_OWN;
  return pick == 3 ? PHASE_OWN : PHASE_READ;
}

void kgi_gbarrier(kgi_gen *g) {
  kgi_barrier_here(&g->b);
  for (unsigned i = 0; i < g->objects; i++)
    if (g->object[i].role == ROLE_TILE) g->object[i].phase = next_phase(g, &g->object[i]);
}

static unsigned few(kgi_gen *g) { return 1 + kgi_choose(g, 4); }

/* ---- branches ---- */

static void branch(kgi_gen *g, bool with_else) {
  bool uniform = g->uniform && kgi_choose(g, 2);
  kgi_gval c = kgi_gbool(g, uniform);
  kgi_gstate s;
  kgi_if_begin(&g->b, c.v);
  kgi_genter(g, &s);
  g->uniform = uniform, g->whole_jumps &= uniform;
  kgi_gblock(g, few(g));
  kgi_gexit(g, &s);
  if (with_else) {
    kgi_else(&g->b);
    kgi_genter(g, &s);
    g->uniform = uniform, g->whole_jumps &= uniform;
    kgi_gblock(g, few(g));
    kgi_gexit(g, &s);
  }
  kgi_end(&g->b);
}

static void leave_program(kgi_gen *g) {
  kgi_return_here(&g->b);
  g->left = true;
}

/* The invocation's number, and whether it is one. */
static kgi_val number(kgi_gen *g, kgi_val *inside) {
  kgi_builder *b = &g->b;
  kgi_val n = kgi_param_value(b, 1), x = kgi_id_value(b, KGI_ID_global_id, 0), i = x, fits = {0};
  if (g->width) {
    kgi_val row = kgi_id_value(b, KGI_ID_global_id, 1);
    fits = kgi_op2(b, KGI_OP_lt, x, kgi_u32(b, g->width));
    if (g->height) {
      fits = kgi_op2(b, KGI_OP_and, fits, kgi_op2(b, KGI_OP_lt, row, kgi_u32(b, g->height)));
      kgi_val height = kgi_u32(b, g->height), sheet = kgi_op2(b, KGI_OP_mul, kgi_id_value(b, KGI_ID_global_id, 2), height);
      row = kgi_op2(b, KGI_OP_add, sheet, row);
    }
    i = kgi_op2(b, KGI_OP_add, kgi_op2(b, KGI_OP_mul, row, kgi_u32(b, g->width)), x);
  }
  kgi_val below = kgi_op2(b, KGI_OP_lt, i, n);
  *inside = fits.i ? kgi_op2(b, KGI_OP_and, fits, below) : below;
  return i;
}

void kgi_gguard(kgi_gen *g, void (*body)(kgi_gen *g), bool early) {
  kgi_builder *b = &g->b;
  kgi_gstate s;
  kgi_val inside, i = number(g, &inside);
  if (early) {
    kgi_if_begin(b, kgi_op1(b, KGI_OP_not, inside));
    leave_program(g);
    kgi_end(b);
  } else {
    kgi_if_begin(b, inside);
  }
  kgi_genter(g, &s);
  g->uniform = g->whole_jumps = false, g->guarded = true;
  g->own = kgi_gpush(g, i, 0, g->n ? g->n - 1.0 : 0, false);
  body(g);
  kgi_gexit(g, &s);
  if (!early) kgi_end(b);
}

static void some(kgi_gen *g) { kgi_gblock(g, few(g)); }

/* ---- something in between, so that any statement may follow any other ---- */

static void assert_bounds(kgi_gen *g);
static bool control(kgi_gen *g);

static void aside(kgi_gen *g) {
  char name[24];
  kgi_gval x;
  switch (kgi_choose(g, 8)) {
  case 1: kgi_memory_barrier_here(&g->b); return;
  case 2: assert_bounds(g); return;
  case 3: kgi_var(&g->b, kgi_gname(g, "q", name), KG_F32, (kgi_dim){0}); /* never used */
    if (kgi_choose(g, 2)) control(g);
    else if (kgi_choose(g, 2)) aside(g);
    return;
  case 4: kgi_gload(g, &x); return;
  case 5: kgi_gatomic_own(g, false); return;
  case 6: if (kgi_has(g, KGI_FUZZ_SUBGROUP)) kgi_glet_subgroup(g); return;
  case 7: kgi_gscatter(g); return;
  default: kgi_gblock(g, 1); return;
  }
}

/* The bounds that the generator claims hold. Those of floats have room for rounding. */
static void assert_bounds(kgi_gen *g) {
  bool real = kgi_choose(g, 2) && g->real != KG_F16 && !kgi_has(g, KGI_FUZZ_EDGES);
  kgi_gval x = real ? kgi_greal(g) : kgi_gint(g, false);
  double least = x.lo, most = x.hi, wild_lo, wild_hi;
  if (real) {
    least -= 0.01 + 0.02 * fabs(least), most += 0.01 + 0.02 * fabs(most);
  } else {
    kgi_gwild(x.type, &wild_lo, &wild_hi);
    if (x.hi >= wild_hi) most = wild_hi - 1;
  }
  kgi_val below = kgi_op2(&g->b, KGI_OP_le, x.v, kgi_gliteral(g, x.type, most).v);
  kgi_val above = kgi_op2(&g->b, KGI_OP_ge, x.v, kgi_gliteral(g, x.type, least).v);
  kgi_val fine = kgi_op2(&g->b, KGI_OP_and, below, above);
  if (kgi_chance(g, 2)) aside(g);
  kgi_assert(&g->b, fine, "a value outside of its bounds");
}

/* ---- loops ---- */

static kgi_gval bound(kgi_gen *g, kg_type type, bool uniform, unsigned most) {
  unsigned kind = kgi_choose(g, 5);
  if (kind == 3 && type == KG_U32 && g->m <= most) return (kgi_gval){kgi_param_value(&g->b, 2), KG_U32, true, g->m, g->m};
  if (kind < 4) return kgi_gliteral(g, type, 1 + kgi_choose(g, most));
  kgi_gval x = kgi_gint(g, uniform), pair[2];
  x = kgi_gconvert(g, type, x);
  if (x.lo >= 0 && x.hi <= most) return x;
  pair[0] = x, pair[1] = kgi_gliteral(g, type, most + 1);
  return kgi_gop(g, x.lo < 0 ? KGI_OP_mod : KGI_OP_rem, pair, 2, 0, most);
}

/* What loops do to vars is read behind them, or it would not matter. */
static void read_a_var(kgi_gen *g) {
  for (unsigned i = g->objects; i-- > 0;) {
    const kgi_gobject *o = &g->object[i];
    if (o->role != ROLE_VAR || o->type != g->real || kgi_chance(g, 3)) continue;
    kgi_gpush(g, kgi_load(&g->b, o->o, (kgi_val){0}), o->lo, o->hi, false);
    return;
  }
}

static bool has_var(const kgi_gen *g) {
  for (unsigned i = 0; i < g->objects; i++)
    if (g->object[i].role == ROLE_VAR && g->object[i].type == g->real) return true;
  return false;
}

static kg_type index_type(kgi_gen *g) {
  static const kg_type types[] = {KG_U32, KG_U32, KG_U32, KG_U32, KG_I32, KG_I32, KG_I64, KG_U64};
  return types[kgi_choose(g, kgi_has(g, KGI_FUZZ_TYPES) ? 8 : 6)];
}

/* At least 1. */
static kgi_gval step_of(kgi_gen *g, kg_type type, bool uniform) {
  if (!kgi_chance(g, 6)) return kgi_gliteral(g, type, 1);
  if (kgi_choose(g, 2) == 0) return kgi_gliteral(g, type, 2);
  kgi_gval pair[2] = {bound(g, type, uniform, 4)};
  pair[1] = kgi_gliteral(g, type, 1);
  return kgi_gop(g, KGI_OP_max, pair, 2, 1, fmax(1, pair[0].hi));
}

/* Where the loop is left, or gone on with, shared memory is in the phase in which the loop began. */
static void settle_phases(kgi_gen *g) {
  bool same = true;
  for (unsigned i = 0; i < g->objects; i++) same &= g->object[i].role != ROLE_TILE || g->object[i].phase == g->loop_phase[i];
  if (!same) kgi_barrier_here(&g->b);
}

/* The body of a loop, or most of it, may be one checkpoint. */
static void body(kgi_gen *g, unsigned statements) {
  kgi_gstate s;
  bool whole = kgi_has(g, KGI_FUZZ_FLOW) && kgi_chance(g, 5) && g->depth < GEN_DEPTH;
  if (whole) kgi_checkpoint_begin(&g->b, ""), kgi_genter(g, &s);
  kgi_gblock(g, statements);
  if (whole) kgi_gexit(g, &s), kgi_end(&g->b);
}

/* At the end of a loop's body. */
static void jump_at_end(kgi_gen *g) {
  bool leave_it = kgi_chance(g, 4);
  if (!kgi_has(g, KGI_FUZZ_JUMPS) || !kgi_chance(g, 12)) return;
  settle_phases(g);
  for (unsigned i = 0; i < g->objects; i++) g->object[i].phase = g->loop_phase[i];
  if (g->returns && !g->uniform && kgi_choose(g, 2)) leave_program(g);
  else if (leave_it) kgi_break_here(&g->b);
  else kgi_continue_here(&g->b);
}

static void loop(kgi_gen *g) {
  if (!has_var(g) || kgi_chance(g, 4)) kgi_gvar(g);
  kg_type type = index_type(g);
  bool uniform = g->uniform && kgi_choose(g, 4) != 3;
  unsigned most = GEN_TRIPS / g->trips;
  if (most > 5) most = 5;
  kgi_gval to = bound(g, type, uniform, most), from = kgi_gliteral(g, type, 0), step = step_of(g, type, uniform);
  if (kgi_chance(g, 4)) from = bound(g, type, uniform, most);
  else if ((type == KG_I32 || type == KG_I64) && kgi_chance(g, 3)) from = kgi_gliteral(g, type, -1 - (double)kgi_choose(g, 3));
  double trips = to.hi - from.lo;
  if (trips > most) from = kgi_gliteral(g, type, 0), trips = to.hi;
  char name[24];
  kgi_gstate s;
  bool reversed = kgi_chance(g, 5);
  kgi_val index = kgi_for_begin(&g->b, kgi_gname(g, "j", name), from.v, to.v, step.v, reversed);
  kgi_genter_loop(g, &s, uniform, trips >= 1 ? (unsigned)trips : 1);
  kgi_gpush(g, index, from.lo, to.hi > from.lo ? to.hi - 1 : from.lo, uniform);
  body(g, 1 + few(g));
  jump_at_end(g);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  if (!kgi_chance(g, 8)) read_a_var(g);
}

/* A trip's condition may be anything besides, so long as the count goes in. */
static kgi_val while_condition(kgi_gen *g, kgi_obj count, kgi_gval most, bool uniform) {
  kgi_builder *b = &g->b;
  kgi_gmark mark = kgi_gscope(g);
  bool together = g->uniform;
  g->uniform = uniform;
  kgi_val c = kgi_op2(b, KGI_OP_lt, kgi_load(b, count, (kgi_val){0}), most.v);
  if (kgi_chance(g, 6)) kgi_gatomic_own(g, true);
  if (kgi_has(g, KGI_FUZZ_SUBGROUP) && kgi_chance(g, 6)) kgi_glet_subgroup(g);
  if (kgi_chance(g, 3)) c = kgi_op2(b, KGI_OP_and, c, kgi_gbool(g, uniform).v);
  g->uniform = together;
  kgi_gleave(g, mark);
  return c;
}

/* The count goes up first, so that no jump leaves it out. */
static void while_loop(kgi_gen *g) {
  kgi_builder *b = &g->b;
  char name[24];
  bool uniform = g->uniform && kgi_choose(g, 2);
  kgi_gval most = bound(g, KG_U32, uniform, 4);
  kgi_obj count = kgi_var(b, kgi_gname(g, "w", name), KG_U32, (kgi_dim){0});
  kgi_dim limits[3] = {{0}, kgi_len_int(b, 64)}, four = kgi_len_int(b, 4);
  limits[2] = kgi_len_op(b, KGI_DIM_ADD, kgi_len_param(b, 2), four);
  kgi_gstate s;
  kgi_store(b, count, (kgi_val){0}, kgi_u32(b, 0));
  if (kgi_chance(g, 3)) aside(g);
  kgi_while_begin(b);
  kgi_val c = while_condition(g, count, most, uniform);
  kgi_while_body(b, c, limits[kgi_choose(g, 3)]);
  kgi_genter_loop(g, &s, uniform, 4);
  kgi_val now = kgi_load(b, count, (kgi_val){0});
  kgi_gpush(g, now, 0, 3, uniform);
  kgi_store(b, count, (kgi_val){0}, kgi_op2(b, KGI_OP_add, now, kgi_u32(b, 1)));
  body(g, few(g));
  jump_at_end(g);
  kgi_gexit(g, &s);
  kgi_end(b);
}

/* What would come behind a jump needs no phase. */
static void forget_phases(kgi_gen *g, const kgi_gstate *s) {
  for (unsigned i = 0; i < g->objects; i++) g->object[i].phase = s->phase[i];
}

/* Whether it is one. */
static bool jump_here(kgi_gen *g, unsigned kind, bool together) {
  char name[24];
  kgi_gstate s;
  bool in_region = kgi_chance(g, 4), in_checkpoint = in_region && kgi_chance(g, 3);
  bool is_return = kind == 2 && g->returns, is_jump = is_return || g->jumps || together;
  if (in_checkpoint) kgi_checkpoint_begin(&g->b, ""), kgi_genter(g, &s);
  else if (in_region) kgi_region_begin(&g->b, kgi_gname(g, "r", name));
  if (kgi_choose(g, 2)) kgi_glet_real(g), kgi_gstore_var(g);
  if (kgi_chance(g, 4)) kgi_gstore_own(g);
  if (kgi_chance(g, 3)) aside(g);
  if (together) settle_phases(g);
  if (is_return) leave_program(g);
  else if (!is_jump) kgi_gstore_var(g);
  else if (kind == 1) kgi_continue_here(&g->b);
  else kgi_break_here(&g->b);
  if (!in_region) return is_jump;
  if (in_checkpoint && is_jump) forget_phases(g, &s);
  if (in_checkpoint) kgi_gexit(g, &s);
  kgi_end(&g->b);
  kgi_glet_real(g); /* nothing comes here, unless it was no jump */
  return is_jump;
}

static void jump(kgi_gen *g) {
  kgi_gstate s;
  unsigned kind = kgi_choose(g, 3);
  bool together = g->whole_jumps && g->uniform;
  kgi_if_begin(&g->b, kgi_gbool(g, together).v);
  kgi_genter(g, &s);
  g->uniform = together;
  if (kgi_chance(g, 5)) {
    kgi_gblock(g, 1);
    kgi_gexit(g, &s);
    kgi_else(&g->b);
    kgi_genter(g, &s);
    g->uniform = together;
  }
  if (jump_here(g, kind, together)) forget_phases(g, &s);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
}

static void region(kgi_gen *g) {
  char name[24];
  kgi_region_begin(&g->b, kgi_gname(g, "r", name));
  g->depth++;
  kgi_gblock(g, few(g));
  g->depth--;
  kgi_end(&g->b);
}

/* Around some statements, or one that belongs together: a loop, say, or a shape. */
static void checkpoint(kgi_gen *g) {
  kgi_gstate s;
  char name[24];
  kgi_checkpoint_begin(&g->b, kgi_chance(g, 2) ? kgi_gname(g, "r", name) : "");
  kgi_genter(g, &s);
  if (!kgi_chance(g, 3)) kgi_gblock(g, few(g));
  else if (!kgi_gshape(g) && g->trips < GEN_TRIPS) loop(g);
  kgi_gexit(g, &s);
  kgi_end(&g->b);
  if (kgi_chance(g, 2)) read_a_var(g);
}

/* ---- statements ---- */

static void effect(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 7);
  if (kind == 6 && kgi_gatomic_own(g, false)) return;
  if (kind == 5 && kgi_has(g, KGI_FUZZ_BITS)) kgi_glet_bits(g);
  else if (kind == 4 && kgi_has(g, KGI_FUZZ_SUBGROUP)) kgi_glet_subgroup(g);
  else if (kind == 3) kgi_memory_barrier_here(&g->b);
  else if (kind == 2) assert_bounds(g);
  else if (kind == 1 && kgi_has(g, KGI_FUZZ_TYPES)) kgi_glet_any(g);
  else kgi_glet_int(g);
}

static bool memory(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 8);
  if (kind < 3 && kgi_gstore_var(g)) return true;
  if (kind < 6 && kgi_gstore_own(g)) return true;
  if (kind < 7 && kgi_gscatter(g)) return true;
  return kgi_gtile(g);
}

static bool control(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 10);
  if (g->uniform && !g->guarded && (kind == 6 || kind == 7)) {
    if (kind == 6) kgi_gguard(g, some, false);
    else if (kgi_has(g, KGI_FUZZ_SHARED)) kgi_gbarrier(g);
    else return false;
    return true;
  }
  if (!kgi_has(g, KGI_FUZZ_FLOW) || g->depth >= GEN_DEPTH) return false;
  if (kind < 2) branch(g, kind == 1);
  else if (kind < 5 && g->trips < GEN_TRIPS) loop(g);
  else if (kind == 5 && kgi_chance(g, 3)) region(g);
  else if (kind == 5) checkpoint(g);
  else if (!kgi_has(g, KGI_FUZZ_JUMPS)) return false;
  else if ((kind == 6 || kind == 8) && g->trips * 4 < GEN_TRIPS) while_loop(g);
  else if (g->jumps || g->returns || (g->whole_jumps && g->uniform)) jump(g);
  else return false;
  return true;
}

static void statement(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 19);
  if (kind == 18 && kgi_gshape(g)) return;
  if (g->loops && kind >= 2 && kind < 6 && kgi_gstore_var(g)) return;
  if (kind >= 11 && kind < 15 && control(g)) return;
  if (kind >= 7 && kind < 11 && memory(g)) return;
  if (kind == 15 || kind == 16) effect(g);
  else if (kind == 17) kgi_glet_int(g);
  else if (kind == 6 && kgi_chance(g, 4)) aside(g);
  else if (kind == 6) kgi_gvar(g);
  else kgi_glet_real(g);
}

void kgi_gblock(kgi_gen *g, unsigned statements) {
  for (; statements > 0 && g->budget > 0; statements--, g->budget--) statement(g);
}
