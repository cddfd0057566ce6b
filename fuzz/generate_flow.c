/* Statements and blocks. */
#include "fuzz/gen.h"

#include <string.h>

/* What a block changes and its end restores. */
typedef struct state {
  kgi_gmark mark;
  bool uniform, guarded, jumps;
  unsigned depth, loops, trips;
  uint8_t phase[GEN_OBJECTS];
} state;

static void enter(kgi_gen *g, state *s) {
  s->mark = kgi_gscope(g);
  s->uniform = g->uniform, s->guarded = g->guarded, s->jumps = g->jumps;
  s->depth = g->depth, s->loops = g->loops, s->trips = g->trips;
  for (unsigned i = 0; i < g->objects; i++) s->phase[i] = g->object[i].phase;
  g->depth++;
}

/* Where a block changed the phase of shared memory, another barrier makes it what it was: the block may have been a loop's, or may
 * not have been run. */
static void leave(kgi_gen *g, const state *s) {
  bool same = true;
  kgi_gleave(g, s->mark);
  for (unsigned i = 0; i < g->objects; i++) same &= g->object[i].phase == s->phase[i];
  if (!same) kgi_barrier_here(&g->b);
  for (unsigned i = 0; i < g->objects; i++) g->object[i].phase = s->phase[i];
  g->uniform = s->uniform, g->guarded = s->guarded, g->jumps = s->jumps;
  g->depth = s->depth, g->loops = s->loops, g->trips = s->trips;
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
  state s;
  kgi_if_begin(&g->b, c.v);
  enter(g, &s);
  g->uniform = uniform;
  kgi_gblock(g, few(g));
  leave(g, &s);
  if (with_else) {
    kgi_else(&g->b);
    enter(g, &s);
    g->uniform = uniform;
    kgi_gblock(g, few(g));
    leave(g, &s);
  }
  kgi_end(&g->b);
}

void kgi_gguard(kgi_gen *g, void (*body)(kgi_gen *g)) {
  kgi_builder *b = &g->b;
  state s;
  kgi_val n = kgi_param_value(b, 1), i = kgi_id_value(b, KGI_ID_global_id, 0), inside;
  if (g->width) {
    kgi_val x = i, row = kgi_id_value(b, KGI_ID_global_id, 1);
    i = kgi_op2(b, KGI_OP_add, kgi_op2(b, KGI_OP_mul, row, kgi_u32(b, g->width)), x);
    inside = kgi_op2(b, KGI_OP_and, kgi_op2(b, KGI_OP_lt, x, kgi_u32(b, g->width)), kgi_op2(b, KGI_OP_lt, i, n));
  } else {
    inside = kgi_op2(b, KGI_OP_lt, i, n);
  }
  kgi_if_begin(b, inside);
  enter(g, &s);
  g->uniform = false, g->guarded = true;
  g->own = kgi_gpush(g, i, 0, g->n ? g->n - 1.0 : 0, false);
  body(g);
  leave(g, &s);
  kgi_end(b);
}

static void some(kgi_gen *g) { kgi_gblock(g, few(g)); }

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

static void loop(kgi_gen *g) {
  if (!has_var(g) || kgi_chance(g, 4)) kgi_gvar(g);
  kg_type type = kgi_chance(g, 4) ? KG_I32 : KG_U32;
  bool uniform = g->uniform && kgi_choose(g, 4) != 3;
  unsigned most = GEN_TRIPS / g->trips;
  if (most > 5) most = 5;
  kgi_gval to = bound(g, type, uniform, most), from = kgi_gliteral(g, type, 0), step = kgi_gliteral(g, type, 1);
  if (kgi_chance(g, 4)) from = bound(g, type, uniform, most);
  if (kgi_chance(g, 6)) step = kgi_gliteral(g, type, 2);
  char name[24];
  state s;
  kgi_val index = kgi_for_begin(&g->b, kgi_gname(g, "j", name), from.v, to.v, step.v, kgi_chance(g, 5));
  enter(g, &s);
  g->uniform = uniform, g->jumps = !uniform;
  g->loops++, g->trips *= to.hi >= 1 ? (unsigned)to.hi : 1;
  kgi_gpush(g, index, from.lo, to.hi > from.lo ? to.hi - 1 : from.lo, uniform);
  kgi_gblock(g, 1 + few(g));
  leave(g, &s);
  kgi_end(&g->b);
  read_a_var(g);
}

/* The count goes up first, so that no jump leaves it out. */
static void while_loop(kgi_gen *g) {
  kgi_builder *b = &g->b;
  char name[24];
  kgi_gval most = bound(g, KG_U32, false, 4);
  kgi_obj count = kgi_var(b, kgi_gname(g, "w", name), KG_U32, (kgi_dim){0});
  state s;
  kgi_store(b, count, (kgi_val){0}, kgi_u32(b, 0));
  kgi_while_begin(b);
  kgi_val c = kgi_op2(b, KGI_OP_lt, kgi_load(b, count, (kgi_val){0}), most.v);
  kgi_while_body(b, c, kgi_choose(g, 2) ? kgi_len_int(b, 64) : (kgi_dim){0});
  enter(g, &s);
  g->uniform = false, g->jumps = true;
  g->loops++, g->trips *= 4;
  kgi_val now = kgi_load(b, count, (kgi_val){0});
  kgi_gpush(g, now, 0, 3, false);
  kgi_store(b, count, (kgi_val){0}, kgi_op2(b, KGI_OP_add, now, kgi_u32(b, 1)));
  kgi_gblock(g, few(g));
  leave(g, &s);
  kgi_end(b);
}

static void jump(kgi_gen *g) {
  state s;
  unsigned kind = kgi_choose(g, 3);
  kgi_if_begin(&g->b, kgi_gbool(g, false).v);
  enter(g, &s);
  if (kgi_choose(g, 2)) kgi_glet_real(g), kgi_gstore_var(g);
  if (kind == 2 && g->returns) kgi_return_here(&g->b);
  else if (!g->jumps) kgi_glet_real(g);
  else if (kind == 1) kgi_continue_here(&g->b);
  else kgi_break_here(&g->b);
  leave(g, &s);
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

/* ---- statements ---- */

static void effect(kgi_gen *g) {
  kgi_gval x;
  unsigned kind = kgi_choose(g, 6);
  if (kind == 5 && kgi_has(g, KGI_FUZZ_BITS)) kgi_glet_bits(g);
  else if (kind == 4 && kgi_has(g, KGI_FUZZ_SUBGROUP)) kgi_glet_subgroup(g);
  else if (kind == 3) kgi_memory_barrier_here(&g->b);
  else if (kind == 2) {
    x = kgi_gint(g, false);
    kgi_assert(&g->b, kgi_op2(&g->b, KGI_OP_eq, x.v, x.v), "an integer that is not itself");
  } else kgi_glet_int(g);
}

static bool memory(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 8);
  if (kind < 3 && kgi_gstore_var(g)) return true;
  if (kind < 6 && kgi_gstore_own(g)) return true;
  if (kind < 7 && kgi_gscatter(g)) return true;
  return kgi_gtile(g);
}

static bool control(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 8);
  if (g->uniform && !g->guarded && kind >= 6) {
    if (kind == 6) kgi_gguard(g, some);
    else if (kgi_has(g, KGI_FUZZ_SHARED)) kgi_gbarrier(g);
    else return false;
    return true;
  }
  if (!kgi_has(g, KGI_FUZZ_FLOW) || g->depth >= GEN_DEPTH) return false;
  if (kind < 2) branch(g, kind == 1);
  else if (kind < 5 && g->trips < GEN_TRIPS) loop(g);
  else if (kind == 5) region(g);
  else if (!kgi_has(g, KGI_FUZZ_JUMPS)) return false;
  else if (kind == 6 && g->trips * 4 < GEN_TRIPS) while_loop(g);
  else if (g->jumps || g->returns) jump(g);
  else return false;
  return true;
}

static void statement(kgi_gen *g) {
  unsigned kind = kgi_choose(g, 16);
  if (g->loops && kind >= 2 && kind < 6 && kgi_gstore_var(g)) return;
  if (kind >= 11 && kind < 15 && control(g)) return;
  if (kind >= 7 && kind < 11 && memory(g)) return;
  if (kind == 15) effect(g);
  else if (kind == 6) kgi_gvar(g);
  else kgi_glet_real(g);
}

void kgi_gblock(kgi_gen *g, unsigned statements) {
  for (; statements > 0 && g->budget > 0; statements--, g->budget--) statement(g);
}
