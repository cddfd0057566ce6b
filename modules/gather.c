/* A program that adds a list of contributions to a buffer in the order of the list, and its runs. Each element belongs to one lane, which goes
 * over the whole list. */
#include "foundation/ir/dim.h"
#include "modules/modules.h"

#include <stdio.h>
#include <string.h>

/* Devices end loops that go on for long (lavapipe after 65,535 trips), so that a run takes a part of the list. */
enum { LANES = 64, PART = 32768 };

/* The lane's own elements of the list's part. */
static void add_listed(kgi_builder *b, kgi_obj to, kgi_obj numbers, kgi_obj elements, kgi_val first) {
  kgi_val last = kgi_op2(b, KGI_OP_add, first, kgi_u32(b, PART)), lanes = kgi_u32(b, LANES), one = kgi_u32(b, 1), none = kgi_u32(b, 0);
  kgi_val end = kgi_op2(b, KGI_OP_min, kgi_len_value(b, elements), last), lane = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_val all = kgi_op2(b, KGI_OP_mul, kgi_id_value(b, KGI_ID_num_workgroups, 0), lanes);
  kgi_val k = kgi_for_begin(b, "k", first, end, (kgi_val){0}, false);
  kgi_val element = kgi_load(b, elements, k), at = kgi_op2(b, KGI_OP_sub, element, one);
  kgi_val own = kgi_op2(b, KGI_OP_eq, kgi_op2(b, KGI_OP_rem, at, all), lane), some = kgi_op2(b, KGI_OP_ne, element, none);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_and, own, some));
  kgi_val before = kgi_load(b, to, at), number = kgi_load(b, numbers, k);
  kgi_store(b, to, at, kgi_op2(b, KGI_OP_add, before, number));
  kgi_end(b);
  kgi_end(b);
}

typedef struct made { uint32_t program, to, numbers, elements, first; } made;

static made build(kgi_builder *b, const kgi_gathering *x) {
  made m = {0};
  const char *name = kgi_module_free_name(b->m, "gather_", kgi_string(b->m, b->m->scope.object[x->to].name), "");
  if (!kgi_begin_program(b, name)) return m;
  kgi_param first = {.name = kgi_intern_z(b->m, "first"), .pos = b->pos, .type = KG_U32};
  m.first = kgi_param_add(b, &first);
  b->p->workgroup[0] = kgi_len_int(b, LANES);
  kgi_obj to = kgi_declare_like(b, "to", x->to, KG_READ_WRITE), numbers = kgi_declare_like(b, "numbers", x->numbers, KG_READ);
  kgi_obj elements = kgi_declare_like(b, "elements", x->elements, KG_READ);
  kgi_val from = kgi_param_value(b, m.first);
  add_listed(b, to, numbers, elements, from);
  kgi_end_program(b);
  m.program = b->m->program_count - 1, m.to = to.i, m.numbers = numbers.i, m.elements = elements.i;
  return m;
}

static bool is_index(const kg_module *m, const char *name) {
  for (uint32_t i = 1; i < m->item_count; i++)
    if (m->item[i].kind == KGI_ITEM_REPEAT && !strcmp(kgi_string(m, m->item[i].name), name)) return true;
  return false;
}

/* An index that no repeat around it has. */
static const char *free_index(kg_module *m) {
  char base[24] = "part";
  for (unsigned k = 1; is_index(m, base); k++) snprintf(base, sizeof base, "part%u", k);
  return kgi_module_free_name(m, "", base, "");
}

uint32_t kgi_gather_run(kgi_builder *b, kgi_gathering x) {
  made m = build(b, &x);
  kgi_dim length = b->m->scope.object[x.elements].length, none = kgi_len_int(b, 0), part = kgi_len_int(b, PART);
  uint32_t repeat = kgi_repeat_begin(b, free_index(b->m), none, length, part, false), item = m.program ? kgi_run_begin(b, m.program) : 0;
  if (!repeat || !item) return 0;
  kgi_run_bind_slice(b, item, m.to, x.to, x.slice);
  kgi_run_bind_buffer(b, item, m.numbers, x.numbers);
  kgi_run_bind_buffer(b, item, m.elements, x.elements);
  kgi_run_bind_param(b, item, m.first, kgi_dim_leaf(&b->m->arena, &b->m->scope, KGI_DIM_INDEX, repeat));
  kgi_run_over(b, item, &x.to, 1);
  kgi_item_append(b, repeat, item);
  return repeat;
}
