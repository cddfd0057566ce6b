/* Addresses of buffers as numbers: of 64 bits, or of two words, which the shader turns into pointers.
 *
 * What a number of the host's memory is, is remembered of the value that the walk builds, so that it stays known through structs, arguments and
 * results. Through vars it goes by what is stored to them: a var that always holds what lies at one place is that number wherever it is loaded.
 * That rests on all stores of the var, also on those that the walk comes to later, in a loop: one that stores something else is refused if a
 * pointer was made of the number before.
 *
 * A number of which nothing but pointers is made is none that anybody needs. The first walk's program is cleaned, and a place of which it
 * loads nothing any more is not declared by the second. */
#include "spirv/import/import.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"

enum { MOST_VARS = 64 };

static kgi_im_address *address_of(kgi_import *im, kgi_val v) { return v.i && v.i < im->addresses ? &im->address[v.i] : NULL; }

static kgi_im_address *new_address(kgi_import *im, kgi_val v) {
  while (kgi_im_fine(im) && im->addresses <= v.i) {
    if (!kgi_arena_grow(im->arena, &im->address, im->addresses, &im->address_cap, sizeof *im->address)) return NULL;
    im->address[im->addresses++] = (kgi_im_address){0};
  }
  return kgi_im_fine(im) ? &im->address[v.i] : NULL;
}

static kgi_im_holder *holder_of(kgi_import *im, kgi_obj var) {
  while (kgi_im_fine(im) && im->holders <= var.i) {
    if (!kgi_arena_grow(im->arena, &im->holder, im->holders, &im->holder_cap, sizeof *im->holder)) return NULL;
    im->holder[im->holders++] = (kgi_im_holder){.element = {{{0}, false, false}}};
  }
  return kgi_im_fine(im) ? &im->holder[var.i] : NULL;
}

/* NULL: nothing is known of that element. */
static kgi_im_held *held_in(kgi_import *im, kgi_obj var, uint32_t element) {
  kgi_im_holder *holder = im->has_addresses && element < KGI_IM_HELD ? holder_of(im, var) : NULL;
  return holder ? &holder->element[element] : NULL;
}

/* ---- where numbers come from ---- */

static bool are_all_known(const kgi_im_place *place) {
  for (uint32_t k = 0; k < place->depth; k++)
    if (!place->index[k].known) return false;
  return true;
}

/* One whose use is told apart from that of others. */
static bool is_one_part(const kgi_im_column *c) {
  uint64_t parts = 1;
  for (uint32_t k = 0; k < c->depth && parts <= 64; k++) parts *= c->length[k] ? 0 : c->count[k];
  return parts && parts <= 64;
}

bool kgi_im_may_be_address(kgi_import *im, const kgi_im_place *place) {
  if (!im->has_addresses || place->column >= im->column_count) return false;
  const kgi_im_column *c = &im->column[place->column];
  kgi_im_scalar s = kgi_im_scalar_of(im, c->scalar);
  bool pairs = c->depth && !c->length[c->depth - 1] && c->count[c->depth - 1] == 2;
  return kgi_im_has_layout(im->variable[place->variable].class) && kgi_is_int(s.value) && (s.bits == 64 || (s.bits == 32 && pairs)) &&
         are_all_known(place) && is_one_part(c);
}

void kgi_im_lies_at(kgi_import *im, kgi_val v, const kgi_im_place *place) {
  kgi_im_place *copy = kgi_arena_alloc(im->arena, 1, sizeof *copy);
  kgi_im_address *a = copy ? new_address(im, v) : NULL;
  if (a) *copy = *place, *a = (kgi_im_address){.place = copy};
}

/* ---- through vars ---- */

/* *relied: the answer rests on what vars hold, and these are marked. */
static const kgi_im_place *place_of(kgi_import *im, kgi_val v, bool relied) {
  for (unsigned k = 0; k < MOST_VARS; k++) {
    const kgi_im_address *a = address_of(im, v);
    if (!a || !a->var.i) return a ? a->place : NULL;
    kgi_im_held *h = held_in(im, a->var, a->element);
    if (!h || h->several) return NULL;
    h->relied |= relied;
    v = h->first;
  }
  return NULL;
}

static bool same_place(const kgi_im_place *a, const kgi_im_place *b) {
  bool same = a && b && a->variable == b->variable && a->column == b->column && a->depth == b->depth;
  for (uint32_t k = 0; same && k < a->depth; k++) same = a->index[k].is == b->index[k].is;
  return same;
}

static void hold(kgi_import *im, kgi_im_held *h, kgi_val v) {
  if (h->several) return;
  if (!h->first.i && address_of(im, v)) return (void)(h->first = v);
  if (h->first.i) {
    const kgi_im_place *first = place_of(im, h->first, false), *other = place_of(im, v, false);
    if (same_place(first, other)) return;
  }
  h->several = true;
  kgi_im_inst here = kgi_im_at(im, im->walked);
  if (h->relied) kgi_im_refuse(im, &here, "a variable holds several addresses in turn");
}

void kgi_im_hold(kgi_import *im, kgi_obj var, uint32_t element, kgi_val v) {
  bool any = element == KGI_IM_NONE;
  for (uint32_t k = any ? 0 : element; k < (any ? KGI_IM_HELD : element + 1) && kgi_im_fine(im); k++) {
    kgi_im_held *h = held_in(im, var, k);
    if (!h) return;
    hold(im, h, v);
  }
}

void kgi_im_is_held(kgi_import *im, kgi_obj var, uint32_t element, kgi_val v) {
  const kgi_im_held *h = held_in(im, var, element);
  kgi_im_address *a = h && h->first.i && !h->several ? new_address(im, v) : NULL;
  if (a) *a = (kgi_im_address){.var = var, .element = element};
}

/* ---- pointers of them ---- */

/* Of two words both halves of one pair: where the pair lies. */
static kgi_im_place *place_of_pair(kgi_import *im, const kgi_im_place *low, const kgi_im_place *high) {
  if (!low || !high || !low->depth || low->depth != high->depth) return NULL;
  kgi_im_place *pair = kgi_arena_alloc(im->arena, 1, sizeof *pair), upper = *high;
  if (!pair) return NULL;
  *pair = *low, pair->depth--, upper.depth--;
  bool fits = low->index[pair->depth].is == 0 && high->index[pair->depth].is == 1;
  return fits && same_place(pair, &upper) ? pair : NULL;
}

void kgi_im_own_address(kgi_import *im, const kgi_im_inst *x) {
  uint32_t id = kgi_im_arg(im, x, 0);
  const kgi_val *leaves = kgi_im_value(im, id);
  if (!leaves || !kgi_im_fine(im)) return;
  uint32_t count = im->leaves[kgi_im_type_of(im, id)];
  const kgi_im_place *from = place_of(im, leaves[0], true);
  if (count == 2) from = place_of_pair(im, from, place_of(im, leaves[1], true));
  if (!kgi_im_fine(im)) return;
  if (from) kgi_im_load_pointer(im, x, from);
  else kgi_im_refuse(im, x, "its address is no member of a block as it lies there");
}

/* ---- what nobody needs ---- */

static void note_loads(kgi_import *im, kgi_blk block) {
  const kgi_program *p = im->b.p;
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span blocks = kgi_owned_blocks(inst);
    const kgi_im_address *a = inst->kind == KGI_load ? address_of(im, (kgi_val){i}) : NULL;
    if (a && a->place) kgi_im_note_load(im, a->place);
    for (unsigned n = 0; n < blocks.count; n++) note_loads(im, inst->arg[blocks.first + n]);
  }
}

kg_status kgi_im_need_addresses(kgi_import *im) {
  kgi_diags quiet = {.sink = NULL};
  if (!im->has_addresses) return KG_OK;
  bool valid = kgi_validate_program(im->b.m, im->b.p, &quiet) == KG_OK; /* where it is not, the second walk says so */
  kg_status status = valid ? kgi_clean(im->b.m, im->b.p) : KG_OK;
  if (status == KG_OK) note_loads(im, KGI_BODY);
  return status;
}
