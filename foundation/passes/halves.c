/* Words of two packed halves, as shaders have them where their language has no halves, become halves:
 *
 *   shared t : u32[n]                                  shared t : f16[n, 2]
 *   t[i] = pack_half_2x16(a, b)                        t[i, 0] = f16(a)  t[i, 1] = f16(b)
 *   unpack_half_2x16(t[j], 1)                          f32(t[j, 1])
 *
 * if all that is stored to shared memory are such words and numbers, and each half is taken out of what is loaded, so that the words are
 * nobody's. What is packed and taken out again at once was rounded: unpack_half_2x16(pack_half_2x16(a, b), 0) is f32(f16(a)). No bit changes:
 * both round to the nearest, and a half is a float. */
#include "foundation/ir/place.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

typedef struct halves {
  kgi_builder *b;
  kgi_program *p;
  bool *fits, *told; /* by object: its words may be halves; some are packed */
} halves;

static bool is_op(const kgi_program *p, uint32_t value, kgi_op op) { return p->inst[value].kind == KGI_op && p->inst[value].op == op; }

/* It takes a half that is known out of a word. */
static bool takes_half(const kgi_program *p, uint32_t i) {
  return is_op(p, i, KGI_OP_unpack_half_2x16) && p->inst[p->inst[i].arg[1]].kind == KGI_literal;
}

static uint32_t half_of(const kgi_program *p, uint32_t i) { return p->inst[p->inst[i].arg[1]].arg[0] % 2; }

/* ---- which words are halves ---- */

static void read_access(halves *h, const kgi_inst *x) {
  uint32_t object = x->arg[0];
  if (x->kind == KGI_store && is_op(h->p, x->arg[2], KGI_OP_pack_half_2x16)) h->told[object] = true;
  else if (x->kind != KGI_load && !(x->kind == KGI_store && h->p->inst[x->arg[2]].kind == KGI_literal)) h->fits[object] = false;
}

static void read_uses(halves *h, uint32_t i) {
  const kgi_inst *x = &h->p->inst[i];
  kgi_span span = kgi_operands(x);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) {
    const kgi_inst *of = &h->p->inst[x->arg[k]];
    if (x->arg[k] && of->kind == KGI_load && !(k == 0 && takes_half(h->p, i))) h->fits[of->arg[0]] = false;
    if (x->arg[k] && of->kind == KGI_len) h->fits[of->arg[0]] = false;
  }
}

static bool find(halves *h) {
  const kgi_scope *s = &h->p->scope;
  bool any = false;
  for (uint32_t o = 1; o < s->object_count; o++)
    h->fits[o] = s->object[o].space == KGI_SHARED && s->object[o].type == KG_U32 && !s->object[o].scalar && !s->object[o].ranged &&
                 s->object[o].rank < KGI_MAX_RANK;
  KGI_EACH_INSIDE(h->p, KGI_BODY, i) {
    if (kgi_touches(&h->p->inst[i])) read_access(h, &h->p->inst[i]);
    read_uses(h, i);
  }
  for (uint32_t o = 1; o < s->object_count; o++) any |= h->fits[o] &= h->told[o];
  return any;
}

/* ---- the memory of halves ---- */

static void declare(halves *h, uint32_t object) {
  kgi_object *o = &h->p->scope.object[object];
  kgi_dim extent[KGI_MAX_RANK];
  unsigned rank = o->rank ? o->rank : 1;
  for (unsigned k = 0; k < rank; k++) extent[k] = o->rank ? o->extent[k] : o->length;
  extent[rank] = kgi_len_int(h->b, 2);
  o->type = KG_F16;
  kgi_set_extents(h->b, o, extent, rank + 1);
}

static kgi_val index_of(halves *h, uint32_t object, uint32_t word, uint32_t half) {
  kgi_val index[2] = {{word}, kgi_i32(h->b, (int32_t)half)};
  if (h->p->scope.object[object].rank == 2) return kgi_place(h->b, (kgi_obj){object}, index, 2);
  return kgi_op3(h->b, KGI_OP_flat_index, index[1], index[0], kgi_u32(h->b, 2));
}

static void store(halves *h, uint32_t i) {
  const kgi_inst x = h->p->inst[i], word = h->p->inst[x.arg[2]];
  h->b->at = kgi_before(h->p, i), h->b->pos = h->p->inst_pos[i];
  for (uint32_t k = 0; k < 2; k++) {
    kgi_val number = kgi_u32(h->b, k), half = {word.arg[k]};
    if (word.kind == KGI_literal) half = kgi_op2(h->b, KGI_OP_unpack_half_2x16, (kgi_val){x.arg[2]}, number);
    kgi_val value = kgi_convert(h->b, KG_F16, half), at = index_of(h, x.arg[0], x.arg[1], k);
    kgi_store(h->b, (kgi_obj){x.arg[0]}, at, value);
  }
  kgi_remove(h->p, i);
}

static void become_float(halves *h, uint32_t i, kgi_val half) {
  kgi_inst *x = &h->p->inst[i];
  x->op = KGI_OP_convert, x->arg[0] = half.i, x->arg[1] = 0;
}

/* The halves that are taken out of it are loaded where it is. */
static void load(halves *h, uint32_t i, uint32_t count) {
  const kgi_inst x = h->p->inst[i];
  kgi_val half[2] = {{0}, {0}};
  h->b->at = kgi_before(h->p, i), h->b->pos = h->p->inst_pos[i];
  for (uint32_t user = 1; user < count; user++) {
    if (!h->p->inst[user].block || !takes_half(h->p, user) || h->p->inst[user].arg[0] != i) continue;
    uint32_t k = half_of(h->p, user);
    if (!half[k].i) half[k] = kgi_load(h->b, (kgi_obj){x.arg[0]}, index_of(h, x.arg[0], x.arg[1], k));
    become_float(h, user, half[k]);
  }
  kgi_remove(h->p, i);
}

static void rewrite(halves *h) {
  uint32_t count = h->p->inst_count;
  for (uint32_t o = 1; o < h->p->scope.object_count; o++)
    if (h->fits[o]) declare(h, o);
  for (uint32_t i = 1; i < count && h->b->status == KG_OK; i++) {
    const kgi_inst *x = &h->p->inst[i];
    if (!x->block || !kgi_touches(x) || !h->fits[x->arg[0]]) continue;
    if (x->kind == KGI_store) store(h, i);
    else load(h, i, count);
  }
}

/* ---- what is taken out at once ---- */

static bool round_at_once(halves *h) {
  bool any = false;
  uint32_t count = h->p->inst_count;
  for (uint32_t i = 1; i < count && h->b->status == KG_OK; i++) {
    if (!h->p->inst[i].block || !takes_half(h->p, i) || !is_op(h->p, h->p->inst[i].arg[0], KGI_OP_pack_half_2x16)) continue;
    h->b->at = kgi_before(h->p, i), h->b->pos = h->p->inst_pos[i];
    kgi_val packed = {h->p->inst[h->p->inst[i].arg[0]].arg[half_of(h->p, i)]};
    become_float(h, i, kgi_convert(h->b, KG_F16, packed));
    any = true;
  }
  return any;
}

static kg_status hold(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kgi_builder b;
  halves h = {.b = &b, .p = p};
  h.fits = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *h.fits);
  h.told = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *h.told);
  if (scratch->failed) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  bool at_once = round_at_once(&h), held = find(&h);
  if (held) rewrite(&h);
  kg_status status = kgi_builder_status(&b);
  return status == KG_OK && (at_once || held) ? kgi_clean(m, p) : status;
}

kg_status kgi_hold_halves(kg_module *m, kgi_program *p) {
  kg_allocator alloc = m->arena.alloc;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &alloc);
  kg_status status = hold(m, p, &scratch);
  kgi_arena_free(&scratch);
  return status;
}
