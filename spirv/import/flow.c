/* Control flow: the constructs that merge instructions state, as blocks of the language. A walk goes from block to block until it
 * comes to the end of its construct. What leaves a construct on another way says so in a var, and what is between is passed over.
 * Where one side of a branch alone goes on, the rest is put into that side, and nobody has to ask. */
#include "spirv/import/import.h"
#include "foundation/base/limits.h"

#include <string.h>

/* How control leaves what was walked: at its end, or on the way to some of im->exit. */
typedef struct flow { bool falls; uint64_t exits; } flow;

static flow both(flow a, flow b) { return (flow){a.falls || b.falls, a.exits | b.exits}; }

bool kgi_im_count_step(kgi_import *im, const kgi_im_inst *x) {
  if (++im->steps <= KGI_LIMIT(import_steps)) return kgi_im_fine(im);
  return kgi_im_refuse(im, x, "the program is too long, with its functions put where they are called");
}

/* ---- blocks ---- */

static uint32_t label_at(kgi_import *im, uint32_t label) {
  kgi_im_inst x = kgi_im_def(im, label);
  if (kgi_im_fine(im) && x.op != SpvOpLabel) kgi_im_malformed(im, x.at, "a branch to something that is no block");
  return kgi_im_fine(im) ? x.at : 0;
}

static bool ends_block(SpvOp op) {
  switch ((unsigned)op) {
  case SpvOpBranch: case SpvOpBranchConditional: case SpvOpSwitch: case SpvOpReturn: case SpvOpReturnValue: case SpvOpKill:
  case SpvOpUnreachable: case SpvOpTerminateInvocation: case SpvOpFunctionEnd: case SpvOpLabel: case SpvOpNop: return true;
  default: return false;
  }
}

typedef struct ending { kgi_im_inst end, selection, loop; } ending;

/* How a block ends. OpNop is also what stands behind the last word. */
static ending ending_of(kgi_import *im, uint32_t label) {
  ending e = {0};
  uint32_t at = label_at(im, label);
  if (!at) return e;
  do {
    at = kgi_im_next(im, at);
    e.end = kgi_im_at(im, at);
    if (e.end.op == SpvOpSelectionMerge) e.selection = e.end;
    if (e.end.op == SpvOpLoopMerge) e.loop = e.end;
  } while (!ends_block(e.end.op) || (e.end.op == SpvOpNop && e.end.at));
  return e;
}

/* The k-th block that may follow; 0: there is none. A literal of a switch has as many words as its selector. */
static uint32_t follower(kgi_import *im, const kgi_im_inst *end, uint32_t k) {
  if (end->op == SpvOpBranch) return k ? 0 : kgi_im_arg(im, end, 0);
  if (end->op == SpvOpBranchConditional) return k > 1 ? 0 : kgi_im_arg(im, end, 1 + k);
  if (end->op != SpvOpSwitch) return 0;
  uint32_t words = kgi_im_scalar_of(im, kgi_im_type_of(im, kgi_im_arg(im, end, 0))).bits > 32 ? 2 : 1;
  if (!k) return kgi_im_arg(im, end, 1);
  uint64_t place = 2 + (uint64_t)k * (words + 1) - 1;
  return place < end->args ? end->arg[place] : 0;
}

/* ---- phis ---- */

/* The next instruction that is no line of the source. */
static kgi_im_inst following(kgi_import *im, uint32_t *at) {
  for (;;) {
    *at = kgi_im_next(im, *at);
    kgi_im_inst x = kgi_im_at(im, *at);
    if (x.op != SpvOpLine && x.op != SpvOpNoLine) return x;
  }
}

static void declare_phi(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_im_is_array(im, x->type)) return kgi_im_declare_array_phi(im, x);
  uint32_t count = im->leaves[x->type], types_of = 0;
  uint32_t *types = kgi_arena_alloc(im->arena, count, sizeof *types);
  kgi_obj *object = kgi_arena_alloc(im->arena, count, sizeof *object);
  const char *name = kgi_im_name_of(im, x->result, KGI_IM_NONE);
  if (!count) return (void)kgi_im_refuse(im, x, "a phi of pointers is not supported");
  if (types && object) types_of = kgi_im_leaf_types(im, x->type, types);
  if (types_of != count) return;
  for (uint32_t k = 0; k < count && kgi_im_fine(im); k++)
    object[k] = kgi_var(&im->b, *name ? name : "v", kgi_im_scalar_of(im, types[k]).value, (kgi_dim){0});
  im->phi[x->result] = (kgi_im_phi){object, im->b.at.after};
}

static bool is_declared(const kgi_import *im, uint32_t phi) {
  const kgi_program *p = im->b.p;
  return im->phi[phi].object && kgi_im_is_open(p, p->inst[im->phi[phi].declared].block, im->b.at.block);
}

/* Their vars, in front of the construct that `label` ends. */
static void declare_phis(kgi_import *im, uint32_t label) {
  uint32_t at = label_at(im, label);
  if (!at) return;
  for (kgi_im_inst x = following(im, &at); x.op == SpvOpPhi && kgi_im_fine(im); x = following(im, &at))
    if (!is_declared(im, x.result)) declare_phi(im, &x);
}

static uint32_t incoming(const kgi_im_inst *phi, uint32_t from) {
  for (uint32_t k = 0; k + 1 < phi->args; k += 2)
    if (phi->arg[k + 1] == from) return phi->arg[k];
  return 0;
}

/* A phi at the end of a loop, or of what it repeats, that is what a phi of the loop's header was, or becomes, is one var with it:
 * the header's is read at the beginning of each trip alone. That does not hold of arrays, which are read where they are used. */
static void share_phis(kgi_import *im, uint32_t header, uint32_t label, bool becomes) {
  uint32_t at = label_at(im, header);
  if (!at) return;
  for (kgi_im_inst h = following(im, &at); h.op == SpvOpPhi && kgi_im_fine(im); h = following(im, &at)) {
    uint32_t other = label_at(im, label);
    bool taken = !im->phi[h.result].object || kgi_im_is_array(im, h.type);
    for (kgi_im_inst x = following(im, &other); x.op == SpvOpPhi && !taken; x = following(im, &other)) {
      bool meet = becomes ? false : incoming(&x, header) == h.result;
      for (uint32_t k = 0; becomes && k + 1 < h.args; k += 2) meet |= h.arg[k] == x.result;
      if (!meet || x.type != h.type || is_declared(im, x.result)) continue;
      im->phi[x.result] = im->phi[h.result];
      taken = true;
    }
  }
}

static void store_phis(kgi_import *im, uint32_t from, uint32_t label) {
  uint32_t first = label_at(im, label), at = first, count = 0, used = 0, arrays = 0;
  if (!first) return;
  for (kgi_im_inst x = following(im, &at); x.op == SpvOpPhi; x = following(im, &at)) count++;
  if (!count) return;
  declare_phis(im, label);
  kgi_val **value = kgi_arena_alloc(im->arena, count, sizeof *value);
  kgi_im_handed *array = kgi_arena_alloc(im->arena, count, sizeof *array);
  at = first;
  for (kgi_im_inst x = following(im, &at); x.op == SpvOpPhi && kgi_im_fine(im); x = following(im, &at)) {
    uint32_t id = incoming(&x, from);
    if (!id) return (void)kgi_im_malformed(im, x.at, "a phi that does not know where control comes from");
    if (kgi_im_type_of(im, id) != x.type) return (void)kgi_im_malformed(im, x.at, "a phi of another type than its values");
    bool is_array = kgi_im_is_array(im, x.type);
    if (is_array) array[arrays++] = (kgi_im_handed){.phi = x, .from = id};
    value[used++] = is_array ? NULL : kgi_im_value(im, id);
  }
  if (arrays) kgi_im_store_array_phis(im, array, arrays);
  at = first, used = 0;
  for (kgi_im_inst x = following(im, &at); x.op == SpvOpPhi && kgi_im_fine(im); x = following(im, &at), used++)
    for (uint32_t k = 0; k < im->leaves[x.type]; k++) kgi_im_keep(im, im->phi[x.result].object[k], value[used][k]);
}

static void load_phi(kgi_import *im, const kgi_im_inst *x) {
  if (kgi_im_is_array(im, x->type) && im->phi[x->result].object) return;
  uint32_t count = im->leaves[x->type];
  kgi_val *out = kgi_im_room(im, count);
  if (!out || !im->phi[x->result].object) return (void)kgi_im_malformed(im, x->at, "a phi that nothing comes to");
  for (uint32_t k = 0; k < count && kgi_im_fine(im); k++) out[k] = kgi_im_load_kept(im, im->phi[x->result].object[k]);
  kgi_im_bind(im, x, out);
}

/* ---- ways out ---- */

static void open_exit(kgi_import *im, uint32_t label, bool breaks) {
  kgi_im_inst here = kgi_im_at(im, im->walked);
  if (im->exits == KGI_IM_EXITS) return (void)kgi_im_refuse(im, &here, "constructs that nest so deep are not supported");
  im->exit[im->exits++] = (kgi_im_exit){.label = label, .loops = im->loops, .breaks = breaks, .before = im->b.at};
}

static int exit_to(const kgi_import *im, uint32_t label) {
  for (uint32_t i = im->exits; i-- > 0;)
    if (im->exit[i].label == label) return (int)i;
  return -1;
}

/* The var is declared in front of the construct that ends there. */
static void declare_flag(kgi_import *im, kgi_im_exit *e) {
  kgi_builder *b = &im->b;
  kgi_cursor here = b->at;
  bool same = here.block == e->before.block && here.after == e->before.after;
  b->at = e->before;
  e->left = kgi_var(b, "left", KG_BOOL, (kgi_dim){0});
  kgi_store(b, e->left, (kgi_val){0}, kgi_bool(b, false));
  if (!same) b->at = here;
}

/* Whether nothing is done at the end of that construct but to end the program. */
static bool is_last(kgi_import *im, uint32_t i) {
  if (i == 0) return true;
  if (!im->exit[i].label || im->calls) return false;
  kgi_im_inst x = kgi_im_at(im, kgi_im_next(im, label_at(im, im->exit[i].label)));
  return x.op == SpvOpReturn;
}

static flow leave(kgi_import *im, uint32_t i) {
  kgi_im_exit *e = &im->exit[i];
  e->reached = true;
  if (!kgi_im_fine(im)) return (flow){0};
  if (e->breaks && e->loops == im->loops) return kgi_break_here(&im->b), (flow){0};
  if (is_last(im, i)) return kgi_return_here(&im->b), (flow){0};
  if (!e->left.i) declare_flag(im, e);
  kgi_store(&im->b, e->left, (kgi_val){0}, kgi_bool(&im->b, true));
  if (im->loops == e->loops) return (flow){.exits = UINT64_C(1) << i};
  kgi_break_here(&im->b);
  im->loop_exits |= UINT64_C(1) << i;
  return (flow){0};
}

/* Whether control is on its way to one of them. */
static kgi_val is_leaving(kgi_import *im, uint64_t exits) {
  kgi_val any = {0};
  for (uint32_t i = 0; i < im->exits; i++) {
    if (!(exits >> i & 1)) continue;
    kgi_val left = kgi_load(&im->b, im->exit[i].left, (kgi_val){0});
    any = any.i ? kgi_op2(&im->b, KGI_OP_or, any, left) : left;
  }
  return any;
}

/* ---- constructs ---- */

static flow walk(kgi_import *im, uint32_t label, uint32_t end);

static flow go(kgi_import *im, uint32_t from, uint32_t label, uint32_t end) {
  if (!kgi_im_fine(im)) return (flow){0};
  store_phis(im, from, label);
  if (label == end) return (flow){.falls = true};
  int i = exit_to(im, label);
  return i >= 0 ? leave(im, (uint32_t)i) : walk(im, label, end);
}

/* Whether control may come from a block to another one without leaving the construct. */
static bool reaches(kgi_import *im, uint32_t from, uint32_t to, uint32_t end) {
  uint32_t *stack = NULL, count = 0, cap = 0, mark = ++im->search;
  if (from == to) return true;
  if (kgi_arena_grow(im->arena, &stack, count, &cap, sizeof *stack)) stack[count++] = from;
  while (count && kgi_im_fine(im)) {
    uint32_t label = stack[--count];
    if (label == end || label >= im->bound || im->next_block[label] == mark || exit_to(im, label) >= 0) continue;
    im->next_block[label] = mark;
    ending e = ending_of(im, label);
    if (!kgi_im_count_step(im, &e.end)) return false;
    for (uint32_t k = 0, next; (next = follower(im, &e.end, k)) != 0; k++) {
      if (next == to) return true;
      if (!kgi_arena_grow(im->arena, &stack, count, &cap, sizeof *stack)) return false;
      stack[count++] = next;
    }
  }
  return false;
}

/* Goes on at `label`, the end of a construct that was left so; nothing of that is done by who is on another way. */
static flow go_on(kgi_import *im, flow before, uint32_t label, uint32_t end) {
  if (!before.falls || !kgi_im_fine(im)) return (flow){.exits = before.exits};
  kgi_val leaving = is_leaving(im, before.exits);
  kgi_if_begin(&im->b, kgi_op1(&im->b, KGI_OP_not, leaving));
  flow rest = label == end ? (flow){.falls = true} : walk(im, label, end);
  kgi_end(&im->b);
  rest.exits |= before.exits;
  return rest;
}

/* Whether it is decided, as constants make it, which side of a branch is taken: nobody asks then whether the other one can be imported. Shaders
 * choose by specialization constants that a host has fixed, and have sides that no device takes. */
static bool is_decided(const kgi_import *im, kgi_val condition, bool *holds) {
  const kgi_inst *inst = &im->b.p->inst[condition.i];
  *holds = inst->kind == KGI_literal && kgi_literal_bits(inst);
  return inst->kind == KGI_literal;
}

static flow branch(kgi_import *im, uint32_t label, const kgi_im_inst *x, uint32_t end) {
  uint32_t yes = kgi_im_arg(im, x, 1), no = kgi_im_arg(im, x, 2);
  if (yes == no) return go(im, label, yes, end);
  kgi_val condition = kgi_im_scalar_value(im, kgi_im_arg(im, x, 0));
  bool holds;
  if (!kgi_im_fine(im)) return (flow){0};
  if (is_decided(im, condition, &holds)) return go(im, label, holds ? yes : no, end);
  kgi_if_begin(&im->b, condition);
  flow a = go(im, label, yes, end);
  if (kgi_im_fine(im)) kgi_else(&im->b);
  flow b = go(im, label, no, end);
  kgi_end(&im->b);
  return both(a, b);
}

/* One case after another: if (selector is one of its literals) ... else the next. */
static flow switch_from(kgi_import *im, uint32_t label, const kgi_im_inst *x, uint32_t k, uint32_t end) {
  uint32_t target = follower(im, x, k), selector = kgi_im_arg(im, x, 0);
  if (!target || !kgi_im_fine(im)) return go(im, label, kgi_im_arg(im, x, 1), end);
  kgi_im_scalar s = kgi_im_scalar_of(im, kgi_im_type_of(im, selector));
  kgi_val value = kgi_im_scalar_value(im, selector), any = {0};
  uint32_t words = s.bits > 32 ? 2 : 1;
  for (; follower(im, x, k) == target && kgi_im_fine(im); k++) {
    const uint32_t *literal = x->arg + 2 + (size_t)(k - 1) * (words + 1);
    kgi_val is = kgi_literal_of(&im->b, s.value, literal[0] | (words == 2 ? (uint64_t)literal[1] << 32 : 0));
    is = kgi_op2(&im->b, KGI_OP_eq, value, is);
    any = any.i ? kgi_op2(&im->b, KGI_OP_or, any, is) : is;
  }
  bool holds;
  if (!kgi_im_fine(im)) return (flow){0};
  if (is_decided(im, any, &holds)) return holds ? go(im, label, target, end) : switch_from(im, label, x, k, end);
  kgi_if_begin(&im->b, any);
  flow a = go(im, label, target, end);
  if (kgi_im_fine(im)) kgi_else(&im->b);
  flow b = switch_from(im, label, x, k, end);
  kgi_end(&im->b);
  return both(a, b);
}

/* A case that runs into the next one has that one's blocks once more. */
static flow switches(kgi_import *im, uint32_t label, const kgi_im_inst *x, uint32_t merge) {
  for (uint32_t k = 0, target; (target = follower(im, x, k)) != 0 && kgi_im_fine(im); k++)
    if (target != merge && exit_to(im, target) < 0) declare_phis(im, target);
  open_exit(im, merge, false);
  flow out = switch_from(im, label, x, 1, merge);
  im->exits--;
  if (out.exits >> im->exits & 1) out.falls = true, out.exits &= ~(UINT64_C(1) << im->exits);
  return out;
}

/* What a loop repeats: its blocks up to the target of `continue`, and from there back to the header. */
static flow repeated(kgi_import *im, uint32_t header, uint32_t target) {
  uint32_t at = im->exits;
  if (target == header) return walk(im, header, header);
  share_phis(im, header, target, true);
  declare_phis(im, target);
  open_exit(im, target, false);
  flow out = walk(im, header, target);
  im->exits = at;
  uint64_t own = UINT64_C(1) << at;
  if (out.exits & own) out.falls = true, out.exits &= ~own;
  if (!out.falls) return out;
  flow back = walk(im, target, header);
  return (flow){back.falls, back.exits | out.exits};
}

/* Behind a loop that was left for something further out than its end: out of the loop around it, or past what stands behind. */
static flow behind_loop(kgi_import *im, uint64_t exits, bool ended) {
  uint64_t further = 0;
  for (uint32_t i = 0; i < im->exits; i++)
    if (exits >> i & 1 && (im->exit[i].loops < im->loops || im->exit[i].breaks)) further |= UINT64_C(1) << i;
  if (further && kgi_im_fine(im)) {
    kgi_if_begin(&im->b, is_leaving(im, further));
    kgi_break_here(&im->b);
    kgi_end(&im->b);
  }
  im->loop_exits |= further;
  return (flow){ended, exits & ~further};
}

static flow loop(kgi_import *im, uint32_t header, const kgi_im_inst *x) {
  uint32_t merge = kgi_im_arg(im, x, 0), target = kgi_im_arg(im, x, 1), at = im->exits;
  uint64_t around = im->loop_exits, own = (UINT64_C(1) << at) - 1;
  share_phis(im, header, merge, false);
  declare_phis(im, merge);
  im->loops++;
  open_exit(im, merge, true);
  if (!kgi_im_fine(im)) return (flow){0};
  kgi_while_begin(&im->b);
  kgi_while_body(&im->b, kgi_bool(&im->b, true), (kgi_dim){0});
  im->in_loop = header;
  im->loop_exits = 0;
  flow out = repeated(im, header, target);
  kgi_end(&im->b);
  uint64_t left = im->loop_exits;
  bool ended = im->exit[at].reached;
  im->exits = at;
  im->loops--;
  im->loop_exits = around;
  return behind_loop(im, (out.exits | left) & own, ended);
}

/* ---- the walk ---- */

static flow returns(kgi_import *im, const kgi_im_inst *x, uint32_t end) {
  if (x->op == SpvOpReturnValue) {
    kgi_val *leaves = kgi_im_value(im, kgi_im_arg(im, x, 0));
    uint32_t count = kgi_im_fine(im) ? im->leaves[kgi_im_type_of(im, x->arg[0])] : 0;
    if (count != im->result_leaves) return kgi_im_malformed(im, x->at, "a result of another type than the function's"), (flow){0};
    if (!im->result) im->returned = leaves;
    for (uint32_t k = 0; k < count && im->result && kgi_im_fine(im); k++) kgi_im_keep(im, im->result[k], leaves[k]);
  }
  if (!end) return (flow){.falls = true};
  int i = exit_to(im, 0);
  return i >= 0 ? leave(im, (uint32_t)i) : (flow){0};
}

static void instructions(kgi_import *im, uint32_t label, uint32_t end_at) {
  for (uint32_t at = kgi_im_next(im, label_at(im, label)); at < end_at && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    im->walked = at;
    kgi_im_note_line(im, &x);
    if (!kgi_im_count_step(im, &x)) return;
    if (x.op == SpvOpPhi) load_phi(im, &x); else kgi_im_instruction(im, &x);
  }
}

/* One block, and what its merge instruction heads. `next`: where control goes on; 0: it does not. */
static flow block(kgi_import *im, uint32_t label, uint32_t end, uint32_t *next) {
  ending e = ending_of(im, label);
  uint32_t merge = e.selection.args ? e.selection.arg[0] : 0;
  *next = 0;
  if (e.loop.op == SpvOpLoopMerge && im->in_loop != label) return *next = kgi_im_arg(im, &e.loop, 0), loop(im, label, &e.loop);
  im->in_loop = 0;
  instructions(im, label, e.end.at);
  if (!kgi_im_fine(im)) return (flow){0};
  switch ((unsigned)e.end.op) {
  case SpvOpBranch: return *next = kgi_im_arg(im, &e.end, 0), (flow){.falls = true};
  case SpvOpReturn: case SpvOpReturnValue: return returns(im, &e.end, end);
  case SpvOpUnreachable: return (flow){0};
  case SpvOpBranchConditional: case SpvOpSwitch: break;
  default: return kgi_im_refuse(im, &e.end, "a compute shader cannot end a block so"), (flow){0};
  }
  bool is_switch = e.end.op == SpvOpSwitch;
  if (!merge || (!is_switch && (!reaches(im, kgi_im_arg(im, &e.end, 1), merge, end) ||
                                !reaches(im, kgi_im_arg(im, &e.end, 2), merge, end))))
    return is_switch ? switch_from(im, label, &e.end, 1, end) : branch(im, label, &e.end, end);
  declare_phis(im, merge);
  *next = merge;
  return is_switch ? switches(im, label, &e.end, merge) : branch(im, label, &e.end, merge);
}

static flow walk(kgi_import *im, uint32_t label, uint32_t end) {
  uint64_t exits = 0;
  while (kgi_im_fine(im)) {
    uint32_t next = 0;
    bool plain = ending_of(im, label).end.op == SpvOpBranch && !(ending_of(im, label).loop.args && im->in_loop != label);
    flow out = block(im, label, end, &next);
    if (!next || !out.falls) return (flow){out.falls && !next, out.exits | exits};
    if (plain) store_phis(im, label, next);
    if (out.exits) {
      flow rest = go_on(im, out, next, end);
      rest.exits |= exits;
      return rest;
    }
    if (next == end) return (flow){.falls = true, .exits = exits};
    int i = exit_to(im, next);
    if (i >= 0) {
      flow left = leave(im, (uint32_t)i);
      left.exits |= exits;
      return left;
    }
    label = next;
  }
  return (flow){0};
}

/* ---- functions ---- */

/* How many instructions give its result; the values of another call are forgotten. */
static uint32_t begin_function(kgi_import *im, uint32_t at) {
  uint32_t count = 0;
  for (kgi_im_inst x = kgi_im_at(im, at); x.at && x.op != SpvOpFunctionEnd; x = kgi_im_at(im, at = kgi_im_next(im, at))) {
    if (!kgi_im_count_step(im, &x)) return 0;
    im->value[x.result] = NULL;
    count += x.op == SpvOpReturnValue;
  }
  return count;
}

static uint32_t bind_parameters(kgi_import *im, const kgi_im_inst *call, uint32_t at) {
  uint32_t k = 1;
  kgi_im_inst x = following(im, &at);
  for (; x.op == SpvOpFunctionParameter && kgi_im_fine(im); x = following(im, &at), k++) {
    uint32_t id = call ? kgi_im_arg(im, call, k) : 0;
    if (!id || !kgi_im_fine(im)) break;
    if (kgi_im_def(im, x.type).op == SpvOpTypePointer) im->place[x.result] = kgi_im_pointer(im, id);
    else if (kgi_im_is_array(im, x.type) && kgi_im_type_of(im, id) == x.type) im->place[x.result] = im->place[id];
    else if (kgi_im_type_of(im, id) != x.type) kgi_im_malformed(im, call->at, "an argument of another type than the parameter");
    else im->value[x.result] = kgi_im_value(im, id);
  }
  if (x.op != SpvOpLabel) kgi_im_refuse(im, &x, "a function without a body is not supported");
  return x.result;
}

static void declare_result(kgi_import *im, uint32_t type) {
  uint32_t *types = kgi_arena_alloc(im->arena, im->result_leaves, sizeof *types);
  im->result = kgi_arena_alloc(im->arena, im->result_leaves, sizeof *im->result);
  if (!types || !im->result || kgi_im_leaf_types(im, type, types) != im->result_leaves) return;
  for (uint32_t k = 0; k < im->result_leaves && kgi_im_fine(im); k++)
    im->result[k] = kgi_var(&im->b, "result", kgi_im_scalar_of(im, types[k]).value, (kgi_dim){0});
}

static kgi_val *results(kgi_import *im) {
  if (!im->result) return im->returned;
  kgi_val *out = kgi_im_room(im, im->result_leaves);
  for (uint32_t k = 0; k < im->result_leaves && out && kgi_im_fine(im); k++) out[k] = kgi_im_load_kept(im, im->result[k]);
  return out;
}

/* How a shader cuts what its gradient follows: SPIR-V has no operation for that. Compilers add parameters or a number to the name. */
static bool cuts(const kgi_import *im, uint32_t function) {
  static const char cut[] = "kgrad_stop_gradient";
  const char *name = kgi_im_name_of(im, function, KGI_IM_NONE);
  return !strncmp(name, cut, sizeof cut - 1) && strchr("(_.<", name[sizeof cut - 1]);
}

static void cut(kgi_import *im, kgi_val *leaves) {
  for (uint32_t k = 0; k < im->result_leaves && leaves && kgi_im_fine(im); k++)
    if (kgi_type_of(im->b.p, leaves[k]) != KG_BOOL) leaves[k] = kgi_op1(&im->b, KGI_OP_stop_gradient, leaves[k]);
}

/* A function's body in the place of its call. Nothing is live of one of its own calls: none may call itself. */
void kgi_im_call(kgi_import *im, const kgi_im_inst *x) {
  enum { MOST_CALLS = 40 };
  kgi_im_inst f = kgi_im_def(im, kgi_im_arg(im, x, 0));
  kgi_obj *result = im->result;
  uint32_t leaves = im->result_leaves;
  if (!kgi_im_fine(im)) return;
  if (f.op != SpvOpFunction) return (void)kgi_im_malformed(im, x->at, "a call of something that is no function");
  if (im->calls == MOST_CALLS) return (void)kgi_im_refuse(im, x, "functions that call others so deep are not supported");
  if (cuts(im, f.result) && !im->leaves[f.type])
    return (void)kgi_im_refuse(im, x, "kgrad_stop_gradient cuts what it returns, and one that returns nothing is not supported");
  uint32_t several = begin_function(im, f.at), label = bind_parameters(im, x, f.at);
  if (!kgi_im_fine(im)) return;
  im->calls++;
  im->result = NULL, im->returned = NULL, im->result_leaves = im->leaves[f.type];
  if (several > 1) declare_result(im, f.type);
  open_exit(im, 0, false);
  if (kgi_im_fine(im)) walk(im, label, 0);
  im->exits--;
  im->calls--;
  kgi_val *out = im->result_leaves && kgi_im_fine(im) ? results(im) : NULL;
  if (out && cuts(im, f.result)) cut(im, out);
  if (out) kgi_im_bind(im, x, out);
  im->result = result, im->result_leaves = leaves;
}

void kgi_im_walk_entry(kgi_import *im) {
  kgi_im_inst f = kgi_im_def(im, im->entry);
  if (!kgi_im_fine(im)) return;
  if (f.op != SpvOpFunction) return (void)kgi_im_malformed(im, f.at, "an entry point that is no function");
  uint32_t label = bind_parameters(im, NULL, f.at);
  open_exit(im, 0, false);
  if (kgi_im_fine(im)) walk(im, label, 0);
}
