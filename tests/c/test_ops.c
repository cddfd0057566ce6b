/* Value operations as C: each row of the table, for each type that it takes, over lanes and over single values, against the
 * reference. All of them are compiled at once by $CC. More flags, for another machine or level: $KG_TEST_C_FLAGS. With
 * $KG_TEST_KEEP the file that they are in stays behind. */
#include "c/ops.h"
#include "c/pieces.h"
#include "foundation/base/random.h"
#include "foundation/ir/eval.h"
#include "tests/support/kgtest.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = KG_F64 + 1, COUNT = 8192 };

/* ---- what there is ---- */

typedef struct instance { kgi_op op; kg_type operand, result; } instance;

static kg_type result_of(kgi_op op, kg_type operand, kg_type stated) {
  const kgi_op_row *row = &kgi_op_rows[op];
  kg_type types[4];
  if (!kgi_lanes(op, operand, stated)) return KG_NONE;
  for (unsigned i = 0; i < row->arity; i++) types[i] = kgi_operand_type(op, i, operand);
  return kgi_rule_check((kgi_rule)row->rule, row->name, row->arity, types, stated, NULL, (kgi_pos){0});
}

/* Every type of the operand and of the result that the reference knows for `op`. */
static unsigned instances_of(kgi_op op, instance *at) {
  bool states = op == KGI_OP_convert || op == KGI_OP_bitcast;
  unsigned count = 0;
  for (unsigned operand = KG_BOOL; operand < TYPES; operand++)
    for (unsigned stated = KG_BOOL; stated < (states ? TYPES : KG_BOOL + 1u); stated++) {
      kg_type result = result_of(op, (kg_type)operand, (kg_type)stated);
      if (result != KG_NONE) at[count++] = (instance){op, (kg_type)operand, result};
    }
  return count;
}

static bool is_function(kgi_op op) { return kgi_op_rows[op].flags & KGI_FUNCTION; }
/* Those of f32 that the runtime leaves to others. */
static bool is_elsewhere(kgi_op op, kg_type operand) {
  return kgi_is_float(operand) && (is_function(op) || op == KGI_OP_rem || op == KGI_OP_mod);
}

/* ---- the file ---- */

static const char *memory(kg_type type, bool lanes) {
  static const char *const names[2][4] = {{"uint32_t", "uint64_t", "float", "double"},
                                          {"kg_mem_u32v", "kg_mem_u64v", "kg_mem_f32v", "kg_mem_f64v"}};
  return names[lanes][(kgi_is_float(type) ? 2 : 0) + (kgi_slot_size(type) == 8)];
}

static void put_operand(kgi_c_text *text, kg_type type, unsigned i, bool lanes) {
  const char *carried = kgi_c_type(type, lanes), *test = type == KG_BOOL ? " != 0" : "";
  kgi_c_put(text, "    %s %c = ", carried, 'a' + (int)i);
  if (lanes)
    kgi_c_put(text, "(%s)(*(const %s *)((const %s *)in[%u] + i)%s);\n", carried, memory(type, true), memory(type, false), i, test);
  else
    kgi_c_put(text, "((const %s *)in[%u])[i]%s;\n", memory(type, false), i, test);
}

static void put_result(kgi_c_text *text, kg_type type, bool lanes) {
  if (!lanes) kgi_c_put(text, "    ((%s *)in[4])[i] = y;\n", memory(type, false));
  else if (type == KG_BOOL) kgi_c_put(text, "    *(kg_mem_u32v *)((uint32_t *)in[4] + i) = (kg_u32v)y & 1;\n");
  else kgi_c_put(text, "    *(%s *)((%s *)in[4] + i) = y;\n", memory(type, true), memory(type, false));
}

static void name_of(char *at, size_t size, instance x, bool lanes) {
  snprintf(at, size, "%s_%s_%s_%s", lanes ? "lanes" : "one", kgi_op_rows[x.op].name, kgi_type_rows[x.operand].name,
           kgi_type_rows[x.result].name);
}

static bool put_instance(kgi_c_text *text, instance x, bool lanes) {
  static const char *const operands[] = {"a", "b", "c", "d"};
  char name[96];
  size_t before = text->size;
  name_of(name, sizeof name, x, lanes);
  kgi_c_put(text, "void %s(void *const *in, uint32_t count);\nvoid %s(void *const *in, uint32_t count) {\n", name, name);
  kgi_c_put(text, "  for (uint32_t i = 0; i < count; i += %s) {\n", lanes ? "KG_LANES" : "1");
  for (unsigned i = 0; i < kgi_op_rows[x.op].arity; i++) put_operand(text, kgi_operand_type(x.op, i, x.operand), i, lanes);
  for (unsigned i = 0; i < kgi_op_rows[x.op].arity; i++) kgi_c_put(text, "    (void)%s;\n", operands[i]);
  kgi_c_put(text, "    %s y = ", kgi_c_type(x.result, lanes));
  bool written = kgi_c_op(text, x.op, x.operand, x.result, operands, lanes);
  kgi_c_put(text, ";\n");
  put_result(text, x.result, lanes);
  kgi_c_put(text, "  }\n}\n");
  if (!written) text->size = before;
  return written;
}

/* In place of the functions that are elsewhere, those of the C library, rounded: what is tested is how they are called. */
static const char functions[] =
#define FUN1(name, ...) "#define kg_one_" #name " __builtin_" #name "\n"
#define FUN2(name, ...) FUN1(name)
#include "foundation/ir/ops.def"
  "#define kg_one_rem __builtin_fmod\n#define kg_one_mod kg_one_mod_f64\n#undef kg_one_sinc\n#define kg_one_sinc kg_one_sinc_f64\n"
#define FUN1(name, ...) "KG_LIFT_1(kg_" #name "_f32, kg_f32v, kg_one_" #name ", kg_f32v)\n"
#define FUN2(name, ...) "KG_LIFT_2(kg_" #name "_f32, kg_f32v, kg_one_" #name ", kg_f32v, kg_f32v)\n"
#include "foundation/ir/ops.def"
  "KG_LIFT_2(kg_rem_f32, kg_f32v, kg_one_rem, kg_f32v, kg_f32v)\nKG_LIFT_2(kg_mod_f32, kg_f32v, kg_one_mod, kg_f32v, kg_f32v)\n";

static void put_file(kgi_arena *arena, kgi_c_text *whole) {
  kgi_c_text body = {.arena = arena};
  instance at[TYPES * TYPES];
  *whole = (kgi_c_text){.arena = arena};
  kgi_c_put(&body, "%s", functions);
  for (kgi_op op = 0; op < KGI_OP_COUNT; op++) {
    unsigned count = instances_of(op, at);
    for (unsigned i = 0; i < 2 * count; i++) put_instance(&body, at[i / 2], i % 2);
  }
  kgi_c_pieces(whole, &body);
  kgi_c_put(whole, "%.*s", (int)body.size, body.at);
}

static void *library;

static void compile(void) {
  const char *cc = getenv("CC"), *flags = getenv("KG_TEST_C_FLAGS"), *folder = kgt_temp_dir();
  char path[512], command[2048];
  kgi_arena arena;
  kgi_c_text whole;
  kgi_arena_init(&arena, NULL);
  put_file(&arena, &whole);
  snprintf(path, sizeof path, "%s/ops.c", folder);
  FILE *file = fopen(path, "w");
  if (file) fwrite(whole.at, 1, whole.size, file), fclose(file);
  kgi_arena_free(&arena);
  snprintf(command, sizeof command, "%s -std=c11 -Wall -Wextra -Werror -Wno-psabi -O2 %s -shared -fPIC -o '%s/ops.so' '%s' -lm",
           cc && *cc ? cc : "cc", flags ? flags : "", folder, path);
  snprintf(path, sizeof path, "%s/ops.so", folder);
  library = system(command) == 0 ? dlopen(path, RTLD_NOW) : NULL;
  unlink(path);
  snprintf(path, sizeof path, "%s/ops.c", folder);
  if (!getenv("KG_TEST_KEEP")) unlink(path);
}

/* ---- operands: every pair of those that matter, then random ones ---- */

static const double numbers[] = {
  0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 0.99999994, -0.99999994, 1.0000001, 7, 100, -100,
  1e-3, 1e10, -1e10, INFINITY, -INFINITY, NAN, 0x1p-149, -0x1p-149, 0x1.8p-149, 0x1p-126, 0x0.fffffep-126, 0x1.fffffep127,
  -0x1.fffffep127, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x0.ffcp-14,
  65504, -65504, 65519, 65520, 65536, 2048, 2049, 2051, 8388607.5, 8388608, 8388609, -8388607.5, 4194304.5, 4194303.5, 16777216,
  16777217, 0x1p31, -0x1p31, 0x1.fffffep30, 2147483647, -2147483649.0, 0x1p32, 4294967295.0, 0x1.fffffep31, 0x1p52, 0x1p53,
  4503599627370497.5, 0x1p63, -0x1p63, 0x1.fffffffffffffp62, 0x1p64, 0x1.fffffffffffffp63, -0x1p70, 0x1.002p0, 0x1.003p0,
  0x1.001001p0, 0x1.000001p0, 0x1.0000010001p0, 0.7853981633974483, 3.1415926535897931};
static const int64_t integers[] = {
  0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0xFFFFFF,
  0x1000000, 0x1000001, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, 0x7FFFFF7F,
  0x7FFFFFBF, 0x7FFFFFC0, 0xFFFFFF7F, 0xFFFFFF80, 0x55555555, 0x12345678, 0x123456789ABCDEF, 0x7E007C01, 0x80017C00, INT64_MAX,
  INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, 0x7FFFFFFFFFFFFDFF, 0x7FFFFFFFFFFFFE00, 0x20000000000001, 0x1000001000000001, -2, -3,
  -7, -31, -32, -100, -32768, -65536};

static uint64_t bits_of(kg_type type, double x) {
  uint64_t wide;
  uint32_t narrow;
  float single = (float)x;
  memcpy(&wide, &x, sizeof wide), memcpy(&narrow, &single, sizeof narrow);
  return type == KG_F64 ? wide : type == KG_F32 ? narrow : kgi_half_encode(kgi_half_round(x));
}

static unsigned edges_of(kg_type type) {
  return type == KG_BOOL ? 2 : (unsigned)(kgi_is_float(type) ? KGT_COUNT(numbers) : KGT_COUNT(integers));
}

static uint64_t edge(kg_type type, unsigned i) {
  uint64_t mask = kgi_slot_size(type) == 8 ? UINT64_MAX : UINT32_MAX;
  return type == KG_BOOL ? i : kgi_is_float(type) ? bits_of(type, numbers[i]) : (uint64_t)integers[i] & mask;
}

static uint64_t any_value(kg_type type, uint64_t *seed) {
  uint64_t way = kgi_random(seed) % 4, bits = kgi_random(seed);
  unsigned width = type == KG_BOOL ? 1 : kgi_type_bits(type);
  if (way == 0) return edge(type, (unsigned)(bits % edges_of(type)));
  if (way == 1 && kgi_is_float(type)) return bits_of(type, (double)((int64_t)bits >> 40) / 64);
  if (way == 1 && type != KG_BOOL) bits = (uint64_t)((int64_t)(bits % 141) - 70);
  if (way == 2 && kgi_is_float(type)) return bits_of(type, ldexp((double)(int64_t)bits, (int)(bits % 110) - 110));
  return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static const kg_type *operand_types(instance x, kg_type *types) {
  for (unsigned i = 0; i < 4; i++) types[i] = kgi_operand_type(x.op, i, x.operand);
  return types;
}

typedef struct operands { uint64_t store[4][COUNT]; void *in[5]; } operands;

static void draw(operands *o, instance x) {
  kg_type room[4];
  const kg_type *types = operand_types(x, room);
  uint64_t seed = 12 + x.op;
  /* The last two: of three operands the first is often a bool, or the others matter more. */
  unsigned p = kgi_op_rows[x.op].arity == 3 ? 1 : 0, q = p + 1, edges = edges_of(types[p]), others = edges_of(types[q]);
  for (unsigned n = 0; n < COUNT; n++)
    for (unsigned i = 0; i < 4; i++) {
      bool pairs = n < edges * others && (i == p || i == q);
      uint64_t bits = pairs ? edge(types[i], i == p ? n % edges : n / edges) : any_value(types[i], &seed);
      kgi_slot_set(types[i], bits, (char *)o->store[i] + n * kgi_slot_size(types[i]));
    }
  for (unsigned i = 0; i < 4; i++) o->in[i] = o->store[i];
}

/* ---- comparison ---- */

/* How many numbers of the type lie between the two. */
static uint64_t apart(kg_type type, uint64_t a, uint64_t b) {
  uint64_t sign = UINT64_C(1) << (kgi_type_bits(type) - 1);
  uint64_t x = a & sign ? sign - (a & (sign - 1)) : sign + a, y = b & sign ? sign - (b & (sign - 1)) : sign + b;
  return x > y ? x - y : y - x;
}

static bool is_nan(kg_type type, uint64_t bits) {
  static const uint64_t inf[] = {[KG_F16] = 0x7C00, [KG_F32] = 0x7F800000, [KG_F64] = 0x7FF0000000000000};
  return kgi_is_float(type) && (bits & ((UINT64_C(1) << (kgi_type_bits(type) - 1)) - 1)) > inf[type];
}

/* Exact, but for functions: of glibc in f64, and of roots, which are rounded twice. What only moves bits keeps those of a NaN. */
static bool agree(instance x, uint64_t got, uint64_t expected) {
  bool moves = x.op == KGI_OP_select || x.op == KGI_OP_bitcast || x.op == KGI_OP_stop_gradient;
  uint64_t slack = is_function(x.op) ? (x.result == KG_F64 ? 8 : 1) : x.op == KGI_OP_rsqrt ? 2 : 0;
  if (got == expected) return true;
  if (!moves && is_nan(x.result, expected)) return is_nan(x.result, got);
  return slack && !is_nan(x.result, got) && apart(x.result, got, expected) <= slack;
}

static void tell(instance x, const char *name, const operands *o, unsigned n, uint64_t got, uint64_t expected) {
  uint64_t a[4] = {0};
  kg_type types[4];
  operand_types(x, types);
  for (unsigned i = 0; i < kgi_op_rows[x.op].arity; i++)
    a[i] = kgi_slot_bits(types[i], (const char *)o->store[i] + n * kgi_slot_size(types[i]));
  ck_abort_msg("%s(0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 "): 0x%" PRIx64 ", but 0x%" PRIx64 " is right", name,
               a[0], a[1], a[2], a[3], got, expected);
}

typedef void compiled(void *const *in, uint32_t count);

static void try_instance(instance x, operands *o, bool lanes) {
  static uint64_t got[COUNT], expected[COUNT];
  char name[96];
  union { void *object; compiled *function; } code;
  name_of(name, sizeof name, x, lanes);
  code.object = dlsym(library, name);
  if (!lanes && is_elsewhere(x.op, x.operand)) return;
  ck_assert_msg(code.object != NULL, "%s has no form", name);
  o->in[4] = got;
  code.function(o->in, COUNT);
  kgi_lanes(x.op, x.operand, x.result)(expected, (const void *const[]){o->in[0], o->in[1], o->in[2], o->in[3]}, COUNT);
  for (unsigned n = 0; n < COUNT; n++) {
    size_t place = n * kgi_slot_size(x.result);
    uint64_t y = kgi_slot_bits(x.result, (char *)got + place), right = kgi_slot_bits(x.result, (char *)expected + place);
    if (!agree(x, y, right)) tell(x, name, o, n, y, right);
  }
}

START_TEST(as_the_reference) {
  static operands o;
  instance at[TYPES * TYPES];
  unsigned count = instances_of((kgi_op)_i, at);
  ck_assert_msg(library != NULL, "it does not compile");
  ck_assert_uint_gt(count, 0);
  for (unsigned i = 0; i < count; i++) {
    draw(&o, at[i]);
    try_instance(at[i], &o, true);
    try_instance(at[i], &o, false);
  }
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_OPS(as_the_reference)};
  compile();
  return kgt_run("c/ops", tests, KGT_COUNT(tests));
}
