/* The table of primitives: what it holds, what it refuses, and that building survives every failed allocation. */
#include "tests/support/kgtest.h"

#include "foundation/ir/validate.h"

#include <kgrad/primitives.h>
#include <kgrad/spirv.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen { char id[40], message[256], fix[256]; int count; } seen;

static void note(void *user, const kg_diag *d) {
  seen *s = user;
  snprintf(s->id, sizeof s->id, "%s", d->id);
  snprintf(s->message, sizeof s->message, "%s", d->message);
  snprintf(s->fix, sizeof s->fix, "%s", d->fix);
  s->count++;
}

static const kg_primitive_info *row(const char *name) {
  const kg_primitive_info *info = kg_primitive_find(name);
  ck_assert_ptr_nonnull(info);
  return info;
}

START_TEST(the_table_is_sound) {
  ck_assert_uint_ge(kg_primitive_count(), 4);
  ck_assert_ptr_null(kg_primitive_at(kg_primitive_count()));
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    const kg_primitive_info *info = kg_primitive_at(i);
    ck_assert_ptr_eq(kg_primitive_find(info->name), info);
    ck_assert_msg(*info->summary && *info->computes && *info->source, "%s says nothing", info->name);
    for (uint32_t k = 0; k < info->param_count; k++) {
      const kg_primitive_param *p = &info->params[k];
      ck_assert_msg(p->least <= p->fallback && p->fallback <= p->most, "%s %s", info->name, p->name);
      ck_assert_msg(*p->help, "%s %s has no help", info->name, p->name);
    }
  }
}
END_TEST

START_TEST(every_row_builds_with_its_defaults) {
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    const kg_primitive_info *info = kg_primitive_at(i);
    kg_module *m = NULL;
    ck_assert_int_eq(kg_primitive_build(NULL, info->name, NULL, 0, NULL, &m), KG_OK);
    ck_assert_str_eq(kg_module_name(m), info->name);
    ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
    kg_module_free(m);
  }
}
END_TEST

static void builds_with(const kg_primitive_info *info, const char *param, double value) {
  seen s = {.count = 0};
  kg_module *m = NULL;
  kg_status status = kg_primitive_build(NULL, info->name, &(kg_primitive_arg){param, value}, 1, &(kg_sink){note, &s}, &m);
  ck_assert_msg(status == KG_OK, "%s with %s=%g: %s", info->name, param, value, s.message);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  kg_module_free(m);
}

/* Each line of a template is taken by some value: the ends of each range, and what is fixed by every power and small number. */
START_TEST(every_row_builds_with_each_choice) {
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    const kg_primitive_info *info = kg_primitive_at(i);
    for (uint32_t k = 0; k < info->param_count; k++) {
      const kg_primitive_param *p = &info->params[k];
      builds_with(info, p->name, p->least);
      builds_with(info, p->name, p->most);
      for (double x = p->least; p->fixed && x <= p->most && x < p->least + 16; x++)
        if (!p->power_of_two) builds_with(info, p->name, x);
      for (double x = p->least; p->power_of_two && x <= p->most; x *= 2) builds_with(info, p->name, x);
    }
  }
}
END_TEST

/* As SPIR-V that SPIRV-Tools accepts. */
START_TEST(every_row_becomes_spirv) {
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    kg_module *m = NULL;
    uint32_t *words = NULL;
    size_t count = 0;
    ck_assert_int_eq(kg_primitive_build(NULL, kg_primitive_at(i)->name, NULL, 0, NULL, &m), KG_OK);
    ck_assert_int_eq(kg_spirv_emit(NULL, m, &(kg_spirv_params){0}, NULL, &words, &count), KG_OK);
    ck_assert_uint_eq(words[0], 0x07230203);
    kg_bytes_free(NULL, words, count * sizeof *words);
    kg_module_free(m);
  }
}
END_TEST

/* Sizes become the program's defaults; what is fixed becomes a constant of it. */
START_TEST(parameters_reach_the_program) {
  kg_module *m = NULL;
  const kg_primitive_arg args[] = {{"n", 64}, {"blocks", 7}, {"damping", 0.25}};
  ck_assert_int_eq(kg_primitive_build(NULL, "kfac_inverse", args, 3, NULL, &m), KG_OK);
  kg_param_info blocks = kg_module_param(m, kg_module_find_param(m, "n_blocks"));
  kg_param_info damping = kg_module_param(m, kg_module_find_param(m, "damping"));
  ck_assert_uint_eq(blocks.bits, 7);
  ck_assert_uint_eq(damping.bits, 0x3E800000);
  const kgi_scope *s = &m->program[1]->scope;
  ck_assert_uint_eq(s->spec_count, 3);
  ck_assert_str_eq(kgi_string(m, s->spec[2].name), "N");
  ck_assert_uint_eq(s->spec[2].bits, 64);
  ck_assert_uint_eq(kg_module_buffer_count(m), 3);
  ck_assert_int_eq(kg_module_buffer(m, 2).type, KG_U32);
  kg_module_free(m);
}
END_TEST

static const struct refusal {
  const char *name;
  kg_primitive_arg args[2];
  size_t count;
  const char *id, *message, *fix;
} refusals[] = {
    {"sofmax", {{0}}, 0, "unknown-primitive", "there is no primitive sofmax", "did you mean softmax?"},
    {"zebra", {{0}}, 0, "unknown-primitive", "there is no primitive zebra", "kgrad prim --list names them"},
    {"softmax", {{"row", 2}}, 1, "primitive-param", "softmax has no parameter row", "its parameters are rows, cols, workgroup"},
    {"softmax", {{"rows", 2}, {"rows", 2}}, 2, "primitive-param-twice", "softmax is given rows more than once", "state it once"},
    {"softmax", {{"workgroup", 48}}, 1, "primitive-value", "softmax takes for workgroup a power of two from 1 to 1024, not 48",
     "workgroup is invocations that share a row; a power of two, at most what the device takes"},
    {"kfac_inverse", {{"n", 65}}, 1, "primitive-value", "kfac_inverse takes for n a whole number from 1 to 64, not 65",
     "n is the side of a block; one must fit in 16 KiB of shared memory, so split larger ones"},
    {"kfac_inverse", {{"n", 0}}, 1, "primitive-value", "kfac_inverse takes for n a whole number from 1 to 64, not 0", NULL},
    {"kfac_inverse", {{"n", 2.5}}, 1, "primitive-value", "kfac_inverse takes for n a whole number from 1 to 64, not 2.5", NULL},
    {"kfac_inverse", {{"damping", -1}}, 1, "primitive-value", "kfac_inverse takes for damping a number from 0 to 1e+30, not -1", NULL},
    {"kfac_inverse", {{"damping", NAN}}, 1, "primitive-value", NULL, NULL},
    {"kfac_inverse", {{"blocks", INFINITY}}, 1, "primitive-value", NULL, NULL},
    {"kfac_inverse", {{"workgroup", 8}}, 1, "primitive-value", NULL, NULL},
    {"matmul", {{"m", 16777217}}, 1, "primitive-value", "matmul takes for m a whole number from 0 to 16777216, not 16777217", NULL},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

START_TEST(refuses) {
  const struct refusal *r = &refusals[_i];
  seen s = {.count = 0};
  kg_module *m = (kg_module *)&s;
  ck_assert_int_eq(kg_primitive_build(NULL, r->name, r->args, r->count, &(kg_sink){note, &s}, &m), KG_INVALID);
  ck_assert_ptr_eq(m, &s); /* outputs are untouched */
  ck_assert_int_eq(s.count, 1);
  ck_assert_str_eq(s.id, r->id);
  if (r->message) ck_assert_str_eq(s.message, r->message);
  if (r->fix) ck_assert_str_eq(s.fix, r->fix);
  ck_assert_str_ne(s.fix, "");
}
END_TEST

/* Arrays of 2 blocks of 3 by 3, but one block too long: what a host asks before it runs anything. */
START_TEST(arrays_of_a_wrong_shape_are_refused) {
  kg_module *m = NULL;
  const kg_primitive_arg args[] = {{"n", 3}, {"blocks", 2}};
  ck_assert_int_eq(kg_primitive_build(NULL, "kfac_inverse", args, 2, NULL, &m), KG_OK);
  uint64_t param[2] = {2, 0}, length[3] = {27, 18, 2};
  bool param_given[2] = {true, false}, length_given[3] = {true, true, true};
  kg_host host = {param, param_given, length, length_given};
  seen s = {.count = 0};
  ck_assert_int_eq(kg_module_resolve(m, &host, &(kg_sink){note, &s}), KG_INVALID);
  ck_assert_int_eq(s.count, 1);
  ck_assert_ptr_nonnull(strstr(s.message, "27"));
  ck_assert_str_ne(s.fix, "");
  kg_module_free(m);
}
END_TEST

/* Of 3 layers of 8 by 8: a matrix of 8 by 7, a status too many. */
static const struct { const char *buffer; uint64_t length; const char *text; } wrong_shapes[] = {
    {"a_factor", 168, "168"}, {"g_factor", 168, "168"}, {"dw", 193, "193"}, {"step", 64, "64"},
    {"lambda", 2, "2"}, {"status_a", 4, "4"}, {"status_g", 0, "0"},
};

START_TEST(a_step_refuses_layers_of_a_wrong_shape) {
  kg_module *m = NULL;
  ck_assert_int_eq(kg_primitive_build(NULL, "kfac_autotune_step", NULL, 0, NULL, &m), KG_OK);
  uint32_t at = kg_module_find_buffer(m, wrong_shapes[_i].buffer);
  uint64_t param[2] = {3, 8}, length[16] = {0};
  bool param_given[2] = {true, true}, length_given[16] = {false};
  length[at] = wrong_shapes[_i].length, length_given[at] = true;
  kg_host host = {param, param_given, length, length_given};
  seen s = {.count = 0};
  ck_assert_int_eq(kg_module_resolve(m, &host, &(kg_sink){note, &s}), KG_INVALID);
  ck_assert_int_eq(s.count, 1);
  ck_assert_ptr_nonnull(strstr(s.message, wrong_shapes[_i].buffer));
  ck_assert_ptr_nonnull(strstr(s.message, wrong_shapes[_i].text));
  ck_assert_str_ne(s.fix, "");
  kg_module_free(m);
}
END_TEST

typedef struct budget { size_t left; } budget;

static void *limited(void *user, void *block, size_t old_size, size_t new_size) {
  budget *b = user;
  (void)old_size;
  if (!new_size) return free(block), NULL;
  if (!b->left) return NULL;
  b->left--;
  return realloc(block, new_size);
}

START_TEST(survives_every_failed_allocation) {
  const char *name = kg_primitive_at((uint32_t)_i)->name;
  for (size_t allowed = 0;; allowed++) {
    budget left = {allowed};
    kg_allocator alloc = {limited, &left};
    seen s = {.count = 0};
    kg_module *m = NULL;
    kg_status status = kg_primitive_build(&alloc, name, NULL, 0, &(kg_sink){note, &s}, &m);
    if (status == KG_OK) {
      ck_assert_uint_gt(allowed, 0);
      kg_module_free(m);
      return;
    }
    ck_assert_int_eq(status, KG_NO_MEMORY);
    ck_assert_ptr_null(m);
    ck_assert_str_eq(s.id, "no-memory");
    ck_assert_uint_lt(allowed, 1000);
  }
}
END_TEST

static const struct { const char *path; kg_status status; const char *id, *holds; } paths[] = {
    {"primitive softmax", KG_OK, "", "param     n_rows : u32 = 3 in 0 .. 16777217\n"}, {"primitive softmax()", KG_OK, "", "const     T = 64\n"},
    {"primitive softmax(rows=7,workgroup=128)", KG_OK, "", "n_rows : u32 = 7 in 0 .. 16777217\n"}, {"primitive layer_norm(epsilon=1.5e-3)", KG_OK, "", "epsilon : f32 = 0.0015 in "},
    {"primitive sofmax()", KG_INVALID, "unknown-primitive", NULL}, {"primitive ", KG_INVALID, "unknown-primitive", NULL},
    {"primitive softmax(rows)", KG_INVALID, "primitive-value", NULL}, {"primitive softmax(rows=)", KG_INVALID, "primitive-value", NULL},
    {"primitive softmax(rows=x)", KG_INVALID, "primitive-value", NULL}, {"primitive softmax(rows=3", KG_OK, "", "n_rows : u32 = 3 in 0 .. 16777217\n"},
    {"primitive softmax(=3)", KG_INVALID, "primitive-param", NULL}, {"primitive softmax(rows=1,rows=1)", KG_INVALID, "primitive-param-twice", NULL},
    {"primitive softmax(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s)", KG_INVALID, "primitive-param", NULL},
    {"softmax", KG_INVALID, "", NULL}, {"", KG_INVALID, "", NULL}, {"primitive.kg", KG_INVALID, "", NULL},
};

/* What a text asks a loader for. */
START_TEST(loads) {
  seen s = {.count = 0};
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_primitive_load(NULL, paths[_i].path, &(kg_sink){note, &s}, &text, &size), paths[_i].status);
  ck_assert_str_eq(s.id, paths[_i].id);
  ck_assert((paths[_i].status == KG_OK) == (text != NULL));
  if (!text) return;
  ck_assert_uint_eq(strlen(text), size);
  ck_assert_msg(strstr(text, paths[_i].holds) != NULL, "%s", text);
  kg_bytes_free(NULL, text, size + 1);
}
END_TEST

START_TEST(names_that_are_far_have_no_neighbour) {
  ck_assert_ptr_null(kg_primitive_nearest("x"));
  ck_assert_ptr_null(kg_primitive_nearest(""));
  ck_assert_str_eq(kg_primitive_nearest("kfac"), row("kfac_inverse")->name);
  ck_assert_str_eq(kg_primitive_nearest("layernorm"), row("layer_norm")->name);
  ck_assert_ptr_null(kg_primitive_nearest("a name that is longer than any of the rows has"));
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT(the_table_is_sound),
      KGT(every_row_builds_with_its_defaults),
      KGT(every_row_builds_with_each_choice),
      KGT(every_row_becomes_spirv),
      KGT(parameters_reach_the_program),
      KGT_TABLE(refuses, refusals, name),
      KGT(arrays_of_a_wrong_shape_are_refused),
      KGT_TABLE(a_step_refuses_layers_of_a_wrong_shape, wrong_shapes, buffer),
      KGT_TABLE(loads, paths, path),
      KGT_TIMES(survives_every_failed_allocation, kg_primitive_count()),
      KGT(names_that_are_far_have_no_neighbour),
  };
  return kgt_run("primitives/build", tests, KGT_COUNT(tests));
}
