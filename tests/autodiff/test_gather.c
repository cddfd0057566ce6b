/* Loops in each trip of which all lanes of a workgroup load one element: the reverse adds up for each element what lanes show one another.
 * What just misses adds one by one. Either way the gradient is that of duals, and no lane meets another between two barriers. */
#include "tests/autodiff/autodiff_case.h"

#define PROGRAM(group, shared, body) \
  "program p { const T = 8 workgroup " group " grid 2 param m : u32 = 5 buffer x : f32[64] read buffer w : f32[32, 8] read\n" \
  "buffer at : u32[32] read in 0 .. 8 buffer y : f32[32] write " shared "\n" \
  "let l = local_id.x let i = workgroup_id.x * 16 + local_index var s = 0.0\n" body " }"
#define TILE(body) PROGRAM("T", "shared t : f32[T]", "t[l] = x[i] let a = x[i + 8] barrier " body " y[i] = s")
#define ROW(body) PROGRAM("T", "", "let a = x[i + 8] " body " y[i] = s")

typedef struct shape { const char *name; bool gathers; const char *text; } shape;
static const shape shapes[] = {
  {"a tile", true, TILE("for j in 0 .. T { s += sin(a * t[j]) }")},
  {"a tile, of a state that is added to", true, TILE("s = a for j in 0 .. T { s += a * a * t[j] }")},
  {"elements of a buffer", true, ROW("for j in 0 .. m { s += a * x[j] * x[j] }")},
  {"more elements than lanes", true, ROW("for j in u32(0) .. 19 { s += a * x[j] }")},
  {"by ids", true, ROW("for j in 0 .. m { s += x[j] * (f32(l) + 0.5 * f32(global_id.x)) * f32(local_index + j) }")},
  {"by loads of each lane's", true, ROW("for j in 0 .. T { s += x[j] * w[i, j] }")},
  {"by loads of each lane's, from the end", true, ROW("for j in 0 .. T { s += x[j] * w[15 - l, 7 - j] }")},
  {"several components", true, PROGRAM("T", "shared t : f32[T, 2]",
    "t[l, 0] = x[i] t[l, 1] = x[i + 8] let a = x[i + 16] barrier for j in 0 .. T { s += a * t[j, 0] * t[j, 1] } y[i] = s")},
  {"in a loop, tile by tile", true, PROGRAM("T", "shared t : f32[T]",
    "let a = x[i] for k in 0 .. m { t[l] = x[i + k * 8] barrier for j in 0 .. T { s += a * t[j] * t[j] } barrier } y[i] = s")},
  {"two loops over the same", true, TILE("for j in 0 .. T { s += a * t[j] } for j in 0 .. m { s += a * x[j] }")},
  {"two loops over others", true, TILE("for j in 0 .. T { s += a * t[j] } let b = s for j in 0 .. m { s += b * a * x[j] }")},
  {"some of each trip for all, some for each", true, ROW("for j in 0 .. T { s += x[j] * w[i, 0] + w[at[i], j] }")},
  {"a loop in the loop", true, ROW("for j in 0 .. m { for k in 0 .. 2 { s += a * x[j + u32(k)] * f32(l + j) } }")},
  {"by literals", true, ROW("for j in 0 .. 7 { s += a * x[j] }")},
  {"and stored for each", true, ROW("for j in 0 .. m { s += x[j] * w[i, j] * w[i, j] }")},
  {"under a condition that all share", true, TILE("if m > 3 { for j in 0 .. T { s += a * t[j] } }")},
  /* under what lanes may not share */
  {"a guard of the lane", true, ROW("if l < m { for j in 0 .. m { s += a * x[j] } }")},
  {"a guard that some workgroup is past", true, ROW("if i < 11 { for j in 0 .. m { s += sin(a * x[j]) } }")},
  {"lanes that have left", true, ROW("if l >= m { return } for j in 0 .. m { s += a * x[j] }")},
  {"guards in one another", true, ROW("if l < m { let b = a * a if at[i] > 2 { for j in 0 .. m { s += b * x[j] } } }")},
  {"either branch", true, ROW("if at[i] > 2 { for j in 0 .. m { s += a * x[j] } } else { for j in 0 .. 6 { s += a * a * x[j] } }")},
  {"two loops under a guard", true, ROW("if l < m { for j in 0 .. m { s += a * x[j] } let b = s for j in 0 .. 7 { s += sin(b * x[j]) * a } }")},
  {"two guards", true, ROW("if l < m { for j in 0 .. m { s += a * x[j] } } if at[i] > 3 { for j in 0 .. 7 { s += sin(a * x[j]) } }")},
  {"a guard, and then all", true, ROW("if l < m { for j in 0 .. m { s += a * x[j] } } for j in 0 .. 7 { s += sin(a * x[j]) }")},
  {"all, and then a guard", true, ROW("for j in 0 .. 7 { s += sin(a * x[j]) } if l < m { for j in 0 .. m { s += a * x[j] } }")},
  {"a guard in front of a barrier", true, TILE("if l < m { for j in 0 .. T { s += a * t[j] } } barrier t[l] = s barrier s = s + t[7 - l]")},
  {"a guard in a loop that all share", true, PROGRAM("T", "shared t : f32[T]",
    "let a = x[i] for k in 0 .. m { t[l] = x[i + k * 8] barrier if l < m { for j in 0 .. T { s += a * t[j] * t[j] } } barrier } y[i] = s")},
  {"what is alike within the guard", true, ROW("if l < m { let b = x[2] * x[3] for j in 0 .. m { s += a * b * x[j] } }")},
  {"what is counted within the guard", true, ROW("if l < m { let c = l * 2 + 1 for j in 0 .. m { s += a * x[j] * f32(c) * w[i % 16, j] } }")},
  {"an element of its own behind the loop", true, TILE("if l < m { let b = t[l] for j in 0 .. m { s += sin(a * b * x[j]) } }")},
  {"lanes in two rows", true, PROGRAM("T, 2", "", "let a = x[i + 8] for j in 0 .. m { s += a * x[j] } y[i] = s")},
  {"lanes in two rows, by their ids", true, PROGRAM("T, 2", "",
    "let a = x[i + 8] for j in 0 .. m { s += a * x[j] * f32(l + 3 * local_id.y + local_index * 5) * w[global_id.y * 8 + l, j] } y[i] = s")},
  {"lanes in three axes, under a guard", true, PROGRAM("2, 2, 2", "",
    "let a = x[i + 8] if local_id.y + local_id.z < 2 { for j in 0 .. m { s += a * x[j] * f32(l + 3 * local_id.y + 7 * global_id.z) } } y[i] = s")},
  /* what just misses */
  {"a loop around, under a guard", false, ROW("if l < m { for k in 0 .. 2 { for j in 0 .. m { s += a * x[j] } } }")},
  {"a number of trips within the guard", false, ROW("if l < m { let c = at[0] + 1 for j in 0 .. c { s += a * x[j] } }")},
  {"an element within the guard", false, ROW("if l < m { let c = at[3] for j in 0 .. m { s += a * x[j + c] } }")},
  {"trips of the lane", false, ROW("for j in 0 .. l { s += a * x[j] }")},
  {"an element of the lane's", false, TILE("for j in 0 .. T { s += a * t[(j + l) % T] }")},
  {"an element that is looked up", false, TILE("for j in 0 .. T { s += a * t[at[i] * j % T] }")},
  {"a branch in the loop", false, ROW("for j in 0 .. m { if w[i, j] > 0.0 { s += a * x[j] } }")},
  {"from another trip on", false, ROW("for j in 1 .. m { s += a * x[j] }")},
  {"every other trip", false, ROW("for j in 0 .. m step 2 { s += a * x[j] }")},
  {"a number that each lane loads", false, ROW("let at_i = at[i] for j in 0 .. m { s += x[j] * w[at_i, j] }")},
  {"a state that is handed on", false, ROW("s = a for j in 0 .. m { s = sin(s * x[j]) }")},
  {"an array of each lane's", false, ROW("var b : f32[8] for k in u32(0) .. 8 { b[k] = a * f32(k) } for j in 0 .. T { s += b[j] * x[j] }")},
  {"few trips", false, ROW("for j in 0 .. 1 { s += a * x[j] }")},
  {"few lanes", false, PROGRAM("4", "", "let a = x[i + 8] for j in 0 .. m { s += a * x[j] } y[i] = s")},
  {"no room", false, PROGRAM("T", "shared big : f32[4090]",
    "big[l] = x[i] let a = x[i + 8] barrier for j in 0 .. T { s += a * big[j] } y[i] = s")},
};

static bool gathers(const kg_module *m) {
  char *text = NULL;
  size_t size;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  bool found = strstr(text, "shared    shown") != NULL;
  free(text);
  return found;
}

START_TEST(gradients) {
  const shape *r = &shapes[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  c.params.wrt = (const char *[]){"x"}, c.params.wrt_count = 1;
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(gathers(c.adjoint) == r->gathers, "%s: %s", r->name, r->gathers ? "added one by one" : "added up by lanes");
  adt_verify(&c);
  adt_free(&c);
} END_TEST

START_TEST(of_all_inputs) {
  adt_case c = {.seed = (uint32_t)_i + 1, .label = shapes[_i].name};
  adt_prepare(&c, shapes[_i].text, NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, shapes, name), KGT_TABLE(of_all_inputs, shapes, name)};
  return kgt_run("autodiff/gather", tests, KGT_COUNT(tests));
}
