/* Calls of the public builder drawn at random give a module or a diagnostic. */
#include "tests/public/builder.h"

enum { POOL = 64 };

/* Handles that calls returned, of either builder, and zeros; few are wrong, for the first that is ends it. */
typedef struct pool {
  uint64_t state;
  kg_builder *b;
  kg_value value[POOL];
  kg_object object[POOL];
  kg_length length[POOL];
  kg_param param[POOL];
  kg_constant constant[POOL];
  kg_item item[POOL];
  kg_program program[POOL];
  uint32_t values, objects, lengths, params, constants, items, programs;
} pool;

static uint32_t draw(pool *p, uint32_t below) {
  p->state = p->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(p->state >> 33) % below;
}

#define KEEP(p, kind, x) ((p)->kind[(p)->kind##s++ % POOL] = (x))
/* Mostly one of the latest. */
#define DRAW(p, kind) ((p)->kind[(draw(p, 16) ? (p)->kind##s + POOL - 1 - draw(p, 4) : draw(p, POOL)) % POOL])

static kg_type any_type(pool *p) { return draw(p, 50) ? (kg_type)(1 + draw(p, 8)) : (kg_type)(draw(p, 20) - 2); }

static const char *any_name(pool *p) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i j", "for", "", NULL};
  return names[draw(p, draw(p, 8) ? 8 : 12)];
}

static void any_declaration(pool *p) {
  kg_builder *b = p->b;
  kg_type type = any_type(p);
  kg_length length = DRAW(p, length), other = DRAW(p, length);
  const char *name = any_name(p);
  kg_param param = DRAW(p, param);
  kg_object object = DRAW(p, object);
  uint32_t set = draw(p, 2), offset = 4 * draw(p, 2);
  switch (draw(p, 16)) {
  case 0: KEEP(p, program, kg_build_program(b, name)); break;
  case 1: kg_build_program_end(b); break;
  case 2: KEEP(p, constant, kg_build_constant(b, name, type, draw(p, 3))); break;
  case 3: KEEP(p, param, kg_build_param(b, name, type)); break;
  case 4: kg_build_param_default(b, param, draw(p, 3)); break;
  case 5: kg_build_param_range(b, param, length, other); break;
  case 6: KEEP(p, object, kg_build_buffer(b, name, type, (kg_mode)(1 + draw(p, 4)), length)); break;
  case 7: kg_build_range(b, object, length, other); break;
  case 8: kg_build_view(b, object, 0, set, offset, 4 * draw(p, 3)); break;
  case 9: KEEP(p, object, kg_build_shared(b, name, type, length)); break;
  case 10: KEEP(p, object, kg_build_var(b, name, type, length)); break;
  case 11: kg_build_workgroup(b, draw(p, 3), length); break;
  case 12: kg_build_grid(b, draw(p, 3), length); break;
  case 13: kg_build_invocations(b, draw(p, 4), length); break;
  case 14: KEEP(p, object, kg_build_scalar(b, name, type, KG_READ_WRITE)); break;
  default: KEEP(p, length, kg_build_length_constant(b, DRAW(p, constant))); break;
  }
}

static void any_length(pool *p) {
  kg_builder *b = p->b;
  kg_length x = DRAW(p, length), y = DRAW(p, length);
  switch (draw(p, 6)) {
  case 0: KEEP(p, length, kg_build_length_param(b, DRAW(p, param))); break;
  case 1: KEEP(p, length, kg_build_length_of(b, DRAW(p, object))); break;
  case 2: KEEP(p, length, kg_build_length_index(b, DRAW(p, item))); break;
  case 3: KEEP(p, length, kg_build_length_op(b, (kg_length_op)draw(p, 8), x, y)); break;
  default: KEEP(p, length, kg_build_length(b, (int64_t)draw(p, 9) - 1)); break;
  }
}

static void any_value(pool *p) {
  kg_builder *b = p->b;
  kg_value x = DRAW(p, value), y = DRAW(p, value), z = DRAW(p, value), w = DRAW(p, value);
  kg_object object = DRAW(p, object);
  kg_type type = any_type(p);
  uint32_t few = draw(p, 2);
  switch (draw(p, 14)) {
  case 0: KEEP(p, value, kg_build_int(b, type, draw(p, 3))); break;
  case 1: KEEP(p, value, kg_build_float(b, KG_F32, draw(p, 3))); break;
  case 2: KEEP(p, value, kg_build_param_value(b, DRAW(p, param))); break;
  case 3: KEEP(p, value, kg_build_constant_value(b, DRAW(p, constant))); break;
  case 4: KEEP(p, value, kg_build_id(b, (kg_id)draw(p, 9), few)); break;
  case 5: KEEP(p, value, kg_build_len(b, object)); break;
  case 6: KEEP(p, value, kg_build_op1(b, (kg_op)draw(p, 99), x)); break;
  case 7: KEEP(p, value, kg_build_op2(b, (kg_op)draw(p, 99), x, y)); break;
  case 8: KEEP(p, value, kg_build_op4(b, KG_OP_BIT_INSERT, x, y, z, w)); break;
  case 9: KEEP(p, value, kg_build_convert(b, type, x)); break;
  case 10: KEEP(p, value, kg_build_bitcast(b, type, x)); break;
  case 11: KEEP(p, value, kg_build_load(b, object, x)); break;
  case 12: KEEP(p, value, kg_build_atomic(b, (kg_atomic)draw(p, 11), object, x, y, few ? z : kgt_no_value)); break;
  default: KEEP(p, value, kg_build_subgroup(b, (kg_subgroup)draw(p, 32), x, few ? y : kgt_no_value)); break;
  }
}

static void any_statement(pool *p) {
  kg_builder *b = p->b;
  kg_value x = DRAW(p, value), y = DRAW(p, value), z = draw(p, 2) ? DRAW(p, value) : kgt_no_value;
  const char *name = any_name(p);
  switch (draw(p, 16)) {
  case 0: kg_build_if(b, x); break;
  case 1: kg_build_else(b); break;
  case 2: KEEP(p, value, kg_build_for(b, name, x, y, z, draw(p, 2))); break;
  case 3: kg_build_while(b); break;
  case 4: kg_build_while_body(b, x, draw(p, 2) ? DRAW(p, length) : kgt_no_length); break;
  case 5: kg_build_region(b, name); break;
  case 6: kg_build_end(b); break;
  case 7: kg_build_break(b); break;
  case 8: kg_build_return(b); break;
  case 9: kg_build_barrier(b); break;
  case 10: kg_build_assert(b, x, name); break;
  case 11: kg_build_name(b, x, name); break;
  case 12: kg_build_continue(b); break;
  case 13: kg_build_checkpoint(b, draw(p, 2) ? name : NULL); break;
  default: kg_build_store(b, DRAW(p, object), x, y); break;
  }
}

static void any_work(pool *p) {
  kg_builder *b = p->b;
  kg_length x = DRAW(p, length), y = DRAW(p, length);
  kg_item item = DRAW(p, item);
  kg_object from = DRAW(p, object);
  kg_program program = DRAW(p, program);
  const char *name = any_name(p);
  switch (draw(p, 10)) {
  case 0: kg_build_module(b, name); break;
  case 8: kg_build_adjoint(b, program, DRAW(p, program)); break;
  case 7: kg_build_bind_slice(b, item, from, DRAW(p, object), x, y); break;
  case 1: KEEP(p, item, kg_build_run(b, program)); break;
  case 2: kg_build_bind(b, item, from, DRAW(p, object)); break;
  case 3: kg_build_pass(b, item, DRAW(p, param), x); break;
  case 4: kg_build_run_grid(b, item, draw(p, 3), x); break;
  case 5: kg_build_run_invocations(b, item, draw(p, 3), x); break;
  case 6: KEEP(p, item, kg_build_repeat(b, name, x, y, kgt_no_length, draw(p, 2))); break;
  default: kg_build_repeat_end(b); break;
  }
}

/* A start that is right, so that what follows gets somewhere. */
static void start(pool *p) {
  p->b = kgt_begin();
  if (draw(p, 2)) kg_build_module(p->b, "m");
  KEEP(p, program, kg_build_program(p->b, "p"));
  for (int k = 0; k < 4; k++) KEEP(p, length, kg_build_length(p->b, 4));
  kg_build_workgroup(p->b, 0, kg_build_length(p->b, 4));
  KEEP(p, object, kg_build_buffer(p->b, "x", KG_F32, KG_READ_WRITE, kg_build_length(p->b, 8)));
  for (int k = 0; k < 4; k++) KEEP(p, value, kg_build_int(p->b, KG_U32, 0));
}

START_TEST(any_calls) {
  static pool p;
  uint32_t built = 0;
  p.state = (uint64_t)_i + 1;
  for (int round = 0; round < 1500; round++) {
    kg_module *m = NULL;
    kgt_said[0] = 0;
    start(&p);
    for (uint32_t k = draw(&p, 30); k-- > 0 && kg_builder_status(p.b) == KG_OK;) {
      static void (*const calls[])(pool *p) = {any_declaration, any_length, any_value, any_value, any_statement, any_work};
      calls[draw(&p, 5 + (draw(&p, 8) == 0))](&p);
    }
    if (draw(&p, 2)) kg_build_program_end(p.b);
    kg_status status = kg_builder_finish(p.b, &m);
    ck_assert((status == KG_OK) == (m != NULL));
    ck_assert_msg(status == KG_OK || (status == KG_INVALID && kgt_said[0]), "%s without a word", kg_status_name(status));
    built += status == KG_OK;
    kg_module_free(m);
  }
  ck_assert_uint_gt(built, 0);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(any_calls, 4)};
  return kgt_run("public/builder_calls", tests, KGT_COUNT(tests));
}
