/* Gradients whose first contribution is stored: when that is so, when it must not be, and what comes out either way. Memory that is
 * not written is NaN here, and the reference watches for reads of it. */
#include "tests/autodiff/autodiff_case.h"

#define ROWS "program p { const T = 4 workgroup T grid rows param rows : u32 = 3 param cols : u32 = 6\n" \
             "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write buffer s : f32[rows] write shared part : " \
                "f32[T]\n" \
             "let lane = local_id.x let base = workgroup_id.x * cols\n"
#define SUM "part[lane] = sum barrier for k in u32(0) .. 2 { " \
            "let half = T >> (k + 1) if lane < half { part[lane] += part[lane + half] } barrier }\n"

#define FOUR_OF_ROW "s = s * 0.5 + x[a] * x[a + 1] + x[a + 2] * x[a + 3] "
#define OWN_ROWS(length) "program p { workgroup 4 grid invocations n param n : u32 = 7 param m : u32 = 5 buffer x : f32[" length "]\n" \
                         "read buffer y : f32[n] write let i = global_id.x if i < n { var s = 0.3\n"

#define TILES(each, groups) "program p { workgroup 4 grid " groups " param n : u32 = 19 buffer x : f32[n] read buffer y : f32[" groups " * 4] write\n" \
                            "let i = workgroup_id.x * " each " + local_id.x var s = 0.0\n"
#define OF_ROW(length, rows) "program p { workgroup 4 grid " rows " param n : u32 = 3 buffer x : f32[" length "] read buffer y : f32[" rows " * 4] write\n" \
                             "let g = global_id.x let r = workgroup_id.x\n"

typedef struct row { const char *name, *text; bool zeroed; } row;
static const row rows[] = {
  {"one pass", ROWS "for j in lane .. cols step T { y[base + j] = x[base + j] * x[base + j] } }", false},
  {"two passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", false},
  {"three passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] }\n"
                   "for j in lane .. cols step T { sum += sin(x[base + j]) }\n" SUM
                   "let total = part[0] for j in lane .. cols step T { y[base + j] = exp(x[base + j]) * total } }", false},
  {"the last pass the other way round", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T reversed { y[base + j] = x[base + j] * total } }", false},
  {"rows of nothing", "program p { workgroup 2 grid rows param rows : u32 = 3 param cols : u32 = 0 param more : u32 = 2\n"
                      "buffer x : f32[rows * cols] read buffer w : f32[rows] read buffer y : f32[rows] write\n"
                      "var t = 0.0 for j in local_id.x .. cols step 2 { t += x[workgroup_id.x * cols + j] }\n"
                      "if local_id.x == 0 { y[workgroup_id.x] = w[workgroup_id.x] * w[workgroup_id.x] + t } }", false},
  {"neighbours in one loop", "program p { workgroup 1 grid rows param rows : u32 = 3 param cols : u32 = 6\n"
                             "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write let base = workgroup_id.x * cols\n"
                             "for j in 0 .. cols { var t = 0.0 if j + 1 < cols { t = x[base + j + 1] * 3.0 }\n"
                             "y[base + j] = x[base + j] * x[base + j] + t } }", true},
  {"the row turned round, further up", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + (cols - 1 - j)] * "
     "2.0 }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", false},
  {"neighbours of one invocation, backwards", "program p { workgroup 1 grid 1 param n : u32 = 6 buffer x : f32[n] read buffer "
     "y : f32[n] write\n"
             "for j in 0 .. n reversed { let t = x[j + 1] * 3.0 y[j] = x[j] * x[j] + t } }", true},
  {"neighbours of one invocation", "program p { workgroup 1 grid 1 param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] "
     "write\n"
             "for j in 0 .. n { let t = x[j + 1] * 3.0 y[j] = x[j] * x[j] + t } }", true},
  {"half a row", ROWS "let most = cols / 2 var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. most step T { y[base + j] = x[base + j] * total } }", true},
  {"under a condition", ROWS "for j in lane .. cols step T { if j % 2 == 0 { y[base + j] = x[base + j] * x[base + j] } } }", true},
  {"under a condition of the data", ROWS "for j in lane .. cols step T { let v = x[base + j] if v > 0.0 { y[base + j] = v * v "
     "} } }", false},
  {"again and again", ROWS "for r in 0 .. 3 { var t = 0.0 for j in lane .. cols step T { t += x[base + j] * f32(r) }\n"
                      "part[lane] = t barrier if lane == 0 { s[workgroup_id.x] = part[0] + part[1] * part[2] } barrier } }", true},
  {"by everyone", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { var t = 0.0 for j in 0 .. n { t += x[j] } y[i] = t * x[i] } }", true},
  {"once and by all", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] "
     "write\n"
                      "let i = global_id.x if i < n { y[i] = x[0] * x[i] } }", true},
  {"in place", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read_write buffer y : f32[n] write\n"
               "let i = global_id.x if i < n { y[i] = x[i] * x[i] x[i] = x[i] * 3.0 } }", false},
  {"a matrix", "program p { workgroup 2, 3 grid invocations m, n param n : u32 = 4 param m : u32 = 5\n"
               "buffer x : f32[n * m] read buffer y : f32[n * m] write let c = global_id.x let r = global_id.y\n"
               "if r < n && c < m { y[r * m + c] = sin(x[r * m + c]) } }", false},
  {"a row an invocation", "program p { workgroup 4 grid invocations n param n : u32 = 6 param m : u32 = 3\n"
                          "buffer x : f32[n * m] read buffer y : f32[n * m] write let i = global_id.x\n"
                          "if i < n { var t = 0.0 for j in 0 .. m { t += x[i * m + j] * x[i * m + j] }\n"
                          "for j in 0 .. m { y[i * m + j] = x[i * m + j] / (1.0 + t) } } }", false},
  {"by a grid stride", "program p { workgroup 2 grid min((n + 1) / 2, 2) param n : u32 = 7 buffer x : f32[n] read buffer y : f32[n] write\n"
                       "for i in global_id.x .. n step num_workgroups.x * 2 { y[i] = x[i] * x[i] } }", false},
  {"by a grid stride in a while", "program p { workgroup 2 grid min((n + 1) / 2, 2) param n : u32 = 7 buffer x : f32[n] read buffer y : f32[n] write\n"
                       "var i = global_id.x while i < n { y[i] = x[i] * x[i] i += num_workgroups.x * workgroup_size.x } }", false},
  {"a workgroup an element, by digits of a param", "program p { workgroup 4 grid n * m param n : u32 = 3 param m : u32 = 4 in 1 .. 9\n"
                       "buffer x : f32[n, m] read buffer y : f32[n * m * 4] write let w = workgroup_id.x\n"
                       "y[global_id.x] = sin(x[w / m, w % m] * f32(local_id.x + 1)) }", false},
  {"by a grid stride on any grid", "program p { workgroup 2 grid g param n : u32 = 7 param g : u32 = 2 buffer x : f32[n] read\n"
                       "buffer y : f32[n] write for i in global_id.x .. n step g * 2 { y[i] = x[i] * x[i] } }", true},
  {"rows by workgroups", "program p { workgroup 2 grid min(n, 2) param n : u32 = 5 param m : u32 = 3 buffer x : f32[n, m] read\n"
                       "buffer y : f32[n, m] write for r in workgroup_id.x .. n step num_workgroups.x {\n"
                       "for c in local_id.x .. m step 2 { y[r, c] = x[r, c] * x[r, c] } } }", false},
  {"a recurrence backwards", OWN_ROWS("n * 8") "for k in 0 .. 8 { s = s * 0.5 + x[i * 8 + 7 - k] } y[i] = s * s } }", false},
  {"a recurrence backwards, from the end but one",
   OWN_ROWS("n * 8") "for k in 0 .. 7 { s = s * 0.5 + x[i * 8 + 6 - k] } y[i] = s * s } }", true},
  {"a recurrence backwards, into the next row",
   OWN_ROWS("n * 8 + 8") "for k in 0 .. 9 { s = s * 0.5 + x[i * 8 + 8 - k] } y[i] = s * s } }", true},
  {"a recurrence backwards of a length",
   OWN_ROWS("n * m") "for k in 0 .. m { let t = m - 1 - k s = s * 0.5 + x[i * m + t] } y[i] = s * s } }", false},
  {"a recurrence backwards over columns",
   OWN_ROWS("m * n") "for k in 0 .. m { let t = m - 1 - k s = s * 0.5 + x[t * n + i] } y[i] = s * s } }", false},
  {"a row from 1", OWN_ROWS("n * 8") "for k in 1 .. 9 { s = s * 0.5 + x[i * 8 + k - 1] } y[i] = s * s } }", false},
  {"a row from 1 whose end may wrap", OWN_ROWS("n * m") "for k in 1 .. m + 1 { s = s * 0.5 + x[i * m + k - 1] } y[i] = s * s } }", true},
  {"a chunk", OWN_ROWS("n * 8") "for k in i * 8 .. i * 8 + 8 { s = s * 0.5 + x[k] } y[i] = s * s } }", false},
  {"a chunk of a length", OWN_ROWS("n * m") "for k in i * m .. (i + 1) * m { s = s * 0.5 + x[k] } y[i] = s * s } }", false},
  {"a chunk and one more", OWN_ROWS("n * 8 + 1") "for k in i * 8 .. i * 8 + 9 { s = s * 0.5 + x[k] } y[i] = s * s } }", true},
  {"four at a time",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + k " FOUR_OF_ROW "} y[i] = s * s } }", false},
  {"four at a time backwards",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + 4 - k " FOUR_OF_ROW "} y[i] = s * s } }", false},
  {"three of four at a time",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + k s = s * 0.5 + x[a] * x[a + 3] + x[a + 2] } y[i] = s * s } }", false},
  {"four by the trip",
   OWN_ROWS("n * 8") "for k in 0 .. 2 { let a = i * 8 + 4 * k " FOUR_OF_ROW "} y[i] = s * s } }", false},
  {"two at a time, and those behind",
   OWN_ROWS("n * 8 + 2") "for k in 0 .. 8 step 2 { let a = i * 8 + k s = s * 0.5 + x[a] * x[a + 2] } y[i] = s * s } }", true},
  {"four at a time, of which some stop",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + k if s > 1.0 { break } " FOUR_OF_ROW "} y[i] = s * s } }", true},
  {"four under a condition",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + k if s < 0.7 { " FOUR_OF_ROW "} } y[i] = s * s } }", true},
  {"four, and then the first again",
   OWN_ROWS("n * 8") "for k in 0 .. 8 step 4 { let a = i * 8 + k " FOUR_OF_ROW "} s = s * x[i * 8] y[i] = s * s } }", true},
  {"four in front of another load",
   OWN_ROWS("n * 8") "s = sin(x[i * 8]) for k in 0 .. 8 step 4 { let a = i * 8 + k " FOUR_OF_ROW "} y[i] = s * s } }", false},
  {"a pair", OWN_ROWS("n * 2") "s = x[2 * i] * x[2 * i + 1] y[i] = s * s } }", false},
  {"a pair that is far apart", OWN_ROWS("n * 2") "s = x[i] * x[n + i] y[i] = s * s } }", false},
  {"three that are far apart", OWN_ROWS("n * 3") "s = x[i + 2 * n] * x[i] y[i] = s * sin(x[n + i]) } }", false},
  {"a pair that is far apart, of three", OWN_ROWS("n * 3") "s = x[i] * x[n + i] y[i] = s * s } }", true},
  {"a pair that is far apart, and neighbours before it", OWN_ROWS("n * 2") "if i > 0 { s = x[i - 1] } s = s * x[i] * x[n + i] y[i] = s * s } }", true},
  {"a pair that is far apart, and neighbours behind it", OWN_ROWS("n * 2") "s = x[i] * x[n + i] if i > 0 { s = s * x[i - 1] } y[i] = s * s } }", true},
  {"a pair that is far apart, and both before it", OWN_ROWS("n * 2") "for j in 0 .. 2 { s += x[i + j * n] } s = s * x[i] * x[n + i] y[i] = s * s } }", false},
  {"halves of rows", OWN_ROWS("n, 2 * m") "for j in 0 .. m { s += x[i, j] * x[i, j + m] } y[i] = s * s } }", false},
  {"halves of columns", OWN_ROWS("2 * n, m") "for j in 0 .. m { s += x[i, j] * x[i + n, j] } y[i] = s * s } }", false},
  {"rows and columns of a number", "program p { workgroup 4 grid invocations n * m param n : u32 = 7 param m : u32 = 5 buffer x : f32[n, m] read\n"
    "buffer y : f32[n * m] write let i = global_id.x if i < n * m { y[i] = sin(x[i / m, i % m]) } }", false},
  {"a grid that is rounded up", "program p { workgroup 4 grid (n + 3) / 4 param n : u32 = 7 buffer x : f32[n] read\n"
    "buffer y : f32[n] write let i = global_id.x if i < n { y[i] = sin(x[i]) } }", false},
  {"a grid that is rounded down", "program p { workgroup 4 grid n / 4 param n : u32 = 7 buffer x : f32[n] read\n"
    "buffer y : f32[n] write let i = global_id.x if i < n { y[i] = sin(x[i]) } }", true},
  {"a grid that is rounded up, without a guard", "program p { workgroup 4 grid (n + 3) / 4 param n : u32 = 7 buffer x : f32[n] read\n"
    "buffer y : f32[n] write let i = global_id.x y[i] = sin(x[i]) }", false},
  {"a grid that is rounded down, without a guard", "program p { workgroup 4 grid n / 4 param n : u32 = 7 buffer x : f32[n] read\n"
    "buffer y : f32[n] write let i = global_id.x y[i] = sin(x[i]) }", true},
  {"rows past the end, without a guard", "program p { workgroup 4 grid (n + 3) / 4 param n : u32 = 7 buffer x : f32[n, 3] read\n"
    "buffer y : f32[n] write let i = global_id.x var s = 0.1 for j in u32(0) .. 3 { s = sin(s * x[i, j]) } y[i] = s }", false},
  /* Several for each invocation, each guarded by its own bound. */
  {"two halves of a tile", TILES("8", "(n + 7) / 8") "if i < n { s = sin(x[i]) } if i + 4 < n { s += sin(x[i + 4]) } y[global_id.x] = s }", false},
  {"two halves of a tile, unguarded", TILES("8", "(n + 7) / 8") "s = sin(x[i]) * x[i + 4] y[global_id.x] = s }", false},
  {"two halves of a tile, the second if there is more", TILES("8", "(n + 7) / 8")
   "if i < n { s = sin(x[i]) if n > i + 4 { s += sin(x[i + 4]) } } y[global_id.x] = s }", true},
  {"two halves of a tile, the second of them turned off", TILES("8", "(n + 7) / 8")
   "if i < n { s = sin(x[i]) } if i + 4 < n - 1 { s += sin(x[i + 4]) } y[global_id.x] = s }", true},
  {"two halves of a tile, under each other's guard", TILES("8", "(n + 7) / 8")
   "if i < n { s = sin(x[i + 4]) } if i + 4 < n { s += sin(x[i]) } y[global_id.x] = s }", true},
  {"two halves of a tile, in the branch of those outside", TILES("8", "(n + 7) / 8")
   "if i >= n { s = 0.5 } else { s = sin(x[i]) } if not (i + 4 < n) { s += 0.5 } else { s += sin(x[i + 4]) } y[global_id.x] = s }", false},
  {"two halves of a tile, one of them twice", TILES("8", "(n + 7) / 8")
   "if i < n { s = sin(x[i]) } if i + 4 < n { s += sin(x[i + 4]) } if i < n { s *= x[i] } y[global_id.x] = s }", true},
  {"two halves of a tile that may be one too few", TILES("8", "n / 8") "if i < n { s = sin(x[i]) } if i + 4 < n { s += sin(x[i + 4]) } y[global_id.x] = s }", true},
  {"three parts of a tile, of no power of two", TILES("12", "(n + 11) / 12") "if i < n { s = sin(x[i]) } if i + 4 < n { s += sin(x[i + 4]) }\n"
   "if i + 8 < n { s += sin(x[i + 8]) } y[global_id.x] = s }", true},
  {"two tiles that overlap", TILES("7", "(n + 7) / 8") "if i < n { s = sin(x[i]) } if i + 4 < n { s += sin(x[i + 4]) } y[global_id.x] = s }", true},
  /* One element for all of a workgroup. */
  {"a number for each row", OF_ROW("n", "n") "y[g] = sin(x[r] * f32(local_id.x)) }", false},
  {"a number for each row, in a loop", OF_ROW("n", "n") "var s = 0.1 for j in 0 .. 3 { s = sin(s * x[r]) } y[g] = s * x[r] }", false},
  {"a number for some rows", OF_ROW("n", "n") "y[g] = 1.0 if r == 1 || local_id.x == 2 { y[g] = sin(x[r]) } }", false},
  {"a number for each row, of signed rows", OF_ROW("n", "n") "y[g] = sin(x[i32(r)] * f32(local_id.x)) }", false},
  {"a number for each row, backwards", OF_ROW("n", "n") "y[g] = sin(x[n - 1 - r] * f32(local_id.x)) }", false},
  {"a number for each row but one", OF_ROW("n + 1", "n") "y[g] = sin(x[r] * f32(local_id.x)) }", true},
  {"two numbers for each row", OF_ROW("2 * n", "n") "y[g] = x[2 * r] * x[2 * r + 1] }", true},
  {"a number for two rows", OF_ROW("(n + 1) / 2", "n") "y[g] = sin(x[r / 2] * f32(local_id.x)) }", true},
  {"a number for rows of one digit, and all rows come to the end", OF_ROW("2", "2 * n")
   "let k = r % 2 y[g] = 1.0 if r < 2 { y[g] = sin(x[k] * f32(local_id.x)) } }", true},
  {"a number for each row, and for each invocation", OF_ROW("n", "n") "y[g] = sin(x[r] * f32(local_id.x)) + x[g] }", true},
  {"a number for each row of several columns", "program p { workgroup 4 grid n, 2 param n : u32 = 3 buffer x : f32[n * 2] read\n"
    "buffer y : f32[n * 8] write let r = workgroup_id.y * n + workgroup_id.x y[r * 4 + local_id.x] = sin(x[r] * f32(local_id.x)) }", false},
  {"every other element, and the rest by others", "program p { workgroup 4 grid 3 buffer x : f32[24] read buffer y : f32[12] write\n"
                        "let i = global_id.x let s = sin(x[23 - 2 * i]) barrier y[i] = s * x[2 * i] * x[2 * i] }", false},
  {"two of three elements, one of them by others", "program p { workgroup 4 grid 3 buffer x : f32[36] read buffer y : f32[12] write\n"
                        "let i = global_id.x let s = sin(x[34 - 3 * i]) barrier y[i] = s * x[3 * i] * x[3 * i] }", false},
  {"two of three elements, one of them too far up by others", "program p { workgroup 4 grid 3 buffer x : f32[36] read buffer y : f32[12] write\n"
                        "let i = global_id.x let s = sin(x[31 - 3 * i]) barrier y[i] = s * x[3 * i] * x[3 * i] }", true},
  {"every other element", "program p { workgroup 4 grid 3 buffer x : f32[24] read buffer y : f32[12] write\n"
                        "let i = global_id.x y[i] = x[2 * i] * x[2 * i] }", false},
  {"on another grid", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
                      "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                      "let i = global_id.x if i < n { y[i] = x[i] * x[i] } } run p grid 2 }", true},
  {"by two runs", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write buffer z : f32[n] write\n"
                  "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { y[i] = x[i] * x[i] } } run p run p(y = z) }", false},
  {"in a repeat", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] read_write\n"
                  "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] read_write\n"
                  "let i = global_id.x if i < n { y[i] = y[i] + x[i] * x[i] } } repeat k in 0 .. 3 { run p } }", true},
};

/* Which buffers' shadows are, each in brackets. */
static const char *zeroed_of(const kg_module *m, char out[64]) {
  char *text = NULL;
  size_t size = 0, used = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  out[0] = 0;
  for (const char *run = text; (run = strstr(run, "run zero_")) != NULL; run += 9)
    for (const char *at = run, *end = strchr(run, ')'); (at = strstr(at, " = grad_")) != NULL && at < end && used < 60; at += 8)
      used += (size_t)snprintf(out + used, 64 - used, "[%.*s]", (int)strcspn(at + 8, ",)"), at + 8);
  free(text);
  return out;
}

static bool zeroes(const kg_module *m) {
  char zeroed[64];
  return strstr(zeroed_of(m, zeroed), "[x]") != NULL;
}

START_TEST(gradients) {
  const row *r = &rows[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(zeroes(c.adjoint) == r->zeroed, "%s: %s", r->name, r->zeroed ? "not zeroed" : "zeroed");
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* ---- in place ---- */

#define STAGED "program p { workgroup 4 grid n / 4 param n : u32 = 8 param d : u32 = 3 buffer x : f32[n * d + 4] read_write\n" \
               "buffer y : f32[n] write shared s : f32[4] let t = local_id.x let g = global_id.x let i = g * d\n"

/* Who stores to an element between two barriers has it alone, and so has who loads it between two others. `zeroed` says that it is added
 * atomically. */
static const row staged[] = {
  {"by way of shared memory", STAGED "s[t] = x[i] * x[i] barrier x[i] = s[t ^ 1] }", false},
  {"loaded under a condition", STAGED "s[t] = 0.5 if t < 2 { s[t] = x[i] * x[i] } barrier x[i] = s[t ^ 1] }", false},
  {"loaded twice", STAGED "s[t] = x[i] barrier let v = s[t ^ 1] * x[i] barrier x[i] = v }", false},
  {"stored under a condition", STAGED "s[t] = x[i] * x[i] barrier if t < 2 { x[i] = s[t ^ 1] } }", true},
  {"stored and loaded under conditions", STAGED "if t < 3 { s[t] = x[i] * x[i] } barrier if t < 2 { x[i] = s[t] } }", true},
  {"neighbours loaded beside it", STAGED "s[t] = x[i] * x[i + 1] barrier x[i] = s[t ^ 1] }", true},
  {"elements of trips", STAGED "for k in u32(0) .. 2 { let j = i + k s[t] = x[j] * x[j] barrier x[j] = s[t ^ 1] barrier } }", true},
  {"another element stored", STAGED "s[t] = x[i] * x[i] barrier x[i + 1] = s[t ^ 1] }", true},
};

START_TEST(in_place) {
  const row *r = &staged[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  char *text = NULL;
  size_t size = 0;
  adt_prepare(&c, r->text, NULL);
  ck_assert_int_eq(kg_module_print(NULL, c.adjoint, NULL, &text, &size), KG_OK);
  ck_assert_msg((strstr(text, "atomic_add(grad_x") != NULL) == r->zeroed, "%s: %s", r->name, text);
  free(text);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* ---- modules ---- */

#define MODULE(more) "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write buffer t : f32[n] temp\n" more \
  "program square { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n" \
  "let i = global_id.x if i < n { b[i] = a[i] * a[i] } }\n" \
  "program wave { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n" \
  "let i = global_id.x if i < n { b[i] = sin(a[i]) + a[(i + 1) % n] } }\n" \
  "program half { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n" \
  "let i = global_id.x if i < n { b[i] = 1.0 } if i < n / 2 { b[i] = a[i] * 3.0 } }\n" \
  "program into { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] read_write\n" \
  "let i = global_id.x if i < n { b[i] = b[i] * a[i] } }\n"

/* `zeroed`: which buffers' shadows, each in brackets; `wrt`: NULL: all. */
typedef struct of_module { const char *name, *text, *wrt, *zeroed; } of_module;
static const of_module modules[] = {
  {"a chain", MODULE("") "run square(a = x, b = t) run square(a = t, b = y) }", NULL, ""},
  {"the last one covers",
   MODULE("buffer z : f32[n] write ") "run wave(a = x, b = t) run square(a = x, b = z) run square(a = t, b = y) }", NULL, ""},
  {"a later one reads some of it",
   MODULE("buffer z : f32[n] write ") "run square(a = x, b = z) run half(a = x, b = t) run square(a = t, b = y) }",
   NULL, "[x]"},
  {"a later one reads neighbours",
   MODULE("buffer z : f32[n] write ") "run square(a = x, b = z) run wave(a = x, b = y) }", NULL, ""},
  {"a shadow is used up for who reads it again",
   MODULE("buffer z : f32[n] write ") "run square(a = x, b = t) run square(a = t, b = y) run half(a = x, b = t)\n"
   "run square(a = t, b = z) }", NULL, "[x]"},
  {"what a later one overwrites",
   MODULE("buffer u : f32[n] read_write ") "run square(a = u, b = t) run square(a = x, b = u) run into(a = t, b = u)\n"
   "run square(a = u, b = y) }", "u", ""},
  {"part of a longer one",
   MODULE("buffer z : f32[n / 2] write ") "run square(a = x, b = t) run square(a = t, b = y) run square(n = n / 2, a = x, b = z) }",
   NULL, "[x]"},
  {"a slice",
   MODULE("buffer z : f32[n / 2] write ") "run square(a = x, b = t) run square(a = t, b = y) "
   "run square(n = n / 2, a = x[0 .. n / 2], b = z) }",
   NULL, "[x]"},
  {"slices that are the whole",
   MODULE("buffer z : f32[n] write ") "run square(a = x, b = t) run square(a = t, b = y) run square(a = x[0 .. n], b = z) }",
   NULL, "[x]"},
  {"on another grid", MODULE("") "run square(a = x, b = t) grid 4 run square(a = t, b = y) }", NULL, "[x][t]"},
  {"on the grids of runs", MODULE("") "run square(a = x, b = t) run half(a = t, b = y) invocations n }", NULL, "[t]"},
  {"on a larger grid of a run", MODULE("") "run wave(a = x, b = t) run square(a = t, b = y) invocations n + 1 }", NULL, "[t]"},
  {"on the same grid, of the run", MODULE("") "run wave(a = x, b = t) run square(a = t, b = y) invocations n }", NULL, ""},
  {"in rounds",
   MODULE("") "run square(a = x, b = y) repeat k in 0 .. 2 { run square(a = x, b = t) run into(a = t, b = y) } }", NULL, "[x]"},
  {"in no round",
   MODULE("") "run square(a = x, b = y) repeat k in 2 .. 2 { run square(a = x, b = t) run into(a = t, b = y) } }", NULL, "[x]"},
  {"before rounds of others",
   MODULE("") "run square(a = x, b = t) run square(a = t, b = y) repeat k in 0 .. 3 { run into(a = x, b = y) } }", NULL, "[x]"},
  {"in rounds, and behind them",
   MODULE("buffer z : f32[n] write ") "run square(a = x, b = y) repeat k in 0 .. 3 { run into(a = x, b = y) } "
   "run square(a = x, b = z) }",
   NULL, ""},
  {"a buffer that is an output too",
   MODULE("buffer u : f32[n] read_write ") "run square(a = u, b = t) run into(a = t, b = u) "
   "run square(a = u, b = y) }", NULL, "[x]"},
  {"two of one buffer",
   MODULE("") "program two { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer c : f32[n] read buffer b : f32[n] "
   ""
   "write\nlet i = global_id.x if i < n { b[i] = a[i] * c[i] } } run two(a = x, c = x, b = t) run two(a = t, c = x, b = y) }", NULL, ""},
  {"nothing of it is asked for",
   MODULE("buffer w : f32[n] read ") "run square(a = w, b = t) run into(a = x, b = t) run square(a = t, b = y) }", "x", ""},
};

START_TEST(of_modules) {
  const of_module *r = &modules[_i];
  char zeroed[64];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  if (r->wrt) c.params.wrt = &r->wrt, c.params.wrt_count = 1;
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(!strcmp(zeroed_of(c.adjoint, zeroed), r->zeroed), "%s: zeroed are %s", r->name, zeroed);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* What t holds behind the run is of no use: nobody reads it, or it is overwritten. A copy of its shadow is taken when an adjoint has stored
 * to that, or before one does. */
static const of_module copied[] = {
  {"before it is stored to", MODULE("") "run square(a = x, b = t) run square(a = t, b = y) run square(a = x, b = t) }", "t after square:3", ""},
  {"when it was taken", MODULE("") "run square(a = x, b = t) run square(a = x, b = t) run square(a = t, b = y) }", "t after square:1", ""},
};

START_TEST(copies) {
  const of_module *r = &copied[_i];
  const char *wrt[] = {"x", r->wrt};
  adt_case c = {.seed = 1, .params = {.wrt = wrt, .wrt_count = 2}};
  ck_assert_int_eq(adt_differentiate(&c, r->text), KG_OK);
  adt_allocate(&c.result, c.adjoint, NULL, NULL);
  for (uint64_t i = 0; i < 6; i++) adt_set(&c.result, "x", i, 2), adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  for (uint64_t i = 0; i < 6; i++) ck_assert_double_eq(adt_get(&c.result, _i ? "grad_t_after_square_1" : "grad_t_after_square_3", i), 0);
  adt_free(&c);
} END_TEST

/* A stated adjoint has a shadow of what its program writes, be it of no use, and takes what is there. */
START_TEST(beside_a_stated_one) {
  adt_case c = {.seed = 1};
  adt_prepare(&c, MODULE("buffer z : f32[n] write ")
    "program twice adjoint twice_back { workgroup 2 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
    "buffer d : f32[n] write let i = global_id.x if i < n { b[i] = a[i] * 2.0 d[i] = a[i] * 3.0 } }\n"
    "program twice_back { workgroup 2 grid invocations n param n : u32 buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write\n"
    "buffer grad_d : f32[n] read_write let i = global_id.x if i < n { grad_a[i] += grad_b[i] * 2.0 + grad_d[i] * 3.0\n"
    "grad_b[i] = 0.0 grad_d[i] = 0.0 } }\n"
    "run square(a = x, b = t) run square(a = t, b = y) run twice(a = x, b = z, d = t) }", NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* What is accumulated to is neither stored to nor zeroed, in a module as elsewhere. */
START_TEST(accumulated_in_modules) {
  adt_case c = {.seed = (uint32_t)_i + 1, .label = modules[_i].name, .params = {.accumulate = true}};
  if (modules[_i].wrt) c.params.wrt = &modules[_i].wrt, c.params.wrt_count = 1;
  adt_prepare(&c, modules[_i].text, NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* What the caller had in it stays, and is added to: x = 3, y = x * x, grad_y = 1 add 6 to 10. */
START_TEST(accumulated) {
  adt_case c = {.params = {.accumulate = true}};
  adt_prepare(&c, ROWS "for j in lane .. cols step T { y[base + j] = x[base + j] * x[base + j] } }", NULL);
  for (uint64_t i = 0; i < 18; i++) adt_set(&c.before, "x", i, 3);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 18; i++) adt_set(&c.result, "grad_x", i, 10), adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  for (uint64_t i = 0; i < 18; i++) ck_assert_double_eq(adt_get(&c.result, "grad_x", i), 16);
  adt_free(&c);
} END_TEST

static const uint64_t size[][2] = {{1, 1}, {1, 4}, {2, 3}, {3, 4}, {2, 5}, {4, 9}, {5, 2}};

/* No size of a row, of the rows or of both changes that: 0 included. */
START_TEST(sizes) {
  adt_case c = {.seed = 5};
  adt_prepare(&c, rows[1 + _i % 2].text, size[_i / 2]);
  ck_assert(!zeroes(c.adjoint));
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, rows, name), KGT_TABLE(in_place, staged, name), KGT_TABLE(of_modules, modules, name),
                            KGT_TABLE(copies, copied, name), KGT(beside_a_stated_one), KGT_TABLE(accumulated_in_modules, modules, name),
                            KGT(accumulated), KGT_TIMES(sizes, 2 * KGT_COUNT(size))};
  return kgt_run("autodiff/stored", tests, KGT_COUNT(tests));
}
