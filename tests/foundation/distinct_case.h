/* What kgi_disjoint says of a kernel's accesses to one object, for the suites that ask. */
#ifndef KGI_DISTINCT_CASE_H
#define KGI_DISTINCT_CASE_H
#include "foundation/analysis/distinct.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO = 0, INTERVAL = KGI_OWN_IN_INTERVAL, WITHIN = INTERVAL | KGI_OWN_IN_WORKGROUP, ACROSS = KGI_OWN_ACROSS, OWN = WITHIN | ACROSS };

/* `y` is the object asked about; the rest of the declarations are the same for all. */
typedef struct row { const char *name, *grid, *length, *body; unsigned own; } row;

static char text[1 << 21];

static const char *kernel(const row *r, bool shared) {
  const char *size = strncmp(r->grid, "workgroup1", 10) == 0   ? "workgroup 64"
                     : strncmp(r->grid, "workgroup2", 10) == 0 ? "workgroup 8, 8"
                     : strncmp(r->grid, "workgroup3", 10) == 0 ? "workgroup 4, 4, 4"
                     : strncmp(r->grid, "lone", 4) == 0        ? "workgroup 1"
                                                               : "workgroup T";
  const char *grid = shared ? "grid n" : strstr(r->grid, "grid");
  const char *type = strstr(r->grid, "signed") ? "i32" : "u32", *range = strstr(r->grid, "ranged") ? " in 0 .. 100" : "";
  snprintf(text, sizeof text,
           "program p { const T : u32 = 64 %s %s param n : %s param m : %s param k : %s%s buffer x : f32[n] read "
           "buffer y : f32[%s] read_write %s%s%s %s }",
           size, grid, type, type, type, range, shared ? "n" : r->length, shared ? "shared s : f32[" : "", shared ? r->length : "", shared ? "]" : "", r->body);
  return text;
}

static void hear(void *user, const kg_diag *diag) {
  (void)user;
  printf("%u:%u %s\n", diag->line, diag->column, diag->message);
}

static unsigned ask(const row *r, bool shared, uint8_t *each, uint32_t *count) {
  kg_module *m = NULL;
  kgi_arena arena;
  kgi_distinct *d;
  static uint32_t accesses[1 << 14];
  const char *source = kernel(r, shared);
  ck_assert_msg(kg_module_parse(NULL, "t", source, strlen(source), &(kg_sink){hear, NULL}, &m) == KG_OK, "%s: %s", r->name, source);
  const kgi_program *p = m->program[1];
  uint32_t object = kgi_find_object(m, &p->scope, shared ? "s" : "y");
  *count = 0;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    unsigned kind = p->inst[i].kind;
    if (p->inst[i].block && (kind == KGI_load || kind == KGI_store || kind == KGI_atomic) && p->inst[i].arg[0] == object)
      accesses[(*count)++] = i;
  }
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, p, &d), KG_OK);
  unsigned own = kgi_disjoint(d, accesses, *count, each);
  for (unsigned wanted = 1; wanted < 8; wanted++)
    ck_assert_msg(kgi_all_disjoint(d, accesses, *count, wanted) == ((own & wanted) == wanted), "%s: asked for %u\n%s", r->name, wanted, source);
  kgi_arena_free(&arena);
  kg_module_free(m);
  return own;
}
#endif
