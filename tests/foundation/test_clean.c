/* Cleaning: the shape of a program before and after. */
#include "foundation/passes/clean.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <string.h>

typedef struct bench {
  kgi_builder b;
  kgi_obj x, y, s; /* read, read_write, shared */
  kgi_val i, n, q;
  char shape[1024];
} bench;

static const kgi_val NONE;

static void put(bench *t, const char *text, const char *detail) {
  size_t used = strlen(t->shape);
  snprintf(t->shape + used, sizeof t->shape - used, "%s%s%s", used && t->shape[used - 1] != '{' && *text != '}' ? " " : "", text,
           detail);
}

/* One word an instruction: "add", "x" for a load, "=x" for a store, "for{...}". */
static void draw(bench *t, kgi_blk block) {
  const kgi_program *p = t->b.p;
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    const char *object = kgi_string(t->b.m, p->scope.object[inst->arg[0] < p->scope.object_count ? inst->arg[0] : 0].name);
    if (inst->kind == KGI_op) put(t, kgi_op_rows[inst->op].name, "");
    else if (inst->kind == KGI_load) put(t, "", object);
    else if (inst->kind == KGI_store) put(t, "=", object);
    else if (inst->kind == KGI_var) put(t, "var:", object);
    else put(t, kgi_kind_names[inst->kind], "");
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < blocks.count; k++) {
      strcat(t->shape, "{");
      draw(t, inst->arg[blocks.first + k]);
      strcat(t->shape, "}");
    }
  }
}

static void start(bench *t) {
  kgi_builder *b = &t->b;
  kgi_builder_init(b, kgi_module_new(NULL, "t"), NULL);
  kgi_program *p = kgi_begin_program(b, "p");
  uint32_t n = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, "n"), .type = KG_U32});
  uint32_t q = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, "q"), .type = KG_BOOL});
  t->x = kgi_buffer(b, "x", KG_F32, KG_READ, kgi_len_param(b, n));
  t->y = kgi_buffer(b, "y", KG_F32, KG_READ_WRITE, kgi_len_param(b, n));
  t->s = kgi_shared(b, "s", KG_F32, kgi_len_int(b, 64));
  p->workgroup[0] = p->grid[0] = kgi_len_int(b, 64);
  t->i = kgi_id_value(b, KGI_ID_global_id, 0);
  t->n = kgi_param_value(b, n);
  t->q = kgi_param_value(b, q);
}

static void expect(bench *t, const char *before, const char *after) {
  ck_assert_int_eq(kgi_builder_status(&t->b), KG_OK);
  t->shape[0] = 0;
  draw(t, KGI_BODY);
  ck_assert_str_eq(t->shape, before);
  ck_assert_int_eq(kgi_clean(t->b.m, t->b.p), KG_OK);
  ck_assert_int_eq(kgi_validate_program(t->b.m, t->b.p, NULL), KG_OK);
  t->shape[0] = 0;
  draw(t, KGI_BODY);
  ck_assert_str_eq(t->shape, after);
  kg_module_free(t->b.m);
}

#define BEGIN bench t; start(&t); kgi_builder *b = &t.b
#define ADD(p, q) kgi_op2(b, KGI_OP_add, p, q)
#define MUL(p, q) kgi_op2(b, KGI_OP_mul, p, q)

START_TEST(numbering) {
  BEGIN;
  kgi_val v = kgi_load(b, t.x, t.i), w = kgi_load(b, t.x, t.i);
  kgi_val one = MUL(v, kgi_f32(b, 1));
  kgi_val product = MUL(w, one);
  kgi_store(b, t.y, t.i, ADD(MUL(v, w), product));
  expect(&t, "x x mul mul mul add =y", "x mul add =y");
} END_TEST

/* What is computed on one side of a branch is not there on the other, or behind it. */
START_TEST(numbering_scopes) {
  BEGIN;
  kgi_if_begin(b, t.q);
  kgi_store(b, t.y, t.i, kgi_load(b, t.x, t.i));
  kgi_else(b);
  kgi_store(b, t.y, t.n, kgi_load(b, t.x, t.i));
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_load(b, t.x, t.i));
  expect(&t, "if{x =y}{x =y} x =y", "if{x =y}{x =y} x =y");
} END_TEST

START_TEST(dead) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_load(b, t.x, t.i));
  kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_store(b, v, NONE, ADD(kgi_load(b, v, NONE), kgi_f32(b, 1))); /* keeps itself alive, and nobody else */
  kgi_if_begin(b, t.q);
  kgi_break_here(b);
  kgi_end(b);
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_f32(b, 1));
  expect(&t, "var:v x =v for{v add =v if{break}} =y", "=y");
} END_TEST

START_TEST(kept) {
  BEGIN;
  kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_if_begin(b, t.q);
  kgi_break_here(b);
  kgi_end(b);
  kgi_atomic_op(b, KGI_ATOMIC_add, t.y, t.i, kgi_f32(b, 1), NONE);
  kgi_end(b);
  kgi_while_begin(b);
  kgi_while_body(b, t.q, kgi_len_int(b, 5)); /* over its limit it fails the program */
  kgi_end(b);
  kgi_barrier_here(b);
  expect(&t, "for{if{break} atomic} while{}{} barrier", "for{if{break} atomic} while{}{} barrier");
} END_TEST

START_TEST(forwarding) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_load(b, t.x, t.i));
  kgi_if_begin(b, t.q);
  kgi_store(b, t.y, t.i, kgi_load(b, v, NONE));
  kgi_end(b);
  kgi_store(b, t.y, t.n, kgi_load(b, v, NONE));
  expect(&t, "var:v x =v if{v =y} v =y", "x if{=y} =y");
} END_TEST

/* Stored on one side: not known behind. Stored in the loop: not known at its start. */
START_TEST(not_forwarded) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_f32(b, 1));
  kgi_if_begin(b, t.q);
  kgi_store(b, v, NONE, kgi_f32(b, 2));
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_load(b, v, NONE));
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_store(b, t.y, k, kgi_load(b, v, NONE));
  kgi_store(b, v, NONE, kgi_load(b, t.x, k));
  kgi_end(b);
  expect(&t, "var:v =v if{=v} v =y for{v =y x =v}", "var:v =v if{=v} v =y for{v =y x =v}");
} END_TEST

/* A loop that stores only later must not see the value from before it; a loop that does not store may. */
START_TEST(loops_forwarded) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_load(b, t.x, t.i));
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_val j = kgi_for_begin(b, "j", kgi_u32(b, 0), k, NONE, false);
  kgi_store(b, t.y, j, kgi_load(b, v, NONE));
  kgi_end(b);
  kgi_end(b);
  expect(&t, "var:v x =v for{for{v =y}}", "x for{for{=y}}");
} END_TEST

/* What is in shared memory stays across a barrier, unless a statement between stores there: any other that does would race. */
START_TEST(barriers) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0), other = kgi_op2(b, KGI_OP_xor, l, kgi_u32(b, 1));
  kgi_val first = kgi_load(b, t.s, other), second = kgi_load(b, t.s, other);
  kgi_barrier_here(b);
  kgi_val third = kgi_load(b, t.s, other);
  kgi_store(b, t.y, t.i, ADD(ADD(first, second), third));
  expect(&t, "xor s s barrier s add add =y", "xor s barrier add add =y");
} END_TEST

START_TEST(barriers_with_a_store_between) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0), other = kgi_op2(b, KGI_OP_xor, l, kgi_u32(b, 1));
  kgi_val first = kgi_load(b, t.s, other);
  kgi_barrier_here(b);
  kgi_if_begin(b, t.q);
  kgi_store(b, t.s, l, kgi_f32(b, 1));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_store(b, t.y, t.i, ADD(first, kgi_load(b, t.s, other)));
  expect(&t, "xor s barrier if{=s} barrier s add =y", "xor s barrier if{=s} barrier s add =y");
} END_TEST

START_TEST(barriers_with_an_atomic_between) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0), first = kgi_load(b, t.s, l);
  kgi_barrier_here(b);
  kgi_atomic_op(b, KGI_ATOMIC_add, t.s, kgi_u32(b, 0), first, NONE);
  kgi_barrier_here(b);
  kgi_store(b, t.y, t.i, ADD(first, kgi_load(b, t.s, l)));
  expect(&t, "s barrier atomic barrier s add =y", "s barrier atomic barrier s add =y");
} END_TEST

START_TEST(buffers_across_barriers) {
  BEGIN;
  kgi_val first = kgi_load(b, t.y, t.i);
  kgi_barrier_here(b);
  kgi_store(b, t.y, t.i, ADD(first, kgi_load(b, t.y, t.i)));
  expect(&t, "y barrier y add =y", "y barrier y add =y");
} END_TEST

/* Each lane's own element; nobody looks at the array in the end. */
START_TEST(own_elements_of_shared_memory) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0), x = kgi_id_value(b, KGI_ID_local_id, 0);
  kgi_store(b, t.s, l, kgi_load(b, t.x, t.i));
  kgi_barrier_here(b);
  kgi_store(b, t.y, t.i, kgi_load(b, t.s, x));
  expect(&t, "x =s barrier s =y", "x barrier =y");
} END_TEST

START_TEST(own_elements_of_a_short_array) {
  BEGIN;
  kgi_obj few = kgi_shared(b, "few", KG_F32, kgi_len_int(b, 63));
  kgi_val l = kgi_id_value(b, KGI_ID_local_id, 0);
  kgi_store(b, few, l, kgi_load(b, t.x, t.i));
  kgi_store(b, t.y, t.i, kgi_load(b, few, l));
  expect(&t, "x =few few =y", "x =few few =y");
} END_TEST

START_TEST(own_elements_of_a_plane) {
  BEGIN;
  b->p->workgroup[0] = kgi_len_int(b, 8), b->p->workgroup[1] = kgi_len_int(b, 8);
  kgi_val l = kgi_id_value(b, KGI_ID_local_id, 0);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, kgi_id_value(b, KGI_ID_local_id, 1), kgi_u32(b, 0)));
  kgi_store(b, t.s, l, kgi_load(b, t.x, t.i));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_store(b, t.y, t.i, kgi_load(b, t.s, l));
  expect(&t, "eq if{x =s} barrier s =y", "eq if{x =s} barrier s =y");
} END_TEST

START_TEST(shared_memory_nobody_looks_at_again) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_id, 0), other = kgi_op2(b, KGI_OP_xor, l, kgi_u32(b, 1));
  kgi_store(b, t.s, l, kgi_load(b, t.x, t.i));
  kgi_barrier_here(b);
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_store(b, t.y, k, kgi_load(b, t.s, other));
  kgi_barrier_here(b);
  kgi_store(b, t.s, l, kgi_f32(b, 2));
  kgi_barrier_here(b);
  kgi_end(b);
  kgi_store(b, t.s, l, kgi_f32(b, 3));
  expect(&t, "xor x =s barrier for{s =y barrier =s barrier} =s", "xor x =s barrier for{s =y barrier =s barrier}");
} END_TEST

/* The last statement of a loop, whose first looks at it in the next trip. */
START_TEST(shared_memory_stored_last_in_a_loop) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_id, 0), other = kgi_op2(b, KGI_OP_xor, l, kgi_u32(b, 1));
  kgi_store(b, t.s, l, kgi_load(b, t.x, t.i));
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_barrier_here(b);
  kgi_if_begin(b, t.q);
  kgi_store(b, t.y, k, kgi_load(b, t.s, other));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_store(b, t.s, l, kgi_f32(b, 2));
  kgi_end(b);
  expect(&t, "xor x =s for{barrier if{s =y} barrier =s}", "xor x =s for{barrier if{s =y} barrier =s}");
} END_TEST

START_TEST(barrier_in_loop) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0);
  kgi_val first = kgi_load(b, t.s, l);
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_store(b, t.y, k, ADD(first, kgi_load(b, t.s, l)));
  kgi_barrier_here(b);
  kgi_end(b);
  expect(&t, "s for{s add =y barrier}", "s add for{=y barrier}");
} END_TEST

START_TEST(store_and_barrier_in_loop) {
  BEGIN;
  kgi_val l = kgi_id_value(b, KGI_ID_local_index, 0), other = kgi_op2(b, KGI_OP_xor, l, kgi_u32(b, 1));
  kgi_val first = kgi_load(b, t.s, other);
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_store(b, t.y, k, ADD(first, kgi_load(b, t.s, other)));
  kgi_barrier_here(b);
  kgi_store(b, t.s, l, kgi_f32(b, 2));
  kgi_barrier_here(b);
  kgi_end(b);
  expect(&t, "xor s for{s add =y barrier =s barrier}", "xor s for{s add =y barrier =s barrier}");
} END_TEST

/* A store to a buffer may be out of bounds, and then a load gives 0. */
START_TEST(buffers_not_forwarded) {
  BEGIN;
  kgi_store(b, t.y, t.i, kgi_load(b, t.x, t.i));
  kgi_store(b, t.y, t.n, kgi_load(b, t.y, t.i));
  expect(&t, "x =y y =y", "x =y y =y");
} END_TEST

/* x, which is only read, and y lie over each other, in two blocks, or as fields of one. */
static void make_views(bench *t, unsigned how) {
  kgi_object *x = &t->b.p->scope.object[t->x.i], *y = &t->b.p->scope.object[t->y.i];
  x->view = y->view = true, x->stride = y->stride = how == 2 ? 8 : 4;
  y->binding = how == 1, y->offset = how == 2 ? 4 : 0;
}

START_TEST(views_may_lie_over_each_other) {
  for (unsigned how = 0; how < 3; how++) {
    BEGIN;
    make_views(&t, how);
    kgi_store(b, t.y, t.i, kgi_load(b, t.x, t.i));
    kgi_store(b, t.y, t.n, kgi_load(b, t.x, t.i));
    kgi_val again = kgi_load(b, t.y, t.n);
    kgi_store(b, t.y, t.i, ADD(kgi_load(b, t.y, t.n), again));
    expect(&t, "x =y x =y y y add =y", how ? "x =y =y y add =y" : "x =y x =y y y add =y");
  }
} END_TEST

START_TEST(stores_back) {
  BEGIN;
  kgi_store(b, t.y, t.i, kgi_load(b, t.y, t.i));
  kgi_barrier_here(b);
  expect(&t, "y =y barrier", "barrier");
} END_TEST

START_TEST(overwritten) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_f32(b, 1));
  kgi_store(b, v, NONE, kgi_f32(b, 2));
  kgi_if_begin(b, t.q);
  kgi_store(b, v, NONE, kgi_f32(b, 3));
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_load(b, v, NONE));
  expect(&t, "var:v =v =v if{=v} v =y", "var:v =v if{=v} v =y");
} END_TEST

START_TEST(hoisting) {
  BEGIN;
  kgi_val k = kgi_for_begin(b, "k", kgi_u32(b, 0), t.n, NONE, false);
  kgi_val outer = MUL(k, t.n), inner;
  kgi_val j = kgi_for_begin(b, "j", kgi_u32(b, 0), t.n, NONE, false);
  kgi_if_begin(b, t.q);
  kgi_val v = kgi_load(b, t.x, t.n);
  inner = MUL(k, k);
  inner = ADD(inner, MUL(t.i, t.n));
  kgi_store(b, t.y, ADD(ADD(inner, outer), j), v);
  kgi_end(b);
  kgi_end(b);
  kgi_end(b);
  expect(&t, "for{mul for{if{x mul mul add add add =y}}}", "mul for{mul mul add add for{if{x add =y}}}");
} END_TEST

START_TEST(decided) {
  BEGIN;
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, kgi_u32(b, 1), kgi_u32(b, 2)));
  kgi_store(b, t.y, t.i, kgi_f32(b, 1));
  kgi_else(b);
  kgi_store(b, t.y, t.i, kgi_f32(b, 2));
  kgi_end(b);
  kgi_if_begin(b, t.q);
  kgi_if_begin(b, kgi_bool(b, true));
  kgi_return_here(b);
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_f32(b, 3));
  kgi_end(b);
  kgi_for_begin(b, "k", kgi_i32(b, 3), kgi_i32(b, -3), NONE, false);
  kgi_barrier_here(b);
  kgi_end(b);
  kgi_barrier_here(b);
  expect(&t, "lt if{=y}{=y} if{if{return} =y} for{barrier} barrier", "=y if{return} barrier");
} END_TEST

START_TEST(empty_side) {
  BEGIN;
  kgi_if_begin(b, t.q);
  kgi_load(b, t.x, t.i);
  kgi_else(b);
  kgi_store(b, t.y, t.i, kgi_f32(b, 2));
  kgi_end(b);
  expect(&t, "if{x}{=y}", "not if{=y}");
} END_TEST

/* A region scopes nothing: what is known inside is known behind it. */
START_TEST(regions) {
  BEGIN;
  kgi_region_begin(b, "r");
  kgi_obj v = kgi_var(b, "v", KG_F32, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_load(b, t.x, t.i));
  kgi_end(b);
  kgi_val w = kgi_load(b, v, NONE), again = kgi_load(b, t.x, t.i);
  kgi_store(b, t.y, t.i, ADD(w, again));
  expect(&t, "region{var:v x =v} v x add =y", "region{x} add =y");
} END_TEST

/* Once it stands where the branch stood, its scope is the one around that; what is behind sees nothing of what is in there. */
START_TEST(region_in_a_decided_side) {
  BEGIN;
  kgi_if_begin(b, t.q);
  kgi_if_begin(b, kgi_bool(b, true));
  kgi_region_begin(b, "r");
  kgi_store(b, t.y, t.n, kgi_load(b, t.s, kgi_u32(b, 0)));
  kgi_end(b);
  kgi_end(b);
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_load(b, t.s, kgi_u32(b, 0)));
  expect(&t, "if{if{region{s =y}}} s =y", "if{region{s =y}} s =y");
} END_TEST

/* Nor is what a jump in a region makes unreachable needed behind it. */
START_TEST(jump_in_a_region) {
  BEGIN;
  kgi_if_begin(b, t.q);
  kgi_region_begin(b, "outer");
  kgi_region_begin(b, "r");
  kgi_if_begin(b, kgi_bool(b, true));
  kgi_return_here(b);
  kgi_end(b);
  kgi_val v = kgi_load(b, t.y, t.i);
  kgi_end(b);
  kgi_store(b, t.y, t.n, v);
  kgi_end(b);
  kgi_store(b, t.y, t.i, v);
  kgi_end(b);
  kgi_store(b, t.y, t.i, kgi_f32(b, 2));
  expect(&t, "if{region{region{if{return} y} =y} =y} =y", "if{region{region{return}}} =y");
} END_TEST

START_TEST(narrow_storage) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_BF16, (kgi_dim){0});
  kgi_store(b, v, NONE, kgi_load(b, t.x, t.i));
  kgi_store(b, t.y, t.i, kgi_load(b, v, NONE)); /* rounded: not what was stored */
  expect(&t, "var:v x =v v =y", "var:v x =v v =y");
} END_TEST

START_TEST(arrays) {
  BEGIN;
  kgi_obj v = kgi_var(b, "v", KG_F32, kgi_len_int(b, 4));
  kgi_store(b, v, kgi_u32(b, 3), kgi_load(b, t.x, t.i));
  kgi_store(b, t.y, t.i, kgi_load(b, v, kgi_u32(b, 3)));
  kgi_obj w = kgi_var(b, "w", KG_F32, kgi_len_int(b, 4));
  kgi_store(b, w, kgi_i32(b, -1), kgi_load(b, t.x, t.i)); /* out of bounds: dropped, and loads give 0 */
  kgi_store(b, t.y, t.n, kgi_load(b, w, kgi_i32(b, -1)));
  expect(&t, "var:v x =v v =y var:w x =w w =y", "x =y var:w =w w =y");
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(numbering), KGT(numbering_scopes), KGT(dead), KGT(kept), KGT(forwarding), KGT(not_forwarded),
                            KGT(loops_forwarded), KGT(barriers), KGT(barrier_in_loop),
                            KGT(store_and_barrier_in_loop), KGT(barriers_with_a_store_between), KGT(barriers_with_an_atomic_between),
                            KGT(buffers_across_barriers), KGT(own_elements_of_shared_memory), KGT(own_elements_of_a_short_array),
                            KGT(own_elements_of_a_plane), KGT(shared_memory_nobody_looks_at_again), KGT(shared_memory_stored_last_in_a_loop),
                            KGT(buffers_not_forwarded),
                            KGT(views_may_lie_over_each_other), KGT(stores_back), KGT(overwritten), KGT(hoisting), KGT(decided),
                            KGT(empty_side), KGT(regions), KGT(region_in_a_decided_side), KGT(jump_in_a_region),
                            KGT(narrow_storage), KGT(arrays)};
  return kgt_run("foundation/clean", tests, KGT_COUNT(tests));
}
