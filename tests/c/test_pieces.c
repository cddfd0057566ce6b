/* Which parts of the runtime (c/runtime.h) a text gets. */
#include "c/pieces.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kgi_c_text pieces_of(kgi_arena *arena, const char *text) {
  kgi_c_text body = {.arena = arena}, out = {.arena = arena};
  kgi_arena_init(arena, NULL);
  kgi_c_put(&body, "%s", text);
  kgi_c_pieces(&out, &body);
  return out;
}

static size_t place_of(const kgi_c_text *text, const char *what) {
  const char *at = strstr(text->at, what);
  ck_assert_msg(at != NULL, "%s is not there", what);
  return (size_t)(at - text->at);
}

START_TEST(what_they_need_in_order) {
  kgi_arena arena;
  kgi_c_text out = pieces_of(&arena, "x=kg_mod_i32(a,b)");
  static const char *const order[] = {"#define KG_LANES", "#define KG_FN",   " kg_u32v __attr", "#define KG_EACH",
                                      " kg_select_u32(",  " kg_div_i32(", " kg_rem_i32(",    " kg_mod_i32("};
  for (size_t i = 1; i < KGT_COUNT(order); i++) ck_assert_uint_lt(place_of(&out, order[i - 1]), place_of(&out, order[i]));
  ck_assert(!strstr(out.at, "kg_div_u32"));
  ck_assert(!strstr(out.at, "kg_mod_i64"));
  ck_assert(!strstr(out.at, "kg_one_"));
  ck_assert(!strstr(out.at, "----"));
  kgi_arena_free(&arena);
} END_TEST

/* Part of a longer name, another's name, and one that ends the text. */
START_TEST(names_alone) {
  kgi_arena arena;
  kgi_c_text none = pieces_of(&arena, "struct kg_nobody; my_kg_any(kg_any_thing, kg_exp_f32)");
  ck_assert(strstr(none.at, "#include <stdint.h>"));
  ck_assert(!strstr(none.at, "kg_"));
  kgi_arena_free(&arena);
  kgi_c_text one = pieces_of(&arena, "kg_any");
  ck_assert(strstr(one.at, "bool kg_any("));
  kgi_arena_free(&arena);
} END_TEST

/* As c/sources.am has them. */
static const char *const parts[] = {"c/runtime.h", "c/integers.h", "c/floats.h", "c/convert.h", "c/access.h", "c/atomics.h", "c/hosted.h"};

static void put_part(FILE *out, const char *name) {
  size_t size;
  char *text = kgt_read_source(name, &size);
  ck_assert_uint_eq(fwrite(text, 1, size, out), size);
  free(text);
}

/* One of each kind of type, where what is made by the type depends on lanes or on the machine. */
static const char made[] =
  "KG_ACCESS(u8, uint8_t, kg_u32v, uint32_t)\nKG_ACCESS(f32, float, kg_f32v, float)\nKG_ACCESS(f64, double, kg_f64v, double)\n"
  "KG_ACCESS_SHARED(f32, float, kg_f32v, kg_select_f32)\nKG_ACCESS_SHARED(f64, double, kg_f64v, kg_select_f64)\n"
  "KG_ACCESS_STRIDED(f32, float, kg_f32v, float)\nKG_ACCESS_OWN(f32, kg_f32v)\nKG_TILE(f32, kg_f32v)\n"
  "KG_MOVE(f32, kg_f32v)\nKG_MOVE(f64, kg_f64v)\n";

static bool takes(const char *compiler, const char *machine) {
  char command[512];
  snprintf(command, sizeof command, "echo 'int x;' | %s %s -fsyntax-only -x c - >/dev/null 2>&1", compiler, machine);
  return system(command) == 0;
}

static const char *const compilers[] = {"", "gcc", "clang"}; /* the first: the one that builds this */
static const char *const machines[] = {"", "-march=x86-64-v2", "-march=x86-64-v3", "-march=x86-64-v4", "-march=armv8-a+sve", "-march=native"};

/* Each paragraph names what stands above it alone, so all compile from top to bottom: by each compiler that is there, for each machine
 * that it knows, with each number of lanes. */
START_TEST(the_runtime_by_itself) {
  const char *cc = getenv("CC"), *compiler = compilers[_i];
  char path[512], command[1024];
  unsigned compiled = 0;
  if (!*compiler) compiler = cc && *cc ? cc : "cc";
  snprintf(path, sizeof path, "%s/runtime.c", kgt_temp_dir());
  FILE *file = fopen(path, "w");
  ck_assert(file != NULL);
  for (size_t i = 0; i < KGT_COUNT(parts); i++) put_part(file, parts[i]);
  fputs(made, file);
  fclose(file);
  for (size_t k = 0; k < KGT_COUNT(machines); k++)
    for (int lanes = 4; lanes <= 16 && takes(compiler, machines[k]); lanes *= 2, compiled++) {
      snprintf(command, sizeof command, "%s -std=c11 -Wall -Wextra -Werror -fsyntax-only %s -DKG_LANES=%d '%s'", compiler, machines[k], lanes, path);
      ck_assert_msg(system(command) == 0, "%s", command);
    }
  ck_assert(compiled >= 3 || *compilers[_i]);
  remove(path);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(what_they_need_in_order), KGT(names_alone), KGT_TIMES(the_runtime_by_itself, KGT_COUNT(compilers))};
  return kgt_run("c/pieces", tests, KGT_COUNT(tests));
}
