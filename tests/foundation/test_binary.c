/* The binary form: round trips, one encoding a module, digests that do not know names, and hostile bytes. */
#include "foundation/binary/binary.h"
#include "foundation/ir/equal.h"
#include "foundation/base/set.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct heard { char id[64]; } heard;

static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  if (!h->id[0]) snprintf(h->id, sizeof h->id, "%s", diag->id);
}

static kg_module *parse(const char *text) {
  kg_module *m = NULL;
  heard h = {""};
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), &(kg_sink){hear, &h}, &m) == KG_OK, "%s: %s", h.id, text);
  return m;
}

static void digest(const kg_module *m, char out[33]) {
  kg_digest d;
  ck_assert_int_eq(kg_module_digest(m, NULL, &d), KG_OK);
  for (unsigned i = 0; i < 16; i++) sprintf(out + 2 * i, "%02x", d.bytes[i]);
}

static void expect_round_trip(const char *text) {
  kg_module *m = parse(text), *again = NULL;
  uint8_t *bytes, *bytes2;
  size_t size, size2;
  heard h = {""};
  bool equal = false;
  const char *what = "";
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  ck_assert_msg(kg_module_decode(NULL, "t", bytes, size, &(kg_sink){hear, &h}, &again) == KG_OK, "%s: %s", h.id, text);
  ck_assert_int_eq(kgi_module_equal(m, again, &equal, &what), KG_OK);
  ck_assert_msg(equal, "they differ in %s", what);
  ck_assert_int_eq(kg_module_encode(NULL, again, NULL, &bytes2, &size2), KG_OK);
  ck_assert_uint_eq(size, size2);
  ck_assert_int_eq(memcmp(bytes, bytes2, size), 0);
  /* Names and positions come through too: the texts agree. */
  char *one, *two;
  size_t n;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &one, &n), KG_OK);
  ck_assert_int_eq(kg_module_print(NULL, again, NULL, &two, &n), KG_OK);
  kgt_same_text(two, one);
  free(one), free(two), free(bytes), free(bytes2);
  kg_module_free(m), kg_module_free(again);
}

static const char *const files[] = {
  "examples/saxpy.kg", "examples/softmax.kg", "examples/layernorm.kg", "examples/matmul_tiled.kg", "examples/gather.kg",
  "examples/deblur.kg", "examples/adam.kg", "fuzz/corpus/text/statements.kg", "fuzz/corpus/text/operations.kg",
  "fuzz/corpus/text/memory.kg", "fuzz/corpus/text/lanes.kg", "fuzz/corpus/text/module.kg", "fuzz/corpus/text/types.kg",
  "fuzz/corpus/text/slices.kg", "examples/equilibrium.kg",
};

START_TEST(round_trips) {
  char *text = kgt_read_source(files[_i], NULL);
  expect_round_trip(text);
  free(text);
} END_TEST

#define SMALL(name, x, i, extra) \
  "program " name " { workgroup 64 grid 1 buffer " x " : f32[9] read_write " extra " let " i " = local_id.x " x "[" i "] = " x "[" i \
  "] * 2.0 }"

START_TEST(digests) {
  char a[33], b[33], c[33];
  kg_module *m = parse(SMALL("p", "x", "i", "")), *renamed = parse("\n\n  " SMALL("q", "data", "lane", ""));
  kg_module *other = parse(SMALL("p", "x", "i", "shared s : f32[4]"));
  digest(m, a), digest(renamed, b), digest(other, c);
  ck_assert_str_eq(a, b);
  ck_assert_str_ne(a, c);
  /* Pinned: a digest that changes by itself invalidates every cache. */
  ck_assert_str_eq(a, "4f394fcbae7c27db334bcdd2866e7358");
  kg_module_free(m), kg_module_free(renamed), kg_module_free(other);
} END_TEST

/* Without its names, a module is what it was. */
START_TEST(stripped) {
  kg_module *m = parse(SMALL("p", "x", "i", "")), *bare = NULL;
  uint8_t *bytes, *again;
  size_t size, count;
  char a[33], b[33];
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  ck_assert_uint_lt(bytes[5], 128); /* magic, version, size of one byte, semantics */
  size_t section = 6u + bytes[5];
  ck_assert_uint_lt(section, size);
  ck_assert_int_eq(kg_module_decode(NULL, "t", bytes, section, NULL, &bare), KG_OK);
  digest(m, a), digest(bare, b);
  ck_assert_str_eq(a, b);
  ck_assert_str_eq(kg_module_name(bare), "p1");
  ck_assert_uint_eq(kg_module_find_buffer(bare, "b1"), 0);
  ck_assert_int_eq(kg_module_encode(NULL, bare, NULL, &again, &count), KG_OK);
  ck_assert_uint_eq(count, section);
  ck_assert_int_eq(memcmp(again, bytes, section), 0);
  free(bytes), free(again);
  kg_module_free(m), kg_module_free(bare);
} END_TEST

/* What is not there any more is not written: removed instructions, leaves and vars that nothing uses, lengths. */
START_TEST(leftovers) {
  char a[33], b[33];
  kg_module *m = parse(SMALL("p", "x", "i", "")), *used = parse(SMALL("p", "x", "i", ""));
  kgi_builder e;
  kgi_builder_init(&e, used, NULL);
  kgi_resume_program(&e, used->program[1]);
  kgi_var(&e, "v", KG_F32, (kgi_dim){0});
  kgi_remove(e.p, e.p->inst_count - 1);
  e.at = kgi_at_end(e.p, KGI_BODY);
  kgi_op1(&e, KGI_OP_exp, kgi_f32(&e, 77));
  kgi_remove(e.p, e.p->inst_count - 1);
  kgi_len_int(&e, 12345);
  ck_assert_int_eq(kgi_builder_status(&e), KG_OK);
  digest(m, a), digest(used, b);
  ck_assert_str_eq(a, b);
  kg_module_free(m), kg_module_free(used);
} END_TEST

/* ---- hostile bytes ---- */

static kg_status decode(const void *bytes, size_t size, heard *h) {
  kg_module *m = NULL;
  h->id[0] = 0;
  kg_status status = kg_module_decode(NULL, "t", bytes, size, &(kg_sink){hear, h}, &m);
  if (status != KG_OK) ck_assert_ptr_null(m);
  kg_module_free(m);
  return status;
}

static const struct { const char *id; size_t size; const char *bytes; } refused[] = {
  {"not-binary", 0, ""},
  {"not-binary", 3, "KGB"},
  {"not-binary", 8, "program "},
  {"binary-version", 6, "KGB\x1a\x00\x00"},
  {"binary-version", 6, "KGB\x1a\x02\x00"},
  {"binary-cut", 5, "KGB\x1a\x01"},
  {"binary-cut", 7, "KGB\x1a\x01\x7f\x01"},
  {"binary-malformed", 8, "KGB\x1a\x01\x81\x00\x01"},                         /* a longer 1 */
  {"binary-malformed", 15, "KGB\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"}, /* 65 bits */
  {"binary-cut", 6, "KGB\x1a\x01\x00"},
  {"binary-malformed", 7, "KGB\x1a\x01\x01\x02"},                             /* neither lone nor not */
  {"no-workgroup", 20, "KGB\x1a\x01\x0e\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x00"},
  {"binary-malformed", 15, "KGB\x1a\x01\x09\x01\x00\x00\x00\x00\x07\x00\x00\x00"}, /* a sum of nothing */
};

START_TEST(refusals) {
  heard h;
  ck_assert_int_eq(decode(refused[_i].bytes, refused[_i].size, &h), KG_INVALID);
  ck_assert_str_eq(h.id, refused[_i].id);
} END_TEST

/* Every cut and every changed byte: refused, or another module in its one encoding; never a crash. */
START_TEST(changed_bytes) {
  char *text = kgt_read_source(files[_i], NULL);
  kg_module *m = parse(text);
  uint8_t *bytes;
  size_t size;
  heard h;
  uint64_t seed = 1;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  /* A cut leaves a shorter file, but for the one that takes the names as a whole. */
  unsigned accepted = 0;
  for (size_t n = 0; n < size; n++) accepted += decode(bytes, n, &h) == KG_OK;
  ck_assert_uint_eq(accepted, 1);
  for (size_t n = 0; n < size; n++) {
    uint8_t old = bytes[n];
    bytes[n] = (uint8_t)(old ^ (1u << kgi_random_below(&seed, 8)));
    decode(bytes, size, &h);
    bytes[n] = old;
  }
  free(bytes), free(text);
  kg_module_free(m);
} END_TEST

/* Two encodings of one module: the second is refused. */
START_TEST(not_canonical) {
  kg_module *m = parse("program p { workgroup 1 grid 1 buffer y : u32[2] write y[0] = 7 y[1] = 7 }");
  uint8_t *bytes;
  size_t size;
  heard h;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  size_t end = 6u + bytes[5], last = end - 2; /* the last operand counts back to the literal 7; write the literal again */
  ck_assert_uint_eq(bytes[last], 3);
  uint8_t longer[256];
  memcpy(longer, bytes, last);
  memcpy(longer + last, "\x01\x01\x03\x07\x00", 5);
  longer[5] = (uint8_t)(bytes[5] + 3);
  ck_assert_int_eq(decode(longer, last + 5, &h), KG_INVALID);
  ck_assert_str_eq(h.id, "binary-canonical");
  free(bytes);
  kg_module_free(m);
} END_TEST

/* A module whose runs bind all of their buffers is written as before there were slices: digests stay. The item of a run with slices
 * holds one, both ends of it. */
START_TEST(slices) {
  static const char text[] = "module m { buffer a : u32[4] read_write program p { workgroup 1 grid 1 buffer x : u32[] write x[0] = 1 }\n"
                             "run p(x = a%s) }";
  static const uint8_t whole[] = {1, 1, 0, 0, 0, 0, 1, 0}, part[] = {3, 1, 0, 0, 0, 0, 1, 1, 2, 1, 6, 0};
  static const uint8_t none[] = {3, 1, 0, 0, 0, 0, 1, 0, 0}, half[] = {3, 1, 0, 0, 0, 0, 1, 1, 2, 0, 0};
  static const uint8_t far[] = {3, 1, 0, 0, 0, 0, 1, 1, 2, 4, 1, 0}, index[] = {3, 1, 0, 0, 0, 0, 1, 6, 0, 1, 6, 0};
  const struct { const char *slice; const uint8_t *items; size_t size; const char *id; } rows[] = {
    {"", whole, sizeof whole, ""}, {"[1 .. 3]", part, sizeof part, ""}, {"", none, sizeof none, "binary-canonical"},
    {"", half, sizeof half, "malformed"}, {"", far, sizeof far, "malformed"}, {"", index, sizeof index, "binary-malformed"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char kernel[256];
    uint8_t *bytes, file[256];
    size_t size;
    heard h;
    snprintf(kernel, sizeof kernel, text, rows[k].slice);
    kg_module *m = parse(kernel);
    ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
    size_t end = 6u + bytes[5], items = end - (rows[k].id[0] ? sizeof whole : rows[k].size);
    if (!rows[k].id[0]) ck_assert_int_eq(memcmp(bytes + items, rows[k].items, rows[k].size), 0);
    memcpy(file, bytes, items);
    memcpy(file + items, rows[k].items, rows[k].size);
    file[5] = (uint8_t)(items + rows[k].size - 6);
    ck_assert_int_eq(decode(file, items + rows[k].size, &h), rows[k].id[0] ? KG_INVALID : KG_OK);
    ck_assert_str_eq(h.id, rows[k].id);
    free(bytes);
    kg_module_free(m);
  }
} END_TEST

/* How data are drawn is a byte behind the range, and buffers without are written as before. */
START_TEST(draws) {
  kg_module *m = parse("program p { workgroup 1 grid 1 buffer a : f32[2, 2] read drawn definite buffer y : f32 write y = a[0] }");
  uint8_t *bytes;
  size_t size, at = 6;
  heard h;
  expect_round_trip("program p { workgroup 1 grid 1 buffer a : f32[2, 2] read drawn definite buffer y : f32 write y = a[0] }");
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  while (bytes[at] != (16 | 64)) at++; /* extents, and a draw behind them: two dimensions, each the literal 2, which is written as 4 */
  const uint8_t behind[] = {2, 1, 4, 1, 4, KG_DRAW_DEFINITE};
  ck_assert_int_eq(memcmp(bytes + at + 1, behind, sizeof behind), 0);
  const struct { uint8_t draw; const char *id; } rows[] = {
    {KG_DRAW_DEFINITE, ""}, {KG_DRAW_POSITIVE, ""}, {0, "binary-malformed"}, {KG_DRAW_COUNT, "binary-malformed"}, {255, "binary-malformed"},
  };
  for (size_t k = 0; k < KGT_COUNT(rows); k++) {
    bytes[at + sizeof behind] = rows[k].draw;
    ck_assert_int_eq(decode(bytes, size, &h), *rows[k].id ? KG_INVALID : KG_OK);
    ck_assert_str_eq(h.id, rows[k].id);
  }
  free(bytes);
  kg_module_free(m);
} END_TEST

/* ---- the numbers in a file ---- */

/* Of each table, by number. */
static const char *const op_names[KGI_OP_COUNT] = {
#define OP(name, number, ...) [number] = #name,
#include "foundation/ir/ops.def"
};
static const char *const kind_names[KGI_KIND_COUNT] = {
#define KIND(name, ...) [KGI_##name] = #name,
#include "foundation/ir/stmts.def"
};
static const char *const id_names[KGI_ID_COUNT] = {
#define ID(name, number, ...) [number] = #name,
#include "foundation/ir/stmts.def"
};
static const char *const atomic_names[KGI_ATOMIC_COUNT] = {
#define ATOMIC(name, number, ...) [number] = #name,
#include "foundation/ir/stmts.def"
};
static const char *const draw_names[KG_DRAW_COUNT] = {"evenly",
#define DRAW(name, number, ...) [number] = #name,
#include "foundation/ir/draws.def"
};
static const char *const subgroup_names[KGI_SUBGROUP_COUNT] = {
#define SUBGROUP(name, number, ...) [number] = #name,
#include "foundation/ir/stmts.def"
};

/* A number is never given to another row. After a row was added, or after a change of meaning and of KGI_BINARY_VERSION: put in the
 * numbers that this prints. */
/* A program that names its adjoint says so by a flag of its grid's byte, and a number behind the grid: others are written as before. Without
 * the names section it still has the names of what belongs together. */
#define STEP "{ workgroup 1 grid 1 buffer x : f32[4] read_write x[0] = 2.0 * x[0] }\n"
#define BACK "program back { workgroup 1 grid 1 buffer grad_x : f32[4] read_write grad_x[0] = 2.0 * grad_x[0] }\n"

START_TEST(adjoints) {
  static const char *const texts[] = {"module m { buffer x : f32[4] read_write program step adjoint back " STEP BACK "run step }",
                                      "module m { buffer x : f32[4] read_write program step " STEP BACK "run step }"};
  uint8_t *with, *without;
  size_t size, less, at = 0;
  heard h;
  expect_round_trip(texts[0]);
  kg_module *m = parse(texts[0]), *plain = parse(texts[1]);
  kg_module *stripped = parse(texts[0]);
  char one[33], two[33];
  digest(m, one), digest(plain, two);
  ck_assert_str_ne(one, two);
  stripped->program[1]->adjoint = 0;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &with, &size), KG_OK);
  ck_assert_int_eq(kg_module_encode(NULL, stripped, NULL, &without, &less), KG_OK);
  while (at < 7 || with[at] == without[at]) at++; /* behind the header, where sizes stand */
  ck_assert(with[at] == 2 && without[at] == 0);
  size_t number = at + 5; /* the grid between: a literal of two bytes, and none twice */
  ck_assert_uint_eq(with[number], 2);
  const struct { uint8_t flag, adjoint; const char *id; } rows[] = { /* itself: a name more is there than is told */
    {2, 2, ""}, {2, 0, "binary-malformed"}, {2, 3, "binary-malformed"}, {2, 127, "binary-malformed"}, {2, 1, "binary-malformed"}, {4, 2, "binary-malformed"},
  };
  for (size_t k = 0; k < KGT_COUNT(rows); k++) {
    with[at] = rows[k].flag, with[number] = rows[k].adjoint;
    ck_assert_int_eq(decode(with, size, &h), *rows[k].id ? KG_INVALID : KG_OK);
    ck_assert_str_eq(h.id, rows[k].id);
  }
  with[at] = 2, with[number] = 2;
  kg_module *bare = NULL;
  ck_assert_uint_lt(with[5], 128);
  ck_assert_int_eq(kg_module_decode(NULL, "t", with, 6u + with[5], NULL, &bare), KG_OK);
  digest(bare, two);
  ck_assert_str_eq(one, two);
  free(with), free(without);
  kg_module_free(m), kg_module_free(plain), kg_module_free(stripped), kg_module_free(bare);
} END_TEST

START_TEST(numbers) {
  static const struct { const char *table, *const *names; unsigned count, pinned; unsigned long long hash; } tables[] = {
    {"operations", op_names, KGI_OP_COUNT, 88, 0xc6e01fc38639c83dULL}, {"kinds", kind_names, KGI_KIND_COUNT, 23, 0x20c1013d31e7d213ULL},
    {"ids", id_names, KGI_ID_COUNT, 10, 0x4079bd57beb4ae0ULL}, {"atomics", atomic_names, KGI_ATOMIC_COUNT, 10, 0x3d1c035feaa098dcULL},
    {"subgroup operations", subgroup_names, KGI_SUBGROUP_COUNT, 31, 0x8c226dbeb589f5d9ULL},
    {"draws", draw_names, KG_DRAW_COUNT, 4, 0x12ecbcf7c8694ccbULL}};
  char all[8192];
  for (unsigned table = 0; table < sizeof tables / sizeof *tables; table++) {
    unsigned count = tables[table].count, pinned = tables[table].pinned;
    all[0] = 0;
    for (unsigned i = 0; i < pinned && i < count; i++) strcat(strcat(all, tables[table].names[i]), " ");
    bool same = kgi_hash(all, strlen(all)) == tables[table].hash;
    ck_assert_msg(same && count >= pinned, "%s: a number was given to another row", tables[table].table);
    for (unsigned i = pinned; i < count; i++) strcat(strcat(all, tables[table].names[i]), " ");
    ck_assert_msg(count == pinned, "%s: rows were added from %s on: %u, 0x%llxULL", tables[table].table, tables[table].names[pinned],
                  count, (unsigned long long)kgi_hash(all, strlen(all)));
  }
} END_TEST

int main(void) {
  enum { FILES = sizeof files / sizeof *files };
  const kgt_test tests[] = {KGT_TEXTS(round_trips, files), KGT(digests), KGT(stripped), KGT(leftovers),
                            KGT_TABLE(refusals, refused, id), KGT_TEXTS(changed_bytes, files),
                            KGT(not_canonical), KGT(slices), KGT(draws), KGT(adjoints), KGT(numbers)};
  return kgt_run("foundation/binary", tests, KGT_COUNT(tests));
}
