#include "foundation/ir/adjoint.h"

#include <string.h>

uint32_t kgi_adjoint_own(const kg_module *m, const kgi_program *p, uint32_t object) {
  return kgi_find_object(m, &m->program[p->adjoint]->scope, kgi_string(m, p->scope.object[object].name));
}

static uint32_t shadow_of(const kg_module *m, const kgi_program *p, const char *of) {
  static const char prefix[] = "grad_";
  const kgi_scope *s = &m->program[p->adjoint]->scope;
  for (uint32_t o = 1; o < kgi_buffer_end(s); o++) {
    const char *name = kgi_string(m, s->object[o].name);
    if (strncmp(name, prefix, sizeof prefix - 1) || strcmp(name + sizeof prefix - 1, of)) continue;
    return kgi_find_object(m, &p->scope, name) ? 0 : o;
  }
  return 0;
}

uint32_t kgi_adjoint_shadow(const kg_module *m, const kgi_program *p, uint32_t object) {
  return shadow_of(m, p, kgi_string(m, p->scope.object[object].name));
}

uint32_t kgi_adjoint_param_shadow(const kg_module *m, const kgi_program *p, uint32_t param) {
  return shadow_of(m, p, kgi_string(m, p->scope.param[param].name));
}

bool *kgi_stated_programs(const kg_module *m, kgi_arena *arena) {
  bool *stated = kgi_arena_alloc(arena, m->program_count, sizeof *stated);
  for (uint32_t i = 1; stated && i < m->program_count; i++) {
    uint32_t adjoint = m->program[i]->adjoint;
    if (adjoint) stated[i] = true;
    if (adjoint < m->program_count) stated[adjoint] = true;
  }
  return stated;
}
