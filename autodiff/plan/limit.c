/* Bytes of tapes, at the params' defaults, held against the limit. */
#include "autodiff/plan/schedule.h"
#include "foundation/ir/dim.h"

#include <stdio.h>
#include <string.h>

/* ---- lengths as numbers ---- */

/* Every param in it has a default, and no host is asked. */
static bool is_known(const kg_module *m, kgi_dim dim) {
  const kgi_dim_node *n = &m->scope.dim[dim.i];
  if (n->op == KGI_DIM_PARAM) return m->scope.param[n->a].has_default;
  if (n->op >= KGI_DIM_ADD) return is_known(m, (kgi_dim){n->a}) && is_known(m, (kgi_dim){n->b});
  return n->op == KGI_DIM_INT || n->op == KGI_DIM_SPEC;
}

bool kgi_ad_by_default(const kg_module *m, kgi_arena *scratch, kgi_dim dim, int64_t *value) {
  uint64_t *param = kgi_arena_alloc(scratch, m->scope.param_count, sizeof *param);
  if (!param || !is_known(m, dim)) return false;
  for (uint32_t q = 1; q < m->scope.param_count; q++) param[q] = m->scope.param[q].bits;
  return kgi_dim_eval(&m->scope, dim, &(kgi_dim_env){.param = param}, value) == KGI_DIM_OK && *value >= 0;
}

unsigned kgi_ad_tape_factors(const kgi_ad *a, uint32_t tape, kgi_dim factor[KGI_AD_FACTORS]) {
  unsigned count = 0;
  const kgi_ad_tape *t = &a->tape[tape];
  uint32_t end = kgi_ad_tape_end(a, t);
  if (a->rounds.i && !kgi_ad_is_own(t)) factor[count++] = a->rounds;
  uint32_t loop = kgi_ad_dimension(a, t->alike, t->loop, end);
  for (; loop != end && count < KGI_AD_FACTORS - 2; loop = kgi_ad_next_dimension(a, t->alike, loop, end))
    factor[count++] = kgi_ad_loop_at(a, loop)->most;
  if (t->each.i) factor[count++] = t->each;
  factor[count++] = a->lanes;
  return count;
}

uint64_t kgi_ad_tape_bytes(kgi_ad *a, uint32_t tape) {
  kgi_dim factor[KGI_AD_FACTORS];
  unsigned count = kgi_ad_tape_factors(a, tape, factor);
  uint64_t bytes = (uint64_t)a->tape[tape].values * (uint64_t)kg_type_size(a->tape[tape].type);
  for (unsigned k = 0; k < count; k++) {
    int64_t value;
    if (!kgi_ad_by_default(a->f.work, &a->scratch, factor[k], &value)) return UINT64_MAX;
    if (__builtin_mul_overflow(bytes, (uint64_t)value, &bytes)) return UINT64_MAX;
  }
  return bytes;
}

/* Of the copy of what a buffer holds behind the run. */
static uint64_t end_bytes(const kgi_ad_module *g, kgi_ad_run *r, uint32_t object) {
  const kgi_object *of = &g->m->scope.object[kgi_ad_bound(g, r, object)];
  int64_t rounds = 1, length = 1;
  kgi_dim part = r->ad.object[object].part_length, each = part.i ? part : of->length;
  bool known = of->scalar || (each.i && kgi_ad_by_default(g->work, &r->ad.scratch, each, &length));
  if (!known || (r->ad.rounds.i && !kgi_ad_by_default(g->work, &r->ad.scratch, r->ad.rounds, &rounds))) return UINT64_MAX;
  uint64_t size = (uint64_t)kg_type_size((kg_type)of->type), all;
  bool fits = !__builtin_mul_overflow((uint64_t)rounds, (uint64_t)length, &all) && !__builtin_mul_overflow(all, size, &all);
  return fits ? all : UINT64_MAX;
}

/* ---- the limit ---- */

/* The tapes and copies of the module together, and the largest of them: a tape, or the copy of that object of the program. */
typedef struct sum { uint64_t bytes, most; kgi_ad_run *run; uint32_t tape, copied; } sum;

static void add(sum *s, uint64_t bytes, kgi_ad_run *r, uint32_t tape, uint32_t copied) {
  if (__builtin_add_overflow(s->bytes, bytes, &s->bytes)) s->bytes = UINT64_MAX;
  if (!s->run || bytes > s->most) s->run = r, s->tape = tape, s->copied = copied, s->most = bytes;
}

static sum add_up(kgi_ad_module *g) {
  sum s = {0};
  double copies = 0;
  for (uint32_t i = 0; i < g->segment_count; i++) copies += kgi_ad_copies(&g->segments[i]);
  s.bytes = copies < 0x1p63 ? (uint64_t)copies : UINT64_MAX;
  for (uint32_t i = 0; i < g->run_count; i++) {
    if (!g->run[i].has_content) continue;
    kgi_ad_run *r = &g->run[i];
    for (uint32_t t = 0; t < r->ad.tape_count; t++) add(&s, kgi_ad_tape_bytes(&r->ad, t), r, t, 0);
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
      if (r->ad.object[o].aside) add(&s, kgi_ad_aside_bytes(g, r, &r->ad, o), r, 0, o);
      if (r->ad.object[o].ended && kgi_ad_first_end(g, r, o) == o) add(&s, end_bytes(g, r, o), r, 0, o);
    }
  }
  return s;
}

/* The first value on the tape, or what is copied. */
static kgi_pos place_of(const sum *s) {
  const kgi_ad *a = &s->run->ad;
  if (s->copied) return a->f.p->scope.object[s->copied].pos;
  for (uint32_t k = 0; k < a->slot_count; k++)
    if (a->slot[k].place == KGI_AD_TAPE && a->slot[k].tape == s->tape) return a->f.p->inst_pos[a->slot[k].value];
  return a->f.p->pos;
}

static bool asks(const kg_module *m, kgi_dim dim, uint32_t param) {
  const kgi_dim_node *n = &m->scope.dim[dim.i];
  if (n->op == KGI_DIM_PARAM) return n->a == param;
  return n->op >= KGI_DIM_ADD && (asks(m, (kgi_dim){n->a}, param) || asks(m, (kgi_dim){n->b}, param));
}

static bool is_asked(const kgi_ad_module *g, const sum *s, uint32_t param) {
  kgi_dim factor[KGI_AD_FACTORS];
  unsigned count = s->copied ? kgi_ad_aside_factors(g, s->run, &s->run->ad, s->copied, factor) : kgi_ad_tape_factors(&s->run->ad, s->tape, factor);
  for (unsigned k = 0; k < count; k++)
    if (asks(s->run->ad.f.work, factor[k], param)) return true;
  return false;
}

/* " at n = 100, m = 5": the defaults that the largest tape's length goes by. */
static const char *defaults(const kgi_ad_module *g, const sum *s, char *text, size_t size) {
  const kgi_scope *scope = &s->run->ad.f.work->scope;
  size_t used = 0;
  text[0] = 0;
  for (uint32_t q = 1; q < scope->param_count && used < size; q++) {
    if (!is_asked(g, s, q)) continue;
    const char *name = kgi_string(s->run->ad.f.work, scope->param[q].name), *sign = used ? "," : " at";
    if (!scope->param[q].has_default) used += (size_t)snprintf(text + used, size - used, "%s any %s", sign, name);
    else used += (size_t)snprintf(text + used, size - used, "%s %s = %lld", sign, name,
                                  (long long)kgi_bits_to_int((kg_type)scope->param[q].type, scope->param[q].bits));
  }
  return text;
}

static const char *in_bytes(uint64_t bytes, char *text, size_t size) {
  if (bytes == UINT64_MAX) snprintf(text, size, "an unknown number of bytes");
  else snprintf(text, size, "%llu bytes", (unsigned long long)bytes);
  return text;
}

static bool is_fine(const kgi_ad_module *g, const sum *s) {
  return !s->run || (s->bytes != UINT64_MAX && s->bytes <= g->params->tape_limit);
}

bool kgi_ad_is_within_limit(kgi_ad_module *g) {
  if (!g->params->tape_limit) return true;
  sum s = add_up(g);
  return is_fine(g, &s);
}

/* What was not worked out for want of memory is no unknown length. */
static bool has_failed(const kgi_ad_module *g) {
  bool failed = g->scratch.failed || g->work->arena.failed;
  for (uint32_t i = 0; i < g->run_count; i++) failed |= g->run[i].ad.scratch.failed;
  return failed;
}

kg_status kgi_ad_check_limit(kgi_ad_module *g) {
  char all[40], most[40], limit[40], at[200];
  if (!g->params->tape_limit) return KG_OK;
  sum s = add_up(g);
  if (has_failed(g)) return KG_NO_MEMORY;
  if (is_fine(g, &s)) return KG_OK;
  in_bytes(s.bytes, all, sizeof all), in_bytes(s.most, most, sizeof most), in_bytes(g->params->tape_limit, limit, sizeof limit);
  const char *program = kgi_string(g->work, s.run->ad.f.p->name), *where = defaults(g, &s, at, sizeof at);
  KGI_DIAG(&g->diags, grad_tape_limit, place_of(&s), all, where, limit, program, most);
  return KG_REFUSED;
}
