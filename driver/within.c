#include "driver/within.h"
#include "foundation/analysis/within.h"
#include "foundation/base/limits.h"

#include <string.h>

/* What a run differs in. */
typedef struct kgi_within_seen { bool any; uint64_t *param, *length; uint32_t workgroup[3], groups[3]; } seen;

static bool init_program(kgi_within *w, uint32_t i, const kgi_program *p, kgi_arena *arena) {
  w->of[i] = kgi_arena_alloc(arena, p->inst_count, sizeof *w->of[i]);
  w->seen[i].param = kgi_arena_alloc(arena, p->scope.param_count, sizeof(uint64_t));
  w->seen[i].length = kgi_arena_alloc(arena, p->scope.object_count, sizeof(uint64_t));
  if (arena->failed) return false;
  memset(w->of[i], true, p->inst_count * sizeof *w->of[i]);
  return true;
}

bool kgi_within_init(kgi_within *w, const kg_module *m, kgi_arena *arena) {
  w->of = kgi_arena_alloc(arena, m->program_count, sizeof *w->of);
  w->alloc = &arena->alloc;
  w->seen = kgi_arena_alloc(arena, m->program_count, sizeof *w->seen);
  if (arena->failed) return false;
  for (uint32_t i = 1; i < m->program_count; i++)
    if (!init_program(w, i, m->program[i], arena)) return false;
  return true;
}

static bool is_same(const seen *s, const kgi_run *run) {
  const kgi_scope *scope = &run->program->scope;
  return s->any && !memcmp(s->param, run->param, scope->param_count * sizeof *s->param) &&
         !memcmp(s->length, run->length, scope->object_count * sizeof *s->length) &&
         !memcmp(s->workgroup, run->workgroup, sizeof s->workgroup) && !memcmp(s->groups, run->groups, sizeof s->groups);
}

static void keep(seen *s, const kgi_run *run) {
  const kgi_scope *scope = &run->program->scope;
  s->any = true;
  if (scope->param_count) memcpy(s->param, run->param, scope->param_count * sizeof *s->param);
  memcpy(s->length, run->length, scope->object_count * sizeof *s->length);
  memcpy(s->workgroup, run->workgroup, sizeof s->workgroup);
  memcpy(s->groups, run->groups, sizeof s->groups);
}

bool kgi_within_see(kgi_within *w, const kgi_run *run) {
  const kgi_program *p = run->program;
  bool *within = w->of[run->program_index], empty = !run->groups[0] || !run->groups[1] || !run->groups[2];
  if (empty || is_same(&w->seen[run->program_index], run)) return true;
  keep(&w->seen[run->program_index], run);
  w->work += p->inst_count;
  if (w->work > KGI_LIMIT(within_work)) return memset(within, false, p->inst_count * sizeof *within), true;
  kgi_known known = {.param = run->param, .length = run->length};
  memcpy(known.workgroup, run->workgroup, sizeof known.workgroup);
  memcpy(known.groups, run->groups, sizeof known.groups);
  kgi_arena scratch;
  kgi_arena_init(&scratch, w->alloc);
  bool fine = kgi_within_find(&scratch, p, &known, within);
  kgi_arena_free(&scratch);
  return fine;
}
