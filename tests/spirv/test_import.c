/* Imports of what kgrad itself emits: the same results, whatever the order of bytes; and a diagnostic for whatever else the bytes are. */
#include "tests/support/devices.h"

#include <kgrad/spirv.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

static const char text[] =
  "program p { const T = 4 workgroup T grid 2 param n : u32 = 8 param s : f32 = 0.5\n"
  "buffer x : f32[n] read buffer y : f32[n] write shared t : f32[T]\n"
  "let i = global_id.x let l = local_id.x\n"
  "t[l] = x[i] barrier\n"
  "var sum = 0.0 var k = 0\n"
  "while k < 3 { if x[(i + u32(k)) % n] > 9.0 { break } sum += t[(l + u32(k)) % T] * s k += 1 }\n"
  "y[i] = select(sum > 1.0, sqrt(sum), sum) + f32(k) }";

static void emit(const char *kernel, uint32_t **words, size_t *count) {
  kg_spirv_params params = {.names = true};
  kg_module *m = kgt_parse(kernel);
  ck_assert_int_eq(kg_spirv_emit(NULL, m, &params, NULL, words, count), KG_OK);
  kg_module_free(m);
}

static kg_status import(const void *words, size_t count, kg_module **out) {
  kgt_last = (kgt_heard){0};
  *out = NULL;
  return kg_spirv_import(NULL, "p.spv", words, count * 4, NULL, &kgt_sink, out);
}

/* Of the import the grid is a param, and lengths are the host's. */
START_TEST(same_results) {
  uint32_t *words;
  size_t count;
  kg_module *m = kgt_parse(text), *imported;
  float x[8] = {0.25f, 1, 9.5f, -3, 0.5f, 2, 4, 8}, y[8] = {0}, z[8] = {0};
  const double params[] = {8, 0.5}, params_of_import[] = {8, 0.5, 2};
  kgt_device d = kgt_open("reference");
  emit(text, &words, &count);
  for (unsigned turned = 0; turned < 2; turned++) {
    ck_assert_int_eq(import(words, count, &imported), KG_OK);
    kgt_run_fine(&d, m, params, (void *[]){x, y}, NULL);
    kgt_run_fine(&d, imported, params_of_import, (void *[]){x, z}, (const uint64_t[]){8, 8});
    ck_assert_mem_eq(y, z, sizeof y);
    kg_module_free(imported);
    for (size_t i = 0; i < count; i++) words[i] = __builtin_bswap32(words[i]);
  }
  kgt_close(&d);
  kg_module_free(m);
  kg_bytes_free(NULL, words, count * sizeof *words);
}
END_TEST

/* A module that is taken is valid: it prints. Any other gives a diagnostic. */
static void is_taken_or_told(const uint32_t *words, size_t count) {
  kg_module *m;
  char *printed;
  size_t size;
  kg_status status = import(words, count, &m);
  if (status != KG_OK) {
    ck_assert(status == KG_INVALID || status == KG_REFUSED);
    ck_assert_int_ge(kgt_last.count, 1);
    ck_assert_ptr_null(m);
    return;
  }
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &printed, &size), KG_OK);
  kg_bytes_free(NULL, printed, size + 1);
  kg_module_free(m);
}

START_TEST(hostile_words) {
  static const uint32_t put[] = {0, 1, 5, 0xFFFFFFFF, 0x00010000};
  uint32_t *words;
  size_t count;
  emit(text, &words, &count);
  for (size_t i = 0; i < count; i += 3) is_taken_or_told(words, i);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof put / sizeof *put; k++) {
      uint32_t was = words[i];
      words[i] = k < 3 ? was ^ put[k] ^ (uint32_t)(i % 7) : put[k];
      is_taken_or_told(words, count);
      words[i] = was;
    }
  kg_bytes_free(NULL, words, count * sizeof *words);
}
END_TEST

/* A struct of two floats, one of two of those, and so on: all that a validator would have to look at, in some forty lines. */
START_TEST(doubled_types) {
  enum { HEADER = 5, FLOAT = 3, STRUCT = 4, DOUBLED = 60, COUNT = HEADER + FLOAT + STRUCT * DOUBLED, LENGTH = 1 << 16 };
  uint32_t words[COUNT] = {SpvMagicNumber, 0x00010000, 0, DOUBLED + 2, 0, FLOAT * LENGTH + SpvOpTypeFloat, 1, 32};
  for (uint32_t k = 0; k < DOUBLED; k++) {
    uint32_t *line = words + HEADER + FLOAT + STRUCT * k;
    line[0] = STRUCT * LENGTH + SpvOpTypeStruct, line[1] = k + 2, line[2] = line[3] = k + 1;
  }
  kg_module *m;
  ck_assert_int_eq(import(words, COUNT, &m), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "import-malformed");
}
END_TEST

START_TEST(several_entry_points) {
  static const char two[] = "module m { buffer a : f32[4] read_write\n"
    "program p { workgroup 4 buffer a : f32[4] read_write a[local_id.x] += 1.0 }\n"
    "program q { workgroup 4 buffer a : f32[4] read_write a[local_id.x] *= 2.0 }\n"
    "run p grid 1 run q grid 1 }";
  uint32_t *words;
  size_t count;
  kg_module *m;
  kg_spirv_import_params params = {.entry = "q"};
  emit(two, &words, &count);
  ck_assert_int_eq(import(words, count, &m), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "import-entry");
  ck_assert_int_eq(kg_spirv_import(NULL, "m.spv", words, count * 4, &params, &kgt_sink, &m), KG_OK);
  kg_module_free(m);
  kg_bytes_free(NULL, words, count * sizeof *words);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(same_results), KGT(hostile_words), KGT(doubled_types), KGT(several_entry_points)};
  return kgt_run("spirv/import", tests, KGT_COUNT(tests));
}
