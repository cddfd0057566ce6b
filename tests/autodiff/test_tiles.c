/* Shared memory that a loop fills anew in each trip: what is known to be filled is filled again in the reverse, and keeps nothing on a
 * tape. What just misses is kept; either way the gradient is right, in the presence of whatever an earlier trip left. */
#include "tests/autodiff/autodiff_case.h"

#define IN(group, shared, body) \
  "program p { const T = 4 workgroup " group " grid 2 param m : u32 = 3 buffer x : f32[64 * m] read\n" \
  "buffer y : f32[32] write shared t : f32[" shared "]\n" \
  "let l = local_id.x let r = local_id.y let first = workgroup_id.x * 32 var s = 0.0\n" \
  "for k in 0 .. m { let at = first + k * 64\n" body " barrier }\n" \
  "y[workgroup_id.x * 16 + r * 4 + l] = s }"
#define LINE(shared, body) SQUARE_OF("T * T", shared, body)
#define SIXTEEN(shared, body) SQUARE_OF("16", shared, body)
#define SQUARE_OF(group, shared, body) \
  "program p { const T = 4 workgroup " group " grid 2 param m : u32 = 3 buffer x : f32[64 * m] read\n" \
  "buffer y : f32[32] write shared t : f32[" shared "]\n" \
  "let l = local_id.x let first = workgroup_id.x * 32 var s = 0.0\n" \
  "for k in 0 .. m { let at = first + k\n" body " barrier }\n" \
  "y[workgroup_id.x * 16 + l] = s }"
#define CROSS " barrier for j in 0 .. T { s += t[l / T, j] * t[j, l % T] }"
/* What is left differs from trip to trip, so that values of a later one are seen in the reverse. */
#define BEFORE(stores) "if k != 1 { " stores " barrier } "
#define ALL(extent) " barrier for j in 0 .. " extent " { s += t[j] * t[j] * f32(j + 1) }"
#define SQUARE " barrier for j in 0 .. T { s += t[r, j] * t[j, l] }"

typedef struct shape { const char *name; bool tile; const char *text; } shape;
static const shape shapes[] = {
  {"one each", true, IN("T", "T", "t[l] = x[at + l]" ALL("T"))},
  {"several components", true, IN("T", "T, 3", "t[l, 0] = x[at + l] t[l, 1] = x[at + l + T] t[l, 2] = x[at + l + T * 2]\n"
    "barrier for j in 0 .. T { s += t[j, 0] * t[j, 1] * t[3 - j, 2] }")},
  {"components by a loop", true, IN("T", "T, 3", "for c in 0 .. 3 { t[l, c] = x[at + l * 3 + c] }\n"
    "barrier for j in 0 .. T { for c in 0 .. 3 { s += t[j, c] * t[j, 2 - c] } }")},
  {"components stored one by one, loaded by a loop", true, IN("T", "T, 2", "t[l, 0] = x[at + l] t[l, 1] = x[at + l + T]\n"
    "barrier for j in 0 .. T { for c in 0 .. 2 { s += t[j, c] * t[j, c] } }")},
  {"padded", true, IN("T, T", "T, T + 1", "t[r, l] = x[at + r * T + l]" SQUARE)},
  {"padded, flat", true, IN("T, T", "T * (T + 1)", "t[r * (T + 1) + l] = x[at + r * T + l]\n"
    "barrier for j in 0 .. T { s += t[r * (T + 1) + j] * t[j * (T + 1) + l] }")},
  {"padded, a row by number", true, IN("T, T", "T, T + 1", "t[r, l] = x[at + r * T + l] barrier s += t[2, l] * t[r, 0]")},
  {"transposed", true, IN("T, T", "T, T", "t[l, r] = x[at + r * T + l]" SQUARE)},
  {"in both branches", true, IN("T", "T", "if at + l < 40 { t[l] = x[at + l] } else { t[l] = 0.5 * x[l] }" ALL("T"))},
  {"in both branches, and branches of those", true, IN("T", "T", "if k > 1 { if l > 1 { t[l] = x[at + l] } else { t[l] = x[at] } }\n"
    "else { t[l] = x[l] * 2.0 }" ALL("T"))},
  {"a default first", true, IN("T", "T + 1", "t[l] = 0.25 if at + l < 40 { t[l] = x[at + l] }" ALL("T"))},
  {"shared by the invocations", true, IN("T", "13", "for e in l .. len(t) step workgroup_size.x { t[e] = x[at + e] }" ALL("13"))},
  {"shared by all invocations", true, IN("T, 2", "13", "for e in local_index .. 13 step T * 2 { t[e] = x[at + e] }" ALL("13"))},
  {"halo", true, IN("T", "T + 2", "t[l + 1] = x[at + l + 1] if l == 0 { t[0] = x[at] } if l == T - 1 { t[T + 1] = x[at + T + 1] }\n"
    "barrier s += t[l] * t[l + 1] * t[l + 2]")},
  {"halo by the first", true, IN("4", "6", "t[l] = x[at + l] if l < 2 { t[l + 4] = x[at + T + l] }\n"
    "barrier for j in 0 .. 3 { s += t[l + j] * t[l] }")},
  {"columns by the rest of a quotient", true, IN("T", "4, 8", "for e in l .. 32 step T { let w = e / 8 t[w, e - w * 8] = x[at + e] }\n"
    "barrier for j in 0 .. 4 { for d in 0 .. 8 { s += t[j, d] * t[3 - j, d] } }")},
  {"in stripes", true, IN("4", "4, 4", "for w in 0 .. 4 { let e = w * 4 + l t[e / 4, e % 4] = x[at + e] }\n"
    "barrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"in stripes that leave gaps", false, IN("4", "4, 8", "for w in 0 .. 4 { let e = w * 8 + l t[e / 8, e % 8] = x[at + e] }\n"
    "if k == 0 { for w in 0 .. 4 { t[w, l + 4] = x[w + l] } } barrier for j in 0 .. 4 { s += t[j, l + 4] * t[l, 3 - j] }")},
  {"by steps of all", true, IN("4", "16", "for q in u32(0) .. 16 step 4 { t[q + l] = x[at + q + l] }" ALL("16"))},
  {"by steps, of which the last is cut off", true, IN("4", "16", "for q in u32(0) .. 13 step 4 { t[q + l] = x[at + q + l] }" ALL("16"))},
  {"by one step too few", false, IN("4", "16", BEFORE("t[l + 12] = x[k * 8 + l]") "for q in u32(0) .. 12 step 4 { t[q + l] = x[at + q + l] }" ALL("16"))},
  {"by steps that leave gaps", false, IN("4", "20", BEFORE("for e in l .. 20 step 4 { t[e] = x[k * 8 + e] }") "for q in u32(0) .. 16 step 5 { t[q + l] = x[at + q + l] }" ALL("19"))},
  {"by steps from the second on", false, IN("4", "16", BEFORE("t[l] = x[k * 8 + l]") "for q in u32(4) .. 16 step 4 { t[q + l] = x[at + q + l] }" ALL("16"))},
  {"by steps, under a guard that lets all pass", true, IN("4", "16", "for q in u32(0) .. 16 step 4 { if q + l < 16 { t[q + l] = x[at + q + l] } }" ALL("16"))},
  {"by steps, under a guard that leaves out the last", false, IN("4", "16", BEFORE("if l == 0 { t[15] = x[k * 8 + 0] }")
    "for q in u32(0) .. 16 step 4 { if q + l < 15 { t[q + l] = x[at + q + l] } }" ALL("16"))},
  {"by steps, under a guard on these", false, IN("4", "16", BEFORE("t[l + 8] = x[k * 8 + l] t[l + 12] = x[k * 8 + l]")
    "for q in u32(0) .. 16 step 4 { if q < 8 { t[q + l] = x[at + q + l] } }" ALL("16"))},
  {"by steps of a constant", true, IN("T", "T * 4", "for q in u32(0) .. T * 4 step T { t[q + l] = x[at + q + l] }" ALL("T * 4"))},
  {"rows by steps", true, IN("4, 2", "32", "for q in u32(0) .. 8 step 2 { t[(r + q) * 4 + l] = x[at + (r + q) * 4 + l] }" ALL("32"))},
  {"rows by steps, of two dimensions", true, IN("4, 2", "8, 4", "for q in u32(0) .. 8 step 2 { t[r + q, l] = x[at + q * 4 + r * 4 + l] }\n"
    "barrier for j in 0 .. 8 { s += t[j, l] * t[7 - j, 3 - l] }")},
  {"rows by steps that are too wide", false, IN("4, 2", "8, 4", BEFORE("for q in 0 .. 4 { t[r + q * 2, l] = x[k * 8 + q + l] }")
    "for q in u32(0) .. 7 step 3 { t[r + q, l] = x[at + q * 4 + r * 4 + l] }\nbarrier for j in 0 .. 8 { s += t[j, l] * t[7 - j, 3 - l] }")},
  {"four beside each other", true, IN("4", "16", "let b = l * 4 t[b] = x[at + b] t[b + 1] = x[at] t[b + 2] = x[at + l] t[b + 3] = x[at + b + 3]" ALL("16"))},
  {"three of four beside each other", false, IN("4", "16", BEFORE("t[l * 4 + 2] = x[k * 8 + l]") "let b = l * 4 t[b] = x[at + b] t[b + 1] = x[at] t[b + 3] = x[at + b + 3]" ALL("16"))},
  {"four beside each other, one in a branch", false, IN("4", "16", BEFORE("t[l * 4 + 2] = x[k * 8 + l]")
    "let b = l * 4 t[b] = x[at + b] t[b + 1] = x[at] if l > k { t[b + 2] = x[at + l] } t[b + 3] = x[at + b + 3]" ALL("16"))},
  {"four below each other", true, IN("4", "16", "t[l] = x[at + l] t[l + 4] = x[at] t[l + 8] = x[at + l + 8] t[l + 12] = x[at + l + 3]" ALL("16"))},
  {"two beside each other, rows by steps", true, IN("4", "8, 4", "for q in u32(0) .. 8 step 2 {\n"
    "let w = l / 2 + q let c = l % 2 * 2 t[w, c] = x[at + w * 4 + c] t[w, c + 1] = x[at + w * 4 + c + 1] }\n"
    "barrier for j in 0 .. 8 { s += t[j, l] * t[7 - j, 3 - l] }")},
  {"the last of several behind the barrier", false, IN("4", "16", BEFORE("t[l * 4 + 3] = x[k * 8 + l]")
    "let b = l * 4 t[b] = x[at + b] t[b + 1] = x[at] t[b + 2] = x[at + l] barrier for j in 0 .. 16 { s += t[j] * t[j] }\n"
    "barrier t[b + 3] = x[at + b + 3]")},
  {"digits of a sum", true, IN("4", "4, 4", "for q in u32(0) .. 16 step 4 { let e = q + l t[e / 4, e % 4] = x[at + e] }\n"
    "barrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"digits of a sum, under a guard on a part of it", false, IN("4", "4, 4", BEFORE("t[2, l] = x[k * 8 + l] t[3, l] = x[k * 8 + l]")
    "for q in u32(0) .. 4 { let e = q * 4 + l if q < 2 { t[e / 4, e % 4] = x[at + e] } }\nbarrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"digits of a sum, and a part of it", false, IN("4", "4, 4", BEFORE("for e in 0 .. 4 { t[e, l] = x[k * 8 + l] }")
    "for q in u32(0) .. 4 { t[q, (q + l) % 4] = x[at + q + l] }\nbarrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"digits of a sum that leaves gaps", false, IN("4", "4, 4", BEFORE("for e in 0 .. 4 { t[e, l] = x[k * 8 + l] }")
    "for q in u32(0) .. 12 step 5 { let e = q + l t[e / 4, e % 4] = x[at + e] }\nbarrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"by bits that are set", true, IN("4", "16", "t[l] = x[at + l] t[l | 4] = x[at] t[8 | l] = x[at + l + 8] t[l | 12] = x[at + l + 3]" ALL("16"))},
  {"by bits that are set in steps", true, IN("4", "16", "for q in u32(0) .. 16 step 4 { t[q | l] = x[at + q + l] }" ALL("16"))},
  {"by bits that are set and moved, a digit of a part of them", false, IN("4", "4, 4", BEFORE("for e in 0 .. 4 { t[e, l] = x[k * 8 + l] }") "let b = l << 2 for q in u32(0) .. 4 { let e = b | q t[e >> 2, e & 3] = x[at + e] }\n"
    "barrier for j in 0 .. 4 { s += t[j, l] * t[l, 3 - j] }")},
  {"by bits of which some are set", false, IN("4", "16", BEFORE("for e in l .. 16 step 4 { t[e] = x[k * 8 + e] }")
    "if l % 2 == 0 { t[l | 1] = x[at] t[l | 4] = x[at + 1] t[l | 9] = x[at + 2] }" ALL("16"))},
  {"in a loop that some lanes have no trip of", false, IN("4", "4", BEFORE("t[l] = x[l + k * 8]")
    "for q in l .. 2 step 4 { t[l] = x[at + l] }" ALL("4"))},
  {"in a loop that some lanes of two have no trip of", false, IN("4", "4", BEFORE("t[l] = x[l + k * 8]")
    "for q in l % 2 .. 1 step 2 { t[l] = x[at + l] }" ALL("4"))},
  {"in loops of which the outer one leaves lanes out", false, IN("4", "16", BEFORE("for e in l .. 16 step 4 { t[e] = x[e + k * 8] }")
    "for q in l .. 3 step 4 { for e in u32(0) .. 4 { t[e * 4 + l] = x[at + e * 4 + l] } }" ALL("16"))},
  {"in a loop that begins at a digit of another's index", false, IN("4", "8", BEFORE("t[l] = x[l + k * 8] t[l + 4] = x[l + 4 + k * 8]")
    "for q in u32(0) .. 2 { for e in q % 2 .. 1 step 2 { t[q * 4 + l] = x[at + q * 4 + l] } }" ALL("8"))},
  {"from a digit of a sum on", false, IN("4", "2, 16", BEFORE("for e in l .. 16 step 4 { t[0, e] = x[e + k * 8] t[1, e] = x[e + 16 + k * 8] }")
    "for q in u32(0) .. 2 { for e in (q * 4 + l) % 8 .. 16 step 8 { t[q, e] = x[at + e + q] } }\n"
    "barrier for j in 0 .. 16 { s += t[0, j] * t[1, j] * f32(j + 1) }")},
  {"turned round", true, IN("T", "T", "t[l] = x[at + l] barrier s += t[T - 1 - l] * t[l]")},
  {"stored from the end", true, IN("T", "T + 1", "t[T - l] = x[at + l] barrier s += t[T - l] * t[l + 1]")},
  {"any element of those", true, IN("T", "T + 3", "t[l] = x[at + l] barrier s += t[(l + 3) % T] * t[min(l + 1, T - 1)]")},
  {"up to the smaller", true, IN("T", "T + 1", "t[l] = x[at + l] barrier for j in 0 .. min(T, k + 2) { s += t[j] * t[j] }")},
  {"its own, without a barrier", true, IN("T", "T + 1", "if l < 2 { t[l] = x[at + l] s += t[l] * t[l] }")},
  {"by one", true, IN("T", "2", "if l == 0 { t[0] = x[at] t[1] = x[at + 1] } barrier s += t[0] * t[1]")},
  {"one number for all", true, IN("T", "1", "if l == 0 { t[0] = sin(x[at]) } barrier s += t[0] * t[0] * f32(l + 1)")},
  {"by rows of threads", true, IN("T, 2", "T, T", "for e in r .. T step workgroup_size.y { t[e, l] = x[at + e * T + l] }\n"
    "barrier for j in 0 .. 4 { s += t[j, l] * t[j, (l + 1) % T] }")},
  {"the last one in part", true,
    IN("T", "T, 2", "let width = min(T, 10 - k * T) if l < width { for c in 0 .. 2 { t[l, c] = x[at + l * 2 + c] } }\n"
    "barrier for j in 0 .. width { s += t[j, 0] * t[j, 1] }")},
  {"in part, of two unknown extents", true,
    IN("T", "T, T", "let width = min(T, 10 - k * T) if l < width { for c in 0 .. T { t[l, c] = x[at + l * T + c] } }\n"
    "barrier for j in 0 .. width { for c in 0 .. T { s += t[j, c] * t[j, T - 1 - c] } }")},
  {"two in turn, each filled", true, IN("T", "2 * T", "let base = (k & 1) * T t[base + l] = x[at + l] barrier\n"
    "for j in 0 .. T { s += t[base + j] * t[base + j] }")},
  /* digits: of 16 invocations in a line, l is 0 .. 15 */
  {"rows and columns of a number", true, LINE("T, T", "t[l / T, l % T] = x[at + l]" CROSS)},
  {"rows and columns of a number, transposed", true, LINE("T, T", "t[l % T, l / T] = x[at + l]" CROSS)},
  {"rows and columns of a number, padded", true, SIXTEEN("4, 5", "let row = l >> 2 let column = l & 3 t[row, column] = x[at + l]\n"
    "barrier for j in 0 .. 4 { s += t[l >> 2, j] * t[j, l & 3] }")},
  {"rows and columns of a number, flat", true, SIXTEEN("4 * 5", "t[l / 4 * 5 + l % 4] = x[at + l]\n"
    "barrier for j in 0 .. 4 { s += t[l / 4 * 5 + j] * t[j * 5 + l % 4] }")},
  {"three digits", true, SIXTEEN("2, 4, 2", "t[l / 8, l / 2 % 4, l % 2] = x[at + l] barrier for j in 0 .. 4 { s += t[1 - l / 8, j, l & 1] * t[l / 8, 3 - j, 0] }")},
  {"digits of digits", true, SIXTEEN("2, 4, 2", "let q = l / 2 t[q / 4, q % 4, l % 2] = x[at + l]\n"
    "barrier for j in 0 .. 4 { s += t[1 - q / 4, j, l & 1] * t[q / 4, 3 - j, 0] }")},
  {"rows and columns of a loop that invocations share", true, LINE("2 * T, 2 * T", "for e in l .. 4 * T * T step T * T { t[e / (2 * T), e % (2 * T)] = x[at + e] }\n"
    "barrier for j in 0 .. 2 * T { s += t[l / 2, j] * t[j, l % 8] }")},
  {"rows and columns of a loop that invocations share, padded", true,
    SIXTEEN("8, 9", "for e in l .. 64 step 16 { t[e / 8, e % 8] = x[at + e] } barrier for j in 0 .. 8 { s += t[l / 2, j] * t[j, l % 8] }")},
  {"rows and columns of a loop of one's own", true, IN("T", "T, 6, 2", "for e in 0 .. 12 { t[l, e / 2, e % 2] = x[at + l * 12 + e] }\n"
    "barrier for j in 0 .. 6 { s += t[j & 3, j, 0] * t[3 - l, 5 - j, 1] }")},
  {"rows of a number, columns by a loop", true, LINE("T, 8", "for c in l % T .. 8 step T { t[l / T, c] = x[at + l / T * 8 + c] }\n"
    "barrier for j in 0 .. 8 { s += t[l / T, j] * t[l % T, 7 - j] }")},
  {"a guard of the rows", true, LINE("T, T", "let width = min(T, 10 - k * T) let row = l / T let column = l % T\n"
    "if row < width { t[row, column] = x[at + l] } barrier for e in 0 .. width { s += t[e, column] * t[e, row] }")},
  {"rows and columns of the index of a block", true, IN("T, T", "T, T + 1", "t[local_index / T, local_index % T] = x[at + l]" SQUARE)},
  /* what just misses, filled before the loop */
  {"a row and the number itself", false, LINE("T, 16", BEFORE("for e in 0 .. T { t[e, l] = 0.5 * f32(k) }") "t[l / T, l] = x[at + l]\n"
    "barrier for j in 0 .. T { s += t[j, l] * t[j, 15 - l] }")},
  {"digits that overlap", false, LINE("T, 8", BEFORE("t[l / T, l % T] = 0.5 * f32(k) t[l / T, l % T + T] = 0.5 * f32(k)") "t[l / T, l % 8] = x[at + l]\n"
    "barrier for j in 0 .. 8 { s += t[l / T, j] * t[l % T, 7 - j] }")},
  {"digits that leave one out", false, SIXTEEN("8, 4", BEFORE("t[l / 2, l % 2] = 0.5 * f32(k) t[l / 2, l % 2 + 2] = 0.5 * f32(k)") "t[l / 2, l % 4] = x[at + l]\n"
    "barrier for j in 0 .. T { s += t[l / 2, j] * t[7 - l / 2, 3 - j] }")},
  {"digits of a number that they do not divide", false, SIXTEEN("6, 3", BEFORE("t[l / 3, l % 3] = 0.5 * f32(k) if l < 2 { t[5, l + 1] = 0.5 * f32(k) }") "t[l / 3, l % 3] = x[at + l]\n"
    "barrier for j in 0 .. 6 { s += t[j, l % 3] * t[5 - j, 2 - l % 3] }")},
  {"rows and columns of some of the lanes", false, LINE("T, T", BEFORE("t[l / T, l % T] = 0.5 * f32(k)") "if l < 14 { t[l / T, l % T] = x[at + l] }" CROSS)},
  {"rows and columns by a param", false, LINE("8, 8", BEFORE("t[l / 8, l % 8] = 0.5 * f32(k) t[l / 8 + 2, l % 8] = 0.5 * f32(k) t[l / 8 + 4, l % 8] = 0.5 * f32(k) t[l / 8 + 6, l % 8] = 0.5 * f32(k)")
    "t[l / m, l % m] = x[at + l] barrier for j in 0 .. T { s += t[l / 4, j] * t[j, l / 4] }")},
  {"rows and columns of a loop that skips", false, LINE("8, 8", BEFORE("for e in l .. 64 step 16 { t[e / 8, e % 8] = 0.5 * f32(k) }")
    "for e in l .. 64 step 32 { t[e / 8, e % 8] = x[at + e] } barrier for j in 0 .. 8 { s += t[l / 2, j] * t[j, l % 8] }")},
  {"one column too few", false, IN("T", "T + 1", "if k == 0 && l == 0 { t[T] = 0.5 } t[l] = x[at + l]" ALL("T + 1"))},
  {"one column too few, of two dimensions", false,
    IN("T, T", "T, T + 1", "if k == 0 && l == 0 { t[r, T] = 0.5 } t[r, l] = x[at + r * T + l]\n"
    "barrier for j in 0 .. T + 1 { s += t[r, j] * t[r, l] }")},
  {"only in the first trip", false, IN("T", "T", "if k == 0 { t[l] = x[at + l] }" ALL("T"))},
  {"in one branch", false, IN("T", "T", "if k == 0 { t[l] = 0.5 } if at + l < 80 { t[l] = x[at + l] }" ALL("T"))},
  {"another element in the other branch", false, IN("T", "T + 1", "if k == 0 { t[l] = 0.5 if l == 0 { t[T] = 0.25 } barrier }\n"
    "if k < 2 { t[l] = x[at + l] } else { t[l + 1] = x[at + l] }" ALL("T"))},
  {"the diagonal", false, IN("T", "T, T", "if k == 0 { for j in 0 .. T { t[l, j] = 0.5 } barrier } t[l, l] = x[at + l]\n"
    "barrier for j in 0 .. T { s += t[l, j] * t[j, l] }")},
  {"a loop of fewer", false, IN("T", "13", "if k == 0 { for e in l .. 13 step workgroup_size.x { t[e] = 0.5 } barrier }\n"
    "for e in l .. 12 step workgroup_size.x { t[e] = x[at + e] }" ALL("13"))},
  {"a loop of another step", false, IN("T", "16", "if k == 0 { for e in l .. 16 step workgroup_size.x { t[e] = 0.5 } barrier }\n"
    "for e in l .. 16 step workgroup_size.x * 2 { t[e] = x[at + e] }" ALL("16"))},
  {"a loop that is left early", false, IN("T", "T, T", "if k == 0 { for j in 0 .. T { t[l, j] = 0.5 } barrier }\n"
    "for e in 0 .. T { if e + k > 3 { break } t[l, e] = x[at + l + e] } barrier for j in 0 .. T { s += t[j, l] * t[l, j] }")},
  {"a while", false, IN("T", "T, T", "if k == 0 { for j in 0 .. T { t[l, j] = 0.5 } barrier } var e = u32(0)\n"
    "while e < T limit 8 { t[l, e] = x[at + l + e] e += 1 + k } barrier for j in 0 .. T { s += t[j, l] * t[l, j] }")},
  {"extents that a param shortens", false, IN("T", "T", "if k == 0 { t[l] = 0.5 } if l < m { t[l] = x[at + l] }" ALL("T"))},
  {"under a barrier of a branch", false,
    IN("T", "T", "if k == 0 { t[l] = 0.5 barrier s += t[3 - l] * t[l] barrier } t[l] = x[at + l] s += t[l] * t[l]")},
  {"a loop that may not run", false, IN("T", "T", "if k == 0 { t[l] = 0.5 } for e in 0 .. 1 - min(k, 1) { t[l] = x[at + l] }" ALL("T"))},
  {"by a guard of another size", false, IN("T", "T + 2", "if k == 0 { t[l] = 0.5 if l < 2 { t[l + T] = 0.5 } barrier }\n"
    "t[l + 1] = x[at + l] if l == 1 { t[0] = x[at] }" ALL("T + 2"))},
  {"a width of another trip", false, IN("T", "T", "var width = T if k == 0 { t[l] = 0.5 } for c in 0 .. 2 { let w = width - u32(c)\n"
    "if l < w && c == 1 { t[l] = x[at + l] } } barrier for j in 0 .. width { s += t[j] * t[j] }")},
  {"a width of each invocation", false, IN("T", "T", "if k == 0 { t[l] = 0.5 } let width = min(T, (l & 1) * T)\n"
    "if l < width { t[l] = x[at + l] } barrier for j in 0 .. min(width + 1, T) { s += t[j] * t[j] }")},
  {"of the trip before", false, IN("T", "T", "if k == 0 { t[l] = 0.5 } barrier s += t[3 - l] * t[l] barrier t[l] = x[at + l]")},
  {"two in turn", false, IN("T", "2 * T", "if k == 0 { t[l + T] = 0.5 } t[(k & 1) * T + l] = x[at + l] barrier\n"
    "s += t[3 - l] * t[T + 3 - l]")},
  {"stored again after the load, which is kept as the trip is run again", true,
    IN("T", "T", "t[l] = x[at + l]" ALL("T") " barrier t[l] = x[at + l + 8]" ALL("T"))},
};

static bool has_tape(const kg_module *m) {
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (!strncmp(kg_module_buffer(m, i).name, "tape", 4)) return true;
  return false;
}

START_TEST(gradients) {
  const shape *r = &shapes[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(has_tape(c.adjoint) != r->tile, "%s: %s", r->name, r->tile ? "on a tape" : "filled again");
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, shapes, name)};
  return kgt_run("autodiff/tiles", tests, KGT_COUNT(tests));
}
