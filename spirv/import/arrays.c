/* Arrays whose length a specialization constant says, as values. They have no leaves, and stay in memory: a load copies them into a
 * variable of its own, by loops, but where a store behind it is all that uses them. A phi is a variable, too, into which each way copies. */
#include "spirv/import/import.h"

bool kgi_im_is_array(kgi_import *im, uint32_t type) {
  return kgi_im_fine(im) && type < im->bound && !im->leaves[type] && kgi_im_def(im, type).op == SpvOpTypeArray;
}

static void copy(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from);

static void copy_part(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from, kgi_im_index index) {
  kgi_im_place inner_to = *to, inner_from = *from;
  if (kgi_im_step(im, at, &inner_to, index) && kgi_im_step(im, at, &inner_from, index)) copy(im, at, &inner_to, &inner_from);
}

static void copy_elements(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from, const kgi_im_inst *type) {
  kgi_val length = kgi_im_scalar_value(im, kgi_im_arg(im, type, 1));
  if (!kgi_im_fine(im)) return;
  length = kgi_convert(&im->b, KG_U32, length);
  kgi_val i = kgi_for_begin(&im->b, "i", kgi_u32(&im->b, 0), length, (kgi_val){0}, false);
  copy_part(im, at, to, from, (kgi_im_index){.value = i});
  kgi_end(&im->b);
}

static void copy(kgi_import *im, uint32_t at, const kgi_im_place *to, const kgi_im_place *from) {
  kgi_im_inst type = kgi_im_def(im, to->type);
  if (!kgi_im_fine(im)) return;
  if (im->leaves[to->type]) return kgi_im_store(im, to, kgi_im_load(im, from));
  if (type.op == SpvOpTypeArray) return copy_elements(im, at, to, from, &type);
  kgi_im_refuse(im, &type, "as a value it has too many parts");
}

static bool is_of_invocation(const kgi_import *im, const kgi_im_place *place) {
  SpvStorageClass class = im->variable[place->variable].class;
  return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

/* Element by element is the same as all at once where the two share no element, or each its own: so it is with memory of an
 * invocation. */
static void copy_all(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to, const kgi_im_place *from) {
  if (to->type != from->type) return (void)kgi_im_malformed(im, x->at, "a store of another type than its pointer's");
  if (is_of_invocation(im, to) || is_of_invocation(im, from)) return copy(im, x->at, to, from);
  kgi_im_refuse(im, x, "arrays of a specialized length are copied from and to variables of an invocation");
}

/* ---- loads ---- */

/* Whether a store is all that uses it, and stands behind it with nothing in between. */
static bool is_only_stored(kgi_import *im, const kgi_im_inst *load) {
  kgi_im_inst next = kgi_im_at(im, kgi_im_next(im, load->at));
  while (next.op == SpvOpLine || next.op == SpvOpNoLine) next = kgi_im_at(im, kgi_im_next(im, next.at));
  if (next.op != SpvOpStore || next.args < 2 || next.arg[1] != load->result) return false;
  for (kgi_im_inst x = next; x.at && x.op != SpvOpFunctionEnd; x = kgi_im_at(im, kgi_im_next(im, x.at))) {
    if (!kgi_im_count_step(im, &x)) return false;
    for (uint32_t k = 0; k < x.args; k++)
      if (x.arg[k] == load->result && !(x.at == next.at && k == 1)) return false;
  }
  return true;
}

/* A variable of its own, for what an instruction gives. */
static kgi_im_place *declare_own(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_place *own = kgi_arena_alloc(im->arena, 1, sizeof *own);
  uint32_t before = im->b.p->inst_count;
  if (!own || !kgi_im_declare_var(im, x->result)) return NULL;
  *own = (kgi_im_place){.variable = x->result, .type = x->type, .column = im->variable[x->result].first, .declared = before};
  return own;
}

/* What lies there may change. */
void kgi_im_load_array(kgi_import *im, const kgi_im_inst *x, kgi_im_place *from) {
  im->place[x->result] = from;
  if (is_only_stored(im, x) || !kgi_im_fine(im)) return;
  kgi_im_place *own = declare_own(im, x);
  if (!own) return;
  copy(im, x->at, own, from);
  im->place[x->result] = own;
}

/* ---- uses ---- */

/* The vars of a copy, which stand one behind the other, go where the cursor sees them: in front of all constructs, since a declaration
 * in front of a loop's test would hide that the loop counts. Where they can be, cleaning puts them back. */
static bool show(kgi_import *im, const kgi_im_place *place) {
  kgi_program *p = im->b.p;
  uint32_t first = place->declared;
  if (!first || kgi_im_is_open(p, p->inst[first].block, im->b.at.block)) return true;
  uint32_t holder = kgi_im_around(p, first, KGI_BODY);
  for (uint32_t i = first; holder && i < p->inst_count && p->inst[i].kind == KGI_var; i++) kgi_move(p, i, kgi_before(p, holder));
  return holder != 0;
}

static const kgi_im_place *place_of(kgi_import *im, uint32_t id) {
  kgi_im_inst x = kgi_im_def(im, id);
  const kgi_im_place *place = kgi_im_fine(im) ? im->place[id] : NULL;
  bool known = place && (x.op == SpvOpLoad || x.op == SpvOpFunctionParameter || x.op == SpvOpPhi);
  if (known && show(im, place)) return place;
  if (kgi_im_fine(im)) kgi_im_refuse(im, &x, "an array of a specialized length is used where its copy cannot be seen");
  return NULL;
}

void kgi_im_store_array(kgi_import *im, const kgi_im_inst *x, const kgi_im_place *to) {
  const kgi_im_place *from = place_of(im, kgi_im_arg(im, x, 1));
  if (from) copy_all(im, x, to, from);
}

void kgi_im_extract_from_array(kgi_import *im, const kgi_im_inst *x) {
  const kgi_im_place *from = place_of(im, kgi_im_arg(im, x, 0));
  if (!from) return;
  kgi_im_place inner = *from;
  for (uint32_t k = 1; k < x->args && kgi_im_fine(im); k++) {
    kgi_im_index index = {.value = kgi_u32(&im->b, x->arg[k]), .known = true, .is = x->arg[k]};
    kgi_im_step(im, x->at, &inner, index);
  }
  if (kgi_im_fine(im) && inner.type != x->type) kgi_im_malformed(im, x->at, "operands that do not fit each other");
  if (kgi_im_fine(im) && im->leaves[x->type]) kgi_im_bind(im, x, kgi_im_load(im, &inner));
  else if (kgi_im_fine(im)) kgi_im_refuse(im, x, "as a value it has too many parts");
}

/* ---- phis ---- */

void kgi_im_declare_array_phi(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_place *own = declare_own(im, x);
  if (!own || !kgi_im_fine(im)) return;
  im->place[x->result] = own;
  im->phi[x->result] = (kgi_im_phi){im->local[x->result], own->declared};
}

/* The variable that a phi takes over from; 0: zeros. */
static uint32_t origin_of(const kgi_import *im, const kgi_im_handed *h) { return im->place[h->from] ? im->place[h->from]->variable : 0; }

/* Whether another one, which was not stored yet, takes over what that phi was. */
static bool is_awaited(kgi_import *im, const kgi_im_handed *handed, uint32_t count, uint32_t k) {
  bool awaited = false;
  for (uint32_t i = 0; i < count && !awaited; i++) {
    if (!kgi_im_count_step(im, &handed[i].phi)) return true;
    awaited = i != k && !handed[i].stored && origin_of(im, &handed[i]) == handed[k].phi.result;
  }
  return awaited;
}

static void store_phi(kgi_import *im, const kgi_im_handed *h) {
  const kgi_im_place *to = im->place[h->phi.result];
  SpvOp op = kgi_im_def(im, h->from).op;
  if (!to || !kgi_im_fine(im)) return;
  if (op == SpvOpUndef || op == SpvOpConstantNull) return kgi_im_zero(im, h->phi.at, to);
  const kgi_im_place *from = place_of(im, h->from);
  if (from && from->variable != to->variable) copy_all(im, &h->phi, to, from);
}

/* They change at the same time, and none may be overwritten before it was taken over. */
void kgi_im_store_array_phis(kgi_import *im, kgi_im_handed *handed, uint32_t count) {
  uint32_t left = count;
  for (bool moved = true; left && moved && kgi_im_fine(im);) {
    moved = false;
    for (uint32_t k = 0; k < count && kgi_im_fine(im); k++) {
      if (handed[k].stored || is_awaited(im, handed, count, k)) continue;
      store_phi(im, &handed[k]);
      handed[k].stored = moved = true, left--;
    }
  }
  for (uint32_t k = 0; left && k < count && kgi_im_fine(im); k++) {
    if (handed[k].stored) continue;
    kgi_im_refuse(im, &handed[k].phi, "arrays of a specialized length that change places in a loop are not supported");
  }
}
