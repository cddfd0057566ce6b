/* Coverage: whether an access is made exactly once for every element. Each answer is held against a run on the reference, where the
 * access counts: a yes must hold for all sizes that are tried, and a no has sizes for which it is right. */
#include "foundation/analysis/distinct.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CAREFUL: it would be true, but is not proved. */
typedef enum answer { NO, YES, CAREFUL } answer;
typedef struct row { const char *name, *shape, *length, *body; answer covers; } row;

#define NUMBER(all) "workgroup 4 grid invocations " all
#define BELOW(all) "let i = global_id.x if i < " all " { "
#define COUNT(index) "atomic_add(y[" index "], 1)"
#define OF_FOUR(lane, step) "let i = global_id.x if i / 4 < n { for j in " lane " .. m step " step " { "
#define EIGHT_OF(groups, length) "workgroup 8 grid " groups, length,
#define EIGHT(groups) EIGHT_OF(groups, "n, m")
#define OF_LANES(lanes, step) "let r = global_id.x / 4 if r < n { for j in local_id.x % " lanes " .. m step " step " { "
#define ROW "let base = workgroup_id.x * m "
/* Workgroups (x, y) have row r = x + stride * y, each as far as guards say; then the row's elements. */
#define MANY "1073741824"
#define TWO(stride, most, above, end) \
  "let r = workgroup_id.y * " stride " + workgroup_id.x  if workgroup_id.x < " most " && workgroup_id.y < " above " && " end " "
#define PAIRS "workgroup 1 grid min(n, 2), (n + 1) / 2"
#define PLAIN TWO("2", "2", MANY, "r < n") EACH("0", "1")
#define EACH(from, step) "{ for j in " from " .. m step " step " { " COUNT("r, j") " } }"

static const row rows[] = {
  {"an element an invocation", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i < n { " COUNT("i") " }", YES},
  {"the same, unguarded: the surplus is past the end", "workgroup 4 grid invocations n", "n", COUNT("global_id.x"), YES},
  {"the same, guarded the other way round", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if n > i { "
     "" COUNT("i") " }", YES},
  {"the same, of what the guard is not about", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i < m { "
     "" COUNT("i") " }", NO},
  {"guarded twice, more than it needs", "workgroup 4 grid invocations n", "n",
   "let i = global_id.x  if i < n { if i < m { " COUNT("i") " } }", NO},
  {"an invocation that leaves", "workgroup 4 grid invocations n", "n", "if local_id.x == 1 { return } " COUNT("global_id.x"), NO},
  {"all but one lane", "workgroup 4 grid invocations n", "n", "if local_id.x != 1 { " COUNT("global_id.x") " }", NO},
  {"the other side of a guard", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i < n { } else { "
     "" COUNT("i") " }", NO},
  {"past what leaves", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if !(i >= n) { " COUNT("i") " }", YES},
  {"past what leaves along either axis", "workgroup 2, 3 grid invocations n, m", "m * n",
   "let i = global_id.x  let j = global_id.y  if !(i >= n || m <= j) { " COUNT("j * n + i") " }", YES},
  {"past what leaves along both", "workgroup 2, 3 grid invocations n, m", "m * n",
   "let i = global_id.x  let j = global_id.y  if !(i >= n && j >= m) { " COUNT("j * n + i") " }", NO},
  {"in the other branch", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i >= n { } else { " COUNT("i") " }", YES},
  {"where the guard fails in part", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i >= n && m > 1 { } else { "
     "" COUNT("i") " }", CAREFUL},
  {"not above it", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if i > n { } else { " COUNT("i") " }", CAREFUL},
  {"not below it", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if !(i < n) { " COUNT("i") " }", NO},
  {"above what is turned", "workgroup 4 grid invocations n", "n", "let i = global_id.x  if n <= i { } else { " COUNT("i") " }", YES},
  {"a grid of another length", "workgroup 4 grid invocations m", "n", "let i = global_id.x  if i < n { " COUNT("i") " }", NO},
  {"from its digits", "workgroup 4 grid invocations n * 3", "n * 3",
   "let i = global_id.x  if i < n * 3 { " COUNT("i / 3 * 3 + i % 3") " }", YES},
  {"from its digits, by a param", "workgroup 4 grid invocations n * m", "n * m",
   "let i = global_id.x  if i < n * m { " COUNT("i / m * m + i % m") " }", YES},
  {"from its digits, turned", "workgroup 4 grid invocations n * 3", "n * 3",
   "let i = global_id.x  if i < n * 3 { " COUNT("i % 3 * n + i / 3") " }", YES},
  {"from digits of another size", "workgroup 4 grid invocations n * 3", "n * 3",
   "let i = global_id.x  if i < n * 3 { " COUNT("i / 2 * 3 + i % 2") " }", NO},
  {"a shifted element", "workgroup 4 grid invocations n", "n", COUNT("global_id.x + 1"), NO},
  {"turned round", "workgroup 4 grid invocations n", "n", COUNT("n - 1 - global_id.x"), CAREFUL},
  {"signed", "workgroup 4 grid invocations n", "n", "let i = i32(global_id.x)  if i < i32(n) { " COUNT("i") " }", CAREFUL},
  {"whole workgroups", "workgroup T grid n", "n * T", COUNT("global_id.x"), YES},
  {"whole workgroups by parts", "workgroup T grid n", "n * T", COUNT("workgroup_id.x * T + local_id.x"), YES},
  {"whole workgroups, too short a length", "workgroup T grid n", "n", COUNT("global_id.x"), CAREFUL},
  {"whole workgroups, too long a length", "workgroup T grid n", "n * T + 1", COUNT("global_id.x"), NO},
  {"a workgroup's element by every lane", "workgroup T grid n", "n", COUNT("workgroup_id.x"), NO},
  {"a workgroup's element, one lane each", "workgroup 1 grid n", "n", COUNT("workgroup_id.x"), YES},
  {"lanes alone", "workgroup T grid n", "T", COUNT("local_id.x"), NO},
  {"lanes of the only workgroup", "workgroup T grid 1", "T", COUNT("local_id.x"), YES},
  {"a row a workgroup", "workgroup T grid n", "n * m", ROW "for j in local_id.x .. m step T { " COUNT("base + j") " }", YES},
  {"a row a workgroup, backwards", "workgroup T grid n", "m * n", ROW "for j in local_id.x .. m step T reversed { "
     "" COUNT("base + j") " }", YES},
  {"a row a workgroup, of local_index", "workgroup 2, 2 grid n", "n * m",
   ROW "for j in local_index .. m step 4 { " COUNT("base + j") " }", YES},
  {"a row a workgroup, one axis of the lanes", "workgroup 2, 2 grid n", "n * m",
   ROW "for j in local_id.x .. m step 2 { " COUNT("base + j") " }", NO},
  {"a row a workgroup, short steps", "workgroup T grid n", "n * m", ROW "for j in local_id.x .. m step 3 { " COUNT("base + "
     "j") " }", NO},
  {"a row a workgroup, long steps", "workgroup T grid n", "n * m", ROW "for j in local_id.x .. m step 5 { " COUNT("base + "
     "j") " }", NO},
  {"a row a workgroup, begun late", "workgroup T grid n", "n * m", ROW "for j in local_id.x + 1 .. m step T { " COUNT("base + "
     "j") " }", NO},
  {"a row a workgroup, left early", "workgroup T grid n", "n * m",
   ROW "for j in local_id.x .. m step T { if j == 2 { break } " COUNT("base + j") " }", NO},
  {"a row a workgroup, some trips left out", "workgroup T grid n", "n * m",
   ROW "for j in local_id.x .. m step T { if j == 2 { continue } " COUNT("base + j") " }", NO},
  {"a row a workgroup, every lane all of it", "workgroup T grid n", "n * m", ROW "for j in 0 .. m { " COUNT("base + j") " }", NO},
  {"a row a workgroup, on a grid of invocations", "workgroup T grid invocations n", "n * m",
   ROW "for j in local_id.x .. m step T { " COUNT("base + j") " }", NO},
  {"a row a workgroup, a wider buffer", "workgroup T grid n", "n * (m + 1)",
   ROW "for j in local_id.x .. m step T { " COUNT("base + j") " }", NO},
  {"a row a workgroup, rows apart", "workgroup T grid n", "n * (m + 1)",
   "let base = workgroup_id.x * (m + 1)  for j in local_id.x .. m step T { " COUNT("base + j") " }", NO},
  {"a row a workgroup, rows that overlap", "workgroup T grid n", "n * m",
   ROW "for j in local_id.x .. m + 1 step T { " COUNT("base + j") " }", NO},
  {"a row a workgroup, wide rows", "workgroup T grid n", "n * (m + 2)",
   "let base = workgroup_id.x * (m + 2)  for j in local_id.x .. m + 2 step T { " COUNT("base + j") " }", YES},
  {"a column a workgroup", "workgroup T grid n", "n * m", "for j in local_id.x .. m step T { " COUNT("j * n + "
     "workgroup_id.x") " }", YES},
  {"a row a workgroup, again and again", "workgroup T grid n", "n * m",
   ROW "for r in 0 .. k { for j in local_id.x .. m step T { " COUNT("base + j") " } }", NO},
  {"a row a workgroup, of some of them", "workgroup T grid n", "n * m",
   ROW "if workgroup_id.x < k { for j in local_id.x .. m step T { " COUNT("base + j") " } }", NO},
  {"a place an invocation", "workgroup 2, 2 grid invocations m, n", "n, m", COUNT("global_id.y, global_id.x"), YES},
  {"a place an invocation, guarded", "workgroup 2, 2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if c < m && r < n { " COUNT("r, c") " }", YES},
  {"a place an invocation, transposed", "workgroup 2, 2 grid invocations m, n", "m, n", COUNT("global_id.x, global_id.y"), YES},
  {"a place an invocation, extents exchanged", "workgroup 2, 2 grid invocations m, n", "m, n", COUNT("global_id.y, global_id.x"), NO},
  {"a place an invocation, a row more", "workgroup 2, 2 grid invocations m, n", "n + 1, m", COUNT("global_id.y, global_id.x"), NO},
  {"a place an invocation, moved", "workgroup 2, 2 grid invocations m, n", "n, m", COUNT("global_id.y, global_id.x + 1"), NO},
  {"a place, one column", "workgroup 4 grid invocations n", "n, m", COUNT("global_id.x, 0"), NO},
  {"a row of places an invocation", "workgroup 4 grid invocations n", "n, m", "for j in 0 .. m { " COUNT("global_id.x, j") " }", YES},
  {"a row of places, other columns", "workgroup 4 grid invocations n", "n, m", "for j in 0 .. k { " COUNT("global_id.x, j") " }", NO},
  {"a row of places a workgroup", "workgroup T grid n", "n, m",
   "for j in local_id.x .. m step T { " COUNT("workgroup_id.x, j") " }", YES},
  {"planes of places", "workgroup 1 grid n", "n, m, k",
   "for a in 0 .. m { for b in 0 .. k { " COUNT("workgroup_id.x, a, b") " } }", YES},
  {"places, all in the first row", "workgroup 1 grid 1", "n, m", "for i in 0 .. n { for j in 0 .. m { " COUNT("0, i * m + j") " } }", NO},
  {"places, from the row before", "workgroup 1 grid 1", "n, m",
   "for i in 0 .. n { for j in 0 .. m { " COUNT("i32(i) - 1, j + m") " } }", NO},
  {"places, a row by tiles", "workgroup T grid m", "n, m * T", "for i in 0 .. n { " COUNT("i, global_id.x") " }", YES},
  {"places, a row by halves", "workgroup 1 grid n", "n, m * 2",
   "for i in 0 .. m { for j in 0 .. 2 { " COUNT("workgroup_id.x, i * 2 + j") " } }", YES},
  {"places, a row by halves across rows", "workgroup 1 grid n", "n * 2, m",
   "for i in 0 .. m { for j in 0 .. 2 { " COUNT("workgroup_id.x, i * 2 + j") " } }", NO},
  {"places, of one row", "workgroup 4 grid invocations m", "1, m", COUNT("0, global_id.x"), YES},
  {"places, of one row that is another", "workgroup 4 grid invocations m", "2, m", COUNT("1, global_id.x"), NO},
  {"planes of places, the same row twice", "workgroup 1 grid n", "n, m, k",
   "for a in 0 .. m { for b in 0 .. k { " COUNT("workgroup_id.x, b, b") " } }", NO},
  {"a row an invocation", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x  if i < n { for j in 0 .. m { " COUNT("i * m + j") " } }", YES},
  {"a row an invocation, unguarded: it might wrap", "workgroup 4 grid invocations n", "n * m",
   "for j in 0 .. m { " COUNT("global_id.x * m + j") " }", CAREFUL},
  {"a column an invocation", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x  if i < n { for j in 0 .. m { " COUNT("j * n + i") " } }", YES},
  {"a column an invocation, unguarded", "workgroup 4 grid invocations n", "n * m",
   "for j in 0 .. m { " COUNT("j * n + global_id.x") " }", NO},
  {"rows and columns", "workgroup 2, 3 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { " COUNT("r * m + c") " }", YES},
  {"rows and columns, nested guards", "workgroup 2, 3 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n { if c < m { " COUNT("r * m + c") " } }", YES},
  {"rows and columns, either guard", "workgroup 2, 3 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n || c < m { " COUNT("r * m + c") " }", NO},
  {"rows and columns, one guard", "workgroup 2, 3 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n { " COUNT("r * m + c") " }", NO},
  {"rows and columns, mixed up", "workgroup 2, 3 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { " COUNT("c * m + r") " }", NO},
  {"rows alone", "workgroup 2, 3 grid invocations m, n", "n", "let r = global_id.y  if r < n { " COUNT("r") " }", NO},
  {"three axes and a loop", "workgroup 2, 1, 2 grid invocations n, m, k", "n * m * k * 3",
   "let a = global_id.x  let b = global_id.y  let c = global_id.z  if a < n && b < m && c < k "
   "{ for j in u32(0) .. 3 { " COUNT("((c * m + b) * n + a) * 3 + j") " } }", YES},
  {"a tile of the only workgroup", "workgroup 2, 3 grid 1", "6", COUNT("local_id.y * 2 + local_id.x"), YES},
  {"a tile of the only workgroup, by local_index", "workgroup 2, 3 grid 1", "6", COUNT("local_index"), YES},
  {"loops alone", "workgroup 1 grid 1", "n * m", "for i in 0 .. n { for j in 0 .. m { " COUNT("i * m + j") " } }", YES},
  {"loops alone, of many", "workgroup 1 grid k", "n * m", "for i in 0 .. n { for j in 0 .. m { " COUNT("i * m + j") " } }", NO},
  {"a grid stride", "workgroup T grid min((n + 3) / 4, 2)", "n", "for i in global_id.x .. n step num_workgroups.x * T { " COUNT("i") " }", YES},
  {"a grid stride, downward", "workgroup 4 grid min((n + 3) / 4, 2)", "n",
   "for i in global_id.x .. n step num_workgroups.x * 4 reversed { " COUNT("i") " }", YES},
  {"a grid stride of as many as there are", "workgroup 4 grid invocations n", "n",
   "for i in global_id.x .. n step num_workgroups.x * 4 { " COUNT("i") " }", YES},
  {"a grid stride of half of them", "workgroup 4 grid invocations n / 2", "n",
   "for i in global_id.x .. n step num_workgroups.x * 4 { " COUNT("i") " }", NO},
  {"a grid stride of at least one", "workgroup 4 grid max(m, 1)", "n", "for i in global_id.x .. n step num_workgroups.x * 4 { " COUNT("i") " }", YES},
  {"a grid stride of none at times", "workgroup 4 grid m", "n", "for i in global_id.x .. n step num_workgroups.x * 4 { " COUNT("i") " }", NO},
  {"a grid stride of none for few", "workgroup 4 grid (n + 2) / 4", "n", "for i in global_id.x .. n step num_workgroups.x * 4 { " COUNT("i") " }", NO},
  {"a grid stride by the stated size", "workgroup 4 grid 3", "n", "for i in global_id.x .. n step 12 { " COUNT("i") " }", YES},
  {"a grid stride by less", "workgroup 1 grid 3", "n", "for i in global_id.x .. n step 2 { " COUNT("i") " }", NO},
  {"a grid stride by more", "workgroup 1 grid 3", "n", "for i in global_id.x .. n step 4 { " COUNT("i") " }", NO},
  {"a grid stride, guarded", "workgroup 4 grid 1", "n", "for i in global_id.x .. n step num_workgroups.x * 4 { if i < m { " COUNT("i") " } }", NO},
  {"a grid stride up to another length", "workgroup 4 grid 2", "n", "for i in global_id.x .. m step num_workgroups.x * 4 { " COUNT("i") " }", NO},
  {"a grid stride that most do along one axis", "workgroup 2, 2 grid 2", "n",
   "for i in global_id.x .. n step num_workgroups.x * 2 { " COUNT("i") " }", NO},
  {"a grid stride along either axis", "workgroup 2, 3 grid min(m, 2), min(n, 1)", "n * m",
   "for j in global_id.y .. n step num_workgroups.y * 3 { for i in global_id.x .. m step num_workgroups.x * 2 { " COUNT("j * m + i") " } }", YES},
  {"a grid stride of the other axis", "workgroup 2, 3 grid 2, 1", "n * m",
   "for j in global_id.y .. n step num_workgroups.x * 3 { for i in global_id.x .. m step num_workgroups.y * 2 { " COUNT("j * m + i") " } }", NO},
  {"rows by workgroups", "workgroup T grid min(n, 2)", "n * T",
   "for r in workgroup_id.x .. n step num_workgroups.x { " COUNT("r * T + local_id.x") " }", YES},
  {"rows by workgroups, by their lanes", "workgroup 4 grid min(n, 2)", "n * m", "for r in workgroup_id.x .. n step num_workgroups.x {\n"
   "for j in local_id.x .. m step 4 { " COUNT("r * m + j") " } }", YES},
  {"rows by workgroups, by every lane", "workgroup 4 grid min(n, 2)", "n", "for r in workgroup_id.x .. n step num_workgroups.x { " COUNT("r") " }", NO},
  {"a literal loop", "workgroup 1 grid 1", "5", "for i in 0 .. 5 { " COUNT("i") " }", YES},
  {"a literal loop, not from 0", "workgroup 1 grid 1", "5", "for i in 1 .. 5 { " COUNT("i") " }", NO},
  {"a loop by twos", "workgroup 1 grid 1", "n", "for i in 0 .. n step 2 { " COUNT("i") " }", NO},
  {"the whole length", "workgroup 1 grid 1", "n", "for i in 0 .. len(y) { " COUNT("i") " }", CAREFUL},
  {"one element always", "workgroup 1 grid 1", "n", "for i in 0 .. n { " COUNT("0") " }", NO},
  {"an index from memory", "workgroup 1 grid 1", "n", "for i in 0 .. n { " COUNT("z[i]") " }", NO},
  {"a signed length", "workgroup 1 grid 1", "n", "for i in 0 .. i32(n) { " COUNT("i") " }", CAREFUL},
  {"under what is true by chance", "workgroup 1 grid 1", "n", "for i in 0 .. n { if z[i] < 5 { " COUNT("i") " } }", NO},
  {"in a while", "workgroup 1 grid 1", "n", "var w = u32(0) while w < k { w += 1 for i in 0 .. n { " COUNT("i") " } }", NO},
  {"rows along two axes", PAIRS, "n, m", PLAIN, YES},
  {"rows along two axes, shared", "workgroup T grid min(n, 2), (n + 1) / 2", "n, m",
   TWO("2", "2", MANY, "r < n") EACH("local_id.x", "T"), YES},
  {"rows along two axes, more along y", "workgroup 1 grid min(2, n), (n + 7) / 2", "n, m", PLAIN, CAREFUL},
  {"rows along two axes, by every lane", "workgroup T grid min(n, 2), (n + 1) / 2", "n, m", PLAIN, NO},
  {"rows along two axes, on three", "workgroup 1 grid min(n, 2), (n + 1) / 2, 2", "n, m", PLAIN, NO},
  {"rows along two axes, too few along y", "workgroup 1 grid min(n, 2), n / 2", "n, m", PLAIN, NO},
  {"rows along two axes, another number along x", "workgroup 1 grid min(m, 2), (n + 1) / 2", "n, m", PLAIN, NO},
  {"rows along two axes, too few along x", "workgroup 1 grid min(n, 1), (n + 1) / 2", "n, m", PLAIN, NO},
  {"rows along two axes, more along x than the guard takes", "workgroup 1 grid min(n, 3), (n + 1) / 2", "n, m", PLAIN, CAREFUL},
  {"rows along two axes, with gaps", PAIRS, "n, m", TWO("3", "2", MANY, "r < n") EACH("0", "1"), NO},
  {"rows along two axes, that overlap", PAIRS, "n, m", TWO("1", "2", MANY, "r < n") EACH("0", "1"), NO},
  {"rows along two axes, to another end", PAIRS, "n, m", TWO("2", "2", MANY, "r < m") EACH("0", "1"), NO},
  {"rows along two axes, and one more guard", PAIRS, "n, m", TWO("2", "2", MANY, "r < n && r < m") EACH("0", "1"), NO},
  {"rows along two axes, few along y", PAIRS, "n, m", TWO("2", "2", "2", "r < n") EACH("0", "1"), NO},
  {"rows along two axes, whose number wraps", PAIRS, "n, m", TWO("2", "2", "2147483649", "r < n") EACH("0", "1"), CAREFUL},
  {"rows along two axes, a guard of x that is not the stride", PAIRS, "n, m",
   TWO("2", "3", MANY, "r < n") EACH("0", "1"), CAREFUL},
  {"rows along two axes, half of them", PAIRS, "n, m", TWO("2", "1", MANY, "r < n") EACH("0", "1"), NO},
  {"rows along two axes, without an end", PAIRS, "n, m", TWO("2", "2", MANY, "m < 9") EACH("0", "1"), CAREFUL},
  {"a row backwards", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(0) .. 8 { " COUNT("i * 8 + 7 - j") " } }", YES},
  {"a row backwards, one too far", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(0) .. 8 { " COUNT("i * 8 + 8 - j") " } }", NO},
  {"a row backwards, one too few", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(0) .. 7 { " COUNT("i * 8 + 7 - j") " } }", NO},
  {"a row backwards, one too many", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(0) .. 9 { " COUNT("i * 8 + 8 - j") " } }", NO},
  {"a row backwards, of a length", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("i * m + m - 1 - j") " } }", YES},
  {"a row backwards, of another length", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. k { " COUNT("i * m + m - 1 - j") " } }", NO},
  {"a row backwards, by the end of another", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("i * m + k - 1 - j") " } }", NO},
  {"a column backwards", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("(m - 1 - j) * n + i") " } }", YES},
  {"a column backwards, too far", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("(m - j) * n + i") " } }", NO},
  {"a row from 1", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(1) .. 9 { " COUNT("i * 8 + j - 1") " } }", YES},
  {"a row from 1 backwards", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(1) .. 9 { " COUNT("i * 8 + 8 - j") " } }", YES},
  {"a row from 1, as from 0", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(1) .. 9 { " COUNT("i * 8 + j") " } }", NO},
  {"a row from 1, one too few", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(1) .. 8 { " COUNT("i * 8 + j - 1") " } }", NO},
  {"a row from 1, whose end may wrap", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 1 .. m + 1 { " COUNT("i * m + j - 1") " } }", CAREFUL},
  {"a row from -1", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i32(-1) .. 7 { " COUNT("i32(i) * 8 + j + 1") " } }", YES},
  {"a chunk", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 8 { " COUNT("j") " } }", YES},
  {"a chunk to the next", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in i * m .. (i + 1) * m { " COUNT("j") " } }", YES},
  {"a chunk, and one more", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 9 { " COUNT("j") " } }", NO},
  {"a chunk, but one", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 7 { " COUNT("j") " } }", NO},
  {"a chunk of another length", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in i * m .. i * m + k { " COUNT("j") " } }", NO},
  {"chunks that lie closer", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in i * k .. i * k + m { " COUNT("j") " } }", NO},
  {"a chunk backwards", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 8 reversed { " COUNT("j") " } }", YES},
  {"a chunk, turned round", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 8 { " COUNT("n * 8 - 1 - j") " } }", CAREFUL},
  {"a chunk that begins where memory says", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in z[i] .. z[i] + 8 { " COUNT("i * 8 + j - z[i]") " } }", CAREFUL},
  {"a chunk by twos", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 8 step 2 { " COUNT("j") " } }", NO},
  {"chunks of rows", "workgroup 4 grid invocations n", "n * 8 * m",
   "let i = global_id.x if i < n { for j in i * 8 .. i * 8 + 8 { for h in 0 .. m { " COUNT("j * m + h") " } } }", YES},
  {"by twos", "workgroup 4 grid invocations n", "n * 8",
   "let i = global_id.x if i < n { for j in u32(0) .. 8 step 2 { " COUNT("i * 8 + j") " } }", NO},
  {"by twos, halved", "workgroup 4 grid invocations n", "n * 4",
   "let i = global_id.x if i < n { for j in u32(0) .. 8 step 2 { " COUNT("i * 4 + j / 2") " } }", CAREFUL},
  {"by fours, with a loop inside", "workgroup 4 grid invocations n", "n * 16",
   "let i = global_id.x if i < n { for j in u32(0) .. 16 step 4 { for h in u32(0) .. 4 { " COUNT("i * 16 + j + h") " } } }", YES},
  {"by fours, backwards, with a loop inside", "workgroup 4 grid invocations n", "n * 16",
   "let i = global_id.x if i < n { for j in u32(0) .. 16 step 4 { for h in u32(0) .. 4 { " COUNT("i * 16 + 12 - j + h") " } } }", YES},
  {"by fours, with too short a loop inside", "workgroup 4 grid invocations n", "n * 16",
   "let i = global_id.x if i < n { for j in u32(0) .. 16 step 4 { for h in u32(0) .. 3 { " COUNT("i * 16 + j + h") " } } }", NO},
  {"by fours of fifteen, with a loop inside", "workgroup 4 grid invocations n", "n * 15",
   "let i = global_id.x if i < n { for j in u32(0) .. 15 step 4 { for h in u32(0) .. 4 { " COUNT("i * 15 + j + h") " } } }", NO},
  {"by fours of a multiple, with a loop inside", "workgroup 4 grid invocations n", "n * (4 * m)",
   "let i = global_id.x if i < n { for j in 0 .. 4 * m step 4 { for h in u32(0) .. 4 { " COUNT("i * (4 * m) + j + h") " } } }", YES},
  {"by fours of none, with a loop inside", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m step 4 { for h in u32(0) .. 4 { " COUNT("i * m + j + h") " } } }", NO},
  {"a row of places backwards", "workgroup 4 grid invocations n", "n, m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("i, m - 1 - j") " } }", YES},
  {"a row of places backwards, by rows too", "workgroup 4 grid invocations n", "n, m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("n - 1 - i, m - 1 - j") " } }", YES},
  {"a diagonal of places", "workgroup 4 grid invocations n", "n, m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("j, m - 1 - j") " } }", NO},
  {"a row a workgroup, turned round", "workgroup T grid n", "n * m",
   ROW "for j in local_id.x .. m step T { " COUNT("base + m - 1 - j") " }", YES},
  {"elements from the last", "workgroup 4 grid invocations n", "n", "let i = global_id.x if i < n { " COUNT("n - 1 - i") " }", YES},
  {"elements from the last, signed", "workgroup 4 grid invocations n", "n",
   "let i = global_id.x if i < n { " COUNT("i32(n) - 1 - i32(i)") " }", YES},
  {"elements from the one before the last", "workgroup 4 grid invocations n", "n",
   "let i = global_id.x if i < n { " COUNT("n - 2 - i") " }", NO},
  {"elements from the last of others", "workgroup 4 grid invocations n", "n",
   "let i = global_id.x if i < n { " COUNT("m - 1 - i") " }", NO},
  {"elements from the last, of some", "workgroup 4 grid invocations n", "n",
   "let i = global_id.x if i < m { " COUNT("n - 1 - i") " }", NO},
  {"elements from the last, as many as a guard lets", "workgroup 4 grid 4", "5",
   "let i = global_id.x if i < 5 { " COUNT("4 - i") " }", YES},
  {"elements from the last, more than a guard lets", "workgroup 4 grid 4", "16",
   "let i = global_id.x if i < 5 { " COUNT("15 - i") " }", NO},
  {"rows from the last", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("(n - 1 - i) * m + j") " } }", YES},
  {"rows from the last, all backwards", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("n * m - 1 - i * m - j") " } }", YES},
  {"rows from the last, a column further", "workgroup 4 grid invocations n", "n * m",
   "let i = global_id.x if i < n { for j in 0 .. m { " COUNT("(n - 1 - i) * m + j + 1") " } }", NO},
  {"lanes from the last", "workgroup T grid n", "n * T", COUNT("workgroup_id.x * T + T - 1 - local_id.x"), YES},
  {"lanes and workgroups from the last", "workgroup T grid n", "n * T", COUNT("(n - 1 - workgroup_id.x) * T + T - 1 - local_id.x"), YES},
  {"lanes from the last of fewer", "workgroup T grid n", "n * T", COUNT("workgroup_id.x * T + 2 - local_id.x"), NO},
  {"strides from the last", "workgroup 4 grid n", "n", "for j in global_id.x .. n step num_workgroups.x * 4 { " COUNT("n - 1 - j") " }", YES},
  {"strides from the last, of another", "workgroup 4 grid n", "n",
   "for j in global_id.x .. n step num_workgroups.x * 4 { " COUNT("m - 1 - j") " }", NO},
  {"rows and columns of a number", NUMBER("n * m"), "n, m", BELOW("n * m") COUNT("i / m, i % m") " }", YES},
  {"rows and columns of a number, transposed", NUMBER("n * m"), "m, n", BELOW("n * m") COUNT("i % m, i / m") " }", YES},
  {"rows and columns of a number, by another width", NUMBER("n * m"), "n, m", BELOW("n * m") COUNT("i / n, i % n") " }", NO},
  {"rows and columns of a number, of more rows", NUMBER("n * m"), "n + 1, m", BELOW("n * m") COUNT("i / m, i % m") " }", NO},
  {"rows and columns of a number, unguarded", NUMBER("n * m"), "n, m", "let i = global_id.x " COUNT("i / m, i % m"), CAREFUL},
  {"rows and columns of a number, too few of them", NUMBER("n * m"), "n, m", BELOW("n * k") COUNT("i / m, i % m") " }", NO},
  {"rows and columns of a number, behind a guard of the rows", NUMBER("n * m"), "n, m", "let i = global_id.x if i / m < n { " COUNT("i / m, i % m") " }", YES},
  {"rows and columns of a number, behind a guard of more rows", NUMBER("n * m"), "n, m", "let i = global_id.x if i / m < n + 1 { " COUNT("i / m, i % m") " }", CAREFUL},
  {"rows and columns of a number, behind a guard of other rows", NUMBER("n * m"), "n, m", "let i = global_id.x if i / n < m { " COUNT("i / m, i % m") " }", YES},
  {"rows and columns of a number, behind a guard of fewer rows", NUMBER("n * 3"), "n, 3", "let i = global_id.x if i / 3 < m { " COUNT("i / 3, i % 3") " }", NO},
  {"rows of four lanes", NUMBER("n * 4"), "n, m", OF_FOUR("i % 4", "4") COUNT("i / 4, j") " } }", YES},
  {"rows of four lanes, flat", NUMBER("n * 4"), "n * m", OF_FOUR("i % 4", "4") COUNT("i / 4 * m + j") " } }", YES},
  {"rows of four lanes, of which some do others' work", NUMBER("n * 4"), "n, m", OF_FOUR("i % 4", "2") COUNT("i / 4, j") " } }", NO},
  {"rows of four lanes, of which two are alike", NUMBER("n * 4"), "n, m", OF_FOUR("i % 2", "4") COUNT("i / 4, j") " } }", NO},
  {"rows of four lanes, and each lane's own column", NUMBER("n * 4"), "n, m", OF_FOUR("i % 4", "4") COUNT("i / 4, i % 4") " } }", NO},
  {"rows of four lanes, by another row", NUMBER("n * 4"), "n, m", OF_FOUR("i % 4", "4") COUNT("i / 2, j") " } }", NO},
  {"rows of four lanes of eight", EIGHT("(n + 1) / 2") OF_LANES("4", "4") COUNT("r, j") " } }", YES},
  {"rows of four lanes of eight, more workgroups", EIGHT("(n + 1) / 2 + 1") OF_LANES("4", "4") COUNT("r, j") " } }", YES},
  {"rows of four lanes of eight, too few workgroups", EIGHT("n / 2") OF_LANES("4", "4") COUNT("r, j") " } }", NO},
  {"rows of four lanes of eight, of which two are alike", EIGHT("(n + 1) / 2") OF_LANES("2", "4") COUNT("r, j") " } }", NO},
  {"rows of four lanes of eight, by more", EIGHT("(n + 1) / 2") OF_LANES("4", "5") COUNT("r, j") " } }", NO},
  {"rows of four lanes of six", "workgroup 6 grid (n * 4 + 5) / 6", "n, m", OF_LANES("4", "4") COUNT("r, j") " } }", NO},
  {"rows of four lanes of another axis", "workgroup 8, 8 grid (n + 1) / 2, 1", "n, m",
   "let r = global_id.x / 4 if r < n { for j in local_id.y % 4 .. m step 4 { " COUNT("r, j") " } }", NO},
  {"a workgroup's row by the quotient, and a lane's element", EIGHT_OF("n", "n, 8") COUNT("global_id.x / 8, local_id.x"), CAREFUL},
  {"a workgroup's row by half of the quotient, and a lane's element", EIGHT_OF("n", "n, 8") COUNT("global_id.x / 4, local_id.x"), NO},
  {"rows of four lanes, of which some have an element", NUMBER("n * 4"), "n, m",
   "let i = global_id.x let q = i % 4 if i / 4 < n && q < m { for j in q .. m step 4 { " COUNT("i / 4, j") " } }", YES},
  {"rows of four lanes, of which fewer have an element", NUMBER("n * 4"), "n, m",
   "let i = global_id.x let q = i % 4 if i / 4 < n && q < k { for j in q .. m step 4 { " COUNT("i / 4, j") " } }", NO},
  {"a grid stride, behind a guard of where it begins", "workgroup 4 grid 2", "n",
   "let i = global_id.x if i < n { for j in i .. n step num_workgroups.x * 4 { " COUNT("j") " } }", YES},
  {"a grid stride, behind a guard by another number", "workgroup 4 grid 2", "n",
   "let i = global_id.x if i < m { for j in i .. n step num_workgroups.x * 4 { " COUNT("j") " } }", NO},
  {"a row a workgroup, behind a guard of the lane", "workgroup 4 grid n", "n, m",
   "if local_id.x < m { for j in local_id.x .. m step 4 { " COUNT("workgroup_id.x, j") " } }", YES},
  {"three digits", NUMBER("n * m * 3"), "n, m, 3", BELOW("n * m * 3") COUNT("i / (m * 3), i / 3 % m, i % 3") " }", YES},
  {"three digits, flat, in another order", NUMBER("n * m * 3"), "n * m * 3", BELOW("n * m * 3") COUNT("(i / 3 % m * 3 + i % 3) * n + i / (m * 3)") " }", YES},
  {"digits of digits", NUMBER("n * m * 3"), "n, m, 3", BELOW("n * m * 3") "let q = i / 3 " COUNT("q / m, q % m, i % 3") " }", YES},
  {"digits of a remainder", NUMBER("n * 12"), "n, 4, 3", BELOW("n * 12") "let q = i % 12 " COUNT("i / 12, q / 3, q % 3") " }", YES},
  {"digits of a remainder that they do not divide", NUMBER("n * 12"), "n, 3, 5", BELOW("n * 12") "let q = i % 12 " COUNT("i / 12, q / 5, q % 5") " }", NO},
  {"a digit alone", NUMBER("n * m"), "n", BELOW("n * m") COUNT("i / m") " }", NO},
  {"a digit twice", NUMBER("m * m"), "m, m", BELOW("m * m") COUNT("i % m, i % m") " }", NO},
  {"digits without the middle", NUMBER("n * m * 3"), "n, 3", BELOW("n * m * 3") COUNT("i / (m * 3), i % 3") " }", NO},
  {"digits that overlap", NUMBER("n * 6"), "n * 3, 3", BELOW("n * 6") COUNT("i / 2, i % 3") " }", NO},
  {"a number, and a digit of it", NUMBER("n * 3"), "n * 3, 3", BELOW("n * 3") COUNT("i, i % 3") " }", NO},
  {"rows and columns of a loop that lanes share", "workgroup T grid 1", "n, m", "for i in local_id.x .. n * m step T { " COUNT("i / m, i % m") " }", YES},
  {"rows and columns of a loop", "workgroup 1 grid 1", "m, n", "for i in 0 .. n * m { " COUNT("i % m, i / m") " }", YES},
  {"rows and columns of a loop from 1", "workgroup 1 grid 1", "m, n", "for i in 1 .. n * m + 1 { " COUNT("(i - 1) % m, (i - 1) / m") " }", CAREFUL},
  {"rows and columns of lanes", "workgroup 6 grid n", "n, 2, 3", COUNT("workgroup_id.x, local_id.x / 3, local_id.x % 3"), YES},
  {"rows and columns of lanes, by shifts", "workgroup 8 grid n", "n, 4, 2", COUNT("workgroup_id.x, local_id.x & 3, local_id.x >> 2"), YES},
  {"rows and columns of lanes that do not divide", "workgroup 6 grid n", "n, 2, 4", COUNT("workgroup_id.x, local_id.x / 4, local_id.x % 4"), NO},
  {"rows and columns of a tile", "workgroup T * T grid n", "n, T, T", COUNT("workgroup_id.x, local_id.x % T, local_id.x / T"), YES},
  {"a grid that is rounded up", "workgroup 4 grid (n + 3) / 4", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid that is rounded up, by more", "workgroup 4 grid (n + 8) / 4", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid that is rounded up, by less", "workgroup 4 grid (n + 2) / 4", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded down", "workgroup 4 grid n / 4", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded down, and one more", "workgroup 4 grid n / 4 + 1", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid of the last number's workgroup", "workgroup 4 grid (n - 1) / 4 + 1", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid of the last but one's workgroup", "workgroup 4 grid (n - 2) / 4 + 1", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded up, of larger workgroups", "workgroup 4 grid (n + 7) / 8", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded up, of smaller workgroups", "workgroup 4 grid (n + 1) / 2", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid that is rounded up, by the size", "workgroup T grid (n + T - 1) / T", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid that is rounded up, of another number", "workgroup 4 grid (m + 3) / 4", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded up, and cut", "workgroup 4 grid min((n + 3) / 4, 1)", "n", BELOW("n") COUNT("i") " }", NO},
  {"a grid that is rounded up, and one at least", "workgroup 4 grid max((n + 3) / 4, 1)", "n", BELOW("n") COUNT("i") " }", YES},
  {"a grid that is rounded up, unguarded", "workgroup 4 grid (n + 3) / 4", "n", COUNT("global_id.x"), YES},
  {"a grid that is rounded up, by signed numbers", "workgroup 4 grid (n + 3) / 4", "n", COUNT("i32(global_id.x)"), CAREFUL},
  {"a grid that is rounded up, backwards", "workgroup 4 grid (n + 3) / 4", "n", COUNT("n - 1 - global_id.x"), CAREFUL},
  {"a grid that is rounded up, unguarded rows", "workgroup 4 grid (n + 3) / 4", "n, 3", "for j in u32(0) .. 3 { " COUNT("global_id.x, j") " }", YES},
  {"a grid that is rounded up, unguarded flat rows", "workgroup 4 grid (n + 3) / 4", "n * 2",
   "for j in u32(0) .. 2 { " COUNT("global_id.x * 2 + j") " }", CAREFUL},
  {"pairs on a grid that is rounded up", "workgroup 4 grid (n + 7) / 8", "n",
   "for j in u32(0) .. 2 { " COUNT("workgroup_id.x * 8 + j * 4 + local_id.x") " }", YES},
  {"pairs on a grid that is rounded up, guarded", "workgroup 4 grid (n + 7) / 8", "n",
   "for j in u32(0) .. 2 { let i = workgroup_id.x * 8 + j * 4 + local_id.x if i < n { " COUNT("i") " } }", YES},
  {"pairs on a grid that is rounded up, guarded by another number", "workgroup 4 grid (n + 7) / 8", "n",
   "for j in u32(0) .. 2 { let i = workgroup_id.x * 8 + j * 4 + local_id.x if i < m { " COUNT("i") " } }", NO},
  {"pairs on a grid that is rounded up, guarded one further up", "workgroup 4 grid (n + 7) / 8", "n",
   "for j in u32(0) .. 2 { let i = workgroup_id.x * 8 + j * 4 + local_id.x if i + 1 < n { " COUNT("i") " } }", NO},
  {"triples on a grid that is rounded up", "workgroup 4 grid (n + 11) / 12", "n",
   "for j in u32(0) .. 3 { " COUNT("workgroup_id.x * 12 + j * 4 + local_id.x") " }", CAREFUL},
  {"pairs on a grid of one more", "workgroup 4 grid (n + 8) / 8", "n",
   "for j in u32(0) .. 2 { " COUNT("workgroup_id.x * 8 + j * 4 + local_id.x") " }", CAREFUL},
  {"pairs on a grid that is rounded down", "workgroup 4 grid n / 8", "n",
   "for j in u32(0) .. 2 { " COUNT("workgroup_id.x * 8 + j * 4 + local_id.x") " }", NO},
  {"a grid that is rounded up, of rows and columns of a number", "workgroup 4 grid (n * m + 3) / 4", "n, m", BELOW("n * m") COUNT("i / m, i % m") " }", YES},
  {"a grid that is rounded up along two axes", "workgroup 2, 3 grid (m + 1) / 2, (n + 2) / 3", "n, m",
   "let c = global_id.x let r = global_id.y if c < m && r < n { " COUNT("r, c") " }", YES},
  {"a workgroup a row, and one at least", "workgroup T grid max(n, 1)", "n * m",
   ROW "if workgroup_id.x < n { for j in local_id.x .. m step T { " COUNT("base + j") " } }", YES},
  {"a workgroup a row, as many as invocations", "workgroup T grid invocations n", "n * m",
   ROW "if workgroup_id.x < n { for j in local_id.x .. m step T { " COUNT("base + j") " } }", NO},
  {"halves", NUMBER("n"), "n * 2", BELOW("n") COUNT("i") " " COUNT("i + n") " }", YES},
  {"thirds, the last one first", NUMBER("n"), "n * 3", BELOW("n") COUNT("i + 2 * n") " " COUNT("i") " " COUNT("i + n") " }", YES},
  {"two thirds", NUMBER("n"), "n * 3", BELOW("n") COUNT("i") " " COUNT("i + n") " }", NO},
  {"the second and the last third", NUMBER("n"), "n * 3", BELOW("n") COUNT("i + n") " " COUNT("i + 2 * n") " }", NO},
  {"the first and the last third", NUMBER("n"), "n * 3", BELOW("n") COUNT("i") " " COUNT("i + 2 * n") " }", NO},
  {"halves, one of them twice", NUMBER("n"), "n * 2", BELOW("n") COUNT("i") " " COUNT("i + n") " " COUNT("n + i") " }", NO},
  {"halves by another length", NUMBER("n"), "n * 2", BELOW("n") COUNT("i") " " COUNT("i + m") " }", NO},
  {"halves that memory says", NUMBER("n"), "n * 2", BELOW("n") COUNT("i") " " COUNT("i + z[0]") " }", NO},
  {"halves of rows", NUMBER("n"), "n, m * 2", BELOW("n") "for j in 0 .. m { " COUNT("i, j") " " COUNT("i, j + m") " } }", YES},
  {"halves of rows, flat", NUMBER("n"), "n * 2 * m", BELOW("n") "for j in 0 .. m { " COUNT("i * 2 * m + j") " " COUNT("i * 2 * m + m + j") " } }", YES},
  {"halves of columns", NUMBER("n"), "2 * n, m", BELOW("n") "for j in 0 .. m { " COUNT("i + n, j") " " COUNT("i, j") " } }", YES},
  {"halves of columns, flat", NUMBER("n"), "2 * n * m", BELOW("n") "for j in 0 .. m { " COUNT("i * m + j") " " COUNT("(i + n) * m + j") " } }", YES},
  {"halves of a diagonal", NUMBER("n"), "n + 1, m + 1", BELOW("n") "for j in 0 .. m { " COUNT("i, j") " " COUNT("i + 1, j + 1") " } }", NO},
  {"pairs", NUMBER("n"), "n * 2", BELOW("n") COUNT("2 * i") " " COUNT("2 * i + 1") " }", YES},
  {"pairs that overlap", NUMBER("n"), "n + 1", BELOW("n") COUNT("i") " " COUNT("i + 1") " }", NO},
  {"halves of digits", NUMBER("n * m"), "n, 2 * m", BELOW("n * m") "let r = i / m let c = i % m " COUNT("r, c") " " COUNT("r, c + m") " }", YES},
  {"halves backwards", NUMBER("n"), "n * 2", BELOW("n") "for j in 0 .. 1 { " COUNT("2 * i + 1 - j") " " COUNT("2 * i - j") " } }", YES},
  {"elements along two axes", PAIRS, "n", TWO("2", "2", MANY, "r < n") "{ " COUNT("r") " }", CAREFUL},
};

enum { CELLS = 4096 };
static char text[4096];

static const char *kernel(const row *r) {
  snprintf(text, sizeof text,
           "program p { const T = 4 %s param n : u32 param m : u32 param k : u32 buffer z : u32[n] read buffer y : u32[%s] "
              "read_write %s }",
           r->shape, r->length, r->body);
  return text;
}

enum { MOST = 16 };

static unsigned counting(const kgi_program *p, uint32_t access[MOST]) {
  unsigned count = 0;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_atomic && p->inst[i].block) access[count++] = i;
  return count;
}

static bool covers(const kgi_distinct *d, const kgi_program *p) {
  uint32_t access[MOST] = {0};
  unsigned count = counting(p, access);
  return count > 1 ? kgi_covers_steps(d, access, count) : kgi_covers(d, access[0]);
}

static kg_module *parsed(const char *source) {
  kg_module *m = NULL;
  kg_status status = kg_module_parse(NULL, "t", source, strlen(source), NULL, &m);
  ck_assert_msg(status == KG_OK, "does not parse: %s", source);
  return m;
}

static bool claimed(const char *source) {
  kg_module *m = parsed(source);
  kgi_arena arena;
  kgi_distinct *d;
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, m->program[1], &d), KG_OK);
  bool yes = covers(d, m->program[1]);
  kgi_arena_free(&arena);
  kg_module_free(m);
  return yes;
}

/* Whether every element was counted once. */
static bool holds(const char *source, uint32_t n, uint32_t m, uint32_t k) {
  static uint32_t y[CELLS], z[CELLS];
  uint64_t param[3] = {n, m, k}, length[2] = {0};
  kg_module *module = parsed(source);
  memset(y, 0, sizeof y);
  for (uint32_t i = 0; i < CELLS; i++) z[i] = i * 7 % 10;
  kg_host host = {.param = param, .param_given = (bool[]){true, true, true}, .length = length,
     .length_given = (bool[]){false, false}};
  bool fine = kg_module_resolve(module, &host, NULL) == KG_OK;
  ck_assert_uint_le(length[1], CELLS);
  if (fine) {
    kg_status status = kg_reference_run(&(kg_reference_params){.module = module, .buffers = (void *[]){z, y}, .lengths = length,
                                                               .param_bits = param}, NULL);
    ck_assert_msg(status == KG_OK, "n = %u, m = %u, k = %u: %s", n, m, k, source);
  }
  for (uint64_t i = 0; fine && i < length[1]; i++) fine = y[i] == 1;
  kg_module_free(module);
  return fine;
}

START_TEST(rows_hold) {
  const row *r = &rows[_i];
  const char *source = kernel(r);
  unsigned wrong = 0;
  ck_assert_msg(claimed(source) == (r->covers == YES), "%s: %s", r->name, source);
  for (uint32_t n = 0; n < 6; n++)
    for (uint32_t m = 0; m < 6; m++) wrong += !holds(source, n, m, 2);
  if (r->covers != CAREFUL || wrong) ck_assert_msg((wrong != 0) == (r->covers != YES), "%s: wrong for %u sizes: %s", r->name,
     wrong, source);
} END_TEST

/* Those that state, or have, the length that the program declares come first. */
static const char *const runs[] = {
  "run p", "run p grid n", "run p invocations n", "run p(n = m) grid m", "run p(n = n / 2) grid n / 2", "repeat k in 1 .. 3 { run p(n = k) grid k }",
  "run p run p grid n", "run p grid n run p grid n",
  "run p grid 1", "run p grid n run p grid m", "run p run p grid n - 1", "run p grid n + 1", "run p(n = m) grid n", "run p(n = 3) grid n", "run p grid n - 1",
};
enum { RIGHT_RUNS = 8 };

/* A run may replace the grid that the program states; of one run that is known. */
START_TEST(grids_of_runs) {
  kgi_arena arena;
  kgi_distinct *d;
  snprintf(text, sizeof text, "module a { param n : u32 param m : u32 buffer y : u32[n] read_write "
           "program p { workgroup 1 grid n param n : u32 buffer y : u32[n] read_write %s } %s }", COUNT("global_id.x"), runs[_i]);
  kg_module *m = parsed(text);
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, m->program[1], &d), KG_OK);
  ck_assert_int_eq(covers(d, m->program[1]), _i < RIGHT_RUNS);
  kgi_arena_free(&arena);
  kg_module_free(m);
} END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

static const char *const sizes[] = {"n", "m", "T", "2", "3", "(n + 1)"};
static const char *const ids[] = {"global_id.x", "global_id.y", "workgroup_id.x", "local_id.x", "local_id.y", "local_index"};
static const char *any_size(void) { return sizes[any(6)]; }

/* A digit by the trips of a loop that begins elsewhere, is gone through backwards, or by twos. Returns how many braces it opens. */
static unsigned put_trips(char *body, size_t size, unsigned k, const char *x, char *digit, char *range) {
  const char *r = any_size(), *id = ids[any(6)];
  unsigned from = any(3), slip = any(8) ? 0 : any(3), way = any(3);
  size_t used = strlen(body);
  if (any(3) == 0) { /* a chunk */
    snprintf(body + used, size - used, "if %s < %s { for j%u in %s * %s .. %s * %s + %s%s { ", id, x, k, id, r, id, r, r, slip ? " + 1" : "");
    snprintf(digit, 64, "j%u", k), snprintf(range, 64, "(%s * %s)", x, r);
    return 2;
  }
  if (any(3) == 0) { /* by twos */
    snprintf(body + used, size - used, "for j%u in u32(0) .. %s * 2 step 2 { for h%u in u32(0) .. %u { ", k, r, k, slip ? 3 : 2);
    if (way) snprintf(digit, 64, "(j%u + h%u)", k, k);
    else snprintf(digit, 64, "(%s * 2 - 1 - j%u - h%u)", r, k, k);
    snprintf(range, 64, "(%s * 2)", r);
    return 2;
  }
  if (any(2)) r = any(2) ? "2" : "3";
  snprintf(body + used, size - used, "for j%u in u32(%u) .. %s + %u { ", k, from, r, from + slip);
  if (way) snprintf(digit, 64, "(%s + %u - j%u)", r, from - 1, k);
  else snprintf(digit, 64, "(j%u - %u)", k, from);
  if (way && !from) snprintf(digit, 64, "(%s - 1 - j%u)", r, k);
  snprintf(range, 64, "%s", r);
  return 1;
}

/* Mostly of the right form: digits of given ranges, each under a loop or a guard that gives it that range, with a slip at
 * times. */
static const char *random_kernel(bool trips) {
  static const char *const shapes[] = {"workgroup T grid %s", "workgroup T grid invocations %s", "workgroup 2, 2 grid %s, %s",
                                       "workgroup 2, 3 grid invocations %s, %s", "workgroup 1 grid %s", "workgroup T grid 1"};
  char shape[128], body[1024] = "", index[512] = "", length[256] = "1", next[512];
  const char *x = any_size(), *y = any_size();
  unsigned form = any(6), braces = 0, digits = 1 + any(3);
  snprintf(shape, sizeof shape, shapes[form], x, y);
  for (unsigned k = 0; k < digits; k++) {
    const char *range = any(3) ? k ? x : y : any_size(), *digit = ids[any(6)];
    char name[16], by_trip[64], as_many[64], turned[160];
    size_t used = strlen(body);
    if (trips && any(2)) {
      braces += put_trips(body, sizeof body, k, x, by_trip, as_many);
      digit = by_trip, range = as_many;
    } else if (any(2)) {
      static const char *const from[] = {"u32(0)", "local_id.x", "local_index"}, *const step[] = {"1", "T", "4"};
      unsigned pick = any(3);
      snprintf(name, sizeof name, "j%u", k);
      snprintf(body + used, sizeof body - used, "for %s in %s .. %s step %s { ", name, from[pick], range,
         step[any(6) ? pick : any(3)]);
      digit = name, braces++;
    } else if (any(2)) {
      snprintf(body + used, sizeof body - used, "if %s < %s { ", digit, any(8) ? range : any_size());
      braces++;
    } else if (!strncmp(digit, "local", 5)) {
      range = form == 2 && digit[6] != 'i' ? "2" : "T";
    }
    if (any(4) == 0) snprintf(turned, sizeof turned, "%s - 1 - %s", any(8) ? range : any_size(), digit), digit = turned;
    snprintf(next, sizeof next, "%s%s(%s) * (%s)", index, k ? " + " : "", digit, length);
    strcpy(index, next);
    snprintf(next, sizeof next, "%s * %s", range, length);
    if (strlen(next) < sizeof length) strcpy(length, next);
  }
  size_t used = strlen(body);
  snprintf(body + used, sizeof body - used, "atomic_add(y[%s], 1)", index);
  while (braces--) strcat(body, " }");
  return kernel(&(row){"random", shape, length, body, NO});
}

static const char *any_of(const char *const *list, unsigned count) { return list[any(count)]; }

/* A number taken apart by division, on grids that are rounded up, and accesses some number apart, each with a slip at times. */
static const char *random_digits(void) {
  static const char *const shapes[] = {"workgroup 4 grid invocations %s", "workgroup 4 grid (%s + 3) / 4", "workgroup 2 grid (%s + 1) / 2",
                                       "workgroup 8 grid %s / 8 + 1", "workgroup T grid (%s + T - 1) / T", "workgroup 4 grid (%s - 1) / 4 + 1",
                                       "workgroup 4 grid (%s + 2) / 4", "workgroup 4 grid (%s + 7) / 8", "workgroup 1 grid max(%s, 2)", "workgroup 2 grid %s"};
  static const char *const small[] = {"n", "m", "T", "2", "3"}, *const tops[] = {"i / (%s * %s)", "i / %s / %s"};
  char shape[128], body[2048], all[128], hi[96], mid[64], lo[64], index[320], length[256], extent[3][32];
  const char *a = any_of(small, 5), *b = any_of(small, 5), *c = any_of(small, 5);
  const char *w = any(8) ? c : any_of(small, 5), *s = any(8) ? b : any_of(small, 5), *digit[3] = {"hi", "mid", "lo"}, *size[3] = {a, b, c};
  snprintf(all, sizeof all, "%s * %s * %s", a, b, c);
  snprintf(shape, sizeof shape, shapes[any(any(2) ? 5 : 10)], any(8) ? all : any_of(small, 5));
  const char *of = any(3) ? "i" : "local_id.x", *below = any(3) ? of : "i"; /* whose digits the lower ones are */
  snprintf(hi, sizeof hi, tops[any(2)], w, s), snprintf(mid, sizeof mid, "%s / %s %% %s", below, w, s), snprintf(lo, sizeof lo, "%s %% %s", of, w);
  unsigned first = any(3), second = (first + 1 + any(2)) % 3, third = any(16) ? 3 - first - second : any(3), dim = any(3);
  const unsigned order[3] = {first, second, third};
  unsigned members = any(3) ? 1 : 1 + any(3);
  for (unsigned k = 0; k < 3; k++)
    snprintf(extent[k], sizeof extent[k], k == dim && members > 1 ? "(%s * %u)" : "%s", any(16) ? size[order[k]] : any_of(small, 5), members);
  bool flat = any(2), shared = any(4) == 0;
  const char *wide = shared ? any_of((const char *const[]){"n", "m", "5"}, 3) : c; /* of the lowest digit, where its values share a loop */
  if (shared) size[2] = wide, digit[2] = "j";
  for (unsigned k = 0; k < 3 && shared; k++)
    if (order[k] == 2) snprintf(extent[k], sizeof extent[k], k == dim && members > 1 ? "(%s * %u)" : "%s", wide, members);
  snprintf(length, sizeof length, flat ? "%s * %s * %s" : "%s, %s, %s", extent[0], extent[1], extent[2]);
  unsigned how = any(4), braces = 1;
  if (how == 0) snprintf(body, sizeof body, "let i = global_id.x if i / (%s * %s) < %s { ", any(8) ? b : any_of(small, 5), any(8) ? c : any_of(small, 5), a);
  else if (how == 1) snprintf(body, sizeof body, "let i = global_id.x if i / %s < %s * %s { ", any(8) ? c : any_of(small, 5), a, any(8) ? b : any_of(small, 5));
  else if (how == 2) snprintf(body, sizeof body, "let i = global_id.x if i < %s { ", any(8) ? all : any_of(small, 5));
  else snprintf(body, sizeof body, "for i in global_id.x .. %s step num_workgroups.x * %s { ", all, any_of((const char *const[]){"4", "4", "T", "2", "1", "8"}, 6));
  size_t begun = strlen(body);
  snprintf(body + begun, sizeof body - begun, "let hi = %s let mid = %s let lo = %s ", hi, mid, lo);
  if (shared) {
    size_t used = strlen(body);
    if (any(4) == 0) snprintf(body + used, sizeof body - used, "if lo < %s { ", any(8) ? wide : any_of(small, 5)), braces++, used = strlen(body);
    snprintf(body + used, sizeof body - used, "for j in lo .. %s step %s { ", any(8) ? wide : any_of(small, 5), any(8) ? c : any_of(small, 5)), braces++;
  }
  for (unsigned k = 0; k < members; k++) {
    char more[3][160];
    unsigned at = any(16) ? k : any(4);
    for (unsigned n = 0; n < 3; n++)
      snprintf(more[n], sizeof more[n], n == dim && at ? "%s + %u * %s" : "%s", digit[order[n]], at, size[order[n]]);
    snprintf(index, sizeof index, flat ? "((%s) * %s + (%s)) * %s + (%s)" : "%s, %.0s%s, %.0s%s", more[0], extent[1], more[1], extent[2], more[2]);
    size_t used = strlen(body);
    snprintf(body + used, sizeof body - used, "atomic_add(y[%s], 1) ", index);
  }
  while (braces--) strcat(body, "}");
  return kernel(&(row){"random", shape, length, body, NO});
}

START_TEST(random_kernels) {
  const char *more = getenv("KG_ROUNDS");
  uint64_t rounds = more ? strtoull(more, NULL, 10) : 4000 / KGT_EACH, yes = 0, digits = 0;
  for (uint64_t seed = 0; seed < rounds; seed++) {
    state = ((uint64_t)_i << 32) + seed * 7919 + 29;
    const char *source = seed % 3 ? random_kernel(_i % 2) : random_digits();
    if (!claimed(source)) continue;
    yes++, digits += seed % 3 == 0;
    for (unsigned trial = 0; trial < 4; trial++) {
      uint32_t n = any(5), m = any(5);
      ck_assert_msg(holds(source, n, m, 1), "n = %u, m = %u: %s", n, m, source);
    }
  }
  ck_assert_uint_gt(yes, rounds / 100); /* not vacuous */
  ck_assert_uint_gt(digits, rounds / 100);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(rows_hold, rows, name), KGT_TEXTS(grids_of_runs, runs),
     KGT_TIMES(random_kernels, 4)};
  return kgt_run("foundation/cover", tests, KGT_COUNT(tests));
}
