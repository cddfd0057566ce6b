#include "tests/public/builder.h"

#include <string.h>

char kgt_said[4096];

static void hear(void *user, const kg_diag *diag) {
  (void)user;
  kgt_sink.emit(kgt_sink.user, diag);
  if (strlen(kgt_said) + strlen(diag->id) + 2 < sizeof kgt_said) strcat(strcat(kgt_said, diag->id), " ");
}

static const kg_sink sink = {hear, NULL};

kg_builder *kgt_begin(void) {
  kg_builder *b = NULL;
  ck_assert_int_eq(kg_builder_new(NULL, "built", &sink, &b), KG_OK);
  return b;
}

kgt_step kgt_build_step(kg_builder *b) {
  kgt_step s;
  s.program = kg_build_program(b, "step");
  kg_param n = kg_build_param(b, "n", KG_U32);
  s.k = kg_build_param(b, "k", KG_U32);
  s.rate = kg_build_param(b, "rate", KG_F32);
  kg_length size = kg_build_length_param(b, n);
  s.a = kg_build_buffer(b, "a", KG_F32, KG_READ, size);
  s.y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_build_workgroup(b, 0, kg_build_length(b, 4));
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_value x = kg_build_load(b, s.a, i);
  kg_value scaled = kg_build_op2(b, KG_OP_MUL, x, kg_build_param_value(b, s.rate));
  kg_value k = kg_build_param_value(b, s.k);
  kg_build_store(b, s.y, i, kg_build_op2(b, KG_OP_ADD, scaled, kg_build_convert(b, KG_F32, k)));
  kg_build_program_end(b);
  return s;
}

static kg_program build_square(kg_builder *b) {
  kg_program program = kg_build_program(b, "square");
  kg_length size = kg_build_length_param(b, kg_build_param(b, "n", KG_U32));
  kg_value c = kg_build_param_value(b, kg_build_param(b, "c", KG_F32)), i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, size), y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_build_workgroup(b, 0, kg_build_length(b, 4));
  kg_build_invocations(b, 0, size);
  kg_value scaled = kg_build_op2(b, KG_OP_MUL, c, kg_build_load(b, x, i));
  kg_build_store(b, y, i, kg_build_op2(b, KG_OP_MUL, scaled, kg_build_load(b, x, i)));
  kg_build_program_end(b);
  return program;
}

static kg_value product(kg_builder *b, kg_value x, kg_value y, kg_value z) { return kg_build_op2(b, KG_OP_MUL, kg_build_op2(b, KG_OP_MUL, x, y), z); }

static void add_to(kg_builder *b, kg_object shadow, kg_value i, kg_value before, kg_value more) {
  kg_build_store(b, shadow, i, kg_build_op2(b, KG_OP_ADD, before, more));
}

static kg_program build_square_back(kg_builder *b) {
  kg_program program = kg_build_program(b, "square_back");
  kg_param n = kg_build_param(b, "n", KG_U32);
  kg_length size = kg_build_length_param(b, n), one = kg_build_length(b, 1);
  kg_value c = kg_build_param_value(b, kg_build_param(b, "c", KG_F32)), zero = kgt_u32(b, 0);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, size), grad_x = kg_build_buffer(b, "grad_x", KG_F32, KG_READ_WRITE, size);
  kg_object grad_y = kg_build_buffer(b, "grad_y", KG_F32, KG_READ_WRITE, size);
  kg_object grad_c = kg_build_buffer(b, "grad_c", KG_F32, KG_READ_WRITE, one);
  kg_build_workgroup(b, 0, one);
  kg_build_grid(b, 0, one);
  kg_value i = kg_build_for(b, "i", zero, kg_build_param_value(b, n), kgt_no_value, false);
  kg_value v = kg_build_name(b, kg_build_load(b, x, i), "v"), g = kg_build_name(b, kg_build_load(b, grad_y, i), "g");
  kg_build_store(b, grad_y, i, kgt_f32(b, 0));
  kg_value before = kg_build_load(b, grad_x, i), twice = kg_build_op2(b, KG_OP_MUL, kgt_f32(b, 2), c), first = kg_build_int(b, KG_I32, 0);
  add_to(b, grad_x, i, before, product(b, twice, v, g));
  before = kg_build_load(b, grad_c, first);
  add_to(b, grad_c, first, before, product(b, v, v, g));
  kg_build_end(b);
  kg_build_program_end(b);
  return program;
}

/* The module's scope, and both programs. */
kgt_sides kgt_build_square(kg_builder *b) {
  kg_build_module(b, "square");
  kg_param n = kg_build_param(b, "n", KG_U32), c = kg_build_param(b, "c", KG_F32);
  kg_build_param_default(b, n, 16);
  kg_build_param_default(b, c, kg_value_of_number(KG_F32, 0.5));
  kg_length size = kg_build_length_param(b, n);
  kg_build_buffer(b, "x", KG_F32, KG_READ, size);
  kg_build_buffer(b, "y", KG_F32, KG_WRITE, size);
  kg_program forward = build_square(b);
  return (kgt_sides){forward, build_square_back(b)};
}
