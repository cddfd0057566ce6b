#include "tests/support/kgtest.h"

#include "tools/npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen {
  char id[32], message[160];
  int count;
} seen;

static void note(void *user, const kg_diag *d) {
  seen *s = user;
  snprintf(s->id, sizeof s->id, "%s", d->id);
  snprintf(s->message, sizeof s->message, "%s", d->message);
  s->count++;
}

static bool parse(const void *bytes, size_t size, seen *s, tool_array *out) {
  /* behind a copy of exactly that size, so that the sanitizer sees a read beyond it */
  void *copy = malloc(size ? size : 1);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, bytes, size);
  *s = (seen){.count = 0};
  bool ok = tool_npy_parse("a.npy", copy, size, &(kg_sink){note, s}, out);
  free(copy);
  return ok;
}

/* A file of the given version around a header's text. */
static size_t file(char *out, int version, const char *header, const void *data, size_t size) {
  size_t n = strlen(header), at = version == 1 ? 10 : 12;
  memcpy(out, "\x93NUMPY", 6);
  memcpy(out + 6, (char[]){(char)version, 0, (char)n, (char)(n >> 8), 0, 0}, 6);
  memcpy(out + at, header, n);
  if (size) memcpy(out + at + n, data, size);
  return at + n + size;
}

static const struct {
  const char *descr;
  kg_type type;
} types[] = {{"|b1", KG_BOOL}, {"|i1", KG_I8},  {"|u1", KG_U8},  {"<i2", KG_I16}, {"<u2", KG_U16},
             {"<i4", KG_I32},  {"<u4", KG_U32}, {"<i8", KG_I64}, {"<u8", KG_U64}, {"<f2", KG_F16},
             {"<f4", KG_F32},  {"<f8", KG_F64}, {"<V2", KG_BF16}};
enum { TYPES = sizeof types / sizeof *types };

START_TEST(writes_and_reads_every_type) {
  unsigned char data[6 * 8], bytes[4096];
  const uint64_t shape[] = {2, 3};
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 + 1);
  FILE *f = fmemopen(bytes, sizeof bytes, "wb");
  tool_npy_write(f, types[_i].type, shape, 2, data);
  long size = ftell(f);
  ck_assert_int_eq(fclose(f), 0);
  ck_assert_int_eq((size - 6 * (long)kg_type_size(types[_i].type)) % 64, 0);
  ck_assert_ptr_nonnull(strstr((char *)bytes + 10, types[_i].descr));
  seen s;
  tool_array a;
  ck_assert(parse(bytes, (size_t)size, &s, &a));
  ck_assert_int_eq(a.type, types[_i].type);
  ck_assert_uint_eq(a.dims, 2);
  ck_assert_uint_eq(a.shape[0], 2);
  ck_assert_uint_eq(a.shape[1], 3);
  ck_assert_uint_eq(a.count, 6);
  ck_assert_mem_eq(a.data, data, 6 * kg_type_size(a.type));
  tool_array_free(&a);
}
END_TEST

START_TEST(writes_every_rank) {
  char bytes[2048];
  uint64_t shape[TOOL_NPY_MAX_DIMS];
  float one = 1;
  for (int i = 0; i < TOOL_NPY_MAX_DIMS; i++) shape[i] = 1;
  FILE *f = fmemopen(bytes, sizeof bytes, "wb");
  tool_npy_write(f, KG_F32, shape, (uint32_t)_i, &one);
  long size = ftell(f);
  fclose(f);
  seen s;
  tool_array a;
  ck_assert(parse(bytes, (size_t)size, &s, &a));
  ck_assert_uint_eq(a.dims, (unsigned)_i);
  ck_assert_uint_eq(a.count, 1);
  tool_array_free(&a);
}
END_TEST

START_TEST(reads_versions_1_2_3) {
  char bytes[256];
  uint16_t data[2] = {7, 9};
  size_t size = file(bytes, _i + 1, "{\"shape\":(2,),'fortran_order':False,'descr':'<u2',}\n", data, 4);
  seen s;
  tool_array a;
  ck_assert(parse(bytes, size, &s, &a));
  ck_assert_uint_eq(((uint16_t *)a.data)[1], 9);
  tool_array_free(&a);
}
END_TEST

START_TEST(converts_big_endian) {
  char bytes[256];
  size_t size = file(bytes, 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", "\x3F\x80\x00\x00", 4);
  seen s;
  tool_array a;
  ck_assert(parse(bytes, size, &s, &a));
  ck_assert(*(float *)a.data == 1.0f);
  tool_array_free(&a);
}
END_TEST

START_TEST(reads_empty_and_scalar) {
  char bytes[256];
  seen s;
  tool_array a;
  size_t size = file(bytes, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999999999), }", "", 0);
  ck_assert(parse(bytes, size, &s, &a));
  ck_assert_uint_eq(a.count, 0);
  tool_array_free(&a);
  size = file(bytes, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\x05", 1);
  ck_assert(parse(bytes, size, &s, &a));
  ck_assert_uint_eq(a.count, 1);
  ck_assert_uint_eq(*(uint8_t *)a.data, 5);
  tool_array_free(&a);
}
END_TEST

#define HEAD(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

/* Each with four bytes of data behind it. */
static const struct {
  const char *header, *id;
} hostile[] = {
    {"", "npy-header"},
    {"{}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False}", "npy-header"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': [1]}", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", "npy-header"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", "npy-header"},
    {"{'descr': '<f4444444444444444', 'fortran_order': False, 'shape': (1,)}", "npy-header"},
    {"{'descr': '<f4", "npy-header"},
    {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "npy-fields"},
    {HEAD("<f4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), "npy-header"},
    {HEAD("<c8", "False", "(1,)"), "npy-type"},
    {HEAD("|O", "False", "(1,)"), "npy-type"},
    {HEAD("<f16", "False", "(1,)"), "npy-type"},
    {HEAD("<U1", "False", "(1,)"), "npy-type"},
    {HEAD("", "False", "(1,)"), "npy-type"},
    {HEAD("|f4", "False", "(1,)"), "npy-type"},
    {HEAD("<f4", "True", "(1,1)"), "npy-fortran"},
    {HEAD("<f4", "False", "(18446744073709551615,)"), "npy-shape"},
    {HEAD("<f4", "False", "(4294967296,4294967296)"), "npy-shape"},
    {HEAD("<f4", "False", "(4611686018427387905,)"), "npy-shape"},
    {HEAD("<f4", "False", "(2,)"), "npy-size"},
    {HEAD("<f4", "False", "(0,)"), "npy-size"},
    {HEAD("<f4", "False", "(1000000000,)"), "npy-size"},
};

START_TEST(refuses_hostile_headers) {
  char bytes[512];
  seen s;
  tool_array a;
  for (int version = 1; version <= 3; version++) {
    size_t size = file(bytes, version, hostile[_i].header, "\0\0\0\0", 4);
    ck_assert_msg(!parse(bytes, size, &s, &a), "accepted: %s", hostile[_i].header);
    ck_assert_int_eq(s.count, 1);
    ck_assert_str_eq(s.id, hostile[_i].id);
  }
}
END_TEST

START_TEST(refuses_every_cut) {
  char bytes[256];
  seen s;
  tool_array a;
  size_t size = file(bytes, 2, HEAD("<f4", "False", "(1,)"), "\0\0\0\0", 4);
  for (size_t cut = 0; cut < size; cut++) {
    ck_assert(!parse(bytes, cut, &s, &a));
    ck_assert_int_eq(s.count, 1);
  }
}
END_TEST

START_TEST(refuses_other_versions_and_files) {
  char bytes[256];
  seen s;
  tool_array a;
  size_t size = file(bytes, 1, HEAD("<f4", "False", "(1,)"), "\0\0\0\0", 4);
  bytes[6] = 4;
  ck_assert(!parse(bytes, size, &s, &a));
  ck_assert_str_eq(s.id, "npy-version");
  bytes[0] = 'N';
  ck_assert(!parse(bytes, size, &s, &a));
  ck_assert_str_eq(s.id, "npy-magic");
}
END_TEST

/* Any single byte changed either is refused with one diagnostic or gives an array of the size that it states. */
START_TEST(survives_any_changed_byte) {
  char good[256], bytes[256];
  seen s;
  tool_array a;
  size_t size = file(good, 1, HEAD("<f4", "False", "(2, 1)"), "\0\0\0\0\0\0\0\0", 8);
  for (size_t at = 0; at < size; at++)
    for (int value = 0; value < 256; value++) {
      memcpy(bytes, good, size);
      bytes[at] = (char)value;
      if (parse(bytes, size, &s, &a)) {
        ck_assert_uint_eq(a.size, a.count * kg_type_size(a.type));
        tool_array_free(&a);
      } else {
        ck_assert_int_eq(s.count, 1);
      }
    }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(writes_and_reads_every_type, types, descr),
                            KGT_TIMES(writes_every_rank, TOOL_NPY_MAX_DIMS + 1),
                            KGT_TIMES(reads_versions_1_2_3, 3),
                            KGT(converts_big_endian),
                            KGT(reads_empty_and_scalar),
                            KGT_TABLE(refuses_hostile_headers, hostile, id),
                            KGT(refuses_every_cut),
                            KGT(refuses_other_versions_and_files),
                            KGT(survives_any_changed_byte)};
  return kgt_run("tools/npy", tests, KGT_COUNT(tests));
}
