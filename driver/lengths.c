#include "driver/lengths.h"

bool kgi_seen_lengths_init(kgi_seen_lengths *seen, const kg_module *m, kgi_arena *arena) {
  seen->length = kgi_arena_alloc(arena, m->program_count, sizeof *seen->length);
  seen->differ = kgi_arena_alloc(arena, m->program_count, sizeof *seen->differ);
  for (uint32_t i = 1; i < m->program_count && !arena->failed; i++) {
    uint32_t end = kgi_buffer_end(&m->program[i]->scope);
    seen->length[i] = kgi_arena_alloc(arena, end, sizeof *seen->length[i]);
    seen->differ[i] = kgi_arena_alloc(arena, end, sizeof *seen->differ[i]);
  }
  return !arena->failed;
}

void kgi_see_lengths(kgi_seen_lengths *seen, const kgi_run *run) {
  uint64_t *length = seen->length[run->program_index];
  for (uint32_t o = 1; o < kgi_buffer_end(&run->program->scope); o++) {
    if (length[o] && length[o] != run->length[o] + 1) seen->differ[run->program_index][o] = true;
    length[o] = run->length[o] + 1;
  }
}

/* Made of lengths of buffers and numbers alone. */
static bool is_of_lengths(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op == KGI_DIM_INT || n->op == KGI_DIM_LEN) return true;
  return n->op >= KGI_DIM_ADD && is_of_lengths(s, (kgi_dim){n->a}) && is_of_lengths(s, (kgi_dim){n->b});
}

static bool is_hosts(const kgi_scope *s, const kgi_object *o) {
  return !o->scalar && !o->rank && (!o->length.i || is_of_lengths(s, o->length));
}

static void fix(kg_module *m, kgi_scope *s, uint32_t object, uint64_t length) {
  kgi_object *o = &s->object[object];
  if (is_hosts(s, o)) o->length = kgi_dim_int(&m->arena, s, (int64_t)length);
}

void kgi_fix_lengths(const kgi_seen_lengths *seen, kg_module *m) {
  for (uint32_t i = 1; i < m->program_count; i++) {
    kgi_program *p = m->program[i];
    for (uint32_t o = 1; o < kgi_buffer_end(&p->scope); o++) {
      if (!seen->length[i][o] || seen->differ[i][o]) continue;
      fix(m, &p->scope, o, seen->length[i][o] - 1);
      if (m->lone) fix(m, &m->scope, o, seen->length[i][o] - 1);
    }
  }
}
