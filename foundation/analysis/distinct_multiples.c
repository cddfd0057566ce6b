/* Powers of two that divide machine words. Wrapping takes off a multiple of 2^32, so that they divide the words of sums that wrap too. */
#include "foundation/analysis/digits.h"
#include "foundation/analysis/distinct_pair.h"

enum { DEPTH = 3 /* loops that begin where others are */ };
#define MOST (INT64_C(1) << 31)

static int64_t low_bit(int64_t c) {
  uint64_t bit = (uint64_t)c & -(uint64_t)c;
  return !c || bit > (uint64_t)MOST ? MOST : (int64_t)bit;
}

static int64_t of_atom(const kgi_pair *q, unsigned side, uint32_t atom, unsigned depth);

static int64_t of_term(const kgi_pair *q, unsigned side, const kgi_term *t, unsigned depth) {
  int64_t bits = low_bit(t->c);
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n] && bits < MOST; n++) bits *= of_atom(q, side, t->atom[n], depth);
  return bits < MOST ? bits : MOST;
}

static int64_t of_poly(const kgi_pair *q, unsigned side, const kgi_poly *f, unsigned depth) {
  int64_t least = MOST;
  for (uint32_t k = 0; k < f->count; k++) {
    int64_t bits = of_term(q, side, &f->t[k], depth);
    if (bits < least) least = bits;
  }
  return f->failed ? 1 : least;
}

/* A loop begins at a multiple, and goes on by one. */
static int64_t of_loop(const kgi_pair *q, unsigned side, const kgi_inst *loop, unsigned depth) {
  const kgi_distinct *d = q->d;
  if (loop->type != KG_U32 && loop->type != KG_I32) return 1;
  kgi_poly from = kgi_poly_of_value(d->p, (kgi_val){loop->arg[0]}, d->size);
  kgi_poly step = kgi_poly_of_value(d->p, (kgi_val){loop->arg[2]}, d->size);
  int64_t first = of_poly(q, side, &from, depth), by = of_poly(q, side, &step, depth);
  return first < by ? first : by;
}

/* What a guard says: atom % 8 == 0, whoever gets here. */
static int64_t of_fact(const kgi_pair *q, const kgi_fact *f, uint32_t atom) {
  const kgi_distinct *d = q->d;
  kgi_digit g;
  int64_t rest, size;
  if (f->kind != KGI_FACT_EQUAL || f->atom >= KGI_ATOM_FIRST || !kgi_poly_is_int(&f->poly, &rest) || rest) return 1;
  if (!kgi_digit_of(d->p, f->atom, d->size, &g) || g.top || !kgi_poly_is_int(&g.size, &size) || size < 1) return 1;
  kgi_poly number = kgi_poly_of_value(d->p, (kgi_val){g.near}, d->size);
  return kgi_poly_is_atom(&number) == atom ? low_bit(size) : 1;
}

static int64_t of_atom(const kgi_pair *q, unsigned side, uint32_t atom, unsigned depth) {
  int64_t most = 1;
  if (kgi_is_loop_index(q, atom) && depth) most = of_loop(q, side, &q->d->p->inst[atom], depth - 1);
  for (const kgi_fact *f = q->facts[side]; f; f = f->next) {
    int64_t bits = of_fact(q, f, atom);
    if (bits > most) most = bits;
  }
  return most;
}

int64_t kgi_term_multiple(const kgi_pair *q, unsigned side, const kgi_term *t) { return of_term(q, side, t, DEPTH); }

void kgi_part_multiples(const kgi_pair *q, unsigned side, const kgi_poly *f, int64_t s, kgi_poly *m, kgi_poly *r) {
  *m = *r = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1, .t = {f->t[k]}};
    if (f->t[k].atom[0]) {
      kgi_poly *to = kgi_term_multiple(q, side, &f->t[k]) >= s ? m : r;
      *to = kgi_poly_add(to, &term, 1);
      continue;
    }
    int64_t low = f->t[k].c % s;
    if (low < 0) low += s;
    kgi_poly a = kgi_poly_int(f->t[k].c - low), b = kgi_poly_int(low);
    *m = kgi_poly_add(m, &a, 1), *r = kgi_poly_add(r, &b, 1);
  }
  if (f->failed) m->failed = r->failed = true;
}
