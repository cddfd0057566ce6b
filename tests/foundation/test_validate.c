/* The validator: each rule broken once, by a program that is right otherwise. */
#include "foundation/ir/validate.h"
#include "foundation/ir/views.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <string.h>

typedef struct heard { char id[64]; unsigned count; } heard;

static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  if (!h->count++) snprintf(h->id, sizeof h->id, "%s", diag->id);
}

typedef struct bench {
  kgi_builder b;
  kgi_program *p;
  kgi_obj x, y, s; /* read, read_write, shared */
  kgi_val i;
  uint32_t n, k;   /* param u32, const u32 = 64 */
} bench;

static void program(bench *t, const char *name) {
  kgi_builder *b = &t->b;
  t->p = kgi_begin_program(b, name);
  t->k = kgi_spec_add(b, &(kgi_spec){.name = kgi_intern_z(b->m, "K"), .type = KG_U32, .bits = 64});
  t->n = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, "n"), .type = KG_U32});
  t->x = kgi_buffer(b, "x", KG_F32, KG_READ, kgi_len_param(b, t->n));
  t->y = kgi_buffer(b, "y", KG_F32, KG_READ_WRITE, kgi_len_param(b, t->n));
  t->s = kgi_shared(b, "s", KG_F32, kgi_len_spec(b, t->k));
  t->p->workgroup[0] = kgi_len_spec(b, t->k);
  t->p->grid[0] = kgi_len_param(b, t->n);
  t->p->grid_is_invocations = true;
  t->i = kgi_id_value(b, KGI_ID_global_id, 0);
}

/* Everything at once, and right: a loop in a branch, a while, a var, shared memory, a region, an atomic. */
static void sound(bench *t) {
  kgi_builder *b = &t->b;
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, t->i, kgi_param_value(b, t->n)));
  kgi_obj acc = kgi_var(b, "acc", KG_F32, (kgi_dim){0});
  kgi_store(b, acc, (kgi_val){0}, kgi_f32(b, 0));
  kgi_val j = kgi_for_begin(b, "j", kgi_u32(b, 0), t->i, (kgi_val){0}, true);
  kgi_val term = kgi_load(b, t->x, j);
  kgi_store(b, acc, (kgi_val){0}, kgi_op2(b, KGI_OP_add, kgi_load(b, acc, (kgi_val){0}), term));
  kgi_if_begin(b, kgi_op2(b, KGI_OP_gt, j, kgi_u32(b, 9)));
  kgi_break_here(b);
  kgi_else(b);
  kgi_continue_here(b);
  kgi_end(b);
  kgi_end(b);
  kgi_while_begin(b);
  kgi_while_body(b, kgi_op2(b, KGI_OP_lt, kgi_load(b, acc, (kgi_val){0}), kgi_f32(b, 1)), kgi_len_int(b, 10));
  kgi_store(b, acc, (kgi_val){0}, kgi_f32(b, 2));
  kgi_end(b);
  kgi_store(b, t->y, t->i, kgi_load(b, acc, (kgi_val){0}));
  kgi_end(b);
  kgi_region_begin(b, "tail");
  kgi_store(b, t->s, kgi_id_value(b, KGI_ID_local_index, 0), kgi_f32(b, 1));
  kgi_barrier_here(b);
  kgi_atomic_op(b, KGI_ATOMIC_add, t->y, kgi_u32(b, 0), kgi_f32(b, 1), (kgi_val){0});
  kgi_end(b);
  kgi_assert(b, kgi_bool(b, true), "never");
  kgi_return_here(b);
}

static uint32_t last(const bench *t) { return t->p->inst_count - 1; }

static void late_use(bench *t) {
  kgi_val v = kgi_op2(&t->b, KGI_OP_add, t->i, t->i);
  kgi_val w = kgi_op2(&t->b, KGI_OP_add, v, t->i);
  kgi_move(t->p, v.i, kgi_behind(t->p, w.i));
}
static void use_outside(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  kgi_val v = kgi_load(&t->b, t->x, t->i);
  kgi_end(&t->b);
  kgi_store(&t->b, t->y, t->i, v);
}
static void use_behind_region(bench *t) {
  kgi_region_begin(&t->b, "r");
  kgi_val v = kgi_load(&t->b, t->x, t->i);
  kgi_end(&t->b);
  kgi_store(&t->b, t->y, t->i, v);
}
static void use_outside_region(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  use_behind_region(t);
  kgi_end(&t->b);
  kgi_store(&t->b, t->y, t->i, (kgi_val){t->p->inst[last(t)].arg[2]});
}
static void index_outside(bench *t) {
  kgi_val j = kgi_for_begin(&t->b, "j", kgi_u32(&t->b, 0), t->i, (kgi_val){0}, false);
  kgi_end(&t->b);
  kgi_op2(&t->b, KGI_OP_add, j, j);
}
static void condition_outside(bench *t) {
  kgi_while_begin(&t->b);
  kgi_val v = kgi_load(&t->b, t->x, t->i);
  kgi_while_body(&t->b, kgi_op2(&t->b, KGI_OP_lt, v, v), (kgi_dim){0});
  kgi_store(&t->b, t->y, t->i, v);
  kgi_end(&t->b);
}
static void var_outside(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, (kgi_dim){0});
  kgi_end(&t->b);
  kgi_store(&t->b, v, (kgi_val){0}, kgi_f32(&t->b, 0));
}
static void var_early(bench *t) {
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, (kgi_dim){0});
  uint32_t declaration = last(t);
  kgi_store(&t->b, v, (kgi_val){0}, kgi_f32(&t->b, 0));
  kgi_move(t->p, declaration, kgi_at_end(t->p, KGI_BODY));
}
static void var_length(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, kgi_len_int(&t->b, 4));
  kgi_end(&t->b);
  kgi_store(&t->b, t->y, kgi_len_value(&t->b, v), kgi_f32(&t->b, 0));
}
static void store_to_read(bench *t) { kgi_store(&t->b, t->x, t->i, kgi_f32(&t->b, 0)); }
static void atomic_to_read(bench *t) {
  kgi_atomic_op(&t->b, KGI_ATOMIC_add, t->x, t->i, kgi_f32(&t->b, 0), (kgi_val){0});
}
static void load_from_write(bench *t) {
  t->p->scope.object[t->y.i].mode = KG_WRITE;
  kgi_load(&t->b, t->y, t->i);
}
static void temp_here(bench *t) { t->p->scope.object[t->y.i].mode = KG_TEMP; }
static void shared_param(bench *t) { t->p->scope.object[t->s.i].length = kgi_len_param(&t->b, t->n); }
static void shared_open(bench *t) { t->p->scope.object[t->s.i].length = (kgi_dim){0}; }
static void shared_empty(bench *t) { t->p->scope.object[t->s.i].length = kgi_len_int(&t->b, 0); }
static void shared_huge(bench *t) { t->p->scope.object[t->s.i].length = kgi_len_int(&t->b, INT64_MAX); }
static void shared_negative(bench *t) { t->p->scope.object[t->s.i].length = kgi_len_int(&t->b, -1); }
static void float_length(bench *t) { t->p->scope.object[t->x.i].length = kgi_len_float(&t->b, 1.5); }
static void forward_length(bench *t) { t->p->scope.object[t->x.i].length = kgi_len_of(&t->b, t->y); }
static void own_length(bench *t) { t->p->scope.object[t->y.i].length = kgi_len_of(&t->b, t->y); }
static void bool_elements(bench *t) { t->p->scope.object[t->x.i].type = KG_BOOL; }
static void buffer_behind(bench *t) {
  kgi_object *o = &t->p->scope.object[t->x.i];
  o->space = KGI_SHARED, o->mode = 0, o->length = kgi_len_int(&t->b, 4);
}
static void stride_small(bench *t) {
  kgi_object *o = &t->p->scope.object[t->x.i];
  o->view = true, o->stride = 2;
}
static void offset_odd(bench *t) {
  kgi_object *o = &t->p->scope.object[t->x.i];
  o->view = true, o->stride = 16, o->offset = 2;
}
static void row_of(bench *t, uint32_t row, uint32_t every) { /* of f32 */
  kgi_object *o = &t->p->scope.object[t->x.i];
  o->view = true, o->stride = 8, o->row = row, o->every = every;
}
static void row_fits(bench *t) { row_of(t, 3, 20); }
static void row_short(bench *t) { row_of(t, 3, 16); }
static void row_odd(bench *t) { row_of(t, 3, 22); }
static void row_missing(bench *t) { row_of(t, 0, 24); }
static void row_of_plain(bench *t) { row_of(t, 3, 24), t->p->scope.object[t->x.i].view = false; }
static void nameless(bench *t) { t->p->scope.object[t->x.i].name = (kgi_str){0}; }
static void same_names(bench *t) { t->p->scope.object[t->x.i].name = t->p->scope.param[t->n].name; }
static void storage_param(bench *t) { t->p->scope.param[t->n].type = KG_U8; }
static void break_here(bench *t) { kgi_break_here(&t->b); }
static void continue_here(bench *t) { kgi_continue_here(&t->b); }
static void behind_return(bench *t) {
  kgi_return_here(&t->b);
  kgi_barrier_here(&t->b);
}
static void no_workgroup(bench *t) { t->p->workgroup[0] = (kgi_dim){0}; }
static void empty_workgroup(bench *t) { t->p->workgroup[1] = kgi_len_int(&t->b, 0); }
static void large_workgroup(bench *t) { t->p->workgroup[1] = kgi_len_int(&t->b, 100000); }
static void param_workgroup(bench *t) { t->p->workgroup[1] = kgi_len_param(&t->b, t->n); }
static void no_grid(bench *t) { t->p->grid[0] = (kgi_dim){0}; }
static void axis_skipped(bench *t) { t->p->grid[2] = kgi_len_int(&t->b, 2); }
static void workgroup_skipped(bench *t) { t->p->workgroup[2] = kgi_len_int(&t->b, 2); }
static void operand_missing(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].arg[1] = 0; }
static void operand_far(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].arg[1] = 1000000; }
static void operand_store(bench *t) {
  kgi_store(&t->b, t->y, t->i, kgi_f32(&t->b, 0));
  uint32_t store = last(t);
  t->p->inst[kgi_op1(&t->b, KGI_OP_neg, kgi_f32(&t->b, 0)).i].arg[0] = store;
}
static void operands_differ(bench *t) {
  kgi_val sum = kgi_op2(&t->b, KGI_OP_add, t->i, t->i), zero = kgi_f32(&t->b, 0);
  t->p->inst[sum.i].arg[1] = zero.i;
}
static void op_unknown(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].op = 255; }
static void kind_unknown(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].kind = 255; }
static void result_wrong(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].type = KG_I32; }
static void type_unknown(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].type = 99; }
static void link_loops(bench *t) {
  kgi_val v = kgi_op2(&t->b, KGI_OP_add, t->i, t->i);
  kgi_val w = kgi_op2(&t->b, KGI_OP_add, t->i, t->i);
  t->p->inst[w.i].next = v.i;
}
static void link_far(bench *t) { t->p->inst[kgi_op2(&t->b, KGI_OP_add, t->i, t->i).i].next = 1u << 30; }
static void block_shared(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  kgi_else(&t->b);
  kgi_end(&t->b);
  t->p->inst[last(t)].arg[2] = t->p->inst[last(t)].arg[1];
}
static void block_body(bench *t) {
  kgi_if_begin(&t->b, kgi_bool(&t->b, true));
  kgi_end(&t->b);
  t->p->inst[last(t)].arg[1] = KGI_BODY;
}
static void leaf_in_block(bench *t) { t->p->inst[t->i.i].block = KGI_BODY; }
static void leaf_component(bench *t) { t->p->inst[t->i.i].arg[0] = 3; }
static void literal_wide(bench *t) { t->p->inst[kgi_bool(&t->b, true).i].arg[0] = 2; }
static void literal_nan(bench *t) {
  kgi_val v = kgi_f32(&t->b, 7);
  t->p->inst[v.i].arg[0] = 0x7FA00000;
}
static void default_nan(bench *t) { t->p->scope.param[t->n].type = KG_F32, t->p->scope.param[t->n].bits = 0xFFC00000; }
static void statement_in_condition(bench *t) {
  kgi_while_begin(&t->b);
  kgi_barrier_here(&t->b);
  kgi_while_body(&t->b, kgi_bool(&t->b, true), (kgi_dim){0});
  kgi_end(&t->b);
}
static void dim_cycle(bench *t) {
  kgi_dim d = kgi_len_op(&t->b, KGI_DIM_ADD, kgi_len_param(&t->b, t->n), kgi_len_int(&t->b, 1));
  t->p->scope.dim[d.i].a = d.i;
}
static void dim_explodes(bench *t) {
  kgi_dim d = kgi_len_param(&t->b, t->n);
  for (unsigned i = 0; i < 90; i++) d = kgi_len_op(&t->b, KGI_DIM_MUL, d, d);
  t->p->grid[0] = d;
}
static void var_twice(bench *t) {
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, (kgi_dim){0});
  kgi_append(&t->b, (kgi_inst){.kind = KGI_var, .arg = {v.i}});
}
static void index_float(bench *t) {
  kgi_val load = kgi_load(&t->b, t->x, t->i), zero = kgi_f32(&t->b, 0);
  t->p->inst[load.i].arg[1] = zero.i;
}
static void index_missing(bench *t) { t->p->inst[kgi_load(&t->b, t->x, t->i).i].arg[1] = 0; }
static void index_extra(bench *t) {
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, (kgi_dim){0});
  t->p->inst[kgi_load(&t->b, v, (kgi_val){0}).i].arg[1] = t->i.i;
}
static void atomic_var(bench *t) {
  uint32_t i = kgi_atomic_op(&t->b, KGI_ATOMIC_add, t->s, t->i, kgi_f32(&t->b, 0), (kgi_val){0}).i;
  kgi_cursor at = kgi_before(t->p, i);
  t->b.at = at;
  kgi_obj v = kgi_var(&t->b, "v", KG_F32, kgi_len_int(&t->b, 4));
  t->p->inst[i].arg[0] = v.i;
}
static void range_open(bench *t) { t->p->scope.object[t->x.i].ranged = true; }

static const struct { const char *id; void (*make)(bench *t); } rows[] = {
  {"", sound}, {"value-scope", late_use}, {"value-scope", use_outside}, {"value-scope", index_outside},
  {"", use_behind_region}, {"value-scope", use_outside_region},
  {"value-scope", condition_outside}, {"var-scope", var_outside}, {"var-scope", var_early}, {"var-scope", var_length}, {"store-to-read", store_to_read},
  {"store-to-read", atomic_to_read}, {"load-from-write", load_from_write}, {"temp-in-program", temp_here},
  {"length-constant", shared_param}, {"local-length", shared_open}, {"too-small", shared_empty}, {"too-large", shared_huge},
  {"length-negative", shared_negative}, {"length-type", float_length}, {"length-forward", forward_length},
  {"length-forward", own_length}, {"bool-buffer", bool_elements}, {"buffer-order", buffer_behind}, {"view-stride", stride_small},
  {"view-offset", offset_odd}, {"", row_fits}, {"view-row", row_short},
  {"view-row", row_odd}, {"view-row", row_missing}, {"malformed", row_of_plain}, {"no-name", nameless}, {"duplicate-name", same_names}, {"storage-type", storage_param},
  {"outside-loop", break_here}, {"outside-loop", continue_here}, {"unreachable", behind_return}, {"no-workgroup", no_workgroup},
  {"too-small", empty_workgroup}, {"too-large", large_workgroup}, {"length-constant", param_workgroup}, {"no-grid", no_grid},
  {"malformed", axis_skipped}, {"malformed", workgroup_skipped}, {"malformed", operand_missing}, {"malformed", operand_far}, {"value-scope", operand_store}, {"type-mismatch", operands_differ},
  {"malformed", op_unknown}, {"malformed", kind_unknown}, {"malformed", result_wrong}, {"malformed", type_unknown},
  {"malformed", link_loops}, {"malformed", link_far}, {"malformed", block_shared}, {"malformed", block_body},
  {"malformed", leaf_in_block}, {"malformed", leaf_component}, {"malformed", literal_wide}, {"malformed", literal_nan}, {"malformed", default_nan}, {"malformed", statement_in_condition},
  {"malformed", dim_cycle}, {"too-large", dim_explodes}, {"malformed", var_twice}, {"index-type", index_float},
  {"missing-index", index_missing}, {"index-of-scalar", index_extra}, {"atomic-object", atomic_var}, {"malformed", range_open},
};

static void start(bench *t, kgi_diags *diags) {
  kgi_builder_init(&t->b, kgi_module_new(NULL, "t"), diags);
  ck_assert_ptr_nonnull(t->b.m);
}

static void judge(bench *t, const char *id, kgi_diags *diags, const heard *h) {
  ck_assert_int_eq(kgi_builder_status(&t->b), KG_OK);
  kg_status status = kgi_validate(t->b.m, diags);
  ck_assert_msg(!strcmp(h->id, id), "expected '%s', got '%s'", id, h->id);
  ck_assert_int_eq(status, *id ? KG_INVALID : KG_OK);
  kg_module_free(t->b.m);
}

START_TEST(lone) {
  heard h = {.count = 0};
  kg_sink sink = {hear, &h};
  kgi_diags diags = {.sink = &sink};
  bench t = {.n = 0};
  start(&t, &diags);
  program(&t, "p");
  rows[_i].make(&t);
  kgi_end_program(&t.b);
  kgi_module_finish_lone(t.b.m);
  judge(&t, rows[_i].id, &diags, &h);
} END_TEST

/* ---- which views may share a byte ---- */

typedef struct overlap { bool may; const char *a, *b; } overlap;
static const overlap overlaps[] = {
  {true, "f32[n] read view(set 0, binding 0, offset 0, stride 4)", "f32[n] read view(set 0, binding 0, offset 4, stride 8)"},
  {false, "f32[n] read view(set 0, binding 0, offset 0, stride 8)", "f32[n] read view(set 0, binding 0, offset 4, stride 8)"},
  {false, "f32[n] read view(set 0, binding 0, offset 4, stride 8)", "f32[n] read view(set 0, binding 0, offset 0, stride 8)"},
  {false, "f32[n] read view(set 0, binding 0, offset 100, stride 8)", "f32[n] read view(set 0, binding 0, offset 0, stride 8)"},
  {true, "f32[n] read view(set 0, binding 0, offset 104, stride 8)", "f32[n] read view(set 0, binding 0, offset 0, stride 8)"},
  {true, "f32[n] read view(set 0, binding 0, offset 0, stride 8)", "f64[n] read view(set 0, binding 0, offset 8, stride 8)"},
  {true, "f64[n] read view(set 0, binding 0, offset 8, stride 16)", "u8[n] read view(set 0, binding 0, offset 15, stride 16)"},
  {false, "f64[n] read view(set 0, binding 0, offset 8, stride 16)", "u8[n] read view(set 0, binding 0, offset 7, stride 16)"},
  {false, "f64[n] read view(set 0, binding 0, offset 8, stride 16)", "u8[n] read view(set 0, binding 0, offset 32, stride 16)"},
  {false, "u8[n] read view(set 0, binding 0, offset 0, stride 6)", "u8[n] read view(set 0, binding 0, offset 2, stride 9)"}, /* 0, 2 modulo 3 */
  {true, "u8[n] read view(set 0, binding 0, offset 0, stride 6)", "u8[n] read view(set 0, binding 0, offset 3, stride 9)"},
  {true, "u16[n] read view(set 0, binding 0, offset 0, stride 6)", "u8[n] read view(set 0, binding 0, offset 1, stride 9)"},
  {true, "f64[n] read view(set 0, binding 0, offset 0, stride 8)", "f32[n] read view(set 0, binding 0, offset 4, stride 12)"},
  {false, "u32 read view(set 0, binding 0, offset 4, stride 4)", "f32[n] read view(set 0, binding 0, offset 8, stride 4)"},
  {true, "u32 read view(set 0, binding 0, offset 8, stride 4)", "f32[n] read view(set 0, binding 0, offset 8, stride 4)"},
  {false, "f32[n] read view(set 0, binding 0, offset 64, stride 4)", "f32[16] read view(set 0, binding 0, offset 0, stride 4)"},
  {true, "f32[n] read view(set 0, binding 0, offset 64, stride 4)", "f32[17] read view(set 0, binding 0, offset 0, stride 4)"},
  /* rows: a half and 16 bytes; one byte too many; in front, and around the end of a struct */
  {false, "f16[n] read view(set 0, binding 0, offset 0, stride 18)", "u8[n] read view(set 0, binding 0, offset 2, stride 1, row 16 every 18)"},
  {true, "f16[n] read view(set 0, binding 0, offset 0, stride 18)", "u8[n] read view(set 0, binding 0, offset 2, stride 1, row 17 every 18)"},
  {false, "f16[n] read view(set 0, binding 0, offset 16, stride 18)", "u8[n] read view(set 0, binding 0, offset 0, stride 1, row 16 every 18)"},
  {true, "f16[n] read view(set 0, binding 0, offset 16, stride 18)", "u8[n] read view(set 0, binding 0, offset 0, stride 1, row 17 every 18)"},
  {true, "f16[n] read view(set 0, binding 0, offset 0, stride 2)", "u8[n] read view(set 0, binding 0, offset 2, stride 1, row 16 every 18)"},
  {false, "u8[n] read view(set 0, binding 0, offset 2, stride 1, row 4 every 12)", "u8[n] read view(set 0, binding 0, offset 6, stride 1, row 8 every 24)"},
  {true, "u8[n] read view(set 0, binding 0, offset 2, stride 1, row 4 every 12)", "u8[n] read view(set 0, binding 0, offset 6, stride 1, row 9 every 24)"},
  /* components of rows of pairs: elements are apart, rows are not */
  {false, "f32[n] read view(set 0, binding 0, offset 0, stride 8, row 3 every 32)", "f32[n] read view(set 0, binding 0, offset 4, stride 8, row 3 every 32)"},
  {true, "f32[n] read view(set 0, binding 0, offset 0, stride 8, row 3 every 28)", "f32[n] read view(set 0, binding 0, offset 4, stride 8, row 3 every 28)"},
  {false, "f32[n] read view(set 0, binding 0, offset 64, stride 4)", "u8[12] read view(set 0, binding 0, offset 0, stride 1, row 4 every 28)"},
  {true, "f32[n] read view(set 0, binding 0, offset 64, stride 4)", "u8[13] read view(set 0, binding 0, offset 0, stride 1, row 4 every 28)"},
};

START_TEST(views_that_share_bytes) {
  const overlap *row = &overlaps[_i];
  char text[512];
  kg_module *m = NULL;
  kgi_arena arena;
  kgi_blocks blocks;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 param n : u32 buffer a : %s buffer b : %s buffer y : u32[1] write y[0] = 1 }",
           row->a, row->b);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s", text);
  ck_assert_int_eq(kgi_may_overlap(&m->scope, 1, 2), row->may);
  ck_assert_int_eq(kgi_may_overlap(&m->scope, 2, 1), row->may);
  kgi_arena_init(&arena, NULL);
  ck_assert(kgi_overlaps_find(&blocks, &arena, &m->scope));
  ck_assert(blocks.of[2] == (row->may ? 1u : 2u) && blocks.aliased[1] == row->may && blocks.aliased[2] == row->may && !blocks.aliased[3]);
  kgi_arena_free(&arena);
  kg_module_free(m);
} END_TEST

/* ---- modules of several runs ---- */

typedef struct order { bench t; uint32_t n; kgi_obj a, c; uint32_t repeat, run; } order;

static void whole(order *o) { (void)o; }
static void unbound(order *o) { kgi_run_bind_buffer(&o->t.b, o->run, o->t.x.i, 0); }
static void unbound_param(order *o) { kgi_run_bind_param(&o->t.b, o->run, o->t.n, (kgi_dim){0}); }
static void default_param(order *o) { o->t.p->scope.param[o->t.n].has_default = true, unbound_param(o); }
static void bind_type(order *o) { o->t.b.m->scope.object[o->a.i].type = KG_F16; }
static void bind_mode(order *o) { o->t.b.m->scope.object[o->c.i].mode = KG_READ; }
static void bind_twice(order *o) { kgi_run_bind_buffer(&o->t.b, o->run, o->t.x.i, o->c.i); }
static void as_view(kgi_object *o, uint32_t binding, uint32_t offset) {
  o->view = true, o->binding = binding, o->offset = offset, o->stride = 8;
}
/* The program's x and y, and the module's buffers that are bound to them. */
static void views_of(order *o, uint32_t x, uint32_t y, uint32_t to_x, uint32_t to_y) {
  const uint32_t *bind = o->t.b.m->bind + o->t.b.m->item[o->run].binding;
  kgi_object *inner = o->t.p->scope.object, *outer = o->t.b.m->scope.object;
  as_view(&inner[o->t.x.i], x, 0), as_view(&inner[o->t.y.i], y, 4);
  as_view(&outer[bind[o->t.x.i - 1]], to_x, 0), as_view(&outer[bind[o->t.y.i - 1]], to_y, 4);
}
static void views_fine(order *o) { views_of(o, 0, 0, 3, 3); }
static void views_apart(order *o) { views_of(o, 0, 1, 5, 3); }
static void views_split(order *o) { views_of(o, 0, 0, 5, 3); }
static void views_joined(order *o) { views_of(o, 0, 1, 3, 3); }
static void view_of_plain(order *o) { as_view(&o->t.p->scope.object[o->t.x.i], 0, 0); }
static void plain_of_view(order *o) { as_view(&o->t.b.m->scope.object[o->a.i], 0, 0); }
static void view_moved(order *o) {
  views_fine(o);
  o->t.p->scope.object[o->t.x.i].offset = 8;
}
static void view_in_rows(order *o) {
  views_fine(o);
  o->t.p->scope.object[o->t.x.i].row = 2, o->t.p->scope.object[o->t.x.i].every = 16;
}
static void temp_open(order *o) {
  o->t.b.m->scope.object[o->c.i].mode = KG_TEMP;
  o->t.b.m->scope.object[o->c.i].length = (kgi_dim){0};
}
static void temp_fine(order *o) { o->t.b.m->scope.object[o->c.i].mode = KG_TEMP; }
static void run_far(order *o) { o->t.b.m->item[o->run].program = 9; }
static void bind_far(order *o) { o->t.b.m->item[o->run].binding = UINT32_MAX; }
static void item_cycle(order *o) { o->t.b.m->item[o->run].next = o->repeat; }
static void index_inside(order *o) {
  o->t.b.m->item[o->run].grid[0] = kgi_dim_leaf(&o->t.b.m->arena, &o->t.b.m->scope, KGI_DIM_INDEX, o->repeat);
}
static void index_too_far(order *o) {
  o->t.b.m->item[o->repeat].to = kgi_dim_leaf(&o->t.b.m->arena, &o->t.b.m->scope, KGI_DIM_INDEX, o->repeat);
}
static void index_length(order *o) {
  o->t.b.m->scope.object[o->a.i].length = kgi_dim_leaf(&o->t.b.m->arena, &o->t.b.m->scope, KGI_DIM_INDEX, o->repeat);
}
static void same_programs(order *o) {
  bench other = o->t;
  program(&other, "p");
}
static void nameless_module(order *o) { o->t.b.m->name = (kgi_str){0}; }
static void float_param(order *o) { kgi_run_bind_param(&o->t.b, o->run, o->t.n, kgi_dim_float(&o->t.b.m->arena, &o->t.b.m->scope, 1)); }


/* The program's x and y are both bound to slices of c. */
static kgi_dim literal(order *o, int64_t x) { return kgi_dim_int(&o->t.b.m->arena, &o->t.b.m->scope, x); }
static void bind_literals(order *o, int64_t x_from, int64_t x_to, int64_t y_from, int64_t y_to) {
  kgi_slice x = {literal(o, x_from), {0}}, y = {literal(o, y_from), {0}};
  x.to = literal(o, x_to), y.to = literal(o, y_to);
  kgi_run_bind_slice(&o->t.b, o->run, o->t.x.i, o->c.i, x);
  kgi_run_bind_slice(&o->t.b, o->run, o->t.y.i, o->c.i, y);
}
static void slices_apart(order *o) { bind_literals(o, 3, 5, 0, 3); }
static void slices_meet(order *o) { bind_literals(o, 2, 5, 0, 3); }
static void slices_inside(order *o) { bind_literals(o, 1, 2, 0, 3); }
static void slices_empty(order *o) { bind_literals(o, 1, 1, 0, 3); }
static void slice_backwards(order *o) { bind_literals(o, 4, 3, 0, 3); }
static void slice_before(order *o) { bind_literals(o, -1, 3, 4, 5); }
static void bind_ends(order *o, uint32_t from, uint32_t to) {
  kgi_run_bind_slice(&o->t.b, o->run, o->t.x.i, o->a.i, (kgi_slice){{from}, {to}});
}
static void slice_without_end(order *o) { bind_ends(o, literal(o, 0).i, 0); }
static void slice_without_begin(order *o) { bind_ends(o, 0, literal(o, 3).i); }
static void slice_far(order *o) { bind_ends(o, literal(o, 0).i, 77777); }
static void slice_of_index(order *o) {
  kgi_dim k = kgi_dim_leaf(&o->t.b.m->arena, &o->t.b.m->scope, KGI_DIM_INDEX, o->repeat), n = kgi_len_param(&o->t.b, o->n);
  bind_ends(o, k.i, n.i);
}
static void slice_of_index_outside(order *o) {
  slice_of_index(o);
  o->t.b.m->item[o->run].next = o->t.b.m->item[o->repeat].first = 0;
  o->t.b.m->item[o->repeat].next = o->run;
}
static void slice_of_float(order *o) {
  kgi_dim one = kgi_dim_float(&o->t.b.m->arena, &o->t.b.m->scope, 1);
  bind_ends(o, one.i, one.i);
}
static void slice_of_view(order *o) {
  kgi_dim from = literal(o, 0), to = literal(o, 3);
  views_fine(o);
  bind_ends(o, from.i, to.i);
}
static void slice_and_whole(order *o) {
  bind_literals(o, 0, 1, 1, 2);
  kgi_run_bind_buffer(&o->t.b, o->run, o->t.x.i, o->c.i);
}
static void slices_far(order *o) { /* of a table that ends before them */
  o->t.b.m->bind_count--;
}
static void slice_in_read(order *o) { bind_literals(o, 0, 1, 1, 2), bind_mode(o); }

static const struct { const char *id; void (*make)(order *o); } order_rows[] = {
  {"", slices_apart}, {"bind-overlap", slices_meet}, {"bind-overlap", slices_inside}, {"", slices_empty}, {"slice-order", slice_backwards},
  {"length-negative", slice_before}, {"malformed", slice_without_end}, {"malformed", slice_without_begin}, {"malformed", slice_far},
  {"", slice_of_index}, {"malformed", slice_of_index_outside}, {"length-type", slice_of_float}, {"slice-view", slice_of_view},
  {"bind-twice", slice_and_whole}, {"malformed", slices_far}, {"bind-mode", slice_in_read},
  {"", whole}, {"unbound-buffer", unbound}, {"unbound-param", unbound_param}, {"", default_param}, {"bind-type", bind_type},
  {"bind-mode", bind_mode}, {"bind-twice", bind_twice},
  {"", views_fine}, {"", views_apart}, {"bind-block", views_split}, {"bind-block", views_joined}, {"bind-view", view_of_plain},
  {"bind-view", plain_of_view}, {"bind-view", view_moved}, {"bind-view", view_in_rows}, {"temp-length", temp_open}, {"", temp_fine}, {"malformed", run_far},
  {"malformed", bind_far}, {"malformed", item_cycle}, {"", index_inside}, {"malformed", index_too_far},
  {"malformed", index_length}, {"duplicate-name", same_programs}, {"no-name", nameless_module}, {"length-type", float_param},
};

START_TEST(modules) {
  heard h = {.count = 0};
  kg_sink sink = {hear, &h};
  kgi_diags diags = {.sink = &sink};
  order o = {.n = 0};
  kgi_builder *b = &o.t.b;
  start(&o.t, &diags);
  b->m->name = kgi_intern_z(b->m, "m");
  program(&o.t, "p");
  sound(&o.t);
  kgi_end_program(b);
  o.n = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, "n"), .type = KG_U32});
  o.a = kgi_buffer(b, "a", KG_F32, KG_READ, kgi_len_param(b, o.n));
  o.c = kgi_buffer(b, "c", KG_F32, KG_READ_WRITE, kgi_len_param(b, o.n));
  o.repeat = kgi_repeat_begin(b, "k", kgi_len_int(b, 0), kgi_len_int(b, 3), (kgi_dim){0}, false);
  o.run = kgi_run_begin(b, 1);
  kgi_run_bind_buffer(b, o.run, o.t.x.i, o.a.i);
  kgi_run_bind_buffer(b, o.run, o.t.y.i, o.c.i);
  kgi_run_bind_param(b, o.run, o.t.n, kgi_len_param(b, o.n));
  kgi_item_append(b, 0, o.repeat);
  kgi_item_append(b, o.repeat, o.run);
  order_rows[_i].make(&o);
  judge(&o.t, order_rows[_i].id, &diags, &h);
} END_TEST

START_TEST(nesting) {
  heard h = {.count = 0};
  kg_sink sink = {hear, &h};
  kgi_diags diags = {.sink = &sink};
  bench t = {.n = 0};
  start(&t, &diags);
  program(&t, "p");
  for (unsigned i = 0; i < KGI_MAX_DEPTH; i++) kgi_if_begin(&t.b, kgi_bool(&t.b, true));
  kgi_barrier_here(&t.b);
  for (unsigned i = 0; i < KGI_MAX_DEPTH; i++) kgi_end(&t.b);
  kgi_end_program(&t.b);
  kgi_module_finish_lone(t.b.m);
  judge(&t, "", &diags, &h);
  start(&t, &diags);
  program(&t, "p");
  for (unsigned i = 0; i <= KGI_MAX_DEPTH; i++) kgi_if_begin(&t.b, kgi_bool(&t.b, true));
  ck_assert_int_eq(kgi_builder_status(&t.b), KG_INVALID);
  ck_assert_str_eq(h.id, "too-large");
  kg_module_free(t.b.m);
} END_TEST

/* Many faults: the diagnostics are capped, the status is not lost. */
START_TEST(capped) {
  heard h = {.count = 0};
  kg_sink sink = {hear, &h};
  kgi_diags diags = {.sink = &sink};
  bench t = {.n = 0};
  start(&t, &diags);
  program(&t, "p");
  for (unsigned i = 0; i < 1000; i++) store_to_read(&t);
  kgi_end_program(&t.b);
  kgi_module_finish_lone(t.b.m);
  judge(&t, "store-to-read", &diags, &h);
  ck_assert_uint_eq(h.count, KGI_MAX_FAULTS);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(lone, rows, id), KGT_TABLE(modules, order_rows, id),
                            KGT_TABLE(views_that_share_bytes, overlaps, a), KGT(nesting), KGT(capped)};
  return kgt_run("foundation/validate", tests, KGT_COUNT(tests));
}
