/* A program and its import on the same memory. What lies where is said in doc/abi.md: blocks of bytes at sets and bindings, and the
 * values of the params' block in order of their offsets. */
#include "fuzz/ask/trip.h"

#include "foundation/analysis/contraction.h"
#include "foundation/host/layout.h"
#include "foundation/host/value.h"
#include "foundation/ir/builder.h"
#include "foundation/ir/views.h"
#include "spirv/abi.h"
#include "fuzz/ask/bounds.h"
#include "fuzz/ask/parts.h"

#include <kgrad/spirv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_LENGTH = 7, MOST_MEMBERS = 64 };

/* The bytes at one set and binding. */
typedef struct block { uint32_t set, binding; size_t size; unsigned char *before, *after; } block;

typedef struct member { char name[128]; uint32_t offset; uint64_t bits; } member;

/* Arrays for a lone module, by buffer. */
typedef struct memory { void *array[MOST_BUFFERS]; uint64_t length[MOST_BUFFERS]; } memory;

typedef struct trip {
  kgi_ask *f;
  const kg_module *m;
  kg_math math;
  const kgi_run *run;
  const kgi_abi_program *abi;
  kg_module *lone, *import;
  memory own, theirs, got; /* got: what the import left in the program's buffers */
  block block[MOST_BUFFERS + 2];
  uint32_t blocks;
  bool outside; /* something was loaded or stored beyond the end of its object */
  bool races;   /* the program does by itself */
} trip;

/* ---- the program by itself ---- */

/* What a program leaves alone stays in a host's memory, whoever gives nothing on entry. */
static void keep_contents(kgi_scope *s) {
  for (uint32_t i = 1; i < kgi_buffer_end(s); i++)
    if (s->object[i].mode == KG_WRITE) s->object[i].mode = KG_READ_WRITE;
}

/* Sums that take a product in where they are emitted round once on the reference, and so does what is imported. */
static bool round_once(kg_module *m, kgi_program *p) {
  kgi_arena arena;
  kgi_contraction c;
  kgi_builder b;
  kgi_arena_init(&arena, NULL);
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  bool fine = kgi_contraction_find(&arena, p, &c);
  for (uint32_t i = 1, end = p->inst_count; fine && i < end; i++) {
    if (!c.product[i]) continue;
    kgi_contracted x = kgi_contracted_of(p, &c, i);
    b.at = kgi_before(p, i);
    if (x.minus_a) x.a = kgi_op1(&b, KGI_OP_neg, (kgi_val){x.a}).i;
    if (x.minus_c) x.c = kgi_op1(&b, KGI_OP_neg, (kgi_val){x.c}).i;
    p->inst[i].op = KGI_OP_fma, p->inst[i].arg[0] = x.a, p->inst[i].arg[1] = x.b, p->inst[i].arg[2] = x.c;
  }
  kgi_arena_free(&arena);
  return fine && kgi_builder_status(&b) == KG_OK;
}

/* The module with the run's program alone, and its grid. */
static kg_module *lone_of(const kg_module *m, const kgi_run *run) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  kg_module *lone = NULL;
  if (kg_module_encode(NULL, m, NULL, &bytes, &size) != KG_OK) return NULL;
  if (kg_module_decode(NULL, "lone.kg", bytes, size, NULL, &lone) == KG_OK) {
    kgi_program *p = lone->program[1] = lone->program[run->program_index];
    lone->program_count = 2, lone->item_count = 1, lone->bind_count = 0;
    p->grid_is_invocations = false;
    for (unsigned k = 0; k < 3; k++) p->grid[k] = kgi_dim_int(&lone->arena, &p->scope, run->groups[k]);
    keep_contents(&p->scope);
    kgi_module_finish_lone(lone);
  }
  kg_bytes_free(NULL, bytes, size);
  return lone;
}

/* ---- blocks ---- */

static block *block_at(trip *t, uint32_t set, uint32_t binding) {
  for (uint32_t i = 0; i < t->blocks; i++)
    if (t->block[i].set == set && t->block[i].binding == binding) return &t->block[i];
  return NULL;
}

static block *add_block(trip *t, uint32_t set, uint32_t binding, size_t size) {
  block *b = block_at(t, set, binding);
  if (!b) b = &t->block[t->blocks++], *b = (block){set, binding, 0, NULL, NULL};
  if (size > b->size) b->size = size;
  return b;
}

/* A buffer as a view: what states no place is its elements, one behind another. */
static kgi_object as_view(const kgi_object *o, uint32_t set, uint32_t binding) {
  kgi_object view = *o;
  if (o->view) return view;
  view.view = true, view.set = set, view.binding = binding, view.offset = 0, view.stride = kgi_type_bits(o->type) / 8;
  return view;
}

static kgi_object own_view(const trip *t, uint32_t i) {
  return as_view(&t->lone->program[1]->scope.object[i], t->abi->place[i].set, t->abi->place[i].binding);
}

/* An import's buffers that state no place lie in order. */
static kgi_object their_view(const trip *t, uint32_t i) { return as_view(&t->import->program[1]->scope.object[i], 0, i - 1); }

static bool make_blocks(trip *t) {
  for (uint32_t i = 1; i <= t->abi->buffers; i++) {
    kgi_object view = own_view(t, i);
    uint64_t reach = 0;
    if (!kgi_view_reach(&view, t->own.length[i - 1], &reach)) return false;
    add_block(t, view.set, view.binding, (size_t)reach);
  }
  if (t->abi->status_binding != KGI_NO_BINDING) add_block(t, 0, t->abi->status_binding, 4 * KGI_STATUS_WORDS);
  for (uint32_t i = 0; i < t->blocks; i++) {
    t->block[i].before = calloc(t->block[i].size + 1, 1);
    t->block[i].after = calloc(t->block[i].size + 1, 1);
    if (!t->block[i].before || !t->block[i].after) return false;
  }
  return true;
}

/* Random inputs, put into the blocks; what views share is what the last of them has there. */
static bool fill(trip *t) {
  kg_host host = {.param = (uint64_t *)t->run->param + 1, .length = t->own.length};
  for (uint32_t i = 1; i <= t->abi->buffers; i++) {
    kgi_object view = own_view(t, i);
    size_t size = (size_t)t->own.length[i - 1] * (kgi_type_bits(view.type) / 8);
    free(t->own.array[i - 1]);
    unsigned char *array = t->own.array[i - 1] = calloc(size + 1, 1);
    kg_sink sink = {kgi_ask_hear, t->f};
    if (!array || kg_module_random(t->lone, &host, i - 1, t->f->data, &sink, array) != KG_OK) return false;
    kgi_view_put(&view, t->own.length[i - 1], block_at(t, view.set, view.binding)->before, array);
  }
  for (uint32_t i = 1; i <= t->abi->buffers; i++) {
    kgi_object view = own_view(t, i);
    kgi_view_take(&view, t->own.length[i - 1], block_at(t, view.set, view.binding)->before, t->own.array[i - 1]);
  }
  return true;
}

/* As many elements as the block has: the host decides lengths of imports. */
static uint64_t length_in(const block *b, const kgi_object *view) {
  size_t size = kgi_type_bits(view->type) / 8, room = b->size > view->offset ? b->size - view->offset : 0;
  size_t rows = view->row ? room / view->every : 0, rest = room - rows * view->every;
  size_t last = rest < size ? 0 : (rest - size) / view->stride + 1;
  if (view->scalar) return 1;
  return rows * view->row + (view->row && last > view->row ? view->row : last);
}

static bool give_theirs(trip *t) {
  uint32_t end = kgi_buffer_end(&t->import->program[1]->scope);
  for (uint32_t i = 1; i < end; i++) {
    kgi_object view = their_view(t, i);
    block *b = block_at(t, view.set, view.binding);
    if (!b) return kgi_ask_fail(t->f, "the import has a buffer at set %u, binding %u", view.set, view.binding), false;
    t->theirs.length[i - 1] = length_in(b, &view);
    t->theirs.array[i - 1] = calloc(t->theirs.length[i - 1] + 1, kgi_type_bits(view.type) / 8);
    if (!t->theirs.array[i - 1]) return false;
    kgi_view_take(&view, t->theirs.length[i - 1], b->before, t->theirs.array[i - 1]);
  }
  return true;
}

static void take_theirs(trip *t) {
  uint32_t end = kgi_buffer_end(&t->import->program[1]->scope);
  for (uint32_t i = 0; i < t->blocks; i++) memcpy(t->block[i].after, t->block[i].before, t->block[i].size);
  for (uint32_t i = 1; i < end; i++) {
    kgi_object view = their_view(t, i);
    unsigned char *after = block_at(t, view.set, view.binding)->after;
    if (kgi_is_output(&view)) kgi_view_put(&view, t->theirs.length[i - 1], after, t->theirs.array[i - 1]);
  }
}

/* ---- params ---- */

static uint64_t hidden_value(const trip *t, const kgi_abi_hidden *h) {
  kgi_dim_env env = {.param = t->run->param, .length = t->run->length};
  int64_t value = 0;
  if (h->object) return kgi_run_length(t->run, h->object, h->dimension);
  kgi_dim_eval(&t->run->program->scope, h->dim, &env, &value);
  return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint64_t)value;
}

/* The members of the params' block, in order of offset, under the names that the emission gives them. */
static uint32_t members_of(const trip *t, member out[MOST_MEMBERS]) {
  const kgi_scope *scope = &t->run->program->scope;
  uint32_t count = 0;
  for (uint32_t i = 1; i < scope->param_count && count < MOST_MEMBERS; i++) {
    out[count] = (member){.offset = t->abi->param_offset[i], .bits = t->run->param[i]};
    snprintf(out[count++].name, sizeof out->name, "%s", kgi_string(t->m, scope->param[i].name));
  }
  for (uint32_t i = 0; i < t->abi->hidden_count && count < MOST_MEMBERS; i++) {
    const kgi_abi_hidden *h = &t->abi->hidden[i];
    out[count] = (member){.offset = h->offset, .bits = hidden_value(t, h)};
    const char *prefix = !h->object ? "most_trips" : h->dimension ? "extent_" : "length_";
    snprintf(out[count++].name, sizeof out->name, "%s%s", prefix, h->object ? kgi_string(t->m, scope->object[h->object].name) : "");
  }
  return count;
}

/* A name, and what an import puts in front of it or behind it where something else has it. */
static bool is_named(const char *name, const char *wanted) {
  size_t n = strlen(wanted);
  if (strncmp(name, wanted, n) && !strncmp(name, "params_", 7)) name += 7;
  return !strncmp(name, wanted, n) && (!name[n] || (name[n] == '_' && !name[n + 1 + strspn(name + n + 1, "0123456789")]));
}

/* An import's params are those of the members that it uses, in order, and then the grid. */
static bool give_params(trip *t, uint64_t *bits) {
  member list[MOST_MEMBERS];
  uint32_t members = members_of(t, list), next = 0;
  for (uint32_t i = 0; i < kg_module_param_count(t->import); i++) {
    const char *name = kg_module_param(t->import, i).name;
    uint32_t found = next;
    while (found < members && !is_named(name, list[found].name)) found++;
    if (found < members) bits[i] = list[found].bits, next = found + 1;
    else if (!strncmp(name, "groups_", 7)) bits[i] = t->run->groups[name[7] - 'x'];
    else return kgi_ask_fail(t->f, "the import has a param %s", name), false;
  }
  return true;
}

/* ---- runs ---- */

static bool run_reference(trip *t, const kg_module *m, memory *memory, const uint64_t *params, uint32_t checks, const char *which) {
  kg_sink sink = {kgi_ask_hear, t->f};
  kg_reference_report report;
  kg_status status = kg_reference_run(&(kg_reference_params){.module = m, .buffers = memory->array, .lengths = memory->length,
                                                             .param_bits = params, .sink = &sink, .step_limit = 500000000,
                                                             .checks = checks, .threads = 1}, &report);
  t->outside |= status == KG_OK && report.out_of_bounds_loads + report.out_of_bounds_stores;
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%.400s", t->f->what);
  return kgi_ask_fail(t->f, "%s fails on the reference: status %d: %s", which, (int)status, what), false;
}

static bool same_element(kg_type type, const void *a, const void *b, uint64_t k) {
  uint64_t x = kg_value_load(type, a, k), y = kg_value_load(type, b, k);
  if (x == y) return true;
  return kg_type_is_float(type) && isnan(kgi_value_number(type, x)) && isnan(kgi_value_number(type, y));
}

/* What is only loaded from stays, but where another view stores to it: that one is looked at. */
static kgi_answer identical(trip *t) {
  for (uint32_t i = 1; i <= t->abi->buffers; i++) {
    const kgi_object *o = &t->lone->program[1]->scope.object[i];
    if (!kgi_is_output(o)) continue;
    const void *want = t->own.array[i - 1], *got = t->got.array[i - 1];
    kg_type type = (kg_type)o->type;
    for (uint64_t k = 0; k < t->own.length[i - 1]; k++)
      if (!same_element(type, want, got, k))
        return kgi_ask_fail(t->f, "%s[%u] is %.17g, and %.17g of the import", kgi_string(t->lone, o->name), (unsigned)k,
                        kgi_value_number(type, kg_value_load(type, want, k)), kgi_value_number(type, kg_value_load(type, got, k)));
  }
  return KGI_HOLDS;
}

/* Functions as the device has them, where there are any: what is imported then is the instruction. */
static kg_math math_of(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) {
      const kgi_inst *inst = &m->program[k]->inst[i];
      if (inst->kind == KGI_op && kgi_is_native((kgi_op)inst->op, KG_MATH_FAST)) return KG_MATH_FAST;
    }
  return KG_MATH_EXACT;
}

/* In f64 it is made of a quotient, which has an end of its own. */
static bool is_wide_remainder(const kgi_inst *inst) {
  return inst->kind == KGI_op && (inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && inst->type == KG_F64;
}

static bool is_turned(const kgi_inst *inst) { return inst->kind == KGI_op && (inst->op == KGI_OP_sin || inst->op == KGI_OP_cos); }

/* Whether an emission puts some function together from others, in that mode too: then other bits are right as well. */
static bool is_composed(const kgi_program *p, kg_math math) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    bool function = inst->kind == KGI_op && kgi_op_rows[inst->op].flags & KGI_FUNCTION;
    if (is_turned(inst) || is_wide_remainder(inst) || (function && !kgi_is_native((kgi_op)inst->op, math))) return true;
  }
  return false;
}

static kgi_val number(kgi_builder *b, double value) { return kgi_float(b, KG_F32, value); }

/* Sines of what is left by whole turns, as spirv/emit/math.c has them. */
static bool turn(kg_module *m, kgi_program *p) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  for (uint32_t i = 1, end = p->inst_count; i < end; i++) {
    kgi_val x = {p->inst[i].arg[0]}, least = number(&b, -3.1415925), most = number(&b, 3.1415925);
    if (!p->inst[i].block || !is_turned(&p->inst[i]) || p->inst[i].type != KG_F32) continue;
    b.at = kgi_before(p, i);
    kgi_val n = kgi_op1(&b, KGI_OP_round, kgi_op2(&b, KGI_OP_mul, x, number(&b, 0.15915494309189534)));
    kgi_val rest = kgi_op2(&b, KGI_OP_sub, x, kgi_op2(&b, KGI_OP_mul, n, number(&b, 6.28125)));
    rest = kgi_op2(&b, KGI_OP_sub, rest, kgi_op2(&b, KGI_OP_mul, n, number(&b, 0.0019353071795864769)));
    n = kgi_op1(&b, KGI_OP_round, kgi_op2(&b, KGI_OP_mul, rest, number(&b, 0.15915494309189534)));
    rest = kgi_op2(&b, KGI_OP_sub, rest, kgi_op2(&b, KGI_OP_mul, n, number(&b, 6.283185307179586)));
    p->inst[i].arg[0] = kgi_op3(&b, KGI_OP_clamp, rest, least, most).i;
  }
  return kgi_builder_status(&b) == KG_OK;
}

/* What the import left in the program's buffers. */
static bool take_got(trip *t) {
  for (uint32_t i = 1; i <= t->abi->buffers; i++) {
    kgi_object view = own_view(t, i);
    t->got.array[i - 1] = calloc(t->own.length[i - 1] + 1, kgi_type_bits(view.type) / 8);
    if (!t->got.array[i - 1]) return false;
    kgi_view_take(&view, t->own.length[i - 1], block_at(t, view.set, view.binding)->after, t->got.array[i - 1]);
  }
  return true;
}

static kgi_answer within_bounds(trip *t, kgi_bounds *bounds) {
  if (!kgi_bounds_hold(bounds, t->got.array, t->f->what, sizeof t->f->what)) return KGI_FAILS;
  return bounds->open < bounds->elements ? KGI_HOLDS : KGI_VACUOUS;
}

/* What is emitted waits where the program does, and so it races with nobody either. What the program loads beyond an object's end, the
 * emission loads from its first element, and drops: of that nothing is asked. */
static bool run_import(trip *t, const uint64_t *params) {
  return run_reference(t, t->import, &t->theirs, params, t->outside || t->races ? 0 : KG_CHECK_RACES, "the import");
}

/* One that races has the reference's order all the same, and so has its import. */
static bool run_program(trip *t) {
  const uint64_t *params = t->run->param + 1;
  if (run_reference(t, t->lone, &t->own, params, KG_CHECK_RACES, "the program")) return true;
  t->races = true;
  return fill(t) && run_reference(t, t->lone, &t->own, params, 0, "the program");
}

static kgi_answer run_both(trip *t, const uint64_t *params) {
  kgi_bounds bounds = {0};
  kg_sink sink = {kgi_ask_hear, t->f};
  kgi_answer verdict = KGI_FAILS;
  bool composed = is_composed(t->lone->program[1], t->math);
  if (composed && kgi_bounds_run(&bounds, t->lone, t->own.array, t->own.length, t->run->param + 1, 0, t->math, &sink) != KG_OK)
    verdict = KGI_VACUOUS; /* it fails by itself */
  else if (!turn(t->lone, t->lone->program[1])) kgi_ask_fail(t->f, "its sines cannot be turned");
  else if (!run_program(t)) verdict = KGI_VACUOUS;
  else if (run_import(t, params)) {
    take_theirs(t);
    if (!take_got(t)) verdict = kgi_ask_fail(t->f, "there is no memory");
    else verdict = identical(t);
    if (composed && verdict == KGI_FAILS && t->got.array[0]) verdict = within_bounds(t, &bounds);
  }
  kgi_bounds_free(&bounds);
  return verdict == KGI_FAILS && t->races && t->got.array[0] ? KGI_VACUOUS : verdict; /* then another order is another result */
}

static kgi_answer travel(trip *t, const uint32_t *words, size_t count) {
  uint64_t params[MOST_MEMBERS] = {0};
  kg_sink sink = {kgi_ask_hear, t->f};
  const kg_spirv_import_params which = {.entry = kgi_string(t->m, t->run->program->name)};
  if (!(t->lone = lone_of(t->m, t->run))) return kgi_ask_fail(t->f, "there is no lone program");
  bool fine = t->math == KG_MATH_EXACT || round_once(t->lone, t->lone->program[1]);
  if (!fine) return kgi_ask_fail(t->f, "its sums cannot be rounded once");
  for (uint32_t i = 1; i <= t->abi->buffers; i++) t->own.length[i - 1] = t->run->length[i];
  if (!make_blocks(t) || !fill(t)) return kgi_ask_fail(t->f, "there is no memory for it: %.300s", t->f->id);
  kg_status status = kg_spirv_import(NULL, "trip.spv", words, count * 4, &which, &sink, &t->import);
  if (status == KG_REFUSED) return KGI_REFUSED;
  if (status != KG_OK) return kgi_ask_fail(t->f, "the import has status %d: %s", (int)status, t->f->id);
  keep_contents(&t->import->program[1]->scope), keep_contents(&t->import->scope);
  if (!give_theirs(t) || !give_params(t, params)) return KGI_FAILS;
  return run_both(t, params);
}

static void end_trip(trip *t) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(t->own.array[i]), free(t->theirs.array[i]), free(t->got.array[i]);
  for (uint32_t i = 0; i < t->blocks; i++) free(t->block[i].before), free(t->block[i].after);
  kg_module_free(t->lone), kg_module_free(t->import);
  free(t);
}

/* ---- each program in its first run ---- */

typedef struct journey {
  kgi_ask *f;
  const kg_module *m;
  const kgi_abi *abi;
  const uint32_t *words;
  size_t count;
  bool done[MOST_BUFFERS];
  kgi_answer verdict;
} journey;

/* A refusal of one program leaves the others to be asked; a failure is the last word. */
static kg_status visit(void *user, const kgi_run *run) {
  journey *j = user;
  uint32_t k = run->program_index;
  if (k >= MOST_BUFFERS || j->done[k]) return KG_OK;
  j->done[k] = true;
  trip *t = calloc(1, sizeof *t);
  if (!t) return KG_NO_MEMORY;
  t->math = math_of(j->m), t->f = j->f, t->m = j->m, t->run = run, t->abi = &j->abi->program[k];
  kgi_answer verdict = t->abi->buffers <= MOST_BUFFERS ? travel(t, j->words, j->count) : KGI_VACUOUS;
  end_trip(t);
  if (verdict == KGI_FAILS || j->verdict == KGI_HOLDS) j->verdict = verdict;
  return verdict == KGI_FAILS ? KG_FAILED : KG_OK;
}

static bool choose(kgi_arena *arena, const kg_module *m, uint64_t **param, uint64_t **length) {
  uint32_t params = kg_module_param_count(m), buffers = kg_module_buffer_count(m);
  bool *given = kgi_arena_alloc(arena, params + 1, sizeof *given), *sized = kgi_arena_alloc(arena, buffers + 1, sizeof *sized);
  *param = kgi_arena_alloc(arena, params + 1, sizeof **param), *length = kgi_arena_alloc(arena, buffers + 1, sizeof **length);
  if (arena->failed) return false;
  for (uint32_t i = 0; i < params; i++) {
    kg_param_info info = kg_module_param(m, i);
    given[i] = !info.has_default;
    if (given[i]) (*param)[i] = kgi_value_of_number(info.type, kg_type_is_float(info.type) ? 0.5 : info.type == KG_BOOL ? 1 : 8);
  }
  for (uint32_t i = 0; i < buffers; i++)
    if (kg_module_buffer(m, i).host_length) (*length)[i] = HOST_LENGTH, sized[i] = true;
  kg_host host = {.param = *param, .param_given = given, .length = *length, .length_given = sized};
  return kg_module_resolve(m, &host, NULL) == KG_OK;
}

static void each_run(journey *j, kgi_arena *arena) {
  uint64_t *param, *length;
  kgi_layout layout;
  kg_sink sink = {kgi_ask_hear, j->f};
  kgi_diags diags = {&sink, "trip.kg", 0};
  if (!choose(arena, j->m, &param, &length)) return (void)(j->verdict = kgi_ask_fail(j->f, "its lengths are not known"));
  for (uint32_t i = 0; i < kg_module_buffer_count(j->m); i++)
    if (kg_module_buffer(j->m, i).mode == KG_TEMP) length[i] = KGI_LENGTH_UNKNOWN;
  kg_status status = kgi_layout_init(&layout, j->m, param, length, arena, &diags);
  if (status == KG_OK) status = kgi_layout_each(&layout, visit, j);
  if (status != KG_OK && j->verdict != KGI_FAILS) j->verdict = KGI_VACUOUS; /* it fits no such arrays */
}

kgi_answer kgi_round_trip(kgi_ask *f, const kg_module *m) {
  kg_sink sink = {kgi_ask_hear, f};
  const kg_spirv_params params = {.names = true, .math = math_of(m)};
  uint32_t *words = NULL;
  size_t count = 0;
  kgi_abi abi;
  kgi_arena arena;
  kg_status status = kg_spirv_emit(NULL, m, &params, &sink, &words, &count);
  if (status == KG_REFUSED) return KGI_REFUSED;
  if (status != KG_OK) return kgi_ask_fail(f, "the emission has status %d", (int)status);
  journey j = {.f = f, .m = m, .abi = &abi, .words = words, .count = count, .verdict = KGI_HOLDS};
  kgi_arena_init(&arena, NULL);
  if (kgi_abi_make(&arena, m, &(kgi_abi_wishes){0}, &abi)) each_run(&j, &arena);
  else j.verdict = kgi_ask_fail(f, "there is no memory");
  kgi_arena_free(&arena);
  kg_bytes_free(NULL, words, count * sizeof *words);
  return j.verdict;
}

kgi_answer kgi_ask_import(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  if (!m) return KGI_FAILS;
  kgi_answer verdict = kgi_round_trip(f, m);
  kg_module_free(m);
  return verdict;
}
