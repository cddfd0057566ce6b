/* .npz files, whole and damaged. Python's zipfile, by which NumPy reads them, has its say in tests/arrays.py. */
#include "tests/support/kgtest.h"

#include "tools/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

static float values[] = {1, 2.5f, -3, 4, 5, 6};
static uint32_t words[] = {7, 8};
static tool_array floats(void) {
  return (tool_array){.type = KG_F32, .dims = 2, .shape = {2, 3}, .count = 6, .data = values, .size = sizeof values};
}
static tool_array whole(void) {
  return (tool_array){.type = KG_U32, .dims = 1, .shape = {2}, .count = 2, .data = words, .size = sizeof words};
}

static unsigned char *write_two(size_t *size) {
  char *bytes = NULL;
  tool_npz_writer w;
  tool_array a = floats(), b = whole();
  FILE *out = open_memstream(&bytes, size);
  tool_npz_begin(&w, out);
  tool_npz_add(&w, "x", &a);
  tool_npz_add(&w, "counts", &b);
  ck_assert(tool_npz_end(&w));
  ck_assert_int_eq(fclose(out), 0);
  return (unsigned char *)bytes;
}

/* Every array of it, from a copy of exactly that size, so that the sanitizer sees a read beyond it. */
static bool read_all(const void *bytes, size_t size, seen *s) {
  tool_npz npz;
  void *copy = malloc(size ? size : 1);
  kg_sink sink = {note, s};
  memcpy(copy, bytes, size);
  *s = (seen){.count = 0};
  bool fine = tool_npz_parse("a.npz", copy, size, &sink, &npz);
  for (uint32_t i = 0; fine && i < npz.count; i++) {
    tool_array a = {0};
    fine = tool_npz_array(&npz, i, &sink, &a);
    if (fine) ck_assert_uint_eq(a.size, a.count * kg_type_size(a.type));
    tool_array_free(&a);
  }
  tool_npz_free(&npz);
  free(copy);
  ck_assert_int_eq(s->count, !fine);
  return fine;
}

static void refused(const void *bytes, size_t size, const char *id) {
  seen s;
  ck_assert_msg(!read_all(bytes, size, &s), "accepted, not %s", id);
  ck_assert_msg(!strcmp(s.id, id), "%s (%s), not %s", s.id, s.message, id);
}

START_TEST(writes_and_reads) {
  size_t size;
  seen s = {.count = 0};
  tool_npz npz;
  tool_array a;
  unsigned char *bytes = write_two(&size);
  ck_assert(tool_npz_parse("a.npz", bytes, size, &(kg_sink){note, &s}, &npz));
  ck_assert_uint_eq(npz.count, 2);
  ck_assert_uint_eq(tool_npz_find(&npz, "counts"), 1);
  ck_assert_uint_eq(tool_npz_find(&npz, "y"), UINT32_MAX);
  ck_assert(tool_npz_array(&npz, 0, &(kg_sink){note, &s}, &a));
  ck_assert(a.type == KG_F32 && a.dims == 2 && a.shape[0] == 2 && a.shape[1] == 3);
  ck_assert_mem_eq(a.data, values, sizeof values);
  tool_array_free(&a);
  ck_assert(tool_npz_array(&npz, 1, &(kg_sink){note, &s}, &a));
  ck_assert_mem_eq(a.data, words, sizeof words);
  tool_array_free(&a);
  tool_npz_free(&npz);
  free(bytes);
}
END_TEST

/* Cut anywhere, it is no archive: the list is at its end. */
START_TEST(cut_off) {
  size_t size;
  unsigned char *bytes = write_two(&size);
  for (size_t n = 0; n < size; n++) refused(bytes, n, "npz-magic");
  free(bytes);
}
END_TEST

/* No byte may be changed so that memory is misused; the arrays are under a check sum. */
START_TEST(every_byte_changed) {
  static const unsigned char changes[] = {0, 1, 0x7F, 0xFF};
  size_t size;
  seen s;
  unsigned char *bytes = write_two(&size);
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < sizeof changes; k++) {
      unsigned char before = bytes[i];
      bytes[i] = k == 1 ? before ^ 1 : changes[k];
      read_all(bytes, size, &s);
      bytes[i] = before;
    }
  free(bytes);
}
END_TEST

/* ---- by hand ---- */

typedef struct builder {
  unsigned char bytes[1 << 16];
  size_t size;
} builder;

static void put(builder *b, uint64_t n, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) b->bytes[b->size++] = (unsigned char)(n >> 8 * i);
}
static void put_text(builder *b, const void *text, size_t size) {
  memcpy(b->bytes + b->size, text, size);
  b->size += size;
}

typedef struct stated { unsigned flags, method; uint64_t size; uint32_t check; } stated;

/* One member of the old form without 64-bit fields, which says of itself what is stated. */
static void one_member(builder *b, const void *bytes, size_t stored, stated s) {
  b->size = 0;
  for (int central = 0; central < 2; central++) {
    size_t start = b->size;
    put(b, central ? 0x02014B50 : 0x04034B50, 4);
    if (central) put(b, 20, 2);
    put(b, 20, 2), put(b, s.flags, 2), put(b, s.method, 2), put(b, 0, 4), put(b, s.check, 4), put(b, stored, 4), put(b, s.size, 4);
    put(b, 5, 2), put(b, 0, 2);
    if (central) put(b, 0, 8), put(b, 0, 6);
    put_text(b, "x.npy", 5);
    if (!central) put_text(b, bytes, stored);
    if (!central) continue;
    size_t list = b->size - start;
    put(b, 0x06054B50, 4), put(b, 0, 4), put(b, 1, 2), put(b, 1, 2), put(b, list, 4), put(b, start, 4), put(b, 3, 2);
    put_text(b, "bye", 3);
  }
}

static size_t npy_of(unsigned char *out, size_t room) {
  tool_array a = floats();
  FILE *f = fmemopen(out, room, "wb");
  tool_npy_write(f, a.type, a.shape, a.dims, a.data);
  long size = ftell(f);
  fclose(f);
  return (size_t)size;
}

static size_t deflated(const unsigned char *bytes, size_t size, unsigned char *out, size_t room) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)room};
  ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}

START_TEST(deflated_and_stated_wrongly) {
  static builder b;
  unsigned char npy[1024], packed[1024];
  seen s;
  size_t size = npy_of(npy, sizeof npy), less = deflated(npy, size, packed, sizeof packed);
  uint32_t check = (uint32_t)crc32(0, npy, (uInt)size);
  one_member(&b, npy, size, (stated){.size = size, .check = check});
  ck_assert(read_all(b.bytes, b.size, &s));
  one_member(&b, packed, less, (stated){.method = 8, .size = size, .check = check});
  ck_assert_msg(read_all(b.bytes, b.size, &s), "%s", s.message);
  one_member(&b, packed, less, (stated){.method = 8, .size = size, .check = check + 1});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, packed, less, (stated){.method = 8, .size = size - 1, .check = check});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, packed, less, (stated){.method = 8, .size = size + 1, .check = check});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, packed, less - 3, (stated){.method = 8, .size = size, .check = check});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, npy, size, (stated){.method = 8, .size = size, .check = check});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, npy, size, (stated){.size = size + 1, .check = check});
  refused(b.bytes, b.size, "npz-damaged");
  one_member(&b, npy, size, (stated){.method = 12, .size = size, .check = check});
  refused(b.bytes, b.size, "npz-method");
  one_member(&b, npy, size, (stated){.flags = 1, .size = size, .check = check});
  refused(b.bytes, b.size, "npz-method");
  /* a few bytes that claim to be gigabytes cost none */
  one_member(&b, packed, less, (stated){.method = 8, .size = 0xF0000000, .check = check});
  refused(b.bytes, b.size, "npz-bomb");
  /* what is in the archive is no array */
  one_member(&b, "text", 4, (stated){.size = 4, .check = (uint32_t)crc32(0, (const unsigned char *)"text", 4)});
  refused(b.bytes, b.size, "npy-magic");
}
END_TEST

/* The record at the end says what is not there. */
START_TEST(lists_that_lie) {
  static builder b;
  unsigned char npy[1024];
  size_t size = npy_of(npy, sizeof npy);
  stated s = {.size = size, .check = (uint32_t)crc32(0, npy, (uInt)size)};
  for (size_t field = 10; field < 20; field += 2) {
    one_member(&b, npy, size, s);
    unsigned char *end = b.bytes + b.size - 25;
    end[field] = 0xFF, end[field + 1] = 0xFF;
    refused(b.bytes, b.size, "npz-damaged");
  }
  one_member(&b, npy, size, s);
  unsigned char *list = b.bytes + b.size - 25 - 51;
  list[0] = 'Q';
  refused(b.bytes, b.size, "npz-damaged");
  list[0] = 'P', list[28] = 200; /* a name that is too long */
  refused(b.bytes, b.size, "npz-damaged");
  list[28] = 5, list[42] = 9; /* another offset */
  refused(b.bytes, b.size, "npz-damaged");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(writes_and_reads), KGT(cut_off), KGT(every_byte_changed), KGT(deflated_and_stated_wrongly), KGT(lists_that_lie)};
  return kgt_run("tools/npz", tests, KGT_COUNT(tests));
}
