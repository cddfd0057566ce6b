#include "foundation/analysis/cover_grid.h"

bool kgi_is_size(const kgi_distinct *d, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    if (f->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      uint32_t kind = f->t[k].atom[n] & KGI_ATOM_KIND;
      bool fixed = kind == KGI_ATOM_PARAM || kind == KGI_ATOM_SPEC || kind == KGI_ATOM_LEN;
      if (f->t[k].atom[n] < KGI_ATOM_FIRST || !fixed || !kgi_atom_is_unsigned(d, f->t[k].atom[n])) return false;
    }
  }
  return !f->failed;
}

/* Not 0 where `range` is not. */
static bool is_some(const kgi_scope *s, kgi_dim dim, const kgi_poly *range) {
  const kgi_dim_node *n = &s->dim[dim.i];
  kgi_dim a = {n->a}, b = {n->b};
  kgi_poly f = kgi_poly_of_dim(s, dim);
  int64_t more;
  if (kgi_poly_equal(&f, range)) return true;
  if (n->op == KGI_DIM_INT) return n->imm > 0;
  if (n->op == KGI_DIM_MIN) return is_some(s, a, range) && is_some(s, b, range);
  if (n->op == KGI_DIM_MAX) return is_some(s, a, range) || is_some(s, b, range);
  if (n->op != KGI_DIM_DIV || s->dim[n->b].op != KGI_DIM_INT || s->dim[n->b].imm < 1) return false;
  f = kgi_poly_of_dim(s, a), f = kgi_poly_add(&f, range, -1); /* (range + more) / by */
  return kgi_poly_is_int(&f, &more) && more >= s->dim[n->b].imm - 1;
}

bool kgi_grid_has_groups(const kgi_distinct *d, unsigned axis, const kgi_poly *range) {
  return d->lone_group[axis] || (d->own_grid && d->p->grid[axis].i && is_some(&d->p->scope, d->p->grid[axis], range));
}

/* size * (top / by + extra) >= low, if low is not 0: top is not negative then, so that by * (top / by) is at least top - (by - 1), and size is
 * `times` by at least. */
static bool is_rounded_up(const kgi_distinct *d, const kgi_dim_node *n, int64_t extra, const kgi_poly *size, const kgi_poly *low) {
  const kgi_scope *s = &d->p->scope;
  kgi_poly top = kgi_poly_of_dim(s, (kgi_dim){n->a}), by = kgi_poly_of_dim(s, (kgi_dim){n->b}), one = kgi_poly_int(1);
  int64_t divisor, whole, times = 1;
  bool fits = kgi_poly_equal(&by, size);
  if (kgi_poly_is_int(&by, &divisor) && kgi_poly_is_int(size, &whole)) fits = divisor >= 1 && divisor <= whole, times = fits ? whole / divisor : 1;
  kgi_poly none = kgi_poly_int(0), all = kgi_poly_add(&none, &top, times), rest, spare;
  all = kgi_poly_add(&all, low, -1), rest = kgi_poly_add(&all, &one, 1);
  spare = kgi_poly_add(&all, &one, times), spare = kgi_poly_add(&spare, &by, -times), spare = kgi_poly_add(&spare, size, extra);
  return fits && kgi_is_size(d, &rest) && kgi_is_size(d, &spare);
}

/* The length times `size` is at least `low`, if that is not 0. */
static bool is_at_least(const kgi_distinct *d, kgi_dim dim, const kgi_poly *size, const kgi_poly *low) {
  const kgi_scope *s = &d->p->scope;
  const kgi_dim_node *n = &s->dim[dim.i];
  kgi_dim a = {n->a}, b = {n->b};
  kgi_poly all = kgi_poly_of_dim(s, dim), spare = kgi_poly_mul(&all, size);
  spare = kgi_poly_add(&spare, low, -1);
  if (kgi_is_size(d, &spare)) return true;
  if (n->op == KGI_DIM_MIN) return is_at_least(d, a, size, low) && is_at_least(d, b, size, low);
  if (n->op == KGI_DIM_MAX) return is_at_least(d, a, size, low) || is_at_least(d, b, size, low);
  if (n->op == KGI_DIM_DIV) return is_rounded_up(d, n, 0, size, low);
  bool more = n->op == KGI_DIM_ADD && s->dim[n->a].op == KGI_DIM_DIV && s->dim[n->b].op == KGI_DIM_INT && s->dim[n->b].imm >= 0;
  return more && is_rounded_up(d, &s->dim[n->a], s->dim[n->b].imm, size, low);
}

bool kgi_grid_lets_pass_all(const kgi_distinct *d, uint32_t atom, const kgi_poly *below) {
  unsigned axis = (atom - KGI_ATOM_GROUPS) % 4;
  kgi_poly one = kgi_poly_int(1);
  bool global = atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3, group = atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3;
  if (!d->own_grid || !d->p->grid[axis].i || !(global || (group && !d->p->grid_is_invocations))) return false;
  return is_at_least(d, d->p->grid[axis], global && !d->p->grid_is_invocations ? &d->size[axis] : &one, below);
}

bool kgi_grid_has_rows(const kgi_distinct *d, const kgi_poly *rows, int64_t most) {
  const kgi_scope *s = &d->p->scope;
  if (!d->own_grid || !d->p->grid[0].i || !d->p->grid[1].i) return false;
  const kgi_dim_node *x = &s->dim[d->p->grid[0].i], *y = &s->dim[d->p->grid[1].i];
  if (x->op != KGI_DIM_MIN || y->op != KGI_DIM_DIV) return false;
  kgi_poly first = kgi_poly_of_dim(s, (kgi_dim){x->a}), second = kgi_poly_of_dim(s, (kgi_dim){x->b});
  kgi_poly over = kgi_poly_of_dim(s, (kgi_dim){y->a}), by = kgi_poly_of_dim(s, (kgi_dim){y->b});
  int64_t at_most, divisor, more;
  if (!kgi_poly_equal(&first, rows) || !kgi_poly_is_int(&second, &at_most) || at_most != most) return false;
  over = kgi_poly_add(&over, rows, -1);
  return kgi_poly_is_int(&by, &divisor) && divisor == most && kgi_poly_is_int(&over, &more) && more >= most - 1;
}

/* Groups are (length + c - 1) / c, and c divides 2^32: c times as many is the least multiple of c that is not below the length. */
bool kgi_grid_comes_past(const kgi_distinct *d, uint32_t atom, const kgi_poly *weight, const kgi_poly *length) {
  const kgi_scope *s = &d->p->scope;
  unsigned axis = (atom - KGI_ATOM_GROUPS) % 4;
  bool global = atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3, group = atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3;
  int64_t each, size = 1, by, more;
  if ((!global && !group) || !kgi_poly_is_int(weight, &each)) return false;
  if (global && each == 1) return kgi_grid_lets_pass_all(d, atom, length); /* ids do not wrap */
  const kgi_dim_node *n = &s->dim[d->p->grid[axis].i];
  if (!d->own_grid || d->p->grid_is_invocations || !d->p->grid[axis].i || n->op != KGI_DIM_DIV) return false;
  kgi_poly top = kgi_poly_of_dim(s, (kgi_dim){n->a}), c = kgi_poly_of_dim(s, (kgi_dim){n->b}), spare = kgi_poly_add(&top, length, -1);
  if (!kgi_poly_is_int(&c, &by) || by < 1 || (by & (by - 1)) || (global && !kgi_poly_is_int(&d->size[axis], &size))) return false;
  return each > 0 && each <= by && size <= by && each * size == by && kgi_poly_is_int(&spare, &more) && more == by - 1;
}
