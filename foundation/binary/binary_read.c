#include "foundation/binary/binary.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/place.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"

#include <string.h>

/* A part of the input that is being read. */
typedef struct section { const uint8_t *at, *end; } section;

typedef struct reader {
  kgi_builder b;
  kgi_diags *diags;
  const uint8_t *begin;
  section semantics, names; /* names.at NULL: there is none */
  bool failed;
  kgi_arena scratch;
  kgi_str *string; uint32_t strings, string_cap;   /* new names, from 1 */
  int64_t position;
  uint32_t *value, values, value_cap;              /* instructions, by number, from 1 */
  uint32_t vars;
  uint32_t open[KGI_MAX_DEPTH + 1], opened, repeats;
} reader;

/* ---- bytes ---- */

static bool stop(const reader *r) { return r->failed || r->b.status != KG_OK || r->b.m->arena.failed || r->scratch.failed; }

static uint64_t malformed(reader *r, const section *s, const char *what) {
  if (!stop(r)) KGI_DIAG(r->diags, binary_malformed, 0, KGI_NUM(s->at - r->begin), what);
  r->failed = true;
  return 0;
}

static unsigned take(reader *r, section *s) {
  if (stop(r)) return 0;
  if (s->at < s->end) return *s->at++;
  KGI_DIAG(r->diags, binary_cut, 0, KGI_NUM(s->at - r->begin));
  r->failed = true;
  return 0;
}

static uint64_t take_varint(reader *r, section *s) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    unsigned byte = take(r, s);
    if (shift == 63 && byte > 1) return malformed(r, s, "a number of more than 64 bits");
    value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte & 0x80) continue;
    return !byte && shift ? malformed(r, s, "a number that is longer than it need be") : value;
  }
}

static int64_t unzigzag(uint64_t n) { return (int64_t)(n >> 1) ^ -(int64_t)(n & 1); }

static uint64_t varint(reader *r) { return take_varint(r, &r->semantics); }

static uint32_t index32(reader *r) {
  uint64_t n = varint(r);
  return n <= UINT32_MAX ? (uint32_t)n : (uint32_t)malformed(r, &r->semantics, "an index of more than 32 bits");
}

static unsigned byte(reader *r) { return take(r, &r->semantics); }

static unsigned byte_below(reader *r, unsigned limit, const char *what) {
  unsigned n = byte(r);
  return n < limit ? n : (unsigned)malformed(r, &r->semantics, what);
}

static kg_type type(reader *r) { return (kg_type)byte_below(r, KGI_TYPE_COUNT, "no known type"); }

static bool flag(reader *r) { return byte_below(r, 2, "a flag that is neither 0 nor 1") != 0; }

/* A text of the section; {0} where it is malformed. */
static kgi_str text(reader *r, section *s) {
  uint64_t size = take_varint(r, s);
  if (stop(r)) return (kgi_str){0};
  if (size > (size_t)(s->end - s->at)) return malformed(r, s, "a text that is longer than what is left"), (kgi_str){0};
  const char *bytes = (const char *)s->at;
  s->at += size;
  return kgi_intern(r->b.m, bytes, (size_t)size);
}

/* ---- names ---- */

static kgi_str new_name(reader *r) {
  kgi_str name = text(r, &r->names);
  if (stop(r) || !kgi_arena_grow(&r->scratch, &r->string, r->strings, &r->string_cap, sizeof *r->string)) return (kgi_str){0};
  r->string[r->strings++] = name;
  return name;
}

static kgi_str name(reader *r, char letter, uint32_t number) {
  kgi_made_up made_up;
  uint64_t n = r->names.at ? take_varint(r, &r->names) : 0;
  if (stop(r)) return (kgi_str){0};
  if (n == 0) return kgi_intern_z(r->b.m, kgi_make_up(&made_up, letter, number));
  if (n == 1) return new_name(r);
  if (n - 1 < r->strings) return r->string[r->strings - (uint32_t)(n - 1)];
  malformed(r, &r->names, "a name that was not there before");
  return (kgi_str){0};
}

static kgi_pos position(reader *r) {
  if (!r->names.at) return 0;
  uint64_t step = (uint64_t)unzigzag(take_varint(r, &r->names));
  r->position = (int64_t)((uint64_t)r->position + step);
  if (r->position < 0 || r->position > UINT32_MAX) return (kgi_pos)malformed(r, &r->names, "a position outside of any file");
  return (kgi_pos)r->position;
}

/* ---- lengths ---- */

static kgi_dim dim_node(reader *r, unsigned *nodes, unsigned depth);

static kgi_dim dim_leaf(reader *r, kgi_dim_op op) {
  kgi_arena *arena = &r->b.m->arena;
  kgi_scope *scope = kgi_builder_scope(&r->b);
  uint64_t bits = 0;
  if (op == KGI_DIM_INT) return kgi_dim_int(arena, scope, unzigzag(varint(r)));
  if (op == KGI_DIM_FLOAT) {
    double number;
    for (unsigned k = 0; k < 8; k++) bits |= (uint64_t)byte(r) << (8 * k);
    memcpy(&number, &bits, sizeof number);
    return kgi_dim_float(arena, scope, number);
  }
  uint32_t index = index32(r);
  if (op != KGI_DIM_INDEX) return kgi_dim_leaf(arena, scope, op, index);
  if (index >= r->opened) return malformed(r, &r->semantics, "the index of a repeat that is not there"), (kgi_dim){0};
  return kgi_dim_leaf(arena, scope, op, r->open[r->opened - 1 - index]);
}

static kgi_dim dim_node(reader *r, unsigned *nodes, unsigned depth) {
  unsigned op = byte_below(r, KGI_DIM_MAX + 1, "no known operation of lengths");
  if (++*nodes > KGI_MAX_DIM_SIZE || depth > KGI_MAX_DIM_DEPTH) malformed(r, &r->semantics, "a length that is too large");
  if (stop(r) || op == KGI_DIM_NONE) return (kgi_dim){0};
  if (op < KGI_DIM_ADD) return dim_leaf(r, (kgi_dim_op)op);
  kgi_dim a = dim_node(r, nodes, depth + 1), b = dim_node(r, nodes, depth + 1);
  if (stop(r)) return (kgi_dim){0};
  if (!a.i || !b.i) return malformed(r, &r->semantics, "a length that lacks an operand"), (kgi_dim){0};
  return kgi_dim_binary(&r->b.m->arena, kgi_builder_scope(&r->b), (kgi_dim_op)op, a, b);
}

static kgi_dim dim(reader *r) {
  unsigned nodes = 0;
  return dim_node(r, &nodes, 0);
}

static void dims(reader *r, kgi_dim out[3]) {
  for (unsigned k = 0; k < 3; k++) out[k] = dim(r);
}

/* ---- declarations ---- */

static kg_type type_of_constant(reader *r, bool *numbered) {
  unsigned n = byte_below(r, KGI_BIN_NUMBERED + KGI_TYPE_COUNT, "no known type");
  *numbered = n >= KGI_BIN_NUMBERED;
  if (!*numbered && n >= KGI_TYPE_COUNT) malformed(r, &r->semantics, "no known type");
  return stop(r) ? KG_NONE : (kg_type)(*numbered ? n - KGI_BIN_NUMBERED : n);
}

static void specs(reader *r) {
  uint64_t count = varint(r);
  for (uint64_t i = 1; i <= count && !stop(r); i++) {
    kgi_spec k = {0};
    k.type = (uint8_t)type_of_constant(r, &k.numbered);
    k.bits = varint(r);
    if (k.numbered) k.id = index32(r);
    k.name = name(r, 'k', (uint32_t)i), k.pos = position(r);
    if (!stop(r)) kgi_spec_add(&r->b, &k);
  }
}

static void params(reader *r) {
  uint64_t count = varint(r);
  for (uint64_t i = 1; i <= count && !stop(r); i++) {
    kgi_param p = {.type = (uint8_t)type(r)};
    unsigned flags = byte_below(r, KGI_BIN_PUSHED + KGI_BIN_PARAM_VIEW, "no known flags of a param");
    p.has_default = flags & KGI_BIN_DEFAULT, p.ranged = flags & KGI_BIN_PARAM_RANGE;
    if (p.has_default) p.bits = varint(r);
    if (p.ranged) p.lo = dim(r), p.hi = dim(r);
    p.pushed = flags & KGI_BIN_PUSHED, p.placed = flags & (KGI_BIN_PUSHED | KGI_BIN_PARAM_VIEW);
    if (p.placed && !p.pushed) p.set = index32(r), p.binding = index32(r);
    if (p.placed) p.offset = index32(r);
    p.name = name(r, 'a', (uint32_t)i), p.pos = position(r);
    if (!stop(r)) kgi_param_add(&r->b, &p);
  }
}

static void extents(reader *r, kgi_object *o) {
  kgi_dim extent[KGI_MAX_RANK] = {{0}};
  unsigned rank = byte_below(r, KGI_MAX_RANK + 1, "no known number of dimensions");
  for (unsigned k = 0; k < rank; k++) extent[k] = dim(r);
  if (stop(r)) return;
  kgi_set_extents(&r->b, o, extent, rank);
}

/* One of the table: nothing is written without the flag. */
static unsigned draw(reader *r) {
  unsigned which = byte_below(r, KG_DRAW_COUNT, "no known draw");
  if (!which) malformed(r, &r->semantics, "a draw that is none");
  return which;
}

static kgi_object object_body(reader *r, kgi_space space) {
  kgi_object o = {.space = (uint8_t)space};
  o.type = (uint8_t)type(r);
  if (space == KGI_BUFFER) o.mode = (uint8_t)byte(r);
  unsigned flags = byte_below(r, 2 * KGI_BIN_DRAW, "no known flags of an object");
  o.scalar = flags & KGI_BIN_SCALAR, o.ranged = flags & KGI_BIN_RANGE, o.view = flags & KGI_BIN_VIEW;
  if (flags & KGI_BIN_LENGTH) o.length = dim(r);
  if (flags & KGI_BIN_EXTENTS) extents(r, &o);
  if (o.ranged) o.lo = dim(r), o.hi = dim(r);
  if (flags & KGI_BIN_DRAW) o.draw = (uint8_t)draw(r);
  if (o.view) o.set = index32(r), o.binding = index32(r), o.offset = index32(r), o.stride = index32(r);
  if (flags & KGI_BIN_ROWS) o.row = index32(r), o.every = index32(r);
  return o;
}

static void objects(reader *r, kgi_space space, char letter) {
  uint64_t count = varint(r);
  for (uint64_t i = 1; i <= count && !stop(r); i++) {
    kgi_object o = object_body(r, space);
    o.name = name(r, letter, (uint32_t)i), o.pos = position(r);
    if (!stop(r)) kgi_object_add(&r->b, &o);
  }
}

/* ---- values ---- */

static void number(reader *r, uint32_t inst) {
  if (kgi_arena_grow(&r->scratch, &r->value, r->values, &r->value_cap, sizeof *r->value)) r->value[r->values++] = inst;
}

static uint32_t object(reader *r) {
  uint32_t index = index32(r);
  if (stop(r)) return 0;
  return index && index < r->b.p->scope.object_count ? index
                                                     : (uint32_t)malformed(r, &r->semantics, "an object that is not declared");
}

static kgi_val leaf_param(reader *r, bool spec) {
  uint32_t index = index32(r);
  const kgi_scope *s = &r->b.p->scope;
  if (stop(r)) return (kgi_val){0};
  if (!index || index >= (spec ? s->spec_count : s->param_count))
    return malformed(r, &r->semantics, "a param or constant that is not declared"), (kgi_val){0};
  return spec ? kgi_spec_value(&r->b, index) : kgi_param_value(&r->b, index);
}

static kgi_val leaf(reader *r) {
  unsigned kind = byte(r);
  kgi_builder *b = &r->b;
  b->pos = 0;
  if (kind == KGI_literal) {
    kg_type t = type(r);
    uint64_t bits = varint(r);
    return stop(r) ? (kgi_val){0} : kgi_literal_of(b, t, bits);
  }
  if (kind == KGI_spec || kind == KGI_param) return leaf_param(r, kind == KGI_spec);
  if (kind == KGI_len || kind == KGI_BIN_LEN_OF_DIM) {
    uint32_t of = object(r);
    unsigned rank = stop(r) ? 0 : b->p->scope.object[of].rank, which = kind == KGI_len ? 0 : byte_below(r, rank, "no such dimension") + 1;
    return stop(r) ? (kgi_val){0} : kgi_len_leaf(b, (kgi_obj){of}, which);
  }
  if (kind != KGI_id) return malformed(r, &r->semantics, "no known leaf"), (kgi_val){0};
  unsigned id = byte_below(r, KGI_ID_COUNT, "no known id");
  unsigned component = byte_below(r, kgi_id_rows[id].components, "no such component");
  return stop(r) ? (kgi_val){0} : kgi_id_value(b, (kgi_id)id, component);
}

static kgi_val value(reader *r) {
  uint64_t n = varint(r);
  if (stop(r) || !n) return (kgi_val){0};
  if (n == 1) {
    kgi_pos pos = r->b.pos;
    kgi_val made = leaf(r);
    r->b.pos = pos;
    if (!stop(r)) number(r, made.i);
    return made;
  }
  if (n - 1 < r->values) return (kgi_val){r->value[r->values - (uint32_t)(n - 1)]};
  malformed(r, &r->semantics, "a value that is not computed before");
  return (kgi_val){0};
}

/* ---- instructions ---- */

static kgi_val operation(reader *r) {
  unsigned op = byte_below(r, KGI_OP_COUNT, "no known operation"), arity = kgi_op_rows[op].arity;
  kgi_val args[4] = {{0}};
  for (unsigned k = 0; k < arity; k++) args[k] = value(r);
  if (op != KGI_OP_convert && op != KGI_OP_bitcast) return stop(r) ? (kgi_val){0} : kgi_apply(&r->b, (kgi_op)op, args, arity);
  kg_type to = type(r);
  if (stop(r)) return (kgi_val){0};
  return op == KGI_OP_convert ? kgi_convert(&r->b, to, args[0]) : kgi_bitcast(&r->b, to, args[0]);
}

static kgi_val atomic(reader *r) {
  unsigned op = byte_below(r, KGI_ATOMIC_COUNT, "no known atomic");
  kgi_obj on = {object(r)};
  kgi_val index = value(r), args[2] = {{0}, {0}};
  for (unsigned k = 0; k < kgi_atomic_rows[op].operands; k++) args[k] = value(r);
  return stop(r) ? (kgi_val){0} : kgi_atomic_op(&r->b, (kgi_atomic)op, on, index, args[0], args[1]);
}

static kgi_val subgroup(reader *r) {
  unsigned op = byte_below(r, KGI_SUBGROUP_COUNT, "no known subgroup operation");
  kgi_val args[2] = {{0}, {0}};
  for (unsigned k = 0; k < kgi_subgroup_rows[op].operands; k++) args[k] = value(r);
  return stop(r) ? (kgi_val){0} : kgi_subgroup_op(&r->b, (kgi_subgroup)op, args[0], args[1]);
}

static kgi_val load(reader *r) {
  kgi_obj from = {object(r)};
  kgi_val index = value(r);
  return stop(r) ? (kgi_val){0} : kgi_load(&r->b, from, index);
}

static void store(reader *r) {
  kgi_obj to = {object(r)};
  kgi_val index = value(r), x = value(r);
  if (!stop(r)) kgi_store(&r->b, to, index, x);
}

static void check(reader *r) {
  kgi_val condition = value(r);
  kgi_str message = text(r, &r->semantics);
  if (!stop(r)) kgi_assert(&r->b, condition, kgi_string(r->b.m, message));
}

static void var(reader *r, kgi_str name, kgi_pos pos) {
  kgi_object o = object_body(r, KGI_VAR);
  o.name = name, o.pos = pos;
  kgi_obj made = stop(r) ? (kgi_obj){0} : kgi_object_add(&r->b, &o);
  if (made.i) kgi_append(&r->b, (kgi_inst){.kind = KGI_var, .arg = {made.i}});
}

static void block(reader *r);

static void branch(reader *r) {
  kgi_val condition = value(r);
  bool otherwise = flag(r);
  if (!stop(r)) kgi_if_begin(&r->b, condition);
  block(r);
  if (otherwise && !stop(r)) {
    kgi_else(&r->b);
    block(r);
  }
  if (!stop(r)) kgi_end(&r->b);
}

static void for_loop(reader *r, kgi_str index) {
  bool reversed = flag(r);
  kgi_val from = value(r), to = value(r), step = value(r);
  if (stop(r)) return;
  kgi_val made = kgi_for_begin(&r->b, kgi_string(r->b.m, index), from, to, step, reversed);
  if (!stop(r)) number(r, made.i);
  block(r);
  if (!stop(r)) kgi_end(&r->b);
}

static void while_loop(reader *r) {
  kgi_dim limit = dim(r);
  if (!stop(r)) kgi_while_begin(&r->b);
  block(r);
  kgi_val condition = value(r);
  if (!stop(r)) kgi_while_body(&r->b, condition, limit);
  block(r);
  if (!stop(r)) kgi_end(&r->b);
}

static void region(reader *r, unsigned kind, kgi_str label) {
  (kind == KGI_region ? kgi_region_begin : kgi_checkpoint_begin)(&r->b, kgi_string(r->b.m, label));
  block(r);
  if (!stop(r)) kgi_end(&r->b);
}

static bool is_value(unsigned kind) { return kind < KGI_KIND_COUNT && kgi_kind_rows[kind].effect & KGI_EXPRESSION; }

/* Those that give a value; its name comes with it. */
static void value_instruction(reader *r, unsigned kind, kgi_str label) {
  kgi_val made = kind == KGI_op ? operation(r) : kind == KGI_load ? load(r) : kind == KGI_atomic ? atomic(r) : subgroup(r);
  if (stop(r) || !made.i || kgi_type_of(r->b.p, made) == KG_NONE) return;
  kgi_name(&r->b, made, kgi_string(r->b.m, label));
  number(r, made.i);
}

/* An atomic store gives no value, and so has no name; which atomic it is comes next. */
static bool is_named(const reader *r, unsigned kind) {
  const section *s = &r->semantics;
  if (kind != KGI_atomic) return is_value(kind) || kind == KGI_var || kind == KGI_for || kind == KGI_region || kind == KGI_checkpoint;
  return s->at < s->end && *s->at < KGI_ATOMIC_COUNT && kgi_atomic_rows[*s->at].result;
}

static void instruction(reader *r, unsigned kind) {
  kgi_str label = {0};
  if (is_named(r, kind)) label = name(r, kind == KGI_var ? 'v' : 0, kind == KGI_var ? ++r->vars : 0);
  kgi_pos pos = r->b.pos = position(r);
  if (stop(r)) return;
  switch ((kgi_kind)kind) {
  case KGI_op: case KGI_load: case KGI_atomic: case KGI_subgroup: value_instruction(r, kind, label); return;
  case KGI_store: store(r); return;
  case KGI_barrier: kgi_barrier_here(&r->b); return;
  case KGI_memory_barrier: kgi_memory_barrier_here(&r->b); return;
  case KGI_check: check(r); return;
  case KGI_var: var(r, label, pos); return;
  case KGI_if: branch(r); return;
  case KGI_for: for_loop(r, label); return;
  case KGI_while: while_loop(r); return;
  case KGI_region: case KGI_checkpoint: region(r, kind, label); return;
  case KGI_break: kgi_break_here(&r->b); return;
  case KGI_continue: kgi_continue_here(&r->b); return;
  case KGI_return: kgi_return_here(&r->b); return;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_KIND_COUNT: break;
  }
  malformed(r, &r->semantics, "no known instruction");
}

/* The builder refuses blocks that nest too deep, and so ends the recursion. */
static void block(reader *r) {
  while (!stop(r)) {
    unsigned kind = byte(r);
    if (kind == KGI_none) return;
    instruction(r, kind);
  }
}

static void program(reader *r, uint32_t index) {
  kgi_str label = name(r, 'p', index);
  kgi_pos pos = position(r);
  if (stop(r)) return;
  kgi_program *p = kgi_begin_program(&r->b, kgi_string(r->b.m, label));
  if (!p) return;
  p->pos = pos;
  r->values = 1, r->vars = 0;
  specs(r), params(r), objects(r, KGI_BUFFER, 'b'), objects(r, KGI_SHARED, 's');
  dims(r, p->workgroup);
  unsigned flags = byte_below(r, 2 * KGI_BIN_ADJOINT, "an unknown flag of a program");
  p->grid_is_invocations = flags & KGI_BIN_INVOCATIONS;
  dims(r, p->grid);
  if (flags & KGI_BIN_ADJOINT) p->adjoint = index32(r);
  if (flags & KGI_BIN_ADJOINT && !p->adjoint && !stop(r)) malformed(r, &r->semantics, "an adjoint of number 0");
  block(r);
  kgi_end_program(&r->b);
}

/* ---- modules ---- */

static void items(reader *r, uint32_t parent);

/* A buffer of the module for one of the program; `slices`: and which part of it. */
static void run_buffer(reader *r, uint32_t item, uint32_t object, bool slices) {
  kgi_slice slice = {{0}, {0}};
  uint32_t buffer = index32(r);
  if (slices && !stop(r)) slice.from = dim(r);
  if (kgi_is_slice(slice) && !stop(r)) slice.to = dim(r);
  kgi_run_bind_slice(&r->b, item, object, buffer, slice);
}

/* Of the programs of which the semantics tell them. */
static void told_names(reader *r) {
  const kg_module *m = r->b.m;
  bool *stated = stop(r) ? NULL : kgi_stated_programs(m, &r->scratch);
  for (uint32_t i = 1; stated && i < m->program_count; i++) {
    kgi_scope *s = &m->program[i]->scope;
    if (m->program[i]->adjoint >= m->program_count) malformed(r, &r->semantics, "an adjoint that is not there");
    uint32_t end = stated[i] ? kgi_buffer_end(s) : 0;
    for (uint32_t q = 1; stated[i] && q < s->param_count && !stop(r); q++) s->param[q].name = text(r, &r->semantics);
    for (uint32_t o = 1; o < end && !stop(r); o++) s->object[o].name = text(r, &r->semantics);
  }
}

static void run(reader *r, uint32_t parent, bool slices) {
  kg_module *m = r->b.m;
  uint32_t index = index32(r);
  if (!stop(r) && (!index || index >= m->program_count)) malformed(r, &r->semantics, "a run of a program that is not there");
  uint32_t item = stop(r) ? 0 : kgi_run_begin(&r->b, index);
  if (!item) return;
  const kgi_scope *inner = &m->program[index]->scope;
  uint32_t end = kgi_buffer_end(inner);
  kgi_dim grid[3];
  m->item[item].grid_is_invocations = flag(r);
  dims(r, grid);
  memcpy(m->item[item].grid, grid, sizeof grid);
  for (uint32_t i = 1; i < end && !stop(r); i++) run_buffer(r, item, i, slices);
  for (uint32_t i = 1; i < inner->param_count && !stop(r); i++) kgi_run_bind_param(&r->b, item, i, dim(r));
  m->item[item].pos = position(r);
  kgi_item_append(&r->b, parent, item);
}

static void repeat(reader *r, uint32_t parent) {
  bool reversed = flag(r);
  kgi_dim bounds[3];
  dims(r, bounds);
  kgi_str label = name(r, 'i', ++r->repeats);
  kgi_pos pos = position(r);
  if (r->opened > KGI_MAX_DEPTH) malformed(r, &r->semantics, "repeats that nest too deep");
  uint32_t item = stop(r) ? 0 : kgi_repeat_begin(&r->b, kgi_string(r->b.m, label), bounds[0], bounds[1], bounds[2], reversed);
  if (!item) return;
  r->b.m->item[item].pos = pos;
  kgi_item_append(&r->b, parent, item);
  r->open[r->opened++] = item;
  items(r, item);
  r->opened--;
}

static void items(reader *r, uint32_t parent) {
  while (!stop(r)) {
    unsigned kind = byte(r);
    if (kind == KGI_BIN_END) return;
    if (kind == KGI_BIN_RUN || kind == KGI_BIN_RUN_OF_SLICES) run(r, parent, kind == KGI_BIN_RUN_OF_SLICES);
    else if (kind == KGI_BIN_REPEAT) repeat(r, parent);
    else malformed(r, &r->semantics, "no known item");
  }
}

static void module(reader *r) {
  kg_module *m = r->b.m;
  if (flag(r)) {
    program(r, 1);
    if (!stop(r)) kgi_module_finish_lone(m);
    return;
  }
  m->name = name(r, 'm', 0), m->pos = position(r);
  params(r), objects(r, KGI_BUFFER, 'b');
  uint64_t count = varint(r);
  for (uint64_t i = 1; i <= count && !stop(r); i++) program(r, (uint32_t)i);
  told_names(r);
  items(r, 0);
}

/* Cuts a section off the front of the file. */
static section cut(reader *r, section *file) {
  uint64_t size = take_varint(r, file);
  if (!stop(r) && size > (size_t)(file->end - file->at)) {
    file->at = file->end;
    take(r, file); /* says so */
  }
  if (stop(r)) return (section){0};
  section s = {file->at, file->at + size};
  file->at = s.end;
  return s;
}

static void read_file(reader *r, section *file) {
  static const uint8_t magic[] = {'K', 'G', 'B', 0x1A};
  if ((size_t)(file->end - file->at) < sizeof magic || memcmp(file->at, magic, sizeof magic) != 0) {
    KGI_DIAG(r->diags, binary_magic, 0, "");
    r->failed = true;
    return;
  }
  file->at += sizeof magic;
  uint64_t version = take_varint(r, file);
  if (!stop(r) && version != KGI_BINARY_VERSION) {
    KGI_DIAG(r->diags, binary_version, 0, KGI_NUM(version), KGI_NUM(KGI_BINARY_VERSION));
    r->failed = true;
  }
  r->semantics = cut(r, file);
  if (!stop(r) && file->at < file->end) r->names = cut(r, file);
  if (!stop(r) && file->at < file->end) malformed(r, file, "something behind the last section");
  if (!stop(r)) module(r);
  if (!stop(r) && r->semantics.at < r->semantics.end) malformed(r, &r->semantics, "something behind the module");
  if (!stop(r) && r->names.at < r->names.end) malformed(r, &r->names, "something behind the names");
}

/* Whatever else two encodings of one module may differ in, this tells them apart. */
static kg_status check_canonical(const kg_module *m, const void *bytes, size_t size, kgi_diags *diags) {
  uint8_t *again = NULL;
  size_t count = 0;
  kg_status status = kg_module_encode(&m->arena.alloc, m, diags->sink, &again, &count);
  if (status != KG_OK) return status;
  bool same = count == size && !memcmp(again, bytes, size);
  kg_bytes_free(&m->arena.alloc, again, count);
  if (!same) KGI_DIAG(diags, binary_canonical, 0, "");
  return same ? KG_OK : KG_INVALID;
}

static kg_status finish(reader *r, const void *bytes, size_t size) {
  bool exhausted = r->scratch.failed;
  kgi_arena_free(&r->scratch);
  if (exhausted) kgi_fail(&r->b, KG_NO_MEMORY);
  kg_status status = kgi_builder_status(&r->b);
  if (status == KG_OK && r->failed) status = KG_INVALID;
  if (status == KG_OK) status = kgi_validate(r->b.m, r->diags);
  return status == KG_OK ? check_canonical(r->b.m, bytes, size, r->diags) : status;
}

kg_status kg_module_decode(const kg_allocator *alloc, const char *name, const void *bytes, size_t size, const kg_sink *sink,
                           kg_module **out) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = name};
  section file = {bytes, bytes ? (const uint8_t *)bytes + size : NULL};
  kg_module *m = kgi_module_new(alloc, name);
  if (!m) {
    KGI_DIAG(&diags, no_memory, 0, "");
    return KG_NO_MEMORY;
  }
  reader r = {.diags = &diags, .begin = bytes};
  kgi_builder_init(&r.b, m, &diags);
  kgi_arena_init(&r.scratch, alloc);
  kgi_arena_grow(&r.scratch, &r.value, 0, &r.value_cap, sizeof *r.value);
  kgi_arena_grow(&r.scratch, &r.string, 0, &r.string_cap, sizeof *r.string);
  r.values = r.strings = 1;
  read_file(&r, &file);
  kg_status status = finish(&r, bytes, size);
  if (status == KG_OK) *out = m;
  else kg_module_free(m);
  return status;
}
