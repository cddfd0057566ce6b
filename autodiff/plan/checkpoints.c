/* Checkpoints: what a region changes becomes its own.
 *
 *   region checkpoint { A }     becomes     region checkpoint {
 *                                             var w = v               of each var from outside that A loads, and that is stored to
 *                                             A, with w in place of v
 *                                             v = w                   of each that A stores to
 *                                           }
 *
 * The program computes what it did, bit for bit. What the region declares concerns nobody outside: it is filled again when the
 * reverse comes to it, and kept meanwhile (needs.c). So of the vars' states the one on entry is all that the forward sweep keeps, by
 * the usual rules. An array is copied where that takes fewer words than what the region loads of it; else, as with buffers and shared memory,
 * what its loads gave is kept where it is overwritten. Nothing is copied where a jump leaves the region without passing its end. */
#include "autodiff/plan/states.h"
#include "autodiff/plan/ad.h"
#include "foundation/ir/dim.h"

enum { USUAL_TRIPS = 64 }; /* of a loop whose bounds are neither literals nor constants */

/* What a region does with a var from outside. */
typedef struct use {
  uint64_t loads; /* about how many */
  bool stores;
  bool begins;    /* with a store to all of it */
} use;

typedef struct closer {
  kgi_builder b;
  kgi_ad_facts *f;
  kgi_arena *arena;
  use *use;                       /* by object */
  uint32_t *object, count;        /* those that the region uses */
  bool *given;                    /* by object: it holds something where it is declared */
} closer;

/* ---- what it uses ---- */

/* A literal, or a constant's default. */
static bool is_known(const kgi_program *p, uint32_t value, int64_t *out) {
  const kgi_inst *inst = &p->inst[value];
  if (inst->kind != KGI_literal && inst->kind != KGI_spec) return false;
  uint64_t bits = inst->kind == KGI_literal ? kgi_literal_bits(inst) : p->scope.spec[inst->arg[0]].bits;
  *out = kgi_bits_to_int((kg_type)inst->type, bits);
  return true;
}

static uint64_t trips_of(const kgi_program *p, uint32_t loop) {
  const kgi_inst *inst = &p->inst[loop];
  int64_t bound[3];
  for (unsigned k = 0; k < 3; k++)
    if (inst->kind != KGI_for || !is_known(p, inst->arg[k], &bound[k])) return USUAL_TRIPS;
  return bound[2] < 1 ? USUAL_TRIPS : kgi_trips(bound[0], bound[1], bound[2]);
}

/* How often the region runs it. */
static uint64_t times_of(const kgi_ad_facts *f, kgi_blk region, uint32_t i) {
  uint64_t times = 1;
  for (uint32_t loop = f->block[f->p->inst[i].block].loop; loop != f->block[region].loop; loop = kgi_loop_around(f, loop))
    if (__builtin_mul_overflow(times, trips_of(f->p, loop), &times) || times > UINT32_MAX) return UINT32_MAX;
  return times;
}

static void note(closer *c, kgi_blk region, uint32_t i) {
  const kgi_inst *inst = &c->f->p->inst[i];
  uint32_t decl = kgi_touches(inst) ? c->f->object[inst->arg[0]].decl : 0;
  if (!decl || kgi_is_within(c->f, region, decl)) return;
  use *u = &c->use[inst->arg[0]];
  if (!u->loads && !u->stores) {
    c->object[c->count++] = inst->arg[0];
    u->begins = inst->kind == KGI_store && c->f->p->scope.object[inst->arg[0]].scalar && inst->block == region;
  }
  if (inst->kind == KGI_load) u->loads += times_of(c->f, region, i);
  else u->stores = true;
}

/* A jump that leads out of it. */
static bool is_left(const kgi_ad_facts *f, kgi_blk region) {
  KGI_EACH_INSIDE(f->p, region, i) {
    const kgi_inst *inst = &f->p->inst[i];
    if (kgi_ends(inst) && (inst->kind == KGI_return || f->block[inst->block].loop == f->block[region].loop)) return true;
  }
  return false;
}

/* It is stored to in the region, behind it, or in an earlier trip: then what it held on entry is gone when the reverse comes. */
static bool changes(const kgi_ad_facts *f, uint32_t region, uint32_t object) {
  const kgi_ad_object_fact *o = &f->object[object];
  uint32_t loop = kgi_outermost_loop(f, o->block, region);
  return o->last_write > f->pos[loop ? loop : region];
}

static bool is_copied(const closer *c, uint32_t region, uint32_t object) {
  bool small = c->f->p->scope.object[object].scalar || (uint64_t)kgi_ad_usual_length(c->f->p, object) <= c->use[object].loads;
  return c->use[object].loads && small && changes(c->f, region, object);
}

/* ---- the copies ---- */

static void note_copy(closer *c, uint32_t own, uint32_t access) {
  kgi_ad_facts *f = c->f;
  if (!kgi_arena_grow(c->arena, &f->copy, f->copy_count, &f->copy_cap, sizeof *f->copy)) return kgi_fail(&c->b, KG_NO_MEMORY);
  f->copy[f->copy_count++] = (kgi_ad_copy){.own = own, .access = access};
}

static void copy(closer *c, kgi_blk region, uint32_t object) {
  const kgi_object like = c->b.p->scope.object[object];
  const use u = c->use[object];
  c->b.at = kgi_at_start(region);
  kgi_obj own = kgi_var_add(&c->b, &like);
  kgi_cursor behind = c->b.at;
  if (c->b.status != KG_OK) return;
  kgi_ad_redirect(c->b.p, region, object, own.i);
  c->b.at = behind;
  uint32_t in = 0, out = 0;
  if (!u.begins) {
    if (!c->given[object]) kgi_ad_give_contents(&c->b, c->f, object);
    c->given[object] = true;
    in = kgi_ad_copy_state(&c->b, own, (kgi_obj){object});
  }
  c->b.at = kgi_at_end(c->b.p, region);
  if (u.stores) out = kgi_ad_copy_state(&c->b, (kgi_obj){object}, own);
  if (c->b.status == KG_OK) note_copy(c, own.i, in ? c->b.p->inst[in].arg[2] : out);
}

static void close_region(closer *c, uint32_t region) {
  kgi_blk block = c->f->p->inst[region].arg[0];
  if (is_left(c->f, block)) return;
  c->count = 0;
  c->b.pos = c->f->p->inst_pos[region];
  KGI_EACH_INSIDE(c->f->p, block, i) note(c, block, i);
  for (uint32_t k = 0; k < c->count && c->b.status == KG_OK; k++)
    if (is_copied(c, region, c->object[k])) copy(c, block, c->object[k]);
  for (uint32_t k = 0; k < c->count; k++) c->use[c->object[k]] = (use){0};
}

/* ---- all of them ---- */

/* So many checkpoints are around it, itself included. */
static unsigned depth_of(const kgi_ad_facts *f, uint32_t region) {
  unsigned depth = 0;
  for (; region; region = f->block[f->p->inst[region].block].checkpoint) depth++;
  return depth;
}

/* The outer first: then its copies are what an inner one finds outside. False: there is none of this depth. */
static bool close_all(kgi_ad_facts *f, kgi_arena *arena, unsigned depth, kg_status *status) {
  closer c = {.f = f, .arena = arena};
  bool any = false;
  uint32_t count = f->p->inst_count, objects = f->p->scope.object_count;
  kgi_builder_init(&c.b, f->work, NULL);
  c.b.p = f->p;
  c.b.simplify = true;
  c.use = kgi_arena_alloc(arena, objects, sizeof *c.use);
  c.object = kgi_arena_alloc(arena, objects, sizeof *c.object);
  c.given = kgi_arena_alloc(arena, objects, sizeof *c.given);
  for (uint32_t i = 1; i < count && !arena->failed && c.b.status == KG_OK; i++) {
    if (f->p->inst[i].kind != KGI_checkpoint || !f->pos[i] || depth_of(f, i) != depth) continue; /* 0: it is not there any more */
    close_region(&c, i);
    any = true;
  }
  *status = arena->failed ? KG_NO_MEMORY : kgi_builder_status(&c.b);
  return any && *status == KG_OK;
}

kg_status kgi_ad_close_checkpoints(kgi_ad_facts *f, kgi_arena *arena) {
  kg_status status;
  for (unsigned depth = 1; close_all(f, arena, depth, &status); depth++)
    if (!kgi_ad_collect_facts(f, arena)) return KG_NO_MEMORY;
  return status;
}
