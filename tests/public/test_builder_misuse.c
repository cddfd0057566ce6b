/* No misuse of the public builder goes further than a diagnostic. */
#include "tests/public/builder.h"

#include <string.h>

/* What is at hand in a program that is right so far; `other` is another builder with the same in it. */
typedef struct scene {
  kg_builder *b, *other;
  kg_program program;
  kg_param n;
  kg_constant t;
  kg_length size;
  kg_object x, y, part, scalar;
  kg_value i, v, theirs;
  kg_object their_x;
} scene;

static void set(scene *s, kg_builder *b) {
  s->b = b;
  s->program = kg_build_program(b, "p");
  s->n = kg_build_param(b, "n", KG_U32);
  s->t = kg_build_constant(b, "T", KG_U32, 4);
  s->size = kg_build_length_param(b, s->n);
  s->x = kg_build_buffer(b, "x", KG_F32, KG_READ, s->size);
  s->y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, s->size);
  s->part = kg_build_shared(b, "part", KG_F32, kg_build_length(b, 4));
  s->scalar = kg_build_var(b, "s", KG_F32, kgt_no_length);
  kg_build_workgroup(b, 0, kg_build_length_constant(b, s->t));
  kg_build_invocations(b, 0, s->size);
  s->i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  s->v = kg_build_load(b, s->x, s->i);
}

static void foreign_operand(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, s->theirs); }
static void foreign_object(scene *s) { kg_build_load(s->b, s->their_x, s->i); }
static void invented_value(scene *s) { kg_build_op1(s->b, KG_OP_EXP, (kg_value){4000000000u, s->v.owner}); }
static void other_program(scene *s) { kg_build_program_end(s->b), kg_build_store(s->b, s->y, s->i, s->v); }
static void no_operand(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, kgt_no_value); }
static void no_operands(scene *s) { kg_build_op(s->b, KG_OP_ADD, NULL, 2); }
static void five_operands(scene *s) { kg_build_op(s->b, KG_OP_ADD, (kg_value[]){s->v, s->v, s->v, s->v, s->v}, 5); }
static void one_operand(scene *s) { kg_build_op1(s->b, KG_OP_ADD, s->v); }
static void wrong_type(scene *s) { kg_build_op2(s->b, KG_OP_ADD, s->v, s->i); }
static void wrong_store(scene *s) { kg_build_store(s->b, s->y, s->i, s->i); }
static void no_such_op(scene *s) { kg_build_op1(s->b, (kg_op)4000, s->v); }
static void negative_op(scene *s) { kg_build_op1(s->b, (kg_op)-1, s->v); }
static void op_without_type(scene *s) { kg_build_op1(s->b, KG_OP_CONVERT, s->v); }
static void no_such_type(scene *s) { kg_build_convert(s->b, (kg_type)77, s->v); }
static void storage_type(scene *s) { kg_build_convert(s->b, KG_I8, s->v); }
static void bitcast_size(scene *s) { kg_build_bitcast(s->b, KG_F64, s->v); }
static void no_such_id(scene *s) { kg_build_id(s->b, (kg_id)99, 0); }
static void no_such_component(scene *s) { kg_build_id(s->b, KG_ID_LOCAL_INDEX, 1); }
static void literal_too_large(scene *s) { kg_build_int(s->b, KG_I32, INT64_C(1) << 31); }
static void literal_negative(scene *s) { kg_build_int(s->b, KG_U64, -1); }
static void literal_bits(scene *s) { kg_build_literal(s->b, KG_F16, 0x10000); }
static void literal_storage(scene *s) { kg_build_int(s->b, KG_U8, 3); }
static void float_of_ints(scene *s) { kg_build_float(s->b, KG_I32, 1); }
static void index_of_scalar(scene *s) { kg_build_load(s->b, s->scalar, s->i); }
static void missing_index(scene *s) { kg_build_load(s->b, s->x, kgt_no_value); }
static void float_index(scene *s) { kg_build_load(s->b, s->x, s->v); }
static void load_from_write(scene *s) { kg_build_load(s->b, s->y, s->i); }
static void store_to_read(scene *s) { kg_build_store(s->b, s->x, s->i, s->v); }
static void atomic_on_var(scene *s) { kg_build_atomic(s->b, KG_ATOMIC_ADD, s->scalar, kgt_no_value, s->v, kgt_no_value); }
static void atomic_operands(scene *s) { kg_build_atomic(s->b, KG_ATOMIC_ADD, s->part, s->i, s->v, s->v); }
static void no_such_atomic(scene *s) { kg_build_atomic(s->b, (kg_atomic)50, s->part, s->i, s->v, kgt_no_value); }
static void subgroup_operands(scene *s) { kg_build_subgroup(s->b, KG_SUBGROUP_SHUFFLE, s->v, kgt_no_value); }
static void no_such_subgroup(scene *s) { kg_build_subgroup(s->b, (kg_subgroup)50, s->v, kgt_no_value); }
static void if_of_float(scene *s) { kg_build_if(s->b, s->v); }
static void else_alone(scene *s) { kg_build_else(s->b); }
static kg_value fine(scene *s) { return kg_build_int(s->b, KG_BOOL, 1); }
static void two_elses(scene *s) { kg_build_if(s->b, fine(s)), kg_build_else(s->b), kg_build_else(s->b); }
static void else_of_for(scene *s) { kg_build_for(s->b, "k", s->i, s->i, kgt_no_value, false), kg_build_else(s->b); }
static void end_alone(scene *s) { kg_build_end(s->b); }
static void end_too_often(scene *s) { kg_build_if(s->b, fine(s)), kg_build_end(s->b), kg_build_end(s->b); }
static void body_alone(scene *s) { kg_build_while_body(s->b, fine(s), kgt_no_length); }
static void end_of_condition(scene *s) { kg_build_while(s->b), kg_build_end(s->b); }
static void never_ended(scene *s) { kg_build_if(s->b, fine(s)); }
static void never_ended_by_hand(scene *s) { kg_build_if(s->b, fine(s)), kg_build_program_end(s->b); }
static void break_outside(scene *s) { kg_build_break(s->b); }
static void unreachable(scene *s) { kg_build_return(s->b), kg_build_store(s->b, s->y, s->i, s->v); }
static void out_of_scope(scene *s) {
  kg_build_if(s->b, fine(s));
  kg_value inner = kg_build_op1(s->b, KG_OP_EXP, s->v);
  kg_build_end(s->b);
  kg_build_store(s->b, s->y, s->i, inner);
}
static void var_out_of_scope(scene *s) {
  kg_build_if(s->b, fine(s));
  kg_object inner = kg_build_var(s->b, "inner", KG_F32, kgt_no_length);
  kg_build_end(s->b);
  kg_build_store(s->b, inner, kgt_no_value, s->v);
}
static void no_name(scene *s) { kg_build_buffer(s->b, NULL, KG_F32, KG_READ, s->size); }
static void empty_name(scene *s) { kg_build_param(s->b, "", KG_F32); }
static void no_name_of_value(scene *s) { kg_build_name(s->b, s->v, NULL); }
static void same_name(scene *s) { kg_build_param(s->b, "x", KG_F32); }
static void late_buffer(scene *s) { kg_build_buffer(s->b, "z", KG_F32, KG_READ, s->size); }
static void no_such_mode(scene *s) { kg_build_buffer(s->b, "z", KG_F32, (kg_mode)9, s->size); }
static void temp_buffer(scene *s) { s->b = kgt_begin(), kg_build_program(s->b, "q"), kg_build_workgroup(s->b, 0, kg_build_length(s->b, 4)),
                                    kg_build_buffer(s->b, "z", KG_F32, KG_TEMP, kg_build_length(s->b, 4)); }
static void range_of_shared(scene *s) { kg_build_range(s->b, s->part, s->size, s->size); }
static void draw_of_shared(scene *s) { kg_build_draw(s->b, s->part, KG_DRAW_ASCENDING); }
static void no_such_draw(scene *s) { kg_build_draw(s->b, s->x, (kg_draw)9); }
static void view_of_var(scene *s) { kg_build_view(s->b, s->scalar, 0, 0, 0, 4); }
static void storage_param(scene *s) { kg_build_param(s->b, "small", KG_U8); }
static void default_bits(scene *s) { kg_build_param_default(s->b, s->n, UINT64_C(1) << 32); }
static void length_of_local(scene *s) { kg_build_length_of(s->b, s->part); }
static void no_such_length_op(scene *s) { kg_build_length_op(s->b, (kg_length_op)70, s->size, s->size); }
static void shared_of_param(scene *s) { kg_build_shared(s->b, "late", KG_F32, s->size); }
static void axis_three(scene *s) { kg_build_workgroup(s->b, 3, s->size); }
static void axis_twice(scene *s) { kg_build_workgroup(s->b, 0, kg_build_length(s->b, 4)); }
static void mixed_grid(scene *s) { kg_build_grid(s->b, 1, s->size); }
static kg_object matrix(scene *s) {
  kg_object m = kg_build_var(s->b, "m", KG_F32, kgt_no_length);
  kg_build_extents(s->b, m, (kg_length[]){kg_build_length(s->b, 2), kg_build_length(s->b, 2)}, 2);
  return m;
}
static void one_extent(scene *s) { kg_build_extents(s->b, s->scalar, &s->size, 1); }
static void five_extents(scene *s) { kg_build_extents(s->b, s->scalar, (kg_length[5]){{0, 0}}, 5); }
static void no_extents(scene *s) { kg_build_extents(s->b, s->scalar, NULL, 2); }
static void zero_extent(scene *s) { kg_build_extents(s->b, s->scalar, (kg_length[2]){s->size, {0, 0}}, 2); }
static void extents_twice(scene *s) { kg_build_extents(s->b, s->part, (kg_length[2]){s->size, s->size}, 2); }
static void one_index(scene *s) { kg_build_place(s->b, matrix(s), &s->i, 1); }
static void index_of_one(scene *s) { kg_build_place(s->b, s->part, (kg_value[]){s->i, s->i}, 2); }
static void no_indices(scene *s) { kg_build_place(s->b, matrix(s), NULL, 2); }
static void float_indices(scene *s) { kg_build_place(s->b, matrix(s), (kg_value[]){s->i, s->v}, 2); }
static void no_such_dimension(scene *s) { kg_build_extent(s->b, matrix(s), 2); }
static void program_in_program(scene *s) { kg_build_program(s->b, "q"); }
static void second_program(scene *s) { kg_build_program_end(s->b), kg_build_program(s->b, "q"); }
static void late_module(scene *s) { kg_build_module(s->b, "m"); }
static void run_without_module(scene *s) { kg_build_program_end(s->b), kg_build_run(s->b, s->program); }
static void declared_outside(scene *s) { kg_build_program_end(s->b), kg_build_param(s->b, "q", KG_U32); }
static void nothing_built(scene *s) { s->b = kgt_begin(); }
static void no_workgroup(scene *s) { s->b = kgt_begin(), kg_build_program(s->b, "q"); }
static void deep(scene *s) {
  for (int k = 0; k < 100; k++) kg_build_region(s->b, "r");
}
static void condition_stores(scene *s) {
  kg_build_while(s->b);
  kg_build_store(s->b, s->y, s->i, s->v);
  kg_build_while_body(s->b, fine(s), kgt_no_length);
  kg_build_end(s->b);
}

typedef struct module_scene { kg_param n; kg_object a; kgt_step s; kg_length size; kg_item run; } module_scene;

static module_scene a_module_in(scene *s) {
  module_scene m;
  s->b = kgt_begin();
  kg_build_module(s->b, "m");
  m.n = kg_build_param(s->b, "n", KG_U32);
  m.size = kg_build_length_param(s->b, m.n);
  m.a = kg_build_buffer(s->b, "a", KG_F32, KG_READ_WRITE, m.size);
  m.s = kgt_build_step(s->b);
  m.run = kg_build_run(s->b, m.s.program);
  return m;
}
static void unbound(scene *s) { a_module_in(s); }
static void bound_twice(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind(s->b, m.run, m.s.y, m.a);
  kg_build_pass(s->b, m.run, m.s.k, m.size);
  kg_build_pass(s->b, m.run, m.s.rate, kg_build_length_float(s->b, 1));
  kg_build_run_grid(s->b, m.run, 0, m.size);
}
static void sliced_without_end(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind_slice(s->b, m.run, m.s.y, m.a, m.size, kgt_no_length);
}
static void sliced_backwards(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_bind_slice(s->b, m.run, m.a, m.s.y, m.size, m.size);
}
static void bound_backwards(scene *s) { module_scene m = a_module_in(s); kg_build_bind(s->b, m.run, m.a, m.s.y); }
static void passed_length_of_program(scene *s) { module_scene m = a_module_in(s); kg_build_pass(s->b, m.run, m.s.k, s->size); }
static void index_outside(scene *s) {
  module_scene m = a_module_in(s);
  kg_item k = kg_build_repeat(s->b, "k", m.size, m.size, kgt_no_length, false);
  kg_build_repeat_end(s->b);
  kg_build_length_index(s->b, k);
}
static void adjoint_twice(scene *s) {
  kgt_sides x = (s->b = kgt_begin(), kgt_build_square(s->b));
  kg_build_adjoint(s->b, x.forward, x.back), kg_build_adjoint(s->b, x.forward, x.back);
}
static void adjoint_of_itself(scene *s) {
  kgt_sides x = (s->b = kgt_begin(), kgt_build_square(s->b));
  kg_build_adjoint(s->b, x.forward, x.forward);
}
static void adjoint_of_none(scene *s) { module_scene m = a_module_in(s); kg_build_adjoint(s->b, m.s.program, (kg_program){0, 0}); }
static void adjoint_of_another(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_adjoint(s->b, m.s.program, (kg_program){1, 0});
}
static void adjoint_inside(scene *s) {
  kgt_sides x = (s->b = kgt_begin(), kgt_build_square(s->b));
  kg_build_program(s->b, "q"), kg_build_adjoint(s->b, x.forward, x.back);
}
static void grid_of_repeat(scene *s) {
  module_scene m = a_module_in(s);
  kg_build_run_grid(s->b, kg_build_repeat(s->b, "k", m.size, m.size, kgt_no_length, false), 0, m.size);
}
static void open_repeat(scene *s) { module_scene m = a_module_in(s); kg_build_repeat(s->b, "k", m.size, m.size, kgt_no_length, false); }
static void repeat_end_alone(scene *s) { a_module_in(s), kg_build_repeat_end(s->b); }
static void no_bounds(scene *s) { a_module_in(s), kg_build_repeat(s->b, "k", kgt_no_length, kgt_no_length, kgt_no_length, false); }
static void no_such_program(scene *s) { a_module_in(s), kg_build_run(s->b, (kg_program){9, s->x.owner}); }
static void deep_repeats(scene *s) {
  module_scene m = a_module_in(s);
  for (int k = 0; k < 100; k++) kg_build_repeat(s->b, "k", m.size, m.size, kgt_no_length, false);
}
static void constant_of_module(scene *s) { s->b = kgt_begin(), kg_build_module(s->b, "m"), kg_build_constant(s->b, "T", KG_U32, 1); }
static void program_open_at_end(scene *s) { s->b = kgt_begin(), kg_build_module(s->b, "m"), kg_build_program(s->b, "q"); }

/* `later`: the builder finds nothing wrong until kg_builder_finish; `ended`: the program is ended before. */
static const struct { void (*misuse)(scene *s); const char *id; bool later, ended; } misuses[] = {
  {foreign_operand, "build-foreign", false, false}, {foreign_object, "build-foreign", false, false}, {invented_value, "build-foreign", false, false},
  {other_program, "build-place", false, false}, {no_operand, "build-missing", false, false}, {no_operands, "build-missing", false, false},
  {five_operands, "operand-count", false, false}, {one_operand, "operand-count", false, false}, {wrong_type, "type-mismatch", false, false},
  {wrong_store, "type-mismatch", false, false}, {no_such_op, "build-argument", false, false}, {negative_op, "build-argument", false, false},
  {op_without_type, "build-place", false, false}, {no_such_type, "build-argument", false, false}, {storage_type, "no-such-conversion", false, false},
  {bitcast_size, "no-such-conversion", false, false}, {no_such_id, "build-argument", false, false}, {no_such_component, "build-argument", false, false},
  {literal_too_large, "literal-range", false, false}, {literal_negative, "literal-range", false, false}, {literal_bits, "literal-range", false, false},
  {literal_storage, "storage-type", false, false}, {float_of_ints, "build-argument", false, false}, {index_of_scalar, "index-of-scalar", false, false},
  {missing_index, "missing-index", false, false}, {float_index, "index-type", false, false}, {load_from_write, "load-from-write", true, true},
  {store_to_read, "store-to-read", true, true}, {atomic_on_var, "atomic-object", false, false}, {atomic_operands, "operand-count", false, false},
  {no_such_atomic, "build-argument", false, false}, {subgroup_operands, "operand-count", false, false}, {no_such_subgroup, "build-argument", false, false},
  {if_of_float, "type-mismatch", false, false}, {else_alone, "build-place", false, false}, {two_elses, "build-place", false, false},
  {else_of_for, "build-place", false, false}, {end_alone, "build-place", false, false}, {end_too_often, "build-place", false, false},
  {body_alone, "build-place", false, false}, {end_of_condition, "build-place", false, false}, {never_ended, "build-open", true, false},
  {never_ended_by_hand, "build-open", false, false}, {break_outside, "outside-loop", true, true}, {unreachable, "unreachable", true, true},
  {out_of_scope, "value-scope", true, true}, {var_out_of_scope, "var-scope", true, true}, {no_name, "build-missing", false, false},
  {empty_name, "build-missing", false, false}, {no_name_of_value, "build-missing", false, false}, {same_name, "duplicate-name", true, true},
  {late_buffer, "buffer-order", false, false}, {no_such_mode, "build-argument", false, false}, {temp_buffer, "temp-in-program", true, true},
  {range_of_shared, "build-argument", false, false}, {draw_of_shared, "build-argument", false, false}, {no_such_draw, "build-argument", false, false},
  {view_of_var, "build-argument", false, false}, {storage_param, "storage-type", false, false},
  {default_bits, "literal-range", false, false}, {length_of_local, "build-argument", false, false}, {no_such_length_op, "build-argument", false, false},
  {shared_of_param, "length-constant", true, true}, {axis_three, "build-argument", false, false}, {axis_twice, "stated-twice", false, false},
  {mixed_grid, "build-place", false, false}, {one_extent, "build-argument", false, false}, {five_extents, "too-many-dims", false, false},
  {no_extents, "build-missing", false, false}, {zero_extent, "build-missing", false, false}, {extents_twice, "stated-twice", false, false},
  {one_index, "index-count", false, false}, {index_of_one, "index-count", false, false}, {no_indices, "build-missing", false, false},
  {float_indices, "index-type", false, false}, {no_such_dimension, "no-dimension", false, false}, {program_in_program, "build-open", false, false}, {second_program, "build-place", false, false},
  {late_module, "build-place", false, false}, {run_without_module, "build-place", false, false}, {declared_outside, "build-place", false, false},
  {nothing_built, "build-missing", true, false}, {no_workgroup, "no-workgroup", true, true}, {deep, "too-large", false, false},
  {condition_stores, "malformed", true, true}, {unbound, "unbound-buffer", true, false}, {bound_twice, "bind-twice", true, false},
  {sliced_without_end, "build-missing", false, false}, {sliced_backwards, "build-foreign", false, false},
  {bound_backwards, "build-foreign", false, false}, {passed_length_of_program, "build-foreign", false, false}, {index_outside, "build-place", false, false},
  {adjoint_twice, "stated-twice", false, false}, {adjoint_of_itself, "adjoint-form", true, false},
  {adjoint_of_none, "build-missing", false, false}, {adjoint_of_another, "build-foreign", false, false}, {adjoint_inside, "build-open", false, false},
  {grid_of_repeat, "build-argument", false, false}, {open_repeat, "build-open", true, false}, {repeat_end_alone, "build-place", false, false},
  {no_bounds, "build-missing", false, false}, {no_such_program, "build-foreign", false, false}, {deep_repeats, "too-large", false, false},
  {constant_of_module, "build-place", false, false}, {program_open_at_end, "build-open", true, false},
};

START_TEST(misuse) {
  scene s = {0}, theirs = {0};
  kg_module *m = (kg_module *)&s;
  set(&theirs, kgt_begin()), set(&s, kgt_begin());
  kg_builder *first = s.b;
  s.theirs = theirs.v, s.their_x = theirs.x;
  ck_assert_int_eq(kg_builder_status(s.b), KG_OK);
  kgt_last.count = 0;
  misuses[_i].misuse(&s);
  if (misuses[_i].later) {
    ck_assert_msg(kg_builder_status(s.b) == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
    if (misuses[_i].ended) kg_build_program_end(s.b);
  } else {
    ck_assert_int_eq(kg_builder_status(s.b), KG_INVALID);
    ck_assert_str_eq(kgt_last.id, misuses[_i].id);
    ck_assert_int_eq(kgt_last.count, 1);
    set(&s, s.b); /* what follows does nothing, and says nothing */
    ck_assert_int_eq(kgt_last.count, 1);
  }
  ck_assert_int_eq(kg_builder_finish(s.b, &m), KG_INVALID);
  ck_assert_ptr_eq(m, &s);
  ck_assert_msg(strncmp(kgt_said, misuses[_i].id, strlen(misuses[_i].id)) == 0, "%s", kgt_said);
  if (s.b != first) kg_builder_free(first);
  kg_builder_free(theirs.b);
} END_TEST

START_TEST(no_builder) {
  scene s = {0};
  kg_module *m = NULL;
  kg_build_module(NULL, "m");
  kg_build_position(NULL, 1, 1);
  set(&s, NULL);
  for (size_t k = 0; k < KGT_COUNT(misuses); k++)
    if (misuses[k].misuse != deep) {
      s.b = NULL;
      misuses[k].misuse(&s);
      kg_builder_free(s.b);
    }
  ck_assert_int_eq(kg_builder_status(NULL), KG_NO_MEMORY);
  ck_assert_int_eq(kg_builder_finish(NULL, &m), KG_NO_MEMORY);
  ck_assert_ptr_null(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(misuse, misuses, id), KGT(no_builder)};
  return kgt_run("public/builder_misuse", tests, KGT_COUNT(tests));
}
