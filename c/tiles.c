/* Loads of loops: of those that go along rows, each lane along one of its own, lines are loaded and turned, for many trips at once; of
 * those that pick a row in each trip, the next chunk's part is asked for. */
#include "c/emit.h"

static const kgi_inst *at(const kgi_c_emit *e, uint32_t i) { return &e->p->inst[i]; }

static bool is_within(const kgi_c_emit *e, uint32_t i, kgi_blk block) {
  kgi_blk b = at(e, i)->block;
  while (b != block && b != KGI_BODY) b = at(e, e->p->block[b].owner)->block;
  return b == block;
}

enum { STEPS = 16 }; /* operations that are looked through */

/* Whether it is the same in each trip: made outside of the loop, or of what is. */
static bool is_fixed(const kgi_c_emit *e, uint32_t i, kgi_blk body, uint32_t *steps) {
  const kgi_inst *inst = at(e, i);
  if (kgi_is_leaf(inst->kind) || !is_within(e, i, body)) return true;
  if (inst->kind != KGI_op || !*steps) return false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++) {
    --*steps;
    if (!*steps || !is_fixed(e, inst->arg[span.first + k], body, steps)) return false;
  }
  return true;
}

static bool is_tiled(const kgi_c_emit *e, uint32_t loop, uint32_t i) {
  const kgi_inst *load = at(e, i), *place = load->kind == KGI_load && load->arg[1] ? at(e, load->arg[1]) : NULL;
  const kgi_object *o = &e->p->scope.object[load->kind == KGI_load ? load->arg[0] : 0];
  uint32_t steps = STEPS;
  if (!place || place->kind != KGI_op || place->op != KGI_OP_flat_index || place->arg[0] != loop) return false;
  if (o->space != KGI_BUFFER || o->view || e->plan.written[load->arg[0]] || kgi_c_is_scalar(e, load->arg[1])) return false;
  if (o->type != KG_F32 && o->type != KG_U32 && o->type != KG_I32) return false;
  kgi_blk body = at(e, loop)->arg[3];
  return kgi_c_is_scalar(e, place->arg[2]) && is_fixed(e, place->arg[1], body, &steps) && is_fixed(e, place->arg[2], body, &steps);
}

static const char *name_of(const kgi_c_emit *e, uint32_t i) { return kgi_c_carrier(e->p->scope.object[at(e, i)->arg[0]].type); }

/* Room for the tiles of a loop that all lanes make alike, from 0 by 1, and that nobody leaves. */
void kgi_c_begin_tiles(kgi_c_emit *e, uint32_t loop) {
  KGI_EACH(e->p, at(e, loop)->arg[3], i) {
    e->tiled[i] = is_tiled(e, loop, i) ? loop : 0;
    if (!e->tiled[i]) continue;
    const char *name = name_of(e, i), *lanes = kgi_c_type(at(e, i)->type, true);
    uint32_t bit = UINT32_C(1) << kgi_c_carrier_index(at(e, i)->type);
    if (!(e->tiles & bit)) kgi_c_put(&e->made, "KG_TILE(%s, %s)\n", name, lanes);
    e->tiles |= bit;
    kgi_c_line(e, "%s y%u[KG_LANES];", lanes, i);
    kgi_c_line(e, "const %s *z%u = 0;", lanes, i);
  }
}

const char *kgi_c_tile(kgi_c_emit *e, uint32_t i, const char *gather) {
  const kgi_inst *load = at(e, i), *place = at(e, load->arg[1]);
  uint32_t loop = e->tiled[i], object = load->arg[0];
  const char *trip = kgi_c_value(e, loop, false), *extent = kgi_c_value(e, place->arg[2], false);
  const char *row = kgi_c_value(e, place->arg[1], true), *column = kgi_c_format(e, "%s / KG_LANES * KG_LANES", trip);
  const char *first = at(e, loop)->flags & KGI_REVERSED ? "KG_LANES - 1" : "0";
  kgi_c_line(e, "if (k%u == 0 || %s %% KG_LANES == %s)", loop, trip, first);
  kgi_c_line(e, "  z%u = n%u < KG_LANES ? 0 : kg_tile_%s(y%u, kg_b%u, kg_n%u, %s, n%u, %s, %s, f%u);", i, loop, name_of(e, i), i, object,
             object, column, loop, row, extent, e->mask);
  return kgi_c_format(e, "(z%u ? z%u[%s %% KG_LANES] : %s)", i, i, trip, gather);
}

/* Whether a load of the loop's body is among what it is made of. */
static bool is_loaded(const kgi_c_emit *e, uint32_t i, kgi_blk body, uint32_t *steps) {
  const kgi_inst *inst = at(e, i);
  if (kgi_is_leaf(inst->kind) || !is_within(e, i, body) || !*steps) return false;
  if (inst->kind != KGI_op) return inst->kind == KGI_load;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count && *steps; k++) {
    --*steps;
    if (is_loaded(e, inst->arg[span.first + k], body, steps)) return true;
  }
  return false;
}

/* A chunk takes a line of each row that its loop picks, and the next chunk the lines behind them: from far away where rows are
 * picked, for no processor knows that they come next. */
void kgi_c_ask_ahead(kgi_c_emit *e, const kgi_inst *access, const char *where, const char *first) {
  const kgi_inst *place = at(e, access->arg[1]), *loop = e->loop ? at(e, e->loop->inst) : NULL;
  uint32_t steps = STEPS;
  if (e->p->scope.object[access->arg[0]].space != KGI_BUFFER || !loop || loop->kind != KGI_for) return;
  if (place->kind != KGI_op || place->op != KGI_OP_flat_index) return;
  if (!is_loaded(e, place->arg[1], loop->arg[3], &steps)) return;
  kgi_c_line(e, "kg_ask(%s, ((uint64_t)%s + KG_LANES) * sizeof *%s);", where, first, where);
}
