/* Which parts of c/runtime.h a text gets. */
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

/* Each paragraph names what stands above it alone, so the header compiles from top to bottom. */
START_TEST(the_header_by_itself) {
  const char *cc = getenv("CC");
  char path[512], command[1024], *text;
  size_t size;
  text = kgt_read_source("c/runtime.h", &size);
  snprintf(path, sizeof path, "%s/runtime.c", kgt_temp_dir());
  FILE *file = fopen(path, "w");
  ck_assert(file != NULL);
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  fclose(file);
  free(text);
  snprintf(command, sizeof command, "%s -std=c11 -Wall -Wextra -Werror -fsyntax-only '%s'", cc && *cc ? cc : "cc", path);
  ck_assert_int_eq(system(command), 0);
  remove(path);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(what_they_need_in_order), KGT(names_alone), KGT(the_header_by_itself)};
  return kgt_run("c/pieces", tests, KGT_COUNT(tests));
}
