/* Sizes: params, workgroups, grids, lengths. */
#include "fuzz/reduce/edits.h"

#include <stdlib.h>

static bool is_number(const kgi_scope *s, kgi_dim d, int64_t *value) {
  *value = s->dim[d.i].imm;
  return s->dim[d.i].op == KGI_DIM_INT;
}

/* ---- params ---- */

static void set_default(kgi_case *c, uint32_t param, uint64_t bits) {
  c->module->scope.param[param].bits = bits;
  if (c->module->lone) c->module->program[1]->scope.param[param].bits = bits;
}

static bool smaller_params(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t q = 1; q < r->best->module->scope.param_count; q++) {
    const kgi_param p = r->best->module->scope.param[q];
    if (!kgi_is_int(p.type) || !p.has_default) continue;
    const uint64_t wanted[] = {1, 2, p.bits / 4, p.bits / 2, p.bits - 1};
    for (unsigned k = 0; k < sizeof wanted / sizeof *wanted && !kgi_is_late(r); k++) {
      kgi_case c;
      kgi_builder b;
      if (wanted[k] >= p.bits || !wanted[k] || !kgi_begin_edit(r, &c, &b, 0)) continue;
      set_default(&c, q, wanted[k]);
      if (!kgi_try(r, &c)) continue;
      changed = true, q--;
      break;
    }
  }
  return changed;
}

/* ---- dims ---- */

/* One of a program's or the module's dims, by number: workgroup and grid, then the lengths of objects. NULL: there are no more. */
static kgi_dim *dim_at(kg_module *m, uint32_t program, unsigned n) {
  kgi_program *p = program ? m->program[program] : NULL;
  kgi_scope *s = p ? &p->scope : &m->scope;
  if (p && n < 3) return &p->workgroup[n];
  if (p && n < 6) return &p->grid[n - 3];
  uint32_t o = n - (p ? 6 : 0) + 1;
  return o < s->object_count ? &s->object[o].length : NULL;
}

enum { DIM_WAYS = 7 };

/* An axis goes; a smaller number; what an operation has on its left. False: there is no such way. */
static bool change_dim(kgi_builder *b, kgi_dim *d, unsigned n, unsigned way) {
  const kgi_scope *s = kgi_builder_scope(b);
  static const int64_t numbers[] = {1, 2, 4, 8};
  int64_t value;
  bool number = is_number(s, *d, &value);
  if (way == 0) return (n == 1 || n == 2 || n == 4 || n == 5) && d->i ? *d = (kgi_dim){0}, true : false;
  if (way <= 4) return d->i && (!number || numbers[way - 1] < value) ? *d = kgi_len_int(b, numbers[way - 1]), true : false;
  if (way == 5) return number && value > 8 ? *d = kgi_len_int(b, value / 2), true : false;
  if (s->dim[d->i].op < KGI_DIM_ADD) return false;
  *d = (kgi_dim){s->dim[d->i].a};
  return true;
}

static bool smaller_dim(kgi_reducer *r, uint32_t program, unsigned n) {
  for (unsigned way = 0; way < DIM_WAYS && !kgi_is_late(r); way++) {
    kgi_case c;
    kgi_builder b;
    if (!kgi_begin_edit(r, &c, &b, program)) return false;
    kgi_dim *d = dim_at(c.module, program, n);
    bool made = d && change_dim(&b, d, program ? n : 6, way);
    if (!made) kgi_case_free(&c);
    else if (kgi_try(r, &c)) return true;
  }
  return false;
}

/* A grid of workgroups says what one of invocations does. */
static bool plain_grid(kgi_reducer *r, uint32_t program) {
  kgi_case c;
  kgi_builder b;
  if (!r->best->module->program[program]->grid_is_invocations || !kgi_begin_edit(r, &c, &b, program)) return false;
  b.p->grid_is_invocations = false;
  b.p->grid[0] = kgi_len_int(&b, 1), b.p->grid[1] = b.p->grid[2] = (kgi_dim){0};
  return kgi_try(r, &c);
}

bool kgi_reduce_sizes(kgi_reducer *r) {
  bool changed = smaller_params(r);
  for (uint32_t k = r->best->module->lone; k < r->best->module->program_count; k++) {
    if (k) changed |= plain_grid(r, k);
    for (unsigned n = 0; dim_at(r->best->module, k, n) && !kgi_is_late(r); n++) changed |= smaller_dim(r, k, n);
  }
  return changed;
}
