/* A condition of two parts that says whether to go on, of which the second is computed in a branch, as compilers write a && b:
 *
 *     if a { B  v = b } else { v = false }  if !v { break }     becomes     if !a { break }  B  if !b { break }
 *
 * and likewise if c { v = true } else { B  v = d }  if v { break }, and where v is set in front, and the branch has one arm. Then what the
 * first part says stands in the loop itself: that it counts. The first exit is taken where v would have said so, and else the branch's arm
 * would have been; nobody else looks at v, and nothing but computing stands between the branch and the exit. A condition of three parts or
 * more becomes as many exits. */
#include "foundation/passes/passes.h"

typedef struct exits {
  kgi_builder b;
  kgi_program *p;
  uint32_t *loads; /* by object, how many there are */
} exits;

/* An `if` that leaves where the var is `when`, and the branch in front of it. */
typedef struct exit_of { uint32_t leave, branch, object; bool when; } exit_of;

static bool is_literal(const kgi_program *p, uint32_t value, bool is) {
  return p->inst[value].kind == KGI_literal && p->inst[value].type == KG_BOOL && !p->inst[value].arg[1] && (p->inst[value].arg[0] != 0) == is;
}

/* In front of it, past what only computes. */
static uint32_t in_front(const kgi_program *p, uint32_t i) {
  for (i = p->inst[i].prev; i; i = p->inst[i].prev) {
    const kgi_inst *x = &p->inst[i];
    bool own = x->kind == KGI_load && p->scope.object[x->arg[0]].space == KGI_VAR;
    if (x->kind != KGI_op && !own && x->kind != KGI_literal) break;
  }
  return i;
}

/* Of a branch that does nothing but leave: the jump. */
static uint32_t jump_of(const kgi_program *p, uint32_t i) {
  const kgi_inst *leave = &p->inst[i];
  if (leave->kind != KGI_if || leave->arg[2]) return 0;
  uint32_t only = p->block[leave->arg[1]].first;
  return only && kgi_ends(&p->inst[only]) ? only : 0;
}

static bool find(const exits *e, uint32_t i, exit_of *x) {
  const kgi_program *p = e->p;
  if (!jump_of(p, i)) return false;
  const kgi_inst *leave = &p->inst[i], *condition = &p->inst[leave->arg[0]];
  bool negated = condition->kind == KGI_op && condition->op == KGI_OP_not;
  const kgi_inst *load = negated ? &p->inst[condition->arg[0]] : condition;
  if (load->kind != KGI_load || load->type != KG_BOOL || load->block != leave->block) return false;
  *x = (exit_of){.leave = i, .branch = in_front(p, i), .object = load->arg[0], .when = !negated};
  const kgi_object *o = &p->scope.object[x->object];
  if (o->space != KGI_VAR || !o->scalar || e->loads[x->object] != 1 || p->inst[x->branch].kind != KGI_if) return false;
  for (uint32_t at = (uint32_t)(load - p->inst); at != i; at = p->inst[at].next)
    if (!at || at == x->branch) return false;
  return true;
}

/* The last of the block stores to the var, and nothing else in there does. */
static uint32_t last_store(const kgi_program *p, kgi_blk block, uint32_t object) {
  uint32_t last = block ? p->block[block].last : 0;
  if (!last || p->inst[last].kind != KGI_store || p->inst[last].arg[0] != object) return 0;
  KGI_EACH_INSIDE(p, block, i)
    if (i != last && kgi_touches(&p->inst[i]) && p->inst[i].arg[0] == object) return 0;
  return last;
}

/* The arm does no more than say so: by a literal, or by the condition that led there. */
static bool says_leave(const kgi_program *p, const exit_of *x, kgi_blk arm, bool taken) {
  uint32_t store = last_store(p, arm, x->object);
  if (!store || p->block[arm].first != store) return false;
  uint32_t value = p->inst[store].arg[2], condition = p->inst[x->branch].arg[0];
  if (is_literal(p, value, x->when)) return true;
  return taken == x->when ? value == condition : kgi_are_opposite(p, value, condition);
}

/* The branch has no other arm, and the var was set right in front of it. */
static bool said_leave(const kgi_program *p, const exit_of *x) {
  for (uint32_t i = p->inst[x->branch].prev; i; i = p->inst[i].prev) {
    const kgi_inst *s = &p->inst[i];
    if (s->kind == KGI_store && s->arg[0] == x->object) return is_literal(p, s->arg[2], x->when);
    if (kgi_kind_rows[s->kind].blocks.count || kgi_ends(s) || (s->kind == KGI_var && s->arg[0] == x->object)) return false;
  }
  return false;
}

/* The arm that computes the second part; 0: it is no such branch. `taken`: it is the one where the condition holds. */
static kgi_blk second_part(const kgi_program *p, const exit_of *x, bool *taken) {
  kgi_blk yes = p->inst[x->branch].arg[1], no = p->inst[x->branch].arg[2];
  *taken = !no || says_leave(p, x, no, false);
  bool fits = no ? *taken || says_leave(p, x, yes, true) : said_leave(p, x);
  return fits && last_store(p, *taken ? yes : no, x->object) ? *taken ? yes : no : 0;
}

/* The new exit. */
static uint32_t leave_if(exits *e, const exit_of *x, kgi_val condition) {
  kgi_builder *b = &e->b;
  uint32_t leave = e->p->inst_count;
  kgi_inst jump = e->p->inst[jump_of(e->p, x->leave)];
  kgi_if_begin(b, condition);
  if (jump.kind == KGI_break) kgi_break_here(b);
  else if (jump.kind == KGI_continue) kgi_continue_here(b);
  else kgi_return_here(b);
  kgi_end(b);
  return leave;
}

static kgi_val where(exits *e, uint32_t condition, bool holds) { return holds ? (kgi_val){condition} : kgi_negated(&e->b, condition); }

/* The trip has stored to the scalar in front of the branch. */
static bool is_set_before(const kgi_program *p, uint32_t object, uint32_t branch) {
  bool found = false;
  for (uint32_t i = p->inst[branch].prev; i && !found; i = p->inst[i].prev) found = p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object;
  return found && p->scope.object[object].scalar;
}

/* Where the loop's body ends with the exit, and the second part only computes, it may as well be asked first: a counter is looked for at
 * the end then. What it loads must be there without the first part's word. */
static bool is_asked_first(const exits *e, const exit_of *x, kgi_blk part) {
  const kgi_program *p = e->p;
  uint32_t around = p->block[p->inst[x->leave].block].owner;
  if (p->inst[x->leave].next || p->inst[around].kind != KGI_while) return false;
  KGI_EACH(p, part, i) {
    const kgi_inst *inst = &p->inst[i];
    bool own = kgi_touches(inst) && p->scope.object[inst->arg[0]].space == KGI_VAR;
    bool fits = inst->kind == KGI_op || (own && inst->kind == KGI_store && i == p->block[part].last);
    if (!fits && !(own && inst->kind == KGI_load && is_set_before(p, inst->arg[0], x->branch))) return false;
  }
  return true;
}

static void take_apart(exits *e, uint32_t i) {
  exit_of x;
  bool taken;
  kgi_blk part = find(e, i, &x) ? second_part(e->p, &x, &taken) : 0;
  if (!part) return;
  uint32_t said = e->p->inst[last_store(e->p, part, x.object)].arg[2], first = e->p->inst[x.branch].arg[0];
  bool later = is_asked_first(e, &x, part);
  uint32_t made = 0;
  e->b.at = kgi_before(e->p, x.branch), e->b.pos = e->p->inst_pos[x.leave];
  kgi_val asked = later ? (kgi_val){0} : where(e, first, !taken);
  if (!later) made = leave_if(e, &x, asked);
  for (uint32_t k = e->p->block[part].first, next; k; k = next) {
    next = e->p->inst[k].next;
    kgi_move(e->p, k, kgi_before(e->p, x.branch));
  }
  kgi_remove(e->p, x.branch);
  e->b.at = kgi_before(e->p, x.leave);
  kgi_val second = where(e, said, x.when);
  e->p->inst[x.leave].arg[0] = second.i;
  e->b.at = kgi_behind(e->p, x.leave);
  if (later) {
    asked = where(e, first, !taken);
    made = leave_if(e, &x, asked);
  }
  if (e->b.status == KG_OK) take_apart(e, made); /* of three parts */
}

/* ---- three parts and more, all of them there ---- */

enum { MOST_PARTS = 8 };
typedef struct parts { kgi_op op; uint32_t part[MOST_PARTS]; unsigned count, numbers; } parts; /* `numbers`: comparisons of integers */

static bool compares_numbers(const kgi_program *p, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  kgi_op opposite;
  return x->kind == KGI_op && kgi_opposite((kgi_op)x->op, &opposite) && kgi_is_int(p->inst[x->arg[0]].type);
}

static bool collect(const kgi_program *p, uint32_t value, parts *all) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind == KGI_op && x->op == all->op && x->type == KG_BOOL) return collect(p, x->arg[0], all) && collect(p, x->arg[1], all);
  if (all->count == MOST_PARTS) return false;
  all->numbers += compares_numbers(p, value);
  all->part[all->count++] = value;
  return true;
}

/* if !(k < n && a && b) { break } in the body of a loop is an exit for each part: whoever looks for a counter looks at the first one where the
 * body begins, and at the last where it ends. */
static void part_exit(exits *e, uint32_t i) {
  kgi_program *p = e->p;
  exit_of x = {.leave = i};
  uint32_t jump = jump_of(p, i), around = p->block[p->inst[i].block].owner;
  if (p->inst[jump].kind != KGI_break || p->inst[around].kind != KGI_while) return;
  const kgi_inst *leave = &p->inst[i], *condition = &p->inst[leave->arg[0]];
  bool negated = condition->kind == KGI_op && condition->op == KGI_OP_not, last = !leave->next;
  parts all = {.op = negated ? KGI_OP_and : KGI_OP_or};
  if (!collect(p, negated ? condition->arg[0] : leave->arg[0], &all) || all.count < 3 || all.numbers != 1) return;
  e->b.at = kgi_before(p, i), e->b.pos = p->inst_pos[i];
  for (unsigned k = 0; k < 2 * all.count; k++) {
    uint32_t part = all.part[k % all.count];
    if (compares_numbers(p, part) != ((k < all.count) != last)) continue;
    kgi_val asked = where(e, part, !negated);
    leave_if(e, &x, asked);
  }
  if (e->b.status == KG_OK) kgi_remove(p, i);
}

static void visit(exits *e, kgi_blk block) {
  for (uint32_t i = e->p->block[block].first, next; i; i = next) {
    kgi_span owned = kgi_owned_blocks(&e->p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) visit(e, e->p->inst[i].arg[owned.first + k]);
    next = e->p->inst[i].next;
    take_apart(e, i);
    part_exit(e, i);
  }
}

kg_status kgi_leave_in_turn(kg_module *m, kgi_program *p) {
  exits e = {.p = p};
  kgi_arena scratch;
  kg_allocator alloc = m->arena.alloc;
  kgi_arena_init(&scratch, &alloc);
  kgi_builder_init(&e.b, m, NULL);
  kgi_resume_program(&e.b, p);
  e.loads = kgi_arena_alloc(&scratch, p->scope.object_count, sizeof *e.loads);
  if (e.loads) {
    KGI_EACH_INSIDE(p, KGI_BODY, i)
      if (kgi_touches(&p->inst[i]) && p->inst[i].kind != KGI_store) e.loads[p->inst[i].arg[0]]++;
    visit(&e, KGI_BODY);
  }
  kg_status status = scratch.failed ? KG_NO_MEMORY : kgi_builder_status(&e.b);
  kgi_arena_free(&scratch);
  return status;
}
