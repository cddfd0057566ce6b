/* Distinctness: what belongs to one invocation, and every way in which it only looks so. A wrong yes is the worst answer. */
#include "foundation/analysis/distinct.h"
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO = 0, INTERVAL = KGI_OWN_IN_INTERVAL, WITHIN = INTERVAL | KGI_OWN_IN_WORKGROUP, ACROSS = KGI_OWN_ACROSS, OWN = WITHIN | ACROSS };

/* `y` is the object asked about; the rest of the declarations are the same for all. */
typedef struct row { const char *name, *grid, *length, *body; unsigned own; } row;

#define ROW "let i = global_id.x  if i < n { "

static const row rows[] = {
  {"own element", "grid invocations n", "n", "let i = global_id.x  if i < n { y[i] = y[i] * 2.0 }", OWN},
  {"own element, unguarded", "grid invocations n", "n", "y[global_id.x] = 1.0", OWN},
  {"own element from parts", "grid invocations n", "n", "y[workgroup_id.x * T + local_id.x] = 1.0", OWN},
  {"own element from other parts", "grid invocations n", "n", "y[local_id.x + T * workgroup_id.x + 3] = 1.0", OWN},
  {"wrong parts", "grid invocations n", "n", "y[workgroup_id.x * 32 + local_id.x] = 1.0", WITHIN},
  {"signed index", "grid invocations n", "n", "let i = i32(global_id.x)  if i < i32(n) { y[i - 1] = 1.0 }", OWN},
  {"neighbours", "grid invocations n", "n", "let i = global_id.x  y[i] = y[i + 1]", NO},
  {"one neighbour", "grid invocations n", "n", "let i = global_id.x  y[i + 1] = 1.0", OWN},
  {"halves", "grid invocations n", "n", "y[global_id.x / 2] = 1.0", NO},
  {"masked", "grid invocations n", "n", "y[global_id.x & 7] = 1.0", NO},
  {"remainder", "grid invocations n", "n", "y[global_id.x % n] = 1.0", NO},
  {"remainder of what is below", "grid invocations n", "n", "let i = global_id.x  if i < n { y[i % n] = 1.0 }", OWN},
  {"the next, round the end", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + 1) % n] = 1.0 }", OWN},
  {"the next, round an earlier end", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + 1) % (n - 1)] = 1.0 }", NO},
  {"the next, round another end", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + 1) % m] = 1.0 }", NO},
  {"round the end, the guard on the other side", "grid invocations n", "n", "let i = global_id.x  if i >= n { y[(i + 1) % n] = 1.0 }", NO},
  {"round the end, and the next", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + 1) % n] = y[i] }", NO},
  {"a word below zero is no shift", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i - 1) % n] = 1.0 }", NO},
  {"shifted by as much as may wrap", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + m) % n] = 1.0 }", NO},
  {"by seven, round a power of two", "grid invocations n", "8", "let i = global_id.x  if i < 8 { y[(i + 7) & 7] = 1.0 }", OWN},
  {"shifted by a word that is loaded", "grid invocations n", "n", "let i = global_id.x  if i < n { y[(i + u32(x[i])) % n] = 1.0 }", NO},
  {"everyone", "grid invocations n", "n", "y[0] = 1.0", NO},
  {"a uniform element", "grid invocations n", "n", "y[m] = 1.0", NO},
  {"the workgroup's element", "grid n", "n", "y[workgroup_id.x] = 1.0", ACROSS},
  {"the workgroup's element, one lane", "grid n", "n", "if local_id.x == 0 { y[workgroup_id.x] = 1.0 }", OWN},
  {"the workgroup's element, one lane by index", "grid n", "n", "let first = local_index == 0  if first { y[workgroup_id.x] = 1.0 }", OWN},
  {"the workgroup's element, lanes below one", "grid n", "n", "if local_id.x >= 1 { return } y[workgroup_id.x] = 1.0", OWN},
  {"the workgroup's element, lanes below one, signed", "grid n", "n", "if i32(local_id.x) < 1 { y[workgroup_id.x] = 1.0 }", OWN},
  {"the workgroup's element, numbers below one", "grid n", "n", "if i32(local_id.x) - 1 < 1 { y[workgroup_id.x] = 1.0 }", ACROSS},
  {"the workgroup's element, lanes up to one", "grid n", "n", "if local_id.x <= 1 { y[workgroup_id.x] = 1.0 }", ACROSS},
  {"one lane here, another there", "grid n", "n",
   "if local_id.x == 0 { y[workgroup_id.x] = 1.0 } if local_id.x == 1 { y[workgroup_id.x] = 2.0 }", ACROSS},
  {"one invocation", "grid n", "n", "if global_id.x == 0 { y[0] = 1.0 y[1] = 2.0 }", OWN},
  {"not that invocation", "grid n", "n", "if global_id.x != 0 { y[0] = 1.0 }", NO},
  {"pairs, as long as the buffer", "grid invocations n", "2 * n", "let i = global_id.x  if i < n { y[2 * i] = 1.0  y[2 * i + 1] = 2.0 }", OWN},
  {"pairs, shifted", "grid invocations n", "2 * n", "let i = global_id.x  if i < n { y[i << 1] = 1.0  y[(i << 1) + 2] = 2.0 }", NO},
  {"pairs, overlapping", "grid invocations n", "2 * n", "let i = global_id.x  if i < n { y[i * 2] = 1.0  y[i + 1] = 2.0 }", NO},
  /* With a grid past 2^31 the products wrap, and 2^31 invocations on is the same element. */
  {"pairs that may wrap", "grid invocations n", "m", "let i = global_id.x  if i < n { y[2 * i] = 1.0 }", NO},
  {"odd factors only permute", "grid invocations n", "m", "y[3 * global_id.x + 5] = 1.0", OWN},
  {"a stride that may be zero", "grid invocations n", "n + m", "let i = global_id.x  if i < n { y[i * m] = 1.0 }", NO},
  {"a stride that is zero where there is no element", "grid invocations n", "n * m", "let i = global_id.x  if i < n { y[i * m] = 1.0 }", OWN},
  {"a stride that may be zero beside another", "grid invocations n", "n * m + n", "let i = global_id.x  if i < n { y[i * m] = 1.0 }", NO},
  {"a stride that is not zero", "grid invocations n", "n * m", "let i = global_id.x  if i < n && 0 < m { y[i * m] = 1.0 }", OWN},
  /* Rows of parts of a workgroup. */
  {"a row for each 32 of a workgroup", "workgroup1 grid invocations n * 32", "n, m",
   "let r = workgroup_id.x * 2 + local_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", OWN},
  {"a row for each 32 of a workgroup, one row too few apart", "workgroup1 grid invocations n * 32", "n, m",
   "let r = workgroup_id.x + local_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", WITHIN},
  {"a row for each 32 of a workgroup, columns of 16", "workgroup1 grid invocations n * 32", "n, m",
   "let r = workgroup_id.x * 2 + local_id.x / 32  for c in local_id.x % 32 .. m step 16 { y[r, c] = 1.0 }", ACROSS},
  {"a row for each 32, by the number of the invocation", "workgroup1 grid n", "n, m",
   "let r = global_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", OWN},
  {"a row for each 32, of parts of those", "workgroup1 grid n", "n, 4, 8",
   "let t = local_id.x  y[global_id.x / 32, t / 8 % 4, t & 7] = 1.0", OWN},
  {"a row for each 32, and the half of the workgroup", "workgroup1 grid n", "n, 32, 2",
   "let t = local_id.x  y[global_id.x / 64, t % 32, t / 32] = 1.0", OWN},
  {"a row for each 32, by a part less", "workgroup1 grid n", "n, 4, 8", "let t = local_id.x  y[global_id.x / 32, t / 8 % 4, t & 3] = 1.0", ACROSS},
  /* Which of 32 they are says one digit more than is needed: digits that overlap are not put together. */
  {"a row for each 16, by a digit of 32", "workgroup1 grid n", "n, m",
   "let r = global_id.x / 16  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", ACROSS},
  {"a row for each 64, by a digit of 32", "workgroup1 grid n", "n, m",
   "let r = global_id.x / 64  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", ACROSS},
  {"a row for each 48, by a digit of 48", "workgroup1 grid n", "n, m",
   "let r = global_id.x / 48  for c in local_id.x % 48 .. m step 48 { y[r, c] = 1.0 }", NO},
  {"a row for each 32, of what may be no multiple", "grid n", "n, m",
   "let r = global_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", NO},
  {"a row for each 32, of another axis", "workgroup2 grid n, n", "n, m",
   "let r = global_id.x / 8  for c in local_id.y % 8 .. m step 8 { y[r, c] = 1.0 }", NO},
  /* -7 / 8 is 0, as 1 / 8 is, and the last three bits are the same. */
  {"a row for each 32, by a signed number", "workgroup1 grid n", "n, m",
   "let r = i32(global_id.x) / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", NO},
  {"a workgroup's row by the quotient, and a lane's element", "workgroup1 grid n", "n, 64", "y[global_id.x / 64, local_id.x] = 1.0", OWN},
  {"a workgroup's row by the quotient, and a lane's element by the rest", "workgroup1 grid n", "n, 128",
   "y[workgroup_id.x, global_id.x % 128] = 1.0", OWN},
  {"the rest by less than a workgroup", "workgroup1 grid n", "n, 128", "y[workgroup_id.x, global_id.x % 32] = 1.0", ACROSS},
  {"the quotient by more than a workgroup", "workgroup1 grid n", "n, 64", "y[global_id.x / 128, local_id.x] = 1.0", WITHIN},
  {"a row for each 32 of what may be more than 64", "grid invocations n * 32", "n, m",
   "let r = workgroup_id.x * 2 + local_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", WITHIN},
  {"rows so far apart that they may wrap", "workgroup1 grid n", "n, m",
   "let r = workgroup_id.x * 128 + local_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", WITHIN},
  {"rows far apart in few workgroups", "workgroup1 grid min(n, 1000)", "n, m",
   "let r = workgroup_id.x * 128 + local_id.x / 32  for c in local_id.x % 32 .. m step 32 { y[r, c] = 1.0 }", OWN},
  /* As scans have it in shared memory, with room below each sixteen. */
  {"twice, less a digit", "workgroup1 grid 1", "128", "let t = local_id.x y[2 * t - (t & 15)] = 1.0", OWN},
  {"twice, less a digit of all", "workgroup1 grid 1", "128", "let t = local_id.x y[2 * t - (t & 63) + 3] = 1.0", OWN},
  {"once, less a digit", "workgroup1 grid 1", "128", "let t = local_id.x y[t - (t & 15)] = 1.0", ACROSS},
  {"three times, less two digits", "workgroup1 grid 1", "192", "let t = local_id.x y[3 * t - 2 * (t % 10)] = 1.0", OWN},
  {"three times, less three digits", "workgroup1 grid 1", "192", "let t = local_id.x y[3 * t - 3 * (t % 10)] = 1.0", ACROSS},
  {"twice, and a digit", "workgroup1 grid 1", "192", "let t = local_id.x y[2 * t + (t & 15)] = 1.0", ACROSS},
  {"twice, less a digit of another number", "workgroup1 grid 1", "192", "let t = local_id.x y[2 * t - ((t + 1) & 15) + 15] = 1.0", ACROSS},
  {"twice, less a digit, where it may wrap", "workgroup1 grid invocations n", "n", "let t = global_id.x y[2 * t - (t & 15)] = 1.0", NO},
  /* Rows from one end to the other. Who begins past the end begins there for a row that is shorter than a workgroup alone. */
  {"a row by its ends", "workgroup1 grid n", "n * m", "let b = workgroup_id.x * m  for j in b + local_id.x .. b + m step 64 { y[j] = 1.0 }", OWN},
  {"a row by its ends, and another number of rows", "workgroup1 grid n", "m",
   "let b = workgroup_id.x * m  for j in b + local_id.x .. b + m step 64 { y[j] = 1.0 }", WITHIN},
  {"a row by its ends, on another grid", "workgroup1 grid m", "n * m",
   "let b = workgroup_id.x * m  for j in b + local_id.x .. b + m step 64 { y[j] = 1.0 }", WITHIN},
  {"a row by its ends, by half as many", "workgroup1 grid n", "n * m",
   "let b = workgroup_id.x * m  for j in b + local_id.x .. b + m step 32 { y[j] = 1.0 }", ACROSS},
  {"a row by its ends, and one more", "workgroup1 grid n", "n * m + 1",
   "let b = workgroup_id.x * m  for j in b + local_id.x .. b + m + 1 step 64 { y[j] = 1.0 }", WITHIN},
  {"a row by its ends, of signed numbers", "workgroup1 grid n", "n * m",
   "let b = i32(workgroup_id.x) * i32(m)  for j in b + i32(local_id.x) .. b + i32(m) step 64 { y[j] = 1.0 }", WITHIN},
  {"rows by their ends, of which there may be too many", "workgroup1 grid 8", "n * m",
   "for r in workgroup_id.x .. n step num_workgroups.x { let b = r * m  for j in b + local_id.x .. b + m step 64 { y[j] = 1.0 } }", NO},
  /* Columns of an image, as wide as the grid has invocations or as a guard says. */
  {"columns, of a grid that is rounded down", "workgroup1 grid m / 64", "9 * m", "for r in u32(0) .. 9 { y[r * m + global_id.x] = 1.0 }", OWN},
  {"columns, of fewer lanes than the grid counts by", "workgroup1 grid m / 65", "9 * m", "for r in u32(0) .. 9 { y[r * m + global_id.x] = 1.0 }", OWN},
  {"columns, of more lanes than the grid counts by", "workgroup1 grid m / 63", "9 * m", "for r in u32(0) .. 9 { y[r * m + global_id.x] = 1.0 }", NO},
  {"columns, of a grid that is rounded up", "workgroup1 grid (m + 63) / 64", "9 * m", "for r in u32(0) .. 9 { y[r * m + global_id.x] = 1.0 }", NO},
  {"columns, of another grid", "workgroup1 grid n / 64", "9 * m", "for r in u32(0) .. 9 { y[r * m + global_id.x] = 1.0 }", NO},
  {"columns by signed numbers, three rows further down", "workgroup1 signed grid (m + 63) / 64", "n * m",
   "let c = i32(global_id.x) if c < m { for r in 0 .. n - 3 { y[(r + 3) * m + c] = 1.0 } }", OWN},
  /* The rows below the last are outside, and what wraps there comes to rows that nobody begins at. */
  {"columns by signed numbers, one row too far down", "workgroup1 signed grid (m + 63) / 64", "n * m",
   "let c = i32(global_id.x) if c < m { for r in 0 .. n - 3 { y[(r + 4) * m + c] = 1.0 } }", OWN},
  {"columns by signed numbers, of a length that says nothing of rows", "workgroup1 signed grid (m + 63) / 64", "m",
   "let c = i32(global_id.x) if c < m { for r in 0 .. n - 3 { y[(r + 3) * m + c] = 1.0 } }", NO},
  {"columns by numbers that may wrap, three rows further down", "workgroup1 grid (m + 63) / 64", "n * m",
   "let c = global_id.x if c < m { for r in u32(0) .. n - 3 { y[(r + 3) * m + c] = 1.0 } }", NO},
  {"columns by signed numbers, as many rows further down", "workgroup1 signed grid (m + 63) / 64", "n * m",
   "let c = i32(global_id.x) if c < m { for r in 0 .. n - k { y[(r + k) * m + c] = 1.0 } }", NO},
  {"columns by signed numbers, as many rows further down, of a range", "workgroup1 signed ranged grid (m + 63) / 64", "n * m",
   "let c = i32(global_id.x) if c < m { for r in 0 .. n - k { y[(r + k) * m + c] = 1.0 } }", OWN},
  /* Subgroups. */
  {"a row for each subgroup", "workgroup1 grid n", "n, m",
   "let r = workgroup_id.x * num_subgroups + subgroup_id  for c in subgroup_lane .. m step subgroup_size { y[r, c] = 1.0 }", OWN},
  {"a row for each subgroup, in two dimensions", "workgroup2 grid n", "n, m",
   "let r = workgroup_id.x * num_subgroups + subgroup_id  for c in subgroup_lane .. m step subgroup_size { y[r, c] = 1.0 }", WITHIN},
  {"a row for each subgroup, columns by another number", "workgroup1 grid n", "n, m",
   "let r = workgroup_id.x * num_subgroups + subgroup_id  for c in subgroup_lane .. m step 32 { y[r, c] = 1.0 }", ACROSS},
  {"a row for each subgroup that is another's", "workgroup1 grid n", "n, m",
   "let r = workgroup_id.x + subgroup_id  for c in subgroup_lane .. m step subgroup_size { y[r, c] = 1.0 }", WITHIN},
  {"the subgroup's element", "workgroup1 grid n", "n, 64", "y[workgroup_id.x, subgroup_id] = 1.0", ACROSS},
  {"the subgroup's element, one lane", "workgroup1 grid n", "n, 64", "if subgroup_lane == 0 { y[workgroup_id.x, subgroup_id] = 1.0 }", OWN},
  {"the lane's element", "workgroup1 grid n", "n, 64", "y[workgroup_id.x, subgroup_lane] = 1.0", ACROSS},
  {"the lane's element, one subgroup", "workgroup1 grid n", "n, 64", "if subgroup_id == 0 { y[workgroup_id.x, subgroup_lane] = 1.0 }", OWN},
  {"lanes put together again", "workgroup1 grid n", "n, m",
   "for c in subgroup_id * subgroup_size + subgroup_lane .. m step num_subgroups * subgroup_size { y[workgroup_id.x, c] = 1.0 }", OWN},
  {"lanes put together by another number", "workgroup1 grid n", "n, m",
   "for c in subgroup_id * 32 + subgroup_lane .. m step num_subgroups * 32 { y[workgroup_id.x, c] = 1.0 }", ACROSS},
  {"no subgroup has the lanes of a row for sure", "workgroup1 grid n", "n, m", "y[workgroup_id.x, local_id.x / 32 * 32 + subgroup_lane] = 1.0", ACROSS},
  /* Several elements of an invocation. */
  {"four in a row", "workgroup1 grid invocations (n + 3) / 4", "n",
   "let b = global_id.x * 4  for e in u32(0) .. 4 { if b + e < n { y[b + e] = 1.0 } }", OWN},
  {"four in a row, of five", "workgroup1 grid invocations (n + 3) / 4", "n",
   "let b = global_id.x * 4  for e in u32(0) .. 5 { if b + e < n { y[b + e] = 1.0 } }", NO},
  {"four in a row, where they may wrap", "workgroup1 grid invocations n", "n",
   "let b = global_id.x * 4  for e in u32(0) .. 4 { if b + e < n { y[b + e] = 1.0 } }", NO},
  {"four in a row, of workgroups of who knows how many", "grid invocations (n + 3) / 4", "n",
   "let b = global_id.x * 4  for e in u32(0) .. 4 { if b + e < n { y[b + e] = 1.0 } }", NO},
  {"four in a row, in steps", "workgroup1 grid 1", "n",
   "for b in local_id.x * 4 .. n step 256 { for e in u32(0) .. 4 { if b + e < n { y[b + e] = 1.0 } } }", OWN},
  {"four in a row, in steps that are no multiple", "workgroup1 grid 1", "n",
   "for b in local_id.x * 4 .. n step 254 { for e in u32(0) .. 4 { if b + e < n { y[b + e] = 1.0 } } }", ACROSS},
  {"four that lie apart", "workgroup1 grid (n + 255) / 256", "n",
   "let b = workgroup_id.x * 256 + local_id.x  for e in u32(0) .. 4 { let i = b + e * 64  if i < n { y[i] = 1.0 } }", OWN},
  {"four that lie apart, where they may wrap", "workgroup1 grid (n + 127) / 128", "n",
   "let b = workgroup_id.x * 256 + local_id.x  for e in u32(0) .. 4 { let i = b + e * 64  if i < n { y[i] = 1.0 } }", WITHIN},
  {"two halves of a tile", "workgroup1 grid (n + 127) / 128", "n",
   "let i = workgroup_id.x * 128 + local_id.x  if i < n { y[i] = 1.0 } if i + 64 < n { y[i + 64] = 1.0 }", OWN},
  {"two halves that overlap", "workgroup1 grid (n + 127) / 128", "n",
   "let i = workgroup_id.x * 128 + local_id.x  if i < n { y[i] = 1.0 } if i + 63 < n { y[i + 63] = 1.0 }", ACROSS},
  /* Tiles of rows, of which the last is guarded by a sum. */
  {"tiles of a row", "workgroup1 grid n", "n, m",
   "for b in u32(0) .. m step 64 { let c = b + local_id.x  if c < m { y[workgroup_id.x, c] = 1.0 } }", OWN},
  {"tiles of a flat row", "workgroup1 grid n", "n * m",
   "for b in u32(0) .. m step 64 { let c = b + local_id.x  if c < m { y[workgroup_id.x * m + c] = 1.0 } }", OWN},
  {"tiles of a flat row, unguarded", "workgroup1 grid n", "n * m",
   "for b in u32(0) .. m step 64 { let c = b + local_id.x  y[workgroup_id.x * m + c] = 1.0 }", WITHIN},
  {"tiles of a flat row, guarded by another number", "workgroup1 grid n", "n * m",
   "for b in u32(0) .. m step 64 { let c = b + local_id.x  if c < n { y[workgroup_id.x * m + c] = 1.0 } }", WITHIN},
  {"tiles of a flat row, guarded too late", "workgroup1 grid n", "n * m",
   "for b in u32(0) .. m step 64 { let c = b + local_id.x  if c < m { } y[workgroup_id.x * m + c] = 1.0 }", WITHIN},
  {"tiles of a flat row that overlap", "workgroup1 grid n", "n * m",
   "for b in u32(0) .. m step 32 { let c = b + local_id.x  if c < m { y[workgroup_id.x * m + c] = 1.0 } }", NO},
  {"lanes of a flat row whose sum may wrap", "workgroup1 grid n", "n * m",
   "let c = local_id.x * 0x10000000  if c + m < m { y[workgroup_id.x * m + c] = 1.0 }", NO},
  /* Multiples. */
  {"from every eighth on", "workgroup1 grid 1", "n", "if local_id.x % 8 == 0 { for e in u32(0) .. 8 { y[local_id.x + e] = 1.0 } }", OWN},
  {"from every eighth on, too far", "workgroup1 grid 1", "n", "if local_id.x % 8 == 0 { for e in u32(0) .. 9 { y[local_id.x + e] = 1.0 } }", ACROSS},
  {"from every eighth on, by a mask", "workgroup1 grid 1", "n", "if local_id.x & 7 != 0 { return } for e in u32(0) .. 8 { y[local_id.x + e] = 1.0 }", OWN},
  {"from all but every eighth", "workgroup1 grid 1", "n", "if local_id.x % 8 != 0 { for e in u32(0) .. 8 { y[local_id.x + e] = 1.0 } }", ACROSS},
  {"from every eighth and the one behind", "workgroup1 grid 1", "n",
   "if local_id.x % 8 == 0 { for e in u32(0) .. 8 { y[local_id.x + e] = 1.0 } } if local_id.x % 8 == 1 { y[local_id.x] = 1.0 }", ACROSS},
  {"from every sixth on, by eight", "workgroup1 grid 1", "n", "if local_id.x % 6 == 0 { for e in u32(0) .. 6 { y[local_id.x + e] = 1.0 } }", ACROSS},
  {"rows and columns", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[r * m + c] = 1.0 }", OWN},
  {"rows and columns, guards nested", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n { let fine = c < m  if fine { y[r * m + c] = 1.0 } }", OWN},
  {"rows and columns, guards by return", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r >= n || c >= m { return } y[r * m + c] = 1.0", OWN},
  {"a grid in a line, literal", "workgroup2 grid 3, 2", "n",
   "let i = global_id.y * (num_workgroups.x * workgroup_size.x) + global_id.x if i < n { y[i] = 1.0 }", OWN},
  {"a grid in a line, that may wrap", "workgroup2 grid n, m", "n",
   "let i = global_id.y * (num_workgroups.x * workgroup_size.x) + global_id.x if i < n { y[i] = 1.0 }", NO},
  {"a grid in a line, by the other axis", "workgroup2 grid 3, 2", "n",
   "let i = global_id.y * (num_workgroups.y * workgroup_size.x) + global_id.x if i < n { y[i] = 1.0 }", NO},
  {"a grid in a line, by workgroups of another size", "workgroup2 grid 3, 2", "n",
   "let i = global_id.y * num_workgroups.x + global_id.x if i < n { y[i] = 1.0 }", NO},
  {"rows and columns, unguarded", "workgroup2 grid invocations m, n", "n * m", "y[global_id.y * m + global_id.x] = 1.0", NO},
  {"rows and columns, guard too wide", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c <= m { y[r * m + c] = 1.0 }", NO},
  {"rows and columns, either guard", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n || c < m { y[r * m + c] = 1.0 }", NO},
  {"rows and columns, guard on the other side", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n { if c < m { } else { y[r * m + c] = 1.0 } }", NO},
  {"rows and columns, a length that is not theirs", "workgroup2 grid invocations m, n", "k",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[r * m + c] = 1.0 }", NO},
  {"rows and columns, guarded by a difference", "workgroup2 grid invocations k, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m - 1 { y[r * m + c] = 1.0 }", NO},
  {"rows and columns, guarded by a difference of what the grid is made of", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m - 1 { y[r * m + c] = 1.0 }", OWN},
  {"rows and columns, guarded by a difference that may be below 0", "workgroup2 grid invocations m, n", "n * m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m - 2 { y[r * m + c] = 1.0 }", NO},
  /* What is asserted holds behind, or the run has failed. */
  {"a stride that is asserted", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert m <= k \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", OWN},
  {"a stride that is asserted the other way round", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert k >= m \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", OWN},
  {"a stride that nobody asserts", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"a stride that may be one too small", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert m <= k + 1 \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"a stride that is too small", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert k <= m \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"a stride that is asserted or something else", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert m <= k || n < 4 \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"a stride that is asserted too late", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[r * k + c] = 1.0 } assert m <= k \"said\"  ", NO},
  {"a stride that some assert", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  if n > 3 { assert m <= k \"said\"  } if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"a stride of another number", "workgroup2 grid invocations m, n", "n * k",
   "let c = global_id.x  let r = global_id.y  assert n <= k \"said\"  if r < n && c < m { y[r * k + c] = 1.0 }", NO},
  {"numbers that keep it in a word", "workgroup2 grid invocations m, n", "k",
   "let c = global_id.x  let r = global_id.y  assert n <= 4096 && m <= 4096 \"said\"  if r < n && c < m { y[r * m + c] = 1.0 }", OWN},
  {"numbers that just keep it in a word", "workgroup2 grid invocations m, n", "k",
   "let c = global_id.x  let r = global_id.y  assert n <= 65536 && m <= 65536 \"said\"  if r < n && c < m { y[r * m + c] = 1.0 }", OWN},
  {"numbers that just do not", "workgroup2 grid invocations m, n", "k",
   "let c = global_id.x  let r = global_id.y  assert n <= 65537 && m <= 65536 \"said\"  if r < n && c < m { y[r * m + c] = 1.0 }", NO},
  {"one number alone", "workgroup2 grid invocations m, n", "k",
   "let c = global_id.x  let r = global_id.y  assert n <= 4096 \"said\"  if r < n && c < m { y[r * m + c] = 1.0 }", NO},
  {"rows with a border", "workgroup2 grid invocations m, n", "(n + 2) * (m + 2)",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[(r + 1) * (m + 2) + c + 1] = 1.0 }", OWN},
  {"boxes with a border", "workgroup3 grid invocations n, m, k", "(n + 2) * (m + 2) * (k + 2)",
   "let a = global_id.x  let b = global_id.y  let c = global_id.z"
   "  if a < n && b < m && c < k { y[((c + 1) * (m + 2) + b + 1) * (n + 2) + a + 1] = 1.0 }", OWN},
  {"rows with a border that is too narrow", "workgroup2 grid invocations m, n", "(n + 2) * (m + 2)",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m + 3 { y[(r + 1) * (m + 2) + c] = 1.0 }", NO},
  {"rows, x alone", "workgroup2 grid invocations m, n", "m", "let c = global_id.x  if c < m { y[c] = 1.0 }", NO},
  {"x and y added", "workgroup2 grid invocations m, n", "n + m", "y[global_id.x + global_id.y] = 1.0", NO},
  {"three axes", "workgroup3 grid invocations n, m, k", "n * m * k",
   "let a = global_id.x  let b = global_id.y  let c = global_id.z  if a < n && b < m && c < k { y[(c * m + b) * n + a] = 1.0 }", OWN},
  {"three axes, the wrong stride", "workgroup3 grid invocations n, m, k", "n * m * k",
   "let a = global_id.x  let b = global_id.y  let c = global_id.z  if a < n && b < m && c < k { y[(c * n + b) * n + a] = 1.0 }", NO},
  {"a row a workgroup", "grid n", "n * m", "let base = workgroup_id.x * m  for j in local_id.x .. m step T { y[base + j] = 1.0 }", OWN},
  {"a row a workgroup, three times", "grid n", "n * m",
   "let base = workgroup_id.x * m  for j in local_id.x .. m step T { y[base + j] = 1.0 }"
   "  barrier  for j in local_id.x .. m step T { y[base + j] += 1.0 } for j in local_id.x .. m step T { y[base + j] += 1.0 }", OWN},
  {"a row a workgroup, every lane all of it", "grid n", "n * m",
   "let base = workgroup_id.x * m  for j in 0 .. m { y[base + j] = 1.0 }", ACROSS},
  {"a row a workgroup, short steps", "grid n", "n * m",
   "let base = workgroup_id.x * m  for j in local_id.x .. m step 32 { y[base + j] = 1.0 }", ACROSS},
  {"a row a workgroup, past its end", "grid n", "n * m",
   "let base = workgroup_id.x * m  for j in local_id.x .. m + T step T { y[base + j] = 1.0 }", WITHIN},
  {"a row a workgroup, on another grid", "grid invocations n", "n * m",
   "let base = workgroup_id.x * m  for j in local_id.x .. m step T { y[base + j] = 1.0 }", WITHIN},
  {"a row an invocation", "grid invocations n", "n * m",
   "let r = global_id.x  if r < n { for j in 0 .. m { y[r * m + j] = 1.0 } }", OWN},
  {"a row an invocation, reversed", "grid invocations n", "n * m",
   "let r = global_id.x  if r < n { for j in 0 .. m reversed { y[r * m + j] = 1.0 } }", OWN},
  {"a row an invocation, shifted", "grid invocations n", "n * m",
   "let r = global_id.x  if r < n { for j in 0 .. m { y[r * m + j + 1] = 1.0 } }", OWN},
  {"a row an invocation, and the next", "grid invocations n", "n * m",
   "let r = global_id.x  if r < n { for j in 0 .. m { y[r * m + j + 1] = y[r * m + j] } }", NO},
  {"a column an invocation", "grid invocations m", "n * m",
   "let c = global_id.x  if c < m { for j in 0 .. n { y[j * m + c] = 1.0 } }", OWN},
  {"a column an invocation, unguarded", "grid invocations m", "n * m",
   "let c = global_id.x  for j in 0 .. n { y[j * m + c] = 1.0 }", NO},
  {"grid stride", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * T { y[j] = 1.0 }", OWN},
  {"grid stride by parts", "grid k", "n", "for j in workgroup_id.x * T + local_id.x .. n step T * num_workgroups.x { y[j] = 1.0 }", OWN},
  {"grid stride by the stated grid", "grid k", "n", "for j in global_id.x .. n step k * T { y[j] = 1.0 }", OWN},
  {"grid stride by another number", "grid k", "n", "for j in global_id.x .. n step m * T { y[j] = 1.0 }", NO},
  {"grid stride of half the invocations", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * (T / 2) { y[j] = 1.0 }", NO},
  {"grid stride of twice the invocations", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * T * 2 { y[j] = 1.0 }", NO},
  {"grid stride of the other axis", "grid k, k", "n", "for j in global_id.x .. n step num_workgroups.y { y[j] = 1.0 }", NO},
  {"grid stride and a neighbour", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * T { y[j] = 1.0 y[j + 1] = 1.0 }", NO},
  {"grid stride along one of two axes", "grid k, k", "n", "for j in global_id.x .. n step num_workgroups.x * T { y[j] = 1.0 }",
   KGI_OWN_IN_INTERVAL | KGI_OWN_IN_WORKGROUP},
  {"workgroup stride", "grid k", "n", "for j in workgroup_id.x .. n step num_workgroups.x { if local_id.x == 0 { y[j] = 1.0 } }", OWN},
  {"workgroup stride by all lanes", "grid k", "n", "for j in workgroup_id.x .. n step num_workgroups.x { y[j] = 1.0 }", KGI_OWN_ACROSS},
  /* By a step past 2^31, which as a signed number is below 0, no loop makes a trip. */
  {"signed grid stride", "grid k", "n", "for j in i32(global_id.x) .. i32(n) step i32(num_workgroups.x * T) { y[j] = 1.0 }", OWN},
  {"signed grid stride by parts", "grid k", "n",
   "for j in i32(workgroup_id.x) * i32(T) + i32(local_id.x) .. i32(n) step i32(T) * i32(num_workgroups.x) { y[j] = 1.0 }", OWN},
  {"signed workgroup stride", "grid k", "n",
   "for j in i32(workgroup_id.x) .. i32(n) step i32(num_workgroups.x) { if local_id.x == 0 { y[j] = 1.0 } }", OWN},
  {"signed grid stride of the other axis", "grid k, k", "n",
   "for j in i32(global_id.x) .. i32(n) step i32(num_workgroups.y) { y[j] = 1.0 }", NO},
  {"signed grid stride of half the invocations", "grid k", "n",
   "for j in i32(global_id.x) .. i32(n) step i32(num_workgroups.x * (T / 2)) { y[j] = 1.0 }", NO},
  {"signed grid stride and a neighbour", "grid k", "n",
   "for j in i32(global_id.x) .. i32(n) step i32(num_workgroups.x * T) { y[j] = 1.0 y[j + 1] = 1.0 }", NO},
  /* The begin of invocation 2^31 is -2^31, from where steps of 64 come by the elements of all others. */
  {"signed stride of a workgroup on any grid", "grid k", "n", "for j in i32(global_id.x) .. i32(n) step i32(T) { y[j] = 1.0 }", NO},
  {"signed stride by what may be negative", "grid k", "n",
   "for j in i32(global_id.x) .. i32(n) step i32(m) * i32(T) { y[j] = 1.0 }", NO},
  {"a signed row a workgroup", "grid n", "n * m",
   "let base = i32(workgroup_id.x) * i32(m)  for j in i32(local_id.x) .. i32(m) step i32(T) { y[base + j] = 1.0 }", OWN},
  {"a signed row a workgroup, past its end", "grid n", "n * m",
   "let base = i32(workgroup_id.x) * i32(m)  for j in i32(local_id.x) .. i32(m) + 64 step i32(T) { y[base + j] = 1.0 }", WITHIN},
  {"a signed row a workgroup, from before it", "grid n", "n * m",
   "let base = i32(workgroup_id.x) * i32(m)  for j in i32(local_id.x) - 64 .. i32(m) step i32(T) { y[base + j] = 1.0 }", NO},
  {"a signed row a workgroup, from what may be negative", "grid n", "n * m",
   "let base = i32(workgroup_id.x) * i32(m)  for j in i32(local_id.x) + i32(k) .. i32(m) step i32(T) { y[base + j] = 1.0 }", NO},
  {"signed digits by a literal", "grid invocations n", "4, n", "let i = i32(global_id.x)  y[i % 4, i / 4] = 1.0", OWN},
  {"signed digits by an extent", "grid invocations n", "n, m", "let i = i32(global_id.x)  y[i / i32(m), i % i32(m)] = 1.0", OWN},
  {"signed digits by what is no extent", "grid invocations n", "n, m", "let i = i32(global_id.x)  y[i / i32(k), i % i32(k)] = 1.0", NO},
  {"signed digits, the quotient alone", "grid invocations n", "n, m", "let i = i32(global_id.x)  y[i / i32(m), 0] = 1.0", NO},
  {"signed digits of floors", "grid invocations n", "n, m", "let i = i32(global_id.x)  y[i / i32(m), mod(i, i32(m))] = 1.0", NO},
  {"signed digits of a mask", "grid invocations n", "n, 8", "let i = i32(global_id.x)  y[i / 8, i & 7] = 1.0", NO},
  {"signed digits of several divisors", "grid invocations n", "n, m", "let i = i32(global_id.x)  y[i / i32(m), i % i32(n)] = 1.0", NO},
  {"signed digits round the end", "grid invocations n", "n, m", "let i = i32(global_id.x)  if i < i32(m) { y[0, (i + 1) % i32(m)] = 1.0 }", NO},
  {"signed guards, rows of a workgroup", "grid n", "n * m",
   "let c = i32(local_id.x)  if c < i32(m) { y[i32(workgroup_id.x) * i32(m) + c] = 1.0 }", OWN},
  {"signed guards, rows of too few", "grid n", "n * m",
   "let c = i32(local_id.x)  if c <= i32(m) { y[i32(workgroup_id.x) * i32(m) + c] = 1.0 }", WITHIN},
  {"signed guards, rows on a known grid", "workgroup2 grid 4, 4", "n * m",
   "let c = i32(global_id.x)  let r = i32(global_id.y)  if r < i32(n) && c < i32(m) { y[r * i32(m) + c] = 1.0 }", OWN},
  {"signed guards, rows on a grid by words", "workgroup2 grid (m + 7) / 8, (n + 7) / 8", "n * m",
   "let c = i32(global_id.x)  let r = i32(global_id.y)  if r < i32(n) && c < i32(m) { y[r * i32(m) + c] = 1.0 }", NO},
  {"signed guards, another number", "workgroup2 grid 4, 4", "n * m",
   "let c = i32(global_id.x)  let r = i32(global_id.y)  if r < i32(n) && c < i32(k) { y[r * i32(m) + c] = 1.0 }", NO},
  {"signed loop", "grid invocations n", "n * 8",
   "let r = global_id.x  if r < n { for j in i32(0) .. i32(8) { y[r * 8 + u32(j)] = 1.0 } }", OWN},
  {"signed loop from below", "grid invocations n", "n * 8",
   "let r = global_id.x  if r < n { for j in i32(-1) .. i32(7) { y[r * 8 + u32(j)] = 1.0 } }", OWN},
  {"a gathered index", "grid invocations n", "n", "y[u32(x[global_id.x])] = 1.0", NO},
  {"a clamped index", "grid invocations n", "n", "y[min(global_id.x, n - 1)] = 1.0", NO},
  {"signed guard on an id", "workgroup2 grid invocations m, n", "n * m",
   "let c = i32(global_id.x)  let r = i32(global_id.y)  if r < i32(n) && c < i32(m) { y[r * i32(m) + c] = 1.0 }", NO},
  {"signed guards on both sides", "workgroup2 grid invocations m, n", "n * m",
   "let c = i32(global_id.x)  let r = i32(global_id.y)  if r < i32(n) && c < i32(m) && c >= 0 && r >= 0 { y[r * i32(m) + c] = 1.0 }", OWN},
  {"constant rows", "grid n", "n * 64", "y[workgroup_id.x * 64 + local_id.x] = 1.0", WITHIN},
  {"one workgroup", "grid 1", "n", "y[local_id.x] = 1.0", OWN},
  {"several workgroups", "grid 2", "n", "y[local_id.x] = 1.0", WITHIN},
  {"a lone invocation", "lone grid 1", "n", "y[0] = 1.0  y[1] = y[0]", OWN},
  {"lone lanes", "lone grid n", "n", "y[0] = 1.0", WITHIN},
  {"lane index in two axes", "workgroup2 grid n", "64", "y[local_index] = 1.0", WITHIN},
  {"lane index by hand", "workgroup2 grid n", "64", "y[local_id.y * 8 + local_id.x] = 1.0", WITHIN},
  {"lane index by the wrong hand", "workgroup2 grid n", "64", "y[local_id.y * 7 + local_id.x] = 1.0", NO},
  {"subtraction", "grid invocations n", "n", "y[n - 1 - global_id.x] = 1.0", OWN},
  /* Several dimensions: an index past its extent reaches nothing, so that no guard is needed. */
  {"places", "workgroup2 grid invocations m, n", "n, m", "y[global_id.y, global_id.x] = 1.0", OWN},
  {"places, guarded", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[r, c] += 1.0 }", OWN},
  {"places, of extents that are not the grid's", "workgroup2 grid invocations m, n", "k, k - 1", "y[global_id.x, global_id.y] = 1.0", OWN},
  {"places, three axes", "workgroup3 grid invocations n, m, k", "k, m, n", "y[global_id.z, global_id.y, global_id.x] = 1.0", OWN},
  {"places, one axis left out", "workgroup2 grid invocations m, n", "n, m", "y[global_id.y, 0] = 1.0", NO},
  {"places, and transposed", "workgroup2 grid invocations m, n", "n, m", "let c = global_id.x  let r = global_id.y  y[r, c] = 1.0  y[c, r] = 2.0", NO},
  {"places, and the next row's", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  y[r, c] = y[r + 1, c]", NO},
  {"places, moved", "workgroup2 grid invocations m, n", "n, m", "y[global_id.y + 1, global_id.x - 1] = 1.0", OWN},
  {"places, turned round", "workgroup2 grid invocations m, n", "n, m", "y[n - 1 - global_id.y, global_id.x] = 1.0", OWN},
  {"places, odd rows only permute", "workgroup2 grid invocations m, n", "n, m", "y[3 * global_id.y, global_id.x] = 1.0", OWN},
  {"places, even rows may wrap", "workgroup2 grid invocations m, n", "n, m", "y[2 * global_id.y, global_id.x] = 1.0", NO},
  {"places, even rows that do not", "workgroup2 grid invocations m, n", "2 * n, m",
   "let r = global_id.y  if r < n { y[2 * r, global_id.x] = 1.0 }", OWN},
  {"places, round the ends", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[(r + n - 1) % n, (c + 1) % m] = 1.0 }", OWN},
  {"places, round the ends by what may be below zero", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[(r + n - 2) % n, c] = 1.0 }", NO},
  {"places, round the ends, unguarded", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if c < m { y[(r + n - 1) % n, (c + 1) % m] = 1.0 }", NO},
  {"places, round the ends twice", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { y[(r + 2 * n) % n, c] = 1.0 }", NO},
  {"places, round the ends by the plane", "workgroup2 grid invocations m, n", "9, n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { for j in u32(0) .. 9 {"
   " y[j, (r + n + 1 - j / 3) % n, (c + m + 1 - j % 3) % m] = 1.0 } }", OWN},
  {"places, round the ends by too much of the plane", "workgroup2 grid invocations m, n", "9, n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { for j in u32(0) .. 9 {"
   " y[j, (r + n + 1 - j / 2) % n, (c + m + 1 - j % 3) % m] = 1.0 } }", NO},
  {"places, round the ends by another plane", "workgroup2 grid invocations m, n", "9, n, m",
   "let c = global_id.x  let r = global_id.y  if r < n && c < m { for j in u32(0) .. 9 {"
   " y[j / 2, (r + n + 1 - j / 3) % n, (c + m + 1 - j % 3) % m] = 1.0 } }", NO},
  {"places, a row an invocation", "grid invocations n", "n, m", "for j in 0 .. k { y[global_id.x, j] = 1.0 }", OWN},
  {"places, a row an invocation, and the next", "grid invocations n", "n, m",
   "for j in 0 .. k { y[global_id.x, j] = y[global_id.x + 1, j] }", NO},
  {"places, a column an invocation", "grid invocations m", "n, m", "for j in 0 .. k { y[j, global_id.x] = 1.0 }", OWN},
  {"places, a gathered column of the own row", "grid invocations n", "n, m", "y[global_id.x, u32(x[global_id.x])] = 1.0", OWN},
  {"places, a gathered row", "grid invocations n", "n, m", "y[u32(x[global_id.x]), global_id.x % 2] = 1.0", NO},
  {"places, the own element in one column or another", "grid invocations n", "n, 4",
   "let i = global_id.x  y[i, 0] = 1.0  y[i, 3] = y[i, 2]", OWN},
  {"places, lanes are columns", "grid n", "n, 32", "y[workgroup_id.x, local_id.x] = 1.0", OWN},
  {"places, lanes are all columns", "grid n", "n, m", "y[workgroup_id.x, m - 1] = 1.0", ACROSS},
  {"places, and a flat index", "workgroup2 grid invocations m, n", "n, m",
   "let c = global_id.x  let r = global_id.y  y[r, c] = 1.0  y[r * m + c] = 2.0", NO},
  {"digits", "grid invocations n * 8", "n * 8", "let i = global_id.x  y[i / 8 * 8 + i % 8] = 1.0", OWN},
  {"digits, of blocks with a head", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[i / 8 * 10 + 2 + i % 8] = 1.0 }", OWN},
  {"digits, by shift and mask", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[(i >> 3) * 10 + 2 + (i & 7)] = 1.0 }", OWN},
  {"digits, and the head as well", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[i / 8 * 10 + 2 + i % 8] = 1.0  y[i / 8 * 10] = 2.0 }", NO},
  {"digits, of blocks that overlap", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[i / 8 * 7 + i % 8] = 1.0 }", NO},
  {"digits, by a mask with a hole", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[(i >> 3) * 10 + (i & 5)] = 1.0 }", NO},
  {"digits, of two numbers", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[i / 8 * 10 + (i + 1) % 8] = 1.0 }", NO},
  {"digits, one too few", "grid invocations n * 8", "n * 10",
   "let i = global_id.x  if i < n * 8 { y[i / 16 * 10 + i % 8] = 1.0 }", NO},
  {"digits, transposed", "grid invocations n * m", "n * m",
   "let i = global_id.x  if i < n * m { y[i % m * n + i / m] = 1.0 }", OWN},
  {"digits, transposed, unguarded", "grid invocations n * m", "n * m", "let i = global_id.x  y[i % m * n + i / m] = 1.0", NO},
  {"digits, transposed, of a size that may be 0", "grid invocations n * m", "k",
   "let i = global_id.x  if i < k { y[i % m * n + i / m] = 1.0 }", NO},
  {"digits, three", "grid invocations n * m * k", "n * m * k",
   "let i = global_id.x  if i < n * m * k { y[((i % k) * m + i / k % m) * n + i / (m * k)] = 1.0 }", OWN},
  {"digits, three, one of them twice", "grid invocations n * m * k", "n * m * k",
   "let i = global_id.x  if i < n * m * k { y[((i / k % m) * m + i / k % m) * n + i / (m * k)] = 1.0 }", NO},
  {"digits, step by step", "grid invocations n * m * k", "n * m * k",
   "let i = global_id.x  let r = i / k  if i < n * m * k { y[((i % k) * m + r % m) * n + r / m] = 1.0 }", OWN},
  {"digits as places", "grid invocations n * m", "m, n", "let i = global_id.x  y[i % m, i / m] = 1.0", OWN},
  {"digits as places, of eight", "grid invocations n * 8", "8, n", "let i = global_id.x  y[i % 8, i / 8] = 1.0", OWN},
  {"digits of a loop's index", "grid k", "n * 10",
   "for i in global_id.x .. n * 8 step num_workgroups.x * T { y[i / 8 * 10 + i % 8] = 1.0 }", OWN},
  {"a row but for its last", "grid invocations n", "n * m", ROW "if m > 0 { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", OWN},
  {"a row but for its last, of 1 at least", "grid invocations n", "n * m", ROW "if m >= 1 { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", OWN},
  {"a row but for its last, not of 0", "grid invocations n", "n * m", ROW "if m != 0 { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", OWN},
  {"a row but for its last, past what is 0", "grid invocations n", "n * m",
   ROW "if m == 0 { return } for j in 0 .. m - 1 { y[i * m + j + 1] = 1.0 } }", OWN},
  {"a row but for its last, guarded by a difference", "grid invocations n", "n * m",
   ROW "for j in 0 .. m { if m > 0 && j < m - 1 { y[i * m + j + 1] = 1.0 } } }", OWN},
  {"a row but for its last, signed", "grid invocations n", "n * m",
   ROW "if i32(m) > 0 { for j in i32(0) .. i32(m) - 1 { y[i * m + u32(j)] = 1.0 } } }", OWN},
  {"a row but for its last, asserted", "grid invocations n", "n * m",
   ROW "assert m > 0 \"said\" for j in 0 .. m - 1 { y[i * m + j] = 1.0 } }", OWN},
  {"a row but for its last, unguarded: the bound wraps", "grid invocations n", "n * m + n", ROW "for j in 0 .. m - 1 { y[i * m + j] = 1.0 } }", NO},
  {"a row but for its last, of 0", "grid invocations n", "n * m + n", ROW "if m > 0 { } else { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", NO},
  {"a row but for its last, either guard", "grid invocations n", "n * m + n",
   ROW "if m > 0 || k > 0 { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", NO},
  {"a row but for its last, another's guard", "grid invocations n", "n * m + n", ROW "if k > 0 { for j in 0 .. m - 1 { y[i * m + j] = 1.0 } } }", NO},
  {"a row but for its last, where there is an element", "grid invocations n", "n * m", ROW "for j in 0 .. m - 1 { y[i * m + j] = 1.0 } }", OWN},
  {"a row but for its last two, where there is an element", "grid invocations n", "n * m", ROW "for j in 0 .. m - 2 { y[i * m + j] = 1.0 } }", NO},
  {"a row but for its last, of another length", "grid invocations n", "n * k", ROW "for j in 0 .. m - 1 { y[i * m + j] = 1.0 } }", NO},
  {"a row but for its last two", "grid invocations n", "n * m", ROW "if m > 0 { for j in 0 .. m - 2 { y[i * m + j] = 1.0 } } }", NO},
  {"a row but for its last, all moved by two", "grid invocations n", "n * m",
   ROW "if m > 0 { for j in 0 .. m - 1 { y[i * m + j + 2] = 1.0 } } }", OWN},
  {"a row but for its last, and two further", "grid invocations n", "n * m",
   ROW "if m > 0 { for j in 0 .. m - 1 { y[i * m + j] = y[i * m + j + 2] } } }", NO},
  {"four rows but for three", "grid invocations n", "n * m * 4", ROW "if m > 0 { for j in 0 .. 4 * m - 3 { y[i * m * 4 + j] = 1.0 } } }", OWN},
  {"four rows but for five", "grid invocations n", "n * m * 4", ROW "if m > 0 { for j in 0 .. 4 * m - 5 { y[i * m * 4 + j] = 1.0 } } }", NO},
  {"a difference of what is not 0", "grid invocations n", "n * m",
   ROW "if m > 0 && k > 0 { for j in 0 .. m - k { y[i * m + j] = 1.0 } } }", NO},
  {"a signed chunk", "grid invocations n", "8 * n", ROW "let b = i32(i) * 8 for j in b .. b + 8 { y[j] = 1.0 } }", OWN},
  {"a signed chunk, by its word", "grid invocations n", "8 * n", ROW "let b = i32(i * 8) for j in b .. b + 8 { y[u32(j)] = 1.0 } }", OWN},
  {"a signed chunk by twos", "grid invocations n", "8 * n",
   ROW "let b = i32(i) * 8 for j in b .. b + 8 step 2 { y[j] = 1.0 y[j + 1] = 2.0 } }", OWN},
  {"a signed chunk, one too long", "grid invocations n", "8 * n", ROW "let b = i32(i) * 8 for j in b .. b + 9 { y[j] = 1.0 } }", NO},
  {"signed chunks too close", "grid invocations n", "8 * n", ROW "let b = i32(i) * 7 for j in b .. b + 8 { y[j] = 1.0 } }", NO},
  {"a signed chunk, unguarded", "grid invocations n", "8 * n", "let b = i32(global_id.x) * 8 for j in b .. b + 8 { y[j] = 1.0 }", NO},
  {"a signed chunk of another buffer", "grid invocations n", "m", ROW "let b = i32(i) * 8 for j in b .. b + 8 { y[j] = 1.0 } }", NO},
  {"a signed chunk of unknown length", "grid invocations n", "n * m",
   ROW "let b = i32(i * m) for j in b .. b + i32(m) { y[j] = 1.0 } }", OWN},
  {"a chunk that is cut off", "grid invocations n", "8 * n", ROW "for j in i * 8 .. min(i * 8 + 8, m) { y[j] = 1.0 } }", OWN},
  {"a chunk that is cut off, the other way round", "grid invocations n", "8 * n", ROW "for j in i * 8 .. min(m, i * 8 + 8) { y[j] = 1.0 } }", OWN},
  {"a chunk that is cut off twice", "grid invocations n", "8 * n", ROW "for j in i * 8 .. min(m, min(k, i * 8 + 8)) { y[j] = 1.0 } }", OWN},
  {"a signed chunk that is cut off", "grid invocations n", "8 * n",
   ROW "let b = i32(i) * 8 for j in b .. min(b + 8, i32(m)) { y[j] = 1.0 } }", OWN},
  {"a chunk that is cut off, from the last", "grid invocations n", "8 * n",
   ROW "for j in i * 8 .. min(i * 8 + 8, m) { y[8 * n - 1 - j] = 1.0 } }", OWN},
  {"a chunk that is cut off, one too long", "grid invocations n", "8 * n", ROW "for j in i * 8 .. min(i * 8 + 9, m) { y[j] = 1.0 } }", NO},
  {"a chunk that is not cut off", "grid invocations n", "8 * n", ROW "for j in i * 8 .. max(i * 8 + 8, m) { y[j] = 1.0 } }", NO},
  {"a chunk that is cut off where the buffer ends, and may wrap", "grid invocations n", "m",
   ROW "for j in i * 8 .. min(i * 8 + 8, m) { y[j] = 1.0 } }", NO},
  {"a chunk that is cut off where the buffer ends", "grid invocations n", "m",
   "let i = global_id.x if i < (m + 7) / 8 { for j in i * 8 .. min(i * 8 + 8, m) { y[j] = 1.0 } }", OWN},
  {"a chunk that is cut off where the buffer ends, of too many", "grid invocations n", "m",
   "let i = global_id.x if i < (m + 7) / 4 { for j in i * 8 .. min(i * 8 + 8, m) { y[j] = 1.0 } }", NO},
  {"a row by fours", "grid invocations n", "n * m", ROW "for j in 0 .. m / 4 * 4 { y[i * m + j] = 1.0 } }", OWN},
  {"a row by fours, of shifts", "grid invocations n", "n * m", ROW "for j in 0 .. m >> 2 << 2 { y[i * m + j] = 1.0 } }", OWN},
  {"a row by fours, in steps", "grid invocations n", "n * m",
   ROW "for j in 0 .. m / 4 * 4 step 4 { let a = i * m + j y[a] = 1.0 y[a + 1] = 1.0 y[a + 2] = 1.0 y[a + 3] = 1.0 } }", OWN},
  {"a row by fours, and the rest", "grid invocations n", "n * m",
   ROW "for j in 0 .. m / 4 * 4 { y[i * m + j] = 1.0 } for j in m / 4 * 4 .. m { y[i * m + j] = 1.0 } }", OWN},
  {"a row by fours, in steps, and a fifth", "grid invocations n", "n * m",
   ROW "for j in 0 .. m / 4 * 4 step 4 { y[i * m + j] = 1.0 y[i * m + j + 4] = 1.0 } }", NO},
  {"a row by fives of fours", "grid invocations n", "n * m", ROW "for j in 0 .. m / 4 * 5 { y[i * m + j] = 1.0 } }", NO},
  {"a row by fours of another's", "grid invocations n", "n * m", ROW "for j in 0 .. k / 4 * 4 { y[i * m + j] = 1.0 } }", NO},
  {"a row by pairs", "grid invocations n", "n * m", ROW "for j in 0 .. m / 2 { y[i * m + 2 * j] = 1.0 y[i * m + 2 * j + 1] = 1.0 } }", OWN},
  {"a row by pairs and a third", "grid invocations n", "n * m", ROW "for j in 0 .. m / 2 { y[i * m + 2 * j] = 1.0 y[i * m + 2 * j + 2] = 1.0 } }", NO},
  {"a row by one pair more", "grid invocations n", "n * m",
   ROW "for j in 0 .. m / 2 + 1 { y[i * m + 2 * j] = 1.0 y[i * m + 2 * j + 1] = 1.0 } }", NO},
  {"the even ones of a row", "grid invocations n", "n * m", ROW "for j in 0 .. (m + 1) / 2 { y[i * m + 2 * j] = 1.0 } }", OWN},
  {"pairs of a row rounded up", "grid invocations n", "n * m", ROW "for j in 0 .. (m + 1) / 2 { y[i * m + 2 * j] = 1.0 y[i * m + 2 * j + 1] = 1.0 } }", NO},
  {"neighbours in pairs", "grid invocations n", "n", ROW "y[i ^ 1] = 1.0 }", OWN},
  {"neighbours in pairs, unguarded", "grid invocations n", "n", "y[global_id.x ^ 1] = 1.0", OWN},
  {"neighbours in pairs, signed", "grid invocations n", "n", ROW "y[i32(i) ^ 1] = 1.0 }", OWN},
  {"partners at a distance", "grid invocations n", "n", ROW "y[i ^ m] = 1.0 }", OWN},
  {"three times partners", "grid invocations n", "n", ROW "y[3 * (i ^ m)] = 1.0 }", OWN},
  {"partners of partners", "grid invocations n", "n", ROW "y[i ^ 1 ^ m] = 1.0 }", OWN},
  {"neighbours in pairs, and oneself", "grid invocations n", "n", ROW "y[i ^ 1] = y[i] }", NO},
  {"partners at two distances", "grid invocations n", "n", ROW "y[i ^ 1] = y[i ^ 2] }", NO},
  {"partners of lanes of one's own", "grid invocations n", "n", ROW "y[i ^ local_id.x] = 1.0 }", NO},
  {"partners of what is loaded", "grid invocations n", "n", ROW "y[i ^ u32(x[i])] = 1.0 }", NO},
  {"neighbours of halves", "grid invocations n", "n", ROW "y[(i / 2) ^ 1] = 1.0 }", NO},
  {"twice neighbours in pairs", "grid invocations n", "m", ROW "y[2 * (i ^ 1)] = 1.0 }", NO},
  {"partners by trips", "grid invocations n", "n", ROW "for j in 0 .. 3 { y[i ^ j] = 1.0 } }", NO},
  {"a row by neighbours in pairs", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 8 { y[i * 8 + (j ^ 1)] = 1.0 } }", OWN},
  {"a row by partners beyond", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 8 { y[i * 8 + (j ^ 8)] = 1.0 } }", NO},
  {"a row of seven by neighbours in pairs", "grid invocations n", "7 * n", ROW "for j in u32(0) .. 7 { y[i * 7 + (j ^ 1)] = 1.0 } }", NO},
  {"strides from the last", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * T { y[n - 1 - j] = 1.0 }", OWN},
  {"strides from the last, and the one before", "grid k", "n",
   "for j in global_id.x .. n step num_workgroups.x * T { y[n - 1 - j] = 1.0 y[n - 2 - j] = 1.0 }", NO},
  {"strides from the last, twice as far", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x * T { y[n - 1 - 2 * j] = 1.0 }", NO},
  {"strides that are too short, from the last", "grid k", "n", "for j in global_id.x .. n step num_workgroups.x { y[n - 1 - j] = 1.0 }", NO},
  {"a row backwards", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 8 { y[i * 8 + 7 - j] = 1.0 } }", OWN},
  {"a row backwards, of its end", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 8 { y[(i + 1) * 8 - 1 - j] = 1.0 } }", OWN},
  {"a row backwards, from 1", "grid invocations n", "8 * n", ROW "for j in u32(1) .. 9 { y[i * 8 + 8 - j] = 1.0 } }", OWN},
  {"a row backwards, signed", "grid invocations n", "8 * n", ROW "for j in i32(0) .. 8 { y[i32(i) * 8 + 7 - j] = 1.0 } }", OWN},
  {"a row backwards, one too long", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 9 { y[i * 8 + 7 - j] = 1.0 } }", NO},
  {"a row backwards, one too far", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 8 { y[i * 8 + 6 - j] = 1.0 } }", NO},
  {"a row backwards, from below 0", "grid invocations n", "8 * n", ROW "for j in i32(-1) .. 8 { y[i32(i) * 8 + 7 - j] = 1.0 } }", NO},
  {"a row backwards, short of an end before the row's", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 5 { y[i * 8 + 3 - j] = 1.0 } }", NO},
  {"half a row backwards", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 4 { y[i * 8 + 3 - j] = 1.0 } }", OWN},
  {"a row forth and back", "grid invocations n", "8 * n",
   ROW "for j in u32(0) .. 8 { y[i * 8 + 7 - j] = 1.0 } for j in u32(0) .. 8 { y[i * 8 + j] = 1.0 } }", OWN},
  {"a row backwards, and one of the next", "grid invocations n", "8 * n",
   ROW "for j in u32(0) .. 8 { y[i * 8 + 7 - j] = y[i * 8 + 8 - j] } }", NO},
  {"a row backwards of unknown length", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[i * m + m - 1 - j] = 1.0 } }", OWN},
  {"a row backwards of unknown length, by its trip", "grid invocations n", "n * m",
   ROW "for j in 0 .. m { let t = m - 1 - j  y[i * m + t] = 1.0 } }", OWN},
  {"a row backwards of unknown length, of its end", "grid invocations n", "n * m",
   ROW "for j in 0 .. m { y[(i + 1) * m - 1 - j] = 1.0 } }", OWN},
  {"a row backwards of unknown length, from 1", "grid invocations n", "n * m",
   ROW "for j in 1 .. m + 1 { y[(i + 1) * m - j] = 1.0 } }", OWN},
  {"a row backwards, of another length", "grid invocations n", "n * m", ROW "for j in 0 .. k { y[i * m + m - 1 - j] = 1.0 } }", NO},
  {"a row backwards, a row further down", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[i * m - 1 - j] = 1.0 } }", NO},
  {"a row backwards, too far from its end", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[i * m + m - 2 - j] = 1.0 } }", NO},
  {"a row backwards, one too long for its length", "grid invocations n", "n * m",
   ROW "for j in 0 .. m + 1 { y[i * m + m - 1 - j] = 1.0 } }", NO},
  {"a row backwards in a shorter buffer", "grid invocations n", "m", ROW "for j in 0 .. m { y[i * m + m - 1 - j] = 1.0 } }", NO},
  {"a row backwards, of an end that wraps", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[i * m + k - 1 - j] = 1.0 } }", NO},
  {"columns backwards", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[(m - 1 - j) * n + i] = 1.0 } }", OWN},
  {"columns backwards, unguarded", "grid invocations n", "n * m", "let i = global_id.x for j in 0 .. m { y[(m - 1 - j) * n + i] = 1.0 }", NO},
  {"columns backwards, and the next", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[(m - 1 - j) * n + i] = y[(m - 1 - j) * n + i + 1] } }", NO},
  {"columns backwards, of another width", "grid invocations n", "n * m", ROW "for j in 0 .. m { y[(m - 1 - j) * k + i] = 1.0 } }", NO},
  {"columns backwards, one too many", "grid invocations n", "n * m", ROW "for j in 0 .. m + 1 { y[(m - 1 - j) * n + i] = 1.0 } }", NO},
  {"a row from 1", "grid invocations n", "8 * n", ROW "for j in u32(1) .. 9 { y[i * 8 + j - 1] = 1.0 } }", OWN},
  {"a row from 1, one too long", "grid invocations n", "8 * n", ROW "for j in u32(1) .. 10 { y[i * 8 + j - 1] = 1.0 } }", NO},
  {"a row from 0 that ought to be from 1", "grid invocations n", "8 * n", ROW "for j in u32(0) .. 9 { y[i * 8 + j - 1] = 1.0 } }", NO},
  {"rows moved by one", "grid invocations n", "8 * n + 1", ROW "for j in u32(1) .. 9 { y[i * 8 + j] = 1.0 } }", OWN},
  {"rows moved by one, and a row", "grid invocations n", "8 * n + 1", ROW "for j in u32(1) .. 9 { y[i * 8 + j] = y[i * 8] } }", NO},
  {"a row from 1 of unknown length", "grid invocations n", "n * m", ROW "for j in 1 .. m + 1 { y[i * m + j - 1] = 1.0 } }", OWN},
  {"a row from 1 of unknown length, one too long", "grid invocations n", "n * m", ROW "for j in 1 .. m + 2 { y[i * m + j - 1] = 1.0 } }", NO},
  {"a row but for its first element", "grid invocations n", "n * m", ROW "for j in 1 .. m { y[i * m + j] = y[i * m + j - 1] } }", OWN},
  {"a chunk", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 8 { y[j] = 1.0 } }", OWN},
  {"a chunk to the next", "grid invocations n", "8 * n", ROW "for j in i * 8 .. (i + 1) * 8 { y[j] = 1.0 } }", OWN},
  {"a chunk backwards", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 8 reversed { y[j] = 1.0 } }", OWN},
  {"a chunk and its neighbour's first", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 9 { y[j] = 1.0 } }", NO},
  {"a chunk, one element on", "grid invocations n", "8 * n + 1", ROW "for j in i * 8 .. i * 8 + 8 { y[j] = y[j + 1] } }", NO},
  {"a chunk that may wrap", "grid invocations n", "m", ROW "for j in i * 8 .. i * 8 + 8 { y[j] = 1.0 } }", NO},
  {"a chunk, unguarded: it may wrap", "grid invocations n", "8 * n", "let i = global_id.x for j in i * 8 .. i * 8 + 8 { y[j] = 1.0 }", NO},
  {"a chunk, guarded inside", "grid invocations n", "8 * n",
   "let i = global_id.x for j in i * 8 .. i * 8 + 8 { if i < n { y[j] = 1.0 } }", OWN},
  {"a chunk of unknown length", "grid invocations n", "n * m", ROW "for j in i * m .. (i + 1) * m { y[j] = 1.0 } }", OWN},
  {"a chunk of unknown length and its neighbour's", "grid invocations n", "n * m", ROW "for j in i * m .. (i + 1) * m + 1 { y[j] = 1.0 } }", NO},
  {"a chunk of another length", "grid invocations n", "n * m", ROW "for j in i * m .. i * m + k { y[j] = 1.0 } }", NO},
  {"chunks closer than they are long", "grid invocations n", "n * m", ROW "for j in i * k .. i * k + m { y[j] = 1.0 } }", NO},
  {"chunks of two that are one apart", "grid invocations n", "2 * n", ROW "for j in i .. i + 2 { y[j] = 1.0 } }", NO},
  {"a chunk from 0 on", "grid invocations n", "8 * n", ROW "for j in u32(0) .. i * 8 + 8 { y[j] = 1.0 } }", NO},
  {"a signed chunk that may be negative", "grid invocations n", "8 * n",
   "let i = i32(global_id.x) if i < i32(n) { for j in i * 8 - 8 .. i * 8 { y[j] = 1.0 } }", NO},
  {"a chunk by twos", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 8 step 2 { y[j] = y[j + 1] } }", OWN},
  {"a chunk by twos, and the one behind", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 8 step 2 { y[j] = y[j + 2] } }", NO},
  {"a chunk by threes, past its end", "grid invocations n", "8 * n", ROW "for j in i * 8 .. i * 8 + 8 step 3 { y[j] = y[j + 2] } }", NO},
  {"a signed row from what may be past 2^31", "grid invocations n", "8 * n",
   ROW "for j in i32(k) .. 8 { y[i * 8 + u32(j) - k] = 1.0 } }", NO},
  {"a row from what is not known", "grid invocations n", "8 * n", ROW "for j in k .. k + 8 { y[i * 8 + j - k] = 1.0 } }", OWN},
  {"a row from what is not known to an end that is", "grid invocations n", "8 * n", ROW "for j in k .. 8 { y[i * 8 + j - k] = 1.0 } }", OWN},
  {"a row from what is not known to an end that is, all moved by it", "grid invocations n", "8 * n",
   ROW "for j in k .. 8 { y[i * 8 + j + k] = 1.0 } }", OWN},
  {"a row to an end that wraps", "grid invocations n", "8 * n", ROW "for j in k .. k - 8 { y[i * 8 + j - k] = 1.0 } }", NO},
  {"four at a time", "grid invocations n", "16 * n",
   ROW "for j in u32(0) .. 16 step 4 { let a = i * 16 + j y[a] = 1.0 y[a + 1] = 1.0 y[a + 2] = 1.0 y[a + 3] = 1.0 } }", OWN},
  {"four at a time, and a fifth", "grid invocations n", "16 * n",
   ROW "for j in u32(0) .. 16 step 4 { let a = i * 16 + j y[a] = 1.0 y[a + 4] = 1.0 } }", NO},
  {"four at a time of fifteen", "grid invocations n", "15 * n",
   ROW "for j in u32(0) .. 15 step 4 { let a = i * 15 + j y[a] = 1.0 y[a + 3] = 1.0 } }", NO},
  {"two at a time, moved by two", "grid invocations n", "16 * n",
   ROW "for j in u32(0) .. 16 step 2 { y[i * 16 + j] = y[i * 16 + j + 2] } }", NO},
  {"four at a time of a multiple", "grid invocations n", "4 * n * m",
   ROW "for j in 0 .. 4 * m step 4 { let a = i * (4 * m) + j y[a] = 1.0 y[a + 3] = 1.0 } }", OWN},
  {"four at a time of what may be none", "grid invocations n", "n * m",
   ROW "for j in 0 .. m step 4 { let a = i * m + j y[a] = 1.0 y[a + 3] = 1.0 } }", NO},
  {"by steps of unknown length", "grid invocations n", "n * m", ROW "for j in 0 .. m step k { y[i * m + j] = 1.0 } }", OWN},
  {"by steps of unknown length, backwards", "grid invocations n", "n * m", ROW "for j in 0 .. m step k { y[i * m + m - 1 - j] = 1.0 } }", OWN},
  {"lanes turned round", "grid n", "n * T", "y[workgroup_id.x * T + T - 1 - local_id.x] = 1.0", OWN},
  {"lanes of 64 turned round, of which there may be more", "grid n", "n * 64", "y[workgroup_id.x * 64 + 63 - local_id.x] = 1.0", WITHIN},
  {"lanes turned round, too far", "grid n", "n * T", "y[workgroup_id.x * T + T - 2 - local_id.x] = 1.0", WITHIN},
  {"places, a row backwards", "grid invocations n", "n, m", "for j in 0 .. m { y[global_id.x, m - 1 - j] = 1.0 }", OWN},
  {"places, a row backwards, by the next's", "grid invocations n", "n, m", "for j in 0 .. m { y[global_id.x + j, m - 1 - j] = 1.0 }", NO},
  {"places, by a column that is none of the operation's", "grid invocations n", "n, m",
   "y[flat_index(m, global_id.x, m + 1)] = 1.0", NO},
};

/* Shared memory `s` of T floats. */
static const row shared_rows[] = {
  {"own", "", "T", "s[local_id.x] = 1.0  barrier  s[local_id.x] += 1.0", OWN},
  {"own, then a neighbour's", "", "T", "s[local_id.x] = 1.0  barrier  y[global_id.x] = s[(local_id.x + 1) % T]", INTERVAL | ACROSS},
  {"own, then the first", "", "T", "s[local_id.x] = 1.0  barrier  y[global_id.x] = s[0]", ACROSS},
  {"own, then another's after a barrier", "", "T", "s[local_id.x] = 1.0  barrier  s[T - 1 - local_id.x] = 1.0", INTERVAL | ACROSS},
  {"own, and another's", "", "T", "s[local_id.x] = 1.0  s[T - 1 - local_id.x] = 1.0", ACROSS},
  {"a tree", "", "T",
   "s[local_id.x] = 1.0  barrier"
   "  for w in u32(0) .. 5 { let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] } barrier }", INTERVAL | ACROSS},
  {"a tree without its guard", "", "T",
   "s[local_id.x] = 1.0  barrier"
   "  for w in u32(0) .. 5 { let half = T >> (w + 1)  s[local_id.x] += s[local_id.x + half]  barrier }", ACROSS},
  {"a tree without its barrier", "", "T",
   "s[local_id.x] = 1.0  barrier"
   "  for w in u32(0) .. 5 { let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] } }", ACROSS},
  {"a tree whose barrier comes at times", "", "T",
   "s[local_id.x] = 1.0  barrier"
   "  for w in u32(0) .. 5 { let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] } if w < m { barrier } }",
   ACROSS},
  {"a tree with its barrier jumped over", "", "T",
   "s[local_id.x] = 1.0  barrier"
   "  for w in u32(0) .. 5 { let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] }"
   "  if w == m { continue } barrier }", ACROSS},
  {"a tree with its barrier in front", "", "T",
   "s[local_id.x] = 1.0"
   "  for w in u32(0) .. 5 { barrier  let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] } }", INTERVAL | ACROSS},
  {"a rotation in a loop", "", "T",
   "for w in u32(0) .. 5 { s[local_id.x + w] = 1.0  barrier }", INTERVAL | ACROSS},
  {"a rotation in a loop without a barrier", "", "T", "for w in u32(0) .. 5 { s[local_id.x + w] = 1.0 }", ACROSS},
  {"around the end of a loop", "", "T",
   "for w in u32(0) .. 5 { s[local_id.x] = 1.0  barrier  s[T - 1 - local_id.x] = 1.0 }", ACROSS},
  {"behind a loop that may not run", "", "T",
   "s[local_id.x] = 1.0  for w in 0 .. m { barrier } s[T - 1 - local_id.x] = 1.0", ACROSS},
  {"in a loop, between barriers, and behind", "", "T",
   "for w in 0 .. m { barrier  s[local_id.x] = 1.0 } s[T - 1 - local_id.x] = 1.0", ACROSS},
  {"alike before and behind a loop", "", "T",
   "let i = T - 1 - local_id.x  s[i] = 1.0  for w in 0 .. m { barrier  s[local_id.x] = 1.0 } s[i] = 2.0", ACROSS},
  {"a region's barrier", "", "T", "s[local_id.x] = 1.0  region r { barrier } s[T - 1 - local_id.x] = 1.0", INTERVAL | ACROSS},
  {"a tile", "workgroup2", "8, 8", "s[local_id.y, local_id.x] = 1.0  barrier  s[local_id.y, local_id.x] += 1.0", OWN},
  {"a tile of fewer columns", "workgroup2", "8, 4", "s[local_id.y, local_id.x] = 1.0", OWN},
  {"a tile, transposed behind a barrier", "workgroup2", "8, 9",
   "s[local_id.y, local_id.x] = 1.0  barrier  s[local_id.x, local_id.y] = 2.0", INTERVAL | ACROSS},
  {"a tile, transposed", "workgroup2", "8, 9", "s[local_id.y, local_id.x] = 1.0  s[local_id.x, local_id.y] = 2.0", ACROSS},
  {"a tile, zeroed flat", "workgroup2", "8, 8", "s[local_index] = 0.0  barrier  s[local_id.y, local_id.x] = 1.0", INTERVAL | ACROSS},
  {"a tile's rows", "workgroup2", "8, 8", "s[local_id.y, 0] = 1.0", ACROSS},
  {"a tile with a border, of a flat lane", "workgroup2", "72", "s[local_index / 8 * 9 + local_index % 8] = 1.0", OWN},
  {"a tile with a border, transposed", "workgroup2", "72", "s[local_index % 8 * 9 + local_index / 8] = 1.0", OWN},
  {"a tile with a border that is too narrow", "workgroup2", "72", "s[local_index / 8 * 7 + local_index % 8] = 1.0", ACROSS},
  {"on both sides of a branch", "", "T", "if m < 4 { s[local_id.x] = 1.0 } else { s[T - 1 - local_id.x] = 1.0 }", ACROSS},
};

static char text[1 << 21];

static const char *kernel(const row *r, bool shared) {
  const char *size = strncmp(r->grid, "workgroup1", 10) == 0   ? "workgroup 64"
                     : strncmp(r->grid, "workgroup2", 10) == 0 ? "workgroup 8, 8"
                     : strncmp(r->grid, "workgroup3", 10) == 0 ? "workgroup 4, 4, 4"
                     : strncmp(r->grid, "lone", 4) == 0        ? "workgroup 1"
                                                               : "workgroup T";
  const char *grid = shared ? "grid n" : strstr(r->grid, "grid");
  const char *type = strstr(r->grid, "signed") ? "i32" : "u32", *range = strstr(r->grid, "ranged") ? " in 0 .. 100" : "";
  snprintf(text, sizeof text,
           "program p { const T : u32 = 64 %s %s param n : %s param m : %s param k : %s%s buffer x : f32[n] read "
           "buffer y : f32[%s] read_write %s%s%s %s }",
           size, grid, type, type, type, range, shared ? "n" : r->length, shared ? "shared s : f32[" : "", shared ? r->length : "", shared ? "]" : "", r->body);
  return text;
}

static void hear(void *user, const kg_diag *diag) {
  (void)user;
  printf("%u:%u %s\n", diag->line, diag->column, diag->message);
}

static unsigned ask(const row *r, bool shared, uint8_t *each, uint32_t *count) {
  kg_module *m = NULL;
  kgi_arena arena;
  kgi_distinct *d;
  static uint32_t accesses[1 << 14];
  const char *source = kernel(r, shared);
  ck_assert_msg(kg_module_parse(NULL, "t", source, strlen(source), &(kg_sink){hear, NULL}, &m) == KG_OK, "%s: %s", r->name, source);
  const kgi_program *p = m->program[1];
  uint32_t object = kgi_find_object(m, &p->scope, shared ? "s" : "y");
  *count = 0;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    unsigned kind = p->inst[i].kind;
    if (p->inst[i].block && (kind == KGI_load || kind == KGI_store || kind == KGI_atomic) && p->inst[i].arg[0] == object)
      accesses[(*count)++] = i;
  }
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_distinct_make(&arena, m, p, &d), KG_OK);
  unsigned own = kgi_disjoint(d, accesses, *count, each);
  for (unsigned wanted = 1; wanted < 8; wanted++)
    ck_assert_msg(kgi_all_disjoint(d, accesses, *count, wanted) == ((own & wanted) == wanted), "%s: asked for %u\n%s", r->name, wanted, source);
  kgi_arena_free(&arena);
  kg_module_free(m);
  return own;
}

START_TEST(buffers) {
  uint8_t each[64];
  uint32_t count;
  unsigned own = ask(&rows[_i], false, each, &count);
  ck_assert_msg(own == rows[_i].own, "%s: expected %u, got %u\n%s", rows[_i].name, rows[_i].own, own, text);
} END_TEST

START_TEST(shared) {
  uint8_t each[64];
  uint32_t count;
  unsigned own = ask(&shared_rows[_i], true, each, &count);
  ck_assert_msg(own == shared_rows[_i].own, "%s: expected %u, got %u\n%s", shared_rows[_i].name, shared_rows[_i].own, own, text);
} END_TEST

/* The load of the sum by all lanes is the one access that is not distinct; the barriers keep it from spoiling the others. */
START_TEST(each_access) {
  const row r = {"softmax", "", "T",
                 "s[local_id.x] = x[global_id.x]  barrier"
                 "  for w in u32(0) .. 6 { let half = T >> (w + 1)  if local_id.x < half { s[local_id.x] += s[local_id.x + half] } barrier }"
                 "  let total = s[0]  barrier  y[global_id.x] = total", ACROSS};
  uint8_t each[64];
  uint32_t count;
  ck_assert_uint_eq(ask(&r, true, each, &count), ACROSS);
  ck_assert_uint_eq(count, 5);
  for (uint32_t i = 0; i < 4; i++) ck_assert_msg(each[i] == (INTERVAL | ACROSS), "%u: %u", i, each[i]);
  ck_assert_uint_eq(each[4], ACROSS);
} END_TEST

/* ---- many accesses ---- */

/* `%u` stands for the number of the access, `N` for how many there are. `stray` is put behind them. */
typedef struct many { const char *name, *length, *before, *access, *stray; unsigned own, own_with_stray; } many;
static const many crowds[] = {
  {"a window", "n + N", "let i = global_id.x", "y[i + %u] += 1.0 ", "", NO, NO},
  {"rows of an invocation", "n * N", "let i = global_id.x if i >= n { return }", "y[i * N + %u] += 1.0 ", "y[i] = 1.0", OWN, NO},
  {"every third", "3 * n * N", "let i = global_id.x if i >= n { return }", "y[3 * (i * N + %u) + 1] += 1.0 ", "y[3 * i] = 1.0", OWN, OWN},
  {"planes", "100 * N", "let i = global_id.x if i >= 100 { return }", "y[i + 100 * %u] += 1.0 ", "y[99 - i] = 1.0", OWN, NO},
  {"planes that overlap by one", "100 * N", "let i = global_id.x if i > 100 { return }", "y[i + 100 * %u] += 1.0 ", "", NO, NO},
  {"backwards", "n * N", "let i = global_id.x if i >= n { return }", "y[i * N + (N - 1 - %u)] += 1.0 ", "", OWN, OWN},
  {"the workgroup's", "n * N", "let i = workgroup_id.x if i >= n { return }", "y[i * N + %u] += 1.0 ", "", ACROSS, ACROSS},
};

/* Where every access is a family of its own, what is not compared is not claimed. */
static const many apart[] = {
  {"under conditions of their own, a window", "n + N", "let i = global_id.x", "if x[%u] > 0.0 { y[i + %u] = 1.0 } ", "", NO, NO},
  {"under conditions of their own, own elements", "n", "let i = global_id.x", "if x[%u] > 0.0 { y[i + 0 * %u] = 1.0 } ", "", OWN, OWN},
};

static void append(char **at, const char *text, unsigned k, unsigned n) {
  for (; *text; text++) {
    if (text[0] == '%' && text[1] == 'u') *at += sprintf(*at, "%u", k), text++;
    else if (*text == 'N') *at += sprintf(*at, "%u", n);
    else *(*at)++ = *text;
  }
  **at = 0;
}

static unsigned ask_many(const many *r, unsigned n, bool stray, unsigned *least, unsigned *most) {
  static char body[1 << 20];
  char length[64], *at = body, *at_length = length;
  append(&at, r->before, 0, n), append(&at, " ", 0, n), append(&at_length, r->length, 0, n);
  for (unsigned k = 0; k < n; k++) append(&at, r->access, k, n);
  append(&at, stray ? r->stray : "", 0, n);
  row as_row = {r->name, "grid invocations n", length, body, 0};
  uint8_t *each = calloc(8 * n + 8, 1);
  uint32_t count;
  unsigned own = ask(&as_row, false, each, &count);
  *least = OWN, *most = 0;
  for (uint32_t k = 0; k < count; k++) *least &= each[k], *most |= each[k];
  free(each);
  return own;
}

static const unsigned sizes[] = {1, 2, 63, 64, 65, 200, 1500};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(many_accesses) {
  const many *r = &crowds[_i / SIZES];
  unsigned n = sizes[_i % SIZES], least, most, wanted = n == 1 && r->own != ACROSS ? OWN : r->own; /* one overlaps none */
  ck_assert_msg(ask_many(r, n, false, &least, &most) == wanted, "%s of %u", r->name, n);
  ck_assert_msg(least == wanted && most == wanted, "%s of %u: %u %u", r->name, n, least, most);
  if (n > 1) ck_assert_msg(ask_many(r, n, true, &least, &most) == r->own_with_stray && least == r->own_with_stray, "%s of %u and one", r->name, n);
} END_TEST

/* Right with as many comparisons as there are, and with fewer. */
START_TEST(many_families) {
  const many *r = &apart[_i / SIZES];
  unsigned n = sizes[_i % SIZES], least, most, own = ask_many(r, n, false, &least, &most), wanted = n == 1 ? OWN : r->own;
  ck_assert_msg(own == least, "%s of %u: %u, and %u of one", r->name, n, own, least);
  ck_assert_msg(n <= 65 ? own == wanted && most == wanted : !(most & ~wanted), "%s of %u: %u %u", r->name, n, own, most);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_CROSS(many_accesses, crowds, name, SIZES),
                            KGT_CROSS(many_families, apart, name, SIZES),
                            KGT_TABLE(buffers, rows, name), KGT_TABLE(shared, shared_rows, name),
                            KGT(each_access)};
  return kgt_run("foundation/distinct", tests, KGT_COUNT(tests));
}
