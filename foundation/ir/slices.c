#include "foundation/ir/slices.h"

#include <stdlib.h>

/* ---- where they stand ---- */

uint32_t kgi_run_entries(const kgi_program *p) { return 3 * (kgi_buffer_end(&p->scope) - 1) + p->scope.param_count - 1; }

kgi_slice kgi_run_slice(const kg_module *m, uint32_t item, uint32_t object) {
  const kgi_item *run = &m->item[item];
  const kgi_scope *s = &m->program[run->program]->scope;
  const uint32_t *pairs = m->bind + run->binding + kgi_buffer_end(s) - 1 + s->param_count - 1, *pair = pairs + 2 * (object - 1);
  return (kgi_slice){{pair[0]}, {pair[1]}};
}

bool kgi_run_has_slices(const kg_module *m, uint32_t item) {
  for (uint32_t i = 1, end = kgi_buffer_end(&m->program[m->item[item].program]->scope); i < end; i++) {
    kgi_slice slice = kgi_run_slice(m, item, i);
    if (slice.from.i || slice.to.i) return true;
  }
  return false;
}

/* ---- whether they meet ---- */

static int order(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* Equal ones are the same in every way, so that it does not matter in which order a sort leaves them. */
static int by_place(const void *a, const void *b) {
  const kgi_bound_slice *x = a, *y = b;
  int first = order(x->buffer, y->buffer);
  if (!first) first = order(x->from, y->from);
  if (!first) first = order(x->to, y->to);
  return first ? first : order(x->written, y->written);
}

/* Of those before it, one that reaches furthest is what the next may meet; of those that are written likewise. */
bool kgi_slices_meet(kgi_bound_slice *s, uint32_t count, uint32_t pair[2]) {
  uint32_t furthest = count, written = count;
  if (count) qsort(s, count, sizeof *s, by_place);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t before = s[i].written ? furthest : written;
    if (s[i].from == s[i].to) continue;
    if (before < count && s[before].buffer == s[i].buffer && s[i].from < s[before].to) return pair[0] = before, pair[1] = i, true;
    if (furthest == count || s[furthest].buffer != s[i].buffer || s[furthest].to < s[i].to) furthest = i;
    if (s[i].written && (written == count || s[written].buffer != s[i].buffer || s[written].to < s[i].to)) written = i;
  }
  return false;
}
