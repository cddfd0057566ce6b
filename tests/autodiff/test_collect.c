/* What invocations add to elements beside their own, collected by whose elements they are: when that is so, and when each adds for itself. Either
 * way the gradient is that of duals. Memory that is not written is NaN here, and the reference watches for reads of it. */
#define ADT_OPEN 30
#include "tests/autodiff/autodiff_case.h"

#define ROW_OF(n, grid, body) "program p { const W = 4 workgroup 8 grid " grid " param n : u32 = " n " param s : u32 = 3 buffer x : f32[n] read\n" \
                              "buffer m : u32[n] read in 0 .. 9 buffer w : f32[n] read buffer y : f32[n] write let i = global_id.x\n" body " }"
#define ROW(body) ROW_OF("21", "invocations n", "if i < n { let u = x[i] var t = u * u\n" body " y[i] = t }")
#define PLANE(body) "program p { workgroup 4, 2 grid invocations w, h param w : u32 = 7 param h : u32 = 5 buffer x : f32[h, w] read\n" \
                    "buffer y : f32[h, w] write let j = global_id.x let i = global_id.y if i >= h || j >= w { return }\n" \
                    "let u = x[i, j] var t = u * u\n" body " y[i, j] = t }"
#define FLAT(body) "program p { workgroup 4, 2 grid invocations w, h param w : u32 = 7 param h : u32 = 5 buffer x : f32[w * h] read\n" \
                   "buffer y : f32[w * h] write let j = global_id.x let i = global_id.y if i < h && j < w {\n" \
                   "let u = x[i * w + j] var t = u * u\n" body " y[i * w + j] = t } }"
#define NEIGHBOURS(extents, condition, value) \
  "program p { workgroup 4, 2 grid invocations w, h param w : u32 = 7 param h : u32 = 5 buffer x : f32[" extents "] read\n" \
  "buffer y : f32[h, w] write let j = global_id.x let i = global_id.y if " condition " { y[i, j] = " value " } }"
#define FLAT_NEIGHBOURS(length, condition, value) \
  "program p { workgroup 4, 2 grid invocations w, h param w : u32 = 7 param h : u32 = 5 buffer x : f32[" length "] read\n" \
  "buffer y : f32[h * w] write let j = global_id.x let i = global_id.y let k = i * w + j if " condition " { y[k] = " value " } }"

typedef struct shape { const char *name; bool collects; const char *text; } shape;
static const shape shapes[] = {
  {"the one before and the one behind, held at the ends", true, ROW("t += x[select(i == 0, i, i - 1)] * u + 0.5 * x[min(i + 1, n - 1)]")},
  {"in a ring", true, ROW("t += x[(i + n - 1) % n] * u + sin(x[(i + 1) % n])")},
  {"in a ring, by conditions", true, ROW("t += x[select(i == 0, n - 1, i - 1)] * x[select(i + 1 == n, 0, i + 1)]")},
  {"in a ring of one", true, ROW_OF("1", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + x[(i + n - 1) % n] }")},
  {"in a ring of two", true, ROW_OF("2", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + x[(i + n - 1) % n] }")},
  {"in a ring that is shorter than the row", true, ROW("if i < 10 { t += x[(i + 1) % 10] * u }")},
  {"in a ring that is shorter than the row, backwards", true, ROW("if i < s { t += x[(i + s - 1) % s] * u }")},
  {"below a bound that is not the row's", true, ROW("if i < 10 { t += x[min(i + 2, 9)] * u }")},
  {"past its ends", true, ROW_OF("2", "invocations n", "if i < n { y[i] = x[i] * x[min(i + 3, n - 1)] + x[saturating_sub(i, 2)] }")},
  {"some further off", true, ROW("t += x[saturating_sub(i, 3)] * u + x[min(i + 4, n - 1)] + x[max(i, 2) - 2]")},
  {"by a param", true, ROW("if i + s < n { t += x[i + s] * u } if i >= s { t += x[i - s] }")},
  {"in a ring, by comparisons", true, ROW("t += x[select(i > 0, i - 1, n - 1)] * x[select(i + 1 < n, i + 1, 0)]")},
  {"in a ring, by other comparisons", true, ROW("let b = i + 1 t += x[select(i < 1, n - 1, i - 1)] * x[select(n <= b, 0, b)] + x[select(n - 1 > i, b, 0)]")},
  {"in a ring, by no comparison", true, ROW("t += x[select(not(1 <= i), n - 1, i - 1)] * x[select(not(i >= n - 1), i + 1, 0)]")},
  {"in a ring that breaks off", false, ROW("t += x[select(i > 1, i - 1, n - 1)] * u")},
  {"in a ring that turns too late", false, ROW("t += x[select(i + 1 <= n, i + 1, 0)] * u")},
  {"in a ring of one less", false, ROW("t += x[select(i + 2 < n, i + 1, 0)] * u")},
  {"by a constant", true, ROW("t += x[select(i + W < n, i + W, i)] * u")},
  {"under conditions of the neighbour's", true, ROW("if i > 0 { if m[i - 1] > 4 { t += x[i - 1] * u } }")},
  {"under a condition of data, of the element that is looked at alone", true, ROW("if i + 1 < n && w[i] > 0.0 { t += w[i] * log(x[i + 1] * x[i + 1] + 0.5) }")},
  {"two ways to one element", true, ROW("t += x[select(i == 5, 7, min(i + 1, n - 1))] * u + x[select(i == 5, 6, max(i, 1) - 1)]")},
  {"all ways to one element", true, ROW("t += x[select(i == 5, 6, min(i + 1, n - 1))] * u + x[select(i == 3, 5, i)] * x[select(i == 7, 6, max(i, 1) - 1)]")},
  {"a grid without a guard", true, "program p { workgroup 8 grid 3 buffer x : f32[24] read buffer y : f32[24] write let i = global_id.x\n"
     "y[i] = x[i] * x[max(i, 1) - 1] + x[saturating_sub(i, 5)] }"},
  {"a grid and a guard", true, "program p { workgroup 8 grid 3 buffer x : f32[24] read buffer y : f32[24] write let i = global_id.x\n"
     "if i < 24 { y[i] = x[i] * 2.0 + x[min(i + 1, 23)] * x[i] } }"},
  {"a plane, held at the ends", true, PLANE("t += x[select(i == 0, 0, i - 1), j] * u + x[min(i + 1, h - 1), max(j, 1) - 1] + x[i, min(j + 1, w - 1)]")},
  {"a plane, under conditions", true, PLANE("if j > 0 { t += x[i, j - 1] * u } if j + 1 < w && i > 1 { t += x[i - 2, j + 1] }")},
  {"a torus", true, PLANE("t += x[(i + h - 1) % h, j] * u + x[i, (j + 1) % w] * x[(i + 1) % h, (j + w - 1) % w]")},
  {"a flat torus", true, FLAT("t += x[(i + h - 1) % h * w + j] * u + x[i * w + (j + 1) % w]")},
  {"a flat plane, held at the ends", true, FLAT("t += x[min(i + 1, h - 1) * w + select(j == 0, j, j - 1)] * u")},
  {"of two arrays in one", true, "program p { workgroup 4 grid invocations n param n : u32 = 7 buffer x : f32[2, n] read buffer y : f32[2, n] write\n"
     "let i = global_id.x if i >= n { return } let u = x[0, i] let v = x[1, i]\n"
     "y[0, i] = u * v + x[0, (i + 1) % n] y[1, i] = v * v + x[1, min(i + 1, n - 1)] * x[0, (i + n - 1) % n] }"},
  {"of doubles", true, "program p { workgroup 8 grid 2 buffer x : f64[16] read buffer y : f64[16] write let i = global_id.x\n"
     "y[i] = x[i] * x[max(i, 1) - 1] }"},
  /* what just misses */
  {"the next row", false, FLAT("if i * w + j + 1 < w * h { t += x[i * w + j + 1] * u }")},
  {"the next row, in part", false, FLAT("if j % 2 == 0 || j + 1 < w { t += x[min(i * w + j + 1, w * h - 1)] * u }")},
  {"an element that is looked up", false, ROW("t += x[m[i] % n] * u")},
  {"by data", false, ROW("t += x[select(m[i] > 3, i, min(i + 1, n - 1))] * u")},
  {"a factor of two", false, ROW("t += x[min(2 * i, n - 1)] * u")},
  {"of all but the last", true, ROW_OF("21", "invocations n", "if i + 1 < n { y[i] = x[i] * x[i + 1] }")},
  {"of the inner ones", true, ROW_OF("21", "invocations n", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i] + x[i + 1] }")},
  {"of the inner ones, without their own", true, ROW_OF("21", "invocations n", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i + 1] }")},
  {"of neighbours alone, held at the ends", true, ROW_OF("21", "invocations n", "if i < n { y[i] = x[max(i, 1) - 1] * x[min(i + 1, n - 1)] }")},
  {"of neighbours alone, in a row of three", true, ROW_OF("3", "invocations n", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i + 1] }")},
  {"of neighbours alone, on a grid of less", false, ROW_OF("21", "2", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i + 1] }")},
  {"of neighbours alone, by twos", false, ROW_OF("21", "invocations n", "if i > 0 && 2 * i < n - 1 { y[i] = x[2 * i - 1] * x[i + 1] }")},
  {"of neighbours in a plane", true, NEIGHBOURS("h, w", "i > 0 && j > 0 && i < h - 1 && j < w - 1",
     "0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] * x[i, j + 1])")},
  {"of neighbours in a plane of two orders", false, NEIGHBOURS("w, w", "i < h && j < w - 1", "x[i, j] * x[j, i] + x[i, j + 1]")},
  {"of neighbours in a flat plane", true, FLAT_NEIGHBOURS("w * h", "i > 0 && j > 0 && i < h - 1 && j < w - 1", "0.25 * (x[k - 1] + x[k + 1] + x[k - w] * x[k + w])")},
  {"of neighbours in a flat plane, in other words", true, FLAT_NEIGHBOURS("w * h", "0 != i && 1 <= j && i + 1 < h && j <= w - 2 && j < w",
     "x[k] * x[k + w - 1] + x[k - w + 1]")},
  {"of neighbours in a flat plane of numbers", true, "program p { workgroup 4, 2 grid invocations 7, 5 buffer x : f32[35] read buffer y : f32[35] write\n"
     "let j = global_id.x let i = global_id.y if i > 0 && j > 0 && i <= 3 && j < 6 { let k = j + 7 * i y[k] = x[k] * x[k - 6] + x[k + 8] * x[k - 7] } }"},
  {"of neighbours in a flat plane, whose row is not asked", false, FLAT_NEIGHBOURS("w * h", "i > 0 && i < h - 1 && j < w", "x[k] * x[k - 1] + x[k + w]")},
  {"of neighbours in a flat plane, one too far", false, FLAT_NEIGHBOURS("w * h", "i > 0 && j > 0 && i < h - 1 && j < w - 1", "x[k] * x[k + 2] + x[k - w]")},
  {"of neighbours in a flat plane, by a bound that may wrap", false, FLAT_NEIGHBOURS("w * h", "i > 0 && j > 0 && i < h - 1 && j < w - 2", "x[k] * x[k + 2] + x[k - w]")},
  {"of neighbours in a flat plane of longer rows", false, FLAT_NEIGHBOURS("(w + 1) * h", "i > 0 && j > 0 && i < h - 1 && j < w - 1", "x[k + i] * x[k + i - 1]")},
  {"in a ring of one, by comparisons", true, ROW_OF("1", "invocations n", "if i < n { y[i] = x[i] * x[select(i > 0, i - 1, n - 1)] + x[select(i + 1 < n, i + 1, 0)] }")},
  {"in a ring of two, by comparisons", true, ROW_OF("2", "invocations n", "if i < n { y[i] = x[i] * x[select(i > 0, i - 1, n - 1)] + x[select(i < n - 1, i + 1, 0)] }")},
  {"in a ring, on a grid of less", false, ROW_OF("21", "2", "if i < n { y[i] = x[i] * x[select(i > 0, i - 1, n - 1)] }")},
  {"of the inner ones, on a grid of less", false, ROW_OF("21", "2", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i] + x[i + 1] }")},
  {"of the inner ones, by twos", false, ROW_OF("21", "invocations n", "if i > 0 && 2 * i < n - 1 { y[i] = x[2 * i - 1] * x[2 * i] + x[2 * i + 1] }")},
  {"of the inner ones, stored in two places", true, ROW_OF("21", "invocations n", "if i < n { if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i] + x[i + 1] } else { y[i] = x[i] } }")},
  {"halves that nobody else loads", false, ROW_OF("22", "invocations n", "if i < 11 { y[i] = x[i] * x[i + 11] }")},
  {"beside an element that is looked up", false, ROW_OF("21", "invocations n", "if i > 0 && i < n - 1 { y[i] = x[m[i]] * x[i] }")},
  {"what data guards besides", true, ROW_OF("21", "invocations n", "if i > 0 && i < n - 1 { if w[i] > 0.0 { y[i] = x[i - 1] * x[i] + x[i + 1] } }")},
  {"ids of the workgroup", false, ROW("t += x[min(i + 1, n - 1)] * f32(local_id.x) * u")},
  {"a state of trips", false, ROW("var v = x[(i + 1) % n] for k in 0 .. s { v = sin(v) + u } t += v")},
  {"each row of two comes by", false, "program p { workgroup 4, 2 grid invocations n, 2 param n : u32 = 7 buffer x : f32[n] read buffer y : f32[2, n] write\n"
     "let i = global_id.x let r = global_id.y if i < n && r < 2 { var t = x[(i + 1) % n] if r == 0 { t += x[i] * x[i] } y[r, i] = t } }"},
  {"in place", false, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write let i = global_id.x let a = x[(i + 1) % 8] * x[i] barrier x[i] = a }"},
};

/* Of buffers whose length the host decides, on grids that have fewer invocations than there are elements, or more. */
#define OPEN_ROW(n, grid, body) "program p { workgroup 4 grid " grid " param n : u32 = " n " param s : u32 = 3 buffer x : f32[] read\n" \
                                "buffer y : f32[] write let i = global_id.x\n" body " }"
#define OPEN_PLANE(w, h, grid, body) "program p { workgroup 4, 2 grid " grid " param w : u32 = " w " param h : u32 = " h " buffer x : f32[] read\n" \
                                     "buffer y : f32[] write let j = global_id.x let i = global_id.y let k = i * w + j\n" body " }"
static const shape fronts[] = {
  {"in a ring", true, OPEN_ROW("21", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + sin(x[(i + n - 1) % n]) }")},
  {"in a ring of one", true, OPEN_ROW("1", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + sin(x[(i + n - 1) % n]) }")},
  {"in a ring of two", true, OPEN_ROW("2", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + sin(x[(i + n - 1) % n]) }")},
  {"in a ring, on a grid of less", true, OPEN_ROW("21", "3", "if i < n { y[i] = x[i] * x[(i + 1) % n] + x[i] * x[(i + n - 1) % n] }")},
  {"past the buffer's end", true, OPEN_ROW("200", "invocations n", "if i < n { y[i] = x[i] * x[(i + 1) % n] + x[i] * x[(i + n - 1) % n] }")},
  {"without a guard", true, OPEN_ROW("21", "3", "y[i] = x[i] * x[i + 1] + sin(x[i + s])")},
  {"below the length", true, OPEN_ROW("21", "invocations n", "if i < len(x) { y[i] = x[i] * x[saturating_sub(i, 2)] + x[i + 5] }")},
  {"under two guards", true, OPEN_ROW("21", "6", "if i < n && i < len(y) { y[i] = x[i] * x[i + 1] } ")},
  {"outside of the guard", true, OPEN_ROW("21", "6", "var t = 0.0 if i < n { t = x[i] * x[i] } y[i] = t + sin(x[i + 1])")},
  {"its own, again", true, OPEN_ROW("10", "4", "var t = 0.0 if i < n { t = x[i] * x[i] } if i + 3 < 2 * n { t += sin(x[i]) * x[i + 1] } y[i] = t")},
  {"of the inner ones", true, OPEN_ROW("21", "invocations n", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i] + x[i + 1] }")},
  {"of the inner ones, on a grid of less", true, OPEN_ROW("21", "3", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i] + x[i + 1] }")},
  {"of neighbours alone", true, OPEN_ROW("21", "3", "if i > 0 && i < n - 1 { y[i] = x[i - 1] * x[i + 1] }")},
  {"a torus", true, OPEN_PLANE("7", "5", "invocations w, h", "if j < w && i < h { y[k] = x[k] * x[(i + h - 1) % h * w + j] + x[i * w + (j + 1) % w] }")},
  {"a torus of one by two", true, OPEN_PLANE("1", "2", "invocations w, h", "if j < w && i < h { y[k] = x[k] * x[(i + h - 1) % h * w + j] + x[i * w + (j + 1) % w] }")},
  {"a torus, on a narrow grid", true, OPEN_PLANE("7", "5", "1, 3", "if j < w && i < h { y[k] = x[k] * x[(i + h - 1) % h * w + j] + x[i * w + (j + 1) % w] }")},
  {"a torus, on a low grid", true, OPEN_PLANE("7", "5", "2, 1", "if j < w && i < h { y[k] = x[k] * x[(i + h - 1) % h * w + j] + x[i * w + (j + 1) % w] }")},
  {"rows that wrap", true, OPEN_PLANE("65536", "131072", "1, 2", "if j < w && i < h { if i + 65536 < h { if i == 0 { y[j] = x[k] * x[(i + 65536) * w + j] } } }")},
  {"the inner ones of a plane", true, OPEN_PLANE("7", "5", "2, 3", "if j >= w || i >= h { return } if i > 0 && j > 0 && i < h - 1 && j < w - 1 {\n"
     "y[k] = x[k] + 0.1 * (x[k - 1] * x[k + 1] + x[k - w] + x[k + w]) } else { y[k] = x[k] }")},
  /* what just misses */
  {"the next row", false, OPEN_PLANE("7", "5", "2, 3", "if j < w && i < h { y[k] = x[k] * x[k + 1] }")},
  {"the row below alone", false, OPEN_PLANE("7", "5", "2, 3", "if j < w { y[k] = x[k] * x[k + w] }")},
  {"rows that are longer", false, OPEN_PLANE("7", "5", "2, 3", "if j < w && i < h && i * (w - 1) + j < 30 { y[k] = x[i * (w - 1) + j] * x[(i + 1) * (w - 1) + j] }")},
};

#define STEPS(extra, runs) "module p { param n : u32 = 11 param steps : u32 = 3 buffer x : f32[n] read buffer a : f32[n] temp buffer b : f32[n] temp\n" \
  "buffer y : f32[n] write\n" \
  "program start { workgroup 8 grid invocations n param n : u32 buffer x : f32[n] read buffer u : f32[n] write let i = global_id.x\n" \
  "if i < n { u[i] = 0.5 + 0.25 * x[i] } }\n" \
  "program step { workgroup 8 grid invocations n param n : u32 buffer src : f32[n] read buffer dst : f32[n] write let i = global_id.x\n" \
  "if i >= n { return } let u = src[i] dst[i] = u + 0.3 * src[(i + 1) % n] * u }\n" \
  "program own { workgroup 8 grid invocations n param n : u32 buffer src : f32[n] read buffer dst : f32[n] write let i = global_id.x\n" \
  "if i < n { dst[i] = sin(src[i]) } }\n" extra runs " }"
#define PART "program part { workgroup 8 grid invocations n param n : u32 buffer src : f32[n] read buffer dst : f32[n] write let i = global_id.x\n" \
  "if i + 1 < n { dst[i] = src[i] * 0.5 } }\n"
#define ADDED "program added { workgroup 8 grid invocations n param n : u32 buffer src : f32[n] read buffer dst : f32[n] read_write\n" \
  "let i = global_id.x if i < n { dst[i] = dst[i] + 0.5 * src[i] } }\n"
#define FAR "program far { workgroup 8 grid invocations n param n : u32 buffer src : f32[n] read buffer dst : f32[n] write let i = global_id.x\n" \
  "if i < n { dst[i] = src[i] * src[i * i % n] } }\n"

/* Its grid is its runs' to say; k: a number of its own beside its length. */
#define OPEN "program open { workgroup 8 param n : u32 param k : u32 buffer src : f32[n] read buffer dst : f32[n] write let i = global_id.x\n" \
  "if i < n { dst[i] = sin(src[i]) * src[(i + 1) % n] } }\n"

/* Of modules: whether anything is zeroed, by a run or in place. */
static const shape modules[] = {
  {"two take turns", false, STEPS("", "run start(u = a) repeat k in 0 .. steps { run step(src = a, dst = b) run step(src = b, dst = a) } run step(src = a, dst = y)")},
  {"two take turns, each element by itself", false, STEPS("", "run start(u = a) repeat k in 0 .. steps { run own(src = a, dst = b) run own(src = b, dst = a) }\n"
     "run own(src = a, dst = y)")},
  {"in no round", false, STEPS("", "run start(u = a) repeat k in 0 .. steps - 3 { run step(src = a, dst = b) run step(src = b, dst = a) } run step(src = a, dst = y)")},
  {"rounds of rounds", false, STEPS("", "run start(u = a) repeat k in 0 .. steps { repeat l in 0 .. k { run step(src = a, dst = b) run step(src = b, dst = a) }\n"
     "run own(src = a, dst = b) run step(src = b, dst = a) } run step(src = a, dst = y)")},
  {"what is left is looked at", true, STEPS("", "run start(u = a) run step(src = a, dst = b) repeat k in 0 .. steps { run step(src = b, dst = a) run step(src = a, dst = b) }\n"
     "run own(src = a, dst = y) run start(x = b, u = y)")},
  {"what nobody looks at", true, STEPS("", "run start(u = a) run start(u = b) repeat k in 0 .. steps { run step(src = a, dst = b) run step(src = b, dst = a) }\n"
     "run step(src = b, dst = a) run step(src = b, dst = y)")},
  {"not all is stored", true, STEPS(PART, "run start(u = a) run start(u = b) repeat k in 0 .. steps { run step(src = a, dst = b) run part(src = b, dst = a) }\n"
     "run step(src = a, dst = y)")},
  {"some is added", true, STEPS(ADDED, "run start(u = a) run start(u = b) repeat k in 0 .. steps { run added(src = a, dst = b) run step(src = b, dst = a) }\n"
     "run step(src = a, dst = y)")},
  {"one does not collect", true, STEPS(FAR, "run start(u = a) repeat k in 0 .. steps { run far(src = a, dst = b) run step(src = b, dst = a) }\n"
     "run step(src = a, dst = y)")},
  {"one of three does not collect", true, STEPS(FAR, "run start(u = a) repeat k in 0 .. steps { run step(src = a, dst = b) run far(src = b, dst = a)\n"
     "run step(src = a, dst = b) run step(src = b, dst = a) } run step(src = a, dst = y)")},
  {"grids that runs say, and the same", false, STEPS(OPEN, "run open(src = x, dst = a, k = n) invocations n run open(src = a, dst = y, k = 3) invocations n")},
  {"one grid that holds a group too few", true, STEPS(OPEN, "run open(src = x, dst = a, k = n) invocations n run open(src = a, dst = y, k = 3) invocations n - 3")},
  {"grids of another number", true, STEPS(OPEN, "run open(src = x, dst = a, k = steps) invocations n run open(src = a, dst = y, k = steps) invocations n + steps")},
  {"workgroups beside invocations", true, STEPS(OPEN, "run open(src = x, dst = a, k = n) invocations n run open(src = a, dst = y, k = n) grid n")},
  {"three loads of one", true, STEPS("", "run start(u = a) repeat k in 0 .. steps { run step(src = a, dst = b) run own(src = a, dst = y) run step(src = b, dst = a) }\n"
     "run step(src = a, dst = y)")},
};

static bool has(const kg_module *m, const char *what) {
  char *text = NULL;
  size_t size;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  bool found = strstr(text, what) != NULL;
  free(text);
  return found;
}

START_TEST(gradients) {
  const shape *r = &shapes[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  c.params.wrt = (const char *[]){"x"}, c.params.wrt_count = 1;
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(has(c.adjoint, "var sum") == r->collects, "%s: %s", r->name, r->collects ? "added one by one" : "collected");
  ck_assert(!r->collects || (!has(c.adjoint, "atomic") && !has(c.adjoint, "zero")));
  adt_verify(&c);
  adt_free(&c);
} END_TEST

START_TEST(of_all_inputs) {
  adt_case c = {.seed = (uint32_t)_i + 1, .label = shapes[_i].name};
  adt_prepare(&c, shapes[_i].text, NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

START_TEST(of_open_lengths) {
  const shape *r = &fronts[_i];
  for (unsigned added = 0; added < 2; added++) {
    adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name, .params = {.accumulate = added}};
    c.params.wrt = (const char *[]){"x"}, c.params.wrt_count = 1;
    adt_prepare(&c, r->text, NULL);
    ck_assert_msg(has(c.adjoint, "var sum") == r->collects, "%s: %s", r->name, r->collects ? "added one by one" : "collected");
    adt_verify(&c);
    adt_free(&c);
  }
} END_TEST

/* Added to what the caller has. */
START_TEST(added_to) {
  adt_case c = {.seed = (uint32_t)_i + 1, .label = shapes[_i].name, .params = {.accumulate = true}};
  c.params.wrt = (const char *[]){"x"}, c.params.wrt_count = 1;
  adt_prepare(&c, shapes[_i].text, NULL);
  ck_assert(has(c.adjoint, "var sum") == shapes[_i].collects && !(shapes[_i].collects && has(c.adjoint, "atomic")));
  adt_verify(&c);
  adt_free(&c);
} END_TEST

START_TEST(in_modules) {
  const shape *r = &modules[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  c.params.wrt = (const char *[]){"x"}, c.params.wrt_count = 1;
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg((has(c.adjoint, "f32(a = grad_") || has(c.adjoint, "grad_dst[global_id.x] = 0.0")) == r->collects, "%s", r->name);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, shapes, name), KGT_TABLE(of_all_inputs, shapes, name), KGT_TABLE(added_to, shapes, name),
                            KGT_TABLE(of_open_lengths, fronts, name),
                            KGT_TABLE(in_modules, modules, name)};
  return kgt_run("autodiff/collect", tests, KGT_COUNT(tests));
}
