/* Values that a branch chooses: an `if` of which both sides only store to the same vars becomes `select`, or for conditions `&&` and `||`.
 * Whatever the sides compute is then computed in any case, so no float is: its derivative, which has a zero for a cotangent where the
 * other side is taken, could be infinite. Loads of memory stay, too: out of bounds they are counted. */
#include "foundation/passes/passes.h"

enum { MOST_STORES = 2, MOST_OPS = 4 };

typedef struct side { uint32_t object[MOST_STORES], value[MOST_STORES], stores, ops; bool fits; } side;

static bool is_scalar_var(const kgi_program *p, uint32_t object) {
  return p->scope.object[object].space == KGI_VAR && p->scope.object[object].scalar;
}

static side look(const kgi_program *p, kgi_blk block) {
  side s = {.fits = block != 0};
  for (uint32_t i = p->block[block].first; i && s.fits; i = p->inst[i].next) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_op) {
      s.fits = ++s.ops <= MOST_OPS && !kgi_is_float(x->type) && x->op != KGI_OP_flat_index;
    } else if (x->kind == KGI_store && s.stores < MOST_STORES) {
      s.fits = is_scalar_var(p, x->arg[0]);
      s.object[s.stores] = x->arg[0], s.value[s.stores++] = x->arg[2];
    } else {
      s.fits = x->kind == KGI_load && !s.stores && is_scalar_var(p, x->arg[0]);
    }
  }
  return s;
}

/* The other side's value of the same var; 0: it stores none. */
static uint32_t partner(const side *s, uint32_t object) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < s->stores; k++)
    if (s->object[k] == object) found = s->value[k];
  return found;
}

static bool is_bool(const kgi_program *p, uint32_t value, bool is) {
  return p->inst[value].kind == KGI_literal && p->inst[value].type == KG_BOOL && (p->inst[value].arg[0] != 0) == is;
}

/* What a value is on the side of the condition on which it stands: 1 true, 0 false, -1 not known. */
static int known(const kgi_program *p, uint32_t value, uint32_t condition, bool taken) {
  if (is_bool(p, value, true) || is_bool(p, value, false)) return is_bool(p, value, true);
  if (value == condition) return taken;
  return kgi_are_opposite(p, value, condition) ? !taken : -1;
}

/* The negation of the condition: `is`, if that is known to be one. */
static kgi_val turned(kgi_builder *b, uint32_t condition, uint32_t is) {
  if (kgi_are_opposite(b->p, condition, is)) return (kgi_val){is};
  return kgi_op1(b, KGI_OP_not, (kgi_val){condition});
}

static kgi_val choice(kgi_builder *b, uint32_t c, uint32_t yes, uint32_t no) {
  kgi_val condition = {c}, y = {yes}, n = {no};
  if (kgi_type_of(b->p, y) == KG_BOOL) {
    int if_yes = known(b->p, yes, c, true), if_no = known(b->p, no, c, false);
    if (if_no == 0) return kgi_op2(b, KGI_OP_and, condition, y);
    if (if_no == 1) return kgi_op2(b, KGI_OP_or, turned(b, c, no), y);
    if (if_yes == 1) return kgi_op2(b, KGI_OP_or, condition, n);
    if (if_yes == 0) return kgi_op2(b, KGI_OP_and, turned(b, c, yes), n);
  }
  return kgi_op3(b, KGI_OP_select, condition, y, n);
}

static void move_ahead(kgi_program *p, kgi_blk block, uint32_t at) {
  for (uint32_t i = p->block[block].first, next; i; i = next) {
    next = p->inst[i].next;
    if (p->inst[i].kind != KGI_store) kgi_move(p, i, kgi_before(p, at));
  }
}

static void visit(kgi_builder *b, kgi_program *p, uint32_t i) {
  const kgi_inst x = p->inst[i];
  side yes = look(p, x.arg[1]), no = look(p, x.arg[2]);
  if (!yes.fits || !no.fits || !yes.stores || yes.stores != no.stores) return;
  for (uint32_t k = 0; k < yes.stores; k++)
    if (!partner(&no, yes.object[k]) || !partner(&yes, no.object[k]) || partner(&yes, yes.object[k]) != yes.value[k]) return;
  move_ahead(p, x.arg[1], i);
  move_ahead(p, x.arg[2], i);
  kgi_val value[MOST_STORES];
  b->at = kgi_before(p, i);
  b->pos = p->inst_pos[i];
  for (uint32_t k = 0; k < yes.stores; k++) value[k] = choice(b, x.arg[0], yes.value[k], partner(&no, yes.object[k]));
  for (uint32_t k = 0; k < yes.stores; k++) kgi_store(b, (kgi_obj){yes.object[k]}, (kgi_val){0}, value[k]);
  if (b->status == KG_OK) kgi_remove(p, i);
}

/* Inner ones first: what they become is no `if`. */
static void visit_block(kgi_builder *b, kgi_program *p, kgi_blk block) {
  for (uint32_t i = p->block[block].first, next; i && b->status == KG_OK; i = next) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) visit_block(b, p, p->inst[i].arg[blocks.first + n]);
    next = p->inst[i].next;
    if (p->inst[i].kind == KGI_if && p->inst[i].arg[2]) visit(b, p, i);
  }
}

kg_status kgi_choose_values(kg_module *m, kgi_program *p) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  b.simplify = true;
  visit_block(&b, p, KGI_BODY);
  return kgi_builder_status(&b);
}
